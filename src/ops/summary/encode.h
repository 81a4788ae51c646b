// Values of a Summary message: each function appends serialized Summary.Value
// fields to |summary|. What the ops that return Summaries and those that write
// event files have in common. Thread-safe; nothing here blocks.
#ifndef SLI_OPS_SUMMARY_ENCODE_H_
#define SLI_OPS_SUMMARY_ENCODE_H_

#include "core/tensor.h"

// Element |i| of a tensor of real numbers or bools.
double sli_summary_element(const sli_tensor_t *tensor, int64_t i);

void sli_summary_append_scalar(sli_string_t *summary, sli_view_t tag, float value);
// INVALID_ARGUMENT for values that are not finite; nothing is appended then.
sli_status_t *sli_summary_append_histogram(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *values);
// |metadata|: a serialized SummaryMetadata, left out if it is empty.
void sli_summary_append_tensor(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, sli_view_t metadata);
// At most |most| images [height, width, depth] of the batch |tensor|, as PNG. |bad_color| (uint8, a vector) stands for
// pixels that are not finite. After INVALID_ARGUMENT |summary| holds anything.
sli_status_t *sli_summary_append_images(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, int64_t most,
                                        const sli_tensor_t *bad_color);
// At most |most| clips [frames, channels] or [frames] of the batch |tensor| (float), as 16-bit WAV. After
// INVALID_ARGUMENT |summary| holds anything.
sli_status_t *sli_summary_append_audio(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, int64_t most,
                                       float sample_rate);

#endif  // SLI_OPS_SUMMARY_ENCODE_H_
