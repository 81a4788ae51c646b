// Ops: summaries for TensorBoard, printing, the time.
// Generated from src/ops/summary by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_SUMMARY_H_
#define SLUICE_OPS_SUMMARY_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// AudioSummary(tag: string, tensor: float) -> summary: string
// A Summary with audio clips.
// sample_rate: float; max_outputs: int >= 1 = 3
// Gradients stop here. Deprecated since GraphDef version 15: Use AudioSummaryV2.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_outputs;
} sl_op_audio_summary_options_t;
static inline TF_Output sl_op_audio_summary_with(sl_scope_t *scope, TF_Output tag, TF_Output tensor,
    float sample_rate, const sl_op_audio_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AudioSummary", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_attr_float(node, "sample_rate", sample_rate);
  sl_node_attr_int(node, "max_outputs", options->max_outputs);
  return sl_node_output(node);
}
#define sl_op_audio_summary(scope, tag, tensor, sample_rate, ...) \
  SL_OVER_DEFAULTS(sl_op_audio_summary_with(SL_AT(scope), (tag), (tensor), (sample_rate), SL_OPTIONS( \
    sl_op_audio_summary_options_t, .max_outputs = 3, __VA_ARGS__)))

// AudioSummaryV2(tag: string, tensor: float, sample_rate: float) -> summary: string
// A Summary with audio clips.
// max_outputs: int >= 1 = 3
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_outputs;
} sl_op_audio_summary_v2_options_t;
static inline TF_Output sl_op_audio_summary_v2_with(sl_scope_t *scope, TF_Output tag, TF_Output tensor,
    TF_Output sample_rate, const sl_op_audio_summary_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AudioSummaryV2", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_input(node, sample_rate);
  sl_node_attr_int(node, "max_outputs", options->max_outputs);
  return sl_node_output(node);
}
#define sl_op_audio_summary_v2(scope, tag, tensor, sample_rate, ...) \
  SL_OVER_DEFAULTS(sl_op_audio_summary_v2_with(SL_AT(scope), (tag), (tensor), (sample_rate), SL_OPTIONS( \
    sl_op_audio_summary_v2_options_t, .max_outputs = 3, __VA_ARGS__)))

