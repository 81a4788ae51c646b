// The elements of a tensor as text, JSON and numbers. Thread-safe; does not block.
#ifndef SLI_CLI_COMMON_TENSOR_TEXT_H_
#define SLI_CLI_COMMON_TENSOR_TEXT_H_

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/string.h"
#include "proto/tensor.pb-c.h"
#include "tensorflow/c/c_api.h"

// A tensor's elements, all borrowed: |data| for dense types, |strings| for strings.
typedef struct {
  int dtype;  // a string, or a type of known size (sli_report_dtype_size)
  int rank;
  const int64_t *dims;
  const void *data;
  const sli_view_t *strings;
  size_t count;  // number of elements
} sli_tensor_text_view_t;

// Element |i| as a number: of a complex element the real part, of a float8 its bits, of a string 0.
double sli_tensor_text_number(const sli_tensor_text_view_t *tensor, size_t i);
// Element |i| as exact JSON; a complex element is a list of two numbers. Returns a new reference.
json_t *sli_tensor_text_json(const sli_tensor_text_view_t *tensor, size_t i);

// Appends the elements as NumPy prints them; if there are more than |limit|, only the first and last of each dimension.
void sli_tensor_text_append(sli_string_t *out, const sli_tensor_text_view_t *tensor, int64_t limit);
// The same for a tensor of the C API.
void sli_tensor_text_append_tensor(sli_string_t *out, const TF_Tensor *tensor, int64_t limit);
// For two or more real numbers: "min", "max" and "mean" of the finite ones, and "nan" and "inf", how many are not
// finite. NULL for other tensors. Returns a new reference.
json_t *sli_tensor_text_statistics(const sli_tensor_text_view_t *tensor);
// The value of a tensor message with one element; false if it has more, or no number.
bool sli_tensor_text_scalar(const Tensorflow__TensorProto *proto, double *out_value);

#endif  // SLI_CLI_COMMON_TENSOR_TEXT_H_
