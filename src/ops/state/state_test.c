// What updates do to a variable's memory: which readers see them, and which writers wait for each other.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/state/resource.h"
#include "ops/common/testing.h"

static sli_variable_t *run_variable(sli_testing_device_t *h) {
  sli_status_t *status = sli_testing_device_run(
      h, "VariableV2", NULL, 0,
      SLI_TESTING_ATTRS(SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(3)), SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT)));
  SLI_EXPECT_OK(status);
  return sli_variable_retain(h->outputs[0].variable);
}

SLI_TEST(test_variable_is_found_again_by_name) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *a = run_variable(&h), *b = run_variable(&h);
  SLI_EXPECT(a == b);
  sli_variable_release(a);
  sli_variable_release(b);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_assign_moves_exclusive_and_copies_shared_value) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *variable = run_variable(&h);
  sli_tensor_t *value = sli_testing_range(SLI_SHAPE(3));
  SLI_EXPECT_OK(sli_testing_device_run(&h, "Assign", SLI_TESTING_INPUTS(REFERENCE(variable), TENSOR(value)), NULL, 0));
  SLI_EXPECT(variable->tensor == value);
  sli_tensor_t *shared = sli_testing_range(SLI_SHAPE(3));
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "Assign", SLI_TESTING_INPUTS(REFERENCE(variable), TENSOR(sli_tensor_retain(shared))), NULL, 0));
  SLI_EXPECT(variable->tensor->data != shared->data);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "Assign",
                             SLI_TESTING_INPUTS(REFERENCE(variable), TENSOR(sli_testing_range(SLI_SHAPE(4)))), NULL, 0),
      SLI_INVALID_ARGUMENT, "Assign requires shapes of both tensors to match. lhs shape= [3] rhs shape= [4]");
  SLI_EXPECT_OK(sli_testing_device_run(&h, "Assign",
                                       SLI_TESTING_INPUTS(REFERENCE(variable), TENSOR(sli_testing_range(SLI_SHAPE(4)))),
                                       SLI_TESTING_ATTRS(SLI_ATTR_BOOL_OF("validate_shape", false))));
  SLI_EXPECT(variable->tensor->count == 4);
  sli_tensor_release(shared);
  sli_variable_release(variable);
  sli_testing_device_deinitialize(&h);
}

