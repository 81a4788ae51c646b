// The ops on tables of embeddings that run where the table is, on a ps task. EmbeddingRoute writes their requests
// (embedding_route.c): for each of the tables the number of its keys, then the keys of all of them.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "ops/common/named_resource.h"
#include "ops/embedding/embedding_save.h"

// ---- The table -------------------------------------------------------------------

static sli_status_t *read_store(const sli_node_def_t *node, sli_embedding_store_t *out_store) {
  sli_view_t text;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "storage", &text));
  *out_store = sli_view_is(text, "bfloat16") ? SLI_EMBEDDING_STORE_BFLOAT16
               : sli_view_is(text, "int8")   ? SLI_EMBEDDING_STORE_INT8
                                             : SLI_EMBEDDING_STORE_PLAIN;
  return NULL;
}

static sli_status_t *read_count(const sli_node_def_t *node, const char *name, uint64_t *out_count) {
  int64_t value;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, name, &value));
  if (value < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be at least 0, got %lld", name, (long long)value);
  *out_count = (uint64_t)value;
  return NULL;
}

static sli_status_t *read_options(const sli_node_def_t *node, sli_embedding_rows_options_t *out_options) {
  *out_options = (sli_embedding_rows_options_t){.dtype = SLI_DTYPE_FLOAT};
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "dim", &out_options->length));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "initializer", &out_options->initializer));
  SLI_RETURN_IF_ERROR(read_store(node, &out_options->store));
  SLI_RETURN_IF_ERROR(read_count(node, "max_bytes", &out_options->max_bytes));
  SLI_RETURN_IF_ERROR(read_count(node, "max_rows", &out_options->max_rows));
  SLI_RETURN_IF_ERROR(read_count(node, "max_age", &out_options->max_age));
  SLI_RETURN_IF_ERROR(read_count(node, "admit_after", &out_options->admit_after));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "directory", &out_options->directory));
  return sli_node_attr_bool(node, "evict", &out_options->evicts);
}

static sli_status_t *set_updater(const sli_node_def_t *node, sli_embedding_table_t *table) {
  sli_view_t text;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "updater", &text));
  return sli_updater_cell_set(&table->updater, text, SLI_DTYPE_FLOAT);
}

static sli_status_t *make_table(const sli_node_def_t *node, sli_view_t name, void **out_object) {
  *out_object = NULL;
  sli_embedding_rows_options_t options;
  sli_embedding_table_t *table;
  SLI_RETURN_IF_ERROR(read_options(node, &options));
  SLI_RETURN_IF_ERROR(sli_embedding_table_create(name, &options, &table));
  sli_status_t *status = set_updater(node, table);
  if (status)
    sli_object_release(table);
  else
    *out_object = table;
  return status;
}

// The updater of the last graph counts, so that a program that starts again can change the learning rate.
static sli_status_t *match_table(const sli_node_def_t *node, void *object) {
  sli_embedding_rows_options_t options;
  SLI_RETURN_IF_ERROR(read_options(node, &options));
  SLI_RETURN_IF_ERROR(sli_embedding_table_match(object, &options));
  return set_updater(node, object);
}

static const sli_named_resource_type_t table_type = {&sli_embedding_table_type, make_table, match_table, true};

static sli_status_t *table_create(const sli_kernel_setup_t *setup, void **out_state) {
  return sli_named_resource_create(setup, &table_type, out_state);
}

// ---- Requests --------------------------------------------------------------------

// What a request asks of one table.
typedef struct {
  sli_embedding_table_t *table;
  const char *keys;
  size_t count;
  size_t first;  // its first element in the tensor of all rows
} part_t;

typedef struct {
  part_t *parts;
  size_t count;
  size_t elements;  // of all rows
} request_t;

static void request_deinitialize(request_t *request) {
  for (size_t i = 0; i < request->count; i++) sli_object_release(request->parts[i].table);
  free(request->parts);
}

