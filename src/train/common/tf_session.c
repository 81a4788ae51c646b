#include "train/common/tf_session.h"

#include "train/common/tf_tensor.h"

void sli_tf_session_run_operation(TF_Session *session, const TF_Operation *operation, TF_Status *status) {
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &operation, 1, NULL, status);
}

TF_Tensor *sli_tf_session_fetch(TF_Session *session, TF_Output output, TF_Status *status) {
  TF_Tensor *value = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &output, &value, 1, NULL, 0, NULL, status);
  return value;
}

int64_t sli_tf_session_fetch_int64(TF_Session *session, TF_Output output, TF_Status *status) {
  int64_t number = 0;
  TF_Tensor *value = sli_tf_session_fetch(session, output, status);
  if (value) sli_tf_tensor_to_int64(value, 0, &number);
  sli_tf_tensor_delete(value);
  return number;
}

void sli_tf_session_delete(TF_Session *session) {
  if (!session) return;
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteStatus(status);
}
