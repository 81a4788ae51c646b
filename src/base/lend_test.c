// Lending, with lender and borrower in one process; a borrower that dies is a child process.
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
  sli_lend_borrower_t *borrower;
  sli_lend_mapping_t *mapping;
} pair_t;

static pair_t pair_make(void) {
  SLI_EXPECT(sli_lend_start());
  pair_t pair = {sli_lend_borrower_create(getpid()), sli_lend_mapping_create(sli_lend_file())};
  SLI_EXPECT(pair.mapping);
  return pair;
}

static void pair_end(pair_t *pair) {
  sli_lend_borrower_destroy(pair->borrower);
  sli_lend_mapping_release(pair->mapping);
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
  SLI_REQUIRE(sli_lend_to(pair.borrower, block, SIZE, "head!", 5, &note));
  sli_lend_note_complete(&note);
  SLI_EXPECT(!note.is_given && sli_lend_is_lent(block) && sli_lend_is_lent(block + SIZE - 1));
  sli_lend_loan_t *loan = sli_lend_loan_begin(pair.mapping, &note, &seen);
  SLI_REQUIRE(loan);
  SLI_EXPECT_INT(note.size, SIZE + 5);
  SLI_EXPECT(!memcmp(seen, "head!a", 6) && seen[SIZE + 4] == 'a' && seen != block - 5);
  SLI_EXPECT(sli_lend_is_lent(block));
  sli_lend_loan_end(loan);
  SLI_EXPECT(!sli_lend_is_lent(block));
  sli_lend_release(block);
  pair_end(&pair);
}

SLI_TEST(test_a_released_block_comes_back_when_its_borrowers_are_done) {
  pair_t pair = pair_make();
  char *block = block_of('a'), *seen;
  sli_lend_note_t notes[2];
  sli_lend_loan_t *loans[2];
  size_t size = 0;
  SLI_EXPECT(!sli_lend_defer_release(block, SIZE));
  for (int i = 0; i < 2; i++) {
    SLI_REQUIRE(sli_lend_to(pair.borrower, block, SIZE, "", 0, &notes[i]));
    loans[i] = sli_lend_loan_begin(pair.mapping, &notes[i], &seen);
    SLI_REQUIRE(loans[i]);
  }
  SLI_EXPECT(sli_lend_defer_release(block, SIZE));
  sli_lend_note_complete(&notes[1]);
  SLI_EXPECT(!notes[1].is_given);  // the other borrower still reads it
  sli_lend_loan_end(loans[0]);
  SLI_EXPECT(!sli_lend_take_returned(&size));
  SLI_EXPECT_INT(seen[7], 'a');
  sli_lend_loan_end(loans[1]);
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
  SLI_REQUIRE(sli_lend_to(pair.borrower, block, SIZE, "", 0, &note) && sli_lend_defer_release(block, 0));
  sli_lend_note_complete(&note);
  SLI_EXPECT(note.is_given);
  sli_lend_loan_t *loan = sli_lend_loan_begin(pair.mapping, &note, &seen);
  SLI_REQUIRE(loan);
  memset(seen, 'b', SIZE);
  SLI_EXPECT_INT(block[SIZE - 1], 'b');
  sli_lend_loan_end(loan);
  // The block is free now: the next allocation of its size gets it.
  SLI_EXPECT(sli_lend_allocate(SIZE) == block);
  sli_lend_release(block);
  pair_end(&pair);
}

SLI_TEST(test_a_block_has_one_head_at_a_time) {
  pair_t pair = pair_make();
  char *block = block_of('a'), long_head[SLI_LEND_HEADROOM + 1] = {0};
  sli_lend_note_t first, second;
  SLI_REQUIRE(sli_lend_to(pair.borrower, block, SIZE, "one", 3, &first));
  SLI_EXPECT(!sli_lend_to(pair.borrower, block, SIZE, "two", 3, &second));
  SLI_EXPECT(sli_lend_to(pair.borrower, block, SIZE, "one", 3, &second));
  sli_lend_note_withdraw(&first);
  SLI_EXPECT(sli_lend_is_lent(block));
  sli_lend_note_withdraw(&second);
  SLI_EXPECT(!sli_lend_is_lent(block));
  SLI_EXPECT(!sli_lend_to(pair.borrower, block, SIZE, long_head, sizeof(long_head), &first));
  SLI_EXPECT(!sli_lend_to(pair.borrower, block + 64, SIZE - 64, "", 0, &first));
  SLI_EXPECT(!sli_lend_to(pair.borrower, long_head, 1, "", 0, &first));
  sli_lend_release(block);
  pair_end(&pair);
}

