// The worker of this process: its devices, worker sessions, registered graphs
// and the rendezvous of the steps under way. What WorkerService offers, as
// functions; the gRPC adapter (worker_service.c) and the local client call the same ones.
#ifndef SLI_DIST_WORKER_H_
#define SLI_DIST_WORKER_H_

#include "core/env.h"
#include "dist/cluster.h"
#include "dist/worker_client.h"

typedef struct sli_worker sli_worker_t;

// Makes the task's devices ("CPU": 1 unless default_config's device_count says more). |cluster| outlives the worker.
sli_status_t *sli_worker_create(sli_env_t *env, const sli_cluster_t *cluster, sli_worker_t **out_worker);
void sli_worker_destroy(sli_worker_t *worker);
// Where RecvTensor finds other tasks; set once before the first step.
void sli_worker_set_cache(sli_worker_t *worker, sli_worker_cache_t *cache);
const sli_device_set_t *sli_worker_devices(sli_worker_t *worker);
// Sessions that masters have here.
size_t sli_worker_session_count(sli_worker_t *worker);
// For how long no step has run, nor a session begun; a master that died leaves sessions behind.
int64_t sli_worker_quiet_nanos(sli_worker_t *worker);
// Whether the task |name| of our cluster was a master here and closed its last session: it left in order.
bool sli_worker_was_left(sli_worker_t *worker, const char *name);
// The in-process client; owned by the worker.
sli_worker_client_t *sli_worker_local_client(sli_worker_t *worker);

// The side of RecvTensor that answers: waits for the value in the step's
// rendezvous, which comes to exist if the step is not known yet.
void sli_worker_recv_tensor(sli_worker_t *worker, int64_t step_id, sli_view_t key, sli_cancellation_t *cancellation,
                            sli_recv_fn_t done, void *context);

// Cancels every step with |status| (consumed): the server stops.
void sli_worker_stop(sli_worker_t *worker, sli_status_t *status);

#endif  // SLI_DIST_WORKER_H_
