// Datasets and their iterators: the engine of tf.data.
//
// A dataset is a reference-counted, immutable object that a scalar VARIANT tensor holds. It knows the types and shapes
// of its elements and the datasets it takes elements from. A kind (sli_dataset_kind_t) is the table of functions of one
// sort of dataset. An iterator is one pass over a dataset; it has the iterators of its inputs.
//
// sli_iterator_next runs on a thread that may block, one call at a time per iterator; what several threads share is
// behind the lock of a buffer (ops/data/buffer.h). No iterator owns a thread: background work ends when it has
// nothing to do.
#ifndef SLI_OPS_DATA_DATASET_H_
#define SLI_OPS_DATA_DATASET_H_

#include "base/array.h"
#include "core/op/kernel.h"
#include "core/op/op_registry.h"

typedef struct sli_dataset sli_dataset_t;
typedef struct sli_iterator sli_iterator_t;
typedef struct sli_iterator_root sli_iterator_root_t;
typedef struct sli_dataset_recipe sli_dataset_recipe_t;  // ops/data/recipe.h

enum { SLI_DATASET_INFINITE = -1, SLI_DATASET_UNKNOWN = -2 };  // cardinalities
enum { SLI_DATASET_AUTOTUNE = -1 };
enum { SLI_DATASET_SHARD_HINT = -1 };  // a number of shards that AutoShardDataset replaces
// A dataset that may take more elements of its input for one of its own is not light.
enum { SLI_DATASET_MAX_LIGHT = 1024 };
enum { SLI_DATASET_MAX_COMPONENTS = 1024 };

// One call of sli_iterator_next, from a step or from background work.
typedef struct {
  sli_cancellation_t *cancellation;  // never NULL
} sli_iterator_call_t;

// --- State -----------------------------------------------------------------------------------------

// The state of iterators is a sequence of numbers, texts and tensors. Each iterator reads what it wrote.
typedef struct {
  sli_string_t bytes;
} sli_iterator_writer_t;
typedef struct {
  sli_view_t rest;
  int depth;  // of tensors within tensors
  // Of the iterator that is restored, for datasets in its state; NULL: there can be none.
  sli_device_t *device;
  sli_cancellation_t *cancellation;
  sli_function_library_t *library;
} sli_iterator_reader_t;

void sli_iterator_write_int(sli_iterator_writer_t *writer, int64_t value);
void sli_iterator_write_text(sli_iterator_writer_t *writer, sli_view_t text);
// NULL too.
void sli_iterator_write_status(sli_iterator_writer_t *writer, const sli_status_t *status);
// UNIMPLEMENTED for tensors of objects that a message cannot hold, but for datasets.
sli_status_t *sli_iterator_write_element(sli_iterator_writer_t *writer, sli_tensor_t *const *element, int count);
// DATA_LOSS if the state is malformed or a value is outside [low, high].
sli_status_t *sli_iterator_read_int(sli_iterator_reader_t *reader, int64_t low, int64_t high, int64_t *out_value);
sli_status_t *sli_iterator_read_text(sli_iterator_reader_t *reader, sli_view_t *out_text);
sli_status_t *sli_iterator_read_status(sli_iterator_reader_t *reader, sli_status_t **out_status);
sli_status_t *sli_iterator_read_tensor(sli_iterator_reader_t *reader, sli_tensor_t **out_tensor);
// An element of |dataset|: its tensors must have the dataset's types. On failure |out_element| owns nothing.
sli_status_t *sli_iterator_read_element(sli_iterator_reader_t *reader, const sli_dataset_t *dataset,
                                        sli_tensor_t **out_element);

// --- Kinds -----------------------------------------------------------------------------------------

