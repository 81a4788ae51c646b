#include "dist/cancel_link.h"

#include <stddef.h>

enum { OPEN, FIRED, ENDED };

static void on_cancel(void *context) {
  sli_cancel_link_t *link = context;
  int state = OPEN;
  // Once fired, the link may be gone as soon as |fire| gives its reference up.
  if (atomic_compare_exchange_strong(&link->state, &state, FIRED)) link->fire(link->context);
}

bool sli_cancel_link_begin(sli_cancel_link_t *link, sli_cancellation_t *cancellation, void (*fire)(void *context),
                           void *context) {
  *link = (sli_cancel_link_t){.fire = fire, .context = context};
  link->cancellation = sli_cancellation_retain(cancellation);
  // Written before it is read by the one thread that ends the link, which cannot happen before this returns.
  link->token = sli_cancellation_register(cancellation, on_cancel, link);
  if (link->token) return true;
  sli_cancellation_release(cancellation);
  link->cancellation = NULL;
  return false;
}

bool sli_cancel_link_end(sli_cancel_link_t *link) {
  sli_cancellation_t *cancellation = link->cancellation;
  int state = OPEN;
  bool prevented = atomic_compare_exchange_strong(&link->state, &state, ENDED);
  // Waits for a callback that saw ENDED, on another thread, and returns at once.
  if (prevented) sli_cancellation_deregister(cancellation, link->token);
  link->cancellation = NULL;
  sli_cancellation_release(cancellation);
  return prevented;
}
