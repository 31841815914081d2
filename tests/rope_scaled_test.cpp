// Rope with the ladders of scaling.hpp against rope_scaled.json: frequencies and rotation together, at every position.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"
#include "posenc/rope.hpp"
#include "posenc/scaling.hpp"

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

/// DESIGN.md's numbers: the error of a sine or cosine, half a unit in the last place of a number of this size, and what a
/// scaled omega may be off, relative.
template <class T>
constexpr long double sine_error = std::is_same_v<T, double> ? 5e-16L : 1.5e-7L;
template <class T>
long double rounding(long double value) {
  return value == 0 ? 0 : std::ldexp(1.0L, std::ilogb(value) - std::numeric_limits<T>::digits);
}
constexpr long double omega_error = 1e-15L;

std::optional<double> real_or_none(const Json& params, const char* name) {
  return params.contains(name) ? std::optional<double>(params[name].get<double>()) : std::nullopt;
}

/// The ladder of a case of frequencies.json, by the function of its rope_type with its params.
Frequencies ladder(const Json& one) {
  const std::string type = one["rope_type"];
  const Json& p = one["params"];
  const Index dim = p["rotary_dim"];
  const double base = p["base"];
  const auto length = [&](const char* name) { return p[name].is_null() ? Index{0} : p[name].get<Index>(); };
  if (type == "linear") return posenc::scale_linear(Frequencies::geometric(dim, base), p["factor"]);
  if (type == "dynamic")
    return posenc::scale_dynamic_ntk(dim, base, p["factor"], length("max_position_embeddings"), length("seq_len"));
  if (type == "yarn") {
    posenc::YarnParameters yarn{p["factor"], length("original_max_position_embeddings")};
    yarn.beta_fast = p.value("beta_fast", 32.0);
    yarn.beta_slow = p.value("beta_slow", 1.0);
    yarn.truncate = p.value("truncate", true);
    yarn.attention_factor = real_or_none(p, "attention_factor");
    yarn.mscale = real_or_none(p, "mscale");
    yarn.mscale_all_dim = real_or_none(p, "mscale_all_dim");
    return posenc::scale_yarn(dim, base, yarn);
  }
  if (type == "llama3") {
    return posenc::scale_llama3(
        dim, base,
        {p["factor"], p["low_freq_factor"], p["high_freq_factor"], length("original_max_position_embeddings")});
  }
  if (type == "longrope") {
    return posenc::scale_longrope(
        dim, base,
        {p["short_factor"].get<std::vector<double>>(), p["long_factor"].get<std::vector<double>>(),
         length("original_max_position_embeddings"), length("max_position_embeddings"), real_or_none(p, "factor"),
         real_or_none(p, "attention_factor")},
        length("seq_len"));
  }
  if (type == "proportional")
    return posenc::scale_proportional(p["head_dim"], base, p["partial_rotary_factor"], p.value("factor", 1.0));
  throw std::runtime_error("no ladder for rope_type " + type);
}

}  // namespace

