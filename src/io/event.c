#include "io/event.h"

#include "base/clock.h"
#include "proto/wire.h"

// Field numbers of Event.
enum {
  WALL_TIME = 1,
  STEP = 2,
  FILE_VERSION = 3,
  GRAPH_DEF = 4,
  SUMMARY = 5,
  SESSION_LOG = 7,
  TAGGED_RUN_METADATA = 8,
  META_GRAPH_DEF = 9,
};

double sli_event_now(void) { return (double)sli_wall_micros() / 1e6; }

static void begin(sli_string_t *out, double wall_time, int64_t step) {
  sli_wire_write_double(out, WALL_TIME, wall_time);
  if (step) sli_wire_write_int(out, STEP, step);
}

void sli_event_file_version(sli_string_t *out, double wall_time, const char *version) {
  begin(out, wall_time, 0);
  sli_wire_write_text(out, FILE_VERSION, version);
}

void sli_event_graph_def(sli_string_t *out, double wall_time, int64_t step, sli_view_t graph_def) {
  begin(out, wall_time, step);
  sli_wire_write_bytes(out, GRAPH_DEF, graph_def.data, graph_def.size);
}

void sli_event_meta_graph_def(sli_string_t *out, double wall_time, int64_t step, sli_view_t meta_graph_def) {
  begin(out, wall_time, step);
  sli_wire_write_bytes(out, META_GRAPH_DEF, meta_graph_def.data, meta_graph_def.size);
}

void sli_event_summary(sli_string_t *out, double wall_time, int64_t step, sli_view_t summary) {
  begin(out, wall_time, step);
  sli_wire_write_bytes(out, SUMMARY, summary.data, summary.size);
}

void sli_event_session_log(sli_string_t *out, double wall_time, int64_t step, sli_session_status_t status,
                           const char *checkpoint_path, const char *message) {
  begin(out, wall_time, step);
  size_t log = sli_wire_open(out, SESSION_LOG);
  sli_wire_write_int(out, 1, status);
  if (checkpoint_path && *checkpoint_path) sli_wire_write_text(out, 2, checkpoint_path);
  if (message && *message) sli_wire_write_text(out, 3, message);
  sli_wire_close(out, log);
}

void sli_event_run_metadata(sli_string_t *out, double wall_time, int64_t step, const char *tag,
                            sli_view_t run_metadata) {
  begin(out, wall_time, step);
  size_t tagged = sli_wire_open(out, TAGGED_RUN_METADATA);
  if (*tag) sli_wire_write_text(out, 1, tag);
  if (run_metadata.size) sli_wire_write_bytes(out, 2, run_metadata.data, run_metadata.size);
  sli_wire_close(out, tagged);
}
