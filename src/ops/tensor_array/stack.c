// Stacks of tensors that live for one step: the forward pass of a loop pushes the values that its gradient pops. The
// stack holds references, not copies.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "ops/tensor_array/step_object.h"

typedef struct {
  sli_object_t base;
  char *name;
  sli_dtype_t dtype;
  int64_t limit;  // maximum size; negative: unlimited
  sli_mutex_t mutex;
  SLI_ARRAY(sli_tensor_t *) elements;  // guarded by |mutex|
  bool is_closed;                      // guarded by |mutex|
} element_stack_t;

static void stack_destroy(sli_object_t *object) {
  element_stack_t *stack = (element_stack_t *)object;
  for (size_t i = 0; i < stack->elements.count; i++) sli_tensor_release(stack->elements.items[i]);
  sli_array_deinitialize(&stack->elements);
  sli_mutex_deinitialize(&stack->mutex);
  free(stack->name);
  free(stack);
}

static const sli_object_type_t stack_type = {"Stack", stack_destroy};
static const char container[] = "_stacks";

static sli_status_t *read_limit(sli_kernel_context_t *context, int64_t *out_limit) {
  *out_limit = -1;
  if (context->input_count == 0) return NULL;
  const sli_tensor_t *limit = sli_kernel_input(context, 0);
  if (limit->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Stack size must be a scalar, but had shape: %s",
                           sli_tensor_shape_text(limit).text);
  *out_limit = SLI_DATA(int32_t, limit)[0];
  return NULL;
}

static sli_status_t *make_compute(sli_kernel_context_t *context) {
  static atomic_llong made;
  sli_view_t given;
  sli_dtype_t dtype;
  int64_t limit;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "stack_name", &given));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "elem_type", &dtype));
  SLI_RETURN_IF_ERROR(read_limit(context, &limit));
  if (given.size == 0) given = sli_view(context->node->name);
  element_stack_t *stack = sli_calloc(1, sizeof(*stack));
  sli_object_initialize(&stack->base, &stack_type);
  sli_mutex_initialize(&stack->mutex);
  stack->dtype = dtype;
  stack->limit = limit;
  stack->name = sli_format("%.*s_%lld", SLI_VIEW_ARG(given), (long long)atomic_fetch_add(&made, 1));
  char *key = sli_format("%s%s", container, stack->name);
  sli_status_t *status = sli_resource_insert(context->step->step_resources, sli_view(""), sli_view(key), stack);
  free(key);
  if (!status) status = sli_step_object_set_handle(context, container, stack->name, stack);
  sli_object_release(stack);
  return status;
}

static sli_status_t *check_stack_open_locked(const element_stack_t *stack) {
  if (!stack->is_closed) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Stack[%s] has already been closed.", stack->name);
}

static sli_status_t *push_locked(element_stack_t *stack, sli_tensor_t *element) {
  SLI_RETURN_IF_ERROR(check_stack_open_locked(stack));
  if (element->dtype != stack->dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Must have type %s but got %s", sli_dtype_name(stack->dtype),
                           sli_dtype_name(element->dtype));
  if (stack->limit >= 0 && (int64_t)stack->elements.count >= stack->limit)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Stack[%s] overflowed its max_size (%lld)", stack->name,
                           (long long)stack->limit);
  sli_array_push(&stack->elements, sli_tensor_retain(element));
  return NULL;
}

static sli_status_t *push_compute(sli_kernel_context_t *context) {
  element_stack_t *stack;
  sli_tensor_t *element = sli_kernel_input(context, 1);
  SLI_RETURN_IF_ERROR(sli_step_object_find(context, &stack_type, (void **)&stack));
  sli_mutex_lock(&stack->mutex);
  sli_status_t *status = push_locked(stack, element);
  sli_mutex_unlock(&stack->mutex);
  sli_object_release(stack);
  if (!status) sli_kernel_set_output(context, 0, sli_tensor_retain(element));
  return status;
}

