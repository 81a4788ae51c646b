// Threads, locks, clocks and sleep of the tasks.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/simulate/world_internal.h"

// What calls cost. The figures only have to be plausible: they let time pass for threads that spin.
enum { CLOCK_NANOS = 30, LOCK_NANOS = 20, YIELD_NANOS = 500, START_NANOS = 20000, STACK_SIZE = 1 << 20 };

sem_t world_driver;

// --- Turns ---

static int64_t cpu_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * WORLD_SECOND + now.tv_nsec;
}

void world_charge(int64_t nanos) {
  world_thread_t *self = world_current;
  if (!self) return;
  if (world_options.charges_cpu) {
    int64_t now = cpu_now();
    nanos = now - self->cpu;
    self->cpu = now;
  }
  self->used += nanos;
}

static void take_turn(void *context, uint64_t number) {
  world_thread_t *thread = context;
  world_process_t *process = thread->process;
  if (thread->state != THREAD_READY || thread->wait != number || process->is_dead || process->has_ended) return;
  if (process->is_frozen) {
    thread->is_deferred = true;
    return;
  }
  if (process->free_at > world_clock) {
    world_push(process->free_at, take_turn, thread, number);
    return;
  }
  thread->used = 0;
  world_current = thread;
}

static void make_ready(world_thread_t *thread, int64_t delay) {
  thread->state = THREAD_READY;
  thread->wait++;
  world_push(world_now() + (int64_t)((double)delay * thread->process->slowness), take_turn, thread, thread->wait);
}

static int64_t wake_delay(void) {
  if (world_options.charges_cpu) return 3000;
  return 500 + (int64_t)world_random(world_one_in(50) ? 2000000 : 8000);
}

void world_wake_thread(world_thread_t *thread) {
  if (thread->state != THREAD_BLOCKED) return;
  thread->was_woken = true;
  make_ready(thread, wake_delay());
}

void world_wake(const world_process_t *process, const void *address, bool all) {
  world_thread_t *chosen = NULL;
  uint64_t count = 0;
  for (world_thread_t *thread = process->threads; thread; thread = thread->next) {
    if (thread->state != THREAD_BLOCKED || thread->waits_on != address) continue;
    if (all)
      world_wake_thread(thread);
    else if (world_random(++count) == 0)
      chosen = thread;
  }
  if (chosen) world_wake_thread(chosen);
}

static void time_out(void *context, uint64_t number) {
  world_thread_t *thread = context;
  if (thread->state == THREAD_BLOCKED && thread->wait == number) make_ready(thread, 0);
}

// The thread's turn ends, and the time that it used passes before the next one of its process: a task has one core, and
// its clock never goes back.
static void end_turn(world_thread_t *self) {
  self->process->free_at = world_now();
  world_pass_turn(self);
  if (world_options.charges_cpu) self->cpu = cpu_now();
}

bool world_block(const void *address, const char *why, int64_t deadline) {
  world_thread_t *self = world_current;
  world_charge(0);
  self->state = THREAD_BLOCKED;
  self->waits_on = address;
  self->why = why;
  self->was_woken = false;
  self->wait++;
  if (deadline != WORLD_NEVER) {
    int64_t now = world_now();
    world_push(deadline < now ? now : deadline, time_out, self, self->wait);
  }
  end_turn(self);
  return self->was_woken;
}

void world_give_way(int64_t nanos) {
  world_thread_t *self = world_current;
  if (!self) return;
  world_charge(0);
  make_ready(self, nanos);
  end_turn(self);
}

static void *thread_main(void *argument) {
  world_thread_t *self = argument;
  sem_wait(&self->turn);
  if (world_options.charges_cpu) self->cpu = cpu_now();
  self->result = self->main(self->argument);
  self->process->free_at = world_now();
  self->state = THREAD_ENDED;
  world_wake(self->process, self, true);
  world_pass_turn(self);  // never returns: what threads do at their end would run beside others
  abort();
}

world_thread_t *world_start_thread(world_process_t *process, void *(*run)(void *argument), void *argument) {
  world_thread_t *thread = sli_calloc(1, sizeof(*thread));
  thread->process = process;
  thread->main = run;
  thread->argument = argument;
  sem_init(&thread->turn, 0, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  if (pthread_create(&thread->handle, &attributes, thread_main, thread) != 0) {
    fprintf(stderr, "the machine has no more threads\n");
    abort();
  }
  pthread_attr_destroy(&attributes);
  world_thread_t **last = &process->threads;
  while (*last) last = &(*last)->next;
  *last = thread;
  make_ready(thread, START_NANOS);
  return thread;
}

void world_bury(world_process_t *process) {
  for (world_thread_t *thread = process->threads; thread; thread = thread->next) thread->wait++;
}

void world_freeze(world_process_t *process, bool is_frozen) {
  if (world_has_ended(process) || process->is_frozen == is_frozen) return;
  world_note(process, is_frozen ? "is stopped" : "goes on");
  process->is_frozen = is_frozen;
  for (world_thread_t *thread = process->threads; !is_frozen && thread; thread = thread->next) {
    if (!thread->is_deferred) continue;
    thread->is_deferred = false;
    make_ready(thread, (int64_t)world_random(100000));
  }
}

// --- pthreads ---

int world_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  world_charge(START_NANOS / 2);
  *out = world_start_thread(world_current->process, run, argument)->handle;
  return 0;
}

