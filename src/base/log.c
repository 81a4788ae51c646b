#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/string.h"

static int least_level;

static void read_least_level(void) {
  const char *text = getenv("TF_CPP_MIN_LOG_LEVEL");
  int64_t level = 0;
  if (text && sli_view_to_int64(sli_view(text), &level)) least_level = level < 0 ? 0 : level > 3 ? 3 : (int)level;
}

bool sli_log_enabled(sli_log_level_t level) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_least_level);
  return (int)level >= least_level;
}

void sli_log_write(sli_log_level_t level, const char *file, int line, const char *format, ...) {
  struct timespec now;
  struct tm parts;
  clock_gettime(CLOCK_REALTIME, &now);
  localtime_r(&now.tv_sec, &parts);
  char date[32];
  strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &parts);
  sli_string_t text = {0};
  const char *shown = strstr(file, "src/");
  sli_string_append_format(&text, "%s.%06ld: %c %s:%d] ", date, now.tv_nsec / 1000, "IWEF"[level],
                           shown ? shown + 4 : file, line);
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&text, format, args);
  va_end(args);
  sli_string_append_char(&text, '\n');
  for (size_t done = 0; done < text.size;) {
    ssize_t written = write(STDERR_FILENO, text.data + done, text.size - done);
    if (written <= 0) break;
    done += (size_t)written;
  }
  sli_string_deinitialize(&text);
}
