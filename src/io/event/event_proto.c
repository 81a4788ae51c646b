#include "io/event/event_proto.h"

#include "base/clock.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"

double sli_event_proto_now(void) { return (double)sli_clock_wall_micros() / 1e6; }

static void begin(sli_string_t *out, double wall_time, int64_t step) {
  sli_wire_write_double(out, SLI_FIELD_EVENT_WALL_TIME, wall_time);
  if (step) sli_wire_write_int(out, SLI_FIELD_EVENT_STEP, step);
}

void sli_event_proto_file_version(sli_string_t *out, double wall_time, const char *version) {
  begin(out, wall_time, 0);
  sli_wire_write_text(out, SLI_FIELD_EVENT_FILE_VERSION, version);
}

void sli_event_proto_graph_def(sli_string_t *out, double wall_time, int64_t step, sli_view_t graph_def) {
  begin(out, wall_time, step);
  sli_wire_write_bytes(out, SLI_FIELD_EVENT_GRAPH_DEF, graph_def.data, graph_def.size);
}

void sli_event_proto_meta_graph_def(sli_string_t *out, double wall_time, int64_t step, sli_view_t meta_graph_def) {
  begin(out, wall_time, step);
  sli_wire_write_bytes(out, SLI_FIELD_EVENT_META_GRAPH_DEF, meta_graph_def.data, meta_graph_def.size);
}

void sli_event_proto_summary(sli_string_t *out, double wall_time, int64_t step, sli_view_t summary) {
  begin(out, wall_time, step);
  sli_wire_write_bytes(out, SLI_FIELD_EVENT_SUMMARY, summary.data, summary.size);
}

void sli_event_proto_session_log(sli_string_t *out, double wall_time, int64_t step,
                                 sli_event_proto_session_status_t status, const char *checkpoint_path,
                                 const char *message) {
  begin(out, wall_time, step);
  size_t log = sli_wire_open(out, SLI_FIELD_EVENT_SESSION_LOG);
  sli_wire_write_int(out, SLI_FIELD_SESSION_LOG_STATUS, status);
  if (checkpoint_path && *checkpoint_path)
    sli_wire_write_text(out, SLI_FIELD_SESSION_LOG_CHECKPOINT_PATH, checkpoint_path);
  if (message && *message) sli_wire_write_text(out, SLI_FIELD_SESSION_LOG_MSG, message);
  sli_wire_close(out, log);
}

void sli_event_proto_run_metadata(sli_string_t *out, double wall_time, int64_t step, const char *tag,
                                  sli_view_t run_metadata) {
  begin(out, wall_time, step);
  size_t tagged = sli_wire_open(out, SLI_FIELD_EVENT_TAGGED_RUN_METADATA);
  if (*tag) sli_wire_write_text(out, SLI_FIELD_TAGGED_RUN_METADATA_TAG, tag);
  if (run_metadata.size)
    sli_wire_write_bytes(out, SLI_FIELD_TAGGED_RUN_METADATA_RUN_METADATA, run_metadata.data, run_metadata.size);
  sli_wire_close(out, tagged);
}
