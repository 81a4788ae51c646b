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
}
