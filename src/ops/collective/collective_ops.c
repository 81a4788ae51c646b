// The collective ops that exchange tensors. In the first version of an op the keys of group and instance are
// attributes, in the second they are inputs, and in the third a communicator has them. CollectiveBcastSend and
// CollectiveBcastRecv are the two sides of one broadcast. All members must use the same keys, types and shapes.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/op_registry.h"
#include "core/op/shape_inference.h"
#include "core/step/collective.h"
#include "math/half.h"
#include "ops/collective/communicator.h"
#include "ops/common/accumulate.h"

// What the attributes of a node say.
typedef struct {
  char *name;  // with what it does, as in TensorFlow's messages
  int32_t group_size, group_key, instance_key;
  float timeout_seconds;
  sli_accumulate_op_t merge;
  sli_collective_reduction_t reduction;
  bool divides;
  int32_t *rings;
  int ring_count, max_rings;
} collective_t;

// One execution.
typedef struct {
  sli_collective_request_t request;
  sli_kernel_context_t *context;
  sli_tensor_t *scratch;  // of a reduce-scatter; NULL: none
  double divisor;         // the storage of an element
} call_t;

// ---- Attributes ------------------------------------------------------------------

static void collective_destroy(void *state) {
  collective_t *collective = state;
  if (!collective) return;
  free(collective->name);
  free(collective->rings);
  free(collective);
}

static sli_status_t *read_reduction(const sli_node_def_t *node, collective_t *collective, const char *kind) {
  static const struct {
    const char *name, *kernel;
    sli_accumulate_op_t op;
    sli_collective_reduction_t reduction;
  } merges[] = {{"Add", "Add", SLI_ACCUMULATE_ADD, SLI_COLLECTIVE_SUM},
                {"Mul", "Mul", SLI_ACCUMULATE_MUL, SLI_COLLECTIVE_PRODUCT},
                {"Max", "Maximum", SLI_ACCUMULATE_MAX, SLI_COLLECTIVE_MAX},
                {"Min", "Minimum", SLI_ACCUMULATE_MIN, SLI_COLLECTIVE_MIN}};
  sli_view_t merge, final = sli_view("Id");
  const char *attr = sli_node_attr(node, "reduction") ? "reduction" : "merge_op";
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, attr, &merge));
  if (sli_node_attr(node, "final_op")) SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "final_op", &final));
  size_t i = 0;
  while (i < SLI_ARRAY_COUNT_OF(merges) && !sli_view_is(merge, merges[i].name)) i++;
  if (i == SLI_ARRAY_COUNT_OF(merges))
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be one of {\"Add\", \"Mul\", \"Max\", \"Min\"} but got %.*s",
                           attr, SLI_VIEW_ARG(merge));
  collective->merge = merges[i].op;
  collective->reduction = merges[i].reduction;
  collective->divides = sli_view_is(final, "Div");
  collective->name = sli_format("%s: %s(%s,%.*s)", node->name, kind, merges[i].kernel, SLI_VIEW_ARG(final));
  return NULL;
}

static sli_status_t *read_rings(const sli_node_def_t *node, collective_t *collective) {
  collective->max_rings = -1;
  if (sli_node_attr(node, "max_subdivs_per_device")) {
    int64_t most;
    SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "max_subdivs_per_device", &most));
    collective->max_rings = most < -1 || most > INT16_MAX ? -1 : (int)most;
  }
  if (!sli_node_attr(node, "subdiv_offsets")) return NULL;
  const sli_attr_t *list;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, "subdiv_offsets", SLI_ATTR_INT, &list));
  collective->ring_count = (int)list->count;
  collective->rings = sli_calloc(list->count + 1, sizeof(*collective->rings));
  for (size_t i = 0; i < list->count; i++) collective->rings[i] = (int32_t)list->list.i[i];
  return NULL;
}

// The keys of the first version.
static sli_status_t *read_keys(const sli_node_def_t *node, collective_t *collective) {
  int64_t size, group, instance;
  if (!sli_node_attr(node, "group_key")) return NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "group_size", &size));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "group_key", &group));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "instance_key", &instance));
  if (size <= 0 || size > INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "group_size must be positive integer but got %lld", (long long)size);
  collective->group_size = (int32_t)size;
  collective->group_key = (int32_t)group;
  collective->instance_key = (int32_t)instance;
  return NULL;
}

