// Reads any part of a tensor from any partition of it. The stored slices that intersect the part must cover it without
// overlapping. Each is read completely, which its checksum requires: directly to its destination if it is contiguous
// there, else through a buffer.
#include <stdlib.h>

#include "base/alloc.h"
#include "io/checkpoint/bundle_internal.h"

static sli_status_t *not_covered(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice) {
  sli_string_t text = {0};
  sli_tensor_slice_describe(slice, entry->rank, &text);
  sli_status_t *status = sli_status_make(
      SLI_INVALID_ARGUMENT, "Does not have sufficient slices for partitioned tensor %.*s to restore in slice_spec: %s",
      SLI_VIEW_ARG(entry->name), sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

// Resolves |slice|; NULL means the whole tensor.
static sli_status_t *resolve_slice(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice,
                                   sli_tensor_slice_extent_t *out_slice) {
  for (int d = 0; d < entry->rank; d++) out_slice[d] = (sli_tensor_slice_extent_t){0, entry->dims[d]};
  if (!slice) return NULL;
  if (!sli_tensor_slice_fits(slice, entry->dims, entry->rank)) return not_covered(entry, slice);
  sli_tensor_slice_resolve(slice, entry->dims, entry->rank, out_slice);
  return NULL;
}

// The |i|th stored slice, resolved. An entry without slices counts as one.
static void stored_slice(const sli_bundle_entry_t *entry, size_t i, sli_tensor_slice_extent_t *out_slice) {
  for (int d = 0; d < entry->rank; d++) out_slice[d] = (sli_tensor_slice_extent_t){0, entry->dims[d]};
  if (entry->slice_count)
    sli_tensor_slice_resolve(entry->slices + i * (size_t)entry->rank, entry->dims, entry->rank, out_slice);
}

static size_t stored_count(const sli_bundle_entry_t *entry) { return entry->slice_count ? entry->slice_count : 1; }

static sli_status_t *slice_size(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice,
                                size_t *out_size) {
  size_t element = sli_bundle_dtype_size(entry->dtype);
  if (element == 0)
    return sli_status_make(SLI_UNIMPLEMENTED, "tensor %.*s in a checkpoint: the data type %d cannot be read as numbers",
                           SLI_VIEW_ARG(entry->name), entry->dtype);
  int64_t count;
  bool fits = sli_tensor_slice_count(entry->dims, entry->rank, &count) &&
              !__builtin_mul_overflow((size_t)count, element, out_size) && *out_size <= INT64_MAX;
  if (!fits)
    return sli_status_make(SLI_DATA_LOSS, "Invalid tensor shape: %.*s is too large", SLI_VIEW_ARG(entry->name));
  *out_size = element;
  for (int d = 0; d < entry->rank; d++) *out_size *= (size_t)slice[d].length;
  return NULL;
}

// If no two parts overlap, they cover |wanted| if and only if their sizes add up to its size.
static sli_status_t *check_cover(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *wanted) {
  sli_tensor_slice_extent_t slice[SLI_TENSOR_SLICE_MAX_RANK], other[SLI_TENSOR_SLICE_MAX_RANK],
      part[SLI_TENSOR_SLICE_MAX_RANK];
  uint64_t size = 1, covered = 0;
  for (int d = 0; d < entry->rank; d++) size *= (uint64_t)wanted[d].length;
  for (size_t i = 0; i < entry->slice_count && covered <= size; i++) {
    stored_slice(entry, i, slice);
    if (!sli_tensor_slice_intersect(slice, wanted, entry->rank, part)) continue;
    uint64_t count = 1;
    for (int d = 0; d < entry->rank; d++) count *= (uint64_t)part[d].length;
    covered += count;
    for (size_t k = 0; k < i; k++) {
      stored_slice(entry, k, other);
      if (sli_tensor_slice_intersect(part, other, entry->rank, other))
        return sli_status_make(SLI_INTERNAL, "Overlapping slices of tensor %.*s in checkpoint",
                               SLI_VIEW_ARG(entry->name));
    }
  }
  return covered == size ? NULL : not_covered(entry, wanted);
}

// Copies the part of |wanted| that the |i|th stored slice contains.
static sli_status_t *read_part(const sli_bundle_entry_t *entry, size_t i, const sli_tensor_slice_extent_t *wanted,
                               char *data, sli_bundle_fetch_t fetch, void *context) {
  int rank = entry->rank;
  size_t size, row = sli_bundle_dtype_size(entry->dtype), element = row;
  sli_tensor_slice_extent_t source[SLI_TENSOR_SLICE_MAX_RANK], part[SLI_TENSOR_SLICE_MAX_RANK];
  stored_slice(entry, i, source);
  if (!sli_tensor_slice_intersect(source, wanted, rank, part)) return NULL;
  SLI_RETURN_IF_ERROR(slice_size(entry, source, &size));
  bool rows = true;
  for (int d = 0; d < rank; d++) {
    rows &= part[d].length == source[d].length && (d == 0 || part[d].length == wanted[d].length);
    if (d > 0) row *= (size_t)wanted[d].length;
  }
  if (rows) return fetch(context, entry, i, data + row * (size_t)(rank ? part[0].start - wanted[0].start : 0), size);
  char *bytes = sli_malloc_or_null(size);
  if (!bytes)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "no memory for %zu bytes of tensor %.*s", size,
                           SLI_VIEW_ARG(entry->name));
  sli_status_t *status = fetch(context, entry, i, bytes, size);
  if (!status) sli_tensor_slice_copy(part, rank, element, source, bytes, wanted, data);
  free(bytes);
  return status;
}

sli_status_t *sli_bundle_assemble(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice, void *data,
                                  size_t size, sli_bundle_fetch_t fetch, void *context) {
  sli_tensor_slice_extent_t wanted[SLI_TENSOR_SLICE_MAX_RANK];
  size_t needed;
  SLI_RETURN_IF_ERROR(resolve_slice(entry, slice, wanted));
  SLI_RETURN_IF_ERROR(slice_size(entry, wanted, &needed));
  if (needed != size)
    return sli_status_make(SLI_INVALID_ARGUMENT, "tensor %.*s in a checkpoint has %zu bytes, not %zu",
                           SLI_VIEW_ARG(entry->name), needed, size);
  // Nothing to read, but an entry without slices is still checked.
  if (size == 0) return entry->slice_count ? NULL : fetch(context, entry, 0, data, size);
  if (entry->slice_count) SLI_RETURN_IF_ERROR(check_cover(entry, wanted));
  for (size_t i = 0; i < stored_count(entry); i++)
    SLI_RETURN_IF_ERROR(read_part(entry, i, wanted, data, fetch, context));
  return NULL;
}

sli_status_t *sli_bundle_find_equal(const sli_bundle_entry_t *entry, const sli_tensor_slice_extent_t *slice,
                                    size_t *out_i) {
  sli_tensor_slice_extent_t wanted[SLI_TENSOR_SLICE_MAX_RANK], source[SLI_TENSOR_SLICE_MAX_RANK];
  *out_i = 0;
  SLI_RETURN_IF_ERROR(resolve_slice(entry, slice, wanted));
  for (; *out_i < stored_count(entry); ++*out_i) {
    stored_slice(entry, *out_i, source);
    if (memcmp(source, wanted, (size_t)entry->rank * sizeof(*source)) == 0) return NULL;
  }
  return not_covered(entry, wanted);
}
