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

/// Where the pairs of a head stand: from first_channel on, in blocks of block_pairs pairs (one block but for a head that
/// is several ropes side by side), each in the layout.
struct PairPlaces {
  PairLayout layout;
  Index first_channel, block_pairs;

  Index first(Index k) const {
    const Index in_block = k % block_pairs, block_channel = 2 * (k - in_block);
    return first_channel + block_channel + (layout == PairLayout::half ? in_block : 2 * in_block);
  }
  Index partner_distance() const { return layout == PairLayout::half ? block_pairs : 1; }
};

/// Cosines and sines of n <= chunk_pairs pairs, ready for one layout. `inverse` turns the other way: the transposed
/// rotation of (a, b) is the rotation of (b, a), so the pair is read from its other end and nothing else changes.
template <class Scalar>
class RowTurner {
 public:
  RowTurner(const PairPlaces& places, bool inverse) : places_(places), inverse_(inverse) {}

  void set(Index first_pair, Index n, const Scalar* cosine, const Scalar* sine) {
    n_ = n;
    cosine_ = cosine;
    sine_ = sine;
    first_ = places_.first(first_pair);
    if (places_.layout == PairLayout::interleaved) spread(cosine, sine, spread_.cosine, spread_.sine, n, inverse_);
  }

  /// Rotates these pairs of all heads of token (b, t), from x to out, which may be the same place.
  template <class In, class Out>
  void rotate(const HeadsView<In>& x, const HeadsView<Out>& out, Index b, Index t) const {
    const In* from = x.head(b, t, 0) + first_ * x.channel_stride;
    Out* to = out.head(b, t, 0) + first_ * out.channel_stride;
    if constexpr (std::is_same_v<std::remove_const_t<In>, Scalar> && std::is_same_v<Out, Scalar>) {
      if (x.channel_stride == 1 && out.channel_stride == 1) {
        return rotate_contiguous(from, x.head_stride, to, out.head_stride, x.heads);
      }
    }
    // Other types and strides go through a copy of Scalars, so that every number meets the same operations.
    const Index step = places_.layout == PairLayout::half ? 1 : 2, partner = places_.partner_distance();
    Scalar pair[2][chunk_pairs];
    Scalar *const first = pair[inverse_], *const second = pair[!inverse_];
    for (Index h = 0; h < x.heads; ++h, from += x.head_stride, to += out.head_stride) {
      gather(from, step * x.channel_stride, n_, pair[0]);
      gather(from + partner * x.channel_stride, step * x.channel_stride, n_, pair[1]);
      rotate_arrays(first, second, cosine_, sine_, first, second, n_);
      scatter(pair[0], n_, to, step * out.channel_stride);
      scatter(pair[1], n_, to + partner * out.channel_stride, step * out.channel_stride);
    }
  }

 private:
  void rotate_contiguous(const Scalar* from, Index from_stride, Scalar* to, Index to_stride, Index heads) const {
    if (places_.layout == PairLayout::half) {
      const Index partner = places_.partner_distance(), a = inverse_ ? partner : 0, b = partner - a;
      for (Index h = 0; h < heads; ++h, from += from_stride, to += to_stride) {
        rotate_arrays(from + a, from + b, cosine_, sine_, to + a, to + b, n_);
      }
    } else {
      for (Index h = 0; h < heads; ++h, from += from_stride, to += to_stride) {
        rotate_neighbours(from, spread_.cosine, spread_.sine, to, n_);
      }
    }
  }

  PairPlaces places_;
  bool inverse_;
  Index first_ = 0, n_ = 0;
  const Scalar* cosine_ = nullptr;
  const Scalar* sine_ = nullptr;
  struct {
    alignas(64) Scalar cosine[2 * chunk_pairs];
    alignas(64) Scalar sine[2 * chunk_pairs];
  } spread_;
};

/// Copies channels [begin, end) of all heads of token (b, t).
template <class In, class Out>
void copy_channels(const HeadsView<In>& x, const HeadsView<Out>& out, Index b, Index t, Index begin, Index end) {
  for (Index h = 0; h < x.heads; ++h) {
    const In* from = x.head(b, t, h);
    Out* to = out.head(b, t, h);
    for (Index c = begin; c < end; ++c) {
      to[c * out.channel_stride] = static_cast<Out>(from[c * x.channel_stride]);
    }
  }
}

