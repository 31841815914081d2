// Sinusoidal presets: each name gives the code of the project it names, and keeps its digits where it says so.

#include "posenc/sinusoidal_presets.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"
#include "reference.hpp"

using namespace posenc_test;
using posenc::CodeMatrix;
using posenc::DiffusionTimestepParameters;
using posenc::Frequencies;
using posenc::Index;
using posenc::Position;
using posenc::SinCosOrder;
using posenc::Sinusoidal;
using posenc::sinusoidal_diffusion;
using posenc::sinusoidal_original;
using posenc::sinusoidal_tensor2tensor;

namespace {

/// DESIGN.md's numbers: the error of a sine or cosine in Scalar.
template <class Scalar>
constexpr long double sine_error = std::is_same_v<Scalar, double> ? 5e-16L : 1.5e-7L;

const std::vector<Position> far = {0, 1, 31, -33, 131071, (Position{1} << 40) - 1, -(Position{1} << 40)};
const std::vector<double> timesteps = {0, 0.5, 999, 333.25, 1 / 3., -17.75, 1e9 + 0.5, 1e-4};

/// The largest error of a code in units of what is allowed: DESIGN.md's number, and `loss` times the angle where the ladder
/// does not carry its extra digits.
template <class Scalar, class Positions, class Omega>
long double worst(const Sinusoidal<Scalar>& code, const Positions& positions, Omega omega, long double loss = 0) {
  const CodeMatrix<Scalar> codes = code.encode(positions);
  const Index d = code.dim(), pairs = (d + 1) / 2;
  long double found = 0;
  for (Index k = 0; k < pairs; ++k) {
    const Real w = omega(k);
    const Index sine_at = code.order() == SinCosOrder::interleaved ? 2 * k
                          : code.order() == SinCosOrder::sin_cos   ? k
                                                                   : pairs + k;
    const Index cosine_at = code.order() == SinCosOrder::interleaved ? 2 * k + 1
                            : code.order() == SinCosOrder::sin_cos   ? pairs + k
                                                                     : k;
    for (Index i = 0; i < codes.rows(); ++i) {
      const auto p = positions[static_cast<std::size_t>(i)];
      const SinCosReference truth = reference(p, w);
      const long double allowed = sine_error<Scalar> + loss * std::abs(to_long_double(Real(p) * w));
      found = std::max(found, std::abs(static_cast<long double>(codes(i, sine_at)) - truth.sine) / allowed);
      if (cosine_at == d) continue;  // the last pair of an odd width has a sine alone
      found = std::max(found, std::abs(static_cast<long double>(codes(i, cosine_at)) - truth.cosine) / allowed);
    }
  }
  return found;
}

/// first ratio^(-k / steps), the real number.
Real falling(double first, double ratio, double steps, Index k) {
  return Real(first) * pow(Real(ratio), Real(-static_cast<double>(k)) / Real(steps));
}

bool same(const CodeMatrix<float>& a, const CodeMatrix<float>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.size())) == 0;
}

}  // namespace

// --- Definition ----------------------------------------------------------------------------------------------

TEMPLATE_TEST_CASE("The original code is sines and cosines in turn of exponents 2k over dim", "", float, double) {
  if (!reference_is_exact) return skip("no MPFR");
  for (const Index d : {1, 2, 5, 64, 130}) {
    for (const double base : {10000.0, 1e6}) {
      const auto code = sinusoidal_original<TestType>(d, base);
      CAPTURE(d, base);
      CHECK(code.dim() == d);
      CHECK(code.order() == SinCosOrder::interleaved);
      CHECK(worst(code, far, [&](Index k) { return omega_of(base, d, k); }) <= 1);
    }
  }
}

TEMPLATE_TEST_CASE("The tensor2tensor code has all sines first and both ends of its ladder to the last digit", "",
                   float, double) {
  if (!reference_is_exact) return skip("no MPFR");
  for (const Index d : {2, 4, 6, 64, 384}) {
    const double steps = std::max(1.0, static_cast<double>(d / 2 - 1));
    for (const double longest : {10000.0, 1.0, 500000.0}) {
      const auto code = sinusoidal_tensor2tensor<TestType>(d, 1, longest);
      CAPTURE(d, longest);
      CHECK(worst(code, far, [&](Index k) { return falling(1, longest, steps, k); }) <= 1);
      CHECK(code.order() == SinCosOrder::sin_cos);
    }
    for (const auto& [shortest, longest] :
         {std::pair<double, double>{0.5, 10000}, {3, 10000}, {7, 7}, {1, 12345.678}}) {
      // With other numbers every omega is within 1e-15.
      const auto code = sinusoidal_tensor2tensor<TestType>(d, shortest, longest);
      CAPTURE(d, shortest, longest);
      const auto omega = [&, s = shortest, l = longest](Index k) {
        return Real(s) * pow(Real(s) / Real(l), Real(k) / Real(steps));
      };
      CHECK(worst(code, far, omega, 1e-15L) <= 1);
      for (Index k = 0; k < d / 2; ++k) CHECK(std::abs(code.frequencies()[k] / to_long_double(omega(k)) - 1) <= 1e-15L);
    }
  }
}

