// What a program asks of its sessions, as the ConfigProto that they are opened with.
#include "proto/wire.h"
#include "train/options_internal.h"
#include "train/session_manager_internal.h"

// Fields of ConfigProto.
enum { INTRA_OP_THREADS = 2, DEVICE_FILTERS = 4, INTER_OP_THREADS = 5, SOFT_PLACEMENT = 7, LOG_PLACEMENT = 8 };

static bool has_filters(const sli_string_t *config) {
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(config->data, config->size));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == DEVICE_FILTERS) return true;
  return false;
}

// Of repeated messages in a row the fields are merged, the last word counts: the program's own proto comes first.
bool sli_session_config_append(const sl_config_t *given, sli_string_t *out) {
  SLI_READ_OPTIONS(sl_config_t, config, given);
  if (config.proto) sli_string_append(out, config.proto->data, config.proto->length);
  if (config.intra_op_parallelism_threads)
    sli_wire_write_int(out, INTRA_OP_THREADS, config.intra_op_parallelism_threads);
  for (size_t i = 0; i < config.device_filter_count; i++)
    sli_wire_write_text(out, DEVICE_FILTERS, config.device_filters[i]);
  if (config.inter_op_parallelism_threads)
    sli_wire_write_int(out, INTER_OP_THREADS, config.inter_op_parallelism_threads);
  if (config.allow_soft_placement) sli_wire_write_int(out, SOFT_PLACEMENT, 1);
  if (config.log_device_placement) sli_wire_write_int(out, LOG_PLACEMENT, 1);
  return has_filters(out);
}
