// Client and server over a real loopback socket.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/test.h"
#include "rpc/channel.h"
#include "rpc/cork.h"
#include "rpc/server.h"

#define MILLIS INT64_C(1000000)
#define PATIENCE (30000 * MILLIS)

// A server that echoes, fails, never replies or describes the request, depending on the method.
typedef struct {
  sli_rpc_loop_t *loop;
  sli_rpc_server_t *server;
  sli_rpc_service_t service;
  char target[64];
  atomic_int handled, cancelled, placed;
} peer_t;

static void echo(sli_rpc_request_t *request) {
  sli_slices_t reply = {0};
  sli_rpc_message_t *message = sli_rpc_request_message(request);
  sli_slices_append(&reply, message->data, message->size, message->release, message->context);
  *message = (sli_rpc_message_t){0};
  sli_rpc_request_respond(request, NULL, &reply);
}

static void describe(sli_rpc_request_t *request) {
  const char *metadata = sli_rpc_request_metadata(request, "sluice-peer");
  int64_t left = sli_rpc_request_deadline(request) - sli_clock_now_nanos();
  sli_string_t text = {0};
  sli_string_append_format(&text, "peer=%s metadata=%s other=%s deadline=%s", sli_rpc_request_peer(request),
                           metadata ? metadata : "none", sli_rpc_request_metadata(request, "sluice") ? "yes" : "none",
                           sli_rpc_request_deadline(request) == SLI_CLOCK_NO_DEADLINE ? "none"
                           : left > 1000 * MILLIS && left <= PATIENCE                 ? "right"
                                                                                      : "wrong");
  sli_slices_t reply = {0};
  sli_slices_append_string(&reply, &text);
  sli_rpc_request_respond(request, NULL, &reply);
}

typedef struct {
  peer_t *peer;
  sli_rpc_request_t *request;
} hanging_t;

static void end_hanging(void *context) {
  hanging_t *hanging = context;
  atomic_fetch_add(&hanging->peer->cancelled, 1);
  sli_rpc_request_respond(hanging->request, sli_status_make_text(SLI_CANCELLED, "gone"), NULL);
  free(hanging);
}

static void *respond_later(void *argument) {
  usleep(20000);
  echo(argument);
  return NULL;
}

static void handle(void *context, sli_rpc_request_t *request) {
  peer_t *peer = context;
  const char *method = sli_rpc_request_method(request);
  atomic_fetch_add(&peer->handled, 1);
  if (!strcmp(method, "/t.T/Echo") || !strcmp(method, "/t.T/Place")) {
    echo(request);
  } else if (!strcmp(method, "/t.T/Describe")) {
    describe(request);
  } else if (!strcmp(method, "/t.T/Fail")) {
    sli_rpc_request_respond(request, sli_status_make_text(SLI_FAILED_PRECONDITION, "größer: 100%\n\t [[{{node n}}]]"),
                            NULL);
  } else if (!strcmp(method, "/t.T/FailLong")) {
    char *text = malloc(100001);
    memset(text, 'x', 100000);
    text[100000] = '\0';
    sli_rpc_request_respond(request, sli_status_make_text(SLI_ABORTED, text), NULL);
    free(text);
  } else if (!strcmp(method, "/t.T/Hang")) {
    hanging_t *hanging = malloc(sizeof(*hanging));
    *hanging = (hanging_t){peer, request};
    sli_rpc_request_on_cancel(request, end_hanging, hanging);
  } else if (!strcmp(method, "/t.T/Later")) {
    pthread_t thread;
    pthread_create(&thread, NULL, respond_later, request);
    pthread_detach(thread);
  } else {
    sli_rpc_request_respond(request, sli_status_make(SLI_UNIMPLEMENTED, "unknown method %s", method), NULL);
  }
}

static void free_placed(void *context) { free(context); }

static char *place_request(void *context, sli_rpc_request_t *request, const char *head, size_t head_size,
                           size_t message_size, sli_rpc_message_t *out_message) {
  peer_t *peer = context;
  if (strcmp(sli_rpc_request_method(request), "/t.T/Place") != 0) return NULL;
  atomic_fetch_add(&peer->placed, 1);
  char *memory = malloc(message_size);
  *out_message = (sli_rpc_message_t){memory, message_size, free_placed, memory};
  return memory;
}

static void peer_start_on(peer_t *peer, sli_rpc_loop_t *loop, int port, const sli_rpc_server_options_t *options) {
  memset(peer, 0, sizeof(*peer));
  peer->loop = loop;
  peer->service = (sli_rpc_service_t){peer, handle, place_request};
  SLI_EXPECT_OK(sli_rpc_server_create(peer->loop, "127.0.0.1", port, &peer->service, options, &peer->server));
  if (peer->server) snprintf(peer->target, sizeof(peer->target), "127.0.0.1:%d", sli_rpc_server_port(peer->server));
}

static sli_rpc_loop_t *loop_start(void) {
  sli_rpc_loop_t *loop;
  SLI_EXPECT_OK(sli_rpc_loop_create(NULL, &loop));
  SLI_EXPECT_OK(sli_rpc_loop_start(loop));
  return loop;
}

