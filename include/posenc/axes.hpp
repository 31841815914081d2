#pragma once
// Several position axes for one head: time, height and width of a video, row and column of an image. Each pair of
// channels follows one of them.

#include <utility>
#include <vector>

#include "posenc/frequencies.hpp"
#include "posenc/pair_axes.hpp"
#include "posenc/rope.hpp"

namespace posenc {
inline namespace POSENC_ISA {

namespace detail {

inline Index sum_of_sections(const std::vector<Index>& sections, const char* function) {
  Index sum = 0;
  for (const Index section : sections) {
    require(section >= 0, function, ": a section must not be negative, got ", section);
    require(section <= Frequencies::largest_dim, function, ": a section must be at most ", Frequencies::largest_dim,
            ", got ", section);
    sum += section;
  }
  require(sum >= 1, function, ": sections must have at least 1 pair, got ", sum);
  return sum;
}

}  // namespace detail

/// M-RoPE in chunks: axis 0 for the first sections[0] pairs, axis 1 for the next sections[1], and so on.
///   T T .. T H H .. H W W .. W        {16, 24, 24} in Qwen2-VL: time, height, width
/// Shapes    sections add up to the pairs of the frequencies that Rope gets with it (Rope checks).
/// Throws    std::invalid_argument for a negative section or none at all.
/// Source    Wang et al. 2024, "Qwen2-VL"; key mrope_section of the Hugging Face configuration.
inline PairAxes mrope_chunked(const std::vector<Index>& sections) {
  detail::sum_of_sections(sections, "mrope_chunked");
  std::vector<Index> axis_of_pair;
  for (std::size_t axis = 0; axis < sections.size(); ++axis) {
    axis_of_pair.insert(axis_of_pair.end(), static_cast<std::size_t>(sections[axis]), static_cast<Index>(axis));
  }
  return PairAxes(std::move(axis_of_pair), static_cast<Index>(sections.size()));
}

/// M-RoPE interleaved, so that every axis has fast and slow pairs: height where k mod 3 = 1 and k < 3 sections[1], width
/// where k mod 3 = 2 and k < 3 sections[2], time elsewhere.
///   T H W T H W .. T H W T T ..       {24, 20, 20} in Qwen3-VL: time, height, width
/// Throws    std::invalid_argument for other than three sections, a negative one, or sections that this rule cannot give:
///           height and width have at most every third place.
/// Source    Qwen3-VL technical report 2025; keys mrope_section and mrope_interleaved of the Hugging Face configuration.
inline PairAxes mrope_interleaved(const std::vector<Index>& sections) {
  const char* function = "mrope_interleaved";
  detail::require(sections.size() == 3, function, ": there must be 3 sections (time, height, width), got ",
                  sections.size());
  const Index pairs = detail::sum_of_sections(sections, function);
  std::vector<Index> axis_of_pair(static_cast<std::size_t>(pairs), 0);
  for (Index axis = 1; axis <= 2; ++axis) {
    const Index section = sections[static_cast<std::size_t>(axis)];
    const Index places = (pairs - axis + 2) / 3;  // k = axis, axis + 3, .. below pairs
    detail::require(section <= places, function, ": ", pairs, " pairs have ", places, " places for axis ", axis,
                    ", which cannot hold a section of ", section);
    for (Index i = 0; i < section; ++i) axis_of_pair[static_cast<std::size_t>(axis + 3 * i)] = axis;
  }
  return PairAxes(std::move(axis_of_pair), 3);
}

/// The four ways in use to turn a head of D channels by the row h and column w of an image patch. Positions are a matrix
/// tokens x 2 with the columns (h, w), in all four. With v_i = base^(-4i/D), i < D/4:
enum class Axial2d {
  hw_half,         ///< pairs (x[k], x[k+D/2]): first D/4 by h v_k, others by w v_(k-D/4).    Qwen2-VL, Qwen3-VL vision
  xy_interleaved,  ///< pairs (x[2k], x[2k+1]): first D/4 by w v_k, others by h v_(k-D/4).    SAM 2 memory attention
  alternating_half,  ///< pairs (x[k], x[k+D/2]): first D/4 by h base^(-4k/D), others by w base^(-(4(k-D/4)+2)/D).   Pixtral
  hw_blocks_half  ///< each half of the head a rope of its own, pairs (x[k], x[k+D/4]): first by h v_k, second by w v_k
};

/// A rope over the rows and columns of an image, in one of the conventions of Axial2d; positions: tokens x 2, (h, w).
/// Shapes    head_dim: a multiple of 4.
/// Accuracy  as Rope.  Test: axes_test.
/// Throws    std::invalid_argument for another head_dim, or a base that Frequencies::geometric refuses.
/// Source    the vision parts of the models named at Axial2d.
template <class Scalar = float>
Rope<Scalar> axial_rope(Axial2d convention, Index head_dim, double base = 10000.0) {
  const int number = static_cast<int>(convention);
  detail::require(number >= 0 && number <= static_cast<int>(Axial2d::hw_blocks_half),
                  "axial_rope: convention must be one of Axial2d's four, got ", number);
  detail::require(head_dim >= 4 && head_dim % 4 == 0, "axial_rope: head_dim must be a multiple of 4, got ", head_dim);
  const Index quarter = head_dim / 4;
  const bool alternating = convention == Axial2d::alternating_half;
  const bool column_first = convention == Axial2d::xy_interleaved;
  std::vector<Index> ladder, axis;
  for (const Index half : {0, 1}) {
    for (Index k = 0; k < quarter; ++k) {
      ladder.push_back(alternating ? 2 * k + half : k);
      axis.push_back(column_first ? 1 - half : half);
    }
  }
  return Rope<Scalar>(Frequencies::geometric(alternating ? head_dim : head_dim / 2, base).selected(ladder),
                      PairAxes(axis, 2, convention == Axial2d::hw_blocks_half ? 2 : 1),
                      column_first ? PairLayout::interleaved : PairLayout::half);
}

}  // namespace POSENC_ISA
}  // namespace posenc
