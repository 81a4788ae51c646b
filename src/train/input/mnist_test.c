#include "sluice/mnist.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "sluice/example.h"
#include "sluice/record.h"

enum { IMAGES = 7, PIXELS = 784 };

static void append_number(sli_string_t *out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) sli_string_append_char(out, (char)(number >> shift));
}

static void write_file(const char *directory, const char *name, bool pack, const sli_string_t *bytes) {
  char *path = sli_format("%s/%s", directory, name);
  gzFile file = gzopen(path, pack ? "wb" : "wbT");
  gzwrite(file, bytes->data, (unsigned)bytes->size);
  gzclose(file);
  free(path);
}

// Image i has i (modulo 256) in every pixel, and label i (modulo 10).
static void write_data(const char *directory, int count, bool pack) {
  sli_string_t images = {0}, labels = {0};
  append_number(&images, 0x803);
  append_number(&images, (uint32_t)count);
  append_number(&images, 28);
  append_number(&images, 28);
  append_number(&labels, 0x801);
  append_number(&labels, (uint32_t)count);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < PIXELS; j++) sli_string_append_char(&images, (char)i);
    sli_string_append_char(&labels, (char)(i % 10));
  }
  static const char *const sets[] = {"train", "t10k"};
  for (int i = 0; i < 2; i++) {
    char *name = sli_format("%s-images-idx3-ubyte%s", sets[i], pack ? ".gz" : "");
    write_file(directory, name, pack, &images);
    free(name);
    name = sli_format("%s-labels-idx1-ubyte%s", sets[i], pack ? ".gz" : "");
    write_file(directory, name, pack, &labels);
    free(name);
  }
  sli_string_deinitialize(&images);
  sli_string_deinitialize(&labels);
}

static char *make_directory(const char *name) {
  char *path = sli_format("%s/%s", sli_test_temporary_dir(), name);
  SLI_EXPECT_OK(sli_file_make_directories(path));
  return path;
}

SLI_TEST(test_an_epoch_has_each_image_once) {
  char *directory = make_directory("packed");
  write_data(directory, IMAGES, true);
  sl_scope_t *s = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(s, directory, .seed = 1);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_REQUIRE(mnist);
  SLI_EXPECT_INT(sl_mnist_count(mnist), IMAGES);
  int seen[IMAGES] = {0}, epochs = 5;
  for (int i = 0; i < IMAGES * epochs; i++) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, 1);
    int64_t label = ((const int64_t *)batch.labels.data)[0];
    SLI_REQUIRE(label >= 0 && label < IMAGES);
    SLI_EXPECT_NEAR(((const float *)batch.images.data)[PIXELS - 1], (float)label / 255, 1e-7);
    seen[label]++;
    for (int j = 0; i % IMAGES == IMAGES - 1 && j < IMAGES; j++) SLI_EXPECT_INT(seen[j], i / IMAGES + 1);
  }
  sl_scope_release(s);
  free(directory);
}

// What a function prints on stdout; the caller frees it.
static char *printed(void (*function)(const char *), const char *argument) {
  char *path = sli_format("%s/printed", sli_test_temporary_dir());
  fflush(stdout);
  int kept = dup(STDOUT_FILENO), file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(file, STDOUT_FILENO);
  function(argument);
  fflush(stdout);
  dup2(kept, STDOUT_FILENO);
  close(kept);
  close(file);
  sli_string_t text = {0};
  SLI_EXPECT_OK(sli_file_read_whole(path, 1 << 16, &text));
  free(path);
  return sli_string_take(&text);
}

static void open_classically(const char *directory) {
  sl_scope_t *s = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(s, directory, .classic = true);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_EXPECT_INT(sl_mnist_count(mnist), 3);
  sl_batch_t validation = sl_mnist_validation(mnist);
  SLI_EXPECT_INT(validation.images.shape.dims[0], 5000);
  SLI_EXPECT_INT(((const int64_t *)validation.labels.data)[4999], 4999 % 10);
  SLI_EXPECT_INT(sl_mnist_test(mnist).images.shape.dims[0], 5003);
  sl_scope_release(s);
}

static void open_silently(const char *directory) {
  sl_scope_t *s = sl_graph_scope();
  SLI_EXPECT_INT(sl_mnist_count(sl_mnist_open(s, directory)), 5003);
  sl_scope_release(s);
}

