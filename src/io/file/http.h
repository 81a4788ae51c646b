// Requests to a web server, by libcurl, which is loaded at the first one. For the file systems of this room.
//
// A request is repeated, after growing pauses, if the server cannot be reached, does not go on, or replies that it is
// overloaded or broken (408, 429 and 5xx): until SLUICE_FILE_TIMEOUT seconds (60) have passed since the first attempt.
// A transfer that moves no bytes for half of this time counts as failed. So requests must be ones that may be repeated.
//
// Thread-safe; blocks.
#ifndef SLI_IO_FILE_HTTP_H_
#define SLI_IO_FILE_HTTP_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

// Where the body of a successful reply goes. Nothing set: to the reply's |body|.
typedef struct {
  size_t capacity;  // at most so many bytes
  void *into;       // there, or to |take|, piece by piece: false ends the transfer, and the request is not repeated
  bool (*take)(void *context, const char *data, size_t size);
  void *context;
  int code;                       // only of a reply with this code; 0: of every success
  const atomic_bool *is_stopped;  // ends the transfer within a second once it is true; may be NULL
} sli_http_sink_t;

typedef struct {
  const char *method;  // GET, HEAD, PUT, POST or DELETE
  const char *url;
  const char *shown;           // the path in messages
  const char *const *headers;  // "Name: value", ends with NULL; or NULL
  const void *body;
  size_t body_size;
  void (*sent)(void *context);  // called when the body has been sent, perhaps before an attempt fails; may be NULL
  void *sent_context;
  sli_http_sink_t sink;
  bool follow;      // redirects
  bool any_server;  // do not check the server's certificate
  bool once;        // do not repeat it: the caller does, with sli_http_retry_t
} sli_http_request_t;

// Zero-initialise it; the caller deinitializes it also after a failure.
typedef struct {
  int code;
  sli_string_t body;     // at most 1 GB; of a reply that failed, at most 1 MB
  sli_string_t headers;  // of the last reply, as they came
  size_t received;       // bytes in the sink
  int attempts;
} sli_http_reply_t;

// The attempts of a request: how long they may go on, and the growing pauses between them.
typedef struct {
  int64_t deadline;
  int64_t pause_millis;
} sli_http_retry_t;
sli_http_retry_t sli_http_retry_begin(void);
// Pauses before the next attempt; false, at once, if there is no time for one.
bool sli_http_retry_pause(sli_http_retry_t *retry);
// Whether a reply with this code says that a later attempt may succeed.
bool sli_http_is_temporary(int code);

// OK whatever the reply's code is. UNAVAILABLE if there was none; FAILED_PRECONDITION if there is no libcurl.
sli_status_t *sli_http_perform(const sli_http_request_t *request, sli_http_reply_t *out_reply);
void sli_http_reply_deinitialize(sli_http_reply_t *reply);
// The value of a header, without the spaces around it; false if it is missing.
bool sli_http_header(const sli_http_reply_t *reply, const char *name, sli_view_t *out_value);
// A time as in Last-Modified, in nanoseconds since 1970; 0 if it cannot be read.
int64_t sli_http_time(sli_view_t text);
// Appends |text| with all bytes but A-Z a-z 0-9 - . _ ~ as %XX; '/' stays if |keep_slash|.
void sli_http_append_encoded(sli_string_t *out, sli_view_t text, bool keep_slash);
// Undoes it; '%' without two digits stays.
char *sli_http_decode(sli_view_t text);
// The status for a reply that is a failure: "<shown>; <what> (HTTP <code>)", with the canonical code that fits.
sli_status_t *sli_http_failure(const sli_http_reply_t *reply, const char *shown, const char *what);
// SLUICE_FILE_TIMEOUT in seconds.
double sli_http_timeout(void);

#endif  // SLI_IO_FILE_HTTP_H_
