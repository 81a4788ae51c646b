// The C side of tests/interop/examples.py, over public headers.
//
//   examples write PATH COMPRESSION COUNT    a file of Examples that the script knows
//   examples read PATH COMPRESSION           a line for each feature of each record; fails if one is not written again
//   examples mnist DIRECTORY PATH ASIDE      the conversion to TFRecords, without the first ASIDE images
//   examples batch DIRECTORY PATH SIZE       images and one-hot labels of the first batch in order, as raw floats
//   examples train PATH DIRECTORY STEPS      counts steps in a checkpoint's global_step; prints the records of the last
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice/sluice.h"

static int fail(const char *text) {
  fprintf(stderr, "examples: %s\n", text);
  return 1;
}

static int write_examples(const char *path, const char *compression, long count) {
  TF_Status *status = TF_NewStatus();
  sl_record_writer_t *writer = sl_record_writer_open(path, compression, status);
  sl_example_t *example = sl_example_create();
  char letters[100];
  memset(letters, 'x', sizeof(letters));
  for (long i = 0; i < count && TF_GetCode(status) == TF_OK; i++) {
    int64_t numbers[] = {i, -i, (int64_t)i << 40};
    float halves[] = {(float)i / 2, -1e-30f};
    sl_example_clear(example);
    sl_example_add_int64s(example, "numbers", numbers, 3);
    sl_example_add_floats(example, "halves", halves, 2);
    for (long j = 0; j < i % 4; j++) sl_example_add_bytes(example, "words", letters, (size_t)((i + j) % 100));
    sl_example_add_int64s(example, "empty", NULL, 0);
    sl_example_add_bytes(example, "\xc3\xa9", "\0\xff", 2);
    sl_bytes_t bytes = sl_example_serialize(example);
    sl_record_writer_write(writer, bytes.data, bytes.size, status);
  }
  if (TF_GetCode(status) == TF_OK) sl_record_writer_close(writer, status);
  sl_example_release(example);
  return TF_GetCode(status) == TF_OK ? 0 : fail(TF_Message(status));
}

static void print_feature(const sl_feature_t *feature) {
  printf("%s", feature->key);
  if (feature->dtype == TF_INT64) {
    printf(" int64");
    for (size_t i = 0; i < feature->count; i++) printf(" %" PRId64, feature->int64s[i]);
  } else if (feature->dtype == TF_FLOAT) {
    printf(" float");
    for (size_t i = 0; i < feature->count; i++) printf(" %.9g", (double)feature->floats[i]);
  } else if (feature->dtype == TF_STRING) {
    printf(" bytes");
    for (size_t i = 0; i < feature->count; i++) {
      printf(" ");
      for (size_t j = 0; j < feature->bytes[i].size; j++) printf("%02x", (unsigned char)feature->bytes[i].data[j]);
    }
  }
  printf("\n");
}

static int read_examples(const char *path, const char *compression) {
  TF_Status *status = TF_NewStatus();
  sl_record_reader_t *reader = sl_record_reader_open(path, compression, status);
  sl_example_t *example = sl_example_create();
  const void *data;
  size_t size;
  while (reader && sl_record_reader_read(reader, &data, &size, status)) {
    sl_example_parse(example, data, size, status);
    if (TF_GetCode(status) != TF_OK) break;
    for (size_t i = 0; i < sl_example_count(example); i++) {
      sl_feature_t feature = sl_example_at(example, i);
      print_feature(&feature);
    }
    printf(".\n");
    sl_bytes_t again = sl_example_serialize(example);
    if (again.size != size || memcmp(again.data, data, size) != 0)
      return fail("an Example is not written as it was read");
  }
  sl_record_reader_release(reader);
  sl_example_release(example);
  return TF_GetCode(status) == TF_OK ? 0 : fail(TF_Message(status));
}

static int convert(const char *directory, const char *path, long aside) {
  sl_scope_t *scope = sl_graph_scope();
  TF_Status *status = TF_NewStatus();
  sl_mnist_t *mnist = sl_mnist_open(scope, directory, .validation_size = aside);
  if (!mnist) return fail(sl_scope_error(scope));
  sl_mnist_write_records(mnist, path, status);
  return TF_GetCode(status) == TF_OK ? 0 : fail(TF_Message(status));
}

static int write_batch(const char *directory, const char *path, long size) {
  sl_scope_t *scope = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(scope, directory, .one_hot = true, .in_order = true);
  if (!mnist) return fail(sl_scope_error(scope));
  sl_batch_t batch = sl_mnist_next_batch(mnist, size);
  FILE *file = fopen(path, "wb");
  if (!file) return fail(path);
  size_t wanted = (size_t)size * 784, done = fwrite(batch.images.data, sizeof(float), wanted, file);
  wanted += (size_t)size * 10;
  done += fwrite(batch.labels.data, sizeof(float), (size_t)size * 10, file);
  return fclose(file) == 0 && done == wanted ? 0 : fail("cannot write");
}

static int train(const char *path, const char *directory, long steps) {
  sl_scope_t *scope = sl_graph_scope();
  TF_Output step = sl_global_step(scope), records = sl_sharded_input(scope, NULL, &path, 1, 2);
  TF_Operation *count = sl_assign_add(scope, step, sl_scalar(scope, TF_INT64, 1)).oper;
  sl_session_t *session = sl_monitored_training_session(scope, NULL, .checkpoint_dir = directory, .log_steps = -1);
  TF_Tensor *used = NULL;
  for (long i = 0; i < steps && !sl_should_stop(session); i++) {
    if (used) TF_DeleteTensor(used);
    used = NULL;
    sl_run(session, SL_TARGET(count), SL_FETCH_TENSOR(records, &used));
  }
  for (int64_t i = 0; used && i < TF_TensorElementCount(used); i++) {
    const TF_TString *text = (const TF_TString *)TF_TensorData(used) + i;
    printf("%.*s\n", (int)TF_StringGetSize(text), TF_StringGetDataPointer(text));
  }
  return sl_session_close(session);
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "write") == 0) return write_examples(argv[2], argv[3], strtol(argv[4], NULL, 10));
  if (argc == 4 && strcmp(argv[1], "read") == 0) return read_examples(argv[2], argv[3]);
  if (argc == 5 && strcmp(argv[1], "mnist") == 0) return convert(argv[2], argv[3], strtol(argv[4], NULL, 10));
  if (argc == 5 && strcmp(argv[1], "batch") == 0) return write_batch(argv[2], argv[3], strtol(argv[4], NULL, 10));
  if (argc == 5 && strcmp(argv[1], "train") == 0) return train(argv[2], argv[3], strtol(argv[4], NULL, 10));
  return fail("see the comment of examples.c");
}
