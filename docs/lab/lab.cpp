// What the page may ask the library for: plain functions over the headers of posenc, compiled to WebAssembly by build.sh.
// Results of more than one number are left in `numbers`, and phases in `phases`, where lab.js reads them. The page keeps
// every argument within the library's limits, since without exceptions a refusal ends the module.

#include <posenc/posenc.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#define LAB_EXPORT(name) extern "C" __attribute__((export_name(#name)))

using posenc::Frequencies;
using posenc::Index;
using posenc::Position;

namespace {

double numbers[4096];
std::uint64_t phases[8];
Frequencies ladder = Frequencies::geometric(64);

/// Sine and cosine of pair k at position p, which may lie between two tokens.
posenc::SinCos hand(int k, double p) { return posenc::sin_cos(posenc::phase_of(ladder.step(k), p)); }

/// The same at a whole position: the exact product of step and position.
posenc::SinCos hand_at(int k, Position p) { return posenc::sin_cos(posenc::phase_of(ladder.step(k), p)); }

/// The usual way to an angle: position and frequency in float, their product in float.
float float_angle(int k, Position p) { return static_cast<float>(p) * static_cast<float>(ladder[k]); }

/// How far a point on the circle is from where it should be, in its worse coordinate.
double error(double sine, double cosine, posenc::SinCos truth) {
  return std::max(std::abs(sine - truth.sine), std::abs(cosine - truth.cosine));
}

void put(int at, const posenc::Phase& phase) {
  phases[at] = phase.high;
  phases[at + 1] = phase.low;
}

}  // namespace

LAB_EXPORT(numbers_at) const double* numbers_at() { return numbers; }
LAB_EXPORT(phases_at) const std::uint64_t* phases_at() { return phases; }
LAB_EXPORT(version_at) const char* version_at() { return posenc::version_string; }

/// The ladder that all functions below speak of: omega_k = base^(-2k/d).
LAB_EXPORT(use_ladder) void use_ladder(int d, double base) { ladder = Frequencies::geometric(d, base); }

LAB_EXPORT(omega) double omega(int k) { return ladder[k]; }
LAB_EXPORT(period) double period(int k) { return ladder.period(k); }

/// How far the pair moves from one token to the next, |u(1) - u(0)|.
LAB_EXPORT(move) double move(int k) {
  const posenc::SinCos from = hand_at(k, 0), to = hand_at(k, 1);
  return std::hypot(to.sine - from.sine, to.cosine - from.cosine);
}

/// `count` sines and cosines at equal distances from `first` to `last`: s0 c0 s1 c1 ..
LAB_EXPORT(wave) void wave(int k, double first, double last, int count) {
  for (int i = 0; i < count; ++i) {
    const posenc::SinCos at = hand(k, first + (last - first) * i / std::max(count - 1, 1));
    numbers[2 * i] = at.sine;
    numbers[2 * i + 1] = at.cosine;
  }
}

/// The hands of pairs first .. first + count - 1 at position p: s c of each.
LAB_EXPORT(hands) void hands(int first, int count, double p) {
  for (int i = 0; i < count; ++i) {
    const posenc::SinCos at = hand(first + i, p);
    numbers[2 * i] = at.sine;
    numbers[2 * i + 1] = at.cosine;
  }
}

/// The identity, seen from both sides.
///   numbers: sin and cos at m, sin and cos at n, their dot product, cos(omega_k (n - m)), how far apart these two are
///   phases:  phase(n) - phase(m), phase(n - m), as high and low halves
LAB_EXPORT(compare) void compare(int k, double m, double n) {
  const Position a = static_cast<Position>(m), b = static_cast<Position>(n);
  const posenc::SinCos at_m = hand_at(k, a), at_n = hand_at(k, b);
  const double dot = at_m.cosine * at_n.cosine + at_m.sine * at_n.sine, by_offset = hand_at(k, b - a).cosine;
  const double results[] = {at_m.sine, at_m.cosine, at_n.sine, at_n.cosine, dot, by_offset, std::abs(dot - by_offset)};
  std::copy(std::begin(results), std::end(results), numbers);
  const posenc::Step& step = ladder.step(k);
  put(0, posenc::phase_of(step, b) - posenc::phase_of(step, a));
  put(2, posenc::phase_of(step, b - a));
}

