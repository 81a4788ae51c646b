// One request at a time owns the reader and works without holding its lock; the others wait in a list. When no file is
// open, the owner requests a name from the queue and continues where the name arrives. If the name is available at
// once, that is in the same loop, so that a sequence of empty files does not deepen the stack.
#include "ops/io/reader.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ops/common/waiter.h"
#include "proto/reader.fields.h"
#include "proto/wire.h"

struct sli_reader {
  sli_object_t base;
  const sli_reader_kind_t *kind;
  char *name;
  // Used only by the request that owns the reader:
  void *state;                // of |kind|
  char *work;                 // the current or last unit
  struct read_request *next;  // the next owner
  sli_mutex_t mutex;
  // Guarded by |mutex|:
  bool is_owned;
  sli_waiter_list_t waiting;
  int64_t started, finished, produced;
};

enum { PHASE_STARTED, PHASE_PARKED, PHASE_COMPLETED };

typedef struct read_request read_request_t;
struct read_request {
  sli_waiter_t waiter;
  // Does the work once the request owns the reader. Returns false if it must wait; it is continued later.
  bool (*run)(read_request_t *request, sli_status_t **out_status);
  sli_queue_t *queue;       // holds a reference
  sli_thread_pool_t *pool;  // may be NULL
  int64_t limit;
  sli_string_t text;  // a state to restore
  sli_reader_records_t records;
  sli_reader_done_t done;
  void *user;
  // The result of the dequeue of a name:
  atomic_int phase;
  sli_status_t *name_status;
  char *name;
};

static void reader_destroy(sli_object_t *object) {
  sli_reader_t *reader = (sli_reader_t *)object;
  reader->kind->stop(reader->state);
  free(reader->state);
  free(reader->work);
  free(reader->name);
  sli_mutex_deinitialize(&reader->mutex);
  free(reader);
}

const sli_object_type_t sli_reader_type = {"Reader", reader_destroy};

sli_reader_t *sli_reader_create(const sli_reader_kind_t *kind, void *state, sli_view_t name) {
  sli_reader_t *reader = sli_calloc(1, sizeof(*reader));
  sli_object_initialize(&reader->base, &sli_reader_type);
  sli_mutex_initialize(&reader->mutex);
  reader->kind = kind;
  reader->state = state;
  reader->name = sli_strndup(name.data, name.size);
  reader->work = sli_strdup("");
  return reader;
}

// --- Waiting requests ---------------------------------------------------------------------------

static void request_free(read_request_t *request) {
  for (size_t i = 0; i < request->records.keys.count; i++) sli_tstring_deinitialize(&request->records.keys.items[i]);
  for (size_t i = 0; i < request->records.values.count; i++)
    sli_tstring_deinitialize(&request->records.values.items[i]);
  sli_array_deinitialize(&request->records.keys);
  sli_array_deinitialize(&request->records.values);
  sli_string_deinitialize(&request->text);
  sli_object_release(request->queue);
  free(request->name);
  free(request);
}

static void call_done(read_request_t *request, sli_status_t *status) {
  request->done(request->user, status, &request->records);
  request_free(request);
}

// The request left the list: it was cancelled, or it is now the owner. The waiter's references are released after this
// returns, so the request retains its own.
static void on_left_list(sli_waiter_t *waiter, sli_status_t *status) {
  read_request_t *request = (read_request_t *)waiter;
  if (status) {
    call_done(request, status);
    return;
  }
  sli_reader_t *reader = sli_object_retain(waiter->object);
  sli_cancellation_retain(waiter->cancellation);
  reader->next = request;
}

// Ends the owner's request. Returns the next waiting request, which now owns the reader, or NULL.
static read_request_t *request_end(read_request_t *request, sli_status_t *status) {
  sli_reader_t *reader = (sli_reader_t *)request->waiter.object;
  sli_cancellation_t *cancellation = request->waiter.cancellation;
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&reader->mutex);
  bool has_next = reader->waiting.first != NULL;
  if (has_next)
    sli_waiter_resolve_locked(reader->waiting.first, NULL, &resolved);
  else
    reader->is_owned = false;
  sli_mutex_unlock(&reader->mutex);
  call_done(request, status);
  sli_waiter_list_finish(&resolved);
  read_request_t *next = has_next ? reader->next : NULL;
  sli_object_release(reader);
  sli_cancellation_release(cancellation);
  return next;
}

// Runs the owner and the requests after it until one has to wait.
static void drive(read_request_t *request) {
  while (request) {
    sli_status_t *status = NULL;
    if (!request->run(request, &status)) return;
    request = request_end(request, status);
  }
}

static void drive_task(void *request) { drive(request); }

static void submit(sli_reader_t *reader, sli_cancellation_t *cancellation, read_request_t *request) {
  sli_waiter_initialize(&request->waiter, reader, &reader->mutex, cancellation);
  request->waiter.cancelled_text = "Reader operation was cancelled";
  request->waiter.done = on_left_list;
  sli_waiter_list_t resolved = {0};
  sli_mutex_lock(&reader->mutex);
  bool is_owner = !reader->is_owned;
  reader->is_owned = true;
  if (!is_owner) {
    sli_waiter_append_locked(&request->waiter, &reader->waiting);
    sli_waiter_park_locked(&request->waiter, &resolved);
  }
  sli_mutex_unlock(&reader->mutex);
  sli_waiter_list_finish(&resolved);
  if (is_owner) drive(request);
}

