// Ops that go through a dataset themselves: reduce, the single element, the number of elements, writing TFRecords.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "io/record/record.h"
#include "ops/data/batch.h"
#include "ops/data/iterator_resource.h"
#include "ops/data/node.h"

// --- ReduceDataset -------------------------------------------------------------------------------------------------

typedef struct {
  sli_dataset_function_t function;
  sli_tensor_t **state;  // counted
  int count;
} reduction_t;

static sli_status_t *reduce_all(sli_kernel_context_t *context, sli_iterator_pass_t *pass, reduction_t *reduction) {
  sli_iterator_call_t call = {context->step->cancellation};
  int inputs = pass->iterator->dataset->component_count, states = reduction->count;
  sli_tensor_t *arguments[2 * SLI_DATASET_MAX_COMPONENTS], *results[SLI_DATASET_MAX_COMPONENTS];
  for (;;) {
    bool is_end;
    for (int i = 0; i < states; i++) arguments[i] = reduction->state[i];
    SLI_RETURN_IF_ERROR(sli_iterator_next(pass->iterator, &call, arguments + states, &is_end));
    if (is_end) return NULL;
    sli_status_t *status = sli_dataset_function_call(&reduction->function, &call, arguments, states + inputs, results);
    sli_dataset_release_element(arguments + states, inputs);
    // The function may end the reduction.
    if (sli_status_code(status) == SLI_OUT_OF_RANGE) {
      sli_status_release(status);
      return NULL;
    }
    SLI_RETURN_IF_ERROR(status);
    for (int i = 0; i < states; i++) {
      sli_tensor_release(reduction->state[i]);
      reduction->state[i] = results[i];
    }
  }
}

static sli_status_t *check_states(const sli_kernel_context_t *context, const reduction_t *reduction) {
  const sli_attr_t *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  if (context->output_count != reduction->count || shapes->count != (size_t)reduction->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Number of components does not match: expected %d types but got %d.",
                           context->output_count, reduction->count);
  for (int i = 0; i < reduction->count; i++) {
    const sli_tensor_t *tensor = reduction->state[i];
    if (tensor->dtype != context->node->output_types[i])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Data type mismatch at component %d: expected %s but got %s.", i,
                             sli_dtype_name(context->node->output_types[i]),
                             sli_dtype_name((sli_dtype_t)tensor->dtype));
    sli_shape_t shape = sli_tensor_shape(tensor);
    SLI_RETURN_IF_ERROR(sli_dataset_check_shapes(&shapes->list.shape[i], &shape, 1));
  }
  return NULL;
}

static sli_status_t *reduce_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  reduction_t reduction = {0};
  int first;
  sli_iterator_pass_t *pass = NULL;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "initial_state", &first, &reduction.count));
  SLI_RETURN_IF_ERROR(sli_dataset_check_count((size_t)reduction.count));
  SLI_RETURN_IF_ERROR(sli_dataset_function_initialize(context, "f", "other_arguments", &reduction.function));
  reduction.state = sli_calloc((size_t)reduction.count + 1, sizeof(reduction.state[0]));
  for (int i = 0; i < reduction.count; i++)
    reduction.state[i] = sli_tensor_retain(sli_kernel_input(context, first + i));
  sli_status_t *status =
      sli_dataset_function_check(&reduction.function, reduction.count + dataset->component_count, reduction.count);
  if (!status) status = sli_iterator_pass_create(dataset, context->device, &pass);
  if (!status) status = reduce_all(context, pass, &reduction);
  if (!status) status = check_states(context, &reduction);
  for (int i = 0; i < reduction.count && !status; i++)
    sli_kernel_set_output(context, i, sli_tensor_retain(reduction.state[i]));
  sli_iterator_pass_release(pass);
  sli_dataset_release_element(reduction.state, reduction.count);
  free(reduction.state);
  sli_dataset_function_deinitialize(&reduction.function);
  return status;
}

// --- DatasetToSingleElement ------------------------------------------------------------------------------------------

