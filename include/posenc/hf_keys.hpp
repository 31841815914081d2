#pragma once
// Which keys of a Hugging Face config.json are about a rope, by which other names they go, and which must not be left out.

#include <string>

#include "posenc/isa.hpp"

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

struct HfWords {
  const char *name, *words;  // one or many, with spaces between them
};
inline constexpr HfWords hf_other_names[] = {{"head_dim", "attention_head_dim kv_channels"},
                                             {"hidden_size", "n_embd"},
                                             {"partial_rotary_factor", "rotary_pct rope_pct"},
                                             {"num_attention_heads", "n_head"},
                                             {"max_position_embeddings", "n_positions"},
                                             {"rope_theta", "rotary_emb_base"},
                                             {"rope_parameters", "rope_scaling"}};
// Keys read outside the rope's own object; the last line changes no frequency (how pairs are stored, which layers turn).
inline constexpr const char* hf_config_keys =
    "head_dim hidden_size num_attention_heads max_position_embeddings original_max_position_embeddings rope_theta "
    "rope_parameters rope_local_base_freq partial_rotary_factor rotary_dim qk_rope_head_dim qk_nope_head_dim use_rope "
    "rotary global_head_dim alibi use_alibi mla_nope mla_use_nope use_dynamic_ntk position_embedding_type "
    "rope_interleave indexer_rope_interleave no_rope_layers no_rope_layer_interval";
// Keys of the rope's own object: of every type, and of one.
inline constexpr const char* hf_rope_keys =
    "rope_type type rope_theta partial_rotary_factor original_max_position_embeddings mrope_section mrope_interleaved ";
inline constexpr HfWords hf_rope_types[] = {
    {"default", ""},
    {"linear dynamic proportional", "factor"},
    {"llama3", "factor low_freq_factor high_freq_factor"},
    {"yarn", "factor attention_factor beta_fast beta_slow truncate mscale mscale_all_dim"},
    {"longrope", "factor attention_factor short_factor long_factor short_mscale long_mscale"}};
// Keys that some model types must state, since their own code has an unusual default.
inline constexpr HfWords hf_unusual_defaults[] = {
    {"head_dim", "gemma gemma2 gemma3 gemma3n gemma4 qwen3 qwen3_next qwen3_vl qwen3_5 gpt_oss"},
    {"partial_rotary_factor", "gpt_neox phi persimmon stablelm nemotron glm glm4 qwen3_next qwen3_5"},
    {"rotary_dim", "gptj codegen"},
    {"mrope_section", "qwen2_vl qwen2_5_vl qwen3_vl qwen3_5"},
    {"mrope_interleaved", "qwen3_vl qwen3_5"}};

inline bool has_word(const std::string& words, const std::string& word) {
  return word.find(' ') == std::string::npos && !word.empty() &&
         (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
