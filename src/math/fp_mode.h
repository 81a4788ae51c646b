// The floating-point mode of threads that run kernels: denormals are treated as zero, on input and output, as in
// TensorFlow. A matrix product over denormals is 20 times slower.
#ifndef SLI_MATH_FP_MODE_H_
#define SLI_MATH_FP_MODE_H_

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

typedef unsigned long long sli_fp_mode_t;

// Flushes denormals on the calling thread; returns the mode to restore. The mode of a user's thread must be restored
// before control returns to the user.
static inline sli_fp_mode_t sli_fp_mode_flush_denormals(void) {
#if defined(__SSE__)
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);  // FTZ and DAZ
  return mode;
#elif defined(__aarch64__)
  unsigned long long mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  __asm__ volatile("msr fpcr, %0" : : "r"(mode | 1ull << 24));
  return mode;
#else
  return 0;
#endif
}

// The reverse, for algorithms whose convergence relies on denormals.
static inline sli_fp_mode_t sli_fp_mode_keep_denormals(void) {
#if defined(__SSE__)
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode & ~0x8040u);
  return mode;
#elif defined(__aarch64__)
  unsigned long long mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  __asm__ volatile("msr fpcr, %0" : : "r"(mode & ~(1ull << 24)));
  return mode;
#else
  return 0;
#endif
}

static inline void sli_fp_mode_restore(sli_fp_mode_t mode) {
#if defined(__SSE__)
  _mm_setcsr((unsigned)mode);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
  (void)mode;
#endif
}

// For sli_thread_pool_create: the pool's own threads keep the mode.
static inline void sli_fp_mode_on_thread_start(void) { sli_fp_mode_flush_denormals(); }

#endif  // SLI_MATH_FP_MODE_H_
