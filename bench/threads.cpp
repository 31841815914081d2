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

constexpr Shape in_cache = {128, 32, 32};

/// Times work(first row, rows) on all rows against two threads with half of them each. The counter `speedup` is how many times
/// faster the two are; `ratio` is its inverse. A turn is long enough that starting a thread does not count.
template <class Work>
void compare_threads(benchmark::State& state, const Checked& checked, const Data<float>& data, const Work& work) {
  const Index rows = data.x.rows(), half = rows / 2;
  const auto repeat = [&](Index first, Index count, std::int64_t repetitions) {
    seconds(repetitions, [&] { work(first, count); });
  };
  const double once = seconds(100, [&] { work(0, rows); }) / 100;
  const auto turn = std::max(std::int64_t{1}, static_cast<std::int64_t>(0.02 / once));
  const auto by_two = [&] {
    std::thread other(repeat, half, rows - half, turn);
    repeat(0, half, turn);
    other.join();
  };
  compare(state, checked, 2 * static_cast<std::size_t>(turn) * data.bytes(), by_two, [&] { repeat(0, rows, turn); });
  if (!state.error_occurred()) state.counters["speedup"] = 1 / state.counters["ratio"];
}

void rotate(benchmark::State& state, PairLayout layout) {
  if (std::thread::hardware_concurrency() < 2) return state.SkipWithError("there is one processor only");
  const posenc::Rope<float> rope(posenc::Frequencies::geometric(in_cache.head_dim), layout);
  Data<float> data(in_cache.tokens, in_cache.columns());
  const Data<float>::Matrix before = data.x;
  const auto rotate = [&](Index first, Index count) {
    rope.rotate(data.x.middleRows(first, count), first_position + first);
  };
  std::thread other(rotate, in_cache.tokens / 2, in_cache.tokens - in_cache.tokens / 2);
  rotate(0, in_cache.tokens / 2);
  other.join();
  const double error =
      rotation_error(before, data.x, layout, in_cache.head_dim, [](Index i) { return first_position + i; });
  compare_threads(state, {error, rotation_bound<float>()}, data, rotate);
}

/// What two threads gain on this machine where each number is touched once.
void pass_alone(benchmark::State& state) {
  if (std::thread::hardware_concurrency() < 2) return state.SkipWithError("there is one processor only");
  Data<float> data(in_cache.tokens, in_cache.columns());
  compare_threads(state, {0, 0}, data, [&](Index first, Index count) {
    scale(&data.x(first, 0), count * in_cache.columns());
    benchmark::ClobberMemory();
  });
}

const bool registered = [] {
  for (const auto layout : layouts) {
    const auto name = "threads:2/" + name_of(layout) + "/float/" + name_of(in_cache);
    benchmark::RegisterBenchmark(name.c_str(), rotate, layout)->UseManualTime();
  }
  benchmark::RegisterBenchmark(("threads:2_pass/float/" + name_of(in_cache)).c_str(), pass_alone)->UseManualTime();
  return true;
}();

}  // namespace
