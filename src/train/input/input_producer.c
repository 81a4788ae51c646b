// Producers: a queue and the node that enqueues all elements of a tensor, shuffled
// again in each run. A counter limits the number of epochs.
#include <stdlib.h>

#include "sluice/summary.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"
#include "train/input/input_internal.h"

enum { DEFAULT_CAPACITY = 32 };

void sli_input_add_fill_summary(sl_scope_t *scope, const char *name, TF_Output elements, int64_t capacity) {
  TF_Output number = sl_cast_with(scope, elements, TF_FLOAT, NULL);
  TF_Output share = sli_build_number_right(scope, "Mul", "mul", number, 1.0 / (double)capacity);
  sl_summary_scalar_with(scope, name, share);
}

TF_Output sl_limit_epochs_with(sl_scope_t *scope, TF_Output tensor, int64_t num_epochs,
                               const sl_op_options_t *options) {
  static const char *const local[] = {SL_LOCAL_VARIABLES};
  if (num_epochs < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "num_epochs must be > 0 not %lld.", (long long)num_epochs);
  if (num_epochs <= 0) return tensor;
  TF_Output limited = {0};
  SL_NAME_SCOPE (scope, "%s", options && options->name ? options->name : "limit_epochs") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output zero = sli_build_constant_fill(scope, TF_INT64, SL_SHAPE(), 0, "Const");
    TF_Output epochs = sl_variable_with(scope, zero,
                                        SL_OPTIONS(sl_variable_options_t, .name = "epochs", .not_trainable = true,
                                                   .collections = local, .collection_count = 1));
    const sl_variable_info_t *info = sli_train_variable_require(scope, epochs, "sl_limit_epochs");
    TF_Operation *counter = NULL;
    if (info) {
      SL_COLOCATE_WITH(scope, info->reference.oper) {
        sl_node_t *node = sl_node_begin(scope, "CountUpTo", NULL);
        sl_node_input(node, info->reference);
        sl_node_attr_int(node, "limit", num_epochs);
        counter = sl_node_finish(node);
      }
    }
    if (counter) {
      SL_CONTROL_DEPENDENCIES (scope, counter) {
        limited = sl_unary(scope, "Identity", tensor, SL_OP_OPTIONS(.name = whole));
      }
    }
    free(whole);
  }
  return limited;
}

