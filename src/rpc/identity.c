#include "rpc/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/sync.h"
#include "rpc/identity_internal.h"
#include "rpc/socket_internal.h"

enum { MIN_TOKEN = 16, MAX_TOKEN = 1024 };
#define TOKEN_PREFIX "Bearer "

struct sli_rpc_identity {
  sli_refcount_t references;
  char *header;                // "Bearer TOKEN"; NULL: no token
  sli_rpc_tls_context_t *tls;  // NULL: no TLS
  bool plain_loopback, same_user;
};

static bool is_given(const char *text) { return text && *text; }
static bool is_set(const char *variable) {
  const char *text = getenv(variable);
  return is_given(text) && strcmp(text, "0") != 0;
}

// |source| is the environment variable or the file that the token came from; the token itself is never shown.
static sli_status_t *check_token(sli_view_t token, const char *source) {
  for (size_t i = 0; i < token.size; i++)
    if (token.data[i] <= ' ' || token.data[i] > '~')
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "the token in %s must consist of visible ASCII characters without spaces, but character "
                             "%zu is not one",
                             source, i + 1);
  if (token.size >= MIN_TOKEN && token.size <= MAX_TOKEN) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "the token in %s must have %d to %d characters, got %zu%s", source,
                         MIN_TOKEN, MAX_TOKEN, token.size,
                         token.size < MIN_TOKEN ? ": 'openssl rand -hex 32' makes a good one" : "");
}

static sli_status_t *check_token_file(int file, const char *path) {
  struct stat info;
  if (fstat(file, &info) != 0) return sli_status_from_errno(errno, "cannot read the token file %s", path);
  if (!S_ISREG(info.st_mode))
    return sli_status_make(SLI_FAILED_PRECONDITION, "the token file %s must be a regular file", path);
  if (info.st_uid != geteuid() && info.st_uid != 0)
    return sli_status_make(SLI_FAILED_PRECONDITION, "the token file %s must belong to this user or to root", path);
  if (info.st_mode & (S_IRWXG | S_IRWXO))
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "the token file %s must not be accessible by other users, but its mode is %04o: "
                           "'chmod 600 %s'",
                           path, (unsigned)info.st_mode & 07777, path);
  return NULL;
}

// Reads the first line of |path|.
static sli_status_t *read_token_file(const char *path, char **out_token) {
  *out_token = NULL;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return sli_status_from_errno(errno, "cannot open the token file %s", path);
  sli_status_t *status = check_token_file(file, path);
  char text[MAX_TOKEN + 2];
  ssize_t size = status ? 0 : read(file, text, sizeof(text));
  if (size < 0) status = sli_status_from_errno(errno, "cannot read the token file %s", path);
  close(file);
  if (status) return status;
  while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) size--;
  *out_token = sli_strndup(text, (size_t)size);
  OPENSSL_cleanse(text, sizeof(text));
  return NULL;
}

static sli_status_t *set_token(sli_rpc_identity_t *identity, const sli_rpc_identity_options_t *options) {
  bool has_text = is_given(options->token), has_file = is_given(options->token_file);
  if (has_text && has_file)
    return sli_status_make(SLI_INVALID_ARGUMENT, "SLUICE_TOKEN and SLUICE_TOKEN_FILE are both set: unset one of them");
  if (!has_text && !has_file) return NULL;
  char *token = NULL;
  if (has_file)
    SLI_RETURN_IF_ERROR(read_token_file(options->token_file, &token));
  else
    token = sli_strdup(options->token);
  sli_status_t *status = check_token(sli_view(token), has_file ? options->token_file : "SLUICE_TOKEN");
  if (!status) identity->header = sli_format(TOKEN_PREFIX "%s", token);
  OPENSSL_cleanse(token, strlen(token));
  free(token);
  return status;
}

