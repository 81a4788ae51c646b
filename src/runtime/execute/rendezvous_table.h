// The table behind every rendezvous: values that were sent and receivers that wait for one, by key. The rendezvous
// within a process (local_rendezvous.h) and that of a step on a task (dist/worker/remote_rendezvous.h) embed one.
// Thread-safe; callbacks run outside the table's lock.
#ifndef SLI_RUNTIME_EXECUTE_RENDEZVOUS_TABLE_H_
#define SLI_RUNTIME_EXECUTE_RENDEZVOUS_TABLE_H_

#include "core/step/rendezvous.h"

typedef struct sli_rendezvous_table_entry sli_rendezvous_table_entry_t;

// Embedded.
typedef struct {
  sli_mutex_t mutex;
  // Under mutex.
  sli_rendezvous_table_entry_t **buckets;
  size_t bucket_count, entry_count;
  sli_status_t *aborted;
} sli_rendezvous_table_t;

void sli_rendezvous_table_initialize(sli_rendezvous_table_t *table);
// Drops all values. No receiver may be waiting: abort first where one may.
void sli_rendezvous_table_deinitialize(sli_rendezvous_table_t *table);

// Consumes |tensor|: passes it to a receiver that waits for |key|, or stores it. Fails with the status of the abort
// after one.
sli_status_t *sli_rendezvous_table_send(sli_rendezvous_table_t *table, sli_view_t key, sli_tensor_t *tensor,
                                        bool is_dead);
// Calls |done| with the oldest value of |key|, possibly before this returns, or when one is sent. |context| identifies
// the receiver.
void sli_rendezvous_table_recv(sli_rendezvous_table_t *table, sli_view_t key, sli_rendezvous_recv_fn_t done,
                               void *context);
// Removes the receiver that waits for |key| with |context|. True: its |done| will never run. False: it has run or will.
bool sli_rendezvous_table_withdraw(sli_rendezvous_table_t *table, sli_view_t key, const void *context);
// Fails all receivers that wait and all later sends and receives, and drops all values. Consumes |status|; only the
// first abort counts.
void sli_rendezvous_table_abort(sli_rendezvous_table_t *table, sli_status_t *status);
// Whether the table is like a new one: no values, no receivers, not aborted.
bool sli_rendezvous_table_is_pristine(sli_rendezvous_table_t *table);

#endif  // SLI_RUNTIME_EXECUTE_RENDEZVOUS_TABLE_H_
