// The start and the end of a step, its memory, and what happens when it fails. The
// plan keeps the memory of ended steps, so that later steps allocate tensors only.
#include "runtime/execute/executor.h"

#include <stdlib.h>

#include "runtime/execute/executor_internal.h"

// How many ended steps a plan keeps. More are needed only if more steps run at the same time.
enum { MAX_IDLE = 64 };

// Memory.

static size_t reserve(size_t *size, size_t count, size_t item_size) {
  size_t offset = *size;
  *size = (offset + count * item_size + 15) / 16 * 16;
  return offset;
}

sli_executor_iteration_t *sli_executor_iteration_create(sli_executor_step_t *step, sli_executor_frame_t *frame) {
  const sli_plan_frame_t *type = frame->type;
  size_t size = 0;
  reserve(&size, 1, sizeof(sli_executor_iteration_t));
  size_t states = reserve(&size, type->node_count, sizeof(sli_plan_node_state_t));
  size_t slots = reserve(&size, type->slot_count, sizeof(sli_kernel_value_t));
  size_t links = reserve(&size, type->node_count, sizeof(sli_executor_link_t));
  size_t outputs = reserve(&size, type->output_count, sizeof(sli_kernel_value_t));
  size_t parked = reserve(&size, type->parked_count, sizeof(sli_executor_parked_t));
  char *block = sli_calloc(1, size);
  sli_executor_iteration_t *iteration = (sli_executor_iteration_t *)block;
  iteration->step = step;
  iteration->frame = frame;
  iteration->states = (_Atomic sli_plan_node_state_t *)(block + states);
  iteration->slots = (sli_kernel_value_t *)(block + slots);
  iteration->links = (sli_executor_link_t *)(block + links);
  iteration->outputs = (sli_kernel_value_t *)(block + outputs);
  iteration->parked = (sli_executor_parked_t *)(block + parked);
  for (uint32_t i = 0; i < type->node_count; i++) {
    iteration->links[i].iteration = iteration;
    iteration->links[i].node = type->nodes[i];
  }
  if (type->parent < 0)
    for (uint32_t i = 0; i < type->slot_count; i++) iteration->slots[i].tensor = step->constants[i];
  return iteration;
}

void sli_executor_iteration_destroy(sli_executor_iteration_t *iteration) { free(iteration); }

void sli_executor_iteration_reset(sli_executor_iteration_t *iteration) {
  const sli_plan_frame_t *type = iteration->frame->type;
  memcpy((void *)iteration->states, type->states, type->node_count * sizeof(sli_plan_node_state_t));
}

void sli_executor_iteration_clear(sli_executor_iteration_t *iteration) {
  const sli_plan_frame_t *type = iteration->frame->type;
  sli_tensor_t **constants = type->parent < 0 ? iteration->step->constants : NULL;
  for (uint32_t i = 0; i < type->slot_count; i++) {
    if (constants && constants[i]) continue;
    sli_kernel_value_release(iteration->slots[i]);
    iteration->slots[i] = (sli_kernel_value_t){0};
  }
}

static void step_destroy(sli_plan_idle_step_t *as_idle) {
  sli_executor_step_t *step = (sli_executor_step_t *)as_idle;
  sli_executor_destroy_frames(step);
  sli_executor_iteration_destroy(step->root_iteration);
  sli_cancellation_release(step->own_cancellation);
  sli_resource_manager_destroy(step->own_resources);
  sli_mutex_deinitialize(&step->mutex);
  if (step->constants != step->plan->constants) free(step->constants);
  free(step->kept);
  free(step->fetches);
  free(step->idle_frames);
  free(step->idle_iterations);
  free(step);
}

static sli_executor_step_t *step_create(sli_plan_t *plan) {
  sli_executor_step_t *step = sli_calloc(1, sizeof(*step));
  step->as_idle.destroy = step_destroy;
  step->plan = plan;
  sli_mutex_initialize(&step->mutex);
  step->fetches = sli_calloc(plan->fetch_count + 1, sizeof(sli_tensor_t *));
  step->idle_frames = sli_calloc(plan->frames.count, sizeof(sli_executor_frame_t *));
  step->idle_iterations = sli_calloc(plan->frames.count, sizeof(sli_executor_iteration_t *));
  step->root.type = &plan->frames.items[0];
  step->constants = plan->constants;
  if (plan->kept_feeds.count) {
    step->kept = sli_calloc(plan->kept_feeds.count, sizeof(*step->kept));
    step->constants = sli_memdup(plan->constants, (step->root.type->slot_count + 1) * sizeof(*step->constants));
  }
  step->root_iteration = sli_executor_iteration_create(step, &step->root);
  return step;
}

