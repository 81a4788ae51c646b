// Finds out the kind of a path. A directory is recognised by its well-known files. A file is recognised by its bytes:
// the magic number at the end of a table, or the checksum of a record's length; any other file can only be a protocol
// buffer message. Names decide where bytes cannot: for damaged and empty files.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/inspect/inspect.h"
#include "io/checkpoint/checkpoint_files.h"
#include "io/checkpoint/checkpoint_state.h"
#include "io/file/crc32c.h"
#include "io/file/file.h"
#include "io/file/input_stream.h"
#include "io/file/path.h"
#include "io/record/record.h"

enum { RECORD_HEAD_SIZE = 12, TABLE_MAGIC_SIZE = 8 };

void sli_inspect_subject_deinitialize(sli_inspect_subject_t *subject) {
  free(subject->path);
  subject->path = NULL;
}

// Owns |path| from now on.
static void set(sli_inspect_subject_t *subject, sli_inspect_kind_t kind, char *path) {
  sli_inspect_subject_deinitialize(subject);
  subject->kind = kind;
  subject->path = path;
}

static bool has_index(const char *prefix) {
  char *index = sli_format("%s.index", prefix);
  bool there = sli_file_exists(index);
  free(index);
  return there;
}

// --- Directories ---

// The newest checkpoint of a directory with a `checkpoint` file. If the path in that file does not exist, because the
// directory was moved, a checkpoint of the same name in this directory is taken.
static sli_status_t *find_newest_checkpoint(const char *directory, sli_inspect_subject_t *out) {
  sli_checkpoint_state_t state = {0};
  SLI_RETURN_IF_ERROR(sli_checkpoint_state_read(directory, NULL, &state));
  sli_status_t *status = NULL;
  const char *named = state.model_checkpoint_path;
  char *here = named ? sli_path_join(directory, sli_path_base(named)) : NULL;
  if (!named || !named[0])
    status = sli_status_make(SLI_NOT_FOUND, "'%s/checkpoint' names no checkpoint", directory);
  else if (sli_checkpoint_exists(named))
    set(out, SLI_INSPECT_CHECKPOINT, sli_strdup(named));
  else if (sli_checkpoint_exists(here))
    set(out, SLI_INSPECT_CHECKPOINT, sli_strdup(here));
  else
    status = sli_status_make(SLI_NOT_FOUND, "'%s/checkpoint' names the checkpoint '%s', which does not exist",
                             directory, named);
  free(here);
  sli_checkpoint_state_deinitialize(&state);
  return status;
}

// The event file of |directory| that was written to last; NULL if there is none.
static char *find_newest_events(const char *directory) {
  sli_path_list_t names = {0};
  sli_status_release(sli_file_list(directory, &names));
  char *newest = NULL;
  int64_t newest_time = INT64_MIN;
  for (size_t i = 0; i < names.count; i++) {
    if (!strstr(names.items[i], ".tfevents.")) continue;
    char *path = sli_path_join(directory, names.items[i]);
    sli_file_info_t info = {0};
    sli_status_t *status = sli_file_info(path, &info);
    if (!status && !info.is_directory && info.modified_nanos >= newest_time) {
      free(newest);
      newest = path;
      newest_time = info.modified_nanos;
      path = NULL;
    }
    sli_status_release(status);
    free(path);
  }
  sli_path_list_deinitialize(&names);
  return newest;
}

static sli_status_t *find_in_directory(const char *directory, sli_inspect_subject_t *out) {
  char *model = sli_path_join(directory, "saved_model.pb"), *state = sli_path_join(directory, "checkpoint");
  bool has_model = sli_file_exists(model), has_state = sli_file_exists(state);
  free(state);
  if (has_model) {
    set(out, SLI_INSPECT_GRAPH, model);
    return NULL;
  }
  free(model);
  if (has_state) return find_newest_checkpoint(directory, out);
  char *events = find_newest_events(directory);
  if (!events)
    return sli_status_make(
        SLI_NOT_FOUND,
        "directory '%s' has no 'checkpoint', 'saved_model.pb' or event file; give the path of a file in it", directory);
  set(out, SLI_INSPECT_EVENTS, events);
  return NULL;
}

// --- Files ---

// Whether |head| starts with the length of a record and its checksum.
static bool is_record_head(sli_view_t head) {
  if (head.size < RECORD_HEAD_SIZE) return false;
  uint32_t stored = 0;
  for (int i = 3; i >= 0; i--) stored = stored << 8 | (unsigned char)head.data[8 + i];
  return sli_crc32c_unmask(stored) == sli_crc32c_extend(0, head.data, 8);
}

