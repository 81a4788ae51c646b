// Messages that are lent: both ends in one process, as two connections would use them.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/test.h"
#include "rpc/loan_internal.h"

enum { SMALL = 1000, LARGE = 200000 };

typedef struct {
  sli_rpc_lender_t *lender;
  sli_rpc_borrower_t *borrower;
  int passed;  // files so far
} pair_t;

static pair_t pair_make(void) { return (pair_t){sli_rpc_lender_create(), sli_rpc_borrower_create(), 0}; }

static void pair_end(pair_t *pair) {
  sli_rpc_lender_destroy(pair->lender);
  sli_rpc_borrower_destroy(pair->borrower);
}

// A message of a small head and |size| bytes |fill|.
static sli_slices_t message_of(size_t size, char fill) {
  sli_slices_t slices = {0};
  sli_slices_append(&slices, "head!", 5, NULL, NULL);
  char *data = sli_malloc(size);
  memset(data, fill, size);
  sli_slices_append(&slices, data, size, free, data);
  return slices;
}

// Lends and announces; false if the lender would not.
static bool lend(pair_t *pair, size_t size, char fill, char out_note[SLI_RPC_NOTE_SIZE]) {
  sli_slices_t slices = message_of(size, fill);
  sli_rpc_loan_t *loan = sli_rpc_lender_lend(pair->lender, &slices);
  SLI_EXPECT(!loan == (slices.size > 0));
  sli_slices_deinitialize(&slices);
  if (!loan) return false;
  int fd;
  sli_rpc_loan_announce(loan, out_note, &fd);
  if (fd < 0) return true;
  pair->passed++;
  sli_rpc_borrower_add(pair->borrower, fd);
  return true;
}

// The message of |size| bytes |fill| and its head arrives.
static sli_rpc_message_t expect_passage(pair_t *pair, size_t size, char fill) {
  char note[SLI_RPC_NOTE_SIZE] = {0};
  sli_rpc_message_t message = {0};
  SLI_EXPECT(lend(pair, size, fill, note));
  SLI_EXPECT_OK(sli_rpc_borrower_borrow(pair->borrower, note, SIZE_MAX, &message));
  SLI_EXPECT_INT(message.size, size + 5);
  SLI_EXPECT(message.data && !memcmp(message.data, "head!", 5) && message.data[5] == fill &&
             message.data[message.size - 1] == fill);
  return message;
}

SLI_TEST(test_a_message_arrives_aligned_and_its_segment_is_used_again) {
  pair_t pair = pair_make();
  for (char fill = 'a'; fill < 'e'; fill++) {
    sli_rpc_message_t message = expect_passage(&pair, LARGE, fill);
    SLI_EXPECT_INT((uintptr_t)(message.data + 5) % 64, 0);
    memset(message.data, 'x', message.size);  // the borrower may write
    sli_rpc_message_release(&message);
  }
  SLI_EXPECT_INT(pair.passed, 1);
  pair_end(&pair);
}

SLI_TEST(test_what_is_held_is_not_lent_again) {
  pair_t pair = pair_make();
  sli_rpc_message_t first = expect_passage(&pair, LARGE, 'a'), second = expect_passage(&pair, LARGE, 'b');
  SLI_EXPECT_INT(first.data[5], 'a');
  SLI_EXPECT_INT(pair.passed, 2);
  sli_rpc_message_release(&first);
  sli_rpc_message_t third = expect_passage(&pair, LARGE, 'c');
  SLI_EXPECT_INT(second.data[5], 'b');
  SLI_EXPECT_INT(pair.passed, 2);
  sli_rpc_message_release(&second);
  sli_rpc_message_release(&third);
  pair_end(&pair);
}

SLI_TEST(test_a_message_outlives_both_ends) {
  pair_t pair = pair_make();
  sli_rpc_message_t message = expect_passage(&pair, LARGE, 'a');
  pair_end(&pair);
  SLI_EXPECT_INT(message.data[LARGE], 'a');
  sli_rpc_message_release(&message);
}

SLI_TEST(test_small_and_huge_messages_are_not_lent) {
  pair_t pair = pair_make();
  char note[SLI_RPC_NOTE_SIZE];
  SLI_EXPECT(!lend(&pair, SMALL, 'a', note));
  sli_slices_t huge = {0};
  sli_slices_append(&huge, "", (size_t)1 << 30, NULL, NULL);
  SLI_EXPECT(!sli_rpc_lender_lend(pair.lender, &huge));
  sli_slices_deinitialize(&huge);
  pair_end(&pair);
}

