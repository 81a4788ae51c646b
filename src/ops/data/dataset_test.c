// Iterators through their ops: handles as text, requests that wait, cancellation, files, damaged states.
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/file/file.h"
#include "io/record/record.h"
#include "ops/common/testing.h"
#include "ops/data/iterator_resource.h"
#include "ops/data/parallel_map.h"

static const sli_dtype_t int64_types[] = {SLI_DTYPE_INT64}, string_types[] = {SLI_DTYPE_STRING};
static const sli_shape_t any_shapes[] = {{-1, NULL}};
#define ELEMENTS(name, types)                                                                          \
  {name, {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 1, .list.type = types}}, {                  \
    "output_shapes", { .kind = SLI_ATTR_SHAPE, .is_list = true, .count = 1, .list.shape = any_shapes } \
  }

// The first output of |op|, with a reference.
static sli_tensor_t *run(sli_testing_device_t *d, const char *op, sli_kernel_value_t *inputs, int count,
                         const sli_attr_entry_t *attrs, size_t attr_count) {
  SLI_EXPECT_OK(sli_testing_device_run(d, op, inputs, count, attrs, attr_count));
  return sli_tensor_retain(d->outputs[0].tensor);
}

static sli_tensor_t *range(sli_testing_device_t *d, int64_t stop) {
  return run(d, "RangeDataset",
             SLI_TESTING_INPUTS(TENSOR(sli_tensor_scalar_int64(0)), TENSOR(sli_tensor_scalar_int64(stop)),
                                TENSOR(sli_tensor_scalar_int64(1))),
             SLI_TESTING_ATTRS(ELEMENTS("output_types", int64_types)));
}

// Consumes |input|.
static sli_tensor_t *transform(sli_testing_device_t *d, const char *op, sli_tensor_t *input, int64_t value) {
  return run(d, op, SLI_TESTING_INPUTS(TENSOR(input), TENSOR(sli_tensor_scalar_int64(value))),
             SLI_TESTING_ATTRS(ELEMENTS("output_types", int64_types)));
}

static sli_tensor_t *iterator(sli_testing_device_t *d, const char *name, const sli_dtype_t *types) {
  return run(d, "IteratorV2", NULL, 0,
             SLI_TESTING_ATTRS(SLI_ATTR_STRING_OF("shared_name", name), SLI_ATTR_STRING_OF("container", ""),
                               ELEMENTS("output_types", types)));
}

static sli_status_t *start(sli_testing_device_t *d, sli_tensor_t *dataset, sli_tensor_t *handle) {
  return sli_testing_device_run(
      d, "MakeIterator", SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(dataset)), TENSOR(sli_tensor_retain(handle))),
      NULL, 0);
}

static sli_status_t *next(sli_testing_device_t *d, sli_tensor_t *handle, const sli_dtype_t *types) {
  return sli_testing_device_run(d, "IteratorGetNext", SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle))),
                                SLI_TESTING_ATTRS(ELEMENTS("output_types", types)));
}

static void expect_next(sli_testing_device_t *d, sli_tensor_t *handle, int64_t want) {
  SLI_EXPECT_OK(next(d, handle, int64_types));
  SLI_EXPECT(SLI_DATA(const int64_t, d->outputs[0].tensor)[0] == want);
}

