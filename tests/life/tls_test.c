// TLS: calls of many sizes, who is refused and what both sides are told, and that no plain byte is served.
#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "rpc/channel.h"
#include "rpc/server.h"
#include "tests/life/life.h"
#include "tests/support/tool.h"

// --- Certificates ---

static const char *ours(void) { return tool_scratch("ours"); }
static const char *theirs(void) { return tool_scratch("theirs"); }

static void make_keys(void) {
  static bool done;
  if (done) return;
  done = true;
  tool_run_t run;
  TOOL_RUN(&run, "keys", ours(), "--hosts", "good+good.example.org,expired,elsewhere");
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  TOOL_RUN(&run, "keys", theirs(), "--hosts", "good");
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
}

static X509 *read_cert(const char *path) {
  FILE *file = fopen(path, "re");
  X509 *cert = file ? PEM_read_X509(file, NULL, NULL, NULL) : NULL;
  if (file) fclose(file);
  return cert;
}

// Signs |name|.pem of ours again after a change: expired, or without the names of this machine.
static void resign(const char *name, bool expires) {
  char path[512];
  snprintf(path, sizeof(path), "%s/ca-key.pem", ours());
  FILE *file = fopen(path, "re");
  EVP_PKEY *key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;
  if (file) fclose(file);
  snprintf(path, sizeof(path), "%s/%s.pem", ours(), name);
  X509 *cert = read_cert(path);
  SLI_REQUIRE(key && cert);
  if (expires) X509_gmtime_adj(X509_getm_notAfter(cert), -60);
  int names = X509_get_ext_by_NID(cert, NID_subject_alt_name, -1);
  if (!expires) X509_EXTENSION_free(X509_delete_ext(cert, names));
  SLI_EXPECT(X509_sign(cert, key, EVP_sha256()) > 0);
  file = fopen(path, "we");
  SLI_EXPECT(file && PEM_write_X509(file, cert) == 1);
  if (file) fclose(file);
  X509_free(cert);
  EVP_PKEY_free(key);
}

// |cert|: a name in |directory|; NULL: none. |ca|: the directory of an authority; NULL: none.
static sli_rpc_identity_t *identity_of(const char *directory, const char *cert, const char *ca, bool plain_loopback) {
  char *paths[] = {sli_format("%s/%s.pem", directory, cert ? cert : ""),
                   sli_format("%s/%s-key.pem", directory, cert ? cert : ""), sli_format("%s/ca.pem", ca ? ca : "")};
  sli_rpc_identity_t *identity = NULL;
  SLI_EXPECT_OK(sli_rpc_identity_create(&(sli_rpc_identity_options_t){.tls_cert = cert ? paths[0] : NULL,
                                                                      .tls_key = cert ? paths[1] : NULL,
                                                                      .tls_ca = ca ? paths[2] : NULL,
                                                                      .plain_loopback = plain_loopback},
                                        &identity));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(paths); i++) free(paths[i]);
  return identity;
}

// --- Calls ---

static void echo(void *context, sli_rpc_request_t *request) {
  sli_slices_t reply = {0};
  sli_rpc_message_t *message = sli_rpc_request_message(request);
  sli_slices_append(&reply, message->data, message->size, message->release, message->context);
  *message = (sli_rpc_message_t){0};
  sli_rpc_request_respond(request, NULL, &reply);
}

static const sli_rpc_service_t service = {.handle = echo};

typedef struct {
  sli_rpc_loop_t *serving, *calling;
  sli_rpc_server_t *server;
  sli_rpc_channel_t *channel;
} link_t;

