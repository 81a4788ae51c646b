// The registry with a table of test ops: parsing, completing nodes, finding kernels.
#include "core/op/op_registry.h"

#include <pthread.h>

#include "base/array.h"
#include "base/test.h"
#include "core/op/op_registry_internal.h"
#include "core/op/op_spec_internal.h"

static sli_status_t *compute_nothing(sli_kernel_context_t *context) { return NULL; }

static const sli_op_def_t ops[] = {
    {.name = "MatMul",
     .inputs = "a: T, b: T",
     .outputs = "product: T",
     .attrs = "transpose_a: bool = false; transpose_b: bool = false; T: {bfloat16, half, float, double, int32}"},
    {.name = "AddN",
     .inputs = "inputs: N * T",
     .outputs = "sum: T",
     .attrs = "N: int; T: {numbertype, variant}",
     .is_commutative = true,
     .is_aggregate = true},
    {.name = "IdentityN", .inputs = "input: T", .outputs = "output: T", .attrs = "T: list(type)"},
    {.name = "Identity", .inputs = "input: T", .outputs = "output: T", .attrs = "T: type"},
    {.name = "AssignAdd", .inputs = "ref: Ref(T), value: T", .outputs = "output_ref: Ref(T)", .attrs = "T: numbertype"},
    {.name = "Placeholder",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape = { unknown_rank: true }",
     .is_stateful = true},
    {.name = "Const", .outputs = "output: dtype", .attrs = "value: tensor; dtype: type"},
    {.name = "Split", .inputs = "split_dim: int32, value: T", .outputs = "output: N * T", .attrs = "N: int; T: type"},
    {.name = "DynamicStitch",
     .inputs = "indices: N * int32, data: N * T",
     .outputs = "merged: T",
     .attrs = "N: int; T: type"},
    {.name = "TwoLists",
     .inputs = "x: M * float, y: N * float, z: Tz",
     .attrs = "M: int >= 0; N: int; Tz: list(type) >= 0"},
    {.name = "Pad",
     .attrs = "padding: {'SAME', \"VALID\"} = 'SAME'; dims: list(int) >= 2 = [1, -2]; rate: float = 1e-3; "
              "names: list(string) = ['a;b', 'c\\'d']; color: tensor = { dtype: DT_UINT8 tensor_shape: { "
              "dim { size: 2 } } int_val: 255 int_val: 0 }; Ts: list({float, int32}) = [DT_INT32]; "
              "s: shape = { dim { size: 2 } dim { size: -1 } }; f: func = { name: 'body' }"},
};
static const sli_kernel_def_t kernels[] = {
    {.op = "MatMul", .types = SLI_TYPE_FLOAT, .compute = compute_nothing},
    {.op = "MatMul", .types = SLI_TYPE_DOUBLE | SLI_TYPE_INT32, .compute = compute_nothing},
    {.op = "MatMul", .device = "GPU", .types = SLI_TYPE_HALF, .compute = compute_nothing},
    {.op = "IdentityN", .types = SLI_TYPES_REAL, .compute = compute_nothing},
    {.op = "Split", .where = {{"T", SLI_TYPE_FLOAT}}, .compute = compute_nothing},
    {.op = "Placeholder", .compute = compute_nothing},
};
SLI_OP_MODULE(test_ops);

static const sli_op_def_t private_ops[] = {{.name = "_Made", .inputs = "x: float", .fuses = "AddN"}};
static const sli_kernel_def_t private_kernels[] = {{.op = "_Made", .compute = compute_nothing}};
static const sli_op_module_t private_module = {.name = "private",
                                               .ops = private_ops,
                                               .op_count = 1,
                                               .kernels = private_kernels,
                                               .kernel_count = 1,
                                               .is_private = true};

const sli_op_module_t *const sli_op_modules[] = {&sli_op_module_test_ops, &private_module, NULL};

