#include "io/file/part_sender.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/test.h"

enum { PARTS = 40, SIZE = 1000, MAX_KEPT = 4, MAX_MOVING = 2 };

static atomic_int kept, moving, most_kept, most_moving, failing;
static char arrived[PARTS + 1];  // the first byte of each part

static void count_up(atomic_int *now, atomic_int *most) {
  int count = atomic_fetch_add(now, 1) + 1, old = atomic_load(most);
  while (count > old && !atomic_compare_exchange_weak(most, &old, count)) {
  }
}

static sli_status_t *send_one(void *context, sli_part_t *part) {
  count_up(&kept, &most_kept);
  count_up(&moving, &most_moving);
  usleep(500);
  atomic_fetch_sub(&moving, 1);
  sli_part_sent(part);
  sli_part_sent(part);  // by an attempt that is repeated
  usleep(2000);
  if (part->data.size == SIZE && part->number < PARTS) arrived[part->number] = part->data.data[SIZE - 1];
  atomic_fetch_sub(&kept, 1);
  return (int)part->number == atomic_load(&failing) ? sli_status_make(SLI_UNAVAILABLE, "part %zu", part->number) : NULL;
}

static void begin(sli_part_sender_t *sender, int failing_part) {
  sli_part_sender_initialize(sender, send_one, NULL, MAX_KEPT, MAX_MOVING);
  atomic_store(&failing, failing_part);
  atomic_store(&most_kept, 0);
  atomic_store(&most_moving, 0);
}

static sli_status_t *send_number(sli_part_sender_t *sender, int number) {
  char bytes[SIZE + 1];
  memset(bytes, number + 1, sizeof(bytes));
  SLI_EXPECT_INT(sli_part_sender_add(sender, bytes, 10, SIZE), 10);
  SLI_EXPECT_INT(sli_part_sender_add(sender, bytes, sizeof(bytes), SIZE), SIZE - 10);
  SLI_EXPECT_INT(sli_part_sender_add(sender, bytes, 1, SIZE), 0);
  return sli_part_sender_send(sender);
}

SLI_TEST(test_parts_arrive_whole_and_few_at_the_same_time) {
  sli_part_sender_t sender;
  begin(&sender, -1);
  for (int i = 0; i < PARTS; i++) SLI_EXPECT_OK(send_number(&sender, i));
  SLI_EXPECT_OK(sli_part_sender_wait(&sender));
  for (int i = 0; i < PARTS; i++) SLI_EXPECT_INT(arrived[i], i + 1);
  SLI_EXPECT_INT(sender.count, PARTS);
  SLI_EXPECT_INT(sender.pending.size, 0);
  SLI_EXPECT(atomic_load(&most_kept) <= MAX_KEPT && atomic_load(&most_moving) <= MAX_MOVING);
  // After a reset the numbers begin anew.
  sli_part_sender_reset(&sender, 7);
  SLI_EXPECT_OK(send_number(&sender, 50));
  SLI_EXPECT_OK(sli_part_sender_wait(&sender));
  SLI_EXPECT_INT(arrived[7], 51);
  sli_part_sender_deinitialize(&sender);
}

SLI_TEST(test_a_failure_comes_to_the_writer) {
  sli_part_sender_t sender;
  begin(&sender, 3);
  sli_status_t *status = NULL;
  int sent = 0;
  while (!status && sent < PARTS) status = send_number(&sender, sent++);
  SLI_EXPECT_INT(sent, 3 + MAX_KEPT + 1);  // when its memory is needed again
  SLI_EXPECT_TEXT(sli_status_message(status), "part 3");
  sli_status_release(status);
  sli_part_sender_deinitialize(&sender);
  begin(&sender, 1);
  SLI_EXPECT_OK(send_number(&sender, 0));
  SLI_EXPECT_OK(send_number(&sender, 1));
  SLI_EXPECT_STATUS(sli_part_sender_wait(&sender), SLI_UNAVAILABLE);
  SLI_EXPECT_OK(sli_part_sender_wait(&sender));
  sli_part_sender_deinitialize(&sender);
}

SLI_TEST_MAIN(test_parts_arrive_whole_and_few_at_the_same_time, test_a_failure_comes_to_the_writer)
