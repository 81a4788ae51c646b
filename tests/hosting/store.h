// What every store of others must do, for the tests of each: all operations, a large file, a training that is killed
// and restored while the store dies.
#ifndef SLI_TESTS_HOSTING_STORE_H_
#define SLI_TESTS_HOSTING_STORE_H_

#include <stdbool.h>

// Paths begin with |root|, an empty directory of the store: "s3://bucket". |is_late|: a file appears when it is
// flushed.
void store_test_operations(const char *root, bool is_late);
// A file of 40 MB, in parts, that goes on after a flush.
void store_test_large_file(const char *root);
// A training is killed and restored; |kill| and |start| end and restart the store while it saves.
void store_test_training(const char *root, void (*kill)(void), void (*start)(void));

#endif  // SLI_TESTS_HOSTING_STORE_H_
