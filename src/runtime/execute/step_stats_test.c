#include "runtime/execute/step_stats.h"

#include "proto/stats.pb-c.h"
#include "runtime/execute/testing.h"

static Tensorflow__StepStats *decode(sli_step_stats_t *stats) {
  sli_string_t bytes = {0};
  sli_step_stats_encode(stats, &bytes);
  Tensorflow__StepStats *message =
      tensorflow__step_stats__unpack(NULL, bytes.size, (const uint8_t *)sli_string_text(&bytes));
  sli_string_deinitialize(&bytes);
  return message;
}

SLI_TEST(test_rows_are_told_by_device_with_labels) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *a = rig_placeholder(&rig, "a", SLI_DTYPE_INT32), *yes = rig_placeholder(&rig, "yes", SLI_DTYPE_BOOL);
  sli_node_t *branch = rig_binary(&rig, "Switch", "branch", OUT(a, 0), OUT(yes, 0));
  sli_node_t *y = rig_binary(&rig, "AddV2", "y", OUT(a, 0), OUT(branch, 1));
  sli_graph_add_control_edge(yes, y);
  sli_step_stats_t *stats = sli_step_stats_create();
  sli_kernel_value_t outputs[] = {{.tensor = sli_tensor_vector_int64((const int64_t[]){1, 2, 3}, 3)}};
  sli_kernel_context_t context = {
      .outputs = outputs, .output_count = 1, .allocated_for_outputs = 24, .allocated_temporarily = 8};
  sli_step_stats_add(stats, y, &context, 1000000, 1005000, 1030600);
  sli_tensor_release(outputs[0].tensor);
  sli_step_stats_add_transfer(stats, "/job:worker/replica:0/task:0/device:CPU:0", "[4B] edge from a to b", 7, 9, 4);
  Tensorflow__StepStats *message = decode(stats);
  SLI_REQUIRE(message && message->n_dev_stats == 2);
  SLI_EXPECT_TEXT(message->dev_stats[0]->device, RIG_DEVICE);
  Tensorflow__NodeExecStats *row = message->dev_stats[0]->node_stats[0];
  SLI_EXPECT_TEXT(row->node_name, "y");
  SLI_EXPECT_TEXT(row->timeline_label, "y = AddV2(a, branch:1, ^yes)");
  SLI_EXPECT_INT(row->scheduled_micros, 1000);
  SLI_EXPECT_INT(row->all_start_micros, 1005);
  SLI_EXPECT_INT(row->op_end_rel_micros, 25);
  SLI_EXPECT_INT(row->all_end_rel_micros, 25);
  SLI_EXPECT_INT(row->all_start_nanos, 1005000);
  SLI_EXPECT_INT(row->all_end_rel_nanos, 25600);
  SLI_REQUIRE(row->n_memory == 1 && row->n_output == 1 && row->memory_stats);
  SLI_EXPECT_TEXT(row->memory[0]->allocator_name, "cpu");
  SLI_EXPECT_INT(row->memory[0]->total_bytes, 32);
  SLI_EXPECT_INT(row->memory[0]->peak_bytes, 32);
  SLI_EXPECT_INT(row->memory[0]->live_bytes, 24);
  SLI_EXPECT_INT(row->memory_stats->temp_memory_size, 8);
  const Tensorflow__TensorDescription *tensor = row->output[0]->tensor_description;
  SLI_EXPECT_INT(tensor->dtype, TENSORFLOW__DATA_TYPE__DT_INT64);
  SLI_EXPECT(tensor->shape->n_dim == 1 && tensor->shape->dim[0]->size == 3);
  SLI_EXPECT_INT(tensor->allocation_description->requested_bytes, 24);
  SLI_EXPECT_INT(tensor->allocation_description->allocated_bytes, 24);
  SLI_EXPECT_TEXT(tensor->allocation_description->allocator_name, "cpu");
  SLI_EXPECT(tensor->allocation_description->has_single_reference);
  Tensorflow__NodeExecStats *transfer = message->dev_stats[1]->node_stats[0];
  SLI_EXPECT_TEXT(transfer->node_name, "RecvTensor");
  SLI_EXPECT_INT(transfer->memory[0]->total_bytes, 4);
  tensorflow__step_stats__free_unpacked(message, NULL);
  sli_step_stats_destroy(stats);
  rig_deinitialize(&rig);
}

SLI_TEST(test_traced_step_has_a_row_for_each_node_that_ran) {
  rig_t rig;
  rig_initialize(&rig);
  sli_node_t *x = rig_placeholder(&rig, "x", SLI_DTYPE_INT32);
  sli_node_t *y = rig_unary(&rig, "Neg", "y", OUT(x, 0)), *z = rig_unary(&rig, "Neg", "z", OUT(y, 0));
  sli_plan_t *plan;
  SLI_REQUIRE_OK(rig_plan(&rig, &OUT(x, 0), 1, &OUT(z, 0), 1, &plan));
  sli_step_stats_t *stats = sli_step_stats_create();
  sli_tensor_t *value = sli_tensor_scalar_int32(1);
  int64_t before = sli_clock_wall_micros();
  outcome_t outcome;
  rig_run(&(sli_executor_request_t){.plan = plan, .feeds = &value, .stats = stats}, &outcome);
  outcome_deinitialize(&outcome);
  Tensorflow__StepStats *message = decode(stats);
  SLI_REQUIRE(message && message->n_dev_stats == 1 && message->dev_stats[0]->n_node_stats == 2);
  static const char *const labels[] = {"y = Neg(x)", "z = Neg(y)"};
  for (int i = 0; i < 2; i++) {
    Tensorflow__NodeExecStats *row = message->dev_stats[0]->node_stats[i];
    SLI_EXPECT_TEXT(row->timeline_label, labels[i]);
    SLI_EXPECT(row->scheduled_micros >= before && row->all_start_micros >= row->scheduled_micros);
    SLI_EXPECT(row->all_start_micros + row->all_end_rel_micros <= sli_clock_wall_micros());
    // The feed belongs to the caller, so y is new; z takes its memory.
    SLI_EXPECT_INT(row->n_memory, i == 0 ? 1 : 0);
    SLI_REQUIRE(row->n_output == 1);
    SLI_EXPECT_INT(row->output[0]->tensor_description->allocation_description->requested_bytes, 4);
  }
  tensorflow__step_stats__free_unpacked(message, NULL);
  sli_tensor_release(value);
  sli_step_stats_destroy(stats);
  sli_plan_release(plan);
  rig_deinitialize(&rig);
}

SLI_TEST_MAIN(test_rows_are_told_by_device_with_labels, test_traced_step_has_a_row_for_each_node_that_ran)
