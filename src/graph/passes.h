// Passes over the graph of one signature, after placement: what can be told
// beforehand is told (fold.c), what is computed twice is computed once
// (merge_equal.c), what nobody reads is not computed (skip_unread.c), what pays to be
// computed together is (fuse.c, fuse_update.c).
//
// A pass changes the graph it is given, which is the caller's own, and keeps every
// promise of the signature: values, devices, errors, deadness and what runs before
// what. Fed values are unknown, stateful nodes and control flow stay as they are.
// A pass cannot fail: what it cannot improve it leaves alone.
#ifndef SLI_GRAPH_PASSES_H_
#define SLI_GRAPH_PASSES_H_

#include "graph/graph.h"

// The part of a graph that a signature needs, a copy, with the feeds, fetches and
// targets in it, in the signature's order. Fetches and targets move with what passes make of them.
typedef struct {
  sli_graph_t *graph;
  sli_output_t *feeds, *fetches;
  sli_node_t **targets;
  size_t feed_count, fetch_count, target_count;
} sli_pruned_t;

void sli_pruned_deinitialize(sli_pruned_t *pruned);

typedef struct {
  sli_device_t *device;  // a CPU of this process, on which values are computed
  size_t max_bytes;      // of a folded value; 0: TensorFlow's 10 MB
} sli_fold_options_t;

// Replaces stateless nodes whose inputs are all constant by their values, computed
// by their kernels here and now. A node whose kernel fails stays, and fails in the
// step. The caller's thread has the floating-point mode of kernels.
void sli_pass_fold(sli_pruned_t *pruned, const sli_fold_options_t *options);
// Of stateless nodes with equal op, attributes, device, inputs and control inputs, one stays.
void sli_pass_merge_equal(sli_pruned_t *pruned);
// Pure nodes that others only wait for become NoOps: their values are not computed, nor are their errors found.
void sli_pass_skip_unread(sli_pruned_t *pruned);
// MatMul or Conv2D + BiasAdd (or the Add of a vector) + activation, float, on one device and with nobody else
// looking at the values between: _FusedMatMul, _FusedConv2D.
void sli_pass_fuse(sli_pruned_t *pruned);
// A MatMul of floats or doubles that is only read by an optimizer's op becomes part of it, as a private op: of graphs
// that become plans here, never of those sent to others. The product itself stays, unread: sli_pass_skip_unread() is
// to follow.
void sli_pass_fuse_updates(sli_pruned_t *pruned);
// Lets nodes that take an output |to| take |from| instead, and those that wait for |to|'s node wait for |from|'s; what
// is needed no more goes. |to| is not fetched.
typedef struct {
  sli_output_t from, to;
} sli_connection_t;
void sli_pass_connect(sli_pruned_t *pruned, const sli_connection_t *connections, size_t count);
// Takes out what the signature no longer needs.
void sli_pass_drop_unused(sli_pruned_t *pruned);

#endif  // SLI_GRAPH_PASSES_H_
