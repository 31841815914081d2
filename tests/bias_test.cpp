#include <posenc/bias.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"

using Catch::Matchers::WithinRel;
using posenc::Attention;
using posenc::Index;
using posenc::Position;
using posenc::T5Buckets;

namespace {

/// The slope by the paper's recursion over the slopes of powers of two.
long double slope_by_definition(Index head, Index heads) {
  Index m = 1;
  while (2 * m <= heads) m *= 2;
  const long double i = static_cast<long double>(head < m ? head : 2 * (head - m));
  return std::pow(2.0L, -8 * (i + 1) / static_cast<long double>(head < m ? m : 2 * m));
}

/// The bucket by the formula. Its logarithms come within 1e-13 of a whole number only where they should be one, at the
/// sizes tested here.
Index bucket_by_definition(Position relative, bool both, Index num_buckets, Index max_distance) {
  const Index side = both ? num_buckets / 2 : num_buckets, offset = both && relative > 0 ? side : 0;
  const Position x = both ? std::abs(relative) : std::max<Position>(-relative, 0);
  const Index e = side / 2;
  if (x < e) return offset + x;
  const long double ratio = static_cast<long double>(side - e) *
                            std::log(static_cast<long double>(x) / static_cast<long double>(e)) /
                            std::log(static_cast<long double>(max_distance) / static_cast<long double>(e));
  const long double nearest = std::round(ratio);
  const long double floor = std::abs(ratio - nearest) < 1e-13L ? nearest : std::floor(ratio);
  return offset + std::min(side - 1, e + static_cast<Index>(floor));
}

template <class Matrix>
Matrix random_scores(Index rows, Index cols) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-4, 4);
  Matrix scores(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) scores(i, j) = static_cast<typename Matrix::Scalar>(uniform(random));
  }
  return scores;
}

const double not_a_number = std::numeric_limits<double>::quiet_NaN(),
             infinity = std::numeric_limits<double>::infinity();
const Position far = Position{1} << 62;

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

}  // namespace

// --- Definition ----------------------------------------------------------------------------------------------

TEST_CASE("ALiBi slopes of any head count are those of powers of two and then every other one of the next power") {
  for (Index heads = 1; heads <= 300; ++heads) {
    const Eigen::VectorXd slopes = posenc::alibi_slopes(heads);
    REQUIRE(slopes.size() == heads);
    for (Index head = 0; head < heads; ++head) {
      CAPTURE(head, heads);
      REQUIRE(std::abs(slopes(head) / slope_by_definition(head, heads) - 1) <= 1e-15L);
      REQUIRE(posenc::alibi_slope(head, heads) == slopes(head));
    }
  }
}

TEST_CASE("The slopes of as many heads as 64 bits count fall from 1 to 2^-8") {
  const Index heads = Index{1} << 62;
  CHECK(posenc::alibi_slope(0, heads) == 1.0);
  CHECK(posenc::alibi_slope(heads / 2 - 1, heads) == 0x1p-4);
  CHECK(posenc::alibi_slope(heads - 1, heads) == 0x1p-8);
  CHECK(posenc::alibi_slope(heads, std::numeric_limits<Index>::max()) == 1.0);
  CHECK(posenc::alibi_slope(heads - 1, std::numeric_limits<Index>::max()) == 0x1p-8);
}

TEST_CASE("Scores of no keys are done at once") {
  Eigen::Map<Eigen::MatrixXf> none(nullptr, Index{1} << 40, 0);
  posenc::add_alibi(none, 0.5);
  T5Buckets(Attention::causal).add_to(none, Eigen::MatrixXf::Zero(32, 1).eval(), 0);
}

TEST_CASE("ALiBi takes slope times distance off every score and leaves the order of rows and keys alone") {
  const Eigen::MatrixXd before = random_scores<Eigen::MatrixXd>(9, 13);
  for (const Position offset : {Position{0}, Position{4}, Position{-3}, Position{1000000}}) {
    Eigen::MatrixXd causal = before, both = before;
    posenc::add_alibi(causal, 0.3, offset);
    posenc::add_alibi(both, 0.3, offset, Attention::bidirectional);
    for (Index i = 0; i < 9; ++i) {
      for (Index j = 0; j < 13; ++j) {
        const double distance = static_cast<double>(offset + i - j);
        CHECK_THAT(causal(i, j), WithinRel(before(i, j) - 0.3 * distance, 1e-14));
        CHECK_THAT(both(i, j), WithinRel(before(i, j) - 0.3 * std::abs(distance), 1e-14));
      }
    }
  }
}

