#include "dist/server/bind_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"

bool sli_bind_address_split(const char *address, char **out_host, int *out_port) {
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

bool sli_bind_address_is_loopback(const char *address) {
  struct in_addr four;
  struct in6_addr six;
  if (inet_pton(AF_INET, address, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

// Whether a network interface of this machine has the address.
static bool is_ours(const struct ifaddrs *interfaces, const address_t *wanted) {
  if (wanted->is_loopback) return true;
  address_t own;
  for (const struct ifaddrs *entry = interfaces; entry; entry = entry->ifa_next)
    if (read_address(entry->ifa_addr, &own) && !strcmp(own.text, wanted->text)) return true;
  return false;
}

static bool is_link_local(const struct sockaddr *from) {
  return from && from->sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)from)->sin6_addr);
}

// Adds the addresses of |found| that this machine has to |list|, each once. Link-local ones, which a name may have,
// too, are not usable without their interface.
static void add_ours(const struct ifaddrs *interfaces, const struct addrinfo *found, sli_bind_address_list_t *list) {
  for (const struct addrinfo *entry = found; entry; entry = entry->ai_next) {
    address_t address;
    if (!read_address(entry->ai_addr, &address) || !is_ours(interfaces, &address)) continue;
    if (is_link_local(entry->ai_addr) && found->ai_next) continue;
    bool known = false;
    for (size_t i = 0; i < list->count && !known; i++) known = !strcmp(list->items[i], address.text);
    if (!known) sli_array_push(list, sli_strdup(address.text));
  }
}

static bool is_number(const char *host) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found = NULL;
  if (getaddrinfo(host, NULL, &hints, &found) != 0) return false;
  freeaddrinfo(found);
  return true;
}

// Whether |host|, a number, is an address of this machine.
static bool is_our_number(const struct ifaddrs *interfaces, const char *host) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found = NULL;
  address_t address;
  if (getaddrinfo(host, NULL, &hints, &found) != 0) return false;
  bool ours = read_address(found->ai_addr, &address) && is_ours(interfaces, &address);
  freeaddrinfo(found);
  return ours;
}

// A wrong task index is the most common mistake, so this names the task of the job whose address is on this machine.
static void append_hint(const sli_cluster_t *cluster, const struct ifaddrs *interfaces, sli_string_t *text) {
  const sli_cluster_task_t *self = sli_cluster_self(cluster);
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  for (size_t i = 0; i < cluster->tasks.count; i++) {
    const sli_cluster_task_t *task = &cluster->tasks.items[i];
    char *host;
    int port;
    if (task == self || strcmp(task->job, self->job) != 0 || !sli_bind_address_split(task->address, &host, &port))
      continue;
    bool fits = !strcmp(host, name) || (is_our_number(interfaces, host) && !sli_bind_address_is_loopback(host));
    if (fits)
      sli_string_append_format(text, " Task %d of job '%s' (%s) would be on this machine: is the task index right?",
                               task->index, task->job, task->address);
    free(host);
    if (fits) return;
  }
}

static void warn_foreign(const sli_cluster_t *cluster, const struct ifaddrs *interfaces) {
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
  sli_string_append_text(&text, ": listening on all addresses (--bind selects one).");
  append_hint(cluster, interfaces, &text);
  SLI_WARNING("%s", sli_string_text(&text));
  sli_string_deinitialize(&text);
}

// Whether a task of the cluster seems to be on another machine than ours, which is |host|. Resolves no names.
static bool has_tasks_elsewhere(const sli_cluster_t *cluster, const struct ifaddrs *interfaces, const char *host) {
  bool elsewhere = false;
  for (size_t i = 0; i < cluster->tasks.count && !elsewhere; i++) {
    char *other;
    int port;
    if (!sli_bind_address_split(cluster->tasks.items[i].address, &other, &port)) continue;
    elsewhere = strcmp(other, host) != 0 && strcmp(other, "localhost") != 0 && !is_our_number(interfaces, other);
    free(other);
  }
  return elsewhere;
}

// A machine's own name is often in its /etc/hosts as a loopback address, while other machines find the real one.
static void treat_loopback_name(const sli_cluster_t *cluster, const struct ifaddrs *interfaces, const char *host,
                                sli_bind_address_list_t *list) {
  bool has_loopback = false, has_usual = false, has_other = false;
  for (size_t i = 0; i < list->count; i++) {
    bool is_loopback = sli_bind_address_is_loopback(list->items[i]);
    has_loopback |= is_loopback;
    has_other |= !is_loopback;
    has_usual |= !strcmp(list->items[i], "127.0.0.1");
  }
  if (has_loopback && !has_usual)
    sli_array_push(list, sli_strdup("127.0.0.1"));  // programs on this machine call the task localhost
  if (has_other) return;
  const char *self = sli_cluster_self(cluster)->task_name;
  if (has_tasks_elsewhere(cluster, interfaces, host)) {
    SLI_WARNING(
        "%s (%s) is the loopback address %s on this machine, which the tasks on other machines cannot reach: listening "
        "on all addresses (--bind selects one).",
        host, self, list->items[0]);
    sli_bind_address_list_deinitialize(list);
    return;
  }
  SLI_INFO(
      "%s (%s) is the loopback address %s on this machine: other machines cannot connect (--bind 0.0.0.0 listens on "
      "all "
      "addresses).",
      host, self, list->items[0]);
}

void sli_bind_address_choose_with(const sli_cluster_t *cluster, const sli_bind_address_resolver_t *resolver,
                                  sli_bind_address_list_t *out_list) {
  *out_list = (sli_bind_address_list_t){0};
  char *host;
  int port;
  if (!sli_bind_address_split(sli_cluster_self(cluster)->address, &host, &port)) return;
  if (!strcmp(host, "localhost")) {
    sli_array_push(out_list, sli_strdup("127.0.0.1"));  // of the addresses of localhost the one that all clients try
  } else if (strcmp(host, "0.0.0.0") != 0 && strcmp(host, "::") != 0) {
    struct ifaddrs *interfaces = NULL;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    getifaddrs(&interfaces);
    if (resolver->resolve(host, NULL, &hints, &found) == 0) {
      add_ours(interfaces, found, out_list);
      resolver->release(found);
    }
    if (out_list->count == 0)
      warn_foreign(cluster, interfaces);
    else if (!is_number(host))
      treat_loopback_name(cluster, interfaces, host, out_list);
    freeifaddrs(interfaces);
  }
  free(host);
}

void sli_bind_address_choose(const sli_cluster_t *cluster, sli_bind_address_list_t *out_list) {
  sli_bind_address_choose_with(cluster, &(sli_bind_address_resolver_t){getaddrinfo, freeaddrinfo}, out_list);
}

void sli_bind_address_list_deinitialize(sli_bind_address_list_t *list) {
  for (size_t i = 0; i < list->count; i++) free(list->items[i]);
  sli_array_deinitialize(list);
}
