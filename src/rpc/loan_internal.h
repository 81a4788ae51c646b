// Large replies between two processes of one host and user. Instead of the message a note is sent that tells where in
// the sender's shared memory the message is (base/lend.h). A tensor that is in that memory already is not copied.
#ifndef SLI_RPC_LOAN_INTERNAL_H_
#define SLI_RPC_LOAN_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/lend.h"
#include "base/slices.h"
#include "base/status.h"
#include "rpc/message.h"

// The flag byte of a note, where gRPC has 0 or 1 (compressed).
#define SLI_RPC_NOTE_FLAG 2
// The header of a request whose sender can read notes, and its value.
#define SLI_RPC_LOAN_HEADER "sluice-memory"
#define SLI_RPC_LOAN_VERSION "1"

// Lends |slices| to |borrower| and releases them. Returns false and does nothing where the socket is the better way:
// for small messages, for huge ones that would have to be copied, and if too much is lent already. Thread-safe.
bool sli_rpc_lend(sli_lend_borrower_t *borrower, sli_slices_t *slices, sli_lend_note_t *out_note);

// Returns the message that |note| describes in the lender's |memory|. RESOURCE_EXHAUSTED if it has more than |max_size|
// bytes, UNAVAILABLE if there is no such loan.
sli_status_t *sli_rpc_borrow(sli_lend_mapping_t *memory, const sli_lend_note_t *note, size_t max_size,
                             sli_rpc_message_t *out_message);

#endif  // SLI_RPC_LOAN_INTERNAL_H_
