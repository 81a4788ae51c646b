// TF_AddGradients and sl_graph_gradients. The gradient of a Gather is IndexedSlices.
// TensorFlow's C API has dense tensors only, so TF_AddGradients converts them.
#include <stdlib.h>

#include "capi/capi.h"
#include "graph/gradients/gradients.h"
#include "sluice/gradients.h"

// --- Making slices dense -----------------------------------------------------

typedef struct {
  sli_graph_t *graph;
  const char *prefix;
} scope_t;

static sli_output_t emit(sli_gradient_builder_t *builder, const char *op, const char *name, const sli_output_t *inputs,
                         size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  const scope_t *scope = builder->user;
  char *wanted = sli_format("%s/%s", scope->prefix, name && *name ? name : op);
  sli_graph_node_t request = {
      .op = op,
      .name = sli_graph_unique_name(scope->graph, wanted),
      .inputs = inputs,
      .input_count = input_count,
      .attrs = attrs,
      .attr_count = attr_count,
      .infer = true,
  };
  free(wanted);
  sli_node_t *node = NULL;
  builder->status = sli_graph_add(scope->graph, &request, &node);
  return (sli_output_t){node, 0};
}

static const sli_node_def_t *node_def(sli_gradient_builder_t *builder, sli_node_t *node) { return &node->def; }

static sli_shape_t output_shape(sli_gradient_builder_t *builder, sli_output_t output) {
  return sli_graph_output_shape(output);
}

static sli_status_t *densify(sli_graph_t *graph, const char *prefix, const sli_node_t *x,
                             const sli_gradient_slices_t *slices, sli_output_t *out_dense) {
  scope_t scope = {graph, prefix};
  sli_gradient_builder_t builder = {
      .node = &x->def,
      .output_gradients = slices,
      .emit = emit,
      .def = node_def,
      .shape = output_shape,
      .user = &scope,
  };
  *out_dense = sli_gradient_of_output(&builder, 0);
  return builder.status;
}

// --- The call ----------------------------------------------------------------

typedef struct {
  const char *prefix;  // NULL: any unused one
  const TF_Output *ys, *xs, *dys, *stops;
  size_t y_count, x_count, stop_count;
  bool sparse;         // IndexedSlices are kept, an x may be unreachable, and an op's gradients are gated
  const char *device;  // of the new nodes; NULL: none
  bool pairwise;       // sums two at a time
  bool colocate;       // with the forward ops
} request_t;

static sli_status_t *check_outputs(const TF_Graph *graph, const TF_Output *outputs, size_t count) {
  for (size_t i = 0; i < count; i++) SLI_RETURN_IF_ERROR(sli_capi_check_output(graph, outputs[i]));
  return NULL;
}

// Some y must depend on every x.
static sli_status_t *check_paths(const sli_graph_t *graph, const request_t *request) {
  sli_node_t **roots = sli_calloc(request->y_count, sizeof(sli_node_t *));
  bool *reached = sli_calloc(graph->nodes.count, sizeof(*reached));
  for (size_t i = 0; i < request->y_count; i++) roots[i] = sli_capi_node(request->ys[i].oper);
  sli_graph_mark_needed(graph, roots, request->y_count, NULL, 0, reached);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < request->x_count && !status; i++) {
    const sli_node_t *node = sli_capi_node(request->xs[i].oper);
    if (!reached[node->id])
      status = sli_status_make(SLI_INVALID_ARGUMENT,
                               "Cannot compute the partial derivative for node '%s' as it's unreachable from the "
                               "output node(s).",
                               node->def.name);
  }
  free(roots);
  free(reached);
  return status;
}

static sli_output_t *outputs_of(const TF_Output *outputs, size_t count) {
  if (!outputs) return NULL;
  sli_output_t *converted = sli_calloc(count, sizeof(*converted));
  for (size_t i = 0; i < count; i++) converted[i] = sli_capi_output(outputs[i]);
  return converted;
}

static TF_Output tf_output_of(sli_output_t output) {
  return output.node ? sli_capi_tf_output(output) : (TF_Output){NULL, -1};
}

static sli_status_t *differentiate_locked(TF_Graph *graph, const request_t *request, const char *prefix,
                                          sl_indexed_slices_t *out_dxs) {
  sli_output_t *ys = outputs_of(request->ys, request->y_count), *xs = outputs_of(request->xs, request->x_count);
  sli_output_t *dys = outputs_of(request->dys, request->y_count);
  sli_output_t *stops = outputs_of(request->stops, request->stop_count);
  sli_gradient_slices_t *gradients = sli_calloc(request->x_count, sizeof(*gradients));
  size_t before = graph->graph->nodes.count;
  sli_gradients_request_t driver = {.name = prefix,
                                    .ys = ys,
                                    .xs = xs,
                                    .y_count = request->y_count,
                                    .x_count = request->x_count,
                                    .dys = dys,
                                    .stops = stops,
                                    .stop_count = request->stop_count,
                                    .gate = request->sparse,
                                    .pairwise = request->pairwise,
                                    .colocate = request->colocate,
                                    .device = request->device};
  sli_status_t *status = sli_gradients_add(graph->graph, &driver, gradients);
  for (size_t i = 0; i < request->x_count && !status; i++) {
    sli_gradient_slices_t gradient = gradients[i];
    if (gradient.indices.node && !request->sparse) {
      status = densify(graph->graph, prefix, xs[i].node, &gradients[i], &gradient.values);
      gradient.indices = gradient.dense_shape = SLI_OUTPUT_NONE;
    }
    out_dxs[i] = (sl_indexed_slices_t){tf_output_of(gradient.values), tf_output_of(gradient.indices),
                                       tf_output_of(gradient.dense_shape)};
  }
  if (status)
    sli_graph_truncate(graph->graph, before);
  else
    sli_capi_graph_changed_locked(graph);
  free(ys);
  free(xs);
  free(dys);
  free(stops);
  free(gradients);
  return status;
}

