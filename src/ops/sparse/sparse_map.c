// AddSparseToTensorsMap, AddManySparseToTensorsMap, TakeManySparseFromTensorsMap: the task stores sparse tensors in a
// map while their handles, int64 numbers, pass through a queue. A handle can be taken once.
//
// The map has the name of the node that adds (or its shared name). All sessions of the task that use this name share
// it. Handles are never reused.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "core/state/resource.h"
#include "ops/sparse/sparse_batch.h"

// Thread-safe.
typedef struct {
  sli_object_t base;
  sli_mutex_t mutex;
  // Guarded by |mutex|:
  int64_t next;       // the next handle
  sli_map_t waiting;  // bytes of a handle → sli_sparse_part_t *
} tensors_map_t;

static void tensors_map_destroy(sli_object_t *object) {
  tensors_map_t *map = (tensors_map_t *)object;
  SLI_MAP_FOR_EACH (&map->waiting, entry) {
    sli_sparse_part_release(entry->value);
    free(entry->value);
  }
  sli_map_deinitialize(&map->waiting);
  sli_mutex_deinitialize(&map->mutex);
  free(map);
}

static const sli_object_type_t tensors_map_type = {"SparseTensorsMap", tensors_map_destroy, NULL};

static sli_status_t *tensors_map_create(void *context, void **out_object) {
  tensors_map_t *map = sli_calloc(1, sizeof(*map));
  sli_object_initialize(&map->base, &tensors_map_type);
  sli_mutex_initialize(&map->mutex);
  *out_object = map;
  return NULL;
}

static sli_view_t key_of(const int64_t *handle) { return sli_view_of((const char *)handle, sizeof(*handle)); }

// Adds |part|, which the map owns from then on. Returns its handle.
static int64_t tensors_map_add(tensors_map_t *map, sli_sparse_part_t part) {
  sli_sparse_part_t *kept = sli_memdup(&part, sizeof(part));
  sli_mutex_lock(&map->mutex);
  int64_t handle = map->next++;
  sli_map_set(&map->waiting, key_of(&handle), kept);
  sli_mutex_unlock(&map->mutex);
  return handle;
}

// Moves the tensor of |handle| to |*out_part|. Returns false if there is none.
static bool tensors_map_take(tensors_map_t *map, int64_t handle, sli_sparse_part_t *out_part) {
  sli_mutex_lock(&map->mutex);
  sli_sparse_part_t *kept = sli_map_remove(&map->waiting, key_of(&handle));
  sli_mutex_unlock(&map->mutex);
  if (kept) *out_part = *kept;
  free(kept);
  return kept != NULL;
}

// --- Add ------------------------------------------------------------------------------------------

// Finds or creates the map of the node. The caller owns the reference.
static sli_status_t *find_map(sli_kernel_context_t *context, tensors_map_t **out_map) {
  sli_view_t container, name;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "container", &container));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "shared_name", &name));
  if (!name.size) name = sli_view(context->node->name);
  return sli_resource_find_or_create(context->device->resources, container, &tensors_map_type, name, tensors_map_create,
                                     NULL, (void **)out_map);
}

static sli_status_t *add(sli_kernel_context_t *context) {
  sli_sparse_t input;
  sli_sparse_part_t part;
  tensors_map_t *map;
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &input));
  for (int d = 0; d < input.rank; d++)
    if (SLI_DATA(int64_t, input.shape)[d] < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be >= 0",
                             (long long)SLI_DATA(int64_t, input.shape)[d]);
  SLI_RETURN_IF_ERROR(find_map(context, &map));
  sli_status_t *status = sli_sparse_part_of_inputs(context, &part);
  if (!status) sli_kernel_set_output(context, 0, sli_tensor_scalar_int64(tensors_map_add(map, part)));
  sli_object_release(map);
  return status;
}

typedef struct {
  tensors_map_t *map;
  int64_t *handles;
} adder_t;

static sli_status_t *add_row(void *user, int64_t row, sli_sparse_part_t part) {
  adder_t *adder = user;
  adder->handles[row] = tensors_map_add(adder->map, part);
  return NULL;
}