// Reads the request in input |count|, which asks the tables in the inputs before it. A peer may have sent it.
static sli_status_t *read_request(sli_kernel_context_t *context, size_t count, request_t *out_request) {
  *out_request = (request_t){.parts = sli_calloc(count, sizeof(part_t)), .count = count};
  const sli_tensor_t *from = sli_kernel_input(context, (int)count);
  if (from->rank != 1 || (size_t)from->count < count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "request must be a vector of at least %zu elements, got shape %s",
                           count, sli_tensor_shape_text(from).text);
  const int64_t *numbers = from->data;
  uint64_t left = (uint64_t)from->count - count, next = count;
  for (size_t i = 0; i < count; i++) {
    part_t *part = &out_request->parts[i];
    SLI_RETURN_IF_ERROR(sli_named_resource_find(context, (int)i, &sli_embedding_table_type, (void **)&part->table));
    if ((uint64_t)numbers[i] > left)
      return sli_status_make(SLI_INVALID_ARGUMENT, "request has %lld keys of table %zu, but %llu are left",
                             (long long)numbers[i], i, (unsigned long long)left);
    part->count = (size_t)numbers[i];
    part->keys = (const char *)(numbers + next);
    part->first = out_request->elements;
    out_request->elements += part->count * (size_t)sli_embedding_rows_options(part->table->rows)->length;
    left -= part->count;
    next += part->count;
  }
  if (left) return sli_status_make(SLI_INVALID_ARGUMENT, "request has %llu keys of no table", (unsigned long long)left);
  return NULL;
}

static sli_status_t *fetch_rows(sli_kernel_context_t *context, const request_t *request, bool create) {
  sli_tensor_t *output;
  int64_t dims[] = {(int64_t)request->elements};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){1, dims}, &output));
  for (size_t i = 0; i < request->count; i++) {
    const part_t *part = &request->parts[i];
    SLI_RETURN_IF_ERROR(
        sli_status_prefix(sli_embedding_rows_pull(part->table->rows, sli_kernel_pool(context), part->keys, part->count,
                                                  create, (float *)output->data + part->first),
                          "Table \"%s\": ", part->table->name));
  }
  return NULL;
}

static sli_status_t *fetch_compute(sli_kernel_context_t *context) {
  request_t request;
  bool create;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "create", &create));
  sli_status_t *status = read_request(context, (size_t)context->input_count - 1, &request);
  if (!status) status = fetch_rows(context, &request, create);
  request_deinitialize(&request);
  return status;
}

static sli_status_t *apply_gradients(sli_kernel_context_t *context, const request_t *request) {
  const sli_tensor_t *gradients = sli_kernel_input(context, (int)request->count + 1);
  if ((size_t)gradients->count != request->elements)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "gradients must have %zu elements, as the rows that request asks for, "
                           "got %lld",
                           request->elements, (long long)gradients->count);
  for (size_t i = 0; i < request->count; i++) {
    const part_t *part = &request->parts[i];
    if (!part->count) continue;
    sli_updater_shared_t *updater = sli_updater_cell_get(&part->table->updater);
    sli_status_t *status = sli_embedding_rows_push(part->table->rows, sli_kernel_pool(context), part->keys, part->count,
                                                   (const float *)gradients->data + part->first, &updater->updater);
    sli_updater_shared_release(updater);
    SLI_RETURN_IF_ERROR(sli_status_prefix(status, "Table \"%s\": ", part->table->name));
  }
  return NULL;
}

static sli_status_t *apply_compute(sli_kernel_context_t *context) {
  request_t request;
  sli_status_t *status = read_request(context, (size_t)context->input_count - 2, &request);
  if (!status) status = apply_gradients(context, &request);
  request_deinitialize(&request);
  return status;
}

// ---- Sizes -----------------------------------------------------------------------

static sli_status_t *size_compute(sli_kernel_context_t *context) {
  sli_embedding_table_t *table;
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &sli_embedding_table_type, (void **)&table));
  sli_embedding_rows_size_t size = sli_embedding_rows_size(table->rows);
  sli_object_release(table);
  int64_t values[] = {(int64_t)size.rows,    (int64_t)size.bytes,     (int64_t)size.evicted,
                      (int64_t)size.refused, (int64_t)size.cold_rows, (int64_t)size.cold_bytes};
  sli_kernel_set_output(context, 0, sli_tensor_vector_int64(values, 6));
  return NULL;
}

static sli_status_t *set_updater_compute(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 1, "updater"));
  sli_embedding_table_t *table;
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &sli_embedding_table_type, (void **)&table));
  sli_status_t *status =
      sli_updater_cell_set(&table->updater, sli_tensor_string_at(sli_kernel_input(context, 1), 0), SLI_DTYPE_FLOAT);
  sli_object_release(table);
  return status;
}

// ---- Checkpoints -----------------------------------------------------------------

