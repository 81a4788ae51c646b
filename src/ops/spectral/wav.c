// DecodeWav, EncodeWav: files of 16-bit PCM samples as matrices of floats in [-1, 1), a row for each sample.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

// A position in the file; every read is checked.
typedef struct {
  sli_view_t bytes;
  size_t at;
} wav_reader_t;

static sli_status_t *read_bytes(wav_reader_t *reader, size_t count, const unsigned char **out) {
  if (reader->at > reader->bytes.size || reader->bytes.size - reader->at < count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Data too short when trying to read string");
  *out = (const unsigned char *)reader->bytes.data + reader->at;
  reader->at += count;
  return NULL;
}

static sli_status_t *read_number(wav_reader_t *reader, size_t size, uint32_t *out) {
  const unsigned char *bytes = NULL;
  SLI_RETURN_IF_ERROR(read_bytes(reader, size, &bytes));
  *out = 0;
  for (size_t i = 0; i < size; i++) *out |= (uint32_t)bytes[i] << 8 * i;
  return NULL;
}

static sli_status_t *expect_text(wav_reader_t *reader, const char *text) {
  const unsigned char *bytes = NULL;
  SLI_RETURN_IF_ERROR(read_bytes(reader, strlen(text), &bytes));
  if (memcmp(bytes, text, strlen(text)) == 0) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Header mismatch: Expected %s but found %.4s", text,
                         (const char *)bytes);
}

typedef struct {
  uint32_t channels, sample_rate, samples;
  const unsigned char *data;  // in the file: 16 bits for each sample and channel
} wav_t;

static sli_status_t *read_format(wav_reader_t *reader, wav_t *wav, uint32_t *out_frame) {
  uint32_t size, format, bytes_per_second, bits;
  SLI_RETURN_IF_ERROR(expect_text(reader, "fmt "));
  SLI_RETURN_IF_ERROR(read_number(reader, 4, &size));
  if (size != 16 && size != 18)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Bad format chunk size for WAV: Expected 16 or 18, but got %u", size);
  SLI_RETURN_IF_ERROR(read_number(reader, 2, &format));
  if (format != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Bad audio format for WAV: Expected 1 (PCM), but got %u", format);
  SLI_RETURN_IF_ERROR(read_number(reader, 2, &wav->channels));
  if (wav->channels < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Bad number of channels for WAV: Expected at least 1, but got %u",
                           wav->channels);
  SLI_RETURN_IF_ERROR(read_number(reader, 4, &wav->sample_rate));
  SLI_RETURN_IF_ERROR(read_number(reader, 4, &bytes_per_second));
  SLI_RETURN_IF_ERROR(read_number(reader, 2, out_frame));
  SLI_RETURN_IF_ERROR(read_number(reader, 2, &bits));
  if (bits != 16) return sli_status_make(SLI_INVALID_ARGUMENT, "Can only read 16-bit WAV files, but received %u", bits);
  if (*out_frame != 2 * wav->channels)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Bad bytes per sample in WAV header: Expected %u but got %u",
                           2 * wav->channels, *out_frame);
  if (bytes_per_second != *out_frame * wav->sample_rate)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Bad bytes per second in WAV header: Expected %u but got %u (sample_rate=%u, "
                           "bytes_per_sample=%u)",
                           *out_frame * wav->sample_rate, bytes_per_second, wav->sample_rate, *out_frame);
  if (size == 18) reader->at += 2;
  return NULL;
}

static sli_status_t *read_wav(sli_view_t bytes, wav_t *wav) {
  wav_reader_t reader = {.bytes = bytes};
  uint32_t size, frame;
  *wav = (wav_t){0};
  SLI_RETURN_IF_ERROR(expect_text(&reader, "RIFF"));
  SLI_RETURN_IF_ERROR(read_number(&reader, 4, &size));
  SLI_RETURN_IF_ERROR(expect_text(&reader, "WAVE"));
  SLI_RETURN_IF_ERROR(read_format(&reader, wav, &frame));
  while (reader.at < bytes.size) {
    const unsigned char *id = NULL, *data = NULL;
    SLI_RETURN_IF_ERROR(read_bytes(&reader, 4, &id));
    SLI_RETURN_IF_ERROR(read_number(&reader, 4, &size));
    if (size > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "WAV data chunk '%.4s' is too large: %u bytes, but the limit is %d",
                             (const char *)id, size, INT32_MAX);
    if (memcmp(id, "data", 4) != 0) {
      reader.at += size;
      continue;
    }
    if (wav->data) return sli_status_make(SLI_INVALID_ARGUMENT, "More than one data chunk found in WAV");
    wav->samples = size / frame;
    SLI_RETURN_IF_ERROR(read_bytes(&reader, (size_t)wav->samples * frame, &data));
    wav->data = data;
  }
  return wav->data ? NULL : sli_status_make(SLI_INVALID_ARGUMENT, "No data chunk found in WAV");
}