// |kind| is what the op does, in messages; a reduction adds its ops.
static sli_status_t *create(const sli_kernel_setup_t *setup, const char *kind, bool reduces, void **out_state) {
  collective_t *collective = sli_calloc(1, sizeof(*collective));
  sli_status_t *status = sli_node_attr_float(setup->node, "timeout_seconds", &collective->timeout_seconds);
  if (!status) status = read_keys(setup->node, collective);
  if (!status) status = read_rings(setup->node, collective);
  if (!status && reduces)
    status = read_reduction(setup->node, collective, kind);
  else if (!status)
    collective->name = sli_format("%s: %s", setup->node->name, kind);
  if (status) {
    collective_destroy(collective);
    collective = NULL;
  }
  *out_state = collective;
  return status;
}

static sli_status_t *create_reduce(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, "Reduce", true, out_state);
}
static sli_status_t *create_reduce_v2(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, "ReduceV2", true, out_state);
}
static sli_status_t *create_reduce_v3(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, "ReduceV3", true, out_state);
}
static sli_status_t *create_scatter(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, "ReduceScatterV2", true, out_state);
}
static sli_status_t *create_gather(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, "Gather", false, out_state);
}
static sli_status_t *create_send(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, "Broadcast(1)", false, out_state);
}
static sli_status_t *create_recv(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, "Broadcast(0)", false, out_state);
}
static sli_status_t *create_all_to_all(const sli_kernel_setup_t *setup, void **out_state) {
  return create(setup, "AllToAll", false, out_state);
}

// ---- Calls -----------------------------------------------------------------------

static void merge_elements(int op, sli_dtype_t dtype, void *to, const void *from, int64_t from_step, int64_t count) {
  sli_accumulate((sli_accumulate_op_t)op, dtype, to, from, from_step, count);
}

static call_t *call_create(sli_kernel_context_t *context, sli_collective_kind_t kind) {
  const collective_t *collective = sli_kernel_state(context);
  call_t *call = sli_calloc(1, sizeof(*call));
  call->context = context;
  call->request = (sli_collective_request_t){.kind = kind,
                                             .name = collective->name,
                                             .group_key = collective->group_key,
                                             .group_size = collective->group_size,
                                             .instance_key = collective->instance_key,
                                             .rank = -1,
                                             .rings = collective->rings,
                                             .ring_count = collective->ring_count,
                                             .max_rings = collective->max_rings,
                                             .reduction = collective->reduction,
                                             .merge = merge_elements,
                                             .merge_op = collective->merge,
                                             .divide_op = SLI_ACCUMULATE_DIV,
                                             .timeout_seconds = collective->timeout_seconds,
                                             .device = context->device,
                                             .step = context->step,
                                             .frame_id = context->frame_id,
                                             .iteration = context->iteration};
  return call;
}

static void call_done(void *user, sli_status_t *status) {
  call_t *call = user;
  sli_kernel_context_t *context = call->context;
  sli_tensor_release(call->scratch);
  free(call);
  sli_kernel_complete(context, status);
}

// Runs the call, unless |status| says that it cannot.
static void call_start(call_t *call, sli_status_t *status) {
  sli_collective_t *collective = call->context->step->collective;
  if (!status && !collective)
    status = sli_status_make(SLI_INTERNAL, "Failed to get CollectiveExecutor from OpKernelContext for Op %s",
                             call->request.name);
  if (status)
    call_done(call, status);
  else
    sli_collective_start(collective, &call->request, call_done, call);
}

// The keys of the second version, in inputs |first| and following.
static sli_status_t *input_keys(call_t *call, int first) {
  static const char *const names[] = {"group_size", "group_key", "instance_key"};
  int32_t *values[] = {&call->request.group_size, &call->request.group_key, &call->request.instance_key};
  for (int i = 0; i < 3; i++) {
    const sli_tensor_t *input = sli_kernel_input(call->context, first + i);
    if (input->rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Unexpected dimensions on input %s, got %s", names[i],
                             sli_tensor_shape_text(input).text);
    *values[i] = SLI_DATA(const int32_t, input)[0];
  }
  if (call->request.group_size <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "group_size must be positive integer but got %d",
                           call->request.group_size);
  return NULL;
}

