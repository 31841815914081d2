#pragma once
// Timing: work and its limit in turns, in the same run, on the same memory.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace posenc_bench {

template <class Work>
double seconds(std::int64_t repetitions, Work&& work) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (std::int64_t i = 0; i < repetitions; ++i) work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The largest error found before the timing and what is allowed; beyond it there is nothing to time.
struct Checked {
  double error, bound;
};

/// Times work and limit in turns, so that both meet the same machine in the same state, and reports the median of their
/// ratios, the bytes per second of the work and the error. A turn lasts 0.1 ms or one call, whichever is longer.
/// Shapes    bytes: read and written by one call of work.
template <class Work, class Limit>
void compare(benchmark::State& state, const Checked& checked, std::size_t bytes, Work&& work, Limit&& limit) {
  if (!(checked.error <= checked.bound)) {
    const auto text = "the result is off by " + std::to_string(checked.error) + ", more than is allowed";
    return state.SkipWithError(text.c_str());
  }
  work();
  const double once = std::max((seconds(1, limit) + seconds(3, limit)) / 4, 1e-9);
  const auto repetitions = std::max(std::int64_t{1}, static_cast<std::int64_t>(1e-4 / once));
  std::vector<double> ratios;
  while (state.KeepRunningBatch(repetitions)) {
    const double at_best = seconds(repetitions, limit), taken = seconds(repetitions, work);
    ratios.push_back(taken / at_best);
    state.SetIterationTime(taken);
  }
  state.counters["ratio"] = median(ratios);
  state.counters["error"] = checked.error;
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(bytes));
}

}  // namespace posenc_bench
