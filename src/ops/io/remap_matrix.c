// LoadAndRemapMatrix: a matrix of a checkpoint whose rows and columns changed places, as vocabularies grow. What has no
// old place is taken from |initializing_values|, in order.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/io/checkpoint_tensor.h"

// Reads |remapping|: the old place of each new one, negative for none. Fails if two have the same.
static sli_status_t *check_remapping(const sli_tensor_t *remapping, int64_t limit, bool rows) {
  const int64_t *old = SLI_DATA(int64_t, remapping);
  int64_t *owner = sli_malloc_or_null((size_t)(limit > 0 ? limit : 1) * sizeof(*owner));
  if (!owner) return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when remapping %lld IDs", (long long)limit);
  for (int64_t i = 0; i < limit; i++) owner[i] = -1;
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < remapping->count && !status; i++) {
    if (old[i] < 0) continue;
    if (old[i] >= limit)
      status = sli_status_make(rows ? SLI_INTERNAL : SLI_INVALID_ARGUMENT,
                               "Extent in dimension %d out of bounds: old ID %lld, but the matrix has %lld",
                               rows ? 0 : 1, (long long)old[i], (long long)limit);
    else if (owner[old[i]] >= 0)
      status = sli_status_make(SLI_UNIMPLEMENTED,
                               "Old ID %lld is mapped to both new ID %lld and %lld, which is not supported.",
                               (long long)old[i], (long long)owner[old[i]], (long long)i);
    else
      owner[old[i]] = i;
  }
  free(owner);
  return status;
}

typedef struct {
  int64_t rows, columns, rows_in_memory;
  const sli_tensor_t *row_remapping, *column_remapping, *initial;
  sli_tensor_t *output;
} remap_t;

static int64_t old_column(const remap_t *remap, int64_t column) {
  return remap->column_remapping->count ? SLI_DATA(int64_t, remap->column_remapping)[column] : column;
}

// Copies what rows [first, first + count) of the old matrix, in |part|, give to the new one.
static void copy_rows(const remap_t *remap, const float *part, int64_t first, int64_t count, int64_t width) {
  for (int64_t i = 0; i < remap->rows; i++) {
    int64_t row = SLI_DATA(int64_t, remap->row_remapping)[i] - first;
    if (row < 0 || row >= count) continue;
    for (int64_t j = 0; j < remap->columns; j++) {
      int64_t column = old_column(remap, j);
      if (column >= 0) SLI_DATA(float, remap->output)[i * remap->columns + j] = part[row * width + column];
    }
  }
}

static sli_status_t *read_rows(sli_kernel_context_t *context, const remap_t *remap, sli_checkpoint_reader_t *reader,
                               const sli_bundle_entry_t *entry) {
  int64_t low = -1, high = -1, width = entry->dims[1];
  for (int64_t i = 0; i < remap->rows; i++) {
    int64_t row = SLI_DATA(int64_t, remap->row_remapping)[i];
    if (row < 0) continue;
    if (low < 0 || row < low) low = row;
    if (row > high) high = row;
  }
  if (low < 0) return NULL;
  int64_t step = remap->rows_in_memory > 0 ? remap->rows_in_memory : high - low + 1;
  for (int64_t first = low; first <= high; first += step) {
    int64_t count = high - first + 1 < step ? high - first + 1 : step, dims[] = {count, width};
    sli_tensor_slice_extent_t slice[] = {{first, count}, {0, width}};
    sli_tensor_t *part;
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_temporary(context, SLI_DTYPE_FLOAT, (sli_shape_t){2, dims}, &part));
    sli_status_t *status = sli_checkpoint_tensor_read(reader, entry, slice, part);
    if (!status) copy_rows(remap, SLI_DATA(float, part), first, count, width);
    sli_tensor_release(part);
    if (status) return status;
  }
  return NULL;
}

static sli_status_t *fill_missing(const remap_t *remap) {
  int64_t used = 0, given = remap->initial->count;
  for (int64_t i = 0; i < remap->rows; i++) {
    bool present = SLI_DATA(int64_t, remap->row_remapping)[i] >= 0;
    for (int64_t j = 0; j < remap->columns; j++) {
      if (present && old_column(remap, j) >= 0) continue;
      if (used >= given)
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "initializing_values contained %lld elements, but more missing values remain.",
                               (long long)given);
      SLI_DATA(float, remap->output)[i * remap->columns + j] = SLI_DATA(float, remap->initial)[used++];
    }
  }
  if (used != given)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "initializing_values contained %lld elements, but only %lld elements were used to fill in "
                           "missing values.",
                           (long long)given, (long long)used);
  return NULL;
}

