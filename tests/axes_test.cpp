// Several position axes: which pair follows which axis, that equal axes are one axis, and the conventions in use.

#include "posenc/axes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"
#include "reference.hpp"

using namespace posenc_test;
using posenc::Axial2d;
using posenc::axial_rope;
using posenc::Frequencies;
using posenc::Index;
using posenc::mrope_chunked;
using posenc::mrope_interleaved;
using posenc::PairAxes;
using posenc::PairLayout;
using posenc::Position;
using posenc::Rope;

namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Table = Rows<Position>;

/// DESIGN.md's numbers: the error of a sine or cosine, and half a unit in the last place of a number of this size.
template <class T>
constexpr long double sine_error = std::is_same_v<T, double> ? 5e-16L : 1.5e-7L;
template <class T>
long double rounding(long double value) {
  return value == 0 ? 0 : std::ldexp(1.0L, std::ilogb(value) - std::numeric_limits<T>::digits);
}

template <class T>
Rows<T> random(Index rows, Index cols) {
  std::mt19937 engine(static_cast<unsigned>(rows * 1000 + cols));
  std::uniform_real_distribution<float> real(-2, 2);
  return Rows<T>::NullaryExpr(rows, cols, [&](Index, Index) { return static_cast<T>(real(engine)); });
}
template <class T>
bool same(const Rows<T>& a, const Rows<T>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(T) * static_cast<std::size_t>(a.size())) == 0);
}
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

enum class Verb { rotate, rotate_to, unrotate, backward, shift };
constexpr Verb all_verbs[] = {Verb::rotate, Verb::rotate_to, Verb::unrotate, Verb::backward, Verb::shift};
const std::string verb_names[] = {"rotate", "rotate_to", "unrotate", "backward", "shift"};

/// One verb on x: rotate_to writes to out, the others change x.
template <class T, class X, class Out, class Positions>
void apply(Verb verb, const Rope<T>& rope, X&& x, Out&& out, const Positions& positions) {
  if (verb == Verb::rotate) rope.rotate(x, positions);
  if (verb == Verb::rotate_to) rope.rotate_to(out, x, positions);
  if (verb == Verb::unrotate) rope.unrotate(x, positions);
  if (verb == Verb::backward) rope.backward(x, positions);
  if (verb == Verb::shift) rope.shift(x, positions);
}
template <class T, class Positions>
Rows<T> result_of(Verb verb, const Rope<T>& rope, Rows<T> x, const Positions& positions) {
  Rows<T> out = Rows<T>::Constant(x.rows(), x.cols(), T(9));
  apply(verb, rope, x, out, positions);
  return verb == Verb::rotate_to ? out : x;
}

/// The channels of pair k: blocks of `block` pairs from first_channel on, each in the layout.
struct Pair {
  Index first, second;
};
Pair pair_of(PairLayout layout, Index k, Index block, Index first_channel) {
  const Index begin = first_channel + k / block * block * 2, i = k % block;
  return layout == PairLayout::half ? Pair{begin + i, begin + i + block} : Pair{begin + 2 * i, begin + 2 * i + 1};
}

/// Three axes over six pairs in every way the library has: chunked, interleaved, in two blocks.
std::vector<PairAxes> some_axes() {
  return {mrope_chunked({1, 3, 2}), mrope_interleaved({2, 2, 2}), PairAxes({2, 0, 1, 1, 0, 2}, 3, 2)};
}
constexpr PairLayout layouts[] = {PairLayout::interleaved, PairLayout::half};

}  // namespace

// --- Definition ----------------------------------------------------------------------------------------------

