// The updates of variables: AssignAdd, AssignSub, and the optimizers' Apply… and ResourceApply… ops. A rule is a piece
// of OpenCL C in the names of the op's inputs. The inputs that are variables are changed, the gradient has an element
// for each of theirs, and the others are scalars.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"
#include "ops/state/update.h"

enum { MAX_INPUTS = 12 };

typedef struct {
  const char *rule, *body;
} rule_t;

static const rule_t rules[] = {
    {"GradientDescent", "var -= alpha * delta;"},
    {"Momentum",
     "accum = accum * momentum + grad;"
     "var -= use_nesterov ? grad * lr + accum * momentum * lr : accum * lr;"},
    {"Adagrad", "if (update_slots) accum += grad * grad; var -= grad * lr / sqrt(accum);"},
    {"AdagradV2", "if (update_slots) accum += grad * grad; var -= grad * lr / (sqrt(accum) + epsilon);"},
    {"Adadelta",
     "accum = accum * rho + grad * grad * (1 - rho);"
     "T_C update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad;"
     "var -= update * lr; accum_update = accum_update * rho + update * update * (1 - rho);"},
    {"Adam",
     "T_C rate = lr * sqrt(1 - beta2_power) / (1 - beta1_power);"
     "m += (grad - m) * (1 - beta1); v += (grad * grad - v) * (1 - beta2);"
     "var -= (use_nesterov ? grad * (1 - beta1) + beta1 * m : m) * rate / (sqrt(v) + epsilon);"},
    {"AdaMax",
     "m += (grad - m) * (1 - beta1); v = max(beta2 * v, (T_C)fabs(grad));"
     "var -= lr / (1 - beta1_power) * (m / (v + epsilon));"},
    {"RMSProp",
     "ms += (grad * grad - ms) * (1 - rho); mom = mom * momentum + grad * lr / sqrt(ms + epsilon);"
     "var -= mom;"},
    {"CenteredRMSProp",
     "ms += (grad * grad - ms) * (1 - rho); mg += (grad - mg) * (1 - rho);"
     "mom = mom * momentum + grad * lr / sqrt(ms - mg * mg + epsilon); var -= mom;"},
};

typedef struct {
  int slots, gradient;  // the inputs before |slots| are variables
  bool use_locking;
  char *name, *source;
} apply_t;

static void apply_destroy(void *state) {
  apply_t *apply = state;
  if (!apply) return;
  free(apply->name);
  free(apply->source);
  free(apply);
}

static int flag(const sli_node_def_t *node, const char *name, int absent) {
  const sli_attr_t *attr = sli_node_attr(node, name);
  return attr ? attr->b : absent;
}

static bool is_gradient(const sli_arg_t *arg) { return !strcmp(arg->name, "grad") || !strcmp(arg->name, "delta"); }

static void write_source(const sli_node_def_t *node, const char *body, apply_t *apply) {
  const sli_op_t *op = node->op;
  sli_string_t text = {0};
  sli_string_append_format(&text, "__kernel void %s(", apply->name);
  for (int i = 0; i < op->input_count; i++)
    sli_string_append_format(&text, "%sTENSOR(%s_in)", i ? ", " : "", op->inputs[i].name);
  sli_string_append_format(&text, ") {\n  const int use_nesterov = %d, update_slots = %d;\n",
                           flag(node, "use_nesterov", 0), flag(node, "update_slots", 1));
  sli_string_append_text(&text, "  size_t i = get_global_id(0);\n");
  for (int i = 0; i < op->input_count; i++) {
    const char *name = op->inputs[i].name;
    bool is_scalar = i >= apply->slots && i != apply->gradient;
    sli_string_append_format(&text, "  VIEW(T, %s_in);\n  T_C %s = T_LOAD(%s_in, %s);\n", name, name, name,
                             is_scalar ? "0" : "i");
  }
  sli_string_append_format(&text, "  %s\n", body);
  for (int i = 0; i < apply->slots; i++)
    sli_string_append_format(&text, "  T_STORE(%s_in, i, %s);\n", op->inputs[i].name, op->inputs[i].name);
  sli_string_append_text(&text, "}\n");
  apply->source = sli_string_take(&text);
}

static sli_status_t *apply_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_op_t *op = setup->node->op;
  const char *rule = strstr(op->def->name, "Apply") + strlen("Apply"), *body = NULL;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rules); i++)
    if (!strcmp(rules[i].rule, rule)) body = rules[i].body;
  SLI_CHECK(body && op->input_count <= MAX_INPUTS);
  apply_t *apply = sli_calloc(1, sizeof(*apply));
  while (op->inputs[apply->slots].is_ref || op->inputs[apply->slots].type == SLI_DTYPE_RESOURCE) apply->slots++;
  for (int i = 0; i < op->input_count; i++)
    if (is_gradient(&op->inputs[i])) apply->gradient = i;
  apply->use_locking = flag(setup->node, "use_locking", 0);
  apply->name =
      sli_format("%s_%d%d", op->def->name, flag(setup->node, "use_nesterov", 0), flag(setup->node, "update_slots", 1));
  write_source(setup->node, body, apply);
  *out_state = apply;
  return NULL;
}

