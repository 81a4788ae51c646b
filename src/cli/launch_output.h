// What the tasks print: cut into whole lines, labelled, put in a queue for our
// own stdout or stderr, copied to the task's log file, and the last ones kept.
//
// Nothing here blocks: a sink writes only when poll() says so. A reader of ours
// that is slow slows the tasks down, as a pipe would; one that has gone costs
// the output, not the job.
#ifndef SLI_CLI_LAUNCH_OUTPUT_H_
#define SLI_CLI_LAUNCH_OUTPUT_H_

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
  sli_string_t queue;  // from |written| on still to be written
  size_t written;
} sli_launch_sink_t;

void sli_launch_sink_initialize(sli_launch_sink_t *sink, int fd);
void sli_launch_sink_deinitialize(sli_launch_sink_t *sink);
// A line of the launcher itself, behind "sluice: ".
void sli_launch_sink_notice(sli_launch_sink_t *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool sli_launch_sink_is_empty(const sli_launch_sink_t *sink);
// So much is queued that reading from the tasks should wait.
bool sli_launch_sink_is_full(const sli_launch_sink_t *sink);
// Writes a piece that does not block; to be called when |fd| polls writable.
void sli_launch_sink_write(sli_launch_sink_t *sink);

enum { SLI_LAUNCH_TAIL_LINES = 10 };

// All that one task prints, over all its runs.
typedef struct {
  const char *label;   // "worker 1"; the caller's
  const char *colour;  // terminal sequence of the label
  int file;            // -1 for none
  char *file_path;
  sli_string_t tail[SLI_LAUNCH_TAIL_LINES];  // ring
  size_t line_count;
} sli_launch_log_t;

// |number| picks the colour. Makes |directory| and in it "worker-1.log", if |directory| is not NULL.
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

// Owns |fd|, which must not block.
void sli_launch_stream_open(sli_launch_stream_t *stream, int fd, sli_launch_sink_t *sink, sli_launch_log_t *log);
// Takes up to |limit| bytes that are there. Closes the stream at its end.
void sli_launch_stream_read(sli_launch_stream_t *stream, size_t limit);
// Shows a line that lacks its end, and closes.
void sli_launch_stream_close(sli_launch_stream_t *stream);

#endif  // SLI_CLI_LAUNCH_OUTPUT_H_
