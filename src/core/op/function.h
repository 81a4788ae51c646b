// Functions as kernels call them: the body of an If, the function of a dataset's map. A kernel gets the library of its
// graph at its creation (sli_kernel_setup_t), instantiates what its attributes name, and calls it any number of times.
// The implementation is in runtime/function.
#ifndef SLI_CORE_OP_FUNCTION_H_
#define SLI_CORE_OP_FUNCTION_H_

#include "core/op/attr.h"
#include "core/step/device.h"
#include "core/step/step.h"

typedef struct sli_function sli_function_t;
typedef struct sli_function_library sli_function_library_t;

typedef struct {
  // Of the caller: its ID, rendezvous and step resources; NULL: a step of its own. It must live until |done|.
  const sli_step_t *step;
  sli_cancellation_t *cancellation;  // never NULL; an error of the call does not cancel it
  int64_t deadline;                  // sli_clock_now_nanos, or SLI_CLOCK_NO_DEADLINE
  sli_tensor_t *const *arguments;    // as many as the function has; retained for the call
  bool may_block;                    // the caller's thread may run the body; else costly nodes go to the pool
} sli_function_call_t;

// Called exactly once, on any thread. The callee owns |status| and, on success, one reference of each result, but not
// the array.
typedef void (*sli_function_done_t)(void *context, sli_status_t *status, sli_tensor_t **results);

typedef struct {
  sli_status_t *(*instantiate)(sli_function_library_t *library, const sli_attr_func_t *name, sli_device_t *device,
                               sli_function_t **out_function);
  void (*call)(sli_function_t *function, const sli_function_call_t *call, sli_function_done_t done, void *context);
  sli_device_t *(*find_device)(sli_function_library_t *library, sli_view_t name);
  sli_view_t (*definition)(sli_function_library_t *library, sli_view_t name);
  sli_status_t *(*extend)(sli_function_library_t *library, const sli_view_t *definitions, size_t count,
                          sli_function_library_t **out_library);
} sli_function_vtable_t;

// The functions of one graph. Immutable, thread-safe, reference counted: a resource that outlives the graph, such as an
// iterator, keeps it alive.
struct sli_function_library {
  sli_object_t base;
  const sli_function_vtable_t *vtable;
};

// One function for given attributes on one device, compiled. Immutable, thread-safe, reference counted.
struct sli_function {
  sli_object_t base;
  const sli_function_vtable_t *vtable;
  int argument_count, result_count;
  const sli_dtype_t *argument_types, *result_types;
  bool is_stateful;
};

// The function that an attribute of kind FUNC names, on |device|. Equal requests share one. NOT_FOUND if the library
// has no such function, or is NULL. The function "SymbolicGradient" with an attribute "f" is the gradient of f.
static inline sli_status_t *sli_function_instantiate(sli_function_library_t *library, const sli_attr_func_t *name,
                                                     sli_device_t *device, sli_function_t **out_function) {
  *out_function = NULL;
  if (!library) return sli_status_make(SLI_NOT_FOUND, "Function %.*s is not defined.", SLI_VIEW_ARG(name->name));
  return library->vtable->instantiate(library, name, device, out_function);
}

// The device of this task with the name, of which parts may be absent; NULL: there is none.
static inline sli_device_t *sli_function_find_device(sli_function_library_t *library, sli_view_t name) {
  return library->vtable->find_device(library, name);
}

// The serialized FunctionDef of a function, as long as the library lives; empty: there is none of this name.
static inline sli_view_t sli_function_definition(sli_function_library_t *library, sli_view_t name) {
  return library->vtable->definition(library, name);
}

// A new library with the functions of |library|, which it keeps alive, and those of |count| serialized FunctionDefs.
// INVALID_ARGUMENT for another function with a known name.
static inline sli_status_t *sli_function_extend(sli_function_library_t *library, const sli_view_t *definitions,
                                                size_t count, sli_function_library_t **out_library) {
  return library->vtable->extend(library, definitions, count, out_library);
}

// Starts a call; |done| may be called before this returns.
static inline void sli_function_call(sli_function_t *function, const sli_function_call_t *call,
                                     sli_function_done_t done, void *context) {
  function->vtable->call(function, call, done, context);
}

#endif  // SLI_CORE_OP_FUNCTION_H_
