// Records are read from the files into a buffer; each next record is drawn from the
// buffer and replaced. Without shuffling the buffer holds one record. An epoch ends
// when the buffer is empty, so that the position after the last record is the start
// of the next epoch. To seek, the epoch is read again up to the position, which is
// cheap compared with the training on these records.
#include "train/input/shard_source.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/random.h"
#include "io/record/record.h"

struct sli_shard_source {
  char **files;
  size_t *order;  // of the files in this epoch
  sli_shard_options_t options;
  int64_t epoch, offset;
  bool open;        // the files of |epoch| are being read
  uint64_t random;  // state

  // The source of the buffer.
  size_t file;  // in |order|
  sli_record_reader_t *reader;
  uint64_t index;  // of the next record in this epoch, over all shards

  sli_string_t *buffer;
  int64_t count, capacity;
  sli_string_t current;  // the record that the caller sees
};

sli_shard_source_t *sli_shard_source_create(const sli_shard_options_t *options) {
  sli_shard_source_t *source = sli_calloc(1, sizeof(*source));
  source->options = *options;
  source->files = sli_calloc(options->file_count, sizeof(*source->files));
  source->order = sli_calloc(options->file_count, sizeof(*source->order));
  for (size_t i = 0; i < options->file_count; i++) source->files[i] = sli_strdup(options->files[i]);
  source->options.files = NULL;
  source->capacity = options->shuffle_buffer > 1 ? options->shuffle_buffer : 1;
  source->buffer = sli_calloc((size_t)source->capacity, sizeof(*source->buffer));
  return source;
}

static void close_epoch(sli_shard_source_t *source) {
  sli_record_reader_release(source->reader);
  source->reader = NULL;
  source->open = false;
  source->count = 0;
}

void sli_shard_source_release(sli_shard_source_t *source) {
  if (!source) return;
  close_epoch(source);
  for (size_t i = 0; i < source->options.file_count; i++) free(source->files[i]);
  for (int64_t i = 0; i < source->capacity; i++) sli_string_deinitialize(&source->buffer[i]);
  sli_string_deinitialize(&source->current);
  free(source->files);
  free(source->order);
  free(source->buffer);
  free(source);
}

void sli_shard_source_position(const sli_shard_source_t *source, int64_t *out_epoch, int64_t *out_offset) {
  *out_epoch = source->epoch;
  *out_offset = source->offset;
}

// --- From the files to the buffer ---

// The order of the files is the same in all shards.
static void order_files(sli_shard_source_t *source) {
  size_t count = source->options.file_count;
  for (size_t i = 0; i < count; i++) source->order[i] = i;
  uint64_t random = source->options.seed ^ (uint64_t)source->epoch << 32;
  for (size_t i = count; source->options.shuffle_buffer > 0 && i > 1; i--) {
    size_t j = sli_random_next(&random) % i, other = source->order[j];
    source->order[j] = source->order[i - 1];
    source->order[i - 1] = other;
  }
}

static bool is_ours(const sli_shard_source_t *source, uint64_t index) {
  return index % (uint64_t)source->options.shards == (uint64_t)source->options.shard;
}

// Reads the next record of the shard from the files; |*out_found| is false at the end of the last file.
static sli_status_t *read_next(sli_shard_source_t *source, sli_view_t *out_record, bool *out_found) {
  const sli_shard_options_t *options = &source->options;
  *out_found = false;
  while (source->file < options->file_count) {
    const char *path = source->files[source->order[source->file]];
    bool skipped = options->whole_files && !is_ours(source, source->file);
    if (!skipped && !source->reader)
      SLI_RETURN_IF_ERROR(sli_record_reader_open(path, options->compression, 0, &source->reader));
    sli_status_t *status = NULL;
    while (!skipped && !(status = sli_record_reader_read(source->reader, out_record))) {
      uint64_t index = source->index++;
      *out_found = options->whole_files || is_ours(source, index);
      if (*out_found) return NULL;
    }
    if (status && sli_status_code(status) != SLI_OUT_OF_RANGE) return sli_status_prefix(status, "%s: ", path);
    sli_status_release(status);
    sli_record_reader_release(source->reader);
    source->reader = NULL;
    source->file++;
  }
  return NULL;
}

// Reads a record into entry |place| of the buffer; |*out_found| is false if there are no more.
static sli_status_t *fill(sli_shard_source_t *source, int64_t place, bool *out_found) {
  sli_view_t record;
  SLI_RETURN_IF_ERROR(read_next(source, &record, out_found));
  if (!*out_found) return NULL;
  sli_string_clear(&source->buffer[place]);
  sli_string_append(&source->buffer[place], record.data, record.size);
  return NULL;
}

static sli_status_t *open_epoch(sli_shard_source_t *source) {
  close_epoch(source);
  source->file = 0;
  source->index = 0;
  source->offset = 0;
  order_files(source);
  source->random = source->options.seed ^ (uint64_t)source->epoch << 32 ^ (uint64_t)source->options.shard << 16;
  for (bool found = true; found && source->count < source->capacity; source->count += found)
    SLI_RETURN_IF_ERROR(fill(source, source->count, &found));
  if (!source->count)
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "%s%s has no record for shard %d of %d: there are fewer %s than shards", source->files[0],
                           source->options.file_count > 1 ? " and the others" : "", source->options.shard,
                           source->options.shards, source->options.whole_files ? "files with records" : "records");
  source->open = true;
  return NULL;
}

// --- Out of the buffer ---

sli_status_t *sli_shard_source_next(sli_shard_source_t *source, sli_view_t *out_record) {
  *out_record = sli_view_of(NULL, 0);
  if (!source->open) SLI_RETURN_IF_ERROR(open_epoch(source));
  int64_t place = source->count > 1 ? (int64_t)(sli_random_next(&source->random) % (uint64_t)source->count) : 0;
  sli_string_t taken = source->buffer[place];
  source->buffer[place] = source->current;
  source->current = taken;
  bool found;
  sli_status_t *status = fill(source, place, &found);
  if (status) {  // the buffer is lost: the epoch must be read again
    close_epoch(source);
    return status;
  }
  if (!found) {
    sli_string_t last = source->buffer[--source->count];
    source->buffer[source->count] = source->buffer[place];
    source->buffer[place] = last;
  }
  source->offset++;
  if (!source->count) {
    close_epoch(source);
    source->epoch++;
    source->offset = 0;
  }
  *out_record = sli_view_of(source->current.data, source->current.size);
  return NULL;
}

sli_status_t *sli_shard_source_seek(sli_shard_source_t *source, int64_t epoch, int64_t offset) {
  close_epoch(source);
  source->epoch = epoch;
  source->offset = 0;
  sli_view_t record;
  for (int64_t i = 0; i < offset; i++) {
    if (source->epoch == epoch) SLI_RETURN_IF_ERROR(sli_shard_source_next(source, &record));
    if (source->epoch != epoch)
      return sli_status_make(SLI_FAILED_PRECONDITION,
                             "the checkpoint is at record %lld of epoch %lld in shard %d of %d, but the shard has only "
                             "%lld records: restore the files that the training began with",
                             (long long)offset, (long long)epoch, source->options.shard, source->options.shards,
                             (long long)i + 1);
  }
  return NULL;
}
