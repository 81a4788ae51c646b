// Input pipelines: MNIST-like Examples from a TFRecord file pass through the two queues of a classic program, one at a
// time and in groups.
#include "bench.h"
#include "session.h"

enum { EXAMPLES = 60000, PIXELS = 784, BATCH = 128, GROUP = 32 };

static void write_examples(const char *path, TF_Status *status) {
  sl_record_writer_t *writer = sl_record_writer_open(path, NULL, status);
  sl_example_t *example = sl_example_create();
  unsigned char pixels[PIXELS];
  for (int64_t i = 0; i < EXAMPLES && TF_GetCode(status) == TF_OK; i++) {
    for (int j = 0; j < PIXELS; j++) pixels[j] = (unsigned char)(i + j);
    sl_example_clear(example);
    sl_example_add_bytes(example, "image_raw", pixels, PIXELS);
    sl_example_add_int64s(example, "label", &(int64_t){i % 10}, 1);
    sl_bytes_t bytes = sl_example_serialize(example);
    sl_record_writer_write(writer, bytes.data, bytes.size, status);
  }
  sl_example_release(example);
  TF_Status *closed = TF_NewStatus();
  sl_record_writer_close(writer, TF_GetCode(status) == TF_OK ? status : closed);
  TF_DeleteStatus(closed);
}

// A batch of images and labels, as a training step would use it; here it is only summed up.
static TF_Output pipeline(sl_scope_t *g, const char *path, bool in_groups) {
  TF_Output files = sl_string_input_producer(g, SL_STRINGS(path), .in_order = true);
  TF_Output reader = sl_tf_record_reader(g);
  sl_record_t record = in_groups ? sl_reader_read_up_to(g, reader, files, GROUP) : sl_reader_read(g, reader, files);
  const sl_feature_spec_t features[] = {SL_FIXED_LEN_FEATURE("image_raw", TF_STRING, SL_SHAPE()),
                                        SL_FIXED_LEN_FEATURE("label", TF_INT64, SL_SHAPE())};
  sl_parsed_t *parsed = in_groups ? sl_parse_example(g, record.value, features, 2)
                                  : sl_parse_single_example(g, record.value, features, 2);
  TF_Output bytes = sl_decode_raw(g, sl_parsed_dense(parsed, "image_raw"), TF_UINT8);
  sl_shape_t shape = in_groups ? SL_SHAPE(-1, PIXELS) : SL_SHAPE(PIXELS);
  TF_Output image =
      sl_multiply(g, sl_cast(g, sl_reshape(g, bytes, shape), TF_FLOAT), sl_scalar(g, TF_FLOAT, 1.0 / 255));
  TF_Output label = sl_cast(g, sl_parsed_dense(parsed, "label"), TF_INT32);
  sl_outputs_t batch = sl_shuffle_batch(g, SL_OUTPUTS(image, label), BATCH, 4000, 1000, .num_threads = 2, .seed = 1,
                                        .enqueue_many = in_groups);
  return sl_add(g, sl_mean(g, batch.items[0]), sl_mean(g, sl_cast(g, batch.items[1], TF_FLOAT)));
}

static void run_pipeline(const char *name, const char *path, bool in_groups) {
  bench_session_t b = bench_begin();
  b.fetch = pipeline(b.scope, path, in_groups);
  bench_open(&b, NULL);
  sl_coordinator_t *coordinator = sl_coordinator_create();
  sl_start_queue_runners(b.scope, b.session, coordinator);
  bench_row(name, bench_step, &b, (double)BATCH * PIXELS, "B");
  sl_coordinator_request_stop(coordinator, TF_OK, NULL);
  sl_coordinator_join(coordinator, 0, b.status);
  bench_require(&b);
  sl_coordinator_release(coordinator);
  bench_end(&b);
}

static void square(sl_scope_t *g, void *data, const TF_Output *x, TF_Output *out_results) {
  out_results[0] = sl_op_add_v2(g, sl_op_mul(g, x[0], x[0]), sl_scalar(g, TF_INT64, 1));
}

// What calling a small function for each element of a dataset costs.
static void run_dataset(const char *name, bool is_mapped) {
  enum { NUMBERS = 1000 };
  bench_session_t b = bench_begin();
  sl_dataset_t *data = sl_dataset_range(b.scope, 0, (int64_t)1 << 50);
  if (is_mapped) data = sl_dataset_map(data, square, NULL, 1);
  b.fetch = sl_dataset_next(sl_dataset_batch(data, NUMBERS, true)).items[0];
  bench_open(&b, NULL);
  bench_row(name, bench_step, &b, NUMBERS, "element");
  bench_end(&b);
}

void bench_input(void) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/examples", bench_folder());
  TF_Status *status = TF_NewStatus();
  write_examples(path, status);
  if (TF_GetCode(status) != TF_OK) {
    fprintf(stderr, "sluice_bench: %s\n", TF_Message(status));
    exit(1);
  }
  TF_DeleteStatus(status);
  bench_title("input: batches of 128 Examples of 784 bytes");
  run_pipeline("read, parsed and shuffled one by one", path, false);
  run_pipeline("read and parsed in groups of 32", path, true);
  bench_title("datasets: batches of 1,000 numbers");
  run_dataset("range", false);
  run_dataset("range, x * x + 1 by a function", true);
}
