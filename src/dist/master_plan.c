// The plan of a signature: the client's placed graph cut down to what the step
// needs and optimized, feeds and fetches turned into client-terminated _Recv and _Send where
// their nodes lie, split by task, and registered once on every task.
#include <stdlib.h>

#include "dist/master_internal.h"

// --- Parts ------------------------------------------------------------------------

static sli_master_part_t *part_of(sli_master_plan_t *plan, const sli_node_t *node) {
  sli_view_t task = sli_device_name_task(sli_view(node->assigned_device));
  for (size_t i = 0; i < plan->parts.count; i++)
    if (sli_view_is(task, plan->parts.items[i].client->task_name)) return &plan->parts.items[i];
  return NULL;
}

static sli_status_t *make_parts(sli_master_session_t *session, sli_terminals_t *terminals, sli_master_plan_t *plan) {
  sli_partitions_t split;
  SLI_RETURN_IF_ERROR(sli_graph_partition(terminals->graph, &session->devices, &split));
  sli_status_t *status = NULL;
  for (size_t i = 0; i < split.parts.count && !status; i++) {
    sli_master_part_t part = {.graph = sli_graph_retain(split.parts.items[i].graph)};
    status = sli_worker_cache_get(sli_master_session_cache(session), sli_view(split.parts.items[i].task), &part.client);
    sli_array_push(&plan->parts, part);
  }
  sli_partitions_deinitialize(&split);
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

static sli_status_t *build_parts(sli_master_session_t *session, const sli_signature_t *signature, sli_pruned_t *pruned,
                                 sli_master_plan_t *plan) {
  sli_terminals_t terminals;
  sli_status_t *status = sli_terminals_create(pruned, signature, &session->devices, &terminals);
  if (!status) status = make_parts(session, &terminals, plan);
  sli_terminals_deinitialize(&terminals);
  return status;
}

// --- Registration -------------------------------------------------------------------

static void plan_finish(sli_master_plan_t *plan) {
  sli_mutex_lock(&plan->mutex);
  plan->ready = true;
  size_t count = plan->waiters.count;
  __typeof__(*plan->waiters.items) *waiters = plan->waiters.items;
  plan->waiters.items = NULL;
  plan->waiters.count = plan->waiters.capacity = 0;
  sli_mutex_unlock(&plan->mutex);
  for (size_t i = 0; i < count; i++) {
    sli_refcount_retain(&plan->references);
    waiters[i].ready(waiters[i].context, sli_status_retain(plan->status), plan);
  }
  free(waiters);
}

typedef struct {
  sli_master_plan_t *plan;
  sli_master_part_t *part;
} registration_t;

static void registered(void *context, sli_status_t *status, const char *graph_handle) {
  registration_t *registration = context;
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
    registration_t *registration = sli_malloc(sizeof(*registration));
    *registration = (registration_t){plan, &plan->parts.items[i]};
    sli_refcount_retain(&plan->references);
    sli_register_graph_t request = {
        .session_handle = session->handle,
        .graph = plan->parts.items[i].graph,
        .graph_options = sli_view_of(session->graph_options.data, session->graph_options.size),
        .config = sli_view_of(session->config.data, session->config.size),
        .deadline = INT64_MAX,
    };
    sli_worker_client_t *client = plan->parts.items[i].client;
    client->vtable->register_graph(client, &request, registered, registration);
  }
}

static sli_master_plan_t *plan_create(const sli_signature_t *signature) {
  sli_master_plan_t *plan = sli_calloc(1, sizeof(*plan));
  sli_refcount_initialize(&plan->references);
  sli_mutex_initialize(&plan->mutex);
  plan->feed_count = signature->feed_count;
  plan->fetch_count = signature->fetch_count;
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

// Builds the plan's parts from the session's graph; the session is locked.
static sli_status_t *plan_build_locked(sli_master_session_t *session, const sli_signature_t *signature,
                                       sli_master_plan_t *plan) {
  sli_pruned_t pruned;
  SLI_RETURN_IF_ERROR(sli_signature_prune(signature, session->graph, &pruned));
  sli_device_t *device = sli_device_create_cpu("/device:CPU:0", NULL, NULL);
  sli_optimize(&pruned, &session->optimizer, device);
  sli_device_destroy(device);
  sli_status_t *status = build_parts(session, signature, &pruned, plan);
  sli_pruned_deinitialize(&pruned);
  return status;
}

// A plan that could not be registered is not kept: the next step tries anew.
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

void sli_master_plan_get(sli_master_session_t *session, const sli_signature_t *signature, sli_plan_ready_t ready,
                         void *context) {
  sli_string_t key = {0};
  sli_signature_append_key(signature, &key);
  sli_mutex_lock(&session->mutex);
  sli_master_plan_t *plan = find_usable_locked(session, sli_view_of(key.data, key.size));
  sli_status_t *status = NULL;
  bool is_new = !plan;
  if (is_new) {
    plan = plan_create(signature);
    status = plan_build_locked(session, signature, plan);
    if (!status) sli_map_set(&session->plans, sli_view_of(key.data, key.size), plan);
  }
  if (!status) sli_refcount_retain(&plan->references);
  sli_mutex_unlock(&session->mutex);
  sli_string_deinitialize(&key);
  if (status) {
    sli_master_plan_release(plan);
    ready(context, status, NULL);
    return;
  }
  sli_mutex_lock(&plan->mutex);
  bool waits = !plan->ready;
  if (waits) {
    sli_array_reserve(&plan->waiters, 1);
    plan->waiters.items[plan->waiters.count].ready = ready;
    plan->waiters.items[plan->waiters.count++].context = context;
  }
  sli_mutex_unlock(&plan->mutex);
  if (is_new) plan_register(session, plan);
  if (waits)
    sli_master_plan_release(plan);
  else
    ready(context, sli_status_retain(plan->status), plan);
}
