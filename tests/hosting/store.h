// What every store of others must do, for the tests of each: all operations, a large file, a training that is killed
// and restored while the store dies.
#ifndef SLI_TESTS_HOSTING_STORE_H_
#define SLI_TESTS_HOSTING_STORE_H_

#include <stdbool.h>

// Paths begin with |root|, an empty directory of the store: "s3://bucket". |is_late|: a file appears when it is
// flushed.
void store_test_operations(const char *root, bool is_late);
// A file of 160 MB, in parts, that goes on after a flush.
void store_test_large_file(const char *root);
// What can happen to a store.
typedef struct {
  void (*kill)(void), (*start)(void);
  void (*stop)(void), (*go_on)(void);    // it replies to nobody meanwhile
  void (*refuse)(void), (*admit)(void);  // it denies everything meanwhile
} store_control_t;

// A training is killed and restored, and goes on while the store dies, stops and refuses; every checkpoint that has a
// name is whole. TensorBoard's own reader then reads its events in |their_root|, which is how TensorBoard calls |root|.
void store_test_training(const char *root, const char *their_root, const store_control_t *control);

#endif  // SLI_TESTS_HOSTING_STORE_H_
