#include "dist/client/cancel_link.h"

#include <stddef.h>

enum { OPEN, FIRED, ENDED };

static void link_cancelled(void *context) {
  sli_cancel_link_t *link = context;
  int state = OPEN;
  // Once fired, the link may be freed as soon as |fire| releases its reference.
  if (atomic_compare_exchange_strong(&link->state, &state, FIRED)) link->fire(link->context);
}

bool sli_cancel_link_begin(sli_cancel_link_t *link, sli_cancellation_t *cancellation, void (*fire)(void *context),
                           void *context) {
  *link = (sli_cancel_link_t){.fire = fire, .context = context};
  link->cancellation = sli_cancellation_retain(cancellation);
  // Only the thread that ends the link reads the token, and it cannot do so before this function returns.
  link->token = sli_cancellation_register(cancellation, link_cancelled, link);
  if (link->token) return true;
  sli_cancellation_release(cancellation);
  link->cancellation = NULL;
  return false;
}

bool sli_cancel_link_end(sli_cancel_link_t *link) {
  sli_cancellation_t *cancellation = link->cancellation;
  int state = OPEN;
  bool prevented = atomic_compare_exchange_strong(&link->state, &state, ENDED);
  // If the callback is running on another thread it saw ENDED and returns at once; this waits for it.
  if (prevented) sli_cancellation_deregister(cancellation, link->token);
  link->cancellation = NULL;
  sli_cancellation_release(cancellation);
  return prevented;
}
