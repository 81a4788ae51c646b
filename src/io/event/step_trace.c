// The file is one JSON object with "traceEvents", as chrome://tracing and Perfetto expect it.
#include "io/event/step_trace.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "io/file/atomic_file.h"
#include "proto/config.pb-c.h"
#include "proto/proto.h"

// The name shown for a row: the op of the label "x = MatMul(a, b)"; for other labels, such as the transfer
// "[8B] [0.1Mb/s] edge from …", the node name.
static char *short_name(const Tensorflow__NodeExecStats *stats) {
  const char *label = stats->timeline_label ? stats->timeline_label : "";
  const char *equals = strstr(label, " = "), *parenthesis = equals ? strchr(equals, '(') : NULL;
  if (parenthesis) return sli_format("%.*s", (int)(parenthesis - equals - 3), equals + 3);
  return sli_format("%s", stats->node_name ? stats->node_name : "");
}

// The number of bytes received, from the memory statistics or, if a peer does not send them, from the label "[8B]" or
// "[1.5MB]". -1 if the row is not a transfer.
static int64_t received_bytes(const Tensorflow__NodeExecStats *stats) {
  const char *label = stats->timeline_label ? stats->timeline_label : "";
  if (label[0] != '[' || !strstr(label, " from ")) return -1;
  for (size_t i = 0; i < stats->n_memory; i++)
    if (stats->memory[i]->total_bytes > 0) return stats->memory[i]->total_bytes;
  char *unit;
  double number = strtod(label + 1, &unit);
  return (int64_t)(number * (!strncmp(unit, "MB", 2) ? 1 << 20 : 1));
}

static int64_t length_of(const Tensorflow__NodeExecStats *stats) {
  if (stats->all_start_nanos && stats->all_end_rel_micros == 0) return stats->all_end_rel_nanos / 1000;
  return stats->all_end_rel_micros;
}

static void add_node(json_t *events, int process, const Tensorflow__NodeExecStats *stats, int64_t origin) {
  int64_t begin = stats->all_start_micros - origin, length = length_of(stats);
  char *name = short_name(stats);
  json_t *args = json_object();
  if (stats->node_name) json_object_set_new(args, "name", json_string(stats->node_name));
  if (stats->timeline_label && stats->timeline_label[0])
    json_object_set_new(args, "label", json_string(stats->timeline_label));
  int64_t bytes = received_bytes(stats);
  if (bytes >= 0) json_object_set_new(args, "bytes", json_integer(bytes));
  json_array_append_new(
      events, json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:o}", "ph", "X", "cat", bytes >= 0 ? "Transfer" : "Op",
                        "name", name, "pid", process, "tid", (json_int_t)stats->thread_id, "ts", (json_int_t)begin,
                        "dur", (json_int_t)(length > 0 ? length : 1), "args", args));
  free(name);
}

// How many microseconds the clock of the task of |device| is ahead of ours.
static int64_t ahead_of(const char *device, const sli_step_trace_clock_t *clocks, size_t count) {
  for (size_t i = 0; device && i < count; i++) {
    size_t length = strlen(clocks[i].task);
    if (!strncmp(device, clocks[i].task, length) && (device[length] == '/' || !device[length]))
      return clocks[i].ahead_micros;
  }
  return 0;
}

static void correct_clocks(const Tensorflow__StepStats *stats, const sli_step_trace_clock_t *clocks, size_t count) {
  for (size_t i = 0; stats && i < stats->n_dev_stats; i++) {
    int64_t ahead = ahead_of(stats->dev_stats[i]->device, clocks, count);
    for (size_t j = 0; j < stats->dev_stats[i]->n_node_stats; j++)
      stats->dev_stats[i]->node_stats[j]->all_start_micros -= ahead;
  }
}

