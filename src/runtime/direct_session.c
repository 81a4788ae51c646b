// The session on devices of this process. A run looks up the plan of its
// signature (making it the first time) and executes it on the caller's thread.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "math/fp_mode.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"
#include "proto/wire.h"
#include "runtime/executor.h"
#include "runtime/placer.h"
#include "runtime/session.h"
#include "runtime/signature.h"

typedef struct {
  sli_session_t base;
  sli_resource_manager_t *resources;
  sli_thread_pool_t *pool;
  sli_device_set_t devices;
  bool soft_placement, log_placement;
  int64_t timeout_millis;
  sli_mutex_t mutex;
  // Under mutex.
  sli_graph_t *graph;
  sli_map_t plans;  // signature key → sli_plan_t
  SLI_ARRAY(sli_cancellation_t *) running;
  bool closed;
} direct_session_t;

static direct_session_t *session_of(sli_session_t *session) { return (direct_session_t *)session; }

// --- Making one ----------------------------------------------------------------

static int device_count(const Tensorflow__ConfigProto *config) {
  int count = 1;
  for (size_t i = 0; i < config->n_device_count; i++)
    if (!strcmp(config->device_count[i]->key, "CPU")) count = config->device_count[i]->value;
  return count;
}

static sli_status_t *make_devices(direct_session_t *session, int count) {
  if (count < 1 || count > 1024)
    return sli_status_make(SLI_INVALID_ARGUMENT, "device_count of CPU is %d, it must be from 1 to 1024", count);
  for (int i = 0; i < count; i++) {
    char name[64];
    snprintf(name, sizeof(name), "/job:localhost/replica:0/task:0/device:CPU:%d", i);
    sli_device_t *device = sli_device_create_cpu(name, session->resources, session->pool);
    sli_device_set_add(&session->devices, name, device->type, device->incarnation, device->memory_limit, device);
  }
  return NULL;
}

static void session_destroy(sli_session_t *base);
static const sli_session_vtable_t direct_session_vtable;

sli_status_t *sli_direct_session_create(sli_view_t config_bytes, sli_session_t **out_session) {
  *out_session = NULL;
  sli_arena_t arena = {.budget = sli_proto_budget(config_bytes.size)};
  Tensorflow__ConfigProto *config = NULL;
  sli_status_t *status = sli_proto_parse(&tensorflow__config_proto__descriptor, config_bytes.data, config_bytes.size,
                                         &arena, (void **)&config);
  if (status) {
    sli_arena_deinitialize(&arena);
    return sli_status_prefix(status, "The session's configuration: ");
  }
  direct_session_t *session = sli_calloc(1, sizeof(*session));
  session->base.vtable = &direct_session_vtable;
  sli_mutex_initialize(&session->mutex);
  session->graph = sli_graph_create();
  session->resources = sli_resource_manager_create("localhost");
  int threads = config->intra_op_parallelism_threads;
  if (config->inter_op_parallelism_threads > threads && threads > 0) threads = config->inter_op_parallelism_threads;
  session->pool = sli_thread_pool_create("sluice", threads, sli_fp_mode_on_thread_start);
  session->soft_placement = config->allow_soft_placement;
  session->log_placement = config->log_device_placement;
  session->timeout_millis = config->operation_timeout_in_ms;
  status = make_devices(session, device_count(config));
  sli_arena_deinitialize(&arena);
  if (status) {
    session_destroy(&session->base);
    return status;
  }
  *out_session = &session->base;
  return NULL;
}

// --- Plans -----------------------------------------------------------------------

static sli_status_t *make_plan_locked(direct_session_t *session, const sli_signature_t *signature,
                                      sli_plan_t **out_plan) {
  sli_pruned_t pruned;
  SLI_RETURN_IF_ERROR(sli_signature_prune(signature, session->graph, &pruned));
  sli_plan_request_t request = {pruned.graph, &session->devices,  pruned.feeds,
                                pruned.feed_count, pruned.fetches, pruned.fetch_count};
  sli_status_t *status = sli_plan_create(&request, out_plan);
  sli_pruned_deinitialize(&pruned);
  return status;
}

