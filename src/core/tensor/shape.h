// Shapes, fully or partly known. A shape owns nothing: its dims belong to an
// arena, an attribute or a tensor, which must outlive it.
#ifndef SLI_CORE_TENSOR_SHAPE_H_
#define SLI_CORE_TENSOR_SHAPE_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/string.h"

enum { SLI_MAX_RANK = 254 };  // TensorFlow's limit

typedef struct {
  int rank;             // -1: unknown
  const int64_t *dims;  // -1: unknown
} sli_shape_t;

#define SLI_SHAPE_UNKNOWN ((sli_shape_t){-1, NULL})
#define SLI_SHAPE_SCALAR ((sli_shape_t){0, NULL})
// SLI_SHAPE(2, 3): the dims are valid until the end of the enclosing block.
#define SLI_SHAPE(...) \
  ((sli_shape_t){sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__}})

bool sli_shape_is_fully_known(sli_shape_t shape);
bool sli_shape_equal(sli_shape_t a, sli_shape_t b);
// Unknown parts are compatible with anything.
bool sli_shape_is_compatible(sli_shape_t a, sli_shape_t b);
// Number of elements; -1 if not fully known, and -1 on overflow of int64.
int64_t sli_shape_count(sli_shape_t shape);
// INVALID_ARGUMENT "A tensor can have at most 254 dimensions, got 300" if |rank| is too large.
sli_status_t *sli_shape_check_rank(int64_t rank);
// Copies the dims into |arena|.
sli_shape_t sli_shape_copy(sli_arena_t *arena, sli_shape_t shape);
// "[2,3]", "[?,3]", "<unknown>": as TensorFlow prints them.
void sli_shape_append(sli_string_t *string, sli_shape_t shape);
char *sli_shape_to_text(sli_shape_t shape);  // malloc'ed
// The same in a value, for messages: sli_status_make(…, "… %s", sli_shape_text(shape).text). A very long text is cut
// and ends with "…]".
typedef struct {
  char text[160];
} sli_shape_text_t;
sli_shape_text_t sli_shape_text(sli_shape_t shape);

// NumPy broadcasting of two fully known shapes into |out_dims|, which has room
// for the larger rank. INVALID_ARGUMENT "Incompatible shapes: [2] vs. [3]".
sli_status_t *sli_shape_broadcast(sli_shape_t a, sli_shape_t b, int64_t *out_dims, int *out_rank);

// The product of dims [begin, end).
static inline int64_t sli_shape_product(const int64_t *dims, int begin, int end) {
  int64_t product = 1;
  for (int i = begin; i < end; i++) product *= dims[i];
  return product;
}
// Row-major strides, counted in elements.
static inline void sli_shape_strides(int rank, const int64_t *dims, int64_t *out_strides) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; i--) {
    out_strides[i] = stride;
    if (__builtin_mul_overflow(stride, dims[i], &stride)) stride = 0;  // an empty shape with huge dims
  }
}

#endif  // SLI_CORE_TENSOR_SHAPE_H_
