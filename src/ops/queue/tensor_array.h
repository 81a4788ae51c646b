// TensorArrays: tensors by index that live for one step, written and read once each
// (or, for gradients, added up and read as zeros where nothing came). Thread-safe.
#ifndef SLI_OPS_QUEUE_TENSOR_ARRAY_H_
#define SLI_OPS_QUEUE_TENSOR_ARRAY_H_

#include "core/allocator.h"
#include "core/tensor.h"

typedef struct {
  sli_dtype_t dtype;
  int64_t size;
  sli_shape_t element_shape;
  bool has_identical_shapes;
  bool is_dynamic;  // writes beyond the end make it longer
  bool clear_after_read;
  bool is_gradient;     // writes to one index add up; what was never written reads as zeros
  int64_t marked_size;  // of a gradient: how many elements concatenation sees
} sli_tensor_array_spec_t;

typedef struct sli_tensor_array sli_tensor_array_t;
extern const sli_object_type_t sli_tensor_array_type;

// |name| shows in messages. INVALID_ARGUMENT for a size without sense.
sli_status_t *sli_tensor_array_create(const sli_tensor_array_spec_t *spec, sli_view_t name,
                                      sli_tensor_array_t **out_array);
// The array of gradients of |array|, which grows no more: its elements have the shapes of the written ones
// behind the dims of |prefix|.
sli_status_t *sli_tensor_array_create_gradient(sli_tensor_array_t *array, sli_view_t name, sli_shape_t prefix,
                                               sli_tensor_array_t **out_array);
sli_dtype_t sli_tensor_array_dtype(const sli_tensor_array_t *array);
const char *sli_tensor_array_name(const sli_tensor_array_t *array);

// Writes values[i] at indices[i] (at |first| + i if |indices| is NULL); retains them. INVALID_ARGUMENT with
// TensorFlow's texts.
sli_status_t *sli_tensor_array_write(sli_tensor_array_t *array, const int32_t *indices, int64_t first,
                                     sli_tensor_t *const *values, int64_t count);
// Reads into |out_values|, a reference each.
sli_status_t *sli_tensor_array_read(sli_tensor_array_t *array, const int32_t *indices, int64_t count,
                                    sli_tensor_t **out_values);
sli_status_t *sli_tensor_array_size(sli_tensor_array_t *array, int64_t *out_size);
// How many elements concatenation and packing see.
sli_status_t *sli_tensor_array_concat_size(sli_tensor_array_t *array, int64_t *out_size);
bool sli_tensor_array_is_dynamic(sli_tensor_array_t *array);
// Remembers how many elements a whole write gave it, for its gradient.
sli_status_t *sli_tensor_array_mark_size(sli_tensor_array_t *array, int64_t size);
// Merges what else is known of the elements. INVALID_ARGUMENT "Incompatible shapes during merge: …".
sli_status_t *sli_tensor_array_merge_shape(sli_tensor_array_t *array, sli_shape_t shape);
// Drops the elements; every later call fails.
void sli_tensor_array_close(sli_tensor_array_t *array);

#endif  // SLI_OPS_QUEUE_TENSOR_ARRAY_H_
