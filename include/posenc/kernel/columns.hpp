// Columns of cosines and sines: of one pair and many positions. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// The cosines and sines of a few pairs, a column of up to span_rows for each.
template <class Scalar>
class ColumnTile {
  using Angle = AngleOf<Scalar>;
  using Word = PhaseWord<Scalar>;
  using V = Packet<Scalar>;
  static constexpr Index lanes = V::lanes, most_pairs = 64 / static_cast<Index>(sizeof(Angle)),
                         numbers = span_rows + padding;

 public:
  /// For these runs, `rows` rows in all.
  ColumnTile(const Ladder<Angle>& of_ladder, const Run* all_runs, Index run_count, Index rows, double times, bool back)
      : ladder_(of_ladder),
        runs_(all_runs),
        count_(run_count),
        factor_(times),
        inverse_(back),
        stride_((rows + 2 * padding - 1) / padding * padding) {
    for (Index r = -half_block; r < half_block; ++r) signs_[half_block + r] = sign_of<Angle>((r < 0) != back);
    for (Index i = 0; i < count_; ++i) are_whole_ = are_whole_ && runs_[i].position->is_whole;
    if (!are_whole_) return;
    for (Index i = 0; i < count_; ++i) {
      const auto middle = static_cast<std::uint64_t>(runs_[i].position->block_middle());
      middle_[0][i] = static_cast<Word>(middle);
      middle_[1][i] = static_cast<Word>(middle >> 32);
    }
  }

  /// How many pairs there is room for.
  Index pairs() const { return std::min(most_pairs, numbers / stride_); }

  /// Makes the columns of pairs [first, last), no more than there is room for.
  void make(Index first, Index last) {
    for (Index r = 0; r <= half_block; ++r) {
      const Angle *cosine = ladder_.cosine + r * ladder_.stride, *sine = ladder_.sine + r * ladder_.stride;
      for (Index k = first; k < last; ++k) {
        Angle *c = small_cosine_[k - first], *s = small_sine_[k - first];
        c[half_block - r] = c[half_block + r] = cosine[k];
        s[half_block - r] = s[half_block + r] = sine[k];
      }
    }
    for (Index k = first; k < last; ++k) {
      alignas(64) Word phase[span_runs];
      phases(k, phase);
      anchors_.set(phase, count_, factor_, inverse_);
      column(ladder_.axes == 1 ? 0 : ladder_.axis[k], k - first);
    }
    first_ = first;
  }

  const Scalar* cosine(Index k) const { return cosine_ + (k - first_) * stride_; }
  const Scalar* sine(Index k) const { return sine_ + (k - first_) * stride_; }

 private:
  /// The phases of pair k in the middle of every run's block.
  void phases(Index k, Word* phase) const {
    using U = Packet<Word>;
    const Step& step = ladder_.steps[k];
    if (ladder_.axes > 1 || !are_whole_) {
      const Index axis = ladder_.axes == 1 ? 0 : ladder_.axis[k];
      for (Index i = 0; i < count_; ++i) phase[i] = block_phase<Word>(runs_[i].position[axis], step);
      for (Index i = count_; i % lanes != 0; ++i) phase[i] = 0;
      return;
    }
    for (Index i = 0; i < count_ || i % lanes != 0; i += U::lanes) {
      const U p = load<Word>(middle_[0] + i);
      if constexpr (sizeof(Word) == 8) {
        store(whole_phase(p, U(ladder_.high[k]), U(ladder_.low[k])), phase + i);
      } else {
        const U s3(ladder_.words[0][k]), s2(ladder_.words[1][k]), s1(ladder_.words[2][k]);
        store(whole_phase32(p, load<Word>(middle_[1] + i), s3, s2, s1), phase + i);
      }
    }
  }

  /// The column of the pair whose anchors these are.
  void column(Index axis, Index number) {
    Scalar *cosine = cosine_ + number * stride_, *sine = sine_ + number * stride_;
    for (Index i = 0; i < count_; ++i) {
      const auto anchor = AnchorPacket<Scalar>::column(anchors_, i);
      const Index r = half_block + runs_[i].position[axis].offset();
      const SmallColumn<Angle> small = {{small_cosine_[number] + r, small_sine_[number] + r}, signs_ + r};
      for (Index j = 0; j < runs_[i].rows; j += lanes) {  // what goes beyond the run is overwritten by the next one
        const Turn<V> turn = anchor.turned_by(small, j);
        store(turn.cosine, cosine + j);
        store(turn.sine, sine + j);
      }
      cosine += runs_[i].rows;
      sine += runs_[i].rows;
    }
    store(V(Scalar(0)), cosine);  // what a last packet reads behind the rows
    store(V(Scalar(0)), sine);
  }

  const Ladder<Angle>& ladder_;
  const Run* runs_;
  Index count_;
  double factor_;
  bool inverse_, are_whole_ = true;
  Index stride_, first_ = 0;
  alignas(64) Word middle_[2][span_runs] = {};
  Anchors<Scalar, span_runs> anchors_;
  alignas(64) Angle small_cosine_[std::size_t{most_pairs}][block_size + padding] = {};
  alignas(64) Angle small_sine_[std::size_t{most_pairs}][block_size + padding] = {};
  alignas(64) SignBits<Angle> signs_[block_size + padding] = {};
  alignas(64) Scalar cosine_[std::size_t{numbers}];
  alignas(64) Scalar sine_[std::size_t{numbers}];
};

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