SLI_TEST(test_the_classic_reader_sets_5000_images_aside_and_says_what_it_reads) {
  char *directory = make_directory("classic");
  write_data(directory, 5003, true);
  char *text = printed(open_classically, directory);
  char *wanted = sli_format(
      "Extracting %s/train-images-idx3-ubyte.gz\nExtracting %s/train-labels-idx1-ubyte.gz\n"
      "Extracting %s/t10k-images-idx3-ubyte.gz\nExtracting %s/t10k-labels-idx1-ubyte.gz\n",
      directory, directory, directory, directory);
  SLI_EXPECT_TEXT(text, wanted);
  free(wanted);
  free(text);
  text = printed(open_silently, directory);
  SLI_EXPECT_TEXT(text, "");
  free(text);
  sl_scope_t *s = sl_graph_scope();
  SLI_EXPECT_INT(sl_mnist_count(sl_mnist_open(s, directory, .classic = true, .validation_size = 3)), 5000);
  sl_scope_release(s);
  write_data(directory, IMAGES, true);
  s = sl_graph_scope();
  SLI_EXPECT(!sl_mnist_open(s, directory, .classic = true));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Validation size should be between 0 and 6. Received: 5000.");
  sl_scope_release(s);
  free(directory);
}

SLI_TEST(test_batches_have_shape_and_type) {
  char *directory = make_directory("plain");
  write_data(directory, IMAGES, false);
  sl_scope_t *s = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(s, directory, .one_hot = true);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  sl_batch_t batch = sl_mnist_next_batch(mnist, 10);
  SLI_EXPECT_INT(batch.images.dtype, TF_FLOAT);
  SLI_EXPECT_INT(batch.images.shape.rank, 2);
  SLI_EXPECT_INT(batch.images.shape.dims[0], 10);
  SLI_EXPECT_INT(batch.images.shape.dims[1], PIXELS);
  SLI_EXPECT_INT(batch.labels.dtype, TF_FLOAT);
  SLI_EXPECT_INT(batch.labels.shape.dims[1], 10);
  sl_batch_t wrong = sl_mnist_next_batch(mnist, -3);  // no data, but the size that sl_run() refuses
  SLI_EXPECT(!wrong.images.data && !wrong.labels.data);
  SLI_EXPECT_INT(wrong.images.shape.dims[0], -3);
  SLI_EXPECT_INT(wrong.labels.shape.dims[0], -3);
  sl_batch_t test = sl_mnist_test(mnist);
  SLI_EXPECT_INT(test.images.shape.dims[0], IMAGES);
  SLI_EXPECT_NEAR(((const float *)test.labels.data)[3 * 10 + 3], 1, 0);
  SLI_EXPECT_NEAR(((const float *)test.labels.data)[3 * 10 + 4], 0, 0);
  sl_scope_release(s);
  free(directory);
}

SLI_TEST(test_order_depends_on_the_seed) {
  char *directory = make_directory("seeds");
  write_data(directory, 10, true);
  int64_t orders[3][10];
  static const uint64_t seeds[] = {1, 1, 2};
  for (int i = 0; i < 3; i++) {
    sl_scope_t *s = sl_graph_scope();
    sl_batch_t batch = sl_mnist_next_batch(sl_mnist_open(s, directory, .seed = seeds[i]), 10);
    memcpy(orders[i], batch.labels.data, sizeof(orders[i]));
    sl_scope_release(s);
  }
  SLI_EXPECT(memcmp(orders[0], orders[1], sizeof(orders[0])) == 0);
  SLI_EXPECT(memcmp(orders[0], orders[2], sizeof(orders[0])) != 0);
  free(directory);
}

SLI_TEST(test_images_are_set_aside_for_validation) {
  char *directory = make_directory("validation");
  write_data(directory, IMAGES, true);
  sl_scope_t *s = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(s, directory, .validation_size = 3, .in_order = true);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_REQUIRE(mnist);
  SLI_EXPECT_INT(sl_mnist_count(mnist), IMAGES - 3);
  sl_batch_t aside = sl_mnist_validation(mnist);
  SLI_REQUIRE(aside.images.shape.dims[0] == 3);
  for (int i = 0; i < 3; i++) SLI_EXPECT_INT(((const int64_t *)aside.labels.data)[i], i);
  // Two batches of 3 from 4 images: the second begins the next epoch.
  sl_batch_t batch = sl_mnist_next_batch(mnist, 3);
  for (int i = 0; i < 3; i++) SLI_EXPECT_INT(((const int64_t *)batch.labels.data)[i], 3 + i);
  SLI_EXPECT_INT(sl_mnist_epochs_completed(mnist), 0);
  batch = sl_mnist_next_batch(mnist, 3);
  static const int64_t across[] = {6, 3, 4};
  for (int i = 0; i < 3; i++) SLI_EXPECT_INT(((const int64_t *)batch.labels.data)[i], across[i]);
  SLI_EXPECT_INT(sl_mnist_epochs_completed(mnist), 1);
  batch = sl_mnist_next_batch(mnist, 2);
  SLI_EXPECT_INT(sl_mnist_epochs_completed(mnist), 1);
  SLI_EXPECT(!sl_mnist_validation(NULL).images.data);
  sl_scope_release(s);
  s = sl_graph_scope();
  SLI_EXPECT(!sl_mnist_open(s, directory, .validation_size = IMAGES));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Validation size should be between 0 and 6. Received: 7.");
  sl_scope_release(s);
  free(directory);
}

