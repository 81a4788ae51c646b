// The reader ops: those that create a reader, and those that work on any reader. The old ops pass handles as references
// to string tensors, the V2 ops as resources.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/named_resource.h"
#include "ops/io/reader_kinds.h"

// --- Making a reader --------------------------------------------------------------------

static sli_status_t *make_tfrecord(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  sli_view_t text;
  sli_compression_t compression;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "compression_type", &text));
  SLI_RETURN_IF_ERROR(sli_compression_parse(text, &compression));
  *out_object = sli_reader_create_tfrecord(sli_view(node->name), compression);
  return NULL;
}

static sli_status_t *read_size(const sli_node_def_t *node, const char *attr, int64_t minimum, int64_t *out_value) {
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, attr, out_value));
  if (*out_value >= minimum && *out_value <= INT64_MAX / 4) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be >= %lld not %lld", attr, (long long)minimum,
                         (long long)*out_value);
}

static sli_status_t *make_text_line(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  int64_t skip;
  SLI_RETURN_IF_ERROR(read_size(node, "skip_header_lines", 0, &skip));
  *out_object = sli_reader_create_text_line(sli_view(node->name), skip);
  return NULL;
}

// record_bytes must be at least 1: a file would never end with empty records.
static sli_status_t *make_fixed_length(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  sli_reader_fixed_length_t layout = {0};
  SLI_RETURN_IF_ERROR(read_size(node, "header_bytes", 0, &layout.header_bytes));
  SLI_RETURN_IF_ERROR(read_size(node, "record_bytes", 1, &layout.record_bytes));
  SLI_RETURN_IF_ERROR(read_size(node, "footer_bytes", 0, &layout.footer_bytes));
  SLI_RETURN_IF_ERROR(read_size(node, "hop_bytes", 0, &layout.hop_bytes));
  if (sli_node_attr(node, "encoding")) {
    sli_view_t encoding;
    SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "encoding", &encoding));
    SLI_RETURN_IF_ERROR(sli_compression_parse(encoding, &layout.compression));
  }
  *out_object = sli_reader_create_fixed_length(sli_view(node->name), &layout);
  return NULL;
}

static sli_status_t *make_whole_file(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  *out_object = sli_reader_create_whole_file(sli_view(node->name));
  return NULL;
}

static sli_status_t *make_identity(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  *out_object = sli_reader_create_identity(sli_view(node->name));
  return NULL;
}

static sli_status_t *reader_create(const sli_kernel_setup_t *setup, void **out_state) {
  static const struct {
    const char *op;
    sli_named_resource_type_t type;
  } kinds[] = {
      {"TFRecordReader", {&sli_reader_type, make_tfrecord, NULL, true}},
      {"TextLineReader", {&sli_reader_type, make_text_line, NULL, true}},
      {"FixedLengthRecordReader", {&sli_reader_type, make_fixed_length, NULL, true}},
      {"WholeFileReader", {&sli_reader_type, make_whole_file, NULL, true}},
      {"IdentityReader", {&sli_reader_type, make_identity, NULL, true}},
  };
  size_t i = 0;
  while (i + 1 < SLI_ARRAY_COUNT_OF(kinds) && !sli_string_starts_with(setup->node->op->def->name, kinds[i].op)) i++;
  return sli_named_resource_create(setup, &kinds[i].type, out_state);
}

// --- Working on a reader ------------------------------------------------------------------

static sli_status_t *find_reader(sli_kernel_context_t *context, sli_reader_t **out_reader) {
  return sli_named_resource_find(context, 0, &sli_reader_type, (void **)out_reader);
}

static void take_string(sli_tensor_t *tensor, int64_t index, sli_tstring_t *string) {
  sli_tstring_t *to = &SLI_DATA(sli_tstring_t, tensor)[index];
  *to = *string;
  sli_tstring_initialize(string);
}

static sli_status_t *set_records(sli_kernel_context_t *context, sli_shape_t shape, sli_reader_records_t *records) {
  sli_tensor_t *keys, *values;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &keys));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, shape, &values));
  for (int64_t i = 0; i < keys->count; i++) {
    take_string(keys, i, &records->keys.items[i]);
    take_string(values, i, &records->values.items[i]);
  }
  return NULL;
}

static void read_done(void *user, sli_status_t *status, sli_reader_records_t *records) {
  sli_kernel_context_t *context = user;
  if (!status) status = set_records(context, SLI_SHAPE_SCALAR, records);
  sli_kernel_complete(context, status);
}

