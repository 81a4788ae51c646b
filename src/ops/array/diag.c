// Diag, DiagPart; MatrixDiag…, MatrixDiagPart…, MatrixSetDiag… with any band of
// diagonals; MatrixBandPart.
//
// A band of the diagonals lower to upper is stored as rows, each as long as the longest diagonal, the uppermost
// diagonal first. Shorter diagonals are aligned left or right in their row.
#include <string.h>

#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

// Diag makes a [d…, d…] tensor with the elements of [d…] on the diagonal.
static sli_status_t *diag_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (input->rank < 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Input must be at least rank 1, got 0");
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(2 * input->rank));
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < 2 * input->rank; i++) dims[i] = input->dims[i % input->rank];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){2 * input->rank, dims}, &output));
  if (output->count == 0) return NULL;
  sli_elements_clear(output->dtype, output->data, output->count);
  sli_elements_strided_copy(NULL, input->dtype, 1, &input->count, output->data, (int64_t[]){input->count + 1},
                            input->data, (int64_t[]){1});
  return NULL;
}

static sli_status_t *diag_part_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (input->rank < 2 || input->rank % 2) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "The rank of the tensor should be even and positive, got shape %s",
                           sli_tensor_shape_text(input).text);
  }
  int half = input->rank / 2;
  for (int i = 0; i < half; i++) {
    if (input->dims[i] != input->dims[i + half]) {
      return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid shape %s: dimensions %d and %d do not match.",
                             sli_tensor_shape_text(input).text, i, i + half);
    }
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){half, input->dims}, &output));
  sli_elements_strided_copy(NULL, input->dtype, 1, &output->count, output->data, (int64_t[]){1}, input->data,
                            (int64_t[]){output->count + 1});
  return NULL;
}

static sli_status_t *diag_shape(sli_infer_context_t *c) {
  sli_shape_t in;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &in));
  sli_infer_set_output(c, 0, in.rank < 0 ? in : sli_infer_concatenate(c, in, in));
  return NULL;
}

static sli_status_t *diag_part_shape(sli_infer_context_t *c) {
  sli_shape_t in = sli_infer_input(c, 0), out;
  if (in.rank < 0) return sli_infer_fn_unknown(c);
  if (in.rank % 2 || in.rank == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input must have even and non-zero rank, input rank is %d", in.rank);
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_subshape(c, in, 0, in.rank / 2),
                                      sli_infer_subshape(c, in, in.rank / 2, in.rank), &out));
  sli_infer_set_output(c, 0, out);
  return NULL;
}

static sli_status_t *diag_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 0, SLI_EMIT(b, "DiagPart", SLI_INPUTS(sli_gradient_of_output(b, 0))));
  return NULL;
}

static sli_status_t *diag_part_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 0, SLI_EMIT(b, "Diag", SLI_INPUTS(sli_gradient_of_output(b, 0))));
  return NULL;
}

// A band of a [rows, columns] matrix.
typedef struct {
  int64_t rows, columns, lower, upper, width;  // |width|: of the longest diagonal
  bool super_left, sub_left;
} band_t;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

// Diagonal |d|: its length, and where it starts in its row of the band.
static int64_t diagonal_length(const band_t *band, int64_t d, int64_t *out_offset) {
  int64_t length = least(band->rows + least(d, 0), band->columns - most(d, 0));
  bool left = (d >= 0 && band->super_left) || (d <= 0 && band->sub_left);
  *out_offset = left ? 0 : band->width - length;
  return length < 0 ? 0 : length;
}

static sli_status_t *read_band(sli_kernel_context_t *context, int k_input, band_t *band) {
  band->lower = band->upper = 0;
  band->super_left = band->sub_left = true;
  const sli_attr_t *align = sli_node_attr(context->node, "align");
  if (align) {
    band->super_left = sli_view_starts_with(align->s, "LEFT");
    band->sub_left = sli_view_ends_with(align->s, "LEFT");
  }
  if (k_input >= context->input_count) return NULL;
  sli_tensor_t *k = sli_kernel_input(context, k_input);
  if (k->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "diag_index must be a scalar or vector, received shape: %s",
                           sli_tensor_shape_text(k).text);
  if (k->count < 1 || k->count > 2) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "diag_index must have only one or two elements, received %lld elements.",
                           (long long)k->count);
  }
  band->lower = sli_tensor_int_at(k, 0);
  band->upper = sli_tensor_int_at(k, k->count - 1);
  if (band->lower > band->upper) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "lower_diag_index must not be larger than upper_diag_index: %lld > %lld",
                           (long long)band->lower, (long long)band->upper);
  }
  return NULL;
}

