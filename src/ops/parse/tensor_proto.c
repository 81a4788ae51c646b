// SerializeTensor, ParseTensor: convert between a tensor and the bytes of a TensorProto.
#include "core/op/shape_inference.h"
#include "core/tensor/tensor_codec.h"

static sli_status_t *serialize_compute(sli_kernel_context_t *context) {
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output));
  sli_string_t bytes = {0};
  sli_slices_t none = {0};
  sli_tensor_t *tensor = sli_kernel_input(context, 0);
  // Variants as on the wire; they are never large numbers, which alone would become slices.
  if (tensor->dtype == SLI_DTYPE_VARIANT)
    sli_tensor_encode(tensor, &bytes, &none);
  else
    sli_tensor_encode_flat(tensor, &bytes);
  sli_tstring_assign(SLI_DATA(sli_tstring_t, output), sli_string_text(&bytes), bytes.size);
  sli_string_deinitialize(&bytes);
  return NULL;
}

static sli_status_t *parse_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *serialized = sli_kernel_input(context, 0);
  if (serialized->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected `serialized` to be a scalar, got shape: %s",
                           sli_tensor_shape_text(serialized).text);
  sli_tensor_t *tensor;
  sli_status_t *status = sli_tensor_decode(sli_tensor_string_at(serialized, 0), &tensor);
  if (status) return sli_status_prefix(status, "Could not parse `serialized` as TensorProto: ");
  sli_dtype_t wanted = context->node->output_types[0];
  if (tensor->dtype != wanted) {
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Type mismatch between parsed tensor (%s) and dtype (%s)",
                             sli_dtype_name((sli_dtype_t)tensor->dtype), sli_dtype_name(wanted));
    sli_tensor_release(tensor);
    return status;
  }
  sli_kernel_set_output(context, 0, tensor);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "SerializeTensor",
     .inputs = "tensor: T",
     .outputs = "serialized: string",
     .attrs = "T: type",
     .summary = "Serializes a tensor as a TensorProto.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true},
    {.name = "ParseTensor",
     .inputs = "serialized: string",
     .outputs = "output: out_type",
     .attrs = "out_type: type",
     .summary = "Parses a serialized TensorProto.",
     .shape = sli_infer_fn_unknown,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SerializeTensor", .types = SLI_TYPES_COMMON, .compute = serialize_compute},
    {.op = "ParseTensor", .compute = parse_compute},
};

SLI_OP_MODULE(tensor_proto);
