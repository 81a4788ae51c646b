// Select and SelectV2: elements of |t| where the condition is true, of |e| elsewhere. Select takes a condition of the
// same shape, a scalar, or a vector for the first dimension; SelectV2 broadcasts all three. Kernels depend only on the
// size of the type.
#include <stdlib.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/broadcast.h"
#include "math/simd.h"

typedef struct {
  const sli_broadcast_t *plan;  // NULL: a single run, the shapes are equal
  sli_dtype_t dtype;
  size_t size;
  const bool *condition;
  const char *t, *e;
  char *out;
} select_work_t;

#define SELECT(T)                                                                                                     \
  SLI_SIMD static void select_##T(const bool *c, const T *t, const T *e, T *out, int64_t n, const int64_t *strides) { \
    if (strides[0] && strides[1] && strides[2]) {                                                                     \
      SLI_SIMD_VECTORIZE for (int64_t i = 0; i < n; i++) out[i] = c[i] ? t[i] : e[i];                                 \
    } else {                                                                                                          \
      int64_t cs = strides[0], ts = strides[1], es = strides[2];                                                      \
      for (int64_t i = 0; i < n; i++) out[i] = c[i * cs] ? t[i * ts] : e[i * es];                                     \
    }                                                                                                                 \
  }
SELECT(uint8_t)
SELECT(uint16_t)
SELECT(uint32_t)
SELECT(uint64_t)

// Strings and objects are copied by value, wider plain types by memcpy.
static void select_any(const select_work_t *work, const bool *c, const char *t, const char *e, char *out, int64_t n,
                       const int64_t *strides) {
  for (int64_t i = 0; i < n; i++) {
    const char *source =
        c[i * strides[0]] ? t + (size_t)(i * strides[1]) * work->size : e + (size_t)(i * strides[2]) * work->size;
    char *destination = out + (size_t)i * work->size;
    if (work->dtype == SLI_DTYPE_STRING) {
      sli_view_t text = sli_tstring_view((const sli_tstring_t *)source);
      sli_tstring_assign((sli_tstring_t *)destination, text.data, text.size);
    } else if (!sli_dtype_is_plain(work->dtype)) {
      *(sli_object_t **)destination = sli_object_retain(*(sli_object_t *const *)source);
    } else {
      memcpy(destination, source, work->size);
    }
  }
}

static void select_run(void *context, const int64_t *offsets, const int64_t *strides, int64_t out, int64_t n) {
  const select_work_t *work = context;
  const bool *c = work->condition + offsets[0];
  const void *t = work->t + (size_t)offsets[1] * work->size, *e = work->e + (size_t)offsets[2] * work->size;
  void *destination = work->out + (size_t)out * work->size;
  bool plain = sli_dtype_is_plain(work->dtype);
  switch (plain ? work->size : 0) {
    case 1: select_uint8_t(c, t, e, destination, n, strides); break;
    case 2: select_uint16_t(c, t, e, destination, n, strides); break;
    case 4: select_uint32_t(c, t, e, destination, n, strides); break;
    case 8: select_uint64_t(c, t, e, destination, n, strides); break;
    default: select_any(work, c, t, e, destination, n, strides);
  }
}

static void select_range(void *context, int64_t begin, int64_t end) {
  const select_work_t *work = context;
  if (work->plan) {
    sli_broadcast_walk(work->plan, begin, end, select_run, context);
  } else {
    select_run(context, (int64_t[]){begin, begin, begin}, (int64_t[]){1, 1, 1}, begin, end - begin);
  }
}

static sli_status_t *run(sli_kernel_context_t *context, const sli_broadcast_t *plan, sli_shape_t shape) {
  sli_tensor_t *c = sli_kernel_input(context, 0), *t = sli_kernel_input(context, 1), *e = sli_kernel_input(context, 2);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  select_work_t work = {plan,    (sli_dtype_t)t->dtype, sli_dtype_size((sli_dtype_t)t->dtype), c->data, t->data,
                        e->data, output->data};
  sli_parallel_for(sli_kernel_pool(context), output->count, 0.6, select_range, &work);
  return NULL;
}

static sli_status_t *select_v2(sli_kernel_context_t *context) {
  sli_tensor_t *c = sli_kernel_input(context, 0), *t = sli_kernel_input(context, 1), *e = sli_kernel_input(context, 2);
  if (sli_tensor_same_shape(c, t) && sli_tensor_same_shape(c, e)) return run(context, NULL, sli_tensor_shape(t));
  sli_broadcast_t plan;
  sli_shape_t shapes[] = {sli_tensor_shape(c), sli_tensor_shape(t), sli_tensor_shape(e)};
  sli_status_t *status = sli_broadcast_plan(shapes, 3, &plan);
  if (status) {
    sli_status_release(status);
    char *a = sli_shape_to_text(shapes[0]), *b = sli_shape_to_text(shapes[1]), *d = sli_shape_to_text(shapes[2]);
    status = sli_status_make(SLI_INVALID_ARGUMENT, "condition %s, then %s, and else %s must be broadcastable", a, b, d);
    free(a);
    free(b);
    free(d);
    return status;
  }
  return run(context, &plan, (sli_shape_t){plan.out_rank, plan.out_dims});
}

static sli_status_t *require_same_shape(sli_kernel_context_t *context, int x, int y) {
  sli_tensor_t *a = sli_kernel_input(context, x), *b = sli_kernel_input(context, y);
  if (sli_tensor_same_shape(a, b)) return NULL;
  char *first = sli_shape_to_text(sli_tensor_shape(a)), *second = sli_shape_to_text(sli_tensor_shape(b));
  sli_status_t *status = sli_status_make(
      SLI_INVALID_ARGUMENT,
      "Inputs to operation %s of type Select must have the same size and shape.  Input %d: %s != input %d: %s",
      context->node->name, x, first, y, second);
  free(first);
  free(second);
  return status;
}

