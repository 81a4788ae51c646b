// The output of the tasks: cut into lines, labelled, queued for our stdout or stderr, and copied to the task's log
// file. The last lines of each task are kept.
//
// Nothing here blocks: a sink is written only when poll() reports it writable. A slow reader of our output slows the
// tasks down, as a pipe would. If the reader has closed it, the output is lost but the job continues.
#ifndef SLI_CLI_LAUNCH_LAUNCH_OUTPUT_H_
#define SLI_CLI_LAUNCH_LAUNCH_OUTPUT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

// Our stdout or stderr.
typedef struct {
  int fd;
  bool colours;
  bool gone;           // its reader has closed it
  sli_string_t queue;  // the bytes from |written| on are still to be written
  size_t written;
} sli_launch_sink_t;

void sli_launch_sink_initialize(sli_launch_sink_t *sink, int fd);
void sli_launch_sink_deinitialize(sli_launch_sink_t *sink);
// Queues a line of the launcher itself, prefixed by "sluice: ".
void sli_launch_sink_notice(sli_launch_sink_t *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool sli_launch_sink_is_empty(const sli_launch_sink_t *sink);
// Whether so much is queued that reading from the tasks should wait.
bool sli_launch_sink_is_full(const sli_launch_sink_t *sink);
// Writes as much as does not block. Call it when |fd| polls writable.
void sli_launch_sink_write(sli_launch_sink_t *sink);

enum { SLI_LAUNCH_TAIL_LINES = 10 };

// The output of one task, over all its restarts.
typedef struct {
  const char *label;   // "worker 1", "worker 1@h2"; borrowed
  const char *colour;  // terminal sequence of the label
  int file;            // -1 for none
  char *file_path;
  sli_string_t tail[SLI_LAUNCH_TAIL_LINES];  // ring
  size_t line_count;
} sli_launch_log_t;

// Makes a new directory for the logs of one run in |directory|, which it also makes: "20261117-042500", by the local
// time. The link "latest" there then leads to it. The caller frees the path.
sli_status_t *sli_launch_log_make_directory(const char *directory, char **out_path);
// |number| selects the colour. Unless |directory| is NULL, creates the file "worker-1.log" in it.
sli_status_t *sli_launch_log_initialize(sli_launch_log_t *log, const char *label, size_t number, const char *directory);
void sli_launch_log_deinitialize(sli_launch_log_t *log);
// Appends the kept lines, indented.
void sli_launch_log_append_tail(const sli_launch_log_t *log, sli_string_t *out);

// One pipe from a task.
typedef struct {
  int fd;  // -1 when closed
  sli_launch_sink_t *sink;
  sli_launch_log_t *log;
  sli_string_t partial;  // a line that has not ended yet
  int64_t shown_at;      // when the last line of a \r progress display was shown
} sli_launch_stream_t;

// Owns |fd|, which must be non-blocking; -1: bytes come by sli_launch_stream_take().
void sli_launch_stream_open(sli_launch_stream_t *stream, int fd, sli_launch_sink_t *sink, sli_launch_log_t *log);
// Reads the available bytes, until |limit| or more are read. Closes the stream at end-of-file.
void sli_launch_stream_read(sli_launch_stream_t *stream, size_t limit);
// Takes bytes that came another way.
void sli_launch_stream_take(sli_launch_stream_t *stream, const char *data, size_t size);
// Shows an unfinished last line, and closes the stream.
void sli_launch_stream_close(sli_launch_stream_t *stream);

#endif  // SLI_CLI_LAUNCH_LAUNCH_OUTPUT_H_
