// Reads the records of one shard, epoch after epoch. The order depends only on the
// files, the seed and the epoch, so that reading can continue at any position of an
// epoch. Thread-compatible; calls block on file I/O.
#ifndef SLI_TRAIN_INPUT_SHARD_SOURCE_H_
#define SLI_TRAIN_INPUT_SHARD_SOURCE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "io/file/compression.h"

typedef struct {
  const char *const *files;
  size_t file_count;
  sli_compression_t compression;
  int shard, shards;       // record i of an epoch belongs to shard i % shards
  bool whole_files;        // instead, file i belongs to shard i % shards
  int64_t shuffle_buffer;  // draw each record from so many, and shuffle the files; 0: in order
  uint64_t seed;
} sli_shard_options_t;

typedef struct sli_shard_source sli_shard_source_t;

// Starts at epoch 0, record 0. Copies the file names; does not open the files yet.
sli_shard_source_t *sli_shard_source_create(const sli_shard_options_t *options);
void sli_shard_source_release(sli_shard_source_t *source);
// The position of the next record: the epoch, and its number among the records of the shard.
void sli_shard_source_position(const sli_shard_source_t *source, int64_t *out_epoch, int64_t *out_offset);
// Continues at a position. FAILED_PRECONDITION if the epoch has no such record: the files have changed. After a failure
// the position is that of the last record read.
sli_status_t *sli_shard_source_seek(sli_shard_source_t *source, int64_t epoch, int64_t offset);
// Reads the next record; its bytes are valid until the next call. After the last record of an epoch comes the first of
// the next. FAILED_PRECONDITION if the shard has no records; DATA_LOSS, with file and offset, if a record is damaged.
sli_status_t *sli_shard_source_next(sli_shard_source_t *source, sli_view_t *out_record);

#endif  // SLI_TRAIN_INPUT_SHARD_SOURCE_H_
