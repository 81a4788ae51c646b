#include "tests/train/golden.h"

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "train/cluster/cluster_spec.h"
#include "train/common/tf_tensor.h"
#include "train/graph/scope.h"

// --- Comparing ---

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// The inputs as in the listings: data inputs, then control inputs sorted by name.
static char *inputs_of(TF_Operation *operation) {
  sli_string_t text = {0};
  for (int i = 0; i < TF_OperationNumInputs(operation); i++) {
    TF_Output input = TF_OperationInput((TF_Input){operation, i});
    const char *name = TF_OperationName(input.oper);
    if (text.size) sli_string_append_char(&text, ' ');
    sli_string_append_text(&text, sli_string_starts_with(name, "gradients") ? "gradient" : name);
    if (input.index && !sli_string_starts_with(name, "gradients")) sli_string_append_format(&text, ":%d", input.index);
  }
  int count = TF_OperationNumControlInputs(operation);
  TF_Operation **controls = sli_calloc((size_t)count, sizeof(TF_Operation *));
  char **names = sli_calloc((size_t)count, sizeof(char *));
  TF_OperationGetControlInputs(operation, controls, count);
  for (int i = 0; i < count; i++) names[i] = sli_format("^%s", TF_OperationName(controls[i]));
  qsort(names, (size_t)count, sizeof(char *), by_text);
  for (int i = 0; i < count; i++) {
    sli_string_append_format(&text, "%s%s", text.size ? " " : "", names[i]);
    free(names[i]);
  }
  free(names);
  free(controls);
  return sli_string_take(&text);
}

static char *class_of(TF_Operation *operation) {
  TF_Status *status = TF_NewStatus();
  char storage[256] = "";
  void *values[1] = {storage};
  size_t lengths[1] = {0};
  TF_OperationGetAttrStringList(operation, "_class", values, lengths, 1, storage, sizeof(storage), status);
  char *text = TF_GetCode(status) == TF_OK ? sli_strndup(values[0], lengths[0]) : sli_strdup("");
  TF_DeleteStatus(status);
  return text;
}

static void append_dims(sli_string_t *text, const int64_t *dims, int rank) {
  if (rank < 0) sli_string_append_char(text, '?');
  for (int i = 0; i < rank; i++) sli_string_append_format(text, "%s%lld", i ? "," : "", (long long)dims[i]);
}

static void append_quoted(sli_string_t *text, const char *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char letter = (unsigned char)data[i];
    bool plain = (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
                 (letter >= 'a' && letter <= 'z') || strchr("_.-~", letter);
    if (plain && letter) sli_string_append_char(text, (char)letter);
    if (!plain || !letter) sli_string_append_format(text, "%%%02X", letter);
  }
}

static void append_tensor(sli_string_t *text, const TF_Tensor *tensor) {
  enum { SHOWN = 16 };
  int64_t dims[SL_MAX_RANK];
  for (int i = 0; i < TF_NumDims(tensor); i++) dims[i] = TF_Dim(tensor, i);
  sli_string_append_format(text, "%d:", (int)TF_TensorType(tensor));
  append_dims(text, dims, TF_NumDims(tensor));
  sli_string_append_char(text, ':');
  const TF_TString *strings = TF_TensorData(tensor);
  for (size_t i = 0; i < SHOWN && i < (size_t)TF_TensorElementCount(tensor); i++) {
    double number = 0;
    if (i) sli_string_append_char(text, ',');
    if (sli_tf_tensor_to_double(tensor, i, &number))
      sli_string_append_format(text, "%.6g", number);
    else if (TF_TensorType(tensor) == TF_STRING)
      append_quoted(text, TF_StringGetDataPointer(&strings[i]), TF_StringGetSize(&strings[i]));
  }
}

