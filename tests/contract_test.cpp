// The public names as DESIGN.md lists them: every call site compiles as written and does something. What does not fit is
// refused in these words, before anything is written.

#include "posenc/posenc.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"

using namespace posenc;

namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T = float>
Rows<T> numbers(Index rows, Index cols) {
  return Rows<T>::NullaryExpr(
      rows, cols, [](Index i, Index j) { return static_cast<T>(static_cast<float>((7 * i + 3 * j) % 16) / 4 - 1.9f); });
}

enum class Verb { rotate, rotate_to, unrotate, backward, shift };

template <class T>
bool same_bits(const Rows<T>& a, const Rows<T>& b) {
  return std::memcmp(a.data(), b.data(), sizeof(T) * static_cast<std::size_t>(b.size())) == 0;
}

/// What a call is refused with.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("the names of the frequencies are as agreed", "[contract]") {
  STATIC_REQUIRE(std::is_same_v<posenc::Index, Eigen::Index>);
  STATIC_REQUIRE(std::is_same_v<posenc::Position, std::int64_t>);
  const Frequencies ladder = Frequencies::geometric(8);
  CHECK((ladder.size() == 4 && ladder.dim() == 8 && ladder[0] == 1.0 && ladder.attention_factor() == 1.0));
  CHECK(Frequencies::geometric(8, 500000.0)[3] < ladder[3]);
  CHECK(std::abs(ladder.period(0) - 6.283185307179586) < 1e-15);
  const Frequencies spaced = Frequencies::log_spaced(4, 1.0, 1e-4);
  CHECK((spaced.size() == 4 && spaced[0] == 1.0 && spaced[3] == 1e-4));
  const float c_array[] = {1.0f, 0.5f};
  for (const Frequencies& given :
       {Frequencies::from_values(std::vector<double>{1, 0.5}), Frequencies::from_values(c_array),
        Frequencies::from_values(std::array<float, 2>{1.0f, 0.5f}),
        Frequencies::from_values(Eigen::Vector2f(1.0f, 0.5f)),
        Frequencies::from_values(Eigen::RowVector2d(2.0, 1.0) / 2)}) {
    CHECK((given.size() == 2 && given.dim() == 4 && given[1] == 0.5 && given.attention_factor() == 1.0));
  }
  CHECK(Frequencies::from_values(std::vector<double>{1, 0.5}, 1.25).attention_factor() == 1.25);
}

TEST_CASE("the calls of the additive encoders are as agreed", "[contract]") {
  const std::vector<int> positions = {5, 6, 9};
  const std::vector<double> reals = {5, 6.5, 9};
  const auto check = [&](const auto& encoder) {
    auto x = numbers(3, 8);
    encoder.add_to(x);
    encoder.add_to(x, 0);
    encoder.add_to(x, Position{2});
    encoder.add_to(x, positions);
    encoder.add_to(x.leftCols(8), positions);
    encoder.add_to(Eigen::Map<Rows<float>>(x.data(), 3, 8), Eigen::Vector3i(0, 1, 2));
    const auto code = encoder.encode(3);
    CHECK((code.IsRowMajor && code.rows() == 3 && code.cols() == 8));
    CHECK((encoder.encode(positions).rows() == 3 && encoder.encode(positions).row(0) != code.row(0)));
  };
  check(LinearIndex<float>(8, 0.5));
  check(LinearIndex<>(8, 0.5));
  check(Sinusoidal<float>(8));
  check(Sinusoidal<>(8, 500000.0));
  check(Sinusoidal<>(8, 500000.0, SinCosOrder::sin_cos));
  check(Sinusoidal<>(Frequencies::log_spaced(4, 1.0, 1e-4), SinCosOrder::cos_sin));
  check(LearnedPositions<float>(numbers(10, 8)));
  check(LearnedPositions<>(numbers(10, 8)));
  CHECK(LearnedPositions<double>(numbers<double>(10, 8)).parameter_count() == 80);
  CHECK(Sinusoidal<double>(8).encode(reals).row(1) != LinearIndex<double>(8, 0.1).encode(reals).row(1));

  auto x = numbers(3, 8);
  Sinusoidal<>(8).add_to(x, positions, std::sqrt(8.0));
  Sinusoidal<>(8).add_to(x, 7, std::sqrt(8.0));
  STATIC_REQUIRE(static_cast<int>(SinCosOrder::interleaved) != static_cast<int>(SinCosOrder::sin_cos));
}

