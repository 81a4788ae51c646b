// The matrix of faults: every kind of task, every fault, every kind of training. A job must reach its last step, with a
// whole checkpoint there, and every task that lives must end with 0. Without an argument a few cells run; "all" runs
// the whole matrix, "all 20" twenty rounds of it (make chaos).
//
// A stopped worker stands for a cut link as well: its peers see connections that stay open and silent. tests/hosts cuts
// real links.
#include <time.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/train/cluster.h"

enum { STEPS = 300, MAX_CELLS = 64, AT_ONCE = 5 };

typedef enum { PS, WORKER, CHIEF, VICTIMS } victim_t;
static const char *const victims[] = {"ps", "worker", "chief"};
// STAYS_DEAD is for workers only: the model of a ps that never returns is lost with it.
typedef enum { KILL_RESTART, KILL_STAYS_DEAD, STOP, TERM_RESTART, FAULTS } fault_t;
static const char *const faults[] = {"kill-restart", "kill", "stop", "term-restart"};
typedef enum { ASYNC, SYNC, STRICT, BACKUP, ALL_REDUCE, MODES } mode_t_;
static const char *const modes[] = {"async", "sync", "strict", "backup", "all-reduce"};
#define COMMON "--save_steps=20", "--step_millis=15", "--worker_lost=4"
// The steps of asynchronous workers add up.
static const char *const flags[MODES][9] = {{COMMON, "--steps=2000"},
                                            {COMMON, "--steps=300", "--sync"},
                                            {COMMON, "--steps=300", "--sync", "--strict"},
                                            {COMMON, "--steps=300", "--sync", "--aggregate=2", "--total=3"},
                                            {COMMON, "--steps=700", "--all_reduce", "--min_workers=2"}};

typedef struct {
  victim_t victim;
  fault_t fault;
  mode_t_ mode;
  train_cluster_t cluster;
  int64_t began, resume_at;  // when the fault is undone; 0: it is
  bool is_over;              // the job had ended before that
  double seconds;
} cell_t;

static cell_t cells[MAX_CELLS];
static int cell_count, rounds = 1;
static bool all;
static uint64_t random_state;

static int random_below(int limit) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (int)((random_state >> 33) % (uint64_t)limit);
}

static bool makes_sense(victim_t victim, fault_t fault, mode_t_ mode) {
  return victim != PS || (fault != KILL_STAYS_DEAD && mode != ALL_REDUCE);
}

// One fault of each kind, on different tasks and kinds of training.
static bool is_sample(victim_t victim, fault_t fault, mode_t_ mode) {
  return (victim == PS && fault == KILL_RESTART && mode == SYNC) ||
         (victim == CHIEF && fault == STOP && mode == BACKUP) ||
         (victim == WORKER && fault == STOP && (mode == SYNC || mode == STRICT)) ||
         (victim == CHIEF && fault == KILL_STAYS_DEAD && mode == ALL_REDUCE) ||
         (victim == CHIEF && fault == TERM_RESTART && mode == ASYNC);
}

static train_task_t *victim_of(cell_t *cell) {
  return cell->victim == PS ? train_ps(&cell->cluster, 0) : train_worker(&cell->cluster, cell->victim == WORKER);
}

static void begin(cell_t *cell, int round) {
  char *name = sli_format("%s-%s-%s-%d", victims[cell->victim], faults[cell->fault], modes[cell->mode], round);
  train_cluster_initialize(&cell->cluster, name, cell->mode != ALL_REDUCE, 3, flags[cell->mode]);
  train_cluster_start(&cell->cluster);
  free(name);
}

static void strike(cell_t *cell) {
  train_cluster_t *cluster = &cell->cluster;
  for (int i = 0; i < cluster->worker_count; i++) train_task_expect(cluster, train_worker(cluster, i), "first step ");
  nanosleep(&(struct timespec){.tv_nsec = random_below(500) * 1000000L}, NULL);
  static const int numbers[] = {SIGKILL, SIGKILL, SIGSTOP, SIGTERM};
  train_task_t *task = victim_of(cell);
  train_task_signal(task, numbers[cell->fault]);
  if (cell->fault == TERM_RESTART) train_task_wait(cluster, task);
  // The job had ended. A worker that trains by all-reduce leaves with 0.
  bool was_late = cell->fault == TERM_RESTART && task->code == 0 && cell->mode != ALL_REDUCE;
  cell->began = sli_clock_now_nanos();
  int millis = cell->fault == STOP ? 6000 : random_below(3000);
  cell->resume_at = cell->fault == KILL_STAYS_DEAD || was_late ? 0 : sli_clock_deadline_after_millis(millis);
}

static void resume_when_due(cell_t *cell) {
  if (!cell->resume_at || sli_clock_now_nanos() < cell->resume_at) return;
  cell->resume_at = 0;
  // A ps that is asked to end stays for its workers, and so to the end of a short job; a worker that leaves may miss
  // the end, too. Nobody needs them again.
  bool has_chief = cell->mode != ALL_REDUCE;
  cell->is_over = (cell->victim != CHIEF || !has_chief) && cell->fault != STOP &&
                  train_task_has_ended(train_worker(&cell->cluster, has_chief ? 0 : 2));
  if (cell->is_over) return;
  if (cell->fault == STOP)
    train_task_signal(victim_of(cell), SIGCONT);
  else
    train_task_start(&cell->cluster, victim_of(cell));
}

static void check(cell_t *cell) {
  train_cluster_t *cluster = &cell->cluster;
  const train_task_t *gone = cell->fault == KILL_STAYS_DEAD || cell->is_over ? victim_of(cell) : NULL;
  train_cluster_expect_success_without(cluster, gone);
  cell->seconds = (double)(sli_clock_now_nanos() - cell->began) * 1e-9;
  SLI_EXPECT(train_cluster_checkpoint(cluster) >= STEPS);
  printf("%-32s step %ld, %5.1f s after the fault\n", cluster->name, train_cluster_checkpoint(cluster), cell->seconds);
  fflush(stdout);
  train_cluster_deinitialize(cluster);
}

static void run(cell_t *first, int count, int round) {
  for (int i = 0; i < count; i++) begin(&first[i], round);
  for (int i = 0; i < count; i++) strike(&first[i]);
  for (bool due = true; due;) {
    due = false;
    for (int i = 0; i < count; i++) {
      resume_when_due(&first[i]);
      due = due || first[i].resume_at;
    }
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  for (int i = 0; i < count; i++) check(&first[i]);
}

SLI_TEST(test_every_job_survives_every_fault) {
  for (int victim = 0; victim < VICTIMS; victim++)
    for (int fault = 0; fault < FAULTS; fault++)
      for (int mode = 0; mode < MODES; mode++)
        if (makes_sense(victim, fault, mode) && (all || is_sample(victim, fault, mode)))
          cells[cell_count++] = (cell_t){.victim = victim, .fault = fault, .mode = mode};
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < cell_count; i += AT_ONCE)
      run(&cells[i], cell_count - i < AT_ONCE ? cell_count - i : AT_ONCE, round);
}

int main(int argc, char **argv) {
  static void (*const tests[])(void) = {test_every_job_survives_every_fault};
  if (train_is_task()) return train_task_main(argc, argv);
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  if (all && argc > 2) rounds = atoi(argv[2]);
  random_state = (uint64_t)sli_clock_now_nanos();
  return sli_test_main(all ? 1 : argc, argv, "test_every_job_survives_every_fault", tests, 1);
}
