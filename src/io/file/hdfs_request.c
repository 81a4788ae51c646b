#include "io/file/hdfs_request.h"

#include <inttypes.h>
#include <pthread.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "io/file/xml.h"

enum { MAX_CONFIG = 8 << 20 };

#define ADDRESS_ADVICE "; SLUICE_WEBHDFS=http://host:port sets the HTTP address of the name node"

// --- Configuration ---

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
  sli_string_t core_site, hdfs_site;  // the files, or empty
  const char *addresses;              // SLUICE_WEBHDFS, or NULL
  char *user;
} config;
static atomic_size_t active;  // which of the name nodes replied last

static void read_site(const char *directory, const char *name, sli_string_t *out) {
  char *path = sli_path_join(directory, name);
  sli_status_t *status = sli_file_read_whole(path, MAX_CONFIG, out);
  if (status) *out = (sli_string_t){0};
  sli_status_release(status);
  free(path);
}

static void read_config(void) {
  const char *directory = getenv("HADOOP_CONF_DIR"), *home = getenv("HADOOP_HOME"), *user = getenv("HADOOP_USER_NAME");
  char *place = directory && *directory ? sli_strdup(directory)
                : home && *home         ? sli_format("%s/etc/hadoop", home)
                                        : NULL;
  if (place) {
    read_site(place, "core-site.xml", &config.core_site);
    read_site(place, "hdfs-site.xml", &config.hdfs_site);
  }
  free(place);
  const char *addresses = getenv("SLUICE_WEBHDFS");
  config.addresses = addresses && *addresses ? addresses : NULL;
  struct passwd *entry = user && *user ? NULL : getpwuid(geteuid());
  config.user = sli_strdup(user && *user ? user : entry ? entry->pw_name : "nobody");
}

// The value of a property of a configuration file, or NULL. The caller owns it.
static char *property(const sli_string_t *site, const char *wanted) {
  sli_view_t rest = sli_view_of(site->data, site->size), element, name, value;
  while (sli_xml_next_element(&rest, "property", &element)) {
    sli_view_t inner = element;
    if (!sli_xml_next_element(&inner, "name", &name) || !sli_view_is(sli_view_trim(name), wanted)) continue;
    inner = element;
    if (sli_xml_next_element(&inner, "value", &value)) return sli_xml_decode(sli_view_trim(value));
  }
  return NULL;
}

// --- Names ---

sli_hdfs_name_t sli_hdfs_name(const char *path, const char *shown) {
  sli_hdfs_name_t name = {.shown = shown};
  const char *rest, *slash = strchr(path, '/');
  sli_path_split_scheme(shown, &name.scheme, &rest);
  name.authority = sli_view_of(path, slash ? (size_t)(slash - path) : strlen(path));
  name.path = slash ? slash : "/";
  return name;
}

// Adds "<scheme>://<address>"; an address without host, or with the host 0.0.0.0, is one of |host|.
static void add_address(sli_path_list_t *out, const char *scheme, const char *address, sli_view_t host) {
  const char *colon = strrchr(address, ':');
  bool everywhere = colon && (colon == address || !strncmp(address, "0.0.0.0:", 8));
  sli_array_push(out, everywhere ? sli_format("%s://%.*s%s", scheme, SLI_VIEW_ARG(host), colon)
                                 : sli_format("%s://%s", scheme, address));
}

// The name nodes of a name service with several of them.
static void add_service(sli_path_list_t *out, sli_view_t service) {
  char *key = sli_format("dfs.ha.namenodes.%.*s", SLI_VIEW_ARG(service)), *nodes = property(&config.hdfs_site, key);
  sli_view_t rest = sli_view(nodes), node;
  for (bool more = nodes != NULL; more;) {
    more = sli_view_split(rest, ',', &node, &rest);
    node = sli_view_trim(node);
    char *inner = sli_format("dfs.namenode.http-address.%.*s.%.*s", SLI_VIEW_ARG(service), SLI_VIEW_ARG(node));
    char *address = property(&config.hdfs_site, inner);
    if (address) add_address(out, "http", address, node);
    free(address);
    free(inner);
  }
  free(nodes);
  free(key);
}

