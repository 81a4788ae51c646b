// Matrix products by oneDNN's matmul primitive, plain layouts on both sides: a
// variable changes at every step, and reordering it would eat the gain.
#include "math/onednn.h"
#include "math/onednn_internal.h"

// What the cache compares: all of a shape, without padding bytes.
typedef struct {
  int64_t kind, m, n, k, lda, ldb, ldc, flags;
} matmul_key_t;

static dnnl_status_t describe_matrix(const onednn_library_t *library, int64_t rows, int64_t columns, int64_t ld,
                                     bool transposed, dnnl_memory_desc_t *out) {
  dnnl_dims_t dims = {rows, columns}, strides = {transposed ? 1 : ld, transposed ? ld : 1};
  return library->dnnl_memory_desc_init_by_strides(out, 2, dims, dnnl_f32, strides);
}

static sli_status_t *describe(const onednn_library_t *library, const void *context, onednn_recipe_t *recipe) {
  const sli_onednn_matmul_t *shape = context;
  dnnl_memory_desc_t a, b, c, bias;
  dnnl_dims_t bias_dims = {1, shape->n}, bias_strides = {shape->n, 1};
  dnnl_matmul_desc_t desc;
  dnnl_primitive_attr_t attr = NULL;
  dnnl_status_t result = describe_matrix(library, shape->m, shape->k, shape->lda, shape->transpose_a, &a);
  if (result == dnnl_success) result = describe_matrix(library, shape->k, shape->n, shape->ldb, shape->transpose_b, &b);
  if (result == dnnl_success) result = describe_matrix(library, shape->m, shape->n, shape->ldc, false, &c);
  if (result == dnnl_success)
    result = library->dnnl_memory_desc_init_by_strides(&bias, 2, bias_dims, dnnl_f32, bias_strides);
  if (result == dnnl_success)
    result = library->dnnl_matmul_desc_init(&desc, &a, &b, shape->has_bias ? &bias : NULL, &c);
  SLI_RETURN_IF_ERROR(onednn_check(result, "matmul"));
  SLI_RETURN_IF_ERROR(onednn_make_attr(library, shape->relu, &attr));
  result = library->dnnl_primitive_desc_create(&recipe->desc, &desc, attr, library->engine, NULL);
  library->dnnl_primitive_attr_destroy(attr);
  recipe->args[0] = (onednn_arg_t){.id = DNNL_ARG_SRC, .layout = a};
  recipe->args[1] = (onednn_arg_t){.id = DNNL_ARG_WEIGHTS, .layout = b};
  recipe->args[2] = (onednn_arg_t){.id = DNNL_ARG_DST, .is_output = true, .layout = c};
  recipe->args[3] = (onednn_arg_t){.id = DNNL_ARG_BIAS, .layout = bias};
  recipe->arg_count = shape->has_bias ? 4 : 3;
  return onednn_check(result, "matmul");
}

sli_status_t *sli_onednn_matmul(const sli_onednn_matmul_t *shape, const float *a, const float *b, const float *bias,
                                float *c) {
  matmul_key_t key = {
      'm',        shape->m,
      shape->n,   shape->k,
      shape->lda, shape->ldb,
      shape->ldc, shape->transpose_a | shape->transpose_b << 1 | shape->has_bias << 2 | shape->relu << 3};
  void *const data[] = {(void *)a, (void *)b, c, (void *)bias};
  return onednn_execute(&key, sizeof(key), describe, shape, data);
}