static bool connect_link(link_t *link, sli_rpc_identity_t *server, sli_rpc_identity_t *client, const char *host) {
  *link = (link_t){0};
  SLI_EXPECT_OK(sli_rpc_loop_create(NULL, &link->serving));
  SLI_EXPECT_OK(sli_rpc_loop_start(link->serving));
  SLI_EXPECT_OK(sli_rpc_loop_create(NULL, &link->calling));
  sli_rpc_server_options_t options = {.identity = server};
  SLI_EXPECT_OK(sli_rpc_server_create(link->serving, "127.0.0.1", 0, &service, &options, &link->server));
  if (!link->server) return false;
  char *target = sli_format("%s:%d", host, sli_rpc_server_port(link->server));
  SLI_EXPECT_OK(sli_rpc_channel_create(
      link->calling, target, &(sli_rpc_channel_options_t){.identity = client, .tcp_only = true}, &link->channel));
  free(target);
  return link->channel != NULL;
}

static void disconnect_link(link_t *link) {
  sli_rpc_channel_destroy(link->channel);
  sli_rpc_server_destroy(link->server);
  sli_rpc_loop_destroy(link->calling);
  sli_rpc_loop_destroy(link->serving);
}

static sli_status_t *call_with(link_t *link, const char *data, size_t size) {
  sli_slices_t request = {0};
  sli_slices_append(&request, data, size, NULL, NULL);
  sli_rpc_message_t reply = {0};
  sli_rpc_call_options_t options = {.method = "/t.T/Echo"};
  sli_status_t *status = sli_rpc_call_and_wait(link->channel, &options, &request, &reply);
  if (!status) SLI_EXPECT(reply.size == size && !memcmp(reply.data, data, size));
  sli_rpc_message_release(&reply);
  return status;
}

SLI_TEST(test_messages_of_many_sizes_pass) {
  enum { SIZE = 20 << 20 };
  static const size_t sizes[] = {0, 1, 5, 1000, 16379, 16384, 16385, 65536, 300000, SIZE, 7, SIZE};
  make_keys();
  sli_rpc_identity_t *own = identity_of(ours(), "good", ours(), false);
  link_t link;
  if (connect_link(&link, own, own, "localhost")) {
    char *data = sli_malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++) data[i] = (char)(i * 31 >> 7);
    for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(sizes); i++) SLI_EXPECT_OK(call_with(&link, data, sizes[i]));
    free(data);
  }
  disconnect_link(&link);
  sli_rpc_identity_release(own);
}

// The call must fail, and the client must be told |text|.
static void expect_refused(sli_rpc_identity_t *server, sli_rpc_identity_t *client, const char *host, const char *text) {
  link_t link;
  if (connect_link(&link, server, client, host)) {
    sli_status_t *status = call_with(&link, "", 0);
    SLI_EXPECT_INT(sli_status_code(status), SLI_UNAVAILABLE);
    SLI_EXPECT_CONTAINS(sli_status_message(status), text);
    SLI_EXPECT_INT(sli_rpc_channel_failure(link.channel), SLI_RPC_FAILURE_TLS);
    sli_status_release(status);
  }
  disconnect_link(&link);
  sli_rpc_identity_release(server);
  sli_rpc_identity_release(client);
}

SLI_TEST(test_who_is_refused_is_told_why) {
  make_keys();
  resign("expired", true);
  resign("elsewhere", false);
  expect_refused(identity_of(ours(), "good", ours(), false), identity_of(theirs(), "good", theirs(), false),
                 "127.0.0.1", "the server's certificate (localhost, 127.0.0.1, ::1, good, good.example.org) is not of");
  expect_refused(identity_of(ours(), "good", ours(), false), identity_of(theirs(), "good", ours(), false), "127.0.0.1",
                 "the peer does not accept our certificate");
  expect_refused(identity_of(ours(), "good", ours(), false), identity_of(ours(), NULL, ours(), false), "127.0.0.1",
                 "the server requires a certificate of the client");
  expect_refused(identity_of(ours(), "good", ours(), false), identity_of(ours(), NULL, NULL, false), "127.0.0.1",
                 "the server requires TLS: set SLUICE_TLS_CA");
  expect_refused(identity_of(ours(), NULL, NULL, false), identity_of(ours(), "good", ours(), false), "127.0.0.1",
                 "the peer does not speak TLS: start it with certificates, too");
  expect_refused(identity_of(ours(), "expired", ours(), false), identity_of(ours(), "good", ours(), false), "127.0.0.1",
                 "certificate has expired: make a new one");
  expect_refused(identity_of(ours(), "good", ours(), false), identity_of(ours(), "expired", ours(), false), "127.0.0.1",
                 "the peer says that our certificate has expired");
  expect_refused(identity_of(ours(), "elsewhere", ours(), false), identity_of(ours(), "good", ours(), false),
                 "127.0.0.1", "is for no name, not for 127.0.0.1");
  expect_refused(identity_of(ours(), "elsewhere", ours(), false), identity_of(ours(), "good", ours(), false),
                 "localhost", "is for no name, not for localhost");
}

