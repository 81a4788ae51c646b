// The values and the waits of one step on one task, by key. What the rendezvous
// within a process does too, and more: a wait can be withdrawn (its peer went
// away), and it can be told whether anything is left. Thread-safe.
#ifndef SLI_DIST_RENDEZVOUS_TABLE_H_
#define SLI_DIST_RENDEZVOUS_TABLE_H_

#include "core/rendezvous.h"

typedef struct sli_rendezvous_entry sli_rendezvous_entry_t;

// Embedded.
typedef struct {
  sli_mutex_t mutex;
  // Under mutex.
  sli_rendezvous_entry_t **buckets;
  size_t bucket_count, entry_count;
  sli_status_t *aborted;
} sli_rendezvous_table_t;

void sli_rendezvous_table_initialize(sli_rendezvous_table_t *table);
// Drops values; nobody may wait any more.
void sli_rendezvous_table_deinitialize(sli_rendezvous_table_t *table);

// Consumes |tensor|; hands it to a wait for |key|, or keeps it. Fails after an abort.
sli_status_t *sli_rendezvous_table_send(sli_rendezvous_table_t *table, sli_view_t key, sli_tensor_t *tensor,
                                        bool is_dead);
// |done| may run before this returns, never under a lock. |context| names the wait.
void sli_rendezvous_table_recv(sli_rendezvous_table_t *table, sli_view_t key, sli_recv_fn_t done, void *context);
// Takes a wait back. True: its |done| will never run. False: it has or will.
bool sli_rendezvous_table_withdraw(sli_rendezvous_table_t *table, sli_view_t key, const void *context);
// Fails all that waits and all that comes, drops all values. Consumes |status|; the first one stays.
void sli_rendezvous_table_abort(sli_rendezvous_table_t *table, sli_status_t *status);
// Whether a new table would do as well: no values, no waits, not aborted.
bool sli_rendezvous_table_is_blank(sli_rendezvous_table_t *table);

#endif  // SLI_DIST_RENDEZVOUS_TABLE_H_
