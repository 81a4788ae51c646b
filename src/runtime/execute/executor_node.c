// Runs nodes. A thread takes a ready node, runs its kernel and passes the outputs to
// their consumers, which makes other nodes ready. Cheap nodes run on the thread where
// they became ready. Of several costly ones the thread keeps one and gives the others
// to the pool. A kernel that may block never runs on a thread of the pool or one that
// polls the network: it gets one that may block, which continues with its consumers. An
// asynchronous kernel is parked; the thread that completes it continues with its
// consumers.
//
// A completion inside another node's kernel (a _Send that meets a waiting _Recv) runs
// no nodes: it is deferred until that node has ended, so that the stack does not grow.
#include <string.h>

#include "math/fp_mode.h"
#include "runtime/execute/executor_internal.h"

enum { PHASE_STARTED, PHASE_PARKED, PHASE_COMPLETED };

// State of the calling thread: whether it runs nodes, and completions that are deferred until it can continue them.
static _Thread_local struct {
  bool is_busy, is_of_pool;
  sli_executor_parked_t *first, *last;
} this_thread __attribute__((tls_model("initial-exec")));

static inline sli_kernel_value_t *inputs_of(const sli_executor_iteration_t *iteration, const sli_plan_node_t *node) {
  return iteration->slots + node->first_slot;
}

// Giving work to the pool.

static void resume_task(void *parked);
static void list_task(void *link);

// Must be called before anything leaves this thread.
static void share(sli_executor_step_t *step) {
  if (!step->is_shared) step->is_shared = true;
  atomic_fetch_add_explicit(&step->active, 1, memory_order_relaxed);
}

// Gives a list of nodes to the pool, as one task.
static void submit_list(sli_executor_step_t *step, sli_executor_link_t *list) {
  share(step);
  sli_thread_pool_submit(step->pool, list_task, list);
}

static void submit_spare(sli_executor_thread_t *thread) {
  while (thread->spare) {
    sli_executor_link_t *link = thread->spare;
    thread->spare = link->next;
    link->next = NULL;
    if (thread->step->plan->infos[link->node].kernel->blocks) {
      share(thread->step);
      sli_thread_pool_submit_blocking(thread->step->pool, list_task, link);
    } else {
      submit_list(thread->step, link);
    }
  }
}

// This thread is about to run a costly node: the pool continues the deferred completions.
static void submit_completions(void) {
  sli_executor_parked_t *parked = this_thread.first, *kept = NULL, *last = NULL;
  while (parked) {
    sli_executor_parked_t *next = parked->next;
    parked->next = NULL;
    sli_executor_step_t *step = parked->link->iteration->step;
    if (step->pool) {
      sli_thread_pool_submit(step->pool, resume_task, parked);
    } else {
      if (last) last->next = parked;
      if (!kept) kept = parked;
      last = parked;
    }
    parked = next;
  }
  this_thread.first = kept;
  this_thread.last = last;
}

// For how long a thread that also polls the network may continue with the step. Waking another thread is expensive if
// all processors are busy, and the updates of a parameter server are short.
static int64_t spare_nanos(const sli_executor_thread_t *thread) {
  sli_env_t *env = thread->step->env;
  return env->spare_nanos(env);
}

static bool has_time(const sli_executor_thread_t *thread, float nanos, bool blocks) {
  if (thread->costly || (blocks && sli_thread_pool_is_scarce_thread())) return false;
  return !thread->is_polling || nanos < (float)spare_nanos(thread);
}

void sli_executor_push_expensive(sli_executor_thread_t *thread, sli_executor_link_t *link) {
  const sli_plan_t *plan = thread->step->plan;
  const sli_plan_node_t *node = &plan->nodes[link->node];
  float nanos = sli_plan_node_nanos(plan, node, inputs_of(link->iteration, node), thread->is_polling, &link->order);
  sli_executor_link_t **list = &thread->ready;
  bool blocks = plan->infos[link->node].kernel->blocks;
  if ((blocks || nanos >= SLI_EXECUTOR_COSTLY_NANOS) && thread->step->pool)
    list = has_time(thread, nanos, blocks) ? &thread->costly : &thread->spare;
  else
    thread->budget -= (int64_t)nanos;
  link->next = *list;
  *list = link;
}