/// The checks and the loop of both forms of rotate_pairs. with_rows(view, use) calls use(row_of) once everything about the
/// rows is found right; row_of(b, t) is the row of the tables for token t of batch b.
template <class X, class Cos, class Sin, class WithRows>
void rotate_by_table(X&& x, const Cos& cos, const Sin& sin, PairLayout layout, Index head_dim, const char* function,
                     WithRows with_rows) {
  require_layout(layout, function);
  require(head_dim >= 1, function, ": head_dim must be at least 1, got ", head_dim);
  const auto view = writable_view_of(std::forward<X>(x), head_dim, function);
  using T = std::remove_pointer_t<decltype(view.data)>;
  using Scalar = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static_assert(computes_in<T, Scalar>, "posenc: x must hold float, double, Eigen::half or Eigen::bfloat16");
  static_assert(is_eigen<Cos> && is_eigen<Sin>, "posenc: cos and sin must be Eigen matrices");

  const Index pairs = cos.cols();
  require(sin.rows() == cos.rows() && sin.cols() == pairs, function, ": cos and sin must have one shape, got ",
          cos.rows(), " x ", pairs, " and ", sin.rows(), " x ", sin.cols());
  require(2 * pairs <= head_dim, function, ": tables of ", pairs, " pairs do not fit into head_dim ", head_dim);

  with_rows(view, [&](auto row_of) {
    if (view.heads == 0) return;  // and there may be no data
    RowTurner<Scalar> turner({layout, 0, pairs}, false);
    RowBuffer<Scalar> buffer;
    for (Index b = 0; b < view.batch; ++b) {
      for (Index t = 0; t < view.tokens; ++t) {
        const Index row = row_of(b, t);
        for (Index k = 0; k < pairs; k += chunk_pairs) {
          const Index n = std::min(chunk_pairs, pairs - k);
          for (Index i = 0; i < n; ++i) {
            buffer.cosine[i] = static_cast<Scalar>(cos.derived().coeff(row, k + i));
            buffer.sine[i] = static_cast<Scalar>(sin.derived().coeff(row, k + i));
          }
          turner.set(k, n, buffer.cosine, buffer.sine);
          turner.rotate(view, view, b, t);
        }
      }
    }
  });
}

}  // namespace detail

/// Rotates the pairs of every head by given tables, in place: row i of the tables for row i of x.
///   (a, b) -> (a cos - b sin, a sin + b cos)      for pair k of each head, with cos = cos(i, k), sin = sin(i, k)
/// Shapes    x: tokens x (heads * head_dim), or a HeadsView with one table row a token, or one a batch x token;
///           cos, sin: tokens x pairs; 2 pairs <= head_dim, channels from 2 pairs on pass through.
/// Accuracy  each product-and-sum rounds at most twice in the type computed in (float for 16-bit data).
/// Throws    std::invalid_argument, before anything is written, if shapes do not fit.
/// Source    ONNX operator RotaryEmbedding, opset 23, without position_ids.
template <class X, class Cos, class Sin>
void rotate_pairs(X&& x, const Cos& cos, const Sin& sin, PairLayout layout, Index head_dim) {
  const char* function = "rotate_pairs";
  detail::rotate_by_table(std::forward<X>(x), cos, sin, layout, head_dim, function, [&](const auto& view, auto use) {
    const bool shared = cos.rows() == view.tokens;
    detail::require(shared || cos.rows() == view.batch * view.tokens, function,
                    ": tables must have one row for each of the ", view.batch * view.tokens, " rows, got ", cos.rows());
    use([&](Index b, Index t) { return shared ? t : b * view.tokens + t; });
  });
}

/// The same with a cache of rows by position: row p of the tables for a token at position p.
/// Shapes    cos, sin: positions x pairs; position_ids: a first position, or a vector-like of integers with one a token or
///           one a batch x token, or an Eigen matrix batch x tokens.
/// Throws    std::invalid_argument, before anything is written, if shapes do not fit or a position has no row.
/// Source    ONNX operator RotaryEmbedding, opset 23, with position_ids.
template <class X, class Cos, class Sin, class Positions>
void rotate_pairs(X&& x, const Cos& cos, const Sin& sin, const Positions& position_ids, PairLayout layout,
                  Index head_dim) {
  const char* function = "rotate_pairs";
  detail::rotate_by_table(std::forward<X>(x), cos, sin, layout, head_dim, function, [&](const auto& view, auto use) {
    detail::with_positions(position_ids, view.batch, view.tokens, 1, function, [&](const auto& source, bool per_batch) {
      const Index rows = per_batch ? view.batch * view.tokens : view.tokens;
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
