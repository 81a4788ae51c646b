// Ops on a generator whose state is a variable (tf.random.Generator): a vector of int64, two words of counter and one
// of key. StatefulStandardNormal has the algorithm before them. NonDeterministicInts makes such states.
#include <stdlib.h>

#include "base/random.h"
#include "ops/common/named_resource.h"
#include "ops/random/random_internal.h"

enum { STATE_SIZE = 3, GROUPS_PER_VALUE = 256 };

static sli_status_t *check_state(const sli_tensor_t *state, int tag) {
  if (state->dtype != SLI_DTYPE_INT64)
    return sli_status_make(SLI_INVALID_ARGUMENT, "dtype of RNG state variable must be int64, not %s",
                           sli_dtype_name((sli_dtype_t)state->dtype));
  if (state->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "RNG state must have one and only one dimension, not %d", state->rank);
  if (tag && state->count < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Size of tensor must be at least 1");
  return NULL;
}

// Replaces the variable's tensor by one that is |groups| further. Caller must hold its mutex.
static sli_status_t *advance_locked(sli_variable_t *variable, int tag, int64_t algorithm, uint64_t groups,
                                    sli_philox_t *out_generator) {
  sli_tensor_t *state, *next = NULL;
  SLI_RETURN_IF_ERROR(sli_variable_read_initialized(variable, &state));
  sli_status_t *status = check_state(state, tag);
  if (!status) {
    if (tag) algorithm = *SLI_DATA(int64_t, state);
    if (algorithm == SLI_RANDOM_OP_THREEFRY)
      status = sli_status_make(SLI_UNIMPLEMENTED, "Non-XLA devices don't support the ThreeFry algorithm.");
    else if (algorithm != SLI_RANDOM_OP_PHILOX && algorithm != SLI_RANDOM_OP_AUTO)
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported algorithm id: %lld", (long long)algorithm);
    else if (state->count < tag + STATE_SIZE)
      status = sli_status_make(SLI_INVALID_ARGUMENT,
                               "For the Philox algorithm, the size of state must be at least %d; got %lld",
                               tag + STATE_SIZE, (long long)state->count);
  }
  if (!status) status = sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_INT64, state->dims, state->rank, &next);
  if (!status) {
    memcpy(next->data, state->data, sli_tensor_bytes(state));
    uint64_t *words = SLI_DATA(uint64_t, next) + tag;
    *out_generator =
        (sli_philox_t){{(uint32_t)words[0], (uint32_t)(words[0] >> 32), (uint32_t)words[1], (uint32_t)(words[1] >> 32)},
                       {(uint32_t)words[2], (uint32_t)(words[2] >> 32)}};
    sli_philox_t moved = *out_generator;
    sli_philox_skip(&moved, groups);
    for (int i = 0; i < 2; i++) words[i] = moved.counter[2 * i] | (uint64_t)moved.counter[2 * i + 1] << 32;
    sli_variable_replace(variable, next);
  }
  sli_tensor_release(state);
  return status;
}

sli_status_t *sli_random_op_advance(sli_kernel_context_t *context, bool tagged, int64_t algorithm, uint64_t outputs,
                                    sli_philox_t *out_generator) {
  void *object;
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &sli_variable_type, &object));
  sli_variable_t *variable = object;
  sli_mutex_lock(&variable->mutex);
  sli_status_t *status = advance_locked(variable, tagged ? 1 : 0, algorithm, outputs * GROUPS_PER_VALUE, out_generator);
  sli_mutex_unlock(&variable->mutex);
  sli_variable_release(variable);
  return status;
}

static sli_status_t *wrong_scalar(int index, const sli_tensor_t *tensor) {
  char *text = sli_shape_to_text(sli_tensor_shape(tensor));
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "input %d (0-based) must have shape [], not %s", index, text);
  free(text);
  return status;
}

// The integer scalar in input |index|.
static sli_status_t *read_scalar(sli_kernel_context_t *context, int index, int64_t *out_value) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  if (tensor->rank != 0) return wrong_scalar(index, tensor);
  *out_value = sli_tensor_int_at(tensor, 0);
  return NULL;
}

