#include "io/event/event_writer.h"

#include <pthread.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/test.h"
#include "io/event/event_proto.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "io/record/record.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"

static char *temporary(const char *name) { return sli_path_join(sli_test_temporary_dir(), name); }

static sli_view_t view(const sli_string_t *string) { return sli_view_of(sli_string_text(string), string->size); }

static bool find_field(sli_view_t message, uint32_t number, sli_wire_field_t *out_field) {
  sli_wire_reader_t reader = sli_wire_reader(message);
  while (sli_wire_next(&reader, out_field))
    if (out_field->number == number) return true;
  return false;
}

// Decodes every golden event and writes it with our functions: the bytes must be equal.
SLI_TEST(test_event_equals_golden_byte_for_byte) {
  char *path = sli_format("%s/events/events.out.tfevents.golden", sli_test_golden_dir());
  sli_record_reader_t *reader;
  SLI_REQUIRE_OK(sli_record_reader_open(path, SLI_COMPRESSION_NONE, 0, &reader));
  sli_status_t *status;
  int kinds[SLI_FIELD_EVENT_META_GRAPH_DEF + 1] = {0};
  for (sli_view_t record; !(status = sli_record_reader_read(reader, &record));) {
    sli_wire_field_t field, part;
    double time = find_field(record, SLI_FIELD_EVENT_WALL_TIME, &field) ? sli_wire_double(field.value) : 0;
    int64_t step = find_field(record, SLI_FIELD_EVENT_STEP, &field) ? (int64_t)field.value : 0;
    sli_string_t made = {0};
    uint32_t kind = 0;
    for (uint32_t n = SLI_FIELD_EVENT_FILE_VERSION; n <= SLI_FIELD_EVENT_META_GRAPH_DEF; n++)
      if (find_field(record, n, &field)) kind = n;
    SLI_REQUIRE(find_field(record, kind, &field));
    kinds[kind]++;
    char *text = NULL;
    switch (kind) {
      case SLI_FIELD_EVENT_FILE_VERSION:
        sli_event_proto_file_version(&made, time, "brain.Event:2");
        record.size = made.size;  // the golden event also has source_metadata
        break;
      case SLI_FIELD_EVENT_GRAPH_DEF: sli_event_proto_graph_def(&made, time, step, field.bytes); break;
      case SLI_FIELD_EVENT_SUMMARY: sli_event_proto_summary(&made, time, step, field.bytes); break;
      case SLI_FIELD_EVENT_SESSION_LOG:
        if (find_field(field.bytes, SLI_FIELD_SESSION_LOG_CHECKPOINT_PATH, &part))
          text = sli_strndup(part.bytes.data, part.bytes.size);
        SLI_REQUIRE(find_field(field.bytes, SLI_FIELD_SESSION_LOG_STATUS, &part));
        sli_event_proto_session_log(&made, time, step, (sli_event_proto_session_status_t)part.value, text, NULL);
        break;
      case SLI_FIELD_EVENT_TAGGED_RUN_METADATA:
        SLI_REQUIRE(find_field(field.bytes, SLI_FIELD_TAGGED_RUN_METADATA_TAG, &part));
        text = sli_strndup(part.bytes.data, part.bytes.size);
        SLI_REQUIRE(find_field(field.bytes, SLI_FIELD_TAGGED_RUN_METADATA_RUN_METADATA, &part));
        sli_event_proto_run_metadata(&made, time, step, text, part.bytes);
        break;
      case SLI_FIELD_EVENT_META_GRAPH_DEF: sli_event_proto_meta_graph_def(&made, time, step, field.bytes); break;
      default: sli_test_fail(__FILE__, __LINE__, "an event of kind %u", kind);
    }
    if (!sli_view_equal(record, view(&made))) sli_test_fail(__FILE__, __LINE__, "an event of kind %u differs", kind);
    sli_string_deinitialize(&made);
    free(text);
  }
  SLI_EXPECT_INT(sli_status_code(status), SLI_OUT_OF_RANGE);
  sli_status_release(status);
  SLI_EXPECT_INT(kinds[SLI_FIELD_EVENT_FILE_VERSION], 1);
  SLI_EXPECT(kinds[SLI_FIELD_EVENT_GRAPH_DEF] && kinds[SLI_FIELD_EVENT_SUMMARY] && kinds[SLI_FIELD_EVENT_SESSION_LOG] &&
             kinds[SLI_FIELD_EVENT_TAGGED_RUN_METADATA] && kinds[SLI_FIELD_EVENT_META_GRAPH_DEF]);
  sli_record_reader_release(reader);
  free(path);
}

