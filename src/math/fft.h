// Discrete Fourier transforms of any length, in float and double, over the last dimensions of dense row-major arrays. A
// complex number is two reals, as in C. Lengths with prime factors up to 31 are decomposed (Stockham's algorithm, mixed
// radices), others become a convolution (Bluestein's). Transforms back divide by the number of elements.
//
// Lines are shared among the threads of |pool| (NULL: the caller's alone). RESOURCE_EXHAUSTED if there is no memory.
// All functions are thread-safe and block until all is done. |rank| is at most SLI_FFT_MAX_RANK, lengths at least 1.
#ifndef SLI_MATH_FFT_H_
#define SLI_MATH_FFT_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/thread_pool.h"

enum { SLI_FFT_MAX_RANK = 3 };

// Which transform, and of what: [batch, dims...].
typedef struct {
  bool is_double, inverse;
  int64_t batch;
  int rank;
  int64_t dims[SLI_FFT_MAX_RANK];     // the lengths of the transform
  int64_t in_dims[SLI_FFT_MAX_RANK];  // of the input, of which the first elements are taken; at least what is needed
} sli_fft_t;

// Complex to complex. |in_dims| are not used: the input has the shape of the output. |in| may be |out|.
sli_status_t *sli_fft_complex(sli_thread_pool_t *pool, const sli_fft_t *fft, const void *in, void *out);
// Real to complex: of the last dimension the output has the first dims/2 + 1 frequencies.
sli_status_t *sli_fft_real(sli_thread_pool_t *pool, const sli_fft_t *fft, const void *in, void *out);
// The reverse. The input needs dims/2 + 1 elements of the last dimension; frequencies 0 and dims/2 count as real.
sli_status_t *sli_fft_real_inverse(sli_thread_pool_t *pool, const sli_fft_t *fft, const void *in, void *out);

#endif  // SLI_MATH_FFT_H_
