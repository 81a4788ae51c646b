// Objects of an S3 store as files: s3://bucket/key. Directories are prefixes of keys; an empty one is an object "key/",
// as TensorFlow and others make them.
//
// An object appears when it is whole: on close, sync or flush, in one request, or in parts that the store joins at the
// end. A file that goes on after that begins with a copy, by the store, of what it had. Renaming is a copy and a
// removal: the new name has the whole file or nothing.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/file/file_system.h"
#include "io/file/part_sender.h"
#include "io/file/read_ahead.h"
#include "io/file/s3_request.h"
#include "io/file/xml.h"

enum {
  PART_SIZE = 8 << 20,    // the store's minimum is 5 MB
  MAX_PARTS = 10000,      // of the store
  PARTS_PER_SIZE = 1000,  // then parts grow
  MAX_KEYS = 10000000,    // in a listing
  HTTP_PARTIAL = 206,
  MAX_SENDING = 4,  // parts on their way at the same time: one connection is slower than a store
};
static const uint64_t MAX_COPY = (uint64_t)5 << 30;  // of the store, in one request

typedef struct {
  sli_raw_file_t base;
  const char *shown;
  char *path;  // what |name| points into
  sli_s3_name_t name;
  sli_read_ahead_t ahead;
  // Writing.
  sli_part_sender_t sender;  // its pending bytes are behind those of the object and of the parts
  uint64_t stored;           // bytes of the object that the next upload begins with
  uint64_t uploaded;         // bytes in parts
  char *upload;              // the ID of the upload, or NULL
  char **tags;               // of the parts: MAX_PARTS, so that the thread of a part can set its own
  bool dirty, failed;
} s3_file_t;

// --- Names ---

static sli_status_t *parse_name(const char *path, const char *shown, sli_s3_name_t *out_name) {
  const char *slash = strchr(path, '/');
  size_t size = slash ? (size_t)(slash - path) : strlen(path);
  sli_view_t key = slash ? sli_view(slash + 1) : sli_view_of("", 0);
  while (key.size && key.data[key.size - 1] == '/') key.size--;
  *out_name = (sli_s3_name_t){.bucket = sli_view_of(path, size), .key = key};
  return size ? NULL : sli_status_make(SLI_INVALID_ARGUMENT, "%s; a path must be s3://bucket/key", shown);
}

// OK if the reply is a success; its failure otherwise. Consumes |status|.
static sli_status_t *checked(sli_status_t *status, const sli_s3_request_t *request, const sli_http_reply_t *reply) {
  if (status) return status;
  // Requests that take long reply with 200 first, and perhaps with an error in the body.
  bool failed = reply->code >= 300 || (reply->body.size && memmem(reply->body.data, reply->body.size, "<Error>", 7));
  return failed ? sli_s3_failure(request, reply) : NULL;
}

static sli_status_t *perform(const sli_s3_request_t *request, sli_http_reply_t *out_reply) {
  return checked(sli_s3_perform(request, out_reply), request, out_reply);
}

// --- Information ---

static sli_status_t *head(sli_s3_name_t name, const char *shown, sli_file_info_t *out_info) {
  sli_s3_request_t request = {.method = "HEAD", .name = name, .shown = shown};
  sli_http_reply_t reply = {0};
  sli_status_t *status = perform(&request, &reply);
  sli_view_t text;
  int64_t size = 0;
  if (!status && sli_http_header(&reply, "Content-Length", &text)) sli_view_to_int64(text, &size);
  *out_info = (sli_file_info_t){.size = (uint64_t)size};
  if (!status && sli_http_header(&reply, "Last-Modified", &text)) out_info->modified_nanos = sli_http_time(text);
  sli_http_reply_deinitialize(&reply);
  return status;
}

// One page of the keys that begin with |prefix|; |token| continues the last one.
static sli_status_t *list_page(sli_s3_name_t name, const char *prefix, bool deep, bool one, const char *token,
                               const char *shown, sli_http_reply_t *out_reply) {
  sli_string_t query = {0};
  if (token) {
    sli_string_append_text(&query, "continuation-token=");
    sli_http_append_encoded(&query, sli_view(token), false);
    sli_string_append_char(&query, '&');
  }
  if (!deep) sli_string_append_text(&query, "delimiter=%2F&");
  sli_string_append_format(&query, "encoding-type=url&list-type=2&%sprefix=", one ? "max-keys=1&" : "");
  sli_http_append_encoded(&query, sli_view(prefix), false);
  sli_s3_request_t request = {
      .method = "GET", .name = {.bucket = name.bucket, .key = sli_view_of("", 0)}, .shown = shown, .query = query.data};
  sli_status_t *status = perform(&request, out_reply);
  sli_string_deinitialize(&query);
  return status;
}