static sli_status_t *add_locked(TF_Graph *graph, const request_t *request, sl_indexed_slices_t *out_dxs) {
  SLI_RETURN_IF_ERROR(check_outputs(graph, request->ys, request->y_count));
  SLI_RETURN_IF_ERROR(check_outputs(graph, request->xs, request->x_count));
  if (request->dys) SLI_RETURN_IF_ERROR(check_outputs(graph, request->dys, request->y_count));
  SLI_RETURN_IF_ERROR(check_outputs(graph, request->stops, request->stop_count));
  const char *taken = request->prefix ? sli_gradients_find_node_under(graph->graph, request->prefix) : NULL;
  if (taken)
    return sli_status_make(SLI_INVALID_ARGUMENT, "prefix [%s] conflicts with existing node in the graph named [%s]",
                           request->prefix, taken);
  if (!request->sparse) SLI_RETURN_IF_ERROR(check_paths(graph->graph, request));
  char *prefix = request->prefix ? sli_strdup(request->prefix) : sli_gradients_unused_prefix(graph->graph, "gradients");
  sli_status_t *status = differentiate_locked(graph, request, prefix, out_dxs);
  free(prefix);
  return status;
}

void TF_AddGradientsWithPrefix(TF_Graph *g, const char *prefix, TF_Output *y, int ny, TF_Output *x, int nx,
                               TF_Output *dx, TF_Status *status, TF_Output *dy) {
  request_t request = {.prefix = prefix,
                       .ys = y,
                       .xs = x,
                       .dys = dx,
                       .y_count = ny < 0 ? 0 : (size_t)ny,
                       .x_count = nx < 0 ? 0 : (size_t)nx};
  sl_indexed_slices_t *gradients = sli_calloc(request.x_count, sizeof(*gradients));
  sli_mutex_lock(&g->mutex);
  sli_status_t *result = add_locked(g, &request, gradients);
  sli_mutex_unlock(&g->mutex);
  for (size_t i = 0; i < request.x_count; i++) dy[i] = result ? (TF_Output){NULL, -1} : gradients[i].values;
  free(gradients);
  sli_capi_set_status(status, result);
}

void sl_graph_add_gradients(TF_Graph *graph, const char *prefix, const TF_Output *ys, size_t y_count,
                            const TF_Output *xs, size_t x_count, const sl_graph_add_gradients_options_t *options,
                            sl_indexed_slices_t *out_dxs, TF_Status *status) {
  sl_graph_add_gradients_options_t given = {0};
  if (options) memcpy(&given, options, options->struct_size < sizeof(given) ? options->struct_size : sizeof(given));
  request_t request = {.prefix = prefix,
                       .ys = ys,
                       .xs = xs,
                       .dys = given.dys,
                       .stops = given.stops,
                       .stop_count = given.stop_count,
                       .y_count = y_count,
                       .x_count = x_count,
                       .sparse = true,
                       .device = given.device && given.device[0] ? given.device : NULL,
                       .pairwise = given.aggregation_method != SL_ADD_N,
                       .colocate = given.colocate};
  for (size_t i = 0; i < x_count; i++) out_dxs[i] = (sl_indexed_slices_t){{NULL, -1}, {NULL, -1}, {NULL, -1}};
  sli_mutex_lock(&graph->mutex);
  sli_status_t *result = add_locked(graph, &request, out_dxs);
  sli_mutex_unlock(&graph->mutex);
  sli_capi_set_status(status, result);
}

void sl_graph_gradients(TF_Graph *graph, const char *prefix, const TF_Output *ys, size_t y_count, const TF_Output *xs,
                        size_t x_count, const TF_Output *dys, const char *device,
                        sl_aggregation_method_t aggregation_method, sl_indexed_slices_t *out_dxs, TF_Status *status) {
  sl_graph_add_gradients_options_t options = {
      .struct_size = sizeof(options), .dys = dys, .device = device, .aggregation_method = aggregation_method};
  sl_graph_add_gradients(graph, prefix, ys, y_count, xs, x_count, &options, out_dxs, status);
}

void TF_AddGradients(TF_Graph *g, TF_Output *y, int ny, TF_Output *x, int nx, TF_Output *dx, TF_Status *status,
                     TF_Output *dy) {
  TF_AddGradientsWithPrefix(g, NULL, y, ny, x, nx, dx, status, dy);
}