SLI_TEST(test_iterator_is_found_by_the_text_of_its_handle) {
  sli_testing_device_t d;
  sli_testing_device_initialize(&d);
  sli_tensor_t *dataset = range(&d, 2), *handle = iterator(&d, "i", int64_types);
  sli_testing_expect_error(next(&d, handle, int64_types), SLI_FAILED_PRECONDITION,
                           "GetNext() failed because the iterator has not been initialized");
  SLI_EXPECT_OK(start(&d, dataset, handle));
  sli_tensor_t *text =
      run(&d, "IteratorToStringHandle", SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle))), NULL, 0);
  sli_tensor_t *same = run(&d, "IteratorFromStringHandleV2", SLI_TESTING_INPUTS(TENSOR(text)),
                           SLI_TESTING_ATTRS(ELEMENTS("output_types", int64_types)));
  expect_next(&d, handle, 0);
  expect_next(&d, same, 1);
  sli_testing_expect_error(next(&d, handle, int64_types), SLI_OUT_OF_RANGE, "End of sequence");
  SLI_EXPECT_OK(start(&d, dataset, same));
  expect_next(&d, handle, 0);
  sli_testing_expect_error(
      sli_testing_device_run(&d, "IteratorFromStringHandleV2",
                             SLI_TESTING_INPUTS(TENSOR(sli_tensor_scalar_string(sli_view("\xff")))), NULL, 0),
      SLI_INVALID_ARGUMENT, "Could not parse string_handle");
  sli_testing_expect_error(next(&d, handle, string_types), SLI_INVALID_ARGUMENT, "type int64");
  sli_tensor_release(dataset);
  sli_tensor_release(handle);
  sli_tensor_release(same);
  sli_testing_device_deinitialize(&d);
}

// With threads: a buffer in the background, which an early end of the iterator cancels.
SLI_TEST(test_prefetch_in_the_background_keeps_the_order_and_ends_early) {
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  sli_testing_device_t d;
  sli_testing_device_initialize_with(&d, pool);
  sli_tensor_t *dataset = transform(&d, "PrefetchDataset", range(&d, 1000), 8);
  dataset = transform(&d, "PrefetchDataset", dataset, -1);
  sli_tensor_t *handle = iterator(&d, "i", int64_types);
  for (int round = 0; round < 3; round++) {
    SLI_EXPECT_OK(start(&d, dataset, handle));
    for (int64_t i = 0; i < (round == 2 ? 1000 : 50); i++) expect_next(&d, handle, i);
  }
  sli_testing_expect_error(next(&d, handle, int64_types), SLI_OUT_OF_RANGE, "End of sequence");
  SLI_EXPECT_OK(start(&d, dataset, handle));
  expect_next(&d, handle, 0);
  sli_tensor_release(dataset);
  sli_tensor_release(handle);
  sli_testing_device_deinitialize(&d);
  sli_thread_pool_destroy(pool);
}

SLI_TEST(test_cancelled_step_gets_no_element) {
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  sli_testing_device_t d;
  sli_testing_device_initialize_with(&d, pool);
  // Nothing is left after the skip of an endless sequence: the request ends only by its cancellation.
  sli_tensor_t *dataset = transform(&d, "RepeatDataset", range(&d, 3), -1);
  dataset = transform(&d, "PrefetchDataset", transform(&d, "SkipDataset", dataset, INT64_MAX), 1);
  sli_tensor_t *handle = iterator(&d, "i", int64_types);
  SLI_EXPECT_OK(start(&d, dataset, handle));
  sli_cancellation_cancel(d.step.cancellation, sli_status_make(SLI_CANCELLED, "enough"));
  sli_status_t *status = next(&d, handle, int64_types);
  SLI_EXPECT(sli_status_code(status) == SLI_CANCELLED);
  sli_status_release(status);
  sli_tensor_release(dataset);
  sli_tensor_release(handle);
  sli_testing_device_deinitialize(&d);
  sli_thread_pool_destroy(pool);
}

static sli_tensor_t *files(sli_testing_device_t *d, const char *op, const char *path) {
  return run(d, op,
             SLI_TESTING_INPUTS(TENSOR(sli_tensor_scalar_string(sli_view(path))),
                                TENSOR(sli_tensor_scalar_string(sli_view(""))), TENSOR(sli_tensor_scalar_int64(0))),
             NULL, 0);
}

static void expect_text(sli_testing_device_t *d, sli_tensor_t *handle, const char *want) {
  SLI_EXPECT_OK(next(d, handle, string_types));
  SLI_EXPECT(sli_view_is(sli_tensor_string_at(d->outputs[0].tensor, 0), want));
}

static void write_records(const char *path, int count) {
  sli_record_writer_t *writer;
  SLI_EXPECT_OK(sli_record_writer_open(path, SLI_FILE_TRUNCATE, SLI_COMPRESSION_NONE, -1, &writer));
  for (int i = 0; i < count; i++) SLI_EXPECT_OK(sli_record_writer_write(writer, sli_view(i % 2 ? "odd" : "even")));
  SLI_EXPECT_OK(sli_record_writer_close(writer));
  sli_record_writer_release(writer);
}

