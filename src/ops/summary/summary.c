// ScalarSummary, HistogramSummary, MergeSummary: create and merge serialized Summary messages, which go to event files.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/summary/summary_encode.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"

double sli_summary_element(const sli_tensor_t *tensor, int64_t i) {
  switch (tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    case SLI_DTYPE_INT64: return (double)SLI_DATA(int64_t, tensor)[i];
    case SLI_DTYPE_UINT64: return (double)SLI_DATA(uint64_t, tensor)[i];
    case SLI_DTYPE_INT32: return SLI_DATA(int32_t, tensor)[i];
    case SLI_DTYPE_UINT32: return SLI_DATA(uint32_t, tensor)[i];
    case SLI_DTYPE_INT16: return SLI_DATA(int16_t, tensor)[i];
    case SLI_DTYPE_UINT16: return SLI_DATA(uint16_t, tensor)[i];
    case SLI_DTYPE_INT8: return SLI_DATA(int8_t, tensor)[i];
    case SLI_DTYPE_BOOL:
    case SLI_DTYPE_UINT8: return SLI_DATA(uint8_t, tensor)[i];
    case SLI_DTYPE_HALF: return sli_half_to_float(SLI_DATA(sli_half_t, tensor)[i]);
    case SLI_DTYPE_BFLOAT16: return sli_bfloat16_to_float(SLI_DATA(sli_bfloat16_t, tensor)[i]);
    default: return 0;
  }
}

static void set_text_output(sli_kernel_context_t *context, sli_string_t *text) {
  sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view_of(sli_string_text(text), text->size)));
  sli_string_deinitialize(text);
}

// --- ScalarSummary -------------------------------------------------------------------------

void sli_summary_append_scalar(sli_string_t *summary, sli_view_t tag, float value) {
  size_t mark = sli_wire_open(summary, SLI_FIELD_SUMMARY_VALUE);
  if (tag.size) sli_wire_write_bytes(summary, SLI_FIELD_SUMMARY_VALUE_TAG, tag.data, tag.size);
  sli_wire_write_float(summary, SLI_FIELD_SUMMARY_VALUE_SIMPLE_VALUE, value);
  sli_wire_close(summary, mark);
}

static sli_status_t *scalar_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *tags = sli_kernel_input(context, 0), *values = sli_kernel_input(context, 1);
  if (!sli_tensor_same_shape(tags, values) && !(tags->count == 1 && values->count == 1)) {
    char *a = sli_shape_to_text(sli_tensor_shape(tags)), *b = sli_shape_to_text(sli_tensor_shape(values));
    sli_view_t tag = tags->count ? sli_tensor_string_at(tags, 0) : sli_view("");
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "tags and values are not the same shape: %s != %s%s%.*s%s", a, b,
                        tag.size ? " (tag '" : "", SLI_VIEW_ARG(tag), tag.size ? "')" : "");
    free(a);
    free(b);
    return status;
  }
  sli_string_t summary = {0};
  for (int64_t i = 0; i < tags->count; i++)
    sli_summary_append_scalar(&summary, sli_tensor_string_at(tags, i), (float)sli_summary_element(values, i));
  set_text_output(context, &summary);
  return NULL;
}

// --- HistogramSummary ------------------------------------------------------------------------

// TensorFlow's default buckets: limits grow by 10 % from 1e-12 to 1e20, mirrored below zero.
enum { MAX_POSITIVE_LIMITS = 776 };  // including the last, DBL_MAX

typedef struct {
  double limits[2 * MAX_POSITIVE_LIMITS + 1];
  int count;
} buckets_t;

static void make_buckets(buckets_t *buckets) {
  double positive[MAX_POSITIVE_LIMITS];
  int count = 0;
  for (double limit = 1.0e-12; limit < 1.0e20; limit *= 1.1) positive[count++] = limit;
  positive[count++] = DBL_MAX;
  SLI_CHECK(count <= MAX_POSITIVE_LIMITS);
  buckets->count = 0;
  for (int i = count - 1; i >= 0; i--) buckets->limits[buckets->count++] = -positive[i];
  buckets->limits[buckets->count++] = 0.0;
  for (int i = 0; i < count; i++) buckets->limits[buckets->count++] = positive[i];
}

// The index of the first limit above |value|.
static int bucket_of(const buckets_t *buckets, double value) {
  int low = 0, high = buckets->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (buckets->limits[middle] > value)
      high = middle;
    else
      low = middle + 1;
  }
  return low < buckets->count ? low : buckets->count - 1;
}

// Consecutive empty buckets are written as one.
static void write_histogram(const buckets_t *buckets, const double *counts, sli_string_t *out) {
  double *limits = sli_calloc((size_t)buckets->count, sizeof(double));
  double *values = sli_calloc((size_t)buckets->count, sizeof(double));
  size_t kept = 0;
  for (int i = 0; i < buckets->count;) {
    double limit = buckets->limits[i], count = counts[i++];
    while (count <= 0 && i < buckets->count && counts[i] <= 0) limit = buckets->limits[i], count = counts[i++];
    limits[kept] = limit;
    values[kept++] = count;
  }
  if (kept == 0) limits[kept] = DBL_MAX, values[kept++] = 0;
  sli_wire_write_packed_double(out, SLI_FIELD_HISTOGRAM_PROTO_BUCKET_LIMIT, limits, kept);
  sli_wire_write_packed_double(out, SLI_FIELD_HISTOGRAM_PROTO_BUCKET, values, kept);
  free(limits);
  free(values);
}

