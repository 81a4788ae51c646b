// Batches: one queue that one or more threads fill with elements, and the node
// that takes a batch out.
#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/input_internal.h"
#include "train/ops_internal.h"
#include "train/options_internal.h"
#include "train/scope_internal.h"
#include "train/tensor.h"

enum { DEFAULT_CAPACITY = 32, MOST_TENSORS = 256, MOST_THREADS = 1024 };

// What the four functions differ in.
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
} plan_t;

// Nothing, but a program may ask for any tensor of it.
static sl_outputs_t nothing(size_t count) {
  static const TF_Output none[MOST_TENSORS];
  return (sl_outputs_t){count <= MOST_TENSORS ? count : 0, none};
}

static sli_storing_t storing(const plan_t *plan) {
  const sl_batch_options_t *options = &plan->options;
  return (sli_storing_t){options->sparse_at, options->sparse_count, options->enqueue_many, options->keep_input};
}

static bool check(sl_scope_t *scope, const plan_t *plan) {
  const sl_outputs_t *first = plan->lists;
  if (!plan->list_count || !first->count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Expected at least one tensor in %s().", plan->name);
  else if (first->count > MOST_TENSORS)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: %zu tensors are too many", plan->name, first->count);
  if (plan->threads < 1 || plan->threads > MOST_THREADS || plan->list_count > MOST_THREADS)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: 1 to %d threads can enqueue", plan->name, MOST_THREADS);
  if (plan->min_after_dequeue < 0) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "min_after_dequeue must not be negative");
  if (plan->shuffles && plan->capacity <= plan->min_after_dequeue)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "capacity %lld must be bigger than min_after_dequeue %lld.",
                  (long long)plan->capacity, (long long)plan->min_after_dequeue);
  TF_Output keep = plan->options.keep_input;
  int keep_rank = keep.oper ? sl_static_shape(scope, keep).rank : 0;
  if (keep.oper && sl_dtype(keep) != TF_BOOL)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "keep_input must be a bool, but '%s' is %s", TF_OperationName(keep.oper),
                  sli_type_name(sl_dtype(keep)));
  if (keep_rank < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "`keep_input` dimensions must be known at graph construction.");
  if (keep_rank == 1 && !plan->options.enqueue_many)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "`keep_input` cannot be a vector when `enqueue_many=False`.");
  if (keep_rank > 1) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "`keep_input` must be 0 or 1 dimensions.");
  if (plan->shuffles && plan->options.dynamic_pad)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: a queue that shuffles does not pad", plan->name);
  for (size_t i = 0; i < plan->list_count && sli_scope_ok(scope); i++) {
    const sl_outputs_t *list = &plan->lists[i];
    if (list->count != first->count)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: list %zu has %zu tensors, the first one %zu", plan->name, i,
                    list->count, first->count);
    for (size_t j = 0; j < list->count && sli_scope_ok(scope); j++) {
      if (!list->items[j].oper)
        sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: tensor %zu of list %zu is empty", plan->name, j, i);
      else if (sl_dtype(list->items[j]) != sl_dtype(first->items[j]))
        sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Expected types to be consistent: %s vs. %s.",
                      sli_type_name(sl_dtype(first->items[j])), sli_type_name(sl_dtype(list->items[j])));
    }
  }
  sli_storing_t how = storing(plan);
  return sli_scope_ok(scope) && sli_input_check_sparse(scope, *first, &how);
}

// The shape of an element's part |position|, which all lists must fit.
static sl_shape_t element_shape(sl_scope_t *scope, const plan_t *plan, size_t position) {
  sl_shape_t merged = SL_UNKNOWN_SHAPE;
  for (size_t i = 0; i < plan->list_count; i++) {
    TF_Output tensor = plan->lists[i].items[position];
    sl_shape_t shape = sl_static_shape(scope, tensor);
    if (shape.rank < 0 || (plan->options.enqueue_many && shape.rank == 0)) {
      sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                    shape.rank < 0 ? "Cannot infer Tensor's rank: %s" : "%s has no rows to enqueue",
                    TF_OperationName(tensor.oper));
      break;
    }
    if (plan->options.enqueue_many) {
      shape.rank--;
      for (int j = 0; j < shape.rank; j++) shape.dims[j] = shape.dims[j + 1];
    }
    if (i == 0) merged = shape;
    if (shape.rank != merged.rank)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: the tensors %zu of the lists have different ranks", plan->name,
                    position);
  }
  return merged;
}