TEMPLATE_TEST_CASE("Each pair turns by the position on its own axis and no other", "[axes]", float, double) {
  if (!reference_is_exact) return skip("no MPFR");
  const Position last = Position{1} << 40;
  std::mt19937 engine(3);
  std::uniform_int_distribution<Position> any(-last, last);
  for (const PairLayout layout : layouts) {
    for (const Index blocks : {1, 2, 5}) {
      const Index pairs = 140, head_dim = 2 * pairs + 3;  // chunks hold 128 pairs
      std::vector<Index> axis(pairs);
      for (Index& a : axis) a = static_cast<Index>(engine() % 4);
      std::vector<Real> omega;
      for (Index k = 0; k < pairs; ++k) omega.push_back(omega_of(10000, 2 * pairs, k));
      const Rope<TestType> rope(Frequencies::geometric(2 * pairs), PairAxes(axis, 4, blocks), layout, head_dim, 2);
      Rows<double> positions =
          Rows<double>::NullaryExpr(5, 4, [&](Index, Index) { return static_cast<double>(any(engine)); });
      positions.row(1) << 0, 31, 32, -1;
      positions.row(2) << 0.5, -3, 1e6 + 1 / 3., 7;  // real and whole in one row
      const Rows<TestType> x = random<TestType>(5, head_dim);
      Rows<TestType> y = x;
      rope.rotate(y, positions);
      long double worst = 0;
      for (Index i = 0; i < 5; ++i) {
        for (Index k = 0; k < pairs; ++k) {
          const auto [first, second] = pair_of(layout, k, pairs / blocks, 2);
          const auto at = static_cast<std::size_t>(k);
          const SinCosReference turn = reference(positions(i, axis[at]), omega[at]);
          const long double a = x(i, first), b = x(i, second), size = std::abs(a) + std::abs(b);
          const auto compare = [&](long double expected, TestType value) {
            const long double allowed = sine_error<TestType> * size + rounding<TestType>(expected);
            worst = std::max(worst, std::abs(value - expected) / allowed);
          };
          compare(a * turn.cosine - b * turn.sine, y(i, first));
          compare(a * turn.sine + b * turn.cosine, y(i, second));
        }
      }
      CAPTURE(blocks, static_cast<int>(layout));
      CHECK(worst <= 1);
      CHECK(same<TestType>(y.leftCols(2), x.leftCols(2)));
      CHECK(same<TestType>(y.rightCols(1), x.rightCols(1)));
    }
  }
}

TEST_CASE("The makers give each pair the axis that the models give it", "[axes]") {
  CHECK(mrope_chunked({2, 1, 3}).axis_of_pair() == std::vector<Index>{0, 0, 1, 2, 2, 2});
  CHECK(mrope_chunked({0, 2}).axis_of_pair() == std::vector<Index>{1, 1});
  CHECK(mrope_chunked({0, 2}).count() == 2);
  CHECK(mrope_chunked({4}).count() == 1);
  CHECK(mrope_interleaved({3, 2, 2}).axis_of_pair() == std::vector<Index>{0, 1, 2, 0, 1, 2, 0});
  CHECK(mrope_interleaved({4, 1, 2}).axis_of_pair() == std::vector<Index>{0, 1, 2, 0, 0, 2, 0});
  CHECK(mrope_interleaved({1, 1, 0}).axis_of_pair() == std::vector<Index>{0, 1});
}

#if defined(POSENC_TEST_HAS_JSON)
// --- Published values ----------------------------------------------------------------------------------------

namespace {

/// One case of mrope.json or axial2d.json, at all its positions at once and one by one.
template <class T>
void check_case(const Rope<T>& rope, const Json& one, const char* positions_name, Index block) {
  const std::vector<double> values = numbers(one["x"]);  // exact in both types
  const Index d = rope.head_dim(), axes = rope.axes(), tokens = static_cast<Index>(one[positions_name].size());
  const Rows<T> x = Eigen::Map<const Eigen::RowVectorXd>(values.data(), d).cast<T>();
  Table positions(tokens, axes);
  for (Index i = 0; i < tokens; ++i) {
    for (Index a = 0; a < axes; ++a)
      positions(i, a) = one[positions_name][static_cast<std::size_t>(i)][static_cast<std::size_t>(a)];
  }
  Rows<T> y = x.replicate(tokens, 1);
  rope.rotate(y, positions);
  long double worst = 0;
  for (Index i = 0; i < tokens; ++i) {
    Rows<T> alone = x;
    rope.rotate(alone, Table(positions.row(i)));
    CHECK(same<T>(alone, y.row(i)));
    for (Index k = 0; k < d / 2; ++k) {
      const auto [first, second] = pair_of(rope.layout(), k, block, 0);
      for (const Index c : {first, second}) {
        const long double expected = number(one["y"][static_cast<std::size_t>(i)][static_cast<std::size_t>(c)]);
        const long double size =
            std::abs(values[static_cast<std::size_t>(first)]) + std::abs(values[static_cast<std::size_t>(second)]);
        worst = std::max(worst, std::abs(y(i, c) - expected) / (sine_error<T> * size + rounding<T>(expected)));
      }
    }
  }
  CAPTURE(one["name"].get<std::string>());
  CHECK(worst <= 1);
}

}  // namespace

