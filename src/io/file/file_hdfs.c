// Files of HDFS, by WebHDFS: hdfs://, webhdfs:// and swebhdfs://.
//
// What is written is kept until it is flushed or there is a part of it, then sent to a data node, which makes or
// extends the file. The length of the file before tells what became of an extension whose reply was lost: the file is
// cut back to it, and the bytes are sent again, so that a reader finds each byte once. Renaming is HDFS's own, atomic.
//
// HDFS takes long to close a file, about half a second, and a file has one writer. So the parts of a large file are
// files of their own, sent at the same time, which the name node joins to the first one in the end (CONCAT).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/random.h"
#include "io/file/file_system.h"
#include "io/file/hdfs_request.h"
#include "io/file/part_sender.h"
#include "io/file/read_ahead.h"

enum {
  PART_SIZE = 64 << 20,
  COPY_SIZE = 8 << 20,
  // A data node takes about half a second to close a part that it has: meanwhile the bytes of others move.
  MAX_KEPT = 4,
  MAX_MOVING = 2,
};
// When the parts of others are taken for those of a task that was killed.
static const int64_t ABANDONED_NANOS = (int64_t)24 * 3600 * 1000000000;

typedef struct {
  sli_raw_file_t base;
  char *path;  // what |name| points into
  sli_hdfs_name_t name;
  sli_read_ahead_t ahead;
  // Writing.
  sli_part_sender_t sender;
  uint64_t stored;  // bytes of the file in HDFS
  uint64_t sent;    // bytes in parts behind these
  bool is_new;      // the file has to be made, in place of an older one
  bool failed;
  uint64_t id;  // in the names of the parts
} hdfs_file_t;

// --- Information ---

static sli_status_t *malformed(const sli_hdfs_name_t *name) {
  return sli_status_make(SLI_UNAVAILABLE, "%s; the reply of the name node has no file status", name->shown);
}

static bool read_status(json_t *status, sli_file_info_t *out_info) {
  json_t *length = json_object_get(status, "length"), *time = json_object_get(status, "modificationTime");
  const char *type = json_string_value(json_object_get(status, "type"));
  if (!type || !json_is_integer(length) || json_integer_value(length) < 0) return false;
  *out_info = (sli_file_info_t){.size = (uint64_t)json_integer_value(length),
                                .modified_nanos = (int64_t)json_integer_value(time) * 1000000,
                                .is_directory = !strcmp(type, "DIRECTORY")};
  return true;
}

static sli_status_t *get_info(const sli_hdfs_name_t *name, sli_file_info_t *out_info) {
  *out_info = (sli_file_info_t){0};
  json_t *reply;
  SLI_RETURN_IF_ERROR(sli_hdfs_call(name, "GET", "op=GETFILESTATUS", &reply, NULL));
  sli_status_t *status = read_status(json_object_get(reply, "FileStatus"), out_info) ? NULL : malformed(name);
  json_decref(reply);
  return status;
}

static sli_status_t *hdfs_info(const char *path, const char *shown, sli_file_info_t *out_info) {
  sli_hdfs_name_t name = sli_hdfs_name(path, shown);
  return get_info(&name, out_info);
}

// As get_info; NOT_FOUND is no error but |*out_exists| false.
static sli_status_t *look_up(const sli_hdfs_name_t *name, sli_file_info_t *out_info, bool *out_exists) {
  sli_status_t *status = get_info(name, out_info);
  *out_exists = !status;
  if (sli_status_code(status) != SLI_NOT_FOUND) return status;
  sli_status_release(status);
  return NULL;
}

