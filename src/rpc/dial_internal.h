// One attempt to connect to a host: resolves its name (on a separate thread if that
// may block) and tries its addresses, each first by a Unix socket, unless |tcp_only|.
// An address that does not reply soon does not delay the others: the first connection
// counts. Used on the polling thread.
#ifndef SLI_RPC_DIAL_INTERNAL_H_
#define SLI_RPC_DIAL_INTERNAL_H_

#include "rpc/channel.h"
#include "rpc/loop_internal.h"

typedef struct sli_rpc_dial sli_rpc_dial_t;
// The callee owns |fd|; or that is -1 and the callee owns |status|: "Connection refused", "DNS resolution failed: …".
typedef void (*sli_rpc_dial_fn_t)(void *context, int fd, sli_status_t *status);

// Calls |done| once on the polling thread, never inside this call. The caller must call sli_rpc_dial_end, after |done|
// or before it; in the latter case |done| is not called.
sli_rpc_dial_t *sli_rpc_dial_start(sli_rpc_loop_t *loop, const char *host, int port, bool tcp_only, int64_t deadline,
                                   sli_rpc_dial_fn_t done, void *context);
// The kind of the failure that |done| received.
sli_rpc_failure_t sli_rpc_dial_failure(const sli_rpc_dial_t *dial);
void sli_rpc_dial_end(sli_rpc_dial_t *dial);  // NULL is allowed

#endif  // SLI_RPC_DIAL_INTERNAL_H_
