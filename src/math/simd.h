// Run-time choice of vector instructions. A loop marked SLI_SIMD is compiled
// three times (AVX-512, AVX2, any x86-64) and the loader picks one: a single
// build runs on every machine and uses what it finds.
//
// Mark plain loops that the compiler vectorises; they must call only inline
// functions. SLI_VECTORIZE before a loop promises that iterations do not depend
// on each other, which holds for in-place element-wise loops as well.
#ifndef SLI_MATH_SIMD_H_
#define SLI_MATH_SIMD_H_

// Resolvers run before the sanitizers' runtimes are up: no clones there.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SLI_SIMD __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SLI_SIMD
#endif

#if defined(__clang__)
#define SLI_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#else
#define SLI_VECTORIZE _Pragma("GCC ivdep")
#endif

#endif  // SLI_MATH_SIMD_H_
