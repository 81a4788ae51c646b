// The records of one shard, epoch after epoch, in an order that is a function of
// the files, the seed and the epoch alone: whoever knows how many records of an
// epoch were used can go on with the next one. Thread-compatible; blocks.
#ifndef SLI_TRAIN_SHARD_SOURCE_H_
#define SLI_TRAIN_SHARD_SOURCE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "io/compression.h"

typedef struct {
  const char *const *files;
  size_t file_count;
  sli_compression_t compression;
  int shard, shards;       // record i of an epoch belongs to shard i % shards
  bool whole_files;        // file i does, instead
  int64_t shuffle_buffer;  // records that the next is drawn from, and files come in random order; 0: as they are
  uint64_t seed;
} sli_shard_options_t;

typedef struct sli_shard_source sli_shard_source_t;

// The files are copied, not opened yet. At epoch 0, record 0.
sli_shard_source_t *sli_shard_source_create(const sli_shard_options_t *options);
void sli_shard_source_release(sli_shard_source_t *source);
// Where the next record is: in epoch |*out_epoch| it is number |*out_offset| of the shard's.
void sli_shard_source_position(const sli_shard_source_t *source, int64_t *out_epoch, int64_t *out_offset);
// Goes there. FAILED_PRECONDITION if the epoch has no such record: the files are others. After a failure the position
// is that of the last record read.
sli_status_t *sli_shard_source_seek(sli_shard_source_t *source, int64_t epoch, int64_t offset);
// The next record; its bytes stay until the next call. After the last one of an epoch comes the first of the next.
// FAILED_PRECONDITION if there is none for the shard at all; DATA_LOSS, with file and place, if one is damaged.
sli_status_t *sli_shard_source_next(sli_shard_source_t *source, sli_view_t *out_record);

#endif  // SLI_TRAIN_SHARD_SOURCE_H_
