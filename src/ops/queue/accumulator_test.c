#include "ops/queue/accumulator.h"

#include <pthread.h>

#include "base/test.h"

typedef struct {
  int calls;
  sli_status_t *status;
  sli_accumulator_gradient_t sum;
} take_outcome_t;

static void on_take_done(void *user, sli_status_t *status, const sli_accumulator_gradient_t *sum) {
  take_outcome_t *outcome = user;
  outcome->calls++;
  outcome->status = status;
  outcome->sum = *sum;
}

static void outcome_clear(take_outcome_t *outcome) {
  sli_status_release(outcome->status);
  sli_tensor_release(outcome->sum.values);
  sli_tensor_release(outcome->sum.indices);
  sli_tensor_release(outcome->sum.shape);
  *outcome = (take_outcome_t){0};
}

static sli_accumulator_t *make(bool is_sparse, bool is_mean, sli_shape_t shape) {
  sli_accumulator_spec_t spec = {is_sparse, is_mean, SLI_DTYPE_FLOAT, shape};
  return sli_accumulator_create(&spec, sli_view("acc"));
}

static sli_status_t *apply_value(sli_accumulator_t *accumulator, int64_t step, float value) {
  sli_tensor_t *tensor = sli_tensor_scalar_float(value);
  sli_status_t *status =
      sli_accumulator_apply(accumulator, NULL, step, &(sli_accumulator_gradient_t){.values = tensor});
  sli_tensor_release(tensor);
  return status;
}

static float value_of(const take_outcome_t *outcome) {
  return outcome->sum.values ? SLI_DATA(float, outcome->sum.values)[0] : NAN;
}

SLI_TEST(test_take_waits_for_enough_and_gives_mean_or_sum) {
  for (int is_mean = 0; is_mean < 2; is_mean++) {
    sli_accumulator_t *accumulator = make(false, is_mean, SLI_SHAPE_SCALAR);
    take_outcome_t first = {0}, second = {0};
    SLI_EXPECT_OK(apply_value(accumulator, 0, 1));
    sli_accumulator_take(accumulator, NULL, 2, on_take_done, &first);
    sli_accumulator_take(accumulator, NULL, 1, on_take_done, &second);
    SLI_EXPECT_INT(first.calls, 0);
    SLI_EXPECT_INT(second.calls, 0);
    SLI_EXPECT_OK(apply_value(accumulator, 0, 5));
    SLI_EXPECT_INT(first.calls, 1);
    SLI_EXPECT_NEAR(value_of(&first), is_mean ? 3 : 6, 0);
    SLI_EXPECT_INT(second.calls, 0);
    SLI_EXPECT_OK(apply_value(accumulator, 1, 7));
    SLI_EXPECT_NEAR(value_of(&second), 7, 0);
    SLI_EXPECT_INT(sli_accumulator_count(accumulator), 0);
    outcome_clear(&first);
    outcome_clear(&second);
    sli_object_release(accumulator);
  }
}

// The take may be requested before the last gradient is added or after it.
SLI_TEST(test_large_gradients_are_averaged_whole) {
  enum { COUNT = 10001 };
  for (int is_early = 0; is_early < 2; is_early++) {
    sli_accumulator_t *accumulator = make(false, true, SLI_SHAPE(COUNT));
    take_outcome_t outcome = {0};
    if (is_early) sli_accumulator_take(accumulator, NULL, 3, on_take_done, &outcome);
    for (int g = 0; g < 3; g++) {
      sli_tensor_t *tensor;
      SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){COUNT}, 1, &tensor));
      for (int i = 0; i < COUNT; i++) SLI_DATA(float, tensor)[i] = (float)(3 * i + g);
      SLI_EXPECT_OK(sli_accumulator_apply(accumulator, NULL, 0, &(sli_accumulator_gradient_t){.values = tensor}));
      sli_tensor_release(tensor);
    }
    if (!is_early) sli_accumulator_take(accumulator, NULL, 3, on_take_done, &outcome);
    SLI_REQUIRE(outcome.sum.values);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += SLI_DATA(float, outcome.sum.values)[i] != (float)(3 * i + 1);
    SLI_EXPECT_INT(wrong, 0);
    outcome_clear(&outcome);
    sli_object_release(accumulator);
  }
}

SLI_TEST(test_stale_gradients_are_dropped_and_counted) {
  sli_accumulator_t *accumulator = make(false, true, SLI_SHAPE_UNKNOWN);
  sli_accumulator_set_global_step(accumulator, 3);
  SLI_EXPECT_OK(apply_value(accumulator, 2, 1));
  SLI_EXPECT_OK(apply_value(accumulator, 3, 1));
  sli_accumulator_info_t info = sli_accumulator_info(accumulator);
  SLI_EXPECT_INT(info.stale, 1);
  SLI_EXPECT_INT(info.count, 1);
  SLI_EXPECT_INT(info.global_step, 3);
  sli_object_release(accumulator);
}

