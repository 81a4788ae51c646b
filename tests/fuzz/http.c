// The bytes of a connection to an HTTP server, in two parts if the first byte is odd. The server may close the
// connection, and must serve the next client. The head is also parsed directly.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/http.h"
#include "rpc/http_parse_internal.h"
#include "tests/fuzz/fuzz.h"

static sli_rpc_http_t *server;

static void handle(void *context, sli_rpc_http_request_t *request) {
  sli_string_t body = {0};
  sli_view_t path = sli_rpc_http_path(request), query = sli_rpc_http_query(request);
  sli_string_append(&body, path.data, path.size);
  sli_string_append(&body, query.data, query.size);
  sli_rpc_http_respond(request, 200, "text/plain", &body);
}

static void start(void) {
  static const sli_rpc_http_service_t service = {.handle = handle};
  sli_rpc_loop_t *loop;
  SLI_CHECK(!sli_rpc_loop_create(NULL, &loop) && !sli_rpc_loop_start(loop) &&
            !sli_rpc_http_create(loop, "127.0.0.1", 0, &service, NULL, &server));
}

static void parse(const uint8_t *data, size_t size) {
  sli_rpc_http_head_t head;
  int used = sli_rpc_http_parse(sli_view_of((const char *)data, size), &head);
  SLI_CHECK(used <= (int)size && used >= -505);
  sli_string_t password = {0};
  if (used > 0) sli_rpc_http_basic_password(head.authorization, &password);
  sli_string_deinitialize(&password);
  if (used > 0) sli_rpc_http_is_loopback_name(head.host);
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (!server) start();
  if (size == 0) return;
  bool is_split = data[0] & 1;
  data++, size--;
  parse(data, size);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)sli_rpc_http_port(server)),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  SLI_CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
  size_t first = is_split ? size / 2 : size;
  if (first) (void)!send(fd, data, first, MSG_NOSIGNAL);
  if (size > first) (void)!send(fd, data + first, size - first, MSG_NOSIGNAL);
  // Half closed, the server answers what it can and closes the rest.
  shutdown(fd, SHUT_WR);
  char buffer[4096];
  struct pollfd waiting = {.fd = fd, .events = POLLIN};
  int ready;
  while ((ready = poll(&waiting, 1, 5000)) > 0)
    if (recv(fd, buffer, sizeof(buffer), 0) <= 0) break;
  SLI_CHECK(ready != 0);
  close(fd);
}