static sli_status_t *check_band(band_t *band) {
  int64_t bounds[] = {band->lower, band->upper};
  for (int i = 0; i < 2; i++) {
    if (bounds[i] != 0 && (bounds[i] <= -band->rows || bounds[i] >= band->columns)) {
      return sli_status_make(
          SLI_INVALID_ARGUMENT, "%s_diag_index is out of bound: %lld It must be between %lld and %lld",
          i ? "upper" : "lower", (long long)bounds[i], (long long)-band->rows, (long long)band->columns);
    }
  }
  band->width = least(band->rows + least(band->upper, 0), band->columns - most(band->lower, 0));
  return NULL;
}

// Copies every diagonal of |count| matrices to the rows of the band, or from them.
static void move_band(const band_t *band, sli_dtype_t dtype, int64_t count, void *matrix, void *rows, bool to_matrix) {
  const size_t size = sli_dtype_size(dtype);
  int64_t diagonals = band->upper - band->lower + 1;
  for (int64_t m = 0; m < count; m++) {
    for (int64_t d = band->lower; d <= band->upper; d++) {
      int64_t offset, length = diagonal_length(band, d, &offset);
      char *at =
          (char *)matrix + (size_t)(m * band->rows * band->columns + most(-d, 0) * band->columns + most(d, 0)) * size;
      char *row = (char *)rows + (size_t)((m * diagonals + band->upper - d) * band->width + offset) * size;
      int64_t step = band->columns + 1;
      if (to_matrix) {
        sli_elements_strided_copy(NULL, dtype, 1, &length, at, &step, row, (int64_t[]){1});
      } else {
        sli_elements_strided_copy(NULL, dtype, 1, &length, row, (int64_t[]){1}, at, &step);
      }
    }
  }
}

// The element of a scalar input, or zero if there is no such input.
static sli_status_t *padding_value(sli_kernel_context_t *context, int index, const void **out_value) {
  static const uint64_t zeros[2];
  *out_value = zeros;
  if (index >= context->input_count) return NULL;
  sli_tensor_t *value = sli_kernel_input(context, index);
  if (value->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "padding_value must be a scalar, received shape: %s",
                           sli_tensor_shape_text(value).text);
  *out_value = value->data;
  return NULL;
}

// MatrixDiagPart, V2, V3 extract the band of each matrix.
static sli_status_t *matrix_diag_part_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  band_t band;
  const void *padding;
  if (input->rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be at least 2-dim, received shape: %s",
                           sli_tensor_shape_text(input).text);
  SLI_RETURN_IF_ERROR(read_band(context, 1, &band));
  SLI_RETURN_IF_ERROR(padding_value(context, 2, &padding));
  int batch = input->rank - 2, rank = batch;
  band.rows = input->dims[batch];
  band.columns = input->dims[batch + 1];
  SLI_RETURN_IF_ERROR(check_band(&band));
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, input->dims, (size_t)batch * sizeof(int64_t));
  if (band.upper > band.lower) dims[rank++] = band.upper - band.lower + 1;
  dims[rank++] = band.width;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  if (output->count == 0) return NULL;
  sli_elements_fill(output->dtype, output->data, padding, output->count);
  move_band(&band, input->dtype, sli_shape_product(input->dims, 0, batch), input->data, output->data, false);
  return NULL;
}

// Sets the number of rows and columns of a matrix with this band where they are -1.
static sli_status_t *matrix_size(band_t *band) {
  int64_t rows = band->width - least(band->upper, 0), columns = band->width + most(band->lower, 0);
  if (band->rows != -1 && band->rows < rows)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The number of rows is too small.");
  if (band->columns != -1 && band->columns < columns)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The number of columns is too small.");
  if (band->rows == -1 && band->columns == -1) {
    band->rows = band->columns = most(rows, columns);
  } else if (band->rows == -1) {
    band->rows = rows;
  } else if (band->columns == -1) {
    band->columns = columns;
  }
  if (band->rows != rows && band->columns != columns) {
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.");
  }
  return NULL;
}

