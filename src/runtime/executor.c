// The life of a step: its memory, its start, its end, and what happens in
// between when something fails. A step's memory is kept by the plan and used
// again, so that a later step of the same plan allocates tensors only.
#include "runtime/executor.h"

#include <stdlib.h>

#include "runtime/executor_internal.h"

// States of steps that a plan keeps for later; more are only needed by more steps at once.
enum { MAX_IDLE = 64 };

// Memory.

static size_t reserve(size_t *size, size_t count, size_t item_size) {
  size_t offset = *size;
  *size = (offset + count * item_size + 15) / 16 * 16;
  return offset;
}

sli_run_iteration_t *sli_run_iteration_create(sli_run_t *run, sli_run_frame_t *frame) {
  const sli_plan_frame_t *type = frame->type;
  size_t size = 0;
  reserve(&size, 1, sizeof(sli_run_iteration_t));
  size_t states = reserve(&size, type->node_count, sizeof(sli_node_state_t));
  size_t slots = reserve(&size, type->slot_count, sizeof(sli_value_t));
  size_t links = reserve(&size, type->node_count, sizeof(sli_run_link_t));
  size_t outputs = reserve(&size, type->output_count, sizeof(sli_value_t));
  size_t parked = reserve(&size, type->parked_count, sizeof(sli_run_parked_t));
  char *block = sli_calloc(1, size);
  sli_run_iteration_t *iteration = (sli_run_iteration_t *)block;
  iteration->run = run;
  iteration->frame = frame;
  iteration->states = (_Atomic sli_node_state_t *)(block + states);
  iteration->slots = (sli_value_t *)(block + slots);
  iteration->links = (sli_run_link_t *)(block + links);
  iteration->outputs = (sli_value_t *)(block + outputs);
  iteration->parked = (sli_run_parked_t *)(block + parked);
  for (uint32_t i = 0; i < type->node_count; i++) {
    iteration->links[i].iteration = iteration;
    iteration->links[i].node = type->nodes[i];
  }
  if (type->parent < 0)
    for (uint32_t i = 0; i < type->slot_count; i++) iteration->slots[i].tensor = run->constants[i];
  return iteration;
}

void sli_run_iteration_destroy(sli_run_iteration_t *iteration) { free(iteration); }

void sli_run_iteration_reset(sli_run_iteration_t *iteration) {
  const sli_plan_frame_t *type = iteration->frame->type;
  memcpy((void *)iteration->states, type->states, type->node_count * sizeof(sli_node_state_t));
}

void sli_run_iteration_clear(sli_run_iteration_t *iteration) {
  const sli_plan_frame_t *type = iteration->frame->type;
  sli_tensor_t **constants = type->parent < 0 ? iteration->run->constants : NULL;
  for (uint32_t i = 0; i < type->slot_count; i++) {
    if (constants && constants[i]) continue;
    sli_value_release(iteration->slots[i]);
    iteration->slots[i] = (sli_value_t){0};
  }
}

static sli_run_t *run_create(sli_plan_t *plan) {
  sli_run_t *run = sli_calloc(1, sizeof(*run));
  run->plan = plan;
  sli_mutex_initialize(&run->mutex);
  run->fetches = sli_calloc(plan->fetch_count + 1, sizeof(sli_tensor_t *));
  run->idle_frames = sli_calloc(plan->frames.count, sizeof(sli_run_frame_t *));
  run->idle_iterations = sli_calloc(plan->frames.count, sizeof(sli_run_iteration_t *));
  run->root.type = &plan->frames.items[0];
  run->constants = plan->constants;
  if (plan->kept_feeds.count) {
    run->kept = sli_calloc(plan->kept_feeds.count, sizeof(*run->kept));
    run->constants = sli_memdup(plan->constants, (run->root.type->slot_count + 1) * sizeof(*run->constants));
  }
  run->root_iteration = sli_run_iteration_create(run, &run->root);
  return run;
}

void sli_run_destroy(sli_run_t *run) {
  sli_run_destroy_frames(run);
  sli_run_iteration_destroy(run->root_iteration);
  sli_cancellation_release(run->own_cancellation);
  sli_resource_manager_destroy(run->step.step_resources);
  sli_mutex_deinitialize(&run->mutex);
  if (run->constants != run->plan->constants) free(run->constants);
  free(run->kept);
  free(run->fetches);
  free(run->idle_frames);
  free(run->idle_iterations);
  free(run);
}

static sli_run_t *run_acquire(sli_plan_t *plan) {
  sli_plan_retain(plan);
  sli_run_t *run = atomic_exchange_explicit(&plan->spare, NULL, memory_order_acquire);
  if (run) return run;
  sli_mutex_lock(&plan->mutex);
  run = plan->idle.count ? plan->idle.items[--plan->idle.count] : NULL;
  sli_mutex_unlock(&plan->mutex);
  return run ? run : run_create(plan);
}

