// Batches: a queue that one or more threads fill with elements, and the node that
// dequeues a batch.
#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"
#include "train/input/input_internal.h"

enum { DEFAULT_CAPACITY = 32, MOST_TENSORS = 256, MOST_THREADS = 1024 };

// The differences between the four functions.
typedef struct {
  const char *name;
  const sl_outputs_t *lists;
  size_t list_count;
  int threads;  // per list
  int32_t batch_size;
  int64_t capacity;
  bool shuffles;  // else first in, first out
  int64_t min_after_dequeue;
  sl_batch_options_t options;
} batch_plan_t;

// Empty outputs, one for each tensor that a program may use.
static sl_outputs_t empty_outputs(size_t count) {
  static const TF_Output none[MOST_TENSORS];
  return (sl_outputs_t){count <= MOST_TENSORS ? count : 0, none};
}

static sli_input_store_options_t storing(const batch_plan_t *plan) {
  const sl_batch_options_t *options = &plan->options;
  return (sli_input_store_options_t){options->sparse_at, options->sparse_count, options->enqueue_many,
                                     options->keep_input};
}

static bool check_plan(sl_scope_t *scope, const batch_plan_t *plan) {
  const sl_outputs_t *first = plan->lists;
  if (!plan->list_count || !first->count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Expected at least one tensor in %s().", plan->name);
  else if (first->count > MOST_TENSORS)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: a list must hold at most %d tensors, got %zu", plan->name,
                  MOST_TENSORS, first->count);
  if (plan->batch_size < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: batch_size must be at least 1, got %d", plan->name,
                  plan->batch_size);
  if (plan->threads < 1 || plan->threads > MOST_THREADS)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: num_threads must be 1 to %d, got %d", plan->name, MOST_THREADS,
                  plan->threads);
  if (plan->list_count > MOST_THREADS)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: there must be at most %d lists, got %zu", plan->name, MOST_THREADS,
                  plan->list_count);
  if (plan->min_after_dequeue < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: min_after_dequeue must be at least 0, got %lld", plan->name,
                  (long long)plan->min_after_dequeue);
  if (plan->shuffles && plan->capacity <= plan->min_after_dequeue)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "capacity %lld must be bigger than min_after_dequeue %lld.",
                  (long long)plan->capacity, (long long)plan->min_after_dequeue);
  TF_Output keep = plan->options.keep_input;
  int keep_rank = keep.oper ? sl_static_shape(scope, keep).rank : 0;
  if (keep.oper && sl_dtype(keep) != TF_BOOL)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "keep_input must be a bool, but '%s' is %s", TF_OperationName(keep.oper),
                  sli_tf_type_name(sl_dtype(keep)));
  if (keep_rank < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "`keep_input` dimensions must be known at graph construction.");
  if (keep_rank == 1 && !plan->options.enqueue_many)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "`keep_input` cannot be a vector when `enqueue_many=False`.");
  if (keep_rank > 1) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "`keep_input` must be 0 or 1 dimensions.");
  if (plan->shuffles && plan->options.dynamic_pad)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: dynamic_pad cannot be combined with shuffling", plan->name);
  for (size_t i = 0; i < plan->list_count && sli_scope_ok(scope); i++) {
    const sl_outputs_t *list = &plan->lists[i];
    if (list->count != first->count)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: list %zu must hold %zu tensors like the first, got %zu",
                    plan->name, i, first->count, list->count);
    for (size_t j = 0; j < list->count && sli_scope_ok(scope); j++) {
      if (!list->items[j].oper)
        sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: tensor %zu of list %zu must not be empty", plan->name, j, i);
      else if (sl_dtype(list->items[j]) != sl_dtype(first->items[j]))
        sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Expected types to be consistent: %s vs. %s.",
                      sli_tf_type_name(sl_dtype(first->items[j])), sli_tf_type_name(sl_dtype(list->items[j])));
    }
  }
  sli_input_store_options_t how = storing(plan);
  return sli_scope_ok(scope) && sli_input_check_sparse(scope, *first, &how);
}

// The shape of component |position| of an element. It must have the same rank in all lists.
static sl_shape_t element_shape(sl_scope_t *scope, const batch_plan_t *plan, size_t position) {
  sl_shape_t merged = SL_UNKNOWN_SHAPE;
  for (size_t i = 0; i < plan->list_count; i++) {
    TF_Output tensor = plan->lists[i].items[position];
    sl_shape_t shape = sl_static_shape(scope, tensor);
    if (shape.rank < 0 || (plan->options.enqueue_many && shape.rank == 0)) {
      sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                    shape.rank < 0 ? "Cannot infer Tensor's rank: %s"
                                   : "enqueue_many: '%s' must have rank 1 or more, but is a scalar",
                    TF_OperationName(tensor.oper));
      break;
    }
    if (plan->options.enqueue_many) {
      shape.rank--;
      for (int j = 0; j < shape.rank; j++) shape.dims[j] = shape.dims[j + 1];
    }
    if (i == 0) merged = shape;
    if (shape.rank != merged.rank)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: tensor %zu must have the same rank in all lists, got %d and %d",
                    plan->name, position, merged.rank, shape.rank);
  }
  return merged;
}

