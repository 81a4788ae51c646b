// The ops of tables of embeddings that run on the worker. EmbeddingRoute sorts the ids of all features of a step by
// task and table, each id once, into one request for each task; EmbeddingCombine makes the features from the replies,
// and its gradient sums the gradients of equal ids, in the layout of the replies. A place, of an id, says where its row
// is: the task in the upper 16 bits, the first element in the reply below.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/named_resource.h"
#include "ops/embedding/embedding_order.h"

enum { TASK_SHIFT = 48, MAX_TASKS = 1 << 15 };
#define OFFSET_MASK ((INT64_C(1) << TASK_SHIFT) - 1)

// ---- EmbeddingRoute --------------------------------------------------------------

typedef struct {
  uint64_t key;
  uint32_t group;  // task * tables + table
  int64_t place;
} unique_t;

typedef struct {
  const int64_t *tables, *dims;  // of the features, of the tables
  size_t features, table_count, tasks;
  unique_t *uniques;
  size_t count;
  uint32_t *index;  // open addressing: the number in |uniques| + 1
  size_t mask;
  size_t *sizes;  // of each group
} route_t;

static uint32_t find_unique(route_t *route, uint64_t key, uint32_t table) {
  uint64_t hash = sli_embedding_hash(key);
  uint32_t group = (uint32_t)(((unsigned __int128)hash * route->tasks >> 64) * route->table_count) + table;
  size_t at = (size_t)(hash + table * UINT64_C(0x9e3779b97f4a7c15)) & route->mask;
  for (uint32_t entry; (entry = route->index[at]); at = (at + 1) & route->mask) {
    const unique_t *unique = &route->uniques[entry - 1];
    if (unique->key == key && unique->group == group) return entry - 1;
  }
  route->uniques[route->count] = (unique_t){.key = key, .group = group};
  route->index[at] = (uint32_t)++route->count;
  route->sizes[group]++;
  return (uint32_t)route->count - 1;
}

// Allocates the requests and writes their numbers of keys, then the keys; sets the places.
static sli_status_t *write_requests(sli_kernel_context_t *context, route_t *route) {
  size_t groups = route->tasks * route->table_count;
  int64_t **next = sli_calloc(groups, sizeof(*next)), *offsets = sli_calloc(groups, sizeof(*offsets));
  sli_status_t *status = NULL;
  for (size_t task = 0; task < route->tasks && !status; task++) {
    const size_t *sizes = &route->sizes[task * route->table_count];
    int64_t total = (int64_t)route->table_count, offset = (int64_t)((uint64_t)task << TASK_SHIFT);
    for (size_t i = 0; i < route->table_count; i++) total += (int64_t)sizes[i];
    sli_tensor_t *request;
    status = sli_kernel_allocate_output(context, (int)task, (sli_shape_t){1, &total}, &request);
    int64_t *to = status ? NULL : (int64_t *)request->data + route->table_count;
    for (size_t i = 0; i < route->table_count && !status; i++) {
      size_t group = task * route->table_count + i;
      ((int64_t *)request->data)[i] = (int64_t)sizes[i];
      next[group] = to;
      offsets[group] = offset;
      to += sizes[i];
      offset += (int64_t)sizes[i] * route->dims[i];
    }
  }
  for (size_t i = 0; i < route->count && !status; i++) {
    unique_t *unique = &route->uniques[i];
    *next[unique->group]++ = (int64_t)unique->key;
    unique->place = offsets[unique->group];
    offsets[unique->group] += route->dims[unique->group % route->table_count];
  }
  free(next);
  free(offsets);
  return status;
}

static sli_status_t *route_run(sli_kernel_context_t *context, route_t *route, sli_tensor_t **places) {
  for (size_t f = 0; f < route->features; f++) {
    const sli_tensor_t *ids = sli_kernel_input(context, (int)f);
    for (int64_t i = 0; i < ids->count; i++)
      SLI_DATA(int64_t, places[f])[i] = find_unique(route, SLI_DATA(uint64_t, ids)[i], (uint32_t)route->tables[f]);
  }
  SLI_RETURN_IF_ERROR(write_requests(context, route));
  for (size_t f = 0; f < route->features; f++)
    for (int64_t i = 0; i < places[f]->count; i++)
      SLI_DATA(int64_t, places[f])[i] = route->uniques[SLI_DATA(int64_t, places[f])[i]].place;
  return NULL;
}

