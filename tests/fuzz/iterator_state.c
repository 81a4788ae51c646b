// States of iterators. The first byte selects a pipeline, the second how many elements it gives before its state is
// saved; what follows changes the state: a byte for what is done, two for the place, one for the value. An iterator
// that takes the changed state must go on to give elements or errors.
#include "core/op/kernel.h"
#include "ops/common/testing.h"
#include "ops/data/iterator_resource.h"
#include "tests/fuzz/fuzz.h"

static const sli_dtype_t numbers[] = {SLI_DTYPE_INT64}, variants[] = {SLI_DTYPE_VARIANT};
static const sli_shape_t shapes[] = {{-1, NULL}};

static sli_testing_device_t device;

// Runs a dataset op on |inputs|, which are consumed; |count| elements types.
static sli_tensor_t *make(const char *op, const char *types_name, const sli_dtype_t *types, sli_kernel_value_t *inputs,
                          int input_count) {
  sli_attr_entry_t attrs[] = {
      {types_name, {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list.type = types}},
      {"output_shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = 1, .list.shape = shapes}}};
  SLI_CHECK(!sli_testing_device_run(&device, op, inputs, input_count, attrs, 2));
  return sli_tensor_retain(device.outputs[0].tensor);
}

#define INT(value) TENSOR(sli_tensor_scalar_int64(value))
#define MAKE(op, ...) make(op, "output_types", numbers, SLI_TESTING_INPUTS(__VA_ARGS__))

static sli_tensor_t *range(int64_t stop) { return MAKE("RangeDataset", INT(0), INT(stop), INT(1)); }

static sli_tensor_t *batches(void) {
  return MAKE("BatchDatasetV2", TENSOR(range(11)), INT(3), TENSOR(sli_tensor_scalar_bool(false)));
}

static sli_tensor_t *pipeline(int number) {
  switch (number % 7) {
    case 0: {
      sli_tensor_t *shuffled = MAKE("ShuffleAndRepeatDataset", TENSOR(range(9)), INT(4), INT(1), INT(2), INT(3));
      return MAKE("PrefetchDataset", TENSOR(shuffled), INT(2));
    }
    case 1: {
      sli_tensor_t *repeated = MAKE("RepeatDataset", TENSOR(range(3)), INT(-1));
      return MAKE("TakeDataset", TENSOR(MAKE("SkipDataset", TENSOR(repeated), INT(2))), INT(9));
    }
    case 2: {
      sli_tensor_t *cached =
          MAKE("CacheDataset", TENSOR(range(6)), TENSOR(sli_tensor_scalar_string(sli_view_of("", 0))));
      return MAKE("RepeatDataset", TENSOR(cached), INT(2));
    }
    case 3: {
      sli_kernel_value_t inputs[] = {TENSOR(range(9)), INT(3), INT(2), INT(1), TENSOR(sli_tensor_scalar_bool(false))};
      sli_tensor_t *windows = make("WindowDataset", "output_types", variants, inputs, 5);
      return make("PrefetchDataset", "output_types", variants, SLI_TESTING_INPUTS(TENSOR(windows), INT(2)));
    }
    case 4: {
      static const int64_t sizes[] = {2, 5};
      return MAKE("RebatchDatasetV2", TENSOR(batches()), TENSOR(sli_tensor_vector_int64(sizes, 2)),
                  TENSOR(sli_tensor_scalar_bool(false)));
    }
    case 5:
      return MAKE("UniqueDataset", TENSOR(MAKE("ConcatenateDataset", TENSOR(range(3)),
                                               TENSOR(MAKE("UnbatchDataset", TENSOR(batches()))))));
    default: {
      sli_tensor_t *selector = MAKE("ShardDataset", TENSOR(range(2)), INT(2), INT(0));
      return MAKE("DirectedInterleaveDataset", TENSOR(MAKE("RepeatDataset", TENSOR(selector), INT(4))),
                  TENSOR(range(5)));
    }
  }
}

static void take(sli_iterator_t *iterator, int count) {
  sli_iterator_call_t call = {device.step.cancellation};
  for (int i = 0; i < count; i++) {
    sli_tensor_t *element[SLI_DATASET_MAX_COMPONENTS];
    bool is_end = false;
    sli_status_t *status = sli_iterator_next(iterator, &call, element, &is_end);
    if (!status && !is_end) sli_dataset_release_element(element, iterator->dataset->component_count);
    fuzz_ignore(status);
    if (is_end) return;
  }
}

static void change(sli_string_t *state, const uint8_t *data, size_t size) {
  for (; size >= 4 && state->size; data += 4, size -= 4) {
    size_t at = (data[1] | (size_t)data[2] << 8) % state->size;
    switch (data[0] % 4) {
      case 0: state->data[at] = (char)data[3]; break;
      case 1: state->size = at; break;
      case 2: state->data[at] ^= (char)(1 << data[3] % 8); break;
      default: sli_string_append(state, &data[3], 1); break;
    }
  }
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (size < 2) return;
  sli_testing_device_initialize(&device);
  sli_tensor_t *tensor = pipeline(data[0]);
  sli_dataset_t *dataset;
  sli_iterator_pass_t *pass;
  sli_iterator_writer_t writer = {0};
  SLI_CHECK(!sli_dataset_of(tensor, &dataset));
  SLI_CHECK(!sli_iterator_pass_create(dataset, device.device, &pass));
  take(pass->iterator, data[1] % 32);
  SLI_CHECK(!sli_iterator_save(pass->iterator, &writer));
  sli_iterator_pass_release(pass);
  change(&writer.bytes, data + 2, size - 2);
  SLI_CHECK(!sli_iterator_pass_create(dataset, device.device, &pass));
  sli_iterator_reader_t reader = {.rest = sli_view_of(writer.bytes.data, writer.bytes.size)};
  sli_status_t *status = sli_iterator_restore(pass->iterator, &reader);
  if (!status) take(pass->iterator, 20);
  fuzz_ignore(status);
  sli_iterator_pass_release(pass);
  sli_string_deinitialize(&writer.bytes);
  sli_tensor_release(tensor);
  sli_testing_device_deinitialize(&device);
}
