// Partial runs: keeps which feeds and fetches of a step were used so far. The step itself runs in several calls
// (master_step.c).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dist/master/master_internal.h"

char **sli_master_names_copy(const char *const *names, size_t count) {
  char **copy = sli_calloc(count, sizeof(*copy));
  for (size_t i = 0; i < count; i++) copy[i] = sli_strdup(names[i]);
  return copy;
}

void sli_master_names_free(char **names, size_t count) {
  for (size_t i = 0; names && i < count; i++) free(names[i]);
  free(names);
}

void sli_master_partial_release(sli_master_partial_t *partial) {
  if (!partial || !sli_refcount_release(&partial->references)) return;
  sli_map_deinitialize(&partial->feed_places);
  sli_map_deinitialize(&partial->fetch_places);
  sli_master_names_free(partial->feed_names, partial->plan->feed_count);
  sli_master_names_free(partial->fetch_names, partial->plan->fetch_count);
  sli_master_plan_release(partial->plan);
  free(partial->handle);
  free(partial->fed);
  free(partial->fetched);
  free(partial);
}

// --- Setup -----------------------------------------------------------------------------------

typedef struct {
  sli_master_session_t *session;
  char **feed_names, **fetch_names;
  size_t feed_count, fetch_count;
  sli_cancellation_t *cancellation;  // only for the close of the session, which waits for the call
  sli_master_handle_done_t done;
  void *context;
} setup_t;

static void index_names(sli_map_t *places, char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) sli_map_insert(places, sli_view(names[i]), (void *)(uintptr_t)(i + 1));
}

static void setup_done(void *context, sli_status_t *status, sli_master_plan_t *plan) {
  setup_t *setup = context;
  sli_master_session_t *session = setup->session;
  char handle[32] = "";
  if (status) {
    sli_master_names_free(setup->feed_names, setup->feed_count);
    sli_master_names_free(setup->fetch_names, setup->fetch_count);
    sli_master_plan_release(plan);
  } else {
    sli_master_partial_t *partial = sli_calloc(1, sizeof(*partial));
    sli_refcount_initialize(&partial->references);
    partial->plan = plan;
    partial->feed_names = setup->feed_names;
    partial->fetch_names = setup->fetch_names;
    index_names(&partial->feed_places, setup->feed_names, setup->feed_count);
    index_names(&partial->fetch_places, setup->fetch_names, setup->fetch_count);
    partial->fed = sli_calloc(plan->feed_count, sizeof(bool));
    partial->fetched = sli_calloc(plan->fetch_count, sizeof(bool));
    partial->left = plan->feed_count + plan->fetch_count;
    partial->step_id = (int64_t)(session->env->random(session->env) >> 8);
    sli_mutex_lock(&session->mutex);
    snprintf(handle, sizeof(handle), "%lld", (long long)session->next_partial_run++);
    partial->handle = sli_strdup(handle);
    sli_map_set(&session->partial_runs, sli_view(handle), partial);
    sli_mutex_unlock(&session->mutex);
  }
  sli_master_session_end_call(session, setup->cancellation);
  setup->done(setup->context, status, handle, 0);
  sli_cancellation_release(setup->cancellation);
  sli_master_session_release(session);
  free(setup);
}

void sli_master_partial_run_setup(sli_master_t *master, const sli_master_run_step_t *request,
                                  sli_master_handle_done_t done, void *context) {
  sli_master_session_t *session;
  sli_status_t *status = sli_master_find_session(master, request->session_handle, &session);
  sli_cancellation_t *cancellation = sli_cancellation_create();
  if (!status) status = sli_master_session_begin_call(session, cancellation, false);
  if (status) {
    sli_cancellation_release(cancellation);
    sli_master_session_release(session);
    done(context, status, NULL, 0);
    return;
  }
  setup_t *setup = sli_malloc(sizeof(*setup));
  *setup = (setup_t){session,
                     sli_master_names_copy(request->feed_names, request->feed_count),
                     sli_master_names_copy(request->fetch_names, request->fetch_count),
                     request->feed_count,
                     request->fetch_count,
                     cancellation,
                     done,
                     context};
  sli_signature_t signature = {request->feed_names,  request->feed_count,   request->fetch_names,
                               request->fetch_count, request->target_names, request->target_count};
  sli_master_plan_get(session, &signature, setup_done, setup);
}

// --- Parts -------------------------------------------------------------------------------------

// Finds |name| and marks it as used.
static sli_status_t *take_name(const char *kind, const char *past, const char *name, const sli_map_t *places,
                               bool *used, size_t *out_place) {
  size_t place = (uintptr_t)sli_map_get(places, sli_view(name));
  if (!place)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The %s %s was not specified in partial_run_setup.", kind, name);
  if (used[place - 1]) return sli_status_make(SLI_INVALID_ARGUMENT, "The %s %s has already been %s.", kind, name, past);
  used[place - 1] = true;
  *out_place = place - 1;
  return NULL;
}

