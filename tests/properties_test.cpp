#include <posenc/properties.hpp>

#include <posenc/learned.hpp>
#include <posenc/linear_index.hpp>
#include <posenc/rope.hpp>
#include <posenc/sinusoidal.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using posenc::Index;
using posenc_test::contains;

namespace {

Eigen::MatrixXd random_codes(Index rows, Index cols, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&](Index, Index) { return uniform(random); });
}

/// The encoder of a reader of the chapter: its toy offsets [1 0], [0 1], [-1 0], [0 -1], and round again.
struct QuarterTurns {
  Eigen::MatrixXi encode(Index count) const {
    const Eigen::RowVector2i turn[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    Eigen::MatrixXi codes(count, 2);
    for (Index p = 0; p < count; ++p) codes.row(p) = turn[p % 4];
    return codes;
  }
};

}  // namespace

// --- Definition ----------------------------------------------------------------------------------------------

TEST_CASE("the three properties are what their definitions give in plain loops") {
  const Index rows = 23, cols = 5;
  const Eigen::MatrixXd codes = random_codes(rows, cols, 1);
  const auto distance = [&](Index m, Index n) {
    long double sum = 0;
    for (Index j = 0; j < cols; ++j) sum += std::pow(static_cast<long double>(codes(m, j)) - codes(n, j), 2);
    return std::sqrt(sum);
  };
  long double least = 100, longest = 0, widest = 0, scale = 0;
  Index first = 0, second = 0, step = 0, offset = 0;
  for (Index m = 0; m < rows; ++m) {
    for (Index n = m + 1; n < rows; ++n) {
      if (distance(m, n) < least) least = distance(first = m, second = n);
    }
    if (m + 1 < rows && distance(m, m + 1) > longest) longest = distance(step = m, m + 1);
  }
  for (Index o = 0; o < rows; ++o) {
    long double low = 100, high = -100;
    for (Index m = 0; m + o < rows; ++m) {
      long double product = 0;
      for (Index j = 0; j < cols; ++j) product += static_cast<long double>(codes(m, j)) * codes(m + o, j);
      low = std::min(low, product);
      high = std::max(high, product);
      scale = std::max(scale, std::abs(product));
    }
    if (high - low > widest) {
      widest = high - low;
      offset = o;
    }
  }

  const auto distinct = posenc::distinctness(codes);
  CHECK_THAT(distinct.distance, WithinRel(static_cast<double>(least), 1e-14));
  CHECK(distinct.first == first);
  CHECK(distinct.second == second);
  const auto continuous = posenc::continuity(codes);
  CHECK_THAT(continuous.distance, WithinRel(static_cast<double>(longest), 1e-14));
  CHECK(continuous.position == step);
  const auto relative = posenc::relative_structure(codes);
  CHECK_THAT(relative.spread, WithinRel(static_cast<double>(widest), 1e-14));
  CHECK(relative.offset == offset);
  CHECK_THAT(relative.scale, WithinRel(static_cast<double>(scale), 1e-14));
  CHECK(relative.relative() == relative.spread / relative.scale);
}

TEST_CASE("the scale of relative structure is the largest magnitude though an inner product be negative") {
  Eigen::MatrixXd codes(2, 1);
  codes << 2, -3;
  const auto relative = posenc::relative_structure(codes);
  CHECK(relative.spread == 5);  // offset 0: 4 and 9; offset 1: -6 alone
  CHECK(relative.offset == 0);
  CHECK(relative.scale == 9);
  CHECK(relative.relative() == 5.0 / 9.0);
}

TEST_CASE("places of the smallest and the largest distance are found at the ends of the codes too") {
  for (Index place = 0; place < 12; ++place) {
    Eigen::MatrixXd codes(13, 1);
    for (Index p = 0; p < 13; ++p) codes(p, 0) = static_cast<double>(2 * p);
    codes.bottomRows(12 - place).array() += 3;  // the step from place to place + 1 is longer
    const auto longest = posenc::continuity(codes);
    CHECK(longest.position == place);
    CHECK(longest.distance == 5);
    codes.bottomRows(12 - place).array() -= 4;  // and now shorter
    const auto closest = posenc::distinctness(codes);
    CHECK(closest.first == place);
    CHECK(closest.second == place + 1);
    CHECK(closest.distance == 1);
  }
}

