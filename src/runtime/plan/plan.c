// Compiles a graph into a plan. Nodes that a step need not run are left out: those
// whose values are all fed, and constants without control inputs, whose tensors are
// put into their consumers' slots.
#include "runtime/plan/plan.h"

#include <stdlib.h>

#include "runtime/plan/copies.h"
#include "runtime/plan/plan_layout.h"

enum { MEMORY_PER_NODE = 512 };  // what a compiled node takes, about

typedef struct {
  const sli_plan_request_t *request;
  const sli_graph_t *graph;
  sli_plan_t *plan;
  sli_arena_t early;  // of what is needed only before the edges are added
  // By node id, in |early|:
  int *order;
  uint32_t *flags, *frame, *output_frame;
  // By node id:
  bool *runs;
  sli_tensor_t **constant;  // borrowed; set: the node does not run, its value is known
  bool *has_feed, *is_used, *has_control_consumers;
  uint32_t *feed_uses;  // by feed: number of inputs that take it
  uint32_t *index;
} compiler_t;

static bool find_feed(const compiler_t *c, sli_output_t output, uint32_t *out_feed) {
  if (!c->has_feed[output.node->id]) return false;
  for (size_t i = 0; i < c->request->feed_count; i++) {
    if (!sli_graph_output_equal(c->request->feeds[i], output)) continue;
    *out_feed = (uint32_t)i;
    return true;
  }
  return false;
}

static bool is_fed(const compiler_t *c, sli_output_t output) {
  uint32_t feed;
  return find_feed(c, output, &feed);
}

static void mark_uses(compiler_t *c) {
  for (size_t i = 0; i < c->request->feed_count; i++) c->has_feed[c->request->feeds[i].node->id] = true;
  for (size_t i = 0; i < c->graph->nodes.count; i++) {
    const sli_node_t *node = c->graph->nodes.items[i];
    for (int k = 0; k < node->def.input_count; k++) {
      uint32_t feed;
      if (!node->inputs[k].node) continue;
      if (find_feed(c, node->inputs[k], &feed))
        c->feed_uses[feed]++;
      else
        c->is_used[node->inputs[k].node->id] = true;
    }
    for (int k = 0; k < node->control_input_count; k++) c->has_control_consumers[node->control_inputs[k]->id] = true;
  }
  for (size_t i = 0; i < c->request->fetch_count; i++)
    if (!is_fed(c, c->request->fetches[i])) c->is_used[c->request->fetches[i].node->id] = true;
}

// A fed node runs only if another of its outputs is used, or a node waits for it by a
// control edge. The latter does not apply to placeholders: their feed is enough.
static bool is_replaced_by_feeds(const compiler_t *c, const sli_node_t *node) {
  if (!c->has_feed[node->id] || c->is_used[node->id]) return false;
  return !c->has_control_consumers[node->id] || (node->def.op->def->is_placeholder && node->def.input_count == 0);
}

static sli_status_t *find_constant(const sli_node_t *node, sli_tensor_t **out_value) {
  *out_value = NULL;
  if (!sli_graph_node_is(node, "Const") || node->control_input_count) return NULL;
  sli_tensor_t *value;
  SLI_RETURN_IF_ERROR(sli_node_attr_tensor(&node->def, "value", &value));
  // If type and value do not match, the kernel reports it.
  if (value->dtype == node->def.output_types[0]) *out_value = value;
  return NULL;
}

static sli_status_t *classify(compiler_t *c) {
  mark_uses(c);
  for (size_t i = 0; i < c->graph->nodes.count; i++) {
    const sli_node_t *node = c->graph->nodes.items[i];
    c->flags[i] = sli_plan_op_flags(node);
    if (is_replaced_by_feeds(c, node)) continue;
    SLI_RETURN_IF_ERROR(find_constant(node, &c->constant[i]));
    c->runs[i] = !c->constant[i];
  }
  return NULL;
}

static void append_node_name(sli_status_t **status, const sli_node_t *node) {
  *status = sli_status_append(*status, "\n\t [[{{node %s}}]]", node->def.name);
}

