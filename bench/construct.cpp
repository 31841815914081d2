// What making a Rope costs: a program may make one for each layer or each request.

#include <posenc/rope.hpp>

#include "compare.hpp"
#include "expected.hpp"
#include "shapes.hpp"

namespace {

using namespace posenc_bench;

template <class Scalar>
void construct(benchmark::State& state, Index dim) {
  const auto make = [dim] { return posenc::Rope<Scalar>(posenc::Frequencies::geometric(dim), PairLayout::half); };
  Data<Scalar> data(64, dim);
  const typename Data<Scalar>::Matrix before = data.x;
  make().rotate(data.x, first_position);
  const double error =
      rotation_error(before, data.x, PairLayout::half, dim, [](Index i) { return first_position + i; });
  if (!(error <= rotation_bound<Scalar>())) return state.SkipWithError("what was made rotates wrongly");
  for (auto _ : state) {
    auto rope = make();
    benchmark::DoNotOptimize(rope);
  }
  state.counters["error"] = error;
}

const bool registered = [] {
  for (const Index dim : {Index{64}, Index{128}, Index{1024}}) {
    const auto rest = "/dim:" + std::to_string(dim);
    benchmark::RegisterBenchmark(("construct/float" + rest).c_str(), construct<float>, dim)
        ->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(("construct/double" + rest).c_str(), construct<double>, dim)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