static sli_status_t *hdfs_list(const char *path, const char *shown, sli_path_list_t *out_names) {
  *out_names = (sli_path_list_t){0};
  sli_hdfs_name_t name = sli_hdfs_name(path, shown);
  json_t *reply;
  SLI_RETURN_IF_ERROR(sli_hdfs_call(&name, "GET", "op=LISTSTATUS", &reply, NULL));
  json_t *items = json_object_get(json_object_get(reply, "FileStatuses"), "FileStatus");
  sli_status_t *status = json_is_array(items) ? NULL : malformed(&name);
  for (size_t i = 0; i < json_array_size(items) && !status; i++) {
    const char *text = json_string_value(json_object_get(json_array_get(items, i), "pathSuffix"));
    if (!text)
      status = malformed(&name);
    else if (!*text)
      status = sli_status_make(SLI_FAILED_PRECONDITION, "%s; Not a directory", shown);
    else
      sli_array_push(out_names, sli_strdup(text));
  }
  if (status) sli_path_list_deinitialize(out_names);
  json_decref(reply);
  return status;
}

// --- Reading ---

static sli_status_t *fetch(void *context, uint64_t offset, void *data, size_t size, size_t *out_size) {
  return sli_hdfs_read(&((hdfs_file_t *)context)->name, offset, data, size, out_size);
}

static sli_status_t *stream(void *context, uint64_t offset, const sli_http_sink_t *sink) {
  return sli_hdfs_stream(&((hdfs_file_t *)context)->name, offset, sink);
}

static sli_status_t *hdfs_read(sli_raw_file_t *base, uint64_t offset, void *data, size_t size, size_t *out_size) {
  return sli_read_ahead_read(&((hdfs_file_t *)base)->ahead, offset, data, size, out_size);
}

static sli_status_t *hdfs_size(sli_raw_file_t *base, uint64_t *out_size) {
  sli_file_info_t info;
  sli_status_t *status = get_info(&((hdfs_file_t *)base)->name, &info);
  *out_size = info.size;
  return status;
}

// --- Writing ---

// Makes the file with |data|, in place of an older one if |overwrite|. |part|: the part that these are, or NULL.
static sli_status_t *create(const sli_hdfs_name_t *name, bool overwrite, const void *data, size_t size,
                            sli_part_t *part) {
  sli_hdfs_body_t body = {.data = data, .size = size, .sent = part ? sli_part_sent : NULL, .context = part};
  sli_http_retry_t retry = sli_http_retry_begin();
  for (;;) {
    bool temporary;
    sli_status_t *status = sli_hdfs_send(
        name, "PUT", overwrite ? "op=CREATE&overwrite=true" : "op=CREATE&overwrite=false", &body, &temporary);
    if (!status || !temporary || !sli_http_retry_pause(&retry)) return status;
    sli_status_release(status);
  }
}

// After an extension by |size| bytes whose result is not known: cuts the file back to what it was. |*out_is_done|: it
// has all bytes. |*out_is_ready|: it has none of them.
static sli_status_t *cut_back(const hdfs_file_t *file, size_t size, bool *out_is_done, bool *out_is_ready) {
  sli_file_info_t info;
  *out_is_done = *out_is_ready = false;
  SLI_RETURN_IF_ERROR(get_info(&file->name, &info));
  *out_is_done = info.size == file->stored + size;
  *out_is_ready = info.size == file->stored;
  if (info.size < file->stored)
    return sli_status_make(SLI_DATA_LOSS, "%s; the file had %" PRIu64 " bytes, and has %" PRIu64 " now",
                           file->name.shown, file->stored, info.size);
  if (*out_is_done || *out_is_ready) return NULL;
  char query[64];
  snprintf(query, sizeof(query), "op=TRUNCATE&newlength=%" PRIu64, file->stored);
  json_t *reply;
  sli_status_t *status = sli_hdfs_call(&file->name, "POST", query, &reply, NULL);
  json_decref(reply);
  // It cannot be cut while the data node of the last attempt still has it open; the caller tries again.
  sli_status_release(status);
  return NULL;
}

