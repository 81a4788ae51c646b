// The frames that launcher and agent exchange over the input and output of ssh or srun. A frame has a type, the number
// of a task (or another number) and bytes. Nothing here blocks.
//
// The agent speaks first, with a line that cannot be part of what a login shell prints; what comes before it is
// skipped. Both send something at least every quarter of the time after which silence counts as a loss.
#ifndef SLI_CLI_LAUNCH_LAUNCH_LINK_H_
#define SLI_CLI_LAUNCH_LAUNCH_LINK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

typedef enum {
  // To the agent.
  SLI_LAUNCH_FRAME_RESERVE = 1,  // number: how many ports; the reply is PORTS
  SLI_LAUNCH_FRAME_START,        // task; texts: directory, number of arguments, arguments, variables
  SLI_LAUNCH_FRAME_SIGNAL,       // task; text: the number of the signal
  SLI_LAUNCH_FRAME_RELEASE,      // task: kill what is left of its group; it may be started again
  SLI_LAUNCH_FRAME_QUIT,         // number: a signal for what is left; end when nothing is
  SLI_LAUNCH_FRAME_KILL,         // kill everything and end
  // From the agent.
  SLI_LAUNCH_FRAME_PORTS,      // texts: the numbers
  SLI_LAUNCH_FRAME_OUTPUT,     // task; bytes of its standard output
  SLI_LAUNCH_FRAME_ERROR,      // task; bytes of its standard error
  SLI_LAUNCH_FRAME_FAILED,     // task; texts: exit code, message: it could not be started
  SLI_LAUNCH_FRAME_ENDED,      // task; texts: exit code, signal. Its output came before
  SLI_LAUNCH_FRAME_ALONE,      // task: no process of its group is left
  SLI_LAUNCH_FRAME_SIGNALLED,  // number: a signal that the agent received
  // Both ways.
  SLI_LAUNCH_FRAME_ALIVE,
} sli_launch_frame_type_t;

typedef struct {
  sli_launch_frame_type_t type;
  uint32_t number;
  const char *data;  // |size| bytes, until the next call with the link; somewhere behind them there is a NUL
  size_t size;
} sli_launch_frame_t;

typedef struct {
  int in, out;  // non-blocking; -1 when closed. The link owns them
  bool greeted;
  bool ended;  // the other side has ended, or cannot be understood
  sli_string_t inbox, outbox;
  size_t read, written;          // how much of the boxes is done
  int64_t heard_at, written_at;  // of the monotonic clock
  double silence;                // seconds without a frame after which the other side counts as lost
} sli_launch_link_t;

// |greets|: the agent's side.
void sli_launch_link_open(sli_launch_link_t *link, int in, int out, double silence, bool greets);
void sli_launch_link_close(sli_launch_link_t *link);

void sli_launch_link_send(sli_launch_link_t *link, sli_launch_frame_type_t type, size_t number, const void *data,
                          size_t size);
// Sends |texts|, which are |count|, each with its NUL.
void sli_launch_link_send_texts(sli_launch_link_t *link, sli_launch_frame_type_t type, size_t number,
                                const char *const *texts, size_t count);
// The texts of a frame, in order: returns the next one after |text| (NULL: the first), or NULL after the last.
const char *sli_launch_frame_next_text(const sli_launch_frame_t *frame, const char *text);
// The next text as a number; 0 if there is none.
int sli_launch_frame_next_number(const sli_launch_frame_t *frame, const char **text);

// Reads what is there. Call it when |in| polls readable.
void sli_launch_link_read(sli_launch_link_t *link);
// Takes the next whole frame that was read.
bool sli_launch_link_next(sli_launch_link_t *link, sli_launch_frame_t *out_frame);
bool sli_launch_link_has_output(const sli_launch_link_t *link);
// Whether so much waits to be written that nothing more should be produced.
bool sli_launch_link_is_full(const sli_launch_link_t *link);
// Writes what does not block. Call it when |out| polls writable.
void sli_launch_link_write(sli_launch_link_t *link);
// Says that we live if that is due. Returns when to call it again, by the monotonic clock.
int64_t sli_launch_link_keep_alive(sli_launch_link_t *link);
bool sli_launch_link_is_silent(const sli_launch_link_t *link);

#endif  // SLI_CLI_LAUNCH_LAUNCH_LINK_H_
