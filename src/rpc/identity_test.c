// Tokens: which are usable, and which calls a server with one answers.
#include "rpc/identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/lend.h"
#include "base/string.h"
#include "base/test.h"
#include "rpc/channel.h"
#include "rpc/grpc_internal.h"
#include "rpc/identity_internal.h"
#include "rpc/server.h"

static const char secret[] = "0123456789abcdef0123456789abcdef", other[] = "0123456789abcdef0123456789abcdeX";

static sli_rpc_identity_t *with_token(const char *token) {
  sli_rpc_identity_t *identity = NULL;
  SLI_EXPECT_OK(sli_rpc_identity_create(&(sli_rpc_identity_options_t){.token = token}, &identity));
  return identity;
}

static void expect_unusable(const char *token, const char *token_file, sli_code_t code, const char *text) {
  sli_rpc_identity_t *identity;
  sli_rpc_identity_options_t options = {.token = token, .token_file = token_file};
  sli_status_t *status = sli_rpc_identity_create(&options, &identity);
  SLI_EXPECT(!identity);
  SLI_EXPECT_INT(sli_status_code(status), code);
  SLI_EXPECT_CONTAINS(sli_status_message(status), text);
  SLI_EXPECT(!token || !strstr(sli_status_message(status), token));  // it is a secret
  sli_status_release(status);
}

SLI_TEST(test_a_token_must_be_long_and_visible) {
  expect_unusable("short", NULL, SLI_INVALID_ARGUMENT, "must have 16 to 1024 characters, got 5");
  expect_unusable("0123456789 abcdef", NULL, SLI_INVALID_ARGUMENT, "character 11");
  expect_unusable(secret, "/also", SLI_INVALID_ARGUMENT, "both set");
}

static char *write_token(const char *text, mode_t mode) {
  char *path = sli_format("%s/token-%o", sli_test_temporary_dir(), (unsigned)mode);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  SLI_EXPECT(write(file, text, strlen(text)) == (ssize_t)strlen(text));
  SLI_EXPECT(fchmod(file, mode) == 0);
  close(file);
  return path;
}

SLI_TEST(test_a_token_file_must_be_private) {
  char *open_file = write_token(secret, 0640), *good = write_token("0123456789abcdef0123456789abcdef\n", 0600);
  expect_unusable(NULL, open_file, SLI_FAILED_PRECONDITION, "mode is 0640: 'chmod 600");
  expect_unusable(NULL, "/nowhere/token", SLI_NOT_FOUND, "/nowhere/token");
  expect_unusable(NULL, sli_test_temporary_dir(), SLI_FAILED_PRECONDITION, "regular file");
  sli_rpc_identity_t *identity;
  SLI_REQUIRE_OK(sli_rpc_identity_create(&(sli_rpc_identity_options_t){.token_file = good}, &identity));
  SLI_EXPECT_TEXT(sli_rpc_identity_header(identity), "Bearer 0123456789abcdef0123456789abcdef");
  SLI_EXPECT(sli_rpc_identity_accepts(identity, sli_view("Bearer 0123456789abcdef0123456789abcdef")));
  SLI_EXPECT(!sli_rpc_identity_accepts(identity, sli_view("Bearer 0123456789abcdef0123456789abcdeF")));
  SLI_EXPECT(!sli_rpc_identity_accepts(identity, sli_view("")));
  sli_rpc_identity_release(identity);
  free(open_file);
  free(good);
}

// --- Calls ---

static int handled;
static bool could_borrow;

static void answer(void *context, sli_rpc_request_t *request) {
  handled++;
  could_borrow = sli_rpc_request_can_borrow(request);
  sli_rpc_request_respond(request, NULL, NULL);
}

static const sli_rpc_service_t service = {.handle = answer};

// Calls |method| twice, with |token| (NULL: none); a server with |server_token| must answer both with |code|.
static void call(const char *server_token, const char *token, const char *method, bool tcp_only, sli_code_t code,
                 const char *text) {
  sli_rpc_identity_t *here = with_token(token), *there = with_token(server_token);
  sli_rpc_loop_t *loop;
  sli_rpc_server_t *server;
  sli_rpc_channel_t *channel;
  SLI_REQUIRE_OK(sli_rpc_loop_create(NULL, &loop));
  SLI_REQUIRE_OK(
      sli_rpc_server_create(loop, "127.0.0.1", 0, &service, &(sli_rpc_server_options_t){.identity = there}, &server));
  char *target = sli_format("127.0.0.1:%d", sli_rpc_server_port(server));
  sli_rpc_channel_options_t options = {.identity = here, .tcp_only = tcp_only};
  SLI_REQUIRE_OK(sli_rpc_channel_create(loop, target, &options, &channel));
  for (int i = 0; i < 2; i++) {
    sli_slices_t request = {0};
    sli_rpc_message_t reply = {0};
    sli_status_t *status =
        sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = method}, &request, &reply);
    SLI_EXPECT_INT(sli_status_code(status), code);
    if (text) SLI_EXPECT_CONTAINS(sli_status_message(status), text);
    sli_status_release(status);
    sli_rpc_message_release(&reply);
  }
  sli_rpc_channel_destroy(channel);
  sli_rpc_server_destroy(server);
  sli_rpc_loop_destroy(loop);
  free(target);
  sli_rpc_identity_release(here);
  sli_rpc_identity_release(there);
}

