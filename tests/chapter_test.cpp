// "Position, phase, and the geometry of order", number by number and in its order: what the chapter states comes out of
// the library. A number printed there with some digits is met to half a unit of the last one. The chapter's three
// properties, distinctness, continuity and relative structure, are measured in properties_test.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "posenc/frequencies.hpp"
#include "posenc/learned.hpp"
#include "posenc/linear_index.hpp"
#include "posenc/phase.hpp"
#include "posenc/rope.hpp"
#include "posenc/sinusoidal.hpp"

namespace {

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using posenc::Frequencies;
using posenc::Index;
using posenc::LearnedPositions;
using posenc::LinearIndex;
using posenc::PairLayout;
using posenc::Position;
using posenc::Rope;
using posenc::SinCosOrder;
using posenc::Sinusoidal;

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::RowVectorXd;

const double pi = 3.141592653589793;

/// The largest error of a sine or cosine, by DESIGN.md.
template <class T>
constexpr double sine_error = std::is_same_v<T, double> ? 5e-16 : 1.5e-7;
/// Half a unit in the last place of 1: one rounding of a number of magnitude 1.
template <class T>
constexpr double rounding = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;

/// A number which the chapter prints with so many decimals.
template <class T>
void check_printed(T found, double printed, int decimals) {
  CHECK_THAT(static_cast<double>(found), WithinAbs(printed, 0.5 * std::pow(10, -decimals) + 2 * sine_error<T>));
}
template <class Found>
void check_printed_row(const Found& found, const std::vector<double>& printed, int decimals) {
  REQUIRE(found.size() == static_cast<Index>(printed.size()));
  for (Index j = 0; j < found.size(); ++j) {
    INFO("coordinate " << j);
    check_printed(found(j), printed[static_cast<std::size_t>(j)], decimals);
  }
}

/// Numbers within [-1, 1), the same in every run.
template <class T>
Rows<T> random_rows(Index rows, Index cols, unsigned seed = 1) {
  return Rows<T>::NullaryExpr(rows, cols, [&](Index, Index) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<T>(static_cast<float>(seed >> 8) * 0x1p-23f - 1.0f);
  });
}

/// One row, rotated to position p.
template <class T>
Row rotated(const Rope<T>& rope, const Row& x, Position p) {
  Rows<T> row = x.cast<T>();
  rope.rotate(row, p);
  return row.template cast<double>();
}

Rope<double> rope_of(const Frequencies& frequencies) { return Rope<double>(frequencies, PairLayout::interleaved); }

// --- 2. A minimal example before the equations -----------------------------------------------------------------

TEMPLATE_TEST_CASE("chapter 2: the toy offsets put the same word at 2 0 then 1 1 then 0 0", "", float, double) {
  Rows<TestType> offsets(3, 2), h(3, 2), expected(3, 2);
  offsets << 1, 0, 0, 1, -1, 0;
  h << 1, 0, 1, 0, 1, 0;  // the same word three times
  expected << 2, 0, 1, 1, 0, 0;
  LearnedPositions<TestType>(offsets).add_to(h);
  CHECK(h == expected);
}

TEMPLATE_TEST_CASE("chapter 2: the linear index is 0 c 2c 3c in every channel with steps of c and no bound", "", float,
                   double) {
  const LinearIndex<TestType> linear(4, 0.25);
  const auto codes = linear.encode(1000);
  for (Index i = 0; i < 4; ++i)
    CHECK((codes.row(i).array() == static_cast<TestType>(0.25) * static_cast<TestType>(i)).all());
  for (Index i = 0; i + 1 < codes.rows(); ++i) {
    CHECK(((codes.row(i + 1) - codes.row(i)).array() == static_cast<TestType>(0.25)).all());
  }
  const auto far = linear.encode(std::vector<Position>{Position{1} << 40});
  CHECK(static_cast<double>(far(0, 0)) == 0x1p38);
}

TEMPLATE_TEST_CASE("chapter 2: an additive code moves every vector by PE and RoPE leaves the origin where it is", "",
                   float, double) {
  const Sinusoidal<TestType> sinusoidal(8);
  const Rows<TestType> e = random_rows<TestType>(50, 8);
  Rows<TestType> h = e, zero = Rows<TestType>::Zero(50, 8);
  sinusoidal.add_to(h);
  CHECK(h == e + sinusoidal.encode(50));
  Rope<TestType>(Frequencies::geometric(8), PairLayout::interleaved).rotate(zero);
  CHECK((zero.array() == 0).all());
}

// --- 4. Why the raw index alone is not enough ------------------------------------------------------------------

TEST_CASE("chapter 4: the raw index is PE p = p") {
  const auto codes = LinearIndex<double>(1, 1.0).encode(100);
  for (Index p = 0; p < 100; ++p) CHECK(codes(p, 0) == static_cast<double>(p));
}

