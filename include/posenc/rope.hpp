#pragma once
// Rotary position embedding: pair k of a query or key at position p is turned by the angle p omega_k. The score of a query
// at m with a key at n then depends on n - m alone:   (R(m w) q) . (R(n w) k) = q . R((n - m) w) k

#include <utility>

#include "posenc/frequencies.hpp"
#include "posenc/heads_view.hpp"
#include "posenc/pair_axes.hpp"
#include "posenc/phase_rows.hpp"
#include "posenc/rotate_pairs.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// Cosines and sines by row: rows x pairs, the attention factor included.
template <class Scalar>
struct RopeTable {
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> cos, sin;
};

/// Rotates query and key pairs by their positions.
///   (a, b) -> g (a cos t - b sin t, a sin t + b cos t),   t = p omega_k,   g = attention factor of the frequencies
/// Scalar is what angles are formed and products taken in: float (also for data in Eigen::half and Eigen::bfloat16, rounded
/// once at the end) or double. An object is immutable; its members may be called from many threads and allocate nothing
/// (but table).
///
/// In every call x is tokens x (heads * head_dim), in any dense Eigen form with data in memory, or a HeadsView of raw
/// memory; positions are a first position, row i then having first + i, or a vector-like of integers or reals with one
/// position per token, which must not lie in x itself (a HeadsView also takes one per batch x token: a vector in this
/// order, or an Eigen matrix batch x tokens).
///
/// Units     positions in tokens, may be negative and fractional; omega in radians per token.
/// Accuracy  cosines and sines within 1.5e-7 (float) and 5e-16 (double) of the real numbers' for |p| <= 2^40; a rotated
///           value within that times g (|a| + |b|), plus one rounding.  Test: rope_test, laws_test.
/// Throws    std::invalid_argument, before anything is written, if shapes do not fit or a position is not a number.
/// Source    Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", section 3.2.
template <class Scalar = float>
class Rope {
  static_assert(
      std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
      "posenc: Rope computes in float or double; Rope<float> also takes data in Eigen::half and Eigen::bfloat16");

 public:
  /// The whole head turns: head_dim = frequencies.dim().
  Rope(Frequencies frequencies, PairLayout layout) : Rope(frequencies, layout, frequencies.dim()) {}

  /// Partial rotary: frequencies.dim() channels of a head turn, from first_channel on; the others pass through.
  Rope(Frequencies frequencies, PairLayout layout, Index head_dim, Index first_channel = 0)
      : Rope(std::move(frequencies), PairAxes{}, layout, head_dim, first_channel) {}

  /// Several position axes: each pair turns by the position on its own axis. Positions are then an Eigen matrix, tokens x
  /// axes; a first position or a vector-like gives all axes of a row the same number, as text between images has.
  Rope(Frequencies frequencies, PairAxes axes, PairLayout layout)
      : Rope(frequencies, axes, layout, frequencies.dim()) {}
  Rope(Frequencies frequencies, PairAxes axes, PairLayout layout, Index head_dim, Index first_channel = 0)
      : rows_(std::move(frequencies), axes.axis_of_pair(), axes.count()),
        head_dim_(head_dim),
        places_{layout, first_channel, rows_.pairs() / axes.blocks()} {
    detail::require(rotary_dim() % 2 == 0, "Rope: the width of the frequencies must be even, got ", rotary_dim());
    detail::require_layout(layout, "Rope");
    detail::require(first_channel >= 0 && first_channel <= head_dim && rotary_dim() <= head_dim - first_channel,
                    "Rope: ", rotary_dim(), " channels from channel ", first_channel, " on do not fit into head_dim ",
                    head_dim);
    const auto axis_pairs = static_cast<Index>(axes.axis_of_pair().size());
    detail::require(axis_pairs == 0 || axis_pairs == rows_.pairs(), "Rope: there must be one axis for each of the ",
                    rows_.pairs(), " pairs, got ", axis_pairs);
    detail::require(rows_.pairs() % axes.blocks() == 0, "Rope: ", rows_.pairs(), " pairs do not fill ", axes.blocks(),
                    " equal blocks");
  }

