// config.json files of published models, cut to the fields that matter, against facts computed here from the formulas.

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "oracle.hpp"

#if defined(POSENC_TEST_HAS_JSON)

#include <posenc/hf_config.hpp>

using Catch::Matchers::Message;
using Catch::Matchers::WithinRel;
using posenc::Frequencies;
using posenc::frequencies_from_config;
using posenc::Index;
using posenc::PairLayout;
using posenc::Rope;
using posenc::rope_from_config;
using posenc::softmax_multiplier_from_config;
using posenc_test::contains;
using posenc_test::Json;

namespace {

const long double pi = 3.141592653589793238462643383279502884L;

Json config_of(const std::string& model) {
  std::ifstream file(POSENC_TEST_ROOT "/tests/configs/" + model + ".json");
  REQUIRE(file);
  return Json::parse(file);
}

using Formula = std::function<long double(Index)>;

/// base^(-2k/dim)
Formula ladder(Index dim, long double base) {
  return [=](Index k) { return std::pow(base, -2 * static_cast<long double>(k) / static_cast<long double>(dim)); };
}

Formula llama3(Formula unscaled, long double factor) {  // low 1, high 4, trained length 8192
  return [=](Index k) {
    const long double v = unscaled(k), turns = 8192 * v / (2 * pi);
    const long double kept = turns > 4 ? 1 : turns < 1 ? 0 : (turns - 1) / 3;
    return kept * v + (1 - kept) * v / factor;
  };
}

Formula yarn(Index dim, long double base, long double factor, long double length, bool truncate = true) {
  const auto place = [=](long double turns) {
    return static_cast<long double>(dim) * std::log(length / (2 * pi * turns)) / (2 * std::log(base));
  };
  const long double low = truncate ? std::floor(place(32)) : place(32);
  const long double high = truncate ? std::ceil(place(1)) : place(1);
  return [=](Index k) {
    const long double slowed = std::min(1.0L, std::max(0.0L, (static_cast<long double>(k) - low) / (high - low)));
    return ladder(dim, base)(k) * (1 - slowed + slowed / factor);
  };
}

struct Facts {
  Index head_dim, rotary_dim;
  Formula omega;
  double attention_factor = 1;
  Index axes = 1;
};

void check(const Rope<double>& rope, const Facts& facts) {
  const Frequencies& frequencies = rope.frequencies();
  CHECK(rope.head_dim() == facts.head_dim);
  REQUIRE(rope.rotary_dim() == facts.rotary_dim);
  CHECK(rope.first_channel() == 0);
  CHECK(rope.axes() == facts.axes);
  CHECK_THAT(frequencies.attention_factor(), WithinRel(facts.attention_factor, 1e-15));
  for (Index k = 0; k < frequencies.size(); ++k) {
    CAPTURE(k);
    CHECK_THAT(frequencies[k], WithinRel(static_cast<double>(facts.omega(k)), 2e-15));
  }
}

void check(const std::string& model, const Facts& facts) {
  CAPTURE(model);
  check(rope_from_config<double>(config_of(model), PairLayout::half), facts);
}

bool same_bits(const Frequencies& a, const Frequencies& b) {
  if (a.dim() != b.dim() || a.attention_factor() != b.attention_factor()) return false;
  for (Index k = 0; k < a.size(); ++k) {
    if (a[k] != b[k] || a.step(k).whole != b.step(k).whole || a.step(k).fraction != b.step(k).fraction) return false;
  }
  return true;
}

/// The axis of every pair, seen from outside: the pair's angle is not 0 only at positions on its own axis.
std::vector<Index> axis_of_pair(const Rope<double>& rope) {
  std::vector<Index> result(static_cast<std::size_t>(rope.rotary_dim() / 2), -1);
  for (Index axis = 0; axis < rope.axes(); ++axis) {
    Eigen::MatrixXd position = Eigen::MatrixXd::Zero(1, rope.axes());
    position(0, axis) = 1;
    const auto table = rope.table(position);
    for (Index k = 0; k < table.sin.cols(); ++k) {
      if (table.sin(0, k) != 0) result[static_cast<std::size_t>(k)] = axis;
    }
  }
  return result;
}

/// The older spelling of a config in the newer one.
Json in_newer_spelling(Json config) {
  Json rope =
      config.contains("rope_scaling") && config["rope_scaling"].is_object() ? config["rope_scaling"] : Json::object();
  config.erase("rope_scaling");
  const Json type = rope.value("rope_type", rope.value("type", Json("default")));
  rope.erase("type");
  rope["rope_type"] = type == "su" ? "longrope" : type == "mrope" ? "default" : type;
  for (const char* key : {"rope_theta", "partial_rotary_factor", "original_max_position_embeddings"}) {
    if (!config.contains(key)) continue;
    rope[key] = config[key];
    config.erase(key);
  }
  config["rope_parameters"] = rope;
  return config;
}

/// A small model to vary.
Json small(const Json& scaling = nullptr) {
  return {{"model_type", "llama"},           {"hidden_size", 64},     {"num_attention_heads", 4},
          {"max_position_embeddings", 8192}, {"rope_theta", 10000.0}, {"rope_scaling", scaling}};
}
Json changed(Json config, const Json& patch) {
  config.update(patch);
  return config;
}

/// The message without the name of the library and of the function.
std::string refusal(const Json& config, std::optional<Index> seq_len = std::nullopt,
                    const std::string& layer_type = "") {
  try {
    rope_from_config(config, PairLayout::half, seq_len, layer_type);
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what(), start = "posenc::rope_from_config: ";
    return text.rfind(start, 0) == 0 ? text.substr(start.size()) : text;
  }
  return "not refused";
}

}  // namespace

