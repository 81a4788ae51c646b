#include "ops/queue/queue.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/test.h"
#include "ops/common/testing.h"

// How a call ended.
typedef struct {
  sli_event_t event;
  atomic_int calls;
  sli_status_t *status;
  int width;  // components of the queue; 0 counts as 1
  sli_tensor_t *component, *second;
} queue_outcome_t;

static void outcome_initialize(queue_outcome_t *outcome) {
  memset(outcome, 0, sizeof(*outcome));
  sli_event_initialize(&outcome->event);
}

static void outcome_deinitialize(queue_outcome_t *outcome) {
  sli_status_release(outcome->status);
  sli_tensor_release(outcome->component);
  sli_tensor_release(outcome->second);
  sli_event_deinitialize(&outcome->event);
}

static void on_queue_done(void *user, sli_status_t *status, sli_tensor_t **components) {
  queue_outcome_t *outcome = user;
  outcome->status = status;
  if (components) outcome->component = components[0];
  if (components && outcome->width > 1) outcome->second = components[1];
  atomic_fetch_add(&outcome->calls, 1);
  sli_event_set(&outcome->event);
}

static bool is_over(queue_outcome_t *outcome) { return atomic_load(&outcome->calls) == 1; }
static void wait_for(queue_outcome_t *outcome) {
  if (!sli_event_wait(&outcome->event, sli_clock_now_nanos() + 20 * INT64_C(1000000000)))
    sli_test_fail(__FILE__, __LINE__, "the call hangs");
}

static sli_queue_t *create_queue(sli_queue_kind_t kind, int64_t capacity, int64_t min_after_dequeue) {
  sli_dtype_t types[] = {SLI_DTYPE_INT64};
  sli_shape_t shapes[] = {SLI_SHAPE_SCALAR};
  sli_queue_spec_t spec = {.kind = kind,
                           .capacity = capacity,
                           .component_count = 1,
                           .types = types,
                           .shapes = shapes,
                           .min_after_dequeue = min_after_dequeue,
                           .seed = 7,
                           .seed2 = 3};
  return sli_queue_create(&spec, sli_view("q"));
}

static void start_enqueue(sli_queue_t *queue, sli_cancellation_t *cancellation, int64_t value,
                          queue_outcome_t *outcome) {
  outcome_initialize(outcome);
  sli_tensor_t *tensor = sli_tensor_scalar_int64(value);
  sli_queue_enqueue(queue, cancellation, &tensor, false, on_queue_done, outcome);
  sli_tensor_release(tensor);
}

static void enqueue_rows(sli_queue_t *queue, const int64_t *values, int64_t count) {
  queue_outcome_t outcome;
  outcome_initialize(&outcome);
  sli_tensor_t *tensor = sli_tensor_vector_int64(values, count);
  sli_queue_enqueue(queue, NULL, &tensor, true, on_queue_done, &outcome);
  SLI_EXPECT(is_over(&outcome) && !outcome.status);
  sli_tensor_release(tensor);
  outcome_deinitialize(&outcome);
}

static void start_dequeue(sli_queue_t *queue, sli_cancellation_t *cancellation, int64_t count, bool allow_fewer,
                          queue_outcome_t *outcome) {
  outcome_initialize(outcome);
  sli_queue_dequeue(queue, cancellation, count, allow_fewer, on_queue_done, outcome);
}

// Dequeues an element; INT64_MIN if that would wait.
static int64_t take(sli_queue_t *queue) {
  queue_outcome_t outcome;
  start_dequeue(queue, NULL, -1, false, &outcome);
  int64_t value = outcome.component ? SLI_DATA(int64_t, outcome.component)[0] : INT64_MIN;
  SLI_EXPECT(is_over(&outcome));
  outcome_deinitialize(&outcome);
  return value;
}

static void expect_rows(const queue_outcome_t *outcome, const int64_t *values, int64_t count) {
  if (outcome->status) sli_test_fail(__FILE__, __LINE__, "%s", sli_status_message(outcome->status));
  SLI_REQUIRE(outcome->component != NULL);
  SLI_EXPECT_INT(outcome->component->count, count);
  for (int64_t i = 0; i < count && i < outcome->component->count; i++)
    SLI_EXPECT_INT(SLI_DATA(int64_t, outcome->component)[i], values[i]);
}

static void close_queue(sli_queue_t *queue, bool cancel_pending, queue_outcome_t *outcome) {
  outcome_initialize(outcome);
  sli_queue_close(queue, cancel_pending, on_queue_done, outcome);
}

