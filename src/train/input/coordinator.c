// The coordinator: a stop flag, the first error and a list of threads. A thread stays
// in the list until it is joined.
#include "sluice/coordinator.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/status.h"
#include "base/string.h"
#include "base/sync.h"
#include "train/common/tf_tensor.h"

typedef struct {
  sl_coordinator_t *coordinator;
  char *name;
  sl_coordinator_function_t run;
  void *context;
  double period;  // < 0: runs once
  pthread_t handle;
  bool ended;  // under the coordinator's mutex
} coordinated_thread_t;

struct sl_coordinator {
  sli_mutex_t mutex;
  sli_cond_t changed;  // a stop was requested, or a thread has ended
  atomic_bool stop;    // set under mutex
  int64_t stop_nanos;
  sli_status_t *error;
  SLI_ARRAY(coordinated_thread_t *) threads;
};

sl_coordinator_t *sl_coordinator_create(void) {
  sl_coordinator_t *coordinator = sli_calloc(1, sizeof(*coordinator));
  sli_mutex_initialize(&coordinator->mutex);
  sli_cond_initialize(&coordinator->changed);
  atomic_init(&coordinator->stop, false);
  return coordinator;
}

void sl_coordinator_request_stop(sl_coordinator_t *coordinator, TF_Code code, const char *message) {
  sli_mutex_lock(&coordinator->mutex);
  if (code != TF_OK && code != TF_OUT_OF_RANGE && !coordinator->error)
    coordinator->error = sli_status_make((sli_code_t)code, "%s", message ? message : "");
  if (!atomic_load(&coordinator->stop)) coordinator->stop_nanos = sli_clock_now_nanos();
  atomic_store(&coordinator->stop, true);
  sli_cond_broadcast(&coordinator->changed);
  sli_mutex_unlock(&coordinator->mutex);
}

bool sl_coordinator_should_stop(sl_coordinator_t *coordinator) { return atomic_load(&coordinator->stop); }

bool sl_coordinator_wait_for_stop(sl_coordinator_t *coordinator, double seconds) {
  int64_t deadline = seconds < 0 ? SLI_CLOCK_NO_DEADLINE : sli_clock_now_nanos() + (int64_t)(seconds * 1e9);
  sli_mutex_lock(&coordinator->mutex);
  while (!atomic_load(&coordinator->stop))
    if (!sli_cond_wait_until(&coordinator->changed, &coordinator->mutex, deadline)) break;
  sli_mutex_unlock(&coordinator->mutex);
  return atomic_load(&coordinator->stop);
}

void sl_coordinator_clear_stop(sl_coordinator_t *coordinator) {
  sli_mutex_lock(&coordinator->mutex);
  atomic_store(&coordinator->stop, false);
  sli_status_release(coordinator->error);
  coordinator->error = NULL;
  sli_mutex_unlock(&coordinator->mutex);
}

void sl_coordinator_error(sl_coordinator_t *coordinator, TF_Status *status) {
  sli_mutex_lock(&coordinator->mutex);
  sli_status_t *error = sli_status_retain(coordinator->error);
  sli_mutex_unlock(&coordinator->mutex);
  sli_tf_status_from_status(error, status);
}

// --- Threads ---

// Calls |run| at once, and then at regular intervals. If a call takes too long, the missed calls are skipped.
static void run_periodically(coordinated_thread_t *thread) {
  sl_coordinator_t *coordinator = thread->coordinator;
  int64_t period = (int64_t)(thread->period * 1e9), next = sli_clock_now_nanos();
  for (;;) {
    int64_t now = sli_clock_now_nanos();
    if (next < now) next = now;
    if (sl_coordinator_wait_for_stop(coordinator, (double)(next - now) * 1e-9)) return;
    next += period;
    thread->run(thread->context, coordinator);
  }
}

static void *thread_main(void *argument) {
  coordinated_thread_t *thread = argument;
  sl_coordinator_t *coordinator = thread->coordinator;
  if (thread->period < 0)
    thread->run(thread->context, coordinator);
  else
    run_periodically(thread);
  sli_mutex_lock(&coordinator->mutex);
  thread->ended = true;
  sli_cond_broadcast(&coordinator->changed);
  sli_mutex_unlock(&coordinator->mutex);
  return NULL;
}