TEST_CASE("the calls of Rope are as agreed and take every writable form of data", "[contract]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  const Rope<> partial(Frequencies::geometric(4), PairLayout::interleaved, 8);
  const Rope<> middle(Frequencies::geometric(4), PairLayout::interleaved, 8, 2);
  CHECK((partial.head_dim() == 8 && middle.first_channel() == 2 && middle.rotary_dim() == 4));
  const std::vector<Position> positions = {5, 6, 9};
  const auto before = numbers(3, 16);
  const auto check = [&](auto&& x) {
    rope.rotate(x);  // each call is taken back by the next
    rope.unrotate(x);
    rope.rotate(x, 5);
    rope.shift(x, -5);
    rope.rotate(x, Eigen::Vector3d(0.5, 1.5, 2.5));
    rope.backward(x, Eigen::Array3d(0.5, 1.5, 2.5));
    rope.shift(x, 3);
    rope.shift(x, -3.0);
    rope.shift(x, positions);
    rope.shift(x, -Eigen::Vector3i(5, 6, 9));
    rope.rotate_to(x, before);
    rope.rotate_to(x, before, 7);
    rope.rotate_to(x, before, positions);
    rope.unrotate(x, positions);
    CHECK((Rows<float>(x) - before).cwiseAbs().maxCoeff() < 1e-5f);
  };
  Rows<float> rows = before;
  Eigen::MatrixXf columns = before, transposed = before.transpose();
  Eigen::ArrayXXf array = before;
  Eigen::Ref<Eigen::MatrixXf> ref = columns;
  Eigen::Map<Rows<float>> map(rows.data(), 3, 16);
  Rows<float> wide = numbers(5, 40);
  check(rows);
  check(columns);
  check(array);
  check(ref);
  check(map);
  // Temporaries that write through to named data are data too.
  check(wide.block(1, 3, 3, 16));
  check(wide.topRows(3).leftCols(16));
  check(Eigen::Map<Rows<float>>(rows.data(), 3, 16));
  check(transposed.transpose());
  check(columns.array());
  check(array.matrix());
  check(Eigen::Map<Rows<float>, 0, Eigen::Stride<Eigen::Dynamic, 2>>(wide.data(), 3, 16,
                                                                     Eigen::Stride<Eigen::Dynamic, 2>(40, 2)));

  columns = rows = before;  // one row, held as a vector, lying down or in a matrix of the other storage order
  Eigen::RowVectorXf one_row = before.row(0);
  Eigen::VectorXf one_column = before.row(0);
  rope.rotate(one_row, 5);
  rope.rotate(one_column.transpose(), 5);
  rope.rotate(columns.row(0), 5);
  rope.rotate(rows.row(0), 5);
  CHECK((one_row == one_column.transpose() && one_row == Eigen::RowVectorXf(columns.row(0)) && one_row == rows.row(0)));

  const RopeTable<float> table = rope.table(3);
  const auto [cosines, sines] = rope.table(positions);
  CHECK((table.cos.rows() == 3 && table.sin.cols() == 4 && cosines.rows() == 3 && sines.cols() == 4));
  rotate_pairs(rows, cosines, sines, PairLayout::half, 8);
  rotate_pairs(rows, cosines, sines, std::vector<int>{2, 0, 1}, PairLayout::half, 8);

  std::vector<float> buffer(2 * 3 * 4 * 8, 1.0f);
  rope.rotate(HeadsView<float>::bshd(buffer.data(), 2, 3, 4, 8), positions);
  rope.rotate(HeadsView<float>::bhsd(buffer.data(), 2, 3, 4, 8), 5);
  rope.unrotate(bshd(buffer.data(), 2, 3, 4, 8), positions);
  rope.backward(bhsd(buffer.data(), 2, 3, 4, 8), positions);
  rope.shift(bshd(buffer.data(), 2, 3, 4, 8), 1);
  rotate_pairs(bshd(buffer.data(), 2, 3, 4, 8), cosines, sines, PairLayout::interleaved, 8);
}

// --- errors ----------------------------------------------------------------------------------------------------------

TEST_CASE("Rope refuses frequencies and heads that do not fit together", "[rope][errors]") {
  const Frequencies eight = Frequencies::geometric(8);
  const PairLayout half_pairs = PairLayout::half;
  CHECK(refusal([&] { Rope<float>(Frequencies::geometric(7), half_pairs); }) ==
        "posenc::Rope: the width of the frequencies must be even, got 7");
  CHECK(refusal([&] { Rope<float>(eight, static_cast<PairLayout>(7)); }) ==
        "posenc::Rope: layout must be PairLayout::interleaved or PairLayout::half, got 7");
  CHECK(refusal([&] { Rope<float>(eight, half_pairs, 6); }) ==
        "posenc::Rope: 8 channels from channel 0 on do not fit into head_dim 6");
  CHECK(refusal([&] { Rope<double>(eight, half_pairs, 10, 3); }) ==
        "posenc::Rope: 8 channels from channel 3 on do not fit into head_dim 10");
  CHECK(refusal([&] { Rope<float>(eight, half_pairs, 10, -1); }) ==
        "posenc::Rope: 8 channels from channel -1 on do not fit into head_dim 10");
  CHECK(refusal([&] { Rope<float>(eight, half_pairs, -8); }) ==
        "posenc::Rope: 8 channels from channel 0 on do not fit into head_dim -8");
  CHECK(refusal([&] { Rope<float>(eight, half_pairs, 10, std::numeric_limits<Index>::max()); }) ==
        "posenc::Rope: 8 channels from channel 9223372036854775807 on do not fit into head_dim 10");
}

