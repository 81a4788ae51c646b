// Events in the order of their time, the processes, and the history.
#include "tests/simulate/world.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/random.h"
#include "tests/simulate/world_internal.h"

world_options_t world_options;
world_process_t *world_processes;
world_host_t world_hosts[WORLD_MAX_HOSTS];
int world_host_count;
world_thread_t *world_current;
int64_t world_clock;

static uint64_t random_state, history_hash = 14695981039346656037u;
static int process_count;
static world_report_fn_t report_fn;
static world_line_fn_t said_fn, renamed_fn;
static void *report_context;

// --- Events: a heap by time; equal times in an order that the seed chooses ---

typedef struct {
  int64_t time;
  uint64_t order, sequence;
  void (*run)(void *context, uint64_t number);
  void *context;
  uint64_t number;
} event_t;

static SLI_ARRAY(event_t) events;
static uint64_t event_count;

static bool is_before(const event_t *a, const event_t *b) {
  if (a->time != b->time) return a->time < b->time;
  return a->order != b->order ? a->order < b->order : a->sequence < b->sequence;
}

void world_push(int64_t time, void (*run)(void *context, uint64_t number), void *context, uint64_t number) {
  if (time < world_clock) time = world_clock;
  event_t event = {time, world_random(1 << 20), event_count++, run, context, number};
  sli_array_push(&events, event);
  size_t at = events.count - 1;
  for (; at > 0 && is_before(&event, &events.items[(at - 1) / 2]); at = (at - 1) / 2)
    events.items[at] = events.items[(at - 1) / 2];
  events.items[at] = event;
}

static event_t pop(void) {
  event_t first = events.items[0], last = events.items[--events.count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < events.count; at = child) {
    if (child + 1 < events.count && is_before(&events.items[child + 1], &events.items[child])) child++;
    if (!is_before(&events.items[child], &last)) break;
    events.items[at] = events.items[child];
  }
  if (events.count) events.items[at] = last;
  return first;
}

static struct {
  bool (*is_over)(void *context);
  void *context;
  int64_t limit;
  bool is_stopped, has_ended;
} run;

bool world_run_is_over(void) { return run.has_ended; }

// Runs the next event. Returns false at the end of the run.
static bool run_event(void) {
  run.has_ended = run.is_stopped || !events.count || events.items[0].time > run.limit || run.is_over(run.context);
  if (run.has_ended) return false;
  event_t event = pop();
  world_clock = event.time;
  event.run(event.context, event.number);
  return true;
}

// The event that gives a thread its turn sets |world_current|.
void world_pass_turn(world_thread_t *self) {
  world_current = NULL;
  while (!world_current)
    if (!run_event()) {
      sem_post(&world_driver);
      break;
    }
  if (world_current && world_current == self) return;
  if (world_current) sem_post(&world_current->turn);
  if (self) sem_wait(&self->turn);
}

bool world_run(bool (*is_over)(void *context), void *context, int64_t limit) {
  run.is_over = is_over;
  run.context = context;
  run.limit = limit;
  run.is_stopped = run.has_ended = false;
  world_pass_turn(NULL);
  sem_wait(&world_driver);
  return is_over(context);
}

void world_stop(void) { run.is_stopped = true; }

static void run_planned(void *context, uint64_t number) {
  struct {
    void (*run)(void *context);
    void *context;
  } *planned = context;
  planned->run(planned->context);
  free(planned);
}

void world_at(int64_t time, void (*fn)(void *context), void *context) {
  struct {
    void (*run)(void *context);
    void *context;
  } *planned = sli_malloc(sizeof(*planned));
  planned->run = fn;
  planned->context = context;
  world_push(time, run_planned, planned, 0);
}

// --- Time and chance ---

int64_t world_now(void) { return world_clock + (world_current ? world_current->used : 0); }

uint64_t world_random(uint64_t bound) { return bound ? sli_random_next(&random_state) % bound : 0; }
bool world_one_in(int n) { return n > 0 && world_random((uint64_t)n) == 0; }

void world_create(const world_options_t *options) {
  world_options = *options;
  random_state = options->seed * 0x9e3779b97f4a7c15u + 1;
  world_clock = 1000 * WORLD_SECOND;
  sem_init(&world_driver, 0, 0);
}

// --- The history ---

static SLI_ARRAY(char *) history;

static void keep(char *line) {
  for (const char *at = line; *at; at++) history_hash = (history_hash ^ (unsigned char)*at) * 1099511628211u;
  if (world_options.history) {
    fputs(line, world_options.history);
    free(line);
  } else {
    sli_array_push(&history, line);
  }
}

void world_note(const world_process_t *process, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0) abort();
  va_end(arguments);
  int64_t now = world_now() - 1000 * WORLD_SECOND;
  keep(sli_format("%11.6f %-9s %s\n", (double)now / 1e9, process ? process->name : "", text));
  free(text);
}

uint64_t world_hash(void) { return history_hash; }

void world_print_history(FILE *file) {
  for (size_t i = 0; i < history.count; i++) fputs(history.items[i], file);
}

void world_print_waits(FILE *file) {
  for (const world_process_t *process = world_processes; process; process = process->next)
    for (const world_thread_t *thread = process->threads; thread; thread = thread->next)
      if (!process->has_ended && thread->state != THREAD_ENDED)
        fprintf(file, "%-9s %s%s\n", process->name, thread->state == THREAD_READY ? "ready" : thread->why,
                process->is_dead     ? " (killed)"
                : process->is_frozen ? " (frozen)"
                                     : "");
}

void world_on_report(world_report_fn_t report, world_line_fn_t said, world_line_fn_t renamed, void *context) {
  report_fn = report;
  said_fn = said;
  renamed_fn = renamed;
  report_context = context;
}