TEMPLATE_TEST_CASE("The diffusion code is right for every shift and order and scale at real timesteps", "", float,
                   double) {
  if (!reference_is_exact) return skip("no MPFR");
  for (const Index d : {2, 4, 6, 64, 320}) {
    for (const double shift : {1.0, 0.0, -1.0, -1000.0, 0.5, 0.999}) {
      if (d == 2 && shift == 1) continue;
      for (const double scale : {1.0, 1000.0, 0.25}) {
        for (const double period : {10000.0, 1.0, 300.5}) {
          for (const bool flip : {false, true}) {
            const auto code =
                sinusoidal_diffusion<TestType>(d, DiffusionTimestepParameters{shift, flip, scale, period});
            const auto omega = [&](Index k) { return falling(scale, period, static_cast<double>(d) / 2 - shift, k); };
            const bool exact = scale == 1 && (shift == 0 || (shift == 1 && period != 300.5));
            CAPTURE(d, shift, scale, period, flip);
            CHECK(code.order() == (flip ? SinCosOrder::cos_sin : SinCosOrder::sin_cos));
            CHECK(worst(code, timesteps, omega, exact ? 0 : 1e-15L) <= 1);
          }
        }
      }
    }
  }
}

// --- Published values ----------------------------------------------------------------------------------------

#if defined(POSENC_TEST_HAS_JSON)
TEMPLATE_TEST_CASE("The tensor2tensor and diffusion codes have the values of the file without any allowance", "", float,
                   double) {
  const auto file = oracle("sinusoidal.json");
  if (!file) return skip("no reference file sinusoidal.json");
  REQUIRE((*file)["variants"].size() == 2);
  for (const Json& one : (*file)["variants"]) {
    const Index d = one["d"];
    const double base = one["base"];
    const auto positions = one["positions"].get<std::vector<Position>>();
    const auto check = [&](const CodeMatrix<TestType>& codes) {
      long double largest = 0;
      for (Index i = 0; i < codes.rows(); ++i) {
        for (Index c = 0; c < d; ++c) {
          const long double truth = number(one["values"][static_cast<std::size_t>(i)][static_cast<std::size_t>(c)]);
          largest = std::max(largest, std::abs(static_cast<long double>(codes(i, c)) - truth));
        }
      }
      CHECK(largest <= sine_error<TestType>);
    };
    check(sinusoidal_tensor2tensor<TestType>(d, 1, base).encode(positions));
    check(sinusoidal_diffusion<TestType>(d, DiffusionTimestepParameters{1, false, 1, base}).encode(positions));
  }
}
#endif

// --- Which is which ------------------------------------------------------------------------------------------

TEST_CASE("The defaults are those of the projects and the codes differ where they should") {
  const std::vector<int> some = {0, 1, 2, 77, 1499};
  const CodeMatrix<float> whisper = sinusoidal_tensor2tensor(384).encode(some),
                          ddpm = sinusoidal_diffusion(384).encode(some),
                          stable = sinusoidal_diffusion(384, {0, true}).encode(some),
                          original = sinusoidal_original(384).encode(some),
                          marian = Sinusoidal<>(384, 10000.0, SinCosOrder::sin_cos).encode(some);
  CHECK(same(whisper, ddpm));
  CHECK(same(sinusoidal_tensor2tensor<float>(384, 1, 10000).encode(some), whisper));
  CHECK(same(sinusoidal_diffusion(384, {1, false, 1, 10000}).encode(some), ddpm));
  CHECK(same(sinusoidal_original(384, 10000).encode(some), original));
  // Stable Diffusion's frequencies are the original's, its cosines stand first.
  CodeMatrix<float> swapped(stable.rows(), 384), split(stable.rows(), 384);
  swapped << stable.rightCols(192), stable.leftCols(192);
  CHECK(same(swapped, marian));
  for (Index k = 0; k < 192; ++k) {
    split.col(k) = original.col(2 * k);
    split.col(192 + k) = original.col(2 * k + 1);
  }
  CHECK(same(split, marian));
  CHECK((whisper - marian).cwiseAbs().maxCoeff() > 0.5f);
}

