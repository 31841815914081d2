// One suite of laws, run over every encoder, layout and scalar. An encoder enters through a small adapter that turns
// positions into codes, or rows into turned rows, in double, which holds every scalar's numbers exactly.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "posenc/learned.hpp"
#include "posenc/linear_index.hpp"
#include "posenc/rope.hpp"
#include "posenc/sinusoidal.hpp"

using namespace posenc;

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Positions = std::vector<Position>;
template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// DESIGN.md: the error of a sine or cosine. And half a unit in the last place of a number just below 1.
template <class T>
constexpr double sine_error = std::is_same_v<T, double> ? 5e-16 : 1.5e-7;
template <class T>
constexpr double rounding = std::is_same_v<T, double>        ? 0x1p-54
                            : std::is_same_v<T, float>       ? 0x1p-25
                            : std::is_same_v<T, Eigen::half> ? 0x1p-12
                                                             : 0x1p-9;

constexpr Position bases[] = {0, -1000000, 1000000, 1000000000, (Position{1} << 40) - 300};

template <class T>
const char* name_of() {
  return std::is_same_v<T, double>        ? "double"
         : std::is_same_v<T, float>       ? "float"
         : std::is_same_v<T, Eigen::half> ? "half"
                                          : "bfloat16";
}

// --- Codes: a row of numbers for a position ----------------------------------------------------------------------------

/// value_error: how far a value may be from the formula's.
struct Code {
  std::string name;
  double value_error;
  std::function<Matrix(const Positions&)> encode;
};

const Index dim = 8;
const Frequencies ladder = Frequencies::geometric(dim);

template <class T>
void add_sinusoidal(std::vector<Code>& codes) {
  for (SinCosOrder order : {SinCosOrder::interleaved, SinCosOrder::sin_cos, SinCosOrder::cos_sin}) {
    codes.push_back(
        {std::string("Sinusoidal ") + name_of<T>() + " order " + std::to_string(static_cast<int>(order)), sine_error<T>,
         [=](const Positions& p) { return Matrix(Sinusoidal<T>(ladder, order).encode(p).template cast<double>()); }});
  }
}
/// RoPE as a code: what it makes of pairs (1, 0), which is (cos, sin), rounded once more.
template <class T>
void add_rope(std::vector<Code>& codes) {
  for (PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
    codes.push_back({std::string("Rope ") + name_of<T>() + " layout " + std::to_string(static_cast<int>(layout)),
                     sine_error<T> + rounding<T>, [=](const Positions& p) {
                       Rows<T> x = Rows<T>::Zero(static_cast<Index>(p.size()), dim);
                       for (Index k = 0; k < dim / 2; ++k) x.col(layout == PairLayout::half ? k : 2 * k).setOnes();
                       Rope<Computed<T>>(ladder, layout).rotate(x, p);
                       return Matrix(x.template cast<double>());
                     }});
  }
}
template <class T>
void add_table(std::vector<Code>& codes) {
  codes.push_back({std::string("Rope table ") + name_of<T>(), sine_error<T>, [](const Positions& p) {
                     const auto table = Rope<T>(ladder, PairLayout::half).table(p);
                     Matrix both(static_cast<Index>(p.size()), dim);
                     both << table.cos.template cast<double>(), table.sin.template cast<double>();
                     return both;
                   }});
}

/// Every code made of sines and cosines.
std::vector<Code> phase_codes() {
  std::vector<Code> codes;
  add_sinusoidal<float>(codes), add_sinusoidal<double>(codes);
  add_rope<float>(codes), add_rope<double>(codes), add_rope<Eigen::half>(codes), add_rope<Eigen::bfloat16>(codes);
  add_table<float>(codes), add_table<double>(codes);
  return codes;
}
Code linear_code() {
  return {"LinearIndex", 0, [](const Positions& p) { return LinearIndex<double>(dim, 0.01).encode(p); }};
}
Code learned_code() {
  const Matrix table =
      Matrix::NullaryExpr(400, dim, [](Index i, Index j) { return std::sin(static_cast<double>(i * i + 3 * j)); });
  return {"LearnedPositions", 0, [=](const Positions& p) { return LearnedPositions<double>(table).encode(p); }};
}