// --- Published models ------------------------------------------------------------------------------------------------

TEST_CASE("hf_config: Llama 2 turns whole heads of 128 with base 10000 which its config leaves out") {
  check("llama2_7b", {128, 128, ladder(128, 1e4L)});
}

TEST_CASE("hf_config: Llama 3.1 and 3.2 slow their last pairs 8 and 32 times and keep the first") {
  check("llama3.1_8b", {128, 128, llama3(ladder(128, 5e5L), 8)});
  check("llama3.2_1b", {64, 64, llama3(ladder(64, 5e5L), 32)});
}

TEST_CASE("hf_config: Mistral has no scaling") { check("mistral_7b", {128, 128, ladder(128, 1e4L)}); }

TEST_CASE("hf_config: Qwen2.5 with YaRN has the ramp of 4 times 32768 and its attention factor") {
  check("qwen2.5_7b_yarn", {128, 128, yarn(128, 1e6L, 4, 32768), 0.1 * std::log(4.0) + 1});
}

TEST_CASE("hf_config: Qwen2-VL turns 16 pairs by time then 24 by height and 24 by width") {
  check("qwen2_vl_7b", {128, 128, ladder(128, 1e6L), 1, 3});
  std::vector<Index> axes(16, 0);
  axes.insert(axes.end(), 24, 1);
  axes.insert(axes.end(), 24, 2);
  CHECK(axis_of_pair(rope_from_config<double>(config_of("qwen2_vl_7b"), PairLayout::half)) == axes);
}

TEST_CASE("hf_config: Qwen3-VL and Qwen3.5 interleave their axes and Qwen3.5 turns a quarter of the head") {
  check("qwen3_vl_8b", {128, 128, ladder(128, 5e6L), 1, 3});
  check("qwen3.5_35b_a3b", {256, 64, ladder(64, 1e7L), 1, 3});
  const auto expected = [](Index pairs, Index height, Index width) {
    std::vector<Index> axes;
    for (Index k = 0; k < pairs; ++k) {
      axes.push_back(k % 3 == 1 && k < 3 * height ? 1 : k % 3 == 2 && k < 3 * width ? 2 : 0);
    }
    return axes;
  };
  CHECK(axis_of_pair(rope_from_config<double>(config_of("qwen3_vl_8b"), PairLayout::half)) == expected(64, 20, 20));
  CHECK(axis_of_pair(rope_from_config<double>(config_of("qwen3.5_35b_a3b"), PairLayout::half)) == expected(32, 11, 10));
}

