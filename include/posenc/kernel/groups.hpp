// Turning a group of pairs of a head, as many as fill a few registers. What the registers hold depends on the layout and on
// the type of the numbers; the turns are arranged alike, once for all heads. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// Pairs whose members stand in two places, a[i] and b[i].
template <class S, class In, class Out>
[[gnu::always_inline]] inline void rotate_apart(const In* a, const In* b, Out* a_out, Out* b_out, Turn<Packet<S>> by) {
  const Turn<Packet<S>> pairs = rotated(load<S>(a), load<S>(b), by);
  store(pairs.cosine, a_out);
  store(pairs.sine, b_out);
}
template <class S, class In, class Out>
[[gnu::always_inline]] inline void rotate_apart_some(const In* a, const In* b, Out* a_out, Out* b_out,
                                                     Turn<Packet<S>> by, Index n) {
  const int count = static_cast<int>(n);
  const Turn<Packet<S>> pairs = rotated(load_some<S>(a, count), load_some<S>(b, count), by);
  store_some(pairs.cosine, a_out, count);
  store_some(pairs.sine, b_out, count);
}

/// Half: a packet of first members, and one of second members `partner` behind it.
template <PairLayout layout, class S, class In, class Out>
struct Group {
  static constexpr Index lanes = Packet<S>::lanes;
  using By = Turn<Packet<S>>;
  /// The packets of turns that a group takes, those it is arranged in, and how far it is to the next group.
  static constexpr Index packets = 1, arranged = 1, step = lanes;

  [[gnu::always_inline]] static void arrange(const By* turn, By* by) { by[0] = turn[0]; }
  [[gnu::always_inline]] static void rotate(const In* x, Out* out, Index partner, const By* by) {
    rotate_apart(x, x + partner, out, out + partner, by[0]);
  }
  /// By turns that are not arranged, where there is one head to take them.
  [[gnu::always_inline]] static void rotate_once(const In* x, Out* out, Index partner, const By* turn) {
    rotate(x, out, partner, turn);
  }
  /// The first n pairs of it.
  [[gnu::always_inline]] static void rotate_some(const In* x, Out* out, Index partner, const By* by, Index n) {
    rotate_apart_some(x, x + partner, out, out + partner, by[0], n);
  }
};

/// Interleaved: two packets of neighbours (a0 b0 a1 b1 ..). With the turn spread over both places of a pair, the sine with
/// its sign, each place is the second coordinate of `rotated` and has the other as its partner.
template <class S, class In, class Out>
struct Group<PairLayout::interleaved, S, In, Out> {
  static constexpr Index lanes = Packet<S>::lanes;
  using By = Turn<Packet<S>>;
  static constexpr Index packets = 1, arranged = 2, step = 2 * lanes;

  /// (c0 c1 ..), (s0 s1 ..) -> (c0 c0 c1 c1 ..), (-s0 s0 -s1 s1 ..)
  [[gnu::always_inline]] static void arrange(const By* turn, By* by) {
    const Packet<S> c = turn[0].cosine, s = turn[0].sine, minus = -s;
    by[0] = {first_in_turns(c, c), first_in_turns(minus, s)};
    by[1] = {second_in_turns(c, c), second_in_turns(minus, s)};
  }
  [[gnu::always_inline]] static void rotate(const In* x, Out* out, Index partner, const By* by) {
    if constexpr (lanes == 1) {  // by[1] is the turn itself
      rotate_apart(x, x + partner, out, out + partner, by[1]);
    } else {
      for (int i = 0; i < 2; ++i) {
        const Packet<S> z = load<S>(x + i * lanes);
        store(rotated(z.swapped(), z, by[i]).sine, out + i * lanes);
      }
    }
  }
  /// By turns not arranged, for one head: its pairs taken apart and put together again are less work.
  [[gnu::always_inline]] static void rotate_once(const In* x, Out* out, Index, const By* turn) {
    const Packet<S> first = load<S>(x), second = load<S>(x + lanes);
    const By turned = rotated(evens(first, second), odds(first, second), turn[0]);
    store(first_in_turns(turned.cosine, turned.sine), out);
    store(second_in_turns(turned.cosine, turned.sine), out + lanes);
  }
  [[gnu::always_inline]] static void rotate_some(const In* x, Out* out, Index, const By* by, Index n) {
    for (int i = 0; i < 2; ++i) {
      const int count = static_cast<int>(std::min(lanes, 2 * n - i * lanes));
      if (count <= 0) return;
      const Packet<S> z = load_some<S>(x + i * lanes, count);
      store_some(rotated(z.swapped(), z, by[i]).sine, out + i * lanes, count);
    }
  }
};

