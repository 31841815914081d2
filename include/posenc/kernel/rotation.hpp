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

/// The same for a pair of which small rests are known too: the sums take them in before they round.
template <class V>
[[gnu::always_inline]] inline Turn<V> rotated(V a, V b, Turn<V> by, V a_rest, V b_rest) {
  const Turn<V> rest = rotated(a_rest, b_rest, by);
  return {fma(a, by.cosine, fma(-b, by.sine, rest.cosine)), fma(b, by.cosine, fma(a, by.sine, rest.sine))};
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