static TF_Output make_queue(sl_scope_t *scope, const batch_plan_t *plan) {
  size_t count = plan->lists->count;
  TF_DataType dtypes[MOST_TENSORS];
  sl_shape_t *shapes = sli_calloc(count, sizeof(*shapes));
  for (size_t i = 0; i < count; i++) {
    dtypes[i] = sl_dtype(plan->lists->items[i]);
    shapes[i] = plan->options.shapes ? plan->options.shapes[i] : element_shape(scope, plan, i);
  }
  const sl_queue_options_t *options =
      SL_OPTIONS(sl_queue_options_t, .shapes = shapes, .shared_name = plan->options.shared_name,
                 .min_after_dequeue = plan->min_after_dequeue, .seed = plan->options.seed);
  TF_Output queue = {0};
  if (!sli_scope_ok(scope))
    queue = (TF_Output){0};
  else if (plan->shuffles)
    queue = sl_random_shuffle_queue_with(scope, plan->capacity, dtypes, count, options);
  else if (plan->options.dynamic_pad)
    queue = sl_padding_fifo_queue_with(scope, plan->capacity, dtypes, count, options);
  else
    queue = sl_fifo_queue_with(scope, plan->capacity, dtypes, count, options);
  free(shapes);
  return queue;
}

static TF_Operation *enqueue_list(sl_scope_t *scope, bool many, TF_Output queue, sl_outputs_t list) {
  return many ? sl_queue_enqueue_many_with(scope, queue, list, NULL) : sl_queue_enqueue_with(scope, queue, list, NULL);
}

// What is enqueued only if keep_input is true.
typedef struct {
  bool many;
  TF_Output queue;
  sl_outputs_t list;
} enqueue_offer_t;

static void enqueue_offer(sl_scope_t *scope, void *data, TF_Output *results) {
  const enqueue_offer_t *offer = data;
  results[0] = SL_OPERATION(enqueue_list(scope, offer->many, offer->queue, offer->list));
}

static void skip_offer(sl_scope_t *scope, void *data, TF_Output *results) {
  results[0] = SL_OPERATION(sl_no_op_with(scope, NULL));
}

// The rows of |list| for which |keep| is true; owned by the scope.
static sl_outputs_t chosen_rows(sl_scope_t *scope, sl_outputs_t list, TF_Output keep) {
  TF_Output kept[MOST_TENSORS] = {0}, choice = sl_cast_with(scope, keep, TF_INT32, NULL);
  for (size_t i = 0; i < list.count; i++) {
    sl_node_t *node = sl_node_begin(scope, "DynamicPartition", NULL);
    sl_node_input(node, list.items[i]);
    sl_node_input(node, choice);
    sl_node_attr_int(node, "num_partitions", 2);
    kept[i] = (TF_Output){sl_node_finish(node), 1};
  }
  return sli_scope_copy_outputs(scope, kept, list.count);
}

static TF_Operation *enqueue_kept(sl_scope_t *scope, const batch_plan_t *plan, TF_Output queue, sl_outputs_t list) {
  TF_Output keep = plan->options.keep_input;
  bool many = plan->options.enqueue_many;
  if (keep.oper && sl_static_shape(scope, keep).rank == 0) {
    enqueue_offer_t offer = {many, queue, list};
    return sl_cond_with(scope, keep, enqueue_offer, skip_offer, &offer, 1, NULL).items[0].oper;
  }
  return enqueue_list(scope, many, queue, keep.oper ? chosen_rows(scope, list, keep) : list);
}

static void add_runner(sl_scope_t *scope, const batch_plan_t *plan, TF_Output queue) {
  sli_operations_t enqueues = {0};
  for (size_t i = 0; i < plan->list_count; i++) {
    TF_Operation *operation = enqueue_kept(scope, plan, queue, plan->lists[i]);
    for (int j = 0; j < plan->threads; j++) sli_array_push(&enqueues, operation);
  }
  sl_add_queue_runner(scope, sl_queue_runner_with(scope, queue, enqueues.items, enqueues.count, NULL));
  sli_array_deinitialize(&enqueues);
}

static void add_summary(sl_scope_t *scope, const batch_plan_t *plan, TF_Output queue) {
  TF_Output elements = sl_queue_size_with(scope, queue);
  int64_t capacity = plan->capacity, minimum = plan->min_after_dequeue;
  char *name = plan->shuffles
                   ? sli_format("fraction_over_%lld_of_%lld_full", (long long)minimum, (long long)(capacity - minimum))
                   : sli_format("fraction_of_%lld_full", (long long)capacity);
  if (plan->shuffles) {
    TF_Output above = sli_build_number_right(scope, "Sub", "sub", elements, (double)minimum);
    elements = sli_build_number_left(scope, "Maximum", "Maximum", 0, above);
    capacity -= minimum;
  }
  sli_input_add_fill_summary(scope, name, elements, capacity);
  free(name);
}

// The queue, its runner and its summary.
static TF_Output filled_queue(sl_scope_t *scope, const batch_plan_t *plan) {
  TF_Output queue = make_queue(scope, plan);
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  add_runner(scope, plan, queue);
  add_summary(scope, plan, queue);
  return queue;
}