// Fills the output, whose shape is in input |shape_input|, from the variable in input 0.
static sli_status_t *fill(sli_kernel_context_t *context, int shape_input, sli_philox_kind_t kind, int64_t low,
                          uint64_t range) {
  int64_t dims[SLI_MAX_RANK], algorithm = 0;
  int rank;
  sli_tensor_t *output;
  sli_philox_t generator;
  bool tagged = shape_input == 1;
  if (!tagged) SLI_RETURN_IF_ERROR(read_scalar(context, 1, &algorithm));
  SLI_RETURN_IF_ERROR(sli_random_op_read_dims(context, shape_input, dims, &rank));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  SLI_RETURN_IF_ERROR(sli_random_op_advance(context, tagged, algorithm, (uint64_t)output->count, &generator));
  sli_philox_fill(sli_kernel_pool(context), generator, kind, (sli_dtype_t)output->dtype, low, range, output->data,
                  output->count);
  return NULL;
}

static sli_status_t *normal_v1(sli_kernel_context_t *context) { return fill(context, 1, SLI_PHILOX_NORMAL, 0, 0); }
static sli_status_t *normal(sli_kernel_context_t *context) { return fill(context, 2, SLI_PHILOX_NORMAL, 0, 0); }
static sli_status_t *uniform(sli_kernel_context_t *context) { return fill(context, 2, SLI_PHILOX_UNIFORM, 0, 0); }
static sli_status_t *full_int(sli_kernel_context_t *context) { return fill(context, 2, SLI_PHILOX_BITS, 0, 0); }
static sli_status_t *truncated(sli_kernel_context_t *context) {
  return fill(context, 2, SLI_PHILOX_TRUNCATED_NORMAL, 0, 0);
}

static sli_status_t *uniform_int(sli_kernel_context_t *context) {
  static const char *const names[] = {"minval", "maxval"};
  int64_t bounds[2];
  for (int i = 0; i < 2; i++) {
    const sli_tensor_t *bound = sli_kernel_input(context, 3 + i);
    if (bound->rank != 0) {
      char *text = sli_shape_to_text(sli_tensor_shape(bound));
      sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 0-D, got shape %s", names[i], text);
      free(text);
      return status;
    }
    bounds[i] = sli_tensor_int_at(bound, 0);
  }
  if (bounds[0] >= bounds[1])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Need minval < maxval, got %lld >= %lld", (long long)bounds[0],
                           (long long)bounds[1]);
  return fill(context, 2, SLI_PHILOX_UNIFORM_INT, bounds[0], (uint64_t)bounds[1] - (uint64_t)bounds[0]);
}

static sli_status_t *skip(sli_kernel_context_t *context) {
  int64_t algorithm = 0, delta = 0;
  sli_philox_t generator;
  SLI_RETURN_IF_ERROR(read_scalar(context, 1, &algorithm));
  SLI_RETURN_IF_ERROR(read_scalar(context, 2, &delta));
  return sli_random_op_advance(context, false, algorithm, (uint64_t)delta, &generator);
}

// The state before: two words of counter and one of key.
static sli_status_t *read_and_skip(sli_kernel_context_t *context) {
  int64_t algorithm = 0;
  sli_philox_t generator;
  sli_tensor_t *output;
  const sli_tensor_t *delta = sli_kernel_input(context, 2);
  SLI_RETURN_IF_ERROR(read_scalar(context, 1, &algorithm));
  if (delta->rank != 0) return wrong_scalar(2, delta);
  SLI_RETURN_IF_ERROR(sli_random_op_advance(context, false, algorithm, *SLI_DATA(uint64_t, delta), &generator));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(STATE_SIZE), &output));
  uint64_t *words = SLI_DATA(uint64_t, output);
  for (int i = 0; i < 2; i++) words[i] = generator.counter[2 * i] | (uint64_t)generator.counter[2 * i + 1] << 32;
  words[2] = generator.key[0] | (uint64_t)generator.key[1] << 32;
  return NULL;
}

static sli_status_t *nondeterministic(sli_kernel_context_t *context) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_random_op_read_dims(context, 0, dims, &rank));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  bool wide = sli_dtype_size((sli_dtype_t)output->dtype) == 8;
  for (int64_t i = 0; i < output->count; i++) {
    if (wide)
      SLI_DATA(uint64_t, output)[i] = sli_random_u64();
    else
      SLI_DATA(uint32_t, output)[i] = (uint32_t)sli_random_u64();
  }
  return NULL;
}

