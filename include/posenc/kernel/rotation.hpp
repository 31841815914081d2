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

/// (c0 c1 ..), (s0 s1 ..) -> (c0 c0 c1 c1 ..), (-s0 s0 -s1 s1 ..): what each place of neighbouring pairs is turned by, in
/// two packets.
template <class V>
[[gnu::always_inline]] inline void spread(Turn<V> turn, Turn<V>& first, Turn<V>& second) {
  const V minus = -turn.sine;
  first = {first_in_turns(turn.cosine, turn.cosine), first_in_turns(minus, turn.sine)};
  second = {second_in_turns(turn.cosine, turn.cosine), second_in_turns(minus, turn.sine)};
}

/// Rotates pairs whose members stand in two places, a[i] and b[i].
template <class S, class In, class Out>
[[gnu::always_inline]] inline void rotate_apart(const In* a, const In* b, Out* a_out, Out* b_out, Turn<Packet<S>> by) {
  const Turn<Packet<S>> pairs = rotated(load<S>(a), load<S>(b), by);
  store(pairs.cosine, a_out);
  store(pairs.sine, b_out);
}
template <class S, class In, class Out>
[[gnu::always_inline]] inline void rotate_apart_some(const In* a, const In* b, Out* a_out, Out* b_out,
                                                     Turn<Packet<S>> by, int n) {
  const Turn<Packet<S>> pairs = rotated(load_some<S>(a, n), load_some<S>(b, n), by);
  store_some(pairs.cosine, a_out, n);
  store_some(pairs.sine, b_out, n);
}

/// Rotates neighbouring pairs (x[2i], x[2i+1]). The turn comes spread over both places of a pair, the sine with its sign,
/// so both are the second coordinate of `rotated`, each with the other as its partner.
template <class S, class In, class Out>
[[gnu::always_inline]] inline void rotate_neighbours(const In* x, Out* out, Turn<Packet<S>> spread) {
  const Packet<S> z = load<S>(x);
  store(rotated(z.swapped(), z, spread).sine, out);
}
template <class S, class In, class Out>
[[gnu::always_inline]] inline void rotate_neighbours_some(const In* x, Out* out, Turn<Packet<S>> spread, int n) {
  const Packet<S> z = load_some<S>(x, n);
  store_some(rotated(z.swapped(), z, spread).sine, out, n);
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
