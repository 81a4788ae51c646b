// Ops that write summaries directly to an event file: SummaryWriter returns the handle of a writer,
// CreateSummaryFileWriter opens its file, and the Write ops append events. Events are flushed when more than
// |max_queue| of them are buffered or |flush_millis| have passed since the last flush.
//
// The first SummaryWriter creates the resource. Its file can be closed and opened again.
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "core/op/shape_inference.h"
#include "io/event/event_proto.h"
#include "io/event/event_writer.h"
#include "ops/common/named_resource.h"
#include "ops/summary/summary_encode.h"
#include "proto/wire.h"

typedef struct {
  sli_object_t base;
  char *name;
  sli_mutex_t mutex;
  // Guarded by |mutex|:
  sli_event_writer_t *file;  // NULL: not open
  int64_t max_queue, flush_nanos;
  int64_t waiting;     // events since the last flush
  int64_t last_flush;  // monotonic nanoseconds
} summary_writer_t;

static void writer_destroy(sli_object_t *object) {
  summary_writer_t *writer = (summary_writer_t *)object;
  sli_event_writer_release(writer->file);
  sli_mutex_deinitialize(&writer->mutex);
  free(writer->name);
  free(writer);
}

static const sli_object_type_t writer_type = {"SummaryWriter", writer_destroy};

static sli_status_t *make_writer(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  summary_writer_t *writer = sli_calloc(1, sizeof(*writer));
  sli_object_initialize(&writer->base, &writer_type);
  sli_mutex_initialize(&writer->mutex);
  writer->name = sli_strndup(name.data, name.size);
  *out_object = writer;
  return NULL;
}

static sli_status_t *writer_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const sli_named_resource_type_t type = {.type = &writer_type, .make = make_writer};
  return sli_named_resource_create(setup, &type, out_state);
}

static sli_status_t *check_open_locked(const summary_writer_t *writer) {
  if (writer->file) return NULL;
  return sli_status_make(
      SLI_NOT_FOUND,
      "Summary writer %s has no open file: run CreateSummaryFileWriter before and CloseSummaryWriter "
      "after all other ops on it",
      writer->name);
}

// --- The file -----------------------------------------------------------------------------------

static sli_status_t *open_locked(summary_writer_t *writer, const char *directory, sli_view_t suffix) {
  // TensorFlow's file name, which is unique on the host.
  static _Atomic int64_t counter;
  char *unique =
      sli_format(".%lld.%lld%.*s", (long long)getpid(), (long long)atomic_fetch_add(&counter, 1), SLI_VIEW_ARG(suffix));
  sli_status_t *status = sli_event_writer_create(directory, unique, &writer->file);
  free(unique);
  writer->waiting = 0;
  writer->last_flush = sli_clock_now_nanos();
  return status;
}

static sli_status_t *create_compute(sli_kernel_context_t *context) {
  static const char *const names[] = {"writer", "logdir", "max_queue", "flush_millis", "filename_suffix"};
  for (int i = 1; i < 5; i++) SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, i, names[i]));
  summary_writer_t *writer;
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &writer_type, (void **)&writer));
  sli_view_t logdir = sli_tensor_string_at(sli_kernel_input(context, 1), 0);
  char *directory = sli_strndup(logdir.data, logdir.size);
  sli_status_t *status = NULL;
  sli_mutex_lock(&writer->mutex);
  if (!writer->file) {
    writer->max_queue = SLI_DATA(int32_t, sli_kernel_input(context, 2))[0];
    writer->flush_nanos = SLI_DATA(int32_t, sli_kernel_input(context, 3))[0] * INT64_C(1000000);
    status = open_locked(writer, directory, sli_tensor_string_at(sli_kernel_input(context, 4), 0));
  }
  sli_mutex_unlock(&writer->mutex);
  free(directory);
  sli_object_release(writer);
  return status;
}

