#pragma once
// The sinusoidal codes in use, by name. They differ in three things: the exponents of the ladder, where sines and cosines
// stand, and the position of the first row. A model trained with one gives nonsense, silently, with another.

#include <cmath>
#include <numeric>
#include <vector>

#include "posenc/errors.hpp"
#include "posenc/frequencies.hpp"
#include "posenc/sinusoidal.hpp"

namespace posenc {
inline namespace POSENC_ISA {

// With n = dim/2:
//   preset                            omega_k, k = 0 .. n-1          order         first row at
//   sinusoidal_original(dim)          base^(-2k/dim)                 s0 c0 s1 ..   0      Vaswani et al. 2017, its text
//   Sinusoidal(dim, base, sin_cos)    base^(-2k/dim)                 s.. c..       0      Marian (Hugging Face)
//   sinusoidal_tensor2tensor(dim)     10000^(-k/(n-1))               s.. c..       0      tensor2tensor, Whisper's encoder
//   sinusoidal_tensor2tensor(dim)     10000^(-k/(n-1))               s.. c..       padding_idx + 1    fairseq
//   sinusoidal_diffusion(dim, {})     10000^(-k/(n-1))               s.. c..       t      DDPM
//   sinusoidal_diffusion(dim, {0, true})     10000^(-k/n)            c.. s..       t      Stable Diffusion, DiT, GLIDE
//
// The last four have an even dim here. Where those projects take an odd one they give the code of dim - 1 and a last
// channel of 0: add it to x.leftCols(dim - 1).

namespace detail {

/// first r^k for k from 0 to pairs - 1, where r^steps = 1 / ratio.
/// With first = 1 and whole steps every digit is kept: the square of the ratio is a double more often than its inverse, and
/// the ladder from 1 with the square in twice as many steps is the same, only longer.
inline Frequencies falling_ladder(Index pairs, double first, double ratio, double steps) {
  if (first == 1 && steps == std::floor(steps) && steps < static_cast<double>(2 * pairs)) {
    const Index whole = static_cast<Index>(steps);
    std::vector<Index> leading(static_cast<std::size_t>(pairs));
    std::iota(leading.begin(), leading.end(), Index{0});
    const bool long_enough = whole >= pairs;
    return Frequencies::geometric(long_enough ? 2 * whole : 4 * whole, long_enough ? ratio : ratio * ratio)
        .selected(leading);
  }
  const double last = pairs == 1 ? first : first * std::pow(ratio, -static_cast<double>(pairs - 1) / steps);
  return Frequencies::log_spaced(pairs, first, last);
}

inline void require_even_width(const char* function, Index dim) {
  require(dim >= 2 && dim % 2 == 0, function, ": dim must be even and at least 2, got ", dim,
          dim >= 3 ? "; an odd width is the code of dim - 1 and a channel of 0: add it to x.leftCols(dim - 1)" : "");
}

}  // namespace detail

/// The code as the Transformer's paper writes it.
///   PE(p)[2k] = sin(p base^(-2k/dim)),   PE(p)[2k+1] = cos(p base^(-2k/dim))
/// Shapes    any dim from 1 up; an odd one ends with a sine.
/// Accuracy  as Sinusoidal, at every |p| <= 2^40.  Test: sinusoidal_presets_test.
/// Throws    std::invalid_argument for dim < 1 or a base that is not within [1, 1e18].
/// Source    Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
template <class Scalar = float>
Sinusoidal<Scalar> sinusoidal_original(Index dim, double base = 10000.0) {
  return Sinusoidal<Scalar>(dim, base, SinCosOrder::interleaved);
}

/// The code as tensor2tensor computes it, and after it Whisper (sinusoids) and fairseq (SinusoidalPositionalEmbedding).
///   PE(p) = (sin(p omega_0) .. sin(p omega_(n-1)), cos(p omega_0) .. cos(p omega_(n-1)))
///   omega_k = min_timescale (min_timescale / max_timescale)^(k/(n-1)),   n = dim/2;   omega_0 = min_timescale if n = 1
/// With min_timescale 1 the ladder runs from 1 to 1 / max_timescale. Another min_timescale multiplies it, as the code of
/// tensor2tensor does; its text calls it the shortest timescale, which would be 1 / min_timescale. Whisper and fairseq do
/// not have it, nor n = 1.
/// fairseq gives the first token the position padding_idx + 1, mostly 2, and padding tokens no code at all:
///   code.add_to(x, padding_idx + 1)
/// Shapes    dim: even.
/// Units     timescales in tokens per radian.
/// Accuracy  as Sinusoidal with min_timescale 1, at every |p| <= 2^40 if max_timescale^2 is a double (whole numbers up to
///           94906265 are); else each omega is within 1e-15, relative.  Test: sinusoidal_presets_test.
/// Throws    std::invalid_argument for an odd dim, min_timescale outside [1e-9, 1e9], or max_timescale / min_timescale
///           outside [1, 1e9].
/// Source    tensor2tensor, get_timing_signal_1d; OpenAI Whisper, model.py.
template <class Scalar = float>
Sinusoidal<Scalar> sinusoidal_tensor2tensor(Index dim, double min_timescale = 1.0, double max_timescale = 10000.0) {
  const char* function = "sinusoidal_tensor2tensor";
  detail::require_even_width(function, dim);
  detail::require(detail::is_between(min_timescale, 1e-9, 1e9), function,
                  ": min_timescale must be within [1e-9, 1e9], got ", min_timescale);
  const double ratio = max_timescale / min_timescale;
  detail::require(detail::is_between(ratio, 1, 1e9), function, ": max_timescale must be within [1, 1e9] min_timescale ",
                  min_timescale, ", got ", max_timescale);
  const Index pairs = dim / 2;
  const double steps = static_cast<double>(pairs > 1 ? pairs - 1 : 1);
  return Sinusoidal<Scalar>(detail::falling_ladder(pairs, min_timescale, ratio, steps), SinCosOrder::sin_cos);
}

/// The names and defaults of get_timestep_embedding in Hugging Face Diffusers.
struct DiffusionTimestepParameters {
  double downscale_freq_shift = 1;
  bool flip_sin_to_cos = false;  ///< cosines first
  double scale = 1;
  double max_period = 10000;
};

/// The timestep embedding of diffusion models.
///   PE(t) = (sin(t omega_0) .. sin(t omega_(n-1)), cos(t omega_0) .. cos(t omega_(n-1))),   cosines first if flipped
///   omega_k = scale max_period^(-k/(n - downscale_freq_shift)),   n = dim/2
/// The code of timesteps alone, one row a timestep:  sinusoidal_diffusion(320).encode(timesteps)
/// Shapes    dim: even; timesteps are a vector-like of reals or integers, of any sign.
/// Units     t in timesteps; omega in radians per timestep.
/// Accuracy  as Sinusoidal with scale 1 and a shift of 0 or 1, at every |t| <= 2^40 if max_period (shift 0) or its square
///           (shift 1) is a double; else each omega is within 1e-15, relative.  Test: sinusoidal_presets_test.
/// Throws    std::invalid_argument for an odd dim, a shift that is not within [-1e6, 1] or leaves n - shift = 0, a scale
///           outside [1e-9, 1e9], or a max_period outside [1, 1e9].
/// Source    Ho et al. 2020, "Denoising Diffusion Probabilistic Models", its code; Diffusers, get_timestep_embedding.
template <class Scalar = float>
Sinusoidal<Scalar> sinusoidal_diffusion(Index dim, const DiffusionTimestepParameters& p = {}) {
  const char* function = "sinusoidal_diffusion";
  detail::require_even_width(function, dim);
  detail::require(detail::is_between(p.downscale_freq_shift, -1e6, 1), function,
                  ": downscale_freq_shift must be within [-1e6, 1], got ", p.downscale_freq_shift);
  const Index pairs = dim / 2;
  const double steps = static_cast<double>(pairs) - p.downscale_freq_shift;
  detail::require(steps > 0, function, ": dim 2 divides by zero with a downscale_freq_shift of ",
                  p.downscale_freq_shift);
  detail::require(detail::is_between(p.scale, 1e-9, 1e9), function, ": scale must be within [1e-9, 1e9], got ",
                  p.scale);
  detail::require(detail::is_between(p.max_period, 1, 1e9), function, ": max_period must be within [1, 1e9], got ",
                  p.max_period);
  return Sinusoidal<Scalar>(detail::falling_ladder(pairs, p.scale, p.max_period, steps),
                            p.flip_sin_to_cos ? SinCosOrder::cos_sin : SinCosOrder::sin_cos);
}

}  // namespace POSENC_ISA
}  // namespace posenc
