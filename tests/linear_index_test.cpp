// The linear index: step x position, the same number in every channel.

#include <posenc/linear_index.hpp>

#include <limits>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace posenc;
using namespace posenc_test;

TEMPLATE_TEST_CASE("The linear index is step times position rounded once", "", float, double) {
  const double step = 0.001;
  const std::vector<double> positions = {0, 1, -1, 31, 32, 1e6, -0.25, 16777217, 1099511627776.0, 4e18};
  const CodeMatrix<TestType> codes = LinearIndex<TestType>(3, step).encode(positions);
  REQUIRE(codes.rows() == 10);
  REQUIRE(codes.cols() == 3);
  for (Index i = 0; i < 10; ++i) {
    for (Index c = 0; c < 3; ++c)
      CHECK(codes(i, c) == static_cast<TestType>(step * positions[static_cast<std::size_t>(i)]));
  }
}

TEST_CASE("The linear index grows by its step at every position") {
  Eigen::MatrixXd x = Eigen::MatrixXd::Constant(4, 2, 10);  // column-major
  LinearIndex<double>(2, 0.5).add_to(x, 7);
  for (Index i = 0; i < 4; ++i) CHECK((x.row(i).array() == 10 + 0.5 * static_cast<double>(7 + i)).all());
  LinearIndex<double>(2, -0.5).add_to(x, std::vector<int>{7, 8, 9, 10});
  CHECK((x.array() == 10).all());
}

TEMPLATE_TEST_CASE("A start and a list and a count give the same bits", "", float, double) {
  const LinearIndex<TestType> index(5, 1 / 3.);
  const CodeMatrix<TestType> counted = index.encode(40);
  CHECK(counted == index.encode(Eigen::VectorXi::LinSpaced(40, 0, 39)));
  CHECK(counted == index.encode(Eigen::VectorXd::LinSpaced(40, 0, 39).array().round()));
  CodeMatrix<TestType> x = CodeMatrix<TestType>::Zero(30, 5);
  index.add_to(x, 10);
  CHECK(x == counted.bottomRows(30));
  CHECK(index.encode(0).rows() == 0);
}

TEMPLATE_TEST_CASE("16-bit data gets the sum in float rounded once", "", Eigen::half, Eigen::bfloat16) {
  Eigen::Matrix<TestType, -1, -1> x = Eigen::MatrixXf::Random(50, 3).cast<TestType>();
  const Eigen::Matrix<TestType, -1, -1> before = x;
  LinearIndex<float>(3, 0.1).add_to(x, -20);
  for (Index i = 0; i < 50; ++i) {
    for (Index c = 0; c < 3; ++c) {
      const auto code = static_cast<float>(0.1 * static_cast<double>(i - 20));
      CHECK(x(i, c) == static_cast<TestType>(static_cast<float>(before(i, c)) + code));
    }
  }
}

TEMPLATE_TEST_CASE("A strided block changes and its neighbours do not", "", float, double) {
  CodeMatrix<TestType> rows = CodeMatrix<TestType>::Constant(9, 8, 7);
  Eigen::Matrix<TestType, -1, -1> columns = rows;
  const LinearIndex<TestType> index(5, 1);
  index.add_to(rows.block(2, 1, 4, 5), 1);
  index.add_to(columns.block(2, 1, 4, 5), 1);
  for (Index i = 0; i < 9; ++i) {
    for (Index c = 0; c < 8; ++c) {
      const bool inside = i >= 2 && i < 6 && c >= 1 && c < 6;
      CHECK(rows(i, c) == static_cast<TestType>(inside ? 7 + i - 1 : 7));
    }
  }
  CHECK(columns == rows);
}

TEST_CASE("Rows split over two threads get the linear index of one call") {
  const LinearIndex<float> index(7, 0.3);
  CodeMatrix<float> whole = CodeMatrix<float>::Random(64, 7), split = whole;
  index.add_to(whole, 5);
  std::thread other([&] { index.add_to(split.topRows(20), 5); });
  index.add_to(split.bottomRows(44), 25);
  other.join();
  CHECK(split == whole);
}

TEST_CASE("A linear index refuses what does not fit and writes nothing") {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(LinearIndex<>(0, 1), "posenc::LinearIndex: dim must be at least 1, got 0");
  CHECK_THROWS_WITH(LinearIndex<>(-3, 1), "posenc::LinearIndex: dim must be at least 1, got -3");
  CHECK_THROWS_WITH(LinearIndex<>(3, not_a_number), "posenc::LinearIndex: step must be a finite number, got nan");
  CHECK_THROWS_WITH(LinearIndex<>(3, -infinity), "posenc::LinearIndex: step must be a finite number, got -inf");
  const LinearIndex<> index(4, 0.5);
  CHECK(index.dim() == 4);
  CHECK(index.step() == 0.5);
  CodeMatrix<float> x = CodeMatrix<float>::Constant(3, 4, 7), wide = CodeMatrix<float>::Constant(3, 8, 7);
  CHECK_THROWS_WITH(index.add_to(wide), "posenc::LinearIndex::add_to: columns must be 4, got 8");
  CHECK_THROWS_WITH(index.add_to(x, std::vector<int>{1}),
                    "posenc::LinearIndex::add_to: there must be one position for each of the 3 rows, got 1");
  CHECK_THROWS_WITH(index.add_to(x, std::vector<double>{1, infinity, 2}),
                    "posenc::LinearIndex::add_to: position 1 must be a number within [-2^62, 2^62], got inf");
  CHECK_THROWS_WITH(index.encode(-2), "posenc::LinearIndex::encode: count must be within [0, 2^63 - 1], got -2");
  CHECK((x.array() == 7).all());
  CHECK((wide.array() == 7).all());
}

TEST_CASE("A linear index that no number of its type holds is refused and writes nothing") {
  CodeMatrix<float> x = CodeMatrix<float>::Constant(2, 2, 7);
  const std::string range = " must be within [-3.4028234663852886e+38, 3.4028234663852886e+38]";
  CHECK_THROWS_WITH(LinearIndex<float>(2, 1e308).add_to(x, 1000),
                    "posenc::LinearIndex::add_to: step 1e+308 times position 1000" + range);
  CHECK_THROWS_WITH(LinearIndex<float>(2, 1e38).add_to(x, std::vector<double>{1.5, -3.5}),
                    "posenc::LinearIndex::add_to: step 1e+38 times position -3.5" + range);
  CHECK((x.array() == 7).all());
  LinearIndex<float>(2, 1e38).add_to(x, 2);
  CHECK(x(1, 1) == 3e38f);
  CodeMatrix<double> wide = CodeMatrix<double>::Constant(2, 2, 7);
  LinearIndex<double>(2, 1e308).add_to(wide, 0);
  CHECK(wide(1, 0) == 1e308);
}
