// SparseAdd and its gradient, SparseSparseMaximum, SparseSparseMinimum: combine two sparse tensors of one shape entry
// by entry. SparseTensorDenseAdd: adds a sparse tensor to a dense one.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/emit.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"
#include "ops/sparse/sparse.h"

// --- Two sparse tensors --------------------------------------------------------------------------

// An entry of the union of both: which entry of |a| and of |b| it is, -1 if there is none.
typedef struct {
  int64_t a, b;
} pair_t;
typedef SLI_ARRAY(pair_t) pairs_t;

static int compare_rows(const int64_t *a, const int64_t *b, int rank) {
  for (int d = 0; d < rank; d++)
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  return 0;
}

static void merge_rows(const int64_t *a, int64_t a_count, const int64_t *b, int64_t b_count, int rank, pairs_t *pairs) {
  for (int64_t i = 0, k = 0; i < a_count || k < b_count;) {
    int order = i == a_count ? 1 : k == b_count ? -1 : compare_rows(a + i * rank, b + k * rank, rank);
    sli_array_push(pairs, (pair_t){order <= 0 ? i : -1, order >= 0 ? k : -1});
    i += order <= 0;
    k += order >= 0;
  }
}

static sli_status_t *two_inputs(sli_kernel_context_t *context, bool is_add, sli_sparse_t *a, sli_sparse_t *b) {
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, a));
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 3, b));
  if (a->rank != b->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           is_add ? "Ranks of input tensors must match, but saw ranks: %d and %d"
                                  : "Operands do not have the same ranks; got %d and %d",
                           a->rank, b->rank);
  for (int d = 0; d < a->rank; d++)
    if (SLI_DATA(int64_t, a->shape)[d] != SLI_DATA(int64_t, b->shape)[d])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             is_add ? "Input shapes must match: got %lld and %lld at dimension %d"
                                    : "Operands' shapes do not match: got %lld and %lld for dimension %d",
                             (long long)SLI_DATA(int64_t, a->shape)[d], (long long)SLI_DATA(int64_t, b->shape)[d], d);
  return NULL;
}

// Writes the combination of |pairs| to outputs 0 and 1. What only one tensor has is combined with zero, unless
// |alone| is set.
static sli_status_t *write_pairs(sli_kernel_context_t *context, const sli_sparse_t *a, const sli_sparse_t *b,
                                 const pairs_t *pairs, sli_accumulate_op_t op, bool alone) {
  static const double zero[2];
  sli_tensor_t *indices, *values;
  int64_t count = (int64_t)pairs->count;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(count, a->rank), &indices));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(count), &values));
  sli_dtype_t dtype = (sli_dtype_t)values->dtype;
  size_t row = (size_t)a->rank * sizeof(int64_t);
  for (int64_t i = 0; i < count; i++) {
    pair_t pair = pairs->items[i];
    const sli_sparse_t *first = pair.a >= 0 ? a : b;
    int64_t at = pair.a >= 0 ? pair.a : pair.b;
    void *to = sli_tensor_at(values, i);
    if (row) memcpy(SLI_DATA(int64_t, indices) + i * a->rank, SLI_DATA(int64_t, first->indices) + at * a->rank, row);
    sli_elements_copy(dtype, to, sli_tensor_at(first->values, at), 1);
    if (pair.a >= 0 && pair.b >= 0)
      sli_accumulate(op, dtype, to, sli_tensor_at(b->values, pair.b), 1, 1);
    else if (!alone)
      sli_accumulate(op, dtype, to, zero, 1, 1);
  }
  return NULL;
}

static double magnitude(const sli_tensor_t *values, const void *element) {
  switch (values->dtype) {
    case SLI_DTYPE_FLOAT: return fabs((double)*(const float *)element);
    case SLI_DTYPE_DOUBLE: return fabs(*(const double *)element);
    case SLI_DTYPE_COMPLEX64: return (double)cabsf(*(const float complex *)element);
    case SLI_DTYPE_COMPLEX128: return cabs(*(const double complex *)element);
    case SLI_DTYPE_INT8: return fabs((double)*(const int8_t *)element);
    case SLI_DTYPE_INT16: return fabs((double)*(const int16_t *)element);
    case SLI_DTYPE_INT32: return fabs((double)*(const int32_t *)element);
    default: return fabs((double)*(const int64_t *)element);
  }
}