static sli_status_t *take_single(sli_kernel_context_t *context, sli_iterator_pass_t *pass) {
  sli_iterator_call_t call = {context->step->cancellation};
  int count = pass->iterator->dataset->component_count;
  sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS], *more[SLI_DATASET_MAX_COMPONENTS];
  bool is_end;
  SLI_RETURN_IF_ERROR(sli_iterator_next(pass->iterator, &call, element, &is_end));
  if (is_end) return sli_status_make(SLI_INVALID_ARGUMENT, "Dataset was empty.");
  sli_status_t *status = sli_iterator_next(pass->iterator, &call, more, &is_end);
  if (!status && !is_end) {
    sli_dataset_release_element(more, count);
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Dataset had more than one element.");
  }
  for (int i = 0; i < count && !status; i++) sli_kernel_set_output(context, i, sli_tensor_retain(element[i]));
  sli_dataset_release_element(element, count);
  return status;
}

static sli_status_t *single_element(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  sli_iterator_pass_t *pass;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  SLI_RETURN_IF_ERROR(sli_dataset_check_types(context->node->output_types, context->output_count, dataset->types,
                                              dataset->component_count));
  SLI_RETURN_IF_ERROR(sli_iterator_pass_create(dataset, context->device, &pass));
  sli_status_t *status = take_single(context, pass);
  sli_iterator_pass_release(pass);
  return status;
}

static sli_status_t *cardinality(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int64(sli_dataset_cardinality(dataset)));
  return NULL;
}

// The size that batches were asked to have, though the last may be smaller.
static sli_status_t *compute_batch_size(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int64(dataset->batch_size));
  return NULL;
}

// --- DatasetToTFRecord
// -------------------------------------------------------------------------------------------------

static sli_status_t *write_all(sli_kernel_context_t *context, sli_iterator_pass_t *pass, sli_record_writer_t *writer) {
  sli_iterator_call_t call = {context->step->cancellation};
  for (;;) {
    sli_tensor_t *element;
    bool is_end;
    SLI_RETURN_IF_ERROR(sli_iterator_next(pass->iterator, &call, &element, &is_end));
    if (is_end) return sli_record_writer_close(writer);
    sli_status_t *status = NULL;
    for (int64_t i = 0; i < element->count && !status; i++)
      status = sli_record_writer_write(writer, sli_tensor_string_at(element, i));
    sli_tensor_release(element);
    SLI_RETURN_IF_ERROR(status);
  }
}

static sli_status_t *to_records(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  sli_view_t name, type;
  sli_compression_t compression;
  sli_record_writer_t *writer = NULL;
  sli_iterator_pass_t *pass = NULL;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 1, "filename", &name));
  SLI_RETURN_IF_ERROR(sli_dataset_input_text(context, 2, "compression_type", &type));
  SLI_RETURN_IF_ERROR(sli_compression_parse(type, &compression));
  if (dataset->component_count != 1 || dataset->types[0] != SLI_DTYPE_STRING)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Only scalar strings can be written to TFRecord files");
  char *path = sli_strndup(name.data, name.size);
  sli_status_t *status = sli_record_writer_open(path, SLI_FILE_TRUNCATE, compression, -1, &writer);
  if (!status) status = sli_iterator_pass_create(dataset, context->device, &pass);
  if (!status) status = write_all(context, pass, writer);
  sli_iterator_pass_release(pass);
  sli_record_writer_release(writer);
  free(path);
  return status;
}

// --- InitializeTableFromDataset --------------------------------------------------------------------------------------

static sli_status_t *collect_pairs(sli_kernel_context_t *context, sli_iterator_pass_t *pass,
                                   sli_dataset_batch_t *rows) {
  sli_iterator_call_t call = {context->step->cancellation};
  for (;;) {
    sli_tensor_t *pair[2];
    bool is_end;
    SLI_RETURN_IF_ERROR(sli_iterator_next(pass->iterator, &call, pair, &is_end));
    if (is_end) return NULL;
    SLI_RETURN_IF_ERROR(sli_dataset_batch_add(rows, pair));
  }
}

// Empty vectors if there are no elements.
static sli_status_t *take_pairs(const sli_dataset_t *dataset, sli_dataset_batch_t *rows, sli_tensor_t **out_pairs) {
  if (rows->rows) return sli_dataset_batch_take(rows, out_pairs);
  for (int i = 0; i < 2; i++)
    SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), dataset->types[i], (int64_t[]){0}, 1, &out_pairs[i]));
  return NULL;
}

