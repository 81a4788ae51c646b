// The plan of a signature: the client's placed graph cut down to what the step
// needs and optimized, feeds and fetches turned into client-terminated _Recv and _Send where
// their nodes lie, split by task, and registered once on every task.
#include <stdlib.h>

#include "dist/master_internal.h"

// --- Feeds and fetches become nodes ---------------------------------------------

typedef struct {
  const sli_master_session_t *session;
  sli_graph_t *graph;
  char **feed_keys, **fetch_keys;  // by position in the signature
  sli_node_t **feed_nodes, **fetch_nodes;
} rewrite_t;

static sli_status_t *add_terminal(rewrite_t *rewrite, const char *op, sli_output_t value, const char *tensor_name,
                                  size_t position, sli_node_t **out_node, char **out_key) {
  const char *device = value.node->assigned_device;
  const sli_device_info_t *info = sli_device_set_find(&rewrite->session->devices, sli_view(device));
  SLI_CHECK(info != NULL);
  bool sends = !strcmp(op, "_Send");
  sli_attr_entry_t attrs[] = {
      SLI_ATTR_TYPE_OF(sends ? "T" : "tensor_type", sli_dtype_base(sli_output_dtype(value))),
      SLI_ATTR_STRING_OF("tensor_name", tensor_name),
      SLI_ATTR_STRING_OF("send_device", device),
      SLI_ATTR_INT_OF("send_device_incarnation", (int64_t)info->incarnation),
      SLI_ATTR_STRING_OF("recv_device", device),
      SLI_ATTR_BOOL_OF("client_terminated", true),
  };
  char *base = sli_format("%s_%s_%zu", sends ? "_send" : "_recv", value.node->def.name, position);
  sli_graph_node_t request = {.op = op,
                              .name = sli_graph_unique_name(rewrite->graph, base),
                              .device = device,
                              .inputs = &value,
                              .input_count = sends,
                              .attrs = attrs,
                              .attr_count = SLI_COUNT_OF(attrs)};
  free(base);
  SLI_RETURN_IF_ERROR(sli_graph_add(rewrite->graph, &request, out_node));
  (*out_node)->assigned_device = (*out_node)->def.device;
  sli_string_t key = {0};
  sli_rendezvous_key_append(&key, device, info->incarnation, device, tensor_name, 0, 0);
  *out_key = sli_string_take(&key);
  return NULL;
}

// A fetch of a fed value goes through its _Recv, so sends are added after receives.
static sli_status_t *add_terminals(rewrite_t *rewrite, const sli_signature_t *signature, sli_pruned_t *pruned) {
  for (size_t i = 0; i < pruned->feed_count; i++) {
    SLI_RETURN_IF_ERROR(add_terminal(rewrite, "_Recv", pruned->feeds[i], signature->feed_names[i], i,
                                     &rewrite->feed_nodes[i], &rewrite->feed_keys[i]));
    SLI_RETURN_IF_ERROR(sli_graph_redirect(pruned->feeds[i], (sli_output_t){rewrite->feed_nodes[i], 0}));
    for (size_t k = 0; k < pruned->fetch_count; k++)
      if (sli_output_equal(pruned->fetches[k], pruned->feeds[i]))
        pruned->fetches[k] = (sli_output_t){rewrite->feed_nodes[i], 0};
  }
  for (size_t i = 0; i < pruned->fetch_count; i++) {
    char *name = sli_format("%s:fetch%zu", signature->fetch_names[i], i);
    sli_status_t *status =
        add_terminal(rewrite, "_Send", pruned->fetches[i], name, i, &rewrite->fetch_nodes[i], &rewrite->fetch_keys[i]);
    free(name);
    if (status) return status;
  }
  return NULL;
}

