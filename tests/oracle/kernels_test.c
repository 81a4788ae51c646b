// Runs every op, every row of its kernels and every type of the row on random inputs: small shapes, empty tensors,
// scalars, broadcasting, wrong ranks, extreme values and attributes. The result must be a value or a status. Also:
//
// - an output has the type that the node declares, and a shape that agrees with the shape function, however much that
// knew;
// - the kernel does not change inputs that are shared;
// - a stateless op computes the same when repeated, also in place: it writes all of its output;
// - a node whose inputs have wrong types is refused;
// - a kernel that waits ends when its step is cancelled.
//
// The trials run in a child process. If it dies, its op is reported and the next child continues after it.
//
//   ORACLE_ONLY=Op      one op (or with a star all that start so), talkative
//   ORACLE_SEED=n       other trials
//   ORACLE_TRIALS=n     for each type of each row, instead of 12
//   ORACLE_DUMP=file    also writes the trials of stateless ops, for tests/interop/oracle_values.py
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/test.h"
#include "core/op/op_registry_internal.h"
#include "core/tensor/tensor_codec.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"
#include "tests/oracle/oracle.h"

// A kernel that asks for more must take no for an answer.
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1:max_allocation_size_mb=256"; }
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "allocator_may_return_null=1:max_allocation_size_mb=256"; }

enum { USUAL_TRIALS = 12, SECONDS_PER_TRIAL = 30, MOST_OPS = 4096 };

// What the parent knows of its child, in memory that they share.
static struct {
  size_t next;  // module and op, counted through
  char trial[4096];
  long problems, runs, good;
  long good_of_op[MOST_OPS];
} * progress;

static const char *only;
static int problems_of_op;
static FILE *dump;

static void problem(const oracle_trial_t *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void problem(const oracle_trial_t *trial, const char *format, ...) {
  sli_string_t text = {0};
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&text, format, args);
  va_end(args);
  progress->problems++;
  if (problems_of_op++ < 3) fprintf(stderr, "%s\n    %s\n", sli_string_text(&text), progress->trial);
  sli_string_deinitialize(&text);
}

// A name that ends with a star means all ops with that prefix.
static bool is_named(const char *name, const char *pattern) {
  size_t length = strlen(pattern);
  return pattern[length - 1] == '*' ? strncmp(name, pattern, length - 1) == 0 : strcmp(name, pattern) == 0;
}

typedef struct {
  const char *name, *reason;
} exception_t;

// Ops that can give no result here.
static const exception_t fruitless[] = {
    {"Placeholder*", "must be fed"},
    {"PyFunc", "needs Python"},
    {"Collective*", "needs a group: tests/life/collective_test.c"},
    {"PartitionedCall", "needs a function: golden cases functions and functional_ops"},
    {"StatefulPartitionedCall", "likewise"},
    {"If", "likewise"},
    {"StatelessIf", "likewise"},
    {"Case", "likewise"},
    {"StatelessCase", "likewise"},
    {"While", "likewise"},
    {"StatelessWhile", "likewise"},
    {"For", "likewise"},
    {"SymbolicGradient", "likewise"},
    {"RemoteCall", "likewise"},
    {"MapDefun", "likewise"},
    {"ReaderRestoreState*", "needs a state that a reader gave: ops/io/reader_test.c"},
    {"Unstage", "needs Stage under the same name: ops/queue/stage_test.c"},
    {"MapPeek", "needs MapStage under the same name: golden case map_stages"},
    {"MapUnstage*", "likewise"},
    {"OrderedMapPeek", "likewise"},
    {"OrderedMapUnstage*", "likewise"},
    {"ConsumeMutexLock", "needs a lock: golden case map_stages"},
    {"DeserializeSparse", "needs tensors that were serialized: golden case sparse_batches"},
    {"DeserializeManySparse", "likewise"},
    {"TakeManySparseFromTensorsMap", "needs a map with tensors in it: golden case sparse_batches"},
    {"TensorMapLookup", "needs a key that was inserted: golden case tensor_lists"},
    {"TensorMapErase", "likewise"},
    {"TensorMapStackKeys", "needs keys of one shape: golden case tensor_lists"},
    {"TensorListPushBackBatch", "needs a vector of lists: golden case tensor_lists"},
    {"OneShotIterator", "needs a function: tests/interop"},
    {"IteratorGetNext*", "needs a dataset in the iterator: ops/data/dataset_test.c"},
    {"IteratorFromStringHandle*", "needs the text of a handle: ops/data/dataset_test.c"},
    {"_Recv", "needs a sender"},
    {"Recv", "needs a sender"},
    {"UncompressElement", "needs a packed element: golden case sets_and_more"},
    {"RecordInput", "needs files of records: ops/io/record_input_test.c"},
    {"GetSessionTensor", "needs a handle that the session gave: ops/state/session_tensor_test.c"},
    {"DeleteSessionTensor", "likewise"},
    {"_HostRecv", "needs a sender"},
    {"DestroyTemporaryVariable", "needs TemporaryVariable in the same step: ops/state/state_test.c"},
};

