// Rows are copied when they come in, so the graph may go before they are encoded.
#include "runtime/step_stats.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "base/sync.h"
#include "proto/wire.h"

typedef struct {
  char *name, *label;
  int64_t scheduled, began, ended, bytes;  // bytes -1: not a transfer
  uint32_t thread;
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
  bool is_send = sli_node_is(node, "_Send") || sli_node_is(node, "_HostSend");
  if (is_send || sli_node_is(node, "_Recv") || sli_node_is(node, "_HostRecv")) {
    append_attr(label, node, "tensor_name");
    sli_string_append_text(label, " @");
    append_attr(label, node, is_send ? "recv_device" : "send_device");
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

void sli_step_stats_add(sli_step_stats_t *stats, const sli_node_t *node, int64_t scheduled, int64_t began,
                        int64_t ended) {
  sli_string_t label = {0};
  sli_string_append_format(&label, "%s = %s(", node->def.name, node->def.op->def->name);
  append_arguments(&label, node);
  sli_string_append_char(&label, ')');
  row_t row = {.name = sli_strdup(node->def.name),
               .label = sli_string_take(&label),
               .scheduled = scheduled ? scheduled : began,
               .began = began,
               .ended = ended,
               .bytes = -1};
  add_row(stats, node->assigned_device ? node->assigned_device : node->def.device, row);
}

void sli_step_stats_add_transfer(sli_step_stats_t *stats, const char *device, const char *label, int64_t began,
                                 int64_t ended, int64_t bytes) {
  row_t row = {.name = sli_strdup("RecvTensor"),
               .label = sli_strdup(label),
               .scheduled = began,
               .began = began,
               .ended = ended,
               .bytes = bytes};
  add_row(stats, device, row);
}

// What proto3 leaves out is left out.
static void write_number(sli_string_t *out, uint32_t number, int64_t value) {
  if (value) sli_wire_write_int(out, number, value);
}

// NodeExecStats; field numbers as in stats.proto.
static void encode_row(const row_t *row, sli_string_t *out) {
  int64_t taken = row->ended > row->began ? row->ended - row->began : 0;
  size_t mark = sli_wire_open(out, 2);
  sli_wire_write_text(out, 1, row->name);
  write_number(out, 2, row->began);
  write_number(out, 4, taken);
  write_number(out, 5, taken);
  if (row->bytes >= 0) {
    size_t memory = sli_wire_open(out, 6);
    sli_wire_write_text(out, 1, "cpu");
    write_number(out, 2, row->bytes);
    write_number(out, 3, row->bytes);
    sli_wire_close(out, memory);
  }
  sli_wire_write_text(out, 8, row->label);
  write_number(out, 9, row->scheduled);
  write_number(out, 10, row->thread);
  write_number(out, 13, row->began * 1000);
  write_number(out, 15, taken * 1000);
  write_number(out, 16, taken * 1000);
  write_number(out, 17, row->scheduled * 1000);
  sli_wire_close(out, mark);
}

void sli_step_stats_encode(sli_step_stats_t *stats, sli_string_t *out) {
  sli_mutex_lock(&stats->mutex);
  SLI_MAP_FOR_EACH (&stats->devices, entry) {
    const rows_t *rows = entry->value;
    size_t mark = sli_wire_open(out, 1);
    sli_wire_write_bytes(out, 1, entry->key, entry->key_size);
    for (size_t i = 0; i < rows->count; i++) encode_row(&rows->items[i], out);
    sli_wire_close(out, mark);
  }
  sli_mutex_unlock(&stats->mutex);
}