static void peer_start(peer_t *peer) { peer_start_on(peer, loop_start(), 0, NULL); }

static void peer_stop(peer_t *peer) {
  sli_rpc_server_destroy(peer->server);
  sli_rpc_loop_destroy(peer->loop);
}

static sli_rpc_channel_t *channel_to(sli_rpc_loop_t *loop, const char *target) {
  sli_rpc_channel_t *channel;
  SLI_EXPECT_OK(sli_rpc_channel_create(loop, target, NULL, &channel));
  return channel;
}

static sli_slices_t slices_of(const void *data, size_t size) {
  sli_slices_t slices = {0};
  sli_slices_append(&slices, data, size, NULL, NULL);
  return slices;
}

static sli_status_t *call(sli_rpc_channel_t *channel, const sli_rpc_call_options_t *options, const char *text,
                          sli_rpc_message_t *out_reply) {
  sli_slices_t request = slices_of(text, strlen(text));
  return sli_rpc_call_and_wait(channel, options, &request, out_reply);
}

static char *pattern(size_t size) {
  char *data = malloc(size + 1);
  uint32_t value = 1;
  for (size_t i = 0; i < size; i++) data[i] = (char)((value = value * 1664525 + 1013904223) >> 24);
  return data;
}

static void expect_echo(sli_rpc_channel_t *channel, const char *method, const char *data, size_t size) {
  sli_slices_t request = slices_of(data, size);
  sli_rpc_message_t reply;
  SLI_EXPECT_OK(sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = method}, &request, &reply));
  SLI_EXPECT_INT(reply.size, size);
  SLI_EXPECT(reply.size == size && (size == 0 || memcmp(reply.data, data, size) == 0));
  SLI_EXPECT_INT(request.count, 0);
  sli_rpc_message_release(&reply);
}

SLI_TEST(test_echo_of_every_size_arrives_unchanged) {
  static const size_t sizes[] = {0, 1, 5, 255, 256, 300, 16384, 70000, 1 << 20, (1 << 20) + 1, 20 << 20, 0, 3};
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  char *data = pattern(20 << 20);
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) expect_echo(channel, "/t.T/Echo", data, sizes[i]);
  SLI_EXPECT_INT(sli_rpc_channel_state(channel), SLI_RPC_CHANNEL_READY);
  free(data);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_client_and_server_share_a_loop_without_a_thread) {
  sli_rpc_loop_t *loop;
  SLI_REQUIRE_OK(sli_rpc_loop_create(NULL, &loop));
  peer_t peer;
  peer_start_on(&peer, loop, 0, NULL);
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  char *data = pattern(3 << 20);
  expect_echo(channel, "/t.T/Echo", data, 300);
  expect_echo(channel, "/t.T/Echo", data, 3 << 20);
  expect_echo(channel, "/t.T/Later", data, 10);
  free(data);
  sli_rpc_channel_destroy(channel);
  peer_stop(&peer);
}

