#pragma once
// What the kernels are told: the ladder, and where the numbers of a pair stand.

#include <cstdint>

#include "posenc/pair_layout.hpp"
#include "posenc/positions.hpp"

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// Pairs whose row is made at a time: the working set of a call, on the stack. Codes take more of them than heads, whose
/// turns are kept for all heads: rows are written in longer stretches then.
inline constexpr Index chunk_pairs = 128, code_pairs = 512;
/// Rows that a kernel is called for at a time, and runs that they may form. So many rows, since a column-major matrix is
/// turned more slowly when its columns are not gone through in one go.
inline constexpr Index span_rows = 4096, span_runs = 160;
/// Arrays that a kernel reads go on by this many numbers, a register's at most.
inline constexpr Index padding = 16;

/// A ladder as a kernel reads it: the steps; their fractions once more, as two arrays and as the first three of their
/// four 32-bit words; and the small rotations, cosines and sines of r omega_k for r from 0 to half a block, row r at
/// r x stride. With one axis `axis` is null, else it has the axis of each pair.
template <class Angle>
struct Ladder {
  Index pairs, axes, stride;
  const Index* axis;
  const Step* steps;
  const std::uint64_t *high, *low;
  const std::uint32_t* words[3];
  const Angle *cosine, *sine;
};

/// Rows at a position and the ones after it, all in one block. With several axes the position has a coordinate for each, and
/// the run is one row.
struct Run {
  const Coordinate* position;
  Index rows;
};

/// Two positions, of one coordinate an axis, lie in one block on every axis.
inline bool share_block(const Coordinate* a, const Coordinate* b, Index axes) {
  for (Index i = 0; i < axes; ++i) {
    if (!a[i].shares_block(b[i])) return false;
  }
  return true;
}

inline bool is_zero(const Coordinate* position, Index axes) {
  for (Index i = 0; i < axes; ++i) {
    if (!position[i].is_zero()) return false;
  }
  return true;
}

/// Where the pairs of a head stand: from first_channel on, in blocks of block_pairs pairs (one block but for a head that
/// is several ropes side by side), each in the layout.
struct PairPlaces {
  PairLayout layout;
  Index first_channel, block_pairs;

  Index first(Index k) const {
    const Index in_block = k < block_pairs ? k : k % block_pairs, block_channel = 2 * (k - in_block);
    return first_channel + block_channel + (layout == PairLayout::half ? in_block : 2 * in_block);
  }
  Index partner_distance() const { return layout == PairLayout::half ? block_pairs : 1; }
};

/// Where sine and cosine of pair k stand in a code: at sine + k step and cosine + k step; the last pair of an odd width has
/// no cosine.
struct CodePlaces {
  Index sine, cosine, step, cosines;
};

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
