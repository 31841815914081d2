// Columns of cosines and sines: of one pair and many positions. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// The cosines and sines of a few pairs, a column of span_rows for each.
template <class Scalar>
class ColumnTile {
  using Angle = AngleOf<Scalar>;
  using V = Packet<Scalar>;
  static constexpr Index lanes = V::lanes;

 public:
  static constexpr Index pairs = 8 / static_cast<Index>(sizeof(Scalar));  // 64 KiB, on the stack

  explicit ColumnTile(bool inverse = false) : inverse_(inverse) {}

  /// Makes the column of pair k for all rows of the runs.
  void make(const Ladder<Angle>& ladder, const Run* runs, Index count, double factor, Index k) {
    const Index axis = ladder.axes == 1 ? 0 : ladder.axis[k];
    alignas(64) PhaseWord<Scalar> phase[span_runs];
    for (Index i = 0; i < count; ++i) {
      phase[i] = block_phase<PhaseWord<Scalar>>(runs[i].position[axis], ladder.steps[k]);
    }
    for (Index i = count; i % lanes != 0; ++i) phase[i] = 0;
    anchors_.set(phase, count, factor, inverse_);

    Angle small_cosine[block_size + padding] = {}, small_sine[block_size + padding] = {};
    for (Index r = -half_block; r < half_block; ++r) {
      const Index at = std::abs(r) * ladder.stride + k;
      small_cosine[half_block + r] = ladder.cosine[at];
      small_sine[half_block + r] = (r < 0) != inverse_ ? -ladder.sine[at] : ladder.sine[at];
    }
    Scalar *cosine = cosine_[k % pairs], *sine = sine_[k % pairs];
    for (Index i = 0; i < count; ++i) {
      const auto anchor = AnchorPacket<Scalar>::column(anchors_, i);
      const Index r = half_block + runs[i].position[axis].offset();
      for (Index j = 0; j < runs[i].rows; j += lanes) {  // what goes beyond the run is overwritten by the next one
        const Turn<V> turn = anchor.turned_by(Small<Angle>{small_cosine + r, small_sine + r}, j);
        store(turn.cosine, cosine + j);
        store(turn.sine, sine + j);
      }
      cosine += runs[i].rows;
      sine += runs[i].rows;
    }
    store(V(Scalar(0)), cosine);  // what a last packet reads behind the rows
    store(V(Scalar(0)), sine);
  }

  const Scalar* cosine(Index k) const { return cosine_[k % pairs]; }
  const Scalar* sine(Index k) const { return sine_[k % pairs]; }

 private:
  bool inverse_;
  Anchors<Scalar, span_runs> anchors_;
  alignas(64) Scalar cosine_[std::size_t{pairs}][std::size_t{span_rows + padding}];
  alignas(64) Scalar sine_[std::size_t{pairs}][std::size_t{span_rows + padding}];
};

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
