#include "io/file/s3_request.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/file/file.h"
#include "io/file/xml.h"

enum { MAX_CREDENTIALS = 1 << 20, HASH_SIZE = 32, MAX_HEADERS = 12 };

// --- Configuration ---

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sli_s3_config_t config;

// The first of |names| that is set, or |otherwise|.
static const char *first_of(const char *const *names, const char *otherwise) {
  for (; *names; names++) {
    const char *value = getenv(*names);
    if (value && *value) return value;
  }
  return otherwise;
}
#define VARIABLE(otherwise, ...) first_of((const char *const[]){__VA_ARGS__, NULL}, otherwise)

static bool is_off(const char *value) {
  return value && (!strcmp(value, "0") || !strcasecmp(value, "false") || !strcasecmp(value, "no"));
}

// Takes the keys of the profile from an INI file.
static void take_credentials(sli_view_t rest, const char *profile) {
  bool inside = false;
  for (bool more = true; more;) {
    sli_view_t line, name, value;
    more = sli_view_split(rest, '\n', &line, &rest);
    line = sli_view_trim(line);
    if (line.size >= 2 && line.data[0] == '[')
      inside = sli_view_is(sli_view_trim(sli_view_of(line.data + 1, line.size - 2)), profile);
    if (!inside || !sli_view_split(line, '=', &name, &value)) continue;
    name = sli_view_trim(name);
    value = sli_view_trim(value);
    char **target = sli_view_is(name, "aws_access_key_id")       ? &config.key
                    : sli_view_is(name, "aws_secret_access_key") ? &config.secret
                    : sli_view_is(name, "aws_session_token")     ? &config.token
                                                                 : NULL;
    if (!target) continue;
    free(*target);
    *target = sli_strndup(value.data, value.size);
  }
}

static void read_credentials(void) {
  const char *key = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY");
  const char *token = getenv("AWS_SESSION_TOKEN"), *home = getenv("HOME");
  if (key && *key && secret && *secret) {
    config.key = sli_strdup(key);
    config.secret = sli_strdup(secret);
    config.token = token && *token ? sli_strdup(token) : NULL;
  } else {
    const char *given = getenv("AWS_SHARED_CREDENTIALS_FILE");
    char *path = given && *given ? sli_strdup(given) : sli_format("%s/.aws/credentials", home ? home : "");
    sli_string_t bytes;
    sli_status_t *status = sli_file_read_whole(path, MAX_CREDENTIALS, &bytes);
    if (!status) take_credentials(sli_view_of(bytes.data, bytes.size), VARIABLE("default", "AWS_PROFILE"));
    if (!status) sli_string_deinitialize(&bytes);
    sli_status_release(status);
    free(path);
  }
  config.signs = config.key && config.secret;
}

static void read_config(void) {
  const char *endpoint = VARIABLE(NULL, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "S3_ENDPOINT");
  const char *style = VARIABLE(endpoint ? "path" : "virtual", "S3_ADDRESSING_STYLE", "AWS_S3_ADDRESSING_STYLE");
  config.region = sli_strdup(VARIABLE("us-east-1", "AWS_REGION", "AWS_DEFAULT_REGION", "S3_REGION"));
  if (!endpoint)
    config.endpoint = sli_format("https://s3.%s.amazonaws.com", config.region);
  else if (strstr(endpoint, "://"))
    config.endpoint = sli_strdup(endpoint);
  else
    config.endpoint = sli_format("%s://%s", is_off(getenv("S3_USE_HTTPS")) ? "http" : "https", endpoint);
  for (size_t size = strlen(config.endpoint); size && config.endpoint[size - 1] == '/';) config.endpoint[--size] = '\0';
  config.host = strstr(config.endpoint, "://") + 3;
  config.secure = sli_string_starts_with(config.endpoint, "https://");
  config.path_style = strcasecmp(style, "virtual") != 0;
  config.any_server = is_off(getenv("S3_VERIFY_SSL"));
  read_credentials();
}

const sli_s3_config_t *sli_s3_config(void) {
  pthread_once(&once, read_config);
  return &config;
}

// --- Signature ---

