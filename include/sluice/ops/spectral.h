// Ops: Fourier transforms, audio.
// Generated from src/ops/spectral by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_SPECTRAL_H_
#define SLUICE_OPS_SPECTRAL_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// AudioSpectrogram(input: float) -> spectrogram: float
// window_size: int; stride: int; magnitude_squared: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool magnitude_squared;
} sl_op_audio_spectrogram_options_t;
static inline TF_Output sl_op_audio_spectrogram_with(sl_scope_t *scope, TF_Output input, int64_t window_size,
    int64_t stride, const sl_op_audio_spectrogram_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AudioSpectrogram", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "window_size", window_size);
  sl_node_attr_int(node, "stride", stride);
  sl_node_attr_bool(node, "magnitude_squared", options->magnitude_squared);
  return sl_node_output(node);
}
#define sl_op_audio_spectrogram(scope, input, window_size, stride, ...) \
  sl_op_audio_spectrogram_with(SL_AT(scope), (input), (window_size), (stride), SL_OPTIONS( \
    sl_op_audio_spectrogram_options_t, __VA_ARGS__))

// DecodeWav(contents: string) -> audio: float, sample_rate: int32
// desired_channels: int = -1; desired_samples: int = -1
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t desired_channels;
  int64_t desired_samples;
} sl_op_decode_wav_options_t;
typedef struct {
  TF_Output audio;
  TF_Output sample_rate;
} sl_op_decode_wav_t;
static inline sl_op_decode_wav_t sl_op_decode_wav_with(sl_scope_t *scope, TF_Output contents,
    const sl_op_decode_wav_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeWav", options->name);
  sl_node_input(node, contents);
  sl_node_attr_int(node, "desired_channels", options->desired_channels);
  sl_node_attr_int(node, "desired_samples", options->desired_samples);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_decode_wav_t result;
  result.audio = sl_op_output(operation, 0);
  result.sample_rate = sl_op_output(operation, 1);
  return result;
}
#define sl_op_decode_wav(scope, contents, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_wav_with(SL_AT(scope), (contents), SL_OPTIONS(sl_op_decode_wav_options_t, \
    .desired_channels = -1, .desired_samples = -1, __VA_ARGS__)))

// EncodeWav(audio: float, sample_rate: int32) -> contents: string
// No gradient.
static inline TF_Output sl_op_encode_wav_with(sl_scope_t *scope, TF_Output audio, TF_Output sample_rate,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EncodeWav", options->name);
  sl_node_input(node, audio);
  sl_node_input(node, sample_rate);
  return sl_node_output(node);
}
#define sl_op_encode_wav(scope, audio, sample_rate, ...) \
  sl_op_encode_wav_with(SL_AT(scope), (audio), (sample_rate), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FFT(input: Tcomplex) -> output: Tcomplex
// Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
static inline TF_Output sl_op_fft_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FFT", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_fft(scope, input, ...) sl_op_fft_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FFT2D(input: Tcomplex) -> output: Tcomplex
// Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
static inline TF_Output sl_op_fft2d_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FFT2D", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_fft2d(scope, input, ...) \
  sl_op_fft2d_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FFT3D(input: Tcomplex) -> output: Tcomplex
// Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
static inline TF_Output sl_op_fft3d_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FFT3D", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_fft3d(scope, input, ...) \
  sl_op_fft3d_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IFFT(input: Tcomplex) -> output: Tcomplex
// Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
static inline TF_Output sl_op_ifft_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IFFT", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_ifft(scope, input, ...) sl_op_ifft_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IFFT2D(input: Tcomplex) -> output: Tcomplex
// Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
static inline TF_Output sl_op_ifft2d_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IFFT2D", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_ifft2d(scope, input, ...) \
  sl_op_ifft2d_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IFFT3D(input: Tcomplex) -> output: Tcomplex
// Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
static inline TF_Output sl_op_ifft3d_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IFFT3D", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_ifft3d(scope, input, ...) \
  sl_op_ifft3d_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IRFFT(input: Tcomplex, fft_length: int32) -> output: Treal
// Treal: {float, double} = DT_FLOAT; Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Treal;
} sl_op_irfft_options_t;
static inline TF_Output sl_op_irfft_with(sl_scope_t *scope, TF_Output input, TF_Output fft_length,
    const sl_op_irfft_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IRFFT", options->name);
  sl_node_input(node, input);
  sl_node_input(node, fft_length);
  if (options->Treal) sl_node_attr_type(node, "Treal", options->Treal);
  return sl_node_output(node);
}
#define sl_op_irfft(scope, input, fft_length, ...) \
  sl_op_irfft_with(SL_AT(scope), (input), (fft_length), SL_OPTIONS(sl_op_irfft_options_t, __VA_ARGS__))

// IRFFT2D(input: Tcomplex, fft_length: int32) -> output: Treal
// Treal: {float, double} = DT_FLOAT; Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Treal;
} sl_op_irfft2d_options_t;
static inline TF_Output sl_op_irfft2d_with(sl_scope_t *scope, TF_Output input, TF_Output fft_length,
    const sl_op_irfft2d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IRFFT2D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, fft_length);
  if (options->Treal) sl_node_attr_type(node, "Treal", options->Treal);
  return sl_node_output(node);
}
#define sl_op_irfft2d(scope, input, fft_length, ...) \
  sl_op_irfft2d_with(SL_AT(scope), (input), (fft_length), SL_OPTIONS(sl_op_irfft2d_options_t, __VA_ARGS__))

