#pragma once
// Which position axis turns which pair of a head.

#include <utility>
#include <vector>

#include "posenc/errors.hpp"
#include "posenc/vector_like.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// Which axis each pair follows; by default one axis for all. Give it to Rope's constructor.
class PairAxes {
 public:
  PairAxes() = default;

  /// axis_of_pair: one axis index per pair, each within [0, count - 1]. blocks: the head is that many equal stretches of
  /// channels, each laid out as a head of its own.
  /// Throws    std::invalid_argument for count or blocks < 1, more than 64 axes, no pairs, or an axis outside.
  PairAxes(std::vector<Index> axis_of_pair, Index count, Index blocks = 1)
      : axis_of_pair_(std::move(axis_of_pair)), count_(count), blocks_(blocks) {
    detail::require(count >= 1 && blocks >= 1, "PairAxes: count and blocks must be at least 1, got ", count, " and ",
                    blocks);
    detail::require(count <= 64, "PairAxes: count must be at most 64, got ", count);
    detail::require(!axis_of_pair_.empty(), "PairAxes: there must be at least 1 pair, got 0");
    for (std::size_t k = 0; k < axis_of_pair_.size(); ++k) {
      detail::require(axis_of_pair_[k] >= 0 && axis_of_pair_[k] < count, "PairAxes: the axis of pair ", k,
                      " must be within [0, ", count - 1, "], got ", axis_of_pair_[k]);
    }
  }

  const std::vector<Index>& axis_of_pair() const { return axis_of_pair_; }
  Index count() const { return count_; }
  Index blocks() const { return blocks_; }

 private:
  std::vector<Index> axis_of_pair_;
  Index count_ = 1, blocks_ = 1;
};

}  // namespace POSENC_ISA
}  // namespace posenc
