#pragma once
// The instruction set this translation unit is compiled for, as the name of an inline namespace around the library.
// Two units of one program may be compiled with different flags. What these change in posenc, the width of a packet and
// whether products are fused, is in the name, so that their copies cannot be taken for one another by the linker, and an
// object of one handed to the other is a link error rather than a wrong number.

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx512
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx2_fma
#elif defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(POSENC_NO_DISPATCH)
#define POSENC_DISPATCH  // wider kernels are compiled too, see kernel.hpp
#if defined(__FMA__)
#define POSENC_ISA fma_dispatch
#elif defined(__AVX__)
#define POSENC_ISA avx_dispatch
#elif defined(__SSE4_1__)
#define POSENC_ISA sse4_dispatch
#else
#define POSENC_ISA sse2_dispatch
#endif
#elif defined(__FMA__)
#define POSENC_ISA fma
#elif defined(__AVX__)
#define POSENC_ISA avx
#elif defined(__SSE4_1__)
#define POSENC_ISA sse4
#elif defined(__SSE2__)
#define POSENC_ISA sse2
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define POSENC_ISA neon
#elif defined(__FP_FAST_FMAF)
#define POSENC_ISA portable_fma
#else
#define POSENC_ISA portable
#endif
