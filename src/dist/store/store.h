// sluice.Store: push and pull by key (proto/store.proto), beside sluice.Control on the port of a task. Thread-safe.
//
//   Open      opens a table of keys, with the type of its values and its updater
//   Exchange  pushes values, pulls values, or both
//   Bind      makes a key another name of a variable of the task
//   Save      saves the keys of a table, or restores them
//   Clock     announces the clock of a member of a group; replies when the others are not far behind
#ifndef SLI_DIST_STORE_STORE_H_
#define SLI_DIST_STORE_STORE_H_

#include "core/state/resource.h"
#include "core/step/env.h"
#include "rpc/server.h"

typedef struct sli_store sli_store_t;

// |env|, |resources| and |task| (the name of the task) must outlive the store.
sli_store_t *sli_store_create(sli_env_t *env, sli_resource_manager_t *resources, const char *task,
                              uint64_t incarnation);
// Answers all current and later calls that wait with |status| (consumed). On the polling thread.
void sli_store_stop(sli_store_t *store, sli_status_t *status);
// After a stop. Blocks until the exchanges on other threads have ended.
void sli_store_destroy(sli_store_t *store);

// Handles the request and returns true if it is for this service. On the polling thread.
bool sli_store_service_handle(sli_store_t *store, sli_rpc_request_t *request);
// Whether the service has the method of this full name ("/sluice.Store/Open").
bool sli_store_service_has(const char *method);
// Chooses the memory of an Exchange, see sli_rpc_service_t.
char *sli_store_service_place(const char *head, size_t head_size, size_t message_size, sli_rpc_message_t *out_message);

#endif  // SLI_DIST_STORE_STORE_H_
