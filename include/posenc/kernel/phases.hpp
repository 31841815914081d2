// The phases of whole positions, over packets: to 64 bits, and to 32 for float rows. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// The first 64 bits of p x step, wrapped to a fraction of a turn, for whole positions p: what phase_of(step, p).high is.
///   p (high 2^64 + low) / 2^64,  modulo 2^64,  from products of 32-bit halves; p below 0 stands for p + 2^64, and the
/// result is then too large by low.
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

/// The first 32 bits of p x step, wrapped to a fraction of a turn, too small by 0 to 4 units of the last (6e-9 radians at
/// most), or too large by less than one where p < 0. From 32-bit words, p = p1 2^32 + p0 and step = .. s3 s2 s1 s0:
///   p x step = s3 p0 + s2 p1 + (s2 p0 + s1 p1) / 2^32 + ..      in units of 2^-32 turn, modulo 2^32,
/// and p below 0 stands for p + 2^64, for which the product is too large by s1 and the words behind it.
template <class U>
[[gnu::always_inline]] inline U whole_phase32(U p0, U p1, U s3, U s2, U s1) {
  const U negative = U(0u) - (p1 >> 31);
  return p0 * s3 + p1 * s2 + multiply_high(p0, s2) + multiply_high(p1, s1) - (s1 & negative);
}
/// The same for p within [0, 2^32).
template <class U>
[[gnu::always_inline]] inline U short_phase32(U p0, U s3, U s2) {
  return p0 * s3 + multiply_high(p0, s2);
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
