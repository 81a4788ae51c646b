// A queue consists of stored tuples and two lists of waiting attempts, one of enqueues and closes, one of dequeues.
// Each function that changes the queue then serves both lists until nothing changes any more (advance_queue_locked).
// After the unlock the outputs are built and the callbacks called.
//
// A dequeue of many tuples takes them as they arrive, so that it may request more than the capacity. If it fails, the
// tuples that it has taken go back to the front of the queue.
#include "ops/queue/queue.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/random.h"
#include "core/state/resource.h"
#include "math/philox.h"
#include "ops/common/waiter.h"
#include "ops/queue/queue_internal.h"

typedef struct {
  sli_tensor_t **components;
  uint64_t order;  // number of the insertion; breaks ties in a priority queue
} queue_tuple_t;

struct sli_queue {
  sli_object_t base;
  sli_queue_spec_t spec;
  sli_arena_t arena;  // owns the arrays of |spec|
  char *name;
  sli_mutex_t mutex;
  // Guarded by |mutex|. The tuples are a ring buffer from |first| on. In a shuffling queue (an array) and in a priority
  // queue (a heap) |first| is 0.
  queue_tuple_t *tuples;
  size_t first, size, room;
  uint64_t order;
  sli_philox_words_t random;
  bool is_closed;
  sli_waiter_list_t enqueues, dequeues;
};

typedef enum { ATTEMPT_ENQUEUE, ATTEMPT_DEQUEUE, ATTEMPT_CLOSE } attempt_kind_t;

typedef struct {
  sli_waiter_t waiter;
  attempt_kind_t kind;
  bool is_batch, allow_fewer;
  queue_tuple_t *tuples;  // to enqueue, or dequeued so far
  size_t room;            // allocated size of |tuples|
  size_t count, handled;  // requested; enqueued or dequeued so far
  sli_queue_done_t done;
  void *user;
} attempt_t;

static const char *const kind_names[] = {
    [SLI_QUEUE_FIFO] = "FIFOQueue",
    [SLI_QUEUE_SHUFFLE] = "RandomShuffleQueue",
    [SLI_QUEUE_PADDING] = "PaddingFIFOQueue",
    [SLI_QUEUE_PRIORITY] = "PriorityQueue",
};

const char *sli_queue_kind_name(sli_queue_kind_t kind) { return kind_names[kind]; }
const sli_queue_spec_t *sli_queue_spec(const sli_queue_t *queue) { return &queue->spec; }
const char *sli_queue_name(const sli_queue_t *queue) { return queue->name; }

// --- Tuples --------------------------------------------------------------------------

static void queue_tuple_release(queue_tuple_t *tuple, int component_count) {
  if (!tuple->components) return;
  for (int i = 0; i < component_count; i++) sli_tensor_release(tuple->components[i]);
  free(tuple->components);
  tuple->components = NULL;
}

static void queue_destroy(sli_object_t *object) {
  sli_queue_t *queue = (sli_queue_t *)object;
  for (size_t i = 0; i < queue->size; i++)
    queue_tuple_release(&queue->tuples[(queue->first + i) % queue->room], queue->spec.component_count);
  free(queue->tuples);
  free(queue->name);
  sli_arena_deinitialize(&queue->arena);
  sli_mutex_deinitialize(&queue->mutex);
  free(queue);
}

static void queue_describe(sli_object_t *object, sli_resource_info_t *out_info) {
  sli_queue_t *queue = (sli_queue_t *)object;
  out_info->kind = SLI_RESOURCE_QUEUE;
  out_info->queue_kind = sli_queue_kind_name(queue->spec.kind);
  out_info->capacity = queue->spec.capacity == INT32_MAX ? -1 : queue->spec.capacity;
  sli_mutex_lock(&queue->mutex);
  out_info->size = (int64_t)queue->size;
  out_info->is_closed = queue->is_closed;
  out_info->waiting_enqueues = sli_waiter_list_count(&queue->enqueues);
  out_info->waiting_dequeues = sli_waiter_list_count(&queue->dequeues);
  sli_mutex_unlock(&queue->mutex);
}

