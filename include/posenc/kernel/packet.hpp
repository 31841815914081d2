// Registers: a packet is as many numbers as one register of the target holds. This header and memory.hpp alone know
// instruction sets; every formula is written over packets. Included once for each target.
//
// POSENC_TARGET is 512 (AVX-512 F, DQ and VL), 256 (AVX2, FMA and F16C) or 0: whatever the compiler's flags say.
// Instructions are called by the names that GCC and Clang build in: <immintrin.h> would add half a second to every
// compilation.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

#if POSENC_TARGET != 0
inline constexpr int register_bytes = POSENC_TARGET / 8;
#else
inline constexpr int register_bytes = 16;
#endif

/// 32 registers, not 16.
#if POSENC_TARGET == 512 || (defined(__ARM_NEON) && defined(__aarch64__))
inline constexpr bool many_registers = true;
#else
inline constexpr bool many_registers = false;
#endif

/// True where a x b + c is one instruction with one rounding. Then every product-and-sum of the library is that
/// instruction, so that a value has the same bits wherever it stands.
#if POSENC_TARGET != 0 || defined(__FMA__) || (defined(__ARM_NEON) && defined(__aarch64__)) || defined(__FP_FAST_FMAF)
inline constexpr bool fused = true;
#else
inline constexpr bool fused = false;
#endif

/// a b + c; one rounding where the target has the instruction, two elsewhere.
[[gnu::always_inline]] inline double fma(double a, double b, double c) {
  if constexpr (fused) {
    return std::fma(a, b, c);
  } else {
    return a * b + c;
  }
}

template <class To, class From>
[[gnu::always_inline]] inline To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

/// The upper half of the product of two 32-bit numbers.
[[gnu::always_inline]] inline std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
}

#if defined(__GNUC__)

template <class T, int bytes>
struct RegisterOf {
  typedef T type __attribute__((vector_size(bytes)));
};
template <class T, int bytes = register_bytes>
using Register = typename RegisterOf<T, bytes>::type;

/// Lanes of two registers in a new order: a[i], or b[i - lanes] for i of lanes and more.
template <class R, class I, I... i>
[[gnu::always_inline]] inline R shuffled(R a, R b, std::integer_sequence<I, i...>) {
#if defined(__clang__)
  return __builtin_shufflevector(a, b, i...);
#else
  typedef I Order __attribute__((vector_size(sizeof(R))));
  return __builtin_shuffle(a, b, Order{i...});
#endif
}

/// One register of T: float, double or an unsigned integer, with the arithmetic of T in every lane.
template <class T>
struct Packet {
  static constexpr int lanes = register_bytes / static_cast<int>(sizeof(T));
  using R = Register<T>;
  R r;

  Packet() = default;
  [[gnu::always_inline]] Packet(R value) : r(value) {}
  [[gnu::always_inline]] Packet(T value) : r(value - R{}) {}  // not 0 + value, which is another sum for -0

  // Vectors may alias their elements, but only these, so what stands beside them need not be read again after a store.
  typedef R Unaligned __attribute__((aligned(alignof(T))));
  [[gnu::always_inline]] static Packet load(const T* from) { return R(*reinterpret_cast<const Unaligned*>(from)); }
  [[gnu::always_inline]] void store(T* to) const { *reinterpret_cast<Unaligned*>(to) = r; }

  [[gnu::always_inline]] friend Packet operator+(Packet a, Packet b) { return a.r + b.r; }
  [[gnu::always_inline]] friend Packet operator-(Packet a, Packet b) { return a.r - b.r; }
  // The sign alone: -0 of 0, which 0 - a is not.
  [[gnu::always_inline]] friend Packet operator-(Packet a) { return -a.r; }
  [[gnu::always_inline]] friend Packet operator*(Packet a, Packet b) { return a.r * b.r; }
  [[gnu::always_inline]] friend Packet operator&(Packet a, Packet b) { return a.r & b.r; }
  [[gnu::always_inline]] friend Packet operator|(Packet a, Packet b) { return a.r | b.r; }
  [[gnu::always_inline]] friend Packet operator^(Packet a, Packet b) { return a.r ^ b.r; }
  [[gnu::always_inline]] friend Packet operator~(Packet a) { return ~a.r; }
  [[gnu::always_inline]] friend Packet operator<<(Packet a, int bits) { return a.r << bits; }
  [[gnu::always_inline]] friend Packet operator>>(Packet a, int bits) { return a.r >> bits; }

