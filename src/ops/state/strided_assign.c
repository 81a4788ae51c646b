// StridedSliceAssign, ResourceStridedSliceAssign: set a slice of a variable.
#include "core/op/shape_inference.h"
#include "ops/array/strided_slice.h"
#include "ops/state/update.h"

static sli_status_t *strided_assign_compute(sli_kernel_context_t *context) {
  sli_update_t update;
  SLI_RETURN_IF_ERROR(sli_update_begin(context, 1, true, &update));
  sli_dtype_t have = (sli_dtype_t)update.tensors[0]->dtype, given = (sli_dtype_t)sli_kernel_input(context, 4)->dtype;
  sli_status_t *status = have == given
                             ? sli_strided_slice_assign(context, update.tensors[0])
                             : sli_status_make(SLI_INVALID_ARGUMENT, "l-value dtype %s does not match r-value dtype %s",
                                               sli_dtype_name(have), sli_dtype_name(given));
  if (!status) sli_update_forward(context, &update);
  sli_update_end(&update);
  return status;
}

static const sli_op_def_t ops[] = {
    {.name = "StridedSliceAssign",
     .inputs = "ref: Ref(T), begin: Index, end: Index, strides: Index, value: T",
     .outputs = "output_ref: Ref(T)",
     .attrs = "T: type; Index: {int32, int64}; " SLI_STRIDED_SLICE_MASKS,
     .summary = "Sets a slice of a variable.",
     .shape = sli_infer_fn_unchanged},
    {.name = "ResourceStridedSliceAssign",
     .inputs = "ref: resource, begin: Index, end: Index, strides: Index, value: T",
     .attrs = "T: type; Index: {int32, int64}; " SLI_STRIDED_SLICE_MASKS,
     .summary = "Sets a slice of a variable.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
};

#define TYPES (SLI_TYPES_COMMON | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPES_FLOAT8)

static const sli_kernel_def_t kernels[] = {
    {.op = "StridedSliceAssign",
     .types = TYPES,
     .host_memory = "begin, end, strides",
     .compute = strided_assign_compute},
    {.op = "ResourceStridedSliceAssign",
     .types = TYPES,
     .host_memory = "ref, begin, end, strides",
     .compute = strided_assign_compute},
};

SLI_OP_MODULE(strided_assign);
