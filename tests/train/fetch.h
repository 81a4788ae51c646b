// Fetching a number, for tests of the training library.
#ifndef SLI_TESTS_TRAIN_FETCH_H_
#define SLI_TESTS_TRAIN_FETCH_H_

#include <math.h>

#include "base/test.h"
#include "tensorflow/c/c_api.h"

// The value of |output|, a float or int64 scalar. If the step fails, fails the test and returns NAN.
static inline double train_fetch(TF_Session *session, TF_Output output) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *value = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &output, &value, 1, NULL, 0, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  double result = NAN;
  if (value)
    result = TF_TensorType(value) == TF_FLOAT ? *(float *)TF_TensorData(value) : *(int64_t *)TF_TensorData(value);
  if (value) TF_DeleteTensor(value);
  TF_DeleteStatus(status);
  return result;
}

#endif  // SLI_TESTS_TRAIN_FETCH_H_
