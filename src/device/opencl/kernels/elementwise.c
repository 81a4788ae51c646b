// Ops that compute each element from the elements at the same place, with broadcasting: arithmetic, comparisons,
// activations and their gradients. A row is an expression in OpenCL C of x, y and z, the elements of the inputs.
#include <string.h>

#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"
#include "math/broadcast.h"

static const char unary_source[] =
    "__kernel void unary(TENSOR(a), TENSOR(r)) {\n"
    "  VIEW(T, a); VIEW(U, r);\n"
    "  size_t i = get_global_id(0);\n"
    "  T_C x = T_LOAD(a, i);\n"
    "  U_STORE(r, i, (U_C)(EXPRESSION));\n"
    "}\n";

static const char binary_source[] =
    "__kernel void binary(TENSOR(a), TENSOR(b), TENSOR(r), int rank, long8 dims8, long8 a8, long8 b8) {\n"
    "  VIEW(T, a); VIEW(T, b); VIEW(U, r);\n"
    "  long dims[8], a_strides[8], b_strides[8];\n"
    "  vstore8(dims8, 0, dims); vstore8(a8, 0, a_strides); vstore8(b8, 0, b_strides);\n"
    "  size_t i = get_global_id(0);\n"
    "  long rest = i, at_a = 0, at_b = 0;\n"
    "  for (int d = rank - 1; d >= 0; d--) {\n"
    "    long index = rest % dims[d];\n"
    "    rest /= dims[d];\n"
    "    at_a += index * a_strides[d];\n"
    "    at_b += index * b_strides[d];\n"
    "  }\n"
    "  T_C x = T_LOAD(a, at_a), y = T_LOAD(b, at_b);\n"
    "  U_STORE(r, i, (U_C)(EXPRESSION));\n"
    "}\n";

typedef struct {
  const char *op, *expression;
} row_t;