#define MATMUL                                                                             \
  "Op<name=MatMul; signature=a:T, b:T -> product:T; attr=transpose_a:bool,default=false; " \
  "attr=transpose_b:bool,default=false; attr=T:type,allowed=[DT_BFLOAT16, DT_HALF, DT_FLOAT, DT_DOUBLE, DT_INT32]>"

// Completes a node "m"; |inputs| are the types of its inputs.
typedef struct {
  sli_arena_t arena;
  sli_node_def_t node;
  sli_status_t *status;
} completed_t;

static completed_t complete(const char *op, const sli_dtype_t *inputs, int input_count, const sli_attr_entry_t *attrs,
                            size_t attr_count, bool infer, const int *list_sizes) {
  completed_t c = {0};
  sli_node_request_t request = {.name = "m",
                                .op = sli_op_find(sli_view(op)),
                                .attrs = attrs,
                                .attr_count = attr_count,
                                .input_types = inputs,
                                .input_count = input_count,
                                .infer = infer,
                                .list_sizes = list_sizes};
  c.status = sli_node_def_complete(&request, &c.arena, &c.node);
  return c;
}

static void finish(completed_t *c) {
  sli_node_def_release_tensors(&c->node);
  sli_arena_deinitialize(&c->arena);
  sli_status_release(c->status);
}

#define TYPES(...) (const sli_dtype_t[]){__VA_ARGS__}, sizeof((const sli_dtype_t[]){__VA_ARGS__}) / sizeof(sli_dtype_t)
#define ATTRS(...) \
  (const sli_attr_entry_t[]){__VA_ARGS__}, sizeof((const sli_attr_entry_t[]){__VA_ARGS__}) / sizeof(sli_attr_entry_t)

