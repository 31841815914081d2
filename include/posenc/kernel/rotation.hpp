// The rotation, written once, over packets. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// A packet of cosines and one of sines.
template <class V>
struct Turn {
  V cosine, sine;
};

/// The rotation of a pair, which all of posenc comes back to: RoPE, its inverse, its gradient and, with (a, b) a cosine and a
/// sine, the angle-addition formula by which the angles themselves are made.
///   (a, b) -> (a cos t - b sin t, b cos t + a sin t)         with a + ib = z, this is z e^(it)
template <class V>
[[gnu::always_inline]] inline Turn<V> rotated(V a, V b, Turn<V> by) {
  return {fma(a, by.cosine, -(b * by.sine)), fma(b, by.cosine, a * by.sine)};
}

/// The products of the rotation, each rounded, of which the turn forth and the turn back are two sums:
///   (a cos t - b sin t, b cos t + a sin t)  and  (a cos t + b sin t, b cos t - a sin t)
template <class V>
struct Products {
  V a_cosine, b_sine, b_cosine, a_sine;

  [[gnu::always_inline]] Products(V a, V b, Turn<V> by)
      : a_cosine(product(a, by.cosine)),
        b_sine(product(b, by.sine)),
        b_cosine(product(b, by.cosine)),
        a_sine(product(a, by.sine)) {}
  /// Of a pair of which small rests are known too: the products take them in before they round.
  [[gnu::always_inline]] Products(V a, V b, Turn<V> by, V a_rest, V b_rest)
      : a_cosine(fma(a, by.cosine, a_rest * by.cosine)),
        b_sine(fma(b, by.sine, b_rest * by.sine)),
        b_cosine(fma(b, by.cosine, b_rest * by.cosine)),
        a_sine(fma(a, by.sine, a_rest * by.sine)) {}

  /// Forth where the sign is 0, back where it is the sign bit.
  template <class Bits>
  [[gnu::always_inline]] Turn<V> turned(Bits sign) const {
    const V b_sine_signed = bit_cast<V>(Bits(bit_cast<Bits>(b_sine) ^ sign));
    const V a_sine_signed = bit_cast<V>(Bits(bit_cast<Bits>(a_sine) ^ sign));
    return {settled(a_cosine - b_sine_signed), settled(b_cosine + a_sine_signed)};
  }
  [[gnu::always_inline]] Turn<V> forth() const { return {settled(a_cosine - b_sine), settled(b_cosine + a_sine)}; }
  [[gnu::always_inline]] Turn<V> back() const { return {settled(a_cosine + b_sine), settled(b_cosine - a_sine)}; }
};

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
