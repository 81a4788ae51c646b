// The session on devices of this process. A run finds the plan of its signature, or
// creates it the first time, and executes it on the calling thread.
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "collective/engine.h"
#include "core/step/env.h"
#include "device/opencl/opencl.h"
#include "graph/import.h"
#include "math/fp_mode.h"
#include "proto/config.fields.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"
#include "proto/wire.h"
#include "runtime/execute/executor.h"
#include "runtime/function/function_runtime.h"
#include "runtime/place/placer.h"
#include "runtime/plan/optimize.h"
#include "runtime/plan/signature.h"
#include "runtime/session/partial_run.h"
#include "runtime/session/run_options.h"
#include "runtime/session/session.h"

// A running step: how it is cancelled and how it ended. Kept for later steps.
typedef struct step step_t;
struct step {
  step_t *next, *previous;  // in |running|; |next| among the idle ones
  int64_t id;
  sli_cancellation_t *cancellation;
  sli_env_t *env;
  pthread_t thread;  // that waits for the step
  bool is_done;      // ended on that thread; otherwise |done| is set
  sli_event_t done;
  sli_status_t *status;
  sli_tensor_t **fetches;
};

typedef struct {
  sli_session_t base;
  sli_env_t *env;
  sli_resource_manager_t *resources;
  sli_thread_pool_t *pool;
  sli_device_set_t devices;
  sli_collective_engine_t *collectives;
  sli_collective_t *collective;  // of |collectives|, for steps
  bool soft_placement, log_placement;
  sli_optimize_options_t optimizer;
  int64_t timeout_millis;
  sli_mutex_t mutex;
  // Under mutex.
  sli_graph_t *graph;
  sli_function_library_t *library;           // of the graph's functions; NULL: not made yet, or there are none
  sli_graph_functions_t *library_functions;  // of which |library| was made
  sli_map_t plans;                           // signature key → sli_plan_t
  sli_map_t partial_plans;                   // signature key → sli_partial_run_plan_t
  sli_map_t partial_runs;                    // handle → sli_partial_run_t
  step_t *running, *idle;
  int64_t last_step_id;
  bool closed;
} direct_session_t;

static direct_session_t *session_of(sli_session_t *session) { return (direct_session_t *)session; }

// --- Creation ------------------------------------------------------------------

static int device_count(const Tensorflow__ConfigProto *config) {
  int count = 1;
  for (size_t i = 0; i < config->n_device_count; i++)
    if (!strcmp(config->device_count[i]->key, "CPU")) count = config->device_count[i]->value;
  return count;
}

static sli_status_t *make_gpus(direct_session_t *session, const Tensorflow__ConfigProto *config) {
  sli_opencl_options_t options = sli_opencl_options(config);
  sli_device_t **gpus;
  size_t count;
  sli_status_t *status = sli_opencl_create_devices("/job:localhost/replica:0/task:0", &options, session->resources,
                                                   session->pool, &gpus, &count);
  for (size_t i = 0; i < count; i++)
    sli_device_set_add(&session->devices, gpus[i]->name, gpus[i]->type, gpus[i]->incarnation, gpus[i]->memory_limit,
                       gpus[i]);
  free(gpus);
  return status;
}

static sli_status_t *make_devices(direct_session_t *session, int count) {
  if (count < 1 || count > 1024)
    return sli_status_make(SLI_INVALID_ARGUMENT, "device_count of CPU must be from 1 to 1024, got %d", count);
  for (int i = 0; i < count; i++) {
    char name[64];
    snprintf(name, sizeof(name), "/job:localhost/replica:0/task:0/device:CPU:%d", i);
    sli_device_t *device = sli_device_create_cpu(name, session->resources, session->pool);
    sli_device_set_add(&session->devices, name, device->type, device->incarnation, device->memory_limit, device);
  }
  return NULL;
}

