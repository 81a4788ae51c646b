// TensorFlow's C API without running a graph: status, buffers, tensors, building, attributes, import and export. The
// expected results are those of libtensorflow 2.15; with SLUICE_CAPI_LIBRARY this test runs against it.
#include <errno.h>
#include <stdint.h>

#include "base/test.h"
#include "tests/capi/capi.h"

// --- Status and buffers ------------------------------------------------------

static void count_payload(const char *key, const char *value, void *capture) {
  SLI_EXPECT_TEXT(key, "key");
  SLI_EXPECT_TEXT(value, "second");
  ++*(int *)capture;
}

SLI_TEST(test_status_holds_code_message_and_payload) {
  TF_Status *status = tf.NewStatus();
  SLI_EXPECT_INT(tf.GetCode(status), TF_OK);
  SLI_EXPECT_TEXT(tf.Message(status), "");
  tf.SetPayload(status, "key", "lost: the status is OK");
  int payloads = 0;
  tf.ForEachPayload(status, count_payload, &payloads);
  SLI_EXPECT_INT(payloads, 0);
  tf.SetStatus(status, TF_CANCELLED, "stop");
  SLI_EXPECT_INT(tf.GetCode(status), TF_CANCELLED);
  SLI_EXPECT_TEXT(tf.Message(status), "stop");
  tf.SetPayload(status, "key", "first");
  tf.SetPayload(status, "key", "second");
  tf.ForEachPayload(status, count_payload, &payloads);
  SLI_EXPECT_INT(payloads, 1);
  tf.SetStatus(status, TF_OK, "ignored");
  SLI_EXPECT_TEXT(tf.Message(status), "");
  tf.SetStatusFromIOError(status, ENOENT, "context");
  SLI_EXPECT_INT(tf.GetCode(status), TF_NOT_FOUND);
  SLI_EXPECT_TEXT(tf.Message(status), "context; No such file or directory");
  tf.DeleteStatus(status);
}

SLI_TEST(test_buffer_owns_a_copy) {
  char text[] = "abc";
  TF_Buffer *buffer = tf.NewBufferFromString(text, 3);
  text[0] = 'x';
  SLI_EXPECT_INT(buffer->length, 3);
  SLI_EXPECT(memcmp(buffer->data, "abc", 3) == 0);
  TF_Buffer fields = tf.GetBuffer(buffer);
  SLI_EXPECT(fields.data == buffer->data && fields.length == 3);
  tf.DeleteBuffer(buffer);
  buffer = tf.NewBuffer();
  SLI_EXPECT(!buffer->data && !buffer->length && !buffer->data_deallocator);
  tf.DeleteBuffer(buffer);
}

// --- Tensors -----------------------------------------------------------------

static void count_deallocation(void *data, size_t len, void *arg) { ++*(int *)arg; }

SLI_TEST(test_data_type_sizes) {
  static const int wanted[] = {0, 4, 8, 4, 1, 2, 1, 0, 8, 8, 1, 1, 1, 4, 2, 2, 2, 2, 16, 2, 0, 0, 4, 8, 1, 1, 0};
  for (int type = 0; type < (int)(sizeof(wanted) / sizeof(wanted[0])); type++)
    SLI_EXPECT_INT(tf.DataTypeSize((TF_DataType)type), wanted[type]);
}

SLI_TEST(test_allocated_tensor_has_type_shape_and_bytes) {
  int64_t dims[] = {2, 3};
  TF_Tensor *tensor = tf.AllocateTensor(TF_DOUBLE, dims, 2, 48);
  SLI_REQUIRE(tensor);
  SLI_EXPECT_INT(tf.TensorType(tensor), TF_DOUBLE);
  SLI_EXPECT_INT(tf.NumDims(tensor), 2);
  SLI_EXPECT_INT(tf.Dim(tensor, 1), 3);
  SLI_EXPECT_INT(tf.TensorByteSize(tensor), 48);
  SLI_EXPECT_INT(tf.TensorElementCount(tensor), 6);
  SLI_EXPECT(tf.TensorIsAligned(tensor));
  SLI_EXPECT(tf.TensorMaybeMove(tensor) == tensor);
  memset(tf.TensorData(tensor), 1, 48);
  tf.DeleteTensor(tensor);
  SLI_EXPECT(!tf.AllocateTensor(TF_DOUBLE, dims, 2, 47));
  tensor = tf.AllocateTensor(TF_FLOAT, dims, 2, 1000);  // more than needed
  SLI_EXPECT_INT(tf.TensorByteSize(tensor), 1000);
  memset(tf.TensorData(tensor), 1, 1000);
  tf.DeleteTensor(tensor);
  dims[0] = 0;
  tensor = tf.AllocateTensor(TF_FLOAT, dims, 2, 0);
  SLI_EXPECT_INT(tf.TensorElementCount(tensor), 0);
  tf.DeleteTensor(tensor);
}

