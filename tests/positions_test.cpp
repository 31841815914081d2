// Positions as the encoders read them: a start or any vector-like, checked before anything is written. The linear index with
// step 1 adds the position itself, so the codes show what was read.

#include <posenc/learned.hpp>
#include <posenc/linear_index.hpp>
#include <posenc/positions.hpp>
#include <posenc/rope.hpp>
#include <posenc/sinusoidal.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "catch.hpp"

using namespace posenc;
using namespace posenc_test;

namespace geo {

struct Path {
  std::vector<int> points;
  std::size_t size() const { return points.size(); }
  int operator[](std::size_t i) const { return points[i]; }
};
double length(const Path&) { return 5; }  // of the way, not the number of points
int element(const Path&, Index) { return 9; }

}  // namespace geo

namespace {

using Codes = CodeMatrix<double>;
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr Position largest = std::numeric_limits<Position>::max(), smallest = std::numeric_limits<Position>::min();

/// What the library read: the positions as doubles.
template <class Positions>
std::vector<double> read(const Positions& positions) {
  const Codes codes = LinearIndex<double>(1, 1.0).encode(positions);
  return {codes.data(), codes.data() + codes.size()};
}

/// The text of the error, after making sure that nothing was written.
template <class Positions>
std::string refusal(Index rows, const Positions& positions) {
  Codes x = Codes::Constant(rows, 2, 7);
  try {
    LinearIndex<double>(2, 1.0).add_to(x, positions);
  } catch (const std::invalid_argument& error) {
    CHECK((x.array() == 7).all());
    return error.what();
  }
  return "accepted";
}

std::string said(const std::string& what) { return "posenc::LinearIndex::add_to: " + what; }

}  // namespace

TEST_CASE("A position splits into the middle of its block and its offset, the same way near the ends of 64 bits") {
  for (const Position p : {Position{0}, Position{1}, Position{31}, Position{32}, Position{-1}, Position{-31},
                           Position{-32}, Position{-33}, largest - 32, smallest, smallest + 31, smallest + 32}) {
    const detail::Coordinate at = detail::coordinate(p);
    CAPTURE(p);
    CHECK(at.is_whole);
    CHECK(at.offset() >= -32);
    CHECK(at.offset() < 32);
    CHECK(at.block_middle() % 64 == 0);
    CHECK(at.block_middle() + at.offset() == p);
    CHECK(at.shares_block(detail::coordinate(at.block_middle())));
  }
  // The middle of their block would be 2^63, which is no position.
  for (const Position p : {largest, largest - 1, largest - 31}) {
    CHECK(detail::coordinate(p).offset() == 0);
    CHECK(detail::coordinate(p).block_middle() == p);
    CHECK_FALSE(detail::coordinate(p).shares_block(detail::coordinate(p - 1)));
  }
  CHECK(detail::coordinate(-1).shares_block(detail::coordinate(-32)));
  CHECK(detail::coordinate(-1).shares_block(detail::coordinate(31)));
  CHECK_FALSE(detail::coordinate(-33).shares_block(detail::coordinate(-32)));
  CHECK_FALSE(detail::coordinate(31).shares_block(detail::coordinate(32)));
  CHECK(detail::coordinate(64).shares_block(detail::coordinate(95.0)));
  CHECK_FALSE(detail::coordinate(64).shares_block(detail::coordinate(64.5)));
  CHECK(detail::coordinate(0.5).shares_block(detail::coordinate(0.5)));
  CHECK_FALSE(detail::coordinate(0.5).shares_block(detail::coordinate(0.75)));
}

TEST_CASE("A run of consecutive positions ends with its block, and at position 0 on either side") {
  const auto run_from = [](Position p) { return detail::Consecutive{p}.run(0, 1000); };
  CHECK(run_from(32) == 64);
  CHECK(run_from(95) == 1);
  CHECK(run_from(-32) == 32);
  CHECK(run_from(-1) == 1);
  CHECK(run_from(0) == 1);
  CHECK(run_from(1) == 31);
  CHECK(run_from(-96) == 64);
  CHECK(run_from(largest - 32) == 1);
  CHECK(run_from(largest - 31) == 1);
  CHECK(run_from(smallest) == 32);
  CHECK(detail::Consecutive{40}.run(0, 3) == 3);
}

