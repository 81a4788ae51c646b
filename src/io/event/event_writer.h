// Writes an event file for TensorBoard: events.out.tfevents.SECONDS.HOST[SUFFIX], a TFRecord file of Events. The first
// Event holds the version of the format. After a failure the next event begins a new file. Thread-safe; blocks.
#ifndef SLI_IO_EVENT_EVENT_WRITER_H_
#define SLI_IO_EVENT_EVENT_WRITER_H_

#include "base/status.h"
#include "base/string.h"

typedef struct sli_event_writer sli_event_writer_t;

// Creates |directory| if it does not exist, and a new file in it. Readers see the version event immediately. If the
// name exists (another process in the same second), a number is appended.
sli_status_t *sli_event_writer_create(const char *directory, const char *suffix, sli_event_writer_t **out_writer);
const char *sli_event_writer_path(const sli_event_writer_t *writer);
// Appends a serialized Event (event_proto.h). Buffered.
sli_status_t *sli_event_writer_add(sli_event_writer_t *writer, sli_view_t event);
// Writes all events to the system, so that readers see them. UNKNOWN, as in TensorFlow, if the file was deleted
// meanwhile.
sli_status_t *sli_event_writer_flush(sli_event_writer_t *writer);
// Flushes, syncs and closes the file. The writer must still be released.
sli_status_t *sli_event_writer_close(sli_event_writer_t *writer);
// Closes the writer if it is open, ignoring failures.
void sli_event_writer_release(sli_event_writer_t *writer);

#endif  // SLI_IO_EVENT_EVENT_WRITER_H_