// Passing on outputs in plans without loops.

static void arrive_at_merge(sli_executor_thread_t *thread, sli_executor_iteration_t *iteration,
                            const sli_plan_edge_t *edge, sli_kernel_value_t *outputs, bool is_dead) {
  sli_executor_step_t *step = thread->step;
  const sli_plan_node_t *merge = &step->plan->nodes[iteration->links[edge->consumer].node];
  bool is_control = edge->output < 0,
       is_live = !is_control && !is_dead && sli_kernel_value_is_set(outputs[edge->output]);
  sli_kernel_value_t value = {0};
  if (!is_control) value = sli_kernel_value_take(&outputs[edge->output], edge->flags & SLI_PLAN_EDGE_LAST);
  bool is_locked = step->is_shared;
  if (is_locked) sli_mutex_lock(&step->mutex);
  sli_executor_arrival_t arrival =
      sli_executor_merge_arrive(&iteration->states[edge->consumer], merge->input_count, is_control, is_live, false);
  if (arrival.wants_value) {
    iteration->slots[edge->slot] = value;
    value = (sli_kernel_value_t){0};
  }
  if (is_locked) sli_mutex_unlock(&step->mutex);
  sli_kernel_value_release(value);
  if (arrival.is_ready) sli_executor_push(thread, iteration, edge->consumer, arrival.is_dead, edge->flags);
}

static inline __attribute__((always_inline)) void deliver_flat(sli_executor_thread_t *thread,
                                                               sli_executor_iteration_t *iteration,
                                                               const sli_plan_node_t *node, sli_kernel_value_t *outputs,
                                                               bool is_dead) {
  bool is_shared = thread->step->is_shared;
  for (const sli_plan_edge_t *edge = node->edges, *end = edge + node->edge_count; edge < end; edge++) {
    uint32_t flags = edge->flags;
    if (__builtin_expect(flags & SLI_PLAN_EDGE_MERGE, 0)) {
      arrive_at_merge(thread, iteration, edge, outputs, is_dead);
      continue;
    }
    bool is_live = !is_dead;
    if (edge->output >= 0) {
      sli_kernel_value_t *output = &outputs[edge->output];
      if (sli_kernel_value_is_set(*output))
        iteration->slots[edge->slot] = sli_kernel_value_take(output, flags & SLI_PLAN_EDGE_LAST);
      else
        is_live = false;
      if (flags & SLI_PLAN_EDGE_FETCH) continue;
    }
    sli_plan_node_state_t change = is_live ? UINT64_MAX : SLI_PLAN_NODE_STATE_DEAD - 1, now;
    _Atomic sli_plan_node_state_t *state = &iteration->states[edge->consumer];
    if (is_shared) {
      now = atomic_fetch_add_explicit(state, change, memory_order_acq_rel) + change;
    } else {
      now = atomic_load_explicit(state, memory_order_relaxed) + change;
      atomic_store_explicit(state, now, memory_order_relaxed);
    }
    if ((uint32_t)now == 0)
      sli_executor_push(thread, iteration, edge->consumer, now >> 32 && !(flags & SLI_PLAN_EDGE_CONTROL_TRIGGER),
                        flags);
  }
  if (node->flags & SLI_PLAN_NODE_HAS_UNUSED) {
    for (int i = 0; i < node->output_count; i++) {
      sli_kernel_value_release(outputs[i]);
      outputs[i] = (sli_kernel_value_t){0};
    }
  }
}

