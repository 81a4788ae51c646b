// Compares gradients with central finite differences. Each differentiable op has a small graph; the weighted sum of its
// outputs is differentiated by the library, and numerically by moving each element of each input. Every row runs twice,
// with known and with unknown shapes, since many gradients are simpler for known shapes.
//
// Inputs are written as words: a letter, dimensions in brackets (none: a scalar), values in braces. Letters:
//   x  differentiated, in (-1, 1)     p  in (0.5, 2.5)    u  in (0.1, 0.9)    g  in (1.2, 3.2)
//   c  differentiated, complex        k  floating, not differentiated
//   i, l, s  int32, int64, int16      b  bool
// Attributes are written as "name=value", lists with commas. The environment variable GRADIENT_ONLY=Op selects one op.
#include <math.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/test.h"
#include "graph/gradients/gradients.h"
#include "graph/import.h"
#include "runtime/session/session.h"

typedef struct {
  const char *op, *inputs, *attrs;
  bool single;        // in float: the op has no double
  bool needs_shapes;  // the gradient wants them known beforehand
  int outputs;        // how many outputs count, from the first; 0: all
} row_t;

#include "tests/oracle/gradients_rows.h"

// Why ops are not in the rows. A name that ends with a star means all ops with that prefix.
static const struct {
  const char *name, *reason;
} exempt[] = {
    {"Optional*", "a pair of ops with a variant between them: golden case optionals"},
    {"EmbeddingCombine", "needs the places of a route: tests/train/embedding_test.c"},
    {"Switch", "control flow: tests/golden/cases/cond_while"},
    {"Merge", "control flow"},
    {"Enter", "control flow"},
    {"Exit", "control flow"},
    {"NextIteration", "control flow"},
    {"LoopCond", "control flow"},
    {"Ref*", "the same functions on reference edges"},
    {"TensorArray*", "needs a resource: tests/golden/cases/tensor_array"},
    {"Ragged*", "needs lists of splits: tests/golden/loop_gradients/ragged"},
    {"SparseDenseCwiseAdd", "its gradient is an error"},
    {"SparseSparse*", "its gradient is an error"},
    {"TensorList*", "needs a list: tests/golden/loop_gradients/tensor_lists"},
    {"ReadVariableOp", "needs a resource: tests/golden/cases/resource_variable"},
    {"ResourceGather*", "needs a resource: tests/golden/cases/resource_variable"},
    {"PreventGradient", "its gradient is an error"},
    {"EagerPyFunc", "its gradient is an error: Python alone knows it"},
    {"While", "its gradient is an error: Python builds it as another loop"},
    {"StatelessWhile", "likewise"},
    {"If", "needs functions: tests/capi/function_test.c"},
    {"StatelessIf", "likewise"},
    {"Case", "likewise"},
    {"StatelessCase", "likewise"},
    {"PartitionedCall", "likewise"},
    {"StatefulPartitionedCall", "likewise"},
    {"Cholesky", "symmetric, where the op reads one triangle: src/ops/linalg/linalg_test.c"},
    {"StatelessRandomGamma*", "implicit differentiation, as RandomGamma"},
    {"StatelessParameterizedTruncatedNormal", "implicit differentiation, as RandomGamma"},
    {"BlockLSTM*", "only two outputs have gradients: tests/golden/cases/nn_recurrent"},
    {"Fractional*", "random windows: tests/golden/cases/nn_windows"},
    {"FakeQuantWithMinMaxVars*", "steps: the gradient is that without them, tests/golden/cases/quantize_fake"},
    {"QuantizeAndDequantize*", "steps: tests/golden/cases/quantize_rounded"},
    {"RandomGamma", "implicit differentiation: not how the sampler itself moves"},
};

enum { MOST_INPUTS = 12, MOST_OUTPUTS = 8, MOST_ATTRS = 12 };

// One input of a row.
typedef struct {
  char letter;
  sli_tensor_t *value;
  const char *name;  // of the placeholder, with ":0"
  sli_output_t output;
  double *gradient;  // sums of what the graph gives; NULL: not differentiated
} input_t;

typedef struct {
  const row_t *row;
  bool shapes;  // known beforehand
  sli_graph_t *graph;
  sli_session_t *session;
  input_t inputs[2 * MOST_INPUTS];  // placeholders: a complex input has two
  int input_count;
  sli_output_t operands[MOST_INPUTS];  // of the op
  int operand_count;
  sli_output_t ys[MOST_OUTPUTS];  // what is summed
  sli_tensor_t *weights[MOST_OUTPUTS];
  int y_count;
} check_t;

