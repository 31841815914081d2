#pragma once
// The loops over data, and the choice between them. No Eigen type enters them.
//
// They are compiled for the target of the compiler's flags. Where these allow no more than SSE2 and the like, as without
// -march, GCC and Clang on x86-64 Linux compile them twice more, for AVX2 and for AVX-512, and a program takes what its
// processor can do. POSENC_NO_DISPATCH switches that off.

#include <algorithm>

#include "posenc/heads_view.hpp"
#include "posenc/ladder.hpp"
#include "posenc/packet.hpp"

#define POSENC_KERNEL base
#include "posenc/kernel/loops.hpp"
#undef POSENC_KERNEL

#if defined(POSENC_DISPATCH)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif
#define POSENC_KERNEL avx2_kernel
#define POSENC_TARGET 256
#include "posenc/kernel/registers.hpp"

#include "posenc/kernel/loops.hpp"
#undef POSENC_TARGET
#undef POSENC_KERNEL
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl")
#endif
#define POSENC_KERNEL avx512_kernel
#define POSENC_TARGET 512
#include "posenc/kernel/registers.hpp"

#include "posenc/kernel/loops.hpp"
#undef POSENC_TARGET
#undef POSENC_KERNEL
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// use(kernel) with the widest kernel that the processor runs. The same in every call of a program.
template <class Use>
void with_kernel(const Use& use) {
#if defined(POSENC_DISPATCH)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return use(avx512_kernel::Kernel{});
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {  // each such processor has F16C
    return use(avx2_kernel::Kernel{});
  }
#endif
  use(base::Kernel{});
}

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