static read_request_t *request_create(bool (*run)(read_request_t *request, sli_status_t **out_status),
                                      sli_reader_done_t done, void *user) {
  read_request_t *request = sli_calloc(1, sizeof(*request));
  request->run = run;
  request->done = done;
  request->user = user;
  return request;
}

// --- Reading ------------------------------------------------------------------------------

static bool is_in_work(sli_reader_t *reader) {
  sli_mutex_lock(&reader->mutex);
  bool is_in_work = reader->started > reader->finished;
  sli_mutex_unlock(&reader->mutex);
  return is_in_work;
}

static sli_status_t *start_work(sli_reader_t *reader, read_request_t *request) {
  free(reader->work);
  reader->work = request->name;
  request->name = NULL;
  SLI_RETURN_IF_ERROR(reader->kind->start(reader->state, reader->work));
  sli_mutex_lock(&reader->mutex);
  reader->started++;
  sli_mutex_unlock(&reader->mutex);
  return NULL;
}

// Reads one record. Sets |*out_done| when the request is complete.
static sli_status_t *read_one(sli_reader_t *reader, read_request_t *request, bool *out_done) {
  bool produced = false, at_end = false;
  sli_string_t key = {0};
  sli_tstring_t value = {0};
  sli_status_t *status = reader->kind->read(reader->state, reader->work, &key, &value, &produced, &at_end);
  if (!status && produced) {
    sli_tstring_t key_value = {0};
    sli_tstring_assign(&key_value, sli_string_text(&key), key.size);
    sli_array_push(&request->records.keys, key_value);
    sli_array_push(&request->records.values, value);
  } else {
    sli_tstring_deinitialize(&value);
  }
  sli_string_deinitialize(&key);
  if (status) return status;
  if (at_end) reader->kind->stop(reader->state);
  sli_mutex_lock(&reader->mutex);
  reader->produced += produced;
  if (at_end) reader->finished = reader->started;
  sli_mutex_unlock(&reader->mutex);
  int64_t count = (int64_t)request->records.keys.count;
  *out_done = count >= request->limit || (at_end && count > 0);
  return NULL;
}

static void on_name(void *user, sli_status_t *status, sli_tensor_t **components) {
  read_request_t *request = user;
  request->name_status = status;
  if (components) {
    if (components[0]->count == 1) {
      sli_view_t name = sli_tstring_view(&SLI_DATA(sli_tstring_t, components[0])[0]);
      request->name = sli_strndup(name.data, name.size);
    } else {
      request->name_status = sli_status_make(SLI_INVALID_ARGUMENT, "Expected to dequeue a one-element string tensor");
    }
    sli_tensor_release(components[0]);
  }
  if (atomic_exchange_explicit(&request->phase, PHASE_COMPLETED, memory_order_acq_rel) != PHASE_PARKED) return;
  // This thread has enqueued the name, and may be one that polls the network: it must not wait for the file.
  if (request->pool)
    sli_thread_pool_submit_blocking(request->pool, drive_task, request);
  else
    drive(request);
}

// Requests a name from the queue. Returns false if it is not available yet; on_name continues the request then.
static bool ask_for_name(read_request_t *request) {
  atomic_store_explicit(&request->phase, PHASE_STARTED, memory_order_relaxed);
  sli_queue_dequeue(request->queue, request->waiter.cancellation, -1, false, on_name, request);
  return atomic_exchange_explicit(&request->phase, PHASE_PARKED, memory_order_acq_rel) == PHASE_COMPLETED;
}

// Reads records until the request is complete. Uses the name that was dequeued, if there is one.
static bool run_read(read_request_t *request, sli_status_t **out_status) {
  sli_reader_t *reader = (sli_reader_t *)request->waiter.object;
  for (bool done = false; !done;) {
    *out_status = request->name_status;
    request->name_status = NULL;
    if (!*out_status && !request->name && !is_in_work(reader)) {
      if (!ask_for_name(request)) return false;
      continue;
    }
    if (!*out_status && request->name) *out_status = start_work(reader, request);
    if (!*out_status) *out_status = read_one(reader, request, &done);
    if (*out_status) return true;
  }
  return true;
}

void sli_reader_read(sli_reader_t *reader, sli_queue_t *queue, sli_thread_pool_t *pool,
                     sli_cancellation_t *cancellation, int64_t limit, sli_reader_done_t done, void *user) {
  read_request_t *request = request_create(run_read, done, user);
  request->pool = pool;
  const sli_queue_spec_t *spec = sli_queue_spec(queue);
  sli_status_t *status = NULL;
  if (spec->component_count != 1)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Expected single component queue");
  else if (spec->types[0] != SLI_DTYPE_STRING)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Expected queue with single string component");
  if (status) {
    call_done(request, status);
    return;
  }
  request->queue = sli_object_retain(queue);
  request->limit = limit;
  submit(reader, cancellation, request);
}

