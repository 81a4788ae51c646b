#include "ops/data/buffer.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

enum { AUTOTUNE_FIRST = 2, AUTOTUNE_MOST = 512 };

typedef struct {
  sli_status_t *status;     // an error in the place of an element
  sli_tensor_t *tensors[];  // counted
} item_t;

typedef enum { FILLING_NONE, FILLING_QUEUED, FILLING_RUNNING } filling_t;

struct sli_iterator_buffer {
  sli_refcount_t references;
  sli_iterator_root_t *root;  // counted
  int component_count;
  bool is_tuned;
  sli_mutex_t mutex;
  sli_cond_t cond;  // an element was added, or the filling has ended
  // Under |mutex|:
  sli_iterator_t *source;  // counted; used by who set |filling| to FILLING_RUNNING
  item_t **items;          // a ring of |capacity|
  int64_t first, count, capacity, limit;
  filling_t filling;
  bool has_ended, is_paused, was_full;
  int waiting;  // consumers in sli_cond_wait
};

sli_iterator_buffer_t *sli_iterator_buffer_create(sli_iterator_t *source, int64_t limit) {
  sli_iterator_buffer_t *buffer = sli_calloc(1, sizeof(*buffer));
  sli_refcount_initialize(&buffer->references);
  sli_refcount_retain(&source->root->references);
  buffer->root = source->root;
  buffer->source = source;
  buffer->component_count = source->dataset->component_count;
  buffer->is_tuned = limit < 0;
  buffer->limit = limit < 0 ? AUTOTUNE_FIRST : limit;
  sli_mutex_initialize(&buffer->mutex);
  sli_cond_initialize(&buffer->cond);
  return buffer;
}

static void item_free(item_t *item, int count) {
  if (!item) return;
  if (!item->status) sli_dataset_release_element(item->tensors, count);
  sli_status_release(item->status);
  free(item);
}

void sli_iterator_buffer_release(sli_iterator_buffer_t *buffer) {
  if (!buffer || !sli_refcount_release(&buffer->references)) return;
  for (int64_t i = 0; i < buffer->count; i++)
    item_free(buffer->items[(buffer->first + i) % buffer->capacity], buffer->component_count);
  free(buffer->items);
  sli_iterator_release(buffer->source);
  sli_iterator_root_release(buffer->root);
  sli_mutex_deinitialize(&buffer->mutex);
  sli_cond_deinitialize(&buffer->cond);
  free(buffer);
}

static void push_locked(sli_iterator_buffer_t *buffer, item_t *item) {
  if (buffer->count == buffer->capacity) {
    int64_t larger = buffer->capacity ? buffer->capacity * 2 : 8;
    item_t **items = sli_calloc((size_t)larger, sizeof(*items));
    for (int64_t i = 0; i < buffer->count; i++) items[i] = buffer->items[(buffer->first + i) % buffer->capacity];
    free(buffer->items);
    buffer->items = items;
    buffer->first = 0;
    buffer->capacity = larger;
  }
  buffer->items[(buffer->first + buffer->count++) % buffer->capacity] = item;
}

static item_t *pop_locked(sli_iterator_buffer_t *buffer) {
  item_t *item = buffer->items[buffer->first];
  buffer->first = (buffer->first + 1) % buffer->capacity;
  buffer->count--;
  return item;
}

static void run_filling(void *context);

// Queues the filling when half of the buffer is empty, not for each element.
static void queue_filling_locked(sli_iterator_buffer_t *buffer) {
  sli_thread_pool_t *pool = buffer->root->device->compute_pool;
  if (!pool || buffer->filling != FILLING_NONE || buffer->has_ended || buffer->is_paused) return;
  if (buffer->count > buffer->limit / 2) return;
  buffer->filling = FILLING_QUEUED;
  sli_refcount_retain(&buffer->references);
  sli_thread_pool_submit_blocking(pool, run_filling, buffer);
}