static sli_status_t *extend(const hdfs_file_t *file, const void *data, size_t size) {
  sli_http_retry_t retry = sli_http_retry_begin();
  const sli_hdfs_body_t body = {.data = data, .size = size};
  bool done = false, ready = true, in_doubt = false, waits = false;
  for (;;) {
    bool temporary = true;
    sli_status_t *status = NULL;
    if (in_doubt) SLI_RETURN_IF_ERROR(cut_back(file, size, &done, &ready));
    if (done) return NULL;
    if (ready) {
      status = sli_hdfs_send(&file->name, "POST", "op=APPEND", &body, &temporary);
      // An earlier attempt may have added something in the meantime.
      if (!status && in_doubt) SLI_RETURN_IF_ERROR(cut_back(file, size, &done, &ready));
      if (!status && (!in_doubt || done)) return NULL;
      in_doubt = true;
    }
    if (!status)
      status = sli_status_make(SLI_UNAVAILABLE,
                               "%s; the file could not be cut back to %" PRIu64
                               " bytes after a part "
                               "of it was lost",
                               file->name.shown, file->stored);
    if (!waits && (!ready || sli_status_code(status) == SLI_ABORTED)) {
      retry.deadline += SLI_HDFS_LEASE_NANOS;
      waits = true;
    }
    if (!temporary || !sli_http_retry_pause(&retry)) return status;
    sli_status_release(status);
  }
}

// --- Parts ---

// The path of a part; the caller frees it.
static char *part_path(const char *path, size_t number, uint64_t id) {
  return number ? sli_format("%s.part%zu-%016" PRIx64, path, number, id) : sli_strdup(path);
}

static sli_status_t *put_part(void *context, sli_part_t *part) {
  hdfs_file_t *file = context;
  char *path = part_path(file->path, part->number, file->id);
  sli_hdfs_name_t name = sli_hdfs_name(path, file->name.shown);
  sli_status_t *status = create(&name, true, part->data.data, part->data.size, part);
  free(path);
  return status;
}

// Whether |name| is one that part_path makes.
static bool is_part_name(const char *name) {
  const char *dot = strrchr(name, '.');
  if (!dot || strncmp(dot, ".part", 5)) return false;
  size_t digits = strspn(dot + 5, "0123456789");
  const char *id = dot + 5 + digits;
  return digits && *id == '-' && strspn(id + 1, "0123456789abcdef") == 16 && !id[17];
}

static sli_status_t *delete_file(const sli_hdfs_name_t *like, const char *path) {
  sli_hdfs_name_t name = *like;
  json_t *reply;
  name.path = path;
  sli_status_t *status = sli_hdfs_call(&name, "DELETE", "op=DELETE", &reply, NULL);
  json_decref(reply);
  return status;
}

// Removes old parts in the directory of the file, which tasks left that were killed. That it fails is no matter.
static void remove_abandoned(const hdfs_file_t *file) {
  sli_hdfs_name_t name = file->name;
  const char *slash = strrchr(name.path, '/');
  char *directory = slash > name.path ? sli_strndup(name.path, (size_t)(slash - name.path)) : sli_strdup("/");
  int64_t now = sli_clock_wall_nanos();
  json_t *reply;
  name.path = directory;
  sli_status_t *status = sli_hdfs_call(&name, "GET", "op=LISTSTATUS", &reply, NULL);
  json_t *items = json_object_get(json_object_get(reply, "FileStatuses"), "FileStatus");
  for (size_t i = 0; i < json_array_size(items) && !status; i++) {
    const char *text = json_string_value(json_object_get(json_array_get(items, i), "pathSuffix"));
    sli_file_info_t info;
    if (!text || !is_part_name(text) || !read_status(json_array_get(items, i), &info)) continue;
    if (now - info.modified_nanos < ABANDONED_NANOS) continue;
    char *path = sli_format("%s%s%s", directory, directory[1] ? "/" : "", text);
    status = delete_file(&name, path);
    free(path);
  }
  sli_status_release(status);
  json_decref(reply);
  free(directory);
}

