// Shared by the files of sluice.Store: the service (store.c) and the groups (store_group.c).
#ifndef SLI_DIST_STORE_STORE_INTERNAL_H_
#define SLI_DIST_STORE_STORE_INTERNAL_H_

#include "base/map.h"
#include "dist/service/service_call.h"
#include "dist/store/store.h"
#include "dist/store/store_space.h"
#include "dist/store/store_table.h"
#include "proto/store.pb-c.h"

enum { SLI_STORE_MAX_TABLES = 100000, SLI_STORE_MAX_GROUPS = 10000, SLI_STORE_MAX_MEMBERS = 65536 };

typedef struct sli_store_group sli_store_group_t;

struct sli_store {
  sli_env_t *env;
  sli_resource_manager_t *resources;
  const char *task;
  uint64_t incarnation;
  sli_map_t groups;       // by name; polling thread only
  sli_status_t *stopped;  // the same
  sli_refcount_t users;   // the owner, and exchanges on other threads
  sli_event_t unused;     // set by the last of them
  sli_store_spaces_t spaces;
  sli_mutex_t mutex;
  // Under mutex.
  sli_map_t tables;   // by name; a table lives as long as the store
  sli_map_t clients;  // by the bytes of the ID: the pushes that were applied
  uint64_t client_uses;
};

// Handles a Clock call. On the polling thread, as the others.
void sli_store_group_clock(sli_service_call_t *call, const void *message);
// Answers all calls that wait with |status| (borrowed).
void sli_store_group_stop_all(sli_store_t *store, sli_status_t *status);
void sli_store_group_destroy_all(sli_store_t *store);

#endif  // SLI_DIST_STORE_STORE_INTERNAL_H_