SLI_TEST(test_quorum_replaces_what_takes_ask_for) {
  sli_accumulator_t *accumulator = make(false, true, SLI_SHAPE_SCALAR);
  take_outcome_t outcome = {0};
  sli_accumulator_take(accumulator, NULL, 3, on_take_done, &outcome);
  SLI_EXPECT_OK(apply_value(accumulator, 0, 4));
  SLI_EXPECT_INT(outcome.calls, 0);
  SLI_EXPECT_INT(sli_accumulator_info(accumulator).required, 3);
  sli_accumulator_set_quorum(accumulator, 1);
  SLI_EXPECT_NEAR(value_of(&outcome), 4, 0);
  outcome_clear(&outcome);
  sli_accumulator_set_quorum(accumulator, 0);
  sli_accumulator_take(accumulator, NULL, 2, on_take_done, &outcome);
  SLI_EXPECT_OK(apply_value(accumulator, 1, 4));
  SLI_EXPECT_INT(outcome.calls, 0);
  SLI_EXPECT_OK(apply_value(accumulator, 1, 4));
  SLI_EXPECT_INT(outcome.calls, 1);
  outcome_clear(&outcome);
  sli_object_release(accumulator);
}

SLI_TEST(test_bad_shapes_and_cancellation_end_calls) {
  sli_accumulator_t *accumulator = make(false, true, SLI_SHAPE(2));
  sli_status_t *status = apply_value(accumulator, 0, 1);
  SLI_EXPECT_TEXT(sli_status_message(status), "Shape mismatch: expected [2], got []");
  sli_status_release(status);
  take_outcome_t outcome = {0};
  sli_cancellation_t *step = sli_cancellation_create();
  sli_accumulator_take(accumulator, step, 1, on_take_done, &outcome);
  sli_cancellation_cancel(step, NULL);
  SLI_EXPECT_TEXT(sli_status_message(outcome.status), "TakeGrad operation was cancelled");
  outcome_clear(&outcome);
  sli_accumulator_take(accumulator, NULL, 0, on_take_done, &outcome);
  SLI_EXPECT_INT(sli_status_code(outcome.status), SLI_INVALID_ARGUMENT);
  outcome_clear(&outcome);
  sli_cancellation_release(step);
  sli_object_release(accumulator);
}

SLI_TEST(test_slices_are_merged_and_each_row_has_its_own_mean) {
  sli_accumulator_t *accumulator = make(true, true, SLI_SHAPE(10, 1));
  take_outcome_t outcome = {0};
  int64_t rows[2][3] = {{1, 4, 6}, {0, 4, 9}};
  for (int i = 0; i < 2; i++) {
    sli_accumulator_gradient_t gradient = {.indices = sli_tensor_vector_int64(rows[i], 3)};
    SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){3, 1}, 2, &gradient.values));
    for (int k = 0; k < 3; k++) SLI_DATA(float, gradient.values)[k] = (float)rows[i][k] + (float)i * 10;
    SLI_EXPECT_OK(sli_accumulator_apply(accumulator, NULL, 0, &gradient));
    sli_tensor_release(gradient.indices);
    sli_tensor_release(gradient.values);
  }
  sli_accumulator_take(accumulator, NULL, 2, on_take_done, &outcome);
  SLI_REQUIRE(outcome.sum.indices && outcome.sum.indices->count == 5);
  static const int64_t wanted_rows[] = {0, 1, 4, 6, 9};
  static const float wanted[] = {10, 1, 9, 6, 19};
  for (int i = 0; i < 5; i++) {
    SLI_EXPECT_INT(SLI_DATA(int64_t, outcome.sum.indices)[i], wanted_rows[i]);
    SLI_EXPECT_NEAR(SLI_DATA(float, outcome.sum.values)[i], wanted[i], 0);
  }
  SLI_EXPECT_INT(SLI_DATA(int64_t, outcome.sum.shape)[0], 10);
  outcome_clear(&outcome);
  sli_accumulator_gradient_t outside = {.indices = sli_tensor_vector_int64((int64_t[]){10}, 1)};
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){1, 1}, 2, &outside.values));
  SLI_EXPECT_STATUS(sli_accumulator_apply(accumulator, NULL, 9, &outside), SLI_INVALID_ARGUMENT);
  sli_tensor_release(outside.indices);
  sli_tensor_release(outside.values);
  sli_object_release(accumulator);
}

enum { THREADS = 4, GRADIENTS = 200 };

static void *apply_many(void *context) {
  for (int i = 0; i < GRADIENTS; i++) sli_status_release(apply_value(context, 1000, 1));
  return NULL;
}

SLI_TEST(test_concurrent_gradients_are_all_added) {
  sli_accumulator_t *accumulator = make(false, false, SLI_SHAPE_SCALAR);
  take_outcome_t outcome = {0};
  sli_accumulator_take(accumulator, NULL, THREADS * GRADIENTS, on_take_done, &outcome);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, apply_many, accumulator);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  SLI_EXPECT_NEAR(value_of(&outcome), THREADS * GRADIENTS, 0);
  outcome_clear(&outcome);
  sli_object_release(accumulator);
}

SLI_TEST_MAIN(test_take_waits_for_enough_and_gives_mean_or_sum, test_large_gradients_are_averaged_whole,
              test_stale_gradients_are_dropped_and_counted, test_quorum_replaces_what_takes_ask_for,
              test_bad_shapes_and_cancellation_end_calls, test_slices_are_merged_and_each_row_has_its_own_mean,
              test_concurrent_gradients_are_all_added)
