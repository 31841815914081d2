// Rows of cosines and sines: of one position and many pairs. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// Makes rows of n <= chunk_pairs pairs from pair `first` on, block by block. With several axes each pair takes q and r from
/// the position on its own axis; the arithmetic is the same, so equal axes give the bits of one.
template <class Scalar>
class RowMaker {
  using Angle = AngleOf<Scalar>;
  using U = Packet<std::uint64_t>;
  static constexpr int lanes = Packet<Scalar>::lanes;

 public:
  RowMaker(const Ladder<Angle>& of_ladder, double times) : ladder_(of_ladder), factor_(times) {}

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

/// Calls consume.rows(maker, i, m, k, n) for every run of m rows from row i on and, in turn, all pairs, in pieces of n from k
/// on, no more than consume.pairs and not across a multiple of `piece`; the maker stands at the run's first position.
template <class Scalar, class Consumer>
void for_each_run(const Ladder<AngleOf<Scalar>>& ladder, const Run* runs, Index count, double factor, Index piece,
                  Consumer& consume) {
  static_assert(Consumer::pairs <= chunk_pairs, "what the maker has room for");
  RowMaker<Scalar> maker(ladder, factor);
  for (Index i = 0, next, row = 0; i < count; i = next) {
    for (next = i + 1; next < count && share_block(runs[i].position, runs[next].position, ladder.axes);) ++next;
    Index after = row;
    for (Index k = 0, n; k < ladder.pairs; k += n) {
      n = std::min({Consumer::pairs, ladder.pairs - k, k < piece ? piece - k : piece - k % piece});
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

/// Writes the cosines and sines themselves, row i at i x stride.
template <class Scalar>
class RowWriter {
  static constexpr Index lanes = Packet<Scalar>::lanes;

 public:
  static constexpr Index pairs = chunk_pairs;

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
