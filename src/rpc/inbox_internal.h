// Assembles one gRPC message from the DATA frames of a stream, in memory that is
// chosen when the message's size and first bytes are known. Thread-compatible.
#ifndef SLI_RPC_INBOX_INTERNAL_H_
#define SLI_RPC_INBOX_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rpc/grpc_internal.h"
#include "rpc/message.h"

typedef enum {
  SLI_RPC_INBOX_PREFIX,    // waits for the five bytes before the message
  SLI_RPC_INBOX_SIZED,     // knows the size; waits for a call of _place
  SLI_RPC_INBOX_BODY,      // waits for the rest of the message
  SLI_RPC_INBOX_COMPLETE,  // has received all of it
} sli_rpc_inbox_state_t;

// A zero-initialised inbox waits for a message.
typedef struct {
  sli_rpc_inbox_state_t state;
  bool reads_notes;  // set by the owner: a note may be sent instead of a message
  bool is_note;      // this is a note
  uint8_t prefix_size;
  unsigned char prefix[SLI_RPC_PREFIX_SIZE];
  sli_rpc_message_t message;  // from _place on
  size_t size;                // of the message
  size_t received;
  size_t capacity;  // bytes of memory; less than |size| while the memory grows
  char *head;       // first bytes that came in several pieces, before _place
  size_t head_size;
} sli_rpc_inbox_t;

// Consumes bytes up to the next change of state, or all; sets |*out_used| to how many. INTERNAL for bytes after the
// message, UNIMPLEMENTED for a compressed message.
sli_status_t *sli_rpc_inbox_feed(sli_rpc_inbox_t *inbox, const char *data, size_t size, size_t *out_used);
// In state SIZED: returns the first min(SLI_RPC_HEAD_SIZE, size) bytes of the message if they are complete with the
// |size| bytes at |data| that arrived next. Otherwise stores these bytes and returns NULL.
const char *sli_rpc_inbox_head(sli_rpc_inbox_t *inbox, const char *data, size_t size, size_t *out_head_size);
// In state SIZED: sets the memory of the message; the inbox then owns it.
void sli_rpc_inbox_place(sli_rpc_inbox_t *inbox, sli_rpc_message_t *message);
// In state SIZED, without a stored head: begins with little memory, which grows with the bytes received.
// RESOURCE_EXHAUSTED if there is none; then _feed may return that, too.
sli_status_t *sli_rpc_inbox_place_growing(sli_rpc_inbox_t *inbox);
// In state BODY: where the next byte goes.
static inline char *sli_rpc_inbox_next(const sli_rpc_inbox_t *inbox) { return inbox->message.data + inbox->received; }
// Moves the complete message to the caller.
sli_rpc_message_t sli_rpc_inbox_take(sli_rpc_inbox_t *inbox);
void sli_rpc_inbox_deinitialize(sli_rpc_inbox_t *inbox);

#endif  // SLI_RPC_INBOX_INTERNAL_H_
