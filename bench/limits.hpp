#pragma once
// What every benchmark is compared with: touching the same memory once, timed in the same run.

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace posenc_bench {

using Clock = std::chrono::steady_clock;

/// x *= a over a buffer, the least that a change of all its numbers can cost.
template <class T>
void in_place_pass(T* data, std::ptrdiff_t n) {
  Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>> x(data, n);
  x *= static_cast<T>(0.9999999f);  // near 1, so that no run reaches denormal numbers
  benchmark::ClobberMemory();
}

template <class Work>
double seconds(int repetitions, Work work) {
  const auto begin = Clock::now();
  for (int i = 0; i < repetitions; ++i) work();
  return std::chrono::duration<double>(Clock::now() - begin).count() / repetitions;
}

/// Times work and limit in turns, so that both meet the same machine, and reports the median of their ratios.
template <class Work, class Limit>
void compare(benchmark::State& state, std::size_t bytes, Work work, Limit limit) {
  const double once = std::max(seconds(3, limit), 1e-9);
  const int repetitions = static_cast<int>(std::max(1.0, 1e-4 / once));
  std::vector<double> ratios;
  for (auto _ : state) {
    const double at_best = seconds(repetitions, limit), taken = seconds(repetitions, work);
    ratios.push_back(taken / at_best);
    state.SetIterationTime(taken);
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
  state.counters["ratio"] = ratios[ratios.size() / 2];
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(bytes));
}

}  // namespace posenc_bench
