// Kernels: the code of an op on one type of device. The interface assumes nothing
// about the memory of tensors: a kernel row names its arguments in host memory, and
// every tensor knows its memory. A kernel either returns its result (|compute|) or
// completes later, exactly once (|compute_async|).
//
// There is one instance per node of a plan, shared by concurrent steps: |create|
// parses attributes into the instance's state, which is read-only afterwards or has
// its own lock.
#ifndef SLI_CORE_OP_KERNEL_H_
#define SLI_CORE_OP_KERNEL_H_

#include "base/thread_pool.h"
#include "core/op/function.h"
#include "core/op/node_def.h"
#include "core/state/variable.h"
#include "core/step/device.h"
#include "core/step/step.h"

typedef struct sli_kernel_context sli_kernel_context_t;

// The argument of |create|.
typedef struct {
  const sli_node_def_t *node;
  sli_device_t *device;
  sli_resource_manager_t *session;    // resources private to a session; NULL: the device serves one session only
  sli_function_library_t *functions;  // of the node's graph; borrowed, NULL: it has none
  const char *first_input;            // the name of the node that input 0 comes from; NULL: not known
} sli_kernel_setup_t;

// What an attribute must be: one of |types|, or the string |text|.
typedef struct {
  const char *attr;
  sli_types_t types;
  const char *text;
} sli_kernel_constraint_t;

typedef struct sli_kernel_def {
  const char *op;
  const char *device;                // "CPU" if NULL
  sli_types_t types;                 // constraint on attribute "T"; 0: none
  sli_kernel_constraint_t where[3];  // constraints on other attributes
  const char *host_memory;           // "shape, axis": arguments in host memory on any device
  // Reads and writes no elements but those of |host_memory|: the row is for devices of all types.
  bool any_device;
  // Exactly one of the two.
  sli_status_t *(*compute)(sli_kernel_context_t *context);
  void (*compute_async)(sli_kernel_context_t *context);  // calls sli_kernel_complete() in the end, on any thread
  // State of the instance; both may be NULL.
  sli_status_t *(*create)(const sli_kernel_setup_t *setup, void **out_state);
  void (*destroy)(void *state);
  // |expensive|: worth a thread of its own when other nodes are ready. |cost|: nanoseconds per byte of its inputs or
  // outputs, whichever are more; 0: the default, that of a memory-bound op. The plan computes the node's cost from it.
  bool expensive;
  float cost;
  // May wait for files, even with small inputs: never runs on a thread that polls the network or on one of the pool's
  // fixed number, but on one that may block (sli_thread_pool_submit_blocking).
  bool blocks;
} sli_kernel_def_t;

// A value on an edge: a tensor, or a reference to a variable (a Ref edge).
// If both are NULL, the value is dead or was not produced.
typedef struct {
  sli_tensor_t *tensor;
  sli_variable_t *variable;
} sli_kernel_value_t;

static inline bool sli_kernel_value_is_set(sli_kernel_value_t value) { return value.tensor || value.variable; }

static inline void sli_kernel_value_release(sli_kernel_value_t value) {
  if (value.tensor) sli_tensor_release(value.tensor);
  if (__builtin_expect(value.variable != NULL, 0)) sli_variable_release(value.variable);
}

// Returns |*output| for one of its consumers: with the producer's reference for the last one, with a new one for
// others.
static inline sli_kernel_value_t sli_kernel_value_take(sli_kernel_value_t *output, bool is_last) {
  sli_kernel_value_t value = *output;
  if (is_last) {
    *output = (sli_kernel_value_t){0};
  } else {
    if (value.tensor) sli_tensor_retain(value.tensor);
    if (value.variable) sli_variable_retain(value.variable);
  }
  return value;
}

// One execution of a node. Filled by the executor; kernels use the functions.
struct sli_kernel_context {
  const sli_node_def_t *node;
  const void *state;
  sli_device_t *device;
  const sli_step_t *step;
  uint64_t frame_id, iteration;  // of the innermost loop; 0, 0 at the root
  sli_kernel_value_t *inputs;    // the context owns one reference each
  int input_count;
  sli_kernel_value_t *outputs;  // zero before the kernel runs
  int output_count;
  bool is_dead_input;     // for kernels that see dead inputs: _Send, Merge
  uint64_t host_outputs;  // on a device with memory of its own: those in host memory, a bit each
  // Bytes that the kernel has allocated. The executor sets these to zero before if it wants to know.
  size_t allocated_for_outputs, allocated_temporarily;
  void (*complete)(sli_kernel_context_t *context, sli_status_t *status);
};

