// Reads the idx format: a magic number with the element type and the rank, the
// dimensions in big-endian order, and the bytes. Images are kept as bytes and
// converted to floats batch by batch, which saves three quarters of the memory.
#include "sluice/mnist.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "io/file/file.h"
#include "io/file/gzip.h"
#include "io/file/path.h"
#include "io/record/record.h"
#include "sluice/example.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/scope.h"

enum { CLASSES = 10, PIXELS = 784, SIDE = 28, ALIGNMENT = 64, CLASSIC_VALIDATION = 5000 };
static const size_t largest_file = (size_t)1 << 30;

typedef struct {
  sli_string_t bytes;       // the whole file
  const uint8_t *elements;  // inside it
  int64_t count;
} idx_file_t;

// Images and labels of one set; they point into the files.
typedef struct {
  const uint8_t *images, *labels;
  int64_t count;
  float *all_images;  // as floats; created at the first request
  void *all_labels;
} image_set_t;

struct sl_mnist {
  idx_file_t train_images, train_labels, test_images, test_labels;
  image_set_t sets[SL_MNIST_VALIDATION + 1];
  bool one_hot, in_order, classic;
  uint64_t random;  // state
  uint32_t *order;  // of the images in this epoch
  int64_t position, epochs_completed;
  int64_t batch_capacity;
  float *images;  // of the batch
  void *labels;
};

static void destroy_mnist(void *object) {
  sl_mnist_t *mnist = object;
  sli_string_deinitialize(&mnist->train_images.bytes);
  sli_string_deinitialize(&mnist->train_labels.bytes);
  sli_string_deinitialize(&mnist->test_images.bytes);
  sli_string_deinitialize(&mnist->test_labels.bytes);
  free(mnist->order);
  free(mnist->images);
  free(mnist->labels);
  for (int i = SL_MNIST_TRAIN; i <= SL_MNIST_VALIDATION; i++) {
    free(mnist->sets[i].all_images);
    free(mnist->sets[i].all_labels);
  }
  free(mnist);
}

// --- Reading ---

static const char file_names[] =
    "train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, t10k-images-idx3-ubyte.gz and "
    "t10k-labels-idx1-ubyte.gz";

static uint32_t big_endian(const char *bytes) {
  uint32_t number;
  memcpy(&number, bytes, sizeof(number));
  return be32toh(number);
}

static sli_status_t *parse_idx(const char *path, int rank, idx_file_t *idx) {
  enum { UNSIGNED_BYTES = 8 };
  const char *bytes = idx->bytes.data;
  size_t header = 4 + 4 * (size_t)rank, size = idx->bytes.size;
  if (size < header || big_endian(bytes) != (UNSIGNED_BYTES << 8 | (uint32_t)rank))
    return sli_status_make(SLI_DATA_LOSS, "%s is not an idx file of rank %d", path, rank);
  idx->count = big_endian(bytes + 4);
  if (rank == 3 && (big_endian(bytes + 8) != SIDE || big_endian(bytes + 12) != SIDE))
    return sli_status_make(SLI_DATA_LOSS, "%s has images of %u x %u pixels instead of %d x %d", path,
                           big_endian(bytes + 8), big_endian(bytes + 12), SIDE, SIDE);
  size_t wanted = header + (size_t)idx->count * (rank == 3 ? PIXELS : 1);
  if (size != wanted)
    return sli_status_make(SLI_DATA_LOSS, "%s has %zu bytes instead of %zu: it is cut off or damaged", path, size,
                           wanted);
  idx->elements = (const uint8_t *)bytes + header;
  return NULL;
}

