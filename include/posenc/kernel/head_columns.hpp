// Turning the pairs of heads in column-major data. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

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

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