  /// Turns every row to its position, in place.
  template <class X, class Positions = detail::FromZero>
  void rotate(X&& x, const Positions& positions = Positions{}) const {
    in_place(std::forward<X>(x), positions, false, factor(), "Rope::rotate");
  }

  /// The same, written to out (a key cache) in one pass; x keeps its values. out may be x itself, but not overlap it otherwise.
  /// Shapes    out: as x; the scalars may differ, both computed in Scalar.
  template <class Out, class X, class Positions = detail::FromZero>
  void rotate_to(Out&& out, const X& x, const Positions& positions = Positions{}) const {
    const char* function = "Rope::rotate_to";
    const auto to = detail::writable_view_of(std::forward<Out>(out), head_dim_, function);
    const auto from = detail::view_of(x, head_dim_, function);
    detail::require_same_shape(to, from, function);
    detail::require_no_overlap(to, from, function);
    detail::with_positions(
        positions, from.batch, from.tokens, axes(), function,
        [&](const auto& source, bool per_batch) { apply(from, to, source, per_batch, false, factor()); });
  }

  /// Takes rotate back: the inverse rotation, divided by the attention factor.
  template <class X, class Positions = detail::FromZero>
  void unrotate(X&& x, const Positions& positions = Positions{}) const {
    in_place(std::forward<X>(x), positions, true, 1.0 / factor(), "Rope::unrotate");
  }

  /// Gradient with respect to rotate's input from the gradient with respect to its output, in place: the transpose.
  ///   (u, v) -> g (u cos t + v sin t, -u sin t + v cos t)
  /// unrotate is the inverse, the same turn times 1 / g: the two are one where g is 1.
  template <class X, class Positions = detail::FromZero>
  void backward(X&& gradient, const Positions& positions = Positions{}) const {
    in_place(std::forward<X>(gradient), positions, true, factor(), "Rope::backward");
  }

  /// Moves rows that were rotated before by an offset: from position p to p + delta. The attention factor, which they
  /// have in them already, is not applied again.
  /// Shapes    delta: one number for all rows, or a vector-like with one per token.
  /// Units     delta in tokens, may be negative and fractional.
  /// Throws    std::invalid_argument if delta is not a number within [-2^62, 2^62] or there is not one per token.
  template <class X, class Deltas = detail::FromZero>
  void shift(X&& x, const Deltas& delta) const {
    if constexpr (std::is_arithmetic_v<Deltas>) {
      static_assert(detail::is_number<Deltas>, "posenc: an offset is an integer or a real (float, double or 16-bit)");
      const char* function = "Rope::shift";
      const auto view = detail::writable_view_of(std::forward<X>(x), head_dim_, function);
      detail::require_position(delta, function, 0);
      apply(view, view, detail::Constant{detail::coordinate(delta)}, false, false, 1.0);
    } else {
      in_place(std::forward<X>(x), delta, false, 1.0, "Rope::shift");
    }
  }

  /// The cosines and sines that rotate uses, attention factor included: for engines that want a cache of their own.
  /// Shapes    from a count n: positions 0 to n - 1; from a vector-like: its positions. Both n x pairs.
  template <class Positions = detail::FromZero>
  RopeTable<Scalar> table(const Positions& positions_or_count) const {
    const char* function = "Rope::table";
    const auto fill = [&](const auto& source, Index count) {
      detail::require_elements(count, rows_.pairs(), function);
      RopeTable<Scalar> result;
      result.cos.resize(count, rows_.pairs());
      result.sin.resize(count, rows_.pairs());
      rows_.with_ladder([&](auto kernel, const auto& ladder) {
        rows_.for_each_span(source, count, [&](const detail::Run* runs, Index run_count, Index begin, Index) {
          kernel.template write<Scalar>(ladder, runs, run_count, factor(), &result.cos(begin, 0), &result.sin(begin, 0),
                                        rows_.pairs());
        });
      });
      return result;
    };
    if constexpr (std::is_arithmetic_v<Positions>) {
      return fill(detail::Consecutive{0}, detail::checked_count(positions_or_count, rows_.pairs(), function));
    } else if constexpr (detail::is_table<Positions>()) {
      detail::require(positions_or_count.cols() == axes(), function, ": a matrix of positions must have ", axes(),
                      " columns, one per axis, got ", positions_or_count.cols());
      detail::require_positions(positions_or_count, 0, function);
      return fill(detail::Tabled<Positions>(positions_or_count), positions_or_count.rows());
    } else {
      return fill(detail::listed(positions_or_count, function), detail::length(positions_or_count));
    }
  }