static inline __attribute__((always_inline)) void deliver(sli_executor_thread_t *thread,
                                                          sli_executor_iteration_t *iteration,
                                                          const sli_plan_node_t *node, sli_kernel_value_t *outputs,
                                                          bool is_dead) {
  if (__builtin_expect(thread->step->plan->has_frames, 0))
    sli_executor_deliver_in_frames(thread, iteration, node, outputs, is_dead);
  else
    deliver_flat(thread, iteration, node, outputs, is_dead);
}

// Inputs and outputs of one node.

// A slot with a constant has no reference of its own: the plan has it, or for a kept
// feed the step. If a kernel moved the constant to an output (Identity does), that
// output gets a reference here.
static inline void restore_constants(const sli_executor_step_t *step, const sli_plan_node_t *node,
                                     sli_kernel_value_t *inputs) {
  sli_tensor_t *const *constants = step->constants + node->first_slot;
  for (int i = 0, count = node->input_count; i < count; i++) {
    sli_tensor_t *constant = constants[i];
    if (!constant) {
      sli_kernel_value_release(inputs[i]);
      inputs[i] = (sli_kernel_value_t){0};
    } else if (inputs[i].tensor != constant) {
      sli_tensor_retain(constant);
      inputs[i].tensor = constant;
    }
  }
}

static inline __attribute__((always_inline)) void release_inputs(const sli_executor_step_t *step,
                                                                 const sli_plan_node_t *node,
                                                                 sli_kernel_value_t *inputs) {
  if (node->flags & SLI_PLAN_NODE_HAS_CONSTANTS) {
    restore_constants(step, node, inputs);
    return;
  }
  for (int i = 0, count = node->input_count; i < count; i++) {
    sli_kernel_value_release(inputs[i]);
    inputs[i] = (sli_kernel_value_t){0};
  }
}

static void retain_constants(const sli_executor_step_t *step, const sli_plan_node_t *node) {
  for (int i = 0; i < node->input_count; i++) sli_tensor_retain(step->constants[node->first_slot + (uint32_t)i]);
}

// An asynchronous kernel has its own reference of each constant.
static void release_constants(const sli_executor_step_t *step, const sli_plan_node_t *node,
                              sli_kernel_value_t *inputs) {
  for (int i = 0; i < node->input_count; i++) {
    sli_tensor_t *constant = step->constants[node->first_slot + (uint32_t)i];
    if (!constant) continue;
    sli_tensor_release(inputs[i].tensor);
    inputs[i].tensor = constant;
  }
}

// Replaces references to variables by their values where the op takes values.
static sli_status_t *read_references(const sli_plan_node_t *node, sli_kernel_value_t *inputs) {
  for (int i = 0; i < node->input_count; i++) {
    sli_variable_t *variable = inputs[i].variable;
    if (!variable) continue;
    bool wants_reference = sli_dtype_is_ref(node->def->input_types[i]);
    if (wants_reference && (node->flags & SLI_PLAN_NODE_TAKES_UNINITIALIZED)) continue;
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(sli_variable_read_initialized(variable, &tensor));
    if (wants_reference) {
      sli_tensor_release(tensor);
    } else {
      inputs[i] = (sli_kernel_value_t){.tensor = tensor};
      sli_variable_release(variable);
    }
  }
  return NULL;
}

static sli_status_t *bad_output(const sli_plan_node_t *node, int index, const sli_kernel_value_t *output) {
  sli_dtype_t declared = node->def->output_types[index];
  if (!sli_kernel_value_is_set(*output))
    return sli_status_make(SLI_INTERNAL, "Missing %d-th output from {{node %s}}", index, node->def->name);
  sli_dtype_t given = output->tensor ? (sli_dtype_t)output->tensor->dtype : sli_dtype_make_ref(output->variable->dtype);
  return sli_status_make(SLI_INTERNAL,
                         "Output %d of type %s does not match declared output type %s for node {{node %s}}", index,
                         sli_dtype_name(given), sli_dtype_name(declared), node->def->name);
}

