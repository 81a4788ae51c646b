// Prometheus' text format: for each metric a line of help, a line with its type, and all its samples.
#include <stdio.h>

#include "base/array.h"
#include "base/tally.h"
#include "dist/page/page.h"

#ifndef SLUICE_VERSION
#error "SLUICE_VERSION must be defined"
#endif

static void begin(sli_string_t *out, const char *name, const char *type, const char *help) {
  sli_string_append_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

// Appends {a="b",c="d"} for |count| pairs of names and values.
static void append_labels(sli_string_t *out, const char *const *pairs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sli_string_append_format(out, "%s%s=\"", i ? "," : "{", pairs[2 * i]);
    for (const char *at = pairs[2 * i + 1]; *at; at++) {
      size_t utf8 = (unsigned char)*at < 0x80 ? 1 : sli_view_utf8_size(sli_view(at));
      if (utf8 == 0)
        sli_string_append_char(out, '?');  // one bad name must not spoil all metrics
      else if (utf8 > 1)
        sli_string_append(out, at, utf8), at += utf8 - 1;
      else if (*at == '\\' || *at == '"')
        sli_string_append_char(out, '\\'), sli_string_append_char(out, *at);
      else if (*at == '\n')
        sli_string_append_text(out, "\\n");
      else
        sli_string_append_char(out, *at);
    }
    sli_string_append_char(out, '"');
  }
  if (count) sli_string_append_char(out, '}');
}

#define LABELS(...) \
  (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *) / 2

static void sample(sli_string_t *out, const char *name, const char *const *labels, size_t count, double value) {
  sli_string_append_text(out, name);
  append_labels(out, labels, count);
  sli_string_append_format(out, " %.17g\n", value);
}

static void single(sli_string_t *out, const char *name, const char *type, const char *help, double value) {
  begin(out, name, type, help);
  sample(out, name, NULL, 0, value);
}

// ---- Steps and checkpoints -------------------------------------------------------

static const Sluice__TallyStatus *find_tally(const Sluice__StatusResponse *status, const char *name) {
  for (size_t i = 0; i < status->n_tally; i++)
    if (!strcmp(status->tally[i]->name, name)) return status->tally[i];
  return NULL;
}

static int64_t count_of(const Sluice__TallyStatus *tally) {
  int64_t count = 0;
  for (size_t i = 0; i < tally->n_bucket; i++) count += tally->bucket[i];
  return count;
}

static void append_histogram(sli_string_t *out, const char *name, const char *help, const Sluice__TallyStatus *tally) {
  if (!tally) return;
  begin(out, name, "histogram", help);
  int64_t sum = 0;
  for (size_t i = 0; i < tally->n_bucket; i++) {
    char bound[32] = "+Inf";
    sum += tally->bucket[i];
    if (i < SLI_TALLY_BUCKETS) snprintf(bound, sizeof(bound), "%g", (double)sli_tally_bounds[i] / 1e6);
    sli_string_append_format(out, "%s_bucket{le=\"%s\"} %lld\n", name, bound, (long long)sum);
  }
  sli_string_append_format(out, "%s_sum %.17g\n%s_count %lld\n", name, (double)tally->micros / 1e6, name,
                           (long long)sum);
}

static void append_errors(sli_string_t *out, const Sluice__StatusResponse *status) {
  begin(out, "sluice_errors_total", "counter", "Steps, saves and restores that failed, by code.");
  for (size_t i = 0; i < status->n_tally; i++)
    for (size_t code = 1; code < status->tally[i]->n_error; code++)
      if (status->tally[i]->error[code])
        sample(out, "sluice_errors_total",
               LABELS("of", status->tally[i]->name, "code", sli_code_name((sli_code_t)code)),
               (double)status->tally[i]->error[code]);
}