SLI_TEST(test_statuses_and_texts_of_the_server_arrive) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  sli_rpc_message_t reply;
  sli_status_t *status = call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Fail"}, "x", &reply);
  SLI_EXPECT_INT(sli_status_code(status), SLI_FAILED_PRECONDITION);
  SLI_EXPECT_TEXT(sli_status_message(status), "größer: 100%\n\t [[{{node n}}]]");
  SLI_EXPECT(!reply.data);
  sli_status_release(status);
  status = call(channel, &(sli_rpc_call_options_t){.method = "/t.T/FailLong"}, "x", &reply);
  SLI_EXPECT_INT(sli_status_code(status), SLI_ABORTED);
  SLI_EXPECT(strlen(sli_status_message(status)) > 8000);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "xxx...");
  sli_status_release(status);
  SLI_EXPECT_STATUS(call(channel, &(sli_rpc_call_options_t){.method = "/t.T/None"}, "x", &reply), SLI_UNIMPLEMENTED);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_metadata_deadline_and_peer_reach_the_handler) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  static const sli_rpc_header_t metadata[] = {{"a-first", ""}, {"sluice-peer", "1"}, {"z", "last"}};
  sli_rpc_call_options_t options = {.method = "/t.T/Describe",
                                    .metadata = metadata,
                                    .metadata_count = 3,
                                    .deadline = sli_clock_now_nanos() + PATIENCE};
  sli_rpc_message_t reply;
  SLI_REQUIRE_OK(call(channel, &options, "x", &reply));
  char *text = sli_strndup(reply.data, reply.size);
  SLI_EXPECT_CONTAINS(text, "peer=unix:pid ");
  SLI_EXPECT_CONTAINS(text, " metadata=1 other=none deadline=right");
  free(text);
  sli_rpc_message_release(&reply);
  SLI_REQUIRE_OK(call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Describe"}, "x", &reply));
  text = sli_strndup(reply.data, reply.size);
  SLI_EXPECT_CONTAINS(text, " metadata=none other=none deadline=none");
  free(text);
  sli_rpc_message_release(&reply);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

// Many calls at once.

typedef struct {
  sli_rpc_loop_t *loop;
  atomic_int left, wrong;
  sli_event_t finished;
} crowd_t;

static void crowd_initialize(crowd_t *crowd, sli_rpc_loop_t *loop, int count) {
  crowd->loop = loop;
  atomic_init(&crowd->left, count);
  atomic_init(&crowd->wrong, 0);
  sli_event_initialize(&crowd->finished);
}

static void on_crowd_reply(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  crowd_t *crowd = context;
  if (status || reply->size != 4) atomic_fetch_add(&crowd->wrong, 1);
  sli_status_release(status);
  if (atomic_fetch_sub(&crowd->left, 1) == 1) sli_rpc_loop_set(crowd->loop, &crowd->finished);
}

static void start_crowd(sli_rpc_channel_t *channel, crowd_t *crowd, const char *method, int count) {
  sli_rpc_cork_begin();
  for (int i = 0; i < count; i++) {
    sli_slices_t request = slices_of("four", 4);
    sli_rpc_call_release(
        sli_rpc_call_start(channel, &(sli_rpc_call_options_t){.method = method}, &request, on_crowd_reply, crowd));
  }
  sli_rpc_cork_end();
}

static void expect_crowd_done(crowd_t *crowd) {
  SLI_EXPECT(sli_rpc_loop_wait(crowd->loop, &crowd->finished, sli_clock_now_nanos() + PATIENCE));
  SLI_EXPECT_INT(atomic_load(&crowd->wrong), 0);
  sli_event_deinitialize(&crowd->finished);
}

SLI_TEST(test_a_thousand_concurrent_calls_all_return) {
  // With a server that accepts all streams at once, and with one that accepts few.
  for (int round = 0; round < 2; round++) {
    peer_t peer;
    peer_start_on(&peer, loop_start(), 0, &(sli_rpc_server_options_t){.max_concurrent_streams = round ? 7 : 0});
    sli_rpc_loop_t *loop = loop_start();
    sli_rpc_channel_t *channel = channel_to(loop, peer.target);
    crowd_t crowd;
    crowd_initialize(&crowd, loop, 1000);
    start_crowd(channel, &crowd, "/t.T/Echo", 1000);
    expect_crowd_done(&crowd);
    SLI_EXPECT_INT(atomic_load(&peer.handled), 1000);
    sli_rpc_channel_destroy(channel);
    sli_rpc_loop_destroy(loop);
    peer_stop(&peer);
  }
}

typedef struct {
  sli_rpc_channel_t *channel;
  int calls;
} caller_t;

static void *call_often(void *argument) {
  caller_t *caller = argument;
  char *data = pattern(100000);
  for (int i = 0; i < caller->calls; i++) expect_echo(caller->channel, "/t.T/Echo", data, i % 10 == 9 ? 100000 : 20);
  free(data);
  return NULL;
}

SLI_TEST(test_threads_share_a_channel_and_take_turns_polling) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  caller_t caller = {channel, 200};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, call_often, &caller);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  SLI_EXPECT_INT(atomic_load(&peer.handled), 600);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_connections_roll_over_before_stream_ids_end) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel;
  sli_rpc_channel_options_t options = {.max_streams_per_connection = 10};
  SLI_REQUIRE_OK(sli_rpc_channel_create(loop, peer.target, &options, &channel));
  crowd_t crowd;
  crowd_initialize(&crowd, loop, 95);
  start_crowd(channel, &crowd, "/t.T/Echo", 95);
  expect_crowd_done(&crowd);
  for (int i = 0; i < 30; i++) expect_echo(channel, "/t.T/Echo", "four", 4);
  SLI_EXPECT_INT(atomic_load(&peer.handled), 125);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

// Ends that are not replies.

typedef struct {
  sli_rpc_loop_t *loop;
  sli_event_t finished;
  sli_status_t *status;
  atomic_int calls;
} outcome_t;

static void outcome_initialize(outcome_t *outcome, sli_rpc_loop_t *loop) {
  memset(outcome, 0, sizeof(*outcome));
  outcome->loop = loop;
  sli_event_initialize(&outcome->finished);
}

static void on_outcome(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  outcome_t *outcome = context;
  SLI_EXPECT(sli_rpc_loop_is_polling(outcome->loop));
  outcome->status = status;
  atomic_fetch_add(&outcome->calls, 1);
  sli_event_set(&outcome->finished);
}

static sli_rpc_call_t *start_call(sli_rpc_channel_t *channel, const char *method, outcome_t *outcome) {
  sli_slices_t request = slices_of("four", 4);
  return sli_rpc_call_start(channel, &(sli_rpc_call_options_t){.method = method}, &request, on_outcome, outcome);
}