// The value of a list attribute, formatted as in the listings.
static void append_list(sli_string_t *text, TF_Operation *operation, const char *name, char kind, size_t count,
                        TF_Status *status) {
  enum { MOST = 64, BYTES = 8192 };
  TF_DataType types[MOST];
  int64_t numbers[MOST];
  float floats[MOST];
  void *strings[MOST];
  size_t lengths[MOST];
  char storage[BYTES];
  SLI_EXPECT(count <= MOST);
  int most = (int)(count < MOST ? count : MOST);
  if (kind == 't') TF_OperationGetAttrTypeList(operation, name, types, most, status);
  if (kind == 'i') TF_OperationGetAttrIntList(operation, name, numbers, most, status);
  if (kind == 'f') TF_OperationGetAttrFloatList(operation, name, floats, most, status);
  if (kind == 's') TF_OperationGetAttrStringList(operation, name, strings, lengths, most, storage, BYTES, status);
  for (int i = 0; i < most && TF_GetCode(status) == TF_OK; i++) {
    if (i) sli_string_append_char(text, ',');
    if (kind == 't') sli_string_append_format(text, "%d", (int)types[i]);
    if (kind == 'i') sli_string_append_format(text, "%lld", (long long)numbers[i]);
    if (kind == 'f') sli_string_append_format(text, "%.6g", (double)floats[i]);
    if (kind == 's') append_quoted(text, strings[i], lengths[i]);
  }
}

static void append_shapes(sli_string_t *text, TF_Operation *operation, const char *name, TF_AttrMetadata metadata,
                          TF_Status *status) {
  enum { MOST = 64, DIMS = 256 };
  int64_t *dims[MOST], storage[DIMS];
  int ranks[MOST];
  TF_OperationGetAttrShapeList(operation, name, dims, ranks, (int)metadata.list_size, storage, DIMS, status);
  for (int i = 0; i < metadata.list_size && TF_GetCode(status) == TF_OK; i++) {
    if (i) sli_string_append_char(text, ';');
    append_dims(text, dims[i], ranks[i]);
  }
}

static void append_single(sli_string_t *text, TF_Operation *operation, const char *name, char kind,
                          TF_AttrMetadata metadata, TF_Status *status) {
  enum { BYTES = 4096 };
  TF_DataType type = (TF_DataType)0;
  int64_t number = 0, dims[SL_MAX_RANK];
  float real = 0;
  unsigned char truth = 0;
  char storage[BYTES];
  TF_Tensor *tensor = NULL;
  switch (kind) {
    case 't':
      TF_OperationGetAttrType(operation, name, &type, status);
      sli_string_append_format(text, "%d", (int)type);
      break;
    case 'i':
      TF_OperationGetAttrInt(operation, name, &number, status);
      sli_string_append_format(text, "%lld", (long long)number);
      break;
    case 'f':
      TF_OperationGetAttrFloat(operation, name, &real, status);
      sli_string_append_format(text, "%.6g", (double)real);
      break;
    case 'b':
      TF_OperationGetAttrBool(operation, name, &truth, status);
      sli_string_append_format(text, "%d", truth);
      break;
    case 's':
      TF_OperationGetAttrString(operation, name, storage, BYTES, status);
      append_quoted(text, storage, (size_t)metadata.total_size);
      break;
    case 'p':
      TF_OperationGetAttrShape(operation, name, dims, SL_MAX_RANK, status);
      append_dims(text, dims, (int)metadata.total_size);
      break;
    case 'v':
      TF_OperationGetAttrTensor(operation, name, &tensor, status);
      if (TF_GetCode(status) == TF_OK) append_tensor(text, tensor);
      if (tensor) TF_DeleteTensor(tensor);
      break;
    default: sli_string_append_text(text, "(a kind that the test does not know)");
  }
}

// |wanted| is "NAME=KIND:VALUE"; returns the same for the node. New.
static char *attribute_like(TF_Operation *operation, sli_view_t wanted) {
  sli_view_t name_view, rest, kind;
  sli_view_split(wanted, '=', &name_view, &rest);
  sli_view_split(rest, ':', &kind, &rest);
  char *name = sli_strndup(name_view.data, name_view.size);
  sli_string_t text = {0};
  sli_string_append_format(&text, "%s=%.*s:", name, SLI_VIEW_ARG(kind));
  TF_Status *status = TF_NewStatus();
  TF_AttrMetadata metadata = TF_OperationGetAttrMetadata(operation, name, status);
  bool is_list = kind.data[0] == 'l';
  if (TF_GetCode(status) == TF_OK && (bool)metadata.is_list != is_list)
    sli_string_append_text(&text, "(list or not)");
  else if (TF_GetCode(status) == TF_OK && sli_view_is(kind, "lp"))
    append_shapes(&text, operation, name, metadata, status);
  else if (TF_GetCode(status) == TF_OK && is_list)
    append_list(&text, operation, name, kind.size > 1 ? kind.data[1] : ' ', (size_t)metadata.list_size, status);
  else if (TF_GetCode(status) == TF_OK)
    append_single(&text, operation, name, kind.data[0], metadata, status);
  if (TF_GetCode(status) != TF_OK) sli_string_append_format(&text, "(%s)", TF_Message(status));
  TF_DeleteStatus(status);
  free(name);
  return sli_string_take(&text);
}