static sli_status_t *route_attrs(const sli_node_def_t *node, route_t *out_route) {
  const sli_attr_t *tables, *dims;
  int64_t tasks;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "tables", SLI_ATTR_INT, &tables));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "dims", SLI_ATTR_INT, &dims));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "P", &tasks));
  *out_route = (route_t){.tables = tables->list.i,
                         .dims = dims->list.i,
                         .features = (size_t)node->input_count,
                         .table_count = dims->count,
                         .tasks = (size_t)tasks};
  if (tables->count != out_route->features || !dims->count || tasks > MAX_TASKS)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "tables must have %d elements, dims at least 1, and P must be at most %d, got %zu, %zu and %lld",
        node->input_count, MAX_TASKS, tables->count, dims->count, (long long)tasks);
  for (size_t i = 0; i < dims->count; i++)
    if (dims->list.i[i] < 1 || dims->list.i[i] > 1 << 20)
      return sli_status_make(SLI_INVALID_ARGUMENT, "dims must be 1 to %d, got %lld", 1 << 20,
                             (long long)dims->list.i[i]);
  for (size_t i = 0; i < tables->count; i++)
    if (tables->list.i[i] < 0 || (size_t)tables->list.i[i] >= dims->count)
      return sli_status_make(SLI_INVALID_ARGUMENT, "tables must be 0 to %zu, got %lld", dims->count - 1,
                             (long long)tables->list.i[i]);
  return NULL;
}

static sli_status_t *route_compute(sli_kernel_context_t *context) {
  route_t route;
  SLI_RETURN_IF_ERROR(route_attrs(context->node, &route));
  size_t total = 0;
  sli_tensor_t **places = sli_calloc(route.features, sizeof(*places));
  sli_status_t *status = NULL;
  for (size_t f = 0; f < route.features && !status; f++) {
    const sli_tensor_t *ids = sli_kernel_input(context, (int)f);
    total += (size_t)ids->count;
    status = sli_kernel_allocate_output(context, (int)(route.tasks + f), (sli_shape_t){1, &ids->count}, &places[f]);
  }
  if (!status && total >= UINT32_MAX / 2)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "a step may have at most %u ids, got %zu", UINT32_MAX / 2, total);
  if (!status) {
    for (route.mask = 15; route.mask < 2 * total; route.mask = 2 * route.mask + 1) continue;
    route.uniques = sli_malloc((total ? total : 1) * sizeof(*route.uniques));
    route.index = sli_calloc(route.mask + 1, sizeof(*route.index));
    route.sizes = sli_calloc(route.tasks * route.table_count, sizeof(*route.sizes));
    status = route_run(context, &route, places);
  }
  free(route.uniques);
  free(route.index);
  free(route.sizes);
  free(places);
  return status;
}

static sli_status_t *route_shape(sli_infer_context_t *c) {
  for (int i = 0; i < c->node->output_count; i++) sli_infer_set_output(c, i, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

// ---- EmbeddingCombine and its gradient -------------------------------------------

typedef enum { SUM, MEAN, SQRTN } combiner_t;

// One feature: its ids, each of an example.
typedef struct {
  const int64_t *places;
  const int64_t *indices;  // [count, rank]: the first is the example; NULL: each example has |each| ids
  int64_t count, rank, each;
  const float *weights;  // NULL: 1
  int64_t dim;
  combiner_t combiner;
  sli_tensor_t *value;  // [batch, dim]: the feature, or its gradient
  float *factors;       // of each example: what its sum is multiplied by; NULL: 1
} feature_t;

typedef struct {
  sli_tensor_t **replies;  // of each task: the rows, or their gradients
  size_t tasks;
  feature_t *features;
  size_t count;
  int64_t batch;
} combine_t;

static int64_t example_of(const feature_t *feature, int64_t i) {
  return feature->indices ? feature->indices[i * feature->rank] : i / feature->each;
}
static float weight_of(const feature_t *feature, int64_t i) { return feature->weights ? feature->weights[i] : 1; }
static float *row_of(const combine_t *combine, int64_t place) {
  return (float *)combine->replies[place >> TASK_SHIFT]->data + (place & OFFSET_MASK);
}

static sli_status_t *check_ids(const combine_t *combine, const feature_t *feature, size_t number) {
  for (int64_t i = 0; i < feature->count; i++) {
    int64_t task = feature->places[i] >> TASK_SHIFT, offset = feature->places[i] & OFFSET_MASK;
    if (task < 0 || (size_t)task >= combine->tasks || offset + feature->dim > combine->replies[task]->count)
      return sli_status_make(SLI_INVALID_ARGUMENT, "place %lld of feature %zu is not in the rows", (long long)i,
                             number);
    int64_t example = example_of(feature, i);
    if (example < 0 || example >= combine->batch)
      return sli_status_make(SLI_INVALID_ARGUMENT, "id %lld of feature %zu is of example %lld, but the batch has %lld",
                             (long long)i, number, (long long)example, (long long)combine->batch);
  }
  return NULL;
}

static sli_status_t *set_factors(sli_kernel_context_t *context, const combine_t *combine, feature_t *feature) {
  if (feature->combiner == SUM) return NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, combine->batch, sizeof(float)));
  feature->factors = sli_calloc((size_t)combine->batch + 1, sizeof(float));
  for (int64_t i = 0; i < feature->count; i++) {
    float weight = weight_of(feature, i);
    feature->factors[example_of(feature, i)] += feature->combiner == MEAN ? weight : weight * weight;
  }
  for (int64_t i = 0; i < combine->batch; i++) {
    float total = feature->combiner == MEAN ? feature->factors[i] : sqrtf(feature->factors[i]);
    feature->factors[i] = total != 0 ? 1 / total : 0;  // an example without ids is zeros
  }
  return NULL;
}

