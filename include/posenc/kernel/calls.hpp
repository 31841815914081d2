// What the rest of the library calls. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

struct Kernel {
  template <class Scalar>
  using Angle = AngleOf<Scalar>;

  /// Turns the rows of all heads, from row first_row on, to the positions of the runs; a row at position 0 is left alone
  /// where the factor is 1.
  template <class Scalar, class In, class Out>
  static void rotate(const Ladder<Angle<Scalar>>& ladder, const Run* runs, Index count, double factor,
                     const HeadsView<In>& x, const HeadsView<Out>& out, Index first_row, const PairPlaces& places,
                     bool inverse) {
    rotate_rows<Scalar>(ladder, runs, count, factor, x, out, first_row, places, inverse);
  }

  /// Turns n pairs from pair k on of all heads of row i by given cosines and sines.
  template <class Scalar, class T>
  static void rotate_by(const Scalar* cosine, const Scalar* sine, const HeadsView<T>& x, Index i,
                        const PairPlaces& places, Index k, Index n) {
    if (places.layout == PairLayout::half) {
      HeadTurner<PairLayout::half, Scalar, T, T>(x, x, 0, places).given_row(cosine, sine, i, k, n);
    } else {
      HeadTurner<PairLayout::interleaved, Scalar, T, T>(x, x, 0, places).given_row(cosine, sine, i, k, n);
    }
  }

  /// Copies channels [begin, end) of all heads of row i.
  template <class Scalar, class In, class Out>
  static void copy(const HeadsView<In>& x, const HeadsView<Out>& out, Index i, Index begin, Index end) {
    copy_channels<Scalar>(x, out, i, begin, end);
  }

  /// The cosines and sines of the runs' positions, row i at i x stride.
  template <class Scalar>
  static void write(const Ladder<Angle<Scalar>>& ladder, const Run* runs, Index count, double factor, Scalar* cosine,
                    Scalar* sine, Index stride) {
    RowWriter<Scalar> writer(cosine, sine, stride);
    for_each_run<Scalar>(ladder, runs, count, factor, false, ladder.pairs, writer);
  }

  /// x <- scale x + the sinusoidal codes of the runs' positions.
  template <class Scalar, class T>
  static void add(const Ladder<Angle<Scalar>>& ladder, const Run* runs, Index count, const HeadsView<T>& x,
                  const CodePlaces& places, Scalar scale) {
    add_rows<Scalar>(ladder, runs, count, x, places, scale);
  }

  /// x[i] <- x[i] + code[i] for n numbers, those of x at a stride.
  template <class Scalar, class T>
  static void add_code(T* x, Index stride, const Scalar* code, Index n) {
    add_given(x, stride, Scalar(1), code, n);
  }
};

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
