#pragma once
// Rotating the pairs of heads by given cosines and sines.

#include <Eigen/Core>
#include <algorithm>
#include <type_traits>

#include "posenc/heads_view.hpp"
#include "posenc/kernel.hpp"
#include "posenc/pair_layout.hpp"
#include "posenc/phase_rows.hpp"

namespace posenc {
inline namespace POSENC_ISA {

namespace detail {

/// The checks and the loop of both forms of rotate_pairs. with_rows(view, use) calls use(row_of) once everything about the
/// rows is found right; row_of(b, t) is the row of the tables for token t of batch b.
template <class X, class Cos, class Sin, class WithRows>
void rotate_by_table(X&& x, const Cos& cos, const Sin& sin, PairLayout layout, Index head_dim, const char* function,
                     WithRows with_rows) {
  require_layout(layout, function);
  require(head_dim >= 1, function, ": head_dim must be at least 1, got ", head_dim);
  const auto view = detail::writable_view_of(std::forward<X>(x), head_dim, function);
  using T = std::remove_pointer_t<decltype(view.data)>;
  using Scalar = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static_assert(computes_in<T, Scalar>, "posenc: x must hold float, double, Eigen::half or Eigen::bfloat16");
  static_assert(is_dense<Cos> && is_dense<Sin>, "posenc: cos and sin must be dense Eigen matrices");
  static_assert(!has_product<Cos>() && !has_product<Sin>(),
                "posenc: cos or sin is a product; evaluate it into a matrix first");

  const Index pairs = cos.cols();
  require(sin.rows() == cos.rows() && sin.cols() == pairs, function, ": cos and sin must have one shape, got ",
          cos.rows(), " x ", pairs, " and ", sin.rows(), " x ", sin.cols());
  require(pairs <= head_dim / 2, function, ": tables of ", pairs, " pairs do not fit into head_dim ", head_dim);

  with_rows(view, [&](auto row_of) {
    if (view.is_empty() || pairs == 0) return;  // and there may be no data
    const PairPlaces places{layout, 0, pairs};
    with_kernel([&](auto kernel) {
      Scalar cosine[chunk_pairs], sine[chunk_pairs];
      for (Index b = 0; b < view.batch; ++b) {
        const auto part = detail::part_of(view, b, 1, 0, view.tokens);
        for (Index t = 0; t < view.tokens; ++t) {
          const Index row = row_of(b, t);
          for (Index k = 0, n; k < pairs; k += n) {
            n = std::min(chunk_pairs, pairs - k);
            Eigen::Map<Eigen::Array<Scalar, 1, Eigen::Dynamic>>(cosine, n) =
                cos.derived().row(row).segment(k, n).template cast<Scalar>().array();
            Eigen::Map<Eigen::Array<Scalar, 1, Eigen::Dynamic>>(sine, n) =
                sin.derived().row(row).segment(k, n).template cast<Scalar>().array();
            kernel.template rotate_by<Scalar>(cosine, sine, part, t, places, k, n);
          }
        }
      }
    });
  });
}

}  // namespace detail

/// Rotates the pairs of every head by given tables, in place: row i of the tables for row i of x.
///   (a, b) -> (a cos - b sin, a sin + b cos)      for pair k of each head, with cos = cos(i, k), sin = sin(i, k)
/// Shapes    x: tokens x (heads * head_dim), or a HeadsView with one table row per token, or one per batch x token;
///           cos, sin: tokens x pairs; 2 pairs <= head_dim, channels from 2 pairs on pass through.
/// Accuracy  each product-and-sum rounds at most twice in the type computed in (float for 16-bit data).
///           Test: rotate_pairs_test, operators_test.
/// Throws    std::invalid_argument, before anything is written, if shapes do not fit.
/// Source    ONNX operator RotaryEmbedding, opset 23, without position_ids.
template <class X, class Cos, class Sin>
void rotate_pairs(X&& x, const Cos& cos, const Sin& sin, PairLayout layout, Index head_dim) {
  const char* function = "rotate_pairs";
  detail::rotate_by_table(std::forward<X>(x), cos, sin, layout, head_dim, function, [&](const auto& view, auto use) {
    const bool shared = cos.rows() == view.tokens;
    const Index rows = detail::product_or_most(view.batch, view.tokens);
    detail::require(shared || cos.rows() == rows, function, ": tables must have one row for each of the ", rows,
                    " rows, got ", cos.rows());
    use([&](Index b, Index t) { return shared ? t : b * view.tokens + t; });
  });
}

/// The same with a cache of rows by position: row p of the tables for a token at position p.
/// Shapes    cos, sin: positions x pairs; position_ids: a first position, or a vector-like of integers with one per token
///           or one per batch x token, or an Eigen matrix batch x tokens.
/// Throws    std::invalid_argument, before anything is written, if shapes do not fit or a position has no row.
/// Source    ONNX operator RotaryEmbedding, opset 23, with position_ids.
template <class X, class Cos, class Sin, class Positions>
void rotate_pairs(X&& x, const Cos& cos, const Sin& sin, const Positions& position_ids, PairLayout layout,
                  Index head_dim) {
  const char* function = "rotate_pairs";
  detail::rotate_by_table(std::forward<X>(x), cos, sin, layout, head_dim, function, [&](const auto& view, auto use) {
    detail::with_positions(position_ids, view.batch, view.tokens, 1, function, [&](const auto& source, bool per_batch) {
      const Index rows = per_batch ? detail::product_or_most(view.batch, view.tokens) : view.tokens;
      for (Index i = 0; i < rows; ++i) detail::require_row(source.at(i), cos.rows(), function, i);
      use([&](Index b, Index t) {
        const Index i = per_batch ? b * view.tokens + t : t;
        const detail::Coordinate p = source.at(i);
        detail::require_row(p, cos.rows(), function, i);  // read again, so checked again
        return static_cast<Index>(p.whole);
      });
    });
  });
}

}  // namespace POSENC_ISA
}  // namespace posenc
