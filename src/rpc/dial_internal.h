// One attempt to get a connection to a host: resolves its name (on a thread of
// its own where that may take long) and tries the addresses in turn, each by the
// short way within a host first, unless only TCP will do. Lives on the polling
// thread.
#ifndef SLI_RPC_DIAL_INTERNAL_H_
#define SLI_RPC_DIAL_INTERNAL_H_

#include "rpc/channel.h"
#include "rpc/loop_internal.h"

typedef struct sli_rpc_dial sli_rpc_dial_t;
// |fd| is the callee's, or -1 and |status| (the callee's) says why: "Connection refused", "DNS lookup of …".
typedef void (*sli_rpc_dial_fn_t)(void *context, int fd, sli_status_t *status);

// Calls |done| once on the polling thread, never inside this call. The caller gives the dial back with
// sli_rpc_dial_end, after |done| or before: then |done| is not called.
sli_rpc_dial_t *sli_rpc_dial_start(sli_rpc_loop_t *loop, const char *host, int port, bool tcp_only, int64_t deadline,
                                   sli_rpc_dial_fn_t done, void *context);
// What kind of failure |done| was told of.
sli_rpc_failure_t sli_rpc_dial_failure(const sli_rpc_dial_t *dial);
void sli_rpc_dial_end(sli_rpc_dial_t *dial);  // NULL is fine

#endif  // SLI_RPC_DIAL_INTERNAL_H_