static inline sli_status_t *check_outputs(const sli_plan_node_t *node, const sli_kernel_value_t *outputs) {
  const sli_dtype_t *types = node->def->output_types;
  for (int i = 0, count = node->output_count; i < count; i++) {
    const sli_kernel_value_t *output = &outputs[i];
    sli_dtype_t declared = types[i];
    if (__builtin_expect(output->tensor && output->tensor->dtype == declared, 1)) continue;
    if (output->variable && sli_dtype_make_ref(output->variable->dtype) == declared) continue;
    if (!sli_kernel_value_is_set(*output) && (node->flags & SLI_PLAN_NODE_MAY_OMIT)) continue;
    return bad_output(node, i, output);
  }
  return NULL;
}

// Appends the node's name to an error, unless the error names a node already.
static sli_status_t *name_node(sli_status_t *status, const sli_plan_node_t *node) {
  if (strstr(sli_status_message(status), "[[{{node ")) return status;
  return sli_status_append(status, "\n\t [[{{node %s}}]]", node->def->name);
}

static __attribute__((noinline)) void fail_node(sli_executor_thread_t *thread, const sli_plan_node_t *node,
                                                sli_kernel_value_t *outputs, sli_status_t *status) {
  for (int i = 0; i < node->output_count; i++) {
    sli_kernel_value_release(outputs[i]);
    outputs[i] = (sli_kernel_value_t){0};
  }
  sli_executor_fail(thread->step, name_node(status, node));
}

// Ends a node whose kernel ran: releases its inputs and passes its outputs on.
static inline __attribute__((always_inline)) void finish_node(sli_executor_thread_t *thread, sli_executor_link_t *link,
                                                              const sli_plan_node_t *node, sli_kernel_value_t *outputs,
                                                              sli_status_t *status) {
  release_inputs(thread->step, node, inputs_of(link->iteration, node));
  if (__builtin_expect(!status, 1)) status = check_outputs(node, outputs);
  if (__builtin_expect(!status, 1))
    deliver(thread, link->iteration, node, outputs, link->is_dead);
  else
    fail_node(thread, node, outputs, status);
}

static inline sli_kernel_value_t *outputs_of(sli_executor_thread_t *thread, const sli_executor_iteration_t *iteration,
                                             const sli_plan_node_t *node) {
  return node->flags & SLI_PLAN_NODE_STORES_OUTPUTS ? iteration->outputs + node->first_output : thread->outputs;
}

static inline void prepare_context(sli_kernel_context_t *context, const sli_executor_iteration_t *iteration,
                                   const sli_plan_node_t *node, sli_kernel_value_t *outputs) {
  context->node = node->def;
  context->state = node->state;
  context->device = node->device;
  if (__builtin_expect(node->device->vtable != NULL, 0))
    context->host_outputs = sli_plan_info(iteration->step->plan, node)->host_outputs;
  context->inputs = inputs_of(iteration, node);
  context->input_count = node->input_count;
  context->outputs = outputs;
  context->output_count = node->output_count;
}

// Asynchronous kernels.

static void finish_parked(sli_executor_thread_t *thread, sli_executor_parked_t *parked) {
  sli_executor_step_t *step = thread->step;
  sli_executor_link_t *link = parked->link;
  const sli_plan_node_t *node = &step->plan->nodes[link->node];
  if (node->flags & SLI_PLAN_NODE_HAS_CONSTANTS) release_constants(step, node, parked->context.inputs);
  if (step->stats)
    sli_step_stats_add(step->stats, sli_plan_source(node), &parked->context, link->scheduled, parked->began,
                       sli_executor_wall_nanos(step));
  sli_status_t *status = parked->status;
  parked->status = NULL;
  finish_node(thread, link, node, parked->context.outputs, status);
  if (thread->spare) submit_spare(thread);
}

static void run_completions(void);
static void work(sli_executor_thread_t *thread);

static void initialize_thread(sli_executor_thread_t *thread, sli_executor_step_t *step) {
  memset(thread, 0, sizeof(*thread));
  thread->step = step;
  thread->is_polling = step->hand_over && step->pool && !this_thread.is_of_pool;
  thread->budget = SLI_EXECUTOR_DUTY_NANOS;
  thread->context.step = &step->base;
}

