// Matrix products: MatMul.
#include "core/op/op_registry.h"
#include "device/opencl/kernels/gpu.h"

enum { TILE = 16 };

// A work group computes a tile of the result from tiles of both factors in local memory.
static const char matmul_source[] =
    "#define TILE 16\n"
    "__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))\n"
    "void matmul(TENSOR(a), TENSOR(b), TENSOR(r), long rows, long columns, long depth, long a_row, long a_column,\n"
    "            long b_row, long b_column) {\n"
    "  VIEW(T, a); VIEW(T, b); VIEW(T, r);\n"
    "  __local T_C a_tile[TILE][TILE + 1], b_tile[TILE][TILE + 1];\n"
    "  int x = get_local_id(0), y = get_local_id(1);\n"
    "  long column = get_global_id(0), row = get_global_id(1);\n"
    "  T_C sum = 0;\n"
    "  for (long k = 0; k < depth; k += TILE) {\n"
    "    a_tile[y][x] = row < rows && k + x < depth ? T_LOAD(a, row * a_row + (k + x) * a_column) : (T_C)0;\n"
    "    b_tile[y][x] = column < columns && k + y < depth ? T_LOAD(b, (k + y) * b_row + column * b_column) : (T_C)0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = 0; i < TILE; i++) sum += a_tile[y][i] * b_tile[i][x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  if (row < rows && column < columns) T_STORE(r, row * columns + column, sum);\n"
    "}\n";

static size_t round_up(int64_t size) { return (size_t)((size + TILE - 1) / TILE * TILE); }

static sli_status_t *matmul_compute(sli_kernel_context_t *context) {
  bool transpose_a, transpose_b;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "transpose_a", &transpose_a));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "transpose_b", &transpose_b));
  const sli_tensor_t *a = sli_kernel_input(context, 0), *b = sli_kernel_input(context, 1);
  if (a->rank != 2 || b->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "In[%d] is not a matrix. Instead it has shape %s",
                           a->rank != 2 ? 0 : 1, sli_tensor_shape_text(a->rank != 2 ? a : b).text);
  int64_t rows = a->dims[transpose_a], depth = a->dims[!transpose_a], columns = b->dims[!transpose_b];
  if (b->dims[transpose_b] != depth)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Matrix size-incompatible: In[0]: %s, In[1]: %s",
                           sli_tensor_shape_text(a).text, sli_tensor_shape_text(b).text);
  int64_t dims[] = {rows, columns}, a_row = transpose_a ? 1 : depth, a_column = transpose_a ? rows : 1,
          b_row = transpose_b ? 1 : columns, b_column = transpose_b ? depth : 1;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){2, dims}, &output));
  if (!output->count) return NULL;
  sli_opencl_program_t program = {"matmul", matmul_source, NULL, {output->dtype}};
  sli_opencl_arg_t args[] = {SLI_OPENCL_TENSOR(a),      SLI_OPENCL_TENSOR(b),       SLI_OPENCL_TENSOR(output),
                             SLI_OPENCL_VALUE(rows),    SLI_OPENCL_VALUE(columns),  SLI_OPENCL_VALUE(depth),
                             SLI_OPENCL_VALUE(a_row),   SLI_OPENCL_VALUE(a_column), SLI_OPENCL_VALUE(b_row),
                             SLI_OPENCL_VALUE(b_column)};
  sli_opencl_range_t range = {{round_up(columns), round_up(rows), 1}, {TILE, TILE, 1}};
  return sli_opencl_launch(context->device, &program, args, SLI_ARRAY_COUNT_OF(args), &range);
}

static const sli_op_def_t ops[0];
static const sli_kernel_def_t kernels[] = {
    {.op = "MatMul", .device = "GPU", .types = SLI_GPU_FLOATING, .compute = matmul_compute},
};
SLI_OP_MODULE(gpu_matmul);
