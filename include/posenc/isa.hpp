#pragma once
// The instruction set this translation unit is compiled for, as the name of an inline namespace around the library.
// Two units of one program may be compiled with different flags; their copies of posenc then have different names, and
// the linker cannot put code for one processor in the place of code for another.

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define POSENC_ISA avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define POSENC_ISA avx2_fma
#elif defined(__AVX__)
#define POSENC_ISA avx
#elif defined(__SSE2__)
#define POSENC_ISA sse2
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define POSENC_ISA neon
#else
#define POSENC_ISA portable
#endif
