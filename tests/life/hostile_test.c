// Clients that open streams and do not do their part: they leave requests unfinished, or replies
// unread. The server answers at once, uses
// little memory, and serves others.
#include <arpa/inet.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "proto/control.fields.h"
#include "proto/wire.h"
#include "tests/life/life.h"

enum { MAX_KEPT = 1 << 20 };

// A hand-made HTTP/2 client. All its requests have the same body.
typedef struct {
  int fd;
  nghttp2_session *session;
  const char *body;
  size_t body_size;
  bool ends;        // its requests end after the body
  bool is_settled;  // the server's settings have arrived
  int http_status, grpc_status, answers;
  sli_string_t received;  // the bodies of the replies
} client_t;

static ssize_t send_body(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t size, uint32_t *flags,
                         nghttp2_data_source *source, void *context) {
  const client_t *client = context;
  if (source->ptr && client->ends) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    return 0;
  }
  if (source->ptr || client->body_size == 0) return NGHTTP2_ERR_DEFERRED;  // sent, but not the end
  source->ptr = (void *)client;
  SLI_CHECK(client->body_size <= size);
  memcpy(buffer, client->body, client->body_size);
  if (client->ends) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return (ssize_t)client->body_size;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *context) {
  client_t *client = context;
  char number[16] = "";
  memcpy(number, value, value_size < 15 ? value_size : 15);
  if (name_size == 7 && !memcmp(name, ":status", 7)) client->http_status = atoi(number);
  if (name_size == 11 && !memcmp(name, "grpc-status", 11)) client->grpc_status = atoi(number);
  return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t size,
                   void *context) {
  client_t *client = context;
  if (client->received.size < MAX_KEPT) sli_string_append(&client->received, (const char *)data, size);
  return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  client_t *client = context;
  if (frame->hd.type == NGHTTP2_SETTINGS && !(frame->hd.flags & NGHTTP2_FLAG_ACK)) client->is_settled = true;
  if (frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) client->answers++;
  return 0;
}

static ssize_t send_to_server(nghttp2_session *session, const uint8_t *data, size_t size, int flags, void *context) {
  ssize_t sent = send(((client_t *)context)->fd, data, size, MSG_NOSIGNAL);
  return sent < 0 ? NGHTTP2_ERR_CALLBACK_FAILURE : sent;
}

// Sends what is due, and reads for a moment.
static bool client_turn(client_t *client) {
  if (nghttp2_session_send(client->session) != 0) return false;
  struct pollfd waiting = {.fd = client->fd, .events = POLLIN};
  uint8_t buffer[65536];
  if (poll(&waiting, 1, 100) <= 0) return true;
  ssize_t size = recv(client->fd, buffer, sizeof(buffer), 0);
  return size > 0 && nghttp2_session_mem_recv(client->session, buffer, (size_t)size) == size;
}

static void client_open(client_t *client, int port) {
  *client = (client_t){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .grpc_status = -1};
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  SLI_EXPECT(connect(client->fd, (struct sockaddr *)&address, sizeof(address)) == 0);
  nghttp2_session_callbacks *callbacks;
  SLI_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
  nghttp2_session_callbacks_set_send_callback(callbacks, send_to_server);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
  SLI_CHECK(nghttp2_session_client_new(&client->session, callbacks, client) == 0);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(client->session, NGHTTP2_FLAG_NONE, NULL, 0);
  int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
  while (!client->is_settled && client_turn(client) && sli_clock_now_nanos() < deadline) continue;
  SLI_EXPECT(client->is_settled);
}

static void client_close(client_t *client) {
  nghttp2_session_del(client->session);
  sli_string_deinitialize(&client->received);
  close(client->fd);
}

static nghttp2_nv header(const char *name, const char *value) {
  return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

static void client_request(client_t *client, const char *method) {
  const nghttp2_nv headers[] = {header(":scheme", "http"), header(":method", "POST"),
                                header(":authority", "x"), header(":path", method),
                                header("te", "trailers"),  header("content-type", "application/grpc")};
  const nghttp2_data_provider provider = {.read_callback = send_body};
  SLI_EXPECT(nghttp2_submit_request(client->session, NULL, headers, 6, &provider, NULL) > 0);
}

// Sanitizers multiply what memory is needed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MAX_GROWTH_KB = 1 << 20 };
#else
enum { MAX_GROWTH_KB = 64 << 10 };
#endif

// The most memory that the process had so far.
static long peak_kb(pid_t pid) {
  char path[64], line[256];
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "r");
  long kb = -1;
  while (file && fgets(line, sizeof(line), file)) (void)sscanf(line, "VmHWM: %ld kB", &kb);
  if (file) fclose(file);
  return kb;
}