// The keys of the third version: the communicator in input 1, which counts its ops. Input 2 is the group assignment.
static sli_status_t *communicator_keys(call_t *call) {
  if (sli_kernel_input(call->context, 2)->count)
    return sli_status_make(SLI_UNIMPLEMENTED, "Group assignments are not supported yet.");
  sli_communicator_t *communicator;
  SLI_RETURN_IF_ERROR(sli_communicator_find(call->context, 1, &communicator));
  call->request.group_key = communicator->group_key;
  call->request.group_size = communicator->group_size;
  call->request.rank = communicator->rank;
  call->request.needs_group = true;
  call->request.instance_key = atomic_fetch_add(&communicator->next_instance, 1) & ((1 << 21) - 1);
  if (call->request.timeout_seconds > 0) call->request.timeout_seconds = communicator->timeout_seconds;
  sli_object_release(communicator);
  return NULL;
}

// ---- Reductions ------------------------------------------------------------------

static void set_divisor(call_t *call, sli_dtype_t dtype) {
  int32_t size = call->request.group_size;
  void *to = &call->divisor;
  switch (dtype) {
    case SLI_DTYPE_FLOAT: *(float *)to = (float)size; break;
    case SLI_DTYPE_DOUBLE: *(double *)to = size; break;
    case SLI_DTYPE_HALF: *(sli_half_t *)to = sli_half_from_float((float)size); break;
    case SLI_DTYPE_BFLOAT16: *(sli_bfloat16_t *)to = sli_bfloat16_from_float((float)size); break;
    case SLI_DTYPE_INT32: *(int32_t *)to = size; break;
    default: *(int64_t *)to = size; break;
  }
  call->request.divisor = to;
}

// Sets what is reduced: to the output, which may be the input's memory.
static sli_status_t *set_reduction(call_t *call) {
  sli_kernel_context_t *context = call->context;
  const collective_t *collective = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, sli_tensor_shape(input), &output));
  call->request.input = input;
  call->request.output = output;
  if (collective->divides) set_divisor(call, (sli_dtype_t)input->dtype);
  return NULL;
}

static void reduce_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_REDUCE);
  call_start(call, set_reduction(call));
}

static void reduce_v2_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_REDUCE);
  sli_status_t *status = input_keys(call, 1);
  call_start(call, status ? status : set_reduction(call));
}

static void reduce_v3_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_REDUCE);
  sli_status_t *status = communicator_keys(call);
  call_start(call, status ? status : set_reduction(call));
}

static sli_status_t *set_scatter(call_t *call) {
  sli_kernel_context_t *context = call->context;
  const collective_t *collective = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0);
  int32_t size = call->request.group_size;
  if (!input->rank || input->dims[0] % size)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension 0 of the input must be divisible by group_size %d, got %s",
                           size, sli_tensor_shape_text(input).text);
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, input->dims, (size_t)input->rank * sizeof(*dims));
  dims[0] /= size;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &call->request.part));
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_temporary(context, (sli_dtype_t)input->dtype, sli_tensor_shape(input), &call->scratch));
  sli_tensor_copy_elements(call->scratch, input);
  call->request.input = input;
  call->request.output = call->scratch;
  if (collective->divides) set_divisor(call, (sli_dtype_t)input->dtype);
  return NULL;
}

static void scatter_v2_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_REDUCE_SCATTER);
  sli_status_t *status = input_keys(call, 1);
  call_start(call, status ? status : set_scatter(call));
}

// ---- Gather ----------------------------------------------------------------------

static sli_status_t *set_gather(call_t *call) {
  sli_kernel_context_t *context = call->context;
  sli_tensor_t *input = sli_kernel_input(context, 0);
  if (!input->rank) return sli_status_make(SLI_INVALID_ARGUMENT, "input should have rank > 0, received 0");
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, input->dims, (size_t)input->rank * sizeof(*dims));
  if (__builtin_mul_overflow(dims[0], (int64_t)call->request.group_size, &dims[0]))
    return sli_status_make(SLI_INVALID_ARGUMENT, "The gathered tensor is too large: group_size %d times shape %s",
                           call->request.group_size, sli_tensor_shape_text(input).text);
  call->request.input = input;
  return sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &call->request.output);
}

static void gather_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_GATHER);
  call_start(call, set_gather(call));
}

static void gather_v2_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_GATHER);
  sli_status_t *status = input_keys(call, 1);
  call_start(call, status ? status : set_gather(call));
}

// ---- Broadcast -------------------------------------------------------------------

// The output is the input itself.
static sli_status_t *set_source(call_t *call) {
  sli_tensor_t *input = sli_kernel_input(call->context, 0);
  call->request.is_source = true;
  call->request.input = call->request.output = input;
  sli_kernel_set_output(call->context, 0, sli_tensor_retain(input));
  return NULL;
}

