#include "runtime/session/run_options.h"

#include "proto/config.fields.h"
#include "proto/wire.h"

static bool read_experimental(sli_view_t bytes, sli_run_options_t *options) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_RUN_OPTIONS_EXPERIMENTAL_COLLECTIVE_GRAPH_KEY && field.type == SLI_WIRE_VARINT)
      options->collective_graph_key = (int64_t)field.value;
  return !reader.malformed;
}

sli_status_t *sli_run_options_decode(sli_view_t bytes, sli_run_options_t *options) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_RUN_OPTIONS_EXPERIMENTAL && field.type == SLI_WIRE_BYTES)
      reader.malformed |= !read_experimental(field.bytes, options);
    if (field.type != SLI_WIRE_VARINT) continue;
    if (field.number == SLI_FIELD_RUN_OPTIONS_TRACE_LEVEL) options->trace_level = (int)field.value;
    if (field.number == SLI_FIELD_RUN_OPTIONS_TIMEOUT_IN_MS) options->timeout_millis = (int64_t)field.value;
    if (field.number == SLI_FIELD_RUN_OPTIONS_OUTPUT_PARTITION_GRAPHS)
      options->want_partition_graphs = field.value != 0;
  }
  return reader.malformed ? sli_wire_error("tensorflow.RunOptions") : NULL;
}
