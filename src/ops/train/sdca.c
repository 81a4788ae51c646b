// SdcaOptimizer, V2: one pass of stochastic dual coordinate ascent over a batch of examples, for linear models with L1
// and L2 regularization (S. Shalev-Shwartz and T. Zhang, "Accelerated proximal stochastic dual coordinate ascent",
// 2012; with several partitions, C. Ma et al., "Adding vs. averaging in distributed primal-dual optimization", 2015).
// SdcaShrinkL1 applies the L1 part to the weights afterwards.
//
// Examples are visited in random order, or with "adaptive" more often the further they are from their optimum
// (D. Csiba et al., "Stochastic dual coordinate ascent with adaptive probabilities", 2015). One thread does a pass.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/random.h"
#include "core/op/shape_inference.h"
#include "ops/train/sdca_loss.h"

typedef struct {
  const sli_sdca_loss_t *loss;
  bool adaptive;
  int64_t sparse, sparse_with_values, dense, partitions;
  float l1, l2;
} sdca_options_t;

// The inputs, by group, and the outputs. A sparse feature is a run of the entries of its column.
typedef struct {
  const sdca_options_t *options;
  sli_kernel_context_t *context;
  const sli_tensor_t *weights, *labels;
  int64_t examples;
  double shrinkage;
  sli_map_t *places;    // one for each sparse feature: from an index to its place in the weights, plus 1
  int64_t **starts;     // [sparse][examples + 1]: where the entries of each example begin
  int64_t **entries;    // [sparse][entries]: places in the weights
  double *norms;        // squared, of each example
  sli_tensor_t *state;  // [examples, 4]
  sli_tensor_t **sparse_deltas, **dense_deltas;
} sdca_t;

static const sli_tensor_t *input_of(const sdca_t *s, int group, int64_t i) {
  const sdca_options_t *o = s->options;
  const int64_t counts[] = {o->sparse, o->sparse, o->sparse_with_values, o->dense, 1, 1, o->sparse, o->sparse,
                            o->dense,  1};
  int64_t at = i;
  for (int g = 0; g < group; g++) at += counts[g];
  return sli_kernel_input(s->context, (int)at);
}
enum {
  EXAMPLE_INDICES,
  FEATURE_INDICES,
  FEATURE_VALUES,
  DENSE_FEATURES,
  WEIGHTS,
  LABELS,
  SPARSE_INDICES,
  SPARSE_WEIGHTS,
  DENSE_WEIGHTS,
  STATE
};

static double shrink(const sdca_t *s, double weight) {
  double rest = fabs(weight) - s->shrinkage;
  return rest > 0 ? copysign(rest, weight) : 0;
}

static double entry_value(const sdca_t *s, int64_t feature, int64_t entry) {
  if (feature >= s->options->sparse_with_values) return 1;
  return SLI_DATA(float, input_of(s, FEATURE_VALUES, feature))[entry];
}

// The model's output for an example with the weights before and after this pass.
static void predict(const sdca_t *s, int64_t example, double *out_before, double *out_now) {
  *out_before = *out_now = 0;
  for (int64_t f = 0; f < s->options->sparse; f++) {
    const float *weights = SLI_DATA(float, input_of(s, SPARSE_WEIGHTS, f));
    const float *deltas = SLI_DATA(float, s->sparse_deltas[f]);
    for (int64_t e = s->starts[f][example]; e < s->starts[f][example + 1]; e++) {
      int64_t at = s->entries[f][e];
      double value = entry_value(s, f, e);
      *out_before += value * shrink(s, weights[at]);
      *out_now += value * shrink(s, weights[at] + deltas[at] * (double)s->options->partitions);
    }
  }
  for (int64_t f = 0; f < s->options->dense; f++) {
    const sli_tensor_t *features = input_of(s, DENSE_FEATURES, f);
    int64_t width = features->dims[1];
    const float *row = SLI_DATA(float, features) + example * width;
    const float *weights = SLI_DATA(float, input_of(s, DENSE_WEIGHTS, f));
    const float *deltas = SLI_DATA(float, s->dense_deltas[f]);
    for (int64_t d = 0; d < width; d++) {
      *out_before += row[d] * shrink(s, weights[d]);
      *out_now += row[d] * shrink(s, weights[d] + deltas[d] * (double)s->options->partitions);
    }
  }
}

