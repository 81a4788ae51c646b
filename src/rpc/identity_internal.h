// How calls carry an identity.
#ifndef SLI_RPC_IDENTITY_INTERNAL_H_
#define SLI_RPC_IDENTITY_INTERNAL_H_

#include "base/string.h"
#include "rpc/identity.h"
#include "rpc/tls_internal.h"

#define SLI_RPC_TOKEN_HEADER "authorization"

// The value of the header that a client sends, "Bearer …"; NULL without a token.
const char *sli_rpc_identity_header(const sli_rpc_identity_t *identity);
// Whether |value| of that header is the right one. Takes the same time for all values of one length.
bool sli_rpc_identity_accepts(const sli_rpc_identity_t *identity, sli_view_t value);

// Whether the peer at |fd| needs no token, being of our own user.
bool sli_rpc_identity_knows(const sli_rpc_identity_t *identity, int fd);

// For connections; NULL without TLS. Lives as long as the identity.
sli_rpc_tls_context_t *sli_rpc_identity_tls(const sli_rpc_identity_t *identity);
bool sli_rpc_identity_is_plain_on_loopback(const sli_rpc_identity_t *identity);

#endif  // SLI_RPC_IDENTITY_INTERNAL_H_
