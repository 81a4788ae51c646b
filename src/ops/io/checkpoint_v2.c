// V2 checkpoints: SaveV2 writes tensors to a bundle; RestoreV2 reads them, including slices of partitioned variables
// and V1 checkpoints; MergeV2Checkpoints merges the shards that several tasks wrote. src/io/checkpoint has the file
// formats.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "core/op/shape_inference.h"
#include "core/tensor/variant.h"
#include "io/checkpoint/checkpoint_totals.h"
#include "io/file/file.h"
#include "ops/io/checkpoint_tensor.h"

static char *prefix_of(const sli_kernel_context_t *context) {
  sli_view_t prefix = sli_tensor_string_at(sli_kernel_input(context, 0), 0);
  return sli_strndup(prefix.data, prefix.size);
}

// Checks inputs 0 to 2 of SaveV2 and RestoreV2: prefix, names, slices.
static sli_status_t *check_names(const sli_kernel_context_t *context, int64_t tensors) {
  const sli_tensor_t *prefix = sli_kernel_input(context, 0), *names = sli_kernel_input(context, 1);
  const sli_tensor_t *slices = sli_kernel_input(context, 2);
  if (prefix->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input prefix should have a single element, got %lld instead.",
                           (long long)prefix->count);
  if (names->rank != 1 || slices->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input tensor_names and shape_and_slices should be an 1-D tensors, got %s and %s instead.",
                           sli_tensor_shape_text(names).text, sli_tensor_shape_text(slices).text);
  if (names->count != slices->count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "tensor_names and shape_and_slices have different number of elements: %lld vs. %lld",
                           (long long)names->count, (long long)slices->count);
  if (names->count != tensors)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Got %lld tensor names but %lld tensors.", (long long)names->count,
                           (long long)tensors);
  return NULL;
}

// --- SaveV2 ----------------------------------------------------------------------------

// The VariantTensorDataProtos of the elements, one after the other in |bytes|.
static sli_status_t *encode_variants(sli_view_t name, const sli_tensor_t *tensor, sli_string_t *bytes,
                                     sli_view_t *strings) {
  size_t *ends = sli_calloc((size_t)tensor->count + 1, sizeof(*ends));
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < tensor->count && !status; i++) {
    const sli_object_t *object = SLI_DATA(sli_object_t *, tensor)[i];
    bool can_be_saved = !object || object->type == &sli_variant_encoded_type ||
                        (object->type->variant && object->type->variant->encode);
    if (!can_be_saved)
      status = sli_status_make(SLI_UNIMPLEMENTED, "tensor %.*s: a variant of type %s cannot be saved in a checkpoint",
                               SLI_VIEW_ARG(name), sli_variant_type_name(object));
    else
      sli_variant_encode(object, bytes);
    ends[i + 1] = bytes->size;
  }
  for (int64_t i = 0; i < tensor->count && !status; i++)
    strings[i] = sli_view_of(bytes->data + ends[i], ends[i + 1] - ends[i]);
  free(ends);
  return status;
}

static sli_status_t *save_one(sli_bundle_writer_t *writer, sli_view_t name, sli_view_t slice,
                              const sli_tensor_t *tensor) {
  sli_bundle_tensor_t row = {.dtype = tensor->dtype, .rank = tensor->rank, .dims = tensor->dims};
  sli_view_t *strings = NULL;
  sli_string_t bytes = {0};
  sli_status_t *status = NULL;
  if (tensor->dtype == SLI_DTYPE_VARIANT) {
    strings = sli_calloc((size_t)tensor->count, sizeof(*strings));
    status = encode_variants(name, tensor, &bytes, strings);
    row.strings = strings;
  } else if (tensor->dtype == SLI_DTYPE_STRING) {
    strings = sli_calloc((size_t)tensor->count, sizeof(*strings));
    for (int64_t i = 0; i < tensor->count; i++) strings[i] = sli_tensor_string_at(tensor, i);
    row.strings = strings;
  } else {
    row.data = tensor->data;
    row.size = sli_tensor_bytes(tensor);
  }
  sli_tensor_slice_spec_t spec = {0};
  if (!status && slice.size == 0) {
    status = sli_bundle_writer_add(writer, name, &row);
  } else if (!status) {
    status = sli_checkpoint_tensor_parse_slice(slice, tensor, &spec);
    if (!status) {
      status = sli_bundle_writer_add_slice(writer, name, spec.dims, spec.slice, &row);
      sli_tensor_slice_spec_deinitialize(&spec);
    }
  }
  free(strings);
  sli_string_deinitialize(&bytes);
  return status;
}