static sli_status_t *fill_table(sli_kernel_context_t *context, sli_tensor_t *keys, sli_tensor_t *values) {
  sli_dataset_node_t node;
  sli_tensor_t *inputs[] = {sli_kernel_input(context, 0), keys, values};
  sli_dtype_t types[] = {SLI_DTYPE_RESOURCE, (sli_dtype_t)keys->dtype, (sli_dtype_t)values->dtype};
  SLI_RETURN_IF_ERROR(sli_dataset_node_initialize(&node, "InitializeTableV2", context->device, NULL, 0, types, 3));
  sli_status_t *status = sli_dataset_node_run(&node, context->step->cancellation, inputs, NULL);
  sli_dataset_node_deinitialize(&node);
  return status;
}

static sli_status_t *table_from_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  sli_iterator_pass_t *pass;
  sli_dataset_batch_t rows;
  sli_tensor_t *pairs[2] = {0};
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 1, &dataset));
  if (dataset->component_count != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dataset should have two output types only");
  SLI_RETURN_IF_ERROR(sli_iterator_pass_create(dataset, context->device, &pass));
  sli_dataset_batch_initialize(&rows, context->device->allocator, 2, INT64_MAX);
  sli_status_t *status = collect_pairs(context, pass, &rows);
  if (!status) status = take_pairs(dataset, &rows, pairs);
  if (!status) status = fill_table(context, pairs[0], pairs[1]);
  sli_dataset_release_element(pairs, 2);
  sli_dataset_batch_deinitialize(&rows);
  sli_iterator_pass_release(pass);
  return status;
}

static const sli_op_def_t ops[] = {
    {
        .name = "InitializeTableFromDataset",
        .inputs = "table_handle: resource, dataset: variant",
        .summary = "Fills a lookup table with the elements of a dataset.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
    {
        .name = "ReduceDataset",
        .inputs = "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
        .outputs = "components: output_types",
        .attrs = "f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; " SLI_DATASET_ELEMENTS
                 "; use_inter_op_parallelism: bool = true; " SLI_DATASET_METADATA,
        .summary = "Calls a function for all elements with a state and gives the last state.",
        .shape = sli_dataset_infer_components,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "DatasetToSingleElement",
        .inputs = "dataset: variant",
        .outputs = "components: output_types",
        .attrs = SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "The only element of a dataset.",
        .shape = sli_dataset_infer_components,
        .is_stateful = true,
    },
    {
        .name = "DatasetCardinality",
        .inputs = "input_dataset: variant",
        .outputs = "cardinality: int64",
        .attrs = "cardinality_options: string = ''",
        .summary = "The number of elements; -1: infinite, -2: unknown.",
        .shape = sli_infer_fn_scalar,
    },
    {
        .name = "ExperimentalDatasetCardinality",
        .inputs = "input_dataset: variant",
        .outputs = "cardinality: int64",
        .summary = "The number of elements; -1: infinite, -2: unknown.",
        .shape = sli_infer_fn_scalar,
    },
    {
        .name = "ComputeBatchSize",
        .inputs = "input_dataset: variant",
        .outputs = "batch_size: int64",
        .summary = "The size of the batches that a dataset was asked to make; -1: unknown.",
        .shape = sli_infer_fn_scalar,
    },
    {
        .name = "DatasetToTFRecord",
        .inputs = "input_dataset: variant, filename: string, compression_type: string",
        .summary = "Writes the elements of a dataset to a TFRecord file.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
    {
        .name = "ExperimentalDatasetToTFRecord",
        .inputs = "input_dataset: variant, filename: string, compression_type: string",
        .summary = "Writes the elements of a dataset to a TFRecord file.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ReduceDataset",
     .compute = reduce_dataset,
     .create = sli_dataset_library_create,
     .destroy = sli_dataset_library_destroy,
     .blocks = true},
    {.op = "DatasetToSingleElement", .compute = single_element, .blocks = true},
    {.op = "InitializeTableFromDataset", .compute = table_from_dataset, .blocks = true},
    {.op = "DatasetCardinality", .compute = cardinality},
    {.op = "ComputeBatchSize", .compute = compute_batch_size},
    {.op = "ExperimentalDatasetCardinality", .compute = cardinality},
    {.op = "DatasetToTFRecord", .compute = to_records, .blocks = true},
    {.op = "ExperimentalDatasetToTFRecord", .compute = to_records, .blocks = true},
};

SLI_OP_MODULE(data_reduce);