static void thread_release(coordinated_thread_t *thread) {
  free(thread->name);
  free(thread);
}

static bool create_thread(sl_coordinator_t *coordinator, coordinated_thread_t traits, const char *name) {
  coordinated_thread_t *thread = sli_malloc(sizeof(*thread));
  *thread = traits;
  thread->coordinator = coordinator;
  thread->name = sli_strdup(name);
  sli_mutex_lock(&coordinator->mutex);
  int error = pthread_create(&thread->handle, NULL, thread_main, thread);
  if (!error) sli_array_push(&coordinator->threads, thread);
  sli_mutex_unlock(&coordinator->mutex);
  if (!error) return true;
  char *text = sli_format("thread '%s' cannot be started: %s", name, strerror(error));
  sl_coordinator_request_stop(coordinator, TF_RESOURCE_EXHAUSTED, text);
  free(text);
  thread_release(thread);
  return false;
}

bool sl_coordinator_start_thread(sl_coordinator_t *coordinator, const char *name, sl_coordinator_function_t run,
                                 void *context) {
  return create_thread(coordinator, (coordinated_thread_t){.run = run, .context = context, .period = -1}, name);
}

bool sl_coordinator_loop(sl_coordinator_t *coordinator, const char *name, double seconds, sl_coordinator_function_t run,
                         void *context) {
  return create_thread(
      coordinator, (coordinated_thread_t){.run = run, .context = context, .period = seconds > 0 ? seconds : 0}, name);
}

// The names of the threads that still run, separated by commas; "" if there are none. New.
static char *still_running_locked(sl_coordinator_t *coordinator) {
  sli_string_t names = {0};
  for (size_t i = 0; i < coordinator->threads.count; i++)
    if (!coordinator->threads.items[i]->ended)
      sli_string_append_format(&names, "%s%s", names.size ? ", " : "", coordinator->threads.items[i]->name);
  return sli_string_take(&names);
}

static void join_ended_locked(sl_coordinator_t *coordinator) {
  size_t left = 0;
  for (size_t i = 0; i < coordinator->threads.count; i++) {
    coordinated_thread_t *thread = coordinator->threads.items[i];
    if (thread->ended) {
      pthread_join(thread->handle, NULL);  // does not block: the thread is about to return
      thread_release(thread);
    } else {
      coordinator->threads.items[left++] = thread;
    }
  }
  coordinator->threads.count = left;
}

static sli_status_t *join_threads(sl_coordinator_t *coordinator, int64_t grace_nanos) {
  sli_mutex_lock(&coordinator->mutex);
  while (!atomic_load(&coordinator->stop)) sli_cond_wait(&coordinator->changed, &coordinator->mutex);
  int64_t deadline = grace_nanos < 0 ? SLI_CLOCK_NO_DEADLINE : coordinator->stop_nanos + grace_nanos;
  sli_status_t *status = NULL;
  for (;;) {
    join_ended_locked(coordinator);
    if (coordinator->threads.count == 0) break;
    if (sli_cond_wait_until(&coordinator->changed, &coordinator->mutex, deadline)) continue;
    char *names = still_running_locked(coordinator);
    if (names[0])
      status = sli_status_make(SLI_DEADLINE_EXCEEDED, "Coordinator stopped with threads still running: %s", names);
    free(names);
    if (status) break;
  }
  if (coordinator->error) {
    sli_status_release(status);
    status = sli_status_retain(coordinator->error);
  }
  sli_mutex_unlock(&coordinator->mutex);
  return status;
}

void sl_coordinator_join(sl_coordinator_t *coordinator, double grace_secs, TF_Status *status) {
  enum { USUAL_GRACE_SECS = 120 };
  sli_tf_status_from_status(
      join_threads(coordinator, (int64_t)((grace_secs > 0 ? grace_secs : USUAL_GRACE_SECS) * 1e9)), status);
}

void sl_coordinator_release(sl_coordinator_t *coordinator) {
  if (!coordinator) return;
  sl_coordinator_request_stop(coordinator, TF_OK, NULL);
  sli_status_release(join_threads(coordinator, -1));
  sli_array_deinitialize(&coordinator->threads);
  sli_status_release(coordinator->error);
  sli_cond_deinitialize(&coordinator->changed);
  sli_mutex_deinitialize(&coordinator->mutex);
  free(coordinator);
}
