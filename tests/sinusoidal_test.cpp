// The sinusoidal code against the real numbers, the published values, and itself computed one row at a time.

#include <posenc/sinusoidal.hpp>

#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"
#include "reference.hpp"

using namespace posenc;
using namespace posenc_test;

namespace {

template <class Scalar>
constexpr long double tolerance = std::is_same_v<Scalar, float> ? 1.5e-7L : 5e-16L;

constexpr std::array<SinCosOrder, 3> orders = {SinCosOrder::interleaved, SinCosOrder::sin_cos, SinCosOrder::cos_sin};

/// Where the sine and the cosine of pair k stand in a row of d; the last cosine of an odd width stands at -1, nowhere.
struct Place {
  Index sine, cosine;
};
Place place(SinCosOrder order, Index d, Index k) {
  const Index sines = (d + 1) / 2, cosines = d / 2;
  if (order == SinCosOrder::interleaved) return {2 * k, k < cosines ? 2 * k + 1 : -1};
  if (order == SinCosOrder::sin_cos) return {k, k < cosines ? sines + k : -1};
  return {cosines + k, k < cosines ? k : -1};
}

template <class Scalar, class Row>
long double error(const Row& row, Place at, const SinCosReference& truth) {
  long double worst = std::abs(static_cast<long double>(row(at.sine)) - truth.sine);
  if (at.cosine >= 0) worst = std::max(worst, std::abs(static_cast<long double>(row(at.cosine)) - truth.cosine));
  return worst;
}

/// The same bits, so that -0 is not 0 and a NaN is itself.
template <class A, class B>
bool same_bits(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      if (std::memcmp(&a.coeffRef(i, j), &b.coeffRef(i, j), sizeof(typename A::Scalar)) != 0) return false;
    }
  }
  return true;
}

