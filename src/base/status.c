#include "base/status.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct sli_status {
  atomic_int references;
  sli_code_t code;
  bool derived;
  char message[];
};

static const char *const code_names[] = {
    [SLI_OK] = "OK",
    [SLI_CANCELLED] = "CANCELLED",
    [SLI_UNKNOWN] = "UNKNOWN",
    [SLI_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
    [SLI_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
    [SLI_NOT_FOUND] = "NOT_FOUND",
    [SLI_ALREADY_EXISTS] = "ALREADY_EXISTS",
    [SLI_PERMISSION_DENIED] = "PERMISSION_DENIED",
    [SLI_RESOURCE_EXHAUSTED] = "RESOURCE_EXHAUSTED",
    [SLI_FAILED_PRECONDITION] = "FAILED_PRECONDITION",
    [SLI_ABORTED] = "ABORTED",
    [SLI_OUT_OF_RANGE] = "OUT_OF_RANGE",
    [SLI_UNIMPLEMENTED] = "UNIMPLEMENTED",
    [SLI_INTERNAL] = "INTERNAL",
    [SLI_UNAVAILABLE] = "UNAVAILABLE",
    [SLI_DATA_LOSS] = "DATA_LOSS",
    [SLI_UNAUTHENTICATED] = "UNAUTHENTICATED",
};

static sli_status_t *status_allocate(sli_code_t code, size_t length) {
  if (code <= SLI_OK || code > SLI_UNAUTHENTICATED) code = SLI_UNKNOWN;
  sli_status_t *status = sli_malloc(sizeof(*status) + length + 1);
  atomic_init(&status->references, 1);
  status->code = code;
  status->derived = false;
  status->message[length] = '\0';
  return status;
}

sli_status_t *sli_status_make_text(sli_code_t code, const char *message) {
  size_t length = message ? strlen(message) : 0;
  sli_status_t *status = status_allocate(code, length);
  if (length) memcpy(status->message, message, length);
  return status;
}

sli_status_t *sli_status_make_v(sli_code_t code, const char *format, va_list args) {
  va_list copy;
  va_copy(copy, args);
  int length = vsnprintf(NULL, 0, format, copy);
  va_end(copy);
  if (length < 0) return sli_status_make_text(code, format);
  sli_status_t *status = status_allocate(code, (size_t)length);
  vsnprintf(status->message, (size_t)length + 1, format, args);
  return status;
}

sli_status_t *sli_status_make(sli_code_t code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  sli_status_t *status = sli_status_make_v(code, format, args);
  va_end(args);
  return status;
}

static sli_code_t code_from_errno(int error) {
  switch (error) {
    case EINVAL:
    case ENAMETOOLONG:
    case E2BIG:
    case EDESTADDRREQ:
    case EDOM:
    case EFAULT:
    case EILSEQ:
    case ENOPROTOOPT:
    case ENOTSOCK:
    case ENOTTY:
    case EPROTOTYPE:
    case ESPIPE: return SLI_INVALID_ARGUMENT;
    case ETIMEDOUT: return SLI_DEADLINE_EXCEEDED;
    case ENODEV:
    case ENOENT:
    case ENXIO:
    case ESRCH: return SLI_NOT_FOUND;
    case EEXIST:
    case EADDRNOTAVAIL:
    case EALREADY: return SLI_ALREADY_EXISTS;
    case EPERM:
    case EACCES:
    case EROFS: return SLI_PERMISSION_DENIED;
    case ENOTEMPTY:
    case EISDIR:
    case ENOTDIR:
    case EADDRINUSE:
    case EBADF:
    case EBUSY:
    case ECHILD:
    case EISCONN:
    case ENOTCONN:
    case EPIPE:
    case ETXTBSY: return SLI_FAILED_PRECONDITION;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case EMLINK:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EUSERS: return SLI_RESOURCE_EXHAUSTED;
    case EFBIG:
    case EOVERFLOW:
    case ERANGE: return SLI_OUT_OF_RANGE;
    case ENOSYS:
    case EOPNOTSUPP:
    case EAFNOSUPPORT:
    case EPFNOSUPPORT:
    case EPROTONOSUPPORT:
    case EXDEV: return SLI_UNIMPLEMENTED;
    case EAGAIN:
    case ECONNREFUSED:
    case ECONNABORTED:
    case ECONNRESET:
    case EINTR:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETRESET:
    case ENETUNREACH:
    case ENOLCK:
    case ENOLINK: return SLI_UNAVAILABLE;
    case EDEADLK:
    case ESTALE: return SLI_ABORTED;
    case ECANCELED: return SLI_CANCELLED;
    default: return SLI_UNKNOWN;
  }
}

sli_status_t *sli_status_from_errno(int error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  sli_status_t *status = sli_status_make_v(code_from_errno(error), format, args);
  va_end(args);
  char text[128];
  return sli_status_append(status, "; %s", strerror_r(error, text, sizeof(text)));
}

sli_status_t *sli_status_retain(sli_status_t *status) {
  if (status) atomic_fetch_add_explicit(&status->references, 1, memory_order_relaxed);
  return status;
}

void sli_status_release(sli_status_t *status) {
  if (status && atomic_fetch_sub_explicit(&status->references, 1, memory_order_acq_rel) == 1) free(status);
}

sli_code_t sli_status_code(const sli_status_t *status) { return status ? status->code : SLI_OK; }

const char *sli_status_message(const sli_status_t *status) { return status ? status->message : ""; }

const char *sli_code_name(sli_code_t code) {
  return code <= SLI_UNAUTHENTICATED ? code_names[code] : code_names[SLI_UNKNOWN];
}

// Joins two texts under the code and flag of |status|, which it consumes.
static sli_status_t *status_with_texts(sli_status_t *status, const char *first, const char *second) {
  sli_status_t *result = sli_status_make(status->code, "%s%s", first, second);
  result->derived = status->derived;
  sli_status_release(status);
  return result;
}

static char *format_text(const char *format, va_list args) {
  char *text = NULL;
  SLI_CHECK(vasprintf(&text, format, args) >= 0);
  return text;
}

sli_status_t *sli_status_append(sli_status_t *status, const char *format, ...) {
  if (!status) return NULL;
  va_list args;
  va_start(args, format);
  char *text = format_text(format, args);
  va_end(args);
  sli_status_t *result = status_with_texts(status, status->message, text);
  free(text);
  return result;
}

sli_status_t *sli_status_prefix(sli_status_t *status, const char *format, ...) {
  if (!status) return NULL;
  va_list args;
  va_start(args, format);
  char *text = format_text(format, args);
  va_end(args);
  sli_status_t *result = status_with_texts(status, text, status->message);
  free(text);
  return result;
}

sli_status_t *sli_status_mark_derived(sli_status_t *status) {
  if (!status || status->derived) return status;
  sli_status_t *result = status_with_texts(status, status->message, "");
  result->derived = true;
  return result;
}

bool sli_status_is_derived(const sli_status_t *status) { return status && status->derived; }

sli_status_t *sli_status_join(sli_status_t *first, sli_status_t *second) {
  if (!first || (first->derived && second && !second->derived)) {
    sli_status_release(first);
    return second;
  }
  sli_status_release(second);
  return first;
}

_Noreturn void sli_check_failed(const char *file, int line, const char *condition) {
  fprintf(stderr, "sluice: broken invariant at %s:%d: %s\n", file, line, condition);
  abort();
}
