// Rows copy what they need, so that the graph may be released before they are encoded.
#include "runtime/execute/step_stats.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "base/sync.h"
#include "proto/stats.fields.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

typedef struct {
  char *name, *label;
  int64_t scheduled, began, ended;  // nanoseconds
  uint32_t thread;
  sli_string_t memory;  // fields of NodeExecStats about memory and outputs, in order of their numbers
  sli_string_t kept;    // the fields of its MemoryStats
  bool is_node;
} row_t;

typedef SLI_ARRAY(row_t) rows_t;

struct sli_step_stats {
  sli_mutex_t mutex;
  sli_map_t devices;  // under |mutex|: name → rows_t *
};

sli_step_stats_t *sli_step_stats_create(void) {
  sli_step_stats_t *stats = sli_calloc(1, sizeof(*stats));
  sli_mutex_initialize(&stats->mutex);
  return stats;
}

void sli_step_stats_destroy(sli_step_stats_t *stats) {
  if (!stats) return;
  SLI_MAP_FOR_EACH (&stats->devices, entry) {
    rows_t *rows = entry->value;
    for (size_t i = 0; i < rows->count; i++) {
      free(rows->items[i].name);
      free(rows->items[i].label);
      sli_string_deinitialize(&rows->items[i].memory);
      sli_string_deinitialize(&rows->items[i].kept);
    }
    sli_array_deinitialize(rows);
    free(rows);
  }
  sli_map_deinitialize(&stats->devices);
  sli_mutex_deinitialize(&stats->mutex);
  free(stats);
}

static void add_row(sli_step_stats_t *stats, const char *device, row_t row) {
  row.thread = (uint32_t)syscall(SYS_gettid);
  sli_mutex_lock(&stats->mutex);
  rows_t *rows = sli_map_get(&stats->devices, sli_view(device));
  if (!rows) {
    rows = sli_calloc(1, sizeof(*rows));
    sli_map_set(&stats->devices, sli_view(device), rows);
  }
  sli_array_push(rows, row);
  sli_mutex_unlock(&stats->mutex);
}

static void append_attr(sli_string_t *label, const sli_node_t *node, const char *name) {
  const sli_attr_t *attr = sli_node_attr(&node->def, name);
  if (attr && attr->kind == SLI_ATTR_STRING && !attr->is_list) sli_string_append(label, attr->s.data, attr->s.size);
}

// "(edge_1_a @/job:…)" of a transfer, "(a, b:1, ^c)" of any other node.
static void append_arguments(sli_string_t *label, const sli_node_t *node) {
  sli_op_transfer_t transfer = node->def.op->def->transfer;
  if (transfer) {
    append_attr(label, node, "tensor_name");
    sli_string_append_text(label, " @");
    append_attr(label, node, transfer == SLI_OP_TRANSFER_SEND ? "recv_device" : "send_device");
    return;
  }
  const char *separator = "";
  for (int i = 0; i < node->def.input_count; i++) {
    sli_output_t input = node->inputs[i];
    if (!input.node) continue;
    sli_string_append_format(label, "%s%s", separator, input.node->def.name);
    if (input.index > 0) sli_string_append_format(label, ":%d", input.index);
    separator = ", ";
  }
  for (int i = 0; i < node->control_input_count; i++) {
    sli_string_append_format(label, "%s^%s", separator, node->control_inputs[i]->def.name);
    separator = ", ";
  }
}

// AllocatorMemoryUsed.
static void write_memory(sli_string_t *out, int64_t total, int64_t live) {
  size_t mark = sli_wire_open(out, SLI_FIELD_NODE_EXEC_STATS_MEMORY);
  sli_wire_write_text(out, SLI_FIELD_ALLOCATOR_MEMORY_USED_ALLOCATOR_NAME, "cpu");
  sli_wire_write_nonzero(out, SLI_FIELD_ALLOCATOR_MEMORY_USED_TOTAL_BYTES, total);
  sli_wire_write_nonzero(out, SLI_FIELD_ALLOCATOR_MEMORY_USED_PEAK_BYTES, total);
  sli_wire_write_nonzero(out, SLI_FIELD_ALLOCATOR_MEMORY_USED_LIVE_BYTES, live);
  sli_wire_close(out, mark);
}

// NodeOutput with its TensorDescription. The tensor of a variable was allocated before the step.
static void write_output(sli_string_t *out, int slot, sli_tensor_t *tensor, bool is_variable) {
  size_t output = sli_wire_open(out, SLI_FIELD_NODE_EXEC_STATS_OUTPUT);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_OUTPUT_SLOT, slot);
  size_t description = sli_wire_open(out, SLI_FIELD_NODE_OUTPUT_TENSOR_DESCRIPTION);
  sli_wire_write_int(out, SLI_FIELD_TENSOR_DESCRIPTION_DTYPE, tensor->dtype);
  sli_tensor_proto_write_shape(out, SLI_FIELD_TENSOR_DESCRIPTION_SHAPE, tensor->dims, tensor->rank);
  size_t allocation = sli_wire_open(out, SLI_FIELD_TENSOR_DESCRIPTION_ALLOCATION_DESCRIPTION);
  sli_wire_write_nonzero(out, SLI_FIELD_ALLOCATION_DESCRIPTION_REQUESTED_BYTES, (int64_t)sli_tensor_bytes(tensor));
  if (!is_variable)
    sli_wire_write_nonzero(out, SLI_FIELD_ALLOCATION_DESCRIPTION_ALLOCATED_BYTES, (int64_t)sli_tensor_bytes(tensor));
  sli_wire_write_text(out, SLI_FIELD_ALLOCATION_DESCRIPTION_ALLOCATOR_NAME, "cpu");
  if (!is_variable) sli_wire_write_nonzero(out, SLI_FIELD_ALLOCATION_DESCRIPTION_ALLOCATION_ID, 1);
  if (!is_variable && sli_tensor_is_exclusive(tensor))
    sli_wire_write_nonzero(out, SLI_FIELD_ALLOCATION_DESCRIPTION_HAS_SINGLE_REFERENCE, 1);
  sli_wire_write_nonzero(out, SLI_FIELD_ALLOCATION_DESCRIPTION_PTR, (int64_t)(uintptr_t)tensor->data);
  sli_wire_close(out, allocation);
  sli_wire_close(out, description);
  sli_wire_close(out, output);
}

