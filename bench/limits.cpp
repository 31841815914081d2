#include "limits.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace posenc_bench {

namespace {

constexpr float near_one = 0.9999999f;  // so that no run reaches denormal numbers

/// A compiler's vectors of 64 bytes: whatever the flags give, one register or several.
using Floats [[gnu::vector_size(64)]] = float;
using Words [[gnu::vector_size(64)]] = std::uint32_t;

/// From the bits of floats to those of the floats scaled, so rounded that the upper half is the nearest bfloat16, ties to
/// even. By reference, since how such vectors are passed depends on the flags.
void scale_bits(Words& x) {
  x = reinterpret_cast<Words>(reinterpret_cast<Floats>(x) * near_one);
  x += 0x7fff + (x >> 16 & 1);
}

template <class T>
auto whole(T* data, Index n) {
  return Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>, Eigen::Aligned64>(data, n);
}

}  // namespace

/// bfloat16 is the upper half of a float. Numbers at even and odd places, taken apart, need no move from lane to lane: that
/// is 30 times faster than Eigen's expression. The conversion of AVX512_BF16 is not used, since it turns subnormal numbers
/// into zero.
void scale(Eigen::bfloat16* data, Index n) {
  constexpr Index width = sizeof(Words) / sizeof(Eigen::bfloat16);
  for (Index i = 0; i + width <= n; i += width) {
    Words x;
    std::memcpy(&x, data + i, sizeof x);
    Words even = x << 16, odd = x & 0xffff0000;
    scale_bits(even);
    scale_bits(odd);
    x = even >> 16 | (odd & 0xffff0000);
    std::memcpy(static_cast<void*>(data + i), &x, sizeof x);
  }
}

/// float16 by the processor's own conversions where it has them: 60 times faster than Eigen's expression
/// x = (x.cast<float>() * a).cast<half>(), which converts number by number.
void scale(Eigen::half* data, Index n) {
#if defined(__AVX512F__)
  constexpr __mmask16 all = 0xffff;  // gcc 12 warns of its own header in the forms without a mask
  for (Index i = 0; i + 16 <= n; i += 16) {
    auto* x = reinterpret_cast<__m256i*>(data + i);
    const __m512 value = _mm512_mul_ps(_mm512_maskz_cvtph_ps(all, _mm256_loadu_si256(x)), _mm512_set1_ps(near_one));
    _mm256_storeu_si256(x, _mm512_maskz_cvtps_ph(all, value, _MM_FROUND_TO_NEAREST_INT));
  }
#elif defined(__F16C__)
  for (Index i = 0; i + 8 <= n; i += 8) {
    auto* x = reinterpret_cast<__m128i*>(data + i);
    const __m256 value = _mm256_mul_ps(_mm256_cvtph_ps(_mm_loadu_si128(x)), _mm256_set1_ps(near_one));
    _mm_storeu_si128(x, _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  }
#else
  auto x = whole(data, n);
  x = (x.cast<float>() * near_one).cast<Eigen::half>();
#endif
}

void scale(float* data, Index n) { whole(data, n) *= near_one; }
void scale(double* data, Index n) { whole(data, n) *= double{near_one}; }

void add_constant(float* data, Index n) { whole(data, n) += 1e-7f; }

}  // namespace posenc_bench
