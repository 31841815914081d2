// Turning the pairs of heads in column-major data. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// The two columns of a pair, where they are read and where they go.
template <class In, class Out>
struct PairOfColumns {
  const In *first, *second;
  Out *first_out, *second_out;
};

/// Turns columns of `rows` rows of some heads by the same cosines and sines. A function of its own, since registers are what
/// it is about.
template <class Scalar, class... Columns>
[[gnu::noinline]] void turn_columns(const Scalar* cosine, const Scalar* sine, Index rows, const Columns... x) {
  using V = Packet<Scalar>;
  Index i = 0;
  for (; i + V::lanes <= rows; i += V::lanes) {
    const Turn<V> by = {load<Scalar>(cosine + i), load<Scalar>(sine + i)};
    (rotate_apart<Scalar>(x.first + i, x.second + i, x.first_out + i, x.second_out + i, by), ...);
  }
  if (i == rows) return;
  const Turn<V> by = {load<Scalar>(cosine + i), load<Scalar>(sine + i)};
  (rotate_apart_some<Scalar>(x.first + i, x.second + i, x.first_out + i, x.second_out + i, by, rows - i), ...);
}

/// Turns heads whose tokens stand side by side in memory (a column-major matrix). The columns of a head, which are neighbours
/// in memory, are gone through one after another, and so are those of three more heads beside it, which take the same turns:
/// more streams than that are more than hardware prefetching keeps up with.
template <class Scalar, class In, class Out>
[[gnu::noinline]] void rotate_columns(const Ladder<AngleOf<Scalar>>& ladder, const Run* runs, Index count,
                                      Index first_row, Index rows, double factor, const HeadsView<In>& x,
                                      const HeadsView<Out>& out, const PairPlaces& places, bool inverse) {
  const Index partner = places.partner_distance();
  const auto columns = [&](Index b, Index h, Index k) {
    const In* from = x.head(b, first_row, h) + places.first(k) * x.channel_stride;
    Out* to = out.head(b, first_row, h) + places.first(k) * out.channel_stride;
    return PairOfColumns<In, Out>{from, from + partner * x.channel_stride, to, to + partner * out.channel_stride};
  };
  ColumnTile<Scalar> tile(ladder, runs, count, rows, factor, inverse);  // on the stack: 46 KiB of floats
  for (Index first = 0, last; first < ladder.pairs; first = last) {
    last = std::min(first + tile.pairs(), ladder.pairs);
    tile.make(first, last);
    for (Index b = 0; b < x.batch; ++b) {
      Index h = 0;
      for (; h + 4 <= x.heads; h += 4) {
        for (Index k = first; k < last; ++k) {
          turn_columns<Scalar>(tile.cosine(k), tile.sine(k), rows, columns(b, h, k), columns(b, h + 1, k),
                               columns(b, h + 2, k), columns(b, h + 3, k));
        }
      }
      for (; h < x.heads; ++h) {
        for (Index k = first; k < last; ++k) turn_columns<Scalar>(tile.cosine(k), tile.sine(k), rows, columns(b, h, k));
      }
    }
  }
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
