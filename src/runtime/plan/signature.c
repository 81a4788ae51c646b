#include "runtime/plan/signature.h"

#include <stdlib.h>

#include "graph/function/function_inline.h"

void sli_signature_append_key(const sli_signature_t *signature, sli_string_t *out) {
  for (size_t i = 0; i < signature->feed_count; i++) sli_string_append_format(out, "%s,", signature->feed_names[i]);
  sli_string_append_text(out, "->");
  for (size_t i = 0; i < signature->fetch_count; i++) sli_string_append_format(out, "%s,", signature->fetch_names[i]);
  sli_string_append_char(out, '/');
  for (size_t i = 0; i < signature->target_count; i++) sli_string_append_format(out, "%s,", signature->target_names[i]);
  for (size_t i = 0; i < signature->connection_count; i++)
    sli_string_append_format(out, "%s>%s,", signature->connections[i].from, signature->connections[i].to);
  if (signature->collective_graph_key)
    sli_string_append_format(out, "/%lld", (long long)signature->collective_graph_key);
}

sli_status_t *sli_signature_check_purpose(size_t fetch_count, size_t target_count) {
  if (fetch_count || target_count) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Must specify at least one target to fetch or execute.");
}

// The node of "name" or "name:index"; NULL: none.
static sli_node_t *find_node(const sli_graph_t *graph, const char *name) {
  const char *colon = strrchr(name, ':');
  return sli_graph_find(graph, sli_view_of(name, colon ? (size_t)(colon - name) : strlen(name)));
}

// The same for the name of a tensor, which may be that of a control input, "^name".
static const sli_node_t *find_source(const sli_graph_t *graph, const char *name) {
  return find_node(graph, *name == '^' ? name + 1 : name);
}

// Errors of both with TensorFlow's texts.
// A fed call of a function: what took its place is fed, because nothing reads the node that kept its name.
static sli_output_t behind_call(sli_output_t output) {
  bool is_kept = sli_node_attr(&output.node->def, SLI_FUNCTION_INLINE_KEPT) && output.node->def.input_count;
  return is_kept ? output.node->inputs[output.index] : output;
}

static sli_status_t *resolve_feed(const sli_graph_t *graph, const char *name, sli_output_t *out_output) {
  sli_status_t *status = sli_graph_find_output(graph, sli_view(name), out_output);
  if (!status) {
    *out_output = behind_call(*out_output);
    return NULL;
  }
  sli_status_release(status);
  const sli_node_t *node = find_source(graph, name);
  if (!node) return sli_status_make(SLI_NOT_FOUND, "FeedInputs: unable to find feed output %s", name);
  return sli_status_make(SLI_INVALID_ARGUMENT, "FeedInputs: %s should have output index < %d", name,
                         node->def.output_count);
}

static sli_status_t *resolve_fetch(const sli_graph_t *graph, const char *name, sli_output_t *out_output) {
  sli_status_t *status = sli_graph_find_output(graph, sli_view(name), out_output);
  if (!status) return NULL;
  sli_status_release(status);
  const sli_node_t *node = find_source(graph, name);
  if (!node) return sli_status_make(SLI_NOT_FOUND, "FetchOutputs node %s: not found", name);
  if (node->def.output_count == 0 || *name == '^')
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Tried to fetch data for '%s', which produces no output.  To run to a node but not fetch "
                           "any data, pass '%s' as an argument to the 'target_node_names' argument of the Session::Run "
                           "API.",
                           name, name);
  return sli_status_make(SLI_INVALID_ARGUMENT, "FetchOutputs %s: output index too large, must be < %d", name,
                         node->def.output_count);
}

static sli_status_t *find_targets(const sli_signature_t *signature, const sli_graph_t *graph, sli_node_t **targets) {
  for (size_t i = 0; i < signature->target_count; i++) {
    targets[i] = find_node(graph, signature->target_names[i]);
    if (!targets[i])
      return sli_status_make(SLI_NOT_FOUND, "PruneForTargets: Some target nodes not found: %s ",
                             signature->target_names[i]);
  }
  return NULL;
}

typedef struct {
  sli_output_t output;
  size_t position;
} placed_feed_t;

static int by_output_and_position(const void *a, const void *b) {
  const placed_feed_t *x = a, *y = b;
  int order = sli_graph_compare_outputs(&x->output, &y->output);
  return order ? order : (x->position > y->position) - (x->position < y->position);
}

