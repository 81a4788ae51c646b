// Transformations that call a function for several elements at a time: parallel_map, map_and_batch, parallel_filter.
//
// A ring of chunks in the order of the elements. A chunk is one element if its call takes long; short calls are made
// one after the other in chunks of many, because the change of a thread would cost more than they do. The filling
// fetches elements and starts chunks until the ring is full; it ends then, and begins again when the consumer has made
// room. A chunk runs on a thread of the pool. The consumer runs a chunk that no thread has begun, and fetches elements
// when the filling does not run: nobody waits for a thread.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "ops/data/parallel_map.h"

enum {
  CHUNK_NANOS = 200000,        // calls of a chunk take about so long
  CHUNK_MOST = 64,             // elements
  FETCH_NANOS = 200000,        // a chunk is not made larger if its elements took so long to fetch
  WORTH_SHARING_NANOS = 15000  // a chunk that takes less runs on the thread of the filling
};

typedef struct {
  sli_dataset_t base;
  sli_dataset_function_t function;
  int64_t parallelism;  // SLI_DATASET_AUTOTUNE: by the cost of the calls
  bool keeps_cardinality, is_sloppy, is_filter;
} parallel_map_t;

typedef enum { CHUNK_QUEUED, CHUNK_RUNNING, CHUNK_DONE } chunk_state_t;

typedef struct mapper mapper_t;

typedef struct {
  sli_refcount_t references;  // of the ring and of the thread that runs it
  mapper_t *mapper;           // counted while it runs
  chunk_state_t state;        // under the mapper's mutex
  int64_t started;
  atomic_bool is_handed_over;  // between the thread that starts a call and the one that ends it
  int count, capacity;         // elements
  int called;                  // calls that have ended
  int taken;                   // by the consumer
  sli_status_t **statuses;
  sli_tensor_t **arguments, **results;  // counted; one block of memory with this
} chunk_t;

typedef enum { FILLING_NONE, FILLING_QUEUED, FILLING_RUNNING } filling_t;

struct mapper {
  sli_iterator_t base;
  chunk_t *current;  // the consumer's; NULL: none
  sli_mutex_t mutex;
  sli_cond_t cond;  // a chunk is done, or the filling has ended
  // Under |mutex|:
  chunk_t **chunks;  // a ring of |capacity|
  int64_t first, count, capacity;
  int running;  // chunks
  int waiting;  // consumers in sli_cond_wait
  filling_t filling;
  bool has_ended, is_paused;
  int64_t nanos;  // of a call, on the average
};

static const parallel_map_t *dataset_of(const mapper_t *mapper) { return (const parallel_map_t *)mapper->base.dataset; }

static void parallel_destroy(sli_dataset_t *dataset) {
  sli_dataset_function_deinitialize(&((parallel_map_t *)dataset)->function);
}

static int64_t parallel_cardinality(const sli_dataset_t *dataset) {
  const parallel_map_t *self = (const parallel_map_t *)dataset;
  return self->keeps_cardinality && !self->is_filter ? sli_dataset_cardinality(dataset->inputs[0])
                                                     : SLI_DATASET_UNKNOWN;
}

// --- Chunks --------------------------------------------------------------------------------------------------------

static int input_count(const mapper_t *mapper) { return mapper->base.dataset->inputs[0]->component_count; }
static int result_count(const mapper_t *mapper) { return dataset_of(mapper)->function.function->result_count; }

static chunk_t *chunk_create(mapper_t *mapper, int capacity) {
  size_t pointers = (size_t)capacity * (size_t)(1 + input_count(mapper) + result_count(mapper));
  chunk_t *chunk = sli_calloc(1, sizeof(*chunk) + sizeof(void *) * pointers);
  sli_refcount_initialize(&chunk->references);
  chunk->statuses = (sli_status_t **)(chunk + 1);
  chunk->arguments = (sli_tensor_t **)(chunk->statuses + capacity);
  chunk->results = chunk->arguments + (size_t)capacity * (size_t)input_count(mapper);
  chunk->capacity = capacity;
  chunk->state = CHUNK_DONE;
  chunk->mapper = mapper;
  return chunk;
}

