// Shared by the files of the world: events (world.c), threads (world_threads.c), the network (world_net.c), descriptors
// (world_files.c) and the disk (world_disk.c). One thread runs at a time, so nothing here has a lock.
#ifndef SLI_TESTS_SIMULATE_WORLD_INTERNAL_H_
#define SLI_TESTS_SIMULATE_WORLD_INTERNAL_H_

#include <pthread.h>
#include <semaphore.h>

#include "tests/simulate/world.h"

#define WORLD_NEVER INT64_MAX
enum { WORLD_MAX_HOSTS = 1100, WORLD_FIRST_FD = 1 << 20 };

typedef struct world_thread world_thread_t;
struct world_thread {
  world_process_t *process;
  world_thread_t *next;  // of the process
  pthread_t handle;
  sem_t turn;  // posted when it may run
  void *(*main)(void *argument);
  void *argument, *result;
  enum { THREAD_BLOCKED, THREAD_READY, THREAD_ENDED } state;
  const void *waits_on;  // an address; NULL: time only
  const char *why;
  bool was_woken, is_deferred;
  uint64_t wait;  // the number of this wait; an earlier one's timeout does nothing
  int64_t used;   // nanoseconds of its present turn
  int64_t cpu;    // its processor time when the turn began or was last charged
};

typedef void (*world_handler_t)(int number);
struct world_process {
  world_process_t *next;
  int id, host;
  char name[32];
  bool has_ended, is_dead, is_frozen;
  int code;
  int64_t free_at;  // when its one core is free for the next turn
  double slowness;
  world_thread_t *threads;
  void *library;
  int (*entry)(int argc, char **argv);
  int argc;
  char **argv;
  char **words;  // the same; a program takes those out of |argv| that it has read
  world_handler_t handlers[65];
};

typedef struct {
  bool is_down;
  int64_t wall_offset;
  int64_t send_free, receive_free;  // when the network card has sent, received everything so far
  char address[24];
} world_host_t;

extern world_options_t world_options;
extern world_process_t *world_processes;
extern world_host_t world_hosts[WORLD_MAX_HOSTS];
extern int world_host_count;
// The thread whose turn it is; NULL: none of a task.
extern world_thread_t *world_current;
extern int64_t world_clock;  // the time of the present event; a thread's own time is |used| later

// Adds an event at |time|; |number| is passed on.
void world_push(int64_t time, void (*run)(void *context, uint64_t number), void *context, uint64_t number);

// --- Threads ---

// Time that the thread uses.
void world_charge(int64_t nanos);
// Ends the turn of the thread until it is woken or |deadline|. Returns whether it was woken. |why| shows in the history
// of a hang.
bool world_block(const void *address, const char *why, int64_t deadline);
// Lets other threads run.
void world_give_way(int64_t nanos);
// Makes a thread that waits for |address| ready; all of them, or the one that chance chooses.
void world_wake_thread(world_thread_t *thread);
void world_wake(const world_process_t *process, const void *address, bool all);
world_thread_t *world_start_thread(world_process_t *process, void *(*run)(void *argument), void *argument);
// Its threads never run again.
void world_bury(world_process_t *process);
// Runs what is due until a thread gets its turn. |self| may be NULL: the caller is not a thread of a task.
void world_pass_turn(world_thread_t *self);
// The end of the run: the driver continues.
bool world_run_is_over(void);
extern sem_t world_driver;

// --- The network and descriptors ---

typedef struct world_file world_file_t;
// What a descriptor stands for; NULL if it is none of the world's.
world_file_t *world_file_of(int fd);
// Closes all descriptors of a process that ended. |silently|: its peers hear nothing.
void world_close_all(const world_process_t *process, bool silently);
void world_net_host_failed(int host);

// Passes what the current thread's process said, or the new name of its file, to the scenario.
void world_pass_line(const char *line, bool is_rename);

// --- The disk ---

void world_disk_tear(int host);

#endif  // SLI_TESTS_SIMULATE_WORLD_INTERNAL_H_