// --- Published values: the chapter ------------------------------------------------------------------------------

TEST_CASE("chapter: the pairs of d = 8 step by 0.959 and 0.001 and in full by 2 sin omega/2") {
  const Eigen::MatrixXd codes = posenc::Sinusoidal<double>(8).encode(1000);
  const double omega[] = {1, 0.1, 0.01, 0.001}, printed[] = {0.959, 0.100, 0.010, 0.001};
  for (Index k = 0; k < 4; ++k) {
    const double step = posenc::continuity(codes.middleCols(2 * k, 2)).distance;
    CHECK_THAT(step, WithinAbs(2 * std::sin(omega[k] / 2), 1e-15));
    CHECK_THAT(step, WithinAbs(printed[k], 0.0005));
  }
}

TEST_CASE("chapter: over offsets to 131072 codes of d = 2 come as close as 1.91e-5 and of d = 8 only 0.0353") {
  const auto two = posenc::distinctness_by_offset(posenc::Sinusoidal<double>(2), 131073);
  CHECK_THAT(two.distance, WithinAbs(1.91e-5, 0.005e-5));
  CHECK(two.first == 0);
  CHECK(two.second == 103993);  // 103993 / 33102 is a convergent of pi
  const auto eight = posenc::distinctness_by_offset(posenc::Sinusoidal<double>(8), 131073);
  CHECK_THAT(eight.distance, WithinAbs(0.0353, 0.00005));
  CHECK(eight.second == 100531);
  // The same places are found in float codes, whose entries are right to 1.5e-7.
  CHECK(posenc::distinctness_by_offset(posenc::Sinusoidal<float>(2), 131073).second == 103993);
  CHECK(posenc::distinctness_by_offset(posenc::Sinusoidal<float>(8), 131073).second == 100531);
}

TEST_CASE(
    "chapter: the linear index is distinct and even but has no relative structure where the sinusoidal code has") {
  const Index count = 200;
  const posenc::LinearIndex<double> linear(8, 0.25);
  const posenc::Sinusoidal<double> sinusoidal(8);
  // Both are distinct and continuous ...
  CHECK_THAT(posenc::distinctness(linear, count).distance, WithinRel(0.25 * std::sqrt(8.0), 1e-15));
  CHECK_THAT(posenc::continuity(linear, count).distance, WithinRel(0.25 * std::sqrt(8.0), 1e-15));
  CHECK(posenc::distinctness(sinusoidal, count).distance > 0.1);
  CHECK(posenc::continuity(sinusoidal, count).distance < 1);
  // ... but the inner products of the one depend on the offset alone, those of the other on anything but it.
  const auto of_phases = posenc::relative_structure(sinusoidal, count);
  CHECK(of_phases.relative() < 1e-15);
  CHECK_THAT(of_phases.scale, WithinRel(4.0, 1e-15));  // every pair has length 1
  const auto of_index = posenc::relative_structure(linear, count);
  CHECK(of_index.relative() == 1);
  CHECK(of_index.offset == 0);
  CHECK_THAT(of_index.scale, WithinRel(8 * std::pow(0.25 * (count - 1), 2), 1e-15));  // grows without bound
}

TEST_CASE("chapter: the toy offsets are four codes and then the first one again") {
  CHECK_THAT(posenc::distinctness(QuarterTurns(), 4).distance, WithinRel(std::sqrt(2.0), 1e-15));
  const auto closest = posenc::distinctness(QuarterTurns(), 6);
  CHECK(closest.distance == 0);
  CHECK(closest.first == 0);
  CHECK(closest.second == 4);
  CHECK(posenc::distinctness_by_offset(QuarterTurns(), 6).second == 4);
  CHECK_THAT(posenc::continuity(QuarterTurns(), 9).distance, WithinRel(std::sqrt(2.0), 1e-15));
  CHECK(posenc::relative_structure(QuarterTurns(), 9).spread == 0);
}

// --- Laws ----------------------------------------------------------------------------------------------------

