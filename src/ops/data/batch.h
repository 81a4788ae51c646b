// Elements that become rows of a batch. A row is written as soon as it is there: into memory for the whole batch, or,
// for large batches of unknown size, into memory that grows.
#ifndef SLI_OPS_DATA_BATCH_H_
#define SLI_OPS_DATA_BATCH_H_

#include "ops/data/dataset.h"

typedef struct {
  sli_allocator_t *allocator;
  int64_t limit;           // rows at most
  int64_t rows, capacity;  // rows that are there, rows that fit
  int component_count;
  sli_tensor_t **tensors;  // [capacity, …]
} sli_dataset_batch_t;

// |limit| at least 1.
void sli_dataset_batch_initialize(sli_dataset_batch_t *batch, sli_allocator_t *allocator, int component_count,
                                  int64_t limit);
void sli_dataset_batch_deinitialize(sli_dataset_batch_t *batch);
// Adds a row and releases |element|, also on failure. INVALID_ARGUMENT "Cannot batch tensors with different shapes …".
sli_status_t *sli_dataset_batch_add(sli_dataset_batch_t *batch, sli_tensor_t **element);
// The tensors of a batch that has at least one row; the batch is empty afterwards.
sli_status_t *sli_dataset_batch_take(sli_dataset_batch_t *batch, sli_tensor_t **out_element);

// A dataset of batches of |input|, whose elements have |shapes|.
sli_dataset_t *sli_dataset_create_batch(sli_dataset_t *input, int64_t size, bool drop_remainder,
                                        const sli_shape_t *shapes);

#endif  // SLI_OPS_DATA_BATCH_H_