  /// Neighbours changed over: (a0 a1 a2 a3 ..) -> (a1 a0 a3 a2 ..).
  [[gnu::always_inline]] Packet swapped() const {
    return ordered<0>(r, std::make_integer_sequence<LaneIndex, lanes>{});
  }
  /// The first halves of two packets, in turns: (a0 b0 a1 b1 ..); and the second halves.
  [[gnu::always_inline]] friend Packet first_in_turns(Packet a, Packet b) {
    return a.template ordered<1>(b.r, std::make_integer_sequence<LaneIndex, lanes>{});
  }
  [[gnu::always_inline]] friend Packet second_in_turns(Packet a, Packet b) {
    return a.template ordered<2>(b.r, std::make_integer_sequence<LaneIndex, lanes>{});
  }
  /// What stands at even places of two packets: (a0 a2 .. b0 b2 ..); and at odd ones.
  [[gnu::always_inline]] friend Packet evens(Packet a, Packet b) {
    return a.template ordered<3>(b.r, std::make_integer_sequence<LaneIndex, lanes>{});
  }
  [[gnu::always_inline]] friend Packet odds(Packet a, Packet b) {
    return a.template ordered<4>(b.r, std::make_integer_sequence<LaneIndex, lanes>{});
  }

 private:
  using LaneIndex = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  static constexpr LaneIndex place(int order, LaneIndex i) {
    if (order == 0) return i ^ 1;
    return order <= 2 ? i / 2 + i % 2 * lanes + (order - 1) * (lanes / 2) : 2 * i + (order - 3);
  }
  template <int order, LaneIndex... i>
  [[gnu::always_inline]] Packet ordered(R b, std::integer_sequence<LaneIndex, i...>) const {
    return shuffled(r, b, std::integer_sequence<LaneIndex, place(order, i)...>{});
  }
};

#if POSENC_TARGET == 512
/// What AVX-512 is told beside its numbers: to work in all lanes. The mask's type is the compiler's affair. The 4 that stands
/// with it is the rounding mode that is set.
struct AllLanes {
  template <class Mask>
  constexpr operator Mask() const {
    return static_cast<Mask>(-1);
  }
};
#endif

/// a b + c in one rounding where the target has the instruction.
template <class T>
[[gnu::always_inline]] inline Packet<T> fma(Packet<T> a, Packet<T> b, Packet<T> c) {
#if POSENC_TARGET == 512
  if constexpr (sizeof(T) == 4) return __builtin_ia32_vfmaddps512_mask(a.r, b.r, c.r, AllLanes{}, 4);
  if constexpr (sizeof(T) == 8) return __builtin_ia32_vfmaddpd512_mask(a.r, b.r, c.r, AllLanes{}, 4);
#elif POSENC_TARGET == 256
  if constexpr (sizeof(T) == 4) return __builtin_ia32_vfmaddps256(a.r, b.r, c.r);
  if constexpr (sizeof(T) == 8) return __builtin_ia32_vfmaddpd256(a.r, b.r, c.r);
#elif defined(__FMA__)
  if constexpr (sizeof(T) == 4) return __builtin_ia32_vfmaddps(a.r, b.r, c.r);
  if constexpr (sizeof(T) == 8) return __builtin_ia32_vfmaddpd(a.r, b.r, c.r);
#elif defined(__ARM_NEON) && defined(__aarch64__)
  if constexpr (sizeof(T) == 4) return Register<T>(vfmaq_f32(c.r, a.r, b.r));
  if constexpr (sizeof(T) == 8) return Register<T>(vfmaq_f64(c.r, a.r, b.r));
#else
  if constexpr (fused) {
    Packet<T> result;
    for (int i = 0; i < Packet<T>::lanes; ++i) result.r[i] = std::fma(a.r[i], b.r[i], c.r[i]);
    return result;
  } else {
    return a.r * b.r + c.r;
  }
#endif
}

/// A value as it is: -ffast-math would join it with a sum that it goes into, and round another way.
template <class T>
[[gnu::always_inline]] inline Packet<T> settled(Packet<T> value) {
#if defined(__FAST_MATH__) && POSENC_TARGET != 0
  asm("" : "+v"(value.r));
#elif defined(__FAST_MATH__) && defined(__SSE2__)
  asm("" : "+x"(value.r));
#elif defined(__FAST_MATH__) && defined(__ARM_NEON) && defined(__aarch64__)
  asm("" : "+w"(value.r));
#endif
  return value;
}

