#include "dist/step_table.h"

#include "base/test.h"
#include "dist/cancel_link.h"

// A clock that the test sets.
static int64_t now;
static int64_t fake_now(sli_env_t *env) { return now; }
static sli_env_t env = {.now = fake_now};

typedef struct {
  int calls, failures;
  sli_code_t code;
  int32_t value;
} outcome_t;

static void note(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  outcome_t *outcome = context;
  outcome->calls++;
  outcome->failures += status != NULL;
  outcome->code = sli_status_code(status);
  if (tensor) outcome->value = *SLI_DATA(int32_t, tensor);
  sli_status_release(status);
  sli_tensor_release(tensor);
}

static void release_nothing(void *partial) {}

static const sli_remote_rendezvous_home_t home = {.env = &env, .task_name = "/job:a/replica:0/task:0"};
static sli_view_t key(const char *text) { return sli_view(text); }

SLI_TEST(test_table_matches_in_either_order_and_each_value_once) {
  sli_rendezvous_table_t table;
  sli_rendezvous_table_initialize(&table);
  outcome_t first = {0}, second = {0}, third = {0};
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(1), false));
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(2), false));
  sli_rendezvous_table_recv(&table, key("a"), note, &first);
  sli_rendezvous_table_recv(&table, key("a"), note, &second);
  sli_rendezvous_table_recv(&table, key("a"), note, &third);
  SLI_EXPECT(first.value == 1 && second.value == 2 && third.calls == 0);
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(3), false));
  SLI_EXPECT_INT(third.value, 3);
  SLI_EXPECT(sli_rendezvous_table_is_blank(&table));
  sli_rendezvous_table_deinitialize(&table);
}

SLI_TEST(test_table_holds_many_keys) {
  sli_rendezvous_table_t table;
  sli_rendezvous_table_initialize(&table);
  outcome_t outcomes[500] = {0};
  char text[32];
  for (int i = 0; i < 500; i++) {
    snprintf(text, sizeof(text), "key %d", i);
    if (i % 2)
      sli_rendezvous_table_recv(&table, key(text), note, &outcomes[i]);
    else
      SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key(text), sli_tensor_scalar_int32(i), false));
  }
  for (int i = 0; i < 500; i++) {
    snprintf(text, sizeof(text), "key %d", i);
    if (i % 2)
      SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key(text), sli_tensor_scalar_int32(i), false));
    else
      sli_rendezvous_table_recv(&table, key(text), note, &outcomes[i]);
    SLI_EXPECT(outcomes[i].calls == 1 && outcomes[i].value == i);
  }
  sli_rendezvous_table_deinitialize(&table);
}

SLI_TEST(test_withdrawn_wait_leaves_the_value_to_the_next) {
  sli_rendezvous_table_t table;
  sli_rendezvous_table_initialize(&table);
  outcome_t gone = {0}, stays = {0};
  sli_rendezvous_table_recv(&table, key("a"), note, &stays);
  sli_rendezvous_table_recv(&table, key("a"), note, &gone);
  SLI_EXPECT(sli_rendezvous_table_withdraw(&table, key("a"), &gone));
  SLI_EXPECT(!sli_rendezvous_table_withdraw(&table, key("a"), &gone));
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(4), false));
  SLI_EXPECT(gone.calls == 0 && stays.value == 4);
  SLI_EXPECT(!sli_rendezvous_table_withdraw(&table, key("a"), &stays));
  sli_rendezvous_table_deinitialize(&table);
}

SLI_TEST(test_abort_fails_waits_and_all_that_comes) {
  sli_rendezvous_table_t table;
  sli_rendezvous_table_initialize(&table);
  outcome_t waits = {0}, late = {0};
  sli_rendezvous_table_recv(&table, key("a"), note, &waits);
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("b"), sli_tensor_scalar_int32(1), false));
  sli_rendezvous_table_abort(&table, sli_status_make(SLI_DATA_LOSS, "first"));
  sli_rendezvous_table_abort(&table, sli_status_make(SLI_ABORTED, "second"));
  sli_rendezvous_table_recv(&table, key("b"), note, &late);
  SLI_EXPECT(waits.calls == 1 && waits.code == SLI_DATA_LOSS && late.calls == 1 && late.code == SLI_DATA_LOSS);
  SLI_EXPECT_STATUS(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(1), false), SLI_DATA_LOSS);
  sli_rendezvous_table_deinitialize(&table);
}