static double threshold_of(const sli_tensor_t *threshold) {
  float wide;
  switch (threshold->dtype) {
    case SLI_DTYPE_FLOAT: return (double)SLI_DATA(float, threshold)[0];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, threshold)[0];
    case SLI_DTYPE_HALF:
    case SLI_DTYPE_BFLOAT16:
      sli_half_widen((sli_dtype_t)threshold->dtype, SLI_DATA(uint16_t, threshold), &wide, 1);
      return (double)wide;
    case SLI_DTYPE_UINT32: return SLI_DATA(uint32_t, threshold)[0];
    case SLI_DTYPE_UINT64: return (double)SLI_DATA(uint64_t, threshold)[0];
    default: return (double)sli_tensor_int_at(threshold, 0);
  }
}

// Drops the pairs of two entries whose sum is smaller than |threshold|.
static void drop_small(const sli_sparse_t *a, const sli_sparse_t *b, double threshold, pairs_t *pairs) {
  size_t kept = 0;
  sli_dtype_t dtype = (sli_dtype_t)a->values->dtype;
  for (size_t i = 0; i < pairs->count; i++) {
    pair_t pair = pairs->items[i];
    double sum[2] = {0};  // room for any number
    bool is_sum = pair.a >= 0 && pair.b >= 0;
    if (is_sum) {
      sli_elements_copy(dtype, sum, sli_tensor_at(a->values, pair.a), 1);
      sli_accumulate(SLI_ACCUMULATE_ADD, dtype, sum, sli_tensor_at(b->values, pair.b), 1, 1);
    }
    if (!is_sum || threshold <= magnitude(a->values, sum)) pairs->items[kept++] = pair;
  }
  pairs->count = kept;
}

static sli_status_t *add_compute(sli_kernel_context_t *context) {
  sli_sparse_t a, b;
  pairs_t pairs = {0};
  SLI_RETURN_IF_ERROR(two_inputs(context, true, &a, &b));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 6, "thresh"));
  merge_rows(a.indices->data, a.count, b.indices->data, b.count, a.rank, &pairs);
  drop_small(&a, &b, threshold_of(sli_kernel_input(context, 6)), &pairs);
  sli_status_t *status = write_pairs(context, &a, &b, &pairs, SLI_ACCUMULATE_ADD, true);
  sli_array_deinitialize(&pairs);
  if (!status) sli_kernel_set_output(context, 2, sli_tensor_retain(sli_kernel_input(context, 2)));
  return status;
}

static sli_status_t *combine_compute(sli_kernel_context_t *context, sli_accumulate_op_t op) {
  sli_sparse_t a, b;
  pairs_t pairs = {0};
  SLI_RETURN_IF_ERROR(two_inputs(context, false, &a, &b));
  SLI_RETURN_IF_ERROR(sli_sparse_check_indices(a.indices, a.shape, false));
  SLI_RETURN_IF_ERROR(sli_sparse_check_indices(b.indices, b.shape, false));
  merge_rows(a.indices->data, a.count, b.indices->data, b.count, a.rank, &pairs);
  sli_status_t *status = write_pairs(context, &a, &b, &pairs, op, false);
  sli_array_deinitialize(&pairs);
  return status;
}

static sli_status_t *maximum_compute(sli_kernel_context_t *context) {
  return combine_compute(context, SLI_ACCUMULATE_MAX);
}
static sli_status_t *minimum_compute(sli_kernel_context_t *context) {
  return combine_compute(context, SLI_ACCUMULATE_MIN);
}

static sli_status_t *union_shape(sli_infer_context_t *c) {
  sli_shape_t indices, unused;
  for (int i = 0; i < 2; i++) {
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3 * i, 2, &unused));
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3 * i + 1, 1, &unused));
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3 * i + 2, 1, &unused));
  }
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &indices));
  int64_t rank = sli_infer_dim(indices, 1);
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, rank}));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &shape));
  if (c->node->output_count > 2) sli_infer_set_output(c, 2, shape);
  return NULL;
}

