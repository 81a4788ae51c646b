// The stateful random ops: RandomUniform, RandomStandardNormal, TruncatedNormal, RandomUniformInt, RandomShuffle. Each
// run of a node continues its stream. A seed gives TensorFlow's numbers.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/random/random_internal.h"

sli_status_t *sli_random_op_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_philox_stream_t *stream;
  sli_status_t *status = sli_philox_stream_create(setup->node, &stream);
  *out_state = stream;
  return status;
}
void sli_random_op_destroy(void *state) { sli_philox_stream_destroy(state); }

// The stream has its own mutex.
sli_philox_t sli_random_op_reserve(sli_kernel_context_t *context, uint64_t groups) {
  return sli_philox_stream_reserve((sli_philox_stream_t *)sli_kernel_state(context), groups);
}

sli_status_t *sli_random_op_read_dims(sli_kernel_context_t *context, int index, int64_t *out_dims, int *out_rank) {
  sli_tensor_t *shape = sli_kernel_input(context, index);
  if (shape->rank != 1) {
    char *text = sli_shape_to_text(sli_tensor_shape(shape));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "shape must be a vector of {int32,int64}, got shape %s", text);
    free(text);
    return status;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, index, "shape", out_dims, SLI_MAX_RANK, out_rank));
  for (int d = 0; d < *out_rank; d++)
    if (out_dims[d] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0", (long long)out_dims[d]);
  return NULL;
}

// Allocates output 0 with the shape in input 0.
static sli_status_t *allocate_output(sli_kernel_context_t *context, sli_tensor_t **out_tensor) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  SLI_RETURN_IF_ERROR(sli_random_op_read_dims(context, 0, dims, &rank));
  return sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, out_tensor);
}

static sli_status_t *fill_output(sli_kernel_context_t *context, sli_philox_kind_t kind) {
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(allocate_output(context, &output));
  sli_philox_fill(sli_kernel_pool(context), sli_random_op_reserve(context, sli_philox_groups(output->count)), kind,
                  (sli_dtype_t)output->dtype, 0, 0, output->data, output->count);
  return NULL;
}
static sli_status_t *uniform(sli_kernel_context_t *context) { return fill_output(context, SLI_PHILOX_UNIFORM); }
static sli_status_t *normal(sli_kernel_context_t *context) { return fill_output(context, SLI_PHILOX_NORMAL); }
static sli_status_t *truncated(sli_kernel_context_t *context) {
  return fill_output(context, SLI_PHILOX_TRUNCATED_NORMAL);
}

static sli_status_t *uniform_int(sli_kernel_context_t *context) {
  sli_tensor_t *output;
  for (int i = 1; i <= 2; i++) {
    sli_tensor_t *bound = sli_kernel_input(context, i);
    if (bound->rank == 0) continue;
    char *shape = sli_shape_to_text(sli_tensor_shape(bound));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 0-D, got shape %s", i == 1 ? "minval" : "maxval", shape);
    free(shape);
    return status;
  }
  SLI_RETURN_IF_ERROR(allocate_output(context, &output));
  if (output->count == 0) return NULL;
  int64_t low = sli_tensor_int_at(sli_kernel_input(context, 1), 0);
  int64_t high = sli_tensor_int_at(sli_kernel_input(context, 2), 0);
  if (low >= high)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Need minval < maxval, got %lld >= %lld", (long long)low,
                           (long long)high);
  sli_philox_fill(sli_kernel_pool(context), sli_random_op_reserve(context, sli_philox_groups(output->count)),
                  SLI_PHILOX_UNIFORM_INT, (sli_dtype_t)output->dtype, low, (uint64_t)high - (uint64_t)low, output->data,
                  output->count);
  return NULL;
}

sli_status_t *sli_random_op_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 0, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *uniform_int_shape(sli_infer_context_t *c) {
  sli_shape_t scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &scalar));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &scalar));
  return sli_random_op_shape(c);
}

