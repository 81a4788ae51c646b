// BatchMatMul, V2 and V3: products of the matrices in the last two dimensions. V2 broadcasts the dimensions before
// them; in V1 they must be equal. V3 has a type for each operand and the result. "adj" means the conjugate transpose.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/broadcast.h"
#include "math/gemm.h"
#include "math/half.h"
#include "ops/math/matmul.h"

typedef struct {
  bool adj_x, adj_y;
  bool broadcasts;
} batch_t;

static sli_status_t *batch_matmul_create(const sli_kernel_setup_t *setup, bool broadcasts, void **out_state) {
  batch_t batch = {.broadcasts = broadcasts};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "adj_x", &batch.adj_x));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "adj_y", &batch.adj_y));
  *out_state = sli_memdup(&batch, sizeof(batch));
  return NULL;
}
static sli_status_t *create_v1(const sli_kernel_setup_t *setup, void **out_state) {
  return batch_matmul_create(setup, false, out_state);
}
static sli_status_t *create_v2(const sli_kernel_setup_t *setup, void **out_state) {
  return batch_matmul_create(setup, true, out_state);
}

static sli_status_t *bad_batches(const char *format, const sli_tensor_t *x, const sli_tensor_t *y) {
  char *a = sli_shape_to_text(sli_tensor_shape(x)), *b = sli_shape_to_text(sli_tensor_shape(y));
  char *text = sli_format(format, a, b);
  sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, text);
  free(a);
  free(b);
  free(text);
  return status;
}

static sli_status_t *check_ranks(const batch_t *batch, const sli_tensor_t *x, const sli_tensor_t *y) {
  if (batch->broadcasts) {
    if (x->rank < 2) return sli_status_make(SLI_INVALID_ARGUMENT, "In[0] ndims must be >= 2: %d", x->rank);
    if (y->rank < 2) return sli_status_make(SLI_INVALID_ARGUMENT, "In[1] ndims must be >= 2: %d", y->rank);
    return NULL;
  }
  if (x->rank != y->rank) return bad_batches("In[0] and In[1] has different ndims: %s vs. %s", x, y);
  if (x->rank < 2) return sli_status_make(SLI_INVALID_ARGUMENT, "In[0] and In[1] ndims must be >= 2: %d", x->rank);
  for (int d = 0; d < x->rank - 2; d++) {
    if (x->dims[d] == y->dims[d]) continue;
    char *format = sli_format("In[0].dim(%d) and In[1].dim(%d) must be the same: %%s vs %%s", d, d);
    sli_status_t *status = bad_batches(format, x, y);
    free(format);
    return status;
  }
  return NULL;
}

typedef struct {
  sli_gemm_t product;
  const sli_broadcast_t *plan;  // of the batch dimensions
  const char *x, *y;
  char *z;
  size_t x_size, y_size, z_size;  // bytes of one matrix
  sli_thread_pool_t *pool;        // for each product; NULL if the threads share the batches
  _Atomic(sli_status_t *) error;
} batch_matmul_work_t;

static void multiply_run(void *context, const int64_t *offsets, const int64_t *strides, int64_t out, int64_t count) {
  batch_matmul_work_t *work = context;
  for (int64_t i = 0; i < count; i++) {
    const char *x = work->x + (size_t)(offsets[0] + i * strides[0]) * work->x_size;
    const char *y = work->y + (size_t)(offsets[1] + i * strides[1]) * work->y_size;
    sli_status_t *status = sli_gemm(work->pool, &work->product, x, y, work->z + (size_t)(out + i) * work->z_size);
    if (status) sli_status_release(atomic_exchange(&work->error, status));
  }
}

static void multiply_range(void *context, int64_t begin, int64_t end) {
  batch_matmul_work_t *work = context;
  sli_broadcast_walk(work->plan, begin, end, multiply_run, work);
}

