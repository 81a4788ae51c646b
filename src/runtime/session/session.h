// Session: the interface on which a client runs steps, implemented by the direct
// session (devices of this process, here) and by the remote session (a master, in
// dist). Thread-safe.
#ifndef SLI_RUNTIME_SESSION_SESSION_H_
#define SLI_RUNTIME_SESSION_SESSION_H_

#include <pthread.h>

#include "graph/graph.h"
#include "runtime/place/device_set.h"

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
  const char *partial_handle;  // of the partial run that this is a part of; NULL: a whole run
  // A pointer, NULL at first, in which the session may store what it found for these names, so that it need not search
  // again. The caller keeps it for exactly these names and this session. NULL: there is none.
  void **memo;
} sli_session_run_t;

typedef struct {
  // Adds the nodes of |graph_def|, new ones only, to the session's graph.
  sli_status_t *(*extend)(sli_session_t *self, sli_view_t graph_def);
  // Blocks until the step has ended. |out_fetches| has fetch_count entries, each a
  // reference for the caller on success, NULL on failure.
  sli_status_t *(*run)(sli_session_t *self, const sli_session_run_t *request, sli_tensor_t **out_fetches);
  sli_status_t *(*partial_run_setup)(sli_session_t *self, const sli_session_run_t *names, char **out_handle);
  // The caller owns |out_set|, a copy.
  sli_status_t *(*list_devices)(sli_session_t *self, sli_device_set_t *out_set);
  // Cancels the step that |thread| runs: it ends with CANCELLED and |reason|. Whether it runs one. NULL: such sessions
  // cannot.
  bool (*cancel_step)(sli_session_t *self, pthread_t thread, const char *reason);
  // Cancels running steps and releases the session's state. Idempotent.
  sli_status_t *(*close)(sli_session_t *self);
  void (*destroy)(sli_session_t *self);
} sli_session_vtable_t;
struct sli_session {
  const sli_session_vtable_t *vtable;
};

// A session on devices of this process. |config|: serialized ConfigProto.
sli_status_t *sli_direct_session_create(sli_view_t config, sli_session_t **out_session);

#endif  // SLI_RUNTIME_SESSION_SESSION_H_