static const sli_resource_watch_t queue_watch = {.describe = queue_describe};
const sli_object_type_t sli_queue_type = {"Queue", queue_destroy, &queue_watch};

sli_queue_t *sli_queue_create(const sli_queue_spec_t *spec, sli_view_t name) {
  sli_queue_t *queue = sli_calloc(1, sizeof(*queue));
  sli_object_initialize(&queue->base, &sli_queue_type);
  sli_mutex_initialize(&queue->mutex);
  queue->name = sli_strndup(name.data, name.size);
  queue->spec = *spec;
  size_t count = (size_t)spec->component_count;
  sli_dtype_t *types = sli_arena_allocate(&queue->arena, count * sizeof(*types));
  memcpy(types, spec->types, count * sizeof(*types));
  queue->spec.types = types;
  if (spec->shapes) {
    sli_shape_t *shapes = sli_arena_allocate(&queue->arena, count * sizeof(*shapes));
    for (size_t i = 0; i < count; i++) shapes[i] = sli_shape_copy(&queue->arena, spec->shapes[i]);
    queue->spec.shapes = shapes;
  }
  bool is_seeded = spec->seed || spec->seed2;
  queue->random = sli_philox_words(
      sli_philox_from_seeds(is_seeded ? spec->seed : sli_random_u64(), is_seeded ? spec->seed2 : sli_random_u64()));
  return queue;
}

// --- Stored tuples ------------------------------------------------------------------------

static void make_room_locked(sli_queue_t *queue) {
  if (queue->size < queue->room) return;
  size_t room = queue->room ? 2 * queue->room : 16;
  queue_tuple_t *tuples = sli_malloc(room * sizeof(*tuples));
  for (size_t i = 0; i < queue->size; i++) tuples[i] = queue->tuples[(queue->first + i) % queue->room];
  free(queue->tuples);
  queue->tuples = tuples;
  queue->room = room;
  queue->first = 0;
}

// Lower priority values first, equal ones in order of insertion.
static bool comes_before(const queue_tuple_t *a, const queue_tuple_t *b) {
  int64_t x = SLI_DATA(int64_t, a->components[0])[0], y = SLI_DATA(int64_t, b->components[0])[0];
  return x != y ? x < y : a->order < b->order;
}

