// Runs one node of the oracle without a graph or executor, but with everything that the executor guarantees to kernels
// and checks afterwards.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "runtime/execute/local_rendezvous.h"
#include "tests/oracle/oracle.h"

uint64_t oracle_random(oracle_random_t *random) {
  uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

int oracle_below(oracle_random_t *random, int limit) { return (int)(oracle_random(random) % (uint64_t)limit); }

bool oracle_chance(oracle_random_t *random, int percent) { return oracle_below(random, 100) < percent; }

// The device's memory: blocks up to a size that no honest trial needs.

enum { LARGEST_BLOCK = 8 << 20 };
uint8_t oracle_poison = 0xa5;

static void *allocate(sli_allocator_t *allocator, size_t size) {
  if (size > LARGEST_BLOCK) return NULL;
  void *data = sli_allocator_cpu()->allocate(sli_allocator_cpu(), size);
  if (data) memset(data, oracle_poison, size);
  return data;
}

static void release(sli_allocator_t *allocator, void *data, size_t size) {
  sli_allocator_cpu()->release(sli_allocator_cpu(), data, size);
}

static sli_allocator_t small_memory = {.memory = SLI_MEMORY_HOST, .allocate = allocate, .release = release};

static void begin_step(oracle_world_t *world) {
  world->step = (sli_step_t){.id = world->step.id + 1,
                             .rendezvous = sli_local_rendezvous_create(),
                             .cancellation = sli_cancellation_create(),
                             .step_resources = sli_resource_manager_create("step"),
                             .deadline = SLI_CLOCK_NO_DEADLINE};
}

static void end_step(oracle_world_t *world) {
  sli_rendezvous_abort(world->step.rendezvous, sli_status_make(SLI_CANCELLED, "the step has ended"));
  sli_rendezvous_release(world->step.rendezvous);
  sli_resource_manager_destroy(world->step.step_resources);
  sli_cancellation_release(world->step.cancellation);
}

void oracle_world_initialize(oracle_world_t *world) {
  *world = (oracle_world_t){.resources = sli_resource_manager_create("localhost")};
  world->device = sli_device_create_cpu("/job:localhost/replica:0/task:0/device:CPU:0", world->resources, NULL);
  world->device->allocator = &small_memory;
  begin_step(world);
}

void oracle_world_deinitialize(oracle_world_t *world) {
  end_step(world);
  sli_device_destroy(world->device);
  sli_resource_manager_destroy(world->resources);
}

// Kernels that compute later.

typedef struct {
  sli_kernel_context_t context;  // must be first: the completion casts to the whole struct
  sli_event_t done;
  sli_status_t *status;
} parked_t;

static void complete(sli_kernel_context_t *context, sli_status_t *status) {
  parked_t *parked = (parked_t *)context;
  parked->status = status;
  sli_event_set(&parked->done);
}

// Waits a moment; then cancels the step, which must end every wait. Who still waits is killed by the driver's alarm.
static void wait_or_cancel(oracle_world_t *world, parked_t *parked, oracle_result_t *result) {
  if (sli_event_wait(&parked->done, sli_clock_now_nanos() + 1000 * 1000)) return;
  result->was_cancelled = true;
  sli_status_t *reason = sli_status_make(SLI_CANCELLED, "the oracle waits no longer");
  sli_rendezvous_abort(world->step.rendezvous, sli_status_retain(reason));
  sli_cancellation_cancel(world->step.cancellation, reason);
  sli_event_wait(&parked->done, SLI_CLOCK_NO_DEADLINE);
}

static void compute(oracle_world_t *world, const sli_kernel_def_t *kernel, const sli_kernel_context_t *context,
                    oracle_result_t *result) {
  parked_t parked = {.context = *context};
  parked.context.complete = complete;
  if (kernel->compute) {
    result->status = kernel->compute(&parked.context);
    return;
  }
  sli_event_initialize(&parked.done);
  kernel->compute_async(&parked.context);
  wait_or_cancel(world, &parked, result);
  sli_event_deinitialize(&parked.done);
  result->status = parked.status;
}

// What an executor looks at before a kernel runs: references to variables without a value.
static sli_status_t *check_references(const oracle_trial_t *trial) {
  if (trial->node.op->def->allows_uninitialized_input) return NULL;
  for (int i = 0; i < trial->node.input_count; i++) {
    if (!trial->inputs[i].variable) continue;
    sli_tensor_t *tensor;
    SLI_RETURN_IF_ERROR(sli_variable_read_initialized(trial->inputs[i].variable, &tensor));
    sli_tensor_release(tensor);
  }
  return NULL;
}

static void release_values(sli_kernel_value_t *values, int count) {
  for (int i = 0; i < count; i++) {
    sli_tensor_release(values[i].tensor);
    sli_variable_release(values[i].variable);
    values[i] = (sli_kernel_value_t){0};
  }
}

void oracle_run(oracle_world_t *world, oracle_trial_t *trial, bool give_away, oracle_result_t *out_result) {
  *out_result = (oracle_result_t){0};
  const sli_kernel_def_t *kernel = NULL;
  void *state = NULL;
  sli_kernel_value_t inputs[ORACLE_MOST_VALUES] = {0};
  int count = trial->node.input_count;
  for (int i = 0; i < count; i++) {
    inputs[i] = trial->inputs[i];
    if (give_away) {
      trial->inputs[i] = (sli_kernel_value_t){0};
    } else {
      sli_tensor_retain(inputs[i].tensor);
      sli_variable_retain(inputs[i].variable);
    }
  }
  SLI_GOTO_IF_ERROR(out_result->status, cleanup, give_away ? NULL : check_references(trial));
  SLI_GOTO_IF_ERROR(out_result->status, cleanup, sli_kernel_find(&trial->node, "CPU", &kernel));
  sli_kernel_setup_t setup = {&trial->node, world->device};
  if (kernel->create) SLI_GOTO_IF_ERROR(out_result->status, cleanup, kernel->create(&setup, &state));
  sli_kernel_context_t context = {.node = &trial->node,
                                  .state = state,
                                  .device = world->device,
                                  .step = &world->step,
                                  .inputs = inputs,
                                  .input_count = count,
                                  .outputs = out_result->outputs,
                                  .output_count = trial->node.output_count};
  compute(world, kernel, &context, out_result);
cleanup:
  release_values(inputs, count);
  if (kernel && kernel->destroy && state) kernel->destroy(state);
  if (out_result->status) release_values(out_result->outputs, ORACLE_MOST_VALUES);
  if (out_result->was_cancelled) {
    end_step(world);
    begin_step(world);
  }
}

void oracle_result_release(oracle_result_t *result) {
  release_values(result->outputs, ORACLE_MOST_VALUES);
  sli_status_release(result->status);
  result->status = NULL;
}

// Shapes.

typedef struct {
  const sli_tensor_t *constants[ORACLE_MOST_VALUES];  // NULL: not known
} inference_t;

static const sli_tensor_t *constant_of(sli_infer_context_t *context, int index) {
  const inference_t *inference = context->user;
  return inference->constants[index];
}

static sli_shape_t partly_known(oracle_trial_t *trial, oracle_random_t *random, sli_shape_t shape, int known) {
  if (shape.rank < 0 || !oracle_chance(random, known)) return SLI_SHAPE_UNKNOWN;
  int64_t *dims = sli_arena_calloc(&trial->arena, (size_t)shape.rank + 1, sizeof(*dims));
  for (int d = 0; d < shape.rank; d++) dims[d] = oracle_chance(random, known) ? shape.dims[d] : -1;
  return (sli_shape_t){shape.rank, dims};
}

static sli_shape_t shape_of(oracle_trial_t *trial, sli_kernel_value_t value) {
  if (value.tensor) return sli_tensor_shape(value.tensor);
  sli_tensor_t *tensor = value.variable ? sli_variable_read(value.variable) : NULL;
  if (!tensor) return SLI_SHAPE_UNKNOWN;
  sli_shape_t shape = sli_shape_copy(&trial->arena, sli_tensor_shape(tensor));
  sli_tensor_release(tensor);
  return shape;
}

sli_status_t *oracle_infer(oracle_trial_t *trial, oracle_random_t *random, oracle_knowledge_t knowledge,
                           sli_shape_t *out_shapes) {
  sli_shape_t inputs[ORACLE_MOST_VALUES];
  sli_infer_handle_t input_handles[ORACLE_MOST_VALUES], output_handles[ORACLE_MOST_VALUES];
  inference_t inference = {{0}};
  for (int i = 0; i < ORACLE_MOST_VALUES; i++) {
    bool is_input = i < trial->node.input_count;
    inputs[i] = is_input ? shape_of(trial, trial->inputs[i]) : SLI_SHAPE_UNKNOWN;
    if (is_input && trial->inputs[i].tensor && oracle_chance(random, knowledge.constants))
      inference.constants[i] = trial->inputs[i].tensor;
    else
      inputs[i] = partly_known(trial, random, inputs[i], knowledge.known);
    input_handles[i] = output_handles[i] = (sli_infer_handle_t){SLI_DTYPE_INVALID, SLI_SHAPE_UNKNOWN};
    out_shapes[i] = SLI_SHAPE_UNKNOWN;
  }
  sli_infer_context_t context = {.node = &trial->node,
                                 .arena = &trial->arena,
                                 .inputs = inputs,
                                 .input_handles = input_handles,
                                 .outputs = out_shapes,
                                 .output_handles = output_handles,
                                 .constant = constant_of,
                                 .user = &inference};
  return trial->node.op->def->shape(&context);
}