SLI_TEST(test_full_queue_parks_enqueues_and_serves_them_in_order) {
  sli_queue_t *queue = create_queue(SLI_QUEUE_FIFO, 2, 0);
  queue_outcome_t outcomes[4];
  for (int i = 0; i < 4; i++) start_enqueue(queue, NULL, i, &outcomes[i]);
  SLI_EXPECT(is_over(&outcomes[1]) && !is_over(&outcomes[2]));
  SLI_EXPECT_INT(take(queue), 0);
  SLI_EXPECT(is_over(&outcomes[2]) && !is_over(&outcomes[3]));
  for (int i = 1; i < 4; i++) SLI_EXPECT_INT(take(queue), i);
  SLI_EXPECT(is_over(&outcomes[3]));
  SLI_EXPECT_INT(sli_queue_size(queue), 0);
  for (int i = 0; i < 4; i++) outcome_deinitialize(&outcomes[i]);
  sli_object_release(queue);
}

SLI_TEST(test_dequeue_of_more_than_the_capacity_takes_elements_as_they_come) {
  sli_queue_t *queue = create_queue(SLI_QUEUE_FIFO, 2, 0);
  queue_outcome_t many, later;
  start_dequeue(queue, NULL, 5, false, &many);
  start_dequeue(queue, NULL, -1, false, &later);
  for (int64_t i = 0; i < 5; i++) enqueue_rows(queue, &i, 1);
  SLI_EXPECT(is_over(&many) && !is_over(&later));
  expect_rows(&many, (int64_t[]){0, 1, 2, 3, 4}, 5);
  enqueue_rows(queue, (int64_t[]){9}, 1);
  expect_rows(&later, (int64_t[]){9}, 1);
  outcome_deinitialize(&many);
  outcome_deinitialize(&later);
  sli_object_release(queue);
}

SLI_TEST(test_closed_queue_gives_what_it_has_and_then_ends) {
  sli_queue_t *queue = create_queue(SLI_QUEUE_FIFO, 10, 0);
  queue_outcome_t waiting, fewer, end, closed, again, more;
  enqueue_rows(queue, (int64_t[]){1, 2}, 2);
  start_dequeue(queue, NULL, 3, false, &waiting);
  SLI_EXPECT(!is_over(&waiting));
  close_queue(queue, false, &closed);
  SLI_EXPECT_INT(sli_status_code(waiting.status), SLI_OUT_OF_RANGE);
  SLI_EXPECT_TEXT(sli_status_message(waiting.status),
                  "FIFOQueue 'q' is closed and has insufficient elements (requested 3, current size 2)");
  start_dequeue(queue, NULL, 3, true, &fewer);
  expect_rows(&fewer, (int64_t[]){1, 2}, 2);
  start_dequeue(queue, NULL, 3, true, &end);
  SLI_EXPECT_INT(sli_status_code(end.status), SLI_OUT_OF_RANGE);
  start_enqueue(queue, NULL, 1, &more);
  SLI_EXPECT_TEXT(sli_status_message(more.status), "FIFOQueue 'q' is closed.");
  close_queue(queue, false, &again);
  SLI_EXPECT_TEXT(sli_status_message(again.status), "Queue 'q' is already closed.");
  queue_outcome_t *all[] = {&waiting, &fewer, &end, &closed, &again, &more};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(all); i++) outcome_deinitialize(all[i]);
  sli_object_release(queue);
}

SLI_TEST(test_close_waits_for_pending_enqueues_or_cancels_them) {
  for (int cancel = 0; cancel < 2; cancel++) {
    sli_queue_t *queue = create_queue(SLI_QUEUE_FIFO, 1, 0);
    queue_outcome_t first, second, closed;
    start_enqueue(queue, NULL, 1, &first);
    start_enqueue(queue, NULL, 2, &second);
    close_queue(queue, cancel, &closed);
    SLI_EXPECT_INT(is_over(&closed), cancel);
    SLI_EXPECT_INT(sli_queue_is_closed(queue), cancel);
    if (cancel) SLI_EXPECT_TEXT(sli_status_message(second.status), "Enqueue operation was cancelled");
    SLI_EXPECT_INT(take(queue), 1);
    SLI_EXPECT(is_over(&closed) && sli_queue_is_closed(queue));
    SLI_EXPECT_INT(take(queue), cancel ? INT64_MIN : 2);
    outcome_deinitialize(&first);
    outcome_deinitialize(&second);
    outcome_deinitialize(&closed);
    sli_object_release(queue);
  }
}

SLI_TEST(test_cancelled_dequeue_puts_back_what_it_took) {
  sli_queue_t *queue = create_queue(SLI_QUEUE_FIFO, 10, 0);
  sli_cancellation_t *step = sli_cancellation_create();
  queue_outcome_t many, next, late;
  enqueue_rows(queue, (int64_t[]){1, 2, 3}, 3);
  start_dequeue(queue, step, 5, false, &many);
  start_dequeue(queue, NULL, -1, false, &next);
  SLI_EXPECT(!is_over(&many) && !is_over(&next));
  sli_cancellation_cancel(step, NULL);
  SLI_EXPECT_TEXT(sli_status_message(many.status), "Dequeue operation was cancelled");
  expect_rows(&next, (int64_t[]){1}, 1);
  SLI_EXPECT_INT(take(queue), 2);
  SLI_EXPECT_INT(take(queue), 3);
  start_dequeue(queue, step, -1, false, &late);  // its step is already cancelled
  SLI_EXPECT_INT(sli_status_code(late.status), SLI_CANCELLED);
  outcome_deinitialize(&many);
  outcome_deinitialize(&next);
  outcome_deinitialize(&late);
  sli_cancellation_release(step);
  sli_object_release(queue);
}

