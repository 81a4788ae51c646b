// A file system for tests, "fault://": the local one, but at the n-th operation that changes something the process is
// killed or the disk is full. Running the same work for n = 1, 2, 3 … covers every operation.
#ifndef SLI_TESTS_FILES_FAULTS_H_
#define SLI_TESTS_FILES_FAULTS_H_

#include <stdbool.h>

typedef enum {
  FAULTS_NONE,
  FAULTS_KILL,       // SIGKILL before the operation
  FAULTS_KILL_TORN,  // SIGKILL after the operation; of a write only the first half is done
  FAULTS_FULL_ONCE,  // the operation fails with ENOSPC, half of a write done
  FAULTS_FULL,       // the same, and so does every later one that needs space
  FAULTS_READ,       // only reads are counted: the |at|-th fails with EIO
  FAULTS_READ_TORN,  // the same, but it and all later ones find the end of the file, after half of the |at|-th
} faults_kind_t;

// From now on the |at|-th operation (counted from 1) of this process on paths "fault://…" fails.
void faults_set(faults_kind_t kind, long at);
// The number of operations since then.
long faults_count(void);
// "fault://" and |path|; a new string.
char *faults_path(const char *path);

#endif  // SLI_TESTS_FILES_FAULTS_H_