static sli_tensor_t **arguments_of(const chunk_t *chunk, int i) {
  return chunk->arguments + (size_t)i * (size_t)input_count(chunk->mapper);
}
static sli_tensor_t **results_of(const chunk_t *chunk, int i) {
  return chunk->results + (size_t)i * (size_t)result_count(chunk->mapper);
}

static void chunk_release(chunk_t *chunk) {
  if (!chunk || !sli_refcount_release(&chunk->references)) return;
  for (int i = 0; i < chunk->count; i++) {
    sli_dataset_release_element(arguments_of(chunk, i), input_count(chunk->mapper));
    sli_dataset_release_element(results_of(chunk, i), result_count(chunk->mapper));
    sli_status_release(chunk->statuses[i]);
  }
  free(chunk);
}

// The end of a chunk, on any thread. Consumes the references that chunk_run took, and leaves the root.
static void chunk_done(chunk_t *chunk) {
  mapper_t *mapper = chunk->mapper;
  sli_iterator_root_t *root = mapper->base.root;
  int64_t nanos = (sli_clock_now_nanos() - chunk->started) / chunk->count + 1;
  sli_refcount_retain(&root->references);
  sli_mutex_lock(&mapper->mutex);
  chunk->state = CHUNK_DONE;
  mapper->running--;
  mapper->nanos = mapper->nanos ? mapper->nanos + (nanos - mapper->nanos) / 4 : nanos;
  if (mapper->waiting || mapper->is_paused) sli_cond_broadcast(&mapper->cond);
  sli_mutex_unlock(&mapper->mutex);
  chunk_release(chunk);
  sli_iterator_release(&mapper->base);
  sli_iterator_root_leave(root);
  sli_iterator_root_release(root);
}

static void continue_calls(chunk_t *chunk);

static void call_done(void *context, sli_status_t *status, sli_tensor_t **results) {
  chunk_t *chunk = context;
  const parallel_map_t *self = dataset_of(chunk->mapper);
  int i = chunk->called;
  chunk->statuses[i] = status;
  for (int k = 0; k < self->function.function->result_count && !status; k++) results_of(chunk, i)[k] = results[k];
  if (!self->is_filter) sli_dataset_release_element(arguments_of(chunk, i), input_count(chunk->mapper));
  chunk->called++;
  // If the thread that started the call is still there, it goes on.
  if (atomic_exchange(&chunk->is_handed_over, true)) continue_calls(chunk);
}

// Makes the calls that are left, as long as they end at once.
static void continue_calls(chunk_t *chunk) {
  const parallel_map_t *self = dataset_of(chunk->mapper);
  while (chunk->called < chunk->count) {
    if (chunk->statuses[chunk->called]) {  // of the input
      chunk->called++;
      continue;
    }
    atomic_store(&chunk->is_handed_over, false);
    sli_dataset_function_start(&self->function, chunk->mapper->base.root->cancellation,
                               arguments_of(chunk, chunk->called), input_count(chunk->mapper), call_done, chunk);
    if (!atomic_exchange(&chunk->is_handed_over, true)) return;  // call_done goes on
  }
  chunk_done(chunk);
}

// Runs a chunk whose state the caller has set to CHUNK_RUNNING. Consumes a reference of the chunk; the root was
// entered. A step that is cancelled does not cancel the calls: their elements are for later steps.
static void chunk_run(chunk_t *chunk) {
  sli_iterator_retain(&chunk->mapper->base);
  chunk->started = sli_clock_now_nanos();
  continue_calls(chunk);
}

