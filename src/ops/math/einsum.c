// Einsum of one or two inputs: "abc,cd->abd", with an ellipsis for broadcast
// dimensions and repeated labels for diagonals.
//
// Every input is rearranged to [batch, free, contracted] by one strided copy: a diagonal is a sum of strides, a
// broadcast a stride of 0, and labels that only one input has are summed. Then there is one matrix product per batch,
// and another strided copy rearranges the result.
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/gemm.h"
#include "math/half.h"
#include "ops/math/einsum_internal.h"

// A label is a character of the equation, or a dimension of the ellipsis, counted from the end.
enum { LABELS = 512, ELLIPSIS = 256, MOST = SLI_MAX_RANK };

// The subscripts of one operand: a label for each dimension.
typedef struct {
  int rank;
  uint16_t labels[MOST];
} subscripts_t;

static sli_status_t *bind(sli_view_t text, int rank, int input, subscripts_t *out) {
  int named = 0;
  bool ellipsis = false;
  for (size_t i = 0; i < text.size; i++) {
    ellipsis |= text.data[i] == '.';
    named += text.data[i] != '.';
  }
  if (rank < named || (!ellipsis && rank != named))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected input %d to have rank %s%d but got: %d", input,
                           ellipsis ? "at least " : "", named, rank);
  out->rank = 0;
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] != '.') {
      out->labels[out->rank++] = (unsigned char)text.data[i];
      continue;
    }
    for (int e = rank - named; e > 0; e--) out->labels[out->rank++] = (uint16_t)(ELLIPSIS + e - 1);
    i += 2;
  }
  return NULL;
}

// Adds the dims of an input to the sizes of the labels; -1: not seen yet.
static sli_status_t *take_sizes(const subscripts_t *s, const int64_t *dims, int64_t *sizes) {
  for (int d = 0; d < s->rank; d++) {
    int64_t *size = &sizes[s->labels[d]];
    if (*size < 0 || (s->labels[d] >= ELLIPSIS && *size == 1)) {
      *size = dims[d];
    } else if (*size != dims[d] && !(s->labels[d] >= ELLIPSIS && dims[d] == 1)) {
      char *shape = sli_shape_to_text((sli_shape_t){s->rank, dims});
      sli_status_t *status =
          s->labels[d] >= ELLIPSIS
              ? sli_status_make(SLI_INVALID_ARGUMENT, "Expected ellipsis dimensions to broadcast, but got %s", shape)
              : sli_status_make(SLI_INVALID_ARGUMENT,
                                "Expected dimension %lld at axis %d of the input shaped %s but got dimension %lld",
                                (long long)*size, d, shape, (long long)dims[d]);
      free(shape);
      return status;
    }
  }
  return NULL;
}

// The output's subscripts, with as many ellipsis dimensions as the inputs have.
static sli_status_t *bind_output(sli_view_t text, const int64_t *sizes, subscripts_t *out) {
  int broadcast = 0, named = 0;
  bool ellipsis = false;
  while (ELLIPSIS + broadcast < LABELS && sizes[ELLIPSIS + broadcast] >= 0) broadcast++;
  for (size_t i = 0; i < text.size; i++) {
    ellipsis |= text.data[i] == '.';
    named += text.data[i] != '.';
  }
  if (broadcast && !ellipsis)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Output contains %d broadcasting dimension(s) but no ellipsis (...) was found in the output "
                           "subscripts.",
                           broadcast);
  if (named + broadcast > MOST)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Einsum output has too many dimensions: %d", named + broadcast);
  return bind(text, named + broadcast, 0, out);
}

// Sizes of labels with their strides in a tensor.
typedef struct {
  int rank;
  int64_t dims[2 * MOST], strides[2 * MOST];
  int64_t count;
} layout_t;

static void layout_add(layout_t *layout, const subscripts_t *s, const int64_t *dims, int label, int64_t size) {
  int64_t stride = 0, step = 1;
  for (int d = s->rank - 1; d >= 0; step *= dims[d--])
    if (s->labels[d] == label && (dims[d] != 1 || size == 1)) stride += step;
  layout->dims[layout->rank] = size;
  layout->strides[layout->rank++] = stride;
  layout->count *= size;
}

// Runs |body| for each row of the innermost dimension. |flat| is the number of its first element in order, |offset| the
// strided offset.
#define FOR_EACH_ROW(layout, body)                                                                    \
  if ((layout)->count > 0) {                                                                          \
    int64_t at[2 * MOST] = {0}, offset = 0, flat = 0;                                                 \
    int last = (layout)->rank - 1;                                                                    \
    int64_t n = last >= 0 ? (layout)->dims[last] : 1, step = last >= 0 ? (layout)->strides[last] : 0; \
    for (bool more = true; more; flat += n) {                                                         \
      body;                                                                                           \
      int d = last - 1;                                                                               \
      for (; d >= 0; d--) {                                                                           \
        offset += (layout)->strides[d];                                                               \
        if (++at[d] < (layout)->dims[d]) break;                                                       \
        offset -= (layout)->strides[d] * (layout)->dims[d];                                           \
        at[d] = 0;                                                                                    \
      }                                                                                               \
      more = d >= 0;                                                                                  \
    }                                                                                                 \
  }