// INVALID_ARGUMENT if a fetch of |request| depends on a feed that was not given yet: the step would wait for it for
// ever. Does not look behind nodes that have a fed output.
static sli_status_t *check_fetches_locked(const sli_master_session_t *session, const sli_master_partial_t *partial,
                                          const sli_master_run_step_t *request) {
  const sli_graph_t *graph = session->graph;
  size_t count = partial->plan->feed_count, root_count = 0;
  sli_output_t *feeds = sli_calloc(count, sizeof(*feeds)), fetch;
  sli_node_t **roots = sli_calloc(request->fetch_count, sizeof(*roots));
  bool *keep = sli_calloc(graph->nodes.count, sizeof(*keep));
  size_t *first = sli_calloc(graph->nodes.count, sizeof(*first));  // by node: position of a feed + 1
  size_t *next = sli_calloc(count, sizeof(*next));
  sli_status_t *status = NULL;
  for (size_t i = 0; i < count && !status; i++)
    status = sli_graph_find_output(graph, sli_view(partial->feed_names[i]), &feeds[i]);
  for (size_t i = 0; i < request->fetch_count && !status; i++) {
    status = sli_graph_find_output(graph, sli_view(request->fetch_names[i]), &fetch);
    if (!status) roots[root_count++] = fetch.node;
  }
  if (!status) {
    sli_graph_mark_needed(graph, roots, root_count, feeds, count, keep);
    for (size_t i = 0; i < count; i++) keep[feeds[i].node->id] = false;
    for (size_t i = count; i-- > 0;) {
      next[i] = first[feeds[i].node->id];
      first[feeds[i].node->id] = i + 1;
    }
  }
  for (size_t id = 0; id < graph->nodes.count && !status; id++) {
    const sli_node_t *node = graph->nodes.items[id];
    for (int k = 0; keep[id] && k < node->def.input_count; k++)
      for (size_t i = first[node->inputs[k].node->id]; i && !status; i = next[i - 1])
        if (!partial->fed[i - 1] && sli_graph_output_equal(node->inputs[k], feeds[i - 1]))
          status = sli_status_make(SLI_INVALID_ARGUMENT,
                                   "Fetch %s can't be computed from the feeds that have been fed so far.",
                                   partial->feed_names[i - 1]);
  }
  free(first);
  free(next);
  free(feeds);
  free(roots);
  free(keep);
  return status;
}

static sli_status_t *take_locked(const sli_master_session_t *session, sli_master_partial_t *partial,
                                 const sli_master_run_step_t *request, size_t *out_feeds, size_t *out_fetches) {
  for (size_t i = 0; i < request->feed_count; i++)
    SLI_RETURN_IF_ERROR(
        take_name("feed", "fed", request->feed_names[i], &partial->feed_places, partial->fed, &out_feeds[i]));
  for (size_t i = 0; i < request->fetch_count; i++)
    SLI_RETURN_IF_ERROR(take_name("fetch", "fetched", request->fetch_names[i], &partial->fetch_places, partial->fetched,
                                  &out_fetches[i]));
  SLI_RETURN_IF_ERROR(check_fetches_locked(session, partial, request));
  partial->left -= request->feed_count + request->fetch_count;
  return NULL;
}

// As take_locked, but a request that is rejected marks nothing as used.
static sli_status_t *take_or_restore_locked(const sli_master_session_t *session, sli_master_partial_t *partial,
                                            const sli_master_run_step_t *request, size_t *out_feeds,
                                            size_t *out_fetches) {
  size_t feeds = partial->plan->feed_count, fetches = partial->plan->fetch_count;
  bool *before = sli_malloc(feeds + fetches + 1);
  memcpy(before, partial->fed, feeds);
  memcpy(before + feeds, partial->fetched, fetches);
  sli_status_t *status = take_locked(session, partial, request, out_feeds, out_fetches);
  if (status) {
    memcpy(partial->fed, before, feeds);
    memcpy(partial->fetched, before + feeds, fetches);
  }
  free(before);
  return status;
}

sli_status_t *sli_master_partial_take(sli_master_session_t *session, const sli_master_run_step_t *request,
                                      size_t *out_feeds, size_t *out_fetches, bool *out_is_last,
                                      sli_master_partial_t **out_partial) {
  *out_partial = NULL;
  sli_status_t *status = NULL;
  sli_mutex_lock(&session->mutex);
  sli_master_partial_t *partial = sli_map_get(&session->partial_runs, sli_view(request->partial_handle));
  if (!partial)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Must run PartialRunSetup before performing partial runs");
  else
    status = take_or_restore_locked(session, partial, request, out_feeds, out_fetches);
  if (!status) {
    *out_is_last = partial->left == 0;
    sli_refcount_retain(&partial->references);
    *out_partial = partial;
  }
  sli_mutex_unlock(&session->mutex);
  return status;
}

void sli_master_partial_drop(sli_master_session_t *session, sli_master_partial_t *partial) {
  sli_mutex_lock(&session->mutex);
  sli_master_partial_t *removed = sli_map_remove(&session->partial_runs, sli_view(partial->handle));
  sli_mutex_unlock(&session->mutex);
  sli_master_partial_release(removed);
}