static void fail(const check_t *check, const char *what, const char *detail) {
  sli_test_fail(check->row->op, check->shapes, "%s %s: %s: %s", check->row->op, check->row->inputs, what, detail);
}

// Values that look random, differ from each other and are the same in every run.
static double pseudo(int64_t i, int salt) {
  double x = sin((double)(i + 1) * 12.9898 + salt * 78.233) * 43758.5453;
  return x - floor(x);
}

static double value_of(char letter, int64_t i, int salt) {
  double u = pseudo(i, salt);
  switch (letter) {
    case 'p': return 0.5 + 2 * u;
    case 'u': return 0.1 + 0.8 * u;
    case 'g': return 1.2 + 2 * u;
    default: return 2 * u - 1;
  }
}

static double get(const sli_tensor_t *tensor, int64_t i) {
  return tensor->dtype == SLI_DTYPE_FLOAT ? SLI_DATA(float, tensor)[i] : SLI_DATA(double, tensor)[i];
}

static void put(sli_tensor_t *tensor, int64_t i, double value) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: SLI_DATA(float, tensor)[i] = (float)value; break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, tensor)[i] = value; break;
    case SLI_DTYPE_INT32: SLI_DATA(int32_t, tensor)[i] = (int32_t)value; break;
    case SLI_DTYPE_INT64: SLI_DATA(int64_t, tensor)[i] = (int64_t)value; break;
    case SLI_DTYPE_INT16: SLI_DATA(int16_t, tensor)[i] = (int16_t)value; break;
    default: SLI_DATA(bool, tensor)[i] = value != 0;
  }
}

static sli_dtype_t real_type(const check_t *check) { return check->row->single ? SLI_DTYPE_FLOAT : SLI_DTYPE_DOUBLE; }

static sli_tensor_t *make_tensor(sli_dtype_t dtype, sli_shape_t shape) {
  sli_tensor_t *tensor = NULL;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), dtype, shape.dims, shape.rank, &tensor));
  SLI_CHECK(tensor);
  return tensor;
}

static sli_output_t add_node(check_t *check, const char *op, const sli_output_t *inputs, int input_count,
                             const sli_attr_entry_t *attrs, size_t attr_count) {
  sli_graph_node_t request = {.op = op,
                              .name = sli_graph_unique_name(check->graph, op),
                              .inputs = inputs,
                              .input_count = (size_t)input_count,
                              .attrs = attrs,
                              .attr_count = attr_count,
                              .infer = true};
  sli_node_t *node = NULL;
  sli_status_t *status = sli_graph_add(check->graph, &request, &node);
  if (status) fail(check, op, sli_status_message(status));
  sli_status_release(status);
  return (sli_output_t){node, 0};
}

static const char *tensor_name(check_t *check, sli_output_t output) {
  char *text = sli_format("%s:%d", output.node->def.name, output.index);
  const char *kept = sli_arena_strndup(&check->graph->arena, text, strlen(text));
  free(text);
  return kept;
}

// A placeholder that is fed |value| (consumed).
static sli_output_t add_placeholder(check_t *check, char letter, sli_tensor_t *value) {
  sli_shape_t shape = check->shapes ? sli_tensor_shape(value) : SLI_SHAPE_UNKNOWN;
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", (sli_dtype_t)value->dtype), SLI_ATTR_SHAPE_OF("shape", shape)};
  sli_output_t output = add_node(check, "Placeholder", NULL, 0, attrs, 2);
  bool differentiated = strchr("xpugc", letter) != NULL;
  check->inputs[check->input_count++] =
      (input_t){.letter = letter,
                .value = value,
                .name = output.node ? tensor_name(check, output) : "",
                .output = output,
                .gradient = differentiated ? sli_calloc((size_t)value->count + 1, sizeof(double)) : NULL};
  return output;
}

static sli_output_t add_constant(check_t *check, sli_tensor_t *value) {
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", (sli_dtype_t)value->dtype), SLI_ATTR_TENSOR_OF("value", value)};
  sli_output_t output = add_node(check, "Const", NULL, 0, attrs, 2);
  sli_tensor_release(value);
  return output;
}

// The dims in "[2,3]" and the values in "{1,2}" of one word.
static int parse_numbers(const char *text, char open, double *out, int capacity) {
  const char *at = strchr(text, open);
  int count = 0;
  if (!at) return -1;
  for (at++; *at && *at != ']' && *at != '}' && count < capacity;) {
    char *end;
    out[count++] = strtod(at, &end);
    at = *end == ',' ? end + 1 : end;
    if (end == at && *at != ']' && *at != '}') break;
  }
  return count;
}