// TensorFlow's text on stderr and stdout. It lists devices with a description of their hardware, which a CPU does not
// have.
static void log_devices(const sli_device_set_t *devices) {
  sli_string_t text = {0};
  for (size_t i = 0; i < devices->devices.count; i++) {
    const sli_device_t *device = devices->devices.items[i].local;
    if (device->description) sli_string_append_format(&text, "\n%s -> %s", device->name, device->description);
  }
  SLI_INFO("Device mapping:%s", text.size ? sli_string_text(&text) : " no known devices.");
  printf("Device mapping:%s\n", text.size ? sli_string_text(&text) : " no known devices.");
  fflush(stdout);
  sli_string_deinitialize(&text);
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
  session->env = sli_env_local();
  sli_mutex_initialize(&session->mutex);
  session->graph = sli_graph_create();
  session->resources = sli_resource_manager_create("localhost");
  int threads = config->intra_op_parallelism_threads;
  if (config->inter_op_parallelism_threads > threads && threads > 0) threads = config->inter_op_parallelism_threads;
  session->pool = sli_thread_pool_create("sluice", threads, sli_fp_mode_on_thread_start);
  session->soft_placement = config->allow_soft_placement;
  session->log_placement = config->log_device_placement;
  session->optimizer = sli_optimize_options(config->graph_options);
  session->optimizer.is_for_plan = true;
  session->timeout_millis = config->operation_timeout_in_ms;
  session->collectives =
      sli_collective_engine_create(session->env, session->pool, "/job:localhost/replica:0/task:0", NULL);
  session->collective = sli_collective_engine_bind(session->collectives, "");
  status = make_devices(session, device_count(config));
  if (!status) status = make_gpus(session, config);
  sli_arena_deinitialize(&arena);
  if (!status && session->log_placement) log_devices(&session->devices);
  if (status) {
    session_destroy(&session->base);
    return status;
  }
  *out_session = &session->base;
  return NULL;
}

// --- Plans -----------------------------------------------------------------------

// Checks that the graph has these names. Errors have TensorFlow's texts of local sessions.
static sli_status_t *check_names_locked(const direct_session_t *session, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sli_output_t output;
    sli_status_t *status = sli_graph_find_output(session->graph, sli_view(names[i]), &output);
    if (!status) continue;
    sli_status_release(status);
    const char *colon = strrchr(names[i], ':');
    sli_view_t name = sli_view_of(names[i], colon ? (size_t)(colon - names[i]) : strlen(names[i]));
    const sli_node_t *node = sli_graph_find(session->graph, name);
    if (!node)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Tensor %s, specified in either feed_devices or fetch_devices was not found in the Graph",
                             names[i]);
    return sli_status_make(SLI_OUT_OF_RANGE, "Node '%s' (type: '%s', num of outputs: %d) does not have output %s",
                           node->def.name, node->def.op->def->name, node->def.output_count, colon ? colon + 1 : "0");
  }
  return NULL;
}