static sli_status_t *set_tls(sli_rpc_identity_t *identity, const sli_rpc_identity_options_t *options) {
  const char *cert = is_given(options->tls_cert) ? options->tls_cert : NULL;
  const char *key = is_given(options->tls_key) ? options->tls_key : NULL;
  const char *ca = is_given(options->tls_ca) ? options->tls_ca : NULL;
  identity->plain_loopback = options->plain_loopback;
  if (!cert != !key)
    return sli_status_make(SLI_INVALID_ARGUMENT, "SLUICE_TLS_%s is set, but SLUICE_TLS_%s is not: they go together",
                           cert ? "CERT" : "KEY", cert ? "KEY" : "CERT");
  return cert || ca ? sli_rpc_tls_context_create(cert, key, ca, &identity->tls) : NULL;
}

sli_status_t *sli_rpc_identity_create(const sli_rpc_identity_options_t *options, sli_rpc_identity_t **out_identity) {
  *out_identity = NULL;
  sli_rpc_identity_t *identity = sli_calloc(1, sizeof(*identity));
  sli_refcount_initialize(&identity->references);
  identity->same_user = options->same_user;
  sli_status_t *status = set_token(identity, options);
  if (!status) status = set_tls(identity, options);
  if (status) {
    sli_rpc_identity_release(identity);
    return status;
  }
  *out_identity = identity;
  return NULL;
}

sli_rpc_identity_t *sli_rpc_identity_retain(sli_rpc_identity_t *identity) {
  sli_refcount_retain(&identity->references);
  return identity;
}

void sli_rpc_identity_release(sli_rpc_identity_t *identity) {
  if (!identity || !sli_refcount_release(&identity->references)) return;
  if (identity->header) OPENSSL_cleanse(identity->header, strlen(identity->header));
  free(identity->header);
  sli_rpc_tls_context_release(identity->tls);
  free(identity);
}

sli_status_t *sli_rpc_identity_of_process(sli_rpc_identity_t **out_identity) {
  static sli_mutex_t mutex = SLI_MUTEX_INITIALIZER;
  static sli_rpc_identity_t *own;  // never released: calls may need it until the process ends
  *out_identity = NULL;
  sli_mutex_lock(&mutex);
  sli_status_t *status = NULL;
  if (!own) {
    sli_rpc_identity_options_t options = {.token = getenv("SLUICE_TOKEN"),
                                          .token_file = getenv("SLUICE_TOKEN_FILE"),
                                          .same_user = is_set("SLUICE_TOKEN_SAME_USER"),
                                          .tls_cert = getenv("SLUICE_TLS_CERT"),
                                          .tls_key = getenv("SLUICE_TLS_KEY"),
                                          .tls_ca = getenv("SLUICE_TLS_CA"),
                                          .plain_loopback = is_set("SLUICE_TLS_PLAIN_LOOPBACK")};
    status = sli_rpc_identity_create(&options, &own);
  }
  if (own) *out_identity = sli_rpc_identity_retain(own);
  sli_mutex_unlock(&mutex);
  return status;
}

bool sli_rpc_identity_has_token(const sli_rpc_identity_t *identity) { return identity->header != NULL; }

bool sli_rpc_identity_has_cert(const sli_rpc_identity_t *identity) {
  return identity->tls && sli_rpc_tls_context_has_cert(identity->tls);
}

sli_rpc_tls_context_t *sli_rpc_identity_tls(const sli_rpc_identity_t *identity) { return identity->tls; }

bool sli_rpc_identity_is_plain_on_loopback(const sli_rpc_identity_t *identity) { return identity->plain_loopback; }

const char *sli_rpc_identity_header(const sli_rpc_identity_t *identity) { return identity->header; }

bool sli_rpc_identity_accepts(const sli_rpc_identity_t *identity, sli_view_t value) {
  size_t size = identity->header ? strlen(identity->header) : 0;
  return size && value.size == size && CRYPTO_memcmp(value.data, identity->header, size) == 0;
}

bool sli_rpc_identity_knows(const sli_rpc_identity_t *identity, int fd) {
  return identity->same_user && sli_rpc_socket_is_of_our_user(fd);
}