// --- 5. The Transformer paper's absolute position formula ------------------------------------------------------

TEST_CASE("chapter 5: with d = 8 there are four pairs and pair k has the coordinates 2k and 2k+1") {
  for (Index k = 0; k < 4; ++k) {
    std::vector<double> omega(4, 0.0);
    omega[static_cast<std::size_t>(k)] = 0.5;
    const auto codes = Sinusoidal<double>(Frequencies::from_values(omega), SinCosOrder::interleaved).encode(2);
    for (Index j = 0; j < 8; ++j) CHECK((codes(0, j) != codes(1, j)) == (j == 2 * k || j == 2 * k + 1));
  }
  CHECK(Frequencies::geometric(8).size() == 4);
}

TEMPLATE_TEST_CASE("chapter 5: PE p 2k is the sine and PE p 2k+1 the cosine of p over 10000 to the 2k/d", "", float,
                   double) {
  for (const Index d : {2, 4, 8, 10, 64, 130}) {
    const auto codes = Sinusoidal<TestType>(d).encode(200);
    for (Index p = 0; p < 200; ++p) {
      for (Index k = 0; k < d / 2; ++k) {
        const auto exponent = static_cast<long double>(2 * k) / static_cast<long double>(d);
        const long double angle = static_cast<long double>(p) / std::pow(10000.0L, exponent);
        // The second term is the error of the angle itself, which matters where long double is double.
        const long double allowed =
            static_cast<long double>(sine_error<TestType>) + 4 * angle * std::numeric_limits<long double>::epsilon();
        INFO("d " << d << " p " << p << " k " << k);
        const long double sine = static_cast<long double>(codes(p, 2 * k));
        const long double cosine = static_cast<long double>(codes(p, 2 * k + 1));
        REQUIRE(std::abs(sine - std::sin(angle)) <= allowed);
        REQUIRE(std::abs(cosine - std::cos(angle)) <= allowed);
      }
    }
  }
}

TEST_CASE(
    "chapter 5: for d = 8 the frequencies are 1 and 0.1 and 0.01 and 0.001 with periods 6.28 and 62.8 and 628 and "
    "6283") {
  const Frequencies omega = Frequencies::geometric(8);
  CHECK(omega[0] == 1.0);
  CHECK_THAT(omega[1], WithinRel(0.1, 2.3e-16));
  CHECK_THAT(omega[2], WithinRel(0.01, 2.3e-16));
  CHECK_THAT(omega[3], WithinRel(0.001, 2.3e-16));
  check_printed(omega.period(0), 6.28, 2);
  check_printed(omega.period(1), 62.8, 1);
  check_printed(omega.period(2), 628, 0);
  check_printed(omega.period(3), 6283, 0);
}

TEST_CASE("chapter 5: the phase of pair k advances by omega k per token") {
  const double omega[] = {1, 0.1, 0.01, 0.001};
  const auto codes = Sinusoidal<double>(8).encode(100);
  for (Index p = 0; p + 1 < 100; ++p) {
    for (Index k = 0; k < 4; ++k) {
      const double s = codes(p, 2 * k), c = codes(p, 2 * k + 1), next_s = codes(p + 1, 2 * k),
                   next_c = codes(p + 1, 2 * k + 1);
      CHECK_THAT(std::atan2(next_s * c - next_c * s, next_c * c + next_s * s), WithinAbs(omega[k], 2e-15));
    }
  }
}

TEMPLATE_TEST_CASE("chapter 5: h is the embedding times the square root of d plus PE", "", float, double) {
  for (const Index d : {8, 64}) {
    const Rows<TestType> e = random_rows<TestType>(20, d);
    Rows<TestType> h = e;
    const Sinusoidal<TestType> sinusoidal(d);
    const double scale = std::sqrt(static_cast<double>(d));
    sinusoidal.add_to(h, 3, scale);
    const std::vector<int> positions{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22};
    const Rows<double> expected =
        scale * e.template cast<double>() + sinusoidal.encode(positions).template cast<double>();
    CHECK((h.template cast<double>() - expected).cwiseAbs().maxCoeff() <= 4 * scale * rounding<TestType>);
  }
}

// --- 6. A small numerical example of the sinusoidal formula ----------------------------------------------------

