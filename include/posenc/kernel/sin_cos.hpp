// Sine and cosine of a phase, over packets: in double, and in float as sums of two. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// The polynomial in z with these coefficients, the highest power first.
template <class D, class Coefficient, class... Coefficients>
[[gnu::always_inline]] inline D series(D z, Coefficient highest, Coefficients... others) {
  D sum(highest);
  ((sum = fma(sum, z, D(others))), ...);
  return sum;
}

/// Sine and cosine of a phase, given its first 64 bits. D is double or a packet of doubles, U the same of 64-bit integers.
/// Within 2.5e-16, or 1.3e-10 with `brief`, for what will be rounded to float.
///
/// The phase is split, in integers, into the nearest quarter turn and a rest of at most an eighth:
///   phase = quarter / 4 + rest,   x = 2 pi rest in [-pi/4, pi/4],   sin x and cos x by Taylor's series.
/// rest has 62 bits, more than a double holds; its halves hi and lo are exact, and so is hi times the first 22 bits of
/// 2 pi, so x = x_hi + x_lo loses nothing that the result could show.
template <bool brief, class D, class U>
[[gnu::always_inline]] inline void sin_cos(const U& phase, D& sine, D& cosine) {
  const U turned = phase + U(std::uint64_t{1} << 61);
  const U quarter = turned >> 62;
  const U rest = turned & U((std::uint64_t{1} << 62) - 1);  // the rest in units of 2^-64 turn, plus 2^61

  // A whole number below 2^52 put into the mantissa of 2^52 is 2^52 plus that number: conversion without an instruction for it.
  const U two_52(0x4330000000000000);
  D sin_x, cos_x;
  if constexpr (brief) {
    const D x =
        (bit_cast<D>(U((rest >> 10) | two_52)) - D(0x1.8p52)) * D(0x1.921fb54442d18p-52);  // 2^52 + 2^51; 2 pi 2^-54
    const D z = x * x;
    // The first terms left out, x^13 / 13! and x^12 / 12!, are below 7e-12 and 1.2e-10.
    const D s = series(z, -1. / 39916800, 1. / 362880, -1. / 5040, 1. / 120, -1. / 6);
    const D c = series(z, -1. / 3628800, 1. / 40320, -1. / 720, 1. / 24, -1. / 2);
    sin_x = fma(x * z, s, x);
    cos_x = fma(z, c, D(1.));
  } else {
    const D hi = bit_cast<D>(U((rest >> 31) | two_52)) - D(0x1.000004p52);  // less 2^52 + 2^30
    const D lo = bit_cast<D>(U((rest & U(0x7fffffff)) | two_52)) - D(0x1p52);
    const D x_hi = hi * D(0x1.921fbp-31);  // 2 pi 2^-33, first 22 bits: exact
    const D x_lo = fma(hi, D(0x1.5110b4611a626p-53), lo * D(0x1.921fb54442d18p-62));  // the other bits; 2 pi 2^-64
    const D x = x_hi + x_lo, z = x * x;
    // The first term left out is below 2^-62 in the sine and 2^-58 in the cosine.
    const D s = series(z, 1. / 355687428096000, -1. / 1307674368000, 1. / 6227020800, -1. / 39916800, 1. / 362880,
                       -1. / 5040, 1. / 120, -1. / 6);
    const D c = series(z, 1. / 20922789888000, -1. / 87178291200, 1. / 479001600, -1. / 3628800, 1. / 40320, -1. / 720,
                       1. / 24, -1. / 2);
    sin_x = x_hi + fma(x * z, s, x_lo);
    cos_x = fma(z, c, D(1.));
  }

  // A quarter turn takes (cos, sin) to (-sin, cos): an odd quarter swaps the two, and each has its sign.
  const U sin_bits = bit_cast<U>(sin_x), cos_bits = bit_cast<U>(cos_x);
  const U swap = U(std::uint64_t{0}) - (quarter & U(std::uint64_t{1}));
  const U different = (sin_bits ^ cos_bits) & swap, sign(std::uint64_t{1} << 63);
  sine = bit_cast<D>(U((sin_bits ^ different) ^ (turned & sign)));                                  // quarters 2 and 3
  cosine = bit_cast<D>(U((cos_bits ^ different) ^ ((turned + U(std::uint64_t{1} << 62)) & sign)));  // 1 and 2
}

