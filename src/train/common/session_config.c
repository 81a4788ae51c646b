// Converts the options of a program to the ConfigProto of its sessions.
#include "train/common/session_config.h"

#include "proto/config.fields.h"
#include "proto/wire.h"
#include "train/common/call_options.h"

static bool has_filters(sli_view_t config) {
  sli_wire_reader_t reader = sli_wire_reader(config);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_CONFIG_PROTO_DEVICE_FILTERS) return true;
  return false;
}

static void append_device_count(sli_string_t *out, const char *type, int count) {
  size_t entry = sli_wire_open(out, SLI_FIELD_CONFIG_PROTO_DEVICE_COUNT);
  sli_wire_write_text(out, SLI_FIELD_CONFIG_PROTO_DEVICE_COUNT_ENTRY_KEY, type);
  sli_wire_write_int(out, SLI_FIELD_CONFIG_PROTO_DEVICE_COUNT_ENTRY_VALUE, count);
  sli_wire_close(out, entry);
}

// The program's own proto comes first: when concatenated messages are parsed, the last value of a field counts.
bool sli_session_config_append(const sl_config_t *given, sli_string_t *out) {
  SLI_CALL_OPTIONS(sl_config_t, config, given);
  size_t begin = out->size;
  if (config.proto) sli_string_append(out, config.proto->data, config.proto->length);
  if (config.intra_op_parallelism_threads)
    sli_wire_write_int(out, SLI_FIELD_CONFIG_PROTO_INTRA_OP_PARALLELISM_THREADS, config.intra_op_parallelism_threads);
  for (size_t i = 0; i < config.device_filter_count; i++)
    sli_wire_write_text(out, SLI_FIELD_CONFIG_PROTO_DEVICE_FILTERS, config.device_filters[i]);
  if (config.inter_op_parallelism_threads)
    sli_wire_write_int(out, SLI_FIELD_CONFIG_PROTO_INTER_OP_PARALLELISM_THREADS, config.inter_op_parallelism_threads);
  if (config.allow_soft_placement) sli_wire_write_int(out, SLI_FIELD_CONFIG_PROTO_ALLOW_SOFT_PLACEMENT, 1);
  if (config.log_device_placement) sli_wire_write_int(out, SLI_FIELD_CONFIG_PROTO_LOG_DEVICE_PLACEMENT, 1);
  if (config.bfloat16_transfers) {
    size_t options = sli_wire_open(out, SLI_FIELD_CONFIG_PROTO_GRAPH_OPTIONS);
    sli_wire_write_int(out, SLI_FIELD_GRAPH_OPTIONS_ENABLE_BFLOAT16_SENDRECV, 1);
    sli_wire_close(out, options);
  }
  if (config.device_count.cpu) append_device_count(out, "CPU", config.device_count.cpu);
  if (config.device_count.gpu)
    append_device_count(out, "GPU", config.device_count.gpu < 0 ? 0 : config.device_count.gpu);
  return out->size > begin && has_filters(sli_view_of(out->data + begin, out->size - begin));
}
