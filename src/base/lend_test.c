// Lending, with both sides in one process; a borrower that dies is a process of its own.
#include "base/lend.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/test.h"

enum { SIZE = 200000 };

typedef struct {
  sli_lender_t *lender;
  sli_borrowed_t *borrowed;
} pair_t;

static pair_t pair_make(void) {
  SLI_EXPECT(sli_lend_start());
  pair_t pair = {sli_lender_create(getpid()), sli_borrowed_map(sli_lend_file())};
  SLI_EXPECT(pair.borrowed);
  return pair;
}

static void pair_end(pair_t *pair) {
  sli_lender_destroy(pair->lender);
  sli_borrowed_release(pair->borrowed);
}

static char *block_of(char fill) {
  char *data = sli_lend_allocate(SIZE);
  SLI_EXPECT(data && (uintptr_t)data % 64 == 0 && sli_lend_owns(data) && sli_lend_owns(data + SIZE - 1));
  memset(data, fill, SIZE);
  return data;
}

SLI_TEST(test_a_block_is_read_where_it_lies_and_comes_back) {
  pair_t pair = pair_make();
  char *block = block_of('a'), *seen = NULL;
  SLI_EXPECT(!sli_lend_is_lent(block));
  sli_lend_note_t note;
  SLI_REQUIRE(sli_lender_lend(pair.lender, block, SIZE, "head!", 5, &note));
  sli_lender_complete(&note);
  SLI_EXPECT(!note.is_given && sli_lend_is_lent(block) && sli_lend_is_lent(block + SIZE - 1));
  sli_debt_t *debt = sli_borrow(pair.borrowed, &note, &seen);
  SLI_REQUIRE(debt);
  SLI_EXPECT_INT(note.size, SIZE + 5);
  SLI_EXPECT(!memcmp(seen, "head!a", 6) && seen[SIZE + 4] == 'a' && seen != block - 5);
  SLI_EXPECT(sli_lend_is_lent(block));
  sli_borrow_end(debt);
  SLI_EXPECT(!sli_lend_is_lent(block));
  sli_lend_release(block);
  pair_end(&pair);
}

SLI_TEST(test_a_released_block_comes_back_when_its_borrowers_are_done) {
  pair_t pair = pair_make();
  char *block = block_of('a'), *seen;
  sli_lend_note_t notes[2];
  sli_debt_t *debts[2];
  size_t size = 0;
  SLI_EXPECT(!sli_lend_defer(block, SIZE));
  for (int i = 0; i < 2; i++) {
    SLI_REQUIRE(sli_lender_lend(pair.lender, block, SIZE, "", 0, &notes[i]));
    debts[i] = sli_borrow(pair.borrowed, &notes[i], &seen);
    SLI_REQUIRE(debts[i]);
  }
  SLI_EXPECT(sli_lend_defer(block, SIZE));
  sli_lender_complete(&notes[1]);
  SLI_EXPECT(!notes[1].is_given);  // the other reads it too
  sli_borrow_end(debts[0]);
  SLI_EXPECT(!sli_lend_take_returned(&size));
  SLI_EXPECT_INT(seen[7], 'a');
  sli_borrow_end(debts[1]);
  SLI_EXPECT(sli_lend_take_returned(&size) == block);
  SLI_EXPECT_INT(size, SIZE);
  SLI_EXPECT(!sli_lend_take_returned(&size));
  sli_lend_release(block);
  pair_end(&pair);
}

SLI_TEST(test_what_its_owner_is_done_with_is_given_and_may_be_written_to) {
  pair_t pair = pair_make();
  char *block = block_of('a'), *seen;
  sli_lend_note_t note;
  SLI_REQUIRE(sli_lender_lend(pair.lender, block, SIZE, "", 0, &note) && sli_lend_defer(block, 0));
  sli_lender_complete(&note);
  SLI_EXPECT(note.is_given);
  sli_debt_t *debt = sli_borrow(pair.borrowed, &note, &seen);
  SLI_REQUIRE(debt);
  memset(seen, 'b', SIZE);
  SLI_EXPECT_INT(block[SIZE - 1], 'b');
  sli_borrow_end(debt);
  // Nobody's now: the next one of its size.
  SLI_EXPECT(sli_lend_allocate(SIZE) == block);
  sli_lend_release(block);
  pair_end(&pair);
}

SLI_TEST(test_a_block_has_one_head_at_a_time) {
  pair_t pair = pair_make();
  char *block = block_of('a'), long_head[SLI_LEND_HEADROOM + 1] = {0};
  sli_lend_note_t first, second;
  SLI_REQUIRE(sli_lender_lend(pair.lender, block, SIZE, "one", 3, &first));
  SLI_EXPECT(!sli_lender_lend(pair.lender, block, SIZE, "two", 3, &second));
  SLI_EXPECT(sli_lender_lend(pair.lender, block, SIZE, "one", 3, &second));
  sli_lender_withdraw(&first);
  SLI_EXPECT(sli_lend_is_lent(block));
  sli_lender_withdraw(&second);
  SLI_EXPECT(!sli_lend_is_lent(block));
  SLI_EXPECT(!sli_lender_lend(pair.lender, block, SIZE, long_head, sizeof(long_head), &first));
  SLI_EXPECT(!sli_lender_lend(pair.lender, block + 64, SIZE - 64, "", 0, &first));
  SLI_EXPECT(!sli_lender_lend(pair.lender, long_head, 1, "", 0, &first));
  sli_lend_release(block);
  pair_end(&pair);
}

