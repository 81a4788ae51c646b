// Peers that do not speak gRPC, or break its rules: whatever they send, the next
// good client is served and the next good server is reached.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/test.h"
#include "rpc/channel.h"
#include "rpc/server.h"

#define MILLIS INT64_C(1000000)
#define PATIENCE (30000 * MILLIS)
static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

static atomic_int handled;

static char large[48 << 20];

static void echo(void *context, sli_rpc_request_t *request) {
  atomic_fetch_add(&handled, 1);
  if (sli_rpc_request_metadata(request, "large")) {
    sli_slices_t much = {0};
    sli_slices_append(&much, large, sizeof(large), NULL, NULL);
    sli_rpc_request_respond(request, NULL, &much);
    return;
  }
  sli_slices_t reply = {0};
  sli_rpc_message_t *message = sli_rpc_request_message(request);
  sli_slices_append(&reply, message->data, message->size, message->release, message->context);
  *message = (sli_rpc_message_t){0};
  sli_rpc_request_respond(request, NULL, &reply);
}

static const sli_rpc_service_t service = {.handle = echo};

static sli_rpc_loop_t *loop;
static sli_rpc_server_t *server;

static void setup(const sli_rpc_server_options_t *options) {
  SLI_EXPECT_OK(sli_rpc_loop_create(NULL, &loop));
  SLI_EXPECT_OK(sli_rpc_loop_start(loop));
  SLI_EXPECT_OK(sli_rpc_server_create(loop, "127.0.0.1", 0, &service, options, &server));
}

static void teardown(void) {
  sli_rpc_server_destroy(server);
  sli_rpc_loop_destroy(loop);
}

static int open_socket(void) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)sli_rpc_server_port(server)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  SLI_EXPECT(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
  return fd;
}

static void send_bytes(int fd, const void *data, size_t size) {
  ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
  (void)sent;  // the server may have closed the connection
}

// Whether the server closes the connection soon; what it sends before is ignored.
static bool is_closed(int fd) {
  int64_t deadline = sli_clock_now_nanos() + PATIENCE;
  char buffer[4096];
  while (sli_clock_now_nanos() < deadline) {
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    if (poll(&waiting, 1, 100) <= 0) continue;
    ssize_t size = recv(fd, buffer, sizeof(buffer), 0);
    if (size <= 0) return true;
  }
  return false;
}

static sli_status_t *serve_good_client(void) {
  sli_rpc_loop_t *own;
  SLI_RETURN_IF_ERROR(sli_rpc_loop_create(NULL, &own));
  char target[64];
  snprintf(target, sizeof(target), "127.0.0.1:%d", sli_rpc_server_port(server));
  sli_rpc_channel_t *channel;
  SLI_EXPECT_OK(sli_rpc_channel_create(own, target, NULL, &channel));
  sli_slices_t request = {0};
  sli_slices_append(&request, "good", 4, NULL, NULL);
  sli_rpc_message_t reply;
  sli_status_t *status =
      sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, &request, &reply);
  SLI_EXPECT_INT(reply.size, status ? 0 : 4);
  sli_rpc_message_release(&reply);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(own);
  return status;
}

static void expect_good_client_served(void) { SLI_EXPECT_OK(serve_good_client()); }

// For a server that must notice first that other connections were closed.
static void expect_good_client_served_at_last(void) {
  int64_t deadline = sli_clock_now_nanos() + PATIENCE;
  sli_status_t *status;
  while ((status = serve_good_client()) && sli_clock_now_nanos() < deadline) {
    sli_status_release(status);
    usleep(10000);
  }
  SLI_EXPECT_OK(status);
}

SLI_TEST(test_server_hangs_up_on_other_protocols) {
  static const char *const texts[] = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                                      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                                      "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", "hello, world\n",
                                      "POST /t.T/Echo HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"};
  setup(NULL);
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    int fd = open_socket();
    send_bytes(fd, texts[i], strlen(texts[i]));
    SLI_EXPECT(is_closed(fd));
    close(fd);
    expect_good_client_served();
  }
  teardown();
}

