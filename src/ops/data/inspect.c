// Ops about a dataset as a whole: its options, an element by its number, a check of what comes after it.
#include "base/map.h"
#include "core/op/shape_inference.h"
#include "ops/data/iterator_resource.h"
#include "ops/data/recipe.h"
#include "proto/dataset_options.fields.h"
#include "proto/wire.h"

// A dataset with the elements of its input, and something to know about it.
typedef struct {
  sli_dataset_t base;
  sli_view_t options;          // a serialized Options message; in the arena
  const sli_view_t *expected;  // names of the transformations after it; in the arena
  int64_t expected_count;
} noted_t;

static sli_status_t *noted_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end) {
  return sli_iterator_next(iterator->input, call, out_element, out_end);
}

static bool noted_is_ready(sli_iterator_t *iterator) { return sli_iterator_is_ready(iterator->input); }

static const sli_dataset_kind_t options_kind = {.name = "OptionsDataset",
                                                .keeps_batches = true,
                                                .iterator_size = sizeof(sli_iterator_t),
                                                .opens_input = true,
                                                .is_light = true,
                                                .next = noted_next,
                                                .is_ready = noted_is_ready};

static sli_view_t copy_view(sli_arena_t *arena, sli_view_t view) {
  char *copy = sli_arena_calloc(arena, view.size + 1, 1);
  memcpy(copy, view.data, view.size);
  return sli_view_of(copy, view.size);
}

static sli_status_t *options_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  sli_view_t options;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "serialized_options", &options));
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &options_kind, sizeof(noted_t), &input, 1, &dataset));
  ((noted_t *)dataset)->options = copy_view(&dataset->arena, options);
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// A dataset that is used several times is visited once.
static void append_options(const sli_dataset_t *dataset, sli_map_t *visited, sli_string_t *out) {
  sli_view_t key = sli_view_of((const char *)&dataset, sizeof(dataset));
  if (!sli_map_insert(visited, key, NULL)) return;
  for (int i = 0; i < dataset->input_count; i++) append_options(dataset->inputs[i], visited, out);
  if (dataset->kind != &options_kind) return;
  sli_view_t options = ((const noted_t *)dataset)->options;
  sli_string_append(out, options.data, options.size);
}

void sli_dataset_append_options(const sli_dataset_t *dataset, sli_string_t *out) {
  sli_map_t visited = {0};
  append_options(dataset, &visited, out);
  sli_map_deinitialize(&visited);
}

int64_t sli_dataset_shard_policy(const sli_dataset_t *dataset) {
  int64_t policy = 0;
  sli_string_t options = {0};
  sli_dataset_append_options(dataset, &options);
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(options.data, options.size));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_OPTIONS_DISTRIBUTE_OPTIONS || field.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t distribute = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&distribute, &part);)
      if (part.number == SLI_FIELD_DISTRIBUTE_OPTIONS_AUTO_SHARD_POLICY && part.type == SLI_WIRE_VARINT)
        policy = (int64_t)part.value;
  }
  sli_string_deinitialize(&options);
  return policy;
}

static sli_status_t *get_options(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  sli_string_t options = {0};
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  sli_dataset_append_options(dataset, &options);
  sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view_of(options.data, options.size)));
  sli_string_deinitialize(&options);
  return NULL;
}

// --- AssertNextDataset -----------------------------------------------------------------------------------------------

static const sli_dataset_kind_t assert_next_kind = {.name = "AssertNextDataset",
                                                    .iterator_size = sizeof(sli_iterator_t),
                                                    .opens_input = true,
                                                    .is_light = true,
                                                    .next = noted_next,
                                                    .is_ready = noted_is_ready};

