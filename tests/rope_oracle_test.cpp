// Rope against the reference files: 25-digit numbers made from the formulas by another program.

#include "posenc/rope.hpp"

#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"

#if defined(POSENC_TEST_HAS_JSON)

using namespace posenc_test;
using posenc::Frequencies;
using posenc::Index;
using posenc::PairLayout;
using posenc::Position;
using posenc::Rope;

namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// DESIGN.md's numbers: the error of a sine or cosine, and half a unit in the last place of a number of this size.
template <class T>
constexpr long double sine_error = std::is_same_v<T, double> ? 5e-16L : 1.5e-7L;
template <class T>
long double rounding(long double value) {
  return value == 0 ? 0 : std::ldexp(1.0L, std::ilogb(value) - std::numeric_limits<T>::digits);
}

template <class T>
Rows<T> row_of(const Json& values) {
  const std::vector<double> v = numbers(values);
  return Eigen::Map<const Eigen::RowVectorXd>(v.data(), static_cast<Index>(v.size())).cast<T>();
}

PairLayout layout_of(const Json& one) { return one["layout"] == "half" ? PairLayout::half : PairLayout::interleaved; }

/// How far the score of a rotated q and a rotated k may be off, from what each rotated value may: sine_error (|a| + |b|)
/// and a rounding. The values of a turned pair are at most |a| + |b| each, and sqrt(2) (|a| + |b|) together. The products
/// are summed in long double, which adds nothing.
template <class T>
long double score_error(const Rows<double>& q, const Rows<double>& k, PairLayout layout) {
  const Index d = q.cols(), pairs = d / 2;
  long double sum = 0;
  for (Index i = 0; i < pairs; ++i) {
    const Index first = layout == PairLayout::half ? i : 2 * i,
                second = first + (layout == PairLayout::half ? pairs : 1);
    const auto q_sum = static_cast<long double>(std::abs(q(first)) + std::abs(q(second)));
    const auto k_sum = static_cast<long double>(std::abs(k(first)) + std::abs(k(second)));
    const long double q_error = sine_error<T> * q_sum + rounding<T>(q_sum),
                      k_error = sine_error<T> * k_sum + rounding<T>(k_sum);
    sum += std::sqrt(2.0L) * (q_error * k_sum + q_sum * k_error) + 2 * q_error * k_error;
  }
  return sum;
}

template <class T>
long double dot(const Rows<T>& q, const Rows<T>& k) {
  return (q.template cast<long double>().array() * k.template cast<long double>().array()).sum();
}

}  // namespace

TEMPLATE_TEST_CASE("rope_json agrees at every position to the last allowed bit", "[rope][oracle]", float, double) {
  const auto file = oracle("rope.json");
  if (!file) return skip("no reference file rope.json");
  REQUIRE((*file)["cases"].size() == 12);
  for (const Json& one : (*file)["cases"]) {
    const Index head_dim = one["head_dim"], rotary_dim = one["rotary_dim"];
    const PairLayout layout = layout_of(one);
    const Rope<TestType> rope(Frequencies::geometric(rotary_dim, one["base"]), layout, head_dim);
    const auto positions = one["positions"].get<std::vector<Position>>();
    const Rows<TestType> x = row_of<TestType>(one["x"]);  // exact in both types
    Rows<TestType> list = x.replicate(static_cast<Index>(positions.size()), 1);
    rope.rotate(list, positions);
    long double worst = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Json& y = one["y"][i];
      Rows<TestType> alone = x;
      rope.rotate(alone, positions[i]);
      CHECK(alone == list.row(static_cast<Index>(i)));
      for (Index c = 0; c < head_dim; ++c) {
        const long double expected = number(y[static_cast<std::size_t>(c)]);
        if (c >= rotary_dim) {
          CHECK(static_cast<long double>(alone(c)) == expected);
          continue;
        }
        const Index partner = layout == PairLayout::interleaved ? c ^ 1 : (c + rotary_dim / 2) % rotary_dim;
        const long double size =
            std::abs(static_cast<long double>(x(c))) + std::abs(static_cast<long double>(x(partner)));
        const long double allowed = sine_error<TestType> * size + rounding<TestType>(expected);
        worst = std::max(worst, std::abs(static_cast<long double>(alone(c)) - expected) / allowed);
      }
    }
    CAPTURE(one["name"].get<std::string>(), worst);
    CHECK(worst <= 1);
  }
}

