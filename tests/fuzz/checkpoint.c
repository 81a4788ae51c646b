// Checkpoints of both versions. The first byte selects how: as files (index and data, or one V1 file), or as the
// entries of an index with correct checksums, so that the code after the checksums is reached too.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/checkpoint/checkpoint_reader.h"
#include "io/checkpoint/checkpoint_state.h"
#include "io/checkpoint/table.h"
#include "io/file/path.h"
#include "tests/fuzz/fuzz.h"

#define DT_STRING 7
#define MAX_TENSOR_SIZE (1 << 20)

static void read_all(const char *prefix) {
  sli_checkpoint_reader_t *reader;
  sli_status_t *status = sli_checkpoint_reader_open(prefix, &reader);
  if (status) {
    fuzz_ignore(status);
    return;
  }
  for (size_t i = 0; i < sli_checkpoint_reader_count(reader); i++) {
    const sli_bundle_entry_t *entry = sli_checkpoint_reader_at(reader, i);
    sli_bundle_strings_t strings = {0};
    if (entry->dtype == DT_STRING) {
      status = sli_checkpoint_reader_read_strings(reader, entry, NULL, &strings);
      if (!status) sli_bundle_strings_deinitialize(&strings);
      fuzz_ignore(status);
      continue;
    }
    uint64_t bytes = entry->slice_count ? 4 : entry->size;
    for (int d = 0; d < entry->rank && entry->slice_count && bytes <= MAX_TENSOR_SIZE; d++)
      bytes *= (uint64_t)entry->dims[d];
    if (bytes > MAX_TENSOR_SIZE) continue;
    void *data = sli_malloc(bytes ? bytes : 1);
    fuzz_ignore(sli_checkpoint_reader_read(reader, entry, NULL, data, bytes));
    free(data);
  }
  sli_checkpoint_reader_release(reader);
}

// Up to the suffix: the prefix of the files at |path|.
static void read_prefix_of(const char *path) {
  sli_string_t prefix = {0};
  sli_string_append(&prefix, path, strlen(path) - strlen(".index"));
  read_all(sli_string_text(&prefix));
  sli_string_deinitialize(&prefix);
}

static void read_files(const uint8_t *data, size_t size) {
  sli_view_t index = fuzz_part(&data, &size);
  fuzz_file("m.data-00000-of-00001", data, size);
  read_prefix_of(fuzz_file("m.index", (const uint8_t *)index.data, index.size));
}

static void read_entries(const uint8_t *data, size_t size) {
  sli_view_t content = fuzz_part(&data, &size);
  fuzz_file("e.data-00000-of-00001", (const uint8_t *)content.data, content.size);
  const char *path = fuzz_file("e.index", data, 0);
  sli_file_writer_t *file;
  if (sli_file_writer_open(path, SLI_FILE_TRUNCATE, &file)) abort();
  sli_table_writer_t *table = sli_table_writer_create(file);
  sli_status_t *status = NULL;
  // Keys in order, the first one empty: the header's.
  char key[3] = "";
  for (int i = 0; i < 16 && size > 0 && !status; i++) {
    status = sli_table_writer_add(table, sli_view_of(key, i ? 2 : 0), fuzz_part(&data, &size));
    snprintf(key, sizeof(key), "k%c", 'a' + i);
  }
  if (!status) status = sli_table_writer_finish(table);
  if (!status) status = sli_file_writer_close(file);
  fuzz_ignore(status);
  sli_table_writer_release(table);
  sli_file_writer_release(file);
  read_prefix_of(path);
}

static void read_v1(const uint8_t *data, size_t size) { read_all(fuzz_file("v1", data, size)); }

static void read_state(const uint8_t *data, size_t size) {
  const char *path = fuzz_file("checkpoint", data, size);
  char *directory = sli_path_directory(path);
  sli_checkpoint_state_t state = {0};
  sli_status_t *status = sli_checkpoint_state_read(directory, NULL, &state);
  if (!status) sli_checkpoint_state_deinitialize(&state);
  fuzz_ignore(status);
  free(directory);
}

void fuzz_one(const uint8_t *data, size_t size) {
  static void (*const readers[])(const uint8_t *, size_t) = {read_files, read_entries, read_v1, read_state};
  if (size > 0) readers[data[0] % 4](data + 1, size - 1);
}
