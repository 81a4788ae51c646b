#include "rpc/tls_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/string.h"

// The most that one record holds.
#define RECORD_SIZE ((size_t)16384)

static const unsigned char protocols[] = {2, 'h', '2'};

struct sli_rpc_tls_context {
  SSL_CTX *server, *client;
  bool has_cert;
};

struct sli_rpc_tls {
  SSL *ssl;
  char *host;          // of a client
  sli_string_t names;  // in the peer's certificate, if that was not accepted
  bool is_http1;       // of a server: the protocol inside is HTTP/1.1
  bool wants_out, has_more;
  sli_status_t *failure;
};

// ---- Contexts ---------------------------------------------------------------------

// The reason of OpenSSL's first error, whose queue is emptied.
static const char *take_reason(void) {
  unsigned long error = ERR_get_error();
  const char *reason = error ? ERR_reason_error_string(error) : NULL;
  ERR_clear_error();
  return reason ? reason : "unknown error";
}

// The protocol that the connection is for, or nothing.
static int select_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_size, const unsigned char *offered,
                           unsigned int offered_size, void *context) {
  static const unsigned char http1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  const sli_rpc_tls_t *tls = SSL_get_app_data(ssl);
  unsigned char *chosen;
  if (SSL_select_next_proto(&chosen, out_size, tls->is_http1 ? http1 : protocols,
                            tls->is_http1 ? sizeof(http1) : sizeof(protocols), offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// The names in a certificate: "host0, localhost, 127.0.0.1".
static void append_names(X509 *certificate, sli_string_t *out) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    char text[INET6_ADDRSTRLEN] = "";
    const char *separator = out->size ? ", " : "";
    if (name->type == GEN_DNS)
      sli_string_append_format(out, "%s%.*s", separator, ASN1_STRING_length(name->d.dNSName),
                               (const char *)ASN1_STRING_get0_data(name->d.dNSName));
    else if (name->type == GEN_IPADD && inet_ntop(ASN1_STRING_length(name->d.iPAddress) == 4 ? AF_INET : AF_INET6,
                                                  ASN1_STRING_get0_data(name->d.iPAddress), text, sizeof(text)))
      sli_string_append_format(out, "%s%s", separator, text);
  }
  GENERAL_NAMES_free(names);
}

// Keeps the names of a certificate that is not accepted, for the error.
static int on_verify(int is_good, X509_STORE_CTX *store) {
  SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
  sli_rpc_tls_t *tls = SSL_get_app_data(ssl);
  if (!is_good && !tls->names.size) append_names(X509_STORE_CTX_get0_cert(store), &tls->names);
  return is_good;
}

static sli_status_t *load_files(SSL_CTX *context, const char *cert, const char *key, const char *ca) {
  if (cert && SSL_CTX_use_certificate_chain_file(context, cert) != 1)
    return sli_status_make(SLI_FAILED_PRECONDITION, "cannot use the certificate %s: %s", cert, take_reason());
  if (cert && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
    return sli_status_make(SLI_FAILED_PRECONDITION, "cannot use the private key %s: %s", key, take_reason());
  if (cert && SSL_CTX_check_private_key(context) != 1)
    return sli_status_make(SLI_FAILED_PRECONDITION, "the private key %s does not belong to the certificate %s", key,
                           cert);
  int trusts = ca ? SSL_CTX_load_verify_locations(context, ca, NULL) : SSL_CTX_set_default_verify_paths(context);
  if (trusts != 1)
    return sli_status_make(SLI_FAILED_PRECONDITION, "cannot use the certificates of authorities in %s: %s",
                           ca ? ca : "the system's directory", take_reason());
  return NULL;
}

static sli_status_t *make_context(bool is_server, const char *cert, const char *key, const char *ca,
                                  SSL_CTX **out_context) {
  SSL_CTX *context = *out_context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  if (!context) return sli_status_make(SLI_INTERNAL, "cannot prepare TLS: %s", take_reason());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SLI_RETURN_IF_ERROR(load_files(context, cert, key, ca));
  if (is_server) {
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_alpn_select_cb(context, select_protocol, NULL);
    SSL_CTX_set_verify(context, ca ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_NONE, on_verify);
    if (ca) SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(ca));
  } else {
    SSL_CTX_set_alpn_protos(context, protocols, sizeof(protocols));
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, on_verify);
  }
  return NULL;
}