SLI_TEST(test_shuffling_keeps_a_minimum_and_follows_the_seed) {
  sli_queue_t *queue = create_queue(SLI_QUEUE_SHUFFLE, 20, 3);
  enqueue_rows(queue, (int64_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10);
  queue_outcome_t many, closed;
  start_dequeue(queue, NULL, 10, false, &many);
  SLI_EXPECT(!is_over(&many));
  SLI_EXPECT_INT(sli_queue_size(queue), 3);
  close_queue(queue, false, &closed);
  static const int64_t tensorflows[] = {3, 9, 0, 6, 4, 7, 2, 1, 5, 8};
  expect_rows(&many, tensorflows, 10);
  outcome_deinitialize(&many);
  outcome_deinitialize(&closed);
  sli_object_release(queue);
}

SLI_TEST(test_priority_queue_gives_the_lowest_first_and_equal_ones_as_they_came) {
  sli_dtype_t types[] = {SLI_DTYPE_INT64, SLI_DTYPE_INT64};
  sli_queue_spec_t spec = {.kind = SLI_QUEUE_PRIORITY, .capacity = 100, .component_count = 2, .types = types};
  sli_queue_t *queue = sli_queue_create(&spec, sli_view("p"));
  int64_t priorities[] = {5, 3, 5, 1, 3, 1, 5}, numbers[] = {0, 1, 2, 3, 4, 5, 6};
  sli_tensor_t *components[] = {sli_tensor_vector_int64(priorities, 7), sli_tensor_vector_int64(numbers, 7)};
  queue_outcome_t outcome;
  outcome_initialize(&outcome);
  sli_queue_enqueue(queue, NULL, components, true, on_queue_done, &outcome);
  SLI_EXPECT(!outcome.status);
  static const int64_t wanted[] = {1, 1, 3, 3, 5, 5, 5}, wanted_numbers[] = {3, 5, 1, 4, 0, 2, 6};
  for (int i = 0; i < 7; i++) {
    queue_outcome_t one;
    outcome_initialize(&one);
    one.width = 2;
    sli_queue_dequeue(queue, NULL, -1, false, on_queue_done, &one);
    expect_rows(&one, &wanted[i], 1);
    SLI_REQUIRE(one.second != NULL);
    SLI_EXPECT_INT(SLI_DATA(int64_t, one.second)[0], wanted_numbers[i]);
    outcome_deinitialize(&one);
  }
  outcome_deinitialize(&outcome);
  for (int i = 0; i < 2; i++) sli_tensor_release(components[i]);
  sli_object_release(queue);
}

SLI_TEST(test_wrong_shapes_are_refused) {
  sli_queue_t *queue = create_queue(SLI_QUEUE_FIFO, 10, 0);
  sli_tensor_t *vector = sli_tensor_vector_int64((int64_t[]){1, 2}, 2), *scalar = sli_tensor_scalar_int64(1);
  queue_outcome_t one, many;
  outcome_initialize(&one);
  outcome_initialize(&many);
  sli_queue_enqueue(queue, NULL, &vector, false, on_queue_done, &one);
  sli_queue_enqueue(queue, NULL, &scalar, true, on_queue_done, &many);
  SLI_EXPECT_TEXT(sli_status_message(one.status), "Shape mismatch in tuple component 0. Expected [], got [2]");
  SLI_EXPECT_INT(sli_status_code(many.status), SLI_INVALID_ARGUMENT);
  outcome_deinitialize(&one);
  outcome_deinitialize(&many);
  sli_tensor_release(vector);
  sli_tensor_release(scalar);
  sli_object_release(queue);
}

// Many concurrent steps, some of them cancelled at arbitrary times: no element is lost or returned twice.
enum { STRESS_STEPS = 400, STRESS_ROWS = 8 };
typedef struct {
  sli_queue_t *queue;
  atomic_llong put, got;
  atomic_int next;
} stress_t;

static void stress_step(stress_t *stress, int index) {
  sli_cancellation_t *step = sli_cancellation_create();
  queue_outcome_t in, out;
  start_enqueue(stress->queue, step, index, &in);
  start_dequeue(stress->queue, step, index % 3 ? -1 : STRESS_ROWS, false, &out);
  if (index % 2) sli_cancellation_cancel(step, NULL);
  if (is_over(&in) || index % 2) {
    wait_for(&in);
  } else {
    sli_cancellation_cancel(step, NULL);
    wait_for(&in);
  }
  sli_cancellation_cancel(step, NULL);
  wait_for(&out);
  if (!in.status) atomic_fetch_add(&stress->put, index);
  for (int64_t i = 0; out.component && i < out.component->count; i++)
    atomic_fetch_add(&stress->got, SLI_DATA(int64_t, out.component)[i]);
  SLI_EXPECT(is_over(&in) && is_over(&out));
  outcome_deinitialize(&in);
  outcome_deinitialize(&out);
  sli_cancellation_release(step);
}

// --- The ops that create queues ---

SLI_TEST(test_each_op_makes_a_queue_of_its_kind) {
  static const struct {
    const char *op;
    sli_queue_kind_t kind;
  } rows[] = {{"FIFOQueue", SLI_QUEUE_FIFO},
              {"FIFOQueueV2", SLI_QUEUE_FIFO},
              {"RandomShuffleQueue", SLI_QUEUE_SHUFFLE},
              {"RandomShuffleQueueV2", SLI_QUEUE_SHUFFLE},
              {"PaddingFIFOQueue", SLI_QUEUE_PADDING},
              {"PaddingFIFOQueueV2", SLI_QUEUE_PADDING},
              {"PriorityQueue", SLI_QUEUE_PRIORITY},
              {"PriorityQueueV2", SLI_QUEUE_PRIORITY}};
  const sli_dtype_t types[] = {SLI_DTYPE_FLOAT};
  const sli_shape_t shapes[] = {SLI_SHAPE(2)};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++) {
    sli_testing_device_t h;
    sli_testing_device_initialize(&h);
    SLI_EXPECT_OK(sli_testing_device_run(
        &h, rows[i].op, NULL, 0,
        SLI_TESTING_ATTRS(
            {"component_types", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list = {.type = types}}},
            {"shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = 1, .list = {.shape = shapes}}},
            SLI_ATTR_STRING_OF("shared_name", "q"))));
    sli_queue_t *queue = NULL;
    SLI_EXPECT_OK(sli_resource_find(h.resources, sli_view(""), &sli_queue_type, sli_view("q"), (void **)&queue));
    SLI_REQUIRE(queue);
    SLI_EXPECT_INT(sli_queue_spec(queue)->kind, rows[i].kind);
    sli_object_release(queue);
    sli_testing_device_deinitialize(&h);
  }
}

