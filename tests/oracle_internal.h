// The oracle: nodes of any op on inputs made from a seed, run through its shape
// function and its kernel, without a graph. The driver (oracle_test.c) holds what
// comes out against what must hold of every op.
//
// Everything about a trial follows from its seed, so that a finding is repeated
// by naming op and seed.
#ifndef SLI_TESTS_ORACLE_INTERNAL_H_
#define SLI_TESTS_ORACLE_INTERNAL_H_

#include "core/kernel.h"
#include "core/op_registry.h"
#include "core/shape_inference.h"

enum { ORACLE_MOST_VALUES = 24, ORACLE_MOST_RANK = 8 };

// Random numbers (splitmix64): the same on every machine.
typedef struct {
  uint64_t state;
} oracle_random_t;
uint64_t oracle_random(oracle_random_t *random);
int oracle_below(oracle_random_t *random, int limit);  // 0 … limit - 1
bool oracle_chance(oracle_random_t *random, int percent);

// A number: in a small range by default; odd ones are huge, tiny, infinite or none. |letter| is a form's (0: no form).
double oracle_number(oracle_random_t *random, bool is_floating, bool is_odd, char letter);
bool oracle_is_floating(sli_dtype_t dtype);
// A host tensor of any type, and its elements; |value| is bent to what the type can hold.
sli_tensor_t *oracle_tensor(sli_dtype_t dtype, const int64_t *dims, int rank);
void oracle_put_number(sli_tensor_t *tensor, int64_t i, double value);
void oracle_put_text(sli_tensor_t *tensor, int64_t i, sli_view_t text);

// Where kernels run: a device with little memory, resources, a step. Bytes that a
// kernel gets for its outputs are filled with |oracle_poison|: what it leaves
// unwritten differs from one run to the next.
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
  sli_value_t inputs[ORACLE_MOST_VALUES];  // owned
  bool is_complete;                        // |node| is; else the attributes were refused
  bool is_tame;                            // no odd shapes, values or attributes were chosen on purpose
  sli_status_t *refusal;                   // why the node is not complete; owned
} oracle_trial_t;

// Makes a trial of |op| for the row |kernel| with |dtype| as the type that the row
// constrains first (SLI_DTYPE_INVALID: it constrains none).
void oracle_trial_make(oracle_world_t *world, oracle_random_t *random, const sli_op_t *op,
                       const sli_kernel_def_t *kernel, sli_dtype_t dtype, oracle_trial_t *out_trial);
void oracle_trial_release(oracle_trial_t *trial);

// A run of a trial. Unless |give_away|, the inputs stay the trial's, shared with
// the kernel; else the kernel gets the only references and may compute in place.
typedef struct {
  sli_status_t *status;  // owned
  sli_value_t outputs[ORACLE_MOST_VALUES];
  bool was_cancelled;  // the kernel waited, until its step was cancelled
} oracle_result_t;
void oracle_run(oracle_world_t *world, oracle_trial_t *trial, bool give_away, oracle_result_t *out_result);
void oracle_result_release(oracle_result_t *result);

// What the shape function says if of 100 inputs' values |constants| are known to it,
// and of 100 other dimensions |known|.
typedef struct {
  int constants, known;
} oracle_knowledge_t;
sli_status_t *oracle_infer(oracle_trial_t *trial, oracle_random_t *random, oracle_knowledge_t knowledge,
                           sli_shape_t *out_shapes);

// "Op(float[2,3], int32[1]) {T=DT_FLOAT}".
void oracle_trial_append(sli_string_t *string, const oracle_trial_t *trial);

#endif  // SLI_TESTS_ORACLE_INTERNAL_H_
