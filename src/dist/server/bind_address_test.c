#include "dist/server/bind_address.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/test.h"

// A resolver that knows one name, "machine", and what it is here.
static const char *machine_addresses;  // "127.0.1.1 203.0.113.1"

static int fake_resolve(const char *host, const char *service, const struct addrinfo *hints,
                        struct addrinfo **out_found) {
  if (strcmp(host, "machine") != 0) return getaddrinfo(host, service, hints, out_found);
  struct addrinfo **link = out_found;
  *link = NULL;
  for (sli_view_t rest = sli_view(machine_addresses), one; rest.size;) {
    sli_view_split(rest, ' ', &one, &rest);
    char *text = sli_strndup(one.data, one.size);
    struct addrinfo numeric = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    int result = getaddrinfo(text, NULL, &numeric, link);
    free(text);
    if (result != 0) return result;
    link = &(*link)->ai_next;
  }
  return *out_found ? 0 : EAI_NONAME;
}

static void fake_release(struct addrinfo *found) {
  while (found) {
    struct addrinfo *next = found->ai_next;
    found->ai_next = NULL;
    freeaddrinfo(found);
    found = next;
  }
}

// The addresses of a task at |address| whose job has another task at |peer|, "127.0.0.1 ::1"; "" is all.
static char *bind_addresses_of(const char *address, const char *peer) {
  sli_cluster_task_t tasks[] = {{"local", 0, (char *)address, "/job:local/replica:0/task:0"},
                                {"local", 1, (char *)peer, "/job:local/replica:0/task:1"}};
  sli_cluster_t cluster = {.tasks = {tasks, peer ? 2 : 1, 2}};
  sli_bind_address_list_t list;
  sli_bind_address_choose_with(&cluster, &(sli_bind_address_resolver_t){fake_resolve, fake_release}, &list);
  sli_string_t text = {0};
  for (size_t i = 0; i < list.count; i++) sli_string_append_format(&text, "%s%s", i ? " " : "", list.items[i]);
  char *copy = sli_strdup(sli_string_text(&text));
  sli_string_deinitialize(&text);
  sli_bind_address_list_deinitialize(&list);
  return copy;
}

SLI_TEST(test_own_address_is_bound_only_where_it_is_local) {
  static const struct {
    const char *address, *wanted;
  } cases[] = {{"localhost:2222", "127.0.0.1"},
               {"127.0.0.1:2222", "127.0.0.1"},
               {"127.0.0.3:2222", "127.0.0.3"},
               {"0.0.0.0:2222", ""},
               {"[::]:2222", ""},
               {"203.0.113.1:2222", ""}};  // reserved for documentation: nobody's
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char *addresses = bind_addresses_of(cases[i].address, NULL);
    SLI_EXPECT_TEXT(addresses, cases[i].wanted);
    free(addresses);
  }
}

SLI_TEST(test_name_is_bound_where_it_resolves_to) {
  static const struct {
    const char *resolved, *peer, *wanted;
  } cases[] = {{"127.0.0.1", NULL, "127.0.0.1"},
               {"127.0.1.1", NULL, "127.0.1.1 127.0.0.1"},  // Debian's; localhost must work, too
               {"127.0.0.1 127.0.0.1", NULL, "127.0.0.1"},
               {"127.0.0.1 ::1 203.0.113.1", NULL, "127.0.0.1 ::1"},
               {"127.0.0.1", "machine:2223", "127.0.0.1"},
               {"127.0.0.1", "localhost:2223", "127.0.0.1"},
               {"127.0.0.1", "127.0.0.7:2223", "127.0.0.1"},
               // Other machines must be able to connect.
               {"127.0.0.1", "another:2222", ""},
               {"127.0.0.1", "203.0.113.2:2222", ""},
               {"203.0.113.1", NULL, ""}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    machine_addresses = cases[i].resolved;
    char *addresses = bind_addresses_of("machine:2222", cases[i].peer);
    SLI_EXPECT_TEXT(addresses, cases[i].wanted);
    free(addresses);
  }
}

SLI_TEST(test_addresses_are_split) {
  char *host;
  int port;
  SLI_EXPECT(sli_bind_address_split("[fe80::1]:80", &host, &port));
  SLI_EXPECT_TEXT(host, "fe80::1");
  SLI_EXPECT_INT(port, 80);
  free(host);
  SLI_EXPECT(!sli_bind_address_split("host", &host, &port));
  SLI_EXPECT(!sli_bind_address_split("host:65536", &host, &port));
}

SLI_TEST(test_loopback_addresses_are_recognised) {
  SLI_EXPECT(sli_bind_address_is_loopback("127.0.0.1"));
  SLI_EXPECT(sli_bind_address_is_loopback("::1"));
  SLI_EXPECT(!sli_bind_address_is_loopback("203.0.113.1"));
  SLI_EXPECT(!sli_bind_address_is_loopback("localhost"));  // not a number
}

SLI_TEST_MAIN(test_own_address_is_bound_only_where_it_is_local, test_name_is_bound_where_it_resolves_to,
              test_addresses_are_split, test_loopback_addresses_are_recognised)