static void resume(sli_executor_parked_t *parked) {
  sli_executor_step_t *step = parked->link->iteration->step;
  // If no other thread or kernel is active, this thread owns the step again.
  if (step->is_shared && atomic_load_explicit(&step->active, memory_order_acquire) == 1) step->is_shared = false;
  sli_executor_thread_t thread;
  initialize_thread(&thread, step);
  bool was_busy = this_thread.is_busy;
  this_thread.is_busy = true;
  finish_parked(&thread, parked);
  work(&thread);
  sli_executor_leave(step);
  this_thread.is_busy = was_busy;
}

// Called by the kernel when it has completed. If the call that started it has not
// returned yet, that thread continues with the node, otherwise this one.
static void complete(sli_kernel_context_t *context, sli_status_t *status) {
  sli_executor_parked_t *parked = (sli_executor_parked_t *)context;
  parked->status = status;
  if (atomic_exchange_explicit(&parked->phase, PHASE_COMPLETED, memory_order_acq_rel) == PHASE_STARTED) return;
  parked->next = NULL;
  if (this_thread.is_busy) {
    if (this_thread.last)
      this_thread.last->next = parked;
    else
      this_thread.first = parked;
    this_thread.last = parked;
    return;
  }
  resume(parked);
  run_completions();
}

static void start_async(sli_executor_thread_t *thread, sli_executor_link_t *link, const sli_plan_node_t *node,
                        bool is_dead_input) {
  sli_executor_step_t *step = thread->step;
  sli_executor_iteration_t *iteration = link->iteration;
  const sli_plan_info_t *info = &step->plan->infos[link->node];
  sli_executor_parked_t *parked = &iteration->parked[info->parked];
  prepare_context(&parked->context, iteration, node, iteration->outputs + node->first_output);
  parked->context.frame_id = iteration->frame->id;
  parked->context.iteration = iteration->number;
  parked->context.step = &step->base;
  parked->context.is_dead_input = is_dead_input;
  parked->context.complete = complete;
  parked->link = link;
  parked->began = step->stats ? sli_executor_wall_nanos(step) : 0;
  parked->context.allocated_for_outputs = parked->context.allocated_temporarily = 0;
  atomic_store_explicit(&parked->phase, PHASE_STARTED, memory_order_relaxed);
  if (node->flags & SLI_PLAN_NODE_HAS_CONSTANTS) retain_constants(step, node);
  info->kernel->compute_async(&parked->context);
  bool was_shared = step->is_shared;
  share(step);
  if (atomic_exchange_explicit(&parked->phase, PHASE_PARKED, memory_order_acq_rel) != PHASE_COMPLETED) return;
  atomic_fetch_sub_explicit(&step->active, 1, memory_order_relaxed);
  if (!was_shared) step->is_shared = false;
  finish_parked(thread, parked);
}

// Running nodes.

// Runs a node that needs more than a call: references, dead inputs, measuring, asynchronous kernels, tracing.
static __attribute__((noinline)) void run_special(sli_executor_thread_t *thread, sli_executor_link_t *link,
                                                  const sli_plan_node_t *node) {
  sli_executor_step_t *step = thread->step;
  sli_kernel_value_t *inputs = inputs_of(link->iteration, node), *outputs = outputs_of(thread, link->iteration, node);
  bool is_dead_input = false;
  for (int i = 0; (node->flags & SLI_PLAN_NODE_TRANSFER) && i < node->input_count; i++)
    is_dead_input |= !sli_kernel_value_is_set(inputs[i]);
  sli_status_t *status = NULL;
  if (node->flags & SLI_PLAN_NODE_REFERENCES) status = read_references(node, inputs);
  if (!status && (node->flags & SLI_PLAN_NODE_ASYNC)) {
    start_async(thread, link, node, is_dead_input);
    return;
  }
  if (!status) {
    sli_kernel_context_t *context = &thread->context;
    prepare_context(context, link->iteration, node, outputs);
    context->frame_id = link->iteration->frame->id;
    context->iteration = link->iteration->number;
    context->is_dead_input = is_dead_input;
    context->allocated_for_outputs = context->allocated_temporarily = 0;
    int64_t wall = step->stats ? sli_executor_wall_nanos(step) : 0, began = 0;
    if (link->order) began = step->env->now(step->env);
    status = node->compute(context);
    context->is_dead_input = false;
    if (link->order) sli_plan_node_learn(step->plan, node, link->order, step->env->now(step->env) - began);
    if (step->stats)
      sli_step_stats_add(step->stats, sli_plan_source(node), context, link->scheduled, wall,
                         sli_executor_wall_nanos(step));
  }
  finish_node(thread, link, node, outputs, status);
}

