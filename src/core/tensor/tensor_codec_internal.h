// What the codec of tensors offers to that of variants, whose elements hold tensors.
#ifndef SLI_CORE_TENSOR_TENSOR_CODEC_INTERNAL_H_
#define SLI_CORE_TENSOR_TENSOR_CODEC_INTERNAL_H_

#include "core/tensor/tensor.h"

// sli_tensor_decode of a tensor within |depth| elements of other tensors.
sli_status_t *sli_tensor_decode_nested(sli_view_t bytes, int depth, sli_tensor_t **out_tensor);

#endif  // SLI_CORE_TENSOR_TENSOR_CODEC_INTERNAL_H_
