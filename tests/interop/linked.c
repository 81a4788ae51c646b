// Linked against TensorFlow's library, run on either: 6 * 7 through a graph and a session.
#include <stdio.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

static TF_Output constant(TF_Graph *graph, const char *name, float value, TF_Status *status) {
  TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(value));
  memcpy(TF_TensorData(tensor), &value, sizeof(value));
  TF_OperationDescription *node = TF_NewOperation(graph, "Const", name);
  TF_SetAttrTensor(node, "value", tensor, status);
  TF_SetAttrType(node, "dtype", TF_FLOAT);
  TF_Operation *operation = TF_FinishOperation(node, status);
  TF_DeleteTensor(tensor);
  return (TF_Output){operation, 0};
}

int main(void) {
  TF_Status *status = TF_NewStatus();
  TF_Graph *graph = TF_NewGraph();
  TF_Output a = constant(graph, "a", 6, status), b = constant(graph, "b", 7, status);
  TF_OperationDescription *node = TF_NewOperation(graph, "Mul", "product");
  TF_AddInput(node, a);
  TF_AddInput(node, b);
  TF_Output product = {TF_FinishOperation(node, status), 0};
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(graph, options, status);
  TF_Tensor *value = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &product, &value, 1, NULL, 0, NULL, status);
  if (TF_GetCode(status) != TF_OK) {
    fprintf(stderr, "%s\n", TF_Message(status));
    return 1;
  }
  printf("%s = %g\n", TF_OperationName(product.oper), (double)*(const float *)TF_TensorData(value));
  TF_DeleteTensor(value);
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}