static sli_status_t *read_feature(sli_kernel_context_t *context, const combine_t *combine, size_t number, int first,
                                  const sli_attr_t *dims, const sli_attr_t *combiners, feature_t *out_feature) {
  int count = (int)combine->count;
  const sli_tensor_t *places = sli_kernel_input(context, first + (int)number);
  const sli_tensor_t *indices = sli_kernel_input(context, first + count + (int)number);
  const sli_tensor_t *weights = sli_kernel_input(context, first + 2 * count + (int)number);
  int64_t ids = places->count;
  *out_feature = (feature_t){.places = places->data,
                             .count = ids,
                             .dim = dims->list.i[number],
                             .weights = weights->count ? weights->data : NULL};
  sli_view_t combiner = combiners->list.s[number];
  out_feature->combiner = sli_view_is(combiner, "mean") ? MEAN : sli_view_is(combiner, "sqrtn") ? SQRTN : SUM;
  if (weights->count && weights->count != ids)
    return sli_status_make(SLI_INVALID_ARGUMENT, "feature %zu has %lld ids and %lld weights", number, (long long)ids,
                           (long long)weights->count);
  if (indices->count) {
    out_feature->indices = indices->data;
    out_feature->rank = indices->rank == 2 ? indices->dims[1] : 1;
    if (indices->rank < 1 || indices->rank > 2 || indices->dims[0] != ids)
      return sli_status_make(SLI_INVALID_ARGUMENT, "feature %zu has %lld ids and indices of shape %s", number,
                             (long long)ids, sli_tensor_shape_text(indices).text);
  } else if (ids) {
    if (!combine->batch || ids % combine->batch)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "feature %zu has %lld ids without indices, which must be a multiple of the batch of %lld",
                             number, (long long)ids, (long long)combine->batch);
    out_feature->each = ids / combine->batch;
  }
  SLI_RETURN_IF_ERROR(check_ids(combine, out_feature, number));
  return set_factors(context, combine, out_feature);
}

// Reads |combine->count| features, whose places are at input |first|, then their indices and weights.
static sli_status_t *read_features(sli_kernel_context_t *context, combine_t *combine, int first) {
  const sli_attr_t *dims, *combiners;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "dims", SLI_ATTR_INT, &dims));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "combiners", SLI_ATTR_STRING, &combiners));
  if (dims->count != combine->count || combiners->count != combine->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "dims and combiners must have %zu elements, got %zu and %zu",
                           combine->count, dims->count, combiners->count);
  for (size_t i = 0; i < combine->count; i++) {
    if (dims->list.i[i] < 1 || dims->list.i[i] > 1 << 20)
      return sli_status_make(SLI_INVALID_ARGUMENT, "dims must be 1 to %d, got %lld", 1 << 20,
                             (long long)dims->list.i[i]);
    SLI_RETURN_IF_ERROR(read_feature(context, combine, i, first, dims, combiners, &combine->features[i]));
  }
  return NULL;
}

static void combine_deinitialize(combine_t *combine) {
  for (size_t i = 0; i < combine->count; i++) free(combine->features[i].factors);
  free(combine->features);
  free(combine->replies);
}