// The shape of a row of |tensor|. If it is not known, sets an error in the scope and returns false.
static bool find_element_shape(sl_scope_t *scope, TF_Output tensor, const sl_shape_t *given, sl_shape_t *out_shape) {
  sl_shape_t whole = sl_static_shape(scope, tensor);
  *out_shape = SL_UNKNOWN_SHAPE;
  if (!tensor.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_input_producer: tensor must not be empty");
  if (whole.rank == 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_input_producer: tensor must have rank 1 or more, but is a scalar");
  if (whole.rank > 0) {
    out_shape->rank = whole.rank - 1;
    for (int i = 1; i < whole.rank; i++) out_shape->dims[i - 1] = whole.dims[i];
  }
  if (given && !sli_tf_shape_fits(*out_shape, *given) && !sli_tf_shape_fits(*given, *out_shape)) {
    char *own = sli_tf_shape_format(*out_shape), *other = sli_tf_shape_format(*given);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Shapes %s and %s are not compatible", own, other);
    free(own);
    free(other);
  }
  if (given && sli_tf_shape_elements(*out_shape) < 0) *out_shape = *given;
  if (sli_scope_ok(scope) && sli_tf_shape_elements(*out_shape) < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified");
  return sli_scope_ok(scope);
}

static TF_Output shuffled(sl_scope_t *scope, TF_Output tensor, int64_t seed) {
  sl_node_t *node = sl_node_begin(scope, "RandomShuffle", NULL);
  sl_node_input(node, tensor);
  sli_build_seeds(scope, node, seed);
  return sl_node_output(node);
}

// Builds the queue |name| and its runner in the current name scope.
static TF_Output produce(sl_scope_t *scope, TF_Output tensor, const char *name, const char *summary_name,
                         const sl_producer_options_t *options) {
  sl_shape_t shape;
  if (!find_element_shape(scope, tensor, options->element_shape, &shape)) return (TF_Output){0};
  int64_t capacity = options->capacity ? options->capacity : DEFAULT_CAPACITY;
  if (!options->in_order) tensor = shuffled(scope, tensor, options->seed);
  tensor = sl_limit_epochs_with(scope, tensor, options->num_epochs, NULL);
  TF_DataType dtype = sl_dtype(tensor);
  TF_Output queue = sl_fifo_queue_with(
      scope, capacity, &dtype, 1,
      SL_OPTIONS(sl_queue_options_t, .name = name, .shapes = &shape, .shared_name = options->shared_name));
  TF_Operation *enqueue = sl_queue_enqueue_many_with(scope, queue, SL_OUTPUTS(tensor), NULL);
  sl_queue_runner_t *runner = sl_queue_runner_with(
      scope, queue, &enqueue, 1, SL_OPTIONS(sl_queue_runner_options_t, .cancel_op = options->cancel_op));
  sl_add_queue_runner(scope, runner);
  if (summary_name) sli_input_add_fill_summary(scope, summary_name, sl_queue_size_with(scope, queue), capacity);
  return queue;
}

// The same with the summary that all functions but sl_input_producer add. The queue has the name of the scope.
static TF_Output produce_with_summary(sl_scope_t *scope, TF_Output tensor, const sl_producer_options_t *options) {
  int64_t capacity = options->capacity ? options->capacity : DEFAULT_CAPACITY;
  char *summary = sli_format("fraction_of_%lld_full", (long long)capacity), *whole = sli_build_scope_node_name(scope);
  TF_Output queue = produce(scope, tensor, whole, summary, options);
  free(summary);
  free(whole);
  return queue;
}

static const char *scope_name(const sl_producer_options_t *options) {
  return options->name ? options->name : "input_producer";
}

TF_Output sl_input_producer_with(sl_scope_t *scope, TF_Output tensor, const sl_producer_options_t *given) {
  SLI_CALL_OPTIONS(sl_producer_options_t, options, given);
  TF_Output queue = {0};
  SL_NAME_SCOPE (scope, "%s", scope_name(&options)) {
    queue = produce(scope, tensor, options.name ? options.name : "FIFOQueueV2", options.summary_name, &options);
  }
  return queue;
}

// |strings|, with a check that there are any. As in Python, it is also checked at run time.
static TF_Output checked_strings(sl_scope_t *scope, const char *const *strings, size_t count) {
  static const char text[] = "string_input_producer requires a non-null input tensor";
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s", text);
  TF_Output names = sl_texts_with(scope, strings, count, NULL), checked = {0};
  TF_Output size = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), (double)count, "Size");
  TF_Output any = sli_build_number_right(scope, "Greater", "Greater", size, 0);
  TF_Operation *check = NULL;
  SL_NAME_SCOPE (scope, "Assert") {
    sl_text_with(scope, text, NULL);
    SL_NAME_SCOPE (scope, "Assert") {
      char *whole = sli_build_scope_node_name(scope);
      TF_Output data = sl_text_with(scope, text, SL_OP_OPTIONS(.name = "data_0"));
      sl_node_t *node = sl_node_begin(scope, "Assert", whole);
      sl_node_input(node, any);
      sl_node_input_list(node, &data, 1);
      sl_node_attr_int(node, "summarize", 3);
      check = sl_node_finish(node);
      free(whole);
    }
  }
  if (!check) return checked;
  SL_CONTROL_DEPENDENCIES (scope, check) {
    checked = sl_unary(scope, "Identity", names, NULL);
  }
  return checked;
}

TF_Output sl_string_input_producer_with(sl_scope_t *scope, const char *const *strings, size_t count,
                                        const sl_producer_options_t *given) {
  SLI_CALL_OPTIONS(sl_producer_options_t, options, given);
  options.element_shape = &SL_SHAPE();
  TF_Output queue = {0};
  SL_NAME_SCOPE (scope, "%s", scope_name(&options)) {
    queue = produce_with_summary(scope, checked_strings(scope, strings, count), &options);
  }
  return queue;
}

TF_Output sl_range_input_producer_with(sl_scope_t *scope, int32_t limit, const sl_producer_options_t *given) {
  SLI_CALL_OPTIONS(sl_producer_options_t, options, given);
  TF_Output queue = {0};
  SL_NAME_SCOPE (scope, "%s", scope_name(&options)) {
    queue = produce_with_summary(scope, sli_build_range_to(scope, limit), &options);
  }
  return queue;
}

sl_outputs_t sl_slice_input_producer_with(sl_scope_t *scope, sl_outputs_t tensors, const sl_producer_options_t *given) {
  SLI_CALL_OPTIONS(sl_producer_options_t, options, given);
  if (!tensors.count)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Expected at least one tensor in slice_input_producer().");
  sli_outputs_t rows = {0};
  SL_NAME_SCOPE (scope, "%s", scope_name(&options)) {
    TF_Output first = tensors.count ? tensors.items[0] : (TF_Output){0};
    TF_Output size = sli_scope_ok(scope) ? sli_build_element(scope, sli_build_shape(scope, first), 0) : (TF_Output){0};
    TF_Output index = {0};
    SL_NAME_SCOPE (scope, "input_producer") {
      if (sli_scope_ok(scope)) index = produce_with_summary(scope, sli_build_range(scope, 0, size), &options);
    }
    if (sli_scope_ok(scope)) index = sl_queue_dequeue_with(scope, index, NULL).items[0];
    for (size_t i = 0; i < tensors.count; i++)
      sli_array_push(&rows, sli_build_gather_rows(scope, tensors.items[i], index, NULL));
  }
  sl_outputs_t result = sli_scope_copy_outputs(scope, rows.items, rows.count);
  sli_array_deinitialize(&rows);
  return result;
}