static sli_status_t *multiply(sli_kernel_context_t *context, batch_matmul_work_t *work) {
  sli_thread_pool_t *pool = sli_kernel_pool(context);
  const sli_gemm_t *p = &work->product;
  double cost = 100 + 0.2 * (double)p->m * (double)p->n * (double)p->k;
  int threads = pool ? sli_thread_pool_size(pool) : 1;
  if (work->plan->count >= 2 * threads || cost < 50000) {
    sli_parallel_for(pool, work->plan->count, cost, multiply_range, work);
  } else {
    work->pool = pool;
    multiply_range(work, 0, work->plan->count);
  }
  return atomic_load(&work->error);
}

static sli_status_t *multiply_batches(sli_kernel_context_t *context, const sli_tensor_t *x, const sli_tensor_t *y) {
  const batch_t *batch = sli_kernel_state(context);
  sli_tensor_t *output;
  sli_broadcast_t plan;
  SLI_RETURN_IF_ERROR(check_ranks(batch, x, y));
  sli_shape_t batches[] = {{x->rank - 2, x->dims}, {y->rank - 2, y->dims}};
  sli_status_t *status = sli_broadcast_plan(batches, 2, &plan);
  if (status) {
    sli_status_release(status);
    return bad_batches("In[0] and In[1] must have compatible batch dimensions: %s vs. %s", x, y);
  }
  const int64_t *xm = x->dims + x->rank - 2, *ym = y->dims + y->rank - 2;
  batch_matmul_work_t work = {.product = {.dtype = (sli_dtype_t)x->dtype,
                                          .m = xm[batch->adj_x],
                                          .n = ym[!batch->adj_y],
                                          .k = xm[!batch->adj_x],
                                          .transpose_a = batch->adj_x,
                                          .transpose_b = batch->adj_y,
                                          .conjugate_a = batch->adj_x,
                                          .conjugate_b = batch->adj_y},
                              .plan = &plan,
                              .x = x->data,
                              .y = y->data};
  sli_gemm_t *p = &work.product;
  if (p->k != ym[batch->adj_y]) return bad_batches("Matrix size-incompatible: In[0]: %s, In[1]: %s", x, y);
  int rank = plan.out_rank;
  plan.out_dims[rank] = p->m;
  plan.out_dims[rank + 1] = p->n;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank + 2, plan.out_dims}, &output));
  if (output->count == 0) return NULL;
  size_t size = sli_dtype_size(p->dtype);
  work.z = output->data;
  work.x_size = (size_t)(p->m * p->k) * size;
  work.y_size = (size_t)(p->k * p->n) * size;
  work.z_size = (size_t)(p->m * p->n) * size;
  // One matrix on the right for all on the left: a single tall product.
  if (!batch->adj_x && y->count == p->k * p->n && x->count == plan.count * p->m * p->k) {
    p->m *= plan.count;
    return sli_gemm(sli_kernel_pool(context), p, x->data, y->data, output->data);
  }
  return multiply(context, &work);
}

static sli_status_t *batch_matmul_compute(sli_kernel_context_t *context) {
  return multiply_batches(context, sli_kernel_input(context, 0), sli_kernel_input(context, 1));
}

// |x|, of 8-bit integers or bfloat16, as int32 or bfloat16; the caller owns a reference.
static sli_status_t *convert(sli_kernel_context_t *context, sli_tensor_t *x, sli_dtype_t to, sli_tensor_t **out) {
  if (x->dtype == to) {
    *out = sli_tensor_retain(x);
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, to, sli_tensor_shape(x), out));
  bool is_signed = x->dtype == SLI_DTYPE_INT8;
  for (int64_t i = 0; i < x->count; i++) {
    int32_t value = is_signed ? SLI_DATA(int8_t, x)[i] : SLI_DATA(uint8_t, x)[i];
    if (to == SLI_DTYPE_INT32)
      SLI_DATA(int32_t, *out)[i] = value;
    else
      SLI_DATA(uint16_t, *out)[i] = sli_bfloat16_from_float((float)value);
  }
  return NULL;
}

static sli_status_t *mixed_compute(sli_kernel_context_t *context) {
  sli_dtype_t to = sli_dtype_base(context->node->output_types[0]);
  sli_tensor_t *x = NULL, *y = NULL;
  sli_status_t *status = convert(context, sli_kernel_input(context, 0), to, &x);
  if (!status) status = convert(context, sli_kernel_input(context, 1), to, &y);
  if (!status) status = multiply_batches(context, x, y);
  sli_tensor_release(x);
  sli_tensor_release(y);
  return status;
}

