// Event files that ops write: their contents, when they are flushed, and errors.
#include "base/alloc.h"
#include "base/array.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "io/record/record.h"
#include "ops/common/testing.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"

typedef struct {
  sli_testing_device_t h;
  sli_tensor_t *handle;
  char *directory;
} fixture_t;

static sli_kernel_value_t text(const char *value) { return TENSOR(sli_tensor_scalar_string(sli_view(value))); }
static sli_kernel_value_t step(int64_t value) { return TENSOR(sli_tensor_scalar_int64(value)); }
static sli_kernel_value_t handle(fixture_t *f) { return TENSOR(sli_tensor_retain(f->handle)); }

static sli_tensor_t *red(void) {
  sli_tensor_t *color = NULL;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_UINT8, (int64_t[]){4}, 1, &color));
  memcpy(color->data, (const uint8_t[]){255, 0, 0, 255}, 4);
  return color;
}

static void fixture_initialize(fixture_t *f, const char *name) {
  sli_testing_device_initialize(&f->h);
  f->directory = sli_path_join(sli_test_temporary_dir(), name);
  sli_status_t *status = sli_testing_device_run(&f->h, "SummaryWriter", NULL, 0,
                                                SLI_TESTING_ATTRS(SLI_ATTR_STRING_OF("shared_name", "w")));
  SLI_EXPECT_OK(status);
  f->handle = sli_tensor_retain(f->h.outputs[0].tensor);
}

static void fixture_deinitialize(fixture_t *f) {
  sli_tensor_release(f->handle);
  sli_testing_device_deinitialize(&f->h);
  free(f->directory);
}

static sli_status_t *open_file(fixture_t *f, int32_t max_queue, int32_t flush_millis) {
  return sli_testing_device_run(
      &f->h, "CreateSummaryFileWriter",
      SLI_TESTING_INPUTS(handle(f), text(f->directory), TENSOR(sli_tensor_scalar_int32(max_queue)),
                         TENSOR(sli_tensor_scalar_int32(flush_millis)), text(".test")),
      NULL, 0);
}

static sli_status_t *write_scalar(fixture_t *f, int64_t at, float value) {
  return sli_testing_device_run(
      &f->h, "WriteScalarSummary",
      SLI_TESTING_INPUTS(handle(f), step(at), text("loss"), TENSOR(sli_tensor_scalar_float(value))), NULL, 0);
}

// The path of the only file in the directory.
static char *find_file(fixture_t *f) {
  sli_path_list_t names;
  SLI_EXPECT_OK(sli_file_list(f->directory, &names));
  SLI_EXPECT_INT(names.count, 1);
  char *path = names.count ? sli_path_join(f->directory, names.items[0]) : sli_strdup("");
  sli_path_list_deinitialize(&names);
  return path;
}

static bool find_field(sli_view_t message, uint32_t number, sli_wire_field_t *out_field) {
  sli_wire_reader_t reader = sli_wire_reader(message);
  while (sli_wire_next(&reader, out_field))
    if (out_field->number == number) return true;
  return false;
}

// Calls |visit| for every event after the version event; returns their number.
static size_t read_events(fixture_t *f, void (*visit)(size_t i, sli_view_t event)) {
  char *path = find_file(f);
  sli_record_reader_t *reader = NULL;
  SLI_EXPECT_OK(sli_record_reader_open(path, SLI_COMPRESSION_NONE, 0, &reader));
  size_t count = 0;
  sli_status_t *status = NULL;
  for (sli_view_t event; reader && !(status = sli_record_reader_read(reader, &event)); count++)
    if (count && visit) visit(count - 1, event);
  SLI_EXPECT_INT(sli_status_code(status), SLI_OUT_OF_RANGE);
  sli_status_release(status);
  sli_record_reader_release(reader);
  free(path);
  return count ? count - 1 : 0;
}

