// What the oneDNN files share: the opened library, and plans: a primitive with
// its arguments' layouts, cached by a key, run by any number of threads at once.
#ifndef SLI_MATH_ONEDNN_INTERNAL_H_
#define SLI_MATH_ONEDNN_INTERNAL_H_

#include <oneapi/dnnl/dnnl.h>
#include <stddef.h>

#include "base/status.h"
#include "base/sync.h"
#include "math/epilogue.h"

enum { ONEDNN_MAX_ARGS = 4 };

// The functions of the library that we call.
#define ONEDNN_FUNCTIONS(X)                           \
  X(dnnl_engine_create)                               \
  X(dnnl_stream_create)                               \
  X(dnnl_stream_destroy)                              \
  X(dnnl_memory_create)                               \
  X(dnnl_memory_destroy)                              \
  X(dnnl_memory_set_data_handle)                      \
  X(dnnl_memory_desc_init_by_strides)                 \
  X(dnnl_memory_desc_init_by_tag)                     \
  X(dnnl_memory_desc_get_size)                        \
  X(dnnl_memory_desc_equal)                           \
  X(dnnl_primitive_attr_create)                       \
  X(dnnl_primitive_attr_destroy)                      \
  X(dnnl_primitive_attr_set_scratchpad_mode)          \
  X(dnnl_primitive_attr_set_post_ops)                 \
  X(dnnl_post_ops_create)                             \
  X(dnnl_post_ops_destroy)                            \
  X(dnnl_post_ops_append_eltwise)                     \
  X(dnnl_primitive_desc_create)                       \
  X(dnnl_primitive_desc_destroy)                      \
  X(dnnl_primitive_desc_query_md)                     \
  X(dnnl_primitive_create)                            \
  X(dnnl_primitive_destroy)                           \
  X(dnnl_primitive_execute)                           \
  X(dnnl_reorder_primitive_desc_create)               \
  X(dnnl_dilated_convolution_forward_desc_init)       \
  X(dnnl_dilated_convolution_backward_data_desc_init) \
  X(dnnl_dilated_convolution_backward_weights_desc_init)

typedef struct {
  dnnl_engine_t engine;
#define ONEDNN_MEMBER(function) __typeof__(function) *function;
  ONEDNN_FUNCTIONS(ONEDNN_MEMBER)
#undef ONEDNN_MEMBER
} onednn_library_t;

// NULL if the library is not installed or too old. Opened once.
const onednn_library_t *onednn_library(void);

// INTERNAL "oneDNN: <what> failed with status N"; NULL for success.
sli_status_t *onednn_check(dnnl_status_t result, const char *what);

// One argument of a primitive. |layout| is how the caller's bytes lie; where the
// primitive prefers another, its run reorders into (or out of) a buffer.
typedef struct {
  int id;  // DNNL_ARG_SRC …
  bool is_output;
  dnnl_memory_desc_t layout;
  dnnl_query_t query;  // dnnl_query_src_md …: asks what the primitive wants; 0: |layout|
} onednn_arg_t;

// What a key's owner describes when the plan is not cached yet.
typedef struct {
  onednn_arg_t args[ONEDNN_MAX_ARGS];
  int arg_count;
  dnnl_primitive_desc_t desc;  // consumed
} onednn_recipe_t;

typedef sli_status_t *(*onednn_describe_fn_t)(const onednn_library_t *library, const void *shape,
                                              onednn_recipe_t *out_recipe);

// Runs the primitive for |key| on the calling thread; |describe|(shape) makes it
// if it is new. |data| are the arguments in the order of the recipe.
sli_status_t *onednn_execute(const void *key, size_t key_size, onednn_describe_fn_t describe, const void *shape,
                             void *const data[]);

// Attributes that every primitive has: our scratchpad, and the activation behind it.
sli_status_t *onednn_make_attr(const onednn_library_t *library, sli_activation_t activation, float alpha,
                               dnnl_primitive_attr_t *out_attr);

#endif  // SLI_MATH_ONEDNN_INTERNAL_H_
