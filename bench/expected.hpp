#pragma once
// What a rotation and a code should be, from the definition, and how far a result is off.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "../tests/reference.hpp"
#include "shapes.hpp"

namespace posenc_bench {

using posenc_test::SinCosReference;

/// Cosine and sine of p omega_k for all k, omega_k = 10000^(-2k/d), remembered: many benchmarks ask for the same.
inline const std::vector<SinCosReference>& angles(Index dim, std::int64_t p) {
  static std::map<std::pair<Index, std::int64_t>, std::vector<SinCosReference>> known;
  auto& row = known[{dim, p}];
  if (row.empty()) {
    static std::map<Index, std::vector<posenc_test::Real>> ladders;
    auto& omega = ladders[dim];
    for (auto k = static_cast<Index>(omega.size()); k < dim / 2; ++k) {
      omega.push_back(posenc_test::omega_of(10000.0, dim, k));
    }
    for (const auto& w : omega) row.push_back(posenc_test::reference(posenc_test::Real(p), w));
  }
  return row;
}

/// About nine rows of `rows`, the first and the last among them. An odd number apart, so that they stand at different places
/// of any block.
inline std::vector<Index> sample(Index rows) {
  std::vector<Index> result;
  for (Index i = 0; i < rows; i += std::max(Index{1}, rows / 8 - 1) | 1) result.push_back(i);
  if (result.back() != rows - 1) result.push_back(rows - 1);
  return result;
}

/// The channel that pair k's first or second member stands in.
inline Index channel(PairLayout layout, Index dim, Index k, int member) {
  return layout == PairLayout::half ? k + member * (dim / 2) : 2 * k + member;
}

/// The largest |y - R(p) x| / (|a| + |b|) over all pairs (a, b) of the rows looked at. position(i) is that of row i.
template <class X, class Y, class PositionOf>
double rotation_error(const X& x, const Y& y, PairLayout layout, Index dim, PositionOf position) {
  long double largest = 0;
  for (const Index i : sample(x.rows())) {
    const auto& row = angles(dim, position(i));
    for (Index h = 0; h < x.cols(); h += dim) {
      for (Index k = 0; k < dim / 2; ++k) {
        const Index at_a = h + channel(layout, dim, k, 0), at_b = h + channel(layout, dim, k, 1);
        const auto real = [](auto value) { return static_cast<long double>(static_cast<double>(value)); };
        const long double a = real(x(i, at_a)), b = real(x(i, at_b)), c = row[static_cast<std::size_t>(k)].cosine,
                          s = row[static_cast<std::size_t>(k)].sine;
        const long double off =
            std::max(std::abs(real(y(i, at_a)) - (a * c - b * s)), std::abs(real(y(i, at_b)) - (a * s + b * c)));
        if (!(off <= largest * (std::abs(a) + std::abs(b)))) largest = off / (std::abs(a) + std::abs(b));  // NaN too
        if (std::isnan(largest)) return NAN;
      }
    }
  }
  return static_cast<double>(largest);
}

/// The largest |y - PE(p)| of an interleaved code, [s0 c0 s1 c1 ..].
template <class Y, class PositionOf>
double code_error(const Y& y, PositionOf position) {
  long double largest = 0;
  for (const Index i : sample(y.rows())) {
    const auto& row = angles(y.cols(), position(i));
    for (Index k = 0; k < y.cols() / 2; ++k) {
      const auto& right = row[static_cast<std::size_t>(k)];
      const long double off = std::max(std::abs(static_cast<long double>(y(i, 2 * k)) - right.sine),
                                       std::abs(static_cast<long double>(y(i, 2 * k + 1)) - right.cosine));
      if (!(off <= largest)) largest = off;
      if (std::isnan(largest)) return NAN;
    }
  }
  return static_cast<double>(largest);
}

/// What a rotated value may be off by, relative to |a| + |b|: the promise for sines and cosines, and the roundings of the
/// products and of the stored value. Without MPFR the reference itself is good to about 1e-13 here.
template <class T>
double rotation_bound() {
  if constexpr (std::is_same_v<T, double>) return posenc_test::reference_is_exact ? 8e-16 : 1e-13;
  if constexpr (std::is_same_v<T, float>) return 3e-7;
  if constexpr (std::is_same_v<T, Eigen::half>) return 0x1p-11 + 3e-7;
  if constexpr (std::is_same_v<T, Eigen::bfloat16>) return 0x1p-8;
}

}  // namespace posenc_bench
