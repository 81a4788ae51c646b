// sl_cluster_report: the status of a whole cluster as JSON; and the page that shows it in a browser. All tasks are
// queried at the same time.
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "capi/server_internal.h"
#include "core/tensor/dtype.h"
#include "dist/client/control_client.h"
#include "dist/env/env_process.h"
#include "io/event/step_trace.h"
#include "sluice/cluster.h"

enum {
  MAX_THREADS = 64,  // that query tasks
  // For the page: a task that does not reply in time is shown as down.
  PAGE_MILLIS = 5000,
  TRACE_MILLIS = 60000,
};

// --- Queries ---

typedef struct {
  char *address, *name;      // "ps 0"
  sl_task_status_t *status;  // NULL: see |error|
  char *error;
  bool is_lasting;  // it is of no use to try again
} answer_t;

typedef struct {
  SLI_ARRAY(answer_t) answers;
  int64_t timeout_millis, interval_millis;
  atomic_size_t next;  // to be queried
} query_t;

static void query_task(const query_t *query, answer_t *answer) {
  TF_Status *status = TF_NewStatus();
  answer->status = sl_cluster_status(answer->address, query->timeout_millis, query->interval_millis, status);
  if (!answer->status) {
    sl_probe_t *probe = sl_cluster_probe(answer->address, NULL, 0, query->timeout_millis, 0);
    answer->is_lasting = probe->failed_at == SL_PROBE_DENIED || probe->failed_at == SL_PROBE_BAD_ADDRESS;
    answer->error = sli_strdup(probe->failed_at != SL_PROBE_OK ? probe->why : TF_Message(status));
    sl_probe_free(probe);
  }
  TF_DeleteStatus(status);
}

static void *query_some(void *context) {
  query_t *query = context;
  for (size_t i; (i = atomic_fetch_add(&query->next, 1)) < query->answers.count;)
    query_task(query, &query->answers.items[i]);
  return NULL;
}

