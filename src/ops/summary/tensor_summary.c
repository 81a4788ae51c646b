// TensorSummary, TensorSummaryV2: encode a tensor in a Summary.
#include "core/op/shape_inference.h"
#include "core/tensor/tensor_codec.h"
#include "ops/summary/summary_encode.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"

static sli_status_t *set_summary(sli_kernel_context_t *context, sli_string_t *summary) {
  sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view_of(sli_string_text(summary), summary->size)));
  sli_string_deinitialize(summary);
  return NULL;
}

static void append_tensor(sli_string_t *summary, const sli_tensor_t *tensor) {
  size_t mark = sli_wire_open(summary, SLI_FIELD_SUMMARY_VALUE_TENSOR);
  sli_tensor_encode_flat(tensor, summary);
  sli_wire_close(summary, mark);
}

void sli_summary_append_tensor(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, sli_view_t metadata) {
  size_t value = sli_wire_open(summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_bytes(summary, SLI_FIELD_SUMMARY_VALUE_TAG, tag.data, tag.size);
  append_tensor(summary, tensor);
  if (metadata.size) sli_wire_write_bytes(summary, SLI_FIELD_SUMMARY_VALUE_METADATA, metadata.data, metadata.size);
  sli_wire_close(summary, value);
}

static sli_status_t *summary_compute(sli_kernel_context_t *context) {
  sli_string_t summary = {0};
  size_t value = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_text(&summary, SLI_FIELD_SUMMARY_VALUE_NODE_NAME, context->node->name);
  append_tensor(&summary, sli_kernel_input(context, 0));
  sli_wire_close(&summary, value);
  return set_summary(context, &summary);
}

static sli_status_t *summary_v2_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *tag = sli_kernel_input(context, 0), *metadata = sli_kernel_input(context, 2);
  if (tag->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "tag must be scalar, got shape %s", sli_tensor_shape_text(tag).text);
  if (metadata->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "serialized_summary_metadata must be scalar, got shape %s",
                           sli_tensor_shape_text(metadata).text);
  sli_view_t tag_text = sli_tstring_view(SLI_DATA(sli_tstring_t, tag));
  sli_view_t bytes = sli_tstring_view(SLI_DATA(sli_tstring_t, metadata));
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
  }
  if (reader.malformed) return sli_wire_error("tensorflow.SummaryMetadata");
  sli_string_t summary = {0};
  size_t value = sli_wire_open(&summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_bytes(&summary, SLI_FIELD_SUMMARY_VALUE_TAG, tag_text.data, tag_text.size);
  append_tensor(&summary, sli_kernel_input(context, 1));
  sli_wire_write_bytes(&summary, SLI_FIELD_SUMMARY_VALUE_METADATA, bytes.data, bytes.size);
  sli_wire_close(&summary, value);
  return set_summary(context, &summary);
}

static const sli_op_def_t ops[] = {
    {
        .name = "TensorSummary",
        .inputs = "tensor: T",
        .outputs = "summary: string",
        .attrs = "T: type; description: string = ''; labels: list(string) = []; display_name: string = ''",
        .summary = "A Summary with a tensor.",
        .shape = sli_infer_fn_scalar,
        .not_differentiable = true,
    },
    {
        .name = "TensorSummaryV2",
        .inputs = "tag: string, tensor: T, serialized_summary_metadata: string",
        .outputs = "summary: string",
        .attrs = "T: type",
        .summary = "A Summary with a tensor and metadata for its display.",
        .shape = sli_infer_fn_scalar,
        .not_differentiable = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "TensorSummary", .types = SLI_TYPES_COMMON, .compute = summary_compute},
    {.op = "TensorSummaryV2", .types = SLI_TYPES_COMMON, .compute = summary_v2_compute},
};
SLI_OP_MODULE(tensor_summary);