/// a b, rounded: no compiler may make one instruction of it and a sum that follows, as GCC does with a * b + c.
template <class T>
[[gnu::always_inline]] inline Packet<T> product(Packet<T> a, Packet<T> b) {
  if constexpr (fused) {
    return settled(fma(a, b, Packet<T>(T(0))));
  } else {
    return a * b;
  }
}

/// The same packet, read from memory once: GCC would read it again as an operand of every instruction that takes it.
template <class T>
[[gnu::always_inline]] inline Packet<T> in_register(Packet<T> packet) {
#if POSENC_TARGET != 0 && !defined(__clang__)
  asm("" : "+v"(packet.r));
#endif
  return packet;
}

/// The products of the lower 32 bits of every lane.
[[gnu::always_inline]] inline Packet<std::uint64_t> multiply_low(Packet<std::uint64_t> a, Packet<std::uint64_t> b) {
#if POSENC_TARGET == 512 && !defined(__clang__)  // which sees by itself that this is one instruction
  return bit_cast<Register<std::uint64_t>>(__builtin_ia32_pmuludq512_mask(
      bit_cast<Register<int>>(a.r), bit_cast<Register<int>>(b.r), Register<long long>{}, AllLanes{}));
#elif POSENC_TARGET == 256
  return bit_cast<Register<std::uint64_t>>(
      __builtin_ia32_pmuludq256(bit_cast<Register<int>>(a.r), bit_cast<Register<int>>(b.r)));
#elif defined(__SSE2__) && POSENC_TARGET == 0
  return bit_cast<Register<std::uint64_t>>(
      __builtin_ia32_pmuludq128(bit_cast<Register<int>>(a.r), bit_cast<Register<int>>(b.r)));
#else
  const Packet<std::uint64_t> low(std::uint64_t{0xffffffff});
  return (a & low) * (b & low);
#endif
}

/// The same of every lane, the even and the odd ones in turn.
[[gnu::always_inline]] inline Packet<std::uint32_t> multiply_high(Packet<std::uint32_t> a, Packet<std::uint32_t> b) {
  using U = Packet<std::uint64_t>;
  const U x = bit_cast<U>(a), y = bit_cast<U>(b), upper(~std::uint64_t{0xffffffff});
  return bit_cast<Packet<std::uint32_t>>(
      U((multiply_low(x, y) >> 32) | (multiply_low(U(x >> 32), U(y >> 32)) & upper)));
}

/// The products of a number below 2^32 and one of 64 bits, modulo 2^64.
[[gnu::always_inline]] inline Packet<std::uint64_t> multiply_short(Packet<std::uint64_t> a, Packet<std::uint64_t> b) {
#if POSENC_TARGET == 512
  return a * b;
#else
  return multiply_low(a, b) + (multiply_low(a, b >> 32) << 32);
#endif
}

#if defined(__clang__) || __GNUC__ >= 12
template <int... i>
[[gnu::always_inline]] inline Packet<float> joined(Register<float, register_bytes / 2> a,
                                                   Register<float, register_bytes / 2> b,
                                                   std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, i...);
}
#else
template <class Lanes>
[[gnu::always_inline]] inline Packet<float> joined(Register<float, register_bytes / 2> a,
                                                   Register<float, register_bytes / 2> b, Lanes) {
  Packet<float> both;
  std::memcpy(&both.r, &a, sizeof a);
  std::memcpy(reinterpret_cast<char*>(&both.r) + sizeof a, &b, sizeof b);
  return both;
}
#endif

/// The doubles of two packets as floats, rounded to nearest.
[[gnu::always_inline]] inline Packet<float> narrowed(const Packet<double> (&x)[2]) {
  using Part = Register<float, register_bytes / 2>;
  return joined(__builtin_convertvector(x[0].r, Part), __builtin_convertvector(x[1].r, Part),
                std::make_integer_sequence<int, Packet<float>::lanes>{});
}

// A packet of numbers from memory, and to memory with one rounding: of float and double, or of a 16-bit type as floats.

template <class S>
[[gnu::always_inline]] inline Packet<S> load(const S* from) {
  return Packet<S>::load(from);
}
template <class S>
[[gnu::always_inline]] inline void store(Packet<S> value, S* to) {
  value.store(to);
}

/// x where a > b, else y.
[[gnu::always_inline]] inline Packet<std::uint32_t> where_above(Packet<std::uint32_t> a, Packet<std::uint32_t> b,
                                                                Packet<std::uint32_t> x, Packet<std::uint32_t> y) {
  return a.r > b.r ? x.r : y.r;
}

#endif

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc

#if !defined(__GNUC__)
#include "posenc/kernel/one_lane.hpp"
#endif