static void copy_row(sli_tensor_t *output, int64_t to, const sli_tensor_t *input, int64_t from, int64_t width) {
  sli_dtype_t dtype = (sli_dtype_t)input->dtype;
  size_t size = sli_dtype_size(dtype);
  if (sli_dtype_is_plain(dtype)) {
    memcpy((char *)output->data + (size_t)(to * width) * size,
           (const char *)input->data + (size_t)(from * width) * size, (size_t)width * size);
    return;
  }
  for (int64_t i = 0; i < width; i++) {
    if (dtype == SLI_DTYPE_STRING) {
      sli_view_t text = sli_tstring_view(&SLI_DATA(const sli_tstring_t, input)[from * width + i]);
      sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[to * width + i], text.data, text.size);
    } else {
      SLI_DATA(sli_object_t *, output)
      [to * width + i] = sli_object_retain(SLI_DATA(sli_object_t *, input)[from * width + i]);
    }
  }
}

// Shuffles along the first dimension: Fisher-Yates over the indices, with one random word for each.
sli_status_t *sli_random_op_shuffle(sli_kernel_context_t *context, sli_philox_t generator) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (input->count <= 1 || input->dims[0] <= 1) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  int64_t rows = input->dims[0], width = input->count / rows;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  int64_t *order = sli_malloc_or_null((size_t)rows * sizeof(*order));
  if (!order) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when shuffling %lld rows", (long long)rows);
  for (int64_t i = 0; i < rows; i++) order[i] = i;
  sli_philox_words_t words = sli_philox_words(generator);
  for (int64_t i = 0; i + 1 < rows; i++) {
    int64_t j = i + (int64_t)(sli_philox_word(&words) % (uint32_t)(rows - i)), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  for (int64_t i = 0; i < rows; i++) copy_row(output, i, input, order[i], width);
  free(order);
  return NULL;
}

static sli_status_t *shuffle(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  bool trivial = input->count <= 1 || input->dims[0] <= 1;
  uint64_t groups = trivial ? 0 : (uint64_t)(input->dims[0] - 1 + 3) / 4;
  return sli_random_op_shuffle(context, sli_random_op_reserve(context, groups));
}

static const sli_op_def_t ops[] = {
    {.name = "RandomUniform",
     .inputs = "shape: T",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}",
     .shape = sli_random_op_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "RandomStandardNormal",
     .inputs = "shape: T",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}",
     .shape = sli_random_op_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "TruncatedNormal",
     .inputs = "shape: T",
     .outputs = "output: dtype",
     .attrs = "seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}",
     .shape = sli_random_op_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "RandomUniformInt",
     .inputs = "shape: T, minval: Tout, maxval: Tout",
     .outputs = "output: Tout",
     .attrs = "seed: int = 0; seed2: int = 0; Tout: {int32, int64}; T: {int32, int64}",
     .shape = uniform_int_shape,
     .is_stateful = true},
    {.name = "RandomShuffle",
     .inputs = "value: T",
     .outputs = "output: T",
     .attrs = "seed: int = 0; seed2: int = 0; T: type",
     .shape = sli_infer_fn_unchanged,
     .not_differentiable = true,
     .is_stateful = true,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RandomUniform",
     .where = {{"dtype", SLI_TYPES_FLOATING}},
     .host_memory = "shape",
     .compute = uniform,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy},
    {.op = "RandomStandardNormal",
     .where = {{"dtype", SLI_TYPES_FLOATING}},
     .host_memory = "shape",
     .compute = normal,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy},
    {.op = "TruncatedNormal",
     .where = {{"dtype", SLI_TYPES_FLOATING}},
     .host_memory = "shape",
     .compute = truncated,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy},
    {.op = "RandomUniformInt",
     .where = {{"Tout", SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .host_memory = "shape, minval, maxval",
     .compute = uniform_int,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy},
    {.op = "RandomShuffle",
     .types = SLI_TYPES_NUMBER | SLI_TYPE_BOOL | SLI_TYPE_STRING | SLI_TYPE_RESOURCE | SLI_TYPE_VARIANT,
     .compute = shuffle,
     .create = sli_random_op_create,
     .destroy = sli_random_op_destroy},
};

SLI_OP_MODULE(random);
