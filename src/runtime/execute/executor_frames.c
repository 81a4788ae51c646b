// Loops: frames, iterations and dead values, as TensorFlow's executor defines them.
//
// A loop is a frame; it begins when the first Enter delivers and ends when all
// Enters have delivered and all its iterations have ended. Iterations run at the
// same time, up to the frame's limit, and end in order. Dead values are not
// carried over by NextIteration; a dead Exit counts only in the last iteration,
// and only once the frame ends. Invariants (constant Enters) are delivered to
// every iteration.
//
// The caller must hold the step's mutex or own the step.
#include <stdlib.h>

#include "base/hash.h"
#include "runtime/execute/executor_internal.h"

static size_t type_index(const sli_executor_step_t *step, const sli_executor_frame_t *frame) {
  return (size_t)(frame->type - step->plan->frames.items);
}

// Iterations.

static sli_executor_iteration_t *begin_iteration(sli_executor_step_t *step, sli_executor_frame_t *frame) {
  size_t type = type_index(step, frame);
  sli_executor_iteration_t *iteration = step->idle_iterations[type];
  if (iteration)
    step->idle_iterations[type] = iteration->next;
  else
    iteration = sli_executor_iteration_create(step, frame);
  sli_executor_iteration_reset(iteration);
  iteration->frame = frame;
  iteration->number = frame->begun++;
  iteration->next = NULL;
  iteration->busy_nodes = iteration->child_count = 0;
  iteration->children = NULL;
  if (frame->last)
    frame->last->next = iteration;
  else
    frame->first = iteration;
  frame->last = iteration;
  frame->iteration_count++;
  return iteration;
}

static void recycle_iteration(sli_executor_step_t *step, size_t type, sli_executor_iteration_t *iteration) {
  sli_executor_iteration_clear(iteration);
  iteration->next = step->idle_iterations[type];
  step->idle_iterations[type] = iteration;
}

// Removes the oldest iteration from its frame. Returns the next one, NULL if it was not begun.
static sli_executor_iteration_t *end_first_iteration(sli_executor_step_t *step, sli_executor_frame_t *frame) {
  sli_executor_iteration_t *iteration = frame->first;
  frame->first = iteration->next;
  if (!frame->first) frame->last = NULL;
  frame->iteration_count--;
  recycle_iteration(step, type_index(step, frame), iteration);
  return frame->first;
}

// Delivers along the edges of |node| in |iteration|. With |is_final| the last edge
// of an output takes its reference; otherwise every edge gets a new one.
static void activate(sli_executor_thread_t *thread, sli_executor_iteration_t *iteration, const sli_plan_node_t *node,
                     sli_kernel_value_t *outputs, bool is_dead, bool is_final) {
  const sli_plan_t *plan = thread->step->plan;
  for (const sli_plan_edge_t *edge = node->edges, *end = edge + node->edge_count; edge < end; edge++) {
    bool is_control = edge->output < 0, is_last = is_final && (edge->flags & SLI_PLAN_EDGE_LAST);
    bool has_value = !is_control && sli_kernel_value_is_set(outputs[edge->output]);
    sli_executor_arrival_t arrival = {.wants_value = has_value};
    if (edge->flags & SLI_PLAN_EDGE_MERGE) {
      const sli_plan_node_t *merge = &plan->nodes[iteration->links[edge->consumer].node];
      arrival = sli_executor_merge_arrive(&iteration->states[edge->consumer], merge->input_count, is_control,
                                          has_value && !is_dead, node->flags & SLI_PLAN_NODE_ENTER);
    } else if (!(edge->flags & SLI_PLAN_EDGE_FETCH)) {
      bool is_live = !is_dead && (is_control || has_value);
      _Atomic sli_plan_node_state_t *state = &iteration->states[edge->consumer];
      sli_plan_node_state_t now =
          atomic_load_explicit(state, memory_order_relaxed) + (is_live ? UINT64_MAX : SLI_PLAN_NODE_STATE_DEAD - 1);
      atomic_store_explicit(state, now, memory_order_relaxed);
      arrival.is_ready = (uint32_t)now == 0;
      arrival.is_dead = now >> 32 && !(edge->flags & SLI_PLAN_EDGE_CONTROL_TRIGGER);
    }
    if (arrival.wants_value) iteration->slots[edge->slot] = sli_kernel_value_take(&outputs[edge->output], is_last);
    if (!arrival.is_ready) continue;
    iteration->busy_nodes++;
    sli_executor_push(thread, iteration, edge->consumer, arrival.is_dead, edge->flags);
  }
}

