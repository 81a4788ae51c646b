// The server of this task, its role in the cluster, and probes of other tasks.
#include "sluice/server.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/sync.h"
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "sluice/cluster.h"
#include "train/cluster/train_server.h"
#include "train/common/call_options.h"
#include "train/common/live_object.h"
#include "train/common/session_config.h"
#include "train/common/signals.h"
#include "train/common/tf_tensor.h"

// A ps exits at most this long after the end was announced.
enum { LEAVE_MILLIS = 10000 };
// A ps that gets a signal stays at most this long for its workers to save.
enum { STOP_MILLIS = 30000 };
// How long a ps that starts, or a worker that joins, tries to tell the others where it is.
enum { ANNOUNCE_MILLIS = 5000 };

// The job of a local server.
static const char local_job[] = "local";

struct sl_server {
  sl_cluster_t *cluster;
  TF_Server *handle;
  sli_status_t *status;
  char *device;             // NULL: the program runs alone
  SLI_ARRAY(void *) owned;  // freed with the server
};

// --- Start and release ---

// Servers that did not start, until they are released.
static sli_mutex_t failed_mutex = SLI_MUTEX_INITIALIZER;
static SLI_ARRAY(const sl_server_t *) failed;  // under failed_mutex

static void forget_failed(const sl_server_t *server) {
  sli_mutex_lock(&failed_mutex);
  for (size_t i = failed.count; i-- > 0;)
    if (failed.items[i] == server) failed.items[i] = failed.items[--failed.count];
  if (failed.count == 0) sli_array_deinitialize(&failed);
  sli_mutex_unlock(&failed_mutex);
}

sli_status_t *sli_train_server_find_error(void) {
  sli_mutex_lock(&failed_mutex);
  sli_status_t *status = failed.count ? sli_status_retain(failed.items[0]->status) : NULL;
  sli_mutex_unlock(&failed_mutex);
  return status;
}

static sli_status_t *start(sl_server_t *server, const sl_config_t *config, const char *http) {
  sl_cluster_t *cluster = server->cluster;
  if (cluster->status) return sli_status_retain(cluster->status);
  if (!cluster->job || !sli_cluster_spec_find_job(cluster, cluster->job)) return NULL;
  sli_string_t definition = {0};
  sli_cluster_spec_append_server_def(cluster, &definition);
  size_t default_config = sli_wire_open(&definition, SLI_FIELD_SERVER_DEF_DEFAULT_SESSION_CONFIG);
  sli_session_config_append(config, &definition);
  sli_wire_close(&definition, default_config);
  TF_Status *status = TF_NewStatus();
  sl_cluster_server_options_t options = {.struct_size = sizeof(options), .http = http ? http : cluster->http};
  server->handle = sl_cluster_new_server(definition.data, definition.size, &options, status);
  sli_string_deinitialize(&definition);
  if (TF_GetCode(status) == TF_OK) TF_ServerStart(server->handle, status);
  if (TF_GetCode(status) == TF_OK && cluster->is_joining) sl_cluster_announce_address(server->handle, ANNOUNCE_MILLIS);
  return sli_status_append(
      sli_tf_status_to_status(status),
      "; check this task's address in the flags or in TF_CONFIG, and that no other process uses it");
}

sl_server_t *sl_server_start_with(sl_cluster_t *cluster, const sl_server_options_t *given) {
  SLI_CALL_OPTIONS(sl_server_options_t, options, given);
  sl_server_t *server = sli_calloc(1, sizeof(*server));
  server->cluster = cluster;
  if (cluster->job) server->device = sli_format("/job:%s/task:%d", cluster->job, cluster->index);
  server->status = start(server, options.config, options.http);
  sli_live_object_add(server);
  if (server->status) {
    sli_mutex_lock(&failed_mutex);
    sli_array_push(&failed, server);
    sli_mutex_unlock(&failed_mutex);
  }
  return server;
}

