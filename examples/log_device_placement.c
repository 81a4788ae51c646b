// Where does each operation run? A session of TensorFlow's C API, asked to tell on stderr; the
// graph is built with Sluice's calls.
//
//   log_device_placement
#include <stdio.h>

#include "sluice/sluice.h"

// ConfigProto with log_device_placement = true: field 8, a varint.
static const uint8_t config[] = {8 << 3, 1};

static bool is_ok(const TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "%s\n", TF_Message(status));
  return TF_GetCode(status) == TF_OK;
}

static void add_and_print(TF_Session *session, TF_Output c, TF_Status *status) {
  TF_Tensor *sum = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &c, &sum, 1, NULL, 0, NULL, status);
  if (!is_ok(status)) return;
  const float *values = TF_TensorData(sum);
  printf("[%g %g %g]\n", values[0], values[1], values[2]);
  TF_DeleteTensor(sum);
}

int main(void) {
  sl_scope_t *g = sl_graph_scope();
  TF_Output a = sl_constant(g, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 2, 3}), .name = "a"), b, c;
  SL_DEVICE(g, "/device:CPU:0") {
    b = sl_constant(g, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 2, 3}), .name = "b");
    c = sl_add(g, a, b, .name = "add");
  }

  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_SetConfig(options, config, sizeof(config), status);
  TF_Session *session = TF_NewSession(sl_scope_graph(g), options, status);
  if (is_ok(status)) {
    add_and_print(session, c, status);
    TF_Status *ignored = TF_NewStatus();
    TF_CloseSession(session, ignored);
    TF_DeleteSession(session, ignored);
    TF_DeleteStatus(ignored);
  }
  int code = TF_GetCode(status) == TF_OK ? 0 : 1;
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  sl_scope_release(g);
  return code;
}
