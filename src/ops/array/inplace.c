// InplaceUpdate, InplaceAdd, InplaceSub: change rows of |x|. The result takes over the memory of |x| if nothing else
// refers to it, and is a copy otherwise. An index counts modulo the number of rows.
#include <string.h>

#include "core/op/shape_inference.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"

static sli_status_t *check(const sli_tensor_t *x, const sli_tensor_t *i, const sli_tensor_t *v) {
  if (i->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "i must be a vector. %s", sli_tensor_shape_text(i).text);
  if (x->rank != v->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "x and v shape doesn't match (ranks differ): %s vs. %s",
                           sli_tensor_shape_text(x).text, sli_tensor_shape_text(v).text);
  for (int d = 1; d < x->rank; d++) {
    if (x->dims[d] != v->dims[d])
      return sli_status_make(SLI_INVALID_ARGUMENT, "x and v shape doesn't match at index %d : %s vs. %s", d,
                             sli_tensor_shape_text(x).text, sli_tensor_shape_text(v).text);
  }
  if (v->rank == 0 || i->dims[0] != v->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "i and x shape doesn't match at index 0: %s vs. %s",
                           sli_tensor_shape_text(i).text, sli_tensor_shape_text(v).text);
  return NULL;
}

static sli_status_t *change_rows(sli_kernel_context_t *context, sli_accumulate_op_t op) {
  sli_tensor_t *x = sli_kernel_input(context, 0), *output;
  const sli_tensor_t *i = sli_kernel_input(context, 1), *v = sli_kernel_input(context, 2);
  sli_dtype_t dtype = (sli_dtype_t)x->dtype;
  SLI_RETURN_IF_ERROR(check(x, i, v));
  sli_types_t types = op == SLI_ACCUMULATE_ASSIGN ? SLI_TYPES_POD | SLI_TYPE_STRING : SLI_TYPES_NUMBER;
  if (x->count > 0 && v->count > 0 && !sli_types_contain(types, dtype))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported data type: %s", sli_dtype_name(dtype));
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, sli_tensor_shape(x), &output));
  if (output->data != x->data) sli_elements_copy(dtype, output->data, x->data, x->count);
  if (x->count == 0 || v->count == 0) return NULL;
  int64_t rows = x->dims[0], width = x->count / rows;
  for (int64_t k = 0; k < i->count; k++) {
    int64_t row = (SLI_DATA(int32_t, i)[k] % rows + rows) % rows;
    sli_accumulate(op, dtype, sli_tensor_at(output, row * width), sli_tensor_at(v, k * width), 1, width);
  }
  return NULL;
}

static sli_status_t *inplace_update(sli_kernel_context_t *context) {
  return change_rows(context, SLI_ACCUMULATE_ASSIGN);
}
static sli_status_t *inplace_add(sli_kernel_context_t *context) { return change_rows(context, SLI_ACCUMULATE_ADD); }
static sli_status_t *inplace_sub(sli_kernel_context_t *context) { return change_rows(context, SLI_ACCUMULATE_SUB); }

#define ROW(op_name)                                                                          \
  {                                                                                           \
    .name = op_name, .inputs = "x: T, i: int32, v: T", .outputs = "y: T", .attrs = "T: type", \
    .shape = sli_infer_fn_unchanged, .forwards_input = true                                   \
  }
static const sli_op_def_t ops[] = {ROW("InplaceUpdate"), ROW("InplaceAdd"), ROW("InplaceSub")};

static const sli_kernel_def_t kernels[] = {
    {.op = "InplaceUpdate", .compute = inplace_update},
    {.op = "InplaceAdd", .compute = inplace_add},
    {.op = "InplaceSub", .compute = inplace_sub},
};

SLI_OP_MODULE(inplace);
