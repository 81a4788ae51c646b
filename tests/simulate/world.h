// A simulated world: hosts with clocks, a network and a disk, on which tasks of a cluster run in one process. One seed
// gives one run.
//
// A task is a copy of the task library (the whole of Sluice and a program, see program.c), loaded with dlopen so that
// it has static variables of its own. The library is linked with --wrap for every call that reaches outside: threads,
// locks, clocks, sleep, random numbers, sockets, epoll, files, signals. Those calls end here. The threads of the tasks
// are real, but only one of them runs at a time: the one whose turn is next in the queue of events. So nothing in
// src/ knows of the simulation.
#ifndef SLI_TESTS_SIMULATE_WORLD_H_
#define SLI_TESTS_SIMULATE_WORLD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WORLD_SECOND INT64_C(1000000000)
#define WORLD_MILLI INT64_C(1000000)

typedef struct world_process world_process_t;

typedef struct {
  uint64_t seed;
  const char *library;    // task libraries: "PREFIX%d.so", one for each process that is started
  const char *directory;  // of the run's files; exists
  bool is_verbose;        // the history has every message
  FILE *history;          // NULL: kept in memory for world_print_history
  // How long a message takes: at least |latency|, and up to |jitter| more; one of |late_one_in| takes up to |late|.
  int64_t latency, jitter, late;
  int late_one_in;
  double bytes_per_second;  // of a host's network card, each direction; 0: no limit
  double byte_weight;       // for how many bytes one byte counts
  int preempt_one_in;       // a thread that takes a lock gives way once in so many times
  bool charges_cpu;         // the time that threads compute passes in the world, too; then a run is not repeatable
  size_t socket_buffer;     // bytes on the way to a reader
} world_options_t;

void world_create(const world_options_t *options);
// Sets the file that the task libraries are copies of. They are made when they are first needed, and stay.
void world_prepare(const char *original, const char *library);

// The next random number of the run: of [0, bound), and whether an event of 1 in |n| happens.
uint64_t world_random(uint64_t bound);
bool world_one_in(int n);
int64_t world_now(void);

// --- Hosts and processes ---

// Adds a host; its address is 10.0.x.y.
int world_add_host(void);
const char *world_address(int host);
// Starts |entry| of a new copy of the library on |host|. |argv| is copied.
world_process_t *world_start(int host, const char *name, const char *entry, int argc, char **argv);
bool world_has_ended(const world_process_t *process);
// The code that it ended with; -1 if it was killed or still runs.
int world_exit_code(const world_process_t *process);
const char *world_name(const world_process_t *process);
// SIGTERM and the like: its handler runs as a thread of the process, or it ends.
void world_signal(world_process_t *process, int number);

// --- Faults ---

// The process ends at once; its peers are told.
void world_kill(world_process_t *process);
// The host loses its power: its peers hear nothing, and what was not synced is torn.
void world_fail_host(int host);
void world_restore_host(int host);
void world_freeze(world_process_t *process, bool is_frozen);
// Every wait of its threads takes |factor| times as long to end.
void world_slow(world_process_t *process, double factor);
// Messages from one host to another are held back; 0 heals. One direction only.
void world_cut(int from, int to, bool is_cut);
// Writes fail from now on with ENOSPC, or no more.
void world_fill_disk(bool is_full);
// The wall clock of a host jumps.
void world_jump_clock(int host, int64_t nanos);

// --- Running ---

// Calls |run|(context) at |time|.
void world_at(int64_t time, void (*run)(void *context), void *context);
// Runs until |is_over| returns true, until |limit|, or until nothing can happen any more. Returns whether it is over.
bool world_run(bool (*is_over)(void *context), void *context, int64_t limit);
// Ends the run from within world_at.
void world_stop(void);

// --- History ---

// A line of the history, of a task's program or of the world (NULL).
void world_note(const world_process_t *process, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A number of everything that happened: equal for two runs of one seed.
uint64_t world_hash(void);
void world_print_history(FILE *file);
// What each thread of each living process waits for.
void world_print_waits(FILE *file);
int64_t world_message_count(void);

// --- For the program in the task library ---

// The fields of a result, such as ("update", step, value). The scenario's function gets them.
typedef void (*world_report_fn_t)(void *context, world_process_t *process, const char *what, int64_t number,
                                  double value);
// |said| gets each line that a task prints or logs; |renamed| the new names of files.
typedef void (*world_line_fn_t)(void *context, world_process_t *process, const char *line);
void world_on_report(world_report_fn_t report, world_line_fn_t said, world_line_fn_t renamed, void *context);
void world_report(const char *what, int64_t number, double value);

#endif  // SLI_TESTS_SIMULATE_WORLD_H_
