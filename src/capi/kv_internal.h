// Shared by the files of sluice/kv.h: connections, tables and groups (kv.c) and the calls (kv_call.c).
#ifndef SLI_CAPI_KV_INTERNAL_H_
#define SLI_CAPI_KV_INTERNAL_H_

#include "base/map.h"
#include "core/step/env.h"
#include "dist/store/store_message.h"
#include "rpc/channel.h"
#include "sluice/kv.h"

typedef struct {
  char *address, *task;  // "/job:ps/replica:0/task:0", as the server says
  sli_rpc_channel_t *channel;
  atomic_uint_fast64_t sequence;  // of the next push to it
  atomic_bool has_no_space;       // it has no memory to be filled: an older version
} sli_capi_kv_server_t;

typedef struct sli_capi_kv_op sli_capi_kv_op_t;        // one call of the user
typedef struct sli_capi_kv_space sli_capi_kv_space_t;  // a thread that waits for room

struct sl_kv {
  sl_kv_options_t options;  // with defaults; the texts are owned
  sli_env_t *env;
  sli_capi_kv_server_t *servers;
  size_t server_count;
  uint64_t client;  // random, identifies this client to the servers
  atomic_int_fast64_t clock, round;
  sli_mutex_t mutex;
  // Under mutex.
  sli_map_t bound;             // by the bytes of the key: index of the server + 1
  sli_capi_kv_op_t *ops;       // that have not ended
  sli_capi_kv_space_t *space;  // those who wait for room
  int64_t next_ticket, pending_calls, pending_bytes;
  struct {
    int64_t ticket;
    sli_status_t *status;
  } failed[64];  // that nobody has waited for; the oldest is dropped when there are more
  size_t failed_count;
};

// The deadline of a call: |millis| from now, or that of the options if it is 0.
int64_t sli_capi_kv_deadline(const sl_kv_t *kv, int64_t millis);
// Names the server in |status| (consumed), and why it cannot be reached.
sli_status_t *sli_capi_kv_explain(const sl_kv_t *kv, size_t server, sli_status_t *status);
// FAILED_PRECONDITION in a callback, where |what| must not be called.
sli_status_t *sli_capi_kv_check_thread(const sl_kv_t *kv, const char *what);
// Waits until all calls have ended.
void sli_capi_kv_finish(sl_kv_t *kv);

#endif  // SLI_CAPI_KV_INTERNAL_H_
