// A port is chosen seconds before its server binds it, and a restarted server
// binds it again, so a bound socket cannot reserve it. These could take the port
// meanwhile:
//  - an outgoing connection, or a server that binds port 0: the kernel takes their
//    ports from ip_local_port_range; we choose one outside of that range;
//  - another launcher or test: each marks its ports by a Unix socket whose abstract
//    name contains the number. The mark ends with the process;
//  - a server with a fixed port that starts at that moment: our server then fails
//    with "address already in use", and its starter reports that.
#include "base/port.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST_PORT = 10000, LAST_PORT = 65535, ATTEMPTS = 2000 };

// The ports [*first, *last] that the kernel assigns.
static void read_local_range(int *first, int *last) {
  *first = 32768;
  *last = 60999;
  FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
  if (!file) return;
  int low, high;
  if (fscanf(file, "%d %d", &low, &high) == 2) {
    *first = low;
    *last = high;
  }
  fclose(file);
}

static bool port_is_free(int family, int port) {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } address = {.any.sa_family = (sa_family_t)family};
  socklen_t size = sizeof(address.v4);
  if (family == AF_INET6) {
    address.v6.sin6_port = htons((uint16_t)port);
    size = sizeof(address.v6);
  } else {
    address.v4.sin_port = htons((uint16_t)port);
  }
  int probe = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return family == AF_INET6;  // a machine without IPv6
  bool taken = bind(probe, &address.any, size) != 0 && (errno == EADDRINUSE || errno == EACCES);
  close(probe);
  return !taken;
}

// Marks |port| as ours. Returns false if another process has marked it.
static bool mark_port(int port, int *out_reservation) {
  *out_reservation = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (*out_reservation < 0) return true;
  struct sockaddr_un name = {.sun_family = AF_UNIX};  // sun_path[0] == 0: abstract
  int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "sluice-port-%d", port);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
  if (bind(*out_reservation, (struct sockaddr *)&name, size) == 0) return true;
  bool taken = errno == EADDRINUSE;
  close(*out_reservation);
  *out_reservation = -1;
  return !taken;
}

sli_status_t *sli_port_reserve(int *out_port, int *out_reservation) {
  int first, last;
  read_local_range(&first, &last);
  int below = first > FIRST_PORT ? first - FIRST_PORT : 0, above = last < LAST_PORT ? LAST_PORT - last : 0;
  // If no port is outside of the range, use any.
  bool crowded = below + above < 1000;
  int choices = crowded ? LAST_PORT - FIRST_PORT + 1 : below + above;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    uint32_t draw = 0;
    if (getrandom(&draw, sizeof(draw), 0) != sizeof(draw)) draw = (uint32_t)(getpid() + attempt);
    int offset = (int)(draw % (uint32_t)choices);
    int port = crowded || offset < below ? FIRST_PORT + offset : last + 1 + offset - below;
    if (!mark_port(port, out_reservation)) continue;
    if (port_is_free(AF_INET6, port) && port_is_free(AF_INET, port)) {
      *out_port = port;
      return NULL;
    }
    if (*out_reservation >= 0) close(*out_reservation);
  }
  *out_reservation = -1;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "found no free TCP port in %d attempts", ATTEMPTS);
}
