#include "core/op/kernel.h"

#include "base/test.h"

// A context with two inputs and two outputs, as an executor would fill it.
typedef struct {
  sli_dtype_t types[2];
  sli_node_def_t node;
  sli_kernel_value_t inputs[2], outputs[2];
  sli_kernel_context_t context;
} fixture_t;

static void set_up(fixture_t *fixture, sli_dtype_t output, sli_tensor_t *first, sli_tensor_t *second) {
  *fixture = (fixture_t){.types = {output, output}};
  fixture->node = (sli_node_def_t){.name = "n", .output_count = 2, .output_types = fixture->types};
  fixture->inputs[0].tensor = first;
  fixture->inputs[1].tensor = second;
  fixture->context = (sli_kernel_context_t){
      .node = &fixture->node,
      .device = sli_device_create_cpu("/job:a/replica:0/task:0/device:CPU:0", NULL, NULL),
      .inputs = fixture->inputs,
      .input_count = 2,
      .outputs = fixture->outputs,
      .output_count = 2,
  };
}

static void tear_down(fixture_t *fixture) {
  for (int i = 0; i < 2; i++) {
    sli_tensor_release(fixture->inputs[i].tensor);
    sli_variable_release(fixture->inputs[i].variable);
    sli_tensor_release(fixture->outputs[i].tensor);
    sli_variable_release(fixture->outputs[i].variable);
  }
  sli_device_destroy(fixture->context.device);
}

static sli_tensor_t *matrix(sli_dtype_t dtype) {
  sli_tensor_t *tensor = NULL;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), dtype, SLI_SHAPE(2, 3).dims, 2, &tensor));
  return tensor;
}

SLI_TEST(test_forward_takes_an_exclusive_input_once) {
  fixture_t fixture;
  set_up(&fixture, sli_dtype_make_ref(SLI_DTYPE_FLOAT), matrix(SLI_DTYPE_FLOAT), NULL);
  sli_tensor_t *first, *second;
  SLI_EXPECT_OK(sli_kernel_forward_or_allocate(&fixture.context, 0, 0, SLI_SHAPE(2, 3), &first));
  SLI_EXPECT(first == fixture.inputs[0].tensor);
  SLI_EXPECT_OK(sli_kernel_forward_or_allocate(&fixture.context, 0, 1, SLI_SHAPE(2, 3), &second));
  SLI_EXPECT(second != first && second->data != first->data);
  SLI_EXPECT_INT(second->dtype, SLI_DTYPE_FLOAT);
  tear_down(&fixture);
}

SLI_TEST(test_forward_reshapes_and_retypes_by_a_view) {
  fixture_t fixture;
  set_up(&fixture, SLI_DTYPE_INT32, matrix(SLI_DTYPE_FLOAT), NULL);
  sli_tensor_t *out;
  SLI_EXPECT_OK(sli_kernel_forward_or_allocate(&fixture.context, 0, 0, SLI_SHAPE(6), &out));
  SLI_EXPECT(out->data == fixture.inputs[0].tensor->data);
  SLI_EXPECT_INT(out->dtype, SLI_DTYPE_INT32);
  SLI_EXPECT_INT(out->rank, 1);
  tear_down(&fixture);
}

static void expect_not_forwarded(sli_dtype_t output, sli_tensor_t *first, sli_tensor_t *second, sli_shape_t shape) {
  fixture_t fixture;
  set_up(&fixture, output, first, second);
  sli_tensor_t *out;
  SLI_EXPECT_OK(sli_kernel_forward_or_allocate(&fixture.context, 0, 0, shape, &out));
  SLI_EXPECT(out->data != first->data);
  SLI_EXPECT(sli_shape_equal(sli_tensor_shape(out), shape));
  tear_down(&fixture);
}

SLI_TEST(test_forward_leaves_shared_and_unfit_inputs_alone) {
  sli_tensor_t *twice = matrix(SLI_DTYPE_FLOAT);
  expect_not_forwarded(SLI_DTYPE_FLOAT, twice, sli_tensor_retain(twice), SLI_SHAPE(2, 3));
  expect_not_forwarded(SLI_DTYPE_DOUBLE, matrix(SLI_DTYPE_FLOAT), NULL, SLI_SHAPE(2, 3));
  expect_not_forwarded(SLI_DTYPE_FLOAT, matrix(SLI_DTYPE_FLOAT), NULL, SLI_SHAPE(2, 2));
  // Strings and objects never change type.
  expect_not_forwarded(SLI_DTYPE_VARIANT, matrix(SLI_DTYPE_RESOURCE), NULL, SLI_SHAPE(2, 3));
  // A view of a tensor that has another reference.
  sli_tensor_t *root = matrix(SLI_DTYPE_FLOAT);
  expect_not_forwarded(SLI_DTYPE_FLOAT, sli_tensor_view(root, SLI_DTYPE_FLOAT, 0, SLI_SHAPE(6).dims, 1), NULL,
                       SLI_SHAPE(6));
  sli_tensor_release(root);
}