TEMPLATE_TEST_CASE("chapter 6: PE of 0 and 1 and 2 for d = 8 has the four decimals of the table", "", float, double) {
  const auto codes = Sinusoidal<TestType>(8).encode(3);
  const std::vector<double> at_0{0, 1, 0, 1, 0, 1, 0, 1};
  for (Index j = 0; j < 8; ++j) CHECK(static_cast<double>(codes(0, j)) == at_0[static_cast<std::size_t>(j)]);
  check_printed_row(codes.row(1), {0.8415, 0.5403, 0.0998, 0.9950, 0.0100, 1.0000, 0.0010, 1.0000}, 4);
  check_printed_row(codes.row(2), {0.9093, -0.4161, 0.1987, 0.9801, 0.0200, 0.9998, 0.0020, 1.0000}, 4);
}

/// The embeddings of "the cat sat".
template <class T>
Rows<T> the_cat_sat() {
  Rows<T> e(3, 8);
  e << T(0.2), T(-0.1), T(0.4), T(0.3), T(-0.2), T(0.5), T(0.1), T(-0.3),  //
      T(-0.4), T(0.7), T(0.1), T(-0.2), T(0.6), T(-0.1), T(0.3), T(0.2),   //
      T(0.5), T(0.2), T(-0.3), T(0.1), T(0.2), T(0.4), T(-0.5), T(0.6);
  return e;
}

TEMPLATE_TEST_CASE("chapter 6: the cat sat becomes the three rows of the table", "", float, double) {
  Rows<TestType> h = the_cat_sat<TestType>();
  Sinusoidal<TestType>(8).add_to(h);
  check_printed_row(h.row(0), {0.2, 0.9, 0.4, 1.3, -0.2, 1.5, 0.1, 0.7}, 7);  // whole tenths: to nearly all of a float
  check_printed_row(h.row(1), {0.4415, 1.2403, 0.1998, 0.7950, 0.6100, 0.9000, 0.3010, 1.2000}, 4);
  check_printed_row(h.row(2), {1.4093, -0.2161, -0.1013, 1.0801, 0.2200, 1.3998, -0.4980, 1.6000}, 4);
}

TEST_CASE("chapter 6: cat moved from position 1 to 2 keeps its embedding and receives another PE") {
  const Rows<double> cat = the_cat_sat<double>().row(1);
  Rows<double> at_1 = cat, at_2 = cat;
  const Sinusoidal<double> sinusoidal(8);
  sinusoidal.add_to(at_1, 1);
  sinusoidal.add_to(at_2, 2);
  const auto codes = sinusoidal.encode(3);
  CHECK((at_1 - cat - codes.row(1)).cwiseAbs().maxCoeff() <= 4 * rounding<double>);
  CHECK((at_2 - cat - codes.row(2)).cwiseAbs().maxCoeff() <= 4 * rounding<double>);
  CHECK((codes.row(2) - codes.row(1)).norm() > 0.9);
}

TEST_CASE("chapter 6: with d = 64 all of the 64 coordinates take part in the addition") {
  Rows<double> cat = random_rows<double>(1, 64);
  cat.leftCols(4) << 0.12, -0.31, 0.08, 0.44;
  cat.rightCols(2) << -0.07, 0.19;
  Rows<double> h = cat;
  Sinusoidal<double>(64).add_to(h, 1);
  const Frequencies omega = Frequencies::geometric(64);
  REQUIRE(omega.size() == 32);
  for (Index k = 0; k < 32; ++k) {
    CHECK_THAT(h(0, 2 * k) - cat(0, 2 * k), WithinAbs(std::sin(omega[k]), 1e-15));
    CHECK_THAT(h(0, 2 * k + 1) - cat(0, 2 * k + 1), WithinAbs(std::cos(omega[k]), 1e-15));
  }
  CHECK((h.array() > cat.array()).all());
}

// --- 7. Why different frequencies matter -----------------------------------------------------------------------

TEST_CASE("chapter 7: a larger pair index is a lower frequency and a longer period") {
  for (Index d = 4; d <= 256; d += 2) {
    const Frequencies omega = Frequencies::geometric(d);
    const double ratio = std::pow(10000.0, -2.0 / static_cast<double>(d));
    CHECK((0 < ratio && ratio < 1));
    for (Index k = 0; k + 1 < omega.size(); ++k) {
      CHECK_THAT(omega[k + 1] / omega[k], WithinRel(ratio, 1e-14));
      CHECK(omega.period(k + 1) > omega.period(k));
    }
  }
}

TEMPLATE_TEST_CASE("chapter 7: a pair changes by 2 sin omega/2 per token and that is about omega where omega is small",
                   "", float, double) {
  for (const Index d : {8, 64}) {
    const Sinusoidal<TestType> sinusoidal(d);
    for (const Position start : {Position{0}, Position{1000}, Position{1} << 30}) {
      const std::vector<Position> positions{start, start + 1};
      const Rows<double> codes = sinusoidal.encode(positions).template cast<double>();
      for (Index k = 0; k < d / 2; ++k) {
        const double omega = sinusoidal.frequencies()[k];
        const double step = (codes.row(1) - codes.row(0)).segment(2 * k, 2).norm();
        CHECK_THAT(step, WithinAbs(2 * std::abs(std::sin(omega / 2)), 3 * sine_error<TestType>));
        CHECK(std::abs(step - omega) <= omega * omega * omega / 24 + 3 * sine_error<TestType>);
      }
    }
  }
}