TEST_CASE("hf_config: Phi-3 with long context has one list up to 4096 and the other beyond") {
  const Json config = config_of("phi3_mini_128k");
  const double attention_factor = std::sqrt(1 + std::log(32.0) / std::log(4096.0));
  for (const Index seq_len : {Index{1}, Index{4096}, Index{4097}, Index{131072}}) {
    CAPTURE(seq_len);
    const Json divisor = config["rope_scaling"][seq_len > 4096 ? "long_factor" : "short_factor"];
    const auto omega = [&](Index k) {
      return ladder(96, 1e4L)(k) / posenc_test::number(divisor[static_cast<std::size_t>(k)]);
    };
    check(rope_from_config<double>(config, PairLayout::half, seq_len), {96, 96, omega, attention_factor});
  }
}

TEST_CASE("hf_config: GPT-NeoX and StableLM turn a quarter of the head with a ladder of that width") {
  check("gpt_neox_20b", {96, 24, ladder(24, 1e4L)});
  check("stablelm_3b", {80, 20, ladder(20, 1e4L)});
}

TEST_CASE("hf_config: GPT-J turns 64 of 256 channels in neighbouring pairs") {
  const auto rope = rope_from_config<double>(config_of("gpt_j_6b"), PairLayout::interleaved);
  check(rope, {256, 64, ladder(64, 1e4L)});
  CHECK(rope.layout() == PairLayout::interleaved);
}

TEST_CASE("hf_config: Gemma 2 has heads wider than hidden_size by num_attention_heads") {
  check("gemma2_2b", {256, 256, ladder(256, 1e4L)});
}

TEST_CASE("hf_config: Gemma 3 has another base in sliding layers and Gemma 4 another width in full ones") {
  const auto rope = [](const char* model, const char* layer_type) {
    return rope_from_config<double>(config_of(model), PairLayout::half, std::nullopt, layer_type);
  };
  check(rope("gemma3_1b", "full_attention"), {256, 256, ladder(256, 1e6L)});
  check(rope("gemma3_1b", "sliding_attention"), {256, 256, ladder(256, 1e4L)});
  check(rope("gemma4_e2b", "sliding_attention"), {256, 256, ladder(256, 1e4L)});
  check(rope("gemma4_e2b", "full_attention"), {512, 512, [](Index k) { return k < 64 ? ladder(512, 1e6L)(k) : 0.0L; }});
}

TEST_CASE("hf_config: DeepSeek-V3 turns the 64 rope channels and puts its magnitude into the softmax scale") {
  check("deepseek_v3", {64, 64, yarn(64, 1e4L, 40, 4096), 1});
  const double magnitude = 0.1 * std::log(40.0) + 1;
  CHECK_THAT(softmax_multiplier_from_config(config_of("deepseek_v3")), WithinRel(magnitude * magnitude, 1e-15));
  CHECK(softmax_multiplier_from_config(config_of("qwen2.5_7b_yarn")) == 1);
  CHECK(softmax_multiplier_from_config(config_of("llama2_7b")) == 1);
  const Json without_mla = small(R"({"type": "yarn", "factor": 4, "mscale": 1, "mscale_all_dim": 1})"_json);
  CHECK(softmax_multiplier_from_config(without_mla) == 1);
}

TEST_CASE("hf_config: gpt-oss has a ramp between pairs since truncate is false") {
  check("gpt_oss_20b", {64, 64, yarn(64, 1.5e5L, 32, 4096, false), 0.1 * std::log(32.0) + 1});
}

// --- Laws ------------------------------------------------------------------------------------------------------------

TEST_CASE("hf_config: both spellings of every model and scaling give the same bits and axes") {
  std::vector<Json> configs;
  for (const char* model :
       {"llama2_7b", "llama3.1_8b", "llama3.2_1b", "mistral_7b", "qwen2.5_7b_yarn", "qwen2_vl_7b", "phi3_mini_128k",
        "gpt_neox_20b", "gpt_j_6b", "gemma2_2b", "deepseek_v3", "gpt_oss_20b", "stablelm_3b"}) {
    configs.push_back(config_of(model));
  }
  for (const Json& scaling : {R"({"type": "linear", "factor": 3})"_json, R"({"type": "dynamic", "factor": 3})"_json,
                              R"({"type": "proportional", "partial_rotary_factor": 0.5, "factor": 2})"_json}) {
    configs.push_back(small(scaling));
  }
  for (const Json& config : configs) {
    const Json newer = in_newer_spelling(config);
    CAPTURE(config.dump(), newer.dump());
    const Rope<double> a = rope_from_config<double>(config, PairLayout::half, 20000);
    const Rope<double> b = rope_from_config<double>(newer, PairLayout::half, 20000);
    CHECK(same_bits(a.frequencies(), b.frequencies()));
    CHECK(a.head_dim() == b.head_dim());
    CHECK(axis_of_pair(a) == axis_of_pair(b));
    CHECK(same_bits(a.frequencies(), frequencies_from_config(config, 20000)));
  }
}