static sli_status_t *create_kernel(const compiler_t *c, const sli_node_t *source, sli_plan_node_t *node,
                                   sli_plan_info_t *info) {
  const char *name = source->assigned_device ? source->assigned_device : "";
  const sli_device_set_entry_t *device = sli_device_set_find(c->request->devices, sli_view(name));
  if (!device || !device->local)
    return sli_status_make(SLI_INTERNAL, "{{node %s}} is assigned to device '%s', which this task does not have",
                           source->def.name, name);
  node->device = device->local;
  const sli_kernel_def_t *kernel;
  SLI_RETURN_IF_ERROR(sli_kernel_find(&source->def, node->device->type, &kernel));
  if (kernel->create) {
    const sli_node_t *first = source->def.input_count ? source->inputs[0].node : NULL;
    sli_kernel_setup_t setup = {&source->def, node->device, c->request->session, c->request->functions,
                                first ? first->def.name : NULL};
    sli_status_t *status = kernel->create(&setup, &node->state);
    if (status) {
      append_node_name(&status, source);
      return status;
    }
  }
  info->kernel = kernel;
  if (node->device->vtable) info->host_outputs = sli_kernel_host_arguments(kernel, &source->def).outputs;
  node->compute = kernel->compute;
  return NULL;
}

// Gives |node| its number, slots and stored outputs within its frame.
static void lay_out(sli_plan_t *plan, sli_plan_node_t *node, sli_plan_info_t *info) {
  sli_plan_frame_t *frame = &plan->frames.items[info->frame];
  info->local = frame->node_count++;
  node->first_slot = frame->slot_count;
  frame->slot_count += (uint32_t)node->input_count;
  if (!node->compute) {
    node->flags |= SLI_PLAN_NODE_ASYNC;
    info->parked = frame->parked_count++;
  }
  if (!node->compute || node->output_count > SLI_PLAN_SMALL_OUTPUTS) {
    node->flags |= SLI_PLAN_NODE_STORES_OUTPUTS;
    node->first_output = frame->output_count;
    frame->output_count += (uint32_t)node->output_count;
  }
}

static sli_status_t *add_nodes(compiler_t *c) {
  sli_plan_t *plan = c->plan;
  size_t size = (c->graph->nodes.count + 1) * sizeof(*plan->nodes);
  plan->nodes = aligned_alloc(_Alignof(sli_plan_node_t), size);
  SLI_CHECK(plan->nodes);
  memset(plan->nodes, 0, size);
  plan->infos = sli_calloc(c->graph->nodes.count + 1, sizeof(*plan->infos));
  for (size_t i = 0; i < c->graph->nodes.count; i++) {
    const sli_node_t *source = c->graph->nodes.items[c->order[i]];
    if (!c->runs[source->id]) continue;
    sli_plan_node_t *node = &plan->nodes[plan->node_count];
    sli_plan_info_t *info = &plan->infos[plan->node_count];
    node->def = &source->def;
    node->flags = c->flags[source->id];
    node->input_count = source->def.input_count;
    node->output_count = source->def.output_count;
    info->frame = c->frame[source->id];
    info->output_frame = c->output_frame[source->id];
    const sli_op_def_t *op = source->def.op->def;
    if (op->allows_uninitialized_input) node->flags |= SLI_PLAN_NODE_TAKES_UNINITIALIZED;
    bool is_constant = false;
    if (node->flags & SLI_PLAN_NODE_ENTER)
      SLI_RETURN_IF_ERROR(sli_node_attr_bool(node->def, "is_constant", &is_constant));
    if (is_constant) node->flags |= SLI_PLAN_NODE_CONSTANT_ENTER;
    SLI_RETURN_IF_ERROR(create_kernel(c, source, node, info));
    plan->is_stateful |= op->is_stateful;
    c->index[source->id] = plan->node_count;
    lay_out(plan, node, info);
    sli_plan_node_estimate(plan, node, info);
    plan->node_count++;
  }
  for (size_t f = 0; f < plan->frames.count; f++) {
    sli_plan_frame_t *frame = &plan->frames.items[f];
    frame->nodes = sli_calloc(frame->node_count + 1, sizeof(*frame->nodes));
    frame->states = sli_calloc(frame->node_count + 1, sizeof(*frame->states));
  }
  for (uint32_t i = 0; i < plan->node_count; i++)
    plan->frames.items[plan->infos[i].frame].nodes[plan->infos[i].local] = i;
  // The slots of fetches are the last ones of the root frame.
  sli_plan_frame_t *root = &plan->frames.items[0];
  for (uint32_t i = 0; i < plan->fetch_count; i++) plan->fetch_slots[i] = root->slot_count++;
  plan->constants = sli_calloc(root->slot_count + 1, sizeof(sli_tensor_t *));
  return NULL;
}

