#include "dist/worker/transfer_log.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "runtime/execute/step_stats.h"

enum { MAX_STEPS = 256 };  // beyond this the oldest step is dropped

typedef struct {
  int64_t id;
  sli_step_stats_t *stats;
  bool traced;
} logged_step_t;

struct sli_transfer_log {
  atomic_bool on;
  atomic_int traced;  // number of traced steps; changes under mutex
  sli_mutex_t mutex;
  SLI_ARRAY(logged_step_t) steps;  // under mutex, oldest first
};

sli_transfer_log_t *sli_transfer_log_create(void) {
  sli_transfer_log_t *log = sli_calloc(1, sizeof(*log));
  sli_mutex_initialize(&log->mutex);
  return log;
}

void sli_transfer_log_destroy(sli_transfer_log_t *log) {
  if (!log) return;
  sli_transfer_log_clear(log);
  sli_mutex_deinitialize(&log->mutex);
  free(log);
}

void sli_transfer_log_set(sli_transfer_log_t *log, bool on) { atomic_store(&log->on, on); }

void sli_transfer_log_clear(sli_transfer_log_t *log) {
  sli_mutex_lock(&log->mutex);
  for (size_t i = 0; i < log->steps.count; i++) sli_step_stats_destroy(log->steps.items[i].stats);
  sli_array_deinitialize(&log->steps);
  atomic_store(&log->traced, 0);
  sli_mutex_unlock(&log->mutex);
}

static logged_step_t *find_step_locked(sli_transfer_log_t *log, int64_t id) {
  for (size_t i = log->steps.count; i-- > 0;)
    if (log->steps.items[i].id == id) return &log->steps.items[i];
  return NULL;
}

static void remove_locked(sli_transfer_log_t *log, logged_step_t *step) {
  sli_step_stats_destroy(step->stats);
  atomic_fetch_sub(&log->traced, step->traced);
  size_t after = (size_t)(log->steps.items + log->steps.count - (step + 1));
  memmove(step, step + 1, after * sizeof(*step));
  log->steps.count--;
}

static logged_step_t *find_or_add_locked(sli_transfer_log_t *log, int64_t id, bool traced) {
  logged_step_t *step = find_step_locked(log, id);
  if (step) return step;
  if (log->steps.count >= MAX_STEPS) remove_locked(log, log->steps.items);
  sli_array_push(&log->steps, (logged_step_t){id, sli_step_stats_create(), traced});
  atomic_fetch_add(&log->traced, traced);
  return &log->steps.items[log->steps.count - 1];
}

bool sli_transfer_log_trace(sli_transfer_log_t *log, int64_t step_id) {
  if (atomic_load(&log->on)) return false;
  sli_mutex_lock(&log->mutex);
  find_or_add_locked(log, step_id, true);
  sli_mutex_unlock(&log->mutex);
  return true;
}

bool sli_transfer_log_is_on_for(sli_transfer_log_t *log, int64_t step_id) {
  if (atomic_load_explicit(&log->on, memory_order_relaxed)) return true;
  if (atomic_load_explicit(&log->traced, memory_order_relaxed) == 0) return false;
  sli_mutex_lock(&log->mutex);
  const logged_step_t *step = find_step_locked(log, step_id);
  bool wants = step && step->traced;
  sli_mutex_unlock(&log->mutex);
  return wants;
}

// As TensorFlow shows a transfer in its timelines: "[8B] [0.14Mb/s] edge_4_v/read from … to …".
static char *make_label(const sli_rendezvous_key_t *key, int64_t micros, size_t bytes) {
  double rate = 8.0 * (double)bytes / (double)(micros > 0 ? micros : 1);
  char size_text[32], rate_text[48];
  if (bytes >= (1 << 20) / 10)
    snprintf(size_text, sizeof(size_text), "[%.1fMB]", (double)bytes / (1 << 20));
  else
    snprintf(size_text, sizeof(size_text), "[%zuB]", bytes);
  if (rate >= 1000)
    snprintf(rate_text, sizeof(rate_text), "[%.1fGb/s]", rate / 1000);
  else
    snprintf(rate_text, sizeof(rate_text), "[%fMb/s]", rate);
  return sli_format("%s %s %.*s from %.*s to %.*s", size_text, rate_text, SLI_VIEW_ARG(key->edge_name),
                    SLI_VIEW_ARG(key->source_device), SLI_VIEW_ARG(key->destination_device));
}

void sli_transfer_log_add(sli_transfer_log_t *log, int64_t step_id, sli_view_t key, int64_t began, int64_t ended,
                          size_t bytes) {
  sli_rendezvous_key_t parsed;
  sli_status_t *status = sli_rendezvous_key_parse(key, &parsed);
  if (status) {
    sli_status_release(status);
    return;
  }
  char *label = make_label(&parsed, ended - began, bytes);
  char *device = sli_strndup(parsed.destination_device.data, parsed.destination_device.size);
  sli_mutex_lock(&log->mutex);
  logged_step_t *step = find_or_add_locked(log, step_id, false);
  sli_step_stats_add_transfer(step->stats, device, label, began, ended, (int64_t)bytes);
  sli_mutex_unlock(&log->mutex);
  free(device);
  free(label);
}

bool sli_transfer_log_take(sli_transfer_log_t *log, int64_t step_id, sli_string_t *out) {
  sli_mutex_lock(&log->mutex);
  logged_step_t *step = find_step_locked(log, step_id);
  bool found = step != NULL;
  if (found) {
    sli_step_stats_encode(step->stats, out);
    remove_locked(log, step);
  }
  sli_mutex_unlock(&log->mutex);
  return found;
}
