// The published test data of the RotaryEmbedding operators of ONNX and ONNX Runtime, through rotate_pairs: every case, in
// the 3-D form (batch, sequence, heads x head size) and the 4-D form (batch, heads, sequence, head size).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"
#include "posenc/rope.hpp"
#include "posenc/rotate_pairs.hpp"

using namespace posenc_test;
using Eigen::bfloat16;
using Eigen::half;
using posenc::bhsd;
using posenc::bshd;
using posenc::Index;
using posenc::PairLayout;
using posenc::Position;
using posenc::rotate_pairs;

namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
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

#if defined(POSENC_TEST_HAS_JSON)
namespace {

/// Half a unit in the last place of 1.
template <class T>
constexpr double unit = std::is_same_v<T, float>  ? 0x1p-24
                        : std::is_same_v<T, half> ? 0x1p-11
                                                  : 0x1p-8;

/// The elements of a tensor, in row-major order whatever its rank. The text is parsed as binary32, then rounded to T.
template <class T>
std::vector<T> elements(const Json& tensor) {
  std::vector<T> result;
  for (const Json& value : tensor["data"]) result.push_back(static_cast<T>(static_cast<float>(value.get<double>())));
  return result;
}
/// A cache as rows of pairs: (rows, pairs), or (batch, sequence, pairs) where there are no position ids.
template <class T>
Rows<T> cache(const Json& tensor) {
  const std::vector<T> values = elements<T>(tensor);
  const Index pairs = tensor["shape"].back();
  return Eigen::Map<const Rows<T>>(values.data(), static_cast<Index>(values.size()) / pairs, pairs);
}

/// One case of either file.
struct Case {
  const Json& one;
  Index batch = one["batch"], tokens = one["seq"], heads = one["num_heads"], head_dim = one["head_size"];
  Index pairs = one["rotary_dim"].get<Index>() / 2;
  bool bnsh = one["layout"] == "BNSH";
  PairLayout layout = one["attributes"]["interleaved"] == 1 ? PairLayout::interleaved : PairLayout::half;

  explicit Case(const Json& json) : one(json) {}

  const Json& input(const char* name) const { return one["inputs"][name]; }
  template <class T>
  posenc::HeadsView<T> view(std::vector<T>& x) const {
    return bnsh ? bhsd(x.data(), batch, tokens, heads, head_dim) : bshd(x.data(), batch, tokens, heads, head_dim);
  }
  /// Batch, token and head number i, i < batch x tokens x heads.
  std::array<Index, 3> place(Index i) const { return {i / (tokens * heads), i / heads % tokens, i % heads}; }
  /// The offset of a tensor of shape (1).
  std::optional<Position> offset() const {
    const Json& ids = input("position_ids");
    if (ids.is_null() || ids["shape"].size() != 1) return std::nullopt;
    return ids["data"][0].get<Position>();
  }
  /// The row of the cache for token t of batch b, as the file's header defines it.
  Index row(Index b, Index t) const {
    if (input("position_ids").is_null()) return b * tokens + t;
    if (offset()) return *offset() + t;
    return input("position_ids")["data"][static_cast<std::size_t>(b * tokens + t)].get<Index>();
  }
  Rows<Position> row_table() const {
    return Rows<Position>::NullaryExpr(batch, tokens, [&](Index b, Index t) { return row(b, t); });
  }
};

/// The operator by rotate_pairs, position ids in the form they have.
template <class T>
std::vector<T> rotated(const Case& c, const Rows<T>& cos, const Rows<T>& sin) {
  std::vector<T> x = elements<T>(c.input("input"));
  if (c.input("position_ids").is_null()) {
    rotate_pairs(c.view(x), cos, sin, c.layout, c.head_dim);
  } else if (c.offset()) {
    rotate_pairs(c.view(x), cos, sin, *c.offset(), c.layout, c.head_dim);
  } else {
    rotate_pairs(c.view(x), cos, sin, c.row_table(), c.layout, c.head_dim);
  }
  return x;
}

/// What the operator's formula gives for every element, a sum of two products, and how large these are together; 0 for a
/// channel that is copied.
struct Formula {
  std::vector<double> sum, size;

