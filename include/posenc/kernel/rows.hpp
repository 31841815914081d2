// Rows of cosines and sines, made from positions alone. Nothing is kept from call to call and there is no table of the
// sequence's length: with p = B q + r the row at p is the row at B q turned by r omega_k,
//   cos(p w) = cos(Bq w) cos(r w) - sin(Bq w) sin(r w)        sin(p w) = sin(Bq w) cos(r w) + cos(Bq w) sin(r w)
// which is the pair rotation once more. The row at B q, the anchor, comes from exact phases, once for up to B rows; the B
// small rotations are made when the encoder is. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// What rows are turned in. Float rows are turned in float where products are fused; the anchor then brings along what its
/// floats leave out, or the roundings could add up to 1.7e-7. Elsewhere they are turned in double and rounded once.
template <class Scalar>
using AngleOf = std::conditional_t<fused, Scalar, double>;

/// Cosines and sines of up to n phases: as Angles, and what these leave out.
template <class Scalar, std::size_t n>
struct Anchors {
  using Angle = AngleOf<Scalar>;
  alignas(64) Angle cosine[n];
  alignas(64) Angle sine[n];
  alignas(64) Angle cosine_rest[n];
  alignas(64) Angle sine_rest[n];

  /// The first `count` of them, times factor; the phases go on to a full packet.
  void set(const std::uint64_t* phase, Index count, double factor) {
    using D = Packet<double>;
    constexpr int lanes = Packet<Scalar>::lanes, doubles = lanes / D::lanes;
    for (Index k = 0; k < count; k += lanes) {
      D c[std::size_t{doubles}], s[std::size_t{doubles}];
      for (int i = 0; i < doubles; ++i) {
        sin_cos<std::is_same_v<Scalar, float>>(load<std::uint64_t>(phase + k + i * D::lanes), s[i], c[i]);
        if (factor == 1.0) continue;
        c[i] = c[i] * D(factor);
        s[i] = s[i] * D(factor);
      }
      keep(c, cosine + k, cosine_rest + k);
      keep(s, sine + k, sine_rest + k);
    }
  }

 private:
  template <std::size_t parts>
  [[gnu::always_inline]] static void keep(const Packet<double> (&x)[parts], Angle* nearest,
                                          [[maybe_unused]] Angle* rest) {
    using D = Packet<double>;
    using U = Packet<std::uint64_t>;
    if constexpr (std::is_same_v<Angle, float>) {
      // A double cut to the 24 bits of a float is one, and what was cut off is another.
      D cut[parts], left[parts];
      for (std::size_t i = 0; i < parts; ++i) {
        cut[i] = bit_cast<D>(U(bit_cast<U>(x[i]) & U(~std::uint64_t{0x1fffffff})));
        left[i] = x[i] - cut[i];
      }
      store(narrowed(cut), nearest);
      store(narrowed(left), rest);
    } else {
      for (std::size_t i = 0; i < parts; ++i) store(x[i], nearest + static_cast<int>(i) * D::lanes);
    }
  }
};

/// A packet of anchors, in registers.
template <class Scalar>
struct AnchorPacket {
  using Angle = AngleOf<Scalar>;
  using A = Packet<Angle>;
  static constexpr int parts = Packet<Scalar>::lanes / A::lanes;  // 2 where floats are made from doubles
  A cosine[std::size_t{parts}], sine[std::size_t{parts}], cosine_rest[std::size_t{parts}],
      sine_rest[std::size_t{parts}];

  /// Numbers k, k + 1, .. : a row, of one position and several pairs.
  template <std::size_t n>
  [[gnu::always_inline]] static AnchorPacket row(const Anchors<Scalar, n>& from, Index k) {
    AnchorPacket packet;
    for (int i = 0; i < parts; ++i, k += A::lanes) {
      packet.cosine[i] = load<Angle>(from.cosine + k);
      packet.sine[i] = load<Angle>(from.sine + k);
      if constexpr (!std::is_same_v<Angle, float>) continue;
      packet.cosine_rest[i] = load<Angle>(from.cosine_rest + k);
      packet.sine_rest[i] = load<Angle>(from.sine_rest + k);
    }
    return packet;
  }
  /// Number k in all lanes: a column, of one pair and several positions of a block.
  template <std::size_t n>
  [[gnu::always_inline]] static AnchorPacket column(const Anchors<Scalar, n>& from, Index k) {
    AnchorPacket packet;
    for (int i = 0; i < parts; ++i) {
      packet.cosine[i] = A(from.cosine[k]);
      packet.sine[i] = A(from.sine[k]);
      if constexpr (!std::is_same_v<Angle, float>) continue;
      packet.cosine_rest[i] = A(from.cosine_rest[k]);
      packet.sine_rest[i] = A(from.sine_rest[k]);
    }
    return packet;
  }

