// Requests to an S3 store, signed by AWS's signature version 4. For file_s3.c.
//
// The environment names the store as other tools do:
//   AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN    the keys; else the file AWS_SHARED_CREDENTIALS_FILE
//   or
//                                                                  ~/.aws/credentials (AWS_PROFILE); without keys
//                                                                  requests are not signed, for public buckets
//   AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or S3_ENDPOINT          another store than AWS: http://host:port
//   S3_USE_HTTPS=0, S3_VERIFY_SSL=0                                of an S3_ENDPOINT without "http://"; trust any
//   server AWS_REGION, AWS_DEFAULT_REGION, or S3_REGION                   us-east-1 S3_ADDRESSING_STYLE=path or virtual
//   path with an endpoint, else virtual
//
// Thread-safe; blocks.
#ifndef SLI_IO_FILE_S3_REQUEST_H_
#define SLI_IO_FILE_S3_REQUEST_H_

#include "io/file/http.h"

typedef struct {
  char *endpoint;  // "https://host:port"
  char *host;      // its part behind "://"
  char *region, *key, *secret, *token;
  bool signs, path_style, any_server, secure;
} sli_s3_config_t;

// The configuration of this process, read at the first call.
const sli_s3_config_t *sli_s3_config(void);

// "bucket/key" of a path without the scheme. The views point into |path|.
typedef struct {
  sli_view_t bucket, key;
} sli_s3_name_t;

typedef struct {
  const char *method;
  sli_s3_name_t name;
  const char *shown;
  const char *query;       // sorted and encoded, without '?'; or NULL
  const char *headers[4];  // "x-amz-name: value", names in lower case and sorted; ends with NULL
  const char *range;       // "bytes=0-99", or NULL
  const void *body;
  size_t body_size;
  sli_http_sink_t sink;
} sli_s3_request_t;

// As sli_http_perform.
sli_status_t *sli_s3_perform(const sli_s3_request_t *request, sli_http_reply_t *out_reply);
// The status of a reply that is a failure: bucket, key, the store's code and message, and what to set.
sli_status_t *sli_s3_failure(const sli_s3_request_t *request, const sli_http_reply_t *reply);

// The signature of |text| with the key of this day, in hexadecimal: what the header Authorization ends with.
void sli_s3_sign(const char *secret, const char *date, const char *region, const char *text, char out_signature[65]);

#endif  // SLI_IO_FILE_S3_REQUEST_H_