TEMPLATE_TEST_CASE("chapter 7: for d = 8 pair 0 changes by 0.959 per step and pair 3 by 0.001", "", float, double) {
  const auto codes = Sinusoidal<TestType>(8).encode(100);
  for (Index p = 0; p + 1 < 100; ++p) {
    const Rows<TestType> change = codes.row(p + 1) - codes.row(p);
    check_printed(change.leftCols(2).norm(), 0.959, 3);
    check_printed(change.rightCols(2).norm(), 0.001, 3);
    CHECK_THAT(static_cast<double>(change.rightCols(2).norm()), WithinAbs(0.001, 1e-9 + 3 * sine_error<TestType>));
  }
}

TEMPLATE_TEST_CASE("chapter 7: every pair has norm 1 whatever its frequency and position", "", float, double) {
  const std::vector<Position> positions{0, 1, 2, 50, 2047, 131072, 16777217, 1000000000, Position{1} << 40, -7};
  for (const Index d : {8, 64, 128}) {
    const Rows<double> codes = Sinusoidal<TestType>(d).encode(positions).template cast<double>();
    for (Index i = 0; i < codes.rows(); ++i) {
      for (Index k = 0; k < d / 2; ++k) {
        CHECK_THAT(codes.row(i).segment(2 * k, 2).norm(), WithinAbs(1.0, 1.5 * sine_error<TestType>));
      }
    }
  }
}

TEST_CASE("chapter 7: a larger d packs more frequencies between the fast and the slow end") {
  const Frequencies few = Frequencies::geometric(8), many = Frequencies::geometric(64);
  CHECK(few.size() == 4);
  CHECK(many.size() == 32);
  CHECK((few[0] == 1 && many[0] == 1));
  for (Index k = 0; k < 4; ++k) CHECK_THAT(many[8 * k], WithinRel(few[k], 1e-15));  // seven more after each of the four
  CHECK(many[31] > 1e-4);
}

TEST_CASE("chapter 7: for d = 64 omega 31 is 1.33e-4 and the periods go from about 6 to about 47100 tokens") {
  const Frequencies omega = Frequencies::geometric(64);
  CHECK(omega[0] == 1.0);
  CHECK_THAT(omega[31], WithinAbs(1.33e-4, 0.005e-4));
  check_printed(omega.period(0), 6, 0);
  CHECK_THAT(omega.period(31), WithinAbs(47100, 50));
}

TEMPLATE_TEST_CASE("chapter 7: the lab's curve is the score of a unit pair with itself an offset away", "", float,
                   double) {
  const Rope<TestType> rope(Frequencies::geometric(64), PairLayout::interleaved);
  for (Index k = 0; k < 32; ++k) {
    const Row unit = Row::Unit(64, 2 * k);
    for (Position offset = 0; offset <= 50; ++offset) {
      const double score = rotated(rope, unit, 5).dot(rotated(rope, unit, 5 + offset));
      CHECK_THAT(score, WithinAbs(std::cos(rope.frequencies()[k] * static_cast<double>(offset)),
                                  4 * sine_error<TestType> + 1e-14));
    }
  }
}

// --- 8. Why sine and cosine are paired together ----------------------------------------------------------------

TEST_CASE("chapter 8: two positions can share a sine and still differ in the cosine") {
  // 1 and 5 steps of 30 degrees: the sine is 1/2 at both.
  const auto codes =
      Sinusoidal<double>(Frequencies::from_values(std::vector<double>{pi / 6}), SinCosOrder::interleaved).encode(6);
  CHECK_THAT(codes(1, 0), WithinAbs(0.5, 1e-15));
  CHECK_THAT(codes(5, 0), WithinAbs(0.5, 1e-15));
  CHECK_THAT(codes(1, 1) - codes(5, 1), WithinAbs(std::sqrt(3.0), 2e-15));
}

