#include "io/file/http.h"

#include <ctype.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/sync.h"

enum {
  MAX_IDLE = 16,  // handles that keep their connections
  MAX_FAILURE_BODY = 1 << 20,
  MAX_BODY = 1 << 30,
  MAX_HEADERS = 1 << 18,
  CONNECT_SECONDS = 10,
  FIRST_PAUSE_MILLIS = 100,
  LAST_PAUSE_MILLIS = 5000,
  MAX_REDIRECTS = 10,
};

// --- The library ---

static struct {
  CURLcode (*global_init)(long);
  CURL *(*init)(void);
  void (*reset)(CURL *);
  void (*cleanup)(CURL *);
  CURLcode (*setopt)(CURL *, CURLoption, ...);
  CURLcode (*perform)(CURL *);
  CURLcode (*getinfo)(CURL *, CURLINFO, ...);
  const char *(*error)(CURLcode);
  struct curl_slist *(*append)(struct curl_slist *, const char *);
  void (*free_list)(struct curl_slist *);
} lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing;  // what could not be loaded
static double timeout_seconds = 60;

static void load(void) {
  static const struct {
    const char *name;
    void *where;
  } functions[] = {
      {"curl_global_init", &lib.global_init},  {"curl_easy_init", &lib.init},      {"curl_easy_cleanup", &lib.cleanup},
      {"curl_easy_reset", &lib.reset},         {"curl_easy_setopt", &lib.setopt},  {"curl_easy_perform", &lib.perform},
      {"curl_easy_getinfo", &lib.getinfo},     {"curl_easy_strerror", &lib.error}, {"curl_slist_append", &lib.append},
      {"curl_slist_free_all", &lib.free_list},
  };
  const char *text = getenv("SLUICE_FILE_TIMEOUT");
  double seconds;
  if (text && sli_view_to_double(sli_view(text), &seconds) && seconds > 0 && seconds < 1e6) timeout_seconds = seconds;
  void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!handle) handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!handle) missing = "the library libcurl.so.4";
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(functions) && !missing; i++) {
    void *function = dlsym(handle, functions[i].name);
    memcpy(functions[i].where, &function, sizeof(function));
    if (!function) missing = functions[i].name;
  }
  if (!missing && lib.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) missing = "curl_global_init";
}

double sli_http_timeout(void) {
  pthread_once(&once, load);
  return timeout_seconds;
}

// --- Handles, whose connections are used again ---

static struct {
  sli_mutex_t mutex;
  CURL *items[MAX_IDLE];
  size_t count;
} idle = {.mutex = SLI_MUTEX_INITIALIZER};

static CURL *take_handle(void) {
  CURL *handle = NULL;
  sli_mutex_lock(&idle.mutex);
  if (idle.count) handle = idle.items[--idle.count];
  sli_mutex_unlock(&idle.mutex);
  if (handle)
    lib.reset(handle);
  else
    handle = lib.init();
  return handle;
}

static void give_back(CURL *handle) {
  sli_mutex_lock(&idle.mutex);
  bool kept = idle.count < MAX_IDLE;
  if (kept) idle.items[idle.count++] = handle;
  sli_mutex_unlock(&idle.mutex);
  if (kept) return;
  lib.cleanup(handle);
}

// --- One attempt ---

typedef struct {
  const sli_http_request_t *request;
  sli_http_reply_t *reply;
  CURL *handle;
  size_t sent;
} attempt_t;

static size_t on_header(char *data, size_t size, size_t count, void *context) {
  attempt_t *attempt = context;
  size_t bytes = size * count;
  if (bytes >= 5 && !memcmp(data, "HTTP/", 5)) sli_string_clear(&attempt->reply->headers);  // after a redirect
  if (attempt->reply->headers.size + bytes > MAX_HEADERS) return 0;
  sli_string_append(&attempt->reply->headers, data, bytes);
  return bytes;
}

