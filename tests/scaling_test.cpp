#include <posenc/scaling.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"

using Catch::Matchers::WithinRel;
using posenc::Frequencies;
using posenc::Index;

namespace {

const long double pi = 3.141592653589793238462643383279502884L;

/// base^(-2k/dim), the ladder before scaling.
long double unscaled(Index k, Index dim, long double base) {
  return std::pow(base, -2 * static_cast<long double>(k) / static_cast<long double>(dim));
}

/// Largest |omega_k / formula(k) - 1|; where the formula is 0, omega_k has to be.
template <class Formula>
double largest_error(const Frequencies& frequencies, Formula formula) {
  long double worst = 0;
  for (Index k = 0; k < frequencies.size(); ++k) {
    const long double truth = formula(k);
    worst = std::max(worst, truth == 0 ? std::abs(frequencies[k] + 0.0L) : std::abs(frequencies[k] / truth - 1));
  }
  return static_cast<double>(worst);
}

bool same(const Frequencies& a, const Frequencies& b) {
  if (a.dim() != b.dim() || a.attention_factor() != b.attention_factor()) return false;
  for (Index k = 0; k < a.size(); ++k) {
    if (a[k] != b[k] || a.step(k).whole != b.step(k).whole || a.step(k).fraction != b.step(k).fraction) return false;
  }
  return true;
}

const double not_a_number = std::numeric_limits<double>::quiet_NaN(),
             infinity = std::numeric_limits<double>::infinity();
using Refused = std::vector<std::pair<double, const char*>>;  // values and how a message shows them
const Index dims[] = {2, 4, 6, 8, 10, 64, 96, 130, 256}, lengths[] = {40, 2048, 4096, 32768, 131072, 1000003};
const double bases[] = {1.5, 100, 1e4, 5e5, 1e6, 1e18}, factors[] = {0.5, 1, 1.1, 4, 10, 40};

}  // namespace

// --- Definition ----------------------------------------------------------------------------------------------

TEST_CASE("linear divides every frequency by the factor and keeps the attention factor") {
  for (const double factor : factors) {
    for (const double base : bases) {
      const Frequencies scaled = posenc::scale_linear(Frequencies::geometric(130, base), factor);
      CHECK(largest_error(scaled, [&](Index k) { return unscaled(k, 130, base) / factor; }) <= 1e-15);
      CHECK(scaled.attention_factor() == 1);
    }
  }
  CHECK(posenc::scale_linear(Frequencies::from_values(std::vector<double>{1, -2}, 1.25), 4)[1] == -0.5);
  CHECK(posenc::scale_linear(Frequencies::from_values(std::vector<double>{1, -2}, 1.25), 4).attention_factor() == 1.25);
}

TEST_CASE("static NTK is within 1e-15 of its formula for every width and base and alpha from 1e-6 to 1e9") {
  for (const Index dim : dims) {
    if (dim == 2) continue;
    for (const double base : bases) {
      for (const double alpha : {1e-6, 0.3, 1.0, 2.0, 8.0, 1234.5, 1e9}) {
        CAPTURE(dim, base, alpha);
        const long double d = static_cast<long double>(dim);
        const long double larger = base * std::pow(static_cast<long double>(alpha), d / (d - 2));
        CHECK(largest_error(posenc::scale_ntk(dim, base, alpha), [&](Index k) { return unscaled(k, dim, larger); }) <=
              1e-15);
      }
    }
  }
}

TEST_CASE("dynamic NTK is within 1e-15 of its formula beyond max_position and the default up to it") {
  for (const Index dim : dims) {
    if (dim == 2) continue;
    for (const double factor : factors) {
      for (const Index seq_len : {0, 1, 2047, 2048, 2049, 2050, 10000, 131072, 5000000}) {
        CAPTURE(dim, factor, seq_len);
        const Frequencies scaled = posenc::scale_dynamic_ntk(dim, 1e4, factor, 2048, seq_len);
        if (seq_len <= 2048) {
          CHECK(same(scaled, Frequencies::geometric(dim, 1e4)));
        } else {
          const long double d = static_cast<long double>(dim), s = static_cast<long double>(seq_len);
          const long double larger = 1e4L * std::pow(factor * s / 2048 - (factor - 1.0L), d / (d - 2));
          CHECK(largest_error(scaled, [&](Index k) { return unscaled(k, dim, larger); }) <= 1e-15);
        }
      }
    }
  }
}

