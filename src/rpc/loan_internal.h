// Large answers between two processes of one host and user: instead of the message goes a note that says where in the
// sender's memory it lies (base/lend.h). A tensor that is there already is not even copied.
#ifndef SLI_RPC_LOAN_INTERNAL_H_
#define SLI_RPC_LOAN_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/lend.h"
#include "base/slices.h"
#include "base/status.h"
#include "rpc/message.h"

// What stands before a note in place of gRPC's flag of a compressed message.
#define SLI_RPC_NOTE_FLAG 2
// The header of a request whose sender reads notes, and its value.
#define SLI_RPC_LOAN_HEADER "sluice-memory"
#define SLI_RPC_LOAN_VERSION "1"

// Lends |slices| and releases them. False, and nothing happened, where the way through the socket is better: for small
// and huge messages, and when too much is lent already. Thread-safe.
bool sli_rpc_lend(sli_lender_t *lender, sli_slices_t *slices, sli_lend_note_t *out_note);

// The message that |note| names in |lent|, if it has at most |max_size| bytes.
sli_status_t *sli_rpc_borrow(sli_borrowed_t *lent, const sli_lend_note_t *note, size_t max_size,
                             sli_rpc_message_t *out_message);

#endif  // SLI_RPC_LOAN_INTERNAL_H_