TEST_CASE("distances of phases depend on the offset alone so one row against all others finds the closest two") {
  for (const Index dim : {2, 4, 8, 10, 64}) {
    const Eigen::MatrixXd codes = posenc::Sinusoidal<double>(dim).encode(300);
    CHECK_THAT(posenc::distinctness_by_offset(codes).distance, WithinAbs(posenc::distinctness(codes).distance, 1e-15));
  }
}

TEST_CASE("a sine without its cosine loses relative structure") {
  const Eigen::MatrixXd codes = posenc::Sinusoidal<double>(9).encode(100);  // the last pair is a sine alone
  CHECK(posenc::relative_structure(codes.leftCols(8)).relative() < 1e-15);
  CHECK(posenc::relative_structure(codes).relative() > 1e-4);
}

TEST_CASE("a vector turned by RoPE to every position has relative structure and a learned table has none") {
  Eigen::MatrixXd rows = random_codes(1, 64, 2).replicate(100, 1);
  posenc::Rope<double>(posenc::Frequencies::geometric(64), posenc::PairLayout::half).rotate(rows);
  CHECK(posenc::relative_structure(rows).relative() < 1e-14);
  const posenc::LearnedPositions<double> learned(random_codes(100, 64, 3));
  CHECK(posenc::relative_structure(learned, 100).relative() > 0.1);
}

TEST_CASE("scaling codes scales distances by the factor and inner products by its square") {
  const Eigen::MatrixXd codes = random_codes(20, 6, 4), scaled = 8 * codes;
  CHECK(posenc::distinctness(scaled).distance == 8 * posenc::distinctness(codes).distance);
  CHECK(posenc::distinctness_by_offset(scaled).distance == 8 * posenc::distinctness_by_offset(codes).distance);
  CHECK(posenc::continuity(scaled).distance == 8 * posenc::continuity(codes).distance);
  CHECK(posenc::relative_structure(scaled).spread == 64 * posenc::relative_structure(codes).spread);
  CHECK(posenc::relative_structure(scaled).relative() == posenc::relative_structure(codes).relative());
}

// --- Edges ---------------------------------------------------------------------------------------------------

TEST_CASE("every form of Eigen data is judged alike") {
  const Eigen::MatrixXf codes = random_codes(30, 6, 5).cast<float>();
  const auto check = [&](const auto& form) {
    const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-14 * std::abs(b); };
    CHECK(same(posenc::distinctness(form).distance, posenc::distinctness(codes).distance));
    CHECK(posenc::distinctness(form).second == posenc::distinctness(codes).second);
    CHECK(same(posenc::distinctness_by_offset(form).distance, posenc::distinctness_by_offset(codes).distance));
    CHECK(same(posenc::continuity(form).distance, posenc::continuity(codes).distance));
    CHECK(same(posenc::relative_structure(form).spread, posenc::relative_structure(codes).spread));
  };
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  check(RowMajor(codes));
  check(codes.array());
  check(Eigen::ArrayXXf(codes));
  check(Eigen::MatrixXd(codes.cast<double>()));
  check(codes.cast<double>());  // an expression
  Eigen::MatrixXf inside = Eigen::MatrixXf::Constant(34, 10, 99);
  inside.block(2, 3, 30, 6) = codes;
  check(inside.block(2, 3, 30, 6));
  check(Eigen::Ref<const Eigen::MatrixXf>(inside.block(2, 3, 30, 6)));
  check(Eigen::Map<const Eigen::MatrixXf, 0, Eigen::OuterStride<>>(&inside(2, 3), 30, 6, Eigen::OuterStride<>(34)));
  const Eigen::VectorXf ones = Eigen::VectorXf::Ones(6), sums = codes * ones;
  CHECK(posenc::distinctness(codes * ones).distance ==
        posenc::distinctness(sums).distance);  // a product, evaluated once
}

TEST_CASE("half precision and integer codes are judged in double") {
  Eigen::Matrix<Eigen::half, Eigen::Dynamic, Eigen::Dynamic> half(3, 1);
  half << Eigen::half(60000.f), Eigen::half(-60000.f), Eigen::half(0.f);  // differences and squares overflow in half
  CHECK(posenc::continuity(half).distance == 120000);
  CHECK(posenc::relative_structure(half).scale == 3.6e9);
  Eigen::Matrix<Eigen::bfloat16, 2, 1> brain(Eigen::bfloat16(1.f), Eigen::bfloat16(1.0078125f));
  CHECK(posenc::distinctness(brain).distance == 0.0078125);
  const Eigen::Vector2i whole(2000000000, -2000000000);  // the difference overflows in int
  CHECK(posenc::distinctness(whole).distance == 4e9);
}

