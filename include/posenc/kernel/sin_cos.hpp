// Sine and cosine of a phase, and the phases of whole positions, over packets. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// The polynomial in z with these coefficients, the highest power first.
template <class D, class... Coefficients>
[[gnu::always_inline]] inline D series(D z, double highest, Coefficients... others) {
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

/// The first 64 bits of p x step, wrapped to a fraction of a turn, for whole positions p: what phase_of(step, p).high is.
///   p (high 2^64 + low) / 2^64,  modulo 2^64,  from products of 32-bit halves; p below 0 stands for p + 2^64, and the
/// product is then too large by 2^64 low.
template <class U>
[[gnu::always_inline]] inline U whole_phase(U p, U high, U low) {
  const U half(0xffffffff), upper = p >> 32, low_upper = low >> 32;
  const U middle = multiply_low(upper, low) + (multiply_low(p, low) >> 32);
  const U other = multiply_low(p, low_upper) + (middle & half);
  const U carried = multiply_low(upper, low_upper) + (middle >> 32) + (other >> 32);
  const U negative = U(std::uint64_t{0}) - (p >> 63);
  // p high modulo 2^64: the product of the upper halves falls out.
  const U crossed = multiply_low(upper, high) + multiply_low(p, high >> 32);
  return multiply_low(p, high) + (crossed << 32) + carried - (low & negative);
}

/// The same for p within [0, 2^32), where the product of the upper halves is nothing.
template <class U>
[[gnu::always_inline]] inline U short_phase(U p, U high, U low) {
  const U carried = multiply_low(p, low >> 32) + (multiply_low(p, low) >> 32);
  return multiply_short(p, high) + (carried >> 32);
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
