#include "ops/io/reader.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/test.h"
#include "io/file/file.h"
#include "io/record/record.h"
#include "ops/io/reader_kinds.h"

typedef struct {
  sli_event_t event;
  sli_status_t *status;
  int count;
  char *key, *value;  // of the last record
} read_outcome_t;

static char *outcome_text(const sli_tstring_t *string) {
  sli_view_t view = sli_tstring_view(string);
  return sli_strndup(view.data, view.size);
}

static void on_done(void *user, sli_status_t *status, sli_reader_records_t *records) {
  read_outcome_t *outcome = user;
  outcome->status = status;
  outcome->count = (int)records->keys.count;
  if (records->keys.count) outcome->key = outcome_text(&records->keys.items[records->keys.count - 1]);
  if (records->values.count) outcome->value = outcome_text(&records->values.items[records->values.count - 1]);
  sli_event_set(&outcome->event);
}

static void outcome_initialize(read_outcome_t *outcome) {
  memset(outcome, 0, sizeof(*outcome));
  sli_event_initialize(&outcome->event);
}

static void outcome_deinitialize(read_outcome_t *outcome) {
  sli_status_release(outcome->status);
  free(outcome->key);
  free(outcome->value);
  sli_event_deinitialize(&outcome->event);
}

static char *path_of(const char *name) { return sli_format("%s/%s", sli_test_temporary_dir(), name); }

static void write_text(const char *path, const char *text) {
  sli_file_writer_t *writer;
  SLI_REQUIRE_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, text, strlen(text)));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
}

static sli_queue_t *make_queue(void) {
  sli_dtype_t types[] = {SLI_DTYPE_STRING};
  sli_shape_t shapes[] = {SLI_SHAPE_SCALAR};
  sli_queue_spec_t spec = {.capacity = 1000, .component_count = 1, .types = types, .shapes = shapes};
  return sli_queue_create(&spec, sli_view("names"));
}

static void ignore(void *user, sli_status_t *status, sli_tensor_t **components) { sli_status_release(status); }

static void add_name(sli_queue_t *queue, const char *name) {
  sli_tensor_t *tensor = sli_tensor_scalar_string(sli_view(name));
  sli_queue_enqueue(queue, NULL, &tensor, false, ignore, NULL);
  sli_tensor_release(tensor);
}

static void expect_record(sli_reader_t *reader, sli_queue_t *queue, const char *key, const char *value) {
  read_outcome_t outcome;
  outcome_initialize(&outcome);
  sli_reader_read(reader, queue, NULL, NULL, 1, on_done, &outcome);
  SLI_EXPECT(sli_event_is_set(&outcome.event));
  if (outcome.status) sli_test_fail(__FILE__, __LINE__, "%s", sli_status_message(outcome.status));
  SLI_EXPECT_TEXT(outcome.key, key);
  SLI_EXPECT_TEXT(outcome.value, value);
  outcome_deinitialize(&outcome);
}

static void expect_end(sli_reader_t *reader, sli_queue_t *queue, sli_code_t code) {
  read_outcome_t outcome;
  outcome_initialize(&outcome);
  sli_reader_read(reader, queue, NULL, NULL, 1, on_done, &outcome);
  SLI_EXPECT_INT(sli_status_code(outcome.status), code);
  outcome_deinitialize(&outcome);
}

SLI_TEST(test_tfrecords_are_read_file_by_file_until_the_queue_ends) {
  char *a = path_of("a.tfrecord"), *b = path_of("b.tfrecord"), *empty = path_of("empty.tfrecord");
  const char *const paths[] = {a, b};
  for (int i = 0; i < 2; i++) {
    sli_record_writer_t *writer;
    SLI_REQUIRE_OK(sli_record_writer_open(paths[i], SLI_FILE_TRUNCATE, SLI_COMPRESSION_GZIP, -1, &writer));
    SLI_EXPECT_OK(sli_record_writer_write(writer, sli_view(i ? "three" : "one")));
    if (!i) SLI_EXPECT_OK(sli_record_writer_write(writer, sli_view("two")));
    SLI_EXPECT_OK(sli_record_writer_close(writer));
    sli_record_writer_release(writer);
  }
  sli_record_writer_t *writer;
  SLI_REQUIRE_OK(sli_record_writer_open(empty, SLI_FILE_TRUNCATE, SLI_COMPRESSION_GZIP, -1, &writer));
  SLI_EXPECT_OK(sli_record_writer_close(writer));
  sli_record_writer_release(writer);
  sli_queue_t *queue = make_queue();
  sli_reader_t *reader = sli_reader_create_tfrecord(sli_view("r"), SLI_COMPRESSION_GZIP);
  add_name(queue, a);
  for (int i = 0; i < 50; i++) add_name(queue, empty);
  add_name(queue, b);
  sli_queue_close(queue, false, ignore, NULL);
  char *keys[] = {sli_format("%s:0", a), sli_format("%s:19", a), sli_format("%s:0", b)};
  expect_record(reader, queue, keys[0], "one");
  expect_record(reader, queue, keys[1], "two");
  expect_record(reader, queue, keys[2], "three");
  expect_end(reader, queue, SLI_OUT_OF_RANGE);
  SLI_EXPECT_INT(sli_reader_records_produced(reader), 3);
  SLI_EXPECT_INT(sli_reader_units_completed(reader), 52);
  for (int i = 0; i < 3; i++) free(keys[i]);
  sli_object_release(reader);
  sli_object_release(queue);
  free(a);
  free(b);
  free(empty);
}

