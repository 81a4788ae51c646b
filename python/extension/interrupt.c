// Ctrl-C while a call of the library waits, and processes that were forked.
//
// Python handles a signal when the main thread is back in the interpreter. A step of a local session runs on the thread
// that asked for it, so that short steps are fast; a thread that the signal wakes cancels it. Other calls that may wait
// run on a thread of their own, while the main thread looks for signals; a call that is given up ends there by itself.
#include "extension.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sluice/session.h"

static bool is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

// --- Forks ---

static atomic_bool used, forked;  // whether the library has threads; whether this is a child that lacks them

static void after_fork(void) { atomic_store(&forked, atomic_load(&used)); }

bool extension_check_process(const char *what) {
  if (!atomic_exchange(&used, true)) pthread_atfork(NULL, NULL, after_fork);
  if (!atomic_load_explicit(&forked, memory_order_relaxed)) return true;
  PyErr_Format(PyExc_RuntimeError,
               "%s cannot be used in a process that was forked after the first session or server was made: threads are "
               "not copied. Fork before that, or start the process with multiprocessing's method \"spawn\".",
               what);
  return false;
}

// --- Steps of local sessions ---

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static TF_Session *running;  // under mutex: the session whose step the main thread runs
static pthread_t main_thread;
static struct sigaction pythons;  // the handler of SIGINT, which ours calls first
static sem_t wake;

static void on_interrupt(int signal_number) {
  int saved = errno;
  pythons.sa_handler(signal_number);
  sem_post(&wake);
  errno = saved;
}

// Whether Python raises KeyboardInterrupt. A program with a handler of its own decides itself what to do.
static bool raises_interrupt(void) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *module = PyImport_ImportModule("signal");
  PyObject *handler = module ? PyObject_CallMethod(module, "getsignal", "i", SIGINT) : NULL;
  PyObject *usual = module ? PyObject_GetAttrString(module, "default_int_handler") : NULL;
  bool raises = handler && handler == usual;
  Py_XDECREF(module);
  Py_XDECREF(handler);
  Py_XDECREF(usual);
  PyErr_Clear();
  PyGILState_Release(state);
  return raises;
}

