// Memory that other processes of this host can read in place. A process has one arena of it: an anonymous file, mapped
// once. A peer that is passed the file's descriptor maps it too. A block of the arena can be lent: the lender sends a
// note with the block's position, the borrower reads the block in place, and returns it by writing a word of the same
// file, without a system call.
//
// While a block is lent nobody may write to it or reuse it. The borrower sees it through a read-only mapping, unless
// the lender does not need the block any more and gives it away. All functions are thread-safe. None blocks.
#ifndef SLI_BASE_LEND_H_
#define SLI_BASE_LEND_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Every block has this much room before it, for the head of a message whose rest is in the block.
#define SLI_LEND_HEADROOM 256

// ---- The lender ------------------------------------------------------------------

// Creates the arena unless it exists. Returns false if the system cannot provide it.
bool sli_lend_start(void);
// The descriptor of the arena's file, to be passed to borrowers; -1 if there is no arena. The arena keeps owning it.
int sli_lend_file(void);

// Returns a block of at least |size| bytes, aligned as tensors are and not initialised; NULL if there is no arena or no
// room. The caller owns it and frees it with sli_lend_release, or sli_lend_defer_release if it may be lent.
void *sli_lend_allocate(size_t size);
// Frees a block that is not lent.
void sli_lend_release(void *data);
// Returns the pages of free blocks, which are kept for later blocks, to the system.
void sli_lend_trim(void);

#define SLI_LEND_ARENA_SIZE ((size_t)16 << 30)
extern _Atomic(char *) sli_lend_arena;  // NULL: there is none
// Whether |data| is in the arena.
static inline bool sli_lend_owns(const void *data) {
  const char *arena = atomic_load_explicit(&sli_lend_arena, memory_order_acquire);
  return arena && (size_t)((const char *)data - arena) < SLI_LEND_ARENA_SIZE;
}
// Where |data|, which is in the arena, is in the arena's file.
static inline uint64_t sli_lend_offset(const void *data) {
  return (uint64_t)((const char *)data - atomic_load_explicit(&sli_lend_arena, memory_order_acquire));
}
// Whether |data| is in a block that is lent.
bool sli_lend_is_lent(const void *data);
// Called by the owner of a block that it does not need any more. Does nothing and returns false if the block is not
// lent; then the caller still owns it. Otherwise the arena keeps the block until it is returned. After that
// sli_lend_take_returned gives it to the caller again, with |size|; if |size| is 0 the arena frees it instead.
bool sli_lend_defer_release(void *data, size_t size);
// Returns a deferred block that is no longer lent, and its size; NULL if there is none.
void *sli_lend_take_returned(size_t *out_size);

// Tells a borrower where a message is. Sent over the wire as it is.
typedef struct {
  uint64_t number;    // of the loan
  uint64_t offset;    // of the message in the file
  uint64_t size;      // of the message
  uint32_t slot;      // index of the word that returns the loan
  uint32_t is_given;  // the borrower may write to the block
} sli_lend_note_t;

// What the lender knows of one borrower: a connected process.
typedef struct sli_lend_borrower sli_lend_borrower_t;
sli_lend_borrower_t *sli_lend_borrower_create(int pid);
// Blocks that are still lent then return when the borrower returns them, or when process |pid| has ended.
void sli_lend_borrower_destroy(sli_lend_borrower_t *borrower);
// Lends the |size| bytes at |data|, the start of a block, preceded by |head_size| bytes (at most SLI_LEND_HEADROOM)
// that are copied from |head|. Returns false if the block is lent with another head already, or if too many blocks are
// lent.
bool sli_lend_to(sli_lend_borrower_t *borrower, const void *data, size_t size, const void *head, size_t head_size,
                 sli_lend_note_t *out_note);
// Called after the caller has released the block and before |note| is sent: sets |is_given| if nobody else uses the
// block.
void sli_lend_note_complete(sli_lend_note_t *note);
// Takes back a loan whose note was not sent.
void sli_lend_note_withdraw(const sli_lend_note_t *note);

// ---- The borrower ----------------------------------------------------------------

// Who owns the bytes of a message or a tensor.
typedef enum {
  SLI_LEND_OWNED,  // this process
  SLI_LEND_GIVEN,  // another process, which does not need them any more: writable, but do not keep them for long
  SLI_LEND_LENT,   // another process: read-only
} sli_lend_ownership_t;

// A lender's arena, mapped into this process. Reference counted.
typedef struct sli_lend_mapping sli_lend_mapping_t;
// Returns NULL if |fd| is not an arena. The caller keeps owning |fd|.
sli_lend_mapping_t *sli_lend_mapping_create(int fd);
sli_lend_mapping_t *sli_lend_mapping_retain(sli_lend_mapping_t *mapping);  // NULL is allowed
void sli_lend_mapping_release(sli_lend_mapping_t *mapping);
// |size| bytes at |offset| of the lender's file, read-only; NULL if they are not in it. The lender may change them at
// any time, so what is read must not be trusted.
const void *sli_lend_mapping_at(const sli_lend_mapping_t *mapping, uint64_t offset, size_t size);

typedef struct sli_lend_loan sli_lend_loan_t;
// Takes up the loan that |note| describes and retains |mapping|. |note| may be forged: returns NULL if there is no such
// loan, or no longer.
sli_lend_loan_t *sli_lend_loan_begin(sli_lend_mapping_t *mapping, const sli_lend_note_t *note, char **out_data);
// |data| of a loan, writable: for a block that the lender wants to be filled, and does not read before the loan ends.
char *sli_lend_loan_writable(const sli_lend_loan_t *loan, const char *data);
// Returns the block to its lender. On any thread.
void sli_lend_loan_end(sli_lend_loan_t *loan);

#endif  // SLI_BASE_LEND_H_
