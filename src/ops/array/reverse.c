// Reverse, ReverseV2, ReverseSequence, Roll reorder elements along some dims. All are strided copies of boxes.
#include <string.h>

#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

// Outputs the input with the marked dims reversed.
static sli_status_t *reverse(sli_kernel_context_t *context, const bool *reversed) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t strides[SLI_MAX_RANK], to[SLI_MAX_RANK], offset = 0;
  bool any = false;
  sli_shape_strides(input->rank, input->dims, to);
  for (int i = 0; i < input->rank; i++) {
    strides[i] = reversed[i] ? -to[i] : to[i];
    if (reversed[i]) offset += (input->dims[i] - 1) * to[i];
    any |= reversed[i] && input->dims[i] > 1;
  }
  if (!any || input->count == 0) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, input->rank, input->dims, output->data, to,
                            sli_tensor_at(input, offset), strides);
  return NULL;
}

static sli_status_t *reverse_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *dims = sli_kernel_input(context, 1);
  if (dims->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "'dims' must be 1-dimension, not %d", dims->rank);
  if (dims->count != input->rank) {
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "'dims' must have the same number of values as 'tensor' has dimensions. 'tensor' has %d'dims' has "
        "%lld values",
        input->rank, (long long)dims->count);
  }
  return reverse(context, SLI_DATA(const bool, dims));
}

static sli_status_t *reverse_v2_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *axes = sli_kernel_input(context, 1);
  if (input->rank == 0 || input->count == 0) {  // TensorFlow does not check the axes then
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  if (axes->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "'dims' must be 1-dimension, not %d", axes->rank);
  bool reversed[SLI_MAX_RANK] = {0};
  for (int64_t i = 0; i < axes->count; i++) {
    int64_t axis = sli_tensor_int_at(axes, i), at = axis < 0 ? axis + input->rank : axis;
    if (at < 0 || at >= input->rank) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "'axis'[%lld] = %lld is out of valid range [0, %d", (long long)i,
                             (long long)axis, input->rank - 1);
    }
    if (reversed[at])
      return sli_status_make(SLI_INVALID_ARGUMENT, "axis %lld specified more than once.", (long long)at);
    reversed[at] = true;
  }
  return reverse(context, reversed);
}

static sli_status_t *reverse_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(
      b, 0, SLI_EMIT(b, b->node->op->def->name, SLI_INPUTS(sli_gradient_of_output(b, 0), sli_gradient_input(b, 1))));
  return NULL;
}

static sli_status_t *reverse_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), dims;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &dims));
  int64_t count = sli_infer_dim(dims, 0);
  if (count >= 0 && count <= SLI_MAX_RANK) SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, in, (int)count, &in));
  if (in.rank > 8)
    return sli_status_make(SLI_INVALID_ARGUMENT, "reverse does not work on tensors with more than 8 dimensions");
  sli_infer_set_output(c, 0, in);
  return NULL;
}

static sli_status_t *reverse_v2_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), axes;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &axes));
  if (in.rank > 8)
    return sli_status_make(SLI_INVALID_ARGUMENT, "reverse does not work on tensors with more than 8 dimensions");
  const sli_tensor_t *value = sli_infer_input_constant(c, 1);
  if (value && in.rank >= 0) {
    bool seen[SLI_MAX_RANK] = {0};
    for (int64_t i = 0; i < value->count; i++) {
      int64_t axis = sli_tensor_int_at(value, i), at = axis < 0 ? axis + in.rank : axis;
      if (at < 0 || at >= in.rank) {
        return sli_status_make(SLI_INVALID_ARGUMENT, "'axis'[%lld] = %lld is out of valid range [0, %d", (long long)i,
                               (long long)axis, in.rank - 1);
      }
      if (seen[at]) return sli_status_make(SLI_INVALID_ARGUMENT, "axis %lld specified more than once.", (long long)at);
      seen[at] = true;
    }
  }
  sli_infer_set_output(c, 0, in);
  return NULL;
}