// A thread of the pool takes the chunk, unless the consumer was faster. Owns a reference of chunk and mapper.
static void chunk_task(void *context) {
  chunk_t *chunk = context;
  mapper_t *mapper = chunk->mapper;
  bool may_run = sli_iterator_root_enter(mapper->base.root);
  sli_mutex_lock(&mapper->mutex);
  bool is_mine = may_run && chunk->state == CHUNK_QUEUED;
  if (is_mine) {
    chunk->state = CHUNK_RUNNING;
    mapper->running++;
  }
  sli_mutex_unlock(&mapper->mutex);
  if (is_mine) {
    chunk_run(chunk);
  } else {
    chunk_release(chunk);
    if (may_run) sli_iterator_root_leave(mapper->base.root);
  }
  sli_iterator_release(&mapper->base);
}

// --- The ring ----------------------------------------------------------------------------------------------------

static void push_locked(mapper_t *mapper, chunk_t *chunk) {
  if (mapper->count == mapper->capacity) {
    int64_t larger = mapper->capacity ? mapper->capacity * 2 : 8;
    chunk_t **chunks = sli_calloc((size_t)larger, sizeof(*chunks));
    for (int64_t i = 0; i < mapper->count; i++) chunks[i] = mapper->chunks[(mapper->first + i) % mapper->capacity];
    free(mapper->chunks);
    mapper->chunks = chunks;
    mapper->first = 0;
    mapper->capacity = larger;
  }
  mapper->chunks[(mapper->first + mapper->count++) % mapper->capacity] = chunk;
}

static chunk_t *at_locked(const mapper_t *mapper, int64_t index) {
  return mapper->chunks[(mapper->first + index) % mapper->capacity];
}

static chunk_t *remove_locked(mapper_t *mapper, int64_t index) {
  chunk_t *chunk = at_locked(mapper, index);
  for (int64_t i = index; i > 0; i--) mapper->chunks[(mapper->first + i) % mapper->capacity] = at_locked(mapper, i - 1);
  mapper->first = (mapper->first + 1) % mapper->capacity;
  mapper->count--;
  return chunk;
}

static int64_t limit_of(const mapper_t *mapper) {
  int64_t limit = dataset_of(mapper)->parallelism;
  sli_thread_pool_t *pool = mapper->base.root->device->compute_pool;
  return limit > 0 ? limit : pool ? 2 * sli_thread_pool_size(pool) : 1;
}

static int chunk_size(int64_t nanos) {
  if (!nanos || nanos >= CHUNK_NANOS) return 1;
  return CHUNK_NANOS / nanos < CHUNK_MOST ? (int)(CHUNK_NANOS / nanos) : CHUNK_MOST;
}

// Whether a consumer gave up, whose error is not that of an element.
static bool is_step_cancelled(const mapper_t *mapper, const sli_iterator_call_t *context) {
  return context->cancellation != mapper->base.root->cancellation &&
         sli_cancellation_is_cancelled(context->cancellation);
}

// Fetches the elements of a chunk; fewer than it could hold at the end, after an error, or if they take long.
static void fill_chunk(mapper_t *mapper, const sli_iterator_call_t *context, chunk_t *chunk, bool *out_end) {
  int64_t begin = chunk->capacity > 1 ? sli_clock_now_nanos() : 0;
  *out_end = false;
  while (chunk->count < chunk->capacity) {
    int i = chunk->count;
    sli_status_t *status = sli_iterator_next(mapper->base.input, context, arguments_of(chunk, i), out_end);
    if (!status && *out_end) return;
    if (status && is_step_cancelled(mapper, context)) {
      sli_status_release(status);
      return;
    }
    chunk->statuses[i] = status;
    chunk->count++;
    if (status) return;
    if (begin && i % 8 == 7 && sli_clock_now_nanos() - begin > FETCH_NANOS) return;
  }
}