TEMPLATE_TEST_CASE("rope_scaled_json agrees at every position to the last allowed bit", "[rope][scaling][oracle]",
                   float, double) {
  const auto file = oracle("rope_scaled.json"), frequencies = oracle("frequencies.json");
  if (!file || !frequencies) return skip("no reference file rope_scaled.json or frequencies.json");
  std::map<std::string, const Json*> by_name;
  for (const Json& one : (*frequencies)["cases"]) by_name[one["name"]] = &one;
  REQUIRE((*file)["cases"].size() == 11);

  for (const Json& one : (*file)["cases"]) {
    CAPTURE(one["name"].get<std::string>());
    const Json& described = *by_name.at(one["frequencies"]);
    const Frequencies scaled = ladder(described);
    const Index head_dim = one["head_dim"], rotary_dim = one["rotary_dim"], pairs = rotary_dim / 2;
    REQUIRE(scaled.dim() == rotary_dim);
    const bool half = one["layout"] == "half";
    const Rope<TestType> rope(scaled, half ? PairLayout::half : PairLayout::interleaved, head_dim);
    const long double g = number(one["attention_factor"]);
    CHECK(std::abs(scaled.attention_factor() / g - 1) <= omega_error);

    const std::vector<double> numbers_of_x = numbers(one["x"]);  // exact in both types
    const Rows<TestType> x = Eigen::Map<const Eigen::RowVectorXd>(numbers_of_x.data(), head_dim).cast<TestType>();
    const auto positions = one["positions"].get<std::vector<Position>>();
    Rows<TestType> list = x.replicate(static_cast<Index>(positions.size()), 1);
    rope.rotate(list, positions);
    long double worst = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      Rows<TestType> alone = x;
      rope.rotate(alone, positions[i]);
      CHECK(std::memcmp(alone.data(), &list(static_cast<Index>(i), 0), sizeof(TestType) * numbers_of_x.size()) == 0);
      const Index passing = head_dim - rotary_dim;
      CHECK(std::memcmp(alone.data() + rotary_dim, x.data() + rotary_dim,
                        sizeof(TestType) * static_cast<std::size_t>(passing)) == 0);
      for (Index c = 0; c < rotary_dim; ++c) {
        const Index k = half ? c % pairs : c / 2, partner = half ? (c + pairs) % rotary_dim : c ^ 1;
        const long double omega = number(described["omega"][static_cast<std::size_t>(k)]);
        const long double expected = number(one["y"][i][static_cast<std::size_t>(c)]);
        const long double size =
            g * (std::abs(static_cast<long double>(x(c))) + std::abs(static_cast<long double>(x(partner))));
        const long double angle = std::abs(static_cast<long double>(positions[i])) * omega;
        const long double allowed = (sine_error<TestType> + angle * omega_error) * size + rounding<TestType>(expected);
        worst = std::max(worst, std::abs(static_cast<long double>(alone(c)) - expected) / allowed);
      }
    }
    CHECK(worst <= 1);
  }
}

TEMPLATE_TEST_CASE("Scaled ropes are undone by unrotate and moved by shift without a second attention factor",
                   "[rope][scaling][oracle]", float, double) {
  const auto file = oracle("rope_scaled.json"), frequencies = oracle("frequencies.json");
  if (!file || !frequencies) return skip("no reference file rope_scaled.json or frequencies.json");
  std::map<std::string, const Json*> by_name;
  for (const Json& one : (*frequencies)["cases"]) by_name[one["name"]] = &one;
  for (const Json& one : (*file)["cases"]) {
    CAPTURE(one["name"].get<std::string>());
    const bool half = one["layout"] == "half";
    const Rope<TestType> rope(ladder(*by_name.at(one["frequencies"])),
                              half ? PairLayout::half : PairLayout::interleaved, one["head_dim"]);
    const std::vector<double> values = numbers(one["x"]);
    const Rows<TestType> x = Eigen::Map<const Eigen::RowVectorXd>(values.data(), rope.head_dim()).cast<TestType>();
    // Values are below 2 and g below 1.35, so a rotated one is off by 2 x 2 x 1.35 sine errors and a rounding at most, and
    // one that is rotated twice by three times that; each step keeps what came in.
    const auto allowed = static_cast<TestType>(40 * sine_error<TestType>);
    for (const Json& position : one["positions"]) {
      Rows<TestType> there = x, back, moved = x;
      rope.rotate(there, position.get<Position>());
      back = there;
      rope.unrotate(back, position.get<Position>());
      CHECK((back - x).cwiseAbs().maxCoeff() <= allowed);
      rope.rotate(moved, 1000);
      rope.shift(moved, position.get<Position>() - 1000);
      CHECK((moved - there).cwiseAbs().maxCoeff() <= allowed);
    }
  }
}

#else

TEST_CASE("the reference files of scaled ropes are not read without nlohmann-json", "[rope][scaling][oracle]") {
  posenc_test::skip("no nlohmann-json");
}

#endif