static sli_status_t *save_v2(sli_kernel_context_t *context, int64_t *out_bytes) {
  int first = 3, count = context->input_count - first;
  SLI_RETURN_IF_ERROR(check_names(context, count));
  const sli_tensor_t *names = sli_kernel_input(context, 1), *slices = sli_kernel_input(context, 2);
  char *prefix = prefix_of(context);
  sli_bundle_writer_t *writer = NULL;
  sli_status_t *status = sli_bundle_writer_create(prefix, &writer);
  for (int i = 0; i < count && !status; i++) {
    status = save_one(writer, sli_tensor_string_at(names, i), sli_tensor_string_at(slices, i),
                      sli_kernel_input(context, first + i));
    *out_bytes += (int64_t)sli_tensor_bytes(sli_kernel_input(context, first + i));
  }
  if (!status) status = sli_bundle_writer_finish(writer);
  sli_bundle_writer_release(writer);
  free(prefix);
  return status;
}

static sli_status_t *save_v2_compute(sli_kernel_context_t *context) {
  int64_t start = sli_clock_now_nanos(), bytes = 0;
  sli_status_t *status = save_v2(context, &bytes);
  sli_tally_add(&sli_checkpoint_saves, sli_clock_now_nanos() - start, status ? 0 : bytes, status);
  return status;
}

// --- RestoreV2 ---------------------------------------------------------------------------

static sli_status_t *check_stored(const sli_kernel_context_t *context, int index, const sli_bundle_entry_t *entry,
                                  const sli_tensor_slice_spec_t *spec, const char *prefix) {
  sli_dtype_t wanted = context->node->output_types[index];
  if (entry->dtype != (int)wanted)
    return sli_status_make(
        SLI_INVALID_ARGUMENT, "tensor_name = %.*s; expected dtype %s does not equal original dtype %s (checkpoint %s)",
        SLI_VIEW_ARG(entry->name), sli_dtype_name(wanted), sli_dtype_name((sli_dtype_t)entry->dtype), prefix);
  if (!spec || sli_shape_equal((sli_shape_t){spec->rank, spec->dims}, (sli_shape_t){entry->rank, entry->dims}))
    return NULL;
  char *a = sli_shape_to_text((sli_shape_t){spec->rank, spec->dims});
  char *b = sli_shape_to_text((sli_shape_t){entry->rank, entry->dims});
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT,
                                         "tensor_name = %.*s; shape in shape_and_slice spec %s does "
                                         "not match the shape stored in checkpoint: %s",
                                         SLI_VIEW_ARG(entry->name), a, b);
  free(a);
  free(b);
  return status;
}

// One tensor to restore. Tensors are read in parallel, since most of the time is spent on the first access to the pages
// of the outputs.
typedef struct {
  const sli_bundle_entry_t *entry;
  sli_tensor_slice_spec_t spec;
  bool sliced;
  sli_tensor_t *output;  // borrowed
  sli_status_t *status;
} restore_item_t;

typedef struct {
  sli_checkpoint_reader_t *reader;
  restore_item_t *items;
} restore_job_t;

