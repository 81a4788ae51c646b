// Whether a call uses the Unix socket between processes of one host, or TCP.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/lend.h"
#include "base/test.h"
#include "rpc/channel.h"
#include "rpc/server.h"
#include "rpc/socket_internal.h"

// Replies with the peer's address, or with the request if that is large.
static void reply_with_peer(void *context, sli_rpc_request_t *request) {
  sli_slices_t reply = {0};
  sli_rpc_message_t *message = sli_rpc_request_message(request);
  if (message->size > 0) {
    sli_slices_append(&reply, message->data, message->size, message->release, message->context);
    *message = (sli_rpc_message_t){0};
  } else {
    char *peer = sli_strdup(sli_rpc_request_peer(request));
    sli_slices_append(&reply, peer, strlen(peer), free, peer);
  }
  sli_rpc_request_respond(request, NULL, &reply);
}

static const sli_rpc_service_t service = {.handle = reply_with_peer};

// A server on |bind| sees a caller of |host| whose address begins with |expected|.
static void expect_way(const char *bind, const char *host, bool tcp_only, const char *expected) {
  sli_rpc_loop_t *loop;
  sli_rpc_server_t *server;
  sli_rpc_channel_t *channel;
  SLI_REQUIRE_OK(sli_rpc_loop_create(NULL, &loop));
  SLI_REQUIRE_OK(sli_rpc_server_create(loop, bind, 0, &service, NULL, &server));
  char *target = sli_format("%s:%d", host, sli_rpc_server_port(server));
  SLI_REQUIRE_OK(sli_rpc_channel_create(loop, target, &(sli_rpc_channel_options_t){.tcp_only = tcp_only}, &channel));
  sli_slices_t request = {0};
  sli_rpc_message_t reply;
  SLI_REQUIRE_OK(sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = "/t.T/Peer"}, &request, &reply));
  char *peer = sli_strndup(reply.data, reply.size);
  if (strncmp(peer, expected, strlen(expected)) != 0) SLI_EXPECT_TEXT(peer, expected);
  free(peer);
  sli_rpc_message_release(&reply);
  sli_rpc_channel_destroy(channel);
  sli_rpc_server_destroy(server);
  sli_rpc_loop_destroy(loop);
  free(target);
}

SLI_TEST(test_a_peer_on_this_host_is_reached_without_tcp) {
  char *own = sli_format("unix:pid %d", (int)getpid());
  expect_way("127.0.0.1", "127.0.0.1", false, own);
  expect_way("127.0.0.1", "localhost", false, own);
  expect_way("127.0.0.5", "127.0.0.5", false, own);
  free(own);
}

SLI_TEST(test_tcp_is_taken_where_it_is_wanted_or_the_address_is_not_the_listeners_own) {
  expect_way("127.0.0.1", "127.0.0.1", true, "ipv4:");
  expect_way("0.0.0.0", "127.0.0.1", false, "ipv4:");
  setenv("SLUICE_TCP_ONLY", "1", 1);
  expect_way("127.0.0.1", "127.0.0.1", false, "ipv4:");
  unsetenv("SLUICE_TCP_ONLY");
}

// The Unix socket with the name of a port may belong to another user than the port.
SLI_TEST(test_a_name_that_a_stranger_took_is_not_trusted) {
  if (geteuid() != 0) return;  // only root can change its user
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof(address);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  SLI_REQUIRE(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0);
  SLI_REQUIRE(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
  int ready[2], done[2];
  SLI_REQUIRE(pipe(ready) == 0 && pipe(done) == 0);
  pid_t stranger = fork();
  if (stranger == 0) {
    char byte = setuid(12345) == 0 && sli_rpc_socket_listen_local(listener) >= 0;
    close(done[1]);
    if (write(ready[1], &byte, 1) == 1 && read(done[0], &byte, 1) >= 0) _exit(0);
    _exit(1);
  }
  char is_listening = 0;
  SLI_EXPECT(read(ready[0], &is_listening, 1) == 1 && is_listening);
  SLI_EXPECT_INT(sli_rpc_socket_connect_local((struct sockaddr *)&address, sizeof(address)), -1);
  close(done[1]);
  waitpid(stranger, NULL, 0);
  // The name is free again; now our own user binds it.
  int local = sli_rpc_socket_listen_local(listener);
  SLI_EXPECT(local >= 0);
  int fd = sli_rpc_socket_connect_local((struct sockaddr *)&address, sizeof(address));
  SLI_EXPECT(fd >= 0);
  close(fd);
  close(local);
  close(listener);
  close(ready[0]);
  close(ready[1]);
  close(done[0]);
}

// Whether |address| is in a mapped arena of another process.
static bool is_shared(const void *address) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  bool found = false;
  unsigned long start, end;
  while (maps && !found && fgets(line, sizeof(line), maps))
    found = sscanf(line, "%lx-%lx", &start, &end) == 2 && (uintptr_t)address >= start && (uintptr_t)address < end &&
            strstr(line, "sluice tensors");
  if (maps) fclose(maps);
  return found;
}

