// The loop that runs nodes. A worker takes a ready node, runs its kernel, hands
// the outputs on and so makes other nodes ready. Cheap nodes run where they
// became ready. Of several costly ones the worker keeps one and hands the others
// to the pool. An asynchronous kernel parks; whoever completes it goes on from there.
//
// A completion never runs nodes inside another node's kernel (a _Send that meets a
// waiting _Recv): it is put off until that node is done, so the stack stays flat.
#include <string.h>

#include "math/fp_mode.h"
#include "runtime/executor_internal.h"

enum { PHASE_STARTED, PHASE_PARKED, PHASE_COMPLETED };

// What a thread knows of itself: whether it is running nodes, and completions put off until it can go on with them.
static _Thread_local struct {
  bool is_busy, is_of_pool;
  sli_run_parked_t *first, *last;
} thread __attribute__((tls_model("initial-exec")));

static inline sli_value_t *inputs_of(const sli_run_iteration_t *iteration, const sli_plan_node_t *node) {
  return iteration->slots + node->first_slot;
}

// Handing out.

static void go_on_task(void *parked);
static void list_task(void *link);

// Before anything leaves this thread.
static void share(sli_run_t *run) {
  if (!run->is_shared) run->is_shared = true;
  atomic_fetch_add_explicit(&run->active, 1, memory_order_relaxed);
}

// A list of nodes to the pool, as one piece of work.
static void hand_out(sli_run_t *run, sli_run_link_t *list) {
  share(run);
  sli_thread_pool_submit(run->pool, list_task, list);
}

static void hand_out_spare(sli_run_worker_t *worker) {
  while (worker->spare) {
    sli_run_link_t *link = worker->spare;
    worker->spare = link->next;
    link->next = NULL;
    hand_out(worker->run, link);
  }
}

// This thread will be busy for a while: others go on with what was put off here.
static void hand_out_completions(void) {
  sli_run_parked_t *parked = thread.first, *kept = NULL, *last = NULL;
  while (parked) {
    sli_run_parked_t *next = parked->next;
    parked->next = NULL;
    sli_run_t *run = parked->link->iteration->run;
    if (run->pool) {
      sli_thread_pool_submit(run->pool, go_on_task, parked);
    } else {
      if (last) last->next = parked;
      if (!kept) kept = parked;
      last = parked;
    }
    parked = next;
  }
  thread.first = kept;
  thread.last = last;
}

// For how long a thread with other duties may go on with the step. To wake another one for it costs both a lot where
// all processors are busy, and the updates of a parameter server are short.
static int64_t spare_nanos(const sli_run_worker_t *worker) {
  sli_env_t *env = worker->run->env;
  return env ? env->spare_nanos(env) : 0;
}

static bool has_time(const sli_run_worker_t *worker, float nanos) {
  if (worker->costly) return false;
  return !worker->is_on_duty || nanos < (float)spare_nanos(worker);
}

void sli_run_push_expensive(sli_run_worker_t *worker, sli_run_link_t *link) {
  const sli_plan_node_t *node = &worker->run->plan->nodes[link->node];
  sli_plan_info_t *info = &worker->run->plan->infos[link->node];
  float nanos = sli_plan_node_nanos(node, info, inputs_of(link->iteration, node), worker->is_on_duty, &link->order);
  sli_run_link_t **list = &worker->ready;
  if (nanos >= SLI_RUN_COSTLY_NANOS && worker->run->pool)
    list = has_time(worker, nanos) ? &worker->costly : &worker->spare;
  else
    worker->budget -= (int64_t)nanos;
  link->next = *list;
  *list = link;
}

// Handing on outputs where there are no loops.

static void arrive_at_merge(sli_run_worker_t *worker, sli_run_iteration_t *iteration, const sli_plan_edge_t *edge,
                            sli_value_t *outputs, bool is_dead) {
  sli_run_t *run = worker->run;
  const sli_plan_node_t *merge = &run->plan->nodes[iteration->links[edge->consumer].node];
  bool is_control = edge->output < 0, is_live = !is_control && !is_dead && sli_value_is_set(outputs[edge->output]);
  sli_value_t value = {0};
  if (!is_control) value = sli_value_take(&outputs[edge->output], edge->flags & SLI_EDGE_LAST);
  bool is_locked = run->is_shared;
  if (is_locked) sli_mutex_lock(&run->mutex);
  sli_arrival_t arrival =
      sli_merge_arrive(&iteration->states[edge->consumer], merge->input_count, is_control, is_live, false);
  if (arrival.wants_value) {
    iteration->slots[edge->slot] = value;
    value = (sli_value_t){0};
  }
  if (is_locked) sli_mutex_unlock(&run->mutex);
  sli_value_release(value);
  if (arrival.is_ready) sli_run_push(worker, iteration, edge->consumer, arrival.is_dead, edge->flags);
}

