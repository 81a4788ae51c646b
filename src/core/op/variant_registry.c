// Elements of VARIANT tensors whose type an op module defines.
#include "core/op/op_registry.h"
#include "core/op/op_registry_internal.h"
#include "core/tensor/variant.h"

static const sli_object_type_t *find_variant(sli_view_t name) {
  for (size_t m = 0; sli_op_modules[m]; m++) {
    const sli_object_type_t *const *types = sli_op_modules[m]->variants;
    for (; types && *types; types++)
      if (sli_view_is(name, (*types)->name)) return *types;
  }
  return NULL;
}

sli_status_t *sli_op_variant_at(const sli_tensor_t *tensor, int64_t index, const sli_object_type_t *type,
                                sli_object_t **out_object) {
  *out_object = NULL;
  sli_object_t *object = SLI_DATA(sli_object_t *, tensor)[index];
  if (!object || object->type != &sli_variant_encoded_type) {
    if (object && (!type || object->type == type)) *out_object = sli_object_retain(object);
    return NULL;
  }
  const sli_variant_encoded_t *encoded = (const sli_variant_encoded_t *)object;
  const sli_object_type_t *own = find_variant(sli_view(encoded->type_name));
  if (!own || !own->variant->decode)
    return sli_status_make(SLI_INVALID_ARGUMENT, "A variant of type '%s' cannot be received", encoded->type_name);
  if (type && own != type) return NULL;
  return own->variant->decode(&encoded->data, out_object);
}

sli_status_t *sli_op_variant_zeros_like(const sli_tensor_t *tensor, int64_t index, sli_object_t **out_zeros) {
  *out_zeros = NULL;
  sli_object_t *object;
  SLI_RETURN_IF_ERROR(sli_op_variant_at(tensor, index, NULL, &object));
  sli_status_t *status = NULL;
  if (object && object->type->variant && object->type->variant->zeros_like)
    status = object->type->variant->zeros_like(object, out_zeros);
  else
    status = sli_status_make(SLI_INTERNAL,
                             "No unary variant unary_op function found for op ZEROS_LIKE Variant type_name: %s for "
                             "device type: CPU",
                             sli_variant_type_name(object));
  sli_object_release(object);
  return status;
}

static sli_status_t *add_objects(const sli_object_t *a, const sli_object_t *b, sli_object_t **out_sum) {
  const char *name = sli_variant_type_name(a);
  if ((a ? a->type : NULL) != (b ? b->type : NULL))
    return sli_status_make(SLI_INTERNAL,
                           "BinaryOpVariants: Variants a and b have different type ids.  Type names: '%s' vs. '%s'",
                           name, sli_variant_type_name(b));
  if (a && a->type->variant && a->type->variant->add) return a->type->variant->add(a, b, out_sum);
  return sli_status_make(SLI_INTERNAL,
                         "No unary variant binary_op function found for op ADD Variant type_name: '%s' for device "
                         "type: CPU",
                         name);
}

sli_status_t *sli_op_variant_add(const sli_tensor_t *a, const sli_tensor_t *b, int64_t index, sli_object_t **out_sum) {
  *out_sum = NULL;
  sli_object_t *left = NULL, *right = NULL;
  sli_status_t *status = sli_op_variant_at(a, index, NULL, &left);
  if (!status) status = sli_op_variant_at(b, index, NULL, &right);
  if (!status) status = add_objects(left, right, out_sum);
  sli_object_release(left);
  sli_object_release(right);
  return status;
}