TEST_CASE("every verb of Rope refuses what does not fit by its own name and leaves x as it was", "[rope][errors]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  const Rows<float> before = numbers(3, 16);
  for (auto [verb, verb_name] : {std::pair<Verb, const char*>{Verb::rotate, "posenc::Rope::rotate"},
                                 {Verb::rotate_to, "posenc::Rope::rotate_to"},
                                 {Verb::unrotate, "posenc::Rope::unrotate"},
                                 {Verb::backward, "posenc::Rope::backward"},
                                 {Verb::shift, "posenc::Rope::shift"}}) {
    const std::string name = verb_name;
    Rows<float> x = before;
    const auto refused = [&, verb = verb](auto&& matrix, const auto& positions) {
      return refusal([&] {
        if (verb == Verb::rotate) rope.rotate(matrix, positions);
        if (verb == Verb::rotate_to) rope.rotate_to(matrix, before, positions);
        if (verb == Verb::unrotate) rope.unrotate(matrix, positions);
        if (verb == Verb::backward) rope.backward(matrix, positions);
        if (verb == Verb::shift) rope.shift(matrix, positions);
      });
    };
    CHECK(refused(x.leftCols(15), 0) == name + ": columns must be a multiple of head_dim 8, got 15");
    CHECK(refused(x, std::vector<int>{1, 2}) == name + ": there must be one position for each of the 3 rows, got 2");
    CHECK(refused(x, std::vector<double>(4, 0.5)) ==
          name + ": there must be one position for each of the 3 rows, got 4");
    CHECK(refused(x, Eigen::MatrixXi::Ones(3, 2).eval()) ==
          name + ": a matrix of positions must be batch x tokens, 1 x 3, got 3 x 2");
    CHECK(refused(x, std::vector<std::uint64_t>{1, 2, ~std::uint64_t{0}}) ==
          name + ": position 2 must be at most 2^63 - 1, got 18446744073709551615");
    CHECK(refused(x, std::vector<double>{1, std::numeric_limits<double>::quiet_NaN(), 2}) ==
          name + ": position 1 must be a number within [-2^62, 2^62], got nan");
    CHECK(refused(x, std::vector<float>{-std::numeric_limits<float>::infinity(), 1, 2}) ==
          name + ": position 0 must be a number within [-2^62, 2^62], got -inf");
    CHECK(refused(x, Eigen::RowVector3d(0, 1, 5e18)) ==
          name + ": position 2 must be a number within [-2^62, 2^62], got 5e+18");
    if (verb != Verb::shift) {
      CHECK(refused(x, std::numeric_limits<Position>::max() - 1) ==
            name + ": 3 rows from position 9223372036854775806 pass the last position 2^63 - 1");
      CHECK(refused(x, ~std::uint64_t{0}) == name + ": position 0 must be at most 2^63 - 1, got 18446744073709551615");
    }
    CHECK(same_bits(x, before));
  }
}

TEST_CASE("the last positions of 64 bits are still taken", "[rope][errors]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  Rows<float> x = numbers(3, 8);
  CHECK(refusal([&] { rope.rotate(x, std::numeric_limits<Position>::max() - 2); }) == "not refused");
  CHECK(refusal([&] { rope.rotate(x, std::numeric_limits<Position>::min()); }) == "not refused");
  CHECK(refusal([&] { rope.shift(x, -0x1p62); }) == "not refused");
}

TEST_CASE("rotate_to shift and table refuse shapes that differ numbers that are none and a negative count",
          "[rope][errors]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  const Rows<float> x = numbers(3, 16), before = numbers(4, 24);
  Rows<float> out = before;
  CHECK(refusal([&] { rope.rotate_to(out.leftCols(16), x); }) ==
        "posenc::Rope::rotate_to: out must have the shape of x (batch x tokens x heads), 1 x 3 x 2, got 1 x 4 x 2");
  CHECK(refusal([&] { rope.rotate_to(out.topRows(3), x); }) ==
        "posenc::Rope::rotate_to: out must have the shape of x (batch x tokens x heads), 1 x 3 x 2, got 1 x 3 x 3");
  CHECK(refusal([&] { rope.rotate_to(out, before.leftCols(23)); }) ==
        "posenc::Rope::rotate_to: columns must be a multiple of head_dim 8, got 23");
  CHECK(same_bits(out, before));
  CHECK(refusal([&] { rope.shift(out.leftCols(8), -0x1.8p62); }) ==
        "posenc::Rope::shift: position 0 must be a number within [-2^62, 2^62], got -6.917529027641082e+18");
  CHECK(same_bits(out, before));
  CHECK(refusal([&] { rope.table(-1); }) == "posenc::Rope::table: count must be within [0, 2^63 - 1], got -1");
  CHECK(refusal([&] {
          rope.table(std::vector<double>{0, HUGE_VAL});
        }) == "posenc::Rope::table: position 1 must be a number within [-2^62, 2^62], got inf");
}
