// What the loop offers to the rest of rpc: watched sockets and the polling
// thread's read buffer.
#ifndef SLI_RPC_LOOP_INTERNAL_H_
#define SLI_RPC_LOOP_INTERNAL_H_

#include <stddef.h>
#include <stdint.h>

#include "rpc/loop.h"

// One read buffer per loop, not per connection: ten thousand stay small.
#define SLI_RPC_READ_SIZE (64 * 1024)

typedef struct sli_rpc_watch sli_rpc_watch_t;
typedef void (*sli_rpc_watch_fn_t)(void *context, uint32_t events);

// Calls |run|(context, events) on the polling thread while any of |events| (EPOLLIN, EPOLLOUT; errors always) holds
// for |fd|. Owns |context| until |release|(context), which runs some time after the removal on the polling thread.
sli_status_t *sli_rpc_watch_create(sli_rpc_loop_t *loop, int fd, uint32_t events, sli_rpc_watch_fn_t run,
                                   sli_rpc_fn_t release, void *context, sli_rpc_watch_t **out_watch);
// Not concurrently with the removal.
void sli_rpc_watch_change(sli_rpc_watch_t *watch, uint32_t events);
// Gives the watch up; the caller then closes the fd. A |run| under way on the polling thread goes on.
void sli_rpc_watch_remove(sli_rpc_watch_t *watch);

// SLI_RPC_READ_SIZE bytes for the polling thread, until it calls a foreign callback.
char *sli_rpc_loop_read_buffer(sli_rpc_loop_t *loop);

#endif  // SLI_RPC_LOOP_INTERNAL_H_
