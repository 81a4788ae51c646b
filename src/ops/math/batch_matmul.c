// BatchMatMul and BatchMatMulV2: products of the matrices in the two last
// dimensions. V2 broadcasts the dimensions before them; V1 wants them equal.
// "adj" means the conjugate transpose.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/gradient.h"
#include "core/kernel.h"
#include "core/shape_inference.h"
#include "math/broadcast.h"
#include "math/emit.h"
#include "math/gemm.h"

typedef struct {
  bool adj_x, adj_y;
  bool broadcasts;
} batch_t;

static sli_status_t *create(const sli_kernel_setup_t *setup, bool broadcasts, void **out_state) {
  batch_t batch = {.broadcasts = broadcasts};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "adj_x", &batch.adj_x));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "adj_y", &batch.adj_y));
  *out_state = sli_memdup(&batch, sizeof(batch));
  return NULL;
}
static sli_status_t *create_v1(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, false, out_state);
}
static sli_status_t *create_v2(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, true, out_state);
}

static sli_status_t *bad_shapes(const char *format, const sli_tensor_t *x, const sli_tensor_t *y) {
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
  if (x->rank != y->rank) return bad_shapes("In[0] and In[1] has different ndims: %s vs. %s", x, y);
  if (x->rank < 2) return sli_status_make(SLI_INVALID_ARGUMENT, "In[0] and In[1] ndims must be >= 2: %d", x->rank);
  for (int d = 0; d < x->rank - 2; d++) {
    if (x->dims[d] == y->dims[d]) continue;
    char *format = sli_format("In[0].dim(%d) and In[1].dim(%d) must be the same: %%s vs %%s", d, d);
    sli_status_t *status = bad_shapes(format, x, y);
    free(format);
    return status;
  }
  return NULL;
}

typedef struct {
  sli_gemm_t product;
  const sli_broadcast_t *plan;  // over batches
  const char *x, *y;
  char *z;
  size_t x_size, y_size, z_size;  // bytes of one matrix
  sli_thread_pool_t *pool;        // for one product; NULL where batches are spread
  _Atomic(sli_status_t *) error;
} work_t;

static void multiply_run(void *context, const int64_t *offsets, const int64_t *strides, int64_t out, int64_t count) {
  work_t *work = context;
  for (int64_t i = 0; i < count; i++) {
    const char *x = work->x + (size_t)(offsets[0] + i * strides[0]) * work->x_size;
    const char *y = work->y + (size_t)(offsets[1] + i * strides[1]) * work->y_size;
    sli_status_t *status = sli_gemm(work->pool, &work->product, x, y, work->z + (size_t)(out + i) * work->z_size);
    if (status) sli_status_release(atomic_exchange(&work->error, status));
  }
}

static void multiply_range(void *context, int64_t begin, int64_t end) {
  work_t *work = context;
  sli_broadcast_walk(work->plan, begin, end, multiply_run, work);
}

