// Variable: the state behind VariableV2 (reference edges) and VarHandleOp
// (resource handles). Holds a tensor or, before initialisation, none.
//
// Reads take the tensor without copying it. Updates with use_locking=false write
// into the tensor in place, side by side; with locking they hold |mutex|.
#ifndef SLI_CORE_VARIABLE_H_
#define SLI_CORE_VARIABLE_H_

#include "base/sync.h"
#include "core/tensor.h"

typedef struct {
  sli_object_t base;
  sli_mutex_t mutex;         // serialises locking updates; taken before |tensor_mutex|
  sli_mutex_t tensor_mutex;  // guards the pointer, held for a few instructions
  sli_tensor_t *tensor;      // under tensor_mutex; NULL: uninitialised
  int borrowers;             // under tensor_mutex: kernels that hold |tensor| and do not mind that it changes
  uint64_t returns;          // under tensor_mutex: of borrowers so far
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
// FAILED_PRECONDITION "Attempting to use uninitialized value NAME".
sli_status_t *sli_variable_uninitialized(const sli_variable_t *variable);
// Like sli_variable_read, or that.
sli_status_t *sli_variable_read_initialized(sli_variable_t *variable, sli_tensor_t **out_tensor);
// Like sli_variable_read, for a kernel that uses the tensor for a while and takes whatever stands in it: an update, or
// one that gathers rows. It does not make the tensor shared in the sense below. Each call is paired with a return.
sli_tensor_t *sli_variable_borrow(sli_variable_t *variable);
// Ends a borrow of |tensor|, which may not be the variable's any more. NULL is fine.
void sli_variable_return(sli_variable_t *variable, sli_tensor_t *tensor);
// Whether somebody besides borrowers holds the tensor, which then must not change: it is returned with a reference;
// else NULL.
sli_tensor_t *sli_variable_shared(sli_variable_t *variable);
// Before an update in place of a variable that may change under its readers, if they are of this process: gives it
// other bytes if another process reads them where they are. Not while others update it: they would be left behind, and
// a reader has a mixture anyway.
sli_status_t *sli_variable_recall(sli_variable_t *variable);
// Replaces the tensor; consumes |tensor|.
void sli_variable_replace(sli_variable_t *variable, sli_tensor_t *tensor);

#endif  // SLI_CORE_VARIABLE_H_