// Fetches elements and puts a chunk into the ring. The caller is the filling, or has its place.
static void produce(mapper_t *mapper, const sli_iterator_call_t *context, bool is_consumer) {
  sli_iterator_root_t *root = mapper->base.root;
  sli_mutex_lock(&mapper->mutex);
  int64_t nanos = mapper->nanos;
  sli_mutex_unlock(&mapper->mutex);
  chunk_t *chunk = chunk_create(mapper, chunk_size(nanos));
  bool is_end, runs = false;
  fill_chunk(mapper, context, chunk, &is_end);
  if (chunk->count) runs = sli_iterator_root_enter(root);
  if (chunk->count && !runs)
    chunk->statuses[0] = sli_status_join(chunk->statuses[0], sli_cancellation_status(root->cancellation));
  sli_mutex_lock(&mapper->mutex);
  mapper->has_ended |= is_end;
  bool is_here =
      runs && (is_consumer || !root->device->compute_pool || (nanos && nanos * chunk->count < WORTH_SHARING_NANOS));
  if (chunk->count) push_locked(mapper, chunk);
  if (is_here) {
    chunk->state = CHUNK_RUNNING;
    mapper->running++;
  } else if (runs) {
    chunk->state = CHUNK_QUEUED;
  }
  if (runs) sli_refcount_retain(&chunk->references);
  if (mapper->waiting) sli_cond_broadcast(&mapper->cond);
  sli_mutex_unlock(&mapper->mutex);
  if (is_here) {
    chunk_run(chunk);
  } else if (runs) {
    sli_iterator_root_leave(root);  // the filling enters when it begins
    sli_iterator_retain(&mapper->base);
    sli_thread_pool_submit(root->device->compute_pool, chunk_task, chunk);
  } else if (!chunk->count) {
    chunk_release(chunk);
  }
}

static void run_filling(void *context) {
  mapper_t *mapper = context;
  sli_iterator_root_t *root = mapper->base.root;
  sli_refcount_retain(&root->references);
  sli_iterator_call_t call = {root->cancellation};
  bool may_run = sli_iterator_root_enter(root);
  sli_mutex_lock(&mapper->mutex);
  bool is_mine = may_run && mapper->filling == FILLING_QUEUED;
  if (is_mine) mapper->filling = FILLING_RUNNING;
  while (is_mine && !mapper->has_ended && !mapper->is_paused && mapper->count < limit_of(mapper) &&
         !sli_cancellation_is_cancelled(root->cancellation)) {
    sli_mutex_unlock(&mapper->mutex);
    produce(mapper, &call, false);
    sli_mutex_lock(&mapper->mutex);
  }
  if (is_mine) {
    mapper->filling = FILLING_NONE;
    sli_cond_broadcast(&mapper->cond);
  } else if (mapper->filling == FILLING_QUEUED) {
    mapper->filling = FILLING_NONE;
  }
  sli_mutex_unlock(&mapper->mutex);
  sli_iterator_release(&mapper->base);
  if (may_run) sli_iterator_root_leave(root);
  sli_iterator_root_release(root);
}

static void queue_filling_locked(mapper_t *mapper) {
  sli_thread_pool_t *pool = mapper->base.root->device->compute_pool;
  int64_t limit = limit_of(mapper);
  if (!pool || mapper->filling != FILLING_NONE || mapper->has_ended || mapper->is_paused || mapper->count >= limit)
    return;
  // Short calls: not for each chunk.
  if (chunk_size(mapper->nanos) > 1 && mapper->count > limit / 2) return;
  mapper->filling = FILLING_QUEUED;
  sli_iterator_retain(&mapper->base);
  sli_thread_pool_submit_blocking(pool, run_filling, mapper);
}

// --- The consumer --------------------------------------------------------------------------------------------------

static void wake(void *context) {
  mapper_t *mapper = context;
  sli_mutex_lock(&mapper->mutex);
  sli_cond_broadcast(&mapper->cond);
  sli_mutex_unlock(&mapper->mutex);
}

// The chunk that is next: the oldest, or in sloppy order the first that is done. -1: none.
static int64_t ready_locked(const mapper_t *mapper) {
  int64_t looked_at = dataset_of(mapper)->is_sloppy ? mapper->count : mapper->count ? 1 : 0;
  for (int64_t i = 0; i < looked_at; i++)
    if (at_locked(mapper, i)->state == CHUNK_DONE) return i;
  return -1;
}