static sli_status_t *find_plan_locked(direct_session_t *session, const sli_session_run_t *request,
                                      sli_plan_t **out_plan) {
  sli_signature_t signature = {request->feed_names,  request->feed_count,   request->fetch_names,
                               request->fetch_count, request->target_names, request->target_count};
  sli_string_t key = {0};
  sli_signature_append_key(&signature, &key);
  sli_plan_t *plan = sli_map_get(&session->plans, sli_view_of(key.data, key.size));
  sli_status_t *status = NULL;
  if (!plan) {
    status = make_plan_locked(session, &signature, &plan);
    if (!status) sli_map_set(&session->plans, sli_view_of(key.data, key.size), plan);
  }
  *out_plan = status ? NULL : sli_plan_retain(plan);
  sli_string_deinitialize(&key);
  return status;
}

// --- Running -----------------------------------------------------------------------

typedef struct {
  sli_event_t done;
  sli_status_t *status;
  sli_tensor_t **fetches;
} outcome_t;

static void step_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count) {
  outcome_t *outcome = context;
  outcome->status = status;
  for (size_t i = 0; i < fetch_count; i++) outcome->fetches[i] = status ? NULL : fetches[i];
  sli_event_set(&outcome->done);
}

// The options that matter here: a time limit and tracing.
typedef struct {
  int64_t timeout_millis;
  bool trace;
} run_options_t;

static sli_status_t *read_options(sli_view_t bytes, run_options_t *out_options) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_VARINT) continue;
    if (field.number == 1) out_options->trace = field.value != 0;
    if (field.number == 2) out_options->timeout_millis = (int64_t)field.value;
  }
  return reader.malformed ? sli_wire_error("tensorflow.RunOptions") : NULL;
}

static sli_status_t *begin_run(direct_session_t *session, const sli_session_run_t *request,
                               sli_cancellation_t *cancellation, sli_plan_t **out_plan) {
  sli_status_t *status = NULL;
  sli_mutex_lock(&session->mutex);
  if (session->closed)
    status = sli_status_make(SLI_CANCELLED, "Session has been closed.");
  else
    status = find_plan_locked(session, request, out_plan);
  if (!status) sli_array_push(&session->running, cancellation);
  sli_mutex_unlock(&session->mutex);
  return status;
}

static void end_run(direct_session_t *session, sli_cancellation_t *cancellation) {
  sli_mutex_lock(&session->mutex);
  for (size_t i = 0; i < session->running.count; i++) {
    if (session->running.items[i] != cancellation) continue;
    session->running.items[i] = session->running.items[--session->running.count];
    break;
  }
  sli_mutex_unlock(&session->mutex);
}

static void write_metadata(sli_step_stats_t *stats, sli_string_t *out) {
  size_t mark = sli_wire_open(out, 1);
  sli_step_stats_encode(stats, out);
  sli_wire_close(out, mark);
}

static sli_status_t *execute(direct_session_t *session, const sli_session_run_t *request, const run_options_t *options,
                             sli_plan_t *plan, sli_cancellation_t *cancellation, sli_tensor_t **out_fetches) {
  int64_t deadline = sli_deadline_after_millis(options->timeout_millis);
  outcome_t outcome = {.fetches = out_fetches};
  sli_event_initialize(&outcome.done);
  sli_step_stats_t *stats = options->trace && request->out_metadata ? sli_step_stats_create() : NULL;
  sli_run_request_t run = {
      .plan = plan,
      .step_id = (int64_t)(sli_random_u64() >> 8),
      .cancellation = cancellation,
      .deadline = deadline,
      .pool = session->pool,
      .feeds = request->feeds,
      .stats = stats,
  };
  // The thread is the user's: its floating-point mode comes back.
  sli_fp_mode_t mode = sli_fp_mode_flush_denormals();
  sli_run_plan(&run, step_done, &outcome);
  sli_fp_mode_restore(mode);
  if (!sli_event_wait(&outcome.done, deadline)) {
    sli_cancellation_cancel(cancellation, sli_status_make(SLI_DEADLINE_EXCEEDED, "Timed out waiting for notification"));
    sli_event_wait(&outcome.done, SLI_NO_DEADLINE);
  }
  sli_event_deinitialize(&outcome.done);
  if (stats && !outcome.status) write_metadata(stats, request->out_metadata);
  sli_step_stats_destroy(stats);
  return outcome.status;
}

