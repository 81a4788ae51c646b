// An update by a product gives the same bits as the product followed by the update.
#include "base/alloc.h"
#include "base/array.h"
#include "core/state/resource.h"
#include "ops/common/testing.h"

enum { ROWS = 37, COLUMNS = 50, DEPTH = 9, MOST_SLOTS = 3 };

typedef struct {
  const char *rule;
  int slots;
  int before, after;  // scalars before and after the gradient
} case_t;

static const case_t cases[] = {
    {"GradientDescent", 1, 1, 0}, {"Momentum", 2, 1, 1}, {"Adagrad", 2, 1, 0}, {"RMSProp", 3, 4, 0}, {"Adam", 3, 6, 0},
};

static sli_tensor_t *matrix(sli_dtype_t dtype, int64_t rows, int64_t columns, int seed) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), dtype, (int64_t[]){rows, columns}, 2, &tensor));
  for (int64_t i = 0; i < tensor->count; i++) {
    double value = (double)((i + seed) * 7919 % 1009) / 1009 + 0.01 * seed;
    if (dtype == SLI_DTYPE_FLOAT) SLI_DATA(float, tensor)[i] = (float)value;
    if (dtype == SLI_DTYPE_DOUBLE) SLI_DATA(double, tensor)[i] = value;
  }
  return tensor;
}

static sli_tensor_t *scalar(sli_dtype_t dtype, double value) {
  return dtype == SLI_DTYPE_FLOAT ? sli_tensor_scalar_float((float)value) : sli_tensor_scalar(dtype, &value);
}

// The variables of one run, by reference or by handle.
typedef struct {
  sli_variable_t *variables[MOST_SLOTS];
  sli_tensor_t *handles[MOST_SLOTS];
} slots_t;

static void begin(slots_t *slots, int count, sli_dtype_t dtype) {
  for (int i = 0; i < count; i++) {
    slots->variables[i] = sli_variable_create(dtype, sli_view("slot"), SLI_SHAPE_UNKNOWN);
    sli_variable_replace(slots->variables[i], matrix(dtype, ROWS, COLUMNS, i + 1));
    sli_resource_handle_t *handle =
        sli_resource_handle_create("", sli_view(""), sli_view("slot"), &sli_variable_type, slots->variables[i]);
    SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_RESOURCE, NULL, 0, &slots->handles[i]));
    SLI_DATA(sli_object_t *, slots->handles[i])[0] = &handle->base;
  }
}

static void end(slots_t *slots, int count) {
  for (int i = 0; i < count; i++) {
    sli_variable_release(slots->variables[i]);
    sli_tensor_release(slots->handles[i]);
  }
}

// One update by |gradient|, which is one tensor or two and is consumed.
static sli_status_t *update(sli_testing_device_t *h, const case_t *c, slots_t *slots, bool is_resource,
                            sli_tensor_t *gradient, sli_tensor_t *right, bool transpose_a) {
  sli_dtype_t dtype = (sli_dtype_t)gradient->dtype;
  sli_kernel_value_t inputs[SLI_TESTING_MAX];
  int count = 0;
  for (int i = 0; i < c->slots; i++)
    inputs[count++] = is_resource ? TENSOR(sli_tensor_retain(slots->handles[i])) : REFERENCE(slots->variables[i]);
  for (int i = 0; i < c->before; i++) inputs[count++] = TENSOR(scalar(dtype, 0.5 + 0.1 * i));
  inputs[count++] = TENSOR(gradient);
  if (right) inputs[count++] = TENSOR(right);
  for (int i = 0; i < c->after; i++) inputs[count++] = TENSOR(scalar(dtype, 0.9));
  char *op = sli_format("%s%sApply%s", right ? "_Product" : "", is_resource ? "Resource" : "", c->rule);
  sli_attr_entry_t transpose = SLI_ATTR_BOOL_OF("transpose_a", transpose_a);
  sli_status_t *status = sli_testing_device_run(h, op, inputs, count, &transpose, right ? 1 : 0);
  free(op);
  return status;
}

static sli_tensor_t *left(sli_dtype_t dtype, bool transpose) {
  return transpose ? matrix(dtype, DEPTH, ROWS, 4) : matrix(dtype, ROWS, DEPTH, 5);
}

static void check(const case_t *c, sli_dtype_t dtype, bool is_resource, bool transpose) {
  sli_testing_device_t h;
  slots_t apart, fused;
  sli_testing_device_initialize(&h);
  begin(&apart, c->slots, dtype);
  begin(&fused, c->slots, dtype);
  for (int step = 0; step < 2; step++) {
    SLI_EXPECT_OK(sli_testing_device_run(
        &h, "MatMul", SLI_TESTING_INPUTS(TENSOR(left(dtype, transpose)), TENSOR(matrix(dtype, DEPTH, COLUMNS, 6))),
        SLI_TESTING_ATTRS(SLI_ATTR_BOOL_OF("transpose_a", transpose))));
    SLI_EXPECT_OK(update(&h, c, &apart, is_resource, sli_tensor_retain(h.outputs[0].tensor), NULL, false));
    SLI_EXPECT_OK(
        update(&h, c, &fused, is_resource, left(dtype, transpose), matrix(dtype, DEPTH, COLUMNS, 6), transpose));
    SLI_EXPECT(is_resource ? h.output_count == 0 : h.outputs[0].variable == fused.variables[0]);
  }
  for (int i = 0; i < c->slots; i++) {
    const sli_tensor_t *a = apart.variables[i]->tensor, *b = fused.variables[i]->tensor;
    if (memcmp(a->data, b->data, sli_tensor_bytes(a)) != 0)
      sli_test_fail(__FILE__, __LINE__, "%s: slot %d of type %s differs", c->rule, i, sli_dtype_name(dtype));
  }
  end(&apart, c->slots);
  end(&fused, c->slots);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_product_and_update_equal_the_two_apart) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++)
    for (int bits = 0; bits < 8; bits++)
      check(&cases[i], bits & 1 ? SLI_DTYPE_DOUBLE : SLI_DTYPE_FLOAT, bits & 2, bits & 4);
}

SLI_TEST(test_product_that_does_not_fit_changes_nothing) {
  sli_testing_device_t h;
  slots_t slots;
  sli_testing_device_initialize(&h);
  begin(&slots, 1, SLI_DTYPE_FLOAT);
  const sli_dtype_t dtype = SLI_DTYPE_FLOAT;
  sli_testing_expect_error(
      update(&h, &cases[0], &slots, false, left(dtype, true), matrix(dtype, DEPTH, COLUMNS, 6), false),
      SLI_INVALID_ARGUMENT, "Matrix size-incompatible: In[0]: [9,37], In[1]: [9,50]");
  sli_testing_expect_error(update(&h, &cases[0], &slots, false, left(dtype, true), matrix(dtype, DEPTH, 3, 6), true),
                           SLI_INVALID_ARGUMENT, "var and delta do not have the same shape[37,50] [37,3]");
  sli_tensor_t *start = matrix(dtype, ROWS, COLUMNS, 1);
  SLI_EXPECT(memcmp(slots.variables[0]->tensor->data, start->data, sli_tensor_bytes(start)) == 0);
  sli_tensor_release(start);
  end(&slots, 1);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST_MAIN(test_product_and_update_equal_the_two_apart, test_product_that_does_not_fit_changes_nothing)