// MatrixDiag, V2, V3 make matrices with the given band and the padding elsewhere.
static sli_status_t *matrix_diag_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  band_t band;
  const void *padding;
  if (input->rank < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "diagonal must be at least 1-dim, received shape: %s",
                           sli_tensor_shape_text(input).text);
  SLI_RETURN_IF_ERROR(read_band(context, 1, &band));
  SLI_RETURN_IF_ERROR(padding_value(context, 4, &padding));
  int64_t diagonals = band.upper - band.lower + 1;
  int batch = input->rank - (diagonals > 1 ? 2 : 1);
  if (batch < 0 || (diagonals > 1 && input->dims[input->rank - 2] != diagonals)) {
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The number of diagonals provided in the input does not match the lower_diag_index and "
                           "upper_diag_index range.");
  }
  band.rows = band.columns = -1;
  if (context->input_count > 3) {
    SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 2, "num_rows", &band.rows));
    SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 3, "num_cols", &band.columns));
  }
  band.width = input->dims[input->rank - 1];
  SLI_RETURN_IF_ERROR(matrix_size(&band));
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(batch + 2));
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, input->dims, (size_t)batch * sizeof(int64_t));
  dims[batch] = band.rows;
  dims[batch + 1] = band.columns;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){batch + 2, dims}, &output));
  if (output->count == 0) return NULL;
  sli_elements_fill(output->dtype, output->data, padding, output->count);
  move_band(&band, input->dtype, sli_shape_product(input->dims, 0, batch), output->data, input->data, true);
  return NULL;
}

// MatrixSetDiag, V2, V3 replace a band of the input.
static sli_status_t *matrix_set_diag_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *diagonal = sli_kernel_input(context, 1), *output;
  band_t band;
  if (input->rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be at least 2-dim, received shape: %s",
                           sli_tensor_shape_text(input).text);
  if (diagonal->rank < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "diagonal must be at least 1-dim, received shape: %s",
                           sli_tensor_shape_text(diagonal).text);
  SLI_RETURN_IF_ERROR(read_band(context, 2, &band));
  int batch = input->rank - 2, rank = batch;
  band.rows = input->dims[batch];
  band.columns = input->dims[batch + 1];
  SLI_RETURN_IF_ERROR(check_band(&band));
  int64_t dims[SLI_MAX_RANK];
  memcpy(dims, input->dims, (size_t)batch * sizeof(int64_t));
  if (band.upper > band.lower) dims[rank++] = band.upper - band.lower + 1;
  dims[rank++] = band.width;
  if (!sli_shape_equal((sli_shape_t){rank, dims}, sli_tensor_shape(diagonal))) {
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to the "
        "longests diagonal in range [%lld:%lld].\nInput shape: %s\nDiagonal shape: %s\nExpected diagonal shape: %s",
        (long long)band.lower, (long long)band.upper, sli_tensor_shape_text(input).text,
        sli_tensor_shape_text(diagonal).text, sli_shape_text((sli_shape_t){rank, dims}).text);
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  sli_tensor_copy_elements(output, input);
  if (output->count)
    move_band(&band, input->dtype, sli_shape_product(input->dims, 0, batch), output->data, diagonal->data, true);
  return NULL;
}

// MatrixBandPart sets elements outside of the band to zero; a negative bound keeps all of that side.
static sli_status_t *matrix_band_part_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int64_t lower, upper;
  if (input->rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be at least 2-dim, received shape: %s",
                           sli_tensor_shape_text(input).text);
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 1, "num_lower", &lower));
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 2, "num_upper", &upper));
  int64_t rows = input->dims[input->rank - 2], columns = input->dims[input->rank - 1];
  if (lower > rows)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "num_lower must be negative or less or equal to number of rows (%lld) got: %lld",
                           (long long)rows, (long long)lower);
  if (upper > columns)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "num_upper must be negative or less or equal to number of columns (%lld) got: %lld",
                           (long long)columns, (long long)upper);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  if (output->count == 0) return NULL;
  sli_elements_clear(output->dtype, output->data, output->count);
  for (int64_t r = 0; r < input->count / columns; r++) {
    int64_t row = r % rows, first = lower < 0 ? 0 : most(row - lower, 0),
            end = upper < 0 ? columns : least(row + upper + 1, columns);
    if (first < end)
      sli_elements_copy(input->dtype, sli_tensor_at(output, r * columns + first),
                        sli_tensor_at(input, r * columns + first), end - first);
  }
  return NULL;
}