static sli_status_t *assert_next_dataset(sli_kernel_context_t *context) {
  sli_dataset_t *input, *dataset;
  const sli_tensor_t *names = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  if (names->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "`transformations` must be a vector.");
  SLI_RETURN_IF_ERROR(sli_dataset_create_like(context, &assert_next_kind, sizeof(noted_t), &input, 1, &dataset));
  sli_view_t *expected = sli_arena_calloc(&dataset->arena, (size_t)names->count + 1, sizeof(*expected));
  for (int64_t i = 0; i < names->count; i++)
    expected[i] = copy_view(&dataset->arena, sli_tstring_view(&SLI_DATA(const sli_tstring_t, names)[i]));
  ((noted_t *)dataset)->expected = expected;
  ((noted_t *)dataset)->expected_count = names->count;
  dataset->has_expectations = true;
  sli_dataset_set_output(context, dataset);
  return NULL;
}

// A dataset and the one that reads it.
typedef struct path {
  const sli_dataset_t *dataset;
  const struct path *after;
} path_t;

// "Batch" of "BatchDataset" and of "BatchV2".
static sli_view_t plain_name(sli_view_t name) {
  static const char suffix[] = "Dataset";
  size_t digits = 0;
  while (digits < name.size && name.data[name.size - digits - 1] >= '0' && name.data[name.size - digits - 1] <= '9')
    digits++;
  if (digits && digits < name.size && name.data[name.size - digits - 1] == 'V') name.size -= digits + 1;
  if (name.size >= sizeof(suffix) - 1 &&
      !memcmp(name.data + name.size - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1))
    name.size -= sizeof(suffix) - 1;
  return name;
}

// What TensorFlow calls the iterator of a dataset: some names depend on how often or where.
static sli_view_t transformation_name(const sli_dataset_t *dataset) {
  static const struct {
    const char *op, *negative, *zero, *positive;
  } counted[] = {{"TakeDataset", "FiniteTake", "EmptyTake", "FiniteTake"},
                 {"SkipDataset", "EmptySkip", "FiniteSkip", "FiniteSkip"},
                 {"RepeatDataset", "ForeverRepeat", "EmptyRepeat", "FiniteRepeat"}};
  const sli_dataset_recipe_t *recipe = dataset->recipe;
  static const char prefix[] = "Experimental";
  const char *name = recipe ? recipe->node.op->def->name : dataset->kind->name;
  if (!strncmp(name, prefix, sizeof(prefix) - 1)) name += sizeof(prefix) - 1;
  const sli_tensor_t *argument = recipe && recipe->node.input_count > 1 ? recipe->inputs[1] : NULL;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(counted) && argument; i++) {
    if (strcmp(name, counted[i].op) || argument->dtype != SLI_DTYPE_INT64 || argument->count != 1) continue;
    int64_t count = SLI_DATA(const int64_t, argument)[0];
    return sli_view(count < 0 ? counted[i].negative : count ? counted[i].positive : counted[i].zero);
  }
  if (!strcmp(dataset->kind->name, "CacheDataset") && argument && argument->dtype == SLI_DTYPE_STRING &&
      argument->count == 1)
    return sli_view(sli_tensor_string_at(argument, 0).size ? "FileCacheImpl" : "MemoryCacheImpl");
  return plain_name(sli_view(name));
}

static sli_status_t *check_expected(const noted_t *noted, const path_t *after) {
  int64_t count = 0;
  bool is_root = false;
  for (const path_t *at = after; !is_root && count < noted->expected_count; at = at ? at->after : NULL) {
    // What has no recipe is a part of another dataset.
    if (at && (at->dataset->kind == &options_kind || !at->dataset->recipe)) continue;
    is_root = !at;
    sli_view_t expected = noted->expected[count], found = at ? transformation_name(at->dataset) : sli_view("Root");
    if (!sli_view_equal(plain_name(expected), found))
      return sli_status_make(
          SLI_INVALID_ARGUMENT,
          "Asserted transformation matching %.*s at offset %lld but encountered %.*s transformation instead.",
          SLI_VIEW_ARG(expected), (long long)count, SLI_VIEW_ARG(found));
    count++;
  }
  if (count < noted->expected_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Asserted next %lld transformations but encountered only %lld.",
                           (long long)noted->expected_count, (long long)count);
  return NULL;
}