static sli_executor_step_t *step_acquire(sli_plan_t *plan) {
  sli_plan_retain(plan);
  sli_plan_idle_step_t *idle = atomic_exchange_explicit(&plan->spare_step, NULL, memory_order_acquire);
  if (idle) return (sli_executor_step_t *)idle;
  sli_mutex_lock(&plan->mutex);
  idle = plan->idle_steps.count ? plan->idle_steps.items[--plan->idle_steps.count] : NULL;
  sli_mutex_unlock(&plan->mutex);
  return idle ? (sli_executor_step_t *)idle : step_create(plan);
}

// Gives the step's memory to the plan, for a later step, and releases the plan.
static void step_recycle(sli_executor_step_t *step) {
  sli_plan_t *plan = step->plan;
  sli_plan_idle_step_t *none = NULL, *idle = &step->as_idle;
  bool is_kept = atomic_compare_exchange_strong_explicit(&plan->spare_step, &none, idle, memory_order_release,
                                                         memory_order_relaxed);
  if (!is_kept) {
    sli_mutex_lock(&plan->mutex);
    is_kept = plan->idle_steps.count < MAX_IDLE;
    if (is_kept) sli_array_push(&plan->idle_steps, idle);
    sli_mutex_unlock(&plan->mutex);
  }
  if (!is_kept) step_destroy(idle);
  sli_plan_release(plan);
}

// The end.

static void drop_kept_feeds(sli_executor_step_t *step) {
  for (size_t i = 0; i < step->plan->kept_feeds.count; i++) {
    sli_tensor_release(step->kept[i]);
    sli_tensor_release(step->kept[i]);
    step->kept[i] = NULL;
  }
}

// A fetched variable is copied, so that later updates do not change what the client got.
static sli_status_t *copy_of_variable(sli_variable_t *variable, sli_tensor_t **out_tensor) {
  sli_tensor_t *tensor;
  *out_tensor = NULL;
  SLI_RETURN_IF_ERROR(sli_variable_read_initialized(variable, &tensor));
  sli_status_t *status = sli_tensor_clone(tensor, out_tensor);
  sli_tensor_release(tensor);
  return status;
}

static sli_status_t *take_fetches(sli_executor_step_t *step) {
  const sli_plan_t *plan = step->plan;
  for (uint32_t i = 0; i < plan->fetch_count; i++) {
    uint32_t slot = plan->fetch_slots[i];
    sli_kernel_value_t *value = &step->root_iteration->slots[slot];
    if (plan->constants[slot]) {
      step->fetches[i] = sli_tensor_retain(plan->constants[slot]);
    } else if (value->variable) {
      sli_status_t *status = copy_of_variable(value->variable, &step->fetches[i]);
      if (status) return sli_status_append(status, "\n\t [[{{node %s}}]]", plan->fetches[i].node->def.name);
      sli_kernel_value_release(*value);
      *value = (sli_kernel_value_t){0};
    } else if (value->tensor) {
      step->fetches[i] = value->tensor;
      *value = (sli_kernel_value_t){0};
    } else {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Retval[%u] does not have value", i);
    }
  }
  return NULL;
}

static void note_resource(void *is_used, sli_view_t container, sli_view_t name, sli_object_t *object) {
  *(bool *)is_used = true;
}

// Destroys the resources of the step. A manager that was not used is kept for the next step.
static void drop_step_resources(sli_executor_step_t *step) {
  bool is_lent = step->base.step_resources != step->own_resources, is_used = false;
  step->base.step_resources = NULL;
  if (is_lent || !step->own_resources) return;
  sli_resource_for_each(step->own_resources, note_resource, &is_used);
  if (!is_used) return;
  sli_resource_manager_destroy(step->own_resources);
  step->own_resources = NULL;
}