static sli_status_t *with_files(sli_kernel_context_t *context,
                                sli_status_t *(*work)(sli_embedding_table_t *table,
                                                      const sli_embedding_save_place_t *place)) {
  int64_t part, parts, full_every = 1;
  sli_view_t name;
  if (sli_node_attr(context->node, "full_every"))
    SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "full_every", &full_every));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "name", &name));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scalar(context, 1, "prefix"));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "part", &part));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "parts", &parts));
  if (full_every < 0 || full_every > 1000)
    return sli_status_make(SLI_INVALID_ARGUMENT, "full_every must be 0 to 1000, got %lld", (long long)full_every);
  if (parts > 1024 || part >= parts)
    return sli_status_make(SLI_INVALID_ARGUMENT, "parts must be at most 1024 and part below it, got %lld and %lld",
                           (long long)parts, (long long)part);
  sli_embedding_table_t *table;
  SLI_RETURN_IF_ERROR(sli_named_resource_find(context, 0, &sli_embedding_table_type, (void **)&table));
  sli_view_t text = sli_tensor_string_at(sli_kernel_input(context, 1), 0);
  char *prefix = sli_strndup(text.data, text.size), *saved = sli_strndup(name.data, name.size);
  sli_status_t *status = work(table, &(sli_embedding_save_place_t){prefix, *saved ? saved : table->name, (int)part,
                                                                   (int)parts, (int)full_every});
  free(prefix);
  free(saved);
  sli_object_release(table);
  return status;
}

static sli_status_t *save_compute(sli_kernel_context_t *context) { return with_files(context, sli_embedding_save); }
static sli_status_t *restore_compute(sli_kernel_context_t *context) {
  return with_files(context, sli_embedding_restore);
}

// ---- Tables ----------------------------------------------------------------------

static sli_status_t *vector_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "EmbeddingTable",
     .outputs = "table: resource",
     .attrs = "container: string = ''; shared_name: string = ''; dim: int >= 1; updater: string = 'sum'; "
              "initializer: string = 'zeros'; storage: {'float32', 'bfloat16', 'int8'} = 'float32'; "
              "max_bytes: int = 0; max_rows: int = 0; max_age: int = 0; admit_after: int = 0; evict: bool = false; "
              "directory: string = ''",
     .summary = "One part of a table of embeddings, whose rows appear on first use.",
     .shape = sli_infer_fn_scalar,
     .is_stateful = true,
     .is_on_ps = true},
    {.name = "EmbeddingTableFetch",
     .inputs = "tables: T * resource, request: int64",
     .outputs = "rows: float",
     .attrs = "T: int >= 1; create: bool = true",
     .summary = "The rows that a request of EmbeddingRoute asks for, one after the other.",
     .shape = vector_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "EmbeddingTableApply",
     .inputs = "tables: T * resource, request: int64, gradients: float",
     .attrs = "T: int >= 1",
     .summary = "Updates the rows of a request by the updater of each table.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "EmbeddingTableSize",
     .inputs = "table: resource",
     .outputs = "size: int64",
     .summary = "The numbers of rows, of bytes in memory, of rows evicted so far, of updates of rows not yet admitted, "
                "of rows on the disk and their bytes.",
     .shape = vector_shape,
     .is_stateful = true},
    {.name = "EmbeddingTableSave",
     .inputs = "table: resource, prefix: string",
     .attrs = "part: int >= 0; parts: int >= 1; name: string = ''; full_every: int = 1",
     .summary = "Writes the rows of a part of a table to files of a checkpoint.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "EmbeddingTableRestore",
     .inputs = "table: resource, prefix: string",
     .attrs = "part: int >= 0; parts: int >= 1; name: string = ''",
     .summary = "Replaces the rows of a part of a table by those that belong to it, whatever the parts of the files.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
    {.name = "EmbeddingTableSetUpdater",
     .inputs = "table: resource, updater: string",
     .summary = "Changes the updater of a table, for example its learning rate.",
     .shape = sli_infer_fn_none,
     .is_stateful = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "EmbeddingTable",
     .compute = sli_named_resource_compute,
     .create = table_create,
     .destroy = sli_named_resource_destroy},
    {.op = "EmbeddingTableFetch", .compute = fetch_compute, .expensive = true, .cost = 2},
    {.op = "EmbeddingTableApply", .compute = apply_compute, .expensive = true, .cost = 2},
    {.op = "EmbeddingTableSize", .compute = size_compute},
    {.op = "EmbeddingTableSave", .compute = save_compute, .expensive = true, .blocks = true},
    {.op = "EmbeddingTableRestore", .compute = restore_compute, .expensive = true, .blocks = true},
    {.op = "EmbeddingTableSetUpdater", .compute = set_updater_compute},
};

SLI_OP_MODULE(embedding_ops);
