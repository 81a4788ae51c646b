// The bytes of a connection to a running server; if the first byte is odd, after a valid HTTP/2 preface. The server may
// close the connection, and must serve the next client.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/server.h"
#include "tests/fuzz/fuzz.h"

static sli_rpc_server_t *server;

static void echo(void *context, sli_rpc_request_t *request) {
  sli_slices_t reply = {0};
  sli_rpc_request_respond(request, NULL, &reply);
}

// "/t.T/Talk" is a stream of messages, each of which is sent back.
static bool is_conversation(const char *method) { return strstr(method, "Talk") != NULL; }

static sli_status_t *repeat_message(const char *method, sli_view_t message, sli_string_t *out_reply) {
  if (message.size == 3) return sli_status_make_text(SLI_INVALID_ARGUMENT, "three");
  sli_string_append(out_reply, message.data, message.size);
  return NULL;
}

static void start(void) {
  static const sli_rpc_service_t service = {
      .handle = echo, .is_conversation = is_conversation, .converse = repeat_message};
  static const sli_rpc_server_options_t options = {.max_message_size = 1 << 20};
  sli_rpc_loop_t *loop;
  SLI_CHECK(!sli_rpc_loop_create(NULL, &loop) && !sli_rpc_loop_start(loop) &&
            !sli_rpc_server_create(loop, "127.0.0.1", 0, &service, &options, &server));
}

void fuzz_one(const uint8_t *data, size_t size) {
  static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
  if (!server) start();
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)sli_rpc_server_port(server)),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  SLI_CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
  bool prefaced = size > 0 && data[0] & 1;
  if (prefaced) (void)!send(fd, preface, sizeof(preface) - 1, MSG_NOSIGNAL);
  if (size > 1) (void)!send(fd, data + 1, size - 1, MSG_NOSIGNAL);
  // Half closed, the server answers what it can and closes the rest.
  shutdown(fd, SHUT_WR);
  char buffer[4096];
  for (struct pollfd waiting = {.fd = fd, .events = POLLIN}; poll(&waiting, 1, 5000) > 0;)
    if (recv(fd, buffer, sizeof(buffer), 0) <= 0) break;
  close(fd);
}