// Fetches one element without the lock. NULL at the end.
static item_t *fetch(sli_iterator_buffer_t *buffer, const sli_iterator_call_t *call) {
  item_t *item = sli_calloc(1, sizeof(*item) + sizeof(sli_tensor_t *) * (size_t)buffer->component_count);
  bool is_end;
  item->status = sli_iterator_next(buffer->source, call, item->tensors, &is_end);
  if (item->status || !is_end) return item;
  free(item);
  return NULL;
}

static void end_locked(sli_iterator_buffer_t *buffer) { buffer->has_ended = true; }

static void run_filling(void *context) {
  sli_iterator_buffer_t *buffer = context;
  sli_iterator_root_t *root = buffer->root;
  sli_refcount_retain(&root->references);
  sli_iterator_call_t call = {root->cancellation};
  bool may_run = sli_iterator_root_enter(root);
  sli_mutex_lock(&buffer->mutex);
  // The consumer may have taken over in the meantime.
  bool is_mine = may_run && buffer->filling == FILLING_QUEUED;
  if (is_mine) buffer->filling = FILLING_RUNNING;
  while (is_mine && !buffer->has_ended && !buffer->is_paused && buffer->count < buffer->limit &&
         !sli_cancellation_is_cancelled(root->cancellation)) {
    sli_mutex_unlock(&buffer->mutex);
    item_t *item = fetch(buffer, &call);
    sli_mutex_lock(&buffer->mutex);
    if (item)
      push_locked(buffer, item);
    else
      end_locked(buffer);
    if (buffer->waiting) sli_cond_broadcast(&buffer->cond);
  }
  if (is_mine) {
    buffer->was_full |= buffer->count >= buffer->limit;
    buffer->filling = FILLING_NONE;
    sli_cond_broadcast(&buffer->cond);
  } else if (buffer->filling == FILLING_QUEUED) {
    buffer->filling = FILLING_NONE;
  }
  sli_mutex_unlock(&buffer->mutex);
  sli_iterator_buffer_release(buffer);
  if (may_run) sli_iterator_root_leave(root);
  sli_iterator_root_release(root);
}

static void wake(void *context) {
  sli_iterator_buffer_t *buffer = context;
  sli_mutex_lock(&buffer->mutex);
  sli_cond_broadcast(&buffer->cond);
  sli_mutex_unlock(&buffer->mutex);
}

// Waits while the filling runs and there is nothing to take.
static sli_status_t *wait_locked(sli_iterator_buffer_t *buffer, const sli_iterator_call_t *call) {
  sli_mutex_unlock(&buffer->mutex);
  uint64_t token = sli_cancellation_register(call->cancellation, wake, buffer);
  sli_mutex_lock(&buffer->mutex);
  buffer->waiting++;
  while (token && buffer->filling == FILLING_RUNNING && !buffer->count && !buffer->has_ended &&
         !sli_cancellation_is_cancelled(call->cancellation))
    sli_cond_wait(&buffer->cond, &buffer->mutex);
  buffer->waiting--;
  sli_mutex_unlock(&buffer->mutex);
  if (token) sli_cancellation_deregister(call->cancellation, token);
  sli_mutex_lock(&buffer->mutex);
  return sli_cancellation_status(call->cancellation);
}

static void tune_locked(sli_iterator_buffer_t *buffer) {
  if (!buffer->is_tuned || !buffer->was_full || buffer->count) return;
  buffer->was_full = false;
  if (buffer->limit < AUTOTUNE_MOST) buffer->limit *= 2;
}