static TF_Output make_queue(sl_scope_t *scope, const plan_t *plan) {
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

static TF_Operation *enqueue(sl_scope_t *scope, bool many, TF_Output queue, sl_outputs_t list) {
  return many ? sl_queue_enqueue_many_with(scope, queue, list, NULL) : sl_queue_enqueue_with(scope, queue, list, NULL);
}

// What is enqueued only if the program wants it.
typedef struct {
  bool many;
  TF_Output queue;
  sl_outputs_t list;
} offer_t;

static void take(sl_scope_t *scope, void *data, TF_Output *results) {
  const offer_t *offer = data;
  results[0] = SL_OPERATION(enqueue(scope, offer->many, offer->queue, offer->list));
}

static void drop(sl_scope_t *scope, void *data, TF_Output *results) {
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
  return sli_scope_outputs(scope, kept, list.count);
}

static TF_Operation *enqueue_kept(sl_scope_t *scope, const plan_t *plan, TF_Output queue, sl_outputs_t list) {
  TF_Output keep = plan->options.keep_input;
  bool many = plan->options.enqueue_many;
  if (keep.oper && sl_static_shape(scope, keep).rank == 0) {
    offer_t offer = {many, queue, list};
    return sl_cond_with(scope, keep, take, drop, &offer, 1, NULL).items[0].oper;
  }
  return enqueue(scope, many, queue, keep.oper ? chosen_rows(scope, list, keep) : list);
}

static void add_runner(sl_scope_t *scope, const plan_t *plan, TF_Output queue) {
  sli_operations_t enqueues = {0};
  for (size_t i = 0; i < plan->list_count; i++) {
    TF_Operation *operation = enqueue_kept(scope, plan, queue, plan->lists[i]);
    for (int j = 0; j < plan->threads; j++) sli_array_push(&enqueues, operation);
  }
  sl_add_queue_runner(scope, sl_queue_runner_with(scope, queue, enqueues.items, enqueues.count, NULL));
  sli_array_deinitialize(&enqueues);
}

static void add_summary(sl_scope_t *scope, const plan_t *plan, TF_Output queue) {
  TF_Output elements = sl_queue_size(scope, queue);
  int64_t capacity = plan->capacity, minimum = plan->min_after_dequeue;
  char *name = plan->shuffles
                   ? sli_format("fraction_over_%lld_of_%lld_full", (long long)minimum, (long long)(capacity - minimum))
                   : sli_format("fraction_of_%lld_full", (long long)capacity);
  if (plan->shuffles) {
    TF_Output above = sli_number_right(scope, "Sub", "sub", elements, (double)minimum);
    elements = sli_number_left(scope, "Maximum", "Maximum", 0, above);
    capacity -= minimum;
  }
  sli_input_fill_summary(scope, name, elements, capacity);
  free(name);
}

// The queue with what fills it.
static TF_Output filled_queue(sl_scope_t *scope, const plan_t *plan) {
  TF_Output queue = make_queue(scope, plan);
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  add_runner(scope, plan, queue);
  add_summary(scope, plan, queue);
  return queue;
}

// The same for lists with sparse tensors: the queue gets their handles.
static TF_Output handle_queue(sl_scope_t *scope, const plan_t *plan, sli_component_t *components) {
  sli_storing_t how = storing(plan);
  plan_t stored = *plan;
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

static sl_outputs_t build(sl_scope_t *scope, const plan_t *plan) {
  size_t count = plan->list_count ? plan->lists->count : 0;
  sl_outputs_t batch = nothing(count);
  if (!check(scope, plan)) return batch;
  bool is_sparse = plan->options.sparse_count > 0;
  sli_component_t components[MOST_TENSORS] = {0};
  SL_NAME_SCOPE (scope, "%s", plan->options.name ? plan->options.name : plan->name) {
    char *whole = sli_scope_own_name(scope);
    if (!plan->options.keep_input.oper) sli_constant_fill(scope, TF_BOOL, SL_SHAPE(), 1, "Const");  // Python's
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
  return sli_scope_ok(scope) ? batch : nothing(count);
}

// A plan without what the shuffling ones have.
static plan_t plan_of(const char *name, const sl_outputs_t *lists, size_t count, int32_t batch_size,
                      const sl_batch_options_t *given) {
  SLI_READ_OPTIONS(sl_batch_options_t, options, given);
  return (plan_t){.name = name,
                  .lists = lists,
                  .list_count = count,
                  .threads = options.num_threads ? options.num_threads : 1,
                  .batch_size = batch_size,
                  .capacity = options.capacity ? options.capacity : DEFAULT_CAPACITY,
                  .options = options};
}

static sl_outputs_t build_shuffled(sl_scope_t *scope, plan_t plan, int64_t capacity, int64_t min_after_dequeue) {
  plan.shuffles = true;
  plan.capacity = capacity;
  plan.min_after_dequeue = min_after_dequeue;
  return build(scope, &plan);
}

sl_outputs_t sl_batch_with(sl_scope_t *scope, sl_outputs_t tensors, int32_t batch_size,
                           const sl_batch_options_t *options) {
  plan_t plan = plan_of("batch", &tensors, 1, batch_size, options);
  return build(scope, &plan);
}

sl_outputs_t sl_batch_join_with(sl_scope_t *scope, const sl_outputs_t *lists, size_t count, int32_t batch_size,
                                const sl_batch_options_t *options) {
  plan_t plan = plan_of("batch_join", lists, count, batch_size, options);
  plan.threads = 1;
  return build(scope, &plan);
}

sl_outputs_t sl_shuffle_batch_with(sl_scope_t *scope, sl_outputs_t tensors, int32_t batch_size, int64_t capacity,
                                   int64_t min_after_dequeue, const sl_batch_options_t *options) {
  plan_t plan = plan_of("shuffle_batch", &tensors, 1, batch_size, options);
  return build_shuffled(scope, plan, capacity, min_after_dequeue);
}

sl_outputs_t sl_shuffle_batch_join_with(sl_scope_t *scope, const sl_outputs_t *lists, size_t count, int32_t batch_size,
                                        int64_t capacity, int64_t min_after_dequeue,
                                        const sl_batch_options_t *options) {
  plan_t plan = plan_of("shuffle_batch_join", lists, count, batch_size, options);
  plan.threads = 1;
  return build_shuffled(scope, plan, capacity, min_after_dequeue);
}
