// A file system for tests, "fault://": the local one, but at the n-th operation
// that changes something the process is killed or the disk is full. Running the
// same work for n = 1, 2, 3 … reaches every place where a save can end.
#ifndef SLI_TESTS_FAULT_FILES_INTERNAL_H_
#define SLI_TESTS_FAULT_FILES_INTERNAL_H_

#include <stdbool.h>

typedef enum {
  FAULT_NONE,
  FAULT_KILL,       // SIGKILL before the operation
  FAULT_KILL_TORN,  // of a write, the first half reaches the file; SIGKILL then. Other operations are done before
  FAULT_FULL_ONCE,  // the operation fails with ENOSPC, half of a write done
  FAULT_FULL,       // the same, and every later one that needs room
} fault_kind_t;

// From now on the |at|-th operation (from 1) of this process on paths "fault://…" fails.
void fault_files_set(fault_kind_t kind, long at);
// Operations since then.
long fault_files_count(void);
// "fault://" and |path|; a new string.
char *fault_files_path(const char *path);

#endif  // SLI_TESTS_FAULT_FILES_INTERNAL_H_
