// The learned table: rows added, gradients collected, and the table resized.

#include <posenc/learned.hpp>

#include <algorithm>
#include <limits>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace posenc;
using namespace posenc_test;

namespace {

/// A table in which every entry says where it stands, exactly in every type: row + column/64.
template <class Scalar>
CodeMatrix<Scalar> marked(Index rows, Index columns) {
  CodeMatrix<Scalar> table(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index c = 0; c < columns; ++c)
      table(i, c) = static_cast<Scalar>(static_cast<double>(i) + static_cast<double>(c) / 64);
  }
  return table;
}

/// The text of the refusal, after making sure that x kept its values.
template <class Positions>
std::string refusal(const LearnedPositions<float>& learned, Index rows, Index columns, const Positions& positions) {
  CodeMatrix<float> x = CodeMatrix<float>::Constant(rows, columns, 7);
  try {
    learned.add_to(x, positions);
  } catch (const std::invalid_argument& error) {
    CHECK((x.array() == 7).all());
    return error.what();
  }
  return "accepted";
}

std::string said(const std::string& what) { return "posenc::LearnedPositions::add_to: " + what; }

}  // namespace

TEMPLATE_TEST_CASE("Every row gets the table's row of its position", "", float, double) {
  const CodeMatrix<TestType> table = marked<TestType>(20, 5);
  const LearnedPositions<TestType> learned(table);
  const std::vector<int> positions = {19, 0, 3, 3, 7};
  CodeMatrix<TestType> x = CodeMatrix<TestType>::Constant(5, 5, 0.5);
  learned.add_to(x, positions);
  for (Index i = 0; i < 5; ++i)
    CHECK(x.row(i) == (table.row(positions[static_cast<std::size_t>(i)]).array() + TestType(0.5)).matrix());
  CHECK(learned.encode(positions) == learned.encode(std::vector<double>(positions.begin(), positions.end())));
  CHECK(learned.encode(20) == table);
  CHECK(learned.encode(3) == table.topRows(3));
  x.setZero();
  learned.add_to(x, 15);
  CHECK(x == table.bottomRows(5));
}

TEST_CASE("The table of 2048 positions by 768 channels has 1572864 parameters") {
  const LearnedPositions<float> learned(CodeMatrix<float>::Zero(2048, 768));
  CHECK(learned.parameter_count() == 1572864);
  CHECK(learned.max_positions() == 2048);
  CHECK(learned.dim() == 768);
  CHECK(learned.table().size() == 1572864);
}

TEMPLATE_TEST_CASE("16-bit data gets its row's sum in float rounded once", "", Eigen::half, Eigen::bfloat16) {
  const LearnedPositions<float> learned(CodeMatrix<float>::Random(30, 131));
  Eigen::Matrix<TestType, -1, -1> x = Eigen::MatrixXf::Random(30, 131).cast<TestType>();
  const Eigen::MatrixXf before = x.template cast<float>();
  learned.add_to(x);
  CHECK(x == (before + learned.table()).template cast<TestType>());
}

TEMPLATE_TEST_CASE("Blocks of any width and storage order change and their neighbours do not", "", float, double) {
  for (Index d = 1; d <= 130; ++d) {
    const LearnedPositions<TestType> learned(CodeMatrix<TestType>::Random(6, d));
    CodeMatrix<TestType> rows = CodeMatrix<TestType>::Random(8, d + 2), expected = rows;
    Eigen::Matrix<TestType, -1, -1> columns = rows;
    expected.block(1, 1, 5, d) += learned.table().bottomRows(5);
    learned.add_to(rows.block(1, 1, 5, d), 1);
    learned.add_to(columns.block(1, 1, 5, d), std::vector<int>{1, 2, 3, 4, 5});
    if (rows != expected || columns != expected) FAIL("width " << d);
  }
}