// CloseSummaryWriter(writer: resource)
// Closes the event file of a summary writer.
// Stateful, no gradient.
static inline TF_Operation *sl_op_close_summary_writer_with(sl_scope_t *scope, TF_Output writer,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CloseSummaryWriter", options->name);
  sl_node_input(node, writer);
  return sl_node_finish(node);
}
#define sl_op_close_summary_writer(scope, writer, ...) \
  sl_op_close_summary_writer_with(SL_AT(scope), (writer), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CreateSummaryFileWriter(writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix:
//   string)
// Opens an event file for a summary writer, unless it has one.
// Stateful, no gradient.
static inline TF_Operation *sl_op_create_summary_file_writer_with(sl_scope_t *scope, TF_Output writer,
    TF_Output logdir, TF_Output max_queue, TF_Output flush_millis, TF_Output filename_suffix,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CreateSummaryFileWriter", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, logdir);
  sl_node_input(node, max_queue);
  sl_node_input(node, flush_millis);
  sl_node_input(node, filename_suffix);
  return sl_node_finish(node);
}
#define sl_op_create_summary_file_writer(scope, writer, logdir, max_queue, flush_millis, filename_suffix, ...) \
  sl_op_create_summary_file_writer_with(SL_AT(scope), (writer), (logdir), (max_queue), (flush_millis), ( \
    filename_suffix), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FlushSummaryWriter(writer: resource)
// Flushes the events of a summary writer to its file.
// Stateful, no gradient.
static inline TF_Operation *sl_op_flush_summary_writer_with(sl_scope_t *scope, TF_Output writer,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FlushSummaryWriter", options->name);
  sl_node_input(node, writer);
  return sl_node_finish(node);
}
#define sl_op_flush_summary_writer(scope, writer, ...) \
  sl_op_flush_summary_writer_with(SL_AT(scope), (writer), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// HistogramSummary(tag: string, values: T) -> summary: string
// A Summary with a histogram of the values.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = DT_FLOAT
// Gradients stop here.
static inline TF_Output sl_op_histogram_summary_with(sl_scope_t *scope, TF_Output tag, TF_Output values,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "HistogramSummary", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, values);
  return sl_node_output(node);
}
#define sl_op_histogram_summary(scope, tag, values, ...) \
  sl_op_histogram_summary_with(SL_AT(scope), (tag), (values), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ImageSummary(tag: string, tensor: T) -> summary: string
// A Summary with images.
// max_images: int >= 1 = 3; T: {uint8, float, half, double} = DT_FLOAT; bad_color: tensor = { dtype: DT_UINT8
//   tensor_shape { dim { size: 4 } } int_val: 255 int_val: 0 int_val: 0 int_val: 255 }
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_images;
  TF_Tensor *bad_color;
} sl_op_image_summary_options_t;
static inline TF_Output sl_op_image_summary_with(sl_scope_t *scope, TF_Output tag, TF_Output tensor,
    const sl_op_image_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ImageSummary", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_attr_int(node, "max_images", options->max_images);
  if (options->bad_color) sl_node_attr_tensor(node, "bad_color", options->bad_color);
  return sl_node_output(node);
}
#define sl_op_image_summary(scope, tag, tensor, ...) \
  SL_OVER_DEFAULTS(sl_op_image_summary_with(SL_AT(scope), (tag), (tensor), SL_OPTIONS(sl_op_image_summary_options_t, \
    .max_images = 3, __VA_ARGS__)))

// ImportEvent(writer: resource, event: string)
// Writes a serialized Event to an event file.
// Stateful, no gradient.
static inline TF_Operation *sl_op_import_event_with(sl_scope_t *scope, TF_Output writer, TF_Output event,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ImportEvent", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, event);
  return sl_node_finish(node);
}
#define sl_op_import_event(scope, writer, event, ...) \
  sl_op_import_event_with(SL_AT(scope), (writer), (event), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MergeSummary(inputs: N * string) -> summary: string
// Merges Summaries into one; no tag may occur twice.
// N: int >= 1
// Gradients stop here.
static inline TF_Output sl_op_merge_summary_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MergeSummary", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  return sl_node_output(node);
}
#define sl_op_merge_summary(scope, inputs, inputs_count, ...) \
  sl_op_merge_summary_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Print(input: T, data: U) -> output: T
// Outputs its input unchanged and prints a list of tensors.
// T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; summarize: int = 3
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *message;
  int64_t first_n;
  int64_t summarize;
} sl_op_print_options_t;
static inline TF_Output sl_op_print_with(sl_scope_t *scope, TF_Output input, const TF_Output *data,
    size_t data_count, const sl_op_print_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Print", options->name);
  sl_node_input(node, input);
  sl_node_input_list(node, data, data_count);
  if (options->message) sl_node_attr_text(node, "message", options->message);
  sl_node_attr_int(node, "first_n", options->first_n);
  sl_node_attr_int(node, "summarize", options->summarize);
  return sl_node_output(node);
}
#define sl_op_print(scope, input, data, data_count, ...) \
  SL_OVER_DEFAULTS(sl_op_print_with(SL_AT(scope), (input), (data), (data_count), SL_OPTIONS(sl_op_print_options_t, \
    .first_n = -1, .summarize = 3, __VA_ARGS__)))

// PrintV2(input: string)
// Prints a string.
// output_stream: string = 'stderr'; end: string = '\n'
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *output_stream;
  const char *end;
} sl_op_print_v2_options_t;
static inline TF_Operation *sl_op_print_v2_with(sl_scope_t *scope, TF_Output input,
    const sl_op_print_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PrintV2", options->name);
  sl_node_input(node, input);
  if (options->output_stream) sl_node_attr_text(node, "output_stream", options->output_stream);
  if (options->end) sl_node_attr_text(node, "end", options->end);
  return sl_node_finish(node);
}
#define sl_op_print_v2(scope, input, ...) \
  sl_op_print_v2_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_print_v2_options_t, __VA_ARGS__))

// ScalarSummary(tags: string, values: T) -> summary: string
// A Summary with one value for each tag.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_scalar_summary_with(sl_scope_t *scope, TF_Output tags, TF_Output values,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScalarSummary", options->name);
  sl_node_input(node, tags);
  sl_node_input(node, values);
  return sl_node_output(node);
}
#define sl_op_scalar_summary(scope, tags, values, ...) \
  sl_op_scalar_summary_with(SL_AT(scope), (tags), (values), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SummaryWriter() -> writer: resource
// A handle of a summary writer.
// shared_name: string = ''; container: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *shared_name;
  const char *container;
} sl_op_summary_writer_options_t;
static inline TF_Output sl_op_summary_writer_with(sl_scope_t *scope, const sl_op_summary_writer_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SummaryWriter", options->name);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  return sl_node_output(node);
}
#define sl_op_summary_writer(scope, ...) \
  sl_op_summary_writer_with(SL_AT(scope), SL_OPTIONS(sl_op_summary_writer_options_t, __VA_ARGS__))

// TensorSummary(tensor: T) -> summary: string
// A Summary with a tensor.
// T: type; description: string = ''; labels: list(string) = []; display_name: string = ''
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *description;
  sl_op_texts_t labels;
  const char *display_name;
} sl_op_tensor_summary_options_t;
static inline TF_Output sl_op_tensor_summary_with(sl_scope_t *scope, TF_Output tensor,
    const sl_op_tensor_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorSummary", options->name);
  sl_node_input(node, tensor);
  if (options->description) sl_node_attr_text(node, "description", options->description);
  if (options->labels.values) sl_node_attr_text_list(node, "labels", options->labels.values, options->labels.count);
  if (options->display_name) sl_node_attr_text(node, "display_name", options->display_name);
  return sl_node_output(node);
}
#define sl_op_tensor_summary(scope, tensor, ...) \
  sl_op_tensor_summary_with(SL_AT(scope), (tensor), SL_OPTIONS(sl_op_tensor_summary_options_t, __VA_ARGS__))