// Of a node on a device with memory of its own: its inputs and outputs in host memory, a bit each; the last bit for all
// from 63 on. SLI_KERNEL_ALL_ON_HOST: the CPU's kernel runs there, which uses host memory for all it does.
typedef struct {
  uint64_t inputs, outputs;
} sli_kernel_host_t;
#define SLI_KERNEL_ALL_ON_HOST UINT64_MAX
sli_kernel_host_t sli_kernel_host_arguments(const sli_kernel_def_t *kernel, const sli_node_def_t *node);
static inline bool sli_kernel_is_in(uint64_t set, int index) { return set >> (index < 63 ? index : 63) & 1; }

// Inputs. The tensor is borrowed and valid until the kernel returns (completes).
static inline sli_tensor_t *sli_kernel_input(const sli_kernel_context_t *context, int index) {
  return context->inputs[index].tensor;
}
// The variable of a reference input (borrowed); NULL if the edge is not a reference.
static inline sli_variable_t *sli_kernel_input_variable(const sli_kernel_context_t *context, int index) {
  return context->inputs[index].variable;
}
static inline const void *sli_kernel_state(const sli_kernel_context_t *context) { return context->state; }
// For sli_parallel_for. May be NULL: run on the calling thread.
static inline sli_thread_pool_t *sli_kernel_pool(const sli_kernel_context_t *context) {
  return context->device->compute_pool;
}

// Allocates output |index| on the device, or in host memory if the kernel's row asks for it; |*out_tensor| is borrowed.
sli_status_t *sli_kernel_allocate_output(sli_kernel_context_t *context, int index, sli_shape_t shape,
                                         sli_tensor_t **out_tensor);
// Uses the bytes of input |input| for output |index| if nothing else refers to them and type
// size and element count agree; else allocates. Afterwards sli_kernel_input(input) may share
// memory with the output: read an element before you write it.
sli_status_t *sli_kernel_forward_or_allocate(sli_kernel_context_t *context, int input, int index, sli_shape_t shape,
                                             sli_tensor_t **out_tensor);
// A scratch tensor, owned by the caller. Also for the pool threads that a kernel divides its work among.
sli_status_t *sli_kernel_allocate_temporary(sli_kernel_context_t *context, sli_dtype_t dtype, sli_shape_t shape,
                                            sli_tensor_t **out_tensor);
// Whether each thread of the pool can have |count| times |size| bytes of scratch memory, as far as one can tell:
// RESOURCE_EXHAUSTED if not. For kernels whose inputs decide about the size, before sli_malloc.
sli_status_t *sli_kernel_require_scratch(const sli_kernel_context_t *context, int64_t count, size_t size);
// Sets an output; consumes the reference.
void sli_kernel_set_output(sli_kernel_context_t *context, int index, sli_tensor_t *tensor);
// Sets an output to the bytes of input |input| with another shape of the same count, without a copy.
void sli_kernel_set_output_reshaped(sli_kernel_context_t *context, int index, int input, sli_shape_t shape);
// Sets a reference output; consumes the reference to the variable.
void sli_kernel_set_output_variable(sli_kernel_context_t *context, int index, sli_variable_t *variable);

// Ends an asynchronous kernel; consumes |status|. Any thread, exactly once.
static inline void sli_kernel_complete(sli_kernel_context_t *context, sli_status_t *status) {
  context->complete(context, status);
}

// Runs |kernel| once outside of a step, for constant folding: |node| must be stateless and |kernel| synchronous. The
// caller keeps its references to |inputs|. |outputs| must be zero; on success each holds a reference, else none.
sli_status_t *sli_kernel_evaluate(const sli_node_def_t *node, const sli_kernel_def_t *kernel, sli_device_t *device,
                                  sli_kernel_value_t *inputs, sli_kernel_value_t *outputs);

// Common checks, with TensorFlow's texts.
sli_status_t *sli_kernel_require_scalar(const sli_kernel_context_t *context, int index, const char *name);
sli_status_t *sli_kernel_require_vector(const sli_kernel_context_t *context, int index, const char *name);
// An int32/int64 scalar input's value, an int32/int64 vector input as int64s (into |out_values|, room for |capacity|).
sli_status_t *sli_kernel_input_int(const sli_kernel_context_t *context, int index, const char *name,
                                   int64_t *out_value);
sli_status_t *sli_kernel_input_ints(const sli_kernel_context_t *context, int index, const char *name,
                                    int64_t *out_values, int capacity, int *out_count);

#endif  // SLI_CORE_OP_KERNEL_H_
