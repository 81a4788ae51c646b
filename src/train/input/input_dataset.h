// Datasets for code outside this folder: an iterator that starts at a given element.
#ifndef SLI_TRAIN_INPUT_INPUT_DATASET_H_
#define SLI_TRAIN_INPUT_INPUT_DATASET_H_

#include "sluice/dataset.h"

// Where an iterator starts; int64 scalars, or none.
typedef struct {
  TF_Output skip;                   // the number of elements before the first
  TF_Output seed;                   // of shuffles whose seed is 0
  int64_t file_shards, file_shard;  // every how many files of the source, from which one on; 0: all
} sli_input_start_t;

sl_scope_t *sli_input_dataset_scope(const sl_dataset_t *dataset);
// As many outputs as |dataset| has components, all empty: the result after an error.
sl_outputs_t sli_input_no_elements(const sl_dataset_t *dataset);
// Builds an iterator that |out_initializer| starts, and the components of its next element. Elements before the first
// are read, but neither batched nor parsed where the order of these steps permits it.
sl_outputs_t sli_input_start_iterator(const sl_dataset_t *dataset, const sli_input_start_t *start,
                                      TF_Operation **out_initializer);

#endif  // SLI_TRAIN_INPUT_INPUT_DATASET_H_