static inline __attribute__((always_inline)) void deliver(sli_run_worker_t *worker, sli_run_iteration_t *iteration,
                                                          const sli_plan_node_t *node, sli_value_t *outputs,
                                                          bool is_dead) {
  bool is_shared = worker->run->is_shared;
  for (const sli_plan_edge_t *edge = node->edges, *end = edge + node->edge_count; edge < end; edge++) {
    uint32_t flags = edge->flags;
    if (__builtin_expect(flags & SLI_EDGE_MERGE, 0)) {
      arrive_at_merge(worker, iteration, edge, outputs, is_dead);
      continue;
    }
    bool is_live = !is_dead;
    if (edge->output >= 0) {
      sli_value_t *output = &outputs[edge->output];
      if (sli_value_is_set(*output))
        iteration->slots[edge->slot] = sli_value_take(output, flags & SLI_EDGE_LAST);
      else
        is_live = false;
      if (flags & SLI_EDGE_FETCH) continue;
    }
    sli_node_state_t change = is_live ? UINT64_MAX : SLI_NODE_STATE_DEAD - 1, now;
    _Atomic sli_node_state_t *state = &iteration->states[edge->consumer];
    if (is_shared) {
      now = atomic_fetch_add_explicit(state, change, memory_order_acq_rel) + change;
    } else {
      now = atomic_load_explicit(state, memory_order_relaxed) + change;
      atomic_store_explicit(state, now, memory_order_relaxed);
    }
    if ((uint32_t)now == 0)
      sli_run_push(worker, iteration, edge->consumer, now >> 32 && !(flags & SLI_EDGE_CONTROL_TRIGGER), flags);
  }
  if (node->flags & SLI_NODE_HAS_UNUSED) {
    for (int i = 0; i < node->output_count; i++) {
      sli_value_release(outputs[i]);
      outputs[i] = (sli_value_t){0};
    }
  }
}

static inline __attribute__((always_inline)) void deliver_anywhere(sli_run_worker_t *worker,
                                                                   sli_run_iteration_t *iteration,
                                                                   const sli_plan_node_t *node, sli_value_t *outputs,
                                                                   bool is_dead) {
  if (__builtin_expect(worker->run->plan->has_frames, 0))
    sli_run_deliver_in_frames(worker, iteration, node, outputs, is_dead);
  else
    deliver(worker, iteration, node, outputs, is_dead);
}

// Inputs and outputs of one node.

// A slot with a constant holds the plan's (a kept feed: the step's) own reference.
// A kernel that moved it on (Identity does) is given one for it now.
static inline void restore_constants(const sli_run_t *run, const sli_plan_node_t *node, sli_value_t *inputs) {
  sli_tensor_t *const *constants = run->constants + node->first_slot;
  for (int i = 0, count = node->input_count; i < count; i++) {
    sli_tensor_t *constant = constants[i];
    if (!constant) {
      sli_value_release(inputs[i]);
      inputs[i] = (sli_value_t){0};
    } else if (inputs[i].tensor != constant) {
      sli_tensor_retain(constant);
      inputs[i].tensor = constant;
    }
  }
}

static inline __attribute__((always_inline)) void release_inputs(const sli_run_t *run, const sli_plan_node_t *node,
                                                                 sli_value_t *inputs) {
  if (node->flags & SLI_NODE_HAS_CONSTANTS) {
    restore_constants(run, node, inputs);
    return;
  }
  for (int i = 0, count = node->input_count; i < count; i++) {
    sli_value_release(inputs[i]);
    inputs[i] = (sli_value_t){0};
  }
}

static void retain_constants(const sli_run_t *run, const sli_plan_node_t *node) {
  for (int i = 0; i < node->input_count; i++) sli_tensor_retain(run->constants[node->first_slot + (uint32_t)i]);
}