// A connection that the server has shut down; the client has seen that, but read nothing.
static int open_ended(void) {
  int fd = open_socket();
  send_bytes(fd, preface, sizeof(preface) - 1);
  send_bytes(fd, "\0\0\0\4\0\0\0\0\0", 9);
  send_bytes(fd, "\0\0\10\7\0\0\0\0\0\0\0\0\0\0\0\0\0", 17);  // GOAWAY
  struct pollfd waiting = {.fd = fd, .events = POLLRDHUP};
  SLI_EXPECT_INT(poll(&waiting, 1, PATIENCE / MILLIS), 1);
  return fd;
}

static void send_ping(int fd) { send_bytes(fd, "\0\0\10\6\0\0\0\0\0sluice!!", 17); }

// After a reset the peer would lose what it has not read yet.
SLI_TEST(test_server_is_not_closed_under_a_peer_that_still_sends) {
  setup(&(sli_rpc_server_options_t){.linger_millis = 10 * PATIENCE / MILLIS});
  int fd = open_ended();
  send_ping(fd);
  struct pollfd waiting = {.fd = fd};
  poll(&waiting, 1, 50);  // for a reset
  SLI_EXPECT_INT(waiting.revents, 0);
  char buffer[4096];
  ssize_t size;
  while ((size = recv(fd, buffer, sizeof(buffer), 0)) > 0) continue;
  SLI_EXPECT_INT(size, 0);
  close(fd);
  expect_good_client_served();
  teardown();
}

SLI_TEST(test_server_closes_under_a_peer_that_never_does) {
  setup(&(sli_rpc_server_options_t){.linger_millis = 20});
  int fd = open_ended();
  struct pollfd waiting = {.fd = fd};
  for (int64_t deadline = sli_clock_now_nanos() + PATIENCE;
       !(waiting.revents & POLLERR) && sli_clock_now_nanos() < deadline;) {
    send_ping(fd);
    poll(&waiting, 1, 10);
  }
  SLI_EXPECT(waiting.revents & POLLERR);
  close(fd);
  expect_good_client_served();
  teardown();
}

// A connection with a request on stream 5 that gets an error, since it is not gRPC. |method|: encoded.
static int open_with_stream_5(const char *method, bool ends) {
  char frame[64] = {0, 0, 0, 1, (char)(ends ? 5 : 4), 0, 0, 0, 5};
  int size = snprintf(frame + 9, sizeof(frame) - 9, "%s\x84\x86\x41\x01t", method);  // path /, http, authority "t"
  frame[2] = (char)size;
  int fd = open_socket();
  send_bytes(fd, preface, sizeof(preface) - 1);
  send_bytes(fd, "\0\0\0\4\0\0\0\0\0", 9);
  send_bytes(fd, frame, 9 + (size_t)size);
  return fd;
}
#define GET "\x82"
#define HEAD "\x42\x04HEAD"

// Reads until the server has sent a frame of |type| on |stream|. Returns its first byte; -1 at the end.
static int await_frame(int fd, int type, int stream) {
  unsigned char head[9], body[4096];
  while (recv(fd, head, sizeof(head), MSG_WAITALL) == sizeof(head)) {
    size_t size = (size_t)head[1] << 8 | head[2];
    if (size > sizeof(body) || (size && recv(fd, body, size, MSG_WAITALL) != (ssize_t)size)) return -1;
    if (head[3] == type && head[8] == stream) return type == 7 ? body[7] : 0;  // of GOAWAY: the error code
  }
  return -1;
}

SLI_TEST(test_server_ends_a_connection_that_opens_a_stream_again) {
  // The same stream, and one with a smaller number, which counts as closed.
  static const char same[] = "\0\0\6\1\5\0\0\0\5\x82\x84\x86\x41\x01t",
                    smaller[] = "\0\0\6\1\5\0\0\0\3\x82\x84\x86\x41\x01t", reset[] = "\0\0\4\3\0\0\0\0\5\0\0\0\10";
  setup(NULL);
  for (int i = 0; i < 3; i++) {
    int fd = open_with_stream_5(GET, i < 2);
    if (i < 2)
      SLI_EXPECT_INT(await_frame(fd, 0, 5), 0);  // the answer, which closes the stream
    else
      send_bytes(fd, reset, sizeof(reset) - 1);
    send_bytes(fd, i == 1 ? smaller : same, sizeof(same) - 1);
    SLI_EXPECT_INT(await_frame(fd, 7, 0), NGHTTP2_STREAM_CLOSED);
    SLI_EXPECT(is_closed(fd));
    close(fd);
  }
  expect_good_client_served();
  teardown();
}