// ReverseSequence reverses the first seq_lengths[b] steps of each entry of the batch.
static sli_status_t *reverse_sequence_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *lengths = sli_kernel_input(context, 1), *output;
  int64_t seq, batch;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "seq_dim", &seq));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "batch_dim", &batch));
  if (lengths->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "seq_lens input must be 1-dim, not %d", lengths->rank);
  if (batch == seq) return sli_status_make(SLI_INVALID_ARGUMENT, "batch_dim == seq_dim == %lld", (long long)seq);
  if (seq < 0 || seq >= input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "seq_dim must be < input rank ( %lld vs. %d)", (long long)seq,
                           input->rank);
  if (batch < 0 || batch >= input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "batch_dim must be < input rank ( %lld vs. %d)", (long long)batch,
                           input->rank);
  if (lengths->count != input->dims[batch]) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "Length of seq_lens != input.dims(%lld), (%lld vs. %lld)",
                           (long long)batch, (long long)lengths->count, (long long)input->dims[batch]);
  }
  for (int64_t i = 0; i < lengths->count; i++) {
    int64_t length = sli_tensor_int_at(lengths, i);
    if (length < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "seq_lens(%lld) < 0", (long long)i);
    if (length > input->dims[seq])
      return sli_status_make(SLI_INVALID_ARGUMENT, "seq_lens(%lld) > input.dims(%lld)", (long long)i, (long long)seq);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  if (output->count == 0) return NULL;
  int64_t dims[SLI_MAX_RANK], to[SLI_MAX_RANK], from[SLI_MAX_RANK];
  memcpy(dims, input->dims, (size_t)input->rank * sizeof(int64_t));
  sli_shape_strides(input->rank, input->dims, to);
  memcpy(from, to, (size_t)input->rank * sizeof(int64_t));
  dims[batch] = 1;
  for (int64_t i = 0; i < lengths->count; i++) {
    int64_t length = sli_tensor_int_at(lengths, i), at = i * to[batch];
    dims[seq] = length;
    from[seq] = -to[seq];
    sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, input->rank, dims, sli_tensor_at(output, at), to,
                              sli_tensor_at(input, at + (length > 0 ? length - 1 : 0) * to[seq]), from);
    dims[seq] = input->dims[seq] - length;
    from[seq] = to[seq];
    if (dims[seq] == 0) continue;
    sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, input->rank, dims,
                              sli_tensor_at(output, at + length * to[seq]), to,
                              sli_tensor_at(input, at + length * to[seq]), from);
  }
  return NULL;
}

static sli_status_t *reverse_sequence_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), lengths;
  int64_t seq, batch, merged;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &lengths));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "seq_dim", &seq));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "batch_dim", &batch));
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  if (batch < 0 || batch >= in.rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "batch_dim must be < input rank: %lld vs. %d", (long long)batch,
                           in.rank);
  if (seq < 0 || seq >= in.rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "seq_dim must be < input rank: %lld vs. %d", (long long)seq, in.rank);
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(in.dims[batch], sli_infer_dim(lengths, 0), &merged));
  sli_infer_set_output(c, 0, sli_infer_replace_dim(c, in, (int)batch, merged));
  return NULL;
}

static sli_status_t *reverse_sequence_gradient(sli_gradient_builder_t *b) {
  int64_t seq, batch;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(b->node, "seq_dim", &seq));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(b->node, "batch_dim", &batch));
  sli_gradient_set(
      b, 0,
      SLI_EMIT_WITH(b, "ReverseSequence", SLI_INPUTS(sli_gradient_of_output(b, 0), sli_gradient_input(b, 1)),
                    SLI_ATTRS(SLI_ATTR_INT_OF("seq_dim", seq), SLI_ATTR_INT_OF("batch_dim", batch))));
  return NULL;
}

