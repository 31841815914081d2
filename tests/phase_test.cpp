// Positions as phases: the step of a frequency, the phase of a position, sine and cosine of a phase.

#include <posenc/phase.hpp>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"
#include "reference.hpp"

using namespace posenc;
using namespace posenc_test;

namespace {

Real real(std::uint64_t word) {
  return Real(static_cast<std::int64_t>(word >> 1)) * Real(2) + Real(static_cast<int>(word & 1));
}
Real turns(Phase phase) { return real(phase.high) * two_to(-64) + real(phase.low) * two_to(-128); }
Real turns(const Step& step) { return Real(step.whole) + turns(step.fraction); }
Real turns(double omega) { return Real(omega) / (Real(2) * Real::pi()); }

/// How far two phases stand apart, the short way round, in units of 2^-128 of a turn.
long double units_apart(const Real& a, const Real& b) { return std::ldexp(off_whole(a - b), 128); }

double random_double(std::mt19937_64& random, int low, int high) {
  const double mantissa = static_cast<double>(random() >> 11 | std::uint64_t{1} << 52);
  return std::ldexp(random() % 2 == 0 ? mantissa : -mantissa,
                    std::uniform_int_distribution<int>(low, high)(random) - 52);
}

/// Frequencies of every kind: hard ones by hand, then random ones of either sign from 2^-130 to 2^32.
std::vector<double> some_omegas(std::mt19937_64& random, int count) {
  std::vector<double> omegas = {0.0,      1.0,    -1.0,   0.01,   1e-4, 6.283185307179586, 3.141592653589793,
                                0x1p-130, 1e-300, 0x1p32, -0x1p32};
  while (static_cast<int>(omegas.size()) < count) omegas.push_back(random_double(random, -130, 31));
  return omegas;
}

std::vector<Position> some_positions(std::mt19937_64& random, int count) {
  using Limits = std::numeric_limits<Position>;
  std::vector<Position> positions = {
      0, 1, -1, 31, 32, Position{1} << 40, -(Position{1} << 40), Limits::max(), Limits::min(), Limits::min() + 1};
  while (static_cast<int>(positions.size()) < count)
    positions.push_back(static_cast<Position>(random()) >> random() % 63);
  return positions;
}

/// A step that no frequency need have made: every bit random.
Step random_step(std::mt19937_64& random) { return {static_cast<std::int64_t>(random()) >> 33, {random(), random()}}; }

}  // namespace

TEST_CASE("The step of a frequency is omega over 2 pi rounded at 2^-128 of a turn") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(1);
  for (const double omega : some_omegas(random, 1000)) {
    const long double error =
        to_long_double((turns(step_of(omega)) - turns(omega)) * two_to(128));  // whole turns count
    if (std::abs(error) > 0.5000001L) FAIL("omega " << omega << " error in units " << error);
  }
}

TEST_CASE("The phase of a 64-bit position is the product with the step and nothing is rounded") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(2);
  for (int i = 0; i < 50; ++i) {
    const Step step = random_step(random);
    for (const Position p : some_positions(random, 60)) {
      if (units_apart(turns(phase_of(step, p)), turns(step) * Real(p)) != 0) FAIL("position " << p);
    }
  }
}

TEST_CASE("The phase of a position stays within p 2^-128 of the real number") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(3);
  for (const double omega : some_omegas(random, 60)) {
    for (const Position p : some_positions(random, 40)) {
      const long double units = units_apart(turns(phase_of(step_of(omega), p)), turns(omega) * Real(p));
      if (units > std::abs(static_cast<long double>(p)))
        FAIL("omega " << omega << " position " << p << " units " << units);
    }
  }
}