// A dead node does not run, and its consumers become dead.
static __attribute__((noinline)) void skip_node(sli_executor_thread_t *thread, sli_executor_link_t *link,
                                                const sli_plan_node_t *node) {
  release_inputs(thread->step, node, inputs_of(link->iteration, node));
  deliver(thread, link->iteration, node, outputs_of(thread, link->iteration, node), true);
}

static inline void run_node(sli_executor_thread_t *thread, sli_executor_link_t *link) {
  sli_executor_step_t *step = thread->step;
  sli_executor_iteration_t *iteration = link->iteration;
  const sli_plan_node_t *node = &step->plan->nodes[link->node];
  sli_kernel_value_t *outputs = outputs_of(thread, iteration, node);
  if (__builtin_expect(link->is_dead && !(node->flags & SLI_PLAN_NODE_TRANSFER), 0)) {
    skip_node(thread, link, node);
    return;
  }
  enum { SPECIAL = SLI_PLAN_NODE_REFERENCES | SLI_PLAN_NODE_TRANSFER | SLI_PLAN_NODE_ASYNC };
  if (__builtin_expect((node->flags & SPECIAL) || link->order || step->stats, 0)) {
    run_special(thread, link, node);
    return;
  }
  prepare_context(&thread->context, iteration, node, outputs);
  if (__builtin_expect(step->plan->has_frames, 0)) {
    thread->context.frame_id = iteration->frame->id;
    thread->context.iteration = iteration->number;
  }
  finish_node(thread, link, node, outputs, node->compute(&thread->context));
}

// Whether the deadline has passed. An endless loop would keep its thread busy, so this thread reads the clock itself.
static __attribute__((noinline)) bool is_late(sli_executor_thread_t *thread) {
  enum { DEADLINE_CHECK_INTERVAL = 64 };  // in nodes
  sli_executor_step_t *step = thread->step;
  if (++thread->nodes_run % DEADLINE_CHECK_INTERVAL || step->env->now(step->env) < step->base.deadline) return false;
  sli_executor_fail(step, sli_status_make(SLI_DEADLINE_EXCEEDED, "Timed out waiting for notification"));
  return true;
}

// The budget of a thread that also polls is used up: gives the rest to the pool if there are network events.
static void renew_budget(sli_executor_thread_t *thread) {
  thread->budget = SLI_EXECUTOR_DUTY_NANOS;
  if (spare_nanos(thread) > 0) return;
  submit_list(thread->step, thread->ready);
  thread->ready = NULL;
}

// Runs ready nodes until there are none.
static void run_ready(sli_executor_thread_t *thread) {
  sli_executor_step_t *step = thread->step;
  const bool has_deadline = step->base.deadline != SLI_CLOCK_NO_DEADLINE;
  for (;;) {
    sli_executor_link_t *link = thread->ready;
    if (link) {
      thread->ready = link->next;
    } else {
      link = thread->costly;
      if (!link) return;
      thread->costly = NULL;
      if (this_thread.first) submit_completions();
      step->env->flush(step->env);
    }
    if (__builtin_expect(atomic_load_explicit(&step->is_stopped, memory_order_relaxed), 0)) return;
    if (__builtin_expect(has_deadline, 0) && is_late(thread)) return;
    run_node(thread, link);
    if (__builtin_expect(thread->spare != NULL, 0)) submit_spare(thread);
    if (__builtin_expect(thread->is_polling, 0) && (thread->budget -= SLI_EXECUTOR_NODE_NANOS) < 0 && thread->ready)
      renew_budget(thread);
  }
}