static sli_status_t *add_gradient(sli_gradient_builder_t *b) {
  sli_output_t parts = SLI_EMIT(b, "SparseAddGrad",
                                SLI_INPUTS(sli_gradient_of_output(b, 1), sli_gradient_input(b, 0),
                                           sli_gradient_input(b, 3), sli_gradient_output(b, 0)));
  sli_gradient_set(b, 1, parts);
  sli_gradient_set(b, 4, sli_output_at(parts, 1));
  return NULL;
}

static sli_status_t *no_gradient(sli_gradient_builder_t *b) {
  return sli_status_make(SLI_UNIMPLEMENTED, "Gradient for %s is currently not implemented yet.",
                         b->node->op->def->name);
}

// --- SparseAddGrad -------------------------------------------------------------------------------

// Sets output |index| to the gradients of |indices|: those of their sums, zero for sums that were dropped.
static sli_status_t *write_add_gradient(sli_kernel_context_t *context, int index, const sli_tensor_t *indices) {
  const sli_tensor_t *gradient = sli_kernel_input(context, 0), *sums = sli_kernel_input(context, 3);
  sli_tensor_t *output;
  int rank = (int)indices->dims[1];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, index, SLI_SHAPE(indices->dims[0]), &output));
  sli_elements_clear((sli_dtype_t)output->dtype, output->data, output->count);
  for (int64_t i = 0, k = 0; i < indices->dims[0] && k < sums->dims[0];) {
    int order = compare_rows(SLI_DATA(int64_t, indices) + i * rank, SLI_DATA(int64_t, sums) + k * rank, rank);
    if (order == 0)
      sli_elements_copy((sli_dtype_t)output->dtype, sli_tensor_at(output, i), sli_tensor_at(gradient, k), 1);
    i += order <= 0;
    k += order >= 0;
  }
  return NULL;
}

static sli_status_t *add_grad_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *gradient = sli_kernel_input(context, 0), *sums = sli_kernel_input(context, 3);
  for (int i = 1; i < 4; i++) {
    const sli_tensor_t *indices = sli_kernel_input(context, i);
    if (indices->rank != 2 || sums->rank != 2 || indices->dims[1] != sums->dims[1])
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Input indices should be matrices of as many columns, but received shapes: %s and %s",
                             sli_tensor_shape_text(indices).text, sli_tensor_shape_text(sums).text);
  }
  if (gradient->rank != 1 || gradient->count != sums->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "# elements and # indices should match, but got %lld vs. %lld",
                           (long long)gradient->count, (long long)sums->dims[0]);
  SLI_RETURN_IF_ERROR(write_add_gradient(context, 0, sli_kernel_input(context, 1)));
  return write_add_gradient(context, 1, sli_kernel_input(context, 2));
}

static sli_status_t *add_grad_shape(sli_infer_context_t *c) {
  sli_shape_t a, b;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 2, &a));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 2, &b));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){sli_infer_dim(a, 0)}));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, (int64_t[]){sli_infer_dim(b, 0)}));
  return NULL;
}

// --- SparseTensorDenseAdd ------------------------------------------------------------------------