SLI_TEST(test_plain_clients_may_be_allowed_on_loopback) {
  make_keys();
  sli_rpc_identity_t *server = identity_of(ours(), "good", ours(), true),
                     *plain = identity_of(ours(), NULL, NULL, false);
  link_t link;
  if (connect_link(&link, server, plain, "127.0.0.1")) SLI_EXPECT_OK(call_with(&link, "text", 4));
  disconnect_link(&link);
  if (connect_link(&link, server, server, "127.0.0.1")) SLI_EXPECT_OK(call_with(&link, "text", 4));
  disconnect_link(&link);
  sli_rpc_identity_release(server);
  sli_rpc_identity_release(plain);
}

SLI_TEST(test_files_that_cannot_be_used_are_named) {
  make_keys();
  char *cert = sli_format("%s/good.pem", ours()), *key = sli_format("%s/good-key.pem", theirs());
  sli_rpc_identity_t *identity;
  sli_rpc_identity_options_t options = {.tls_cert = cert, .tls_key = key};
  sli_status_t *status = sli_rpc_identity_create(&options, &identity);
  SLI_EXPECT_INT(sli_status_code(status), SLI_FAILED_PRECONDITION);
  SLI_EXPECT_CONTAINS(sli_status_message(status), key);
  sli_status_release(status);
  options.tls_key = NULL;
  SLI_EXPECT_STATUS(sli_rpc_identity_create(&options, &identity), SLI_INVALID_ARGUMENT);
  options = (sli_rpc_identity_options_t){.tls_ca = "/nowhere/ca.pem"};
  status = sli_rpc_identity_create(&options, &identity);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "/nowhere/ca.pem");
  sli_status_release(status);
  free(cert);
  free(key);
}

// --- No plain byte ---

// Sends |text| to |port| and returns what the server sends until it closes.
static ssize_t talk(int port, const char *text, size_t size, unsigned char *out, size_t capacity) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ssize_t total = -1;
  if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
      send(fd, text, size, MSG_NOSIGNAL) == (ssize_t)size) {
    total = 0;
    for (ssize_t got; (got = recv(fd, out + total, capacity - (size_t)total, 0)) > 0;) total += got;
  }
  close(fd);
  return total;
}

SLI_TEST(test_no_plain_byte_is_served) {
  static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", http[] = "GET / HTTP/1.1\r\n\r\n",
                    zeros[64] = "";
  static const struct {
    const char *text;
    size_t size;
  } starts[] = {
      {preface, sizeof(preface) - 1}, {http, sizeof(http) - 1}, {zeros, sizeof(zeros)}, {"\x16\3\1\0\5hello", 10}};
  make_keys();
  sli_rpc_identity_t *own = identity_of(ours(), "good", ours(), false);
  link_t link;
  bool serves = connect_link(&link, own, own, "127.0.0.1");
  for (size_t i = 0; serves && i < SLI_ARRAY_COUNT_OF(starts); i++) {
    unsigned char bytes[4096];
    ssize_t size = talk(sli_rpc_server_port(link.server), starts[i].text, starts[i].size, bytes, sizeof(bytes));
    SLI_EXPECT(size >= 0 && size <= 7);  // nothing, or an alert of TLS
    if (size > 0) SLI_EXPECT(size == 7 && bytes[0] == 21 && bytes[1] == 3);
  }
  disconnect_link(&link);
  sli_rpc_identity_release(own);
}

