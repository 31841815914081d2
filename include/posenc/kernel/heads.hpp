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

/// Turns rows of heads.
template <class Scalar, class In, class Out>
class HeadTurner {
  using V = Packet<Scalar>;
  static constexpr Index lanes = V::lanes;

 public:
  /// Pairs that it takes at a time: all there are in most heads, since every piece goes through the rows of a block anew.
  static constexpr Index pairs = chunk_pairs;

  /// For rows from first_row of the views on.
  HeadTurner(const HeadsView<In>& x, const HeadsView<Out>& out, Index first_row, const PairPlaces& places, bool inverse)
      : x_(x), out_(out), first_row_(first_row), places_(places), sign_(inverse ? Scalar(-1) : Scalar(1)) {}

  /// Turns n pairs from pair k on of all heads of m rows from row i on: row by row, or head by head where that is the order
  /// of memory.
  void rows(const RowMaker<Scalar>& maker, Index i, Index m, Index k, Index n) {
    const Index first = places_.first(k);
    const bool by_heads = x_.head_stride > x_.token_stride;
    const Index outer = by_heads ? x_.heads : 1, inner = by_heads ? 1 : x_.heads;
    for (Index b = 0; b < x_.batch; ++b) {
      for (Index h = 0; h < outer; ++h) {
        const In* from = x_.head(b, first_row_ + i, h) + first * x_.channel_stride;
        Out* to = out_.head(b, first_row_ + i, h) + first * out_.channel_stride;
        if (is_contiguous() && n == 2 * lanes && lanes > 1) {
          even_rows<0, 1>(maker, from, to, m, inner);
        } else if (is_contiguous() && n == 4 * lanes && lanes > 1) {
          even_rows<0, 1, 2, 3>(maker, from, to, m, inner);
        } else if (is_contiguous() && n == 8 * lanes && lanes > 1) {
          even_rows<0, 1, 2, 3, 4, 5, 6, 7>(maker, from, to, m, inner);
        } else {
          any_rows(maker, from, to, m, n, inner);
        }
      }
    }
  }

  /// The same for row i by given cosines and sines.
  void given_row(const Scalar* cosine, const Scalar* sine, Index i, Index k, Index n) {
    for (Index j = 0; j < n; j += lanes) {
      const int m = static_cast<int>(std::min(lanes, n - j));
      keep({load_some<Scalar>(cosine + j, m), load_some<Scalar>(sine + j, m)}, j);
    }
    const Index first = places_.first(k);
    for (Index b = 0; b < x_.batch; ++b) {
      turn_heads(x_.head(b, first_row_ + i, 0) + first * x_.channel_stride,
                 out_.head(b, first_row_ + i, 0) + first * out_.channel_stride, n, x_.heads);
    }
  }

 private:
  bool is_contiguous() const { return x_.channel_stride == 1 && out_.channel_stride == 1; }
  bool is_half() const { return places_.layout == PairLayout::half; }

  [[gnu::noinline]] void any_rows(const RowMaker<Scalar>& maker, const In* from, Out* to, Index rows, Index n,
                                  Index heads) {
    const auto *c = maker.small_cosine(), *s = maker.small_sine();
    for (Index row = 0; row < rows; ++row, from += x_.token_stride, to += out_.token_stride) {
      for (Index j = 0; j < n; j += lanes) keep(maker.anchor(j).turned_by(c + j, s + j), j);
      turn_heads(from, to, n, heads);
      c += maker.stride();
      s += maker.stride();
    }
  }

