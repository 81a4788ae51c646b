#include "rpc/loop.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/random.h"
#include "base/spin.h"
#include "rpc/cork_internal.h"
#include "rpc/loop_internal.h"

// How long the I/O thread does not poll after a waiter has left that is expected to return.
#define LEASE_NANOS INT64_C(500000)
// How long a callback may compute: on the I/O thread, and on the thread of the only waiter (about a time slice).
#define SPARE_NANOS INT64_C(500000)
#define WAITER_SPARE_NANOS INT64_C(5000000)
#define EVENT_BATCH 64
#define NOT_QUEUED SIZE_MAX

struct sli_rpc_watch {
  sli_rpc_loop_t *loop;
  int fd;
  atomic_bool removed;
  sli_rpc_watch_fn_t run;
  sli_rpc_fn_t release;
  void *context;
  sli_rpc_watch_t *next;  // in |removed_watches|
};

struct sli_rpc_timer {
  sli_rpc_loop_t *loop;
  int64_t deadline;
  sli_rpc_fn_t run;
  void *context;
  size_t index;  // in the heap
};

typedef struct {
  sli_rpc_fn_t run;
  void *context;
} call_t;
typedef SLI_ARRAY(call_t) calls_t;

// A thread in sli_rpc_loop_wait while another one polls.
typedef struct waiter {
  sli_event_t *event;
  atomic_bool promoted;  // this thread must poll now
  struct waiter *next, *previous;
} waiter_t;

struct sli_rpc_loop {
  sli_rpc_env_t env;
  int epoll, wake;  // wake: an eventfd, watched with a NULL pointer
  int alarm;        // a timerfd on which the I/O thread sleeps while it does not poll
  atomic_bool wake_pending;
  // The event for which the polling thread sleeps in epoll_wait, IO_THREAD if there is none, 0 when it is awake.
  // Changed by read-modify-write only: of the sleeping thread and a thread that wants to wake it, the later one sees
  // what the earlier one wrote.
  atomic_uintptr_t sleeping_for;
  atomic_bool stopping;
  atomic_bool has_posted;
  _Atomic int64_t next_timer;  // deadline of the earliest, SLI_CLOCK_NO_DEADLINE for none
  atomic_int waiter_count;

  sli_mutex_t mutex;
  // Under mutex: which thread polls.
  bool polling;     // some thread polls, or was told to
  bool io_polls;    // it is the I/O thread
  bool lease_pays;  // the last waiter that left came back within the lease
  int64_t left_at;  // when a waiter last left and no other thread polled
  waiter_t *first_waiter, *last_waiter;
  _Atomic int64_t alarm_at;  // when |alarm| expires at the latest; SLI_CLOCK_NO_DEADLINE: it is not set
  // Under mutex: work.
  calls_t posted;
  SLI_ARRAY(sli_rpc_timer_t *) timers;  // a heap by deadline
  sli_rpc_watch_t *removed_watches;

  // Of the polling thread only.
  calls_t running;
  int events_left;  // of the present batch
  char *read_buffer;

  bool started;
  pthread_t io_thread;
};

#define IO_THREAD ((uintptr_t)1)

// The loop whose callbacks run on this thread, and whether the thread is a waiter's.
static _Thread_local sli_rpc_loop_t *polled_loop;
static _Thread_local bool polls_as_waiter;

static _Thread_local sli_spin_t spin;

static int64_t system_now(void *context) { return sli_clock_now_nanos(); }
static uint64_t system_random(void *context) { return sli_random_u64(); }

sli_status_t *sli_rpc_loop_create(const sli_rpc_env_t *env, sli_rpc_loop_t **out_loop) {
  *out_loop = NULL;
  sli_rpc_loop_t *loop = sli_calloc(1, sizeof(*loop));
  loop->env = env ? *env : (sli_rpc_env_t){.now = system_now, .random = system_random};
  sli_mutex_initialize(&loop->mutex);
  atomic_init(&loop->next_timer, SLI_CLOCK_NO_DEADLINE);
  atomic_init(&loop->alarm_at, SLI_CLOCK_NO_DEADLINE);
  loop->read_buffer = sli_malloc(SLI_RPC_READ_SIZE);
  loop->wake = loop->alarm = -1;
  loop->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (loop->epoll >= 0) loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (loop->wake >= 0) loop->alarm = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  if (loop->alarm < 0 || epoll_ctl(loop->epoll, EPOLL_CTL_ADD, loop->wake, &event) != 0) {
    sli_status_t *status = sli_status_from_errno(errno, "cannot create an event loop");
    sli_rpc_loop_destroy(loop);
    return status;
  }
  *out_loop = loop;
  return NULL;
}

