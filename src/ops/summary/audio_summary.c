// AudioSummary, AudioSummaryV2: encode the clips of a batch as 16-bit WAV files in a Summary.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/summary/summary_encode.h"
#include "proto/summary.fields.h"
#include "proto/wire.h"

enum { WAV_HEADER = 44 };

static void append_little_endian(sli_string_t *out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) sli_string_append_char(out, (char)(value >> (8 * i) & 0xff));
}

static sli_status_t *encode_wav(const float *samples, float rate, int64_t frames, int64_t channels, sli_string_t *out) {
  if (!(rate >= 1) || rate >= 4294967296.0f)
    return sli_status_make(SLI_INVALID_ARGUMENT, "sample_rate must be in (0, 2^32), got: %g", (double)rate);
  if (channels <= 0 || channels > UINT16_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_channels must be in (0, 2^16), got: %lld", (long long)channels);
  if (frames <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "num_frames must be positive.");
  if (frames > (INT64_C(0xffffffff) - WAV_HEADER) / 2 / channels)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Provided channels and frames cannot be encoded as a WAV.");
  uint32_t bytes = (uint32_t)(frames * channels * 2), width = (uint32_t)channels * 2;
  sli_string_append_text(out, "RIFF");
  append_little_endian(out, bytes + WAV_HEADER - 8, 4);
  sli_string_append_text(out, "WAVEfmt ");
  append_little_endian(out, 16, 4);
  append_little_endian(out, 1, 2);  // PCM
  append_little_endian(out, (uint32_t)channels, 2);
  append_little_endian(out, (uint32_t)rate, 4);
  append_little_endian(out, (uint32_t)((uint64_t)(uint32_t)rate * width), 4);
  append_little_endian(out, width, 2);
  append_little_endian(out, 16, 2);
  sli_string_append_text(out, "data");
  append_little_endian(out, bytes, 4);
  for (int64_t i = 0; i < frames * channels; i++) {
    float sample = isnan(samples[i]) ? 0 : roundf(samples[i] * 32768.0f);
    append_little_endian(out, (uint32_t)(int32_t)fminf(fmaxf(sample, -32768), 32767), 2);
  }
  return NULL;
}

static sli_status_t *append_clip(const sli_tensor_t *tensor, sli_view_t tag, int64_t most, int64_t index, float rate,
                                 sli_string_t *summary) {
  int64_t frames = tensor->dims[1], channels = tensor->rank == 3 ? tensor->dims[2] : 1;
  sli_string_t wav = {0}, full_tag = {0};
  sli_status_t *status = encode_wav(SLI_DATA(float, tensor) + index * frames * channels, rate, frames, channels, &wav);
  sli_string_append_format(&full_tag, "%.*s/audio", SLI_VIEW_ARG(tag));
  if (most > 1) sli_string_append_format(&full_tag, "/%lld", (long long)index);
  size_t value = sli_wire_open(summary, SLI_FIELD_SUMMARY_VALUE);
  sli_wire_write_bytes(summary, SLI_FIELD_SUMMARY_VALUE_TAG, full_tag.data, full_tag.size);
  size_t audio = sli_wire_open(summary, SLI_FIELD_SUMMARY_VALUE_AUDIO);
  sli_wire_write_float(summary, SLI_FIELD_SUMMARY_AUDIO_SAMPLE_RATE, rate);
  sli_wire_write_int(summary, SLI_FIELD_SUMMARY_AUDIO_NUM_CHANNELS, channels);
  sli_wire_write_int(summary, SLI_FIELD_SUMMARY_AUDIO_LENGTH_FRAMES, frames);
  sli_wire_write_bytes(summary, SLI_FIELD_SUMMARY_AUDIO_ENCODED_AUDIO_STRING, sli_string_text(&wav), wav.size);
  sli_wire_write_text(summary, SLI_FIELD_SUMMARY_AUDIO_CONTENT_TYPE, "audio/wav");
  sli_wire_close(summary, audio);
  sli_wire_close(summary, value);
  sli_string_deinitialize(&wav);
  sli_string_deinitialize(&full_tag);
  return status;
}

sli_status_t *sli_summary_append_audio(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, int64_t most,
                                       float sample_rate) {
  if (tensor->rank != 2 && tensor->rank != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tensor must be 3-D or 2-D, got: %s",
                           sli_tensor_shape_text(tensor).text);
  for (int64_t i = 0; i < tensor->dims[0] && i < most; i++)
    SLI_RETURN_IF_ERROR(append_clip(tensor, tag, most, i, sample_rate, summary));
  return NULL;
}

static sli_status_t *set_audio(sli_kernel_context_t *context, float rate) {
  const sli_tensor_t *tag = sli_kernel_input(context, 0), *tensor = sli_kernel_input(context, 1);
  int64_t most;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "max_outputs", &most));
  if (tag->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Tag must be a scalar, got shape %s", sli_tensor_shape_text(tag).text);
  sli_string_t summary = {0};
  sli_status_t *status = sli_summary_append_audio(&summary, sli_tensor_string_at(tag, 0), tensor, most, rate);
  if (!status)
    sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view_of(sli_string_text(&summary), summary.size)));
  sli_string_deinitialize(&summary);
  return status;
}

static sli_status_t *audio_compute(sli_kernel_context_t *context) {
  float rate;
  SLI_RETURN_IF_ERROR(sli_node_attr_float(context->node, "sample_rate", &rate));
  return set_audio(context, rate);
}

static sli_status_t *audio_v2_compute(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 2, "sample_rate"));
  return set_audio(context, SLI_DATA(float, sli_kernel_input(context, 2))[0]);
}

static const sli_op_def_t ops[] = {
    {
        .name = "AudioSummary",
        .inputs = "tag: string, tensor: float",
        .outputs = "summary: string",
        .attrs = "sample_rate: float; max_outputs: int >= 1 = 3",
        .summary = "A Summary with audio clips.",
        .shape = sli_infer_fn_scalar,
        .not_differentiable = true,
        .deprecated_in = 15,
        .deprecation = "Use AudioSummaryV2.",
    },
    {
        .name = "AudioSummaryV2",
        .inputs = "tag: string, tensor: float, sample_rate: float",
        .outputs = "summary: string",
        .attrs = "max_outputs: int >= 1 = 3",
        .summary = "A Summary with audio clips.",
        .shape = sli_infer_fn_scalar,
        .not_differentiable = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "AudioSummary", .compute = audio_compute},
    {.op = "AudioSummaryV2", .host_memory = "sample_rate", .compute = audio_v2_compute},
};
SLI_OP_MODULE(audio_summary);