static void append_checkpoints(sli_string_t *out, const Sluice__StatusResponse *status) {
  static const char *const kinds[] = {"save", "restore"};
  static const struct {
    const char *name, *help;
  } metrics[] = {{"sluice_checkpoints_total", "Checkpoint ops that ended here, SaveV2 and RestoreV2."},
                 {"sluice_checkpoint_seconds_total", "Time in checkpoint ops."},
                 {"sluice_checkpoint_bytes_total", "Bytes of tensors that were saved or restored."}};
  for (size_t m = 0; m < SLI_ARRAY_COUNT_OF(metrics); m++) {
    begin(out, metrics[m].name, "counter", metrics[m].help);
    for (size_t k = 0; k < SLI_ARRAY_COUNT_OF(kinds); k++) {
      const Sluice__TallyStatus *tally = find_tally(status, kinds[k]);
      if (!tally) continue;
      double values[] = {(double)count_of(tally), (double)tally->micros / 1e6, (double)tally->bytes};
      sample(out, metrics[m].name, LABELS("kind", kinds[k]), values[m]);
    }
  }
}

// ---- Resources -------------------------------------------------------------------

// Tensors of sessions may have equal names in several containers: both are labels.
static void append_queues(sli_string_t *out, const Sluice__StatusResponse *status) {
  begin(out, "sluice_queue_size", "gauge", "Elements in a queue.");
  for (size_t i = 0; i < status->n_queue; i++)
    sample(out, "sluice_queue_size", LABELS("container", status->queue[i]->container, "queue", status->queue[i]->name),
           (double)status->queue[i]->size);
  begin(out, "sluice_queue_waiting", "gauge", "Ops that wait to add to a queue or to take from it.");
  for (size_t i = 0; i < status->n_queue; i++) {
    const Sluice__QueueStatus *queue = status->queue[i];
    sample(out, "sluice_queue_waiting", LABELS("container", queue->container, "queue", queue->name, "to", "add"),
           (double)queue->waiting_enqueues);
    sample(out, "sluice_queue_waiting", LABELS("container", queue->container, "queue", queue->name, "to", "take"),
           (double)queue->waiting_dequeues);
  }
}

static void append_accumulators(sli_string_t *out, const Sluice__StatusResponse *status) {
  begin(out, "sluice_accumulator_gradients_total", "counter",
        "Gradients that an accumulator got: accepted, or dropped because they were stale.");
  for (size_t i = 0; i < status->n_accumulator; i++) {
    const Sluice__AccumulatorStatus *a = status->accumulator[i];
    sample(out, "sluice_accumulator_gradients_total",
           LABELS("container", a->container, "accumulator", a->name, "fate", "accepted"), (double)a->accepted);
    sample(out, "sluice_accumulator_gradients_total",
           LABELS("container", a->container, "accumulator", a->name, "fate", "stale"), (double)a->stale);
  }
  begin(out, "sluice_accumulator_pending", "gauge", "Gradients that wait in an accumulator to be taken.");
  for (size_t i = 0; i < status->n_accumulator; i++)
    sample(out, "sluice_accumulator_pending",
           LABELS("container", status->accumulator[i]->container, "accumulator", status->accumulator[i]->name),
           (double)status->accumulator[i]->accumulated);
}

static void append_variables(sli_string_t *out, const Sluice__StatusResponse *status) {
  double bytes = 0;
  for (size_t i = 0; i < status->n_variable; i++) bytes += (double)status->variable[i]->bytes;
  single(out, "sluice_variables", "gauge", "Variables on this task.", (double)status->n_variable);
  single(out, "sluice_variable_bytes", "gauge", "Bytes of variables on this task.", bytes);
}

static void append_sessions(sli_string_t *out, const Sluice__StatusResponse *status) {
  int masters = 0;
  for (size_t i = 0; i < status->n_session; i++) masters += status->session[i]->is_master;
  begin(out, "sluice_sessions", "gauge", "Open sessions: with their master here, or only a worker's share.");
  sample(out, "sluice_sessions", LABELS("role", "master"), masters);
  sample(out, "sluice_sessions", LABELS("role", "worker"), (double)status->n_session - masters);
}

