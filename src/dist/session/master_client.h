// What a session asks of a master: an interface with two implementations, the master of a server in this process
// (local_master.c) and that of another process over gRPC (remote_master.c). All calls block; the calling thread polls
// the network while it waits. Thread-safe. Do not call from a callback of the loop.
#ifndef SLI_DIST_SESSION_MASTER_CLIENT_H_
#define SLI_DIST_SESSION_MASTER_CLIENT_H_

#include "core/step/env.h"
#include "dist/master/master.h"
#include "rpc/loop.h"
#include "runtime/session/session.h"

typedef struct sli_master_client sli_master_client_t;
typedef struct {
  // Waits until the master is reachable and has reached its tasks. |*out_handle| is the caller's.
  sli_status_t *(*create_session)(sli_master_client_t *self, sli_view_t graph_def, sli_view_t config, char **out_handle,
                                  int64_t *out_graph_version);
  // |graph_version|: the version that the graph has; set to the new one.
  sli_status_t *(*extend_session)(sli_master_client_t *self, const char *handle, sli_view_t graph_def,
                                  int64_t *graph_version);
  // On failure some of |out_fetches| may be set; the caller releases them.
  sli_status_t *(*run_step)(sli_master_client_t *self, const char *handle, const sli_session_run_t *run,
                            sli_tensor_t **out_fetches);
  // |*out_partial_handle| is the caller's; NULL on failure.
  sli_status_t *(*partial_run_setup)(sli_master_client_t *self, const char *handle, const sli_session_run_t *names,
                                     char **out_partial_handle);
  // |*out_set| is empty on failure.
  sli_status_t *(*list_devices)(sli_master_client_t *self, const char *handle, sli_device_set_t *out_set);
  sli_status_t *(*close_session)(sli_master_client_t *self, const char *handle);
  sli_status_t *(*reset)(sli_master_client_t *self, const char *const *containers, size_t count);
  void (*destroy)(sli_master_client_t *self);
} sli_master_client_vtable_t;
struct sli_master_client {
  const sli_master_client_vtable_t *vtable;
  sli_env_t *env;
  int64_t timeout_millis;  // of each call (ConfigProto.operation_timeout_in_ms); 0: none
};

// A client of |master|, which must outlive it.
sli_master_client_t *sli_master_client_create_local(sli_env_t *env, sli_master_t *master, int64_t timeout_millis);
// A client of the master at |target| ("grpc://host:port"). Connects with the first call. INVALID_ARGUMENT if the
// address is malformed.
sli_status_t *sli_master_client_create_remote(sli_env_t *env, sli_rpc_loop_t *loop, const char *target,
                                              int64_t timeout_millis, sli_master_client_t **out_client);

#endif  // SLI_DIST_SESSION_MASTER_CLIENT_H_
