// The frequency ladder: omega_k as numbers, and the phases that its steps lead to.

#include <posenc/frequencies.hpp>

#include <array>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"
#include "reference.hpp"

using namespace posenc;
using namespace posenc_test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

Real turns(Phase phase) {
  Real sum;
  for (const std::uint64_t word : {phase.high, phase.low}) {
    sum = sum * two_to(64) + Real(static_cast<std::int64_t>(word >> 1)) * Real(2) + Real(static_cast<int>(word & 1));
  }
  return sum * two_to(-128);
}

/// The largest error, in turns, of the phase of pair k over positions up to 2^40: the ends and random ones.
long double worst_phase_error(const Step& step, const Real& omega, std::mt19937_64& random) {
  const Real true_step = omega / (Real(2) * Real::pi());
  const Position far = Position{1} << 40;
  long double worst = 0;
  for (const Position p : {Position{1}, far, -far, far - 1, static_cast<Position>(random() >> 24),
                           -static_cast<Position>(random() >> 30)}) {
    worst = std::max(worst, off_whole(turns(phase_of(step, p)) - true_step * Real(p)));
  }
  return worst;
}

/// All pairs of a narrow ladder; the ends and some between of a wide one.
std::vector<Index> some_pairs(Index size) {
  std::vector<Index> result;
  for (Index k = 0; k < size; k += (size <= 8 || k >= size - 2 || k < 2) ? 1 : std::max<Index>(1, (size - k) / 3))
    result.push_back(k);
  return result;
}

double relative_error(double found, const Real& truth) {
  return static_cast<double>(to_long_double((Real(found) - truth) / truth));
}

}  // namespace

TEST_CASE("Every omega of the geometric ladder is the nearest double or its neighbour") {
  for (const double base : {1.0, 1.5, 2.0, 1e4, 5e5, 1e12, 1e18}) {
    for (const Index d : {1, 2, 3, 4, 7, 8, 63, 64, 128, 1025}) {
      const Frequencies ladder = Frequencies::geometric(d, base);
      REQUIRE(ladder.size() == (d + 1) / 2);
      REQUIRE(ladder.dim() == d);
      REQUIRE(ladder.attention_factor() == 1.0);
      for (const Index k : some_pairs(ladder.size())) {
        INFO("base " << base << " d " << d << " k " << k);
        CHECK(std::abs(relative_error(ladder[k], omega_of(base, d, k))) <= 0x1p-52);
      }
    }
  }
}

TEST_CASE("The phase of 2^40 positions is right to 2^-60 of a turn on every geometric ladder") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(1);
  for (const double base : {1.0, 1.5, 2.0, 1e4, 5e5, 1e6, 1e12, 1e15, 1e18}) {
    for (const Index d : {1, 2, 3, 4, 5, 8, 9, 31, 64, 128, 255, 1024, 16384}) {
      const Frequencies ladder = Frequencies::geometric(d, base);
      for (const Index k : some_pairs(ladder.size())) {
        INFO("base " << base << " d " << d << " k " << k);
        CHECK(worst_phase_error(ladder.step(k), omega_of(base, d, k), random) <= 0x1p-60L);
      }
    }
  }
}

TEST_CASE("The phase of 2^40 positions is right to 2^-60 of a turn on ladders between two ends") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(2);
  const std::array<std::array<double, 2>, 8> ends = {
      {{1, 1e-4}, {1e-4, 1}, {0.1, 1e-9}, {0x1p32, 1e-8}, {1e-8, 0x1p32}, {0x1p-64, 0.05}, {3, 3}, {0x1p32, 0x1p31}}};
  for (const auto& end : ends) {
    for (const Index pairs : {2, 3, 32, 33, 1000}) {
      const Frequencies ladder = Frequencies::log_spaced(pairs, end[0], end[1]);
      for (const Index k : some_pairs(pairs)) {
        INFO("first " << end[0] << " last " << end[1] << " pairs " << pairs << " k " << k);
        const Real omega = omega_between(end[0], end[1], pairs, k);
        CHECK(worst_phase_error(ladder.step(k), omega, random) <= 0x1p-60L);
        CHECK(std::abs(relative_error(ladder[k], omega)) <= 0x1p-52);
      }
    }
  }
}

#if defined(POSENC_TEST_HAS_JSON)
TEST_CASE("The geometric ladder has the published frequencies") {
  const auto file = oracle("frequencies.json");
  if (!file) return skip("no reference file frequencies.json");
  int cases = 0;
  for (const Json& entry : (*file)["cases"]) {
    if (entry["rope_type"] != "default") continue;
    ++cases;
    const Frequencies ladder =
        Frequencies::geometric(entry["params"]["rotary_dim"].get<Index>(), entry["params"]["base"].get<double>());
    INFO(entry["name"]);
    REQUIRE(ladder.size() == static_cast<Index>(entry["omega"].size()));
    CHECK(static_cast<long double>(ladder.attention_factor()) == number(entry["attention_factor"]));
    for (Index k = 0; k < ladder.size(); ++k) {
      const long double omega = number(entry["omega"][static_cast<std::size_t>(k)]);
      CHECK(std::abs(static_cast<long double>(ladder[k]) - omega) <= 2.3e-16L * omega);
    }
  }
  CHECK(cases == 6);
}
#endif

