#pragma once
// Position as a phase. A phase is a fraction of a turn held in fixed point: it wraps by itself, as a clock hand does, and
// adding, subtracting and multiplying by a whole number are exact. So
//   phase(n) - phase(m) == phase(n - m)
// bit for bit, and the error of a phase does not grow with the position.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "posenc/fixed_point.hpp"
#include "posenc/packet.hpp"

namespace posenc {
inline namespace POSENC_ISA {

using Position = std::int64_t;

namespace detail {

struct Wide {
  std::uint64_t high, low;
};

/// The 128-bit product of two 64-bit numbers, from four products of halves; for compilers without a 128-bit integer.
inline Wide multiply_halves(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const std::uint64_t low = a0 * b0;
  const std::uint64_t middle = a1 * b0 + (low >> 32);
  const std::uint64_t other = a0 * b1 + (middle & 0xffffffff);
  return {a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (low & 0xffffffff)};
}

inline Wide multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#else
  return multiply_halves(a, b);
#endif
}

}  // namespace detail

/// A fraction of a turn, (high 2^64 + low) / 2^128, in [0, 1). Arithmetic wraps at a full turn.
struct Phase {
  std::uint64_t high = 0, low = 0;

  friend Phase operator+(Phase a, Phase b) {
    const std::uint64_t sum = a.low + b.low;
    return {a.high + b.high + (sum < a.low), sum};
  }
  friend Phase operator-(Phase a) { return {~a.high + (a.low == 0), ~a.low + 1}; }
  friend Phase operator-(Phase a, Phase b) { return a + (-b); }
  friend bool operator==(Phase a, Phase b) { return a.high == b.high && a.low == b.low; }
  friend bool operator!=(Phase a, Phase b) { return !(a == b); }
};

/// How far one position turns: whole turns, which only a fraction of a position can feel, and a fraction of a turn.
struct Step {
  std::int64_t whole = 0;
  Phase fraction;

  friend Step operator-(const Step& step) {
    const bool carries = step.fraction == Phase{};
    return {carries ? -step.whole : -step.whole - 1, -step.fraction};
  }
};

namespace detail {

/// omega / (2 pi) rounded to 2^-128 of a turn, for omega in radians, not negative.
inline Step step_of(const Fixed& omega) {
  Fixed half_unit;
  half_unit.digit[3] = 0x80000000;
  const Fixed turns = omega * turns_per_radian + half_unit;
  const auto pair_of = [&](int i) { return std::uint64_t{turns.digit[i + 1]} << 32 | turns.digit[i]; };
  return {static_cast<std::int64_t>(pair_of(8)), {pair_of(6), pair_of(4)}};
}

}  // namespace detail

/// The step of an angular frequency, which is taken as exactly the number given.
/// Units     omega in radians per position, |omega| <= 2^32; negative turns the other way.
/// Accuracy  2^-128 of a turn, so the phase of a position p is within |p| 2^-128 of a turn.  Test: phase_test.
inline Step step_of(double omega) {
  const Step step = detail::step_of(detail::to_fixed(std::abs(omega)));
  return omega < 0 ? -step : step;
}

/// p x step, wrapped to a fraction of a turn.
/// Accuracy  exact for the step given, at every 64-bit position.
inline Phase phase_of(const Step& step, Position p) {
  const std::uint64_t position = static_cast<std::uint64_t>(p);  // modulo 2^64 first, so the top product is off by
  detail::Wide product = detail::multiply(position, step.fraction.low);  // 2^64 fraction.low where p is negative
  if (p < 0) product.high -= step.fraction.low;
  return {position * step.fraction.high + product.high, product.low};
}

/// The same for the other types of integers.
template <class Integer, std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, Position>, int> = 0>
Phase phase_of(const Step& step, Integer p) {
  return phase_of(step, static_cast<Position>(p));
}

/// The same for a real position, |p| < 2^63, taken as exactly the double given:
///   p = m 2^-s,   phase = (m x (whole turns and fraction)) / 2^s
/// Accuracy  within (|p| + 1) 2^-128 of a turn.
inline Phase phase_of(const Step& step, double p) {
  int exponent;
  const double mantissa = std::frexp(std::abs(p), &exponent);
  const std::uint64_t m = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
  int shift = 53 - exponent;  // to the right; negative for whole p of 2^53 or more
  const Step forward = p < 0 ? -step : step;

  const detail::Wide low = detail::multiply(m, forward.fraction.low);
  const detail::Wide high = detail::multiply(m, forward.fraction.high);
  const std::uint64_t whole = static_cast<std::uint64_t>(forward.whole);
  detail::Wide top = detail::multiply(m, whole);
  if (forward.whole < 0) top.high -= m;  // as in the product above, for a negative factor
  std::uint64_t product[6] = {low.low, low.high + high.low, 0, 0, 0, 0};
  const std::uint64_t carry = product[1] < low.high;
  product[2] = high.high + carry;  // cannot overflow: m < 2^53
  product[3] = top.high;
  product[2] += top.low;
  product[3] += product[2] < top.low;
  product[4] = product[5] = forward.whole < 0 ? ~std::uint64_t{0} : 0;

  if (shift < 0) {
    const Phase unshifted{product[1], product[0]};
    Phase result = unshifted;
    for (; shift < 0; ++shift) result = result + result;
    return result;
  }
  if (shift >= 256) return {};  // |p| < 2^-203: no bit of it reaches 2^-128 of a turn
  const int from = shift / 64, by = shift % 64;
  const auto word = [&](int i) { return by == 0 ? product[i] : product[i] >> by | product[i + 1] << (64 - by); };
  return {word(from + 1), word(from)};
}

struct SinCos {
  double sine, cosine;
};

/// Sine and cosine of a phase.
/// Accuracy  |error| <= 2.5e-16.  Test: phase_test.
inline SinCos sin_cos(Phase phase) {
  SinCos result;
  detail::base::sin_cos<false>(phase.high, result.sine, result.cosine);
  return result;
}

}  // namespace POSENC_ISA
}  // namespace posenc