TEST_CASE("A whole real position is the integer and a fraction is kept") {
  CHECK(detail::coordinate(-3.0).whole == -3);
  CHECK(detail::coordinate(-0.0).is_zero());
  CHECK_FALSE(detail::coordinate(1e-300).is_zero());
  CHECK_FALSE(detail::coordinate(0.25f).is_whole);
  CHECK(detail::coordinate(0.25f).real == 0.25);
  CHECK(detail::coordinate(0x1p62).whole == Position{1} << 62);
  CHECK(detail::coordinate(-0x1.8p52).is_whole);
}

TEST_CASE("Positions of every number type are read as their values") {
  const std::vector<double> expected = {3, 0, 100};
  CHECK(read(std::vector<int>{3, 0, 100}) == expected);
  CHECK(read(std::vector<long>{3, 0, 100}) == expected);
  CHECK(read(std::vector<long long>{3, 0, 100}) == expected);
  CHECK(read(std::vector<unsigned>{3, 0, 100}) == expected);
  CHECK(read(std::vector<std::uint64_t>{3, 0, 100}) == expected);
  CHECK(read(std::vector<std::int8_t>{3, 0, 100}) == expected);
  CHECK(read(std::vector<std::uint8_t>{3, 0, 100}) == expected);
  CHECK(read(std::vector<short>{3, 0, 100}) == expected);
  CHECK(read(std::vector<float>{3, 0, 100}) == expected);
  CHECK(read(std::vector<double>{3, 0, 100}) == expected);
  CHECK(read(std::vector<Eigen::half>{Eigen::half(3), Eigen::half(0), Eigen::half(100)}) == expected);
  CHECK(read(std::vector<Eigen::bfloat16>{Eigen::bfloat16(3), Eigen::bfloat16(0), Eigen::bfloat16(100)}) == expected);
}

TEST_CASE("Signs and fractions of positions survive") {
  CHECK(read(std::vector<int>{-3, -2147483647 - 1}) == std::vector<double>{-3, -2147483648.0});
  CHECK(read(std::vector<std::int8_t>{-128, 127}) == std::vector<double>{-128, 127});
  CHECK(read(std::vector<unsigned>{4294967295u}) == std::vector<double>{4294967295.0});
  CHECK(read(std::vector<double>{-0.75, 1e-9, 1e15 + 0.5}) == std::vector<double>{-0.75, 1e-9, 1e15 + 0.5});
  CHECK(read(std::vector<float>{-0.1f}) == std::vector<double>{static_cast<double>(-0.1f)});
  CHECK(read(std::vector<Eigen::half>{Eigen::half(-2.5f)}) == std::vector<double>{-2.5});
}

TEST_CASE("Positions in every vector form are read in order") {
  const std::vector<double> expected = {5, 6, 9};
  const int c_array[] = {5, 6, 9};
  const Eigen::Vector3i column(5, 6, 9);
  const Eigen::RowVector3d row(5, 6, 9);
  Eigen::Matrix<std::int64_t, 2, 3> table;
  table << 5, 6, 9, 1, 2, 3;
  CHECK(read(c_array) == expected);
  CHECK(read(std::array<long, 3>{5, 6, 9}) == expected);
  CHECK(read(column) == expected);
  CHECK(read(row) == expected);
  CHECK(read(column.array()) == expected);
  CHECK(read((column.array() - 1 + 1).matrix()) == expected);
  CHECK(read(2 * row - row) == expected);
  CHECK(read(table.row(0)) == expected);
  CHECK(read(table.row(0).transpose()) == expected);
  CHECK(read(Eigen::Map<const Eigen::VectorXi>(c_array, 3)) == expected);
  CHECK(read(Eigen::Map<const Eigen::VectorXi, 0, Eigen::InnerStride<2>>(c_array, 2, Eigen::InnerStride<2>(2))) ==
        std::vector<double>{5, 9});
  CHECK(read(column.cast<double>()) == expected);
  CHECK(read(column.head(2)) == std::vector<double>{5, 6});
  CHECK(read(column.reverse()) == std::vector<double>{9, 6, 5});
  CHECK(read((table.array() + 1).row(1)) == std::vector<double>{2, 3, 4});
  CHECK(read(table.rowwise().sum()) == std::vector<double>{20, 6});
  CHECK(read(Eigen::VectorXi::LinSpaced(3, 5, 7)) == std::vector<double>{5, 6, 7});
  CHECK(read(std::vector<int>{}).empty());
}

