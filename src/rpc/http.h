// A small HTTP/1.1 server for people and monitors: GET, HEAD and POST without a body, one request at a time per
// connection. It shares the event loop and has no threads. What peers can use is bounded: connections (a new one takes
// the place of the one that has been quiet for longest), the head of a request, unread replies, and the time for each
// of these. It speaks TLS if the identity has a certificate, and asks for the token if that has one.
#ifndef SLI_RPC_HTTP_H_
#define SLI_RPC_HTTP_H_

#include "base/status.h"
#include "base/string.h"
#include "rpc/identity.h"
#include "rpc/loop.h"

// Thread-safe.
typedef struct sli_rpc_http sli_rpc_http_t;
// One request. The handler owns it until it responds. It may outlive the server, but not the loop.
typedef struct sli_rpc_http_request sli_rpc_http_request_t;

typedef struct {
  void *context;
  // Must respond exactly once, now or later, on any thread. Must not block. On the polling thread.
  void (*handle)(void *context, sli_rpc_http_request_t *request);
  // Optional: whether anyone may have |path|, without the token.
  bool (*is_open)(sli_view_t path);
} sli_rpc_http_service_t;

// Zero fields mean the default.
typedef struct {
  uint32_t max_connections;      // 64
  size_t max_unread_size;        // bytes of replies that no peer has read, of all connections; 64 MiB
  int64_t head_timeout_millis;   // for a request to arrive, and for the peer to read a reply: without progress; 10,000
  int64_t idle_timeout_millis;   // between requests; 75,000
  sli_rpc_identity_t *identity;  // retained; that of the process
} sli_rpc_http_options_t;

// Listens on |address| (a name or number; NULL: all) and |port| (0: the system chooses). Errors name both. |service|
// and |loop| must outlive the server. |options| may be NULL.
sli_status_t *sli_rpc_http_create(sli_rpc_loop_t *loop, const char *address, int port,
                                  const sli_rpc_http_service_t *service, const sli_rpc_http_options_t *options,
                                  sli_rpc_http_t **out_server);
int sli_rpc_http_port(const sli_rpc_http_t *server);
// Whether it speaks TLS: "https".
bool sli_rpc_http_has_tls(const sli_rpc_http_t *server);
// Closes every connection. When it returns no handler runs or will run. NULL is allowed.
void sli_rpc_http_destroy(sli_rpc_http_t *server);

// Valid until the response.
sli_view_t sli_rpc_http_method(const sli_rpc_http_request_t *request);  // "GET" or "POST": HEAD is a GET to handlers
sli_view_t sli_rpc_http_path(const sli_rpc_http_request_t *request);    // "/metrics"
sli_view_t sli_rpc_http_query(const sli_rpc_http_request_t *request);   // what follows the "?", or ""
// Sends |body|, which is moved, as |type| ("text/plain") and releases the request. On any thread; never blocks.
void sli_rpc_http_respond(sli_rpc_http_request_t *request, int code, const char *type, sli_string_t *body);

#endif  // SLI_RPC_HTTP_H_