static sli_status_t *flush_locked(summary_writer_t *writer) {
  writer->waiting = 0;
  writer->last_flush = sli_clock_now_nanos();
  return sli_event_writer_flush(writer->file);
}

static sli_status_t *flush_compute(sli_kernel_context_t *context) {
  summary_writer_t *writer;
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &writer_type, (void **)&writer));
  sli_mutex_lock(&writer->mutex);
  sli_status_t *status = check_open_locked(writer);
  if (!status) status = flush_locked(writer);
  sli_mutex_unlock(&writer->mutex);
  sli_object_release(writer);
  return status;
}

static sli_status_t *close_compute(sli_kernel_context_t *context) {
  summary_writer_t *writer;
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &writer_type, (void **)&writer));
  sli_mutex_lock(&writer->mutex);
  sli_status_t *status = check_open_locked(writer);
  sli_event_writer_t *file = writer->file;
  writer->file = NULL;
  sli_mutex_unlock(&writer->mutex);
  if (!status) status = sli_event_writer_close(file);
  sli_event_writer_release(file);
  sli_object_release(writer);
  return status;
}

// --- Events -------------------------------------------------------------------------------------

static sli_status_t *append_locked(summary_writer_t *writer, sli_view_t event) {
  SLI_RETURN_IF_ERROR(check_open_locked(writer));
  SLI_RETURN_IF_ERROR(sli_event_writer_add(writer->file, event));
  writer->waiting++;
  bool is_late = sli_clock_now_nanos() - writer->last_flush > writer->flush_nanos;
  return writer->waiting > writer->max_queue || is_late ? flush_locked(writer) : NULL;
}

// Appends an event to the writer's file. |encode| serializes the event of the node.
static sli_status_t *append(sli_kernel_context_t *context,
                            sli_status_t *(*encode)(const sli_kernel_context_t *context, sli_string_t *out)) {
  summary_writer_t *writer;
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &writer_type, (void **)&writer));
  sli_string_t event = {0};
  sli_status_t *status = encode(context, &event);
  sli_mutex_lock(&writer->mutex);
  if (!status) status = append_locked(writer, sli_view_of(sli_string_text(&event), event.size));
  sli_mutex_unlock(&writer->mutex);
  sli_string_deinitialize(&event);
  sli_object_release(writer);
  return status;
}

static int64_t step_of(const sli_kernel_context_t *context) {
  return SLI_DATA(int64_t, sli_kernel_input(context, 1))[0];
}

// Encodes a summary event whose values |fill| appends. |tag| is the index of the input with the tag.
typedef sli_status_t *(*fill_summary_t)(const sli_kernel_context_t *context, sli_view_t tag, sli_string_t *summary);
static sli_status_t *encode_summary(const sli_kernel_context_t *context, int tag, fill_summary_t fill,
                                    sli_string_t *out) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 1, "step"));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, tag, "tag"));
  sli_string_t summary = {0};
  sli_status_t *status = fill(context, sli_tensor_string_at(sli_kernel_input(context, tag), 0), &summary);
  if (!status)
    sli_event_proto_summary(out, sli_event_proto_now(), step_of(context),
                            sli_view_of(sli_string_text(&summary), summary.size));
  sli_string_deinitialize(&summary);
  return status;
}

// As in TensorFlow, any non-empty tensor is accepted and its first element used.
static sli_status_t *fill_scalar(const sli_kernel_context_t *context, sli_view_t tag, sli_string_t *summary) {
  const sli_tensor_t *value = sli_kernel_input(context, 3);
  if (value->count == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "value must be a scalar, got an empty tensor");
  sli_summary_append_scalar(summary, tag, (float)sli_summary_element(value, 0));
  return NULL;
}

static sli_status_t *fill_histogram(const sli_kernel_context_t *context, sli_view_t tag, sli_string_t *summary) {
  return sli_summary_append_histogram(summary, tag, sli_kernel_input(context, 3));
}