TEST_CASE("The phase of a real position stays within its bound of the real number") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(4);
  std::vector<double> positions = {0.0,
                                   -0.0,
                                   0.5,
                                   -0.5,
                                   0.1,
                                   1 / 3.,
                                   1e-30,
                                   1e-300,
                                   0x1p-127,
                                   0x1p-128,
                                   0x1p-138,
                                   0x1p-139,
                                   0x1p-202,
                                   0x1p-203,
                                   0x1.fffffffffffffp51,
                                   0x1p52,
                                   0x1.fffffffffffffp52,
                                   0x1p53,
                                   0x1p62,
                                   -0x1p62,
                                   0x1.fffffffffffffp62};
  for (int e = -220; e < 63; ++e) positions.push_back(random_double(random, e, e));  // every shift of the product
  for (const double omega : some_omegas(random, 30)) {
    const Step step = step_of(omega);
    for (const double p : positions) {
      const Real phase = turns(phase_of(step, p));
      const long double units = units_apart(phase, turns(omega) * Real(p));
      if (units > std::abs(static_cast<long double>(p)) + 1)
        FAIL("omega " << omega << " position " << p << " units " << units);
      // Of the step itself no more than the part of a unit is lost, however far the position.
      if (units_apart(phase, turns(step) * Real(p)) > 1) FAIL("cut, omega " << omega << " position " << p);
    }
  }
}

TEST_CASE("The product with a real position carries through whole turns and all shifts") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(10);
  for (int i = 0; i < 30000; ++i) {  // the rarest carry comes once in 2000 draws
    const Step step = random_step(random);
    const double p = random_double(random, -150, 0);
    if (units_apart(turns(phase_of(step, p)), turns(step) * Real(p)) > 1) FAIL("draw " << i << " position " << p);
  }
}

TEST_CASE("The phase difference of two positions is the phase of their offset bit for bit") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) {
    const Step step = random_step(random);
    // 63 bits, so that the offset itself is still a position
    const Position n = static_cast<Position>(random()) >> 1, m = static_cast<Position>(random()) >> 1;
    if (phase_of(step, n) - phase_of(step, m) != phase_of(step, n - m)) FAIL("n " << n << " m " << m);
    if (phase_of(step, n) + phase_of(step, m) != phase_of(step, n + m)) FAIL("n " << n << " m " << m);
  }
}

TEST_CASE("Turning backwards is the negative phase bit for bit") {
  std::mt19937_64 random(6);
  for (int i = 0; i < 10000; ++i) {
    const Step step = random_step(random);
    const Position p = static_cast<Position>(random() >> 1);
    if (phase_of(step, -p) != -phase_of(step, p) || phase_of(-step, p) != -phase_of(step, p)) FAIL("position " << p);
    const double real = random_double(random, -150, 60);
    if (phase_of(step, -real) != phase_of(-step, real)) FAIL("position " << real);
  }
  CHECK(-Phase{} == Phase{});
  CHECK(-Phase{1, 0} == Phase{~std::uint64_t{0}, 0});
  CHECK(-Step{3, {}}.fraction == Phase{});
  CHECK((-Step{3, {}}).whole == -3);
  CHECK((-Step{3, {0, 1}}).whole == -4);
  const double omega = 12345.678;  // nearly 2000 whole turns per position
  CHECK(step_of(-omega).whole == -step_of(omega).whole - 1);
}

TEST_CASE("A whole real position has the phase of the integer bit for bit") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const Step step = random_step(random);
    const Position p = (static_cast<Position>(random()) >> 10) >> random() % 54;  // below 2^53, all sizes
    if (phase_of(step, p) != phase_of(step, static_cast<double>(p))) FAIL("position " << p);
    const Position far =
        static_cast<Position>(random() & ~std::uint64_t{0x7ff}) >> 1;  // beyond, where a double is still exact
    if (phase_of(step, far) != phase_of(step, static_cast<double>(far))) FAIL("position " << far);
  }
}

TEST_CASE("The product from halves is the product of the 128-bit integer") {
  std::mt19937_64 random(8);
  const auto check = [](std::uint64_t a, std::uint64_t b) {
    const detail::Wide x = detail::multiply(a, b), y = detail::multiply_halves(a, b);
    if (x.high != y.high || x.low != y.low) FAIL(a << " x " << b);
  };
  const std::uint64_t top = ~std::uint64_t{0};
  for (const std::uint64_t a :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffffffff}, std::uint64_t{1} << 32, top - 1, top}) {
    for (const std::uint64_t b :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffffffff}, std::uint64_t{1} << 32, top - 1, top})
      check(a, b);
  }
  for (int i = 0; i < 100000; ++i) check(random(), random());
  const detail::Wide square = detail::multiply_halves(top, top);  // (2^64 - 1)^2 = 2^128 - 2^65 + 1
  CHECK(square.high == top - 1);
  CHECK(square.low == 1);
}