// Constants are of type T_C: a device without doubles does not know 0.5.
#define ONE "(T_C)1"
static const row_t rows[] = {
    {"Neg", "-x"},
    {"Abs", "x < 0 ? -x : x"},
    {"Square", "x * x"},
    {"Sign", "(T_C)((x > 0) - (x < 0))"},
    {"Exp", "exp(x)"},
    {"Expm1", "expm1(x)"},
    {"Log", "log(x)"},
    {"Log1p", "log1p(x)"},
    {"Sqrt", "sqrt(x)"},
    {"Rsqrt", ONE " / sqrt(x)"},
    {"Reciprocal", ONE " / x"},
    {"Inv", ONE " / x"},
    {"Sin", "sin(x)"},
    {"Cos", "cos(x)"},
    {"Tan", "tan(x)"},
    {"Asin", "asin(x)"},
    {"Acos", "acos(x)"},
    {"Atan", "atan(x)"},
    {"Sinh", "sinh(x)"},
    {"Cosh", "cosh(x)"},
    {"Tanh", "tanh(x)"},
    {"Erf", "erf(x)"},
    {"Erfc", "erfc(x)"},
    {"Floor", "floor(x)"},
    {"Ceil", "ceil(x)"},
    {"Rint", "rint(x)"},
    {"Round", "rint(x)"},
    {"Sigmoid", ONE " / (" ONE " + exp(-x))"},
    {"Relu", "x > 0 || isnan(x) ? x : (T_C)0"},
    {"Relu6", "isnan(x) ? x : x < 0 ? (T_C)0 : x > 6 ? (T_C)6 : x"},
    {"Elu", "x < 0 ? expm1(x) : x"},
    {"Selu",
     "x < 0 ? (T_C)1.7580993408473768599402175208123f * expm1(x) : (T_C)1.0507009873554804934193349852946f * x"},
    {"Softplus", "x > 20 ? x : log1p(exp(x))"},
    {"Softsign", "x / (" ONE " + fabs(x))"},
    {"IsNan", "isnan(x) != 0"},
    {"IsInf", "isinf(x) != 0"},
    {"IsFinite", "isfinite(x) != 0"},
    {"LogicalNot", "!x"},
    {"ZerosLike", "(T_C)0"},
    {"OnesLike", ONE},
    {"Add", "x + y"},
    {"AddV2", "x + y"},
    {"Sub", "x - y"},
    {"Mul", "x * y"},
    {"Div", "x / y"},
    {"RealDiv", "x / y"},
    {"DivNoNan", "y == 0 ? (T_C)0 : x / y"},
    {"MulNoNan", "y == 0 ? (T_C)0 : x * y"},
    {"FloorDiv", "floor(x / y)"},
    {"FloorMod", "x - floor(x / y) * y"},
    {"TruncateMod", "fmod(x, y)"},
    {"Mod", "fmod(x, y)"},
    {"Maximum", "x < y || isnan((float)y) ? y : x"},
    {"Minimum", "x > y || isnan((float)y) ? y : x"},
    {"Pow", "pow(x, y)"},
    {"Atan2", "atan2(x, y)"},
    {"SquaredDifference", "(x - y) * (x - y)"},
    {"Less", "x < y"},
    {"LessEqual", "x <= y"},
    {"Greater", "x > y"},
    {"GreaterEqual", "x >= y"},
    {"Equal", "x == y"},
    {"NotEqual", "x != y"},
    {"LogicalAnd", "x && y"},
    {"LogicalOr", "x || y"},
    {"ReluGrad", "y > 0 ? x : (T_C)0"},
    {"Relu6Grad", "y > 0 && y < 6 ? x : (T_C)0"},
    {"EluGrad", "y < 0 ? (y + 1) * x : x"},
    {"SoftplusGrad", "x / (" ONE " + exp(-y))"},
    {"SoftsignGrad", "x / ((" ONE " + fabs(y)) * (" ONE " + fabs(y)))"},
    {"TanhGrad", "y * (" ONE " - x * x)"},
    {"SigmoidGrad", "y * x * (" ONE " - x)"},
    {"SqrtGrad", "y / (x + x)"},
    {"RsqrtGrad", "-y * x * x * x / 2"},
    {"ReciprocalGrad", "-y * x * x"},
    {"InvGrad", "-y * x * x"},
};

// The state of a kernel is its row.
static sli_status_t *find_row(const sli_kernel_setup_t *setup, void **out_state) {
  const char *name = setup->node->op->def->name;
  *out_state = NULL;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows) && !*out_state; i++)
    if (!strcmp(rows[i].op, name)) *out_state = (void *)&rows[i];
  SLI_CHECK(*out_state);
  return NULL;
}

static sli_status_t *unary_compute(sli_kernel_context_t *context) {
  const row_t *row = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, sli_tensor_shape(input), &output));
  sli_opencl_program_t program = {"unary", unary_source, row->expression, {input->dtype, output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(input), SLI_OPENCL_TENSOR(output)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(output->count));
}

static sli_status_t *launch_binary(sli_kernel_context_t *context, const char *expression, const sli_tensor_t *a,
                                   const sli_tensor_t *b, const sli_broadcast_t *plan, const sli_tensor_t *output) {
  if (plan->rank > SLI_GPU_DIMS) return sli_gpu_too_many_dims(context, plan->rank);
  sli_gpu_dims_t dims = {0}, strides[2] = {0};
  for (int i = 0; i < plan->rank; i++) {
    dims.values[i] = plan->dims[i];
    strides[0].values[i] = plan->strides[0][i];
    strides[1].values[i] = plan->strides[1][i];
  }
  int32_t rank = plan->rank;
  sli_opencl_program_t program = {"binary", binary_source, expression, {a->dtype, output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(a),        SLI_OPENCL_TENSOR(b),   SLI_OPENCL_TENSOR(output),
                             SLI_OPENCL_VALUE(rank),      SLI_OPENCL_VALUE(dims), SLI_OPENCL_VALUE(strides[0]),
                             SLI_OPENCL_VALUE(strides[1])};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(output->count));
}