TEST_CASE("Without a base the ladder is that of the original Transformer") {
  const Frequencies ladder = Frequencies::geometric(8);
  const double expected[] = {1, 0.1, 0.01, 0.001};
  for (Index k = 0; k < 4; ++k) CHECK(ladder[k] == expected[k]);
}

TEST_CASE("A base of 1 gives every pair one radian per position") {
  const Frequencies ladder = Frequencies::geometric(7, 1.0);
  for (Index k = 0; k < ladder.size(); ++k) {
    CHECK(ladder[k] == 1.0);
    CHECK(phase_of(ladder.step(k), Position{12345}) == phase_of(step_of(1.0), Position{12345}));
  }
}

TEST_CASE("A ladder between two ends has both ends as given and equal ratios up and down") {
  for (const double first : {1.0, 0.3, 123.456, 1e-4}) {
    for (const double last : {1e-4, 0.7, 1.0, 99.9}) {
      const Frequencies ladder = Frequencies::log_spaced(9, first, last);
      REQUIRE(ladder.size() == 9);
      REQUIRE(ladder.dim() == 18);
      CHECK(ladder[0] == first);
      CHECK(ladder[8] == last);
      const double ratio = std::pow(last / first, 1 / 8.);
      for (Index k = 1; k < 9; ++k) CHECK(std::abs(ladder[k] / ladder[k - 1] / ratio - 1) < 1e-15);
      const Frequencies turned = Frequencies::log_spaced(9, last, first);
      for (Index k = 0; k < 9; ++k) CHECK(turned[k] == ladder[8 - k]);
    }
  }
  CHECK(Frequencies::log_spaced(1, 0.25, 0.25)[0] == 0.25);
  CHECK(Frequencies::log_spaced(1, 0.25, 0.25).size() == 1);
}

TEST_CASE("Given frequencies are used as exactly those numbers") {
  const std::vector<double> omega = {1, 0.1, -0.25, 0, 0x1p32, -0x1p32, 1e-300};
  const Frequencies given = Frequencies::from_values(omega, 1.25);
  REQUIRE(given.size() == 7);
  CHECK(given.dim() == 14);
  CHECK(given.attention_factor() == 1.25);
  for (Index k = 0; k < 7; ++k) {
    CHECK(given[k] == omega[static_cast<std::size_t>(k)]);
    CHECK(given.step(k).whole == step_of(given[k]).whole);
    CHECK(given.step(k).fraction == step_of(given[k]).fraction);
  }
  CHECK(Frequencies::from_values(omega).attention_factor() == 1.0);
}

TEST_CASE("Given frequencies come in any vector") {
  const float c_array[] = {1, 0.1f, 0.01f};
  const Eigen::Vector3f vector(1, 0.1f, 0.01f);
  const Eigen::RowVector3d row(2, 0.2f, 0.02f);
  CHECK(Frequencies::from_values(c_array)[1] == static_cast<double>(0.1f));
  CHECK(Frequencies::from_values(vector)[2] == static_cast<double>(0.01f));
  CHECK(Frequencies::from_values(0.5 * row.array())[1] == static_cast<double>(0.1f));
  CHECK(Frequencies::from_values(std::array<int, 2>{3, -4})[1] == -4.0);
  CHECK(Frequencies::from_values(vector.head(2)).size() == 2);
}

TEST_CASE("A period is the number of positions in a full turn") {
  const Frequencies ladder = Frequencies::from_values(std::vector<double>{1, 0.001, 3.141592653589793, 0});
  CHECK(ladder.period(0) == 6.283185307179586);
  CHECK(std::abs(ladder.period(1) - 6283.185307179586) < 1e-12);
  CHECK(ladder.period(2) == 2.0);
  CHECK(ladder.period(3) > std::numeric_limits<double>::max());
}

TEST_CASE("A pair index outside the ladder is refused") {
  const Frequencies ladder = Frequencies::geometric(8);
  CHECK_THROWS_WITH(ladder[4], "posenc::Frequencies: pair index must be within [0, 4), got 4");
  CHECK_THROWS_WITH(ladder.period(-1), "posenc::Frequencies: pair index must be within [0, 4), got -1");
  CHECK_THROWS_WITH(ladder.step(100), "posenc::Frequencies: pair index must be within [0, 4), got 100");
  CHECK_THROWS_AS(ladder[4], std::invalid_argument);
}