static void next_iteration(sli_executor_thread_t *thread, sli_executor_frame_t *frame) {
  sli_executor_step_t *step = thread->step;
  sli_executor_iteration_t *iteration = begin_iteration(step, frame);
  frame->dead_exits.count = 0;
  for (size_t i = 0; i < frame->next_roots.count; i++) {
    sli_executor_held_t *held = &frame->next_roots.items[i];
    activate(thread, iteration, &step->plan->nodes[held->node], &held->value, !sli_kernel_value_is_set(held->value),
             true);
    sli_kernel_value_release(held->value);
  }
  frame->next_roots.count = 0;
  for (size_t i = 0; i < frame->invariants.count; i++) {
    sli_executor_held_t *held = &frame->invariants.items[i];
    activate(thread, iteration, &step->plan->nodes[held->node], &held->value, !sli_kernel_value_is_set(held->value),
             false);
  }
}

// Frames.

static sli_executor_frame_t *begin_frame(sli_executor_step_t *step, sli_executor_iteration_t *parent, uint32_t type) {
  sli_executor_frame_t *frame = step->idle_frames[type];
  if (frame)
    step->idle_frames[type] = frame->next;
  else
    frame = sli_calloc(1, sizeof(*frame));
  frame->type = &step->plan->frames.items[type];
  frame->id = sli_hash_combine(parent->frame->id, sli_hash_combine(parent->number, frame->type->name_hash));
  frame->parent = parent;
  frame->pending_enters = frame->type->enter_count;
  frame->begun = 0;
  begin_iteration(step, frame);
  frame->next = parent->children;
  parent->children = frame;
  parent->child_count++;
  return frame;
}

static sli_executor_frame_t *find_or_begin_frame(sli_executor_step_t *step, sli_executor_iteration_t *parent,
                                                 uint32_t type) {
  for (sli_executor_frame_t *frame = parent->children; frame; frame = frame->next)
    if (type_index(step, frame) == type) return frame;
  return begin_frame(step, parent, type);
}

static void recycle_frame(sli_executor_step_t *step, sli_executor_frame_t *frame) {
  for (size_t i = 0; i < frame->invariants.count; i++) sli_kernel_value_release(frame->invariants.items[i].value);
  for (size_t i = 0; i < frame->next_roots.count; i++) sli_kernel_value_release(frame->next_roots.items[i].value);
  frame->invariants.count = frame->next_roots.count = frame->dead_exits.count = 0;
  size_t type = type_index(step, frame);
  frame->next = step->idle_frames[type];
  step->idle_frames[type] = frame;
}

// The loop has ended: delivers its dead exits to the parent.
static void end_frame(sli_executor_thread_t *thread, sli_executor_frame_t *frame) {
  sli_executor_step_t *step = thread->step;
  sli_executor_iteration_t *parent = frame->parent;
  for (size_t i = 0; i < frame->dead_exits.count; i++) {
    sli_kernel_value_t nothing = {0};
    activate(thread, parent, &step->plan->nodes[frame->dead_exits.items[i]], &nothing, true, true);
  }
  sli_executor_frame_t **place = &parent->children;
  while (*place != frame) place = &(*place)->next;
  *place = frame->next;
  parent->child_count--;
  recycle_frame(step, frame);
}

static bool iteration_has_ended(const sli_executor_iteration_t *iteration) {
  const sli_executor_frame_t *frame = iteration->frame;
  return iteration->busy_nodes == 0 && iteration->child_count == 0 && frame->first == iteration &&
         (iteration->number > 0 || frame->pending_enters == 0);
}

// Ends |iteration| and the ones after it that have no work left, then the frame if it has ended, and so on outwards.
static void clean_up(sli_executor_thread_t *thread, sli_executor_iteration_t *iteration) {
  sli_executor_step_t *step = thread->step;
  while (iteration->frame->parent) {
    sli_executor_frame_t *frame = iteration->frame;
    while (iteration && iteration_has_ended(iteration)) {
      iteration = end_first_iteration(step, frame);
      if (!frame->next_roots.count) continue;
      next_iteration(thread, frame);
      if (!iteration) iteration = frame->last;
    }
    if (frame->pending_enters || frame->iteration_count) return;
    iteration = frame->parent;
    end_frame(thread, frame);
  }
}

// What each kind of node does with its outputs.