Positions run(Position first, int count) {
  Positions p;
  for (int i = 0; i < count; ++i) p.push_back(first + i);
  return p;
}

/// The distance of two codes `offset` apart, and their inner product.
double distance_of(double offset) {
  double sum = 0;
  for (Index k = 0; k < dim / 2; ++k) sum += 4 * std::pow(std::sin(offset * ladder[k] / 2), 2);
  return std::sqrt(sum);
}
double similarity_of(double offset) {
  double sum = 0;
  for (Index k = 0; k < dim / 2; ++k) sum += std::cos(offset * ladder[k]);
  return sum;
}

}  // namespace

TEST_CASE("a code is a function of its own position alone", "[laws]") {
  std::vector<Code> codes = phase_codes();
  codes.push_back(linear_code());
  codes.push_back(learned_code());
  const Positions mixed = {5, 64, 63, 0, 5, 300, 31, 32, 33, 5};
  for (const Code& code : codes) {
    CAPTURE(code.name);
    const Matrix together = code.encode(mixed), consecutive = code.encode(run(0, 301));
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      const auto row = together.row(static_cast<Index>(i));
      CHECK((row == code.encode({mixed[i]}) && row == consecutive.row(mixed[i])));
    }
  }
}

TEST_CASE("codes of different positions are distinct and neighbours near", "[laws]") {
  // Distinctness: the distance is the formula's at every offset, and never small. Continuity: so is the step, which is
  // the same everywhere. An error e in each of 2 d numbers moves a distance by 2 sqrt(d) e at most.
  for (const Code& code : phase_codes()) {
    const double allowed = 2 * std::sqrt(static_cast<double>(dim)) * code.value_error + 1e-15;
    for (Position base : bases) {
      CAPTURE(code.name, base);
      const Matrix codes = code.encode(run(base, 256));
      double worst = 0, smallest = 1e9;
      for (Index i = 0; i < codes.rows(); ++i) {
        for (Index j = i + 1; j < codes.rows(); ++j) {
          const double distance = (codes.row(i) - codes.row(j)).norm();
          worst = std::max(worst, std::abs(distance - distance_of(static_cast<double>(j - i))));
          smallest = std::min(smallest, distance);
        }
      }
      CHECK(worst <= allowed);
      CHECK(smallest > 0.6);  // 0.645, at offset 63: ten turns of the first pair, one of the second
    }
  }
  const Matrix linear = linear_code().encode(run(-5, 200));
  for (Index i = 1; i < linear.rows(); ++i) {
    CHECK(std::abs((linear.row(i) - linear.row(i - 1)).norm() - 0.01 * std::sqrt(8.0)) < 1e-14);
  }
}

TEST_CASE("the inner product of two codes depends on their offset alone", "[laws]") {
  // With itself, offset 0, it is d/2: the norm is kept.
  // u v with an error e in each factor is off by e (|u| + |v|) + e^2; over a pair |u| + |v| is at most 2 sqrt(2).
  for (const Code& code : phase_codes()) {
    const double allowed =
        static_cast<double>(dim) * (std::sqrt(2.0) * code.value_error + std::pow(code.value_error, 2)) + 1e-15;
    for (Position base : bases) {
      for (Position offset : {0, 1, 2, 7, 31, 32, 100, 255}) {
        CAPTURE(code.name, base, offset);
        const Matrix codes = code.encode({base, base + offset});
        CHECK(std::abs(codes.row(0).dot(codes.row(1)) - similarity_of(static_cast<double>(offset))) <= allowed);
      }
    }
  }
  // The suite can tell: the linear index does not have this property.
  const Matrix linear = linear_code().encode({1, 2, 101, 102});
  CHECK(linear.row(2).dot(linear.row(3)) > 1000 * linear.row(0).dot(linear.row(1)));
}

TEST_CASE("at position 0 every pair of a code is exactly 0 and 1", "[laws]") {
  for (const Code& code : phase_codes()) {
    CAPTURE(code.name);
    const Matrix zero = code.encode({0});
    CHECK((zero.array() == 0).count() == dim / 2);
    CHECK((zero.array() == 1).count() == dim / 2);
  }
}

