// The stateless random ops: values depend on the seed only. V1 ops take a seed of two integers; V2 ops take a key, a
// counter and an algorithm, which ops like StatelessRandomGetKeyCounter make from such a seed. The algorithm is Philox
// (1; 3 lets the device choose, which is Philox too).
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/random/random_internal.h"

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

// Scrambles the seed with Philox, so that similar seeds give unrelated streams.
sli_status_t *sli_random_op_scramble(const sli_tensor_t *seed, sli_philox_t *out_generator) {
  if (seed->rank != 1 || seed->count != 2) return bad_shape("seed must have shape [2], not %s", seed);
  if (seed->dtype != SLI_DTYPE_INT32 && seed->dtype != SLI_DTYPE_INT64)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid seed type: %s", sli_dtype_name((sli_dtype_t)seed->dtype));
  *out_generator = sli_philox_scramble(seed_at(seed, 0), seed_at(seed, 1));
  return NULL;
}

sli_status_t *sli_random_op_read_generator(sli_kernel_context_t *context, int index, sli_philox_t *out_generator) {
  sli_tensor_t *key = sli_kernel_input(context, index), *counter = sli_kernel_input(context, index + 1),
               *algorithm = sli_kernel_input(context, index + 2);
  if (algorithm->rank != 0) return bad_shape("input 3 (0-based) must have shape [], not %s", algorithm);
  int32_t id = *SLI_DATA(int32_t, algorithm);
  if (key->rank != 1 || key->count != 1)
    return bad_shape("key must have shape [1], not %s. (Note that batched keys are not supported yet.)", key);
  if (id != SLI_RANDOM_OP_PHILOX && id != SLI_RANDOM_OP_AUTO)
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

static sli_status_t *begin(sli_kernel_context_t *context, bool v2, sli_philox_t *out_generator,
                           sli_tensor_t **out_output) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  SLI_RETURN_IF_ERROR(sli_random_op_read_dims(context, 0, dims, &rank));
  SLI_RETURN_IF_ERROR(v2 ? sli_random_op_read_generator(context, 1, out_generator)
                         : sli_random_op_scramble(sli_kernel_input(context, 1), out_generator));
  return sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, out_output);
}

static sli_status_t *fill_stateless(sli_kernel_context_t *context, bool v2, sli_philox_kind_t kind) {
  sli_tensor_t *output;
  sli_philox_t generator;
  SLI_RETURN_IF_ERROR(begin(context, v2, &generator, &output));
  sli_philox_fill(sli_kernel_pool(context), generator, kind, (sli_dtype_t)output->dtype, 0, 0, output->data,
                  output->count);
  return NULL;
}

// Integers of [minval, maxval), the last two inputs.
static sli_status_t *fill_integers(sli_kernel_context_t *context, bool v2) {
  sli_tensor_t *output, *low = sli_kernel_input(context, v2 ? 4 : 2), *high = sli_kernel_input(context, v2 ? 5 : 3);
  sli_philox_t generator;
  if (low->rank != 0) return bad_shape("minval must be 0-D, got shape %s", low);
  if (high->rank != 0) return bad_shape("maxval must be 0-D, got shape %s", high);
  SLI_RETURN_IF_ERROR(begin(context, v2, &generator, &output));
  if (output->count == 0) return NULL;
  int64_t first = sli_tensor_int_at(low, 0), last = sli_tensor_int_at(high, 0);
  if (first >= last)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Need minval < maxval, got %lld >= %lld", (long long)first,
                           (long long)last);
  sli_philox_fill(sli_kernel_pool(context), generator, SLI_PHILOX_UNIFORM_INT, (sli_dtype_t)output->dtype, first,
                  (uint64_t)last - (uint64_t)first, output->data, output->count);
  return NULL;
}
static sli_status_t *integers_v1(sli_kernel_context_t *context) { return fill_integers(context, false); }
static sli_status_t *integers_v2(sli_kernel_context_t *context) { return fill_integers(context, true); }
static sli_status_t *bits_v1(sli_kernel_context_t *context) { return fill_stateless(context, false, SLI_PHILOX_BITS); }
static sli_status_t *bits_v2(sli_kernel_context_t *context) { return fill_stateless(context, true, SLI_PHILOX_BITS); }

