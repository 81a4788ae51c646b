// Optionals: a VARIANT that holds the components of an element, or nothing. Immutable.
#ifndef SLI_OPS_DATA_OPTIONAL_H_
#define SLI_OPS_DATA_OPTIONAL_H_

#include "core/tensor/tensor.h"

typedef struct {
  sli_object_t base;
  bool has_value;
  int count;
  sli_tensor_t *components[];  // counted
} sli_optional_t;
extern const sli_object_type_t sli_optional_type;

// Scalar VARIANT tensors. |components| are retained.
sli_tensor_t *sli_optional_none(void);
sli_tensor_t *sli_optional_make(sli_tensor_t *const *components, int count);

#endif  // SLI_OPS_DATA_OPTIONAL_H_