static sli_status_t *decode_wav(sli_kernel_context_t *context) {
  sli_tensor_t *contents = sli_kernel_input(context, 0), *audio, *rate;
  int64_t channels, samples;
  wav_t wav;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "desired_channels", &channels));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "desired_samples", &samples));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 0, "contents"));
  SLI_RETURN_IF_ERROR(read_wav(sli_tensor_string_at(contents, 0), &wav));
  int64_t dims[] = {samples == -1 ? wav.samples : samples, channels == -1 ? wav.channels : channels};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){2, dims}, &audio));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE_SCALAR, &rate));
  *SLI_DATA(int32_t, rate) = (int32_t)wav.sample_rate;
  for (int64_t s = 0; s < dims[0]; s++) {
    for (int64_t c = 0; c < dims[1]; c++) {
      float value = 0;
      if (s < wav.samples) {
        int64_t source = c < wav.channels ? c : wav.channels - 1;  // the last one stands for those that are missing
        const unsigned char *at = wav.data + 2 * (s * wav.channels + source);
        value = (float)(int16_t)(at[0] | at[1] << 8) / 32768.0f;
      }
      SLI_DATA(float, audio)[s * dims[1] + c] = value;
    }
  }
  return NULL;
}

static void append_number(sli_string_t *out, size_t size, uint32_t value) {
  for (size_t i = 0; i < size; i++) sli_string_append_char(out, (char)(value >> 8 * i));
}

static sli_status_t *encode(const sli_tensor_t *audio, int32_t sample_rate, sli_string_t *out) {
  int64_t channels = audio->dims[1];
  if (audio->count >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot encode audio with >= max int32 elements");
  if (sample_rate <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "sample_rate must be in (0, 2^32), got: %llu",
                           (unsigned long long)(int64_t)sample_rate);
  if (channels == 0 || channels > UINT16_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_channels must be in (0, 2^16), got: %lld", (long long)channels);
  uint64_t data_size = 2 * (uint64_t)audio->count, file_size = 44 + data_size;
  if (file_size > UINT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Provided channels and frames cannot be encoded as a WAV.");
  sli_string_append(out, "RIFF", 4);
  append_number(out, 4, (uint32_t)file_size - 8);
  sli_string_append(out, "WAVEfmt ", 8);
  append_number(out, 4, 16);
  append_number(out, 2, 1);  // PCM
  append_number(out, 2, (uint32_t)channels);
  append_number(out, 4, (uint32_t)sample_rate);
  append_number(out, 4, (uint32_t)sample_rate * 2 * (uint32_t)channels);
  append_number(out, 2, 2 * (uint32_t)channels);
  append_number(out, 2, 16);
  sli_string_append(out, "data", 4);
  append_number(out, 4, (uint32_t)data_size);
  for (int64_t i = 0; i < audio->count; i++) {
    float value = roundf(SLI_DATA(float, audio)[i] * 32768.0f);
    // A value that is not a number becomes the least, as in std::max.
    value = value > -32768.0f ? value : -32768.0f;
    append_number(out, 2, (uint16_t)(int16_t)(value < 32767.0f ? value : 32767.0f));
  }
  return NULL;
}

static sli_status_t *encode_wav(sli_kernel_context_t *context) {
  sli_tensor_t *audio = sli_kernel_input(context, 0), *rate = sli_kernel_input(context, 1), *output;
  bool flat = audio->rank != 2;
  if (flat || rate->rank != 0) {
    char *text = sli_shape_to_text(sli_tensor_shape(flat ? audio : rate));
    sli_status_t *status = flat ? sli_status_make(SLI_INVALID_ARGUMENT, "audio must be 2-dimensional%s", text)
                                : sli_status_make(SLI_INVALID_ARGUMENT,
                                                  "Input sample_rate should be a scalar tensor, got %s instead.", text);
    free(text);
    return status;
  }
  sli_string_t bytes = {0};
  sli_status_t *status = encode(audio, *SLI_DATA(int32_t, rate), &bytes);
  if (!status) status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
  if (!status) sli_tstring_assign(SLI_DATA(sli_tstring_t, output), bytes.data, bytes.size);
  sli_string_deinitialize(&bytes);
  return status;
}

static sli_status_t *decode_wav_shape(sli_infer_context_t *c) {
  sli_shape_t contents;
  int64_t channels, samples;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &contents));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "desired_channels", &channels));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "desired_samples", &samples));
  if (channels < -1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "channels must be non-negative, got %lld", (long long)channels);
  if (samples < -1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "samples must be non-negative, got %lld", (long long)samples);
  int64_t dims[] = {samples, channels};
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, dims));
  sli_infer_set_output(c, 1, SLI_SHAPE_SCALAR);
  return NULL;
}

static sli_status_t *encode_wav_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &shape));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &shape));
  sli_infer_set_output(c, 0, SLI_SHAPE_SCALAR);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "DecodeWav",
     .inputs = "contents: string",
     .outputs = "audio: float, sample_rate: int32",
     .attrs = "desired_channels: int = -1; desired_samples: int = -1",
     .shape = decode_wav_shape},
    {.name = "EncodeWav",
     .inputs = "audio: float, sample_rate: int32",
     .outputs = "contents: string",
     .shape = encode_wav_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "DecodeWav", .compute = decode_wav, .expensive = true, .cost = 1},
    {.op = "EncodeWav", .compute = encode_wav, .expensive = true, .cost = 1},
};

SLI_OP_MODULE(wav);
