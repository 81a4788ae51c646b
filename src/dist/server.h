// A task: event loop, worker, master and the port they answer on. Behind
// TF_NewServer and `sluice serve`.
#ifndef SLI_DIST_SERVER_H_
#define SLI_DIST_SERVER_H_

#include "base/status.h"
#include "base/string.h"
#include "core/env.h"
#include "dist/control.h"
#include "runtime/session.h"

typedef struct sli_server sli_server_t;

typedef struct {
  const char *bind;             // the address to listen on; NULL: the task's own if it is local, else all
  int64_t wait_millis;          // for a session's tasks to answer; 0: 10 minutes, < 0: without end
  int64_t session_idle_millis;  // until a session whose client is gone is closed; 0: 5 minutes, < 0: never
} sli_server_options_t;

// Binds the port at once (so that the target is known), serves after start. |options| may be NULL.
sli_status_t *sli_server_create(sli_view_t server_def, const sli_server_options_t *options, sli_server_t **out_server);
sli_status_t *sli_server_start(sli_server_t *server);
// Stops accepting, cancels everything; idempotent. sli_server_join returns then.
sli_status_t *sli_server_stop(sli_server_t *server);
// Blocks until the server stopped.
sli_status_t *sli_server_join(sli_server_t *server);
// Blocks until the server stopped, or the job is done and then either |grace_millis| have passed or no session is open
// here any more and whoever could not be reached at the end has been told.
sli_status_t *sli_server_join_job(sli_server_t *server, int64_t grace_millis);
// Tells all tasks that the job is done (sluice.Control); whether some task said so.
void sli_server_announce_done(sli_server_t *server);
bool sli_server_is_job_done(sli_server_t *server);
void sli_server_set_model_ready(sli_server_t *server, bool ready);
// Lives as long as the server.
sli_control_t *sli_server_control(sli_server_t *server);
void sli_server_destroy(sli_server_t *server);
const char *sli_server_target(const sli_server_t *server);  // "grpc://localhost:2222"

// A session for |target| ("grpc://host:port"). A server of this process is
// called directly, never over a socket. |config|: serialized ConfigProto.
sli_status_t *sli_remote_session_create(const char *target, sli_view_t config, sli_session_t **out_session);
// Session.reset on a target.
sli_status_t *sli_remote_reset(const char *target, sli_view_t config, const char *const *containers, size_t count);

// The process's event loop as an environment; made at first use, lives until exit.
sli_env_t *sli_env_process(void);

#endif  // SLI_DIST_SERVER_H_