// Sends the pending bytes as a part: the file itself, if it has to be made, else one behind it. They are on their way
// when this returns.
static sli_status_t *send_part(hdfs_file_t *file) {
  if (!file->id) {
    file->id = sli_random_u64() | 1;
    remove_abandoned(file);
  }
  // Part 0 is the file itself.
  if (!file->sent) sli_part_sender_reset(&file->sender, file->is_new ? 0 : 1);
  file->sent += file->sender.pending.size;
  file->is_new = false;
  return sli_part_sender_send(&file->sender);
}

// "op=CONCAT&sources=…" with the parts behind the file.
static void append_join_query(const hdfs_file_t *file, sli_string_t *out) {
  sli_string_append_text(out, "op=CONCAT&sources=");
  for (size_t i = 1; i < file->sender.count; i++) {
    char *path = part_path(file->name.path, i, file->id);
    if (i > 1) sli_string_append_char(out, ',');
    sli_http_append_encoded(out, sli_view(path), true);
    free(path);
  }
}

// Joins the parts to the file.
static sli_status_t *join_parts(hdfs_file_t *file) {
  SLI_RETURN_IF_ERROR(sli_part_sender_wait(&file->sender));
  sli_status_t *status = NULL;
  if (file->sender.count > 1) {
    sli_string_t query = {0};
    append_join_query(file, &query);
    json_t *reply;
    bool repeated;
    status = sli_hdfs_call(&file->name, "POST", query.data, &reply, &repeated);
    json_decref(reply);
    sli_string_deinitialize(&query);
    // The reply to the first attempt may have been lost.
    sli_file_info_t info = {0};
    if (status && repeated) sli_status_release(get_info(&file->name, &info));
    if (status && repeated && info.size == file->stored + file->sent) {
      sli_status_release(status);
      status = NULL;
    }
  }
  if (status) return status;
  file->stored += file->sent;
  file->sent = 0;
  return NULL;
}

// Removes the parts of a file that could not be written.
static void remove_parts(hdfs_file_t *file) {
  sli_status_t *status = NULL;
  sli_status_release(sli_part_sender_wait(&file->sender));
  for (size_t i = 1; file->sent && i < file->sender.count && !status;
       i++) {  // if HDFS is gone, not each has its timeout
    char *path = part_path(file->name.path, i, file->id);
    status = delete_file(&file->name, path);
    free(path);
  }
  sli_status_release(status);
}

// Sends all that was written.
static sli_status_t *send_pending(hdfs_file_t *file) {
  if (file->sent) {
    if (file->sender.pending.size) SLI_RETURN_IF_ERROR(send_part(file));
    return join_parts(file);
  }
  if (!file->is_new && !file->sender.pending.size) return NULL;
  SLI_RETURN_IF_ERROR(file->is_new
                          ? create(&file->name, true, file->sender.pending.data, file->sender.pending.size, NULL)
                          : extend(file, file->sender.pending.data, file->sender.pending.size));
  file->is_new = false;
  file->stored += file->sender.pending.size;
  file->sender.pending.size = 0;
  return NULL;
}

static sli_status_t *keep(hdfs_file_t *file, sli_status_t *status) {
  if (status) file->failed = true;
  return status;
}

static sli_status_t *hdfs_write(sli_raw_file_t *base, const void *data, size_t size) {
  hdfs_file_t *file = (hdfs_file_t *)base;
  while (size) {
    size_t taken = sli_part_sender_add(&file->sender, data, size, PART_SIZE);
    data = (const char *)data + taken;
    size -= taken;
    // The name node cannot join names with commas, nor anything to a file without bytes.
    bool can_join = !strchr(file->name.path, ',') && (file->is_new || file->stored || file->sent);
    if (file->sender.pending.size == PART_SIZE)
      SLI_RETURN_IF_ERROR(keep(file, can_join ? send_part(file) : send_pending(file)));
  }
  return NULL;
}

static sli_status_t *hdfs_sync(sli_raw_file_t *base) {
  hdfs_file_t *file = (hdfs_file_t *)base;
  return keep(file, send_pending(file));
}