// An asynchronous kernel had a reference of its own to each constant.
static void release_constants(const sli_run_t *run, const sli_plan_node_t *node, sli_value_t *inputs) {
  for (int i = 0; i < node->input_count; i++) {
    sli_tensor_t *constant = run->constants[node->first_slot + (uint32_t)i];
    if (!constant) continue;
    sli_tensor_release(inputs[i].tensor);
    inputs[i].tensor = constant;
  }
}

// Turns references to variables into their values where the op wants values.
static sli_status_t *read_references(const sli_plan_node_t *node, sli_value_t *inputs) {
  for (int i = 0; i < node->input_count; i++) {
    sli_variable_t *variable = inputs[i].variable;
    if (!variable) continue;
    bool wants_reference = sli_dtype_is_ref(node->def->input_types[i]);
    if (wants_reference && (node->flags & SLI_NODE_TAKES_UNINITIALIZED)) continue;
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(sli_variable_read_initialized(variable, &tensor));
    if (wants_reference) {
      sli_tensor_release(tensor);
    } else {
      inputs[i] = (sli_value_t){.tensor = tensor};
      sli_variable_release(variable);
    }
  }
  return NULL;
}

static sli_status_t *bad_output(const sli_plan_node_t *node, int index, const sli_value_t *output) {
  sli_dtype_t declared = node->def->output_types[index];
  if (!sli_value_is_set(*output))
    return sli_status_make(SLI_INTERNAL, "Missing %d-th output from {{node %s}}", index, node->def->name);
  sli_dtype_t given = output->tensor ? (sli_dtype_t)output->tensor->dtype : sli_dtype_make_ref(output->variable->dtype);
  return sli_status_make(SLI_INTERNAL,
                         "Output %d of type %s does not match declared output type %s for node {{node %s}}", index,
                         sli_dtype_name(given), sli_dtype_name(declared), node->def->name);
}

static inline sli_status_t *check_outputs(const sli_plan_node_t *node, const sli_value_t *outputs) {
  const sli_dtype_t *types = node->def->output_types;
  for (int i = 0, count = node->output_count; i < count; i++) {
    const sli_value_t *output = &outputs[i];
    sli_dtype_t declared = types[i];
    if (__builtin_expect(output->tensor && output->tensor->dtype == declared, 1)) continue;
    if (output->variable && sli_dtype_make_ref(output->variable->dtype) == declared) continue;
    if (!sli_value_is_set(*output) && (node->flags & SLI_NODE_MAY_OMIT)) continue;
    return bad_output(node, i, output);
  }
  return NULL;
}

// An error says once at which node it arose; one that came from elsewhere says so already.
static sli_status_t *name_node(sli_status_t *status, const sli_plan_node_t *node) {
  if (strstr(sli_status_message(status), "[[{{node ")) return status;
  return sli_status_append(status, "\n\t [[{{node %s}}]]", node->def->name);
}

static __attribute__((noinline)) void fail_node(sli_run_worker_t *worker, const sli_plan_node_t *node,
                                                sli_value_t *outputs, sli_status_t *status) {
  for (int i = 0; i < node->output_count; i++) {
    sli_value_release(outputs[i]);
    outputs[i] = (sli_value_t){0};
  }
  sli_run_fail(worker->run, name_node(status, node));
}

// The end of every node whose kernel ran: releases inputs, hands outputs on.
static inline __attribute__((always_inline)) void finish_node(sli_run_worker_t *worker, sli_run_link_t *link,
                                                              const sli_plan_node_t *node, sli_value_t *outputs,
                                                              sli_status_t *status) {
  release_inputs(worker->run, node, inputs_of(link->iteration, node));
  if (__builtin_expect(!status, 1)) status = check_outputs(node, outputs);
  if (__builtin_expect(!status, 1))
    deliver_anywhere(worker, link->iteration, node, outputs, link->is_dead);
  else
    fail_node(worker, node, outputs, status);
}

static inline sli_value_t *outputs_of(sli_run_worker_t *worker, const sli_run_iteration_t *iteration,
                                      const sli_plan_node_t *node) {
  return node->flags & SLI_NODE_STORES_OUTPUTS ? iteration->outputs + node->first_output : worker->outputs;
}

