#include "io/checkpoint/tensor_slice.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/checkpoint/ordered_code.h"

bool sli_tensor_slice_count(const int64_t *dims, int rank, int64_t *out_count) {
  // A later zero must not hide an overflow, and an overflow must not hide a later zero.
  bool zero = false;
  for (int d = 0; d < rank; d++) {
    if (dims[d] < 0) return false;
    zero |= dims[d] == 0;
  }
  *out_count = zero ? 0 : 1;
  for (int d = 0; d < rank && !zero; d++)
    if (__builtin_mul_overflow(*out_count, dims[d], out_count)) return false;
  return true;
}

static bool is_all(sli_tensor_slice_extent_t extent) {
  return extent.start == 0 && extent.length == SLI_TENSOR_SLICE_ALL;
}

bool sli_tensor_slice_fits(const sli_tensor_slice_extent_t *slice, const int64_t *dims, int rank) {
  for (int d = 0; d < rank; d++) {
    if (is_all(slice[d])) continue;
    if (slice[d].start < 0 || slice[d].length <= 0 || slice[d].start > dims[d] ||
        slice[d].length > dims[d] - slice[d].start)
      return false;
  }
  return true;
}

bool sli_tensor_slice_is_whole(const sli_tensor_slice_extent_t *slice, const int64_t *dims, int rank) {
  for (int d = 0; d < rank; d++)
    if (!is_all(slice[d]) && slice[d].length != dims[d]) return false;
  return true;
}

void sli_tensor_slice_resolve(const sli_tensor_slice_extent_t *slice, const int64_t *dims, int rank,
                              sli_tensor_slice_extent_t *out_slice) {
  for (int d = 0; d < rank; d++) out_slice[d] = is_all(slice[d]) ? (sli_tensor_slice_extent_t){0, dims[d]} : slice[d];
}

bool sli_tensor_slice_intersect(const sli_tensor_slice_extent_t *a, const sli_tensor_slice_extent_t *b, int rank,
                                sli_tensor_slice_extent_t *out_slice) {
  for (int d = 0; d < rank; d++) {
    int64_t start = a[d].start > b[d].start ? a[d].start : b[d].start;
    int64_t a_end = a[d].start + a[d].length, b_end = b[d].start + b[d].length;
    int64_t end = a_end < b_end ? a_end : b_end;
    if (end <= start) return false;
    out_slice[d] = (sli_tensor_slice_extent_t){start, end - start};
  }
  return true;
}

void sli_tensor_slice_copy(const sli_tensor_slice_extent_t *part, int rank, size_t element_size,
                           const sli_tensor_slice_extent_t *source, const void *from,
                           const sli_tensor_slice_extent_t *target, void *to) {
  // The dimensions from |inner| on are contiguous in both. Together with the dimension before they are one run.
  int inner = rank;
  size_t run = element_size;
  while (inner > 0 && part[inner - 1].length == source[inner - 1].length &&
         part[inner - 1].length == target[inner - 1].length)
    run *= (size_t)part[--inner].length;
  size_t stride_from[SLI_TENSOR_SLICE_MAX_RANK + 1], stride_to[SLI_TENSOR_SLICE_MAX_RANK + 1];
  stride_from[inner] = stride_to[inner] = run;
  const char *in = from;
  char *out = to;
  for (int d = inner - 1; d >= 0; d--) {
    in += stride_from[d + 1] * (size_t)(part[d].start - source[d].start);
    out += stride_to[d + 1] * (size_t)(part[d].start - target[d].start);
    stride_from[d] = stride_from[d + 1] * (size_t)source[d].length;
    stride_to[d] = stride_to[d + 1] * (size_t)target[d].length;
  }
  if (inner > 0) run *= (size_t)part[--inner].length;
  if (run == 0) return;

  int64_t index[SLI_TENSOR_SLICE_MAX_RANK] = {0};
  for (int d = inner; d >= 0;) {
    memcpy(out, in, run);
    // Count up the outer dimensions like an odometer.
    for (d = inner - 1; d >= 0; d--) {
      in += stride_from[d + 1];
      out += stride_to[d + 1];
      if (++index[d] < part[d].length) break;
      in -= stride_from[d + 1] * (size_t)part[d].length;
      out -= stride_to[d + 1] * (size_t)part[d].length;
      index[d] = 0;
    }
  }
}

