// While loops that span tasks. A receive inside a loop must run once in every
// iteration, but it has no input that would put it into the loop's frame. So each
// task that receives inside a frame gets a control loop in the same frame: Enter,
// Merge, Switch on the loop's condition (which is received in every iteration, too),
// NextIteration. The receives wait for this Merge. In nested loops the inner control
// loop is entered from the Merge of the outer one.
#include <stdio.h>
#include <stdlib.h>

#include "core/step/device.h"
#include "runtime/place/partition_internal.h"

// --- Frames ------------------------------------------------------------------------------

static sli_status_t *enter_frame(sli_partition_loops_t *loops, const sli_node_t *node, int parent, int *out_frame) {
  sli_view_t name;
  int64_t parallel;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(&node->def, "frame_name", &name));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(&node->def, "parallel_iterations", &parallel));
  for (size_t i = 1; i < loops->frames.count; i++) {
    if (!sli_view_is(name, loops->frames.items[i].name)) continue;
    if (loops->frames.items[i].parent != parent)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Node '%s' enters the frame '%.*s' from another frame than its other "
                             "Enter nodes",
                             node->def.name, SLI_VIEW_ARG(name));
    *out_frame = (int)i;
    return NULL;
  }
  const char *kept = sli_arena_strndup(&node->graph->arena, name.data, name.size);
  sli_array_push(&loops->frames, (sli_partition_loop_frame_t){kept, parent, parallel, NULL});
  *out_frame = (int)loops->frames.count - 1;
  return NULL;
}

// The frame that |node| runs in: the deepest frame of its inputs, since an invariant enters a loop by a control edge.
static int frame_of_inputs(const sli_partition_loops_t *loops, const sli_node_t *node) {
  int frame = 0;
  for (int i = 0; i < node->def.input_count + node->control_input_count; i++) {
    const sli_node_t *input =
        i < node->def.input_count ? node->inputs[i].node : node->control_inputs[i - node->def.input_count];
    if (input && loops->frame_of.items[input->id] > frame) frame = loops->frame_of.items[input->id];
  }
  return frame;
}