typedef struct {
  const char *name;      // that of its op
  size_t iterator_size;  // of a struct that begins with sli_iterator_t
  bool opens_input;      // iterators begin with an iterator of the first input
  bool keeps_batches;    // elements are those of the inputs: batches stay whole, see |batch_size|
  bool is_light;         // an element costs little: no file, no function, no waiting, few elements of the input
  void (*destroy)(sli_dataset_t *dataset);               // what the kind added to the dataset; NULL: nothing
  int64_t (*cardinality)(const sli_dataset_t *dataset);  // NULL: that of the first input, or unknown
  sli_status_t *(*start)(sli_iterator_t *iterator);      // NULL: zeros are the initial state
  // Gives one reference of each component, or sets |*out_end|; |out_element| has room for all.
  sli_status_t *(*next)(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                        bool *out_end);
  // Whether |next| would return at once, without waiting or computing. NULL: never.
  bool (*is_ready)(sli_iterator_t *iterator);
  void (*stop)(sli_iterator_t *iterator);  // releases what the iterator holds; NULL: nothing
  // The state besides that of |input|. |restore| gets an iterator that has just been started. NULL: none.
  sli_status_t *(*save)(sli_iterator_t *iterator, sli_iterator_writer_t *writer);
  sli_status_t *(*restore)(sli_iterator_t *iterator, sli_iterator_reader_t *reader);
} sli_dataset_kind_t;

struct sli_dataset {
  sli_object_t base;
  const sli_dataset_kind_t *kind;
  sli_arena_t arena;
  int component_count;
  const sli_dtype_t *types;   // in |arena|
  const sli_shape_t *shapes;  // in |arena|
  sli_dataset_t **inputs;     // counted; the array is in |arena|
  int input_count;
  bool is_light;          // the kinds of the whole tree are
  int64_t batch_size;     // what was asked for, if elements are batches as far as TensorFlow would know; -1: not known
  bool has_expectations;  // some dataset of the tree is an AssertNextDataset
  const sli_dataset_recipe_t *recipe;  // how it was made, in |arena|; NULL: not by a node
};
extern const sli_object_type_t sli_dataset_type;

// A dataset of |kind| with |size| bytes, zero after the base. Types and shapes are those of the attributes output_types
// (or Toutput_types) and output_shapes. |inputs| are retained.
sli_status_t *sli_dataset_create(const sli_kernel_context_t *context, const sli_dataset_kind_t *kind, size_t size,
                                 sli_dataset_t *const *inputs, int input_count, sli_dataset_t **out_dataset);
// The same; INVALID_ARGUMENT unless the types are those of |inputs[0]|. For kinds that give elements of their input.
sli_status_t *sli_dataset_create_like(const sli_kernel_context_t *context, const sli_dataset_kind_t *kind, size_t size,
                                      sli_dataset_t *const *inputs, int input_count, sli_dataset_t **out_dataset);
// The same with given types and shapes, which are copied.
sli_dataset_t *sli_dataset_create_as(const sli_dataset_kind_t *kind, size_t size, int component_count,
                                     const sli_dtype_t *types, const sli_shape_t *shapes, sli_dataset_t *const *inputs,
                                     int input_count);
static inline sli_dataset_t *sli_dataset_retain(sli_dataset_t *dataset) { return sli_object_retain(dataset); }
static inline void sli_dataset_release(sli_dataset_t *dataset) { sli_object_release(dataset); }
// The number of elements, SLI_DATASET_INFINITE or SLI_DATASET_UNKNOWN.
int64_t sli_dataset_cardinality(const sli_dataset_t *dataset);

// The dataset in a tensor (borrowed). INVALID_ARGUMENT if it holds none.
sli_status_t *sli_dataset_of(const sli_tensor_t *tensor, sli_dataset_t **out_dataset);
sli_status_t *sli_dataset_input(const sli_kernel_context_t *context, int index, sli_dataset_t **out_dataset);
// A scalar VARIANT tensor that holds |dataset|, whose reference is consumed.
sli_tensor_t *sli_dataset_to_tensor(sli_dataset_t *dataset);
// Sets output 0 to |dataset|; consumes the reference.
void sli_dataset_set_output(sli_kernel_context_t *context, sli_dataset_t *dataset);
// The end of a kernel that makes a dataset: sets output 0 to |dataset| or, after an error, releases it. Returns
// |status|.
sli_status_t *sli_dataset_finish(sli_kernel_context_t *context, sli_dataset_t *dataset, sli_status_t *status);
// A scalar input's value. INVALID_ARGUMENT "|name| must be a scalar".
sli_status_t *sli_dataset_input_int(const sli_kernel_context_t *context, int index, const char *name,
                                    int64_t *out_value);
