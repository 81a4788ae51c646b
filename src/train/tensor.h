// TF_Tensors of our own making. The caller releases them with
// sli_tensor_delete. Thread-safe.
#ifndef SLI_TRAIN_TENSOR_H_
#define SLI_TRAIN_TENSOR_H_

#include "base/status.h"
#include "sluice/scope.h"

// Elements of a shape that is fully known; -1 if it is not.
int64_t sli_shape_elements(sl_shape_t shape);
// Bytes of such a tensor; -1 if that is not known, or of a type without a size.
int64_t sli_shape_bytes(sl_shape_t shape, TF_DataType dtype);
// "(100, 784)", "(?, 784)", "()", "<unknown>" as Python prints it; new.
char *sli_shape_format(sl_shape_t shape);
// Whether a value of shape |value| can stand where |wanted| is known.
bool sli_shape_fits(sl_shape_t value, sl_shape_t wanted);
// "float", "int64", … as Python prints it; "?" for what it does not know.
const char *sli_type_name(TF_DataType dtype);

// A copy of |data|.
TF_Tensor *sli_tensor_copy(TF_DataType dtype, sl_shape_t shape, const void *data);
// |number| in each element; NULL unless |dtype| is a number or a bool.
TF_Tensor *sli_tensor_fill(TF_DataType dtype, sl_shape_t shape, double number);
// The |count| numbers, row by row; NULL also if they are not as many as the shape's elements.
TF_Tensor *sli_tensor_of_doubles(TF_DataType dtype, sl_shape_t shape, const double *numbers, size_t count);
// A vector of texts, or one scalar.
TF_Tensor *sli_tensor_texts(const char *const *texts, size_t count);
TF_Tensor *sli_tensor_text(const char *text);
// Texts inside go with the last tensor that shares them: a value that was fed may have been fetched too. NULL is fine.
void sli_tensor_delete(TF_Tensor *tensor);

// Converts element |index| of a numeric or boolean tensor; false for other types.
bool sli_tensor_to_double(const TF_Tensor *tensor, size_t index, double *out_value);
bool sli_tensor_to_int64(const TF_Tensor *tensor, size_t index, int64_t *out_value);

// A status of ours from TensorFlow's, and the other way; both consume their argument or the left one.
sli_status_t *sli_status_from_tf(TF_Status *status);
void sli_status_to_tf(sli_status_t *status, TF_Status *out_status);

#endif  // SLI_TRAIN_TENSOR_H_
