// Status: the result of every call that can fail. NULL means OK, so success costs
// a test for NULL and allocates nothing.
//
// Ownership, for the whole project: a function that returns a status gives the
// caller one reference; the caller passes it on, or releases it.
// `out_` parameters come last, are set to NULL first, and on failure own
// nothing. Codes are TensorFlow's and gRPC's canonical numbers.
#ifndef SLI_BASE_STATUS_H_
#define SLI_BASE_STATUS_H_

#include <stdarg.h>
#include <stdbool.h>

typedef enum {
  SLI_OK = 0,
  SLI_CANCELLED = 1,
  SLI_UNKNOWN = 2,
  SLI_INVALID_ARGUMENT = 3,
  SLI_DEADLINE_EXCEEDED = 4,
  SLI_NOT_FOUND = 5,
  SLI_ALREADY_EXISTS = 6,
  SLI_PERMISSION_DENIED = 7,
  SLI_RESOURCE_EXHAUSTED = 8,
  SLI_FAILED_PRECONDITION = 9,
  SLI_ABORTED = 10,
  SLI_OUT_OF_RANGE = 11,
  SLI_UNIMPLEMENTED = 12,
  SLI_INTERNAL = 13,
  SLI_UNAVAILABLE = 14,
  SLI_DATA_LOSS = 15,
  SLI_UNAUTHENTICATED = 16,
} sli_code_t;

// Immutable after creation, thread-safe.
typedef struct sli_status sli_status_t;

// Makes a status; |code| must not be SLI_OK. A code outside the canonical range
// (it may come from a peer) becomes SLI_UNKNOWN.
sli_status_t *sli_status_make(sli_code_t code, const char *format, ...) __attribute__((format(printf, 2, 3)));
sli_status_t *sli_status_make_v(sli_code_t code, const char *format, va_list args);
// |message| may contain anything but NUL; NULL counts as "".
sli_status_t *sli_status_make_text(sli_code_t code, const char *message);
// From errno: "<what>: <strerror>", with the canonical code that fits.
sli_status_t *sli_status_from_errno(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

sli_status_t *sli_status_retain(sli_status_t *status);
void sli_status_release(sli_status_t *status);

sli_code_t sli_status_code(const sli_status_t *status);
// "" for OK. Lives as long as the status.
const char *sli_status_message(const sli_status_t *status);
// "INVALID_ARGUMENT" and so on.
const char *sli_code_name(sli_code_t code);

// Consumes |status|; returns one whose message is old + formatted text (append)
// or formatted text + old (prefix). NULL stays NULL. Keeps code and derived flag.
sli_status_t *sli_status_append(sli_status_t *status, const char *format, ...) __attribute__((format(printf, 2, 3)));
sli_status_t *sli_status_prefix(sli_status_t *status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A derived status is only the consequence of another task's error: of several
// statuses the one that is not derived is shown.
sli_status_t *sli_status_mark_derived(sli_status_t *status);  // consumes, returns
bool sli_status_is_derived(const sli_status_t *status);
// Keeps the root cause: consumes both and returns |first|, or |second| if |first|
// is NULL, or derived while |second| is an error that is not.
sli_status_t *sli_status_join(sli_status_t *first, sli_status_t *second);

#define SLI_RETURN_IF_ERROR(expression)          \
  do {                                           \
    sli_status_t *return_status_ = (expression); \
    if (return_status_) return return_status_;   \
  } while (0)

#define SLI_GOTO_IF_ERROR(status, label, expression) \
  do {                                               \
    (status) = (expression);                         \
    if (status) goto label;                          \
  } while (0)

// For our own broken invariants only, never for what a user or peer sent.
#define SLI_CHECK(condition)                                                                 \
  do {                                                                                       \
    if (__builtin_expect(!(condition), 0)) sli_check_failed(__FILE__, __LINE__, #condition); \
  } while (0)
_Noreturn void sli_check_failed(const char *file, int line, const char *condition);

#endif  // SLI_BASE_STATUS_H_