static void expect_served(const life_cluster_t *cluster) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output six = life_constant(graph, "six", NULL, 6);
  TF_Session *session = life_session(graph, life_target(cluster, 0), NULL, 0);
  TF_Status *status = TF_NewStatus();
  SLI_EXPECT_NEAR(life_run(session, &six, NULL, status), 6, 0);
  LIFE_EXPECT_OK(status);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
}

// Opens a stream for requests of which the first comes, and the end does not.
SLI_TEST(test_a_stream_to_an_unknown_method_is_answered_before_it_ends) {
  static const char *const methods[] = {"/grpc.reflection.v1.ServerReflection/NoSuchMethod",
                                        "/tensorflow.WorkerService/NoSuchMethod",
                                        "/tensorflow.MasterService/NoSuchMethod",
                                        "/sluice.Control/NoSuchMethod",
                                        "/grpc.health.v1.Health/Watch",
                                        "/"};
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  for (size_t i = 0; i < 2 * sizeof(methods) / sizeof(methods[0]); i++) {
    client_t client;
    client_open(&client, cluster.tasks[0].port);
    client.body = "\0\0\0\0\2:\0";
    client.body_size = i % 2 ? 7 : 0;
    client_request(&client, methods[i / 2]);
    int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS / 4);
    while (!client.answers && client_turn(&client) && sli_clock_now_nanos() < deadline) continue;
    SLI_EXPECT_INT(client.answers, 1);
    SLI_EXPECT_INT(client.http_status, 200);
    SLI_EXPECT_INT(client.grpc_status, TF_UNIMPLEMENTED);
    client_close(&client);
    if (!client.answers) break;
  }
  life_stop(&cluster);
}

static int count_in(const sli_string_t *bytes, const char *text) {
  int count = 0;
  for (const char *at = bytes->data, *end = at + bytes->size;
       at && (at = memmem(at, (size_t)(end - at), text, strlen(text))); at++)
    count++;
  return count;
}

