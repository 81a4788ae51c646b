// The C API through function pointers, so that one test binary can test several libraries. The environment variable
// SLUICE_CAPI_LIBRARY=/path/to/libtensorflow_cc.so.2 names a library to load; without it the functions linked into the
// test are used.
#ifndef SLI_TESTS_CAPI_CAPI_H_
#define SLI_TESTS_CAPI_CAPI_H_

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

static struct {
  bool is_sluice;
#define FUNCTION(name) __typeof__(&TF_##name) name;
#include "tests/capi/functions.inc"
#undef FUNCTION
} tf;

static void capi_load(void) {
  const char *path = getenv("SLUICE_CAPI_LIBRARY");
  if (!path) {
#define FUNCTION(name) tf.name = TF_##name;
#include "tests/capi/functions.inc"
#undef FUNCTION
  } else {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      exit(2);
    }
#define FUNCTION(name)                                \
  *(void **)&tf.name = dlsym(library, "TF_" #name);   \
  if (!tf.name) {                                     \
    fprintf(stderr, "%s lacks TF_" #name "\n", path); \
    exit(2);                                          \
  }
#include "tests/capi/functions.inc"
#undef FUNCTION
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
// Expects an error of |code| whose message contains |part|, and clears it, because some functions of TensorFlow return
// early if the status holds an error.
#define EXPECT_TF_ERROR(status, code, part)        \
  do {                                             \
    SLI_EXPECT_INT(tf.GetCode(status), code);      \
    SLI_EXPECT_CONTAINS(tf.Message(status), part); \
    tf.SetStatus(status, TF_OK, "");               \
  } while (0)

#endif  // SLI_TESTS_CAPI_CAPI_H_