SLI_TEST(test_a_shape_that_does_not_fit_is_named) {
  const sli_dtype_t types[] = {SLI_DTYPE_FLOAT};
  const sli_shape_t shapes[] = {SLI_SHAPE(3, -1)};
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_testing_expect_error(
      sli_testing_device_run(
          &h, "FIFOQueueV2", NULL, 0,
          SLI_TESTING_ATTRS(
              {"component_types", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list = {.type = types}}},
              {"shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = 1, .list = {.shape = shapes}}})),
      SLI_INVALID_ARGUMENT, "Shape [3,?] is not fully defined");
  sli_testing_device_deinitialize(&h);
}

static void *stress_thread(void *context) {
  stress_t *stress = context;
  for (int i; (i = atomic_fetch_add(&stress->next, 1)) < STRESS_STEPS;) stress_step(stress, i);
  return NULL;
}

SLI_TEST(test_concurrent_steps_and_cancellations_lose_nothing) {
  for (int kind = SLI_QUEUE_FIFO; kind <= SLI_QUEUE_SHUFFLE; kind++) {
    stress_t stress = {.queue = create_queue((sli_queue_kind_t)kind, 4, 0)};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, stress_thread, &stress);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    while (sli_queue_size(stress.queue) > 0) atomic_fetch_add(&stress.got, take(stress.queue));
    SLI_EXPECT_INT(atomic_load(&stress.got), atomic_load(&stress.put));
    SLI_EXPECT(atomic_load(&stress.put) > 0);
    sli_object_release(stress.queue);
  }
}

SLI_TEST_MAIN(test_each_op_makes_a_queue_of_its_kind, test_a_shape_that_does_not_fit_is_named,
              test_full_queue_parks_enqueues_and_serves_them_in_order,
              test_dequeue_of_more_than_the_capacity_takes_elements_as_they_come,
              test_closed_queue_gives_what_it_has_and_then_ends, test_close_waits_for_pending_enqueues_or_cancels_them,
              test_cancelled_dequeue_puts_back_what_it_took, test_shuffling_keeps_a_minimum_and_follows_the_seed,
              test_priority_queue_gives_the_lowest_first_and_equal_ones_as_they_came, test_wrong_shapes_are_refused,
              test_concurrent_steps_and_cancellations_lose_nothing)
