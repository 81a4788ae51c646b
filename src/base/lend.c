#include "base/lend.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/sync.h"

// The arena is a range of addresses; pages that were never touched cost nothing.
#define ARENA_SIZE SLI_LEND_ARENA_SIZE
#define UNIT ((size_t)16 << 10)
#define UNITS ((uint32_t)(ARENA_SIZE / UNIT))
#define SLOTS 4096
#define WORDS_SIZE (SLOTS * sizeof(uint64_t))  // written by borrowers; at the start of the arena
#define FIRST_UNIT ((uint32_t)(WORDS_SIZE / UNIT))
// Free blocks keep their pages up to this total: touching a page for the first time costs more than a copy into it.
#define KEPT_SIZE ((size_t)192 << 20)
// A borrower that has not taken up a loan after this time never will: its call was given up.
#define FORGOTTEN_AFTER INT64_C(60000000000)
#define NONE UINT32_MAX
_Static_assert(WORDS_SIZE % UNIT == 0, "blocks begin at a unit");

// The state of a loan. Its word holds the state together with the loan's number, so that a late note is not mistaken
// for that of a later loan in the same slot.
enum { FREE, LENT, HELD, STATES };

static uint64_t word_of(uint64_t number, int owner) { return number * STATES + (uint64_t)owner; }

// One per unit; only that of a block's first unit is used.
typedef struct {
  uint32_t units;
  uint32_t first_slot;    // of its loans; undefined while |lent| is 0
  _Atomic uint32_t lent;  // loans that were not found to be returned
  bool is_deferred;       // its owner has released it
  size_t deferred_size;   // if |is_deferred|: given to the owner again; 0: the arena frees the block
} block_t;

typedef struct {
  uint32_t next;  // of the same block, or among the free
  uint64_t number;
  uint64_t borrower;  // its id; 0: it was destroyed
  int pid;
  int64_t lent_at;
} slot_t;

typedef struct {
  uint32_t first, count;  // units
} range_t;

static struct {
  sli_mutex_t mutex;
  // Set once:
  int fd;
  _Atomic uint64_t *words;
  uint32_t *first_unit;  // of the block that a unit belongs to
  block_t *blocks;
  // Under mutex:
  bool is_started;
  slot_t slots[SLOTS];
  uint32_t free_slot;
  SLI_ARRAY(range_t) ranges;     // free units without pages, by address
  SLI_ARRAY(uint32_t) kept;      // free blocks that still have pages; the latest last
  SLI_ARRAY(uint32_t) deferred;  // released blocks that are still lent
  size_t kept_size;
  uint64_t borrowers;  // created so far
} arena = {.mutex = SLI_MUTEX_INITIALIZER, .fd = -1};

_Atomic(char *) sli_lend_arena;
static _Atomic uint32_t lent_count, deferred_count;

struct sli_lend_borrower {
  uint64_t id;
  int pid;
};

// ---- The arena -------------------------------------------------------------------

static int make_file(void) {
  int fd = memfd_create("sluice tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (ftruncate(fd, (off_t)ARENA_SIZE) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return fd;
  close(fd);
  return -1;
}

static bool create_arena_locked(void) {
  int fd = make_file();
  if (fd < 0) return false;
  char *memory = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) {
    close(fd);
    return false;
  }
  arena.fd = fd;
  arena.words = (_Atomic uint64_t *)memory;
  arena.first_unit = sli_calloc(UNITS, sizeof(*arena.first_unit));
  arena.blocks = sli_calloc(UNITS, sizeof(*arena.blocks));
  for (uint32_t i = 0; i < SLOTS; i++) arena.slots[i].next = i + 1 < SLOTS ? i + 1 : NONE;
  sli_array_push(&arena.ranges, (range_t){FIRST_UNIT, UNITS - FIRST_UNIT});
  atomic_store_explicit(&sli_lend_arena, memory, memory_order_release);
  return true;
}

bool sli_lend_start(void) {
  sli_mutex_lock(&arena.mutex);
  if (!arena.is_started) arena.is_started = create_arena_locked();
  bool is_started = arena.is_started;
  sli_mutex_unlock(&arena.mutex);
  return is_started;
}

int sli_lend_file(void) { return arena.fd; }

static char *start_of_arena(void) { return (char *)arena.words; }
static uint32_t block_of(const void *data) {
  return arena.first_unit[(size_t)((const char *)data - start_of_arena()) / UNIT];
}
static char *data_of(uint32_t block) { return start_of_arena() + block * UNIT + SLI_LEND_HEADROOM; }

static uint32_t units_for(size_t size) { return (uint32_t)((size + SLI_LEND_HEADROOM + UNIT - 1) / UNIT); }