// The call fails with exactly |text|.
static void expect_refused(completed_t c, const char *text) {
  SLI_EXPECT_INT(sli_status_code(c.status), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_TEXT(sli_status_message(c.status), text);
  finish(&c);
}

static const char *node_text(const sli_node_def_t *node) {
  static sli_string_t text;
  sli_string_clear(&text);
  sli_node_def_append(&text, node);
  return sli_string_text(&text);
}

SLI_TEST(test_spec_default_values_and_constraints_are_parsed) {
  const sli_op_t *op = sli_op_find(sli_view("Pad"));
  SLI_REQUIRE(op && op->attr_count == 8);
  static const char *const defaults[] = {
      "\"SAME\"",   "[1, -2]", "0.001", "[\"a;b\", \"c\\'d\"]", "Tensor<type: uint8 shape: [2] values: 255 0>",
      "[DT_INT32]", "[2,?]",   "body[]"};
  for (int i = 0; i < op->attr_count; i++) {
    sli_string_t text = {0};
    sli_attr_append(&text, &op->attrs[i].default_value);
    SLI_EXPECT_TEXT(sli_string_text(&text), defaults[i]);
    sli_string_deinitialize(&text);
  }
  SLI_EXPECT(op->attrs[1].is_list && op->attrs[1].has_minimum && op->attrs[1].minimum == 2);
  SLI_EXPECT_INT(op->attrs[0].allowed_string_count, 2);
  const sli_op_t *add = sli_op_find(sli_view("AddN"));
  SLI_EXPECT(add->attrs[0].has_minimum && add->attrs[0].minimum == 1);  // a length is at least 1 by default
  SLI_EXPECT(sli_types_contain(add->attrs[1].allowed_types, SLI_DTYPE_QINT8));
  SLI_EXPECT(!sli_types_contain(add->attrs[1].allowed_types, SLI_DTYPE_STRING));
  const sli_op_t *lists = sli_op_find(sli_view("TwoLists"));
  SLI_EXPECT_INT(lists->attrs[0].minimum, 0);
  SLI_EXPECT_TEXT(lists->inputs[2].type_list_attr, "Tz");
  SLI_EXPECT(sli_op_find(sli_view("AssignAdd"))->inputs[0].is_ref);
  SLI_EXPECT(!sli_op_find(sli_view("Nothing")));
  SLI_EXPECT(!sli_op_find(sli_view("AddNN")) && !sli_op_find(sli_view("")));
}

SLI_TEST(test_spec_mistakes_are_named) {
  static const sli_op_def_t wrong[] = {
      {.name = "W", .attrs = "T type"},
      {.name = "W", .attrs = "T: typ"},
      {.name = "W", .attrs = "T: {float, flaot}"},
      {.name = "W", .attrs = "T: {float"},
      {.name = "W", .attrs = "s: {'a', 'b"},
      {.name = "W", .attrs = "T: {float} = DT_INT32"},
      {.name = "W", .attrs = "n: int >= 2 = 1"},
      {.name = "W", .attrs = "n: int = x"},
      {.name = "W", .attrs = "n: int = 1 m: int"},
      {.name = "W", .attrs = "n: list(int = [1]"},
      {.name = "W", .attrs = "n: list(int) = [1, 2"},
      {.name = "W", .attrs = "s: shape = { dim { size: 2 }"},
      {.name = "W", .attrs = "s: shape = { size 2 }"},
      {.name = "W", .inputs = "x: T"},
      {.name = "W", .inputs = "x: N * float"},
      {.name = "W", .inputs = "x: Ref(float"},
      {.name = "W", .inputs = "x: float y: float"},
      {.name = "W", .inputs = "float"},
      {.name = "W", .outputs = "x: n", .attrs = "n: int"},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(wrong); i++) {
    sli_arena_t arena = {0};
    sli_op_t op;
    sli_status_t *status = sli_op_spec_parse(&wrong[i], &arena, &op);
    if (!status)
      sli_test_fail(__FILE__, __LINE__, "mistake %zu was not seen", i);
    else
      SLI_EXPECT_CONTAINS(sli_status_message(status), "Op W: ");
    sli_status_release(status);
    sli_arena_deinitialize(&arena);
  }
}

SLI_TEST(test_complete_fills_defaults_and_types) {
  completed_t c = complete("MatMul", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT + SLI_DTYPE_REF),
                           ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT), SLI_ATTR_BOOL_OF("transpose_b", true),
                                 SLI_ATTR_STRING_OF("_class", "loc:@x"), SLI_ATTR_INT_OF("newer", 1)),
                           false, NULL);
  SLI_EXPECT_OK(sli_status_retain(c.status));
  SLI_EXPECT_TEXT(node_text(&c.node),
                  "{{node m}} = MatMul[T=DT_FLOAT, _class=\"loc:@x\", newer=1, transpose_a=false, transpose_b=true]");
  SLI_EXPECT(c.node.input_count == 2 && c.node.input_types[1] == SLI_DTYPE_FLOAT);
  SLI_EXPECT(c.node.output_count == 1 && c.node.output_types[0] == SLI_DTYPE_FLOAT);
  bool value = true;
  SLI_EXPECT_OK(sli_node_attr_bool(&c.node, "transpose_a", &value));
  SLI_EXPECT(!value);
  int64_t number = 0;
  SLI_EXPECT_STATUS(sli_node_attr_int(&c.node, "absent", &number), SLI_NOT_FOUND);
  SLI_EXPECT_STATUS(sli_node_attr_int(&c.node, "T", &number), SLI_INVALID_ARGUMENT);
  finish(&c);
}