TEST_CASE("A scale of the timestep is a scale of the frequencies and the offset of fairseq a first position") {
  const CodeMatrix<double>
      scaled = sinusoidal_diffusion<double>(64, {0, true, 1000, 10000}).encode(std::vector<double>{0.5, 0.875}),
      plain = sinusoidal_diffusion<double>(64, {0, true, 1, 10000}).encode(std::vector<double>{500, 875});
  CHECK((scaled - plain).cwiseAbs().maxCoeff() <= 1e-15 + 1000 * 1e-15);
  const auto code = sinusoidal_tensor2tensor(32);
  CodeMatrix<float> x = CodeMatrix<float>::Zero(3, 32);
  code.add_to(x, 1 + 1);  // padding_idx 1
  CHECK(same(x, code.encode(std::vector<int>{2, 3, 4})));
}

TEST_CASE("An odd width is the code of one channel less and the last channel keeps its value") {
  const auto code = sinusoidal_diffusion(8);
  CodeMatrix<float> x = CodeMatrix<float>::Constant(2, 9, 0.25f);
  code.add_to(x.leftCols(8), std::vector<double>{1.5, 2.5});
  CHECK((x.rightCols(1).array() == 0.25f).all());
  CHECK((x.leftCols(8).array() != 0.25f).all());
}

// --- Errors --------------------------------------------------------------------------------------------------

TEST_CASE("Presets refuse what their formula cannot give") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(sinusoidal_original(0), "posenc::Frequencies::geometric: dim must be at least 1, got 0");
  CHECK_THROWS_WITH(sinusoidal_tensor2tensor(0),
                    "posenc::sinusoidal_tensor2tensor: dim must be even and at least 2, got 0");
  CHECK_THROWS_WITH(sinusoidal_tensor2tensor(-1),
                    "posenc::sinusoidal_tensor2tensor: dim must be even and at least 2, got -1");
  CHECK_THROWS_WITH(
      sinusoidal_tensor2tensor(9),
      "posenc::sinusoidal_tensor2tensor: dim must be even and at least 2, got 9; an odd width is the code "
      "of dim - 1 and a channel of 0: add it to x.leftCols(dim - 1)");
  CHECK_THROWS_WITH(sinusoidal_tensor2tensor(8, 0),
                    "posenc::sinusoidal_tensor2tensor: min_timescale must be within [1e-9, 1e9], got 0");
  CHECK_THROWS_WITH(sinusoidal_tensor2tensor(8, nan),
                    "posenc::sinusoidal_tensor2tensor: min_timescale must be within [1e-9, 1e9], got nan");
  CHECK_THROWS_WITH(sinusoidal_tensor2tensor(8, 2, 1),
                    "posenc::sinusoidal_tensor2tensor: max_timescale must be within [1, 1e9] min_timescale 2, got 1");
  CHECK_THROWS_WITH(sinusoidal_tensor2tensor(8, 1, infinity),
                    "posenc::sinusoidal_tensor2tensor: max_timescale must be within [1, 1e9] min_timescale 1, got inf");
  CHECK_THROWS_WITH(sinusoidal_diffusion(7),
                    contains("posenc::sinusoidal_diffusion: dim must be even and at least 2, got 7;"));
  CHECK_THROWS_WITH(sinusoidal_diffusion(2),
                    "posenc::sinusoidal_diffusion: dim 2 divides by zero with a downscale_freq_shift of 1");
  CHECK_THROWS_WITH(sinusoidal_diffusion(8, {1.5}),
                    "posenc::sinusoidal_diffusion: downscale_freq_shift must be within [-1e6, 1], got 1.5");
  CHECK_THROWS_WITH(sinusoidal_diffusion(8, {nan}),
                    "posenc::sinusoidal_diffusion: downscale_freq_shift must be within [-1e6, 1], got nan");
  CHECK_THROWS_WITH(sinusoidal_diffusion(8, {1, true, -1}),
                    "posenc::sinusoidal_diffusion: scale must be within [1e-9, 1e9], got -1");
  CHECK_THROWS_WITH(sinusoidal_diffusion(8, {1, true, 1, 0.5}),
                    "posenc::sinusoidal_diffusion: max_period must be within [1, 1e9], got 0.5");
}
