// Registrations are stored in a table of slots that are used again. A token is a slot's
// index with a generation number, so that registering and deregistering take a few
// instructions under the lock and an old token never matches a new callback.
#include "core/step/cancellation.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sync.h"

typedef struct {
  void (*callback)(void *context);  // NULL: free
  void *context;
  uint32_t generation;
  uint32_t next_free;  // index + 1; 0 ends the list
} callback_slot_t;

struct sli_cancellation {
  sli_refcount_t references;
  atomic_bool is_cancelled;  // written under the mutex, read without
  sli_mutex_t mutex;
  sli_cond_t finished;  // a callback returned
  // Under |mutex|:
  sli_status_t *status;
  SLI_ARRAY(callback_slot_t) slots;
  uint32_t first_free;  // index + 1
  uint64_t running;     // token of the callback that runs now
  pthread_t runner;     // the thread it runs on
};

static uint64_t token_of(uint32_t generation, size_t index) { return (uint64_t)generation << 32 | (index + 1); }

sli_cancellation_t *sli_cancellation_create(void) {
  sli_cancellation_t *cancellation = sli_calloc(1, sizeof(*cancellation));
  sli_refcount_initialize(&cancellation->references);
  sli_mutex_initialize(&cancellation->mutex);
  sli_cond_initialize(&cancellation->finished);
  return cancellation;
}

sli_cancellation_t *sli_cancellation_retain(sli_cancellation_t *cancellation) {
  if (cancellation) sli_refcount_retain(&cancellation->references);
  return cancellation;
}

void sli_cancellation_release(sli_cancellation_t *cancellation) {
  if (!cancellation || !sli_refcount_release(&cancellation->references)) return;
  sli_status_release(cancellation->status);
  sli_array_deinitialize(&cancellation->slots);
  sli_cond_deinitialize(&cancellation->finished);
  sli_mutex_deinitialize(&cancellation->mutex);
  free(cancellation);
}

static void free_slot_locked(sli_cancellation_t *cancellation, size_t index) {
  callback_slot_t *slot = &cancellation->slots.items[index];
  slot->callback = NULL;
  slot->generation++;
  slot->next_free = cancellation->first_free;
  cancellation->first_free = (uint32_t)index + 1;
}

void sli_cancellation_cancel(sli_cancellation_t *cancellation, sli_status_t *status) {
  sli_mutex_lock(&cancellation->mutex);
  if (cancellation->status) {
    sli_mutex_unlock(&cancellation->mutex);
    sli_status_release(status);
    return;
  }
  cancellation->status = status ? status : sli_status_make(SLI_CANCELLED, "Step was cancelled");
  atomic_store_explicit(&cancellation->is_cancelled, true, memory_order_release);
  cancellation->runner = pthread_self();
  sli_refcount_retain(&cancellation->references);  // a callback may release the last one
  // From here on nothing is registered: entries only leave the table.
  for (size_t i = 0; i < cancellation->slots.count; i++) {
    callback_slot_t slot = cancellation->slots.items[i];
    if (!slot.callback) continue;
    free_slot_locked(cancellation, i);
    cancellation->running = token_of(slot.generation, i);
    sli_mutex_unlock(&cancellation->mutex);
    slot.callback(slot.context);
    sli_mutex_lock(&cancellation->mutex);
    cancellation->running = 0;
    sli_cond_broadcast(&cancellation->finished);
  }
  sli_mutex_unlock(&cancellation->mutex);
  sli_cancellation_release(cancellation);
}

bool sli_cancellation_is_cancelled(sli_cancellation_t *cancellation) {
  return atomic_load_explicit(&cancellation->is_cancelled, memory_order_acquire);
}

sli_status_t *sli_cancellation_status(sli_cancellation_t *cancellation) {
  if (!sli_cancellation_is_cancelled(cancellation)) return NULL;
  sli_mutex_lock(&cancellation->mutex);
  sli_status_t *status = sli_status_retain(cancellation->status);
  sli_mutex_unlock(&cancellation->mutex);
  return status;
}

uint64_t sli_cancellation_register(sli_cancellation_t *cancellation, void (*callback)(void *context), void *context) {
  uint64_t token = 0;
  sli_mutex_lock(&cancellation->mutex);
  if (!cancellation->status) {
    size_t index;
    if (cancellation->first_free) {
      index = cancellation->first_free - 1;
      cancellation->first_free = cancellation->slots.items[index].next_free;
    } else {
      index = cancellation->slots.count;
      sli_array_push(&cancellation->slots, (callback_slot_t){0});
    }
    callback_slot_t *slot = &cancellation->slots.items[index];
    slot->callback = callback;
    slot->context = context;
    token = token_of(slot->generation, index);
  }
  sli_mutex_unlock(&cancellation->mutex);
  return token;
}

bool sli_cancellation_deregister(sli_cancellation_t *cancellation, uint64_t token) {
  size_t index = (size_t)(token & UINT32_MAX) - 1;
  bool removed = false;
  sli_mutex_lock(&cancellation->mutex);
  if (token && index < cancellation->slots.count) {
    const callback_slot_t *slot = &cancellation->slots.items[index];
    removed = slot->callback && token_of(slot->generation, index) == token;
  }
  if (removed) {
    free_slot_locked(cancellation, index);
  } else {
    while (token && cancellation->running == token && !pthread_equal(cancellation->runner, pthread_self()))
      sli_cond_wait(&cancellation->finished, &cancellation->mutex);
  }
  sli_mutex_unlock(&cancellation->mutex);
  return removed;
}
