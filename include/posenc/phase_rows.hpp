#pragma once
// Rows of cosines and sines, made from positions alone. Nothing is kept from call to call and there is no table of the
// sequence's length: with p = B q + r the row at p is the row at B q turned by r omega_k,
//   cos(p w) = cos(Bq w) cos(r w) - sin(Bq w) sin(r w)        sin(p w) = sin(Bq w) cos(r w) + cos(Bq w) sin(r w)
// which is the pair rotation once more. The row at B q comes from exact phases, once for up to B rows; the B small
// rotations are made when the encoder is.

#include <algorithm>
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

/// The steps of a ladder and its B small rotations: B x pairs cosines and sines of r omega_k, rounded to Scalar.
template <class Scalar>
class PhaseRows {
 public:
  explicit PhaseRows(Frequencies frequencies) : frequencies_(std::move(frequencies)) {
    cosine_.resize(static_cast<std::size_t>(block_size * pairs()));
    sine_.resize(cosine_.size());
    for (Index k = 0; k < pairs(); ++k) {
      for (Index r = 0; r < block_size; ++r) {
        const SinCos turn = sin_cos(phase_of(frequencies_.step(k), r));
        cosine_[static_cast<std::size_t>(r * pairs() + k)] = static_cast<Scalar>(turn.cosine);
        sine_[static_cast<std::size_t>(r * pairs() + k)] = static_cast<Scalar>(turn.sine);
      }
    }
  }

  const Frequencies& frequencies() const { return frequencies_; }
  Index pairs() const { return frequencies_.size(); }

  /// Calls row(i, k, n, cosine, sine) with the cosines and sines of p_i omega_k .. p_i omega_{k+n-1}, times factor, for
  /// every row i < rows and, in turn, all pairs; p_i = positions.at(i).
  template <class Positions, class Row>
  void for_each(const Positions& positions, Index rows, double factor, Row row) const {
    RowBuffer anchor, rest, turned_row;
    for (Index begin = 0, end; begin < rows; begin = end) {
      const Coordinate p = positions.at(begin);
      for (end = begin + 1; end < rows && p.shares_block(positions.at(end));) ++end;
      for (Index k = 0; k < pairs(); k += chunk_pairs) {
        const Index n = std::min(chunk_pairs, pairs() - k);
        begin_block(p, factor, k, n, anchor, rest);
        for (Index i = begin; i < end; ++i) {
          turn(anchor, rest, positions.at(i).offset(), k, n, turned_row);
          row(i, k, n, static_cast<const Scalar*>(turned_row.cosine), static_cast<const Scalar*>(turned_row.sine));
        }
      }
    }
  }

 private:
  struct RowBuffer {
    alignas(64) Scalar cosine[chunk_pairs];
    alignas(64) Scalar sine[chunk_pairs];
  };

  /// The row where p's block begins, from exact phases: its nearest Scalars, and, for float, what these leave out.
  /// Without the rest the sum of roundings can reach 1.7e-7 where there is no fused product; with it, 1.3e-7.
  void begin_block(const Coordinate& p, double factor, Index first, Index n, RowBuffer& anchor, RowBuffer& rest) const {
    alignas(64) std::uint64_t phase[chunk_pairs];
    alignas(64) double cosine[chunk_pairs], sine[chunk_pairs];
    for (Index k = 0; k < n; ++k) phase[k] = p.block_phase(frequencies_.step(first + k)).high;
    for_packets<double>(n, [&](auto lane, std::ptrdiff_t k) {
      using D = decltype(lane);
      using U = std::conditional_t<std::is_same_v<D, double>, std::uint64_t, Packet<std::uint64_t>>;
      D c, s;
      sin_cos(load<U>(phase + k), s, c);
      store(cosine + k, c * D(factor));
      store(sine + k, s * D(factor));
    });
    split(cosine, n, anchor.cosine, rest.cosine);
    split(sine, n, anchor.sine, rest.sine);
  }

  static void split(const double* values, Index n, Scalar* nearest, Scalar* rest) {
    for (Index k = 0; k < n; ++k) nearest[k] = static_cast<Scalar>(values[k]);
    if constexpr (std::is_same_v<Scalar, float>) {
      for (Index k = 0; k < n; ++k) rest[k] = static_cast<Scalar>(values[k] - static_cast<double>(nearest[k]));
    }
  }

  /// The anchor turned by r omega_k.
  void turn(const RowBuffer& anchor, const RowBuffer& rest, Index r, Index first, Index n, RowBuffer& out) const {
    const Scalar* cosine = cosine_.data() + r * pairs() + first;
    const Scalar* sine = sine_.data() + r * pairs() + first;
    if constexpr (std::is_same_v<Scalar, float>) {
      rotate_arrays(anchor.cosine, anchor.sine, rest.cosine, rest.sine, cosine, sine, out.cosine, out.sine, n);
    } else {
      rotate_arrays(anchor.cosine, anchor.sine, cosine, sine, out.cosine, out.sine, n);
    }
  }

  Frequencies frequencies_;
  std::vector<Scalar> cosine_, sine_;
};

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
