// Writes Event messages for TensorBoard. Each function appends a serialized Event to |out|. |wall_time| is in seconds
// since 1970. Messages inside the Event are passed in serialized form. Thread-safe; nothing here blocks.
#ifndef SLI_IO_EVENT_EVENT_PROTO_H_
#define SLI_IO_EVENT_EVENT_PROTO_H_

#include <stdint.h>

#include "base/string.h"

typedef enum {
  SLI_EVENT_PROTO_SESSION_START = 1,
  SLI_EVENT_PROTO_SESSION_STOP = 2,
  SLI_EVENT_PROTO_SESSION_CHECKPOINT = 3
} sli_event_proto_session_status_t;

// The current wall time.
double sli_event_proto_now(void);

void sli_event_proto_file_version(sli_string_t *out, double wall_time, const char *version);
void sli_event_proto_graph_def(sli_string_t *out, double wall_time, int64_t step, sli_view_t graph_def);
void sli_event_proto_meta_graph_def(sli_string_t *out, double wall_time, int64_t step, sli_view_t meta_graph_def);
void sli_event_proto_summary(sli_string_t *out, double wall_time, int64_t step, sli_view_t summary);
// |checkpoint_path| and |message| may be NULL.
void sli_event_proto_session_log(sli_string_t *out, double wall_time, int64_t step,
                                 sli_event_proto_session_status_t status, const char *checkpoint_path,
                                 const char *message);
void sli_event_proto_run_metadata(sli_string_t *out, double wall_time, int64_t step, const char *tag,
                                  sli_view_t run_metadata);

#endif  // SLI_IO_EVENT_EVENT_PROTO_H_
