#include "dist/page/page.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/log.h"
#include "rpc/http.h"

// Metrics that are younger than this are not collected again: whoever asks more often costs no more.
#define FRESH_NANOS INT64_C(50000000)

// The build makes it of page.html.
extern const unsigned char sli_page_html[];
extern const size_t sli_page_html_size;

typedef enum { REPORT, TRACE, JOB_KINDS } job_kind_t;

// Calls of other tasks that run, and the requests that wait for them.
typedef struct {
  bool is_running;
  char *task;  // of a trace
  SLI_ARRAY(sli_rpc_http_request_t *) requests;
} job_t;

struct sli_page {
  sli_refcount_t references;  // the owner's, and one of each thread
  sli_page_options_t options;
  char *target, *url;
  bool is_exposed;
  sli_rpc_http_service_t service;
  sli_rpc_http_t *http;
  // Polling thread only.
  sli_string_t metrics;
  int64_t metrics_at;
  sli_mutex_t mutex;
  job_t jobs[JOB_KINDS];  // under mutex
};

static void page_release(sli_page_t *page) {
  if (!sli_refcount_release(&page->references)) return;
  sli_mutex_deinitialize(&page->mutex);
  for (int i = 0; i < JOB_KINDS; i++) sli_array_deinitialize(&page->jobs[i].requests);
  sli_string_deinitialize(&page->metrics);
  free(page->target);
  free(page->url);
  free(page);
}

static void respond_text(sli_rpc_http_request_t *request, int code, const char *text) {
  sli_string_t body = {0};
  sli_string_append_format(&body, "%s\n", text);
  sli_rpc_http_respond(request, code, "text/plain", &body);
}

// ---- What other tasks must be asked for ------------------------------------------

typedef struct {
  sli_page_t *page;
  job_kind_t kind;
} job_thread_t;

static void *run_job(void *context) {
  job_thread_t *thread = context;
  sli_page_t *page = thread->page;
  job_t *job = &page->jobs[thread->kind];
  const sli_page_source_t *source = page->options.source;
  sli_string_t body = {0};
  sli_status_t *status =
      thread->kind == REPORT ? source->report(page->target, &body) : source->trace(page->target, job->task, &body);
  if (status) {
    sli_string_clear(&body);
    sli_string_append_format(&body, "%s\n", sli_status_message(status));
  }
  sli_mutex_lock(&page->mutex);
  sli_rpc_http_request_t **requests = job->requests.items;
  size_t count = job->requests.count;
  job->requests.items = NULL;
  job->requests.count = job->requests.capacity = 0;
  free(job->task);
  job->task = NULL;
  job->is_running = false;
  sli_mutex_unlock(&page->mutex);
  for (size_t i = 0; i < count; i++) {
    sli_string_t copy = {0};
    sli_string_append(&copy, body.data, body.size);
    sli_rpc_http_respond(requests[i], status ? 504 : 200, status ? "text/plain" : "application/json", &copy);
  }
  free(requests);
  sli_string_deinitialize(&body);
  sli_status_release(status);
  page_release(page);
  free(thread);
  return NULL;
}

// Adds the request to the job that runs, or starts one. Consumes |task|.
static void ask_others(sli_page_t *page, job_kind_t kind, char *task, sli_rpc_http_request_t *request) {
  job_t *job = &page->jobs[kind];
  sli_mutex_lock(&page->mutex);
  bool starts = !job->is_running, fits = starts || !task || !strcmp(job->task, task);
  if (fits) sli_array_push(&job->requests, request);
  if (starts) {
    job->is_running = true;
    job->task = task;
    task = NULL;
  }
  sli_mutex_unlock(&page->mutex);
  free(task);
  if (!fits) respond_text(request, 503, "a step of another task is being traced");
  if (!starts) return;
  job_thread_t *thread = sli_malloc(sizeof(*thread));
  *thread = (job_thread_t){page, kind};
  sli_refcount_retain(&page->references);
  pthread_t id;
  if (pthread_create(&id, NULL, run_job, thread) == 0) {
    pthread_detach(id);
    return;
  }
  sli_mutex_lock(&page->mutex);
  job->is_running = false;
  free(job->task);
  job->task = NULL;
  job->requests.count = 0;  // only this one: they are added on this thread
  sli_mutex_unlock(&page->mutex);
  page_release(page);
  free(thread);
  respond_text(request, 503, "no thread can be started");
}

// The value of "task=" in the query; NULL if there is none. The caller frees it.
static char *task_of_query(sli_view_t query) {
  if (!sli_view_starts_with(query, "task=")) return NULL;
  sli_string_t text = {0};
  for (size_t i = strlen("task="); i < query.size && query.data[i] != '&'; i++) {
    char c = query.data[i] == '+' ? ' ' : query.data[i];
    if (c == '%' && i + 2 < query.size) {
      char digits[3] = {query.data[i + 1], query.data[i + 2], '\0'};
      c = (char)strtol(digits, NULL, 16);
      i += 2;
    }
    if (c) sli_string_append_char(&text, c);
  }
  return text.size ? sli_string_take(&text) : NULL;
}

// ---- Paths -----------------------------------------------------------------------

