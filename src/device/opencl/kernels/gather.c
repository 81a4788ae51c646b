// Gather, GatherV2, ResourceGather: rows of a tensor by number. A number out of range gives zeros, as on TensorFlow's
// GPUs.
#include <string.h>

#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"
#include "ops/state/update.h"

static const char gather_source[] =
    "__kernel void gather(TENSOR(a), TENSOR(indices), TENSOR(r), long rows, long count, long inner) {\n"
    "  VIEW(T, a); VIEW(U, indices); VIEW(T, r);\n"
    "  long i = get_global_id(0), column = i % inner, index = i / inner % count, outer = i / inner / count;\n"
    "  long row = indices[index];\n"
    "  T_STORE(r, i, row >= 0 && row < rows ? T_LOAD(a, (outer * rows + row) * inner + column) : (T_C)0);\n"
    "}\n";

static sli_status_t *gather(sli_kernel_context_t *context, const sli_tensor_t *params, int64_t axis) {
  const sli_tensor_t *given = sli_kernel_input(context, 1);
  int64_t dims[SLI_MAX_RANK], outer = 1, inner = 1, count = given->count, place = axis < 0 ? axis + params->rank : axis;
  int rank = 0;
  if (place < 0 || place >= params->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "params must be at least %lld dimensional, got shape %s",
                           (long long)(axis < 0 ? -axis : axis + 1), sli_tensor_shape_text(params).text);
  if (params->rank - 1 + given->rank > SLI_MAX_RANK)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The result of %s would have more than %d dimensions",
                           context->node->op->def->name, SLI_MAX_RANK);
  for (int d = 0; d < place; d++) outer *= dims[rank++] = params->dims[d];
  for (int d = 0; d < given->rank; d++) dims[rank++] = given->dims[d];
  for (int d = (int)place + 1; d < params->rank; d++) inner *= dims[rank++] = params->dims[d];
  sli_tensor_t *output, *indices;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (!output->count) return NULL;
  SLI_RETURN_IF_ERROR(sli_gpu_input(context, 1, &indices));
  int64_t rows = params->dims[place];
  sli_opencl_program_t program = {"gather", gather_source, NULL, {params->dtype, indices->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(params), SLI_OPENCL_TENSOR(indices), SLI_OPENCL_TENSOR(output),
                             SLI_OPENCL_VALUE(rows),    SLI_OPENCL_VALUE(count),    SLI_OPENCL_VALUE(inner)};
  sli_status_t *status = rows ? sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args),
                                                  &SLI_OPENCL_EACH(output->count))
                              : sli_status_make(SLI_INVALID_ARGUMENT, "params has no rows to gather");
  sli_tensor_release(indices);
  return status;
}

static sli_status_t *gather_compute(sli_kernel_context_t *context) {
  int64_t axis = 0, batch_dims = 0;
  const sli_attr_t *attr = sli_node_attr(context->node, "batch_dims");
  if (attr) batch_dims = attr->i;
  if (batch_dims)
    return sli_status_make(SLI_UNIMPLEMENTED, "%s on a GPU handles batch_dims = 0 only, got %lld",
                           context->node->op->def->name, (long long)batch_dims);
  if (context->input_count > 2) SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 2, "axis", &axis));
  if (context->node->input_types[0] != SLI_DTYPE_RESOURCE) return gather(context, sli_kernel_input(context, 0), axis);
  sli_variable_t *variable;
  sli_tensor_t *params;
  SLI_RETURN_IF_ERROR(sli_update_find(context, 0, &variable));
  sli_status_t *status = sli_variable_read_initialized(variable, &params);
  if (!status) status = gather(context, params, axis);
  sli_tensor_release(params);
  sli_variable_release(variable);
  return status;
}

#define TYPES (SLI_GPU_NUMBERS | SLI_TYPE_BOOL)
static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    {.op = "Gather", .device = "GPU", .where = {{"Tparams", TYPES}}, .compute = gather_compute},
    {.op = "GatherV2",
     .device = "GPU",
     .where = {{"Tparams", TYPES}},
     .host_memory = "axis",
     .compute = gather_compute},
    {.op = "ResourceGather", .device = "GPU", .where = {{"dtype", TYPES}}, .compute = gather_compute},
};
SLI_OP_MODULE(gpu_gather);
