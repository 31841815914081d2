// What stands for a register where the compiler has no vector types: one number, by the same formulas. Included by
// packet.hpp, once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

template <class T>
struct Packet {
  static constexpr int lanes = 1;
  T r;

  Packet() = default;
  Packet(T value) : r(value) {}

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
  // One lane each: (a, b) in turns is a, then b, and so are its even and its odd place.
  Packet swapped() const { return *this; }  // never asked for
  friend Packet first_in_turns(Packet a, Packet) { return a; }
  friend Packet second_in_turns(Packet, Packet b) { return b; }
  friend Packet evens(Packet a, Packet) { return a; }
  friend Packet odds(Packet, Packet b) { return b; }
};

template <class T>
Packet<T> fma(Packet<T> a, Packet<T> b, Packet<T> c) {
  if constexpr (fused) {
    return std::fma(a.r, b.r, c.r);
  } else {
    return a.r * b.r + c.r;
  }
}
template <class T>
Packet<T> product(Packet<T> a, Packet<T> b) {
  return a * b;
}
template <class T>
Packet<T> in_register(Packet<T> packet) {
  return packet;
}
template <class T>
Packet<T> settled(Packet<T> sum) {
  return sum;
}
inline Packet<std::uint64_t> multiply_low(Packet<std::uint64_t> a, Packet<std::uint64_t> b) {
  return (a.r & 0xffffffff) * (b.r & 0xffffffff);
}
inline Packet<std::uint32_t> multiply_high(Packet<std::uint32_t> a, Packet<std::uint32_t> b) {
  return static_cast<std::uint32_t>(std::uint64_t{a.r} * b.r >> 32);
}
inline Packet<std::uint64_t> multiply_short(Packet<std::uint64_t> a, Packet<std::uint64_t> b) { return a * b; }
inline Packet<float> narrowed(const Packet<double> (&x)[1]) { return static_cast<float>(x[0].r); }

template <class S>
Packet<S> load(const S* from) {
  return *from;
}
template <class S>
void store(Packet<S> value, S* to) {
  *to = value.r;
}
inline Packet<std::uint32_t> load_bits(const void* from) {
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}
inline void store_bits(Packet<std::uint32_t> value, void* to) {
  const auto bits = static_cast<std::uint16_t>(value.r);
  std::memcpy(to, &bits, sizeof bits);
}
inline Packet<std::uint32_t> where_above(Packet<std::uint32_t> a, Packet<std::uint32_t> b, Packet<std::uint32_t> x,
                                         Packet<std::uint32_t> y) {
  return a.r > b.r ? x : y;
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