SLI_TEST(test_complete_makes_references_and_lists) {
  completed_t c = complete("AssignAdd", TYPES(SLI_DTYPE_INT32 + SLI_DTYPE_REF, SLI_DTYPE_INT32),
                           ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT32)), false, NULL);
  SLI_EXPECT_OK(sli_status_retain(c.status));
  SLI_EXPECT(c.node.output_count == 1 && c.node.output_types[0] == SLI_DTYPE_INT32 + SLI_DTYPE_REF);
  finish(&c);
  const sli_dtype_t list[] = {SLI_DTYPE_STRING, SLI_DTYPE_BOOL};
  sli_attr_entry_t types = {"T", {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 2, .list.type = list}};
  c = complete("IdentityN", NULL, 2, &types, 1, false, NULL);
  SLI_EXPECT_OK(sli_status_retain(c.status));
  SLI_EXPECT(c.node.output_count == 2 && c.node.output_types[1] == SLI_DTYPE_BOOL);
  finish(&c);
  // The last of two values counts, as in a map.
  c = complete("Split", NULL, 2,
               ATTRS(SLI_ATTR_INT_OF("N", 2), SLI_ATTR_TYPE_OF("T", SLI_DTYPE_BOOL), SLI_ATTR_INT_OF("N", 3)), false,
               NULL);
  SLI_EXPECT_INT(c.node.output_count, 3);
  int first = -1, count = -1;
  SLI_EXPECT_OK(sli_node_output_range(&c.node, "output", &first, &count));
  SLI_EXPECT(first == 0 && count == 3);
  SLI_EXPECT_OK(sli_node_input_range(&c.node, "value", &first, &count));
  SLI_EXPECT(first == 1 && count == 1);
  SLI_EXPECT_STATUS(sli_node_input_range(&c.node, "output", &first, &count), SLI_INVALID_ARGUMENT);
  finish(&c);
}

SLI_TEST(test_complete_refuses_with_tensorflows_texts) {
  expect_refused(complete("MatMul", NULL, 2, NULL, 0, false, NULL),
                 "NodeDef missing attr 'T' from " MATMUL "; NodeDef: {{node m}}");
  expect_refused(
      complete("MatMul", NULL, 2, ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_STRING)), false, NULL),
      "Value for attr 'T' of string is not in the list of allowed values: bfloat16, half, float, double, int32"
      "\n\t; NodeDef: {{node m}}; " MATMUL);
  expect_refused(complete("MatMul", NULL, 1, ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT)), false, NULL),
                 "NodeDef expected inputs 'float, float' do not match 1 inputs specified; " MATMUL
                 "; NodeDef: {{node m}}");
  expect_refused(
      complete("MatMul", NULL, 2, ATTRS(SLI_ATTR_INT_OF("T", 1)), false, NULL),
      "AttrValue had value with type 'int' when 'type' expected\n\t for attr 'T'\n\t; NodeDef: {{node m}}; " MATMUL);
  expect_refused(
      complete("MatMul", NULL, 2, ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT64 + SLI_DTYPE_REF)), false, NULL),
      "AttrValue must not have reference type value of int64_ref\n\t for attr 'T'\n\t; NodeDef: {{node m}}; " MATMUL);
  const char *identity = "Op<name=Identity; signature=input:T -> output:T; attr=T:type>";
  char *text =
      sli_format("AttrValue has invalid DataType enum: 77\n\t for attr 'T'\n\t; NodeDef: {{node m}}; %s", identity);
  expect_refused(complete("Identity", NULL, 1, ATTRS(SLI_ATTR_TYPE_OF("T", (sli_dtype_t)77)), false, NULL), text);
  free(text);
  text = sli_format("AttrValue missing value with expected type 'type'\n\t for attr 'T'\n\t; NodeDef: {{node m}}; %s",
                    identity);
  expect_refused(complete("Identity", NULL, 1, ATTRS({"T", {0}}), false, NULL), text);
  free(text);
  expect_refused(complete("IdentityN", NULL, 2, ATTRS({"T", {.is_list = true}}), false, NULL),
                 "Length for attr 'T' of 0 must be at least minimum 1\n\t; NodeDef: {{node m}}; "
                 "Op<name=IdentityN; signature=input: -> output:; attr=T:list(type),min=1>");
  expect_refused(
      complete("Identity", TYPES(SLI_DTYPE_FLOAT), ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT32)), false, NULL),
      "Input 0 of node m was passed float incompatible with expected int32.");
  expect_refused(complete("AssignAdd", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT),
                          ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT)), false, NULL),
                 "Input 0 of node m was passed float incompatible with expected float_ref.");
  expect_refused(
      complete("Identity", NULL, 1, ATTRS({"T", {.kind = SLI_ATTR_PLACEHOLDER, .s = {"T", 1}}}), false, NULL),
      "AttrValue had value with unexpected type 'placeholder'");
}