static sli_status_t *check_path(const path_t *path, sli_map_t *visited) {
  const sli_dataset_t *dataset = path->dataset;
  if (!dataset->has_expectations) return NULL;
  if (!sli_map_insert(visited, sli_view_of((const char *)&dataset, sizeof(dataset)), NULL)) return NULL;
  if (dataset->kind == &assert_next_kind) SLI_RETURN_IF_ERROR(check_expected((const noted_t *)dataset, path->after));
  for (int i = 0; i < dataset->input_count; i++)
    SLI_RETURN_IF_ERROR(check_path(&(path_t){dataset->inputs[i], path}, visited));
  return NULL;
}

sli_status_t *sli_dataset_check_expectations(const sli_dataset_t *dataset) {
  sli_map_t visited = {0};
  sli_status_t *status = check_path(&(path_t){dataset, NULL}, &visited);
  sli_map_deinitialize(&visited);
  return status;
}

// --- GetElementAtIndex -----------------------------------------------------------------------------------------------

// The kinds whose elements always have the same number, and are found by counting.
static bool has_numbers(const sli_dataset_t *dataset) {
  static const char *const kinds[] = {"RangeDataset",    "TensorDataset",      "TensorSliceDataset", "TakeDataset",
                                      "SkipDataset",     "RepeatDataset",      "ShardDataset",       "BatchDataset",
                                      "PrefetchDataset", "ConcatenateDataset", "OptionsDataset",     "ZipDataset",
                                      "CacheDataset"};
  bool is_known = false;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) is_known |= !strcmp(dataset->kind->name, kinds[i]);
  return is_known;
}

// A cache gives its elements their numbers, wherever they come from.
static bool is_cache(const sli_dataset_t *dataset) { return !strcmp(dataset->kind->name, "CacheDataset"); }

static sli_status_t *check_numbers(const sli_dataset_t *dataset, sli_map_t *visited) {
  if (!sli_map_insert(visited, sli_view_of((const char *)&dataset, sizeof(dataset)), NULL)) return NULL;
  if (!has_numbers(dataset))
    return sli_status_make(SLI_UNIMPLEMENTED, "Random access is not implemented for this dataset.");
  if (is_cache(dataset)) return NULL;
  for (int i = 0; i < dataset->input_count; i++) SLI_RETURN_IF_ERROR(check_numbers(dataset->inputs[i], visited));
  return NULL;
}

static sli_status_t *take_at(sli_kernel_context_t *context, sli_iterator_pass_t *pass, int64_t index) {
  sli_iterator_call_t call = {context->step->cancellation};
  int count = pass->iterator->dataset->component_count;
  sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
  for (int64_t i = 0; i <= index; i++) {
    bool is_end;
    SLI_RETURN_IF_ERROR(sli_iterator_next(pass->iterator, &call, element, &is_end));
    if (is_end)
      return sli_status_make(SLI_OUT_OF_RANGE, "Index out of range [0, %lld):%lld", (long long)i, (long long)index);
    if (i < index) sli_dataset_release_element(element, count);
  }
  for (int i = 0; i < count; i++) sli_kernel_set_output(context, i, element[i]);
  return NULL;
}

static sli_status_t *element_at(sli_kernel_context_t *context) {
  sli_dataset_t *dataset;
  sli_iterator_pass_t *pass;
  int64_t index;
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &dataset));
  SLI_RETURN_IF_ERROR(sli_dataset_input_int(context, 1, "index", &index));
  SLI_RETURN_IF_ERROR(sli_dataset_check_types(context->node->output_types, context->output_count, dataset->types,
                                              dataset->component_count));
  sli_map_t visited = {0};
  sli_status_t *status = check_numbers(dataset, &visited);
  sli_map_deinitialize(&visited);
  SLI_RETURN_IF_ERROR(status);
  int64_t size = sli_dataset_cardinality(dataset);
  if (size == SLI_DATASET_INFINITE && !is_cache(dataset))
    return sli_status_make(SLI_FAILED_PRECONDITION, "Dataset of type %s is infinite: it has no random access.",
                           dataset->kind->name);
  if (index < 0 || (size >= 0 && index >= size))
    return sli_status_make(SLI_OUT_OF_RANGE, "Index out of range [0, %lld):%lld", (long long)size, (long long)index);
  SLI_RETURN_IF_ERROR(sli_iterator_pass_create(dataset, context->device, &pass));
  status = take_at(context, pass, index);
  sli_iterator_pass_release(pass);
  return status;
}

