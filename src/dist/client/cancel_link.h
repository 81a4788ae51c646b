// A callback on a cancellation that can be withdrawn from any place, also from within the callback itself, where
// sli_cancellation_deregister would wait for itself.
//
// The owner of a link holds one reference to its object for the callback. If sli_cancel_link_end returns true its
// caller releases that reference, else |fire| does.
#ifndef SLI_DIST_CLIENT_CANCEL_LINK_H_
#define SLI_DIST_CLIENT_CANCEL_LINK_H_

#include <stdatomic.h>

#include "core/step/cancellation.h"

// Embedded; must not move while it is open.
typedef struct {
  sli_cancellation_t *cancellation;  // retained; NULL: not open
  uint64_t token;
  atomic_int state;
  void (*fire)(void *context);
  void *context;
} sli_cancel_link_t;

// Calls |fire|(context) at most once, when |cancellation| is cancelled, on the thread that cancels. Returns false if it
// is cancelled already: then |fire| is never called and the link is not open.
bool sli_cancel_link_begin(sli_cancel_link_t *link, sli_cancellation_t *cancellation, void (*fire)(void *context),
                           void *context);
// Closes an open link; call it once. True: |fire| was not called and never will be.
bool sli_cancel_link_end(sli_cancel_link_t *link);

#endif  // SLI_DIST_CLIENT_CANCEL_LINK_H_