static void heap_push(queue_tuple_t *heap, size_t size, queue_tuple_t tuple) {
  size_t at = size;
  for (; at > 0 && comes_before(&tuple, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = tuple;
}

static queue_tuple_t heap_pop(queue_tuple_t *heap, size_t size) {
  queue_tuple_t top = heap[0], last = heap[size - 1];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < size - 1; at = child) {
    if (child + 1 < size - 1 && comes_before(&heap[child + 1], &heap[child])) child++;
    if (!comes_before(&heap[child], &last)) break;
    heap[at] = heap[child];
  }
  if (size > 1) heap[at] = last;
  return top;
}

static void push_locked(sli_queue_t *queue, queue_tuple_t tuple) {
  make_room_locked(queue);
  tuple.order = queue->order++;
  if (queue->spec.kind == SLI_QUEUE_PRIORITY)
    heap_push(queue->tuples, queue->size, tuple);
  else
    queue->tuples[(queue->first + queue->size) % queue->room] = tuple;
  queue->size++;
}

static queue_tuple_t pop_locked(sli_queue_t *queue) {
  size_t size = queue->size--;
  if (queue->spec.kind == SLI_QUEUE_PRIORITY) return heap_pop(queue->tuples, size);
  if (queue->spec.kind == SLI_QUEUE_SHUFFLE) {
    size_t index = sli_philox_word(&queue->random) % size;
    queue_tuple_t tuple = queue->tuples[index];
    queue->tuples[index] = queue->tuples[size - 1];
    return tuple;
  }
  queue_tuple_t tuple = queue->tuples[queue->first];
  queue->first = (queue->first + 1) % queue->room;
  return tuple;
}

// Puts popped tuples back; |tuples| are in the order in which they were popped.
static void push_back_locked(sli_queue_t *queue, queue_tuple_t *tuples, size_t count) {
  for (size_t i = count; i-- > 0;) {
    make_room_locked(queue);
    if (queue->spec.kind == SLI_QUEUE_PRIORITY) {
      heap_push(queue->tuples, queue->size, tuples[i]);
    } else if (queue->spec.kind == SLI_QUEUE_SHUFFLE) {
      queue->tuples[queue->size] = tuples[i];
    } else {
      queue->first = (queue->first + queue->room - 1) % queue->room;
      queue->tuples[queue->first] = tuples[i];
    }
    queue->size++;
  }
}

// --- Serving the waiting attempts -----------------------------------------------------------------

// TensorFlow's messages call a padding queue a FIFO queue, except where it pads.
static const char *shown_kind(const sli_queue_t *queue, bool is_padded) {
  bool is_fifo = queue->spec.kind == SLI_QUEUE_PADDING && !is_padded;
  return kind_names[is_fifo ? SLI_QUEUE_FIFO : queue->spec.kind];
}

static sli_status_t *too_few(const sli_queue_t *queue, const attempt_t *attempt) {
  return sli_status_make(SLI_OUT_OF_RANGE,
                         "%s '%s' is closed and has insufficient elements (requested %zu, current size %zu)",
                         shown_kind(queue, attempt->is_batch), queue->name, attempt->count, queue->size);
}

// Serves the first enqueue or close as far as possible. Returns whether anything changed.
static bool serve_enqueue_locked(sli_queue_t *queue, attempt_t *attempt, sli_waiter_list_t *resolved) {
  if (attempt->kind == ATTEMPT_CLOSE) {
    sli_status_t *status = NULL;
    if (queue->is_closed) status = sli_status_make(SLI_CANCELLED, "Queue '%s' is already closed.", queue->name);
    queue->is_closed = true;
    sli_waiter_resolve_locked(&attempt->waiter, status, resolved);
    return true;
  }
  if (queue->is_closed) {
    sli_waiter_resolve_locked(
        &attempt->waiter, sli_status_make(SLI_CANCELLED, "%s '%s' is closed.", shown_kind(queue, false), queue->name),
        resolved);
    return true;
  }
  size_t before = attempt->handled;
  while (attempt->handled < attempt->count && (int64_t)queue->size < queue->spec.capacity) {
    push_locked(queue, attempt->tuples[attempt->handled]);
    attempt->tuples[attempt->handled++].components = NULL;
  }
  if (attempt->handled == attempt->count) {
    sli_waiter_resolve_locked(&attempt->waiter, NULL, resolved);
    return true;
  }
  return attempt->handled > before;
}

static void take_locked(sli_queue_t *queue, attempt_t *attempt) {
  if (attempt->handled == attempt->room) {
    attempt->room = attempt->room ? 2 * attempt->room : 16;
    if (attempt->room > attempt->count) attempt->room = attempt->count;
    attempt->tuples = sli_realloc(attempt->tuples, attempt->room * sizeof(*attempt->tuples));
  }
  attempt->tuples[attempt->handled++] = pop_locked(queue);
}

static bool serve_dequeue_locked(sli_queue_t *queue, attempt_t *attempt, sli_waiter_list_t *resolved) {
  size_t wanted = attempt->count - attempt->handled;
  if (queue->is_closed && queue->size < wanted) {
    push_back_locked(queue, attempt->tuples, attempt->handled);
    attempt->handled = 0;
    if (!attempt->allow_fewer || queue->size == 0) {
      sli_waiter_resolve_locked(&attempt->waiter, too_few(queue, attempt), resolved);
      return true;
    }
    attempt->count = wanted = queue->size;
  }
  // A priority queue gives all elements at once, so that they are in order.
  if (queue->spec.kind == SLI_QUEUE_PRIORITY && queue->size < wanted && wanted <= (size_t)queue->spec.capacity)
    return false;
  int64_t available = (int64_t)queue->size - (queue->is_closed ? 0 : queue->spec.min_after_dequeue);
  size_t before = attempt->handled;
  for (; available > 0 && attempt->handled < attempt->count; available--) take_locked(queue, attempt);
  if (attempt->handled == attempt->count) {
    sli_waiter_resolve_locked(&attempt->waiter, NULL, resolved);
    return true;
  }
  return attempt->handled > before;
}

static void advance_queue_locked(sli_queue_t *queue, sli_waiter_list_t *resolved) {
  for (bool changed = true; changed;) {
    changed = false;
    while (queue->enqueues.first) {
      attempt_t *attempt = (attempt_t *)queue->enqueues.first;
      changed |= serve_enqueue_locked(queue, attempt, resolved);
      if (queue->enqueues.first == &attempt->waiter) break;
    }
    while (queue->dequeues.first) {
      attempt_t *attempt = (attempt_t *)queue->dequeues.first;
      changed |= serve_dequeue_locked(queue, attempt, resolved);
      if (queue->dequeues.first == &attempt->waiter) break;
    }
  }
}

static void attempt_cancelled_locked(sli_waiter_t *waiter, sli_waiter_list_t *resolved) {
  attempt_t *attempt = (attempt_t *)waiter;
  sli_queue_t *queue = (sli_queue_t *)waiter->object;
  if (attempt->kind == ATTEMPT_DEQUEUE) {
    push_back_locked(queue, attempt->tuples, attempt->handled);
    attempt->handled = 0;
  }
  advance_queue_locked(queue, resolved);
}

// --- The end of an attempt --------------------------------------------------------------

static void attempt_done(sli_waiter_t *waiter, sli_status_t *status) {
  attempt_t *attempt = (attempt_t *)waiter;
  const sli_queue_spec_t *spec = &((sli_queue_t *)waiter->object)->spec;
  sli_tensor_t **components = NULL;
  if (!status && attempt->kind == ATTEMPT_DEQUEUE) {
    components = sli_calloc((size_t)spec->component_count, sizeof(*components));
    for (int i = 0; i < spec->component_count && !status; i++) {
      if (!attempt->is_batch) {
        components[i] = sli_tensor_retain(attempt->tuples[0].components[i]);
        continue;
      }
      sli_tensor_t **rows = sli_malloc((attempt->count + 1) * sizeof(*rows));
      for (size_t k = 0; k < attempt->count; k++) rows[k] = attempt->tuples[k].components[i];
      status = sli_queue_batch_rows(spec, i, rows, (int64_t)attempt->count, &components[i]);
      free(rows);
    }
    if (status) {
      for (int i = 0; i < spec->component_count; i++) sli_tensor_release(components[i]);
    }
  }
  size_t held = attempt->kind == ATTEMPT_ENQUEUE ? attempt->count : attempt->handled;
  for (size_t i = 0; i < held; i++) queue_tuple_release(&attempt->tuples[i], spec->component_count);
  attempt->done(attempt->user, status, status ? NULL : components);
  free(components);
  free(attempt->tuples);
  free(attempt);
}

static attempt_t *attempt_create(sli_queue_t *queue, sli_cancellation_t *cancellation, attempt_kind_t kind,
                                 sli_queue_done_t done, void *user) {
  attempt_t *attempt = sli_calloc(1, sizeof(*attempt));
  sli_waiter_initialize(&attempt->waiter, queue, &queue->mutex, cancellation);
  attempt->waiter.cancelled_locked = attempt_cancelled_locked;
  attempt->waiter.cancelled_text =
      kind == ATTEMPT_DEQUEUE ? "Dequeue operation was cancelled" : "Enqueue operation was cancelled";
  attempt->waiter.done = attempt_done;
  attempt->kind = kind;
  attempt->done = done;
  attempt->user = user;
  return attempt;
}

static void attempt_start(sli_queue_t *queue, attempt_t *attempt) {
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&queue->mutex);
  sli_waiter_append_locked(&attempt->waiter, attempt->kind == ATTEMPT_DEQUEUE ? &queue->dequeues : &queue->enqueues);
  advance_queue_locked(queue, &resolved);
  if (attempt->waiter.list) sli_waiter_park_locked(&attempt->waiter, &resolved);
  sli_mutex_unlock(&queue->mutex);
  sli_waiter_list_finish(&resolved);
}

