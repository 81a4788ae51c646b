// Where a server listens. A server that listens on all addresses of this machine accepts connections at every loopback
// address, here at 127.0.0.77; one that listens on 127.0.0.1 does not.
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/test.h"
#include "life.h"

static bool accepts(const char *address, int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, address, &to.sin_addr);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool connected = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
  close(fd);
  return connected;
}

static bool log_has(const life_cluster_t *cluster, int task, const char *text) {
  char *log = life_log(cluster, task);
  bool found = strstr(log, text) != NULL;
  free(log);
  return found;
}

// Starts the only task of |cluster| at |host|, of a job that also has |other| ("" or ",host:port").
static bool start_at(life_cluster_t *cluster, const char *host, const char *other, const char *bind) {
  int task = life_add(cluster, "worker", 0);
  char *hosts = sli_format("--worker_hosts=%s:%d%s", host, cluster->tasks[task].port, other);
  const char *arguments[] = {hosts, bind, NULL};
  bool started = life_start(cluster, task, arguments);
  free(hosts);
  return started;
}

// Whether |name| is 127.0.0.1 and nothing else on this machine, as a machine's own name often is.
static bool is_loopback_only(const char *name) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  if (getaddrinfo(name, NULL, &hints, &found) != 0) return false;
  bool only = true;
  for (struct addrinfo *entry = found; entry; entry = entry->ai_next)
    only &= entry->ai_family == AF_INET &&
            ((struct sockaddr_in *)entry->ai_addr)->sin_addr.s_addr == htonl(INADDR_LOOPBACK);
  freeaddrinfo(found);
  return only;
}

SLI_TEST(test_own_host_name_listens_where_it_resolves_to) {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  if (getaddrinfo(name, NULL, &hints, &found) != 0) {
    printf("skipped: this machine's name, %s, does not resolve\n", name);
    return;
  }
  freeaddrinfo(found);
  life_cluster_t cluster = {0};
  if (start_at(&cluster, name, "", NULL)) {
    SLI_EXPECT(accepts("127.0.0.1", cluster.tasks[0].port));
    SLI_EXPECT(!accepts("127.0.0.77", cluster.tasks[0].port));
    SLI_EXPECT(log_has(&cluster, 0, "Listening on "));
    SLI_EXPECT(!log_has(&cluster, 0, "all addresses of this machine"));
  }
  life_stop(&cluster);
}

// If the name is loopback here and a task is on another machine, that one must be able to connect.
SLI_TEST(test_loopback_name_in_a_cluster_of_machines_listens_on_all_and_says_so) {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  if (!is_loopback_only(name)) {
    printf("skipped: this machine's name, %s, is not 127.0.0.1\n", name);
    return;
  }
  life_cluster_t cluster = {0};
  if (start_at(&cluster, name, ",203.0.113.1:2222", NULL)) {
    SLI_EXPECT(accepts("127.0.0.77", cluster.tasks[0].port));
    SLI_EXPECT(log_has(&cluster, 0, "cannot reach: listening on all addresses"));
  }
  life_stop(&cluster);
}

SLI_TEST(test_all_addresses_are_named) {
  static const struct {
    const char *host, *bind, *text;
  } cases[] = {{"203.0.113.1", NULL, "is not an address of this machine"},  // reserved for documentation: nobody's
               {"0.0.0.0", NULL, "Listening on all addresses of this machine, port "},
               {"localhost", "--bind=0.0.0.0", "Listening on all IPv4 addresses of this machine, port "},
               {"localhost", "--bind=127.0.0.77", "Listening on 127.0.0.77, port "}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    life_cluster_t cluster = {0};
    if (start_at(&cluster, cases[i].host, "", cases[i].bind)) {
      SLI_EXPECT(accepts("127.0.0.77", cluster.tasks[0].port));
      SLI_EXPECT(log_has(&cluster, 0, cases[i].text));
    }
    life_stop(&cluster);
  }
}

SLI_TEST_MAIN(test_own_host_name_listens_where_it_resolves_to,
              test_loopback_name_in_a_cluster_of_machines_listens_on_all_and_says_so, test_all_addresses_are_named)
