// Rope: each verb, and the table, against the formula in 512 bits. Its laws stand in laws_test, its errors in contract_test.

#include "posenc/rope.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "catch.hpp"
#include "reference.hpp"

using namespace posenc_test;
using Eigen::bfloat16;
using Eigen::half;
using posenc::Frequencies;
using posenc::Index;
using posenc::PairLayout;
using posenc::Position;
using posenc::Rope;

namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// What Rope computes in for data of type T.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Numbers in [-2, 2) with 7 bits, so that even bfloat16 holds them; the same at every run.
template <class T>
Rows<T> numbers(Index rows, Index cols) {
  std::uint32_t state = 12345;
  return Rows<T>::NullaryExpr(rows, cols, [&](Index, Index) {
    state = state * 1664525u + 1013904223u;
    return static_cast<T>((static_cast<float>(state >> 25) - 63.5f) / 32);
  });
}

template <class T, class U>
bool same_bits(const Rows<T>& a, const Rows<U>& b) {
  static_assert(std::is_same_v<T, U>);
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(T) * static_cast<std::size_t>(a.size())) == 0);
}

/// DESIGN.md's numbers: the error of a sine or cosine, and the one rounding of a result of about this size.
template <class T>
constexpr long double sine_error = std::is_same_v<T, double> ? 5e-16L : 1.5e-7L;
template <class T>
long double rounding(long double value) {
  constexpr int digits = std::is_same_v<T, double>  ? 53
                         : std::is_same_v<T, float> ? 24
                         : std::is_same_v<T, half>  ? 11
                                                    : 8;
  constexpr int smallest = std::is_same_v<T, double> ? -1022 : std::is_same_v<T, half> ? -14 : -126;
  return std::ldexp(1.0L, (value == 0 ? smallest : std::max(std::ilogb(value), smallest)) - digits);
}

/// As a long double, said aloud: clang warns of every silent widening.
template <class T>
long double wide(T value) {
  return static_cast<long double>(static_cast<double>(value));
}

enum class Verb { rotate, rotate_to, unrotate, backward, shift };
constexpr Verb all_verbs[] = {Verb::rotate, Verb::rotate_to, Verb::unrotate, Verb::backward, Verb::shift};

template <class T, class P>
Rows<T> result_of(Verb verb, const Rope<Computed<T>>& rope, Rows<T> x, const P& positions) {
  if (verb == Verb::rotate) rope.rotate(x, positions);
  if (verb == Verb::unrotate) rope.unrotate(x, positions);
  if (verb == Verb::backward) rope.backward(x, positions);
  if (verb == Verb::shift) rope.shift(x, positions);
  if (verb != Verb::rotate_to) return x;
  Rows<T> out = Rows<T>::Constant(x.rows(), x.cols(), T(9));
  rope.rotate_to(out, x, positions);
  return out;
}

/// The largest error of the five verbs on two heads, as a part of what is allowed: 1 is just right. Channels that do not
/// turn must be copied to the bit.
template <class T, class P>
long double worst_error(const Rope<Computed<T>>& rope, const std::vector<Real>& omega,
                        const std::vector<P>& positions) {
  const Index rows = static_cast<Index>(positions.size()), pairs = rope.frequencies().size(), dim = rope.head_dim();
  const Rows<T> x = numbers<T>(rows, 2 * dim);
  const long double g = wide(rope.frequencies().attention_factor());
  std::vector<Rows<T>> results;
  for (Verb verb : all_verbs) results.push_back(result_of<T>(verb, rope, x, positions));
  long double worst = 0;
  for (Index row = 0; row < rows; ++row) {
    for (Index k = 0; k < pairs; ++k) {
      const SinCosReference turn =
          reference(positions[static_cast<std::size_t>(row)], omega[static_cast<std::size_t>(k)]);
      const bool is_half = rope.layout() == PairLayout::half;
      const Index first = rope.first_channel() + (is_half ? k : 2 * k), second = first + (is_half ? pairs : 1);
      for (Index head = 0; head < 2 * dim; head += dim) {
        const long double a = wide(x(row, head + first)), b = wide(x(row, head + second));
        for (std::size_t i = 0; i < results.size(); ++i) {
          const Verb verb = all_verbs[i];
          const long double gain = verb == Verb::shift ? 1 : verb == Verb::unrotate ? 1 / g : g;
          const long double sine = verb == Verb::unrotate || verb == Verb::backward ? -turn.sine : turn.sine;
          const auto compare = [&](long double expected, T result) {
            const long double allowed = gain * sine_error<T> * (std::abs(a) + std::abs(b)) + rounding<T>(expected);
            worst = std::max(worst, std::abs(wide(result) - expected) / allowed);
          };
          compare(gain * (a * turn.cosine - b * sine), results[i](row, head + first));
          compare(gain * (a * sine + b * turn.cosine), results[i](row, head + second));
        }
      }
    }
  }
  for (Index head = 0; head < 2 * dim; head += dim) {
    const Index end = rope.first_channel() + rope.rotary_dim();
    for (const Rows<T>& result : results) {
      CHECK(same_bits<T, T>(result.middleCols(head, rope.first_channel()), x.middleCols(head, rope.first_channel())));
      CHECK(same_bits<T, T>(result.middleCols(head + end, dim - end), x.middleCols(head + end, dim - end)));
    }
  }
  return worst;
}

