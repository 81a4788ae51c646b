// What the oneDNN files share: the loaded library, and running primitives. A primitive is cached by a key together with
// the layouts of its arguments, and can be run by any number of threads at once.
#ifndef SLI_MATH_ONEDNN_INTERNAL_H_
#define SLI_MATH_ONEDNN_INTERNAL_H_

#include <oneapi/dnnl/dnnl.h>
#include <stddef.h>

#include "base/status.h"
#include "base/sync.h"
#include "math/epilogue.h"

enum { SLI_ONEDNN_MAX_ARGS = 4 };

typedef struct {
  dnnl_engine_t engine;
#define FUNCTION(name) __typeof__(name) *name;
#include "math/onednn_functions.inc"
#undef FUNCTION
} sli_onednn_library_t;

// INTERNAL "oneDNN: <what> failed with status N"; NULL for success.
sli_status_t *sli_onednn_check(dnnl_status_t result, const char *what);

// One argument of a primitive. |layout| is that of the caller's bytes; if the primitive prefers another, its run
// reorders into (or out of) a buffer.
typedef struct {
  int id;  // DNNL_ARG_SRC …
  bool is_output;
  dnnl_memory_desc_t layout;
  dnnl_query_t query;  // dnnl_query_src_md …: queries the layout that the primitive prefers; 0: it takes |layout|
} sli_onednn_arg_t;

// The description of a primitive that is not cached yet.
typedef struct {
  sli_onednn_arg_t args[SLI_ONEDNN_MAX_ARGS];
  int arg_count;
  dnnl_primitive_desc_t desc;  // consumed
} sli_onednn_recipe_t;

typedef sli_status_t *(*sli_onednn_describe_fn_t)(const sli_onednn_library_t *library, const void *shape,
                                                  sli_onednn_recipe_t *out_recipe);

// Runs the primitive for |key| on the calling thread. If it is not cached, |describe|(shape) describes it. |data| are
// the arguments in the order of the recipe.
sli_status_t *sli_onednn_execute(const void *key, size_t key_size, sli_onednn_describe_fn_t describe, const void *shape,
                                 void *const data[]);

// The attributes of every primitive: that we provide the scratchpad, and the activation that follows.
sli_status_t *sli_onednn_make_attr(const sli_onednn_library_t *library, sli_epilogue_activation_t activation,
                                   float alpha, dnnl_primitive_attr_t *out_attr);

#endif  // SLI_MATH_ONEDNN_INTERNAL_H_