// Ops that promise a shape and give another, as TensorFlow's do.
static const exception_t careless[] = {
    {"LoopCond", "a scalar"},
    {"PlaceholderWithDefault", "the attribute shape"},
    {"TensorArray*", "the flow, a scalar"},
    {"ResourceConditionalAccumulator", "a handle of the old form"},
    {"StackV2", "a handle of the old form"},
    {"TensorListGetItem", "the shape that its input says"},
    {"TensorListPopBack", "likewise"},
};

static bool is_among(const char *name, const exception_t *exceptions, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (is_named(name, exceptions[i].name)) return true;
  }
  return false;
}
#define IS_AMONG(name, exceptions) is_among(name, exceptions, SLI_ARRAY_COUNT_OF(exceptions))

// ---- What must hold ----------------------------------------------------------

static bool same_plain(const sli_tensor_t *a, const sli_tensor_t *b) {
  size_t size = sli_dtype_size((sli_dtype_t)a->dtype);
  bool has_nans = sli_types_contain(SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, (sli_dtype_t)a->dtype);
  if (!a->count || memcmp(a->data, b->data, sli_tensor_bytes(a)) == 0) return true;
  if (!has_nans) return false;
  // Two NaNs may differ in their bits.
  sli_string_t left = {0}, right = {0};
  bool same = true;
  for (int64_t i = 0; i < a->count && same; i++) {
    if (memcmp((char *)a->data + i * size, (char *)b->data + i * size, size) == 0) continue;
    sli_tensor_t *x = sli_tensor_view((sli_tensor_t *)a, (sli_dtype_t)a->dtype, i, NULL, 0);
    sli_tensor_t *y = sli_tensor_view((sli_tensor_t *)b, (sli_dtype_t)b->dtype, i, NULL, 0);
    sli_string_clear(&left);
    sli_string_clear(&right);
    sli_tensor_append_values(&left, x, 1);
    sli_tensor_append_values(&right, y, 1);
    same = strstr(sli_string_text(&left), "nan") && strstr(sli_string_text(&right), "nan");
    sli_tensor_release(x);
    sli_tensor_release(y);
  }
  sli_string_deinitialize(&left);
  sli_string_deinitialize(&right);
  return same;
}

static bool same_tensor(const sli_tensor_t *a, const sli_tensor_t *b) {
  if (!a || !b) return a == b;
  if (a->dtype != b->dtype || !sli_tensor_same_shape(a, b)) return false;
  if (a->dtype == SLI_DTYPE_STRING) {
    for (int64_t i = 0; i < a->count; i++) {
      if (!sli_view_equal(sli_tensor_string_at(a, i), sli_tensor_string_at(b, i))) return false;
    }
    return true;
  }
  return !sli_dtype_is_plain((sli_dtype_t)a->dtype) || same_plain(a, b);
}

// Control flow leaves out what is dead.
static bool may_omit_outputs(const sli_op_t *op) { return op->def->control_flow == SLI_OP_CONTROL_FLOW_SWITCH; }

static bool share_memory(const sli_tensor_t *a, const sli_tensor_t *b) {
  const char *first = a->data, *second = b->data;
  return first < second + sli_tensor_bytes(b) && second < first + sli_tensor_bytes(a);
}