static sli_status_t *dense_add_compute(sli_kernel_context_t *context) {
  sli_sparse_t a;
  sli_tensor_t *b = sli_kernel_input(context, 3), *output;
  SLI_RETURN_IF_ERROR(sli_sparse_input(context, 0, &a));
  if (a.rank != b->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Two operands have different ranks; received: %d and %d", a.rank,
                           b->rank);
  for (int d = 0; d < a.rank; d++)
    if (sli_tensor_int_at(a.shape, d) != b->dims[d])
      return sli_status_make(
          SLI_INVALID_ARGUMENT,
          "Dimension %d does not equal (no broadcasting is supported): sparse side %lld vs dense side "
          "%lld",
          d, (long long)sli_tensor_int_at(a.shape, d), (long long)b->dims[d]);
  int64_t dims[SLI_MAX_RANK];
  for (int d = 0; d < b->rank; d++) dims[d] = b->dims[d];
  int rank = b->rank;
  for (int64_t i = 0; i < a.count; i++)
    for (int d = 0; d < rank; d++) {
      int64_t index = sli_tensor_int_at(a.indices, i * rank + d);
      if (index < 0 || index >= dims[d])
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "Sparse tensor has an invalid index on dimension %d: a_indices(%lld,%d) = %lld, dense "
                               "tensor shape: %s",
                               d, (long long)i, d, (long long)index, sli_tensor_shape_text(b).text);
    }
  const void *from = b->data;
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 3, 0, (sli_shape_t){rank, dims}, &output));
  sli_dtype_t dtype = (sli_dtype_t)output->dtype;
  if (output->data != from) sli_elements_copy(dtype, output->data, from, output->count);
  for (int64_t i = 0; i < a.count; i++) {
    int64_t at = 0;
    for (int d = 0; d < rank; d++) at = at * dims[d] + sli_tensor_int_at(a.indices, i * rank + d);
    sli_accumulate(SLI_ACCUMULATE_ADD, dtype, sli_tensor_at(output, at), sli_tensor_at(a.values, i), 1, 1);
  }
  return NULL;
}

static sli_status_t *dense_add_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_input(c, 3));
  return NULL;
}

static sli_status_t *dense_add_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  sli_gradient_set(b, 1, sli_emit2(b, "GatherNd", gradient, sli_gradient_input(b, 0)));
  sli_gradient_set(b, 3, gradient);
  return NULL;
}

#define NUMBERS                                                                                                     \
  "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, " \
  "uint16, complex128, half, uint32, uint64}"
#define REALS "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
#define BOTH "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64"

static const sli_op_def_t ops[] = {
    {.name = "SparseAdd",
     .inputs = BOTH ", thresh: Treal",
     .outputs = "sum_indices: int64, sum_values: T, sum_shape: int64",
     .attrs = "T: " NUMBERS "; Treal: " REALS,
     .summary = "Adds two sparse tensors and drops small sums.",
     .shape = union_shape,
     .gradient = add_gradient,
     .forwards_input = true},
    {.name = "SparseAddGrad",
     .inputs = "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64",
     .outputs = "a_val_grad: T, b_val_grad: T",
     .attrs = "T: " NUMBERS,
     .summary = "The gradient of SparseAdd.",
     .shape = add_grad_shape,
     .not_differentiable = true},
    {.name = "SparseSparseMaximum",
     .inputs = BOTH,
     .outputs = "output_indices: int64, output_values: T",
     .attrs = "T: " REALS,
     .summary = "The larger elements of two sparse tensors; an entry that is not there counts as zero.",
     .shape = union_shape,
     .gradient = no_gradient},
    {.name = "SparseSparseMinimum",
     .inputs = BOTH,
     .outputs = "output_indices: int64, output_values: T",
     .attrs = "T: " NUMBERS,
     .summary = "The smaller elements of two sparse tensors; an entry that is not there counts as zero.",
     .shape = union_shape,
     .gradient = no_gradient},
    {.name = "SparseTensorDenseAdd",
     .inputs = "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T",
     .outputs = "output: T",
     .attrs = "T: " NUMBERS "; Tindices: {int32, int64}",
     .summary = "Adds a sparse tensor to a dense one.",
     .shape = dense_add_shape,
     .gradient = dense_add_gradient,
     .forwards_input = true},
};

#define SUMS (SLI_TYPES_COMPLEX | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_SIGNED)

static const sli_kernel_def_t kernels[] = {
    {.op = "SparseAdd", .types = SUMS, .compute = add_compute},
    {.op = "SparseAddGrad", .types = SUMS, .compute = add_grad_compute},
    {.op = "SparseSparseMaximum", .types = SLI_TYPES_REAL, .compute = maximum_compute},
    {.op = "SparseSparseMinimum", .types = SLI_TYPES_REAL, .compute = minimum_compute},
    {.op = "SparseTensorDenseAdd",
     .types = SLI_TYPES_NUMBER,
     .where = {{"Tindices", SLI_TYPES_INDEX}},
     .compute = dense_add_compute},
};
SLI_OP_MODULE(sparse_combine);