static void add_to_weights(const sdca_t *s, int64_t example, double step) {
  for (int64_t f = 0; f < s->options->sparse; f++)
    for (int64_t e = s->starts[f][example]; e < s->starts[f][example + 1]; e++)
      SLI_DATA(float, s->sparse_deltas[f])[s->entries[f][e]] += (float)(entry_value(s, f, e) * step);
  for (int64_t f = 0; f < s->options->dense; f++) {
    const sli_tensor_t *features = input_of(s, DENSE_FEATURES, f);
    int64_t width = features->dims[1];
    const float *row = SLI_DATA(float, features) + example * width;
    for (int64_t d = 0; d < width; d++) SLI_DATA(float, s->dense_deltas[f])[d] += row[d] * (float)step;
  }
}

static sli_status_t *train_on(const sdca_t *s, int64_t example) {
  const sdca_options_t *o = s->options;
  float *state = SLI_DATA(float, s->state) + 4 * example, label = SLI_DATA(float, s->labels)[example];
  double weight = SLI_DATA(float, s->weights)[example], dual = state[0], before, now;
  SLI_RETURN_IF_ERROR(o->loss->convert_label(&label));
  predict(s, example, &before, &now);
  double norm = s->norms[example] / o->l2;
  double updated = o->loss->updated_dual((double)o->partitions, label, weight, dual, now, norm);
  add_to_weights(s, example, (updated - dual) * weight / o->l2);
  state[0] = (float)updated;
  state[1] = (float)o->loss->primal(before, label, weight);
  state[2] = (float)o->loss->dual(dual, label, weight);
  state[3] = (float)weight;
  return NULL;
}

static double random_fraction(void) { return (double)(sli_random_u64() >> 11) * 0x1p-53; }

