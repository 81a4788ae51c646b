// The C API by function pointers, so that one test binary can try any library
// that has it: SLUICE_CAPI_LIBRARY=/path/to/libtensorflow_cc.so.2 names one to
// load; without it the functions linked into the test are used.
#ifndef SLI_TESTS_CAPI_LIBRARY_H_
#define SLI_TESTS_CAPI_LIBRARY_H_

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

// Everything that libtensorflow has of it and a program may call.
// clang-format off
#define CAPI_FUNCTIONS(X) \
  X(AbortWhile) X(AddControlInput) X(AddGradients) X(AddGradientsWithPrefix) X(AddInput) X(AddInputList) \
  X(AllocateTensor) X(CloseSession) X(ColocateWith) X(DataTypeSize) X(DeleteBuffer) X(DeleteDeprecatedSession) \
  X(DeleteDeviceList) X(DeleteGraph) X(DeleteImportGraphDefOptions) X(DeleteImportGraphDefResults) \
  X(DeletePRunHandle) X(DeleteServer) X(DeleteSession) X(DeleteSessionOptions) X(DeleteStatus) X(DeleteTensor) \
  X(DeviceListCount) X(DeviceListIncarnation) X(DeviceListMemoryBytes) X(DeviceListName) X(DeviceListType) X(Dim) \
  X(ExtendGraph) X(FinishOperation) X(FinishWhile) X(ForEachPayload) X(GetAllOpList) X(GetBuffer) X(GetCode) \
  X(GetRegisteredKernelsForOp) X(GraphGetOpDef) X(GraphGetTensorNumDims) X(GraphGetTensorShape) \
  X(GraphImportGraphDef) X(GraphImportGraphDefWithResults) X(GraphImportGraphDefWithReturnOutputs) \
  X(GraphNextOperation) X(GraphOperationByName) X(GraphSetTensorShape) X(GraphToFunction) X(GraphToGraphDef) \
  X(GraphVersions) X(ImportGraphDefOptionsAddControlDependency) X(ImportGraphDefOptionsAddInputMapping) \
  X(ImportGraphDefOptionsAddReturnOperation) X(ImportGraphDefOptionsAddReturnOutput) \
  X(ImportGraphDefOptionsNumReturnOperations) X(ImportGraphDefOptionsNumReturnOutputs) \
  X(ImportGraphDefOptionsRemapControlDependency) X(ImportGraphDefOptionsSetDefaultDevice) \
  X(ImportGraphDefOptionsSetPrefix) X(ImportGraphDefOptionsSetUniquifyNames) \
  X(ImportGraphDefOptionsSetUniquifyPrefix) X(ImportGraphDefResultsMissingUnusedInputMappings) \
  X(ImportGraphDefResultsReturnOperations) X(ImportGraphDefResultsReturnOutputs) X(LoadLibrary) \
  X(LoadSessionFromSavedModel) X(Message) X(NewBuffer) X(NewBufferFromString) X(NewDeprecatedSession) X(NewGraph) \
  X(NewImportGraphDefOptions) X(NewOperation) X(NewServer) X(NewSession) X(NewSessionOptions) X(NewStatus) \
  X(NewTensor) X(NewWhile) X(NumDims) X(OperationAllInputs) X(OperationDevice) X(OperationGetAttrBool) \
  X(OperationGetAttrBoolList) X(OperationGetAttrFloat) X(OperationGetAttrFloatList) X(OperationGetAttrInt) \
  X(OperationGetAttrIntList) X(OperationGetAttrMetadata) X(OperationGetAttrName) X(OperationGetAttrNameLength) \
  X(OperationGetAttrShape) X(OperationGetAttrShapeList) X(OperationGetAttrString) X(OperationGetAttrStringList) \
  X(OperationGetAttrTensor) X(OperationGetAttrTensorList) X(OperationGetAttrTensorShapeProto) \
  X(OperationGetAttrTensorShapeProtoList) X(OperationGetAttrType) X(OperationGetAttrTypeList) \
  X(OperationGetAttrValueProto) X(OperationGetControlInputs) X(OperationGetControlOutputs) X(OperationGetNumAttrs) \
  X(OperationInput) X(OperationInputListLength) X(OperationInputType) X(OperationName) \
  X(OperationNumControlInputs) X(OperationNumControlOutputs) X(OperationNumInputs) X(OperationNumOutputs) \
  X(OperationOpType) X(OperationOutputConsumers) X(OperationOutputListLength) X(OperationOutputNumConsumers) \
  X(OperationOutputType) X(OperationToNodeDef) X(Reset) X(Run) X(ServerJoin) X(ServerStart) X(ServerStop) \
  X(ServerTarget) X(SessionListDevices) X(SessionPRun) X(SessionPRunSetup) X(SessionRun) X(SetAttrBool) \
  X(SetAttrBoolList) X(SetAttrFloat) X(SetAttrFloatList) X(SetAttrFuncName) X(SetAttrInt) X(SetAttrIntList) \
  X(SetAttrPlaceholder) X(SetAttrShape) X(SetAttrShapeList) X(SetAttrString) X(SetAttrStringList) X(SetAttrTensor) \
  X(SetAttrTensorList) X(SetAttrTensorShapeProto) X(SetAttrTensorShapeProtoList) X(SetAttrType) X(SetAttrTypeList) \
  X(SetAttrValueProto) X(SetConfig) X(SetDevice) X(SetPayload) X(SetShape) X(SetStatus) X(SetStatusFromIOError) \
  X(SetTarget) X(StringAssignView) X(StringCopy) X(StringDealloc) X(StringGetCapacity) X(StringGetDataPointer) \
  X(StringGetSize) X(StringGetType) X(StringInit) X(TensorBitcastFrom) X(TensorByteSize) X(TensorData) \
  X(TensorElementCount) X(TensorFromProto) X(TensorIsAligned) X(TensorMaybeMove) X(TensorType) \
  X(TryEvaluateConstant) X(UpdateEdge) X(Version)
