// V1 checkpoints: Save and SaveSlices write all tensors to one table; Restore and RestoreSlice read one tensor of a V1
// or V2 checkpoint. ShardedFilespec returns a pattern for the shards of a checkpoint.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "io/checkpoint/table.h"
#include "io/file/atomic_file.h"
#include "ops/io/checkpoint_tensor.h"
#include "proto/bundle.fields.h"
#include "proto/tensor.fields.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

enum { VERSION = 1 };  // TensorFlow's TF_CHECKPOINT_VERSION

// --- Writing ----------------------------------------------------------------------------------

typedef struct {
  sli_string_t key, value;
} table_row_t;

typedef struct {
  SLI_ARRAY(table_row_t) rows;  // one for each slice
  sli_string_t meta;            // SavedTensorSliceMeta
} table_contents_t;

static void contents_deinitialize(table_contents_t *contents) {
  for (size_t i = 0; i < contents->rows.count; i++) {
    sli_string_deinitialize(&contents->rows.items[i].key);
    sli_string_deinitialize(&contents->rows.items[i].value);
  }
  sli_array_deinitialize(&contents->rows);
  sli_string_deinitialize(&contents->meta);
}

// Appends the values as varints, 16-bit floats as their bits.
static void append_varints(sli_string_t *out, const sli_tensor_t *tensor) {
  for (int64_t i = 0; i < tensor->count; i++) {
    int64_t value;
    switch (tensor->dtype) {
      case SLI_DTYPE_BOOL:
      case SLI_DTYPE_UINT8:
      case SLI_DTYPE_QUINT8: value = SLI_DATA(uint8_t, tensor)[i]; break;
      case SLI_DTYPE_INT8:
      case SLI_DTYPE_QINT8: value = SLI_DATA(int8_t, tensor)[i]; break;
      case SLI_DTYPE_INT16:
      case SLI_DTYPE_QINT16: value = SLI_DATA(int16_t, tensor)[i]; break;
      case SLI_DTYPE_UINT16:
      case SLI_DTYPE_QUINT16:
      case SLI_DTYPE_HALF:
      case SLI_DTYPE_BFLOAT16: value = SLI_DATA(uint16_t, tensor)[i]; break;
      case SLI_DTYPE_INT32:
      case SLI_DTYPE_QINT32: value = SLI_DATA(int32_t, tensor)[i]; break;
      case SLI_DTYPE_UINT32: value = SLI_DATA(uint32_t, tensor)[i]; break;
      default: value = SLI_DATA(int64_t, tensor)[i];
    }
    sli_wire_write_varint(out, (uint64_t)value);
  }
}

// Appends the fields of TensorProto that TensorFlow's reader of this format uses. Returns false if the type is not
// supported.
static bool append_values(sli_string_t *out, const sli_tensor_t *tensor) {
  if (tensor->dtype > SLI_DTYPE_UINT64) return false;
  uint32_t field = sli_tensor_proto_value_field(tensor->dtype);
  switch (field) {
    case SLI_FIELD_TENSOR_PROTO_STRING_VAL:
      for (int64_t i = 0; i < tensor->count; i++)
        sli_wire_write_bytes(out, field, sli_tensor_string_at(tensor, i).data, sli_tensor_string_at(tensor, i).size);
      return true;
    case SLI_FIELD_TENSOR_PROTO_FLOAT_VAL:
    case SLI_FIELD_TENSOR_PROTO_DOUBLE_VAL:
    case SLI_FIELD_TENSOR_PROTO_SCOMPLEX_VAL:
    case SLI_FIELD_TENSOR_PROTO_DCOMPLEX_VAL:
      if (tensor->count) sli_wire_write_bytes(out, field, tensor->data, sli_tensor_bytes(tensor));
      return true;
    case SLI_FIELD_TENSOR_PROTO_INT_VAL:
    case SLI_FIELD_TENSOR_PROTO_INT64_VAL:
    case SLI_FIELD_TENSOR_PROTO_BOOL_VAL:
    case SLI_FIELD_TENSOR_PROTO_HALF_VAL:
    case SLI_FIELD_TENSOR_PROTO_UINT32_VAL:
    case SLI_FIELD_TENSOR_PROTO_UINT64_VAL: {
      size_t mark = sli_wire_open(out, field);
      append_varints(out, tensor);
      sli_wire_close(out, mark);
      return true;
    }
    default: return false;
  }
}

