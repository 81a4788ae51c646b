#include "rpc/loan_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/sync.h"

// Smaller messages are through the socket before a segment is found; larger ones would keep the thread that copies them
// from everything else.
#define SMALLEST_LOAN ((size_t)64 << 10)
#define LARGEST_LOAN ((size_t)64 << 20)
// What all lenders of the process hold at most, and where a message may lie at the earliest.
#define MEMORY_LIMIT ((size_t)512 << 20)
#define HEAD_SIZE 4096
#define ALIGNMENT 64
// A borrower that has not looked at a note for so long never will: it had given the call up.
#define FORGOTTEN_AFTER INT64_C(60000000000)

// Whose a segment is. Stands in its first word above the number of the loan, so that a late note cannot be taken for
// that of a later loan.
enum { FREE, LENT, HELD, RETIRED, STATES };

typedef struct {
  _Atomic uint64_t state;
} head_t;

typedef struct {
  uint64_t loan;
  uint64_t size;
  uint32_t segment;
  uint32_t offset;
} note_t;
_Static_assert(sizeof(note_t) == SLI_RPC_NOTE_SIZE, "a note has no gaps");
_Static_assert(LARGEST_LOAN + HEAD_SIZE < UINT32_MAX, "offsets must fit");

static uint64_t state_of(uint64_t loan, int owner) { return loan * STATES + (uint64_t)owner; }

// ---- Lending ---------------------------------------------------------------------

struct sli_rpc_loan {
  sli_rpc_lender_t *lender;
  sli_rpc_loan_t *next;
  char *memory;  // mapped; a head_t, then room
  size_t mapped_size;
  int fd;           // until it is passed; else -1
  uint32_t number;  // among those passed, from 0
  bool taken;       // between lend and announce, or withdraw
  uint64_t loan;    // the latest one's number
  int64_t lent_at;
  uint32_t offset;  // of its message
  uint64_t size;
};

struct sli_rpc_lender {
  sli_mutex_t mutex;
  uint32_t passed;
  // Under mutex:
  sli_rpc_loan_t *segments;
  uint32_t count;
};

static _Atomic size_t lent_memory;

static head_t *head_of(const sli_rpc_loan_t *segment) { return (head_t *)segment->memory; }

sli_rpc_lender_t *sli_rpc_lender_create(void) {
  sli_rpc_lender_t *lender = sli_calloc(1, sizeof(*lender));
  sli_mutex_initialize(&lender->mutex);
  return lender;
}

static void segment_destroy(sli_rpc_loan_t *segment) {
  atomic_store_explicit(&head_of(segment)->state, state_of(segment->loan, RETIRED), memory_order_release);
  munmap(segment->memory, segment->mapped_size);
  if (segment->fd >= 0) close(segment->fd);
  atomic_fetch_sub(&lent_memory, segment->mapped_size);
  free(segment);
}

void sli_rpc_lender_destroy(sli_rpc_lender_t *lender) {
  if (!lender) return;
  for (sli_rpc_loan_t *segment; (segment = lender->segments);) {
    lender->segments = segment->next;
    segment_destroy(segment);
  }
  sli_mutex_deinitialize(&lender->mutex);
  free(lender);
}

