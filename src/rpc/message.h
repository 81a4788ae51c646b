// Messages, and how much of them went to and fro.
//
// A received gRPC message: contiguous bytes with an owner. Where they land is
// decided once, when the first bytes are there, so that a tensor's content can
// be read from the socket straight into the tensor's own memory.
#ifndef SLI_RPC_MESSAGE_H_
#define SLI_RPC_MESSAGE_H_

#include <stddef.h>
#include <stdint.h>

#include "base/lend.h"
#include "base/status.h"

// Calls and bytes on the wire, framing included.
typedef struct {
  uint64_t calls, bytes_sent, bytes_received;
} sli_rpc_traffic_t;

// Owned by whoever holds it, moved by plain assignment. Zero-initialised is
// empty. Thread-compatible.
typedef struct {
  char *data;
  size_t size;
  void (*release)(void *context);  // NULL: nothing to do
  void *context;
  sli_ownership_t ownership;
} sli_rpc_message_t;

// A message of |size| uninitialised bytes, 64-byte aligned. Large ones come from
// a bounded cache of warm memory. RESOURCE_EXHAUSTED when memory is out. Thread-safe.
sli_status_t *sli_rpc_message_allocate(size_t size, sli_rpc_message_t *out_message);
// Gives the bytes back and leaves an empty message.
void sli_rpc_message_release(sli_rpc_message_t *message);

// Chooses where a message goes. Called at most once per message (never for an
// empty one, or one in shared memory) on the polling thread, without locks, when its first
// |head_size| = min(SLI_RPC_HEAD_SIZE, message_size) bytes are there. To place
// it, fills |out_message| with memory for message_size bytes and what releases
// it, and returns out_message->data; returns NULL for the default place. Must
// not block. If the call fails later, the message is released.
#define SLI_RPC_HEAD_SIZE 256
typedef char *(*sli_rpc_place_fn_t)(void *context, const char *head, size_t head_size, size_t message_size,
                                    sli_rpc_message_t *out_message);

#endif  // SLI_RPC_MESSAGE_H_