static void set_zeros(sli_tensor_t *tensor) {
  if (tensor->count) memset(tensor->data, 0, sli_tensor_bytes(tensor));
}

static void combine_features(void *context, int64_t begin, int64_t end) {
  combine_t *combine = context;
  for (int64_t f = begin; f < end; f++) {
    feature_t *feature = &combine->features[f];
    float *values = feature->value->data;
    int64_t dim = feature->dim;
    set_zeros(feature->value);
    for (int64_t i = 0; i < feature->count; i++) {
      int64_t example = example_of(feature, i);
      float weight = weight_of(feature, i) * (feature->factors ? feature->factors[example] : 1);
      const float *restrict row = row_of(combine, feature->places[i]);
      float *restrict to = values + example * dim;
      for (int64_t j = 0; j < dim; j++) to[j] += weight * row[j];
    }
  }
}

static double cost_of(const combine_t *combine) {
  double elements = 0;
  for (size_t i = 0; i < combine->count; i++)
    elements += (double)combine->features[i].count * (double)combine->features[i].dim;
  return elements * 0.3;
}

static sli_status_t *combine_compute(sli_kernel_context_t *context) {
  int64_t tasks, count, batch;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "P", &tasks));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "F", &count));
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, context->input_count - 1, "batch", &batch));
  if (batch < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "batch must be at least 0, got %lld", (long long)batch);
  combine_t combine = {.tasks = (size_t)tasks,
                       .count = (size_t)count,
                       .batch = batch,
                       .replies = sli_calloc((size_t)tasks, sizeof(sli_tensor_t *)),
                       .features = sli_calloc((size_t)count, sizeof(feature_t))};
  for (int i = 0; i < (int)tasks; i++) combine.replies[i] = sli_kernel_input(context, i);
  sli_status_t *status = read_features(context, &combine, (int)tasks);
  for (size_t i = 0; i < combine.count && !status; i++) {
    int64_t dims[] = {batch, combine.features[i].dim};
    status = sli_kernel_allocate_output(context, (int)i, (sli_shape_t){2, dims}, &combine.features[i].value);
  }
  if (!status)
    sli_parallel_for(sli_kernel_pool(context), count, cost_of(&combine) / (double)count, combine_features, &combine);
  combine_deinitialize(&combine);
  return status;
}

// Each task's gradients are summed by one thread.
static void sum_gradients(void *context, int64_t begin, int64_t end) {
  combine_t *combine = context;
  for (int64_t t = begin; t < end; t++) set_zeros(combine->replies[t]);
  for (size_t f = 0; f < combine->count; f++) {
    const feature_t *feature = &combine->features[f];
    const float *gradients = feature->value->data;
    int64_t dim = feature->dim;
    for (int64_t i = 0; i < feature->count; i++) {
      int64_t task = feature->places[i] >> TASK_SHIFT;
      if (task < begin || task >= end) continue;
      int64_t example = example_of(feature, i);
      float weight = weight_of(feature, i) * (feature->factors ? feature->factors[example] : 1);
      const float *restrict from = gradients + example * dim;
      float *restrict to = row_of(combine, feature->places[i]);
      for (int64_t j = 0; j < dim; j++) to[j] += weight * from[j];
    }
  }
}

static sli_status_t *check_gradient(const combine_t *combine, size_t number) {
  const sli_tensor_t *gradient = combine->features[number].value;
  if (gradient->rank == 2 && gradient->dims[0] == combine->batch && gradient->dims[1] == combine->features[number].dim)
    return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "the gradient of feature %zu must have shape [%lld,%lld], got %s",
                         number, (long long)combine->batch, (long long)combine->features[number].dim,
                         sli_tensor_shape_text(gradient).text);
}

static sli_status_t *combine_grad_compute(sli_kernel_context_t *context) {
  int64_t tasks, count;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "P", &tasks));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "F", &count));
  const sli_tensor_t *first = sli_kernel_input(context, 0);
  combine_t combine = {.tasks = (size_t)tasks,
                       .count = (size_t)count,
                       .batch = first->rank ? first->dims[0] : 0,
                       .replies = sli_calloc((size_t)tasks, sizeof(sli_tensor_t *)),
                       .features = sli_calloc((size_t)count, sizeof(feature_t))};
  sli_status_t *status = NULL;
  for (int i = 0; i < (int)tasks && !status; i++)
    status = sli_kernel_allocate_output(context, i, sli_tensor_shape(sli_kernel_input(context, (int)count + i)),
                                        &combine.replies[i]);
  if (!status) status = read_features(context, &combine, (int)(count + tasks));
  for (size_t i = 0; i < combine.count && !status; i++) {
    combine.features[i].value = sli_kernel_input(context, (int)i);
    status = check_gradient(&combine, i);
  }
  if (!status)
    sli_parallel_for(sli_kernel_pool(context), tasks, cost_of(&combine) / (double)tasks, sum_gradients, &combine);
  combine_deinitialize(&combine);
  return status;
}

