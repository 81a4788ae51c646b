// Encoders of Summary messages, for the ops that return Summaries and for those that write event files. Each function
// appends serialized Summary.Value fields to |summary|. Thread-safe; nothing here blocks.
#ifndef SLI_OPS_SUMMARY_SUMMARY_ENCODE_H_
#define SLI_OPS_SUMMARY_SUMMARY_ENCODE_H_

#include "core/tensor/tensor.h"

// Element |i| of a tensor of real numbers or bools, converted to double.
double sli_summary_element(const sli_tensor_t *tensor, int64_t i);

void sli_summary_append_scalar(sli_string_t *summary, sli_view_t tag, float value);
// INVALID_ARGUMENT, and nothing is appended, if a value is not finite.
sli_status_t *sli_summary_append_histogram(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *values);
// |metadata| is a serialized SummaryMetadata; it is omitted if it is empty.
void sli_summary_append_tensor(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, sli_view_t metadata);
// Appends up to |most| images [height, width, depth] of the batch |tensor|, as PNG. Pixels that are not finite get
// |bad_color| (a uint8 vector). After INVALID_ARGUMENT the contents of |summary| are undefined.
sli_status_t *sli_summary_append_images(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, int64_t most,
                                        const sli_tensor_t *bad_color);
// Appends up to |most| clips [frames, channels] or [frames] of the batch |tensor| (float), as 16-bit WAV. After
// INVALID_ARGUMENT the contents of |summary| are undefined.
sli_status_t *sli_summary_append_audio(sli_string_t *summary, sli_view_t tag, const sli_tensor_t *tensor, int64_t most,
                                       float sample_rate);

#endif  // SLI_OPS_SUMMARY_SUMMARY_ENCODE_H_
