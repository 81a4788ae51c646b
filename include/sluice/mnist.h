// Reads MNIST or a data set in its format (Fashion-MNIST): four files of images
// and labels in idx format, packed by gzip or not. As input_data.read_data_sets of
// TensorFlow 1.x, but that no images are set aside unless asked.
#ifndef SLUICE_MNIST_H_
#define SLUICE_MNIST_H_

#include "sluice/session.h"

SL_BEGIN_DECLS

typedef struct sl_mnist sl_mnist_t;

typedef struct {
  size_t struct_size;
  bool one_hot;             // labels as rows of ten floats instead of class numbers (int64)
  uint64_t seed;            // of the order of the images; 0: another one each time
  bool in_order;            // as they are in the files, not shuffled
  int64_t validation_size;  // of the images for training the first so many are set aside; Python's default is 5000
} sl_mnist_options_t;

// Reads all four files of |directory|; blocks. A failure is the scope's error, and the result is NULL, which the calls
// below take. Belongs to the scope. One thread at a time.
SL_EXPORT sl_mnist_t *sl_mnist_open_with(sl_scope_t *scope, const char *directory, const sl_mnist_options_t *options);
#define sl_mnist_open(scope, directory, ...) \
  sl_mnist_open_with(SL_AT(scope), (directory), SL_OPTIONS(sl_mnist_options_t, __VA_ARGS__))

// Images as rows of 784 floats from 0 to 1, and their labels.
typedef struct {
  sl_array_t images, labels;
} sl_batch_t;

// The next |size| images for training: all of them in random order, then again in another. Valid until the next call.
SL_EXPORT sl_batch_t sl_mnist_next_batch(sl_mnist_t *mnist, int64_t size);
// All images for testing, and all that were set aside. Valid as long as the scope.
SL_EXPORT sl_batch_t sl_mnist_test(sl_mnist_t *mnist);
SL_EXPORT sl_batch_t sl_mnist_validation(sl_mnist_t *mnist);
// Images for training.
SL_EXPORT int64_t sl_mnist_count(const sl_mnist_t *mnist);
// How often next_batch has begun anew.
SL_EXPORT int64_t sl_mnist_epochs_completed(const sl_mnist_t *mnist);

typedef enum { SL_MNIST_TRAIN = 0, SL_MNIST_TEST, SL_MNIST_VALIDATION } sl_mnist_set_t;

typedef struct {
  size_t struct_size;
  sl_mnist_set_t set;
  int64_t max_examples;     // 0: all
  const char *compression;  // "", "ZLIB" or "GZIP". NULL: ""
} sl_mnist_records_options_t;

// Writes a set as a TFRecord file, in the order of the idx files: Examples with "image_raw" (784 bytes), "label" and
// "pixels" (784), as the classic conversion has them. Blocks. The file is there whole or not at all.
SL_EXPORT void sl_mnist_write_records_with(const sl_mnist_t *mnist, const char *path,
                                           const sl_mnist_records_options_t *options, TF_Status *status);
#define sl_mnist_write_records(mnist, path, status, ...) \
  sl_mnist_write_records_with((mnist), (path), SL_OPTIONS(sl_mnist_records_options_t, __VA_ARGS__), (status))

SL_END_DECLS

#endif  // SLUICE_MNIST_H_
