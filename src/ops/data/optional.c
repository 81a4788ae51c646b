#include "ops/data/optional.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "core/tensor/variant.h"
#include "ops/common/copy_elements.h"
#include "ops/data/dataset.h"

static void optional_destroy(sli_object_t *object) {
  sli_optional_t *optional = (sli_optional_t *)object;
  for (int i = 0; i < optional->count; i++) sli_tensor_release(optional->components[i]);
  free(optional);
}

static sli_optional_t *create(bool has_value, int count) {
  sli_optional_t *optional = sli_calloc(1, sizeof(*optional) + (size_t)count * sizeof(optional->components[0]));
  sli_object_initialize(&optional->base, &sli_optional_type);
  optional->has_value = has_value;
  optional->count = count;
  return optional;
}

static sli_status_t *optional_zeros_like(const sli_object_t *object, sli_object_t **out_object) {
  const sli_optional_t *optional = (const sli_optional_t *)object;
  sli_optional_t *zeros = create(optional->has_value, optional->count);
  sli_status_t *status = NULL;
  for (int i = 0; i < optional->count && !status; i++)
    status = sli_elements_zeros_like(optional->components[i], &zeros->components[i]);
  *out_object = status ? NULL : &zeros->base;
  if (status) sli_object_release(zeros);
  return status;
}

static sli_status_t *optional_add(const sli_object_t *left, const sli_object_t *right, sli_object_t **out_sum) {
  const sli_optional_t *a = (const sli_optional_t *)left, *b = (const sli_optional_t *)right;
  *out_sum = NULL;
  if (a->has_value != b->has_value)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot add optionals because one has a value and the other doesn't.");
  if (a->count != b->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Cannot add optionals because they have different numbers of components.");
  sli_optional_t *sum = create(a->has_value, a->count);
  sli_status_t *status = NULL;
  for (int i = 0; i < a->count && !status; i++) {
    if (a->components[i]->dtype == b->components[i]->dtype)
      status = sli_elements_sum(a->components[i], b->components[i], &sum->components[i]);
    else
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Cannot add optionals because component %d is %s and %s.", i,
                               sli_dtype_name((sli_dtype_t)a->components[i]->dtype),
                               sli_dtype_name((sli_dtype_t)b->components[i]->dtype));
  }
  *out_sum = status ? NULL : &sum->base;
  if (status) sli_object_release(sum);
  return status;
}

static const struct sli_variant_methods optional_methods = {.zeros_like = optional_zeros_like, .add = optional_add};
const sli_object_type_t sli_optional_type = {"Optional", optional_destroy, NULL, &optional_methods};

static sli_tensor_t *make(bool has_value, sli_tensor_t *const *components, int count) {
  sli_optional_t *optional = create(has_value, count);
  for (int i = 0; i < count; i++) optional->components[i] = sli_tensor_retain(components[i]);
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_VARIANT, NULL, 0, &tensor));
  SLI_DATA(sli_object_t *, tensor)[0] = &optional->base;
  return tensor;
}

sli_tensor_t *sli_optional_none(void) { return make(false, NULL, 0); }
sli_tensor_t *sli_optional_make(sli_tensor_t *const *components, int count) { return make(true, components, count); }

// The optional in a tensor (borrowed). INVALID_ARGUMENT if it holds none.
static sli_status_t *find_optional(const sli_tensor_t *tensor, const sli_optional_t **out_optional) {
  *out_optional = NULL;
  if (!tensor || tensor->dtype != SLI_DTYPE_VARIANT || tensor->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input to an optional op must be a scalar containing an "
                           "OptionalVariant object.");
  sli_object_t *object = SLI_DATA(sli_object_t *, tensor)[0];
  if (!object || object->type != &sli_optional_type)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input is not an OptionalVariant object.");
  *out_optional = (const sli_optional_t *)object;
  return NULL;
}

static sli_status_t *none(sli_kernel_context_t *context) {
  sli_kernel_set_output(context, 0, sli_optional_none());
  return NULL;
}

static sli_status_t *from_value(sli_kernel_context_t *context) {
  sli_tensor_t *components[SLI_DATASET_MAX_COMPONENTS];
  if (context->input_count > SLI_DATASET_MAX_COMPONENTS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "An optional can have at most %d components, got %d",
                           SLI_DATASET_MAX_COMPONENTS, context->input_count);
  for (int i = 0; i < context->input_count; i++) components[i] = sli_kernel_input(context, i);
  sli_kernel_set_output(context, 0, sli_optional_make(components, context->input_count));
  return NULL;
}