TEST_CASE("YaRN is within 1e-15 of its formula with the ramp on whole pairs and between them") {
  for (const Index dim : dims) {
    for (const double base : bases) {
      for (const Index length : lengths) {
        for (const double factor : factors) {
          for (const double beta_fast : {32.0, 1.0, 1000.0, 7.3}) {
            for (const bool truncate : {true, false}) {
              posenc::YarnParameters parameters{factor, length, beta_fast};
              parameters.truncate = truncate;
              const auto place = [&](long double turns) {
                return static_cast<long double>(dim) * std::log(static_cast<long double>(length) / (2 * pi * turns)) /
                       (2 * std::log(static_cast<long double>(base)));
              };
              long double low = place(beta_fast), high = place(1);
              if (truncate) low = std::floor(low), high = std::ceil(high);
              low = std::max(low, 0.0L);
              high = std::min(high, static_cast<long double>(dim - 1));
              if (low == high) high += 0.001L;
              const auto formula = [&](Index k) {
                const long double r =
                    std::min(1.0L, std::max(0.0L, (static_cast<long double>(k) - low) / (high - low)));
                return (1 - r) * unscaled(k, dim, base) + r * unscaled(k, dim, base) / factor;
              };
              CAPTURE(dim, base, length, factor, beta_fast, truncate);
              const Frequencies scaled = posenc::scale_yarn(dim, base, parameters);
              REQUIRE(largest_error(scaled, formula) <= 1e-15);
              const double magnitude = factor <= 1 ? 1 : 0.1 * std::log(factor) + 1;
              REQUIRE_THAT(scaled.attention_factor(), WithinRel(magnitude, 1e-15));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("Llama 3 is within 1e-15 of its formula in all three bands and with equal low and high factors") {
  for (const Index dim : dims) {
    for (const double base : bases) {
      for (const Index length : lengths) {
        for (const double factor : factors) {
          for (const double high : {4.0, 1.0, 1.25, 1000.0}) {
            const auto formula = [&](Index k) {
              const long double v = unscaled(k, dim, base), turns = static_cast<long double>(length) * v / (2 * pi);
              if (turns > high) return v;
              if (turns < 1) return v / factor;
              const long double s = (turns - 1) / (high - 1.0L);
              return (1 - s) * v / factor + s * v;
            };
            CAPTURE(dim, base, length, factor, high);
            const Frequencies scaled = posenc::scale_llama3(dim, base, {factor, 1, high, length});
            REQUIRE(largest_error(scaled, formula) <= 1e-15);
            REQUIRE(scaled.attention_factor() == 1);
          }
        }
      }
    }
  }
}

TEST_CASE("LongRoPE divides by the short list up to the trained length and by the long list beyond it") {
  posenc::LongRopeParameters parameters{{1, 1.5, 2}, {4, 8.5, 1e9}, 4096, 131072};
  for (const Index seq_len : {0, 1, 4095, 4096, 4097, 131072, 10000000}) {
    CAPTURE(seq_len);
    const auto& list = seq_len > 4096 ? parameters.long_factor : parameters.short_factor;
    const Frequencies scaled = posenc::scale_longrope(6, 1e4, parameters, seq_len);
    CHECK(largest_error(scaled, [&](Index k) { return unscaled(k, 6, 1e4) / list[static_cast<std::size_t>(k)]; }) <=
          1e-15);
    CHECK_THAT(scaled.attention_factor(), WithinRel(std::sqrt(1 + std::log(32.0) / std::log(4096.0)), 1e-15));
  }
  parameters.factor = 8;  // counts in place of max_position / original_max_position, which then may be left out
  parameters.max_position = 0;
  CHECK_THAT(posenc::scale_longrope(6, 1e4, parameters, 1).attention_factor(),
             WithinRel(std::sqrt(1 + std::log(8.0) / std::log(4096.0)), 1e-15));
  parameters.factor = 0.5;
  CHECK(posenc::scale_longrope(6, 1e4, parameters, 1).attention_factor() == 1);
  parameters.attention_factor = 1.75;
  CHECK(posenc::scale_longrope(6, 1e4, parameters, 1).attention_factor() == 1.75);
}

TEST_CASE("proportional turns the first pairs with the exponents of the whole head and leaves the others at rest") {
  for (const Index dim : dims) {
    for (const double part : {0.0, 0.1, 0.25, 0.5, 0.75, 0.99, 1.0}) {
      for (const double factor : factors) {
        CAPTURE(dim, part, factor);
        const Index live = static_cast<Index>(part * static_cast<double>(dim) / 2);
        const Frequencies scaled = posenc::scale_proportional(dim, 1e4, part, factor);
        CHECK(scaled.dim() == dim);
        CHECK(largest_error(scaled, [&](Index k) { return k < live ? unscaled(k, dim, 1e4) / factor : 0; }) <= 1e-15);
      }
    }
  }
}

TEST_CASE("YaRN attention factor is the given one or else of both mscales or else of the factor") {
  const auto attention = [](std::optional<double> given, std::optional<double> mscale, std::optional<double> all_dim,
                            double factor = 40) {
    return posenc::scale_yarn(64, 1e4, {factor, 4096, 32, 1, true, given, mscale, all_dim}).attention_factor();
  };
  const auto magnitude = [](double m) { return 0.1 * m * std::log(40.0) + 1; };
  CHECK(attention(0.5, 1, 0.75) == 0.5);
  CHECK_THAT(attention({}, 1, 0.75), WithinRel(magnitude(1) / magnitude(0.75), 1e-15));
  CHECK_THAT(attention({}, 0.707, 1), WithinRel(magnitude(0.707) / magnitude(1), 1e-15));
  CHECK_THAT(attention({}, {}, {}), WithinRel(magnitude(1), 1e-15));
  CHECK_THAT(attention({}, 0.75, {}), WithinRel(magnitude(1), 1e-15));  // one alone does not count, nor does a zero
  CHECK_THAT(attention({}, {}, 0.75), WithinRel(magnitude(1), 1e-15));
  CHECK_THAT(attention({}, 0.75, 0), WithinRel(magnitude(1), 1e-15));
  CHECK_THAT(attention({}, 0, 0.75), WithinRel(magnitude(1), 1e-15));
  CHECK(attention({}, 1, 0.75, 1) == 1);
  CHECK(attention({}, {}, {}, 0.5) == 1);

  const auto multiplier = [](std::optional<double> all_dim, double factor = 40) {
    return posenc::yarn_softmax_multiplier({factor, 4096, 32, 1, true, {}, {}, all_dim});
  };
  CHECK_THAT(multiplier(1), WithinRel(magnitude(1) * magnitude(1), 1e-15));
  CHECK_THAT(multiplier(0.75), WithinRel(magnitude(0.75) * magnitude(0.75), 1e-15));
  CHECK(multiplier({}) == 1);
  CHECK(multiplier(0) == 1);
  CHECK(multiplier(1, 1) == 1);
}

// --- Published values ------------------------------------------------------------------------------------------

#if defined(POSENC_TEST_HAS_JSON)
using posenc_test::Json;
using posenc_test::number;

namespace {

/// The ladder that a case of the reference files describes.
Frequencies ladder_of(const std::string& type, const Json& p) {
  const Index dim = p.at("rotary_dim");
  const double base = p.at("base");
  const auto optional = [&](const char* name) {
    return p.contains(name) ? std::optional<double>(p[name].get<double>()) : std::nullopt;
  };
  const auto seq_len = [&](const char* none) { return p.at("seq_len").is_null() ? p.at(none) : p.at("seq_len"); };
  if (type == "default") return Frequencies::geometric(dim, base);
  if (type == "linear") return posenc::scale_linear(Frequencies::geometric(dim, base), p.at("factor"));
  if (type == "ntk") return posenc::scale_ntk(dim, base, p.at("alpha"));
  if (type == "dynamic") {
    return posenc::scale_dynamic_ntk(dim, base, p.at("factor"), p.at("max_position_embeddings"),
                                     seq_len("max_position_embeddings"));
  }
  if (type == "yarn") {
    return posenc::scale_yarn(dim, base,
                              {p.at("factor"), p.at("original_max_position_embeddings"), p.value("beta_fast", 32.0),
                               p.value("beta_slow", 1.0), p.value("truncate", true), optional("attention_factor"),
                               optional("mscale"), optional("mscale_all_dim")});
  }
  if (type == "llama3") {
    return posenc::scale_llama3(
        dim, base,
        {p.at("factor"), p.at("low_freq_factor"), p.at("high_freq_factor"), p.at("original_max_position_embeddings")});
  }
  if (type == "longrope") {
    return posenc::scale_longrope(dim, base,
                                  {p.at("short_factor"), p.at("long_factor"), p.at("original_max_position_embeddings"),
                                   p.at("max_position_embeddings"), optional("factor"), optional("attention_factor")},
                                  seq_len("original_max_position_embeddings"));
  }
  REQUIRE(type == "proportional");
  return posenc::scale_proportional(p.at("head_dim"), base, p.at("partial_rotary_factor"), p.value("factor", 1.0));
}

}  // namespace

TEST_CASE("every case of frequencies.json is met within 1e-15") {
  const auto file = posenc_test::oracle("frequencies.json");
  if (!file) return posenc_test::skip("no reference file frequencies.json");
  std::size_t cases = 0;
  for (const Json& entry : file->at("cases")) {
    const Json& p = entry.at("params");
    const std::string name = entry.at("name"), type = entry.at("rope_type");
    CAPTURE(name);
    const Frequencies f = ladder_of(type, p);
    REQUIRE(f.size() == static_cast<Index>(entry.at("omega").size()));
    CHECK(largest_error(f, [&](Index k) { return number(entry["omega"][static_cast<std::size_t>(k)]); }) <= 1e-15);
    CHECK_THAT(f.attention_factor(), WithinRel(static_cast<double>(number(entry.at("attention_factor"))), 1e-15));

    const Frequencies plain = Frequencies::geometric(p.at("rotary_dim"), p.at("base"));
    const auto extra = [&](const char* what) { return number(entry.at(what)); };
    if (entry.contains("effective_base")) {
      const long double larger = extra("effective_base");
      CHECK(largest_error(f, [&](Index k) { return unscaled(k, f.dim(), larger); }) <= 1e-15);
    }
    if (entry.contains("band")) {
      const std::string band = entry["band"];
      const double factor = p["factor"];
      for (Index k = 0; k < f.size(); ++k) {
        const char letter = f[k] == plain[k] ? 'H' : f[k] == plain[k] / factor ? 'L' : 'M';
        CHECK(letter == band[static_cast<std::size_t>(k)]);
      }
    }
    if (entry.contains("ramp_low")) {
      const auto place = [&](double turns) {
        const auto found = posenc::detail::place_of(plain, p["base"], p["original_max_position_embeddings"], turns);
        return static_cast<long double>(found.whole) + static_cast<long double>(found.rest);
      };
      CHECK(std::abs(place(32) / extra("correction_low_raw") - 1) <= 1e-16L);
      CHECK(std::abs(place(1) / extra("correction_high_raw") - 1) <= 1e-16L);
      for (Index k = 0; k < f.size(); ++k) {
        const long double pair = static_cast<long double>(k);
        if (pair <= extra("ramp_low")) CHECK(f[k] == plain[k]);
        if (pair >= extra("ramp_high")) CHECK_THAT(f[k], WithinRel(plain[k] / p["factor"].get<double>(), 4e-16));
      }
    }
    if (entry.contains("softmax_scale_multiplier")) {
      const double multiplier = posenc::yarn_softmax_multiplier({p.at("factor"),
                                                                 p.at("original_max_position_embeddings"),
                                                                 32,
                                                                 1,
                                                                 true,
                                                                 {},
                                                                 p.at("mscale"),
                                                                 p.at("mscale_all_dim")});
      CHECK_THAT(multiplier, WithinRel(static_cast<double>(extra("softmax_scale_multiplier")), 1e-15));
    }
    if (entry.contains("selected")) {
      const Json& list = p.at(entry["selected"] == "long" ? "long_factor" : "short_factor");
      CHECK(largest_error(f, [&](Index k) { return plain[k] / number(list[static_cast<std::size_t>(k)]); }) <= 4e-16);
    }
    if (entry.contains("rotating_pairs")) {
      const Index live = entry["rotating_pairs"];
      for (Index k = 0; k < f.size(); ++k) CHECK((f[k] != 0) == (k < live));
    }
    ++cases;
  }
  CHECK(cases == 33);
}

TEST_CASE("every table of hf_rope_expected.json is met within the tolerance that it states") {
  const auto file = posenc_test::oracle("hf_rope_expected.json");
  if (!file) return posenc_test::skip("no reference file hf_rope_expected.json");
  for (const Json& entry : file->at("cases")) {
    const std::string name = entry.at("name");
    CAPTURE(name);
    const Frequencies f = ladder_of(entry.at("rope_type"), entry.at("params"));
    REQUIRE(f.size() == static_cast<Index>(entry.at("omega").size()));
    REQUIRE(entry.at("tolerance").at("abs") == 0);
    const double tolerance = entry["tolerance"].at("rel");
    CHECK(largest_error(f, [&](Index k) { return number(entry["omega"][static_cast<std::size_t>(k)]); }) <= tolerance);
    CHECK_THAT(f.attention_factor(), WithinRel(entry.at("attention_factor").get<double>(), 1e-15));
  }
  CHECK(file->at("cases").size() == 5);
}

TEST_CASE("every identity of hf_rope_expected.json holds") {
  const auto file = posenc_test::oracle("hf_rope_expected.json");
  if (!file) return posenc_test::skip("no reference file hf_rope_expected.json");
  const Json& identities = file->at("identities");
  const Index dim = identities.at("default").at("rotary_dim");
  const double base = identities["default"].at("base");
  const Index length = identities["default"].at("max_position_embeddings");
  const Frequencies plain = Frequencies::geometric(dim, base);
  const auto check_attention = [](const Frequencies& f, const Json& entry) {
    if (entry.contains("attention_factor")) {
      CHECK_THAT(f.attention_factor(), WithinRel(entry["attention_factor"].get<double>(), 1e-15));
    }
  };
  const auto given = [](const Json& entry) {
    return entry.contains("given_attention_factor")
               ? std::optional<double>(entry["given_attention_factor"].get<double>())
               : std::nullopt;
  };

  for (const Json& entry : identities.at("linear")) {
    const Frequencies f = posenc::scale_linear(plain, entry.at("factor"));
    CHECK(largest_error(f, [&](Index k) { return plain[k] / number(entry["factor"]); }) <= 2e-16);
    check_attention(f, entry);
  }
  for (const Json& entry : identities.at("dynamic")) {
    const Index seq_len = entry.at("seq_len").is_null() ? length : entry["seq_len"].get<Index>();
    const Frequencies f = posenc::scale_dynamic_ntk(dim, base, entry.at("factor"), length, seq_len);
    CHECK(same(f, plain));
    check_attention(f, entry);
  }
  for (const Json& entry : identities.at("yarn_attention")) {
    posenc::YarnParameters parameters{entry.at("factor"), length};
    parameters.attention_factor = given(entry);
    check_attention(posenc::scale_yarn(dim, base, parameters), entry);
  }
  for (const Json& entry : identities.at("yarn_bounds")) {
    const double factor = entry.at("factor"), beta_fast = entry.at("beta_fast");
    const Frequencies f = posenc::scale_yarn(
        dim, base, {factor, entry.at("original_max_position_embeddings"), beta_fast, entry.at("beta_slow")});
    for (Index k = 0; k < f.size(); ++k) {
      CHECK(f[k] >= plain[k] / factor - 1e-8);
      CHECK(f[k] <= plain[k] + 1e-8);
      if (beta_fast == 1000) {
        CHECK((k == 0 ? f[k] == plain[k] : f[k] < plain[k]));
        if (k >= f.size() - 20) CHECK_THAT(f[k], WithinRel(plain[k] / factor, 4e-16));
      }
    }
  }
  for (const Json& entry : identities.at("longrope")) {
    posenc::LongRopeParameters parameters;
    parameters.original_max_position = length;
    parameters.factor = entry.at("factor").get<double>();
    parameters.attention_factor = given(entry);
    parameters.short_factor.assign(64, 2);
    for (Index k = 0; k < 64; ++k) parameters.long_factor.push_back(static_cast<double>(k + 1));
    const Index seq_len = entry.value("seq_len", Index{1});
    const Frequencies f = posenc::scale_longrope(dim, base, parameters, seq_len);
    const auto divided = [&](Index k) { return plain[k] / (seq_len > 2048 ? static_cast<long double>(k + 1) : 2.0L); };
    CHECK(largest_error(f, divided) <= 4e-16);
    check_attention(f, entry);
  }
  for (const Json& entry : identities.at("llama3")) {
    const double factor = entry.at("factor"), high = entry.at("high_freq_factor");
    const Frequencies f = posenc::scale_llama3(
        dim, base, {factor, entry.at("low_freq_factor"), high, entry.at("original_max_position_embeddings")});
    for (Index k = 0; k < f.size(); ++k) {
      CHECK(f[k] >= plain[k] / factor * (1 - 4e-16));
      CHECK((high == 1000 ? f[k] < plain[k] : f[k] <= plain[k]));
    }
    check_attention(f, entry);
  }
  for (const Json& entry : identities.at("proportional")) {
    const Json& parts = entry.at("partial_rotary_factor");
    for (const Json& part : parts.is_array() ? parts : Json::array({parts})) {
      const double factor = entry.value("factor", 1.0);
      const Index live = static_cast<Index>(64 * part.get<double>());
      const Frequencies f = posenc::scale_proportional(dim, base, part, factor);
      CHECK(f.size() == dim / 2);
      CHECK(f.attention_factor() == 1);
      CHECK(largest_error(f, [&](Index k) { return k < live ? static_cast<long double>(plain[k]) / factor : 0; }) <=
            2e-16);
    }
  }
}
#endif

// --- Laws ----------------------------------------------------------------------------------------------------

TEST_CASE("a factor of 1 changes no bit of any frequency") {
  const Frequencies plain = Frequencies::geometric(128, 5e5);
  const std::vector<double> ones(64, 1.0);
  const auto unchanged = [&](const Frequencies& f) {
    CHECK(f.attention_factor() == 1);
    return largest_error(f, [&](Index k) { return plain[k]; }) == 0;
  };
  CHECK(unchanged(posenc::scale_linear(plain, 1)));
  CHECK(unchanged(posenc::scale_ntk(128, 5e5, 1)));
  CHECK(unchanged(posenc::scale_proportional(128, 5e5, 1)));
  CHECK(unchanged(posenc::scale_longrope(128, 5e5, {ones, ones, 4096, 4096}, 5000)));
  // In their ramps the two mix v with v, which may round once more.
  CHECK(largest_error(posenc::scale_yarn(128, 5e5, {1, 4096}), [&](Index k) { return plain[k]; }) <= 3e-16);
  CHECK(largest_error(posenc::scale_llama3(128, 5e5, {1, 1, 4, 8192}), [&](Index k) { return plain[k]; }) <= 4e-16);
}

TEST_CASE("scaled frequencies turn by exactly the number they show") {
  const Frequencies f = posenc::scale_yarn(64, 1.5e5, {32, 4096});
  for (Index k = 0; k < f.size(); ++k) CHECK(f.step(k).fraction == posenc::step_of(f[k]).fraction);
}

TEST_CASE("NTK keeps the first frequency and divides the last one by alpha") {
  for (const Index dim : {4, 64, 128}) {
    const Frequencies plain = Frequencies::geometric(dim, 1e4), f = posenc::scale_ntk(dim, 1e4, 8);
    CHECK(f[0] == 1);
    CHECK_THAT(f[dim / 2 - 1], WithinRel(plain[dim / 2 - 1] / 8, 3e-16));
  }
}

// --- Edges ---------------------------------------------------------------------------------------------------

TEST_CASE("YaRN ramps of no width and beyond the ladder go by the formula") {
  const Frequencies plain = Frequencies::geometric(8, 1e4);
  const auto kept = [&](const Frequencies& f) {  // how many pairs are kept, the others being slowed down in full
    Index count = 0;
    while (count < f.size() && f[count] == plain[count]) ++count;
    for (Index k = count; k < f.size(); ++k) CHECK(f[k] == plain[k] / 4);
    return count;
  };
  // lo = hi = 0: only pair 0 stands at or below it
  CHECK(kept(posenc::scale_yarn(8, 1e4, {4, 6, 0.955, 0.954})) == 1);
  // lo = hi between pairs 1 and 2
  CHECK(kept(posenc::scale_yarn(8, 1e4, {4, 1000, 5, 5, false})) == 2);
  // lo = 2 and hi would be 9 but is held at dim - 1 = 7, not at the last pair, so r_3 = 1/5
  CHECK_THAT(posenc::scale_yarn(8, 1e4, {4, 1000000, 1000, 0.001})[3], WithinRel(plain[3] * (0.8 + 0.2 / 4), 4e-16));
  // L below a turn of the fastest pair: hi is negative, and by the formula r_k = 0 for all
  CHECK(kept(posenc::scale_yarn(8, 1e4, {4, 1, 100, 100})) == 4);
  // and all are slowed down in full where lo is beyond dim - 1
  CHECK(kept(posenc::scale_yarn(8, 1e4, {4, Index{1} << 40, 32, 1})) == 0);
}

TEST_CASE("the smallest and the largest values allowed give finite ladders") {
  for (const double factor : {1e-6, 1e9}) {
    for (const double base : {1.0, 1 + 0x1p-52, 1e18}) {
      for (const Index length : {Index{1}, Index{1} << 62}) {
        const auto check = [](const Frequencies& f) {
          for (Index k = 0; k < f.size(); ++k) CHECK((f[k] > 0 && f[k] <= 1e6));
        };
        check(posenc::scale_linear(Frequencies::geometric(6, base), factor));
        check(posenc::scale_ntk(6, base, factor));
        check(posenc::scale_llama3(6, base, {factor, 1e-6, 1e9, length}));
        if (base > 1) check(posenc::scale_yarn(6, base, {factor, length, 1e9, 1e-6}));
        if (base > 1) check(posenc::scale_yarn(6, base, {factor, length, 32, 1, false}));
      }
    }
  }
}

// --- Errors --------------------------------------------------------------------------------------------------

TEST_CASE("widths and bases that no ladder has are refused by name") {
  const std::vector<double> three(3, 1.0);
  const auto check = [](const std::string& name, const std::string& width, Index least, auto scale) {
    const std::string rule = "posenc::" + name + ": " + width + " must be even and at least " + std::to_string(least);
    CHECK_THROWS_WITH(scale(Index{7}, 1e4), rule + ", got 7");
    CHECK_THROWS_WITH(scale(Index{0}, 1e4), rule + ", got 0");
    CHECK_THROWS_WITH(scale(Index{-4}, 1e4), rule + ", got -4");
    CHECK_THROWS_WITH(scale(Index{6}, 0.0), "posenc::" + name + ": base must be within [1, 1e18], got 0");
    CHECK_THROWS_WITH(scale(Index{6}, -1e4), "posenc::" + name + ": base must be within [1, 1e18], got -10000");
    CHECK_THROWS_WITH(scale(Index{6}, infinity), "posenc::" + name + ": base must be within [1, 1e18], got inf");
    CHECK_THROWS_WITH(scale(Index{6}, not_a_number), "posenc::" + name + ": base must be within [1, 1e18], got nan");
    if (least == 4) CHECK_THROWS_WITH(scale(Index{2}, 1e4), rule + ", got 2");
    if (least == 2) CHECK(scale(Index{6}, 1e4).size() == 3);
  };
  check("scale_ntk", "dim", 4, [](Index dim, double base) { return posenc::scale_ntk(dim, base, 2); });
  check("scale_dynamic_ntk", "dim", 4,
        [](Index dim, double base) { return posenc::scale_dynamic_ntk(dim, base, 2, 2048, 1); });
  check("scale_yarn", "dim", 2, [](Index dim, double base) { return posenc::scale_yarn(dim, base, {4, 2048}); });
  check("scale_llama3", "dim", 2, [](Index dim, double base) {
    return posenc::scale_llama3(dim, base, {8, 1, 4, 2048});
  });
  check("scale_longrope", "dim", 2, [&](Index dim, double base) {
    return posenc::scale_longrope(dim, base, {three, three, 2048, 4096}, 1);
  });
  check("scale_proportional", "head_dim", 2,
        [](Index dim, double base) { return posenc::scale_proportional(dim, base, 0.5); });
  CHECK_THROWS_WITH(posenc::scale_linear(Frequencies::geometric(7), 2),
                    "posenc::scale_linear: the width of the frequencies must be even, got 7");
  CHECK_THROWS_WITH(posenc::scale_yarn(6, 1, {4, 2048}), "posenc::scale_yarn: base must be greater than 1, got 1");
}

TEST_CASE("a factor that is not a positive number is refused by name wherever it stands") {
  const std::vector<double> three(3, 1.0);
  const auto check = [](const std::string& name, const std::string& parameter, auto scale) {
    for (const auto& [value, text] : Refused{{0, "0"},
                                             {-2, "-2"},
                                             {1e-7, "1e-07"},
                                             {2e9, "2e+09"},
                                             {infinity, "inf"},
                                             {-infinity, "-inf"},
                                             {not_a_number, "nan"}}) {
      CHECK_THROWS_WITH(scale(value),
                        "posenc::" + name + ": " + parameter + " must be within [1e-6, 1e9], got " + text);
    }
    CHECK_NOTHROW(scale(1));
  };
  check("scale_linear", "factor", [](double x) { posenc::scale_linear(Frequencies::geometric(8), x); });
  check("scale_ntk", "alpha", [](double x) { posenc::scale_ntk(8, 1e4, x); });
  check("scale_dynamic_ntk", "factor", [](double x) { posenc::scale_dynamic_ntk(8, 1e4, x, 2048, 1); });
  check("scale_yarn", "factor", [](double x) { posenc::scale_yarn(8, 1e4, {x, 2048}); });
  check("scale_yarn", "beta_fast", [](double x) { posenc::scale_yarn(8, 1e4, {4, 2048, x, 1}); });
  check("scale_yarn", "beta_slow", [](double x) { posenc::scale_yarn(8, 1e4, {4, 2048, 32, x}); });
  check("yarn_softmax_multiplier", "factor", [](double x) { posenc::yarn_softmax_multiplier({x, 2048}); });
  check("scale_llama3", "factor", [](double x) { posenc::scale_llama3(8, 1e4, {x, 1, 4, 2048}); });
  check("scale_llama3", "low_freq_factor", [](double x) { posenc::scale_llama3(8, 1e4, {8, x, 4, 2048}); });
  check("scale_llama3", "high_freq_factor", [](double x) { posenc::scale_llama3(8, 1e4, {8, 1, x, 2048}); });
  check("scale_longrope", "factor", [&](double x) {
    posenc::scale_longrope(6, 1e4, {three, three, 2048, 4096, x}, 1);
  });
  check("scale_longrope", "short_factor[2]", [&](double x) {
    posenc::scale_longrope(6, 1e4, {{1, 1, x}, three, 2048, 4096}, 1);
  });
  check("scale_longrope", "long_factor[0]", [&](double x) {
    posenc::scale_longrope(6, 1e4, {three, {x, 1, 1}, 2048, 4096}, 1);
  });
  check("scale_proportional", "factor", [](double x) { posenc::scale_proportional(8, 1e4, 0.5, x); });
  CHECK_THROWS_WITH(posenc::scale_dynamic_ntk(8, 1e4, 1e6, 1, 1001),
                    "posenc::scale_dynamic_ntk: factor seq_len / max_position - (factor - 1) must be within [1e-6, "
                    "1e9], got 1000000001");
}

TEST_CASE("lengths and lists and ranges that do not fit are refused by name") {
  const std::vector<double> two(2, 1.0), three(3, 1.0), four(4, 1.0);
  CHECK_THROWS_WITH(posenc::scale_dynamic_ntk(8, 1e4, 2, 0, 1),
                    "posenc::scale_dynamic_ntk: max_position must be at least 1, got 0");
  CHECK_THROWS_WITH(posenc::scale_dynamic_ntk(8, 1e4, 2, 1, -1),
                    "posenc::scale_dynamic_ntk: seq_len must be at least 0, got -1");
  CHECK_THROWS_WITH(posenc::scale_yarn(8, 1e4, {4, 0}),
                    "posenc::scale_yarn: original_max_position must be at least 1, got 0");
  CHECK_THROWS_WITH(posenc::scale_yarn(8, 1e4, {4, 2048, 1, 2}),
                    "posenc::scale_yarn: beta_slow must not be greater than beta_fast 1, got 2");
  for (const auto& [value, text] : Refused{{0, "0"}, {-1, "-1"}, {2e6, "2e+06"}, {not_a_number, "nan"}}) {
    const std::string rule = std::string(": attention_factor must be within [1e-6, 1e6], got ") + text;
    CHECK_THROWS_WITH(posenc::scale_yarn(8, 1e4, {4, 2048, 32, 1, true, value}), "posenc::scale_yarn" + rule);
    CHECK_THROWS_WITH(posenc::scale_longrope(6, 1e4, {three, three, 2048, 4096, {}, value}, 1),
                      "posenc::scale_longrope" + rule);
  }
  for (const auto& [value, text] :
       {std::pair<double, const char*>{-1, "-1"}, {1001, "1001"}, {infinity, "inf"}, {not_a_number, "nan"}}) {
    const std::string rule = std::string(": mscale and mscale_all_dim must be within [0, 1000], got ") + text;
    CHECK_THROWS_WITH(posenc::scale_yarn(8, 1e4, {4, 2048, 32, 1, true, {}, value, 1}), "posenc::scale_yarn" + rule);
    CHECK_THROWS_WITH(posenc::scale_yarn(8, 1e4, {4, 2048, 32, 1, true, {}, 1, value}), "posenc::scale_yarn" + rule);
    CHECK_THROWS_WITH(posenc::yarn_softmax_multiplier({4, 2048, 32, 1, true, {}, 1, value}),
                      "posenc::yarn_softmax_multiplier" + rule);
  }
  CHECK_THROWS_WITH(posenc::scale_llama3(8, 1e4, {8, 4, 1, 2048}),
                    "posenc::scale_llama3: low_freq_factor must not be greater than high_freq_factor 1, got 4");
  CHECK_THROWS_WITH(posenc::scale_llama3(8, 1e4, {8, 1, 4, 0}),
                    "posenc::scale_llama3: original_max_position must be at least 1, got 0");

  CHECK_THROWS_WITH(posenc::scale_longrope(6, 1e4, {two, three, 2048, 4096}, 1),
                    "posenc::scale_longrope: short_factor must have 3 entries, one per pair, got 2");
  CHECK_THROWS_WITH(posenc::scale_longrope(6, 1e4, {three, four, 2048, 4096}, 1),
                    "posenc::scale_longrope: long_factor must have 3 entries, one per pair, got 4");
  CHECK_THROWS_WITH(posenc::scale_longrope(6, 1e4, {three, three, 1, 4096}, 1),
                    "posenc::scale_longrope: original_max_position must be at least 2, got 1");
  CHECK_THROWS_WITH(posenc::scale_longrope(6, 1e4, {three, three, 2048, 4096}, -1),
                    "posenc::scale_longrope: seq_len must be at least 0, got -1");
  CHECK_THROWS_WITH(posenc::scale_longrope(6, 1e4, {three, three, 2048, 0}, 1),
                    "posenc::scale_longrope: max_position, where no factor is given, must be at least 1, got 0");
  for (const auto& [value, text] : Refused{{-0.1, "-0.1"}, {1.5, "1.5"}, {not_a_number, "nan"}}) {
    CHECK_THROWS_WITH(
        posenc::scale_proportional(8, 1e4, value),
        std::string("posenc::scale_proportional: partial_rotary_factor must be within [0, 1], got ") + text);
  }
}