/// 0.75 plus the code, every row in a call of its own at a list of one position: what all other ways have to give.
template <class Scalar>
CodeMatrix<Scalar> row_by_row(const Sinusoidal<Scalar>& code, Position first, Index rows) {
  CodeMatrix<Scalar> result(rows, code.dim());
  for (Index i = 0; i < rows; ++i) {
    CodeMatrix<Scalar> row = CodeMatrix<Scalar>::Constant(1, code.dim(), Scalar(0.75));
    code.add_to(row, std::vector<Position>{first + i});
    result.row(i) = row;
  }
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("Every sine and cosine stands at its place and is right at positions up to 2^40 and beyond", "",
                   float, double) {
  if (!reference_is_exact) return skip("no MPFR");
  const std::vector<Position> positions = {0,
                                           1,
                                           31,
                                           32,
                                           -1,
                                           -33,
                                           131071,
                                           (Position{1} << 24) + 1,
                                           Position{1} << 40,
                                           -(Position{1} << 40),
                                           std::numeric_limits<Position>::max(),
                                           std::numeric_limits<Position>::min()};
  for (const Index d : {1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 300, 1024, 1030, 2101}) {  // 1024 channels are made at a time
    for (const double base : {10000.0, 1.0, 1e6}) {
      std::array<CodeMatrix<TestType>, 3> codes;
      for (std::size_t o = 0; o < 3; ++o) codes[o] = Sinusoidal<TestType>(d, base, orders[o]).encode(positions);
      for (const Index k : {Index{0}, Index{1}, Index{2}, d / 2 - 1, (d + 1) / 2 - 1, Index{127}, Index{128},
                            Index{255}, Index{256}, Index{511}, Index{512}, Index{1023}, Index{1024}}) {
        if (k < 0 || k >= (d + 1) / 2) continue;
        const Real omega = omega_of(base, d, k);
        for (std::size_t i = 0; i < positions.size(); ++i) {
          const SinCosReference truth = reference(positions[i], omega);
          for (std::size_t o = 0; o < 3; ++o) {
            const long double found =
                error<TestType>(codes[o].row(static_cast<Index>(i)), place(orders[o], d, k), truth);
            if (!(found <= tolerance<TestType>))
              FAIL("d " << d << " base " << base << " order " << o << " k " << k << " p " << positions[i] << " error "
                        << found);
          }
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("The code of a real position is right", "", float, double) {
  if (!reference_is_exact) return skip("no MPFR");
  const std::vector<double> positions = {0.5, -0.5, 1 / 3., 1e-7, -1e6 - 1 / 3., 1e12 + 0.5, 17.25};
  const CodeMatrix<TestType> codes = Sinusoidal<TestType>(64).encode(positions);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (Index k = 0; k < 32; ++k) {
      const SinCosReference truth = reference(positions[i], omega_of(10000, 64, k));
      CHECK(error<TestType>(codes.row(static_cast<Index>(i)), place(SinCosOrder::interleaved, 64, k), truth) <=
            tolerance<TestType>);
    }
  }
}

#if defined(POSENC_TEST_HAS_JSON)
TEMPLATE_TEST_CASE("The code has the published values at every position of the file", "", float, double) {
  const auto file = oracle("sinusoidal.json");
  if (!file) return skip("no reference file sinusoidal.json");
  long double worst = 0;
  int values = 0;
  for (const Json& entry : (*file)["cases"]) {
    const Index d = entry["d"].get<Index>();
    const auto positions = entry["positions"].get<std::vector<Position>>();
    const CodeMatrix<TestType> codes = Sinusoidal<TestType>(d, entry["base"].get<double>()).encode(positions);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      for (std::size_t j = 0; j < entry["pairs"].size(); ++j, ++values) {
        const SinCosReference truth = {number(entry["values"][i][2 * j]), number(entry["values"][i][2 * j + 1])};
        const Place at = place(SinCosOrder::interleaved, d, entry["pairs"][j].get<Index>());
        worst = std::max(worst, error<TestType>(codes.row(static_cast<Index>(i)), at, truth));
      }
    }
  }
  INFO("largest error " << worst << " of " << values << " pairs");
  CHECK(values > 4000);
  CHECK(worst <= tolerance<TestType>);
}

TEMPLATE_TEST_CASE("The variant with both ends of the ladder has the published values", "", float, double) {
  const auto file = oracle("sinusoidal.json");
  if (!file) return skip("no reference file sinusoidal.json");
  for (const Json& entry : (*file)["variants"]) {
    const Index d = entry["d"].get<Index>();
    const Frequencies ladder = Frequencies::log_spaced(d / 2, 1, 1 / entry["base"].get<double>());
    const auto positions = entry["positions"].get<std::vector<Position>>();
    const CodeMatrix<TestType> codes = Sinusoidal<TestType>(ladder, SinCosOrder::sin_cos).encode(positions);
    for (Index i = 0; i < codes.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (Index c = 0; c < d; ++c) {
        const long double truth = number(entry["values"][row][static_cast<std::size_t>(c)]);
        // The file's last frequency is the real number 1/base, ours the nearest double: the angle may differ by that much.
        const long double angle =
            static_cast<long double>(positions[row]) * static_cast<long double>(ladder[c % (d / 2)]);
        CHECK(std::abs(static_cast<long double>(codes(i, c)) - truth) <= tolerance<TestType> + angle * 0x1p-54L);
      }
    }
  }
}
#endif

TEMPLATE_TEST_CASE("Position 0 has sines 0 and cosines 1 exactly", "", float, double) {
  for (const SinCosOrder order : orders) {
    const CodeMatrix<TestType> code = Sinusoidal<TestType>(9, 10000.0, order).encode(1);
    for (Index k = 0; k < 5; ++k) {
      CHECK(code(0, place(order, 9, k).sine) == 0);
      if (k < 4) CHECK(code(0, place(order, 9, k).cosine) == 1);
    }
  }
}

TEMPLATE_TEST_CASE("A start and lists of integers or whole reals give the same bits", "", float, double) {
  const Sinusoidal<TestType> code(40);
  const Position first = -50;
  std::vector<Position> list;
  for (Position p = first; p < first + 120; ++p) list.push_back(p);
  const CodeMatrix<TestType> expected = code.encode(list);
  CodeMatrix<TestType> from_start = CodeMatrix<TestType>::Zero(120, 40);
  code.add_to(from_start, first);
  CHECK(same_bits(from_start, expected));
  CHECK(same_bits(code.encode(std::vector<double>(list.begin(), list.end())), expected));
  CHECK(same_bits(code.encode(std::vector<float>(list.begin(), list.end())), expected));
  CHECK(same_bits(code.encode(Eigen::VectorXi::LinSpaced(120, -50, 69)), expected));
  const CodeMatrix<TestType> counted = code.encode(70);
  CHECK(same_bits(counted, CodeMatrix<TestType>(expected.bottomRows(70))));
  std::vector<Position> backwards(list.rbegin(), list.rend());
  CHECK(same_bits(CodeMatrix<TestType>(code.encode(backwards).colwise().reverse()), expected));
}

TEMPLATE_TEST_CASE("Every width and every row count gives the bits of single rows and touches no neighbour", "", float,
                   double) {
  constexpr Index most = 67;
  for (Index d = 2; d <= 130; ++d) {
    const Sinusoidal<TestType> code(d, 10000.0, orders[static_cast<std::size_t>(d % 3)]);
    const CodeMatrix<TestType> expected = row_by_row(code, -5, most);
    Eigen::Matrix<TestType, -1, -1, Eigen::RowMajor> by_row, by_row_expected(most + 2, d + 2);
    Eigen::Matrix<TestType, -1, -1, Eigen::ColMajor> by_column, by_column_expected(most + 2, d + 2);
    for (Index rows = 0; rows <= most; ++rows) {
      by_row_expected.setConstant(TestType(0.75));
      by_row_expected.block(1, 1, rows, d) = expected.topRows(rows);
      by_row.setConstant(most + 2, d + 2, TestType(0.75));
      code.add_to(by_row.block(1, 1, rows, d), -5);
      if (by_row != by_row_expected) FAIL("row-major, d " << d << " rows " << rows);
      if ((rows + d) % 8 != 0) continue;  // strided writing is slow: an eighth of the cases
      by_column_expected = by_row_expected;
      by_column.setConstant(most + 2, d + 2, TestType(0.75));
      code.add_to(by_column.block(1, 1, rows, d), -5);
      if (by_column != by_column_expected) FAIL("column-major, d " << d << " rows " << rows);
    }
  }
}

TEMPLATE_TEST_CASE("A value has the same bits wherever it stands in the row", "", float, double) {
  // One frequency for all pairs: every sine of a row is the same number, in the body of a row and in its tail.
  for (Index pairs = 1; pairs <= 140; ++pairs) {
    const Frequencies same = Frequencies::from_values(std::vector<double>(static_cast<std::size_t>(pairs), 0.3));
    for (const SinCosOrder order : orders) {
      const Sinusoidal<TestType> code(same, order);
      CodeMatrix<TestType> x = CodeMatrix<TestType>::Constant(1, 2 * pairs, TestType(0.7));
      code.add_to(x, 12345, 1.1);
      CodeMatrix<TestType> first = CodeMatrix<TestType>::Constant(1, 2, TestType(0.7));
      Sinusoidal<TestType>(Frequencies::from_values(std::array<double, 1>{0.3}), order).add_to(first, 12345, 1.1);
      const TestType sine = first(0, place(order, 2, 0).sine), cosine = first(0, place(order, 2, 0).cosine);
      for (Index k = 0; k < pairs; ++k) {
        const Place at = place(order, 2 * pairs, k);
        if (x(0, at.sine) != sine || x(0, at.cosine) != cosine) FAIL("pair " << k << " of " << pairs);
      }
    }
  }
}

TEMPLATE_TEST_CASE("Every misalignment and stride gives the same bits and touches no neighbour", "", float, double) {
  using Matrix = CodeMatrix<TestType>;
  for (const Index d : {1, 7, 64, 130, 300, 1030, 2101}) {
    for (const SinCosOrder order : orders) {
      const Sinusoidal<TestType> code(d, 10000.0, order);
      const Matrix expected = row_by_row(code, 29, 5);
      for (Index shift = 0; shift < 16; ++shift) {
        std::vector<TestType> buffer(static_cast<std::size_t>(5 * d + 32), TestType(0.75));
        Eigen::Map<Matrix> x(buffer.data() + shift, 5, d);
        code.add_to(x, 29);
        CHECK(same_bits(x, expected));
        x.setConstant(TestType(0.75));
        CHECK(buffer == std::vector<TestType>(buffer.size(), TestType(0.75)));
      }
      std::vector<TestType> buffer(static_cast<std::size_t>(5 * (3 * d + 4)), TestType(0.75));
      using Strided = Eigen::Map<Matrix, 0, Eigen::Stride<-1, -1>>;
      Strided x(buffer.data(), 5, d, Eigen::Stride<-1, -1>(3 * d + 4, 3));
      code.add_to(x, 29);
      CHECK(same_bits(x, expected));
      x.setConstant(TestType(0.75));
      CHECK(buffer == std::vector<TestType>(buffer.size(), TestType(0.75)));
    }
  }
}

TEMPLATE_TEST_CASE("Columns have the bits of each row alone, whatever the codes are added to", "", float, double) {
  for (const Index d : {7, 20, 64, 130}) {
    for (const SinCosOrder order : orders) {
      for (const double scale : {1.0, 1.5}) {
        const Sinusoidal<TestType> code(d, 10000.0, order);
        const CodeMatrix<TestType> before = CodeMatrix<TestType>::Random(100, d);
        CodeMatrix<TestType> alone = before;
        for (Index i = 0; i < before.rows(); ++i) code.add_to(alone.row(i), 5 + i, scale);
        Eigen::Matrix<TestType, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor> columns = before;
        code.add_to(columns, 5, scale);
        CAPTURE(d, static_cast<int>(order), scale);
        CHECK(same_bits(CodeMatrix<TestType>(columns), alone));
      }
    }
  }
}

TEMPLATE_TEST_CASE("16-bit data is computed in float and rounded once", "", Eigen::half, Eigen::bfloat16) {
  for (const SinCosOrder order : orders) {
    const Sinusoidal<float> code(67, 10000.0, order);
    const CodeMatrix<float> codes = code.encode(Eigen::VectorXi::LinSpaced(40, -10, 29));
    Eigen::Matrix<TestType, -1, -1> x = CodeMatrix<float>::Random(40, 67).cast<TestType>();  // column-major
    Eigen::Matrix<TestType, -1, -1, Eigen::RowMajor> y = x;
    const CodeMatrix<float> before = x.template cast<float>();
    code.add_to(x, -10, 8.0);
    code.add_to(y, -10, 8.0);
    const Eigen::Matrix<TestType, -1, -1> expected =
        (8 * before + codes).template cast<TestType>();  // a power of two: exact
    CHECK(same_bits(x, expected));
    CHECK(same_bits(y, expected));
  }
}

TEMPLATE_TEST_CASE("The embedding is scaled before the code is added", "", float, double) {
  const Sinusoidal<TestType> code(512);
  const CodeMatrix<TestType> before = CodeMatrix<TestType>::Random(3, 512), codes = code.encode(3);
  for (const double scale : {std::sqrt(512.0), 1.0, 0.0, -2.0}) {
    CodeMatrix<TestType> x = before;
    code.add_to(x, 0, scale);
    const auto expected = scale * before.template cast<double>() + codes.template cast<double>();
    CHECK((x.template cast<double>() - expected).cwiseAbs().maxCoeff() <=
          24 * static_cast<double>(std::numeric_limits<TestType>::epsilon()));
  }
}

TEST_CASE("A NaN or an infinity in the data stays where it is") {
  const Sinusoidal<float> code(64);
  CodeMatrix<float> clean = CodeMatrix<float>::Constant(4, 64, 0.5f), x = clean;
  x(1, 7) = std::numeric_limits<float>::quiet_NaN();
  x(2, 40) = std::numeric_limits<float>::infinity();
  code.add_to(clean);
  code.add_to(x);
  for (const auto& at : {std::array<Index, 2>{1, 7}, std::array<Index, 2>{2, 40}}) {
    CHECK_FALSE(detail::is_finite(static_cast<double>(x(at[0], at[1]))));
    x(at[0], at[1]) = clean(at[0], at[1]);
  }
  CHECK(same_bits(x, clean));
}

TEST_CASE("Rows split over two threads get the bits of one call") {
  const Sinusoidal<float> code(96);
  CodeMatrix<float> whole = CodeMatrix<float>::Constant(4001, 96, 0.75f);
  code.add_to(whole, 1000);
  for (int round = 0; round < 20; ++round) {  // a race shows itself only where the two run at once
    CodeMatrix<float> split = CodeMatrix<float>::Constant(4001, 96, 0.75f);
    std::atomic<int> ready{0};
    const auto meet = [&] {
      for (++ready; ready < 2;) std::this_thread::yield();
    };
    std::thread other([&] { meet(), code.add_to(split.topRows(2007), 1000); });
    meet();
    code.add_to(split.bottomRows(1994), 3007);
    other.join();
    CHECK(same_bits(split, whole));
  }
}

TEST_CASE("A sinusoidal code knows what it was made of") {
  const Sinusoidal code(10);  // float, base 10000, interleaved
  CHECK(std::is_same_v<decltype(code.encode(1)), CodeMatrix<float>>);
  CHECK(code.dim() == 10);
  CHECK(code.order() == SinCosOrder::interleaved);
  CHECK(code.frequencies()[0] == 1.0);
  CHECK(code.encode(0).rows() == 0);
  CHECK(code.encode(std::vector<int>{}).cols() == 10);
}

TEST_CASE("A sinusoidal code refuses what does not fit and writes nothing") {
  CHECK_THROWS_WITH(Sinusoidal<>(0), "posenc::Frequencies::geometric: dim must be at least 1, got 0");
  CHECK_THROWS_WITH(Sinusoidal<>(8, 0.5), "posenc::Frequencies::geometric: base must be within [1, 1e18], got 0.5");
  CHECK_THROWS_WITH(Sinusoidal<>(8, 1e4, static_cast<SinCosOrder>(3)),
                    "posenc::Sinusoidal: order must be one of SinCosOrder's three, got 3");
  CHECK_THROWS_WITH(Sinusoidal<>(Frequencies::from_values(std::vector<double>{1}, 1.5), SinCosOrder::interleaved),
                    "posenc::Sinusoidal: the attention factor of the frequencies must be 1, got 1.5");
  const Sinusoidal<> code(8);
  const double not_a_number = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  CodeMatrix<float> x = CodeMatrix<float>::Constant(3, 8, 7), narrow = CodeMatrix<float>::Constant(3, 7, 7);
  CHECK_THROWS_WITH(code.add_to(narrow), "posenc::Sinusoidal::add_to: columns must be 8, got 7");
  CHECK_THROWS_WITH(code.add_to(x, std::vector<int>{1, 2}),
                    "posenc::Sinusoidal::add_to: there must be one position for each of the 3 rows, got 2");
  CHECK_THROWS_WITH(code.add_to(x, std::vector<double>{1, 2, not_a_number}),
                    "posenc::Sinusoidal::add_to: position 2 must be a number within [-2^62, 2^62], got nan");
  CHECK_THROWS_WITH(code.add_to(x.topRows(0), std::vector<int>{1, 2}),
                    "posenc::Sinusoidal::add_to: there must be one position for each of the 0 rows, got 2");
  CHECK_THROWS_WITH(code.add_to(x.topRows(0), ~std::uint64_t{0}),
                    "posenc::Sinusoidal::add_to: position 0 must be at most 2^63 - 1, got 18446744073709551615");
  CHECK_THROWS_WITH(
      code.add_to(x, std::numeric_limits<Position>::max()),
      "posenc::Sinusoidal::add_to: 3 rows from position 9223372036854775807 pass the last position 2^63 - 1");
  CHECK_THROWS_WITH(code.add_to(x, 0, not_a_number),
                    "posenc::Sinusoidal::add_to: embedding_scale must be a finite number, got nan");
  CHECK_THROWS_WITH(code.add_to(x, 0, -infinity),
                    "posenc::Sinusoidal::add_to: embedding_scale must be a finite number, got -inf");
  // Finite, but not in the float that it is multiplied in.
  CHECK_THROWS_WITH(code.add_to(x, 0, 1e300),
                    "posenc::Sinusoidal::add_to: embedding_scale must be a finite number, got 1e+300");
  CHECK_THROWS_WITH(code.encode(-1), "posenc::Sinusoidal::encode: count must be within [0, 2^63 - 1], got -1");
  CHECK((x.array() == 7).all());
  CHECK((narrow.array() == 7).all());
}