TEMPLATE_TEST_CASE("mrope_json agrees at every position to the last allowed bit", "[axes][oracle]", float, double) {
  const auto file = oracle("mrope.json");
  if (!file) return skip("no reference file mrope.json");
  REQUIRE((*file)["cases"].size() == 2);
  for (const Json& one : (*file)["cases"]) {
    const auto sections = one["sections"].get<std::vector<Index>>();
    const PairAxes axes = one["variant"] == "chunked" ? mrope_chunked(sections) : mrope_interleaved(sections);
    std::string letters;
    for (const Index axis : axes.axis_of_pair()) letters += "THW"[axis];
    CHECK(letters == one["axis_of_pair"]);
    check_case(Rope<TestType>(Frequencies::geometric(one["d"], one["base"]), axes, PairLayout::half), one,
               "positions_thw", one["d"].get<Index>() / 2);
  }
}

TEMPLATE_TEST_CASE("axial2d_json agrees in all four conventions to the last allowed bit", "[axes][oracle]", float,
                   double) {
  const auto file = oracle("axial2d.json");
  if (!file) return skip("no reference file axial2d.json");
  REQUIRE((*file)["cases"].size() == 8);
  const std::string names[] = {"A_hw_half", "B_xy_interleaved", "C_alternating_half", "D_hw_blocks_half"};
  for (const Json& one : (*file)["cases"]) {
    const auto which = std::find(names, names + 4, one["convention"].get<std::string>()) - names;
    REQUIRE(which < 4);
    const Index d = one["D"], block = which == 3 ? d / 4 : d / 2;
    check_case(axial_rope<TestType>(static_cast<Axial2d>(which), d, one["base"]), one, "positions_hw", block);
  }
}
#endif

// --- Forms that have to agree bit for bit --------------------------------------------------------------------

TEMPLATE_TEST_CASE("Equal axes give the bits of one axis in every verb and layout", "[axes]", float, double) {
  std::vector<Position> list = {0, 1, 31, 32, -40, 131071, 7, 7, Position{1} << 40, 33, 34, 35};
  const Index tokens = static_cast<Index>(list.size());
  const Table equal = Eigen::Map<const Table>(list.data(), tokens, 1).replicate(1, 3);
  const Frequencies ladder = Frequencies::from_values(std::vector<double>{1, 0.5, 0.25, 0.1, 0.01, 0.003}, 1.25);
  const Rows<TestType> x = random<TestType>(tokens, 28);
  for (const PairLayout layout : layouts) {
    for (const PairAxes& axes : {some_axes()[0], some_axes()[1]}) {
      const Rope<TestType> many(ladder, axes, layout, 14, 1), one(ladder, layout, 14, 1);
      for (const Verb verb : all_verbs) {
        const Rows<TestType> expected = result_of(verb, one, x, list);
        CHECK(same(result_of(verb, many, x, equal), expected));
        CHECK(same(result_of(verb, many, x, list), expected));  // one number stands for all axes
        CHECK(same(result_of(verb, many, x, Rows<double>(equal.cast<double>())), expected));
        CHECK(same(result_of(verb, many, x, Position{30}), result_of(verb, one, x, Position{30})));
      }
      const auto expected = one.table(list), found = many.table(equal), listed = many.table(list),
                 counted = many.table(40);
      CHECK((same(found.cos, expected.cos) && same(found.sin, expected.sin)));
      CHECK((same(listed.cos, expected.cos) && same(listed.sin, expected.sin)));
      CHECK((same(counted.cos, one.table(40).cos) && same(counted.sin, one.table(40).sin)));
    }
  }
  // Two blocks on one axis each are two ropes side by side.
  const Frequencies half_ladder = Frequencies::geometric(8);
  const Rope<TestType> blocks = axial_rope<TestType>(Axial2d::hw_blocks_half, 16);
  const Rope<TestType> left(half_ladder, PairLayout::half, 16), right(half_ladder, PairLayout::half, 16, 8);
  Table hw(tokens, 2);
  hw << Eigen::Map<const Table>(list.data(), tokens, 1), Eigen::Map<const Table>(list.data(), tokens, 1).reverse();
  const std::vector<Position> reversed(list.rbegin(), list.rend());
  const Rows<TestType> patch = random<TestType>(tokens, 16);
  for (const Verb verb : all_verbs)
    CHECK(
        same(result_of(verb, blocks, patch, hw), result_of(verb, right, result_of(verb, left, patch, list), reversed)));
}