static sli_status_t *batch_shape(sli_infer_context_t *c, bool broadcasts) {
  sli_shape_t x, y, batches;
  bool adj_x, adj_y;
  int64_t inner;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &x));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 2, &y));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "adj_x", &adj_x));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "adj_y", &adj_y));
  sli_shape_t x_batches = sli_infer_subshape(c, x, 0, -2), y_batches = sli_infer_subshape(c, y, 0, -2);
  if (broadcasts)
    SLI_RETURN_IF_ERROR(sli_infer_broadcast(c, x_batches, y_batches, &batches));
  else
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, x_batches, y_batches, &batches));
  SLI_RETURN_IF_ERROR(
      sli_infer_merge_dims(sli_infer_dim(x, adj_x ? -2 : -1), sli_infer_dim(y, adj_y ? -1 : -2), &inner));
  int64_t dims[] = {sli_infer_dim(x, adj_x ? -1 : -2), sli_infer_dim(y, adj_y ? -2 : -1)};
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, batches, sli_infer_make(c, 2, dims)));
  return NULL;
}
static sli_status_t *shape_v1(sli_infer_context_t *c) { return batch_shape(c, false); }
static sli_status_t *shape_v2(sli_infer_context_t *c) { return batch_shape(c, true); }

sli_output_t sli_matmul_emit_batch(sli_gradient_builder_t *b, sli_output_t x, sli_output_t y, bool adj_x, bool adj_y) {
  return SLI_EMIT_WITH(b, "BatchMatMulV2", SLI_INPUTS(x, y),
                       SLI_ATTRS(SLI_ATTR_BOOL_OF("adj_x", adj_x), SLI_ATTR_BOOL_OF("adj_y", adj_y)));
}

sli_output_t sli_matmul_emit_batch_shape(sli_gradient_builder_t *b, sli_output_t shape) {
  return SLI_EMIT_WITH(
      b, "StridedSlice",
      SLI_INPUTS(shape, sli_gradient_const_ints(b, (int32_t[]){0}, 1), sli_gradient_const_ints(b, (int32_t[]){-2}, 1),
                 sli_gradient_const_ints(b, (int32_t[]){1}, 1)),
      SLI_ATTRS(SLI_ATTR_INT_OF("begin_mask", 1)));
}

void sli_matmul_set_gradients(sli_gradient_builder_t *b, sli_output_t g0, sli_output_t shape0, sli_output_t g1,
                              sli_output_t shape1) {
  sli_output_t axes = sli_emit2(b, "BroadcastGradientArgs", sli_matmul_emit_batch_shape(b, shape0),
                                sli_matmul_emit_batch_shape(b, shape1));
  sli_gradient_set(b, 0, sli_emit2(b, "Reshape", sli_emit2(b, "Sum", g0, axes), shape0));
  sli_gradient_set(b, 1, sli_emit2(b, "Reshape", sli_emit2(b, "Sum", g1, sli_output_at(axes, 1)), shape1));
}

static bool same_batches(sli_shape_t x, sli_shape_t y) {
  if (x.rank < 2 || x.rank != y.rank) return false;
  for (int d = 0; d < x.rank - 2; d++)
    if (x.dims[d] < 0 || x.dims[d] != y.dims[d]) return false;
  return true;
}

static sli_status_t *products_gradient(sli_gradient_builder_t *b, sli_output_t *out_gx, sli_output_t *out_gy) {
  bool adj_x, adj_y;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "adj_x", &adj_x));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "adj_y", &adj_y));
  sli_output_t g = sli_gradient_of_output(b, 0), x = sli_gradient_input(b, 0), y = sli_gradient_input(b, 1);
  *out_gx = adj_x ? sli_matmul_emit_batch(b, y, g, adj_y, true) : sli_matmul_emit_batch(b, g, y, false, !adj_y);
  *out_gy = adj_y ? sli_matmul_emit_batch(b, g, x, true, adj_x) : sli_matmul_emit_batch(b, x, g, !adj_x, false);
  return NULL;
}