// Messages of many sizes go to a server and back; the large ones through memory if |shares|.
static void exchange_messages(bool shares) {
  enum { SIZE = 20 << 20 };
  sli_rpc_loop_t *serving, *calling;
  sli_rpc_server_t *server;
  sli_rpc_channel_t *channel;
  SLI_REQUIRE_OK(sli_rpc_loop_create(NULL, &serving));
  SLI_REQUIRE_OK(sli_rpc_loop_start(serving));
  SLI_REQUIRE_OK(sli_rpc_loop_create(NULL, &calling));
  SLI_REQUIRE_OK(sli_rpc_server_create(serving, "127.0.0.1", 0, &service, NULL, &server));
  char *target = sli_format("127.0.0.1:%d", sli_rpc_server_port(server));
  SLI_REQUIRE_OK(sli_rpc_channel_create(calling, target, NULL, &channel));
  char *data = sli_malloc(SIZE);
  for (size_t i = 0; i < SIZE; i++) data[i] = (char)(i * 31 >> 7);
  static const size_t sizes[] = {1000, 300000, SIZE, 100000, SIZE};
  sli_rpc_message_t replies[SLI_ARRAY_COUNT_OF(sizes)];
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(sizes); i++) {
    sli_slices_t request = {0};
    sli_slices_append(&request, data, sizes[i], NULL, NULL);
    sli_rpc_call_options_t options = {.method = "/t.T/Echo"};
    SLI_REQUIRE_OK(sli_rpc_call_and_wait(channel, &options, &request, &replies[i]));
    SLI_EXPECT_INT(is_shared(replies[i].data), shares && sizes[i] >= 100000);
  }
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(sizes); i++) {
    SLI_EXPECT(replies[i].size == sizes[i] && !memcmp(replies[i].data, data, sizes[i]));
    sli_rpc_message_release(&replies[i]);
  }
  SLI_EXPECT(sli_rpc_channel_traffic(channel).bytes_received > 2 * SIZE);
  free(data);
  free(target);
  sli_rpc_channel_destroy(channel);
  sli_rpc_server_destroy(server);
  sli_rpc_loop_destroy(calling);
  sli_rpc_loop_destroy(serving);
}

SLI_TEST(test_large_messages_pass_both_ways) { exchange_messages(true); }

// The address space is too small for the peer's arena.
SLI_TEST(test_who_cannot_share_memory_gets_messages) {
  SLI_REQUIRE(sli_lend_start());
  FILE *file = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  SLI_REQUIRE(file && fscanf(file, "%lu", &pages) == 1);
  fclose(file);
  struct rlimit limit, tight;
  SLI_REQUIRE(getrlimit(RLIMIT_AS, &limit) == 0);
  tight = limit;
  tight.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)1 << 30);
  SLI_REQUIRE(setrlimit(RLIMIT_AS, &tight) == 0);
  exchange_messages(false);
  setrlimit(RLIMIT_AS, &limit);
}

SLI_TEST_MAIN(test_a_peer_on_this_host_is_reached_without_tcp,
              test_tcp_is_taken_where_it_is_wanted_or_the_address_is_not_the_listeners_own,
              test_a_name_that_a_stranger_took_is_not_trusted, test_large_messages_pass_both_ways,
              test_who_cannot_share_memory_gets_messages)