sl_server_t *sl_create_local_server_with(const sl_server_options_t *options) {
  sl_cluster_t *cluster = sli_calloc(1, sizeof(*cluster));
  sli_cluster_spec_job_t job = {.name = sli_strdup(local_job)};
  cluster->status = sli_cluster_spec_add_task(&job, 0, "localhost:0", "the local server");
  sli_array_push(&cluster->jobs, job);
  cluster->job = sli_strdup(local_job);
  sl_server_t *server = sl_server_start_with(cluster, options);
  sli_cluster_spec_task_t *task = &cluster->jobs.items[0].tasks.items[0];
  sli_view_t target = sli_view(sl_server_target(server));
  if (target.size) {  // the port is known now
    free(task->address);
    task->address = sli_strdup(target.data + strlen("grpc://"));
  }
  return server;
}

void sl_server_release(sl_server_t *server) {
  if (!server) return;
  sli_live_object_remove(server);
  forget_failed(server);
  TF_Status *status = TF_NewStatus();
  if (server->handle) TF_ServerStop(server->handle, status);
  if (server->handle && TF_GetCode(status) == TF_OK) TF_ServerJoin(server->handle, status);
  // TensorFlow's own server cannot be stopped: it then runs until the process ends.
  if (server->handle && TF_GetCode(status) == TF_OK) TF_DeleteServer(server->handle);
  TF_DeleteStatus(status);
  for (size_t i = 0; i < server->owned.count; i++) free(server->owned.items[i]);
  sli_array_deinitialize(&server->owned);
  free(server->device);
  sli_cluster_spec_release(server->cluster);
  sli_status_release(server->status);
  free(server);
}

const char *sl_server_error(const sl_server_t *server) { return sli_status_message(server->status); }
sli_status_t *sli_train_server_status(const sl_server_t *server) { return server->status; }
void sli_train_server_fail(sl_server_t *server, sli_status_t *status) {
  server->status = sli_status_join(server->status, status);
}
void sli_train_server_own(sl_server_t *server, void *memory) { sli_array_push(&server->owned, memory); }
TF_Server *sl_server_handle(const sl_server_t *server) { return server->status ? NULL : server->handle; }
const char *sl_server_target(const sl_server_t *server) {
  return sl_server_handle(server) ? TF_ServerTarget(server->handle) : "";
}

const sl_cluster_t *sli_train_server_cluster(const sl_server_t *server) {
  return server && server->cluster->job ? server->cluster : NULL;
}

typedef struct {
  sl_server_t *server;
  sli_signals_waiter_t *waiter;
} signal_watch_t;

// A thread: the first signal stops the server in order.
static void *leave_on_signal(void *context) {
  const signal_watch_t *watch = context;
  int number = sli_signals_waiter_wait(watch->waiter);
  if (!number) return NULL;
  char title[64];
  sli_train_server_title(watch->server, title, sizeof(title));
  fprintf(stderr, "%s: %s: stopping (repeat to exit at once)\n", title, strsignal(number));
  TF_Status *status = TF_NewStatus();
  sl_cluster_leave(watch->server->handle, STOP_MILLIS, status);
  TF_DeleteStatus(status);
  return NULL;
}

// Returns when the job is done or a signal has stopped the server, which is then in |*out_signal|.
static sli_status_t *join(sl_server_t *server, int *out_signal) {
  pthread_t thread;
  sli_signals_watch();
  signal_watch_t watch = {server, sli_signals_waiter_create()};
  bool watched = watch.waiter && pthread_create(&thread, NULL, leave_on_signal, &watch) == 0;
  if (!watched) sli_signals_unwatch();  // a signal then ends the process
  if (sl_server_is(server, "ps")) sl_cluster_announce_address(server->handle, ANNOUNCE_MILLIS);
  TF_Status *joined = TF_NewStatus();
  sl_cluster_join(server->handle, LEAVE_MILLIS, joined);
  sli_status_t *status = sli_tf_status_to_status(joined);
  *out_signal = watched && !sl_cluster_is_done(server->handle) ? sli_signals_caught() : 0;
  if (watched) {
    TF_Status *stopped = TF_NewStatus();
    TF_ServerStop(server->handle, stopped);  // so that the thread does not stay for clients
    TF_DeleteStatus(stopped);
    sli_signals_waiter_stop(watch.waiter);
    pthread_join(thread, NULL);
    sli_signals_unwatch();
  }
  sli_signals_waiter_release(watch.waiter);
  return status;
}

