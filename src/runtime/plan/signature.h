// A step's signature: what is fed, fetched and run. Direct sessions and masters
// prune the graph for a signature in the same way and cache the result.
#ifndef SLI_RUNTIME_PLAN_SIGNATURE_H_
#define SLI_RUNTIME_PLAN_SIGNATURE_H_

#include "graph/passes/passes.h"

// Consumers of |to| take |from| instead ("x:0").
typedef struct {
  const char *from, *to;
} sli_signature_connection_t;

typedef struct {
  const char *const *feed_names;  // "x:0"
  size_t feed_count;
  const char *const *fetch_names;
  size_t fetch_count;
  const char *const *target_names;  // node names
  size_t target_count;
  const sli_signature_connection_t *connections;
  size_t connection_count;
  int64_t collective_graph_key;  // RunOptions.experimental.collective_graph_key; 0: none
} sli_signature_t;

// Appends a text that is the same for equal signatures, as the key of a map.
void sli_signature_append_key(const sli_signature_t *signature, sli_string_t *out);

// INVALID_ARGUMENT, in TensorFlow's words, for a step that neither fetches nor runs anything.
sli_status_t *sli_signature_check_purpose(size_t fetch_count, size_t target_count);

// Copies the part of |graph| that the signature needs. NOT_FOUND or INVALID_ARGUMENT with TensorFlow's text if a name
// is not in |graph|, something is fed twice, a connection makes a cycle, or nothing is fetched or run.
sli_status_t *sli_signature_prune(const sli_signature_t *signature, const sli_graph_t *graph,
                                  sli_pass_pruned_t *out_pruned);

#endif  // SLI_RUNTIME_PLAN_SIGNATURE_H_
