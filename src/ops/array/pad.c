// Pad, PadV2, MirrorPad, MirrorPadGrad.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"

typedef struct {
  int64_t before[SLI_MAX_RANK], after[SLI_MAX_RANK], dims[SLI_MAX_RANK];  // dims of the padded tensor
} paddings_t;

static sli_status_t *read_paddings(const sli_tensor_t *tensor, int rank, paddings_t *out) {
  if (tensor->rank != 2 || tensor->dims[1] != 2) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "paddings must be a matrix with 2 columns: %s",
                           sli_tensor_shape_text(tensor).text);
  }
  if (tensor->dims[0] != rank) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "The first dimension of paddings must be the rank of inputs%s %d",
                           sli_tensor_shape_text(tensor).text, rank);
  }
  for (int i = 0; i < rank; i++) {
    out->before[i] = sli_tensor_int_at(tensor, 2 * i);
    out->after[i] = sli_tensor_int_at(tensor, 2 * i + 1);
    if (out->before[i] < 0 || out->after[i] < 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Paddings must be non-negative: %lld %lld",
                             (long long)out->before[i], (long long)out->after[i]);
    }
  }
  return NULL;
}

static sli_status_t *padded_dims(const sli_tensor_t *input, paddings_t *p) {
  for (int i = 0; i < input->rank; i++) {
    if (__builtin_add_overflow(p->before[i], p->after[i], &p->dims[i]) ||
        __builtin_add_overflow(p->dims[i], input->dims[i], &p->dims[i])) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Padded dimension %d is too large", i);
    }
  }
  return NULL;
}

// Pad, PadV2 fill the output with the value, then copy the input into the middle.
static sli_status_t *pad_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  paddings_t p;
  SLI_RETURN_IF_ERROR(read_paddings(sli_kernel_input(context, 1), input->rank, &p));
  SLI_RETURN_IF_ERROR(padded_dims(input, &p));
  sli_tensor_t *value = context->input_count > 2 ? sli_kernel_input(context, 2) : NULL;
  if (value && value->rank != 0) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "constant_values must be a scalar. Found: %s",
                           sli_tensor_shape_text(value).text);
  }
  sli_shape_t shape = {input->rank, p.dims};
  if (sli_shape_equal(shape, sli_tensor_shape(input))) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  if (output->count == 0) return NULL;
  if (value) {
    sli_elements_fill(output->dtype, output->data, value->data, output->count);
  } else if (sli_dtype_is_plain(output->dtype)) {
    sli_elements_clear(output->dtype, output->data, output->count);
  }
  if (input->count == 0) return NULL;
  int64_t to[SLI_MAX_RANK], from[SLI_MAX_RANK], offset = 0;
  sli_shape_strides(input->rank, p.dims, to);
  sli_shape_strides(input->rank, input->dims, from);
  for (int i = 0; i < input->rank; i++) offset += p.before[i] * to[i];
  sli_elements_strided_copy(sli_kernel_pool(context), input->dtype, input->rank, input->dims,
                            sli_tensor_at(output, offset), to, input->data, from);
  return NULL;
}

// For each dim, the map from a padded index to the index that it mirrors. MirrorPad reads through it, MirrorPadGrad
// adds through it.
typedef struct {
  sli_dtype_t dtype;
  int rank;
  const int64_t *dims, *inner_dims;  // padded and not
  const int64_t *before;
  int64_t *map[SLI_MAX_RANK];
  int64_t strides[SLI_MAX_RANK];  // of the unpadded tensor
  int64_t *storage;
} mirror_t;

static sli_status_t *mirror_initialize(mirror_t *m, const sli_node_def_t *node, sli_dtype_t dtype, int rank,
                                       const paddings_t *p, const int64_t *inner) {
  sli_view_t mode;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "mode", &mode));
  int64_t offset = sli_view_is(mode, "REFLECT") ? 1 : 0, total = 0;
  for (int i = 0; i < rank; i++) {
    int64_t limit = inner[i] - offset;
    if (p->before[i] > limit || p->after[i] > limit) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "paddings must be %s the dimension size: %lld, %lld %s %lld",
                             offset ? "less than" : "no greater than", (long long)p->before[i], (long long)p->after[i],
                             offset ? "not less than" : "greater than", (long long)inner[i]);
    }
    total += p->dims[i];
  }
  *m = (mirror_t){.dtype = dtype, .rank = rank, .dims = p->dims, .inner_dims = inner, .before = p->before};
  m->storage = sli_malloc_or_null((size_t)(total + 1) * sizeof(int64_t));
  if (!m->storage) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating the index maps of MirrorPad");
  int64_t *next = m->storage;
  for (int i = 0; i < rank; i++) {
    m->map[i] = next;
    for (int64_t j = 0; j < p->dims[i]; j++) {
      int64_t k = j - p->before[i];
      if (k < 0) k = -k - 1 + offset;
      if (k >= inner[i]) k = 2 * inner[i] - 1 - k - offset;
      *next++ = k;
    }
  }
  sli_shape_strides(rank, inner, m->strides);
  return NULL;
}