// TensorSummaryV2(tag: string, tensor: T, serialized_summary_metadata: string) -> summary: string
// A Summary with a tensor and metadata for its display.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_tensor_summary_v2_with(sl_scope_t *scope, TF_Output tag, TF_Output tensor,
    TF_Output serialized_summary_metadata, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorSummaryV2", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_input(node, serialized_summary_metadata);
  return sl_node_output(node);
}
#define sl_op_tensor_summary_v2(scope, tag, tensor, serialized_summary_metadata, ...) \
  sl_op_tensor_summary_v2_with(SL_AT(scope), (tag), (tensor), (serialized_summary_metadata), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// Timestamp() -> ts: double
// The time in seconds since 1970.
// Stateful; gradients stop here.
static inline TF_Output sl_op_timestamp_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Timestamp", options->name);
  return sl_node_output(node);
}
#define sl_op_timestamp(scope, ...) sl_op_timestamp_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// WriteAudioSummary(writer: resource, step: int64, tag: string, tensor: float, sample_rate: float)
// Writes audio clips to an event file.
// max_outputs: int >= 1 = 3
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_outputs;
} sl_op_write_audio_summary_options_t;
static inline TF_Operation *sl_op_write_audio_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tag, TF_Output tensor, TF_Output sample_rate, const sl_op_write_audio_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteAudioSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_input(node, sample_rate);
  sl_node_attr_int(node, "max_outputs", options->max_outputs);
  return sl_node_finish(node);
}
#define sl_op_write_audio_summary(scope, writer, step, tag, tensor, sample_rate, ...) \
  SL_OVER_DEFAULTS(sl_op_write_audio_summary_with(SL_AT(scope), (writer), (step), (tag), (tensor), (sample_rate), \
    SL_OPTIONS(sl_op_write_audio_summary_options_t, .max_outputs = 3, __VA_ARGS__)))

// WriteGraphSummary(writer: resource, step: int64, tensor: string)
// Writes a GraphDef to an event file.
// Stateful, no gradient.
static inline TF_Operation *sl_op_write_graph_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tensor, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteGraphSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tensor);
  return sl_node_finish(node);
}
#define sl_op_write_graph_summary(scope, writer, step, tensor, ...) \
  sl_op_write_graph_summary_with(SL_AT(scope), (writer), (step), (tensor), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// WriteHistogramSummary(writer: resource, step: int64, tag: string, values: T)
// Writes a histogram of values to an event file.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, bool} = DT_FLOAT
// Stateful, no gradient.
static inline TF_Operation *sl_op_write_histogram_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tag, TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteHistogramSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tag);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_write_histogram_summary(scope, writer, step, tag, values, ...) \
  sl_op_write_histogram_summary_with(SL_AT(scope), (writer), (step), (tag), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// WriteImageSummary(writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8)
// Writes images to an event file.
// max_images: int >= 1 = 3; T: {uint8, double, float, half} = DT_FLOAT
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_images;
} sl_op_write_image_summary_options_t;
static inline TF_Operation *sl_op_write_image_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tag, TF_Output tensor, TF_Output bad_color, const sl_op_write_image_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteImageSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_input(node, bad_color);
  sl_node_attr_int(node, "max_images", options->max_images);
  return sl_node_finish(node);
}
#define sl_op_write_image_summary(scope, writer, step, tag, tensor, bad_color, ...) \
  SL_OVER_DEFAULTS(sl_op_write_image_summary_with(SL_AT(scope), (writer), (step), (tag), (tensor), (bad_color), \
    SL_OPTIONS(sl_op_write_image_summary_options_t, .max_images = 3, __VA_ARGS__)))

// WriteRawProtoSummary(writer: resource, step: int64, tensor: string)
// Writes serialized Summaries to an event file, as one event.
// Stateful, no gradient.
static inline TF_Operation *sl_op_write_raw_proto_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tensor, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteRawProtoSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tensor);
  return sl_node_finish(node);
}
#define sl_op_write_raw_proto_summary(scope, writer, step, tensor, ...) \
  sl_op_write_raw_proto_summary_with(SL_AT(scope), (writer), (step), (tensor), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// WriteScalarSummary(writer: resource, step: int64, tag: string, value: T)
// Writes a number to an event file.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
// Stateful, no gradient.
static inline TF_Operation *sl_op_write_scalar_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tag, TF_Output value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteScalarSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tag);
  sl_node_input(node, value);
  return sl_node_finish(node);
}
#define sl_op_write_scalar_summary(scope, writer, step, tag, value, ...) \
  sl_op_write_scalar_summary_with(SL_AT(scope), (writer), (step), (tag), (value), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// WriteSummary(writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string)
// Writes a tensor to an event file.
// T: type
// Stateful, no gradient.
static inline TF_Operation *sl_op_write_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tensor, TF_Output tag, TF_Output summary_metadata, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tensor);
  sl_node_input(node, tag);
  sl_node_input(node, summary_metadata);
  return sl_node_finish(node);
}
#define sl_op_write_summary(scope, writer, step, tensor, tag, summary_metadata, ...) \
  sl_op_write_summary_with(SL_AT(scope), (writer), (step), (tensor), (tag), (summary_metadata), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_SUMMARY_H_