static void read_up_to_done(void *user, sli_status_t *status, sli_reader_records_t *records) {
  sli_kernel_context_t *context = user;
  if (!status) status = set_records(context, SLI_SHAPE((int64_t)records->keys.count), records);
  sli_kernel_complete(context, status);
}

static void start_read(sli_kernel_context_t *context, int64_t limit, sli_reader_done_t done) {
  sli_reader_t *reader = NULL;
  sli_queue_t *queue = NULL;
  sli_status_t *status = find_reader(context, &reader);
  if (!status) status = sli_named_resource_find(context, 1, &sli_queue_type, (void **)&queue);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_reader_read(reader, queue, sli_kernel_pool(context), context->step->cancellation, limit, done, context);
  sli_object_release(reader);
  sli_object_release(queue);
}

static void read_compute(sli_kernel_context_t *context) { start_read(context, 1, read_done); }

static void read_up_to_compute(sli_kernel_context_t *context) {
  int64_t limit = 0;
  sli_status_t *status = sli_kernel_input_int(context, 2, "num_records", &limit);
  if (!status && limit <= 0)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "num_records must be positive, got %lld", (long long)limit);
  if (status)
    sli_kernel_complete(context, status);
  else
    start_read(context, limit, read_up_to_done);
}

static sli_status_t *records_produced_compute(sli_kernel_context_t *context) {
  sli_reader_t *reader;
  SLI_RETURN_IF_ERROR(find_reader(context, &reader));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int64(sli_reader_records_produced(reader)));
  sli_object_release(reader);
  return NULL;
}

static sli_status_t *units_completed_compute(sli_kernel_context_t *context) {
  sli_reader_t *reader;
  SLI_RETURN_IF_ERROR(find_reader(context, &reader));
  sli_kernel_set_output(context, 0, sli_tensor_scalar_int64(sli_reader_units_completed(reader)));
  sli_object_release(reader);
  return NULL;
}

static void state_done(void *user, sli_status_t *status, sli_reader_records_t *records) {
  sli_kernel_context_t *context = user;
  if (!status && context->output_count > 0) {
    sli_tensor_t *output;
    status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
    if (!status) take_string(output, 0, &records->values.items[0]);
  }
  sli_kernel_complete(context, status);
}

static void reset_compute(sli_kernel_context_t *context) {
  sli_reader_t *reader = NULL;
  sli_status_t *status = find_reader(context, &reader);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_reader_reset(reader, context->step->cancellation, state_done, context);
  sli_object_release(reader);
}

static void save_state_compute(sli_kernel_context_t *context) {
  sli_reader_t *reader = NULL;
  sli_status_t *status = find_reader(context, &reader);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_reader_save(reader, context->step->cancellation, state_done, context);
  sli_object_release(reader);
}

static void restore_state_compute(sli_kernel_context_t *context) {
  sli_reader_t *reader = NULL;
  const sli_tensor_t *state = sli_kernel_input(context, 1);
  sli_status_t *status = NULL;
  if (state->rank != 0)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Reader state must be scalar, but had shape: %s",
                             sli_tensor_shape_text(state).text);
  if (!status) status = find_reader(context, &reader);
  if (status)
    sli_kernel_complete(context, status);
  else
    sli_reader_restore(reader, context->step->cancellation, sli_tstring_view(SLI_DATA(sli_tstring_t, state)),
                       state_done, context);
  sli_object_release(reader);
}

// --- Shapes ---------------------------------------------------------------------------------

static sli_status_t *old_handle_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){2}));
  return NULL;
}

// Checks the inputs: old handles are vectors of 2 elements; V2 handles and all other inputs are scalars.
static sli_status_t *check_handles(sli_infer_context_t *c) {
  sli_shape_t unused;
  for (int i = 0; i < c->node->input_count; i++) {
    sli_dtype_t type = c->node->input_types[i];
    bool is_old = sli_dtype_is_ref(type);
    if (is_old) SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, i), SLI_SHAPE(2), &unused));
    if (!is_old) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
  }
  return NULL;
}

static sli_status_t *reader_scalars_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_handles(c));
  return sli_infer_fn_scalar(c);
}

