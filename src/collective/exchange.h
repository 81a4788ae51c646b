// Where a member of a group leaves a buffer and a peer finds it: the two meet by scope and key, in either order. A
// scope is what fails together: one life of a group, or one step. Thread-safe; nothing here blocks. Callbacks run on
// the thread of the call that completes them, never under a lock.
#ifndef SLI_COLLECTIVE_EXCHANGE_H_
#define SLI_COLLECTIVE_EXCHANGE_H_

#include "base/map.h"
#include "base/sync.h"
#include "core/step/collective.h"

// The callee owns |status| and, on success, a reference to |buffer|.
typedef void (*sli_collective_buffer_done_t)(void *context, sli_status_t *status, sli_tensor_t *buffer);

enum { SLI_COLLECTIVE_EXCHANGE_FAILURES = 128 };  // how many failed scopes are remembered

typedef struct {
  sli_mutex_t mutex;
  // Under mutex.
  sli_map_t entries;   // "scope/key"
  sli_map_t failures;  // by scope: why it failed
  char *failed[SLI_COLLECTIVE_EXCHANGE_FAILURES];
  size_t next_failed;
  sli_status_t *stopped;  // why everything fails; NULL: it does not
  size_t waiting;         // receives without a buffer
} sli_collective_exchange_t;

void sli_collective_exchange_initialize(sli_collective_exchange_t *exchange);
// There must be no entries: call sli_collective_exchange_fail for every scope first, or for all (NULL).
void sli_collective_exchange_deinitialize(sli_collective_exchange_t *exchange);

// Offers |buffer| (consumed); |done| is called when a peer has taken it. INTERNAL if the key is taken.
void sli_collective_exchange_send(sli_collective_exchange_t *exchange, sli_view_t scope, sli_view_t key,
                                  sli_tensor_t *buffer, sli_collective_done_t done, void *context);
// Takes the buffer, of |size| bytes, when it is there. INTERNAL if it has another size.
void sli_collective_exchange_receive(sli_collective_exchange_t *exchange, sli_view_t scope, sli_view_t key, size_t size,
                                     sli_collective_buffer_done_t done, void *context);
// Takes back a receive with this |context|. True: |done| will not be called.
bool sli_collective_exchange_withdraw(sli_collective_exchange_t *exchange, sli_view_t scope, sli_view_t key,
                                      void *context);
// Fails all that wait in |scope|, now and later, with |status| (consumed). NULL: in all scopes.
void sli_collective_exchange_fail(sli_collective_exchange_t *exchange, const char *scope, sli_status_t *status);
size_t sli_collective_exchange_waiting(sli_collective_exchange_t *exchange);

#endif  // SLI_COLLECTIVE_EXCHANGE_H_