// --- Turns: rows of numbers to turned rows -----------------------------------------------------------------------------

namespace {

const Index head_dim = 20, columns = 2 * head_dim;  // 8 pairs from channel 3 on

/// R(p), its inverse and transpose, and the turn of turned rows; once: how far a number may be off after one turn.
struct Turn {
  std::string name;
  PairLayout layout;
  double attention_factor, once;
  std::function<Matrix(const Matrix&, const Positions&)> rotate, unrotate, backward, shift;
};

template <class T>
void add_turns(std::vector<Turn>& turns) {
  for (double g : {1.0, 1.25}) {
    for (PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
      const Frequencies base = Frequencies::geometric(16);
      std::vector<double> omega;
      for (Index k = 0; k < 8; ++k) omega.push_back(base[k]);
      const Rope<Computed<T>> rope(Frequencies::from_values(omega, g), layout, head_dim, 3);
      const auto verb = [rope](auto call) {
        return [rope, call](const Matrix& x, const Positions& p) {
          Rows<T> y = x.cast<T>();
          call(rope, y, p);
          return Matrix(y.template cast<double>());
        };
      };
      // |a|, |b| <= 2 before any turn: sine_error g (|a| + |b|) and half a unit in the last place of a number below 4.
      const double once = g * 4 * sine_error<T> + 4 * rounding<T>;
      turns.push_back({std::string(name_of<T>()) + " layout " + std::to_string(static_cast<int>(layout)), layout, g,
                       once, verb([](const auto& r, auto& y, const Positions& p) { r.rotate(y, p); }),
                       verb([](const auto& r, auto& y, const Positions& p) { r.unrotate(y, p); }),
                       verb([](const auto& r, auto& y, const Positions& p) { r.backward(y, p); }),
                       verb([](const auto& r, auto& y, const Positions& p) { r.shift(y, p); })});
    }
  }
}
std::vector<Turn> all_turns() {
  std::vector<Turn> turns;
  add_turns<float>(turns), add_turns<double>(turns), add_turns<Eigen::half>(turns), add_turns<Eigen::bfloat16>(turns);
  return turns;
}

/// Numbers in [-2, 2) with 7 bits, so that even bfloat16 holds them.
Matrix numbers(Index rows, std::uint32_t state) {
  return Matrix::NullaryExpr(rows, columns, [&](Index, Index) {
    state = state * 1664525u + 1013904223u;
    return (static_cast<double>(state >> 25) - 63.5) / 32;
  });
}
double largest_difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

const Positions far_and_near = {0,   1,      31,       32,         100,           -1,
                                -64, 131072, 16777217, 2147483647, 1000000000000, -(Position{1} << 40)};
const Index many = static_cast<Index>(far_and_near.size());

}  // namespace

TEST_CASE("a turn of a turn is the turn by the sum and its inverse gives back what was", "[laws]") {
  // An error e of both numbers of a pair is at most sqrt(2) e in each after another turn, to which that one adds its own:
  // 2.5 times the error of one turn, and once more for the other side of an equation.
  const Matrix x = numbers(many, 1);
  for (const Turn& turn : all_turns()) {
    CAPTURE(turn.name, turn.attention_factor);
    Positions reversed(far_and_near.rbegin(), far_and_near.rend()), sums, negative;
    for (std::size_t i = 0; i < far_and_near.size(); ++i) sums.push_back(far_and_near[i] + reversed[i]);
    for (Position p : far_and_near) negative.push_back(-p);
    const Matrix turned = turn.rotate(x, far_and_near);
    CHECK(largest_difference(turn.shift(turned, reversed), turn.rotate(x, sums)) <= 3.5 * turn.once);
    CHECK(largest_difference(turn.unrotate(turned, far_and_near), x) <= 2.5 * turn.once);
    CHECK(largest_difference(turn.rotate(turn.unrotate(x, far_and_near), far_and_near), x) <= 2.5 * turn.once);
    CHECK(largest_difference(turn.shift(turned, negative), turn.rotate(x, Positions(far_and_near.size(), 0))) <=
          3.5 * turn.once);
  }
}