#define COPY(T)                                                                                                     \
  if (gather) {                                                                                                     \
    FOR_EACH_ROW(layout, for (int64_t i = 0; i < n; i++)((T *)to)[flat + i] = ((const T *)from)[offset + i * step]) \
  } else {                                                                                                          \
    FOR_EACH_ROW(layout, for (int64_t i = 0; i < n; i++)((T *)to)[offset + i * step] = ((const T *)from)[flat + i]) \
  }

// Copies from strided to dense (|gather|) or from dense to strided.
static void copy(const layout_t *layout, size_t size, const void *from, void *to, bool gather) {
  switch (size) {
    case 2: COPY(uint16_t) break;
    case 4: COPY(uint32_t) break;
    case 8: COPY(uint64_t) break;
    default: COPY(double complex) break;
  }
}

#define SUM(T, A, load, store)                                                       \
  for (int64_t i = 0; i < rows; i++) {                                               \
    A sum = 0;                                                                       \
    for (int64_t j = 0; j < width; j++) sum += load(((const T *)in)[i * width + j]); \
    ((T *)out)[i] = store(sum);                                                      \
  }

// Sums the |width| elements of each row; |out| may be |in|.
static void sum_rows(sli_dtype_t dtype, const void *in, void *out, int64_t rows, int64_t width) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: SUM(float, double, , (float)) break;
    case SLI_DTYPE_DOUBLE: SUM(double, double, , ) break;
    case SLI_DTYPE_INT32: SUM(uint32_t, uint32_t, , ) break;
    case SLI_DTYPE_INT64: SUM(uint64_t, uint64_t, , ) break;
    case SLI_DTYPE_COMPLEX64: SUM(float complex, double complex, , (float complex)) break;
    case SLI_DTYPE_COMPLEX128: SUM(double complex, double complex, , ) break;
    case SLI_DTYPE_HALF: SUM(uint16_t, float, sli_half_to_float, sli_half_from_float) break;
    default: SUM(uint16_t, float, sli_bfloat16_to_float, sli_bfloat16_from_float) break;
  }
}

// Which labels are in which operands.
typedef struct {
  int inputs;
  subscripts_t in[2], out;
  int64_t sizes[LABELS];
  uint8_t where[LABELS];  // bits 0 and 1: in that input; bit 2: in the output
  // Distinct labels in the order of the output, then the contracted ones.
  uint16_t order[2 * LABELS];
  int order_count;
} plan_t;

static sli_status_t *make_plan(sli_kernel_context_t *context, const sli_einsum_t *equation, plan_t *plan) {
  plan->inputs = context->input_count;
  for (int l = 0; l < LABELS; l++) plan->sizes[l] = -1, plan->where[l] = 0;
  for (int k = 0; k < plan->inputs; k++) {
    sli_tensor_t *input = sli_kernel_input(context, k);
    SLI_RETURN_IF_ERROR(bind(equation->inputs[k], input->rank, k, &plan->in[k]));
    SLI_RETURN_IF_ERROR(take_sizes(&plan->in[k], input->dims, plan->sizes));
    for (int d = 0; d < input->rank; d++) plan->where[plan->in[k].labels[d]] |= (uint8_t)(1 << k);
  }
  SLI_RETURN_IF_ERROR(bind_output(equation->output, plan->sizes, &plan->out));
  plan->order_count = 0;
  for (int d = 0; d < plan->out.rank; d++) {
    uint8_t *where = &plan->where[plan->out.labels[d]];
    if (!(*where & 4)) plan->order[plan->order_count++] = plan->out.labels[d];
    *where |= 4;
  }
  for (int l = 0; l < LABELS; l++)
    if (plan->where[l] && !(plan->where[l] & 4)) plan->order[plan->order_count++] = (uint16_t)l;
  return NULL;
}

// A dimension of size 1 of the ellipsis that is broadcast counts as absent.
static bool has_label(const plan_t *plan, int k, int label, const sli_tensor_t *input) {
  if (!(plan->where[label] >> k & 1)) return false;
  if (label < ELLIPSIS || plan->sizes[label] == 1) return true;
  for (int d = 0; d < input->rank; d++)
    if (plan->in[k].labels[d] == label) return input->dims[d] != 1;
  return true;
}

