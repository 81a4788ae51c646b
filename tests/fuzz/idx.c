// The four idx files of MNIST, plain or compressed. The first byte selects which of them have the input's bytes; the
// others are those of the seed, so that a small set is complete.
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/path.h"
#include "sluice/mnist.h"
#include "tests/fuzz/fuzz.h"

enum { IMAGES = 2, PIXELS = 28 * 28 };

static const char *const names[] = {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
                                    "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"};

static const char *write_valid(int file) {
  static uint8_t bytes[16 + IMAGES * PIXELS];
  bool has_images = file % 2 == 0;
  uint32_t head[] = {htobe32(has_images ? 0x803 : 0x801), htobe32(IMAGES), htobe32(28), htobe32(28)};
  size_t head_size = has_images ? 16 : 8;
  memcpy(bytes, head, head_size);
  return fuzz_file(names[file], bytes, head_size + IMAGES * (has_images ? PIXELS : 1));
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (size < 1) return;
  const char *path = NULL;
  for (int i = 0; i < 4; i++) path = data[0] & 1 << i ? fuzz_file(names[i], data + 1, size - 1) : write_valid(i);
  char *directory = sli_path_directory(path);
  sl_scope_t *scope = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(scope, directory, .one_hot = data[0] & 0x10, .validation_size = data[0] >> 5);
  SLI_CHECK((mnist == NULL) == (sl_scope_code(scope) != TF_OK));
  sl_mnist_next_batch(mnist, 3);
  sl_mnist_test(mnist);
  sl_mnist_validation(mnist);
  sl_scope_release(scope);
  free(directory);
}