sli_status_t *sli_step_trace_append(sli_string_t *out, const void *metadata, size_t size,
                                    const sli_step_trace_clock_t *clocks, size_t clock_count) {
  sli_arena_t arena = {0};
  void *message;
  sli_status_t *status = sli_proto_parse(&tensorflow__run_metadata__descriptor, metadata, size, &arena, &message);
  if (status) {
    sli_arena_deinitialize(&arena);
    return status;
  }
  const Tensorflow__StepStats *stats = ((Tensorflow__RunMetadata *)message)->step_stats;
  correct_clocks(stats, clocks, clock_count);
  size_t device_count = stats ? stats->n_dev_stats : 0;
  int64_t origin = INT64_MAX;
  for (size_t i = 0; i < device_count; i++)
    for (size_t j = 0; j < stats->dev_stats[i]->n_node_stats; j++)
      if (stats->dev_stats[i]->node_stats[j]->all_start_micros < origin)
        origin = stats->dev_stats[i]->node_stats[j]->all_start_micros;
  json_t *events = json_array();
  for (size_t i = 0; i < device_count; i++) {
    const Tensorflow__DeviceStepStats *device = stats->dev_stats[i];
    json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:{s:s?}}", "ph", "M", "name", "process_name", "pid",
                                            (int)i, "args", "name", device->device));
    for (size_t j = 0; j < device->n_node_stats; j++) add_node(events, (int)i, device->node_stats[j], origin);
  }
  json_t *trace = json_pack("{s:o, s:s}", "traceEvents", events, "displayTimeUnit", "ms");
  char *text = json_dumps(trace, JSON_COMPACT);
  sli_string_append_text(out, text);
  free(text);
  json_decref(trace);
  sli_arena_deinitialize(&arena);
  return NULL;
}

sli_status_t *sli_step_trace_write(const char *path, const void *metadata, size_t size,
                                   const sli_step_trace_clock_t *clocks, size_t clock_count) {
  sli_string_t text = {0};
  sli_status_t *status = sli_step_trace_append(&text, metadata, size, clocks, clock_count);
  if (!status) status = sli_atomic_file_write(path, sli_view_of(text.data, text.size));
  sli_string_deinitialize(&text);
  return status;
}

// ---- Overlap ---------------------------------------------------------------------

// A node starts (change 1) or ends (-1).
typedef struct {
  int64_t at;
  int change;
  bool is_chosen;
} edge_t;

static int compare_edges(const void *a, const void *b) {
  const edge_t *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}

static void sweep(const edge_t *edges, size_t count, sli_step_trace_overlap_t *out_overlap) {
  int running[2] = {0};
  for (size_t i = 0; i + 1 < count; i++) {
    running[edges[i].is_chosen] += edges[i].change;
    int64_t length = edges[i + 1].at - edges[i].at;
    if (running[0]) out_overlap->busy += length;
    if (running[1]) out_overlap->chosen += length;
    if (running[0] && running[1]) out_overlap->overlap += length;
  }
  if (count) out_overlap->step = edges[count - 1].at - edges[0].at;
}

sli_status_t *sli_step_trace_overlap(const void *metadata, size_t size, const char *prefix,
                                     sli_step_trace_overlap_t *out_overlap) {
  *out_overlap = (sli_step_trace_overlap_t){0};
  sli_arena_t arena = {0};
  SLI_ARRAY(edge_t) edges = {0};
  void *message;
  sli_status_t *status = sli_proto_parse(&tensorflow__run_metadata__descriptor, metadata, size, &arena, &message);
  const Tensorflow__StepStats *stats = status ? NULL : ((Tensorflow__RunMetadata *)message)->step_stats;
  for (size_t i = 0; stats && i < stats->n_dev_stats; i++)
    for (size_t j = 0; j < stats->dev_stats[i]->n_node_stats; j++) {
      const Tensorflow__NodeExecStats *node = stats->dev_stats[i]->node_stats[j];
      char *name = short_name(node);
      bool is_chosen = !strncmp(name, prefix, strlen(prefix));
      sli_array_push(&edges, (edge_t){node->all_start_micros, 1, is_chosen});
      sli_array_push(&edges, (edge_t){node->all_start_micros + length_of(node), -1, is_chosen});
      free(name);
    }
  if (edges.count) qsort(edges.items, edges.count, sizeof(*edges.items), compare_edges);
  sweep(edges.items, edges.count, out_overlap);
  sli_array_deinitialize(&edges);
  sli_arena_deinitialize(&arena);
  return status;
}
