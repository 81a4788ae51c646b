// sluice.Control: what Sluice tasks tell each other beyond TensorFlow's services.
// A stock peer answers UNIMPLEMENTED and is left alone. Thread-safe.
//
//   Hello {} → {1: version, 2: task name, 3: features…}
//   JobDone {1: task name} → {}
#ifndef SLI_DIST_CONTROL_H_
#define SLI_DIST_CONTROL_H_

#include "core/env.h"
#include "dist/cluster.h"
#include "dist/worker_client.h"
#include "rpc/loop.h"
#include "rpc/server.h"

typedef struct sli_control sli_control_t;

// |on_done|(context) runs when the job is done, at least once, on any thread.
sli_control_t *sli_control_create(sli_env_t *env, sli_rpc_loop_t *loop, const sli_cluster_t *cluster,
                                  void (*on_done)(void *context), void *context);
// Outstanding announcements must have ended.
void sli_control_destroy(sli_control_t *control);
// True if the method is ours.
bool sli_control_service_handle(sli_control_t *control, sli_rpc_request_t *request);

// Marks the job as done here and tells every other task; returns when all have
// heard it or cannot be reached, within a few seconds. Not from a callback of the loop.
void sli_control_announce_done(sli_control_t *control);
bool sli_control_is_done(sli_control_t *control);

#endif  // SLI_DIST_CONTROL_H_