int64_t sli_rpc_loop_now(const sli_rpc_loop_t *loop) { return loop->env.now(loop->env.context); }

uint64_t sli_rpc_loop_random(const sli_rpc_loop_t *loop) { return loop->env.random(loop->env.context); }

bool sli_rpc_loop_is_polling(const sli_rpc_loop_t *loop) { return polled_loop == loop; }

static bool has_events(const sli_rpc_loop_t *loop) {
  if (loop->events_left > 0 || atomic_load_explicit(&loop->has_posted, memory_order_relaxed)) return true;
  if (atomic_load_explicit(&loop->next_timer, memory_order_relaxed) <= sli_rpc_loop_now(loop)) return true;
  return poll(&(struct pollfd){.fd = loop->epoll, .events = POLLIN}, 1, 0) > 0;
}

int64_t sli_rpc_loop_spare_nanos(const sli_rpc_loop_t *loop) {
  if (has_events(loop)) return 0;
  bool is_only_waiter = polls_as_waiter && atomic_load_explicit(&loop->waiter_count, memory_order_relaxed) == 0;
  return is_only_waiter ? WAITER_SPARE_NANOS : SPARE_NANOS;
}

char *sli_rpc_loop_read_buffer(sli_rpc_loop_t *loop) { return loop->read_buffer; }

// Makes the polling thread leave epoll_wait, or not enter it.
static void wake_poller(sli_rpc_loop_t *loop) {
  if (atomic_exchange(&loop->wake_pending, true)) return;
  uint64_t one = 1;
  ssize_t written = write(loop->wake, &one, sizeof(one));
  (void)written;  // fails only if the counter is at its limit; then it wakes anyway
}

static void wake_sleeping_poller(sli_rpc_loop_t *loop) {
  if (atomic_fetch_add(&loop->sleeping_for, 0) != 0) wake_poller(loop);
}

void sli_rpc_loop_set(sli_rpc_loop_t *loop, sli_event_t *event) {
  sli_event_set(event);
  // The event may have been destroyed: only its address is used from here.
  if (atomic_fetch_add(&loop->sleeping_for, 0) == (uintptr_t)event) wake_poller(loop);
}

// The alarm of the I/O thread. A waiter that leaves the loop sets it to the end of the lease, and one that goes to
// sleep clears it. So a client that runs one step after the other wakes no thread.

