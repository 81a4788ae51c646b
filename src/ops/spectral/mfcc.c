// Mfcc: mel-frequency cepstral coefficients of spectrograms of squared magnitudes. Triangular filters at equal
// distances on the mel scale, logarithms of their outputs, and the first coefficients of a cosine transform.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

typedef struct {
  float lower, upper;
  int64_t channels, coefficients;
} mfcc_options_t;

// The filters and the cosines, for spectra of |bins| elements.
typedef struct {
  int64_t bins, channels, coefficients, first, last;  // bins that count
  double *weights;                                    // of each bin for channel |band|; the rest goes to the next
  int32_t *band;
  double *cosines;  // [coefficients, channels]
} mfcc_filters_t;

static double mel(double frequency) { return 1127.0 * log1p(frequency / 700.0); }

static sli_status_t *read_options(const sli_node_def_t *node, mfcc_options_t *options) {
  SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "upper_frequency_limit", &options->upper));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "lower_frequency_limit", &options->lower));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "filterbank_channel_count", &options->channels));
  return sli_node_attr_int(node, "dct_coefficient_count", &options->coefficients);
}

static void filters_deinitialize(mfcc_filters_t *filters) {
  free(filters->weights);
  free(filters->band);
  free(filters->cosines);
}

static void fill_bands(mfcc_filters_t *filters, const double *centers, double low, double step) {
  int64_t channel = 0;
  for (int64_t i = 0; i < filters->bins; i++) {
    filters->band[i] = -2;
    filters->weights[i] = 0;
    if (i < filters->first || i > filters->last) continue;
    double at = mel((double)i * step);
    while (channel < filters->channels && centers[channel] < at) channel++;
    double left = channel ? centers[channel - 1] : low, right = centers[channel];
    filters->band[i] = (int32_t)channel - 1;
    filters->weights[i] = (right - at) / (right - left);
  }
}

static sli_status_t *filters_initialize(mfcc_filters_t *filters, const mfcc_options_t *options, int64_t bins,
                                        int32_t sample_rate) {
  int64_t channels = options->channels;
  *filters = (mfcc_filters_t){.bins = bins, .channels = channels, .coefficients = options->coefficients};
  if (channels < 1 || channels > INT32_MAX - 1 || sample_rate <= 0 || bins < 2 || options->lower < 0 ||
      !(options->upper > options->lower) || options->coefficients < 1 || options->coefficients > channels)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Mfcc initialization failed for channel count %lld and sample rate %d",
                           (long long)bins, sample_rate);
  double low = mel(options->lower), spacing = (mel(options->upper) - low) / (double)(channels + 1);
  double step = 0.5 * sample_rate / (double)(bins - 1);
  double first = 1.5 + options->lower / step, last = options->upper / step;
  filters->first = first < (double)bins ? (int64_t)first : bins;
  filters->last = last < 2147483647.0 ? (int64_t)last : INT32_MAX;
  double *centers = sli_malloc_or_null((size_t)(channels + 1) * sizeof(double));
  filters->weights = sli_malloc_or_null((size_t)bins * sizeof(double));
  filters->band = sli_malloc_or_null((size_t)bins * sizeof(int32_t));
  filters->cosines = sli_malloc_or_null((size_t)(filters->coefficients * channels) * sizeof(double));
  if (!centers || !filters->weights || !filters->band || !filters->cosines) {
    free(centers);
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when allocating %lld filters of %lld coefficients",
                           (long long)channels, (long long)filters->coefficients);
  }
  for (int64_t c = 0; c <= channels; c++) centers[c] = low + spacing * (double)(c + 1);
  fill_bands(filters, centers, low, step);
  free(centers);
  double norm = sqrt(2.0 / (double)channels), angle = M_PI / (double)channels;
  for (int64_t k = 0; k < filters->coefficients; k++)
    for (int64_t c = 0; c < channels; c++)
      filters->cosines[k * channels + c] = norm * cos((double)k * angle * ((double)c + 0.5));
  return NULL;
}

