// Attribute values of nodes: a tagged union, parsed once from AttrValue. Strings,
// dims and lists are in the owner's arena. Tensors are reference-counted; the owner
// releases them (sli_attr_release_tensors).
#ifndef SLI_CORE_OP_ATTR_H_
#define SLI_CORE_OP_ATTR_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/string.h"
#include "core/tensor/dtype.h"
#include "core/tensor/shape.h"
#include "core/tensor/tensor.h"

typedef enum {
  SLI_ATTR_NONE = 0,
  SLI_ATTR_STRING,
  SLI_ATTR_INT,
  SLI_ATTR_FLOAT,
  SLI_ATTR_BOOL,
  SLI_ATTR_TYPE,
  SLI_ATTR_SHAPE,
  SLI_ATTR_TENSOR,
  SLI_ATTR_FUNC,
  SLI_ATTR_PLACEHOLDER,
} sli_attr_kind_t;

typedef struct sli_attr sli_attr_t;

// A function's name with its attributes.
typedef struct {
  sli_view_t name;
  const struct sli_attr_entry *attrs;
  size_t attr_count;
} sli_attr_func_t;

struct sli_attr {
  sli_attr_kind_t kind;
  bool is_list;
  size_t count;  // of a list
  union {
    sli_view_t s;
    int64_t i;
    float f;
    bool b;
    sli_dtype_t type;
    sli_shape_t shape;
    sli_tensor_t *tensor;
    sli_attr_func_t func;
    struct {
      union {
        const sli_view_t *s;
        const int64_t *i;
        const float *f;
        const bool *b;
        const sli_dtype_t *type;
        const sli_shape_t *shape;
        sli_tensor_t *const *tensor;
        const sli_attr_func_t *func;
      };
    } list;
  };
};

typedef struct sli_attr_entry {
  const char *name;
  sli_attr_t value;
} sli_attr_entry_t;

// Literals for code that builds nodes.
#define SLI_ATTR_INT_OF(attr_name, v) ((sli_attr_entry_t){attr_name, {.kind = SLI_ATTR_INT, .i = (v)}})
#define SLI_ATTR_FLOAT_OF(attr_name, v) ((sli_attr_entry_t){attr_name, {.kind = SLI_ATTR_FLOAT, .f = (v)}})
#define SLI_ATTR_BOOL_OF(attr_name, v) ((sli_attr_entry_t){attr_name, {.kind = SLI_ATTR_BOOL, .b = (v)}})
#define SLI_ATTR_TYPE_OF(attr_name, v) ((sli_attr_entry_t){attr_name, {.kind = SLI_ATTR_TYPE, .type = (v)}})
#define SLI_ATTR_STRING_OF(attr_name, v) ((sli_attr_entry_t){attr_name, {.kind = SLI_ATTR_STRING, .s = sli_view(v)}})
#define SLI_ATTR_SHAPE_OF(attr_name, v) ((sli_attr_entry_t){attr_name, {.kind = SLI_ATTR_SHAPE, .shape = (v)}})
#define SLI_ATTR_TENSOR_OF(attr_name, v) ((sli_attr_entry_t){attr_name, {.kind = SLI_ATTR_TENSOR, .tensor = (v)}})

// Deep copy into |arena|; tensors are retained.
sli_attr_t sli_attr_copy(sli_arena_t *arena, const sli_attr_t *attr);
void sli_attr_release_tensors(sli_attr_t *attr);
bool sli_attr_equal(const sli_attr_t *a, const sli_attr_t *b);
// Serialized AttrValue to attribute and back.
sli_status_t *sli_attr_decode(sli_view_t bytes, sli_arena_t *arena, sli_attr_t *out_attr);
void sli_attr_encode(const sli_attr_t *attr, sli_string_t *out);
// As TensorFlow's SummarizeAttrValue prints it: DT_FLOAT, [1, 2], "text".
void sli_attr_append(sli_string_t *string, const sli_attr_t *attr);
// "int", "list(float)", "type": the kind as an op's spec writes it.
void sli_attr_append_kind(sli_string_t *string, sli_attr_kind_t kind, bool is_list);

#endif  // SLI_CORE_OP_ATTR_H_