// The band during shape inference; false if it is not constant.
static bool known_band(sli_infer_context_t *c, int k_input, int64_t *lower, int64_t *upper) {
  *lower = *upper = 0;
  if (k_input >= c->node->input_count) return true;
  const sli_tensor_t *k = sli_infer_input_constant(c, k_input);
  if (!k || k->count < 1 || k->count > 2) return false;
  *lower = sli_tensor_int_at(k, 0);
  *upper = sli_tensor_int_at(k, k->count - 1);
  return *lower <= *upper;
}

static sli_status_t *matrix_diag_part_shape(sli_infer_context_t *c) {
  sli_shape_t in;
  int64_t lower, upper, dims[2];
  int count = 0;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &in));
  if (in.rank < 0 || !known_band(c, 1, &lower, &upper)) return sli_infer_fn_unknown(c);
  int64_t rows = in.dims[in.rank - 2], columns = in.dims[in.rank - 1];
  if (upper > lower) dims[count++] = upper - lower + 1;
  dims[count++] = rows < 0 || columns < 0 ? -1 : least(rows + least(upper, 0), columns - most(lower, 0));
  if (rows >= 0 && columns >= 0 && dims[count - 1] < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "lower_diag_index is out of bound");
  sli_infer_set_output(
      c, 0, sli_infer_concatenate(c, sli_infer_subshape(c, in, 0, in.rank - 2), sli_infer_make(c, count, dims)));
  return NULL;
}

static int64_t constant_size(sli_infer_context_t *c, int index) {
  const sli_tensor_t *value = index < c->node->input_count ? sli_infer_input_constant(c, index) : NULL;
  return value && value->count == 1 ? sli_tensor_int_at(value, 0) : index < c->node->input_count ? -2 : -1;
}

static sli_status_t *matrix_diag_shape(sli_infer_context_t *c) {
  sli_shape_t in;
  band_t band = {0};
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &in));
  if (in.rank < 0 || !known_band(c, 1, &band.lower, &band.upper)) return sli_infer_fn_unknown(c);
  bool several = band.upper > band.lower;
  if (several && in.rank < 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "diagonal must be at least 2-dim for several diagonals");
  band.rows = constant_size(c, 2);
  band.columns = constant_size(c, 3);
  band.width = in.dims[in.rank - 1];
  bool open = band.rows == -2 || band.columns == -2;
  int64_t dims[2] = {-1, -1};
  if (!open && band.width >= 0) {
    SLI_RETURN_IF_ERROR(matrix_size(&band));
    dims[0] = band.rows;
    dims[1] = band.columns;
  } else {
    if (band.rows >= 0) dims[0] = band.rows;
    if (band.columns >= 0) dims[1] = band.columns;
  }
  sli_infer_set_output(
      c, 0,
      sli_infer_concatenate(c, sli_infer_subshape(c, in, 0, in.rank - (several ? 2 : 1)), sli_infer_make(c, 2, dims)));
  return NULL;
}

static sli_status_t *matrix_shape(sli_infer_context_t *c) {
  sli_shape_t in;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 2, &in));
  sli_infer_set_output(c, 0, in);
  return NULL;
}

// The one of |names| that has the version of the op being differentiated.
static const char *same_version(sli_gradient_builder_t *b, const char *const names[3]) {
  const char *op = b->node->op->def->name;
  return sli_string_ends_with(op, "V3") ? names[2] : sli_string_ends_with(op, "V2") ? names[1] : names[0];
}

static sli_output_t emit_part(sli_gradient_builder_t *b, sli_output_t matrix, int k_input) {
  static const char *const names[] = {"MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3"};
  const sli_attr_t *align = sli_node_attr(b->node, "align");
  if (k_input >= b->node->input_count) return SLI_EMIT(b, names[0], SLI_INPUTS(matrix));
  sli_output_t k = sli_gradient_input(b, k_input), zero = sli_gradient_const_like(b, matrix, 0);
  if (!align) return SLI_EMIT(b, same_version(b, names), SLI_INPUTS(matrix, k, zero));
  return SLI_EMIT_WITH(b, same_version(b, names), SLI_INPUTS(matrix, k, zero),
                       SLI_ATTRS(((sli_attr_entry_t){"align", *align})));
}

