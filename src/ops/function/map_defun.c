// MapDefun calls a function for every slice of its arguments along dimension 0, and packs the results. The slices are
// computed one after the other.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/function/functional.h"

typedef struct {
  sli_function_t *function;
  int argument_count;  // that are sliced; the others are passed as they are
} map_t;

static void map_destroy(void *state) {
  map_t *map = state;
  sli_object_release(map->function);
  free(map);
}

static sli_status_t *map_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(setup->node, "Targuments", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(setup->node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  if ((int)shapes->count != setup->node->output_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Length of output_shapes and output_types must match.");
  map_t *map = sli_calloc(1, sizeof(*map));
  map->argument_count = (int)types->count;
  sli_status_t *status = sli_functional_instantiate(setup, "f", &map->function);
  if (!status && map->function->argument_count != setup->node->input_count)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Mismatch in number of function inputs.");
  if (!status && map->function->result_count != setup->node->output_count)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Mismatch in number of function outputs.");
  for (int i = 0; !status && i < setup->node->output_count; i++)
    if (map->function->result_types[i] != setup->node->output_types[i])
      status =
          sli_status_make(SLI_INVALID_ARGUMENT, "Mismatch in function return type, %s, and expected output type, %s.",
                          sli_dtype_name(map->function->result_types[i]), sli_dtype_name(setup->node->output_types[i]));
  if (status)
    map_destroy(map);
  else
    *out_state = map;
  return status;
}

// A MapDefun that runs.
typedef struct {
  sli_functional_series_t series;
  sli_kernel_context_t *context;
  const map_t *map;
  int64_t index, count;
  sli_tensor_t **arguments;  // of a call: the slices, which it owns, and captured inputs
} mapping_t;

static void release_slices(mapping_t *mapping) {
  for (int i = 0; i < mapping->map->argument_count; i++) {
    sli_tensor_release(mapping->arguments[i]);
    mapping->arguments[i] = NULL;
  }
}

static void finish(mapping_t *mapping, sli_status_t *status) {
  sli_kernel_context_t *context = mapping->context;
  release_slices(mapping);
  free(mapping->arguments);
  free(mapping);
  sli_kernel_complete(context, status);
}

static void fail(sli_functional_series_t *series, sli_status_t *status) { finish((mapping_t *)series, status); }

static sli_status_t *mismatch(const mapping_t *mapping, int output, const sli_tensor_t *result) {
  const sli_attr_t *shapes = sli_node_attr(mapping->context->node, "output_shapes");
  return sli_status_make(SLI_INVALID_ARGUMENT, "Mismatch in function retval shape, %s, and expected output shape, %s.",
                         sli_tensor_shape_text(result).text, sli_shape_text(shapes->list.shape[output]).text);
}

// Allocates an output when the first result shows its shape.
static sli_status_t *allocate(mapping_t *mapping, int output, sli_shape_t slice) {
  int64_t dims[SLI_MAX_RANK];
  if (slice.rank >= SLI_MAX_RANK) return sli_status_make(SLI_INVALID_ARGUMENT, "The results have too many dimensions");
  dims[0] = mapping->count;
  for (int i = 0; i < slice.rank; i++) dims[i + 1] = slice.dims[i] < 0 ? 0 : slice.dims[i];
  sli_tensor_t *unused;
  return sli_kernel_allocate_output(mapping->context, output, (sli_shape_t){slice.rank + 1, dims}, &unused);
}

static bool fits(const sli_tensor_t *result, sli_shape_t shape) {
  if (shape.rank < 0) return true;
  bool same = result->rank == shape.rank;
  for (int i = 0; same && i < shape.rank; i++) same = shape.dims[i] < 0 || shape.dims[i] == result->dims[i];
  return same;
}

static sli_status_t *store(mapping_t *mapping, int output, const sli_tensor_t *result) {
  const sli_attr_t *shapes = sli_node_attr(mapping->context->node, "output_shapes");
  if (!fits(result, shapes->list.shape[output])) return mismatch(mapping, output, result);
  if (!mapping->context->outputs[output].tensor)
    SLI_RETURN_IF_ERROR(allocate(mapping, output, sli_tensor_shape(result)));
  sli_tensor_t *all = mapping->context->outputs[output].tensor;
  bool same = all->rank == result->rank + 1;
  for (int i = 0; same && i < result->rank; i++) same = all->dims[i + 1] == result->dims[i];
  if (!same) return mismatch(mapping, output, result);
  sli_tensor_t *part =
      sli_tensor_view(all, (sli_dtype_t)all->dtype, mapping->index * result->count, result->dims, result->rank);
  sli_tensor_copy_elements(part, result);
  sli_tensor_release(part);
  return NULL;
}

static sli_status_t *store_all(mapping_t *mapping, sli_tensor_t **results) {
  sli_status_t *status = NULL;
  for (int i = 0; i < mapping->context->output_count; i++) {
    if (!status) status = store(mapping, i, results[i]);
    sli_tensor_release(results[i]);
  }
  return status;
}

static void slice_arguments(mapping_t *mapping) {
  for (int i = 0; i < mapping->map->argument_count; i++) {
    sli_tensor_t *input = sli_kernel_input(mapping->context, i);
    int64_t size = input->count / mapping->count;
    mapping->arguments[i] =
        sli_tensor_view(input, (sli_dtype_t)input->dtype, mapping->index * size, input->dims + 1, input->rank - 1);
  }
}

// Nothing to map: the outputs are empty, with the shapes that are known.
static sli_status_t *allocate_empty(mapping_t *mapping) {
  const sli_attr_t *shapes = sli_node_attr(mapping->context->node, "output_shapes");
  for (int i = 0; i < mapping->context->output_count; i++)
    SLI_RETURN_IF_ERROR(
        allocate(mapping, i, shapes->list.shape[i].rank < 0 ? (sli_shape_t){0} : shapes->list.shape[i]));
  return NULL;
}

static bool map_next(sli_functional_series_t *series, sli_tensor_t **results) {
  mapping_t *mapping = (mapping_t *)series;
  sli_status_t *status = NULL;
  if (results) {
    status = store_all(mapping, results);
    release_slices(mapping);
    mapping->index++;
  }
  bool is_over = mapping->index >= mapping->count;
  if (!status && !mapping->count) status = allocate_empty(mapping);
  if (!status && !is_over) slice_arguments(mapping);
  if (status || is_over) {
    finish(mapping, status);
    return false;
  }
  sli_function_call_t call = sli_functional_call(mapping->context, mapping->arguments);
  mapping->series.result_count = mapping->context->output_count;
  sli_function_call(mapping->map->function, &call, sli_functional_series_done, &mapping->series);
  return true;
}

static sli_status_t *count_slices(mapping_t *mapping) {
  for (int i = 0; i < mapping->map->argument_count; i++) {
    const sli_tensor_t *input = sli_kernel_input(mapping->context, i);
    if (input->rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "All inputs must have rank at least 1. Input %d has a rank of 0.",
                             i);
    if (i && input->dims[0] != mapping->count)
      return sli_status_make(SLI_INVALID_ARGUMENT, "All inputs must have the same dimension 0.");
    mapping->count = input->dims[0];
  }
  return NULL;
}

static void map_compute(sli_kernel_context_t *context) {
  mapping_t *mapping = sli_calloc(1, sizeof(*mapping));
  mapping->series.next = map_next;
  mapping->series.fail = fail;
  mapping->context = context;
  mapping->map = sli_kernel_state(context);
  mapping->arguments = sli_calloc((size_t)context->input_count + 1, sizeof(*mapping->arguments));
  for (int i = mapping->map->argument_count; i < context->input_count; i++)
    mapping->arguments[i] = sli_kernel_input(context, i);
  sli_status_t *status = count_slices(mapping);
  if (status)
    finish(mapping, status);
  else
    sli_functional_series_start(&mapping->series);
}

// As many slices as the arguments have, each of the shape in "output_shapes".
static sli_status_t *map_shape(sli_infer_context_t *c) {
  const sli_attr_t *shapes, *types;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(c->node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(c->node, "Targuments", SLI_ATTR_TYPE, &types));
  if ((int)shapes->count != c->node->output_count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "`output_shapes` must be the same length as `output_types` (%zu vs. %d)", shapes->count,
                           c->node->output_count);
  int64_t count = -1;
  for (int i = 0; i < (int)types->count && i < c->node->input_count; i++) {
    sli_shape_t input = sli_infer_input(c, i);
    if (input.rank == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Arguments must have at least rank 1. Input #%d has rank 0.", i);
    if (input.rank < 0 || input.dims[0] < 0) continue;
    if (count >= 0 && count != input.dims[0])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Arguments must have the same dimension 0.");
    count = input.dims[0];
  }
  for (int i = 0; i < c->node->output_count; i++)
    if (shapes->list.shape[i].rank >= 0)
      sli_infer_set_output(c, i, sli_infer_concatenate(c, sli_infer_make(c, 1, &count), shapes->list.shape[i]));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "MapDefun",
     .inputs = "arguments: Targuments, captured_inputs: Tcaptured",
     .outputs = "output: output_types",
     .attrs = "Targuments: list(type) >= 1; Tcaptured: list(type) >= 0 = []; output_types: list(type) >= 1; "
              "output_shapes: list(shape) >= 1; f: func; max_intra_op_parallelism: int = 1",
     .summary = "Calls a function for every slice of its arguments.",
     .shape = map_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "MapDefun", .compute_async = map_compute, .create = map_create, .destroy = map_destroy},
};

SLI_OP_MODULE(map_defun);