namespace {

/// Phases round the circle, around every eighth of a turn, and at random.
std::vector<std::uint64_t> some_phases(int count) {
  std::mt19937_64 random(9);
  std::vector<std::uint64_t> phases;
  for (std::uint64_t eighth = 0; eighth < 8; ++eighth) {
    for (int bit = 0; bit < 61; ++bit) {
      phases.push_back((eighth << 61) + (std::uint64_t{1} << bit));
      phases.push_back((eighth << 61) - (std::uint64_t{1} << bit));
    }
  }
  while (static_cast<int>(phases.size()) < count) phases.push_back(random());
  return phases;
}

}  // namespace

TEST_CASE("Sine and cosine of a phase are within 2.5e-16") {
  // Largest of 4e7 random phases, gcc 12 -O2: 1.64e-16 on SSE2, 1.38e-16 with AVX-512 and fused products.
  if (!reference_is_exact) return skip("no MPFR");
  long double worst = 0;
  for (const std::uint64_t phase : some_phases(30000)) {
    const SinCos found = sin_cos({phase, 0});
    const SinCosReference truth = reference(real(phase) * two_to(-63), Real::pi());
    worst = std::max({worst, std::abs(static_cast<long double>(found.sine) - truth.sine),
                      std::abs(static_cast<long double>(found.cosine) - truth.cosine)});
  }
  INFO("largest error " << worst);
  CHECK(worst <= 2.5e-16L);
}

TEST_CASE("A tiny phase has a sine right to 2^-80") {
  // Near zero the absolute bound would allow any sine; yet the rest of a phase has 62 bits, and none of them is lost.
  for (int bit = 0; bit < 40; ++bit) {
    const double angle = std::ldexp(6.283185307179586, bit - 64), sine = angle - angle * angle * angle / 6;
    const double allowed = 0x1p-80 + 4.5e-16 * angle;
    CHECK(std::abs(sin_cos({std::uint64_t{1} << bit, 0}).sine - sine) <= allowed);
    CHECK(std::abs(sin_cos({-(std::uint64_t{1} << bit), 0}).sine + sine) <= allowed);
  }
}

TEST_CASE("Sine and cosine are exact at the four quarter turns") {
  const auto check = [](std::uint64_t quarter, double sine, double cosine) {
    const SinCos found = sin_cos({quarter << 62, 0});
    CHECK(found.sine == sine);
    CHECK(found.cosine == cosine);
  };
  check(0, 0, 1);
  check(1, 1, 0);
  check(2, 0, -1);
  check(3, -1, 0);
}

TEST_CASE("A phase takes a position of any integer type") {
  const Step step = step_of(1.0);
  CHECK(phase_of(step, 5) == phase_of(step, Position{5}));
  CHECK(phase_of(step, -5l) == phase_of(step, Position{-5}));
  CHECK(phase_of(step, 5u) == phase_of(step, Position{5}));
  CHECK(phase_of(step, short{-5}) == phase_of(step, Position{-5}));
}

TEST_CASE("A packet of phases has the sines and cosines of single phases bit for bit") {
  using D = detail::base::Packet<double>;
  constexpr int lanes = D::lanes;
  std::vector<std::uint64_t> phases = some_phases(20000);
  for (std::size_t i = 0; i + lanes <= phases.size(); i += lanes) {
    D sines, cosines;
    detail::base::sin_cos<false>(detail::base::load<std::uint64_t>(phases.data() + i), sines, cosines);
    double sine[lanes], cosine[lanes];
    sines.store(sine);
    cosines.store(cosine);
    for (int lane = 0; lane < lanes; ++lane) {
      const SinCos single = sin_cos({phases[i + static_cast<std::size_t>(lane)], 0});
      if (sine[lane] != single.sine || cosine[lane] != single.cosine)
        FAIL("phase " << phases[i + static_cast<std::size_t>(lane)]);
    }
  }
}