static sli_output_t emit_set(sli_gradient_builder_t *b, sli_output_t matrix, sli_output_t diagonal, int k_input) {
  static const char *const names[] = {"MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3"};
  const sli_attr_t *align = sli_node_attr(b->node, "align");
  if (k_input >= b->node->input_count) return SLI_EMIT(b, names[0], SLI_INPUTS(matrix, diagonal));
  sli_output_t k = sli_gradient_input(b, k_input);
  if (!align) return SLI_EMIT(b, same_version(b, names), SLI_INPUTS(matrix, diagonal, k));
  return SLI_EMIT_WITH(b, same_version(b, names), SLI_INPUTS(matrix, diagonal, k),
                       SLI_ATTRS(((sli_attr_entry_t){"align", *align})));
}

static sli_status_t *matrix_diag_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(b, 0, emit_part(b, sli_gradient_of_output(b, 0), 1));
  return NULL;
}

static sli_status_t *matrix_diag_part_gradient(sli_gradient_builder_t *b) {
  sli_output_t zeros = SLI_EMIT(b, "ZerosLike", SLI_INPUTS(sli_gradient_input(b, 0)));
  sli_gradient_set(b, 0, emit_set(b, zeros, sli_gradient_of_output(b, 0), 1));
  return NULL;
}

static sli_status_t *matrix_set_diag_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  sli_output_t zeros = SLI_EMIT(b, "ZerosLike", SLI_INPUTS(sli_gradient_input(b, 1)));
  sli_gradient_set(b, 0, emit_set(b, gradient, zeros, 2));
  sli_gradient_set(b, 1, emit_part(b, gradient, 2));
  return NULL;
}

