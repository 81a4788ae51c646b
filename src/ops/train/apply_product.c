// An optimizer's update whose gradient is a matrix product. The op is called _Product and the name of the op that it
// replaces, and has the two operands of the product in the place of the gradient. Only a pass makes it
// (graph/passes/fuse_update.c); a user's graph must not contain it.
//
// The gradient is never stored as a whole: the rule is applied to each block of it right after that was computed, while
// it is in cache.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/math/matmul.h"
#include "ops/train/apply_internal.h"

typedef struct {
  sli_apply_t apply;
  bool transpose_a, transpose_b;
} product_t;

static sli_status_t *product_create(const sli_kernel_setup_t *setup, void **out_state) {
  product_t product;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_apply_prepare(setup->node, &product.apply));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "transpose_a", &product.transpose_a));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "transpose_b", &product.transpose_b));
  *out_state = sli_memdup(&product, sizeof(product));
  return NULL;
}

typedef struct {
  const sli_apply_t *apply;
  const sli_update_t *update;
  sli_rule_scalars_t scalars;
} product_work_t;

static void apply_block(void *context, const void *values, int64_t first, int64_t count) {
  const product_work_t *work = context;
  sli_apply_range(work->apply, work->update, &work->scalars, values, first, count);
}

// Runs the update on variables that are open.
static sli_status_t *apply_product(sli_kernel_context_t *context, const product_work_t *work, sli_gemm_t *product) {
  const sli_apply_t *apply = work->apply;
  const sli_tensor_t *var = work->update->tensors[0];
  SLI_RETURN_IF_ERROR(sli_apply_check_slots(context, work->update, product->dtype));
  if (var->rank != 2 || var->dims[0] != product->m || var->dims[1] != product->n)
    return sli_apply_shapes_differ(context, apply->gradient, var, SLI_SHAPE(product->m, product->n));
  product->sink.target = var->data;
  return sli_gemm(sli_kernel_pool(context), product, sli_kernel_input(context, apply->gradient)->data,
                  sli_kernel_input(context, apply->right)->data, NULL);
}

static sli_status_t *product_compute(sli_kernel_context_t *context) {
  const product_t *state = sli_kernel_state(context);
  sli_update_t update;
  product_work_t work = {&state->apply, &update};
  sli_gemm_t product;
  SLI_RETURN_IF_ERROR(sli_matmul_describe(sli_kernel_input(context, state->apply.gradient),
                                          sli_kernel_input(context, state->apply.right), state->transpose_a,
                                          state->transpose_b, &product));
  product.sink = (sli_gemm_sink_t){apply_block, &work};
  SLI_RETURN_IF_ERROR(sli_apply_read_scalars(context, &state->apply, &work.scalars));
  SLI_RETURN_IF_ERROR(sli_update_begin(context, state->apply.slot_count, state->apply.use_locking, &update));
  sli_status_t *status = apply_product(context, &work, &product);
  if (!status) sli_update_forward(context, &update);
  sli_update_end(&update);
  return status;
}

#define ATTRS "T: {float, double}; transpose_a: bool = false; transpose_b: bool = false; use_locking: bool = false"

// The inputs of the two forms of the op |op|: with references and with resources.
#define BOTH(op, references, resources, attributes)                                                          \
  {.name = "_ProductApply" op,                                                                               \
   .fuses = "Apply" op,                                                                                      \
   .inputs = references,                                                                                     \
   .outputs = "out: Ref(T)",                                                                                 \
   .attrs = ATTRS attributes,                                                                                \
   .shape = sli_infer_fn_unchanged},                                                                         \
  {                                                                                                          \
    .name = "_ProductResourceApply" op, .inputs = resources, .attrs = ATTRS attributes, .is_stateful = true, \
    .shape = sli_infer_fn_none, .fuses = "ResourceApply" op                                                  \
  }

static const sli_op_def_t ops[] = {
    BOTH("GradientDescent", "var: Ref(T), alpha: T, delta: T, right: T", "var: resource, alpha: T, delta: T, right: T",
         ""),
    BOTH("Momentum", "var: Ref(T), accum: Ref(T), lr: T, grad: T, right: T, momentum: T",
         "var: resource, accum: resource, lr: T, grad: T, right: T, momentum: T", "; use_nesterov: bool = false"),
    BOTH("Adagrad", "var: Ref(T), accum: Ref(T), lr: T, grad: T, right: T",
         "var: resource, accum: resource, lr: T, grad: T, right: T", "; update_slots: bool = true"),
    BOTH("RMSProp", "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T, right: T",
         "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T, right: T", ""),
    BOTH("Adam",
         "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, "
         "grad: T, right: T",
         "var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, "
         "epsilon: T, grad: T, right: T",
         "; use_nesterov: bool = false"),
};

#define KERNEL(name) \
  { .op = name, .compute = product_compute, .create = product_create, .destroy = free, .expensive = true, .cost = 5 }

static const sli_kernel_def_t kernels[] = {
    KERNEL("_ProductApplyGradientDescent"),
    KERNEL("_ProductResourceApplyGradientDescent"),
    KERNEL("_ProductApplyMomentum"),
    KERNEL("_ProductResourceApplyMomentum"),
    KERNEL("_ProductApplyAdagrad"),
    KERNEL("_ProductResourceApplyAdagrad"),
    KERNEL("_ProductApplyRMSProp"),
    KERNEL("_ProductResourceApplyRMSProp"),
    KERNEL("_ProductApplyAdam"),
    KERNEL("_ProductResourceApplyAdam"),
};

SLI_OP_MODULE_PRIVATE(apply_product);