TEMPLATE_TEST_CASE("Positions of several axes come in any storage and views of batches get the same bits", "[axes]",
                   float, double) {
  const Index batch = 2, tokens = 3, heads = 2, head_dim = 12;
  const Rows<TestType> x = random<TestType>(batch * tokens, heads * head_dim);
  const Table shared = (Table(tokens, 3) << 0, 5, 9, 1, 5, 40, -7, 0, 3).finished(), twice = shared.replicate(batch, 1);
  const Table own =
      (Table(batch * tokens, 3) << 0, 5, 9, 1, 5, 40, -7, 0, 3, 64, 63, 0, 0, 0, 0, 5, 5, 1000).finished();
  for (const PairLayout layout : layouts) {
    for (const PairAxes& axes : some_axes()) {
      const Rope<TestType> rope(Frequencies::geometric(head_dim), axes, layout);
      for (const Verb verb : all_verbs) {
        const Rows<TestType> expected = result_of(verb, rope, x, own);
        CHECK(same(result_of(verb, rope, x, Eigen::MatrixXi(own.cast<int>())), expected));
        const auto check = [&](const Table& given, const Rows<TestType>& turned) {
          Rows<TestType> y = x, out = x;
          apply(verb, rope, posenc::bshd(y.data(), batch, tokens, heads, head_dim),
                posenc::bshd(out.data(), batch, tokens, heads, head_dim), given);
          CHECK(same(verb == Verb::rotate_to ? out : y, turned));
        };
        check(own, expected);
        check(shared, result_of(verb, rope, x, twice));
      }
      const Rows<TestType> expected = result_of(Verb::rotate, rope, x, own);
      Rows<TestType> of_array = x, of_block = x, of_transpose = x;
      Eigen::MatrixXd wide = Eigen::MatrixXd::Constant(9, 7, -1e300);
      wide.block(2, 3, 6, 3) = own.cast<double>();
      const Table across = own.transpose();
      rope.rotate(of_array, own.array());
      rope.rotate(of_block, wide.block(2, 3, 6, 3));
      rope.rotate(of_transpose, across.transpose());
      CHECK((same(of_array, expected) && same(of_block, expected) && same(of_transpose, expected)));
      if (axes.blocks() > 1) continue;  // a table by itself does not tell where its pairs stand
      const auto table = rope.table(own);
      Rows<TestType> by_table = x;
      posenc::rotate_pairs(by_table, table.cos, table.sin, layout, head_dim);
      CHECK(same(by_table, expected));
    }
  }
}

// --- Laws ----------------------------------------------------------------------------------------------------

