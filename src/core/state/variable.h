// Variable: the state behind VariableV2 (reference edges) and VarHandleOp
// (resource handles). Holds a tensor or, before initialisation, none.
//
// Reads take the tensor without copying it. Updates with use_locking=false write
// into the tensor in place, concurrently; with locking they hold |mutex|.
#ifndef SLI_CORE_STATE_VARIABLE_H_
#define SLI_CORE_STATE_VARIABLE_H_

#include "base/sync.h"
#include "core/tensor/tensor.h"

typedef struct {
  sli_object_t base;
  sli_mutex_t mutex;         // serialises locking updates; taken before |tensor_mutex|
  sli_mutex_t tensor_mutex;  // guards the pointer, held for a few instructions
  sli_tensor_t *tensor;      // under tensor_mutex; NULL: uninitialised
  int borrowers;             // under tensor_mutex: kernels that hold |tensor| and allow it to change
  uint64_t returns;          // under tensor_mutex: borrows that have ended so far
  sli_dtype_t dtype;
  sli_shape_t declared;  // as the op declares it; unknown rank if it does not. Owned
  char *name;            // of the node that created it, for "Attempting to use uninitialized value NAME"
} sli_variable_t;

extern const sli_object_type_t sli_variable_type;

sli_variable_t *sli_variable_create(sli_dtype_t dtype, sli_view_t name, sli_shape_t declared);
static inline sli_variable_t *sli_variable_retain(sli_variable_t *variable) { return sli_object_retain(variable); }
static inline void sli_variable_release(sli_variable_t *variable) { sli_object_release(variable); }

// A reference to the current tensor; NULL if uninitialised. Thread-safe.
sli_tensor_t *sli_variable_read(sli_variable_t *variable);
// FAILED_PRECONDITION "Attempting to use uninitialized value NAME".
sli_status_t *sli_variable_uninitialized_error(const sli_variable_t *variable);
// Like sli_variable_read; if uninitialised, that error.
sli_status_t *sli_variable_read_initialized(sli_variable_t *variable, sli_tensor_t **out_tensor);
// Like sli_variable_read, for a kernel that allows the tensor to change while it uses it: an update, or one that
// gathers rows. It does not make the tensor shared in the sense of sli_variable_read_shared(). Each call needs a
// sli_variable_return().
sli_tensor_t *sli_variable_borrow(sli_variable_t *variable);
// Ends a borrow of |tensor|, which may no longer be the variable's. |tensor| may be NULL.
void sli_variable_return(sli_variable_t *variable, sli_tensor_t *tensor);
// If anything besides borrowers holds a reference to the tensor, it must not change: then returns it, with a
// reference. Else NULL.
sli_tensor_t *sli_variable_read_shared(sli_variable_t *variable);
// Called before an update in place of a variable whose readers in this process allow it to change. If another process
// reads the bytes in place, gives the variable other bytes; not while other kernels update it, because they would
// go on to write the old bytes, and a reader gets a mixture in any case.
sli_status_t *sli_variable_leave_lent_memory(sli_variable_t *variable);
// Called before an update in place of a variable whose readers rely on the value that they have: copies the tensor if
// anything besides borrowers holds it, or another process reads it. |locked|: the caller holds |mutex|; else it is
// locked while the tensor is copied.
sli_status_t *sli_variable_make_private(sli_variable_t *variable, bool locked);
// Replaces the tensor; consumes |tensor|.
void sli_variable_replace(sli_variable_t *variable, sli_tensor_t *tensor);

#endif  // SLI_CORE_STATE_VARIABLE_H_