static void expect_outcome(outcome_t *outcome, sli_code_t code, const char *text) {
  SLI_EXPECT(sli_rpc_loop_wait(outcome->loop, &outcome->finished, sli_clock_now_nanos() + PATIENCE));
  SLI_EXPECT_INT(sli_status_code(outcome->status), code);
  SLI_EXPECT_CONTAINS(sli_status_message(outcome->status), text);
  SLI_EXPECT_INT(atomic_load(&outcome->calls), 1);
  sli_status_release(outcome->status);
  sli_event_deinitialize(&outcome->finished);
}

static void expect_count(atomic_int *count, int wanted) {
  int64_t deadline = sli_clock_now_nanos() + PATIENCE;
  while (atomic_load(count) != wanted && sli_clock_now_nanos() < deadline) usleep(10000);
  SLI_EXPECT_INT(atomic_load(count), wanted);
}

SLI_TEST(test_calls_of_a_turn_leave_at_its_flush_or_end) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  expect_echo(channel, "/t.T/Echo", "four", 4);  // connects
  crowd_t first, second;
  crowd_initialize(&first, loop, 2);
  crowd_initialize(&second, loop, 2);
  int before = atomic_load(&peer.handled);
  sli_rpc_cork_begin();
  start_crowd(channel, &first, "/t.T/Echo", 2);  // corks once more inside
  usleep(20000);
  SLI_EXPECT_INT(atomic_load(&peer.handled), before);
  sli_rpc_cork_flush();
  expect_crowd_done(&first);  // their replies would flush what is held back
  usleep(20000);
  start_crowd(channel, &second, "/t.T/Echo", 2);
  usleep(20000);
  SLI_EXPECT_INT(atomic_load(&peer.handled), before + 2);
  sli_rpc_cork_end();
  expect_crowd_done(&second);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_cancel_ends_the_call_and_tells_the_handler) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  outcome_t outcome;
  outcome_initialize(&outcome, loop);
  sli_rpc_call_t *hanging = start_call(channel, "/t.T/Hang", &outcome);
  expect_count(&peer.handled, 1);
  sli_rpc_call_cancel(hanging);
  sli_rpc_call_cancel(hanging);
  expect_outcome(&outcome, SLI_CANCELLED, "CANCELLED");
  sli_rpc_call_cancel(hanging);
  sli_rpc_call_release(hanging);
  expect_count(&peer.cancelled, 1);
  // Before it was even sent.
  outcome_initialize(&outcome, loop);
  sli_rpc_cork_begin();
  hanging = start_call(channel, "/t.T/Hang", &outcome);
  sli_rpc_call_cancel(hanging);
  sli_rpc_cork_end();
  expect_outcome(&outcome, SLI_CANCELLED, "CANCELLED");
  sli_rpc_call_release(hanging);
  expect_echo(channel, "/t.T/Echo", "four", 4);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_a_burst_of_cancels_leaves_the_connection_usable) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  enum { COUNT = 3000 };
  sli_rpc_call_t **calls = calloc(COUNT, sizeof(*calls));
  crowd_t crowd;
  crowd_initialize(&crowd, loop, COUNT);
  for (int i = 0; i < COUNT; i++) {
    sli_slices_t request = slices_of("four", 4);
    calls[i] =
        sli_rpc_call_start(channel, &(sli_rpc_call_options_t){.method = "/t.T/Hang"}, &request, on_crowd_reply, &crowd);
  }
  expect_count(&peer.handled, COUNT);
  for (int i = 0; i < COUNT; i++) {
    sli_rpc_call_cancel(calls[i]);
    sli_rpc_call_release(calls[i]);
  }
  SLI_EXPECT(sli_rpc_loop_wait(loop, &crowd.finished, sli_clock_now_nanos() + PATIENCE));
  SLI_EXPECT_INT(atomic_load(&crowd.wrong), COUNT);
  sli_event_deinitialize(&crowd.finished);
  expect_count(&peer.cancelled, COUNT);
  expect_echo(channel, "/t.T/Echo", "four", 4);
  free(calls);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_deadline_ends_the_call_on_both_sides) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  sli_rpc_message_t reply;
  // If the deadline passes before the call arrives, the server cannot end it: retry with more time.
  for (int64_t time = 60 * MILLIS; time < PATIENCE && atomic_load(&peer.handled) == 0; time *= 4) {
    int64_t begin = sli_clock_now_nanos();
    sli_status_t *status =
        call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Hang", .deadline = begin + time}, "x", &reply);
    SLI_EXPECT_INT(sli_status_code(status), SLI_DEADLINE_EXCEEDED);
    SLI_EXPECT_CONTAINS(sli_status_message(status), "Deadline Exceeded: /t.T/Hang");
    sli_status_release(status);
    SLI_EXPECT(sli_clock_now_nanos() - begin >= time);
  }
  SLI_EXPECT(atomic_load(&peer.handled) > 0);
  expect_count(&peer.cancelled, atomic_load(&peer.handled));
  SLI_EXPECT_STATUS(call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo", .deadline = 1}, "x", &reply),
                    SLI_DEADLINE_EXCEEDED);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_destroyed_server_makes_calls_unavailable_and_its_successor_is_found) {
  peer_t peer;
  int port = sli_test_free_port();
  peer_start_on(&peer, loop_start(), port, NULL);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  outcome_t outcome;
  outcome_initialize(&outcome, loop);
  sli_rpc_call_t *hanging = start_call(channel, "/t.T/Hang", &outcome);
  expect_count(&peer.handled, 1);
  sli_rpc_server_destroy(peer.server);
  SLI_EXPECT_INT(atomic_load(&peer.cancelled), 1);
  expect_outcome(&outcome, SLI_UNAVAILABLE, peer.target);
  sli_rpc_call_release(hanging);
  sli_rpc_message_t reply;
  sli_status_t *status = call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, "x", &reply);
  SLI_EXPECT_INT(sli_status_code(status), SLI_UNAVAILABLE);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "failed to connect to 127.0.0.1:");
  sli_status_release(status);
  peer_t successor;
  peer_start_on(&successor, peer.loop, port, NULL);
  SLI_REQUIRE(successor.server != NULL);
  SLI_EXPECT_OK(call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo", .wait_for_ready = true}, "x", &reply));
  sli_rpc_message_release(&reply);
  SLI_EXPECT(sli_rpc_channel_describe_failure(channel) == NULL);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&successor);
}

