#pragma once
// Registers and the formulas over them, for the target that the compiler's flags name.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "posenc/isa.hpp"

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// The two 16-bit formats, as their bits.
struct Half {
  std::uint16_t bits;
};
struct BFloat {
  std::uint16_t bits;
};

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc

#define POSENC_KERNEL base
#if defined(__GNUC__) && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__) && \
    defined(__F16C__)
#define POSENC_TARGET 512
#elif defined(__GNUC__) && defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_TARGET 256
#else
#define POSENC_TARGET 0
#endif
#include "posenc/kernel/registers.hpp"
#undef POSENC_TARGET
#undef POSENC_KERNEL