// Queries the task at |target|, then all others of its cluster at the same time.
static void query_all(const char *target, query_t *query) {
  answer_t first = {.address = sli_strdup(target)};
  query_task(query, &first);
  const sl_task_status_t *known = first.status;
  first.name = known ? sli_format("%s %d", known->job, known->index) : sli_strdup("?");
  sli_array_push(&query->answers, first);
  for (size_t i = 0; known && i < known->task_count; i++) {
    const sl_task_address_t *task = &known->tasks[i];
    if (!strcmp(task->job, known->job) && task->index == known->index) continue;
    sli_array_push(&query->answers, ((answer_t){.address = sli_strdup(task->address),
                                                .name = sli_format("%s %d", task->job, task->index)}));
  }
  atomic_store(&query->next, 1);
  pthread_t threads[MAX_THREADS];
  size_t wanted = query->answers.count - 1 < MAX_THREADS ? query->answers.count - 1 : MAX_THREADS, count = 0;
  while (count < wanted && pthread_create(&threads[count], NULL, query_some, query) == 0) count++;
  query_some(query);  // also if there are no threads
  for (size_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void query_release(query_t *query) {
  for (size_t i = 0; i < query->answers.count; i++) {
    free(query->answers.items[i].address);
    free(query->answers.items[i].name);
    free(query->answers.items[i].error);
    sl_task_status_free(query->answers.items[i].status);
  }
  sli_array_deinitialize(&query->answers);
}

// --- The report ---

// JSON has no NaN and no infinity.
static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

// "float32", as in Python.
static const char *dtype_text(TF_DataType dtype, char *buffer, size_t size) {
  static const struct {
    sli_dtype_t dtype;
    const char *name;
  } aliases[] = {{SLI_DTYPE_FLOAT, "float32"}, {SLI_DTYPE_DOUBLE, "float64"}, {SLI_DTYPE_HALF, "float16"}};
  enum { REF = 100 };
  bool is_ref = (int)dtype > REF;
  sli_dtype_t base = (sli_dtype_t)((int)dtype - (is_ref ? REF : 0));
  const char *name = sli_dtype_name(base);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(aliases); i++)
    if (aliases[i].dtype == base) name = aliases[i].name;
  snprintf(buffer, size, "%s%s", name, is_ref ? "_ref" : "");
  return buffer;
}

static json_t *dims_of(const sl_variable_status_t *variable) {
  json_t *list = json_array();
  for (int i = 0; i < variable->rank; i++) json_array_append_new(list, json_integer(variable->dims[i]));
  return list;
}

static json_t *report_tallies(const sl_task_status_t *s) {
  json_t *all = json_object();
  for (size_t i = 0; i < s->tally_count; i++) {
    const sl_tally_status_t *t = &s->tallies[i];
    json_t *errors = json_object();
    for (size_t code = 1; code < t->error_count; code++)
      if (t->errors[code])
        json_object_set_new(errors, sli_code_name((sli_code_t)code), json_integer((json_int_t)t->errors[code]));
    json_object_set_new(all, t->name,
                        json_pack("{s:I, s:f, s:I, s:o}", "count", (json_int_t)t->count, "seconds", t->seconds, "bytes",
                                  (json_int_t)t->bytes, "errors", errors));
  }
  return all;
}

static json_t *report_curves(const sl_task_status_t *s) {
  json_t *all = json_object();
  for (size_t i = 0; i < s->scalar_count; i++) {
    const sl_scalar_status_t *c = &s->scalars[i];
    json_t *points = json_array();
    for (size_t p = 0; p < c->count; p++)
      json_array_append_new(points, json_pack("[I, o, f]", (json_int_t)c->steps[p], number(c->values[p]), c->times[p]));
    json_object_set_new(all, c->tag, points);
  }
  return all;
}

static json_t *report_placement(const sl_task_status_t *s) {
  json_t *sends = json_object();
  for (size_t i = 0; i < s->edge_count; i++)
    json_object_set_new(sends, s->edges[i].task, json_integer((json_int_t)s->edges[i].tensors));
  return json_pack("{s:I, s:o}", "nodes", (json_int_t)s->graph_nodes, "sends", sends);
}

static json_t *report_rows(const sl_task_status_t *s, json_t *task) {
  json_t *devices = json_array(), *sessions = json_array(), *variables = json_array(), *queues = json_array(),
         *accumulators = json_array(), *peers = json_array();
  for (size_t i = 0; i < s->device_count; i++) {
    const sl_device_status_t *d = &s->devices[i];
    json_array_append_new(devices, json_pack("{s:s, s:s}", "name", d->name, "type", d->type));
  }
  for (size_t i = 0; i < s->session_count; i++) {
    const sl_session_status_t *e = &s->sessions[i];
    json_array_append_new(sessions, json_pack("{s:s, s:b, s:s, s:f, s:f, s:I, s:I, s:f}", "handle", e->handle, "master",
                                              e->is_master, "master_task", e->master_task, "age", e->age, "idle",
                                              e->idle, "steps", (json_int_t)e->steps, "running",
                                              (json_int_t)e->running_steps, "steps_per_second", e->steps_per_second));
  }
  for (size_t i = 0; i < s->variable_count; i++) {
    const sl_variable_status_t *v = &s->variables[i];
    char name[32];
    json_array_append_new(
        variables, json_pack("{s:s, s:s, s:s, s:b, s:o, s:I}", "container", v->container, "name", v->name, "dtype",
                             dtype_text(v->dtype, name, sizeof(name)), "initialized", v->is_initialized, "shape",
                             dims_of(v), "bytes", (json_int_t)v->bytes));
  }
  for (size_t i = 0; i < s->queue_count; i++) {
    const sl_queue_status_t *q = &s->queues[i];
    json_array_append_new(queues, json_pack("{s:s, s:s, s:I, s:I, s:b, s:I, s:I}", "name", q->name, "kind", q->kind,
                                            "size", (json_int_t)q->size, "capacity", (json_int_t)q->capacity, "closed",
                                            q->is_closed, "waiting_enqueues", (json_int_t)q->waiting_enqueues,
                                            "waiting_dequeues", (json_int_t)q->waiting_dequeues));
  }
  for (size_t i = 0; i < s->accumulator_count; i++) {
    const sl_accumulator_status_t *a = &s->accumulators[i];
    json_array_append_new(
        accumulators,
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "name", a->name, "accumulated", (json_int_t)a->accumulated,
                  "required", (json_int_t)a->required, "quorum", (json_int_t)a->quorum, "global_step",
                  (json_int_t)a->global_step, "accepted", (json_int_t)a->accepted, "stale", (json_int_t)a->stale));
  }
  for (size_t i = 0; i < s->peer_count; i++) {
    const sl_peer_status_t *p = &s->peers[i];
    json_array_append_new(
        peers, json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:f, s:f, s:f, s:I}", "name", p->name, "address", p->address,
                         "incoming", p->is_incoming, "calls", (json_int_t)p->calls, "bytes_sent",
                         (json_int_t)p->bytes_sent, "bytes_received", (json_int_t)p->bytes_received, "calls_per_second",
                         p->calls_per_second, "sent_per_second", p->sent_per_second, "received_per_second",
                         p->received_per_second, "waiting", (json_int_t)p->waiting));
  }
  json_object_set_new(task, "devices", devices);
  json_object_set_new(task, "sessions", sessions);
  json_object_set_new(task, "variables", variables);
  json_object_set_new(task, "queues", queues);
  json_object_set_new(task, "accumulators", accumulators);
  json_object_set_new(task, "peers", peers);
  json_object_set_new(task, "done", report_tallies(s));
  json_object_set_new(task, "curves", report_curves(s));
  json_object_set_new(task, "graph", report_placement(s));
  return task;
}

