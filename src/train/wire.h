// The few protocol buffers that the training layer writes itself: fields are
// appended to a string. Thread-safe.
#ifndef SLI_TRAIN_WIRE_H_
#define SLI_TRAIN_WIRE_H_

#include <stdint.h>

#include "base/string.h"

void sli_train_wire_number(sli_string_t *out, int field, uint64_t value);
void sli_train_wire_bytes(sli_string_t *out, int field, sli_view_t bytes);
void sli_train_wire_float(sli_string_t *out, int field, float value);

#endif  // SLI_TRAIN_WIRE_H_