SLI_TEST(test_closed_port_fails_fast_and_names_the_peer) {
  sli_rpc_loop_t *loop = loop_start();
  char target[64];
  snprintf(target, sizeof(target), "localhost:%d", sli_test_free_port());
  sli_rpc_channel_t *channel = channel_to(loop, target);
  sli_rpc_message_t reply;
  for (int i = 0; i < 2; i++) {  // the second while the channel backs off
    sli_status_t *status = call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, "x", &reply);
    SLI_EXPECT_INT(sli_status_code(status), SLI_UNAVAILABLE);
    SLI_EXPECT_CONTAINS(sli_status_message(status), target);
    SLI_EXPECT_CONTAINS(sli_status_message(status), "Connection refused");
    sli_status_release(status);
  }
  char *failure = sli_rpc_channel_describe_failure(channel);
  SLI_EXPECT_CONTAINS(failure, "Connection refused");
  free(failure);
  sli_status_t *status =
      call(channel,
           &(sli_rpc_call_options_t){
               .method = "/t.T/Echo", .wait_for_ready = true, .deadline = sli_clock_now_nanos() + 300 * MILLIS},
           "x", &reply);
  SLI_EXPECT_INT(sli_status_code(status), SLI_DEADLINE_EXCEEDED);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "Connection refused");
  sli_status_release(status);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
}

SLI_TEST(test_unknown_host_is_said_to_be_unknown) {
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, "no-such-host.invalid:2222");
  sli_rpc_message_t reply;
  sli_status_t *status = call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, "x", &reply);
  SLI_EXPECT_INT(sli_status_code(status), SLI_UNAVAILABLE);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "failed to connect to no-such-host.invalid:2222: DNS");
  sli_status_release(status);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
}

static void *start_peer_later(void *argument) {
  peer_t *peer = argument;
  usleep(300000);
  peer_start_on(peer, loop_start(), atoi(strchr(peer->target, ':') + 1), NULL);
  return NULL;
}

SLI_TEST(test_wait_for_ready_outlasts_a_late_server) {
  sli_rpc_loop_t *loop = loop_start();
  peer_t peer;
  snprintf(peer.target, sizeof(peer.target), "127.0.0.1:%d", sli_test_free_port());
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  pthread_t thread;
  pthread_create(&thread, NULL, start_peer_later, &peer);
  sli_rpc_message_t reply;
  sli_rpc_call_options_t options = {
      .method = "/t.T/Echo", .wait_for_ready = true, .deadline = sli_clock_now_nanos() + PATIENCE};
  SLI_EXPECT_OK(call(channel, &options, "four", &reply));
  SLI_EXPECT_INT(reply.size, 4);
  sli_rpc_message_release(&reply);
  pthread_join(thread, NULL);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_destroyed_channel_ends_its_calls_first) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  outcome_t outcomes[3];
  sli_rpc_call_t *calls[3];
  for (int i = 0; i < 3; i++) {
    outcome_initialize(&outcomes[i], loop);
    calls[i] = start_call(channel, "/t.T/Hang", &outcomes[i]);
  }
  sli_rpc_channel_destroy(channel);
  for (int i = 0; i < 3; i++) {
    SLI_EXPECT_INT(atomic_load(&outcomes[i].calls), 1);
    expect_outcome(&outcomes[i], SLI_CANCELLED, "was closed");
    sli_rpc_call_cancel(calls[i]);
    sli_rpc_call_release(calls[i]);
  }
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_stopped_server_answers_what_it_has_and_drains) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  crowd_t crowd;
  crowd_initialize(&crowd, loop, 5);
  start_crowd(channel, &crowd, "/t.T/Later", 5);
  expect_count(&peer.handled, 5);
  sli_rpc_server_stop(peer.server);
  SLI_EXPECT(sli_rpc_server_drain(peer.server, sli_clock_now_nanos() + PATIENCE));
  expect_crowd_done(&crowd);
  sli_rpc_message_t reply;
  SLI_EXPECT_STATUS(call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, "x", &reply), SLI_UNAVAILABLE);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