TEST_CASE("hf_config: linear and dynamic and proportional are read with their factors") {
  const auto small_rope = [](const char* scaling, Index seq_len = 0) {
    return rope_from_config<double>(small(Json::parse(scaling)), PairLayout::half, seq_len);
  };
  const Formula v = ladder(16, 1e4L);
  check(small_rope(R"({"type": "linear", "factor": 3})"), {16, 16, [&](Index k) { return v(k) / 3; }});
  check(small_rope(R"({"type": "dynamic", "factor": 3})", 8192), {16, 16, v});
  const long double larger = 1e4L * std::pow(3 * 20000 / 8192.0L - 2, 16 / 14.0L);
  check(small_rope(R"({"type": "dynamic", "factor": 3})", 20000), {16, 16, ladder(16, larger)});
  check(small_rope(R"({"type": "proportional", "partial_rotary_factor": 0.5, "factor": 2})"),
        {16, 16, [&](Index k) { return k < 4 ? v(k) / 2 : 0; }});
}

TEST_CASE("hf_config: null counts as absent and whole numbers as well as decimal ones are read") {
  Json config =
      small(R"({"type": "yarn", "factor": 4, "attention_factor": null, "beta_fast": null, "mscale": null})"_json);
  config.update(
      R"({"head_dim": null, "partial_rotary_factor": null, "rope_parameters": null, "text_config": null})"_json);
  const Json decimal = changed(small(R"({"type": "yarn", "factor": 4.0})"_json),
                               R"({"hidden_size": 64.0, "num_attention_heads": 4.0, "rope_theta": 10000})"_json);
  CHECK(same_bits(frequencies_from_config(config), frequencies_from_config(decimal)));
  check(rope_from_config<double>(config, PairLayout::half), {16, 16, yarn(16, 1e4L, 4, 8192), 0.1 * std::log(4.0) + 1});
}

TEST_CASE("hf_config: YaRN takes its missing factor and trained length from max_position_embeddings") {
  check(rope_from_config<double>(small(R"({"type": "yarn", "original_max_position_embeddings": 2048})"_json),
                                 PairLayout::half),
        {16, 16, yarn(16, 1e4L, 4, 2048), 0.1 * std::log(4.0) + 1});
  CHECK(refusal(small(R"({"type": "yarn"})"_json)) == "factor is missing");
}

TEST_CASE("hf_config: every YaRN field changes what it should") {
  const auto read = [](const char* fields) {
    Json scaling = R"({"type": "yarn", "factor": 4, "original_max_position_embeddings": 2048})"_json;
    scaling.update(Json::parse(fields));
    return frequencies_from_config(small(scaling));
  };
  CHECK(read(R"({"attention_factor": 1.5})").attention_factor() == 1.5);
  CHECK_THAT(read(R"({"mscale": 2, "mscale_all_dim": 0.5})").attention_factor(),
             WithinRel((0.2 * std::log(4.0) + 1) / (0.05 * std::log(4.0) + 1), 1e-15));
  for (const char* field : {R"({"beta_fast": 100})", R"({"beta_slow": 3})", R"({"truncate": false})"}) {
    CAPTURE(field);
    CHECK_FALSE(same_bits(read(field), read("{}")));
  }
  CHECK(same_bits(read(R"({"beta_fast": 32, "beta_slow": 1, "truncate": true})"), read("{}")));
}

TEST_CASE("hf_config: LongRoPE takes the attention factor of the list that is used where a config has both") {
  Json config = config_of("phi3_mini_128k");
  config["rope_scaling"].update(R"({"short_mscale": 1.125, "long_mscale": 1.25})"_json);
  CHECK(frequencies_from_config(config, 4096).attention_factor() == 1.125);
  CHECK(frequencies_from_config(config, 4097).attention_factor() == 1.25);
}