static sli_tensor_t *parse_value(check_t *check, const char *word, int salt) {
  static const struct {
    char letter;
    sli_dtype_t dtype;
  } types[] = {{'i', SLI_DTYPE_INT32}, {'l', SLI_DTYPE_INT64}, {'s', SLI_DTYPE_INT16}, {'b', SLI_DTYPE_BOOL}};
  double numbers[512];
  int64_t dims[8];
  int rank = parse_numbers(word, '[', numbers, 8);
  if (rank < 0) rank = 0;
  for (int d = 0; d < rank; d++) dims[d] = (int64_t)numbers[d];
  sli_dtype_t dtype = real_type(check);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(types); i++)
    if (types[i].letter == word[0]) dtype = types[i].dtype;
  sli_tensor_t *tensor = make_tensor(dtype, (sli_shape_t){rank, dims});
  int given = parse_numbers(word, '{', numbers, 512);
  for (int64_t i = 0; i < tensor->count; i++) {
    double value = given > 0 ? numbers[i % given] : value_of(word[0], i, salt);
    put(tensor, i, given < 0 && dtype != real_type(check) ? (double)i : value);
  }
  return tensor;
}

static void add_input(check_t *check, const char *word) {
  int salt = check->operand_count + 1;
  sli_tensor_t *value = parse_value(check, word, salt);
  sli_output_t output;
  if (word[0] == 'c') {
    sli_output_t parts[] = {add_placeholder(check, 'c', value),
                            add_placeholder(check, 'c', parse_value(check, word, salt + 50))};
    sli_dtype_t dtype = check->row->single ? SLI_DTYPE_COMPLEX64 : SLI_DTYPE_COMPLEX128;
    sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("Tout", dtype)};
    output = add_node(check, "Complex", parts, 2, attrs, 1);
  } else if (strchr("xpugk", word[0])) {
    output = add_placeholder(check, word[0], value);
  } else {
    output = add_constant(check, value);
  }
  check->operands[check->operand_count++] = output;
}

// "strides=1,2" by the op's own definition of the attribute.
static sli_attr_entry_t parse_attr(check_t *check, const sli_op_t *op, char *word) {
  sli_arena_t *arena = &check->graph->arena;
  char *value = strchr(word, '=');
  *value++ = '\0';
  const sli_attr_spec_t *spec = sli_op_attr_spec(op, word);
  sli_attr_entry_t entry = {sli_arena_strndup(arena, word, strlen(word)), {.kind = spec ? spec->kind : SLI_ATTR_NONE}};
  if (!spec) {
    fail(check, "no attribute", word);
  } else if (spec->is_list) {
    double numbers[16];
    char *braced = sli_format("{%s}", value);
    int count = parse_numbers(braced, '{', numbers, 16);
    int64_t *list = sli_arena_allocate(arena, sizeof(*list) * 16);
    for (int i = 0; i < count; i++) list[i] = (int64_t)numbers[i];
    entry.value.is_list = true;
    entry.value.count = (size_t)count;
    entry.value.list.i = list;
    free(braced);
  } else {
    switch (spec->kind) {
      case SLI_ATTR_INT: entry.value.i = strtoll(value, NULL, 10); break;
      case SLI_ATTR_FLOAT: entry.value.f = strtof(value, NULL); break;
      case SLI_ATTR_BOOL: entry.value.b = value[0] == 't'; break;
      case SLI_ATTR_TYPE: entry.value.type = sli_dtype_from_name(sli_view(value)); break;
      case SLI_ATTR_SHAPE: entry.value.shape = SLI_SHAPE_UNKNOWN; break;
      default: entry.value.s = sli_view(sli_arena_strndup(arena, value, strlen(value)));
    }
  }
  return entry;
}

// Adds the op; its floating outputs (complex ones as two parts) become what is summed.
static bool build(check_t *check) {
  const sli_op_t *op = sli_op_find(sli_view(check->row->op));
  if (!op) {
    fail(check, "no such op", check->row->op);
    return false;
  }
  char *copy = sli_strdup(check->row->inputs), *rest = copy;
  for (char *word; (word = strsep(&rest, " "));) add_input(check, word);
  free(copy);
  sli_attr_entry_t attrs[MOST_ATTRS];
  int attr_count = 0;
  copy = sli_strdup(check->row->attrs ? check->row->attrs : "");
  rest = copy;
  for (char *word; (word = strsep(&rest, " "));)
    if (*word) attrs[attr_count++] = parse_attr(check, op, word);
  free(copy);
  sli_output_t output =
      add_node(check, check->row->op, check->operands, check->operand_count, attrs, (size_t)attr_count);
  if (!output.node) return false;
  int count = output.node->def.output_count;
  if (check->row->outputs && check->row->outputs < count) count = check->row->outputs;
  for (int i = 0; i < count; i++) {
    sli_output_t y = {output.node, i};
    sli_dtype_t dtype = sli_graph_output_dtype(y);
    if (sli_types_contain(SLI_TYPES_COMPLEX, dtype)) {
      sli_attr_entry_t part[] = {SLI_ATTR_TYPE_OF("Tout", real_type(check))};
      check->ys[check->y_count++] = add_node(check, "Real", &y, 1, part, 1);
      check->ys[check->y_count++] = add_node(check, "Imag", &y, 1, part, 1);
    } else if (dtype == SLI_DTYPE_FLOAT || dtype == SLI_DTYPE_DOUBLE) {
      check->ys[check->y_count++] = y;
    }
  }
  return true;
}