SLI_TEST(test_new_tensor_adopts_aligned_bytes) {
  int64_t dims[] = {4};
  int deallocations = 0;
  char *block = aligned_alloc(64, 256);
  TF_Tensor *tensor = tf.NewTensor(TF_FLOAT, dims, 1, block + 64, 16, count_deallocation, &deallocations);
  SLI_EXPECT(tf.TensorData(tensor) == block + 64);
  SLI_EXPECT(!tf.TensorMaybeMove(tensor));
  SLI_EXPECT_INT(deallocations, 0);
  tf.DeleteTensor(tensor);
  SLI_EXPECT_INT(deallocations, 1);
  // Bytes that are not aligned are copied, and given back at once.
  memcpy(block + 4, "0123456789abcdef", 16);
  tensor = tf.NewTensor(TF_FLOAT, dims, 1, block + 4, 16, count_deallocation, &deallocations);
  SLI_EXPECT_INT(deallocations, 2);
  SLI_EXPECT(tf.TensorData(tensor) != block + 4);
  SLI_EXPECT(memcmp(tf.TensorData(tensor), "0123456789abcdef", 16) == 0);
  tf.DeleteTensor(tensor);
  // Too few bytes: no tensor, and the bytes are given back.
  SLI_EXPECT(!tf.NewTensor(TF_FLOAT, dims, 1, block, 15, count_deallocation, &deallocations));
  SLI_EXPECT_INT(deallocations, 3);
  free(block);
}

