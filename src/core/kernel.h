// Kernels: the code of a node on a kind of device. The interface assumes
// nothing about where bytes lie: a kernel row names its host-memory arguments,
// every tensor knows its memory, and a kernel computes at once (|compute|) or
// later (|compute_async|, completed exactly once).
//
// One instance exists per node of a plan, shared by concurrent steps: |create|
// parses attributes into the instance's state, which is read-only afterwards
// (or guards itself).
#ifndef SLI_CORE_KERNEL_H_
#define SLI_CORE_KERNEL_H_

#include "base/thread_pool.h"
#include "core/device.h"
#include "core/node_def.h"
#include "core/step.h"
#include "core/variable.h"

typedef struct sli_kernel_context sli_kernel_context_t;

// What |create| gets.
typedef struct {
  const sli_node_def_t *node;
  sli_device_t *device;
  sli_resource_manager_t *session;  // resources of one session alone; NULL: the device serves only one
} sli_kernel_setup_t;

typedef struct {
  const char *attr;
  sli_types_t types;
} sli_kernel_constraint_t;

typedef struct sli_kernel_def {
  const char *op;
  const char *device;                // "CPU" if NULL
  sli_types_t types;                 // constraint on attribute "T"; 0: none
  sli_kernel_constraint_t where[3];  // constraints on other type attributes
  const char *host_memory;           // "shape, axis": arguments that lie in host memory on any device
  // Exactly one of the two.
  sli_status_t *(*compute)(sli_kernel_context_t *context);
  void (*compute_async)(sli_kernel_context_t *context);  // ends in sli_kernel_complete(), on any thread
  // State of the instance; both may be NULL.
  sli_status_t *(*create)(const sli_kernel_setup_t *setup, void **out_state);
  void (*destroy)(void *state);
  // Worth a thread of its own beside siblings. |cost| is nanoseconds per byte of its inputs or outputs,
  // whichever are more (0: the default of a memory-bound op); the plan multiplies it out.
  bool expensive;
  float cost;
  bool blocks;  // may wait for files, however small its inputs: never on a thread that polls the network
} sli_kernel_def_t;

// A value on an edge: a tensor, or a reference to a variable (a Ref edge).
// Both NULL: dead, or not produced.
typedef struct {
  sli_tensor_t *tensor;
  sli_variable_t *variable;
} sli_value_t;

// One execution of a node. Filled by the executor; kernels use the functions.
struct sli_kernel_context {
  const sli_node_def_t *node;
  const void *state;
  sli_device_t *device;
  const sli_step_t *step;
  uint64_t frame_id, iteration;  // of the innermost loop; 0, 0 at the root
  sli_value_t *inputs;           // the context owns one reference each
  int input_count;
  sli_value_t *outputs;  // zero before the kernel runs
  int output_count;
  bool is_dead_input;  // for kernels that see dead inputs: _Send, Merge
  // Bytes that the kernel allocated since whoever wants to know set these to zero.
  size_t allocated_for_outputs, allocated_temporarily;
  void (*complete)(sli_kernel_context_t *context, sli_status_t *status);
};

// Inputs. The tensor is borrowed and valid until the kernel returns (completes).
static inline sli_tensor_t *sli_kernel_input(const sli_kernel_context_t *context, int index) {
  return context->inputs[index].tensor;
}
// The variable behind a reference input (borrowed); NULL if the edge is no reference.
static inline sli_variable_t *sli_kernel_input_variable(const sli_kernel_context_t *context, int index) {
  return context->inputs[index].variable;
}
static inline const void *sli_kernel_state(const sli_kernel_context_t *context) { return context->state; }
// For sli_parallel_for. May be NULL: run on the calling thread.
static inline sli_thread_pool_t *sli_kernel_pool(const sli_kernel_context_t *context) {
  return context->device->compute_pool;
}

// Allocates output |index| on the device (host memory if the row says so); |*out_tensor| is borrowed.
sli_status_t *sli_kernel_allocate_output(sli_kernel_context_t *context, int index, sli_shape_t shape,
                                         sli_tensor_t **out_tensor);
// Uses the bytes of input |input| for output |index| if nobody else can see them
// and type size and element count agree; else allocates. Afterwards sli_kernel_input(input) may
// be the same tensor: read before you write.
sli_status_t *sli_kernel_forward_or_allocate(sli_kernel_context_t *context, int input, int index, sli_shape_t shape,
                                             sli_tensor_t **out_tensor);
// A scratch tensor, owned by the caller. Also from the threads among which a kernel divides its work.
sli_status_t *sli_kernel_allocate_temporary(sli_kernel_context_t *context, sli_dtype_t dtype, sli_shape_t shape,
                                            sli_tensor_t **out_tensor);
// Sets an output; consumes the reference.
void sli_kernel_set_output(sli_kernel_context_t *context, int index, sli_tensor_t *tensor);
// Input |input|'s bytes under another shape (same count), without a copy.
void sli_kernel_set_output_reshaped(sli_kernel_context_t *context, int index, int input, sli_shape_t shape);
// A reference output; consumes the reference to the variable.
void sli_kernel_set_output_variable(sli_kernel_context_t *context, int index, sli_variable_t *variable);

// Ends an asynchronous kernel; consumes |status|. Any thread, exactly once.
static inline void sli_kernel_complete(sli_kernel_context_t *context, sli_status_t *status) {
  context->complete(context, status);
}

// Runs |kernel| once outside of any step, to tell a value beforehand: |node| is stateless and |kernel| synchronous.
// |inputs| stay the caller's; on success |outputs|, zero before, hold a reference each, else none.
sli_status_t *sli_kernel_evaluate(const sli_node_def_t *node, const sli_kernel_def_t *kernel, sli_device_t *device,
                                  sli_value_t *inputs, sli_value_t *outputs);

// Common checks, with TensorFlow's texts.
sli_status_t *sli_kernel_require_scalar(const sli_kernel_context_t *context, int index, const char *name);
sli_status_t *sli_kernel_require_vector(const sli_kernel_context_t *context, int index, const char *name);
sli_status_t *sli_kernel_require_matrix(const sli_kernel_context_t *context, int index, const char *name);
// An int32/int64 scalar input's value, an int32/int64 vector input as int64s (into |out_values|, room for |capacity|).
sli_status_t *sli_kernel_input_int(const sli_kernel_context_t *context, int index, const char *name,
                                   int64_t *out_value);
sli_status_t *sli_kernel_input_ints(const sli_kernel_context_t *context, int index, const char *name,
                                    int64_t *out_values, int capacity, int *out_count);

#endif  // SLI_CORE_KERNEL_H_
