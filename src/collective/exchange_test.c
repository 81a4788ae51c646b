#include "collective/exchange.h"

#include "base/test.h"

typedef struct {
  int calls;
  sli_code_t code;
  float value;
} outcome_t;

static void sent(void *context, sli_status_t *status) {
  outcome_t *outcome = context;
  outcome->calls++;
  outcome->code = sli_status_code(status);
  sli_status_release(status);
}

static void received(void *context, sli_status_t *status, sli_tensor_t *buffer) {
  sent(context, status);
  if (buffer) ((outcome_t *)context)->value = SLI_DATA(float, buffer)[0];
  sli_tensor_release(buffer);
}

static void send(sli_collective_exchange_t *exchange, const char *scope, const char *key, float value,
                 outcome_t *outcome) {
  sli_collective_exchange_send(exchange, sli_view(scope), sli_view(key), sli_tensor_scalar_float(value), sent, outcome);
}

static void receive(sli_collective_exchange_t *exchange, const char *scope, const char *key, size_t size,
                    outcome_t *outcome) {
  sli_collective_exchange_receive(exchange, sli_view(scope), sli_view(key), size, received, outcome);
}

SLI_TEST(test_both_sides_meet_in_either_order) {
  sli_collective_exchange_t exchange;
  sli_collective_exchange_initialize(&exchange);
  outcome_t a = {0}, b = {0}, c = {0}, d = {0};
  send(&exchange, "s", "1", 5, &a);
  SLI_EXPECT_INT(a.calls, 0);
  receive(&exchange, "s", "1", sizeof(float), &b);
  receive(&exchange, "s", "2", sizeof(float), &c);
  SLI_EXPECT_INT(sli_collective_exchange_waiting(&exchange), 1);
  send(&exchange, "s", "2", 6, &d);
  SLI_EXPECT(a.calls == 1 && b.calls == 1 && c.calls == 1 && d.calls == 1);
  SLI_EXPECT_NEAR(b.value, 5, 0);
  SLI_EXPECT_NEAR(c.value, 6, 0);
  SLI_EXPECT_INT(sli_collective_exchange_waiting(&exchange), 0);
  sli_collective_exchange_deinitialize(&exchange);
}

SLI_TEST(test_a_buffer_of_another_size_is_an_error) {
  sli_collective_exchange_t exchange;
  sli_collective_exchange_initialize(&exchange);
  outcome_t a = {0}, b = {0};
  receive(&exchange, "s", "1", 8, &a);
  send(&exchange, "s", "1", 5, &b);
  SLI_EXPECT_INT(a.code, SLI_INTERNAL);
  SLI_EXPECT_INT(b.code, SLI_OK);
  sli_collective_exchange_deinitialize(&exchange);
}

SLI_TEST(test_a_second_receive_is_an_error) {
  sli_collective_exchange_t exchange;
  sli_collective_exchange_initialize(&exchange);
  outcome_t a = {0}, b = {0};
  receive(&exchange, "s", "1", 4, &a);
  receive(&exchange, "s", "1", 4, &b);
  SLI_EXPECT(a.calls == 0 && b.calls == 1);
  SLI_EXPECT_INT(b.code, SLI_INTERNAL);
  SLI_EXPECT(sli_collective_exchange_withdraw(&exchange, sli_view("s"), sli_view("1"), &a));
  SLI_EXPECT(!sli_collective_exchange_withdraw(&exchange, sli_view("s"), sli_view("1"), &a));
  sli_collective_exchange_deinitialize(&exchange);
}

SLI_TEST(test_a_scope_fails_now_and_later_and_others_do_not) {
  sli_collective_exchange_t exchange;
  sli_collective_exchange_initialize(&exchange);
  outcome_t a = {0}, b = {0}, c = {0}, d = {0};
  receive(&exchange, "s", "1", 4, &a);
  send(&exchange, "s", "2", 5, &b);
  receive(&exchange, "s2", "1", 4, &c);
  sli_collective_exchange_fail(&exchange, "s", sli_status_make(SLI_UNAVAILABLE, "lost"));
  SLI_EXPECT(a.code == SLI_UNAVAILABLE && b.code == SLI_UNAVAILABLE && c.calls == 0);
  receive(&exchange, "s", "3", 4, &d);
  SLI_EXPECT_INT(d.code, SLI_UNAVAILABLE);
  sli_collective_exchange_fail(&exchange, NULL, sli_status_make(SLI_CANCELLED, "stopped"));
  SLI_EXPECT_INT(c.code, SLI_CANCELLED);
  outcome_t late = {0};
  receive(&exchange, "s2", "2", 4, &late);
  SLI_EXPECT_INT(late.code, SLI_CANCELLED);
  sli_collective_exchange_deinitialize(&exchange);
}

SLI_TEST(test_old_failures_are_forgotten) {
  sli_collective_exchange_t exchange;
  sli_collective_exchange_initialize(&exchange);
  for (int i = 0; i <= SLI_COLLECTIVE_EXCHANGE_FAILURES; i++) {
    char scope[16];
    snprintf(scope, sizeof(scope), "s%d", i);
    sli_collective_exchange_fail(&exchange, scope, sli_status_make(SLI_UNAVAILABLE, "lost"));
  }
  outcome_t first = {0}, last = {0};
  receive(&exchange, "s0", "1", 4, &first);
  receive(&exchange, "s1", "1", 4, &last);
  SLI_EXPECT_INT(first.calls, 0);
  SLI_EXPECT_INT(last.code, SLI_UNAVAILABLE);
  sli_collective_exchange_fail(&exchange, NULL, sli_status_make(SLI_CANCELLED, "stopped"));
  sli_collective_exchange_deinitialize(&exchange);
}

SLI_TEST_MAIN(test_both_sides_meet_in_either_order, test_a_buffer_of_another_size_is_an_error,
              test_a_second_receive_is_an_error, test_a_scope_fails_now_and_later_and_others_do_not,
              test_old_failures_are_forgotten)
