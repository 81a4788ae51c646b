// DataFormatDimMap and DataFormatVecPermute: convert dim numbers, and vectors with one value per dim, from one data
// format to another.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

enum { MAX_FORMAT = 5 };

// A source and a destination format, which are permutations of each other.
typedef struct {
  int rank;
  char source[MAX_FORMAT], destination[MAX_FORMAT];
} format_pair_t;

static int find(const char *format, int rank, char letter) {
  for (int i = 0; i < rank; i++)
    if (format[i] == letter) return i;
  return -1;
}

static sli_status_t *formats_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_view_t source, destination;
  format_pair_t formats = {0};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "src_format", &source));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "dst_format", &destination));
  if (source.size != 4 && source.size != 5)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Source format must be of length 4 or 5, received src_format = %.*s",
                           SLI_VIEW_ARG(source));
  if (destination.size != 4 && destination.size != 5)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Destination format must be of length 4 or 5, received dst_format = %.*s",
                           SLI_VIEW_ARG(destination));
  bool permutation = source.size == destination.size;
  for (size_t i = 0; i < source.size && permutation; i++) {
    permutation = memchr(destination.data, source.data[i], destination.size) &&
                  !memchr(source.data + i + 1, source.data[i], source.size - i - 1);
  }
  if (!permutation)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Destination and source format must determine a permutation, got %.*s and %.*s",
                           SLI_VIEW_ARG(source), SLI_VIEW_ARG(destination));
  formats.rank = (int)source.size;
  memcpy(formats.source, source.data, source.size);
  memcpy(formats.destination, destination.data, destination.size);
  *out_state = sli_memdup(&formats, sizeof(formats));
  return NULL;
}

static void set_int(sli_tensor_t *tensor, int64_t i, int64_t value) {
  if (tensor->dtype == SLI_DTYPE_INT64)
    SLI_DATA(int64_t, tensor)[i] = value;
  else
    SLI_DATA(int32_t, tensor)[i] = (int32_t)value;
}

static sli_status_t *dim_map(sli_kernel_context_t *context) {
  const format_pair_t *f = sli_kernel_state(context);
  sli_tensor_t *x = sli_kernel_input(context, 0), *y;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(x), &y));
  for (int64_t i = 0; i < x->count; i++) {
    int64_t dim = sli_tensor_int_at(x, i);
    if (dim < -f->rank || dim >= f->rank)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension %lld must be in the range [%d, %d)", (long long)dim,
                             -f->rank, f->rank);
    set_int(y, i, find(f->destination, f->rank, f->source[dim < 0 ? dim + f->rank : dim]));
  }
  return NULL;
}

// The formats without the batch and channel dims.
static format_pair_t spatial_part(const format_pair_t *f) {
  format_pair_t part = {0};
  int count[2] = {0, 0};
  for (int i = 0; i < f->rank; i++) {
    if (!strchr("NC", f->source[i])) part.source[count[0]++] = f->source[i];
    if (!strchr("NC", f->destination[i])) part.destination[count[1]++] = f->destination[i];
  }
  part.rank = count[0];
  return part;
}

static sli_status_t *format_shape_error(const char *text, const sli_tensor_t *x) {
  char *shape = sli_shape_to_text(sli_tensor_shape(x));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s, but got shape %s", text, shape);
  free(shape);
  return status;
}

static sli_status_t *vec_permute(sli_kernel_context_t *context) {
  const format_pair_t *f = sli_kernel_state(context);
  format_pair_t spatial = spatial_part(f);
  sli_tensor_t *x = sli_kernel_input(context, 0), *y;
  if (x->rank != 1 && x->rank != 2) return format_shape_error("input must be a vector or 2D tensor", x);
  if (x->dims[0] == f->rank - 2 && spatial.rank != f->rank - 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Format specifier must contain %s for %dD case",
                           f->rank == 4 ? "H and W" : "D, H and W", f->rank - 2);
  if (x->dims[0] != f->rank && x->dims[0] != spatial.rank) {
    char *text = sli_format("%dD input must be of size %d or %d", x->rank, spatial.rank, f->rank);
    sli_status_t *status = format_shape_error(text, x);
    free(text);
    return status;
  }
  if (x->rank == 2 && x->dims[1] != 2) return format_shape_error("Second dimension of 2D input must be of size 2", x);
  const format_pair_t *used = x->dims[0] == f->rank ? f : &spatial;
  int64_t width = x->rank == 2 ? 2 : 1;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(x), &y));
  for (int i = 0; i < used->rank; i++) {
    int from = find(used->source, used->rank, used->destination[i]);
    for (int64_t j = 0; j < width; j++) set_int(y, i * width + j, sli_tensor_int_at(x, from * width + j));
  }
  return NULL;
}

#define ATTRS "T: {int32, int64} = DT_INT32; src_format: string = 'NHWC'; dst_format: string = 'NCHW'"

static const sli_op_def_t ops[] = {
    {.name = "DataFormatDimMap",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = ATTRS,
     .summary = "Converts dimension numbers from one data format to another.",
     .shape = sli_infer_fn_unchanged},
    {.name = "DataFormatVecPermute",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = ATTRS,
     .summary = "Permutes a vector with one value per dimension from one data format to another.",
     .shape = sli_infer_fn_unchanged},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "DataFormatDimMap", .types = SLI_TYPES_INDEX, .compute = dim_map, .create = formats_create, .destroy = free},
    {.op = "DataFormatVecPermute",
     .types = SLI_TYPES_INDEX,
     .compute = vec_permute,
     .create = formats_create,
     .destroy = free},
};

SLI_OP_MODULE(data_format);