static void drop_cancellation(sli_executor_step_t *step) {
  if (step->base.cancellation != step->own_cancellation) {
    sli_cancellation_release(step->base.cancellation);
  } else if (sli_cancellation_is_cancelled(step->own_cancellation)) {
    sli_cancellation_release(step->own_cancellation);
    step->own_cancellation = NULL;
  }
  step->base.cancellation = NULL;
  if (step->is_call) sli_cancellation_release(step->watched);
  step->watched = NULL;
}

// Makes everything fail that waits for this step elsewhere. Consumes |status|.
static void abort_waiters(sli_executor_step_t *step, sli_status_t *status) {
  if (step->base.rendezvous && !step->is_call) sli_rendezvous_abort(step->base.rendezvous, sli_status_retain(status));
  sli_cancellation_cancel(step->base.cancellation, status);
}

// Recycles the step and calls |done|. The step's memory and its plan are released
// first, because |done| may destroy everything else. Consumes |status|.
static void report_result(sli_executor_step_t *step, sli_status_t *status) {
  sli_executor_done_t done = step->done;
  void *context = step->done_context;
  size_t count = status ? 0 : step->plan->fetch_count;
  sli_tensor_t *few[16], **fetches = count <= SLI_ARRAY_COUNT_OF(few) ? few : sli_malloc(count * sizeof(*fetches));
  for (size_t i = 0; i < count; i++) {
    fetches[i] = step->fetches[i];
    step->fetches[i] = NULL;
  }
  step_recycle(step);
  done(context, status, fetches, count);
  if (fetches != few) free(fetches);
}

// Called once, when |active| has become zero: no other thread uses the step any more.
static void step_finish(sli_executor_step_t *step, bool is_in_callback) {
  if (step->token && !is_in_callback) sli_cancellation_deregister(step->watched, step->token);
  sli_status_t *status = step->status;
  step->status = NULL;
  if (!status) {
    status = take_fetches(step);
    if (status) abort_waiters(step, sli_status_retain(status));
  }
  for (uint32_t i = 0; status && i < step->plan->fetch_count; i++) {
    sli_tensor_release(step->fetches[i]);
    step->fetches[i] = NULL;
  }
  if (step->plan->has_frames) sli_executor_drop_frames(step);
  if (status || step->plan->has_frames) sli_executor_iteration_clear(step->root_iteration);
  drop_kept_feeds(step);
  drop_step_resources(step);
  drop_cancellation(step);
  sli_rendezvous_release(step->base.rendezvous);
  step->base.rendezvous = NULL;
  report_result(step, status);
}

void sli_executor_leave(sli_executor_step_t *step) {
  if (atomic_fetch_sub_explicit(&step->active, 1, memory_order_acq_rel) == 1) step_finish(step, false);
}

void sli_executor_fail(sli_executor_step_t *step, sli_status_t *status) {
  // If the step was cancelled, the reason of the cancellation is the root cause.
  sli_status_t *reason = sli_cancellation_status(step->base.cancellation);
  if (reason) status = sli_status_join(reason, status);
  sli_mutex_lock(&step->mutex);
  bool is_first = !step->status;
  step->status = sli_status_join(step->status, status);
  sli_status_t *root = is_first ? sli_status_retain(step->status) : NULL;
  sli_mutex_unlock(&step->mutex);
  if (!is_first) return;
  atomic_store_explicit(&step->is_stopped, true, memory_order_relaxed);
  abort_waiters(step, root);
}

// The cancellation's callback. It counts in |active|, so that the step is not freed
// while it runs; it does nothing if the step is ending already.
static void on_cancel(void *context) {
  sli_executor_step_t *step = context;
  int active = atomic_load_explicit(&step->active, memory_order_relaxed);
  do {
    if (active == 0) return;
  } while (!atomic_compare_exchange_weak_explicit(&step->active, &active, active + 1, memory_order_acq_rel,
                                                  memory_order_relaxed));
  sli_executor_fail(step, sli_cancellation_status(step->watched));
  if (atomic_fetch_sub_explicit(&step->active, 1, memory_order_acq_rel) == 1) step_finish(step, true);
}

