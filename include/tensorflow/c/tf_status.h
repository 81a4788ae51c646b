/* Status: how calls of the C API report. A call that takes a TF_Status* overwrites it. Not thread-safe: use one status
 * per thread. */
#ifndef TENSORFLOW_C_TF_STATUS_H_
#define TENSORFLOW_C_TF_STATUS_H_

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Status TF_Status;

/* The canonical codes, equal to gRPC's. */
typedef enum TF_Code {
  TF_OK = 0,
  TF_CANCELLED = 1,
  TF_UNKNOWN = 2,
  TF_INVALID_ARGUMENT = 3,
  TF_DEADLINE_EXCEEDED = 4,
  TF_NOT_FOUND = 5,
  TF_ALREADY_EXISTS = 6,
  TF_PERMISSION_DENIED = 7,
  TF_UNAUTHENTICATED = 16,
  TF_RESOURCE_EXHAUSTED = 8,
  TF_FAILED_PRECONDITION = 9,
  TF_ABORTED = 10,
  TF_OUT_OF_RANGE = 11,
  TF_UNIMPLEMENTED = 12,
  TF_INTERNAL = 13,
  TF_UNAVAILABLE = 14,
  TF_DATA_LOSS = 15,
} TF_Code;

/* A new status, TF_OK. The caller deletes it. */
TF_CAPI_EXPORT TF_Status *TF_NewStatus(void);
TF_CAPI_EXPORT void TF_DeleteStatus(TF_Status *s);

/* Replaces everything in |s|; |msg| is copied. TF_SetStatus(s, TF_OK, "") clears it. */
TF_CAPI_EXPORT void TF_SetStatus(TF_Status *s, TF_Code code, const char *msg);

/* Attaches a value under |key|, replacing an older one; nothing happens to an OK status. */
TF_CAPI_EXPORT void TF_SetPayload(TF_Status *s, const char *key, const char *value);
/* Calls |visitor| for every payload; key and value are valid during the call. */
typedef void (*TF_PayloadVisitor)(const char *key, const char *value, void *capture);
TF_CAPI_EXPORT void TF_ForEachPayload(const TF_Status *s, TF_PayloadVisitor visitor, void *capture);

/* Sets the code that fits an errno, with the message "context; text of the error". */
TF_CAPI_EXPORT void TF_SetStatusFromIOError(TF_Status *s, int error_code, const char *context);

TF_CAPI_EXPORT TF_Code TF_GetCode(const TF_Status *s);
/* "" when OK. Valid until |s| changes. */
TF_CAPI_EXPORT const char *TF_Message(const TF_Status *s);

#ifdef __cplusplus
}
#endif

#endif /* TENSORFLOW_C_TF_STATUS_H_ */