static sli_status_t *gradient_v1(sli_gradient_builder_t *b) {
  sli_output_t gx, gy;
  SLI_RETURN_IF_ERROR(products_gradient(b, &gx, &gy));
  sli_gradient_set(b, 0, gx);
  sli_gradient_set(b, 1, gy);
  return NULL;
}

static sli_status_t *gradient_v2(sli_gradient_builder_t *b) {
  sli_output_t gx, gy, x = sli_gradient_input(b, 0), y = sli_gradient_input(b, 1);
  SLI_RETURN_IF_ERROR(products_gradient(b, &gx, &gy));
  sli_gradient_set(b, 0, gx);
  sli_gradient_set(b, 1, gy);
  if (same_batches(b->shape(b, x), b->shape(b, y))) return NULL;
  sli_output_t x_shape = sli_emit_shape(b, x), y_shape = sli_emit_shape(b, y);
  sli_matmul_set_gradients(b, gx, x_shape, gy, y_shape);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "BatchMatMul",
     .inputs = "x: T, y: T",
     .outputs = "output: T",
     .attrs = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}; adj_x: bool = false; "
              "adj_y: bool = false",
     .shape = shape_v1,
     .gradient = gradient_v1},
    {.name = "BatchMatMulV2",
     .inputs = "x: T, y: T",
     .outputs = "output: T",
     .attrs = "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
              "complex128}; adj_x: bool = false; adj_y: bool = false",
     .shape = shape_v2,
     .gradient = gradient_v2},
    {.name = "BatchMatMulV3",
     .inputs = "x: Ta, y: Tb",
     .outputs = "output: Tout",
     .attrs = "Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}; Tb: "
              "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}; Tout: "
              "{bfloat16, half, float, double, int16, int32, int64, complex64, complex128}; adj_x: bool = false; "
              "adj_y: bool = false",
     .shape = shape_v2,
     .gradient = gradient_v2},
};

#define V3_ROW(x, y, z, function)                                                                                  \
  {                                                                                                                \
    .op = "BatchMatMulV3", .where = {{"Ta", x}, {"Tb", y}, {"Tout", z}}, .compute = function, .create = create_v2, \
    .destroy = free, .expensive = true, .cost = 5                                                                  \
  }
#define V3_SAME(type) V3_ROW(type, type, type, batch_matmul_compute)
#define BYTES (SLI_TYPE_INT8 | SLI_TYPE_UINT8)

#define TYPES (SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPE_INT16 | SLI_TYPE_INT32 | SLI_TYPE_INT64)

static const sli_kernel_def_t kernels[] = {
    {.op = "BatchMatMul",
     .types = TYPES,
     .compute = batch_matmul_compute,
     .create = create_v1,
     .destroy = free,
     .expensive = true,
     .cost = 5},
    {.op = "BatchMatMulV2",
     .types = TYPES,
     .compute = batch_matmul_compute,
     .create = create_v2,
     .destroy = free,
     .expensive = true,
     .cost = 5},
    V3_SAME(SLI_TYPE_BFLOAT16),
    V3_SAME(SLI_TYPE_FLOAT),
    V3_SAME(SLI_TYPE_DOUBLE),
    V3_SAME(SLI_TYPE_INT16),
    V3_SAME(SLI_TYPE_INT32),
    V3_SAME(SLI_TYPE_INT64),
    V3_SAME(SLI_TYPE_COMPLEX64),
    V3_SAME(SLI_TYPE_COMPLEX128),
    V3_ROW(BYTES, BYTES, SLI_TYPE_INT32, mixed_compute),
    V3_ROW(BYTES, SLI_TYPE_BFLOAT16, SLI_TYPE_BFLOAT16, mixed_compute),
    V3_ROW(SLI_TYPE_BFLOAT16, BYTES, SLI_TYPE_BFLOAT16, mixed_compute),
};

SLI_OP_MODULE(batch_matmul);
