// Push and pull: the parameter store of a cluster for programs that compute by themselves. A client pushes values of
// keys to the ps tasks, which update them by a rule (assign, sum, an optimizer), and pulls the new ones. The keys can
// be variables of a graph: what a KV client pushes a graph reads, and the other way round.
//
//   sl_kv_t *kv = sl_kv_connect("ps0:2222,ps1:2222", &(sl_kv_options_t){sizeof(sl_kv_options_t),
//                                .updater = "Adam learning_rate=0.01"}, status);
//   int64_t ticket = sl_kv_push_pull(kv, keys, count, gradients, weights, NULL, NULL, status);
//   …                                                     // compute something else
//   sl_kv_wait(kv, ticket, status);                       // now |weights| has the new values
//   sl_kv_close(kv);
//
// The servers are the ps tasks of a cluster, started by `sluice serve` or as servers of a program (sluice/server.h).
// They admit who has their token or certificate, as for everything else. docs/store.md is the manual.
//
// All calls are thread-safe.
#ifndef SLUICE_KV_H_
#define SLUICE_KV_H_

#pragma GCC system_header  // see sluice/export.h

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

typedef struct sl_kv sl_kv_t;

// Which server has a key.
typedef enum {
  SL_KV_HASH,   // by a hash of the key: any keys are spread evenly
  SL_KV_RANGE,  // by the key itself: each server has a range of 0 to |key_limit| - 1, of equal size
} sl_kv_sharding_t;

// What happens to calls while a server cannot be reached.
typedef enum {
  SL_KV_WAIT,  // they wait for it, until their timeout
  SL_KV_FAIL,  // they fail at once with UNAVAILABLE and the name of the server
} sl_kv_dead_t;

// What a push does to the value of a key.
typedef enum {
  SL_KV_UPDATE,  // what the updater of the table says
  SL_KV_ASSIGN,  // replaces it
  SL_KV_SUM,     // is added to it
} sl_kv_update_t;

// Zero fields mean the default.
typedef struct {
  size_t struct_size;
  const char *table;  // keys of different tables have nothing to do with each other; "default"
  TF_DataType dtype;  // of all values of the table; TF_FLOAT
  // The updater of the table: "assign", "sum", or a rule with its parameters, such as "Adam learning_rate=0.01"; see
  // docs/store.md. NULL: what the last client that gave one has said, else "assign".
  const char *updater;
  // Above 0: a table of rows of so many elements, such as embeddings. A row appears when it is first pulled or pushed,
  // initialised from its key alone; its length need not be given in calls.
  int32_t row_length;
  const char *initializer;  // of the rows: "uniform scale=0.05 seed=1", "normal scale=0.05 seed=1"; "zeros"
  // Of the rows of a server, with their slots and index; then new rows fail with RESOURCE_EXHAUSTED. 0: no limit.
  int64_t max_row_bytes;
  sl_kv_sharding_t sharding;  // must be the same in all clients of a table
  uint64_t key_limit;         // for SL_KV_RANGE: all keys are below it; 0: 2^64
  sl_kv_dead_t when_dead;
  int64_t timeout_millis;  // of each call, and for the servers to be up when connecting; 60,000. < 0: none
  // Back-pressure: a call blocks while the values of so many bytes, or so many calls, are under way; 256 MiB and 256.
  int64_t max_pending_bytes, max_pending_calls;
  // The group of this client, for sl_kv_clock and sl_kv_barrier.
  const char *group;  // "workers"
  int group_size;     // 0: no group
  int member;         // this client, from 0
  int64_t staleness;  // clocks that a member may be ahead of the slowest one; 0
} sl_kv_options_t;

// Connects to |servers|, "host:port" of each ps task in order, separated by commas, and opens the table on each. Blocks
// until all have answered. DEADLINE_EXCEEDED names one that has not; INVALID_ARGUMENT if the table has values of
// another type, or says what is wrong with the updater. |options| may be NULL. Close the result with sl_kv_close.
SL_EXPORT sl_kv_t *sl_kv_connect(const char *servers, const sl_kv_options_t *options, TF_Status *status);
// Waits for all calls, leaves the group and disconnects. NULL is allowed.
SL_EXPORT void sl_kv_close(sl_kv_t *kv);