static void describe_memory(const sli_node_t *node, const sli_kernel_context_t *context, row_t *row) {
  size_t total = context->allocated_for_outputs + context->allocated_temporarily;
  if (total) write_memory(&row->memory, (int64_t)total, (int64_t)context->allocated_for_outputs);
  sli_wire_write_nonzero(&row->kept, SLI_FIELD_MEMORY_STATS_TEMP_MEMORY_SIZE, (int64_t)context->allocated_temporarily);
  for (int i = 0; i < context->output_count; i++) {
    const sli_kernel_value_t *value = &context->outputs[i];
    sli_tensor_t *tensor = value->variable ? sli_variable_read(value->variable) : value->tensor;
    if (!tensor) continue;
    write_output(&row->memory, i, tensor, value->variable != NULL);
    if (node->def.op->def->is_variable)
      sli_wire_write_nonzero(&row->kept, SLI_FIELD_MEMORY_STATS_PERSISTENT_MEMORY_SIZE,
                             (int64_t)sli_tensor_bytes(tensor));
    if (value->variable) sli_tensor_release(tensor);
  }
}

void sli_step_stats_add(sli_step_stats_t *stats, const sli_node_t *node, const sli_kernel_context_t *context,
                        int64_t scheduled, int64_t began, int64_t ended) {
  sli_string_t label = {0};
  sli_string_append_format(&label, "%s = %s(", node->def.name, node->def.op->def->name);
  append_arguments(&label, node);
  sli_string_append_char(&label, ')');
  row_t row = {.name = sli_strdup(node->def.name),
               .label = sli_string_take(&label),
               .scheduled = scheduled ? scheduled : began,
               .began = began,
               .ended = ended,
               .is_node = true};
  describe_memory(node, context, &row);
  add_row(stats, node->assigned_device ? node->assigned_device : node->def.device, row);
}

void sli_step_stats_add_transfer(sli_step_stats_t *stats, const char *device, const char *label, int64_t began,
                                 int64_t ended, int64_t bytes) {
  row_t row = {.name = sli_strdup("RecvTensor"),
               .label = sli_strdup(label),
               .scheduled = began * 1000,
               .began = began * 1000,
               .ended = ended * 1000};
  write_memory(&row.memory, bytes, 0);
  add_row(stats, device, row);
}

// Writes a NodeExecStats.
static void encode_row(const row_t *row, sli_string_t *out) {
  int64_t taken = row->ended > row->began ? row->ended - row->began : 0;
  size_t mark = sli_wire_open(out, SLI_FIELD_DEVICE_STEP_STATS_NODE_STATS);
  sli_wire_write_text(out, SLI_FIELD_NODE_EXEC_STATS_NODE_NAME, row->name);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_EXEC_STATS_ALL_START_MICROS, row->began / 1000);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_EXEC_STATS_OP_END_REL_MICROS, taken / 1000);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_EXEC_STATS_ALL_END_REL_MICROS, taken / 1000);
  sli_string_append(out, row->memory.data, row->memory.size);
  sli_wire_write_text(out, SLI_FIELD_NODE_EXEC_STATS_TIMELINE_LABEL, row->label);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_EXEC_STATS_SCHEDULED_MICROS, row->scheduled / 1000);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_EXEC_STATS_THREAD_ID, row->thread);
  if (row->is_node) sli_wire_write_bytes(out, SLI_FIELD_NODE_EXEC_STATS_MEMORY_STATS, row->kept.data, row->kept.size);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_EXEC_STATS_ALL_START_NANOS, row->began);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_EXEC_STATS_OP_END_REL_NANOS, taken);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_EXEC_STATS_ALL_END_REL_NANOS, taken);
  sli_wire_write_nonzero(out, SLI_FIELD_NODE_EXEC_STATS_SCHEDULED_NANOS, row->scheduled);
  sli_wire_close(out, mark);
}

void sli_step_stats_encode(sli_step_stats_t *stats, sli_string_t *out) {
  sli_mutex_lock(&stats->mutex);
  SLI_MAP_FOR_EACH (&stats->devices, entry) {
    const rows_t *rows = entry->value;
    size_t mark = sli_wire_open(out, SLI_FIELD_STEP_STATS_DEV_STATS);
    sli_wire_write_bytes(out, SLI_FIELD_DEVICE_STEP_STATS_DEVICE, entry->key, entry->key_size);
    for (size_t i = 0; i < rows->count; i++) encode_row(&rows->items[i], out);
    sli_wire_close(out, mark);
  }
  sli_mutex_unlock(&stats->mutex);
}
