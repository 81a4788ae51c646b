// Transpose, ConjugateTranspose: reorder dims. InvertPermutation.
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

static sli_status_t *read_permutation(sli_kernel_context_t *context, int rank, int *permutation) {
  sli_tensor_t *perm = sli_kernel_input(context, 1);
  if (perm->rank != 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "perm must be rank 1, got shape %s", sli_tensor_shape_text(perm).text);
  }
  if (perm->count != rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "transpose expects a vector of size %d. But input(1) is a vector of size %lld", rank,
                           (long long)perm->count);
  }
  bool seen[SLI_MAX_RANK] = {0};
  for (int i = 0; i < rank; i++) {
    int64_t dim = sli_tensor_int_at(perm, i);
    if (dim < 0 || dim >= rank) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "%lld is out of range [0 .. %d)", (long long)dim, rank);
    }
    permutation[i] = (int)dim;
    seen[dim] = true;
  }
  for (int i = 0; i < rank; i++) {
    if (seen[i]) continue;
    sli_string_t text = {0};
    for (int j = 0; j < rank; j++) sli_string_append_format(&text, "%s%d", j ? "," : "", permutation[j]);
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%d is missing from {%s}.", i, sli_string_text(&text));
    sli_string_deinitialize(&text);
    return status;
  }
  return NULL;
}

static sli_status_t *transpose_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int permutation[SLI_MAX_RANK];
  int64_t dims[SLI_MAX_RANK], strides[SLI_MAX_RANK], from_strides[SLI_MAX_RANK], to_strides[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(read_permutation(context, input->rank, permutation));
  sli_shape_strides(input->rank, input->dims, strides);
  bool in_order = true;  // dims of size 1 do not matter
  int previous = -1;
  for (int i = 0; i < input->rank; i++) {
    dims[i] = input->dims[permutation[i]];
    from_strides[i] = strides[permutation[i]];
    if (dims[i] == 1) continue;
    if (permutation[i] < previous) in_order = false;
    previous = permutation[i];
  }
  if (in_order) {
    sli_kernel_set_output_reshaped(context, 0, 0, (sli_shape_t){input->rank, dims});
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &output));
  if (output->count == 0) return NULL;
  sli_shape_strides(input->rank, dims, to_strides);
  sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, input->rank, dims, output->data, to_strides,
                            input->data, from_strides);
  return NULL;
}

static sli_status_t *conjugate_transpose_compute(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(transpose_compute(context));
  sli_tensor_t *result = context->outputs[0].tensor, *output;
  if (result->dtype != SLI_DTYPE_COMPLEX64 && result->dtype != SLI_DTYPE_COMPLEX128) return NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, result->dtype, sli_tensor_shape(result), &output));
  for (int64_t i = 0; i < 2 * result->count; i += 2) {
    if (result->dtype == SLI_DTYPE_COMPLEX64) {
      SLI_DATA(float, output)[i] = SLI_DATA(float, result)[i];
      SLI_DATA(float, output)[i + 1] = -SLI_DATA(float, result)[i + 1];
    } else {
      SLI_DATA(double, output)[i] = SLI_DATA(double, result)[i];
      SLI_DATA(double, output)[i + 1] = -SLI_DATA(double, result)[i + 1];
    }
  }
  sli_tensor_release(result);
  context->outputs[0].tensor = output;
  return NULL;
}

static sli_status_t *transpose_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), perm_shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &perm_shape));
  int64_t length = sli_infer_dim(perm_shape, 0);
  const sli_tensor_t *perm = sli_infer_input_constant(c, 1);
  if (perm) length = perm->count;
  if (in.rank < 0 && length < 0) return sli_infer_fn_unknown(c);
  if (length > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "perm must have at most %d elements, got %lld", SLI_MAX_RANK,
                           (long long)length);
  int rank = in.rank >= 0 ? in.rank : (int)length;
  if (length >= 0) SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, in, (int)length, &in));
  if (rank < 2 && in.rank >= 0) {
    sli_infer_set_output(c, 0, in);
    return NULL;
  }
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < rank; i++) {
    dims[i] = -1;
    if (!perm) continue;
    int64_t dim = sli_tensor_int_at(perm, i);
    if (dim < 0 || dim >= rank) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "perm dim %lld is out of range of input rank %d", (long long)dim,
                             rank);
    }
    dims[i] = sli_infer_dim(in, (int)dim);
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, rank, dims));
  return NULL;
}

static sli_status_t *transpose_gradient(sli_gradient_builder_t *b) {
  sli_output_t inverse = SLI_EMIT(b, "InvertPermutation", SLI_INPUTS(sli_gradient_input(b, 1)));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Transpose", SLI_INPUTS(sli_gradient_of_output(b, 0), inverse)));
  return NULL;
}

static sli_status_t *conjugate_transpose_gradient(sli_gradient_builder_t *b) {
  sli_output_t inverse = SLI_EMIT(b, "InvertPermutation", SLI_INPUTS(sli_gradient_input(b, 1)));
  sli_gradient_set(b, 0, SLI_EMIT(b, "ConjugateTranspose", SLI_INPUTS(sli_gradient_of_output(b, 0), inverse)));
  return NULL;
}

static sli_status_t *invert_permutation_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (input->rank != 1) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "invert_permutation expects a 1D vector.");
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  for (int64_t i = 0; i < input->count; i++) sli_tensor_set_int(output, i, -1);
  for (int64_t i = 0; i < input->count; i++) {
    int64_t value = sli_tensor_int_at(input, i);
    if (value < 0 || value >= input->count) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "%lld is not between 0 and %lld", (long long)value,
                             (long long)input->count);
    }
    if (sli_tensor_int_at(output, value) != -1) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "%lld is duplicated in the input.", (long long)value);
    }
    sli_tensor_set_int(output, value, i);
  }
  return NULL;
}

static sli_status_t *invert_permutation_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Transpose",
     .inputs = "x: T, perm: Tperm",
     .outputs = "y: T",
     .attrs = "T: type; Tperm: {int32, int64} = DT_INT32",
     .summary = "Reorders the dimensions.",
     .shape = transpose_shape,
     .gradient = transpose_gradient,
     .forwards_input = true},
    {.name = "ConjugateTranspose",
     .inputs = "x: T, perm: Tperm",
     .outputs = "y: T",
     .attrs = "T: type; Tperm: {int32, int64} = DT_INT32",
     .summary = "Reorders the dimensions and conjugates.",
     .shape = transpose_shape,
     .gradient = conjugate_transpose_gradient,
     .forwards_input = true},
    {.name = "InvertPermutation",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: {int32, int64} = DT_INT32",
     .summary = "The inverse of a permutation.",
     .shape = invert_permutation_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Transpose",
     .types = SLI_TYPES_COMMON | SLI_TYPES_FLOAT8,
     .host_memory = "perm",
     .compute = transpose_compute},
    {.op = "ConjugateTranspose", .types = SLI_TYPES_COMMON | SLI_TYPES_FLOAT8, .compute = conjugate_transpose_compute},
    {.op = "InvertPermutation", .types = SLI_TYPES_INDEX, .compute = invert_permutation_compute},
};

SLI_OP_MODULE(transpose);