static void to_hex(const unsigned char *bytes, char out[2 * HASH_SIZE + 1]) {
  for (int i = 0; i < HASH_SIZE; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void hash_hex(const void *data, size_t size, char out[2 * HASH_SIZE + 1]) {
  unsigned char hash[HASH_SIZE];
  EVP_Digest(data, size, hash, NULL, EVP_sha256(), NULL);
  to_hex(hash, out);
}

static void hmac(const void *key, size_t key_size, const char *text, unsigned char out[HASH_SIZE]) {
  unsigned int size;
  HMAC(EVP_sha256(), key, (int)key_size, (const unsigned char *)text, strlen(text), out, &size);
}

void sli_s3_sign(const char *secret, const char *date, const char *region, const char *text, char out_signature[65]) {
  unsigned char a[HASH_SIZE], b[HASH_SIZE];
  char *first = sli_format("AWS4%s", secret);
  hmac(first, strlen(first), date, a);
  free(first);
  hmac(a, sizeof(a), region, b);
  hmac(b, sizeof(b), "s3", a);
  hmac(a, sizeof(a), "aws4_request", b);
  hmac(b, sizeof(b), text, a);
  to_hex(a, out_signature);
}

typedef struct {
  sli_string_t host, path, url;  // path: encoded
} target_t;

static void make_target(const sli_s3_request_t *request, target_t *out) {
  const sli_s3_config_t *c = sli_s3_config();
  sli_string_append_char(&out->path, '/');
  if (c->path_style) {
    sli_string_append_text(&out->host, c->host);
    sli_http_append_encoded(&out->path, request->name.bucket, false);
    if (request->name.key.size) sli_string_append_char(&out->path, '/');
  } else {
    sli_string_append_format(&out->host, "%.*s.%s", SLI_VIEW_ARG(request->name.bucket), c->host);
  }
  sli_http_append_encoded(&out->path, request->name.key, true);
  sli_string_append_format(&out->url, "%s://%s%s%s%s", c->secure ? "https" : "http", out->host.data, out->path.data,
                           request->query ? "?" : "", request->query ? request->query : "");
}

// Adds "host", the x-amz headers and their names, in the order of names, to the text that is signed.
static void append_signed_headers(sli_string_t *out, sli_string_t *names, const char *const *headers,
                                  const char *host) {
  sli_string_append_format(out, "host:%s\n", host);
  sli_string_append_text(names, "host");
  for (; *headers; headers++) {
    const char *colon = strchr(*headers, ':');
    sli_string_append_format(out, "%.*s:%s\n", (int)(colon - *headers), *headers, colon + 2);
    sli_string_append_format(names, ";%.*s", (int)(colon - *headers), *headers);
  }
}

// By their names: "x-amz-copy-source" is before "x-amz-copy-source-range".
static int compare_headers(const void *a, const void *b) {
  const char *left = *(const char *const *)a, *right = *(const char *const *)b;
  size_t left_size = strcspn(left, ":"), right_size = strcspn(right, ":");
  int order = memcmp(left, right, left_size < right_size ? left_size : right_size);
  return order ? order : left_size < right_size ? -1 : left_size > right_size;
}

// The header Authorization for |headers|, all of which are signed.
static char *authorize(const sli_s3_request_t *request, const target_t *target, const char *const *headers,
                       const char *hash, const char *moment) {
  const sli_s3_config_t *c = sli_s3_config();
  sli_string_t text = {0}, names = {0};
  sli_string_append_format(&text, "%s\n%s\n%s\n", request->method, target->path.data,
                           request->query ? request->query : "");
  append_signed_headers(&text, &names, headers, target->host.data);
  sli_string_append_format(&text, "\n%s\n%s", names.data, hash);
  char digest[2 * HASH_SIZE + 1], signature[2 * HASH_SIZE + 1], date[9];
  hash_hex(text.data, text.size, digest);
  snprintf(date, sizeof(date), "%.8s", moment);
  char *scope = sli_format("%s/%s/s3/aws4_request", date, c->region);
  char *to_sign = sli_format("AWS4-HMAC-SHA256\n%s\n%s\n%s", moment, scope, digest);
  sli_s3_sign(c->secret, date, c->region, to_sign, signature);
  char *result = sli_format("Authorization: AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s", c->key,
                            scope, names.data, signature);
  free(scope);
  free(to_sign);
  sli_string_deinitialize(&text);
  sli_string_deinitialize(&names);
  return result;
}

sli_status_t *sli_s3_perform(const sli_s3_request_t *request, sli_http_reply_t *out_reply) {
  const sli_s3_config_t *c = sli_s3_config();
  target_t target = {0};
  make_target(request, &target);
  char hash[2 * HASH_SIZE + 1] = "UNSIGNED-PAYLOAD", moment[32];
  if (!c->secure || !request->body_size) hash_hex(request->body_size ? request->body : "", request->body_size, hash);
  time_t now = time(NULL);
  struct tm parts;
  gmtime_r(&now, &parts);
  strftime(moment, sizeof(moment), "%Y%m%dT%H%M%SZ", &parts);
  char *own[] = {sli_format("x-amz-content-sha256: %s", hash), sli_format("x-amz-date: %s", moment),
                 c->token ? sli_format("x-amz-security-token: %s", c->token) : NULL};
  const char *headers[MAX_HEADERS] = {0};
  size_t count = 0;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(request->headers) && request->headers[i]; i++)
    headers[count++] = request->headers[i];
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(own) && c->signs; i++)
    if (own[i]) headers[count++] = own[i];
  qsort(headers, count, sizeof(*headers), compare_headers);
  char *authorization = c->signs ? authorize(request, &target, headers, hash, moment) : NULL;
  char *range = request->range ? sli_format("Range: %s", request->range) : NULL;
  if (authorization) headers[count++] = authorization;
  if (range) headers[count++] = range;
  sli_status_t *status = sli_http_perform(&(sli_http_request_t){.method = request->method,
                                                                .url = target.url.data,
                                                                .shown = request->shown,
                                                                .headers = headers,
                                                                .body = request->body,
                                                                .body_size = request->body_size,
                                                                .sink = request->sink,
                                                                .any_server = c->any_server},
                                          out_reply);
  free(range);
  free(authorization);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(own); i++) free(own[i]);
  sli_string_deinitialize(&target.host);
  sli_string_deinitialize(&target.path);
  sli_string_deinitialize(&target.url);
  return status;
}

