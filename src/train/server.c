// This task's server.
#include "sluice/server.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "proto/wire.h"
#include "sluice/cluster.h"
#include "train/keep.h"
#include "train/server_internal.h"
#include "train/tensor.h"

// A ps leaves at the latest this long after the end was announced.
enum { LEAVE_MILLIS = 10000 };

// The job of a local server.
static const char local_job[] = "local";

struct sl_server {
  sl_cluster_t *cluster;
  TF_Server *handle;
  sli_status_t *status;
  SLI_ARRAY(void *) owned;  // freed with it
};

// --- Life ---

static sli_status_t *start(sl_server_t *server) {
  sl_cluster_t *cluster = server->cluster;
  if (cluster->status) return sli_status_retain(cluster->status);
  if (!cluster->job || !sli_cluster_find_job(cluster, cluster->job)) return NULL;
  sli_string_t definition = {0};
  sli_cluster_server_def(cluster, &definition);
  TF_Status *status = TF_NewStatus();
  server->handle = TF_NewServer(definition.data, definition.size, status);
  sli_string_deinitialize(&definition);
  if (TF_GetCode(status) == TF_OK) TF_ServerStart(server->handle, status);
  return sli_status_append(sli_status_from_tf(status),
                           "; check this task's address in the flags or in TF_CONFIG, and who else uses it");
}

sl_server_t *sl_server_start(sl_cluster_t *cluster) {
  sl_server_t *server = sli_calloc(1, sizeof(*server));
  server->cluster = cluster;
  server->status = start(server);
  sli_keep(server);
  return server;
}

sl_server_t *sl_create_local_server(void) {
  sl_cluster_t *cluster = sli_calloc(1, sizeof(*cluster));
  sli_job_t job = {.name = sli_strdup(local_job)};
  cluster->status = sli_job_add_task(&job, 0, "localhost:0", "the local server");
  sli_array_push(&cluster->jobs, job);
  cluster->job = sli_strdup(local_job);
  sl_server_t *server = sl_server_start(cluster);
  sli_task_t *task = &cluster->jobs.items[0].tasks.items[0];
  sli_view_t target = sli_view(sl_server_target(server));
  if (target.size) {  // the port is known now
    free(task->address);
    task->address = sli_strdup(target.data + strlen("grpc://"));
  }
  return server;
}

void sl_server_release(sl_server_t *server) {
  if (!server) return;
  sli_keep_no_more(server);
  TF_Status *status = TF_NewStatus();
  if (server->handle) TF_ServerStop(server->handle, status);
  if (server->handle && TF_GetCode(status) == TF_OK) TF_ServerJoin(server->handle, status);
  // TensorFlow's own server cannot be stopped; then it stays until the process ends.
  if (server->handle && TF_GetCode(status) == TF_OK) TF_DeleteServer(server->handle);
  TF_DeleteStatus(status);
  for (size_t i = 0; i < server->owned.count; i++) free(server->owned.items[i]);
  sli_array_deinitialize(&server->owned);
  sli_cluster_release(server->cluster);
  sli_status_release(server->status);
  free(server);
}

const char *sl_server_error(const sl_server_t *server) { return sli_status_message(server->status); }
sli_status_t *sli_server_status(const sl_server_t *server) { return server->status; }
void sli_server_fail(sl_server_t *server, sli_status_t *status) {
  server->status = sli_status_join(server->status, status);
}
void sli_server_own(sl_server_t *server, void *memory) { sli_array_push(&server->owned, memory); }
TF_Server *sl_server_handle(const sl_server_t *server) { return server->status ? NULL : server->handle; }
const char *sl_server_target(const sl_server_t *server) {
  return sl_server_handle(server) ? TF_ServerTarget(server->handle) : "";
}

const sl_cluster_t *sli_server_cluster(const sl_server_t *server) {
  return server && server->cluster->job ? server->cluster : NULL;
}

int sl_server_join(sl_server_t *server) {
  sli_status_t *status = sli_status_retain(server->status);
  if (!status && server->handle) {
    TF_Status *joined = TF_NewStatus();
    sl_cluster_join(server->handle, LEAVE_MILLIS, joined);
    status = sli_status_from_tf(joined);
  }
  if (status) {
    char title[64];
    sli_server_title(server, title, sizeof(title));
    fprintf(stderr, "%s: %s\n", title, sli_status_message(status));
  }
  int code = status ? 1 : 0;
  sli_status_release(status);
  sl_server_release(server);
  return code;
}

// --- Who is who ---

const char *sl_server_job(const sl_server_t *server) { return server->cluster->job ? server->cluster->job : "worker"; }
bool sl_server_is(const sl_server_t *server, const char *job) { return strcmp(sl_server_job(server), job) == 0; }
int sl_server_task_index(const sl_server_t *server) { return server->cluster->index; }

int sl_server_count(const sl_server_t *server, const char *job) {
  if (!server->cluster->job) return strcmp(job, "worker") == 0;
  const sli_job_t *found = sli_cluster_find_job(server->cluster, job);
  return found ? (int)found->tasks.count : 0;
}

