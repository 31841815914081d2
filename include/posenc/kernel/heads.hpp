// Turning the pairs of heads, wherever they stand in memory. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// Copies channels [begin, end) of all heads of token t.
template <class Scalar, class In, class Out>
void copy_channels(const HeadsView<In>& x, const HeadsView<Out>& out, Index t, Index begin, Index end) {
  for (Index b = 0; b < x.batch; ++b) {
    for (Index h = 0; h < x.heads; ++h) {
      const In* from = x.head(b, t, h);
      Out* to = out.head(b, t, h);
      for (Index c = begin; c < end; ++c) {
        if constexpr (std::is_same_v<std::remove_const_t<In>, Out>) {
          to[c * out.channel_stride] = from[c * x.channel_stride];
        } else {
          store_some(load_some<Scalar>(from + c * x.channel_stride, 1), to + c * out.channel_stride, 1);
        }
      }
    }
  }
}

/// Turns rows of heads whose pairs are in this layout.
template <PairLayout layout, class Scalar, class In, class Out>
class HeadTurner {
  using V = Packet<Scalar>;
  using G = Group<layout, Scalar, std::remove_const_t<In>, Out>;
  static constexpr Index lanes = V::lanes, group = G::packets * lanes;

 public:
  /// Pairs that it takes at a time: all there are in most heads, since every piece goes through the rows of a block anew.
  static constexpr Index pairs = chunk_pairs;

  /// For rows from first_row of the views on.
  HeadTurner(const HeadsView<In>& x, const HeadsView<Out>& out, Index first_row, const PairPlaces& places)
      : x_(x),
        out_(out),
        first_row_(first_row),
        places_(places),
        is_large_(x.batch * x.tokens * x.heads * x.head_dim >= large / static_cast<Index>(sizeof(In))) {}

  /// Turns n pairs from pair k on of all heads of m rows from row i on: row by row, or head by head where that is the order
  /// of memory.
  void rows(const RowMaker<Scalar, pairs>& maker, Index i, Index m, Index k, Index n) {
    const Index first = places_.first(k);
    const bool by_heads = x_.head_stride > x_.token_stride;
    const Index outer = by_heads ? x_.heads : 1, inner = by_heads ? 1 : x_.heads;
    for (Index b = 0; b < x_.batch; ++b) {
      for (Index h = 0; h < outer; ++h) {
        const In* from = x_.head(b, first_row_ + i, h) + first * x_.channel_stride;
        Out* to = out_.head(b, first_row_ + i, h) + first * out_.channel_stride;
        if (!is_contiguous() || lanes == 1) {
          any_rows(maker, from, to, m, n, inner);
        } else if (inner == 1 && n % (packets_of_one * lanes) == 0) {
          for (Index j = 0; j < n; j += packets_of_one * lanes) {
            rows_of_one(maker, j, from + j * channels_each, to + j * channels_each, m,
                        std::make_integer_sequence<Index, packets_of_one>{});
          }
        } else if (n == 2 * lanes) {
          even_rows<2>(maker, from, to, m, inner);
        } else if (n == 4 * lanes) {
          even_rows<4>(maker, from, to, m, inner);
        } else if (n == 8 * lanes) {
          even_rows<8>(maker, from, to, m, inner);
        } else if (register_bytes == 16 && n == 16 * lanes) {
          even_rows<register_bytes == 16 ? 16 : 8>(maker, from, to, m, inner);
        } else {
          any_rows(maker, from, to, m, n, inner);
        }
      }
    }
  }

  /// Turns n pairs from pair k on of all heads of row i of a batch of one by given cosines and sines.
  void given_row(const Scalar* cosine, const Scalar* sine, Index i, Index k, Index n) {
    const Index first = places_.first(k);
    const In* from = x_.head(0, first_row_ + i, 0) + first * x_.channel_stride;
    Out* to = out_.head(0, first_row_ + i, 0) + first * out_.channel_stride;
    if (is_contiguous() && lanes > 1) {
      if (n == 2 * lanes) return even_given<2>(cosine, sine, from, to);
      if (n == 4 * lanes) return even_given<4>(cosine, sine, from, to);
      if (n == 8 * lanes) return even_given<8>(cosine, sine, from, to);
    }
    Turn<V> turn[std::size_t{chunk_packets}];
    for (Index j = 0; j < n; j += lanes) {
      const int m = static_cast<int>(std::min(lanes, n - j));
      turn[j / lanes] = given(load_some<Scalar>(cosine + j, m), load_some<Scalar>(sine + j, m));
    }
    keep(turn, n);
    turn_heads(from, to, n, x_.heads);
  }