SLI_TEST(test_a_withdrawn_loan_leaves_its_segment_free) {
  pair_t pair = pair_make();
  for (int i = 0; i < 2 * SLI_RPC_MAX_SEGMENTS; i++) {
    sli_slices_t slices = message_of(LARGE, 'a');
    sli_rpc_loan_t *loan = sli_rpc_lender_lend(pair.lender, &slices);
    SLI_REQUIRE(loan);
    sli_rpc_loan_withdraw(loan);
  }
  sli_rpc_message_t message = expect_passage(&pair, LARGE, 'b');
  sli_rpc_message_release(&message);
  pair_end(&pair);
}

SLI_TEST(test_a_borrower_that_keeps_all_gets_no_more_until_it_gives_some_back) {
  pair_t pair = pair_make();
  sli_rpc_message_t held[SLI_RPC_MAX_SEGMENTS];
  for (int i = 0; i < SLI_RPC_MAX_SEGMENTS; i++) held[i] = expect_passage(&pair, LARGE, 'a');
  char note[SLI_RPC_NOTE_SIZE];
  SLI_EXPECT(!lend(&pair, LARGE, 'b', note));
  sli_rpc_message_release(&held[3]);
  // The one that is free is too small: another takes its place.
  sli_rpc_message_t larger = expect_passage(&pair, 2 * LARGE, 'c');
  SLI_EXPECT_INT(pair.passed, SLI_RPC_MAX_SEGMENTS + 1);
  for (int i = 0; i < SLI_RPC_MAX_SEGMENTS; i++) sli_rpc_message_release(&held[i]);
  sli_rpc_message_release(&larger);
  pair_end(&pair);
}

SLI_TEST(test_notes_that_lie_are_refused) {
  pair_t pair = pair_make();
  char note[SLI_RPC_NOTE_SIZE], bad[SLI_RPC_NOTE_SIZE];
  sli_rpc_message_t message;
  memset(note, 0, sizeof(note));
  SLI_EXPECT_STATUS(sli_rpc_borrower_borrow(pair.borrower, note, SIZE_MAX, &message), SLI_UNAVAILABLE);
  SLI_REQUIRE(lend(&pair, LARGE, 'a', note));
  SLI_EXPECT_STATUS(sli_rpc_borrower_borrow(pair.borrower, note, LARGE, &message), SLI_RESOURCE_EXHAUSTED);
  // Fields: the loan's number and the size in eight bytes, segment and offset in four.
  static const struct {
    size_t at;
    unsigned char byte;
    sli_code_t code;
  } lies[] = {{0, 9, SLI_UNAVAILABLE},  {15, 1, SLI_INTERNAL}, {10, 0xff, SLI_INTERNAL},
              {16, 1, SLI_UNAVAILABLE}, {21, 0, SLI_INTERNAL}, {23, 1, SLI_INTERNAL}};
  for (size_t i = 0; i < SLI_COUNT_OF(lies); i++) {
    memcpy(bad, note, sizeof(bad));
    bad[lies[i].at] = (char)lies[i].byte;
    SLI_EXPECT_STATUS(sli_rpc_borrower_borrow(pair.borrower, bad, SIZE_MAX, &message), lies[i].code);
    SLI_EXPECT(!message.data);
  }
  SLI_EXPECT_OK(sli_rpc_borrower_borrow(pair.borrower, note, SIZE_MAX, &message));
  sli_rpc_message_t again;
  SLI_EXPECT_STATUS(sli_rpc_borrower_borrow(pair.borrower, note, SIZE_MAX, &again), SLI_UNAVAILABLE);
  sli_rpc_message_release(&message);
  SLI_EXPECT_STATUS(sli_rpc_borrower_borrow(pair.borrower, note, SIZE_MAX, &again), SLI_UNAVAILABLE);
  pair_end(&pair);
}

// A file that its owner could cut off would be a trap.
SLI_TEST(test_files_that_can_shrink_are_no_segments) {
  pair_t pair = pair_make();
  int fd = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  SLI_REQUIRE(fd >= 0 && ftruncate(fd, 1 << 20) == 0);
  sli_rpc_borrower_add(pair.borrower, fd);
  fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  sli_rpc_borrower_add(pair.borrower, fd);
  char note[SLI_RPC_NOTE_SIZE] = {0};
  for (char segment = 0; segment < 3; segment++) {
    note[16] = segment;
    sli_rpc_message_t message;
    SLI_EXPECT_STATUS(sli_rpc_borrower_borrow(pair.borrower, note, SIZE_MAX, &message), SLI_UNAVAILABLE);
  }
  pair_end(&pair);
}

SLI_TEST_MAIN(test_a_message_arrives_aligned_and_its_segment_is_used_again, test_what_is_held_is_not_lent_again,
              test_a_message_outlives_both_ends, test_small_and_huge_messages_are_not_lent,
              test_a_withdrawn_loan_leaves_its_segment_free,
              test_a_borrower_that_keeps_all_gets_no_more_until_it_gives_some_back, test_notes_that_lie_are_refused,
              test_files_that_can_shrink_are_no_segments)