// Peers without a name are clients: their processes come and go, so they are one sample.
static void append_peer_metric(sli_string_t *out, const Sluice__StatusResponse *status, const char *name,
                               const char *type, const char *help, int64_t (*get)(const Sluice__PeerStatus *peer)) {
  begin(out, name, type, help);
  for (size_t i = 0; i < status->n_peer; i++) {
    const Sluice__PeerStatus *peer = status->peer[i];
    if (*peer->name)
      sample(out, name, LABELS("peer", peer->name, "direction", peer->is_incoming ? "in" : "out"), (double)get(peer));
  }
}

static int64_t get_calls(const Sluice__PeerStatus *peer) { return peer->calls; }
static int64_t get_waiting(const Sluice__PeerStatus *peer) { return peer->waiting; }
static int64_t get_sent(const Sluice__PeerStatus *peer) { return peer->bytes_sent; }
static int64_t get_received(const Sluice__PeerStatus *peer) { return peer->bytes_received; }

static void append_peers(sli_string_t *out, const Sluice__StatusResponse *status) {
  append_peer_metric(out, status, "sluice_peer_calls_total", "counter",
                     "Calls to a task (direction out) or from it (in).", get_calls);
  append_peer_metric(out, status, "sluice_peer_waiting_calls", "gauge", "Calls that are not answered yet.",
                     get_waiting);
  append_peer_metric(out, status, "sluice_peer_sent_bytes_total", "counter",
                     "Bytes sent to a task on the connections that we opened (direction out) or that it opened (in).",
                     get_sent);
  append_peer_metric(out, status, "sluice_peer_received_bytes_total", "counter",
                     "Bytes received from a task, likewise.", get_received);
}

static void append_scalars(sli_string_t *out, const Sluice__StatusResponse *status) {
  begin(out, "sluice_scalar", "gauge", "The last value that the task's program reported, such as its loss.");
  for (size_t i = 0; i < status->n_scalar; i++)
    if (status->scalar[i]->n_value)
      sample(out, "sluice_scalar", LABELS("tag", status->scalar[i]->tag),
             status->scalar[i]->value[status->scalar[i]->n_value - 1]);
}

void sli_page_append_metrics(const Sluice__StatusResponse *status, sli_string_t *out) {
  begin(out, "sluice_info", "gauge", "Which task this is, and its version.");
  sample(out, "sluice_info", LABELS("task", status->hello->task, "version", status->hello->version), 1);
  single(out, "sluice_uptime_seconds", "gauge", "Since the start of the task.", (double)status->uptime_micros / 1e6);
  single(out, "process_resident_memory_bytes", "gauge", "Resident memory.", (double)status->memory_bytes);
  single(out, "sluice_threads", "gauge", "Threads of the process.", (double)status->thread_count);
  single(out, "sluice_model_ready", "gauge", "1 once this task's model was initialised or restored.",
         status->model_ready);
  single(out, "sluice_job_done", "gauge", "1 once the training has ended.", status->job_done);
  if (status->has_global_step)
    single(out, "sluice_global_step", "gauge", "The variable global_step, if it is here.", (double)status->global_step);
  single(out, "sluice_steps_total", "counter", "Shares of steps that were started on this task.",
         (double)status->steps);
  single(out, "sluice_running_steps", "gauge", "Shares of steps that run now.", (double)status->running_steps);
  append_histogram(out, "sluice_step_seconds", "Duration of this task's shares of steps.", find_tally(status, "step"));
  append_histogram(out, "sluice_session_step_seconds", "Duration of whole steps of sessions whose master is here.",
                   find_tally(status, "session_step"));
  append_errors(out, status);
  append_checkpoints(out, status);
  append_sessions(out, status);
  append_variables(out, status);
  append_queues(out, status);
  append_accumulators(out, status);
  append_peers(out, status);
  append_scalars(out, status);
}