// As another user: the number of bytes that the Unix socket of |port| gives before it closes, or -1.
static int read_unix_socket(int port) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "sluice/ipv4:127.0.0.1:%d", port), status = 0;
  pid_t stranger = fork();
  if (stranger == 0) {
    char byte;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (setuid(12345) != 0 || connect(fd, (struct sockaddr *)&name, size) != 0) _exit(2);
    _exit(read(fd, &byte, 1) > 0);
  }
  waitpid(stranger, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) < 2 ? WEXITSTATUS(status) : -1;
}

SLI_TEST(test_the_unix_socket_is_for_our_own_user) {
  if (geteuid() != 0) return;  // only root can change its user
  make_keys();
  sli_rpc_identity_t *own = identity_of(ours(), "good", ours(), false), *open = identity_of(ours(), NULL, NULL, false);
  link_t link;
  if (connect_link(&link, own, own, "127.0.0.1")) SLI_EXPECT_INT(read_unix_socket(sli_rpc_server_port(link.server)), 0);
  disconnect_link(&link);
  if (connect_link(&link, open, open, "127.0.0.1"))
    SLI_EXPECT_INT(read_unix_socket(sli_rpc_server_port(link.server)), 1);  // without certificates all are served
  disconnect_link(&link);
  sli_rpc_identity_release(own);
  sli_rpc_identity_release(open);
}