static void run_put_away(sli_run_t *run) {
  sli_plan_t *plan = run->plan;
  sli_run_t *none = NULL;
  bool is_kept =
      atomic_compare_exchange_strong_explicit(&plan->spare, &none, run, memory_order_release, memory_order_relaxed);
  if (!is_kept) {
    sli_mutex_lock(&plan->mutex);
    is_kept = plan->idle.count < MAX_IDLE;
    if (is_kept) sli_array_push(&plan->idle, run);
    sli_mutex_unlock(&plan->mutex);
  }
  if (!is_kept) sli_run_destroy(run);
  sli_plan_release(plan);
}

// The end.

static void drop_kept_feeds(sli_run_t *run) {
  for (size_t i = 0; i < run->plan->kept_feeds.count; i++) {
    sli_tensor_release(run->kept[i]);
    sli_tensor_release(run->kept[i]);
    run->kept[i] = NULL;
  }
}

// What the client gets of a variable is a copy: later updates do not show in it.
static sli_status_t *copy_of_variable(sli_variable_t *variable, sli_tensor_t **out_tensor) {
  sli_tensor_t *tensor;
  *out_tensor = NULL;
  SLI_RETURN_IF_ERROR(sli_variable_read_initialized(variable, &tensor));
  sli_status_t *status = sli_tensor_clone(tensor, out_tensor);
  sli_tensor_release(tensor);
  return status;
}

static sli_status_t *take_fetches(sli_run_t *run) {
  const sli_plan_t *plan = run->plan;
  for (uint32_t i = 0; i < plan->fetch_count; i++) {
    uint32_t slot = plan->fetch_slots[i];
    sli_value_t *value = &run->root_iteration->slots[slot];
    if (plan->constants[slot]) {
      run->fetches[i] = sli_tensor_retain(plan->constants[slot]);
    } else if (value->variable) {
      sli_status_t *status = copy_of_variable(value->variable, &run->fetches[i]);
      if (status) return sli_status_append(status, "\n\t [[{{node %s}}]]", plan->fetches[i].node->def.name);
      sli_value_release(*value);
      *value = (sli_value_t){0};
    } else if (value->tensor) {
      run->fetches[i] = value->tensor;
      *value = (sli_value_t){0};
    } else {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Retval[%u] does not have value", i);
    }
  }
  return NULL;
}

static void note_resource(void *is_used, sli_view_t container, sli_view_t name, sli_object_t *object) {
  *(bool *)is_used = true;
}

// Resources of the step go with it; a manager that nobody used serves again.
static void drop_step_resources(sli_run_t *run) {
  if (!run->step.step_resources) return;
  bool is_used = false;
  sli_resource_for_each(run->step.step_resources, note_resource, &is_used);
  if (!is_used) return;
  sli_resource_manager_destroy(run->step.step_resources);
  run->step.step_resources = NULL;
}

static void drop_cancellation(sli_run_t *run) {
  if (run->step.cancellation != run->own_cancellation) {
    sli_cancellation_release(run->step.cancellation);
  } else if (sli_cancellation_is_cancelled(run->own_cancellation)) {
    sli_cancellation_release(run->own_cancellation);
    run->own_cancellation = NULL;
  }
  run->step.cancellation = NULL;
}

// Ends what waits elsewhere for this step. Consumes |status|.
static void spread(sli_run_t *run, sli_status_t *status) {
  if (run->step.rendezvous) sli_rendezvous_abort(run->step.rendezvous, sli_status_retain(status));
  sli_cancellation_cancel(run->step.cancellation, status);
}

// Gives the step's memory and its plan back before the client hears of the end:
// it may tear everything down then. Consumes |status|.
static void hand_over_result(sli_run_t *run, sli_status_t *status) {
  sli_run_done_t done = run->done;
  void *context = run->done_context;
  size_t count = status ? 0 : run->plan->fetch_count;
  sli_tensor_t *few[16], **fetches = count <= SLI_COUNT_OF(few) ? few : sli_malloc(count * sizeof(*fetches));
  for (size_t i = 0; i < count; i++) {
    fetches[i] = run->fetches[i];
    run->fetches[i] = NULL;
  }
  run_put_away(run);
  done(context, status, fetches, count);
  if (fetches != few) free(fetches);
}

// Runs once, when |active| has come to zero: nobody else touches the step any more.
static void run_finish(sli_run_t *run, bool is_in_callback) {
  if (run->token && !is_in_callback) sli_cancellation_deregister(run->step.cancellation, run->token);
  sli_status_t *status = run->status;
  run->status = NULL;
  if (!status) {
    status = take_fetches(run);
    if (status) spread(run, sli_status_retain(status));
  }
  for (uint32_t i = 0; status && i < run->plan->fetch_count; i++) {
    sli_tensor_release(run->fetches[i]);
    run->fetches[i] = NULL;
  }
  if (run->plan->has_frames) sli_run_drop_frames(run);
  if (status || run->plan->has_frames) sli_run_iteration_clear(run->root_iteration);
  drop_kept_feeds(run);
  drop_step_resources(run);
  drop_cancellation(run);
  sli_rendezvous_release(run->step.rendezvous);
  run->step.rendezvous = NULL;
  hand_over_result(run, status);
}