// The text of an element, which is URL-encoded if |url|.
static char *decode(sli_view_t text, bool url) {
  char *plain = sli_xml_decode(text);
  if (!url) return plain;
  for (char *at = plain; *at; at++)
    if (*at == '+') *at = ' ';
  char *result = sli_http_decode(sli_view(plain));
  free(plain);
  return result;
}

// Adds the keys of <|outer|><|inner|>KEY</…> elements.
static void add_keys(sli_view_t body, const char *outer, const char *inner, bool url, sli_path_list_t *out) {
  sli_view_t element, key;
  while (sli_xml_next_element(&body, outer, &element) && out->count < MAX_KEYS)
    if (sli_xml_next_element(&element, inner, &key)) sli_array_push(out, decode(key, url));
}

// All keys that begin with |prefix|; without |deep| only up to the next '/', which such keys end with. |one|: one of
// them.
static sli_status_t *list_keys(sli_s3_name_t name, const char *prefix, bool deep, bool one, const char *shown,
                               sli_path_list_t *out_keys) {
  *out_keys = (sli_path_list_t){0};
  sli_status_t *status = NULL;
  char *token = NULL;
  do {
    sli_http_reply_t reply = {0};
    status = list_page(name, prefix, deep, one, token, shown, &reply);
    free(token);
    token = NULL;
    if (!status) {
      sli_view_t body = sli_view_of(reply.body.data, reply.body.size), rest = body, text;
      bool url = sli_xml_next_element(&rest, "EncodingType", &text) && sli_view_is(text, "url");
      add_keys(body, "Contents", "Key", url, out_keys);
      add_keys(body, "CommonPrefixes", "Prefix", url, out_keys);
      rest = body;
      bool more = !one && sli_xml_next_element(&rest, "IsTruncated", &text) && sli_view_is(text, "true");
      rest = body;
      if (more && sli_xml_next_element(&rest, "NextContinuationToken", &text)) token = decode(text, false);
    }
    sli_http_reply_deinitialize(&reply);
  } while (token && !status);
  if (status) sli_path_list_deinitialize(out_keys);
  return status;
}

// "key/", or "" for the bucket itself.
static char *prefix_of(sli_s3_name_t name) {
  return name.key.size ? sli_format("%.*s/", SLI_VIEW_ARG(name.key)) : sli_strdup("");
}

static sli_status_t *is_directory(sli_s3_name_t name, const char *shown, bool *out_is) {
  char *prefix = prefix_of(name);
  sli_path_list_t keys;
  sli_status_t *status = list_keys(name, prefix, true, true, shown, &keys);
  free(prefix);
  *out_is = !status && (keys.count || !name.key.size);
  if (!status) sli_path_list_deinitialize(&keys);
  return status;
}

static sli_status_t *s3_info(const char *path, const char *shown, sli_file_info_t *out_info) {
  *out_info = (sli_file_info_t){0};
  sli_s3_name_t name;
  SLI_RETURN_IF_ERROR(parse_name(path, shown, &name));
  sli_status_t *status = name.key.size ? head(name, shown, out_info) : sli_status_make(SLI_NOT_FOUND, "%s", shown);
  if (sli_status_code(status) != SLI_NOT_FOUND) return status;
  sli_status_t *other = is_directory(name, shown, &out_info->is_directory);
  if (!other && !out_info->is_directory) return status;
  sli_status_release(status);
  return other;
}

