#pragma once
// One view of all data that posenc changes: batch x tokens x heads x head_dim numbers anywhere in memory, by strides.

#include <Eigen/Core>
#include <string>
#include <type_traits>
#include <utility>

#include "posenc/errors.hpp"
#include "posenc/packet.hpp"
#include "posenc/vector_like.hpp"

namespace posenc {
inline namespace POSENC_ISA {

namespace detail {

/// Sizes that are counts, fewer than 2^62 elements, and data where there are elements.
template <class View>
void require_view(const View& view, const std::string& function) {
  require(view.batch >= 0 && view.tokens >= 0 && view.heads >= 0 && view.head_dim >= 1, function,
          ": sizes must not be negative and head_dim at least 1, got batch ", view.batch, ", tokens ", view.tokens,
          ", heads ", view.heads, ", head_dim ", view.head_dim);
  const bool empty = view.is_empty();
  const double elements = static_cast<double>(view.batch) * static_cast<double>(view.tokens) *
                          static_cast<double>(view.heads) * static_cast<double>(view.head_dim);
  require(empty || elements < 0x1p62, function, ": there must be fewer than 2^62 elements, got batch ", view.batch,
          ", tokens ", view.tokens, ", heads ", view.heads, ", head_dim ", view.head_dim);
  require(empty || view.data != nullptr, function, ": data is null");
}

}  // namespace detail

/// A raw buffer of heads: element (b, t, h, c) stands at data[b batch_stride + t token_stride + h head_stride + c channel_stride].
/// Shapes    batch x tokens x heads x head_dim; strides count elements, not bytes.
/// Throws    the makers: std::invalid_argument for a negative size, or no data where there are elements.
template <class T>
struct HeadsView {
  T* data = nullptr;
  Index batch = 0, tokens = 0, heads = 0, head_dim = 0;
  Index batch_stride = 0, token_stride = 0, head_stride = 0, channel_stride = 1;

  /// Order batch, tokens, heads, channels, without gaps.
  static HeadsView bshd(T* data, Index batch, Index tokens, Index heads, Index head_dim) {
    HeadsView view = checked({data, batch, tokens, heads, head_dim}, "bshd");
    if (view.is_empty()) return view;  // whose strides may be more than a number holds
    view.head_stride = head_dim;
    view.token_stride = heads * head_dim;
    view.batch_stride = tokens * view.token_stride;
    return view;
  }
  /// Order batch, heads, tokens, channels, without gaps.
  static HeadsView bhsd(T* data, Index batch, Index tokens, Index heads, Index head_dim) {
    HeadsView view = checked({data, batch, tokens, heads, head_dim}, "bhsd");
    if (view.is_empty()) return view;
    view.token_stride = head_dim;
    view.head_stride = tokens * head_dim;
    view.batch_stride = heads * view.head_stride;
    return view;
  }

  /// Tokens first to first + count - 1 alone, as in a cache with room for more: the same data and strides, so tokens keep
  /// the places that the whole view gives them.
  ///   rows(first, count): element (b, t, h, c) is element (b, first + t, h, c) of this view
  /// Shapes    batch x count x heads x head_dim.
  /// Throws    std::invalid_argument for tokens that the view does not have.
  HeadsView rows(Index first, Index count) const {
    detail::require(first >= 0 && count >= 0 && first <= tokens && count <= tokens - first,
                    "HeadsView::rows: first and count must name some of the ", tokens,
                    " tokens of the view, got first ", first, " and count ", count);
    HeadsView part = *this;
    if (data != nullptr) part.data += first * token_stride;
    part.tokens = count;
    return part;
  }

  /// No batch, no tokens or no heads: there are no elements, and there may be no data.
  bool is_empty() const { return batch == 0 || tokens == 0 || heads == 0; }

  /// The first channel of one head.
  T* head(Index b, Index t, Index h) const { return data + b * batch_stride + t * token_stride + h * head_stride; }

 private:
  static HeadsView checked(const HeadsView& view, const std::string& maker) {
    detail::require_view(view, "HeadsView::" + maker);
    return view;
  }
};

/// HeadsView<T>::bshd and ::bhsd with T taken from the pointer.
template <class T>
HeadsView<T> bshd(T* data, Index batch, Index tokens, Index heads, Index head_dim) {
  return HeadsView<T>::bshd(data, batch, tokens, heads, head_dim);
}
template <class T>
HeadsView<T> bhsd(T* data, Index batch, Index tokens, Index heads, Index head_dim) {
  return HeadsView<T>::bhsd(data, batch, tokens, heads, head_dim);
}

namespace detail {

template <class T>
inline constexpr bool is_heads_view = false;
template <class T>
inline constexpr bool is_heads_view<HeadsView<T>> = true;

template <class X>
constexpr bool has_strides() {
  if constexpr (is_dense<X>) {
    return (Plain<X>::Flags & Eigen::DirectAccessBit) != 0;
  } else {
    return false;
  }
}

/// X, as deduced by a forwarding reference, is Eigen data that may be written in place: not const, not a temporary
/// matrix whose result would be lost.
template <class X>
constexpr bool is_writable() {
  using P = Plain<X>;
  constexpr bool lost = std::is_base_of_v<Eigen::PlainObjectBase<P>, P> && !std::is_lvalue_reference_v<X>;
  return (P::Flags & Eigen::LvalueBit) != 0 && !std::is_const_v<std::remove_reference_t<X>> && !lost;
}

/// A matrix, tokens x (heads x head_dim), or a HeadsView, as a HeadsView; in both cases checked against head_dim.
template <class X>
auto view_of(X&& x, Index head_dim, const char* function) {
  if constexpr (is_heads_view<Plain<X>>) {
    require(x.head_dim == head_dim, function, ": head_dim of the view must be ", head_dim, ", got ", x.head_dim);
    detail::require_view(x, function);
    return x;
  } else if constexpr (!has_strides<X>()) {
    static_assert(never<X>,
                  "posenc: x must be an Eigen matrix, array, map, ref or block with data in memory, or a HeadsView; "
                  "evaluate an expression into a matrix first");
    return HeadsView<float>{};  // so that no error follows
  } else {
    auto& matrix = x.derived();  // of an Eigen::MatrixBase<Derived>&, too
    require(matrix.cols() % head_dim == 0, function, ": columns must be a multiple of head_dim ", head_dim, ", got ",
            matrix.cols());
    using T = std::remove_pointer_t<decltype(matrix.data())>;
    const Index heads = matrix.cols() / head_dim, stride = matrix.colStride();
    return HeadsView<T>{matrix.data(), 1, matrix.rows(),      heads,
                        head_dim,      0, matrix.rowStride(), heads == 0 ? 0 : head_dim * stride,
                        stride};
  }
}
template <class X>
auto writable_view_of(X&& x, Index head_dim, const char* function) {
  if constexpr (is_heads_view<Plain<X>>) {
    static_assert(!std::is_const_v<std::remove_pointer_t<decltype(x.data)>>,
                  "posenc: a HeadsView of const data cannot be written");
  } else if constexpr (has_strides<X>()) {  // else view_of says what x must be
    static_assert(is_writable<X>(), "posenc: x is changed in place, so it must not be const nor a temporary matrix");
  }
  return detail::view_of(std::forward<X>(x), head_dim, function);
}

/// Data of type T can be computed in Scalar: the same type, or a 16-bit type in float.
template <class T, class Scalar>
inline constexpr bool computes_in = std::is_same_v<T, Scalar> ||
                                    (std::is_same_v<Scalar, float> &&
                                     (std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>));

template <class T, class U>
void require_same_shape(const HeadsView<T>& out, const HeadsView<U>& x, const char* function) {
  require(out.batch == x.batch && out.tokens == x.tokens && out.heads == x.heads, function,
          ": out must have the shape of x (batch x tokens x heads), ", x.batch, " x ", x.tokens, " x ", x.heads,
          ", got ", out.batch, " x ", out.tokens, " x ", out.heads);
}

/// out is x itself, element for element, or begins elsewhere. A stride matters where there is more than one step of it.
template <class T, class U>
void require_no_overlap(const HeadsView<T>& out, const HeadsView<U>& x, const char* function) {
  const auto same = [](Index size, Index stride, Index other) { return size <= 1 || stride == other; };
  constexpr bool one_type = std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>;
  const bool is_x = same(x.batch, x.batch_stride, out.batch_stride) &&
                    same(x.tokens, x.token_stride, out.token_stride) && same(x.heads, x.head_stride, out.head_stride) &&
                    same(x.head_dim, x.channel_stride, out.channel_stride);
  require(x.is_empty() || (one_type && is_x) || static_cast<const void*>(out.data) != static_cast<const void*>(x.data),
          function, ": out begins where x does but has ", one_type ? "other strides" : "another type",
          ", so it would overwrite x while it is read");
}

/// How a kernel, which knows no Eigen type, sees a number of type T.
template <class T>
using KernelType = std::conditional_t<std::is_same_v<T, Eigen::half>, Half,
                                      std::conditional_t<std::is_same_v<T, Eigen::bfloat16>, BFloat, T>>;

/// Batches [b, b + batches) and tokens [t, t + tokens) of a view, as a kernel takes them.
template <class T>
auto part_of(const HeadsView<T>& view, Index b, Index batches, Index t, Index tokens) {
  using K = std::conditional_t<std::is_const_v<T>, const KernelType<std::remove_const_t<T>>, KernelType<T>>;
  return HeadsView<K>{reinterpret_cast<K*>(view.head(b, t, 0)),
                      batches,
                      tokens,
                      view.heads,
                      view.head_dim,
                      view.batch_stride,
                      view.token_stride,
                      view.head_stride,
                      view.channel_stride};
}

/// The whole view, as a kernel takes it.
template <class T>
decltype(auto) kernel_view(const HeadsView<T>& view) {
  if constexpr (std::is_same_v<KernelType<std::remove_const_t<T>>, std::remove_const_t<T>>) {
    return (view);  // as it is: a copy is a good part of a call for one token
  } else {
    return detail::part_of(view, 0, view.batch, 0, view.tokens);
  }
}

/// n numbers at a stride, to contiguous Scalars.
template <class Scalar, class T>
void gather(const T* from, Index stride, Index n, Scalar* to) {
  for (Index i = 0; i < n; ++i) to[i] = static_cast<Scalar>(from[i * stride]);
}

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