static void add_given(sli_path_list_t *out) {
  sli_view_t rest = sli_view(config.addresses), one;
  for (bool more = true; more;) {
    more = sli_view_split(rest, ',', &one, &rest);
    one = sli_view_trim(one);
    while (one.size && one.data[one.size - 1] == '/') one.size--;
    bool has_scheme = memmem(one.data, one.size, "://", 3) != NULL;
    if (one.size) sli_array_push(out, sli_format("%s%.*s", has_scheme ? "" : "http://", SLI_VIEW_ARG(one)));
  }
}

// The addresses of the name nodes, "http://host:port".
static sli_status_t *find_addresses(const sli_hdfs_name_t *name, sli_path_list_t *out) {
  *out = (sli_path_list_t){0};
  pthread_once(&once, read_config);
  bool secure = sli_view_is(name->scheme, "swebhdfs");
  if (secure || sli_view_is(name->scheme, "webhdfs")) {
    bool has_port = memchr(name->authority.data, ':', name->authority.size) != NULL;
    if (!name->authority.size)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s; a path must be %.*s://host:port/path", name->shown,
                             SLI_VIEW_ARG(name->scheme));
    sli_array_push(out, sli_format("%s://%.*s%s", secure ? "https" : "http", SLI_VIEW_ARG(name->authority),
                                   has_port ? ""
                                   : secure ? ":9871"
                                            : ":9870"));
    return NULL;
  }
  if (config.addresses) add_given(out);
  if (out->count) return NULL;
  char *standard = property(&config.core_site, "fs.defaultFS"), *address = NULL;
  sli_view_t own = {0}, scheme, given = name->authority, host, port;
  const char *rest = "";
  if (standard) sli_path_split_scheme(standard, &scheme, &rest);
  own = sli_view_of(rest, strcspn(rest, "/"));
  if (!given.size || sli_view_is(given, "default")) given = own;
  if (given.size) add_service(out, given);
  sli_view_split(given, ':', &host, &port);
  if (!out->count && given.size && sli_view_equal(given, own))
    address = property(&config.hdfs_site, "dfs.namenode.http-address");
  if (address)
    add_address(out, "http", address, host);
  else if (!out->count && given.size)
    sli_array_push(out, sli_format("http://%.*s:9870", SLI_VIEW_ARG(host)));
  free(address);
  free(standard);
  return out->count ? NULL
                    : sli_status_make(SLI_INVALID_ARGUMENT,
                                      "%s; the path names no host, and there is no fs.defaultFS: write "
                                      "hdfs://host:port/path, or set HADOOP_CONF_DIR to the folder of core-site.xml",
                                      name->shown);
}

// --- Failures ---

#define LOST_LENGTH "CannotObtainBlockLengthException"

static const struct {
  const char *exception;
  sli_code_t code;
  bool is_final;  // also while data is moved, where most failures pass
  const char *advice;
} exceptions[] = {
    {"FileNotFoundException", SLI_NOT_FOUND, true, ""},
    {"AccessControlException", SLI_PERMISSION_DENIED, true, "; set HADOOP_USER_NAME to a user with the permission"},
    {"SecurityException", SLI_UNAUTHENTICATED, true, "; the cluster asks for Kerberos or a token, which Sluice lacks"},
    {"AuthenticationException", SLI_UNAUTHENTICATED, true, "; the cluster asks for Kerberos, which Sluice lacks"},
    {"InvalidToken", SLI_UNAUTHENTICATED, true, ""},
    {"FileAlreadyExistsException", SLI_ALREADY_EXISTS, true, ""},
    {"PathIsNotEmptyDirectoryException", SLI_FAILED_PRECONDITION, true, ""},
    {"ParentNotDirectoryException", SLI_FAILED_PRECONDITION, true, ""},
    {"InvalidPathException", SLI_INVALID_ARGUMENT, true, ""},
    {"IllegalArgumentException", SLI_INVALID_ARGUMENT, true, ""},
    {"UnsupportedOperationException", SLI_UNIMPLEMENTED, true, ""},
    {"NSQuotaExceededException", SLI_RESOURCE_EXHAUSTED, true, "; raise the quota of names, or remove files"},
    {"DSQuotaExceededException", SLI_RESOURCE_EXHAUSTED, true, "; raise the quota of space, or remove files"},
    {"StandbyException", SLI_UNAVAILABLE, false, "; no name node is active"},
    {"RetriableException", SLI_UNAVAILABLE, false, ""},
    {"AlreadyBeingCreatedException", SLI_ABORTED, false, "; another writer has the file open, or died a moment ago"},
    {"RecoveryInProgressException", SLI_ABORTED, false, "; the file of a writer that died is being closed"},
    {LOST_LENGTH, SLI_ABORTED, false, "; a writer died while it had the file open, and HDFS has not closed it yet"},
    {"SafeModeException", SLI_UNAVAILABLE, false, "; the name node is in safe mode"},
};

