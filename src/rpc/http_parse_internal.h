// The head of an HTTP/1.1 request.
#ifndef SLI_RPC_HTTP_PARSE_INTERNAL_H_
#define SLI_RPC_HTTP_PARSE_INTERNAL_H_

#include <stdbool.h>

#include "base/string.h"

#define SLI_RPC_HTTP_MAX_HEAD (8 << 10)

// Views of the input.
typedef struct {
  sli_view_t method, path, query, host, authorization;
  bool is_alive;  // the peer wants to send more requests on the connection
} sli_rpc_http_head_t;

// Returns the size of the head, 0 if |input| does not hold all of it, or a negative HTTP status code if it is not
// acceptable: -400, -413 (it has a body), -431, -501, -505. Then nothing more can be read from the connection.
int sli_rpc_http_parse(sli_view_t input, sli_rpc_http_head_t *out_head);

// The password of HTTP's basic authentication, "Basic …"; false if |value| is something else. The caller releases it.
bool sli_rpc_http_basic_password(sli_view_t value, sli_string_t *out_password);

// Whether |host|, of a request, names the loopback device: a name of the web that an attacker lets point there does
// not.
bool sli_rpc_http_is_loopback_name(sli_view_t host);

#endif  // SLI_RPC_HTTP_PARSE_INTERNAL_H_
