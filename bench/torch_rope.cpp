// The usual formulation in PyTorch, x * cos + rotate_half(x) * sin with tables that were made before, through LibTorch on
// one thread, against the same in-place pass.

#include <malloc.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <algorithm>

#include "compare.hpp"
#include "expected.hpp"
#include "limits.hpp"
#include "shapes.hpp"

namespace {

using namespace posenc_bench;

torch::Tensor rotate_half(const torch::Tensor& x) {
  const auto halves = x.chunk(2, -1);
  return torch::cat({-halves[1], halves[0]}, -1);
}

void usual_formulation(benchmark::State& state, Shape shape) {
  const torch::NoGradGuard no_gradients;
  at::set_num_threads(1);
  // Temporaries are made anew in every call. Their memory stays with the process, so that it is not the kernel that is timed.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const auto k = torch::arange(0, shape.head_dim, 2, torch::kInt64).to(torch::kFloat32);
  const auto omega = 1.0 / torch::pow(10000.0, k / static_cast<double>(shape.head_dim));
  const auto p = torch::arange(first_position, first_position + shape.tokens, torch::kInt64).to(torch::kFloat32);
  const auto half_angles = torch::outer(p, omega), angles = torch::cat({half_angles, half_angles}, -1);
  const auto cosine = angles.cos(), sine = angles.sin();  // tokens x head_dim

  Data<float> data(shape.tokens, shape.columns()), result(shape.tokens, shape.columns());
  // batch x heads x tokens x head_dim, as attention wants it
  const auto x = torch::from_blob(data.x.data(), {1, shape.tokens, shape.heads, shape.head_dim}).transpose(1, 2);
  const auto rotate = [&] { return x * cosine + rotate_half(x) * sine; };

  const torch::Tensor rows = rotate().transpose(1, 2).contiguous();
  std::copy_n(rows.data_ptr<float>(), rows.numel(), result.x.data());
  const double error =
      rotation_error(data.x, result.x, PairLayout::half, shape.head_dim, [](Index i) { return first_position + i; });
  compare(
      state, {error, 0.03}, 2 * data.bytes(), [&] { benchmark::DoNotOptimize(rotate()); }, [&] { pass(data.x); });
}

const bool registered = [] {
  benchmark::AddCustomContext("others", "LibTorch " TORCH_VERSION);
  for (const auto& shape : all_shapes) {
    const auto name = "torch/half/float/" + name_of(shape);
    benchmark::RegisterBenchmark(name.c_str(), usual_formulation, shape)->UseManualTime();
  }
  return true;
}();

}  // namespace