static sli_status_t *combine_gradient(sli_gradient_builder_t *b) {
  const sli_attr_t *tasks = sli_node_attr(b->node, "P"), *count = sli_node_attr(b->node, "F");
  const sli_attr_t *dims = sli_node_attr(b->node, "dims"), *combiners = sli_node_attr(b->node, "combiners");
  size_t features = (size_t)count->i, total = 4 * features + (size_t)tasks->i;
  sli_output_t *inputs = sli_calloc(total, sizeof(*inputs));
  for (size_t i = 0; i < features; i++) inputs[i] = sli_gradient_of_output(b, (int)i);
  for (size_t i = features; i < total; i++) inputs[i] = sli_gradient_input(b, (int)(i - features));
  sli_output_t gradients =
      sli_gradient_emit(b, "EmbeddingCombineGrad", inputs, total,
                        SLI_ATTRS(SLI_ATTR_INT_OF("P", tasks->i), SLI_ATTR_INT_OF("F", count->i),
                                  ((sli_attr_entry_t){"dims", *dims}), ((sli_attr_entry_t){"combiners", *combiners})));
  for (int i = 0; i < (int)tasks->i; i++) sli_gradient_set(b, i, sli_output_at(gradients, i));
  free(inputs);
  return NULL;
}

static sli_status_t *combine_shape(sli_infer_context_t *c) {
  const sli_attr_t *dims;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(c->node, "dims", SLI_ATTR_INT, &dims));
  const sli_tensor_t *constant = sli_infer_input_constant(c, c->node->input_count - 1);
  int64_t batch = constant && constant->count == 1 ? sli_tensor_int_at(constant, 0) : -1;
  for (int i = 0; i < c->node->output_count; i++)
    sli_infer_set_output(
        c, i,
        sli_infer_make(c, 2, (int64_t[]){batch < 0 ? -1 : batch, (size_t)i < dims->count ? dims->list.i[i] : -1}));
  return NULL;
}

static sli_status_t *combine_grad_shape(sli_infer_context_t *c) {
  const sli_attr_t *count = sli_node_attr(c->node, "F");
  for (int i = 0; i < c->node->output_count; i++) sli_infer_set_output(c, i, sli_infer_input(c, (int)count->i + i));
  return NULL;
}

// ---- Tables ----------------------------------------------------------------------

#define FEATURES "P: int >= 1; F: int >= 1; dims: list(int); combiners: list(string)"
#define PLACES "places: F * int64, indices: F * int64, weights: F * float"

static const sli_op_def_t ops[] = {
    {.name = "EmbeddingRoute",
     .inputs = "ids: F * int64",
     .outputs = "requests: P * int64, places: F * int64",
     .attrs = "F: int >= 1; P: int >= 1; tables: list(int); dims: list(int)",
     .summary = "Requests for the rows of all ids of a step, one for each task, and where the row of each id will be.",
     .shape = route_shape,
     .not_differentiable = true},
    {.name = "EmbeddingCombine",
     .inputs = "rows: P * float, " PLACES ", batch: int64",
     .outputs = "features: F * float",
     .attrs = FEATURES,
     .summary = "For each feature and example the sum, mean or sum by the square root of the rows of its ids.",
     .shape = combine_shape,
     .gradient = combine_gradient},
    {.name = "EmbeddingCombineGrad",
     .inputs = "gradients: F * float, rows: P * float, " PLACES,
     .outputs = "sums: P * float",
     .attrs = FEATURES,
     .summary = "The gradients of the rows of EmbeddingCombine.",
     .shape = combine_grad_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "EmbeddingRoute", .compute = route_compute, .expensive = true, .cost = 4},
    {.op = "EmbeddingCombine", .compute = combine_compute, .expensive = true},
    {.op = "EmbeddingCombineGrad", .compute = combine_grad_compute, .expensive = true},
};

SLI_OP_MODULE(embedding_route);
