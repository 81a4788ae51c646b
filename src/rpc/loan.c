#include "rpc/loan_internal.h"

// A smaller message is as fast through the socket. Copying a larger one would block the thread for too long.
#define SMALLEST_LOAN ((size_t)32 << 10)
#define LARGEST_COPY ((size_t)64 << 20)

// Lends a message whose last slice, nearly all of it, is in the arena already.
static bool lend_in_place(sli_lend_borrower_t *borrower, sli_slices_t *slices, sli_lend_note_t *out_note) {
  const sli_slices_slice_t *last = &slices->items[slices->count - 1];
  size_t head_size = slices->size - last->size, at = 0;
  char head[SLI_LEND_HEADROOM];
  if (head_size > sizeof(head) || !sli_lend_owns(last->data)) return false;
  for (size_t i = 0; i + 1 < slices->count; at += slices->items[i++].size)
    memcpy(head + at, slices->items[i].data, slices->items[i].size);
  return sli_lend_to(borrower, last->data, last->size, head, head_size, out_note);
}

// Lends a copy. The head is placed before the block, so that a tensor's content is aligned as the block is.
static bool lend_copy(sli_lend_borrower_t *borrower, sli_slices_t *slices, sli_lend_note_t *out_note) {
  if (slices->size > LARGEST_COPY) return false;
  const sli_slices_slice_t *first = &slices->items[0];
  bool has_head = slices->count > 1 && first->size <= SLI_LEND_HEADROOM;
  size_t head_size = has_head ? first->size : 0, size = slices->size - head_size, at = 0;
  char *block = sli_lend_allocate(size);
  if (!block) return false;
  for (size_t i = has_head; i < slices->count; at += slices->items[i++].size)
    memcpy(block + at, slices->items[i].data, slices->items[i].size);
  if (sli_lend_to(borrower, block, size, first->data, head_size, out_note) && sli_lend_defer_release(block, 0))
    return true;
  sli_lend_release(block);
  return false;
}

bool sli_rpc_lend(sli_lend_borrower_t *borrower, sli_slices_t *slices, sli_lend_note_t *out_note) {
  if (slices->size < SMALLEST_LOAN) return false;
  if (!lend_in_place(borrower, slices, out_note) && !lend_copy(borrower, slices, out_note)) return false;
  sli_slices_deinitialize(slices);
  sli_lend_note_complete(out_note);
  return true;
}

static void give_back(void *context) { sli_lend_loan_end(context); }

char *sli_rpc_message_writable(const sli_rpc_message_t *message) {
  return message->release == give_back ? sli_lend_loan_writable(message->context, message->data) : NULL;
}

sli_status_t *sli_rpc_borrow(sli_lend_mapping_t *memory, const sli_lend_note_t *note, size_t max_size,
                             sli_rpc_message_t *out_message) {
  *out_message = (sli_rpc_message_t){0};
  if (note->size > max_size)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "Received message larger than max (%llu vs. %zu)",
                           (unsigned long long)note->size, max_size);
  char *data;
  sli_lend_loan_t *loan = sli_lend_loan_begin(memory, note, &data);
  if (!loan)
    return sli_status_make(SLI_UNAVAILABLE, "a message of %llu bytes in shared memory is gone",
                           (unsigned long long)note->size);
  *out_message =
      (sli_rpc_message_t){data, note->size, give_back, loan, note->is_given ? SLI_LEND_GIVEN : SLI_LEND_LENT};
  return NULL;
}
