// Session: what a client runs steps on, whatever lies behind: devices of this
// process (direct session, here) or a master (dist). An interface, so that the
// C API needs to know only how to make one. Thread-safe.
#ifndef SLI_RUNTIME_SESSION_H_
#define SLI_RUNTIME_SESSION_H_

#include "graph/graph.h"
#include "runtime/device_set.h"

typedef struct sli_session sli_session_t;

typedef struct {
  const char *const *feed_names;  // "x:0"
  sli_tensor_t *const *feeds;
  size_t feed_count;
  const char *const *fetch_names;  // "y:0"
  size_t fetch_count;
  const char *const *target_names;  // node names
  size_t target_count;
  sli_view_t options;          // serialized RunOptions; empty: none
  sli_string_t *out_metadata;  // serialized RunMetadata is appended; NULL: not wanted
  const char *partial_handle;  // a part of a partial run; NULL: a whole run
  // Where the session may note what it found for these very names, to find it at once the next time: a place that
  // the caller keeps for them and this session alone, NULL at first. NULL: no such place.
  void **memo;
} sli_session_run_t;

typedef struct {
  // Adds the nodes of |graph_def| (only what is new) to the session's graph.
  sli_status_t *(*extend)(sli_session_t *self, sli_view_t graph_def);
  // Blocks until the step ended. |out_fetches| has fetch_count entries, each a
  // reference for the caller on success, NULL on failure.
  sli_status_t *(*run)(sli_session_t *self, const sli_session_run_t *request, sli_tensor_t **out_fetches);
  sli_status_t *(*partial_run_setup)(sli_session_t *self, const sli_session_run_t *names, char **out_handle);
  // |out_set| owns its copies.
  sli_status_t *(*list_devices)(sli_session_t *self, sli_device_set_t *out_set);
  // Cancels what runs and gives up the session's state. Idempotent.
  sli_status_t *(*close)(sli_session_t *self);
  void (*destroy)(sli_session_t *self);
} sli_session_vtable_t;
struct sli_session {
  const sli_session_vtable_t *vtable;
};

// A session on devices of this process. |config|: serialized ConfigProto.
sli_status_t *sli_direct_session_create(sli_view_t config, sli_session_t **out_session);

#endif  // SLI_RUNTIME_SESSION_H_
