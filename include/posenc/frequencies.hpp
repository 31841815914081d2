#pragma once
// The frequency ladder: one angular frequency omega_k for every pair k of a code or of a head.

#include <algorithm>
#include <cmath>
#include <vector>

#include "posenc/errors.hpp"
#include "posenc/phase.hpp"
#include "posenc/vector_like.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// An immutable ladder: the list of the angular frequencies omega_k of all pairs, k from 0 to size() - 1, in radians per
/// position (the inv_freq of other libraries), with the attention factor by which RoPE multiplies its cosines and sines (1
/// but for YaRN and its kin).
class Frequencies {
 public:
  /// The widest code: far beyond any model, and small enough that no size computed from it overflows.
  static constexpr Index largest_dim = Index{1} << 24;

  /// The ladder of the original Transformer and of RoPE.
  ///   omega_k = base^(-2k/dim),   k = 0 .. ceil(dim/2) - 1
  /// Shapes    dim: width of the code; an odd one has a last pair of which only the sine is used (RoPE wants an even one).
  /// Accuracy  the phase of any |p| <= 2^40 is within 2^-60 of a turn of the real number's.  Test: frequencies_test.
  /// Throws    std::invalid_argument if dim is not within [1, 2^24] or base not within [1, 1e18].
  /// Source    Vaswani et al. 2017, section 3.5; Su et al. 2021, section 3.2.2.
  static Frequencies geometric(Index dim, double base = 10000.0) {
    detail::require(dim >= 1, "Frequencies::geometric: dim must be at least 1, got ", dim);
    detail::require(dim <= largest_dim, "Frequencies::geometric: dim must be at most ", largest_dim, ", got ", dim);
    detail::require(detail::is_between(base, 1, 1e18), "Frequencies::geometric: base must be within [1, 1e18], got ",
                    base);
    // s = base^(-1/dim) and omega_k = s^(2k): one root serves even and odd widths.
    const detail::Fixed s = detail::geometric_ratio(base, 1.0, static_cast<std::uint64_t>(dim));
    return Frequencies(dim, ladder((dim + 1) / 2, 1.0, s * s));
  }

  /// Frequencies from first to last in equal ratios, both ends included.
  ///   omega_k = first (last/first)^(k/(pairs-1))
  /// Units     radians per position, up or down; both within [2^-64, 2^32], their ratio at most 1e18.
  /// Accuracy  as geometric.
  /// Throws    std::invalid_argument for other values, pairs < 1, or one pair with two different ends.
  static Frequencies log_spaced(Index pairs, double first, double last) {
    detail::require(pairs >= 1, "Frequencies::log_spaced: pairs must be at least 1, got ", pairs);
    detail::require(pairs <= largest_dim / 2, "Frequencies::log_spaced: pairs must be at most ", largest_dim / 2,
                    ", got ", pairs);
    const double large = std::max(first, last), small = std::min(first, last);
    detail::require(detail::is_between(first, 0x1p-64, 0x1p32) && detail::is_between(last, 0x1p-64, 0x1p32) &&
                        large <= 1e18 * small,
                    "Frequencies::log_spaced: first and last must be within [2^-64, 2^32] and at most 1e18 apart, got ",
                    first, " and ", last);
    detail::require(pairs > 1 || first == last, "Frequencies::log_spaced: one pair cannot have both ends, got ", first,
                    " and ", last);
    const auto steps = static_cast<std::uint64_t>(std::max<Index>(pairs - 1, 1));
    std::vector<detail::Fixed> omega = ladder(pairs, large, detail::geometric_ratio(large, small, steps));
    if (first < last) std::reverse(omega.begin(), omega.end());
    return Frequencies(2 * pairs, omega);
  }