static sli_status_t *binary_compute(sli_kernel_context_t *context) {
  const row_t *row = sli_kernel_state(context);
  sli_tensor_t *a = sli_kernel_input(context, 0), *b = sli_kernel_input(context, 1), *output;
  sli_broadcast_t plan;
  sli_shape_t shapes[] = {sli_tensor_shape(a), sli_tensor_shape(b)};
  SLI_RETURN_IF_ERROR(sli_broadcast_plan(shapes, 2, &plan));
  SLI_RETURN_IF_ERROR(
      sli_kernel_forward_or_allocate(context, 0, 0, (sli_shape_t){plan.out_rank, plan.out_dims}, &output));
  return launch_binary(context, row->expression, a, b, &plan, output);
}

static sli_status_t *add_n_compute(sli_kernel_context_t *context) {
  sli_tensor_t *first = sli_kernel_input(context, 0), *output;
  for (int i = 1; i < context->input_count; i++)
    if (!sli_tensor_same_shape(first, sli_kernel_input(context, i)))
      return sli_status_make(
          SLI_INVALID_ARGUMENT,
          "Inputs to operation %s of type AddN must have the same size and shape.  Input 0: %s != input %d: %s",
          context->node->name, sli_tensor_shape_text(first).text, i,
          sli_tensor_shape_text(sli_kernel_input(context, i)).text);
  if (context->input_count == 1) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(first));
    return NULL;
  }
  sli_broadcast_t plan;
  sli_shape_t shapes[] = {sli_tensor_shape(first), sli_tensor_shape(first)};
  SLI_RETURN_IF_ERROR(sli_broadcast_plan(shapes, 2, &plan));
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, sli_tensor_shape(first), &output));
  for (int i = 1; i < context->input_count; i++)
    SLI_RETURN_IF_ERROR(
        launch_binary(context, "x + y", i == 1 ? first : output, sli_kernel_input(context, i), &plan, output));
  return NULL;
}

#define UNARY(name, kinds) \
  { .op = name, .device = "GPU", .types = kinds, .compute = unary_compute, .create = find_row }
#define BINARY(name, kinds) \
  { .op = name, .device = "GPU", .types = kinds, .compute = binary_compute, .create = find_row }