constexpr Position far = Position{1} << 40;
const std::vector<Position> whole_positions = {
    0,   1,    2,      31,      32,       33,         -1,         -31,           -32,
    -33, 4095, 131072, 1048577, 16777217, 2147483647, 4294967296, -987654321987, far - 1,
    far, -far};
const std::vector<double> real_positions = {0.5,       -0.25,      1e-3,         -1e-300,         7.0,
                                            12345.678, -1048576.5, 0x1p31 + 0.1, 0x1p40 - 0x1p-12};

}  // namespace

TEMPLATE_TEST_CASE("every verb of Rope is the formula to the last allowed bit", "[rope]", float, double, half,
                   bfloat16) {
  if (!reference_is_exact) return skip("no MPFR");
  for (PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
    for (auto [dim, base, head_dim, first] : {std::tuple<Index, double, Index, Index>{2, 10000, 2, 0},
                                              {8, 10000, 8, 0},
                                              {32, 1e6, 80, 0},  // partial rotary
                                              {10, 500, 23, 9},  // in the middle, an odd width
                                              {64, 500000, 64, 0}}) {
      std::vector<Real> omega;
      for (Index k = 0; k < dim / 2; ++k) omega.push_back(omega_of(base, dim, k));
      const Rope<Computed<TestType>> rope(Frequencies::geometric(dim, base), layout, head_dim, first);
      CAPTURE(dim, base, static_cast<int>(layout));
      CHECK(worst_error<TestType>(rope, omega, whole_positions) <= 1);
      CHECK(worst_error<TestType>(rope, omega, real_positions) <= 1);
    }
  }
}

TEMPLATE_TEST_CASE("given frequencies are used as exactly those numbers and the attention factor multiplies", "[rope]",
                   float, double, half, bfloat16) {
  if (!reference_is_exact) return skip("no MPFR");
  // Far beyond a ladder: faster than a turn per position, backwards, standing still. 0.1f is not 0.1.
  const std::vector<double> values = {1.0,     static_cast<double>(0.1f), 1e-9, 7.5, -0.3, 0.0,
                                      4000.25, 0.7071067811865476};
  const std::vector<Real> omega(values.begin(), values.end());
  for (double g : {1.0, 1.1386294361119891, 0.3}) {
    for (PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
      const Rope<Computed<TestType>> rope(Frequencies::from_values(values, g), layout, 20, 3);
      CAPTURE(g, static_cast<int>(layout));
      CHECK(worst_error<TestType>(rope, omega, whole_positions) <= 1);
      CHECK(worst_error<TestType>(rope, omega, real_positions) <= 1);
    }
  }
}

TEST_CASE("float rotation stays within its tolerance over many positions", "[rope]") {
  // Rope<double>, tested above, is the reference: its own error is 3e8 times smaller.
  const Index dim = 64, rows = 1024;
  const Frequencies frequencies = Frequencies::geometric(dim, 10000.0);
  const Rope<float> rope(frequencies, PairLayout::half);
  const Rope<double> exact(frequencies, PairLayout::half);
  for (Position start : {Position{0}, Position{100000}, Position{2147483000}, far - rows, -far}) {
    const Rows<float> x = numbers<float>(rows, dim);
    Rows<float> y = x;
    Rows<double> z = x.cast<double>();
    rope.rotate(y, start);
    exact.rotate(z, start);
    long double worst = 0;
    for (Index i = 0; i < x.size(); ++i) {
      const Index partner = i % dim < dim / 2 ? i + dim / 2 : i - dim / 2;
      const long double allowed = 1.5e-7L * (std::abs(wide(x.data()[i])) + std::abs(wide(x.data()[partner]))) +
                                  rounding<float>(wide(z.data()[i]));
      worst = std::max(worst, std::abs(wide(y.data()[i]) - wide(z.data()[i])) / allowed);
    }
    CAPTURE(start, worst);
    CHECK(worst <= 1);
  }
}

