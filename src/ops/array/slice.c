// Slice: a box of the input, from |begin|, of |size| (-1: to the end).
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

static sli_status_t *slice_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *begin = sli_kernel_input(context, 1);
  sli_tensor_t *size = sli_kernel_input(context, 2), *output;
  if (begin->rank != 1 || size->rank != 1 || begin->count != input->rank || size->count != input->rank) {
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Expected begin and size arguments to be 1-D tensors of size %d, but got shapes %s and %s instead.",
        input->rank, sli_tensor_shape_text(begin).text, sli_tensor_shape_text(size).text);
  }
  int64_t dims[SLI_MAX_RANK], strides[SLI_MAX_RANK], to_strides[SLI_MAX_RANK];
  sli_shape_strides(input->rank, input->dims, strides);
  int64_t offset = 0;
  bool whole = true, leading = true;
  for (int i = 0; i < input->rank; i++) {
    int64_t b = sli_tensor_int_at(begin, i), s = sli_tensor_int_at(size, i), extent = input->dims[i];
    if (extent == 0) {
      if (b != 0)
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "Expected begin[%d] == 0 (got %lld) when input's dimension %d was 0", i, (long long)b,
                               i);
      if (s != 0 && s != -1) {
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "Expected size[%d] == 0 (got %lld) when input's dimension %d was 0", i, (long long)s, i);
      }
      s = 0;
    } else {
      if (b < 0 || b > extent) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Expected begin[%d] in [0, %lld], but got %lld", i,
                               (long long)extent, (long long)b);
      }
      if (s == -1) s = extent - b;
      if (s < 0 || s > extent - b) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Expected size[%d] in [0, %lld], but got %lld", i,
                               (long long)(extent - b), (long long)s);
      }
    }
    if (s != extent) {
      whole = false;
      if (i > 0) leading = false;
    }
    dims[i] = s;
    offset += b * strides[i];
  }
  if (whole) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  sli_shape_t shape = {input->rank, dims};
  if (leading && sli_shape_count(shape) > 0) {
    sli_kernel_set_output(context, 0, sli_tensor_view(input, input->dtype, offset, dims, input->rank));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  if (output->count == 0) return NULL;
  sli_shape_strides(input->rank, dims, to_strides);
  sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, input->rank, dims, output->data, to_strides,
                            sli_tensor_at(input, offset), strides);
  return NULL;
}

static sli_status_t *slice_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), begin_shape, size_shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &begin_shape));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &size_shape));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, begin_shape, size_shape, &begin_shape));
  int64_t rank = sli_infer_dim(begin_shape, 0);
  if (rank >= 0) {
    SLI_RETURN_IF_ERROR(sli_shape_check_rank(rank));
    SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, in, (int)rank, &in));
  }
  const sli_tensor_t *sizes = sli_infer_input_constant(c, 2), *begins = sli_infer_input_constant(c, 1);
  if (!sizes || in.rank < 0) {
    sli_shape_t size = SLI_SHAPE_UNKNOWN;
    if (!sizes) SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 2, &size));
    bool partly = size.rank >= 0 && in.rank >= 0;
    if (in.rank < 0 && !sizes) {
      sli_infer_set_output(c, 0, rank < 0 ? SLI_SHAPE_UNKNOWN : sli_infer_make_unknown_of_rank(c, (int)rank));
    } else if (sizes) {
      int64_t dims[SLI_MAX_RANK];
      for (int i = 0; i < sizes->count; i++) {
        dims[i] = sli_tensor_int_at(sizes, i);
        if (dims[i] < -1)
          return sli_status_make(SLI_INVALID_ARGUMENT, "Slice size %lld is invalid", (long long)dims[i]);
      }
      sli_infer_set_output(c, 0, sli_infer_make(c, (int)sizes->count, dims));
    } else {
      sli_infer_set_output(c, 0, partly ? size : sli_infer_make_unknown_of_rank(c, in.rank));
    }
    return NULL;
  }
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < in.rank; i++) {
    int64_t s = sli_tensor_int_at(sizes, i), b = begins ? sli_tensor_int_at(begins, i) : -1, d = in.dims[i];
    if (s < -1) return sli_status_make(SLI_INVALID_ARGUMENT, "Slice size %lld is invalid", (long long)s);
    if (s == -1) {
      // A begin of -1 is as good as none: the kernel refuses it, after the checks that the graph makes before.
      dims[i] = d < 0 || b < 0 ? -1 : d - b;
      if (d >= 0 && b > d) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "Subshape must have computed start <= end, but is %lld and %lld",
                               (long long)b, (long long)d);
      }
      continue;
    }
    dims[i] = s;
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, in.rank, dims));
  return NULL;
}

// Pads the gradient with zeros to the input's shape.
static sli_status_t *slice_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), begin = sli_gradient_input(b, 1);
  sli_dtype_t type = sli_gradient_dtype(b, begin);
  sli_output_t rank = SLI_EMIT(b, "Rank", SLI_INPUTS(sli_gradient_input(b, 0)));
  sli_output_t column =
      SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(rank, sli_gradient_const_int32(b, 1)), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t size =
      SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(sli_gradient_output(b, 0)), SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", type)));
  sli_output_t shape =
      SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(sli_gradient_input(b, 0)), SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", type)));
  sli_output_t rest = SLI_EMIT(b, "Sub", SLI_INPUTS(SLI_EMIT(b, "Sub", SLI_INPUTS(shape, size)), begin));
  sli_output_t before = SLI_EMIT(b, "Reshape", SLI_INPUTS(begin, column));
  sli_output_t after = SLI_EMIT(b, "Reshape", SLI_INPUTS(rest, column));
  sli_output_t paddings = SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(before, after, sli_gradient_const_int32(b, 1)),
                                        SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Pad", SLI_INPUTS(gradient, paddings)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Slice",
     .inputs = "input: T, begin: Index, size: Index",
     .outputs = "output: T",
     .attrs = "T: type; Index: {int32, int64}",
     .summary = "Extracts a box from a tensor.",
     .shape = slice_shape,
     .gradient = slice_gradient,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Slice",
     .types = SLI_TYPES_POD | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPES_FLOAT8 | SLI_TYPE_STRING,
     .host_memory = "begin, size",
     .compute = slice_compute},
};

SLI_OP_MODULE(slice);