static void append_slice(sli_string_t *out, uint32_t number, const sli_tensor_slice_extent_t *slice, int rank) {
  size_t mark = sli_wire_open(out, number);
  for (int d = 0; d < rank; d++) {
    size_t extent = sli_wire_open(out, SLI_FIELD_TENSOR_SLICE_PROTO_EXTENT);
    if (slice[d].length != SLI_TENSOR_SLICE_ALL) {
      if (slice[d].start) sli_wire_write_int(out, SLI_FIELD_TENSOR_SLICE_PROTO_EXTENT_START, slice[d].start);
      sli_wire_write_int(out, SLI_FIELD_TENSOR_SLICE_PROTO_EXTENT_LENGTH, slice[d].length);
    }
    sli_wire_close(out, extent);
  }
  sli_wire_close(out, mark);
}

static void append_meta(table_contents_t *contents, sli_view_t name, sli_dtype_t dtype, const int64_t *dims,
                        const sli_tensor_slice_extent_t *slice, int rank) {
  size_t mark = sli_wire_open(&contents->meta, SLI_FIELD_SAVED_TENSOR_SLICE_META_TENSOR);
  sli_wire_write_bytes(&contents->meta, SLI_FIELD_SAVED_SLICE_META_NAME, name.data, name.size);
  size_t shape = sli_wire_open(&contents->meta, SLI_FIELD_SAVED_SLICE_META_SHAPE);
  for (int d = 0; d < rank; d++) {
    size_t dim = sli_wire_open(&contents->meta, SLI_FIELD_TENSOR_SHAPE_PROTO_DIM);
    sli_wire_write_int(&contents->meta, SLI_FIELD_TENSOR_SHAPE_PROTO_DIM_SIZE, dims[d]);
    sli_wire_close(&contents->meta, dim);
  }
  sli_wire_close(&contents->meta, shape);
  sli_wire_write_uint(&contents->meta, SLI_FIELD_SAVED_SLICE_META_TYPE, dtype);
  append_slice(&contents->meta, SLI_FIELD_SAVED_SLICE_META_SLICE, slice, rank);
  sli_wire_close(&contents->meta, mark);
}

// Adds a tensor, or the slice that |spec| describes (NULL: the whole tensor).
static sli_status_t *add_tensor(table_contents_t *contents, sli_view_t name, const sli_tensor_slice_spec_t *spec,
                                const sli_tensor_t *tensor) {
  sli_tensor_slice_extent_t all[SLI_MAX_RANK];
  for (int d = 0; d < tensor->rank; d++) all[d] = (sli_tensor_slice_extent_t){0, SLI_TENSOR_SLICE_ALL};
  const sli_tensor_slice_extent_t *slice = spec ? spec->slice : all;
  table_row_t row = {0};
  sli_tensor_slice_key(name, slice, tensor->rank, &row.key);
  size_t saved = sli_wire_open(&row.value, SLI_FIELD_SAVED_TENSOR_SLICES_DATA);
  sli_wire_write_bytes(&row.value, SLI_FIELD_SAVED_SLICE_NAME, name.data, name.size);
  append_slice(&row.value, SLI_FIELD_SAVED_SLICE_SLICE, slice, tensor->rank);
  size_t proto = sli_wire_open(&row.value, SLI_FIELD_SAVED_SLICE_DATA);
  bool is_known = append_values(&row.value, tensor);
  sli_wire_close(&row.value, proto);
  sli_wire_close(&row.value, saved);
  sli_array_push(&contents->rows, row);
  append_meta(contents, name, (sli_dtype_t)tensor->dtype, spec ? spec->dims : tensor->dims, slice, tensor->rank);
  if (is_known) return NULL;
  return sli_status_make(SLI_UNIMPLEMENTED, "Saving data type %s not yet supported", sli_dtype_name(tensor->dtype));
}

static int compare_rows(const void *a, const void *b) {
  const sli_string_t *x = &((const table_row_t *)a)->key, *y = &((const table_row_t *)b)->key;
  int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);
  return order ? order : (x->size > y->size) - (x->size < y->size);
}

static sli_status_t *write_table(const char *path, table_contents_t *contents) {
  if (contents->rows.count) qsort(contents->rows.items, contents->rows.count, sizeof(table_row_t), compare_rows);
  sli_string_t meta = {0};
  size_t mark = sli_wire_open(&meta, SLI_FIELD_SAVED_TENSOR_SLICES_META);
  sli_string_append(&meta, sli_string_text(&contents->meta), contents->meta.size);
  size_t version = sli_wire_open(&meta, SLI_FIELD_SAVED_TENSOR_SLICE_META_VERSIONS);
  sli_wire_write_uint(&meta, SLI_FIELD_VERSION_DEF_PRODUCER, VERSION);
  sli_wire_close(&meta, version);
  sli_wire_close(&meta, mark);
  sli_atomic_file_t *file = NULL;
  sli_table_writer_t *table = NULL;
  sli_status_t *status = sli_atomic_file_create(path, &file);
  if (!status) table = sli_table_writer_create(sli_atomic_file_writer(file));
  if (!status) status = sli_table_writer_add(table, sli_view_of("", 0), sli_view_of(meta.data, meta.size));
  for (size_t i = 0; i < contents->rows.count && !status; i++) {
    const table_row_t *row = &contents->rows.items[i];
    status = sli_table_writer_add(table, sli_view_of(row->key.data, row->key.size),
                                  sli_view_of(row->value.data, row->value.size));
  }
  if (!status) status = sli_table_writer_finish(table);
  if (!status) status = sli_atomic_file_commit(file);
  if (table) sli_table_writer_release(table);
  sli_atomic_file_release(file);
  sli_string_deinitialize(&meta);
  return status;
}

