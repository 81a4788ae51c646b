// A thread's list of connections with something to send. It belongs to the
// thread, not to the loop, so that it needs no lock: two threads that both hold
// something back for one connection both come to send it.
#include "rpc/turn_internal.h"

#include <string.h>

#include "base/clock.h"

// More connections than this are not held back: each needs a write of its own anyway.
#define MAX_CONNECTIONS 64
// How long the output of one callback may wait for the other callbacks of its turn.
#define BREATH_NANOS INT64_C(30000)

static _Thread_local struct {
  int depth;
  int count;
  int64_t since;                                       // when the first of them was added
  sli_rpc_connection_t *connections[MAX_CONNECTIONS];  // a reference each
} turn;

bool sli_rpc_turn_add(sli_rpc_connection_t *connection) {
  if (turn.depth == 0) return false;
  for (int i = turn.count; i-- > 0;)
    if (turn.connections[i] == connection) return true;
  if (turn.count == MAX_CONNECTIONS) return false;
  if (turn.count == 0) turn.since = sli_now_nanos();
  turn.connections[turn.count++] = sli_rpc_connection_retain(connection);
  return true;
}

static void send_from(sli_rpc_connection_t *connection) {
  sli_rpc_guard_lock(connection->guard);
  sli_rpc_connection_flush(connection);
  if (sli_rpc_loop_is_polling(connection->loop)) sli_rpc_connection_settle(connection);
  sli_rpc_guard_unlock(connection->guard);
  sli_rpc_connection_release(connection);
}

void sli_rpc_turn_flush(void) {
  while (turn.count > 0) {
    sli_rpc_connection_t *connections[MAX_CONNECTIONS];
    int count = turn.count;
    memcpy(connections, turn.connections, (size_t)count * sizeof(connections[0]));
    turn.count = 0;
    for (int i = 0; i < count; i++) send_from(connections[i]);
  }
}

void sli_rpc_turn_breathe(void) {
  if (turn.count > 0 && sli_now_nanos() - turn.since > BREATH_NANOS) sli_rpc_turn_flush();
}

void sli_rpc_turn_begin(void) { turn.depth++; }

void sli_rpc_turn_end(void) {
  if (turn.depth == 1) sli_rpc_turn_flush();
  turn.depth--;
}
