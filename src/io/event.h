// Event protocol buffers, as TensorBoard reads them. Each function appends the
// serialized Event to |out|; |wall_time| is seconds since 1970. Nested messages
// are given serialized. Thread-safe; nothing here blocks.
#ifndef SLI_IO_EVENT_H_
#define SLI_IO_EVENT_H_

#include <stdint.h>

#include "base/string.h"

typedef enum { SLI_SESSION_START = 1, SLI_SESSION_STOP = 2, SLI_SESSION_CHECKPOINT = 3 } sli_session_status_t;

// The wall time now.
double sli_event_now(void);

void sli_event_file_version(sli_string_t *out, double wall_time, const char *version);
void sli_event_graph_def(sli_string_t *out, double wall_time, int64_t step, sli_view_t graph_def);
void sli_event_meta_graph_def(sli_string_t *out, double wall_time, int64_t step, sli_view_t meta_graph_def);
void sli_event_summary(sli_string_t *out, double wall_time, int64_t step, sli_view_t summary);
// |checkpoint_path| and |message| may be NULL.
void sli_event_session_log(sli_string_t *out, double wall_time, int64_t step, sli_session_status_t status,
                           const char *checkpoint_path, const char *message);
void sli_event_run_metadata(sli_string_t *out, double wall_time, int64_t step, const char *tag,
                            sli_view_t run_metadata);

#endif  // SLI_IO_EVENT_H_
