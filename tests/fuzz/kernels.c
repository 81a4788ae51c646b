// Graphs of random ops on random tensors, through the C API, the shape functions, the passes, the executor and the
// kernels. The first byte tells whether the tensors are constants, whose values shape functions see, or are fed. Every
// output is fetched; each must be a tensor or a status.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/array.h"
#include "core/op/op_registry.h"
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/tf_tstring.h"
#include "tests/fuzz/fuzz.h"

// A kernel that asks for more memory must take no for an answer.
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1:max_allocation_size_mb=256"; }
__attribute__((weak)) void __asan_init(void);
enum { MAX_MEMORY = 1 << 30 };

enum { MAX_NODES = 8, NODE_SIZE = 40, MAX_OUTPUTS = 64, MAX_INPUTS = 16, MAX_RANK = 5 };

typedef struct {
  const sli_op_t *op;
  uint16_t key;
} choice_t;
static SLI_ARRAY(choice_t) choices;  // by key

typedef struct {
  const uint8_t *data;
  size_t size;
  TF_Graph *graph;
  TF_Status *status;
  bool feeds;
  int nodes;
  TF_Output outputs[MAX_OUTPUTS];  // that nodes may take as inputs
  int output_count;
  TF_Output fed[MAX_OUTPUTS];
  TF_Tensor *fed_values[MAX_OUTPUTS];
  int fed_count;
} maker_t;

// ---- The ops ----

// What touches files, prints, or ends the process.
static bool is_excluded(const char *name) {
  static const char *const parts[] = {"File",  "Save",   "Restore", "Checkpoint", "Reader",
                                      "Abort", "PyFunc", "Print",   "Assert",     "Summary"};
  if (name[0] == '_') return true;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(parts); i++)
    if (strstr(name, parts[i])) return true;
  return false;
}

