// Summaries: the nodes that compute them and the file that stores them.
#include "sluice/summary.h"

#include <ctype.h>
#include <stdlib.h>

#include "io/event/event_proto.h"
#include "io/event/event_writer.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"
#include "train/save/graph_def_internal.h"
#include "train/save/meta_graph_internal.h"

// A tag is also a node name: as in Python, characters that node names cannot have become '_'. New.
static char *clean_tag(sl_scope_t *scope, const char *tag) {
  if (!tag) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the tag of a summary must not be NULL");
  if (!tag) tag = "";
  char *clean = sli_strdup(tag + strspn(tag, "/"));
  for (char *letter = clean; *letter; letter++)
    if (!isalnum((unsigned char)*letter) && !strchr("-/_.", *letter)) *letter = '_';
  return clean;
}

TF_Output sl_summary_scalar_with(sl_scope_t *scope, const char *tag, TF_Output value) {
  TF_Output summary = {0};
  char *clean = clean_tag(scope, tag);
  SL_NAME_SCOPE (scope, "%s", clean) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output tags = sl_text_with(scope, sli_scope_prefix(scope), SL_OP_OPTIONS(.name = "tags"));
    summary = sl_binary(scope, "ScalarSummary", whole, tags, value, NULL);
    free(whole);
  }
  free(clean);
  sl_collection_add(scope, SL_SUMMARIES, summary);
  return summary;
}

enum { USUAL_OUTPUTS = 3 };

// A node |op| named after the tag, with the constant "tag", |values| and, for audio, the sample rate.
static TF_Output build_tagged(sl_scope_t *scope, const char *op, const char *tag, TF_Output values,
                              const char *count_attr, int count, double sample_rate) {
  TF_Output summary = {0};
  char *clean = clean_tag(scope, tag);
  SL_NAME_SCOPE (scope, "%s", clean) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output text = sl_text_with(scope, sli_scope_prefix(scope), SL_OP_OPTIONS(.name = "tag"));
    TF_Output rate = {0};
    if (sample_rate > 0) rate = sl_scalar_with(scope, TF_FLOAT, sample_rate, SL_OP_OPTIONS(.name = "sample_rate"));
    sl_node_t *node = sl_node_begin(scope, op, whole);
    sl_node_input(node, text);
    sl_node_input(node, values);
    if (rate.oper) sl_node_input(node, rate);
    if (count_attr) sl_node_attr_int(node, count_attr, count > 0 ? count : USUAL_OUTPUTS);
    summary = sl_node_output(node);
    free(whole);
  }
  free(clean);
  sl_collection_add(scope, SL_SUMMARIES, summary);
  return summary;
}

TF_Output sl_summary_histogram_with(sl_scope_t *scope, const char *tag, TF_Output values) {
  return build_tagged(scope, "HistogramSummary", tag, values, NULL, 0, 0);
}

static void check_count(sl_scope_t *scope, const char *function, const char *tag, int max_outputs) {
  if (max_outputs < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s '%s': max_outputs must be at least 0, got %d", function, tag,
                  max_outputs);
}

TF_Output sl_summary_image_with(sl_scope_t *scope, const char *tag, TF_Output images, int max_outputs) {
  check_count(scope, "sl_summary_image", tag, max_outputs);
  return build_tagged(scope, "ImageSummary", tag, images, "max_images", max_outputs, 0);
}

TF_Output sl_summary_audio_with(sl_scope_t *scope, const char *tag, TF_Output sounds, double sample_rate,
                                int max_outputs) {
  if (!(sample_rate > 0))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_summary_audio '%s': sample_rate must be above 0, got %g", tag,
                  sample_rate);
  check_count(scope, "sl_summary_audio", tag, max_outputs);
  return build_tagged(scope, "AudioSummaryV2", tag, sounds, "max_outputs", max_outputs, sample_rate);
}

TF_Output sl_summary_merge_all_with(sl_scope_t *scope) {
  size_t count = sl_collection_count(scope, SL_SUMMARIES);
  TF_Output merged = {0};
  if (!count) return merged;
  SL_NAME_SCOPE (scope, "Merge") {
    sl_node_t *node = sl_node_begin(scope, "MergeSummary", NULL);
    sl_node_input_list(node, sl_collection_items(scope, SL_SUMMARIES), count);
    merged = sl_node_output(node);
  }
  return merged;
}

// --- The event file ---

struct sl_file_writer {
  sli_event_writer_t *events;
};

static void add_event(sl_file_writer_t *writer, sli_string_t *event, TF_Status *status) {
  sli_tf_status_from_status(sli_event_writer_add(writer->events, sli_view_of(event->data, event->size)), status);
  sli_string_deinitialize(event);
}

