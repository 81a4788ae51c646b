// --join: the cluster as one of its ps tasks describes it, with a worker that does not run as the place of this task.
// It is at an address of its own, which it tells the others when its server has started.
#include <netdb.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "train/cluster/cluster_spec.h"
#include "train/cluster/train_server.h"
#include "train/common/tf_tensor.h"

enum { REPLY_MILLIS = 10000, CONNECT_MILLIS = 1000 };

// "host:port" of this host, as seen from the ps, with a port that is free. NULL, with an error, if there is none. New.
static char *own_address(const char *ps) {
  const char *colon = strrchr(ps, ':');
  char *host = sli_strndup(ps[0] == '[' ? ps + 1 : ps, (size_t)(colon - ps) - (ps[0] == '[' ? 2 : 0)), *address = NULL;
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *found = NULL;
  if (getaddrinfo(host, colon + 1, &hints, &found) == 0) {
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof(own);
    // A datagram socket finds its way without sending anything.
    int way = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int port = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char name[256], number[16];
    bool is_known = way >= 0 && connect(way, found->ai_addr, found->ai_addrlen) == 0 &&
                    getsockname(way, (struct sockaddr *)&own, &size) == 0 &&
                    getnameinfo((struct sockaddr *)&own, size, name, sizeof(name), NULL, 0, NI_NUMERICHOST) == 0;
    struct addrinfo *any = NULL,
                    passive = {.ai_family = found->ai_family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    is_known = is_known && getaddrinfo(name, "0", &passive, &any) == 0 && port >= 0 &&
               bind(port, any->ai_addr, any->ai_addrlen) == 0;
    size = sizeof(own);
    is_known = is_known && getsockname(port, (struct sockaddr *)&own, &size) == 0 &&
               getnameinfo((struct sockaddr *)&own, size, NULL, 0, number, sizeof(number), NI_NUMERICSERV) == 0;
    if (is_known) address = sli_format(strchr(name, ':') ? "[%s]:%s" : "%s:%s", name, number);
    if (any) freeaddrinfo(any);
    if (port >= 0) close(port);
    if (way >= 0) close(way);
  }
  if (found) freeaddrinfo(found);
  free(host);
  return address;
}

// The workers that do not run. The first one is the chief, if no other job has it, and is not for those who join.
static size_t find_free(const sl_cluster_t *cluster, int32_t **out_free) {
  const sli_cluster_spec_job_t *workers = sli_cluster_spec_find_job(cluster, "worker");
  bool has_chief = sli_cluster_spec_find_job(cluster, "chief") || sli_cluster_spec_find_job(cluster, "master");
  size_t count = 0;
  *out_free = sli_calloc(workers ? workers->tasks.count + 1 : 1, sizeof(**out_free));
  for (size_t i = 0; workers && i < workers->tasks.count; i++) {
    const sli_cluster_spec_task_t *task = &workers->tasks.items[i];
    bool is_chief = task->index == 0 && !has_chief;
    if (!is_chief && !sli_train_server_is_listening(task->address, CONNECT_MILLIS)) (*out_free)[count++] = task->index;
  }
  return count;
}

static sli_status_t *take_place(sl_cluster_t *cluster, const char *ps) {
  sli_cluster_spec_job_t *job = (sli_cluster_spec_job_t *)sli_cluster_spec_find_job(cluster, "worker");
  int32_t *free_ones = NULL;
  size_t count = find_free(cluster, &free_ones);
  TF_Status *asked = TF_NewStatus();
  int index = count ? sl_cluster_take_place(ps, "worker", free_ones, count, REPLY_MILLIS, asked) : -1;
  free(free_ones);
  if (!count)
    TF_SetStatus(asked, TF_RESOURCE_EXHAUSTED,
                 "all workers of its list run; a job that others may join lists more workers than it starts");
  sli_status_t *status = sli_tf_status_to_status(asked);
  if (status) return sli_status_prefix(status, "--join=%s: there is no place: ", ps);
  char *address = own_address(ps);
  if (!address) return sli_status_make(SLI_UNAVAILABLE, "--join=%s: this host has no address and port for it", ps);
  for (size_t i = 0; i < job->tasks.count; i++) {
    if (job->tasks.items[i].index != index) continue;
    free(job->tasks.items[i].address);
    job->tasks.items[i].address = address;
    address = NULL;
  }
  free(address);
  cluster->index = index;
  return NULL;
}

sli_status_t *sli_cluster_spec_join(sl_cluster_t *cluster, const char *ps) {
  SLI_RETURN_IF_ERROR(sli_cluster_spec_check_address(ps, "--join"));
  TF_Status *asked = TF_NewStatus();
  sl_task_status_t *known = sl_cluster_status(ps, REPLY_MILLIS, 0, asked);
  sli_status_t *status = sli_tf_status_to_status(asked);
  if (status) return sli_status_prefix(status, "--join=%s: ", ps);
  if (!known->is_sluice || strcmp(known->job, "ps") != 0)
    status =
        sli_status_make(SLI_INVALID_ARGUMENT, "--join=%s: it must be the address of a ps of Sluice, but %s is there",
                        ps, known->is_sluice ? known->task : "a task of TensorFlow");
  for (size_t i = 0; !status && i < known->task_count; i++)
    status = sli_cluster_spec_add_task(sli_cluster_spec_find_or_add_job(cluster, known->tasks[i].job),
                                       known->tasks[i].index, known->tasks[i].address, "--join");
  sl_task_status_free(known);
  cluster->job = sli_strdup("worker");
  cluster->is_joining = true;
  // The first ps gives places; the list has it.
  const sli_cluster_spec_job_t *tasks = status ? NULL : sli_cluster_spec_find_job(cluster, "ps");
  if (!status) status = take_place(cluster, tasks->tasks.items[0].address);
  return status ? status : sli_cluster_spec_check_task(cluster, "--join");
}