// Ends an attempt that was never added to a list.
static void attempt_end(attempt_t *attempt, sli_status_t *status) {
  sli_waiter_list_t ended = {0};
  sli_waiter_append_locked(&attempt->waiter, &ended);
  attempt->waiter.status = status;
  sli_waiter_list_finish(&ended);
}

// --- Calls ---------------------------------------------------------------------------------

void sli_queue_enqueue(sli_queue_t *queue, sli_cancellation_t *cancellation, sli_tensor_t *const *components, bool many,
                       sli_queue_done_t done, void *user) {
  sli_status_t *status = sli_queue_check_components(&queue->spec, components, many);
  if (status) {
    done(user, status, NULL);
    return;
  }
  size_t width = (size_t)queue->spec.component_count, count = many ? (size_t)components[0]->dims[0] : 1;
  attempt_t *attempt = attempt_create(queue, cancellation, ATTEMPT_ENQUEUE, done, user);
  attempt->tuples = sli_calloc(count + 1, sizeof(*attempt->tuples));
  attempt->count = count;
  for (size_t i = 0; i < count && !status; i++) {
    attempt->tuples[i].components = sli_calloc(width, sizeof(sli_tensor_t *));
    for (size_t k = 0; k < width && !status; k++) {
      if (many)
        status = sli_queue_copy_row(components[k], (int64_t)i, &attempt->tuples[i].components[k]);
      else
        attempt->tuples[i].components[k] = sli_tensor_retain(components[k]);
    }
  }
  if (status || count == 0)
    attempt_end(attempt, status);
  else
    attempt_start(queue, attempt);
}