TEST_CASE("hf_config: with qk_rope_head_dim partial_rotary_factor counts of the whole head and must agree") {
  Json config = config_of("deepseek_v3");
  config["partial_rotary_factor"] = 64.0 / 192;
  check(rope_from_config<double>(config, PairLayout::interleaved), {64, 64, yarn(64, 1e4L, 40, 4096)});
  config["partial_rotary_factor"] = 0.5;
  CHECK(refusal(config) == "partial_rotary_factor makes 96 channels turn, but qk_rope_head_dim makes it 64");
}

TEST_CASE("hf_config: a config of several parts is read like its text_config alone") {
  const Json config = config_of("qwen3_vl_8b");
  CHECK(same_bits(frequencies_from_config(config), frequencies_from_config(config["text_config"])));
}

// --- Errors ----------------------------------------------------------------------------------------------------------

TEST_CASE("hf_config: an error names its function and the key and what was found") {
  CHECK_THROWS_MATCHES(rope_from_config(Json::array(), PairLayout::half), std::invalid_argument,
                       Message("posenc::rope_from_config: the config must be an object, got []"));
  CHECK_THROWS_MATCHES(frequencies_from_config(changed(small(), {{"rope_theta", "1e4"}})), std::invalid_argument,
                       Message("posenc::frequencies_from_config: rope_theta must be a number, got \"1e4\""));
  CHECK_THROWS_MATCHES(softmax_multiplier_from_config(changed(small(), {{"alibi", 1}})), std::invalid_argument,
                       Message("posenc::softmax_multiplier_from_config: alibi must be true or false, got 1"));
}

TEST_CASE("hf_config: an unknown rope_type is refused with the known ones") {
  const std::string known =
      "rope_type must be default, linear, dynamic, yarn, longrope (su), llama3, proportional or mrope";
  CHECK(refusal(small({{"type", "xdrope"}})) == known + ", got xdrope");
  CHECK(refusal(small({{"rope_type", "Linear"}, {"factor", 2}})) == known + ", got Linear");
  CHECK(refusal(small({{"rope_type", ""}, {"factor", 2}})) == "rope_type must be a name, got \"\"");
  CHECK(refusal(small({{"rope_type", 3}})) == "rope_type must be a name, got 3");
}

TEST_CASE("hf_config: a required key that is missing is named") {
  Json config = small();
  config.erase("num_attention_heads");
  CHECK(refusal(config) == "num_attention_heads is missing");
  CHECK(refusal(small({{"type", "linear"}})) == "factor is missing");
  CHECK(refusal(small({{"type", "llama3"}, {"factor", 8}})) == "low_freq_factor is missing");
  CHECK(refusal(small({{"type", "llama3"}, {"factor", 8}, {"low_freq_factor", 1}})) == "high_freq_factor is missing");
  CHECK(refusal(small({{"type", "mrope"}})) == "mrope_section is missing");
  CHECK(refusal(small({{"type", "longrope"}}), 1) == "original_max_position_embeddings is missing");
  Json lengthless = small({{"type", "dynamic"}, {"factor", 2}});
  lengthless.erase("max_position_embeddings");
  CHECK(refusal(lengthless, 1) == "max_position_embeddings is missing");
}

TEST_CASE("hf_config: dynamic and longrope without seq_len are refused and the others do not need it") {
  CHECK(refusal(config_of("phi3_mini_128k")) == "rope_type longrope needs a seq_len");
  CHECK(refusal(small({{"type", "dynamic"}, {"factor", 2}})) == "rope_type dynamic needs a seq_len");
  CHECK(refusal(small({{"type", "linear"}, {"factor", 2}})) == "not refused");
}