// Sorted, because there may be very many.
static sli_status_t *check_feeds(const sli_pass_pruned_t *pruned, const sli_signature_t *signature) {
  size_t count = pruned->feed_count, repeated = count;
  placed_feed_t *feeds = sli_calloc(count, sizeof(*feeds));
  for (size_t i = 0; i < count; i++) feeds[i] = (placed_feed_t){pruned->feeds[i], i};
  if (count) qsort(feeds, count, sizeof(*feeds), by_output_and_position);
  for (size_t i = 1; i < count; i++)
    if (sli_graph_output_equal(feeds[i].output, feeds[i - 1].output) && feeds[i].position < repeated)
      repeated = feeds[i].position;
  free(feeds);
  if (repeated == count) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Endpoint \"%s\" fed more than once.", signature->feed_names[repeated]);
}

static bool is_in_feeds(const sli_pass_pruned_t *pruned, sli_output_t output) {
  for (size_t i = 0; i < pruned->feed_count; i++)
    if (sli_graph_output_equal(pruned->feeds[i], output)) return true;
  return false;
}

// --- Connections -------------------------------------------------------------------

static bool depends_on(const sli_graph_t *graph, sli_node_t *node, const sli_node_t *other) {
  bool *keep = sli_calloc(graph->nodes.count, sizeof(*keep));
  sli_graph_mark_needed(graph, &node, 1, NULL, 0, keep);
  bool depends = keep[other->id];
  free(keep);
  return depends;
}

static sli_status_t *resolve_connections(const sli_signature_t *signature, const sli_graph_t *graph,
                                         const sli_pass_pruned_t *pruned, sli_pass_connection_t *out) {
  for (size_t i = 0; i < signature->connection_count; i++) {
    const sli_signature_connection_t *names = &signature->connections[i];
    SLI_RETURN_IF_ERROR(resolve_feed(graph, names->to, &out[i].to));
    bool is_taken = is_in_feeds(pruned, out[i].to);
    for (size_t k = 0; k < i; k++) is_taken |= sli_graph_output_equal(out[k].to, out[i].to);
    if (is_taken) return sli_status_make(SLI_INVALID_ARGUMENT, "Endpoint \"%s\" fed more than once.", names->to);
    for (size_t k = 0; k < pruned->fetch_count; k++)
      if (sli_graph_output_equal(pruned->fetches[k], out[i].to))
        return sli_status_make(SLI_INVALID_ARGUMENT, "%s is both fed and fetched.", names->to);
    sli_status_t *status = sli_graph_find_output(graph, sli_view(names->from), &out[i].from);
    sli_status_release(status);
    if (status)  // TensorFlow's text has the other name
      return sli_status_make(SLI_INVALID_ARGUMENT, "Requested tensor connection from unknown node: \"%s\".", names->to);
    if (sli_dtype_base(sli_graph_output_dtype(out[i].from)) != sli_dtype_base(sli_graph_output_dtype(out[i].to)))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Requested tensor connection from %s (%s) to %s (%s)", names->from,
                             sli_dtype_name(sli_graph_output_dtype(out[i].from)), names->to,
                             sli_dtype_name(sli_graph_output_dtype(out[i].to)));
    if (depends_on(graph, out[i].from.node, out[i].to.node))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Requested Tensor connection between nodes \"%s\" and \"%s\" would create a cycle.",
                             out[i].to.node->def.name, out[i].from.node->def.name);
  }
  return NULL;
}

// Makes the connections in the copy. Each may be valid, and all together still make a cycle.
static sli_status_t *connect(sli_pass_pruned_t *pruned, const sli_pass_connection_t *connections, size_t count) {
  sli_pass_connect(pruned, connections, count);
  int *order = sli_calloc(pruned->graph->nodes.count + 1, sizeof(*order));
  sli_status_t *status = sli_graph_topological_order(pruned->graph, order);
  free(order);
  return status;
}

// --- Pruning ------------------------------------------------------------------