static void send_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_BROADCAST);
  sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_shape_t shape;
  sli_status_t *status = sli_node_attr_shape(context->node, "shape", &shape);
  if (!status && !sli_shape_equal(shape, sli_tensor_shape(input)))
    status = sli_status_make(SLI_INTERNAL, "Declared shape of op %s does not match shape of input: %s vs. %s",
                             call->request.name, sli_shape_text(shape).text, sli_tensor_shape_text(input).text);
  call_start(call, status ? status : set_source(call));
}

static void send_v2_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_BROADCAST);
  sli_status_t *status = input_keys(call, 1);
  call_start(call, status ? status : set_source(call));
}

static void recv_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_BROADCAST);
  sli_shape_t shape;
  sli_status_t *status = sli_node_attr_shape(context->node, "shape", &shape);
  if (!status && !sli_shape_is_fully_known(shape))
    status = sli_status_make(SLI_INVALID_ARGUMENT, "shape must be fully known, got %s", sli_shape_text(shape).text);
  if (!status) status = sli_kernel_allocate_output(context, 0, shape, &call->request.output);
  call_start(call, status);
}

static void recv_v2_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_BROADCAST);
  int64_t dims[SLI_MAX_RANK];
  int rank;
  sli_status_t *status = input_keys(call, 0);
  if (!status) status = sli_kernel_input_ints(context, 3, "shape", dims, SLI_MAX_RANK, &rank);
  if (!status) status = sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &call->request.output);
  call_start(call, status);
}

// ---- All-to-all ------------------------------------------------------------------

static sli_status_t *set_all_to_all(call_t *call) {
  sli_tensor_t *input = sli_kernel_input(call->context, 0);
  if (!input->rank || input->dims[0] != call->request.group_size)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "input to all-to-all first dimension size (%lld) must be the same as the group size (%d)",
                           (long long)(input->rank ? input->dims[0] : 0), call->request.group_size);
  call->request.input = input;
  return sli_kernel_allocate_output(call->context, 0, sli_tensor_shape(input), &call->request.output);
}

static void all_to_all_v2_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_ALL_TO_ALL);
  sli_status_t *status = input_keys(call, 1);
  call_start(call, status ? status : set_all_to_all(call));
}

static void all_to_all_v3_compute(sli_kernel_context_t *context) {
  call_t *call = call_create(context, SLI_COLLECTIVE_ALL_TO_ALL);
  sli_status_t *status = communicator_keys(call);
  call_start(call, status ? status : set_all_to_all(call));
}

// ---- Shapes ----------------------------------------------------------------------

// Dimension 0 is that of the input times the group's size, if it is known.
static sli_status_t *gather_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &input));
  if (input.rank < 0) return sli_infer_fn_unknown(c);
  int64_t size = -1, dim = sli_infer_dim(input, 0);
  if (sli_node_attr(c->node, "group_size")) SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "group_size", &size));
  if (dim < 0 || size < 0 || __builtin_mul_overflow(dim, size, &dim)) dim = -1;
  sli_infer_set_output(c, 0, sli_infer_replace_dim(c, input, 0, dim));
  return NULL;
}

static sli_status_t *scatter_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &input));
  if (input.rank < 0) return sli_infer_fn_unknown(c);
  sli_infer_set_output(c, 0, sli_infer_replace_dim(c, input, 0, -1));
  return NULL;
}

static sli_status_t *recv_v2_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 3, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

// ---- Tables ----------------------------------------------------------------------

#define HINTS "communication_hint: string = 'auto'; timeout_seconds: float = 0"
#define KEYS "group_size: int; group_key: int; instance_key: int; "
#define KEY_INPUTS "group_size: int32, group_key: int32, instance_key: int32"
#define TOKENS ", ordering_token: Nordering_token * resource"
#define STATELESS "; is_stateless: bool = false; Nordering_token: int >= 0 = 0"
#define REDUCED "T: {bfloat16, float, half, double, int32, int64}"
#define GATHERED "T: {float, half, double, int32, int64}"
#define SENT "T: {bool, float, half, double, int32, int64}"
#define MERGE "merge_op: {'Min', 'Max', 'Mul', 'Add'}; final_op: {'Id', 'Div'}; "
#define ROW(op, does, ...)                                                                                        \
  {                                                                                                               \
    .name = op, .outputs = "data: T", .summary = does, .is_stateful = true, .is_distributed_communication = true, \
    .keeps_inputs = true, __VA_ARGS__                                                                             \
  }

