#include "io/event/event_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/sync.h"
#include "io/event/event_proto.h"
#include "io/file/path.h"
#include "io/record/record.h"

enum { MAX_NAMES = 1000 };  // attempts to find an unused name

struct sli_event_writer {
  sli_mutex_t mutex;
  char *directory, *suffix;      // |suffix| may be NULL
  sli_record_writer_t *records;  // NULL after a failure: the next event goes to a new file
};

// Opens the first of NAME, NAME.1, NAME.2 … that does not exist.
static sli_status_t *open_new(const char *directory, int64_t seconds, const char *suffix,
                              sli_record_writer_t **out_records) {
  char host[256] = "localhost";
  if (gethostname(host, sizeof(host) - 1) != 0) snprintf(host, sizeof(host), "localhost");
  sli_status_t *status = NULL;
  for (int i = 0; i < MAX_NAMES; i++) {
    sli_status_release(status);
    sli_string_t name = {0};
    sli_string_append_format(&name, "events.out.tfevents.%010lld.%s", (long long)seconds, host);
    if (i) sli_string_append_format(&name, ".%d", i);
    sli_string_append_text(&name, suffix ? suffix : "");
    char *path = sli_path_join(directory, name.data);
    status = sli_record_writer_open(path, SLI_FILE_EXCLUSIVE, SLI_COMPRESSION_NONE, -1, out_records);
    sli_string_deinitialize(&name);
    free(path);
    if (sli_status_code(status) != SLI_ALREADY_EXISTS) break;
  }
  return status;
}

// Begins a new file. Under the mutex, or before the writer is shared.
static sli_status_t *begin_file(sli_event_writer_t *writer) {
  int64_t seconds = sli_clock_wall_micros() / 1000000;
  SLI_RETURN_IF_ERROR(open_new(writer->directory, seconds, writer->suffix, &writer->records));
  sli_string_t event = {0};
  sli_event_proto_file_version(&event, (double)seconds, "brain.Event:2");
  sli_status_t *status = sli_record_writer_write(writer->records, sli_view_of(event.data, event.size));
  sli_string_deinitialize(&event);
  return status ? status : sli_record_writer_flush(writer->records);
}

// A record may be torn, after which readers find no other one: the file is given up.
static sli_status_t *give_up_if(sli_event_writer_t *writer, sli_status_t *status) {
  if (!status) return NULL;
  sli_record_writer_release(writer->records);
  writer->records = NULL;
  return status;
}

sli_status_t *sli_event_writer_create(const char *directory, const char *suffix, sli_event_writer_t **out_writer) {
  *out_writer = NULL;
  SLI_RETURN_IF_ERROR(sli_file_make_directories(directory));
  sli_event_writer_t *writer = sli_calloc(1, sizeof(*writer));
  sli_mutex_initialize(&writer->mutex);
  writer->directory = sli_strdup(directory);
  writer->suffix = suffix ? sli_strdup(suffix) : NULL;
  sli_status_t *status = begin_file(writer);
  if (status) {
    sli_event_writer_release(writer);
    return status;
  }
  *out_writer = writer;
  return NULL;
}

const char *sli_event_writer_path(const sli_event_writer_t *writer) {
  return writer->records ? sli_record_writer_path(writer->records) : writer->directory;
}

sli_status_t *sli_event_writer_add(sli_event_writer_t *writer, sli_view_t event) {
  sli_mutex_lock(&writer->mutex);
  sli_status_t *status = writer->records ? NULL : begin_file(writer);
  if (!status) status = sli_record_writer_write(writer->records, event);
  status = give_up_if(writer, status);
  sli_mutex_unlock(&writer->mutex);
  return status;
}

// Writing to a deleted file does not fail, so check for it.
static sli_status_t *check_exists(sli_event_writer_t *writer) {
  const char *path = sli_record_writer_path(writer->records);
  if (sli_file_exists(path)) return NULL;
  return sli_status_make(SLI_UNKNOWN, "The events file %s has disappeared.", path);
}

sli_status_t *sli_event_writer_flush(sli_event_writer_t *writer) {
  sli_mutex_lock(&writer->mutex);
  sli_status_t *status = writer->records ? sli_record_writer_flush(writer->records) : NULL;
  if (!status && writer->records) status = check_exists(writer);
  status = give_up_if(writer, status);
  sli_mutex_unlock(&writer->mutex);
  return status;
}

sli_status_t *sli_event_writer_close(sli_event_writer_t *writer) {
  sli_mutex_lock(&writer->mutex);
  sli_status_t *status = writer->records ? sli_record_writer_close(writer->records) : NULL;
  if (!status && writer->records) status = check_exists(writer);
  sli_mutex_unlock(&writer->mutex);
  return status;
}

void sli_event_writer_release(sli_event_writer_t *writer) {
  if (!writer) return;
  sli_record_writer_release(writer->records);
  sli_mutex_deinitialize(&writer->mutex);
  free(writer->directory);
  free(writer->suffix);
  free(writer);
}