// IRFFT3D(input: Tcomplex, fft_length: int32) -> output: Treal
// Treal: {float, double} = DT_FLOAT; Tcomplex: {complex64, complex128} = DT_COMPLEX64
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Treal;
} sl_op_irfft3d_options_t;
static inline TF_Output sl_op_irfft3d_with(sl_scope_t *scope, TF_Output input, TF_Output fft_length,
    const sl_op_irfft3d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IRFFT3D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, fft_length);
  if (options->Treal) sl_node_attr_type(node, "Treal", options->Treal);
  return sl_node_output(node);
}
#define sl_op_irfft3d(scope, input, fft_length, ...) \
  sl_op_irfft3d_with(SL_AT(scope), (input), (fft_length), SL_OPTIONS(sl_op_irfft3d_options_t, __VA_ARGS__))

// Mfcc(spectrogram: float, sample_rate: int32) -> output: float
// upper_frequency_limit: float = 4000; lower_frequency_limit: float = 20; filterbank_channel_count: int = 40;
//   dct_coefficient_count: int = 13
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  float upper_frequency_limit;
  float lower_frequency_limit;
  int64_t filterbank_channel_count;
  int64_t dct_coefficient_count;
} sl_op_mfcc_options_t;
static inline TF_Output sl_op_mfcc_with(sl_scope_t *scope, TF_Output spectrogram, TF_Output sample_rate,
    const sl_op_mfcc_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Mfcc", options->name);
  sl_node_input(node, spectrogram);
  sl_node_input(node, sample_rate);
  sl_node_attr_float(node, "upper_frequency_limit", options->upper_frequency_limit);
  sl_node_attr_float(node, "lower_frequency_limit", options->lower_frequency_limit);
  sl_node_attr_int(node, "filterbank_channel_count", options->filterbank_channel_count);
  sl_node_attr_int(node, "dct_coefficient_count", options->dct_coefficient_count);
  return sl_node_output(node);
}
#define sl_op_mfcc(scope, spectrogram, sample_rate, ...) \
  SL_OVER_DEFAULTS(sl_op_mfcc_with(SL_AT(scope), (spectrogram), (sample_rate), SL_OPTIONS(sl_op_mfcc_options_t, \
    .upper_frequency_limit = (float)4000, .lower_frequency_limit = (float)20, .filterbank_channel_count = 40, \
    .dct_coefficient_count = 13, __VA_ARGS__)))

// RFFT(input: Treal, fft_length: int32) -> output: Tcomplex
// Treal: {float, double} = DT_FLOAT; Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tcomplex;
} sl_op_rfft_options_t;
static inline TF_Output sl_op_rfft_with(sl_scope_t *scope, TF_Output input, TF_Output fft_length,
    const sl_op_rfft_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RFFT", options->name);
  sl_node_input(node, input);
  sl_node_input(node, fft_length);
  if (options->Tcomplex) sl_node_attr_type(node, "Tcomplex", options->Tcomplex);
  return sl_node_output(node);
}
#define sl_op_rfft(scope, input, fft_length, ...) \
  sl_op_rfft_with(SL_AT(scope), (input), (fft_length), SL_OPTIONS(sl_op_rfft_options_t, __VA_ARGS__))

// RFFT2D(input: Treal, fft_length: int32) -> output: Tcomplex
// Treal: {float, double} = DT_FLOAT; Tcomplex: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tcomplex;
} sl_op_rfft2d_options_t;
static inline TF_Output sl_op_rfft2d_with(sl_scope_t *scope, TF_Output input, TF_Output fft_length,
    const sl_op_rfft2d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RFFT2D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, fft_length);
  if (options->Tcomplex) sl_node_attr_type(node, "Tcomplex", options->Tcomplex);
  return sl_node_output(node);
}
#define sl_op_rfft2d(scope, input, fft_length, ...) \
  sl_op_rfft2d_with(SL_AT(scope), (input), (fft_length), SL_OPTIONS(sl_op_rfft2d_options_t, __VA_ARGS__))

// RFFT3D(input: Treal, fft_length: int32) -> output: Tcomplex
// Treal: {float, double} = DT_FLOAT; Tcomplex: {complex64, complex128} = DT_COMPLEX64
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tcomplex;
} sl_op_rfft3d_options_t;
static inline TF_Output sl_op_rfft3d_with(sl_scope_t *scope, TF_Output input, TF_Output fft_length,
    const sl_op_rfft3d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RFFT3D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, fft_length);
  if (options->Tcomplex) sl_node_attr_type(node, "Tcomplex", options->Tcomplex);
  return sl_node_output(node);
}
#define sl_op_rfft3d(scope, input, fft_length, ...) \
  sl_op_rfft3d_with(SL_AT(scope), (input), (fft_length), SL_OPTIONS(sl_op_rfft3d_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_SPECTRAL_H_
