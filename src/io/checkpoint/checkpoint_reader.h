// Reads a checkpoint of either format: V2, the tensor bundle (bundle.h), or V1, one or several tables with the tensors
// inside. Thread-safe; blocks.
#ifndef SLI_IO_CHECKPOINT_CHECKPOINT_READER_H_
#define SLI_IO_CHECKPOINT_CHECKPOINT_READER_H_

#include "io/checkpoint/bundle.h"

typedef struct sli_checkpoint_reader sli_checkpoint_reader_t;

// |prefix|: the prefix of a V2 checkpoint, or the file or pattern ("model.ckpt-?????-of-00002") of a V1 checkpoint.
// NOT_FOUND with TensorFlow's text if there is neither.
sli_status_t *sli_checkpoint_reader_open(const char *prefix, sli_checkpoint_reader_t **out_reader);
void sli_checkpoint_reader_release(sli_checkpoint_reader_t *reader);

// Like sli_bundle_reader_*; lookup returns NOT_FOUND "Key NAME not found in checkpoint". In a V1 checkpoint an entry's
// shard, offset, size and checksum have no meaning, and every tensor has slices.
size_t sli_checkpoint_reader_count(const sli_checkpoint_reader_t *reader);
const sli_bundle_entry_t *sli_checkpoint_reader_at(const sli_checkpoint_reader_t *reader, size_t i);
const sli_bundle_entry_t *sli_checkpoint_reader_find(const sli_checkpoint_reader_t *reader, sli_view_t name);
sli_status_t *sli_checkpoint_reader_lookup(const sli_checkpoint_reader_t *reader, sli_view_t name,
                                           const sli_bundle_entry_t **out_entry);
// |slice| NULL: the whole tensor.
sli_status_t *sli_checkpoint_reader_read(sli_checkpoint_reader_t *reader, const sli_bundle_entry_t *entry,
                                         const sli_tensor_slice_extent_t *slice, void *data, size_t size);
sli_status_t *sli_checkpoint_reader_read_strings(sli_checkpoint_reader_t *reader, const sli_bundle_entry_t *entry,
                                                 const sli_tensor_slice_extent_t *slice,
                                                 sli_bundle_strings_t *out_strings);

#endif  // SLI_IO_CHECKPOINT_CHECKPOINT_READER_H_
