// SparseCross, SparseCrossV2, SparseCrossHashed: feature crosses of sparse and dense matrices.
#include "core/op/op_registry.h"
#include "core/op/shape_inference.h"
#include "ops/sparse/feature_cross.h"

// The inputs: |sparse_count| matrices as indices, values and shapes, then dense ones.
typedef struct {
  int sparse_count, dense_count;
  int64_t rows;
} cross_inputs_t;

static sli_tensor_t *part_of(const sli_kernel_context_t *context, const cross_inputs_t *in, int part, int i) {
  return sli_kernel_input(context, part * in->sparse_count + i);
}

static sli_status_t *check_sparse(const sli_kernel_context_t *context, const cross_inputs_t *in, int i) {
  const sli_tensor_t *indices = part_of(context, in, 0, i), *values = part_of(context, in, 1, i);
  const sli_tensor_t *shape = part_of(context, in, 2, i);
  if (indices->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input indices should be a matrix but received shape %s at position %d",
                           sli_tensor_shape_text(indices).text, i);
  if (indices->dims[1] != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected D2 of index to be 2 got %lld at position %d",
                           (long long)indices->dims[1], i);
  if (values->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input values should be a vector but received shape %s at position %d",
                           sli_tensor_shape_text(values).text, i);
  if (indices->dims[0] != values->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected size of values to be %lld got %lld at position %d",
                           (long long)indices->dims[0], (long long)values->dims[0], i);
  if (shape->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input shapes should be a vector but received shape %s at position %d",
                           sli_tensor_shape_text(shape).text, i);
  if (shape->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "shape should imply a 2D tensor, but got %s at position %d",
                           sli_tensor_shape_text(shape).text, i);
  return NULL;
}

static sli_status_t *check_inputs(const sli_kernel_context_t *context, cross_inputs_t *in) {
  for (int i = 0; i < in->sparse_count; i++) SLI_RETURN_IF_ERROR(check_sparse(context, in, i));
  for (int i = 0; i < in->dense_count; i++) {
    const sli_tensor_t *dense = sli_kernel_input(context, 3 * in->sparse_count + i);
    if (dense->rank != 2)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Dense inputs should be a matrix but received shape %s at position %d",
                             sli_tensor_shape_text(dense).text, i);
  }
  in->rows = in->sparse_count  ? SLI_DATA(int64_t, part_of(context, in, 2, 0))[0]
             : in->dense_count ? sli_kernel_input(context, 0)->dims[0]
                               : 0;
  if (in->rows < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Batch size must not be negative: %lld", (long long)in->rows);
  for (int i = 0; i < in->sparse_count; i++) {
    int64_t rows = SLI_DATA(int64_t, part_of(context, in, 2, i))[0];
    if (rows != in->rows)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected batch size %lld got %lld at position %d",
                             (long long)in->rows, (long long)rows, i);
  }
  for (int i = 0; i < in->dense_count; i++) {
    int64_t rows = sli_kernel_input(context, 3 * in->sparse_count + i)->dims[0];
    if (rows != in->rows)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected batch size %lld got %lld at dense tensor %d",
                             (long long)in->rows, (long long)rows, i);
  }
  return NULL;
}

static sli_status_t *set_columns(const sli_kernel_context_t *context, const cross_inputs_t *in, sli_cross_t *cross) {
  for (int i = 0; i < in->sparse_count; i++)
    SLI_RETURN_IF_ERROR(sli_cross_set_sparse(cross, i, part_of(context, in, 0, i), part_of(context, in, 1, i)));
  for (int i = 0; i < in->dense_count; i++)
    sli_cross_set_dense(cross, in->sparse_count + i, sli_kernel_input(context, 3 * in->sparse_count + i));
  return NULL;
}

static sli_status_t *write_crosses(sli_kernel_context_t *context, const sli_cross_t *cross) {
  int64_t total = 0, most = 0, count, at = 0;
  sli_tensor_t *indices, *values, *shape;
  for (int64_t r = 0; r < cross->rows; r++) {
    SLI_RETURN_IF_ERROR(sli_cross_count(cross, r, &count));
    if (count > most) most = count;
    if (__builtin_add_overflow(total, count, &total))
      return sli_status_make(SLI_INVALID_ARGUMENT, "There are too many crosses");
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(total, 2), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(total), &values));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(2), &shape));
  for (int64_t r = 0; r < cross->rows; r++) {
    SLI_RETURN_IF_ERROR(sli_cross_count(cross, r, &count));
    sli_cross_fill(cross, r, count, values, at);
    for (int64_t k = 0; k < count; k++) {
      SLI_DATA(int64_t, indices)[2 * (at + k)] = r;
      SLI_DATA(int64_t, indices)[2 * (at + k) + 1] = k;
    }
    at += count;
  }
  SLI_DATA(int64_t, shape)[0] = cross->rows;
  SLI_DATA(int64_t, shape)[1] = most;
  return NULL;
}

