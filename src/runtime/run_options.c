#include "runtime/run_options.h"

#include "proto/wire.h"

sli_status_t *sli_run_options_decode(sli_view_t bytes, sli_run_options_t *options) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_VARINT) continue;
    if (field.number == 1) options->trace_level = (int)field.value;
    if (field.number == 2) options->timeout_millis = (int64_t)field.value;
    if (field.number == 5) options->want_partition_graphs = field.value != 0;
  }
  return reader.malformed ? sli_wire_error("tensorflow.RunOptions") : NULL;
}