// A step that has read a variable sees what another step assigns before the first one computes. Adam's beta powers
// count the steps of all asynchronous workers that way.
SLI_TEST(test_assign_shows_in_a_value_that_was_read) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *variable = run_variable(&h);
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "Assign", SLI_TESTING_INPUTS(REFERENCE(variable), TENSOR(sli_testing_range(SLI_SHAPE(3)))), NULL, 0));
  sli_tensor_t *read = sli_variable_read(variable);
  SLI_DATA(float, read)[2] = 0;
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "Assign", SLI_TESTING_INPUTS(REFERENCE(variable), TENSOR(sli_testing_range(SLI_SHAPE(3)))), NULL, 0));
  SLI_EXPECT_NEAR(SLI_DATA(float, read)[2], 2, 0);
  SLI_EXPECT(variable->tensor == read);
  SLI_DATA(float, read)[2] = 0;
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "Assign", SLI_TESTING_INPUTS(REFERENCE(variable), TENSOR(sli_testing_range(SLI_SHAPE(3, 1)))),
      SLI_TESTING_ATTRS(SLI_ATTR_BOOL_OF("validate_shape", false))));
  SLI_EXPECT_NEAR(SLI_DATA(float, read)[2], 2, 0);
  SLI_EXPECT_INT(read->rank, 1);
  SLI_EXPECT_INT(variable->tensor->rank, 2);
  SLI_EXPECT(variable->tensor->data == read->data);
  sli_tensor_release(read);
  sli_variable_release(variable);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_count_shows_in_a_value_that_was_read) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *variable = sli_variable_create(SLI_DTYPE_INT32, sli_view("n"), SLI_SHAPE_SCALAR);
  sli_variable_replace(variable, sli_tensor_scalar_int32(1));
  sli_tensor_t *read = sli_variable_read(variable);
  SLI_EXPECT_OK(sli_testing_device_run(&h, "CountUpTo", SLI_TESTING_INPUTS(REFERENCE(variable)),
                                       SLI_TESTING_ATTRS(SLI_ATTR_INT_OF("limit", 2))));
  SLI_EXPECT_INT(SLI_DATA(int32_t, h.outputs[0].tensor)[0], 1);
  SLI_EXPECT_INT(SLI_DATA(int32_t, read)[0], 2);
  sli_testing_expect_error(sli_testing_device_run(&h, "CountUpTo", SLI_TESTING_INPUTS(REFERENCE(variable)),
                                                  SLI_TESTING_ATTRS(SLI_ATTR_INT_OF("limit", 2))),
                           SLI_OUT_OF_RANGE, "Reached limit of 2");
  sli_tensor_release(read);
  sli_variable_release(variable);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_update_of_uninitialized_variable_names_it) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *variable = run_variable(&h);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "AssignAdd",
                             SLI_TESTING_INPUTS(REFERENCE(variable), TENSOR(sli_testing_range(SLI_SHAPE(3)))), NULL, 0),
      SLI_FAILED_PRECONDITION, "Attempting to use uninitialized value n");
  sli_variable_release(variable);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_assign_add_of_itself_doubles) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *variable = run_variable(&h);
  sli_variable_replace(variable, sli_testing_range(SLI_SHAPE(3)));
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "AssignAdd", SLI_TESTING_INPUTS(REFERENCE(variable), TENSOR(sli_variable_read(variable))), NULL, 0));
  SLI_EXPECT_NEAR(SLI_DATA(float, variable->tensor)[2], 4, 0);
  sli_variable_release(variable);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_resource_value_that_was_read_never_changes) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "VarHandleOp", NULL, 0,
      SLI_TESTING_ATTRS(SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(3)), SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT))));
  sli_tensor_t *handle = sli_tensor_retain(h.outputs[0].tensor);
  sli_attr_entry_t dtype = SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT);
  sli_testing_expect_error(
      sli_testing_device_run(&h, "ReadVariableOp", SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle))), &dtype, 1),
      SLI_FAILED_PRECONDITION, "Could not find variable n");
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "AssignVariableOp",
      SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle)), TENSOR(sli_testing_range(SLI_SHAPE(3)))), NULL, 0));
  SLI_EXPECT_OK(
      sli_testing_device_run(&h, "ReadVariableOp", SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle))), &dtype, 1));
  sli_tensor_t *before = sli_tensor_retain(h.outputs[0].tensor);
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "AssignAddVariableOp",
      SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle)), TENSOR(sli_testing_range(SLI_SHAPE(3)))), NULL, 0));
  SLI_EXPECT_OK(
      sli_testing_device_run(&h, "ReadVariableOp", SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle))), &dtype, 1));
  SLI_EXPECT_NEAR(SLI_DATA(float, before)[2], 2, 0);
  SLI_EXPECT_NEAR(SLI_DATA(float, h.outputs[0].tensor)[2], 4, 0);
  sli_tensor_release(before);
  sli_tensor_release(handle);
  sli_testing_device_deinitialize(&h);
}

SLI_TEST(test_scatter_checks_all_indices_before_writing) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_variable_t *variable = run_variable(&h);
  sli_variable_replace(variable, sli_testing_range(SLI_SHAPE(3)));
  sli_testing_expect_error(
      sli_testing_device_run(
          &h, "ScatterAdd",
          SLI_TESTING_INPUTS(REFERENCE(variable), INTS(1, 5), TENSOR(sli_testing_range(SLI_SHAPE(2)))), NULL, 0),
      SLI_INVALID_ARGUMENT, "indices[1] = 5 is not in [0, 3)");
  SLI_EXPECT_NEAR(SLI_DATA(float, variable->tensor)[1], 1, 0);
  sli_variable_release(variable);
  sli_testing_device_deinitialize(&h);
}