TEST_CASE("backward is the transpose of rotate", "[laws]") {
  const Matrix x = numbers(many, 1), y = numbers(many, 2);
  for (const Turn& turn : all_turns()) {
    const Matrix left = turn.rotate(x, far_and_near), right = turn.backward(y, far_and_near);
    for (Index i = 0; i < many; ++i) {
      CAPTURE(turn.name, turn.attention_factor, far_and_near[static_cast<std::size_t>(i)]);
      const double allowed = turn.once * (x.row(i).cwiseAbs().sum() + y.row(i).cwiseAbs().sum());
      CHECK(std::abs(left.row(i).dot(y.row(i)) - x.row(i).dot(right.row(i))) <= allowed + 1e-14);
    }
  }
}

TEST_CASE("a turn keeps the norm of every pair and the channels beside", "[laws]") {
  // The two numbers of a pair, each off by once, move its norm by sqrt(2) once at most.
  const Matrix x = numbers(many, 1);
  for (const Turn& turn : all_turns()) {
    CAPTURE(turn.name, turn.attention_factor);
    const Matrix y = turn.rotate(x, far_and_near);
    for (Index head : {Index{0}, head_dim}) {
      for (Index k = 0; k < 8; ++k) {
        const Index first = head + 3 + (turn.layout == PairLayout::half ? k : 2 * k);
        const Index second = first + (turn.layout == PairLayout::half ? 8 : 1);
        const auto norm = [&](const Matrix& m) {
          return (m.col(first).array().square() + m.col(second).array().square()).sqrt().eval();
        };
        CHECK((norm(y) - turn.attention_factor * norm(x)).abs().maxCoeff() <= std::sqrt(2.0) * turn.once);
      }
      CHECK(
          (y.middleCols(head, 3) == x.middleCols(head, 3) && y.middleCols(head + 19, 1) == x.middleCols(head + 19, 1)));
    }
  }
}

TEST_CASE("a score depends on the offset of query and key alone", "[laws]") {
  const Matrix q = numbers(1, 3), k = numbers(1, 4);
  for (const Turn& turn : all_turns()) {
    for (Position offset : {0, 1, 5, 63, 299}) {
      const Matrix q_first = turn.rotate(q, {0}), k_first = turn.rotate(k, {offset});
      const double expected = q_first.row(0).dot(k_first.row(0));
      // Either score is off by once times the numbers that the error meets.
      const double allowed =
          2 * turn.once * std::sqrt(2.0) * turn.attention_factor * (q.cwiseAbs().sum() + k.cwiseAbs().sum());
      for (Position base : bases) {
        CAPTURE(turn.name, turn.attention_factor, offset, base);
        const double score = turn.rotate(q, {base}).row(0).dot(turn.rotate(k, {base + offset}).row(0));
        CHECK(std::abs(score - expected) <= allowed);
      }
    }
  }
}

TEST_CASE("rows of a table add up as angles do", "[laws]") {
  for (double g : {1.0, 1.25}) {
    std::vector<double> omega = {1, 0.3, 0.01, 0.0001};
    const Frequencies frequencies = Frequencies::from_values(omega, g);
    const auto table = Rope<double>(frequencies, PairLayout::half).table(Positions{0, 1000000007, -34, 999999973, 34});
    const auto cos = [&](Index i) { return table.cos.row(i).array() / g; };
    const auto sin = [&](Index i) { return table.sin.row(i).array() / g; };
    CHECK(((table.cos.row(0).array() == g).all() && (table.sin.row(0).array() == 0).all()));
    // a product of two sines or cosines is off by 2 sine errors, a sum of two products by 4
    for (Index i = 0; i < 5; ++i)
      CHECK((cos(i).square() + sin(i).square() - 1).abs().maxCoeff() <= 4 * sine_error<double>);
    CHECK((cos(1) * cos(2) - sin(1) * sin(2) - cos(3)).abs().maxCoeff() <= 5 * sine_error<double>);
    CHECK((sin(1) * cos(2) + cos(1) * sin(2) - sin(3)).abs().maxCoeff() <= 5 * sine_error<double>);
    CHECK(((cos(2) - cos(4)).abs().maxCoeff() <= 2 * sine_error<double> &&
           (sin(2) + sin(4)).abs().maxCoeff() <= 2 * sine_error<double>));
  }
}
