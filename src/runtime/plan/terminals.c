#include "runtime/plan/terminals.h"

#include <stdlib.h>

#include "core/step/rendezvous.h"
#include "graph/graph_rewrite.h"

typedef struct {
  sli_graph_t *graph;
  const sli_device_set_t *devices;
} rewrite_t;

static sli_status_t *add_terminal(const rewrite_t *rewrite, const char *op, sli_output_t value, const char *tensor_name,
                                  size_t position, sli_node_t **out_node, char **out_key) {
  const char *device = value.node->assigned_device;
  const sli_device_set_entry_t *info = sli_device_set_find(rewrite->devices, sli_view(device));
  SLI_CHECK(info != NULL);
  bool sends = !strcmp(op, "_Send");
  sli_attr_entry_t attrs[] = {
      SLI_ATTR_TYPE_OF(sends ? "T" : "tensor_type", sli_dtype_base(sli_graph_output_dtype(value))),
      SLI_ATTR_STRING_OF("tensor_name", tensor_name),
      SLI_ATTR_STRING_OF("send_device", device),
      SLI_ATTR_INT_OF("send_device_incarnation", (int64_t)info->incarnation),
      SLI_ATTR_STRING_OF("recv_device", device),
      SLI_ATTR_BOOL_OF("client_terminated", true),
  };
  char *base = sli_format("%s_%s_%zu", sends ? "_send" : "_recv", value.node->def.name, position);
  sli_graph_node_t request = {.op = op,
                              .name = sli_graph_unique_name(rewrite->graph, base),
                              .device = device,
                              .inputs = &value,
                              .input_count = sends,
                              .attrs = attrs,
                              .attr_count = SLI_ARRAY_COUNT_OF(attrs)};
  free(base);
  SLI_RETURN_IF_ERROR(sli_graph_add(rewrite->graph, &request, out_node));
  (*out_node)->assigned_device = (*out_node)->def.device;
  sli_string_t key = {0};
  sli_rendezvous_key_append(&key, device, info->incarnation, device, tensor_name, 0, 0);
  *out_key = sli_string_take(&key);
  return NULL;
}

// Replaces fetches of fed values by the outputs of their _Recv. There may be very many of both.
static void fetch_fed_values(sli_pass_pruned_t *pruned, const sli_terminals_t *terminals) {
  size_t *first = sli_calloc(pruned->graph->nodes.count, sizeof(*first));  // by node: position of a feed + 1
  size_t *next = sli_calloc(pruned->feed_count, sizeof(*next));
  for (size_t i = 0; i < pruned->feed_count; i++) {
    size_t *of_node = &first[pruned->feeds[i].node->id];
    next[i] = *of_node;
    *of_node = i + 1;
  }
  for (size_t k = 0; k < pruned->fetch_count; k++)
    for (size_t i = first[pruned->fetches[k].node->id]; i; i = next[i - 1]) {
      if (!sli_graph_output_equal(pruned->fetches[k], pruned->feeds[i - 1])) continue;
      pruned->fetches[k] = (sli_output_t){terminals->feed_nodes[i - 1], 0};
      break;
    }
  free(first);
  free(next);
}

// A fetch of a fed value is the output of its _Recv, so sends are added after receives.
static sli_status_t *add_terminals(const rewrite_t *rewrite, const sli_signature_t *signature,
                                   sli_pass_pruned_t *pruned, sli_terminals_t *terminals) {
  for (size_t i = 0; i < pruned->feed_count; i++) {
    SLI_RETURN_IF_ERROR(add_terminal(rewrite, "_Recv", pruned->feeds[i], signature->feed_names[i], i,
                                     &terminals->feed_nodes[i], &terminals->feed_keys[i]));
    SLI_RETURN_IF_ERROR(sli_graph_redirect(pruned->feeds[i], (sli_output_t){terminals->feed_nodes[i], 0}));
  }
  fetch_fed_values(pruned, terminals);
  for (size_t i = 0; i < pruned->fetch_count; i++) {
    char *name = sli_format("%s:fetch%zu", signature->fetch_names[i], i);
    sli_status_t *status = add_terminal(rewrite, "_Send", pruned->fetches[i], name, i, &terminals->fetch_nodes[i],
                                        &terminals->fetch_keys[i]);
    free(name);
    if (status) return status;
  }
  return NULL;
}

// Removes nodes that only the fed nodes needed: placeholders must not run.
static void keep_reachable(const sli_pass_pruned_t *pruned, const sli_terminals_t *terminals) {
  sli_graph_t *graph = pruned->graph;
  SLI_ARRAY(sli_node_t *) roots = {0};
  for (size_t i = 0; i < pruned->fetch_count; i++) sli_array_push(&roots, terminals->fetch_nodes[i]);
  for (size_t i = 0; i < pruned->feed_count; i++) sli_array_push(&roots, terminals->feed_nodes[i]);
  for (size_t i = 0; i < pruned->target_count; i++) sli_array_push(&roots, pruned->targets[i]);
  bool *keep = sli_calloc(graph->nodes.count, sizeof(*keep));
  sli_graph_mark_needed(graph, roots.items, roots.count, NULL, 0, keep);
  sli_graph_remove_unmarked(graph, keep);
  free(keep);
  sli_array_deinitialize(&roots);
}

sli_status_t *sli_terminals_create(sli_pass_pruned_t *pruned, const sli_signature_t *signature,
                                   const sli_device_set_t *devices, sli_terminals_t *out_terminals) {
  size_t feeds = pruned->feed_count, fetches = pruned->fetch_count;
  *out_terminals = (sli_terminals_t){
      .feed_keys = sli_calloc(feeds, sizeof(char *)),
      .fetch_keys = sli_calloc(fetches, sizeof(char *)),
      .feed_nodes = sli_calloc(feeds, sizeof(sli_node_t *)),
      .fetch_nodes = sli_calloc(fetches, sizeof(sli_node_t *)),
      .feed_count = feeds,
      .fetch_count = fetches,
  };
  rewrite_t rewrite = {pruned->graph, devices};
  sli_status_t *status = add_terminals(&rewrite, signature, pruned, out_terminals);
  if (status) {
    sli_terminals_deinitialize(out_terminals);
    return status;
  }
  keep_reachable(pruned, out_terminals);
  out_terminals->graph = sli_graph_retain(pruned->graph);
  return NULL;
}

void sli_terminals_deinitialize(sli_terminals_t *terminals) {
  for (size_t i = 0; i < terminals->feed_count; i++) free(terminals->feed_keys[i]);
  for (size_t i = 0; i < terminals->fetch_count; i++) free(terminals->fetch_keys[i]);
  free(terminals->feed_keys);
  free(terminals->fetch_keys);
  free(terminals->feed_nodes);
  free(terminals->fetch_nodes);
  sli_graph_release(terminals->graph);
  *terminals = (sli_terminals_t){0};
}