// Reads |name|, or the file without ".gz".
static sli_status_t *read_file(const char *directory, const char *name, int rank, bool prints, idx_file_t *idx) {
  char *path = sli_path_join(directory, name);
  if (!sli_file_exists(path)) {
    char *unpacked = sli_strndup(path, strlen(path) - strlen(".gz"));
    if (sli_file_exists(unpacked)) {
      free(path);
      path = unpacked;
    } else {
      free(unpacked);
    }
  }
  if (prints && sli_file_exists(path)) {
    printf("Extracting %s\n", path);
    fflush(stdout);
  }
  sli_status_t *status = sli_gzip_read_whole(path, largest_file, &idx->bytes);
  if (!status) status = parse_idx(path, rank, idx);
  free(path);
  return status;
}

static sli_status_t *read_labels(const char *directory, const char *name, const idx_file_t *images, bool prints,
                                 idx_file_t *labels) {
  SLI_RETURN_IF_ERROR(read_file(directory, name, 1, prints, labels));
  if (labels->count != images->count || labels->count == 0)
    return sli_status_make(SLI_DATA_LOSS, "%s has %lld labels for %lld images in %s", name, (long long)labels->count,
                           (long long)images->count, directory);
  for (int64_t i = 0; i < labels->count; i++)
    if (labels->elements[i] >= CLASSES)
      return sli_status_make(SLI_DATA_LOSS, "%s in %s has a label %d; labels go from 0 to %d", name, directory,
                             labels->elements[i], CLASSES - 1);
  return NULL;
}

static sli_status_t *read_all(const char *directory, sl_mnist_t *mnist) {
  bool prints = mnist->classic;
  SLI_RETURN_IF_ERROR(read_file(directory, "train-images-idx3-ubyte.gz", 3, prints, &mnist->train_images));
  SLI_RETURN_IF_ERROR(
      read_labels(directory, "train-labels-idx1-ubyte.gz", &mnist->train_images, prints, &mnist->train_labels));
  SLI_RETURN_IF_ERROR(read_file(directory, "t10k-images-idx3-ubyte.gz", 3, prints, &mnist->test_images));
  return read_labels(directory, "t10k-labels-idx1-ubyte.gz", &mnist->test_images, prints, &mnist->test_labels);
}

static image_set_t set_of(const idx_file_t *images, const idx_file_t *labels, int64_t first, int64_t count) {
  return (image_set_t){.images = images->elements + first * PIXELS, .labels = labels->elements + first, .count = count};
}

static sli_status_t *split_sets(sl_mnist_t *mnist, int64_t validation_size) {
  int64_t count = mnist->train_images.count;
  if (validation_size < 0 || validation_size >= count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Validation size should be between 0 and %lld. Received: %lld.",
                           (long long)count - 1, (long long)validation_size);
  mnist->sets[SL_MNIST_VALIDATION] = set_of(&mnist->train_images, &mnist->train_labels, 0, validation_size);
  mnist->sets[SL_MNIST_TRAIN] =
      set_of(&mnist->train_images, &mnist->train_labels, validation_size, count - validation_size);
  mnist->sets[SL_MNIST_TEST] = set_of(&mnist->test_images, &mnist->test_labels, 0, mnist->test_images.count);
  return NULL;
}

// --- Order ---

static void shuffle(sl_mnist_t *mnist) {
  mnist->position = 0;
  if (mnist->in_order) return;
  for (uint64_t i = (uint64_t)mnist->sets[SL_MNIST_TRAIN].count - 1; i > 0; i--) {
    uint64_t j = sli_random_next(&mnist->random) % (i + 1);
    uint32_t other = mnist->order[j];
    mnist->order[j] = mnist->order[i];
    mnist->order[i] = other;
  }
}

