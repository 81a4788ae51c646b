// Partitioned variables. The parts are separate variables ("NAME/part_0"), which a
// device setter places one by one. The program uses the concatenated parts.
// Checkpoints hold the whole variable.
#include <stdlib.h>

#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"

static int64_t at_least_one(int64_t number) { return number < 1 ? 1 : number; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t quotient_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// The number of parts; the formulas of TensorFlow's partitioners.
static int64_t count_parts(sl_partitioner_t cut, sl_shape_t shape, int64_t element_bytes) {
  enum { USUAL_MIN_BYTES = 256 << 10 };
  int64_t length = at_least_one(shape.dims[cut.axis]);
  int64_t bytes = sli_tf_shape_elements(shape) * element_bytes;
  switch ((sl_partitioner_kind_t)cut.kind) {
    case SL_PARTITIONER_FIXED_SIZE: return smaller(cut.shards, length);
    case SL_PARTITIONER_AXIS_SIZE: {
      int64_t per_shard = at_least_one(cut.bytes / at_least_one(bytes / length));
      int64_t shards = quotient_up(length, per_shard);
      return cut.shards > 0 ? smaller(cut.shards, shards) : shards;
    }
    case SL_PARTITIONER_MIN_MAX: {
      int64_t shards = quotient_up(bytes, cut.bytes > 0 ? cut.bytes : USUAL_MIN_BYTES);
      return at_least_one(smaller(smaller(length, cut.shards), shards));
    }
    default: return 1;
  }
}

static bool check_partitioner(sl_scope_t *scope, const char *name, sl_partitioner_t cut, sl_shape_t shape) {
  if (cut.axis < 0 || cut.axis >= shape.rank)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Cannot partition variable %s along axis %d when its rank is only %d",
                  name, cut.axis, shape.rank);
  bool by_bytes = cut.kind == SL_PARTITIONER_AXIS_SIZE;
  if (by_bytes ? cut.bytes < 1 : cut.shards < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "partitioner of variable %s: %s must be at least 1, got %lld", name,
                  by_bytes ? "bytes" : "shards", (long long)(by_bytes ? cut.bytes : cut.shards));
  if (sli_tf_shape_elements(shape) < 0) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "Shape of a new partitioned variable (%s) must be fully defined, but instead was %s.", name, text);
    free(text);
  }
  return sli_scope_ok(scope);
}

// The concatenated parts, named like the whole variable.
static TF_Output join(sl_scope_t *scope, const char *name, int axis, sl_outputs_t parts) {
  TF_Output whole = {0};
  SL_NAME_SCOPE (scope, "%s", "") {
    TF_Output joined = parts.items[0];
    if (parts.count > 1) {
      SL_NAME_SCOPE (scope, "%s/ConcatPartitions/", name) {
        joined = sli_build_concat(scope, parts.items, parts.count, axis, NULL);
      }
    }
    whole = sl_unary(scope, "Identity", joined, SL_OP_OPTIONS(.name = name));
  }
  return whole;
}

typedef struct {
  sl_outputs_t parts;
  TF_Output whole;
} partitioned_t;

TF_Output sli_train_variable_get_partitioned(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                                             const sl_get_variable_options_t *options) {
  sl_partitioner_t cut = options->partitioner;
  const partitioned_t *known = sli_map_get(&scope->partitioned, sli_view(name));
  if (known && sli_scope_reuse(scope) != SL_REUSE_INHERIT) return known->whole;
  if (!check_partitioner(scope, name, cut, shape)) return (TF_Output){0};
  size_t element_bytes = TF_DataTypeSize(dtype);
  int64_t count = count_parts(cut, shape, element_bytes ? (int64_t)element_bytes : 16), length = shape.dims[cut.axis];
  sli_train_variable_slice_t slice = {.full_name = name, .full_shape = shape};
  sli_outputs_t parts = {0};
  for (int64_t i = 0; i < count && sli_scope_ok(scope); i++) {
    sl_shape_t part = shape;
    part.dims[cut.axis] = length / count + (i < length % count);
    char *part_name = sli_format("%s/part_%lld", name, (long long)i);
    sli_array_push(&parts, sli_train_variable_get(scope, part_name, dtype, part, options, &slice));
    free(part_name);
    slice.offsets[cut.axis] += part.dims[cut.axis];
  }
  TF_Output whole = {0};
  if (sli_scope_ok(scope)) {
    partitioned_t *made = sli_calloc(1, sizeof(*made));
    sli_scope_own(scope, made, free);
    made->parts = sli_scope_copy_outputs(scope, parts.items, parts.count);
    made->whole = whole = join(scope, name, cut.axis, made->parts);
    sli_map_set(&scope->partitioned, sli_view(name), made);
  }
  sli_array_deinitialize(&parts);
  return whole;
}

sl_outputs_t sl_variable_parts(sl_scope_t *scope, TF_Output value) {
  SLI_MAP_FOR_EACH (&scope->partitioned, entry) {
    const partitioned_t *partitioned = entry->value;
    if (value.oper && partitioned->whole.oper == value.oper) return partitioned->parts;
  }
  return sli_scope_copy_outputs(scope, &value, 1);
}
