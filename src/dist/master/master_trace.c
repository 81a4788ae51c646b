// Traces steps for someone who watches, not for their client. Among the next steps may be small ones, such as a look at
// the global step; so a few are traced, and the one with the most statistics counts.
#include "dist/master/master_internal.h"

enum { TRACED_STEPS = 5 };

void sli_master_on_trace(sli_master_t *master, void (*done)(void *context, sli_view_t metadata), void *context) {
  master->trace_done = done;
  master->trace_context = context;
}

void sli_master_trace_next(sli_master_t *master) {
  sli_mutex_lock(&master->mutex);
  if (master->traces_pending == 0) {
    master->traces_pending = TRACED_STEPS;
    atomic_store(&master->traces_wanted, TRACED_STEPS);
  }
  sli_mutex_unlock(&master->mutex);
}

bool sli_master_trace_takes(sli_master_t *master) {
  if (atomic_load_explicit(&master->traces_wanted, memory_order_relaxed) <= 0) return false;
  return atomic_fetch_sub(&master->traces_wanted, 1) > 0;
}

void sli_master_trace_offer(sli_master_t *master, sli_view_t metadata) {
  sli_string_t best = {0};
  sli_mutex_lock(&master->mutex);
  if (metadata.size > master->trace.size) {
    sli_string_clear(&master->trace);
    sli_string_append(&master->trace, metadata.data, metadata.size);
  }
  bool ended = master->traces_pending > 0 && --master->traces_pending == 0;
  if (ended) {
    best = master->trace;
    master->trace = (sli_string_t){0};
  }
  bool again = ended && !best.size;  // all of them failed
  if (again) {
    master->traces_pending = TRACED_STEPS;
    atomic_store(&master->traces_wanted, TRACED_STEPS);
  }
  sli_mutex_unlock(&master->mutex);
  if (ended && !again && master->trace_done)
    master->trace_done(master->trace_context, sli_view_of(best.data, best.size));
  sli_string_deinitialize(&best);
}
