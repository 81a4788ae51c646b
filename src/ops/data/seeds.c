#include "ops/data/seeds.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/random.h"

static void seeds_destroy(sli_object_t *object) {
  sli_mutex_deinitialize(&((sli_dataset_seeds_t *)object)->mutex);
  free(object);
}

const sli_object_type_t sli_dataset_seeds_type = {"SeedGenerator", seeds_destroy, NULL};

sli_dataset_seeds_t *sli_dataset_seeds_create(int64_t seed, int64_t seed2, bool is_fixed) {
  sli_dataset_seeds_t *seeds = sli_calloc(1, sizeof(*seeds));
  sli_object_initialize(&seeds->base, &sli_dataset_seeds_type);
  sli_mutex_initialize(&seeds->mutex);
  if (!seed && !seed2) {
    seed = (int64_t)sli_random_u64();
    seed2 = (int64_t)sli_random_u64();
  }
  seeds->is_fixed = is_fixed;
  seeds->seed = seed;
  seeds->seed2 = seed2;
  seeds->words = sli_philox_words(sli_philox_from_seeds((uint64_t)seed, (uint64_t)seed2));
  return seeds;
}

void sli_dataset_seeds_next(sli_dataset_seeds_t *seeds, int64_t *out_seed, int64_t *out_seed2) {
  sli_mutex_lock(&seeds->mutex);
  *out_seed = seeds->is_fixed ? seeds->seed : sli_philox_word(&seeds->words);
  *out_seed2 = seeds->is_fixed ? seeds->seed2 : sli_philox_word(&seeds->words);
  seeds->used += 2;
  sli_mutex_unlock(&seeds->mutex);
}

void sli_dataset_seeds_save(sli_dataset_seeds_t *seeds, sli_iterator_writer_t *writer) {
  sli_mutex_lock(&seeds->mutex);
  sli_iterator_write_int(writer, seeds->seed);
  sli_iterator_write_int(writer, seeds->seed2);
  sli_iterator_write_int(writer, seeds->used);
  sli_mutex_unlock(&seeds->mutex);
}

sli_status_t *sli_dataset_seeds_restore(sli_dataset_seeds_t *seeds, sli_iterator_reader_t *reader) {
  sli_dataset_random_t position;
  SLI_RETURN_IF_ERROR(sli_dataset_random_restore(&position, reader));
  sli_mutex_lock(&seeds->mutex);
  seeds->seed = position.seed;
  seeds->seed2 = position.seed2;
  seeds->used = position.used;
  seeds->words = position.words;
  sli_mutex_unlock(&seeds->mutex);
  return NULL;
}

void sli_dataset_random_initialize(sli_dataset_random_t *random, int64_t seed, int64_t seed2, int64_t used) {
  sli_philox_t generator = sli_philox_from_seeds((uint64_t)seed, (uint64_t)seed2);
  sli_philox_skip(&generator, (uint64_t)used / 4);
  *random = (sli_dataset_random_t){.seed = seed, .seed2 = seed2, .used = used, .words = sli_philox_words(generator)};
  for (int64_t i = 0; i < used % 4; i++) sli_philox_word(&random->words);
}

void sli_dataset_random_save(const sli_dataset_random_t *random, sli_iterator_writer_t *writer) {
  sli_iterator_write_int(writer, random->seed);
  sli_iterator_write_int(writer, random->seed2);
  sli_iterator_write_int(writer, random->used);
}

sli_status_t *sli_dataset_random_restore(sli_dataset_random_t *random, sli_iterator_reader_t *reader) {
  int64_t seed, seed2, used;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, INT64_MIN, INT64_MAX, &seed));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, INT64_MIN, INT64_MAX, &seed2));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &used));
  sli_dataset_random_initialize(random, seed, seed2, used);
  return NULL;
}
