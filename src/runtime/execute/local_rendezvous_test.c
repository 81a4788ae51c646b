#include "runtime/execute/local_rendezvous.h"

#include "base/test.h"

typedef struct {
  int calls, code, value;
  bool is_dead;
} received_t;

static void on_received(void *context, sli_status_t *status, sli_tensor_t *tensor, bool is_dead) {
  received_t *received = context;
  received->calls++;
  received->code = sli_status_code(status);
  received->is_dead = is_dead;
  if (tensor) received->value = SLI_DATA(int32_t, tensor)[0];
  sli_tensor_release(tensor);
  sli_status_release(status);
}

SLI_TEST(test_value_waits_for_its_receiver_and_is_handed_out_once) {
  sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
  received_t first = {0}, second = {0};
  SLI_EXPECT_OK(sli_rendezvous_send(rendezvous, sli_view("a"), sli_tensor_scalar_int32(1), true));
  sli_rendezvous_recv(rendezvous, sli_view("a"), on_received, &first);
  SLI_EXPECT_INT(first.calls, 1);
  SLI_EXPECT_INT(first.value, 1);
  SLI_EXPECT(first.is_dead);
  sli_rendezvous_recv(rendezvous, sli_view("a"), on_received, &second);
  SLI_EXPECT_INT(second.calls, 0);
  SLI_EXPECT_OK(sli_rendezvous_send(rendezvous, sli_view("b"), sli_tensor_scalar_int32(2), false));
  SLI_EXPECT_INT(second.calls, 0);
  SLI_EXPECT_OK(sli_rendezvous_send(rendezvous, sli_view("a"), sli_tensor_scalar_int32(3), false));
  SLI_EXPECT_INT(second.calls, 1);
  SLI_EXPECT_INT(second.value, 3);
  SLI_EXPECT(!second.is_dead);
  sli_rendezvous_release(rendezvous);
}

SLI_TEST(test_values_of_one_key_keep_their_order) {
  sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
  enum { KEYS = 300, VALUES = 3 };
  char key[16];
  for (int v = 0; v < VALUES; v++) {
    for (int k = 0; k < KEYS; k++) {
      snprintf(key, sizeof(key), "key%d", k);
      SLI_EXPECT_OK(sli_rendezvous_send(rendezvous, sli_view(key), sli_tensor_scalar_int32(1000 * v + k), false));
    }
  }
  for (int k = 0; k < KEYS; k++) {
    snprintf(key, sizeof(key), "key%d", k);
    for (int v = 0; v < VALUES; v++) {
      received_t received = {0};
      sli_rendezvous_recv(rendezvous, sli_view(key), on_received, &received);
      SLI_EXPECT_INT(received.value, 1000 * v + k);
    }
  }
  sli_rendezvous_release(rendezvous);
}

SLI_TEST(test_abort_ends_what_waits_and_what_comes) {
  sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
  received_t waiting = {0}, late = {0};
  sli_rendezvous_recv(rendezvous, sli_view("a"), on_received, &waiting);
  SLI_EXPECT_OK(sli_rendezvous_send(rendezvous, sli_view("b"), sli_tensor_scalar_int32(2), false));
  sli_rendezvous_abort(rendezvous, sli_status_make(SLI_DATA_LOSS, "the root cause"));
  SLI_EXPECT_INT(waiting.calls, 1);
  SLI_EXPECT_INT(waiting.code, SLI_DATA_LOSS);
  sli_rendezvous_abort(rendezvous, sli_status_make(SLI_CANCELLED, "a consequence"));
  sli_rendezvous_recv(rendezvous, sli_view("b"), on_received, &late);
  SLI_EXPECT_INT(late.calls, 1);
  SLI_EXPECT_INT(late.code, SLI_DATA_LOSS);
  SLI_EXPECT_STATUS(sli_rendezvous_send(rendezvous, sli_view("c"), sli_tensor_scalar_int32(2), false), SLI_DATA_LOSS);
  sli_rendezvous_release(rendezvous);
}

SLI_TEST(test_end_of_the_rendezvous_tells_receivers) {
  sli_rendezvous_t *rendezvous = sli_local_rendezvous_create();
  received_t waiting = {0};
  sli_rendezvous_recv(rendezvous, sli_view("a"), on_received, &waiting);
  SLI_EXPECT_OK(sli_rendezvous_send(rendezvous, sli_view("b"), sli_tensor_scalar_int32(2), false));
  sli_rendezvous_release(rendezvous);
  SLI_EXPECT_INT(waiting.calls, 1);
  SLI_EXPECT_INT(waiting.code, SLI_ABORTED);
}

enum { EXCHANGES = 2000 };

typedef struct {
  sli_rendezvous_t *rendezvous;
  received_t received[EXCHANGES];
  int ok;
} side_t;

static void *send_all(void *argument) {
  side_t *side = argument;
  for (int i = 0; i < EXCHANGES; i++) {
    char key[16];
    snprintf(key, sizeof(key), "key%d", i);
    sli_status_t *status = sli_rendezvous_send(side->rendezvous, sli_view(key), sli_tensor_scalar_int32(i), false);
    side->ok += !status;
    sli_status_release(status);
  }
  return NULL;
}

static void *receive_all(void *argument) {
  side_t *side = argument;
  for (int i = 0; i < EXCHANGES; i++) {
    char key[16];
    snprintf(key, sizeof(key), "key%d", i);
    sli_rendezvous_recv(side->rendezvous, sli_view(key), on_received, &side->received[i]);
  }
  return NULL;
}

SLI_TEST(test_both_sides_at_once_with_and_without_abort) {
  for (int round = 0; round < 4; round++) {
    side_t *side = calloc(1, sizeof(*side));
    side->rendezvous = sli_local_rendezvous_create();
    pthread_t sender, receiver;
    pthread_create(&sender, NULL, send_all, side);
    pthread_create(&receiver, NULL, receive_all, side);
    if (round % 2) sli_rendezvous_abort(side->rendezvous, sli_status_make(SLI_ABORTED, "stop"));
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    for (int i = 0; i < EXCHANGES; i++) {
      SLI_EXPECT_INT(side->received[i].calls, 1);
      if (round % 2 == 0) SLI_EXPECT_INT(side->received[i].value, i);
    }
    if (round % 2 == 0) SLI_EXPECT_INT(side->ok, EXCHANGES);
    sli_rendezvous_release(side->rendezvous);
    free(side);
  }
}

SLI_TEST_MAIN(test_value_waits_for_its_receiver_and_is_handed_out_once, test_values_of_one_key_keep_their_order,
              test_abort_ends_what_waits_and_what_comes, test_end_of_the_rendezvous_tells_receivers,
              test_both_sides_at_once_with_and_without_abort)
