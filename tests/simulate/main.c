// The command line of the simulation. Each seed runs in a process of its own, which is forked from one that has done
// nothing yet, so that its memory looks the same every time.
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "base/alloc.h"
#include "tests/simulate/scenario.h"
#include "tests/simulate/world.h"

enum { PATIENCE_SECONDS = 300, MAX_JOBS = 64 };

static struct {
  uint64_t first, count, seed;
  bool has_seed, is_verbose, prints_hash, stops_early;
  int jobs, workers;
  const char *program, *plant;
  char *directory, *task;
} options = {.first = 1, .count = 20};

static bool parse(const char *argument) {
  unsigned long long number = 0;
  int used = 0;
  if (sscanf(argument, "--seeds=%llu%n", &number, &used) == 1 && !argument[used])
    options.count = number;
  else if (sscanf(argument, "--first=%llu%n", &number, &used) == 1 && !argument[used])
    options.first = number;
  else if (sscanf(argument, "--jobs=%llu%n", &number, &used) == 1 && !argument[used])
    options.jobs = (int)number;
  else if (sscanf(argument, "--workers=%llu%n", &number, &used) == 1 && !argument[used])
    options.workers = (int)number;
  else if (sscanf(argument, "--seed=%llu%n", &number, &used) == 1 && !argument[used])
    options.seed = number, options.has_seed = true;
  else if (!strncmp(argument, "--task=", 7))
    options.task = sli_strdup(argument + 7);
  else if (!strcmp(argument, "--verbose"))
    options.is_verbose = true;
  else if (!strcmp(argument, "--until-failure"))
    options.stops_early = true;
  else if (!strcmp(argument, "--hash"))
    options.prints_hash = true;
  else
    return false;
  return true;
}

// Addresses must be the same in every run, and there must be room for the thread-local variables of many libraries.
static void start_again(char **argv) {
  static const char tunables[] =
      "glibc.rtld.optional_static_tls=262144:glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0";
  const char *present = getenv("GLIBC_TUNABLES");
  if (present && !strcmp(present, tunables)) return;
  setenv("GLIBC_TUNABLES", tunables, 1);
  personality(ADDR_NO_RANDOMIZE);
  execv("/proc/self/exe", argv);
  perror("cannot start again");
  exit(1);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) { return remove(path); }
static void remove_tree(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

static int run_seed(uint64_t seed) {
  char *run = sli_format("%s/run%llu", options.directory, (unsigned long long)seed);
  mkdir(run, 0700);
  char *library = sli_format("%s/task", options.directory);
  scenario_options_t scenario = {.seed = seed,
                                 .library = library,
                                 .directory = run,
                                 .is_verbose = options.is_verbose,
                                 .history = options.has_seed && !options.prints_hash ? stdout : NULL,
                                 .workers = options.workers};
  char *failure = scenario_run(&scenario);
#ifdef __SANITIZE_ADDRESS__
  if (!failure && __lsan_do_recoverable_leak_check()) failure = sli_strdup("memory was not freed");
#endif
  if (options.prints_hash) printf("%016llx\n", (unsigned long long)world_hash());
  if (!failure) return 0;
  if (options.has_seed) {
    printf("\nThreads at the end:\n");
    world_print_waits(stdout);
  }
  printf("seed %llu failed: %s\n", (unsigned long long)seed, failure);
  if (!options.has_seed)
    printf("  replay: %s%s%s%s --seed=%llu\n", options.program, options.task ? " --task=" : "",
           options.task ? options.task : "", "", (unsigned long long)seed);
  return 1;
}

static pid_t fork_seed(uint64_t seed) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid) return pid;
  alarm(PATIENCE_SECONDS);
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof(all), &all);
  // One thread runs at a time: on one core it takes over from the last one without a delay.
  int wanted = (int)(seed % (uint64_t)CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &all) && wanted-- == 0) CPU_SET(i, &one);
  sched_setaffinity(0, sizeof(one), &one);
  int code = run_seed(seed);
  fflush(stdout);
  _exit(code);
}

static int wait_for_one(uint64_t *seeds, pid_t *pids, int jobs) {
  int status = 0;
  pid_t pid = wait(&status);
  for (int i = 0; i < jobs; i++) {
    if (pids[i] != pid) continue;
    pids[i] = 0;
    if (WIFSIGNALED(status)) {
      printf("seed %llu failed: %s\n  replay: %s --seed=%llu\n", (unsigned long long)seeds[i],
             WTERMSIG(status) == SIGALRM ? "it does not end" : strsignal(WTERMSIG(status)), options.program,
             (unsigned long long)seeds[i]);
      return 1;
    }
    char *run = sli_format("%s/run%llu", options.directory, (unsigned long long)seeds[i]);
    remove_tree(run);
    free(run);
    return WEXITSTATUS(status) != 0;
  }
  return 0;
}

static int run_all(void) {
  uint64_t seeds[MAX_JOBS];
  pid_t pids[MAX_JOBS] = {0};
  int running = 0;
  uint64_t failed = 0, next = options.first, end = options.first + options.count;
  while (next < end || running) {
    if (options.stops_early && failed) next = end;
    if (next < end && running < options.jobs) {
      int slot = 0;
      while (pids[slot]) slot++;
      seeds[slot] = next;
      pids[slot] = fork_seed(next++);
      running++;
      continue;
    }
    failed += (uint64_t)wait_for_one(seeds, pids, options.jobs);
    running--;
  }
  printf("%llu seeds from %llu: %llu failed\n", (unsigned long long)options.count, (unsigned long long)options.first,
         (unsigned long long)failed);
  return failed ? 1 : 0;
}

int main(int argc, char **argv) {
  start_again(argv);
  options.program = argv[0];
  for (int i = 1; i < argc; i++)
    if (!parse(argv[i])) {
      fprintf(stderr,
              "usage: %s [--seeds=N] [--first=K] [--jobs=N] [--workers=N]   many runs\n"
              "       --until-failure                                       the first failure ends them\n"
              "       %s --seed=K [--verbose | --hash]                      one run, with its history\n"
              "       --task=FILE                                           another task library\n",
              argv[0], argv[0]);
      return 2;
    }
  if (options.jobs < 1) options.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (options.jobs > MAX_JOBS) options.jobs = MAX_JOBS;
  char template[] = "/tmp/simulate-XXXXXX";
  options.directory = mkdtemp(template);
  char *beside = options.task ? sli_strdup(options.task)
                              : sli_format("%.*s/simulated_task.so", (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
  char *library = sli_format("%s/task", options.directory);
  world_prepare(beside, library);
  int code;
  if (options.has_seed) {
    int status = 0;
    waitpid(fork_seed(options.seed), &status, 0);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (WIFSIGNALED(status))
      printf("seed %llu failed: %s\n", (unsigned long long)options.seed, strsignal(WTERMSIG(status)));
  } else {
    code = run_all();
  }
  remove_tree(options.directory);
  free(library);
  free(beside);
  free(options.task);
  return code;
}
