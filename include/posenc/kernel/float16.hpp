// The two 16-bit formats as floats and back, rounded to nearest, ties to even, a NaN staying one: half for targets
// without instructions for it, bfloat16 for all. Every packet of bits has one number in each lane's lower half. Included
// once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

using Bits = Packet<std::uint32_t>;

/// The upper half of a float: 1 sign, 8 exponent and 7 mantissa bits.
[[gnu::always_inline]] inline Packet<float> bfloat_to_float(Bits x) { return bit_cast<Packet<float>>(Bits(x << 16)); }

/// The bfloat16 nearest to a float, in the upper half of each lane; what is left below it says nothing. Of a NaN only where
/// the lower half is zero, as it is in what arithmetic makes of bfloat16 numbers.
[[gnu::always_inline]] inline Bits rounded_to_upper(Bits bits) {
  return bits + Bits(0x7fffu) + ((bits >> 16) & Bits(1u));
}

[[gnu::always_inline]] inline Bits float_to_bfloat(Packet<float> value) {
  const Bits bits = bit_cast<Bits>(value), nan = (bits >> 16) | Bits(0x40u);
  return where_above(bits & Bits(0x7fffffffu), Bits(0x7f800000u), nan, rounded_to_upper(bits) >> 16);
}

// IEEE 754 binary16: 1 sign, 5 exponent and 10 mantissa bits; the exponents' biases are 15 and 127, so a normal number's
// exponent grows by 112. No denormal float occurs, which -ffast-math may flush.

[[gnu::always_inline]] inline Packet<float> half_to_float(Bits x) {
  const Bits sign = (x & Bits(0x8000u)) << 16, magnitude = (x & Bits(0x7fffu)) << 13;
  const Bits normal = magnitude + Bits(112u << 23);
  // 0.m 2^-14, from 1.m 2^-14 less 2^-14; infinity and NaN take the largest exponent.
  const Bits small = bit_cast<Bits>(bit_cast<Packet<float>>(Bits(normal + Bits(1u << 23))) - Packet<float>(0x1p-14f));
  const Bits large = where_above(magnitude, Bits(0x7bffu << 13), normal + Bits(112u << 23), normal);
  return bit_cast<Packet<float>>(Bits(sign | where_above(Bits(0x400u << 13), magnitude, small, large)));
}

[[gnu::always_inline]] inline Bits float_to_half(Packet<float> value) {
  const Bits bits = bit_cast<Bits>(value), sign = (bits >> 16) & Bits(0x8000u), magnitude = bits & Bits(0x7fffffffu);
  const Bits last = (magnitude >> 13) & Bits(1u);
  const Bits normal = (magnitude - Bits(112u << 23) + Bits(0xfffu) + last) >> 13;
  // Added to 1/2, whose last bit is 2^-24 as that of a small half is, a small number is rounded by the addition.
  const Bits half(0x3f000000u);
  const Bits small = bit_cast<Bits>(bit_cast<Packet<float>>(magnitude) + bit_cast<Packet<float>>(half)) - half;
  const Bits nan = Bits(0x7e00u) | ((magnitude >> 13) & Bits(0x1ffu));
  const Bits finite = where_above(Bits(113u << 23), magnitude, small, normal);
  const Bits number = where_above(magnitude, Bits(0x477fefffu), Bits(0x7c00u), finite);
  return sign | where_above(magnitude, Bits(0x7f800000u), nan, number);
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
