// Short forms of TF_SessionRun for one operation or one value. All block until the step ends; thread-safe.
#ifndef SLI_TRAIN_COMMON_TF_SESSION_H_
#define SLI_TRAIN_COMMON_TF_SESSION_H_

#include <stdint.h>

#include "tensorflow/c/c_api.h"

// Runs |operation| as the only target.
void sli_tf_session_run_operation(TF_Session *session, const TF_Operation *operation, TF_Status *status);
// The value of |output|, which the caller deletes; NULL after an error.
TF_Tensor *sli_tf_session_fetch(TF_Session *session, TF_Output output, TF_Status *status);
// The first element of |output|; 0 after an error.
int64_t sli_tf_session_fetch_int64(TF_Session *session, TF_Output output, TF_Status *status);
// Closes and deletes |session|; NULL is fine.
void sli_tf_session_delete(TF_Session *session);

#endif  // SLI_TRAIN_COMMON_TF_SESSION_H_