TEST_CASE("T5 buckets are those of the formula for every number of buckets and many largest distances") {
  for (const bool both : {false, true}) {
    for (Index num_buckets = both ? 4 : 2; num_buckets <= 70; num_buckets += both ? 2 : 1) {
      const Index e = (both ? num_buckets / 2 : num_buckets) / 2;
      for (const Index max_distance : {e + 1, 2 * e, 2 * e + 1, 3 * e + 7, 8 * e, Index{128}, Index{1000}}) {
        if (max_distance <= e) continue;
        const T5Buckets buckets(both ? Attention::bidirectional : Attention::causal, num_buckets, max_distance);
        Index wrong = 0;
        for (Position relative = -1100; relative <= 1100; ++relative) {
          wrong += buckets.bucket(relative) != bucket_by_definition(relative, both, num_buckets, max_distance);
        }
        CAPTURE(both, num_buckets, max_distance);
        REQUIRE(wrong == 0);
      }
    }
  }
  const T5Buckets large(Attention::causal, 1000, 2000000000);
  for (Position x = 1; x < far; x += x / 7 + 1)
    REQUIRE(large.bucket(-x) == bucket_by_definition(-x, false, 1000, 2000000000));
}

TEST_CASE("T5 adds the number of the bucket and of no other head to every score") {
  const Eigen::MatrixXd table = random_scores<Eigen::MatrixXd>(32, 5), before = random_scores<Eigen::MatrixXd>(40, 200);
  for (const Attention attention : {Attention::causal, Attention::bidirectional}) {
    const T5Buckets buckets(attention);
    for (const Position offset : {Position{0}, Position{160}, Position{-7}}) {
      for (const Index head : {0, 3, 4}) {
        Eigen::MatrixXd scores = before;
        buckets.add_to(scores, table, head, offset);
        for (Index i = 0; i < 40; ++i) {
          for (Index j = 0; j < 200; ++j) {
            const Index bucket = bucket_by_definition(j - (offset + i), attention == Attention::bidirectional, 32, 128);
            REQUIRE(scores(i, j) == before(i, j) + table(bucket, head));
          }
        }
      }
    }
  }
}

// --- Published values ------------------------------------------------------------------------------------------

TEST_CASE("the ALiBi paper: 8 heads have the slopes 1/2 to 1/256 without any rounding") {
  for (Index head = 0; head < 8; ++head)
    CHECK(posenc::alibi_slope(head, 8) == std::ldexp(1.0, -static_cast<int>(head) - 1));
  CHECK(posenc::alibi_slope(0, 1) == 0x1p-8);
  CHECK(posenc::alibi_slope(15, 16) == 0x1p-8);
  CHECK(posenc::alibi_slope(0, 16) == std::sqrt(0.5));
}

TEST_CASE("distances 16 and 32 and 64 and 128 stand first in their bucket") {
  const T5Buckets both(Attention::bidirectional), causal(Attention::causal);
  const Index of_both[] = {10, 12, 14, 15}, of_causal[] = {16, 21, 26, 31};
  for (int i = 0; i < 4; ++i) {
    const Position x = Position{16} << i;
    CHECK(both.bucket(-x) == of_both[i]);
    CHECK(both.bucket(x) == of_both[i] + 16);
    CHECK(both.bucket(-x + 1) == of_both[i] - (i < 3 ? 1 : 0));
    CHECK(causal.bucket(-x) == of_causal[i]);
    CHECK(causal.bucket(x) == 0);
  }
}

#if defined(POSENC_TEST_HAS_JSON)
using posenc_test::Json;
using posenc_test::number;

