#include "ops/ragged/ragged.h"

sli_status_t *sli_ragged_check_splits(const sli_tensor_t *splits, int64_t count) {
  if (splits->rank != 1 || splits->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "ragged splits may not be empty.");
  if (sli_tensor_int_at(splits, 0) != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "First value of ragged splits must be 0.");
  for (int64_t i = 1; i < splits->count; i++) {
    int64_t before = sli_tensor_int_at(splits, i - 1), split = sli_tensor_int_at(splits, i);
    if (split < before)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Ragged splits should be non decreasing, but we got %lld followed by %lld",
                             (long long)before, (long long)split);
  }
  if (sli_tensor_int_at(splits, splits->count - 1) != count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Final value of ragged splits must match the length the corresponding ragged values.");
  return NULL;
}

sli_status_t *sli_ragged_check_nested(sli_kernel_context_t *context, int first, int count, int64_t rows) {
  for (int i = 0; i < count; i++) {
    const sli_tensor_t *next = i + 1 < count ? sli_kernel_input(context, first + i + 1) : NULL;
    SLI_RETURN_IF_ERROR(sli_ragged_check_splits(sli_kernel_input(context, first + i), next ? next->count - 1 : rows));
  }
  return NULL;
}
