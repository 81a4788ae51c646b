#include "cli/launch/launch_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "cli/common/cli.h"
#include "io/file/file.h"

enum {
  FULL_QUEUE = 1 << 18,
  LONGEST_LINE = 1 << 16,  // longer ones are shown in pieces
  LONGEST_TAIL_LINE = 1000,
  MAX_RUNS_PER_SECOND = 1000,
};
// A progress display that rewrites its line by \r is shown at most this often.
static const int64_t PROGRESS_NANOS = 1000000000;

// --- Sinks ---

void sli_launch_sink_initialize(sli_launch_sink_t *sink, int fd) {
  *sink = (sli_launch_sink_t){.fd = fd, .colours = sli_cli_colours(fd)};
}

void sli_launch_sink_deinitialize(sli_launch_sink_t *sink) { sli_string_deinitialize(&sink->queue); }

void sli_launch_sink_notice(sli_launch_sink_t *sink, const char *format, ...) {
  va_list args;
  va_start(args, format);
  sli_string_append_text(&sink->queue, "sluice: ");
  sli_string_append_format_v(&sink->queue, format, args);
  sli_string_append_char(&sink->queue, '\n');
  va_end(args);
}

bool sli_launch_sink_is_empty(const sli_launch_sink_t *sink) { return sink->gone || sink->queue.size == 0; }

bool sli_launch_sink_is_full(const sli_launch_sink_t *sink) {
  return !sink->gone && sink->queue.size - sink->written > FULL_QUEUE;
}

void sli_launch_sink_write(sli_launch_sink_t *sink) {
  size_t left = sink->queue.size - sink->written;
  // A pipe that polls writable takes PIPE_BUF bytes without blocking.
  ssize_t count = write(sink->fd, sink->queue.data + sink->written, left < PIPE_BUF ? left : PIPE_BUF);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) sink->gone = true;
  if (count > 0) sink->written += (size_t)count;
  if (!sink->gone && sink->written < sink->queue.size) return;
  sli_string_clear(&sink->queue);
  sink->written = 0;
}

// --- Logs ---

// A link that cannot be made, because the file system has none or "latest" is a directory, is not missed.
static void link_latest(const char *directory, const char *name) {
  char *link = sli_format("%s/latest", directory), *temporary = sli_format("%s/.latest-%d", directory, (int)getpid());
  if (symlink(name, temporary) == 0 && rename(temporary, link) != 0) unlink(temporary);
  free(temporary);
  free(link);
}

sli_status_t *sli_launch_log_make_directory(const char *directory, char **out_path) {
  *out_path = NULL;
  SLI_RETURN_IF_ERROR(sli_file_make_directories(directory));
  char stamp[32];
  time_t now = time(NULL);
  struct tm local;
  localtime_r(&now, &local);
  strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
  for (int number = 1; number <= MAX_RUNS_PER_SECOND; number++) {
    char *name = number == 1 ? sli_strdup(stamp) : sli_format("%s-%d", stamp, number);
    char *path = sli_format("%s/%s", directory, name);
    int error = mkdir(path, 0777) == 0 ? 0 : errno;
    if (!error) link_latest(directory, name);
    free(name);
    if (!error) {
      *out_path = path;
      return NULL;
    }
    sli_status_t *status = sli_status_from_errno(error, "cannot make '%s'", path);
    free(path);
    if (error != EEXIST || number == MAX_RUNS_PER_SECOND) return status;
    sli_status_release(status);
  }
  return NULL;
}