static void change_alarm_locked(sli_rpc_loop_t *loop, int64_t at) {
  struct itimerspec spec = {0};
  // Zero would clear it; a time in the past expires at once.
  if (at <= 0) at = 1;
  if (at != SLI_CLOCK_NO_DEADLINE)
    spec.it_value = (struct timespec){.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
  SLI_CHECK(timerfd_settime(loop->alarm, TFD_TIMER_ABSTIME, &spec, NULL) == 0);
  atomic_store_explicit(&loop->alarm_at, at, memory_order_relaxed);
}

// Makes the alarm expire at |at| or before. A thread that wakes early reads the clock and sets it again.
static void set_alarm_locked(sli_rpc_loop_t *loop, int64_t at) {
  if (at < atomic_load_explicit(&loop->alarm_at, memory_order_relaxed)) change_alarm_locked(loop, at);
}

static void await_alarm_locked(sli_rpc_loop_t *loop) {
  sli_mutex_unlock(&loop->mutex);
  uint64_t ignored;
  ssize_t size = read(loop->alarm, &ignored, sizeof(ignored));
  (void)size;  // an interruption by a signal does no harm
  sli_mutex_lock(&loop->mutex);
  atomic_store_explicit(&loop->alarm_at, SLI_CLOCK_NO_DEADLINE, memory_order_relaxed);
}

// Posted work and timers.

void sli_rpc_loop_post(sli_rpc_loop_t *loop, sli_rpc_fn_t run, void *context) {
  sli_mutex_lock(&loop->mutex);
  sli_array_push(&loop->posted, (call_t){run, context});
  atomic_store(&loop->has_posted, true);
  if (!loop->polling) set_alarm_locked(loop, 0);
  sli_mutex_unlock(&loop->mutex);
  if (!sli_rpc_loop_is_polling(loop)) wake_sleeping_poller(loop);
}

static void run_posted(sli_rpc_loop_t *loop) {
  if (!atomic_load_explicit(&loop->has_posted, memory_order_acquire)) return;
  sli_mutex_lock(&loop->mutex);
  calls_t posted = loop->posted;
  loop->posted = loop->running;
  loop->running = (calls_t){0};
  atomic_store(&loop->has_posted, false);
  sli_mutex_unlock(&loop->mutex);
  for (size_t i = 0; i < posted.count; i++) posted.items[i].run(posted.items[i].context);
  posted.count = 0;
  sli_array_deinitialize(&loop->running);
  loop->running = posted;
}

static void heap_put(sli_rpc_loop_t *loop, size_t index, sli_rpc_timer_t *timer) {
  loop->timers.items[index] = timer;
  timer->index = index;
}

// Moves |timer| from |index| to where the heap's order requires it.
static void heap_move(sli_rpc_loop_t *loop, size_t index, sli_rpc_timer_t *timer) {
  sli_rpc_timer_t **heap = loop->timers.items;
  size_t count = loop->timers.count;
  while (index > 0 && heap[(index - 1) / 2]->deadline > timer->deadline) {
    heap_put(loop, index, heap[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  for (;;) {
    size_t child = 2 * index + 1;
    if (child >= count) break;
    if (child + 1 < count && heap[child + 1]->deadline < heap[child]->deadline) child++;
    if (heap[child]->deadline >= timer->deadline) break;
    heap_put(loop, index, heap[child]);
    index = child;
  }
  heap_put(loop, index, timer);
}

static void heap_remove(sli_rpc_loop_t *loop, sli_rpc_timer_t *timer) {
  size_t index = timer->index;
  timer->index = NOT_QUEUED;
  sli_rpc_timer_t *last = loop->timers.items[--loop->timers.count];
  if (last != timer) heap_move(loop, index, last);
  atomic_store(&loop->next_timer, loop->timers.count ? loop->timers.items[0]->deadline : SLI_CLOCK_NO_DEADLINE);
}

sli_rpc_timer_t *sli_rpc_loop_add_timer(sli_rpc_loop_t *loop, int64_t deadline, sli_rpc_fn_t run, void *context) {
  sli_rpc_timer_t *timer = sli_malloc(sizeof(*timer));
  *timer = (sli_rpc_timer_t){loop, deadline, run, context, NOT_QUEUED};
  sli_mutex_lock(&loop->mutex);
  bool earliest = deadline < atomic_load(&loop->next_timer);
  sli_array_push(&loop->timers, timer);
  heap_move(loop, loop->timers.count - 1, timer);
  if (earliest) atomic_store(&loop->next_timer, deadline);
  sli_mutex_unlock(&loop->mutex);
  if (earliest && !sli_rpc_loop_is_polling(loop)) wake_sleeping_poller(loop);
  return timer;
}

bool sli_rpc_timer_cancel(sli_rpc_timer_t *timer) {
  if (!timer) return false;
  sli_rpc_loop_t *loop = timer->loop;
  sli_mutex_lock(&loop->mutex);
  bool queued = timer->index != NOT_QUEUED;
  if (queued) heap_remove(loop, timer);
  sli_mutex_unlock(&loop->mutex);
  free(timer);
  return queued;
}

static void run_timers(sli_rpc_loop_t *loop, int64_t now) {
  while (atomic_load_explicit(&loop->next_timer, memory_order_relaxed) <= now) {
    sli_mutex_lock(&loop->mutex);
    sli_rpc_timer_t *timer = loop->timers.count ? loop->timers.items[0] : NULL;
    if (!timer || timer->deadline > now) timer = NULL;
    // Once it is out of the heap its owner may free the timer at any moment.
    call_t call = {0};
    if (timer) {
      call = (call_t){timer->run, timer->context};
      heap_remove(loop, timer);
    }
    sli_mutex_unlock(&loop->mutex);
    if (!call.run) return;
    call.run(call.context);
  }
}

// Watches.

sli_status_t *sli_rpc_watch_create(sli_rpc_loop_t *loop, int fd, uint32_t events, sli_rpc_watch_fn_t run,
                                   sli_rpc_fn_t release, void *context, sli_rpc_watch_t **out_watch) {
  *out_watch = NULL;
  sli_rpc_watch_t *watch = sli_calloc(1, sizeof(*watch));
  watch->loop = loop;
  watch->fd = fd;
  watch->run = run;
  watch->release = release;
  watch->context = context;
  // The callback may run on another thread before epoll_ctl returns.
  *out_watch = watch;
  struct epoll_event event = {.events = events, .data.ptr = watch};
  if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0) return NULL;
  sli_status_t *status = sli_status_from_errno(errno, "cannot watch a socket");
  *out_watch = NULL;
  free(watch);
  return status;
}

void sli_rpc_watch_change(sli_rpc_watch_t *watch, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = watch};
  SLI_CHECK(epoll_ctl(watch->loop->epoll, EPOLL_CTL_MOD, watch->fd, &event) == 0);
}

void sli_rpc_watch_remove(sli_rpc_watch_t *watch) {
  sli_rpc_loop_t *loop = watch->loop;
  SLI_CHECK(epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL) == 0);
  atomic_store(&watch->removed, true);
  // The polling thread may have an event of it in its present batch: it frees the watch after the batch.
  sli_mutex_lock(&loop->mutex);
  watch->next = loop->removed_watches;
  loop->removed_watches = watch;
  sli_mutex_unlock(&loop->mutex);
}

static void free_removed_watches(sli_rpc_loop_t *loop) {
  sli_mutex_lock(&loop->mutex);
  sli_rpc_watch_t *watch = loop->removed_watches;
  loop->removed_watches = NULL;
  sli_mutex_unlock(&loop->mutex);
  while (watch) {
    sli_rpc_watch_t *next = watch->next;
    if (watch->release) watch->release(watch->context);
    free(watch);
    watch = next;
  }
}

// Polling.

static void dispatch(sli_rpc_loop_t *loop, struct epoll_event *events, int count) {
  for (int i = 0; i < count; i++) {
    sli_rpc_watch_t *watch = events[i].data.ptr;
    loop->events_left = count - i - 1;
    if (!watch) {
      uint64_t ignored;
      ssize_t size = read(loop->wake, &ignored, sizeof(ignored));
      (void)size;
      atomic_store(&loop->wake_pending, false);
    } else if (!atomic_load_explicit(&watch->removed, memory_order_acquire)) {
      watch->run(watch->context, events[i].events);
      sli_rpc_cork_flush_if_old();
    }
  }
  sli_rpc_cork_flush();
  free_removed_watches(loop);
}

// Whether a term of polling has ended: the event is set, or for the I/O thread (NULL) some thread waits.
static bool term_is_over(sli_rpc_loop_t *loop, sli_event_t *event) {
  if (event) return sli_event_is_set(event);
  return atomic_load(&loop->waiter_count) > 0 || atomic_load_explicit(&loop->stopping, memory_order_relaxed);
}

static int sleep_in_epoll(sli_rpc_loop_t *loop, sli_event_t *event, int64_t deadline, struct epoll_event *events) {
  if (atomic_load_explicit(&loop->alarm_at, memory_order_relaxed) != SLI_CLOCK_NO_DEADLINE) {
    sli_mutex_lock(&loop->mutex);
    change_alarm_locked(loop, SLI_CLOCK_NO_DEADLINE);
    sli_mutex_unlock(&loop->mutex);
  }
  atomic_exchange(&loop->sleeping_for, event ? (uintptr_t)event : IO_THREAD);
  int count = 0;
  if (!term_is_over(loop, event) && !atomic_load(&loop->has_posted)) {
    int64_t timer = atomic_load(&loop->next_timer);
    if (timer < deadline) deadline = timer;
    int millis = -1;
    if (deadline != SLI_CLOCK_NO_DEADLINE) {
      int64_t left = (deadline - sli_rpc_loop_now(loop) + 999999) / 1000000;
      millis = left < 0 ? 0 : left > 3600000 ? 3600000 : (int)left;
    }
    count = epoll_wait(loop->epoll, events, EVENT_BATCH, millis);
  }
  atomic_exchange(&loop->sleeping_for, 0);
  return count;
}

// One term of polling, by the thread that has the right to poll. |idle_since|: since when nothing happened.
static void poll_term(sli_rpc_loop_t *loop, sli_event_t *event, int64_t deadline, int64_t idle_since) {
  sli_rpc_loop_t *outer = polled_loop;
  bool outer_waits = polls_as_waiter;
  polled_loop = loop;
  polls_as_waiter = event != NULL;
  sli_rpc_cork_begin();
  struct epoll_event events[EVENT_BATCH];
  for (;;) {
    int64_t now = sli_rpc_loop_now(loop);
    run_posted(loop);
    run_timers(loop, now);
    sli_rpc_cork_flush();
    if (term_is_over(loop, event) || now >= deadline) break;
    int count = epoll_wait(loop->epoll, events, EVENT_BATCH, 0);
    if (count == 0) {
      if (sli_spin(&spin, now, idle_since)) continue;
      free_removed_watches(loop);
      count = sleep_in_epoll(loop, event, deadline, events);
    }
    if (count > 0) {
      sli_spin_learn(&spin, sli_rpc_loop_now(loop) - idle_since);
      dispatch(loop, events, count);
      idle_since = sli_rpc_loop_now(loop);
    }
  }
  sli_rpc_cork_end();
  polled_loop = outer;
  polls_as_waiter = outer_waits;
}

// Which thread polls.

// Ends a term: passes the right to poll to the first waiter, or leaves it to the I/O thread.
static void end_term_locked(sli_rpc_loop_t *loop) {
  loop->io_polls = false;
  waiter_t *waiter = loop->first_waiter;
  if (waiter) {
    sli_mutex_lock(&waiter->event->mutex);
    atomic_store(&waiter->promoted, true);
    sli_cond_broadcast(&waiter->event->cond);
    sli_mutex_unlock(&waiter->event->mutex);
    return;
  }
  loop->polling = false;
  loop->left_at = sli_rpc_loop_now(loop);
  set_alarm_locked(loop, loop->lease_pays && !atomic_load(&loop->has_posted) ? loop->left_at + LEASE_NANOS : 0);
}

static void *io_main(void *argument) {
  sli_rpc_loop_t *loop = argument;
  pthread_setname_np(pthread_self(), "sluice-io");
  sli_mutex_lock(&loop->mutex);
  while (!atomic_load(&loop->stopping)) {
    if (loop->polling) {
      await_alarm_locked(loop);
      continue;
    }
    int64_t now = sli_rpc_loop_now(loop);
    if (loop->lease_pays && !atomic_load(&loop->has_posted)) {
      if (now < loop->left_at + LEASE_NANOS) {
        set_alarm_locked(loop, loop->left_at + LEASE_NANOS);
        await_alarm_locked(loop);
        continue;
      }
      loop->lease_pays = false;
    }
    loop->polling = loop->io_polls = true;
    sli_mutex_unlock(&loop->mutex);
    poll_term(loop, NULL, SLI_CLOCK_NO_DEADLINE, now - 2 * SLI_SPIN_NANOS);
    sli_mutex_lock(&loop->mutex);
    end_term_locked(loop);
  }
  sli_mutex_unlock(&loop->mutex);
  return NULL;
}

sli_status_t *sli_rpc_loop_start(sli_rpc_loop_t *loop) {
  SLI_CHECK(!loop->started);
  int error = pthread_create(&loop->io_thread, NULL, io_main, loop);
  if (error) return sli_status_from_errno(error, "cannot start the I/O thread");
  loop->started = true;
  return NULL;
}

static void enqueue_waiter_locked(sli_rpc_loop_t *loop, waiter_t *waiter) {
  waiter->previous = loop->last_waiter;
  *(loop->last_waiter ? &loop->last_waiter->next : &loop->first_waiter) = waiter;
  loop->last_waiter = waiter;
  atomic_fetch_add(&loop->waiter_count, 1);
}

static void dequeue_waiter_locked(sli_rpc_loop_t *loop, waiter_t *waiter) {
  *(waiter->previous ? &waiter->previous->next : &loop->first_waiter) = waiter->next;
  *(waiter->next ? &waiter->next->previous : &loop->last_waiter) = waiter->previous;
  atomic_fetch_sub(&loop->waiter_count, 1);
}

// Waits for the event or for the right to poll. Returns true if the thread must poll.
static bool await_polling(sli_rpc_loop_t *loop, sli_event_t *event, int64_t deadline) {
  int64_t now = sli_rpc_loop_now(loop);
  sli_mutex_lock(&loop->mutex);
  if (now < loop->left_at + LEASE_NANOS) loop->lease_pays = true;
  if (!loop->polling) {
    loop->polling = true;
    sli_mutex_unlock(&loop->mutex);
    return true;
  }
  bool io_polls = loop->io_polls;
  waiter_t waiter = {.event = event};
  enqueue_waiter_locked(loop, &waiter);
  sli_mutex_unlock(&loop->mutex);
  if (io_polls) {
    wake_sleeping_poller(loop);
    while (!atomic_load(&waiter.promoted) && !sli_event_is_set(event) && sli_spin(&spin, sli_rpc_loop_now(loop), now))
      continue;
  }
  sli_mutex_lock(&event->mutex);
  bool in_time = true;
  while (!sli_event_is_set(event) && !atomic_load(&waiter.promoted) && in_time)
    in_time = sli_cond_wait_until(&event->cond, &event->mutex, deadline);
  sli_mutex_unlock(&event->mutex);
  sli_mutex_lock(&loop->mutex);
  dequeue_waiter_locked(loop, &waiter);
  bool promoted = atomic_load(&waiter.promoted);
  sli_mutex_unlock(&loop->mutex);
  return promoted;
}

bool sli_rpc_loop_wait(sli_rpc_loop_t *loop, sli_event_t *event, int64_t deadline) {
  SLI_CHECK(!sli_rpc_loop_is_polling(loop));
  sli_rpc_cork_flush();
  if (!sli_event_is_set(event) && await_polling(loop, event, deadline)) {
    poll_term(loop, event, deadline, sli_rpc_loop_now(loop));
    sli_mutex_lock(&loop->mutex);
    end_term_locked(loop);
    sli_mutex_unlock(&loop->mutex);
  }
  // Takes the event's lock, so that the thread that set the event does not use it any more.
  return sli_event_wait(event, 0);
}

typedef struct {
  sli_rpc_loop_t *loop;
  call_t work;
  sli_event_t finished;
} synchronous_t;

static void run_synchronous(void *context) {
  synchronous_t *call = context;
  call->work.run(call->work.context);
  sli_rpc_loop_set(call->loop, &call->finished);
}

void sli_rpc_loop_run(sli_rpc_loop_t *loop, sli_rpc_fn_t run, void *context) {
  if (sli_rpc_loop_is_polling(loop)) {
    run(context);
    return;
  }
  synchronous_t call = {.loop = loop, .work = {run, context}};
  sli_event_initialize(&call.finished);
  sli_rpc_loop_post(loop, run_synchronous, &call);
  sli_rpc_loop_wait(loop, &call.finished, SLI_CLOCK_NO_DEADLINE);
  sli_event_deinitialize(&call.finished);
}

void sli_rpc_loop_destroy(sli_rpc_loop_t *loop) {
  if (!loop) return;
  SLI_CHECK(!sli_rpc_loop_is_polling(loop));
  if (loop->started) {
    sli_mutex_lock(&loop->mutex);
    atomic_store(&loop->stopping, true);
    set_alarm_locked(loop, 0);
    sli_mutex_unlock(&loop->mutex);
    wake_poller(loop);
    pthread_join(loop->io_thread, NULL);
  }
  sli_rpc_loop_t *outer = polled_loop;
  polled_loop = loop;
  sli_rpc_cork_begin();
  while (atomic_load(&loop->has_posted)) run_posted(loop);
  sli_rpc_cork_end();
  free_removed_watches(loop);
  polled_loop = outer;
  SLI_CHECK(loop->timers.count == 0);
  sli_array_deinitialize(&loop->timers);
  sli_array_deinitialize(&loop->posted);
  sli_array_deinitialize(&loop->running);
  if (loop->wake >= 0) close(loop->wake);
  if (loop->alarm >= 0) close(loop->alarm);
  if (loop->epoll >= 0) close(loop->epoll);
  free(loop->read_buffer);
  sli_mutex_deinitialize(&loop->mutex);
  free(loop);
}