/// A number as the sum of two floats, the second one small.
template <class V>
struct Split {
  V near, rest;
};

/// Sine and cosine of a phase, given its first 32 bits, within 1.6e-8.
///   phase = quarter / 4 + rest,   x = 2 pi rest in [-pi/4, pi/4],   sin x and cos x by Taylor's series, as for doubles.
/// rest has 30 bits. Its halves hi and lo are exact, and so is x_hi, hi times the first 9 bits of 2 pi.
template <class V, class U>
[[gnu::always_inline]] inline void split_sin_cos(U phase, Split<V>& sine, Split<V>& cosine) {
  const U turned = phase + U(1u << 29);
  const U quarter = turned >> 30;
  const U rest = turned & U((1u << 30) - 1);  // the rest in units of 2^-32 turn, plus 2^29

  // A whole number below 2^23 put into the mantissa of 2^23 is 2^23 plus that number.
  const U two_23(0x4b000000u);
  const V hi = bit_cast<V>(U((rest >> 15) | two_23)) - V(0x1.008p23f);  // less 2^23 + 2^14
  const V lo = bit_cast<V>(U((rest & U(0x7fffu)) | two_23)) - V(0x1p23f);
  const V x_hi = hi * V(0x1.92p-15f);                                   // 2 pi 2^-17, first 9 bits: exact
  const V x_lo = fma(hi, V(0x1.fb5444p-27f), lo * V(0x1.921fb6p-30f));  // the other bits; 2 pi 2^-32
  // 1 - x^2 / 2 is what has to be exact, so x^2 is, as the square of x_hi and a rest.
  const V x = x_hi + x_lo, square = x_hi * x_hi;
  const V square_rest = fma(x_lo, x + x_hi, fma(x_hi, x_hi, -square)), z = square + square_rest;
  const V near_cos = fma(square, V(-0.5f), V(1.f)), rounded_off = fma(square, V(-0.5f), V(1.f) - near_cos);
  // The first terms left out, x^11 / 11! and x^12 / 12!, are below 1.8e-9 and 1.2e-10.
  const V s = series(z, 1.f / 362880, -1.f / 5040, 1.f / 120, -1.f / 6);
  const V c = series(z, -1.f / 3628800, 1.f / 40320, -1.f / 720, 1.f / 24);
  const Split<V> sin_x = {x_hi, fma(x * z, s, x_lo)};
  const Split<V> cos_x = {near_cos, fma(z * z, c, fma(square_rest, V(-0.5f), rounded_off))};

  // A quarter turn takes (cos, sin) to (-sin, cos): an odd quarter swaps the two, and each has its sign.
  const U swap = U(0u) - (quarter & U(1u)), sign(1u << 31);
  const U sine_sign = turned & sign, cosine_sign = (turned + U(1u << 30)) & sign;  // quarters 2 and 3; 1 and 2
  const auto place = [&](V sin_part, V cos_part, V& in_sine, V& in_cosine) {
    const U sin_bits = bit_cast<U>(sin_part), cos_bits = bit_cast<U>(cos_part),
            different = (sin_bits ^ cos_bits) & swap;
    in_sine = bit_cast<V>(U((sin_bits ^ different) ^ sine_sign));
    in_cosine = bit_cast<V>(U((cos_bits ^ different) ^ cosine_sign));
  };
  place(sin_x.near, cos_x.near, sine.near, cosine.near);
  place(sin_x.rest, cos_x.rest, sine.rest, cosine.rest);
}

/// Times a factor, which is the sum of two floats too.
template <class V>
[[gnu::always_inline]] inline Split<V> times(Split<V> a, Split<V> factor) {
  const V near = a.near * factor.near;
  return {near, fma(a.rest, factor.near, fma(a.near, factor.rest, fma(a.near, factor.near, -near)))};
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
