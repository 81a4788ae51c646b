// The plan of a signature: the client's placed graph pruned to what the step needs and optimized, with feeds and
// fetches turned into client-terminated _Recv and _Send on the devices of their nodes, partitioned by task, and
// registered once on every task.
#include <stdlib.h>

#include "dist/master/master_internal.h"
#include "rpc/message.h"

// About so much per node: a copy of it in the pruned graph; then its part, its registration and its compiled form. For
// a feed or a fetch, its node, its keys, and its tensor in the step.
enum { PRUNE_MEMORY_PER_NODE = 256, PLAN_MEMORY_PER_NODE = 512, MEMORY_PER_TERMINAL = 2048 };
// Before more nodes are planned, the system gets the memory of their message back, and what their import left.
enum { TRIM_NODES = 10000 };

// --- Parts ------------------------------------------------------------------------

static sli_master_part_t *part_of(sli_master_plan_t *plan, const sli_node_t *node) {
  sli_view_t task = sli_device_name_task(sli_view(node->assigned_device));
  for (size_t i = 0; i < plan->parts.count; i++)
    if (sli_view_is(task, plan->parts.items[i].client->task_name)) return &plan->parts.items[i];
  return NULL;
}

static sli_status_t *make_parts(sli_master_session_t *session, sli_terminals_t *terminals, sli_master_plan_t *plan) {
  sli_partition_list_t split;
  SLI_RETURN_IF_ERROR(sli_partition_graph(terminals->graph, &session->devices, session->bfloat16_transfers, &split));
  sli_status_t *status = NULL;
  for (size_t i = 0; i < split.parts.count && !status; i++) {
    sli_master_part_t part = {.graph = sli_graph_retain(split.parts.items[i].graph)};
    sli_graph_forget_names(part.graph);
    status = sli_worker_cache_get(sli_master_session_cache(session), sli_view(split.parts.items[i].task), &part.client);
    sli_array_push(&plan->parts, part);
  }
  sli_partition_list_deinitialize(&split);
  for (size_t i = 0; i < plan->feed_count && !status; i++) {
    sli_master_part_t *part = part_of(plan, terminals->feed_nodes[i]);
    sli_array_push(&part->feeds, i);
    sli_array_push(&part->feed_keys, terminals->feed_keys[i]);
    terminals->feed_keys[i] = NULL;
  }
  for (size_t i = 0; i < plan->fetch_count && !status; i++) {
    sli_master_part_t *part = part_of(plan, terminals->fetch_nodes[i]);
    sli_array_push(&part->fetches, i);
    sli_array_push(&part->fetch_keys, terminals->fetch_keys[i]);
    terminals->fetch_keys[i] = NULL;
  }
  return status;
}

static sli_status_t *build_parts(sli_master_session_t *session, const sli_signature_t *signature,
                                 sli_pass_pruned_t *pruned, sli_master_plan_t *plan) {
  sli_terminals_t terminals;
  sli_status_t *status = sli_terminals_create(pruned, signature, &session->devices, &terminals);
  if (!status) status = make_parts(session, &terminals, plan);
  sli_terminals_deinitialize(&terminals);
  return status;
}

// --- Registration -------------------------------------------------------------------

typedef struct {
  sli_master_plan_t *plan;
  sli_master_plan_waiter_t waiter;
} notification_t;

static void notify(sli_master_plan_t *plan, sli_master_plan_waiter_t waiter) {
  sli_refcount_retain(&plan->references);
  waiter.ready(waiter.context, sli_status_retain(plan->status), plan);
}

static void notify_on_other_thread(void *context) {
  notification_t notification = *(notification_t *)context;
  free(context);
  notify(notification.plan, notification.waiter);
  sli_master_plan_release(notification.plan);
}

// A waiter runs its step, which may take long or block, so each has a thread; the last one this thread.
static void plan_finish(sli_master_plan_t *plan) {
  sli_mutex_lock(&plan->mutex);
  plan->ready = true;
  size_t count = plan->waiters.count;
  sli_master_plan_waiter_t *waiters = plan->waiters.items;
  plan->waiters.items = NULL;
  plan->waiters.count = plan->waiters.capacity = 0;
  sli_mutex_unlock(&plan->mutex);
  for (size_t i = 0; i + 1 < count; i++) {
    notification_t *notification = sli_malloc(sizeof(*notification));
    *notification = (notification_t){plan, waiters[i]};
    sli_refcount_retain(&plan->references);
    sli_thread_pool_submit_blocking(plan->env->pool, notify_on_other_thread, notification);
  }
  if (count) notify(plan, waiters[count - 1]);
  free(waiters);
}

typedef struct {
  sli_master_plan_t *plan;
  sli_master_part_t *part;
} part_registration_t;