enum { PART_BATCH, PART_FREE_0, PART_FREE_1, PART_CONTRACTED, PART_SUMMED_0, PART_SUMMED_1 };

static int part_of(const plan_t *plan, int label, sli_tensor_t *const *inputs) {
  bool first = has_label(plan, 0, label, inputs[0]);
  bool second = plan->inputs > 1 && has_label(plan, 1, label, inputs[1]), kept = plan->where[label] & 4;
  if (first && second) return kept ? PART_BATCH : PART_CONTRACTED;
  if (second) return kept ? PART_FREE_1 : PART_SUMMED_1;
  return kept ? PART_FREE_0 : PART_SUMMED_0;
}

static int64_t add_part(layout_t *layout, const plan_t *plan, int part, sli_tensor_t *const *inputs, int k) {
  int64_t count = 1;
  for (int i = 0; i < plan->order_count; i++) {
    int label = plan->order[i];
    if (part_of(plan, label, inputs) != part) continue;
    layout_add(layout, &plan->in[k], inputs[k]->dims, label, plan->sizes[label]);
    count *= plan->sizes[label];
  }
  return count;
}

// Copies input |k| to a dense tensor [batch, free, contracted], which the caller owns.
static sli_status_t *arrange(sli_kernel_context_t *context, const plan_t *plan, sli_tensor_t *const *inputs, int k,
                             sli_tensor_t **out, int64_t *out_free) {
  layout_t layout = {.count = 1};
  sli_dtype_t dtype = (sli_dtype_t)inputs[k]->dtype;
  add_part(&layout, plan, PART_BATCH, inputs, k);
  *out_free = add_part(&layout, plan, k ? PART_FREE_1 : PART_FREE_0, inputs, k);
  add_part(&layout, plan, PART_CONTRACTED, inputs, k);
  int64_t rows = layout.count, width = add_part(&layout, plan, k ? PART_SUMMED_1 : PART_SUMMED_0, inputs, k);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, dtype, SLI_SHAPE(rows * (width ? width : 1)), out));
  copy(&layout, sli_dtype_size(dtype), inputs[k]->data, (*out)->data, true);
  if (width != 1) sum_rows(dtype, (*out)->data, (*out)->data, rows, width);
  return NULL;
}

static int64_t part_size(const plan_t *plan, int part, sli_tensor_t *const *inputs) {
  int64_t count = 1;
  for (int i = 0; i < plan->order_count; i++)
    if (part_of(plan, plan->order[i], inputs) == part) count *= plan->sizes[plan->order[i]];
  return count;
}

static sli_status_t *multiply_batches(sli_kernel_context_t *context, const plan_t *plan, sli_tensor_t *const *inputs,
                                      sli_tensor_t **out) {
  sli_tensor_t *x = NULL, *y = NULL;
  sli_status_t *status = NULL;
  sli_dtype_t dtype = (sli_dtype_t)inputs[0]->dtype;
  size_t size = sli_dtype_size(dtype);
  sli_gemm_t product = {.dtype = dtype, .transpose_b = true, .k = part_size(plan, PART_CONTRACTED, inputs)};
  int64_t batches = part_size(plan, PART_BATCH, inputs);
  SLI_GOTO_IF_ERROR(status, cleanup, arrange(context, plan, inputs, 0, &x, &product.m));
  SLI_GOTO_IF_ERROR(status, cleanup, arrange(context, plan, inputs, 1, &y, &product.n));
  SLI_GOTO_IF_ERROR(status, cleanup,
                    sli_kernel_allocate_temporary(context, dtype, SLI_SHAPE(batches * product.m * product.n), out));
  for (int64_t b = 0; b < batches && !status; b++)
    status = sli_gemm(sli_kernel_pool(context), &product, (char *)x->data + (size_t)(b * product.m * product.k) * size,
                      (char *)y->data + (size_t)(b * product.n * product.k) * size,
                      (char *)(*out)->data + (size_t)(b * product.m * product.n) * size);
cleanup:
  sli_tensor_release(x);
  sli_tensor_release(y);
  return status;
}