static inline void set_up(sli_kernel_context_t *context, const sli_run_iteration_t *iteration,
                          const sli_plan_node_t *node, sli_value_t *outputs) {
  context->node = node->def;
  context->state = node->state;
  context->device = node->device;
  context->inputs = inputs_of(iteration, node);
  context->input_count = node->input_count;
  context->outputs = outputs;
  context->output_count = node->output_count;
}

// Asynchronous kernels.

static void finish_parked(sli_run_worker_t *worker, sli_run_parked_t *parked) {
  sli_run_t *run = worker->run;
  sli_run_link_t *link = parked->link;
  const sli_plan_node_t *node = &run->plan->nodes[link->node];
  const sli_plan_info_t *info = &run->plan->infos[link->node];
  if (node->flags & SLI_NODE_HAS_CONSTANTS) release_constants(run, node, parked->context.inputs);
  if (run->stats)
    sli_step_stats_add(run->stats, info->source, &parked->context, link->scheduled, parked->began, sli_wall_nanos());
  sli_status_t *status = parked->status;
  parked->status = NULL;
  finish_node(worker, link, node, parked->context.outputs, status);
  if (worker->spare) hand_out_spare(worker);
}

static void run_completions(void);
static void work(sli_run_worker_t *worker);

static void initialize_worker(sli_run_worker_t *worker, sli_run_t *run) {
  memset(worker, 0, sizeof(*worker));
  worker->run = run;
  worker->is_on_duty = run->hand_over && run->pool && !thread.is_of_pool;
  worker->budget = SLI_RUN_DUTY_NANOS;
  worker->context.step = &run->step;
}

static void go_on(sli_run_parked_t *parked) {
  sli_run_t *run = parked->link->iteration->run;
  // The last one here owns the step again.
  if (run->is_shared && atomic_load_explicit(&run->active, memory_order_acquire) == 1) run->is_shared = false;
  sli_run_worker_t worker;
  initialize_worker(&worker, run);
  bool was_busy = thread.is_busy;
  thread.is_busy = true;
  finish_parked(&worker, parked);
  work(&worker);
  sli_run_leave(run);
  thread.is_busy = was_busy;
}

// The kernel's completion. Either it comes before its start returned, and the
// starter goes on with the node, or this thread does.
static void complete(sli_kernel_context_t *context, sli_status_t *status) {
  sli_run_parked_t *parked = (sli_run_parked_t *)context;
  parked->status = status;
  if (atomic_exchange_explicit(&parked->phase, PHASE_COMPLETED, memory_order_acq_rel) == PHASE_STARTED) return;
  parked->next = NULL;
  if (thread.is_busy) {
    if (thread.last)
      thread.last->next = parked;
    else
      thread.first = parked;
    thread.last = parked;
    return;
  }
  go_on(parked);
  run_completions();
}

static void start_async(sli_run_worker_t *worker, sli_run_link_t *link, const sli_plan_node_t *node,
                        bool is_dead_input) {
  sli_run_t *run = worker->run;
  sli_run_iteration_t *iteration = link->iteration;
  const sli_plan_info_t *info = &run->plan->infos[link->node];
  sli_run_parked_t *parked = &iteration->parked[info->parked];
  set_up(&parked->context, iteration, node, iteration->outputs + node->first_output);
  parked->context.frame_id = iteration->frame->id;
  parked->context.iteration = iteration->number;
  parked->context.step = &run->step;
  parked->context.is_dead_input = is_dead_input;
  parked->context.complete = complete;
  parked->link = link;
  parked->began = run->stats ? sli_wall_nanos() : 0;
  parked->context.allocated_for_outputs = parked->context.allocated_temporarily = 0;
  atomic_store_explicit(&parked->phase, PHASE_STARTED, memory_order_relaxed);
  if (node->flags & SLI_NODE_HAS_CONSTANTS) retain_constants(run, node);
  info->kernel->compute_async(&parked->context);
  bool was_shared = run->is_shared;
  share(run);
  if (atomic_exchange_explicit(&parked->phase, PHASE_PARKED, memory_order_acq_rel) != PHASE_COMPLETED) return;
  atomic_fetch_sub_explicit(&run->active, 1, memory_order_relaxed);
  if (!was_shared) run->is_shared = false;
  finish_parked(worker, parked);
}