static sli_status_t *fill_image(const sli_kernel_context_t *context, sli_view_t tag, sli_string_t *summary) {
  int64_t most;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "max_images", &most));
  return sli_summary_append_images(summary, tag, sli_kernel_input(context, 3), most, sli_kernel_input(context, 4));
}

static sli_status_t *fill_audio(const sli_kernel_context_t *context, sli_view_t tag, sli_string_t *summary) {
  int64_t most;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "max_outputs", &most));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 4, "sample_rate"));
  return sli_summary_append_audio(summary, tag, sli_kernel_input(context, 3), most,
                                  SLI_DATA(float, sli_kernel_input(context, 4))[0]);
}

// Whether |bytes| are a well-formed protobuf message of any type.
static bool is_message(sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
  }
  return !reader.malformed;
}

static sli_status_t *fill_tensor(const sli_kernel_context_t *context, sli_view_t tag, sli_string_t *summary) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 4, "summary_metadata"));
  sli_view_t metadata = sli_tensor_string_at(sli_kernel_input(context, 4), 0);
  if (!is_message(metadata)) return sli_wire_error("tensorflow.SummaryMetadata");
  sli_summary_append_tensor(summary, tag, sli_kernel_input(context, 2), metadata);
  return NULL;
}

static sli_status_t *encode_scalar(const sli_kernel_context_t *context, sli_string_t *out) {
  return encode_summary(context, 2, fill_scalar, out);
}
static sli_status_t *encode_histogram(const sli_kernel_context_t *context, sli_string_t *out) {
  return encode_summary(context, 2, fill_histogram, out);
}
static sli_status_t *encode_image(const sli_kernel_context_t *context, sli_string_t *out) {
  return encode_summary(context, 2, fill_image, out);
}
static sli_status_t *encode_audio(const sli_kernel_context_t *context, sli_string_t *out) {
  return encode_summary(context, 2, fill_audio, out);
}
static sli_status_t *encode_tensor(const sli_kernel_context_t *context, sli_string_t *out) {
  return encode_summary(context, 3, fill_tensor, out);
}

// The concatenation of serialized Summaries is one Summary.
static sli_status_t *encode_raw(const sli_kernel_context_t *context, sli_string_t *out) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 1, "step"));
  const sli_tensor_t *parts = sli_kernel_input(context, 2);
  sli_string_t summary = {0};
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < parts->count && !status; i++) {
    sli_view_t part = sli_tensor_string_at(parts, i);
    if (!is_message(part))
      status = sli_status_make(SLI_DATA_LOSS, "Bad tf.compat.v1.Summary binary proto tensor string at index %lld",
                               (long long)i);
    sli_string_append(&summary, part.data, part.size);
  }
  if (!status)
    sli_event_proto_summary(out, sli_event_proto_now(), step_of(context),
                            sli_view_of(sli_string_text(&summary), summary.size));
  sli_string_deinitialize(&summary);
  return status;
}

static sli_status_t *encode_graph(const sli_kernel_context_t *context, sli_string_t *out) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 1, "step"));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 2, "tensor"));
  sli_view_t graph = sli_tensor_string_at(sli_kernel_input(context, 2), 0);
  if (!is_message(graph)) return sli_status_make(SLI_DATA_LOSS, "Bad tf.GraphDef binary proto tensor string");
  sli_event_proto_graph_def(out, sli_event_proto_now(), step_of(context), graph);
  return NULL;
}

static sli_status_t *encode_import(const sli_kernel_context_t *context, sli_string_t *out) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 1, "event"));
  sli_view_t event = sli_tensor_string_at(sli_kernel_input(context, 1), 0);
  if (!is_message(event)) return sli_status_make(SLI_DATA_LOSS, "Bad tf.Event binary proto tensor string");
  sli_string_append(out, event.data, event.size);
  return NULL;
}

