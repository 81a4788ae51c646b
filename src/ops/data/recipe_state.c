// The recipe of a dataset in the state of an iterator: a pipeline that is being read inside of another one.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "ops/data/recipe.h"

enum { MAX_ATTRS = 256, MAX_INPUTS = 4096 };

sli_status_t *sli_dataset_recipe_write(const sli_dataset_recipe_t *recipe, sli_iterator_writer_t *writer) {
  const sli_node_def_t *node = &recipe->node;
  sli_iterator_write_text(writer, sli_view(node->op->def->name));
  sli_iterator_write_int(writer, (int64_t)node->attr_count);
  for (size_t i = 0; i < node->attr_count; i++) {
    sli_string_t value = {0};
    sli_attr_encode(&node->attrs[i].value, &value);
    sli_iterator_write_text(writer, sli_view(node->attrs[i].name));
    sli_iterator_write_text(writer, sli_view_of(value.data, value.size));
    sli_string_deinitialize(&value);
  }
  sli_iterator_write_int(writer, node->input_count);
  return sli_iterator_write_element(writer, recipe->inputs, node->input_count);
}

static sli_status_t *malformed(const char *what) {
  return sli_status_make(SLI_DATA_LOSS, "The state of the iterator is malformed: %s", what);
}

typedef struct {
  sli_arena_t arena;
  char *op;
  sli_attr_entry_t *attrs;
  int64_t attr_count;
  sli_tensor_t **inputs;
  int64_t input_count;
} parts_t;

static sli_status_t *read_attrs(sli_iterator_reader_t *reader, parts_t *parts) {
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, MAX_ATTRS, &count));
  parts->attrs = sli_arena_calloc(&parts->arena, (size_t)count + 1, sizeof(parts->attrs[0]));
  for (int64_t i = 0; i < count; i++) {
    sli_view_t name, value;
    SLI_RETURN_IF_ERROR(sli_iterator_read_text(reader, &name));
    SLI_RETURN_IF_ERROR(sli_iterator_read_text(reader, &value));
    parts->attrs[i].name = sli_arena_strndup(&parts->arena, name.data, name.size);
    SLI_RETURN_IF_ERROR(sli_attr_decode(value, &parts->arena, &parts->attrs[i].value));
    parts->attr_count = i + 1;
  }
  return NULL;
}

static sli_status_t *read_inputs(sli_iterator_reader_t *reader, parts_t *parts) {
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_iterator_read_int(reader, 0, MAX_INPUTS, &count));
  parts->inputs = sli_arena_calloc(&parts->arena, (size_t)count + 1, sizeof(parts->inputs[0]));
  for (; parts->input_count < count; parts->input_count++)
    SLI_RETURN_IF_ERROR(sli_iterator_read_tensor(reader, &parts->inputs[parts->input_count]));
  return NULL;
}

// Only ops that make datasets: a state comes from a file, and must not run anything else.
static bool makes_dataset(const sli_op_t *op) {
  return op && strstr(op->def->name, "Dataset") && op->def->outputs && !strcmp(op->def->outputs, "handle: variant");
}

static sli_status_t *read_parts(sli_iterator_reader_t *reader, parts_t *parts) {
  sli_view_t op;
  SLI_RETURN_IF_ERROR(sli_iterator_read_text(reader, &op));
  if (!makes_dataset(sli_op_find(op))) return malformed("an op makes no dataset");
  parts->op = sli_arena_strndup(&parts->arena, op.data, op.size);
  SLI_RETURN_IF_ERROR(read_attrs(reader, parts));
  return read_inputs(reader, parts);
}

sli_status_t *sli_dataset_recipe_read(sli_iterator_reader_t *reader, sli_tensor_t **out_tensor) {
  *out_tensor = NULL;
  parts_t parts = {0};
  sli_dataset_t *dataset = NULL;
  sli_status_t *status = reader->device ? read_parts(reader, &parts) : malformed("a dataset is not expected here");
  if (!status) {
    sli_step_t step = {.cancellation = reader->cancellation, .deadline = SLI_CLOCK_NO_DEADLINE};
    sli_kernel_context_t context = {.device = reader->device, .step = &step};
    sli_dataset_making_t making = {parts.op, parts.attrs, (size_t)parts.attr_count, reader->library};
    status = sli_dataset_make(&making, &context, parts.inputs, (int)parts.input_count, &dataset);
  }
  if (!status) *out_tensor = sli_dataset_to_tensor(dataset);
  for (int64_t i = 0; i < parts.attr_count; i++) sli_attr_release_tensors(&parts.attrs[i].value);
  for (int64_t i = 0; i < parts.input_count; i++) sli_tensor_release(parts.inputs[i]);
  sli_arena_deinitialize(&parts.arena);
  return status;
}