SLI_TEST(test_step_that_holds_nothing_goes_with_its_last_user) {
  sli_step_table_t *table = sli_step_table_create(&home, release_nothing);
  sli_task_step_t *step = sli_step_table_enter(table, 7);
  SLI_EXPECT(sli_step_table_enter(table, 7) == step);
  SLI_EXPECT_INT(sli_step_table_count(table), 1);
  sli_step_table_leave(table, step);
  SLI_EXPECT_INT(sli_step_table_count(table), 1);
  sli_step_table_leave(table, step);
  SLI_EXPECT_INT(sli_step_table_count(table), 0);
  sli_step_table_destroy(table);
}

static void put(sli_step_table_t *table, int64_t id) {
  sli_task_step_t *step = sli_step_table_enter(table, id);
  SLI_EXPECT_OK(sli_rendezvous_send(&step->rendezvous->base, key("k"), sli_tensor_scalar_int32((int32_t)id), false));
  sli_step_table_leave(table, step);
}

SLI_TEST(test_step_with_a_value_waits_for_cleanup) {
  sli_step_table_t *table = sli_step_table_create(&home, release_nothing);
  put(table, 7);
  SLI_EXPECT_INT(sli_step_table_count(table), 1);
  outcome_t outcome = {0};
  sli_task_step_t *step = sli_step_table_enter(table, 7);
  sli_rendezvous_table_recv(&step->rendezvous->table, key("k"), note, &outcome);
  SLI_EXPECT_INT(outcome.value, 7);
  // Cleaned up while in use: what waits fails, and the next user gets a new step.
  outcome_t late = {0};
  sli_rendezvous_table_recv(&step->rendezvous->table, key("k"), note, &late);
  sli_step_table_cleanup(table, 7);
  sli_step_table_cleanup(table, 8);
  SLI_EXPECT(late.calls == 1 && late.code == SLI_ABORTED);
  SLI_EXPECT_INT(sli_step_table_count(table), 0);
  sli_task_step_t *fresh = sli_step_table_enter(table, 7);
  SLI_EXPECT(fresh != step);
  sli_step_table_leave(table, fresh);
  sli_step_table_leave(table, step);
  SLI_EXPECT_INT(sli_step_table_count(table), 0);
  sli_step_table_destroy(table);
}

SLI_TEST(test_steps_that_nobody_cleans_up_are_bounded) {
  sli_step_table_t *table = sli_step_table_create(&home, release_nothing);
  now = 1;
  for (int64_t id = 0; id < 12000; id++) put(table, id << 20);
  SLI_EXPECT_INT(sli_step_table_count(table), 10000);
  // An hour later, each step that comes takes one of the old ones along.
  now += INT64_C(3601) * 1000000000;
  put(table, 1);
  SLI_EXPECT_INT(sli_step_table_count(table), 10000);
  for (int64_t id = 2; id < 100; id++) put(table, id);
  SLI_EXPECT_INT(sli_step_table_count(table), 10000);
  sli_step_table_destroy(table);
}

typedef struct {
  sli_cancel_link_t link;
  int fired;
  bool ended_inside, end_result;
} linked_t;

static void on_fire(void *context) {
  linked_t *linked = context;
  linked->fired++;
  if (linked->ended_inside) linked->end_result = sli_cancel_link_end(&linked->link);
}

SLI_TEST(test_link_ends_before_inside_or_after_the_cancellation) {
  sli_cancellation_t *cancellation = sli_cancellation_create();
  linked_t before = {0}, inside = {.ended_inside = true, .end_result = true}, after = {0}, late = {0};
  SLI_EXPECT(sli_cancel_link_begin(&before.link, cancellation, on_fire, &before));
  SLI_EXPECT(sli_cancel_link_begin(&inside.link, cancellation, on_fire, &inside));
  SLI_EXPECT(sli_cancel_link_begin(&after.link, cancellation, on_fire, &after));
  SLI_EXPECT(sli_cancel_link_end(&before.link));
  sli_cancellation_cancel(cancellation, NULL);
  SLI_EXPECT(!sli_cancel_link_end(&after.link));
  SLI_EXPECT(!sli_cancel_link_begin(&late.link, cancellation, on_fire, &late));
  SLI_EXPECT(before.fired == 0 && inside.fired == 1 && after.fired == 1 && late.fired == 0);
  SLI_EXPECT(!inside.end_result);
  sli_cancellation_release(cancellation);
}

SLI_TEST_MAIN(test_table_matches_in_either_order_and_each_value_once, test_table_holds_many_keys,
              test_withdrawn_wait_leaves_the_value_to_the_next, test_abort_fails_waits_and_all_that_comes,
              test_step_that_holds_nothing_goes_with_its_last_user, test_step_with_a_value_waits_for_cleanup,
              test_steps_that_nobody_cleans_up_are_bounded, test_link_ends_before_inside_or_after_the_cancellation)
