#pragma once
// The sinusoidal code of the original Transformer: every pair of channels is a clock hand, read as its sine and cosine.

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <utility>

#include "posenc/additive.hpp"
#include "posenc/phase_rows.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// Where the sines and cosines of a code stand. With an odd width the last pair has a sine alone.
enum class SinCosOrder {
  interleaved,  ///< s0 c0 s1 c1 ..      Vaswani et al. 2017
  sin_cos,      ///< s0 s1 .. c0 c1 ..   tensor2tensor, fairseq, Whisper
  cos_sin       ///< c0 c1 .. s0 s1 ..   diffusion models' flipped order
};

/// Adds the sinusoidal position code.
///   x[i] <- scale x[i] + PE(p_i),   PE(p)[2k] = sin(p omega_k),  PE(p)[2k+1] = cos(p omega_k)     (order interleaved)
/// An object is immutable; add_to may be called from many threads and allocates nothing.
///
/// Shapes    x: tokens x dim, any dense Eigen form with data in memory, changed in place; positions: a first position, row
///           i then having first + i, or a vector-like of integers or reals with one per row.
/// Units     positions in tokens, may be negative and fractional; omega in radians per token.
/// Accuracy  every sine and cosine within 1.5e-7 (float) and 5e-16 (double) of the real number's for |p| <= 2^40; the sum
///           rounds once more, and scale x does too where products are not fused (SSE2).  Test: sinusoidal_test.
/// Throws    std::invalid_argument, before anything is written, for columns other than dim, a wrong number of positions or
///           one that is not a number.
/// Source    Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
template <class Scalar = float>
class Sinusoidal {
  static_assert(
      std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
      "posenc: Sinusoidal computes in float or double; Sinusoidal<float> also adds to Eigen::half and Eigen::bfloat16");

 public:
  /// omega_k = base^(-2k/dim); any width from 1 up.
  Sinusoidal(Index dim, double base = 10000.0, SinCosOrder order = SinCosOrder::interleaved)
      : Sinusoidal(Frequencies::geometric(dim, base), order) {}

  /// Any ladder; its attention factor must be 1.
  Sinusoidal(Frequencies frequencies, SinCosOrder order) : rows_(std::move(frequencies)), order_(order) {
    detail::require(order == SinCosOrder::interleaved || order == SinCosOrder::sin_cos || order == SinCosOrder::cos_sin,
                    "Sinusoidal: order must be one of SinCosOrder's three, got ", static_cast<int>(order));
    detail::require(rows_.frequencies().attention_factor() == 1.0,
                    "Sinusoidal: the attention factor of the frequencies must be 1, got ",
                    rows_.frequencies().attention_factor());
  }

  /// embedding_scale is what the embedding is multiplied by first: sqrt(dim) in the original Transformer.
  template <class X, class Positions = detail::FromZero>
  void add_to(X&& x, const Positions& positions = Positions{}, double embedding_scale = 1.0) const {
    add(std::forward<X>(x), positions, embedding_scale, "Sinusoidal::add_to");
  }

  /// The codes themselves, one row per position: of 0 to count - 1, or of the positions given.
  template <class Positions = detail::FromZero>
  CodeMatrix<Scalar> encode(const Positions& positions_or_count) const {
    const char* function = "Sinusoidal::encode";
    return detail::encode<Scalar>(dim(), positions_or_count, function,
                                  [&](auto& codes, const auto& positions) { add(codes, positions, 1.0, function); });
  }

  const Frequencies& frequencies() const { return rows_.frequencies(); }
  SinCosOrder order() const { return order_; }
  Index dim() const { return rows_.frequencies().dim(); }

 private:
  template <class X, class Positions>
  void add(X&& x, const Positions& positions, double embedding_scale, const char* function) const {
    const auto view = detail::additive_view<Scalar>(std::forward<X>(x), dim(), function);
    const double largest = static_cast<double>(std::numeric_limits<Scalar>::max());
    detail::require(detail::is_between(embedding_scale, -largest, largest), function,
                    ": embedding_scale must be a finite number, got ", embedding_scale);
    const auto scale = static_cast<Scalar>(embedding_scale);
    detail::with_positions(positions, 1, view.tokens, 1, function, [&](const auto& source, bool) {
      rows_.with_ladder([&](auto kernel, const auto& ladder) {
        rows_.for_each_span(source, view.tokens, [&](const detail::Run* runs, Index run_count, Index begin, Index n) {
          kernel.template add<Scalar>(ladder, runs, run_count, detail::part_of(view, 0, 1, begin, n), places(), scale);
        });
      });
    });
  }

  detail::CodePlaces places() const {
    switch (order_) {
      case SinCosOrder::sin_cos:
        return {0, rows_.pairs(), 1, dim() / 2};
      case SinCosOrder::cos_sin:
        return {dim() / 2, 0, 1, dim() / 2};
      default:
        return {0, 1, 2, dim() / 2};
    }
  }

  detail::PhaseRows<Scalar> rows_;
  SinCosOrder order_;
};

}  // namespace POSENC_ISA
}  // namespace posenc