  /// Frequencies used as exactly the numbers given, such as the inv_freq of a checkpoint.
  /// Shapes    omega: any vector-like of at least one real number; dim() is twice its length.
  /// Units     radians per position, |omega| <= 2^32; negative ones turn the other way, 0 stands still.
  /// Throws    std::invalid_argument for no values, a value that is NaN or too large, or an attention factor that is not
  ///           within [1e-6, 1e6].
  template <class Values = detail::Braced>
  static Frequencies from_values(const Values& omega, double attention_factor = 1.0) {
    static_assert(detail::is_vector_like<Values>(), "posenc: from_values takes a vector of frequencies");
    static_assert(!detail::has_product<Values>(), "posenc: frequencies are a product; evaluate it into a vector first");
    static_assert(detail::is_number<detail::Element<Values>>, "posenc: frequencies are numbers");
    const Index pairs = detail::length(omega);
    detail::require(pairs >= 1, "Frequencies::from_values: there must be at least 1 frequency, got 0");
    detail::require(detail::is_between(attention_factor, 1e-6, 1e6),
                    "Frequencies::from_values: attention_factor must be within [1e-6, 1e6], got ", attention_factor);
    Frequencies result;
    result.dim_ = 2 * pairs;
    result.attention_factor_ = attention_factor;
    for (Index k = 0; k < pairs; ++k) {
      const double value = static_cast<double>(detail::element(omega, k));
      detail::require(detail::is_between(value, -0x1p32, 0x1p32), "Frequencies::from_values: omega[", k,
                      "] must be a number within [-2^32, 2^32], got ", value);
      result.omega_.push_back(value);
      result.step_.push_back(step_of(value));
    }
    return result;
  }

  /// The ladder made of the named pairs of this one, in that order, with all their digits: a pair may be left out or repeated.
  /// Throws    std::invalid_argument for no pairs or one that is not within [0, size() - 1].
  Frequencies selected(const std::vector<Index>& pairs) const {
    detail::require(!pairs.empty(), "Frequencies::selected: there must be at least 1 pair, got 0");
    Frequencies result;
    result.dim_ = 2 * static_cast<Index>(pairs.size());
    result.attention_factor_ = attention_factor_;
    for (const Index k : pairs) {
      result.omega_.push_back(omega_[checked(k)]);
      result.step_.push_back(step_[checked(k)]);
    }
    return result;
  }

  /// Number of pairs.
  Index size() const { return static_cast<Index>(omega_.size()); }
  /// Width of the vector that the pairs fill: 2 size(), or one less where geometric was asked for an odd width.
  Index dim() const { return dim_; }
  /// omega_k in radians per position, as a double within one unit in the last place.
  double operator[](Index k) const { return omega_[checked(k)]; }
  /// Positions in a full turn of pair k, 2 pi / |omega_k|; infinite where omega_k is 0.
  double period(Index k) const { return 6.283185307179586 / std::abs(omega_[checked(k)]); }
  /// What RoPE multiplies its cosines and sines by.
  double attention_factor() const { return attention_factor_; }
  /// omega_k as turns per position in fixed point, with all its digits.
  const Step& step(Index k) const { return step_[checked(k)]; }
  /// All steps, one per pair.
  const std::vector<Step>& steps() const { return step_; }

 private:
  Frequencies() = default;
  Frequencies(Index dim, const std::vector<detail::Fixed>& omega) : dim_(dim) {
    for (const detail::Fixed& value : omega) {
      omega_.push_back(detail::to_double(value));
      step_.push_back(detail::step_of(value));
    }
  }

  /// first r^k for k from 0 to pairs - 1.
  static std::vector<detail::Fixed> ladder(Index pairs, double first, const detail::Fixed& r) {
    std::vector<detail::Fixed> omega{detail::to_fixed(first)};
    while (static_cast<Index>(omega.size()) < pairs) omega.push_back(omega.back() * r);
    return omega;
  }

  std::size_t checked(Index k) const {
    detail::require(k >= 0 && k < size(), "Frequencies: pair index must be within [0, ", size(), "), got ", k);
    return static_cast<std::size_t>(k);
  }

  Index dim_ = 0;
  double attention_factor_ = 1.0;
  std::vector<double> omega_;
  std::vector<Step> step_;
};

}  // namespace POSENC_ISA
}  // namespace posenc