TEST_CASE("A user's function named as one of the library's own is not called in its place") {
  const geo::Path path{{3, 4}};
  CHECK(length(path) + element(path, 0) == 14);
  CHECK(read(path) == std::vector<double>{3, 4});
  CHECK(refusal(5, path) == said("there must be one position for each of the 5 rows, got 2"));
}

TEST_CASE("A segment of an Eigen vector is an Eigen vector") {
  // VectorBlock derives from Block, which is its own Derived: a test of the type alone misses it.
  using Segment = decltype(std::declval<const Eigen::VectorXi&>().segment(0, 2));
  CHECK(detail::is_eigen<Segment>);
  CHECK(detail::is_vector_like<Segment>());
  CHECK_FALSE(detail::is_table<Segment>());
  CHECK(detail::has_strides<Segment>());  // so that rope.rotate(query.head(64), p) compiles
}

TEST_CASE("What is no vector of positions is told apart") {
  CHECK(detail::is_vector_like<std::vector<int>>());
  CHECK(detail::is_vector_like<const std::array<double, 3>&>());
  CHECK(detail::is_vector_like<int[4]>());
  CHECK(detail::is_vector_like<Eigen::RowVectorXd>());
  CHECK_FALSE(detail::is_vector_like<Eigen::MatrixXi>());
  CHECK(detail::is_table<Eigen::MatrixXi>());
  CHECK_FALSE(detail::is_table<std::vector<int>>());
  CHECK_FALSE(detail::is_vector_like<int>());
  CHECK_FALSE(detail::is_vector_like<const int*>());
}

TEST_CASE("A start gives row i the position start + i for every integer type") {
  Codes x = Codes::Zero(3, 1);
  LinearIndex<double>(1, 1.0).add_to(x, std::int8_t{-2});
  LinearIndex<double>(1, 1.0).add_to(x, std::uint64_t{10});
  LinearIndex<double>(1, 1.0).add_to(x, 5000000000L);
  LinearIndex<double>(1, 1.0).add_to(x);
  CHECK(x(0, 0) == 5000000008.0);
  CHECK(x(1, 0) == 5000000012.0);
  CHECK(x(2, 0) == 5000000016.0);
}

TEST_CASE("The ends of the 64-bit range are positions") {
  CHECK(refusal(1, largest) == "accepted");
  CHECK(refusal(1, smallest) == "accepted");
  CHECK(refusal(3, largest - 2) == "accepted");
  CHECK(refusal(0, largest) == "accepted");
  CHECK(refusal(2, std::vector<Position>{smallest, largest}) == "accepted");
  CHECK(refusal(1, std::vector<std::uint64_t>{static_cast<std::uint64_t>(largest)}) == "accepted");
  CHECK(refusal(2, std::vector<double>{0x1p62, -0x1p62}) == "accepted");
}

TEST_CASE("A start whose rows pass the last position is refused") {
  CHECK(refusal(4, largest - 2) == said("4 rows from position 9223372036854775805 pass the last position 2^63 - 1"));
  CHECK(refusal(2, largest) == said("2 rows from position 9223372036854775807 pass the last position 2^63 - 1"));
  CHECK(refusal(2, std::uint64_t{1} << 63) == said("position 0 must be at most 2^63 - 1, got 9223372036854775808"));
}

TEST_CASE("Another number of positions than rows is refused") {
  CHECK(refusal(3, std::vector<int>{1, 2}) == said("there must be one position for each of the 3 rows, got 2"));
  CHECK(refusal(3, std::vector<int>{1, 2, 3, 4}) == said("there must be one position for each of the 3 rows, got 4"));
  CHECK(refusal(0, std::vector<int>{1}) == said("there must be one position for each of the 0 rows, got 1"));
  CHECK(refusal(1, std::vector<double>{}) == said("there must be one position for each of the 1 rows, got 0"));
}