static sli_status_t *find_frame(sli_partition_loops_t *loops, sli_node_t *node) {
  int frame = frame_of_inputs(loops, node);
  sli_op_control_flow_t flow = sli_graph_control_flow(node);
  if (flow == SLI_OP_CONTROL_FLOW_ENTER) SLI_RETURN_IF_ERROR(enter_frame(loops, node, frame, &frame));
  if (flow == SLI_OP_CONTROL_FLOW_EXIT) {
    if (frame == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Node '%s' leaves a loop that it is not in", node->def.name);
    frame = loops->frames.items[frame].parent;
  }
  if (flow == SLI_OP_CONTROL_FLOW_LOOP_COND && frame > 0) loops->frames.items[frame].condition = node;
  loops->frame_of.items[node->id] = frame;
  return NULL;
}

static void set_frame(sli_partition_loops_t *loops, const sli_node_t *node, int frame) {
  while (loops->frame_of.count <= (size_t)node->id) sli_array_push(&loops->frame_of, 0);
  loops->frame_of.items[node->id] = frame;
}

sli_status_t *sli_partition_loops_find(const sli_graph_t *graph, sli_partition_loops_t *out_loops) {
  *out_loops = (sli_partition_loops_t){0};
  sli_array_push(&out_loops->frames, (sli_partition_loop_frame_t){"", -1, 0, NULL});
  for (size_t i = 0; i < graph->nodes.count; i++) sli_array_push(&out_loops->frame_of, 0);
  int *order = sli_calloc(graph->nodes.count, sizeof(*order));
  sli_status_t *status = sli_graph_topological_order(graph, order);
  for (size_t i = 0; i < graph->nodes.count && !status; i++)
    status = find_frame(out_loops, graph->nodes.items[order[i]]);
  free(order);
  if (status) sli_partition_loops_deinitialize(out_loops);
  return status;
}

void sli_partition_loops_deinitialize(sli_partition_loops_t *loops) {
  sli_array_deinitialize(&loops->frames);
  sli_array_deinitialize(&loops->frame_of);
  sli_map_deinitialize(&loops->merges);
}

// --- Control loops -------------------------------------------------------------------------

static sli_view_t merge_key(char *buffer, size_t size, int frame, const char *device) {
  sli_view_t task = sli_device_name_task(sli_view(device));
  int length = snprintf(buffer, size, "%d:%.*s", frame, SLI_VIEW_ARG(task));
  return sli_view_of(buffer, (size_t)length < size ? (size_t)length : size - 1);
}

sli_node_t *sli_partition_loops_merge(const sli_partition_loops_t *loops, int frame, const char *device) {
  char buffer[512];
  return frame ? sli_map_get(&loops->merges, merge_key(buffer, sizeof(buffer), frame, device)) : NULL;
}

static sli_status_t *add_control_node(sli_graph_t *graph, sli_partition_loops_t *loops, const sli_graph_node_t *request,
                                      int frame, sli_node_t **out_node) {
  sli_graph_node_t named = *request;
  named.name = sli_graph_unique_name(graph, request->name);
  named.infer = true;
  SLI_RETURN_IF_ERROR(sli_graph_add(graph, &named, out_node));
  (*out_node)->assigned_device = (*out_node)->def.device;
  set_frame(loops, *out_node, frame);
  return NULL;
}

static sli_status_t *add_loop(sli_graph_t *graph, sli_partition_loops_t *loops, int frame, const char *device) {
  const sli_partition_loop_frame_t info = loops->frames.items[frame];
  if (!info.condition)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The loop '%s' spans tasks but has no LoopCond", info.name);
  sli_node_t *outer = sli_partition_loops_merge(loops, info.parent, device);
  sli_node_t *start, *enter, *merge, *branch, *next;
  sli_tensor_t *zero = sli_tensor_scalar_int32(0);
  sli_attr_entry_t constant[] = {SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT32), SLI_ATTR_TENSOR_OF("value", zero)};
  sli_attr_entry_t entering[] = {SLI_ATTR_STRING_OF("frame_name", info.name),
                                 SLI_ATTR_INT_OF("parallel_iterations", info.parallel_iterations)};
  sli_graph_node_t request = {.op = "Const",
                              .name = "_cloop/start",
                              .device = device,
                              .attrs = constant,
                              .attr_count = SLI_ARRAY_COUNT_OF(constant),
                              .control_inputs = &outer,
                              .control_input_count = outer ? 1 : 0};
  sli_status_t *status = add_control_node(graph, loops, &request, info.parent, &start);
  sli_tensor_release(zero);
  SLI_RETURN_IF_ERROR(status);

  request = (sli_graph_node_t){.op = "Enter",
                               .name = "_cloop/enter",
                               .device = device,
                               .attrs = entering,
                               .attr_count = SLI_ARRAY_COUNT_OF(entering),
                               .inputs = &(sli_output_t){start, 0},
                               .input_count = 1};
  SLI_RETURN_IF_ERROR(add_control_node(graph, loops, &request, frame, &enter));
  // The second input becomes the back edge below.
  sli_output_t entries[] = {{enter, 0}, {enter, 0}};
  request =
      (sli_graph_node_t){.op = "Merge", .name = "_cloop/merge", .device = device, .inputs = entries, .input_count = 2};
  SLI_RETURN_IF_ERROR(add_control_node(graph, loops, &request, frame, &merge));
  sli_output_t switched[] = {{merge, 0}, {info.condition, 0}};
  request = (sli_graph_node_t){
      .op = "Switch", .name = "_cloop/switch", .device = device, .inputs = switched, .input_count = 2};
  SLI_RETURN_IF_ERROR(add_control_node(graph, loops, &request, frame, &branch));
  request = (sli_graph_node_t){.op = "NextIteration",
                               .name = "_cloop/next",
                               .device = device,
                               .inputs = &(sli_output_t){branch, 1},
                               .input_count = 1};
  SLI_RETURN_IF_ERROR(add_control_node(graph, loops, &request, frame, &next));
  SLI_RETURN_IF_ERROR(sli_graph_set_input(merge, 1, (sli_output_t){next, 0}));
  char buffer[512];
  sli_map_set(&loops->merges, merge_key(buffer, sizeof(buffer), frame, device), merge);
  return NULL;
}

// Adds the control loops of the frame and of all frames around it, the outermost first.
static sli_status_t *ensure_loops(sli_graph_t *graph, sli_partition_loops_t *loops, int frame, const char *device) {
  if (frame == 0 || sli_partition_loops_merge(loops, frame, device)) return NULL;
  SLI_RETURN_IF_ERROR(ensure_loops(graph, loops, loops->frames.items[frame].parent, device));
  return add_loop(graph, loops, frame, device);
}

static bool same_task(const sli_node_t *a, const sli_node_t *b) {
  return sli_view_equal(sli_device_name_task(sli_view(a->assigned_device)),
                        sli_device_name_task(sli_view(b->assigned_device)));
}

sli_status_t *sli_partition_loops_add(sli_graph_t *graph, sli_partition_loops_t *loops) {
  if (loops->frames.count == 1) return NULL;
  size_t count = graph->nodes.count;
  for (size_t i = 0; i < count; i++) {
    const sli_node_t *node = graph->nodes.items[i];
    for (int k = 0; k < node->def.input_count + node->control_input_count; k++) {
      const sli_node_t *input =
          k < node->def.input_count ? node->inputs[k].node : node->control_inputs[k - node->def.input_count];
      int frame = loops->frame_of.items[input->id];
      if (frame && !same_task(input, node))
        SLI_RETURN_IF_ERROR(ensure_loops(graph, loops, frame, node->assigned_device));
    }
  }
  return NULL;
}