typedef struct {
  sli_rpc_channel_t *channel;
  atomic_bool stop;
  int calls, failures;
} steady_t;

static void *call_steadily(void *argument) {
  steady_t *steady = argument;
  while (!atomic_load(&steady->stop)) {
    sli_rpc_message_t reply;
    sli_status_t *status =
        call(steady->channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo", .wait_for_ready = true}, "x", &reply);
    if (status) fprintf(stderr, "steady call failed: %s\n", sli_status_message(status));
    steady->calls++;
    steady->failures += status != NULL;
    sli_status_release(status);
    sli_rpc_message_release(&reply);
  }
  return NULL;
}

SLI_TEST(test_no_call_is_lost_when_a_server_hands_its_port_over) {
  peer_t peers[4];
  int port = sli_test_free_port();
  peer_start_on(&peers[0], loop_start(), port, NULL);
  sli_rpc_loop_t *loop = loop_start();
  steady_t steady = {.channel = channel_to(loop, peers[0].target)};
  pthread_t thread;
  pthread_create(&thread, NULL, call_steadily, &steady);
  for (int i = 0; i + 1 < 4; i++) {
    int64_t deadline = sli_clock_now_nanos() + PATIENCE;
    while (atomic_load(&peers[i].handled) < 5 && sli_clock_now_nanos() < deadline) usleep(10000);
    SLI_EXPECT(atomic_load(&peers[i].handled) >= 5);
    sli_rpc_server_stop(peers[i].server);
    peer_start_on(&peers[i + 1], loop_start(), port, NULL);
    SLI_EXPECT(sli_rpc_server_drain(peers[i].server, sli_clock_now_nanos() + PATIENCE));
    peer_stop(&peers[i]);
  }
  atomic_store(&steady.stop, true);
  pthread_join(thread, NULL);
  SLI_EXPECT_INT(steady.failures, 0);
  sli_rpc_channel_destroy(steady.channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peers[3]);
}

SLI_TEST(test_health_is_answered_without_the_handler) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel = channel_to(loop, peer.target);
  sli_rpc_message_t reply;
  SLI_REQUIRE_OK(call(channel, &(sli_rpc_call_options_t){.method = "/grpc.health.v1.Health/Check"}, "", &reply));
  SLI_EXPECT(reply.size == 2 && memcmp(reply.data, "\x08\x01", 2) == 0);
  SLI_EXPECT_INT(atomic_load(&peer.handled), 0);
  sli_rpc_message_release(&reply);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_port_in_use_is_said_with_its_number) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_server_t *second;
  char wanted[160];
  snprintf(wanted, sizeof(wanted), "cannot listen on %s: address already in use (another process is listening)",
           peer.target);
  sli_status_t *status =
      sli_rpc_server_create(peer.loop, "127.0.0.1", sli_rpc_server_port(peer.server), &peer.service, NULL, &second);
  SLI_EXPECT_INT(sli_status_code(status), SLI_FAILED_PRECONDITION);
  SLI_EXPECT_TEXT(sli_status_message(status), wanted);
  sli_status_release(status);
  SLI_EXPECT_STATUS(
      sli_rpc_server_create(peer.loop, NULL, sli_rpc_server_port(peer.server), &peer.service, NULL, &second),
      SLI_FAILED_PRECONDITION);
  SLI_EXPECT_STATUS(sli_rpc_server_create(peer.loop, "nowhere.invalid", 0, &peer.service, NULL, &second),
                    SLI_INVALID_ARGUMENT);
  SLI_EXPECT_STATUS(sli_rpc_server_create(peer.loop, NULL, 70000, &peer.service, NULL, &second), SLI_INVALID_ARGUMENT);
  peer_stop(&peer);
}

