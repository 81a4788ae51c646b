// A board is a page of notices in the memory that processes of one host share (base/lend.h): how far its owner has come
// in pieces of work that it does together with others. The owner writes it, others read it through their mapping of the
// owner's arena, and spin and then sleep until it changes. They cannot write to it, so a reader that sleeps says so on
// a board of its own. The owner, which reads those of its readers, makes a system call to wake them only if one sleeps.
//
// A notice is found by its key. Readers must not trust what they read: an owner that has failed may have reused the
// memory. So after they have used the owner's data they look again whether the notice still has its key.
#ifndef SLI_BASE_BOARD_H_
#define SLI_BASE_BOARD_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/lend.h"

enum { SLI_BOARD_NOTICES = 256, SLI_BOARD_STAGES = 3 };

typedef struct {
  _Alignas(64) _Atomic uint64_t key;          // 0: unused
  _Atomic uint64_t offset;                    // of the owner's data in its arena
  _Atomic uint32_t changes;                   // counts what is below; readers sleep on it
  _Atomic uint32_t stages[SLI_BOARD_STAGES];  // how many pieces are done in each stage of the work
} sli_board_notice_t;

typedef struct {
  _Atomic uint64_t id;        // of the board; 0 once it is destroyed
  _Atomic uint32_t changes;   // counts notices that were put up or taken down
  _Atomic uint32_t sleepers;  // threads of the owner that sleep until another board changes
  sli_board_notice_t notices[SLI_BOARD_NOTICES];
} sli_board_t;

// ---- The owner -------------------------------------------------------------------

// The boards of those who read the owner's; those that are NULL are left out.
typedef struct {
  const sli_board_t *const *boards;
  int count;
} sli_board_readers_t;

// Returns a board in this process's arena; NULL if there is no arena or no room. |id| is random and not 0.
sli_board_t *sli_board_create(uint64_t id);
void sli_board_destroy(sli_board_t *board);  // NULL is allowed
// Puts up a notice for |data|, which is in the arena. NULL if all are in use. Thread-safe.
sli_board_notice_t *sli_board_put_up(sli_board_t *board, sli_board_readers_t readers, uint64_t key, const void *data);
void sli_board_take_down(sli_board_t *board, sli_board_readers_t readers, sli_board_notice_t *notice);
// |count| pieces are done in |stage|. Everything written before is seen by those who read the count.
void sli_board_advance(sli_board_notice_t *notice, sli_board_readers_t readers, int stage, uint32_t count);

// ---- Readers ---------------------------------------------------------------------

// The board at |offset| of the owner's arena, as long as |memory|; NULL if there is none with this |id|.
const sli_board_t *sli_board_find(const sli_lend_mapping_t *memory, uint64_t offset, uint64_t id);
// The notice with |key|; NULL if it is not there (yet).
const sli_board_notice_t *sli_board_look_up(const sli_board_t *board, uint64_t key);
static inline uint32_t sli_board_stage(const sli_board_notice_t *notice, int stage) {
  return atomic_load_explicit(&notice->stages[stage], memory_order_acquire);
}
// Called after data of the owner was read: whether the notice was up during that time.
static inline bool sli_board_is_up(const sli_board_notice_t *notice, uint64_t key) {
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&notice->key, memory_order_relaxed) == key;
}
// Blocks while |*changes|, which is on another board than |own|, is |seen|, at most 20 ms.
void sli_board_wait(sli_board_t *own, const _Atomic uint32_t *changes, uint32_t seen);

#endif  // SLI_BASE_BOARD_H_
