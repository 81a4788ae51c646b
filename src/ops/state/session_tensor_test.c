// Tensors that a session keeps: found by their handle until they are deleted.
#include "ops/common/testing.h"

static sli_status_t *run(sli_testing_device_t *d, const char *op, sli_tensor_t *input, sli_dtype_t dtype) {
  sli_kernel_value_t inputs[] = {{.tensor = input}};
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", dtype)};
  return sli_testing_device_run(d, op, inputs, 1, attrs, strcmp(op, "GetSessionTensor") == 0 ? 1 : 0);
}

SLI_TEST(test_a_tensor_stays_until_it_is_deleted) {
  sli_testing_device_t d;
  sli_testing_device_initialize(&d);
  SLI_REQUIRE_OK(run(&d, "GetSessionHandle", sli_tensor_scalar_float(7), SLI_DTYPE_INVALID));
  sli_tensor_t *handle = sli_tensor_retain(d.outputs[0].tensor);
  sli_view_t name = sli_tensor_string_at(handle, 0);
  // Python takes the first and the last part.
  SLI_EXPECT(sli_view_starts_with(name, "n;") &&
             sli_view_ends_with(name, ";/job:localhost/replica:0/task:0/device:CPU:0"));
  SLI_REQUIRE_OK(run(&d, "GetSessionTensor", sli_tensor_retain(handle), SLI_DTYPE_FLOAT));
  SLI_EXPECT(SLI_DATA(float, d.outputs[0].tensor)[0] == 7);
  sli_testing_expect_error(run(&d, "GetSessionTensor", sli_tensor_retain(handle), SLI_DTYPE_INT32),
                           SLI_INVALID_ARGUMENT, "has type float, not int32");
  SLI_EXPECT_OK(run(&d, "DeleteSessionTensor", sli_tensor_retain(handle), SLI_DTYPE_INVALID));
  sli_testing_expect_error(run(&d, "GetSessionTensor", sli_tensor_retain(handle), SLI_DTYPE_FLOAT),
                           SLI_INVALID_ARGUMENT, "is not in the session store");
  sli_testing_expect_error(run(&d, "DeleteSessionTensor", handle, SLI_DTYPE_INVALID), SLI_INVALID_ARGUMENT,
                           "is not in the session store");
  sli_testing_device_deinitialize(&d);
}

SLI_TEST(test_handles_differ) {
  sli_testing_device_t d;
  sli_testing_device_initialize(&d);
  SLI_REQUIRE_OK(run(&d, "GetSessionHandle", sli_tensor_scalar_float(1), SLI_DTYPE_INVALID));
  sli_tensor_t *first = sli_tensor_retain(d.outputs[0].tensor);
  SLI_REQUIRE_OK(run(&d, "GetSessionHandle", sli_tensor_scalar_float(2), SLI_DTYPE_INVALID));
  SLI_EXPECT(!sli_view_equal(sli_tensor_string_at(first, 0), sli_tensor_string_at(d.outputs[0].tensor, 0)));
  SLI_REQUIRE_OK(run(&d, "GetSessionTensor", first, SLI_DTYPE_FLOAT));
  SLI_EXPECT(SLI_DATA(float, d.outputs[0].tensor)[0] == 1);
  SLI_REQUIRE_OK(run(&d, "GetSessionHandleV2", sli_tensor_scalar_float(2), SLI_DTYPE_INVALID));
  SLI_EXPECT_INT(d.outputs[0].tensor->dtype, SLI_DTYPE_RESOURCE);
  sli_testing_device_deinitialize(&d);
}

SLI_TEST_MAIN(test_a_tensor_stays_until_it_is_deleted, test_handles_differ)
