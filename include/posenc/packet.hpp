#pragma once
// Registers: a packet is as many numbers as one register of the target holds. This is the only header that knows
// instruction sets; every formula is written over packets or scalars alike.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "posenc/isa.hpp"

#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// True where a x b + c is one instruction with one rounding. Then every product-and-sum of the library is that
/// instruction, in packets and in single numbers, so that a value has the same bits wherever it stands.
#if defined(__FMA__) || (defined(__ARM_NEON) && defined(__aarch64__)) || defined(__FP_FAST_FMAF)
inline constexpr bool fused = true;
#else
inline constexpr bool fused = false;
#endif

template <class To, class From>
[[gnu::always_inline]] inline To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

/// a b + c; one rounding where the target has the instruction, two elsewhere.
template <class T>
[[gnu::always_inline]] inline T fma(T a, T b, T c) {
  if constexpr (fused) {
    return std::fma(a, b, c);
  } else {
    return a * b + c;
  }
}

#if defined(__GNUC__)

template <class T>
struct RegisterOf;
template <>
struct RegisterOf<float> {
  typedef float type __attribute__((vector_size(register_bytes)));
};
template <>
struct RegisterOf<double> {
  typedef double type __attribute__((vector_size(register_bytes)));
};
template <>
struct RegisterOf<std::uint64_t> {
  typedef std::uint64_t type __attribute__((vector_size(register_bytes)));
};

/// One register of T: float, double or std::uint64_t, with the arithmetic of T in every lane.
template <class T>
struct Packet {
  static constexpr int lanes = register_bytes / static_cast<int>(sizeof(T));
  using Register = typename RegisterOf<T>::type;
  Register r;

  Packet() : r{} {}
  Packet(Register value) : r(value) {}
  Packet(T value) : r(Register{} + value) {}

  static Packet load(const T* from) {
    Packet packet;
    std::memcpy(&packet.r, from, sizeof packet.r);
    return packet;
  }
  void store(T* to) const { std::memcpy(to, &r, sizeof r); }

  friend Packet operator+(Packet a, Packet b) { return a.r + b.r; }
  friend Packet operator-(Packet a, Packet b) { return a.r - b.r; }
  friend Packet operator-(Packet a) { return -a.r; }  // the sign alone: -0 of 0, which 0 - a is not
  friend Packet operator*(Packet a, Packet b) { return a.r * b.r; }
  friend Packet operator&(Packet a, Packet b) { return a.r & b.r; }
  friend Packet operator|(Packet a, Packet b) { return a.r | b.r; }
  friend Packet operator^(Packet a, Packet b) { return a.r ^ b.r; }
  friend Packet operator~(Packet a) { return ~a.r; }
  friend Packet operator<<(Packet a, int bits) { return a.r << bits; }
  friend Packet operator>>(Packet a, int bits) { return a.r >> bits; }

  /// Neighbours changed over: (x0 x1 x2 x3 ..) -> (x1 x0 x3 x2 ..).
  Packet swapped() const { return swapped(std::make_integer_sequence<LaneIndex, lanes>{}); }

 private:
  using LaneIndex = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  template <LaneIndex... lane>
  Packet swapped(std::integer_sequence<LaneIndex, lane...>) const {
#if defined(__clang__)
    return Register(__builtin_shufflevector(r, r, (lane ^ 1)...));
#else
    typedef LaneIndex Order __attribute__((vector_size(register_bytes)));
    return Register(__builtin_shuffle(r, Order{(lane ^ 1)...}));
#endif
  }
};

template <class T>
[[gnu::always_inline]] inline Packet<T> fma(Packet<T> a, Packet<T> b, Packet<T> c) {
  if constexpr (!fused) {
    return a.r * b.r + c.r;
  } else {
    Packet<T> result;
    for (int i = 0; i < Packet<T>::lanes; ++i) result.r[i] = std::fma(a.r[i], b.r[i], c.r[i]);
    return result;
  }
}

#if defined(__FMA__)
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__)
[[gnu::always_inline]] inline Packet<float> fma(Packet<float> a, Packet<float> b, Packet<float> c) {
  return Packet<float>::Register(_mm512_fmadd_ps(a.r, b.r, c.r));
}
[[gnu::always_inline]] inline Packet<double> fma(Packet<double> a, Packet<double> b, Packet<double> c) {
  return Packet<double>::Register(_mm512_fmadd_pd(a.r, b.r, c.r));
}
#else
[[gnu::always_inline]] inline Packet<float> fma(Packet<float> a, Packet<float> b, Packet<float> c) {
  return Packet<float>::Register(_mm256_fmadd_ps(a.r, b.r, c.r));
}
[[gnu::always_inline]] inline Packet<double> fma(Packet<double> a, Packet<double> b, Packet<double> c) {
  return Packet<double>::Register(_mm256_fmadd_pd(a.r, b.r, c.r));
}
#endif
#elif defined(__ARM_NEON) && defined(__aarch64__)
[[gnu::always_inline]] inline Packet<float> fma(Packet<float> a, Packet<float> b, Packet<float> c) {
  return Packet<float>::Register(vfmaq_f32(c.r, a.r, b.r));
}
[[gnu::always_inline]] inline Packet<double> fma(Packet<double> a, Packet<double> b, Packet<double> c) {
  return Packet<double>::Register(vfmaq_f64(c.r, a.r, b.r));
}
#endif

#else  // a compiler without vector types: one number at a time, by the same formulas

template <class T>
struct Packet {
  static constexpr int lanes = 1;
  T r;

  Packet() : r{} {}
  Packet(T value) : r(value) {}
  static Packet load(const T* from) { return *from; }
  void store(T* to) const { *to = r; }

  friend Packet operator+(Packet a, Packet b) { return a.r + b.r; }
  friend Packet operator-(Packet a, Packet b) { return a.r - b.r; }
  friend Packet operator-(Packet a) { return -a.r; }  // the sign alone: -0 of 0, which 0 - a is not
  friend Packet operator*(Packet a, Packet b) { return a.r * b.r; }
  friend Packet operator&(Packet a, Packet b) { return a.r & b.r; }
  friend Packet operator|(Packet a, Packet b) { return a.r | b.r; }
  friend Packet operator^(Packet a, Packet b) { return a.r ^ b.r; }
  friend Packet operator~(Packet a) { return ~a.r; }
  friend Packet operator<<(Packet a, int bits) { return a.r << bits; }
  friend Packet operator>>(Packet a, int bits) { return a.r >> bits; }
  Packet swapped() const { return *this; }  // no pair fits into one lane: the kernels never ask
};
template <class T>
Packet<T> fma(Packet<T> a, Packet<T> b, Packet<T> c) {
  return fma(a.r, b.r, c.r);
}

#endif

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
