// If and Case, with and without state: they call one of several functions with their inputs.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/function/functional.h"

typedef struct {
  size_t count;
  sli_function_t *functions[];  // of an If: else, then
} branches_t;

static void branches_destroy(void *state) {
  branches_t *branches = state;
  for (size_t i = 0; i < branches->count; i++) sli_object_release(branches->functions[i]);
  free(branches);
}

static sli_status_t *add_branch(branches_t *branches, const sli_kernel_setup_t *setup, const sli_attr_func_t *name) {
  sli_function_t **function = &branches->functions[branches->count];
  SLI_RETURN_IF_ERROR(sli_function_instantiate(setup->functions, name, setup->device, function));
  branches->count++;
  return sli_functional_check(*function, setup->node->input_count - 1, setup->node->output_count);
}

static sli_status_t *create(const sli_kernel_setup_t *setup, const sli_attr_func_t *names, size_t count,
                            void **out_state) {
  branches_t *branches = sli_calloc(1, sizeof(*branches) + count * sizeof(branches->functions[0]));
  sli_status_t *status = NULL;
  for (size_t i = 0; i < count && !status; i++) status = add_branch(branches, setup, &names[i]);
  if (status)
    branches_destroy(branches);
  else
    *out_state = branches;
  return status;
}

static sli_status_t *if_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_attr_t *otherwise = sli_node_attr(setup->node, "else_branch"),
                   *then = sli_node_attr(setup->node, "then_branch");
  sli_attr_func_t names[] = {otherwise->func, then->func};
  return create(setup, names, 2, out_state);
}

static sli_status_t *case_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_attr_t *list;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(setup->node, "branches", SLI_ATTR_FUNC, &list));
  return create(setup, list->list.func, list->count, out_state);
}

static void if_compute(sli_kernel_context_t *context) {
  const branches_t *branches = sli_kernel_state(context);
  bool condition;
  sli_status_t *status = sli_functional_to_bool(sli_kernel_input(context, 0), &condition);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_functional_forward(context, branches->functions[condition], 1);
}

// An index that is out of range means the last branch.
static void case_compute(sli_kernel_context_t *context) {
  const branches_t *branches = sli_kernel_state(context);
  const sli_tensor_t *index = sli_kernel_input(context, 0);
  if (index->rank != 0) {
    sli_kernel_complete(context, sli_status_make(SLI_INVALID_ARGUMENT, "branch_index must be scalar"));
    return;
  }
  int32_t value = SLI_DATA(const int32_t, index)[0];
  size_t branch = value < 0 || (size_t)value >= branches->count ? branches->count - 1 : (size_t)value;
  sli_functional_forward(context, branches->functions[branch], 1);
}

// The attribute "output_shapes", if it has a shape for each output.
static sli_status_t *output_shapes(sli_infer_context_t *c) {
  const sli_attr_t *shapes = sli_node_attr(c->node, "output_shapes");
  if (!shapes || shapes->kind != SLI_ATTR_SHAPE || (int)shapes->count != c->node->output_count) return NULL;
  for (int i = 0; i < c->node->output_count; i++)
    sli_infer_set_output(c, i, sli_shape_copy(c->arena, shapes->list.shape[i]));
  return NULL;
}

// The gradient of the branch that runs.
static sli_status_t *if_gradient(sli_gradient_builder_t *b) {
  sli_functional_derivative_t then, otherwise;
  sli_functional_derive(&sli_node_attr(b->node, "then_branch")->func, &then);
  sli_functional_derive(&sli_node_attr(b->node, "else_branch")->func, &otherwise);
  sli_attr_entry_t attrs[] = {{"then_branch", {.kind = SLI_ATTR_FUNC, .func = then.name}},
                              {"else_branch", {.kind = SLI_ATTR_FUNC, .func = otherwise.name}}};
  return sli_functional_gradient(b, b->node->op->def->name, 1, attrs, 2);
}

static sli_status_t *case_gradient(sli_gradient_builder_t *b) {
  const sli_attr_t *list;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(b->node, "branches", SLI_ATTR_FUNC, &list));
  sli_functional_derivative_t *derivatives = sli_calloc(list->count + 1, sizeof(*derivatives));
  sli_attr_func_t *names = sli_calloc(list->count + 1, sizeof(*names));
  for (size_t i = 0; i < list->count; i++) {
    sli_functional_derive(&list->list.func[i], &derivatives[i]);
    names[i] = derivatives[i].name;
  }
  sli_attr_entry_t branches = {"branches",
                               {.kind = SLI_ATTR_FUNC, .is_list = true, .count = list->count, .list.func = names}};
  sli_status_t *status = sli_functional_gradient(b, b->node->op->def->name, 1, &branches, 1);
  free(derivatives);
  free(names);
  return status;
}

#define IF_ATTRS                                                                                     \
  "Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; then_branch: func; else_branch: func; " \
  "output_shapes: list(shape) = []"
#define CASE_ATTRS \
  "Tin: list(type) >= 0; Tout: list(type) >= 0; branches: list(func) >= 1; output_shapes: list(shape) = []"

static const sli_op_def_t ops[] = {
    {.name = "If",
     .inputs = "cond: Tcond, input: Tin",
     .outputs = "output: Tout",
     .attrs = IF_ATTRS,
     .summary = "Calls one of two functions.",
     .shape = output_shapes,
     .gradient = if_gradient,
     .is_stateful = true,
     .functional = SLI_OP_FUNCTIONAL_IF},
    {.name = "StatelessIf",
     .inputs = "cond: Tcond, input: Tin",
     .outputs = "output: Tout",
     .attrs = IF_ATTRS,
     .summary = "Calls one of two functions without state.",
     .shape = output_shapes,
     .gradient = if_gradient,
     .functional = SLI_OP_FUNCTIONAL_IF},
    {.name = "Case",
     .inputs = "branch_index: int32, input: Tin",
     .outputs = "output: Tout",
     .attrs = CASE_ATTRS,
     .summary = "Calls one of several functions.",
     .shape = output_shapes,
     .gradient = case_gradient,
     .is_stateful = true,
     .functional = SLI_OP_FUNCTIONAL_CASE},
    {.name = "StatelessCase",
     .inputs = "branch_index: int32, input: Tin",
     .outputs = "output: Tout",
     .attrs = CASE_ATTRS,
     .summary = "Calls one of several functions without state.",
     .shape = output_shapes,
     .gradient = case_gradient,
     .functional = SLI_OP_FUNCTIONAL_CASE},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "If", .compute_async = if_compute, .create = if_create, .destroy = branches_destroy},
    {.op = "StatelessIf", .compute_async = if_compute, .create = if_create, .destroy = branches_destroy},
    {.op = "Case", .compute_async = case_compute, .create = case_create, .destroy = branches_destroy},
    {.op = "StatelessCase", .compute_async = case_compute, .create = case_create, .destroy = branches_destroy},
};

SLI_OP_MODULE(branch);
