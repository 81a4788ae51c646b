// Passes over the graph of one signature, after placement. They compute constant
// values once (fold.c), merge equal nodes (merge_equal.c), skip values that nobody
// reads (skip_unread.c) and compute several nodes in one (fuse.c, fuse_update.c).
//
// A pass changes the graph in place; the graph is a copy that belongs to the caller.
// Values, devices, errors, deadness and the order that control edges demand stay the
// same. Fed values are unknown to a pass; stateful nodes and control flow stay as
// they are. A pass cannot fail: it leaves alone what it cannot improve.
#ifndef SLI_GRAPH_PASSES_PASSES_H_
#define SLI_GRAPH_PASSES_PASSES_H_

#include "graph/graph.h"

// A copy of the part of a graph that a signature needs, with its feeds, fetches and
// targets in the signature's order. If a pass replaces a node, it updates them.
typedef struct {
  sli_graph_t *graph;
  sli_output_t *feeds, *fetches;
  sli_node_t **targets;
  size_t feed_count, fetch_count, target_count;
} sli_pass_pruned_t;

void sli_pass_pruned_deinitialize(sli_pass_pruned_t *pruned);

typedef struct {
  sli_device_t *device;  // a CPU of this process, on which values are computed
  size_t max_bytes;      // of a folded value; 0: TensorFlow's 10 MB
} sli_pass_fold_options_t;

// Replaces stateless nodes whose inputs are all constant by constants: it runs their
// kernels on the calling thread, which must have the floating-point mode of kernels. A
// node whose kernel fails stays, and fails in the step.
void sli_pass_fold(sli_pass_pruned_t *pruned, const sli_pass_fold_options_t *options);
// Of stateless nodes with equal op, attributes, device, inputs and control inputs, one stays.
void sli_pass_merge_equal(sli_pass_pruned_t *pruned);
// Pure nodes that others only wait for become NoOps: their values are not computed, and their errors do not occur.
void sli_pass_skip_unread(sli_pass_pruned_t *pruned);
// Replaces MatMul or Conv2D + BiasAdd (or the Add of a vector) + activation by _FusedMatMul or _FusedConv2D, if they
// are of type float, on one device, and nothing else reads the values in between.
void sli_pass_fuse(sli_pass_pruned_t *pruned);
// Fuses a MatMul of floats or doubles with the optimizer's op that is its only reader, into a private op. Only for
// graphs that become plans in this process, never for those sent to a peer. The product stays, unread: call
// sli_pass_skip_unread() afterwards.
void sli_pass_fuse_updates(sli_pass_pruned_t *pruned);
// Connects the consumers of each output |to| with |from| instead. Nodes that wait for the node of |to| wait for that of
// |from|. Removes nodes that are no longer needed. |to| must not be fetched.
typedef struct {
  sli_output_t from, to;
} sli_pass_connection_t;
void sli_pass_connect(sli_pass_pruned_t *pruned, const sli_pass_connection_t *connections, size_t count);
// Removes the nodes that the signature no longer needs.
void sli_pass_drop_unused(sli_pass_pruned_t *pruned);

#endif  // SLI_GRAPH_PASSES_PASSES_H_
