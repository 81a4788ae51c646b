#include "rpc/inbox_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "rpc/loan_internal.h"

// Of a message whose memory grows.
#define FIRST_CAPACITY 512

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static sli_status_t *read_prefix(sli_rpc_inbox_t *inbox) {
  inbox->is_note = inbox->reads_notes && inbox->prefix[0] == SLI_RPC_NOTE_FLAG;
  if (inbox->prefix[0] != 0 && !inbox->is_note)
    return sli_status_make(SLI_UNIMPLEMENTED, "a message is compressed, which was not offered");
  for (int i = 1; i < SLI_RPC_PREFIX_SIZE; i++) inbox->size = inbox->size << 8 | inbox->prefix[i];
  if (inbox->is_note && inbox->size != sizeof(sli_lend_note_t))
    return sli_status_make(SLI_INTERNAL, "a note instead of a message has %zu bytes, it must have %zu", inbox->size,
                           sizeof(sli_lend_note_t));
  inbox->state = SLI_RPC_INBOX_SIZED;
  return NULL;
}

// Makes room for |needed| bytes, at least twice as many as before.
static sli_status_t *grow(sli_rpc_inbox_t *inbox, size_t needed) {
  size_t capacity = smaller(needed > 2 * inbox->capacity ? needed : 2 * inbox->capacity, inbox->size);
  sli_rpc_message_t message;
  SLI_RETURN_IF_ERROR(sli_rpc_message_allocate(capacity, &message));
  if (inbox->received) memcpy(message.data, inbox->message.data, inbox->received);
  sli_rpc_message_release(&inbox->message);
  inbox->message = message;
  inbox->capacity = capacity;
  return NULL;
}

sli_status_t *sli_rpc_inbox_feed(sli_rpc_inbox_t *inbox, const char *data, size_t size, size_t *out_used) {
  *out_used = 0;
  switch (inbox->state) {
    case SLI_RPC_INBOX_PREFIX: {
      *out_used = smaller(size, (size_t)(SLI_RPC_PREFIX_SIZE - inbox->prefix_size));
      memcpy(inbox->prefix + inbox->prefix_size, data, *out_used);
      inbox->prefix_size = (uint8_t)(inbox->prefix_size + *out_used);
      return inbox->prefix_size == SLI_RPC_PREFIX_SIZE ? read_prefix(inbox) : NULL;
    }
    case SLI_RPC_INBOX_SIZED: return NULL;
    case SLI_RPC_INBOX_BODY: {
      *out_used = smaller(size, inbox->size - inbox->received);
      if (*out_used > inbox->capacity - inbox->received) SLI_RETURN_IF_ERROR(grow(inbox, inbox->received + *out_used));
      // Bytes that were read directly into the message need no copy.
      char *next = sli_rpc_inbox_next(inbox);
      if (data != next) memcpy(next, data, *out_used);
      inbox->received += *out_used;
      if (inbox->received == inbox->size) inbox->state = SLI_RPC_INBOX_COMPLETE;
      return NULL;
    }
    case SLI_RPC_INBOX_COMPLETE: break;
  }
  if (size == 0) return NULL;
  return sli_status_make(SLI_INTERNAL, "a unary call carries more than one message");
}

const char *sli_rpc_inbox_head(sli_rpc_inbox_t *inbox, const char *data, size_t size, size_t *out_head_size) {
  size_t wanted = smaller(SLI_RPC_HEAD_SIZE, inbox->size);
  *out_head_size = wanted;
  if (inbox->head_size == 0 && size >= wanted) return data;
  if (!inbox->head) inbox->head = sli_malloc(SLI_RPC_HEAD_SIZE);
  size_t part = smaller(size, wanted - inbox->head_size);
  memcpy(inbox->head + inbox->head_size, data, part);
  if (inbox->head_size + part == wanted) return inbox->head;  // the caller feeds these bytes once more after _place
  inbox->head_size += part;
  return NULL;
}

void sli_rpc_inbox_place(sli_rpc_inbox_t *inbox, sli_rpc_message_t *message) {
  inbox->message = *message;
  *message = (sli_rpc_message_t){0};
  if (inbox->head_size) memcpy(inbox->message.data, inbox->head, inbox->head_size);
  inbox->received = inbox->head_size;
  inbox->capacity = inbox->size;
  free(inbox->head);
  inbox->head = NULL;
  inbox->head_size = 0;
  inbox->state = inbox->size ? SLI_RPC_INBOX_BODY : SLI_RPC_INBOX_COMPLETE;
}

sli_status_t *sli_rpc_inbox_place_growing(sli_rpc_inbox_t *inbox) {
  SLI_CHECK(inbox->head_size == 0 && inbox->size > 0);
  SLI_RETURN_IF_ERROR(grow(inbox, smaller(FIRST_CAPACITY, inbox->size)));
  inbox->state = SLI_RPC_INBOX_BODY;
  return NULL;
}

sli_rpc_message_t sli_rpc_inbox_take(sli_rpc_inbox_t *inbox) {
  sli_rpc_message_t message = inbox->message;
  inbox->message = (sli_rpc_message_t){0};
  return message;
}

void sli_rpc_inbox_deinitialize(sli_rpc_inbox_t *inbox) {
  sli_rpc_message_release(&inbox->message);
  free(inbox->head);
  inbox->head = NULL;
}
