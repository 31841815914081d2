// Rows of cosines and sines: of one position and many pairs. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// Makes rows of n <= most pairs from pair `first` on, block by block. With several axes each pair takes q and r from
/// the position on its own axis; the arithmetic is the same, so equal axes give the bits of one.
template <class Scalar, Index most>
class RowMaker {
  using Angle = AngleOf<Scalar>;
  using Word = PhaseWord<Scalar>;
  using U = Packet<Word>;
  static constexpr int lanes = Packet<Scalar>::lanes;

 public:
  /// Rows of the ladder times a factor, or of the turns back if inverse.
  RowMaker(const Ladder<Angle>& of_ladder, double times, bool back)
      : ladder_(of_ladder), factor_(times), inverse_(back), stride_(of_ladder.axes == 1 ? of_ladder.stride : 0) {}

  /// Makes the anchor of the block that a position lies in. With several axes the position has a coordinate for each.
  void begin_block(const Coordinate* position, Index first, Index n) {
    alignas(64) Word phase[std::size_t{most}];
    phases(position, first, n, phase);
    anchors_.set(phase, n, factor_, inverse_);
  }

  /// Goes to a position of the block.
  void move_to(const Coordinate* position, Index first, Index n) {
    if (ladder_.axes == 1) {
      offset_ = position->offset();
      cosine_ = ladder_.cosine + first;
      sine_ = ladder_.sine + first;
      return;
    }
    for (Index k = 0; k < n; ++k) {
      const Index r = position[ladder_.axis[first + k]].offset(), at = std::abs(r) * ladder_.stride + first + k;
      mixed_cosine_[k] = ladder_.cosine[at];
      mixed_sine_[k] = r < 0 ? -ladder_.sine[at] : ladder_.sine[at];
    }
    for (Index k = n; k % lanes != 0; ++k) mixed_cosine_[k] = mixed_sine_[k] = 0;
    cosine_ = mixed_cosine_;
    sine_ = mixed_sine_;
  }

  /// Pairs first + k .. of the anchor.
  [[gnu::always_inline]] AnchorPacket<Scalar> anchor(Index k) const { return AnchorPacket<Scalar>::row(anchors_, k); }
  /// How far from the middle of its block the position is that it was moved to; with several axes that is a row of its own.
  Index offset() const { return offset_; }
  /// The small rotations at r from the middle.
  [[gnu::always_inline]] SignedSmall<Angle> small(Index r) const {
    return {mirrored(std::abs(r)), (r < 0) != inverse_};
  }
  /// Those at r > 0, for the rows at r and -r: turned forth by them is the row at forward(r), turned back that at -forward(r).
  [[gnu::always_inline]] Small<Angle> mirrored(Index r) const { return {cosine_ + r * stride_, sine_ + r * stride_}; }
  Index forward(Index r) const { return inverse_ ? -r : r; }

 private:
  /// The phases in the middle of the block.
  void phases(const Coordinate* position, Index first, Index n, Word* phase) const {
    if (ladder_.axes == 1 && position->is_whole) {
      const Position middle = position->block_middle();
      middle >> 32 == 0 ? row<true>(middle, first, n, phase) : row<false>(middle, first, n, phase);
    } else {
      for (Index k = 0; k < n; ++k) {
        const Index axis = ladder_.axes == 1 ? 0 : ladder_.axis[first + k];
        phase[k] = block_phase<Word>(position[axis], ladder_.steps[first + k]);
      }
    }
    for (Index k = n; k % lanes != 0; ++k) phase[k] = 0;
  }
  template <bool is_short>
  void row(Position middle, Index first, Index n, Word* phase) const {
    const auto p = static_cast<std::uint64_t>(middle);
    [[maybe_unused]] const U p0(static_cast<Word>(p)), p1(static_cast<Word>(p >> 32));
    for (Index k = 0; k < n; k += U::lanes) {
      const Index at = first + k;
      if constexpr (sizeof(Word) == 8) {
        const U high = load<Word>(ladder_.high + at), low = load<Word>(ladder_.low + at);
        store(is_short ? short_phase(p0, high, low) : whole_phase(p0, high, low), phase + k);
      } else {
        const U s3 = load<Word>(ladder_.words[0] + at), s2 = load<Word>(ladder_.words[1] + at);
        const U s1 = is_short ? U(0u) : load<Word>(ladder_.words[2] + at);
        store(is_short ? short_phase32(p0, s3, s2) : whole_phase32(p0, p1, s3, s2, s1), phase + k);
      }
    }
  }

  const Ladder<Angle>& ladder_;
  double factor_;
  bool inverse_;
  Index stride_, offset_ = 0;
  const Angle *cosine_ = nullptr, *sine_ = nullptr;
  Anchors<Scalar, std::size_t{most}> anchors_;
  alignas(64) Angle mixed_cosine_[std::size_t{most}];
  alignas(64) Angle mixed_sine_[std::size_t{most}];
};

/// The rows at r = first .. first + count - 1 from the middle of a block: those at 1 .. mirrored have their mirror image -r
/// among them, the others are single.
struct MirroredRows {
  Index first, last, mirrored;

  MirroredRows(Index begin, Index count)
      : first(begin), last(begin + count - 1), mirrored(std::max(Index{0}, std::min(-first, last))) {}

  // for (Index r = first_single(); r <= last; r = next_single(r))
  Index first_single() const { return next_single(first - 1); }
  Index next_single(Index r) const {
    if (mirrored == 0) return r + 1;
    return r + 1 == -mirrored ? 0 : r == 0 ? mirrored + 1 : r + 1;
  }
};

/// Calls consume.rows(maker, i, m, k, n) for every run of m rows from row i on and, in turn, all pairs, in pieces of n from k
/// on, no more than consume.pairs and not across a multiple of `piece`; the maker stands at the run's first position.
template <class Scalar, class Consumer>
void for_each_run(const Ladder<AngleOf<Scalar>>& ladder, const Run* runs, Index count, double factor, bool inverse,
                  Index piece, Consumer& consume) {
  RowMaker<Scalar, Consumer::pairs> maker(ladder, factor, inverse);
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

  void rows(const RowMaker<Scalar, pairs>& maker, Index i, Index m, Index k, Index n) const {
    for (Index row = 0; row < m; ++row) {
      const auto small = maker.small(maker.offset() + row);
      const Index at = (i + row) * stride_ + k;
      for (Index j = 0; j < n; j += lanes) {
        const Turn<Packet<Scalar>> turn = maker.anchor(j).turned_by(small, j);
        const int left = static_cast<int>(std::min(lanes, n - j));
        store_some(turn.cosine, cosine_ + at + j, left);
        store_some(turn.sine, sine_ + at + j, left);
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
