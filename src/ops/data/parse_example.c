// ParseExampleDataset: parses batches of serialized Examples, several at a time. The components are in the order of the
// keys; a sparse feature is a vector of three variants.
#include <stdlib.h>

#include "base/alloc.h"
#include "ops/data/node.h"
#include "ops/data/parallel_map.h"

// A function that runs the node ParseExampleV2.
typedef struct {
  sli_function_t base;
  sli_dataset_node_t parse;
  sli_dataset_node_t *serialize;  // of each sparse feature
  int sparse_count, dense_count;
  int *place;             // of each sparse feature, then of each dense one, among the results
  sli_tensor_t **inputs;  // of the node but for the first; counted
  int input_count;
  sli_dtype_t *types;  // of the results
} parser_t;

static void parser_destroy(sli_object_t *object) {
  parser_t *self = (parser_t *)object;
  sli_dataset_node_deinitialize(&self->parse);
  for (int i = 0; i < self->sparse_count && self->serialize; i++) sli_dataset_node_deinitialize(&self->serialize[i]);
  if (self->inputs) sli_dataset_release_element(self->inputs, self->input_count);
  free(self->serialize);
  free(self->place);
  free(self->inputs);
  free(self->types);
  free(self);
}

static const sli_object_type_t parser_type = {.name = "ParseExample", .destroy = parser_destroy};

// The outputs of the node are sparse indices, values and shapes, then dense values.
static sli_status_t *arrange(const parser_t *self, sli_cancellation_t *cancellation, sli_tensor_t **outputs,
                             sli_tensor_t **results) {
  int sparse = self->sparse_count;
  for (int i = 0; i < sparse; i++) {
    sli_tensor_t *parts[] = {outputs[i], outputs[sparse + i], outputs[2 * sparse + i]};
    SLI_RETURN_IF_ERROR(sli_dataset_node_run(&self->serialize[i], cancellation, parts, &results[self->place[i]]));
  }
  for (int i = 0; i < self->dense_count; i++)
    results[self->place[sparse + i]] = sli_tensor_retain(outputs[3 * sparse + i]);
  return NULL;
}

static void parser_call(sli_function_t *function, const sli_function_call_t *call, sli_function_done_t done,
                        void *context) {
  const parser_t *self = (const parser_t *)function;
  int output_count = 3 * self->sparse_count + self->dense_count, result_count = function->result_count;
  sli_tensor_t **inputs = sli_calloc((size_t)(self->input_count + 1 + output_count + result_count), sizeof(*inputs));
  sli_tensor_t **outputs = inputs + self->input_count + 1, **results = outputs + output_count;
  inputs[0] = call->arguments[0];
  for (int i = 0; i < self->input_count; i++) inputs[i + 1] = self->inputs[i];
  sli_status_t *status = sli_dataset_node_run(&self->parse, call->cancellation, inputs, outputs);
  if (!status) {
    status = arrange(self, call->cancellation, outputs, results);
    sli_dataset_release_element(outputs, output_count);
    if (status) sli_dataset_release_element(results, result_count);
  }
  done(context, status, results);
  free(inputs);
}

static const sli_function_vtable_t parser_vtable = {.call = parser_call};

// --- The node --------------------------------------------------------------------------------------------------------

static sli_tensor_t *texts(const sli_view_t *values, size_t count) {
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, (int64_t[]){(int64_t)count}, 1, &tensor));
  for (size_t i = 0; i < count; i++)
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[i], values[i].data, values[i].size);
  return tensor;
}

static int compare_keys(sli_view_t a, sli_view_t b) {
  size_t size = a.size < b.size ? a.size : b.size;
  int order = size ? memcmp(a.data, b.data, size) : 0;
  return order ? order : a.size < b.size ? -1 : a.size > b.size;
}

// How many keys are smaller than |key|.
static int place_of(sli_view_t key, const sli_attr_t *sparse, const sli_attr_t *dense) {
  int place = 0;
  for (size_t i = 0; i < sparse->count; i++) place += compare_keys(sparse->list.s[i], key) < 0;
  for (size_t i = 0; i < dense->count; i++) place += compare_keys(dense->list.s[i], key) < 0;
  return place;
}

