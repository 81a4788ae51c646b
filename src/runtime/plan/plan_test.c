#include "runtime/plan/plan.h"

#include "runtime/execute/testing.h"

SLI_TEST(test_node_on_a_foreign_device_is_refused) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *node = rig_add(&rig, "NoOp", "lost", NO_INPUTS, NO_ATTRS);
  node->assigned_device = "/job:ps/replica:0/task:7/device:CPU:0";
  sli_plan_t *plan;
  sli_status_t *status = rig_plan(&rig, NULL, 0, NULL, 0, &plan);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "{{node lost}}");
  SLI_EXPECT_CONTAINS(sli_status_message(status), "/job:ps/replica:0/task:7");
  SLI_EXPECT_STATUS(status, SLI_INTERNAL);
  SLI_EXPECT(!plan);
  rig_deinitialize(&rig);
}

SLI_TEST(test_kernel_error_names_the_node) {
  rig_t rig;
  rig_initialize(&rig);
  sli_tensor_t *value = sli_tensor_scalar_int32(1);
  // The value's type is not that of the attribute; the kernel reports it.
  rig_add(&rig, "Const", "liar", NO_INPUTS,
          ATTRS(SLI_ATTR_TENSOR_OF("value", value), SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT)));
  sli_tensor_release(value);
  sli_plan_t *plan;
  sli_status_t *status = rig_plan(&rig, NULL, 0, NULL, 0, &plan);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "\n\t [[{{node liar}}]]");
  SLI_EXPECT_STATUS(status, SLI_INVALID_ARGUMENT);
  rig_deinitialize(&rig);
}

SLI_TEST(test_fed_variable_cannot_be_assigned) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *v =
      rig_add(&rig, "VariableV2", "v", NO_INPUTS,
              ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT32), SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE_SCALAR)));
  sli_node_t *one = rig_int(&rig, "one", 1);
  sli_node_t *assign = rig_binary(&rig, "Assign", "assign", OUT(v, 0), OUT(one, 0));
  sli_plan_t *plan;
  sli_status_t *status = rig_plan(&rig, &OUT(v, 0), 1, &OUT(assign, 0), 1, &plan);
  SLI_EXPECT_TEXT(sli_status_message(status),
                  "Input 0 of node assign was passed int32 from v:0 incompatible with expected int32_ref.");
  SLI_EXPECT_STATUS(status, SLI_INVALID_ARGUMENT);
  rig_deinitialize(&rig);
}

static sli_node_t *add_enter(rig_t *rig, const char *name, sli_output_t value) {
  return rig_add(rig, "Enter", name, INPUTS(value), ATTRS(SLI_ATTR_STRING_OF("frame_name", "loop")));
}

SLI_TEST(test_edges_into_a_loop_without_enter_are_refused) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *one = rig_int(&rig, "one", 1), *enter = add_enter(&rig, "enter", OUT(one, 0));
  rig_binary(&rig, "AddV2", "mix", OUT(enter, 0), OUT(one, 0));
  sli_plan_t *plan;
  sli_status_t *status = rig_plan(&rig, NULL, 0, NULL, 0, &plan);
  SLI_EXPECT_TEXT(sli_status_message(status),
                  "{{node mix}} has inputs from different frames. The input {{node enter}} is in frame 'loop'. The "
                  "input {{node one}} is in frame ''.");
  SLI_EXPECT_STATUS(status, SLI_INVALID_ARGUMENT);
  rig_deinitialize(&rig);
}

SLI_TEST(test_exit_outside_of_a_loop_is_refused) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *one = rig_int(&rig, "one", 1);
  rig_unary(&rig, "Exit", "exit", OUT(one, 0));
  sli_plan_t *plan;
  SLI_EXPECT_STATUS(rig_plan(&rig, NULL, 0, NULL, 0, &plan), SLI_INVALID_ARGUMENT);
  rig_deinitialize(&rig);
}

// A back edge must lead to a node of the loop it comes from.
SLI_TEST(test_back_edge_to_another_frame_is_refused) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *one = rig_int(&rig, "one", 1), *enter = add_enter(&rig, "enter", OUT(one, 0));
  sli_node_t *next = rig_unary(&rig, "NextIteration", "next", OUT(enter, 0));
  rig_unary(&rig, "Neg", "stray", OUT(next, 0));
  sli_plan_t *plan;
  SLI_EXPECT_STATUS(rig_plan(&rig, NULL, 0, NULL, 0, &plan), SLI_INVALID_ARGUMENT);
  rig_deinitialize(&rig);
}

SLI_TEST(test_value_inside_a_loop_cannot_be_fetched) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *one = rig_int(&rig, "one", 1), *enter = add_enter(&rig, "enter", OUT(one, 0));
  sli_plan_t *plan;
  SLI_EXPECT_STATUS(rig_plan(&rig, NULL, 0, &OUT(enter, 0), 1, &plan), SLI_INVALID_ARGUMENT);
  rig_deinitialize(&rig);
}

// A frame within another of the same name; and an Enter that nothing follows.
SLI_TEST(test_frames_of_one_name_nest) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *one = rig_int(&rig, "one", 1), *a = add_enter(&rig, "a", OUT(one, 0));
  sli_node_t *b = add_enter(&rig, "b", OUT(a, 0)), *waits = rig_binary(&rig, "AddV2", "waits", OUT(b, 0), OUT(b, 0));
  sli_node_t *out = rig_unary(&rig, "Exit", "out", OUT(waits, 0)), *end = rig_unary(&rig, "Exit", "end", OUT(out, 0));
  rig_add(&rig, "Enter", "alone", INPUTS(OUT(one, 0)), ATTRS(SLI_ATTR_STRING_OF("frame_name", "other")));
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, NULL, 0, &OUT(end, 0), 1, &plan));
  outcome_t outcome;
  rig_run(&(sli_executor_request_t){.plan = plan}, &outcome);
  SLI_EXPECT_INT(outcome_int(&outcome, 0), 2);
  outcome_deinitialize(&outcome);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

SLI_TEST_MAIN(test_node_on_a_foreign_device_is_refused, test_kernel_error_names_the_node,
              test_fed_variable_cannot_be_assigned, test_edges_into_a_loop_without_enter_are_refused,
              test_exit_outside_of_a_loop_is_refused, test_back_edge_to_another_frame_is_refused,
              test_value_inside_a_loop_cannot_be_fetched, test_frames_of_one_name_nest)
