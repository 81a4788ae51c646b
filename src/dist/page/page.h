// HTTP for monitors and people: the health and the metrics of a task, and a page that shows its cluster.
//
//   GET /healthz       200 while the process serves
//   GET /readyz        200 if the task takes calls, else 503
//   GET /metrics       of this task, in Prometheus' text format
//   GET /              the page
//   GET /status.json   the cluster, as `sluice status --json` prints it
//   POST /trace?task=worker%200   the timeline of a step of that task's sessions, for Chrome's trace viewer
//
// The last two call other tasks. That happens on threads of their own, at most one for each; requests that come
// meanwhile get the same answer.
#ifndef SLI_DIST_PAGE_PAGE_H_
#define SLI_DIST_PAGE_PAGE_H_

#include "base/status.h"
#include "base/string.h"
#include "dist/control/control.h"
#include "proto/control.pb-c.h"
#include "rpc/loop.h"

typedef struct sli_page sli_page_t;

// Functions that block. They append JSON to |out|.
typedef struct {
  sli_status_t *(*report)(const char *target, sli_string_t *out);
  sli_status_t *(*trace)(const char *target, const char *task, sli_string_t *out);
} sli_page_source_t;

typedef struct {
  sli_rpc_loop_t *loop;
  const char *address;     // "9100": on loopback; "0.0.0.0:9100"; "[::]:9100"; port 0: the system chooses
  const char *target;      // a task of the cluster
  sli_control_t *control;  // of the task; NULL: this is no task, and there are no metrics
  bool (*is_ready)(void *context);
  void *context;
  const sli_page_source_t *source;  // must outlive the page; NULL: only what this task knows itself
} sli_page_options_t;

// Listens and serves at once. What |options| point to must outlive the page, except the texts. INVALID_ARGUMENT if the
// address cannot be read.
sli_status_t *sli_page_create(const sli_page_options_t *options, sli_page_t **out_page);
const char *sli_page_url(const sli_page_t *page);  // "http://localhost:9100/"
bool sli_page_is_exposed(const sli_page_t *page);  // other hosts may reach it
// When it returns nothing of |options| is used any more. NULL is allowed.
void sli_page_destroy(sli_page_t *page);

// Appends |status| in Prometheus' text format.
void sli_page_append_metrics(const Sluice__StatusResponse *status, sli_string_t *out);

#endif  // SLI_DIST_PAGE_PAGE_H_