void sli_run_leave(sli_run_t *run) {
  if (atomic_fetch_sub_explicit(&run->active, 1, memory_order_acq_rel) == 1) run_finish(run, false);
}

void sli_run_fail(sli_run_t *run, sli_status_t *status) {
  // What was cancelled failed for the canceller's reason, whoever noticed first.
  sli_status_t *reason = sli_cancellation_status(run->step.cancellation);
  if (reason) status = sli_status_join(reason, status);
  sli_mutex_lock(&run->mutex);
  bool is_first = !run->status;
  run->status = sli_status_join(run->status, status);
  sli_status_t *root = is_first ? sli_status_retain(run->status) : NULL;
  sli_mutex_unlock(&run->mutex);
  if (!is_first) return;
  atomic_store_explicit(&run->is_stopped, true, memory_order_relaxed);
  spread(run, root);
}

// The cancellation's callback. It takes part in the step, so that what it ends
// cannot free the step under it; a step that is ending already is left alone.
static void on_cancel(void *context) {
  sli_run_t *run = context;
  int active = atomic_load_explicit(&run->active, memory_order_relaxed);
  do {
    if (active == 0) return;
  } while (!atomic_compare_exchange_weak_explicit(&run->active, &active, active + 1, memory_order_acq_rel,
                                                  memory_order_relaxed));
  sli_run_fail(run, sli_cancellation_status(run->step.cancellation));
  if (atomic_fetch_sub_explicit(&run->active, 1, memory_order_acq_rel) == 1) run_finish(run, true);
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

static void set_up(sli_run_t *run, const sli_run_request_t *request, sli_run_done_t done, void *context) {
  if (!request->cancellation && !run->own_cancellation) run->own_cancellation = sli_cancellation_create();
  if (run->plan->is_stateful && !run->step.step_resources)
    run->step.step_resources = sli_resource_manager_create("__per_step");
  run->step.id = request->step_id;
  run->step.rendezvous = sli_rendezvous_retain(request->rendezvous);
  run->step.cancellation =
      request->cancellation ? sli_cancellation_retain(request->cancellation) : run->own_cancellation;
  run->step.deadline = request->deadline ? request->deadline : SLI_NO_DEADLINE;
  run->pool = request->pool;
  run->env = request->env;
  run->stats = request->stats;
  run->hand_over = request->hand_over;
  run->is_shared = false;
  run->done = done;
  run->done_context = context;
  run->token = 0;
  atomic_store_explicit(&run->is_stopped, false, memory_order_relaxed);
  atomic_store_explicit(&run->active, 1, memory_order_relaxed);
  run->root_iteration->busy_nodes = run->root_iteration->child_count = 0;
  sli_run_iteration_reset(run->root_iteration);
}

static void put_feeds(sli_run_t *run, sli_tensor_t *const *feeds) {
  const sli_plan_t *plan = run->plan;
  sli_value_t *slots = run->root_iteration->slots;
  for (size_t i = 0; i < plan->feed_targets.count; i++) {
    const sli_plan_feed_target_t *target = &plan->feed_targets.items[i];
    slots[target->slot].tensor = sli_tensor_retain(feeds[target->feed]);
  }
  for (size_t i = 0; i < plan->kept_feeds.count; i++)
    run->kept[i] = sli_tensor_retain(sli_tensor_retain(feeds[plan->kept_feeds.items[i]]));
  for (size_t i = 0; i < plan->kept_feed_targets.count; i++) {
    const sli_plan_feed_target_t *target = &plan->kept_feed_targets.items[i];
    slots[target->slot].tensor = run->constants[target->slot] = feeds[target->feed];
  }
}

void sli_run_plan(const sli_run_request_t *request, sli_run_done_t done, void *context) {
  sli_plan_t *plan = request->plan;
  sli_run_t *run = run_acquire(plan);
  set_up(run, request, done, context);
  sli_status_t *status = check_feeds(plan, request->feeds);
  if (!status) {
    put_feeds(run, request->feeds);
    if (request->cancellation) {
      // The callback may come at once, but not before the token is stored: it does not read it.
      run->token = sli_cancellation_register(request->cancellation, on_cancel, run);
      if (!run->token) status = sli_cancellation_status(request->cancellation);
    }
  }
  if (status) {
    sli_run_fail(run, status);
    sli_run_leave(run);
    return;
  }
  sli_run_start(run);
}
