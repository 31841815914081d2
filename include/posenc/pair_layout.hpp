#pragma once
// The two pair layouts, and moving weights and data from one to the other.

#include <Eigen/Core>
#include <type_traits>
#include <utility>
#include <vector>

#include "posenc/heads_view.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// Which two channels of a head form pair k. A checkpoint is made for one of the two and gives nonsense, silently, with
/// the other; so it is never defaulted.
enum class PairLayout {
  interleaved,  ///< (x[2k], x[2k+1]):   GPT-J, the original Llama release, GGUF Llama files
  half          ///< (x[k], x[k+d/2]):   GPT-NeoX, Hugging Face Llama, Qwen, Gemma
};

namespace detail {

inline void require_layout(PairLayout layout, const char* function) {
  require(layout == PairLayout::interleaved || layout == PairLayout::half, function,
          ": layout must be PairLayout::interleaved or PairLayout::half, got ", static_cast<int>(layout));
}

/// Reorders the first rotary_dim channels of every head: channel i takes what stood at from(i).
template <class X, class From>
void reorder_channels(X&& x, Index head_dim, Index rotary_dim, const char* function, From from) {
  require(head_dim >= 1, function, ": head_dim must be at least 1, got ", head_dim);
  if (rotary_dim == -1) rotary_dim = head_dim;
  require(rotary_dim >= 0 && rotary_dim % 2 == 0 && rotary_dim <= head_dim, function,
          ": the channels to reorder must be even and at most head_dim ", head_dim, ", got ", rotary_dim);
  const auto view = detail::writable_view_of(std::forward<X>(x), head_dim, function);
  if (view.is_empty()) return;  // however many rows of nothing there are
  using T = std::remove_pointer_t<decltype(view.data)>;
  std::vector<T> channels(static_cast<std::size_t>(rotary_dim));
  for (Index b = 0; b < view.batch; ++b) {
    for (Index t = 0; t < view.tokens; ++t) {
      for (Index h = 0; h < view.heads; ++h) {
        T* head = view.head(b, t, h);
        detail::gather(head, view.channel_stride, rotary_dim, channels.data());
        for (Index i = 0; i < rotary_dim; ++i)
          head[i * view.channel_stride] = channels[static_cast<std::size_t>(from(i))];
      }
    }
  }
}

}  // namespace detail

/// From interleaved to half, in place: the columns of every head are reordered, so that a query projection made for one
/// layout gives the same scores with the other.
///   (x0 x1 x2 x3 .. ) -> (x0 x2 .. | x1 x3 ..)
/// Shapes    x: rows x (heads * head_dim), such as W in q = h W, its bias as a row, or q itself; for weights stored one row
///           an output pass W.transpose(). rotary_dim: the first channels of a head that turn; all where it is left out.
/// Throws    std::invalid_argument if columns are not a multiple of head_dim, or rotary_dim is odd or above head_dim.
template <class X>
void to_half(X&& x, Index head_dim, Index rotary_dim = -1) {
  const Index half = (rotary_dim == -1 ? head_dim : rotary_dim) / 2;
  detail::reorder_channels(std::forward<X>(x), head_dim, rotary_dim, "to_half",
                           [half](Index i) { return i < half ? 2 * i : 2 * (i - half) + 1; });
}

/// From half to interleaved, in place: the way back.
///   (x0 x1 .. | y0 y1 ..) -> (x0 y0 x1 y1 ..)
/// Shapes, Throws    as to_half.
template <class X>
void to_interleaved(X&& x, Index head_dim, Index rotary_dim = -1) {
  const Index half = (rotary_dim == -1 ? head_dim : rotary_dim) / 2;
  detail::reorder_channels(std::forward<X>(x), head_dim, rotary_dim, "to_interleaved",
                           [half](Index i) { return i / 2 + (i % 2) * half; });
}

}  // namespace POSENC_ISA
}  // namespace posenc