// What a reply that is not a success says.
typedef struct {
  sli_status_t *status;
  bool is_known;    // one of |exceptions|
  bool is_final;    // another attempt is useless
  bool is_standby;  // this name node is not the active one
} failure_t;

static failure_t read_failure(const sli_hdfs_name_t *name, const char *method, const char *query, const char *address,
                              const sli_http_reply_t *reply) {
  json_error_t error;
  json_t *json = json_loadb(reply->body.data ? reply->body.data : "", reply->body.size, 0, &error);
  json_t *remote = json_object_get(json, "RemoteException");
  const char *exception = json_string_value(json_object_get(remote, "exception"));
  const char *message = json_string_value(json_object_get(remote, "message"));
  // Hadoop 2 has no exception of its own for this.
  if (message && !strncmp(message, "Cannot obtain block length", 26)) exception = LOST_LENGTH;
  // Only the first line: the others are a stack of Java.
  int length = message ? (int)strcspn(message, "\n") : 0;
  sli_view_t op, more;
  sli_view_split(sli_view(query), '&', &op, &more);
  op = sli_view_of(op.data + 3, op.size - 3);  // behind "op="
  failure_t failure = {.is_standby = exception && !strcmp(exception, "StandbyException")};
  sli_code_t code = exception || sli_http_is_temporary(reply->code) ? SLI_UNAVAILABLE : SLI_FAILED_PRECONDITION;
  const char *advice = "";
  if (reply->code == 401) {
    code = SLI_UNAUTHENTICATED;
    advice = "; the cluster asks for Kerberos, which Sluice lacks: it sends a user name only";
  } else if (!exception && !sli_http_is_temporary(reply->code)) {
    advice = "; this is no WebHDFS" ADDRESS_ADVICE;
  }
  failure.is_final = !exception && !sli_http_is_temporary(reply->code);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(exceptions) && exception; i++) {
    if (strcmp(exception, exceptions[i].exception)) continue;
    failure.is_known = true;
    failure.is_final = exceptions[i].is_final;
    code = exceptions[i].code;
    if (*exceptions[i].advice) advice = exceptions[i].advice;
  }
  failure.status = sli_status_make(code, "%s; %.*s (%s) as user '%s' at %s: %s%s%.*s%s (HTTP %d)", name->shown,
                                   SLI_VIEW_ARG(op), method, config.user, address, exception ? exception : "refused",
                                   length ? ": " : "", length, message ? message : "", advice, reply->code);
  json_decref(json);
  return failure;
}

// --- One attempt ---

typedef struct {
  const sli_hdfs_name_t *name;
  const char *method, *query;
  sli_hdfs_body_t body;
  sli_http_sink_t sink;
  sli_string_t excluded;  // hosts of data nodes that could not be reached, with commas
} exchange_t;

static void compose_url(const exchange_t *exchange, const char *address, sli_string_t *out) {
  sli_string_append_format(out, "%s/webhdfs/v1", address);
  sli_http_append_encoded(out, sli_view(exchange->name->path), true);
  sli_string_append_format(out, "?%s&user.name=", exchange->query);
  sli_http_append_encoded(out, sli_view(config.user), false);
  if (!exchange->excluded.size) return;
  sli_string_append_text(out, "&excludedatanodes=");
  sli_http_append_encoded(out, sli_view(exchange->excluded.data), false);
}

