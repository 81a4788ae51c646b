// Memory that other processes of this host can read where it lies. A process has one arena of it, an anonymous file
// that is mapped once; a peer that is passed the file maps it too. What lies there can be lent: the lender says where
// it is, the borrower reads it in place and gives it back through a word of the same file, without a system call.
//
// While a block is lent nobody may write to it, nor use it anew; a borrower gets it in a mapping for reading only,
// unless the lender has no more use for it. All functions are thread-safe.
#ifndef SLI_BASE_LEND_H_
#define SLI_BASE_LEND_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Before every block is so much room of its own, for what is sent ahead of it.
#define SLI_LEND_HEADROOM 256

// ---- The lender ------------------------------------------------------------------

// Makes the arena, unless it is there. False: the system has none to give.
bool sli_lend_start(void);
// The arena's file, to be passed to borrowers; -1: none was made. It stays the arena's.
int sli_lend_file(void);

// A block of at least |size| bytes, aligned as tensors are and not initialised; NULL without an arena, or when it is
// full.
void *sli_lend_allocate(size_t size);
// Gives back a block that is not lent.
void sli_lend_release(void *data);
// Gives the pages of free blocks, which are kept for the next ones, to the system.
void sli_lend_trim(void);

#define SLI_LEND_ARENA_SIZE ((size_t)16 << 30)
extern _Atomic(char *) sli_lend_arena;  // NULL: there is none
// Whether |data| lies in the arena.
static inline bool sli_lend_owns(const void *data) {
  const char *arena = atomic_load_explicit(&sli_lend_arena, memory_order_acquire);
  return arena && (size_t)((const char *)data - arena) < SLI_LEND_ARENA_SIZE;
}
// Whether |data| lies in a block that is lent.
bool sli_lend_is_lent(const void *data);
// For a block's owner who is done with it: false, and nothing happened, if it is not lent. Else it is the arena's until
// it comes back from sli_lend_take_returned, with |size|; for ever if |size| is 0.
bool sli_lend_defer(void *data, size_t size);
void *sli_lend_take_returned(size_t *out_size);

// Names a message in the arena to a borrower.
typedef struct {
  uint64_t number;  // of the loan
  uint64_t offset;  // in the file
  uint64_t size;
  uint32_t slot;      // of the word
  uint32_t is_given;  // the borrower may write to it
} sli_lend_note_t;

// One for each borrower. |pid| is its process.
typedef struct sli_lender sli_lender_t;
sli_lender_t *sli_lender_create(int pid);
// What is still lent then comes back when the borrower gives it back or its process is no more.
void sli_lender_destroy(sli_lender_t *lender);
// Lends the |size| bytes at |data|, which must be the start of a block, with |head_size| bytes from |head| before them,
// at most SLI_LEND_HEADROOM. False: the block is lent with another head, or too much is.
bool sli_lender_lend(sli_lender_t *lender, const void *data, size_t size, const void *head, size_t head_size,
                     sli_lend_note_t *out_note);
// To be called when the caller has let go of the block, before the borrower is told: it may write there if nobody else
// has use for the block.
void sli_lender_complete(sli_lend_note_t *note);
// Takes a loan back that the borrower was not told of.
void sli_lender_withdraw(const sli_lend_note_t *note);

// ---- The borrower ----------------------------------------------------------------

// Whose bytes something is made of.
typedef enum {
  SLI_OWN,    // our own
  SLI_GIVEN,  // another process's, which has no more use for them: to be used up, not to be kept for long
  SLI_LENT,   // another process's: to be read only
} sli_ownership_t;

// A lender's arena, mapped. Counted.
typedef struct sli_borrowed sli_borrowed_t;
// NULL if |fd|, which stays the caller's, is none.
sli_borrowed_t *sli_borrowed_map(int fd);
void sli_borrowed_release(sli_borrowed_t *borrowed);

typedef struct sli_debt sli_debt_t;
// Borrows what |note| names, which may come from anywhere; NULL if there is no such loan (any more).
sli_debt_t *sli_borrow(sli_borrowed_t *borrowed, const sli_lend_note_t *note, char **out_data);
// Gives it back. On any thread.
void sli_borrow_end(sli_debt_t *debt);

#endif  // SLI_BASE_LEND_H_