sl_mnist_t *sl_mnist_open_with(sl_scope_t *scope, const char *directory, const sl_mnist_options_t *given) {
  SLI_CALL_OPTIONS(sl_mnist_options_t, options, given);
  sl_mnist_t *mnist = sli_calloc(1, sizeof(*mnist));
  mnist->one_hot = options.one_hot;
  mnist->in_order = options.in_order;
  mnist->classic = options.classic;
  int64_t validation_size = options.validation_size;
  if (options.classic && !validation_size) validation_size = CLASSIC_VALIDATION;
  mnist->random = options.seed ? options.seed : sli_random_u64();
  sli_status_t *status = read_all(directory ? directory : "", mnist);
  if (sli_status_code(status) == SLI_NOT_FOUND)
    status = sli_status_append(status,
                               ". '%s' must hold %s; the Debian package dataset-fashion-mnist has such files in "
                               "/usr/share/datasets/fashion-mnist",
                               directory ? directory : "", file_names);
  if (!status) status = split_sets(mnist, validation_size);
  if (status) {
    destroy_mnist(mnist);
    sli_scope_check(scope, status);
    return NULL;
  }
  int64_t count = mnist->sets[SL_MNIST_TRAIN].count;
  mnist->order = sli_malloc((size_t)count * sizeof(*mnist->order));
  for (int64_t i = 0; i < count; i++) mnist->order[i] = (uint32_t)i;
  shuffle(mnist);
  sli_scope_own(scope, mnist, destroy_mnist);
  return mnist;
}

// --- Batches ---

static void *aligned(size_t size) {
  size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory = aligned_alloc(ALIGNMENT, rounded);
  SLI_CHECK(memory);
  return memory;
}

static void scale(const uint8_t *pixels, float *out_image) {
  for (int i = 0; i < PIXELS; i++) out_image[i] = (float)pixels[i] * (1.0f / 255);
}

static void set_label(const sl_mnist_t *mnist, uint8_t label, void *labels, int64_t row) {
  if (!mnist->one_hot) {
    ((int64_t *)labels)[row] = label;
    return;
  }
  float *ones = (float *)labels + row * CLASSES;
  memset(ones, 0, CLASSES * sizeof(*ones));
  ones[label] = 1;
}

static size_t label_bytes(const sl_mnist_t *mnist, int64_t count) {
  return (size_t)count * (mnist->one_hot ? CLASSES * sizeof(float) : sizeof(int64_t));
}

static sl_batch_t batch_of(const sl_mnist_t *mnist, int64_t count, const float *images, const void *labels) {
  sl_batch_t batch = {.images = SL_ARRAY(images, count, PIXELS), .labels = SL_ARRAY((const int64_t *)labels, count)};
  if (mnist->one_hot) batch.labels = SL_ARRAY((const float *)labels, count, CLASSES);
  return batch;
}

int64_t sl_mnist_count(const sl_mnist_t *mnist) { return mnist ? mnist->sets[SL_MNIST_TRAIN].count : 0; }
int64_t sl_mnist_epochs_completed(const sl_mnist_t *mnist) { return mnist ? mnist->epochs_completed : 0; }

// Copies image |from| of |set| to row |to| of |images| and |labels|.
static void copy_row(const sl_mnist_t *mnist, const image_set_t *set, int64_t from, float *images, void *labels,
                     int64_t to) {
  scale(set->images + from * PIXELS, images + to * PIXELS);
  set_label(mnist, set->labels[from], labels, to);
}

// The images of a batch are far apart in memory: prefetch the one after the next while the next is copied.
static void prefetch_row(const sl_mnist_t *mnist, const image_set_t *set, int64_t position) {
  enum { CACHE_LINE = 64 };
  if (position >= set->count) return;
  const uint8_t *pixels = set->images + (int64_t)mnist->order[position] * PIXELS;
  for (int i = 0; i < PIXELS; i += CACHE_LINE) __builtin_prefetch(pixels + i);
}

