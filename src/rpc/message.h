// Received messages, and counters of traffic.
//
// A received gRPC message is contiguous memory with an owner. The memory is chosen
// when the first bytes have arrived, so that a tensor's content can be read from
// the socket directly into the tensor's buffer.
#ifndef SLI_RPC_MESSAGE_H_
#define SLI_RPC_MESSAGE_H_

#include <stddef.h>
#include <stdint.h>

#include "base/lend.h"
#include "base/status.h"

// Calls and bytes on the wire, with framing; and the calls that are not answered yet.
typedef struct {
  uint64_t calls, bytes_sent, bytes_received, waiting;
} sli_rpc_traffic_t;

// Has one owner; moved by plain assignment. A zero-initialised message is empty.
// Thread-compatible.
typedef struct {
  char *data;
  size_t size;
  void (*release)(void *context);  // NULL: nothing to do
  void *context;
  sli_lend_ownership_t ownership;
} sli_rpc_message_t;

// Allocates a message of |size| uninitialised bytes, 64-byte aligned. Large ones come
// from a bounded cache. RESOURCE_EXHAUSTED if there is no memory. Thread-safe.
sli_status_t *sli_rpc_message_allocate(size_t size, sli_rpc_message_t *out_message);
// Releases the bytes and leaves an empty message.
void sli_rpc_message_release(sli_rpc_message_t *message);
// The bytes of a message in the sender's shared memory, writable: for memory that the sender lends to be filled, and
// does not read before the message is released. NULL if the message is in no such memory.
char *sli_rpc_message_writable(const sli_rpc_message_t *message);
// Gives the memory that is kept for later messages back to the system. Thread-safe.
void sli_rpc_message_trim(void);

// Chooses the memory of a message. Called at most once per message (never for an
// empty one, or one in shared memory) on the polling thread, without locks, when its
// first |head_size| = min(SLI_RPC_HEAD_SIZE, message_size) bytes have arrived. Either
// sets |out_message| to memory for message_size bytes, with its release function, and
// returns out_message->data; or returns NULL for memory of rpc's choice. Must not
// block. If the call fails later the message is released.
#define SLI_RPC_HEAD_SIZE 256
typedef char *(*sli_rpc_place_fn_t)(void *context, const char *head, size_t head_size, size_t message_size,
                                    sli_rpc_message_t *out_message);

#endif  // SLI_RPC_MESSAGE_H_