TEMPLATE_TEST_CASE("The gradient of a table row is the sum over the tokens at its position", "", float, double) {
  const LearnedPositions<TestType> learned(marked<TestType>(4, 3));
  const std::vector<int> positions = {2, 0, 2, 2, 3};
  const CodeMatrix<TestType> gradient = marked<TestType>(5, 3);
  CodeMatrix<TestType> sum = CodeMatrix<TestType>::Constant(4, 3, 100), expected = sum;  // it adds to what is there
  for (Index i = 0; i < 5; ++i) expected.row(positions[static_cast<std::size_t>(i)]) += gradient.row(i);
  learned.accumulate_gradient(sum, gradient, positions);
  CHECK(sum == expected);
  Eigen::Matrix<TestType, -1, -1> by_column =
      Eigen::Matrix<TestType, -1, -1>::Constant(6, 5, 100);  // into a block, from an expression
  learned.accumulate_gradient(by_column.block(1, 1, 4, 3), gradient * TestType(1), positions);
  CHECK(by_column.block(1, 1, 4, 3) == expected);
  by_column.block(1, 1, 4, 3).setConstant(100);
  CHECK((by_column.array() == 100).all());
  sum.setZero();
  learned.accumulate_gradient(sum, gradient.topRows(2), 2);
  CHECK(sum.bottomRows(2) == gradient.topRows(2));
  CHECK(sum.topRows(2).isZero(0));
}

TEST_CASE("The gradient of a loss is its numeric derivative by every table entry") {
  const std::vector<int> positions = {1, 3, 1, 0, 1};
  const CodeMatrix<double> table = CodeMatrix<double>::Random(4, 3), x = CodeMatrix<double>::Random(5, 3);
  const auto loss = [&](const CodeMatrix<double>& values) {  // sum of (x + P)^3 / 3
    CodeMatrix<double> y = x;
    LearnedPositions<double>(values).add_to(y, positions);
    return y.array().cube().sum() / 3;
  };
  const LearnedPositions<double> learned(table);
  CodeMatrix<double> y = x, gradient = CodeMatrix<double>::Zero(4, 3);
  learned.add_to(y, positions);
  learned.accumulate_gradient(gradient, y.array().square(), positions);
  for (Index i = 0; i < 4; ++i) {
    for (Index c = 0; c < 3; ++c) {
      CodeMatrix<double> up = table, down = table;
      up(i, c) += 1e-5;
      down(i, c) -= 1e-5;
      CHECK(std::abs((loss(up) - loss(down)) / 2e-5 - gradient(i, c)) < 1e-8);
    }
  }
}

TEMPLATE_TEST_CASE("A resized table interpolates between neighbouring rows and keeps both ends", "", float, double) {
  for (const Index rows : {2, 3, 7, 16}) {
    const CodeMatrix<TestType> table = CodeMatrix<TestType>::Random(rows, 4);
    for (const Index length : {2, 3, 5, 7, 16, 31, 100}) {
      const CodeMatrix<TestType> resized = LearnedPositions<TestType>(table).resized(length).table();
      REQUIRE(resized.rows() == length);
      REQUIRE(resized.cols() == 4);
      CHECK(resized.row(0) == table.row(0));
      CHECK(resized.row(length - 1) == table.row(rows - 1));
      for (Index i = 0; i < length; ++i) {
        const long double at =
            static_cast<long double>(i) * static_cast<long double>(rows - 1) / static_cast<long double>(length - 1);
        const Index j = std::min(static_cast<Index>(at), rows - 2);
        const long double f = at - static_cast<long double>(j);
        for (Index c = 0; c < 4; ++c) {
          const long double expected =
              (1 - f) * static_cast<long double>(table(j, c)) + f * static_cast<long double>(table(j + 1, c));
          CHECK(std::abs(static_cast<long double>(resized(i, c)) - expected) <=
                2 * std::numeric_limits<TestType>::epsilon());
        }
      }
    }
    CHECK(LearnedPositions<TestType>(table).resized(rows).table() == table);
    CHECK(LearnedPositions<TestType>(table).resized(1).table() == table.row(0));
  }
}

TEST_CASE("Rows of a resized table that fall on old rows are those rows bit for bit") {
  const LearnedPositions<float> learned(CodeMatrix<float>::Random(11, 6));
  const LearnedPositions<float> longer = learned.resized(31),
                                back = longer.resized(11);  // every third row is an old one
  for (Index i = 0; i < 11; ++i) CHECK(longer.table().row(3 * i) == learned.table().row(i));
  CHECK(back.table() == learned.table());
}

TEST_CASE("A table of one row is repeated") {
  const CodeMatrix<float> row = CodeMatrix<float>::Random(1, 6);
  CHECK(LearnedPositions<float>(row).resized(4).table() == row.replicate(4, 1));
  CHECK(LearnedPositions<float>(row).resized(1).table() == row);
}

TEST_CASE("Rows split over two threads get the table rows of one call") {
  const LearnedPositions<float> learned(CodeMatrix<float>::Random(64, 33));
  CodeMatrix<float> whole = CodeMatrix<float>::Random(64, 33), split = whole;
  learned.add_to(whole);
  std::thread other([&] { learned.add_to(split.topRows(21)); });
  learned.add_to(split.bottomRows(43), 21);
  other.join();
  CHECK(split == whole);
}