sli_status_t *sli_dataset_input_bool(const sli_kernel_context_t *context, int index, const char *name, bool *out_value);
sli_status_t *sli_dataset_input_text(const sli_kernel_context_t *context, int index, const char *name,
                                     sli_view_t *out_value);

// Appends the serialized Options of the dataset and its inputs, those of the inputs first: messages one after the other
// are merged, and the later one counts.
void sli_dataset_append_options(const sli_dataset_t *dataset, sli_string_t *out);
// The policy of sharding that the options of the dataset ask for, as AutoShardPolicy has it; 0: none or AUTO.
int64_t sli_dataset_shard_policy(const sli_dataset_t *dataset);
// INVALID_ARGUMENT unless after each AssertNextDataset of the tree come the datasets that it names.
sli_status_t *sli_dataset_check_expectations(const sli_dataset_t *dataset);

// INVALID_ARGUMENT if there are more than SLI_DATASET_MAX_COMPONENTS.
sli_status_t *sli_dataset_check_count(size_t components);
// Whether elements of |count| types and shapes are as expected. INVALID_ARGUMENT with TensorFlow's texts.
sli_status_t *sli_dataset_check_types(const sli_dtype_t *expected, int expected_count, const sli_dtype_t *types,
                                      int count);
sli_status_t *sli_dataset_check_shapes(const sli_shape_t *expected, const sli_shape_t *shapes, int count);

// --- Functions -------------------------------------------------------------------------------------

// A function with the tensors that it captured, for a dataset that calls it. Zero-initialised is none.
typedef struct {
  sli_function_t *function;  // counted
  sli_tensor_t **captured;   // counted
  int captured_count;
} sli_dataset_function_t;

// State of kernels that call functions: the library of the graph. For .create and .destroy of their rows.
sli_status_t *sli_dataset_library_create(const sli_kernel_setup_t *setup, void **out_state);
void sli_dataset_library_destroy(void *state);
// The library of a kernel whose row has sli_dataset_library_create; the caller owns a reference. NULL: it has none.
sli_function_library_t *sli_dataset_library_of(const sli_kernel_context_t *context);
// The function that attribute |attr| names, with the inputs of argument |captured| as captured tensors.
sli_status_t *sli_dataset_function_initialize(const sli_kernel_context_t *context, const char *attr,
                                              const char *captured, sli_dataset_function_t *out_function);
// The same for a given function, with |count| inputs from |first| on as captured tensors.
sli_status_t *sli_dataset_function_initialize_as(const sli_kernel_context_t *context, const sli_attr_func_t *name,
                                                 int first, int count, sli_dataset_function_t *out_function);
void sli_dataset_function_deinitialize(sli_dataset_function_t *function);
// INVALID_ARGUMENT unless the function takes |argument_count| tensors besides the captured ones and gives
// |result_count| (negative: any number).
sli_status_t *sli_dataset_function_check(const sli_dataset_function_t *function, int argument_count, int result_count);
// Calls it and waits for the result. |arguments| stay the caller's; |out_results| has room for all results.
sli_status_t *sli_dataset_function_call(const sli_dataset_function_t *function, const sli_iterator_call_t *call,
                                        sli_tensor_t *const *arguments, int argument_count, sli_tensor_t **out_results);
// The same; releases the arguments.
sli_status_t *sli_dataset_function_call_move(const sli_dataset_function_t *function, const sli_iterator_call_t *call,
                                             sli_tensor_t **arguments, int argument_count, sli_tensor_t **out_results);
// A function may end the sequence by an OUT_OF_RANGE error: sets |*out_end| then, or turns it into INVALID_ARGUMENT if
// the dataset promised to keep the number of elements. Consumes |status|.
sli_status_t *sli_dataset_function_ends(sli_status_t *status, bool keeps_cardinality, bool *out_end);
// Calls it without waiting.
void sli_dataset_function_start(const sli_dataset_function_t *function, sli_cancellation_t *cancellation,
                                sli_tensor_t *const *arguments, int argument_count, sli_function_done_t done,
                                void *context);
