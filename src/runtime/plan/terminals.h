// A graph whose feeds and fetches are nodes: client-terminated _Recv and _Send on
// the devices of the values. Its steps get their feeds and return their fetches
// through the rendezvous, at any time. Masters make such graphs for workers, direct
// sessions for partial runs.
#ifndef SLI_RUNTIME_PLAN_TERMINALS_H_
#define SLI_RUNTIME_PLAN_TERMINALS_H_

#include "runtime/place/device_set.h"
#include "runtime/plan/signature.h"

// By position in the signature.
typedef struct {
  sli_graph_t *graph;
  char **feed_keys, **fetch_keys;  // of the rendezvous
  sli_node_t **feed_nodes, **fetch_nodes;
  size_t feed_count, fetch_count;
} sli_terminals_t;

// |pruned| must be placed. Its graph is changed and must not be used any more.
sli_status_t *sli_terminals_create(sli_pass_pruned_t *pruned, const sli_signature_t *signature,
                                   const sli_device_set_t *devices, sli_terminals_t *out_terminals);
void sli_terminals_deinitialize(sli_terminals_t *terminals);

#endif  // SLI_RUNTIME_PLAN_TERMINALS_H_
