#include "base/port.h"

#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test.h"

enum { COUNT = 100 };

// The socket that listens on |port| of all addresses, or -1.
static int listen_on(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

SLI_TEST(test_reserved_ports_are_distinct_and_can_be_bound) {
  int ports[COUNT], reservations[COUNT];
  for (int i = 0; i < COUNT; i++) {
    SLI_REQUIRE_OK(sli_port_reserve(&ports[i], &reservations[i]));
    SLI_EXPECT(reservations[i] >= 0);
    for (int j = 0; j < i; j++) SLI_EXPECT(ports[i] != ports[j]);
    int listener = listen_on(ports[i]);
    SLI_EXPECT(listener >= 0);
    close(listener);
  }
  for (int i = 0; i < COUNT; i++) close(reservations[i]);
}

// The kernel gives none of them to a connection, or to a server that binds port 0.
SLI_TEST(test_reserved_ports_are_none_that_the_kernel_gives_out) {
  int low = 0, high = 0, port, reservation;
  FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
  SLI_REQUIRE(file && fscanf(file, "%d %d", &low, &high) == 2);
  fclose(file);
  if (low < 12000 && high > 64000) return;  // there are no other ports
  for (int i = 0; i < COUNT; i++) {
    SLI_REQUIRE_OK(sli_port_reserve(&port, &reservation));
    SLI_EXPECT(port < low || port > high);
    close(reservation);
  }
}

SLI_TEST_MAIN(test_reserved_ports_are_distinct_and_can_be_bound, test_reserved_ports_are_none_that_the_kernel_gives_out)