// --- Replies ---

// What to do about a failure.
static const char *advice(int code, sli_view_t error) {
  const sli_s3_config_t *c = sli_s3_config();
  if (sli_view_is(error, "NoSuchBucket")) return "; make the bucket, or check AWS_ENDPOINT_URL";
  if (sli_view_is(error, "InvalidAccessKeyId")) return "; check AWS_ACCESS_KEY_ID";
  if (sli_view_is(error, "SignatureDoesNotMatch")) return "; check AWS_SECRET_ACCESS_KEY and AWS_REGION";
  if (sli_view_is(error, "RequestTimeTooSkewed")) return "; set the clock of this host";
  if (sli_view_is(error, "AuthorizationHeaderMalformed") || code == 301)
    return "; set AWS_REGION to that of the bucket";
  if (code == 403 && !c->signs) return "; no keys were given: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
  if (code == 403) return "; check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the policy of the bucket";
  return "";
}

sli_status_t *sli_s3_failure(const sli_s3_request_t *request, const sli_http_reply_t *reply) {
  sli_view_t body = sli_view_of(reply->body.data, reply->body.size), rest = body, code = {0}, message = {0};
  sli_xml_next_element(&rest, "Code", &code);
  rest = body;
  sli_xml_next_element(&rest, "Message", &message);
  char *name = code.size            ? sli_strndup(code.data, code.size)
               : reply->code == 404 ? sli_strdup("the object does not exist")
                                    : sli_strdup("refused");
  char *what = sli_format("%s of bucket '%.*s', key '%.*s': %s%s%.*s%s", request->method,
                          SLI_VIEW_ARG(request->name.bucket), SLI_VIEW_ARG(request->name.key), name,
                          message.size ? ": " : "", SLI_VIEW_ARG(message), advice(reply->code, code));
  sli_status_t *status = sli_http_failure(reply, request->shown, what);
  free(what);
  free(name);
  return status;
}