TEST_CASE("two rows are enough and one column too") {
  const Eigen::Vector2d codes(1, 4);
  CHECK(posenc::distinctness(codes).distance == 3);
  CHECK(posenc::distinctness_by_offset(codes).second == 1);
  CHECK(posenc::continuity(codes).position == 0);
  CHECK(posenc::relative_structure(codes).spread == 15);
  CHECK(posenc::distinctness(posenc::Sinusoidal<>(2), 2).second == 1);
}

TEST_CASE("codes that are all zero are no code at all but no division by zero either") {
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(4, 3);
  CHECK(posenc::distinctness(zero).distance == 0);
  CHECK(posenc::distinctness(zero).second == 1);
  CHECK(posenc::relative_structure(zero).relative() == 0);
}

TEST_CASE("large codes do not overflow and close ones do not vanish") {
  Eigen::Vector3d codes(1e150, -1e150, 1e150 * (1 - 0x1p-52));
  CHECK_THAT(posenc::continuity(codes).distance, WithinRel(2e150, 1e-15));
  CHECK_THAT(posenc::distinctness(codes).distance, WithinRel(1e150 * 0x1p-52, 0.5));
  codes << 1e-140, 3e-140, 0;
  CHECK_THAT(posenc::distinctness(codes).distance, WithinRel(1e-140, 1e-14));
}

// --- Errors --------------------------------------------------------------------------------------------------

TEST_CASE("fewer than two positions and codes that are no numbers are refused by name") {
  const auto check = [](const std::string& name, auto measure) {
    CHECK_THROWS_WITH(measure(Eigen::MatrixXd(1, 4)),
                      "posenc::" + name + ": codes must have at least 2 rows and 1 column, got 1 x 4");
    CHECK_THROWS_WITH(measure(Eigen::MatrixXd(0, 4)),
                      "posenc::" + name + ": codes must have at least 2 rows and 1 column, got 0 x 4");
    CHECK_THROWS_WITH(measure(Eigen::MatrixXd(3, 0)),
                      "posenc::" + name + ": codes must have at least 2 rows and 1 column, got 3 x 0");
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
      Eigen::MatrixXf codes = Eigen::MatrixXf::Ones(5, 7);
      codes(4, 6) = bad;
      CHECK_THROWS_WITH(measure(codes),
                        contains("posenc::" + name + ": code (4, 6) must be a number within [-1e150, 1e150], got "));
    }
    Eigen::MatrixXd huge = Eigen::MatrixXd::Ones(2, 2);
    huge(0, 1) = -2e150;
    CHECK_THROWS_WITH(measure(huge),
                      "posenc::" + name + ": code (0, 1) must be a number within [-1e150, 1e150], got -2e+150");
    CHECK_THROWS_WITH(measure(huge + huge),
                      "posenc::" + name + ": code (0, 1) must be a number within [-1e150, 1e150], got -4e+150");
  };
  check("distinctness", [](const auto& codes) { return posenc::distinctness(codes); });
  check("distinctness_by_offset", [](const auto& codes) { return posenc::distinctness_by_offset(codes); });
  check("continuity", [](const auto& codes) { return posenc::continuity(codes); });
  check("relative_structure", [](const auto& codes) { return posenc::relative_structure(codes); });

  const posenc::Sinusoidal<> encoder(4);
  CHECK_THROWS_WITH(posenc::distinctness(encoder, 1),
                    "posenc::distinctness: there must be at least 2 positions, got 1");
  CHECK_THROWS_WITH(posenc::distinctness_by_offset(encoder, 0),
                    "posenc::distinctness_by_offset: there must be at least 2 positions, got 0");
  CHECK_THROWS_WITH(posenc::continuity(encoder, -5), "posenc::continuity: there must be at least 2 positions, got -5");
  CHECK_THROWS_WITH(posenc::relative_structure(encoder, 1),
                    "posenc::relative_structure: there must be at least 2 positions, got 1");
}
