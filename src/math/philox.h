// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): maps a counter to four random
// words. Counters, keys and the order in which words become values are TensorFlow's, so a seed gives the same numbers.
#ifndef SLI_MATH_PHILOX_H_
#define SLI_MATH_PHILOX_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/sync.h"
#include "base/thread_pool.h"
#include "core/op/node_def.h"
#include "core/tensor/dtype.h"

// A position in a stream. A plain value.
typedef struct {
  uint32_t counter[4];
  uint32_t key[2];
} sli_philox_t;

static inline sli_philox_t sli_philox_from_seeds(uint64_t seed, uint64_t seed2) {
  return (sli_philox_t){{0, 0, (uint32_t)seed2, (uint32_t)(seed2 >> 32)}, {(uint32_t)seed, (uint32_t)(seed >> 32)}};
}
// Skips |count| groups of four words.
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

// The stream of a stateless seed of two numbers.
static inline sli_philox_t sli_philox_scramble(uint64_t first, uint64_t second) {
  sli_philox_t mixer = {{(uint32_t)first, (uint32_t)(first >> 32), (uint32_t)second, (uint32_t)(second >> 32)},
                        {0x3ec8f720, 0x02461e29}};
  uint32_t mix[4];
  sli_philox_next(&mixer, mix);
  return (sli_philox_t){{0, 0, mix[2], mix[3]}, {mix[0], mix[1]}};
}

// Returns the words of the groups one by one, in order.
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

// A value of [0, 1) from the low bits of a word.
float sli_philox_to_float(uint32_t word);
double sli_philox_to_double(uint32_t high, uint32_t low);
// Two normal values from two words (Box-Muller), four for doubles.
void sli_philox_normal_float(uint32_t x0, uint32_t x1, float out[2]);
void sli_philox_normal_double(const uint32_t x[4], double out[2]);

// A stream of numbers that each run of a node continues. Thread-safe.
typedef struct {
  sli_mutex_t mutex;
  sli_philox_t generator;  // under mutex
} sli_philox_stream_t;
void sli_philox_stream_initialize(sli_philox_stream_t *stream, uint64_t seed, uint64_t seed2);
void sli_philox_stream_deinitialize(sli_philox_stream_t *stream);
// The state of a kernel, from the attributes seed and seed2. If both are 0, the seed is random.
sli_status_t *sli_philox_stream_create(const sli_node_def_t *node, sli_philox_stream_t **out_stream);
void sli_philox_stream_destroy(sli_philox_stream_t *stream);
// Returns the current position and skips |groups| groups of four words.
sli_philox_t sli_philox_stream_reserve(sli_philox_stream_t *stream, uint64_t groups);

typedef enum {
  SLI_PHILOX_UNIFORM,           // [0, 1)
  SLI_PHILOX_NORMAL,            // mean 0, deviation 1
  SLI_PHILOX_TRUNCATED_NORMAL,  // the same within (-2, 2)
  SLI_PHILOX_UNIFORM_INT,       // [low, low + range), int32 and int64
  SLI_PHILOX_BITS,              // all values of an integer type
} sli_philox_kind_t;

// How many groups of four words |count| values may use at most.
static inline uint64_t sli_philox_groups(int64_t count) { return (uint64_t)count * 256; }
// Writes |count| values of |dtype| (floating, or int32/uint32/int64/uint64), starting at |generator|. The values do not
// depend on the number of threads.
void sli_philox_fill(sli_thread_pool_t *pool, sli_philox_t generator, sli_philox_kind_t kind, sli_dtype_t dtype,
                     int64_t low, uint64_t range, void *data, int64_t count);

#endif  // SLI_MATH_PHILOX_H_
