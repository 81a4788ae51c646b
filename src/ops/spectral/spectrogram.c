// AudioSpectrogram: magnitudes of the frequencies of overlapping windows (Hann's), computed in double.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/fft.h"

static int64_t power_of_two_at_least(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

typedef struct {
  int64_t window, stride;
  bool squared;
} spectrogram_options_t;

static sli_status_t *read_options(const sli_node_def_t *node, spectrogram_options_t *options) {
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "window_size", &options->window));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "stride", &options->stride));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "magnitude_squared", &options->squared));
  if (options->window < 2 || options->window > INT32_MAX / 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "window size must be in [2, 2^29), got: %lld",
                           (long long)options->window);
  if (options->stride < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "stride must be strictly positive, got: %lld",
                           (long long)options->stride);
  return NULL;
}

static int64_t count_windows(const spectrogram_options_t *options, int64_t samples) {
  return samples < options->window ? 0 : 1 + (samples - options->window) / options->stride;
}

typedef struct {
  const spectrogram_options_t *options;
  const sli_tensor_t *input;
  float *out;
  int64_t length, windows;  // of the transform; of each channel
  const double *window;
  bool out_of_memory;
} spectrogram_work_t;

static void spectrogram_range(void *context, int64_t begin, int64_t end) {
  spectrogram_work_t *work = context;
  int64_t length = work->length, width = length / 2 + 1, window = work->options->window;
  double *frame = sli_malloc_or_null((size_t)(length + 2 * width) * sizeof(double)), *spectrum = frame + length;
  sli_status_t *status = NULL;
  sli_fft_t fft = {.is_double = true, .batch = 1, .rank = 1, .dims = {length}, .in_dims = {length}};
  for (int64_t w = begin; w < end && frame && !status; w++) {
    int64_t channels = work->input->dims[1], channel = w / work->windows;
    int64_t first = w % work->windows * work->options->stride;
    const float *samples = SLI_DATA(float, work->input) + first * channels + channel;
    for (int64_t i = 0; i < window; i++) frame[i] = (double)samples[i * channels] * work->window[i];
    memset(frame + window, 0, (size_t)(length - window) * sizeof(double));
    status = sli_fft_real(NULL, &fft, frame, spectrum);
    float *row = work->out + w * width;
    for (int64_t i = 0; i < width && !status; i++) {
      float power = (float)(spectrum[2 * i] * spectrum[2 * i] + spectrum[2 * i + 1] * spectrum[2 * i + 1]);
      row[i] = work->options->squared ? power : sqrtf(power);
    }
  }
  if (!frame || status) __atomic_store_n(&work->out_of_memory, true, __ATOMIC_RELAXED);
  sli_status_release(status);
  free(frame);
}

static sli_status_t *spectrogram(sli_kernel_context_t *context) {
  spectrogram_options_t options;
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  SLI_RETURN_IF_ERROR(read_options(context->node, &options));
  if (input->rank != 2) {
    char *text = sli_shape_to_text(sli_tensor_shape(input));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "input must be 2-dimensional%s", text);
    free(text);
    return status;
  }
  int64_t samples = input->dims[0], channels = input->dims[1], windows = count_windows(&options, samples);
  spectrogram_work_t work = {
      .options = &options, .input = input, .length = power_of_two_at_least(options.window), .windows = windows};
  int64_t dims[] = {channels, windows, work.length / 2 + 1};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){3, dims}, &output));
  if (output->count == 0) return NULL;
  double *window = sli_malloc_or_null((size_t)options.window * sizeof(double));
  if (!window) return sli_tensor_out_of_memory(SLI_DTYPE_DOUBLE, (sli_shape_t){1, &options.window}, "host memory");
  for (int64_t i = 0; i < options.window; i++)
    window[i] = 0.5 - 0.5 * cos(2 * M_PI * (double)i / (double)options.window);
  work.window = window;
  work.out = SLI_DATA(float, output);
  sli_parallel_for(sli_kernel_pool(context), channels * windows, (double)work.length * 20, spectrogram_range, &work);
  free(window);
  return work.out_of_memory ? sli_tensor_out_of_memory(SLI_DTYPE_DOUBLE, (sli_shape_t){3, dims}, "host memory") : NULL;
}

static sli_status_t *spectrogram_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  spectrogram_options_t options;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &input));
  SLI_RETURN_IF_ERROR(read_options(c->node, &options));
  int64_t samples = sli_infer_dim(input, 0);
  int64_t dims[] = {sli_infer_dim(input, 1), samples < 0 ? -1 : count_windows(&options, samples),
                    1 + power_of_two_at_least(options.window) / 2};
  sli_infer_set_output(c, 0, sli_infer_make(c, 3, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "AudioSpectrogram",
     .inputs = "input: float",
     .outputs = "spectrogram: float",
     .attrs = "window_size: int; stride: int; magnitude_squared: bool = false",
     .shape = spectrogram_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "AudioSpectrogram", .compute = spectrogram, .expensive = true, .cost = 20},
};

SLI_OP_MODULE(spectrogram);