static void overwrite(const char *path, const char *bytes, size_t size) {
  sli_file_writer_t *writer;
  SLI_EXPECT_OK(sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer));
  SLI_EXPECT_OK(sli_file_writer_write(writer, bytes, size));
  SLI_EXPECT_OK(sli_file_writer_close(writer));
  sli_file_writer_release(writer);
}

SLI_TEST(test_records_and_lines_of_files) {
  sli_testing_device_t d;
  sli_testing_device_initialize(&d);
  char *path = sli_format("%s/file", sli_test_temporary_dir());
  sli_tensor_t *handle = iterator(&d, "i", string_types);
  write_records(path, 3);
  sli_tensor_t *dataset = files(&d, "TFRecordDataset", path);
  SLI_EXPECT_OK(start(&d, dataset, handle));
  expect_text(&d, handle, "even");
  expect_text(&d, handle, "odd");
  expect_text(&d, handle, "even");
  sli_testing_expect_error(next(&d, handle, string_types), SLI_OUT_OF_RANGE, "End of sequence");
  overwrite(path, "one\ntwo\r\n\nfour", 14);
  SLI_EXPECT_OK(start(&d, dataset, handle));
  sli_testing_expect_error(next(&d, handle, string_types), SLI_DATA_LOSS, "corrupted record at 0");
  sli_tensor_release(dataset);
  dataset = files(&d, "TextLineDataset", path);
  SLI_EXPECT_OK(start(&d, dataset, handle));
  expect_text(&d, handle, "one");
  expect_text(&d, handle, "two");
  expect_text(&d, handle, "");
  expect_text(&d, handle, "four");
  sli_tensor_release(dataset);
  dataset = files(&d, "TextLineDataset", "/nonexistent/file");
  SLI_EXPECT_OK(start(&d, dataset, handle));
  sli_testing_expect_error(next(&d, handle, string_types), SLI_NOT_FOUND, "/nonexistent/file");
  sli_tensor_release(dataset);
  sli_tensor_release(handle);
  free(path);
  sli_testing_device_deinitialize(&d);
}

SLI_TEST(test_cache_file_is_written_by_a_whole_pass_and_read_by_others) {
  sli_testing_device_t d;
  sli_testing_device_initialize(&d);
  char *path = sli_format("%s/cache", sli_test_temporary_dir()), *file = sli_format("%s.cache", path);
  sli_tensor_t *handle = iterator(&d, "i", int64_types), *other = iterator(&d, "j", int64_types);
  sli_tensor_t *dataset = run(
      &d, "CacheDataset", SLI_TESTING_INPUTS(TENSOR(range(&d, 3)), TENSOR(sli_tensor_scalar_string(sli_view(path)))),
      SLI_TESTING_ATTRS(ELEMENTS("output_types", int64_types)));
  SLI_EXPECT_OK(start(&d, dataset, handle));
  expect_next(&d, handle, 0);
  SLI_EXPECT_OK(start(&d, dataset, other));
  sli_testing_expect_error(next(&d, other, int64_types), SLI_ALREADY_EXISTS, "concurrent caching iterator");
  SLI_EXPECT_OK(start(&d, dataset, handle));
  SLI_EXPECT(!sli_file_exists(file));
  for (int64_t i = 0; i < 3; i++) expect_next(&d, handle, i);
  sli_testing_expect_error(next(&d, handle, int64_types), SLI_OUT_OF_RANGE, "End of sequence");
  SLI_EXPECT(sli_file_exists(file));
  for (int64_t i = 0; i < 3; i++) expect_next(&d, other, i);
  sli_testing_expect_error(next(&d, other, int64_types), SLI_OUT_OF_RANGE, "End of sequence");
  sli_tensor_release(dataset);
  sli_tensor_release(handle);
  sli_tensor_release(other);
  free(path);
  free(file);
  sli_testing_device_deinitialize(&d);
}

