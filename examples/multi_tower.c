// Multi-tower training on several devices of one process: queues read MNIST from a TFRecord file,
// each device computes the gradients of its tower, and their average is applied to the variables.
// Without a training session, the program starts the queues and writes its files itself.
//
//   tfrecord_input --steps=1 --records=output.tfrecords
//   multi_tower
//
// Prints every 10 steps:
//
//   2026-11-17 09:26:53: step 10, loss = 72.15 (24130.9 examples/sec; 0.004 sec/batch)
#include <stdio.h>
#include <time.h>

#include "sluice/sluice.h"

enum { TOWERS = 2, EPOCH = 60000, PIXELS = 784 };

static struct {
  const char *records, *log_dir;
  int64_t steps, batch_size, hidden_units, min_after_dequeue;
  double learning_rate;
} flags = {"output.tfrecords", "logs_and_models", 1000, 100, 500, 10000, 0.001};

static const sl_flag_t options[] = {
    SL_FLAG(flags, records, "TFRecord file of images; tfrecord_input makes one"),
    SL_FLAG(flags, log_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "steps to train"),
    SL_FLAG(flags, batch_size, "images in the batch of one tower"),
    SL_FLAG(flags, hidden_units, "units of the hidden layer"),
    SL_FLAG(flags, min_after_dequeue, "fewest images from which a batch is drawn at random"),
    SL_FLAG(flags, learning_rate, "learning rate at the start; each epoch multiplies it by 0.99"),
    SL_FLAGS_END,
};

// A batch of images, with pixels from 0 to 255, and their labels.
static sl_outputs_t input(sl_scope_t *g) {
  TF_Output files = sl_string_input_producer(g, SL_STRINGS(flags.records));
  sl_record_t record = sl_reader_read(g, sl_tf_record_reader(g), files);
  sl_parsed_t *example =
      sl_parse_single_example(g, record.value,
                              SL_FEATURES(SL_FIXED_LEN_FEATURE("image_raw", TF_STRING, SL_SHAPE()),
                                          SL_FIXED_LEN_FEATURE("label", TF_INT64, SL_SHAPE())));
  TF_Output bytes = sl_decode_raw(g, sl_parsed_dense(example, "image_raw"), TF_UINT8);
  TF_Output image = sl_cast(g, sl_reshape(g, bytes, SL_SHAPE(PIXELS)), TF_FLOAT);
  TF_Output label = sl_cast(g, sl_parsed_dense(example, "label"), TF_INT32);
  return sl_shuffle_batch(g, SL_OUTPUTS(image, label), (int32_t)flags.batch_size,
                          flags.min_after_dequeue + 3 * flags.batch_size, flags.min_after_dequeue);
}

static TF_Output layer(sl_scope_t *g, const char *name, TF_Output x, int64_t units) {
  return sl_dense(g, x, units, .name = name, .reuse = SL_AUTO_REUSE,
                  .kernel_initializer = SL_RANDOM_TRUNCATED_NORMAL(0, 0.1),
                  .kernel_regularizer = SL_L2_REGULARIZER(0.0001));
}

static TF_Output tower_loss(sl_scope_t *g, TF_Output images, TF_Output labels) {
  TF_Output hidden = sl_relu(g, layer(g, "layer1", images, flags.hidden_units));
  TF_Output entropy =
      sl_sparse_softmax_cross_entropy_with_logits(g, labels, layer(g, "layer2", hidden, 10));
  TF_Output regularization = sl_add_n(g, sl_collection(g, SL_REGULARIZATION_LOSSES, NULL));
  return sl_add(g, sl_mean(g, entropy), regularization);
}