/// cos(omega_k offset) for offsets -reach .. reach, and behind them the mean over all pairs.
LAB_EXPORT(relative) void relative(int k, int reach) {
  const int count = 2 * reach + 1;
  for (int i = 0; i < count; ++i) {
    double sum = 0;
    for (int j = 0; j < ladder.size(); ++j) sum += hand_at(j, i - reach).cosine;
    numbers[i] = hand_at(k, i - reach).cosine;
    numbers[count + i] = sum / static_cast<double>(ladder.size());
  }
}

/// Position p three ways: true, by posenc in float, and by an angle in float.
///   numbers: the float angle, its sine, cosine and error; posenc's sine, cosine and error; the true sine and cosine;
///            the distance from the float angle to the next float
LAB_EXPORT(far) void far(int k, double position) {
  const Position p = static_cast<Position>(position);
  const posenc::SinCos truth = hand_at(k, p);
  const float angle = float_angle(k, p), sine = std::sin(angle), cosine = std::cos(angle);
  const posenc::Sinusoidal<float> encoder(ladder.selected({k}), posenc::SinCosOrder::interleaved);
  const auto code = encoder.encode(std::vector<Position>{p});
  const double results[] = {angle,
                            sine,
                            cosine,
                            error(sine, cosine, truth),
                            code(0, 0),
                            code(0, 1),
                            error(code(0, 0), code(0, 1), truth),
                            truth.sine,
                            truth.cosine,
                            std::nextafter(std::abs(angle), HUGE_VALF) - std::abs(angle)};
  std::copy(std::begin(results), std::end(results), numbers);
}

/// The largest errors among `sample` positions of every quarter octave, [2^(i/4), 2^((i+1)/4)), i < quarters:
///   numbers: float angle, posenc in float, one after the other for each i
LAB_EXPORT(errors) void errors(int k, int quarters, int sample) {
  const posenc::Sinusoidal<float> encoder(ladder.selected({k}), posenc::SinCosOrder::interleaved);
  std::vector<Position> positions;
  for (int i = 0; i < quarters; ++i) {
    const double low = std::exp2(i / 4.0), high = std::exp2((i + 1) / 4.0);
    for (int j = 0; j < sample; ++j) positions.push_back(static_cast<Position>(low + (high - low) * j / sample));
  }
  const auto codes = encoder.encode(positions);
  for (int i = 0; i < quarters; ++i) {
    double by_float = 0, by_posenc = 0;
    for (int row = i * sample; row < (i + 1) * sample; ++row) {
      const Position p = positions[static_cast<std::size_t>(row)];
      const posenc::SinCos truth = hand_at(k, p);
      const float angle = float_angle(k, p);
      by_float = std::max(by_float, error(std::sin(angle), std::cos(angle), truth));
      by_posenc = std::max(by_posenc, error(codes(row, 0), codes(row, 1), truth));
    }
    numbers[2 * i] = by_float;
    numbers[2 * i + 1] = by_posenc;
  }
}

/// A scaling over all pairs: 0 none, 1 linear, 2 NTK, 3 YaRN, 4 Llama 3; returns the attention factor.
///   numbers: omega_k of every pair, then all periods, then what each omega_k was divided by
LAB_EXPORT(scaled) double scaled(int scaling, double base, double factor, int trained_length) {
  const Index d = ladder.dim();
  const auto scale = [&]() -> Frequencies {
    if (scaling == 1) return posenc::scale_linear(ladder, factor);
    if (scaling == 2) return posenc::scale_ntk(d, base, factor);
    if (scaling == 3) {
      posenc::YarnParameters yarn;
      yarn.factor = factor;
      yarn.original_max_position = trained_length;
      return posenc::scale_yarn(d, base, yarn);
    }
    if (scaling == 4) return posenc::scale_llama3(d, base, {factor, 1, 4, trained_length});
    return ladder;
  };
  const Frequencies result = scale();
  const int pairs = static_cast<int>(ladder.size());
  for (int k = 0; k < pairs; ++k) {
    numbers[k] = result[k];
    numbers[pairs + k] = result.period(k);
    numbers[2 * pairs + k] = ladder[k] / result[k];
  }
  return result.attention_factor();
}
