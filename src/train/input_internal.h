// What the files of the input pipelines share.
#ifndef SLI_TRAIN_INPUT_INTERNAL_H_
#define SLI_TRAIN_INPUT_INTERNAL_H_

#include "sluice/input.h"

// A summary |name| of |elements| (int32), a number of elements, as a share of |capacity|.
void sli_input_fill_summary(sl_scope_t *scope, const char *name, TF_Output elements, int64_t capacity);

#endif  // SLI_TRAIN_INPUT_INTERNAL_H_
