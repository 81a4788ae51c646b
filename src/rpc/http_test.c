// The HTTP server: what it answers, to whom, and what slow and hostile clients can use.
#include "rpc/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/test.h"
#include "rpc/http_parse_internal.h"

enum { LARGE = 8 << 20 };

static sli_rpc_loop_t *loop;
static sli_rpc_http_t *server;
static sli_rpc_http_request_t *held;  // of "/later"; on the polling thread

static void handle(void *context, sli_rpc_http_request_t *request) {
  sli_view_t path = sli_rpc_http_path(request);
  sli_string_t body = {0};
  if (sli_view_is(path, "/later") && !held) {
    held = request;
    return;
  }
  if (sli_view_is(path, "/large")) memset(sli_string_extend(&body, LARGE), 'x', LARGE);
  sli_string_append_format(&body, "%.*s %.*s %.*s", SLI_VIEW_ARG(sli_rpc_http_method(request)), SLI_VIEW_ARG(path),
                           SLI_VIEW_ARG(sli_rpc_http_query(request)));
  sli_rpc_http_respond(request, sli_view_is(path, "/none") ? 404 : 200, "text/plain", &body);
}

static bool is_open(sli_view_t path) { return sli_view_is(path, "/healthz"); }

static const sli_rpc_http_service_t service = {.handle = handle, .is_open = is_open};

static void setup(const sli_rpc_http_options_t *options) {
  SLI_EXPECT_OK(sli_rpc_loop_create(NULL, &loop));
  SLI_EXPECT_OK(sli_rpc_loop_start(loop));
  SLI_EXPECT_OK(sli_rpc_http_create(loop, "127.0.0.1", 0, &service, options, &server));
}

static void teardown(void) {
  sli_rpc_http_destroy(server);
  sli_rpc_loop_destroy(loop);
}

static int open_socket(void) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)sli_rpc_http_port(server)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  SLI_EXPECT(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
  return fd;
}

static void send_text(int fd, const char *text) { (void)!send(fd, text, strlen(text), MSG_NOSIGNAL); }

// What the server sends until it closes the connection or |wanted| has arrived. The caller frees it.
static char *receive(int fd, const char *wanted) {
  sli_string_t all = {0};
  char buffer[4096];
  struct pollfd waiting = {.fd = fd, .events = POLLIN};
  while (!(wanted && strstr(sli_string_text(&all), wanted)) && poll(&waiting, 1, 30000) > 0) {
    ssize_t size = recv(fd, buffer, sizeof(buffer), 0);
    if (size <= 0) break;
    sli_string_append(&all, buffer, (size_t)size);
  }
  sli_string_append(&all, "", 0);
  return sli_string_take(&all);
}

static char *ask(const char *text) {
  int fd = open_socket();
  send_text(fd, text);
  char *reply = receive(fd, NULL);
  close(fd);
  return reply;
}

static void expect_reply(const char *request, const char *part) {
  char *reply = ask(request);
  SLI_EXPECT_CONTAINS(reply, part);
  free(reply);
}