static sli_status_t *prepare_restore(sli_kernel_context_t *context, sli_checkpoint_reader_t *reader, const char *prefix,
                                     int index, restore_item_t *out_item) {
  sli_view_t name = sli_tensor_string_at(sli_kernel_input(context, 1), index);
  sli_view_t slice = sli_tensor_string_at(sli_kernel_input(context, 2), index);
  SLI_RETURN_IF_ERROR(sli_checkpoint_reader_lookup(reader, name, &out_item->entry));
  const sli_bundle_entry_t *entry = out_item->entry;
  sli_tensor_slice_spec_t *spec = &out_item->spec;
  if (slice.size > 0) SLI_RETURN_IF_ERROR(sli_tensor_slice_spec_parse(slice, spec));
  out_item->sliced = slice.size > 0;
  SLI_RETURN_IF_ERROR(check_stored(context, index, entry, out_item->sliced ? spec : NULL, prefix));
  sli_shape_t shape =
      out_item->sliced ? (sli_shape_t){spec->rank, spec->slice_dims} : (sli_shape_t){entry->rank, entry->dims};
  return sli_kernel_allocate_output(context, index, shape, &out_item->output);
}

static void restore_range(void *context, int64_t begin, int64_t end) {
  restore_job_t *all = context;
  for (int64_t i = begin; i < end; i++) {
    restore_item_t *item = &all->items[i];
    item->status =
        sli_checkpoint_tensor_read(all->reader, item->entry, item->sliced ? item->spec.slice : NULL, item->output);
  }
}

static sli_status_t *restore_v2(sli_kernel_context_t *context, int64_t *out_bytes) {
  int count = context->output_count;
  SLI_RETURN_IF_ERROR(check_names(context, count));
  char *prefix = prefix_of(context);
  restore_job_t all = {.items = sli_calloc((size_t)count, sizeof(*all.items))};
  double bytes = 0;
  sli_status_t *status = sli_checkpoint_reader_open(prefix, &all.reader);
  for (int i = 0; i < count && !status; i++) {
    status = prepare_restore(context, all.reader, prefix, i, &all.items[i]);
    if (!status) bytes += (double)sli_tensor_bytes(all.items[i].output);
  }
  if (!status) sli_parallel_for(sli_kernel_pool(context), count, bytes / count, restore_range, &all);
  for (int i = 0; i < count; i++) {
    if (!status)
      status = all.items[i].status;
    else
      sli_status_release(all.items[i].status);
    sli_tensor_slice_spec_deinitialize(&all.items[i].spec);
  }
  free(all.items);
  sli_checkpoint_reader_release(all.reader);
  free(prefix);
  *out_bytes = (int64_t)bytes;
  return status;
}

static sli_status_t *restore_v2_compute(sli_kernel_context_t *context) {
  int64_t start = sli_clock_now_nanos(), bytes = 0;
  sli_status_t *status = restore_v2(context, &bytes);
  sli_tally_add(&sli_checkpoint_restores, sli_clock_now_nanos() - start, status ? 0 : bytes, status);
  return status;
}

static sli_status_t *names_shape(sli_infer_context_t *c) {
  sli_shape_t prefix, names, slices;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &prefix));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &names));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &slices));
  return sli_infer_merge(c, names, slices, &names);
}

// A constant slice specification determines the shape of the output.
static sli_status_t *restore_v2_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(names_shape(c));
  const sli_tensor_t *slices = sli_infer_input_constant(c, 2);
  if (!slices || slices->count != c->node->output_count) return NULL;
  for (int i = 0; i < c->node->output_count; i++) {
    sli_view_t text = sli_tensor_string_at(slices, i);
    if (text.size == 0) continue;
    sli_tensor_slice_spec_t spec;
    SLI_RETURN_IF_ERROR(sli_tensor_slice_spec_parse(text, &spec));
    sli_infer_set_output(c, i, sli_infer_make(c, spec.rank, spec.slice_dims));
    sli_tensor_slice_spec_deinitialize(&spec);
  }
  return NULL;
}

// --- MergeV2Checkpoints --------------------------------------------------------------------