static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    UNARY("Neg", SLI_GPU_NUMBERS),
    UNARY("Abs", SLI_GPU_NUMBERS),
    UNARY("Square", SLI_GPU_NUMBERS),
    UNARY("Sign", SLI_GPU_NUMBERS),
    UNARY("Exp", SLI_GPU_FLOATING),
    UNARY("Expm1", SLI_GPU_FLOATING),
    UNARY("Log", SLI_GPU_FLOATING),
    UNARY("Log1p", SLI_GPU_FLOATING),
    UNARY("Sqrt", SLI_GPU_FLOATING),
    UNARY("Rsqrt", SLI_GPU_FLOATING),
    UNARY("Reciprocal", SLI_GPU_FLOATING),
    UNARY("Inv", SLI_GPU_FLOATING),
    UNARY("Sin", SLI_GPU_FLOATING),
    UNARY("Cos", SLI_GPU_FLOATING),
    UNARY("Tan", SLI_GPU_FLOATING),
    UNARY("Asin", SLI_GPU_FLOATING),
    UNARY("Acos", SLI_GPU_FLOATING),
    UNARY("Atan", SLI_GPU_FLOATING),
    UNARY("Sinh", SLI_GPU_FLOATING),
    UNARY("Cosh", SLI_GPU_FLOATING),
    UNARY("Tanh", SLI_GPU_FLOATING),
    UNARY("Erf", SLI_GPU_FLOATING),
    UNARY("Erfc", SLI_GPU_FLOATING),
    UNARY("Floor", SLI_GPU_FLOATING),
    UNARY("Ceil", SLI_GPU_FLOATING),
    UNARY("Rint", SLI_GPU_FLOATING),
    UNARY("Round", SLI_GPU_FLOATING),
    UNARY("Sigmoid", SLI_GPU_FLOATING),
    UNARY("Relu", SLI_GPU_FLOATING),
    UNARY("Relu6", SLI_GPU_FLOATING),
    UNARY("Elu", SLI_GPU_FLOATING),
    UNARY("Selu", SLI_GPU_FLOATING),
    UNARY("Softplus", SLI_GPU_FLOATING),
    UNARY("Softsign", SLI_GPU_FLOATING),
    UNARY("IsNan", SLI_GPU_FLOATING),
    UNARY("IsInf", SLI_GPU_FLOATING),
    UNARY("IsFinite", SLI_GPU_FLOATING),
    UNARY("LogicalNot", 0),
    UNARY("ZerosLike", SLI_GPU_NUMBERS | SLI_TYPE_BOOL),
    UNARY("OnesLike", SLI_GPU_NUMBERS | SLI_TYPE_BOOL),
    BINARY("Add", SLI_GPU_NUMBERS),
    BINARY("AddV2", SLI_GPU_NUMBERS),
    BINARY("Sub", SLI_GPU_NUMBERS),
    BINARY("Mul", SLI_GPU_NUMBERS),
    BINARY("Div", SLI_GPU_FLOATING),
    BINARY("RealDiv", SLI_GPU_FLOATING),
    BINARY("DivNoNan", SLI_GPU_FLOATING),
    BINARY("MulNoNan", SLI_GPU_FLOATING),
    BINARY("FloorDiv", SLI_GPU_FLOATING),
    BINARY("FloorMod", SLI_GPU_FLOATING),
    BINARY("TruncateMod", SLI_GPU_FLOATING),
    BINARY("Mod", SLI_GPU_FLOATING),
    BINARY("Maximum", SLI_GPU_NUMBERS),
    BINARY("Minimum", SLI_GPU_NUMBERS),
    BINARY("Pow", SLI_GPU_FLOATING),
    BINARY("Atan2", SLI_GPU_FLOATING),
    BINARY("SquaredDifference", SLI_GPU_NUMBERS),
    BINARY("Less", SLI_GPU_NUMBERS),
    BINARY("LessEqual", SLI_GPU_NUMBERS),
    BINARY("Greater", SLI_GPU_NUMBERS),
    BINARY("GreaterEqual", SLI_GPU_NUMBERS),
    BINARY("Equal", SLI_GPU_NUMBERS | SLI_TYPE_BOOL),
    BINARY("NotEqual", SLI_GPU_NUMBERS | SLI_TYPE_BOOL),
    BINARY("LogicalAnd", 0),
    BINARY("LogicalOr", 0),
    BINARY("ReluGrad", SLI_GPU_FLOATING),
    BINARY("Relu6Grad", SLI_GPU_FLOATING),
    BINARY("EluGrad", SLI_GPU_FLOATING),
    BINARY("SoftplusGrad", SLI_GPU_FLOATING),
    BINARY("SoftsignGrad", SLI_GPU_FLOATING),
    BINARY("TanhGrad", SLI_GPU_FLOATING),
    BINARY("SigmoidGrad", SLI_GPU_FLOATING),
    BINARY("SqrtGrad", SLI_GPU_FLOATING),
    BINARY("RsqrtGrad", SLI_GPU_FLOATING),
    BINARY("ReciprocalGrad", SLI_GPU_FLOATING),
    BINARY("InvGrad", SLI_GPU_FLOATING),
    {.op = "AddN", .device = "GPU", .types = SLI_GPU_NUMBERS, .compute = add_n_compute},
};
SLI_OP_MODULE(gpu_elementwise);