static sli_status_t *make_serializers(parser_t *self, sli_device_t *device, const sli_attr_t *sparse_types) {
  self->serialize = sli_calloc((size_t)self->sparse_count + 1, sizeof(self->serialize[0]));
  for (int i = 0; i < self->sparse_count; i++) {
    sli_dtype_t types[] = {SLI_DTYPE_INT64, sparse_types->list.type[i], SLI_DTYPE_INT64};
    sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("out_type", SLI_DTYPE_VARIANT)};
    SLI_RETURN_IF_ERROR(
        sli_dataset_node_initialize(&self->serialize[i], "SerializeSparse", device, attrs, 1, types, 3));
  }
  return NULL;
}

static sli_status_t *make_node(parser_t *self, sli_kernel_context_t *context, const sli_attr_t *sparse_types,
                               const sli_attr_t *dense_types) {
  static const sli_attr_t no_types = {.kind = SLI_ATTR_TYPE, .is_list = true};
  sli_attr_entry_t attrs[] = {SLI_ATTR_INT_OF("num_sparse", self->sparse_count),
                              {"sparse_types", *sparse_types},
                              {"Tdense", *dense_types},
                              {"ragged_value_types", no_types},
                              {"ragged_split_types", no_types},
                              {"dense_shapes", *sli_node_attr(context->node, "dense_shapes")}};
  sli_dtype_t *types = sli_calloc((size_t)self->input_count + 1, sizeof(*types));
  types[0] = SLI_DTYPE_STRING;
  for (int i = 0; i < self->input_count; i++) types[i + 1] = (sli_dtype_t)self->inputs[i]->dtype;
  sli_status_t *status = sli_dataset_node_initialize(&self->parse, "ParseExampleV2", context->device, attrs,
                                                     SLI_ARRAY_COUNT_OF(attrs), types, self->input_count + 1);
  free(types);
  return status;
}

// Names of the examples (none), the keys, the defaults.
static void gather_inputs(parser_t *self, sli_kernel_context_t *context, const sli_attr_t *sparse,
                          const sli_attr_t *dense, int first_default) {
  self->input_count = 4 + self->dense_count;
  self->inputs = sli_calloc((size_t)self->input_count, sizeof(self->inputs[0]));
  self->inputs[0] = texts(NULL, 0);
  self->inputs[1] = texts(sparse->list.s, sparse->count);
  self->inputs[2] = texts(dense->list.s, dense->count);
  self->inputs[3] = texts(NULL, 0);
  for (int i = 0; i < self->dense_count; i++)
    self->inputs[4 + i] = sli_tensor_retain(sli_kernel_input(context, first_default + i));
}

static sli_status_t *fill_parser(sli_kernel_context_t *context, parser_t *self) {
  const sli_attr_t *sparse, *dense, *ragged, *sparse_types, *dense_types;
  int first, count;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "sparse_keys", SLI_ATTR_STRING, &sparse));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "dense_keys", SLI_ATTR_STRING, &dense));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "ragged_keys", SLI_ATTR_STRING, &ragged));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "sparse_types", SLI_ATTR_TYPE, &sparse_types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "Tdense", SLI_ATTR_TYPE, &dense_types));
  SLI_RETURN_IF_ERROR(sli_node_input_range(context->node, "dense_defaults", &first, &count));
  if (ragged->count) return sli_status_make(SLI_UNIMPLEMENTED, "ParseExampleDataset has no ragged features");
  if (sparse->count != sparse_types->count || dense->count != dense_types->count || (size_t)count != dense->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "len(dense_keys) and len(sparse_keys) must match their types");
  SLI_RETURN_IF_ERROR(sli_dataset_check_count(sparse->count + dense->count));
  self->sparse_count = (int)sparse->count;
  self->dense_count = (int)dense->count;
  self->base.result_count = self->sparse_count + self->dense_count;
  self->types = sli_calloc((size_t)self->base.result_count + 1, sizeof(self->types[0]));
  self->place = sli_calloc((size_t)self->base.result_count + 1, sizeof(self->place[0]));
  for (int i = 0; i < self->base.result_count; i++) {
    bool is_sparse = i < self->sparse_count;
    self->place[i] = place_of(is_sparse ? sparse->list.s[i] : dense->list.s[i - self->sparse_count], sparse, dense);
    self->types[self->place[i]] = is_sparse ? SLI_DTYPE_VARIANT : dense_types->list.type[i - self->sparse_count];
  }
  for (int i = 0; i < self->base.result_count; i++)
    if (!self->types[i]) return sli_status_make(SLI_INVALID_ARGUMENT, "A feature must not be named twice");
  self->base.result_types = self->types;
  gather_inputs(self, context, sparse, dense, first);
  SLI_RETURN_IF_ERROR(make_serializers(self, context->device, sparse_types));
  return make_node(self, context, sparse_types, dense_types);
}