// Outputs have memory of their own unless the op's row says |forwards_input|.
static void check_memory(const oracle_trial_t *trial, const oracle_result_t *result) {
  if (trial->node.op->def->forwards_input || trial->node.op->def->keeps_inputs) return;
  for (int i = 0; i < trial->node.output_count; i++) {
    for (int k = 0; result->outputs[i].tensor && k < trial->node.input_count; k++) {
      if (trial->inputs[k].tensor && share_memory(result->outputs[i].tensor, trial->inputs[k].tensor))
        problem(trial, "output %d shares memory with input %d, but .forwards_input is not set", i, k);
    }
  }
}

// Nobody holds an input after the run unless the op's row says |keeps_inputs|.
static void check_kept(const oracle_trial_t *trial, const bool *was_exclusive) {
  for (int i = 0; i < trial->node.input_count && !trial->node.op->def->keeps_inputs; i++) {
    if (was_exclusive[i] && !sli_tensor_is_exclusive(trial->inputs[i].tensor))
      problem(trial, "keeps input %d, but .keeps_inputs is not set", i);
  }
}

static void check_outputs(const oracle_trial_t *trial, const oracle_result_t *result) {
  for (int i = 0; i < trial->node.output_count; i++) {
    const sli_kernel_value_t *output = &result->outputs[i];
    sli_dtype_t declared = trial->node.output_types[i];
    if (!output->tensor && !output->variable) {
      if (!may_omit_outputs(trial->node.op)) problem(trial, "output %d is missing", i);
      continue;
    }
    sli_dtype_t given =
        output->tensor ? (sli_dtype_t)output->tensor->dtype : sli_dtype_make_ref(output->variable->dtype);
    if (given != declared) problem(trial, "output %d has type %s", i, sli_dtype_name(given));
  }
}

static void check_shapes(oracle_trial_t *trial, const oracle_result_t *result, const sli_shape_t *shapes,
                         oracle_knowledge_t knowledge) {
  for (int i = 0; i < trial->node.output_count; i++) {
    sli_tensor_t *tensor = result->outputs[i].tensor;
    if (!tensor || sli_shape_is_compatible(shapes[i], sli_tensor_shape(tensor))) continue;
    char *inferred = sli_shape_to_text(shapes[i]), *actual = sli_shape_to_text(sli_tensor_shape(tensor));
    problem(trial, "output %d has shape %s, inferred %s (values known: %d%%, dimensions: %d%%)", i, actual, inferred,
            knowledge.constants, knowledge.known);
    free(inferred);
    free(actual);
  }
}

// Infers with different knowledge.
static void infer_all_ways(oracle_trial_t *trial, oracle_random_t *random, const oracle_result_t *result) {
  static const oracle_knowledge_t all[] = {{100, 100}, {0, 100}, {50, 50}, {50, 0}, {0, 60}, {0, 0}};
  for (size_t k = 0; k < SLI_ARRAY_COUNT_OF(all); k++) {
    sli_shape_t shapes[ORACLE_MOST_VALUES];
    sli_status_t *status = oracle_infer(trial, random, all[k], shapes);
    if (!status && !result->status && !IS_AMONG(trial->node.op->def->name, careless))
      check_shapes(trial, result, shapes, all[k]);
    sli_status_release(status);
  }
}

static void check_wrong_type(const oracle_trial_t *trial, oracle_random_t *random) {
  const sli_node_def_t *node = &trial->node;
  if (!node->input_count) return;
  sli_dtype_t types[ORACLE_MOST_VALUES];
  memcpy(types, node->input_types, (size_t)node->input_count * sizeof(types[0]));
  int index = oracle_below(random, node->input_count);
  types[index] = sli_dtype_base(types[index]) == SLI_DTYPE_INT16 ? SLI_DTYPE_STRING : SLI_DTYPE_INT16;
  sli_node_request_t request = {.name = "n",
                                .device = "",
                                .op = node->op,
                                .attrs = node->attrs,
                                .attr_count = node->attr_count,
                                .input_types = types,
                                .input_count = node->input_count};
  sli_arena_t arena = {0};
  sli_node_def_t other;
  sli_status_t *status = sli_node_def_complete(&request, &arena, &other);
  if (!status) {
    problem(trial, "takes %s for input %d", sli_dtype_name(types[index]), index);
    sli_node_def_release_tensors(&other);
  }
  sli_status_release(status);
  sli_arena_deinitialize(&arena);
}

