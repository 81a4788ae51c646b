// TensorArrays: arrays of tensors that live for one step. Each element is written once and, with |clear_after_read|,
// read once. In an array of gradients, writes to the same index are added up and an unwritten element reads as zeros.
// Thread-safe.
#ifndef SLI_OPS_TENSOR_ARRAY_TENSOR_ARRAY_H_
#define SLI_OPS_TENSOR_ARRAY_TENSOR_ARRAY_H_

#include "core/tensor/allocator.h"
#include "core/tensor/tensor.h"

typedef struct {
  sli_dtype_t dtype;
  int64_t size;
  sli_shape_t element_shape;
  bool has_identical_shapes;
  bool is_dynamic;  // a write beyond the end extends the array
  bool clear_after_read;
  bool is_gradient;     // writes to one index add up; unwritten elements read as zeros
  int64_t marked_size;  // gradients only: the number of elements that concat and pack use
} sli_tensor_array_spec_t;

typedef struct sli_tensor_array sli_tensor_array_t;
extern const sli_object_type_t sli_tensor_array_type;

// Error messages show |name|. The caller owns the reference. INVALID_ARGUMENT if the size is negative or too large.
sli_status_t *sli_tensor_array_create(const sli_tensor_array_spec_t *spec, sli_view_t name,
                                      sli_tensor_array_t **out_array);
// Creates the array of gradients of |array|, which can no longer grow from then on. Its elements have the shapes of the
// elements of |array|, with the dims of |prefix| in front. The caller owns the reference.
sli_status_t *sli_tensor_array_create_gradient(sli_tensor_array_t *array, sli_view_t name, sli_shape_t prefix,
                                               sli_tensor_array_t **out_array);
sli_dtype_t sli_tensor_array_dtype(const sli_tensor_array_t *array);
const char *sli_tensor_array_name(const sli_tensor_array_t *array);

// Writes values[i] to index indices[i], or to |first| + i if |indices| is NULL. Retains the values. INVALID_ARGUMENT
// with TensorFlow's messages.
sli_status_t *sli_tensor_array_write(sli_tensor_array_t *array, const int32_t *indices, int64_t first,
                                     sli_tensor_t *const *values, int64_t count);
// Reads the elements at |indices| into |out_values|; the caller owns these references.
sli_status_t *sli_tensor_array_read(sli_tensor_array_t *array, const int32_t *indices, int64_t count,
                                    sli_tensor_t **out_values);
sli_status_t *sli_tensor_array_size(sli_tensor_array_t *array, int64_t *out_size);
// The number of elements that concat and pack use.
sli_status_t *sli_tensor_array_concat_size(sli_tensor_array_t *array, int64_t *out_size);
bool sli_tensor_array_is_dynamic(sli_tensor_array_t *array);
// Stores the number of elements that an unpack or split wrote, for the array of gradients.
sli_status_t *sli_tensor_array_mark_size(sli_tensor_array_t *array, int64_t size);
// Merges |shape| into the known element shape. INVALID_ARGUMENT "Incompatible shapes during merge: …".
sli_status_t *sli_tensor_array_merge_shape(sli_tensor_array_t *array, sli_shape_t shape);
// Releases the elements; all later calls fail.
void sli_tensor_array_close(sli_tensor_array_t *array);

#endif  // SLI_OPS_TENSOR_ARRAY_TENSOR_ARRAY_H_
