// Each thread has its own list of connections with output to send. The list belongs to the thread and not to the loop,
// so that it needs no lock. Two threads may hold back output of the same connection; then both flush it.
#include "rpc/cork_internal.h"

#include <string.h>

// Output of more connections than this is not held back: each needs its own write anyway.
#define MAX_CONNECTIONS 64
// How long the output of one callback may wait for the callbacks that run after it.
#define MAX_DELAY_NANOS INT64_C(30000)

static _Thread_local struct {
  int depth;
  int count;
  int64_t since;                                       // when the first of them was added
  sli_rpc_connection_t *connections[MAX_CONNECTIONS];  // a reference each
} cork;

bool sli_rpc_cork_add(sli_rpc_connection_t *connection) {
  if (cork.depth == 0) return false;
  for (int i = cork.count; i-- > 0;)
    if (cork.connections[i] == connection) return true;
  if (cork.count == MAX_CONNECTIONS) return false;
  if (cork.count == 0) cork.since = sli_rpc_loop_now(connection->loop);
  cork.connections[cork.count++] = sli_rpc_connection_retain(connection);
  return true;
}

static void flush_and_release(sli_rpc_connection_t *connection) {
  sli_rpc_guard_lock(connection->guard);
  sli_rpc_connection_flush(connection);
  if (sli_rpc_loop_is_polling(connection->loop)) sli_rpc_connection_close_if_done(connection);
  sli_rpc_guard_unlock(connection->guard);
  sli_rpc_connection_release(connection);
}

void sli_rpc_cork_flush(void) {
  while (cork.count > 0) {
    sli_rpc_connection_t *connections[MAX_CONNECTIONS];
    int count = cork.count;
    memcpy(connections, cork.connections, (size_t)count * sizeof(connections[0]));
    cork.count = 0;
    for (int i = 0; i < count; i++) flush_and_release(connections[i]);
  }
}

void sli_rpc_cork_flush_if_old(void) {
  if (cork.count == 0) return;
  if (sli_rpc_loop_now(cork.connections[0]->loop) - cork.since > MAX_DELAY_NANOS) sli_rpc_cork_flush();
}

void sli_rpc_cork_begin(void) { cork.depth++; }

void sli_rpc_cork_end(void) {
  if (cork.depth == 1) sli_rpc_cork_flush();
  cork.depth--;
}
