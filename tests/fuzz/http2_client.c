// What a server sends to a client of ours: the bytes of a connection on which a call waits. If the first byte is odd,
// they follow valid settings. The call must end, with a reply or a status.
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "rpc/channel.h"
#include "tests/fuzz/fuzz.h"

static sli_rpc_loop_t *loop;
static int listener;
static char target[32];

static void start(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof(address);
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  SLI_CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 16) == 0 &&
            getsockname(listener, (struct sockaddr *)&address, &length) == 0);
  snprintf(target, sizeof(target), "127.0.0.1:%d", ntohs(address.sin_port));
  SLI_CHECK(!sli_rpc_loop_create(NULL, &loop) && !sli_rpc_loop_start(loop));
}

static void on_reply(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  int *ended = context;
  fuzz_ignore(status);
  (void)!write(*ended, "", 1);
}

// Reads what the client sends, until it closes or is silent for |millis|.
static void drain(int fd, int millis) {
  char buffer[4096];
  for (struct pollfd waiting = {.fd = fd, .events = POLLIN}; poll(&waiting, 1, millis) > 0;)
    if (recv(fd, buffer, sizeof(buffer), 0) <= 0) break;
}

// Reads up to the HEADERS of the request, so that a reply finds its stream open.
static void await_request(int fd) {
  enum { PREFACE = 24, FRAME_HEADER = 9, HEADERS = 1 };
  uint8_t bytes[4096];
  size_t size = 0, at = PREFACE;
  for (struct pollfd waiting = {.fd = fd, .events = POLLIN}; poll(&waiting, 1, 5000) > 0;) {
    ssize_t part = recv(fd, bytes + size, sizeof(bytes) - size, 0);
    if (part <= 0) break;
    size += (size_t)part;
    for (; at + FRAME_HEADER <= size; at += FRAME_HEADER + (size_t)(bytes[at + 1] << 8 | bytes[at + 2]))
      if (bytes[at + 3] == HEADERS) return;
  }
  SLI_CHECK(false);
}

void fuzz_one(const uint8_t *data, size_t size) {
  static const char settings[] = "\0\0\0\4\0\0\0\0\0";
  if (!loop) start();
  if (size < 1) return;
  sli_rpc_channel_t *channel;
  static const sli_rpc_channel_options_t channel_options = {.tcp_only = true, .max_message_size = 1 << 20};
  SLI_CHECK(!sli_rpc_channel_create(loop, target, &channel_options, &channel));
  int ended[2];
  SLI_CHECK(pipe(ended) == 0);
  sli_slices_t request = {0};
  sli_rpc_call_options_t options = {.method = "/a.B/C", .deadline = sli_clock_now_nanos() + (int64_t)10000000000};
  sli_rpc_call_t *call = sli_rpc_call_start(channel, &options, &request, on_reply, &ended[1]);
  int fd = accept(listener, NULL, NULL);
  SLI_CHECK(fd >= 0);
  if (data[0] & 1) {
    (void)!send(fd, settings, sizeof(settings) - 1, MSG_NOSIGNAL);
    await_request(fd);
  }
  if (size > 1) (void)!send(fd, data + 1, size - 1, MSG_NOSIGNAL);
  // Half closed, the client takes what it can and ends the call.
  shutdown(fd, SHUT_WR);
  drain(fd, 5000);
  close(fd);
  // The call must end by what was sent or by the end of the connection, not by its deadline. A request that the peer
  // cannot have seen is sent again on another connection.
  struct pollfd waiting[] = {{.fd = ended[0], .events = POLLIN}, {.fd = listener, .events = POLLIN}};
  for (int connections = 0; connections < 4 && poll(waiting, 2, 5000) > 0 && !waiting[0].revents; connections++)
    close(accept(listener, NULL, NULL));
  SLI_CHECK(waiting[0].revents);
  sli_rpc_call_release(call);
  sli_rpc_channel_destroy(channel);
  close(ended[0]);
  close(ended[1]);
}