int __wrap_pthread_join(pthread_t handle, void **out_result) {
  world_thread_t *thread = world_current->process->threads;
  while (!pthread_equal(thread->handle, handle)) thread = thread->next;
  while (thread->state != THREAD_ENDED) world_block(thread, "the end of a thread", WORLD_NEVER);
  if (out_result) *out_result = thread->result;
  return 0;
}

int __wrap_pthread_detach(pthread_t handle) { return 0; }

// A lock is in the first word of its object, which starts as 0; the second counts those who wait.
typedef struct {
  int is_held, waiters;
} lock_t;

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
  lock_t *lock = (lock_t *)mutex;
  if (world_current) {
    world_charge(LOCK_NANOS);
    if (world_one_in(world_options.preempt_one_in))
      world_give_way((int64_t)world_random(world_one_in(10) ? 500000 : 20000));
    while (lock->is_held) {
      lock->waiters++;
      world_block(mutex, "a lock", WORLD_NEVER);
      lock->waiters--;
    }
  }
  lock->is_held = 1;
  return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
  lock_t *lock = (lock_t *)mutex;
  lock->is_held = 0;
  if (lock->waiters && world_current) world_wake(world_current->process, mutex, false);
  return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex) { return 0; }
int __wrap_pthread_cond_destroy(pthread_cond_t *cond) { return 0; }

static bool cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t deadline) {
  __wrap_pthread_mutex_unlock(mutex);
  bool woken = world_block(cond, "a condition", deadline);
  __wrap_pthread_mutex_lock(mutex);
  return woken;
}

int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
  cond_wait(cond, mutex, WORLD_NEVER);
  return 0;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until) {
  return cond_wait(cond, mutex, until->tv_sec * WORLD_SECOND + until->tv_nsec) ? 0 : ETIMEDOUT;
}

int __wrap_pthread_cond_signal(pthread_cond_t *cond) {
  if (world_current) world_wake(world_current->process, cond, false);
  return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *cond) {
  if (world_current) world_wake(world_current->process, cond, true);
  return 0;
}

int __wrap_pthread_once(pthread_once_t *once, void (*run)(void)) {
  enum { DONE = 2, RUNNING = 1 };
  while (*once == RUNNING) world_give_way(YIELD_NANOS);
  if (*once == DONE) return 0;
  *once = RUNNING;
  run();
  *once = DONE;
  return 0;
}

int __wrap_sem_init(sem_t *semaphore, int shared, unsigned value) {
  *(int *)semaphore = (int)value;
  return 0;
}

int __wrap_sem_post(sem_t *semaphore) {
  ++*(int *)semaphore;
  world_wake(world_current->process, semaphore, true);
  return 0;
}

int __wrap_sem_trywait(sem_t *semaphore) {
  if (*(int *)semaphore > 0) {
    --*(int *)semaphore;
    return 0;
  }
  errno = EAGAIN;
  return -1;
}

int __wrap_sem_wait(sem_t *semaphore) {
  while (__wrap_sem_trywait(semaphore) != 0) world_block(semaphore, "a semaphore", WORLD_NEVER);
  return 0;
}

// --- Clocks, sleep, chance ---

int __wrap_clock_gettime(clockid_t clock, struct timespec *out) {
  if (!world_current || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)) return clock_gettime(clock, out);
  world_charge(CLOCK_NANOS);
  int64_t now = world_now();
  if (clock == CLOCK_REALTIME) now += 1700000000 * WORLD_SECOND + world_hosts[world_current->process->host].wall_offset;
  *out = (struct timespec){now / WORLD_SECOND, now % WORLD_SECOND};
  return 0;
}

time_t __wrap_time(time_t *out) {
  struct timespec now;
  __wrap_clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left) {
  world_block(NULL, "sleep", world_now() + time->tv_sec * WORLD_SECOND + time->tv_nsec);
  return 0;
}

int __wrap_usleep(useconds_t micros) {
  world_block(NULL, "sleep", world_now() + (int64_t)micros * 1000);
  return 0;
}

int __wrap_sched_yield(void) {
  world_give_way(YIELD_NANOS);
  return 0;
}

ssize_t __wrap_getrandom(void *data, size_t size, unsigned flags) {
  for (size_t i = 0; i < size; i++) ((unsigned char *)data)[i] = (unsigned char)world_random(256);
  return (ssize_t)size;
}

pid_t __wrap_getpid(void) { return world_current ? 10000 + world_current->process->id : getpid(); }

int __wrap_pthread_setname_np(pthread_t thread, const char *name) { return 0; }
int __wrap_sched_setaffinity(pid_t pid, size_t size, const void *set) { return 0; }

int __wrap_sigaction(int number, const struct sigaction *action, struct sigaction *former) {
  world_handler_t *handler = &world_current->process->handlers[number];
  if (former) *former = (struct sigaction){.sa_handler = *handler ? *handler : SIG_DFL};
  if (action) *handler = action->sa_handler == SIG_DFL ? NULL : action->sa_handler;
  return 0;
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *former) { return 0; }

// The same figures on every machine.
int __wrap_sched_getcpu(void) { return 0; }
int __wrap_sched_getaffinity(pid_t pid, size_t size, void *set) {
  errno = ENOSYS;
  return -1;
}
long __wrap_sysconf(int name) {
  if (name == _SC_NPROCESSORS_ONLN) return 2;
  return name == _SC_PHYS_PAGES ? 1 << 20 : sysconf(name);
}