static void expect_kind(size_t i, sli_view_t event) {
  // step, field of the event, field of the summary's first value
  static const struct {
    int64_t step;
    uint32_t kind, value;
    const char *tag;
  } wanted[] = {{1, SLI_FIELD_EVENT_SUMMARY, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, "loss"},
                {2, SLI_FIELD_EVENT_SUMMARY, SLI_FIELD_SUMMARY_VALUE_HISTO, "h"},
                {3, SLI_FIELD_EVENT_SUMMARY, SLI_FIELD_SUMMARY_VALUE_TENSOR, "t"},
                {4, SLI_FIELD_EVENT_SUMMARY, SLI_FIELD_SUMMARY_VALUE_IMAGE, "i/image/0"},
                {5, SLI_FIELD_EVENT_SUMMARY, SLI_FIELD_SUMMARY_VALUE_AUDIO, "a/audio/0"},
                {6, SLI_FIELD_EVENT_SUMMARY, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, "merged"},
                {7, SLI_FIELD_EVENT_GRAPH_DEF, 0, NULL},
                {9, SLI_FIELD_EVENT_FILE_VERSION, 0, NULL}};
  SLI_REQUIRE(i < SLI_ARRAY_COUNT_OF(wanted));
  sli_wire_field_t field, value, part;
  SLI_REQUIRE(find_field(event, SLI_FIELD_EVENT_STEP, &field));
  SLI_EXPECT_INT(field.value, wanted[i].step);
  SLI_REQUIRE(find_field(event, wanted[i].kind, &field));
  if (!wanted[i].tag) return;
  SLI_REQUIRE(find_field(field.bytes, SLI_FIELD_SUMMARY_VALUE, &value));
  SLI_REQUIRE(find_field(value.bytes, SLI_FIELD_SUMMARY_VALUE_TAG, &part));
  SLI_EXPECT(sli_view_is(part.bytes, wanted[i].tag));
  SLI_EXPECT(find_field(value.bytes, wanted[i].value, &part));
}

SLI_TEST(test_summary_writer_writes_every_kind_of_event) {
  fixture_t f;
  fixture_initialize(&f, "kinds");
  sli_testing_device_t *h = &f.h;
  SLI_EXPECT_OK(open_file(&f, 100, 1000000));
  SLI_EXPECT_OK(open_file(&f, 0, 0));  // the writer already has a file
  SLI_EXPECT_OK(write_scalar(&f, 1, 0.5f));
  SLI_EXPECT_OK(sli_testing_device_run(
      h, "WriteHistogramSummary",
      SLI_TESTING_INPUTS(handle(&f), step(2), text("h"), TENSOR(sli_testing_range(SLI_SHAPE(4)))), NULL, 0));
  SLI_EXPECT_OK(sli_testing_device_run(
      h, "WriteSummary",
      SLI_TESTING_INPUTS(handle(&f), step(3), TENSOR(sli_testing_range(SLI_SHAPE(2, 2))), text("t"), text("")), NULL,
      0));
  SLI_EXPECT_OK(
      sli_testing_device_run(h, "WriteImageSummary",
                             SLI_TESTING_INPUTS(handle(&f), step(4), text("i"),
                                                TENSOR(sli_testing_range(SLI_SHAPE(1, 2, 2, 1))), TENSOR(red())),
                             NULL, 0));
  SLI_EXPECT_OK(sli_testing_device_run(
      h, "WriteAudioSummary",
      SLI_TESTING_INPUTS(handle(&f), step(5), text("a"), TENSOR(sli_testing_range(SLI_SHAPE(1, 4))),
                         TENSOR(sli_tensor_scalar_float(8000))),
      NULL, 0));
  sli_string_t summary = {0};
  size_t mark = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_VALUE_TAG, "merged");
  sli_wire_write_float(&summary, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, 1);
  sli_wire_close(&summary, mark);
  sli_tensor_t *raw = sli_tensor_scalar_string(sli_view_of(summary.data, summary.size));
  SLI_EXPECT_OK(
      sli_testing_device_run(h, "WriteRawProtoSummary", SLI_TESTING_INPUTS(handle(&f), step(6), TENSOR(raw)), NULL, 0));
  sli_string_deinitialize(&summary);
  SLI_EXPECT_OK(
      sli_testing_device_run(h, "WriteGraphSummary", SLI_TESTING_INPUTS(handle(&f), step(7), text("")), NULL, 0));
  // Event {step: 9, file_version: "x"}
  SLI_EXPECT_OK(
      sli_testing_device_run(h, "ImportEvent", SLI_TESTING_INPUTS(handle(&f), text("\x10\x09\x1a\x01x")), NULL, 0));
  SLI_EXPECT_INT(read_events(&f, NULL), 0);  // they are buffered
  SLI_EXPECT_OK(sli_testing_device_run(h, "FlushSummaryWriter", SLI_TESTING_INPUTS(handle(&f)), NULL, 0));
  SLI_EXPECT_INT(read_events(&f, expect_kind), 8);
  char *path = find_file(&f);
  SLI_EXPECT_CONTAINS(path, "/events.out.tfevents.");
  SLI_EXPECT_CONTAINS(path, ".test");
  free(path);
  fixture_deinitialize(&f);
}