static void order_at_random(int64_t *order, int64_t count) {
  for (int64_t i = 0; i < count; i++) order[i] = i;
  for (int64_t i = count - 1; i > 0; i--) {
    int64_t j = (int64_t)(sli_random_u64() % (uint64_t)(i + 1)), kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

// Draws examples by probability. One that was drawn k times before is kept with probability 10^-k. After as many
// refusals as there are examples, those that were not drawn follow.
static sli_status_t *order_by_need(const sdca_t *s, int64_t *order) {
  const sdca_options_t *o = s->options;
  int64_t count = s->examples, filled = 0, refused = 0;
  double *sums = sli_malloc_or_null((size_t)count * sizeof(double)), total = 0;
  int *drawn = sli_malloc_or_null((size_t)count * sizeof(int));
  sli_status_t *status = NULL;
  if (!sums || !drawn)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when ordering %lld examples", (long long)count);
  for (int64_t i = 0; i < count && !status; i++) {
    float label = SLI_DATA(float, s->labels)[i];
    double before, now;
    status = o->loss->convert_label(&label);
    predict(s, i, &before, &now);
    double residual = SLI_DATA(float, s->state)[4 * i] + o->loss->derivative(now, label, 1);
    double need = SLI_DATA(float, s->weights)[i] * sqrt(s->norms[i] + o->l2 * o->loss->smoothness) * fabs(residual);
    sums[i] = total += need > 0 && isfinite(need) ? need : 0;
    drawn[i] = 0;
  }
  while (!status && filled < count && refused < count && total > 0) {
    double at = random_fraction() * total;
    int64_t low = 0, high = count - 1;
    while (low < high) {
      int64_t middle = (low + high) / 2;
      if (at < sums[middle])
        high = middle;
      else
        low = middle + 1;
    }
    if (random_fraction() > pow(0.1, drawn[low])) {
      refused++;
      continue;
    }
    drawn[low]++;
    order[filled++] = low;
  }
  for (int64_t i = 0; i < count && !status && filled < count; i++)
    if (drawn[i] == 0) order[filled++] = i;
  while (!status && filled < count) order[filled++] = (int64_t)(sli_random_u64() % (uint64_t)count);
  free(sums);
  free(drawn);
  return status;
}

// --- The inputs ----------------------------------------------------------------------------------

static sli_view_t key_of(const int64_t *index) { return sli_view_of((const char *)index, sizeof(*index)); }

// The entries of one sparse feature: sorted by example, each index once in an example.
static sli_status_t *read_sparse(sdca_t *s, int64_t f) {
  const sli_tensor_t *examples = input_of(s, EXAMPLE_INDICES, f), *indices = input_of(s, FEATURE_INDICES, f);
  const sli_tensor_t *known = input_of(s, SPARSE_INDICES, f), *weights = input_of(s, SPARSE_WEIGHTS, f);
  bool valued = f < s->options->sparse_with_values;
  if (examples->count != indices->count || (valued && input_of(s, FEATURE_VALUES, f)->count != indices->count))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Sparse feature %lld has %lld example indices and %lld feature indices; both, and its "
                           "values, must be as many",
                           (long long)f, (long long)examples->count, (long long)indices->count);
  if (known->count != weights->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Sparse feature %lld has %lld indices but %lld weights", (long long)f,
                           (long long)known->count, (long long)weights->count);
  for (int64_t i = 0; i < known->count; i++)
    sli_map_set(&s->places[f], key_of(&SLI_DATA(int64_t, known)[i]), (void *)(intptr_t)(i + 1));
  s->starts[f] = sli_malloc_or_null((size_t)(s->examples + 1) * sizeof(int64_t));
  s->entries[f] = sli_malloc_or_null((size_t)(indices->count + 1) * sizeof(int64_t));
  int64_t *last_seen = sli_malloc_or_null((size_t)(known->count + 1) * sizeof(int64_t));
  if (!s->starts[f] || !s->entries[f] || !last_seen) {
    free(last_seen);
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when reading sparse feature %lld", (long long)f);
  }
  for (int64_t i = 0; i < known->count; i++) last_seen[i] = -1;
  sli_status_t *status = NULL;
  int64_t e = 0;
  for (int64_t example = 0; example < s->examples; example++) {
    s->starts[f][example] = e;
    for (; !status && e < examples->count && SLI_DATA(int64_t, examples)[e] == example; e++) {
      const int64_t *index = &SLI_DATA(int64_t, indices)[e];
      int64_t at = (int64_t)(intptr_t)sli_map_get(&s->places[f], key_of(index)) - 1;
      if (at < 0) {
        status = sli_status_make(SLI_INVALID_ARGUMENT, "Found sparse feature indices out of valid range: %lld",
                                 (long long)*index);
      } else if (last_seen[at] == example) {
        status = sli_status_make(SLI_INVALID_ARGUMENT, "Duplicate index in sparse vector.");
      } else {
        last_seen[at] = example;
        s->entries[f][e] = at;
        double value = entry_value(s, f, e);
        s->norms[example] += value * value;
      }
    }
  }
  s->starts[f][s->examples] = e;
  free(last_seen);
  return status;
}

static sli_status_t *read_dense(sdca_t *s, int64_t f) {
  const sli_tensor_t *features = input_of(s, DENSE_FEATURES, f), *weights = input_of(s, DENSE_WEIGHTS, f);
  if (features->rank != 2 || features->dims[0] != s->examples)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dense feature %lld must have shape [%lld, ?], got %s", (long long)f,
                           (long long)s->examples, sli_tensor_shape_text(features).text);
  int64_t width = features->dims[1];
  if (width > weights->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "More dense features than we have parameters for: %lld",
                           (long long)width);
  for (int64_t i = 0; i < s->examples * width; i++) {
    double value = SLI_DATA(float, features)[i];
    s->norms[i / width] += value * value;
  }
  return NULL;
}

static sli_status_t *allocate_outputs(sdca_t *s) {
  const sli_tensor_t *state = input_of(s, STATE, 0);
  int index = 0;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(s->context, index++, sli_tensor_shape(state), &s->state));
  memcpy(s->state->data, state->data, sli_tensor_bytes(state));
  for (int group = 0; group < 2; group++) {
    int64_t count = group ? s->options->dense : s->options->sparse;
    for (int64_t f = 0; f < count; f++) {
      sli_tensor_t **deltas = group ? &s->dense_deltas[f] : &s->sparse_deltas[f];
      sli_shape_t shape = sli_tensor_shape(input_of(s, group ? DENSE_WEIGHTS : SPARSE_WEIGHTS, f));
      SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(s->context, index++, shape, deltas));
      memset((*deltas)->data, 0, sli_tensor_bytes(*deltas));
    }
  }
  return NULL;
}