sli_status_t *sli_summary_append_histogram(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *values) {
  buckets_t buckets;
  make_buckets(&buckets);
  double *counts = sli_calloc((size_t)buckets.count, sizeof(*counts));
  double least = DBL_MAX, most = -DBL_MAX, sum = 0, squares = 0;
  for (int64_t i = 0; i < values->count; i++) {
    double value = sli_summary_element(values, i);
    if (!isfinite(value)) {
      free(counts);
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s in summary histogram for: %.*s",
                             isnan(value) ? "Nan" : "Infinity", SLI_VIEW_ARG(tag));
    }
    counts[bucket_of(&buckets, value)]++;
    least = fmin(least, value);
    most = fmax(most, value);
    sum += value;
    squares += value * value;
  }
  size_t row = sli_wire_open(summary, SLI_FIELD_SUMMARY_VALUE);
  if (tag.size) sli_wire_write_bytes(summary, SLI_FIELD_SUMMARY_VALUE_TAG, tag.data, tag.size);
  size_t histogram = sli_wire_open(summary, SLI_FIELD_SUMMARY_VALUE_HISTO);
  sli_wire_write_double(summary, SLI_FIELD_HISTOGRAM_PROTO_MIN, least);
  sli_wire_write_double(summary, SLI_FIELD_HISTOGRAM_PROTO_MAX, most);
  sli_wire_write_double(summary, SLI_FIELD_HISTOGRAM_PROTO_NUM, (double)values->count);
  sli_wire_write_double(summary, SLI_FIELD_HISTOGRAM_PROTO_SUM, sum);
  sli_wire_write_double(summary, SLI_FIELD_HISTOGRAM_PROTO_SUM_SQUARES, squares);
  write_histogram(&buckets, counts, summary);
  sli_wire_close(summary, histogram);
  sli_wire_close(summary, row);
  free(counts);
  return NULL;
}

static sli_status_t *histogram_compute(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 0, "tags"));
  sli_view_t tag = sli_tensor_string_at(sli_kernel_input(context, 0), 0);
  sli_string_t summary = {0};
  SLI_RETURN_IF_ERROR(sli_summary_append_histogram(&summary, tag, sli_kernel_input(context, 1)));
  set_text_output(context, &summary);
  return NULL;
}

// --- MergeSummary ------------------------------------------------------------------------------

// The concatenation of serialized messages is their merge. Only the encoding and the tags must be checked: a tag must
// not occur twice.
static sli_status_t *check_tags(sli_view_t summary, sli_map_t *tags) {
  sli_wire_reader_t reader = sli_wire_reader(summary);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_SUMMARY_VALUE || field.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t value = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&value, &part);)
      if (part.number == SLI_FIELD_SUMMARY_VALUE_TAG && part.type == SLI_WIRE_BYTES &&
          !sli_map_insert(tags, part.bytes, NULL))
        return sli_status_make(SLI_INVALID_ARGUMENT, "Duplicate tag %.*s found in summary inputs",
                               SLI_VIEW_ARG(part.bytes));
    if (value.malformed) return sli_wire_error("tensorflow.Summary.Value");
  }
  if (reader.malformed)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Could not parse one of the summary inputs: it is not a Summary message");
  return NULL;
}

static sli_status_t *merge_compute(sli_kernel_context_t *context) {
  sli_string_t summary = {0};
  sli_map_t tags = {0};
  sli_status_t *status = NULL;
  for (int k = 0; k < context->input_count && !status; k++) {
    const sli_tensor_t *input = sli_kernel_input(context, k);
    for (int64_t i = 0; i < input->count && !status; i++) {
      sli_view_t part = sli_tensor_string_at(input, i);
      status = check_tags(part, &tags);
      sli_string_append(&summary, part.data, part.size);
    }
  }
  sli_map_deinitialize(&tags);
  if (status)
    sli_string_deinitialize(&summary);
  else
    set_text_output(context, &summary);
  return status;
}

#define SUMMARY_TYPES "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"

static const sli_op_def_t ops[] = {
    {.name = "ScalarSummary",
     .inputs = "tags: string, values: T",
     .outputs = "summary: string",
     .attrs = "T: " SUMMARY_TYPES,
     .summary = "A Summary with one value for each tag.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true},
    {.name = "HistogramSummary",
     .inputs = "tag: string, values: T",
     .outputs = "summary: string",
     .attrs = "T: " SUMMARY_TYPES " = DT_FLOAT",
     .summary = "A Summary with a histogram of the values.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true},
    {.name = "MergeSummary",
     .inputs = "inputs: N * string",
     .outputs = "summary: string",
     .attrs = "N: int >= 1",
     .summary = "Merges Summaries into one; no tag may occur twice.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true},
};
static const sli_kernel_def_t kernels[] = {
    {.op = "ScalarSummary", .types = SLI_TYPES_REAL, .compute = scalar_compute},
    {.op = "HistogramSummary", .types = SLI_TYPES_REAL, .compute = histogram_compute},
    {.op = "MergeSummary", .compute = merge_compute},
};
SLI_OP_MODULE(summary);