TEMPLATE_TEST_CASE("the two-dimensional scores agree for pi over 6 and for its nearest double", "[rope][oracle]", float,
                   double) {
  const auto file = oracle("attention_scores.json");
  if (!file) return skip("no reference file attention_scores.json");
  REQUIRE((*file)["cases"].size() == 2);
  const double omega = 0x1.0c152382d7366p-1;  // the nearest double of pi/6
  const long double omega_error = 0x1p-54L;   // its distance from pi/6, at most
  const Rope<TestType> rope(Frequencies::from_values(std::vector<double>{omega}), PairLayout::interleaved);
  for (const Json& one : (*file)["cases"]) {
    const bool is_exact = !one.contains("omega_value");
    if (is_exact) {
      REQUIRE(one["omega"] == "pi*1/6");
    } else {
      REQUIRE(std::strtod(one["omega_hex"].get<std::string>().c_str(), nullptr) == omega);
    }
    const Rows<TestType> q = row_of<TestType>(one["q"]), k = row_of<TestType>(one["k"]);
    for (const Json& row : one["rows"]) {
      const Position m = row["m"], n = row["n"];
      Rows<TestType> q_rot = q, k_rot = k;
      rope.rotate(q_rot, m);
      rope.rotate(k_rot, n);
      CAPTURE(m, n, is_exact);
      // A position turns p omega_error too far or too little, which moves a value by that times |a| + |b| = 3 at most;
      // the score feels the offset n - m alone, |q| |k| = 5 times.
      const auto away = [&](Position p) { return is_exact ? std::abs(static_cast<long double>(p)) * omega_error : 0; };
      for (Index c = 0; c < 2; ++c) {
        const long double q_expected = number(row["q_rot"][static_cast<std::size_t>(c)]);
        const long double k_expected = number(row["k_rot"][static_cast<std::size_t>(c)]);
        CHECK(std::abs(static_cast<long double>(q_rot(c)) - q_expected) <=
              3 * (sine_error<TestType> + away(m)) + rounding<TestType>(q_expected));
        CHECK(std::abs(static_cast<long double>(k_rot(c)) - k_expected) <=
              3 * (sine_error<TestType> + away(n)) + rounding<TestType>(k_expected));
      }
      const long double allowed =
          score_error<TestType>(q.template cast<double>(), k.template cast<double>(), rope.layout());
      CHECK(std::abs(dot(q_rot, k_rot) - number(row["score"])) <= allowed + 5 * away(n - m));
    }
  }
}

TEMPLATE_TEST_CASE("the scores of whole heads agree a billion positions away too", "[rope][oracle]", float, double) {
  const auto file = oracle("attention_scores.json");
  if (!file) return skip("no reference file attention_scores.json");
  REQUIRE((*file)["vector_cases"].size() == 4);
  for (const Json& one : (*file)["vector_cases"]) {
    const Rope<TestType> rope(Frequencies::geometric(one["d"], one["base"]), layout_of(one));
    const Rows<TestType> q = row_of<TestType>(one["q"]), k = row_of<TestType>(one["k"]);
    const long double allowed =
        score_error<TestType>(q.template cast<double>(), k.template cast<double>(), rope.layout());
    for (const Json& row : one["rows"]) {
      const Position m = row["m"], n = row["n"];
      Rows<TestType> q_rot = q, k_rot = k;
      rope.rotate(q_rot, m);
      rope.rotate(k_rot, n);
      CAPTURE(m, n, one["d"].get<int>(), allowed);
      CHECK(std::abs(dot(q_rot, k_rot) - number(row["score"])) <= allowed);
    }
  }
}

#else

TEST_CASE("the reference files of Rope are not read without nlohmann-json", "[rope][oracle]") {
  posenc_test::skip("no nlohmann-json");
}

#endif