TEMPLATE_TEST_CASE("chapter 8: moving on by phi multiplies cosine and sine by the rotation matrix of phi", "", float,
                   double) {
  const Frequencies omega = Frequencies::geometric(8);
  const Rope<TestType> rope(omega, PairLayout::half);
  const Sinusoidal<TestType> points(omega, SinCosOrder::cos_sin);  // x and y of four points on the circle
  const auto codes = points.encode(200);
  for (const Position by : {1, 7, 100}) {
    Rows<TestType> moved = codes.topRows(100), by_matrix = moved;
    rope.shift(moved, by);
    for (Index k = 0; k < 4; ++k) {
      const double phi = omega[k] * static_cast<double>(by);
      Eigen::Matrix2d matrix;
      matrix << std::cos(phi), -std::sin(phi), std::sin(phi), std::cos(phi);
      for (Index p = 0; p < 100; ++p) {
        const Eigen::Vector2d point(static_cast<double>(codes(p, k)), static_cast<double>(codes(p, k + 4)));
        const Eigen::Vector2d turned = matrix * point;
        by_matrix(p, k) = static_cast<TestType>(turned(0));
        by_matrix(p, k + 4) = static_cast<TestType>(turned(1));
      }
    }
    CHECK((moved - by_matrix).cwiseAbs().maxCoeff() <= static_cast<TestType>(4 * sine_error<TestType> + 2e-14));
    CHECK((moved - codes.middleRows(by, 100)).cwiseAbs().maxCoeff() <= static_cast<TestType>(5 * sine_error<TestType>));
  }
}

// --- 9. The phase interpretation -------------------------------------------------------------------------------

TEST_CASE("chapter 9: the phase circle at 0 and pi/2 and pi and 3pi/2 is at 1 0 then 0 1 then -1 0 then 0 -1") {
  const double x[] = {1, 0, -1, 0}, y[] = {0, 1, 0, -1};
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {  // exact as phases
    const posenc::SinCos point = posenc::sin_cos(posenc::Phase{quarter << 62, 0});
    CHECK(point.cosine == x[quarter]);
    CHECK(point.sine == y[quarter]);
  }
  const Sinusoidal<double> code(Frequencies::from_values(std::vector<double>{pi / 2}), SinCosOrder::cos_sin);
  const auto points = code.encode(8);  // two cycles; the double nearest to pi/2 is 6e-17 short of it
  for (Index p = 0; p < 8; ++p) {
    CHECK_THAT(points(p, 0), WithinAbs(x[p % 4], 1e-15));
    CHECK_THAT(points(p, 1), WithinAbs(y[p % 4], 1e-15));
  }
}

TEST_CASE("chapter 9: the phase is omega p so an offset of positions is a difference of phases") {
  for (const double omega : {1.0, 0.1, pi / 6, 1.33e-4}) {
    const posenc::Step step = posenc::step_of(omega);
    for (const Position m : {Position{0}, Position{1}, Position{-5}, Position{1} << 40}) {
      for (const Position n : {Position{0}, Position{2}, Position{9}, (Position{1} << 40) + 1}) {
        CHECK(phase_of(step, n) - phase_of(step, m) == phase_of(step, n - m));
      }
    }
    const posenc::SinCos point = sin_cos(phase_of(step, Position{3}));
    CHECK_THAT(point.sine, WithinAbs(std::sin(3 * omega), 1e-15));
    CHECK_THAT(point.cosine, WithinAbs(std::cos(3 * omega), 1e-15));
  }
}

// --- 10. Why relative distance matters -------------------------------------------------------------------------

TEMPLATE_TEST_CASE("chapter 10: the dot product of two phase vectors is the cosine of omega times their offset", "",
                   float, double) {
  for (const double omega : {1.0, 0.1, 0.001}) {
    const Sinusoidal<TestType> code(Frequencies::from_values(std::vector<double>{omega}), SinCosOrder::cos_sin);
    for (const Position far : {Position{0}, Position{1000000}, Position{1000000000}}) {
      std::vector<Position> positions(60);
      for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = far + static_cast<Position>(i);
      const Rows<double> codes = code.encode(positions).template cast<double>();
      for (Index m = 0; m < 60; ++m) {
        for (Index n = 0; n < 60; ++n) {
          const double expected = std::cos(omega * static_cast<double>(m - n));
          REQUIRE_THAT(codes.row(m).dot(codes.row(n)), WithinAbs(expected, 3 * sine_error<TestType> + 2e-15));
        }
      }
    }
  }
}

// --- 11. The complex-number view -------------------------------------------------------------------------------

TEST_CASE("chapter 11: a code is e to the i omega p and the product of two codes is the code of the summed positions") {
  const double omega = 0.1;
  const auto codes =
      Sinusoidal<double>(Frequencies::from_values(std::vector<double>{omega}), SinCosOrder::cos_sin).encode(100);
  const auto z = [&](Index p) { return std::complex<double>(codes(p, 0), codes(p, 1)); };
  for (Index a = 0; a < 50; ++a) {
    CHECK(std::abs(z(a) - std::polar(1.0, omega * static_cast<double>(a))) <= 2e-15);
    for (Index b = 0; b < 50; ++b) CHECK(std::abs(z(a) * z(b) - z(a + b)) <= 2e-15);
    for (Index b = 0; b <= a; ++b) CHECK(std::abs(z(a) * std::conj(z(b)) - z(a - b)) <= 2e-15);  // relative offset
  }
}