// The value of a scalar bool or int64 result. INVALID_ARGUMENT with |what| and the type otherwise.
sli_status_t *sli_dataset_result_bool(sli_tensor_t *const *results, int count, const char *what, bool *out_value);
sli_status_t *sli_dataset_result_int(sli_tensor_t *const *results, int count, const char *what, int64_t *out_value);
void sli_dataset_release_element(sli_tensor_t **element, int count);

// --- Iterators -------------------------------------------------------------------------------------

// What all iterators of one pass share. Counted.
struct sli_iterator_root {
  sli_refcount_t references;
  sli_device_t *device;
  sli_cancellation_t *cancellation;  // of background work: cancelled when the pass is given up
  sli_mutex_t mutex;
  sli_cond_t cond;
  int running;        // pieces of background work; under |mutex|
  bool is_cancelled;  // under |mutex|
};
sli_iterator_root_t *sli_iterator_root_create(sli_device_t *device);
// Gives the pass up: cancels background work and waits until none is running. Afterwards nothing uses the device.
void sli_iterator_root_cancel(sli_iterator_root_t *root);
void sli_iterator_root_release(sli_iterator_root_t *root);
// Called when background work begins and ends. False: the pass was given up, the work must do nothing.
bool sli_iterator_root_enter(sli_iterator_root_t *root);
void sli_iterator_root_leave(sli_iterator_root_t *root);

struct sli_iterator {
  sli_refcount_t references;
  sli_dataset_t *dataset;     // counted
  sli_iterator_root_t *root;  // counted
  sli_iterator_t *input;      // of the first input, or what the kind puts here; NULL: none, or it has ended
};

// An iterator at the first element of |dataset|. Reference-counted, because background work uses it.
sli_status_t *sli_iterator_create(sli_dataset_t *dataset, sli_iterator_root_t *root, sli_iterator_t **out_iterator);
static inline sli_iterator_t *sli_iterator_retain(sli_iterator_t *iterator) {
  sli_refcount_retain(&iterator->references);
  return iterator;
}
void sli_iterator_release(sli_iterator_t *iterator);
// The next element; CANCELLED if |call| was cancelled. After an error or the end the iterator may be asked again.
sli_status_t *sli_iterator_next(sli_iterator_t *iterator, const sli_iterator_call_t *call, sli_tensor_t **out_element,
                                bool *out_end);
static inline bool sli_iterator_is_ready(sli_iterator_t *iterator) {
  return iterator->dataset->kind->is_ready && iterator->dataset->kind->is_ready(iterator);
}
// The state, and an iterator that continues there. A state fits only an equal dataset; DATA_LOSS if it is malformed.
sli_status_t *sli_iterator_save(sli_iterator_t *iterator, sli_iterator_writer_t *writer);
sli_status_t *sli_iterator_restore(sli_iterator_t *iterator, sli_iterator_reader_t *reader);
// Makes |*slot| an iterator of |dataset|, or releases it (NULL), and saves or restores it with a mark whether it is
// there. For kinds with several inputs.
sli_status_t *sli_iterator_save_slot(sli_iterator_t *slot, sli_iterator_writer_t *writer);
sli_status_t *sli_iterator_restore_slot(sli_iterator_t **slot, sli_dataset_t *dataset, sli_iterator_root_t *root,
                                        sli_iterator_reader_t *reader);

// --- Shape functions ---------------------------------------------------------------------------------

// Output 0 is a scalar; inputs of single numbers, bools and texts must be scalars.
sli_status_t *sli_dataset_infer(sli_infer_context_t *c);
// The outputs have the shapes of the attribute output_shapes.
sli_status_t *sli_dataset_infer_components(sli_infer_context_t *c);

#define SLI_DATASET_ELEMENTS "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
#define SLI_DATASET_METADATA "metadata: string = ''"

#endif  // SLI_OPS_DATA_DATASET_H_