// Roll: elements that leave a dim at one end enter at the other. Each rolled dim is cut in two parts; every combination
// of parts is one box to copy.
static sli_status_t *roll_shifts(sli_kernel_context_t *context, const sli_tensor_t *input, int64_t *shifts) {
  sli_tensor_t *shift = sli_kernel_input(context, 1), *axis = sli_kernel_input(context, 2);
  if (input->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 1-D or higher");
  if (shift->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shift must be a scalar or a 1-D vector. Found: %s",
                           sli_tensor_shape_text(shift).text);
  if (axis->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis must be a scalar or a 1-D vector. Found: %s",
                           sli_tensor_shape_text(axis).text);
  if (shift->rank != axis->rank || shift->count != axis->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shift and axis must have the same size");
  memset(shifts, 0, (size_t)input->rank * sizeof(int64_t));
  for (int64_t i = 0; i < shift->count; i++) {
    int64_t at = sli_tensor_int_at(axis, i);
    if (at < 0) at += input->rank;
    if (at < 0 || at >= input->rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "axis %lld is out of range", (long long)at);
    int64_t extent = input->dims[at] > 1 ? input->dims[at] : 1;
    shifts[at] = (shifts[at] + sli_tensor_int_at(shift, i) % extent + extent) % extent;
  }
  return NULL;
}

static sli_status_t *roll_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t shifts[SLI_MAX_RANK], dims[SLI_MAX_RANK], strides[SLI_MAX_RANK];
  int rolled[SLI_MAX_RANK], count = 0;
  SLI_RETURN_IF_ERROR(roll_shifts(context, input, shifts));
  for (int i = 0; i < input->rank; i++) {
    if (shifts[i]) rolled[count++] = i;
  }
  if (count > 20) return sli_status_make(SLI_UNIMPLEMENTED, "Roll of more than 20 dimensions");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  if (output->count == 0) return NULL;
  sli_shape_strides(input->rank, input->dims, strides);
  for (int64_t box = 0; box < INT64_C(1) << count; box++) {
    int64_t to = 0, from = 0;
    memcpy(dims, input->dims, (size_t)input->rank * sizeof(int64_t));
    for (int k = 0; k < count; k++) {
      int i = rolled[k];
      if (box >> k & 1) {  // the tail moves to the front
        dims[i] = shifts[i];
        from += (input->dims[i] - shifts[i]) * strides[i];
      } else {
        dims[i] = input->dims[i] - shifts[i];
        to += shifts[i] * strides[i];
      }
    }
    sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, input->rank, dims, sli_tensor_at(output, to),
                              strides, sli_tensor_at(input, from), strides);
  }
  return NULL;
}

static sli_status_t *roll_shape(sli_infer_context_t *c) {
  sli_shape_t shape, unused;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &shape));
  for (int i = 1; i < 3; i++) SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, i), 1, &unused));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *roll_gradient(sli_gradient_builder_t *b) {
  sli_output_t back = SLI_EMIT(b, "Neg", SLI_INPUTS(sli_gradient_input(b, 1)));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Roll", SLI_INPUTS(sli_gradient_of_output(b, 0), back, sli_gradient_input(b, 2))));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Reverse",
     .inputs = "tensor: T, dims: bool",
     .outputs = "output: T",
     .attrs = "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, "
              "complex64, complex128, string}",
     .summary = "Reverses the marked dimensions.",
     .shape = reverse_shape,
     .gradient = reverse_gradient,
     .forwards_input = true},
    {.name = "ReverseV2",
     .inputs = "tensor: T, axis: Tidx",
     .outputs = "output: T",
     .attrs = "Tidx: {int32, int64} = DT_INT32; T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, "
              "bfloat16, half, float, double, complex64, complex128, string}",
     .summary = "Reverses the listed dimensions.",
     .shape = reverse_v2_shape,
     .gradient = reverse_gradient,
     .forwards_input = true},
    {.name = "ReverseSequence",
     .inputs = "input: T, seq_lengths: Tlen",
     .outputs = "output: T",
     .attrs = "seq_dim: int; batch_dim: int = 0; T: type; Tlen: {int32, int64} = DT_INT64",
     .summary = "Reverses each sequence of a batch, up to its length.",
     .shape = reverse_sequence_shape,
     .gradient = reverse_sequence_gradient},
    {.name = "Roll",
     .inputs = "input: T, shift: Tshift, axis: Taxis",
     .outputs = "output: T",
     .attrs = "T: type; Tshift: {int32, int64}; Taxis: {int32, int64}",
     .summary = "Shifts elements cyclically along dimensions.",
     .shape = roll_shape,
     .gradient = roll_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Reverse", .types = SLI_TYPES_POD | SLI_TYPE_STRING, .host_memory = "dims", .compute = reverse_compute},
    {.op = "ReverseV2", .types = SLI_TYPES_POD | SLI_TYPE_STRING, .host_memory = "axis", .compute = reverse_v2_compute},
    {.op = "ReverseSequence", .types = SLI_TYPES_POD | SLI_TYPE_STRING, .compute = reverse_sequence_compute},
    {.op = "Roll", .types = SLI_TYPES_COMMON, .host_memory = "shift, axis", .compute = roll_compute},
};

SLI_OP_MODULE(reverse);