// --- Rows of a large table -----------------------------------------------------------------------------

enum { ROWS = 1 << 19, WIDTH = 64, TABLE_BYTES = ROWS * WIDTH * 4, FEW_BYTES = 1 << 20 };

static sli_tensor_t *make_table(void) {
  sli_tensor_t *table;
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){ROWS, WIDTH}, 2, &table));
  return table;  // only a few rows are touched, so that it needs little memory
}

static sli_tensor_t *make_handle(sli_testing_device_t *h, const char *name) {
  sli_status_t *status = sli_testing_device_run(
      h, "VarHandleOp", NULL, 0,
      SLI_TESTING_ATTRS(SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(ROWS, WIDTH)), SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT),
                        SLI_ATTR_STRING_OF("shared_name", name)));
  SLI_EXPECT_OK(status);
  return sli_tensor_retain(h->outputs[0].tensor);
}

static sli_variable_t *variable_of(sli_tensor_t *handle) {
  return (sli_variable_t *)((sli_resource_handle_t *)SLI_DATA(sli_object_t *, handle)[0])->resource;
}

static int64_t bytes_taken(void) {
  sli_allocator_stats_t stats;
  sli_allocator_cpu_stats(&stats);
  return stats.peak_bytes_in_use;
}

static sli_tensor_t *scalar(float value) { return sli_tensor_scalar_float(value); }

// Others gather from the table and update it at the same time, as on a ps with several workers.
SLI_TEST(test_sparse_ops_cost_by_rows_not_by_table) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_tensor_t *handle = make_handle(&h, "table"), *slot = make_handle(&h, "slot");
  sli_variable_replace(variable_of(handle), make_table());
  sli_variable_replace(variable_of(slot), make_table());
  sli_variable_t *reference = sli_variable_create(SLI_DTYPE_FLOAT, sli_view("reference"), SLI_SHAPE_UNKNOWN);
  sli_variable_replace(reference, make_table());
  sli_tensor_t *read_by_reference = sli_variable_read(reference);
  sli_tensor_t *gathered = sli_variable_borrow(variable_of(handle)), *applied = sli_variable_borrow(variable_of(slot));
  int64_t before = bytes_taken();
  sli_attr_entry_t dtype = SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT);
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "ResourceGather", SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle)), INTS(3, ROWS - 1)), &dtype, 1));
  SLI_EXPECT_OK(sli_testing_device_run(&h, "ResourceScatterAdd",
                                       SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle)), INTS(3, ROWS - 1),
                                                          TENSOR(sli_testing_range(SLI_SHAPE(2, WIDTH)))),
                                       NULL, 0));
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "ResourceSparseApplyAdagrad",
      SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(handle)), TENSOR(sli_tensor_retain(slot)), TENSOR(scalar(0.1f)),
                         TENSOR(sli_testing_range(SLI_SHAPE(2, WIDTH))), INTS(3, ROWS - 1)),
      NULL, 0));
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "ScatterSub",
      SLI_TESTING_INPUTS(REFERENCE(reference), INTS(3, ROWS - 1), TENSOR(sli_testing_range(SLI_SHAPE(2, WIDTH)))), NULL,
      0));
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "GatherV2",
      SLI_TESTING_INPUTS(TENSOR(sli_variable_read(reference)), INTS(3, ROWS - 1), TENSOR(sli_tensor_scalar_int32(0))),
      NULL, 0));
  SLI_EXPECT(bytes_taken() - before < FEW_BYTES);
  SLI_EXPECT(variable_of(handle)->tensor == gathered && variable_of(slot)->tensor == applied);
  SLI_EXPECT(reference->tensor == read_by_reference);
  sli_variable_return(variable_of(handle), gathered);
  sli_variable_return(variable_of(slot), applied);

  // A value that was read as a whole must not change: then the table is copied, once.
  SLI_EXPECT_OK(
      sli_testing_device_run(&h, "ReadVariableOp", SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(slot))), &dtype, 1));
  sli_tensor_t *value = sli_tensor_retain(h.outputs[0].tensor);
  SLI_EXPECT_OK(sli_testing_device_run(
      &h, "ResourceScatterAdd",
      SLI_TESTING_INPUTS(TENSOR(sli_tensor_retain(slot)), INTS(3), TENSOR(sli_testing_range(SLI_SHAPE(1, WIDTH)))),
      NULL, 0));
  SLI_EXPECT(variable_of(slot)->tensor != value);
  SLI_EXPECT(bytes_taken() - before >= TABLE_BYTES);
  sli_tensor_release(value);
  sli_tensor_release(read_by_reference);
  sli_variable_release(reference);
  sli_tensor_release(handle);
  sli_tensor_release(slot);
  sli_testing_device_deinitialize(&h);
}