  /// Turned by the small rotations whose cosines and sines stand there.
  [[gnu::always_inline]] Turn<Packet<Scalar>> turned_by(const Angle* small_cosine, const Angle* small_sine) const {
    A c[std::size_t{parts}], s[std::size_t{parts}];
    for (int i = 0; i < parts; ++i) {
      const Turn<A> small{load<Angle>(small_cosine + i * A::lanes), load<Angle>(small_sine + i * A::lanes)};
      Turn<A> turn;
      if constexpr (std::is_same_v<Angle, float>) {
        turn = rotated(cosine[i], sine[i], small, cosine_rest[i], sine_rest[i]);
      } else {
        turn = rotated(cosine[i], sine[i], small);
      }
      c[i] = turn.cosine;
      s[i] = turn.sine;
    }
    if constexpr (std::is_same_v<Angle, Scalar>) {
      return {c[0], s[0]};
    } else {
      return {narrowed(c), narrowed(s)};
    }
  }
};

/// Makes rows of n <= chunk_pairs pairs from pair `first` on, block by block. With several axes each pair takes q and r from
/// the position on its own axis; the arithmetic is the same, so equal axes give the bits of one.
template <class Scalar>
class RowMaker {
  using Angle = AngleOf<Scalar>;
  using U = Packet<std::uint64_t>;
  static constexpr int lanes = Packet<Scalar>::lanes;

 public:
  RowMaker(const Ladder<Angle>& ladder, double factor) : ladder_(ladder), factor_(factor) {}

  /// Makes the anchor for the block of a position, of one coordinate an axis.
  void begin_block(const Coordinate* position, Index first, Index n) {
    alignas(64) std::uint64_t phase[chunk_pairs];
    phases(position, first, n, phase);
    anchors_.set(phase, n, factor_);
  }

  /// Goes to a position of the block.
  void move_to(const Coordinate* position, Index first, Index n) {
    if (ladder_.axes == 1) {
      small_cosine_ = ladder_.cosine + position->offset() * ladder_.stride + first;
      small_sine_ = ladder_.sine + position->offset() * ladder_.stride + first;
      return;
    }
    for (Index k = 0; k < n; ++k) {
      const Index at = position[ladder_.axis[first + k]].offset() * ladder_.stride + first + k;
      mixed_cosine_[k] = ladder_.cosine[at];
      mixed_sine_[k] = ladder_.sine[at];
    }
    small_cosine_ = mixed_cosine_;
    small_sine_ = mixed_sine_;
  }

  /// Pairs first + k .. of the anchor.
  [[gnu::always_inline]] AnchorPacket<Scalar> anchor(Index k) const { return AnchorPacket<Scalar>::row(anchors_, k); }
  /// The small rotations at the position moved to, and how far it is to those of the next position.
  const Angle* small_cosine() const { return small_cosine_; }
  const Angle* small_sine() const { return small_sine_; }
  Index stride() const { return ladder_.stride; }

 private:
  /// The phases where the block begins.
  void phases(const Coordinate* position, Index first, Index n, std::uint64_t* phase) const {
    if (ladder_.axes == 1 && position->is_whole) {
      const U p(static_cast<std::uint64_t>(position->block_begin()));
      const std::uint64_t *high = ladder_.high + first, *low = ladder_.low + first;
      if (position->whole >> 32 == 0) {
        for (Index k = 0; k < n; k += U::lanes) {
          store(short_phase(p, load<std::uint64_t>(high + k), load<std::uint64_t>(low + k)), phase + k);
        }
      } else {
        for (Index k = 0; k < n; k += U::lanes) {
          store(whole_phase(p, load<std::uint64_t>(high + k), load<std::uint64_t>(low + k)), phase + k);
        }
      }
    } else {
      for (Index k = 0; k < n; ++k) {
        const Index axis = ladder_.axes == 1 ? 0 : ladder_.axis[first + k];
        phase[k] = position[axis].block_phase(ladder_.steps[first + k]).high;
      }
    }
    for (Index k = n; k % lanes != 0; ++k) phase[k] = 0;
  }

  const Ladder<Angle>& ladder_;
  double factor_;
  const Angle *small_cosine_ = nullptr, *small_sine_ = nullptr;
  Anchors<Scalar, chunk_pairs> anchors_;
  alignas(64) Angle mixed_cosine_[chunk_pairs];
  alignas(64) Angle mixed_sine_[chunk_pairs];
};