// Drops what only the fed nodes needed: placeholders must not run.
static sli_graph_t *keep_reachable(rewrite_t *rewrite, const sli_pruned_t *pruned) {
  sli_graph_t *graph = rewrite->graph;
  SLI_ARRAY(sli_node_t *) roots = {0};
  for (size_t i = 0; i < pruned->fetch_count; i++) sli_array_push(&roots, rewrite->fetch_nodes[i]);
  for (size_t i = 0; i < pruned->feed_count; i++) sli_array_push(&roots, rewrite->feed_nodes[i]);
  for (size_t i = 0; i < pruned->target_count; i++) sli_array_push(&roots, pruned->targets[i]);
  bool *keep = sli_calloc(graph->nodes.count, sizeof(*keep));
  sli_node_t **map = sli_calloc(graph->nodes.count, sizeof(*map));
  sli_graph_reach(graph, roots.items, roots.count, NULL, 0, keep);
  sli_graph_t *kept = sli_graph_copy(graph, keep, map);
  for (size_t i = 0; i < pruned->feed_count; i++) rewrite->feed_nodes[i] = map[rewrite->feed_nodes[i]->id];
  for (size_t i = 0; i < pruned->fetch_count; i++) rewrite->fetch_nodes[i] = map[rewrite->fetch_nodes[i]->id];
  free(keep);
  free(map);
  sli_array_deinitialize(&roots);
  return kept;
}

// --- Parts ------------------------------------------------------------------------

static sli_master_part_t *part_of(sli_master_plan_t *plan, const sli_node_t *node) {
  sli_view_t task = sli_device_name_task(sli_view(node->assigned_device));
  for (size_t i = 0; i < plan->parts.count; i++)
    if (sli_view_is(task, plan->parts.items[i].client->task_name)) return &plan->parts.items[i];
  return NULL;
}

static sli_status_t *make_parts(sli_master_session_t *session, rewrite_t *rewrite, const sli_graph_t *graph,
                                sli_master_plan_t *plan) {
  sli_partitions_t split;
  SLI_RETURN_IF_ERROR(sli_graph_partition(graph, &session->devices, &split));
  sli_status_t *status = NULL;
  for (size_t i = 0; i < split.parts.count && !status; i++) {
    sli_master_part_t part = {.graph = sli_graph_retain(split.parts.items[i].graph)};
    status = sli_worker_cache_get(session->master->cache, sli_view(split.parts.items[i].task), &part.client);
    sli_array_push(&plan->parts, part);
  }
  sli_partitions_deinitialize(&split);
  for (size_t i = 0; i < plan->feed_count && !status; i++) {
    sli_master_part_t *part = part_of(plan, rewrite->feed_nodes[i]);
    sli_array_push(&part->feeds, i);
    sli_array_push(&part->feed_keys, rewrite->feed_keys[i]);
    rewrite->feed_keys[i] = NULL;
  }
  for (size_t i = 0; i < plan->fetch_count && !status; i++) {
    sli_master_part_t *part = part_of(plan, rewrite->fetch_nodes[i]);
    sli_array_push(&part->fetches, i);
    sli_array_push(&part->fetch_keys, rewrite->fetch_keys[i]);
    rewrite->fetch_keys[i] = NULL;
  }
  return status;
}

static void free_texts(char **texts, size_t count) {
  for (size_t i = 0; i < count; i++) free(texts[i]);
  free(texts);
}

static sli_status_t *build_parts(sli_master_session_t *session, const sli_signature_t *signature, sli_pruned_t *pruned,
                                 sli_master_plan_t *plan) {
  size_t feeds = pruned->feed_count, fetches = pruned->fetch_count;
  rewrite_t rewrite = {
      .session = session,
      .graph = pruned->graph,
      .feed_keys = sli_calloc(feeds, sizeof(char *)),
      .fetch_keys = sli_calloc(fetches, sizeof(char *)),
      .feed_nodes = sli_calloc(feeds, sizeof(sli_node_t *)),
      .fetch_nodes = sli_calloc(fetches, sizeof(sli_node_t *)),
  };
  sli_graph_t *kept = NULL;
  sli_status_t *status = add_terminals(&rewrite, signature, pruned);
  if (!status) {
    kept = keep_reachable(&rewrite, pruned);
    status = make_parts(session, &rewrite, kept, plan);
  }
  sli_graph_release(kept);
  free_texts(rewrite.feed_keys, feeds);
  free_texts(rewrite.fetch_keys, fetches);
  free(rewrite.feed_nodes);
  free(rewrite.fetch_nodes);
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
