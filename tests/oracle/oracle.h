// The oracle runs nodes of any op, with inputs made from a seed, through the op's shape function and kernel, without a
// graph. kernels_test.c checks the results against rules that hold for every op.
//
// A trial depends on its seed only, so that op and seed are enough to repeat it.
#ifndef SLI_TESTS_ORACLE_ORACLE_H_
#define SLI_TESTS_ORACLE_ORACLE_H_

#include "core/op/kernel.h"
#include "core/op/op_registry.h"
#include "core/op/shape_inference.h"

enum { ORACLE_MOST_VALUES = 24, ORACLE_MOST_RANK = 8 };

// Random numbers (splitmix64): the same on every machine.
typedef struct {
  uint64_t state;
} oracle_random_t;
uint64_t oracle_random(oracle_random_t *random);
int oracle_below(oracle_random_t *random, int limit);  // 0 … limit - 1
bool oracle_chance(oracle_random_t *random, int percent);

// A number, usually in a small range; if |is_odd| it may be huge, tiny, infinite or NaN. |letter| is that of a form (0:
// no form).
double oracle_number(oracle_random_t *random, bool is_floating, bool is_odd, char letter);
bool oracle_is_floating(sli_dtype_t dtype);
// A host tensor of any type; and setting its elements, where |value| is converted to the range of the type.
sli_tensor_t *oracle_tensor(sli_dtype_t dtype, const int64_t *dims, int rank);
void oracle_put_number(sli_tensor_t *tensor, int64_t i, double value);
void oracle_put_text(sli_tensor_t *tensor, int64_t i, sli_view_t text);

// Where kernels run: a device with little memory, resources, a step. The memory of outputs is filled with
// |oracle_poison|, which changes from run to run, so that bytes that a kernel does not write are found.
typedef struct {
  sli_resource_manager_t *resources;
  sli_device_t *device;
  sli_step_t step;
} oracle_world_t;
extern uint8_t oracle_poison;
void oracle_world_initialize(oracle_world_t *world);
void oracle_world_deinitialize(oracle_world_t *world);

// A node and its inputs.
typedef struct {
  sli_arena_t arena;
  sli_node_def_t node;
  sli_kernel_value_t inputs[ORACLE_MOST_VALUES];  // owned
  bool is_complete;                               // |node| is complete; false: the attributes were refused
  bool is_tame;                                   // no odd shapes, values or attributes were chosen on purpose
  sli_status_t *refusal;                          // why the node is not complete; owned
} oracle_trial_t;

// Makes a trial of |op| for the row |kernel| with |dtype| as the type that the row
// constrains first (SLI_DTYPE_INVALID: it constrains none).
void oracle_trial_make(oracle_world_t *world, oracle_random_t *random, const sli_op_t *op,
                       const sli_kernel_def_t *kernel, sli_dtype_t dtype, oracle_trial_t *out_trial);
void oracle_trial_release(oracle_trial_t *trial);

// Runs a trial. If |give_away|, the kernel gets the only references to the inputs and may compute in place; otherwise
// it shares them with the trial.
typedef struct {
  sli_status_t *status;  // owned
  sli_kernel_value_t outputs[ORACLE_MOST_VALUES];
  bool was_cancelled;  // the kernel waited, until its step was cancelled
} oracle_result_t;
void oracle_run(oracle_world_t *world, oracle_trial_t *trial, bool give_away, oracle_result_t *out_result);
void oracle_result_release(oracle_result_t *result);

// Runs the shape function, to which |constants| percent of the input values and |known| percent of the other dimensions
// are known.
typedef struct {
  int constants, known;
} oracle_knowledge_t;
sli_status_t *oracle_infer(oracle_trial_t *trial, oracle_random_t *random, oracle_knowledge_t knowledge,
                           sli_shape_t *out_shapes);

// "Op(float[2,3], int32[1]) {T=DT_FLOAT}".
void oracle_trial_append(sli_string_t *string, const oracle_trial_t *trial);

#endif  // SLI_TESTS_ORACLE_ORACLE_H_
