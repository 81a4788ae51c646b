#include "dist/client/cancel_link.h"

#include "base/test.h"

typedef struct {
  sli_cancel_link_t link;
  int fired;
  bool ended_inside, end_result;
} linked_t;

static void on_fire(void *context) {
  linked_t *linked = context;
  linked->fired++;
  if (linked->ended_inside) linked->end_result = sli_cancel_link_end(&linked->link);
}

SLI_TEST(test_link_ends_before_inside_or_after_the_cancellation) {
  sli_cancellation_t *cancellation = sli_cancellation_create();
  linked_t before = {0}, inside = {.ended_inside = true, .end_result = true}, after = {0}, late = {0};
  SLI_EXPECT(sli_cancel_link_begin(&before.link, cancellation, on_fire, &before));
  SLI_EXPECT(sli_cancel_link_begin(&inside.link, cancellation, on_fire, &inside));
  SLI_EXPECT(sli_cancel_link_begin(&after.link, cancellation, on_fire, &after));
  SLI_EXPECT(sli_cancel_link_end(&before.link));
  sli_cancellation_cancel(cancellation, NULL);
  SLI_EXPECT(!sli_cancel_link_end(&after.link));
  SLI_EXPECT(!sli_cancel_link_begin(&late.link, cancellation, on_fire, &late));
  SLI_EXPECT(before.fired == 0 && inside.fired == 1 && after.fired == 1 && late.fired == 0);
  SLI_EXPECT(!inside.end_result);
  sli_cancellation_release(cancellation);
}

SLI_TEST_MAIN(test_link_ends_before_inside_or_after_the_cancellation)