static sli_status_t *shape_of_input(sli_infer_context_t *c, int index) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, index, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}
static sli_status_t *shape_v1(sli_infer_context_t *c) { return shape_of_input(c, 1); }
static sli_status_t *shape_v2(sli_infer_context_t *c) {
  sli_shape_t scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &scalar));
  return shape_of_input(c, 2);
}
static sli_status_t *uniform_int_shape(sli_infer_context_t *c) {
  sli_shape_t scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &scalar));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 4, 0, &scalar));
  return shape_v2(c);
}
static sli_status_t *skip_shape(sli_infer_context_t *c) {
  sli_shape_t scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &scalar));
  return sli_infer_input_with_rank(c, 2, 0, &scalar);
}
static sli_status_t *read_and_skip_shape(sli_infer_context_t *c) {
  int64_t size = STATE_SIZE;
  SLI_RETURN_IF_ERROR(skip_shape(c));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &size));
  return NULL;
}

#define STATEFUL(op_name, extra, type, function)                                                                    \
  {                                                                                                                 \
    .name = op_name, .inputs = "resource: resource, algorithm: int64, shape: shape_dtype" extra,                    \
    .outputs = "output: dtype", .attrs = "dtype: type = " type "; shape_dtype: type = DT_INT64", .shape = function, \
    .is_stateful = true                                                                                             \
  }
static const sli_op_def_t ops[] = {
    {.name = "StatefulStandardNormal",
     .inputs = "resource: resource, shape: shape_dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type = DT_FLOAT; shape_dtype: type = DT_INT64",
     .shape = shape_v1,
     .is_stateful = true,
     .deprecated_in = 29,
     .deprecation = "Use StatefulStandardNormalV2 instead"},
    STATEFUL("StatefulStandardNormalV2", "", "DT_FLOAT", shape_v2),
    STATEFUL("StatefulTruncatedNormal", "", "DT_FLOAT", shape_v2),
    STATEFUL("StatefulUniform", "", "DT_FLOAT", shape_v2),
    STATEFUL("StatefulUniformFullInt", "", "DT_UINT64", shape_v2),
    STATEFUL("StatefulUniformInt", ", minval: dtype, maxval: dtype", "DT_INT64", uniform_int_shape),
    {.name = "RngSkip",
     .inputs = "resource: resource, algorithm: int64, delta: int64",
     .shape = skip_shape,
     .is_stateful = true},
    {.name = "RngReadAndSkip",
     .inputs = "resource: resource, alg: int32, delta: uint64",
     .outputs = "value: int64",
     .shape = read_and_skip_shape,
     .is_stateful = true},
    {.name = "NonDeterministicInts",
     .inputs = "shape: shape_dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: type = DT_INT64; shape_dtype: type = DT_INT64",
     .shape = sli_random_op_shape,
     .is_stateful = true},
};

#define INTEGERS (SLI_TYPE_INT32 | SLI_TYPE_INT64 | SLI_TYPE_UINT32 | SLI_TYPE_UINT64)
#define ROW(op_name, in, host, function) \
  { .op = op_name, .where = {{"dtype", in}}, .host_memory = host, .compute = function }
#define ARGUMENTS "resource, algorithm, shape"
static const sli_kernel_def_t kernels[] = {
    ROW("StatefulStandardNormal", SLI_TYPES_FLOATING, "resource, shape", normal_v1),
    ROW("StatefulStandardNormalV2", SLI_TYPES_FLOATING, ARGUMENTS, normal),
    ROW("StatefulTruncatedNormal", SLI_TYPES_FLOATING, ARGUMENTS, truncated),
    ROW("StatefulUniform", SLI_TYPES_FLOATING, ARGUMENTS, uniform),
    ROW("StatefulUniformFullInt", INTEGERS, ARGUMENTS, full_int),
    ROW("StatefulUniformInt", SLI_TYPE_INT32 | SLI_TYPE_INT64, ARGUMENTS ", minval, maxval", uniform_int),
    {.op = "RngSkip", .host_memory = "resource, algorithm, delta", .compute = skip},
    {.op = "RngReadAndSkip", .host_memory = "resource, alg, delta", .compute = read_and_skip},
    ROW("NonDeterministicInts", INTEGERS, "shape", nondeterministic),
};

SLI_OP_MODULE(rng);