// The thread may be the user's, so its floating-point mode is restored.
static void work(sli_executor_thread_t *thread) {
  sli_fp_mode_t mode = sli_fp_mode_flush_denormals();
  run_ready(thread);
  sli_fp_mode_restore(mode);
}

// Continues with the kernels that completed while this thread was busy.
static void run_completions(void) {
  while (this_thread.first) {
    sli_executor_parked_t *parked = this_thread.first;
    this_thread.first = parked->next;
    if (!this_thread.first) this_thread.last = NULL;
    resume(parked);
  }
}

static void run_list(sli_executor_step_t *step, sli_executor_link_t *list) {
  sli_executor_thread_t thread;
  initialize_thread(&thread, step);
  thread.ready = list;
  bool was_busy = this_thread.is_busy;
  this_thread.is_busy = true;
  work(&thread);
  sli_executor_leave(step);
  this_thread.is_busy = was_busy;
  run_completions();
}

static void push_root(sli_executor_thread_t *thread, uint32_t index) {
  sli_executor_step_t *step = thread->step;
  step->root_iteration->busy_nodes++;
  sli_executor_push(thread, step->root_iteration, step->plan->infos[index].local, false,
                    step->plan->nodes[index].flags & SLI_PLAN_NODE_EXPENSIVE ? SLI_PLAN_EDGE_EXPENSIVE : 0);
}

// Runs the roots that do nothing. No other thread uses the step yet.
static void run_quiet_roots(sli_executor_thread_t *thread) {
  const sli_plan_t *plan = thread->step->plan;
  if (thread->step->stats) {
    for (size_t i = 0; i < plan->quiet_roots.count; i++) push_root(thread, plan->quiet_roots.items[i]);
    return;
  }
  sli_executor_iteration_t *iteration = thread->step->root_iteration;
  const sli_plan_arrival_t *arrival = plan->quiet_arrivals.items, *end = arrival + plan->quiet_arrivals.count;
  for (; arrival < end; arrival++) {
    _Atomic sli_plan_node_state_t *state = &iteration->states[arrival->consumer];
    sli_plan_node_state_t now = atomic_load_explicit(state, memory_order_relaxed) - 1;
    atomic_store_explicit(state, now, memory_order_relaxed);
    if (now == 0) sli_executor_push(thread, iteration, arrival->consumer, false, arrival->flags);
  }
}

void sli_executor_start(sli_executor_step_t *step) {
  sli_executor_thread_t thread;
  initialize_thread(&thread, step);
  const sli_plan_t *plan = step->plan;
  bool was_busy = this_thread.is_busy;
  this_thread.is_busy = true;
  run_quiet_roots(&thread);
  for (size_t i = 0; i < plan->roots.count; i++) push_root(&thread, plan->roots.items[i]);
  submit_spare(&thread);
  work(&thread);
  sli_executor_leave(step);
  this_thread.is_busy = was_busy;
  run_completions();
}

// Tasks of the pool. Each counts in |active|. What a task sends is sent together, at its end or before a costly node;
// the step may have ended by then.

static void list_task(void *link) {
  sli_executor_step_t *step = ((sli_executor_link_t *)link)->iteration->step;
  sli_env_t *env = step->env;
  this_thread.is_of_pool = true;
  env->cork(env);
  run_list(step, link);
  env->uncork(env);
}

static void resume_task(void *parked) {
  sli_env_t *env = ((sli_executor_parked_t *)parked)->link->iteration->step->env;
  this_thread.is_of_pool = true;
  env->cork(env);
  resume(parked);
  run_completions();
  env->uncork(env);
}