static bool is_repeatable(const oracle_trial_t *trial) {
  if (trial->node.op->def->is_stateful) return false;
  for (int i = 0; i < trial->node.input_count; i++) {
    if (trial->inputs[i].variable || trial->node.input_types[i] == SLI_DTYPE_RESOURCE) return false;
  }
  // A handle in the form of a string.
  return !trial->node.op->input_count || strcmp(trial->node.op->inputs[0].name, "handle") != 0;
}

static void compare_runs(const oracle_trial_t *trial, const oracle_result_t *a, const oracle_result_t *b) {
  if (!a->status != !b->status) {
    const char *message = sli_status_message(a->status ? a->status : b->status);
    problem(trial, "one run of two fails: %s", message);
    return;
  }
  for (int i = 0; !a->status && i < trial->node.output_count; i++) {
    if (!same_tensor(a->outputs[i].tensor, b->outputs[i].tensor)) problem(trial, "output %d differs in place", i);
  }
}

// ---- Dump --------------------------------------------------------------------

static void write_block(const sli_string_t *bytes) {
  uint32_t size = (uint32_t)bytes->size;
  fwrite(&size, sizeof(size), 1, dump);
  if (size) fwrite(bytes->data, 1, size, dump);
}

// NodeDef, number of inputs, each as TensorProto; lengths before each.
static void write_trial(const oracle_trial_t *trial) {
  sli_string_t bytes = {0};
  sli_wire_write_text(&bytes, SLI_FIELD_NODE_DEF_NAME, "n");
  sli_wire_write_text(&bytes, SLI_FIELD_NODE_DEF_OP, trial->node.op->def->name);
  for (size_t i = 0; i < trial->node.attr_count; i++) {
    sli_string_t value = {0};
    sli_attr_encode(&trial->node.attrs[i].value, &value);
    size_t entry = sli_wire_open(&bytes, SLI_FIELD_NODE_DEF_ATTR);
    sli_wire_write_text(&bytes, SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY, trial->node.attrs[i].name);
    sli_wire_write_bytes(&bytes, SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE, value.data, value.size);
    sli_wire_close(&bytes, entry);
    sli_string_deinitialize(&value);
  }
  write_block(&bytes);
  uint32_t counts[] = {(uint32_t)trial->node.input_count, trial->is_tame};
  fwrite(counts, sizeof(counts), 1, dump);
  for (int i = 0; i < trial->node.input_count; i++) {
    sli_string_clear(&bytes);
    sli_tensor_encode_flat(trial->inputs[i].tensor, &bytes);
    write_block(&bytes);
  }
  fflush(dump);
  sli_string_deinitialize(&bytes);
}

// Whether a Python client can feed it: no objects, no numbers of less than eight bits or in two formats of eight.
static bool is_comparable(const oracle_trial_t *trial) {
  for (int i = 0; i < trial->node.input_count; i++) {
    sli_dtype_t type = trial->node.input_types[i];
    if (type != SLI_DTYPE_STRING && (!sli_dtype_is_plain(type) || type >= SLI_DTYPE_FLOAT8_E5M2)) return false;
  }
  return is_repeatable(trial);
}

// ---- Trials ------------------------------------------------------------------

static void describe(const oracle_trial_t *trial, uint64_t seed) {
  sli_string_t text = {0};
  oracle_trial_append(&text, trial);
  snprintf(progress->trial, sizeof(progress->trial), "%s [seed %llu]", sli_string_text(&text),
           (unsigned long long)seed);
  sli_string_deinitialize(&text);
  if (only) fprintf(stderr, "%s\n", progress->trial);
}

