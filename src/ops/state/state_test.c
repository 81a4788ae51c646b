// What updates do to a variable's bytes: who sees them and who does not.
#include "ops/array/kernel_harness.h"

static sli_variable_t *run_variable(harness_t *h) {
  sli_status_t *status =
      harness_run(h, "VariableV2", NULL, 0,
                  HARNESS_ATTRS(SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(3)), SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT)));
  SLI_EXPECT_OK(status);
  return sli_variable_retain(h->outputs[0].variable);
}

SLI_TEST(test_variable_is_found_again_by_name) {
  harness_t h;
  harness_initialize(&h);
  sli_variable_t *a = run_variable(&h), *b = run_variable(&h);
  SLI_EXPECT(a == b);
  sli_variable_release(a);
  sli_variable_release(b);
  harness_deinitialize(&h);
}

SLI_TEST(test_assign_moves_exclusive_and_copies_shared_value) {
  harness_t h;
  harness_initialize(&h);
  sli_variable_t *variable = run_variable(&h);
  sli_tensor_t *value = harness_range(SLI_SHAPE(3));
  SLI_EXPECT_OK(harness_run(&h, "Assign", HARNESS_INPUTS(REFERENCE(variable), TENSOR(value)), NULL, 0));
  SLI_EXPECT(variable->tensor == value);
  sli_tensor_t *shared = harness_range(SLI_SHAPE(3));
  SLI_EXPECT_OK(
      harness_run(&h, "Assign", HARNESS_INPUTS(REFERENCE(variable), TENSOR(sli_tensor_retain(shared))), NULL, 0));
  SLI_EXPECT(variable->tensor->data != shared->data);
  harness_expect_error(
      harness_run(&h, "Assign", HARNESS_INPUTS(REFERENCE(variable), TENSOR(harness_range(SLI_SHAPE(4)))), NULL, 0),
      SLI_INVALID_ARGUMENT, "Assign requires shapes of both tensors to match. lhs shape= [3] rhs shape= [4]");
  SLI_EXPECT_OK(harness_run(&h, "Assign", HARNESS_INPUTS(REFERENCE(variable), TENSOR(harness_range(SLI_SHAPE(4)))),
                            HARNESS_ATTRS(SLI_ATTR_BOOL_OF("validate_shape", false))));
  SLI_EXPECT(variable->tensor->count == 4);
  sli_tensor_release(shared);
  sli_variable_release(variable);
  harness_deinitialize(&h);
}

SLI_TEST(test_update_of_uninitialized_variable_names_it) {
  harness_t h;
  harness_initialize(&h);
  sli_variable_t *variable = run_variable(&h);
  harness_expect_error(
      harness_run(&h, "AssignAdd", HARNESS_INPUTS(REFERENCE(variable), TENSOR(harness_range(SLI_SHAPE(3)))), NULL, 0),
      SLI_FAILED_PRECONDITION, "Attempting to use uninitialized value n");
  sli_variable_release(variable);
  harness_deinitialize(&h);
}

SLI_TEST(test_assign_add_of_itself_doubles) {
  harness_t h;
  harness_initialize(&h);
  sli_variable_t *variable = run_variable(&h);
  sli_variable_replace(variable, harness_range(SLI_SHAPE(3)));
  SLI_EXPECT_OK(
      harness_run(&h, "AssignAdd", HARNESS_INPUTS(REFERENCE(variable), TENSOR(sli_variable_read(variable))), NULL, 0));
  SLI_EXPECT_NEAR(SLI_DATA(float, variable->tensor)[2], 4, 0);
  sli_variable_release(variable);
  harness_deinitialize(&h);
}

SLI_TEST(test_resource_value_that_was_read_never_changes) {
  harness_t h;
  harness_initialize(&h);
  SLI_EXPECT_OK(
      harness_run(&h, "VarHandleOp", NULL, 0,
                  HARNESS_ATTRS(SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(3)), SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT))));
  sli_tensor_t *handle = sli_tensor_retain(h.outputs[0].tensor);
  sli_attr_entry_t dtype = SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT);
  harness_expect_error(harness_run(&h, "ReadVariableOp", HARNESS_INPUTS(TENSOR(sli_tensor_retain(handle))), &dtype, 1),
                       SLI_FAILED_PRECONDITION, "Could not find variable n");
  SLI_EXPECT_OK(harness_run(&h, "AssignVariableOp",
                            HARNESS_INPUTS(TENSOR(sli_tensor_retain(handle)), TENSOR(harness_range(SLI_SHAPE(3)))),
                            NULL, 0));
  SLI_EXPECT_OK(harness_run(&h, "ReadVariableOp", HARNESS_INPUTS(TENSOR(sli_tensor_retain(handle))), &dtype, 1));
  sli_tensor_t *before = sli_tensor_retain(h.outputs[0].tensor);
  SLI_EXPECT_OK(harness_run(&h, "AssignAddVariableOp",
                            HARNESS_INPUTS(TENSOR(sli_tensor_retain(handle)), TENSOR(harness_range(SLI_SHAPE(3)))),
                            NULL, 0));
  SLI_EXPECT_OK(harness_run(&h, "ReadVariableOp", HARNESS_INPUTS(TENSOR(sli_tensor_retain(handle))), &dtype, 1));
  SLI_EXPECT_NEAR(SLI_DATA(float, before)[2], 2, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, h.outputs[0].tensor)[2], 4, 0);
  sli_tensor_release(before);
  sli_tensor_release(handle);
  harness_deinitialize(&h);
}

SLI_TEST(test_scatter_checks_all_indices_before_writing) {
  harness_t h;
  harness_initialize(&h);
  sli_variable_t *variable = run_variable(&h);
  sli_variable_replace(variable, harness_range(SLI_SHAPE(3)));
  harness_expect_error(
      harness_run(&h, "ScatterAdd",
                  HARNESS_INPUTS(REFERENCE(variable), INTS(1, 5), TENSOR(harness_range(SLI_SHAPE(2)))), NULL, 0),
      SLI_INVALID_ARGUMENT, "indices[1] = 5 is not in [0, 3)");
  SLI_EXPECT_NEAR(SLI_DATA(float, variable->tensor)[1], 1, 0);
  sli_variable_release(variable);
  harness_deinitialize(&h);
}

SLI_TEST_MAIN(test_variable_is_found_again_by_name, test_assign_moves_exclusive_and_copies_shared_value,
              test_update_of_uninitialized_variable_names_it, test_assign_add_of_itself_doubles,
              test_resource_value_that_was_read_never_changes, test_scatter_checks_all_indices_before_writing)
