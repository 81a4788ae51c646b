#include "dist/worker/step_table.h"

#include "base/test.h"

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

static const sli_remote_rendezvous_shared_t shared = {.env = &env, .task_name = "/job:a/replica:0/task:0"};
static sli_view_t key(const char *text) { return sli_view(text); }

SLI_TEST(test_step_that_holds_nothing_goes_with_its_last_user) {
  sli_step_table_t *table = sli_step_table_create(&shared, release_nothing);
  sli_worker_step_t *step = sli_step_table_enter(table, 7);
  SLI_EXPECT(sli_step_table_enter(table, 7) == step);
  SLI_EXPECT_INT(sli_step_table_count(table), 1);
  sli_step_table_leave(table, step);
  SLI_EXPECT_INT(sli_step_table_count(table), 1);
  sli_step_table_leave(table, step);
  SLI_EXPECT_INT(sli_step_table_count(table), 0);
  sli_step_table_destroy(table);
}

static void put(sli_step_table_t *table, int64_t id) {
  sli_worker_step_t *step = sli_step_table_enter(table, id);
  SLI_EXPECT_OK(sli_rendezvous_send(&step->rendezvous->base, key("k"), sli_tensor_scalar_int32((int32_t)id), false));
  sli_step_table_leave(table, step);
}

SLI_TEST(test_step_with_a_value_waits_for_cleanup) {
  sli_step_table_t *table = sli_step_table_create(&shared, release_nothing);
  put(table, 7);
  SLI_EXPECT_INT(sli_step_table_count(table), 1);
  outcome_t outcome = {0};
  sli_worker_step_t *step = sli_step_table_enter(table, 7);
  sli_rendezvous_table_recv(&step->rendezvous->table, key("k"), note, &outcome);
  SLI_EXPECT_INT(outcome.value, 7);
  // Cleaned up while in use: what waits fails, and the next user gets a new step.
  outcome_t late = {0};
  sli_rendezvous_table_recv(&step->rendezvous->table, key("k"), note, &late);
  sli_step_table_cleanup(table, 7);
  sli_step_table_cleanup(table, 8);
  SLI_EXPECT(late.calls == 1 && late.code == SLI_ABORTED);
  SLI_EXPECT_INT(sli_step_table_count(table), 0);
  sli_worker_step_t *fresh = sli_step_table_enter(table, 7);
  SLI_EXPECT(fresh != step);
  sli_step_table_leave(table, fresh);
  sli_step_table_leave(table, step);
  SLI_EXPECT_INT(sli_step_table_count(table), 0);
  sli_step_table_destroy(table);
}

SLI_TEST(test_steps_that_nobody_cleans_up_are_bounded) {
  sli_step_table_t *table = sli_step_table_create(&shared, release_nothing);
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

SLI_TEST(test_receives_of_steps_that_have_not_started_are_limited) {
  sli_step_table_t *table = sli_step_table_create(&shared, release_nothing);
  sli_step_table_limit_early_receives(table, 2);
  sli_worker_step_t *first, *second, *third;
  SLI_REQUIRE_OK(sli_step_table_enter_recv(table, 1, &first));
  SLI_REQUIRE_OK(sli_step_table_enter_recv(table, 2, &second));
  SLI_EXPECT_STATUS(sli_step_table_enter_recv(table, 2, &third), SLI_RESOURCE_EXHAUSTED);
  SLI_EXPECT_INT(sli_step_table_count(table), 2);
  // A step that starts counts no more, nor do its later receives.
  SLI_EXPECT(sli_step_table_enter(table, 2) == second);
  SLI_REQUIRE_OK(sli_step_table_enter_recv(table, 2, &third));
  SLI_EXPECT(third == second);
  sli_step_table_leave_recv(table, third);
  SLI_REQUIRE_OK(sli_step_table_enter_recv(table, 3, &third));
  sli_worker_step_t *fourth;
  SLI_EXPECT_STATUS(sli_step_table_enter_recv(table, 4, &fourth), SLI_RESOURCE_EXHAUSTED);
  // A step that is cleaned up counts until its receives have ended.
  sli_step_table_cleanup(table, 3);
  SLI_EXPECT_STATUS(sli_step_table_enter_recv(table, 4, &fourth), SLI_RESOURCE_EXHAUSTED);
  sli_step_table_leave_recv(table, third);
  SLI_REQUIRE_OK(sli_step_table_enter_recv(table, 4, &fourth));
  sli_step_table_leave_recv(table, fourth);
  sli_step_table_leave_recv(table, first);
  sli_step_table_leave_recv(table, second);
  sli_step_table_leave(table, second);
  sli_step_table_destroy(table);
}

SLI_TEST_MAIN(test_receives_of_steps_that_have_not_started_are_limited,
              test_step_that_holds_nothing_goes_with_its_last_user, test_step_with_a_value_waits_for_cleanup,
              test_steps_that_nobody_cleans_up_are_bounded)