static void run_trial(oracle_world_t *world, oracle_random_t *random, oracle_trial_t *trial) {
  if (dump && is_comparable(trial)) write_trial(trial);
  check_wrong_type(trial, random);
  sli_tensor_t *before[ORACLE_MOST_VALUES] = {0};
  bool was_exclusive[ORACLE_MOST_VALUES] = {0};
  for (int i = 0; i < trial->node.input_count; i++) {
    if (!trial->inputs[i].tensor) continue;
    SLI_CHECK(!sli_tensor_clone(trial->inputs[i].tensor, &before[i]));
    was_exclusive[i] = sli_tensor_is_exclusive(trial->inputs[i].tensor);
  }
  oracle_result_t result, again;
  oracle_run(world, trial, false, &result);
  progress->runs++;
  progress->good += !result.status;
  progress->good_of_op[progress->next - 1] += !result.status;
  if (only) fprintf(stderr, "  -> %s\n", result.status ? sli_status_message(result.status) : "OK");
  if (!result.status) check_outputs(trial, &result);
  if (!result.status) check_memory(trial, &result);
  for (int i = 0; i < trial->node.input_count; i++) {
    if (before[i] && !same_tensor(before[i], trial->inputs[i].tensor)) problem(trial, "writes into input %d", i);
  }
  infer_all_ways(trial, random, &result);
  if (is_repeatable(trial)) {
    oracle_poison = (uint8_t)~oracle_poison;
    oracle_run(world, trial, true, &again);
    compare_runs(trial, &result, &again);
    oracle_result_release(&again);
  }
  oracle_result_release(&result);
  if (!is_repeatable(trial)) check_kept(trial, was_exclusive);  // else the second run has used up the inputs
  for (int i = 0; i < trial->node.input_count; i++) sli_tensor_release(before[i]);
}

static int number_from_environment(const char *name, int otherwise) {
  const char *text = getenv(name);
  int64_t value;
  return text && sli_view_to_int64(sli_view(text), &value) ? (int)value : otherwise;
}

static void try_kernel(const sli_op_t *op, const sli_kernel_def_t *kernel, sli_dtype_t dtype) {
  oracle_world_t world;
  oracle_world_initialize(&world);
  int trials = number_from_environment("ORACLE_TRIALS", USUAL_TRIALS);
  for (int i = 0; i < trials; i++) {
    uint64_t seed = sli_hash_bytes(op->def->name, strlen(op->def->name)) + (uint64_t)dtype * 1000003 +
                    (uint64_t)(i + number_from_environment("ORACLE_SEED", 1) * 10000);
    oracle_random_t random = {seed};
    oracle_trial_t trial;
    alarm(SECONDS_PER_TRIAL);
    snprintf(progress->trial, sizeof(progress->trial), "%s of %s [seed %llu], while its inputs were made",
             op->def->name, sli_dtype_name(dtype), (unsigned long long)seed);
    oracle_trial_make(&world, &random, op, kernel, dtype, &trial);
    if (trial.is_complete) {
      describe(&trial, seed);
      run_trial(&world, &random, &trial);
    } else if (only) {
      fprintf(stderr, "refused: %s\n", sli_status_message(trial.refusal));
    }
    oracle_trial_release(&trial);
  }
  oracle_world_deinitialize(&world);
}

static void try_row(const sli_op_t *op, const sli_kernel_def_t *kernel) {
  const char *attr = kernel->types ? "T" : kernel->where[0].attr;
  sli_types_t types = kernel->types ? kernel->types : kernel->where[0].types;
  const sli_attr_spec_t *spec = attr ? sli_op_attr_spec(op, attr) : NULL;
  if (!spec) {
    try_kernel(op, kernel, SLI_DTYPE_INVALID);
    return;
  }
  if (spec->allowed_types) types &= spec->allowed_types;
  for (int type = 1; type < 64; type++) {
    if ((types >> type & 1) && sli_dtype_is_valid(type)) try_kernel(op, kernel, (sli_dtype_t)type);
  }
}

static void try_op(const sli_op_module_t *module, const char *name) {
  const sli_op_t *op = sli_op_find(sli_view(name));
  for (size_t m = 0; sli_op_modules[m]; m++) {
    for (size_t k = 0; k < sli_op_modules[m]->kernel_count; k++) {
      const sli_kernel_def_t *kernel = &sli_op_modules[m]->kernels[k];
      if (strcmp(kernel->op, name) == 0 && (!kernel->device || strcmp(kernel->device, "CPU") == 0)) try_row(op, kernel);
    }
  }
}