// The server resets the stream whose request it need not read; what is under way is no error.
SLI_TEST(test_server_ignores_what_a_peer_sends_before_it_knows_of_a_reset) {
  setup(NULL);
  int fd = open_with_stream_5(HEAD, false);
  SLI_EXPECT_INT(await_frame(fd, 3, 5), 0);
  send_bytes(fd, "\0\0\6\1\5\0\0\0\5\x82\x84\x86\x41\x01t", 15);
  send_ping(fd);
  SLI_EXPECT_INT(await_frame(fd, 6, 0), 0);
  close(fd);
  expect_good_client_served();
  teardown();
}

// What the peer does not read waits in the sockets, and little more: then the server stops reading, or hangs up.
SLI_TEST(test_server_keeps_no_answers_to_pings_that_nobody_reads) {
  enum { PINGS = 4096, MOST = 256 << 20 };
  static const char ping[17] = {0, 0, 8, 6};
  char *pings = sli_malloc(PINGS * sizeof(ping));
  for (size_t i = 0; i < PINGS; i++) memcpy(pings + i * sizeof(ping), ping, sizeof(ping));
  setup(NULL);
  int fd = open_socket();
  send_bytes(fd, preface, sizeof(preface) - 1);
  send_bytes(fd, "\0\0\0\4\0\0\0\0\0", 9);
  size_t sent = 0;
  struct pollfd writing = {.fd = fd, .events = POLLOUT};
  while (sent < MOST && poll(&writing, 1, 2000) > 0) {
    size_t at = sent % (PINGS * sizeof(ping));
    ssize_t size = send(fd, pings + at, PINGS * sizeof(ping) - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno != EAGAIN) break;
    if (size > 0) sent += (size_t)size;
  }
  SLI_EXPECT(sent < MOST);
  expect_good_client_served();
  close(fd);
  teardown();
  free(pings);
}

// Each request is cancelled as soon as it was sent.
SLI_TEST(test_server_ends_a_connection_of_rapid_resets) {
  setup(&(sli_rpc_server_options_t){.reset_burst = 200, .reset_rate = 1});
  int fd = open_socket();
  send_bytes(fd, preface, sizeof(preface) - 1);
  send_bytes(fd, "\0\0\0\4\0\0\0\0\0", 9);
  char frames[] = "\0\0\6\1\4\0\0\0\0\x83\x84\x86\x41\x01t\0\0\4\3\0\0\0\0\0\0\0\0\10";
  for (int id = 1; id < 2000; id += 2) {
    frames[7] = frames[22] = (char)(id >> 8);
    frames[8] = frames[23] = (char)id;
    send_bytes(fd, frames, sizeof(frames) - 1);
  }
  SLI_EXPECT(await_frame(fd, 7, 0) > 0);
  SLI_EXPECT(is_closed(fd));
  close(fd);
  expect_good_client_served();
  teardown();
}

// Whoever has not said who it is cannot make the server send much.
SLI_TEST(test_answers_to_strangers_are_small) {
  setup(NULL);
  int fd = open_with_stream_5(GET, true);
  char answer[4096];
  size_t size = 0;
  struct pollfd reading = {.fd = fd, .events = POLLIN};
  while (poll(&reading, 1, 500) > 0 && size < sizeof(answer)) {
    ssize_t part = recv(fd, answer + size, sizeof(answer) - size, 0);
    if (part <= 0) break;
    size += (size_t)part;
  }
  SLI_EXPECT(size > 0 && size <= 256);
  close(fd);
  teardown();
}

// The number of bytes that come until the server is quiet.
static size_t drain(int fd) {
  char answer[4096];
  size_t size = 0;
  struct pollfd reading = {.fd = fd, .events = POLLIN};
  for (ssize_t part; poll(&reading, 1, 500) > 0 && (part = recv(fd, answer, sizeof(answer), 0)) > 0;)
    size += (size_t)part;
  return size;
}