static size_t on_body(char *data, size_t size, size_t count, void *context) {
  attempt_t *attempt = context;
  const sli_http_request_t *request = attempt->request;
  sli_http_reply_t *reply = attempt->reply;
  size_t bytes = size * count;
  long code = 0;
  lib.getinfo(attempt->handle, CURLINFO_RESPONSE_CODE, &code);
  const sli_http_sink_t *sink = &request->sink;
  if (sink->capacity && code >= 200 && code < 300 && (!sink->code || code == sink->code)) {
    size_t room = sink->capacity - reply->received, taken = bytes < room ? bytes : room;
    if (sink->into)
      memcpy((char *)sink->into + reply->received, data, taken);
    else if (taken && !sink->take(sink->context, data, taken))
      return 0;
    reply->received += taken;
    return taken;  // a server that ignores the range is cut short
  }
  if (reply->body.size + bytes > (sink->capacity || code >= 300 ? MAX_FAILURE_BODY : MAX_BODY)) return 0;
  sli_string_append(&reply->body, data, bytes);
  return bytes;
}

static int on_progress(void *context, curl_off_t all, curl_off_t now, curl_off_t all_sent, curl_off_t sent) {
  return atomic_load((const atomic_bool *)context);
}

static size_t on_read(char *data, size_t size, size_t count, void *context) {
  attempt_t *attempt = context;
  size_t left = attempt->request->body_size - attempt->sent, taken = size * count < left ? size * count : left;
  if (taken) memcpy(data, (const char *)attempt->request->body + attempt->sent, taken);
  attempt->sent += taken;
  if (attempt->sent == attempt->request->body_size && attempt->request->sent)
    attempt->request->sent(attempt->request->sent_context);
  return taken;
}

static int on_seek(void *context, curl_off_t offset, int origin) {
  attempt_t *attempt = context;
  if (origin != SEEK_SET || offset < 0 || (size_t)offset > attempt->request->body_size) return CURL_SEEKFUNC_FAIL;
  attempt->sent = (size_t)offset;
  return CURL_SEEKFUNC_OK;
}

static void set_body(attempt_t *attempt) {
  CURL *handle = attempt->handle;
  const sli_http_request_t *request = attempt->request;
  if (!strcmp(request->method, "HEAD")) {
    lib.setopt(handle, CURLOPT_NOBODY, 1L);
  } else if (!strcmp(request->method, "PUT") || !strcmp(request->method, "POST")) {
    lib.setopt(handle, CURLOPT_UPLOAD, 1L);
    lib.setopt(handle, CURLOPT_CUSTOMREQUEST, request->method);
    lib.setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->body_size);
    lib.setopt(handle, CURLOPT_READFUNCTION, on_read);
    lib.setopt(handle, CURLOPT_READDATA, attempt);
    lib.setopt(handle, CURLOPT_SEEKFUNCTION, on_seek);
    lib.setopt(handle, CURLOPT_SEEKDATA, attempt);
    lib.setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
  } else {
    lib.setopt(handle, CURLOPT_CUSTOMREQUEST, request->method);
  }
}

// Performs the transfer. A server that closes the connection must not end this process by SIGPIPE, which OpenSSL's
// writes may cause: it is blocked meanwhile, and taken away if it came.
static CURLcode perform_quietly(CURL *handle) {
  sigset_t pipe, old, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe, &old);
  CURLcode result = lib.perform(handle);
  const struct timespec now = {0};
  if (!was_pending) sigtimedwait(&pipe, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return result;
}

