// The bytes of a connection to a live server, from the first one on, or after a
// proper HTTP/2 preface when the first byte is odd. The server must close or keep
// it as it sees fit, and serve the next client.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "rpc/server.h"

static sli_rpc_server_t *server;

static void echo(void *context, sli_rpc_request_t *request) {
  sli_slices_t reply = {0};
  sli_rpc_request_respond(request, NULL, &reply);
}

static void start(void) {
  static const sli_rpc_service_t service = {.handle = echo};
  static const sli_rpc_server_options_t options = {.max_message_size = 1 << 20};
  sli_rpc_loop_t *loop;
  SLI_CHECK(!sli_rpc_loop_create(&loop) && !sli_rpc_loop_start(loop) &&
            !sli_rpc_server_create(loop, "127.0.0.1", 0, &service, &options, &server));
}

void sli_fuzz_one(const uint8_t *data, size_t size) {
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