TEMPLATE_TEST_CASE("a table of Rope is within the sine tolerance and gives rotate's bits to rotate_pairs", "[rope]",
                   float, double) {
  if (!reference_is_exact) return skip("no MPFR");
  const Index pairs = 130;  // made in two pieces
  for (double g : {1.0, 1.25}) {
    std::vector<double> values;
    for (Index k = 0; k < pairs; ++k) values.push_back(Frequencies::geometric(2 * pairs)[k]);
    const Rope<TestType> rope(Frequencies::from_values(values, g), PairLayout::half, 2 * pairs + 10);
    const auto table = rope.table(whole_positions);
    const Index rows = static_cast<Index>(whole_positions.size());
    REQUIRE((table.cos.rows() == rows && table.cos.cols() == pairs && table.sin.rows() == rows &&
             table.sin.cols() == pairs));
    long double worst = 0;
    for (Index i = 0; i < rows; ++i) {
      for (Index k = 0; k < pairs; ++k) {
        const SinCosReference turn =
            reference(whole_positions[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(k)]);
        worst = std::max({worst, std::abs(wide(table.cos(i, k)) - wide(g) * turn.cosine),
                          std::abs(wide(table.sin(i, k)) - wide(g) * turn.sine)});
      }
    }
    CHECK(worst <= wide(g) * sine_error<TestType>);
    for (PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
      Rows<TestType> x = numbers<TestType>(rows, 3 * (2 * pairs + 10)), y = x;
      Rope<TestType>(Frequencies::from_values(values, g), layout, 2 * pairs + 10).rotate(x, whole_positions);
      posenc::rotate_pairs(y, table.cos, table.sin, layout, 2 * pairs + 10);
      CHECK(same_bits(x, y));
    }
  }
}

TEST_CASE("a table from a count is the table of the positions 0 to count - 1", "[rope]") {
  const Rope<float> rope(Frequencies::geometric(16), PairLayout::half);
  std::vector<int> positions(70);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int>(i);
  CHECK(same_bits(rope.table(70).cos, rope.table(positions).cos));
  CHECK(same_bits(rope.table(70).sin, rope.table(positions).sin));
  CHECK((rope.table(0).cos.rows() == 0 && rope.table(0).cos.cols() == 8 &&
         rope.table(std::vector<int>{}).sin.rows() == 0));
}

TEMPLATE_TEST_CASE(
    "rotate and backward multiply by the attention factor unrotate divides by it and shift leaves it alone", "[rope]",
    float, double) {
  // A factor of 4 is exact: a power of two changes no digit, so every result has to be the plain one's bits times 4^n.
  const std::vector<double> omega = {1.0, 0.1, 0.01, 0.0};
  const Rope<TestType> plain(Frequencies::from_values(omega), PairLayout::half, 12, 2);
  const Rope<TestType> scaled(Frequencies::from_values(omega, 4.0), PairLayout::half, 12, 2);
  const Rows<TestType> x = numbers<TestType>(20, 24);
  for (Verb verb : all_verbs) {
    const TestType gain = verb == Verb::shift ? 1 : verb == Verb::unrotate ? TestType(0.25) : 4;
    const Rows<TestType> result = result_of<TestType>(verb, scaled, x, whole_positions);
    Rows<TestType> expected = result_of<TestType>(verb, plain, x, whole_positions);
    for (Index head : {0, 12}) expected.middleCols(head + 2, 8) *= gain;  // channels that do not turn are never scaled
    CAPTURE(static_cast<int>(verb));
    CHECK(same_bits(result, expected));
  }
  CHECK(same_bits<TestType, TestType>(scaled.table(whole_positions).sin, 4 * plain.table(whole_positions).sin));
}

TEMPLATE_TEST_CASE("positions of every number type turn alike", "[rope]", float, half) {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::interleaved);
  const Rows<TestType> x = numbers<TestType>(4, 8);
  const std::array<Position, 4> positions = {3, 0, 96, 17};
  const Rows<TestType> expected = result_of<TestType>(Verb::rotate, rope, x, positions);
  const auto check = [&](auto type) {
    using P = decltype(type);
    Eigen::Matrix<P, Eigen::Dynamic, 1> same(4);
    for (Index i = 0; i < 4; ++i) same[i] = static_cast<P>(static_cast<float>(positions[static_cast<std::size_t>(i)]));
    for (Verb verb : {Verb::rotate, Verb::rotate_to, Verb::shift}) {
      CHECK(same_bits(result_of<TestType>(verb, rope, x, same), expected));
    }
  };
  check(std::int8_t{}), check(std::uint8_t{}), check(int{}), check(std::uint64_t{});
  check(half{}), check(bfloat16{}), check(float{}), check(double{});
  const int c_array[] = {3, 0, 96, 17};
  CHECK(same_bits(result_of<TestType>(Verb::rotate, rope, x, c_array), expected));
}