TEST_CASE("A position outside the table is refused before anything is written") {
  const LearnedPositions<float> learned(marked<float>(10, 4));
  CHECK(refusal(learned, 3, 4, std::vector<int>{0, 9, 10}) ==
        said("position 2 must be within [0, 9], the rows of the table, got 10"));
  CHECK(refusal(learned, 3, 4, std::vector<int>{0, -1, 3}) ==
        said("position 1 must be within [0, 9], the rows of the table, got -1"));
  CHECK(refusal(learned, 3, 4, 8) == said("position 2 must be within [0, 9], the rows of the table, got 10"));
  CHECK(refusal(learned, 3, 4, -1) == said("position 0 must be within [0, 9], the rows of the table, got -1"));
  CHECK(refusal(learned, 2, 4, std::vector<double>{1, 2.5}) == said("position 1 must be a whole number, got 2.5"));
  CHECK(refusal(learned, 2, 4, std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()}) ==
        said("position 1 must be a number within [-2^62, 2^62], got nan"));
  CHECK(refusal(learned, 3, 4, 7) == "accepted");
  CHECK(refusal(learned, 0, 4, 10) == "accepted");  // no rows, no position
}

TEST_CASE("A learned table refuses shapes that do not fit") {
  CHECK_THROWS_WITH(LearnedPositions<float>(CodeMatrix<float>(0, 4)),
                    "posenc::LearnedPositions: the table must have at least 1 row and 1 column, got 0 x 4");
  CHECK_THROWS_WITH(LearnedPositions<float>(CodeMatrix<float>(4, 0)),
                    "posenc::LearnedPositions: the table must have at least 1 row and 1 column, got 4 x 0");
  const LearnedPositions<float> learned(marked<float>(10, 4));
  CHECK(refusal(learned, 3, 5, 0) == said("columns must be 4, got 5"));
  CHECK(refusal(learned, 3, 4, std::vector<int>{1, 2}) ==
        said("there must be one position for each of the 3 rows, got 2"));
  CHECK_THROWS_WITH(learned.encode(11), contains("position 10 must be within [0, 9], the rows of the table, got 10"));
  CHECK_THROWS_WITH(learned.encode(-1), "posenc::LearnedPositions::encode: count must be within [0, 2^63 - 1], got -1");
  CHECK_THROWS_WITH(learned.resized(0), "posenc::LearnedPositions::resized: length must be at least 1, got 0");
  CHECK_THROWS_WITH(learned.resized(-5), "posenc::LearnedPositions::resized: length must be at least 1, got -5");
}

TEST_CASE("A gradient that does not fit is refused before anything is written") {
  const LearnedPositions<float> learned(marked<float>(10, 4));
  const std::string function = "posenc::LearnedPositions::accumulate_gradient: ";
  CodeMatrix<float> sum = CodeMatrix<float>::Constant(10, 4, 7), short_sum = CodeMatrix<float>::Constant(9, 4, 7),
                    wide_sum = CodeMatrix<float>::Constant(10, 5, 7);
  const CodeMatrix<float> gradient = CodeMatrix<float>::Constant(2, 4, 1), wide = CodeMatrix<float>::Constant(2, 5, 1);
  CHECK_THROWS_WITH(learned.accumulate_gradient(wide_sum, gradient), function + "columns must be 4, got 5");
  CHECK_THROWS_WITH(learned.accumulate_gradient(short_sum, gradient),
                    function + "the gradient of the table must have 10 rows, got 9");
  CHECK_THROWS_WITH(learned.accumulate_gradient(sum, wide), function + "columns must be 4, got 5");
  CHECK_THROWS_WITH(learned.accumulate_gradient(sum, gradient, std::vector<int>{1, 2, 3}),
                    function + "there must be one position for each of the 2 rows, got 3");
  CHECK_THROWS_WITH(learned.accumulate_gradient(sum, gradient, std::vector<int>{1, 10}),
                    function + "position 1 must be within [0, 9], the rows of the table, got 10");
  CHECK_THROWS_WITH(learned.accumulate_gradient(sum, gradient, 9),
                    function + "position 1 must be within [0, 9], the rows of the table, got 10");
  CHECK((sum.array() == 7).all());
  CHECK((short_sum.array() == 7).all());
  CHECK((wide_sum.array() == 7).all());
}