// A chunk that no thread has begun, if the consumer would have to wait for it.
static chunk_t *unbegun_locked(const mapper_t *mapper) {
  return mapper->count && at_locked(mapper, 0)->state == CHUNK_QUEUED ? at_locked(mapper, 0) : NULL;
}

static void wait_locked(mapper_t *mapper, const sli_iterator_call_t *call) {
  sli_mutex_unlock(&mapper->mutex);
  uint64_t token = sli_cancellation_register(call->cancellation, wake, mapper);
  sli_mutex_lock(&mapper->mutex);
  mapper->waiting++;
  while (token && ready_locked(mapper) < 0 && !unbegun_locked(mapper) &&
         (mapper->count || (mapper->filling == FILLING_RUNNING && !mapper->has_ended)) &&
         !sli_cancellation_is_cancelled(call->cancellation))
    sli_cond_wait(&mapper->cond, &mapper->mutex);
  mapper->waiting--;
  sli_mutex_unlock(&mapper->mutex);
  if (token) sli_cancellation_deregister(call->cancellation, token);
  sli_mutex_lock(&mapper->mutex);
}

// Does what keeps the consumer from its element. Returns with the lock held.
static void help_locked(mapper_t *mapper, const sli_iterator_call_t *call) {
  chunk_t *unbegun = unbegun_locked(mapper);
  if (unbegun && sli_iterator_root_enter(mapper->base.root)) {
    unbegun->state = CHUNK_RUNNING;
    mapper->running++;
    sli_refcount_retain(&unbegun->references);
    sli_mutex_unlock(&mapper->mutex);
    chunk_run(unbegun);
    sli_mutex_lock(&mapper->mutex);
  } else if (!mapper->count && mapper->filling != FILLING_RUNNING) {
    mapper->filling = FILLING_RUNNING;
    sli_mutex_unlock(&mapper->mutex);
    produce(mapper, call, true);
    sli_mutex_lock(&mapper->mutex);
    mapper->filling = FILLING_NONE;
    sli_cond_broadcast(&mapper->cond);
  } else {
    wait_locked(mapper, call);
  }
}

// Takes the next chunk that is done; NULL at the end.
static sli_status_t *take(mapper_t *mapper, const sli_iterator_call_t *call, chunk_t **out_chunk) {
  sli_status_t *status = NULL;
  *out_chunk = NULL;
  sli_mutex_lock(&mapper->mutex);
  while (!status && !*out_chunk && (mapper->count || !mapper->has_ended)) {
    int64_t ready = ready_locked(mapper);
    if (ready >= 0)
      *out_chunk = remove_locked(mapper, ready);
    else
      help_locked(mapper, call);
    if (!*out_chunk) status = sli_cancellation_status(call->cancellation);
  }
  if (!status) queue_filling_locked(mapper);
  sli_mutex_unlock(&mapper->mutex);
  return status;
}

static void move_element(sli_tensor_t **from, sli_tensor_t **to, int count) {
  for (int i = 0; i < count; i++) {
    to[i] = from[i];
    from[i] = NULL;
  }
}

// Gives element |i| of a chunk that is done. |*out_kept| is false if a filter leaves it out.
static sli_status_t *give(const parallel_map_t *self, chunk_t *chunk, int i, sli_tensor_t **out_element, bool *out_end,
                          bool *out_kept) {
  sli_status_t *status = chunk->statuses[i];
  *out_kept = true;
  chunk->statuses[i] = NULL;
  status = sli_dataset_function_ends(status, self->keeps_cardinality, out_end);
  if (status || *out_end) return status;
  if (self->is_filter)
    SLI_RETURN_IF_ERROR(sli_dataset_result_bool(results_of(chunk, i), 1,
                                                "Filter predicate `predicate` must return a scalar bool.", out_kept));
  if (*out_kept)
    move_element(self->is_filter ? arguments_of(chunk, i) : results_of(chunk, i), out_element,
                 self->base.component_count);
  return NULL;
}