// |energies| has room for the channels. A spectrum that does not reach the upper limit gives zeros.
static void apply(const mfcc_filters_t *filters, const float *spectrum, double *energies, float *out) {
  bool too_short = filters->bins <= filters->last;
  for (int64_t c = 0; c < filters->channels; c++) energies[c] = 0;
  for (int64_t i = filters->first; i <= filters->last && !too_short; i++) {
    double value = sqrt((double)spectrum[i]), weighted = value * filters->weights[i];
    int64_t channel = filters->band[i];
    if (channel >= 0) energies[channel] += weighted;
    if (channel + 1 < filters->channels) energies[channel + 1] += value - weighted;
  }
  for (int64_t c = 0; c < filters->channels; c++) energies[c] = log(energies[c] < 1e-12 ? 1e-12 : energies[c]);
  for (int64_t k = 0; k < filters->coefficients; k++) {
    double sum = 0;
    for (int64_t c = 0; c < filters->channels && !too_short; c++)
      sum += filters->cosines[k * filters->channels + c] * energies[c];
    out[k] = (float)sum;
  }
}

static sli_status_t *wrong_shape(const char *text, const sli_tensor_t *tensor, const char *rest) {
  char *shape = sli_shape_to_text(sli_tensor_shape(tensor));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s%s%s", text, shape, rest);
  free(shape);
  return status;
}

static sli_status_t *mfcc(sli_kernel_context_t *context) {
  mfcc_options_t options;
  mfcc_filters_t filters;
  sli_tensor_t *input = sli_kernel_input(context, 0), *rate = sli_kernel_input(context, 1), *output;
  SLI_RETURN_IF_ERROR(read_options(context->node, &options));
  if (input->rank != 3) return wrong_shape("spectrogram must be 3-dimensional", input, "");
  if (rate->rank != 0) return wrong_shape("Input sample_rate should be a scalar tensor, got ", rate, " instead.");
  sli_status_t *status = filters_initialize(&filters, &options, input->dims[2], *SLI_DATA(int32_t, rate));
  double *energies = NULL;
  if (status) goto cleanup;
  int64_t dims[] = {input->dims[0], input->dims[1], filters.coefficients};
  status = sli_kernel_allocate_output(context, 0, (sli_shape_t){3, dims}, &output);
  if (status) goto cleanup;
  energies = sli_malloc_or_null((size_t)filters.channels * sizeof(double));
  if (!energies) {
    status = sli_tensor_out_of_memory(SLI_DTYPE_DOUBLE, (sli_shape_t){1, &filters.channels}, "host memory");
    goto cleanup;
  }
  for (int64_t i = 0; i < dims[0] * dims[1]; i++)
    apply(&filters, SLI_DATA(float, input) + i * filters.bins, energies,
          SLI_DATA(float, output) + i * filters.coefficients);
cleanup:
  free(energies);
  filters_deinitialize(&filters);
  return status;
}

static sli_status_t *mfcc_shape(sli_infer_context_t *c) {
  sli_shape_t input, rate;
  mfcc_options_t options;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 3, &input));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &rate));
  SLI_RETURN_IF_ERROR(read_options(c->node, &options));
  if (options.coefficients < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "dct_coefficient_count must be non-negative, got %lld",
                           (long long)options.coefficients);
  int64_t dims[] = {sli_infer_dim(input, 0), sli_infer_dim(input, 1), options.coefficients};
  sli_infer_set_output(c, 0, sli_infer_make(c, 3, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Mfcc",
     .inputs = "spectrogram: float, sample_rate: int32",
     .outputs = "output: float",
     .attrs = "upper_frequency_limit: float = 4000; lower_frequency_limit: float = 20; "
              "filterbank_channel_count: int = 40; dct_coefficient_count: int = 13",
     .shape = mfcc_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Mfcc", .compute = mfcc, .expensive = true, .cost = 5},
};

SLI_OP_MODULE(mfcc);