// Calls without the token, each as short as can be: the peer has put all headers into the server's table. |settings|:
// of the peer; without a table of its own it gets every header in full.
static void refuse_many(const char *settings, size_t settings_size) {
  enum { CALLS = 400 };
  static const char first[] =
      "\0\0\x40\1\4\0\0\0\1\x86\x83\x40\5:path\011/t.T/Echo\x40\012:authority\1x\x40\014content-type\020application/"
      "grpc";
  char next[] = "\0\0\5\1\4\0\0\0\0\x86\x83\xc0\xbf\xbe\0\0\5\0\1\0\0\0\0\0\0\0\0";
  sli_rpc_identity_t *identity;
  SLI_REQUIRE_OK(
      sli_rpc_identity_create(&(sli_rpc_identity_options_t){.token = "0123456789abcdef0123456789abcdef"}, &identity));
  setup(&(sli_rpc_server_options_t){.identity = identity});
  int fd = open_socket();
  send_bytes(fd, preface, sizeof(preface) - 1);
  send_bytes(fd, settings, settings_size);
  send_bytes(fd, first, sizeof(first) - 1);
  send_bytes(fd, "\0\0\5\0\1\0\0\0\1\0\0\0\0\0", 14);
  size_t sent = sizeof(preface) - 1 + settings_size + sizeof(first) - 1 + 14, got = drain(fd);
  printf("the first refusal: %zu bytes for %zu\n", got, sent);
  SLI_EXPECT(got > 100 && got <= 4 * sent);
  for (int id = 3; id < 3 + 2 * CALLS; id += 2) {
    next[7] = next[21] = (char)(id >> 8);
    next[8] = next[22] = (char)id;
    send_bytes(fd, next, sizeof(next));
  }
  sent = CALLS * sizeof(next);
  got = drain(fd);
  printf("the next ones: %zu bytes for %zu\n", got, sent);
  SLI_EXPECT(got >= CALLS * 10 && got <= 4 * sent);
  SLI_EXPECT_INT(atomic_load(&handled), 0);
  close(fd);
  teardown();
  sli_rpc_identity_release(identity);
}

SLI_TEST(test_refusals_are_small) {
  atomic_store(&handled, 0);
  refuse_many("\0\0\0\4\0\0\0\0\0", 9);
  refuse_many("\0\0\6\4\0\0\0\0\0\0\1\0\0\0\0", 15);  // SETTINGS_HEADER_TABLE_SIZE 0
}

SLI_TEST(test_server_survives_random_frames) {
  setup(NULL);
  for (int round = 0; round < 60; round++) {
    int fd = open_socket();
    send_bytes(fd, preface, sizeof(preface) - 1);
    if (round % 2) send_bytes(fd, "\0\0\0\4\0\0\0\0\0", 9);
    unsigned char bytes[600];
    for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (unsigned char)sli_random_u64();
    // Plausible frame headers over random payload, so that more than the first check is reached.
    for (size_t at = 0; at + 40 < sizeof(bytes); at += 9 + 23) {
      bytes[at] = bytes[at + 1] = 0;
      bytes[at + 2] = 23;
      bytes[at + 3] %= 10;
      bytes[at + 5] = bytes[at + 6] = bytes[at + 7] = 0;
      bytes[at + 8] &= 7;
    }
    send_bytes(fd, bytes, sizeof(bytes));
    close(fd);
  }
  expect_good_client_served();
  teardown();
}

SLI_TEST(test_server_drops_half_frames_and_silent_peers_in_time) {
  setup(&(sli_rpc_server_options_t){.handshake_timeout_millis = 2000});
  int silent = open_socket(), half = open_socket(), cut = open_socket();
  send_bytes(half, preface, 10);
  send_bytes(cut, preface, sizeof(preface) - 1);
  send_bytes(cut, "\0\0\6\4\0\0\0\0\0\0", 10);  // a SETTINGS frame without its end
  expect_good_client_served();
  SLI_EXPECT(is_closed(silent));
  SLI_EXPECT(is_closed(half));
  SLI_EXPECT(is_closed(cut));
  close(silent);
  close(half);
  close(cut);
  expect_good_client_served();
  teardown();
}

SLI_TEST(test_server_refuses_connections_over_the_limit) {
  setup(&(sli_rpc_server_options_t){.max_connections = 2});
  int first = open_socket(), second = open_socket(), third = open_socket();
  SLI_EXPECT(is_closed(third));
  close(third);
  close(first);
  close(second);
  expect_good_client_served_at_last();
  teardown();
}