SLI_TEST(test_a_server_with_a_token_answers_only_calls_that_have_it) {
  for (int tcp_only = 0; tcp_only < 2; tcp_only++) {
    handled = 0;
    call(secret, NULL, "/t.T/M", tcp_only, SLI_UNAUTHENTICATED, "requires a token and the call has none");
    call(secret, other, "/t.T/M", tcp_only, SLI_UNAUTHENTICATED, "the call has another token than the server");
    SLI_EXPECT_INT(handled, 0);
    call(secret, secret, "/t.T/M", tcp_only, SLI_OK, NULL);
    call(NULL, secret, "/t.T/M", tcp_only, SLI_OK, NULL);  // a server without a token answers all
    SLI_EXPECT_INT(handled, 4);
    call(secret, NULL, SLI_RPC_HEALTH_METHOD, tcp_only, SLI_OK, NULL);
    SLI_EXPECT_INT(handled, 4);
  }
}

SLI_TEST(test_memory_is_lent_to_who_has_the_token) {
  if (!sli_lend_start()) return;
  could_borrow = false;
  call(secret, secret, "/t.T/M", false, SLI_OK, NULL);
  SLI_EXPECT(could_borrow);  // the second call, whose client has got the memory with the first reply
  call(secret, secret, "/t.T/M", true, SLI_OK, NULL);
  SLI_EXPECT(!could_borrow);
}

// As another user: calls the server whose port comes out of |ports|, over TCP, and returns the code of its answer.
static int call_as_stranger(int ports) {
  int port;
  if (setgid(12345) != 0 || setuid(12345) != 0 || read(ports, &port, sizeof(port)) != sizeof(port)) return 100;
  sli_rpc_loop_t *loop;
  sli_rpc_channel_t *channel;
  char *target = sli_format("127.0.0.1:%d", port);
  sli_rpc_channel_options_t options = {.identity = with_token(NULL), .tcp_only = true};
  if (sli_rpc_loop_create(NULL, &loop) || sli_rpc_channel_create(loop, target, &options, &channel)) return 101;
  sli_slices_t request = {0};
  sli_rpc_message_t reply = {0};
  return (int)sli_status_code(
      sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = "/t.T/M"}, &request, &reply));
}

// A server that asks only other users for the token, called by our own user or by a stranger, who must get |code|.
static void serve_own_user(const char *address, bool is_stranger, sli_code_t code) {
  int pipes[2];
  SLI_REQUIRE(pipe(pipes) == 0);
  pid_t stranger = is_stranger ? fork() : 0;
  if (is_stranger && stranger == 0) _exit(call_as_stranger(pipes[0]));
  sli_rpc_identity_t *there;
  SLI_REQUIRE_OK(sli_rpc_identity_create(&(sli_rpc_identity_options_t){.token = secret, .same_user = true}, &there));
  sli_rpc_identity_t *here = with_token(NULL);
  sli_rpc_loop_t *serving, *calling;
  sli_rpc_server_t *server;
  SLI_REQUIRE_OK(sli_rpc_loop_create(NULL, &serving));
  SLI_REQUIRE_OK(sli_rpc_loop_start(serving));
  SLI_REQUIRE_OK(sli_rpc_loop_create(NULL, &calling));
  SLI_REQUIRE_OK(
      sli_rpc_server_create(serving, address, 0, &service, &(sli_rpc_server_options_t){.identity = there}, &server));
  int port = sli_rpc_server_port(server), result = 0;
  for (int tcp_only = 0; !is_stranger && tcp_only < 2; tcp_only++) {
    char *target = sli_format("localhost:%d", port);
    sli_rpc_channel_t *channel;
    SLI_REQUIRE_OK(sli_rpc_channel_create(
        calling, target, &(sli_rpc_channel_options_t){.identity = here, .tcp_only = tcp_only}, &channel));
    sli_slices_t request = {0};
    sli_rpc_message_t reply = {0};
    SLI_EXPECT_OK(sli_rpc_call_and_wait(channel, &(sli_rpc_call_options_t){.method = "/t.T/M"}, &request, &reply));
    sli_rpc_message_release(&reply);
    sli_rpc_channel_destroy(channel);
    free(target);
  }
  SLI_EXPECT(write(pipes[1], &port, sizeof(port)) == sizeof(port));
  if (is_stranger) {
    waitpid(stranger, &result, 0);
    SLI_EXPECT(WIFEXITED(result));
    SLI_EXPECT_INT(WEXITSTATUS(result), code);
  }
  close(pipes[0]);
  close(pipes[1]);
  sli_rpc_server_destroy(server);
  sli_rpc_loop_destroy(calling);
  sli_rpc_loop_destroy(serving);
  sli_rpc_identity_release(here);
  sli_rpc_identity_release(there);
}

SLI_TEST(test_the_token_may_be_for_other_users_only) {
  static const char *const addresses[] = {"127.0.0.1", NULL};  // NULL: all, through a socket of IPv6
  for (int i = 0; i < 2; i++) {
    serve_own_user(addresses[i], false, SLI_OK);
    if (geteuid() == 0) serve_own_user(addresses[i], true, SLI_UNAUTHENTICATED);  // only root can change its user
  }
}

SLI_TEST_MAIN(test_a_token_must_be_long_and_visible, test_a_token_file_must_be_private,
              test_a_server_with_a_token_answers_only_calls_that_have_it, test_memory_is_lent_to_who_has_the_token,
              test_the_token_may_be_for_other_users_only)