// Running nodes.

// Nodes that need more than a call: references, deadness, measuring, parking.
static __attribute__((noinline)) void run_special(sli_run_worker_t *worker, sli_run_link_t *link,
                                                  const sli_plan_node_t *node) {
  sli_run_t *run = worker->run;
  sli_plan_info_t *info = &run->plan->infos[link->node];
  sli_value_t *inputs = inputs_of(link->iteration, node), *outputs = outputs_of(worker, link->iteration, node);
  bool is_dead_input = false;
  for (int i = 0; (node->flags & SLI_NODE_TRANSFER) && i < node->input_count; i++)
    is_dead_input |= !sli_value_is_set(inputs[i]);
  sli_status_t *status = NULL;
  if (node->flags & SLI_NODE_REFERENCES) status = read_references(node, inputs);
  if (!status && (node->flags & SLI_NODE_ASYNC)) {
    start_async(worker, link, node, is_dead_input);
    return;
  }
  if (!status) {
    sli_kernel_context_t *context = &worker->context;
    set_up(context, link->iteration, node, outputs);
    context->frame_id = link->iteration->frame->id;
    context->iteration = link->iteration->number;
    context->is_dead_input = is_dead_input;
    context->allocated_for_outputs = context->allocated_temporarily = 0;
    int64_t wall = run->stats ? sli_wall_nanos() : 0, began = 0;
    if (link->order) began = sli_now_nanos();
    status = node->compute(context);
    context->is_dead_input = false;
    if (link->order) sli_plan_node_learn(info, link->order, sli_now_nanos() - began);
    if (run->stats) sli_step_stats_add(run->stats, info->source, context, link->scheduled, wall, sli_wall_nanos());
  }
  finish_node(worker, link, node, outputs, status);
}

// A dead node does not run; its consumers are dead, too.
static __attribute__((noinline)) void skip_node(sli_run_worker_t *worker, sli_run_link_t *link,
                                                const sli_plan_node_t *node) {
  release_inputs(worker->run, node, inputs_of(link->iteration, node));
  deliver_anywhere(worker, link->iteration, node, outputs_of(worker, link->iteration, node), true);
}

static inline void run_node(sli_run_worker_t *worker, sli_run_link_t *link) {
  sli_run_t *run = worker->run;
  sli_run_iteration_t *iteration = link->iteration;
  const sli_plan_node_t *node = &run->plan->nodes[link->node];
  sli_value_t *outputs = outputs_of(worker, iteration, node);
  if (__builtin_expect(link->is_dead && !(node->flags & SLI_NODE_TRANSFER), 0)) {
    skip_node(worker, link, node);
    return;
  }
  enum { SPECIAL = SLI_NODE_REFERENCES | SLI_NODE_TRANSFER | SLI_NODE_ASYNC };
  if (__builtin_expect((node->flags & SPECIAL) || link->order || run->stats, 0)) {
    run_special(worker, link, node);
    return;
  }
  set_up(&worker->context, iteration, node, outputs);
  if (__builtin_expect(run->plan->has_frames, 0)) {
    worker->context.frame_id = iteration->frame->id;
    worker->context.iteration = iteration->number;
  }
  finish_node(worker, link, node, outputs, node->compute(&worker->context));
}

// A step that keeps its thread busy (a loop that never ends) has nobody else to look at the clock.
static __attribute__((noinline)) bool is_late(sli_run_worker_t *worker) {
  enum { TURNS = 64 };
  if (++worker->turns % TURNS || sli_now_nanos() < worker->run->step.deadline) return false;
  sli_run_fail(worker->run, sli_status_make(SLI_DEADLINE_EXCEEDED, "Timed out waiting for notification"));
  return true;
}

// The budget of a thread with other duties is used up.
static void renew_budget(sli_run_worker_t *worker) {
  worker->budget = SLI_RUN_DUTY_NANOS;
  if (spare_nanos(worker) > 0) return;
  hand_out(worker->run, worker->ready);
  worker->ready = NULL;
}