// A hand-made HTTP/2 client, to send what our own never would.
typedef struct {
  int fd;
  nghttp2_session *session;
  const char *body;
  size_t body_size;
  int http_status, grpc_status;
  size_t received;
  bool closed;
} client_t;

static ssize_t client_send(nghttp2_session *session, const uint8_t *data, size_t size, int flags, void *context) {
  return send(((client_t *)context)->fd, data, size, MSG_NOSIGNAL);
}

static ssize_t client_body(nghttp2_session *session, int32_t id, uint8_t *buffer, size_t size, uint32_t *flags,
                           nghttp2_data_source *source, void *context) {
  client_t *client = context;
  size_t part = client->body_size < size ? client->body_size : size;
  memcpy(buffer, client->body, part);
  client->body += part;
  client->body_size -= part;
  if (client->body_size == 0) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return (ssize_t)part;
}

static int client_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                         const uint8_t *value, size_t value_size, uint8_t flags, void *context) {
  client_t *client = context;
  char number[16] = "";
  memcpy(number, value, value_size < 15 ? value_size : 15);
  if (name_size == 7 && !memcmp(name, ":status", 7)) client->http_status = atoi(number);
  if (name_size == 11 && !memcmp(name, "grpc-status", 11)) client->grpc_status = atoi(number);
  return 0;
}

static int client_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t size,
                       void *context) {
  ((client_t *)context)->received += size;
  return 0;
}

static int client_closed(nghttp2_session *session, int32_t id, uint32_t error_code, void *context) {
  ((client_t *)context)->closed = true;
  return 0;
}

static nghttp2_nv nv(const char *name, const char *value) {
  return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

// Sends one request and waits for its end.
static client_t exchange(const char *method, const char *content_type, const char *body, size_t body_size) {
  client_t client = {.fd = open_socket(), .body = body, .body_size = body_size, .grpc_status = -1};
  nghttp2_session_callbacks *callbacks;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_send_callback(callbacks, client_send);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, client_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, client_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, client_closed);
  nghttp2_session_client_new(&client.session, callbacks, &client);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(client.session, NGHTTP2_FLAG_NONE, NULL, 0);
  const nghttp2_nv headers[] = {nv(":scheme", "http"),    nv(":method", method), nv(":authority", "x"),
                                nv(":path", "/t.T/Echo"), nv("te", "trailers"),  nv("content-type", content_type)};
  nghttp2_data_provider provider = {.read_callback = client_body};
  nghttp2_submit_request(client.session, NULL, headers, 6, body ? &provider : NULL, NULL);
  int64_t deadline = sli_clock_now_nanos() + PATIENCE;
  while (!client.closed && sli_clock_now_nanos() < deadline) {
    nghttp2_session_send(client.session);
    struct pollfd waiting = {.fd = client.fd, .events = POLLIN};
    uint8_t buffer[4096];
    if (poll(&waiting, 1, 100) <= 0) continue;
    ssize_t size = recv(client.fd, buffer, sizeof(buffer), 0);
    if (size <= 0 || nghttp2_session_mem_recv(client.session, buffer, (size_t)size) < 0) break;
  }
  nghttp2_session_del(client.session);
  close(client.fd);
  return client;
}

SLI_TEST(test_server_answers_malformed_requests_by_the_rules) {
  static const struct {
    const char *method, *content_type, *body;
    size_t size;
    int http_status, grpc_status;
  } cases[] = {
      {"POST", "application/grpc", "\0\0\0\0\2ok", 7, 200, SLI_OK},
      {"POST", "application/grpc+proto", "\0\0\0\0\0", 5, 200, SLI_OK},
      {"GET", "application/grpc", NULL, 0, 405, -1},
      {"HEAD", "application/grpc", NULL, 0, 405, -1},
      {"POST", "text/plain", "\0\0\0\0\2ok", 7, 415, -1},
      {"POST", "application/grpcx", "\0\0\0\0\2ok", 7, 415, -1},
      {"POST", "application/grpc", NULL, 0, 200, SLI_INTERNAL},
      {"POST", "application/grpc", "\0\0\0\0\2o", 6, 200, SLI_INTERNAL},
      {"POST", "application/grpc", "\0\0\0", 3, 200, SLI_INTERNAL},
      {"POST", "application/grpc", "\0\0\0\0\1o\0\0\0\0\1k", 12, 200, SLI_INTERNAL},
      {"POST", "application/grpc", "\1\0\0\0\2ok", 7, 200, SLI_UNIMPLEMENTED},
      {"POST", "application/grpc", "\0\xff\xff\xff\xffok", 7, 200, SLI_RESOURCE_EXHAUSTED},
  };
  setup(&(sli_rpc_server_options_t){.max_message_size = 1 << 20});
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    client_t client = exchange(cases[i].method, cases[i].content_type, cases[i].body, cases[i].size);
    SLI_EXPECT(client.closed);
    SLI_EXPECT_INT(client.http_status, cases[i].http_status);
    SLI_EXPECT_INT(client.grpc_status, cases[i].grpc_status);
    // A client of plain HTTP gets a reply in plain text.
    if (client.http_status != 200) SLI_EXPECT((client.received > 0) == (strcmp(cases[i].method, "HEAD") != 0));
  }
  expect_good_client_served();
  teardown();
}