sli_status_t *sli_rpc_tls_context_create(const char *cert, const char *key, const char *ca,
                                         sli_rpc_tls_context_t **out_context) {
  *out_context = NULL;
  sli_rpc_tls_context_t *context = sli_calloc(1, sizeof(*context));
  context->has_cert = cert != NULL;
  ERR_clear_error();
  sli_status_t *status = make_context(false, cert, key, ca, &context->client);
  if (!status && cert) status = make_context(true, cert, key, ca, &context->server);
  if (status) {
    sli_rpc_tls_context_release(context);
    return status;
  }
  *out_context = context;
  return NULL;
}

void sli_rpc_tls_context_release(sli_rpc_tls_context_t *context) {
  if (!context) return;
  SSL_CTX_free(context->server);
  SSL_CTX_free(context->client);
  free(context);
}

bool sli_rpc_tls_context_has_cert(const sli_rpc_tls_context_t *context) { return context->has_cert; }

// ---- The socket: as OpenSSL's own, but without SIGPIPE ----------------------------

static int socket_of(BIO *bio) { return (int)(intptr_t)BIO_get_data(bio); }

static int socket_write(BIO *bio, const char *data, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t sent = send(socket_of(bio), data, (size_t)size, MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) BIO_set_retry_write(bio);
  return (int)sent;
}

static int socket_read(BIO *bio, char *data, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t got = recv(socket_of(bio), data, (size_t)size, 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) BIO_set_retry_read(bio);
  return (int)got;
}

static long socket_control(BIO *bio, int command, long number, void *pointer) { return command == BIO_CTRL_FLUSH; }

static int socket_create(BIO *bio) {
  BIO_set_init(bio, 1);
  return 1;
}

static BIO_METHOD *method;
static pthread_once_t method_once = PTHREAD_ONCE_INIT;

static void make_method(void) {
  method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "sluice socket");
  SLI_CHECK(method && BIO_meth_set_write(method, socket_write) && BIO_meth_set_read(method, socket_read) &&
            BIO_meth_set_ctrl(method, socket_control) && BIO_meth_set_create(method, socket_create));
}

// ---- Connections ------------------------------------------------------------------

