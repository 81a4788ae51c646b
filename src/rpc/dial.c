#include "rpc/dial_internal.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/sync.h"
#include "rpc/socket_internal.h"

// A lookup under way on its own thread. Shared by that thread and the dial, which may be gone before it ends:
// getaddrinfo cannot be interrupted.
typedef struct {
  sli_refcount_t references;
  char *host;
  char port[8];
  struct addrinfo *found;
  int result, error;
  sli_mutex_t mutex;
  // Under mutex:
  struct sli_rpc_dial *dial;  // NULL once nobody wants the answer
} lookup_t;

struct sli_rpc_dial {
  sli_rpc_loop_t *loop;
  sli_rpc_dial_fn_t done;  // NULL once called
  void *context;
  bool tcp_only;
  int64_t deadline;
  lookup_t *lookup;
  struct addrinfo *next;  // address to try next
  int fd;                 // of the address being tried
  sli_rpc_watch_t *watch;
  sli_rpc_timer_t *timer;  // for that address
  int last_error;
  int references;  // the caller's, and the posted start's
};

static void try_next_address(sli_rpc_dial_t *dial);

static void lookup_release(lookup_t *lookup) {
  if (!lookup || !sli_refcount_release(&lookup->references)) return;
  if (lookup->found) freeaddrinfo(lookup->found);
  sli_mutex_deinitialize(&lookup->mutex);
  free(lookup->host);
  free(lookup);
}

static void lookup_run(lookup_t *lookup, int flags) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
  lookup->result = getaddrinfo(lookup->host, lookup->port, &hints, &lookup->found);
  lookup->error = errno;
}

static void dial_release(sli_rpc_dial_t *dial) {
  if (--dial->references == 0) free(dial);
}

// Calls back, unless the dial was ended.
static void report(sli_rpc_dial_t *dial, int fd, sli_status_t *status) {
  sli_rpc_dial_fn_t done = dial->done;
  dial->done = NULL;
  done(dial->context, fd, status);
}

static void on_resolved(sli_rpc_dial_t *dial) {
  lookup_t *lookup = dial->lookup;
  if (lookup->result != 0) {
    char text[128];
    const char *why =
        lookup->result == EAI_SYSTEM ? strerror_r(lookup->error, text, sizeof(text)) : gai_strerror(lookup->result);
    report(dial, -1, sli_status_make(SLI_UNAVAILABLE, "DNS resolution failed: %s", why));
    return;
  }
  dial->next = lookup->found;
  try_next_address(dial);
}

static void deliver_lookup(void *context) {
  lookup_t *lookup = context;
  sli_mutex_lock(&lookup->mutex);
  sli_rpc_dial_t *dial = lookup->dial;
  sli_mutex_unlock(&lookup->mutex);
  if (dial) on_resolved(dial);  // it ends on this thread only
  lookup_release(lookup);
}

static void *lookup_main(void *argument) {
  lookup_t *lookup = argument;
  lookup_run(lookup, 0);
  sli_mutex_lock(&lookup->mutex);
  bool wanted = lookup->dial != NULL;
  // Under the lock: the loop lives at least as long as the dial.
  if (wanted) sli_rpc_loop_post(lookup->dial->loop, deliver_lookup, lookup);
  sli_mutex_unlock(&lookup->mutex);
  if (!wanted) lookup_release(lookup);
  return NULL;
}

// Names that answer from a file are looked up at once, others on a thread.
static void resolve(sli_rpc_dial_t *dial) {
  lookup_t *lookup = dial->lookup;
  lookup_run(lookup, AI_NUMERICHOST);
  if (lookup->result == EAI_NONAME && !strcmp(lookup->host, "localhost")) lookup_run(lookup, 0);
  if (lookup->result == 0) {
    on_resolved(dial);
    return;
  }
  sli_refcount_retain(&lookup->references);
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int error = pthread_create(&thread, &attributes, lookup_main, lookup);
  pthread_attr_destroy(&attributes);
  if (!error) return;
  lookup_release(lookup);
  report(dial, -1, sli_status_from_errno(error, "cannot start a name lookup"));
}

// Ends the attempt at the present address; the socket stays open.
static void leave_address(sli_rpc_dial_t *dial) {
  if (dial->watch) sli_rpc_watch_remove(dial->watch);
  dial->watch = NULL;
  sli_rpc_timer_cancel(dial->timer);
  dial->timer = NULL;
}

