// The stateless random ops: values are a function of the seed alone. V1 ops
// take a seed of two integers; V2 ops a key, a counter and an algorithm, which
// StatelessRandomGetKeyCounter and its kin make of such a seed. The algorithm is
// Philox (1; 3 lets the device choose, which means the same).
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/random/random_internal.h"

enum { ALGORITHM_PHILOX = 1, ALGORITHM_THREEFRY = 2, ALGORITHM_AUTO = 3 };

static sli_status_t *bad_shape(const char *format, const sli_tensor_t *tensor) {
  char *shape = sli_shape_to_text(sli_tensor_shape(tensor)), *text = sli_format(format, shape);
  sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, text);
  free(shape);
  free(text);
  return status;
}

static uint64_t seed_at(const sli_tensor_t *seed, int64_t i) {
  return seed->dtype == SLI_DTYPE_INT32 ? (uint64_t)(int64_t)SLI_DATA(int32_t, seed)[i] : SLI_DATA(uint64_t, seed)[i];
}

// The seed is scrambled by Philox itself, so that neighbouring seeds have nothing in common.
sli_status_t *sli_random_scramble(const sli_tensor_t *seed, sli_philox_t *out_generator) {
  if (seed->rank != 1 || seed->count != 2) return bad_shape("seed must have shape [2], not %s", seed);
  uint64_t first = seed_at(seed, 0), second = seed_at(seed, 1);
  sli_philox_t mixer = {{(uint32_t)first, (uint32_t)(first >> 32), (uint32_t)second, (uint32_t)(second >> 32)},
                        {0x3ec8f720, 0x02461e29}};
  uint32_t mix[4];
  sli_philox_next(&mixer, mix);
  *out_generator = (sli_philox_t){{0, 0, mix[2], mix[3]}, {mix[0], mix[1]}};
  return NULL;
}

// Inputs 1 to 3: key, counter, algorithm.
static sli_status_t *read_generator(sli_kernel_context_t *context, sli_philox_t *out_generator) {
  sli_tensor_t *key = sli_kernel_input(context, 1), *counter = sli_kernel_input(context, 2),
               *algorithm = sli_kernel_input(context, 3);
  if (algorithm->rank != 0) return bad_shape("input 3 (0-based) must have shape [], not %s", algorithm);
  int32_t id = *SLI_DATA(int32_t, algorithm);
  if (key->rank != 1 || key->count != 1)
    return bad_shape("key must have shape [1], not %s. (Note that batched keys are not supported yet.)", key);
  if (id != ALGORITHM_PHILOX && id != ALGORITHM_AUTO)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported algorithm id: %d", id);
  if (counter->rank != 1 || counter->count < 2)
    return bad_shape(
        "counter must be a vector with length at least 2; got shape: %s. (Note that batched counters are not "
        "supported yet.)",
        counter);
  uint64_t k = *SLI_DATA(uint64_t, key), low = SLI_DATA(uint64_t, counter)[0], high = SLI_DATA(uint64_t, counter)[1];
  *out_generator = (sli_philox_t){{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)},
                                  {(uint32_t)k, (uint32_t)(k >> 32)}};
  return NULL;
}

static sli_status_t *fill(sli_kernel_context_t *context, bool v2, sli_random_kind_t kind) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  sli_tensor_t *output;
  sli_philox_t generator;
  SLI_RETURN_IF_ERROR(sli_random_read_dims(context, dims, &rank));
  if (v2)
    SLI_RETURN_IF_ERROR(read_generator(context, &generator));
  else
    SLI_RETURN_IF_ERROR(sli_random_scramble(sli_kernel_input(context, 1), &generator));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  sli_random_fill(sli_kernel_pool(context), generator, kind, (sli_dtype_t)output->dtype, 0, 0, output->data,
                  output->count);
  return NULL;
}
static sli_status_t *uniform_v1(sli_kernel_context_t *context) { return fill(context, false, SLI_RANDOM_UNIFORM); }
static sli_status_t *normal_v1(sli_kernel_context_t *context) { return fill(context, false, SLI_RANDOM_NORMAL); }
static sli_status_t *truncated_v1(sli_kernel_context_t *context) {
  return fill(context, false, SLI_RANDOM_TRUNCATED_NORMAL);
}
static sli_status_t *uniform_v2(sli_kernel_context_t *context) { return fill(context, true, SLI_RANDOM_UNIFORM); }
static sli_status_t *normal_v2(sli_kernel_context_t *context) { return fill(context, true, SLI_RANDOM_NORMAL); }
static sli_status_t *truncated_v2(sli_kernel_context_t *context) {
  return fill(context, true, SLI_RANDOM_TRUNCATED_NORMAL);
}

static sli_status_t *key_counter(sli_kernel_context_t *context) {
  sli_tensor_t *key, *counter, *algorithm;
  sli_philox_t generator;
  SLI_RETURN_IF_ERROR(sli_random_scramble(sli_kernel_input(context, 0), &generator));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(1), &key));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(2), &counter));
  SLI_DATA(uint64_t, key)[0] = generator.key[0] | (uint64_t)generator.key[1] << 32;
  for (int i = 0; i < 2; i++)
    SLI_DATA(uint64_t, counter)[i] = generator.counter[2 * i] | (uint64_t)generator.counter[2 * i + 1] << 32;
  if (context->output_count == 3) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE_SCALAR, &algorithm));
    *SLI_DATA(int32_t, algorithm) = ALGORITHM_PHILOX;
  }
  return NULL;
}

