// Files of web servers, http://… and https://…, which can only be read. A file of a server that sends no parts of files
// is fetched as a whole and kept in memory.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sync.h"
#include "io/file/file_system.h"
#include "io/file/read_ahead.h"

typedef struct {
  sli_raw_file_t base;
  const char *shown;
  sli_read_ahead_t ahead;
  sli_mutex_t mutex;  // guards what follows
  bool has_whole;
  sli_string_t whole;  // the file, if |has_whole|
} web_file_t;

static sli_status_t *head(const char *url, sli_file_info_t *out_info) {
  sli_http_reply_t reply = {0};
  sli_status_t *status =
      sli_http_perform(&(sli_http_request_t){.method = "HEAD", .url = url, .shown = url, .follow = true}, &reply);
  sli_view_t text;
  int64_t size = 0;
  if (!status && reply.code >= 300)
    status = sli_http_failure(&reply, url, reply.code == 404 ? "No such file" : "the server refused");
  if (!status && sli_http_header(&reply, "Content-Length", &text)) sli_view_to_int64(text, &size);
  *out_info = (sli_file_info_t){.size = (uint64_t)size};
  if (!status && sli_http_header(&reply, "Last-Modified", &text)) out_info->modified_nanos = sli_http_time(text);
  sli_http_reply_deinitialize(&reply);
  return status;
}

// Fetches a part into |data|, or the whole file into |reply->body| if that is NULL.
static sli_status_t *get(const web_file_t *file, uint64_t offset, void *data, size_t size, sli_http_reply_t *reply) {
  char range[80];
  snprintf(range, sizeof(range), "Range: bytes=%" PRIu64 "-%" PRIu64, offset, offset + size - 1);
  const char *headers[] = {data ? range : NULL, NULL};
  SLI_RETURN_IF_ERROR(sli_http_perform(&(sli_http_request_t){.method = "GET",
                                                             .url = file->shown,
                                                             .shown = file->shown,
                                                             .headers = headers,
                                                             .sink = {.into = data, .capacity = data ? size : 0},
                                                             .follow = true},
                                       reply));
  return reply->code >= 300 && reply->code != 416 ? sli_http_failure(reply, file->shown, "the server refused") : NULL;
}

// Serves a part of the file from memory, where it is fetched to the first time.
static sli_status_t *read_whole(web_file_t *file, uint64_t offset, void *data, size_t size, size_t *out_size) {
  sli_status_t *status = NULL;
  sli_mutex_lock(&file->mutex);
  if (!file->has_whole) {
    sli_http_reply_t reply = {0};
    status = get(file, 0, NULL, 0, &reply);
    file->has_whole = !status;
    if (!status) {
      file->whole = reply.body;
      reply.body = (sli_string_t){0};
    }
    sli_http_reply_deinitialize(&reply);
  }
  if (!status && offset < file->whole.size) {
    size_t left = file->whole.size - (size_t)offset;
    *out_size = left < size ? left : size;
    memcpy(data, file->whole.data + offset, *out_size);
  }
  sli_mutex_unlock(&file->mutex);
  return status;
}

static sli_status_t *fetch(void *context, uint64_t offset, void *data, size_t size, size_t *out_size) {
  web_file_t *file = context;
  *out_size = 0;
  if (!size || offset > INT64_MAX - (uint64_t)size) return NULL;
  sli_mutex_lock(&file->mutex);
  bool has_whole = file->has_whole;
  sli_mutex_unlock(&file->mutex);
  if (has_whole) return read_whole(file, offset, data, size, out_size);
  sli_http_reply_t reply = {0};
  sli_status_t *status = get(file, offset, data, size, &reply);
  if (!status && reply.code == 200 && offset)
    status = read_whole(file, offset, data, size, out_size);  // it ignores ranges
  else if (!status && reply.code != 416)
    *out_size = reply.received;
  sli_http_reply_deinitialize(&reply);
  return status;
}

static sli_status_t *web_read(sli_raw_file_t *base, uint64_t offset, void *data, size_t size, size_t *out_size) {
  return sli_read_ahead_read(&((web_file_t *)base)->ahead, offset, data, size, out_size);
}

static sli_status_t *web_size(sli_raw_file_t *base, uint64_t *out_size) {
  sli_file_info_t info;
  sli_status_t *status = head(((web_file_t *)base)->shown, &info);
  *out_size = info.size;
  return status;
}

static sli_status_t *read_only(const char *shown) {
  return sli_status_make(SLI_UNIMPLEMENTED, "%s; files of web servers can only be read", shown);
}

static sli_status_t *web_write(sli_raw_file_t *base, const void *data, size_t size) {
  return read_only(((web_file_t *)base)->shown);
}

static sli_status_t *web_sync(sli_raw_file_t *base) { return NULL; }

static sli_status_t *web_close(sli_raw_file_t *base) {
  web_file_t *file = (web_file_t *)base;
  sli_read_ahead_deinitialize(&file->ahead);
  sli_mutex_deinitialize(&file->mutex);
  sli_string_deinitialize(&file->whole);
  free(file);
  return NULL;
}

static const sli_raw_file_table_t web_file_table = {
    .read = web_read, .write = web_write, .size = web_size, .sync = web_sync, .close = web_close};

static sli_status_t *web_open_read(const char *path, const char *shown, sli_raw_file_t **out_file) {
  *out_file = NULL;
  sli_file_info_t info;
  SLI_RETURN_IF_ERROR(head(shown, &info));
  web_file_t *file = sli_calloc(1, sizeof(*file));
  *file = (web_file_t){.base = {&web_file_table}, .shown = shown};
  sli_mutex_initialize(&file->mutex);
  sli_read_ahead_initialize(&file->ahead, fetch, NULL, file);
  *out_file = &file->base;
  return NULL;
}

static sli_status_t *web_info(const char *path, const char *shown, sli_file_info_t *out_info) {
  return head(shown, out_info);
}

static sli_status_t *web_open_write(const char *path, const char *shown, sli_file_mode_t mode,
                                    sli_raw_file_t **out_file) {
  *out_file = NULL;
  return read_only(shown);
}

static sli_status_t *web_list(const char *directory, const char *shown, sli_path_list_t *out_names) {
  return sli_status_make(SLI_UNIMPLEMENTED, "%s; directories of web servers cannot be listed", shown);
}

static sli_status_t *web_change(const char *path, const char *shown) { return read_only(shown); }
static sli_status_t *web_rename(const char *from, const char *to, const char *shown) { return read_only(shown); }

#define WEB_FILE_SYSTEM(name)                                                                                     \
  {                                                                                                               \
    .scheme = name, .open_read = web_open_read, .open_write = web_open_write, .info = web_info, .list = web_list, \
    .make_directory = web_change, .rename = web_rename, .remove = web_change, .remove_directory = web_change,     \
    .sync_directory = web_change                                                                                  \
  }
const sli_file_system_t sli_http_file_system = WEB_FILE_SYSTEM("http");
const sli_file_system_t sli_https_file_system = WEB_FILE_SYSTEM("https");
