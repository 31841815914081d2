// Judging a position code of one's own: are positions distinct, are neighbours near, do inner products tell the offset?
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/judge_a_code.cpp -o judge_a_code && ./judge_a_code

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using Eigen::Index;
using Codes = Eigen::MatrixXd;  // one row per position; any Eigen matrix of real numbers will do

constexpr Index count = 128, dim = 16;

void claim(bool is_true, const char* statement) {
  std::printf("  %s: %s\n", is_true ? "true" : "FALSE", statement);
  if (!is_true) std::exit(1);
}

/// The three properties, measured over the positions 0 .. count - 1.
struct Verdict {
  double distinct;    // smallest distance of two codes: 0 if two positions share one
  double continuous;  // largest step between neighbours
  double relative;    // how far inner products are from depending on the offset alone: 0 not at all, about 1 entirely
};

template <class... Code>
Verdict judge(const char* name, const Code&... code) {  // a matrix of codes; or an encoder and a count
  const Verdict v{posenc::distinctness(code...).distance, posenc::continuity(code...).distance,
                  posenc::relative_structure(code...).relative()};
  std::printf("  %-22s %12.4f %12.4f %12.4f\n", name, v.distinct, v.continuous, v.relative);
  return v;
}

/// A code of our own, made to be cheap: the triangle wave instead of the sine. An object with encode(count) is judged
/// like posenc's encoders.
struct TriangleWaves {
  static double wave(double turns) { return 4 * std::abs(turns - std::floor(turns) - 0.5) - 1; }  // 1 at 0, -1 at 1/2

  Codes encode(Index positions) const {
    const posenc::Frequencies ladder = posenc::Frequencies::geometric(dim);
    Codes codes(positions, dim);
    for (Index p = 0; p < positions; ++p) {
      for (Index k = 0; k < ladder.size(); ++k) {
        const double turns = static_cast<double>(p) / ladder.period(k);
        codes(p, 2 * k) = wave(turns - 0.25);
        codes(p, 2 * k + 1) = wave(turns);
      }
    }
    return codes;
  }
};

int main() {
  std::printf("  %d positions            distinctness   continuity     relative\n", static_cast<int>(count));
  const Verdict sinusoidal = judge("sinusoidal", posenc::Sinusoidal<double>(dim), count);
  const Verdict index = judge("linear index", posenc::LinearIndex<double>(dim, 1.0), count);

  Codes binary(count, 7);  // the binary digits of p
  for (Index p = 0; p < count; ++p)
    for (Index bit = 0; bit < binary.cols(); ++bit) binary(p, bit) = static_cast<double>((p >> bit) & 1);
  const Verdict digits = judge("binary digits", binary);

  std::mt19937 random(1);
  Codes noise(count, dim);
  std::generate_n(noise.data(), noise.size(), [&] { return static_cast<double>(random()) * 0x1p-31 - 1; });
  const Verdict unrelated = judge("random numbers", noise);

  // One clock hand that turns once in 32 positions: after a turn, the codes come again.
  const auto one = posenc::Frequencies::log_spaced(1, 2 * std::acos(-1.0) / 32, 2 * std::acos(-1.0) / 32);
  const Verdict hand =
      judge("one clock hand", posenc::Sinusoidal<double>(one, posenc::SinCosOrder::interleaved), count);

  const Verdict triangle = judge("ours: triangle waves", TriangleWaves{}, count);

  std::printf("\n");
  claim(sinusoidal.distinct > 0.5 && sinusoidal.continuous < 1.1 && sinusoidal.relative < 1e-12,
        "the sinusoidal code has all three properties");
  claim(index.relative > 0.99, "the inner products of the linear index say nothing about offsets");
  claim(digits.continuous > 2.6, "binary digits jump: from 63 to 64 all seven change");
  claim(unrelated.continuous > 2 * sinusoidal.continuous && unrelated.relative > 0.5,
        "random numbers are distinct, and that is all");
  claim(hand.distinct < 1e-12, "one clock hand does not tell 0 from 32");
  claim(triangle.distinct > 0.5 && triangle.continuous < 1.1 && triangle.relative > 0.1,
        "ours is distinct and continuous, but its inner products depend on the place: sines are not there for beauty");
}
