// How a dataset was made: its node and the inputs of the node. A dataset can be made again from other inputs, which is
// how a pipeline that exists is changed (auto_shard.c, optimize.c).
#ifndef SLI_OPS_DATA_RECIPE_H_
#define SLI_OPS_DATA_RECIPE_H_

#include "ops/data/dataset.h"

// Immutable, in the arena of its dataset. It holds the dataset's inputs, never the dataset itself.
struct sli_dataset_recipe {
  sli_node_def_t node;
  sli_function_library_t *library;  // counted; NULL: the node calls no function
  sli_tensor_t **inputs;            // counted, node.input_count of them
};

// Notes how |context| has made |dataset|, if that is not noted yet. Only while no other thread knows the dataset.
void sli_dataset_recipe_note(sli_dataset_t *dataset, const sli_kernel_context_t *context);
void sli_dataset_recipe_release(const sli_dataset_recipe_t *recipe);

// Whether |dataset| was made by an op whose name is one of |names|, whatever its version: "BatchDataset" means
// BatchDatasetV2 too.
bool sli_dataset_is_made_by(const sli_dataset_t *dataset, const char *const *names, size_t count);
// The same for the name of an op.
bool sli_dataset_op_is_one_of(sli_view_t op, const char *const *names, size_t count);

// FAILED_PRECONDITION "X is stateful." if a function of the pipeline has state that is not the dataset's.
sli_status_t *sli_dataset_check_external_state(const sli_dataset_t *dataset);
// The same for one function.
sli_status_t *sli_dataset_check_function_state(sli_function_library_t *library, sli_view_t name);

// A dataset as |recipe| says, but from |inputs|. |context| is that of the kernel that asks for it.
sli_status_t *sli_dataset_remake(const sli_dataset_recipe_t *recipe, const sli_kernel_context_t *context,
                                 sli_tensor_t *const *inputs, sli_dataset_t **out_dataset);
// The same with another dataset for input 0.
sli_status_t *sli_dataset_remake_from(const sli_dataset_recipe_t *recipe, const sli_kernel_context_t *context,
                                      sli_dataset_t *input, sli_dataset_t **out_dataset);
// A dataset of a new node.
typedef struct {
  const char *op;
  const sli_attr_entry_t *attrs;
  size_t attr_count;
  sli_function_library_t *library;  // of the functions that the attributes name; NULL: they name none
} sli_dataset_making_t;
sli_status_t *sli_dataset_make(const sli_dataset_making_t *making, const sli_kernel_context_t *context,
                               sli_tensor_t *const *inputs, int input_count, sli_dataset_t **out_dataset);

// In the state of an iterator. Reading makes the dataset, with the functions of the iterator that is restored.
sli_status_t *sli_dataset_recipe_write(const sli_dataset_recipe_t *recipe, sli_iterator_writer_t *writer);
sli_status_t *sli_dataset_recipe_read(sli_iterator_reader_t *reader, sli_tensor_t **out_tensor);

#endif  // SLI_OPS_DATA_RECIPE_H_
