// Common subexpressions: in topological order, a pure node that equals an earlier
// one is replaced by it. Inputs are compared as they are after earlier merges, so
// that whole equal subgraphs are merged in one sweep.
#include <stdlib.h>

#include "base/hash.h"
#include "graph/passes/passes_internal.h"

typedef struct {
  sli_pass_pruned_t *pruned;
  // By id:
  uint8_t *marks;
  sli_node_t **stays;  // the node itself, or the earlier node that replaces it
  int *next;           // in a chain of |heads|; -1 ends it
  int *heads;          // by hash
  size_t mask;
} merge_t;

// Requested colocation does not matter after placement, nor do shapes that an earlier program inferred.
static bool is_ignored(const char *attr) { return !strcmp(attr, "_class") || !strcmp(attr, "_output_shapes"); }

static uint64_t hash_tensor(const sli_tensor_t *tensor) {
  uint64_t hash = sli_hash_combine(tensor->dtype, (uint64_t)tensor->count);
  size_t bytes = sli_tensor_bytes(tensor);
  if (tensor->dtype == SLI_DTYPE_STRING || !bytes) return hash;
  // The two ends differ between most constants; the comparison looks at all bytes.
  size_t part = bytes < 64 ? bytes : 64;
  hash = sli_hash_combine(hash, sli_hash_bytes(tensor->data, part));
  return sli_hash_combine(hash, sli_hash_bytes((const char *)tensor->data + bytes - part, part));
}

// Lists and rare kinds are hashed by their length only: equal attributes must have equal hashes, different ones may.
static uint64_t hash_attr(const sli_attr_t *attr) {
  if (attr->is_list) return attr->count;
  switch (attr->kind) {
    case SLI_ATTR_STRING: return sli_hash_bytes(attr->s.data, attr->s.size);
    case SLI_ATTR_INT: return (uint64_t)attr->i;
    case SLI_ATTR_BOOL: return attr->b;
    case SLI_ATTR_TYPE: return (uint64_t)attr->type;
    case SLI_ATTR_TENSOR: return hash_tensor(attr->tensor);
    default: return 0;
  }
}

static sli_output_t input_of(const merge_t *merge, const sli_node_t *node, int index) {
  sli_output_t input = node->inputs[index];
  return (sli_output_t){merge->stays[input.node->id], input.index};
}

static uint64_t hash_node(const merge_t *merge, const sli_node_t *node) {
  uint64_t hash = (uint64_t)(uintptr_t)node->def.op;
  for (int i = 0; i < node->def.input_count; i++) {
    sli_output_t input = input_of(merge, node, i);
    hash = sli_hash_combine(hash, (uint64_t)input.node->id << 16 | (uint64_t)input.index);
  }
  for (size_t i = 0; i < node->def.attr_count; i++)
    if (!is_ignored(node->def.attrs[i].name)) hash = sli_hash_combine(hash, hash_attr(&node->def.attrs[i].value));
  return hash;
}

// Every control input of |a| is one of |b|.
static bool controls_within(const merge_t *merge, const sli_node_t *a, const sli_node_t *b) {
  for (int i = 0; i < a->control_input_count; i++) {
    bool found = false;
    for (int k = 0; k < b->control_input_count && !found; k++)
      found = merge->stays[a->control_inputs[i]->id] == merge->stays[b->control_inputs[k]->id];
    if (!found) return false;
  }
  return true;
}

// Attributes are sorted by name.
static bool attrs_equal(const sli_node_t *a, const sli_node_t *b) {
  size_t i = 0, k = 0;
  for (;; i++, k++) {
    while (i < a->def.attr_count && is_ignored(a->def.attrs[i].name)) i++;
    while (k < b->def.attr_count && is_ignored(b->def.attrs[k].name)) k++;
    if (i == a->def.attr_count || k == b->def.attr_count) return i == a->def.attr_count && k == b->def.attr_count;
    const sli_attr_entry_t *x = &a->def.attrs[i], *y = &b->def.attrs[k];
    if (strcmp(x->name, y->name) != 0 || !sli_attr_equal(&x->value, &y->value)) return false;
  }
}

static bool nodes_equal(const merge_t *merge, const sli_node_t *a, const sli_node_t *b) {
  if (a->def.op != b->def.op || a->def.input_count != b->def.input_count) return false;
  const char *x = a->assigned_device ? a->assigned_device : a->def.device;
  const char *y = b->assigned_device ? b->assigned_device : b->def.device;
  if (x != y && strcmp(x, y) != 0) return false;
  for (int i = 0; i < a->def.input_count; i++)
    if (!sli_graph_output_equal(input_of(merge, a, i), input_of(merge, b, i))) return false;
  return attrs_equal(a, b) && controls_within(merge, a, b) && controls_within(merge, b, a);
}

static bool find_equals(merge_t *merge, const int *order) {
  bool any = false;
  for (size_t i = 0; i < merge->pruned->graph->nodes.count; i++) {
    sli_node_t *node = merge->pruned->graph->nodes.items[order[i]];
    if ((merge->marks[node->id] & SLI_PASS_FED) || !sli_pass_is_pure(node)) continue;
    int *head = &merge->heads[hash_node(merge, node) & merge->mask];
    int at = *head;
    while (at >= 0 && !nodes_equal(merge, merge->pruned->graph->nodes.items[at], node)) at = merge->next[at];
    if (at >= 0) {
      merge->stays[node->id] = merge->pruned->graph->nodes.items[at];
      any = true;
      continue;
    }
    merge->next[node->id] = *head;
    *head = node->id;
  }
  return any;
}

static void redirect(merge_t *merge) {
  sli_graph_t *graph = merge->pruned->graph;
  for (size_t i = 0; i < graph->nodes.count; i++) {
    sli_node_t *node = graph->nodes.items[i];
    for (int k = 0; k < node->def.input_count; k++)
      if (node->inputs[k].node) node->inputs[k].node = merge->stays[node->inputs[k].node->id];
    for (int k = 0; k < node->control_input_count; k++)
      node->control_inputs[k] = merge->stays[node->control_inputs[k]->id];
  }
  for (size_t i = 0; i < merge->pruned->fetch_count; i++)
    merge->pruned->fetches[i].node = merge->stays[merge->pruned->fetches[i].node->id];
  for (size_t i = 0; i < merge->pruned->target_count; i++)
    merge->pruned->targets[i] = merge->stays[merge->pruned->targets[i]->id];
  sli_graph_relink(graph);
}

void sli_pass_merge_equal(sli_pass_pruned_t *pruned) {
  size_t count = pruned->graph->nodes.count, slots = 16;
  while (slots < 2 * count) slots *= 2;
  sli_arena_t arena = {0};
  int *order = sli_arena_calloc(&arena, count, sizeof(*order));
  merge_t merge = {
      .pruned = pruned,
      .marks = sli_pass_marks(pruned),
      .stays = sli_arena_calloc(&arena, count, sizeof(sli_node_t *)),
      .next = sli_arena_calloc(&arena, count, sizeof(int)),
      .heads = sli_arena_allocate(&arena, slots * sizeof(int)),
      .mask = slots - 1,
  };
  for (size_t i = 0; i < count; i++) merge.stays[i] = pruned->graph->nodes.items[i];
  for (size_t i = 0; i < slots; i++) merge.heads[i] = -1;
  sli_status_t *status = sli_graph_topological_order(pruned->graph, order);
  if (!status && find_equals(&merge, order)) redirect(&merge);
  sli_status_release(status);  // a cycle: compiling the plan will report it
  free(merge.marks);
  sli_arena_deinitialize(&arena);
}