  template <class T>
  Formula(const Case& c, std::vector<T> x, const Rows<T>& cos, const Rows<T>& sin)
      : sum(x.begin(), x.end()), size(x.size(), 0) {
    const bool halves = c.layout == PairLayout::half;
    for (Index head = 0; head < c.batch * c.tokens * c.heads; ++head) {
      const auto [b, t, h] = c.place(head);
      const Index begin = c.view(x).head(b, t, h) - x.data(), row = c.row(b, t);
      for (Index k = 0; k < c.pairs; ++k) {
        const auto i = static_cast<std::size_t>(begin + (halves ? k : 2 * k));
        const auto j = static_cast<std::size_t>(begin + (halves ? k + c.pairs : 2 * k + 1));
        const double x1 = sum[i], x2 = sum[j];
        const auto cosine = static_cast<double>(cos(row, k)), sine = static_cast<double>(sin(row, k));
        set(i, cosine * x1, -sine * x2);
        set(j, sine * x1, cosine * x2);
      }
    }
  }
  void set(std::size_t i, double p, double q) {
    sum[i] = p + q;
    size[i] = std::abs(p) + std::abs(q);
  }
};

/// Runs every case of a file. published(case, size, sum): how far the expected output may be off.
template <class T, class Published>
void check_file(const char* name, std::size_t cases, Published published) {
  const auto file = oracle(name);
  if (!file) return skip(std::string("no reference file ") + name);
  REQUIRE((*file)["cases"].size() == cases);
  for (const Json& one : (*file)["cases"]) {
    const Case c(one);
    CAPTURE(one["name"].get<std::string>());
    const Rows<T> cos = cache<T>(c.input("cos_cache")), sin = cache<T>(c.input("sin_cache"));
    const std::vector<T> x = elements<T>(c.input("input")), y = rotated(c, cos, sin);
    const std::vector<double> expected = numbers(one["output"]["data"]);
    const Formula truth(c, x, cos, sin);
    REQUIRE((y.size() == x.size() && y.size() == expected.size()));
    double worst_formula = 0, worst_published = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      // Three roundings in float and, for 16-bit data, one more. A copied channel has none.
      const double u = unit<float>, sum = std::abs(truth.sum[i]), size = truth.size[i],
                   value = static_cast<double>(y[i]);
      const double narrowed = std::is_same_v<T, float> ? 0 : unit<T> * sum * (1 + unit<T>);
      const double allowed = size == 0 ? 0 : u * (size + sum * (1 + 4 * u)) + narrowed;
      const double off = std::abs(value - truth.sum[i]);
      worst_formula = std::max(worst_formula, off <= allowed ? 0 : off / allowed);
      worst_published = std::max(worst_published, std::abs(value - expected[i]) / published(one, size, sum));
    }
    CHECK(worst_formula <= 1);
    CHECK(worst_published <= 1);
  }
}

}  // namespace

TEST_CASE("Every ONNX case agrees to the roundings of both sides", "[operators][oracle]") {
  check_file<float>("onnx_rotary_embedding.json", 5, [](const Json& one, double size, double sum) {
    REQUIRE(one["tolerance"]["rel"] == 1e-3);  // published; here both sides have three roundings
    return 2 * unit<float> * (size + sum) + 1e-12;
  });
}

TEST_CASE("Every ONNX Runtime case agrees to the four decimals it is published with", "[operators][oracle]") {
  check_file<float>("ort_rotary_embedding.json", 9, [](const Json& one, double, double) {
    REQUIRE(one["tolerance"]["abs"] == 0.002);
    return 3e-4;  // half a unit of the fourth decimal in x1, x2, cosine, sine and the output, none greater than 1.6
  });
}

