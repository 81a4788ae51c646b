// Formats of gRPC over HTTP/2: timeouts, percent-encoded messages, and the
// mapping of HTTP codes to statuses.
#ifndef SLI_RPC_GRPC_INTERNAL_H_
#define SLI_RPC_GRPC_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

// Bytes before every message: the compression flag and a 32-bit length.
#define SLI_RPC_PREFIX_SIZE 5
// The largest length that the prefix can express.
#define SLI_RPC_MAX_MESSAGE_SIZE ((size_t)UINT32_MAX)

// The standard health check. Every gRPC server answers it, at least with UNIMPLEMENTED.
#define SLI_RPC_HEALTH_METHOD "/grpc.health.v1.Health/Check"

// Writes |nanos| as a grpc-timeout value ("400m"), rounded up; at most 8 digits and a unit.
void sli_rpc_timeout_format(int64_t nanos, char out_text[16]);
// Returns false if |text| is not a grpc-timeout value.
bool sli_rpc_timeout_parse(sli_view_t text, int64_t *out_nanos);

// Appends |text|, percent-encoded for grpc-message. A text of more than |limit| bytes is cut and ends with "...".
void sli_rpc_percent_encode(const char *text, size_t limit, sli_string_t *string);
// Appends the decoded |text|. Invalid escapes stay as they are; a NUL becomes '?'.
void sli_rpc_percent_decode(sli_view_t text, sli_string_t *string);

// The code for a reply with the HTTP |status| and without a grpc-status.
sli_code_t sli_rpc_code_from_http(int status);
// The code for a stream that was reset with the HTTP/2 |error_code|.
sli_code_t sli_rpc_code_from_reset(uint32_t error_code);

// Whether |value| is application/grpc, possibly with a suffix or parameters.
bool sli_rpc_is_grpc_content_type(sli_view_t value);

#endif  // SLI_RPC_GRPC_INTERNAL_H_
