// Puts one gRPC message together from the DATA frames of a stream, in memory
// that is chosen once its size and first bytes are known. Thread-compatible.
#ifndef SLI_RPC_INBOX_INTERNAL_H_
#define SLI_RPC_INBOX_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rpc/message.h"
#include "rpc/wire_internal.h"

typedef enum {
  SLI_RPC_INBOX_PREFIX,    // awaits the five bytes before the message
  SLI_RPC_INBOX_SIZED,     // knows the size; somebody must call _place
  SLI_RPC_INBOX_BODY,      // awaits the message
  SLI_RPC_INBOX_COMPLETE,  // has it
} sli_rpc_inbox_state_t;

// Zero-initialised awaits a message.
typedef struct {
  sli_rpc_inbox_state_t state;
  bool reads_notes;  // set beforehand: a note may stand for the message
  bool is_note;      // one does
  uint8_t prefix_size;
  unsigned char prefix[SLI_RPC_PREFIX_SIZE];
  sli_rpc_message_t message;  // from _place on
  size_t size;                // of the message
  size_t received;
  char *head;  // first bytes that came in several pieces, before _place
  size_t head_size;
} sli_rpc_inbox_t;

// Takes bytes up to the next change of state, or all; returns how many. INTERNAL for bytes behind the message,
// UNIMPLEMENTED for a compressed one.
sli_status_t *sli_rpc_inbox_feed(sli_rpc_inbox_t *inbox, const char *data, size_t size, size_t *out_used);
// In state SIZED: the first min(SLI_RPC_HEAD_SIZE, size) bytes, if they are there with the |size| bytes at |data|
// that come next; else NULL after keeping all of them.
const char *sli_rpc_inbox_head(sli_rpc_inbox_t *inbox, const char *data, size_t size, size_t *out_head_size);
// In state SIZED: sets where the message goes, and takes it over.
void sli_rpc_inbox_place(sli_rpc_inbox_t *inbox, sli_rpc_message_t *message);
// In state BODY: where the next byte goes.
static inline char *sli_rpc_inbox_next(const sli_rpc_inbox_t *inbox) { return inbox->message.data + inbox->received; }
// Takes the complete message out.
sli_rpc_message_t sli_rpc_inbox_take(sli_rpc_inbox_t *inbox);
void sli_rpc_inbox_deinitialize(sli_rpc_inbox_t *inbox);

#endif  // SLI_RPC_INBOX_INTERNAL_H_