SLI_TEST(test_server_bounds_request_headers) {
  setup(NULL);
  char *huge = sli_malloc(60001);
  memset(huge, 'x', 60000);
  huge[60000] = '\0';
  atomic_store(&handled, 0);
  client_t client = exchange("POST", huge, "\0\0\0\0\2ok", 7);
  SLI_EXPECT_INT(client.http_status, 415);
  free(huge);
  teardown();
  setup(&(sli_rpc_server_options_t){.max_header_size = 250});
  client = exchange("POST", "application/grpc", "\0\0\0\0\2ok", 7);
  SLI_EXPECT(client.closed);
  SLI_EXPECT_INT(client.http_status, 0);
  SLI_EXPECT_INT(atomic_load(&handled), 0);
  teardown();
}

// Says hello and lets the server send 2 GB.
static void open_wide_windows(int fd) {
  send_bytes(fd, preface, sizeof(preface) - 1);
  send_bytes(fd, "\0\0\6\4\0\0\0\0\0\0\4\x7f\xff\xff\xff", 15);  // on each stream
  send_bytes(fd, "\0\0\4\x08\0\0\0\0\0\x7f\0\0\0", 13);          // and on the connection
}

static void request_large_reply(int fd, char stream) {
  char headers[] =
      "\0\0\x49\1\4\0\0\0\1"  // scheme, method, path, authority, type and "large: 1", all literal
      "\x86\x83\0\5:path\011/t.T/Echo\0\012:authority\1x\0\014content-type\020application/grpc\0\5large\0011";
  char message[] = "\0\0\5\0\1\0\0\0\1\0\0\0\0";
  headers[8] = message[8] = stream;
  send_bytes(fd, headers, sizeof(headers) - 1);
  send_bytes(fd, message, sizeof(message));
}

SLI_TEST(test_server_drops_a_peer_that_does_not_read) {
  setup(&(sli_rpc_server_options_t){.stall_timeout_millis = 200, .max_connections = 1});
  atomic_store(&handled, 0);
  int fd = open_socket();
  open_wide_windows(fd);
  request_large_reply(fd, 1);
  int64_t deadline = sli_clock_now_nanos() + PATIENCE;
  while (!atomic_load(&handled) && sli_clock_now_nanos() < deadline) usleep(10000);
  SLI_EXPECT_INT(atomic_load(&handled), 1);
  expect_good_client_served_at_last();  // in the place of the other
  int64_t got = 0;
  char buffer[65536];
  for (ssize_t size; got < (int64_t)sizeof(large) && (size = recv(fd, buffer, sizeof(buffer), 0)) > 0;) got += size;
  SLI_EXPECT(got < (int64_t)sizeof(large));
  close(fd);
  teardown();
}