// |options| has the kind and what belongs to it.
static sli_status_t *cross_compute(sli_kernel_context_t *context, const sli_cross_t *options) {
  cross_inputs_t in = {0};
  int first;
  sli_cross_t cross;
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "indices", &first, &in.sparse_count));
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "dense_inputs", &first, &in.dense_count));
  SLI_RETURN_IF_ERROR(check_inputs(context, &in));
  SLI_RETURN_IF_ERROR(sli_cross_initialize(&cross, in.sparse_count + in.dense_count, in.rows));
  cross.kind = options->kind;
  cross.separator = options->separator;
  cross.key = options->key;
  cross.salt[0] = options->salt[0];
  cross.salt[1] = options->salt[1];
  cross.buckets = options->buckets;
  sli_status_t *status = set_columns(context, &in, &cross);
  if (!status) status = write_crosses(context, &cross);
  sli_cross_deinitialize(&cross);
  return status;
}

static sli_status_t *v1_compute(sli_kernel_context_t *context) {
  bool is_hashed;
  int64_t key;
  sli_cross_t options = {.separator = sli_view("_X_")};
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "hashed_output", &is_hashed));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "hash_key", &key));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "num_buckets", &options.buckets));
  options.key = (uint64_t)key;
  // TensorFlow decides by the types alone. Numbers become text only if the type inside is int64.
  sli_dtype_t inside;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "internal_type", &inside));
  int first, count;
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "shapes", &first, &count));
  for (int i = 0; i < context->input_count; i++) {
    bool is_value = (i >= first - count && i < first) || i >= first + count;
    if (inside == SLI_DTYPE_STRING && context->node->output_types[1] == SLI_DTYPE_STRING && is_value &&
        context->node->input_types[i] != SLI_DTYPE_STRING)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Input values and dense_inputs must be strings if internal_type is, got %s",
                             sli_dtype_name(context->node->input_types[i]));
  }
  options.kind = context->node->output_types[1] == SLI_DTYPE_STRING ? SLI_CROSS_JOIN : SLI_CROSS_HASH;
  return cross_compute(context, &options);
}

static sli_status_t *v2_compute(sli_kernel_context_t *context) {
  int separator = context->input_count - 1;
  const sli_tensor_t *text = sli_kernel_input(context, separator);
  if (text->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input separator should be a scalar. Received: %s",
                           sli_tensor_shape_text(text).text);
  sli_cross_t options = {.kind = SLI_CROSS_JOIN,
                         .separator = sli_tensor_string_at(sli_kernel_input(context, separator), 0)};
  return cross_compute(context, &options);
}

static sli_status_t *hashed_compute(sli_kernel_context_t *context) {
  int first = context->input_count - 3;
  const sli_tensor_t *strong = sli_kernel_input(context, first + 1), *salt = sli_kernel_input(context, first + 2);
  sli_cross_t options = {.kind = SLI_CROSS_HASH_EACH};
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, first, "num_buckets", &options.buckets));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, first + 1, "strong_hash"));
  if (salt->count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input \"salt\" must have length 2 but received a tensor of shape %s",
                           sli_tensor_shape_text(salt).text);
  if (SLI_DATA(bool, strong)[0]) options.kind = SLI_CROSS_HASH_SALT;
  options.salt[0] = (uint64_t)SLI_DATA(int64_t, salt)[0];
  options.salt[1] = (uint64_t)SLI_DATA(int64_t, salt)[1];
  return cross_compute(context, &options);
}

static sli_status_t *cross_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, 2}));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, 2, sli_infer_make(c, 1, (int64_t[]){2}));
  return NULL;
}

#define COLUMNS "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types"
#define TYPES "sparse_types: list({int64, string}) >= 0; dense_types: list({int64, string}) >= 0"

static const sli_op_def_t ops[] = {
    {.name = "SparseCross",
     .inputs = COLUMNS,
     .outputs = "output_indices: int64, output_values: out_type, output_shape: int64",
     .attrs = "N: int >= 0; hashed_output: bool; num_buckets: int >= 0; hash_key: int; " TYPES
              "; out_type: {int64, string}; internal_type: {int64, string}",
     .summary = "Crosses features: all combinations of one value of each column, joined or hashed.",
     .shape = cross_shape},
    {.name = "SparseCrossV2",
     .inputs = COLUMNS ", sep: string",
     .outputs = "output_indices: int64, output_values: string, output_shape: int64",
     .attrs = "N: int >= 0; " TYPES,
     .summary = "Crosses features: all combinations of one value of each column, joined.",
     .shape = cross_shape},
    {.name = "SparseCrossHashed",
     .inputs = COLUMNS ", num_buckets: int64, strong_hash: bool, salt: int64",
     .outputs = "output_indices: int64, output_values: int64, output_shape: int64",
     .attrs = "N: int >= 0; " TYPES,
     .summary = "Crosses features: all combinations of one value of each column, hashed.",
     .shape = cross_shape},
};

#define TEXT_OR_INT (SLI_TYPE_INT64 | SLI_TYPE_STRING)

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseCross", .where = {{"out_type", TEXT_OR_INT}, {"internal_type", TEXT_OR_INT}}, .compute = v1_compute},
    {.op = "SparseCrossV2", .compute = v2_compute},
    {.op = "SparseCrossHashed", .compute = hashed_compute},
};
SLI_OP_MODULE(sparse_cross);