sli_status_t *sli_launch_log_initialize(sli_launch_log_t *log, const char *label, size_t number,
                                        const char *directory) {
  static const char *const colours[] = {"\033[36m", "\033[33m", "\033[32m", "\033[35m", "\033[34m", "\033[96m"};
  *log = (sli_launch_log_t){.label = label, .colour = colours[number % SLI_ARRAY_COUNT_OF(colours)], .file = -1};
  if (!directory) return NULL;
  log->file_path = sli_format("%s/%s.log", directory, label);
  *strrchr(log->file_path, ' ') = '-';
  log->file = open(log->file_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return log->file < 0 ? sli_status_from_errno(errno, "cannot write '%s'", log->file_path) : NULL;
}

void sli_launch_log_deinitialize(sli_launch_log_t *log) {
  for (size_t i = 0; i < SLI_LAUNCH_TAIL_LINES; i++) sli_string_deinitialize(&log->tail[i]);
  if (log->file >= 0) close(log->file);
  free(log->file_path);
}

void sli_launch_log_append_tail(const sli_launch_log_t *log, sli_string_t *out) {
  size_t kept = log->line_count < SLI_LAUNCH_TAIL_LINES ? log->line_count : SLI_LAUNCH_TAIL_LINES;
  for (size_t i = log->line_count - kept; i < log->line_count; i++)
    sli_string_append_format(out, "    %s\n", sli_string_text(&log->tail[i % SLI_LAUNCH_TAIL_LINES]));
}

static void write_file(sli_launch_log_t *log, sli_launch_sink_t *sink, sli_view_t line) {
  sli_string_t text = {0};
  sli_string_append(&text, line.data, line.size);
  sli_string_append_char(&text, '\n');
  for (size_t done = 0; done < text.size && log->file >= 0;) {
    ssize_t count = write(log->file, text.data + done, text.size - done);
    if (count > 0) done += (size_t)count;
    if (count > 0 || errno == EINTR) continue;
    sli_launch_sink_notice(sink, "cannot write '%s': %s; the log of %s is incomplete", log->file_path, strerror(errno),
                           log->label);
    close(log->file);
    log->file = -1;
  }
  sli_string_deinitialize(&text);
}

// --- Streams ---

static void show_line(sli_launch_stream_t *stream, sli_view_t line) {
  sli_launch_sink_t *sink = stream->sink;
  sli_launch_log_t *log = stream->log;
  if (!sink->gone) {
    sli_string_append_format(&sink->queue, "%s[%s]%s ", sink->colours ? log->colour : "", log->label,
                             sink->colours ? "\033[0m" : "");
    sli_string_append(&sink->queue, line.data, line.size);
    sli_string_append_char(&sink->queue, '\n');
  }
  if (log->file >= 0) write_file(log, sink, line);
  sli_string_t *slot = &log->tail[log->line_count++ % SLI_LAUNCH_TAIL_LINES];
  sli_string_clear(slot);
  sli_string_append(slot, line.data, line.size < LONGEST_TAIL_LINE ? line.size : LONGEST_TAIL_LINE);
}

// A progress display ends each of its states with \r: shows one per PROGRESS_NANOS; the last is shown as a line.
static void show_progress(sli_launch_stream_t *stream, sli_view_t state) {
  int64_t now = sli_clock_now_nanos();
  if (state.size == 0 || now - stream->shown_at < PROGRESS_NANOS) return;
  stream->shown_at = now;
  show_line(stream, state);
}

// Shows the lines that |text| completes, and keeps the rest.
void sli_launch_stream_take(sli_launch_stream_t *stream, const char *text, size_t size) {
  sli_string_append(&stream->partial, text, size);
  const char *start = stream->partial.data, *end = start + stream->partial.size;
  for (const char *at = start; at < end; at++) {
    bool returns =
        *at == '\r' && at + 1 < end && at[1] != '\n';  // not \r\n; at the end of the data it is not known yet
    size_t length = (size_t)(at - start);
    if (*at == '\n') {
      show_line(stream, sli_view_of(start, length && at[-1] == '\r' ? length - 1 : length));
    } else if (returns) {
      show_progress(stream, sli_view_of(start, length));
    } else if (length >= LONGEST_LINE) {
      show_line(stream, sli_view_of(start, length));
      start = at;
      continue;
    } else {
      continue;
    }
    start = at + 1;
  }
  size_t left = (size_t)(end - start);
  memmove(stream->partial.data, start, left);
  stream->partial.size = left;
  stream->partial.data[left] = '\0';
}

void sli_launch_stream_open(sli_launch_stream_t *stream, int fd, sli_launch_sink_t *sink, sli_launch_log_t *log) {
  *stream = (sli_launch_stream_t){.fd = fd, .sink = sink, .log = log};
}

void sli_launch_stream_read(sli_launch_stream_t *stream, size_t limit) {
  static char buffer[1 << 16];
  for (size_t taken = 0; stream->fd >= 0 && taken < limit;) {
    ssize_t count = read(stream->fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      sli_launch_stream_close(stream);
      return;
    }
    sli_launch_stream_take(stream, buffer, (size_t)count);
    taken += (size_t)count;
  }
}

void sli_launch_stream_close(sli_launch_stream_t *stream) {
  if (stream->fd >= 0) close(stream->fd);
  stream->fd = -1;
  size_t size = stream->partial.size;
  if (size && stream->partial.data[size - 1] == '\r') size--;
  if (size) show_line(stream, sli_view_of(stream->partial.data, size));
  sli_string_deinitialize(&stream->partial);
}