static sli_status_t *parallel_next(sli_iterator_t *iterator, const sli_iterator_call_t *context,
                                   sli_tensor_t **out_element, bool *out_end) {
  mapper_t *mapper = (mapper_t *)iterator;
  for (;;) {
    if (mapper->current && mapper->current->taken == mapper->current->count) {
      chunk_release(mapper->current);
      mapper->current = NULL;
    }
    if (!mapper->current) SLI_RETURN_IF_ERROR(take(mapper, context, &mapper->current));
    *out_end = !mapper->current;
    if (*out_end) return NULL;
    bool is_kept;
    sli_status_t *status =
        give(dataset_of(mapper), mapper->current, mapper->current->taken++, out_element, out_end, &is_kept);
    if (status || *out_end || is_kept) return status;
  }
}

static bool parallel_is_ready(sli_iterator_t *iterator) {
  mapper_t *mapper = (mapper_t *)iterator;
  if (dataset_of(mapper)->is_filter) return false;
  if (mapper->current && mapper->current->taken < mapper->current->count) return true;
  sli_mutex_lock(&mapper->mutex);
  bool is_ready = ready_locked(mapper) >= 0 || (!mapper->count && mapper->has_ended);
  sli_mutex_unlock(&mapper->mutex);
  return is_ready;
}

static sli_status_t *parallel_start(sli_iterator_t *iterator) {
  mapper_t *mapper = (mapper_t *)iterator;
  sli_mutex_initialize(&mapper->mutex);
  sli_cond_initialize(&mapper->cond);
  return NULL;
}

static void parallel_stop(sli_iterator_t *iterator) {
  mapper_t *mapper = (mapper_t *)iterator;
  chunk_release(mapper->current);
  while (mapper->count) chunk_release(remove_locked(mapper, 0));
  free(mapper->chunks);
  sli_mutex_deinitialize(&mapper->mutex);
  sli_cond_deinitialize(&mapper->cond);
}

// --- State ---------------------------------------------------------------------------------------------------------

// The elements from |first| on of a chunk that is done.
static sli_status_t *save_chunk(const mapper_t *mapper, const chunk_t *chunk, int first,
                                sli_iterator_writer_t *writer) {
  const parallel_map_t *self = dataset_of(mapper);
  for (int i = first; i < chunk->count; i++) {
    sli_iterator_write_status(writer, chunk->statuses[i]);
    if (chunk->statuses[i]) continue;
    if (self->is_filter)
      SLI_RETURN_IF_ERROR(sli_iterator_write_element(writer, arguments_of(chunk, i), self->base.component_count));
    SLI_RETURN_IF_ERROR(sli_iterator_write_element(writer, results_of(chunk, i), result_count(mapper)));
  }
  return NULL;
}

// Waits until no chunk runs. Chunks that no thread has begun are run here.
static void settle_locked(mapper_t *mapper) {
  for (;;) {
    chunk_t *unbegun = NULL;
    for (int64_t i = 0; i < mapper->count && !unbegun; i++)
      if (at_locked(mapper, i)->state == CHUNK_QUEUED) unbegun = at_locked(mapper, i);
    if (unbegun && sli_iterator_root_enter(mapper->base.root)) {
      unbegun->state = CHUNK_RUNNING;
      mapper->running++;
      sli_refcount_retain(&unbegun->references);
      sli_mutex_unlock(&mapper->mutex);
      chunk_run(unbegun);
      sli_mutex_lock(&mapper->mutex);
    } else if (mapper->filling == FILLING_RUNNING || mapper->running) {
      sli_cond_wait(&mapper->cond, &mapper->mutex);
    } else {
      return;
    }
  }
}