static sli_status_t *add_many(sli_kernel_context_t *context) {
  sli_sparse_t batch;
  sli_tensor_t *output;
  adder_t adder;
  SLI_RETURN_IF_ERROR(sli_sparse_batch_input(context, &batch));
  int64_t rows = SLI_DATA(int64_t, batch.shape)[0];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(rows), &output));
  SLI_RETURN_IF_ERROR(find_map(context, &adder.map));
  adder.handles = output->data;
  sli_status_t *status = sli_sparse_split(&batch, add_row, &adder);
  sli_object_release(adder.map);
  return status;
}

static sli_status_t *add_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(sli_sparse_shape_inputs(c));
  sli_infer_set_output(c, 0, SLI_SHAPE_SCALAR);
  return NULL;
}

static sli_status_t *add_many_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(sli_sparse_shape_inputs(c));
  sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

// --- Take -----------------------------------------------------------------------------------------

// Returns NULL if there is no map of that name. The caller owns the reference.
static tensors_map_t *look_for_map(sli_kernel_context_t *context, sli_view_t container, sli_view_t name) {
  void *map = NULL;
  sli_status_release(sli_resource_find(context->device->resources, container, &tensors_map_type, name, &map));
  return map;
}

static sli_status_t *take(sli_kernel_context_t *context) {
  const sli_tensor_t *handles = sli_kernel_input(context, 0);
  sli_view_t container, name;
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "container", &container));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "shared_name", &name));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "dtype", &dtype));
  if (handles->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "sparse_handles should be a vector but received shape %s",
                           sli_tensor_shape_text(handles).text);
  if (handles->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows");
  tensors_map_t *map = name.size ? look_for_map(context, container, name) : NULL;
  sli_sparse_part_t *parts = sli_calloc((size_t)handles->count, sizeof(*parts));
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < handles->count && !status; i++) {
    int64_t handle = SLI_DATA(int64_t, handles)[i];
    if (!map || !tensors_map_take(map, handle, &parts[i]))
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Unable to find SparseTensor: %lld in map: %.*s",
                               (long long)handle, SLI_VIEW_ARG(name));
  }
  if (!status) status = sli_sparse_stack(context, parts, sli_tensor_shape(handles), true, dtype);
  for (int64_t i = 0; i < handles->count; i++) sli_sparse_part_release(&parts[i]);
  free(parts);
  sli_object_release(map);
  return status;
}

static sli_status_t *take_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &unused));
  sli_sparse_shape_outputs(c);
  return NULL;
}

#define SPARSE "sparse_indices: int64, sparse_values: "
#define NAMES "container: string = ''; shared_name: string = ''"

static const sli_op_def_t ops[] = {
    {
        .name = "AddSparseToTensorsMap",
        .inputs = SPARSE "T, sparse_shape: int64",
        .outputs = "sparse_handle: int64",
        .attrs = "T: type; " NAMES,
        .summary = "Stores a sparse tensor in a map and returns its handle.",
        .shape = add_shape,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "AddManySparseToTensorsMap",
        .inputs = SPARSE "T, sparse_shape: int64",
        .outputs = "sparse_handles: int64",
        .attrs = "T: type; " NAMES,
        .summary = "Stores each row of a sparse tensor in a map and returns the handles.",
        .shape = add_many_shape,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "TakeManySparseFromTensorsMap",
        .inputs = "sparse_handles: int64",
        .outputs = SPARSE "dtype, sparse_shape: int64",
        .attrs = "dtype: type; " NAMES,
        .summary = "Removes sparse tensors from a map and stacks them.",
        .shape = take_shape,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "AddSparseToTensorsMap", .compute = add},
    {.op = "AddManySparseToTensorsMap", .types = SLI_TYPES_COMMON, .compute = add_many},
    {.op = "TakeManySparseFromTensorsMap", .where = {{"dtype", SLI_TYPES_COMMON}}, .compute = take},
};
SLI_OP_MODULE(sparse_map);