static json_t *report_task(const answer_t *answer) {
  json_t *task =
      json_pack("{s:s, s:s, s:b}", "task", answer->name, "address", answer->address, "up", answer->status != NULL);
  const sl_task_status_t *s = answer->status;
  if (!s) {
    json_object_set_new(task, "why", json_string(answer->error));
    json_object_set_new(task, "lasting", json_boolean(answer->is_lasting));
    return task;
  }
  json_t *facts =
      json_pack("{s:b, s:s, s:s, s:f, s:f, s:f, s:I, s:i, s:I, s:I, s:f, s:b, s:b}", "sluice", s->is_sluice, "version",
                s->version, "name", s->task, "uptime", s->uptime, "clock_skew", s->clock_skew, "round_trip",
                s->round_trip, "memory_bytes", (json_int_t)s->memory_bytes, "threads", s->thread_count, "steps",
                (json_int_t)s->steps, "running", (json_int_t)s->running_steps, "steps_per_second", s->steps_per_second,
                "model_ready", s->is_model_ready, "job_done", s->is_job_done);
  json_object_update(task, facts);
  json_decref(facts);
  if (s->global_step >= 0) {
    json_object_set_new(task, "global_step", json_integer(s->global_step));
    json_object_set_new(task, "global_steps_per_second", json_real(s->global_steps_per_second));
  }
  return report_rows(s, task);
}

static json_t *make_report(const query_t *query) {
  json_t *tasks = json_array();
  for (size_t i = 0; i < query->answers.count; i++) json_array_append_new(tasks, report_task(&query->answers.items[i]));
  return json_pack("{s:o}", "tasks", tasks);
}

static void append_report(const char *target, int64_t timeout_millis, int64_t interval_millis, sli_string_t *out) {
  query_t query = {.timeout_millis = timeout_millis, .interval_millis = interval_millis};
  query_all(target, &query);
  json_t *report = make_report(&query);
  char *text = json_dumps(report, JSON_COMPACT | JSON_PRESERVE_ORDER);
  sli_string_append_text(out, text ? text : "{}");
  free(text);
  json_decref(report);
  query_release(&query);
}

TF_Buffer *sl_cluster_report(const char *target, int64_t timeout_millis, int64_t interval_millis) {
  sli_string_t text = {0};
  append_report(target, timeout_millis, interval_millis, &text);
  TF_Buffer *buffer = TF_NewBufferFromString(text.data, text.size);
  sli_string_deinitialize(&text);
  return buffer;
}

// --- Traces ---

typedef SLI_ARRAY(sli_step_trace_clock_t) clocks_t;

