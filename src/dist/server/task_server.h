// A task: worker, master and the port that they serve. It is what TF_NewServer and `sluice serve` run. Thread-safe.
#ifndef SLI_DIST_SERVER_TASK_SERVER_H_
#define SLI_DIST_SERVER_TASK_SERVER_H_

#include "base/status.h"
#include "base/string.h"
#include "dist/control/control.h"
#include "dist/page/page.h"

typedef struct sli_task_server sli_task_server_t;

typedef struct {
  const char *bind;             // the address to listen on; NULL: see sli_bind_address_choose
  int64_t wait_millis;          // how long CreateSession waits for tasks; 0: 10 minutes, < 0: no limit
  int64_t session_idle_millis;  // how long a session stays open after its client was lost; 0: 5 minutes, < 0: for ever
  // Limits; 0: the default, < 0: none.
  int64_t max_sessions;          // of all clients, and worker sessions of all masters; 10,000 each
  int64_t max_client_sessions;   // of one client: a host, or a process of this host; 1,000
  int64_t max_graph_bytes;       // of the GraphDefs of one session; 2 GiB
  int64_t max_memory_bytes;      // of the tensors of this process; the memory of the machine, or of its control group
  int64_t max_early_receives;    // RecvTensors that wait for steps that have not started here; 65,536
  sli_rpc_server_options_t rpc;  // limits for peers
  const char *http;              // where to serve metrics and a page, see sli_page_create; NULL or "": nowhere
  const sli_page_source_t *page_source;
} sli_task_server_options_t;

// Creates a server. It binds its port now, so that the target is known, and serves requests after start. |options| may
// be NULL.
sli_status_t *sli_task_server_create(sli_view_t server_def, const sli_task_server_options_t *options,
                                     sli_task_server_t **out_server);
sli_status_t *sli_task_server_start(sli_task_server_t *server);
// Stops accepting requests and cancels all steps. Idempotent. Then sli_task_server_join returns.
sli_status_t *sli_task_server_stop(sli_task_server_t *server);
// Blocks until the server stopped.
sli_status_t *sli_task_server_join(sli_task_server_t *server);
// Blocks until the server stopped, or the job is done. In the latter case it stays until all sessions here are closed
// and the tasks that could not be reached have been notified, but at most |grace_millis|.
sli_status_t *sli_task_server_join_job(sli_task_server_t *server, int64_t grace_millis);
// Stops the server of a task that was asked to end. A ps first lets its clients save: it blocks until all sessions here
// are closed or all peers have disconnected, but at most |grace_millis|, and logs for whom it stays.
sli_status_t *sli_task_server_leave(sli_task_server_t *server, int64_t grace_millis);
// Notifies all tasks that the job is done, see sli_control_announce_done; and whether some task has done so.
void sli_task_server_announce_done(sli_task_server_t *server);
bool sli_task_server_is_job_done(sli_task_server_t *server);
void sli_task_server_set_model_ready(sli_task_server_t *server, bool ready);
// Owned by the server.
sli_control_t *sli_task_server_control(sli_task_server_t *server);
const sli_cluster_t *sli_task_server_cluster(const sli_task_server_t *server);
void sli_task_server_destroy(sli_task_server_t *server);
// "http://localhost:9100/"; NULL without HTTP.
const char *sli_task_server_url(const sli_task_server_t *server);
const char *sli_task_server_target(const sli_task_server_t *server);  // "grpc://localhost:2222"

// The master of the running server in this process that |target| ("grpc://host:port") names; NULL: there is none. The
// caller must not use it after that server was destroyed.
sli_master_t *sli_task_server_find_master(const char *target);

#endif  // SLI_DIST_SERVER_TASK_SERVER_H_
