// Parts of a tensor: a start and a length in each dimension. Partitioned
// variables are saved as slices and put together again on restore.
// Thread-safe; nothing here blocks.
#ifndef SLI_IO_TENSOR_SLICE_H_
#define SLI_IO_TENSOR_SLICE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

enum {
  SLI_EXTENT_ALL = -1,       // a length: all of the dimension; the start is 0
  SLI_SLICE_MAX_RANK = 254,  // TensorFlow's
};

// A slice is |rank| extents beside one another. Resolved: none is SLI_EXTENT_ALL.
typedef struct {
  int64_t start, length;
} sli_extent_t;

// The number of elements of a shape; false on a negative dimension or past INT64_MAX.
bool sli_dims_count(const int64_t *dims, int rank, int64_t *out_count);

// Whether every extent lies within its dimension and is not empty (but SLI_EXTENT_ALL may be).
bool sli_tensor_slice_fits(const sli_extent_t *slice, const int64_t *dims, int rank);
// Whether a slice that fits is the whole tensor.
bool sli_tensor_slice_is_whole(const sli_extent_t *slice, const int64_t *dims, int rank);
// Replaces SLI_EXTENT_ALL. |out_slice| may be |slice|.
void sli_tensor_slice_resolve(const sli_extent_t *slice, const int64_t *dims, int rank, sli_extent_t *out_slice);
// What two resolved slices share; false if nothing.
bool sli_tensor_slice_intersect(const sli_extent_t *a, const sli_extent_t *b, int rank, sli_extent_t *out_slice);
// Copies |part|, which lies in both |source| and |target| (all resolved), from
// the dense elements of the one to those of the other.
void sli_tensor_slice_copy(const sli_extent_t *part, int rank, size_t element_size, const sli_extent_t *source,
                           const void *from, const sli_extent_t *target, void *to);

// "0,4:-": how TensorFlow writes a slice.
void sli_tensor_slice_describe(const sli_extent_t *slice, int rank, sli_string_t *out);
// The key under which a checkpoint has |slice| of the tensor |name|.
void sli_tensor_slice_key(sli_view_t name, const sli_extent_t *slice, int rank, sli_string_t *out);

// A slice with the shape of its whole tensor, as the save and restore ops'
// shape_and_slices inputs give it: "10 2 0,4:-". Owns its arrays.
typedef struct {
  int rank;
  int64_t *dims;        // of the whole tensor
  sli_extent_t *slice;  // fits
  int64_t *slice_dims;  // of the slice
} sli_slice_spec_t;
// INVALID_ARGUMENT with TensorFlow's text when |spec| is none, INTERNAL as there when the slice does not fit the shape.
sli_status_t *sli_slice_spec_parse(sli_view_t spec, sli_slice_spec_t *out_spec);
void sli_slice_spec_deinitialize(sli_slice_spec_t *spec);

#endif  // SLI_IO_TENSOR_SLICE_H_