  const Frequencies& frequencies() const { return rows_.frequencies(); }
  PairLayout layout() const { return places_.layout; }
  Index head_dim() const { return head_dim_; }
  Index rotary_dim() const { return frequencies().dim(); }
  Index first_channel() const { return places_.first_channel; }
  Index axes() const { return rows_.axes(); }

 private:
  double factor() const { return frequencies().attention_factor(); }

  template <class X, class Positions>
  void in_place(X&& x, const Positions& positions, bool inverse, double factor, const char* function) const {
    const auto view = detail::writable_view_of(std::forward<X>(x), head_dim_, function);
    detail::with_positions(
        positions, view.batch, view.tokens, axes(), function,
        [&](const auto& source, bool per_batch) { apply(view, view, source, per_batch, inverse, factor); });
  }

  template <class In, class Out, class Source>
  void apply(const HeadsView<In>& x, const HeadsView<Out>& out, const Source& positions, bool per_batch, bool inverse,
             double factor) const {
    static_assert(
        detail::computes_in<std::remove_const_t<In>, Scalar> && detail::computes_in<Out, Scalar>,
        "posenc: Rope<float> takes data in float, Eigen::half or Eigen::bfloat16, and Rope<double> data in double");
    if (x.is_empty()) return;  // and there may be no data
    rows_.with_ladder([&](auto kernel, const auto& ladder) {
      const auto turn = [&](const auto& from, const auto& to, Index first_position) {
        const detail::Shifted<Source> source{positions, first_position};
        rows_.for_each_span(source, from.tokens, [&](const detail::Run* runs, Index run_count, Index begin, Index) {
          copy_still_channels(kernel, from, to, begin, runs, run_count, factor);
          kernel.template rotate<Scalar>(ladder, runs, run_count, factor, from, to, begin, places_, inverse);
        });
      };
      if (!per_batch) return turn(detail::kernel_view(x), detail::kernel_view(out), 0);
      for (Index b = 0; b < x.batch; ++b) {
        turn(detail::part_of(x, b, 1, 0, x.tokens), detail::part_of(out, b, 1, 0, x.tokens), b * x.tokens);
      }
    });
  }

  /// What the rotation does not write: channels that do not turn, and rows at position 0.
  template <class Kernel, class In, class Out>
  void copy_still_channels(Kernel kernel, const HeadsView<In>& x, const HeadsView<Out>& out, Index first_row,
                           const detail::Run* runs, Index count, double factor) const {
    if (static_cast<const void*>(x.data) == static_cast<const void*>(out.data)) return;
    const Index begin = places_.first_channel, end = begin + rotary_dim();
    for (Index i = 0, t = first_row; i < count; ++i) {
      const bool still = factor == 1.0 && detail::is_zero(runs[i].position, axes());
      for (const Index after = t + runs[i].rows; t < after; ++t) {
        if (still) {
          kernel.template copy<Scalar>(x, out, t, 0, head_dim_);
          continue;
        }
        if (begin > 0) kernel.template copy<Scalar>(x, out, t, 0, begin);
        if (end < head_dim_) kernel.template copy<Scalar>(x, out, t, end, head_dim_);
      }
    }
  }

  detail::PhaseRows<Scalar> rows_;
  Index head_dim_;
  detail::PairPlaces places_;
};

}  // namespace POSENC_ISA
}  // namespace posenc
