// Log lines in TensorFlow's format on stderr:
//   2026-11-15 21:33:17.123456: I rpc/server.c:57] Started server …
// TF_CPP_MIN_LOG_LEVEL=0..3 hides INFO, WARNING, ERROR as it does there.
// Thread-safe; a line is one write.
#ifndef SLI_BASE_LOG_H_
#define SLI_BASE_LOG_H_

#include <stdbool.h>

typedef enum { SLI_LOG_INFO = 0, SLI_LOG_WARNING = 1, SLI_LOG_ERROR = 2, SLI_LOG_FATAL = 3 } sli_log_level_t;

bool sli_log_enabled(sli_log_level_t level);
void sli_log_write(sli_log_level_t level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define SLI_LOG(level, ...)                                                            \
  do {                                                                                 \
    if (sli_log_enabled(level)) sli_log_write(level, __FILE__, __LINE__, __VA_ARGS__); \
  } while (0)
#define SLI_INFO(...) SLI_LOG(SLI_LOG_INFO, __VA_ARGS__)
#define SLI_WARNING(...) SLI_LOG(SLI_LOG_WARNING, __VA_ARGS__)
#define SLI_ERROR(...) SLI_LOG(SLI_LOG_ERROR, __VA_ARGS__)

#endif  // SLI_BASE_LOG_H_