SLI_TEST(test_complete_bounds_what_a_peer_may_ask_for) {
  completed_t c = complete("Split", NULL, 2,
                           ATTRS(SLI_ATTR_INT_OF("N", 2000000000), SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT8)), false, NULL);
  expect_refused(c, "Number of outputs is too big: 2000000000");
  c = complete("Split", NULL, 2, ATTRS(SLI_ATTR_INT_OF("N", INT64_MAX), SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT8)), false,
               NULL);
  expect_refused(c, "Number of outputs is too big: 9223372036854775807");
  c = complete("AddN", NULL, 2, ATTRS(SLI_ATTR_INT_OF("N", 2000000000), SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT8)), false,
               NULL);
  SLI_EXPECT_CONTAINS(sli_status_message(c.status), "int8, ...' do not match 2 inputs specified; Op<name=AddN");
  finish(&c);
  c = complete("Placeholder", NULL, 0,
               ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT8), SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(-5))), false,
               NULL);
  SLI_EXPECT_CONTAINS(sli_status_message(c.status), "has dimensions with values below -1 (where -1 means unknown)");
  finish(&c);
  c = complete("Placeholder", NULL, 0,
               ATTRS(SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT8),
                     SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(-1, 8589934592, 8589934592))),
               false, NULL);
  SLI_EXPECT_CONTAINS(sli_status_message(c.status), "is too large (more than 2**63 - 1 entries)");
  finish(&c);
}

SLI_TEST(test_complete_keeps_tensors_only_on_success) {
  sli_tensor_t *tensor = sli_tensor_scalar_float(3);
  completed_t c = complete("Const", NULL, 0, ATTRS(SLI_ATTR_TENSOR_OF("value", tensor)), false, NULL);
  SLI_EXPECT(c.status != NULL);
  SLI_EXPECT(sli_tensor_is_exclusive(tensor));
  finish(&c);
  c = complete("Const", NULL, 0, ATTRS(SLI_ATTR_TENSOR_OF("value", tensor), SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT)),
               false, NULL);
  SLI_EXPECT_OK(sli_status_retain(c.status));
  SLI_EXPECT(!sli_tensor_is_exclusive(tensor));
  finish(&c);
  SLI_EXPECT(sli_tensor_is_exclusive(tensor));
  sli_tensor_release(tensor);
}

SLI_TEST(test_inference_finds_types_and_lengths) {
  completed_t c = complete("MatMul", TYPES(SLI_DTYPE_HALF, SLI_DTYPE_HALF), NULL, 0, true, NULL);
  SLI_EXPECT_TEXT(node_text(&c.node), "{{node m}} = MatMul[T=DT_HALF, transpose_a=false, transpose_b=false]");
  finish(&c);
  c = complete("AddN", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT + SLI_DTYPE_REF, SLI_DTYPE_FLOAT), NULL, 0, true, NULL);
  SLI_EXPECT_TEXT(node_text(&c.node), "{{node m}} = AddN[N=3, T=DT_FLOAT]");
  finish(&c);
  c = complete("DynamicStitch", TYPES(SLI_DTYPE_INT32, SLI_DTYPE_INT32, SLI_DTYPE_BOOL, SLI_DTYPE_BOOL), NULL, 0, true,
               NULL);
  SLI_EXPECT_TEXT(node_text(&c.node), "{{node m}} = DynamicStitch[N=2, T=DT_BOOL]");
  finish(&c);
  c = complete("IdentityN", TYPES(SLI_DTYPE_INT32, SLI_DTYPE_BOOL), NULL, 0, true, NULL);
  SLI_EXPECT_TEXT(node_text(&c.node), "{{node m}} = IdentityN[T=[DT_INT32, DT_BOOL]]");
  finish(&c);
  // Two lists of unknown length: only the caller can tell them apart.
  c = complete("TwoLists", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT, SLI_DTYPE_BOOL), NULL, 0, true,
               (const int[]){0, 2, 1});
  SLI_EXPECT_TEXT(node_text(&c.node), "{{node m}} = TwoLists[M=0, N=2, Tz=[DT_BOOL]]");
  finish(&c);
  c = complete("TwoLists", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT), NULL, 0, true, NULL);
  SLI_EXPECT_CONTAINS(sli_status_message(c.status), "Neither attr 'M' nor 'N'");
  finish(&c);
}