TEST_CASE("Every ONNX Runtime case agrees in half and in bfloat16 within the published tolerance",
          "[operators][oracle]") {
  check_file<half>("ort_rotary_embedding.json", 9, [](const Json&, double, double) { return 0.002; });
  check_file<bfloat16>("ort_rotary_embedding.json", 9, [](const Json&, double, double) { return 0.03; });
}

TEST_CASE("Every case has the same bits in the other form of its data and in every form of its position ids",
          "[operators][oracle]") {
  for (const char* name : {"onnx_rotary_embedding.json", "ort_rotary_embedding.json"}) {
    const auto file = oracle(name);
    if (!file) return skip(std::string("no reference file ") + name);
    for (const Json& one : (*file)["cases"]) {
      const Case c(one);
      CAPTURE(one["name"].get<std::string>());
      const Rows<float> cos = cache<float>(c.input("cos_cache")), sin = cache<float>(c.input("sin_cache"));
      const std::vector<float> expected = rotated(c, cos, sin), x = elements<float>(c.input("input"));
      const Rows<Position> table = c.row_table();
      const std::vector<Position> list(table.data(), table.data() + table.size());
      std::vector<float> by_list = x, by_matrix = x;
      rotate_pairs(c.view(by_list), cos, sin, list, c.layout, c.head_dim);
      rotate_pairs(c.view(by_matrix), cos, sin, Eigen::MatrixXi(table.cast<int>()), c.layout, c.head_dim);
      CHECK((same_bits(by_list, expected) && same_bits(by_matrix, expected)));
      // 3-D data in a 4-D buffer and the other way round.
      Case other = c;
      other.bnsh = !c.bnsh;
      std::vector<float> moved(x.size()), back = x;
      const auto copy = [&](std::vector<float>& to, const Case& form, std::vector<float>& from, const Case& from_form) {
        for (Index i = 0; i < c.batch * c.tokens * c.heads; ++i) {
          const auto [b, t, h] = c.place(i);
          std::copy_n(from_form.view(from).head(b, t, h), c.head_dim, form.view(to).head(b, t, h));
        }
      };
      copy(moved, other, back, c);
      rotate_pairs(other.view(moved), cos, sin, list, c.layout, c.head_dim);
      copy(back, c, moved, other);
      CHECK(same_bits(back, expected));
      if (c.bnsh) continue;
      std::vector<float> y = x;  // the 3-D form is a matrix of batch x sequence rows
      Eigen::Map<Rows<float>> matrix(y.data(), c.batch * c.tokens, c.heads * c.head_dim);
      rotate_pairs(matrix, cos, sin, list, c.layout, c.head_dim);
      CHECK(same_bits(y, expected));
    }
  }
}

TEMPLATE_TEST_CASE("Rope meets the ONNX Runtime cases from positions alone", "[operators][oracle]", float, double) {
  const auto file = oracle("ort_rotary_embedding.json");
  if (!file) return skip("no reference file ort_rotary_embedding.json");
  int met = 0;
  for (const Json& one : (*file)["cases"]) {
    if (one["cache_base"].is_null()) continue;
    const Case c(one);
    const posenc::Rope<TestType> rope(posenc::Frequencies::geometric(2 * c.pairs, one["cache_base"]), c.layout,
                                      c.head_dim);
    std::vector<TestType> x = elements<TestType>(c.input("input"));
    if (c.input("position_ids").is_null()) {
      rope.rotate(c.view(x));  // the caches of these cases begin at position 0
    } else {
      rope.rotate(c.view(x), c.row_table());
    }
    const std::vector<double> expected = numbers(one["output"]["data"]);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(x[i]) - expected[i]));
    CAPTURE(one["name"].get<std::string>());
    CHECK(worst <= 2e-4);  // as the note of the case says
    ++met;
  }
  CHECK(met == 7);
}

