#pragma once
// What every benchmark is compared with: the fastest pass we know that touches the same memory once and changes it.

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <cstring>

namespace posenc_bench {

using Eigen::Index;

/// x *= a for n numbers from a boundary of 64 bytes on, in float for the 16-bit types. In a file of their own, whose loops
/// begin with a cache line: where a loop of so few instructions comes to lie in a program can make it twice as slow.
void scale(float* data, Index n);
void scale(double* data, Index n);
void scale(Eigen::half* data, Index n);
void scale(Eigen::bfloat16* data, Index n);
/// x += c.
void add_constant(float* data, Index n);

/// x *= a over a whole buffer: the least that a change of all its numbers can cost.
template <class Matrix>
void pass(Matrix& x) {
  scale(x.data(), x.size());
  benchmark::ClobberMemory();
}

/// x += c, the same for what is added.
template <class Matrix>
void constant_pass(Matrix& x) {
  add_constant(x.data(), x.size());
  benchmark::ClobberMemory();
}

template <class Matrix>
void copy(Matrix& out, const Matrix& x) {
  std::memcpy(out.data(), x.data(), static_cast<std::size_t>(x.size()) * sizeof(typename Matrix::Scalar));
  benchmark::ClobberMemory();
}

}  // namespace posenc_bench
