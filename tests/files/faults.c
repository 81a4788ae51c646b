#include "tests/files/faults.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/string.h"
#include "io/file/file_system.h"

static struct {
  pthread_once_t once;
  faults_kind_t kind;
  long at, count;
} plan = {.once = PTHREAD_ONCE_INIT};

static const sli_file_system_t *const local = &sli_posix_file_system;

typedef struct {
  sli_raw_file_t base;
  sli_raw_file_t *file;
  const char *shown;
} fault_file_t;

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Whether the operation is to fail. Does not return if it is the process's last; a torn one is done first.
static bool is_due(void) {
  if (plan.kind == FAULTS_READ || plan.kind == FAULTS_READ_TORN) return false;
  plan.count++;
  bool now = plan.count == plan.at;
  if (plan.kind == FAULTS_KILL && now) die();
  return (plan.kind == FAULTS_FULL && plan.count >= plan.at) || (plan.kind == FAULTS_FULL_ONCE && now);
}

static void after(void) {
  if (plan.kind == FAULTS_KILL_TORN && plan.count == plan.at) die();
}

static sli_status_t *full(const char *shown) { return sli_status_from_errno(ENOSPC, "%s", shown); }

// Runs an operation that is all or nothing.
#define WHOLE(shown, call)               \
  do {                                   \
    if (is_due()) return full(shown);    \
    sli_status_t *whole_status = (call); \
    after();                             \
    return whole_status;                 \
  } while (0)

static sli_status_t *fault_read(sli_raw_file_t *base, uint64_t offset, void *data, size_t size, size_t *out_size) {
  sli_raw_file_t *file = ((fault_file_t *)base)->file;
  bool is_counted = plan.kind == FAULTS_READ || plan.kind == FAULTS_READ_TORN;
  if (is_counted) plan.count++;
  if (plan.kind == FAULTS_READ && plan.count == plan.at)
    return *out_size = 0, sli_status_from_errno(EIO, "%s", ((fault_file_t *)base)->shown);
  if (plan.kind == FAULTS_READ_TORN && plan.count > plan.at) return *out_size = 0, NULL;
  bool torn = plan.kind == FAULTS_READ_TORN && plan.count == plan.at;
  return file->table->read(file, offset, data, torn ? size / 2 : size, out_size);
}

static sli_status_t *fault_write(sli_raw_file_t *base, const void *data, size_t size) {
  fault_file_t *file = (fault_file_t *)base;
  const sli_raw_file_table_t *table = file->file->table;
  if (is_due()) {
    sli_status_release(table->write(file->file, data, size / 2));
    return full(file->shown);
  }
  bool torn = plan.kind == FAULTS_KILL_TORN && plan.count == plan.at;
  sli_status_t *status = table->write(file->file, data, torn ? size / 2 : size);
  after();
  return status;
}

static sli_status_t *fault_size(sli_raw_file_t *base, uint64_t *out_size) {
  sli_raw_file_t *file = ((fault_file_t *)base)->file;
  return file->table->size(file, out_size);
}

static sli_status_t *fault_sync(sli_raw_file_t *base) {
  fault_file_t *file = (fault_file_t *)base;
  WHOLE(file->shown, file->file->table->sync(file->file));
}

static sli_status_t *fault_close(sli_raw_file_t *base) {
  fault_file_t *file = (fault_file_t *)base;
  sli_status_t *status = file->file->table->close(file->file);
  free(file);
  return status;
}

static const sli_raw_file_table_t table = {
    .read = fault_read, .write = fault_write, .size = fault_size, .sync = fault_sync, .close = fault_close};

static void wrap(sli_raw_file_t **file, const char *shown) {
  fault_file_t *wrapped = sli_calloc(1, sizeof(*wrapped));
  *wrapped = (fault_file_t){.base = {&table}, .file = *file, .shown = shown};
  *file = &wrapped->base;
}

static sli_status_t *fault_open_read(const char *path, const char *shown, sli_raw_file_t **out_file) {
  SLI_RETURN_IF_ERROR(local->open_read(path, shown, out_file));
  wrap(out_file, shown);
  return NULL;
}

static sli_status_t *fault_open_write(const char *path, const char *shown, sli_file_mode_t mode,
                                      sli_raw_file_t **out_file) {
  *out_file = NULL;
  if (is_due()) return full(shown);
  SLI_RETURN_IF_ERROR(local->open_write(path, shown, mode, out_file));
  after();
  wrap(out_file, shown);
  return NULL;
}

static sli_status_t *fault_info(const char *path, const char *shown, sli_file_info_t *out_info) {
  return local->info(path, shown, out_info);
}
static sli_status_t *fault_list(const char *directory, const char *shown, sli_path_list_t *out_names) {
  return local->list(directory, shown, out_names);
}
static sli_status_t *fault_make_directory(const char *directory, const char *shown) {
  WHOLE(shown, local->make_directory(directory, shown));
}
static sli_status_t *fault_rename(const char *from, const char *to, const char *shown) {
  WHOLE(shown, local->rename(from, to, shown));
}
static sli_status_t *fault_link(const char *from, const char *to, const char *shown) {
  WHOLE(shown, local->link(from, to, shown));
}
static sli_status_t *fault_sync_directory(const char *directory, const char *shown) {
  WHOLE(shown, local->sync_directory(directory, shown));
}

// A full disk lets one remove; a kill comes here as anywhere.
static sli_status_t *fault_remove(const char *path, const char *shown) {
  is_due();
  sli_status_t *status = local->remove(path, shown);
  after();
  return status;
}
static sli_status_t *fault_remove_directory(const char *directory, const char *shown) {
  is_due();
  sli_status_t *status = local->remove_directory(directory, shown);
  after();
  return status;
}

static const sli_file_system_t fault_system = {.scheme = "fault",
                                               .open_read = fault_open_read,
                                               .open_write = fault_open_write,
                                               .info = fault_info,
                                               .list = fault_list,
                                               .make_directory = fault_make_directory,
                                               .rename = fault_rename,
                                               .link = fault_link,
                                               .remove = fault_remove,
                                               .remove_directory = fault_remove_directory,
                                               .sync_directory = fault_sync_directory};

static void register_system(void) { SLI_CHECK(!sli_file_system_register(&fault_system)); }

void faults_set(faults_kind_t kind, long at) {
  pthread_once(&plan.once, register_system);
  plan.kind = kind;
  plan.at = at;
  plan.count = 0;
}

long faults_count(void) { return plan.count; }

char *faults_path(const char *path) { return sli_format("fault://%s", path); }
