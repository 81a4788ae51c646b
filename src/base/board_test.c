// Boards, with owner and reader in one process that sees its memory twice.
#include "base/board.h"

#include <pthread.h>

#include "base/test.h"

static const sli_board_readers_t nobody = {0};

enum { PIECES = 1000, KEY = 77, ID = 5 };

static sli_lend_mapping_t *map_own(void) {
  SLI_EXPECT(sli_lend_start());
  sli_lend_mapping_t *memory = sli_lend_mapping_create(sli_lend_file());
  SLI_EXPECT(memory);
  return memory;
}

typedef struct {
  sli_board_t *board;
  sli_board_notice_t *notice;
  sli_board_readers_t readers;
  int *data;
} owner_t;

static void *work(void *argument) {
  owner_t *owner = argument;
  owner->notice = sli_board_put_up(owner->board, owner->readers, KEY, owner->data);
  for (int i = 0; i < PIECES; i++) {
    owner->data[i] = i * i;
    sli_board_advance(owner->notice, owner->readers, 1, (uint32_t)i + 1);
  }
  return NULL;
}

// The reader sees what the owner wrote before it advanced.
SLI_TEST(test_a_reader_follows_the_owner) {
  sli_lend_mapping_t *memory = map_own();
  owner_t owner = {.board = sli_board_create(ID), .data = sli_lend_allocate(PIECES * sizeof(int))};
  SLI_REQUIRE(owner.board && owner.data);
  const sli_board_t *seen = sli_board_find(memory, sli_lend_offset(owner.board), ID);
  SLI_REQUIRE(seen && seen != owner.board);
  // The reader says on a board of its own that it sleeps; nobody else would wake it in time.
  sli_board_t *own = sli_board_create(ID + 1);
  const sli_board_t *readers[] = {NULL, sli_board_find(memory, sli_lend_offset(own), ID + 1)};
  SLI_REQUIRE(readers[1]);
  owner.readers = (sli_board_readers_t){readers, 2};
  pthread_t thread;
  pthread_create(&thread, NULL, work, &owner);
  const sli_board_notice_t *notice;
  for (uint32_t changes = 0; !(notice = sli_board_look_up(seen, KEY)); changes = atomic_load(&seen->changes))
    sli_board_wait(own, &seen->changes, changes);
  const int *data = sli_lend_mapping_at(memory, atomic_load(&notice->offset), PIECES * sizeof(int));
  SLI_REQUIRE(data);
  for (uint32_t i = 0; i < PIECES; i++) {
    for (;;) {
      uint32_t changes = atomic_load(&notice->changes);
      if (sli_board_stage(notice, 1) > i) break;
      sli_board_wait(own, &notice->changes, changes);
    }
    SLI_EXPECT_INT(data[i], (int)(i * i));
  }
  SLI_EXPECT_INT(sli_board_stage(notice, 0), 0);
  pthread_join(thread, NULL);
  SLI_EXPECT(sli_board_is_up(notice, KEY));
  sli_board_take_down(owner.board, owner.readers, owner.notice);
  SLI_EXPECT(!sli_board_is_up(notice, KEY) && !sli_board_look_up(seen, KEY));
  sli_lend_release(owner.data);
  sli_board_destroy(owner.board);
  SLI_EXPECT_INT(atomic_load(&own->sleepers), 0);
  sli_board_destroy(own);
  SLI_EXPECT(!sli_board_find(memory, sli_lend_offset(owner.board), ID));
  sli_lend_mapping_release(memory);
}

SLI_TEST(test_a_board_is_full_at_last_and_places_are_used_again) {
  sli_lend_mapping_t *memory = map_own();
  sli_board_t *board = sli_board_create(ID);
  void *data = sli_lend_allocate(64);
  sli_board_notice_t *first = NULL;
  for (uint64_t i = 0; i < SLI_BOARD_NOTICES; i++) {
    sli_board_notice_t *notice = sli_board_put_up(board, nobody, i + 1, data);
    SLI_REQUIRE(notice);
    sli_board_advance(notice, nobody, 0, 3);
    if (!first) first = notice;
  }
  SLI_EXPECT(!sli_board_put_up(board, nobody, 1000, data));
  sli_board_take_down(board, nobody, first);
  sli_board_notice_t *again = sli_board_put_up(board, nobody, 1000, data);
  SLI_EXPECT(again == first);
  SLI_EXPECT_INT(sli_board_stage(again, 0), 0);
  sli_board_destroy(board);
  sli_lend_release(data);
  sli_lend_mapping_release(memory);
}

// What a peer says about its board may be forged.
SLI_TEST(test_a_forged_place_is_no_board) {
  sli_lend_mapping_t *memory = map_own();
  sli_board_t *board = sli_board_create(ID);
  uint64_t offset = sli_lend_offset(board);
  SLI_EXPECT(sli_board_find(memory, offset, ID));
  SLI_EXPECT(!sli_board_find(memory, offset, ID + 1));
  SLI_EXPECT(!sli_board_find(memory, offset + 8, ID));
  SLI_EXPECT(!sli_board_find(memory, 0, ID));
  SLI_EXPECT(!sli_board_find(memory, SLI_LEND_ARENA_SIZE - 8, ID));
  SLI_EXPECT(!sli_board_find(memory, UINT64_MAX - 8, ID));
  SLI_EXPECT(!sli_lend_mapping_at(memory, SLI_LEND_ARENA_SIZE - 8, 9));
  SLI_EXPECT(!sli_lend_mapping_at(memory, UINT64_MAX, 2));
  sli_board_destroy(board);
  sli_lend_mapping_release(memory);
}

SLI_TEST_MAIN(test_a_reader_follows_the_owner, test_a_board_is_full_at_last_and_places_are_used_again,
              test_a_forged_place_is_no_board)
