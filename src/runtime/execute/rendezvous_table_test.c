#include "runtime/execute/rendezvous_table.h"

#include "base/test.h"

typedef struct {
  int calls;
  sli_code_t code;
  int32_t value;
} outcome_t;

static void note(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  outcome_t *outcome = context;
  outcome->calls++;
  outcome->code = sli_status_code(status);
  if (tensor) outcome->value = *SLI_DATA(int32_t, tensor);
  sli_status_release(status);
  sli_tensor_release(tensor);
}

static sli_view_t key(const char *text) { return sli_view(text); }

SLI_TEST(test_table_matches_in_either_order_and_each_value_once) {
  sli_rendezvous_table_t table;
  sli_rendezvous_table_initialize(&table);
  outcome_t first = {0}, second = {0}, third = {0};
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(1), false));
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(2), false));
  sli_rendezvous_table_recv(&table, key("a"), note, &first);
  sli_rendezvous_table_recv(&table, key("a"), note, &second);
  sli_rendezvous_table_recv(&table, key("a"), note, &third);
  SLI_EXPECT(first.value == 1 && second.value == 2 && third.calls == 0);
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(3), false));
  SLI_EXPECT_INT(third.value, 3);
  SLI_EXPECT(sli_rendezvous_table_is_pristine(&table));
  sli_rendezvous_table_deinitialize(&table);
}

SLI_TEST(test_table_holds_many_keys) {
  sli_rendezvous_table_t table;
  sli_rendezvous_table_initialize(&table);
  outcome_t outcomes[500] = {0};
  char text[32];
  for (int i = 0; i < 500; i++) {
    snprintf(text, sizeof(text), "key %d", i);
    if (i % 2)
      sli_rendezvous_table_recv(&table, key(text), note, &outcomes[i]);
    else
      SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key(text), sli_tensor_scalar_int32(i), false));
  }
  for (int i = 0; i < 500; i++) {
    snprintf(text, sizeof(text), "key %d", i);
    if (i % 2)
      SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key(text), sli_tensor_scalar_int32(i), false));
    else
      sli_rendezvous_table_recv(&table, key(text), note, &outcomes[i]);
    SLI_EXPECT(outcomes[i].calls == 1 && outcomes[i].value == i);
  }
  sli_rendezvous_table_deinitialize(&table);
}

SLI_TEST(test_withdrawn_receiver_leaves_the_value_to_the_next) {
  sli_rendezvous_table_t table;
  sli_rendezvous_table_initialize(&table);
  outcome_t gone = {0}, stays = {0};
  sli_rendezvous_table_recv(&table, key("a"), note, &stays);
  sli_rendezvous_table_recv(&table, key("a"), note, &gone);
  SLI_EXPECT(sli_rendezvous_table_withdraw(&table, key("a"), &gone));
  SLI_EXPECT(!sli_rendezvous_table_withdraw(&table, key("a"), &gone));
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(4), false));
  SLI_EXPECT(gone.calls == 0 && stays.value == 4);
  SLI_EXPECT(!sli_rendezvous_table_withdraw(&table, key("a"), &stays));
  sli_rendezvous_table_deinitialize(&table);
}

SLI_TEST(test_the_newest_receiver_is_served_first) {
  sli_rendezvous_table_t table;
  sli_rendezvous_table_initialize(&table);
  outcome_t older = {0}, newer = {0};
  sli_rendezvous_table_recv(&table, key("a"), note, &older);
  SLI_EXPECT(!sli_rendezvous_table_is_pristine(&table));
  sli_rendezvous_table_recv(&table, key("a"), note, &newer);
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(1), false));
  SLI_EXPECT(newer.value == 1 && older.calls == 0);
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(2), false));
  SLI_EXPECT_INT(older.value, 2);
  sli_rendezvous_table_deinitialize(&table);
}

SLI_TEST(test_abort_fails_receivers_and_all_later_calls) {
  sli_rendezvous_table_t table;
  sli_rendezvous_table_initialize(&table);
  outcome_t waits = {0}, late = {0};
  sli_rendezvous_table_recv(&table, key("a"), note, &waits);
  SLI_EXPECT_OK(sli_rendezvous_table_send(&table, key("b"), sli_tensor_scalar_int32(1), false));
  sli_rendezvous_table_abort(&table, sli_status_make(SLI_DATA_LOSS, "first"));
  sli_rendezvous_table_abort(&table, sli_status_make(SLI_ABORTED, "second"));
  sli_rendezvous_table_recv(&table, key("b"), note, &late);
  SLI_EXPECT(waits.calls == 1 && waits.code == SLI_DATA_LOSS && late.calls == 1 && late.code == SLI_DATA_LOSS);
  SLI_EXPECT_STATUS(sli_rendezvous_table_send(&table, key("a"), sli_tensor_scalar_int32(1), false), SLI_DATA_LOSS);
  sli_rendezvous_table_deinitialize(&table);
}

SLI_TEST_MAIN(test_table_matches_in_either_order_and_each_value_once, test_table_holds_many_keys,
              test_withdrawn_receiver_leaves_the_value_to_the_next, test_the_newest_receiver_is_served_first,
              test_abort_fails_receivers_and_all_later_calls)
