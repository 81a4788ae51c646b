// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011): a counter in, four random words out. Counters, keys and the order in which
// words become values are TensorFlow's, so a seed gives the same numbers.
#ifndef SLI_MATH_PHILOX_H_
#define SLI_MATH_PHILOX_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/sync.h"
#include "base/thread_pool.h"
#include "core/dtype.h"
#include "core/node_def.h"

// A position in a stream. A plain value.
typedef struct {
  uint32_t counter[4];
  uint32_t key[2];
} sli_philox_t;

static inline sli_philox_t sli_philox_from_seeds(uint64_t seed, uint64_t seed2) {
  return (sli_philox_t){{0, 0, (uint32_t)seed2, (uint32_t)(seed2 >> 32)}, {(uint32_t)seed, (uint32_t)(seed >> 32)}};
}
// Moves on by |count| groups of four words.
static inline void sli_philox_skip(sli_philox_t *generator, uint64_t count) {
  uint64_t low = (uint64_t)generator->counter[1] << 32 | generator->counter[0], sum = low + count;
  generator->counter[0] = (uint32_t)sum;
  generator->counter[1] = (uint32_t)(sum >> 32);
  if (sum < low && ++generator->counter[2] == 0) generator->counter[3]++;
}
// The next four words.
static inline void sli_philox_next(sli_philox_t *generator, uint32_t out[4]) {
  uint32_t c0 = generator->counter[0], c1 = generator->counter[1], c2 = generator->counter[2],
           c3 = generator->counter[3], k0 = generator->key[0], k1 = generator->key[1];
  for (int round = 0; round < 10; round++) {
    uint64_t p0 = UINT64_C(0xD2511F53) * c0, p1 = UINT64_C(0xCD9E8D57) * c2;
    c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)p1;
    c3 = (uint32_t)p0;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
  sli_philox_skip(generator, 1);
}

// Words one by one, in order.
typedef struct {
  sli_philox_t generator;
  uint32_t words[4];
  int used;
} sli_philox_words_t;
static inline sli_philox_words_t sli_philox_words(sli_philox_t generator) {
  return (sli_philox_words_t){.generator = generator, .used = 4};
}
static inline uint32_t sli_philox_word(sli_philox_words_t *words) {
  if (words->used == 4) {
    sli_philox_next(&words->generator, words->words);
    words->used = 0;
  }
  return words->words[words->used++];
}

// [0, 1) from the low bits.
float sli_philox_to_float(uint32_t word);
double sli_philox_to_double(uint32_t high, uint32_t low);
// Two normal values from two words (Box-Muller), four for doubles.
void sli_philox_normal_float(uint32_t x0, uint32_t x1, float out[2]);
void sli_philox_normal_double(const uint32_t x[4], double out[2]);

// A stream that successive runs of a node continue. Thread-safe.
typedef struct {
  sli_mutex_t mutex;
  sli_philox_t generator;  // under mutex
} sli_philox_stream_t;
void sli_philox_stream_initialize(sli_philox_stream_t *stream, uint64_t seed, uint64_t seed2);
void sli_philox_stream_deinitialize(sli_philox_stream_t *stream);
// A kernel's instance state, from the attributes seed and seed2; both zero: an unpredictable seed.
sli_status_t *sli_philox_stream_create(const sli_node_def_t *node, sli_philox_stream_t **out_stream);
void sli_philox_stream_destroy(sli_philox_stream_t *stream);
// The current position; the stream moves on by |groups| of four words.
sli_philox_t sli_philox_stream_reserve(sli_philox_stream_t *stream, uint64_t groups);

typedef enum {
  SLI_RANDOM_UNIFORM,           // [0, 1)
  SLI_RANDOM_NORMAL,            // mean 0, deviation 1
  SLI_RANDOM_TRUNCATED_NORMAL,  // the same within (-2, 2)
  SLI_RANDOM_UNIFORM_INT,       // [low, low + range), int32 and int64
  SLI_RANDOM_BITS,              // all values of an integer type
} sli_random_kind_t;

// Groups of four words that |count| values may take from a stream.
static inline uint64_t sli_random_groups(int64_t count) { return (uint64_t)count * 256; }
// Writes |count| values of |dtype| (floating, or int32/uint32/int64/uint64) from |generator|
// on. The same values whatever the number of threads.
void sli_random_fill(sli_thread_pool_t *pool, sli_philox_t generator, sli_random_kind_t kind, sli_dtype_t dtype,
                     int64_t low, uint64_t range, void *data, int64_t count);

#endif  // SLI_MATH_PHILOX_H_
