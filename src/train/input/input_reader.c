// Readers: nodes that read records from files.
#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"
#include "train/input/input_internal.h"

TF_Output sl_tf_record_reader_with(sl_scope_t *scope, const sl_reader_options_t *given) {
  SLI_CALL_OPTIONS(sl_reader_options_t, options, given);
  sl_node_t *node = sl_node_begin(scope, "TFRecordReaderV2", options.name);
  if (options.compression) sl_node_attr_text(node, "compression_type", options.compression);
  return sl_node_output(node);
}

TF_Output sl_text_line_reader_with(sl_scope_t *scope, const sl_reader_options_t *given) {
  SLI_CALL_OPTIONS(sl_reader_options_t, options, given);
  sl_node_t *node = sl_node_begin(scope, "TextLineReaderV2", options.name);
  sl_node_attr_int(node, "skip_header_lines", options.skip_header_lines);
  return sl_node_output(node);
}

TF_Output sl_whole_file_reader_with(sl_scope_t *scope, const sl_reader_options_t *given) {
  SLI_CALL_OPTIONS(sl_reader_options_t, options, given);
  return sl_node_output(sl_node_begin(scope, "WholeFileReaderV2", options.name));
}

TF_Output sl_identity_reader_with(sl_scope_t *scope, const sl_reader_options_t *given) {
  SLI_CALL_OPTIONS(sl_reader_options_t, options, given);
  return sl_node_output(sl_node_begin(scope, "IdentityReaderV2", options.name));
}

TF_Output sl_fixed_length_record_reader_with(sl_scope_t *scope, int64_t record_bytes,
                                             const sl_reader_options_t *given) {
  SLI_CALL_OPTIONS(sl_reader_options_t, options, given);
  sl_node_t *node = sl_node_begin(scope, "FixedLengthRecordReaderV2", options.name);
  sl_node_attr_int(node, "record_bytes", record_bytes);
  sl_node_attr_int(node, "header_bytes", options.header_bytes);
  sl_node_attr_int(node, "footer_bytes", options.footer_bytes);
  sl_node_attr_int(node, "hop_bytes", options.hop_bytes);
  return sl_node_output(node);
}

static sl_record_t record_of(TF_Operation *read) {
  return read ? (sl_record_t){.key = {read, 0}, .value = {read, 1}} : (sl_record_t){0};
}

sl_record_t sl_reader_read_with(sl_scope_t *scope, TF_Output reader, TF_Output queue, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderReadV2", options ? options->name : NULL);
  sl_node_input(node, reader);
  sl_node_input(node, queue);
  return record_of(sl_node_finish(node));
}

sl_record_t sl_reader_read_up_to_with(sl_scope_t *scope, TF_Output reader, TF_Output queue, int64_t count,
                                      const sl_op_options_t *options) {
  TF_Operation *read = NULL;
  SL_NAME_SCOPE (scope, "%s", options && options->name ? options->name : "ReaderReadUpToV2") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output number = sli_build_constant_fill(scope, TF_INT64, SL_SHAPE(), (double)count, "num_records");
    sl_node_t *node = sl_node_begin(scope, "ReaderReadUpToV2", whole);
    sl_node_input(node, reader);
    sl_node_input(node, queue);
    sl_node_input(node, number);
    read = sl_node_finish(node);
    free(whole);
  }
  return record_of(read);
}

TF_Output sl_decode_raw_with(sl_scope_t *scope, TF_Output bytes, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeRaw", options ? options->name : NULL);
  sl_node_input(node, bytes);
  sl_node_attr_type(node, "out_type", dtype);
  return sl_node_output(node);
}
