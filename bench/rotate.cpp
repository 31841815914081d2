// Rope::rotate in place, forming its angles itself, against an in-place pass over the same buffer: every scalar, both
// layouts, consecutive positions, a list of positions, and column-major data.

#include <posenc/rope.hpp>
#include <vector>

#include "compare.hpp"
#include "expected.hpp"
#include "limits.hpp"
#include "shapes.hpp"

namespace {

using namespace posenc_bench;

template <class T>
using RopeFor = posenc::Rope<std::conditional_t<std::is_same_v<T, double>, double, float>>;

/// Turned from here on; every call begins one position further, as decoding does, so that nothing can be remembered.
template <class T, int Order = Eigen::RowMajor>
void rotate(benchmark::State& state, PairLayout layout, Shape shape) {
  const RopeFor<T> rope(posenc::Frequencies::geometric(shape.head_dim), layout);
  Data<T, Order> data(shape.tokens, shape.columns());
  const typename Data<T, Order>::Matrix before = data.x;
  rope.rotate(data.x, first_position);
  const double error =
      rotation_error(before, data.x, layout, shape.head_dim, [](Index i) { return first_position + i; });

  data.fill();
  posenc::Position p = first_position;
  compare(
      state, {error, rotation_bound<T>()}, 2 * data.bytes(), [&] { rope.rotate(data.x, p++); }, [&] { pass(data.x); });
}

void rotate_list(benchmark::State& state, PairLayout layout, Shape shape) {
  const posenc::Rope<float> rope(posenc::Frequencies::geometric(shape.head_dim), layout);
  std::vector<posenc::Position> positions;
  for (Index i = 0; i < shape.tokens; ++i) positions.push_back(first_position + i * 40503 % 65536);
  Data<float> data(shape.tokens, shape.columns());
  const Data<float>::Matrix before = data.x;
  rope.rotate(data.x, positions);
  const double error = rotation_error(before, data.x, layout, shape.head_dim,
                                      [&](Index i) { return positions[static_cast<std::size_t>(i)]; });
  compare(
      state, {error, rotation_bound<float>()}, 2 * data.bytes(), [&] { rope.rotate(data.x, positions); },
      [&] { pass(data.x); });
}

template <class T, class Shapes>
void add(const Shapes& shapes) {
  for (const auto layout : layouts) {
    for (const auto& shape : shapes) {
      const auto name = "rotate/" + name_of(layout) + "/" + name_of<T>() + "/" + name_of(shape);
      benchmark::RegisterBenchmark(name.c_str(), rotate<T>, layout, shape)->UseManualTime();
    }
  }
}

const bool registered = [] {
  add<float>(all_shapes);
  add<double>(all_shapes);
  add<Eigen::half>(all_shapes);
  add<Eigen::bfloat16>(all_shapes);
  for (const auto layout : layouts) {
    const Shape prompt = {128, 32, 512};
    const auto list = "rotate_list/" + name_of(layout) + "/float/" + name_of(prompt);
    benchmark::RegisterBenchmark(list.c_str(), rotate_list, layout, prompt)->UseManualTime();
    for (const auto& shape : prefill_shapes) {
      const auto name = "rotate_column_major/" + name_of(layout) + "/float/" + name_of(shape);
      benchmark::RegisterBenchmark(name.c_str(), rotate<float, Eigen::ColMajor>, layout, shape)->UseManualTime();
    }
  }
  return true;
}();

}  // namespace