SLI_TEST(test_answers) {
  setup(NULL);
  expect_reply("GET /a?b=c HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "GET /a b=c");
  expect_reply("GET /a HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n");
  expect_reply("POST /a HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "POST /a");
  expect_reply("GET /none HTTP/1.0\r\n\r\n", "HTTP/1.1 404 Not Found\r\n");
  char *reply = ask("HEAD /large HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n");
  SLI_EXPECT_CONTAINS(reply, "Content-Length: 8388619\r\n");
  SLI_EXPECT(sli_string_ends_with(reply, "\r\n\r\n"));
  free(reply);
  teardown();
}

SLI_TEST(test_refuses_what_it_does_not_understand) {
  setup(NULL);
  expect_reply("hello\r\n\r\n", "HTTP/1.1 400 ");
  expect_reply("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ");  // no Host
  expect_reply("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400 ");
  expect_reply("GET / HTTP/1.1\nHost: localhost\r\n\r\n", "HTTP/1.1 400 ");
  expect_reply("GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n", "HTTP/1.1 400 ");
  expect_reply("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 400 ");
  expect_reply("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", "HTTP/1.1 505 ");
  expect_reply("PUT / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 501 ");
  expect_reply("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 501 ");
  expect_reply("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 413 ");
  expect_reply("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400 ");
  sli_string_t huge = {0};
  sli_string_append_text(&huge, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
  memset(sli_string_extend(&huge, SLI_RPC_HTTP_MAX_HEAD), 'x', SLI_RPC_HTTP_MAX_HEAD);
  expect_reply(sli_string_text(&huge), "HTTP/1.1 431 ");
  sli_string_deinitialize(&huge);
  expect_reply("GET / HTTP/1.0\r\n\r\n", "200 OK");
  teardown();
}

SLI_TEST(test_refuses_other_names_of_loopback) {
  setup(NULL);
  expect_reply("GET / HTTP/1.0\r\nHost: attacker.example:80\r\n\r\n", "HTTP/1.1 421 ");
  expect_reply("GET / HTTP/1.0\r\nHost: localhost.attacker.example\r\n\r\n", "HTTP/1.1 421 ");
  expect_reply("GET / HTTP/1.0\r\nHost: LOCALHOST:1234\r\n\r\n", "200 OK");
  teardown();
}

SLI_TEST(test_answers_requests_in_turn) {
  setup(NULL);
  int fd = open_socket();
  send_text(fd, "GET /one HTTP/1.1\r\nHost: localhost\r\n\r\nGET /two HTTP/1.1\r\nHost: localhost\r\n\r\nGET /thr");
  char *reply = receive(fd, "GET /two");
  const char *one = strstr(reply, "GET /one");
  SLI_EXPECT(one && strstr(one, "GET /two"));
  free(reply);
  send_text(fd, "ee HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  reply = receive(fd, NULL);
  SLI_EXPECT_CONTAINS(reply, "GET /three");
  free(reply);
  close(fd);
  teardown();
}

static void answer_held(void *context) {
  sli_string_t body = {0};
  sli_string_append_text(&body, "now");
  if (held) sli_rpc_http_respond(held, 200, "text/plain", &body);
  *(bool *)context = held != NULL;
  held = NULL;
  sli_string_deinitialize(&body);
}

SLI_TEST(test_answers_later) {
  setup(NULL);
  int fd = open_socket(), gone = open_socket();
  send_text(fd, "GET /later HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  bool answered = false;
  while (!answered) sli_rpc_loop_run(loop, answer_held, &answered);
  char *reply = receive(fd, NULL);
  SLI_EXPECT_CONTAINS(reply, "\r\n\r\nnow");
  free(reply);
  close(fd);
  // A client that does not wait for its answer, and a server that is destroyed before it.
  send_text(gone, "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  close(gone);
  for (answered = false; !answered;) sli_rpc_loop_run(loop, answer_held, &answered);
  int last = open_socket();
  send_text(last, "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect_reply("GET /a HTTP/1.0\r\n\r\n", "200 OK");
  sli_rpc_http_destroy(server);
  sli_rpc_loop_run(loop, answer_held, &answered);
  close(last);
  sli_rpc_loop_destroy(loop);
}

SLI_TEST(test_asks_for_the_token) {
  sli_rpc_identity_t *identity;
  SLI_EXPECT_OK(sli_rpc_identity_create(&(sli_rpc_identity_options_t){.token = "0123456789abcdef"}, &identity));
  setup(&(sli_rpc_http_options_t){.identity = identity});
  expect_reply("GET /a HTTP/1.0\r\n\r\n", "HTTP/1.1 401 ");
  expect_reply("GET /a HTTP/1.0\r\n\r\n", "WWW-Authenticate: Basic");
  expect_reply("GET /healthz HTTP/1.0\r\n\r\n", "200 OK");
  expect_reply("GET /a HTTP/1.0\r\nAuthorization: Bearer 0123456789abcdee\r\n\r\n", "HTTP/1.1 401 ");
  expect_reply("GET /a HTTP/1.0\r\nAuthorization: Bearer 0123456789abcdef\r\n\r\n", "200 OK");
  // "me:0123456789abcdef", "me:wrong", no colon, no base64.
  expect_reply("GET /a HTTP/1.0\r\nAuthorization: Basic bWU6MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n", "200 OK");
  expect_reply("GET /a HTTP/1.0\r\nAuthorization: Basic bWU6d3Jvbmc=\r\n\r\n", "HTTP/1.1 401 ");
  expect_reply("GET /a HTTP/1.0\r\nAuthorization: Basic bWU=\r\n\r\n", "HTTP/1.1 401 ");
  expect_reply("GET /a HTTP/1.0\r\nAuthorization: Basic ?\r\n\r\n", "HTTP/1.1 401 ");
  teardown();
  sli_rpc_identity_release(identity);
}

// Clients that say nothing, half a request or read nothing are closed in time, and others are served meanwhile.
SLI_TEST(test_slow_clients) {
  setup(&(sli_rpc_http_options_t){.head_timeout_millis = 50, .idle_timeout_millis = 50});
  int silent = open_socket(), half = open_socket(), deaf = open_socket();
  send_text(half, "GET / HTTP/1.1\r\nHo");
  send_text(deaf, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect_reply("GET /a HTTP/1.0\r\n\r\n", "200 OK");
  char byte;
  SLI_EXPECT_INT(recv(silent, &byte, 1, 0), 0);
  SLI_EXPECT_INT(recv(half, &byte, 1, 0), 0);
  // When one that came later has been closed, so has the one that does not read: it does not get the whole reply.
  int later = open_socket();
  SLI_EXPECT_INT(recv(later, &byte, 1, 0), 0);
  char *reply = receive(deaf, NULL);
  SLI_EXPECT(strlen(reply) < LARGE);
  free(reply);
  close(later);
  close(silent);
  close(half);
  close(deaf);
  teardown();
}

// More connections than there is room for: the quiet ones go, and a new one is always served.
SLI_TEST(test_many_clients) {
  setup(&(sli_rpc_http_options_t){.max_connections = 8});
  int all[200];
  for (size_t i = 0; i < 200; i++) all[i] = open_socket();
  for (int i = 0; i < 20; i++) expect_reply("GET /a HTTP/1.0\r\n\r\n", "200 OK");
  char byte;
  SLI_EXPECT_INT(recv(all[0], &byte, 1, 0), 0);
  for (size_t i = 0; i < 200; i++) close(all[i]);
  teardown();
}

// Replies that nobody reads are bounded for all connections together.
SLI_TEST(test_unread_replies) {
  setup(&(sli_rpc_http_options_t){.max_unread_size = LARGE + 4096});
  int deaf[12];
  for (size_t i = 0; i < 12; i++) {
    deaf[i] = open_socket();
    send_text(deaf[i], "GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    char byte;
    SLI_EXPECT_INT(recv(deaf[i], &byte, 1, 0), 1);
  }
  expect_reply("GET /large HTTP/1.0\r\n\r\n", "HTTP/1.1 503 ");
  for (size_t i = 0; i < 12; i++) close(deaf[i]);
  teardown();
}

SLI_TEST_MAIN(test_answers, test_refuses_what_it_does_not_understand, test_refuses_other_names_of_loopback,
              test_answers_requests_in_turn, test_answers_later, test_asks_for_the_token, test_slow_clients,
              test_many_clients, test_unread_replies)