// The start.

static sli_status_t *check_feeds(const sli_plan_t *plan, sli_tensor_t *const *feeds) {
  for (uint32_t i = 0; i < plan->feed_count; i++) {
    if (!feeds[i]) return sli_status_make(SLI_INVALID_ARGUMENT, "arg[%u] does not have value", i);
    if (feeds[i]->dtype != plan->feed_types[i])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expects arg[%u] to be %s but %s is provided", i,
                             sli_dtype_name(plan->feed_types[i]), sli_dtype_name((sli_dtype_t)feeds[i]->dtype));
  }
  return NULL;
}

static void prepare_step(sli_executor_step_t *step, const sli_executor_request_t *request, sli_executor_done_t done,
                         void *context) {
  bool uses_own = request->is_call || !request->cancellation;
  if (uses_own && !step->own_cancellation) step->own_cancellation = sli_cancellation_create();
  step->base.step_resources = request->caller ? request->caller->step_resources : NULL;
  if (step->plan->is_stateful && !step->base.step_resources) {
    if (!step->own_resources) step->own_resources = sli_resource_manager_create("__per_step");
    step->base.step_resources = step->own_resources;
  }
  step->base.depth = request->caller ? request->caller->depth + 1 : 0;
  step->base.hands_over = request->hand_over;
  step->base.id = request->step_id;
  step->base.rendezvous = sli_rendezvous_retain(request->rendezvous);
  step->base.cancellation = uses_own ? step->own_cancellation : sli_cancellation_retain(request->cancellation);
  step->watched = request->is_call ? sli_cancellation_retain(request->cancellation) : request->cancellation;
  step->is_call = request->is_call;
  step->base.deadline = request->deadline ? request->deadline : SLI_CLOCK_NO_DEADLINE;
  step->pool = request->pool;
  step->env = request->env ? request->env : sli_env_local();
  step->stats = step->base.stats = request->stats;
  step->base.collective = request->caller ? request->caller->collective : request->collective;
  step->hand_over = request->hand_over;
  step->is_shared = false;
  step->done = done;
  step->done_context = context;
  step->token = 0;
  atomic_store_explicit(&step->is_stopped, false, memory_order_relaxed);
  atomic_store_explicit(&step->active, 1, memory_order_relaxed);
  step->root_iteration->busy_nodes = step->root_iteration->child_count = 0;
  sli_executor_iteration_reset(step->root_iteration);
}

static void put_feeds(sli_executor_step_t *step, sli_tensor_t *const *feeds) {
  const sli_plan_t *plan = step->plan;
  sli_kernel_value_t *slots = step->root_iteration->slots;
  for (size_t i = 0; i < plan->feed_targets.count; i++) {
    const sli_plan_feed_target_t *target = &plan->feed_targets.items[i];
    slots[target->slot].tensor = sli_tensor_retain(feeds[target->feed]);
  }
  for (size_t i = 0; i < plan->kept_feeds.count; i++)
    step->kept[i] = sli_tensor_retain(sli_tensor_retain(feeds[plan->kept_feeds.items[i]]));
  for (size_t i = 0; i < plan->kept_feed_targets.count; i++) {
    const sli_plan_feed_target_t *target = &plan->kept_feed_targets.items[i];
    slots[target->slot].tensor = step->constants[target->slot] = feeds[target->feed];
  }
}

void sli_executor_run_plan(const sli_executor_request_t *request, sli_executor_done_t done, void *context) {
  sli_plan_t *plan = request->plan;
  sli_executor_step_t *step = step_acquire(plan);
  prepare_step(step, request, done, context);
  sli_status_t *status = check_feeds(plan, request->feeds);
  if (!status) {
    put_feeds(step, request->feeds);
    if (request->cancellation) {
      // The callback may run before the token is stored; it does not read the token.
      step->token = sli_cancellation_register(request->cancellation, on_cancel, step);
      if (!step->token) status = sli_cancellation_status(request->cancellation);
    }
  }
  if (status) {
    sli_executor_fail(step, status);
    sli_executor_leave(step);
    return;
  }
  sli_executor_start(step);
}
