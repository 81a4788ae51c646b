// StochasticCastToInt: floats become integers, up or down at random so that the mean is kept. Numbers that do not fit
// become the largest or least, a NaN 0. Each number that is rounded takes a group of random words.
#include <math.h>

#include "math/half.h"
#include "ops/random/random_internal.h"

static double load(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    case SLI_DTYPE_HALF: return sli_half_to_float(SLI_DATA(uint16_t, tensor)[i]);
    default: return sli_bfloat16_to_float(SLI_DATA(uint16_t, tensor)[i]);
  }
}

static int32_t round_off(double value, double low, double high, sli_philox_t *generator) {
  if (isnan(value)) return 0;
  if (value >= high) return (int32_t)high;
  if (value <= low) return (int32_t)low;
  if (floor(value) == value) return (int32_t)value;
  uint32_t words[4];
  sli_philox_next(generator, words);
  double random = sli_philox_to_double(words[0], words[1]);
  // The magnitude is rounded up if the random number is below its fraction.
  double rounded = value < 0 ? floor(value + random) : floor(value + 1 - random);
  return (int32_t)fmax(low, fmin(high, rounded));
}

static sli_status_t *stochastic_cast(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  sli_philox_t generator;
  SLI_RETURN_IF_ERROR(sli_random_op_read_generator(context, 1, &generator));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  for (int64_t i = 0; i < input->count; i++) {
    double value = load(input, i);
    switch ((sli_dtype_t)output->dtype) {
      case SLI_DTYPE_INT8:
        SLI_DATA(int8_t, output)[i] = (int8_t)round_off(value, INT8_MIN, INT8_MAX, &generator);
        break;
      case SLI_DTYPE_INT16:
        SLI_DATA(int16_t, output)[i] = (int16_t)round_off(value, INT16_MIN, INT16_MAX, &generator);
        break;
      default: SLI_DATA(int32_t, output)[i] = round_off(value, INT32_MIN, INT32_MAX, &generator);
    }
  }
  return NULL;
}

static sli_status_t *stochastic_cast_shape(sli_infer_context_t *c) {
  sli_shape_t key, counter, scalar;
  int64_t one;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &key));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &counter));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &scalar));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(key, 0), 1, &one));
  return sli_infer_fn_unchanged(c);
}

static const sli_op_def_t ops[] = {
    {.name = "StochasticCastToInt",
     .inputs = "input: Tin, key: uint64, counter: uint64, alg: int32",
     .outputs = "output: Tout",
     .attrs = "Tin: {half, bfloat16, float, double}; Tout: {int8, int16, int32}",
     .shape = stochastic_cast_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "StochasticCastToInt",
     .where = {{"Tin", SLI_TYPES_FLOATING}, {"Tout", SLI_TYPE_INT8 | SLI_TYPE_INT16 | SLI_TYPE_INT32}},
     .host_memory = "alg",
     .compute = stochastic_cast},
};

SLI_OP_MODULE(stochastic_cast);