  /// A few packets of pairs, whose anchors and turns stay in registers over all rows and heads; a function of its own, since
  /// registers are what it is about.
  template <Index... p>
  void even_rows(const RowMaker<Scalar>& maker, const In* from, Out* to, Index rows, Index heads) const {
    is_half() ? even_rows_of<true, p...>(maker, from, to, rows, heads)
              : even_rows_of<false, p...>(maker, from, to, rows, heads);
  }
  template <bool half, Index... p>
  [[gnu::noinline]] void even_rows_of(const RowMaker<Scalar>& maker, const In* from, Out* to, Index rows,
                                      Index heads) const {
    const AnchorPacket<Scalar> anchor[] = {maker.anchor(p * lanes)...};
    const V sign(sign_);
    const auto *c = maker.small_cosine(), *s = maker.small_sine();
    const Index from_head = x_.head_stride, to_head = out_.head_stride, stride = maker.stride();
    const Index from_row = x_.token_stride, to_row = out_.token_stride;
    [[maybe_unused]] const Index partner = places_.partner_distance();
    for (Index row = 0; row < rows; ++row, from += from_row, to += to_row, c += stride, s += stride) {
      Turn<V> turn[] = {anchor[p].turned_by(c + p * lanes, s + p * lanes)...};
      ((turn[p].sine = turn[p].sine * sign), ...);
      const In* x = from;
      Out* y = to;
      if constexpr (half) {
        for (Index h = 0; h < heads; ++h, x += from_head, y += to_head) {
          (rotate_apart(x + p * lanes, x + partner + p * lanes, y + p * lanes, y + partner + p * lanes, turn[p]), ...);
        }
      } else {
        Turn<V> first[sizeof...(p)], second[sizeof...(p)];
        (spread(turn[p], first[p], second[p]), ...);
        for (Index h = 0; h < heads; ++h, x += from_head, y += to_head) {
          ((rotate_neighbours(x + 2 * p * lanes, y + 2 * p * lanes, first[p]),
            rotate_neighbours(x + (2 * p + 1) * lanes, y + (2 * p + 1) * lanes, second[p])),
           ...);
        }
      }
    }
  }

  /// Keeps a turn in the form in which the heads take it: one for neighbours is spread over both of their places.
  [[gnu::always_inline]] void keep(Turn<V> turn, Index j) {
    turn.sine = turn.sine * V(sign_);
    if (is_half() || lanes == 1) {
      store(turn.cosine, cosine_ + j);
      store(turn.sine, sine_ + j);
    } else {
      Turn<V> first, second;
      spread(turn, first, second);
      store(first.cosine, cosine_ + 2 * j);
      store(first.sine, sine_ + 2 * j);
      store(second.cosine, cosine_ + 2 * j + lanes);
      store(second.sine, sine_ + 2 * j + lanes);
    }
  }
  [[gnu::always_inline]] Turn<V> kept(Index j) const { return {load<Scalar>(cosine_ + j), load<Scalar>(sine_ + j)}; }

  /// Heads by the turns kept.
  void turn_heads(const In* from, Out* to, Index n, Index heads) const {
    const Index partner = places_.partner_distance();
    for (Index h = 0; h < heads; ++h, from += x_.head_stride, to += out_.head_stride) {
      if (is_contiguous()) {
        turn_kept(from, to, n, partner);
      } else {
        turn_scattered(from, to, n, partner);
      }
    }
  }

  template <class From, class To>
  [[gnu::always_inline]] void turn_kept(const From* from, To* to, Index n, Index partner) const {
    Index j = 0;
    if (is_half()) {
      for (; j + lanes <= n; j += lanes) {
        rotate_apart(from + j, from + partner + j, to + j, to + partner + j, kept(j));
      }
      if (j < n) {
        rotate_apart_some(from + j, from + partner + j, to + j, to + partner + j, kept(j), static_cast<int>(n - j));
      }
    } else if constexpr (lanes == 1) {
      for (; j < n; ++j) rotate_apart(from + 2 * j, from + 2 * j + 1, to + 2 * j, to + 2 * j + 1, kept(j));
    } else {
      for (; j + lanes <= 2 * n; j += lanes) rotate_neighbours(from + j, to + j, kept(j));
      if (j < 2 * n) rotate_neighbours_some(from + j, to + j, kept(j), static_cast<int>(2 * n - j));
    }
  }