TEMPLATE_TEST_CASE("With several axes scores feel the offset on each axis alone and turning has its laws",
                   "[axes][laws]", float, double) {
  using T = TestType;
  const Index tokens = 6, d = 12;
  const Rows<T> q = random<T>(tokens, d), k = random<T>(tokens + 1, d).topRows(tokens);
  const auto dot = [](const Rows<T>& a, const Rows<T>& b) {
    return (a.template cast<double>() * b.template cast<double>().transpose()).eval();
  };
  // A value turned once is off by 4 sine errors at most, and by half a unit of a number below 4; a score has 24 of them,
  // each times a number below 2 sqrt(2).
  const double of_value =
      4 * static_cast<double>(sine_error<T>) + 2 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double of_score = 24 * 2.83 * of_value;
  std::mt19937 engine(11);
  std::uniform_int_distribution<Position> any(-100000, 100000);
  for (const PairLayout layout : layouts) {
    for (const PairAxes& axes : some_axes()) {
      const Rope<T> rope(Frequencies::geometric(d), axes, layout);
      const Table m = Table::NullaryExpr(tokens, 3, [&](Index, Index) { return any(engine); });
      const Table by = Table(Table::NullaryExpr(1, 3, [&](Index, Index) { return any(engine); })).replicate(tokens, 1);
      const Rows<T> rq = result_of(Verb::rotate, rope, q, m), rk = result_of(Verb::rotate, rope, k, m);
      // Queries and keys at positions moved by the same offset on each axis have the same scores.
      const Table moved = m + by;
      const auto scores = dot(rq, rk),
                 moved_scores = dot(result_of(Verb::rotate, rope, q, moved), result_of(Verb::rotate, rope, k, moved));
      CHECK((scores - moved_scores).cwiseAbs().maxCoeff() <= 2 * of_score);
      // And moving one axis alone changes them.
      Table one_axis = m;
      one_axis.col(1) += by.col(1);
      CHECK((scores - dot(rq, result_of(Verb::rotate, rope, k, one_axis))).cwiseAbs().maxCoeff() > 0.01);
      // Norm, inverse, R(a) R(b) = R(a + b), transpose.
      CHECK((rq.rowwise().norm() - q.rowwise().norm()).cwiseAbs().maxCoeff() <= static_cast<T>(12 * of_value));
      CHECK((result_of(Verb::unrotate, rope, rq, m) - q).cwiseAbs().maxCoeff() <= static_cast<T>(3 * of_value));
      CHECK((result_of(Verb::shift, rope, rq, by) - result_of(Verb::rotate, rope, q, moved)).cwiseAbs().maxCoeff() <=
            static_cast<T>(3 * of_value));
      CHECK((dot(rq, k) - dot(q, result_of(Verb::backward, rope, k, m))).diagonal().cwiseAbs().maxCoeff() <=
            2 * of_score);
      // R(0) is nothing, and so is a row with all axes 0 among others.
      Table still = m;
      still.row(2).setZero();
      CHECK(same<T>(result_of(Verb::rotate, rope, q, still).row(2), q.row(2)));
      CHECK(same<T>(result_of(Verb::rotate_to, rope, q, still).row(2), q.row(2)));
    }
  }
}

// --- Errors --------------------------------------------------------------------------------------------------

TEST_CASE("Sections and axes that cannot be are refused", "[axes][errors]") {
  CHECK(refusal([] { mrope_chunked({}); }) == "posenc::mrope_chunked: sections must have at least 1 pair, got 0");
  CHECK(refusal([] { mrope_chunked({0, 0}); }) == "posenc::mrope_chunked: sections must have at least 1 pair, got 0");
  CHECK(refusal([] { mrope_chunked({3, -1, 2}); }) == "posenc::mrope_chunked: a section must not be negative, got -1");
  CHECK(refusal([] {
          mrope_interleaved({8, -2, 2});
        }) == "posenc::mrope_interleaved: a section must not be negative, got -2");
  CHECK(refusal([] {
          mrope_interleaved({0, 0, 0});
        }) == "posenc::mrope_interleaved: sections must have at least 1 pair, got 0");
  CHECK(refusal([] {
          mrope_interleaved({4, 4});
        }) == "posenc::mrope_interleaved: there must be 3 sections (time, height, width), got 2");
  CHECK(refusal([] {
          mrope_interleaved({2, 5, 1});
        }) == "posenc::mrope_interleaved: 8 pairs have 3 places for axis 1, which cannot hold a section of 5");
  CHECK(refusal([] {
          mrope_interleaved({3, 2, 3});
        }) == "posenc::mrope_interleaved: 8 pairs have 2 places for axis 2, which cannot hold a section of 3");
  CHECK(refusal([] {
          mrope_interleaved({0, 1, 0});
        }) == "posenc::mrope_interleaved: 1 pairs have 0 places for axis 1, which cannot hold a section of 1");
  CHECK(refusal([] { PairAxes({0}, 0); }) == "posenc::PairAxes: count and blocks must be at least 1, got 0 and 1");
  CHECK(refusal([] { PairAxes({0}, 1, 0); }) == "posenc::PairAxes: count and blocks must be at least 1, got 1 and 0");
  CHECK(refusal([] { PairAxes({0}, 65); }) == "posenc::PairAxes: count must be at most 64, got 65");
  CHECK(refusal([] { PairAxes({}, 1); }) == "posenc::PairAxes: there must be at least 1 pair, got 0");
  CHECK(refusal([] { PairAxes({0, 1, 2}, 2); }) == "posenc::PairAxes: the axis of pair 2 must be within [0, 1], got 2");
  CHECK(refusal([] { PairAxes({0, -1}, 2); }) == "posenc::PairAxes: the axis of pair 1 must be within [0, 1], got -1");
  const Frequencies ladder = Frequencies::geometric(16);
  CHECK(refusal([&] {
          Rope<>(ladder, mrope_chunked({2, 3, 2}), PairLayout::half);
        }) == "posenc::Rope: there must be one axis for each of the 8 pairs, got 7");
  CHECK(refusal([&] {
          Rope<>(Frequencies::geometric(10), PairAxes({0, 1, 0, 1, 0}, 2, 2), PairLayout::half);
        }) == "posenc::Rope: 5 pairs do not fill 2 equal blocks");
  CHECK(refusal([] { axial_rope(Axial2d::hw_half, 6); }) ==
        "posenc::axial_rope: head_dim must be a multiple of 4, got 6");
  CHECK(refusal([] { axial_rope(Axial2d::hw_half, 0); }) ==
        "posenc::axial_rope: head_dim must be a multiple of 4, got 0");
  CHECK(refusal([] { axial_rope(Axial2d::hw_half, 8, 0.5); }) ==
        "posenc::Frequencies::geometric: base must be within [1, 1e18], got 0.5");
}

