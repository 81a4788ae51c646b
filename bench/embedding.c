// Rows of embeddings: the cost of a lookup and an update with more and more ids, and with several threads.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "bench.h"
#include "ops/embedding/embedding_rows.h"

enum { DIM = 32, BATCH = 4096, BATCHES = 64, THREADS = 4, ROUNDS = 16 };

typedef struct {
  sli_embedding_rows_t *rows;
  sli_updater_t updater;
  uint64_t *keys;  // of all batches
  float *values;
  int next, threads;
} bench_t;

static uint64_t next_random(uint64_t *random) {
  *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
  return *random >> 11;
}

// Rows of |live| ids of which lookups use any; Zipf's law would favour the cache.
static void fill(bench_t *b, uint64_t ids, uint64_t live) {
  uint64_t random = 1;
  for (size_t i = 0; i < BATCH * BATCHES; i++) b->keys[i] = next_random(&random) % ids % live * (ids / live);
  uint64_t *keys = sli_malloc(BATCH * sizeof(*keys));
  for (uint64_t at = 0; at < live; at += BATCH) {
    for (size_t i = 0; i < BATCH; i++) keys[i] = (at + i) % live * (ids / live);
    sli_status_release(sli_embedding_rows_pull(b->rows, NULL, (const char *)keys, BATCH, true, b->values));
  }
  free(keys);
}

static void pull(void *context) {
  bench_t *b = context;
  b->next = (b->next + 1) % BATCHES;
  sli_status_release(
      sli_embedding_rows_pull(b->rows, NULL, (const char *)(b->keys + b->next * BATCH), BATCH, true, b->values));
}

static void push(void *context) {
  bench_t *b = context;
  b->next = (b->next + 1) % BATCHES;
  free(
      sli_embedding_rows_push(b->rows, NULL, (const char *)(b->keys + b->next * BATCH), BATCH, b->values, &b->updater));
}

static void *run_thread(void *context) {
  bench_t own = *(bench_t *)context;
  own.values = sli_calloc(BATCH * DIM, sizeof(float));
  for (int i = 0; i < ROUNDS; i++) {
    pull(&own);
    push(&own);
  }
  free(own.values);
  return NULL;
}

static void run_threads(void *context) {
  bench_t *b = context;
  pthread_t threads[THREADS];
  bench_t each[THREADS];
  for (int i = 0; i < b->threads; i++) {
    each[i] = *b;
    each[i].next = i * BATCHES / THREADS;
    pthread_create(&threads[i], NULL, run_thread, &each[i]);
  }
  for (int i = 0; i < b->threads; i++) pthread_join(threads[i], NULL);
}

void bench_embedding(void) {
  static const struct {
    const char *name;
    uint64_t ids, live;
  } sizes[] = {{"10^5 ids, 10^5 rows", 100000, 100000},
               {"10^6 ids, 10^6 rows", 1000000, 1000000},
               {"10^7 ids, 10^7 rows", 10000000, 10000000},
               {"10^8 ids, 10^7 rows", 100000000, 10000000}};
  bench_title("rows of embeddings: 4,096 rows of 32 floats");
  bench_t b = {.keys = sli_malloc(BATCH * BATCHES * sizeof(*b.keys)), .values = sli_calloc(BATCH * DIM, sizeof(float))};
  sli_status_release(sli_updater_parse(sli_view("GradientDescent learning_rate=0.1"), SLI_DTYPE_FLOAT, &b.updater));
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    sli_status_release(sli_embedding_rows_create(
        &(sli_embedding_rows_options_t){
            .dtype = SLI_DTYPE_FLOAT, .length = DIM, .initializer = sli_view("uniform scale=0.05")},
        &b.rows));
    fill(&b, sizes[i].ids, sizes[i].live);
    char name[64];
    snprintf(name, sizeof(name), "look up, %s", sizes[i].name);
    bench_row(name, pull, &b, BATCH, "rows");
    snprintf(name, sizeof(name), "update, %s", sizes[i].name);
    bench_row(name, push, &b, BATCH, "rows");
    sli_embedding_rows_size_t size = sli_embedding_rows_size(b.rows);
    printf("  %-44s %12.1f\n", "bytes a row", (double)size.bytes / (double)size.rows);
    for (b.threads = 1; i == 1 && b.threads <= THREADS; b.threads *= 2) {
      snprintf(name, sizeof(name), "%d threads, 16 times both each", b.threads);
      bench_row(name, run_threads, &b, 2.0 * b.threads * ROUNDS * BATCH, "rows");
    }
    sli_embedding_rows_destroy(b.rows);
  }
  free(b.keys);
  free(b.values);
}
