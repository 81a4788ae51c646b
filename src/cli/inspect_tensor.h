// The elements of a tensor as text and numbers. Thread-safe; nothing blocks.
#ifndef SLI_CLI_INSPECT_TENSOR_H_
#define SLI_CLI_INSPECT_TENSOR_H_

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/string.h"

// Dense elements, or strings. Borrows all.
typedef struct {
  int dtype;  // of known element size, or string
  int rank;
  const int64_t *dims;
  const void *data;
  const sli_view_t *strings;
  size_t count;  // elements
} sli_inspect_tensor_t;

// The |i|th element as a number (a complex one's real part, a float8's bits); 0 for a string.
double sli_inspect_element(const sli_inspect_tensor_t *tensor, size_t i);
// The same for JSON, exact: a complex one is a list of two. New reference.
json_t *sli_inspect_element_json(const sli_inspect_tensor_t *tensor, size_t i);

// Appends all as numpy shows them; of more than |limit| elements only the edges.
void sli_inspect_append_tensor(sli_string_t *out, const sli_inspect_tensor_t *tensor, int64_t limit);
// "min", "max", "mean" of the finite elements, and "nan" and "inf", how many are not, for real numbers; NULL if
// there is nothing to say. New reference.
json_t *sli_inspect_statistics(const sli_inspect_tensor_t *tensor);

#endif  // SLI_CLI_INSPECT_TENSOR_H_