static sli_status_t *read_options(sli_kernel_context_t *context, sli_dataset_parallel_map_t *options) {
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "output_types", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "num_parallel_calls", &options->parallelism));
  if (options->parallelism <= 0 && options->parallelism != SLI_DATASET_AUTOTUNE)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_parallel_calls must be greater than zero.");
  if (types->count != shapes->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "output_types and output_shapes must have the same length");
  options->component_count = (int)types->count;
  options->types = types->list.type;
  options->shapes = shapes->list.shape;
  options->keeps_cardinality = true;
  if (sli_node_attr(context->node, "sloppy")) return sli_node_attr_bool(context->node, "sloppy", &options->is_sloppy);
  sli_view_t order;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "deterministic", &order));
  options->is_sloppy = sli_view_is(order, "false");
  return NULL;
}

static sli_status_t *parse_dataset(sli_kernel_context_t *context) {
  static const sli_dtype_t text_type[] = {SLI_DTYPE_STRING};
  sli_dataset_parallel_map_t options = {0};
  sli_dataset_t *input;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(read_options(context, &options));
  if (input->component_count != 1 || input->types[0] != SLI_DTYPE_STRING)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input dataset should be a dataset of vectors of strings");
  parser_t *self = sli_calloc(1, sizeof(*self));
  sli_object_initialize(&self->base.base, &parser_type);
  self->base.vtable = &parser_vtable;
  self->base.argument_count = 1;
  self->base.argument_types = text_type;
  sli_status_t *status = fill_parser(context, self);
  if (!status)
    status = sli_dataset_check_types(options.types, options.component_count, self->types, self->base.result_count);
  if (status) {
    sli_object_release(self);
    return status;
  }
  options.function.function = &self->base;
  sli_dataset_t *dataset = sli_dataset_create_parallel_map(input, &options);
  dataset->batch_size = input->batch_size;
  sli_dataset_set_output(context, dataset);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "ParseExampleDataset",
        .inputs = "input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense",
        .outputs = "handle: variant",
        .attrs =
            "sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list({float, int64, string}) "
            ">= 0; Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0; " SLI_DATASET_ELEMENTS
            "; sloppy: bool = false; ragged_keys: list(string) >= 0 = []; ragged_value_types: list({float, int64, "
            "string}) >= 0 = []; ragged_split_types: list({int32, int64}) >= 0 = []",
        .summary = "Parses batches of Examples.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ExperimentalParseExampleDataset",
        .inputs = "input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense",
        .outputs = "handle: variant",
        .attrs =
            "sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list({float, int64, string}) "
            ">= 0; Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0; " SLI_DATASET_ELEMENTS
            "; sloppy: bool = false",
        .summary = "Parses batches of Examples.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
    {
        .name = "ParseExampleDatasetV2",
        .inputs = "input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense",
        .outputs = "handle: variant",
        .attrs =
            "sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list({float, int64, string}) "
            ">= 0; Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0; " SLI_DATASET_ELEMENTS
            "; deterministic: string = 'default'; ragged_keys: list(string) >= 0 = []; ragged_value_types: "
            "list({float, int64, string}) >= 0 = []; ragged_split_types: list({int32, int64}) >= 0 = []",
        .summary = "Parses batches of Examples.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ParseExampleDataset", .compute = parse_dataset},
    {.op = "ExperimentalParseExampleDataset", .compute = parse_dataset},
    {.op = "ParseExampleDatasetV2", .compute = parse_dataset},
};

SLI_OP_MODULE(data_parse_example);