SLI_TEST(test_records_of_csv_files) {
  static const char text[] = "h1,h2\n1,abc\r\n2,\"q\"\"x,\ny\"\n,z\nw,v\n4\n5,u";
  sli_testing_device_t d;
  sli_testing_device_initialize(&d);
  char *path = sli_format("%s/csv", sli_test_temporary_dir());
  overwrite(path, text, strlen(text));
  static const sli_dtype_t types[] = {SLI_DTYPE_INT64, SLI_DTYPE_STRING};
  static const sli_shape_t shapes[] = {{0, NULL}, {0, NULL}};
  const sli_attr_entry_t attrs[] = {
      {"output_types", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 2, .list.type = types}},
      {"output_shapes", {.kind = SLI_ATTR_SHAPE, .is_list = true, .count = 2, .list.shape = shapes}}};
  sli_tensor_t *none;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_STRING, (int64_t[]){0}, 1, &none));
  sli_tensor_t *dataset =
      run(&d, "CSVDataset",
          SLI_TESTING_INPUTS(TENSOR(sli_tensor_scalar_string(sli_view(path))),
                             TENSOR(sli_tensor_scalar_string(sli_view(""))), TENSOR(sli_tensor_scalar_int64(4)),
                             TENSOR(sli_tensor_scalar_bool(true)), TENSOR(sli_tensor_scalar_string(sli_view(","))),
                             TENSOR(sli_tensor_scalar_bool(true)), TENSOR(sli_tensor_scalar_string(sli_view(""))),
                             TENSOR(sli_tensor_vector_int64(NULL, 0)),
                             TENSOR(sli_tensor_vector_int64((int64_t[]){7}, 1)), TENSOR(none)),
          attrs, 2);
  sli_dataset_t *csv;
  sli_iterator_pass_t *pass;
  SLI_EXPECT_OK(sli_dataset_of(dataset, &csv));
  SLI_EXPECT_OK(sli_iterator_pass_create(csv, d.device, &pass));
  static const struct {
    int64_t number;
    const char *text, *error;
  } wanted[] = {{1, "abc", NULL},
                {2, "q\"x,\ny", NULL},
                {7, "z", NULL},
                {0, NULL, "Field 0 in record is not a valid int64: w"},
                {0, NULL, "Expect 2 fields but have 1 in record"},
                {5, "u", NULL}};
  sli_iterator_call_t call = {d.step.cancellation};
  sli_tensor_t *element[2];
  bool is_end;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(wanted); i++) {
    sli_status_t *status = sli_iterator_next(pass->iterator, &call, element, &is_end);
    if (wanted[i].error) {
      sli_testing_expect_error(status, SLI_INVALID_ARGUMENT, wanted[i].error);
      continue;
    }
    SLI_EXPECT_OK(status);
    SLI_EXPECT(!is_end && SLI_DATA(const int64_t, element[0])[0] == wanted[i].number);
    SLI_EXPECT(sli_view_is(sli_tensor_string_at(element[1], 0), wanted[i].text));
    sli_dataset_release_element(element, 2);
  }
  SLI_EXPECT_OK(sli_iterator_next(pass->iterator, &call, element, &is_end));
  SLI_EXPECT(is_end);
  sli_iterator_pass_release(pass);
  sli_tensor_release(dataset);
  free(path);
  sli_testing_device_deinitialize(&d);
}

// A function that returns its argument, but not before it is opened.
typedef struct {
  sli_function_t base;
  sli_mutex_t mutex;
  bool is_open;  // under |mutex|, as the rest
  int count;
  struct {
    sli_function_done_t done;
    void *context;
    sli_tensor_t *argument;
  } waiting[16];
} gate_t;

static void gate_destroy(sli_object_t *object) {
  sli_mutex_deinitialize(&((gate_t *)object)->mutex);
  free(object);
}
static const sli_object_type_t gate_type = {.name = "Gate", .destroy = gate_destroy};