static sli_status_t *hdfs_close(sli_raw_file_t *base) {
  hdfs_file_t *file = (hdfs_file_t *)base;
  sli_status_t *status = file->failed ? NULL : send_pending(file);
  remove_parts(file);  // none are left, unless it has failed
  sli_part_sender_deinitialize(&file->sender);
  sli_read_ahead_deinitialize(&file->ahead);
  free(file->path);
  free(file);
  return status;
}

static const sli_raw_file_table_t hdfs_file_table = {
    .read = hdfs_read,
    .write = hdfs_write,
    .size = hdfs_size,
    .flush = hdfs_sync,
    .sync = hdfs_sync,
    .close = hdfs_close,
};

static hdfs_file_t *make_file(const char *path, const char *shown) {
  hdfs_file_t *file = sli_calloc(1, sizeof(*file));
  *file = (hdfs_file_t){.base = {&hdfs_file_table}, .path = sli_strdup(path)};
  file->name = sli_hdfs_name(file->path, shown);
  sli_read_ahead_initialize(&file->ahead, fetch, stream, file);
  sli_part_sender_initialize(&file->sender, put_part, file, MAX_KEPT, MAX_MOVING);
  return file;
}

static sli_status_t *hdfs_open_read(const char *path, const char *shown, sli_raw_file_t **out_file) {
  *out_file = NULL;
  sli_file_info_t info;
  SLI_RETURN_IF_ERROR(hdfs_info(path, shown, &info));
  if (info.is_directory) return sli_status_make(SLI_FAILED_PRECONDITION, "%s; Is a directory", shown);
  *out_file = &make_file(path, shown)->base;
  return NULL;
}

static sli_status_t *hdfs_open_write(const char *path, const char *shown, sli_file_mode_t mode,
                                     sli_raw_file_t **out_file) {
  *out_file = NULL;
  hdfs_file_t *file = make_file(path, shown);
  sli_file_info_t info = {0};
  bool exists = false;
  sli_status_t *status = look_up(&file->name, &info, &exists);
  if (!status && info.is_directory) status = sli_status_make(SLI_FAILED_PRECONDITION, "%s; Is a directory", shown);
  if (!status && mode == SLI_FILE_EXCLUSIVE && exists)
    status = sli_status_make(SLI_ALREADY_EXISTS, "%s; File exists", shown);
  else if (!status && mode == SLI_FILE_EXCLUSIVE)
    status = create(&file->name, false, NULL, 0, NULL);  // so that of two tasks one fails
  file->is_new = mode != SLI_FILE_APPEND || !exists;     // the empty one of SLI_FILE_EXCLUSIVE is ours to replace
  file->stored = mode == SLI_FILE_APPEND ? info.size : 0;
  file->failed = status != NULL;
  if (status)
    sli_status_release(hdfs_close(&file->base));
  else
    *out_file = &file->base;
  return status;
}

// --- Operations on names ---

// An operation whose reply is {"boolean": true} if it did something.
static sli_status_t *change(const sli_hdfs_name_t *name, const char *method, const char *query, bool *out_repeated,
                            bool *out_is_done) {
  json_t *reply;
  sli_status_t *status = sli_hdfs_call(name, method, query, &reply, out_repeated);
  *out_is_done = json_is_true(json_object_get(reply, "boolean"));
  json_decref(reply);
  return status;
}

static sli_status_t *hdfs_rename(const char *from, const char *to, const char *shown) {
  sli_hdfs_name_t name = sli_hdfs_name(from, shown), target = sli_hdfs_name(to, shown);
  if (!sli_view_equal(name.authority, target.authority))
    return sli_status_make(SLI_UNIMPLEMENTED, "%s; files cannot be renamed from one HDFS to another", shown);
  if (!strcmp(name.path, target.path)) return NULL;
  sli_string_t query = {0};
  sli_string_append_text(&query, "op=RENAME&renameoptions=OVERWRITE&destination=");
  sli_http_append_encoded(&query, sli_view(target.path), false);
  bool repeated, done, exists = false;
  sli_status_t *status = change(&name, "PUT", query.data, &repeated, &done);
  sli_string_deinitialize(&query);
  sli_file_info_t info;
  if (sli_status_code(status) == SLI_NOT_FOUND && repeated) {  // an earlier attempt did it
    sli_status_t *other = look_up(&target, &info, &exists);
    sli_status_release(other);
  }
  if (exists) {
    sli_status_release(status);
    status = NULL;
  }
  return status;
}