SLI_TEST(test_inference_reports_as_tensorflows_builder) {
  expect_refused(complete("MatMul", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_INT32), NULL, 0, true, NULL),
                 "Inconsistent values for attr 'T' DT_FLOAT vs. DT_INT32 while building NodeDef 'm' using " MATMUL);
  expect_refused(complete("MatMul", TYPES(SLI_DTYPE_FLOAT), NULL, 0, true, NULL),
                 "1 inputs specified of 2 inputs in Op while building NodeDef 'm' using " MATMUL);
  expect_refused(complete("MatMul", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT), NULL, 0, true, NULL),
                 "More Input() calls than the 2 input_args while building NodeDef 'm' using " MATMUL);
  expect_refused(complete("MatMul", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT), NULL, 0, true, (const int[]){2, 0}),
                 "List provided to input 'a' when single Tensor expected while building NodeDef 'm' using " MATMUL);
  completed_t c = complete("AddN", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_INT32, SLI_DTYPE_BOOL), NULL, 0, true, NULL);
  SLI_EXPECT_CONTAINS(sli_status_message(c.status), "2 errors while building NodeDef 'm' using Op<name=AddN");
  SLI_EXPECT_CONTAINS(sli_status_message(c.status),
                      ">:\nInput 'inputs' passed int32 expected float\nInput 'inputs' passed bool expected float");
  finish(&c);
  c = complete("AssignAdd", TYPES(SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT), NULL, 0, true, NULL);
  SLI_EXPECT_CONTAINS(sli_status_message(c.status), "Input 'ref' passed float expected ref type while building");
  finish(&c);
}

static bool takes(const char *op, const sli_attr_entry_t *attrs, size_t attr_count, int inputs, const char *device) {
  completed_t c = complete(op, NULL, inputs, attrs, attr_count, false, NULL);
  const sli_kernel_def_t *kernel = NULL;
  sli_status_t *status = c.status ? sli_status_retain(c.status) : sli_kernel_find(&c.node, device, &kernel);
  bool found = !status && strcmp(kernel->op, op) == 0;
  sli_status_release(status);
  finish(&c);
  return found;
}

SLI_TEST(test_kernels_are_found_by_types_and_device) {
  SLI_EXPECT(takes("MatMul", ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT)), 2, "CPU"));
  SLI_EXPECT(takes("MatMul", ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT32)), 2, "CPU"));
  SLI_EXPECT(!takes("MatMul", ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_HALF)), 2, "CPU"));
  SLI_EXPECT(takes("MatMul", ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_HALF)), 2, "GPU"));
  const sli_dtype_t good[] = {SLI_DTYPE_FLOAT, SLI_DTYPE_INT8}, bad[] = {SLI_DTYPE_FLOAT, SLI_DTYPE_STRING};
  sli_attr_t list = {.kind = SLI_ATTR_TYPE, .is_list = true, .count = 2, .list.type = good};
  SLI_EXPECT(takes("IdentityN", ATTRS({"T", list}), 2, "CPU"));
  list.list.type = bad;
  SLI_EXPECT(!takes("IdentityN", ATTRS({"T", list}), 2, "CPU"));
  SLI_EXPECT(takes("Split", ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT), SLI_ATTR_INT_OF("N", 1)), 2, "CPU"));
  SLI_EXPECT(!takes("Split", ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT8), SLI_ATTR_INT_OF("N", 1)), 2, "CPU"));
  SLI_EXPECT(sli_kernel_exists(sli_op_find(sli_view("MatMul")), "GPU"));
  SLI_EXPECT(!sli_kernel_exists(sli_op_find(sli_view("Split")), "GPU"));
  SLI_EXPECT(!sli_kernel_exists(sli_op_find(sli_view("AddN")), "CPU"));
}

