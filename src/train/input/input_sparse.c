// Sparse tensors in batches. Before the queue each tensor is stored in a map of the
// task, and its handle, a number, is enqueued. After the queue the handles of the batch
// are exchanged for one sparse tensor with one more dimension.
#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"
#include "train/input/input_internal.h"

enum { PARTS = 3 };

static sl_sparse_t sparse_at(sl_outputs_t list, size_t position) {
  const TF_Output *parts = list.items + position;
  return (sl_sparse_t){.indices = parts[0], .values = parts[1], .dense_shape = parts[2]};
}

sl_sparse_t sl_outputs_sparse(sl_outputs_t outputs, size_t position) {
  return position + PARTS <= outputs.count ? sparse_at(outputs, position) : (sl_sparse_t){0};
}

bool sli_input_check_sparse(sl_scope_t *scope, sl_outputs_t list, const sli_input_store_options_t *how) {
  for (size_t i = 0; i < how->sparse_count && sli_scope_ok(scope); i++) {
    size_t position = how->sparse[i], before = i ? how->sparse[i - 1] + PARTS : 0;
    if (position < before || position + PARTS > list.count) {
      sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                    "SL_SPARSE_AT: a sparse tensor takes %d tensors of its own, but none fits at %zu in a list of %zu",
                    PARTS, position, list.count);
      break;
    }
    sl_sparse_t sparse = sparse_at(list, position);
    if (sl_dtype(sparse.indices) != TF_INT64 || sl_dtype(sparse.dense_shape) != TF_INT64)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                    "SL_SPARSE_AT: the indices and the shape at %zu must be int64, got %s and %s", position,
                    sli_tf_type_name(sl_dtype(sparse.indices)), sli_tf_type_name(sl_dtype(sparse.dense_shape)));
  }
  return sli_scope_ok(scope);
}

// --- Before the queue ---

// A sparse tensor to store, and the node that stores it.
typedef struct {
  sl_sparse_t sparse;
  bool many;
  const char *shared_name;  // of the map; "": the name of the node
  TF_Operation *adder;
} sparse_store_t;

static TF_Output build_add(sl_scope_t *scope, sparse_store_t *store) {
  sl_node_t *node = sl_node_begin(scope, store->many ? "AddManySparseToTensorsMap" : "AddSparseToTensorsMap", NULL);
  sl_node_input(node, store->sparse.indices);
  sl_node_input(node, store->sparse.values);
  sl_node_input(node, store->sparse.dense_shape);
  sl_node_attr_text(node, "shared_name", store->shared_name);
  store->adder = sl_node_finish(node);
  return (TF_Output){store->adder, 0};
}

static void store_branch(sl_scope_t *scope, void *data, TF_Output *results) { results[0] = build_add(scope, data); }

// Invalid handles (-1), one for each row of the tensor.
static TF_Output no_handles(sl_scope_t *scope, TF_Output dense_shape) {
  TF_Output shape = {0}, ones = {0};
  SL_NAME_SCOPE (scope, "Shape") {
    shape = sl_cast_with(scope, dense_shape, TF_INT32, NULL);
  }
  TF_Output rows = sli_build_strided_slice(scope, shape, &(sli_build_slice_t){.axes = 1, .end = {1}});
  SL_NAME_SCOPE (scope, "ones") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output one = sli_build_constant_fill(scope, TF_INT64, SL_SHAPE(), 1, "Const");
    ones = sl_binary(scope, "Fill", whole, rows, one, NULL);
    free(whole);
  }
  return sli_build_scaled(scope, -1, ones);
}

static void skip_branch(sl_scope_t *scope, void *data, TF_Output *results) {
  const sparse_store_t *store = data;
  results[0] = store->many ? no_handles(scope, store->sparse.dense_shape)
                           : sli_build_constant_fill(scope, TF_INT64, SL_SHAPE(), -1, "Const");
}

// The entries in rows for which |keep| is true, as tf.sparse_retain. The number of rows does not change.
static sl_sparse_t retain_rows(sl_scope_t *scope, sl_sparse_t sparse, TF_Output keep) {
  TF_Output rows = sli_build_strided_slice(
      scope, sparse.indices,
      &(sli_build_slice_t){
          .axes = 2, .begin = {0, 0}, .end = {0, 1}, .begin_mask = 1, .end_mask = 1, .shrink_mask = 2});
  TF_Output kept = sl_unary(scope, "Where", sli_build_gather_rows(scope, keep, rows, NULL), NULL);
  TF_Output entries = sl_reshape_with(scope, kept, SL_SHAPE(-1), NULL);
  sl_sparse_t result = {.indices = sli_build_gather_rows(scope, sparse.indices, entries, NULL)};
  result.values = sli_build_gather_rows(scope, sparse.values, entries, NULL);
  result.dense_shape = sl_unary(scope, "Identity", sparse.dense_shape, NULL);
  return result;
}