// Called once when a call has ended, on a thread of the network: it must not block and must not call sl_kv_wait,
// sl_kv_barrier, sl_kv_clock or sl_kv_close. |status| belongs to the caller.
typedef void (*sl_kv_done_t)(void *context, TF_Status *status);

// Zero fields mean the default.
typedef struct {
  size_t struct_size;
  sl_kv_update_t update;  // of a push
  int32_t length;         // elements of every key, if there are no |lens|; 1
  sl_kv_done_t done;      // called at the end, also after a failure; NULL: the caller waits
  void *context;
  int64_t timeout_millis;  // instead of that of sl_kv_options_t
} sl_kv_call_t;

// Each starts a call and returns its ticket for sl_kv_wait, or 0 if an argument is wrong. |values| are those of the
// first key, then of the second, and so on: lens[i] elements of keys[i]. |lens| may be NULL: see sl_kv_call_t. The
// memory of |values| is used until the call has ended; |keys| and |lens| are copied. |call| may be NULL.
//
// The keys of one call may be in any order; those of one server are updated together. Calls that are under way at the
// same time may be applied in any order. All of them may block for back-pressure.
//
// A key gets its length with the first push; a push to a key without a value starts from zeros. INVALID_ARGUMENT names
// a key of another length; then the server has changed nothing.
SL_EXPORT int64_t sl_kv_push(sl_kv_t *kv, const uint64_t *keys, size_t count, const void *values, const int32_t *lens,
                             const sl_kv_call_t *call, TF_Status *status);
// NOT_FOUND names a key without a value.
SL_EXPORT int64_t sl_kv_pull(sl_kv_t *kv, const uint64_t *keys, size_t count, void *values, const int32_t *lens,
                             const sl_kv_call_t *call, TF_Status *status);
// Pushes |values| and then pulls |new_values|, which may be the same memory, in one message.
SL_EXPORT int64_t sl_kv_push_pull(sl_kv_t *kv, const uint64_t *keys, size_t count, const void *values, void *new_values,
                                  const int32_t *lens, const sl_kv_call_t *call, TF_Status *status);

// Blocks until the call of |ticket| has ended and reports its status; 0: all calls so far, with the first error of
// those that nobody has waited for. Waiting again for the same call reports OK.
SL_EXPORT void sl_kv_wait(sl_kv_t *kv, int64_t ticket, TF_Status *status);

// Makes |key| another name of the variable |name| of a graph, on whichever server has it; |container| NULL: the default
// one. From then on this client's pushes and pulls of the key update and read the variable. Returns the number of its
// elements, -1 if that is not known before the variable is initialised. Blocks. NOT_FOUND if no server has the
// variable.
SL_EXPORT int64_t sl_kv_bind(sl_kv_t *kv, uint64_t key, const char *container, const char *name, TF_Status *status);

// Changes the updater of the table on all servers, for example its learning rate. The slots of the optimizer stay if
// the rule is the same. Blocks.
SL_EXPORT void sl_kv_set_updater(sl_kv_t *kv, const char *updater, TF_Status *status);

// Saves the keys of the table, with the slots of their rule: each server writes its keys to PREFIX.keys-TABLE-00000-of-
// 00002 (rows to PREFIX.rows-…), in TensorFlow's checkpoint format. Bound keys are left to the graph. Blocks; others
// may push meanwhile, then some keys are saved as they were before.
SL_EXPORT void sl_kv_save(sl_kv_t *kv, const char *prefix, TF_Status *status);
// Gives keys the values that were saved, by any number of servers with any sharding; all servers must see the files.
// Slots of another rule than that of the table are dropped. Blocks. NOT_FOUND if nothing was saved there.
SL_EXPORT void sl_kv_restore(sl_kv_t *kv, const char *prefix, TF_Status *status);

// Announces that this member of the group has ended a clock, that is, a step, and blocks while it is more than
// |staleness| clocks ahead of the slowest member. Returns the clock of the slowest. At the timeout DEADLINE_EXCEEDED
// names the members that are behind.
SL_EXPORT int64_t sl_kv_clock(sl_kv_t *kv, TF_Status *status);
// Blocks until all members of the group have called it.
SL_EXPORT void sl_kv_barrier(sl_kv_t *kv, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_KV_H_
