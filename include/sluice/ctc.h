// Decodes the outputs of a network that was trained with sl_ctc_loss (losses.h).
#ifndef SLUICE_CTC_H_
#define SLUICE_CTC_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/losses.h"

SL_BEGIN_DECLS

typedef struct {
  sl_sparse_t decoded;       // int64 labels of [batch, longest], without blanks
  TF_Output neg_sum_logits;  // [batch, 1]: minus the sum of the logits along the path
} sl_ctc_decoded_t;

typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_repeated;  // a label at two consecutive steps counts twice
} sl_ctc_greedy_decoder_options_t;

// Takes the most likely label at each step, merges equal neighbours and drops blanks. |logits| are
// [steps, batch, classes], where the last class is the blank; |lengths| are the steps of each example, int32. As
// tf.nn.ctc_greedy_decoder.
SL_EXPORT sl_ctc_decoded_t sl_ctc_greedy_decoder_with(sl_scope_t *scope, TF_Output logits, TF_Output lengths,
                                                      const sl_ctc_greedy_decoder_options_t *options);
#define sl_ctc_greedy_decoder(scope, logits, lengths, ...)      \
  sl_ctc_greedy_decoder_with(SL_AT(scope), (logits), (lengths), \
                             SL_OPTIONS(sl_ctc_greedy_decoder_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_CTC_H_