TEST_CASE("hf_config: values of a wrong type or size are refused") {
  CHECK(refusal(small("yarn")) == "rope_parameters must be an object, got \"yarn\"");
  CHECK(refusal(small({{"type", "linear"}, {"factor", "2"}})) == "factor must be a number, got \"2\"");
  CHECK(refusal(small({{"type", "yarn"}, {"factor", 2}, {"truncate", 1}})) == "truncate must be true or false, got 1");
  CHECK(refusal(changed(small(), {{"head_dim", 16.5}})) == "head_dim must be a positive whole number, got 16.5");
  CHECK(refusal(changed(small(), {{"head_dim", 0}})) == "head_dim must be a positive whole number, got 0");
  CHECK(refusal(changed(small(), {{"num_attention_heads", 5}})) ==
        "hidden_size must be a multiple of num_attention_heads 5, got 64");
  CHECK(refusal(changed(small(), {{"head_dim", 15}})) == "the rotary width must be even and within [2, 15], got 15");
  CHECK(refusal(changed(small(), {{"partial_rotary_factor", 1.5}})) ==
        "partial_rotary_factor must be within [0, 1], got 1.5");
  CHECK(refusal(changed(small(), {{"partial_rotary_factor", 0}})) ==
        "the rotary width must be even and within [2, 16], got 0");
  CHECK(refusal(changed(small(), {{"rotary_dim", 32}})) == "the rotary width must be even and within [2, 16], got 32");
  Json phi = config_of("phi3_mini_128k");
  phi["rope_scaling"]["long_factor"][3] = "1";
  CHECK(refusal(phi, 1) == "long_factor must be an array of numbers, got \"1\" in it");
  phi["rope_scaling"]["long_factor"] = 1;
  CHECK(refusal(phi, 1) == "long_factor must be an array, got 1");
  CHECK_THAT(refusal(small({{"type", "linear"}, {"factor", -2}})), contains("scale_linear: factor must be within"));
  CHECK_THAT(refusal(changed(small(), {{"rope_theta", 0}})), contains("base must be within [1, 1e18], got 0"));
}

TEST_CASE("hf_config: mrope sections that are not whole or do not add up are refused") {
  const auto with_sections = [](const char* sections) {
    return refusal(small({{"type", "mrope"}, {"mrope_section", Json::parse(sections)}}));
  };
  CHECK(with_sections("[2, 3, 3]") == "not refused");
  CHECK(with_sections("[2, 3, 4]") ==
        "mrope_section must be whole numbers that add up to the 8 pairs that turn, got [2,3,4]");
  for (const char* sections : {"[2.5, 2.5, 3]", "[-2, 5, 5]", "[1e300, 4, 4]", "[]"}) {
    CAPTURE(sections);
    CHECK(with_sections(sections) != "not refused");
  }
}

TEST_CASE("hf_config: places that contradict each other are refused") {
  CHECK(refusal(small({{"rope_theta", 5e5}})) == "rope_theta is 10000.0 in one place and 500000.0 in another");
  CHECK(refusal(small({{"rope_theta", 10000}})) == "not refused");
  CHECK(refusal(small({{"type", "linear"}, {"rope_type", "yarn"}, {"factor", 2}})) ==
        "rope_type is yarn, but type is linear");
  CHECK(refusal(small({{"type", "mrope"}, {"rope_type", "default"}, {"mrope_section", {2, 3, 3}}})) == "not refused");
  CHECK(refusal(changed(small({{"type", "linear"}, {"factor", 2}}),
                        {{"rope_parameters", {{"type", "linear"}, {"factor", 4}}}}))
            .rfind("rope_parameters is {", 0) == 0);
  CHECK(refusal(changed(small(), {{"rotary_pct", 0.5}, {"partial_rotary_factor", 0.25}})) ==
        "partial_rotary_factor is 0.25 in one place and 0.5 in another");
  CHECK(refusal(changed(small(), {{"rotary_dim", 4}, {"partial_rotary_factor", 0.5}})) ==
        "partial_rotary_factor makes 8 channels turn, but rotary_dim makes it 4");
  CHECK(refusal(changed(small(), {{"rotary_dim", 8}, {"partial_rotary_factor", 0.5}})) == "not refused");
  CHECK(refusal(changed(small(), {{"text_config", {{"rope_theta", 2e4}}}})) ==
        "rope_theta is 10000.0 in one place and 20000.0 in another");
}