int sl_server_join(sl_server_t *server) {
  int signal = 0;
  sli_status_t *status = sli_status_retain(server->status);
  if (!status && server->handle) status = join(server, &signal);
  if (status) {
    char title[64];
    sli_train_server_title(server, title, sizeof(title));
    fprintf(stderr, "%s: %s\n", title, sli_status_message(status));
  }
  int code = status ? 1 : signal ? 128 + signal : 0;
  sli_status_release(status);
  sl_server_release(server);
  return code;
}

// --- Jobs and tasks ---

const char *sl_server_job(const sl_server_t *server) { return server->cluster->job ? server->cluster->job : "worker"; }
bool sl_server_is(const sl_server_t *server, const char *job) { return strcmp(sl_server_job(server), job) == 0; }
int sl_server_task_index(const sl_server_t *server) { return server->cluster->index; }

int sl_server_count(const sl_server_t *server, const char *job) {
  if (!server->cluster->job) return strcmp(job, "worker") == 0;
  const sli_cluster_spec_job_t *found = sli_cluster_spec_find_job(server->cluster, job);
  return found ? (int)found->tasks.count : 0;
}

const char *sl_server_address(const sl_server_t *server, const char *job, int task_index) {
  const sli_cluster_spec_job_t *found = sli_cluster_spec_find_job(server->cluster, job);
  for (size_t i = 0; found && i < found->tasks.count; i++)
    if (found->tasks.items[i].index == task_index) return sli_cluster_spec_address(&found->tasks.items[i]);
  return NULL;
}

// The job whose first task is the chief: one of the usual names, else the job of this task; NULL if there is none.
static const sli_cluster_spec_job_t *job_of_chief(const sl_server_t *server) {
  static const char *const usual[] = {"chief", "master", "worker"};
  const sl_cluster_t *cluster = server->cluster;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(usual); i++) {
    const sli_cluster_spec_job_t *job = sli_cluster_spec_find_job(cluster, usual[i]);
    if (job && job->tasks.count) return job;
  }
  return sl_server_is(server, "ps") ? NULL : sli_cluster_spec_find_job(cluster, sl_server_job(server));
}

bool sl_server_is_chief(const sl_server_t *server) {
  if (!server->cluster->job) return true;
  if (sl_server_is(server, "chief") || sl_server_is(server, "master")) return true;
  const sli_cluster_spec_job_t *job = job_of_chief(server);
  return job && sl_server_is(server, job->name) && server->cluster->index == 0;
}

const char *sli_train_server_chief_address(const sl_server_t *server) {
  if (sl_server_is_chief(server)) return NULL;
  const sli_cluster_spec_job_t *job = job_of_chief(server);
  return job ? sl_server_address(server, job->name, 0) : NULL;
}

double sli_train_server_worker_lost_secs(const sl_server_t *server) {
  return server ? server->cluster->worker_lost_secs : 0;
}

int sli_train_server_min_workers(const sl_server_t *server) { return server ? server->cluster->min_workers : 0; }

double sli_train_server_ps_backup_secs(const sl_server_t *server) {
  return server ? server->cluster->ps_backup_secs : 0;
}

void sli_train_server_title(const sl_server_t *server, char *out_title, size_t size) {
  const char *job = server ? sl_server_job(server) : "worker";
  snprintf(out_title, size, "%c%s %d", toupper((unsigned char)job[0]), job + 1, server ? server->cluster->index : 0);
}

static const char *chief_job(const sl_server_t *server) {
  return sl_server_count(server, "chief") ? "chief" : sl_server_count(server, "master") ? "master" : NULL;
}

// The job that trains: "worker" or, in a cluster without chief and workers, the job of this task.
static const char *worker_job(const sl_server_t *server) {
  bool usual = !server->cluster->job || chief_job(server) || sl_server_count(server, "worker");
  return usual || sl_server_is(server, "ps") ? "worker" : sl_server_job(server);
}

int sli_train_server_replica_count(const sl_server_t *server) {
  return server ? sl_server_count(server, worker_job(server)) + (chief_job(server) != NULL) : 1;
}

int sli_train_server_replica_index(const sl_server_t *server) {
  if (!server) return 0;
  return sl_server_is(server, worker_job(server)) ? sl_server_task_index(server) + (chief_job(server) != NULL) : 0;
}