static sli_status_t *stateless_shuffle(sli_kernel_context_t *context) {
  sli_philox_t generator;
  SLI_RETURN_IF_ERROR(sli_random_op_read_generator(context, 1, &generator));
  return sli_random_op_shuffle(context, generator);
}

static sli_status_t *uniform_v1(sli_kernel_context_t *context) {
  return fill_stateless(context, false, SLI_PHILOX_UNIFORM);
}
static sli_status_t *normal_v1(sli_kernel_context_t *context) {
  return fill_stateless(context, false, SLI_PHILOX_NORMAL);
}
static sli_status_t *truncated_v1(sli_kernel_context_t *context) {
  return fill_stateless(context, false, SLI_PHILOX_TRUNCATED_NORMAL);
}
static sli_status_t *uniform_v2(sli_kernel_context_t *context) {
  return fill_stateless(context, true, SLI_PHILOX_UNIFORM);
}
static sli_status_t *normal_v2(sli_kernel_context_t *context) {
  return fill_stateless(context, true, SLI_PHILOX_NORMAL);
}
static sli_status_t *truncated_v2(sli_kernel_context_t *context) {
  return fill_stateless(context, true, SLI_PHILOX_TRUNCATED_NORMAL);
}

static sli_status_t *key_counter(sli_kernel_context_t *context) {
  sli_tensor_t *key, *counter, *algorithm;
  sli_philox_t generator;
  SLI_RETURN_IF_ERROR(sli_random_op_scramble(sli_kernel_input(context, 0), &generator));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(1), &key));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(2), &counter));
  SLI_DATA(uint64_t, key)[0] = generator.key[0] | (uint64_t)generator.key[1] << 32;
  for (int i = 0; i < 2; i++)
    SLI_DATA(uint64_t, counter)[i] = generator.counter[2 * i] | (uint64_t)generator.counter[2 * i + 1] << 32;
  if (context->output_count == 3) {
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE_SCALAR, &algorithm));
    *SLI_DATA(int32_t, algorithm) = SLI_RANDOM_OP_PHILOX;
  }
  return NULL;
}

static sli_status_t *get_algorithm(sli_kernel_context_t *context) {
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int32(SLI_RANDOM_OP_PHILOX));
  return NULL;
}

static sli_status_t *check_seed(sli_infer_context_t *c, int index) {
  sli_shape_t seed;
  int64_t two;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, index, 1, &seed));
  return sli_infer_merge_dims(sli_infer_dim(seed, 0), 2, &two);
}

static sli_status_t *shape_v1(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_seed(c, 1));
  return sli_random_op_shape(c);
}

static sli_status_t *shape_v2(sli_infer_context_t *c) {
  sli_shape_t key, counter, scalar;
  int64_t one;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &key));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &counter));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &scalar));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(key, 0), 1, &one));
  return sli_random_op_shape(c);
}

static sli_status_t *check_scalars(sli_infer_context_t *c, int first) {
  sli_shape_t scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, first, 0, &scalar));
  return sli_infer_input_with_rank(c, first + 1, 0, &scalar);
}
static sli_status_t *integers_v1_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_scalars(c, 2));
  return shape_v1(c);
}
static sli_status_t *integers_v2_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_scalars(c, 4));
  return shape_v2(c);
}