// The smallest kept block that has room and is not more than twice too large.
static uint32_t take_kept_locked(uint32_t units) {
  size_t best = SIZE_MAX;
  for (size_t i = arena.kept.count; i-- > 0;) {
    uint32_t size = arena.blocks[arena.kept.items[i]].units;
    if (size >= units && size / 2 <= units && (best == SIZE_MAX || size < arena.blocks[arena.kept.items[best]].units))
      best = i;
  }
  if (best == SIZE_MAX) return NONE;
  uint32_t block = arena.kept.items[best];
  memmove(arena.kept.items + best, arena.kept.items + best + 1,
          (--arena.kept.count - best) * sizeof(*arena.kept.items));
  arena.kept_size -= arena.blocks[block].units * UNIT;
  return block;
}

static uint32_t take_range_locked(uint32_t units) {
  for (size_t i = 0; i < arena.ranges.count; i++) {
    range_t *range = &arena.ranges.items[i];
    if (range->count < units) continue;
    uint32_t block = range->first;
    range->first += units;
    range->count -= units;
    if (range->count == 0) memmove(range, range + 1, (--arena.ranges.count - i) * sizeof(*range));
    arena.blocks[block].units = units;
    for (uint32_t unit = block; unit < block + units; unit++) arena.first_unit[unit] = block;
    return block;
  }
  return NONE;
}

// Gives a block's pages to the system and its units to the free ranges.
static void drop_locked(uint32_t block) {
  range_t freed = {block, arena.blocks[block].units};
  fallocate(arena.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(freed.first * UNIT),
            (off_t)(freed.count * UNIT));
  size_t at = 0;
  while (at < arena.ranges.count && arena.ranges.items[at].first < block) at++;
  range_t *before = at > 0 ? &arena.ranges.items[at - 1] : NULL;
  range_t *after = at < arena.ranges.count ? &arena.ranges.items[at] : NULL;
  bool joins_before = before && before->first + before->count == freed.first;
  bool joins_after = after && freed.first + freed.count == after->first;
  if (joins_before && joins_after) {
    before->count += freed.count + after->count;
    memmove(after, after + 1, (--arena.ranges.count - at) * sizeof(*after));
  } else if (joins_before) {
    before->count += freed.count;
  } else if (joins_after) {
    *after = (range_t){freed.first, freed.count + after->count};
  } else {
    sli_array_reserve(&arena.ranges, 1);
    range_t *place = &arena.ranges.items[at];
    memmove(place + 1, place, (arena.ranges.count++ - at) * sizeof(*place));
    *place = freed;
  }
}

// Drops the blocks that were kept longest until at most |size| bytes are kept.
static void trim_locked(size_t size) {
  while (arena.kept_size > size) {
    uint32_t oldest = arena.kept.items[0];
    memmove(arena.kept.items, arena.kept.items + 1, --arena.kept.count * sizeof(*arena.kept.items));
    arena.kept_size -= arena.blocks[oldest].units * UNIT;
    drop_locked(oldest);
  }
}

static void release_locked(uint32_t block) {
  sli_array_push(&arena.kept, block);
  arena.kept_size += arena.blocks[block].units * UNIT;
  trim_locked(KEPT_SIZE);
}

void sli_lend_trim(void) {
  sli_mutex_lock(&arena.mutex);
  trim_locked(0);
  sli_mutex_unlock(&arena.mutex);
}

void sli_lend_release(void *data) {
  sli_mutex_lock(&arena.mutex);
  release_locked(block_of(data));
  sli_mutex_unlock(&arena.mutex);
}

// ---- Loans -----------------------------------------------------------------------

// Whether a loan has ended: returned, never taken up, or its borrower is dead.
static bool is_back(const slot_t *slot, _Atomic uint64_t *word) {
  uint64_t value = atomic_load_explicit(word, memory_order_acquire);
  if (value == word_of(slot->number, FREE)) return true;
  if (value == word_of(slot->number, LENT) && sli_clock_now_nanos() - slot->lent_at > FORGOTTEN_AFTER &&
      atomic_compare_exchange_strong(word, &value, word_of(slot->number, FREE)))
    return true;
  return slot->borrower == 0 && kill(slot->pid, 0) != 0 && errno == ESRCH;
}

// Frees the slots of the block's loans that have ended. Returns how many loans are left.
static uint32_t settle_locked(uint32_t index) {
  block_t *block = &arena.blocks[index];
  uint32_t left = atomic_load_explicit(&block->lent, memory_order_relaxed);
  uint32_t *place = &block->first_slot;
  for (uint32_t count = left; count > 0; count--) {
    slot_t *slot = &arena.slots[*place];
    if (!is_back(slot, &arena.words[*place])) {
      place = &slot->next;
      continue;
    }
    uint32_t next = slot->next;
    slot->next = arena.free_slot;
    arena.free_slot = *place;
    *place = next;
    left--;
    atomic_fetch_sub(&lent_count, 1);
  }
  atomic_store_explicit(&block->lent, left, memory_order_release);
  return left;
}

