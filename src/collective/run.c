// One device's part in an op: it joins the group, agrees on the instance, runs the algorithm, and ends once with the
// first error of any of these.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "collective/engine_internal.h"

// ---- Life ------------------------------------------------------------------------

sli_collective_run_t *sli_collective_run_retain(sli_collective_run_t *run) {
  sli_refcount_retain(&run->references);
  return run;
}

void sli_collective_run_release(sli_collective_run_t *run) {
  if (!sli_refcount_release(&run->references)) return;
  sli_status_release(run->status);
  sli_collective_group_release(run->group);
  sli_cancellation_release(run->cancellation);
  sli_cancellation_release(run->step);
  sli_mutex_deinitialize(&run->mutex);
  sli_collective_engine_release(run->engine);
  free(run->scope);
  free(run->key);
  free(run->parts);
  free(run);
}

void sli_collective_run_stop(sli_collective_run_t *run, sli_status_t *status) {
  sli_mutex_lock(&run->mutex);
  bool is_first = !run->status;
  if (is_first) run->status = sli_status_retain(status);
  sli_mutex_unlock(&run->mutex);
  if (is_first)
    sli_cancellation_cancel(run->cancellation, status);
  else
    sli_status_release(status);
}

void sli_collective_run_fail(sli_collective_run_t *run, sli_status_t *status) {
  // Ends of calls that the first error cancelled.
  sli_mutex_lock(&run->mutex);
  bool is_late = run->status != NULL;
  sli_mutex_unlock(&run->mutex);
  if (is_late) {
    sli_status_release(status);
    return;
  }
  if (run->scope) sli_collective_engine_fail(run->engine, run->scope, run->group, sli_status_retain(status));
  sli_collective_run_stop(run, status);
}

void sli_collective_run_begin_part(sli_collective_run_t *run) { atomic_fetch_add(&run->pending, 1); }

static void unlist(sli_collective_run_t *run) {
  sli_collective_engine_t *engine = run->engine;
  sli_mutex_lock(&engine->mutex);
  *(run->previous ? &run->previous->next : &engine->runs) = run->next;
  if (run->next) run->next->previous = run->previous;
  sli_mutex_unlock(&engine->mutex);
}

void sli_collective_run_end_part(sli_collective_run_t *run) {
  if (atomic_fetch_sub(&run->pending, 1) != 1) return;
  sli_env_t *env = run->engine->env;
  unlist(run);
  if (run->timer && env->cancel_timer(env, run->timer)) sli_collective_run_release(run);
  if (run->token && sli_cancellation_deregister(run->step, run->token)) sli_collective_run_release(run);
  sli_mutex_lock(&run->mutex);
  sli_status_t *status = sli_status_retain(run->status);
  sli_mutex_unlock(&run->mutex);
  run->done(run->context, status);
  sli_collective_run_release(run);
}

static void step_cancelled(void *context) {
  sli_collective_run_t *run = context;
  sli_status_t *reason = sli_cancellation_status(run->step);
  // Other members learn who left them, and may try again.
  sli_status_t *status = sli_status_make(SLI_ABORTED, "%s was cancelled on %s: %s", run->request->name,
                                         run->request->device->name, sli_status_message(reason));
  sli_status_release(reason);
  sli_collective_run_fail(run, status);
  sli_collective_run_release(run);
}

static void timed_out(void *context) {
  sli_collective_run_t *run = context;
  sli_collective_run_fail(
      run, sli_status_make(SLI_DEADLINE_EXCEEDED, run->group ? "Collective has timed out during execution."
                                                             : "Collective has timed out waiting for other workers."));
  sli_collective_run_release(run);
}

// ---- Phases ----------------------------------------------------------------------

// How often the device has run the instance in this generation: all members count alike.
typedef struct {
  char generation[20];
  int64_t count;
} execution_count_t;