// --- Two writers ---------------------------------------------------------------------------------------

// A writer's gradient ends in a page that may not be read. So a writer inside the loop of its kernel stops in the
// handler of the fault until the test lets it continue: the test can see that both are inside at once.
enum { WRITERS = 2, ELEMENTS = 25 << 20 };  // 100 MB

static struct {
  char *pages[WRITERS];
  size_t page;
  atomic_int inside[WRITERS], may_go_on[WRITERS];
} gates;

static void on_fault(int signal_number, siginfo_t *info, void *context) {
  for (int i = 0; i < WRITERS; i++) {
    if ((char *)info->si_addr < gates.pages[i] || (char *)info->si_addr >= gates.pages[i] + gates.page) continue;
    atomic_store(&gates.inside[i], 1);
    while (!atomic_load(&gates.may_go_on[i])) usleep(1000);
    mprotect(gates.pages[i], gates.page, PROT_READ | PROT_WRITE);
    return;
  }
  signal(SIGSEGV, SIG_DFL);
}

static void unmap(void *context, void *data, size_t size) { munmap(data, size); }

static sli_tensor_t *gated_gradient(int writer) {
  size_t bytes = (size_t)ELEMENTS * sizeof(float);
  char *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  SLI_CHECK(data != MAP_FAILED);
  gates.page = (size_t)sysconf(_SC_PAGESIZE);
  gates.pages[writer] = data + bytes - gates.page;
  SLI_CHECK(mprotect(gates.pages[writer], gates.page, PROT_NONE) == 0);
  atomic_store(&gates.inside[writer], 0);
  atomic_store(&gates.may_go_on[writer], 0);
  sli_tensor_t *tensor;
  SLI_CHECK(!sli_tensor_adopt(SLI_DTYPE_FLOAT, (int64_t[]){ELEMENTS}, 1, data, bytes, unmap, NULL, &tensor));
  return tensor;
}

typedef struct {
  pthread_t thread;
  sli_variable_t *variable;  // a reference, or
  sli_tensor_t *handle;      // a handle
  sli_tensor_t *gradient;
  bool use_locking;
  atomic_int is_over;
} writer_t;

static void *write_variable(void *context) {
  writer_t *writer = context;
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_attr_entry_t locking = SLI_ATTR_BOOL_OF("use_locking", writer->use_locking);
  sli_kernel_value_t target =
      writer->variable ? REFERENCE(writer->variable) : TENSOR(sli_tensor_retain(writer->handle));
  SLI_EXPECT_OK(sli_testing_device_run(&h, writer->variable ? "ApplyGradientDescent" : "ResourceApplyGradientDescent",
                                       SLI_TESTING_INPUTS(target, TENSOR(scalar(1)), TENSOR(writer->gradient)),
                                       &locking, 1));
  sli_testing_device_deinitialize(&h);
  atomic_store(&writer->is_over, 1);
  return NULL;
}

static bool comes_true(atomic_int *flag) {
  for (int64_t deadline = sli_clock_deadline_after_millis(60000); !atomic_load(flag); usleep(1000))
    if (sli_clock_now_nanos() > deadline) return false;
  return true;
}