static void take_deferred_locked(size_t place) {
  arena.blocks[arena.deferred.items[place]].is_deferred = false;
  arena.deferred.items[place] = arena.deferred.items[--arena.deferred.count];
  atomic_fetch_sub(&deferred_count, 1);
}

// Frees deferred blocks without an owner that are no longer lent.
static void collect_locked(void) {
  for (size_t i = arena.deferred.count; i-- > 0;) {
    uint32_t block = arena.deferred.items[i];
    if (arena.blocks[block].deferred_size > 0 || settle_locked(block) > 0) continue;
    take_deferred_locked(i);
    release_locked(block);
  }
}

void *sli_lend_allocate(size_t size) {
  if (!atomic_load_explicit(&sli_lend_arena, memory_order_acquire) || size > ARENA_SIZE / 4) return NULL;
  uint32_t units = units_for(size);
  sli_mutex_lock(&arena.mutex);
  if (arena.deferred.count > 0) collect_locked();
  uint32_t block = take_kept_locked(units);
  if (block == NONE) block = take_range_locked(units);
  sli_mutex_unlock(&arena.mutex);
  return block == NONE ? NULL : data_of(block);
}

// Whether |data| is in a block that was lent and may have been returned.
static bool was_lent(const void *data) {
  return atomic_load_explicit(&lent_count, memory_order_acquire) > 0 && sli_lend_owns(data) &&
         atomic_load_explicit(&arena.blocks[block_of(data)].lent, memory_order_acquire) > 0;
}

bool sli_lend_is_lent(const void *data) {
  if (!was_lent(data)) return false;
  uint32_t block = block_of(data);
  sli_mutex_lock(&arena.mutex);
  bool is_lent = settle_locked(block) > 0;
  sli_mutex_unlock(&arena.mutex);
  return is_lent;
}

bool sli_lend_defer_release(void *data, size_t size) {
  if (!was_lent(data)) return false;
  uint32_t block = block_of(data);
  sli_mutex_lock(&arena.mutex);
  bool is_lent = settle_locked(block) > 0;
  if (is_lent) {
    arena.blocks[block].is_deferred = true;
    arena.blocks[block].deferred_size = size;
    sli_array_push(&arena.deferred, block);
    atomic_fetch_add(&deferred_count, 1);
  }
  sli_mutex_unlock(&arena.mutex);
  return is_lent;
}

void *sli_lend_take_returned(size_t *out_size) {
  if (atomic_load_explicit(&deferred_count, memory_order_relaxed) == 0) return NULL;
  void *data = NULL;
  sli_mutex_lock(&arena.mutex);
  for (size_t i = arena.deferred.count; i-- > 0 && !data;) {
    uint32_t block = arena.deferred.items[i];
    if (arena.blocks[block].deferred_size == 0 || settle_locked(block) > 0) continue;
    *out_size = arena.blocks[block].deferred_size;
    take_deferred_locked(i);
    data = data_of(block);
  }
  sli_mutex_unlock(&arena.mutex);
  return data;
}

sli_lend_borrower_t *sli_lend_borrower_create(int pid) {
  sli_lend_borrower_t *borrower = sli_malloc(sizeof(*borrower));
  sli_mutex_lock(&arena.mutex);
  *borrower = (sli_lend_borrower_t){++arena.borrowers, pid};
  sli_mutex_unlock(&arena.mutex);
  return borrower;
}

void sli_lend_borrower_destroy(sli_lend_borrower_t *borrower) {
  if (!borrower) return;
  sli_mutex_lock(&arena.mutex);
  for (uint32_t i = 0; i < SLOTS; i++)
    if (arena.slots[i].borrower == borrower->id) arena.slots[i].borrower = 0;
  sli_mutex_unlock(&arena.mutex);
  free(borrower);
}

// Starts a loan of block |index|. Returns its slot, NONE if all are taken.
static uint32_t take_slot_locked(const sli_lend_borrower_t *borrower, uint32_t index) {
  uint32_t place = arena.free_slot;
  if (place == NONE) return NONE;
  slot_t *slot = &arena.slots[place];
  block_t *block = &arena.blocks[index];
  arena.free_slot = slot->next;
  *slot = (slot_t){block->first_slot, slot->number + 1, borrower->id, borrower->pid, sli_clock_now_nanos()};
  block->first_slot = place;
  atomic_fetch_add(&lent_count, 1);
  atomic_fetch_add_explicit(&block->lent, 1, memory_order_release);
  atomic_store_explicit(&arena.words[place], word_of(slot->number, LENT), memory_order_release);
  return place;
}