SLI_TEST(test_lines_skip_headers_and_lose_their_ends) {
  char *path = path_of("lines.txt"), *missing = path_of("missing.txt");
  write_text(path, "head\nfirst\r\n\nlast");
  sli_queue_t *queue = make_queue();
  sli_reader_t *reader = sli_reader_create_text_line(sli_view("r"), 1);
  add_name(queue, missing);
  add_name(queue, path);
  sli_queue_close(queue, false, ignore, NULL);
  char *keys[] = {sli_format("%s:2", path), sli_format("%s:3", path), sli_format("%s:4", path)};
  expect_end(reader, queue, SLI_NOT_FOUND);
  expect_record(reader, queue, keys[0], "first");
  expect_record(reader, queue, keys[1], "");
  expect_record(reader, queue, keys[2], "last");
  expect_end(reader, queue, SLI_OUT_OF_RANGE);
  for (int i = 0; i < 3; i++) free(keys[i]);
  sli_object_release(reader);
  sli_object_release(queue);
  free(path);
  free(missing);
}

SLI_TEST(test_records_of_fixed_length_overlap_and_leave_the_footer) {
  char *path = path_of("fixed.bin");
  write_text(path, "HHabcdefghFF");
  sli_queue_t *queue = make_queue();
  sli_reader_fixed_length_t layout = {.header_bytes = 2, .record_bytes = 4, .footer_bytes = 2, .hop_bytes = 2};
  sli_reader_t *reader = sli_reader_create_fixed_length(sli_view("r"), &layout);
  add_name(queue, path);
  sli_queue_close(queue, false, ignore, NULL);
  static const char *const wanted[] = {"abcd", "cdef", "efgh"};
  for (int i = 0; i < 3; i++) {
    char *key = sli_format("%s:%d", path, i);
    expect_record(reader, queue, key, wanted[i]);
    free(key);
  }
  expect_end(reader, queue, SLI_OUT_OF_RANGE);
  sli_object_release(reader);
  sli_object_release(queue);
  free(path);
}

SLI_TEST(test_read_up_to_stops_at_the_end_of_a_file) {
  char *path = path_of("five.txt");
  write_text(path, "1\n2\n3\n4\n5\n");
  sli_queue_t *queue = make_queue();
  sli_reader_t *reader = sli_reader_create_text_line(sli_view("r"), 0);
  add_name(queue, path);
  add_name(queue, path);
  static const int wanted[] = {3, 2, 3};
  for (int i = 0; i < 3; i++) {
    read_outcome_t outcome;
    outcome_initialize(&outcome);
    sli_reader_read(reader, queue, NULL, NULL, 3, on_done, &outcome);
    SLI_EXPECT_INT(outcome.count, wanted[i]);
    outcome_deinitialize(&outcome);
  }
  sli_object_release(reader);
  sli_object_release(queue);
  free(path);
}

