#include "base/board.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spin.h"

#define LONGEST_WAIT INT64_C(20000000)

sli_board_t *sli_board_create(uint64_t id) {
  if (!sli_lend_start()) return NULL;
  sli_board_t *board = sli_lend_allocate(sizeof(*board));
  if (!board) return NULL;
  memset(board, 0, sizeof(*board));
  atomic_store_explicit(&board->id, id, memory_order_release);
  return board;
}

// A reader counts itself as a sleeper before it looks at the word for the last time, and the owner looks for sleepers
// after it has changed the word: one of them sees the other.
static void change(_Atomic uint32_t *changes, sli_board_readers_t readers) {
  bool has_sleepers = false;
  atomic_fetch_add(changes, 1);
  for (int i = 0; i < readers.count && !has_sleepers; i++)
    has_sleepers = readers.boards[i] && atomic_load(&readers.boards[i]->sleepers);
  if (has_sleepers) syscall(SYS_futex, changes, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void sli_board_destroy(sli_board_t *board) {
  if (!board) return;
  for (int i = 0; i < SLI_BOARD_NOTICES; i++)
    if (atomic_load(&board->notices[i].key)) sli_board_take_down(board, (sli_board_readers_t){0}, &board->notices[i]);
  atomic_store(&board->id, 0);
  sli_lend_release(board);
}

sli_board_notice_t *sli_board_put_up(sli_board_t *board, sli_board_readers_t readers, uint64_t key, const void *data) {
  for (int i = 0; i < SLI_BOARD_NOTICES; i++) {
    sli_board_notice_t *notice = &board->notices[i];
    uint64_t unused = 0;
    // The key is stored last; until then the place is taken by one that nobody looks for.
    if (!atomic_compare_exchange_strong(&notice->key, &unused, UINT64_MAX)) continue;
    atomic_store_explicit(&notice->offset, sli_lend_offset(data), memory_order_relaxed);
    for (int stage = 0; stage < SLI_BOARD_STAGES; stage++)
      atomic_store_explicit(&notice->stages[stage], 0, memory_order_relaxed);
    atomic_store_explicit(&notice->key, key, memory_order_release);
    change(&board->changes, readers);
    return notice;
  }
  return NULL;
}

void sli_board_take_down(sli_board_t *board, sli_board_readers_t readers, sli_board_notice_t *notice) {
  atomic_store(&notice->key, 0);
  atomic_thread_fence(memory_order_seq_cst);  // before the owner reuses its data
  change(&notice->changes, readers);
  change(&board->changes, readers);
}

void sli_board_advance(sli_board_notice_t *notice, sli_board_readers_t readers, int stage, uint32_t count) {
  atomic_store_explicit(&notice->stages[stage], count, memory_order_release);
  change(&notice->changes, readers);
}

const sli_board_t *sli_board_find(const sli_lend_mapping_t *memory, uint64_t offset, uint64_t id) {
  const sli_board_t *board = sli_lend_mapping_at(memory, offset, sizeof(*board));
  if (!board || offset % _Alignof(sli_board_t)) return NULL;
  return atomic_load_explicit(&board->id, memory_order_acquire) == id ? board : NULL;
}

const sli_board_notice_t *sli_board_look_up(const sli_board_t *board, uint64_t key) {
  for (int i = 0; i < SLI_BOARD_NOTICES; i++)
    if (atomic_load_explicit(&board->notices[i].key, memory_order_acquire) == key) return &board->notices[i];
  return NULL;
}

void sli_board_wait(sli_board_t *own, const _Atomic uint32_t *changes, uint32_t seen) {
  static _Thread_local sli_spin_t spin;
  int64_t began = sli_clock_now_nanos(), now = began;
  while (atomic_load_explicit(changes, memory_order_acquire) == seen && sli_spin(&spin, now, began))
    now = sli_clock_now_nanos();
  struct timespec timeout = {0, LONGEST_WAIT};
  if (atomic_load_explicit(changes, memory_order_acquire) == seen) {
    atomic_fetch_add(&own->sleepers, 1);
    if (atomic_load(changes) == seen) syscall(SYS_futex, changes, FUTEX_WAIT, seen, &timeout, NULL, 0);
    atomic_fetch_sub(&own->sleepers, 1);
  }
  sli_spin_learn(&spin, sli_clock_now_nanos() - began);
}