static int64_t count_execution(sli_collective_run_t *run) {
  sli_collective_engine_t *engine = run->engine;
  char *name = sli_format("%d:%d:%s", run->group->key, run->request->instance_key, run->request->device->name);
  sli_mutex_lock(&engine->mutex);
  execution_count_t *count = sli_map_get(&engine->counts, sli_view(name));
  if (!count) {
    count = sli_calloc(1, sizeof(*count));
    sli_map_set(&engine->counts, sli_view(name), count);
  }
  if (strcmp(count->generation, run->group->generation) != 0) {
    *count = (execution_count_t){0};
    snprintf(count->generation, sizeof(count->generation), "%s", run->group->generation);
  }
  int64_t result = count->count++;
  sli_mutex_unlock(&engine->mutex);
  free(name);
  return result;
}

// Sets scope and key. Buffers of a group with a generation belong to it; those of others to the step.
static void set_key(sli_collective_run_t *run) {
  const sli_collective_request_t *request = run->request;
  char *scope, *key;
  if (*run->group->generation) {
    scope = sli_format("G%s", run->group->generation);
    key = sli_format("%s:%lld:%d:%d:%llu:%llu", scope, (long long)count_execution(run), run->group->key,
                     request->instance_key, (unsigned long long)request->frame_id,
                     (unsigned long long)request->iteration);
  } else {
    scope = sli_format("S%lld", (long long)request->step->id);
    key = sli_format("%d:%d:%llu:%llu", run->group->key, request->instance_key, (unsigned long long)request->frame_id,
                     (unsigned long long)request->iteration);
  }
  sli_mutex_lock(&run->engine->mutex);  // the engine compares the scopes of all runs
  run->scope = scope;
  run->key = key;
  sli_mutex_unlock(&run->engine->mutex);
}

static bool has_failed(sli_collective_run_t *run) {
  sli_mutex_lock(&run->mutex);
  bool failed = run->status != NULL;
  sli_mutex_unlock(&run->mutex);
  return failed;
}

// A member or the leader was restarted, or has failed: TensorFlow's code for it says that a retry is of no use.
static sli_status_t *make_retriable(sli_status_t *status) {
  if (sli_status_code(status) != SLI_FAILED_PRECONDITION) return status;
  sli_status_t *aborted = sli_status_make_text(SLI_ABORTED, sli_status_message(status));
  sli_status_release(status);
  return aborted;
}

static void on_instance(void *context, sli_status_t *status, int source_rank) {
  sli_collective_run_t *run = context;
  if (status) {
    sli_collective_run_fail(run, make_retriable(status));
  } else if (!has_failed(run)) {
    run->source_rank = source_rank;
    switch (run->request->kind) {
      case SLI_COLLECTIVE_BROADCAST: sli_collective_run_tree(run); break;
      case SLI_COLLECTIVE_ALL_TO_ALL: sli_collective_run_all_to_all(run); break;
      default:
        if (!sli_collective_run_shared(run)) sli_collective_run_ring(run);
        break;
    }
  }
  sli_collective_run_end_part(run);
}

static void on_group(void *context, sli_status_t *status, sli_collective_group_t *group) {
  sli_collective_run_t *run = context;
  if (!status) {
    int rank = -1;
    for (int i = 0; i < group->size && rank < 0; i++)
      if (!strcmp(group->members[i].device, run->request->device->name)) rank = i;
    if (rank < 0)
      status =
          sli_status_make(SLI_INTERNAL, "%s is not in collective group %d", run->request->device->name, group->key);
    sli_mutex_lock(&run->engine->mutex);
    run->group = group;
    sli_mutex_unlock(&run->engine->mutex);
    run->rank = rank;
    if (run->request->out_size) *run->request->out_size = group->size;
  }
  if (status) {
    sli_collective_run_fail(run, status);
    sli_collective_run_end_part(run);
  } else if (run->is_join || has_failed(run)) {
    sli_collective_run_end_part(run);
  } else {
    set_key(run);
    sli_collective_group_complete_instance(run, on_instance);
  }
}

