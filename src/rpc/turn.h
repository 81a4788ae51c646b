// A turn: what a thread sends while it has one open leaves at the end, in one
// write per connection. A thread that polls a loop is always in one, from event
// to event; another opens one where it is about to send several things.
#ifndef SLI_RPC_TURN_H_
#define SLI_RPC_TURN_H_

// Of the calling thread; they nest, and the outermost end sends. Callbacks may run between the two.
void sli_rpc_turn_begin(void);
void sli_rpc_turn_end(void);
// Sends now what the thread's turn holds back, and goes on with the turn: before computing for long. Without a turn
// nothing is held back. Never blocks; no lock of rpc may be held.
void sli_rpc_turn_flush(void);

#endif  // SLI_RPC_TURN_H_