void sli_queue_dequeue(sli_queue_t *queue, sli_cancellation_t *cancellation, int64_t count, bool allow_fewer,
                       sli_queue_done_t done, void *user) {
  attempt_t *attempt = attempt_create(queue, cancellation, ATTEMPT_DEQUEUE, done, user);
  attempt->is_batch = count >= 0;
  attempt->allow_fewer = allow_fewer;
  attempt->count = count < 0 ? 1 : (size_t)count;
  sli_status_t *status = NULL;
  if (attempt->is_batch && !queue->spec.shapes)
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             queue->spec.kind == SLI_QUEUE_PRIORITY
                                 ? "%s's DequeueMany requires the components to have specified shapes."
                                 : "%s's DequeueMany and DequeueUpTo require the components to have specified shapes.",
                             kind_names[queue->spec.kind]);
  if (status || attempt->count == 0)
    attempt_end(attempt, status);
  else
    attempt_start(queue, attempt);
}

void sli_queue_close(sli_queue_t *queue, bool cancel_pending, sli_queue_done_t done, void *user) {
  if (!cancel_pending) {
    attempt_start(queue, attempt_create(queue, NULL, ATTEMPT_CLOSE, done, user));
    return;
  }
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&queue->mutex);
  queue->is_closed = true;
  while (queue->enqueues.first)
    sli_waiter_resolve_locked(queue->enqueues.first, sli_status_make(SLI_CANCELLED, "Enqueue operation was cancelled"),
                              &resolved);
  advance_queue_locked(queue, &resolved);
  sli_mutex_unlock(&queue->mutex);
  sli_waiter_list_finish(&resolved);
  done(user, NULL, NULL);
}

int64_t sli_queue_size(sli_queue_t *queue) {
  sli_mutex_lock(&queue->mutex);
  int64_t size = (int64_t)queue->size;
  sli_mutex_unlock(&queue->mutex);
  return size;
}

bool sli_queue_is_closed(sli_queue_t *queue) {
  sli_mutex_lock(&queue->mutex);
  bool is_closed = queue->is_closed;
  sli_mutex_unlock(&queue->mutex);
  return is_closed;
}