bool sli_lend_to(sli_lend_borrower_t *borrower, const void *data, size_t size, const void *head, size_t head_size,
                 sli_lend_note_t *out_note) {
  if (head_size > SLI_LEND_HEADROOM || !sli_lend_owns(data)) return false;
  uint32_t block = block_of(data), slot = NONE;
  char *message = (char *)data - head_size;
  if (data != data_of(block)) return false;
  sli_mutex_lock(&arena.mutex);
  bool is_lent = settle_locked(block) > 0;
  if (!is_lent || memcmp(message, head, head_size) == 0) {
    if (!is_lent) memcpy(message, head, head_size);
    slot = take_slot_locked(borrower, block);
  }
  uint64_t number = slot == NONE ? 0 : arena.slots[slot].number;
  sli_mutex_unlock(&arena.mutex);
  if (slot == NONE) return false;
  *out_note = (sli_lend_note_t){number, (uint64_t)(message - start_of_arena()), head_size + size, slot, false};
  return true;
}

void sli_lend_note_complete(sli_lend_note_t *note) {
  block_t *block = &arena.blocks[block_of(start_of_arena() + note->offset)];
  sli_mutex_lock(&arena.mutex);
  note->is_given = block->is_deferred && atomic_load_explicit(&block->lent, memory_order_relaxed) == 1;
  sli_mutex_unlock(&arena.mutex);
}

void sli_lend_note_withdraw(const sli_lend_note_t *note) {
  sli_mutex_lock(&arena.mutex);
  atomic_store(&arena.words[note->slot], word_of(note->number, FREE));
  settle_locked(block_of(start_of_arena() + note->offset));
  sli_mutex_unlock(&arena.mutex);
}

// ---- The borrower ----------------------------------------------------------------

struct sli_lend_mapping {
  sli_refcount_t references;
  size_t size;
  _Atomic uint64_t *words;  // the whole arena, writable; it begins with the words
  char *memory;             // the same, read-only
};

struct sli_lend_loan {
  sli_lend_mapping_t *mapping;
  _Atomic uint64_t *word;
  uint64_t number;
};

sli_lend_mapping_t *sli_lend_mapping_create(int fd) {
  struct stat status;
  int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &status) != 0 || status.st_size <= (off_t)WORDS_SIZE)
    return NULL;
  size_t size = (size_t)status.st_size;
  void *words = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (words == MAP_FAILED) return NULL;
  void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) {
    munmap(words, size);
    return NULL;
  }
  sli_lend_mapping_t *mapping = sli_malloc(sizeof(*mapping));
  *mapping = (sli_lend_mapping_t){.size = size, .words = words, .memory = memory};
  sli_refcount_initialize(&mapping->references);
  return mapping;
}

sli_lend_mapping_t *sli_lend_mapping_retain(sli_lend_mapping_t *mapping) {
  if (mapping) sli_refcount_retain(&mapping->references);
  return mapping;
}

const void *sli_lend_mapping_at(const sli_lend_mapping_t *mapping, uint64_t offset, size_t size) {
  return offset >= WORDS_SIZE && offset <= mapping->size && size <= mapping->size - offset ? mapping->memory + offset
                                                                                           : NULL;
}

void sli_lend_mapping_release(sli_lend_mapping_t *mapping) {
  if (!mapping || !sli_refcount_release(&mapping->references)) return;
  munmap((void *)mapping->words, mapping->size);
  munmap(mapping->memory, mapping->size);
  free(mapping);
}

sli_lend_loan_t *sli_lend_loan_begin(sli_lend_mapping_t *mapping, const sli_lend_note_t *note, char **out_data) {
  if (note->slot >= SLOTS || note->offset < WORDS_SIZE || note->offset > mapping->size ||
      note->size > mapping->size - note->offset)
    return NULL;
  _Atomic uint64_t *word = &mapping->words[note->slot];
  uint64_t lent = word_of(note->number, LENT);
  if (!atomic_compare_exchange_strong_explicit(word, &lent, word_of(note->number, HELD), memory_order_acquire,
                                               memory_order_relaxed))
    return NULL;
  sli_lend_loan_t *loan = sli_malloc(sizeof(*loan));
  sli_refcount_retain(&mapping->references);
  *loan = (sli_lend_loan_t){mapping, word, note->number};
  *out_data = (note->is_given ? (char *)mapping->words : mapping->memory) + note->offset;
  return loan;
}

char *sli_lend_loan_writable(const sli_lend_loan_t *loan, const char *data) {
  const sli_lend_mapping_t *mapping = loan->mapping;
  bool is_readable = (size_t)(data - mapping->memory) < mapping->size;
  return (char *)mapping->words + (is_readable ? data - mapping->memory : data - (char *)mapping->words);
}

void sli_lend_loan_end(sli_lend_loan_t *loan) {
  atomic_store_explicit(loan->word, word_of(loan->number, FREE), memory_order_release);
  sli_lend_mapping_release(loan->mapping);
  free(loan);
}