TEMPLATE_TEST_CASE("chapter 11: RoPE multiplies the complex number of every interleaved pair by e to the i omega p", "",
                   float, double) {
  const Index d = 64;
  const Frequencies omega = Frequencies::geometric(d);
  Rows<TestType> x = random_rows<TestType>(100, d);
  const Rows<TestType> before = x;
  Rope<TestType>(omega, PairLayout::interleaved).rotate(x);
  for (Index p = 0; p < 100; ++p) {
    for (Index k = 0; k < d / 2; ++k) {
      const auto z = [&](const Rows<TestType>& rows) {
        return std::complex<double>(std::complex<TestType>(rows(p, 2 * k), rows(p, 2 * k + 1)));
      };
      const std::complex<double> product = z(before) * std::polar(1.0, omega[k] * static_cast<double>(p));
      REQUIRE(std::abs(z(x) - product) <= 4 * sine_error<TestType> + 2e-14);
    }
  }
}

// --- 12. The generalization to RoPE ----------------------------------------------------------------------------

TEST_CASE("chapter 12: RoPE turns 32 separate planes of 64 coordinates each by its own frequency") {
  const Rope<double> rope = rope_of(Frequencies::geometric(64));
  for (Index j = 0; j < 64; ++j) {
    const Row turned = rotated(rope, Row::Unit(64, j), 3);
    REQUIRE(turned.size() == 64);
    const Index k = j / 2;
    const double t = 3 * rope.frequencies()[k], c = std::cos(t), s = std::sin(t);
    for (Index i = 0; i < 64; ++i) {
      // The columns of the rotation matrix: (c, s) for the first coordinate of a pair, (-s, c) for the second.
      const double expected = i / 2 != k ? 0 : i == j ? c : j % 2 == 0 ? s : -s;
      CHECK_THAT(turned(i), WithinAbs(expected, i / 2 != k ? 0.0 : 1e-15));
    }
  }
}

TEMPLATE_TEST_CASE("chapter 12: a rotated pair keeps its length and turns on by omega k from p to p+1", "", float,
                   double) {
  const Rope<TestType> rope(Frequencies::geometric(64), PairLayout::interleaved);
  const Row x = random_rows<TestType>(1, 64).template cast<double>();
  for (const Position p : {Position{0}, Position{1}, Position{500}, Position{1000000000}}) {
    const Row here = rotated(rope, x, p), next = rotated(rope, x, p + 1);
    for (Index k = 0; k < 32; ++k) {
      const Eigen::Vector2d a = here.segment(2 * k, 2), b = next.segment(2 * k, 2);
      const double length = x.segment(2 * k, 2).norm();
      CHECK_THAT(a.norm(), WithinAbs(length, length * (3 * sine_error<TestType>)));
      CHECK_THAT(std::atan2(a(0) * b(1) - a(1) * b(0), a.dot(b)),
                 WithinAbs(rope.frequencies()[k], 6 * sine_error<TestType>));
    }
  }
}

TEMPLATE_TEST_CASE("chapter 12: a shift shared by query and key leaves their score", "", float, double) {
  for (const PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
    const Rope<TestType> rope(Frequencies::geometric(64), layout);
    const Row q = random_rows<TestType>(1, 64, 1).template cast<double>();
    const Row k = random_rows<TestType>(1, 64, 2).template cast<double>();
    const Position m = 3, n = 10;
    const double score = rotated(rope, q, m).dot(rotated(rope, k, n)),
                 allowed = 8 * sine_error<TestType> * q.norm() * k.norm();
    for (const Position c : {Position{1}, Position{-3}, Position{1000}, Position{1000000}, Position{1000000000}}) {
      CHECK_THAT(rotated(rope, q, m + c).dot(rotated(rope, k, n + c)), WithinAbs(score, allowed));
    }
    CHECK(std::abs(rotated(rope, q, m).dot(rotated(rope, k, n + 1)) - score) >
          0.01);  // while another offset changes it
    // Only n - m matters: the query may stay where it is and the key be turned by the offset.
    CHECK_THAT(q.dot(rotated(rope, k, n - m)), WithinAbs(score, allowed));
    CHECK_THAT(rotated(rope, q, m - n).dot(k), WithinAbs(score, allowed));
  }
}