static void gate_call(sli_function_t *function, const sli_function_call_t *call, sli_function_done_t done,
                      void *context) {
  gate_t *gate = (gate_t *)function;
  sli_tensor_t *argument = sli_tensor_retain(call->arguments[0]);
  sli_mutex_lock(&gate->mutex);
  bool is_open = gate->is_open;
  if (!is_open) {
    SLI_CHECK(gate->count < (int)SLI_ARRAY_COUNT_OF(gate->waiting));
    gate->waiting[gate->count].done = done;
    gate->waiting[gate->count].context = context;
    gate->waiting[gate->count++].argument = argument;
  }
  sli_mutex_unlock(&gate->mutex);
  if (is_open) done(context, NULL, &argument);
}

static int gate_count(gate_t *gate) {
  sli_mutex_lock(&gate->mutex);
  int count = gate->count;
  sli_mutex_unlock(&gate->mutex);
  return count;
}

static void gate_open(gate_t *gate) {
  sli_mutex_lock(&gate->mutex);
  gate->is_open = true;
  sli_mutex_unlock(&gate->mutex);
  for (int i = 0; i < gate->count; i++)
    gate->waiting[i].done(gate->waiting[i].context, NULL, &gate->waiting[i].argument);
}

typedef struct {
  sli_iterator_t *iterator;
  sli_cancellation_t *cancellation;
  sli_status_t *status;
  sli_event_t is_over;
} asking_t;

static void ask(void *context) {
  asking_t *asking = context;
  sli_iterator_call_t call = {asking->cancellation};
  sli_tensor_t *element;
  bool is_end;
  asking->status = sli_iterator_next(asking->iterator, &call, &element, &is_end);
  sli_event_set(&asking->is_over);
}

// The calls of a parallel map belong to the iterator, not to the step that waits for one.
SLI_TEST(test_cancelled_step_leaves_the_calls_of_a_parallel_map) {
  static const sli_function_vtable_t vtable = {.call = gate_call};
  sli_thread_pool_t *pool = sli_thread_pool_create("test", 2, NULL);
  sli_testing_device_t d;
  sli_testing_device_initialize_with(&d, pool);
  gate_t *gate = sli_calloc(1, sizeof(*gate));
  sli_object_initialize(&gate->base.base, &gate_type);
  sli_mutex_initialize(&gate->mutex);
  gate->base.vtable = &vtable;
  gate->base.argument_count = gate->base.result_count = 1;
  gate->base.argument_types = gate->base.result_types = int64_types;
  sli_tensor_t *numbers = range(&d, 5);
  sli_dataset_t *input;
  SLI_EXPECT_OK(sli_dataset_of(numbers, &input));
  sli_dataset_parallel_map_t options = {.function = {.function = sli_object_retain(gate)},
                                        .component_count = 1,
                                        .types = int64_types,
                                        .shapes = any_shapes,
                                        .parallelism = 2};
  sli_dataset_t *mapped = sli_dataset_create_parallel_map(input, &options);
  sli_iterator_pass_t *pass;
  SLI_EXPECT_OK(sli_iterator_pass_create(mapped, d.device, &pass));
  asking_t asking = {.iterator = pass->iterator, .cancellation = sli_cancellation_create()};
  sli_event_initialize(&asking.is_over);
  sli_thread_pool_submit_blocking(pool, ask, &asking);
  while (!gate_count(gate)) usleep(1000);
  sli_cancellation_cancel(asking.cancellation, sli_status_make(SLI_CANCELLED, "enough"));
  SLI_EXPECT(sli_event_wait(&asking.is_over, sli_clock_deadline_after_millis(60000)));
  sli_testing_expect_error(asking.status, SLI_CANCELLED, "enough");
  gate_open(gate);
  sli_iterator_call_t call = {d.step.cancellation};
  sli_tensor_t *element;
  bool is_end;
  for (int64_t i = 0; i < 5; i++) {
    SLI_REQUIRE_OK(sli_iterator_next(pass->iterator, &call, &element, &is_end));
    SLI_EXPECT(!is_end && SLI_DATA(const int64_t, element)[0] == i);
    sli_tensor_release(element);
  }
  SLI_EXPECT_OK(sli_iterator_next(pass->iterator, &call, &element, &is_end));
  SLI_EXPECT(is_end);
  sli_iterator_pass_release(pass);
  sli_dataset_release(mapped);
  sli_object_release(gate);
  sli_tensor_release(numbers);
  sli_cancellation_release(asking.cancellation);
  sli_event_deinitialize(&asking.is_over);
  sli_testing_device_deinitialize(&d);
  sli_thread_pool_destroy(pool);
}

