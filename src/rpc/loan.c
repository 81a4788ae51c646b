#include "rpc/loan_internal.h"

// Smaller messages are through the socket as fast; larger ones, where they must be copied, would keep the thread that
// does it from everything else.
#define SMALLEST_LOAN ((size_t)32 << 10)
#define LARGEST_COPY ((size_t)64 << 20)

// Lends a message whose end, nearly all of it, lies in the arena already.
static bool lend_in_place(sli_lender_t *lender, sli_slices_t *slices, sli_lend_note_t *out_note) {
  const sli_slice_t *last = &slices->items[slices->count - 1];
  size_t head_size = slices->size - last->size, at = 0;
  char head[SLI_LEND_HEADROOM];
  if (head_size > sizeof(head) || !sli_lend_owns(last->data)) return false;
  for (size_t i = 0; i + 1 < slices->count; at += slices->items[i++].size)
    memcpy(head + at, slices->items[i].data, slices->items[i].size);
  return sli_lender_lend(lender, last->data, last->size, head, head_size, out_note);
}

// Lends a copy. Its head stands before the block, so that a tensor's content is as aligned as a block.
static bool lend_copy(sli_lender_t *lender, sli_slices_t *slices, sli_lend_note_t *out_note) {
  if (slices->size > LARGEST_COPY) return false;
  const sli_slice_t *first = &slices->items[0];
  bool has_head = slices->count > 1 && first->size <= SLI_LEND_HEADROOM;
  size_t head_size = has_head ? first->size : 0, size = slices->size - head_size, at = 0;
  char *block = sli_lend_allocate(size);
  if (!block) return false;
  for (size_t i = has_head; i < slices->count; at += slices->items[i++].size)
    memcpy(block + at, slices->items[i].data, slices->items[i].size);
  if (sli_lender_lend(lender, block, size, first->data, head_size, out_note) && sli_lend_defer(block, 0)) return true;
  sli_lend_release(block);
  return false;
}

bool sli_rpc_lend(sli_lender_t *lender, sli_slices_t *slices, sli_lend_note_t *out_note) {
  if (slices->size < SMALLEST_LOAN) return false;
  if (!lend_in_place(lender, slices, out_note) && !lend_copy(lender, slices, out_note)) return false;
  sli_slices_deinitialize(slices);
  sli_lender_complete(out_note);
  return true;
}

static void give_back(void *context) { sli_borrow_end(context); }

sli_status_t *sli_rpc_borrow(sli_borrowed_t *lent, const sli_lend_note_t *note, size_t max_size,
                             sli_rpc_message_t *out_message) {
  *out_message = (sli_rpc_message_t){0};
  if (note->size > max_size)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "Received message larger than max (%llu vs. %zu)",
                           (unsigned long long)note->size, max_size);
  char *data;
  sli_debt_t *debt = sli_borrow(lent, note, &data);
  if (!debt)
    return sli_status_make(SLI_UNAVAILABLE, "a message of %llu bytes in shared memory is not there",
                           (unsigned long long)note->size);
  *out_message = (sli_rpc_message_t){data, note->size, give_back, debt, note->is_given ? SLI_GIVEN : SLI_LENT};
  return NULL;
}