// Calls |row| for every padded row, with the number of its first element and the offset of the row that it mirrors.
static void mirror_rows(const mirror_t *m,
                        void (*row)(const mirror_t *m, int64_t padded, int64_t inner, char *to, const char *from),
                        char *to, const char *from) {
  int64_t index[SLI_MAX_RANK] = {0}, rows = sli_shape_product(m->dims, 0, m->rank - 1), width = m->dims[m->rank - 1];
  for (int64_t r = 0; r < rows; r++) {
    int64_t inner = 0;
    for (int i = 0; i < m->rank - 1; i++) inner += m->map[i][index[i]] * m->strides[i];
    row(m, r * width, inner, to, from);
    for (int i = m->rank - 2; i >= 0 && ++index[i] == m->dims[i]; i--) index[i] = 0;
  }
}

static void read_row(const mirror_t *m, int64_t padded, int64_t inner, char *to, const char *from) {
  const size_t size = sli_dtype_size(m->dtype);
  const int last = m->rank - 1;
  int64_t before = m->before[last], middle = m->inner_dims[last];
  for (int64_t j = 0; j < m->dims[last]; j++) {
    int64_t count = j == before && middle > 0 ? middle : 1;
    sli_elements_copy(m->dtype, to + (size_t)(padded + j) * size, from + (size_t)(inner + m->map[last][j]) * size,
                      count);
    j += count - 1;
  }
}

static void add_row(const mirror_t *m, int64_t padded, int64_t inner, char *to, const char *from) {
  const size_t size = sli_dtype_size(m->dtype);
  const int last = m->rank - 1;
  int64_t before = m->before[last], middle = m->inner_dims[last];
  for (int64_t j = 0; j < m->dims[last]; j++) {
    int64_t count = j == before && middle > 0 ? middle : 1;
    sli_accumulate(SLI_ACCUMULATE_ADD, m->dtype, to + (size_t)(inner + m->map[last][j]) * size,
                   from + (size_t)(padded + j) * size, 1, count);
    j += count - 1;
  }
}

static sli_status_t *mirror_pad_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  paddings_t p;
  mirror_t m;
  SLI_RETURN_IF_ERROR(read_paddings(sli_kernel_input(context, 1), input->rank, &p));
  SLI_RETURN_IF_ERROR(padded_dims(input, &p));
  if (input->rank == 0) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(mirror_initialize(&m, context->node, input->dtype, input->rank, &p, input->dims));
  sli_status_t *status = sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, p.dims}, &output);
  if (!status && output->count) mirror_rows(&m, read_row, output->data, input->data);
  free(m.storage);
  return status;
}

static sli_status_t *mirror_pad_grad_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  paddings_t p;
  mirror_t m;
  int64_t inner[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(read_paddings(sli_kernel_input(context, 1), input->rank, &p));
  for (int i = 0; i < input->rank; i++) {
    p.dims[i] = input->dims[i];
    int64_t total;
    if (__builtin_add_overflow(p.before[i], p.after[i], &total)) total = INT64_MAX;
    if (total > input->dims[i]) {
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Total paddings must be less than the input dimension size: %lld was not less than %lld",
                             (long long)total, (long long)input->dims[i]);
    }
    inner[i] = input->dims[i] - total;
  }
  if (input->rank == 0) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(mirror_initialize(&m, context->node, input->dtype, input->rank, &p, inner));
  sli_status_t *status = sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, inner}, &output);
  if (!status && output->count) {
    sli_elements_clear(output->dtype, output->data, output->count);
    mirror_rows(&m, add_row, output->data, input->data);
  }
  free(m.storage);
  return status;
}

// The padded (or, with |sign| -1, the unpadded) shape.
static sli_status_t *pad_shape_of(sli_infer_context_t *c, int sign) {
  sli_shape_t in = sli_infer_input(c, 0), paddings;
  int64_t columns;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &paddings));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(paddings, 1), 2, &columns));
  int64_t rank = sli_infer_dim(paddings, 0);
  const sli_tensor_t *value = sli_infer_input_constant(c, 1);
  if (value) rank = value->rank == 2 ? value->dims[0] : rank;
  if (rank > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "paddings must have at most %d rows, got %lld", SLI_MAX_RANK,
                           (long long)rank);
  if (rank >= 0) SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, in, (int)rank, &in));
  if (in.rank < 0) {
    sli_infer_set_output(c, 0, rank < 0 ? SLI_SHAPE_UNKNOWN : sli_infer_make_unknown_of_rank(c, (int)rank));
    return NULL;
  }
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < in.rank; i++) {
    dims[i] = -1;
    if (!value) continue;
    int64_t before = sli_tensor_int_at(value, 2 * i), after = sli_tensor_int_at(value, 2 * i + 1);
    if (before < 0 || after < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Paddings must be non-negative: %lld, %lld", (long long)before,
                             (long long)after);
    int64_t total;
    if (__builtin_add_overflow(before, after, &total) ||
        (in.dims[i] >= 0 && __builtin_add_overflow(in.dims[i], sign * total, &dims[i])))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Padded dimension %d is too large", i);
    if (in.dims[i] >= 0 && dims[i] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Negative dimension size caused by paddings");
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, in.rank, dims));
  return NULL;
}

