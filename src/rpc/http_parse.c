// Parses what a peer sends: strict, because nobody types it.
#include "rpc/http_parse_internal.h"

#include <arpa/inet.h>
#include <strings.h>

static bool is_token_char(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("!#$%&'*+-.^_`|~", c);
}

static bool is_token(sli_view_t text) {
  for (size_t i = 0; i < text.size; i++)
    if (!text.data[i] || !is_token_char((unsigned char)text.data[i])) return false;
  return text.size > 0;
}

static bool is_visible(sli_view_t text) {
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] <= ' ' || text.data[i] == 0x7f) return false;
  return text.size > 0;
}

// A value may have blanks, and bytes above ASCII.
static bool is_value(sli_view_t text) {
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if ((c < ' ' && c != '\t') || c == 0x7f) return false;
  }
  return true;
}

static bool is_name(sli_view_t name, const char *wanted) {
  return name.size == strlen(wanted) && strncasecmp(name.data, wanted, name.size) == 0;
}

static bool has_word(sli_view_t list, const char *word) {
  for (sli_view_t item; list.size;) {
    sli_view_split(list, ',', &item, &list);
    if (is_name(sli_view_trim(item), word)) return true;
  }
  return false;
}

// "GET /metrics?a=b HTTP/1.1".
static int parse_request_line(sli_view_t line, sli_rpc_http_head_t *head) {
  sli_view_t target, version;
  if (!sli_view_split(line, ' ', &head->method, &line) || !sli_view_split(line, ' ', &target, &version) ||
      !is_token(head->method) || !is_visible(target))
    return -400;
  if (version.size != 8 || !sli_view_starts_with(version, "HTTP/") || version.data[6] != '.') return -400;
  if (version.data[5] != '1' || version.data[7] < '0' || version.data[7] > '9') return -505;
  if (target.data[0] != '/') return -400;
  sli_view_split(target, '?', &head->path, &head->query);
  if (head->path.size == target.size) head->query = sli_view("");
  head->is_alive = version.data[7] >= '1';
  bool is_known =
      sli_view_is(head->method, "GET") || sli_view_is(head->method, "HEAD") || sli_view_is(head->method, "POST");
  return is_known ? 0 : -501;
}

static int parse_field(sli_view_t line, sli_rpc_http_head_t *head) {
  sli_view_t name, value;
  if (!sli_view_split(line, ':', &name, &value) || !is_token(name) || !is_value(value)) return -400;
  value = sli_view_trim(value);
  int64_t length;
  if (is_name(name, "host")) {
    if (head->host.data) return -400;
    head->host = value;
  } else if (is_name(name, "authorization")) {
    if (head->authorization.data) return -400;
    head->authorization = value;
  } else if (is_name(name, "connection")) {
    if (has_word(value, "close")) head->is_alive = false;
  } else if (is_name(name, "transfer-encoding")) {
    return -501;
  } else if (is_name(name, "content-length")) {
    if (!sli_view_to_int64(value, &length) || length < 0) return -400;
    if (length > 0) return -413;
  }
  return 0;
}

int sli_rpc_http_parse(sli_view_t input, sli_rpc_http_head_t *out_head) {
  *out_head = (sli_rpc_http_head_t){0};
  size_t most = input.size < SLI_RPC_HTTP_MAX_HEAD ? input.size : SLI_RPC_HTTP_MAX_HEAD;
  const char *end = memmem(input.data, most, "\r\n\r\n", 4);
  if (!end) return input.size >= SLI_RPC_HTTP_MAX_HEAD ? -431 : 0;
  sli_view_t rest = sli_view_of(input.data, (size_t)(end - input.data) + 2);
  for (bool is_first = true; rest.size; is_first = false) {
    const char *newline = memchr(rest.data, '\n', rest.size);  // the last two bytes are "\r\n"
    size_t size = (size_t)(newline - rest.data);
    if (size == 0 || newline[-1] != '\r') return -400;
    sli_view_t line = sli_view_of(rest.data, size - 1);
    int error = is_first ? parse_request_line(line, out_head) : parse_field(line, out_head);
    if (error) return error;
    rest = sli_view_of(newline + 1, rest.size - size - 1);
  }
  if (out_head->is_alive && !out_head->host.data) return -400;
  return (int)(end - input.data) + 4;
}

static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool sli_rpc_http_basic_password(sli_view_t value, sli_string_t *out_password) {
  *out_password = (sli_string_t){0};
  if (value.size < 6 || strncasecmp(value.data, "Basic ", 6) != 0) return false;
  sli_view_t text = sli_view_trim(sli_view_of(value.data + 6, value.size - 6));
  while (text.size && text.data[text.size - 1] == '=') text.size--;
  sli_string_t decoded = {0};
  uint32_t bits = 0;
  bool good = true;
  for (size_t i = 0; i < text.size && good; i++) {
    int digit = base64_digit(text.data[i]);
    good = digit >= 0;
    bits = bits << 6 | (uint32_t)(digit & 63);
    if (i % 4) sli_string_append_char(&decoded, (char)(bits >> (6 - 2 * (i % 4))));
  }
  sli_view_t user, password;
  good = good && sli_view_split(sli_view_of(sli_string_text(&decoded), decoded.size), ':', &user, &password);
  if (good) sli_string_append(out_password, password.data, password.size);
  sli_string_deinitialize(&decoded);
  return good;
}

bool sli_rpc_http_is_loopback_name(sli_view_t host) {
  char name[64];
  struct in_addr v4;
  struct in6_addr v6;
  if (host.size && host.data[0] == '[') {
    const char *end = memchr(host.data, ']', host.size);
    host = end ? sli_view_of(host.data + 1, (size_t)(end - host.data) - 1) : sli_view("");
  } else {
    sli_view_split(host, ':', &host, &(sli_view_t){0});
  }
  if (host.size >= sizeof(name)) return false;
  memcpy(name, host.data ? host.data : "", host.size);
  name[host.size] = '\0';
  return strcasecmp(name, "localhost") == 0 || inet_pton(AF_INET, name, &v4) == 1 ||
         inet_pton(AF_INET6, name, &v6) == 1;
}
