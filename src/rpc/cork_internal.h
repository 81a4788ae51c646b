// The parts of a cork that connections and the loop use.
#ifndef SLI_RPC_CORK_INTERNAL_H_
#define SLI_RPC_CORK_INTERNAL_H_

#include <stdbool.h>

#include "rpc/connection_internal.h"
#include "rpc/cork.h"

// Holds back the output of |connection| until the calling thread flushes. Returns false if the thread is not corked or
// holds back too many connections already; then the caller sends. The caller must hold the connection's guard.
bool sli_rpc_cork_add(sli_rpc_connection_t *connection);
// Called between two callbacks: flushes if the oldest output has waited for more than 30 microseconds.
void sli_rpc_cork_flush_if_old(void);

#endif  // SLI_RPC_CORK_INTERNAL_H_