// HDFS has no links: a copy.
static sli_status_t *hdfs_link(const char *from, const char *to, const char *shown) {
  sli_hdfs_name_t name = sli_hdfs_name(from, shown);
  sli_raw_file_t *copy = NULL;
  SLI_RETURN_IF_ERROR(hdfs_open_write(to, shown, SLI_FILE_EXCLUSIVE, &copy));
  char *bytes = sli_malloc(COPY_SIZE);
  size_t got = 1;
  sli_status_t *status = NULL;
  for (uint64_t offset = 0; got && !status; offset += got) {
    status = sli_hdfs_read(&name, offset, bytes, COPY_SIZE, &got);
    if (!status && got) status = hdfs_write(copy, bytes, got);
  }
  free(bytes);
  sli_status_t *closed = hdfs_close(copy);
  if (!status) return closed;
  sli_status_release(closed);
  return status;
}

// Removes a file, or an empty directory.
static sli_status_t *delete_name(const char *path, const char *shown, bool directory) {
  sli_hdfs_name_t name = sli_hdfs_name(path, shown);
  sli_file_info_t info;
  SLI_RETURN_IF_ERROR(get_info(&name, &info));
  if (info.is_directory != directory)
    return sli_status_make(SLI_FAILED_PRECONDITION, "%s; %s", shown, directory ? "Not a directory" : "Is a directory");
  bool repeated, done;
  sli_status_t *status = change(&name, "DELETE", "op=DELETE&recursive=false", &repeated, &done);
  if (status || done || repeated) return status;
  return sli_status_make(SLI_NOT_FOUND, "%s; No such file or directory", shown);
}

static sli_status_t *hdfs_remove(const char *path, const char *shown) { return delete_name(path, shown, false); }

static sli_status_t *hdfs_remove_directory(const char *path, const char *shown) {
  return delete_name(path, shown, true);
}

static sli_status_t *hdfs_make_directory(const char *path, const char *shown) {
  sli_hdfs_name_t name = sli_hdfs_name(path, shown);
  sli_file_info_t info;
  bool exists, done;
  SLI_RETURN_IF_ERROR(look_up(&name, &info, &exists));
  if (exists) return sli_status_make(SLI_ALREADY_EXISTS, "%s; File exists", shown);
  SLI_RETURN_IF_ERROR(change(&name, "PUT", "op=MKDIRS", NULL, &done));
  return done ? NULL : sli_status_make(SLI_UNKNOWN, "%s; the name node made no directory", shown);
}

static sli_status_t *hdfs_sync_directory(const char *path, const char *shown) { return NULL; }

#define HDFS_FILE_SYSTEM(name)                                                                                        \
  {                                                                                                                   \
    .scheme = name, .open_read = hdfs_open_read, .open_write = hdfs_open_write, .info = hdfs_info, .list = hdfs_list, \
    .make_directory = hdfs_make_directory, .rename = hdfs_rename, .link = hdfs_link, .remove = hdfs_remove,           \
    .remove_directory = hdfs_remove_directory, .sync_directory = hdfs_sync_directory                                  \
  }
const sli_file_system_t sli_hdfs_file_system = HDFS_FILE_SYSTEM("hdfs");
const sli_file_system_t sli_webhdfs_file_system = HDFS_FILE_SYSTEM("webhdfs");
const sli_file_system_t sli_swebhdfs_file_system = HDFS_FILE_SYSTEM("swebhdfs");
