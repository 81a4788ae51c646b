// Who a process is to its peers, and which peers it accepts: a token that all tasks of
// a job have, and certificates for TLS. A client sends the token with every call; a
// server that has one answers calls without it, or with another one, with
// UNAUTHENTICATED. A server with a certificate speaks TLS only. docs/security.md says
// what they protect.
#ifndef SLI_RPC_IDENTITY_H_
#define SLI_RPC_IDENTITY_H_

#include <stdbool.h>

#include "base/status.h"

// Immutable. Reference counted; thread-safe.
typedef struct sli_rpc_identity sli_rpc_identity_t;

// Strings may be NULL or empty: not given.
typedef struct {
  const char *token;       // 16 to 1,024 visible ASCII characters
  const char *token_file;  // holds the token; must not be accessible by other users
  bool same_user;          // a server asks processes of its own user, and of root, on this host for no token
  // PEM files. |tls_cert| and |tls_key| go together; a server needs them, a client if the server asks for them.
  // |tls_ca|: whom to trust; without it the system's authorities. A server with it asks clients for certificates of
  // it.
  const char *tls_cert, *tls_key, *tls_ca;
  bool plain_loopback;  // a server accepts clients of this host without TLS, over the loopback device only
} sli_rpc_identity_options_t;

// INVALID_ARGUMENT or FAILED_PRECONDITION, naming the environment variable, if an option is not usable.
sli_status_t *sli_rpc_identity_create(const sli_rpc_identity_options_t *options, sli_rpc_identity_t **out_identity);
// That of this process, from SLUICE_TOKEN or SLUICE_TOKEN_FILE, SLUICE_TOKEN_SAME_USER, SLUICE_TLS_CERT,
// SLUICE_TLS_KEY, SLUICE_TLS_CA and SLUICE_TLS_PLAIN_LOOPBACK, which are read at the first call. The caller releases
// it.
sli_status_t *sli_rpc_identity_of_process(sli_rpc_identity_t **out_identity);
sli_rpc_identity_t *sli_rpc_identity_retain(sli_rpc_identity_t *identity);
void sli_rpc_identity_release(sli_rpc_identity_t *identity);  // NULL is allowed

bool sli_rpc_identity_has_token(const sli_rpc_identity_t *identity);
// Whether servers speak TLS.
bool sli_rpc_identity_has_cert(const sli_rpc_identity_t *identity);

#endif  // SLI_RPC_IDENTITY_H_