sl_batch_t sl_mnist_next_batch(sl_mnist_t *mnist, int64_t size) {
  if (!mnist) return (sl_batch_t){0};
  if (size <= 0) return batch_of(mnist, size, NULL, NULL);  // sl_run() names the size
  if (size > mnist->batch_capacity) {
    free(mnist->images);
    free(mnist->labels);
    mnist->images = aligned((size_t)size * PIXELS * sizeof(float));
    mnist->labels = aligned(label_bytes(mnist, size));
    mnist->batch_capacity = size;
  }
  const image_set_t *set = &mnist->sets[SL_MNIST_TRAIN];
  for (int64_t row = 0; row < size; row++) {
    if (mnist->position == set->count) {
      shuffle(mnist);
      mnist->epochs_completed++;
    }
    prefetch_row(mnist, set, mnist->position + 2);
    copy_row(mnist, set, mnist->order[mnist->position++], mnist->images, mnist->labels, row);
  }
  return batch_of(mnist, size, mnist->images, mnist->labels);
}

static sl_batch_t whole_set(sl_mnist_t *mnist, sl_mnist_set_t which) {
  image_set_t *set = mnist ? &mnist->sets[which] : NULL;
  if (!set || !set->count) return (sl_batch_t){0};
  if (!set->all_images) {
    set->all_images = aligned((size_t)set->count * PIXELS * sizeof(float));
    set->all_labels = aligned(label_bytes(mnist, set->count));
    for (int64_t row = 0; row < set->count; row++) copy_row(mnist, set, row, set->all_images, set->all_labels, row);
  }
  return batch_of(mnist, set->count, set->all_images, set->all_labels);
}

sl_batch_t sl_mnist_test(sl_mnist_t *mnist) { return whole_set(mnist, SL_MNIST_TEST); }
sl_batch_t sl_mnist_validation(sl_mnist_t *mnist) { return whole_set(mnist, SL_MNIST_VALIDATION); }

// --- TFRecords ---

static sli_status_t *write_set(sli_record_writer_t *writer, const image_set_t *set, int64_t count) {
  sl_example_t *example = sl_example_create();
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < count && !status; i++) {
    sl_example_clear(example);
    sl_example_add_bytes(example, "image_raw", set->images + i * PIXELS, PIXELS);
    sl_example_add_int64s(example, "label", &(int64_t){set->labels[i]}, 1);
    sl_example_add_int64s(example, "pixels", &(int64_t){PIXELS}, 1);
    sl_bytes_t bytes = sl_example_serialize(example);
    status = sli_record_writer_write(writer, sli_view_of(bytes.data, bytes.size));
  }
  sl_example_release(example);
  return status ? status : sli_record_writer_close(writer);
}

static sli_status_t *write_records(const sl_mnist_t *mnist, const char *path,
                                   const sl_mnist_records_options_t *options) {
  if (!mnist) return sli_status_make(SLI_FAILED_PRECONDITION, "%s: mnist must not be NULL", path);
  if (options->set < SL_MNIST_TRAIN || options->set > SL_MNIST_VALIDATION)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: set must be one of sl_mnist_set_t, got %d", path,
                           (int)options->set);
  const image_set_t *set = &mnist->sets[options->set];
  int64_t count = options->max_examples > 0 && options->max_examples < set->count ? options->max_examples : set->count;
  sli_compression_t compression = SLI_COMPRESSION_NONE;
  SLI_RETURN_IF_ERROR(sli_compression_parse(sli_view(options->compression ? options->compression : ""), &compression));
  char *temporary = sli_format("%s.tmp-%d", path, (int)getpid());
  sli_record_writer_t *writer = NULL;
  sli_status_t *status = sli_record_writer_open(temporary, SLI_FILE_TRUNCATE, compression, -1, &writer);
  if (!status) {
    status = write_set(writer, set, count);
    sli_record_writer_release(writer);
    if (!status) status = sli_file_rename(temporary, path);
    if (status) sli_status_release(sli_file_delete(temporary));
  }
  free(temporary);
  return status;
}

void sl_mnist_write_records_with(const sl_mnist_t *mnist, const char *path, const sl_mnist_records_options_t *given,
                                 TF_Status *status) {
  SLI_CALL_OPTIONS(sl_mnist_records_options_t, options, given);
  sli_tf_status_from_status(write_records(mnist, path, &options), status);
}
