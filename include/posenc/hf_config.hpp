#pragma once
// Reads the rope of a Hugging Face config.json. Optional: needs nlohmann-json, and posenc.hpp does not include it.

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "posenc/axes.hpp"
#include "posenc/hf_keys.hpp"
#include "posenc/rope.hpp"
#include "posenc/scaling.hpp"

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// What a config.json says of its rope: the values from all places, each under one name; null is as good as nothing.
/// Refused is what could be silently wrong: places that contradict each other, keys about a rope that are not
/// understood, and keys left out where the model's own code has an unusual default.
class HfConfig {
  using Json = nlohmann::json;

 public:
  HfConfig(const char* function, const Json& config, const std::string& layer_type)
      : function_(function), layer_type_(layer_type) {
    need(config.is_object(), "the config must be an object, got ", shown(config));
    const Json text = config.value("text_config", Json());
    need(text.is_null() || text.is_object(), "text_config must be an object, got ", shown(text));
    take(config, hf_config_keys);
    if (text.is_object()) take(text, hf_config_keys);
    const Json model = (text.is_object() ? text : config).value("model_type", Json());
    need(model.is_null() || model.is_string(), "model_type must be a name, got ", shown(model));
    if (model.is_string()) model_type_ = model.get<std::string>();
    for (const char* end : {"_text", "_moe"}) model_type_ = model_type_.substr(0, model_type_.find(end));
    // qwen3_vl of qwen3_vl_moe_text
    take_rope();
    refuse();
  }

  Index head_dim() const {
    if (has("qk_rope_head_dim")) return whole("qk_rope_head_dim");
    need(!has("global_head_dim") || has_word("full_attention sliding_attention", layer_type_),
         "with global_head_dim layer_type must be full_attention or sliding_attention, got '", layer_type_, "'");
    if (has("global_head_dim") && layer_type_ == "full_attention") return whole("global_head_dim");
    if (has("head_dim")) return whole("head_dim");
    const Index width = whole("hidden_size"), heads = whole("num_attention_heads");
    need(width % heads == 0, "hidden_size must be a multiple of num_attention_heads ", heads, ", got ", width);
    return width / heads;
  }

  Frequencies frequencies(std::optional<Index> seq_len) const {
    const Index dim = rotary_dim();
    const double base = rope_theta();
    need(seq_len || !has_word("dynamic longrope", type_), "rope_type ", type_, " needs a seq_len");
    if (type_ == "default") return Frequencies::geometric(dim, base);
    if (type_ == "yarn") return scale_yarn(dim, base, yarn());
    if (type_ == "longrope") return scale_longrope(dim, base, longrope(*seq_len), *seq_len);
    if (type_ == "proportional") return scale_proportional(dim, base, fraction(), number("factor", 1));
    const double factor = number("factor");
    if (type_ == "linear") return scale_linear(Frequencies::geometric(dim, base), factor);
    if (type_ == "dynamic") return scale_dynamic_ntk(dim, base, factor, whole("max_position_embeddings"), *seq_len);
    return scale_llama3(dim, base, {factor, number("low_freq_factor"), number("high_freq_factor"), trained_length()});
  }

  PairAxes axes(Index pairs) const {
    if (!has("mrope_section")) return {};
    std::vector<Index> sections;
    for (const double count : list("mrope_section")) {
      const bool is_whole = is_between(count, 0, static_cast<double>(pairs)) && count == std::floor(count);
      sections.push_back(is_whole ? static_cast<Index>(count) : pairs + 1);
    }
    need(sum_of_sections(sections, function_) == pairs, "mrope_section must be whole numbers that add up to the ",
         pairs, " pairs that turn, got ", shown(values_.at("mrope_section")));
    return flag("mrope_interleaved", false) ? mrope_interleaved(sections) : mrope_chunked(sections);
  }
  void agree(PairLayout layout) const {
    if (!has("rope_interleave")) return;
    const bool interleaved = flag("rope_interleave", false);
    need(interleaved == (layout == PairLayout::interleaved), "rope_interleave is ", interleaved ? "true" : "false",
         ", but the layout given is ", layout == PairLayout::half ? "half" : "interleaved");
  }
  double softmax() const { return type_ == "yarn" && has("qk_rope_head_dim") ? yarn_softmax_multiplier(yarn()) : 1; }