// --- ChooseFastestBranchDataset --------------------------------------------------------------------------------------

// The branches give the same elements; which one is the fastest does not matter where all parts tune themselves.
static sli_status_t *choose_branch(sli_kernel_context_t *context) {
  const sli_attr_t *branches, *lengths;
  sli_dataset_t *input, *dataset;
  sli_tensor_t *argument = sli_kernel_input(context, 0), *result;
  sli_dataset_function_t function;
  sli_iterator_call_t call = {context->step->cancellation};
  SLI_RETURN_IF_ERROR(sli_dataset_input(context, 0, &input));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "branches", SLI_ATTR_FUNC, &branches));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "other_arguments_lengths", SLI_ATTR_INT, &lengths));
  if (branches->count != lengths->count || lengths->list.i[0] < 0 || lengths->list.i[0] > context->input_count - 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "branches and other_arguments_lengths do not fit the arguments");
  SLI_RETURN_IF_ERROR(
      sli_dataset_function_initialize_as(context, &branches->list.func[0], 3, (int)lengths->list.i[0], &function));
  sli_status_t *status = sli_dataset_function_check(&function, 1, 1);
  if (!status) status = sli_dataset_function_call(&function, &call, &argument, 1, &result);
  if (!status) {
    status = sli_dataset_of(result, &dataset);
    if (!status)
      sli_kernel_set_output(context, 0, result);
    else
      sli_tensor_release(result);
  }
  sli_dataset_function_deinitialize(&function);
  return status;
}

static sli_status_t *element_shape(sli_infer_context_t *c) {
  sli_shape_t scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &scalar));
  return sli_dataset_infer_components(c);
}

static const sli_op_def_t ops[] = {
    {
        .name = "OptionsDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs = "serialized_options: string; " SLI_DATASET_ELEMENTS "; " SLI_DATASET_METADATA,
        .summary = "The dataset with options, which hold already.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "GetOptions",
        .inputs = "input_dataset: variant",
        .outputs = "serialized_options: string",
        .summary = "The options of a dataset and its inputs.",
        .shape = sli_infer_fn_scalar,
    },
    {
        .name = "AssertNextDataset",
        .inputs = "input_dataset: variant, transformations: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself; iterators check which transformations come after it.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "ExperimentalAssertNextDataset",
        .inputs = "input_dataset: variant, transformations: string",
        .outputs = "handle: variant",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The dataset itself; iterators check which transformations come after it.",
        .shape = sli_dataset_infer,
    },
    {
        .name = "GetElementAtIndex",
        .inputs = "dataset: variant, index: int64",
        .outputs = "components: output_types",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "An element of a dataset by its number.",
        .shape = element_shape,
    },
    {
        .name = "ChooseFastestBranchDataset",
        .inputs = "input_dataset: variant, ratio_numerator: int64, ratio_denominator: int64, "
                  "other_arguments: Targuments",
        .outputs = "handle: variant",
        .attrs = "Targuments: list(type) >= 0; num_elements_per_branch: int >= 1; branches: list(func) >= 1; "
                 "other_arguments_lengths: list(int) >= 1; " SLI_DATASET_ELEMENTS,
        .summary = "One of several functions with the same elements, applied to a dataset.",
        .shape = sli_dataset_infer,
        .keeps_inputs = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "OptionsDataset", .compute = options_dataset},
    {.op = "GetOptions", .compute = get_options},
    {.op = "AssertNextDataset", .compute = assert_next_dataset},
    {.op = "ExperimentalAssertNextDataset", .compute = assert_next_dataset},
    {.op = "GetElementAtIndex", .compute = element_at, .blocks = true},
    {.op = "ChooseFastestBranchDataset",
     .compute = choose_branch,
     .create = sli_dataset_library_create,
     .destroy = sli_dataset_library_destroy,
     .blocks = true},
};

SLI_OP_MODULE(data_inspect);