const char *sl_server_device(const sl_server_t *server) { return server ? server->device : NULL; }
int sl_server_replica_index(const sl_server_t *server) { return sli_train_server_replica_index(server); }
int sl_server_replica_count(const sl_server_t *server) { return sli_train_server_replica_count(server); }

char *sli_train_server_replica_name(const sl_server_t *server, int replica) {
  const char *chief = server ? chief_job(server) : NULL, *job = server ? worker_job(server) : "worker";
  int index = chief ? replica - 1 : replica;
  if (chief && replica == 0) return sli_format("/job:%s/task:0", chief);
  if (server && index < sl_server_count(server, job)) return sli_format("/job:%s/task:%d", job, index);
  return sli_format("replica %d", replica);
}

// --- Tasks that a session uses ---

static bool is_used(const sl_server_t *server, const char *job, int index) {
  return strcmp(job, "ps") == 0 || (sl_server_is(server, job) && index == server->cluster->index);
}

void sli_train_server_find_ps(sl_server_t *server) {
  sli_cluster_spec_job_t *job = (sli_cluster_spec_job_t *)sli_cluster_spec_find_job(server->cluster, "ps");
  for (size_t i = 0; sl_server_handle(server) && job && i < job->tasks.count; i++) {
    sli_cluster_spec_task_t *task = &job->tasks.items[i];
    char *address = sl_cluster_task_address(server->handle, "ps", task->index);
    if (address && strcmp(address, sli_cluster_spec_address(task)) != 0) {
      sli_train_server_own(server, address);  // others may still use the one before
      atomic_store(&task->now, address);
    } else {
      free(address);
    }
  }
}

void sli_train_server_append_device_filters(const sl_server_t *server, sli_string_t *out_config) {
  bool has_ps = sl_server_count(server, "ps") > 0;
  if (!has_ps && !server->cluster->min_workers) return;  // a session may use all tasks
  if (has_ps) sli_wire_write_text(out_config, SLI_FIELD_CONFIG_PROTO_DEVICE_FILTERS, "/job:ps");
  char *own = sli_format("/job:%s/task:%d", sl_server_job(server), server->cluster->index);
  sli_wire_write_text(out_config, SLI_FIELD_CONFIG_PROTO_DEVICE_FILTERS, own);
  free(own);
}

// 0 if |address| accepts a connection, else an errno or, if negative, an error of getaddrinfo.
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

bool sli_train_server_is_listening(const char *address, int wait_millis) {
  return try_connect(address, wait_millis) == 0;
}

char *sli_train_server_list_unreachable(const sl_server_t *server, bool all_tasks, int wait_millis) {
  sli_string_t text = {0};
  for (size_t i = 0; i < server->cluster->jobs.count; i++) {
    const sli_cluster_spec_job_t *job = &server->cluster->jobs.items[i];
    for (size_t j = 0; j < job->tasks.count; j++) {
      const sli_cluster_spec_task_t *task = &job->tasks.items[j];
      bool is_needed = all_tasks || is_used(server, job->name, task->index);
      const char *address = sli_cluster_spec_address(task);
      int error = is_needed ? try_connect(address, wait_millis) : 0;
      if (!error) continue;
      sli_string_append_format(&text, "%s/job:%s/task:%d at %s (%s)", text.size ? ", " : "", job->name, task->index,
                               address, error < 0 ? gai_strerror(error) : strerror(error));
    }
  }
  return sli_string_take(&text);
}

bool sli_train_server_is_last(const sl_server_t *server, int wait_millis) {
  for (size_t i = 0; i < server->cluster->jobs.count; i++) {
    const sli_cluster_spec_job_t *job = &server->cluster->jobs.items[i];
    for (size_t j = 0; j < job->tasks.count; j++) {
      const sli_cluster_spec_task_t *task = &job->tasks.items[j];
      if (sl_server_is(server, job->name) && task->index == server->cluster->index) continue;
      if (strcmp(job->name, "ps") == 0 && task->index > 0) continue;  // it may have been stopped, too
      int error = try_connect(sli_cluster_spec_address(task), wait_millis);
      if (error != ECONNREFUSED && error != EAI_NONAME) return false;
    }
  }
  return true;
}
