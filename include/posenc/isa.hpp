#pragma once
// What this translation unit is compiled for, as the name of an inline namespace around the library: the instruction set,
// then _fast under -ffast-math or -ffinite-math-only, then _abort where exceptions are off.
// Two units of one program may be compiled with different flags. What these change in posenc, the width of a packet,
// whether products are fused, what is said to a NaN and what a refusal does, is in the name, so that their copies cannot be
// taken for one another by the linker, and an object of one handed to the other is a link error rather than a wrong number.

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__) && defined(__F16C__)
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#elif defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(POSENC_NO_DISPATCH)
#define POSENC_DISPATCH  // wider kernels are compiled too, see kernel.hpp
#endif

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#define POSENC_FAST_MATH
#endif

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define POSENC_THROWS  // else a refusal aborts, see errors.hpp
#endif

// All names in full, since only a function-like macro could put them together.

#if !defined(POSENC_FAST_MATH) && defined(POSENC_THROWS)

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx512
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx2_fma
#elif defined(POSENC_DISPATCH) && defined(__FMA__)
#define POSENC_ISA fma_dispatch
#elif defined(POSENC_DISPATCH) && defined(__AVX__)
#define POSENC_ISA avx_dispatch
#elif defined(POSENC_DISPATCH) && defined(__SSE4_1__)
#define POSENC_ISA sse4_dispatch
#elif defined(POSENC_DISPATCH)
#define POSENC_ISA sse2_dispatch
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

#elif defined(POSENC_THROWS)

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx512_fast
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx2_fma_fast
#elif defined(POSENC_DISPATCH) && defined(__FMA__)
#define POSENC_ISA fma_dispatch_fast
#elif defined(POSENC_DISPATCH) && defined(__AVX__)
#define POSENC_ISA avx_dispatch_fast
#elif defined(POSENC_DISPATCH) && defined(__SSE4_1__)
#define POSENC_ISA sse4_dispatch_fast
#elif defined(POSENC_DISPATCH)
#define POSENC_ISA sse2_dispatch_fast
#elif defined(__FMA__)
#define POSENC_ISA fma_fast
#elif defined(__AVX__)
#define POSENC_ISA avx_fast
#elif defined(__SSE4_1__)
#define POSENC_ISA sse4_fast
#elif defined(__SSE2__)
#define POSENC_ISA sse2_fast
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define POSENC_ISA neon_fast
#elif defined(__FP_FAST_FMAF)
#define POSENC_ISA portable_fma_fast
#else
#define POSENC_ISA portable_fast
#endif

#elif !defined(POSENC_FAST_MATH)

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx512_abort
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx2_fma_abort
#elif defined(POSENC_DISPATCH) && defined(__FMA__)
#define POSENC_ISA fma_dispatch_abort
#elif defined(POSENC_DISPATCH) && defined(__AVX__)
#define POSENC_ISA avx_dispatch_abort
#elif defined(POSENC_DISPATCH) && defined(__SSE4_1__)
#define POSENC_ISA sse4_dispatch_abort
#elif defined(POSENC_DISPATCH)
#define POSENC_ISA sse2_dispatch_abort
#elif defined(__FMA__)
#define POSENC_ISA fma_abort
#elif defined(__AVX__)
#define POSENC_ISA avx_abort
#elif defined(__SSE4_1__)
#define POSENC_ISA sse4_abort
#elif defined(__SSE2__)
#define POSENC_ISA sse2_abort
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define POSENC_ISA neon_abort
#elif defined(__FP_FAST_FMAF)
#define POSENC_ISA portable_fma_abort
#else
#define POSENC_ISA portable_abort
#endif

#else

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx512_fast_abort
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define POSENC_ISA avx2_fma_fast_abort
#elif defined(POSENC_DISPATCH) && defined(__FMA__)
#define POSENC_ISA fma_dispatch_fast_abort
#elif defined(POSENC_DISPATCH) && defined(__AVX__)
#define POSENC_ISA avx_dispatch_fast_abort
#elif defined(POSENC_DISPATCH) && defined(__SSE4_1__)
#define POSENC_ISA sse4_dispatch_fast_abort
#elif defined(POSENC_DISPATCH)
#define POSENC_ISA sse2_dispatch_fast_abort
#elif defined(__FMA__)
#define POSENC_ISA fma_fast_abort
#elif defined(__AVX__)
#define POSENC_ISA avx_fast_abort
#elif defined(__SSE4_1__)
#define POSENC_ISA sse4_fast_abort
#elif defined(__SSE2__)
#define POSENC_ISA sse2_fast_abort
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define POSENC_ISA neon_fast_abort
#elif defined(__FP_FAST_FMAF)
#define POSENC_ISA portable_fma_fast_abort
#else
#define POSENC_ISA portable_fast_abort
#endif

#endif

#undef POSENC_FAST_MATH