static sli_status_t *write_scalar(sli_kernel_context_t *context) { return append(context, encode_scalar); }
static sli_status_t *write_histogram(sli_kernel_context_t *context) { return append(context, encode_histogram); }
static sli_status_t *write_image(sli_kernel_context_t *context) { return append(context, encode_image); }
static sli_status_t *write_audio(sli_kernel_context_t *context) { return append(context, encode_audio); }
static sli_status_t *write_tensor(sli_kernel_context_t *context) { return append(context, encode_tensor); }
static sli_status_t *write_raw(sli_kernel_context_t *context) { return append(context, encode_raw); }
static sli_status_t *write_graph(sli_kernel_context_t *context) { return append(context, encode_graph); }
static sli_status_t *write_import(sli_kernel_context_t *context) { return append(context, encode_import); }

#define REAL_TYPES "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"

static const sli_op_def_t ops[] = {
    {.name = "SummaryWriter",
     .outputs = "writer: resource",
     .attrs = "shared_name: string = ''; container: string = ''",
     .summary = "A handle of a summary writer.",
     .shape = sli_infer_fn_scalar,
     .is_stateful = true},
    {.name = "CreateSummaryFileWriter",
     .inputs = "writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix: string",
     .summary = "Opens an event file for a summary writer, unless it has one.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "FlushSummaryWriter",
     .inputs = "writer: resource",
     .summary = "Flushes the events of a summary writer to its file.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "CloseSummaryWriter",
     .inputs = "writer: resource",
     .summary = "Closes the event file of a summary writer.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "WriteSummary",
     .inputs = "writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string",
     .attrs = "T: type",
     .summary = "Writes a tensor to an event file.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "WriteRawProtoSummary",
     .inputs = "writer: resource, step: int64, tensor: string",
     .summary = "Writes serialized Summaries to an event file, as one event.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "WriteScalarSummary",
     .inputs = "writer: resource, step: int64, tag: string, value: T",
     .attrs = "T: {" REAL_TYPES "}",
     .summary = "Writes a number to an event file.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "WriteHistogramSummary",
     .inputs = "writer: resource, step: int64, tag: string, values: T",
     .attrs = "T: {" REAL_TYPES ", bool} = DT_FLOAT",
     .summary = "Writes a histogram of values to an event file.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "WriteImageSummary",
     .inputs = "writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8",
     .attrs = "max_images: int >= 1 = 3; T: {uint8, double, float, half} = DT_FLOAT",
     .summary = "Writes images to an event file.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "WriteAudioSummary",
     .inputs = "writer: resource, step: int64, tag: string, tensor: float, sample_rate: float",
     .attrs = "max_outputs: int >= 1 = 3",
     .summary = "Writes audio clips to an event file.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "WriteGraphSummary",
     .inputs = "writer: resource, step: int64, tensor: string",
     .summary = "Writes a GraphDef to an event file.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "ImportEvent",
     .inputs = "writer: resource, event: string",
     .summary = "Writes a serialized Event to an event file.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SummaryWriter",
     .compute = sli_named_resource_compute,
     .create = writer_create,
     .destroy = sli_named_resource_destroy},
    {.op = "CreateSummaryFileWriter", .compute = create_compute, .blocks = true},
    {.op = "FlushSummaryWriter", .compute = flush_compute, .blocks = true},
    {.op = "CloseSummaryWriter", .compute = close_compute, .blocks = true},
    {.op = "WriteSummary", .compute = write_tensor, .blocks = true},
    {.op = "WriteRawProtoSummary", .compute = write_raw, .blocks = true},
    {.op = "WriteScalarSummary", .compute = write_scalar, .blocks = true},
    {.op = "WriteHistogramSummary", .compute = write_histogram, .blocks = true},
    {.op = "WriteImageSummary", .compute = write_image, .expensive = true, .blocks = true},
    {.op = "WriteAudioSummary", .compute = write_audio, .expensive = true, .blocks = true},
    {.op = "WriteGraphSummary", .compute = write_graph, .blocks = true},
    {.op = "ImportEvent", .compute = write_import, .blocks = true},
};
SLI_OP_MODULE(summary_writer);