SLI_TEST(test_absent_kernel_is_reported_as_by_tensorflow) {
  const sli_kernel_def_t *kernel = NULL;
  completed_t c = complete("MatMul", NULL, 2, ATTRS(SLI_ATTR_TYPE_OF("T", SLI_DTYPE_HALF)), false, NULL);
  sli_status_t *status = sli_kernel_find(&c.node, "CPU", &kernel);
  SLI_EXPECT_TEXT(sli_status_message(status),
                  "No OpKernel was registered to support Op 'MatMul' used by {{node m}} with these attrs: [T=DT_HALF, "
                  "transpose_a=false, transpose_b=false]\nRegistered devices: [CPU]\nRegistered kernels:\n"
                  "  device='CPU'; T in [DT_FLOAT]\n  device='CPU'; T in [DT_DOUBLE, DT_INT32]\n"
                  "  device='GPU'; T in [DT_HALF]\n\n\t [[m]]");
  sli_status_release(status);
  finish(&c);
  c = complete("AddN", TYPES(SLI_DTYPE_FLOAT), NULL, 0, true, NULL);
  status = sli_kernel_find(&c.node, "CPU", &kernel);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "Registered kernels:\n  <no registered kernels>\n\n\t [[m]]");
  sli_status_release(status);
  finish(&c);
}

static void count_sorted(void *context, const sli_op_t *op) {
  const char **last = context;
  SLI_EXPECT(!*last || strcmp(*last, op->def->name) < 0);
  *last = op->def->name;
}

static void *look_up_all(void *unused) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(ops); i++) {
    const sli_op_t *op = sli_op_find(sli_view(ops[i].name));
    if (!op || op->def != &ops[i]) return (void *)1;
  }
  return NULL;
}

SLI_TEST(test_lookups_from_many_threads_agree) {
  pthread_t threads[4];
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(threads); i++) pthread_create(&threads[i], NULL, look_up_all, NULL);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(threads); i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    SLI_EXPECT(!failed);
  }
  const char *last = NULL;
  sli_op_for_each(count_sorted, &last);
  SLI_EXPECT_TEXT(last, "TwoLists");
}

static void refuse_made_op(void *context, const sli_op_t *op) { SLI_EXPECT(op->def->name[0] != '_'); }
static void refuse_made_kernel(void *context, const sli_kernel_def_t *kernel) { SLI_EXPECT(kernel->op[0] != '_'); }

SLI_TEST(test_private_ops_are_found_only_on_request) {
  const sli_op_t *op = sli_op_find_private(sli_view("_Made"));
  SLI_EXPECT(op && !sli_op_find(sli_view("_Made")) && !sli_op_find_private(sli_view("MatMul")));
  SLI_EXPECT(sli_op_find_fused(sli_op_find(sli_view("AddN"))) == op);
  SLI_EXPECT(!sli_op_find_fused(sli_op_find(sli_view("MatMul"))));
  SLI_EXPECT(op && sli_kernel_exists(op, "CPU"));
  sli_op_for_each(refuse_made_op, NULL);
  sli_kernel_for_each(refuse_made_kernel, NULL);
}

// The test with threads comes first, so that they race to parse the ops.
SLI_TEST_MAIN(test_lookups_from_many_threads_agree, test_spec_default_values_and_constraints_are_parsed,
              test_spec_mistakes_are_named, test_complete_fills_defaults_and_types,
              test_complete_makes_references_and_lists, test_complete_refuses_with_tensorflows_texts,
              test_complete_bounds_what_a_peer_may_ask_for, test_complete_keeps_tensors_only_on_success,
              test_inference_finds_types_and_lengths, test_inference_reports_as_tensorflows_builder,
              test_kernels_are_found_by_types_and_device, test_absent_kernel_is_reported_as_by_tensorflow,
              test_private_ops_are_found_only_on_request)