// Peers that begin a request and send the rest by the byte, or never.
SLI_TEST(test_server_drops_slow_writers) {
  enum { KINDS = 4 };
  // Half a block of headers; headers without a message; half of a message; a message by the byte.
  static const char headers[] =
      "\0\0\x40\1\4\0\0\0\1\x86\x83\x40\5:path\011/t.T/Echo\x40\012:authority\1x\x40\014content-type\020application/"
      "grpc",
                    half[] = "\0\0\2\1\0\0\0\0\1\x86\x83", message[] = "\0\0\6\0\0\0\0\0\1\0\0\x10\0\0x",
                    byte[] = "\0\0\1\0\0\0\0\0\1x";
  setup(&(sli_rpc_server_options_t){.stall_timeout_millis = 400});
  atomic_store(&handled, 0);
  int fds[KINDS], open = KINDS;
  for (int i = 0; i < KINDS; i++) {
    fds[i] = open_socket();
    send_bytes(fds[i], preface, sizeof(preface) - 1);
    send_bytes(fds[i], "\0\0\0\4\0\0\0\0\0", 9);
    if (i == 0)
      send_bytes(fds[i], half, sizeof(half) - 1);
    else
      send_bytes(fds[i], headers, sizeof(headers) - 1);
    if (i > 1) send_bytes(fds[i], message, sizeof(message) - 1);
  }
  expect_good_client_served();
  for (int64_t deadline = sli_clock_now_nanos() + PATIENCE; open && sli_clock_now_nanos() < deadline;) {
    char buffer[4096];
    usleep(50000);
    for (int i = 0; i < KINDS; i++) {
      if (fds[i] < 0) continue;
      if (i == KINDS - 1) send_bytes(fds[i], byte, sizeof(byte) - 1);
      ssize_t size = recv(fds[i], buffer, sizeof(buffer), MSG_DONTWAIT);
      if (size > 0 || (size < 0 && errno == EAGAIN)) continue;
      close(fds[i]);
      fds[i] = -1;
      open--;
    }
  }
  SLI_EXPECT_INT(open, 0);
  SLI_EXPECT_INT(atomic_load(&handled), 1);  // the good one's
  expect_good_client_served();
  teardown();
}

static void await_handled(int count) {
  int64_t deadline = sli_clock_now_nanos() + PATIENCE;
  while (atomic_load(&handled) < count && sli_clock_now_nanos() < deadline) usleep(10000);
  SLI_EXPECT_INT(atomic_load(&handled), count);
}

SLI_TEST(test_server_makes_no_more_replies_for_a_peer_that_does_not_read) {
  setup(&(sli_rpc_server_options_t){.max_unread_size = 1 << 20});
  atomic_store(&handled, 0);
  int fd = open_socket(), other = open_socket();
  open_wide_windows(fd);
  for (char stream = 1; stream < 20; stream += 2) request_large_reply(fd, stream);
  await_handled(1);
  open_wide_windows(other);
  for (char stream = 1; stream < 20; stream += 2) request_large_reply(other, stream);
  await_handled(2);
  expect_good_client_served();
  SLI_EXPECT_INT(atomic_load(&handled), 3);
  // A cancelled request is not handled later.
  send_bytes(fd, "\0\0\4\3\0\0\0\0\3\0\0\0\x08", 13);
  close(other);
  // The rest is handled as the peer reads.
  int64_t got = 0;
  char *buffer = sli_malloc(1 << 20);
  for (ssize_t size; got < 9 * (int64_t)sizeof(large) && (size = recv(fd, buffer, 1 << 20, 0)) > 0;) got += size;
  SLI_EXPECT(got >= 9 * (int64_t)sizeof(large));
  SLI_EXPECT_INT(atomic_load(&handled), 3 + 8);
  free(buffer);
  close(fd);
  expect_good_client_served();
  teardown();
}

// Servers that are not ours.

typedef struct {
  int listener;
  const char *answer;
  size_t size;
} stranger_t;

static void *answer_once(void *argument) {
  stranger_t *stranger = argument;
  int fd = accept(stranger->listener, NULL, NULL);
  if (fd < 0) return NULL;
  char buffer[1024];
  ssize_t size = recv(fd, buffer, sizeof(buffer), 0);
  // The handshake first: the client sends its request after that.
  size_t first = stranger->size > 9 && stranger->answer[3] == NGHTTP2_SETTINGS ? 9 : stranger->size;
  send_bytes(fd, stranger->answer, first);
  for (int64_t got = 0; first < stranger->size && size > 0 && got < 80; got += size)
    size = recv(fd, buffer, sizeof(buffer), 0);
  send_bytes(fd, stranger->answer + first, stranger->size - first);
  shutdown(fd, SHUT_WR);
  while (recv(fd, buffer, sizeof(buffer), 0) > 0) continue;  // a reset would discard the reply
  close(fd);
  return NULL;
}