static void enter(sli_executor_thread_t *thread, sli_executor_iteration_t *iteration, const sli_plan_node_t *node,
                  sli_kernel_value_t *outputs, bool is_dead) {
  sli_executor_step_t *step = thread->step;
  sli_executor_frame_t *frame = find_or_begin_frame(step, iteration, sli_plan_info(step->plan, node)->output_frame);
  if (node->flags & SLI_PLAN_NODE_CONSTANT_ENTER) {
    // No iteration ends before all Enters have delivered, so all of them still exist.
    for (sli_executor_iteration_t *each = frame->first; each; each = each->next)
      activate(thread, each, node, outputs, !sli_kernel_value_is_set(outputs[0]), false);
    uint32_t index = (uint32_t)(node - step->plan->nodes);
    sli_array_push(&frame->invariants, (sli_executor_held_t){index, outputs[0]});
    outputs[0] = (sli_kernel_value_t){0};
  } else {
    activate(thread, frame->first, node, outputs, is_dead, true);
  }
  frame->pending_enters--;
  if (frame->pending_enters == 0 && frame->first->busy_nodes == 0) clean_up(thread, frame->first);
}

static void leave_loop(sli_executor_thread_t *thread, sli_executor_iteration_t *iteration, const sli_plan_node_t *node,
                       sli_kernel_value_t *outputs, bool is_dead) {
  sli_executor_frame_t *frame = iteration->frame;
  if (!is_dead)
    activate(thread, frame->parent, node, outputs, false, true);
  else if (iteration == frame->last)
    sli_array_push(&frame->dead_exits, (uint32_t)(node - thread->step->plan->nodes));
}

static void deliver_to_next_iteration(sli_executor_thread_t *thread, sli_executor_iteration_t *iteration,
                                      const sli_plan_node_t *node, sli_kernel_value_t *outputs, bool is_dead) {
  sli_executor_frame_t *frame = iteration->frame;
  if (is_dead) return;
  if (iteration == frame->last) {
    if (frame->iteration_count >= frame->type->parallel_iterations) {
      uint32_t index = (uint32_t)(node - thread->step->plan->nodes);
      sli_array_push(&frame->next_roots, (sli_executor_held_t){index, outputs[0]});
      outputs[0] = (sli_kernel_value_t){0};
      return;
    }
    next_iteration(thread, frame);
  }
  activate(thread, iteration->next, node, outputs, false, true);
}

void sli_executor_deliver_in_frames(sli_executor_thread_t *thread, sli_executor_iteration_t *iteration,
                                    const sli_plan_node_t *node, sli_kernel_value_t *outputs, bool is_dead) {
  sli_executor_step_t *step = thread->step;
  bool is_locked = step->is_shared;
  if (is_locked) sli_mutex_lock(&step->mutex);
  if (node->flags & SLI_PLAN_NODE_ENTER)
    enter(thread, iteration, node, outputs, is_dead);
  else if (node->flags & SLI_PLAN_NODE_EXIT)
    leave_loop(thread, iteration, node, outputs, is_dead);
  else if (node->flags & SLI_PLAN_NODE_NEXT_ITERATION)
    deliver_to_next_iteration(thread, iteration, node, outputs, is_dead);
  else
    activate(thread, iteration, node, outputs, is_dead, true);
  // Values that no edge took: unused outputs, and a Merge's second value.
  for (int i = 0; i < node->output_count; i++) {
    sli_kernel_value_release(outputs[i]);
    outputs[i] = (sli_kernel_value_t){0};
  }
  if (--iteration->busy_nodes == 0) clean_up(thread, iteration);
  if (is_locked) sli_mutex_unlock(&step->mutex);
}

void sli_executor_drop_frames(sli_executor_step_t *step) {
  sli_executor_frame_t *frames = step->root_iteration->children;
  step->root_iteration->children = NULL;
  while (frames) {
    sli_executor_frame_t *frame = frames;
    frames = frame->next;
    while (frame->first) {
      for (sli_executor_frame_t *child = frame->first->children, *next; child; child = next) {
        next = child->next;
        child->next = frames;
        frames = child;
      }
      end_first_iteration(step, frame);
    }
    recycle_frame(step, frame);
  }
}

void sli_executor_destroy_frames(sli_executor_step_t *step) {
  for (size_t i = 0; i < step->plan->frames.count; i++) {
    for (sli_executor_frame_t *frame = step->idle_frames[i], *next; frame; frame = next) {
      next = frame->next;
      sli_array_deinitialize(&frame->invariants);
      sli_array_deinitialize(&frame->next_roots);
      sli_array_deinitialize(&frame->dead_exits);
      free(frame);
    }
    for (sli_executor_iteration_t *iteration = step->idle_iterations[i], *next; iteration; iteration = next) {
      next = iteration->next;
      sli_executor_iteration_destroy(iteration);
    }
  }
}