static sli_status_t *check_shapes(const sli_kernel_context_t *context, const apply_t *apply,
                                  const sli_update_t *update) {
  const sli_tensor_t *var = update->tensors[0];
  for (int i = 1; i < context->input_count; i++) {
    const sli_tensor_t *other = i < apply->slots ? update->tensors[i] : sli_kernel_input(context, i);
    const char *name = context->node->op->inputs[i].name;
    bool is_scalar = i >= apply->slots && i != apply->gradient;
    if (is_scalar && other->count != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s is not a scalar: %s", name, sli_tensor_shape_text(other).text);
    if (!is_scalar && !sli_tensor_same_shape(var, other))
      return sli_status_make(SLI_INVALID_ARGUMENT, "var and %s do not have the same shape%s %s", name,
                             sli_tensor_shape_text(var).text, sli_tensor_shape_text(other).text);
  }
  return NULL;
}

static sli_status_t *apply_compute(sli_kernel_context_t *context) {
  const apply_t *apply = sli_kernel_state(context);
  sli_update_t update;
  SLI_RETURN_IF_ERROR(sli_update_begin(context, apply->slots, apply->use_locking, &update));
  sli_status_t *status = check_shapes(context, apply, &update);
  sli_opencl_arg_t args[MAX_INPUTS];
  for (int i = 0; i < context->input_count; i++)
    args[i] = SLI_OPENCL_TENSOR(i < apply->slots ? update.tensors[i] : sli_kernel_input(context, i));
  sli_opencl_program_t program = {apply->name, apply->source, NULL, {update.tensors[0]->dtype}};
  if (!status)
    status = sli_opencl_launch(context->device, &program, args, (size_t)context->input_count,
                               &SLI_OPENCL_EACH(update.tensors[0]->count));
  if (!status) sli_update_forward(context, &update);
  sli_update_end(&update);
  return status;
}

static const char accumulate_source[] =
    "__kernel void accumulate(TENSOR(a), TENSOR(b)) {\n"
    "  VIEW(T, a); VIEW(T, b);\n"
    "  size_t i = get_global_id(0);\n"
    "  T_C x = T_LOAD(a, i), y = T_LOAD(b, i);\n"
    "  T_STORE(a, i, EXPRESSION);\n"
    "}\n";

static sli_status_t *accumulate_compute(sli_kernel_context_t *context) {
  sli_update_t update;
  SLI_RETURN_IF_ERROR(sli_update_begin(context, 1, flag(context->node, "use_locking", 0), &update));
  sli_tensor_t *var = update.tensors[0], *value = sli_kernel_input(context, 1);
  const char *expression = sli_update_op(context->node) == SLI_ACCUMULATE_SUB ? "x - y" : "x + y";
  sli_opencl_program_t program = {"accumulate", accumulate_source, expression, {var->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(var), SLI_OPENCL_TENSOR(value)};
  sli_status_t *status = NULL;
  if (!sli_tensor_same_shape(var, value))
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "Cannot update variable with shape %s using a Tensor with shape %s, shapes must be equal.",
                             sli_tensor_shape_text(var).text, sli_tensor_shape_text(value).text);
  else
    status = sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &SLI_OPENCL_EACH(var->count));
  if (!status) sli_update_forward(context, &update);
  sli_update_end(&update);
  return status;
}

#define APPLY(rule)                                                                                   \
  {.op = "Apply" rule,                                                                                \
   .device = "GPU",                                                                                   \
   .types = SLI_GPU_FLOATING,                                                                         \
   .compute = apply_compute,                                                                          \
   .create = apply_create,                                                                            \
   .destroy = apply_destroy},                                                                         \
  {                                                                                                   \
    .op = "ResourceApply" rule, .device = "GPU", .types = SLI_GPU_FLOATING, .compute = apply_compute, \
    .create = apply_create, .destroy = apply_destroy                                                  \
  }
#define ACCUMULATE(name, kinds_attr) \
  { .op = name, .device = "GPU", .where = {{kinds_attr, SLI_GPU_NUMBERS}}, .compute = accumulate_compute }
static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    APPLY("GradientDescent"),
    APPLY("Momentum"),
    APPLY("Adagrad"),
    {.op = "ResourceApplyAdagradV2",
     .device = "GPU",
     .types = SLI_GPU_FLOATING,
     .compute = apply_compute,
     .create = apply_create,
     .destroy = apply_destroy},
    APPLY("Adadelta"),
    APPLY("Adam"),
    APPLY("AdaMax"),
    APPLY("RMSProp"),
    APPLY("CenteredRMSProp"),
    ACCUMULATE("AssignAdd", "T"),
    ACCUMULATE("AssignSub", "T"),
    ACCUMULATE("AssignAddVariableOp", "dtype"),
    ACCUMULATE("AssignSubVariableOp", "dtype"),
};
SLI_OP_MODULE(gpu_apply);