const char *sl_server_address(const sl_server_t *server, const char *job, int task_index) {
  const sli_job_t *found = sli_cluster_find_job(server->cluster, job);
  for (size_t i = 0; found && i < found->tasks.count; i++)
    if (found->tasks.items[i].index == task_index) return found->tasks.items[i].address;
  return NULL;
}

bool sl_server_is_chief(const sl_server_t *server) {
  if (!server->cluster->job) return true;
  if (sl_server_is(server, "chief") || sl_server_is(server, "master")) return true;
  if (sl_server_is(server, local_job)) return sl_server_count(server, local_job) == 1;
  bool has_chief = sl_server_count(server, "chief") || sl_server_count(server, "master");
  return !has_chief && sl_server_is(server, "worker") && server->cluster->index == 0;
}

const char *sli_server_chief_address(const sl_server_t *server) {
  static const char *const jobs[] = {"chief", "master", "worker"};
  if (sl_server_is_chief(server)) return NULL;
  for (size_t i = 0; i < SLI_COUNT_OF(jobs); i++)
    if (sl_server_count(server, jobs[i])) return sl_server_address(server, jobs[i], 0);
  return NULL;
}

void sli_server_title(const sl_server_t *server, char *out_title, size_t size) {
  const char *job = server ? sl_server_job(server) : "worker";
  snprintf(out_title, size, "%c%s %d", toupper((unsigned char)job[0]), job + 1, server ? server->cluster->index : 0);
}

static const char *chief_job(const sl_server_t *server) {
  return sl_server_count(server, "chief") ? "chief" : sl_server_count(server, "master") ? "master" : NULL;
}

int sli_server_replica_count(const sl_server_t *server) {
  return server ? sl_server_count(server, "worker") + (chief_job(server) != NULL) : 1;
}

int sli_server_replica(const sl_server_t *server) {
  if (!server) return 0;
  return sl_server_is(server, "worker") ? sl_server_task_index(server) + (chief_job(server) != NULL) : 0;
}

char *sli_server_replica_name(const sl_server_t *server, int replica) {
  const char *chief = server ? chief_job(server) : NULL;
  int index = chief ? replica - 1 : replica;
  if (chief && replica == 0) return sli_format("/job:%s/task:0", chief);
  if (server && index < sl_server_count(server, "worker")) return sli_format("/job:worker/task:%d", index);
  return sli_format("replica %d", replica);
}

// --- Which tasks a session sees ---

static bool is_seen(const sl_server_t *server, const char *job, int index) {
  return strcmp(job, "ps") == 0 || (sl_server_is(server, job) && index == server->cluster->index);
}

// ConfigProto.device_filters = 4.
void sli_server_device_filters(const sl_server_t *server, sli_string_t *out_config) {
  enum { DEVICE_FILTERS = 4 };
  if (!sl_server_count(server, "ps")) return;
  sli_wire_write_text(out_config, DEVICE_FILTERS, "/job:ps");
  char *own = sli_format("/job:%s/task:%d", sl_server_job(server), server->cluster->index);
  sli_wire_write_text(out_config, DEVICE_FILTERS, own);
  free(own);
}

// 0 once |address| accepts, else an errno or, negative, a getaddrinfo error.
static int try_connect(const char *address, int wait_millis) {
  const char *colon = strrchr(address, ':');
  char *host = sli_strndup(address, (size_t)(colon - address));
  size_t length = strlen(host);
  bool bracketed = length > 2 && host[0] == '[' && host[length - 1] == ']';
  if (bracketed) host[length - 1] = '\0';
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  int error = getaddrinfo(host + bracketed, colon + 1, &hints, &found);
  free(host);
  if (error) return error < 0 ? error : -error;
  for (struct addrinfo *entry = found; entry; entry = entry->ai_next) {
    int descriptor = socket(entry->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    error = descriptor < 0 ? errno : 0;
    if (descriptor >= 0 && connect(descriptor, entry->ai_addr, entry->ai_addrlen) != 0) error = errno;
    if (error == EINPROGRESS) {
      struct pollfd waiting = {.fd = descriptor, .events = POLLOUT};
      socklen_t size = sizeof(error);
      int ready = poll(&waiting, 1, wait_millis);
      if (ready <= 0)
        error = ready < 0 ? errno : ETIMEDOUT;
      else if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    }
    if (descriptor >= 0) close(descriptor);
    if (!error) break;
  }
  freeaddrinfo(found);
  return error;
}

bool sli_server_is_listening(const char *address, int wait_millis) { return try_connect(address, wait_millis) == 0; }

char *sli_server_unreachable(const sl_server_t *server, bool all_tasks, int wait_millis) {
  sli_string_t text = {0};
  for (size_t i = 0; i < server->cluster->jobs.count; i++) {
    const sli_job_t *job = &server->cluster->jobs.items[i];
    for (size_t j = 0; j < job->tasks.count; j++) {
      const sli_task_t *task = &job->tasks.items[j];
      bool is_needed = all_tasks || is_seen(server, job->name, task->index);
      int error = is_needed ? try_connect(task->address, wait_millis) : 0;
      if (!error) continue;
      sli_string_append_format(&text, "%s/job:%s/task:%d at %s (%s)", text.size ? ", " : "", job->name, task->index,
                               task->address, error < 0 ? gai_strerror(error) : strerror(error));
    }
  }
  return sli_string_take(&text);
}
