// The largest error of a sine or cosine over the 64 pairs of d = 128, by position up to 2^40, for angles formed in float,
// in double, and for posenc:  position  float_angles  double_angles  posenc_float  posenc_double

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <posenc/rope.hpp>
#include <vector>

#include "../tests/reference.hpp"

namespace {

constexpr posenc::Index dim = 128, pairs = dim / 2;

/// The angle as it is usually formed, all in T.
template <class T>
T angle(posenc::Position p, posenc::Index k) {
  const T omega = T(1) / std::pow(T(10000), static_cast<T>(2 * k) / static_cast<T>(dim));
  return static_cast<T>(p) * omega;
}

struct Error {
  double largest = 0;
  template <class T>
  void take(T cosine, T sine, const posenc_test::SinCosReference& right) {
    const auto off = std::max(std::abs(static_cast<long double>(cosine) - right.cosine),
                              std::abs(static_cast<long double>(sine) - right.sine));
    largest = std::max(largest, static_cast<double>(off));
  }
};

template <class Scalar>
Error of_posenc(const std::vector<posenc::Position>& positions,
                const std::vector<posenc_test::SinCosReference>& right) {
  const posenc::Rope<Scalar> rope(posenc::Frequencies::geometric(dim), posenc::PairLayout::half);
  const auto table = rope.table(positions);
  Error error;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto row = static_cast<posenc::Index>(i) / pairs, k = static_cast<posenc::Index>(i) % pairs;
    error.take(table.cos(row, k), table.sin(row, k), right[i]);
  }
  return error;
}

}  // namespace

int main() {
  std::printf("# position  float_angles  double_angles  posenc_float  posenc_double\n");
  for (int power = 0; power <= 40; ++power) {
    // Eight positions from each power of two on, spread over the way to the next: the point drawn is their worst.
    std::vector<posenc::Position> positions;
    for (int i = 0; i < 8; ++i) {
      const auto p = static_cast<posenc::Position>(std::exp2(power + i / 8.0));
      if (p <= posenc::Position{1} << 40) positions.push_back(p);
    }
    std::vector<posenc_test::SinCosReference> right;
    Error in_float, in_double;
    for (const auto p : positions) {
      for (posenc::Index k = 0; k < pairs; ++k) {
        right.push_back(posenc_test::reference(posenc_test::Real(p), posenc_test::omega_of(10000.0, dim, k)));
        const float f = angle<float>(p, k);
        const double d = angle<double>(p, k);
        in_float.take(std::cos(f), std::sin(f), right.back());
        in_double.take(std::cos(d), std::sin(d), right.back());
      }
    }
    std::printf("%lld %.3e %.3e %.3e %.3e\n", static_cast<long long>(posenc::Position{1} << power), in_float.largest,
                in_double.largest, of_posenc<float>(positions, right).largest,
                of_posenc<double>(positions, right).largest);
  }
}
