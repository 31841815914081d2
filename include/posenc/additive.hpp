#pragma once
// What the three additive encoders share: x is tokens x dim, every row receives the code of its position.

#include <Eigen/Core>
#include <type_traits>

#include "posenc/heads_view.hpp"
#include "posenc/kernel.hpp"
#include "posenc/positions.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// Codes, one row per position: what encode returns.
template <class Scalar>
using CodeMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace detail {

/// x, which is to be tokens x dim, as a view with one head of dim channels.
template <class Scalar, class X>
auto additive_view(X&& x, Index dim, const char* function) {
  if constexpr (is_heads_view<Plain<X>> || !is_dense<X>) {
    static_assert(never<X>, "posenc: an additive encoder takes a matrix, tokens x dim");
    return HeadsView<Scalar>{};  // so that no error follows
  } else if constexpr (!computes_in<typename Plain<X>::Scalar, Scalar>) {
    static_assert(never<X>,
                  "posenc: an encoder in float adds to float, Eigen::half or Eigen::bfloat16, one in double to double");
    return HeadsView<Scalar>{};
  } else {
    require(x.cols() == dim, function, ": columns must be ", dim, ", got ", x.cols());
    return detail::writable_view_of(std::forward<X>(x), dim, function);
  }
}

/// Codes of the positions 0 to count - 1, or of a vector-like of positions: zeros to which add(codes, positions) adds.
template <class Scalar, class Positions, class Add>
CodeMatrix<Scalar> encode(Index dim, const Positions& positions_or_count, const char* function, Add add) {
  if constexpr (std::is_arithmetic_v<Positions>) {
    CodeMatrix<Scalar> codes = CodeMatrix<Scalar>::Zero(detail::checked_count(positions_or_count, dim, function), dim);
    add(codes, Position{0});
    return codes;
  } else {
    static_assert(is_vector_like<Positions>(), "posenc: positions are a vector-like of integers or reals, one per row");
    const Index rows = detail::length(positions_or_count);
    require_elements(rows, dim, function);
    CodeMatrix<Scalar> codes = CodeMatrix<Scalar>::Zero(rows, dim);
    add(codes, positions_or_count);
    return codes;
  }
}

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