SLI_TEST(test_a_set_becomes_a_file_of_examples) {
  char *directory = make_directory("records"), *path = sli_format("%s/train.tfrecords", directory);
  write_data(directory, IMAGES, true);
  sl_scope_t *s = sl_graph_scope();
  TF_Status *status = TF_NewStatus();
  sl_mnist_t *mnist = sl_mnist_open(s, directory, .validation_size = 2);
  static const struct {
    sl_mnist_set_t set;
    int64_t most;
    const char *compression;
    int first, count;
  } rows[] = {{SL_MNIST_TRAIN, 0, NULL, 2, 5}, {SL_MNIST_VALIDATION, 0, "GZIP", 0, 2}, {SL_MNIST_TEST, 4, "", 0, 4}};
  sl_example_t *example = sl_example_create();
  for (int i = 0; i < 3; i++) {
    sl_mnist_write_records(mnist, path, status, .set = rows[i].set, .max_examples = rows[i].most,
                           .compression = rows[i].compression);
    SLI_EXPECT_TEXT(TF_Message(status), "");
    sl_record_reader_t *reader = sl_record_reader_open(path, rows[i].compression, status);
    SLI_REQUIRE(reader);
    const void *data;
    size_t size;
    int count = 0;
    for (; sl_record_reader_read(reader, &data, &size, status); count++) {
      sl_example_parse(example, data, size, status);
      SLI_EXPECT_INT(sl_example_count(example), 3);
      SLI_EXPECT_INT(sl_example_find(example, "label").int64s[0], rows[i].first + count);
      SLI_EXPECT_INT(sl_example_find(example, "pixels").int64s[0], PIXELS);
      sl_bytes_t image = sl_example_find(example, "image_raw").bytes[0];
      SLI_EXPECT_INT(image.size, PIXELS);
      SLI_EXPECT_INT(image.data[PIXELS - 1], rows[i].first + count);
    }
    SLI_EXPECT_TEXT(TF_Message(status), "");
    SLI_EXPECT_INT(count, rows[i].count);
    sl_record_reader_release(reader);
  }
  sl_mnist_write_records(mnist, "/nonexistent/records", status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_NOT_FOUND);
  SLI_EXPECT_CONTAINS(TF_Message(status), "/nonexistent/records");
  sl_mnist_write_records(NULL, path, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_FAILED_PRECONDITION);
  sl_example_release(example);
  TF_DeleteStatus(status);
  sl_scope_release(s);
  free(path);
  free(directory);
}

static void expect_error(const char *directory, const char *part) {
  sl_scope_t *s = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(s, directory);
  SLI_EXPECT(!mnist);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), part);
  SLI_EXPECT(!sl_mnist_next_batch(mnist, 10).images.data);
  sl_scope_release(s);
}

SLI_TEST(test_missing_and_damaged_files_are_named) {
  expect_error("/nonexistent", "'/nonexistent' must hold train-images-idx3-ubyte.gz");
  expect_error("/nonexistent", "dataset-fashion-mnist");
  char *directory = make_directory("damaged");
  write_data(directory, IMAGES, true);
  sli_string_t wrong = {0};
  append_number(&wrong, 0x801);
  append_number(&wrong, 3);
  write_file(directory, "train-labels-idx1-ubyte.gz", true, &wrong);
  expect_error(directory, "it is cut off or damaged");
  sli_string_append_text(&wrong, "\1\2\3");
  write_file(directory, "train-labels-idx1-ubyte.gz", true, &wrong);
  expect_error(directory, "3 labels for 7 images");
  write_file(directory, "train-images-idx3-ubyte.gz", true, &wrong);
  expect_error(directory, "is not an idx file of rank 3");
  sli_string_deinitialize(&wrong);
  free(directory);
}

SLI_TEST_MAIN(test_the_classic_reader_sets_5000_images_aside_and_says_what_it_reads, test_an_epoch_has_each_image_once,
              test_batches_have_shape_and_type, test_order_depends_on_the_seed,
              test_images_are_set_aside_for_validation, test_a_set_becomes_a_file_of_examples,
              test_missing_and_damaged_files_are_named)