static sli_status_t *pop_locked(element_stack_t *stack, sli_dtype_t dtype, sli_tensor_t **out_element) {
  SLI_RETURN_IF_ERROR(check_stack_open_locked(stack));
  if (dtype != stack->dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Must have type %s but got %s", sli_dtype_name(stack->dtype),
                           sli_dtype_name(dtype));
  if (stack->elements.count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Stack[%s] is empty when calling Pop().", stack->name);
  *out_element = stack->elements.items[--stack->elements.count];
  return NULL;
}

static sli_status_t *pop_compute(sli_kernel_context_t *context) {
  element_stack_t *stack;
  sli_tensor_t *element = NULL;
  SLI_RETURN_IF_ERROR(sli_step_object_find(context, &stack_type, (void **)&stack));
  sli_mutex_lock(&stack->mutex);
  sli_status_t *status = pop_locked(stack, context->node->output_types[0], &element);
  sli_mutex_unlock(&stack->mutex);
  sli_object_release(stack);
  if (!status) sli_kernel_set_output(context, 0, element);
  return status;
}

static sli_status_t *close_compute(sli_kernel_context_t *context) {
  element_stack_t *stack;
  SLI_RETURN_IF_ERROR(sli_step_object_find(context, &stack_type, (void **)&stack));
  sli_mutex_lock(&stack->mutex);
  stack->is_closed = true;
  sli_mutex_unlock(&stack->mutex);
  sli_object_release(stack);
  return NULL;
}

static sli_status_t *stack_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){2}));
  return NULL;
}

static sli_status_t *push_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_input(c, 1));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "Stack",
        .outputs = "handle: Ref(string)",
        .attrs = "elem_type: type; stack_name: string = ''",
        .summary = "A stack of tensors that lives for one step.",
        .shape = stack_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "StackV2",
        .inputs = "max_size: int32",
        .outputs = "handle: resource",
        .attrs = "elem_type: type; stack_name: string = ''",
        .summary = "A stack of tensors that lives for one step.",
        .shape = stack_shape,
        .is_stateful = true,
    },
    {
        .name = "StackPush",
        .inputs = "handle: Ref(string), elem: T",
        .outputs = "output: T",
        .attrs = "T: type; swap_memory: bool = false",
        .summary = "Pushes a tensor onto a stack and outputs it.",
        .shape = push_shape,
        .not_differentiable = true,
        .keeps_inputs = true,
    },
    {
        .name = "StackPushV2",
        .inputs = "handle: resource, elem: T",
        .outputs = "output: T",
        .attrs = "T: type; swap_memory: bool = false",
        .summary = "Pushes a tensor onto a stack and outputs it.",
        .shape = push_shape,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "StackPop",
        .inputs = "handle: Ref(string)",
        .outputs = "elem: elem_type",
        .attrs = "elem_type: type",
        .summary = "Pops a tensor from a stack.",
        .shape = sli_infer_fn_unknown,
        .not_differentiable = true,
    },
    {
        .name = "StackPopV2",
        .inputs = "handle: resource",
        .outputs = "elem: elem_type",
        .attrs = "elem_type: type",
        .summary = "Pops a tensor from a stack.",
        .shape = sli_infer_fn_unknown,
        .is_stateful = true,
    },
    {
        .name = "StackClose",
        .inputs = "handle: Ref(string)",
        .summary = "Closes a stack.",
        .shape = sli_infer_fn_none,
        .not_differentiable = true,
    },
    {
        .name = "StackCloseV2",
        .inputs = "handle: resource",
        .summary = "Closes a stack.",
        .shape = sli_infer_fn_none,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Stack", .host_memory = "handle", .compute = make_compute},
    {.op = "StackV2", .host_memory = "max_size, handle", .compute = make_compute},
    {.op = "StackPush", .host_memory = "handle", .compute = push_compute},
    {.op = "StackPushV2", .host_memory = "handle", .compute = push_compute},
    {.op = "StackPop", .host_memory = "handle", .compute = pop_compute},
    {.op = "StackPopV2", .host_memory = "handle", .compute = pop_compute},
    {.op = "StackClose", .host_memory = "handle", .compute = close_compute},
    {.op = "StackCloseV2", .host_memory = "handle", .compute = close_compute},
};
SLI_OP_MODULE(stack);
