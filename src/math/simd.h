// The choice of vector instructions at run time. A function marked SLI_SIMD is compiled three times (AVX-512, AVX2, any
// x86-64) and the loader picks one, so that one build runs on every machine and uses the instructions it has.
//
// Mark functions with plain loops that the compiler vectorises; they must call only inline functions.
// SLI_SIMD_VECTORIZE before a loop promises that iterations do not depend on each other, which also holds for in-place
// element-wise loops.
#ifndef SLI_MATH_SIMD_H_
#define SLI_MATH_SIMD_H_

// Not under the sanitizers: the functions that choose a version run before their runtimes are initialized.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SLI_SIMD __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SLI_SIMD
#endif

#if defined(__clang__)
#define SLI_SIMD_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#else
#define SLI_SIMD_VECTORIZE _Pragma("GCC ivdep")
#endif

#endif  // SLI_MATH_SIMD_H_
