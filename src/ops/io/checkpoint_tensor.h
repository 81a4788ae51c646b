// What the checkpoint ops of both formats share: a tensor on its way to or from a file.
#ifndef SLI_OPS_IO_CHECKPOINT_TENSOR_H_
#define SLI_OPS_IO_CHECKPOINT_TENSOR_H_

#include "core/tensor.h"
#include "io/checkpoint_reader.h"

// Parses |text|, which says what slice |tensor| is, into |out_spec|; INVALID_ARGUMENT if the tensor has another shape.
// The caller deinitialises |out_spec| after success.
sli_status_t *sli_checkpoint_parse_slice(sli_view_t text, const sli_tensor_t *tensor, sli_slice_spec_t *out_spec);
// Reads |entry|, or |slice| of it unless that is NULL, into |output|, which has its type and shape. Blocks.
sli_status_t *sli_checkpoint_read_tensor(sli_checkpoint_reader_t *reader, const sli_bundle_entry_t *entry,
                                         const sli_extent_t *slice, sli_tensor_t *output);

#endif  // SLI_OPS_IO_CHECKPOINT_TENSOR_H_