static bool open_session(check_t *check) {
  sli_string_t bytes = {0};
  sli_graph_export(check->graph, &bytes);
  sli_status_t *status = sli_direct_session_create(sli_view(""), &check->session);
  if (!status) status = check->session->vtable->extend(check->session, sli_view_of(bytes.data, bytes.size));
  if (status) fail(check, "session", sli_status_message(status));
  bool opened = !status;
  sli_status_release(status);
  sli_string_deinitialize(&bytes);
  return opened;
}

static void close_session(check_t *check) {
  if (!check->session) return;
  sli_status_release(check->session->vtable->close(check->session));
  check->session->vtable->destroy(check->session);
  check->session = NULL;
}

static bool run(check_t *check, const char *const *fetches, int fetch_count, sli_tensor_t **out) {
  const char *names[2 * MOST_INPUTS];
  sli_tensor_t *feeds[2 * MOST_INPUTS];
  for (int i = 0; i < check->input_count; i++) names[i] = check->inputs[i].name, feeds[i] = check->inputs[i].value;
  sli_session_run_t request = {.feed_names = names,
                               .feeds = feeds,
                               .feed_count = (size_t)check->input_count,
                               .fetch_names = fetches,
                               .fetch_count = (size_t)fetch_count};
  sli_status_t *status = check->session->vtable->run(check->session, &request, out);
  if (status) fail(check, "run", sli_status_message(status));
  bool good = !status;
  sli_status_release(status);
  return good;
}

// The weighted sum of all outputs; makes the weights when it runs first.
static bool weighted_sum(check_t *check, double *out_sum) {
  const char *names[MOST_OUTPUTS];
  sli_tensor_t *values[MOST_OUTPUTS] = {0};
  for (int i = 0; i < check->y_count; i++) names[i] = tensor_name(check, check->ys[i]);
  *out_sum = 0;
  if (!check->y_count) return true;  // all are whole numbers: nothing to differentiate
  if (!run(check, names, check->y_count, values)) return false;
  for (int i = 0; i < check->y_count; i++) {
    if (!check->weights[i]) {
      check->weights[i] = make_tensor((sli_dtype_t)values[i]->dtype, sli_tensor_shape(values[i]));
      for (int64_t k = 0; k < values[i]->count; k++) put(check->weights[i], k, 2 * pseudo(k, 100 + i) - 0.7);
    }
    for (int64_t k = 0; k < values[i]->count; k++) *out_sum += get(check->weights[i], k) * get(values[i], k);
    sli_tensor_release(values[i]);
  }
  return true;
}

// Adds the gradient of |input| as the graph computes it; IndexedSlices are made dense.
static bool fetch_gradient(check_t *check, input_t *input, const sli_gradient_slices_t *gradient) {
  if (!gradient->values.node) return true;  // nothing depends on it: zeros
  const char *names[] = {tensor_name(check, gradient->values),
                         gradient->indices.node ? tensor_name(check, gradient->indices) : ""};
  sli_tensor_t *got[2] = {0};
  int count = gradient->indices.node ? 2 : 1;
  if (!run(check, names, count, got)) return false;
  bool good = true;
  if (count == 1) {
    good = sli_tensor_same_shape(got[0], input->value);
    if (!good) {
      char *shape = sli_shape_to_text(sli_tensor_shape(got[0]));
      fail(check, "the gradient has another shape than the input", shape);
      free(shape);
    }
    for (int64_t k = 0; good && k < got[0]->count; k++) input->gradient[k] += get(got[0], k);
  } else {
    int64_t width = got[1]->count ? got[0]->count / got[1]->count : 0;
    for (int64_t r = 0; r < got[1]->count; r++)
      for (int64_t k = 0; k < width; k++)
        input->gradient[sli_tensor_int_at(got[1], r) * width + k] += get(got[0], r * width + k);
  }
  sli_tensor_release(got[0]);
  sli_tensor_release(got[1]);
  return good;
}

