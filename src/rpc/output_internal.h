// Bytes to be written to a socket: small pieces are copied into one buffer, large
// ones are kept by reference; all of them are written by one system call.
// Thread-compatible.
#ifndef SLI_RPC_OUTPUT_INTERNAL_H_
#define SLI_RPC_OUTPUT_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "base/array.h"
#include "base/slices.h"
#include "rpc/grpc_internal.h"
#include "rpc/loan_internal.h"

// A gRPC message that is being sent. Reference counted: the call or request that sends it has one reference, every
// piece of it in an output has another, so it may outlive the call. The count is changed under the connection's guard
// only.
typedef struct sli_rpc_outgoing {
  int references;
  struct sli_rpc_outgoing *next;  // in a list of dead ones
  char prefix[SLI_RPC_PREFIX_SIZE];
  sli_slices_t slices;
  size_t left;  // bytes not yet appended to an output, with the prefix
  size_t slice, offset;
  size_t *unread;  // counts the bytes of messages until they are released; may be NULL
} sli_rpc_outgoing_t;

// Moves |slices| (NULL: an empty message) into a new message. At most SLI_RPC_MAX_MESSAGE_SIZE bytes.
sli_rpc_outgoing_t *sli_rpc_outgoing_create(sli_slices_t *slices);
// A note instead of a message, see loan_internal.h.
sli_rpc_outgoing_t *sli_rpc_outgoing_create_note(const sli_lend_note_t *note);
// Starts again from the first byte, for another attempt.
void sli_rpc_outgoing_rewind(sli_rpc_outgoing_t *outgoing);
// Adds the message to |unread| until its last reference is released.
void sli_rpc_outgoing_count(sli_rpc_outgoing_t *outgoing, size_t *unread);
// Releases a reference. The last release puts the message on the list |dead|; free that without locks.
void sli_rpc_outgoing_release(sli_rpc_outgoing_t *outgoing, sli_rpc_outgoing_t **dead);
// Frees the messages of a list of dead ones.
void sli_rpc_outgoing_free(sli_rpc_outgoing_t *dead);

typedef struct {
  const char *data;              // NULL: in the output's own buffer
  size_t offset;                 // in that buffer
  size_t size;                   // bytes left
  sli_rpc_outgoing_t *outgoing;  // owner of |data|
} sli_rpc_piece_t;

// A zero-initialised output is empty.
typedef struct {
  sli_string_t bytes;
  SLI_ARRAY(sli_rpc_piece_t) pieces;
  size_t first;  // piece to send next
  size_t size;   // bytes left to send
} sli_rpc_output_t;

void sli_rpc_output_append(sli_rpc_output_t *output, const void *data, size_t size);
// Appends the next |size| bytes of |outgoing|; at least so many must be left.
void sli_rpc_output_append_message(sli_rpc_output_t *output, sli_rpc_outgoing_t *outgoing, size_t size);
// Fills |parts| with the bytes to send next; returns the number of parts.
int sli_rpc_output_parts(const sli_rpc_output_t *output, struct iovec *parts, int capacity);
// Removes |size| bytes that were sent.
void sli_rpc_output_advance(sli_rpc_output_t *output, size_t size, sli_rpc_outgoing_t **dead);
void sli_rpc_output_deinitialize(sli_rpc_output_t *output, sli_rpc_outgoing_t **dead);

#endif  // SLI_RPC_OUTPUT_INTERNAL_H_