// The attributes in |wanted|, separated by blanks, with the values of the node. New.
static char *attributes_like(TF_Operation *operation, sli_view_t wanted) {
  sli_string_t text = {0};
  sli_view_t word;
  bool more = wanted.size > 0;
  while (more) {
    more = sli_view_split(wanted, ' ', &word, &wanted);
    char *own = attribute_like(operation, word);
    sli_string_append_format(&text, "%s%s", text.size ? " " : "", own);
    free(own);
  }
  return sli_string_take(&text);
}

static void compare_line(sl_scope_t *scope, const char *line) {
  sli_view_t rest = sli_view(line), name, field;
  sli_view_split(rest, '|', &name, &rest);
  char *text = sli_strndup(name.data, name.size);
  TF_Operation *operation = TF_GraphOperationByName(sl_scope_graph(scope), text);
  if (!operation) {
    sli_test_fail(__FILE__, __LINE__, "there is no node %s", line);
  } else {
    bool has_attributes = true;
    for (int i = 0; i < 4 && has_attributes; i++) has_attributes = sli_view_split(rest, '|', &field, &rest);
    char *inputs = inputs_of(operation), *class = class_of(operation);
    char *attributes = has_attributes ? attributes_like(operation, rest) : sli_strdup("");
    char *own = sli_format("%s|%s|%s|%s|%s%s%s", text, TF_OperationOpType(operation), TF_OperationDevice(operation),
                           inputs, class, has_attributes ? "|" : "", attributes);
    SLI_EXPECT_TEXT(own, line);
    free(own);
    free(inputs);
    free(class);
    free(attributes);
  }
  free(text);
}

void sli_expect_listing(sl_scope_t *scope, const char *listing) {
  SLI_EXPECT_TEXT(sl_scope_error(scope), "");
  char *path = sli_format("%s/train/%s.txt", sli_test_golden_dir(), listing);
  sli_string_t text = {0};
  SLI_EXPECT_OK(sli_file_read_whole(path, 1 << 20, &text));
  size_t lines = 0;
  char *position = NULL;
  for (char *line = strtok_r(text.data, "\n", &position); line; line = strtok_r(NULL, "\n", &position)) {
    compare_line(scope, line);
    lines++;
  }
  SLI_EXPECT(lines > 3);
  sli_string_deinitialize(&text);
  free(path);
}

// --- Servers ---

sl_server_t *sli_test_idle_server(void) { return sli_test_idle_task(2, 1); }

sl_server_t *sli_test_idle_task(int workers, int index) {
  sli_string_t config = {0};
  sli_string_append_text(&config, "{\"cluster\": {\"ps\": [\"a:1\", \"b:2\"], \"worker\": [");
  for (int i = 0; i < workers; i++) sli_string_append_format(&config, "%s\"c%d:1\"", i ? ", " : "", i);
  sli_string_append_format(&config, "]}, \"task\": {\"type\": \"worker\", \"index\": %d}}", index);
  setenv("TF_CONFIG", sli_string_text(&config), 1);
  sli_string_deinitialize(&config);
  int argc = 1;
  char *argv[] = {"test", NULL};
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  unsetenv("TF_CONFIG");
  SLI_EXPECT_OK(sli_status_retain(cluster->status));
  cluster->status = sli_status_make(SLI_UNAVAILABLE, "not to be started");
  return sl_server_start(cluster);
}

// --- Running ---

static size_t append_values(TF_Tensor *tensor, double *out_values, size_t used, size_t capacity) {
  size_t count = (size_t)TF_TensorElementCount(tensor);
  for (size_t i = 0; i < count; i++, used++)
    if (used < capacity && !sli_tf_tensor_to_double(tensor, i, &out_values[used])) out_values[used] = NAN;
  TF_DeleteTensor(tensor);
  return used;
}