SLI_TEST(test_outputs_replace_what_was_set) {
  fixture_t fixture;
  set_up(&fixture, SLI_DTYPE_FLOAT, matrix(SLI_DTYPE_FLOAT), NULL);
  sli_kernel_set_output(&fixture.context, 0, sli_tensor_scalar_float(1));
  sli_kernel_set_output_reshaped(&fixture.context, 0, 0, SLI_SHAPE(3, 2));
  SLI_EXPECT(fixture.outputs[0].tensor->data == fixture.inputs[0].tensor->data);
  SLI_EXPECT_INT(fixture.outputs[0].tensor->dims[0], 3);
  sli_kernel_set_output_variable(&fixture.context, 0,
                                 sli_variable_create(SLI_DTYPE_FLOAT, sli_view("v"), SLI_SHAPE_UNKNOWN));
  SLI_EXPECT(!fixture.outputs[0].tensor && fixture.outputs[0].variable);
  tear_down(&fixture);
}

SLI_TEST(test_out_of_memory_names_the_device) {
  fixture_t fixture;
  set_up(&fixture, SLI_DTYPE_FLOAT, NULL, NULL);
  sli_tensor_t *out;
  sli_status_t *status = sli_kernel_allocate_output(&fixture.context, 0, SLI_SHAPE(INT64_C(1) << 44), &out);
  SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
  SLI_EXPECT_TEXT(sli_status_message(status),
                  "OOM when allocating tensor with shape[17592186044416] and type float on "
                  "/job:a/replica:0/task:0/device:CPU:0 by allocator cpu");
  sli_status_release(status);
  SLI_EXPECT(!fixture.outputs[0].tensor);
  SLI_EXPECT_OK(sli_kernel_allocate_temporary(&fixture.context, SLI_DTYPE_STRING, SLI_SHAPE(2), &out));
  sli_tensor_release(out);
  tear_down(&fixture);
}

SLI_TEST(test_checks_of_inputs) {
  fixture_t fixture;
  set_up(&fixture, SLI_DTYPE_FLOAT, sli_tensor_vector_int32((int32_t[]){4, -5, 6}, 3), sli_tensor_scalar_int64(9));
  int64_t values[3], value;
  int count;
  SLI_EXPECT_OK(sli_kernel_input_ints(&fixture.context, 0, "dims", values, 3, &count));
  SLI_EXPECT_INT(count, 3);
  SLI_EXPECT_INT(values[1], -5);
  SLI_EXPECT_STATUS(sli_kernel_input_ints(&fixture.context, 0, "dims", values, 2, &count), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_OK(sli_kernel_input_int(&fixture.context, 1, "axis", &value));
  SLI_EXPECT_INT(value, 9);
  sli_status_t *status = sli_kernel_input_int(&fixture.context, 0, "axis", &value);
  SLI_EXPECT_TEXT(sli_status_message(status), "axis must be a scalar, got shape [3]");
  sli_status_release(status);
  SLI_EXPECT_STATUS(sli_kernel_require_vector(&fixture.context, 1, "x"), SLI_INVALID_ARGUMENT);
  tear_down(&fixture);

  set_up(&fixture, SLI_DTYPE_FLOAT, sli_tensor_scalar_float(1), NULL);
  SLI_EXPECT_STATUS(sli_kernel_input_int(&fixture.context, 0, "axis", &value), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_kernel_input_int(&fixture.context, 1, "axis", &value), SLI_INVALID_ARGUMENT);
  tear_down(&fixture);
}

SLI_TEST_MAIN(test_forward_takes_an_exclusive_input_once, test_forward_reshapes_and_retypes_by_a_view,
              test_forward_leaves_shared_and_unfit_inputs_alone, test_outputs_replace_what_was_set,
              test_out_of_memory_names_the_device, test_checks_of_inputs)
