// A list of elements, and a dataset of such a list: a window, a group, a cache.
#ifndef SLI_OPS_DATA_ELEMENTS_H_
#define SLI_OPS_DATA_ELEMENTS_H_

#include "ops/data/dataset.h"

// Zero-initialised with a number of components it is empty.
typedef struct {
  int component_count;
  sli_tensor_t **tensors;  // counted
  int64_t count, capacity;
} sli_dataset_elements_t;

static inline sli_tensor_t **sli_dataset_elements_at(const sli_dataset_elements_t *elements, int64_t index) {
  return elements->tensors + index * elements->component_count;
}
// Takes the references of |element|.
void sli_dataset_elements_push(sli_dataset_elements_t *elements, sli_tensor_t *const *element);
// Removes the first |count|.
void sli_dataset_elements_drop(sli_dataset_elements_t *elements, int64_t count);
void sli_dataset_elements_deinitialize(sli_dataset_elements_t *elements);
sli_status_t *sli_dataset_elements_save(const sli_dataset_elements_t *elements, sli_iterator_writer_t *writer);
// Into an empty list. The elements must fit |dataset|.
sli_status_t *sli_dataset_elements_restore(sli_dataset_elements_t *elements, const sli_dataset_t *dataset,
                                           sli_iterator_reader_t *reader);

// A dataset of the elements, whose references it takes.
sli_dataset_t *sli_dataset_create_elements(const sli_dataset_elements_t *elements, const sli_dtype_t *types,
                                           const sli_shape_t *shapes);

// Whether it is such a dataset, and its elements.
bool sli_dataset_is_elements(const sli_dataset_t *dataset);
const sli_dataset_elements_t *sli_dataset_elements_of(const sli_dataset_t *dataset);

#endif  // SLI_OPS_DATA_ELEMENTS_H_
