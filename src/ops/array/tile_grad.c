// TileGrad: sums the tiles that Tile made. Old graphs have it; gradients use Sum now.
#include <string.h>

#include "core/op/shape_inference.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"

static const sli_types_t summed = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX | SLI_TYPE_INT16 | SLI_TYPES_INDEX;

static sli_status_t *read_dims(sli_kernel_context_t *context, int64_t *out_dims) {
  const sli_tensor_t *input = sli_kernel_input(context, 0), *multiples = sli_kernel_input(context, 1);
  if (multiples->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected multiples to be 1-D, but got shape %s",
                           sli_tensor_shape_text(multiples).text);
  if (multiples->count != input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Expected multiples argument to be a vector of length %d but got length %lld", input->rank,
                           (long long)multiples->count);
  for (int d = 0; d < input->rank; d++) {
    int64_t multiple = sli_tensor_int_at(multiples, d);
    if (multiple <= 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected multiples[%d] > 0, but got %lld", d, (long long)multiple);
    if (input->dims[d] % multiple != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Expected input_dim[%d] to be divisible by multiples[%d], but %lld %% %lld != 0", d, d,
                             (long long)input->dims[d], (long long)multiple);
    out_dims[d] = input->dims[d] / multiple;
  }
  return NULL;
}

// Adds the runs of the last dimension, each as long as a tile.
static void add_tiles(const sli_tensor_t *input, sli_tensor_t *output) {
  sli_dtype_t dtype = (sli_dtype_t)input->dtype;
  int rank = input->rank;
  int64_t width = output->dims[rank - 1], index[SLI_MAX_RANK] = {0};
  for (int64_t first = 0; first < input->count; first += width) {
    int64_t to = 0;
    for (int d = 0; d < rank; d++) to = to * output->dims[d] + (d == rank - 1 ? 0 : index[d] % output->dims[d]);
    sli_accumulate(SLI_ACCUMULATE_ADD, dtype, sli_tensor_at(output, to), sli_tensor_at(input, first), 1, width);
    index[rank - 1] += width;
    for (int d = rank - 1; d >= 0 && index[d] >= input->dims[d]; d--) {
      index[d] = 0;
      if (d > 0) index[d - 1]++;
    }
  }
}

static sli_status_t *tile_grad(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t dims[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(read_dims(context, dims));
  if (memcmp(dims, input->dims, (size_t)input->rank * sizeof(*dims)) == 0) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  if (!sli_types_contain(summed, (sli_dtype_t)input->dtype))
    return sli_status_make(SLI_UNIMPLEMENTED,
                           "TileGradientOp : The input data type or dimension is not supported, DataType : %s, "
                           "Dimension : %d",
                           sli_dtype_name((sli_dtype_t)input->dtype), input->rank);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &output));
  sli_elements_clear((sli_dtype_t)output->dtype, output->data, output->count);
  if (output->count) add_tiles(input, output);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "TileGrad",
     .inputs = "input: T, multiples: int32",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = sli_infer_fn_unknown,
     .forwards_input = true,
     .deprecated_in = 3,
     .deprecation = "TileGrad has been replaced with reduce_sum"},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "TileGrad", .host_memory = "multiples", .compute = tile_grad},
};

SLI_OP_MODULE(tile_grad);