static void serve_metrics(sli_page_t *page, sli_rpc_http_request_t *request) {
  int64_t now = sli_rpc_loop_now(page->options.loop);
  if (!page->metrics.size || now - page->metrics_at > FRESH_NANOS) {
    sli_arena_t arena = {0};
    Sluice__StatusResponse status;
    sli_control_fill_status(page->options.control, &arena, &status);
    sli_string_clear(&page->metrics);
    sli_page_append_metrics(&status, &page->metrics);
    page->metrics_at = now;
    sli_arena_deinitialize(&arena);
  }
  sli_string_t body = {0};
  sli_string_append(&body, page->metrics.data, page->metrics.size);
  sli_rpc_http_respond(request, 200, "text/plain; version=0.0.4", &body);
}

static void serve_page(sli_rpc_http_request_t *request) {
  sli_string_t body = {0};
  sli_string_append(&body, sli_page_html, sli_page_html_size);
  sli_rpc_http_respond(request, 200, "text/html", &body);
}

static void serve_trace(sli_page_t *page, sli_rpc_http_request_t *request) {
  char *task = task_of_query(sli_rpc_http_query(request));
  if (task)
    ask_others(page, TRACE, task, request);
  else
    respond_text(request, 400, "which task? POST /trace?task=worker%200");
}

static void handle(void *context, sli_rpc_http_request_t *request) {
  sli_page_t *page = context;
  sli_view_t path = sli_rpc_http_path(request);
  bool is_trace = sli_view_is(path, "/trace"), is_post = sli_view_is(sli_rpc_http_method(request), "POST");
  bool is_ready = !page->options.is_ready || page->options.is_ready(page->options.context);
  if (is_post != is_trace)
    respond_text(request, 405, is_trace ? "use POST" : "use GET");
  else if (sli_view_is(path, "/healthz"))
    respond_text(request, 200, "ok");
  else if (sli_view_is(path, "/readyz"))
    respond_text(request, is_ready ? 200 : 503, is_ready ? "ready" : "not ready: the server has not started, or stops");
  else if (sli_view_is(path, "/metrics") && page->options.control)
    serve_metrics(page, request);
  else if (sli_view_is(path, "/") && page->options.source)
    serve_page(request);
  else if (sli_view_is(path, "/status.json") && page->options.source)
    ask_others(page, REPORT, NULL, request);
  else if (is_trace && page->options.source)
    serve_trace(page, request);
  else
    respond_text(request, 404, "there are /, /healthz, /readyz, /metrics and /status.json");
}

static bool is_open(sli_view_t path) { return sli_view_is(path, "/healthz") || sli_view_is(path, "/readyz"); }

// ---- Life ------------------------------------------------------------------------

// Splits "9100", "host:9100" or "[::]:9100". NULL host: loopback.
static sli_status_t *split_address(const char *text, char **out_host, int *out_port) {
  *out_host = NULL;
  const char *colon = strrchr(text, ':');
  int64_t port;
  bool good = sli_view_to_int64(sli_view(colon ? colon + 1 : text), &port) && port >= 0 && port <= 65535;
  if (good && colon) {
    bool has_brackets = text[0] == '[' && colon > text + 1 && colon[-1] == ']';
    const char *host = text + has_brackets;
    size_t size = (size_t)(colon - text) - 2 * has_brackets;
    good = size > 0 && (has_brackets || !memchr(host, ':', size));
    if (good) *out_host = sli_strndup(host, size);
  }
  if (!good)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "the HTTP address must be PORT, ADDRESS:PORT or [IPV6]:PORT with a port from 0 to 65535, "
                           "got '%s'",
                           text);
  *out_port = (int)port;
  return NULL;
}

sli_status_t *sli_page_create(const sli_page_options_t *options, sli_page_t **out_page) {
  *out_page = NULL;
  char *host;
  int port = 0;
  SLI_RETURN_IF_ERROR(split_address(options->address, &host, &port));
  sli_page_t *page = sli_calloc(1, sizeof(*page));
  sli_refcount_initialize(&page->references);
  sli_mutex_initialize(&page->mutex);
  page->options = *options;
  page->target = sli_strdup(options->target);
  page->service = (sli_rpc_http_service_t){.context = page, .handle = handle, .is_open = is_open};
  bool is_all = host && (!strcmp(host, "0.0.0.0") || !strcmp(host, "::"));
  page->is_exposed =
      host && strcmp(host, "localhost") != 0 && strcmp(host, "::1") != 0 && !sli_string_starts_with(host, "127.");
  sli_status_t *status =
      sli_rpc_http_create(options->loop, host ? host : "127.0.0.1", port, &page->service, NULL, &page->http);
  if (status) {
    page_release(page);
    free(host);
    return sli_status_prefix(status, "HTTP: ");
  }
  const char *name = !host || is_all ? "localhost" : host, *bracket = strchr(name, ':') ? "[" : "";
  page->url = sli_format("%s://%s%s%s:%d/", sli_rpc_http_has_tls(page->http) ? "https" : "http", bracket, name,
                         *bracket ? "]" : "", sli_rpc_http_port(page->http));
  free(host);
  *out_page = page;
  return NULL;
}

const char *sli_page_url(const sli_page_t *page) { return page->url; }

bool sli_page_is_exposed(const sli_page_t *page) { return page->is_exposed; }

void sli_page_destroy(sli_page_t *page) {
  if (!page) return;
  sli_rpc_http_destroy(page->http);
  page_release(page);
}
