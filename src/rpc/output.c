#include "rpc/output_internal.h"

#include <string.h>

// Copying this much costs less than another entry of the kernel's vector.
#define COPY_LIMIT 2048
// How much memory an idle connection may keep.
#define KEPT_BYTES 4096
#define KEPT_PIECES 64

sli_rpc_outgoing_t *sli_rpc_outgoing_create(sli_slices_t *slices) {
  sli_rpc_outgoing_t *outgoing = sli_calloc(1, sizeof(*outgoing));
  outgoing->references = 1;
  if (slices) {
    outgoing->slices = *slices;
    *slices = (sli_slices_t){0};
  }
  size_t size = outgoing->slices.size;
  SLI_CHECK(size <= SLI_RPC_MAX_MESSAGE_SIZE);
  for (int i = 0; i < 4; i++) outgoing->prefix[1 + i] = (char)(size >> (24 - 8 * i) & 0xff);
  sli_rpc_outgoing_rewind(outgoing);
  return outgoing;
}

sli_rpc_outgoing_t *sli_rpc_outgoing_create_note(const sli_lend_note_t *note) {
  sli_string_t bytes = {0};
  sli_string_append(&bytes, note, sizeof(*note));
  sli_slices_t slices = {0};
  sli_slices_append_string(&slices, &bytes);
  sli_rpc_outgoing_t *outgoing = sli_rpc_outgoing_create(&slices);
  outgoing->prefix[0] = SLI_RPC_NOTE_FLAG;
  return outgoing;
}

void sli_rpc_outgoing_rewind(sli_rpc_outgoing_t *outgoing) {
  outgoing->left = SLI_RPC_PREFIX_SIZE + outgoing->slices.size;
  outgoing->slice = outgoing->offset = 0;
}

void sli_rpc_outgoing_count(sli_rpc_outgoing_t *outgoing, size_t *unread) {
  outgoing->unread = unread;
  *unread += outgoing->slices.size;
}

void sli_rpc_outgoing_release(sli_rpc_outgoing_t *outgoing, sli_rpc_outgoing_t **dead) {
  if (!outgoing || --outgoing->references > 0) return;
  if (outgoing->unread) *outgoing->unread -= outgoing->slices.size;
  outgoing->next = *dead;
  *dead = outgoing;
}

void sli_rpc_outgoing_free(sli_rpc_outgoing_t *dead) {
  while (dead) {
    sli_rpc_outgoing_t *next = dead->next;
    sli_slices_deinitialize(&dead->slices);
    free(dead);
    dead = next;
  }
}

void sli_rpc_output_append(sli_rpc_output_t *output, const void *data, size_t size) {
  if (size == 0) return;
  size_t offset = output->bytes.size;
  sli_string_append(&output->bytes, data, size);
  output->size += size;
  sli_rpc_piece_t *last = output->pieces.count > output->first ? &output->pieces.items[output->pieces.count - 1] : NULL;
  if (last && !last->data)
    last->size += size;  // extends the last piece of the buffer
  else
    sli_array_push(&output->pieces, (sli_rpc_piece_t){.offset = offset, .size = size});
}

static void append_slice(sli_rpc_output_t *output, sli_rpc_outgoing_t *outgoing, const char *data, size_t size) {
  if (size <= COPY_LIMIT) {
    sli_rpc_output_append(output, data, size);
    return;
  }
  outgoing->references++;
  sli_array_push(&output->pieces, (sli_rpc_piece_t){.data = data, .size = size, .outgoing = outgoing});
  output->size += size;
}

void sli_rpc_output_append_message(sli_rpc_output_t *output, sli_rpc_outgoing_t *outgoing, size_t size) {
  SLI_CHECK(size <= outgoing->left);
  if (outgoing->left > outgoing->slices.size) {
    size_t left = outgoing->left - outgoing->slices.size;
    size_t part = left < size ? left : size;
    sli_rpc_output_append(output, outgoing->prefix + SLI_RPC_PREFIX_SIZE - left, part);
    outgoing->left -= part;
    size -= part;
  }
  while (size > 0) {
    const sli_slices_slice_t *slice = &outgoing->slices.items[outgoing->slice];
    size_t left = slice->size - outgoing->offset;
    size_t part = left < size ? left : size;
    append_slice(output, outgoing, slice->data + outgoing->offset, part);
    outgoing->offset += part;
    outgoing->left -= part;
    size -= part;
    if (outgoing->offset == slice->size) {
      outgoing->slice++;
      outgoing->offset = 0;
    }
  }
}

int sli_rpc_output_parts(const sli_rpc_output_t *output, struct iovec *parts, int capacity) {
  int count = 0;
  for (size_t i = output->first; i < output->pieces.count && count < capacity; i++) {
    const sli_rpc_piece_t *piece = &output->pieces.items[i];
    const char *data = piece->data ? piece->data : output->bytes.data + piece->offset;
    parts[count++] = (struct iovec){(void *)data, piece->size};
  }
  return count;
}

// Everything was sent: starts again with at most the memory that an idle connection may keep.
static void output_reset(sli_rpc_output_t *output) {
  output->first = output->pieces.count = 0;
  if (output->pieces.capacity > KEPT_PIECES) sli_array_deinitialize(&output->pieces);
  if (output->bytes.capacity > KEPT_BYTES)
    sli_string_deinitialize(&output->bytes);
  else
    sli_string_clear(&output->bytes);
}

void sli_rpc_output_advance(sli_rpc_output_t *output, size_t size, sli_rpc_outgoing_t **dead) {
  SLI_CHECK(size <= output->size);
  output->size -= size;
  while (size > 0) {
    sli_rpc_piece_t *piece = &output->pieces.items[output->first];
    size_t part = piece->size < size ? piece->size : size;
    if (piece->data) piece->data += part;
    piece->offset += part;
    piece->size -= part;
    size -= part;
    if (piece->size > 0) break;
    sli_rpc_outgoing_release(piece->outgoing, dead);
    output->first++;
  }
  if (output->size == 0) output_reset(output);
}

void sli_rpc_output_deinitialize(sli_rpc_output_t *output, sli_rpc_outgoing_t **dead) {
  for (size_t i = output->first; i < output->pieces.count; i++)
    sli_rpc_outgoing_release(output->pieces.items[i].outgoing, dead);
  sli_array_deinitialize(&output->pieces);
  sli_string_deinitialize(&output->bytes);
  output->first = output->size = 0;
}