// All ops from |progress->next| on.
static void try_ops(void) {
  size_t index = 0;
  for (size_t m = 0; sli_op_modules[m]; m++) {
    if (sli_op_modules[m]->is_private) continue;
    for (size_t i = 0; i < sli_op_modules[m]->op_count; i++, index++) {
      const char *name = sli_op_modules[m]->ops[i].name;
      if (index < progress->next) continue;
      progress->next = index + 1;
      problems_of_op = 0;
      if ((!only || is_named(name, only))) try_op(sli_op_modules[m], name);
    }
  }
  progress->next = SIZE_MAX;
}

// ---- Children ----------------------------------------------------------------

static void show_file(const char *path) {
  FILE *file = fopen(path, "re");
  char buffer[4096];
  size_t total = 0;
  for (size_t size; file && (only || total < 64 * 1024) && (size = fread(buffer, 1, sizeof(buffer), file)) > 0;
       total += size) {
    fwrite(buffer, 1, size, stderr);
  }
  if (file) fclose(file);
}

static void run_child(const char *folder, const char *log) {
  // What ops print, and files that they write, go there.
  if (!freopen(log, "w", stderr) || !freopen("/dev/null", "w", stdout) || chdir(folder) != 0) _exit(99);
  setvbuf(stderr, NULL, _IOLBF, 4096);
  FILE *file = fopen("file", "we");
  if (!file || fputs("a,b\n1,2\n", file) < 0 || fclose(file) != 0) _exit(99);
  const char *path = getenv("ORACLE_DUMP");
  dump = path ? fopen(path, "ab") : NULL;
  try_ops();
  if (dump) fclose(dump);
  exit(0);  // not _exit: the leak checker looks at what is left
}

// An op without a single result was hardly tried: it wants a form in oracle_rows.h. A few may be without.
static void expect_results(void) {
  size_t index = 0, barren = 0;
  for (size_t m = 0; sli_op_modules[m]; m++) {
    if (sli_op_modules[m]->is_private) continue;
    for (size_t i = 0; i < sli_op_modules[m]->op_count; i++, index++) {
      const char *name = sli_op_modules[m]->ops[i].name;
      const sli_op_t *op = sli_op_find(sli_view(name));
      bool is_tried = (!only || is_named(name, only)) && sli_kernel_exists(op, "CPU") && !IS_AMONG(name, fruitless);
      // A dataset's types must be those of its input, which random types are not: golden cases dataset_*.
      is_tried &= !strstr(name, "Dataset");
      if (!is_tried || progress->good_of_op[index]) continue;
      printf("%s: no trial gave a result\n", name);
      barren++;
    }
  }
  SLI_EXPECT(barren <= index / 20);
}

SLI_TEST(test_random_inputs_give_a_result_or_a_status) {
  only = getenv("ORACLE_ONLY");
  progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  SLI_REQUIRE(progress != MAP_FAILED);
  static char log[256];  // not on the stack, where the child's leak checker would miss it
  snprintf(log, sizeof(log), "%s/log", sli_test_temporary_dir());
  while (progress->next != SIZE_MAX) {
    progress->problems = 0;
    pid_t child = fork();
    if (child == 0) run_child(sli_test_temporary_dir(), log);
    int status = 0;
    SLI_REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status))
      sli_test_fail(__FILE__, __LINE__, "%s at %s",
                    WTERMSIG(status) == SIGALRM ? "no end" : strsignal(WTERMSIG(status)), progress->trial);
    else if (WEXITSTATUS(status))
      sli_test_fail(__FILE__, __LINE__, "exit code %d at %s", WEXITSTATUS(status), progress->trial);
    else if (progress->problems)
      sli_test_fail(__FILE__, __LINE__, "%ld problems", progress->problems);
    if (status || progress->problems || only) show_file(log);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99) break;
  }
  printf("%ld runs, %ld with a result\n", progress->runs, progress->good);
  expect_results();
  munmap(progress, sizeof(*progress));
}

SLI_TEST_MAIN(test_random_inputs_give_a_result_or_a_status)