static sli_status_t *pad_shape(sli_infer_context_t *c) { return pad_shape_of(c, 1); }
static sli_status_t *unpad_shape(sli_infer_context_t *c) { return pad_shape_of(c, -1); }

static sli_status_t *pad_gradient(sli_gradient_builder_t *b) {
  sli_output_t input = sli_gradient_input(b, 0), paddings = sli_gradient_input(b, 1);
  sli_dtype_t type = sli_gradient_dtype(b, paddings);
  sli_output_t rank = SLI_EMIT(b, "Rank", SLI_INPUTS(input));
  sli_output_t size =
      SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(rank, sli_gradient_const_int32(b, 1)), SLI_ATTRS(SLI_ATTR_INT_OF("N", 2)));
  sli_output_t before =
      SLI_EMIT(b, "Slice", SLI_INPUTS(paddings, sli_gradient_const_ints(b, (int32_t[]){0, 0}, 2), size));
  sli_output_t begin = SLI_EMIT(b, "Reshape", SLI_INPUTS(before, sli_gradient_const_ints(b, (int32_t[]){-1}, 1)));
  sli_output_t sizes = SLI_EMIT_WITH(b, "Shape", SLI_INPUTS(input), SLI_ATTRS(SLI_ATTR_TYPE_OF("out_type", type)));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Slice", SLI_INPUTS(sli_gradient_of_output(b, 0), begin, sizes)));
  return NULL;
}

static sli_status_t *mirror_gradient_of(sli_gradient_builder_t *b, const char *op) {
  const sli_attr_t *mode = sli_node_attr(b->node, "mode");
  sli_gradient_set(b, 0,
                   SLI_EMIT_WITH(b, op, SLI_INPUTS(sli_gradient_of_output(b, 0), sli_gradient_input(b, 1)),
                                 SLI_ATTRS(((sli_attr_entry_t){"mode", *mode}))));
  return NULL;
}

static sli_status_t *mirror_pad_gradient(sli_gradient_builder_t *b) { return mirror_gradient_of(b, "MirrorPadGrad"); }
static sli_status_t *mirror_pad_grad_gradient(sli_gradient_builder_t *b) { return mirror_gradient_of(b, "MirrorPad"); }

static const sli_op_def_t ops[] = {
    {.name = "Pad",
     .inputs = "input: T, paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: {int32, int64} = DT_INT32",
     .summary = "Pads a tensor with zeros.",
     .shape = pad_shape,
     .gradient = pad_gradient,
     .forwards_input = true},
    {.name = "PadV2",
     .inputs = "input: T, paddings: Tpaddings, constant_values: T",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: {int32, int64} = DT_INT32",
     .summary = "Pads a tensor with a value.",
     .shape = pad_shape,
     .gradient = pad_gradient,
     .forwards_input = true},
    {.name = "MirrorPad",
     .inputs = "input: T, paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: {int32, int64} = DT_INT32; mode: {'REFLECT', 'SYMMETRIC'}",
     .summary = "Pads a tensor with its mirror images.",
     .shape = pad_shape,
     .gradient = mirror_pad_gradient,
     .forwards_input = true},
    {.name = "MirrorPadGrad",
     .inputs = "input: T, paddings: Tpaddings",
     .outputs = "output: T",
     .attrs = "T: type; Tpaddings: {int32, int64} = DT_INT32; mode: {'REFLECT', 'SYMMETRIC'}",
     .summary = "The gradient of MirrorPad.",
     .shape = unpad_shape,
     .gradient = mirror_pad_grad_gradient,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Pad",
     .types = SLI_TYPES_POD | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPE_STRING,
     .host_memory = "paddings",
     .compute = pad_compute},
    {.op = "PadV2",
     .types = SLI_TYPES_POD | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPE_STRING,
     .host_memory = "paddings, constant_values",
     .compute = pad_compute},
    {.op = "MirrorPad",
     .types = SLI_TYPES_POD | SLI_TYPES_QUANTIZED_8_32 | SLI_TYPE_STRING,
     .host_memory = "paddings",
     .compute = mirror_pad_compute},
    {.op = "MirrorPadGrad", .types = SLI_TYPES_NUMBER, .host_memory = "paddings", .compute = mirror_pad_grad_compute},
};

SLI_OP_MODULE(pad);
