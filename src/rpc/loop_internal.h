// Used by the rest of rpc: watched sockets, and the read buffer of the polling
// thread.
#ifndef SLI_RPC_LOOP_INTERNAL_H_
#define SLI_RPC_LOOP_INTERNAL_H_

#include <stddef.h>
#include <stdint.h>

#include "rpc/loop.h"

// One read buffer per loop, not per connection: there may be thousands of them.
#define SLI_RPC_READ_SIZE (64 * 1024)

typedef struct sli_rpc_watch sli_rpc_watch_t;
typedef void (*sli_rpc_watch_fn_t)(void *context, uint32_t events);

// Calls |run|(context, events) on the polling thread while any of |events| (EPOLLIN, EPOLLOUT; errors always) holds
// for |fd|. Owns |context| until |release|(context), which is called on the polling thread some time after the removal.
sli_status_t *sli_rpc_watch_create(sli_rpc_loop_t *loop, int fd, uint32_t events, sli_rpc_watch_fn_t run,
                                   sli_rpc_fn_t release, void *context, sli_rpc_watch_t **out_watch);
// Must not be called at the same time as sli_rpc_watch_remove.
void sli_rpc_watch_change(sli_rpc_watch_t *watch, uint32_t events);
// Frees the watch; the caller then closes the fd. A call of |run| on the polling thread may still be running.
void sli_rpc_watch_remove(sli_rpc_watch_t *watch);

// SLI_RPC_READ_SIZE bytes for the polling thread. Valid until it runs another callback.
char *sli_rpc_loop_read_buffer(sli_rpc_loop_t *loop);

#endif  // SLI_RPC_LOOP_INTERNAL_H_
