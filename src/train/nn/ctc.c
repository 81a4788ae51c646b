// Decodes the outputs of a network trained with CTC.
#include "sluice/ctc.h"

#include "train/common/call_options.h"
#include "train/graph/scope.h"

sl_ctc_decoded_t sl_ctc_greedy_decoder_with(sl_scope_t *scope, TF_Output logits, TF_Output lengths,
                                            const sl_ctc_greedy_decoder_options_t *given) {
  SLI_CALL_OPTIONS(sl_ctc_greedy_decoder_options_t, options, given);
  sl_node_t *node = sl_node_begin(scope, "CTCGreedyDecoder", options.name);
  sl_node_input(node, logits);
  sl_node_input(node, lengths);
  sl_node_attr_bool(node, "merge_repeated", !options.keep_repeated);
  TF_Operation *decoder = sl_node_finish(node);
  return (sl_ctc_decoded_t){.decoded = {{decoder, 0}, {decoder, 1}, {decoder, 2}}, .neg_sum_logits = {decoder, 3}};
}