TEST_CASE("every case of alibi.json is met within 1e-15") {
  const auto file = posenc_test::oracle("alibi.json");
  if (!file) return posenc_test::skip("no reference file alibi.json");
  for (const Json& entry : file->at("cases")) {
    const Index heads = entry.at("heads");
    CAPTURE(heads);
    REQUIRE(static_cast<Index>(entry.at("slopes").size()) == heads);
    for (Index head = 0; head < heads; ++head) {
      const long double slope = number(entry["slopes"][static_cast<std::size_t>(head)]);
      CHECK(std::abs(posenc::alibi_slope(head, heads) / slope - 1) <= 1e-15L);
    }
    for (const Json& pair : entry.at("bias_head0_distance")) {
      const Position distance = pair.at(0);
      Eigen::MatrixXd score = Eigen::MatrixXd::Zero(1, 1);
      posenc::add_alibi(score, posenc::alibi_slope(0, heads), distance);
      CHECK(std::abs(score(0, 0) - number(pair.at(1))) <= 1e-15L * std::abs(number(pair.at(1))));
    }
  }
  CHECK(file->at("cases").size() == 4);
}

TEST_CASE("every bucket of t5_buckets.json is met") {
  const auto file = posenc_test::oracle("t5_buckets.json");
  if (!file) return posenc_test::skip("no reference file t5_buckets.json");
  for (const Json& entry : file->at("cases")) {
    const bool both = entry.at("bidirectional");
    const T5Buckets buckets(both ? Attention::bidirectional : Attention::causal, entry.at("num_buckets"),
                            entry.at("max_distance"));
    Position relative = entry.at("first");
    for (const Json& bucket : entry.at("buckets")) {
      CAPTURE(both, relative);
      CHECK(buckets.bucket(relative) == bucket.get<Index>());
      ++relative;
    }
    CHECK(relative == entry.at("last").get<Position>() + 1);
  }
  CHECK(file->at("cases").size() == 2);
}
#endif

// --- Laws ----------------------------------------------------------------------------------------------------

TEST_CASE("one new query against all keys gets the bias that the last row of all queries gets") {
  const Index n = 150;
  const Eigen::MatrixXf before = random_scores<Eigen::MatrixXf>(n, n), table = random_scores<Eigen::MatrixXf>(32, 2);
  const auto check = [&](auto add) {
    Eigen::MatrixXf all = before;
    add(all, 0);
    for (Index i = 0; i < n; ++i) {
      Eigen::MatrixXf row = before.row(i);
      add(row, i);
      REQUIRE(row == all.row(i));
    }
    Eigen::MatrixXf chunk = before.bottomRows(20);
    add(chunk, n - 20);
    CHECK(chunk == all.bottomRows(20));
  };
  for (const Attention attention : {Attention::causal, Attention::bidirectional}) {
    check([&](auto& x, Position offset) { posenc::add_alibi(x, 0.125, offset, attention); });
    check([&](auto& x, Position offset) { T5Buckets(attention).add_to(x, table, 1, offset); });
  }
}

TEST_CASE("a distance that is a whole power stands first in its bucket and the one before it does not") {
  // max_distance = e r^g with g a divisor of n: then e r^j begins bucket e + j n/g, exactly.
  for (const Index e : {1, 2, 3, 5, 7, 8, 12, 16, 27, 60, 100, 1000}) {
    for (const Index g : {1, 2, 3, 4, 5, 6, 10}) {
      if (e % g != 0) continue;
      for (const Index r : {2, 3, 5, 6, 7, 10}) {
        Index max_distance = e;
        for (Index j = 0; j < g; ++j) max_distance *= r;
        if (max_distance > 2000000000) continue;
        const T5Buckets buckets(Attention::causal, 2 * e, max_distance);
        Position x = e;
        for (Index j = 0; j < g; ++j, x *= r) {
          CAPTURE(e, g, r, x);
          CHECK(buckets.bucket(-x) == e + j * e / g);
          CHECK(buckets.bucket(-(x - 1)) < e + j * e / g);
        }
        CHECK(buckets.bucket(-x) == 2 * e - 1);
      }
    }
  }
}

TEST_CASE("whole numbers carry from word to word and compare by their highest difference") {
  posenc::detail::Whole number;
  number.words = {~std::uint64_t{0}, 0x5555555555555555};
  number.multiply_by(3, 1);  // the second word, all ones, takes a carry of 2
  CHECK(number.words == std::vector<std::uint64_t>{~std::uint64_t{0} - 2, 1, 1});
  const auto whole = [](std::vector<std::uint64_t> words) { return posenc::detail::Whole{std::move(words)}; };
  CHECK(whole({0, 1}) >= whole({5}));
  CHECK(!(whole({5}) >= whole({0, 1})));
  CHECK(whole({0, 2}) >= whole({9, 1}));
  CHECK(!(whole({9, 1}) >= whole({0, 2})));
  CHECK(whole({3, 4}) >= whole({3, 4}));
}