static void run_two_writers(bool is_resource, bool use_locking) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  sli_tensor_t *handle = is_resource ? make_handle(&h, "shared") : NULL, *value;
  sli_variable_t *variable = is_resource ? sli_variable_retain(variable_of(handle))
                                         : sli_variable_create(SLI_DTYPE_FLOAT, sli_view("v"), SLI_SHAPE_UNKNOWN);
  SLI_CHECK(!sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, (int64_t[]){ELEMENTS}, 1, &value));
  memset(value->data, 0, sli_tensor_bytes(value));
  sli_variable_replace(variable, value);
  writer_t writers[WRITERS] = {0};
  for (int i = 0; i < WRITERS; i++) {
    writers[i] = (writer_t){.variable = is_resource ? NULL : variable,
                            .handle = handle,
                            .gradient = gated_gradient(i),
                            .use_locking = use_locking};
    SLI_CHECK(pthread_create(&writers[i].thread, NULL, write_variable, &writers[i]) == 0);
    // With locking the second waits for the first: it must not enter the loop before the first has left it.
    if (i == 0 || !use_locking) SLI_EXPECT(comes_true(&gates.inside[i]));
  }
  if (use_locking) {
    usleep(20000);  // a writer that does not wait would enter now
    SLI_EXPECT(!atomic_load(&gates.inside[1]));
  } else {
    SLI_EXPECT(atomic_load(&gates.inside[0]) && atomic_load(&gates.inside[1]));
  }
  SLI_EXPECT(!atomic_load(&writers[0].is_over) && !atomic_load(&writers[1].is_over));
  for (int i = 0; i < WRITERS; i++) {
    atomic_store(&gates.may_go_on[i], 1);
    SLI_EXPECT(comes_true(&gates.inside[i]) && comes_true(&writers[i].is_over));
    pthread_join(writers[i].thread, NULL);
  }
  SLI_EXPECT(variable->tensor == value);  // in place
  sli_variable_release(variable);
  sli_tensor_release(handle);
  sli_testing_device_deinitialize(&h);
}

enum { ADVANCES = 50000 };

static void *advance(void *context) {
  sli_testing_device_t h;
  sli_testing_device_initialize(&h);
  for (int i = 0; i < ADVANCES; i++)
    SLI_EXPECT_OK(sli_testing_device_run(
        &h, "AssignAdd", SLI_TESTING_INPUTS(REFERENCE(context), TENSOR(sli_tensor_scalar_int32(1))), NULL, 0));
  sli_testing_device_deinitialize(&h);
  return NULL;
}

// Without use_locking, like the updates of global_step.
SLI_TEST(test_a_counter_loses_none_of_two_threads_steps) {
  sli_variable_t *counter = sli_variable_create(SLI_DTYPE_INT32, sli_view("counter"), SLI_SHAPE_SCALAR);
  sli_variable_replace(counter, sli_tensor_scalar_int32(0));
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) SLI_CHECK(pthread_create(&threads[i], NULL, advance, counter) == 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  SLI_EXPECT_INT(SLI_DATA(int32_t, counter->tensor)[0], 2 * ADVANCES);
  sli_variable_release(counter);
}

SLI_TEST(test_two_writers_without_locking_are_inside_at_once) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  SLI_REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0);
  run_two_writers(false, false);
  run_two_writers(true, false);
}

SLI_TEST(test_two_writers_with_locking_take_turns) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  SLI_REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0);
  run_two_writers(false, true);
  run_two_writers(true, true);
}

SLI_TEST_MAIN(test_variable_is_found_again_by_name, test_assign_moves_exclusive_and_copies_shared_value,
              test_assign_shows_in_a_value_that_was_read, test_count_shows_in_a_value_that_was_read,
              test_update_of_uninitialized_variable_names_it, test_assign_add_of_itself_doubles,
              test_resource_value_that_was_read_never_changes, test_scatter_checks_all_indices_before_writing,
              test_sparse_ops_cost_by_rows_not_by_table, test_a_counter_loses_none_of_two_threads_steps,
              test_two_writers_without_locking_are_inside_at_once, test_two_writers_with_locking_take_turns)
