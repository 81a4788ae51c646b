// Seeds of datasets with random order. The generators and the order in which they are used are TensorFlow's, so that
// equal seeds give equal sequences.
#ifndef SLI_OPS_DATA_SEEDS_H_
#define SLI_OPS_DATA_SEEDS_H_

#include "math/philox.h"
#include "ops/data/dataset.h"

// Gives each pass over a dataset its seeds: always the same, or the next of a sequence. Reference-counted, thread-safe.
typedef struct {
  sli_object_t base;
  sli_mutex_t mutex;
  bool is_fixed;
  int64_t seed, seed2;
  sli_philox_words_t words;  // under |mutex|
  int64_t used;              // words taken; under |mutex|
} sli_dataset_seeds_t;
extern const sli_object_type_t sli_dataset_seeds_type;

// Random seeds if both are 0.
sli_dataset_seeds_t *sli_dataset_seeds_create(int64_t seed, int64_t seed2, bool is_fixed);
void sli_dataset_seeds_next(sli_dataset_seeds_t *seeds, int64_t *out_seed, int64_t *out_seed2);

// The position in the sequence, for a pass that is saved; restoring it changes it for all passes.
void sli_dataset_seeds_save(sli_dataset_seeds_t *seeds, sli_iterator_writer_t *writer);
sli_status_t *sli_dataset_seeds_restore(sli_dataset_seeds_t *seeds, sli_iterator_reader_t *reader);

// Random words of one pass.
typedef struct {
  int64_t seed, seed2, used;
  sli_philox_words_t words;
} sli_dataset_random_t;
void sli_dataset_random_initialize(sli_dataset_random_t *random, int64_t seed, int64_t seed2, int64_t used);
static inline uint32_t sli_dataset_random_next(sli_dataset_random_t *random) {
  random->used++;
  return sli_philox_word(&random->words);
}
void sli_dataset_random_save(const sli_dataset_random_t *random, sli_iterator_writer_t *writer);
sli_status_t *sli_dataset_random_restore(sli_dataset_random_t *random, sli_iterator_reader_t *reader);

#endif  // SLI_OPS_DATA_SEEDS_H_