static sli_status_t *read_up_to_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_handles(c));
  for (int i = 0; i < 2; i++) sli_infer_set_output(c, i, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "TFRecordReader",
        .outputs = "reader_handle: Ref(string)",
        .attrs = "container: string = ''; shared_name: string = ''; compression_type: string = ''",
        .summary = "A reader that returns the records of TFRecord files.",
        .shape = old_handle_shape,
        .not_differentiable = true,
        .is_stateful = true,
        .deprecated_in = 26,
        .deprecation = "Use TFRecordReaderV2",
    },
    {
        .name = "TFRecordReaderV2",
        .outputs = "reader_handle: resource",
        .attrs = "container: string = ''; shared_name: string = ''; compression_type: string = ''",
        .summary = "A reader that returns the records of TFRecord files.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "TextLineReader",
        .outputs = "reader_handle: Ref(string)",
        .attrs = "skip_header_lines: int = 0; container: string = ''; shared_name: string = ''",
        .summary = "A reader that returns the lines of text files.",
        .shape = old_handle_shape,
        .not_differentiable = true,
        .is_stateful = true,
        .deprecated_in = 26,
        .deprecation = "Use TextLineReaderV2",
    },
    {
        .name = "TextLineReaderV2",
        .outputs = "reader_handle: resource",
        .attrs = "skip_header_lines: int = 0; container: string = ''; shared_name: string = ''",
        .summary = "A reader that returns the lines of text files.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "FixedLengthRecordReader",
        .outputs = "reader_handle: Ref(string)",
        .attrs = "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: "
                 "string = ''; shared_name: string = ''",
        .summary = "A reader that returns records of a fixed length.",
        .shape = old_handle_shape,
        .not_differentiable = true,
        .is_stateful = true,
        .deprecated_in = 26,
        .deprecation = "Use FixedLengthRecordReaderV2",
    },
    {
        .name = "FixedLengthRecordReaderV2",
        .outputs = "reader_handle: resource",
        .attrs = "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: "
                 "string = ''; shared_name: string = ''; encoding: string = ''",
        .summary = "A reader that returns records of a fixed length.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "WholeFileReader",
        .outputs = "reader_handle: Ref(string)",
        .attrs = "container: string = ''; shared_name: string = ''",
        .summary = "A reader that returns the contents of whole files.",
        .shape = old_handle_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "WholeFileReaderV2",
        .outputs = "reader_handle: resource",
        .attrs = "container: string = ''; shared_name: string = ''",
        .summary = "A reader that returns the contents of whole files.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "IdentityReader",
        .outputs = "reader_handle: Ref(string)",
        .attrs = "container: string = ''; shared_name: string = ''",
        .summary = "A reader that returns the names of its work units.",
        .shape = old_handle_shape,
        .not_differentiable = true,
        .is_stateful = true,
        .deprecated_in = 26,
        .deprecation = "Use IdentityReaderV2",
    },
    {
        .name = "IdentityReaderV2",
        .outputs = "reader_handle: resource",
        .attrs = "container: string = ''; shared_name: string = ''",
        .summary = "A reader that returns the names of its work units.",
        .shape = sli_infer_fn_scalar,
        .is_stateful = true,
    },
    {
        .name = "ReaderRead",
        .inputs = "reader_handle: Ref(string), queue_handle: Ref(string)",
        .outputs = "key: string, value: string",
        .summary = "Reads the next record.",
        .shape = reader_scalars_shape,
        .not_differentiable = true,
    },
    {
        .name = "ReaderReadV2",
        .inputs = "reader_handle: resource, queue_handle: resource",
        .outputs = "key: string, value: string",
        .summary = "Reads the next record.",
        .shape = reader_scalars_shape,
        .is_stateful = true,
    },
    {
        .name = "ReaderReadUpTo",
        .inputs = "reader_handle: Ref(string), queue_handle: Ref(string), num_records: int64",
        .outputs = "keys: string, values: string",
        .summary = "Reads up to num_records records.",
        .shape = read_up_to_shape,
        .not_differentiable = true,
    },
    {
        .name = "ReaderReadUpToV2",
        .inputs = "reader_handle: resource, queue_handle: resource, num_records: int64",
        .outputs = "keys: string, values: string",
        .summary = "Reads up to num_records records.",
        .shape = read_up_to_shape,
        .is_stateful = true,
    },
    {
        .name = "ReaderNumRecordsProduced",
        .inputs = "reader_handle: Ref(string)",
        .outputs = "records_produced: int64",
        .summary = "The number of records that a reader has produced.",
        .shape = reader_scalars_shape,
        .not_differentiable = true,
    },
    {
        .name = "ReaderNumRecordsProducedV2",
        .inputs = "reader_handle: resource",
        .outputs = "records_produced: int64",
        .summary = "The number of records that a reader has produced.",
        .shape = reader_scalars_shape,
        .is_stateful = true,
    },
    {
        .name = "ReaderNumWorkUnitsCompleted",
        .inputs = "reader_handle: Ref(string)",
        .outputs = "units_completed: int64",
        .summary = "The number of work units that a reader has completed.",
        .shape = reader_scalars_shape,
        .not_differentiable = true,
    },
    {
        .name = "ReaderNumWorkUnitsCompletedV2",
        .inputs = "reader_handle: resource",
        .outputs = "units_completed: int64",
        .summary = "The number of work units that a reader has completed.",
        .shape = reader_scalars_shape,
        .is_stateful = true,
    },
    {
        .name = "ReaderReset",
        .inputs = "reader_handle: Ref(string)",
        .summary = "Resets a reader to its initial state.",
        .shape = reader_scalars_shape,
        .not_differentiable = true,
    },
    {
        .name = "ReaderResetV2",
        .inputs = "reader_handle: resource",
        .summary = "Resets a reader to its initial state.",
        .shape = reader_scalars_shape,
        .is_stateful = true,
    },
    {
        .name = "ReaderSerializeState",
        .inputs = "reader_handle: Ref(string)",
        .outputs = "state: string",
        .summary = "Serializes the state of a reader.",
        .shape = reader_scalars_shape,
        .not_differentiable = true,
    },
    {
        .name = "ReaderSerializeStateV2",
        .inputs = "reader_handle: resource",
        .outputs = "state: string",
        .summary = "Serializes the state of a reader.",
        .shape = reader_scalars_shape,
        .is_stateful = true,
    },
    {
        .name = "ReaderRestoreState",
        .inputs = "reader_handle: Ref(string), state: string",
        .summary = "Restores the state of a reader.",
        .shape = reader_scalars_shape,
        .not_differentiable = true,
    },
    {
        .name = "ReaderRestoreStateV2",
        .inputs = "reader_handle: resource, state: string",
        .summary = "Restores the state of a reader.",
        .shape = reader_scalars_shape,
        .is_stateful = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "TFRecordReader",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "TFRecordReaderV2",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "TextLineReader",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "TextLineReaderV2",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "FixedLengthRecordReader",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "FixedLengthRecordReaderV2",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "WholeFileReader",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "WholeFileReaderV2",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "IdentityReader",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "IdentityReaderV2",
     .host_memory = "reader_handle",
     .compute = sli_named_resource_compute,
     .create = reader_create,
     .destroy = sli_named_resource_destroy},
    {.op = "ReaderRead", .host_memory = "reader_handle, queue_handle", .compute_async = read_compute, .blocks = true},
    {.op = "ReaderReadV2", .host_memory = "reader_handle, queue_handle", .compute_async = read_compute, .blocks = true},
    {.op = "ReaderReadUpTo",
     .host_memory = "reader_handle, queue_handle, num_records",
     .compute_async = read_up_to_compute,
     .blocks = true},
    {.op = "ReaderReadUpToV2",
     .host_memory = "reader_handle, queue_handle, num_records",
     .compute_async = read_up_to_compute,
     .blocks = true},
    {.op = "ReaderNumRecordsProduced", .host_memory = "reader_handle", .compute = records_produced_compute},
    {.op = "ReaderNumRecordsProducedV2", .host_memory = "reader_handle", .compute = records_produced_compute},
    {.op = "ReaderNumWorkUnitsCompleted", .host_memory = "reader_handle", .compute = units_completed_compute},
    {.op = "ReaderNumWorkUnitsCompletedV2", .host_memory = "reader_handle", .compute = units_completed_compute},
    {.op = "ReaderReset", .host_memory = "reader_handle", .compute_async = reset_compute, .blocks = true},
    {.op = "ReaderResetV2", .host_memory = "reader_handle", .compute_async = reset_compute, .blocks = true},
    {.op = "ReaderSerializeState", .host_memory = "reader_handle", .compute_async = save_state_compute, .blocks = true},
    {.op = "ReaderSerializeStateV2",
     .host_memory = "reader_handle",
     .compute_async = save_state_compute,
     .blocks = true},
    {.op = "ReaderRestoreState",
     .host_memory = "reader_handle, state",
     .compute_async = restore_state_compute,
     .blocks = true},
    {.op = "ReaderRestoreStateV2",
     .host_memory = "reader_handle, state",
     .compute_async = restore_state_compute,
     .blocks = true},
};
SLI_OP_MODULE(reader_ops);
