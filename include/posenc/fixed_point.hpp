#pragma once
// Numbers with 256 bits behind the point, on unsigned integers alone: enough for a frequency whose phase has to be right
// after 2^40 positions, the same on every machine and under -ffast-math. Used where a ladder is built, never per token.

#include <cmath>
#include <cstdint>

#include "posenc/isa.hpp"

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// A real number in fixed point: 64 bits before the point, 256 behind it, two's complement.
///   value = sum over i of digit[i] 2^(32 (i - 8))
struct Fixed {
  static constexpr int digits = 10, behind_point = 8;
  std::uint32_t digit[digits] = {};

  bool negative() const { return digit[digits - 1] >> 31 != 0; }

  friend Fixed operator+(const Fixed& a, const Fixed& b) {
    Fixed sum;
    std::uint64_t carry = 0;
    for (int i = 0; i < digits; ++i) {
      carry += std::uint64_t{a.digit[i]} + b.digit[i];
      sum.digit[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return sum;
  }

  friend Fixed operator-(const Fixed& a) {  // -a = ~a + one unit in the last place
    Fixed negated, unit;
    unit.digit[0] = 1;
    for (int i = 0; i < digits; ++i) negated.digit[i] = ~a.digit[i];
    return negated + unit;
  }
  friend Fixed operator-(const Fixed& a, const Fixed& b) { return a + (-b); }

  /// Product of two numbers that are not negative, cut at the last digit: |error| < 2^-256.
  friend Fixed operator*(const Fixed& a, const Fixed& b) {
    std::uint64_t product[2 * digits] = {};  // by the school method, each place below 2^32 after its carry
    for (int i = 0; i < digits; ++i) {
      std::uint64_t carry = 0;
      for (int j = 0; j < digits; ++j) {
        carry += product[i + j] + std::uint64_t{a.digit[i]} * b.digit[j];
        product[i + j] = carry & 0xffffffff;
        carry >>= 32;
      }
      product[i + digits] = carry;
    }
    Fixed result;
    for (int i = 0; i < digits; ++i) result.digit[i] = static_cast<std::uint32_t>(product[i + behind_point]);
    return result;
  }
};

/// 1 / (2 pi), cut after 256 bits: turns in a radian.
inline constexpr Fixed turns_per_radian = {
    {0xf7aef158, 0x7f9458ea, 0x4f10e410, 0x36d8a566, 0x7d4d3770, 0x7f09d5f4, 0x9391054a, 0x28be60db, 0, 0}};

/// value as it is, |value| < 2^63; bits below 2^-256 are dropped.
inline Fixed to_fixed(double value) {
  int exponent;
  const double mantissa = std::frexp(std::abs(value), &exponent);  // in [1/2, 1)
  const std::uint64_t whole =
      static_cast<std::uint64_t>(std::ldexp(mantissa, 53));  // |value| = whole 2^(exponent - 53)
  Fixed result;
  const int lowest = 32 * Fixed::behind_point + exponent - 53;  // the bit of the result where whole begins
  for (int bit = 0; bit < 53; ++bit) {
    const int place = lowest + bit;
    if (place >= 0 && place < 32 * Fixed::digits && (whole >> bit & 1) != 0) {
      result.digit[place / 32] |= std::uint32_t{1} << place % 32;
    }
  }
  return value < 0 ? -result : result;
}

/// The nearest double, within one unit in its last place.
inline double to_double(const Fixed& value) {
  if (value.negative()) return -to_double(-value);
  int top = Fixed::digits - 1;
  while (top > 0 && value.digit[top] == 0) --top;
  double sum = 0;  // three digits matter, added from the smallest
  for (int i = top > 2 ? top - 2 : 0; i <= top; ++i) {
    sum += std::ldexp(static_cast<double>(value.digit[i]), 32 * (i - Fixed::behind_point));
  }
  return sum;
}

/// r^n by repeated squaring, 0 <= r <= 1.
inline Fixed power(Fixed r, std::uint64_t n) {
  Fixed result = to_fixed(1.0);
  for (; n != 0; n >>= 1, r = r * r) {
    if (n & 1) result = result * r;
  }
  return result;
}

/// The r in (0, 1] with  large r^n = small,  0 < small <= large: the ratio of a geometric ladder of n steps.
///   e = small - large r^n,   r <- r (1 + e / (n small))          Newton's iteration for r^n
/// e is formed in integers and only the correction in double, so each turn adds about 50 right digits, whatever
/// the rounding of std::pow at the start.
inline Fixed geometric_ratio(double large, double small, std::uint64_t n) {
  const double steps = static_cast<double>(n);
  Fixed r = to_fixed(std::pow(small / large, 1 / steps));
  const Fixed from = to_fixed(large), to = to_fixed(small);
  for (int turn = 0; turn < 4; ++turn) {
    const Fixed e = to - from * power(r, n);
    r = r + to_fixed(to_double(r) * (to_double(e) / small) / steps);
  }
  return r;
}

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
