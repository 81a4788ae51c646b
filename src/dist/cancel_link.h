// A callback on a cancellation that may be withdrawn from anywhere, from within
// the callback too: sli_cancellation_deregister would wait there for itself.
//
// Whoever owns a link keeps one reference to its object for the callback. It is
// given up by sli_cancel_link_end's caller when that returns true, else by |fire|.
#ifndef SLI_DIST_CANCEL_LINK_H_
#define SLI_DIST_CANCEL_LINK_H_

#include <stdatomic.h>

#include "core/cancellation.h"

// Embedded; must not move while it is open.
typedef struct {
  sli_cancellation_t *cancellation;  // retained; NULL: not open
  uint64_t token;
  atomic_int state;
  void (*fire)(void *context);
  void *context;
} sli_cancel_link_t;

// Runs |fire|(context), at most once, when |cancellation| is cancelled, on the
// cancelling thread. False if it is cancelled already: |fire| will not run, the
// link is not open.
bool sli_cancel_link_begin(sli_cancel_link_t *link, sli_cancellation_t *cancellation, void (*fire)(void *context),
                           void *context);
// Closes an open link, once. True: |fire| has not run and never will.
bool sli_cancel_link_end(sli_cancel_link_t *link);

#endif  // SLI_DIST_CANCEL_LINK_H_
