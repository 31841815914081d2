#pragma once
// Rows of cosines and sines, made from positions alone. Nothing is kept from call to call and there is no table of the
// sequence's length: with p = B q + r the row at p is the row at B q turned by r omega_k,
//   cos(p w) = cos(Bq w) cos(r w) - sin(Bq w) sin(r w)        sin(p w) = sin(Bq w) cos(r w) + cos(Bq w) sin(r w)
// which is the pair rotation once more. The row at B q, the anchor, comes from exact phases, once for up to B rows; the B
// small rotations are made when the encoder is.

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "posenc/frequencies.hpp"
#include "posenc/kernel.hpp"
#include "posenc/positions.hpp"

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// Pairs whose row is made at a time: the working set of a call, on the stack.
inline constexpr Index chunk_pairs = 128;

template <class T>
struct RowBuffer {
  alignas(64) T cosine[chunk_pairs];
  alignas(64) T sine[chunk_pairs];
};

/// Which position turns which pair. Empty: there is one axis, and all pairs follow it.
using AxisOfPair = std::vector<Index>;

/// The steps of a ladder and its B small rotations, B x pairs cosines and sines of r omega_k. With several axes each pair
/// takes q and r from the position on its own axis; the arithmetic is the same, so equal axes give the bits of one.
///
/// Float rows are turned in float where products are fused; the anchor then brings along what its floats leave out, or
/// the roundings could add up to 1.7e-7. Elsewhere they are turned in double and rounded once.
template <class Scalar>
class PhaseRows {
  using Angle = std::conditional_t<fused, Scalar, double>;
  static constexpr bool has_rest = std::is_same_v<Angle, float>;

 public:
  explicit PhaseRows(Frequencies frequencies, AxisOfPair axis_of_pair = {}, Index axes = 1)
      : frequencies_(std::move(frequencies)), axis_of_pair_(std::move(axis_of_pair)), axes_(axes) {
    cosine_.resize(static_cast<std::size_t>(block_size * pairs()));
    sine_.resize(cosine_.size());
    for (Index k = 0; k < pairs(); ++k) {
      for (Index r = 0; r < block_size; ++r) {
        const SinCos turn = sin_cos(phase_of(frequencies_.step(k), r));
        cosine_[static_cast<std::size_t>(r * pairs() + k)] = static_cast<Angle>(turn.cosine);
        sine_[static_cast<std::size_t>(r * pairs() + k)] = static_cast<Angle>(turn.sine);
      }
    }
  }

  const Frequencies& frequencies() const { return frequencies_; }
  Index pairs() const { return frequencies_.size(); }

  Index axes() const { return axes_; }
  const AxisOfPair& axis_of_pair() const { return axis_of_pair_; }

  /// Calls row(i, k, n, cosine, sine) with the cosines and sines of p_i omega_k .. p_i omega_{k+n-1}, times factor, for
  /// every row i < rows and, in turn, all pairs, in pieces that do not cross a multiple of `piece`;
  /// p_i = positions.at(i, axis of the pair).
  template <class Positions, class Row>
  void for_each(const Positions& positions, Index rows, double factor, Index piece, Row row) const {
    Anchor anchor;
    RowBuffer<Scalar> turned_row;
    for (Index begin = 0, end; begin < rows; begin = end) {
      for (end = begin + 1; end < rows && share_block(positions, begin, end);) ++end;
      for (Index k = 0, n; k < pairs(); k += n) {
        n = std::min({chunk_pairs, pairs() - k, piece - k % piece});
        begin_block(positions, begin, factor, k, n, anchor);
        for (Index i = begin; i < end; ++i) {
          turn(anchor, positions, i, k, n, turned_row);
          row(i, k, n, static_cast<const Scalar*>(turned_row.cosine), static_cast<const Scalar*>(turned_row.sine));
        }
      }
    }
  }

 private:
  template <class Positions>
  bool share_block(const Positions& positions, Index row, Index other) const {
    for (Index axis = 0; axis < axes_; ++axis) {
      if (!positions.at(row, axis).shares_block(positions.at(other, axis))) return false;
    }
    return true;
  }

