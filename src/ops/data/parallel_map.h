// A dataset that calls a function for several elements at a time and keeps their order.
#ifndef SLI_OPS_DATA_PARALLEL_MAP_H_
#define SLI_OPS_DATA_PARALLEL_MAP_H_

#include "ops/data/dataset.h"

typedef struct {
  sli_dataset_function_t function;  // the dataset owns it
  int component_count;              // of the elements that it gives
  const sli_dtype_t *types;
  const sli_shape_t *shapes;
  int64_t parallelism;     // calls at a time; SLI_DATASET_AUTOTUNE: by their cost
  bool keeps_cardinality;  // an OUT_OF_RANGE of the function is an error, not the end
  bool is_sloppy;          // gives what is done first
  bool is_filter;          // the function tells whether to keep the element
} sli_dataset_parallel_map_t;

sli_dataset_t *sli_dataset_create_parallel_map(sli_dataset_t *input, const sli_dataset_parallel_map_t *options);

#endif  // SLI_OPS_DATA_PARALLEL_MAP_H_