 private:
  static constexpr Index chunk_packets = chunk_pairs / lanes, channels_each = layout == PairLayout::half ? 1 : 2;

  /// Whether asking ahead pays: not for 16-bit numbers or in short registers, where arithmetic is the limit, nor for data that
  /// goes elsewhere.
  static constexpr bool may_ask = sizeof(Out) >= 4 && register_bytes > 16 && !std::is_const_v<In>;

  bool is_contiguous() const { return x_.channel_stride == 1 && out_.channel_stride == 1; }

  [[gnu::noinline]] void any_rows(const RowMaker<Scalar, pairs>& maker, const In* from, Out* to, Index rows, Index n,
                                  Index heads) {
    Turn<V> turn[std::size_t{chunk_packets}];
    for (Index row = 0; row < rows; ++row, from += x_.token_stride, to += out_.token_stride) {
      const auto small = maker.small(maker.offset() + row);
      for (Index j = 0; j < n; j += lanes) turn[j / lanes] = maker.anchor(j).turned_by(small, j);
      keep(turn, n);
      turn_heads(from, to, n, heads);
    }
  }

  /// A few packets of pairs, whose anchors and turns stay in registers over all rows and heads; a function of its own, since
  /// registers are what it is about. Calling even_heads here made it slower.
  template <int packets>
  void even_rows(const RowMaker<Scalar, pairs>& maker, const In* from, Out* to, Index rows, Index heads) const {
    constexpr std::make_integer_sequence<Index, packets> all{};
    constexpr std::make_integer_sequence<Index, packets / G::packets> groups{};
    if (may_ask && is_large_) {
      even_rows_of<may_ask>(maker, from, to, rows, heads, all, groups);
    } else {
      even_rows_of<false>(maker, from, to, rows, heads, all, groups);
    }
  }
  template <bool asks, Index... p, Index... g>
  [[gnu::noinline]] void even_rows_of(const RowMaker<Scalar, pairs>& maker, const In* from, Out* to, Index rows,
                                      Index heads, std::integer_sequence<Index, p...>,
                                      std::integer_sequence<Index, g...>) const {
    const AnchorPacket<Scalar> anchor[] = {maker.anchor(p * lanes)...};
    const Index from_head = x_.head_stride, to_head = out_.head_stride;
    const Index from_row = x_.token_stride, to_row = out_.token_stride, partner = places_.partner_distance();
    for (Index row = 0; row < rows; ++row, from += from_row, to += to_row) {
      const auto small = maker.small(maker.offset() + row);
      const Turn<V> turn[] = {anchor[p].turned_by(small, p * lanes)...};
      Turn<V> by[sizeof...(g) * G::arranged];
      (G::arrange(turn + g * G::packets, by + g * G::arranged), ...);
      const In* x = from;
      Out* y = to;
      for (Index h = 0; h < heads; ++h, x += from_head, y += to_head) {
        (rotate_group<asks, g>(x, y, partner, by), ...);
      }
    }
  }
  template <bool asks, Index g>
  [[gnu::always_inline]] static void rotate_group(const In* x, Out* out, Index partner, const Turn<V>* by) {
    if constexpr (asks) {
      constexpr Index first = g * G::step, last = first + G::step;
      ask_ahead<first, last>(x);
      if constexpr (layout == PairLayout::half) ask_ahead<first, last>(x + partner);
    }
    G::rotate(x + g * G::step, out + g * G::step, partner, by + g * G::arranged);
  }
  /// The same for the heads of one row by given turns.
  template <int packets>
  void even_given(const Scalar* cosine, const Scalar* sine, const In* from, Out* to) const {
    even_given_of(cosine, sine, from, to, std::make_integer_sequence<Index, packets>{},
                  std::make_integer_sequence<Index, packets / G::packets>{});
  }
  template <Index... p, Index... g>
  [[gnu::noinline]] void even_given_of(const Scalar* cosine, const Scalar* sine, const In* from, Out* to,
                                       std::integer_sequence<Index, p...>, std::integer_sequence<Index, g...>) const {
    const Turn<V> turn[] = {given(load<Scalar>(cosine + p * lanes), load<Scalar>(sine + p * lanes))...};
    even_heads<g...>(turn, from, to, x_.heads);
  }
  /// A turn from the caller's table, in which any NaN may stand.
  [[gnu::always_inline]] static Turn<V> given(V cosine, V sine) {
    if constexpr (std::is_same_v<Out, BFloat> && lanes > 1) {
      return {with_short_nan(cosine), with_short_nan(sine)};
    } else {
      return {cosine, sine};
    }
  }
  template <Index... g>
  [[gnu::always_inline]] void even_heads(const Turn<V>* turn, const In* x, Out* out, Index heads) const {
    const Index from_head = x_.head_stride, to_head = out_.head_stride, partner = places_.partner_distance();
    Turn<V> by[sizeof...(g) * G::arranged];
    (G::arrange(turn + g * G::packets, by + g * G::arranged), ...);
    for (Index h = 0; h < heads; ++h, x += from_head, out += to_head) {
      (G::rotate(x + g * G::step, out + g * G::step, partner, by + g * G::arranged), ...);
    }
  }