TEST_CASE("What the published operators refuse is refused and the data keeps its values",
          "[operators][oracle][errors]") {
  const auto file = oracle("ort_rotary_embedding.json");
  if (!file) return skip("no reference file ort_rotary_embedding.json");
  REQUIRE((*file)["error_cases"].size() == 10);
  for (const Json& one : (*file)["error_cases"]) {
    CAPTURE(one["name"].get<std::string>());
    const Json ids = one.value("position_ids", Json::array({0}));  // a GPU leaves such tokens as they are, in silence
    const Json shape = one.value("input_shape", Json::array({4})),
               table_shape = one.value("cache_shape", Json::array({1, 2}));
    const Index batch = one.value("batch", 1), tokens = one.value("seq", 1), columns = shape.back();
    const Index rows = one.value("max_sequence_length", table_shape[0].get<Index>()),
                head_dim = columns / one.value("num_heads", 1);
    const Rows<float> table = Rows<float>::Constant(rows, table_shape[1].get<Index>(), 0.5f);
    Rows<float> x = Rows<float>::Constant(batch * tokens, columns, 1.0f);
    const auto refused = [&](const auto& positions) {
      return refusal([&] {
        if (columns % head_dim != 0) return rotate_pairs(x, table, table, positions, PairLayout::half, head_dim);
        const auto view = bshd(x.data(), batch, tokens, columns / head_dim, head_dim);
        rotate_pairs(view, table, table, positions, PairLayout::half, head_dim);
      });
    };
    std::vector<Position> list;
    for (const Json& of_batch : ids) {
      for (const Json& id : of_batch.is_array() ? of_batch : Json::array({of_batch})) list.push_back(id);
    }
    const std::string message = ids[0].is_array() ? refused(list) : refused(list[0]);
    CHECK(message.rfind("posenc::rotate_pairs: ", 0) == 0);
    CHECK((x.array() == 1.0f).all());
  }
}
#endif

TEST_CASE("Position ids without a row of the tables are named and nothing is written", "[operators][errors]") {
  const Rows<float> table = Rows<float>::Constant(8, 2, 0.5f);
  const std::vector<float> before(16, 1.0f);
  std::vector<float> x = before;
  const auto refused = [&](const auto& ids) {
    return refusal([&] { rotate_pairs(bshd(x.data(), 2, 2, 1, 4), table, table, ids, PairLayout::interleaved, 4); });
  };
  const auto outside = [](int row, const char* got) {
    return "posenc::rotate_pairs: position " + std::to_string(row) +
           " must be within [0, 7], the rows of the table, got " + got;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused(7) == outside(1, "8"));
  CHECK(refused(-1) == outside(0, "-1"));
  CHECK(refused(std::vector<int>{0, 8}) == outside(1, "8"));
  CHECK(refused(std::vector<int>{0, 1, 2, 100}) == outside(3, "100"));
  CHECK(refused(std::vector<Position>{0, 1, Position{1} << 40, 2}) == outside(2, "1099511627776"));
  CHECK(refused((Eigen::MatrixXi(2, 2) << 0, 1, -3, 2).finished()) == outside(2, "-3"));
  CHECK(refused(std::vector<double>{0, 1.5}) == "posenc::rotate_pairs: position 1 must be a whole number, got 1.5");
  CHECK(refused(std::vector<double>{nan, 1}).rfind("posenc::rotate_pairs: position 0 must be a number", 0) == 0);
  CHECK(refused(std::vector<int>{1, 2, 3}) ==
        "posenc::rotate_pairs: there must be 2 positions, one per token, or 4, one per batch x token, got 3");
  CHECK(refused(Eigen::MatrixXi::Zero(2, 3).eval()) ==
        "posenc::rotate_pairs: a matrix of positions must be batch x tokens, 2 x 2, got 2 x 3");
  CHECK(same_bits(x, before));
  CHECK(refused(6) == "not refused");
  CHECK(refused(std::vector<double>{7, 0}) == "not refused");  // whole reals are positions too
  std::vector<float> none;
  rotate_pairs(bshd(none.data(), 2, 0, 1, 4), table, table, 100, PairLayout::half, 4);  // no token has no position
}