SLI_TEST(test_summary_writer_flushes_when_the_queue_is_full_or_time_is_up) {
  fixture_t f;
  fixture_initialize(&f, "full");
  SLI_EXPECT_OK(open_file(&f, 2, 1000000));
  for (int i = 1; i <= 2; i++) SLI_EXPECT_OK(write_scalar(&f, i, 0));
  SLI_EXPECT_INT(read_events(&f, NULL), 0);
  SLI_EXPECT_OK(write_scalar(&f, 3, 0));
  SLI_EXPECT_INT(read_events(&f, NULL), 3);
  fixture_deinitialize(&f);

  fixture_initialize(&f, "late");
  SLI_EXPECT_OK(open_file(&f, 1000, 0));
  SLI_EXPECT_OK(write_scalar(&f, 1, 0));
  SLI_EXPECT_INT(read_events(&f, NULL), 1);
  fixture_deinitialize(&f);
}

SLI_TEST(test_summary_writer_refuses_what_it_cannot_write) {
  fixture_t f;
  fixture_initialize(&f, "bad");
  sli_testing_device_t *h = &f.h;
  sli_testing_expect_error(write_scalar(&f, 1, 0), SLI_NOT_FOUND, "Summary writer w has no open file");
  sli_testing_expect_error(sli_testing_device_run(h, "FlushSummaryWriter", SLI_TESTING_INPUTS(handle(&f)), NULL, 0),
                           SLI_NOT_FOUND, "no open file");
  SLI_EXPECT_OK(open_file(&f, 0, 0));
  sli_testing_expect_error(
      sli_testing_device_run(h, "WriteScalarSummary",
                             SLI_TESTING_INPUTS(handle(&f), TENSOR(sli_tensor_vector_int64((const int64_t[]){1, 2}, 2)),
                                                text("t"), TENSOR(sli_tensor_scalar_float(1))),
                             NULL, 0),
      SLI_INVALID_ARGUMENT, "step must be");
  sli_testing_expect_error(
      sli_testing_device_run(
          h, "WriteScalarSummary",
          SLI_TESTING_INPUTS(handle(&f), step(1), text("t"), TENSOR(sli_testing_range(SLI_SHAPE(0)))), NULL, 0),
      SLI_INVALID_ARGUMENT, "empty");
  sli_testing_expect_error(
      sli_testing_device_run(h, "WriteRawProtoSummary", SLI_TESTING_INPUTS(handle(&f), step(1), text("\xff")), NULL, 0),
      SLI_DATA_LOSS, "Bad tf.compat.v1.Summary binary proto tensor string at index 0");
  sli_testing_expect_error(
      sli_testing_device_run(h, "ImportEvent", SLI_TESTING_INPUTS(handle(&f), text("\xff")), NULL, 0), SLI_DATA_LOSS,
      "Bad tf.Event binary proto tensor string");
  sli_testing_expect_error(
      sli_testing_device_run(h, "WriteGraphSummary", SLI_TESTING_INPUTS(handle(&f), step(1), text("\xff")), NULL, 0),
      SLI_DATA_LOSS, "Bad tf.GraphDef binary proto tensor string");
  SLI_EXPECT_INT(read_events(&f, NULL), 0);
  SLI_EXPECT_OK(sli_testing_device_run(h, "CloseSummaryWriter", SLI_TESTING_INPUTS(handle(&f)), NULL, 0));
  sli_testing_expect_error(write_scalar(&f, 1, 0), SLI_NOT_FOUND, "no open file");
  sli_testing_expect_error(sli_testing_device_run(h, "CloseSummaryWriter", SLI_TESTING_INPUTS(handle(&f)), NULL, 0),
                           SLI_NOT_FOUND, "no open file");
  fixture_deinitialize(&f);
}

SLI_TEST_MAIN(test_summary_writer_writes_every_kind_of_event,
              test_summary_writer_flushes_when_the_queue_is_full_or_time_is_up,
              test_summary_writer_refuses_what_it_cannot_write)