static void give_address_up(sli_rpc_dial_t *dial, int error) {
  leave_address(dial);
  if (dial->fd >= 0) close(dial->fd);
  dial->fd = -1;
  dial->last_error = error;
  try_next_address(dial);
}

static void on_connected(sli_rpc_dial_t *dial) {
  int error = sli_rpc_socket_finish_connect(dial->fd);
  if (error) {
    give_address_up(dial, error);
    return;
  }
  leave_address(dial);
  int fd = dial->fd;
  dial->fd = -1;
  report(dial, fd, NULL);
}

static void on_writable(void *context, uint32_t events) {
  sli_rpc_dial_t *dial = context;
  if (dial->watch) on_connected(dial);
}

static void on_timeout(void *context) { give_address_up(context, ETIMEDOUT); }

static void try_next_address(sli_rpc_dial_t *dial) {
  while (dial->next) {
    struct addrinfo *address = dial->next;
    dial->next = address->ai_next;
    int local = dial->tcp_only ? -1 : sli_rpc_socket_connect_local(address->ai_addr, address->ai_addrlen);
    if (local >= 0) {
      report(dial, local, NULL);
      return;
    }
    int error = sli_rpc_socket_connect(address->ai_addr, address->ai_addrlen, &dial->fd);
    if (error == 0) {
      on_connected(dial);
      return;
    }
    if (error != EINPROGRESS) {
      dial->last_error = error;
      continue;
    }
    // Every address left gets its share of the time.
    int64_t now = sli_now_nanos(), left = 1;
    for (struct addrinfo *other = dial->next; other; other = other->ai_next) left++;
    int64_t until = dial->deadline > now ? now + (dial->deadline - now) / left : now;
    sli_status_t *status = sli_rpc_watch_create(dial->loop, dial->fd, EPOLLOUT, on_writable, NULL, dial, &dial->watch);
    if (status) {
      report(dial, -1, status);
      return;
    }
    dial->timer = sli_rpc_loop_add_timer(dial->loop, until, on_timeout, dial);
    return;
  }
  char text[128];
  const char *why =
      dial->last_error == ETIMEDOUT ? "connection timed out" : strerror_r(dial->last_error, text, sizeof(text));
  report(dial, -1, sli_status_make_text(SLI_UNAVAILABLE, why));
}

static void start(void *context) {
  sli_rpc_dial_t *dial = context;
  if (dial->done) resolve(dial);
  dial_release(dial);
}

sli_rpc_dial_t *sli_rpc_dial_start(sli_rpc_loop_t *loop, const char *host, int port, bool tcp_only, int64_t deadline,
                                   sli_rpc_dial_fn_t done, void *context) {
  sli_rpc_dial_t *dial = sli_calloc(1, sizeof(*dial));
  *dial = (sli_rpc_dial_t){.loop = loop, .done = done, .context = context, .deadline = deadline, .fd = -1};
  dial->tcp_only = tcp_only;
  dial->references = 2;
  dial->last_error = EHOSTUNREACH;
  lookup_t *lookup = dial->lookup = sli_calloc(1, sizeof(*lookup));
  sli_refcount_initialize(&lookup->references);
  sli_mutex_initialize(&lookup->mutex);
  lookup->host = sli_strdup(host);
  snprintf(lookup->port, sizeof(lookup->port), "%d", port);
  lookup->dial = dial;
  sli_rpc_loop_post(loop, start, dial);
  return dial;
}

sli_rpc_failure_t sli_rpc_dial_failure(const sli_rpc_dial_t *dial) {
  if (dial->lookup->result != 0) return SLI_RPC_FAILURE_NAME;
  if (dial->last_error == ECONNREFUSED) return SLI_RPC_FAILURE_REFUSED;
  return dial->last_error == ETIMEDOUT ? SLI_RPC_FAILURE_TIMEOUT : SLI_RPC_FAILURE_UNREACHABLE;
}

void sli_rpc_dial_end(sli_rpc_dial_t *dial) {
  if (!dial) return;
  dial->done = NULL;
  leave_address(dial);
  if (dial->fd >= 0) close(dial->fd);
  dial->fd = -1;
  sli_mutex_lock(&dial->lookup->mutex);
  dial->lookup->dial = NULL;
  sli_mutex_unlock(&dial->lookup->mutex);
  lookup_release(dial->lookup);
  dial->lookup = NULL;
  dial_release(dial);
}
