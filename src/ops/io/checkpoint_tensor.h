// Functions that the checkpoint ops of both formats share: slices to save, tensors to read.
#ifndef SLI_OPS_IO_CHECKPOINT_TENSOR_H_
#define SLI_OPS_IO_CHECKPOINT_TENSOR_H_

#include "core/tensor/tensor.h"
#include "io/checkpoint/checkpoint_reader.h"

// Parses |text|, a shape_and_slice specification of |tensor|. INVALID_ARGUMENT if the slice has another shape than
// |tensor|. On success the caller deinitializes |out_spec|.
sli_status_t *sli_checkpoint_tensor_parse_slice(sli_view_t text, const sli_tensor_t *tensor,
                                                sli_tensor_slice_spec_t *out_spec);
// Reads |entry|, or only |slice| of it unless that is NULL, into |output|, which must have the right type and shape.
// Blocks.
sli_status_t *sli_checkpoint_tensor_read(sli_checkpoint_reader_t *reader, const sli_bundle_entry_t *entry,
                                         const sli_tensor_slice_extent_t *slice, sli_tensor_t *output);

#endif  // SLI_OPS_IO_CHECKPOINT_TENSOR_H_