static sli_status_t *get_algorithm(sli_kernel_context_t *context) {
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32(ALGORITHM_PHILOX));
  return NULL;
}

static sli_status_t *check_seed(sli_shape_context_t *c, int index) {
  sli_shape_t seed;
  int64_t two;
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, index, 1, &seed));
  return sli_shape_merge_dims(sli_shape_dim(seed, 0), 2, &two);
}

static sli_status_t *shape_v1(sli_shape_context_t *c) {
  SLI_RETURN_IF_ERROR(check_seed(c, 1));
  return sli_random_shape(c);
}

static sli_status_t *shape_v2(sli_shape_context_t *c) {
  sli_shape_t key, counter, scalar;
  int64_t one;
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 1, 1, &key));
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 2, 1, &counter));
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 3, 0, &scalar));
  SLI_RETURN_IF_ERROR(sli_shape_merge_dims(sli_shape_dim(key, 0), 1, &one));
  return sli_random_shape(c);
}

static sli_status_t *key_counter_shape(sli_shape_context_t *c) {
  int64_t one = 1, two = 2;
  SLI_RETURN_IF_ERROR(check_seed(c, 0));
  sli_shape_set_output(c, 0, sli_shape_make(c, 1, &one));
  sli_shape_set_output(c, 1, sli_shape_make(c, 1, &two));
  if (c->node->output_count == 3) sli_shape_set_output(c, 2, SLI_SHAPE_SCALAR);
  return NULL;
}

#define V1_ROW(op_name)                                                                            \
  {                                                                                                \
    .name = op_name, .inputs = "shape: T, seed: Tseed", .outputs = "output: dtype",                \
    .attrs =                                                                                       \
        "dtype: {half, bfloat16, float, double} = DT_FLOAT; T: {int32, int64} = DT_INT32; Tseed: " \
        "{int32, int64} = DT_INT64",                                                               \
    .shape = shape_v1, .not_differentiable = true                                                  \
  }
#define V2_ROW(op_name)                                                                                               \
  {                                                                                                                   \
    .name = op_name, .inputs = "shape: Tshape, key: uint64, counter: uint64, alg: int32", .outputs = "output: dtype", \
    .attrs = "dtype: {half, bfloat16, float, double} = DT_FLOAT; Tshape: {int32, int64} = DT_INT32",                  \
    .shape = shape_v2, .not_differentiable = true                                                                     \
  }

static const sli_op_def_t ops[] = {
    V1_ROW("StatelessRandomUniform"),
    V1_ROW("StatelessRandomNormal"),
    V1_ROW("StatelessTruncatedNormal"),
    V2_ROW("StatelessRandomUniformV2"),
    V2_ROW("StatelessRandomNormalV2"),
    V2_ROW("StatelessTruncatedNormalV2"),
    {.name = "StatelessRandomGetKeyCounter",
     .inputs = "seed: Tseed",
     .outputs = "key: uint64, counter: uint64",
     .attrs = "Tseed: {int32, int64} = DT_INT64",
     .shape = key_counter_shape},
    {.name = "StatelessRandomGetKeyCounterAlg",
     .inputs = "seed: Tseed",
     .outputs = "key: uint64, counter: uint64, alg: int32",
     .attrs = "Tseed: {int32, int64} = DT_INT64",
     .shape = key_counter_shape},
    {.name = "StatelessRandomGetAlg", .outputs = "alg: int32", .shape = sli_shape_fn_scalar, .is_stateful = true},
};

#define V1_KERNEL(op_name, function) \
  { .op = op_name, .where = {{"dtype", SLI_TYPES_FLOATING}}, .host_memory = "shape, seed", .compute = function }
#define V2_KERNEL(op_name, function) \
  { .op = op_name, .where = {{"dtype", SLI_TYPES_FLOATING}}, .host_memory = "shape, alg", .compute = function }

static const sli_kernel_def_t kernels[] = {
    V1_KERNEL("StatelessRandomUniform", uniform_v1),
    V1_KERNEL("StatelessRandomNormal", normal_v1),
    V1_KERNEL("StatelessTruncatedNormal", truncated_v1),
    V2_KERNEL("StatelessRandomUniformV2", uniform_v2),
    V2_KERNEL("StatelessRandomNormalV2", normal_v2),
    V2_KERNEL("StatelessTruncatedNormalV2", truncated_v2),
    {.op = "StatelessRandomGetKeyCounter", .host_memory = "seed, key, counter", .compute = key_counter},
    {.op = "StatelessRandomGetKeyCounterAlg", .host_memory = "seed, key, counter, alg", .compute = key_counter},
    {.op = "StatelessRandomGetAlg", .host_memory = "alg", .compute = get_algorithm},
};

SLI_OP_MODULE(stateless);
