// Runs the command `sluice` in tests of the command line: its exit code and what it printed.
#ifndef SLI_TESTS_SUPPORT_TOOL_H_
#define SLI_TESTS_SUPPORT_TOOL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/string.h"

enum { TOOL_MAX_ARGUMENTS = 40 };

// A run of the command. Owns its texts.
typedef struct {
  pid_t pid;
  int code;        // exit code, or -signal
  double seconds;  // how long it ran
  char *out, *err;
  int64_t started;
} tool_run_t;

// The path of the command: SLUICE_TOOL, or the one of this build.
const char *tool_path(void);
// Starts "sluice ARGUMENTS…" (ends with NULL), with its output in files, or on |terminal| if that is >= 0. The next
// start overwrites the files.
void tool_start(tool_run_t *run, int terminal, const char *const *arguments);
// Sends it a signal. Fails the test if it was not started: a pid of -1 would mean every process of the machine.
void tool_kill(const tool_run_t *run, int number);
// Waits until it has ended, and sets |code|, |seconds|, |out| and |err|. Kills it and fails the test after 100 s.
void tool_finish(tool_run_t *run);
// Both.
void tool_run(tool_run_t *run, int terminal, const char *const *arguments);
void tool_run_release(tool_run_t *run);
#define TOOL_RUN(run, ...) tool_run(run, -1, (const char *const[]){__VA_ARGS__, NULL})

// Paths of files of this test run, of golden data, and in a directory. A path is overwritten by the 16th next call.
const char *tool_scratch(const char *name);
const char *tool_golden(const char *name);
const char *tool_path_in(const char *directory, const char *name);

// These fail the test if the file cannot be read or written.
sli_string_t tool_read_file(const char *path);
void tool_write_file(const char *path, const void *data, size_t size);
void tool_copy_file(const char *from, const char *to);
// The text of a file, which the caller frees; "" if it cannot be read.
char *tool_read_text(const char *path);

// --- Processes that the command started ---

// The state as in ps(1): 'R' running, 'S' asleep, 'T' stopped; 'Z' if it has ended.
char tool_process_state(pid_t pid);
bool tool_is_alive(pid_t pid);
// Waits until |path| has |lines| lines; false if it never does.
bool tool_wait_for_lines(const char *path, int lines);
// Expects that all processes whose pids are in |path| have ended or end soon.
void tool_expect_all_gone(const char *path, int wanted_count);

#endif  // SLI_TESTS_SUPPORT_TOOL_H_