// The same for lists with sparse tensors: the queue holds their handles.
static TF_Output handle_queue(sl_scope_t *scope, const batch_plan_t *plan, sli_input_component_t *components) {
  sli_input_store_options_t how = storing(plan);
  batch_plan_t stored = *plan;
  sl_outputs_t *lists = sli_calloc(plan->list_count, sizeof(*lists));
  sl_shape_t *shapes = sli_calloc(plan->lists->count, sizeof(*shapes));
  for (size_t i = 0; i < plan->list_count && sli_scope_ok(scope); i++)
    lists[i] = sli_input_store_sparse(scope, plan->lists[i], &how, i == 0, components);
  for (size_t i = 0, given = 0; i < lists->count; i++) {
    shapes[i] = components[i].is_sparse ? SL_SHAPE(1) : plan->options.shapes ? plan->options.shapes[given] : shapes[i];
    given += components[i].is_sparse ? 3 : 1;
  }
  stored.lists = lists;
  if (plan->options.shapes) stored.options.shapes = shapes;
  TF_Output queue = sli_scope_ok(scope) ? filled_queue(scope, &stored) : (TF_Output){0};
  free(lists);
  free(shapes);
  return queue;
}

static sl_outputs_t build_batch(sl_scope_t *scope, const batch_plan_t *plan) {
  size_t count = plan->list_count ? plan->lists->count : 0;
  sl_outputs_t batch = empty_outputs(count);
  if (!check_plan(scope, plan)) return batch;
  bool is_sparse = plan->options.sparse_count > 0;
  sli_input_component_t components[MOST_TENSORS] = {0};
  SL_NAME_SCOPE (scope, "%s", plan->options.name ? plan->options.name : plan->name) {
    char *whole = sli_build_scope_node_name(scope);
    if (!plan->options.keep_input.oper)
      sli_build_constant_fill(scope, TF_BOOL, SL_SHAPE(), 1, "Const");  // as in Python
    TF_Output queue = is_sparse ? handle_queue(scope, plan, components) : filled_queue(scope, plan);
    if (sli_scope_ok(scope)) {
      const sl_op_options_t *name = SL_OP_OPTIONS(.name = whole);
      batch = plan->options.allow_smaller_final_batch
                  ? sl_queue_dequeue_up_to_with(scope, queue, plan->batch_size, name)
                  : sl_queue_dequeue_many_with(scope, queue, plan->batch_size, name);
      if (is_sparse) batch = sli_input_restore_sparse(scope, batch, components);
    }
    free(whole);
  }
  return sli_scope_ok(scope) ? batch : empty_outputs(count);
}

// The plan of a function that does not shuffle.
static batch_plan_t make_plan(const char *name, const sl_outputs_t *lists, size_t count, int32_t batch_size,
                              const sl_batch_options_t *given) {
  SLI_CALL_OPTIONS(sl_batch_options_t, options, given);
  return (batch_plan_t){.name = name,
                        .lists = lists,
                        .list_count = count,
                        .threads = options.num_threads ? options.num_threads : 1,
                        .batch_size = batch_size,
                        .capacity = options.capacity ? options.capacity : DEFAULT_CAPACITY,
                        .options = options};
}

static sl_outputs_t build_shuffled(sl_scope_t *scope, batch_plan_t plan, int64_t capacity, int64_t min_after_dequeue) {
  plan.shuffles = true;
  plan.capacity = capacity;
  plan.min_after_dequeue = min_after_dequeue;
  return build_batch(scope, &plan);
}

sl_outputs_t sl_batch_with(sl_scope_t *scope, sl_outputs_t tensors, int32_t batch_size,
                           const sl_batch_options_t *options) {
  batch_plan_t plan = make_plan("batch", &tensors, 1, batch_size, options);
  return build_batch(scope, &plan);
}

sl_outputs_t sl_batch_join_with(sl_scope_t *scope, const sl_outputs_t *lists, size_t count, int32_t batch_size,
                                const sl_batch_options_t *options) {
  batch_plan_t plan = make_plan("batch_join", lists, count, batch_size, options);
  plan.threads = 1;
  return build_batch(scope, &plan);
}

sl_outputs_t sl_shuffle_batch_with(sl_scope_t *scope, sl_outputs_t tensors, int32_t batch_size, int64_t capacity,
                                   int64_t min_after_dequeue, const sl_batch_options_t *options) {
  batch_plan_t plan = make_plan("shuffle_batch", &tensors, 1, batch_size, options);
  return build_shuffled(scope, plan, capacity, min_after_dequeue);
}

sl_outputs_t sl_shuffle_batch_join_with(sl_scope_t *scope, const sl_outputs_t *lists, size_t count, int32_t batch_size,
                                        int64_t capacity, int64_t min_after_dequeue,
                                        const sl_batch_options_t *options) {
  batch_plan_t plan = make_plan("shuffle_batch_join", lists, count, batch_size, options);
  plan.threads = 1;
  return build_shuffled(scope, plan, capacity, min_after_dequeue);
}
