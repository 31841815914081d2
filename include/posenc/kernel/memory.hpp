// Packets from memory and to memory: of 16-bit numbers, and of fewer than a packet has. Included by registers.hpp, once for each
// target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

#if defined(__GNUC__)
/// A packet of 16-bit numbers, one in the lower half of every lane.
[[gnu::always_inline]] inline Packet<std::uint32_t> load_bits(const void* from) {
  Register<short, register_bytes / 2> bits;
  std::memcpy(&bits, from, sizeof bits);
#if POSENC_TARGET == 512 && !defined(__clang__)
  return bit_cast<Register<std::uint32_t>>(__builtin_ia32_pmovzxwd512_mask(bits, Register<int>{}, AllLanes{}));
#elif POSENC_TARGET == 256 && !defined(__clang__)
  return bit_cast<Register<std::uint32_t>>(__builtin_ia32_pmovzxwd256(bits));
#else
  return __builtin_convertvector(bit_cast<Register<std::uint16_t, register_bytes / 2>>(bits), Register<std::uint32_t>);
#endif
}
[[gnu::always_inline]] inline void store_bits(Packet<std::uint32_t> value, void* to) {
#if POSENC_TARGET == 512 && !defined(__clang__)
  const auto bits = __builtin_ia32_pmovdw512_mask(bit_cast<Register<int>>(value.r), Register<short, 32>{}, AllLanes{});
#else
  const auto bits = __builtin_convertvector(value.r, Register<std::uint16_t, register_bytes / 2>);
#endif
  std::memcpy(to, &bits, sizeof bits);
}
#endif

template <class S>
[[gnu::always_inline]] inline Packet<S> load(const Half* from) {
  static_assert(std::is_same_v<S, float>, "16-bit numbers are computed in float");
#if POSENC_TARGET == 512
  Register<short, register_bytes / 2> bits;
  std::memcpy(&bits, from, sizeof bits);
  return __builtin_ia32_vcvtph2ps512_mask(bits, Register<float>{}, AllLanes{}, 4);
#elif POSENC_TARGET == 256
  Register<short, register_bytes / 2> bits;
  std::memcpy(&bits, from, sizeof bits);
  return __builtin_ia32_vcvtph2ps256(bits);
#else
  return half_to_float(load_bits(from));
#endif
}
[[gnu::always_inline]] inline void store(Packet<float> value, Half* to) {
#if POSENC_TARGET == 512
  auto bits = __builtin_ia32_vcvtps2ph512_mask(value.r, 4, Register<short, 32>{}, AllLanes{});
#elif POSENC_TARGET == 256
  auto bits = __builtin_ia32_vcvtps2ph256(value.r, 4);
#else
  store_bits(float_to_half(value), to);
#endif
#if POSENC_TARGET != 0
  asm("" : "+v"(bits));  // in a register first: the instruction that converts into memory is slower than two
  std::memcpy(to, &bits, sizeof bits);
#endif
}

template <class S>
[[gnu::always_inline]] inline Packet<S> load(const BFloat* from) {
  static_assert(std::is_same_v<S, float>, "16-bit numbers are computed in float");
  return bfloat_to_float(load_bits(from));
}
[[gnu::always_inline]] inline void store(Packet<float> value, BFloat* to) { store_bits(float_to_bfloat(value), to); }

#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/// Two packets of bfloat16 at once: the numbers at even places and those at odd places, each in its half of a lane. A
/// shift and a mask make floats of them, and nothing moves from lane to lane.
[[gnu::always_inline]] inline void load_in_turns(const BFloat* from, Packet<float>& even, Packet<float>& odd) {
  Bits bits;
  std::memcpy(&bits.r, from, sizeof bits.r);
  even = bfloat_to_float(bits);
  odd = bit_cast<Packet<float>>(Bits(bits & Bits(0xffff0000u)));
}
/// A NaN with nothing below what bfloat16 holds, as arithmetic makes it of bfloat16 numbers; any other number as it is.
[[gnu::always_inline]] inline Packet<float> with_short_nan(Packet<float> value) {
  const Bits bits = bit_cast<Bits>(value), short_nan = (bits | Bits(0x400000u)) & Bits(0xffff0000u);
  return bit_cast<Packet<float>>(where_above(bits & Bits(0x7fffffffu), Bits(0x7f800000u), short_nan, bits));
}
/// Rounded to nearest; a NaN is one that arithmetic made of bfloat16 numbers.
[[gnu::always_inline]] inline void store_in_turns(Packet<float> even, Packet<float> odd, BFloat* to) {
  const Bits lower = rounded_to_upper(bit_cast<Bits>(even)) >> 16;
  const Bits upper = rounded_to_upper(bit_cast<Bits>(odd)) & Bits(0xffff0000u);
  const Bits bits = lower | upper;
  std::memcpy(static_cast<void*>(to), &bits.r, sizeof bits.r);
}
#endif

/// The first n <= lanes numbers of a packet; the others are 0 when loaded and stay as they are when stored.
template <class S, class T>
[[gnu::always_inline]] inline Packet<S> load_some(const T* from, int n) {
#if POSENC_TARGET == 512
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_ia32_loadups512_mask(from, Register<float>{}, static_cast<std::uint16_t>((1u << n) - 1));
  } else if constexpr (std::is_same_v<T, double>) {
    return __builtin_ia32_loadupd512_mask(from, Register<double>{}, static_cast<std::uint8_t>((1u << n) - 1));
  }
#endif
  T numbers[Packet<S>::lanes] = {};
  for (int i = 0; i < n; ++i) numbers[i] = from[i];
  return load<S>(numbers);
}
template <class S, class T>
[[gnu::always_inline]] inline void store_some(Packet<S> value, T* to, int n) {
#if POSENC_TARGET == 512
  if constexpr (std::is_same_v<T, float>) {
    return __builtin_ia32_storeups512_mask(to, value.r, static_cast<std::uint16_t>((1u << n) - 1));
  } else if constexpr (std::is_same_v<T, double>) {
    return __builtin_ia32_storeupd512_mask(to, value.r, static_cast<std::uint8_t>((1u << n) - 1));
  }
#endif
  T numbers[Packet<S>::lanes];
  store(value, numbers);
  for (int i = 0; i < n; ++i) to[i] = numbers[i];
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