static sli_status_t *s3_list(const char *path, const char *shown, sli_path_list_t *out_names) {
  *out_names = (sli_path_list_t){0};
  sli_s3_name_t name;
  SLI_RETURN_IF_ERROR(parse_name(path, shown, &name));
  char *prefix = prefix_of(name);
  size_t skipped = strlen(prefix);
  sli_path_list_t keys;
  sli_status_t *status = list_keys(name, prefix, false, false, shown, &keys);
  if (!status && !keys.count && skipped)
    status = sli_status_make(SLI_NOT_FOUND, "%s; No such file or directory", shown);
  else if (!status)
    for (size_t i = 0; i < keys.count; i++) {
      size_t size = strlen(keys.items[i]);
      if (size <= skipped) continue;  // the directory itself
      if (keys.items[i][size - 1] == '/') size--;
      sli_array_push(out_names, sli_strndup(keys.items[i] + skipped, size - skipped));
    }
  sli_path_list_deinitialize(&keys);
  free(prefix);
  return status;
}

// --- Reading ---

// Gives bytes to |sink|; fewer than its capacity only at the end.
static sli_status_t *get(s3_file_t *file, uint64_t offset, const sli_http_sink_t *sink, size_t *out_size) {
  char range[64];
  snprintf(range, sizeof(range), "bytes=%" PRIu64 "-%" PRIu64, offset, offset + sink->capacity - 1);
  sli_s3_request_t request = {.method = "GET", .name = file->name, .shown = file->shown, .range = range, .sink = *sink};
  if (offset) request.sink.code = HTTP_PARTIAL;
  sli_http_reply_t reply = {0};
  sli_status_t *status = sli_s3_perform(&request, &reply);
  bool at_end = !status && reply.code == 416;
  if (!at_end) status = checked(status, &request, &reply);
  if (!status && reply.code == 200 && offset)
    status = sli_status_make(SLI_UNIMPLEMENTED, "%s; the store ignores ranges", file->shown);
  *out_size = reply.received;
  sli_http_reply_deinitialize(&reply);
  return status;
}

static sli_status_t *fetch(void *context, uint64_t offset, void *data, size_t size, size_t *out_size) {
  *out_size = 0;
  return size ? get(context, offset, &(sli_http_sink_t){.into = data, .capacity = size}, out_size) : NULL;
}

static sli_status_t *stream(void *context, uint64_t offset, const sli_http_sink_t *sink) {
  size_t size;
  return get(context, offset, sink, &size);
}

static sli_status_t *s3_read(sli_raw_file_t *base, uint64_t offset, void *data, size_t size, size_t *out_size) {
  return sli_read_ahead_read(&((s3_file_t *)base)->ahead, offset, data, size, out_size);
}

static sli_status_t *s3_size(sli_raw_file_t *base, uint64_t *out_size) {
  s3_file_t *file = (s3_file_t *)base;
  sli_file_info_t info;
  sli_status_t *status = head(file->name, file->shown, &info);
  *out_size = info.size;
  return status;
}

// --- Copies by the store ---

static char *copy_source(sli_s3_name_t from) {
  sli_string_t text = {0};
  sli_string_append_text(&text, "x-amz-copy-source: /");
  sli_http_append_encoded(&text, from.bucket, false);
  sli_string_append_char(&text, '/');
  sli_http_append_encoded(&text, from.key, true);
  return sli_string_take(&text);
}

static sli_status_t *begin_upload(s3_file_t *file) {
  sli_s3_request_t request = {.method = "POST", .name = file->name, .shown = file->shown, .query = "uploads="};
  sli_http_reply_t reply = {0};
  sli_status_t *status = perform(&request, &reply);
  sli_view_t body = sli_view_of(reply.body.data, reply.body.size), id;
  if (!status && sli_xml_next_element(&body, "UploadId", &id)) {
    file->upload = sli_strndup(id.data, id.size);
    file->tags = sli_calloc(MAX_PARTS, sizeof(*file->tags));
    sli_part_sender_reset(&file->sender, 0);
  } else if (!status) {
    status = sli_status_make(SLI_UNAVAILABLE, "%s; the store began an upload without an ID", file->shown);
  }
  sli_http_reply_deinitialize(&reply);
  return status;
}

static char *upload_query(const s3_file_t *file, size_t part) {
  sli_string_t query = {0};
  if (part) sli_string_append_format(&query, "partNumber=%zu&", part);
  sli_string_append_text(&query, "uploadId=");
  sli_http_append_encoded(&query, sli_view(file->upload), false);
  return sli_string_take(&query);
}