/// Calls consume.rows(maker, i, m, k, n) for every run of m rows from row i on and, in turn, pairs [begin, end), in pieces of n
/// from k on that do not cross a multiple of `piece`; the maker stands at the run's first position.
template <class Scalar, class Consumer>
void for_each_run(const Ladder<AngleOf<Scalar>>& ladder, const Run* runs, Index count, double factor, Index begin,
                  Index end, Index piece, Consumer& consume) {
  RowMaker<Scalar> maker(ladder, factor);
  for (Index i = 0, next, row = 0; i < count; i = next) {
    for (next = i + 1; next < count && share_block(runs[i].position, runs[next].position, ladder.axes);) ++next;
    Index after = row;
    for (Index k = begin, n; k < end; k += n) {
      n = std::min({chunk_pairs, end - k, piece - k % piece});
      maker.begin_block(runs[i].position, k, n);
      after = row;
      for (Index j = i; j < next; after += runs[j++].rows) {
        maker.move_to(runs[j].position, k, n);
        consume.rows(maker, after, runs[j].rows, k, n);
      }
    }
    row = after;
  }
}

/// The cosines and sines of a few pairs, a column of span_rows for each.
template <class Scalar>
class ColumnTile {
  using Angle = AngleOf<Scalar>;
  using V = Packet<Scalar>;
  static constexpr Index lanes = V::lanes;

 public:
  static constexpr Index pairs = 16 / static_cast<Index>(sizeof(Scalar));  // 64 KiB, on the stack

  explicit ColumnTile(bool inverse = false) : sign_(inverse ? Scalar(-1) : Scalar(1)) {}

  /// Makes the column of pair k for all rows of the runs.
  void make(const Ladder<Angle>& ladder, const Run* runs, Index count, double factor, Index k) {
    const Index axis = ladder.axes == 1 ? 0 : ladder.axis[k];
    alignas(64) std::uint64_t phase[span_runs];
    for (Index i = 0; i < count; ++i) phase[i] = runs[i].position[axis].block_phase(ladder.steps[k]).high;
    for (Index i = count; i % lanes != 0; ++i) phase[i] = 0;
    anchors_.set(phase, count, factor);

    Angle small_cosine[block_size + padding] = {}, small_sine[block_size + padding] = {};
    for (Index r = 0; r < block_size; ++r) {
      small_cosine[r] = ladder.cosine[r * ladder.stride + k];
      small_sine[r] = ladder.sine[r * ladder.stride + k];
    }
    Scalar *cosine = cosine_[k % pairs], *sine = sine_[k % pairs];
    for (Index i = 0; i < count; ++i) {
      const auto anchor = AnchorPacket<Scalar>::column(anchors_, i);
      const Index r = runs[i].position[axis].offset();
      for (Index j = 0; j < runs[i].rows; j += lanes) {  // what goes beyond the run is overwritten by the next one
        const Turn<V> turn = anchor.turned_by(small_cosine + r + j, small_sine + r + j);
        store(turn.cosine, cosine + j);
        store(turn.sine * V(sign_), sine + j);
      }
      cosine += runs[i].rows;
      sine += runs[i].rows;
    }
  }

  const Scalar* cosine(Index k) const { return cosine_[k % pairs]; }
  const Scalar* sine(Index k) const { return sine_[k % pairs]; }

 private:
  Scalar sign_;
  Anchors<Scalar, span_runs> anchors_;
  alignas(64) Scalar cosine_[std::size_t{pairs}][std::size_t{span_rows + padding}];
  alignas(64) Scalar sine_[std::size_t{pairs}][std::size_t{span_rows + padding}];
};

/// Writes the cosines and sines themselves, row i at i x stride.
template <class Scalar>
class RowWriter {
  static constexpr Index lanes = Packet<Scalar>::lanes;

 public:
  RowWriter(Scalar* cosine, Scalar* sine, Index stride) : cosine_(cosine), sine_(sine), stride_(stride) {}

  void rows(const RowMaker<Scalar>& maker, Index i, Index m, Index k, Index n) const {
    const auto *c = maker.small_cosine(), *s = maker.small_sine();
    for (Index row = i; row < i + m; ++row, c += maker.stride(), s += maker.stride()) {
      for (Index j = 0; j < n; j += lanes) {
        const Turn<Packet<Scalar>> turn = maker.anchor(j).turned_by(c + j, s + j);
        const int left = static_cast<int>(std::min(lanes, n - j));
        store_some(turn.cosine, cosine_ + row * stride_ + k + j, left);
        store_some(turn.sine, sine_ + row * stride_ + k + j, left);
      }
    }
  }

 private:
  Scalar *cosine_, *sine_;
  Index stride_;
};

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