SLI_TEST(test_notes_that_lie_lead_nowhere) {
  pair_t pair = pair_make();
  char *block = block_of('a'), *seen;
  sli_lend_note_t note;
  SLI_REQUIRE(sli_lend_to(pair.borrower, block, SIZE, "", 0, &note));
  sli_lend_note_t lies[] = {note, note, note, note, note, note};
  lies[0].number++;
  lies[1].slot = 1 << 20;
  lies[2].offset = 0;  // the words
  lies[3].offset = UINT64_MAX - 10;
  lies[4].size = UINT64_MAX - 10;
  lies[5].slot ^= 1;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(lies); i++) SLI_EXPECT(!sli_lend_loan_begin(pair.mapping, &lies[i], &seen));
  sli_lend_loan_t *loan = sli_lend_loan_begin(pair.mapping, &note, &seen);
  SLI_REQUIRE(loan);
  SLI_EXPECT(!sli_lend_loan_begin(pair.mapping, &note, &seen));  // a loan begins only once
  sli_lend_loan_end(loan);
  SLI_EXPECT(!sli_lend_loan_begin(pair.mapping, &note, &seen));
  sli_lend_release(block);
  pair_end(&pair);
}

// If the owner could truncate the file, reading it could raise SIGBUS.
SLI_TEST(test_files_that_can_shrink_are_no_arenas) {
  int fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  SLI_REQUIRE(fd >= 0 && ftruncate(fd, 1 << 20) == 0);
  SLI_EXPECT(!sli_lend_mapping_create(fd));
  close(fd);
  fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  SLI_EXPECT(!sli_lend_mapping_create(fd));
  close(fd);
}

SLI_TEST(test_what_a_dead_process_held_comes_back) {
  SLI_REQUIRE(sli_lend_start());
  int ready[2];
  SLI_REQUIRE(pipe(ready) == 0);
  char *block = block_of('a'), byte;
  sli_lend_note_t note;
  // The child gets the note through a pipe: its copy of this memory is older than the loan.
  int told[2];
  SLI_REQUIRE(pipe(told) == 0);
  pid_t child = fork();
  if (child == 0) {
    sli_lend_mapping_t *mapping = sli_lend_mapping_create(sli_lend_file());
    char *seen = NULL;
    bool holds = mapping && read(told[0], &note, sizeof(note)) == sizeof(note) &&
                 sli_lend_loan_begin(mapping, &note, &seen) && seen[0] == 'a';
    if (write(ready[1], holds ? "y" : "n", 1) == 1) pause();
    _exit(1);
  }
  sli_lend_borrower_t *borrower = sli_lend_borrower_create(child);
  SLI_REQUIRE(sli_lend_to(borrower, block, SIZE, "", 0, &note));
  SLI_EXPECT(write(told[1], &note, sizeof(note)) == sizeof(note));
  SLI_EXPECT(read(ready[0], &byte, 1) == 1 && byte == 'y');
  sli_lend_borrower_destroy(borrower);
  SLI_EXPECT(sli_lend_is_lent(block));  // the child still runs
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
  // More than is kept: the pages are freed, the address range stays.
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
  SLI_EXPECT(status.st_blocks <= 64 * 1024 / 512);  // only the words are left
  SLI_EXPECT(!sli_lend_allocate((size_t)1 << 40));
}

SLI_TEST_MAIN(test_a_block_is_read_where_it_lies_and_comes_back,
              test_a_released_block_comes_back_when_its_borrowers_are_done,
              test_what_its_owner_is_done_with_is_given_and_may_be_written_to, test_a_block_has_one_head_at_a_time,
              test_notes_that_lie_lead_nowhere, test_files_that_can_shrink_are_no_arenas,
              test_what_a_dead_process_held_comes_back, test_blocks_of_many_sizes_do_not_meet)
