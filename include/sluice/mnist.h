// Reads MNIST or a data set in the same format (Fashion-MNIST): four files of
// images and labels in idx format, with or without gzip. As
// input_data.read_data_sets of TensorFlow 1.x, but silent and without a validation set,
// unless .classic is set.
#ifndef SLUICE_MNIST_H_
#define SLUICE_MNIST_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/session.h"

SL_BEGIN_DECLS

typedef struct sl_mnist sl_mnist_t;

typedef struct {
  size_t struct_size;
  bool one_hot;             // labels as rows of ten floats instead of class numbers (int64)
  uint64_t seed;            // of the order of the images; 0: a random one
  bool in_order;            // in the order of the files, not shuffled
  int64_t validation_size;  // how many of the first training images become the validation set; Python's default is 5000
  // As input_data.read_data_sets: prints "Extracting DIRECTORY/FILE" on stdout for each file, and validation_size 0
  // means 5000
  bool classic;
} sl_mnist_options_t;

// Reads the four files of |directory|; blocks. On failure sets an error in the scope and returns NULL; the calls below
// accept NULL. Owned by the scope. For one thread at a time.
SL_EXPORT sl_mnist_t *sl_mnist_open_with(sl_scope_t *scope, const char *directory, const sl_mnist_options_t *options);
#define sl_mnist_open(scope, directory, ...) \
  sl_mnist_open_with(SL_AT(scope), (directory), SL_OPTIONS(sl_mnist_options_t, __VA_ARGS__))

// Images as rows of 784 floats from 0 to 1, and their labels.
typedef struct {
  sl_array_t images, labels;
} sl_batch_t;

// The next |size| training images. All images are used once, in random order, then again in another order. Valid until
// the next call. A size below 1 is an error of the sl_run() that feeds the batch.
SL_EXPORT sl_batch_t sl_mnist_next_batch(sl_mnist_t *mnist, int64_t size);
// The whole test set, and the whole validation set. Valid as long as the scope.
SL_EXPORT sl_batch_t sl_mnist_test(sl_mnist_t *mnist);
SL_EXPORT sl_batch_t sl_mnist_validation(sl_mnist_t *mnist);
// The number of training images.
SL_EXPORT int64_t sl_mnist_count(const sl_mnist_t *mnist);
// How often sl_mnist_next_batch has used all images.
SL_EXPORT int64_t sl_mnist_epochs_completed(const sl_mnist_t *mnist);

typedef enum { SL_MNIST_TRAIN = 0, SL_MNIST_TEST, SL_MNIST_VALIDATION } sl_mnist_set_t;

typedef struct {
  size_t struct_size;
  sl_mnist_set_t set;
  int64_t max_examples;     // 0: all
  const char *compression;  // "", "ZLIB" or "GZIP". NULL: ""
} sl_mnist_records_options_t;

// Writes a set to a TFRecord file, in the order of the idx files: Examples with the features "image_raw" (784 bytes),
// "label" and "pixels" (784), as TensorFlow's convert_to_records does. Blocks. On failure no file is left behind.
SL_EXPORT void sl_mnist_write_records_with(const sl_mnist_t *mnist, const char *path,
                                           const sl_mnist_records_options_t *options, TF_Status *status);
#define sl_mnist_write_records(mnist, path, status, ...) \
  sl_mnist_write_records_with((mnist), (path), SL_OPTIONS(sl_mnist_records_options_t, __VA_ARGS__), (status))

SL_END_DECLS

#endif  // SLUICE_MNIST_H_