// Asks the name nodes in turn, beginning with the one that replied last. A success is a reply of 2xx, or of 307.
static sli_status_t *ask(const exchange_t *exchange, sli_http_reply_t *reply, failure_t *out_failure) {
  sli_path_list_t addresses;
  *out_failure = (failure_t){.is_final = true};
  sli_status_t *status = find_addresses(exchange->name, &addresses);
  size_t first = atomic_load(&active);
  bool done = status != NULL;
  for (size_t i = 0; i < addresses.count && !done; i++) {
    size_t index = (first + i) % addresses.count;
    sli_status_release(status);
    sli_string_t url = {0};
    compose_url(exchange, addresses.items[index], &url);
    status = sli_http_perform(&(sli_http_request_t){.method = exchange->method,
                                                    .url = url.data,
                                                    .shown = exchange->name->shown,
                                                    .sink = exchange->sink,
                                                    .once = true},
                              reply);
    sli_string_deinitialize(&url);
    *out_failure = (failure_t){.is_final = sli_status_code(status) == SLI_FAILED_PRECONDITION};
    done = out_failure->is_final;
    if (status) {
      sli_status_t *cause = status;
      status = sli_status_make(sli_status_code(cause), "%s%s", sli_status_message(cause), ADDRESS_ADVICE);
      sli_status_release(cause);
      continue;
    }
    done = reply->code < 300 || reply->code == 307;
    if (!done) {
      *out_failure = read_failure(exchange->name, exchange->method, exchange->query, addresses.items[index], reply);
      status = out_failure->status;
      done = !out_failure->is_standby && !sli_http_is_temporary(reply->code);
    }
    if (done) atomic_store(&active, index);
  }
  sli_path_list_deinitialize(&addresses);
  return status;
}

// "host" of "http://host:port/…".
static sli_view_t host_of(const char *url) {
  const char *start = strstr(url, "://");
  start = start ? start + 3 : url;
  size_t size = *start == '[' ? strcspn(start, "]") + 1 : strcspn(start, ":/?");
  return sli_view_of(start, size);
}

// Moves data: the name node names a data node, which takes or sends the bytes.
static sli_status_t *move(exchange_t *exchange, sli_http_reply_t *reply, failure_t *out_failure) {
  SLI_RETURN_IF_ERROR(ask(exchange, reply, out_failure));
  sli_view_t location;
  if (reply->code != 307 && !exchange->body.size) return NULL;  // a gateway that serves the data itself
  if (!sli_http_header(reply, "Location", &location))
    return sli_status_make(SLI_UNAVAILABLE, "%s; the name node names no data node", exchange->name->shown);
  char *url = sli_strndup(location.data, location.size);
  const char *headers[] = {exchange->sink.capacity ? NULL : "Content-Type: application/octet-stream", NULL};
  sli_status_t *status = sli_http_perform(&(sli_http_request_t){.method = exchange->method,
                                                                .url = url,
                                                                .shown = exchange->name->shown,
                                                                .headers = headers,
                                                                .body = exchange->body.data,
                                                                .body_size = exchange->body.size,
                                                                .sent = exchange->body.sent,
                                                                .sent_context = exchange->body.context,
                                                                .sink = exchange->sink,
                                                                .once = true},
                                          reply);
  if (status) {
    sli_view_t host = host_of(url);
    sli_string_append_format(&exchange->excluded, "%s%.*s", exchange->excluded.size ? "," : "", SLI_VIEW_ARG(host));
  } else if (reply->code >= 300) {
    *out_failure = read_failure(exchange->name, exchange->method, exchange->query, url, reply);
    status = out_failure->status;
  }
  free(url);
  return status;
}

// --- Operations ---

sli_status_t *sli_hdfs_call(const sli_hdfs_name_t *name, const char *method, const char *query, json_t **out_reply,
                            bool *out_repeated) {
  *out_reply = NULL;
  if (out_repeated) *out_repeated = false;
  exchange_t exchange = {.name = name, .method = method, .query = query};
  sli_http_retry_t retry = sli_http_retry_begin();
  for (;;) {
    sli_http_reply_t reply = {0};
    failure_t failure;
    sli_status_t *status = ask(&exchange, &reply, &failure);
    json_error_t error;
    if (!status && reply.body.size) {
      *out_reply = json_loadb(reply.body.data, reply.body.size, 0, &error);
      if (!*out_reply)
        status = sli_status_make(SLI_UNAVAILABLE, "%s; the reply is not JSON: %s", name->shown, error.text);
    }
    // An exception that is not known, such as IOException, is the name node's answer.
    bool is_answer = failure.status && !failure.is_known && !sli_http_is_temporary(reply.code);
    bool ends = !status || failure.is_final || is_answer || sli_status_code(status) == SLI_ABORTED;
    if (out_repeated && !ends && !failure.status) *out_repeated = true;
    sli_http_reply_deinitialize(&reply);
    if (ends || !sli_http_retry_pause(&retry)) return status;
    sli_status_release(status);
  }
}