static CURLcode try_once(const sli_http_request_t *request, sli_http_reply_t *reply) {
  attempt_t attempt = {.request = request, .reply = reply, .handle = take_handle()};
  if (!attempt.handle) return CURLE_OUT_OF_MEMORY;
  CURL *handle = attempt.handle;
  // No "Expect: 100-continue", which some servers leave unanswered.
  struct curl_slist *headers = lib.append(NULL, "Expect:");
  for (size_t i = 0; request->headers && request->headers[i]; i++) headers = lib.append(headers, request->headers[i]);
  sli_string_clear(&reply->body);
  sli_string_clear(&reply->headers);
  reply->received = 0;
  reply->code = 0;
  lib.setopt(handle, CURLOPT_URL, request->url);
  lib.setopt(handle, CURLOPT_HTTPHEADER, headers);
  lib.setopt(handle, CURLOPT_NOSIGNAL, 1L);
  lib.setopt(handle, CURLOPT_USERAGENT, "sluice/" SLUICE_VERSION);
  lib.setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  lib.setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  lib.setopt(handle, CURLOPT_FOLLOWLOCATION, request->follow ? 1L : 0L);
  lib.setopt(handle, CURLOPT_MAXREDIRS, (long)MAX_REDIRECTS);
  lib.setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  long seconds = timeout_seconds > 2 ? (long)(timeout_seconds / 2) : 1;
  lib.setopt(handle, CURLOPT_CONNECTTIMEOUT, seconds < CONNECT_SECONDS ? seconds : (long)CONNECT_SECONDS);
  lib.setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  lib.setopt(handle, CURLOPT_LOW_SPEED_TIME, seconds);
  lib.setopt(handle, CURLOPT_BUFFERSIZE, 256L << 10);
  lib.setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
  lib.setopt(handle, CURLOPT_HEADERDATA, &attempt);
  lib.setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
  lib.setopt(handle, CURLOPT_WRITEDATA, &attempt);
  if (request->sink.is_stopped) {
    lib.setopt(handle, CURLOPT_NOPROGRESS, 0L);
    lib.setopt(handle, CURLOPT_XFERINFOFUNCTION, on_progress);
    lib.setopt(handle, CURLOPT_XFERINFODATA, request->sink.is_stopped);
  }
  if (request->any_server) {
    lib.setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
    lib.setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  set_body(&attempt);
  CURLcode result = perform_quietly(handle);
  long code = 0;
  lib.getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
  reply->code = (int)code;
  // All that was asked for is there, of a server that sent more.
  if (result == CURLE_WRITE_ERROR && request->sink.capacity && reply->received == request->sink.capacity)
    result = CURLE_OK;
  lib.free_list(headers);
  give_back(handle);
  return result;
}

// --- Attempts ---

sli_http_retry_t sli_http_retry_begin(void) {
  return (sli_http_retry_t){.deadline = sli_clock_now_nanos() + (int64_t)(sli_http_timeout() * 1e9),
                            .pause_millis = FIRST_PAUSE_MILLIS};
}

bool sli_http_retry_pause(sli_http_retry_t *retry) {
  // Pauses differ, so that many tasks do not come back at the same moment.
  int64_t millis = retry->pause_millis / 2 + (int64_t)(sli_random_u64() % (uint64_t)retry->pause_millis);
  if (sli_clock_now_nanos() + millis * 1000000 >= retry->deadline) return false;
  usleep((useconds_t)(millis * 1000));
  retry->pause_millis = retry->pause_millis * 2 < LAST_PAUSE_MILLIS ? retry->pause_millis * 2 : LAST_PAUSE_MILLIS;
  return true;
}

bool sli_http_is_temporary(int code) { return code == 408 || code == 429 || code >= 500 || code == 0; }

static bool is_hopeless(CURLcode result) {
  return result == CURLE_URL_MALFORMAT || result == CURLE_UNSUPPORTED_PROTOCOL ||
         result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_OUT_OF_MEMORY ||
         result == CURLE_TOO_MANY_REDIRECTS;
}

sli_status_t *sli_http_perform(const sli_http_request_t *request, sli_http_reply_t *out_reply) {
  pthread_once(&once, load);
  if (missing)
    return sli_status_make(SLI_FAILED_PRECONDITION, "%s; %s cannot be loaded: install the package libcurl4",
                           request->shown, missing);
  sli_http_retry_t retry = sli_http_retry_begin();
  for (;;) {
    CURLcode result = try_once(request, out_reply);
    out_reply->attempts++;
    if (result == CURLE_OK && !sli_http_is_temporary(out_reply->code)) return NULL;
    if (!is_hopeless(result) && !request->once && !request->sink.take && sli_http_retry_pause(&retry)) continue;
    if (result == CURLE_OK) return NULL;  // the last reply tells why
    return sli_status_make(SLI_UNAVAILABLE, "%s; %s %s: %s, in %d attempts; SLUICE_FILE_TIMEOUT=%g limits the time",
                           request->shown, request->method, request->url, lib.error(result), out_reply->attempts,
                           timeout_seconds);
  }
}

void sli_http_reply_deinitialize(sli_http_reply_t *reply) {
  sli_string_deinitialize(&reply->body);
  sli_string_deinitialize(&reply->headers);
}

// --- Texts ---

bool sli_http_header(const sli_http_reply_t *reply, const char *name, sli_view_t *out_value) {
  size_t size = strlen(name);
  sli_view_t rest = sli_view_of(reply->headers.data, reply->headers.size), line;
  for (bool more = rest.size > 0; more;) {
    more = sli_view_split(rest, '\n', &line, &rest);
    if (line.size <= size || strncasecmp(line.data, name, size) || line.data[size] != ':') continue;
    *out_value = sli_view_trim(sli_view_of(line.data + size + 1, line.size - size - 1));
    return true;
  }
  return false;
}

int64_t sli_http_time(sli_view_t text) {
  char copy[64];
  struct tm parts = {0};
  if (text.size >= sizeof(copy)) return 0;
  memcpy(copy, text.data, text.size);
  copy[text.size] = '\0';
  if (!strptime(copy, "%a, %d %b %Y %H:%M:%S", &parts)) return 0;
  return (int64_t)timegm(&parts) * 1000000000;
}

void sli_http_append_encoded(sli_string_t *out, sli_view_t text, bool keep_slash) {
  for (size_t i = 0; i < text.size; i++) {
    unsigned char byte = (unsigned char)text.data[i];
    if ((byte < 0x80 && isalnum(byte)) || (byte && strchr("-._~", byte)) || (keep_slash && byte == '/'))
      sli_string_append_char(out, (char)byte);
    else
      sli_string_append_format(out, "%%%02X", byte);
  }
}

char *sli_http_decode(sli_view_t text) {
  sli_string_t out = {0};
  for (size_t i = 0; i < text.size; i++) {
    char digits[3] = {0}, *end = digits;
    if (text.data[i] == '%' && i + 2 < text.size) memcpy(digits, text.data + i + 1, 2);
    long value = digits[0] ? strtol(digits, &end, 16) : 0;
    bool escaped = digits[0] && end == digits + 2 && isxdigit((unsigned char)digits[0]);
    sli_string_append_char(&out, escaped ? (char)value : text.data[i]);
    if (escaped) i += 2;
  }
  return out.data ? sli_string_take(&out) : sli_strdup("");
}

sli_status_t *sli_http_failure(const sli_http_reply_t *reply, const char *shown, const char *what) {
  static const struct {
    int code;
    sli_code_t status;
  } codes[] = {{400, SLI_INVALID_ARGUMENT},    {401, SLI_UNAUTHENTICATED}, {403, SLI_PERMISSION_DENIED},
               {404, SLI_NOT_FOUND},           {405, SLI_UNIMPLEMENTED},   {409, SLI_ABORTED},
               {412, SLI_FAILED_PRECONDITION}, {416, SLI_OUT_OF_RANGE},    {501, SLI_UNIMPLEMENTED}};
  sli_code_t status = reply->code >= 500 || reply->code == 429 || reply->code == 408 ? SLI_UNAVAILABLE : SLI_UNKNOWN;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(codes); i++)
    if (codes[i].code == reply->code) status = codes[i].status;
  char attempts[32] = "";
  if (reply->attempts > 1) snprintf(attempts, sizeof(attempts), ", in %d attempts", reply->attempts);
  return sli_status_make(status, "%s; %s (HTTP %d%s)", shown, what, reply->code, attempts);
}
