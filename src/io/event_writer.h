// An event file for TensorBoard: events.out.tfevents.SECONDS.HOST[SUFFIX], a
// TFRecord file of Events whose first names the version. Thread-safe; blocks.
#ifndef SLI_IO_EVENT_WRITER_H_
#define SLI_IO_EVENT_WRITER_H_

#include "base/status.h"
#include "base/string.h"

typedef struct sli_event_writer sli_event_writer_t;

// Makes |directory| if need be, and a file of its own in it, where readers see
// the version event at once. A name that is taken (another process, the same
// second) gets a number.
sli_status_t *sli_event_writer_create(const char *directory, const char *suffix, sli_event_writer_t **out_writer);
const char *sli_event_writer_path(const sli_event_writer_t *writer);
// Appends a serialized Event (event.h); buffered.
sli_status_t *sli_event_writer_add(sli_event_writer_t *writer, sli_view_t event);
// Hands all events to the system, where readers see them. UNKNOWN, as in
// TensorFlow, when the file was deleted meanwhile.
sli_status_t *sli_event_writer_flush(sli_event_writer_t *writer);
// Flushes, waits for the disk, closes. The writer still has to be released.
sli_status_t *sli_event_writer_close(sli_event_writer_t *writer);
// Closes first if that was not done, without a word about failures.
void sli_event_writer_release(sli_event_writer_t *writer);

#endif  // SLI_IO_EVENT_WRITER_H_