void sli_collective_run_start(sli_collective_engine_t *engine, const char *leader, bool is_join,
                              const sli_collective_request_t *request, sli_collective_done_t done, void *context) {
  sli_collective_run_t *run = sli_calloc(1, sizeof(*run));
  sli_env_t *env = engine->env;
  sli_refcount_initialize(&run->references);
  sli_mutex_initialize(&run->mutex);
  atomic_init(&run->pending, 2);
  run->engine = sli_collective_engine_retain(engine);
  run->leader = leader;
  run->is_join = is_join;
  run->request = request;
  run->done = done;
  run->context = context;
  run->source_rank = -1;
  run->cancellation = sli_cancellation_create();
  run->step = sli_cancellation_retain(request->step->cancellation);
  run->began = env->now(env);
  sli_mutex_lock(&engine->mutex);
  run->next = engine->runs;
  if (run->next) run->next->previous = run;
  engine->runs = run;
  sli_mutex_unlock(&engine->mutex);
  sli_status_t *stopped = sli_cancellation_status(engine->stopped);
  if (stopped) sli_collective_run_stop(run, stopped);
  run->token = sli_cancellation_register(run->step, step_cancelled, sli_collective_run_retain(run));
  if (!run->token) step_cancelled(run);
  if (request->timeout_seconds > 0 && env->add_timer)
    run->timer = env->add_timer(env, env->now(env) + (int64_t)((double)request->timeout_seconds * 1e9), timed_out,
                                sli_collective_run_retain(run));
  sli_collective_engine_watch(engine);
  if (has_failed(run))
    sli_collective_run_end_part(run);
  else
    sli_collective_group_join(run, on_group);
  sli_collective_run_end_part(run);
}

// ---- Buffers ---------------------------------------------------------------------

void sli_collective_run_send_as(sli_collective_run_t *run, const char *key, sli_tensor_t *tensor, int64_t first,
                                int64_t count, sli_collective_done_t done, void *context) {
  sli_tensor_t *view = sli_tensor_view(tensor, (sli_dtype_t)tensor->dtype, first, &count, 1);
  sli_collective_exchange_send(&run->engine->exchange, sli_view(run->scope), sli_view(key), view, done, context);
}

void sli_collective_run_send(sli_collective_run_t *run, const char *part, sli_tensor_t *tensor, int64_t first,
                             int64_t count, sli_collective_done_t done, void *context) {
  char *key = sli_format("%s%s", run->key, part);
  sli_collective_run_send_as(run, key, tensor, first, count, done, context);
  free(key);
}

typedef struct {
  sli_collective_run_t *run;
  int from;
  sli_collective_buffer_done_t done;
  void *context;
} remote_receive_t;

// Names the member, unless the error does so: then it comes from a member further on.
static void on_remote_buffer(void *context, sli_status_t *status, sli_tensor_t *buffer) {
  remote_receive_t receive = *(remote_receive_t *)context;
  free(context);
  status = make_retriable(status);
  if (status && !strstr(sli_status_message(status), "/job:"))
    status = sli_status_prefix(status, "From %s: ", receive.run->group->members[receive.from].task);
  receive.done(receive.context, status, buffer);
  sli_collective_run_release(receive.run);
}

void sli_collective_run_receive_as(sli_collective_run_t *run, const char *key, int from, size_t size,
                                   sli_collective_buffer_done_t done, void *context) {
  sli_collective_engine_t *engine = run->engine;
  const sli_collective_member_t *member = &run->group->members[from];
  if (!strcmp(member->task, engine->task) || !engine->has_peers) {
    sli_collective_exchange_receive(&engine->exchange, sli_view(run->scope), sli_view(key), size, done, context);
  } else {
    remote_receive_t *receive = sli_malloc(sizeof(*receive));
    *receive = (remote_receive_t){sli_collective_run_retain(run), from, done, context};
    sli_collective_buffer_request_t request = {.step_id = run->request->step->id,
                                               .key = sli_view(key),
                                               .size = (int64_t)size,
                                               .source_device = member->device,
                                               .destination_device = run->request->device->name,
                                               .incarnation = member->incarnation};
    engine->peers.receive(engine->peers.context, member->task, &request, run->cancellation, on_remote_buffer, receive);
  }
}