static void add_constant(sli_plan_t *plan, uint32_t slot, sli_tensor_t *value) {
  plan->constants[slot] = sli_tensor_retain(sli_tensor_retain(value));
}

// Whether the step keeps |feed| for its consumers. Not with loops: their slots do not know who owns a value.
static bool is_kept(const compiler_t *c, uint32_t feed) {
  return !c->plan->has_frames && c->feed_uses[feed] >= SLI_PLAN_KEPT_FEED_TARGETS;
}

// If |output| is a feed or a constant, whose value exists from the start, puts it into
// |slot| of the root frame and returns true.
static bool bind_ready_value(compiler_t *c, sli_output_t output, uint32_t slot, bool may_keep) {
  uint32_t feed;
  if (find_feed(c, output, &feed)) {
    sli_plan_feed_target_t target = {feed, slot};
    if (may_keep && is_kept(c, feed))
      sli_array_push(&c->plan->kept_feed_targets, target);
    else
      sli_array_push(&c->plan->feed_targets, target);
    return true;
  }
  sli_tensor_t *constant = c->constant[output.node->id];
  if (constant) add_constant(c->plan, slot, constant);
  return constant != NULL;
}

static sli_status_t *check_edge(const compiler_t *c, const sli_node_t *node, int index) {
  sli_output_t input = node->inputs[index];
  if (!input.node)
    return sli_status_make(SLI_INTERNAL, "Input %d of {{node %s}} is not connected", index, node->def.name);
  sli_dtype_t wanted = node->def.input_types[index], given = sli_graph_output_dtype(input);
  if (is_fed(c, input)) given = sli_dtype_base(given);
  if (sli_dtype_base(wanted) == sli_dtype_base(given) && (!sli_dtype_is_ref(wanted) || sli_dtype_is_ref(given)))
    return NULL;
  return sli_status_make(
      SLI_INVALID_ARGUMENT, "Input %d of node %s was passed %s from %s:%d incompatible with expected %s.", index,
      node->def.name, sli_dtype_name(given), input.node->def.name, input.index, sli_dtype_name(wanted));
}

// Binds the data inputs of the node that exist from the start; the others become
// pending and are counted in their producers' |edge_count|.
static sli_status_t *bind_inputs(compiler_t *c, uint32_t index, sli_plan_node_state_t *state) {
  sli_plan_node_t *node = &c->plan->nodes[index];
  const sli_node_t *source = sli_plan_source(node);
  bool is_merge = (node->flags & SLI_PLAN_NODE_MERGE) != 0, is_live = false;
  uint32_t pending = 0;
  for (int i = 0; i < node->input_count; i++) {
    SLI_RETURN_IF_ERROR(check_edge(c, source, i));
    sli_output_t input = source->inputs[i];
    bool is_ready = is_fed(c, input) || c->constant[input.node->id];
    if (!is_ready) {
      c->plan->nodes[c->index[input.node->id]].edge_count++;
      pending++;
      if (sli_dtype_is_ref(sli_graph_output_dtype(input))) node->flags |= SLI_PLAN_NODE_REFERENCES;
      continue;
    }
    // A Merge takes only the first live value.
    if (is_merge && is_live) continue;
    is_live = true;
    bind_ready_value(c, input, node->first_slot + (uint32_t)i, true);
    uint32_t feed;
    if (find_feed(c, input, &feed) ? is_kept(c, feed) : c->constant[input.node->id] != NULL)
      node->flags |= SLI_PLAN_NODE_HAS_CONSTANTS;
  }
  uint32_t controls = 0;
  for (int i = 0; i < source->control_input_count; i++) {
    if (!c->runs[source->control_inputs[i]->id]) continue;
    c->plan->nodes[c->index[source->control_inputs[i]->id]].edge_count++;
    controls++;
  }
  *state = is_merge ? 2 * (uint64_t)controls + (is_live ? 0 : 1) : (uint64_t)pending + controls;
  return NULL;
}

