// Rewrites of a pipeline that its options ask for, as TensorFlow's optimizer of datasets has them. A rewrite makes a
// part of the pipeline again from its recipes; the elements stay the same.
#ifndef SLI_OPS_DATA_OPTIMIZE_H_
#define SLI_OPS_DATA_OPTIMIZE_H_

#include "ops/data/recipe.h"

// |dataset| with the rewrites of its OptionsDatasets; itself if they ask for none.
sli_status_t *sli_dataset_optimize(sli_dataset_t *dataset, sli_device_t *device, sli_dataset_t **out_dataset);
// |dataset| with the rewrites in |names|, a vector of strings; unknown ones are ignored. For OptimizeDataset.
sli_status_t *sli_dataset_optimize_by_name(sli_dataset_t *dataset, const sli_kernel_context_t *context,
                                           const sli_tensor_t *names, sli_dataset_t **out_dataset);

// A rewrite of one dataset whose inputs have been rewritten. Sets |*out_dataset|, with a reference, if it applies;
// NULL: the dataset stays.
typedef sli_status_t *(*sli_dataset_rewrite_t)(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                               sli_dataset_t **out_dataset);
// Those that call functions one after the other in one new function (fuse.c).
sli_status_t *sli_dataset_fuse_maps(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                    sli_dataset_t **out_dataset);
sli_status_t *sli_dataset_fuse_filters(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                       sli_dataset_t **out_dataset);
sli_status_t *sli_dataset_fuse_map_and_filter(const sli_kernel_context_t *context, sli_dataset_t *dataset,
                                              sli_dataset_t **out_dataset);

// Whether |dataset| was made by the op of this name.
static inline bool sli_dataset_is_op(const sli_dataset_t *dataset, const char *op) {
  return dataset && dataset->recipe && !strcmp(dataset->recipe->node.op->def->name, op);
}
// The dataset in an input of a recipe (borrowed); NULL: the input is something else.
sli_dataset_t *sli_dataset_recipe_input(const sli_dataset_t *dataset, int index);
// Makes a dataset of op |op|. Its attributes are |attrs|, and those of |like|'s recipe that the op has and |attrs| has
// not.
sli_status_t *sli_dataset_make_like(const sli_kernel_context_t *context, const sli_dataset_t *like,
                                    const sli_dataset_making_t *making, sli_tensor_t *const *inputs, int input_count,
                                    sli_dataset_t **out_dataset);

#endif  // SLI_OPS_DATA_OPTIMIZE_H_
