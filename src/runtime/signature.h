// A step's signature: what is fed, fetched and run. Direct sessions and masters
// turn one into a pruned graph in the same way and cache what they made of it.
#ifndef SLI_RUNTIME_SIGNATURE_H_
#define SLI_RUNTIME_SIGNATURE_H_

#include "graph/passes.h"

// What takes |to| takes |from| instead ("x:0").
typedef struct {
  const char *from, *to;
} sli_tensor_connection_t;

typedef struct {
  const char *const *feed_names;  // "x:0"
  size_t feed_count;
  const char *const *fetch_names;
  size_t fetch_count;
  const char *const *target_names;  // node names
  size_t target_count;
  const sli_tensor_connection_t *connections;
  size_t connection_count;
} sli_signature_t;

// A text that equal signatures share, for a map's key.
void sli_signature_append_key(const sli_signature_t *signature, sli_string_t *out);

// INVALID_ARGUMENT, in TensorFlow's words, for a step that neither fetches nor runs anything.
sli_status_t *sli_signature_check_purpose(size_t fetch_count, size_t target_count);

// Cuts |graph| down to what the signature needs. NOT_FOUND or INVALID_ARGUMENT with TensorFlow's text where a name
// means nothing in |graph|, a feed stands twice, a connection makes a cycle, or nothing is asked for.
sli_status_t *sli_signature_prune(const sli_signature_t *signature, const sli_graph_t *graph, sli_pruned_t *out_pruned);

#endif  // SLI_RUNTIME_SIGNATURE_H_