SLI_TEST(test_bitcast_and_set_shape_share_bytes) {
  TF_Status *status = tf.NewStatus();
  int64_t four[] = {4}, square[] = {2, 2}, five[] = {5};
  float values[] = {1, 2, 3, 4};
  TF_Tensor *from = capi_tensor(TF_FLOAT, four, 1, values), *to = capi_int(0);
  tf.TensorBitcastFrom(from, TF_INT32, to, square, 2, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT_INT(tf.TensorType(to), TF_INT32);
  SLI_EXPECT_INT(tf.NumDims(to), 2);
  SLI_EXPECT_INT(((int32_t *)tf.TensorData(to))[0], 0x3f800000);
  tf.TensorBitcastFrom(from, TF_INT64, to, five, 1, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "input and output shapes/data type sizes are not compatible");
  tf.TensorBitcastFrom(from, TF_STRING, to, four, 1, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "specified output type is zero-sized");
  tf.SetShape(from, square, 2);
  SLI_EXPECT_INT(tf.Dim(from, 1), 2);
  SLI_EXPECT(((float *)tf.TensorData(from))[3] == 4);
  SLI_EXPECT(!tf.TensorMaybeMove(from));  // |to| sees the bytes
  tf.DeleteTensor(from);
  SLI_EXPECT_INT(((int32_t *)tf.TensorData(to))[0], 0x3f800000);
  tf.DeleteTensor(to);
  tf.DeleteStatus(status);
}

SLI_TEST(test_tensor_from_proto) {
  // dtype: DT_INT32, shape: [2], int_val: [7, 9]
  static const char proto[] = "\x08\x03\x12\x04\x12\x02\x08\x02\x3a\x02\x07\x09";
  TF_Status *status = tf.NewStatus();
  TF_Buffer *buffer = tf.NewBufferFromString(proto, sizeof(proto) - 1);
  TF_Tensor *tensor = capi_float(0);
  tf.TensorFromProto(buffer, tensor, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_INT(tf.TensorType(tensor), TF_INT32);
  SLI_EXPECT_INT(((int32_t *)tf.TensorData(tensor))[1], 9);
  tf.DeleteTensor(tensor);
  tf.DeleteBuffer(buffer);
  tf.DeleteStatus(status);
}

SLI_TEST(test_strings_of_every_kind) {
  TF_TString text;
  char large[100];
  memset(large, 'x', sizeof(large));
  tf.StringInit(&text);
  SLI_EXPECT_INT(tf.StringGetSize(&text), 0);
  SLI_EXPECT_INT(tf.StringGetType(&text), TF_TSTR_SMALL);
  SLI_EXPECT_INT(tf.StringGetCapacity(&text), 22);
  tf.StringCopy(&text, "hello", 5);
  SLI_EXPECT_INT(tf.StringGetSize(&text), 5);
  SLI_EXPECT(memcmp(tf.StringGetDataPointer(&text), "hello", 5) == 0);
  tf.StringCopy(&text, large, sizeof(large));
  SLI_EXPECT_INT(tf.StringGetType(&text), TF_TSTR_LARGE);
  SLI_EXPECT_INT(tf.StringGetSize(&text), 100);
  SLI_EXPECT(tf.StringGetCapacity(&text) >= 100);
  tf.StringAssignView(&text, large, 50);
  SLI_EXPECT_INT(tf.StringGetType(&text), TF_TSTR_VIEW);
  SLI_EXPECT(tf.StringGetDataPointer(&text) == large);
  SLI_EXPECT_INT(tf.StringGetSize(&text), 50);
  SLI_EXPECT_INT(tf.StringGetCapacity(&text), 0);
  tf.StringDealloc(&text);
}

SLI_TEST(test_string_encoding_of_1x) {
  // libtensorflow 2.x has these no more: always our own.
  TF_Status *status = TF_NewStatus();
  char buffer[300], text[200];
  memset(text, 'y', sizeof(text));
  SLI_EXPECT_INT(TF_StringEncodedSize(200), 202);
  SLI_EXPECT_INT(TF_StringEncode(text, 200, buffer, 202, status), 202);
  const char *decoded = NULL;
  size_t length = 0;
  SLI_EXPECT_INT(TF_StringDecode(buffer, 202, &decoded, &length, status), 202);
  SLI_EXPECT(length == 200 && memcmp(decoded, text, 200) == 0);
  SLI_EXPECT_INT(TF_StringDecode(buffer, 201, &decoded, &length, status), 0);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  SLI_EXPECT_INT(TF_StringEncode(text, 200, buffer, 201, status), 0);
  SLI_EXPECT_CONTAINS(TF_Message(status), "too small to encode a 200-byte string");
  TF_DeleteStatus(status);
}

// --- Building ----------------------------------------------------------------

SLI_TEST(test_operation_knows_its_neighbours) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output x = capi_placeholder(graph, "x", TF_FLOAT, status);
  TF_Output y = capi_const(graph, "y", capi_float(2), status);
  TF_OperationDescription *desc = tf.NewOperation(graph, "Add", "sum");
  tf.AddInput(desc, x);
  tf.AddInput(desc, y);
  tf.AddControlInput(desc, y.oper);
  tf.SetDevice(desc, "/job:worker/task:1");
  tf.ColocateWith(desc, y.oper);
  tf.ColocateWith(desc, x.oper);
  TF_Operation *sum = tf.FinishOperation(desc, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT_TEXT(tf.OperationName(sum), "sum");
  SLI_EXPECT_TEXT(tf.OperationOpType(sum), "Add");
  SLI_EXPECT_TEXT(tf.OperationDevice(sum), "/job:worker/task:1");
  SLI_EXPECT_INT(tf.OperationNumInputs(sum), 2);
  SLI_EXPECT_INT(tf.OperationNumOutputs(sum), 1);
  SLI_EXPECT_INT(tf.OperationOutputType((TF_Output){sum, 0}), TF_FLOAT);
  SLI_EXPECT_INT(tf.OperationInputType((TF_Input){sum, 1}), TF_FLOAT);
  TF_Output input = tf.OperationInput((TF_Input){sum, 1});
  SLI_EXPECT(input.oper == y.oper && input.index == 0);
  TF_Output inputs[2];
  tf.OperationAllInputs(sum, inputs, 2);
  SLI_EXPECT(inputs[0].oper == x.oper && inputs[1].oper == y.oper);
  SLI_EXPECT_INT(tf.OperationInputListLength(sum, "y", status), 1);
  SLI_EXPECT_INT(tf.OperationOutputListLength(sum, "z", status), 1);
  SLI_EXPECT_INT(tf.OperationInputListLength(sum, "nope", status), -1);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Input arg 'nope' not found");
  TF_Input consumers[2];
  SLI_EXPECT_INT(tf.OperationOutputNumConsumers(y), 1);
  SLI_EXPECT_INT(tf.OperationOutputConsumers(y, consumers, 2), 1);
  SLI_EXPECT(consumers[0].oper == sum && consumers[0].index == 1);
  TF_Operation *controls[2];
  SLI_EXPECT_INT(tf.OperationNumControlInputs(sum), 1);
  SLI_EXPECT_INT(tf.OperationGetControlInputs(sum, controls, 2), 1);
  SLI_EXPECT(controls[0] == y.oper);
  SLI_EXPECT_INT(tf.OperationNumControlOutputs(y.oper), 1);
  SLI_EXPECT_INT(tf.OperationGetControlOutputs(y.oper, controls, 2), 1);
  SLI_EXPECT(controls[0] == sum);
  void *groups[2];
  size_t lengths[2];
  char storage[32];
  tf.OperationGetAttrStringList(sum, "_class", groups, lengths, 2, storage, sizeof(storage), status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(lengths[0] == 6 && memcmp(groups[0], "loc:@x", 6) == 0 && memcmp(groups[1], "loc:@y", 6) == 0);
  SLI_EXPECT(tf.GraphOperationByName(graph, "sum") == sum);
  SLI_EXPECT(!tf.GraphOperationByName(graph, "summe"));
  size_t position = 0, count = 0;
  while (tf.GraphNextOperation(graph, &position)) count++;
  SLI_EXPECT_INT(count, 3);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

typedef struct {
  const char *name;
  void (*describe)(TF_OperationDescription *desc, TF_Output x);
  const char *op, *message;
} mistake_t;

static void no_input(TF_OperationDescription *desc, TF_Output x) {}
static void two_inputs(TF_OperationDescription *desc, TF_Output x) {
  tf.AddInput(desc, x);
  tf.AddInput(desc, x);
}
static void bad_index(TF_OperationDescription *desc, TF_Output x) { tf.AddInput(desc, (TF_Output){x.oper, 3}); }
static void list_for_single(TF_OperationDescription *desc, TF_Output x) { tf.AddInputList(desc, &x, 1); }
static void single_for_list(TF_OperationDescription *desc, TF_Output x) { tf.AddInput(desc, x); }
static void wrong_kind(TF_OperationDescription *desc, TF_Output x) {
  tf.SetAttrInt(desc, "T", 3);
  tf.AddInput(desc, x);
}
static void twice(TF_OperationDescription *desc, TF_Output x) {
  tf.SetAttrType(desc, "dtype", TF_FLOAT);
  tf.SetAttrType(desc, "dtype", TF_INT32);
}
static void no_such_type(TF_OperationDescription *desc, TF_Output x) { tf.SetAttrType(desc, "dtype", (TF_DataType)99); }

SLI_TEST(test_mistakes_are_reported_in_tensorflows_words) {
  static const mistake_t mistakes[] = {
      {"m0", no_input, "NoSuchOp", "Op type not registered 'NoSuchOp' in binary running on "},
      {"m1", no_input, "Neg", "0 inputs specified of 1 inputs in Op while building NodeDef 'm1' using Op<name=Neg; "},
      {"m2", two_inputs, "Neg", "More Input() calls than the 1 input_args while building NodeDef 'm2' using Op<"},
      {"m3", bad_index, "Neg",
       "Attempt to add output 3 of x not in range [0, 1) to node with type Neg. Node: {{node x}}"},
      {"m4", list_for_single, "Neg", "List provided to input 'x' when single Tensor expected while building NodeDef"},
      {"m5", single_for_list, "AddN", "Single tensor passed to 'inputs', expected list while building NodeDef 'm5'"},
      {"m6", wrong_kind, "Neg", "Inconsistent values for attr 'T' 3 vs. DT_FLOAT while building NodeDef 'm6' using"},
      {"m7", no_input, "Placeholder", "NodeDef missing attr 'dtype' from Op<name=Placeholder; "},
      {"m8", twice, "Placeholder", "Inconsistent values for attr 'dtype' DT_FLOAT vs. DT_INT32 while building"},
      {"m9", no_such_type, "Placeholder", "AttrValue has invalid DataType enum: 99"},
      {"x", no_input, "NoOp", "Duplicate node name in graph: 'x'"},
  };
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output x = capi_placeholder(graph, "x", TF_FLOAT, status);
  for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
    TF_OperationDescription *desc = tf.NewOperation(graph, mistakes[i].op, mistakes[i].name);
    mistakes[i].describe(desc, x);
    SLI_EXPECT(!tf.FinishOperation(desc, status));
    EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, mistakes[i].message);
  }
  size_t position = 0, count = 0;
  while (tf.GraphNextOperation(graph, &position)) count++;
  SLI_EXPECT_INT(count, 1);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_shapes_are_inferred_and_merged) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output a = capi_placeholder(graph, "a", TF_FLOAT, status), b = capi_placeholder(graph, "b", TF_FLOAT, status);
  SLI_EXPECT_INT(tf.GraphGetTensorNumDims(graph, a, status), -1);
  int64_t dims[] = {2, -1}, got[2] = {0}, more[] = {-1, 3}, wrong[] = {7, 3};
  tf.GraphSetTensorShape(graph, a, dims, 2, status);
  tf.GraphSetTensorShape(graph, a, more, 2, status);
  tf.GraphSetTensorShape(graph, b, (int64_t[]){3, 5}, 2, status);
  EXPECT_TF_OK(status);
  tf.GraphGetTensorShape(graph, a, got, 2, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(got[0] == 2 && got[1] == 3);
  tf.GraphGetTensorShape(graph, a, got, 1, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Expected rank is 1 but actual rank is 2");
  tf.GraphSetTensorShape(graph, a, wrong, 2, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT,
                  "Dimension 0 in both shapes must be equal, but are 2 and 7. Shapes are [2,3] and [7,3].");
  TF_Output product = capi_binary(graph, "MatMul", "product", a, b, status);
  REQUIRE_TF_OK(status);
  tf.GraphGetTensorShape(graph, product, got, 2, status);
  SLI_EXPECT(got[0] == 2 && got[1] == 5);
  capi_binary(graph, "MatMul", "bad", b, b, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Dimensions must be equal, but are 5 and 3 for '{{node bad}} = MatMul[");
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_constant_is_copied_and_told_without_running) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Tensor *value = capi_float(7);
  TF_OperationDescription *desc = tf.NewOperation(graph, "Const", "c");
  tf.SetAttrType(desc, "dtype", TF_FLOAT);
  tf.SetAttrTensor(desc, "value", value, status);
  *(float *)tf.TensorData(value) = 8;
  tf.DeleteTensor(value);
  TF_Output c = {tf.FinishOperation(desc, status), 0};
  REQUIRE_TF_OK(status);
  TF_Tensor *told = NULL;
  SLI_EXPECT(tf.TryEvaluateConstant(graph, c, &told, status));
  SLI_REQUIRE(told);
  SLI_EXPECT(*(float *)tf.TensorData(told) == 7);
  tf.DeleteTensor(told);
  TF_Output x = capi_placeholder(graph, "x", TF_FLOAT, status);
  SLI_EXPECT(!tf.TryEvaluateConstant(graph, x, &told, status));
  SLI_EXPECT(!told);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// --- Attributes --------------------------------------------------------------

static TF_Operation *operation_with_every_attr(TF_Graph *graph, TF_Status *status) {
  TF_OperationDescription *desc = tf.NewOperation(graph, "NoOp", "op");
  const void *texts[] = {"one", "", "three"};
  size_t lengths[] = {3, 0, 5};
  int64_t two[] = {2, -1};
  const int64_t *shapes[] = {two, NULL, NULL};
  int ranks[] = {2, -1, 0};
  TF_Tensor *tensors[] = {capi_float(1), capi_int(2)};
  tf.SetAttrString(desc, "_s", "text", 4);
  tf.SetAttrStringList(desc, "_sl", texts, lengths, 3);
  tf.SetAttrInt(desc, "_i", -5);
  tf.SetAttrIntList(desc, "_il", (int64_t[]){1, -2, INT64_MAX}, 3);
  tf.SetAttrFloat(desc, "_f", 0.5f);
  tf.SetAttrFloatList(desc, "_fl", (float[]){1, 2}, 2);
  tf.SetAttrBool(desc, "_b", 1);
  tf.SetAttrBoolList(desc, "_bl", (unsigned char[]){1, 0, 1}, 3);
  tf.SetAttrType(desc, "_t", TF_INT64);
  tf.SetAttrTypeList(desc, "_tl", (TF_DataType[]){TF_FLOAT, TF_STRING}, 2);
  tf.SetAttrShape(desc, "_sh", two, 2);
  tf.SetAttrShape(desc, "_su", NULL, -1);
  tf.SetAttrShapeList(desc, "_shl", shapes, ranks, 3);
  tf.SetAttrTensor(desc, "_te", tensors[0], status);
  tf.SetAttrTensorList(desc, "_tel", tensors, 2, status);
  tf.SetAttrPlaceholder(desc, "_p", "N");
  tf.SetAttrFuncName(desc, "_fn", "f", 1);
  tf.SetAttrValueProto(desc, "_vp", "\x18\x2a", 2, status);  // i: 42
  EXPECT_TF_OK(status);
  static const char shape_proto[] = "\x12\x02\x08\x06";  // [6]
  const void *protos[] = {shape_proto, shape_proto};
  tf.SetAttrTensorShapeProto(desc, "_shp", shape_proto, 4, status);
  tf.SetAttrTensorShapeProtoList(desc, "_shpl", protos, (size_t[]){4, 4}, 2, status);
  EXPECT_TF_OK(status);
  tf.SetAttrValueProto(desc, "_bad", "\xff\xff", 2, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Unparseable AttrValue proto");
  tf.SetAttrTensorShapeProto(desc, "_bad", "\xff\xff", 2, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Unparseable TensorShapeProto");
  tf.DeleteTensor(tensors[0]);
  tf.DeleteTensor(tensors[1]);
  return tf.FinishOperation(desc, status);
}

#define EXPECT_METADATA(name, list, size, kind, total)                        \
  do {                                                                        \
    TF_AttrMetadata metadata = tf.OperationGetAttrMetadata(op, name, status); \
    EXPECT_TF_OK(status);                                                     \
    SLI_EXPECT_INT(metadata.is_list, list);                                   \
    SLI_EXPECT_INT(metadata.list_size, size);                                 \
    SLI_EXPECT_INT(metadata.type, kind);                                      \
    SLI_EXPECT_INT(metadata.total_size, total);                               \
  } while (0)

SLI_TEST(test_attr_metadata) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Operation *op = operation_with_every_attr(graph, status);
  REQUIRE_TF_OK(status);
  EXPECT_METADATA("_s", 0, -1, TF_ATTR_STRING, 4);
  EXPECT_METADATA("_sl", 1, 3, TF_ATTR_STRING, 8);
  EXPECT_METADATA("_i", 0, -1, TF_ATTR_INT, -1);
  EXPECT_METADATA("_il", 1, 3, TF_ATTR_INT, -1);
  EXPECT_METADATA("_f", 0, -1, TF_ATTR_FLOAT, -1);
  EXPECT_METADATA("_fl", 1, 2, TF_ATTR_FLOAT, -1);
  EXPECT_METADATA("_b", 0, -1, TF_ATTR_BOOL, -1);
  EXPECT_METADATA("_bl", 1, 3, TF_ATTR_BOOL, -1);
  EXPECT_METADATA("_t", 0, -1, TF_ATTR_TYPE, -1);
  EXPECT_METADATA("_tl", 1, 2, TF_ATTR_TYPE, -1);
  EXPECT_METADATA("_sh", 0, -1, TF_ATTR_SHAPE, 2);
  EXPECT_METADATA("_su", 0, -1, TF_ATTR_SHAPE, -1);
  EXPECT_METADATA("_shl", 1, 3, TF_ATTR_SHAPE, 2);
  EXPECT_METADATA("_te", 0, -1, TF_ATTR_TENSOR, -1);
  EXPECT_METADATA("_tel", 1, 2, TF_ATTR_TENSOR, -1);
  EXPECT_METADATA("_p", 0, -1, TF_ATTR_PLACEHOLDER, -1);
  EXPECT_METADATA("_fn", 0, -1, TF_ATTR_FUNC, -1);
  tf.OperationGetAttrMetadata(op, "_nope", status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Operation 'op' has no attr named '_nope'.");
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_attr_values_come_back) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Operation *op = operation_with_every_attr(graph, status);
  REQUIRE_TF_OK(status);
  char text[5] = {0};
  tf.OperationGetAttrString(op, "_s", text, 3, status);
  SLI_EXPECT_TEXT(text, "tex");
  void *texts[3];
  size_t lengths[3];
  char storage[8];
  tf.OperationGetAttrStringList(op, "_sl", texts, lengths, 3, storage, 8, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(lengths[2] == 5 && memcmp(texts[2], "three", 5) == 0);
  tf.OperationGetAttrStringList(op, "_sl", texts, lengths, 3, storage, 7, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Not enough storage to hold the requested list of strings");
  int64_t ints[3] = {0}, number = 0;
  tf.OperationGetAttrInt(op, "_i", &number, status);
  tf.OperationGetAttrIntList(op, "_il", ints, 3, status);
  SLI_EXPECT(number == -5 && ints[1] == -2 && ints[2] == INT64_MAX);
  tf.OperationGetAttrInt(op, "_vp", &number, status);
  SLI_EXPECT_INT(number, 42);
  float real = 0, reals[2] = {0};
  tf.OperationGetAttrFloat(op, "_f", &real, status);
  tf.OperationGetAttrFloatList(op, "_fl", reals, 1, status);
  SLI_EXPECT(real == 0.5f && reals[0] == 1 && reals[1] == 0);
  unsigned char flag = 0, flags[3] = {0};
  tf.OperationGetAttrBool(op, "_b", &flag, status);
  tf.OperationGetAttrBoolList(op, "_bl", flags, 3, status);
  SLI_EXPECT(flag == 1 && flags[0] == 1 && flags[1] == 0 && flags[2] == 1);
  TF_DataType type, types[2];
  tf.OperationGetAttrType(op, "_t", &type, status);
  tf.OperationGetAttrTypeList(op, "_tl", types, 2, status);
  SLI_EXPECT(type == TF_INT64 && types[0] == TF_FLOAT && types[1] == TF_STRING);
  EXPECT_TF_OK(status);
  tf.OperationGetAttrInt(op, "_f", &number, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "AttrValue had value with type 'float' when 'int' expected");
  tf.OperationGetAttrInt(op, "_nope", &number, status);
  EXPECT_TF_ERROR(status, TF_NOT_FOUND, "No attr named '_nope' in NodeDef:");
  tf.OperationGetAttrIntList(op, "_i", ints, 3, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Value for '_i' is not a list.");
  tf.OperationGetAttrString(op, "_i", text, 3, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Attribute '_i' is not a string");
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_shape_and_tensor_attrs_come_back) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Operation *op = operation_with_every_attr(graph, status);
  REQUIRE_TF_OK(status);
  int64_t dims[2] = {0}, storage[4], *lists[3];
  int ranks[3];
  tf.OperationGetAttrShape(op, "_sh", dims, 2, status);
  SLI_EXPECT(dims[0] == 2 && dims[1] == -1);
  tf.OperationGetAttrShape(op, "_shp", dims, 1, status);
  SLI_EXPECT_INT(dims[0], 6);
  tf.OperationGetAttrShapeList(op, "_shl", lists, ranks, 3, storage, 2, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(ranks[0] == 2 && ranks[1] == -1 && ranks[2] == 0 && lists[0][0] == 2 && lists[0][1] == -1);
  tf.OperationGetAttrShapeList(op, "_shl", lists, ranks, 3, storage, 1, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Not enough storage to hold the requested list of shapes");
  TF_Buffer *buffer = tf.NewBuffer(), *buffers[2];
  tf.OperationGetAttrTensorShapeProto(op, "_shp", buffer, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(buffer->length == 4 && memcmp(buffer->data, "\x12\x02\x08\x06", 4) == 0);
  tf.DeleteBuffer(buffer);
  tf.OperationGetAttrTensorShapeProtoList(op, "_shpl", buffers, 2, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT_INT(buffers[1]->length, 4);
  tf.DeleteBuffer(buffers[0]);
  tf.DeleteBuffer(buffers[1]);
  TF_Tensor *tensor = NULL, *tensors[2] = {NULL};
  tf.OperationGetAttrTensor(op, "_te", &tensor, status);
  tf.OperationGetAttrTensorList(op, "_tel", tensors, 2, status);
  REQUIRE_TF_OK(status);
  SLI_EXPECT(*(float *)tf.TensorData(tensor) == 1);
  SLI_EXPECT_INT(*(int32_t *)tf.TensorData(tensors[1]), 2);
  tf.DeleteTensor(tensor);
  tf.DeleteTensor(tensors[0]);
  tf.DeleteTensor(tensors[1]);
  buffer = tf.NewBuffer();
  tf.OperationGetAttrValueProto(op, "_i", buffer, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(buffer->length == 11 && ((const char *)buffer->data)[0] == 0x18);
  tf.OperationGetAttrValueProto(op, "_i", buffer, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Passing non-empty TF_Buffer is invalid.");
  tf.DeleteBuffer(buffer);
  int count = tf.OperationGetNumAttrs(op), found = 0;
  for (int i = 0; i < count; i++) {
    char name[16] = {0};
    if (tf.OperationGetAttrNameLength(op, i) > 15) continue;
    tf.OperationGetAttrName(op, i, name, status);
    found += strcmp(name, "_tel") == 0;
  }
  SLI_EXPECT_INT(found, 1);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

// --- Import and export -------------------------------------------------------

// x, c, sum = x + c (after c), by name.
static TF_Buffer *small_graph_def(TF_Status *status) {
  TF_Graph *graph = tf.NewGraph();
  TF_Output x = capi_placeholder(graph, "x", TF_FLOAT, status), c = capi_const(graph, "c", capi_float(3), status);
  TF_OperationDescription *desc = tf.NewOperation(graph, "Add", "sum");
  tf.AddInput(desc, x);
  tf.AddInput(desc, c);
  tf.AddControlInput(desc, c.oper);
  tf.FinishOperation(desc, status);
  TF_Buffer *buffer = tf.NewBuffer();
  tf.GraphToGraphDef(graph, buffer, status);
  EXPECT_TF_OK(status);
  tf.DeleteGraph(graph);
  return buffer;
}

SLI_TEST(test_import_makes_the_same_graph) {
  TF_Status *status = tf.NewStatus();
  TF_Buffer *graph_def = small_graph_def(status), *again = tf.NewBuffer();
  TF_ImportGraphDefOptions *options = tf.NewImportGraphDefOptions();
  TF_Graph *graph = tf.NewGraph();
  tf.GraphImportGraphDef(graph, graph_def, options, status);
  REQUIRE_TF_OK(status);
  tf.GraphToGraphDef(graph, again, status);
  SLI_EXPECT(tf.GraphOperationByName(graph, "sum") != NULL);
  SLI_EXPECT_INT(again->length, graph_def->length);
  if (tf.is_sluice) SLI_EXPECT(memcmp(again->data, graph_def->data, again->length) == 0);
  tf.GraphImportGraphDef(graph, graph_def, options, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Node name 'x' already exists in the Graph");
  tf.ImportGraphDefOptionsSetUniquifyNames(options, 1);
  tf.GraphImportGraphDef(graph, graph_def, options, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(tf.GraphOperationByName(graph, "sum_1") != NULL);
  // Of two imports under one prefix the second takes another.
  tf.ImportGraphDefOptionsSetUniquifyNames(options, 0);
  tf.ImportGraphDefOptionsSetPrefix(options, "part");
  tf.ImportGraphDefOptionsSetUniquifyPrefix(options, 1);
  for (int i = 0; i < 2; i++) {
    tf.GraphImportGraphDef(graph, graph_def, options, status);
    EXPECT_TF_OK(status);
  }
  SLI_EXPECT(tf.GraphOperationByName(graph, "part/sum") != NULL);
  SLI_EXPECT(tf.GraphOperationByName(graph, "part_1/sum") != NULL);
  TF_Buffer *bad = tf.NewBufferFromString("\xff\xff\xff", 3);
  tf.GraphImportGraphDef(graph, bad, options, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Invalid GraphDef");
  tf.DeleteBuffer(bad);
  tf.DeleteBuffer(again);
  tf.DeleteBuffer(graph_def);
  tf.DeleteImportGraphDefOptions(options);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_import_maps_inputs_and_returns_outputs) {
  TF_Status *status = tf.NewStatus();
  TF_Buffer *graph_def = small_graph_def(status);
  TF_Graph *graph = tf.NewGraph();
  TF_Output mine = capi_const(graph, "mine", capi_float(1), status);
  TF_ImportGraphDefOptions *options = tf.NewImportGraphDefOptions();
  tf.ImportGraphDefOptionsSetPrefix(options, "imported");
  tf.ImportGraphDefOptionsSetDefaultDevice(options, "/cpu:0");
  tf.ImportGraphDefOptionsAddInputMapping(options, "x", 0, mine);
  tf.ImportGraphDefOptionsAddInputMapping(options, "ghost", 2, mine);
  tf.ImportGraphDefOptionsRemapControlDependency(options, "c", mine.oper);
  tf.ImportGraphDefOptionsAddControlDependency(options, mine.oper);
  tf.ImportGraphDefOptionsAddReturnOutput(options, "sum", 0);
  tf.ImportGraphDefOptionsAddReturnOperation(options, "c");
  SLI_EXPECT_INT(tf.ImportGraphDefOptionsNumReturnOutputs(options), 1);
  SLI_EXPECT_INT(tf.ImportGraphDefOptionsNumReturnOperations(options), 1);
  TF_ImportGraphDefResults *results = tf.GraphImportGraphDefWithResults(graph, graph_def, options, status);
  REQUIRE_TF_OK(status);
  int count = 0, *indexes = NULL;
  TF_Output *outputs = NULL;
  TF_Operation **operations = NULL;
  const char **names = NULL;
  tf.ImportGraphDefResultsReturnOutputs(results, &count, &outputs);
  SLI_REQUIRE(count == 1);
  TF_Operation *sum = outputs[0].oper;
  SLI_EXPECT_TEXT(tf.OperationName(sum), "imported/sum");
  SLI_EXPECT_TEXT(tf.OperationDevice(sum), "/cpu:0");
  SLI_EXPECT(tf.OperationInput((TF_Input){sum, 0}).oper == mine.oper);
  TF_Operation *controls[2] = {NULL};
  SLI_EXPECT_INT(tf.OperationGetControlInputs(sum, controls, 2), 1);
  SLI_EXPECT(controls[0] == mine.oper);
  tf.ImportGraphDefResultsReturnOperations(results, &count, &operations);
  SLI_REQUIRE(count == 1);
  SLI_EXPECT_TEXT(tf.OperationName(operations[0]), "imported/c");
  SLI_EXPECT_INT(tf.OperationGetControlInputs(operations[0], controls, 2), 1);
  tf.ImportGraphDefResultsMissingUnusedInputMappings(results, &count, &names, &indexes);
  SLI_REQUIRE(count == 1);
  SLI_EXPECT_TEXT(names[0], "ghost");
  SLI_EXPECT_INT(indexes[0], 2);
  tf.DeleteImportGraphDefResults(results);
  tf.DeleteImportGraphDefOptions(options);
  tf.DeleteBuffer(graph_def);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_import_that_fails_changes_nothing) {
  TF_Status *status = tf.NewStatus();
  TF_Buffer *graph_def = small_graph_def(status);
  TF_Graph *graph = tf.NewGraph();
  TF_ImportGraphDefOptions *options = tf.NewImportGraphDefOptions();
  tf.ImportGraphDefOptionsAddReturnOutput(options, "nope", 0);
  TF_Output outputs[2];
  tf.GraphImportGraphDefWithReturnOutputs(graph, graph_def, options, outputs, 2, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Expected 'num_return_outputs' to be 1, got 2");
  tf.GraphImportGraphDefWithReturnOutputs(graph, graph_def, options, NULL, 1, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "'return_outputs' must be preallocated to length 1");
  tf.GraphImportGraphDef(graph, graph_def, options, status);
  EXPECT_TF_ERROR(status, TF_INVALID_ARGUMENT, "Requested return tensor 'nope:0' not found in graph def");
  size_t position = 0;
  SLI_EXPECT(!tf.GraphNextOperation(graph, &position));
  tf.DeleteImportGraphDefOptions(options);
  tf.DeleteBuffer(graph_def);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_definitions_come_out_as_messages) {
  TF_Status *status = tf.NewStatus();
  TF_Graph *graph = tf.NewGraph();
  TF_Output x = capi_placeholder(graph, "x", TF_FLOAT, status);
  TF_Buffer *buffer = tf.NewBuffer();
  tf.OperationToNodeDef(x.oper, buffer, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(buffer->length > 20 && memcmp(buffer->data, "\x0a\x01x\x12\x0bPlaceholder", 16) == 0);
  tf.DeleteBuffer(buffer);
  buffer = tf.NewBuffer();
  tf.GraphVersions(graph, buffer, status);
  SLI_EXPECT(buffer->length == 3 && memcmp(buffer->data, "\x08\xed\x0c", 3) == 0);
  tf.DeleteBuffer(buffer);
  buffer = tf.NewBuffer();
  tf.GraphGetOpDef(graph, "MatMul", buffer, status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(buffer->length > 8 && memcmp(buffer->data, "\x0a\x06MatMul", 8) == 0);
  tf.DeleteBuffer(buffer);
  buffer = tf.NewBuffer();
  tf.GraphGetOpDef(graph, "NoSuchOp", buffer, status);
  EXPECT_TF_ERROR(status, TF_NOT_FOUND, "Op type not registered 'NoSuchOp' in binary running on ");
  tf.DeleteBuffer(buffer);
  buffer = tf.GetAllOpList();
  SLI_EXPECT(buffer->length > 1000);
  tf.DeleteBuffer(buffer);
  buffer = tf.GetRegisteredKernelsForOp("MatMul", status);
  EXPECT_TF_OK(status);
  SLI_EXPECT(buffer->length > 0);
  tf.DeleteBuffer(buffer);
  tf.DeleteGraph(graph);
  tf.DeleteStatus(status);
}

SLI_TEST(test_library_has_every_function) {
  const char *library_path = getenv("SLUICE_CAPI_LIBRARY");
  void *library = dlopen(library_path ? library_path : SLI_BUILD_DIR "/libsluice.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) sli_test_fail(__FILE__, __LINE__, "%s", dlerror());
  char path[4096], name[128];
  snprintf(path, sizeof(path), "%s/registry/c_api.txt", sli_test_golden_dir());
  FILE *file = fopen(path, "r");
  SLI_REQUIRE(file && library);
  int count = 0;
  while (fgets(name, sizeof(name), file)) {
    if (name[0] == '#') continue;
    name[strcspn(name, "\n")] = '\0';
    count++;
    if (!dlsym(library, name)) sli_test_fail(__FILE__, __LINE__, "no function %s", name);
  }
  SLI_EXPECT_INT(count, 153);
  fclose(file);
  dlclose(library);
}

SLI_TEST(test_what_sluice_lacks_says_so) {
  if (!tf.is_sluice) return;
  TF_Status *status = tf.NewStatus();
  SLI_EXPECT(!tf.LoadLibrary("/proc/self/exe", status));
  EXPECT_TF_ERROR(status, TF_UNIMPLEMENTED, "/proc/self/exe");
  SLI_EXPECT(!tf.LoadLibrary("/nonexistent.so", status));
  EXPECT_TF_ERROR(status, TF_NOT_FOUND, "/nonexistent.so: cannot open shared object file: No such file or directory");
  tf.DeleteStatus(status);
}

static void load_library(void) __attribute__((constructor));
static void load_library(void) { capi_load(); }

SLI_TEST_MAIN(test_status_holds_code_message_and_payload, test_buffer_owns_a_copy, test_data_type_sizes,
              test_allocated_tensor_has_type_shape_and_bytes, test_new_tensor_adopts_aligned_bytes,
              test_bitcast_and_set_shape_share_bytes, test_tensor_from_proto, test_strings_of_every_kind,
              test_string_encoding_of_1x, test_operation_knows_its_neighbours,
              test_mistakes_are_reported_in_tensorflows_words, test_shapes_are_inferred_and_merged,
              test_constant_is_copied_and_told_without_running, test_attr_metadata, test_attr_values_come_back,
              test_shape_and_tensor_attrs_come_back, test_import_makes_the_same_graph,
              test_import_maps_inputs_and_returns_outputs, test_import_that_fails_changes_nothing,
              test_definitions_come_out_as_messages, test_library_has_every_function, test_what_sluice_lacks_says_so)