// Copies the bytes from |begin| to |end| of |from| as the next part.
static sli_status_t *copy_part(s3_file_t *file, sli_s3_name_t from, uint64_t begin, uint64_t end) {
  char *source = copy_source(from), *query = upload_query(file, file->sender.count + 1);
  char range[96];
  snprintf(range, sizeof(range), "x-amz-copy-source-range: bytes=%" PRIu64 "-%" PRIu64, begin, end - 1);
  sli_s3_request_t request = {
      .method = "PUT", .name = file->name, .shown = file->shown, .query = query, .headers = {source, range}};
  sli_http_reply_t reply = {0};
  sli_status_t *status = perform(&request, &reply);
  sli_view_t body = sli_view_of(reply.body.data, reply.body.size), tag;
  if (!status && sli_xml_next_element(&body, "ETag", &tag))
    file->tags[file->sender.count++] = decode(tag, false);
  else if (!status)
    status = sli_status_make(SLI_UNAVAILABLE, "%s; the store copied a part without an ETag", file->shown);
  sli_http_reply_deinitialize(&reply);
  free(source);
  free(query);
  return status;
}

static sli_status_t *copy_parts(s3_file_t *file, sli_s3_name_t from, uint64_t size) {
  sli_status_t *status = NULL;
  for (uint64_t begin = 0; begin < size && !status; begin += MAX_COPY)
    status = copy_part(file, from, begin, size - begin > MAX_COPY ? begin + MAX_COPY : size);
  return status;
}

// --- Writing ---

static sli_status_t *put_part(void *context, sli_part_t *part) {
  s3_file_t *file = context;
  char *query = upload_query(file, part->number + 1);
  sli_s3_request_t request = {.method = "PUT",
                              .name = file->name,
                              .shown = file->shown,
                              .query = query,
                              .body = part->data.data,
                              .body_size = part->data.size};
  sli_http_reply_t reply = {0};
  sli_status_t *status = perform(&request, &reply);
  sli_view_t tag;
  if (!status && sli_http_header(&reply, "ETag", &tag))
    file->tags[part->number] = sli_strndup(tag.data, tag.size);
  else if (!status)
    status = sli_status_make(SLI_UNAVAILABLE, "%s; the store took a part without an ETag", file->shown);
  sli_http_reply_deinitialize(&reply);
  free(query);
  return status;
}

static void forget_upload(s3_file_t *file) {
  for (size_t i = 0; file->tags && i < file->sender.count; i++) free(file->tags[i]);
  free(file->tags);
  free(file->upload);
  file->tags = NULL;
  file->upload = NULL;
}

static void abort_upload(s3_file_t *file) {
  sli_status_release(sli_part_sender_wait(&file->sender));
  if (!file->upload) return;
  char *query = upload_query(file, 0);
  sli_s3_request_t request = {.method = "DELETE", .name = file->name, .shown = file->shown, .query = query};
  sli_http_reply_t reply = {0};
  sli_status_release(sli_s3_perform(&request, &reply));
  sli_http_reply_deinitialize(&reply);
  free(query);
  forget_upload(file);
}

// Joins the parts: now the object has |size| bytes.
static sli_status_t *complete_upload(s3_file_t *file, uint64_t size) {
  SLI_RETURN_IF_ERROR(sli_part_sender_wait(&file->sender));
  char *query = upload_query(file, 0);
  sli_string_t body = {0};
  sli_string_append_text(&body, "<CompleteMultipartUpload>");
  for (size_t i = 0; i < file->sender.count; i++)
    sli_string_append_format(&body, "<Part><PartNumber>%zu</PartNumber><ETag>%s</ETag></Part>", i + 1, file->tags[i]);
  sli_string_append_text(&body, "</CompleteMultipartUpload>");
  sli_s3_request_t request = {.method = "POST",
                              .name = file->name,
                              .shown = file->shown,
                              .query = query,
                              .body = body.data,
                              .body_size = body.size};
  sli_http_reply_t reply = {0};
  sli_status_t *status = perform(&request, &reply);
  // The reply to the first attempt may have been lost.
  sli_file_info_t info;
  if (status && reply.code == 404 && reply.attempts > 1) {
    sli_status_t *unknown = head(file->name, file->shown, &info);
    if (!unknown && info.size == size) {
      sli_status_release(status);
      status = NULL;
    }
    sli_status_release(unknown);
  }
  if (!status) forget_upload(file);
  sli_http_reply_deinitialize(&reply);
  sli_string_deinitialize(&body);
  free(query);
  return status;
}

