// Elements of VARIANT tensors. An element is an object (core/tensor/tensor.h) whose type may have the methods below. An
// element that came in a message stays encoded until a kernel asks for it (sli_op_variant_at), because only the ops
// know the types that there are.
#ifndef SLI_CORE_TENSOR_VARIANT_H_
#define SLI_CORE_TENSOR_VARIANT_H_

#include "base/array.h"
#include "core/tensor/tensor.h"

// The contents of a VariantTensorDataProto but for its type name. Zero-initialised it is empty.
typedef struct {
  sli_string_t metadata;
  SLI_ARRAY(sli_tensor_t *) tensors;  // owned
} sli_variant_data_t;
void sli_variant_data_deinitialize(sli_variant_data_t *data);

// Any method may be NULL: the type cannot be sent, decoded, zeroed or added.
struct sli_variant_methods {
  void (*encode)(const sli_object_t *object, sli_variant_data_t *out_data);
  sli_status_t *(*decode)(const sli_variant_data_t *data, sli_object_t **out_object);
  // An object of the same kind in which every number is zero.
  sli_status_t *(*zeros_like)(const sli_object_t *object, sli_object_t **out_object);
  sli_status_t *(*add)(const sli_object_t *a, const sli_object_t *b, sli_object_t **out_sum);
};

// An element as it came, of a type with |type_name|. Immutable.
typedef struct {
  sli_object_t base;
  char *type_name;
  sli_variant_data_t data;
} sli_variant_encoded_t;
extern const sli_object_type_t sli_variant_encoded_type;

// Appends the fields of a VariantTensorDataProto for |object|, which may be NULL. An object that cannot be encoded
// leaves only the name of its type, which no kernel can then read.
void sli_variant_encode(const sli_object_t *object, sli_string_t *out);
// Reads a VariantTensorDataProto. |*out_object| is NULL for an empty one. Tensors within tensors are read to a limited
// depth; |depth| is how deep this one is.
sli_status_t *sli_variant_decode(sli_view_t bytes, int depth, sli_object_t **out_object);
// The name of an element's type, for messages; "" for NULL. Also if it is still encoded.
const char *sli_variant_type_name(const sli_object_t *object);
// "Variant<type: tensorflow::TensorList value: TensorList>", for messages.
typedef struct {
  char text[160];
} sli_variant_text_t;
sli_variant_text_t sli_variant_text(const sli_object_t *object);

#endif  // SLI_CORE_TENSOR_VARIANT_H_