#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/// A group of bfloat16 that is not full, by way of a full one: the n numbers at `at` and those `partner` behind them, or 2 n
/// numbers where the partner is the neighbour.
template <class G>
[[gnu::always_inline]] inline void rotate_in_copy(const BFloat* x, BFloat* out, Index partner, const typename G::By* by,
                                                  Index n) {
  BFloat numbers[2 * G::pairs] = {};
  const Index own = partner == 1 ? 2 : 1, other = partner == 1 ? 1 : G::pairs;
  for (Index i = 0; i < n; ++i) {
    numbers[own * i] = x[own * i];
    numbers[own * i + other] = x[own * i + partner];
  }
  G::rotate(numbers, numbers, other, by);
  for (Index i = 0; i < n; ++i) {
    out[own * i] = numbers[own * i];
    out[own * i + partner] = numbers[own * i + other];
  }
}

/// bfloat16, half: twice as many pairs, those at even and those at odd places.
template <>
struct Group<PairLayout::half, float, BFloat, BFloat> {
  using V = Packet<float>;
  using By = Turn<V>;
  static constexpr Index packets = 2, arranged = 2, step = 2 * V::lanes, pairs = 2 * V::lanes;

  [[gnu::always_inline]] static void arrange(const By* turn, By* by) {
    by[0] = {evens(turn[0].cosine, turn[1].cosine), evens(turn[0].sine, turn[1].sine)};
    by[1] = {odds(turn[0].cosine, turn[1].cosine), odds(turn[0].sine, turn[1].sine)};
  }
  [[gnu::always_inline]] static void rotate(const BFloat* x, BFloat* out, Index partner, const By* by) {
    V a[2], b[2];
    load_in_turns(x, a[0], a[1]);
    load_in_turns(x + partner, b[0], b[1]);
    const By even = rotated(a[0], b[0], by[0]), odd = rotated(a[1], b[1], by[1]);
    store_in_turns(even.cosine, odd.cosine, out);
    store_in_turns(even.sine, odd.sine, out + partner);
  }
  [[gnu::always_inline]] static void rotate_once(const BFloat* x, BFloat* out, Index partner, const By* turn) {
    By by[2];
    arrange(turn, by);
    rotate(x, out, partner, by);
  }
  static void rotate_some(const BFloat* x, BFloat* out, Index partner, const By* by, Index n) {
    rotate_in_copy<Group>(x, out, partner, by, n);
  }
};

/// bfloat16, interleaved: what stands at even places are the first members, so the turn is taken as it is.
template <>
struct Group<PairLayout::interleaved, float, BFloat, BFloat> {
  using V = Packet<float>;
  using By = Turn<V>;
  static constexpr Index packets = 1, arranged = 1, step = 2 * V::lanes, pairs = V::lanes;

  [[gnu::always_inline]] static void arrange(const By* turn, By* by) { by[0] = turn[0]; }
  [[gnu::always_inline]] static void rotate(const BFloat* x, BFloat* out, Index, const By* by) {
    V a, b;
    load_in_turns(x, a, b);
    const By turned = rotated(a, b, by[0]);
    store_in_turns(turned.cosine, turned.sine, out);
  }
  [[gnu::always_inline]] static void rotate_once(const BFloat* x, BFloat* out, Index partner, const By* turn) {
    rotate(x, out, partner, turn);
  }
  static void rotate_some(const BFloat* x, BFloat* out, Index partner, const By* by, Index n) {
    rotate_in_copy<Group>(x, out, partner, by, n);
  }
};

#endif

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