SLI_TEST(test_server_on_all_addresses_is_reached_by_both_families) {
  peer_t peer;
  peer_start(&peer);
  sli_rpc_server_t *server;
  SLI_REQUIRE_OK(sli_rpc_server_create(peer.loop, NULL, 0, &peer.service, NULL, &server));
  sli_rpc_loop_t *loop = loop_start();
  int six = socket(AF_INET6, SOCK_STREAM, 0);
  struct sockaddr_in6 loopback = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
  bool has_six = six >= 0 && bind(six, (struct sockaddr *)&loopback, sizeof(loopback)) == 0;
  if (six >= 0) close(six);
  static const char *const hosts[] = {"127.0.0.1", "localhost", "[::1]"};
  for (int i = 0; i < (has_six ? 3 : 2); i++) {
    char target[64];
    snprintf(target, sizeof(target), "%s:%d", hosts[i], sli_rpc_server_port(server));
    sli_rpc_channel_t *channel = channel_to(loop, target);
    expect_echo(channel, "/t.T/Echo", "four", 4);
    sli_rpc_channel_destroy(channel);
  }
  sli_rpc_server_destroy(server);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

// Placing.

typedef struct {
  char *memory;
  int calls, releases;
  size_t head_size;
  char first;
} placement_t;

static void note_release(void *context) { ((placement_t *)context)->releases++; }

static char *place_reply(void *context, const char *head, size_t head_size, size_t message_size,
                         sli_rpc_message_t *out_message) {
  placement_t *placement = context;
  placement->calls++;
  placement->head_size = head_size;
  placement->first = head[0];
  *out_message = (sli_rpc_message_t){placement->memory, message_size, note_release, placement};
  return placement->memory;
}

SLI_TEST(test_placed_messages_land_where_the_hooks_say) {
  static const size_t sizes[] = {1, 200, 256, 5000, 8 << 20};
  peer_t peer;
  peer_start(&peer);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel;
  SLI_REQUIRE_OK(sli_rpc_channel_create(loop, peer.target, &(sli_rpc_channel_options_t){.tcp_only = true}, &channel));
  char *data = pattern(8 << 20), *memory = malloc(8 << 20);
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    placement_t placement = {.memory = memory};
    sli_rpc_call_options_t options = {.method = "/t.T/Place", .place = place_reply, .place_context = &placement};
    sli_slices_t request = slices_of(data, sizes[i]);
    sli_rpc_message_t reply;
    SLI_REQUIRE_OK(sli_rpc_call_and_wait(channel, &options, &request, &reply));
    SLI_EXPECT(reply.data == memory);
    SLI_EXPECT(reply.size == sizes[i] && memcmp(memory, data, sizes[i]) == 0);
    SLI_EXPECT_INT(placement.calls, 1);
    SLI_EXPECT_INT(placement.head_size, sizes[i] < 256 ? sizes[i] : 256);
    SLI_EXPECT_INT(placement.first, data[0]);
    SLI_EXPECT_INT(placement.releases, 0);
    sli_rpc_message_release(&reply);
    SLI_EXPECT_INT(placement.releases, 1);
    SLI_EXPECT_INT(atomic_load(&peer.placed), (int)i + 1);
  }
  expect_echo(channel, "/t.T/Place", data, 0);
  SLI_EXPECT_INT(atomic_load(&peer.placed), (int)(sizeof(sizes) / sizeof(sizes[0])));
  free(data);
  free(memory);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

SLI_TEST(test_limits_refuse_messages_and_hold_back_floods) {
  peer_t peer;
  sli_rpc_server_options_t limits = {.max_message_size = 4 << 20, .max_buffered_size = 5 << 20};
  peer_start_on(&peer, loop_start(), 0, &limits);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel;
  SLI_REQUIRE_OK(
      sli_rpc_channel_create(loop, peer.target, &(sli_rpc_channel_options_t){.max_message_size = 3 << 20}, &channel));
  char *data = pattern(5 << 20);
  sli_rpc_message_t reply;
  sli_slices_t request = slices_of(data, 5 << 20);
  sli_status_t *status =
      sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, &request, &reply);
  SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "Received message larger than max (5242880 vs. 4194304)");
  sli_status_release(status);
  request = slices_of(data, (3 << 20) + 1);
  SLI_EXPECT_STATUS(sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, &request, &reply),
                    SLI_RESOURCE_EXHAUSTED);
  // 12 MB of requests at once through a server that holds 5.
  crowd_t crowd;
  crowd_initialize(&crowd, loop, 6);
  for (int i = 0; i < 6; i++) {
    request = slices_of(data, 2 << 20);
    sli_rpc_call_release(sli_rpc_call_start(channel, &(sli_rpc_call_options_t){.method = "/t.T/Later"}, &request,
                                            on_crowd_reply, &crowd));
  }
  SLI_EXPECT(sli_rpc_loop_wait(loop, &crowd.finished, sli_clock_now_nanos() + PATIENCE));
  sli_event_deinitialize(&crowd.finished);
  SLI_EXPECT_INT(atomic_load(&peer.handled), 1 + 6);
  expect_echo(channel, "/t.T/Echo", "four", 4);
  free(data);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

// Memory that grows with the bytes received, of messages placed by the service or by rpc.
SLI_TEST(test_messages_over_the_budget_arrive_unchanged) {
  peer_t peer;
  sli_rpc_server_options_t limits[] = {{.max_promised_size = 1}, {.max_server_promised_size = 1}};
  static const size_t sizes[] = {1000, 70000, 2 << 20, 9000001};
  for (int i = 0; i < 2; i++) {
    peer_start_on(&peer, loop_start(), 0, &limits[i]);
    sli_rpc_loop_t *loop = loop_start();
    sli_rpc_channel_t *channel;
    SLI_REQUIRE_OK(
        sli_rpc_channel_create(loop, peer.target, &(sli_rpc_channel_options_t){.tcp_only = i == 0}, &channel));
    for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
      char *data = pattern(sizes[j]);
      expect_echo(channel, "/t.T/Echo", data, sizes[j]);
      if (sizes[j] > 4 << 20) expect_echo(channel, "/t.T/Place", data, sizes[j]);
      free(data);
    }
    SLI_EXPECT_INT(atomic_load(&peer.placed), 0);  // that would take all of its memory at once
    sli_rpc_channel_destroy(channel);
    sli_rpc_loop_destroy(loop);
    peer_stop(&peer);
  }
}