static bool add_gradients(check_t *check, sli_gradient_slices_t *out_gradients) {
  sli_output_t xs[2 * MOST_INPUTS], dys[MOST_OUTPUTS];
  int count = 0;
  sli_gradient_slices_t slices[2 * MOST_INPUTS] = {0};
  for (int i = 0; i < check->input_count; i++)
    if (check->inputs[i].gradient) xs[count++] = check->inputs[i].output;
  for (int i = 0; i < check->y_count; i++) dys[i] = add_constant(check, sli_tensor_retain(check->weights[i]));
  sli_gradients_request_t request = {
      .ys = check->ys, .xs = xs, .y_count = (size_t)check->y_count, .x_count = (size_t)count, .dys = dys};
  sli_status_t *status = sli_gradients_add(check->graph, &request, slices);
  if (status) fail(check, "gradients", sli_status_message(status));
  bool good = !status;
  sli_status_release(status);
  for (int i = 0, k = 0; i < check->input_count; i++)
    if (check->inputs[i].gradient) out_gradients[i] = slices[k++];
  return good;
}

// Moves each element of |input| both ways.
static void compare(check_t *check, input_t *input) {
  double step = check->row->single ? 2e-3 : 1e-5, tolerance = check->row->single ? 1e-2 : 2e-6;
  for (int64_t k = 0; k < input->value->count; k++) {
    double x = get(input->value, k), low, high;
    put(input->value, k, x + step);
    bool good = weighted_sum(check, &high);
    put(input->value, k, x - step);
    good = good && weighted_sum(check, &low);
    put(input->value, k, x);
    if (!good) return;
    double wanted = (high - low) / (2 * step), have = input->gradient[k];
    if (fabs(wanted - have) <= tolerance * (1 + fabs(wanted))) continue;
    char *detail =
        sli_format("input %s[%lld] = %.6g: have %.9g, want %.9g", input->name, (long long)k, x, have, wanted);
    fail(check, "gradient", detail);
    free(detail);
    return;
  }
}

static void check_row(const row_t *row, bool shapes) {
  check_t *check = sli_calloc(1, sizeof(*check));
  check->row = row;
  check->shapes = shapes;
  check->graph = sli_graph_create();
  double unused;
  sli_gradient_slices_t gradients[2 * MOST_INPUTS] = {0};
  bool good = build(check) && open_session(check) && weighted_sum(check, &unused);
  close_session(check);
  good = good && add_gradients(check, gradients) && open_session(check);
  for (int i = 0; i < check->input_count && good; i++)
    if (check->inputs[i].gradient) good = fetch_gradient(check, &check->inputs[i], &gradients[i]);
  for (int i = 0; i < check->input_count && good; i++)
    if (check->inputs[i].gradient) compare(check, &check->inputs[i]);
  close_session(check);
  for (int i = 0; i < check->input_count; i++) {
    sli_tensor_release(check->inputs[i].value);
    free(check->inputs[i].gradient);
  }
  for (int i = 0; i < check->y_count; i++) sli_tensor_release(check->weights[i]);
  sli_graph_release(check->graph);
  free(check);
}

static void check_rows(bool shapes) {
  const char *only = getenv("GRADIENT_ONLY");
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++)
    if ((!only || strcmp(only, rows[i].op) == 0) && (shapes || !rows[i].needs_shapes)) check_row(&rows[i], shapes);
}

SLI_TEST(test_gradients_with_known_shapes_equal_differences) { check_rows(true); }
SLI_TEST(test_gradients_with_unknown_shapes_equal_differences) { check_rows(false); }

static void expect_covered(void *context, const sli_op_t *op) {
  const char *name = op->def->name;
  if (!op->def->gradient) return;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++)
    if (strcmp(rows[i].op, name) == 0) return;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(exempt); i++) {
    size_t size = strlen(exempt[i].name);
    bool prefix = exempt[i].name[size - 1] == '*';
    if (prefix ? strncmp(exempt[i].name, name, size - 1) == 0 : strcmp(exempt[i].name, name) == 0) return;
  }
  sli_test_fail(__FILE__, __LINE__, "%s has a gradient, but no row", name);
}

SLI_TEST(test_every_differentiable_op_has_a_row) { sli_op_for_each(expect_covered, NULL); }

SLI_TEST_MAIN(test_gradients_with_known_shapes_equal_differences, test_gradients_with_unknown_shapes_equal_differences,
              test_every_differentiable_op_has_a_row)