// Stores a tensor; returns its handle or handles.
static TF_Output store_one(sl_scope_t *scope, sparse_store_t *store, TF_Output keep) {
  if (keep.oper && sl_static_shape(scope, keep).rank == 1) {
    store->sparse = retain_rows(scope, store->sparse, keep);
    return build_add(scope, store);
  }
  if (!keep.oper) return build_add(scope, store);
  TF_Output handles = sl_cond_with(scope, keep, store_branch, skip_branch, store, 1, NULL).items[0];
  if (store->many) sli_build_set_shape(scope, handles, SL_SHAPE(-1));
  return handles;
}

// Adds a dimension to handles, along which the queue stacks.
static TF_Output as_column(sl_scope_t *scope, TF_Output handles) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "ExpandDims") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output dim = sli_build_constant_int32s(scope, &(int32_t){-1}, 1, "dim");
    result = sl_binary(scope, "ExpandDims", whole, handles, dim, NULL);
    free(whole);
  }
  return result;
}

// The rank of |sparse| in a batch; -1: unknown.
static int batch_rank(sl_scope_t *scope, sl_sparse_t sparse, bool many) {
  sl_shape_t shape = sl_static_shape(scope, sparse.dense_shape);
  if (shape.rank != 1 || shape.dims[0] < 0) return -1;
  return (int)shape.dims[0] + (many ? 0 : 1);
}

sl_outputs_t sli_input_store_sparse(sl_scope_t *scope, sl_outputs_t list, const sli_input_store_options_t *how,
                                    bool is_first, sli_input_component_t *components) {
  sli_outputs_t stored = {0};
  for (size_t i = 0, next = 0; i < list.count && sli_scope_ok(scope); i++) {
    sli_input_component_t *component = &components[stored.count];
    if (next == how->sparse_count || how->sparse[next] != i) {
      sli_array_push(&stored, list.items[i]);
      continue;
    }
    sparse_store_t store = {.sparse = sparse_at(list, i), .many = how->many};
    int rank = batch_rank(scope, store.sparse, how->many);
    store.shared_name = is_first ? "" : TF_OperationName(component->map);
    sli_array_push(&stored, store_one(scope, &store, how->keep));
    if (is_first) *component = (sli_input_component_t){.is_sparse = true, .map = store.adder, .rank = rank};
    if (rank >= 0 && component->rank >= 0 && rank != component->rank)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Inconsistent SparseTensors list: rank %d vs. %d at tensor %zu",
                    component->rank, rank, i);
    next++;
    i += PARTS - 1;
  }
  for (size_t i = 0; i < stored.count && sli_scope_ok(scope); i++)
    if (components[i].is_sparse) stored.items[i] = as_column(scope, stored.items[i]);
  sl_outputs_t result = sli_scope_copy_outputs(scope, stored.items, stored.count);
  sli_array_deinitialize(&stored);
  return result;
}

// --- After the queue ---

static TF_Operation *build_take(sl_scope_t *scope, TF_Output column, const sli_input_component_t *component) {
  TF_Output handles = sli_build_squeeze(scope, column, 1);
  TF_Operation *taken = NULL;
  TF_DataType dtype = TF_OperationInputType((TF_Input){component->map, 1});
  SL_COLOCATE_WITH(scope, component->map) {
    sl_node_t *node = sl_node_begin(scope, "TakeManySparseFromTensorsMap", NULL);
    sl_node_input(node, handles);
    sl_node_attr_type(node, "dtype", dtype);
    sl_node_attr_text(node, "shared_name", TF_OperationName(component->map));
    taken = sl_node_finish(node);
  }
  if (!taken || component->rank < 0) return taken;
  sli_build_set_shape(scope, (TF_Output){taken, 0}, SL_SHAPE(-1, component->rank));
  sli_build_set_shape(scope, (TF_Output){taken, 2}, SL_SHAPE(component->rank));
  return taken;
}

sl_outputs_t sli_input_restore_sparse(sl_scope_t *scope, sl_outputs_t dequeued,
                                      const sli_input_component_t *components) {
  sli_outputs_t restored = {0};
  sli_operations_t sources = {0};
  for (size_t i = 0; i < dequeued.count && sli_scope_ok(scope); i++) {
    TF_Operation *source = dequeued.items[i].oper;
    if (components[i].is_sparse) source = build_take(scope, dequeued.items[i], &components[i]);
    for (int part = 0; part < PARTS && components[i].is_sparse; part++)
      sli_array_push(&restored, ((TF_Output){source, part}));
    if (!components[i].is_sparse) sli_array_push(&restored, dequeued.items[i]);
    if (source) sli_array_push(&sources, source);
  }
  // A step that uses one part takes all of them, so that no tensor stays in its map. As in Python, the nodes are also
  // built for a single sparse tensor, but not used.
  for (size_t i = 0; i < restored.count && sli_scope_ok(scope); i++) {
    TF_Output whole = sli_build_after(scope, sources.items, sources.count, restored.items[i]);
    if (dequeued.count > 1) restored.items[i] = whole;
  }
  sl_outputs_t result = sli_scope_copy_outputs(scope, restored.items, restored.count);
  sli_array_deinitialize(&restored);
  sli_array_deinitialize(&sources);
  return result;
}