 private:
  template <class... Parts>
  void need(bool condition, const Parts&... parts) const {
    require(condition, function_, ": ", parts...);
  }
  static bool is_infinite(const Json& value) { return value.is_number() && !is_finite(value.get<double>()); }
  static std::string shown(const Json& value) {
    if (is_infinite(value)) return detail::text(value.get<double>());
    const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
  }
  bool has(const char* key) const { return values_.contains(key); }
  const Json& value(const char* key, bool (Json::*is)() const noexcept, const char* what) const {
    need(has(key), key, " is missing");
    const Json& value = values_.at(key);
    need((value.*is)() && !is_infinite(value), key, " must be ", what, ", got ", shown(value));
    return value;
  }
  double number(const char* key, std::optional<double> otherwise = {}) const {
    return otherwise && !has(key) ? *otherwise : value(key, &Json::is_number, "a number").get<double>();
  }
  std::optional<double> maybe(const char* key) const { return has(key) ? std::optional(number(key)) : std::nullopt; }
  Index whole(const char* key) const {
    const double n = number(key);
    need(is_between(n, 1, 0x1p53) && n == std::floor(n), key, " must be a positive whole number, got ", n);
    return static_cast<Index>(n);
  }
  bool flag(const char* key, bool otherwise) const {
    return has(key) ? value(key, &Json::is_boolean, "true or false").get<bool>() : otherwise;
  }
  std::vector<double> list(const char* key) const {
    std::vector<double> result;
    for (const Json& item : value(key, &Json::is_array, "an array")) {
      need(item.is_number() && !is_infinite(item), key, " must be an array of numbers, got ", shown(item), " in it");
      result.push_back(item.get<double>());
    }
    return result;
  }

  /// Takes over the values of the known keys; others must not be about a rope.
  void take(const Json& place, const std::string& known, bool about_rope = false) {
    for (const auto& [key, value] : place.items()) {
      std::string name = key, framed = "_" + key + "_";
      for (const HfWords& other : hf_other_names) name = has_word(other.words, key) ? other.name : name;
      bool relevant = about_rope || has_word(known, name);
      for (const char* part : {"_rope", "_mrope", "_xdrope", "_rotary"})
        relevant = relevant || framed.find(part) != key.npos;
      if (!relevant || value.is_null()) continue;
      need(has_word(known, name), "key ", key, " is not understood here, got ", shown(value),
           "; leave it out if the program itself follows it");
      const auto [entry, is_new] = values_.emplace(name, value);
      need(is_new || *entry == value, name, " is ", shown(*entry), " in one place and ", shown(value), " in another");
    }
  }

  /// Finds the rope's own object, of which there may be one per layer type, and takes over its values.
  void take_rope() {
    Json rope = has("rope_parameters") ? value("rope_parameters", &Json::is_object, "an object") : Json::object();
    std::string layers, others, keys;
    for (const auto& [key, inner] : rope.items()) {
      bool is_key = has_word(hf_rope_keys, key);  // and no layer, whatever it holds
      for (const HfWords& type : hf_rope_types) is_key = is_key || has_word(type.words, key);
      if (!inner.is_null()) (inner.is_object() && !is_key ? layers : others) += key + " ";
    }
    const bool nested = !layers.empty(), older = has("rope_local_base_freq");  // older: of Gemma 3
    need(!nested || others.empty(), "rope_parameters has objects for layers, but also keys of its own: ", others);
    if (older) layers += "full_attention sliding_attention ";
    need(layers.empty() || has_word(layers, layer_type_), "layer_type must say which rope, one of ", layers, "but is '",
         layer_type_, "'");
    if (nested) {
      rope = rope.value(layer_type_, Json::object());
    } else if (older && layer_type_ == "sliding_attention") {
      rope = Json::object();
      values_["rope_theta"] = values_["rope_local_base_freq"];
    }
    for (const char* key : {"rope_type", "type"}) {
      if (rope.value(key, Json()).is_null()) continue;
      need(rope[key].is_string() && rope[key] != "", key, " must be a name, got ", shown(rope[key]));
      std::string type = rope[key].get<std::string>();
      need(type != "mrope" || rope.contains("mrope_section"), "mrope_section is missing");
      type = type == "mrope" ? "default" : type == "su" ? "longrope" : type;
      need(type_.empty() || type == type_, "rope_type is ", type_, ", but type is ", type);
      type_ = type;
    }
    if (type_.empty()) type_ = "default";
    for (const HfWords& type : hf_rope_types)
      if (has_word(type.name, type_)) keys = std::string(hf_rope_keys) + type.words;
    need(!keys.empty(),
         "rope_type must be default, linear, dynamic, yarn, longrope (su), llama3, proportional or mrope, got ", type_);
    take(rope, keys, true);
  }

  void refuse() const {
    for (const char* key : {"alibi", "use_alibi", "mla_nope", "mla_use_nope", "use_dynamic_ntk"}) {
      need(!flag(key, false), key, " is true: there is no rope, or none that can be read here");
    }
    for (const char* key : {"rotary", "use_rope"}) need(flag(key, true), key, " is false: there is no rope");
    const std::string kind = shown(values_.value("position_embedding_type", Json("rope")));
    need(has_word("\"rope\" \"rotary\"", kind), "position_embedding_type must be rope or rotary, got ", kind);
    need(has("mrope_section") || !flag("mrope_interleaved", false),
         "mrope_section is missing, but mrope_interleaved true");
    need(!has("mrope_section") || model_type_ != "ernie4_5", "mrope_section of ernie4_5 has an order of its own");
    for (const HfWords& rule : hf_unusual_defaults) {
      const bool is_given = has(rule.name) || has("qk_rope_head_dim");
      need(is_given || !has_word(rule.words, model_type_), rule.name, " is missing, and has no default in ",
           model_type_);
    }
  }