TEST_CASE("A geometric ladder refuses other widths and bases") {
  CHECK_THROWS_WITH(Frequencies::geometric(0), "posenc::Frequencies::geometric: dim must be at least 1, got 0");
  CHECK_THROWS_WITH(Frequencies::geometric(-8), "posenc::Frequencies::geometric: dim must be at least 1, got -8");
  const std::string said = "posenc::Frequencies::geometric: base must be within [1, 1e18], got ";
  CHECK_THROWS_WITH(Frequencies::geometric(8, 0), said + "0");
  CHECK_THROWS_WITH(Frequencies::geometric(8, -10000), said + "-10000");
  CHECK_THROWS_WITH(Frequencies::geometric(8, 0.99), said + "0.99");
  CHECK_THROWS_WITH(Frequencies::geometric(8, 1.1e18), said + "1.1e+18");
  CHECK_THROWS_WITH(Frequencies::geometric(8, infinity), said + "inf");
  CHECK_THROWS_WITH(Frequencies::geometric(8, -infinity), said + "-inf");
  CHECK_THROWS_WITH(Frequencies::geometric(8, not_a_number), said + "nan");
}

TEST_CASE("A ladder between two ends refuses ends it cannot serve") {
  const auto said = [](const std::string& got) {
    return "posenc::Frequencies::log_spaced: first and last must be within [2^-64, 2^32] and at most 1e18 apart, got " +
           got;
  };
  CHECK_THROWS_WITH(Frequencies::log_spaced(4, 0, 1), said("0 and 1"));
  CHECK_THROWS_WITH(Frequencies::log_spaced(4, 1, 0), said("1 and 0"));
  CHECK_THROWS_WITH(Frequencies::log_spaced(4, -1, -0.1), said("-1 and -0.1"));
  CHECK_THROWS_WITH(Frequencies::log_spaced(4, not_a_number, 1), said("nan and 1"));
  CHECK_THROWS_WITH(Frequencies::log_spaced(4, 1, not_a_number), said("1 and nan"));
  CHECK_THROWS_WITH(Frequencies::log_spaced(4, infinity, 1), said("inf and 1"));
  CHECK_THROWS_WITH(Frequencies::log_spaced(4, 5e9, 1), said("5e+09 and 1"));
  CHECK_THROWS_WITH(Frequencies::log_spaced(4, 4e9, 1e-9), said("4e+09 and 1e-09"));
  CHECK_THROWS_WITH(Frequencies::log_spaced(4, 1, 5e-20), said("1 and 5e-20"));
  CHECK_THROWS_WITH(Frequencies::log_spaced(0, 1, 1),
                    "posenc::Frequencies::log_spaced: pairs must be at least 1, got 0");
  CHECK_THROWS_WITH(Frequencies::log_spaced(1, 1, 0.5),
                    "posenc::Frequencies::log_spaced: one pair cannot have both ends, got 1 and 0.5");
}

TEST_CASE("Given frequencies refuse what is no frequency") {
  using Values = std::vector<double>;
  const auto said = [](const std::string& got) {
    return "posenc::Frequencies::from_values: omega[" + got.substr(0, 1) +
           "] must be a number within [-2^32, 2^32], got " + got.substr(2);
  };
  CHECK_THROWS_WITH(Frequencies::from_values(Values{}),
                    "posenc::Frequencies::from_values: there must be at least 1 frequency, got 0");
  CHECK_THROWS_WITH(Frequencies::from_values(Values{not_a_number}), said("0 nan"));
  CHECK_THROWS_WITH(Frequencies::from_values(Values{1, infinity}), said("1 inf"));
  CHECK_THROWS_WITH(Frequencies::from_values(Values{1, 2, -infinity}), said("2 -inf"));
  CHECK_THROWS_WITH(Frequencies::from_values(Values{1, 5e9}), said("1 5e+09"));
  CHECK_THROWS_WITH(Frequencies::from_values(Values{1, 2, 3, -5e9}), said("3 -5e+09"));
  const std::string factor = "posenc::Frequencies::from_values: attention_factor must be within [1e-6, 1e6], got ";
  CHECK_THROWS_WITH(Frequencies::from_values(Values{1}, 0), factor + "0");
  CHECK_THROWS_WITH(Frequencies::from_values(Values{1}, -1), factor + "-1");
  CHECK_THROWS_WITH(Frequencies::from_values(Values{1}, 2e6), factor + "2e+06");
  CHECK_THROWS_WITH(Frequencies::from_values(Values{1}, not_a_number), factor + "nan");
  CHECK_THROWS_WITH(Frequencies::from_values(Values{1}, infinity), factor + "inf");
}

TEST_CASE("a width beyond 2^24 is refused before anything is built", "[frequencies][errors]") {
  CHECK_THROWS_WITH(Frequencies::geometric(std::numeric_limits<Index>::max()),
                    "posenc::Frequencies::geometric: dim must be at most 16777216, got 9223372036854775807");
  CHECK_THROWS_WITH(Frequencies::log_spaced(Index{1} << 60, 1, 0.5),
                    "posenc::Frequencies::log_spaced: pairs must be at most 8388608, got 1152921504606846976");
}