static sli_status_t *merge_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *parts = sli_kernel_input(context, 0), *merged = sli_kernel_input(context, 1);
  if (parts->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input checkpoint_prefixes should be an 1-D tensor.");
  if (merged->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input destination_prefix should be a scalar tensor.");
  bool delete_old;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "delete_old_dirs", &delete_old));
  char **prefixes = sli_calloc((size_t)parts->count, sizeof(*prefixes));
  for (int64_t i = 0; i < parts->count; i++)
    prefixes[i] = sli_strndup(sli_tensor_string_at(parts, i).data, sli_tensor_string_at(parts, i).size);
  char *target = sli_strndup(sli_tensor_string_at(merged, 0).data, sli_tensor_string_at(merged, 0).size);
  sli_status_t *status = sli_bundle_merge((const char *const *)prefixes, (size_t)parts->count, target);
  for (int64_t i = 0; i < parts->count; i++) {
    // Deletes the directories of the shards. Fails for those that are not empty, which other tasks may still use.
    char *slash = strrchr(prefixes[i], '/');
    if (slash && !status && delete_old) {
      *slash = '\0';
      sli_status_release(sli_file_delete_directory(prefixes[i]));
    }
    free(prefixes[i]);
  }
  free(prefixes);
  free(target);
  return status;
}

static sli_status_t *merge_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &shape));
  return sli_infer_input_with_rank(c, 1, 0, &shape);
}

// --- ShardedFilename -------------------------------------------------------------------------

static sli_status_t *sharded_filename_compute(sli_kernel_context_t *context) {
  for (int i = 0; i < 3; i++) {
    static const char *const names[] = {"basename", "shard", "num_shards"};
    SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, i, names[i]));
  }
  sli_view_t base = sli_tensor_string_at(sli_kernel_input(context, 0), 0);
  char *text = sli_format("%.*s-%05d-of-%05d", SLI_VIEW_ARG(base), SLI_DATA(int32_t, sli_kernel_input(context, 1))[0],
                          SLI_DATA(int32_t, sli_kernel_input(context, 2))[0]);
  sli_kernel_set_output(context, 0, sli_tensor_scalar_string(sli_view(text)));
  free(text);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "SaveV2",
     .inputs = "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes",
     .attrs = "dtypes: list(type) >= 1",
     .summary = "Writes tensors to a V2 checkpoint.",
     .shape = names_shape,
     .is_stateful = true,
     .is_checkpoint = true},
    {.name = "RestoreV2",
     .inputs = "prefix: string, tensor_names: string, shape_and_slices: string",
     .outputs = "tensors: dtypes",
     .attrs = "dtypes: list(type) >= 1",
     .summary = "Reads tensors from a V2 or V1 checkpoint.",
     .shape = restore_v2_shape,
     .is_stateful = true,
     .is_checkpoint = true},
    {.name = "MergeV2Checkpoints",
     .inputs = "checkpoint_prefixes: string, destination_prefix: string",
     .attrs = "delete_old_dirs: bool = true; allow_missing_files: bool = false",
     .summary = "Merges the shards of a V2 checkpoint.",
     .shape = merge_shape,
     .is_stateful = true},
    {.name = "ShardedFilename",
     .inputs = "basename: string, shard: int32, num_shards: int32",
     .outputs = "filename: string",
     .summary = "The file name of a shard: BASE-00001-of-00002.",
     .shape = sli_infer_fn_scalar},
};
static const sli_kernel_def_t kernels[] = {
    {.op = "SaveV2", .compute = save_v2_compute, .expensive = true, .blocks = true},
    {.op = "RestoreV2", .compute = restore_v2_compute, .expensive = true, .blocks = true},
    {.op = "MergeV2Checkpoints", .compute = merge_compute, .expensive = true, .blocks = true},
    {.op = "ShardedFilename", .compute = sharded_filename_compute},
};
SLI_OP_MODULE(checkpoint_v2);
