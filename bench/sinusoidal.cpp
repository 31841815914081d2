// Sinusoidal::add_to against x += constant, and the addition of a ready table against the same.

#include <posenc/sinusoidal.hpp>

#include "compare.hpp"
#include "expected.hpp"
#include "limits.hpp"
#include "shapes.hpp"

namespace {

using namespace posenc_bench;

constexpr double bound = 2e-7;

std::int64_t position(Index row) { return first_position + row; }

void add_to(benchmark::State& state, Shape shape) {
  const posenc::Sinusoidal<float> code(shape.columns());
  Data<float> data(shape.tokens, shape.columns());
  data.x.setZero();
  code.add_to(data.x, first_position);
  const double error = code_error(data.x, position);
  posenc::Position p = first_position;
  compare(
      state, {error, bound}, 2 * data.bytes(), [&] { code.add_to(data.x, p++); }, [&] { constant_pass(data.x); });
}

/// The bytes are those of x: that a table has to be read too is what it costs.
void add_table(benchmark::State& state, Shape shape) {
  Data<float> data(shape.tokens, shape.columns()), table(shape.tokens, shape.columns());
  table.x.setZero();
  posenc::Sinusoidal<float>(shape.columns()).add_to(table.x, first_position);
  const double error = code_error(table.x, position);
  compare(
      state, {error, bound}, 2 * data.bytes(),
      [&] {
        data.x += table.x;
        benchmark::ClobberMemory();
      },
      [&] { constant_pass(data.x); });
}

const bool registered = [] {
  for (const Shape& shape : {Shape{1024, 1, 1}, Shape{1024, 1, 2048}, Shape{4096, 1, 512}}) {
    const auto rest = "/float/tokens:" + std::to_string(shape.tokens) + "/dim:" + std::to_string(shape.columns());
    benchmark::RegisterBenchmark(("sinusoidal" + rest).c_str(), add_to, shape)->UseManualTime();
    benchmark::RegisterBenchmark(("add_table" + rest).c_str(), add_table, shape)->UseManualTime();
  }
  return true;
}();

}  // namespace