static void *watch(void *unused) {
  for (;;) {
    if (sem_wait(&wake) != 0 || !raises_interrupt()) continue;
    pthread_mutex_lock(&mutex);
    if (running) sl_session_cancel_step(running, main_thread, "The step was interrupted.");
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void start_watching(void) {
  static bool started;  // used by the main thread only
  if (started) return;
  started = true;
  main_thread = pthread_self();
  sem_init(&wake, 0, 0);
  pthread_t thread;
  if (pthread_create(&thread, NULL, watch, NULL) == 0) pthread_detach(thread);
}

// Puts our handler before Python's, which a program may have set anew.
static void arm(void) {
  struct sigaction current;
  if (sigaction(SIGINT, NULL, &current) != 0 || current.sa_handler == on_interrupt) return;
  if (current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN || (current.sa_flags & SA_SIGINFO)) return;
  start_watching();
  pythons = current;
  current.sa_handler = on_interrupt;
  sigaction(SIGINT, &current, NULL);
}

static void set_running(TF_Session *session) {
  pthread_mutex_lock(&mutex);
  running = session;
  pthread_mutex_unlock(&mutex);
}

bool extension_step_begin(TF_Session *session) {
  if (!is_main_thread()) return false;
  arm();
  set_running(session);
  return true;
}

void extension_step_end(bool began) {
  if (began) set_running(NULL);
}

// --- Other calls ---

typedef struct waiting waiting_t;
struct waiting {
  void (*call)(void *argument);
  void (*release)(void *argument);
  void *argument;
  const void *owner;
  pthread_cond_t changed;
  bool done, abandoned;
  waiting_t *next;  // of the abandoned ones
};
static waiting_t *abandoned;  // under mutex
static pthread_cond_t abandoned_changed = PTHREAD_COND_INITIALIZER;

enum { LOOK_MILLIS = 50, PATIENCE_LOOKS = 40 };

static void forget(waiting_t *waiting) {
  for (waiting_t **at = &abandoned; *at; at = &(*at)->next)
    if (*at == waiting) {
      *at = waiting->next;
      break;
    }
  pthread_cond_broadcast(&abandoned_changed);
}

static void *perform(void *context) {
  waiting_t *waiting = context;
  waiting->call(waiting->argument);
  pthread_mutex_lock(&mutex);
  waiting->done = true;
  bool is_ours = waiting->abandoned;
  if (is_ours) forget(waiting);
  pthread_cond_signal(&waiting->changed);
  pthread_mutex_unlock(&mutex);
  if (is_ours) {
    waiting->release(waiting->argument);
    pthread_cond_destroy(&waiting->changed);
    free(waiting);
  }
  return NULL;
}

static struct timespec soon(long millis) {
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_nsec += millis * 1000000;
  at.tv_sec += at.tv_nsec / 1000000000;
  at.tv_nsec %= 1000000000;
  return at;
}

// Waits a moment; whether the call has ended.
static bool look(waiting_t *waiting) {
  bool done;
  Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&mutex);
  struct timespec until = soon(LOOK_MILLIS);
  if (!waiting->done) pthread_cond_timedwait(&waiting->changed, &mutex, &until);
  done = waiting->done;
  pthread_mutex_unlock(&mutex);
  Py_END_ALLOW_THREADS return done;
}

// Leaves the call to its thread, unless it has ended meanwhile.
static bool abandon(waiting_t *waiting) {
  pthread_mutex_lock(&mutex);
  bool left = !waiting->done;
  if (left) {
    waiting->abandoned = true;
    waiting->next = abandoned;
    abandoned = waiting;
  }
  pthread_mutex_unlock(&mutex);
  return left;
}

static bool has_abandoned(const void *owner) {
  pthread_mutex_lock(&mutex);
  bool found = false;
  for (const waiting_t *at = abandoned; at; at = at->next) found |= at->owner == owner;
  pthread_mutex_unlock(&mutex);
  return found;
}

bool extension_call(void (*call)(void *argument), void (*release)(void *argument), void *argument, const void *owner) {
  // Behind an interrupted call that does not end, such as to a server that does not reply, the next one is left soon.
  int looks_left = has_abandoned(owner) ? PATIENCE_LOOKS : -1;
  waiting_t *waiting = is_main_thread() ? calloc(1, sizeof(*waiting)) : NULL;
  pthread_t thread;
  if (waiting) {
    *waiting = (waiting_t){.call = call, .release = release, .argument = argument, .owner = owner};
    pthread_cond_init(&waiting->changed, NULL);
  }
  if (!waiting || pthread_create(&thread, NULL, perform, waiting) != 0) {
    free(waiting);
    Py_BEGIN_ALLOW_THREADS call(argument);
    Py_END_ALLOW_THREADS return true;
  }
  pthread_detach(thread);
  bool interrupted = false;
  while (!look(waiting)) {
    bool is_signal = PyErr_CheckSignals() < 0;
    if (!is_signal && (looks_left < 0 || --looks_left > 0)) continue;
    if (!is_signal)
      PyErr_SetString(PyExc_RuntimeError, "an interrupted call of this session has not ended yet: make a new session");
    if (abandon(waiting)) return false;
    interrupted = true;
    break;
  }
  pthread_mutex_lock(&mutex);  // the thread may still hold it
  pthread_mutex_unlock(&mutex);
  pthread_cond_destroy(&waiting->changed);
  free(waiting);
  if (interrupted) release(argument);
  return !interrupted;
}

bool extension_wait_for_calls(const void *owner) {
  struct timespec until = soon(10000);
  bool found = true, timed_out = false;
  Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&mutex);
  while (found && !timed_out) {
    found = false;
    for (const waiting_t *at = abandoned; at; at = at->next) found |= at->owner == owner;
    if (found) timed_out = pthread_cond_timedwait(&abandoned_changed, &mutex, &until) == ETIMEDOUT;
  }
  pthread_mutex_unlock(&mutex);
  Py_END_ALLOW_THREADS return !found;
}
