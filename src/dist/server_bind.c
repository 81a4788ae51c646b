#include "dist/server_bind.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"

bool sli_split_address(const char *address, char **out_host, int *out_port) {
  const char *colon = strrchr(address, ':');
  int64_t port;
  if (!colon || colon == address || !sli_view_to_int64(sli_view(colon + 1), &port) || port < 0 || port > 65535)
    return false;
  size_t size = (size_t)(colon - address);
  bool bracketed = address[0] == '[' && colon[-1] == ']' && size > 2;
  *out_host = bracketed ? sli_strndup(address + 1, size - 2) : sli_strndup(address, size);
  *out_port = (int)port;
  return true;
}

typedef struct {
  bool is_loopback;
  char text[INET6_ADDRSTRLEN];
} address_t;

static bool read_address(const struct sockaddr *from, address_t *out_address) {
  if (from && from->sa_family == AF_INET) {
    const struct in_addr *four = &((const struct sockaddr_in *)from)->sin_addr;
    out_address->is_loopback = ntohl(four->s_addr) >> 24 == 127;
    return inet_ntop(AF_INET, four, out_address->text, sizeof(out_address->text)) != NULL;
  }
  if (from && from->sa_family == AF_INET6) {
    const struct in6_addr *six = &((const struct sockaddr_in6 *)from)->sin6_addr;
    out_address->is_loopback = IN6_IS_ADDR_LOOPBACK(six);
    return inet_ntop(AF_INET6, six, out_address->text, sizeof(out_address->text)) != NULL;
  }
  return false;
}

bool sli_is_loopback(const char *address) {
  struct in_addr four;
  struct in6_addr six;
  if (inet_pton(AF_INET, address, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

// Whether an interface of this machine has the address.
static bool is_ours(const struct ifaddrs *interfaces, const address_t *wanted) {
  if (wanted->is_loopback) return true;
  address_t own;
  for (const struct ifaddrs *entry = interfaces; entry; entry = entry->ifa_next)
    if (read_address(entry->ifa_addr, &own) && !strcmp(own.text, wanted->text)) return true;
  return false;
}

static bool is_ours_by_name(const struct ifaddrs *interfaces, const char *host, int flags, address_t *out_address) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags}, *found = NULL;
  if (getaddrinfo(host, NULL, &hints, &found) != 0) return false;
  bool ours = false;
  for (struct addrinfo *entry = found; entry && !ours; entry = entry->ai_next)
    ours = read_address(entry->ai_addr, out_address) && is_ours(interfaces, out_address);
  freeaddrinfo(found);
  return ours;
}

// The classic mistake is a wrong task index: says which task of the job would fit.
static void append_hint(const sli_cluster_t *cluster, const struct ifaddrs *interfaces, sli_string_t *text) {
  const sli_cluster_task_t *self = sli_cluster_self(cluster);
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    const sli_cluster_task_t *task = &cluster->tasks.items[i];
    char *host;
    int port;
    if (task == self || strcmp(task->job, self->job) != 0 || !sli_split_address(task->address, &host, &port)) continue;
    address_t address = {0};
    bool fits =
        !strcmp(host, name) || (is_ours_by_name(interfaces, host, AI_NUMERICHOST, &address) && !address.is_loopback);
    if (fits)
      sli_string_append_format(text, " Task %d of job '%s' (%s) would be on this machine: is the task index right?",
                               task->index, task->job, task->address);
    free(host);
    if (fits) return;
  }
}

static void warn(const sli_cluster_t *cluster, const struct ifaddrs *interfaces) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "%s (%s) is not an address of this machine", sli_cluster_self(cluster)->address,
                           sli_cluster_self(cluster)->task_name);
  const char *separator = ", which has ";
  address_t own;
  for (const struct ifaddrs *entry = interfaces; entry; entry = entry->ifa_next) {
    if (!read_address(entry->ifa_addr, &own) || own.is_loopback) continue;
    sli_string_append_format(&text, "%s%s", separator, own.text);
    separator = ", ";
  }
  sli_string_append_text(&text, ": listening on all addresses.");
  append_hint(cluster, interfaces, &text);
  SLI_WARNING("%s", sli_string_text(&text));
  sli_string_deinitialize(&text);
}

char *sli_server_bind_address(const sli_cluster_t *cluster) {
  char *host;
  int port;
  if (!sli_split_address(sli_cluster_self(cluster)->address, &host, &port)) return NULL;
  char *chosen = NULL;
  if (!strcmp(host, "localhost")) {
    chosen = sli_strdup("127.0.0.1");  // of the name's addresses the one that everybody tries
  } else if (strcmp(host, "0.0.0.0") != 0 && strcmp(host, "::") != 0) {
    struct ifaddrs *interfaces = NULL;
    address_t address;
    getifaddrs(&interfaces);
    bool is_number = is_ours_by_name(interfaces, host, AI_NUMERICHOST, &address);
    if (!is_number && !is_ours_by_name(interfaces, host, 0, &address))
      warn(cluster, interfaces);
    else if (is_number || !address.is_loopback)
      chosen = sli_strdup(address.text);
    freeifaddrs(interfaces);
  }
  free(host);
  return chosen;
}
