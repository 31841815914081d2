// The laws of rotation hold whatever the ladder: every scaling, both layouts, both scalars. A rotation by the attention
// factor g as well is g R(p), so each law is stated with its g.

#include <posenc/rope.hpp>
#include <posenc/scaling.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"

using namespace posenc;

namespace {

constexpr Index d = 16;

std::vector<std::pair<std::string, Frequencies>> scaled_ladders() {
  YarnParameters yarn;
  yarn.factor = 8;
  yarn.original_max_position = 4096;
  LongRopeParameters longrope;
  longrope.short_factor = {1, 1.5, 2, 3, 4, 5, 6, 7};
  longrope.long_factor = {1, 2, 4, 8, 16, 32, 48, 64};
  longrope.original_max_position = 4096;
  longrope.max_position = 131072;
  Llama3Parameters llama3;
  llama3.factor = 8;
  llama3.low_freq_factor = 1;
  llama3.high_freq_factor = 4;
  llama3.original_max_position = 8192;
  return {{"linear", scale_linear(Frequencies::geometric(d), 4)},
          {"ntk", scale_ntk(d, 10000, 4)},
          {"dynamic ntk", scale_dynamic_ntk(d, 10000, 2, 2048, 8192)},
          {"yarn", scale_yarn(d, 10000, yarn)},
          {"longrope short", scale_longrope(d, 10000, longrope, 100)},
          {"longrope long", scale_longrope(d, 10000, longrope, 5000)},
          {"llama3", scale_llama3(d, 500000, llama3)},
          {"proportional", scale_proportional(d, 10000, 0.5)}};
}

}  // namespace

TEMPLATE_TEST_CASE("The laws of rotation hold for every scaled ladder", "[laws][scaling]", float, double) {
  using Rows = Eigen::Matrix<TestType, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  // The promised error of a sine and a cosine and a rounding of the result, for one rotation of numbers up to 1 in
  // magnitude; a law of two rotations has twice that, and a sum of d products d times.
  const double one = std::is_same_v<TestType, float> ? 2 * 1.5e-7 + 0x1p-24 : 2 * 5e-16 + 0x1p-53;
  const Position a = 1234567, b = -7654, far = Position{1} << 30;
  const auto largest = [](const Rows& x) { return static_cast<double>(x.cwiseAbs().maxCoeff()); };

  for (const auto& [name, ladder] : scaled_ladders()) {
    for (const PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
      INFO(name << ", layout " << static_cast<int>(layout));
      const Rope<TestType> rope(ladder, layout);
      const double g = ladder.attention_factor();
      const Rows x = Rows::Random(3, 2 * d), y = Rows::Random(3, 2 * d);

      Rows at_zero = x;  // R(0) = g
      rope.rotate(at_zero, std::vector<Position>(3, 0));
      CHECK(largest(at_zero - static_cast<TestType>(g) * x) <= g * one);

      Rows there = x;
      rope.rotate(there, a);
      for (Index i = 0; i < 3; ++i) {  // |g R(p) x| = g |x|
        CHECK(std::abs(static_cast<double>(there.row(i).norm()) - g * static_cast<double>(x.row(i).norm())) <=
              g * one * std::sqrt(2.0 * d));
      }

      Rows back = there;  // inverse
      rope.unrotate(back, a);
      CHECK(largest(back - x) <= 4 * one);

      Rows moved = there, direct = x;  // g R(a + b) = R(b) g R(a), the factor in there once
      rope.shift(moved, b);
      rope.rotate(direct, a + b);
      CHECK(largest(moved - direct) <= 4 * g * one);

      Rows gradient = y;  // <g R x, y> = <x, g R^T y>
      rope.backward(gradient, a);
      const double left = static_cast<double>(there.cwiseProduct(y).sum());
      const double right = static_cast<double>(x.cwiseProduct(gradient).sum());
      CHECK(std::abs(left - right) <= g * one * static_cast<double>(x.size()) * 2);

      // the score depends on the offset alone
      const auto score = [&](Position m, Position n) {
        Rows query = x.topRows(1), key = y.topRows(1);
        rope.rotate(query, m);
        rope.rotate(key, n);
        return static_cast<double>(query.row(0).dot(key.row(0)));
      };
      CHECK(std::abs(score(5, 14) - score(far + 5, far + 14)) <= 4 * g * g * one * 2 * d);
    }
  }
}