size_t sli_test_run(sl_scope_t *scope, TF_Operation *initializer, const TF_Output *outputs, size_t count,
                    double *out_values, size_t capacity) {
  for (size_t i = 0; i < capacity; i++) out_values[i] = NAN;
  SLI_EXPECT_TEXT(sl_scope_error(scope), "");
  if (sl_scope_code(scope) != TF_OK) return 0;
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(sl_scope_graph(scope), options, status);
  TF_Tensor **values = sli_calloc(count, sizeof(*values));
  const TF_Operation *targets[] = {initializer};
  if (initializer) TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  if (TF_GetCode(status) == TF_OK)
    TF_SessionRun(session, NULL, NULL, NULL, 0, outputs, values, (int)count, NULL, 0, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  size_t used = 0;
  for (size_t i = 0; i < count; i++)
    if (values[i]) used = append_values(values[i], out_values, used, capacity);
  SLI_EXPECT(used <= capacity);
  free(values);
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  return used;
}

// --- Values ---

size_t sli_golden_numbers(const char *file, const char *name, double *out_values, size_t capacity) {
  char *path = sli_format("%s/train/%s.txt", sli_test_golden_dir(), file), *prefix = sli_format("%s ", name);
  sli_string_t text = {0};
  SLI_EXPECT_OK(sli_file_read_whole(path, 1 << 20, &text));
  size_t count = 0;
  char *position = NULL;
  for (char *line = strtok_r(text.data, "\n", &position); line; line = strtok_r(NULL, "\n", &position)) {
    if (!sli_string_starts_with(line, prefix)) continue;
    char *number = line + strlen(prefix), *end = number;
    for (count = 0; count < capacity; count++, number = end) {
      out_values[count] = strtod(number, &end);
      if (end == number) break;
    }
  }
  if (!count) sli_test_fail(__FILE__, __LINE__, "no numbers of %s in %s", name, path);
  free(path);
  free(prefix);
  sli_string_deinitialize(&text);
  return count;
}

// An operation that fills all trainable variables.
static TF_Operation *fill_variables(sl_scope_t *scope) {
  sl_outputs_t variables = sl_collection(scope, SL_TRAINABLE_VARIABLES, NULL);
  TF_Operation **fills = sli_calloc(variables.count, sizeof(TF_Operation *));
  for (size_t i = 0; i < variables.count; i++) {
    sl_shape_t shape = sl_static_shape(scope, variables.items[i]);
    size_t count = (size_t)sli_tf_shape_elements(shape);
    float *values = sli_calloc(count, sizeof(*values));
    for (size_t k = 0; k < count; k++) values[k] = (float)sin((double)(k + 1));
    fills[i] = sl_assign(scope, variables.items[i], sl_constant(scope, TF_FLOAT, shape, values)).oper;
    free(values);
  }
  TF_Operation *all = sl_group(scope, fills, variables.count);
  free(fills);
  return all;
}

void sli_expect_values(sl_scope_t *scope, sl_outputs_t outputs, const char *file, const char *name) {
  enum { MOST = 8192 };
  sli_outputs_t squares = {0}, fetches = {0};
  for (size_t i = 0; i < outputs.count; i++) {
    sli_array_push(&squares, sl_sum(scope, sl_square(scope, outputs.items[i])));
    sli_array_push(&fetches, outputs.items[i]);
  }
  TF_Output loss = sl_add_n(scope, ((sl_outputs_t){squares.count, squares.items}));
  sl_gradients_t gradients = sl_compute_gradients(scope, loss);
  for (size_t i = 0; i < gradients.count; i++) sli_array_push(&fetches, sl_dense_gradient(scope, gradients.items[i]));
  double *wanted = sli_calloc(MOST, sizeof(*wanted)), *values = sli_calloc(MOST, sizeof(*values));
  size_t count = sli_golden_numbers(file, name, wanted, MOST);
  SLI_EXPECT_INT(sli_test_run(scope, fill_variables(scope), fetches.items, fetches.count, values, MOST), count);
  for (size_t i = 0; i < count; i++) {
    if (fabs(values[i] - wanted[i]) <= 1e-5 + 1e-4 * fabs(wanted[i])) continue;
    sli_test_fail(__FILE__, __LINE__, "%s: number %zu is %g, expected %g", name, i, values[i], wanted[i]);
    break;
  }
  free(wanted);
  free(values);
  sli_array_deinitialize(&squares);
  sli_array_deinitialize(&fetches);
}