static void registered(void *context, sli_status_t *status, const char *graph_handle) {
  part_registration_t *registration = context;
  sli_master_plan_t *plan = registration->plan;
  sli_mutex_lock(&plan->mutex);
  if (!status) registration->part->graph_handle = sli_strdup(graph_handle);
  plan->status = sli_status_join(plan->status, status);
  bool last = --plan->registering == 0;
  sli_mutex_unlock(&plan->mutex);
  free(registration);
  if (last) plan_finish(plan);
  sli_master_plan_release(plan);
}

static void plan_register(sli_master_session_t *session, sli_master_plan_t *plan) {
  plan->registering = (int)plan->parts.count;
  if (plan->parts.count == 0) plan_finish(plan);
  for (size_t i = 0; i < plan->parts.count; i++) {
    part_registration_t *registration = sli_malloc(sizeof(*registration));
    *registration = (part_registration_t){plan, &plan->parts.items[i]};
    sli_refcount_retain(&plan->references);
    sli_worker_client_register_graph_t request = {
        .session_handle = session->handle,
        .graph = plan->parts.items[i].graph,
        .graph_options = sli_view_of(session->graph_options.data, session->graph_options.size),
        .config = sli_view_of(session->config.data, session->config.size),
        .collective_graph_key = plan->collective_graph_key,
        .deadline = INT64_MAX,
    };
    sli_worker_client_t *client = plan->parts.items[i].client;
    client->vtable->register_graph(client, &request, registered, registration);
  }
}

static sli_master_plan_t *plan_create(sli_env_t *env, const sli_signature_t *signature) {
  sli_master_plan_t *plan = sli_calloc(1, sizeof(*plan));
  sli_refcount_initialize(&plan->references);
  plan->env = env;
  sli_mutex_initialize(&plan->mutex);
  plan->feed_count = signature->feed_count;
  plan->fetch_count = signature->fetch_count;
  plan->collective_graph_key = signature->collective_graph_key;
  return plan;
}

void sli_master_plan_release(sli_master_plan_t *plan) {
  if (!plan || !sli_refcount_release(&plan->references)) return;
  for (size_t i = 0; i < plan->parts.count; i++) {
    sli_master_part_t *part = &plan->parts.items[i];
    for (size_t k = 0; k < part->feed_keys.count; k++) free(part->feed_keys.items[k]);
    for (size_t k = 0; k < part->fetch_keys.count; k++) free(part->fetch_keys.items[k]);
    sli_array_deinitialize(&part->feed_keys);
    sli_array_deinitialize(&part->fetch_keys);
    sli_array_deinitialize(&part->feeds);
    sli_array_deinitialize(&part->fetches);
    sli_graph_release(part->graph);
    free(part->graph_handle);
  }
  sli_array_deinitialize(&plan->parts);
  sli_array_deinitialize(&plan->waiters);
  sli_status_release(plan->status);
  sli_mutex_deinitialize(&plan->mutex);
  free(plan);
}

// Builds the plan's parts from the session's graph, of which the caller has the use.
static sli_status_t *plan_build(sli_master_session_t *session, const sli_signature_t *signature,
                                sli_master_plan_t *plan) {
  sli_pass_pruned_t pruned;
  size_t count = session->graph->nodes.count;
  if (count >= TRIM_NODES) {
    sli_rpc_message_trim();
    sli_alloc_trim();
  }
  SLI_RETURN_IF_ERROR(sli_graph_check_memory("prune", count, count * PRUNE_MEMORY_PER_NODE));
  SLI_RETURN_IF_ERROR(sli_signature_prune(signature, session->graph, &pruned));
  count = pruned.graph->nodes.count;
  size_t terminals = signature->feed_count + signature->fetch_count;
  sli_status_t *status =
      sli_graph_check_memory("run", count + terminals, count * PLAN_MEMORY_PER_NODE + terminals * MEMORY_PER_TERMINAL);
  if (!status) {
    sli_device_t *device = sli_device_create_cpu("/device:CPU:0", NULL, NULL);
    sli_optimize(&pruned, &session->optimizer, device);
    sli_device_destroy(device);
    status = build_parts(session, signature, &pruned, plan);
  }
  sli_pass_pruned_deinitialize(&pruned);
  return status;
}

// A plan whose registration failed is dropped, so that the next step tries again.
static sli_master_plan_t *find_usable_locked(sli_master_session_t *session, sli_view_t key) {
  sli_master_plan_t *plan = sli_map_get(&session->plans, key);
  if (!plan) return NULL;
  sli_mutex_lock(&plan->mutex);
  bool failed = plan->ready && plan->status;
  sli_mutex_unlock(&plan->mutex);
  if (!failed) return plan;
  sli_map_remove(&session->plans, key);
  sli_master_plan_release(plan);
  return NULL;
}