static sli_status_t *key_counter_shape(sli_infer_context_t *c) {
  int64_t one = 1, two = 2;
  SLI_RETURN_IF_ERROR(check_seed(c, 0));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &one));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, &two));
  if (c->node->output_count == 3) sli_infer_set_output(c, 2, SLI_SHAPE_SCALAR);
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
    {.name = "StatelessRandomUniformInt",
     .inputs = "shape: T, seed: Tseed, minval: dtype, maxval: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: {int32, int64}; T: {int32, int64}; Tseed: {int32, int64} = DT_INT64",
     .shape = integers_v1_shape,
     .not_differentiable = true},
    {.name = "StatelessRandomUniformIntV2",
     .inputs = "shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, maxval: dtype",
     .outputs = "output: dtype",
     .attrs = "dtype: {int32, int64, uint32, uint64}; Tshape: {int32, int64} = DT_INT32",
     .shape = integers_v2_shape,
     .not_differentiable = true},
    {.name = "StatelessRandomUniformFullInt",
     .inputs = "shape: T, seed: Tseed",
     .outputs = "output: dtype",
     .attrs = "dtype: {int32, int64, uint32, uint64} = DT_UINT64; T: {int32, int64} = DT_INT32; Tseed: {int32, "
              "int64, uint32, uint64} = DT_INT64",
     .shape = shape_v1,
     .not_differentiable = true},
    {.name = "StatelessRandomUniformFullIntV2",
     .inputs = "shape: Tshape, key: uint64, counter: uint64, alg: int32",
     .outputs = "output: dtype",
     .attrs = "dtype: {int32, int64, uint32, uint64} = DT_UINT64; Tshape: {int32, int64} = DT_INT32",
     .shape = shape_v2,
     .not_differentiable = true},
    {.name = "StatelessShuffle",
     .inputs = "value: T, key: uint64, counter: uint64, alg: int32",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = sli_infer_fn_unchanged,
     .forwards_input = true},
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
    {.name = "StatelessRandomGetAlg", .outputs = "alg: int32", .shape = sli_infer_fn_scalar, .is_stateful = true},
};

#define V1_KERNEL(op_name, function) \
  { .op = op_name, .where = {{"dtype", SLI_TYPES_FLOATING}}, .host_memory = "shape, seed", .compute = function }
#define V2_KERNEL(op_name, function) \
  { .op = op_name, .where = {{"dtype", SLI_TYPES_FLOATING}}, .host_memory = "shape, alg", .compute = function }

#define INTEGERS (SLI_TYPE_INT32 | SLI_TYPE_INT64 | SLI_TYPE_UINT32 | SLI_TYPE_UINT64)
#define SHUFFLED SLI_TYPES_COMMON

static const sli_kernel_def_t kernels[] = {
    V1_KERNEL("StatelessRandomUniform", uniform_v1),
    V1_KERNEL("StatelessRandomNormal", normal_v1),
    V1_KERNEL("StatelessTruncatedNormal", truncated_v1),
    V2_KERNEL("StatelessRandomUniformV2", uniform_v2),
    V2_KERNEL("StatelessRandomNormalV2", normal_v2),
    V2_KERNEL("StatelessTruncatedNormalV2", truncated_v2),
    {.op = "StatelessRandomUniformInt",
     .where = {{"dtype", SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .host_memory = "shape, seed, minval, maxval",
     .compute = integers_v1},
    {.op = "StatelessRandomUniformIntV2",
     .where = {{"dtype", SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .host_memory = "shape, alg, minval, maxval",
     .compute = integers_v2},
    {.op = "StatelessRandomUniformFullInt",
     .where = {{"dtype", INTEGERS}},
     .host_memory = "shape, seed",
     .compute = bits_v1},
    {.op = "StatelessRandomUniformFullIntV2",
     .where = {{"dtype", INTEGERS}},
     .host_memory = "shape, alg",
     .compute = bits_v2},
    {.op = "StatelessShuffle", .types = SHUFFLED, .compute = stateless_shuffle},
    {.op = "StatelessRandomGetKeyCounter", .host_memory = "seed, key, counter", .compute = key_counter},
    {.op = "StatelessRandomGetKeyCounterAlg", .host_memory = "seed, key, counter, alg", .compute = key_counter},
    {.op = "StatelessRandomGetAlg", .host_memory = "alg", .compute = get_algorithm},
};

SLI_OP_MODULE(stateless);