static sli_status_t *einsum(sli_kernel_context_t *context) {
  const sli_einsum_t *equation = sli_kernel_state(context);
  sli_tensor_t *inputs[2] = {sli_kernel_input(context, 0), NULL}, *result = NULL, *output;
  if (context->input_count > 1) inputs[1] = sli_kernel_input(context, 1);
  plan_t *plan = sli_malloc(sizeof(*plan));
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, make_plan(context, equation, plan));
  int64_t dims[MOST], free_size;
  for (int d = 0; d < plan->out.rank; d++) dims[d] = plan->sizes[plan->out.labels[d]];
  SLI_GOTO_IF_ERROR(status, cleanup,
                    sli_kernel_allocate_output(context, 0, (sli_shape_t){plan->out.rank, dims}, &output));
  if (output->count == 0) goto cleanup;
  if (plan->inputs > 1)
    SLI_GOTO_IF_ERROR(status, cleanup, multiply_batches(context, plan, inputs, &result));
  else
    SLI_GOTO_IF_ERROR(status, cleanup, arrange(context, plan, inputs, 0, &result, &free_size));
  // The result is [batch, free of the first, free of the second]. Elements that are not on a diagonal are zero.
  layout_t layout = {.count = 1};
  for (int part = PART_BATCH; part <= PART_FREE_1; part++)
    for (int i = 0; i < plan->order_count; i++)
      if (part_of(plan, plan->order[i], inputs) == part)
        layout_add(&layout, &plan->out, dims, plan->order[i], plan->sizes[plan->order[i]]);
  if (layout.count != output->count) memset(output->data, 0, sli_tensor_bytes(output));
  copy(&layout, sli_dtype_size((sli_dtype_t)output->dtype), result->data, output->data, false);
cleanup:
  sli_tensor_release(result);
  free(plan);
  return status;
}

static sli_status_t *einsum_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_einsum_t equation;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_einsum_parse(setup->node, &equation));
  *out_state = sli_memdup(&equation, sizeof(equation));
  return NULL;
}

// The sizes of labels: -2 if not seen yet, -1 if unknown.
static sli_status_t *merge_sizes(sli_infer_context_t *c, sli_view_t text, int input, int64_t *sizes, bool *unknown) {
  sli_shape_t shape = sli_infer_input(c, input);
  if (shape.rank < 0) {
    *unknown |= memchr(text.data, '.', text.size) != NULL;
    for (size_t i = 0; i < text.size; i++)
      if (text.data[i] != '.' && sizes[(unsigned char)text.data[i]] == -2) sizes[(unsigned char)text.data[i]] = -1;
    return NULL;
  }
  subscripts_t *s = sli_arena_allocate(c->arena, sizeof(*s));
  SLI_RETURN_IF_ERROR(bind(text, shape.rank, input, s));
  for (int d = 0; d < s->rank; d++) {
    int64_t *size = &sizes[s->labels[d]], dim = shape.dims[d];
    if (*size == -2) {
      *size = dim;
    } else if (s->labels[d] < ELLIPSIS) {
      SLI_RETURN_IF_ERROR(sli_infer_merge_dims(*size, dim, size));
    } else if (*size == 1) {
      *size = dim;
    } else if (dim != 1) {
      // A known size other than 1 replaces an unknown one; two known sizes must be equal.
      if (*size >= 0 && dim >= 0 && *size != dim)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Dimensions must be equal, but are %lld and %lld",
                               (long long)*size, (long long)dim);
      if (dim >= 0) *size = dim;
    } else if (*size < 0) {
      *size = -1;
    }
  }
  return NULL;
}

static sli_status_t *einsum_shape(sli_infer_context_t *c) {
  sli_einsum_t equation;
  SLI_RETURN_IF_ERROR(sli_einsum_parse(c->node, &equation));
  int64_t sizes[LABELS], dims[2 * MOST];
  bool unknown = false;
  for (int l = 0; l < LABELS; l++) sizes[l] = -2;
  for (int k = 0; k < equation.input_count; k++)
    SLI_RETURN_IF_ERROR(merge_sizes(c, equation.inputs[k], k, sizes, &unknown));
  if (unknown) return NULL;
  int rank = 0, broadcast = 0;
  while (ELLIPSIS + broadcast < LABELS && sizes[ELLIPSIS + broadcast] != -2) broadcast++;
  bool ellipsis = memchr(equation.output.data, '.', equation.output.size) != NULL;
  if (broadcast && !ellipsis)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Output contains %d broadcasting dimension(s) but no ellipsis (...) was found in the output "
                           "subscripts.",
                           broadcast);
  if ((int)equation.output.size + broadcast > MOST)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Einsum output has too many dimensions");
  for (size_t i = 0; i < equation.output.size; i++) {
    if (equation.output.data[i] != '.') {
      dims[rank++] = sizes[(unsigned char)equation.output.data[i]];
      continue;
    }
    for (int e = broadcast; e > 0; e--) dims[rank++] = sizes[ELLIPSIS + e - 1];
    i += 2;
  }
  sli_infer_set_output(c, 0, sli_infer_make(c, rank, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Einsum",
     .inputs = "inputs: N * T",
     .outputs = "output: T",
     .attrs = "equation: string; N: int >= 1; T: type",
     .shape = einsum_shape,
     .gradient = sli_einsum_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Einsum",
     .types = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPE_INT32 | SLI_TYPE_INT64,
     .compute = einsum,
     .create = einsum_create,
     .destroy = free,
     .expensive = true,
     .cost = 5},
};

SLI_OP_MODULE(einsum);