void sli_tensor_slice_describe(const sli_tensor_slice_extent_t *slice, int rank, sli_string_t *out) {
  for (int d = 0; d < rank; d++) {
    if (d) sli_string_append_char(out, ':');
    if (is_all(slice[d]))
      sli_string_append_char(out, '-');
    else
      sli_string_append_format(out, "%" PRId64 ",%" PRId64, slice[d].start, slice[d].length);
  }
}

void sli_tensor_slice_key(sli_view_t name, const sli_tensor_slice_extent_t *slice, int rank, sli_string_t *out) {
  sli_ordered_code_write_uint(out, 0);
  sli_ordered_code_write_string(out, name);
  sli_ordered_code_write_uint(out, (uint64_t)rank);
  for (int d = 0; d < rank; d++) {
    sli_ordered_code_write_int(out, slice[d].start);
    sli_ordered_code_write_int(out, slice[d].length);
  }
}

typedef SLI_ARRAY(int64_t) dims_t;
typedef SLI_ARRAY(sli_tensor_slice_extent_t) extents_t;

static sli_status_t *parse_extents(sli_view_t text, extents_t *extents) {
  sli_view_t rest = text, item, start, length;
  for (bool more = true; more;) {
    more = sli_view_split(rest, ':', &item, &rest);
    if (item.size == 0) continue;
    sli_tensor_slice_extent_t extent = {0, SLI_TENSOR_SLICE_ALL};
    if (!sli_view_is(item, "-")) {
      if (!sli_view_split(item, ',', &start, &length) || !sli_view_to_int64(start, &extent.start) ||
          !sli_view_to_int64(length, &extent.length))
        return sli_status_make(SLI_INVALID_ARGUMENT, "Expected a pair of numbers or '-' but got '%.*s': string = %.*s",
                               SLI_VIEW_ARG(item), SLI_VIEW_ARG(text));
      if (extent.start < 0 || extent.length <= 0)
        return sli_status_make(SLI_INVALID_ARGUMENT,
                               "Expected non-negative start and positive length but got start = %" PRId64
                               ", length = %" PRId64 ": string = %.*s",
                               extent.start, extent.length, SLI_VIEW_ARG(text));
    }
    sli_array_push(extents, extent);
  }
  return NULL;
}

static sli_status_t *parse_parts(sli_view_t spec, dims_t *dims, extents_t *extents) {
  sli_view_t rest = spec, item;
  while (sli_view_split(rest, ' ', &item, &rest)) {
    int64_t dim;
    if (!sli_view_to_int64(item, &dim) || dim < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Non numerical dimension in shape_and_slice: %.*s",
                             SLI_VIEW_ARG(spec));
    sli_array_push(dims, dim);
  }
  if (dims->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Need least two elements in shape_and_slice specification: %.*s",
                           SLI_VIEW_ARG(spec));
  SLI_RETURN_IF_ERROR(parse_extents(item, extents));
  int64_t count;
  if (dims->count > SLI_TENSOR_SLICE_MAX_RANK || !sli_tensor_slice_count(dims->items, (int)dims->count, &count))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape is too large in shape_and_slice: %.*s", SLI_VIEW_ARG(spec));
  if (dims->count != extents->count)
    return sli_status_make(SLI_INTERNAL, "Mismatching ranks: shape_and_slice = %.*s", SLI_VIEW_ARG(spec));
  if (!sli_tensor_slice_fits(extents->items, dims->items, (int)dims->count))
    return sli_status_make(SLI_INTERNAL, "Extent out of bounds: shape_and_slice = %.*s", SLI_VIEW_ARG(spec));
  return NULL;
}

sli_status_t *sli_tensor_slice_spec_parse(sli_view_t spec, sli_tensor_slice_spec_t *out_spec) {
  *out_spec = (sli_tensor_slice_spec_t){0};
  dims_t dims = {0};
  extents_t extents = {0};
  sli_status_t *status = parse_parts(spec, &dims, &extents);
  if (status) {
    sli_array_deinitialize(&dims);
    sli_array_deinitialize(&extents);
    return status;
  }
  *out_spec = (sli_tensor_slice_spec_t){.rank = (int)dims.count, .dims = dims.items, .slice = extents.items};
  out_spec->slice_dims = sli_malloc(dims.count * sizeof(int64_t));
  for (size_t d = 0; d < dims.count; d++)
    out_spec->slice_dims[d] = is_all(extents.items[d]) ? dims.items[d] : extents.items[d].length;
  return NULL;
}

void sli_tensor_slice_spec_deinitialize(sli_tensor_slice_spec_t *spec) {
  free(spec->dims);
  free(spec->slice);
  free(spec->slice_dims);
  *spec = (sli_tensor_slice_spec_t){0};
}