TEMPLATE_TEST_CASE("chapter 12: cat at 1 and sat at 2 score 4.964 and so they do at 8 and 9 and a billion later", "",
                   float, double) {
  const Rope<TestType> rope(Frequencies::from_values(std::vector<double>{pi / 6}), PairLayout::interleaved);
  const Row cat = Eigen::RowVector2d(1, 2), sat = Eigen::RowVector2d(2, 1);
  check_printed_row(rotated(rope, cat, 1).template cast<TestType>(), {-0.134, 2.232}, 3);
  check_printed_row(rotated(rope, sat, 2).template cast<TestType>(), {0.134, 2.232}, 3);

  const double exact = 2 * std::sqrt(3.0) + 1.5;  // q . R(30 degrees) k
  check_printed(static_cast<TestType>(exact), 4.964, 3);
  for (const Position m : {Position{1}, Position{8}, Position{1000000001}}) {
    const Row q = rotated(rope, cat, m), k = rotated(rope, sat, m + 1);
    check_printed(static_cast<TestType>(q.dot(k)), 4.964, 3);
    CHECK_THAT(q.dot(k), WithinAbs(exact, 20 * sine_error<TestType>));
    if (m == 8) CHECK((q - rotated(rope, cat, 1)).norm() > 4);  // turned to nearly the other side of the circle
  }
  check_printed(static_cast<TestType>(cat.dot(rotated(rope, sat, 2 - 1))), 4.964, 3);
}

TEST_CASE("chapter 12: the score of a head of 64 is the sum of its 32 pairs over the root of 64") {
  const Frequencies omega = Frequencies::geometric(64);
  const Row q = random_rows<double>(1, 64, 3), k = random_rows<double>(1, 64, 4);
  double sum = 0;
  for (Index pair = 0; pair < 32; ++pair) {
    const Rope<double> one = rope_of(Frequencies::from_values(std::vector<double>{omega[pair]}));
    sum += rotated(one, q.segment(2 * pair, 2), 7).dot(rotated(one, k.segment(2 * pair, 2), 12));
  }
  const Rope<double> rope = rope_of(omega);
  CHECK_THAT(rotated(rope, q, 7).dot(rotated(rope, k, 12)) / std::sqrt(64.0), WithinAbs(sum / 8, 1e-14));
}

TEMPLATE_TEST_CASE("chapter 12: a fixed offset is one linear transformation of the sinusoidal code at every position",
                   "", float, double) {
  const Index d = 64, offset = 17;
  const auto codes = Sinusoidal<TestType>(d).encode(1000);
  // The matrix is found from the first rows of the ladder's planes alone; here RoPE's, with sine and cosine read as (y, x).
  Rows<TestType> moved = codes.topRows(1000 - offset);
  Rope<TestType>(Frequencies::geometric(d), PairLayout::interleaved).shift(moved, -offset);
  CHECK((moved - codes.bottomRows(1000 - offset)).cwiseAbs().maxCoeff() <=
        static_cast<TestType>(5 * sine_error<TestType>));
}

template <class Encoder, class = void>
constexpr bool has_parameters = false;
template <class Encoder>
constexpr bool has_parameters<Encoder, std::void_t<decltype(std::declval<Encoder>().parameter_count())>> = true;

TEST_CASE("chapter 12: a learned table of 2048 x 768 has 1572864 parameters and sinusoidal codes and RoPE have none") {
  CHECK(LearnedPositions<float>(Rows<float>::Zero(2048, 768)).parameter_count() == 1572864);
  CHECK(!has_parameters<Sinusoidal<float>>);
  CHECK(!has_parameters<Rope<float>>);
  // What they do follows from d and base: two made apart do the same.
  CHECK(Sinusoidal<float>(768).encode(100) ==
        Sinusoidal<float>(Frequencies::geometric(768), SinCosOrder::interleaved).encode(100));
  Rows<float> a = random_rows<float>(100, 64), b = a;
  Rope<float>(Frequencies::geometric(64, 10000.0), PairLayout::interleaved).rotate(a);
  Rope<float>(Frequencies::geometric(64), PairLayout::interleaved).rotate(b);
  CHECK(a == b);
}

TEST_CASE("chapter 12: training updates row p of a learned table just like an embedding row") {
  const Rows<double> table = random_rows<double>(16, 4), e = random_rows<double>(3, 4, 2),
                     gradient = random_rows<double>(3, 4, 3);
  const LearnedPositions<double> learned(table);
  const std::vector<int> positions{5, 6, 5};
  Rows<double> h = e, update = Rows<double>::Zero(16, 4);
  learned.add_to(h, positions);
  for (Index i = 0; i < 3; ++i) CHECK(h.row(i) == e.row(i) + table.row(positions[static_cast<std::size_t>(i)]));
  learned.accumulate_gradient(update, gradient, positions);
  for (Index p = 0; p < 16; ++p) {
    Row expected = Row::Zero(4);
    if (p == 5) expected = gradient.row(0) + gradient.row(2);
    if (p == 6) expected = gradient.row(1);
    CHECK(update.row(p) == expected);
  }
}