// An op keeps its key when others are added, so that the seeds stay what they are.
static void add_choice(void *context, const sli_op_t *op) {
  if (is_excluded(op->def->name) || op->def->transfer != SLI_OP_TRANSFER_NONE) return;
  uint32_t hash = 2166136261u;
  for (const char *c = op->def->name; *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
  sli_array_push(&choices, (choice_t){op, (uint16_t)(hash ^ hash >> 16)});
}

static int compare_choices(const void *a, const void *b) {
  const choice_t *x = a, *y = b;
  return x->key != y->key ? (x->key < y->key ? -1 : 1) : strcmp(x->op->def->name, y->op->def->name);
}

static const sli_op_t *choose_op(uint16_t key) {
  for (size_t i = 0; i < choices.count; i++)
    if (choices.items[i].key >= key) return choices.items[i].op;
  return choices.items[0].op;
}

static void start(void) {
#if !defined(__SANITIZE_THREAD__)  // which needs more for itself
  if (!__asan_init) {
    struct rlimit limit = {MAX_MEMORY, MAX_MEMORY};
    setrlimit(RLIMIT_DATA, &limit);
  }
#endif
  sli_op_for_each(add_choice, NULL);
  qsort(choices.items, choices.count, sizeof(*choices.items), compare_choices);
}

// ---- Values ----

static uint8_t take(maker_t *m) {
  if (!m->size) return 0;
  m->size--;
  return *m->data++;
}

// Small, or from 0xf0 on extreme.
static int64_t take_int(maker_t *m) {
  static const int64_t extremes[] = {INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1 << 20, -5, 100, 255,
                                     256,       -129,      65536,     1 << 30,   -1,      0,  1,   2};
  uint8_t byte = take(m);
  return byte >= 0xf0 ? extremes[byte - 0xf0] : (int8_t)(byte << 3) >> 3;
}

static double take_double(maker_t *m) {
  static const double extremes[] = {NAN, INFINITY, -INFINITY, 1e38, -1e38, 1e-40, 1e300, -0.0, 0.5, 2147483648.0, 1e19};
  uint8_t byte = take(m);
  return byte >= 0xf0 && byte < 0xf0 + SLI_ARRAY_COUNT_OF(extremes) ? extremes[byte - 0xf0] : (int8_t)byte / 8.0;
}

static sli_view_t take_text(maker_t *m) {
  size_t size = take(m) % 8;
  if (size > m->size) size = m->size;
  sli_view_t text = sli_view_of((const char *)m->data, size);
  m->data += size;
  m->size -= size;
  return text;
}

static int take_dims(maker_t *m, int64_t *dims) {
  int rank = take(m) % MAX_RANK;
  for (int d = 0; d < rank; d++) dims[d] = take(m) % 4;
  return rank;
}

static void put(maker_t *m, TF_DataType dtype, void *data, int64_t i) {
  switch (dtype) {
    case TF_FLOAT: ((float *)data)[i] = (float)take_double(m); break;
    case TF_DOUBLE: ((double *)data)[i] = take_double(m); break;
    case TF_COMPLEX64:
      ((float *)data)[2 * i] = (float)take_double(m);
      ((float *)data)[2 * i + 1] = (float)take_double(m);
      break;
    case TF_COMPLEX128:
      ((double *)data)[2 * i] = take_double(m);
      ((double *)data)[2 * i + 1] = take_double(m);
      break;
    case TF_INT64:
    case TF_UINT64: ((int64_t *)data)[i] = take_int(m); break;
    case TF_INT32:
    case TF_UINT32:
    case TF_QINT32: ((int32_t *)data)[i] = (int32_t)take_int(m); break;
    case TF_HALF:
    case TF_BFLOAT16:
    case TF_INT16:
    case TF_UINT16:
    case TF_QINT16:
    case TF_QUINT16: ((uint16_t *)data)[i] = (uint16_t)(take(m) | take(m) << 8); break;
    case TF_BOOL: ((bool *)data)[i] = take(m) & 1; break;
    case TF_STRING: {
      sli_view_t text = take_text(m);
      TF_StringInit((TF_TString *)data + i);
      TF_StringCopy((TF_TString *)data + i, text.data, text.size);
      break;
    }
    default: ((uint8_t *)data)[i] = take(m);
  }
}

// NULL: there are no tensors of this type.
static TF_Tensor *take_tensor(maker_t *m, TF_DataType dtype) {
  int64_t dims[MAX_RANK];
  int rank = take_dims(m, dims);
  int64_t count = 1;
  for (int d = 0; d < rank; d++) count *= dims[d];
  size_t width = dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(dtype);
  TF_Tensor *tensor = width ? TF_AllocateTensor(dtype, dims, rank, (size_t)count * width) : NULL;
  for (int64_t i = 0; tensor && i < count; i++) put(m, dtype, TF_TensorData(tensor), i);
  return tensor;
}

// ---- Nodes ----

static char *next_name(maker_t *m, char *name, size_t size) {
  snprintf(name, size, "n%d", m->nodes++);
  return name;
}

// A constant, or a placeholder that is fed.
static bool make_source(maker_t *m, TF_DataType dtype, TF_Output *out) {
  char name[16];
  TF_Tensor *tensor = m->fed_count < MAX_OUTPUTS ? take_tensor(m, dtype) : NULL;
  if (!tensor) return false;
  TF_OperationDescription *node =
      TF_NewOperation(m->graph, m->feeds ? "Placeholder" : "Const", next_name(m, name, sizeof(name)));
  TF_SetAttrType(node, "dtype", dtype);
  if (!m->feeds) TF_SetAttrTensor(node, "value", tensor, m->status);
  *out = (TF_Output){TF_FinishOperation(node, m->status), 0};
  if (m->feeds && out->oper) {
    m->fed[m->fed_count] = *out;
    m->fed_values[m->fed_count++] = tensor;
  } else {
    TF_DeleteTensor(tensor);
  }
  return out->oper != NULL;
}

// An earlier output of this type, or a new tensor.
static bool take_input(maker_t *m, TF_DataType dtype, TF_Output *out) {
  uint8_t byte = take(m);
  int matches = 0;
  for (int i = 0; i < m->output_count; i++) matches += TF_OperationOutputType(m->outputs[i]) == dtype;
  bool is_handle = dtype == TF_RESOURCE || dtype == TF_VARIANT || (int)dtype > SLI_DTYPE_REF;
  if (!matches || (!is_handle && byte & 1)) return !is_handle && make_source(m, dtype, out);
  int chosen = (byte >> 1) % matches;
  for (int i = 0; i < m->output_count; i++) {
    if (TF_OperationOutputType(m->outputs[i]) != dtype || chosen-- > 0) continue;
    *out = m->outputs[i];
    return true;
  }
  return false;
}

static TF_DataType take_type(maker_t *m, const sli_attr_spec_t *spec) {
  static const TF_DataType usual[] = {TF_FLOAT, TF_INT32, TF_INT64, TF_DOUBLE,    TF_STRING,
                                      TF_BOOL,  TF_UINT8, TF_HALF,  TF_COMPLEX64, TF_BFLOAT16};
  uint8_t byte = take(m);
  return spec->allowed_type_count ? (TF_DataType)spec->allowed_type_list[byte % spec->allowed_type_count]
                                  : usual[byte % SLI_ARRAY_COUNT_OF(usual)];
}

// What the attributes say about the inputs.
typedef struct {
  const char *name;
  TF_DataType types[4];
  int count;
} fact_t;
typedef struct {
  fact_t facts[32];
  int count;
} facts_t;

static const fact_t *find_fact(const facts_t *facts, const char *name) {
  for (int i = 0; name && i < facts->count; i++)
    if (strcmp(facts->facts[i].name, name) == 0) return &facts->facts[i];
  return NULL;
}

static void set_list(maker_t *m, TF_OperationDescription *node, const sli_attr_spec_t *spec, fact_t *fact) {
  int64_t ints[4];
  float floats[4];
  unsigned char bools[4];
  const void *texts[4];
  size_t sizes[4];
  int count = fact->count = take(m) % 5;
  if (count > 4) count = 4;
  for (int i = 0; i < count; i++) {
    switch (spec->kind) {
      case SLI_ATTR_TYPE: fact->types[i] = take_type(m, spec); break;
      case SLI_ATTR_INT: ints[i] = take_int(m); break;
      case SLI_ATTR_FLOAT: floats[i] = (float)take_double(m); break;
      case SLI_ATTR_BOOL: bools[i] = take(m) & 1; break;
      default: {
        sli_view_t text = take_text(m);
        texts[i] = text.data;
        sizes[i] = text.size;
      }
    }
  }
  switch (spec->kind) {
    case SLI_ATTR_TYPE: TF_SetAttrTypeList(node, spec->name, fact->types, count); break;
    case SLI_ATTR_INT: TF_SetAttrIntList(node, spec->name, ints, count); break;
    case SLI_ATTR_FLOAT: TF_SetAttrFloatList(node, spec->name, floats, count); break;
    case SLI_ATTR_BOOL: TF_SetAttrBoolList(node, spec->name, bools, count); break;
    case SLI_ATTR_STRING: TF_SetAttrStringList(node, spec->name, texts, sizes, count); break;
    default: break;
  }
}

// Whether an attribute is the number of an argument's tensors.
static bool is_number(const sli_op_t *op, const char *name) {
  for (int i = 0; i < op->input_count; i++)
    if (op->inputs[i].number_attr && strcmp(op->inputs[i].number_attr, name) == 0) return true;
  return false;
}

static void set_attr(maker_t *m, TF_OperationDescription *node, const sli_op_t *op, const sli_attr_spec_t *spec,
                     fact_t *fact) {
  if (spec->is_list) {
    set_list(m, node, spec, fact);
    return;
  }
  switch (spec->kind) {
    case SLI_ATTR_TYPE:
      fact->types[0] = take_type(m, spec);
      TF_SetAttrType(node, spec->name, fact->types[0]);
      break;
    case SLI_ATTR_INT: {
      int64_t value = is_number(op, spec->name) ? take(m) % 4 : take_int(m);
      fact->count = value > 0 && value < 4 ? (int)value : 0;
      TF_SetAttrInt(node, spec->name, value);
      break;
    }
    case SLI_ATTR_FLOAT: TF_SetAttrFloat(node, spec->name, (float)take_double(m)); break;
    case SLI_ATTR_BOOL: TF_SetAttrBool(node, spec->name, take(m) & 1); break;
    case SLI_ATTR_STRING: {
      sli_view_t text =
          spec->allowed_string_count ? spec->allowed_strings[take(m) % spec->allowed_string_count] : take_text(m);
      TF_SetAttrString(node, spec->name, text.data, text.size);
      break;
    }
    case SLI_ATTR_SHAPE: {
      int64_t dims[MAX_RANK];
      int rank = take_dims(m, dims);
      TF_SetAttrShape(node, spec->name, dims, take(m) & 1 ? -1 : rank);
      break;
    }
    case SLI_ATTR_TENSOR: {
      TF_Tensor *tensor = take_tensor(m, TF_FLOAT);
      TF_SetAttrTensor(node, spec->name, tensor, m->status);
      TF_DeleteTensor(tensor);
      break;
    }
    default: break;
  }
}

// The inputs first, because they may need nodes of their own. Returns how many inputs argument |arg| has; -1: there is
// no input of its type.
static int take_argument(maker_t *m, const sli_arg_t *arg, const facts_t *facts, TF_Output *out) {
  const fact_t *list = find_fact(facts, arg->type_list_attr), *type = find_fact(facts, arg->type_attr);
  const fact_t *number = find_fact(facts, arg->number_attr);
  int count = list ? list->count : arg->number_attr ? (number ? number->count : 0) : 1;
  for (int i = 0; i < count; i++) {
    int dtype = list ? (int)list->types[i] : type ? (int)type->types[0] : (int)arg->type;
    if (!dtype || !take_input(m, (TF_DataType)(arg->is_ref ? dtype + SLI_DTYPE_REF : dtype), &out[i])) return -1;
  }
  return count;
}

// Sets the attributes of |node| and what they say about the inputs.
static void set_attrs(maker_t *m, TF_OperationDescription *node, const sli_op_t *op, facts_t *facts) {
  for (int i = 0; i < op->attr_count && i < (int)SLI_ARRAY_COUNT_OF(facts->facts); i++) {
    const sli_attr_spec_t *spec = &op->attrs[i];
    fact_t *fact = &facts->facts[facts->count++];
    *fact = (fact_t){.name = spec->name};
    if (!spec->has_default || take(m) & 1)
      set_attr(m, node, op, spec, fact);
    else if (spec->kind == SLI_ATTR_TYPE && !spec->is_list)
      fact->types[0] = (TF_DataType)spec->default_value.type;
    else if (spec->kind == SLI_ATTR_INT && !spec->is_list)
      fact->count = spec->default_value.i >= 0 && spec->default_value.i < 4 ? (int)spec->default_value.i : 0;
  }
}

// Each node has its own bytes of the input; where they end, zeros follow.
static void make_node(maker_t *m) {
  uint16_t key = (uint16_t)(take(m) | take(m) << 8);
  const sli_op_t *op = choose_op(key);
  if (op->input_count > MAX_INPUTS) return;
  char name[16];
  TF_OperationDescription *node = TF_NewOperation(m->graph, op->def->name, next_name(m, name, sizeof(name)));
  facts_t facts = {0};
  set_attrs(m, node, op, &facts);
  for (int i = 0; i < op->input_count; i++) {
    TF_Output inputs[4];
    int count = take_argument(m, &op->inputs[i], &facts, inputs);
    if (count < 0) break;  // refused below, for want of inputs
    if (op->inputs[i].number_attr || op->inputs[i].type_list_attr)
      TF_AddInputList(node, inputs, count);
    else
      TF_AddInput(node, inputs[0]);
  }
  TF_Operation *made = TF_FinishOperation(node, m->status);
  for (int i = 0; made && i < TF_OperationNumOutputs(made) && m->output_count < MAX_OUTPUTS; i++)
    m->outputs[m->output_count++] = (TF_Output){made, i};
}

// ---- The run ----

static void run(maker_t *m) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  // ConfigProto: one thread for kernels, one for steps.
  TF_SetConfig(options, "\x10\x01\x28\x01", 4, m->status);
  TF_Session *session = TF_NewSession(m->graph, options, m->status);
  TF_DeleteSessionOptions(options);
  TF_Buffer *run_options = TF_NewBufferFromString("\x10\x14", 2);  // timeout_in_ms: what waits ends
  for (int i = 0; session && i < m->output_count; i++) {
    TF_Tensor *value = NULL;
    TF_SessionRun(session, run_options, m->fed, m->fed_values, m->fed_count, &m->outputs[i], &value, 1, NULL, 0, NULL,
                  m->status);
    SLI_CHECK((value != NULL) == (TF_GetCode(m->status) == TF_OK));
    TF_DeleteTensor(value);
  }
  TF_DeleteBuffer(run_options);
  if (session) TF_DeleteSession(session, m->status);
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (!choices.count) start();
  maker_t m = {.data = data, .size = size, .graph = TF_NewGraph(), .status = TF_NewStatus()};
  m.feeds = take(&m) & 1;
  for (size_t i = 0; i < MAX_NODES && 1 + i * NODE_SIZE < size; i++) {
    m.data = data + 1 + i * NODE_SIZE;
    m.size = size - 1 - i * NODE_SIZE < NODE_SIZE ? size - 1 - i * NODE_SIZE : NODE_SIZE;
    make_node(&m);
  }
  run(&m);
  for (int i = 0; i < m.fed_count; i++) TF_DeleteTensor(m.fed_values[i]);
  TF_DeleteGraph(m.graph);
  TF_DeleteStatus(m.status);
}
