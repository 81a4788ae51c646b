// Static frames: which loop body each node belongs to. Values enter a loop by Enter
// and leave it by Exit only, so any input of a node determines its frame, and all of
// them must agree.
#include "base/hash.h"
#include "runtime/plan/plan_layout.h"

// Only broken graphs are nested more deeply.
enum { MAX_DEPTH = 1000 };

uint32_t sli_plan_op_flags(const sli_node_t *node) {
  static const uint32_t of_control_flow[] = {
      [SLI_OP_CONTROL_FLOW_SWITCH] = SLI_PLAN_NODE_MAY_OMIT,
      [SLI_OP_CONTROL_FLOW_MERGE] = SLI_PLAN_NODE_MERGE,
      [SLI_OP_CONTROL_FLOW_ENTER] = SLI_PLAN_NODE_ENTER,
      [SLI_OP_CONTROL_FLOW_EXIT] = SLI_PLAN_NODE_EXIT,
      [SLI_OP_CONTROL_FLOW_NEXT_ITERATION] = SLI_PLAN_NODE_NEXT_ITERATION,
      [SLI_OP_CONTROL_FLOW_TRIGGER] = SLI_PLAN_NODE_CONTROL_TRIGGER,
  };
  static const uint32_t of_transfer[] = {
      [SLI_OP_TRANSFER_SEND] = SLI_PLAN_NODE_TRANSFER,
      [SLI_OP_TRANSFER_RECV] = SLI_PLAN_NODE_TRANSFER | SLI_PLAN_NODE_MAY_OMIT,
  };
  const sli_op_def_t *op = node->def.op->def;
  return of_control_flow[op->control_flow] | of_transfer[op->transfer];
}

static sli_status_t *different_frames(const sli_plan_t *plan, const sli_node_t *node, const sli_node_t *first,
                                      uint32_t first_frame, const sli_node_t *second, uint32_t second_frame) {
  sli_view_t a = plan->frames.items[first_frame].name, b = plan->frames.items[second_frame].name;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "{{node %s}} has inputs from different frames. The input {{node %s}} is in frame '%.*s'. The "
                         "input {{node %s}} is in frame '%.*s'.",
                         node->def.name, first->def.name, SLI_VIEW_ARG(a), second->def.name, SLI_VIEW_ARG(b));
}

// The frame that |enter| leads to from |parent|; added if it is new.
static sli_status_t *child_frame(sli_plan_t *plan, const sli_node_t *enter, uint32_t parent, uint32_t *out_frame) {
  sli_view_t name;
  int64_t parallel;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(&enter->def, "frame_name", &name));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(&enter->def, "parallel_iterations", &parallel));
  for (uint32_t i = 1; i < plan->frames.count; i++) {
    const sli_plan_frame_t *frame = &plan->frames.items[i];
    if ((uint32_t)frame->parent != parent || !sli_view_equal(frame->name, name)) continue;
    *out_frame = i;
    return NULL;
  }
  uint32_t depth = plan->frames.items[parent].depth + 1;
  if (depth > MAX_DEPTH)
    return sli_status_make(SLI_INVALID_ARGUMENT, "{{node %s}}: loops are nested more than %d deep", enter->def.name,
                           MAX_DEPTH);
  *out_frame = (uint32_t)plan->frames.count;
  sli_array_push(&plan->frames, (sli_plan_frame_t){
                                    .parent = (int32_t)parent,
                                    .depth = depth,
                                    .name = name,
                                    .name_hash = sli_hash_tensorflow(name.data, name.size, SLI_HASH_TENSORFLOW_SEED),
                                    .parallel_iterations = parallel > 0 ? parallel : 1,
                                });
  return NULL;
}

// The frame of the outputs of |producer|. Fed values and constants are in the root frame.
static uint32_t frame_of_value(const sli_plan_frames_request_t *request, const sli_node_t *producer) {
  return request->runs[producer->id] ? request->output_frame[producer->id] : 0;
}

// The frame that all inputs of |node| agree on. Back edges are checked only with |back|.
static sli_status_t *frame_of_inputs(const sli_plan_t *plan, const sli_plan_frames_request_t *request,
                                     const sli_node_t *node, bool back, uint32_t *out_frame) {
  *out_frame = 0;
  const sli_node_t *first = NULL;
  for (int i = 0; i < node->def.input_count + node->control_input_count; i++) {
    const sli_node_t *producer =
        i < node->def.input_count ? node->inputs[i].node : node->control_inputs[i - node->def.input_count];
    if (!producer) continue;
    bool is_back_edge = i < node->def.input_count && (request->flags[producer->id] & SLI_PLAN_NODE_NEXT_ITERATION);
    if (is_back_edge && !back) continue;
    uint32_t frame = frame_of_value(request, producer);
    if (first && frame != *out_frame) return different_frames(plan, node, first, *out_frame, producer, frame);
    if (!first) first = producer;
    *out_frame = frame;
  }
  return NULL;
}

sli_status_t *sli_plan_find_frames(sli_plan_t *plan, const sli_plan_frames_request_t *request) {
  sli_array_push(&plan->frames, (sli_plan_frame_t){.parent = -1, .name = sli_view("")});
  for (size_t i = 0; i < request->graph->nodes.count; i++) {
    const sli_node_t *node = request->graph->nodes.items[request->order[i]];
    if (!request->runs[node->id]) continue;
    uint32_t frame, output_frame, flags = request->flags[node->id];
    SLI_RETURN_IF_ERROR(frame_of_inputs(plan, request, node, false, &frame));
    output_frame = frame;
    if (flags & SLI_PLAN_NODE_ENTER) {
      SLI_RETURN_IF_ERROR(child_frame(plan, node, frame, &output_frame));
      plan->frames.items[output_frame].enter_count++;
    } else if ((flags & (SLI_PLAN_NODE_EXIT | SLI_PLAN_NODE_NEXT_ITERATION)) && frame == 0) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "{{node %s}} is an %s outside of any loop frame", node->def.name,
                             node->def.op->def->name);
    } else if (flags & SLI_PLAN_NODE_EXIT) {
      output_frame = (uint32_t)plan->frames.items[frame].parent;
    }
    request->frame[node->id] = frame;
    request->output_frame[node->id] = output_frame;
    plan->has_frames |= output_frame != frame;
  }
  for (size_t i = 0; i < request->graph->nodes.count; i++) {
    const sli_node_t *node = request->graph->nodes.items[i];
    uint32_t frame;
    if (!request->runs[i]) continue;
    SLI_RETURN_IF_ERROR(frame_of_inputs(plan, request, node, true, &frame));
    if (frame != request->frame[i])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "{{node %s}} has no input from outside of the loop, only from NextIteration",
                             node->def.name);
  }
  return NULL;
}
