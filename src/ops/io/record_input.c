// RecordInput: batches of records of all files that match a pattern, in random order, epoch after epoch. Each epoch has
// every record once: records pass through a buffer, in which a new one changes places with one that is there. As many
// files as |file_parallelism| says are read in turn. There is no thread that reads ahead.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/random.h"
#include "core/op/shape_inference.h"
#include "io/record/record.h"

typedef struct {
  char *pattern;
  sli_compression_t compression;
  int64_t buffer_size, parallelism, batch_size, seed;
  double shift;
  sli_mutex_t mutex;
  // Guarded by |mutex|:
  uint64_t random;  // a state of sli_random_next
  int64_t epoch;
  sli_path_list_t paths;  // of the epoch
  size_t next_path;
  sli_record_reader_t **readers;  // |parallelism| of them; NULL: none open
  int64_t turn;                   // the reader to use next
  SLI_ARRAY(sli_string_t) buffer;
} record_input_t;

static void record_input_destroy(void *state) {
  record_input_t *input = state;
  if (!input) return;
  for (int64_t i = 0; input->readers && i < input->parallelism; i++) sli_record_reader_release(input->readers[i]);
  for (size_t i = 0; i < input->buffer.count; i++) sli_string_deinitialize(&input->buffer.items[i]);
  sli_array_deinitialize(&input->buffer);
  sli_path_list_deinitialize(&input->paths);
  sli_mutex_deinitialize(&input->mutex);
  free(input->readers);
  free(input->pattern);
  free(input);
}

static sli_status_t *read_options(const sli_node_def_t *node, record_input_t *input) {
  sli_view_t pattern, compression;
  float shift;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "file_pattern", &pattern));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "compression_type", &compression));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "file_random_seed", &input->seed));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "file_shuffle_shift_ratio", &shift));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "file_buffer_size", &input->buffer_size));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "file_parallelism", &input->parallelism));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "batch_size", &input->batch_size));
  input->pattern = sli_strndup(pattern.data, pattern.size);
  input->shift = shift;
  if (input->buffer_size < 1 || input->batch_size < 1 || input->parallelism < 1 || input->parallelism > 4096)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "file_buffer_size and batch_size must be at least 1 and file_parallelism in [1, 4096], got %lld, "
        "%lld and %lld",
        (long long)input->buffer_size, (long long)input->batch_size, (long long)input->parallelism);
  return sli_compression_parse(compression, &input->compression);
}

static sli_status_t *record_input_create(const sli_kernel_setup_t *setup, void **out_state) {
  record_input_t *input = sli_calloc(1, sizeof(*input));
  sli_mutex_initialize(&input->mutex);
  sli_status_t *status = read_options(setup->node, input);
  if (status) {
    input->parallelism = 0;
    record_input_destroy(input);
    return status;
  }
  input->readers = sli_calloc((size_t)input->parallelism, sizeof(*input->readers));
  input->random = (uint64_t)input->seed;
  *out_state = input;
  return NULL;
}

// --- Reading ---------------------------------------------------------------------------------------

// Lists the files of the next epoch in another order.
static sli_status_t *begin_epoch_locked(record_input_t *input) {
  sli_path_list_deinitialize(&input->paths);
  input->paths = (sli_path_list_t){0};
  input->next_path = 0;
  input->epoch++;
  char *patterns = sli_strdup(input->pattern), *rest = patterns;
  sli_status_t *status = NULL;
  for (char *pattern; !status && (pattern = strsep(&rest, ","));) {
    sli_path_list_t found = {0};
    status = sli_file_match(pattern, &found);
    for (size_t i = 0; !status && i < found.count; i++) {
      sli_array_push(&input->paths, found.items[i]);
      found.items[i] = NULL;
    }
    sli_path_list_deinitialize(&found);
  }
  free(patterns);
  size_t count = input->paths.count;
  if (!status && count == 0) status = sli_status_make(SLI_NOT_FOUND, "Found no files at %s", input->pattern);
  for (size_t i = count; !status && i > 1; i--) {
    size_t other = (size_t)(sli_random_next(&input->random) % i);
    char *path = input->paths.items[i - 1];
    input->paths.items[i - 1] = input->paths.items[other];
    input->paths.items[other] = path;
  }
  // Workers with the same seed and different ratios begin with different files.
  size_t shift = !status && input->shift > 0 && input->shift < 1 ? (size_t)(input->shift * (double)count) : 0;
  for (size_t k = 0; k < shift; k++) {
    char *first = input->paths.items[0];
    memmove(input->paths.items, input->paths.items + 1, (count - 1) * sizeof(first));
    input->paths.items[count - 1] = first;
  }
  return status;
}