static sli_status_t *check_entry(const remap_t *remap, const sli_bundle_entry_t *entry) {
  char *shape = sli_shape_to_text((sli_shape_t){entry->rank, entry->dims});
  sli_status_t *status = NULL;
  if (entry->dtype != (int)SLI_DTYPE_FLOAT)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Tensor %.*s has invalid type %s instead of expected type float",
                             SLI_VIEW_ARG(entry->name), sli_dtype_name((sli_dtype_t)entry->dtype));
  else if (entry->rank != 2)
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "Tensor %.*s has shape %s of invalid rank %d instead of expected shape of rank 2.",
                             SLI_VIEW_ARG(entry->name), shape, entry->rank);
  else if (!remap->column_remapping->count && remap->columns != entry->dims[1])
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "Tensor %.*s has shape %s, where the size of its 2nd dimension is %lld instead of being "
                             "equal to num_cols=%lld",
                             SLI_VIEW_ARG(entry->name), shape, (long long)entry->dims[1], (long long)remap->columns);
  free(shape);
  if (!status) status = check_remapping(remap->row_remapping, entry->dims[0], true);
  if (!status) status = check_remapping(remap->column_remapping, entry->dims[1], false);
  return status;
}

static sli_status_t *read_remap(sli_kernel_context_t *context, remap_t *remap) {
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "num_rows", &remap->rows));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "num_cols", &remap->columns));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "max_rows_in_memory", &remap->rows_in_memory));
  for (int i = 0; i < 2; i++)
    if (sli_kernel_input(context, i)->count != 1)
      return sli_status_make(
          SLI_INVALID_ARGUMENT, "The `%s` tensor must have exactly one element, got tensor of shape %s.",
          i ? "old_tensor_name" : "ckpt_path", sli_tensor_shape_text(sli_kernel_input(context, i)).text);
  for (int i = 2; i < 4; i++)
    if (sli_kernel_input(context, i)->rank != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT, "The `%s` tensor must be 1-D, got a tensor of shape %s",
                             i == 2 ? "row_remapping" : "col_remapping",
                             sli_tensor_shape_text(sli_kernel_input(context, i)).text);
  remap->row_remapping = sli_kernel_input(context, 2);
  remap->column_remapping = sli_kernel_input(context, 3);
  remap->initial = sli_kernel_input(context, 4);
  if (remap->row_remapping->count != remap->rows)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Size of row_remapping is %lld instead of being equal to num_rows=%lld",
                           (long long)remap->row_remapping->count, (long long)remap->rows);
  if (remap->column_remapping->count && remap->column_remapping->count != remap->columns)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Provided col_remapping, but its size is %lld instead of being equal to num_cols=%lld",
                           (long long)remap->column_remapping->count, (long long)remap->columns);
  return NULL;
}

static sli_status_t *load_and_remap(sli_kernel_context_t *context) {
  remap_t remap = {0};
  SLI_RETURN_IF_ERROR(read_remap(context, &remap));
  sli_view_t path = sli_tensor_string_at(sli_kernel_input(context, 0), 0);
  char *prefix = sli_strndup(path.data, path.size);
  sli_checkpoint_reader_t *reader = NULL;
  const sli_bundle_entry_t *entry;
  int64_t dims[] = {remap.rows, remap.columns};
  sli_status_t *status = sli_checkpoint_reader_open(prefix, &reader);
  if (!status)
    status = sli_checkpoint_reader_lookup(reader, sli_tensor_string_at(sli_kernel_input(context, 1), 0), &entry);
  if (!status) status = check_entry(&remap, entry);
  if (!status) status = sli_kernel_allocate_output(context, 0, (sli_shape_t){2, dims}, &remap.output);
  if (!status) status = read_rows(context, &remap, reader, entry);
  if (!status) status = fill_missing(&remap);
  sli_checkpoint_reader_release(reader);
  free(prefix);
  return status;
}

static sli_status_t *load_and_remap_shape(sli_infer_context_t *c) {
  sli_shape_t scalar;
  int64_t dims[2];
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &scalar));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_rows", &dims[0]));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_cols", &dims[1]));
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "LoadAndRemapMatrix",
     .inputs = "ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64, "
               "initializing_values: float",
     .outputs = "output_matrix: float",
     .attrs = "num_rows: int >= 0; num_cols: int >= 1; max_rows_in_memory: int = -1",
     .shape = load_and_remap_shape,
     .not_differentiable = true,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "LoadAndRemapMatrix", .compute = load_and_remap, .expensive = true, .blocks = true},
};

SLI_OP_MODULE(remap_matrix);