// The address of |task| ("worker 0"), which the caller frees, and the clocks of all tasks that tell them.
static sli_status_t *find_task(const char *target, const char *task, int64_t timeout_millis, char **out_address,
                               clocks_t *out_clocks) {
  query_t query = {.timeout_millis = timeout_millis};
  query_all(target, &query);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < query.answers.count; i++) {
    const answer_t *answer = &query.answers.items[i];
    if (answer->status && answer->status->is_sluice)
      sli_array_push(out_clocks, ((sli_step_trace_clock_t){sli_strdup(answer->status->task),
                                                           (int64_t)(answer->status->clock_skew * 1e6)}));
    if (!strcmp(answer->name, task)) *out_address = sli_strdup(answer->address);
  }
  if (!query.answers.items[0].status)
    status = sli_status_make(SLI_UNAVAILABLE, "%s: %s", target, query.answers.items[0].error);
  else if (!*out_address)
    status = sli_status_make(SLI_NOT_FOUND, "there is no task '%s' in the cluster of %s", task, target);
  query_release(&query);
  return status;
}

static sli_status_t *append_trace(const char *target, const char *task, int64_t timeout_millis, sli_string_t *out) {
  int64_t deadline = sli_clock_deadline_after_millis(timeout_millis);
  char *address = NULL;
  clocks_t clocks = {0};
  sli_arena_t arena = {0};
  void *reply = NULL;
  Sluice__TraceRequest request = SLUICE__TRACE_REQUEST__INIT;
  sli_status_t *status =
      find_task(target, task, timeout_millis < PAGE_MILLIS ? timeout_millis : PAGE_MILLIS, &address, &clocks);
  if (!status)
    status = sli_control_client_call(address, "Trace", &request.base, &sluice__trace_response__descriptor, deadline,
                                     &arena, &reply);
  if (sli_status_code(status) == SLI_DEADLINE_EXCEEDED) {
    sli_status_release(status);
    status = sli_status_make(SLI_DEADLINE_EXCEEDED,
                             "%s has run no step to its end for %g s: only a task whose program trains has steps", task,
                             (double)timeout_millis / 1e3);
  }
  if (!status) {
    const ProtobufCBinaryData *metadata = &((Sluice__TraceResponse *)reply)->metadata;
    status = sli_step_trace_append(out, metadata->data, metadata->len, clocks.items, clocks.count);
  }
  for (size_t i = 0; i < clocks.count; i++) free(clocks.items[i].task);
  sli_array_deinitialize(&clocks);
  sli_arena_deinitialize(&arena);
  free(address);
  return status;
}

TF_Buffer *sl_cluster_trace(const char *target, const char *task, int64_t timeout_millis, TF_Status *status) {
  sli_string_t text = {0};
  sli_status_t *error = append_trace(target, task, timeout_millis, &text);
  TF_Buffer *buffer = error ? NULL : TF_NewBufferFromString(text.data, text.size);
  sli_string_deinitialize(&text);
  sli_capi_set_status(status, error);
  return buffer;
}

// --- The page ---

static sli_status_t *page_report(const char *target, sli_string_t *out) {
  append_report(target, PAGE_MILLIS, 0, out);
  return NULL;
}

static sli_status_t *page_trace(const char *target, const char *task, sli_string_t *out) {
  return append_trace(target, task, TRACE_MILLIS, out);
}

const sli_page_source_t sli_capi_page_source = {page_report, page_trace};

struct sl_cluster_page {
  sli_page_t *page;
};

sl_cluster_page_t *sl_cluster_serve_page(const char *target, const char *address, TF_Status *status) {
  sli_page_t *inner;
  sli_capi_set_status(status, sli_page_create(&(sli_page_options_t){.loop = sli_env_process_loop(),
                                                                    .address = address,
                                                                    .target = target,
                                                                    .source = &sli_capi_page_source},
                                              &inner));
  if (!inner) return NULL;
  sl_cluster_page_t *page = sli_malloc(sizeof(*page));
  page->page = inner;
  return page;
}

const char *sl_cluster_page_url(const sl_cluster_page_t *page) { return sli_page_url(page->page); }

void sl_cluster_page_free(sl_cluster_page_t *page) {
  if (!page) return;
  sli_page_destroy(page->page);
  free(page);
}