#if defined(__SIZEOF_INT128__)
TEST_CASE("a distance that misses a power by less than logarithms show falls on its own side") {
  // With e = n = 300 the first distance x of bucket e + 200 is the least with x^3 >= D^2 e, numbers of 70 bits.
  __extension__ using Wide = unsigned __int128;
  int found = 0, reached = 0;
  for (Index max_distance = 2147483647; max_distance > 2146483647; --max_distance) {
    const long double d = static_cast<long double>(max_distance), root = std::cbrt(d * d * 300);
    if (std::abs(root - std::round(root)) > 0.9e-12L * root) continue;
    const auto x = static_cast<Position>(std::round(root));
    const bool reaches = Wide(x) * Wide(x) * Wide(x) >= Wide(max_distance) * Wide(max_distance) * 300;
    CAPTURE(max_distance, x);
    CHECK((T5Buckets(Attention::causal, 600, max_distance).bucket(-x) >= 500) == reaches);
    ++found;
    reached += reaches;
  }
  CHECK(reached > 3);
  CHECK(found - reached > 3);
}
#endif

TEST_CASE("buckets grow with the distance and end at the last one and mirror each other") {
  for (const Index max_distance : {9, 20, 128, 5000}) {
    const T5Buckets both(Attention::bidirectional, 32, max_distance), causal(Attention::causal, 16, max_distance);
    for (Position x = 0; x < 6000; ++x) {
      REQUIRE(both.bucket(-x - 1) >= both.bucket(-x));
      REQUIRE(both.bucket(-x) == causal.bucket(-x));
      if (x > 0) REQUIRE(both.bucket(x) == both.bucket(-x) + 16);
    }
    CHECK(both.bucket(-max_distance) == 15);
  }
}

// --- Edges ---------------------------------------------------------------------------------------------------

TEST_CASE("the smallest bucket counts have one bucket near and one far") {
  const T5Buckets two(Attention::causal, 2, 2), three(Attention::causal, 3, 4), four(Attention::bidirectional, 4, 2);
  CHECK(two.bucket(0) == 0);
  CHECK(two.bucket(-1) == 1);
  CHECK(two.bucket(-1000) == 1);
  CHECK(three.bucket(-1) == 1);  // N = 3, e = 1: bucket 1 + floor(2 ln x / ln 4)
  CHECK(three.bucket(-2) == 2);
  CHECK(four.bucket(-1) == 1);
  CHECK(four.bucket(1) == 3);
  CHECK(four.bucket(0) == 0);
}

TEST_CASE("the farthest positions of 64 bits have buckets") {
  const T5Buckets both(Attention::bidirectional), causal(Attention::causal);
  CHECK(both.bucket(std::numeric_limits<Position>::min()) == 15);
  CHECK(both.bucket(std::numeric_limits<Position>::max()) == 31);
  CHECK(causal.bucket(std::numeric_limits<Position>::min()) == 31);
  CHECK(causal.bucket(std::numeric_limits<Position>::max()) == 0);
  Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(2, 2);
  posenc::add_alibi(scores, 0x1p-62, far);
  CHECK(scores == Eigen::MatrixXd::Constant(2, 2, -1));
  posenc::add_alibi(scores, 0x1p-62, -far);
  CHECK(scores.isZero());
}