static bool is_number(const char *host) {
  unsigned char bytes[sizeof(struct in6_addr)];
  return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

// The server must have a certificate for |host|.
static bool expect_host(SSL *ssl, const char *host) {
  if (is_number(host)) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1;
  return SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set1_host(ssl, host) == 1;
}

sli_status_t *sli_rpc_tls_create(sli_rpc_tls_context_t *context, int fd, const char *host, sli_rpc_tls_t **out_tls) {
  *out_tls = NULL;
  pthread_once(&method_once, make_method);
  ERR_clear_error();
  SSL *ssl = SSL_new(host ? context->client : context->server);
  BIO *bio = BIO_new(method);
  if (!ssl || !bio || (host && !expect_host(ssl, host))) {
    SSL_free(ssl);
    BIO_free(bio);
    return sli_status_make(SLI_UNAVAILABLE, "TLS: cannot begin: %s", take_reason());
  }
  BIO_set_data(bio, (void *)(intptr_t)fd);
  SSL_set_bio(ssl, bio, bio);
  if (host)
    SSL_set_connect_state(ssl);
  else
    SSL_set_accept_state(ssl);
  sli_rpc_tls_t *tls = sli_calloc(1, sizeof(*tls));
  tls->ssl = ssl;
  tls->host = host ? sli_strdup(host) : NULL;
  SSL_set_app_data(ssl, tls);
  *out_tls = tls;
  return NULL;
}

void sli_rpc_tls_use_http1(sli_rpc_tls_t *tls) { tls->is_http1 = true; }

void sli_rpc_tls_destroy(sli_rpc_tls_t *tls) {
  if (!tls) return;
  SSL_free(tls->ssl);
  sli_status_release(tls->failure);
  free(tls->host);
  sli_string_deinitialize(&tls->names);
  free(tls);
}

// ---- Errors -----------------------------------------------------------------------

// Why we do not accept the peer's certificate.
static sli_status_t *verify_failure(const sli_rpc_tls_t *tls, long result) {
  const char *whose = tls->host ? "the server's certificate" : "the client's certificate";
  const char *names = tls->names.size ? tls->names.data : "no name";
  if (result == X509_V_ERR_HOSTNAME_MISMATCH || result == X509_V_ERR_IP_ADDRESS_MISMATCH)
    return sli_status_make(SLI_UNAVAILABLE,
                           "TLS: %s is for %s, not for %s: use one of its names as the address, or make a certificate "
                           "with this name ('sluice keys')",
                           whose, names, tls->host);
  if (result == X509_V_ERR_CERT_HAS_EXPIRED || result == X509_V_ERR_CERT_NOT_YET_VALID)
    return sli_status_make(SLI_UNAVAILABLE, "TLS: %s (%s): %s: make a new one, or correct the clock", whose, names,
                           X509_verify_cert_error_string(result));
  return sli_status_make(SLI_UNAVAILABLE, "TLS: %s (%s) is not of an authority that is trusted here: %s", whose, names,
                         X509_verify_cert_error_string(result));
}

// What the peer or OpenSSL say. |error| is OpenSSL's.
static sli_status_t *protocol_failure(const sli_rpc_tls_t *tls, unsigned long error) {
  const char *reason = error ? ERR_reason_error_string(error) : NULL;
  switch (ERR_GET_REASON(error)) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
      return sli_status_make(SLI_UNAVAILABLE,
                             "TLS: the peer does not accept our certificate (%s): is it of an authority that the peer "
                             "trusts, and for the name by which it calls us?",
                             reason);
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return sli_status_make(SLI_UNAVAILABLE, "TLS: the peer says that our certificate has expired: make a new one");
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return sli_status_make(SLI_UNAVAILABLE,
                             "TLS: the server requires a certificate of the client (%s): set SLUICE_TLS_CERT and "
                             "SLUICE_TLS_KEY",
                             reason);
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return sli_status_make(SLI_UNAVAILABLE, "TLS: the client sent no certificate");
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
      return sli_status_make(SLI_UNAVAILABLE, "TLS: the peer does not speak TLS: %s",
                             tls->host ? "start it with certificates, too (SLUICE_TLS_CERT), or call it without"
                                       : "it needs SLUICE_TLS_CA; stock TensorFlow cannot speak TLS");
    default: return sli_status_make(SLI_UNAVAILABLE, "TLS: %s", reason ? reason : "unknown error");
  }
}

// OpenSSL sends nothing to a client that begins without TLS. This alert tells such a client of ours what to do.
static void send_alert(const sli_rpc_tls_t *tls) {
  static const char alert[] = {21, 3, 1, 0, 2, 2, 70};  // fatal: protocol_version
  (void)!send(socket_of(SSL_get_wbio(tls->ssl)), alert, sizeof(alert), MSG_NOSIGNAL);
}