static sli_status_t *matrix_band_part_gradient(sli_gradient_builder_t *b) {
  sli_gradient_set(
      b, 0,
      SLI_EMIT(b, "MatrixBandPart",
               SLI_INPUTS(sli_gradient_of_output(b, 0), sli_gradient_input(b, 1), sli_gradient_input(b, 2))));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Diag",
     .inputs = "diagonal: T",
     .outputs = "output: T",
     .attrs = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
     .summary = "A tensor with a given diagonal.",
     .shape = diag_shape,
     .gradient = diag_gradient},
    {.name = "DiagPart",
     .inputs = "input: T",
     .outputs = "diagonal: T",
     .attrs = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
     .summary = "The diagonal of a tensor.",
     .shape = diag_part_shape,
     .gradient = diag_part_gradient},
    {.name = "MatrixDiag",
     .inputs = "diagonal: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "Matrices with given diagonals.",
     .shape = matrix_diag_shape,
     .gradient = matrix_diag_gradient},
    {.name = "MatrixDiagV2",
     .inputs = "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "Matrices with given bands of diagonals.",
     .shape = matrix_diag_shape,
     .gradient = matrix_diag_gradient},
    {.name = "MatrixDiagV3",
     .inputs = "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T",
     .outputs = "output: T",
     .attrs = "T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'",
     .summary = "Matrices with given bands of diagonals.",
     .shape = matrix_diag_shape,
     .gradient = matrix_diag_gradient},
    {.name = "MatrixDiagPart",
     .inputs = "input: T",
     .outputs = "diagonal: T",
     .attrs = "T: type",
     .summary = "The diagonals of matrices.",
     .shape = matrix_diag_part_shape,
     .gradient = matrix_diag_part_gradient},
    {.name = "MatrixDiagPartV2",
     .inputs = "input: T, k: int32, padding_value: T",
     .outputs = "diagonal: T",
     .attrs = "T: type",
     .summary = "Extracts bands of diagonals of matrices.",
     .shape = matrix_diag_part_shape,
     .gradient = matrix_diag_part_gradient},
    {.name = "MatrixDiagPartV3",
     .inputs = "input: T, k: int32, padding_value: T",
     .outputs = "diagonal: T",
     .attrs = "T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'",
     .summary = "Extracts bands of diagonals of matrices.",
     .shape = matrix_diag_part_shape,
     .gradient = matrix_diag_part_gradient},
    {.name = "MatrixSetDiag",
     .inputs = "input: T, diagonal: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "Matrices with their diagonals replaced.",
     .shape = matrix_shape,
     .gradient = matrix_set_diag_gradient},
    {.name = "MatrixSetDiagV2",
     .inputs = "input: T, diagonal: T, k: int32",
     .outputs = "output: T",
     .attrs = "T: type",
     .summary = "Matrices with bands of diagonals replaced.",
     .shape = matrix_shape,
     .gradient = matrix_set_diag_gradient},
    {.name = "MatrixSetDiagV3",
     .inputs = "input: T, diagonal: T, k: int32",
     .outputs = "output: T",
     .attrs = "T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'",
     .summary = "Matrices with bands of diagonals replaced.",
     .shape = matrix_shape,
     .gradient = matrix_set_diag_gradient},
    {.name = "MatrixBandPart",
     .inputs = "input: T, num_lower: Tindex, num_upper: Tindex",
     .outputs = "band: T",
     .attrs = "T: type; Tindex: {int32, int64} = DT_INT64",
     .summary = "Matrices with zeros outside of a band.",
     .shape = sli_infer_fn_unchanged,
     .gradient = matrix_band_part_gradient},
    {.name = "BatchMatrixDiag",
     .inputs = "diagonal: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 14,
     .deprecation = "Use MatrixDiag"},
    {.name = "BatchMatrixDiagPart",
     .inputs = "input: T",
     .outputs = "diagonal: T",
     .attrs = "T: type",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 14,
     .deprecation = "Use MatrixDiagPart"},
    {.name = "BatchMatrixSetDiag",
     .inputs = "input: T, diagonal: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 14,
     .deprecation = "Use MatrixSetDiag"},
    {.name = "BatchMatrixBandPart",
     .inputs = "input: T, num_lower: int64, num_upper: int64",
     .outputs = "band: T",
     .attrs = "T: type",
     .shape = sli_infer_fn_unknown,
     .deprecated_in = 14,
     .deprecation = "Use MatrixBandPart"},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Diag",
     .types = SLI_TYPES_COMPLEX | SLI_TYPES_INDEX | SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = diag_compute},
    {.op = "DiagPart",
     .types = SLI_TYPES_COMPLEX | SLI_TYPES_INDEX | SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .compute = diag_part_compute},
    {.op = "MatrixDiag", .types = SLI_TYPES_POD, .compute = matrix_diag_compute},
    {.op = "MatrixDiagV2", .types = SLI_TYPES_POD, .compute = matrix_diag_compute},
    {.op = "MatrixDiagV3", .types = SLI_TYPES_POD, .compute = matrix_diag_compute},
    {.op = "MatrixDiagPart", .types = SLI_TYPES_POD, .compute = matrix_diag_part_compute},
    {.op = "MatrixDiagPartV2", .types = SLI_TYPES_POD, .compute = matrix_diag_part_compute},
    {.op = "MatrixDiagPartV3", .types = SLI_TYPES_POD, .compute = matrix_diag_part_compute},
    {.op = "MatrixSetDiag", .types = SLI_TYPES_POD, .compute = matrix_set_diag_compute},
    {.op = "MatrixSetDiagV2", .types = SLI_TYPES_POD, .compute = matrix_set_diag_compute},
    {.op = "MatrixSetDiagV3", .types = SLI_TYPES_POD, .compute = matrix_set_diag_compute},
    {.op = "MatrixBandPart", .types = SLI_TYPES_POD, .compute = matrix_band_part_compute},
    {.op = "BatchMatrixDiag", .types = SLI_TYPES_POD, .compute = matrix_diag_compute},
    {.op = "BatchMatrixDiagPart", .types = SLI_TYPES_POD, .compute = matrix_diag_part_compute},
    {.op = "BatchMatrixSetDiag", .types = SLI_TYPES_POD, .compute = matrix_set_diag_compute},
    {.op = "BatchMatrixBandPart", .types = SLI_TYPES_POD & ~SLI_TYPE_BOOL, .compute = matrix_band_part_compute},
};

SLI_OP_MODULE(diag);