TEMPLATE_TEST_CASE("every form of scores gets the same bits and its surroundings are left alone", "", float, double,
                   Eigen::half, Eigen::bfloat16) {
  using T = TestType;
  using ColMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Strided = Eigen::Map<ColMajor, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
  const ColMajor table = random_scores<ColMajor>(32, 3);
  const auto bias = [&](auto&& x) {
    posenc::add_alibi(x, 0.4, 5);
    T5Buckets(Attention::causal).add_to(x, table, 2, 5);
  };
  for (Index rows = 0; rows <= 5; ++rows) {
    for (Index cols = 0; cols <= 19; ++cols) {
      const ColMajor before = random_scores<ColMajor>(rows, cols);
      ColMajor expected = before;
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) {
          const double distance = static_cast<double>(5 + i - j);
          T& score = expected(i, j);
          score = static_cast<T>(static_cast<double>(score) - 0.4 * distance);
          score = static_cast<T>(static_cast<double>(score) +
                                 static_cast<double>(table(bucket_by_definition(j - 5 - i, false, 32, 128), 2)));
        }
      }
      const auto same = [&](const auto& x) {
        for (Index i = 0; i < rows; ++i) {
          for (Index j = 0; j < cols; ++j) {
            if (bits_of<T>(x(i, j)) != bits_of<T>(expected(i, j))) return false;
          }
        }
        return true;
      };
      CAPTURE(rows, cols);
      ColMajor columns = before;
      bias(columns);
      REQUIRE(same(columns));
      RowMajor lines = before;
      bias(lines);
      REQUIRE(same(lines));
      Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic> array = before.array();
      bias(array);
      REQUIRE(same(array));

      const T guard = static_cast<T>(77);
      ColMajor outer = ColMajor::Constant(rows + 3, cols + 4, guard);
      outer.block(1, 2, rows, cols) = before;
      bias(outer.block(1, 2, rows, cols));
      REQUIRE(same(outer.block(1, 2, rows, cols)));
      outer.block(1, 2, rows, cols).setConstant(guard);
      REQUIRE((outer.array() == guard).all());

      std::vector<T> memory(static_cast<std::size_t>(3 * (rows + 1) * (cols + 1)), guard);
      Strided strided(memory.data() + 1, rows, cols, {3 * (rows + 1), 3});
      strided = before;
      bias(strided);
      REQUIRE(same(strided));
      strided.setConstant(guard);
      REQUIRE(std::all_of(memory.begin(), memory.end(), [&](T value) { return value == guard; }));
    }
  }
}

TEST_CASE("masked scores stay masked and NaN stays in its place") {
  Eigen::MatrixXf scores = Eigen::MatrixXf::Zero(3, 3);
  scores(0, 2) = -std::numeric_limits<float>::infinity();
  scores(1, 1) = std::numeric_limits<float>::quiet_NaN();
  const std::uint64_t masked = bits_of(scores(0, 2));
  posenc::add_alibi(scores, 0.5);
  T5Buckets(Attention::causal).add_to(scores, Eigen::MatrixXf::Ones(32, 1), 0);
  CHECK(bits_of(scores(0, 2)) == masked);
  CHECK((bits_of(scores(1, 1)) & 0x7fc00000) == 0x7fc00000);
  CHECK(scores(2, 0) == 0);
  CHECK(scores(2, 2) == 1);
}

// --- Errors --------------------------------------------------------------------------------------------------

TEST_CASE("ALiBi refuses by name what has no slope or no bias") {
  CHECK_THROWS_WITH(posenc::alibi_slope(0, 0), "posenc::alibi_slope: heads must be at least 1, got 0");
  CHECK_THROWS_WITH(posenc::alibi_slope(8, 8), "posenc::alibi_slope: head must be within [0, 8), got 8");
  CHECK_THROWS_WITH(posenc::alibi_slope(-1, 8), "posenc::alibi_slope: head must be within [0, 8), got -1");
  CHECK_THROWS_WITH(posenc::alibi_slopes(-2), "posenc::alibi_slopes: heads must be at least 1, got -2");
  Eigen::MatrixXf scores = Eigen::MatrixXf::Ones(2, 2);
  CHECK_THROWS_WITH(posenc::add_alibi(scores, not_a_number),
                    "posenc::add_alibi: slope must be a finite number, got nan");
  CHECK_THROWS_WITH(posenc::add_alibi(scores, -infinity), "posenc::add_alibi: slope must be a finite number, got -inf");
  CHECK_THROWS_WITH(posenc::add_alibi(scores, 1, far + 1),
                    "posenc::add_alibi: query_offset must be within [-2^62, 2^62], got 4611686018427387905");
  CHECK_THROWS_WITH(posenc::add_alibi(scores, 1, -far - 1),
                    "posenc::add_alibi: query_offset must be within [-2^62, 2^62], got -4611686018427387905");
  CHECK_THROWS_WITH(posenc::add_alibi(scores, 1, 0, static_cast<Attention>(7)),
                    "posenc::add_alibi: attention must be Attention::causal or Attention::bidirectional, got 7");
  CHECK(scores == Eigen::MatrixXf::Ones(2, 2));
}