static uint32_t edge_flags(const sli_plan_node_t *consumer) {
  uint32_t flags = 0;
  if (consumer->flags & SLI_PLAN_NODE_MERGE) flags |= SLI_PLAN_EDGE_MERGE;
  if (consumer->flags & SLI_PLAN_NODE_CONTROL_TRIGGER) flags |= SLI_PLAN_EDGE_CONTROL_TRIGGER;
  if (consumer->flags & SLI_PLAN_NODE_EXPENSIVE) flags |= SLI_PLAN_EDGE_EXPENSIVE;
  return flags;
}

// The last edge of each output takes the producer's reference.
static void mark_last_edges(sli_plan_node_t *node, sli_plan_edge_t *edges) {
  bool *seen = sli_calloc((size_t)node->output_count + 1, sizeof(*seen));
  for (uint32_t i = node->edge_count; i-- > 0;) {
    if (edges[i].output < 0 || seen[edges[i].output]) continue;
    seen[edges[i].output] = true;
    edges[i].flags |= SLI_PLAN_EDGE_LAST;
  }
  for (int i = 0; i < node->output_count; i++)
    if (!seen[i]) node->flags |= SLI_PLAN_NODE_HAS_UNUSED;
  free(seen);
}

// Stores an edge at the producer's next free position; |next| has these positions by producer.
static void put_edge(compiler_t *c, const sli_node_t *producer, uint32_t *next, sli_plan_edge_t edge) {
  uint32_t index = c->index[producer->id];
  ((sli_plan_edge_t *)c->plan->nodes[index].edges)[next[index]++] = edge;
}

static void put_edges_to(compiler_t *c, uint32_t index, uint32_t *next) {
  const sli_plan_node_t *node = &c->plan->nodes[index];
  const sli_node_t *source = sli_plan_source(node);
  uint32_t local = c->plan->infos[index].local;
  for (int i = 0; i < source->control_input_count; i++)
    if (c->runs[source->control_inputs[i]->id])
      put_edge(c, source->control_inputs[i], next, (sli_plan_edge_t){-1, local, 0, edge_flags(node)});
  for (int i = 0; i < node->input_count; i++) {
    sli_output_t input = source->inputs[i];
    if (is_fed(c, input) || c->constant[input.node->id]) continue;
    put_edge(c, input.node, next,
             (sli_plan_edge_t){input.index, local, node->first_slot + (uint32_t)i, edge_flags(node)});
  }
}

static sli_status_t *check_fetches(const compiler_t *c) {
  for (size_t i = 0; i < c->request->fetch_count; i++) {
    sli_output_t output = c->request->fetches[i];
    if (c->runs[output.node->id] && c->output_frame[output.node->id] != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Operation '%s' has been marked as not fetchable: it is inside a loop.",
                             output.node->def.name);
  }
  return NULL;
}

static sli_status_t *add_edges(compiler_t *c) {
  sli_plan_t *plan = c->plan;
  for (uint32_t i = 0; i < plan->node_count; i++) {
    const sli_plan_info_t *info = &plan->infos[i];
    SLI_RETURN_IF_ERROR(bind_inputs(c, i, &plan->frames.items[info->frame].states[info->local]));
  }
  bool *is_bound = sli_calloc(plan->fetch_count + 1, sizeof(*is_bound));
  for (uint32_t i = 0; i < plan->fetch_count; i++) {
    is_bound[i] = bind_ready_value(c, plan->fetches[i], plan->fetch_slots[i], false);
    if (!is_bound[i]) plan->nodes[c->index[plan->fetches[i].node->id]].edge_count++;
  }
  size_t total = 0;
  for (uint32_t i = 0; i < plan->node_count; i++) total += plan->nodes[i].edge_count;
  plan->edges = sli_calloc(total + 1, sizeof(*plan->edges));
  uint32_t *next = sli_calloc((size_t)plan->node_count + 1, sizeof(*next));
  sli_plan_edge_t *free_edges = plan->edges;
  for (uint32_t i = 0; i < plan->node_count; i++) {
    plan->nodes[i].edges = free_edges;
    free_edges += plan->nodes[i].edge_count;
  }
  for (uint32_t i = 0; i < plan->fetch_count; i++)
    if (!is_bound[i])
      put_edge(c, plan->fetches[i].node, next,
               (sli_plan_edge_t){plan->fetches[i].index, 0, plan->fetch_slots[i], SLI_PLAN_EDGE_FETCH});
  for (uint32_t i = 0; i < plan->node_count; i++) put_edges_to(c, i, next);
  for (uint32_t i = 0; i < plan->node_count; i++)
    mark_last_edges(&plan->nodes[i], (sli_plan_edge_t *)plan->nodes[i].edges);
  free(next);
  free(is_bound);
  return NULL;
}

