#pragma once
// Ladders for contexts longer than a model was trained on. Each function is one published formula, checked and evaluated
// to a Frequencies; nothing remembers a length, so a new sequence length is a new call.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "posenc/errors.hpp"
#include "posenc/frequencies.hpp"

namespace posenc {
inline namespace POSENC_ISA {

// In all of them: v_k = base^(-2k/dim), L = original_max_position, f = factor. dim is even, base within [1, 1e18], factors
// within [1e-6, 1e9]; a factor below 1 makes the pairs turn faster, which the formulas allow. What is not so throws
// std::invalid_argument with the value, before anything is built. Every omega is within 1e-15 of its formula, relative,
// and from then on exactly the number that operator[] shows.  Test: scaling_test.

struct YarnParameters {
  double factor = 0;
  Index original_max_position = 0;
  double beta_fast = 32, beta_slow = 1;  ///< turns within L: pairs with more are kept, pairs with less are slowed down
  bool truncate = true;                  ///< the ends of the ramp are put on whole pairs
  std::optional<double> attention_factor = {}, mscale = {}, mscale_all_dim = {};
};
struct Llama3Parameters {
  double factor = 0, low_freq_factor = 0, high_freq_factor = 0;
  Index original_max_position = 0;
};
struct LongRopeParameters {
  std::vector<double> short_factor, long_factor;  ///< one divisor per pair
  Index original_max_position = 0, max_position = 0;
  std::optional<double> factor = {}, attention_factor = {};
};

namespace detail {

inline void require_ladder(const char* function, const char* width, Index dim, Index least, double base) {
  require(dim >= least && dim % 2 == 0, function, ": ", width, " must be even and at least ", least, ", got ", dim);
  require(is_between(base, 1, 1e18), function, ": base must be within [1, 1e18], got ", base);
}
inline void require_factor(const char* function, const char* name, double value) {
  require(is_between(value, 1e-6, 1e9), function, ": ", name, " must be within [1e-6, 1e9], got ", value);
}
inline void require_attention(const char* function, const std::optional<double>& value) {
  require(!value || is_between(*value, 1e-6, 1e6), function, ": attention_factor must be within [1e-6, 1e6], got ",
          value.value_or(1));
}
inline void require_length(const char* function, const char* name, Index value, Index least) {
  require(value >= least, function, ": ", name, " must be at least ", least, ", got ", value);
}

/// The ladder with omega_k = value(k).
template <class Value>
Frequencies ladder_of(Index pairs, double attention_factor, Value value) {
  std::vector<double> omega;
  for (Index k = 0; k < pairs; ++k) omega.push_back(value(k));
  return Frequencies::from_values(omega, attention_factor);
}

/// Turns of a pair in `length` positions less `turns`, with no digit lost where the two are close.
inline double turns_beyond(const Step& step, Index length, double turns) {
  Fixed fraction;  // of the ladders here, all of which have omega <= 1
  for (int i = 0; i < 2; ++i) {
    fraction.digit[4 + i] = static_cast<std::uint32_t>(step.fraction.low >> 32 * i);
    fraction.digit[6 + i] = static_cast<std::uint32_t>(step.fraction.high >> 32 * i);
  }
  return to_double(to_fixed(static_cast<double>(length)) * fraction - to_fixed(turns));
}

/// A place on the ladder between pairs, whole + rest; near its pair `whole` the rest is small and has all its digits.
struct LadderPlace {
  Index whole;
  double rest;

  double minus(const LadderPlace& other) const {
    return static_cast<double>(whole - other.whole) + (rest - other.rest);
  }
  LadderPlace floor() const { return {whole + static_cast<Index>(std::floor(rest)), 0}; }
  LadderPlace ceil() const { return {whole + static_cast<Index>(std::ceil(rest)), 0}; }
};

/// Where the ladder makes `turns` turns in `length` positions:
///   c = dim ln(length / (2 pi turns)) / (2 ln base) = k + dim ln(turns of pair k / turns) / (2 ln base),   any k
/// By the second form with the pair next to c: the first has an error of 1e-15 c, which the ramp multiplies by the factor.
inline LadderPlace place_of(const Frequencies& ladder, double base, Index length, double turns) {
  const double pairs_per_e = static_cast<double>(ladder.dim()) / (2 * std::log(base));
  const double c = pairs_per_e * std::log(static_cast<double>(length) / (6.283185307179586 * turns));
  const double last = static_cast<double>(ladder.size() - 1);
  const Index k = static_cast<Index>(std::min(std::max(c, 0.0), last) + 0.5);
  const double rest = pairs_per_e * std::log1p(turns_beyond(ladder.step(k), length, turns) / turns);
  return {k, std::min(std::max(rest, -1e9), 1e9)};  // so far beyond either end the place does not matter
}

/// YaRN's magnitude:  mag(m) = 1 if f <= 1, else 0.1 m ln f + 1.
inline double yarn_magnitude(double factor, double m) { return factor <= 1 ? 1 : 0.1 * m * std::log(factor) + 1; }

inline void require_yarn(const char* function, const YarnParameters& p) {
  require_factor(function, "factor", p.factor);
  require_attention(function, p.attention_factor);
  for (const double m : {p.mscale.value_or(0), p.mscale_all_dim.value_or(0)}) {
    require(is_between(m, 0, 1000), function, ": mscale and mscale_all_dim must be within [0, 1000], got ", m);
  }
}

}  // namespace detail

/// Linear interpolation of positions; keeps the attention factor.
///   omega_k -> omega_k / f
/// Source    Chen et al. 2023, "Extending Context Window of Large Language Models via Positional Interpolation".
inline Frequencies scale_linear(const Frequencies& frequencies, double factor) {
  detail::require(frequencies.dim() % 2 == 0, "scale_linear: the width of the frequencies must be even, got ",
                  frequencies.dim());
  detail::require_factor("scale_linear", "factor", factor);
  return detail::ladder_of(frequencies.size(), frequencies.attention_factor(),
                           [&](Index k) { return frequencies[k] / factor; });
}

namespace detail {

/// A larger base, base alpha^(dim/(dim-2)): the first pair keeps its frequency, the last one is divided by alpha.
///   base'^(-2k/dim) = v_k / alpha^(k/(pairs-1))
inline Frequencies with_larger_base(Index dim, double base, double alpha) {
  const Frequencies ladder = Frequencies::geometric(dim, base);
  const Frequencies divisor = Frequencies::log_spaced(ladder.size(), 1, alpha);
  return ladder_of(ladder.size(), 1, [&](Index k) { return ladder[k] / divisor[k]; });
}

}  // namespace detail

/// NTK-aware scaling with a given alpha.
///   omega_k = base'^(-2k/dim),   base' = base alpha^(dim/(dim-2))
/// Throws    as all, and for dim 2, where the exponent divides by zero.
/// Source    bloc97 2023, "NTK-Aware Scaled RoPE".
inline Frequencies scale_ntk(Index dim, double base, double alpha) {
  detail::require_ladder("scale_ntk", "dim", dim, 4, base);
  detail::require_factor("scale_ntk", "alpha", alpha);
  return detail::with_larger_base(dim, base, alpha);
}

/// NTK-aware scaling for the sequence at hand, M = max_position.
///   alpha = f S/M - (f - 1),   S = max(seq_len, M)
/// Up to M this is Frequencies::geometric(dim, base) itself. A sequence that grows gets new frequencies with every token:
/// keys rotated before have to be rotated anew, or kept by a seq_len that stays.
/// Source    emozilla 2023, "Dynamically Scaled RoPE"; Hugging Face Transformers, rope_type "dynamic".
inline Frequencies scale_dynamic_ntk(Index dim, double base, double factor, Index max_position, Index seq_len) {
  const char* function = "scale_dynamic_ntk";
  detail::require_ladder(function, "dim", dim, 4, base);
  detail::require_factor(function, "factor", factor);
  detail::require_length(function, "max_position", max_position, 1);
  detail::require_length(function, "seq_len", seq_len, 0);
  if (seq_len <= max_position) return Frequencies::geometric(dim, base);
  const double alpha = 1 + factor * (static_cast<double>(seq_len - max_position) / static_cast<double>(max_position));
  detail::require_factor(function, "factor seq_len / max_position - (factor - 1)", alpha);
  return detail::with_larger_base(dim, base, alpha);
}

/// YaRN: fast pairs are kept, slow ones divided by the factor, those between mixed; the attention factor goes with it.
///   omega_k = (1 - r_k) v_k + r_k v_k / f,   r_k = (k - lo) / (hi - lo) within [0, 1]
///   lo, hi = the place on the ladder with beta_fast, beta_slow turns in L positions; floor and ceil of it if truncate;
///            then lo = max(lo, 0), hi = min(hi, dim - 1), and hi = lo + 0.001 where they are equal
///   attention factor = the given one, else mag(mscale) / mag(mscale_all_dim) if both are given and not 0, else mag(1);
///   mag(m) = 0.1 m ln f + 1, or 1 if f <= 1
/// Throws    as all, and for base 1, L < 1, beta_slow > beta_fast, and an mscale that is not within [0, 1000].
/// Source    Peng et al. 2023, "YaRN: Efficient Context Window Extension of Large Language Models", section 3.
inline Frequencies scale_yarn(Index dim, double base, const YarnParameters& p) {
  const char* function = "scale_yarn";
  detail::require_ladder(function, "dim", dim, 2, base);
  detail::require(base > 1, function, ": base must be greater than 1, got ", base);
  detail::require_yarn(function, p);
  detail::require_length(function, "original_max_position", p.original_max_position, 1);
  detail::require_factor(function, "beta_fast", p.beta_fast);
  detail::require_factor(function, "beta_slow", p.beta_slow);
  detail::require(p.beta_slow <= p.beta_fast, function, ": beta_slow must not be greater than beta_fast ", p.beta_fast,
                  ", got ", p.beta_slow);

  const Frequencies ladder = Frequencies::geometric(dim, base);
  detail::LadderPlace low = detail::place_of(ladder, base, p.original_max_position, p.beta_fast);
  detail::LadderPlace high = detail::place_of(ladder, base, p.original_max_position, p.beta_slow);
  if (p.truncate) low = low.floor(), high = high.ceil();
  if (low.minus({0, 0}) < 0) low = {0, 0};
  if (high.minus({dim - 1, 0}) > 0) high = {dim - 1, 0};
  if (high.minus(low) == 0) high.rest += 0.001;
  const double width = high.minus(low);

  double attention_factor = detail::yarn_magnitude(p.factor, 1);
  if (p.attention_factor) {
    attention_factor = *p.attention_factor;
  } else if (p.mscale.value_or(0) != 0 && p.mscale_all_dim.value_or(0) != 0) {
    attention_factor =
        detail::yarn_magnitude(p.factor, *p.mscale) / detail::yarn_magnitude(p.factor, *p.mscale_all_dim);
  }
  return detail::ladder_of(ladder.size(), attention_factor, [&](Index k) {
    const double slowed = -low.minus({k, 0}) / width, kept = high.minus({k, 0}) / width;  // r_k and 1 - r_k
    if (slowed <= 0) return ladder[k];
    if (kept <= 0) return ladder[k] / p.factor;
    return ladder[k] * (kept + slowed / p.factor);
  });
}

/// What DeepSeek's models multiply the softmax scale by, besides YaRN's attention factor; not part of any cosine.
///   mag(mscale_all_dim)^2,   1 if mscale_all_dim is not given
inline double yarn_softmax_multiplier(const YarnParameters& p) {
  detail::require_yarn("yarn_softmax_multiplier", p);
  const double magnitude = detail::yarn_magnitude(p.factor, p.mscale_all_dim.value_or(0));
  return magnitude * magnitude;
}

/// Llama 3: pairs that turn more than `high` times in L positions are kept, those below `low` divided by the factor.
///   t_k = L v_k / (2 pi);   omega_k = v_k if t_k > high,   v_k / f if t_k < low,
///   else (1 - s) v_k / f + s v_k,   s = (t_k - low) / (high - low)
/// Throws    as all, and for L < 1 or low_freq_factor > high_freq_factor.
/// Source    Meta, llama-models 3.1, apply_scaling.
inline Frequencies scale_llama3(Index dim, double base, const Llama3Parameters& p) {
  const char* function = "scale_llama3";
  detail::require_ladder(function, "dim", dim, 2, base);
  detail::require_factor(function, "factor", p.factor);
  detail::require_factor(function, "low_freq_factor", p.low_freq_factor);
  detail::require_factor(function, "high_freq_factor", p.high_freq_factor);
  detail::require(p.low_freq_factor <= p.high_freq_factor, function,
                  ": low_freq_factor must not be greater than high_freq_factor ", p.high_freq_factor, ", got ",
                  p.low_freq_factor);
  detail::require_length(function, "original_max_position", p.original_max_position, 1);
  const Frequencies ladder = Frequencies::geometric(dim, base);
  return detail::ladder_of(ladder.size(), 1, [&](Index k) {
    const double above_low = detail::turns_beyond(ladder.step(k), p.original_max_position, p.low_freq_factor);
    const double below_high = -detail::turns_beyond(ladder.step(k), p.original_max_position, p.high_freq_factor);
    if (below_high <= 0) return ladder[k];
    if (above_low <= 0) return ladder[k] / p.factor;
    return ladder[k] * (below_high / p.factor + above_low) / (p.high_freq_factor - p.low_freq_factor);
  });
}

/// LongRoPE: a divisor of its own for every pair, one list for short and one for long sequences.
///   omega_k = v_k / e_k,   e = long_factor if seq_len > L, else short_factor
///   attention factor = the given one, else 1 if F <= 1, else sqrt(1 + ln F / ln L);   F = factor, or max_position / L
/// Throws    as all, and for a list that does not have dim / 2 entries, an entry outside [1e-6, 1e9], or L < 2.
/// Source    Ding et al. 2024, "LongRoPE"; Microsoft Phi-3.
inline Frequencies scale_longrope(Index dim, double base, const LongRopeParameters& p, Index seq_len) {
  const char* function = "scale_longrope";
  detail::require_ladder(function, "dim", dim, 2, base);
  const auto require_list = [&](const char* name, const std::vector<double>& list) {
    const Index length = static_cast<Index>(list.size());
    detail::require(length == dim / 2, function, ": ", name, " must have ", dim / 2, " entries, one per pair, got ",
                    length);
    for (Index k = 0; k < length; ++k) {
      detail::require(detail::is_between(list[static_cast<std::size_t>(k)], 1e-6, 1e9), function, ": ", name, "[", k,
                      "] must be within [1e-6, 1e9], got ", list[static_cast<std::size_t>(k)]);
    }
  };
  require_list("short_factor", p.short_factor);
  require_list("long_factor", p.long_factor);
  detail::require_length(function, "original_max_position", p.original_max_position, 2);
  detail::require_length(function, "seq_len", seq_len, 0);
  detail::require_attention(function, p.attention_factor);
  if (p.factor) {
    detail::require_factor(function, "factor", *p.factor);
  } else {
    detail::require_length(function, "max_position, where no factor is given,", p.max_position, 1);
  }

  const double trained = static_cast<double>(p.original_max_position);
  const double factor = p.factor ? *p.factor : static_cast<double>(p.max_position) / trained;
  const double attention = factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(trained));
  const std::vector<double>& divisor = seq_len > p.original_max_position ? p.long_factor : p.short_factor;
  const Frequencies ladder = Frequencies::geometric(dim, base);
  return detail::ladder_of(ladder.size(), p.attention_factor.value_or(attention),
                           [&](Index k) { return ladder[k] / divisor[static_cast<std::size_t>(k)]; });
}

/// Proportional: only the fast pairs of the head turn, with the frequencies they would have if all did.
///   omega_k = head_dim-wide v_k / f for k < floor(partial_rotary_factor head_dim / 2),   0 for the other pairs
/// Throws    as all, and for a partial_rotary_factor that is not within [0, 1].
/// Source    Hugging Face Transformers, rope_type "proportional".
inline Frequencies scale_proportional(Index head_dim, double base, double partial_rotary_factor, double factor = 1.0) {
  const char* function = "scale_proportional";
  detail::require_ladder(function, "head_dim", head_dim, 2, base);
  detail::require(detail::is_between(partial_rotary_factor, 0, 1), function,
                  ": partial_rotary_factor must be within [0, 1], got ", partial_rotary_factor);
  detail::require_factor(function, "factor", factor);
  const Index live = static_cast<Index>(std::floor(partial_rotary_factor * static_cast<double>(head_dim) / 2));
  const Frequencies ladder = Frequencies::geometric(head_dim, base);
  return detail::ladder_of(ladder.size(), 1, [&](Index k) { return k < live ? ladder[k] / factor : 0; });
}

}  // namespace POSENC_ISA
}  // namespace posenc
