// Ops that Python puts around a dataset: options, models and rewrites. What they ask for is either always so here (the
// order is deterministic, buffers and parallelism tune themselves) or concerns parts of TensorFlow that do not exist
// here (its threads, its statistics). The dataset goes through unchanged. OptimizeDataset rewrites it (optimize.h).
#include "core/op/shape_inference.h"
#include "ops/data/optimize.h"

static sli_status_t *pass_through(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  sli_kernel_set_output(context, 0, sli_tensor_retain(sli_kernel_input(context, 0)));
  return NULL;
}

static sli_status_t *thread_count(sli_kernel_context_t *context) {
  int64_t threads;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "num_threads", &threads));
  if (threads < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "`num_threads` must be >= 0");
  return pass_through(context);
}

static sli_status_t *max_parallelism(sli_kernel_context_t *context) {
  int64_t most;
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "max_intra_op_parallelism", &most));
  if (most < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "`max_intra_op_parallelism` must be >= 0");
  return pass_through(context);
}

static sli_status_t *optimize(sli_kernel_context_t *context) {
  sli_dataset_t *dataset, *optimized;
  const sli_tensor_t *names = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  if (names->rank > 1) return sli_status_make(SLI_INVALID_ARGUMENT, "`optimizations` must be a scalar or a vector.");
  SLI_RETURN_IF_ERROR(sli_dataset_optimize_by_name(dataset, context, names, &optimized));
  sli_kernel_set_output(context, 0, sli_dataset_to_tensor(optimized));
  return NULL;
}

// The elements of the input; what is before it is not rewritten.
static sli_status_t *barrier_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                  bool *out_end) {
  return sli_iterator_next(iterator->input, call, out_element, out_end);
}

static const sli_dataset_kind_t barrier_kind = {.name = "NonSerializableDataset",
                                                .keeps_batches = true,
                                                .iterator_size = sizeof(sli_iterator_t),
                                                .opens_input = true,
                                                .is_light = true,
                                                .next = barrier_next};

static sli_status_t *non_serializable(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &barrier_kind, sizeof(sli_dataset_t), &input, 1, &dataset));
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// The datasets have the same elements; which one is the fastest does not matter where all parts tune themselves.
static sli_status_t *choose_fastest(sli_kernel_context_t *context) {
  for (int i = 1; i < context->input_count; i++) {
    sli_dataset_t *first, *other;
    SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &first));
    SLI_RETURN_IF_ERROR(sli_dataset_input(context, i, &other));
    SLI_RETURN_IF_ERROR(
        sli_dataset_check_types(first->types, first->component_count, other->types, other->component_count));
  }
  return pass_through(context);
}

static const sli_op_def_t ops[] = {
    {
        .name = "ChooseFastestDataset",
        .inputs = "input_datasets: N * variant",
        .outputs = "handle: variant",
        .attrs = "N: int >= 2; num_experiments: int; " SLI_DATASET_ELEMENTS,
        .summary = "One of several datasets with the same elements.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "ModelDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = "algorithm: int = 0; cpu_budget: int = 0; ram_budget: int = 0; " SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself: buffers tune themselves.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "OptimizeDataset",
        .inputs = "input_dataset: variant, optimizations: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; optimization_configs: list(string) = []",
        .summary = "The dataset, rewritten to be faster.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "OptimizeDatasetV2",
        .inputs = "input_dataset: variant, optimizations_enabled: string, optimizations_disabled: string, "
                  "optimizations_default: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS "; optimization_configs: list(string) = []",
        .summary = "The dataset, rewritten to be faster.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "FinalizeDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = "has_captured_ref: bool = false; " SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "MaxIntraOpParallelismDataset",
        .inputs = "input_dataset: variant, max_intra_op_parallelism: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "ExperimentalMaxIntraOpParallelismDataset",
        .inputs = "input_dataset: variant, max_intra_op_parallelism: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "PrivateThreadPoolDataset",
        .inputs = "input_dataset: variant, num_threads: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "ExperimentalPrivateThreadPoolDataset",
        .inputs = "input_dataset: variant, num_threads: int64",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "NonSerializableDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalNonSerializableDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "BytesProducedStatsDataset",
        .inputs = "input_dataset: variant, tag: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "ExperimentalBytesProducedStatsDataset",
        .inputs = "input_dataset: variant, tag: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "LatencyStatsDataset",
        .inputs = "input_dataset: variant, tag: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "ExperimentalLatencyStatsDataset",
        .inputs = "input_dataset: variant, tag: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "SetStatsAggregatorDataset",
        .inputs = "input_dataset: variant, stats_aggregator: resource, tag: string, counter_prefix: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .forwards_input = true,
    },
    {
        .name = "ExperimentalSetStatsAggregatorDataset",
        .inputs = "input_dataset: variant, stats_aggregator: resource, tag: string, counter_prefix: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .forwards_input = true,
    },
    {
        .name = "ThreadPoolDataset",
        .inputs = "input_dataset: variant, thread_pool: resource",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .forwards_input = true,
    },
    {
        .name = "ExperimentalThreadPoolDataset",
        .inputs = "input_dataset: variant, thread_pool: resource",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .is_stateful = true,
        .forwards_input = true,
    },
    {
        .name = "RewriteDataset",
        .inputs = "input_dataset: variant, rewrite_name: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself.",
        .shape = sli_dataset_infer,
        .forwards_input = true,
    },
    {
        .name = "WrapDatasetVariant",
        .inputs = "input_handle: variant",
        .outputs = "output_handle: variant",
        .summary = "The dataset itself.",
        .shape = sli_infer_fn_scalar,
        .forwards_input = true,
    },
    {
        .name = "UnwrapDatasetVariant",
        .inputs = "input_handle: variant",
        .outputs = "output_handle: variant",
        .summary = "The dataset itself.",
        .shape = sli_infer_fn_scalar,
        .forwards_input = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ChooseFastestDataset", .compute = choose_fastest},
    {.op = "ModelDataset", .compute = pass_through},
    {.op = "OptimizeDataset", .compute = optimize},
    {.op = "OptimizeDatasetV2", .compute = optimize},
    {.op = "FinalizeDataset", .compute = pass_through},
    {.op = "MaxIntraOpParallelismDataset", .compute = max_parallelism},
    {.op = "ExperimentalMaxIntraOpParallelismDataset", .compute = max_parallelism},
    {.op = "PrivateThreadPoolDataset", .compute = thread_count},
    {.op = "ExperimentalPrivateThreadPoolDataset", .compute = thread_count},
    {.op = "NonSerializableDataset", .compute = non_serializable},
    {.op = "ExperimentalNonSerializableDataset", .compute = non_serializable},
    {.op = "BytesProducedStatsDataset", .compute = pass_through},
    {.op = "ExperimentalBytesProducedStatsDataset", .compute = pass_through},
    {.op = "LatencyStatsDataset", .compute = pass_through},
    {.op = "ExperimentalLatencyStatsDataset", .compute = pass_through},
    {.op = "SetStatsAggregatorDataset", .compute = pass_through},
    {.op = "ExperimentalSetStatsAggregatorDataset", .compute = pass_through},
    {.op = "ThreadPoolDataset", .compute = pass_through},
    {.op = "ExperimentalThreadPoolDataset", .compute = pass_through},
    {.op = "RewriteDataset", .compute = pass_through},
    {.op = "WrapDatasetVariant", .compute = pass_through},
    {.op = "UnwrapDatasetVariant", .compute = pass_through},
};

SLI_OP_MODULE(data_options);