// Whether a root does nothing, and its consumers are no Merges: then its end is just one arrival at each of them.
static bool is_quiet(const sli_plan_t *plan, uint32_t index) {
  const sli_plan_node_t *node = &plan->nodes[index];
  if (plan->has_frames || !sli_graph_node_is(sli_plan_source(node), "NoOp") || node->input_count) return false;
  for (uint32_t i = 0; i < node->edge_count; i++)
    if (node->edges[i].flags & SLI_PLAN_EDGE_MERGE) return false;
  return true;
}

static void add_quiet_root(sli_plan_t *plan, uint32_t index) {
  const sli_plan_node_t *node = &plan->nodes[index];
  sli_array_push(&plan->quiet_roots, index);
  for (uint32_t i = 0; i < node->edge_count; i++) {
    sli_plan_arrival_t arrival = {node->edges[i].consumer, node->edges[i].flags};
    sli_array_push(&plan->quiet_arrivals, arrival);
  }
}

// The executor takes the last root first: asynchronous kernels should start as early as possible.
static void find_roots(sli_plan_t *plan) {
  const sli_plan_frame_t *root = &plan->frames.items[0];
  for (uint32_t async = 0; async <= SLI_PLAN_NODE_ASYNC; async += SLI_PLAN_NODE_ASYNC) {
    for (uint32_t i = root->node_count; i-- > 0;) {
      uint32_t index = root->nodes[i];
      if (root->states[i] != 0 || (plan->nodes[index].flags & SLI_PLAN_NODE_ASYNC) != async) continue;
      if (is_quiet(plan, index))
        add_quiet_root(plan, index);
      else
        sli_array_push(&plan->roots, index);
    }
  }
}

static sli_status_t *compile(compiler_t *c) {
  SLI_RETURN_IF_ERROR(sli_graph_topological_order(c->graph, c->order));
  SLI_RETURN_IF_ERROR(classify(c));
  sli_plan_frames_request_t frames = {c->graph, c->order, c->runs, c->flags, c->frame, c->output_frame};
  SLI_RETURN_IF_ERROR(sli_plan_find_frames(c->plan, &frames));
  SLI_RETURN_IF_ERROR(add_nodes(c));
  SLI_RETURN_IF_ERROR(check_fetches(c));
  sli_arena_deinitialize(&c->early);
  SLI_RETURN_IF_ERROR(add_edges(c));
  for (uint32_t i = 0; i < c->plan->feed_count; i++)
    if (is_kept(c, i)) sli_array_push(&c->plan->kept_feeds, i);
  find_roots(c->plan);
  return NULL;
}