static sli_status_t *parallel_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer) {
  mapper_t *mapper = (mapper_t *)iterator;
  sli_status_t *status = NULL;
  sli_mutex_lock(&mapper->mutex);
  mapper->is_paused = true;
  settle_locked(mapper);
  int64_t elements = mapper->current ? mapper->current->count - mapper->current->taken : 0;
  for (int64_t i = 0; i < mapper->count; i++) elements += at_locked(mapper, i)->count;
  sli_iterator_write_int(writer, mapper->has_ended);
  sli_iterator_write_int(writer, elements);
  if (mapper->current) status = save_chunk(mapper, mapper->current, mapper->current->taken, writer);
  for (int64_t i = 0; i < mapper->count && !status; i++) status = save_chunk(mapper, at_locked(mapper, i), 0, writer);
  mapper->is_paused = false;
  sli_mutex_unlock(&mapper->mutex);
  return status;
}

static sli_status_t *restore_results(const sli_function_t *function, sli_iterator_reader_t *reader,
                                     sli_tensor_t **results) {
  for (int i = 0; i < function->result_count; i++) {
    SLI_RETURN_IF_ERROR(sli_iterator_read_tensor(reader, &results[i]));
    if (results[i]->dtype != function->result_types[i])
      return sli_status_make(SLI_DATA_LOSS, "The state of the iterator is malformed: a tensor has another type");
  }
  return NULL;
}

// Each element becomes a chunk.
static sli_status_t *restore_chunk(mapper_t *mapper, sli_iterator_reader_t *reader, chunk_t *chunk) {
  const parallel_map_t *self = dataset_of(mapper);
  chunk->count = chunk->called = 1;
  SLI_RETURN_IF_ERROR(sli_iterator_read_status(reader, &chunk->statuses[0]));
  if (chunk->statuses[0]) return NULL;
  if (self->is_filter)
    SLI_RETURN_IF_ERROR(sli_iterator_read_element(reader, mapper->base.dataset, arguments_of(chunk, 0)));
  return restore_results(self->function.function, reader, results_of(chunk, 0));
}

static sli_status_t *parallel_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader) {
  mapper_t *mapper = (mapper_t *)iterator;
  int64_t has_ended, count;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_ended));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &count));
  mapper->has_ended = has_ended;
  for (int64_t i = 0; i < count; i++) {
    chunk_t *chunk = chunk_create(mapper, 1);
    sli_status_t *status = restore_chunk(mapper, reader, chunk);
    if (status) {
      chunk_release(chunk);
      return status;
    }
    push_locked(mapper, chunk);
  }
  return NULL;
}

#define PARALLEL_KIND(kind_name)                                                                             \
  {                                                                                                          \
    .name = kind_name, .iterator_size = sizeof(mapper_t), .opens_input = true, .destroy = parallel_destroy,  \
    .cardinality = parallel_cardinality, .start = parallel_start, .next = parallel_next,                     \
    .is_ready = parallel_is_ready, .stop = parallel_stop, .save = parallel_save, .restore = parallel_restore \
  }
static const sli_dataset_kind_t parallel_map_kind = PARALLEL_KIND("ParallelMapDataset");
static const sli_dataset_kind_t parallel_filter_kind = PARALLEL_KIND("ParallelFilterDataset");

sli_dataset_t *sli_dataset_create_parallel_map(sli_dataset_t *input, const sli_dataset_parallel_map_t *options) {
  const sli_dataset_kind_t *kind = options->is_filter ? &parallel_filter_kind : &parallel_map_kind;
  sli_dataset_t *dataset = sli_dataset_create_as(kind, sizeof(parallel_map_t), options->component_count, options->types,
                                                 options->shapes, &input, 1);
  parallel_map_t *self = (parallel_map_t *)dataset;
  self->function = options->function;
  self->parallelism = options->parallelism;
  self->keeps_cardinality = options->keeps_cardinality;
  self->is_sloppy = options->is_sloppy;
  self->is_filter = options->is_filter;
  return dataset;
}
