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

// A name lookup on its own thread. Shared by that thread and the dial, which may end first: getaddrinfo cannot be
// interrupted.
typedef struct {
  sli_refcount_t references;
  char *host;
  char port[8];
  struct addrinfo *found;
  int result, error;
  sli_mutex_t mutex;
  // Under mutex:
  struct sli_rpc_dial *dial;  // NULL once the dial has ended
} lookup_t;

// A connect in progress. Its watch owns it.
typedef struct attempt {
  struct attempt *next;
  struct sli_rpc_dial *dial;
  int fd;
  sli_rpc_watch_t *watch;
} attempt_t;

struct sli_rpc_dial {
  sli_rpc_loop_t *loop;
  sli_rpc_dial_fn_t done;  // NULL once called
  void *context;
  bool tcp_only;
  int64_t deadline;
  lookup_t *lookup;
  struct addrinfo *next;  // address to try next
  attempt_t *attempts;    // at earlier addresses
  sli_rpc_timer_t *timer;
  int last_error;
  int references;  // the caller's, and the posted start's
};

// How long an address may take before the next one is tried, too (RFC 8305): a name may have addresses that this host
// cannot reach.
#define HEAD_START (250 * INT64_C(1000000))

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

// Calls |done|, unless the dial was ended.
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
  if (dial) on_resolved(dial);  // a dial is ended on this thread only
  lookup_release(lookup);
}

static void *lookup_main(void *argument) {
  lookup_t *lookup = argument;
  lookup_run(lookup, 0);
  sli_mutex_lock(&lookup->mutex);
  bool wanted = lookup->dial != NULL;
  // Under the lock: while the dial exists the loop does, too.
  if (wanted) sli_rpc_loop_post(lookup->dial->loop, deliver_lookup, lookup);
  sli_mutex_unlock(&lookup->mutex);
  if (!wanted) lookup_release(lookup);
  return NULL;
}

// Numeric addresses and localhost are resolved at once, other names on a thread.
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

static void free_attempt(void *context) { free(context); }

// Takes the attempt out of the list. The socket stays open.
static void leave_attempt(attempt_t *attempt) {
  attempt_t **link = &attempt->dial->attempts;
  while (*link != attempt) link = &(*link)->next;
  *link = attempt->next;
  sli_rpc_watch_remove(attempt->watch);
}

static void end_attempts(sli_rpc_dial_t *dial) {
  while (dial->attempts) {
    int fd = dial->attempts->fd;
    leave_attempt(dial->attempts);
    close(fd);
  }
  sli_rpc_timer_cancel(dial->timer);
  dial->timer = NULL;
}

static void report_failure(sli_rpc_dial_t *dial) {
  end_attempts(dial);
  char text[128];
  const char *why =
      dial->last_error == ETIMEDOUT ? "connection timed out" : strerror_r(dial->last_error, text, sizeof(text));
  report(dial, -1, sli_status_make_text(SLI_UNAVAILABLE, why));
}

static void on_writable(void *context, uint32_t events) {
  attempt_t *attempt = context;
  sli_rpc_dial_t *dial = attempt->dial;
  int fd = attempt->fd, error = sli_rpc_socket_finish_connect(fd);
  leave_attempt(attempt);
  if (error) {
    close(fd);
    dial->last_error = error;
    try_next_address(dial);
    return;
  }
  end_attempts(dial);
  report(dial, fd, NULL);
}

static void on_timer(void *context) {
  sli_rpc_dial_t *dial = context;
  if (sli_rpc_loop_now(dial->loop) < dial->deadline) {
    try_next_address(dial);
    return;
  }
  dial->last_error = ETIMEDOUT;
  report_failure(dial);
}

// The next address gets its turn after a head start for those before it; without one the dial ends at its deadline.
static void arm_timer(sli_rpc_dial_t *dial) {
  sli_rpc_timer_cancel(dial->timer);
  int64_t turn = sli_rpc_loop_now(dial->loop) + HEAD_START;
  bool is_last = !dial->next || turn > dial->deadline;
  dial->timer = sli_rpc_loop_add_timer(dial->loop, is_last ? dial->deadline : turn, on_timer, dial);
}

// Starts a connect. Returns false, and sets |last_error|, if that fails at once.
static bool try_address(sli_rpc_dial_t *dial, const struct addrinfo *address) {
  attempt_t *attempt = sli_calloc(1, sizeof(*attempt));
  attempt->dial = dial;
  int error = sli_rpc_socket_connect(address->ai_addr, address->ai_addrlen, &attempt->fd);
  sli_status_t *status = NULL;
  // A socket that is connected already is writable.
  if (error == 0 || error == EINPROGRESS)
    status =
        sli_rpc_watch_create(dial->loop, attempt->fd, EPOLLOUT, on_writable, free_attempt, attempt, &attempt->watch);
  if (attempt->watch) {
    attempt->next = dial->attempts;
    dial->attempts = attempt;
    return true;
  }
  if (status) close(attempt->fd);
  dial->last_error = status ? ENOMEM : error;
  sli_status_release(status);
  free(attempt);
  return false;
}

static void try_next_address(sli_rpc_dial_t *dial) {
  bool is_started = false;
  while (dial->next && !is_started) {
    struct addrinfo *address = dial->next;
    dial->next = address->ai_next;
    int local = dial->tcp_only ? -1 : sli_rpc_socket_connect_local(address->ai_addr, address->ai_addrlen);
    if (local >= 0) {
      end_attempts(dial);
      report(dial, local, NULL);
      return;
    }
    is_started = try_address(dial, address);
  }
  if (dial->attempts)
    arm_timer(dial);
  else
    report_failure(dial);
}

static void start(void *context) {
  sli_rpc_dial_t *dial = context;
  if (dial->done) resolve(dial);
  dial_release(dial);
}

sli_rpc_dial_t *sli_rpc_dial_start(sli_rpc_loop_t *loop, const char *host, int port, bool tcp_only, int64_t deadline,
                                   sli_rpc_dial_fn_t done, void *context) {
  sli_rpc_dial_t *dial = sli_calloc(1, sizeof(*dial));
  *dial = (sli_rpc_dial_t){.loop = loop, .done = done, .context = context, .deadline = deadline};
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
  end_attempts(dial);
  sli_mutex_lock(&dial->lookup->mutex);
  dial->lookup->dial = NULL;
  sli_mutex_unlock(&dial->lookup->mutex);
  lookup_release(dial->lookup);
  dial->lookup = NULL;
  dial_release(dial);
}
