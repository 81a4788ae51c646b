// Bytes on their way to a socket: small ones copied together, large payload by
// reference, all of it handed to the kernel in one call. Thread-compatible.
#ifndef SLI_RPC_OUTPUT_INTERNAL_H_
#define SLI_RPC_OUTPUT_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "base/array.h"
#include "base/slices.h"
#include "rpc/loan_internal.h"
#include "rpc/wire_internal.h"

// A gRPC message being sent. Counted: the call or request that sends it holds one reference, every piece of it in an
// output another, so it may outlive the call. References change hands under the connection's guard only.
typedef struct sli_rpc_outgoing {
  int references;
  struct sli_rpc_outgoing *next;  // among the dead
  char prefix[SLI_RPC_PREFIX_SIZE];
  sli_slices_t slices;
  size_t left;  // bytes not yet taken, the prefix included
  size_t slice, offset;
} sli_rpc_outgoing_t;

// Takes over |slices| (NULL: an empty message), which must not exceed SLI_RPC_MAX_MESSAGE_SIZE.
sli_rpc_outgoing_t *sli_rpc_outgoing_create(sli_slices_t *slices);
// A note in place of a message, see loan_internal.h.
sli_rpc_outgoing_t *sli_rpc_outgoing_create_note(const sli_lend_note_t *note);
// Starts over, for another attempt.
void sli_rpc_outgoing_rewind(sli_rpc_outgoing_t *outgoing);
// Drops a reference; the last one puts it on the list |dead|, for sli_rpc_outgoing_free outside of locks.
void sli_rpc_outgoing_release(sli_rpc_outgoing_t *outgoing, sli_rpc_outgoing_t **dead);
// Frees a whole list of dead ones.
void sli_rpc_outgoing_free(sli_rpc_outgoing_t *dead);

typedef struct {
  const char *data;              // NULL: in the output's own buffer
  size_t offset;                 // there
  size_t size;                   // bytes left
  sli_rpc_outgoing_t *outgoing;  // owner of |data|
} sli_rpc_piece_t;

// Zero-initialised is empty.
typedef struct {
  sli_string_t bytes;
  SLI_ARRAY(sli_rpc_piece_t) pieces;
  size_t first;  // piece to send next
  size_t size;   // bytes left to send
} sli_rpc_output_t;

void sli_rpc_output_append(sli_rpc_output_t *output, const void *data, size_t size);
// Appends the next |size| bytes of |outgoing|, of which so many must be left.
void sli_rpc_output_append_message(sli_rpc_output_t *output, sli_rpc_outgoing_t *outgoing, size_t size);
// Fills |parts| with what to send next; returns how many.
int sli_rpc_output_parts(const sli_rpc_output_t *output, struct iovec *parts, int capacity);
// Drops |size| sent bytes.
void sli_rpc_output_advance(sli_rpc_output_t *output, size_t size, sli_rpc_outgoing_t **dead);
void sli_rpc_output_deinitialize(sli_rpc_output_t *output, sli_rpc_outgoing_t **dead);

#endif  // SLI_RPC_OUTPUT_INTERNAL_H_
