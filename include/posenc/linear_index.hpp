#pragma once
// The linear index: a number that grows by the same amount at every position. A baseline, not a good code.

#include <Eigen/Core>
#include <limits>
#include <type_traits>
#include <utility>

#include "posenc/additive.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// Adds step * p to every channel.
///   x[i][j] <- x[i][j] + step p_i
/// It keeps the order of positions, but has one scale only, grows without bound, and its inner products depend on both
/// positions, not on their offset.
///
/// Shapes    x: tokens x dim, changed in place; positions: a first position, or a vector-like with one per row.
/// Units     positions in tokens, may be negative and fractional; step in units of x per token.
/// Accuracy  step p is formed in double and rounded once to Scalar, then added.  Test: linear_index_test.
/// Throws    std::invalid_argument for dim < 1, a step that is not finite, a product step p too large for Scalar,
///           columns other than dim, a wrong number of positions or one that is not a number.
template <class Scalar = float>
class LinearIndex {
  static_assert(std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
                "posenc: LinearIndex computes in float or double; LinearIndex<float> also adds to Eigen::half and "
                "Eigen::bfloat16");

 public:
  LinearIndex(Index dim, double step) : dim_(dim), step_(step) {
    detail::require(dim >= 1, "LinearIndex: dim must be at least 1, got ", dim);
    detail::require(detail::is_finite(step), "LinearIndex: step must be a finite number, got ", step);
  }

  template <class X, class Positions = detail::FromZero>
  void add_to(X&& x, const Positions& positions = Positions{}) const {
    add(std::forward<X>(x), positions, "LinearIndex::add_to");
  }

  /// The codes themselves, one row per position: of 0 to count - 1, or of the positions given.
  template <class Positions = detail::FromZero>
  CodeMatrix<Scalar> encode(const Positions& positions_or_count) const {
    const char* function = "LinearIndex::encode";
    return detail::encode<Scalar>(dim_, positions_or_count, function,
                                  [&](auto& codes, const auto& positions) { add(codes, positions, function); });
  }

  Index dim() const { return dim_; }
  double step() const { return step_; }

 private:
  template <class X, class Positions>
  void add(X&& x, const Positions& positions, const char* function) const {
    const auto view = detail::additive_view<Scalar>(std::forward<X>(x), dim_, function);
    const double largest = static_cast<double>(std::numeric_limits<Scalar>::max());
    const auto number = [](const detail::Coordinate& p) { return p.is_whole ? static_cast<double>(p.whole) : p.real; };
    detail::with_positions(positions, 1, view.tokens, 1, function, [&](const auto& source, bool) {
      for (Index t = 0; t < view.tokens; ++t) {
        const double p = number(source.at(t));
        detail::require(detail::is_between(step_ * p, -largest, largest), function, ": step ", step_,
                        " times position ", p, " must be within [-", largest, ", ", largest, "]");
      }
      for (Index t = 0; t < view.tokens; ++t) {
        const auto code = static_cast<Scalar>(step_ * number(source.at(t)));
        auto* row = view.head(0, t, 0);
        for (Index c = 0; c < dim_; ++c) {
          auto& value = row[c * view.channel_stride];
          value = static_cast<detail::Plain<decltype(value)>>(static_cast<Scalar>(value) + code);
        }
      }
    });
  }

  Index dim_;
  double step_;
};

}  // namespace POSENC_ISA
}  // namespace posenc