static sli_status_t *prune_locked(direct_session_t *session, const sli_signature_t *signature,
                                  sli_pass_pruned_t *out_pruned) {
  if (session->graph->nodes.count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Session was not created with a graph before Run()!");
  SLI_RETURN_IF_ERROR(check_names_locked(session, signature->feed_names, signature->feed_count));
  SLI_RETURN_IF_ERROR(check_names_locked(session, signature->fetch_names, signature->fetch_count));
  SLI_RETURN_IF_ERROR(sli_signature_prune(signature, session->graph, out_pruned));
  sli_optimize(out_pruned, &session->optimizer, session->devices.devices.items[0].local);
  return NULL;
}

// The library for kernels, made again when the graph has got more functions. The session owns it.
static sli_function_library_t *library_locked(direct_session_t *session) {
  if (session->library_functions == session->graph->functions) return session->library;
  sli_object_release(session->library);
  sli_graph_functions_release(session->library_functions);
  session->library_functions = sli_graph_functions_retain(session->graph->functions);
  sli_function_runtime_request_t request = {.functions = session->graph->functions,
                                            .devices = &session->devices,
                                            .optimizer = session->optimizer,
                                            .env = session->env,
                                            .pool = session->pool};
  session->library = sli_function_runtime_create(&request);
  return session->library;
}

static sli_status_t *make_plan_locked(direct_session_t *session, const sli_signature_t *signature,
                                      sli_plan_t **out_plan) {
  sli_pass_pruned_t pruned;
  SLI_RETURN_IF_ERROR(prune_locked(session, signature, &pruned));
  sli_plan_request_t request = {.graph = pruned.graph,
                                .devices = &session->devices,
                                .feeds = pruned.feeds,
                                .feed_count = pruned.feed_count,
                                .fetches = pruned.fetches,
                                .fetch_count = pruned.fetch_count,
                                .functions = library_locked(session)};
  sli_status_t *status = sli_plan_create(&request, out_plan);
  sli_pass_pruned_deinitialize(&pruned);
  return status;
}

// The session owns the plan.
static sli_status_t *find_plan_locked(direct_session_t *session, const sli_session_run_t *request,
                                      sli_plan_t **out_plan) {
  if (request->memo && *request->memo) {
    *out_plan = *request->memo;
    return NULL;
  }
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
  *out_plan = status ? NULL : plan;
  if (request->memo) *request->memo = *out_plan;
  sli_string_deinitialize(&key);
  return status;
}

// --- Steps -------------------------------------------------------------------------

static step_t *begin_step_locked(direct_session_t *session) {
  step_t *step = session->idle;
  if (step) {
    session->idle = step->next;
  } else {
    step = sli_calloc(1, sizeof(*step));
    step->env = session->env;
    sli_event_initialize(&step->done);
  }
  if (!step->cancellation) step->cancellation = sli_cancellation_create();
  step->id = ++session->last_step_id;
  step->thread = pthread_self();
  step->is_done = false;
  step->previous = NULL;
  step->next = session->running;
  if (step->next) step->next->previous = step;
  session->running = step;
  return step;
}

static void end_step_locked(direct_session_t *session, step_t *step) {
  *(step->previous ? &step->previous->next : &session->running) = step->next;
  if (step->next) step->next->previous = step->previous;
  if (!step->is_done) {
    sli_event_deinitialize(&step->done);
    sli_event_initialize(&step->done);
  }
  if (sli_cancellation_is_cancelled(step->cancellation)) {
    sli_cancellation_release(step->cancellation);
    step->cancellation = NULL;
  }
  step->next = session->idle;
  session->idle = step;
}

static void destroy_idle_steps(direct_session_t *session) {
  for (step_t *step = session->idle, *next; step; step = next) {
    next = step->next;
    sli_cancellation_release(step->cancellation);
    sli_event_deinitialize(&step->done);
    free(step);
  }
}

static void step_done(void *context, sli_status_t *status, sli_tensor_t **fetches, size_t fetch_count) {
  step_t *step = context;
  step->status = status;
  for (size_t i = 0; i < fetch_count; i++) step->fetches[i] = status ? NULL : fetches[i];
  // Usually the step ends on the thread that started it, and no thread waits.
  if (pthread_equal(step->thread, pthread_self()))
    step->is_done = true;
  else
    step->env->set(step->env, &step->done);
}

static bool wait_for_step(step_t *step, int64_t deadline) {
  return step->is_done || step->env->wait(step->env, &step->done, deadline);
}

// --- Running -----------------------------------------------------------------------

static sli_status_t *begin_run(direct_session_t *session, const sli_session_run_t *request, step_t **out_step,
                               sli_plan_t **out_plan) {
  sli_status_t *status = NULL;
  sli_mutex_lock(&session->mutex);
  if (session->closed)
    status = sli_status_make(SLI_CANCELLED, "Session has been closed.");
  else
    status = find_plan_locked(session, request, out_plan);
  if (!status) *out_step = begin_step_locked(session);
  sli_mutex_unlock(&session->mutex);
  return status;
}

static void end_run(direct_session_t *session, step_t *step) {
  sli_mutex_lock(&session->mutex);
  end_step_locked(session, step);
  sli_mutex_unlock(&session->mutex);
}

// Writes step_stats and partition_graphs of RunMetadata, as requested.
static void write_metadata(const sli_run_options_t *options, sli_step_stats_t *stats, const sli_plan_t *plan,
                           sli_string_t *out) {
  if (stats) {
    size_t mark = sli_wire_open(out, SLI_FIELD_RUN_METADATA_STEP_STATS);
    sli_step_stats_encode(stats, out);
    sli_wire_close(out, mark);
  }
  if (options->want_partition_graphs) {
    size_t mark = sli_wire_open(out, SLI_FIELD_RUN_METADATA_PARTITION_GRAPHS);
    sli_graph_export(sli_plan_graph(plan), out);
    sli_wire_close(out, mark);
  }
}

static sli_status_t *execute(direct_session_t *session, const sli_session_run_t *request,
                             const sli_run_options_t *options, sli_plan_t *plan, step_t *step,
                             sli_tensor_t **out_fetches) {
  int64_t deadline = sli_env_deadline_after_millis(session->env, options->timeout_millis);
  step->fetches = out_fetches;
  sli_step_stats_t *stats = options->trace_level > 0 && request->out_metadata ? sli_step_stats_create() : NULL;
  sli_executor_request_t run = {
      .plan = plan,
      .step_id = step->id,
      .cancellation = step->cancellation,
      .deadline = deadline,
      .pool = session->pool,
      .env = session->env,
      .feeds = request->feeds,
      .stats = stats,
      .collective = session->collective,
  };
  sli_executor_run_plan(&run, step_done, step);
  if (!wait_for_step(step, deadline)) {
    sli_cancellation_cancel(step->cancellation,
                            sli_status_make(SLI_DEADLINE_EXCEEDED, "Timed out waiting for notification"));
    wait_for_step(step, SLI_CLOCK_NO_DEADLINE);
  }
  if (request->out_metadata && !step->status) write_metadata(options, stats, plan, request->out_metadata);
  sli_step_stats_destroy(stats);
  return step->status;
}

// --- Partial runs ------------------------------------------------------------------

static sli_status_t *find_partial_plan_locked(direct_session_t *session, const sli_signature_t *signature,
                                              sli_partial_run_plan_t **out_plan) {
  sli_string_t key = {0};
  sli_signature_append_key(signature, &key);
  *out_plan = sli_map_get(&session->partial_plans, sli_view_of(key.data, key.size));
  sli_status_t *status = NULL;
  if (!*out_plan) {
    sli_pass_pruned_t pruned;
    status = prune_locked(session, signature, &pruned);
    if (!status) {
      status = sli_partial_run_plan_create(&pruned, signature, &session->devices, library_locked(session), out_plan);
      sli_pass_pruned_deinitialize(&pruned);
    }
    if (!status) sli_map_set(&session->partial_plans, sli_view_of(key.data, key.size), *out_plan);
  }
  sli_string_deinitialize(&key);
  return status;
}

static sli_status_t *session_partial_run_setup(sli_session_t *base, const sli_session_run_t *names, char **out_handle) {
  direct_session_t *session = session_of(base);
  sli_signature_t signature = {names->feed_names,  names->feed_count,   names->fetch_names,
                               names->fetch_count, names->target_names, names->target_count};
  *out_handle = NULL;
  SLI_RETURN_IF_ERROR(sli_signature_check_purpose(names->fetch_count, names->target_count));
  sli_partial_run_plan_t *plan = NULL;
  sli_mutex_lock(&session->mutex);
  sli_status_t *status = session->closed ? sli_status_make(SLI_CANCELLED, "Session has been closed.")
                                         : find_partial_plan_locked(session, &signature, &plan);
  int64_t id = status ? 0 : ++session->last_step_id;
  sli_mutex_unlock(&session->mutex);
  if (status) return status;
  // The plan exists as long as the session, which a client must not destroy during a call.
  sli_partial_run_t *run = sli_partial_run_start(plan, id, session->env, session->pool);
  char *handle = sli_format("%lld", (long long)id);
  sli_mutex_lock(&session->mutex);
  bool closed = session->closed;
  if (!closed) sli_map_set(&session->partial_runs, sli_view(handle), run);
  sli_mutex_unlock(&session->mutex);
  if (!closed) {
    *out_handle = handle;
    return NULL;
  }
  sli_partial_run_cancel(run, sli_status_make(SLI_CANCELLED, "Session has been closed."));
  sli_partial_run_release(run);
  free(handle);
  return sli_status_make(SLI_CANCELLED, "Session has been closed.");
}

static sli_status_t *run_part(direct_session_t *session, const sli_session_run_t *request, sli_tensor_t **out_fetches) {
  sli_status_t *status = NULL;
  sli_mutex_lock(&session->mutex);
  sli_partial_run_t *run = sli_map_get(&session->partial_runs, sli_view(request->partial_handle));
  if (session->closed)
    status = sli_status_make(SLI_CANCELLED, "Session has been closed.");
  else if (!run)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Must run 'setup' before performing partial runs!");
  else
    sli_partial_run_retain(run);
  sli_mutex_unlock(&session->mutex);
  if (status) return status;
  bool is_over;
  status = sli_partial_run_continue(run, request, sli_env_deadline_after_millis(session->env, session->timeout_millis),
                                    out_fetches, &is_over);
  if (is_over) {
    sli_mutex_lock(&session->mutex);
    sli_partial_run_t *removed = sli_map_remove(&session->partial_runs, sli_view(request->partial_handle));
    sli_mutex_unlock(&session->mutex);
    sli_partial_run_release(removed);
  }
  sli_partial_run_release(run);
  return status;
}

// Cancels the remaining partial runs. No more are added, because the session is closed.
static void drop_partial_runs(direct_session_t *session) {
  SLI_ARRAY(sli_partial_run_t *) runs = {0};
  sli_mutex_lock(&session->mutex);
  SLI_MAP_FOR_EACH (&session->partial_runs, entry) sli_array_push(&runs, entry->value);
  sli_map_deinitialize(&session->partial_runs);
  session->partial_runs = (sli_map_t){0};
  sli_mutex_unlock(&session->mutex);
  for (size_t i = 0; i < runs.count; i++) {
    sli_partial_run_cancel(runs.items[i], sli_status_make(SLI_CANCELLED, "Session has been closed."));
    sli_partial_run_release(runs.items[i]);
  }
  sli_array_deinitialize(&runs);
}

static sli_status_t *session_run(sli_session_t *base, const sli_session_run_t *request, sli_tensor_t **out_fetches) {
  direct_session_t *session = session_of(base);
  for (size_t i = 0; i < request->fetch_count; i++) out_fetches[i] = NULL;
  if (request->partial_handle) return run_part(session, request, out_fetches);
  sli_run_options_t options = {.timeout_millis = session->timeout_millis};
  SLI_RETURN_IF_ERROR(sli_run_options_decode(request->options, &options));
  sli_plan_t *plan = NULL;
  step_t *step = NULL;
  SLI_RETURN_IF_ERROR(begin_run(session, request, &step, &plan));
  sli_status_t *status = execute(session, request, &options, plan, step, out_fetches);
  end_run(session, step);
  return status;
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
                                         : sli_placer_extend_graph(session->graph, graph_def, &placing);
  sli_mutex_unlock(&session->mutex);
  return status;
}

static sli_status_t *session_list_devices(sli_session_t *base, sli_device_set_t *out_set) {
  direct_session_t *session = session_of(base);
  *out_set = (sli_device_set_t){0};
  for (size_t i = 0; i < session->devices.devices.count; i++) {
    const sli_device_set_entry_t *device = &session->devices.devices.items[i];
    sli_device_set_add(out_set, device->name, device->type, device->incarnation, device->memory_limit, device->local);
  }
  return NULL;
}

static bool session_cancel_step(sli_session_t *base, pthread_t thread, const char *reason) {
  direct_session_t *session = session_of(base);
  sli_cancellation_t *found = NULL;
  sli_mutex_lock(&session->mutex);
  for (step_t *step = session->running; step && !found; step = step->next)
    if (pthread_equal(step->thread, thread)) found = sli_cancellation_retain(step->cancellation);
  sli_mutex_unlock(&session->mutex);
  if (!found) return false;
  sli_cancellation_cancel(found, sli_status_make(SLI_CANCELLED, "%s", reason));
  sli_cancellation_release(found);
  return true;
}

static sli_status_t *session_close(sli_session_t *base) {
  direct_session_t *session = session_of(base);
  SLI_ARRAY(sli_cancellation_t *) running = {0};
  sli_mutex_lock(&session->mutex);
  session->closed = true;
  for (step_t *step = session->running; step; step = step->next)
    sli_array_push(&running, sli_cancellation_retain(step->cancellation));
  sli_mutex_unlock(&session->mutex);
  for (size_t i = 0; i < running.count; i++) {
    sli_cancellation_cancel(running.items[i], sli_status_make(SLI_CANCELLED, "Session has been closed."));
    sli_cancellation_release(running.items[i]);
  }
  sli_array_deinitialize(&running);
  drop_partial_runs(session);
  return NULL;
}

static void session_destroy(sli_session_t *base) {
  direct_session_t *session = session_of(base);
  drop_partial_runs(session);
  SLI_MAP_FOR_EACH (&session->partial_plans, entry) sli_partial_run_plan_release(entry->value);
  sli_map_deinitialize(&session->partial_plans);
  SLI_MAP_FOR_EACH (&session->plans, entry) sli_plan_release(entry->value);
  sli_map_deinitialize(&session->plans);
  destroy_idle_steps(session);
  free(session->collective);
  sli_collective_engine_destroy(session->collectives);
  sli_object_release(session->library);
  sli_graph_functions_release(session->library_functions);
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
    .cancel_step = session_cancel_step,
    .close = session_close,
    .destroy = session_destroy,
};