SLI_TEST(test_state_is_saved_and_restored_and_reset) {
  sli_queue_t *queue = make_queue();
  sli_reader_t *reader = sli_reader_create_identity(sli_view("r"));
  add_name(queue, "x");
  expect_record(reader, queue, "x", "x");
  read_outcome_t saved, restored, reset;
  outcome_initialize(&saved);
  outcome_initialize(&restored);
  outcome_initialize(&reset);
  sli_reader_save(reader, NULL, on_done, &saved);
  SLI_REQUIRE(saved.value != NULL);
  SLI_EXPECT_TEXT(saved.value, "\x08\x01\x10\x01\x18\x01\x22\x01x");  // as TensorFlow writes it
  sli_reader_reset(reader, NULL, on_done, &reset);
  SLI_EXPECT_INT(sli_reader_records_produced(reader), 0);
  sli_reader_restore(reader, NULL, sli_view(saved.value), on_done, &restored);
  SLI_EXPECT_INT(sli_reader_records_produced(reader), 1);
  SLI_EXPECT_INT(sli_reader_units_completed(reader), 1);
  outcome_deinitialize(&restored);
  outcome_initialize(&restored);
  sli_reader_restore(reader, NULL, sli_view("\x22\x7f"), on_done, &restored);
  SLI_EXPECT_INT(sli_status_code(restored.status), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_INT(sli_reader_records_produced(reader), 0);
  outcome_deinitialize(&saved);
  outcome_deinitialize(&restored);
  outcome_deinitialize(&reset);
  sli_object_release(reader);
  sli_object_release(queue);
}

// Requests queue up behind one that waits for a name; cancelled requests end at once.
SLI_TEST(test_waiting_requests_are_served_in_order_or_cancelled) {
  sli_queue_t *queue = make_queue();
  sli_reader_t *reader = sli_reader_create_identity(sli_view("r"));
  enum { COUNT = 300 };
  static read_outcome_t outcomes[COUNT];
  sli_cancellation_t *steps[2] = {sli_cancellation_create(), sli_cancellation_create()};
  for (int i = 0; i < COUNT; i++) {
    outcome_initialize(&outcomes[i]);
    sli_reader_read(reader, queue, NULL, steps[i % 2], 1, on_done, &outcomes[i]);
  }
  sli_cancellation_cancel(steps[1], NULL);
  for (int i = 0; i < COUNT; i++) {
    SLI_EXPECT_INT(sli_event_is_set(&outcomes[i].event), i % 2);
    if (i % 2) SLI_EXPECT_INT(sli_status_code(outcomes[i].status), SLI_CANCELLED);
  }
  for (int i = 0; i < COUNT / 4; i++) {
    char name[16];
    snprintf(name, sizeof(name), "%d", i);
    add_name(queue, name);
  }
  for (int i = 0; i < COUNT / 4; i++) {
    char name[16];
    snprintf(name, sizeof(name), "%d", i);
    SLI_EXPECT_TEXT(outcomes[2 * i].value, name);
  }
  sli_cancellation_cancel(steps[0], NULL);
  for (int i = 0; i < COUNT; i++) {
    SLI_EXPECT(sli_event_is_set(&outcomes[i].event));
    outcome_deinitialize(&outcomes[i]);
  }
  for (int i = 0; i < 2; i++) sli_cancellation_release(steps[i]);
  sli_object_release(reader);
  sli_object_release(queue);
}

typedef struct {
  sli_reader_t *reader;
  sli_queue_t *queue;
  atomic_int read, cancelled;
} crowd_t;

static void *crowd_thread(void *context) {
  crowd_t *crowd = context;
  for (int i = 0; i < 100; i++) {
    sli_cancellation_t *step = sli_cancellation_create();
    read_outcome_t outcome;
    outcome_initialize(&outcome);
    sli_reader_read(crowd->reader, crowd->queue, NULL, step, 1, on_done, &outcome);
    if (i % 2) add_name(crowd->queue, "n");
    if (i % 3 == 0) sli_cancellation_cancel(step, NULL);
    if (!sli_event_wait(&outcome.event, sli_clock_now_nanos() + 50 * INT64_C(1000000))) {
      sli_cancellation_cancel(step, NULL);
      sli_event_wait(&outcome.event, SLI_CLOCK_NO_DEADLINE);
    }
    atomic_fetch_add(outcome.status ? &crowd->cancelled : &crowd->read, 1);
    outcome_deinitialize(&outcome);
    sli_cancellation_release(step);
  }
  return NULL;
}

SLI_TEST(test_concurrent_requests_get_every_name_once) {
  crowd_t crowd = {.reader = sli_reader_create_identity(sli_view("r")), .queue = make_queue()};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, crowd_thread, &crowd);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  SLI_EXPECT_INT(crowd.read + crowd.cancelled, 400);
  SLI_EXPECT_INT(crowd.read + sli_queue_size(crowd.queue), 200);
  SLI_EXPECT_INT(sli_reader_records_produced(crowd.reader), crowd.read);
  sli_object_release(crowd.reader);
  sli_object_release(crowd.queue);
}

SLI_TEST_MAIN(test_tfrecords_are_read_file_by_file_until_the_queue_ends, test_lines_skip_headers_and_lose_their_ends,
              test_records_of_fixed_length_overlap_and_leave_the_footer, test_read_up_to_stops_at_the_end_of_a_file,
              test_state_is_saved_and_restored_and_reset, test_waiting_requests_are_served_in_order_or_cancelled,
              test_concurrent_requests_get_every_name_once)