static size_t part_size(const s3_file_t *file) { return (size_t)PART_SIZE << (file->sender.count / PARTS_PER_SIZE); }

// Sends the pending bytes as the next part. They are on their way when this returns.
static sli_status_t *send_pending(s3_file_t *file) {
  if (!file->upload) {
    SLI_RETURN_IF_ERROR(begin_upload(file));
    file->uploaded = file->stored;
    SLI_RETURN_IF_ERROR(copy_parts(file, file->name, file->stored));
  }
  if (file->sender.count == MAX_PARTS)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s; the store takes files of %d parts", file->shown, MAX_PARTS);
  file->uploaded += file->sender.pending.size;
  return sli_part_sender_send(&file->sender);
}

static sli_status_t *keep(s3_file_t *file, sli_status_t *status) {
  if (status) file->failed = true;
  return status;
}

static sli_status_t *s3_write(sli_raw_file_t *base, const void *data, size_t size) {
  s3_file_t *file = (s3_file_t *)base;
  file->dirty = true;
  while (size) {
    size_t limit = part_size(file), taken = sli_part_sender_add(&file->sender, data, size, limit);
    data = (const char *)data + taken;
    size -= taken;
    if (file->sender.pending.size == limit) SLI_RETURN_IF_ERROR(keep(file, send_pending(file)));
  }
  return NULL;
}

static sli_status_t *put_whole(s3_file_t *file) {
  sli_s3_request_t request = {.method = "PUT",
                              .name = file->name,
                              .shown = file->shown,
                              .body = file->sender.pending.data,
                              .body_size = file->sender.pending.size};
  sli_http_reply_t reply = {0};
  sli_status_t *status = perform(&request, &reply);
  sli_http_reply_deinitialize(&reply);
  return status;
}

// Makes all that was written the content of the object.
static sli_status_t *s3_sync(sli_raw_file_t *base) {
  s3_file_t *file = (s3_file_t *)base;
  if (!file->dirty) return NULL;
  if (!file->upload && !file->stored) {
    // Small: the bytes stay pending, and the next time all are sent again.
    SLI_RETURN_IF_ERROR(keep(file, put_whole(file)));
  } else {
    if (file->sender.pending.size) SLI_RETURN_IF_ERROR(keep(file, send_pending(file)));
    SLI_RETURN_IF_ERROR(keep(file, complete_upload(file, file->uploaded)));
    file->stored = file->uploaded;
  }
  file->dirty = false;
  return NULL;
}

static sli_status_t *s3_close(sli_raw_file_t *base) {
  s3_file_t *file = (s3_file_t *)base;
  sli_status_t *status = file->failed ? NULL : s3_sync(base);
  abort_upload(file);
  forget_upload(file);
  sli_part_sender_deinitialize(&file->sender);
  sli_read_ahead_deinitialize(&file->ahead);
  free(file->path);
  free(file);
  return status;
}

static const sli_raw_file_table_t s3_file_table = {
    .read = s3_read,
    .write = s3_write,
    .size = s3_size,
    .flush = s3_sync,
    .sync = s3_sync,
    .close = s3_close,
};

static sli_status_t *open_file(const char *path, const char *shown, s3_file_t **out_file) {
  *out_file = NULL;
  sli_s3_name_t name;
  SLI_RETURN_IF_ERROR(parse_name(path, shown, &name));
  if (!name.key.size) return sli_status_make(SLI_FAILED_PRECONDITION, "%s; Is a directory", shown);
  s3_file_t *file = sli_calloc(1, sizeof(*file));
  *file = (s3_file_t){.base = {&s3_file_table}, .shown = shown, .path = sli_strdup(path)};
  sli_read_ahead_initialize(&file->ahead, fetch, stream, file);
  sli_part_sender_initialize(&file->sender, put_part, file, MAX_SENDING, MAX_SENDING);
  sli_status_release(parse_name(file->path, shown, &file->name));
  *out_file = file;
  return NULL;
}

