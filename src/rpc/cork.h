// A cork holds back what its thread sends. When the thread removes it, the output of each connection leaves in one
// write. A thread that polls a loop is always corked, from one event to the next; other threads cork before they send
// several messages.
#ifndef SLI_RPC_CORK_H_
#define SLI_RPC_CORK_H_

// Both act on the calling thread. They nest; the outermost end sends. Callbacks may run between the two.
void sli_rpc_cork_begin(void);
void sli_rpc_cork_end(void);
// Sends what the calling thread holds back and leaves it corked. Call it before a long computation. Does nothing on a
// thread that is not corked. Never blocks. The caller must hold no lock of rpc.
void sli_rpc_cork_flush(void);

#endif  // SLI_RPC_CORK_H_