// What `grpcurl list` does: it sends requests on a stream, which stays open, and reads the reply to each.
SLI_TEST(test_a_server_lists_its_services) {
  static const char *const methods[] = {"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
                                        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"};
  static const char *const names[] = {"grpc.health.v1.Health",
                                      "grpc.reflection.v1.ServerReflection",
                                      "sluice.Control",
                                      "tensorflow.MasterService",
                                      "tensorflow.WorkerService",
                                      "grpc.reflection.v1alpha.ServerReflection",
                                      "sluice.Store"};
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  for (int i = 0; i < 2; i++) {
    client_t client;
    client_open(&client, cluster.tasks[0].port);
    client.body = "\0\0\0\0\2:\0\0\0\0\0\2:\0";  // two of list_services: ""
    client.body_size = 14;
    client_request(&client, methods[i]);
    int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
    while (count_in(&client.received, "tensorflow.WorkerService") < 2 && client_turn(&client) &&
           sli_clock_now_nanos() < deadline)
      continue;
    for (size_t k = 0; k < SLI_ARRAY_COUNT_OF(names); k++) SLI_EXPECT_INT(count_in(&client.received, names[k]), 2);
    SLI_EXPECT_INT(client.answers, 0);  // the stream goes on
    client.ends = true;
    nghttp2_session_resume_data(client.session, 1);
    while (!client.answers && client_turn(&client) && sli_clock_now_nanos() < deadline) continue;
    SLI_EXPECT_INT(client.answers, 1);
    SLI_EXPECT_INT(client.grpc_status, 0);
    client_close(&client);
  }
  expect_served(&cluster);
  life_stop(&cluster);
}

// A stream of requests for lists whose replies are not read, and one with a request that is too large.
SLI_TEST(test_streams_of_requests_are_bounded) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  sli_string_t body = {0};
  sli_string_append(&body, "\0\0\0\x20\0", 5);  // 8 KiB follow
  client_t client;
  client_open(&client, cluster.tasks[0].port);
  client.body = body.data;
  client.body_size = body.size;
  client_request(&client, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
  while (!client.answers && client_turn(&client) && sli_clock_now_nanos() < deadline) continue;
  SLI_EXPECT_INT(client.grpc_status, TF_RESOURCE_EXHAUSTED);
  client_close(&client);
  sli_string_clear(&body);

  // All requests are sent before the first reply is read, for which there is no room in the stream's window.
  for (int i = 0; i < 2000; i++) sli_string_append(&body, "\0\0\0\0\2:\0", 7);
  client_open(&client, cluster.tasks[0].port);
  client.body = body.data;
  client.body_size = body.size;
  client_request(&client, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  while (!client.answers && client_turn(&client) && sli_clock_now_nanos() < deadline) continue;
  SLI_EXPECT_INT(client.grpc_status, TF_RESOURCE_EXHAUSTED);
  SLI_EXPECT(count_in(&client.received, "sluice.Control") < 2000);
  client_close(&client);
  sli_string_deinitialize(&body);
  expect_served(&cluster);
  life_stop(&cluster);
}

// Many small requests for large replies, which the client reads only later.
SLI_TEST(test_unread_replies_take_little_memory) {
  enum { REQUESTS = 24 };
  static const int64_t sizes[] = {256 << 20, 4 << 20};
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  expect_served(&cluster);
  long before = peak_kb(cluster.tasks[0].pid);
  for (int i = 0; i < 2; i++) {
    sli_string_t body = {0};
    sli_string_append(&body, "\0\0\0\0", 5);
    sli_wire_write_uint(&body, SLI_FIELD_PING_REQUEST_REPLY_BYTES, (uint64_t)sizes[i]);
    body.data[4] = (char)(body.size - 5);
    client_t client;
    client_open(&client, cluster.tasks[0].port);
    client.body = body.data;
    client.body_size = body.size;
    client.ends = true;
    for (int j = 0; j < REQUESTS; j++) client_request(&client, "/sluice.Control/Ping");
    SLI_EXPECT_INT(nghttp2_session_send(client.session), 0);
    expect_served(&cluster);
    int64_t deadline = sli_clock_deadline_after_millis(LIFE_PATIENCE_MILLIS);
    while (client.answers < REQUESTS && client_turn(&client) && sli_clock_now_nanos() < deadline) continue;
    SLI_EXPECT_INT(client.answers, REQUESTS);
    client_close(&client);
    sli_string_deinitialize(&body);
  }
  long grown = peak_kb(cluster.tasks[0].pid) - before;
  printf("%d replies: %ld kB more\n", REQUESTS, grown);
  SLI_EXPECT(grown < MAX_GROWTH_KB);
  expect_served(&cluster);
  life_stop(&cluster);
}

// Streams that declare a message of 1 GiB and send 1,100 bytes of it.
SLI_TEST(test_memory_follows_the_bytes_received) {
  enum { CONNECTIONS = 4, STREAMS = 500, SENT = 1100 };
  static const char *const methods[] = {"/tensorflow.MasterService/CreateSession", "/tensorflow.MasterService/RunStep"};
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  if (!life_start(&cluster, 0, NULL)) return life_stop(&cluster);
  expect_served(&cluster);
  long before = peak_kb(cluster.tasks[0].pid);
  static char body[SENT] = "\0\x40\0\0";
  client_t clients[CONNECTIONS];
  for (int i = 0; i < CONNECTIONS; i++) {
    client_open(&clients[i], cluster.tasks[0].port);
    clients[i].body = body;
    clients[i].body_size = sizeof(body);
    for (int j = 0; j < STREAMS; j++) client_request(&clients[i], methods[j % 2]);
    SLI_EXPECT_INT(nghttp2_session_send(clients[i].session), 0);
    expect_served(&cluster);
  }
  long grown = peak_kb(cluster.tasks[0].pid) - before;
  printf("%d streams that declare 1 GiB: %ld kB more\n", CONNECTIONS * STREAMS, grown);
  SLI_EXPECT(grown < 3 * MAX_GROWTH_KB);
  for (int i = 0; i < CONNECTIONS; i++) client_close(&clients[i]);
  expect_served(&cluster);
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_a_stream_to_an_unknown_method_is_answered_before_it_ends, test_a_server_lists_its_services,
              test_streams_of_requests_are_bounded, test_unread_replies_take_little_memory,
              test_memory_follows_the_bytes_received)