static size_t count_records(const char *path) {
  sli_record_reader_t *reader;
  sli_status_t *status = sli_record_reader_open(path, SLI_COMPRESSION_NONE, 0, &reader);
  size_t count = 0;
  sli_view_t record;
  while (!status && !(status = sli_record_reader_read(reader, &record))) count++;
  SLI_EXPECT_INT(sli_status_code(status), SLI_OUT_OF_RANGE);
  sli_status_release(status);
  sli_record_reader_release(reader);
  return count;
}

SLI_TEST(test_event_writer_names_its_file_and_starts_with_the_version) {
  char *directory = temporary("logs/deep"), host[256];
  SLI_REQUIRE(gethostname(host, sizeof(host)) == 0);
  sli_event_writer_t *writer, *other;
  SLI_REQUIRE_OK(sli_event_writer_create(directory, ".v2", &writer));
  SLI_REQUIRE_OK(sli_event_writer_create(directory, ".v2", &other));
  const char *name = sli_path_base(sli_event_writer_path(writer));
  char *tail = sli_format(".%s.v2", host);
  SLI_EXPECT(sli_string_starts_with(name, "events.out.tfevents."));
  SLI_EXPECT(sli_string_ends_with(name, tail));
  SLI_EXPECT(strcmp(sli_event_writer_path(writer), sli_event_writer_path(other)) != 0);
  SLI_EXPECT_INT(count_records(sli_event_writer_path(writer)), 1);

  sli_string_t event = {0};
  sli_event_proto_summary(&event, sli_event_proto_now(), 3, sli_view(""));
  SLI_EXPECT_OK(sli_event_writer_add(writer, view(&event)));
  SLI_EXPECT_OK(sli_event_writer_flush(writer));
  SLI_EXPECT_INT(count_records(sli_event_writer_path(writer)), 2);
  SLI_EXPECT_OK(sli_event_writer_add(writer, view(&event)));
  SLI_EXPECT_OK(sli_event_writer_close(writer));
  SLI_EXPECT_INT(count_records(sli_event_writer_path(writer)), 3);
  SLI_EXPECT_STATUS(sli_event_writer_add(writer, view(&event)), SLI_FAILED_PRECONDITION);

  SLI_EXPECT_OK(sli_file_delete(sli_event_writer_path(other)));
  SLI_EXPECT_OK(sli_event_writer_add(other, view(&event)));
  sli_status_t *status = sli_event_writer_flush(other);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "has disappeared");
  sli_status_release(status);
  sli_string_deinitialize(&event);
  sli_event_writer_release(writer);
  sli_event_writer_release(other);
  free(tail);
  free(directory);
}

static void *add_many(void *writer) {
  sli_string_t event = {0};
  for (int i = 0; i < 500; i++) {
    sli_string_clear(&event);
    sli_event_proto_summary(&event, 1, i, sli_view("\x0a\x00"));
    SLI_EXPECT_OK(sli_event_writer_add(writer, view(&event)));
    if (i % 100 == 0) SLI_EXPECT_OK(sli_event_writer_flush(writer));
  }
  sli_string_deinitialize(&event);
  return NULL;
}

SLI_TEST(test_event_writer_keeps_records_of_several_threads_whole) {
  char *directory = temporary("threads");
  sli_event_writer_t *writer;
  SLI_REQUIRE_OK(sli_event_writer_create(directory, NULL, &writer));
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, add_many, writer);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  SLI_EXPECT_OK(sli_event_writer_close(writer));
  SLI_EXPECT_INT(count_records(sli_event_writer_path(writer)), 1501);
  sli_event_writer_release(writer);
  free(directory);
}

SLI_TEST_MAIN(test_event_equals_golden_byte_for_byte, test_event_writer_names_its_file_and_starts_with_the_version,
              test_event_writer_keeps_records_of_several_threads_whole)