// Copies the part of |graph| that the resolved |pruned| needs; its outputs, and those of |connections|, then refer to
// the copy.
static void copy_needed(const sli_graph_t *graph, sli_node_t **roots, size_t root_count, sli_pass_pruned_t *pruned,
                        sli_pass_connection_t *connections, size_t connection_count) {
  size_t count = graph->nodes.count;
  bool *keep = sli_calloc(count, sizeof(*keep));
  sli_node_t **map = sli_calloc(count, sizeof(*map));
  size_t stop_count = pruned->feed_count + connection_count;
  sli_output_t *stops = sli_calloc(stop_count, sizeof(*stops));
  for (size_t i = 0; i < stop_count; i++)
    stops[i] = i < pruned->feed_count ? pruned->feeds[i] : connections[i - pruned->feed_count].to;
  sli_graph_mark_needed(graph, roots, root_count, stops, stop_count, keep);
  for (size_t i = 0; i < stop_count; i++) keep[stops[i].node->id] = true;
  free(stops);
  pruned->graph = sli_graph_copy(graph, keep, map);
  for (size_t i = 0; i < connection_count; i++) {
    connections[i].from.node = map[connections[i].from.node->id];
    connections[i].to.node = map[connections[i].to.node->id];
  }
  for (size_t i = 0; i < pruned->feed_count; i++) pruned->feeds[i].node = map[pruned->feeds[i].node->id];
  for (size_t i = 0; i < pruned->fetch_count; i++) pruned->fetches[i].node = map[pruned->fetches[i].node->id];
  for (size_t i = 0; i < pruned->target_count; i++) pruned->targets[i] = map[pruned->targets[i]->id];
  free(keep);
  free(map);
}

sli_status_t *sli_signature_prune(const sli_signature_t *signature, const sli_graph_t *graph,
                                  sli_pass_pruned_t *out_pruned) {
  sli_pass_pruned_t pruned = {.feed_count = signature->feed_count,
                              .fetch_count = signature->fetch_count,
                              .target_count = signature->target_count};
  pruned.feeds = sli_calloc(pruned.feed_count, sizeof(*pruned.feeds));
  pruned.fetches = sli_calloc(pruned.fetch_count, sizeof(*pruned.fetches));
  pruned.targets = sli_calloc(pruned.target_count, sizeof(*pruned.targets));
  size_t connection_count = signature->connection_count;
  sli_pass_connection_t *connections = sli_calloc(connection_count, sizeof(*connections));
  sli_node_t **roots = sli_calloc(pruned.target_count + pruned.fetch_count + connection_count, sizeof(*roots));
  sli_output_t *fed = NULL;  // sorted
  size_t root_count = 0;
  sli_status_t *status = NULL;
  *out_pruned = (sli_pass_pruned_t){0};
  SLI_GOTO_IF_ERROR(status, cleanup, sli_signature_check_purpose(pruned.fetch_count, pruned.target_count));
  for (size_t i = 0; i < pruned.feed_count; i++)
    SLI_GOTO_IF_ERROR(status, cleanup, resolve_feed(graph, signature->feed_names[i], &pruned.feeds[i]));
  SLI_GOTO_IF_ERROR(status, cleanup, check_feeds(&pruned, signature));
  fed = sli_graph_sort_outputs(pruned.feeds, pruned.feed_count);
  for (size_t i = 0; i < pruned.fetch_count; i++) {
    SLI_GOTO_IF_ERROR(status, cleanup, resolve_fetch(graph, signature->fetch_names[i], &pruned.fetches[i]));
    if (!sli_graph_is_among(pruned.fetches[i], fed, pruned.feed_count)) roots[root_count++] = pruned.fetches[i].node;
  }
  SLI_GOTO_IF_ERROR(status, cleanup, find_targets(signature, graph, pruned.targets));
  for (size_t i = 0; i < pruned.target_count; i++) roots[root_count++] = pruned.targets[i];
  SLI_GOTO_IF_ERROR(status, cleanup, resolve_connections(signature, graph, &pruned, connections));
  for (size_t i = 0; i < connection_count; i++)
    if (!sli_graph_is_among(connections[i].from, fed, pruned.feed_count))
      roots[root_count++] = connections[i].from.node;
  copy_needed(graph, roots, root_count, &pruned, connections, connection_count);
  if (connection_count) SLI_GOTO_IF_ERROR(status, cleanup, connect(&pruned, connections, connection_count));
  *out_pruned = pruned;
  pruned = (sli_pass_pruned_t){0};
cleanup:
  free(fed);
  free(roots);
  free(connections);
  sli_pass_pruned_deinitialize(&pruned);
  return status;
}