  /// The row where a block begins: its nearest Angles, and what these leave out.
  struct Anchor {
    RowBuffer<Angle> nearest, rest;
  };

  /// The anchor of the block of positions.at(row), from exact phases.
  template <class Positions>
  void begin_block(const Positions& positions, Index row, double factor, Index first, Index n, Anchor& anchor) const {
    alignas(64) std::uint64_t phase[chunk_pairs];
    const Step* step = frequencies_.steps().data() + first;
    const Coordinate p = positions.at(row, 0);
    if (axes_ > 1) {
      for (Index k = 0; k < n; ++k) phase[k] = positions.at(row, axis(first + k)).block_phase(step[k]).high;
    } else if (p.is_whole) {
      const Position begin = p.block_begin();
      for (Index k = 0; k < n; ++k) phase[k] = phase_of(step[k], begin).high;
    } else {
      for (Index k = 0; k < n; ++k) phase[k] = phase_of(step[k], p.real).high;
    }
    RowBuffer<double> exact;
    for_packets<double>(n, [&](auto lane, std::ptrdiff_t k) {
      using D = decltype(lane);
      using U = std::conditional_t<std::is_same_v<D, double>, std::uint64_t, Packet<std::uint64_t>>;
      D c, s;
      sin_cos(load<U>(phase + k), s, c);
      store(exact.cosine + k, c * D(factor));
      store(exact.sine + k, s * D(factor));
    });
    narrow(exact, n, anchor.nearest);
    if constexpr (has_rest) {
      for (Index k = 0; k < n; ++k) {
        anchor.rest.cosine[k] = static_cast<Angle>(exact.cosine[k] - static_cast<double>(anchor.nearest.cosine[k]));
        anchor.rest.sine[k] = static_cast<Angle>(exact.sine[k] - static_cast<double>(anchor.nearest.sine[k]));
      }
    }
  }

  /// The anchor turned by r omega_k.
  template <class Positions>
  void turn(const Anchor& anchor, const Positions& positions, Index row, Index first, Index n,
            RowBuffer<Scalar>& out) const {
    const RowBuffer<Angle>&at_begin = anchor.nearest, &rest = anchor.rest;
    const Angle* cosine = cosine_.data() + first;
    const Angle* sine = sine_.data() + first;
    RowBuffer<Angle> mixed;
    if (axes_ > 1) {
      for (Index k = 0; k < n; ++k) {
        const Index at = positions.at(row, axis(first + k)).offset() * pairs() + k;
        mixed.cosine[k] = cosine[at];
        mixed.sine[k] = sine[at];
      }
      cosine = mixed.cosine;
      sine = mixed.sine;
    } else {
      const Index at = positions.at(row, 0).offset() * pairs();
      cosine += at;
      sine += at;
    }
    if constexpr (has_rest) {
      rotate_arrays(at_begin.cosine, at_begin.sine, rest.cosine, rest.sine, cosine, sine, out.cosine, out.sine, n);
    } else if constexpr (std::is_same_v<Angle, Scalar>) {
      rotate_arrays(at_begin.cosine, at_begin.sine, cosine, sine, out.cosine, out.sine, n);
    } else {
      RowBuffer<Angle> wide;
      rotate_arrays(at_begin.cosine, at_begin.sine, cosine, sine, wide.cosine, wide.sine, n);
      narrow(wide, n, out);
    }
  }

  template <class To>
  static void narrow(const RowBuffer<double>& from, Index n, RowBuffer<To>& to) {
    for (Index k = 0; k < n; ++k) to.cosine[k] = static_cast<To>(from.cosine[k]);
    for (Index k = 0; k < n; ++k) to.sine[k] = static_cast<To>(from.sine[k]);
  }

  Index axis(Index k) const { return axis_of_pair_[static_cast<std::size_t>(k)]; }

  Frequencies frequencies_;
  AxisOfPair axis_of_pair_;
  Index axes_;
  std::vector<Angle> cosine_, sine_;
};

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