// Whether the file, decompressed by |compression|, holds records.
static bool holds_records(const char *path, sli_compression_t compression) {
  sli_input_stream_t *stream = NULL;
  sli_view_t head = {0};
  sli_status_t *status = sli_input_stream_open(path, compression, 0, &stream);
  if (!status) status = sli_input_stream_peek(stream, RECORD_HEAD_SIZE, &head);
  bool good = !status && is_record_head(head);
  sli_status_release(status);
  sli_input_stream_release(stream);
  return good;
}

// Whether this is an event file, by its name or by its first record, an Event with the file version.
static bool is_event_file(const char *path) {
  if (strstr(sli_path_base(path), "tfevents")) return true;
  sli_record_reader_t *reader = NULL;
  sli_view_t record = {0};
  sli_status_t *status = sli_record_reader_open(path, SLI_COMPRESSION_NONE, 0, &reader);
  if (!status) status = sli_record_reader_read(reader, &record);
  bool good = !status && memmem(record.data, record.size, "brain.Event:", 12);
  sli_status_release(status);
  sli_record_reader_release(reader);
  return good;
}

static sli_status_t *ends_like_table(const char *path, uint64_t size, bool *out_table) {
  static const unsigned char magic[TABLE_MAGIC_SIZE] = {0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb};
  *out_table = false;
  if (size < TABLE_MAGIC_SIZE) return NULL;
  sli_file_reader_t *reader;
  SLI_RETURN_IF_ERROR(sli_file_reader_open(path, &reader));
  char tail[TABLE_MAGIC_SIZE];
  sli_status_t *status = sli_file_reader_read_all(reader, size - sizeof(tail), tail, sizeof(tail));
  *out_table = !status && memcmp(tail, magic, sizeof(tail)) == 0;
  sli_file_reader_release(reader);
  return status;
}

static sli_status_t *find_by_name(const char *path, sli_inspect_subject_t *out) {
  const char *base = sli_path_base(path);
  const char *data = strstr(base, ".data-");
  if (sli_string_ends_with(base, ".index")) {
    set(out, SLI_INSPECT_CHECKPOINT, sli_strndup(path, strlen(path) - strlen(".index")));
  } else if (data) {
    char *prefix = sli_strndup(path, (size_t)(data - path));
    set(out, SLI_INSPECT_CHECKPOINT, prefix);
    if (!has_index(prefix))
      return sli_status_make(SLI_NOT_FOUND, "'%s' is the data of a checkpoint, but '%s.index' does not exist", path,
                             prefix);
  } else if (!strcmp(base, "checkpoint")) {
    char *directory = sli_path_directory(path);
    sli_status_t *status = find_newest_checkpoint(directory[0] ? directory : ".", out);
    free(directory);
    return status;
  } else if (strstr(base, "tfevents")) {
    set(out, SLI_INSPECT_EVENTS, sli_strdup(path));
  } else if (strstr(base, ".tfrecord")) {
    set(out, SLI_INSPECT_RECORDS, sli_strdup(path));
  }
  return NULL;
}

static sli_status_t *find_file(const char *path, uint64_t size, sli_inspect_subject_t *out) {
  static const sli_compression_t packings[] = {SLI_COMPRESSION_NONE, SLI_COMPRESSION_GZIP, SLI_COMPRESSION_ZLIB};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(packings); i++) {
    if (!holds_records(path, packings[i])) continue;
    out->compression = packings[i];
    bool events = packings[i] == SLI_COMPRESSION_NONE && is_event_file(path);
    set(out, events ? SLI_INSPECT_EVENTS : SLI_INSPECT_RECORDS, sli_strdup(path));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(find_by_name(path, out));
  if (out->path) return NULL;
  bool table;
  SLI_RETURN_IF_ERROR(ends_like_table(path, size, &table));
  if (table)
    set(out, SLI_INSPECT_CHECKPOINT, sli_strdup(path));
  else if (size == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "'%s' is empty", path);
  else
    set(out, SLI_INSPECT_GRAPH, sli_strdup(path));
  return NULL;
}

sli_status_t *sli_inspect_find(const char *path, sli_inspect_subject_t *out_subject) {
  *out_subject = (sli_inspect_subject_t){0};
  sli_file_info_t info;
  sli_status_t *status = sli_file_info(path, &info);
  if (!status) {
    status = info.is_directory ? find_in_directory(path, out_subject) : find_file(path, info.size, out_subject);
  } else if (sli_status_code(status) == SLI_NOT_FOUND) {
    sli_status_release(status);
    status = NULL;
    if (sli_checkpoint_exists(path))
      set(out_subject, SLI_INSPECT_CHECKPOINT, sli_strdup(path));
    else
      status = sli_status_make(SLI_NOT_FOUND, "'%s' does not exist, nor does the checkpoint '%s.index'", path, path);
  }
  if (status) sli_inspect_subject_deinitialize(out_subject);
  return status;
}