static sli_status_t *s3_open_read(const char *path, const char *shown, sli_raw_file_t **out_file) {
  *out_file = NULL;
  sli_file_info_t info;
  SLI_RETURN_IF_ERROR(s3_info(path, shown, &info));
  if (info.is_directory) return sli_status_make(SLI_FAILED_PRECONDITION, "%s; Is a directory", shown);
  s3_file_t *file = NULL;
  SLI_RETURN_IF_ERROR(open_file(path, shown, &file));
  *out_file = &file->base;
  return NULL;
}

// Prepares appending to an object of |size| bytes: a small one is fetched, a larger one copied by the store.
static sli_status_t *begin_append(s3_file_t *file, uint64_t size) {
  if (size >= PART_SIZE) {
    file->stored = size;
    return NULL;
  }
  size_t got = 0;
  char *bytes = sli_malloc((size_t)size + 1);
  sli_status_t *status = fetch(file, 0, bytes, (size_t)size, &got);
  if (!status) sli_string_append(&file->sender.pending, bytes, got);
  free(bytes);
  return status;
}

static sli_status_t *s3_open_write(const char *path, const char *shown, sli_file_mode_t mode,
                                   sli_raw_file_t **out_file) {
  *out_file = NULL;
  s3_file_t *file = NULL;
  SLI_RETURN_IF_ERROR(open_file(path, shown, &file));
  sli_file_info_t info = {0};
  sli_status_t *status = mode == SLI_FILE_TRUNCATE ? NULL : head(file->name, shown, &info);
  bool exists = mode != SLI_FILE_TRUNCATE && !status;
  if (sli_status_code(status) == SLI_NOT_FOUND) {
    sli_status_release(status);
    status = NULL;
  }
  if (!status && exists && mode == SLI_FILE_EXCLUSIVE)
    status = sli_status_make(SLI_ALREADY_EXISTS, "%s; File exists", shown);
  if (!status && exists && mode == SLI_FILE_APPEND) status = begin_append(file, info.size);
  file->dirty = !status && !exists;  // an empty file exists, too
  if (status)
    sli_status_release(s3_close(&file->base));
  else
    *out_file = &file->base;
  return status;
}

// --- Operations on names ---

static sli_status_t *copy_object(sli_s3_name_t from, sli_s3_name_t to, uint64_t size, const char *shown) {
  if (size > MAX_COPY) {
    s3_file_t file = {.shown = shown, .name = to};  // without threads
    sli_status_t *status = begin_upload(&file);
    if (!status) status = copy_parts(&file, from, size);
    if (!status) status = complete_upload(&file, size);
    abort_upload(&file);
    forget_upload(&file);
    return status;
  }
  char *source = copy_source(from);
  sli_s3_request_t request = {.method = "PUT", .name = to, .shown = shown, .headers = {source}};
  sli_http_reply_t reply = {0};
  sli_status_t *status = perform(&request, &reply);
  sli_http_reply_deinitialize(&reply);
  free(source);
  return status;
}

static sli_status_t *delete_object(sli_s3_name_t name, const char *shown) {
  sli_s3_request_t request = {.method = "DELETE", .name = name, .shown = shown};
  sli_http_reply_t reply = {0};
  sli_status_t *status = perform(&request, &reply);
  if (reply.code == 404 && reply.attempts > 1) {  // an earlier attempt did it
    sli_status_release(status);
    status = NULL;
  }
  sli_http_reply_deinitialize(&reply);
  return status;
}

// Copies all objects below |from|, then removes them: a reader never sees less than one whole directory.
static sli_status_t *rename_directory(sli_s3_name_t from, sli_s3_name_t to, const char *shown) {
  char *prefix = prefix_of(from);
  size_t skipped = strlen(prefix);
  sli_path_list_t keys;
  sli_status_t *status = list_keys(from, prefix, true, false, shown, &keys);
  if (!status && !keys.count) status = sli_status_make(SLI_NOT_FOUND, "%s; No such file or directory", shown);
  for (size_t i = 0; i < keys.count && !status; i++) {
    char *target = sli_format("%.*s/%s", SLI_VIEW_ARG(to.key), keys.items[i] + skipped);
    sli_file_info_t info;
    sli_s3_name_t source = {from.bucket, sli_view(keys.items[i])};
    status = head(source, shown, &info);
    s3_file_t file = {.shown = shown, .name = {to.bucket, sli_view(target)}};
    // The name of a directory is not copied but made: some stores have no such objects.
    if (!status && sli_string_ends_with(target, "/"))
      status = put_whole(&file);
    else if (!status)
      status = copy_object(source, file.name, info.size, shown);
    free(target);
  }
  for (size_t i = 0; i < keys.count && !status; i++)
    status = delete_object((sli_s3_name_t){from.bucket, sli_view(keys.items[i])}, shown);
  sli_path_list_deinitialize(&keys);
  free(prefix);
  return status;
}