SLI_TEST(test_server_bounds_the_bytes_of_all_requests) {
  peer_t peer;
  sli_rpc_server_options_t limits = {.max_server_buffered_size = 1 << 20};
  peer_start_on(&peer, loop_start(), 0, &limits);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel;
  SLI_REQUIRE_OK(sli_rpc_channel_create(loop, peer.target, NULL, &channel));
  char *data = pattern(2 << 20);
  for (int i = 0; i < 3; i++) {
    sli_slices_t request = slices_of(data, 2 << 20);
    sli_rpc_message_t reply;
    sli_status_t *status =
        sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, &request, &reply);
    SLI_EXPECT_INT(sli_status_code(status), SLI_RESOURCE_EXHAUSTED);
    SLI_EXPECT_CONTAINS(sli_status_message(status), "bytes of unanswered requests, the most is 1048576");
    sli_status_release(status);
    // What the failed and the answered requests held is free again.
    expect_echo(channel, "/t.T/Echo", data, 700 << 10);
    expect_echo(channel, "/t.T/Echo", data, 700 << 10);
  }
  free(data);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
  peer_stop(&peer);
}

// A stopped peer: the kernel still accepts bytes for it.
SLI_TEST(test_stopped_peer_is_noticed_by_probes) {
  int ready[2];
  SLI_REQUIRE(pipe(ready) == 0);
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    peer_t peer;
    peer_start(&peer);
    int port = sli_rpc_server_port(peer.server);
    if (write(ready[1], &port, sizeof(port)) != sizeof(port)) _exit(1);
    for (;;) pause();
  }
  int port = 0;
  SLI_REQUIRE(child > 0 && read(ready[0], &port, sizeof(port)) == sizeof(port));
  char target[64];
  snprintf(target, sizeof(target), "127.0.0.1:%d", port);
  sli_rpc_loop_t *loop = loop_start();
  sli_rpc_channel_t *channel;
  sli_rpc_channel_options_t options = {
      .keepalive_interval_millis = 100, .keepalive_timeout_millis = 2500, .connect_timeout_millis = 2500};
  SLI_REQUIRE_OK(sli_rpc_channel_create(loop, target, &options, &channel));
  outcome_t outcome;
  outcome_initialize(&outcome, loop);
  sli_rpc_call_t *hanging = start_call(channel, "/t.T/Hang", &outcome);
  // A living peer answers the probes.
  SLI_EXPECT(!sli_rpc_loop_wait(loop, &outcome.finished, sli_clock_now_nanos() + 3000 * MILLIS));
  kill(child, SIGSTOP);
  expect_outcome(&outcome, SLI_UNAVAILABLE, "keepalive watchdog timeout");
  sli_rpc_call_release(hanging);
  // And no new connection succeeds.
  sli_rpc_message_t reply;
  sli_status_t *status = call(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, "x", &reply);
  SLI_EXPECT_INT(sli_status_code(status), SLI_UNAVAILABLE);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "no HTTP/2 handshake was received (connection timed out");
  sli_status_release(status);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  close(ready[0]);
  close(ready[1]);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(loop);
}

SLI_TEST_MAIN(test_stopped_peer_is_noticed_by_probes, test_echo_of_every_size_arrives_unchanged,
              test_client_and_server_share_a_loop_without_a_thread, test_statuses_and_texts_of_the_server_arrive,
              test_metadata_deadline_and_peer_reach_the_handler, test_calls_of_a_turn_leave_at_its_flush_or_end,
              test_a_thousand_concurrent_calls_all_return, test_threads_share_a_channel_and_take_turns_polling,
              test_connections_roll_over_before_stream_ids_end, test_cancel_ends_the_call_and_tells_the_handler,
              test_a_burst_of_cancels_leaves_the_connection_usable, test_deadline_ends_the_call_on_both_sides,
              test_destroyed_server_makes_calls_unavailable_and_its_successor_is_found,
              test_closed_port_fails_fast_and_names_the_peer, test_unknown_host_is_said_to_be_unknown,
              test_wait_for_ready_outlasts_a_late_server, test_destroyed_channel_ends_its_calls_first,
              test_stopped_server_answers_what_it_has_and_drains,
              test_no_call_is_lost_when_a_server_hands_its_port_over, test_health_is_answered_without_the_handler,
              test_port_in_use_is_said_with_its_number, test_server_on_all_addresses_is_reached_by_both_families,
              test_placed_messages_land_where_the_hooks_say, test_limits_refuse_messages_and_hold_back_floods,
              test_messages_over_the_budget_arrive_unchanged, test_server_bounds_the_bytes_of_all_requests)