// Runs what is ready until nothing is.
static void run_ready(sli_run_worker_t *worker) {
  sli_run_t *run = worker->run;
  const bool has_deadline = run->step.deadline != SLI_NO_DEADLINE;
  for (;;) {
    sli_run_link_t *link = worker->ready;
    if (link) {
      worker->ready = link->next;
    } else {
      link = worker->costly;
      if (!link) return;
      worker->costly = NULL;
      if (thread.first) hand_out_completions();
      if (run->env) run->env->flush(run->env);
    }
    if (__builtin_expect(atomic_load_explicit(&run->is_stopped, memory_order_relaxed), 0)) return;
    if (__builtin_expect(has_deadline, 0) && is_late(worker)) return;
    run_node(worker, link);
    if (__builtin_expect(worker->spare != NULL, 0)) hand_out_spare(worker);
    if (__builtin_expect(worker->is_on_duty, 0) && (worker->budget -= SLI_RUN_NODE_NANOS) < 0 && worker->ready)
      renew_budget(worker);
  }
}

// The thread may be the user's: its floating-point mode comes back.
static void work(sli_run_worker_t *worker) {
  sli_fp_mode_t mode = sli_fp_mode_flush_denormals();
  run_ready(worker);
  sli_fp_mode_restore(mode);
}

// Goes on with the kernels that completed while this thread was busy.
static void run_completions(void) {
  while (thread.first) {
    sli_run_parked_t *parked = thread.first;
    thread.first = parked->next;
    if (!thread.first) thread.last = NULL;
    go_on(parked);
  }
}

static void work_on_list(sli_run_t *run, sli_run_link_t *list) {
  sli_run_worker_t worker;
  initialize_worker(&worker, run);
  worker.ready = list;
  bool was_busy = thread.is_busy;
  thread.is_busy = true;
  work(&worker);
  sli_run_leave(run);
  thread.is_busy = was_busy;
  run_completions();
}

static void push_root(sli_run_worker_t *worker, uint32_t index) {
  sli_run_t *run = worker->run;
  run->root_iteration->busy_nodes++;
  sli_run_push(worker, run->root_iteration, run->plan->infos[index].local, false,
               run->plan->nodes[index].flags & SLI_NODE_EXPENSIVE ? SLI_EDGE_EXPENSIVE : 0);
}

// Runs the roots that do nothing. Nothing has left this thread yet.
static void run_quiet_roots(sli_run_worker_t *worker) {
  const sli_plan_t *plan = worker->run->plan;
  if (worker->run->stats) {
    for (size_t i = 0; i < plan->quiet_roots.count; i++) push_root(worker, plan->quiet_roots.items[i]);
    return;
  }
  sli_run_iteration_t *iteration = worker->run->root_iteration;
  const sli_plan_arrival_t *arrival = plan->quiet_arrivals.items, *end = arrival + plan->quiet_arrivals.count;
  for (; arrival < end; arrival++) {
    _Atomic sli_node_state_t *state = &iteration->states[arrival->consumer];
    sli_node_state_t now = atomic_load_explicit(state, memory_order_relaxed) - 1;
    atomic_store_explicit(state, now, memory_order_relaxed);
    if (now == 0) sli_run_push(worker, iteration, arrival->consumer, false, arrival->flags);
  }
}

void sli_run_start(sli_run_t *run) {
  sli_run_worker_t worker;
  initialize_worker(&worker, run);
  const sli_plan_t *plan = run->plan;
  bool was_busy = thread.is_busy;
  thread.is_busy = true;
  run_quiet_roots(&worker);
  for (size_t i = 0; i < plan->roots.count; i++) push_root(&worker, plan->roots.items[i]);
  hand_out_spare(&worker);
  work(&worker);
  sli_run_leave(run);
  thread.is_busy = was_busy;
  run_completions();
}

// Tasks of the pool. Each holds a count of |active|. What a task sends leaves together, at its end or before a costly
// node; the step may be gone by then.

static void list_task(void *link) {
  sli_run_t *run = ((sli_run_link_t *)link)->iteration->run;
  sli_env_t *env = run->env;
  thread.is_of_pool = true;
  if (env) env->begin_turn(env);
  work_on_list(run, link);
  if (env) env->end_turn(env);
}

static void go_on_task(void *parked) {
  sli_env_t *env = ((sli_run_parked_t *)parked)->link->iteration->run->env;
  thread.is_of_pool = true;
  if (env) env->begin_turn(env);
  go_on(parked);
  run_completions();
  if (env) env->end_turn(env);
}
