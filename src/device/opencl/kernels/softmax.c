// Softmax, LogSoftmax and the losses over them. A work group computes one row.
#include <string.h>

#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"

// EXPRESSION: 0 Softmax, 1 LogSoftmax, 2 the loss with a distribution as labels, 3 the loss with a class as label.
static const char softmax_source[] =
    "inline T_C reduce(__local T_C *parts, T_C part, int is_max) {\n"
    "  int item = get_local_id(0);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  parts[item] = part;\n"
    "  for (int size = GROUP / 2; size > 0; size /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (item < size) {\n"
    "      T_C x = parts[item], y = parts[item + size];\n"
    "      parts[item] = is_max ? (x < y || y != y ? y : x) : x + y;\n"
    "    }\n"
    "  }\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  return parts[0];\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))\n"
    "void softmax(TENSOR(a), TENSOR(labels), TENSOR(loss), TENSOR(r), long columns) {\n"
    "  VIEW(T, a); VIEW(U, labels); VIEW(T, loss); VIEW(T, r);\n"
    "  __local T_C parts[GROUP];\n"
    "  long row = get_group_id(0), first = row * columns;\n"
    "  int item = get_local_id(0);\n"
    "  T_C largest = -INFINITY, sum = 0, total = 0;\n"
    "  for (long i = item; i < columns; i += GROUP) {\n"
    "    T_C x = T_LOAD(a, first + i);\n"
    "    largest = largest < x || x != x ? x : largest;\n"
    "  }\n"
    "  largest = reduce(parts, largest, 1);\n"
    "  for (long i = item; i < columns; i += GROUP) sum += exp(T_LOAD(a, first + i) - largest);\n"
    "  sum = reduce(parts, sum, 0);\n"
    "  T_C log_sum = log(sum);\n"
    "  for (long i = item; i < columns; i += GROUP) {\n"
    "    T_C x = T_LOAD(a, first + i) - largest;\n"
    "#if EXPRESSION == 0\n"
    "    T_STORE(r, first + i, exp(x) / sum);\n"
    "#elif EXPRESSION == 1\n"
    "    T_STORE(r, first + i, x - log_sum);\n"
    "#elif EXPRESSION == 2\n"
    "    T_C label = U_LOAD(labels, first + i);\n"
    "    total += label == 0 ? (T_C)0 : label * (log_sum - x);\n"
    "    T_STORE(r, first + i, exp(x) / sum - label);\n"
    "#else\n"
    "    long label = U_LOAD(labels, row);\n"
    "    int is_valid = label >= 0 && label < columns;\n"
    "    if (i == label) total += log_sum - x;\n"
    "    T_STORE(r, first + i, is_valid ? exp(x) / sum - (i == label) : (T_C)NAN);\n"
    "    if (!is_valid) total = NAN;\n"
    "#endif\n"
    "  }\n"
    "#if EXPRESSION >= 2\n"
    "  total = reduce(parts, total, 0);\n"
    "  if (item == 0) T_STORE(loss, row, total);\n"
    "#endif\n"
    "}\n";

static sli_status_t *launch(sli_kernel_context_t *context, const char *code, const sli_tensor_t *input,
                            const sli_tensor_t *labels, const sli_tensor_t *loss, const sli_tensor_t *output,
                            int64_t columns) {
  if (!input->count) return NULL;
  sli_opencl_program_t program = {"softmax", softmax_source, code, {input->dtype, labels->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(input), SLI_OPENCL_TENSOR(labels), SLI_OPENCL_TENSOR(loss),
                             SLI_OPENCL_TENSOR(output), SLI_OPENCL_VALUE(columns)};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args),
                           &SLI_OPENCL_GROUPS(input->count / columns));
}

static sli_status_t *softmax_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (input->rank < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "logits must have >= 1 dimension, got %s",
                           sli_tensor_shape_text(input).text);
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, sli_tensor_shape(input), &output));
  const char *code = strcmp(context->node->op->def->name, "Softmax") ? "1" : "0";
  return launch(context, code, input, input, output, output, input->dims[input->rank - 1]);
}

static sli_status_t *loss_compute(sli_kernel_context_t *context) {
  sli_tensor_t *logits = sli_kernel_input(context, 0), *labels = sli_kernel_input(context, 1), *loss, *output;
  if (logits->rank != 2 || !sli_tensor_same_shape(logits, labels))
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "logits and labels must be matrices of the same size on a GPU: logits_size=%s labels_size=%s",
        sli_tensor_shape_text(logits).text, sli_tensor_shape_text(labels).text);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){1, logits->dims}, &loss));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, sli_tensor_shape(logits), &output));
  return launch(context, "2", logits, labels, loss, output, logits->dims[1]);
}

static sli_status_t *sparse_loss_compute(sli_kernel_context_t *context) {
  sli_tensor_t *logits = sli_kernel_input(context, 0), *labels = sli_kernel_input(context, 1), *loss, *output,
               *on_device;
  if (logits->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "logits must be 2-D, but got shape %s",
                           sli_tensor_shape_text(logits).text);
  if (labels->rank != 1 || labels->dims[0] != logits->dims[0])
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "logits and labels must have the same first dimension, got logits shape %s and labels shape %s",
        sli_tensor_shape_text(logits).text, sli_tensor_shape_text(labels).text);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){1, logits->dims}, &loss));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, sli_tensor_shape(logits), &output));
  SLI_RETURN_IF_ERROR(sli_gpu_input(context, 1, &on_device));
  sli_status_t *status = launch(context, "3", logits, on_device, loss, output, logits->dims[1]);
  sli_tensor_release(on_device);
  return status;
}

static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    {.op = "Softmax", .device = "GPU", .types = SLI_GPU_FLOATING, .compute = softmax_compute},
    {.op = "LogSoftmax", .device = "GPU", .types = SLI_GPU_FLOATING, .compute = softmax_compute},
    {.op = "SoftmaxCrossEntropyWithLogits", .device = "GPU", .types = SLI_GPU_FLOATING, .compute = loss_compute},
    {.op = "SparseSoftmaxCrossEntropyWithLogits",
     .device = "GPU",
     .types = SLI_GPU_FLOATING,
     .compute = sparse_loss_compute},
};
SLI_OP_MODULE(gpu_softmax);