TEST_CASE("A position that is no number or too far is refused before anything is written") {
  using Reals = std::vector<double>;
  const std::string range = " must be a number within [-2^62, 2^62], got ";
  CHECK(refusal(3, Reals{0, 1, not_a_number}) == said("position 2" + range + "nan"));
  CHECK(refusal(2, Reals{infinity, 1}) == said("position 0" + range + "inf"));
  CHECK(refusal(2, Reals{1, -infinity}) == said("position 1" + range + "-inf"));
  CHECK(refusal(2, Reals{1, 5e18}) == said("position 1" + range + "5e+18"));
  CHECK(refusal(1, std::vector<float>{-1e30f}) == said("position 0" + range + "-1.0000000150474662e+30"));
  CHECK(refusal(1, std::vector<Eigen::half>{std::numeric_limits<Eigen::half>::infinity()}) ==
        said("position 0" + range + "inf"));
  CHECK(refusal(2, std::vector<std::uint64_t>{1, ~std::uint64_t{0}}) ==
        said("position 1 must be at most 2^63 - 1, got 18446744073709551615"));
}

TEST_CASE("A count beyond 2^63 is refused", "[positions][errors]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  CHECK_THROWS_WITH(rope.table(huge),
                    "posenc::Rope::table: count must be within [0, 2^63 - 1], got 18446744073709551615");
  CHECK_THROWS_WITH(Sinusoidal<float>(8).encode(huge),
                    "posenc::Sinusoidal::encode: count must be within [0, 2^63 - 1], got 18446744073709551615");
}

TEST_CASE("A count of rows that no memory has is refused", "[positions][errors]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  const Index huge = Index{1} << 62;
  const std::string got = "4611686018427387904 rows of ", what = " numbers are more than memory has addresses";
  CHECK_THROWS_WITH(rope.table(huge), "posenc::Rope::table: " + got + "4" + what);
  CHECK_THROWS_WITH(Sinusoidal<float>(8).encode(huge), "posenc::Sinusoidal::encode: " + got + "8" + what);
  CHECK_THROWS_WITH(LinearIndex<float>(1, 1).encode(huge), "posenc::LinearIndex::encode: " + got + "1" + what);
  CHECK_THROWS_WITH(LearnedPositions<float>(Eigen::MatrixXf::Zero(2, 3)).encode(huge),
                    "posenc::LearnedPositions::encode: " + got + "3" + what);
  CHECK_THROWS_WITH(LearnedPositions<float>(Eigen::MatrixXf::Zero(2, 3)).resized(huge),
                    "posenc::LearnedPositions::resized: " + got + "3" + what);
}

namespace {

/// As a library of the user's hands matrices on.
template <class Derived>
void turn_all(Eigen::MatrixBase<Derived>& x, Eigen::DenseBase<Derived>& y) {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  rope.rotate(x, 5);
  rope.shift(x, 1);
  rope.unrotate(x, 2);
  rope.backward(x, 3);
  rope.rotate_to(y, x, 4);
  to_half(y, 8);
  Sinusoidal<float>(8).add_to(y);
  LinearIndex<float>(8, 1).add_to(x);
  const LearnedPositions<float> learned(x);
  learned.add_to(y);
  learned.accumulate_gradient(y, x);
  rotate_pairs(y, x.leftCols(4), x.rightCols(4), PairLayout::half, 8);
}

}  // namespace

TEST_CASE("Data and tables that are known by a base class alone get the bits of the whole type") {
  Eigen::MatrixXf x = Eigen::MatrixXf::Constant(3, 8, 0.5f), y = x;
  Eigen::MatrixXf larger = Eigen::MatrixXf::Constant(5, 16, 0.5f), other = larger;
  turn_all(x, y);
  auto x_block = larger.block(1, 2, 3, 8), y_block = other.block(1, 2, 3, 8);
  turn_all(x_block, y_block);
  CHECK(x == x_block);
  CHECK(y == y_block);
  CHECK(larger.row(0) == other.row(0));
  CHECK(x != y);
}

TEST_CASE("Positions that change while they are read never reach beside a table", "[positions][errors]") {
  const LearnedPositions encoder(Eigen::MatrixXf(Eigen::MatrixXf::Constant(10, 8, 1e6f)));
  Eigen::MatrixXf x = Eigen::MatrixXf::Zero(8, 8);
  CHECK_THROWS_WITH(encoder.add_to(x, x.row(0)), posenc_test::contains("must be within [0, 9], the rows of the table"));
}