/// The chapter's NumPy function, line by line.
template <class Real>
Rows<Real> apply_rope(const Rows<Real>& x, const std::vector<Real>& positions, Real base = 10000) {
  const Index sequence_length = x.rows(), head_dimension = x.cols();
  Rows<Real> result(sequence_length, head_dimension);
  for (Index p = 0; p < sequence_length; ++p) {
    for (Index k = 0; k < head_dimension / 2; ++k) {
      const Real omega = std::pow(base, static_cast<Real>(-2 * k) / static_cast<Real>(head_dimension));
      const Real angle = positions[static_cast<std::size_t>(p)] * omega;
      const Real even = x(p, 2 * k), odd = x(p, 2 * k + 1);
      result(p, 2 * k) = even * std::cos(angle) - odd * std::sin(angle);
      result(p, 2 * k + 1) = even * std::sin(angle) + odd * std::cos(angle);
    }
  }
  return result;
}

/// DESIGN.md's bound for a rotated value, and what the angles of the translation itself may be off, which matters where
/// long double is double.
template <class T>
void check_like_numpy(const Rows<T>& found, const Rows<T>& x, const std::vector<long double>& positions,
                      long double base) {
  using Real = long double;
  const Rows<Real> expected = apply_rope<Real>(x.template cast<Real>(), positions, base);
  for (Index p = 0; p < x.rows(); ++p) {
    const Real angle = std::abs(positions[static_cast<std::size_t>(p)]) * 4 * std::numeric_limits<Real>::epsilon();
    for (Index j = 0; j < x.cols(); ++j) {
      const Real size = std::abs(Real(x(p, j))) + std::abs(Real(x(p, j ^ 1)));
      const Real allowed = (Real(sine_error<T>) + angle) * size + Real(rounding<T>) * std::abs(expected(p, j));
      INFO("d " << x.cols() << " row " << p << " coordinate " << j);
      REQUIRE(std::abs(Real(found(p, j)) - expected(p, j)) <= allowed);
    }
  }
}

TEMPLATE_TEST_CASE("chapter 12: the NumPy function gives the same rows for random input", "", float, double) {
  for (const Index d : {2, 8, 34, 64, 128}) {
    for (const double base : {10000.0, 500000.0, 37.5}) {
      const Rope<TestType> rope(Frequencies::geometric(d, base), PairLayout::interleaved);
      const Rows<TestType> x = random_rows<TestType>(100, d, static_cast<unsigned>(d));
      std::vector<long double> in_order, scattered;
      std::vector<int> list;
      for (int p = 0; p < 100; ++p) {
        in_order.push_back(p);
        list.push_back(p * 7919 % 4001 - 50);
        scattered.push_back(list.back());
      }
      Rows<TestType> turned = x;
      rope.rotate(turned);
      check_like_numpy<TestType>(turned, x, in_order, static_cast<long double>(base));
      turned = x;
      rope.rotate(turned, list);
      check_like_numpy<TestType>(turned, x, scattered, static_cast<long double>(base));
    }
  }
}

TEMPLATE_TEST_CASE("chapter 12: the NumPy lines from H to the scores give the same scores", "", float, double) {
  const Index tokens = 12, d = 64;
  const Rows<TestType> H = random_rows<TestType>(tokens, 96, 5);
  Rows<TestType> Q = H.lazyProduct(random_rows<TestType>(96, d, 6)), K = H.lazyProduct(random_rows<TestType>(96, d, 7));
  std::vector<double> positions;
  for (int p = 0; p < tokens; ++p) positions.push_back(p);
  const Rows<double> Q_rope = apply_rope<double>(Q.template cast<double>(), positions);
  const Rows<double> K_rope = apply_rope<double>(K.template cast<double>(), positions);
  const Rows<double> expected = Q_rope.lazyProduct(K_rope.transpose()) / std::sqrt(static_cast<double>(d));

  const Rope<TestType> rope(Frequencies::geometric(d), PairLayout::interleaved);
  rope.rotate(Q);
  rope.rotate(K);
  const Rows<double> scores =
      Q.template cast<double>().lazyProduct(K.template cast<double>().transpose()) / std::sqrt(static_cast<double>(d));
  const double size =
      Q_rope.rowwise().norm().maxCoeff() * K_rope.rowwise().norm().maxCoeff() / std::sqrt(static_cast<double>(d));
  CHECK((scores - expected).cwiseAbs().maxCoeff() <= size * (4 * sine_error<TestType> + 1e-14));
  CHECK(expected.cwiseAbs().maxCoeff() > size / 8);
}

}  // namespace