  /// How many channels of a head turn; all of them where a frequency may be 0 (proportional).
  Index rotary_dim() const {
    const bool mla = has("qk_rope_head_dim");
    const Index head = head_dim();
    Index dim = has("rotary_dim") ? whole("rotary_dim") : head;
    if (has("partial_rotary_factor") && type_ != "proportional") {
      need(is_between(fraction(), 0, 1), "partial_rotary_factor must be within [0, 1], got ", fraction());
      const Index all = mla && fraction() < 1 ? head + whole("qk_nope_head_dim") : head;
      const auto turning = static_cast<Index>(static_cast<double>(all) * fraction());
      need(turning == dim || !(mla || has("rotary_dim")), "partial_rotary_factor makes ", turning,
           " channels turn, but ", mla ? "qk_rope_head_dim" : "rotary_dim", " makes it ", dim);
      dim = turning;
    }
    need(dim >= 2 && dim <= head && dim % 2 == 0, "the rotary width must be even and within [2, ", head, "], got ",
         dim);
    return dim;
  }
  double fraction() const { return number("partial_rotary_factor", 1); }
  double rope_theta() const {
    need(has("rope_theta") || has_word("llama gptj codegen gpt_neox falcon", model_type_),
         "rope_theta is missing, and 10000 is not known to be the default of model_type '", model_type_, "'");
    return number("rope_theta", 10000);
  }
  Index trained_length() const {
    const char* own = "original_max_position_embeddings";
    return whole(has(own) ? own : "max_position_embeddings");
  }
  YarnParameters yarn() const {
    const bool by_length = !has("factor") && has("original_max_position_embeddings");
    const double trained = static_cast<double>(trained_length());
    const double factor = by_length ? number("max_position_embeddings") / trained : number("factor");
    YarnParameters p{factor, trained_length(), number("beta_fast", 32), number("beta_slow", 1), flag("truncate", true)};
    p.attention_factor = maybe("attention_factor");
    p.mscale = maybe("mscale");
    p.mscale_all_dim = maybe("mscale_all_dim");
    return p;
  }
  LongRopeParameters longrope(Index seq_len) const {
    const Index trained = whole("original_max_position_embeddings");
    const char* mscale = seq_len > trained ? "long_mscale" : "short_mscale";
    LongRopeParameters p{list("short_factor"), list("long_factor"), trained};
    p.factor = maybe("factor");
    if (!p.factor) p.max_position = whole("max_position_embeddings");
    p.attention_factor = maybe(has(mscale) ? mscale : "attention_factor");
    return p;
  }

  const char* function_;
  std::string layer_type_, model_type_, type_;
  Json values_ = Json::object();
};

}  // namespace detail

/// The rope that a Hugging Face config.json describes, in the older spelling (rope_scaling, type) or the newer one
/// (rope_parameters, rope_type): default, linear, dynamic, yarn, longrope (su), llama3, proportional, mrope. Few configs say
/// in which pair layout the weights are (rope_interleave, which is held against layout); docs/models.md does. With
/// qk_rope_head_dim (DeepSeek) the rope is for these channels alone, as a head of that width.
///   seq_len       the longest sequence to come. std::nullopt, not given, is an error where the rope depends on it
///                 (dynamic, longrope). Up to the trained length all numbers give the same.
///   layer_type    which rope, where layers differ (Gemma 3: "full_attention" or "sliding_attention").
/// Throws    std::invalid_argument with the key and what was found, for a key that is missing, of a wrong type, not
///           understood or contradicted elsewhere (or by layout), an unknown rope_type, and what the scaling refuses.
/// Source    Hugging Face Transformers, modeling_rope_utils.py and the configuration classes of the models.
template <class Scalar = float>
Rope<Scalar> rope_from_config(const nlohmann::json& config, PairLayout layout,
                              std::optional<Index> seq_len = std::nullopt, const std::string& layer_type = "") {
  const detail::HfConfig read("rope_from_config", config, layer_type);
  read.agree(layout);
  const Frequencies frequencies = read.frequencies(seq_len);
  return Rope<Scalar>(frequencies, read.axes(frequencies.size()), layout, read.head_dim());
}

/// Its frequencies and attention factor alone; all as rope_from_config.
inline Frequencies frequencies_from_config(const nlohmann::json& config, std::optional<Index> seq_len = std::nullopt,
                                           const std::string& layer_type = "") {
  return detail::HfConfig("frequencies_from_config", config, layer_type).frequencies(seq_len);
}

/// What the softmax scale is multiplied by besides: yarn_softmax_multiplier in DeepSeek's models, which have
/// qk_rope_head_dim and yarn, and 1 in all others.
inline double softmax_multiplier_from_config(const nlohmann::json& config, const std::string& layer_type = "") {
  return detail::HfConfig("softmax_multiplier_from_config", config, layer_type).softmax();
}

}  // namespace POSENC_ISA
}  // namespace posenc