static sli_status_t *select_v1(sli_kernel_context_t *context) {
  sli_tensor_t *c = sli_kernel_input(context, 0), *t = sli_kernel_input(context, 1), *e = sli_kernel_input(context, 2);
  if (c->rank == 0) {  // outputs one of the two unchanged
    SLI_RETURN_IF_ERROR(require_same_shape(context, 1, 2));
    sli_kernel_set_output(context, 0, sli_tensor_retain(*SLI_DATA(bool, c) ? t : e));
    return NULL;
  }
  if (c->rank != 1 || t->rank == 1) {
    SLI_RETURN_IF_ERROR(require_same_shape(context, 0, 1));
    SLI_RETURN_IF_ERROR(require_same_shape(context, 0, 2));
    return run(context, NULL, sli_tensor_shape(t));
  }
  if (t->rank == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "'then' must be at least a vector, but saw shape: []");
  if (t->dims[0] != c->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Number of batches of 'then' must match size of 'cond', but saw: %lld vs. %lld",
                           (long long)t->dims[0], (long long)c->dims[0]);
  SLI_RETURN_IF_ERROR(require_same_shape(context, 1, 2));
  // A vector selects whole rows: it is broadcast over all dimensions except the first.
  int64_t dims[SLI_MAX_RANK];
  for (int d = 0; d < t->rank; d++) dims[d] = d == 0 ? c->dims[0] : 1;
  sli_broadcast_t plan;
  sli_shape_t shapes[] = {{t->rank, dims}, sli_tensor_shape(t), sli_tensor_shape(e)};
  SLI_RETURN_IF_ERROR(sli_broadcast_plan(shapes, 3, &plan));
  return run(context, &plan, sli_tensor_shape(t));
}

static sli_status_t *select_v1_shape(sli_infer_context_t *c) {
  sli_shape_t condition = sli_infer_input(c, 0), data, merged;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 1), sli_infer_input(c, 2), &data));
  sli_infer_set_output(c, 0, data);
  if (condition.rank < 0 || data.rank < 0 || condition.rank == 0) return NULL;
  if (condition.rank == data.rank) {
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, data, condition, &merged));
    sli_infer_set_output(c, 0, merged);
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, condition, 1, &condition));
  if (data.rank >= 1) {
    int64_t rows;
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(condition.dims[0], data.dims[0], &rows));
    sli_infer_set_output(c, 0, sli_infer_replace_dim(c, data, 0, rows));
  }
  return NULL;
}

static sli_status_t *select_v2_shape(sli_infer_context_t *c) {
  sli_shape_t values, result;
  SLI_RETURN_IF_ERROR(sli_infer_broadcast(c, sli_infer_input(c, 1), sli_infer_input(c, 2), &values));
  SLI_RETURN_IF_ERROR(sli_infer_broadcast(c, values, sli_infer_input(c, 0), &result));
  sli_infer_set_output(c, 0, result);
  return NULL;
}

static sli_status_t *select_v1_gradient(sli_gradient_builder_t *b) {
  sli_output_t c = sli_gradient_input(b, 0), g = sli_gradient_of_output(b, 0);
  sli_output_t zeros = sli_emit1(b, "ZerosLike", sli_gradient_input(b, 1));
  sli_gradient_set(b, 1, sli_emit3(b, "Select", c, g, zeros));
  sli_gradient_set(b, 2, sli_emit3(b, "Select", c, zeros, g));
  return NULL;
}

// Emits |gradient|, which has the shape of the result, summed to the shape of input |index|.
static sli_output_t unbroadcast(sli_gradient_builder_t *b, sli_output_t gradient, int index) {
  sli_output_t x = sli_gradient_input(b, index), y = sli_gradient_output(b, 0);
  sli_shape_t a = b->shape(b, x), z = b->shape(b, y);
  if (sli_shape_is_fully_known(a) && sli_shape_is_fully_known(z) && sli_shape_equal(a, z)) return gradient;
  sli_output_t shape = sli_emit_shape(b, x);
  sli_output_t axes = sli_emit2(b, "BroadcastGradientArgs", shape, sli_emit_shape(b, y));
  return sli_emit2(b, "Reshape", sli_emit2(b, "Sum", gradient, axes), shape);
}

static sli_status_t *select_v2_gradient(sli_gradient_builder_t *b) {
  sli_output_t c = sli_gradient_input(b, 0), g = sli_gradient_of_output(b, 0);
  sli_output_t zero = sli_gradient_const_like(b, g, 0);
  sli_gradient_set(b, 1, unbroadcast(b, sli_emit3(b, "SelectV2", c, g, zero), 1));
  sli_gradient_set(b, 2, unbroadcast(b, sli_emit3(b, "SelectV2", c, zero, g), 2));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Select",
     .inputs = "condition: bool, t: T, e: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = select_v1_shape,
     .gradient = select_v1_gradient,
     .forwards_input = true},
    {.name = "SelectV2",
     .inputs = "condition: bool, t: T, e: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = select_v2_shape,
     .gradient = select_v2_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Select",
     .types = SLI_TYPES_NUMBER | SLI_TYPE_BOOL | SLI_TYPE_STRING | SLI_TYPE_RESOURCE | SLI_TYPE_VARIANT,
     .compute = select_v1},
    {.op = "SelectV2",
     .types = SLI_TYPES_NUMBER | SLI_TYPE_BOOL | SLI_TYPE_STRING | SLI_TYPE_RESOURCE | SLI_TYPE_VARIANT,
     .compute = select_v2},
};

SLI_OP_MODULE(select);
