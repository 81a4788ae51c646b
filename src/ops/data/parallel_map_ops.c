// The ops on parallel_map.h: ParallelMapDataset, MapAndBatchDataset, ParallelFilterDataset and their versions.
#include "ops/data/batch.h"
#include "ops/data/parallel_map.h"

static sli_status_t *read_parallelism(sli_kernel_context_t *context, int64_t *out_calls) {
  int first, count;
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "num_parallel_calls", &first, &count));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, first, "num_parallel_calls", out_calls));
  if (*out_calls > 0 || *out_calls == SLI_DATASET_AUTOTUNE) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "num_parallel_calls must be greater than zero.");
}

// Without an attribute of its own, or if that is "default", the order is deterministic.
static sli_status_t *read_order(sli_kernel_context_t *context, bool *out_sloppy) {
  *out_sloppy = false;
  if (sli_node_attr(context->node, "sloppy")) return sli_node_attr_bool(context->node, "sloppy", out_sloppy);
  if (!sli_node_attr(context->node, "deterministic")) return NULL;
  sli_view_t text;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "deterministic", &text));
  *out_sloppy = sli_view_is(text, "false");
  return NULL;
}

static sli_status_t *read_elements(sli_kernel_context_t *context, sli_dataset_parallel_map_t *options) {
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "output_types", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  if (types->count != shapes->count || types->count > SLI_DATASET_MAX_COMPONENTS)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "output_types and output_shapes must have the same length, at most %d; they have %zu and "
                           "%zu",
                           SLI_DATASET_MAX_COMPONENTS, types->count, shapes->count);
  options->component_count = (int)types->count;
  options->types = types->list.type;
  options->shapes = shapes->list.shape;
  return NULL;
}

// The dataset without its output. |function| names the attribute.
static sli_status_t *make(sli_kernel_context_t *context, const char *function, bool is_filter,
                          sli_dataset_t **out_dataset) {
  sli_dataset_parallel_map_t options = {.is_filter = is_filter};
  sli_dataset_t *input;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(read_elements(context, &options));
  SLI_RETURN_IF_ERROR(read_parallelism(context, &options.parallelism));
  SLI_RETURN_IF_ERROR(read_order(context, &options.is_sloppy));
  if (sli_node_attr(context->node, "preserve_cardinality"))
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "preserve_cardinality", &options.keeps_cardinality));
  if (is_filter)
    SLI_RETURN_IF_ERROR(
        sli_dataset_check_types(options.types, options.component_count, input->types, input->component_count));
  SLI_RETURN_IF_ERROR(sli_dataset_function_initialize(context, function, "other_arguments", &options.function));
  sli_status_t *status =
      sli_dataset_function_check(&options.function, input->component_count, is_filter ? 1 : options.component_count);
  if (status)
    sli_dataset_function_deinitialize(&options.function);
  else
    *out_dataset = sli_dataset_create_parallel_map(input, &options);
  return status;
}

static sli_status_t *parallel_map_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  SLI_RETURN_IF_ERROR(make(context, "f", false, &dataset));
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static sli_status_t *parallel_filter_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  SLI_RETURN_IF_ERROR(make(context, "predicate", true, &dataset));
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// A parallel map, then batches.
static sli_status_t *map_and_batch_dataset(sli_kernel_context_t *context) {
  int first, count;
  int64_t size;
  bool drop_remainder;
  sli_dataset_t *mapped;
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "batch_size", &first, &count));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, first, "batch_size", &size));
  if (size <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "batch_size must be greater than zero.");
  SLI_RETURN_IF_ERROR(sli_dataset_input_bool(context, first + 2, "drop_remainder", &drop_remainder));
  SLI_RETURN_IF_ERROR(make(context, "f", false, &mapped));
  sli_dataset_t *batches = sli_dataset_create_batch(mapped, size, drop_remainder, mapped->shapes);
  sli_dataset_release(mapped);
  batches->batch_size = size;
  sli_dataset_set_output(context, batches);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "ParallelMapDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int32",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; use_inter_op_parallelism: bool = true; sloppy: bool = false; preserve_cardinality: bool = "
                 "false; " SLI_DATASET_METADATA,
        .summary = "Calls a function for several elements at a time.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ParallelMapDatasetV2",
        .inputs = "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; use_inter_op_parallelism: bool = true; deterministic: string = 'default'; preserve_cardinality: "
                 "bool = false; " SLI_DATASET_METADATA,
        .summary = "Calls a function for several elements at a time.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ParallelFilterDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64",
        .outputs = "handle: variant",
        .attrs =
            "predicate: func; deterministic: string = 'default'; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
            "; " SLI_DATASET_METADATA,
        .summary = "The elements for which a function gives true, several at a time.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "MapAndBatchDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments, batch_size: int64, num_parallel_calls: int64, "
                  "drop_remainder: bool",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; preserve_cardinality: bool = false; " SLI_DATASET_METADATA,
        .summary = "Calls a function for several elements at a time and batches the results.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ExperimentalMapAndBatchDataset",
        .inputs = "input_dataset: variant, other_arguments: Targuments, batch_size: int64, num_parallel_calls: int64, "
                  "drop_remainder: bool",
        .outputs = "handle: variant",
        .attrs = "f: func; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS "; preserve_cardinality: bool = false",
        .summary = "Calls a function for several elements at a time and batches the results.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
};

#define WITH_LIBRARY .create = sli_dataset_library_create, .destroy = sli_dataset_library_destroy
static const sli_kernel_def_t kernels[] = {
    {.op = "ParallelMapDataset", .compute = parallel_map_dataset, WITH_LIBRARY},
    {.op = "ParallelMapDatasetV2", .compute = parallel_map_dataset, WITH_LIBRARY},
    {.op = "ParallelFilterDataset", .compute = parallel_filter_dataset, WITH_LIBRARY},
    {.op = "MapAndBatchDataset", .compute = map_and_batch_dataset, WITH_LIBRARY},
    {.op = "ExperimentalMapAndBatchDataset", .compute = map_and_batch_dataset, WITH_LIBRARY},
};

SLI_OP_MODULE(data_parallel_map);