static void expect_light(sli_tensor_t *tensor, bool wanted) {
  sli_dataset_t *dataset;
  SLI_EXPECT_OK(sli_dataset_of(tensor, &dataset));
  SLI_EXPECT(dataset->is_light == wanted);
  sli_tensor_release(tensor);
}

// Elements that may cost much are never made on the thread that asks, which may be one that polls the network.
SLI_TEST(test_only_cheap_elements_are_made_at_once) {
  sli_testing_device_t d;
  sli_testing_device_initialize(&d);
  expect_light(transform(&d, "SkipDataset", range(&d, 5), 10), true);
  expect_light(transform(&d, "SkipDataset", range(&d, 5), INT64_MAX), false);
  expect_light(transform(&d, "BatchDataset", range(&d, 5), 100), true);
  expect_light(transform(&d, "BatchDataset", range(&d, 5), 1 << 20), false);
  expect_light(transform(&d, "RepeatDataset", transform(&d, "SkipDataset", range(&d, 5), 1 << 20), -1), false);
  sli_tensor_t *endless = transform(&d, "RepeatDataset", range(&d, 3), -1);
  expect_light(run(&d, "UniqueDataset", SLI_TESTING_INPUTS(TENSOR(endless)),
                   SLI_TESTING_ATTRS(ELEMENTS("output_types", int64_types))),
               false);
  sli_testing_device_deinitialize(&d);
}

// A state that was cut or changed anywhere gives an error or another state, never a crash.
SLI_TEST(test_damaged_states_are_refused) {
  sli_testing_device_t d;
  sli_testing_device_initialize(&d);
  sli_tensor_t *tensor = transform(&d, "PrefetchDataset", transform(&d, "RepeatDataset", range(&d, 5), 3), 4);
  sli_dataset_t *dataset;
  sli_iterator_pass_t *pass;
  SLI_EXPECT_OK(sli_dataset_of(tensor, &dataset));
  SLI_EXPECT_OK(sli_iterator_pass_create(dataset, d.device, &pass));
  sli_iterator_call_t call = {d.step.cancellation};
  sli_tensor_t *element;
  bool is_end;
  for (int i = 0; i < 7; i++) {
    SLI_EXPECT_OK(sli_iterator_next(pass->iterator, &call, &element, &is_end));
    sli_tensor_release(element);
  }
  sli_iterator_writer_t writer = {0};
  SLI_EXPECT_OK(sli_iterator_save(pass->iterator, &writer));
  sli_iterator_pass_release(pass);
  for (size_t size = 0; size <= writer.bytes.size; size++) {
    SLI_EXPECT_OK(sli_iterator_pass_create(dataset, d.device, &pass));
    sli_iterator_reader_t reader = {.rest = sli_view_of(writer.bytes.data, size)};
    sli_status_t *status = sli_iterator_restore(pass->iterator, &reader);
    SLI_EXPECT((status == NULL) == (size == writer.bytes.size));
    if (!status) {
      SLI_EXPECT_OK(sli_iterator_next(pass->iterator, &call, &element, &is_end));
      SLI_EXPECT(!is_end && SLI_DATA(const int64_t, element)[0] == 2);
      sli_tensor_release(element);
    }
    sli_status_release(status);
    sli_iterator_pass_release(pass);
  }
  sli_string_deinitialize(&writer.bytes);
  sli_tensor_release(tensor);
  sli_testing_device_deinitialize(&d);
}

SLI_TEST_MAIN(test_iterator_is_found_by_the_text_of_its_handle,
              test_prefetch_in_the_background_keeps_the_order_and_ends_early, test_cancelled_step_gets_no_element,
              test_records_and_lines_of_files, test_cache_file_is_written_by_a_whole_pass_and_read_by_others,
              test_records_of_csv_files, test_cancelled_step_leaves_the_calls_of_a_parallel_map,
              test_only_cheap_elements_are_made_at_once, test_damaged_states_are_refused)
