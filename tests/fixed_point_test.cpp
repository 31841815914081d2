// Fixed: 64 bits before the point and 256 behind it, on which every frequency stands.

#include <posenc/fixed_point.hpp>

#include <random>

#include "catch.hpp"
#include "reference.hpp"

using namespace posenc::detail;
using namespace posenc_test;

namespace {

Real real(const Fixed& a) {
  Real sum;
  for (int i = 0; i < Fixed::digits; ++i)
    sum = sum + Real(static_cast<double>(a.digit[i])) * two_to(32 * (i - Fixed::behind_point));
  return a.negative() ? sum - two_to(32 * (Fixed::digits - Fixed::behind_point)) : sum;
}

bool same(const Fixed& a, const Fixed& b) {
  bool all = true;
  for (int i = 0; i < Fixed::digits; ++i) all = all && a.digit[i] == b.digit[i];
  return all;
}

/// A number of either sign whose first bit stands at one of the places from 2^low to 2^high.
double random_double(std::mt19937_64& random, int low, int high) {
  const double mantissa = static_cast<double>(random() >> 11 | std::uint64_t{1} << 52);
  const int exponent = std::uniform_int_distribution<int>(low, high)(random);
  return std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent - 52);
}

/// Every digit random, so that carries run everywhere; below 2^31 and not negative.
Fixed random_fixed(std::mt19937_64& random) {
  Fixed result;
  for (int i = 0; i < Fixed::behind_point; ++i) result.digit[i] = static_cast<std::uint32_t>(random());
  result.digit[Fixed::behind_point] = static_cast<std::uint32_t>(random() >> 33);
  return result;
}

long double distance(const Real& a, const Real& b) { return std::abs(to_long_double(a - b)); }

}  // namespace

TEST_CASE("A double becomes the same number in fixed point") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(1);
  CHECK(same(to_fixed(0.0), Fixed{}));
  for (int i = 0; i < 2000; ++i) {
    const double value = random_double(random, -204, 62);  // its last bit at 2^-256 or before
    if (distance(real(to_fixed(value)), value) != 0) FAIL("at " << value);
  }
}

TEST_CASE("Bits below 2^-256 are dropped towards zero") {
  CHECK(same(to_fixed(0x1p-257), Fixed{}));
  CHECK(same(to_fixed(-0x1p-257), Fixed{}));
  CHECK(same(to_fixed(1e-300), Fixed{}));
  CHECK(same(to_fixed(0x1.8p-256), to_fixed(0x1p-256)));
  CHECK(to_fixed(0x1p-256).digit[0] == 1);
}

TEST_CASE("A fixed number becomes a double within one unit in its last place") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    Fixed value = random_fixed(random);
    for (int top = static_cast<int>(random() % 8); top > 0; --top)
      value.digit[Fixed::digits - 1 - top] = 0;  // small ones too
    if (random() % 2 == 0) value = -value;
    const double result = to_double(value);
    const double unit = std::abs(result) - std::nextafter(std::abs(result), 0.0);
    if (distance(real(value), result) > static_cast<long double>(unit)) FAIL("at " << result);
  }
}

TEST_CASE("A double comes back from fixed point as the same double") {
  std::mt19937_64 random(3);
  CHECK(to_double(Fixed{}) == 0);
  for (int i = 0; i < 2000; ++i) {
    const double value = random_double(random, -204, 62);
    if (to_double(to_fixed(value)) != value) FAIL("at " << value);
  }
}

TEST_CASE("Sum and difference of fixed numbers are exact and carry through all digits") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    const Fixed a = random_fixed(random), b = random_fixed(random);
    if (distance(real(a + b), real(a) + real(b)) != 0 || distance(real(a - b), real(a) - real(b)) != 0)
      FAIL("draw " << i);
  }
  Fixed ones, unit;  // 1 - 2^-256 and 2^-256
  for (int i = 0; i < Fixed::behind_point; ++i) ones.digit[i] = 0xffffffff;
  unit.digit[0] = 1;
  CHECK(same(ones + unit, to_fixed(1.0)));
  CHECK(same(to_fixed(1.0) - unit, ones));
  CHECK(same(-Fixed{}, Fixed{}));
}

TEST_CASE("The product of fixed numbers is cut below 2^-251 of the real product") {
  if (!reference_is_exact) return skip("no MPFR");
  std::mt19937_64 random(5);
  long double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    const Fixed a = random_fixed(random), b = random_fixed(random);
    worst = std::max(worst, distance(real(a * b), real(a) * real(b)));
    Fixed large = a, fraction = b;  // a frequency of more than 2^32 times a fraction
    large.digit[Fixed::digits - 1] = static_cast<std::uint32_t>(random() >> 33);
    fraction.digit[Fixed::behind_point] = 0;
    worst = std::max(worst, distance(real(large * fraction), real(large) * real(fraction)));
    worst = std::max(worst, distance(real(fraction * large), real(large) * real(fraction)));
  }
  CHECK(worst < std::ldexp(1.0L, -251));
  Fixed ones;  // the largest carries that there are
  for (int i = 0; i < Fixed::behind_point; ++i) ones.digit[i] = 0xffffffff;
  CHECK(distance(real(ones * ones), real(ones) * real(ones)) < std::ldexp(1.0L, -251));
  CHECK(same(ones * to_fixed(1.0), ones));
}

TEST_CASE("The turns in a radian are 1 over 2 pi to 256 bits") {
  if (!reference_is_exact) return skip("no MPFR");
  CHECK(distance(real(turns_per_radian), Real(1) / (Real(2) * Real::pi())) < std::ldexp(1.0L, -256));
}

TEST_CASE("A power by squaring is the real power") {
  if (!reference_is_exact) return skip("no MPFR");
  const Fixed r = to_fixed(0.999);
  for (const int n : {0, 1, 2, 3, 7, 8, 100, 1023, 1024, 4097}) {
    // Each of the products is cut once and later multiplied by numbers below 1.
    CHECK(distance(real(power(r, static_cast<std::uint64_t>(n))), pow(Real(0.999), Real(n))) < std::ldexp(1.0L, -240));
  }
}

TEST_CASE("The ratio of a geometric ladder is the real root") {
  if (!reference_is_exact) return skip("no MPFR");
  // A ladder multiplies the ratio up to n times, then a position up to 2^40 times, and 2^-60 of a turn has to remain:
  // that alone asks for 2^-128 and less. But Newton's iteration stops for want of digits, not of turns.
  for (const double large : {1.0, 1.0000001, 2.0, 1e4, 1e12, 1e18}) {
    for (const std::int64_t n : {1, 2, 3, 64, 127, 1024, 99999}) {
      const Real root = pow(Real(1) / Real(large), Real(1) / Real(n));
      INFO("large " << large << " steps " << n);
      CHECK(distance(real(geometric_ratio(large, 1.0, static_cast<std::uint64_t>(n))), root) < std::ldexp(1.0L, -180));
    }
  }
  for (const double small : {0x1p-64, 1e-9, 4294967296.0}) {  // both ends of what log_spaced accepts
    const double large = std::min(small * 1e18, 4294967296.0);
    const Real root = pow(Real(small) / Real(large), Real(1) / Real(63));
    INFO("small " << small);
    CHECK(distance(real(geometric_ratio(large, small, 63)), root) < std::ldexp(1.0L, -180));
  }
}