// After a failed call: sets errno, and |failure| if nothing can follow. Returns what the call returns.
static ssize_t handle_failure(sli_rpc_tls_t *tls, int result) {
  int system = errno, kind = SSL_get_error(tls->ssl, result);
  unsigned long error = ERR_peek_error();
  ERR_clear_error();
  tls->wants_out = kind == SSL_ERROR_WANT_WRITE;
  errno = EAGAIN;
  if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) return -1;
  bool is_closed = kind == SSL_ERROR_ZERO_RETURN || (kind == SSL_ERROR_SYSCALL && system == 0) ||
                   (kind == SSL_ERROR_SSL && ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING);
  if (is_closed && SSL_is_init_finished(tls->ssl)) return 0;
  errno = EPROTO;
  if (tls->failure) return -1;
  long verified = SSL_get_verify_result(tls->ssl);
  if (is_closed) {
    tls->failure = sli_status_make(SLI_UNAVAILABLE, "TLS: the peer closed the connection during the handshake");
  } else if (kind == SSL_ERROR_SYSCALL) {
    errno = system;
  } else if (ERR_GET_REASON(error) == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK) {
    tls->failure = verify_failure(tls, verified);
  } else {
    int reason = ERR_GET_REASON(error);
    bool is_plain = !tls->host && (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST);
    if (is_plain) send_alert(tls);
    tls->failure = protocol_failure(tls, error);
  }
  return -1;
}

sli_status_t *sli_rpc_tls_failure(const sli_rpc_tls_t *tls) {
  return tls->failure ? sli_status_retain(tls->failure) : NULL;
}

// ---- Bytes ------------------------------------------------------------------------

// Never leaves decrypted bytes behind, which would raise no event: it begins a record only if that fits.
ssize_t sli_rpc_tls_read(sli_rpc_tls_t *tls, const struct iovec *parts, int count) {
  size_t space = 0, total = 0, offset = 0;
  for (int i = 0; i < count; i++) space += parts[i].iov_len;
  tls->has_more = false;
  if (tls->failure) return errno = EPROTO, -1;
  for (int i = 0; i < count;) {
    if (offset == parts[i].iov_len) {
      i++;
      offset = 0;
      continue;
    }
    if (SSL_pending(tls->ssl) == 0 && space - total < RECORD_SIZE) {
      tls->has_more = true;
      break;
    }
    ERR_clear_error();
    errno = 0;
    size_t got = 0;
    int result = SSL_read_ex(tls->ssl, (char *)parts[i].iov_base + offset, parts[i].iov_len - offset, &got);
    if (result != 1) {
      ssize_t value = handle_failure(tls, result);
      return total ? (ssize_t)total : value;
    }
    offset += got;
    total += got;
  }
  return (ssize_t)total;
}

// Small parts are joined: each record costs 22 bytes and a system call.
ssize_t sli_rpc_tls_write(sli_rpc_tls_t *tls, const struct iovec *parts, int count) {
  char joined[RECORD_SIZE];
  const char *data = parts[0].iov_base;
  size_t size = parts[0].iov_len;
  if (tls->failure) return errno = EPROTO, -1;
  if (size < RECORD_SIZE) {
    size = 0;
    for (int i = 0; i < count && size < RECORD_SIZE; i++) {
      size_t piece = parts[i].iov_len < RECORD_SIZE - size ? parts[i].iov_len : RECORD_SIZE - size;
      memcpy(joined + size, parts[i].iov_base, piece);
      size += piece;
    }
    data = joined;
  }
  ERR_clear_error();
  errno = 0;
  size_t written = 0;
  int result = SSL_write_ex(tls->ssl, data, size, &written);
  if (result == 1) {
    tls->wants_out = false;
    return (ssize_t)written;
  }
  ssize_t value = handle_failure(tls, result);
  if (value == 0) errno = EPIPE;
  return -1;
}

bool sli_rpc_tls_wants_out(const sli_rpc_tls_t *tls) { return tls->wants_out; }

bool sli_rpc_tls_has_more(const sli_rpc_tls_t *tls) { return tls->has_more; }

void sli_rpc_tls_shutdown(sli_rpc_tls_t *tls) {
  if (tls->failure || !SSL_is_init_finished(tls->ssl)) return;
  ERR_clear_error();
  SSL_shutdown(tls->ssl);
  ERR_clear_error();
}