void world_report(const char *what, int64_t number, double value) {
  if (report_fn) report_fn(report_context, world_current->process, what, number, value);
}

void world_pass_line(const char *line, bool is_rename) {
  world_line_fn_t fn = is_rename ? renamed_fn : said_fn;
  if (fn) fn(report_context, world_current->process, line);
}

// --- Hosts and processes ---

int world_add_host(void) {
  int host = world_host_count++;
  snprintf(world_hosts[host].address, sizeof(world_hosts[host].address), "10.0.%d.%d", host / 250, host % 250 + 1);
  return host;
}

const char *world_address(int host) { return world_hosts[host].address; }

static void end_process(world_process_t *process, int code) {
  process->has_ended = true;
  process->code = code;
  world_note(process, "ends with %d", code);
  world_close_all(process, false);
  world_bury(process);
}

static void *process_main(void *argument) {
  world_process_t *process = argument;
  int code = process->entry(process->argc, process->argv);
  end_process(process, code);
  return NULL;
}

_Noreturn void __wrap_exit(int code) {
  end_process(world_current->process, code);
  world_block(NULL, "end", WORLD_NEVER);
  abort();
}
_Noreturn void __wrap__exit(int code) { __wrap_exit(code); }
int __wrap_on_exit(void (*function)(int code, void *context), void *context) { return 0; }

// --- The copies of the library ---

static char *original;

// Another process may make the same copy: the one that is first wins.
static void make_copy(const char *path) {
  char *temporary = sli_format("%s.%d", path, (int)getpid());
  int from = open(original, O_RDONLY | O_CLOEXEC), to = open(temporary, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
  ssize_t size = 1;
  while (from >= 0 && to >= 0 && size > 0) size = sendfile(to, from, NULL, 1 << 30);
  if (from < 0 || to < 0 || size < 0 || rename(temporary, path) != 0) {
    fprintf(stderr, "cannot copy %s to %s: %s\n", original, path, strerror(errno));
    exit(1);
  }
  close(from);
  close(to);
  free(temporary);
}

void world_prepare(const char *file, const char *library) {
  enum { USUAL = 8 };
  original = sli_strdup(file);
  for (int i = 1; i <= USUAL; i++) {
    char *path = sli_format("%s%d.so", library, i);
    make_copy(path);
    free(path);
  }
}

world_process_t *world_start(int host, const char *name, const char *entry, int argc, char **argv) {
  world_process_t *process = sli_calloc(1, sizeof(*process));
  process->id = ++process_count;
  process->host = host;
  process->slowness = 1;
  snprintf(process->name, sizeof(process->name), "%s", name);
  char *path = sli_format("%s%d.so", world_options.library, process->id);
  if (access(path, F_OK) != 0) make_copy(path);
  process->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  free(path);
  if (process->library) *(void **)&process->entry = dlsym(process->library, entry);
  if (!process->entry) {
    fprintf(stderr, "cannot load a task: %s\n", dlerror());
    abort();
  }
  process->argc = argc;
  process->argv = sli_calloc((size_t)argc + 1, sizeof(char *));
  process->words = sli_calloc((size_t)argc + 1, sizeof(char *));
  for (int i = 0; i < argc; i++) process->argv[i] = process->words[i] = sli_strdup(argv[i]);
  world_process_t **last = &world_processes;
  while (*last) last = &(*last)->next;
  *last = process;
  world_note(process, "starts on %s", world_address(host));
  world_start_thread(process, process_main, process);
  return process;
}

bool world_has_ended(const world_process_t *process) { return process->has_ended || process->is_dead; }
int world_exit_code(const world_process_t *process) { return process->has_ended ? process->code : -1; }
const char *world_name(const world_process_t *process) { return process->name; }

typedef struct {
  world_handler_t handler;
  int number;
} signal_call_t;

static void *signal_main(void *argument) {
  signal_call_t *call = argument;
  call->handler(call->number);
  free(call);
  return NULL;
}

void world_signal(world_process_t *process, int number) {
  if (world_has_ended(process)) return;
  world_note(process, "gets %s", strsignal(number));
  world_handler_t handler = process->handlers[number];
  if (!handler) {
    world_kill(process);
    return;
  }
  signal_call_t *call = sli_malloc(sizeof(*call));
  *call = (signal_call_t){handler, number};
  world_start_thread(process, signal_main, call);
}

void world_kill(world_process_t *process) {
  if (world_has_ended(process)) return;
  world_note(process, "is killed");
  process->is_dead = true;
  world_close_all(process, false);
  world_bury(process);
}

void world_fail_host(int host) {
  if (world_hosts[host].is_down) return;
  world_note(NULL, "%s loses its power", world_address(host));
  world_hosts[host].is_down = true;
  for (world_process_t *process = world_processes; process; process = process->next) {
    if (process->host != host || world_has_ended(process)) continue;
    process->is_dead = true;
    world_close_all(process, true);
    world_bury(process);
  }
  world_net_host_failed(host);
  world_disk_tear(host);
}

void world_restore_host(int host) {
  if (!world_hosts[host].is_down) return;
  world_note(NULL, "%s is up again", world_address(host));
  world_hosts[host].is_down = false;
}

void world_slow(world_process_t *process, double factor) {
  if (process->slowness != factor) world_note(process, "is %.0f times slower", factor);
  process->slowness = factor;
}

void world_jump_clock(int host, int64_t nanos) {
  world_note(NULL, "the clock of %s jumps by %.0f s", world_address(host), (double)nanos / 1e9);
  world_hosts[host].wall_offset += nanos;
}
