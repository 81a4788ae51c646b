// A graph whose feeds and fetches are nodes: client-terminated _Recv and _Send on
// the devices where the values lie, so that a step takes its feeds and gives its
// fetches through its rendezvous, at any time. Masters make these for workers, local sessions for partial runs.
#ifndef SLI_RUNTIME_TERMINALS_H_
#define SLI_RUNTIME_TERMINALS_H_

#include "runtime/device_set.h"
#include "runtime/signature.h"

// By position in the signature.
typedef struct {
  sli_graph_t *graph;
  char **feed_keys, **fetch_keys;  // of the rendezvous
  sli_node_t **feed_nodes, **fetch_nodes;
  size_t feed_count, fetch_count;
} sli_terminals_t;

// |pruned| is placed; its graph is changed and no longer of use.
sli_status_t *sli_terminals_create(sli_pruned_t *pruned, const sli_signature_t *signature,
                                   const sli_device_set_t *devices, sli_terminals_t *out_terminals);
void sli_terminals_deinitialize(sli_terminals_t *terminals);

#endif  // SLI_RUNTIME_TERMINALS_H_
