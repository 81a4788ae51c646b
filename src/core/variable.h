// Variable: the state behind VariableV2 (reference edges) and VarHandleOp
// (resource handles). Holds a tensor or, before initialisation, none.
//
// Reads take the tensor without copying it. Updates with use_locking=false write
// into the tensor in place, whoever reads; with locking they hold |mutex|.
#ifndef SLI_CORE_VARIABLE_H_
#define SLI_CORE_VARIABLE_H_

#include "base/sync.h"
#include "core/tensor.h"

typedef struct {
  sli_object_t base;
  sli_mutex_t mutex;         // serialises locking updates; taken before |tensor_mutex|
  sli_mutex_t tensor_mutex;  // guards the pointer, held for a few instructions
  sli_tensor_t *tensor;      // under tensor_mutex; NULL: uninitialised
  sli_dtype_t dtype;
  sli_shape_t declared;  // what the maker asked for; unknown rank if nothing. Owned
  char *name;            // of the node that made it, for "Attempting to use uninitialized value NAME"
} sli_variable_t;

extern const sli_object_type_t sli_variable_type;

sli_variable_t *sli_variable_create(sli_dtype_t dtype, sli_view_t name, sli_shape_t declared);
static inline sli_variable_t *sli_variable_retain(sli_variable_t *variable) { return sli_object_retain(variable); }
static inline void sli_variable_release(sli_variable_t *variable) { sli_object_release(variable); }

// A reference to the current tensor; NULL if uninitialised. Thread-safe.
sli_tensor_t *sli_variable_read(sli_variable_t *variable);
// Like it, but FAILED_PRECONDITION "Attempting to use uninitialized value NAME".
sli_status_t *sli_variable_read_initialized(sli_variable_t *variable, sli_tensor_t **out_tensor);
// Replaces the tensor; consumes |tensor|.
void sli_variable_replace(sli_variable_t *variable, sli_tensor_t *tensor);

#endif  // SLI_CORE_VARIABLE_H_
