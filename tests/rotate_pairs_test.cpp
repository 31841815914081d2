// rotate_pairs: turns by given numbers, which need not be cosines and sines of anything.

#include "posenc/rotate_pairs.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"

using Eigen::bfloat16;
using Eigen::half;
using posenc::Index;
using posenc::PairLayout;
using posenc::rotate_pairs;

namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// Numbers in [-2, 2) with 7 bits, so that even bfloat16 holds them; the same at every run.
template <class T>
Rows<T> numbers(Index rows, Index cols, std::uint32_t state = 12345) {
  return Rows<T>::NullaryExpr(rows, cols, [&](Index, Index) {
    state = state * 1664525u + 1013904223u;
    return static_cast<T>((static_cast<float>(state >> 25) - 63.5f) / 32);
  });
}

template <class T>
bool same_bits(const Rows<T>& a, const Rows<T>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(T) * static_cast<std::size_t>(a.size())) == 0);
}

/// Half a unit in the last place of 1.
template <class T>
constexpr double unit = std::is_same_v<T, double>  ? 0x1p-53
                        : std::is_same_v<T, float> ? 0x1p-24
                        : std::is_same_v<T, half>  ? 0x1p-11
                                                   : 0x1p-8;

/// As a long double, said aloud: clang warns of every silent widening.
template <class T>
long double wide(T value) {
  return static_cast<long double>(static_cast<double>(value));
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace

TEMPLATE_TEST_CASE("rotate_pairs is its formula with one rounding a product and one a sum", "[rotate_pairs]", float,
                   double, half, bfloat16) {
  using T = TestType;
  // Chunks hold 128 pairs: 130 are one and a bit.
  for (Index pairs : {1, 3, 16, 130}) {
    for (Index head_dim : {2 * pairs, 2 * pairs + 5}) {
      for (PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
        const Index rows = 4, heads = 3;
        const Rows<T> x = numbers<T>(rows, heads * head_dim);
        // With digits enough that every product has to be rounded. Not on a circle, and large.
        const Rows<Computed<T>> cos = numbers<Computed<T>>(rows, pairs, 1).array() / 3 + Computed<T>(7),
                                sin = numbers<Computed<T>>(rows, pairs, 2).array() / 3 - Computed<T>(5);
        Rows<T> y = x;
        rotate_pairs(y, cos, sin, layout, head_dim);
        double worst = 0;
        for (Index row = 0; row < rows; ++row) {
          for (Index head = 0; head < heads * head_dim; head += head_dim) {
            for (Index k = 0; k < pairs; ++k) {
              const Index first = head + (layout == PairLayout::half ? k : 2 * k);
              const Index second = first + (layout == PairLayout::half ? pairs : 1);
              const long double a = wide(x(row, first)), b = wide(x(row, second));
              const long double c = wide(cos(row, k)), s = wide(sin(row, k));
              const auto compare = [&](long double p, long double q, T result) {
                const double u = unit<Computed<T>>, size = static_cast<double>(std::abs(p) + std::abs(q));
                const double sum = static_cast<double>(std::abs(p + q));
                const double allowed =
                    u * size + (std::is_same_v<T, Computed<T>> ? 0 : u * sum) + unit<T> * (sum + 2 * u * size);
                worst = std::max(worst, static_cast<double>(std::abs(wide(result) - (p + q))) / allowed);
              };
              compare(a * c, -b * s, y(row, first));
              compare(a * s, b * c, y(row, second));
            }
            const Index rest = head_dim - 2 * pairs;
            CHECK(same_bits<T>(y.block(row, head + 2 * pairs, 1, rest), x.block(row, head + 2 * pairs, 1, rest)));
          }
        }
        CAPTURE(pairs, head_dim, static_cast<int>(layout));
        CHECK(worst <= 1);
      }
    }
  }
}

TEST_CASE("tables of rotate_pairs come in any Eigen form and number type", "[rotate_pairs]") {
  const Rows<float> x = numbers<float>(5, 24), cos = numbers<float>(5, 4, 1), sin = numbers<float>(5, 4, 2);
  Rows<float> expected = x;
  rotate_pairs(expected, cos, sin, PairLayout::half, 12);
  const auto check = [&](const auto& c, const auto& s) {
    Rows<float> y = x;
    rotate_pairs(y, c, s, PairLayout::half, 12);
    CHECK(same_bits(y, expected));
  };
  const Eigen::MatrixXf cos_columns = cos, sin_columns = sin;
  check(cos_columns, sin_columns);
  check(cos, sin_columns);
  check(cos.array(), sin.array());
  check(cos.cast<double>().eval(), sin.cast<double>().eval());
  check(cos.cast<half>().eval(), sin.cast<bfloat16>().eval());
  check(2 * cos / 2, -(-sin));  // an expression is read where it is needed
  Rows<float> both(5, 9);
  both << cos, Eigen::VectorXf::Zero(5), sin;
  check(both.leftCols(4), both.rightCols(4));
  check(Eigen::Map<const Rows<float>>(cos.data(), 5, 4), Eigen::Ref<const Eigen::MatrixXf>(sin_columns));

  Rows<float> one_row = x.topRows(1);
  rotate_pairs(one_row, Eigen::RowVectorXf(cos.row(0)), sin.row(0), PairLayout::half, 12);
  CHECK(same_bits<float>(one_row, expected.topRows(1)));
}

TEST_CASE("rotate_pairs takes every storage and a batch with tables of its own", "[rotate_pairs]") {
  const Rows<float> x = numbers<float>(6, 24), cos = numbers<float>(6, 4, 1), sin = numbers<float>(6, 4, 2);
  for (PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
    Rows<float> expected = x;
    rotate_pairs(expected, cos, sin, layout, 8);
    Eigen::MatrixXf columns = x;
    rotate_pairs(columns, cos, sin, layout, 8);
    CHECK(same_bits<float>(columns, expected));
    Rows<float> batch = x;  // 2 sequences of 3 tokens, 3 heads
    rotate_pairs(posenc::bshd(batch.data(), 2, 3, 3, 8), cos, sin, layout, 8);
    CHECK(same_bits(batch, expected));
    batch = x;
    rotate_pairs(posenc::bshd(batch.data(), 2, 3, 3, 8), cos.topRows(3), sin.topRows(3), layout, 8);
    CHECK(same_bits<float>(batch.topRows(3), expected.topRows(3)));
    Rows<float> shared = x.bottomRows(3);  // without a batch table the second sequence has the rows of the first
    rotate_pairs(shared, cos.topRows(3), sin.topRows(3), layout, 8);
    CHECK(same_bits<float>(batch.bottomRows(3), shared));
  }
}

TEST_CASE("rotate_pairs with position ids takes the row of the table that the position names", "[rotate_pairs]") {
  const Rows<float> x = numbers<float>(6, 24), cos = numbers<float>(9, 4, 1), sin = numbers<float>(9, 4, 2);
  const std::vector<int> ids = {8, 0, 5, 5, 1, 3};
  const auto rows_of = [](const Rows<float>& table, const std::vector<int>& rows) {
    Rows<float> result(static_cast<Index>(rows.size()), table.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) result.row(static_cast<Index>(i)) = table.row(rows[i]);
    return result;
  };
  for (PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
    const auto check = [&](const auto& given, const std::vector<int>& meant, Index batch) {
      Rows<float> expected = x, y = x;
      rotate_pairs(expected, rows_of(cos, meant), rows_of(sin, meant), layout, 8);
      rotate_pairs(posenc::bshd(y.data(), batch, 6 / batch, 3, 8), cos, sin, given, layout, 8);
      CHECK(same_bits(y, expected));
    };
    check(ids, ids, 1);
    check(ids, ids, 2);
    check(Eigen::Map<const Rows<int>>(ids.data(), 2, 3), ids, 2);
    check(std::vector<int>{8, 0, 5}, {8, 0, 5, 8, 0, 5}, 2);  // one per token, which the batch shares
    check(3, {3, 4, 5, 6, 7, 8}, 1);
    check(std::array<double, 6>{0, 1, 2, 3, 4, 8}, {0, 1, 2, 3, 4, 8}, 1);
    Rows<float> matrix = x, expected = x;
    rotate_pairs(matrix, cos, sin, ids, layout, 8);
    rotate_pairs(expected, rows_of(cos, ids), rows_of(sin, ids), layout, 8);
    CHECK(same_bits(matrix, expected));
  }
}

#if !defined(__FAST_MATH__)  // which gives up NaN
TEMPLATE_TEST_CASE("any NaN of a table is one in the result", "[rotate_pairs]", float, half, bfloat16) {
  using T = TestType;
  for (const std::uint32_t bits : {0x7fffffffu, 0xffffffffu, 0x7f800001u, 0x7fc00000u}) {
    float nan;
    std::memcpy(&nan, &bits, sizeof nan);
    for (const Index pairs : {3, 8, 16, 32, 33, 64, 128}) {
      for (PairLayout layout : {PairLayout::half, PairLayout::interleaved}) {
        Rows<T> x = Rows<T>::Constant(1, 2 * pairs, T(1.0f));
        const Rows<float> table = Rows<float>::Constant(1, pairs, nan);
        rotate_pairs(x, table, table, layout, 2 * pairs);
        CAPTURE(bits, pairs, static_cast<int>(layout));
        CHECK(x.template cast<float>().array().isNaN().all());
      }
    }
  }
}
#endif

TEST_CASE("rotate_pairs of nothing changes nothing", "[rotate_pairs]") {
  const Rows<float> before = numbers<float>(3, 8);
  Rows<float> x = before, none(0, 8);
  rotate_pairs(x, Rows<float>(3, 0), Rows<float>(3, 0), PairLayout::half, 8);
  CHECK(same_bits(x, before));
  rotate_pairs(posenc::bshd(static_cast<float*>(nullptr), 1, posenc::Index{1} << 40, 0, 8),
               Rows<float>(posenc::Index{1} << 40, 0), Rows<float>(posenc::Index{1} << 40, 0), PairLayout::half, 8);
  rotate_pairs(none, Rows<float>(0, 4), Rows<float>(0, 4), PairLayout::half, 8);
  rotate_pairs(x.leftCols(0), Rows<float>::Zero(3, 4), Rows<float>::Zero(3, 4), PairLayout::half, 8);
  CHECK(same_bits(x, before));
}

TEST_CASE("rotate_pairs refuses what does not fit and leaves x as it was", "[rotate_pairs][errors]") {
  const Rows<float> before = numbers<float>(6, 16), cos = Rows<float>::Zero(6, 4), sin = cos;
  Rows<float> x = before;
  const PairLayout layout = PairLayout::half;
  CHECK(refusal([&] { rotate_pairs(x, cos, sin, layout, 0); }) ==
        "posenc::rotate_pairs: head_dim must be at least 1, got 0");
  CHECK(refusal([&] { rotate_pairs(x, cos, sin, layout, -8); }) ==
        "posenc::rotate_pairs: head_dim must be at least 1, got -8");
  CHECK(refusal([&] { rotate_pairs(x, cos, sin, static_cast<PairLayout>(2), 8); }) ==
        "posenc::rotate_pairs: layout must be PairLayout::interleaved or PairLayout::half, got 2");
  CHECK(refusal([&] { rotate_pairs(x, cos, sin, layout, 12); }) ==
        "posenc::rotate_pairs: columns must be a multiple of head_dim 12, got 16");
  CHECK(refusal([&] { rotate_pairs(posenc::bshd(x.data(), 1, 6, 2, 8), cos, sin, layout, 16); }) ==
        "posenc::rotate_pairs: head_dim of the view must be 16, got 8");
  CHECK(refusal([&] { rotate_pairs(x, cos, sin.leftCols(3), layout, 8); }) ==
        "posenc::rotate_pairs: cos and sin must have one shape, got 6 x 4 and 6 x 3");
  CHECK(refusal([&] { rotate_pairs(x, cos.topRows(5), sin, layout, 8); }) ==
        "posenc::rotate_pairs: cos and sin must have one shape, got 5 x 4 and 6 x 4");
  CHECK(refusal([&] { rotate_pairs(x, Rows<float>::Zero(6, 5), Rows<float>::Zero(6, 5), layout, 8); }) ==
        "posenc::rotate_pairs: tables of 5 pairs do not fit into head_dim 8");
  const Rows<float> wide(0, posenc::Index{1} << 62);
  CHECK(refusal([&] { rotate_pairs(x, wide, wide, layout, 8); }) ==
        "posenc::rotate_pairs: tables of 4611686018427387904 pairs do not fit into head_dim 8");
  CHECK(refusal([&] { rotate_pairs(x, cos.topRows(5), sin.topRows(5), layout, 8); }) ==
        "posenc::rotate_pairs: tables must have one row for each of the 6 rows, got 5");
  CHECK(refusal([&] { rotate_pairs(posenc::bshd(x.data(), 2, 3, 2, 8), cos.topRows(2), sin.topRows(2), layout, 8); }) ==
        "posenc::rotate_pairs: tables must have one row for each of the 6 rows, got 2");
  CHECK(same_bits(x, before));
}

TEST_CASE("rotate_pairs refuses positions without a row and leaves x as it was", "[rotate_pairs][errors]") {
  const Rows<float> before = numbers<float>(3, 16), cos = Rows<float>::Zero(9, 4), sin = cos;
  Rows<float> x = before;
  const auto refused = [&](const auto& ids) {
    return refusal([&] { rotate_pairs(x, cos, sin, ids, PairLayout::half, 8); });
  };
  CHECK(refused(std::vector<int>{0, 9, 1}) ==
        "posenc::rotate_pairs: position 1 must be within [0, 8], the rows of the table, got 9");
  CHECK(refused(7) == "posenc::rotate_pairs: position 2 must be within [0, 8], the rows of the table, got 9");
  CHECK(refused(-1) == "posenc::rotate_pairs: position 0 must be within [0, 8], the rows of the table, got -1");
  CHECK(refused(std::vector<double>{0, 1, 0.5}) == "posenc::rotate_pairs: position 2 must be a whole number, got 0.5");
  CHECK(refused(std::vector<int>{0, 1}) ==
        "posenc::rotate_pairs: there must be one position for each of the 3 rows, got 2");
  CHECK(refused(Eigen::MatrixXi::Zero(3, 2).eval()) ==
        "posenc::rotate_pairs: a matrix of positions must be batch x tokens, 1 x 3, got 3 x 2");
  CHECK(same_bits(x, before));
}
