// Adding rows of codes. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// x <- scale x + code, for a packet, or its first n numbers.
template <class S, class T>
[[gnu::always_inline]] inline void add(T* x, Packet<S> scale, Packet<S> code, Index n) {
  if (n >= Packet<S>::lanes) {
    store(fma(load<S>(x), scale, code), x);
  } else if (n > 0) {
    store_some(fma(load_some<S>(x, static_cast<int>(n)), scale, code), x, static_cast<int>(n));
  }
}

/// x[i] <- scale x[i] + code[i] for n numbers, those of x at a stride.
template <class Scalar, class T>
void add_given(T* x, Index stride, Scalar scale, const Scalar* code, Index n) {
  using V = Packet<Scalar>;
  for (Index i = 0, m; i < n; i += m) {
    m = std::min(n - i, Index{V::lanes});
    const V codes = m == V::lanes ? load<Scalar>(code + i) : load_some<Scalar>(code + i, static_cast<int>(m));
    if (stride == 1) {
      add(x + i, V(scale), codes, m);
    } else {
      T numbers[V::lanes] = {};
      for (Index j = 0; j < m; ++j) numbers[j] = x[(i + j) * stride];
      add(numbers, V(scale), codes, V::lanes);
      for (Index j = 0; j < m; ++j) x[(i + j) * stride] = numbers[j];
    }
  }
}

/// Adds rows of sines and cosines to rows of x.
template <class Scalar, class T>
class CodeAdder {
  using V = Packet<Scalar>;
  static constexpr Index lanes = V::lanes;

 public:
  static constexpr Index pairs = code_pairs;

  CodeAdder(const HeadsView<T>& x, const CodePlaces& places, Scalar scale) : x_(x), places_(places), scale_(scale) {}

  void rows(const RowMaker<Scalar, pairs>& maker, Index i, Index m, Index k, Index n) const {
    const Index channel_stride = x_.channel_stride, step = places_.step * channel_stride;
    T* sines = x_.head(0, i, 0) + places_.sine * channel_stride + k * step;
    T* cosines = x_.head(0, i, 0) + places_.cosine * channel_stride + k * step;
    const Index cosine_count = std::min(n, places_.cosines - k);  // n, or one less at the end of an odd width
    const V scale(scale_);
    const Index even = channel_stride == 1 && lanes > 1 ? cosine_count / lanes * lanes : 0;
    if (even > 0) {
      if (places_.step == 2) {
        even_rows<true>(maker, sines, cosines, m, even);
      } else {
        even_rows<false>(maker, sines, cosines, m, even);
      }
    }
    if (even == n) return;
    for (Index row = 0; row < m; ++row, sines += x_.token_stride, cosines += x_.token_stride) {
      const auto small = maker.small(maker.offset() + row);
      for (Index j = even; j < n; j += lanes) {
        const Turn<V> turn = maker.anchor(j).turned_by(small, j);
        if (channel_stride != 1 || (places_.step == 2 && lanes == 1)) {
          add_scattered(turn.sine, sines + j * step, step, n - j);
          add_scattered(turn.cosine, cosines + j * step, step, cosine_count - j);
        } else if (places_.step == 2) {
          const Index left = n + cosine_count - 2 * j;
          add(sines + 2 * j, scale, first_in_turns(turn.sine, turn.cosine), left);
          add(sines + 2 * j + lanes, scale, second_in_turns(turn.sine, turn.cosine), left - lanes);
        } else {
          add(sines + j, scale, turn.sine, n - j);
          add(cosines + j, scale, turn.cosine, cosine_count - j);
        }
      }
    }
  }

 private:
  /// The first n pairs, full packets of them. Rows that mirror each other are made together. A function of its own, since
  /// registers are what it is about.
  template <bool in_turns>
  [[gnu::noinline]] void even_rows(const RowMaker<Scalar, pairs>& maker, T* sines, T* cosines, Index rows,
                                   Index n) const {
    const Index first = maker.offset(), token_stride = x_.token_stride;
    const V scale(scale_);
    const MirroredRows all(first, rows);
    for (Index r = 1; r <= all.mirrored; ++r) {
      const auto small = maker.mirrored(r);
      const Index ahead = (r - first) * token_stride, behind = (-r - first) * token_stride;
      for (Index j = 0; j < n; j += lanes) {
        Turn<V> forth, back;
        maker.anchor(j).turned_both(small, j, forth, back);
        add_packet<in_turns>(sines + ahead, cosines + ahead, j, scale, forth);
        add_packet<in_turns>(sines + behind, cosines + behind, j, scale, back);
      }
    }
    for (Index r = all.first_single(); r <= all.last; r = all.next_single(r)) {
      const auto small = maker.small(r);
      const Index at = (r - first) * token_stride;
      for (Index j = 0; j < n; j += lanes) {
        add_packet<in_turns>(sines + at, cosines + at, j, scale, maker.anchor(j).turned_by(small, j));
      }
    }
  }
  template <bool in_turns>
  [[gnu::always_inline]] static void add_packet(T* sines, T* cosines, Index j, V scale, Turn<V> code) {
    if constexpr (in_turns) {
      T* x = sines + 2 * j;
      add(x, scale, first_in_turns(code.sine, code.cosine), lanes);
      add(x + lanes, scale, second_in_turns(code.sine, code.cosine), lanes);
    } else {
      add(sines + j, scale, code.sine, lanes);
      add(cosines + j, scale, code.cosine, lanes);
    }
  }

  void add_scattered(V code, T* x, Index stride, Index n) const {
    Scalar codes[std::size_t{lanes}];
    store(code, codes);
    add_given(x, stride, scale_, codes, std::min(n, lanes));
  }

  HeadsView<T> x_;
  CodePlaces places_;
  Scalar scale_;
};

/// Adds codes to columns, of a matrix whose tokens stand side by side in memory. A function of its own, since the tile is
/// large and on the stack.
template <class Scalar, class T>
[[gnu::noinline]] void add_columns(const Ladder<AngleOf<Scalar>>& ladder, const Run* runs, Index count,
                                   const HeadsView<T>& x, const CodePlaces& places, Scalar scale) {
  using V = Packet<Scalar>;
  ColumnTile<Scalar> tile(ladder, runs, count, x.tokens, 1.0, false);
  for (Index k = 0; k < ladder.pairs; ++k) {
    if (k % tile.pairs() == 0) tile.make(k, std::min(k + tile.pairs(), ladder.pairs));
    T* sines = x.data + (places.sine + k * places.step) * x.channel_stride;
    T* cosines = x.data + (places.cosine + k * places.step) * x.channel_stride;
    for (Index i = 0; i < x.tokens; i += V::lanes) {
      add(sines + i, V(scale), load<Scalar>(tile.sine(k) + i), x.tokens - i);
      if (k < places.cosines) add(cosines + i, V(scale), load<Scalar>(tile.cosine(k) + i), x.tokens - i);
    }
  }
}

/// Adds the codes of the runs' positions.
template <class Scalar, class T>
void add_rows(const Ladder<AngleOf<Scalar>>& ladder, const Run* runs, Index count, const HeadsView<T>& x,
              const CodePlaces& places, Scalar scale) {
  if (x.token_stride == 1 && x.channel_stride != 1 && x.tokens > 1) {
    return add_columns(ladder, runs, count, x, places, scale);
  }
  CodeAdder<Scalar, T> adder(x, places, scale);
  for_each_run<Scalar>(ladder, runs, count, 1.0, false, ladder.pairs, adder);
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
