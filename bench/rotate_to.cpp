// Rope::rotate_to, out of place as into a key cache, against memcpy between the same buffers.

#include <posenc/rope.hpp>

#include "compare.hpp"
#include "expected.hpp"
#include "limits.hpp"
#include "shapes.hpp"

namespace {

using namespace posenc_bench;

void rotate_to(benchmark::State& state, PairLayout layout, Shape shape) {
  const posenc::Rope<float> rope(posenc::Frequencies::geometric(shape.head_dim), layout);
  Data<float> in(shape.tokens, shape.columns()), out(shape.tokens, shape.columns());
  rope.rotate_to(out.x, in.x, first_position);
  const double error = rotation_error(in.x, out.x, layout, shape.head_dim, [](Index i) { return first_position + i; });
  posenc::Position p = first_position;
  compare(
      state, {error, rotation_bound<float>()}, 2 * in.bytes(), [&] { rope.rotate_to(out.x, in.x, p++); },
      [&] { copy(out.x, in.x); });
}

const bool registered = [] {
  for (const auto layout : layouts) {
    for (const auto& shape : all_shapes) {
      const auto name = "rotate_to/" + name_of(layout) + "/float/" + name_of(shape);
      benchmark::RegisterBenchmark(name.c_str(), rotate_to, layout, shape)->UseManualTime();
    }
  }
  return true;
}();

}  // namespace