  /// A few packets of pairs, from pair j on, of one head, where making the turns is half the work: rows that mirror each
  /// other together, and no more packets than the registers hold. SSE2 has no room even for one, so there the rows are
  /// gone through less often.
  static constexpr Index packets_of_one = register_bytes == 16 && !many_registers ? 8
                                          : many_registers || G::packets == 2     ? 2
                                                                                  : 1;
  template <Index... p>
  [[gnu::noinline]] void rows_of_one(const RowMaker<Scalar, pairs>& maker, Index j, const In* from, Out* to, Index rows,
                                     std::integer_sequence<Index, p...>) const {
    const AnchorPacket<Scalar> anchor[] = {maker.anchor(j + p * lanes)...};
    const Index first = maker.offset(), from_row = x_.token_stride, to_row = out_.token_stride;
    const Index partner = places_.partner_distance();
    const MirroredRows all(first, rows);
    for (Index r = 1; r <= all.mirrored; ++r) {
      const auto small = maker.mirrored(r);
      const Index ahead = maker.forward(r) - first, behind = -maker.forward(r) - first;
      Turn<V> forth[sizeof...(p)], back[sizeof...(p)];
      (anchor[p].turned_both(small, j + p * lanes, forth[p], back[p]), ...);
      turn_one(from + ahead * from_row, to + ahead * to_row, partner, forth);
      turn_one(from + behind * from_row, to + behind * to_row, partner, back);
    }
    for (Index r = all.first_single(); r <= all.last; r = all.next_single(r)) {
      const auto small = maker.small(r);
      const Turn<V> turn[] = {anchor[p].turned_by(small, j + p * lanes)...};
      turn_one(from + (r - first) * from_row, to + (r - first) * to_row, partner, turn);
    }
  }
  [[gnu::always_inline]] static void turn_one(const In* x, Out* out, Index partner, const Turn<V>* turn) {
    G::rotate_once(x, out, partner, turn);
    for (Index p = G::packets, at = G::step; p < packets_of_one; p += G::packets, at += G::step) {
      G::rotate_once(x + at, out + at, partner, turn + p);
    }
  }

  /// Keeps the turns of n pairs as the heads take them, the last group of them filled up.
  void keep(Turn<V>* turn, Index n) {
    for (Index j = (n + lanes - 1) / lanes; j % G::packets != 0; ++j) turn[j] = {V(Scalar(0)), V(Scalar(0))};
    for (Index g = 0; g * group < n; ++g) G::arrange(turn + g * G::packets, kept_ + g * G::arranged);
  }