// Runs `openssl s_client ARGUMENTS` against |port|, and returns its output, which the caller frees.
static char *run_s_client(int port, const char *const *arguments) {
  char *address = sli_format("127.0.0.1:%d", port);
  char *argv[24] = {"openssl", "s_client", "-connect", address};
  size_t count = 4;
  for (size_t i = 0; arguments[i] && count < 23; i++) argv[count++] = (char *)arguments[i];
  int file = open(tool_scratch("s_client"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  pid_t pid;
  sli_status_t *status = sli_process_start(&(sli_process_options_t){.argv = argv, .output = file, .error = file}, &pid);
  SLI_EXPECT_OK(status);
  close(file);
  free(address);
  if (!status) waitpid(pid, NULL, 0);  // it ends at the end of its input
  return tool_read_text(tool_scratch("s_client"));
}

#define OURS(name) tool_path_in(ours(), name)
#define THEIRS(name) tool_path_in(theirs(), name)
#define RUN_S_CLIENT(port, ...) run_s_client(port, (const char *const[]){__VA_ARGS__, NULL})

SLI_TEST(test_openssl_agrees) {
  make_keys();
  sli_rpc_identity_t *own = identity_of(ours(), "good", ours(), false);
  link_t link;
  if (connect_link(&link, own, own, "127.0.0.1")) {
    int port = sli_rpc_server_port(link.server);
    char *said = RUN_S_CLIENT(port, "-alpn", "h2", "-CAfile", OURS("ca.pem"), "-cert", OURS("good.pem"), "-key",
                              OURS("good-key.pem"), "-verify_return_error", "-verify_ip", "127.0.0.1");
    SLI_EXPECT_CONTAINS(said, "ALPN protocol: h2");
    SLI_EXPECT_CONTAINS(said, "Verify return code: 0 (ok)");
    free(said);
    said = RUN_S_CLIENT(port, "-alpn", "http/1.1", "-cert", OURS("good.pem"), "-key", OURS("good-key.pem"));
    SLI_EXPECT_CONTAINS(said, "no application protocol");
    free(said);
    said = RUN_S_CLIENT(port, "-tls1_1", "-cert", OURS("good.pem"), "-key", OURS("good-key.pem"));
    SLI_EXPECT_CONTAINS(said, "Cipher is (NONE)");
    free(said);
    said = RUN_S_CLIENT(port, "-tls1_2", "-cert", THEIRS("good.pem"), "-key", THEIRS("good-key.pem"));
    SLI_EXPECT_CONTAINS(said, "alert unknown ca");
    free(said);
  }
  disconnect_link(&link);
  sli_rpc_identity_release(own);
}

// --- The command ---

SLI_TEST(test_doctor_and_the_server_say_what_is_wrong) {
  make_keys();
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  if (life_start(&cluster, 0,
                 (const char *const[]){"--tls-cert", OURS("good.pem"), "--tls-key", OURS("good-key.pem"), "--tls-ca",
                                       OURS("ca.pem"), NULL})) {
    tool_run_t run;
    TOOL_RUN(&run, "doctor", "--tls-cert", OURS("good.pem"), "--tls-key", OURS("good-key.pem"), "--tls-ca",
             OURS("ca.pem"), life_address(&cluster, 0));
    SLI_EXPECT_INT(run.code, 0);
    tool_run_release(&run);
    TOOL_RUN(&run, "doctor", "--tls-ca", THEIRS("ca.pem"), life_address(&cluster, 0));
    SLI_EXPECT_INT(run.code, 1);
    SLI_EXPECT_CONTAINS(run.out, "is not of an authority that is trusted here");
    tool_run_release(&run);
    SLI_EXPECT(life_wait_log(&cluster, 0, "TLS: the peer does not accept our certificate"));
    TOOL_RUN(&run, "doctor", life_address(&cluster, 0));
    SLI_EXPECT_INT(run.code, 1);
    SLI_EXPECT_CONTAINS(run.out, "the server requires TLS: set SLUICE_TLS_CA");
    tool_run_release(&run);
  }
  life_stop(&cluster);
}

// A server with the certificate |server|, and doctor with |client| (of |authority|'s directory) that trusts |ca|.
static void expect_doctor(const char *server, const char *authority, const char *client, const char *ca,
                          const char *doctor, const char *log) {
  char *files[] = {sli_format("%s/%s.pem", ours(), server), sli_format("%s/%s-key.pem", ours(), server),
                   sli_format("%s/%s.pem", authority, client), sli_format("%s/%s-key.pem", authority, client),
                   sli_format("%s/ca.pem", ca)};
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  if (life_start(
          &cluster, 0,
          (const char *const[]){"--tls-cert", files[0], "--tls-key", files[1], "--tls-ca", OURS("ca.pem"), NULL})) {
    tool_run_t run;
    TOOL_RUN(&run, "doctor", "--tls-cert", files[2], "--tls-key", files[3], "--tls-ca", files[4],
             life_address(&cluster, 0));
    SLI_EXPECT_INT(run.code, 1);
    SLI_EXPECT_CONTAINS(run.out, "FAILED");
    SLI_EXPECT_CONTAINS(run.out, doctor);
    tool_run_release(&run);
    SLI_EXPECT(life_wait_log(&cluster, 0, log));
  }
  life_stop(&cluster);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(files); i++) free(files[i]);
}

SLI_TEST(test_each_wrong_certificate_is_named_on_both_sides) {
  make_keys();
  resign("expired", true);
  resign("elsewhere", false);
  expect_doctor("good", theirs(), "good", theirs(), "is not of an authority that is trusted here",
                "TLS: the peer does not accept our certificate");
  expect_doctor("good", theirs(), "good", ours(), "the peer does not accept our certificate",
                "is not of an authority that is trusted here");
  expect_doctor("expired", ours(), "good", ours(), "certificate has expired: make a new one",
                "the peer says that our certificate has expired");
  expect_doctor("good", ours(), "expired", ours(), "the peer says that our certificate has expired",
                "certificate has expired");
  expect_doctor("elsewhere", ours(), "good", ours(), "is for no name, not for",
                "TLS: the peer does not accept our certificate");
}

SLI_TEST_MAIN(test_messages_of_many_sizes_pass, test_who_is_refused_is_told_why,
              test_plain_clients_may_be_allowed_on_loopback, test_files_that_cannot_be_used_are_named,
              test_no_plain_byte_is_served, test_the_unix_socket_is_for_our_own_user, test_openssl_agrees,
              test_doctor_and_the_server_say_what_is_wrong, test_each_wrong_certificate_is_named_on_both_sides)