// clang-format on

#define CAPI_MEMBER(name) __typeof__(&TF_##name) name;
static struct {
  bool is_sluice;
  CAPI_FUNCTIONS(CAPI_MEMBER)
} tf;

static void capi_load(void) {
  const char *path = getenv("SLUICE_CAPI_LIBRARY");
  if (!path) {
#define CAPI_LINKED(name) tf.name = TF_##name;
    CAPI_FUNCTIONS(CAPI_LINKED)
  } else {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      exit(2);
    }
#define CAPI_LOADED(name)                             \
  *(void **)&tf.name = dlsym(library, "TF_" #name);   \
  if (!tf.name) {                                     \
    fprintf(stderr, "%s lacks TF_" #name "\n", path); \
    exit(2);                                          \
  }
    CAPI_FUNCTIONS(CAPI_LOADED)
  }
  tf.is_sluice = strstr(tf.Version(), "sluice") != NULL;
}

// --- Small graphs ------------------------------------------------------------

#define CAPI_HELPER static __attribute__((unused))

CAPI_HELPER TF_Tensor *capi_tensor(TF_DataType type, const int64_t *dims, int rank, const void *values) {
  size_t size = tf.DataTypeSize(type);
  for (int i = 0; i < rank; i++) size *= (size_t)dims[i];
  TF_Tensor *tensor = tf.AllocateTensor(type, dims, rank, size);
  if (size) memcpy(tf.TensorData(tensor), values, size);
  return tensor;
}
CAPI_HELPER TF_Tensor *capi_float(float value) { return capi_tensor(TF_FLOAT, NULL, 0, &value); }
CAPI_HELPER TF_Tensor *capi_int(int32_t value) { return capi_tensor(TF_INT32, NULL, 0, &value); }

CAPI_HELPER TF_Output capi_placeholder(TF_Graph *graph, const char *name, TF_DataType type, TF_Status *status) {
  TF_OperationDescription *desc = tf.NewOperation(graph, "Placeholder", name);
  tf.SetAttrType(desc, "dtype", type);
  return (TF_Output){tf.FinishOperation(desc, status), 0};
}

// Consumes the tensor.
CAPI_HELPER TF_Output capi_const(TF_Graph *graph, const char *name, TF_Tensor *value, TF_Status *status) {
  TF_OperationDescription *desc = tf.NewOperation(graph, "Const", name);
  tf.SetAttrType(desc, "dtype", tf.TensorType(value));
  tf.SetAttrTensor(desc, "value", value, status);
  tf.DeleteTensor(value);
  return (TF_Output){tf.FinishOperation(desc, status), 0};
}

CAPI_HELPER TF_Output capi_unary(TF_Graph *graph, const char *op, const char *name, TF_Output a, TF_Status *status) {
  TF_OperationDescription *desc = tf.NewOperation(graph, op, name);
  tf.AddInput(desc, a);
  return (TF_Output){tf.FinishOperation(desc, status), 0};
}

CAPI_HELPER TF_Output capi_binary(TF_Graph *graph, const char *op, const char *name, TF_Output a, TF_Output b,
                                  TF_Status *status) {
  TF_OperationDescription *desc = tf.NewOperation(graph, op, name);
  tf.AddInput(desc, a);
  tf.AddInput(desc, b);
  return (TF_Output){tf.FinishOperation(desc, status), 0};
}

CAPI_HELPER TF_Session *capi_session(TF_Graph *graph, TF_Status *status) {
  TF_SessionOptions *options = tf.NewSessionOptions();
  TF_Session *session = tf.NewSession(graph, options, status);
  tf.DeleteSessionOptions(options);
  return session;
}

// --- Expectations ------------------------------------------------------------

#define EXPECT_TF_OK(status)                                                                                     \
  do {                                                                                                           \
    if (tf.GetCode(status)) sli_test_fail(__FILE__, __LINE__, "%d: %s", tf.GetCode(status), tf.Message(status)); \
  } while (0)
#define REQUIRE_TF_OK(status)       \
  do {                              \
    EXPECT_TF_OK(status);           \
    if (tf.GetCode(status)) return; \
  } while (0)
// An error of |code| whose message has |part|. Clears it: some of TensorFlow's functions heed an old error.
#define EXPECT_TF_ERROR(status, code, part)        \
  do {                                             \
    SLI_EXPECT_INT(tf.GetCode(status), code);      \
    SLI_EXPECT_CONTAINS(tf.Message(status), part); \
    tf.SetStatus(status, TF_OK, "");               \
  } while (0)

#endif  // SLI_TESTS_CAPI_LIBRARY_H_
