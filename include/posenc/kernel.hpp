#pragma once
// The rotation, written once, and the loops that run it over arrays. Raw pointers only: no Eigen type enters here.

#include <cstddef>
#include <type_traits>

#include "posenc/packet.hpp"

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// One coordinate of a rotated pair, from itself and its partner:
///   (a, b) -> (a cos t - b sin t, b cos t + a sin t)  =  (turned(a, b, cos t, -sin t), turned(b, a, cos t, sin t))
/// With a + ib = z this is z e^(it); with (a, b) = (cos u, sin u) it is the angle-addition formula. RoPE, its inverse,
/// its gradient and the making of the cosines and sines themselves are all this line.
template <class V>
[[gnu::always_inline]] inline V turned(V x, V partner, V cosine, V sine) {
  return fma(x, cosine, partner * sine);
}

/// turned, plus a small rest, which the sum takes in before it rounds.
template <class V>
[[gnu::always_inline]] inline V turned(V x, V partner, V cosine, V sine, V rest) {
  return fma(x, cosine, fma(partner, sine, rest));
}

template <class V, class T>
[[gnu::always_inline]] inline V load(const T* from) {
  if constexpr (std::is_same_v<V, T>) {
    return *from;
  } else {
    return V::load(from);
  }
}
template <class V, class T>
[[gnu::always_inline]] inline void store(T* to, V value) {
  if constexpr (std::is_same_v<V, T>) {
    *to = value;
  } else {
    value.store(to);
  }
}

/// body(V{}, i) for packets V as long as they fit into n, then for single numbers.
template <class T, class Body>
[[gnu::always_inline]] inline void for_packets(std::ptrdiff_t n, Body body) {
  constexpr std::ptrdiff_t lanes = Packet<T>::lanes;
  std::ptrdiff_t i = 0;
  for (; i + lanes <= n; i += lanes) body(Packet<T>{}, i);
  for (; i < n; ++i) body(T{}, i);
}

/// Rotates n pairs (a[k], b[k]) by the angles of (cosine[k], sine[k]). An output may be its own input.
template <class T>
[[gnu::always_inline]] inline void rotate_arrays(const T* a, const T* b, const T* cosine, const T* sine, T* a_out,
                                                 T* b_out, std::ptrdiff_t n) {
  for_packets<T>(n, [&](auto lane, std::ptrdiff_t k) {
    using V = decltype(lane);
    const V x = load<V>(a + k), y = load<V>(b + k), c = load<V>(cosine + k), s = load<V>(sine + k);
    store(a_out + k, turned(x, y, c, -s));
    store(b_out + k, turned(y, x, c, s));
  });
}

/// rotate_arrays for pairs known to twice the precision, as (a + a_rest, b + b_rest).
template <class T>
[[gnu::always_inline]] inline void rotate_arrays(const T* a, const T* b, const T* a_rest, const T* b_rest,
                                                 const T* cosine, const T* sine, T* a_out, T* b_out, std::ptrdiff_t n) {
  for_packets<T>(n, [&](auto lane, std::ptrdiff_t k) {
    using V = decltype(lane);
    const V x = load<V>(a + k), y = load<V>(b + k), x_rest = load<V>(a_rest + k), y_rest = load<V>(b_rest + k);
    const V c = load<V>(cosine + k), s = load<V>(sine + k), minus_s = -s;
    store(a_out + k, turned(x, y, c, minus_s, turned(x_rest, y_rest, c, minus_s)));
    store(b_out + k, turned(y, x, c, s, turned(y_rest, x_rest, c, s)));
  });
}

/// Rotates n neighbouring pairs (x[2k], x[2k+1]); the angles come spread over both places of a pair, see spread.
template <class T>
[[gnu::always_inline]] inline void rotate_neighbours(const T* x, const T* cosine, const T* signed_sine, T* out,
                                                     std::ptrdiff_t n) {
  constexpr std::ptrdiff_t lanes = Packet<T>::lanes;
  std::ptrdiff_t i = 0;
  if constexpr (lanes > 1) {
    for (; i + lanes <= 2 * n; i += lanes) {
      using V = Packet<T>;
      const V z = V::load(x + i);
      turned(z, z.swapped(), V::load(cosine + i), V::load(signed_sine + i)).store(out + i);
    }
  }
  for (; i < 2 * n; i += 2) {
    const T a = x[i], b = x[i + 1];
    out[i] = turned(a, b, cosine[i], signed_sine[i]);
    out[i + 1] = turned(b, a, cosine[i + 1], signed_sine[i + 1]);
  }
}

/// (c0 c1 ..), (s0 s1 ..) -> (c0 c0 c1 c1 ..), (-s0 s0 -s1 s1 ..): what each place of a neighbouring pair is turned by;
/// with `inverse` the pair is read from its other end, so the signs change over.
template <class T>
void spread(const T* cosine, const T* sine, T* cosine_out, T* sine_out, std::ptrdiff_t n, bool inverse) {
  const T sign = inverse ? T(-1) : T(1);
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    cosine_out[2 * k] = cosine_out[2 * k + 1] = cosine[k];
    sine_out[2 * k] = -sign * sine[k];
    sine_out[2 * k + 1] = sign * sine[k];
  }
}

/// x <- scale x + code.
template <class T>
void add_code(T* x, T scale, const T* code, std::ptrdiff_t n) {
  for_packets<T>(n, [&](auto lane, std::ptrdiff_t i) {
    using V = decltype(lane);
    store(x + i, fma(load<V>(x + i), V(scale), load<V>(code + i)));
  });
}

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
