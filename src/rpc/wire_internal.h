// The texts of gRPC over HTTP/2: timeouts, percent-encoded messages, and what
// HTTP's own codes mean as statuses.
#ifndef SLI_RPC_WIRE_INTERNAL_H_
#define SLI_RPC_WIRE_INTERNAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

// Bytes before every message: the compression flag and a 32-bit length.
#define SLI_RPC_PREFIX_SIZE 5
// The most a length prefix can say.
#define SLI_RPC_MAX_MESSAGE_SIZE ((size_t)UINT32_MAX)

// The standard health service, which every gRPC server answers: with its health, or that it does not know.
#define SLI_RPC_HEALTH_METHOD "/grpc.health.v1.Health/Check"

// Writes |nanos| as a grpc-timeout value ("400m"), rounded up; at most 8 digits and a unit.
void sli_rpc_timeout_format(int64_t nanos, char out_text[16]);
// False unless |text| is a grpc-timeout value.
bool sli_rpc_timeout_parse(sli_view_t text, int64_t *out_nanos);

// Appends |text| percent-encoded as grpc-message wants it; cut, with "..." at its end, to |limit| bytes.
void sli_rpc_percent_encode(const char *text, size_t limit, sli_string_t *string);
// Appends |text| decoded; what is no valid escape stays as it is, a NUL becomes '?'.
void sli_rpc_percent_decode(sli_view_t text, sli_string_t *string);

// The status for an HTTP |status| of an answer that has no grpc-status.
sli_code_t sli_rpc_code_from_http(int status);
// The status for an HTTP/2 |error_code| that reset a stream.
sli_code_t sli_rpc_code_from_reset(uint32_t error_code);

// Whether |value| is application/grpc or one of its kinds.
bool sli_rpc_is_grpc_content_type(sli_view_t value);

#endif  // SLI_RPC_WIRE_INTERNAL_H_