void sli_collective_run_receive(sli_collective_run_t *run, const char *part, int from, size_t size,
                                sli_collective_buffer_done_t done, void *context) {
  char *key = sli_format("%s%s", run->key, part);
  sli_collective_run_receive_as(run, key, from, size, done, context);
  free(key);
}

// ---- Serving peers ---------------------------------------------------------------

// A peer that waits for a buffer. If it gives up its receive is withdrawn.
typedef struct {
  sli_refcount_t references;  // of the receive, of the cancellation's callback, of serve
  sli_collective_engine_t *engine;
  sli_cancellation_t *cancellation;
  uint64_t token;
  sli_collective_buffer_done_t done;
  void *context;
  char *scope, *key;
} served_t;

static void served_release(served_t *served) {
  if (!sli_refcount_release(&served->references)) return;
  sli_cancellation_release(served->cancellation);
  sli_collective_engine_release(served->engine);
  free(served->scope);
  free(served->key);
  free(served);
}

static void served_done(void *context, sli_status_t *status, sli_tensor_t *buffer) {
  served_t *served = context;
  if (served->token && sli_cancellation_deregister(served->cancellation, served->token)) served_release(served);
  served->done(served->context, status, buffer);
  served_release(served);
}

static void served_withdraw(served_t *served) {
  if (sli_collective_exchange_withdraw(&served->engine->exchange, sli_view(served->scope), sli_view(served->key),
                                       served))
    served_done(served, sli_status_make(SLI_CANCELLED, "RecvBuf was cancelled"), NULL);
}

static void served_cancelled(void *context) {
  served_withdraw(context);
  served_release(context);
}

void sli_collective_engine_serve(sli_collective_engine_t *engine, const sli_collective_buffer_request_t *request,
                                 sli_cancellation_t *cancellation, sli_collective_buffer_done_t done, void *context) {
  sli_status_t *status = sli_cancellation_status(engine->stopped);
  if (!status && engine->max_waiting && sli_collective_exchange_waiting(&engine->exchange) >= engine->max_waiting)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "%zu RecvBuf calls already wait for their ops on %s",
                             engine->max_waiting, engine->task);
  if (status || request->size < 0) {
    done(context,
         status ? status
                : sli_status_make(SLI_INVALID_ARGUMENT, "num_bytes must be at least 0, got %lld",
                                  (long long)request->size),
         NULL);
    return;
  }
  served_t *served = sli_calloc(1, sizeof(*served));
  atomic_init(&served->references, 2);
  served->engine = sli_collective_engine_retain(engine);
  served->cancellation = sli_cancellation_retain(cancellation);
  served->done = done;
  served->context = context;
  served->key = sli_strndup(request->key.data, request->key.size);
  sli_view_t generation, rest;
  if (*served->key == 'G' && sli_view_split(request->key, ':', &generation, &rest))
    served->scope = sli_strndup(generation.data, generation.size);
  else
    served->scope = sli_format("S%lld", (long long)request->step_id);
  if (cancellation) {
    atomic_store(&served->references, 3);
    served->token = sli_cancellation_register(cancellation, served_cancelled, served);
    if (!served->token) atomic_fetch_sub(&served->references, 1);
  }
  sli_collective_exchange_receive(&engine->exchange, sli_view(served->scope), sli_view(served->key),
                                  (size_t)request->size, served_done, served);
  // A cancellation or a stop that came before the receive was there did not find it.
  if ((cancellation && sli_cancellation_is_cancelled(cancellation)) || sli_cancellation_is_cancelled(engine->stopped))
    served_withdraw(served);
  served_release(served);
}
