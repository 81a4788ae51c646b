// Hello, distributed TensorFlow: starts a local server, a cluster of one task in this process, and
// opens a session on it. Other clients can connect to the server through the target that it prints.
//
//   hello_server
//
// Prints:
//
//   target: grpc://localhost:39617
//   Hello, distributed TensorFlow!
#include <stdio.h>

#include "sluice/sluice.h"

int main(void) {
  sl_server_t *server = sl_create_local_server();
  sl_scope_t *g = sl_graph_scope();
  TF_Output c = sl_text(g, "Hello, distributed TensorFlow!");

  sl_session_t *session = sl_session(g, .target = sl_server_target(server));
  TF_Tensor *value = NULL;
  if (sl_run(session, SL_FETCH_TENSOR(c, &value))) {
    const TF_TString *text = TF_TensorData(value);
    printf("target: %s\n", sl_server_target(server));
    printf("%.*s\n", (int)TF_StringGetSize(text), TF_StringGetDataPointer(text));
    TF_DeleteTensor(value);
  }
  int code = sl_session_close(session);
  sl_server_release(server);
  return code;
}