static sli_status_t *add_input(table_contents_t *contents, sli_view_t name, sli_view_t text,
                               const sli_tensor_t *tensor) {
  if (text.size == 0) return add_tensor(contents, name, NULL, tensor);
  sli_tensor_slice_spec_t spec;
  SLI_RETURN_IF_ERROR(sli_checkpoint_tensor_parse_slice(text, tensor, &spec));
  sli_status_t *status = add_tensor(contents, name, &spec, tensor);
  sli_tensor_slice_spec_deinitialize(&spec);
  return status;
}

// |first| is the index of the first tensor among the inputs. |slices| is NULL for Save.
static sli_status_t *save(sli_kernel_context_t *context, int first, const sli_tensor_t *slices) {
  const sli_tensor_t *path = sli_kernel_input(context, 0), *names = sli_kernel_input(context, 1);
  int count = context->input_count - first;
  if (path->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input 0 (filename) must be a string scalar; got a tensor of %lld elements",
                           (long long)path->count);
  if (names->count != count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Got %d inputs but %lld names", count, (long long)names->count);
  if (slices && slices->count != count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected %d elements for the tensor shapes and slices but got %lld",
                           count, (long long)slices->count);
  table_contents_t contents = {0};
  sli_status_t *status = NULL;
  for (int i = 0; i < count && !status; i++)
    status = add_input(&contents, sli_tensor_string_at(names, i),
                       slices ? sli_tensor_string_at(slices, i) : sli_view(""), sli_kernel_input(context, first + i));
  char *text = sli_strndup(sli_tensor_string_at(path, 0).data, sli_tensor_string_at(path, 0).size);
  if (!status) status = write_table(text, &contents);
  free(text);
  contents_deinitialize(&contents);
  return status;
}

static sli_status_t *save_compute(sli_kernel_context_t *context) { return save(context, 2, NULL); }
static sli_status_t *save_slices_compute(sli_kernel_context_t *context) {
  return save(context, 3, sli_kernel_input(context, 2));
}

// --- Reading ------------------------------------------------------------------------------------

static sli_status_t *read_tensor(sli_kernel_context_t *context, sli_checkpoint_reader_t *reader, sli_view_t name,
                                 const sli_tensor_slice_spec_t *spec) {
  const sli_bundle_entry_t *entry;
  SLI_RETURN_IF_ERROR(sli_checkpoint_reader_lookup(reader, name, &entry));
  sli_dtype_t wanted = context->node->output_types[0];
  if (entry->dtype != (int)wanted)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Expected to restore a tensor of type %s, got a tensor of type %s instead: tensor_name = %.*s",
        sli_dtype_name(wanted), sli_dtype_name((sli_dtype_t)entry->dtype), SLI_VIEW_ARG(name));
  sli_shape_t stored = {entry->rank, entry->dims};
  if (spec && !sli_shape_equal((sli_shape_t){spec->rank, spec->dims}, stored))
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Shape in shape_and_slice spec does not match the shape in the save file: %s, save file shape: %s",
        sli_shape_text((sli_shape_t){spec->rank, spec->dims}).text, sli_shape_text(stored).text);
  sli_tensor_t *output;
  sli_shape_t shape = spec ? (sli_shape_t){spec->rank, spec->slice_dims} : stored;
  const sli_tensor_slice_extent_t *slice = spec ? spec->slice : NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  return sli_checkpoint_tensor_read(reader, entry, slice, output);
}

