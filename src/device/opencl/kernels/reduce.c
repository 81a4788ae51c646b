// Reductions: Sum, Mean, Max, Min, Prod, All, Any over any axes, and BiasAddGrad. A work group computes one element of
// the result: each item a part, then the parts in a tree, the same in every run.
#include <string.h>

#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"

// EXPRESSION is the position of the op in the table below.
static const char reduce_source[] =
    "#define SUM 0\n#define MEAN 1\n#define MAX 2\n#define MIN 3\n#define PROD 4\n#define ALL 5\n#define ANY 6\n"
    "#if EXPRESSION == SUM || EXPRESSION == MEAN || EXPRESSION == ANY\n"
    "#define FIRST (T_C)0\n"
    "#elif EXPRESSION == PROD || EXPRESSION == ALL\n"
    "#define FIRST (T_C)1\n"
    "#endif\n"
    "inline T_C combine(T_C x, T_C y) {\n"
    "#if EXPRESSION == SUM || EXPRESSION == MEAN\n  return x + y;\n"
    "#elif EXPRESSION == MAX\n  return x < y || y != y ? y : x;\n"
    "#elif EXPRESSION == MIN\n  return x > y || y != y ? y : x;\n"
    "#elif EXPRESSION == PROD\n  return x * y;\n"
    "#elif EXPRESSION == ALL\n  return x && y;\n"
    "#else\n  return x || y;\n"
    "#endif\n"
    "}\n"
    "inline long place(long index, int rank, const long *dims, const long *strides) {\n"
    "  long at = 0;\n"
    "  for (int d = rank - 1; d >= 0; d--) {\n"
    "    at += index % dims[d] * strides[d];\n"
    "    index /= dims[d];\n"
    "  }\n"
    "  return at;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void reduce(TENSOR(a), TENSOR(r), int kept, long8 kept_dims8, long8 kept_strides8, int reduced,\n"
    "            long8 reduced_dims8, long8 reduced_strides8, long count) {\n"
    "  VIEW(T, a); VIEW(T, r);\n"
    "  long kept_dims[8], kept_strides[8], reduced_dims[8], reduced_strides[8];\n"
    "  vstore8(kept_dims8, 0, kept_dims); vstore8(kept_strides8, 0, kept_strides);\n"
    "  vstore8(reduced_dims8, 0, reduced_dims); vstore8(reduced_strides8, 0, reduced_strides);\n"
    "  __local T_C parts[GROUP];\n"
    "  long output = get_group_id(0), base = place(output, kept, kept_dims, kept_strides);\n"
    "  int item = get_local_id(0);\n"
    "#ifdef FIRST\n"
    "  T_C part = FIRST;\n"
    "#else\n"
    "  T_C part = T_LOAD(a, base);\n"
    "#endif\n"
    "  for (long i = item; i < count; i += GROUP)\n"
    "    part = combine(part, T_LOAD(a, base + place(i, reduced, reduced_dims, reduced_strides)));\n"
    "  parts[item] = part;\n"
    "  for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (item < half_size) parts[item] = combine(parts[item], parts[item + half_size]);\n"
    "  }\n"
    "#if EXPRESSION == MEAN\n"
    "  if (item == 0) T_STORE(r, output, parts[0] / (T_C)count);\n"
    "#else\n"
    "  if (item == 0) T_STORE(r, output, parts[0]);\n"
    "#endif\n"
    "}\n";

static const char *const names[] = {"Sum", "Mean", "Max", "Min", "Prod", "All", "Any"};
static const char *const codes[] = {"0", "1", "2", "3", "4", "5", "6"};

static const char *code_of(const char *op) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++)
    if (!strcmp(names[i], op)) return codes[i];
  return codes[0];
}

// The dimensions of the walk, merged where both neighbours are kept or both are reduced.
typedef struct {
  int rank;
  sli_gpu_dims_t dims, strides;
} side_t;

static bool add_dim(side_t *side, int64_t size, int64_t stride, bool merges) {
  if (merges) {
    side->dims.values[side->rank - 1] *= size;
    side->strides.values[side->rank - 1] = stride;
    return true;
  }
  if (side->rank == SLI_GPU_DIMS) return false;
  side->dims.values[side->rank] = size;
  side->strides.values[side->rank++] = stride;
  return true;
}