TEST_CASE("Positions that do not fit the axes are refused by every verb and the data keeps its values",
          "[axes][errors]") {
  const Rope<double> rope(Frequencies::geometric(12), some_axes()[0], PairLayout::half);
  const Rows<double> before = random<double>(6, 24);
  Rows<double> x = before, out = before;
  const auto refused = [&](const std::string& rest, auto&& data, auto&& to, const auto& positions) {
    for (const Verb verb : all_verbs) {
      CHECK(refusal([&] { apply(verb, rope, data, to, positions); }) ==
            "posenc::Rope::" + verb_names[static_cast<int>(verb)] + ": " + rest);
    }
  };
  const auto view = posenc::bshd(x.data(), 2, 3, 2, 12), out_view = posenc::bshd(out.data(), 2, 3, 2, 12);
  const Table few = Table::Ones(6, 2), many = Table::Ones(6, 4), short_one = Table::Ones(5, 3),
              four = Table::Ones(4, 3);
  refused("a matrix of positions must have 3 columns, one per axis, got 2", x, out, few);
  refused("a matrix of positions must have 3 columns, one per axis, got 4", x, out, many);
  refused("a matrix of positions must have 3 columns, one per axis, got 6", view, out_view, Table(few.transpose()));
  refused("there must be one position for each of the 6 rows, got 5", x, out, short_one);
  refused("there must be 3 positions, one per token, or 6, one per batch x token, got 4", view, out_view, four);
  refused("there must be one position for each of the 6 rows, got 3", x, out, std::vector<int>{1, 2, 3});
  Rows<double> real = Rows<double>::Ones(6, 3);
  real(4, 2) = std::numeric_limits<double>::quiet_NaN();
  refused("position 4 must be a number within [-2^62, 2^62], got nan", x, out, real);
  real(4, 2) = 1e300;
  refused("position 4 must be a number within [-2^62, 2^62], got 1e+300", view, out_view, real);
  Rows<std::uint64_t> huge = Rows<std::uint64_t>::Ones(6, 3);
  huge(1, 0) = std::uint64_t{1} << 63;
  refused("position 1 must be at most 2^63 - 1, got 9223372036854775808", x, out, huge);
  CHECK(refusal([&] { rope.table(few); }) ==
        "posenc::Rope::table: a matrix of positions must have 3 columns, one per axis, got 2");
  CHECK(refusal([&] { rope.table(real); }) ==
        "posenc::Rope::table: position 4 must be a number within [-2^62, 2^62], got 1e+300");
  CHECK((same(x, before) && same(out, before)));
}
