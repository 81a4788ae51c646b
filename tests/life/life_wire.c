#include "tests/life/life_wire.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
  life_wire_t *wire;
  int in, out;
} pipe_t;

// From one socket to the other. A cut wire keeps both open and moves nothing.
static void *pipe_main(void *argument) {
  pipe_t *pipe = argument;
  char buffer[65536];
  for (ssize_t size; (size = recv(pipe->in, buffer, sizeof(buffer), 0)) > 0;)
    for (ssize_t sent = 0, part; sent < size && !atomic_load(&pipe->wire->is_cut); sent += part)
      if ((part = send(pipe->out, buffer + sent, (size_t)(size - sent), MSG_NOSIGNAL)) <= 0) break;
  if (!atomic_load(&pipe->wire->is_cut)) shutdown(pipe->out, SHUT_WR);
  atomic_fetch_sub(&pipe->wire->running, 1);
  free(pipe);
  return NULL;
}

static int loopback_socket(int port, bool listens, int *out_port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
  socklen_t length = sizeof(address);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool good = listens ? bind(fd, (struct sockaddr *)&address, length) == 0 && listen(fd, 16) == 0 &&
                            getsockname(fd, (struct sockaddr *)&address, &length) == 0
                      : connect(fd, (struct sockaddr *)&address, length) == 0;
  if (out_port) *out_port = ntohs(address.sin_port);
  if (good) return fd;
  close(fd);
  return -1;
}

static void pipe_start(life_wire_t *wire, int in, int out) {
  pipe_t *pipe = malloc(sizeof(*pipe));
  *pipe = (pipe_t){wire, in, out};
  atomic_fetch_add(&wire->running, 1);
  pthread_t thread;
  if (pthread_create(&thread, NULL, pipe_main, pipe) == 0) pthread_detach(thread);
}

static void *wire_main(void *argument) {
  life_wire_t *wire = argument;
  for (int in; (in = accept(wire->listener, NULL, NULL)) >= 0;) {
    int out = loopback_socket(wire->to, false, NULL);
    if (out < 0) {
      close(in);
      continue;
    }
    pipe_start(wire, in, out);
    pipe_start(wire, out, in);
  }
  return NULL;
}

bool life_wire_start(life_wire_t *wire, int to) {
  wire->to = to;
  wire->listener = loopback_socket(0, true, &wire->port);
  pthread_t thread;
  return wire->listener >= 0 && pthread_create(&thread, NULL, wire_main, wire) == 0 && pthread_detach(thread) == 0;
}

void life_wire_cut(life_wire_t *wire) { atomic_store(&wire->is_cut, true); }