TEST_CASE("hf_config: a rope_interleave that contradicts the layout given is refused with both") {
  const auto said_of = [](const Json& config, PairLayout layout) -> std::string {
    try {
      return rope_from_config(config, layout).layout() == layout ? "taken" : "another layout";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  const std::string start = "posenc::rope_from_config: rope_interleave is ";
  const Json pairs_side_by_side = changed(config_of("deepseek_v3"), {{"rope_interleave", true}});
  CHECK(said_of(pairs_side_by_side, PairLayout::interleaved) == "taken");
  CHECK(said_of(pairs_side_by_side, PairLayout::half) == start + "true, but the layout given is half");
  const Json pairs_apart = changed(small(), {{"rope_interleave", false}});
  CHECK(said_of(pairs_apart, PairLayout::half) == "taken");
  CHECK(said_of(pairs_apart, PairLayout::interleaved) == start + "false, but the layout given is interleaved");
  const Json inside = {{"model_type", "kimi"}, {"text_config", pairs_side_by_side}};
  CHECK(said_of(inside, PairLayout::half) == start + "true, but the layout given is half");
  for (const PairLayout layout : {PairLayout::half, PairLayout::interleaved}) {
    CHECK(said_of(changed(small(), {{"rope_interleave", nullptr}, {"indexer_rope_interleave", true}}), layout) ==
          "taken");
    CHECK(said_of(changed(small(), {{"rope_interleave", 1}}), layout) ==
          "posenc::rope_from_config: rope_interleave must be true or false, got 1");
  }
}

TEST_CASE("hf_config: keys about a rope that are not understood are refused and others are not looked at") {
  const std::string advice = "; leave it out if the program itself follows it";
  CHECK(refusal(small({{"type", "dynamic"}, {"alpha", 1000}, {"factor", 1}}), 1) ==
        "key alpha is not understood here, got 1000" + advice);
  CHECK(refusal(small({{"factor", 8}})) == "key factor is not understood here, got 8" + advice);
  CHECK(refusal(small({{"type", "llama3"}, {"factor", 8}, {"beta_fast", 32}})) ==
        "key beta_fast is not understood here, got 32" + advice);
  for (const char* key :
       {"rope_ratio", "local_rope_theta", "swa_rope_theta", "rotary_emb_fraction", "xdrope_section"}) {
    CHECK(refusal(changed(small(), {{key, 2}})) ==
          std::string("key ") + key + " is not understood here, got 2" + advice);
  }
  CHECK(refusal(changed(small(), {{"rope_ratio", nullptr},
                                  {"attention_dropout", 0},
                                  {"indexer_rope_interleave", true},
                                  {"no_rope_layers", {0, 1}},
                                  {"properties", 1}})) == "not refused");
}

TEST_CASE("hf_config: a model without rope or with one of its own is refused") {
  for (const char* key : {"alibi", "use_alibi", "mla_nope", "mla_use_nope", "use_dynamic_ntk"}) {
    CHECK(refusal(changed(small(), {{key, true}})) ==
          std::string(key) + " is true: there is no rope, or none that can be read here");
    CHECK(refusal(changed(small(), {{key, false}})) == "not refused");
  }
  CHECK(refusal(changed(small(), {{"rotary", false}})) == "rotary is false: there is no rope");
  CHECK(refusal(changed(small(), {{"use_rope", false}})) == "use_rope is false: there is no rope");
  CHECK(refusal(changed(small(), {{"position_embedding_type", "nope"}})) ==
        "position_embedding_type must be rope or rotary, got \"nope\"");
  CHECK(refusal(changed(small(), {{"position_embedding_type", "rotary"}})) == "not refused");
  CHECK(refusal(changed(small({{"type", "default"}, {"mrope_section", {2, 3, 3}}}),
                        {{"model_type", "ernie4_5_moe_vl"}})) == "mrope_section of ernie4_5 has an order of its own");
}

TEST_CASE("hf_config: a key left out is refused where the model has an unusual default for it") {
  const auto without = [](const char* model, const char* key) {
    Json config = config_of(model);
    config.erase(key);
    return refusal(config);
  };
  CHECK(without("gemma2_2b", "head_dim") == "head_dim is missing, and has no default in gemma2");
  CHECK(without("gpt_oss_20b", "head_dim") == "head_dim is missing, and has no default in gpt_oss");
  CHECK(without("gpt_neox_20b", "rotary_pct") == "partial_rotary_factor is missing, and has no default in gpt_neox");
  CHECK(without("stablelm_3b", "partial_rotary_factor") ==
        "partial_rotary_factor is missing, and has no default in stablelm");
  CHECK(without("gpt_j_6b", "rotary_dim") == "rotary_dim is missing, and has no default in gptj");
  CHECK(without("qwen2_vl_7b", "rope_scaling") == "mrope_section is missing, and has no default in qwen2_vl");
  CHECK(without("mistral_7b", "rope_theta") ==
        "rope_theta is missing, and 10000 is not known to be the default of model_type 'mistral'");
  Json config = config_of("qwen3_vl_8b");
  config["text_config"]["rope_scaling"].erase("mrope_interleaved");
  CHECK(refusal(config) == "mrope_interleaved is missing, and has no default in qwen3_vl");
}

TEST_CASE("hf_config: where the rope differs by layer a layer_type must be given") {
  const std::string both = "layer_type must say which rope, one of full_attention sliding_attention but is ";
  CHECK(refusal(config_of("gemma4_e2b")) == both + "''");
  CHECK(refusal(config_of("gemma4_e2b"), std::nullopt, "full") == both + "'full'");
  CHECK(refusal(config_of("gemma3_1b")) == both + "''");
  Json config = config_of("gemma4_e2b");
  config["text_config"]["rope_parameters"]["factor"] = 2;
  CHECK(refusal(config, std::nullopt, "full_attention") ==
        "rope_parameters has objects for layers, but also keys of its own: factor ");
  CHECK(refusal(changed(small(), {{"head_dim", 16}, {"global_head_dim", 32}})) ==
        "with global_head_dim layer_type must be full_attention or sliding_attention, got ''");
  CHECK(refusal(changed(small(), {{"head_dim", 16}, {"global_head_dim", 32}}), std::nullopt, "full_atention") ==
        "with global_head_dim layer_type must be full_attention or sliding_attention, got 'full_atention'");
}

TEST_CASE("hf_config: values of a wrong kind are refused by their own name") {
  CHECK(refusal(changed(small(), {{"text_config", "x"}})) == "text_config must be an object, got \"x\"");
  CHECK(refusal(changed(small(), {{"text_config", nullptr}})) == "not refused");
  CHECK(refusal(changed(small(), {{"model_type", 7}})) == "model_type must be a name, got 7");
  CHECK(refusal(changed(small(), {{"model_type", nullptr}})) == "not refused");
  CHECK(refusal(changed(small(), {{"model_type", "\xff\xfe"}})) == "not refused");
  CHECK(refusal(changed(small(), {{"model_type", "\xff"}, {"rope_theta", nullptr}})) ==
        "rope_theta is missing, and 10000 is not known to be the default of model_type '\xff'");
  const double not_a_number = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  CHECK(refusal(changed(small(), {{"rope_theta", not_a_number}})) == "rope_theta must be a number, got nan");
  CHECK(refusal(changed(small(), {{"head_dim", infinity}})) == "head_dim must be a number, got inf");
  CHECK(refusal(changed(small(), {{"rotary_emb_base", infinity}})) ==
        "rope_theta is 10000.0 in one place and inf in another");
  CHECK(refusal(small({{"type", "linear"}, {"factor", {{"a", 1}}}})) == "factor must be a number, got {\"a\":1}");
  CHECK(refusal(small({{"mrope_section", {4, not_a_number}}})) ==
        "mrope_section must be an array of numbers, got nan in it");
}

TEST_CASE("hf_config: a key is about a rope where a word of it begins so") {
  CHECK(refusal(changed(small(), {{"europe_size", 3}, {"tropes", 1}})) == "not refused");
  for (const char* key : {"rope_new", "my_rope", "use_mrope_new", "rotary_new", "new_rotary"}) {
    CHECK(refusal(changed(small(), {{key, 3}})) ==
          std::string("key ") + key + " is not understood here, got 3; leave it out if the program itself follows it");
  }
}

TEST_CASE("hf_config: sections left out of an interleaved rope are not taken for a plain one") {
  const std::string missing = "mrope_section is missing, but mrope_interleaved true";
  CHECK(refusal(small({{"type", "default"}, {"mrope_interleaved", true}})) == missing);
  CHECK(refusal(small({{"type", "default"}, {"mrope_interleaved", false}})) == "not refused");
}

#else

TEST_CASE("hf_config: config files are not read without nlohmann-json") { posenc_test::skip("no nlohmann-json"); }

#endif