static sli_status_t *s3_rename(const char *from, const char *to, const char *shown) {
  sli_s3_name_t source, target;
  sli_file_info_t info;
  SLI_RETURN_IF_ERROR(parse_name(from, shown, &source));
  SLI_RETURN_IF_ERROR(parse_name(to, shown, &target));
  SLI_RETURN_IF_ERROR(s3_info(from, shown, &info));
  if (sli_view_equal(source.bucket, target.bucket) && sli_view_equal(source.key, target.key)) return NULL;
  if (info.is_directory) return rename_directory(source, target, shown);
  SLI_RETURN_IF_ERROR(copy_object(source, target, info.size, shown));
  return delete_object(source, shown);
}

// A copy: objects never change, so that it is as good as a link.
static sli_status_t *s3_link(const char *from, const char *to, const char *shown) {
  sli_s3_name_t source, target;
  sli_file_info_t info, other;
  SLI_RETURN_IF_ERROR(parse_name(from, shown, &source));
  SLI_RETURN_IF_ERROR(parse_name(to, shown, &target));
  SLI_RETURN_IF_ERROR(head(source, shown, &info));
  sli_status_t *status = head(target, to, &other);
  if (!status) return sli_status_make(SLI_ALREADY_EXISTS, "%s; File exists", to);
  if (sli_status_code(status) != SLI_NOT_FOUND) return status;
  sli_status_release(status);
  return copy_object(source, target, info.size, shown);
}

static sli_status_t *s3_remove(const char *path, const char *shown) {
  sli_s3_name_t name;
  sli_file_info_t info;
  SLI_RETURN_IF_ERROR(parse_name(path, shown, &name));
  SLI_RETURN_IF_ERROR(s3_info(path, shown, &info));  // the store does not say whether there was an object
  if (info.is_directory) return sli_status_make(SLI_FAILED_PRECONDITION, "%s; Is a directory", shown);
  return delete_object(name, shown);
}

static sli_status_t *s3_make_directory(const char *path, const char *shown) {
  sli_file_info_t info;
  sli_status_t *status = s3_info(path, shown, &info);
  if (!status) return sli_status_make(SLI_ALREADY_EXISTS, "%s; File exists", shown);
  if (sli_status_code(status) != SLI_NOT_FOUND) return status;
  sli_status_release(status);
  sli_s3_name_t name;
  SLI_RETURN_IF_ERROR(parse_name(path, shown, &name));
  char *marker = prefix_of(name);
  s3_file_t file = {.shown = shown, .name = {name.bucket, sli_view(marker)}};
  status = put_whole(&file);
  free(marker);
  return status;
}

static sli_status_t *s3_remove_directory(const char *path, const char *shown) {
  sli_path_list_t names;
  SLI_RETURN_IF_ERROR(s3_list(path, shown, &names));
  size_t count = names.count;
  sli_path_list_deinitialize(&names);
  if (count) return sli_status_make(SLI_FAILED_PRECONDITION, "%s; Directory not empty", shown);
  sli_s3_name_t name;
  SLI_RETURN_IF_ERROR(parse_name(path, shown, &name));
  char *marker = prefix_of(name);
  sli_status_t *status = *marker ? delete_object((sli_s3_name_t){name.bucket, sli_view(marker)}, shown)
                                 : sli_status_make(SLI_FAILED_PRECONDITION, "%s; a bucket is not removed", shown);
  free(marker);
  return status;
}

static sli_status_t *s3_sync_directory(const char *path, const char *shown) { return NULL; }

const sli_file_system_t sli_s3_file_system = {
    .scheme = "s3",
    .open_read = s3_open_read,
    .open_write = s3_open_write,
    .info = s3_info,
    .list = s3_list,
    .make_directory = s3_make_directory,
    .rename = s3_rename,
    .link = s3_link,
    .remove = s3_remove,
    .remove_directory = s3_remove_directory,
    .sync_directory = s3_sync_directory,
};
