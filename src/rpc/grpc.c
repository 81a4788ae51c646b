#include "rpc/grpc_internal.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>

#include "base/array.h"
#include "base/clock.h"

static const struct {
  char unit;
  int64_t nanos;
} units[] = {
    {'n', 1},
    {'u', 1000},
    {'m', 1000000},
    {'S', 1000000000},
    {'M', INT64_C(60000000000)},
    {'H', INT64_C(3600000000000)},
};
#define MAX_TIMEOUT_VALUE 99999999

void sli_rpc_timeout_format(int64_t nanos, char out_text[16]) {
  if (nanos < 0) nanos = 0;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(units); i++) {
    int64_t value = nanos / units[i].nanos + (nanos % units[i].nanos != 0);
    if (value > MAX_TIMEOUT_VALUE && i + 1 < SLI_ARRAY_COUNT_OF(units)) continue;
    if (value > MAX_TIMEOUT_VALUE) value = MAX_TIMEOUT_VALUE;
    snprintf(out_text, 16, "%d%c", (int)value, units[i].unit);
    return;
  }
}

bool sli_rpc_timeout_parse(sli_view_t text, int64_t *out_nanos) {
  if (text.size < 2 || text.size > 9) return false;
  int64_t value = 0;
  for (size_t i = 0; i + 1 < text.size; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return false;
    value = value * 10 + (text.data[i] - '0');
  }
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(units); i++) {
    if (units[i].unit != text.data[text.size - 1]) continue;
    *out_nanos = value > INT64_MAX / units[i].nanos ? INT64_MAX : value * units[i].nanos;
    return true;
  }
  return false;
}

static size_t encode_one(unsigned char byte, char out[3]) {
  static const char digits[] = "0123456789ABCDEF";
  if (byte >= 0x20 && byte <= 0x7e && byte != '%') {
    out[0] = (char)byte;
    return 1;
  }
  out[0] = '%';
  out[1] = digits[byte >> 4];
  out[2] = digits[byte & 15];
  return 3;
}

void sli_rpc_percent_encode(const char *text, size_t limit, sli_string_t *string) {
  size_t start = string->size, safe = start;  // safe: the end of the last character after which "..." fits
  for (const unsigned char *next = (const unsigned char *)text; *next; next++) {
    bool boundary = (*next & 0xc0) != 0x80;
    if (boundary && string->size - start + 3 <= limit) safe = string->size;
    char encoded[3] = "%20";
    // HTTP/2 forbids a header value that begins or ends with a blank.
    bool outer_blank = *next == ' ' && (next == (const unsigned char *)text || !next[1]);
    size_t size = outer_blank ? sizeof(encoded) : encode_one(*next, encoded);
    if (string->size - start + size > limit) {
      string->size = safe;
      sli_string_append_text(string, "...");
      return;
    }
    sli_string_append(string, encoded, size);
  }
}

static int hex_digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return -1;
}

void sli_rpc_percent_decode(sli_view_t text, sli_string_t *string) {
  for (size_t i = 0; i < text.size; i++) {
    char character = text.data[i];
    if (character == '%' && i + 2 < text.size && hex_digit(text.data[i + 1]) >= 0 && hex_digit(text.data[i + 2]) >= 0) {
      character = (char)(hex_digit(text.data[i + 1]) * 16 + hex_digit(text.data[i + 2]));
      i += 2;
    }
    sli_string_append_char(string, character ? character : '?');
  }
}

sli_code_t sli_rpc_code_from_http(int status) {
  switch (status) {
    case 400: return SLI_INTERNAL;
    case 401: return SLI_UNAUTHENTICATED;
    case 403: return SLI_PERMISSION_DENIED;
    case 404: return SLI_UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504: return SLI_UNAVAILABLE;
    default: return SLI_UNKNOWN;
  }
}

sli_code_t sli_rpc_code_from_reset(uint32_t error_code) {
  switch (error_code) {
    case NGHTTP2_REFUSED_STREAM: return SLI_UNAVAILABLE;
    case NGHTTP2_CANCEL: return SLI_CANCELLED;
    case NGHTTP2_ENHANCE_YOUR_CALM: return SLI_RESOURCE_EXHAUSTED;
    case NGHTTP2_INADEQUATE_SECURITY: return SLI_PERMISSION_DENIED;
    default: return SLI_INTERNAL;
  }
}

bool sli_rpc_is_grpc_content_type(sli_view_t value) {
  static const char prefix[] = "application/grpc";
  size_t size = sizeof(prefix) - 1;
  if (value.size < size || memcmp(value.data, prefix, size) != 0) return false;
  return value.size == size || value.data[size] == '+' || value.data[size] == ';';
}