static sli_status_t *read_inputs(sdca_t *s) {
  const sli_tensor_t *state = input_of(s, STATE, 0);
  s->weights = input_of(s, WEIGHTS, 0);
  s->labels = input_of(s, LABELS, 0);
  s->examples = s->weights->count;
  if (s->labels->count != s->examples)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected %lld example labels but got %lld", (long long)s->examples,
                           (long long)s->labels->count);
  if (state->rank != 2 || state->dims[0] != s->examples || state->dims[1] != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected shape [%lld,4] for example_state_data, got %s",
                           (long long)s->examples, sli_tensor_shape_text(state).text);
  s->norms = sli_malloc_or_null((size_t)(s->examples + 1) * sizeof(double));
  if (!s->norms)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when training on %lld examples", (long long)s->examples);
  for (int64_t i = 0; i < s->examples; i++) s->norms[i] = 0;
  for (int64_t f = 0; f < s->options->sparse; f++) SLI_RETURN_IF_ERROR(read_sparse(s, f));
  for (int64_t f = 0; f < s->options->dense; f++) SLI_RETURN_IF_ERROR(read_dense(s, f));
  return allocate_outputs(s);
}

static sli_status_t *train(sdca_t *s) {
  SLI_RETURN_IF_ERROR(read_inputs(s));
  int64_t *order = sli_malloc_or_null((size_t)(s->examples + 1) * sizeof(*order));
  sli_status_t *status = NULL;
  if (!order)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when ordering %lld examples", (long long)s->examples);
  else if (s->options->adaptive)
    status = order_by_need(s, order);
  else
    order_at_random(order, s->examples);
  for (int64_t i = 0; i < s->examples && !status; i++) status = train_on(s, order[i]);
  free(order);
  return status;
}

static sli_status_t *sdca_optimizer(sli_kernel_context_t *context) {
  const sdca_options_t *options = sli_kernel_state(context);
  size_t sparse = (size_t)options->sparse, dense = (size_t)options->dense;
  sdca_t s = {.options = options,
              .context = context,
              .shrinkage = (double)(options->l1 / options->l2),
              .places = sli_calloc(sparse + 1, sizeof(*s.places)),
              .starts = sli_calloc(sparse + 1, sizeof(*s.starts)),
              .entries = sli_calloc(sparse + 1, sizeof(*s.entries)),
              .sparse_deltas = sli_calloc(sparse + 1, sizeof(*s.sparse_deltas)),
              .dense_deltas = sli_calloc(dense + 1, sizeof(*s.dense_deltas))};
  sli_status_t *status = train(&s);
  for (size_t f = 0; f < sparse; f++) {
    sli_map_deinitialize(&s.places[f]);
    free(s.starts[f]);
    free(s.entries[f]);
  }
  free(s.places);
  free(s.starts);
  free(s.entries);
  free(s.norms);
  free(s.sparse_deltas);
  free(s.dense_deltas);
  return status;
}

static sli_status_t *sdca_create(const sli_kernel_setup_t *setup, void **out_state) {
  sdca_options_t options = {0};
  sli_view_t loss;
  *out_state = NULL;
  const sli_node_def_t *node = setup->node;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "loss_type", &loss));
  SLI_RETURN_IF_ERROR(
      sli_node_attr_bool(node, sli_node_attr(node, "adaptive") ? "adaptive" : "adaptative", &options.adaptive));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_sparse_features", &options.sparse));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_sparse_features_with_values", &options.sparse_with_values));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_dense_features", &options.dense));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_loss_partitions", &options.partitions));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "l1", &options.l1));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "l2", &options.l2));
  options.loss = sli_sdca_loss_named(loss);
  if (!options.loss) return sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported loss type: %.*s", SLI_VIEW_ARG(loss));
  if (options.sparse + options.dense <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Requires at least one feature to train.");
  if (options.sparse_with_values > options.sparse)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_sparse_features_with_values must be at most %lld, got %lld",
                           (long long)options.sparse, (long long)options.sparse_with_values);
  *out_state = sli_memdup(&options, sizeof(options));
  return NULL;
}

