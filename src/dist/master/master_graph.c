// The use of a session's graph: one piece of work after the other. A large graph takes seconds to import, place, plan
// or free, so none of that runs on a thread of the network, and no lock is held meanwhile.
#include <stdlib.h>

#include "dist/env/env_process.h"
#include "dist/master/master_internal.h"

// Smaller ones take less than a thread switch is worth.
enum { LONG_GRAPH_DEF_BYTES = 1 << 15, LONG_GRAPH_NODES = 500 };
// Memory of graphs with more nodes is returned to the system, which takes time, too.
enum { TRIM_NODES = 10000 };

bool sli_master_is_long_graph_def(size_t size) { return size >= LONG_GRAPH_DEF_BYTES; }

static sli_master_graph_work_t take_work_locked(sli_master_session_t *session) {
  sli_master_graph_work_t work = session->graph_works.items[0];
  session->graph_works.count--;
  memmove(session->graph_works.items, session->graph_works.items + 1,
          session->graph_works.count * sizeof(*session->graph_works.items));
  return work;
}

static void work_on_other_thread(void *context);

// Runs the first work of a graph that is in use, then the others. Consumes a reference.
static void run_works(sli_master_session_t *session, bool may_be_long) {
  for (bool has_more = true; has_more;) {
    sli_mutex_lock(&session->mutex);
    bool moves = !may_be_long && session->graph_works.items[0].is_long;
    sli_master_graph_work_t work = moves ? (sli_master_graph_work_t){0} : take_work_locked(session);
    sli_mutex_unlock(&session->mutex);
    if (moves) {
      // These threads are beside those of the pool: steps go on while graphs are built.
      sli_thread_pool_submit_blocking(session->env->pool, work_on_other_thread, session);
      return;
    }
    work.run(work.context);
    sli_mutex_lock(&session->mutex);
    has_more = session->graph_works.count > 0;
    session->graph_in_use = has_more;
    sli_worker_client_done_t done = sli_master_session_take_closed_locked(session);
    void *context = session->closed_context;
    sli_mutex_unlock(&session->mutex);
    if (has_more && work.then) {  // which may take long and does not need the graph
      sli_thread_pool_submit_blocking(session->env->pool, work_on_other_thread, sli_master_session_retain(session));
      has_more = false;
    }
    if (work.then) work.then(work.context);
    if (done) done(context, NULL);
  }
  sli_master_session_release(session);
}

static void work_on_other_thread(void *context) { run_works(context, true); }

void sli_master_use_graph(sli_master_session_t *session, sli_master_graph_work_t work) {
  sli_mutex_lock(&session->mutex);
  bool starts = !session->graph_in_use;
  session->graph_in_use = true;
  sli_array_push(&session->graph_works, work);
  sli_mutex_unlock(&session->mutex);
  if (starts) run_works(sli_master_session_retain(session), !sli_env_process_on_network_thread(session->env));
}

// --- Freeing -------------------------------------------------------------------------

typedef struct {
  sli_graph_t *graph;
  sli_map_t plans;
} remains_t;

static void free_remains(void *context) {
  remains_t *remains = context;
  bool trims = remains->graph && remains->graph->nodes.count >= TRIM_NODES;
  SLI_MAP_FOR_EACH (&remains->plans, entry) sli_master_plan_release(entry->value);
  sli_map_deinitialize(&remains->plans);
  sli_graph_release(remains->graph);
  free(remains);
  if (trims) sli_alloc_trim();
}

void sli_master_free_graph(sli_env_t *env, sli_graph_t *graph, sli_map_t *plans) {
  remains_t *remains = sli_malloc(sizeof(*remains));
  *remains = (remains_t){graph, *plans};
  *plans = (sli_map_t){0};
  bool is_long = graph && graph->nodes.count >= LONG_GRAPH_NODES;
  if (is_long && sli_env_process_on_network_thread(env))
    sli_thread_pool_submit_blocking(env->pool, free_remains, remains);
  else
    free_remains(remains);
}