static void add_record_locked(record_input_t *input, sli_view_t record) {
  sli_string_t text = {0};
  sli_string_append(&text, record.data, record.size);
  size_t place = (size_t)(sli_random_next(&input->random) % (input->buffer.count + 1));
  sli_array_push(&input->buffer, text);
  sli_string_t *last = &input->buffer.items[input->buffer.count - 1], moved = input->buffer.items[place];
  input->buffer.items[place] = *last;
  *last = moved;
}

// Reads a record of the epoch into the buffer. |*out_found| is false at the end of the epoch.
static sli_status_t *read_record_locked(record_input_t *input, bool *out_found) {
  *out_found = false;
  for (int64_t tried = 0; tried < input->parallelism;) {
    sli_record_reader_t **reader = &input->readers[input->turn];
    sli_view_t record;
    if (!*reader && input->next_path < input->paths.count) {
      const char *path = input->paths.items[input->next_path++];
      sli_status_t *status = sli_record_reader_open(path, input->compression, 0, reader);
      if (status) return status;
    }
    if (*reader) {
      sli_status_t *status = sli_record_reader_read(*reader, &record);
      if (!status) {
        add_record_locked(input, record);
        input->turn = (input->turn + 1) % input->parallelism;
        *out_found = true;
        return NULL;
      }
      sli_record_reader_release(*reader);
      *reader = NULL;
      if (sli_status_code(status) != SLI_OUT_OF_RANGE) return status;
      sli_status_release(status);
      continue;  // with the next file
    }
    input->turn = (input->turn + 1) % input->parallelism;
    tried++;
  }
  return NULL;
}

// Takes one record. A new epoch begins when the buffer of the last one is empty.
static sli_status_t *take_record_locked(record_input_t *input, sli_string_t *out_record) {
  bool found = true;
  while (found && (int64_t)input->buffer.count < input->buffer_size)
    SLI_RETURN_IF_ERROR(read_record_locked(input, &found));
  if (input->buffer.count == 0) {
    SLI_RETURN_IF_ERROR(begin_epoch_locked(input));
    for (found = true; found && (int64_t)input->buffer.count < input->buffer_size;)
      SLI_RETURN_IF_ERROR(read_record_locked(input, &found));
    if (input->buffer.count == 0)
      return sli_status_make(SLI_OUT_OF_RANGE, "The files at %s have no records", input->pattern);
  }
  *out_record = input->buffer.items[--input->buffer.count];
  return NULL;
}

static sli_status_t *record_input_compute(sli_kernel_context_t *context) {
  record_input_t *input = (record_input_t *)sli_kernel_state(context);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(input->batch_size), &output));
  sli_status_t *status = NULL;
  sli_mutex_lock(&input->mutex);
  for (int64_t i = 0; i < output->count && !status; i++) {
    sli_string_t record = {0};
    status = take_record_locked(input, &record);
    if (!status) sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&record), record.size);
    sli_string_deinitialize(&record);
  }
  sli_mutex_unlock(&input->mutex);
  return status;
}

static sli_status_t *record_input_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, SLI_SHAPE_UNKNOWN);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "RecordInput",
     .outputs = "records: string",
     .attrs =
         "file_pattern: string; file_random_seed: int = 301; file_shuffle_shift_ratio: float = 0; file_buffer_size: "
         "int = 10000; file_parallelism: int = 16; batch_size: int = 32; compression_type: string = ''",
     .summary = "Batches of records of files, in random order, epoch after epoch.",
     .shape = record_input_shape,
     .is_stateful = true,
     .depends_on_host = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RecordInput",
     .compute = record_input_compute,
     .create = record_input_create,
     .destroy = record_input_destroy,
     .blocks = true},
};
SLI_OP_MODULE(record_input);
