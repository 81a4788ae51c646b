// The idx format: a magic number that says the element type and the rank, the
// dimensions, big-endian, and the bytes. Images stay bytes in memory and become
// floats batch by batch: four times less memory than the other way round.
#include "sluice/mnist.h"

#include <endian.h>
#include <stdlib.h>

#include "base/random.h"
#include "io/file.h"
#include "io/gzip.h"
#include "io/path.h"
#include "train/options_internal.h"
#include "train/scope_internal.h"

enum { CLASSES = 10, PIXELS = 784, SIDE = 28, ALIGNMENT = 64 };
static const size_t largest_file = (size_t)1 << 30;

typedef struct {
  sli_string_t bytes;       // the whole file
  const uint8_t *elements;  // inside it
  int64_t count;
} idx_t;

struct sl_mnist {
  idx_t train_images, train_labels, test_images, test_labels;
  bool one_hot;
  uint64_t random;  // state
  uint32_t *order;  // of the images in this epoch
  int64_t position;
  int64_t batch_capacity;
  float *images;  // of the batch
  void *labels;
  float *all_test_images;  // made when first asked for
  void *all_test_labels;
};

static void destroy(void *object) {
  sl_mnist_t *mnist = object;
  sli_string_deinitialize(&mnist->train_images.bytes);
  sli_string_deinitialize(&mnist->train_labels.bytes);
  sli_string_deinitialize(&mnist->test_images.bytes);
  sli_string_deinitialize(&mnist->test_labels.bytes);
  free(mnist->order);
  free(mnist->images);
  free(mnist->labels);
  free(mnist->all_test_images);
  free(mnist->all_test_labels);
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

static sli_status_t *parse(const char *path, int rank, idx_t *idx) {
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

// |name|, or without its ".gz".
static sli_status_t *read_file(const char *directory, const char *name, int rank, idx_t *idx) {
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
  sli_status_t *status = sli_gzip_read_whole(path, largest_file, &idx->bytes);
  if (!status) status = parse(path, rank, idx);
  free(path);
  return status;
}

static sli_status_t *read_labels(const char *directory, const char *name, const idx_t *images, idx_t *labels) {
  SLI_RETURN_IF_ERROR(read_file(directory, name, 1, labels));
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
  SLI_RETURN_IF_ERROR(read_file(directory, "train-images-idx3-ubyte.gz", 3, &mnist->train_images));
  SLI_RETURN_IF_ERROR(read_labels(directory, "train-labels-idx1-ubyte.gz", &mnist->train_images, &mnist->train_labels));
  SLI_RETURN_IF_ERROR(read_file(directory, "t10k-images-idx3-ubyte.gz", 3, &mnist->test_images));
  return read_labels(directory, "t10k-labels-idx1-ubyte.gz", &mnist->test_images, &mnist->test_labels);
}

// --- Order ---

// SplitMix64: small, and good enough to shuffle.
static uint64_t next_random(sl_mnist_t *mnist) {
  uint64_t z = mnist->random += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static void shuffle(sl_mnist_t *mnist) {
  for (uint64_t i = (uint64_t)mnist->train_images.count - 1; i > 0; i--) {
    uint64_t j = next_random(mnist) % (i + 1);
    uint32_t other = mnist->order[j];
    mnist->order[j] = mnist->order[i];
    mnist->order[i] = other;
  }
  mnist->position = 0;
}

sl_mnist_t *sl_mnist_open_with(sl_scope_t *scope, const char *directory, const sl_mnist_options_t *given) {
  SLI_READ_OPTIONS(sl_mnist_options_t, options, given);
  sl_mnist_t *mnist = sli_calloc(1, sizeof(*mnist));
  mnist->one_hot = options.one_hot;
  mnist->random = options.seed ? options.seed : sli_random_u64();
  sli_status_t *status = read_all(directory ? directory : "", mnist);
  if (sli_status_code(status) == SLI_NOT_FOUND)
    status = sli_status_append(status,
                               ". '%s' must hold %s; the Debian package dataset-fashion-mnist has such files in "
                               "/usr/share/datasets/fashion-mnist",
                               directory ? directory : "", file_names);
  if (status) {
    destroy(mnist);
    sli_scope_check(scope, status);
    return NULL;
  }
  mnist->order = sli_malloc((size_t)mnist->train_images.count * sizeof(*mnist->order));
  for (int64_t i = 0; i < mnist->train_images.count; i++) mnist->order[i] = (uint32_t)i;
  shuffle(mnist);
  sli_scope_own(scope, mnist, destroy);
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

int64_t sl_mnist_count(const sl_mnist_t *mnist) { return mnist ? mnist->train_images.count : 0; }

sl_batch_t sl_mnist_next_batch(sl_mnist_t *mnist, int64_t size) {
  if (!mnist || size <= 0) return (sl_batch_t){0};
  if (size > mnist->batch_capacity) {
    free(mnist->images);
    free(mnist->labels);
    mnist->images = aligned((size_t)size * PIXELS * sizeof(float));
    mnist->labels = aligned(label_bytes(mnist, size));
    mnist->batch_capacity = size;
  }
  for (int64_t row = 0; row < size; row++) {
    if (mnist->position == mnist->train_images.count) shuffle(mnist);
    uint32_t i = mnist->order[mnist->position++];
    scale(mnist->train_images.elements + (size_t)i * PIXELS, mnist->images + row * PIXELS);
    set_label(mnist, mnist->train_labels.elements[i], mnist->labels, row);
  }
  return batch_of(mnist, size, mnist->images, mnist->labels);
}

sl_batch_t sl_mnist_test(sl_mnist_t *mnist) {
  if (!mnist) return (sl_batch_t){0};
  int64_t count = mnist->test_images.count;
  if (!mnist->all_test_images) {
    mnist->all_test_images = aligned((size_t)count * PIXELS * sizeof(float));
    mnist->all_test_labels = aligned(label_bytes(mnist, count));
    for (int64_t row = 0; row < count; row++) {
      scale(mnist->test_images.elements + row * PIXELS, mnist->all_test_images + row * PIXELS);
      set_label(mnist, mnist->test_labels.elements[row], mnist->all_test_labels, row);
    }
  }
  return batch_of(mnist, count, mnist->all_test_images, mnist->all_test_labels);
}
