// Slices of a tensor: a start and a length in each dimension. Partitioned variables are saved as slices and assembled
// on restore. Thread-safe; nothing here blocks.
#ifndef SLI_IO_CHECKPOINT_TENSOR_SLICE_H_
#define SLI_IO_CHECKPOINT_TENSOR_SLICE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

enum {
  SLI_TENSOR_SLICE_ALL = -1,        // a length: all of the dimension; the start is 0
  SLI_TENSOR_SLICE_MAX_RANK = 254,  // TensorFlow's
};

// A slice is an array of |rank| extents. It is resolved if no length is SLI_TENSOR_SLICE_ALL.
typedef struct {
  int64_t start, length;
} sli_tensor_slice_extent_t;

// The number of elements of a shape; false for a negative dimension or a number above INT64_MAX.
bool sli_tensor_slice_count(const int64_t *dims, int rank, int64_t *out_count);

// Whether every extent is within its dimension and not empty (SLI_TENSOR_SLICE_ALL may be empty).
bool sli_tensor_slice_fits(const sli_tensor_slice_extent_t *slice, const int64_t *dims, int rank);
// Whether a slice that fits is the whole tensor.
bool sli_tensor_slice_is_whole(const sli_tensor_slice_extent_t *slice, const int64_t *dims, int rank);
// Replaces SLI_TENSOR_SLICE_ALL. |out_slice| may be |slice|.
void sli_tensor_slice_resolve(const sli_tensor_slice_extent_t *slice, const int64_t *dims, int rank,
                              sli_tensor_slice_extent_t *out_slice);
// The intersection of two resolved slices; false if it is empty.
bool sli_tensor_slice_intersect(const sli_tensor_slice_extent_t *a, const sli_tensor_slice_extent_t *b, int rank,
                                sli_tensor_slice_extent_t *out_slice);
// Copies the elements of |part|, which must be within |source| and |target| (all resolved), from the dense elements of
// |source| to those of |target|.
void sli_tensor_slice_copy(const sli_tensor_slice_extent_t *part, int rank, size_t element_size,
                           const sli_tensor_slice_extent_t *source, const void *from,
                           const sli_tensor_slice_extent_t *target, void *to);

// Appends the slice in TensorFlow's form: "0,4:-".
void sli_tensor_slice_describe(const sli_tensor_slice_extent_t *slice, int rank, sli_string_t *out);
// Appends the key of |slice| of the tensor |name| in a checkpoint.
void sli_tensor_slice_key(sli_view_t name, const sli_tensor_slice_extent_t *slice, int rank, sli_string_t *out);

// A slice with the shape of the whole tensor, as in the shape_and_slices inputs of the save and restore ops:
// "10 2 0,4:-". Owns its arrays.
typedef struct {
  int rank;
  int64_t *dims;                     // of the whole tensor
  sli_tensor_slice_extent_t *slice;  // fits
  int64_t *slice_dims;               // of the slice
} sli_tensor_slice_spec_t;
// With TensorFlow's texts: INVALID_ARGUMENT if |spec| is malformed, INTERNAL if the slice does not fit the shape.
sli_status_t *sli_tensor_slice_spec_parse(sli_view_t spec, sli_tensor_slice_spec_t *out_spec);
void sli_tensor_slice_spec_deinitialize(sli_tensor_slice_spec_t *spec);

#endif  // SLI_IO_CHECKPOINT_TENSOR_SLICE_H_