// Returns an existing plan with a reference, or NULL.
static sli_master_plan_t *find_plan(sli_master_session_t *session, sli_view_t key) {
  sli_mutex_lock(&session->mutex);
  sli_master_plan_t *plan = find_usable_locked(session, key);
  if (plan) sli_refcount_retain(&plan->references);
  sli_mutex_unlock(&session->mutex);
  return plan;
}

// Calls |ready| with the plan, once it is registered. Consumes the reference.
static void wait_for_plan(sli_master_plan_t *plan, sli_master_plan_ready_t ready, void *context) {
  sli_mutex_lock(&plan->mutex);
  bool waits = !plan->ready;
  if (waits) sli_array_push(&plan->waiters, ((sli_master_plan_waiter_t){ready, context}));
  sli_mutex_unlock(&plan->mutex);
  if (waits)
    sli_master_plan_release(plan);
  else
    ready(context, sli_status_retain(plan->status), plan);
}

// A signature that waits for the use of its session's graph.
typedef struct {
  sli_master_session_t *session;
  sli_arena_t arena;  // of the names
  sli_signature_t signature;
  sli_string_t key;
  sli_master_plan_ready_t ready;
  void *context;
  sli_master_plan_t *plan;
  sli_status_t *status;
  bool is_new;  // the plan must be registered
} planning_t;

static const char *const *copy_names(sli_arena_t *arena, const char *const *names, size_t count) {
  const char **copies = sli_arena_calloc(arena, count, sizeof(*copies));
  for (size_t i = 0; i < count; i++) copies[i] = sli_arena_strndup(arena, names[i], strlen(names[i]));
  return copies;
}

static sli_signature_t copy_signature(sli_arena_t *arena, const sli_signature_t *signature) {
  sli_signature_t copy = *signature;
  sli_signature_connection_t *connections = sli_arena_calloc(arena, signature->connection_count, sizeof(*connections));
  for (size_t i = 0; i < signature->connection_count; i++) {
    const sli_signature_connection_t *names = &signature->connections[i];
    connections[i].from = sli_arena_strndup(arena, names->from, strlen(names->from));
    connections[i].to = sli_arena_strndup(arena, names->to, strlen(names->to));
  }
  copy.feed_names = copy_names(arena, signature->feed_names, signature->feed_count);
  copy.fetch_names = copy_names(arena, signature->fetch_names, signature->fetch_count);
  copy.target_names = copy_names(arena, signature->target_names, signature->target_count);
  copy.connections = connections;
  return copy;
}

static sli_status_t *build_new(planning_t *planning, sli_master_plan_t **out_plan) {
  sli_master_session_t *session = planning->session;
  sli_master_plan_t *plan = plan_create(session->env, &planning->signature);
  sli_status_t *status = plan_build(session, &planning->signature, plan);
  if (status) {
    sli_master_plan_release(plan);
    return status;
  }
  sli_mutex_lock(&session->mutex);
  sli_map_set(&session->plans, sli_view_of(planning->key.data, planning->key.size), plan);
  sli_refcount_retain(&plan->references);
  sli_mutex_unlock(&session->mutex);
  *out_plan = plan;
  return NULL;
}

static void planning_run(void *context) {
  planning_t *planning = context;
  // Another step may have made it meanwhile.
  planning->plan = find_plan(planning->session, sli_view_of(planning->key.data, planning->key.size));
  planning->is_new = !planning->plan;
  if (planning->is_new) planning->status = build_new(planning, &planning->plan);
}

static void planning_end(void *context) {
  planning_t *planning = context;
  sli_master_plan_t *plan = planning->plan;
  if (planning->status) {
    planning->ready(planning->context, planning->status, NULL);
  } else {
    sli_refcount_retain(&plan->references);
    wait_for_plan(plan, planning->ready, planning->context);
    if (planning->is_new) plan_register(planning->session, plan);
    sli_master_plan_release(plan);
  }
  sli_master_session_release(planning->session);
  sli_arena_deinitialize(&planning->arena);
  sli_string_deinitialize(&planning->key);
  free(planning);
}

void sli_master_plan_get(sli_master_session_t *session, const sli_signature_t *signature, sli_master_plan_ready_t ready,
                         void *context) {
  sli_string_t key = {0};
  sli_signature_append_key(signature, &key);
  sli_master_plan_t *plan = find_plan(session, sli_view_of(key.data, key.size));
  if (plan) {
    sli_string_deinitialize(&key);
    wait_for_plan(plan, ready, context);
    return;
  }
  planning_t *planning = sli_calloc(1, sizeof(*planning));
  planning->session = sli_master_session_retain(session);
  planning->signature = copy_signature(&planning->arena, signature);
  planning->key = key;
  planning->ready = ready;
  planning->context = context;
  sli_master_use_graph(session, (sli_master_graph_work_t){planning_run, planning_end, planning, true});
}