static sli_status_t *has_value(sli_kernel_context_t *context) {
  const sli_optional_t *optional;
  SLI_RETURN_IF_ERROR(find_optional(sli_kernel_input(context, 0), &optional));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_bool(optional->has_value));
  return NULL;
}

static sli_status_t *get_value(sli_kernel_context_t *context) {
  const sli_optional_t *optional;
  const sli_attr_t *types, *shapes;
  SLI_RETURN_IF_ERROR(find_optional(sli_kernel_input(context, 0), &optional));
  if (!optional->has_value) return sli_status_make(SLI_INVALID_ARGUMENT, "The given optional does not have a value.");
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "output_types", SLI_ATTR_TYPE, &types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  if ((size_t)optional->count != types->count || types->count != shapes->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The given optional has %d components, expected %zu.", optional->count,
                           types->count);
  for (int i = 0; i < optional->count; i++) {
    sli_tensor_t *tensor = optional->components[i];
    if (tensor->dtype != types->list.type[i])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The given optional does not match the expected type for component %d. Expected: %s. "
                             "Actual: %s.",
                             i, sli_dtype_name(types->list.type[i]), sli_dtype_name((sli_dtype_t)tensor->dtype));
    if (!sli_shape_is_compatible(shapes->list.shape[i], sli_tensor_shape(tensor)))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The given optional does not match the expected shape for component %d. Expected: %s. "
                             "Actual: %s.",
                             i, sli_shape_text(shapes->list.shape[i]).text, sli_tensor_shape_text(tensor).text);
  }
  for (int i = 0; i < optional->count; i++)
    sli_kernel_set_output(context, i, sli_tensor_retain(optional->components[i]));
  return NULL;
}

// The gradient of an optional is an optional of the gradients.
static sli_status_t *from_value_gradient(sli_gradient_builder_t *b) {
  int count = b->node->input_count;
  sli_shape_t *shapes = sli_calloc((size_t)count, sizeof(*shapes));
  for (int i = 0; i < count; i++) shapes[i] = b->shape(b, sli_gradient_input(b, i));
  sli_attr_entry_t attrs[] = {
      {"output_types",
       {.kind = SLI_ATTR_TYPE, .is_list = true, .count = (size_t)count, .list.type = b->node->input_types}},
      {"output_shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = (size_t)count, .list.shape = shapes}}};
  sli_output_t values = sli_gradient_emit(b, "OptionalGetValue", SLI_INPUTS(sli_gradient_of_output(b, 0)), attrs,
                                          SLI_ARRAY_COUNT_OF(attrs));
  for (int i = 0; i < count; i++) sli_gradient_set(b, i, sli_output_at(values, i));
  free(shapes);
  return NULL;
}

static sli_status_t *get_value_gradient(sli_gradient_builder_t *b) {
  int count = b->node->output_count;
  sli_output_t *gradients = sli_calloc((size_t)count, sizeof(*gradients));
  for (int i = 0; i < count; i++) gradients[i] = sli_gradient_of_output(b, i);
  sli_gradient_set(b, 0, sli_gradient_emit(b, "OptionalFromValue", gradients, (size_t)count, NULL, 0));
  free(gradients);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "OptionalFromValue",
        .inputs = "components: Toutput_types",
        .outputs = "optional: variant",
        .attrs = "Toutput_types: list(type) >= 1",
        .summary = "An optional that holds tensors.",
        .shape = sli_infer_fn_scalar,
        .gradient = from_value_gradient,
        .keeps_inputs = true,
    },
    {
        .name = "OptionalNone",
        .outputs = "optional: variant",
        .summary = "An optional without a value.",
        .shape = sli_infer_fn_scalar,
    },
    {
        .name = "OptionalHasValue",
        .inputs = "optional: variant",
        .outputs = "has_value: bool",
        .summary = "Whether an optional holds a value.",
        .shape = sli_infer_fn_scalar,
    },
    {
        .name = "OptionalGetValue",
        .inputs = "optional: variant",
        .outputs = "components: output_types",
        .attrs = SLI_DATASET_ELEMENTS,
        .summary = "The tensors of an optional.",
        .shape = sli_dataset_infer_components,
        .gradient = get_value_gradient,
        .forwards_input = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "OptionalFromValue", .compute = from_value},
    {.op = "OptionalNone", .compute = none},
    {.op = "OptionalHasValue", .compute = has_value},
    {.op = "OptionalGetValue", .compute = get_value},
};

SLI_OP_MODULE(optional);
