// V1 checkpoints, for checkpoint_reader.c.
#ifndef SLI_IO_CHECKPOINT_CHECKPOINT_V1_INTERNAL_H_
#define SLI_IO_CHECKPOINT_CHECKPOINT_V1_INTERNAL_H_

#include "io/checkpoint/bundle_internal.h"

typedef struct sli_checkpoint_v1 sli_checkpoint_v1_t;

// Opens all tables that match |pattern| and reads their lists of tensors.
sli_status_t *sli_checkpoint_v1_open(const char *pattern, sli_checkpoint_v1_t **out_reader);
void sli_checkpoint_v1_release(sli_checkpoint_v1_t *reader);
// The tensors, sorted by name.
const sli_bundle_entry_t *sli_checkpoint_v1_entries(const sli_checkpoint_v1_t *reader, size_t *out_count);
sli_status_t *sli_checkpoint_v1_read(sli_checkpoint_v1_t *reader, const sli_bundle_entry_t *entry,
                                     const sli_tensor_slice_extent_t *slice, void *data, size_t size);
sli_status_t *sli_checkpoint_v1_read_strings(sli_checkpoint_v1_t *reader, const sli_bundle_entry_t *entry,
                                             const sli_tensor_slice_extent_t *slice, sli_bundle_strings_t *out_strings);

#endif  // SLI_IO_CHECKPOINT_CHECKPOINT_V1_INTERNAL_H_