SLI_TEST(test_notes_that_lie_lead_nowhere) {
  pair_t pair = pair_make();
  char *block = block_of('a'), *seen;
  sli_lend_note_t note;
  SLI_REQUIRE(sli_lender_lend(pair.lender, block, SIZE, "", 0, &note));
  sli_lend_note_t lies[] = {note, note, note, note, note, note};
  lies[0].number++;
  lies[1].slot = 1 << 20;
  lies[2].offset = 0;  // the words
  lies[3].offset = UINT64_MAX - 10;
  lies[4].size = UINT64_MAX - 10;
  lies[5].slot ^= 1;
  for (size_t i = 0; i < SLI_COUNT_OF(lies); i++) SLI_EXPECT(!sli_borrow(pair.borrowed, &lies[i], &seen));
  sli_debt_t *debt = sli_borrow(pair.borrowed, &note, &seen);
  SLI_REQUIRE(debt);
  SLI_EXPECT(!sli_borrow(pair.borrowed, &note, &seen));  // once
  sli_borrow_end(debt);
  SLI_EXPECT(!sli_borrow(pair.borrowed, &note, &seen));
  sli_lend_release(block);
  pair_end(&pair);
}

// A file that its owner could cut off would be a trap.
SLI_TEST(test_files_that_can_shrink_are_no_arenas) {
  int fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  SLI_REQUIRE(fd >= 0 && ftruncate(fd, 1 << 20) == 0);
  SLI_EXPECT(!sli_borrowed_map(fd));
  close(fd);
  fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  SLI_EXPECT(!sli_borrowed_map(fd));
  close(fd);
}

SLI_TEST(test_what_a_dead_process_held_comes_back) {
  SLI_REQUIRE(sli_lend_start());
  int ready[2];
  SLI_REQUIRE(pipe(ready) == 0);
  char *block = block_of('a'), byte;
  sli_lend_note_t note;
  // The child learns its own loan: it has a copy of this memory from before the fork, and the arena itself.
  int told[2];
  SLI_REQUIRE(pipe(told) == 0);
  pid_t child = fork();
  if (child == 0) {
    sli_borrowed_t *borrowed = sli_borrowed_map(sli_lend_file());
    char *seen = NULL;
    bool holds = borrowed && read(told[0], &note, sizeof(note)) == sizeof(note) && sli_borrow(borrowed, &note, &seen) &&
                 seen[0] == 'a';
    if (write(ready[1], holds ? "y" : "n", 1) == 1) pause();
    _exit(1);
  }
  sli_lender_t *lender = sli_lender_create(child);
  SLI_REQUIRE(sli_lender_lend(lender, block, SIZE, "", 0, &note));
  SLI_EXPECT(write(told[1], &note, sizeof(note)) == sizeof(note));
  SLI_EXPECT(read(ready[0], &byte, 1) == 1 && byte == 'y');
  sli_lender_destroy(lender);
  SLI_EXPECT(sli_lend_is_lent(block));  // it lives
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  SLI_EXPECT(!sli_lend_is_lent(block));
  sli_lend_release(block);
  for (int i = 0; i < 2; i++) close(ready[i]), close(told[i]);
}

SLI_TEST(test_blocks_of_many_sizes_do_not_meet) {
  SLI_REQUIRE(sli_lend_start());
  enum { COUNT = 40 };
  static const size_t step = 37777;
  char *blocks[COUNT];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < COUNT; i++) {
      blocks[i] = sli_lend_allocate(step * (size_t)(i + 1));
      SLI_REQUIRE(blocks[i]);
      memset(blocks[i], i + 1, step * (size_t)(i + 1));
    }
    for (int i = 0; i < COUNT; i++) {
      SLI_EXPECT(blocks[i][0] == i + 1 && blocks[i][step * (size_t)(i + 1) - 1] == i + 1);
      if (i % 3 != round) sli_lend_release(blocks[i]);
    }
    for (int i = 0; i < COUNT; i++)
      if (i % 3 == round) sli_lend_release(blocks[i]);
  }
  // More than is kept: the pages go, the room stays.
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 3; i++) {
      blocks[i] = sli_lend_allocate((size_t)100 << 20);
      SLI_REQUIRE(blocks[i]);
      blocks[i][(100 << 20) - 1] = 1;
    }
    for (int i = 0; i < 3; i++) sli_lend_release(blocks[i]);
  }
  struct stat status;
  SLI_EXPECT(fstat(sli_lend_file(), &status) == 0 && status.st_blocks > 8);
  sli_lend_trim();
  SLI_EXPECT(fstat(sli_lend_file(), &status) == 0);
  SLI_EXPECT(status.st_blocks <= 64 * 1024 / 512);  // the words are left
  SLI_EXPECT(!sli_lend_allocate((size_t)1 << 40));
}

SLI_TEST_MAIN(test_a_block_is_read_where_it_lies_and_comes_back,
              test_a_released_block_comes_back_when_its_borrowers_are_done,
              test_what_its_owner_is_done_with_is_given_and_may_be_written_to, test_a_block_has_one_head_at_a_time,
              test_notes_that_lie_lead_nowhere, test_files_that_can_shrink_are_no_arenas,
              test_what_a_dead_process_held_comes_back, test_blocks_of_many_sizes_do_not_meet)
