// What connections and the loop need of a turn.
#ifndef SLI_RPC_TURN_INTERNAL_H_
#define SLI_RPC_TURN_INTERNAL_H_

#include <stdbool.h>

#include "rpc/connection_internal.h"
#include "rpc/turn.h"

// Lets the thread's turn send what |connection| has to send. False if there is none: the caller does it. Guard held.
bool sli_rpc_turn_add(sli_rpc_connection_t *connection);
// Between two callbacks of one turn: sends if something has waited for long.
void sli_rpc_turn_breathe(void);

#endif  // SLI_RPC_TURN_INTERNAL_H_
