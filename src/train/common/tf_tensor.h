// Creates and reads TF_Tensors, describes shapes and types, and converts statuses.
// The caller releases new tensors with sli_tf_tensor_delete. Thread-safe.
#ifndef SLI_TRAIN_COMMON_TF_TENSOR_H_
#define SLI_TRAIN_COMMON_TF_TENSOR_H_

#include "base/status.h"
#include "sluice/scope.h"

// The number of elements of a shape; -1 if the shape is not fully known.
int64_t sli_tf_shape_elements(sl_shape_t shape);
// The size of such a tensor in bytes; -1 if the shape is not fully known or the type has no fixed size.
int64_t sli_tf_shape_bytes(sl_shape_t shape, TF_DataType dtype);
// "(100, 784)", "(?, 784)", "()" or "<unknown>", as Python prints it. New.
char *sli_tf_shape_format(sl_shape_t shape);
// Whether a value of shape |value| matches |wanted|, of which dimensions may be unknown.
bool sli_tf_shape_fits(sl_shape_t value, sl_shape_t wanted);
// "float", "int64", …, as Python prints it; "?" for other types.
const char *sli_tf_type_name(TF_DataType dtype);
bool sli_tf_type_is_floating(TF_DataType dtype);
// The type of a reference to a variable is that of the value plus this: DT_FLOAT_REF is DT_FLOAT + 100.
enum { SLI_TF_REFERENCE_TYPE = 100 };
bool sli_tf_output_is_reference(TF_Output output);

// A copy of |data|.
TF_Tensor *sli_tf_tensor_copy(TF_DataType dtype, sl_shape_t shape, const void *data);
// A copy of |tensor|, which must have a type of fixed size; of any rank.
TF_Tensor *sli_tf_tensor_clone(const TF_Tensor *tensor);
// A tensor with |number| in each element; NULL unless |dtype| is bool, float, double or an integer type.
TF_Tensor *sli_tf_tensor_fill(TF_DataType dtype, sl_shape_t shape, double number);
// A tensor of |count| numbers, row by row; NULL also if the shape does not have |count| elements.
TF_Tensor *sli_tf_tensor_from_doubles(TF_DataType dtype, sl_shape_t shape, const double *numbers, size_t count);
// A vector of strings, and a scalar string.
TF_Tensor *sli_tf_tensor_texts(const char *const *texts, size_t count);
TF_Tensor *sli_tf_tensor_text(const char *text);
// NULL is fine.
void sli_tf_tensor_delete(TF_Tensor *tensor);

// Reads element |index| of a numeric or boolean tensor; false for other types.
bool sli_tf_tensor_to_double(const TF_Tensor *tensor, size_t index, double *out_value);
bool sli_tf_tensor_to_int64(const TF_Tensor *tensor, size_t index, int64_t *out_value);

// Convert a TF_Status to a status and back. Both release |status|.
sli_status_t *sli_tf_status_to_status(TF_Status *status);
void sli_tf_status_from_status(sli_status_t *status, TF_Status *out_status);

#endif  // SLI_TRAIN_COMMON_TF_TENSOR_H_