static sli_status_t *create_plan(const sli_plan_request_t *request, sli_plan_t **out_plan) {
  sli_plan_t *plan = sli_calloc(1, sizeof(*plan));
  sli_refcount_initialize(&plan->references);
  sli_mutex_initialize(&plan->mutex);
  plan->graph = sli_graph_retain(request->graph);
  plan->feed_count = (uint32_t)request->feed_count;
  plan->feed_types = sli_calloc(request->feed_count + 1, sizeof(*plan->feed_types));
  for (size_t i = 0; i < request->feed_count; i++)
    plan->feed_types[i] = sli_dtype_base(sli_graph_output_dtype(request->feeds[i]));
  plan->fetch_count = (uint32_t)request->fetch_count;
  plan->fetches = sli_calloc(request->fetch_count + 1, sizeof(*plan->fetches));
  plan->fetch_slots = sli_calloc(request->fetch_count + 1, sizeof(*plan->fetch_slots));
  for (size_t i = 0; i < request->fetch_count; i++) plan->fetches[i] = request->fetches[i];

  sli_arena_t arena = {0}, early = {0};
  size_t count = request->graph->nodes.count;
  compiler_t compiler = {
      .request = request,
      .graph = request->graph,
      .plan = plan,
      .order = sli_arena_calloc(&early, count, sizeof(int)),
      .flags = sli_arena_calloc(&early, count, sizeof(uint32_t)),
      .frame = sli_arena_calloc(&early, count, sizeof(uint32_t)),
      .output_frame = sli_arena_calloc(&early, count, sizeof(uint32_t)),
      .runs = sli_arena_calloc(&arena, count, sizeof(bool)),
      .constant = sli_arena_calloc(&arena, count, sizeof(sli_tensor_t *)),
      .feed_uses = sli_arena_calloc(&arena, request->feed_count, sizeof(uint32_t)),
      .has_feed = sli_arena_calloc(&arena, count, sizeof(bool)),
      .is_used = sli_arena_calloc(&arena, count, sizeof(bool)),
      .has_control_consumers = sli_arena_calloc(&arena, count, sizeof(bool)),
      .index = sli_arena_calloc(&arena, count, sizeof(uint32_t)),
  };
  compiler.early = early;
  sli_status_t *status = compile(&compiler);
  sli_arena_deinitialize(&compiler.early);
  sli_arena_deinitialize(&arena);
  if (status) {
    sli_plan_release(plan);
    return status;
  }
  *out_plan = plan;
  return NULL;
}

sli_status_t *sli_plan_create(const sli_plan_request_t *request, sli_plan_t **out_plan) {
  *out_plan = NULL;
  SLI_RETURN_IF_ERROR(
      sli_graph_check_memory("compile", request->graph->nodes.count, request->graph->nodes.count * MEMORY_PER_NODE));
  if (!sli_plan_needs_copies(request->devices)) return create_plan(request, out_plan);
  sli_output_t *fetches = sli_memdup(request->fetches, request->fetch_count * sizeof(*fetches));
  sli_plan_request_t changed = *request;
  changed.fetches = fetches;
  sli_status_t *status = sli_plan_add_copies(request, fetches);
  if (!status) status = create_plan(&changed, out_plan);
  free(fetches);
  return status;
}

sli_plan_t *sli_plan_retain(sli_plan_t *plan) {
  if (plan) sli_refcount_retain(&plan->references);
  return plan;
}

void sli_plan_release(sli_plan_t *plan) {
  if (!plan || !sli_refcount_release(&plan->references)) return;
  sli_plan_idle_step_t *spare = atomic_load_explicit(&plan->spare_step, memory_order_acquire);
  if (spare) spare->destroy(spare);
  for (size_t i = 0; i < plan->idle_steps.count; i++) plan->idle_steps.items[i]->destroy(plan->idle_steps.items[i]);
  sli_array_deinitialize(&plan->idle_steps);
  for (uint32_t i = 0; i < plan->node_count; i++) {
    const sli_kernel_def_t *kernel = plan->infos[i].kernel;
    if (kernel && kernel->destroy) kernel->destroy(plan->nodes[i].state);
  }
  for (uint32_t i = 0; plan->constants && i < plan->frames.items[0].slot_count; i++) {
    sli_tensor_release(plan->constants[i]);
    sli_tensor_release(plan->constants[i]);
  }
  for (size_t i = 0; i < plan->frames.count; i++) {
    free(plan->frames.items[i].nodes);
    free(plan->frames.items[i].states);
  }
  sli_array_deinitialize(&plan->frames);
  sli_array_deinitialize(&plan->feed_targets);
  sli_array_deinitialize(&plan->kept_feed_targets);
  sli_array_deinitialize(&plan->kept_feeds);
  sli_array_deinitialize(&plan->roots);
  sli_array_deinitialize(&plan->quiet_roots);
  sli_array_deinitialize(&plan->quiet_arrivals);
  free(plan->nodes);
  free(plan->infos);
  sli_array_deinitialize(&plan->costs);
  free(plan->edges);
  free(plan->constants);
  free(plan->feed_types);
  free(plan->fetches);
  free(plan->fetch_slots);
  sli_graph_release(plan->graph);
  sli_mutex_deinitialize(&plan->mutex);
  free(plan);
}

const sli_graph_t *sli_plan_graph(const sli_plan_t *plan) { return plan->graph; }