sl_file_writer_t *sl_file_writer_open(const char *directory, TF_Status *status) {
  sli_event_writer_t *events = NULL;
  sli_tf_status_from_status(sli_event_writer_create(directory, "", &events), status);
  if (!events) return NULL;
  sl_file_writer_t *writer = sli_calloc(1, sizeof(*writer));
  writer->events = events;
  return writer;
}

void sl_file_writer_add_summary(sl_file_writer_t *writer, const void *summary, size_t size, int64_t step,
                                TF_Status *status) {
  sli_string_t event = {0};
  sli_event_proto_summary(&event, sli_event_proto_now(), step, sli_view_of(summary, size));
  add_event(writer, &event, status);
}

void sl_file_writer_add_summary_tensor(sl_file_writer_t *writer, const TF_Tensor *summary, int64_t step,
                                       TF_Status *status) {
  if (TF_TensorType(summary) != TF_STRING || TF_TensorElementCount(summary) != 1) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "summary must be one string, as the summary ops return it");
    return;
  }
  const TF_TString *text = TF_TensorData(summary);
  sl_file_writer_add_summary(writer, TF_StringGetDataPointer(text), TF_StringGetSize(text), step, status);
}

void sl_file_writer_add_scalar(sl_file_writer_t *writer, const char *tag, float value, int64_t step,
                               TF_Status *status) {
  sli_string_t summary = {0};
  size_t entry = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_VALUE_TAG, tag ? tag : "");
  sli_wire_write_float(&summary, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, value);
  sli_wire_close(&summary, entry);
  sl_file_writer_add_summary(writer, summary.data, summary.size, step, status);
  sli_string_deinitialize(&summary);
}

void sl_file_writer_add_graph(sl_file_writer_t *writer, TF_Graph *graph, TF_Status *status) {
  sli_string_t definition = {0}, event = {0};
  sli_tf_status_from_status(sli_graph_def_append(graph, false, &definition), status);
  if (TF_GetCode(status) == TF_OK) {
    sli_event_proto_graph_def(&event, sli_event_proto_now(), 0, sli_view_of(definition.data, definition.size));
    add_event(writer, &event, status);
  }
  sli_string_deinitialize(&definition);
}

void sl_file_writer_add_meta_graph(sl_file_writer_t *writer, const sl_scope_t *scope, const sl_saver_t *saver,
                                   TF_Status *status) {
  sli_string_t definition = {0}, event = {0};
  sli_tf_status_from_status(sli_saver_append_meta_graph(scope, saver, false, &definition), status);
  if (TF_GetCode(status) == TF_OK) {
    sli_event_proto_meta_graph_def(&event, sli_event_proto_now(), 0, sli_view_of(definition.data, definition.size));
    add_event(writer, &event, status);
  }
  sli_string_deinitialize(&definition);
}

void sl_file_writer_add_checkpoint(sl_file_writer_t *writer, const char *path, int64_t step, TF_Status *status) {
  sli_string_t event = {0};
  sli_event_proto_session_log(&event, sli_event_proto_now(), step, SLI_EVENT_PROTO_SESSION_CHECKPOINT, path, NULL);
  add_event(writer, &event, status);
}

void sl_file_writer_add_session_start(sl_file_writer_t *writer, int64_t step, TF_Status *status) {
  sli_string_t event = {0};
  sli_event_proto_session_log(&event, sli_event_proto_now(), step, SLI_EVENT_PROTO_SESSION_START, NULL, NULL);
  add_event(writer, &event, status);
}

void sl_file_writer_add_session_stop(sl_file_writer_t *writer, TF_Status *status) {
  sli_string_t event = {0};
  sli_event_proto_session_log(&event, sli_event_proto_now(), 0, SLI_EVENT_PROTO_SESSION_STOP, NULL, NULL);
  add_event(writer, &event, status);
}

void sl_file_writer_add_run_metadata(sl_file_writer_t *writer, const TF_Buffer *metadata, const char *tag, int64_t step,
                                     TF_Status *status) {
  sli_string_t event = {0};
  sli_event_proto_run_metadata(&event, sli_event_proto_now(), step, tag, sli_view_of(metadata->data, metadata->length));
  add_event(writer, &event, status);
}

void sl_file_writer_flush(sl_file_writer_t *writer, TF_Status *status) {
  sli_tf_status_from_status(sli_event_writer_flush(writer->events), status);
}

void sl_file_writer_close(sl_file_writer_t *writer, TF_Status *status) {
  TF_SetStatus(status, TF_OK, "");
  if (!writer) return;
  sli_tf_status_from_status(sli_event_writer_close(writer->events), status);
  sli_event_writer_release(writer->events);
  free(writer);
}