// An anonymous file of |size| bytes that are there and stay there; -1 if the system has none.
static int make_file(size_t size) {
  int fd = memfd_create("sluice message", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (fallocate(fd, 0, 0, (off_t)size) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return fd;
  close(fd);
  return -1;
}

static char *map_file(int fd, size_t size) {
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

// A taken segment; NULL if memory is out.
static sli_rpc_loan_t *segment_create(sli_rpc_lender_t *lender, size_t size) {
  if (atomic_fetch_add(&lent_memory, size) + size <= MEMORY_LIMIT) {
    int fd = make_file(size);
    char *memory = fd < 0 ? NULL : map_file(fd, size);
    if (memory) {
      sli_rpc_loan_t *segment = sli_malloc(sizeof(*segment));
      *segment = (sli_rpc_loan_t){.lender = lender, .memory = memory, .mapped_size = size, .fd = fd, .taken = true};
      return segment;
    }
    if (fd >= 0) close(fd);
  }
  atomic_fetch_sub(&lent_memory, size);
  return NULL;
}

// Whether nobody uses |segment|.
static bool is_free(const sli_rpc_loan_t *segment) {
  return !segment->taken &&
         atomic_load_explicit(&head_of(segment)->state, memory_order_acquire) == state_of(segment->loan, FREE);
}

// Takes the tightest free segment with room for |size| bytes, unless it is far too large.
static sli_rpc_loan_t *take_free_locked(sli_rpc_lender_t *lender, size_t size) {
  sli_rpc_loan_t *best = NULL;
  for (sli_rpc_loan_t *next = lender->segments; next; next = next->next)
    if (next->mapped_size >= size && next->mapped_size / 4 <= size &&
        (!best || next->mapped_size < best->mapped_size) && is_free(next))
      best = next;
  if (best) best->taken = true;
  return best;
}

// Makes room for another segment of |size| bytes at the cost of free ones; false if there is none.
static bool make_room_locked(sli_rpc_lender_t *lender, size_t size) {
  sli_rpc_loan_t **place = &lender->segments;
  int64_t now = sli_now_nanos();
  while (*place && (lender->count >= SLI_RPC_MAX_SEGMENTS || atomic_load(&lent_memory) + size > MEMORY_LIMIT)) {
    sli_rpc_loan_t *segment = *place;
    uint64_t lent = state_of(segment->loan, LENT);
    if (!segment->taken && now - segment->lent_at > FORGOTTEN_AFTER)
      atomic_compare_exchange_strong(&head_of(segment)->state, &lent, state_of(segment->loan, FREE));
    if (!is_free(segment)) {
      place = &segment->next;
      continue;
    }
    *place = segment->next;
    lender->count--;
    segment_destroy(segment);
  }
  return lender->count < SLI_RPC_MAX_SEGMENTS;
}

// A taken segment with room for |size| bytes, or NULL.
static sli_rpc_loan_t *find_segment(sli_rpc_lender_t *lender, size_t size) {
  sli_mutex_lock(&lender->mutex);
  sli_rpc_loan_t *segment = take_free_locked(lender, size);
  bool has_room = segment || make_room_locked(lender, size);
  if (!segment && has_room) lender->count++;
  sli_mutex_unlock(&lender->mutex);
  if (segment || !has_room) return segment;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  segment = segment_create(lender, (size + page - 1) / page * page);
  sli_mutex_lock(&lender->mutex);
  if (segment) {
    segment->next = lender->segments;
    lender->segments = segment;
  } else {
    lender->count--;
  }
  sli_mutex_unlock(&lender->mutex);
  return segment;
}

// Where a message of |slices| begins, so that the largest of them, a tensor's content, is aligned.
static size_t aligned_offset(const sli_slices_t *slices) {
  size_t largest = 0, start = 0, before = 0;
  for (size_t i = 0; i < slices->count; i++) {
    if (slices->items[i].size > largest) {
      largest = slices->items[i].size;
      start = before;
    }
    before += slices->items[i].size;
  }
  return HEAD_SIZE + (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
}

sli_rpc_loan_t *sli_rpc_lender_lend(sli_rpc_lender_t *lender, sli_slices_t *slices) {
  if (slices->size < SMALLEST_LOAN || slices->size > LARGEST_LOAN) return NULL;
  size_t offset = aligned_offset(slices);
  sli_rpc_loan_t *segment = find_segment(lender, offset + slices->size);
  if (!segment) return NULL;
  sli_slices_copy(slices, segment->memory + offset);
  segment->offset = (uint32_t)offset;
  segment->size = slices->size;
  sli_slices_deinitialize(slices);
  return segment;
}

static void let_go(sli_rpc_loan_t *loan) {
  sli_mutex_lock(&loan->lender->mutex);
  loan->taken = false;
  sli_mutex_unlock(&loan->lender->mutex);
}

void sli_rpc_loan_announce(sli_rpc_loan_t *loan, char out_note[SLI_RPC_NOTE_SIZE], int *out_fd) {
  *out_fd = loan->fd;
  if (loan->fd >= 0) loan->number = loan->lender->passed++;
  loan->fd = -1;
  loan->loan++;
  loan->lent_at = sli_now_nanos();
  note_t note = {loan->loan, loan->size, loan->number, loan->offset};
  memcpy(out_note, &note, sizeof(note));
  atomic_store_explicit(&head_of(loan)->state, state_of(loan->loan, LENT), memory_order_release);
  let_go(loan);
}

void sli_rpc_loan_withdraw(sli_rpc_loan_t *loan) { let_go(loan); }

size_t sli_rpc_loan_size(const sli_rpc_loan_t *loan) { return loan->size; }

// ---- Borrowing -------------------------------------------------------------------

// Held by the borrower and by every message in it.
typedef struct {
  sli_refcount_t references;
  char *memory;
  size_t mapped_size;
} borrowed_t;

typedef struct {
  borrowed_t *segment;
  uint64_t loan;
} debt_t;

struct sli_rpc_borrower {
  SLI_ARRAY(borrowed_t *) segments;  // by number; NULL: gone, or no use
  uint32_t count;                    // of those that are not NULL
};

sli_rpc_borrower_t *sli_rpc_borrower_create(void) { return sli_calloc(1, sizeof(sli_rpc_borrower_t)); }

static void borrowed_release(borrowed_t *segment) {
  if (!segment || !sli_refcount_release(&segment->references)) return;
  munmap(segment->memory, segment->mapped_size);
  free(segment);
}

void sli_rpc_borrower_destroy(sli_rpc_borrower_t *borrower) {
  if (!borrower) return;
  for (size_t i = 0; i < borrower->segments.count; i++) borrowed_release(borrower->segments.items[i]);
  sli_array_deinitialize(&borrower->segments);
  free(borrower);
}

static _Atomic uint64_t *borrowed_state(const borrowed_t *segment) { return &((head_t *)segment->memory)->state; }

// Lets go of segments that their lender has done with.
static void drop_retired(sli_rpc_borrower_t *borrower) {
  for (size_t i = 0; i < borrower->segments.count; i++) {
    borrowed_t *segment = borrower->segments.items[i];
    if (!segment || atomic_load(borrowed_state(segment)) % STATES != RETIRED) continue;
    borrower->segments.items[i] = NULL;
    borrower->count--;
    borrowed_release(segment);
  }
}

// A passed file as a segment, if it is one.
static borrowed_t *map_segment(int fd) {
  struct stat status;
  int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &status) != 0 || status.st_size < HEAD_SIZE) return NULL;
  char *memory = map_file(fd, (size_t)status.st_size);
  if (!memory) return NULL;
  borrowed_t *segment = sli_malloc(sizeof(*segment));
  sli_refcount_initialize(&segment->references);
  segment->memory = memory;
  segment->mapped_size = (size_t)status.st_size;
  return segment;
}

void sli_rpc_borrower_add(sli_rpc_borrower_t *borrower, int fd) {
  drop_retired(borrower);
  borrowed_t *segment = borrower->count < SLI_RPC_MAX_SEGMENTS ? map_segment(fd) : NULL;
  close(fd);
  if (segment) borrower->count++;
  sli_array_push(&borrower->segments, segment);
}

static void give_back(void *context) {
  debt_t *debt = context;
  uint64_t held = state_of(debt->loan, HELD);
  // Unless the lender retired it.
  atomic_compare_exchange_strong_explicit(borrowed_state(debt->segment), &held, state_of(debt->loan, FREE),
                                          memory_order_release, memory_order_relaxed);
  borrowed_release(debt->segment);
  free(debt);
}

sli_status_t *sli_rpc_borrower_borrow(sli_rpc_borrower_t *borrower, const char bytes[SLI_RPC_NOTE_SIZE],
                                      size_t max_size, sli_rpc_message_t *out_message) {
  *out_message = (sli_rpc_message_t){0};
  note_t note;
  memcpy(&note, bytes, sizeof(note));
  if (note.size > max_size)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "Received message larger than max (%llu vs. %zu)",
                           (unsigned long long)note.size, max_size);
  borrowed_t *segment = note.segment < borrower->segments.count ? borrower->segments.items[note.segment] : NULL;
  if (!segment)
    return sli_status_make(SLI_UNAVAILABLE, "a message of %llu bytes lies in shared memory that cannot be mapped",
                           (unsigned long long)note.size);
  if (note.offset < HEAD_SIZE || note.offset > segment->mapped_size || note.size > segment->mapped_size - note.offset)
    return sli_status_make(SLI_INTERNAL, "a message of %llu bytes at %u exceeds its shared memory of %zu bytes",
                           (unsigned long long)note.size, note.offset, segment->mapped_size);
  uint64_t lent = state_of(note.loan, LENT);
  if (!atomic_compare_exchange_strong_explicit(borrowed_state(segment), &lent, state_of(note.loan, HELD),
                                               memory_order_acquire, memory_order_relaxed))
    return sli_status_make(SLI_UNAVAILABLE, "a message of %llu bytes in shared memory was taken back",
                           (unsigned long long)note.size);
  debt_t *debt = sli_malloc(sizeof(*debt));
  sli_refcount_retain(&segment->references);
  *debt = (debt_t){segment, note.loan};
  *out_message = (sli_rpc_message_t){segment->memory + note.offset, note.size, give_back, debt};
  return NULL;
}