// Whether |offset| is at or behind the end of the file.
static bool is_at_end(const sli_hdfs_name_t *name, uint64_t offset) {
  json_t *reply;
  sli_status_t *status = sli_hdfs_call(name, "GET", "op=GETFILESTATUS", &reply, NULL);
  json_t *length = json_object_get(json_object_get(reply, "FileStatus"), "length");
  bool at_end = !status && json_is_integer(length) && (uint64_t)json_integer_value(length) <= offset;
  json_decref(reply);
  sli_status_release(status);
  return at_end;
}

// A file that a writer had open when it died cannot be read until HDFS has closed it. HDFS does so at the next
// extension, a minute after it last heard of the writer; nothing is added.
static void recover_lease(const sli_hdfs_name_t *name) {
  bool temporary;
  sli_status_release(sli_hdfs_send(name, "POST", "op=APPEND", &(sli_hdfs_body_t){0}, &temporary));
}

sli_status_t *sli_hdfs_read(const sli_hdfs_name_t *name, uint64_t offset, void *data, size_t size, size_t *out_size) {
  *out_size = 0;
  if (!size) return NULL;
  char query[96];
  snprintf(query, sizeof(query), "op=OPEN&offset=%" PRIu64 "&length=%zu", offset, size);
  exchange_t exchange = {.name = name, .method = "GET", .query = query, .sink = {.into = data, .capacity = size}};
  sli_http_retry_t retry = sli_http_retry_begin();
  sli_status_t *status = NULL;
  bool is_open = false;
  for (bool again = true; again;) {
    sli_http_reply_t reply = {0};
    failure_t failure;
    bool excluded = exchange.excluded.size > 0;
    sli_status_release(status);
    status = move(&exchange, &reply, &failure);
    if (!status) *out_size = reply.received;
    // The name node refuses to read at the end of a file as it refuses other things: by an IOException.
    bool at_end = status && failure.status && !failure.is_known && is_at_end(name, offset);
    if (at_end) {
      sli_status_release(status);
      status = NULL;
    }
    sli_http_reply_deinitialize(&reply);
    if (excluded) sli_string_clear(&exchange.excluded);  // perhaps all were
    if (sli_status_code(status) == SLI_ABORTED) {
      if (!is_open) retry.deadline += SLI_HDFS_LEASE_NANOS;
      is_open = true;
      recover_lease(name);
    }
    again = status && !failure.is_final && sli_http_retry_pause(&retry);
  }
  sli_string_deinitialize(&exchange.excluded);
  return status;
}

sli_status_t *sli_hdfs_stream(const sli_hdfs_name_t *name, uint64_t offset, const sli_http_sink_t *sink) {
  char query[96];
  snprintf(query, sizeof(query), "op=OPEN&offset=%" PRIu64 "&length=%zu", offset, sink->capacity);
  exchange_t exchange = {.name = name, .method = "GET", .query = query, .sink = *sink};
  sli_http_reply_t reply = {0};
  failure_t failure;
  sli_status_t *status = move(&exchange, &reply, &failure);
  sli_string_deinitialize(&exchange.excluded);
  sli_http_reply_deinitialize(&reply);
  return status;
}

sli_status_t *sli_hdfs_send(const sli_hdfs_name_t *name, const char *method, const char *query,
                            const sli_hdfs_body_t *body, bool *out_is_temporary) {
  exchange_t exchange = {.name = name, .method = method, .query = query, .body = *body};
  sli_http_reply_t reply = {0};
  failure_t failure;
  sli_status_t *status = move(&exchange, &reply, &failure);
  *out_is_temporary = status && !failure.is_final;
  sli_string_deinitialize(&exchange.excluded);
  sli_http_reply_deinitialize(&reply);
  return status;
}