// --- State ----------------------------------------------------------------------------------

static void clear(sli_reader_t *reader) {
  reader->kind->stop(reader->state);
  free(reader->work);
  reader->work = sli_strdup("");
  sli_mutex_lock(&reader->mutex);
  reader->started = reader->finished = reader->produced = 0;
  sli_mutex_unlock(&reader->mutex);
}

static bool run_reset(read_request_t *request, sli_status_t **out_status) {
  clear((sli_reader_t *)request->waiter.object);
  return true;
}

void sli_reader_reset(sli_reader_t *reader, sli_cancellation_t *cancellation, sli_reader_done_t done, void *user) {
  submit(reader, cancellation, request_create(run_reset, done, user));
}

static bool run_save(read_request_t *request, sli_status_t **out_status) {
  sli_reader_t *reader = (sli_reader_t *)request->waiter.object;
  if (!reader->kind->can_save) {
    *out_status = sli_status_make(SLI_UNIMPLEMENTED, "Reader SerializeState");
    return true;
  }
  sli_string_t text = {0};
  sli_wire_write_nonzero(&text, SLI_FIELD_READER_BASE_STATE_WORK_STARTED, reader->started);
  sli_wire_write_nonzero(&text, SLI_FIELD_READER_BASE_STATE_WORK_FINISHED, reader->finished);
  sli_wire_write_nonzero(&text, SLI_FIELD_READER_BASE_STATE_NUM_RECORDS_PRODUCED, reader->produced);
  if (*reader->work) sli_wire_write_text(&text, SLI_FIELD_READER_BASE_STATE_CURRENT_WORK, reader->work);
  sli_tstring_t value = {0};
  sli_tstring_assign(&value, sli_string_text(&text), text.size);
  sli_array_push(&request->records.values, value);
  sli_string_deinitialize(&text);
  return true;
}

void sli_reader_save(sli_reader_t *reader, sli_cancellation_t *cancellation, sli_reader_done_t done, void *user) {
  submit(reader, cancellation, request_create(run_save, done, user));
}

static sli_status_t *restore_reader_state(sli_reader_t *reader, sli_view_t text) {
  if (!reader->kind->can_save) return sli_status_make(SLI_UNIMPLEMENTED, "Reader RestoreState");
  int64_t started = 0, finished = 0, produced = 0;
  sli_view_t work = sli_view("");
  sli_wire_reader_t wire = sli_wire_reader(text);
  for (sli_wire_field_t field; sli_wire_next(&wire, &field);) {
    bool is_number = field.type == SLI_WIRE_VARINT;
    switch (field.number) {
      case SLI_FIELD_READER_BASE_STATE_WORK_STARTED: started = is_number ? (int64_t)field.value : started; break;
      case SLI_FIELD_READER_BASE_STATE_WORK_FINISHED: finished = is_number ? (int64_t)field.value : finished; break;
      case SLI_FIELD_READER_BASE_STATE_NUM_RECORDS_PRODUCED:
        produced = is_number ? (int64_t)field.value : produced;
        break;
      case SLI_FIELD_READER_BASE_STATE_CURRENT_WORK: work = field.type == SLI_WIRE_BYTES ? field.bytes : work; break;
      default: break;
    }
  }
  if (wire.malformed)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse state for %s '%s'", reader->kind->name, reader->name);
  if (started < 0 || finished < 0 || produced < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unexpected negative value when restoring in %s '%s'",
                           reader->kind->name, reader->name);
  if (started > finished)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Inconsistent work started vs. finished when restoring in %s '%s'",
                           reader->kind->name, reader->name);
  free(reader->work);
  reader->work = sli_strndup(work.data, work.size);
  sli_mutex_lock(&reader->mutex);
  reader->started = started;
  reader->finished = finished;
  reader->produced = produced;
  sli_mutex_unlock(&reader->mutex);
  return NULL;
}

static bool run_restore(read_request_t *request, sli_status_t **out_status) {
  sli_reader_t *reader = (sli_reader_t *)request->waiter.object;
  *out_status = restore_reader_state(reader, sli_view_of(sli_string_text(&request->text), request->text.size));
  if (*out_status) clear(reader);
  return true;
}

void sli_reader_restore(sli_reader_t *reader, sli_cancellation_t *cancellation, sli_view_t state,
                        sli_reader_done_t done, void *user) {
  read_request_t *request = request_create(run_restore, done, user);
  sli_string_append(&request->text, state.data, state.size);
  submit(reader, cancellation, request);
}

int64_t sli_reader_records_produced(sli_reader_t *reader) {
  sli_mutex_lock(&reader->mutex);
  int64_t produced = reader->produced;
  sli_mutex_unlock(&reader->mutex);
  return produced;
}

int64_t sli_reader_units_completed(sli_reader_t *reader) {
  sli_mutex_lock(&reader->mutex);
  int64_t finished = reader->finished;
  sli_mutex_unlock(&reader->mutex);
  return finished;
}