TEST_CASE("ALiBi refuses a bias that no number of its type holds and writes nothing") {
  Eigen::MatrixXf scores = Eigen::MatrixXf::Zero(2, 3);
  const std::string range = " must be within [-3.4028234663852886e+38, 3.4028234663852886e+38]";
  CHECK_THROWS_WITH(posenc::add_alibi(scores, 1e308, Position{1} << 62),
                    "posenc::add_alibi: slope 1e+308 times the farthest distance 4.611686018427388e+18" + range);
  CHECK_THROWS_WITH(posenc::add_alibi(scores, -2e38, -1),
                    "posenc::add_alibi: slope -2e+38 times the farthest distance 3" + range);
  CHECK_THROWS_WITH(posenc::add_alibi(scores, 2e38, 1),
                    "posenc::add_alibi: slope 2e+38 times the farthest distance 2" + range);
  CHECK_THROWS_WITH(posenc::alibi_slopes(Index{1} << 62),
                    "posenc::alibi_slopes: heads must be at most 2^24, got 4611686018427387904");
  CHECK((scores.array() == 0).all());
  // In 16 bits a far score becomes an infinity, which is as good as masked.
  Eigen::Matrix<Eigen::half, 1, 1> half_score(Eigen::half(0.0f));
  posenc::add_alibi(half_score, 0.5, 1000000);
  CHECK(static_cast<float>(half_score(0, 0)) == -std::numeric_limits<float>::infinity());
  Eigen::MatrixXd wide = Eigen::MatrixXd::Zero(1, 1);
  posenc::add_alibi(wide, 1e300, 1);
  CHECK(wide(0, 0) == -1e300);
}

TEST_CASE("T5 refuses by name buckets and tables and heads that do not fit") {
  const std::string causal = "posenc::T5Buckets: num_buckets must be within [2, 65536], got ";
  CHECK_THROWS_WITH(T5Buckets(Attention::causal, 1), causal + "1");
  CHECK_THROWS_WITH(T5Buckets(Attention::causal, -3), causal + "-3");
  CHECK_THROWS_WITH(T5Buckets(Attention::causal, 65537), causal + "65537");
  const std::string both = "posenc::T5Buckets: num_buckets of both directions must be even and within [4, 65536], got ";
  CHECK_THROWS_WITH(T5Buckets(Attention::bidirectional, 2), both + "2");
  CHECK_THROWS_WITH(T5Buckets(Attention::bidirectional, 33), both + "33");
  CHECK_THROWS_WITH(T5Buckets(Attention::causal, 32, 16),
                    "posenc::T5Buckets: max_distance must be within (16, 2^31), got 16");
  CHECK_THROWS_WITH(T5Buckets(Attention::bidirectional, 32, 8),
                    "posenc::T5Buckets: max_distance must be within (8, 2^31), got 8");
  CHECK_THROWS_WITH(T5Buckets(Attention::causal, 32, Index{1} << 31),
                    "posenc::T5Buckets: max_distance must be within (16, 2^31), got 2147483648");
  CHECK_THROWS_WITH(T5Buckets(static_cast<Attention>(7)),
                    "posenc::T5Buckets: attention must be Attention::causal or Attention::bidirectional, got 7");

  const T5Buckets buckets(Attention::causal);
  Eigen::MatrixXf scores = Eigen::MatrixXf::Ones(2, 2);
  const Eigen::MatrixXf table = Eigen::MatrixXf::Ones(32, 4), low = Eigen::MatrixXf::Ones(31, 4);
  CHECK_THROWS_WITH(buckets.add_to(scores, low, 0),
                    "posenc::T5Buckets::add_to: the table must have 32 rows, one per bucket, got 31");
  CHECK_THROWS_WITH(buckets.add_to(scores, table, 4), "posenc::T5Buckets::add_to: head must be within [0, 4), got 4");
  CHECK_THROWS_WITH(buckets.add_to(scores, table, -1), "posenc::T5Buckets::add_to: head must be within [0, 4), got -1");
  CHECK_THROWS_WITH(buckets.add_to(scores, table, 0, far + 1),
                    "posenc::T5Buckets::add_to: query_offset must be within [-2^62, 2^62], got 4611686018427387905");
  CHECK(scores == Eigen::MatrixXf::Ones(2, 2));
}
