// Large messages between two processes of one host: the sender copies a message into memory that both map, and sends a
// note of a few bytes in its place. The receiver uses the bytes where they lie, and gives them back through a word of
// the same memory, without a system call.
//
// The memory consists of segments: anonymous files that belong to a connection. The lending side makes them, passes
// each over the connection's Unix socket once, and lends it again whenever it is free. A segment that a lender will not
// use any more, or whose connection is gone, lives on until its borrower gives it back.
//
// Both ends belong to one user (or the system's), who could as well read and write the other's memory; all the same,
// what a note says is checked, and a segment cannot shrink under its borrower.
#ifndef SLI_RPC_LOAN_INTERNAL_H_
#define SLI_RPC_LOAN_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/slices.h"
#include "base/status.h"
#include "rpc/message.h"

// What stands before a note in place of gRPC's flag of a compressed message.
#define SLI_RPC_NOTE_FLAG 2
#define SLI_RPC_NOTE_SIZE 24
// The header of a request whose sender can read notes.
#define SLI_RPC_LOAN_HEADER "sluice-memory"
// Segments of a connection at most.
#define SLI_RPC_MAX_SEGMENTS 64

// A message that lies in a segment and was not announced yet.
typedef struct sli_rpc_loan sli_rpc_loan_t;

// The lending side of a connection. Thread-safe where nothing else is said.
typedef struct sli_rpc_lender sli_rpc_lender_t;
sli_rpc_lender_t *sli_rpc_lender_create(void);
// Drops the lender's part of all segments. No loan of it may be left.
void sli_rpc_lender_destroy(sli_rpc_lender_t *lender);
// Copies |slices| and releases them. NULL, and nothing happened, where the way through the socket is better: for small
// and huge messages, and when too much is lent already.
sli_rpc_loan_t *sli_rpc_lender_lend(sli_rpc_lender_t *lender, sli_slices_t *slices);
// Ends |loan| and writes the note that announces it, which must be sent. If |*out_fd| is not -1 it must be passed to
// the peer with the note or before, in the order of these calls, and closed. Not thread-safe.
void sli_rpc_loan_announce(sli_rpc_loan_t *loan, char out_note[SLI_RPC_NOTE_SIZE], int *out_fd);
// Ends |loan| without a trace.
void sli_rpc_loan_withdraw(sli_rpc_loan_t *loan);
// Size of the message.
size_t sli_rpc_loan_size(const sli_rpc_loan_t *loan);

// The borrowing side of a connection. Thread-compatible; messages may outlive it and be released on any thread.
typedef struct sli_rpc_borrower sli_rpc_borrower_t;
sli_rpc_borrower_t *sli_rpc_borrower_create(void);
void sli_rpc_borrower_destroy(sli_rpc_borrower_t *borrower);
// The next segment that the peer passed. Closes |fd|.
void sli_rpc_borrower_add(sli_rpc_borrower_t *borrower, int fd);
// The message that a note announces, if it has at most |max_size| bytes.
sli_status_t *sli_rpc_borrower_borrow(sli_rpc_borrower_t *borrower, const char note[SLI_RPC_NOTE_SIZE], size_t max_size,
                                      sli_rpc_message_t *out_message);

#endif  // SLI_RPC_LOAN_INTERNAL_H_
