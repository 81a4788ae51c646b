#include "ops/data/recipe.h"

#include <stdlib.h>

#include "base/alloc.h"

void sli_dataset_recipe_note(sli_dataset_t *dataset, const sli_kernel_context_t *context) {
  if (dataset->recipe) return;
  const sli_node_def_t *node = context->node;
  sli_arena_t *arena = &dataset->arena;
  sli_dataset_recipe_t *recipe = sli_arena_calloc(arena, 1, sizeof(*recipe));
  sli_attr_entry_t *attrs = sli_arena_calloc(arena, node->attr_count + 1, sizeof(*attrs));
  for (size_t i = 0; i < node->attr_count; i++)
    attrs[i] = (sli_attr_entry_t){sli_arena_strndup(arena, node->attrs[i].name, strlen(node->attrs[i].name)),
                                  sli_attr_copy(arena, &node->attrs[i].value)};
  sli_dtype_t *types = sli_arena_calloc(arena, (size_t)(node->input_count + node->output_count) + 1, sizeof(*types));
  for (int i = 0; i < node->input_count; i++) types[i] = node->input_types[i];
  for (int i = 0; i < node->output_count; i++) types[node->input_count + i] = node->output_types[i];
  recipe->node = *node;
  recipe->node.name = sli_arena_strndup(arena, node->name, strlen(node->name));
  recipe->node.device = "";
  recipe->node.attrs = attrs;
  recipe->node.input_types = types;
  recipe->node.output_types = types + node->input_count;
  recipe->library = sli_dataset_library_of(context);
  recipe->inputs = sli_arena_calloc(arena, (size_t)context->input_count + 1, sizeof(recipe->inputs[0]));
  for (int i = 0; i < context->input_count; i++) recipe->inputs[i] = sli_tensor_retain(sli_kernel_input(context, i));
  dataset->recipe = recipe;
}

void sli_dataset_recipe_release(const sli_dataset_recipe_t *recipe) {
  if (!recipe) return;
  for (int i = 0; i < recipe->node.input_count; i++) sli_tensor_release(recipe->inputs[i]);
  sli_object_release(recipe->library);
  sli_node_def_release_tensors(&recipe->node);
}

// What follows the name of an op may only be its version: V2, V13.
static bool is_version(sli_view_t text) {
  if (!text.size) return true;
  if (text.size < 2 || text.data[0] != 'V') return false;
  for (size_t i = 1; i < text.size; i++)
    if (text.data[i] < '0' || text.data[i] > '9') return false;
  return true;
}

bool sli_dataset_op_is_one_of(sli_view_t op, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t size = strlen(names[i]);
    if (op.size >= size && !memcmp(op.data, names[i], size) && is_version(sli_view_of(op.data + size, op.size - size)))
      return true;
  }
  return false;
}

bool sli_dataset_is_made_by(const sli_dataset_t *dataset, const char *const *names, size_t count) {
  return dataset->recipe && sli_dataset_op_is_one_of(sli_view(dataset->recipe->node.op->def->name), names, count);
}

// Runs the kernel of |node|, which must not wait for anything.
static sli_status_t *run(const sli_node_def_t *node, sli_function_library_t *library,
                         const sli_kernel_context_t *context, sli_tensor_t *const *inputs,
                         sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  const sli_kernel_def_t *kernel;
  void *state = NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_find(node, context->device->type, &kernel));
  if (!kernel->compute || node->output_count != 1)
    return sli_status_make(SLI_UNIMPLEMENTED, "%s cannot be made again", node->op->def->name);
  sli_kernel_setup_t setup = {.node = node, .device = context->device, .functions = library};
  if (kernel->create) SLI_RETURN_IF_ERROR(kernel->create(&setup, &state));
  sli_kernel_value_t *values = sli_calloc((size_t)node->input_count + 1, sizeof(*values)), output = {0};
  for (int i = 0; i < node->input_count; i++) values[i].tensor = sli_tensor_retain(inputs[i]);
  sli_kernel_context_t own = {.node = node,
                              .state = state,
                              .device = context->device,
                              .step = context->step,
                              .inputs = values,
                              .input_count = node->input_count,
                              .outputs = &output,
                              .output_count = 1};
  sli_status_t *status = kernel->compute(&own);
  if (!status) status = sli_dataset_of(output.tensor, out_dataset);
  if (!status) sli_dataset_retain(*out_dataset);
  for (int i = 0; i < node->input_count; i++) sli_kernel_value_release(values[i]);
  sli_kernel_value_release(output);
  free(values);
  if (state && kernel->destroy) kernel->destroy(state);
  return status;
}

sli_status_t *sli_dataset_remake(const sli_dataset_recipe_t *recipe, const sli_kernel_context_t *context,
                                 sli_tensor_t *const *inputs, sli_dataset_t **out_dataset) {
  return run(&recipe->node, recipe->library, context, inputs, out_dataset);
}

sli_status_t *sli_dataset_remake_from(const sli_dataset_recipe_t *recipe, const sli_kernel_context_t *context,
                                      sli_dataset_t *input, sli_dataset_t **out_dataset) {
  sli_tensor_t **inputs = sli_calloc((size_t)recipe->node.input_count + 1, sizeof(*inputs));
  for (int i = 1; i < recipe->node.input_count; i++) inputs[i] = recipe->inputs[i];
  inputs[0] = sli_dataset_to_tensor(sli_dataset_retain(input));
  sli_status_t *status = sli_dataset_remake(recipe, context, inputs, out_dataset);
  sli_tensor_release(inputs[0]);
  free(inputs);
  return status;
}

sli_status_t *sli_dataset_make(const sli_dataset_making_t *making, const sli_kernel_context_t *context,
                               sli_tensor_t *const *inputs, int input_count, sli_dataset_t **out_dataset) {
  *out_dataset = NULL;
  sli_arena_t arena = {0};
  sli_node_def_t node;
  sli_dtype_t *types = sli_arena_calloc(&arena, (size_t)input_count + 1, sizeof(*types));
  for (int i = 0; i < input_count; i++) types[i] = inputs[i]->dtype;
  sli_node_request_t request = {.name = making->op,
                                .device = "",
                                .op = sli_op_find(sli_view(making->op)),
                                .attrs = making->attrs,
                                .attr_count = making->attr_count,
                                .input_types = types,
                                .input_count = input_count,
                                .infer = true};
  SLI_CHECK(request.op);
  sli_status_t *status = sli_node_def_complete(&request, &arena, &node);
  if (!status) {
    status = run(&node, making->library, context, inputs, out_dataset);
    sli_node_def_release_tensors(&node);
  }
  sli_arena_deinitialize(&arena);
  return status;
}