sli_status_t *sli_iterator_buffer_next(sli_iterator_buffer_t *buffer, const sli_iterator_call_t *call,
                                       sli_tensor_t **out_element, bool *out_end) {
  item_t *item = NULL;
  sli_status_t *status = NULL;
  sli_mutex_lock(&buffer->mutex);
  tune_locked(buffer);
  while (!item && !status) {
    if (buffer->count) {
      item = pop_locked(buffer);
    } else if (buffer->has_ended) {
      break;
    } else if (buffer->filling != FILLING_RUNNING) {
      buffer->filling = FILLING_RUNNING;
      sli_mutex_unlock(&buffer->mutex);
      item = fetch(buffer, call);
      sli_mutex_lock(&buffer->mutex);
      buffer->filling = FILLING_NONE;
      if (!item) end_locked(buffer);
      sli_cond_broadcast(&buffer->cond);
    } else {
      status = wait_locked(buffer, call);
    }
  }
  if (!status) queue_filling_locked(buffer);
  sli_mutex_unlock(&buffer->mutex);
  *out_end = !status && !item;
  if (!item) return status;
  status = item->status;
  for (int i = 0; i < buffer->component_count && !status; i++) out_element[i] = item->tensors[i];
  free(item);
  return status;
}

bool sli_iterator_buffer_is_ready(sli_iterator_buffer_t *buffer) {
  sli_mutex_lock(&buffer->mutex);
  bool is_ready = buffer->count > 0 || buffer->has_ended;
  sli_mutex_unlock(&buffer->mutex);
  return is_ready;
}

void sli_iterator_buffer_start(sli_iterator_buffer_t *buffer) {
  sli_mutex_lock(&buffer->mutex);
  queue_filling_locked(buffer);
  sli_mutex_unlock(&buffer->mutex);
}

static sli_status_t *save_locked(sli_iterator_buffer_t *buffer, sli_iterator_writer_t *writer) {
  sli_iterator_write_int(writer, buffer->has_ended);
  sli_iterator_write_int(writer, buffer->count);
  for (int64_t i = 0; i < buffer->count; i++) {
    const item_t *item = buffer->items[(buffer->first + i) % buffer->capacity];
    sli_iterator_write_status(writer, item->status);
    if (!item->status) SLI_RETURN_IF_ERROR(sli_iterator_write_element(writer, item->tensors, buffer->component_count));
  }
  return sli_iterator_save_slot(buffer->source, writer);
}

sli_status_t *sli_iterator_buffer_save(sli_iterator_buffer_t *buffer, sli_iterator_writer_t *writer) {
  sli_mutex_lock(&buffer->mutex);
  buffer->is_paused = true;
  while (buffer->filling == FILLING_RUNNING) sli_cond_wait(&buffer->cond, &buffer->mutex);
  sli_status_t *status = save_locked(buffer, writer);
  buffer->is_paused = false;
  sli_mutex_unlock(&buffer->mutex);
  return status;
}

static sli_status_t *restore_item(sli_iterator_buffer_t *buffer, sli_iterator_reader_t *reader, item_t *item) {
  SLI_RETURN_IF_ERROR(sli_iterator_read_status(reader, &item->status));
  return item->status ? NULL : sli_iterator_read_element(reader, buffer->source->dataset, item->tensors);
}

sli_status_t *sli_iterator_buffer_restore(sli_iterator_buffer_t *buffer, sli_iterator_reader_t *reader) {
  int64_t has_ended, count;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, 1, &has_ended));
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, INT64_MAX, &count));
  buffer->has_ended = has_ended;
  for (int64_t i = 0; i < count; i++) {
    item_t *item = sli_calloc(1, sizeof(*item) + sizeof(sli_tensor_t *) * (size_t)buffer->component_count);
    sli_status_t *status = restore_item(buffer, reader, item);
    if (status) {
      free(item);
      return status;
    }
    push_locked(buffer, item);
  }
  // The source has just been created, and |restore_slot| replaces it.
  sli_dataset_t *dataset = sli_dataset_retain(buffer->source->dataset);
  sli_status_t *status = sli_iterator_restore_slot(&buffer->source, dataset, buffer->root, reader);
  if (!status && !buffer->source) status = sli_iterator_create(dataset, buffer->root, &buffer->source);
  sli_dataset_release(dataset);
  return status;
}