static sli_status_t *call_stranger(const char *answer, size_t size) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t address_size = sizeof(address);
  stranger_t stranger = {.listener = socket(AF_INET, SOCK_STREAM, 0), .answer = answer, .size = size};
  SLI_EXPECT(bind(stranger.listener, (struct sockaddr *)&address, sizeof(address)) == 0);
  SLI_EXPECT(listen(stranger.listener, 4) == 0);
  getsockname(stranger.listener, (struct sockaddr *)&address, &address_size);
  pthread_t thread;
  pthread_create(&thread, NULL, answer_once, &stranger);
  sli_rpc_loop_t *own;
  SLI_EXPECT_OK(sli_rpc_loop_create(NULL, &own));
  char target[64];
  snprintf(target, sizeof(target), "127.0.0.1:%d", ntohs(address.sin_port));
  sli_rpc_channel_t *channel;
  SLI_EXPECT_OK(sli_rpc_channel_create(own, target, NULL, &channel));
  sli_slices_t request = {0};
  sli_slices_append(&request, "good", 4, NULL, NULL);
  sli_rpc_message_t reply;
  sli_status_t *status =
      sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = "/t.T/Echo"}, &request, &reply);
  sli_rpc_message_release(&reply);
  sli_rpc_channel_destroy(channel);
  sli_rpc_loop_destroy(own);
  pthread_join(thread, NULL);
  close(stranger.listener);
  return status;
}

SLI_TEST(test_client_tells_that_a_server_is_not_grpc) {
  static const char http[] = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
  sli_status_t *status = call_stranger(http, sizeof(http) - 1);
  SLI_EXPECT_INT(sli_status_code(status), SLI_UNAVAILABLE);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "the peer does not speak HTTP/2");
  sli_status_release(status);
  status = call_stranger("", 0);
  SLI_EXPECT_INT(sli_status_code(status), SLI_UNAVAILABLE);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "connected, but no HTTP/2 handshake was received (Socket closed)");
  sli_status_release(status);
}

SLI_TEST(test_client_survives_broken_answers) {
  // SETTINGS, then on stream 1: DATA before headers; a reset; trailers with an unknown status; bare ":status 503".
  static const struct {
    const char *bytes;
    size_t size;
    sli_code_t code;
  } cases[] = {
      {"\0\0\0\4\0\0\0\0\0\0\0\5\0\1\0\0\0\1\0\0\0\0\0", 23, SLI_UNAVAILABLE},
      {"\0\0\0\4\0\0\0\0\0\0\0\4\3\0\0\0\0\1\0\0\0\x0b", 22, SLI_RESOURCE_EXHAUSTED},
      {"\0\0\0\4\0\0\0\0\0\0\0\x11\1\5\0\0\0\1\x88\0\x0b"
       "grpc-status\00299",
       35, SLI_UNKNOWN},
      {"\0\0\0\4\0\0\0\0\0\0\0\5\1\5\0\0\0\1\x08\003503", 23, SLI_UNAVAILABLE},
      {"\0\0\0\4\0\0\0\0\0\0\0\1\1\5\0\0\0\1\x88", 19, SLI_UNKNOWN},
      {"\0\0\0\4\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff", 18, SLI_UNAVAILABLE},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    SLI_EXPECT_STATUS(call_stranger(cases[i].bytes, cases[i].size), cases[i].code);
}

SLI_TEST_MAIN(test_server_hangs_up_on_other_protocols, test_server_is_not_closed_under_a_peer_that_still_sends,
              test_server_closes_under_a_peer_that_never_does, test_server_ends_a_connection_that_opens_a_stream_again,
              test_server_ignores_what_a_peer_sends_before_it_knows_of_a_reset,
              test_server_keeps_no_answers_to_pings_that_nobody_reads, test_server_ends_a_connection_of_rapid_resets,
              test_answers_to_strangers_are_small, test_refusals_are_small, test_server_survives_random_frames,
              test_server_drops_half_frames_and_silent_peers_in_time, test_server_refuses_connections_over_the_limit,
              test_server_answers_malformed_requests_by_the_rules, test_server_bounds_request_headers,
              test_server_drops_a_peer_that_does_not_read, test_server_drops_slow_writers,
              test_server_makes_no_more_replies_for_a_peer_that_does_not_read,
              test_client_tells_that_a_server_is_not_grpc, test_client_survives_broken_answers)
