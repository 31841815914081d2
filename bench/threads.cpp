// One Rope, two threads on disjoint rows of one matrix that stays in cache, against one thread on all rows.

#include <algorithm>
#include <posenc/rope.hpp>
#include <thread>

#include "compare.hpp"
#include "expected.hpp"
#include "limits.hpp"
#include "shapes.hpp"

namespace {

using namespace posenc_bench;

/// The counter `speedup` is how many times faster two threads are than one; `ratio` is its inverse. A turn is long enough
/// that starting a thread does not count.
void threads(benchmark::State& state, PairLayout layout, Shape shape) {
  if (std::thread::hardware_concurrency() < 2) return state.SkipWithError("there is one processor only");
  const posenc::Rope<float> rope(posenc::Frequencies::geometric(shape.head_dim), layout);
  Data<float> data(shape.tokens, shape.columns());
  const Data<float>::Matrix before = data.x;
  const Index half = shape.tokens / 2;
  const auto rotate = [&](Index first, Index count, std::int64_t repetitions) {
    seconds(repetitions, [&] { rope.rotate(data.x.middleRows(first, count), first_position + first); });
  };
  const auto by_two = [&](std::int64_t repetitions) {
    std::thread other(rotate, half, shape.tokens - half, repetitions);
    rotate(0, half, repetitions);
    other.join();
  };
  by_two(1);
  const double error =
      rotation_error(before, data.x, layout, shape.head_dim, [](Index i) { return first_position + i; });

  const double once = seconds(100, [&] { rotate(0, shape.tokens, 1); }) / 100;
  const auto turn = std::max(std::int64_t{1}, static_cast<std::int64_t>(0.02 / once));
  compare(
      state, {error, rotation_bound<float>()}, 2 * static_cast<std::size_t>(turn) * data.bytes(), [&] { by_two(turn); },
      [&] { rotate(0, shape.tokens, turn); });
  if (!state.error_occurred()) state.counters["speedup"] = 1 / state.counters["ratio"];
}

const bool registered = [] {
  const Shape in_cache = {128, 32, 32};
  for (const auto layout : layouts) {
    const auto name = "threads:2/" + name_of(layout) + "/float/" + name_of(in_cache);
    benchmark::RegisterBenchmark(name.c_str(), threads, layout, in_cache)->UseManualTime();
  }
  return true;
}();

}  // namespace