// --- SdcaShrinkL1 --------------------------------------------------------------------------------

static sli_status_t *shrink_variable(sli_variable_t *variable, double shrinkage) {
  sli_tensor_t *old, *tensor = NULL;
  SLI_RETURN_IF_ERROR(sli_variable_read_initialized(variable, &old));
  sli_status_t *status = sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, old->dims, old->rank, &tensor);
  for (int64_t i = 0; !status && i < old->count; i++) {
    float weight = SLI_DATA(float, old)[i], rest = fabsf(weight) - (float)shrinkage;
    SLI_DATA(float, tensor)[i] = rest > 0 ? copysignf(rest, weight) : 0;
  }
  sli_tensor_release(old);
  if (!status) sli_variable_replace(variable, tensor);
  return status;
}

static sli_status_t *sdca_shrink(sli_kernel_context_t *context) {
  float l1, l2;
  SLI_RETURN_IF_ERROR(sli_node_attr_float(context->node, "l1", &l1));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(context->node, "l2", &l2));
  for (int i = 0; i < context->input_count; i++) {
    sli_variable_t *variable = sli_kernel_input_variable(context, i);
    sli_mutex_lock(&variable->mutex);
    sli_status_t *status = shrink_variable(variable, (double)(l1 / l2));
    sli_mutex_unlock(&variable->mutex);
    if (status) return status;
  }
  return NULL;
}

static sli_status_t *sdca_shape(sli_infer_context_t *c) {
  int64_t sparse, with_values, dense, dims[] = {-1, 4};
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_sparse_features", &sparse));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_sparse_features_with_values", &with_values));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_dense_features", &dense));
  int64_t weights = 2 * sparse + with_values + dense + 2 + sparse;  // then those of dense features
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, dims));
  for (int64_t i = 0; i < sparse + dense; i++)
    sli_infer_set_output(c, (int)(1 + i), sli_infer_input(c, (int)(weights + i)));
  return NULL;
}

#define SDCA_ROW(op_name, adaptive)                                                                                  \
  {                                                                                                                  \
    .name = op_name,                                                                                                 \
    .inputs =                                                                                                        \
        "sparse_example_indices: num_sparse_features * int64, sparse_feature_indices: num_sparse_features * "        \
        "int64, sparse_feature_values: num_sparse_features_with_values * float, dense_features: "                    \
        "num_dense_features * float, example_weights: float, example_labels: float, sparse_indices: "                \
        "num_sparse_features * int64, sparse_weights: num_sparse_features * float, dense_weights: "                  \
        "num_dense_features * float, example_state_data: float",                                                     \
    .outputs =                                                                                                       \
        "out_example_state_data: float, out_delta_sparse_weights: num_sparse_features * float, "                     \
        "out_delta_dense_weights: num_dense_features * float",                                                       \
    .attrs =                                                                                                         \
        "loss_type: {'logistic_loss', 'squared_loss', 'hinge_loss', 'smooth_hinge_loss', 'poisson_loss'}; " adaptive \
        ": bool = false; num_sparse_features: int >= 0; num_sparse_features_with_values: int >= 0; "                 \
        "num_dense_features: int >= 0; l1: float; l2: float; num_loss_partitions: int >= 1; "                        \
        "num_inner_iterations: int >= 1",                                                                            \
    .shape = sdca_shape, .not_differentiable = true                                                                  \
  }
static const sli_op_def_t ops[] = {
    SDCA_ROW("SdcaOptimizer", "adaptative"),
    SDCA_ROW("SdcaOptimizerV2", "adaptive"),
    {.name = "SdcaShrinkL1",
     .inputs = "weights: Ref(num_features * float)",
     .attrs = "num_features: int >= 0; l1: float; l2: float",
     .shape = sli_infer_fn_none,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "SdcaOptimizer",
     .compute = sdca_optimizer,
     .create = sdca_create,
     .destroy = free,
     .expensive = true,
     .cost = 10},
    {.op = "SdcaOptimizerV2",
     .compute = sdca_optimizer,
     .create = sdca_create,
     .destroy = free,
     .expensive = true,
     .cost = 10},
    {.op = "SdcaShrinkL1", .compute = sdca_shrink},
};

SLI_OP_MODULE(sdca);