// The average of the towers' gradients, with a histogram of each, and of its variable.
static sl_gradients_t average(sl_scope_t *g, const sl_gradients_t *towers) {
  sl_gradients_t mean = sl_average_gradients(g, towers, TOWERS);
  for (size_t i = 0; i < mean.count; i++) {
    const char *name = sl_variable_info(g, mean.items[i].variable)->name;
    char tag[128];
    snprintf(tag, sizeof(tag), "gradients_on_average/%s", name);
    sl_summary_histogram(g, tag, mean.items[i].gradient);
    sl_summary_histogram(g, name, mean.items[i].variable);
  }
  return mean;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print(int64_t step, float loss, double duration) {
  char date[32];
  strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", localtime(&(time_t){time(NULL)}));
  printf("%s: step %lld, loss = %.2f (%.1f examples/sec; %.3f sec/batch)\n", date, (long long)step,
         loss, (double)(flags.batch_size * TOWERS) / duration, duration / TOWERS);
}

int main(int argc, char **argv) {
  sl_flags_parse(&argc, argv, options, .summary = "Trains one model with several towers");
  sl_scope_t *g = sl_graph_scope();
  sl_outputs_t batch = input(g);
  TF_Output global_step = sl_global_step(g), loss;
  sl_gradients_t towers[TOWERS];
  for (int i = 0; i < TOWERS; i++)
    SL_DEVICE(g, i ? "/cpu:1" : "/cpu:0")
      SL_NAME_SCOPE(g, "TOWER_%d", i) {
        loss = tower_loss(g, batch.items[0], batch.items[1]);
        towers[i] = sl_compute_gradients(g, loss);
      }
  TF_Output rate = sl_exponential_decay(g, flags.learning_rate, global_step,
                                        (double)EPOCH / (double)flags.batch_size, 0.99);
  TF_Operation *apply = sl_apply_gradients(g, sl_gradient_descent(g, rate), average(g, towers),
                                           .global_step = global_step);
  TF_Operation *follow =
      sl_moving_average_apply(g, sl_moving_average(g, 0.99, .num_updates = global_step),
                              sl_collection(g, SL_TRAINABLE_VARIABLES, NULL));
  TF_Operation *train = sl_group(g, ((TF_Operation *[]){apply, follow}), 2);
  TF_Output summaries = sl_summary_merge_all(g);
  TF_Operation *init = sl_global_variables_initializer(g);
  sl_saver_t *saver = sl_saver(g);

  sl_session_t *session = sl_session(g, .config = &SL_CONFIG(.device_count.cpu = TOWERS));
  TF_Status *status = TF_NewStatus();  // of what is not a step; its error becomes the session's
  sl_file_writer_t *writer = sl_file_writer_open(flags.log_dir, status);
  if (writer) sl_file_writer_add_graph(writer, sl_scope_graph(g), status);
  sl_session_fail(session, status);
  sl_coordinator_t *coordinator = sl_coordinator_create();
  if (sl_run(session, SL_TARGET(init)))
    sl_start_queue_runners(g, sl_session_handle(session), coordinator);
  char path[4096];
  snprintf(path, sizeof(path), "%s/model.ckpt", flags.log_dir);
  for (int64_t step = 0; !sl_should_stop(session) && step < flags.steps; step++) {
    double start = seconds();
    float value;
    TF_Tensor *summary = NULL;
    if (!sl_run(session, SL_TARGET(train), SL_FETCH(loss, &value))) break;
    if (step != 0 && step % 10 == 0) {
      print(step, value, seconds() - start);
      if (sl_run(session, SL_FETCH_TENSOR(summaries, &summary)))
        sl_file_writer_add_summary_tensor(writer, summary, step, status);
      TF_DeleteTensor(summary);
    }
    if (step % 1000 == 0 || step + 1 == flags.steps)
      sl_saver_save(saver, sl_session_handle(session), path, step, NULL, status);
    sl_session_fail(session, status);
  }
  sl_coordinator_request_stop(coordinator, TF_OK, NULL);
  sl_coordinator_join(coordinator, 0, status);
  sl_session_fail(session, status);
  sl_file_writer_close(writer, status);
  sl_coordinator_release(coordinator);
  TF_DeleteStatus(status);
  return sl_session_close(session);
}
