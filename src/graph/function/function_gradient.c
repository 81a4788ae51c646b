// The gradient of a function as the body of another one.
#include <stdlib.h>

#include "graph/function/function_inline.h"
#include "graph/gradients/gradients.h"

static bool is_differentiable(sli_dtype_t type) {
  switch (sli_dtype_base(type)) {
    case SLI_DTYPE_HALF:
    case SLI_DTYPE_BFLOAT16:
    case SLI_DTYPE_FLOAT:
    case SLI_DTYPE_DOUBLE:
    case SLI_DTYPE_COMPLEX64:
    case SLI_DTYPE_COMPLEX128:
    case SLI_DTYPE_VARIANT: return true;
    default: return false;
  }
}

static sli_status_t *add_node(sli_graph_t *graph, const char *op, const char *base, const sli_output_t *inputs,
                              size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count,
                              sli_output_t *out_output) {
  sli_graph_node_t request = {.op = op,
                              .name = sli_graph_unique_name(graph, base),
                              .inputs = inputs,
                              .input_count = input_count,
                              .attrs = attrs,
                              .attr_count = attr_count,
                              .infer = true};
  sli_node_t *node;
  *out_output = SLI_OUTPUT_NONE;
  SLI_RETURN_IF_ERROR(sli_graph_add(graph, &request, &node));
  *out_output = (sli_output_t){node, 0};
  return NULL;
}

// The gradients of the results come after the function's own arguments.
static sli_status_t *add_incoming(sli_function_body_t *body) {
  size_t count = body->argument_count;
  body->arguments = sli_realloc(body->arguments, (count + body->result_count + 1) * sizeof(*body->arguments));
  for (size_t i = 0; i < body->result_count; i++) {
    sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("T", sli_dtype_base(sli_graph_output_dtype(body->results[i]))),
                                SLI_ATTR_INT_OF("index", (int64_t)(count + i))};
    SLI_RETURN_IF_ERROR(add_node(body->graph, "_Arg", "dy", NULL, 0, attrs, 2, &body->arguments[count + i]));
    body->argument_count++;
  }
  return NULL;
}

// A gradient of an argument as one tensor: slices are added up, and where there is none it is zero.
static sli_status_t *make_dense(sli_graph_t *graph, sli_output_t argument, const sli_gradient_slices_t *gradient,
                                sli_output_t *out_output) {
  *out_output = gradient->values;
  if (!gradient->values.node) {
    if (sli_graph_output_dtype(argument) == SLI_DTYPE_RESOURCE || sli_graph_output_dtype(argument) == SLI_DTYPE_STRING)
      return sli_status_make(SLI_UNIMPLEMENTED, "A function has no gradient for its argument '%s' of type %s",
                             argument.node->def.name, sli_dtype_name(sli_graph_output_dtype(argument)));
    return add_node(graph, "ZerosLike", "dx", &argument, 1, NULL, 0, out_output);
  }
  if (!gradient->indices.node) return NULL;
  sli_tensor_t *one = sli_tensor_scalar_int32(1);
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT32), SLI_ATTR_TENSOR_OF("value", one)};
  sli_output_t axis, columns, shape;
  sli_status_t *status = add_node(graph, "Const", "dx/axis", NULL, 0, attrs, 2, &axis);
  sli_tensor_release(one);
  if (status) return status;
  SLI_RETURN_IF_ERROR(
      add_node(graph, "ExpandDims", "dx/indices", (sli_output_t[]){gradient->indices, axis}, 2, NULL, 0, &columns));
  sli_attr_entry_t type = SLI_ATTR_TYPE_OF("out_type", sli_dtype_base(sli_graph_output_dtype(gradient->indices)));
  SLI_RETURN_IF_ERROR(add_node(graph, "Shape", "dx/shape", &argument, 1, &type, 1, &shape));
  return add_node(graph, "ScatterNd", "dx", (sli_output_t[]){columns, gradient->values, shape}, 3, NULL, 0, out_output);
}

static sli_status_t *differentiate(sli_function_body_t *body) {
  size_t argument_count = body->argument_count, y_count = 0;
  SLI_RETURN_IF_ERROR(add_incoming(body));
  sli_output_t *ys = sli_calloc(2 * body->result_count + 1, sizeof(*ys)), *dys = ys + body->result_count;
  sli_gradient_slices_t *gradients = sli_calloc(argument_count + 1, sizeof(*gradients));
  for (size_t i = 0; i < body->result_count; i++) {
    if (!is_differentiable(sli_graph_output_dtype(body->results[i]))) continue;
    ys[y_count] = body->results[i];
    dys[y_count++] = body->arguments[argument_count + i];
  }
  sli_gradients_request_t request = {
      .ys = ys, .y_count = y_count, .xs = body->arguments, .x_count = argument_count, .dys = dys};
  sli_status_t *status = y_count ? sli_gradients_add(body->graph, &request, gradients) : NULL;
  sli_output_t *results = sli_calloc(argument_count + 1, sizeof(*results));
  for (size_t i = 0; i < argument_count && !status; i++)
    status = make_dense(body->graph, body->arguments[i], &gradients[i], &results[i]);
  free(body->results);
  body->results = results;
  body->result_count = argument_count;
  free(gradients);
  free(ys);
  return status;
}

sli_status_t *sli_function_body_create_gradient(sli_graph_functions_t *functions, const sli_attr_func_t *name,
                                                sli_function_body_t *out_body) {
  const char *given = sli_graph_functions_gradient(functions, name->name);
  if (given) {
    sli_attr_func_t gradient = {sli_view(given), name->attrs, name->attr_count};
    return sli_function_body_create(functions, &gradient, out_body);
  }
  SLI_RETURN_IF_ERROR(sli_function_body_create(functions, name, out_body));
  sli_function_inline_options_t options = {.inside = name->name, .is_differentiated = true};
  sli_status_t *status = sli_function_inline(out_body->graph, 0, &options);
  if (!status) status = differentiate(out_body);
  if (status) {
    sli_function_body_deinitialize(out_body);
    status = sli_status_prefix(status, "The gradient of function %.*s: ", SLI_VIEW_ARG(name->name));
  }
  return status;
}