  /// By way of a contiguous copy.
  void turn_scattered(const In* from, Out* to, Index n, Index partner) const {
    std::remove_const_t<In> in[2 * chunk_pairs];
    Out out[2 * chunk_pairs];
    const Index step = is_half() ? 1 : 2, second = is_half() ? chunk_pairs : 1;
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
  Scalar sign_;
  alignas(64) Scalar cosine_[2 * chunk_pairs];
  alignas(64) Scalar sine_[2 * chunk_pairs];
};

/// Turns heads whose tokens stand side by side in memory (a column-major matrix), a column of pairs at a time. A function of
/// its own, since the tile is large and on the stack.
template <class Scalar, class In, class Out>
[[gnu::noinline]] void rotate_columns(const Ladder<AngleOf<Scalar>>& ladder, const Run* runs, Index count,
                                      Index first_row, Index rows, double factor, const HeadsView<In>& x,
                                      const HeadsView<Out>& out, const PairPlaces& places, bool inverse) {
  using V = Packet<Scalar>;
  const Index partner = places.partner_distance();
  ColumnTile<Scalar> tile(inverse);
  for (Index first = 0, last; first < ladder.pairs; first = last) {
    last = std::min(first + tile.pairs, ladder.pairs);
    for (Index k = first; k < last; ++k) tile.make(ladder, runs, count, factor, k);
    for (Index b = 0; b < x.batch; ++b) {
      for (Index h = 0; h < x.heads; ++h) {
        for (Index k = first; k < last; ++k) {  // innermost, since columns of one head are neighbours in memory
          const In* from = x.head(b, first_row, h) + places.first(k) * x.channel_stride;
          Out* to = out.head(b, first_row, h) + places.first(k) * out.channel_stride;
          const In* other = from + partner * x.channel_stride;
          Out* to_other = to + partner * out.channel_stride;
          const Scalar *c = tile.cosine(k), *s = tile.sine(k);
          Index i = 0;
          for (; i + V::lanes <= rows; i += V::lanes) {
            rotate_apart<Scalar>(from + i, other + i, to + i, to_other + i, {load<Scalar>(c + i), load<Scalar>(s + i)});
          }
          if (i == rows) continue;
          rotate_apart_some<Scalar>(from + i, other + i, to + i, to_other + i,
                                    {load<Scalar>(c + i), load<Scalar>(s + i)}, static_cast<int>(rows - i));
        }
      }
    }
  }
}

/// Turns the rows of all heads to the positions of the runs; a row at position 0 is left alone where the factor is 1: R(0) is
/// the identity to the last bit, the sign of a zero and the payload of a NaN included.
template <class Scalar, class In, class Out>
void rotate_rows(const Ladder<AngleOf<Scalar>>& ladder, const Run* runs, Index count, double factor,
                 const HeadsView<In>& x, const HeadsView<Out>& out, const PairPlaces& places, bool inverse) {
  const bool by_columns = x.token_stride == 1 && out.token_stride == 1 && x.channel_stride != 1 && x.tokens > 1;
  for (Index begin = 0, end, row = 0; begin < count; begin = end) {
    Index rows = 0;
    const bool still = factor == 1.0 && is_zero(runs[begin].position, ladder.axes);
    for (end = begin; end < count; rows += runs[end++].rows) {
      if (still != (factor == 1.0 && is_zero(runs[end].position, ladder.axes))) break;
    }
    if (!still && by_columns) {
      rotate_columns<Scalar>(ladder, runs + begin, end - begin, row, rows, factor, x, out, places, inverse);
    } else if (!still) {
      HeadTurner<Scalar, In, Out> turner(x, out, row, places, inverse);
      for_each_run<Scalar>(ladder, runs + begin, end - begin, factor, places.block_pairs, turner);
    }
    row += rows;
  }
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