static sli_status_t *multiply(sli_kernel_context_t *context, work_t *work) {
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

static sli_status_t *compute(sli_kernel_context_t *context) {
  const batch_t *batch = sli_kernel_state(context);
  sli_tensor_t *x = sli_kernel_input(context, 0), *y = sli_kernel_input(context, 1), *output;
  sli_broadcast_t plan;
  SLI_RETURN_IF_ERROR(check_ranks(batch, x, y));
  sli_shape_t batches[] = {{x->rank - 2, x->dims}, {y->rank - 2, y->dims}};
  sli_status_t *status = sli_broadcast_plan(batches, 2, &plan);
  if (status) {
    sli_status_release(status);
    return bad_shapes("In[0] and In[1] must have compatible batch dimensions: %s vs. %s", x, y);
  }
  const int64_t *xm = x->dims + x->rank - 2, *ym = y->dims + y->rank - 2;
  work_t work = {.product = {.dtype = (sli_dtype_t)x->dtype,
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
  if (p->k != ym[batch->adj_y]) return bad_shapes("Matrix size-incompatible: In[0]: %s, In[1]: %s", x, y);
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

static sli_status_t *batch_shape(sli_shape_context_t *c, bool broadcasts) {
  sli_shape_t x, y, batches;
  bool adj_x, adj_y;
  int64_t inner;
  SLI_RETURN_IF_ERROR(sli_shape_with_rank_at_least(c, sli_shape_input(c, 0), 2, &x));
  SLI_RETURN_IF_ERROR(sli_shape_with_rank_at_least(c, sli_shape_input(c, 1), 2, &y));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "adj_x", &adj_x));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "adj_y", &adj_y));
  sli_shape_t x_batches = sli_shape_subshape(c, x, 0, -2), y_batches = sli_shape_subshape(c, y, 0, -2);
  if (broadcasts)
    SLI_RETURN_IF_ERROR(sli_shape_broadcast_partial(c, x_batches, y_batches, &batches));
  else
    SLI_RETURN_IF_ERROR(sli_shape_merge(c, x_batches, y_batches, &batches));
  SLI_RETURN_IF_ERROR(
      sli_shape_merge_dims(sli_shape_dim(x, adj_x ? -2 : -1), sli_shape_dim(y, adj_y ? -1 : -2), &inner));
  int64_t dims[] = {sli_shape_dim(x, adj_x ? -1 : -2), sli_shape_dim(y, adj_y ? -2 : -1)};
  sli_shape_set_output(c, 0, sli_shape_concatenate(c, batches, sli_shape_make(c, 2, dims)));
  return NULL;
}
static sli_status_t *shape_v1(sli_shape_context_t *c) { return batch_shape(c, false); }
static sli_status_t *shape_v2(sli_shape_context_t *c) { return batch_shape(c, true); }

static sli_output_t emit_product(sli_gradient_builder_t *b, sli_output_t x, sli_output_t y, bool adj_x, bool adj_y) {
  return SLI_EMIT_WITH(b, "BatchMatMulV2", SLI_INPUTS(x, y),
                       SLI_ATTRS(SLI_ATTR_BOOL_OF("adj_x", adj_x), SLI_ATTR_BOOL_OF("adj_y", adj_y)));
}

// The shape without its two last elements.
static sli_output_t emit_batch_shape(sli_gradient_builder_t *b, sli_output_t shape) {
  return SLI_EMIT_WITH(
      b, "StridedSlice",
      SLI_INPUTS(shape, sli_gradient_const_ints(b, (int32_t[]){0}, 1), sli_gradient_const_ints(b, (int32_t[]){-2}, 1),
                 sli_gradient_const_ints(b, (int32_t[]){1}, 1)),
      SLI_ATTRS(SLI_ATTR_INT_OF("begin_mask", 1)));
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
  *out_gx = adj_x ? emit_product(b, y, g, adj_y, true) : emit_product(b, g, y, false, !adj_y);
  *out_gy = adj_y ? emit_product(b, g, x, true, adj_x) : emit_product(b, x, g, !adj_x, false);
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
  if (!same_batches(b->shape(b, x), b->shape(b, y))) {
    sli_output_t x_shape = sli_emit_shape(b, x), y_shape = sli_emit_shape(b, y);
    sli_output_t axes =
        sli_emit2(b, "BroadcastGradientArgs", emit_batch_shape(b, x_shape), emit_batch_shape(b, y_shape));
    gx = sli_emit2(b, "Reshape", sli_emit2(b, "Sum", gx, axes), x_shape);
    gy = sli_emit2(b, "Reshape", sli_emit2(b, "Sum", gy, sli_output_at(axes, 1)), y_shape);
  }
  sli_gradient_set(b, 0, gx);
  sli_gradient_set(b, 1, gy);
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
};

#define TYPES (SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPE_INT16 | SLI_TYPE_INT32 | SLI_TYPE_INT64)

static const sli_kernel_def_t kernels[] = {
    {.op = "BatchMatMul",
     .types = TYPES,
     .compute = compute,
     .create = create_v1,
     .destroy = free,
     .expensive = true,
     .cost = 5},
    {.op = "BatchMatMulV2",
     .types = TYPES,
     .compute = compute,
     .create = create_v2,
     .destroy = free,
     .expensive = true,
     .cost = 5},
};

SLI_OP_MODULE(batch_matmul);