static sli_status_t *session_run(sli_session_t *base, const sli_session_run_t *request, sli_tensor_t **out_fetches) {
  direct_session_t *session = session_of(base);
  for (size_t i = 0; i < request->fetch_count; i++) out_fetches[i] = NULL;
  if (request->partial_handle)
    return sli_status_make(SLI_UNIMPLEMENTED, "Partial runs are not available in sessions within one process yet");
  run_options_t options = {.timeout_millis = session->timeout_millis};
  SLI_RETURN_IF_ERROR(read_options(request->options, &options));
  sli_plan_t *plan = NULL;
  sli_cancellation_t *cancellation = sli_cancellation_create();
  sli_status_t *status = begin_run(session, request, cancellation, &plan);
  if (!status) {
    status = execute(session, request, &options, plan, cancellation, out_fetches);
    end_run(session, cancellation);
  }
  sli_plan_release(plan);
  sli_cancellation_release(cancellation);
  return status;
}

static sli_status_t *session_partial_run_setup(sli_session_t *base, const sli_session_run_t *names, char **out_handle) {
  *out_handle = NULL;
  return sli_status_make(SLI_UNIMPLEMENTED, "Partial runs are not available in sessions within one process yet");
}

static sli_status_t *session_extend(sli_session_t *base, sli_view_t graph_def) {
  direct_session_t *session = session_of(base);
  sli_placer_options_t placing = {
      .devices = &session->devices,
      .default_device = session->devices.devices.items[0].name,
      .allow_soft_placement = session->soft_placement,
      .log_placement = session->log_placement,
  };
  sli_mutex_lock(&session->mutex);
  sli_status_t *status = session->closed ? sli_status_make(SLI_CANCELLED, "Session has been closed.")
                                         : sli_graph_extend_placed(session->graph, graph_def, &placing);
  sli_mutex_unlock(&session->mutex);
  return status;
}

static sli_status_t *session_list_devices(sli_session_t *base, sli_device_set_t *out_set) {
  direct_session_t *session = session_of(base);
  *out_set = (sli_device_set_t){0};
  for (size_t i = 0; i < session->devices.devices.count; i++) {
    const sli_device_info_t *device = &session->devices.devices.items[i];
    sli_device_set_add(out_set, device->name, device->type, device->incarnation, device->memory_limit, device->local);
  }
  return NULL;
}

static sli_status_t *session_close(sli_session_t *base) {
  direct_session_t *session = session_of(base);
  SLI_ARRAY(sli_cancellation_t *) running = {0};
  sli_mutex_lock(&session->mutex);
  session->closed = true;
  for (size_t i = 0; i < session->running.count; i++)
    sli_array_push(&running, sli_cancellation_retain(session->running.items[i]));
  sli_mutex_unlock(&session->mutex);
  for (size_t i = 0; i < running.count; i++) {
    sli_cancellation_cancel(running.items[i], sli_status_make(SLI_CANCELLED, "Session has been closed."));
    sli_cancellation_release(running.items[i]);
  }
  sli_array_deinitialize(&running);
  return NULL;
}

static void session_destroy(sli_session_t *base) {
  direct_session_t *session = session_of(base);
  SLI_MAP_FOR_EACH(&session->plans, entry) sli_plan_release(entry->value);
  sli_map_deinitialize(&session->plans);
  sli_array_deinitialize(&session->running);
  sli_graph_release(session->graph);
  // Resources may hold tensors of the devices; devices use the pool.
  sli_resource_manager_destroy(session->resources);
  for (size_t i = 0; i < session->devices.devices.count; i++)
    sli_device_destroy(session->devices.devices.items[i].local);
  sli_device_set_deinitialize(&session->devices);
  sli_thread_pool_destroy(session->pool);
  sli_mutex_deinitialize(&session->mutex);
  free(session);
}

static const sli_session_vtable_t direct_session_vtable = {
    .extend = session_extend,
    .run = session_run,
    .partial_run_setup = session_partial_run_setup,
    .list_devices = session_list_devices,
    .close = session_close,
    .destroy = session_destroy,
};
