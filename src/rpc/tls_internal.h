// TLS for one connection, over OpenSSL. The bytes inside are HTTP/2, unless said otherwise. No call blocks or
// raises SIGPIPE. The caller must hold the connection's guard.
#ifndef SLI_RPC_TLS_INTERNAL_H_
#define SLI_RPC_TLS_INTERNAL_H_

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/status.h"

// The settings of all connections of an identity: certificates and trust. Immutable; thread-safe.
typedef struct sli_rpc_tls_context sli_rpc_tls_context_t;

// Paths of PEM files, or NULL. |cert| (with its chain) and |key| go together; |ca|: whom to trust, NULL: the system's
// authorities. A server with |ca| accepts only clients with a certificate of it. Errors name the file.
sli_status_t *sli_rpc_tls_context_create(const char *cert, const char *key, const char *ca,
                                         sli_rpc_tls_context_t **out_context);
void sli_rpc_tls_context_release(sli_rpc_tls_context_t *context);  // NULL is allowed
// Whether there is a certificate: a server needs one.
bool sli_rpc_tls_context_has_cert(const sli_rpc_tls_context_t *context);

typedef struct sli_rpc_tls sli_rpc_tls_t;

// Does not own |fd|. |host|: of a client, the name or number that the server's certificate must have; NULL: a server.
// |context| must outlive it.
sli_status_t *sli_rpc_tls_create(sli_rpc_tls_context_t *context, int fd, const char *host, sli_rpc_tls_t **out_tls);
void sli_rpc_tls_destroy(sli_rpc_tls_t *tls);  // NULL is allowed
// Of a server, before its first read: the bytes inside are HTTP/1.1.
void sli_rpc_tls_use_http1(sli_rpc_tls_t *tls);

// As sli_rpc_socket_read and _write; they make the handshake first. On failure errno is EAGAIN if the socket must
// become readable or, if sli_rpc_tls_wants_out, writable; EPROTO for an error of TLS, see sli_rpc_tls_failure. A write
// that was not done must be repeated with the same bytes, and possibly more.
ssize_t sli_rpc_tls_read(sli_rpc_tls_t *tls, const struct iovec *parts, int count);
ssize_t sli_rpc_tls_write(sli_rpc_tls_t *tls, const struct iovec *parts, int count);
bool sli_rpc_tls_wants_out(const sli_rpc_tls_t *tls);
// Whether the last read ended for lack of room: there may be more.
bool sli_rpc_tls_has_more(const sli_rpc_tls_t *tls);
// Why TLS failed: UNAVAILABLE "TLS: …"; NULL if it did not. The caller releases it.
sli_status_t *sli_rpc_tls_failure(const sli_rpc_tls_t *tls);
// Tells the peer that nothing more is sent.
void sli_rpc_tls_shutdown(sli_rpc_tls_t *tls);

#endif  // SLI_RPC_TLS_INTERNAL_H_
