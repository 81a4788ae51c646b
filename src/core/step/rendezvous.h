// Rendezvous: where _Send leaves a tensor and _Recv finds it, by key
//   src_device;incarnation_hex;dst_device;edge_name;frame:iter
// An interface, implemented within a task (runtime) and between tasks (dist).
#ifndef SLI_CORE_STEP_RENDEZVOUS_H_
#define SLI_CORE_STEP_RENDEZVOUS_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"
#include "base/sync.h"
#include "core/tensor/tensor.h"

typedef struct {
  sli_view_t text;  // the whole key
  sli_view_t source_device, destination_device, edge_name;
  uint64_t source_incarnation, frame, iteration;
} sli_rendezvous_key_t;

// INVALID_ARGUMENT "Invalid rendezvous key: …". Views point into |text|.
sli_status_t *sli_rendezvous_key_parse(sli_view_t text, sli_rendezvous_key_t *out_key);
void sli_rendezvous_key_append(sli_string_t *string, const char *source_device, uint64_t source_incarnation,
                               const char *destination_device, const char *edge_name, uint64_t frame,
                               uint64_t iteration);

// Called exactly once, on any thread. The callback owns |status| and, on success, |tensor|,
// which is not NULL then. |is_dead|: the edge is dead.
typedef void (*sli_rendezvous_recv_fn_t)(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead);

typedef struct sli_rendezvous sli_rendezvous_t;
typedef struct {
  // Consumes |tensor|. ABORTED after abort. Never blocks.
  sli_status_t *(*send)(sli_rendezvous_t *self, sli_view_t key, sli_tensor_t *tensor, bool is_dead);
  // |done| may run before this returns.
  void (*recv)(sli_rendezvous_t *self, sli_view_t key, sli_rendezvous_recv_fn_t done, void *context);
  // Fails all pending and later calls with |status|, the root cause (consumed).
  void (*abort)(sli_rendezvous_t *self, sli_status_t *status);
  void (*destroy)(sli_rendezvous_t *self);
} sli_rendezvous_vtable_t;
struct sli_rendezvous {
  const sli_rendezvous_vtable_t *vtable;
  sli_refcount_t references;
};

static inline sli_rendezvous_t *sli_rendezvous_retain(sli_rendezvous_t *rendezvous) {
  if (rendezvous) sli_refcount_retain(&rendezvous->references);
  return rendezvous;
}
static inline void sli_rendezvous_release(sli_rendezvous_t *rendezvous) {
  if (rendezvous && sli_refcount_release(&rendezvous->references)) rendezvous->vtable->destroy(rendezvous);
}
static inline sli_status_t *sli_rendezvous_send(sli_rendezvous_t *self, sli_view_t key, sli_tensor_t *tensor,
                                                bool is_dead) {
  return self->vtable->send(self, key, tensor, is_dead);
}
static inline void sli_rendezvous_recv(sli_rendezvous_t *self, sli_view_t key, sli_rendezvous_recv_fn_t done,
                                       void *context) {
  self->vtable->recv(self, key, done, context);
}
static inline void sli_rendezvous_abort(sli_rendezvous_t *self, sli_status_t *status) {
  self->vtable->abort(self, status);
}

#endif  // SLI_CORE_STEP_RENDEZVOUS_H_