static const sli_op_def_t ops[] = {
    ROW("CollectiveReduce", "Reduces tensors of all members of a group.", .inputs = "input: T",
        .attrs = REDUCED "; " KEYS MERGE "subdiv_offsets: list(int); wait_for: list(int) = []; " HINTS,
        .shape = sli_infer_fn_unchanged),
    ROW("CollectiveReduceV2", "Reduces tensors of all members of a group.", .inputs = "input: T, " KEY_INPUTS TOKENS,
        .attrs = REDUCED "; " MERGE HINTS STATELESS "; max_subdivs_per_device: int = -1",
        .shape = sli_infer_fn_unchanged),
    ROW("CollectiveReduceV3", "Reduces tensors of all members of a communicator.",
        .inputs = "input: T, communicator: resource, group_assignment: int32",
        .attrs = REDUCED "; reduction: {'Min', 'Max', 'Mul', 'Add'}; timeout_seconds: float = 0",
        .shape = sli_infer_fn_unchanged),
    ROW("CollectiveReduceScatterV2", "Reduces tensors of all members of a group; each gets a part of the result.",
        .inputs = "input: T, " KEY_INPUTS TOKENS,
        .attrs = REDUCED "; " MERGE HINTS STATELESS "; max_subdivs_per_device: int = -1", .shape = scatter_shape),
    ROW("CollectiveGather", "Concatenates the tensors of all members of a group.", .inputs = "input: T",
        .attrs = GATHERED "; " KEYS "shape: shape; " HINTS, .shape = gather_shape),
    ROW("CollectiveGatherV2", "Concatenates the tensors of all members of a group.",
        .inputs = "input: T, " KEY_INPUTS TOKENS, .attrs = GATHERED "; " HINTS STATELESS, .shape = gather_shape),
    ROW("CollectiveBcastSend", "Sends a tensor to all members of a group.", .inputs = "input: T",
        .attrs = SENT "; " KEYS "shape: shape; " HINTS, .shape = sli_infer_fn_explicit),
    ROW("CollectiveBcastRecv", "Receives a tensor from a member of a group.",
        .attrs = SENT "; " KEYS "shape: shape; " HINTS, .shape = sli_infer_fn_explicit),
    ROW("CollectiveBcastSendV2", "Sends a tensor to all members of a group.", .inputs = "input: T, " KEY_INPUTS,
        .attrs = SENT "; " HINTS, .shape = sli_infer_fn_unchanged),
    ROW("CollectiveBcastRecvV2", "Receives a tensor from a member of a group.", .inputs = KEY_INPUTS ", shape: Tshape",
        .attrs = SENT "; Tshape: {int32, int64} = DT_INT32; " HINTS, .shape = recv_v2_shape),
    ROW("CollectiveAllToAllV2", "Exchanges parts of tensors between all members of a group.",
        .inputs = "input: T, " KEY_INPUTS TOKENS, .attrs = REDUCED "; " HINTS STATELESS,
        .shape = sli_infer_fn_unchanged),
    ROW("CollectiveAllToAllV3", "Exchanges parts of tensors between all members of a communicator.",
        .inputs = "input: T, communicator: resource, group_assignment: int32",
        .attrs = REDUCED "; timeout_seconds: float = 0", .shape = sli_infer_fn_unchanged),
};

#define KERNEL(name, compute, make) \
  { .op = name, .compute_async = compute, .create = make, .destroy = collective_destroy }

static const sli_kernel_def_t kernels[] = {
    KERNEL("CollectiveReduce", reduce_compute, create_reduce),
    KERNEL("CollectiveReduceV2", reduce_v2_compute, create_reduce_v2),
    KERNEL("CollectiveReduceV3", reduce_v3_compute, create_reduce_v3),
    KERNEL("CollectiveReduceScatterV2", scatter_v2_compute, create_scatter),
    KERNEL("CollectiveGather", gather_compute, create_gather),
    KERNEL("CollectiveGatherV2", gather_v2_compute, create_gather),
    KERNEL("CollectiveBcastSend", send_compute, create_send),
    KERNEL("CollectiveBcastRecv", recv_compute, create_recv),
    KERNEL("CollectiveBcastSendV2", send_v2_compute, create_send),
    KERNEL("CollectiveBcastRecvV2", recv_v2_compute, create_recv),
    KERNEL("CollectiveAllToAllV2", all_to_all_v2_compute, create_all_to_all),
    KERNEL("CollectiveAllToAllV3", all_to_all_v3_compute, create_all_to_all),
};

SLI_OP_MODULE(collective);