static sli_status_t *restore_v1(sli_kernel_context_t *context, sli_view_t slice) {
  static const char *const names[] = {"file_pattern", "tensor_name"};
  for (int i = 0; i < 2; i++) {
    int64_t count = sli_kernel_input(context, i)->count;
    if (count != 1)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Input %d (%s) must be a string scalar; got a tensor of size %lld elements", i, names[i],
                             (long long)count);
  }
  sli_tensor_slice_spec_t spec = {0};
  if (slice.size) SLI_RETURN_IF_ERROR(sli_tensor_slice_spec_parse(slice, &spec));
  sli_view_t pattern = sli_tensor_string_at(sli_kernel_input(context, 0), 0);
  char *path = sli_strndup(pattern.data, pattern.size);
  sli_checkpoint_reader_t *reader = NULL;
  sli_status_t *status = sli_checkpoint_reader_open(path, &reader);
  if (!status)
    status =
        read_tensor(context, reader, sli_tensor_string_at(sli_kernel_input(context, 1), 0), slice.size ? &spec : NULL);
  sli_checkpoint_reader_release(reader);
  sli_tensor_slice_spec_deinitialize(&spec);
  free(path);
  return status;
}

static sli_status_t *restore_compute(sli_kernel_context_t *context) { return restore_v1(context, sli_view("")); }

static sli_status_t *restore_slice_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *slice = sli_kernel_input(context, 2);
  if (slice->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input 2 (shape_and_slice) must be a string scalar");
  return restore_v1(context, sli_tensor_string_at(slice, 0));
}

static sli_status_t *filespec_compute(sli_kernel_context_t *context) {
  int64_t shards;
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 0, "basename"));
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 1, "num_shards", &shards));
  sli_view_t base = sli_tensor_string_at(sli_kernel_input(context, 0), 0);
  char *text = sli_format("%.*s-\?\?\?\?\?-of-%05lld", SLI_VIEW_ARG(base), (long long)shards);
  sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view(text)));
  free(text);
  return NULL;
}

// --- Shapes ------------------------------------------------------------------------------------------

static sli_status_t *save_shape(sli_infer_context_t *c) {
  sli_shape_t unused, names;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &names));
  return NULL;
}

static sli_status_t *restore_v1_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  for (int i = 0; i < c->node->input_count; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
  const sli_tensor_t *slice = c->node->input_count > 2 ? sli_infer_input_constant(c, 2) : NULL;
  if (!slice || slice->count != 1 || sli_tensor_string_at(slice, 0).size == 0) return NULL;
  sli_tensor_slice_spec_t spec;
  SLI_RETURN_IF_ERROR(sli_tensor_slice_spec_parse(sli_tensor_string_at(slice, 0), &spec));
  sli_infer_set_output(c, 0, sli_infer_make(c, spec.rank, spec.slice_dims));
  sli_tensor_slice_spec_deinitialize(&spec);
  return NULL;
}

static sli_status_t *filespec_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  for (int i = 0; i < 2; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
  return sli_infer_fn_scalar(c);
}

static const sli_op_def_t ops[] = {
    {
        .name = "Save",
        .inputs = "filename: string, tensor_names: string, data: T",
        .attrs = "T: list(type) >= 1",
        .summary = "Writes tensors to a V1 checkpoint.",
        .shape = save_shape,
        .is_stateful = true,
        .is_checkpoint = true,
    },
    {
        .name = "SaveSlices",
        .inputs = "filename: string, tensor_names: string, shapes_and_slices: string, data: T",
        .attrs = "T: list(type) >= 1",
        .summary = "Writes tensors or slices of tensors to a V1 checkpoint.",
        .shape = save_shape,
        .is_stateful = true,
        .is_checkpoint = true,
    },
    {
        .name = "Restore",
        .inputs = "file_pattern: string, tensor_name: string",
        .outputs = "tensor: dt",
        .attrs = "dt: type; preferred_shard: int = -1",
        .summary = "Reads a tensor from a checkpoint.",
        .shape = restore_v1_shape,
        .is_stateful = true,
        .is_checkpoint = true,
    },
    {
        .name = "RestoreSlice",
        .inputs = "file_pattern: string, tensor_name: string, shape_and_slice: string",
        .outputs = "tensor: dt",
        .attrs = "dt: type; preferred_shard: int = -1",
        .summary = "Reads a slice of a tensor from a checkpoint.",
        .shape = restore_v1_shape,
        .is_stateful = true,
        .is_checkpoint = true,
    },
    {
        .name = "ShardedFilespec",
        .inputs = "basename: string, num_shards: int32",
        .outputs = "filename: string",
        .summary = "A pattern that matches the file names of all shards.",
        .shape = filespec_shape,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Save", .compute = save_compute, .expensive = true, .blocks = true},
    {.op = "SaveSlices", .compute = save_slices_compute, .expensive = true, .blocks = true},
    {.op = "Restore", .compute = restore_compute, .expensive = true, .blocks = true},
    {.op = "RestoreSlice", .compute = restore_slice_compute, .expensive = true, .blocks = true},
    {.op = "ShardedFilespec", .compute = filespec_compute},
};
SLI_OP_MODULE(checkpoint_v1);