static sli_status_t *launch_reduce(sli_kernel_context_t *context, const char *code, const sli_tensor_t *input,
                                   const bool *is_reduced, const sli_tensor_t *output) {
  side_t sides[2] = {0};
  int64_t strides[SLI_MAX_RANK + 1], stride = 1, count = 1;
  for (int d = input->rank - 1; d >= 0; stride *= input->dims[d--]) strides[d] = stride;
  for (int d = 0, last = -1; d < input->rank; d++) {
    if (is_reduced[d]) count *= input->dims[d];
    if (input->dims[d] == 1) continue;
    if (!add_dim(&sides[is_reduced[d]], input->dims[d], strides[d], last == is_reduced[d]))
      return sli_gpu_too_many_dims(context, input->rank);
    last = is_reduced[d];
  }
  int32_t kept = sides[0].rank, reduced = sides[1].rank;
  sli_opencl_program_t program = {"reduce", reduce_source, code, {input->dtype}};
  sli_opencl_arg_t args[] = {
      SLI_OPENCL_TENSOR(input),        SLI_OPENCL_TENSOR(output),          SLI_OPENCL_VALUE(kept),
      SLI_OPENCL_VALUE(sides[0].dims), SLI_OPENCL_VALUE(sides[0].strides), SLI_OPENCL_VALUE(reduced),
      SLI_OPENCL_VALUE(sides[1].dims), SLI_OPENCL_VALUE(sides[1].strides), SLI_OPENCL_VALUE(count)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args),
                           &SLI_OPENCL_GROUPS(output->count));
}

static sli_status_t *read_axes(sli_kernel_context_t *context, int rank, bool *out_reduced) {
  const sli_tensor_t *axes = sli_kernel_input(context, 1);
  memset(out_reduced, 0, SLI_MAX_RANK * sizeof(*out_reduced));
  for (int64_t i = 0; i < axes->count; i++) {
    int64_t axis = sli_tensor_int_at(axes, i);
    if (axis < -rank || axis >= rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid reduction dimension (%lld for input with %d dimension(s)",
                             (long long)axis, rank);
    out_reduced[axis < 0 ? axis + rank : axis] = true;
  }
  return NULL;
}

static sli_status_t *reduce_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  bool keep_dims, is_reduced[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "keep_dims", &keep_dims));
  SLI_RETURN_IF_ERROR(read_axes(context, input->rank, is_reduced));
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  for (int d = 0; d < input->rank; d++)
    if (!is_reduced[d] || keep_dims) dims[rank++] = is_reduced[d] ? 1 : input->dims[d];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  return launch_reduce(context, code_of(context->node->op->def->name), input, is_reduced, output);
}

static sli_status_t *bias_add_grad_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_view_t format;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "data_format", &format));
  if (input->rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input tensor must be at least 2D: %s",
                           sli_tensor_shape_text(input).text);
  int channel = sli_view_is(format, "NCHW") ? 1 : input->rank - 1;
  bool is_reduced[SLI_MAX_RANK] = {0};
  for (int d = 0; d < input->rank; d++) is_reduced[d] = d != channel;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){1, &input->dims[channel]}, &output));
  return launch_reduce(context, codes[0], input, is_reduced, output);
}

#define REDUCE(name, kinds) \
  { .op = name, .device = "GPU", .types = kinds, .host_memory = "reduction_indices", .compute = reduce_compute }
static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    REDUCE("Sum", SLI_GPU_NUMBERS),
    REDUCE("Mean", SLI_GPU_FLOATING),
    REDUCE("Max", SLI_GPU_FLOATING),
    REDUCE("Min", SLI_GPU_FLOATING),
    REDUCE("Prod", SLI_GPU_NUMBERS),
    REDUCE("All", 0),
    REDUCE("Any", 0),
    {.op = "BiasAddGrad", .device = "GPU", .types = SLI_GPU_FLOATING, .compute = bias_add_grad_compute},
};
SLI_OP_MODULE(gpu_reduce);