  /// Heads by the turns kept: a part of each, as much as the registers hold the turns of, and then the next part. The row is
  /// in a cache by then.
  void turn_heads(const In* from, Out* to, Index n, Index heads) const {
    if (!is_contiguous()) {
      for (Index h = 0; h < heads; ++h) turn_scattered(from + h * x_.head_stride, to + h * out_.head_stride, n);
      return;
    }
    const Index full = n / group;
    Index g = 0;
    for (; g + 8 <= full; g += 8) groups_of_heads(g, from, to, heads, std::make_integer_sequence<Index, 8>{});
    if (g + 4 <= full) groups_of_heads(g, from, to, heads, std::make_integer_sequence<Index, 4>{}), g += 4;
    if (g + 2 <= full) groups_of_heads(g, from, to, heads, std::make_integer_sequence<Index, 2>{}), g += 2;
    if (g + 1 <= full) groups_of_heads(g, from, to, heads, std::make_integer_sequence<Index, 1>{}), g += 1;
    if (g * group == n) return;
    const Index partner = places_.partner_distance();
    for (Index h = 0; h < heads; ++h, from += x_.head_stride, to += out_.head_stride) {
      G::rotate_some(from + g * G::step, to + g * G::step, partner, kept_ + g * G::arranged, n - g * group);
    }
  }
  template <Index... g>
  [[gnu::noinline]] void groups_of_heads(Index first, const In* x, Out* out, Index heads,
                                         std::integer_sequence<Index, g...>) const {
    Turn<V> by[sizeof...(g) * G::arranged];
    std::copy_n(kept_ + first * G::arranged, sizeof...(g) * G::arranged, by);
    x += first * G::step;
    out += first * G::step;
    const Index partner = places_.partner_distance();
    for (Index h = 0; h < heads; ++h, x += x_.head_stride, out += out_.head_stride) {
      (G::rotate(x + g * G::step, out + g * G::step, partner, by + g * G::arranged), ...);
    }
  }

  template <class From, class To>
  [[gnu::always_inline]] void turn_kept(const From* from, To* to, Index n, Index partner) const {
    Index g = 0;
    for (; (g + 1) * group <= n; ++g) G::rotate(from + g * G::step, to + g * G::step, partner, kept_ + g * G::arranged);
    if (g * group == n) return;
    G::rotate_some(from + g * G::step, to + g * G::step, partner, kept_ + g * G::arranged, n - g * group);
  }

  /// By way of a contiguous copy.
  void turn_scattered(const In* from, Out* to, Index n) const {
    constexpr bool half = layout == PairLayout::half;
    std::remove_const_t<In> in[2 * chunk_pairs];
    Out out[2 * chunk_pairs];
    const Index step = half ? 1 : 2, second = half ? chunk_pairs : 1, partner = places_.partner_distance();
    for (Index j = 0; j < n; ++j) {
      in[step * j] = from[step * j * x_.channel_stride];
      in[step * j + second] = from[(step * j + partner) * x_.channel_stride];
    }
    turn_kept(in, out, n, second);
    for (Index j = 0; j < n; ++j) {
      to[step * j * out_.channel_stride] = out[step * j];
      to[(step * j + partner) * out_.channel_stride] = out[step * j + second];
    }
  }

  const HeadsView<In>& x_;
  const HeadsView<Out>& out_;
  Index first_row_;
  const PairPlaces& places_;
  bool is_large_;  // more than caches near the processor hold
  Turn<V> kept_[std::size_t{2 * chunk_packets}];
};

/// Turns the rows of all heads, from row `row` on, to the positions of the runs; a row at position 0 is left alone where the
/// factor is 1: R(0) is the identity to the last bit, the sign of a zero and the payload of a NaN included.
template <class Scalar, class In, class Out>
void rotate_rows(const Ladder<AngleOf<Scalar>>& ladder, const Run* runs, Index count, double factor,
                 const HeadsView<In>& x, const HeadsView<Out>& out, Index row, const PairPlaces& places, bool inverse) {
  const bool by_columns = x.token_stride == 1 && out.token_stride == 1 && x.channel_stride != 1 && x.tokens > 1;
  for (Index begin = 0, end; begin < count; begin = end) {
    Index rows = 0;
    const bool still = factor == 1.0 && is_zero(runs[begin].position, ladder.axes);
    for (end = begin; end < count; rows += runs[end++].rows) {
      if (still != (factor == 1.0 && is_zero(runs[end].position, ladder.axes))) break;
    }
    if (!still && by_columns) {
      rotate_columns<Scalar>(ladder, runs + begin, end - begin, row, rows, factor, x, out, places, inverse);
    } else if (!still && places.layout == PairLayout::half) {
      HeadTurner<PairLayout::half, Scalar, In, Out> turner(x, out, row, places);
      for_each_run<Scalar>(ladder, runs + begin, end - begin, factor, inverse, places.block_pairs, turner);
    } else if (!still) {
      HeadTurner<PairLayout::interleaved, Scalar, In, Out> turner(x, out, row, places);
      for_each_run<Scalar>(ladder, runs + begin, end - begin, factor, inverse, places.block_pairs, turner);
    }
    row += rows;
  }
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
