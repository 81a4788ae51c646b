// Writing FunctionDefs for tests.
#ifndef SLI_GRAPH_FUNCTION_TESTING_H_
#define SLI_GRAPH_FUNCTION_TESTING_H_

#include "base/test.h"
#include "graph/graph.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

typedef struct {
  sli_string_t signature, rest;
} function_writer_t;

static inline void function_begin(function_writer_t *writer, const char *name) {
  *writer = (function_writer_t){0};
  sli_wire_write_text(&writer->signature, SLI_FIELD_OP_DEF_NAME, name);
}

static inline void function_write_arg(function_writer_t *writer, uint32_t field, const char *name, sli_dtype_t type,
                                      const char *type_attr) {
  size_t mark = sli_wire_open(&writer->signature, field);
  sli_wire_write_text(&writer->signature, SLI_FIELD_OP_DEF_ARG_DEF_NAME, name);
  if (type) sli_wire_write_uint(&writer->signature, SLI_FIELD_OP_DEF_ARG_DEF_TYPE, type);
  if (type_attr) sli_wire_write_text(&writer->signature, SLI_FIELD_OP_DEF_ARG_DEF_TYPE_ATTR, type_attr);
  sli_wire_close(&writer->signature, mark);
}

static inline void function_argument(function_writer_t *writer, const char *name, sli_dtype_t type) {
  function_write_arg(writer, SLI_FIELD_OP_DEF_INPUT_ARG, name, type, NULL);
}

static inline void function_type_attr(function_writer_t *writer, const char *name) {
  size_t mark = sli_wire_open(&writer->signature, SLI_FIELD_OP_DEF_ATTR);
  sli_wire_write_text(&writer->signature, SLI_FIELD_OP_DEF_ATTR_DEF_NAME, name);
  sli_wire_write_text(&writer->signature, SLI_FIELD_OP_DEF_ATTR_DEF_TYPE, "type");
  sli_wire_close(&writer->signature, mark);
}

static inline void function_write_ret(function_writer_t *writer, uint32_t field, const char *name, const char *value) {
  size_t mark = sli_wire_open(&writer->rest, field);
  sli_wire_write_text(&writer->rest, SLI_FIELD_FUNCTION_DEF_RET_ENTRY_KEY, name);
  sli_wire_write_text(&writer->rest, SLI_FIELD_FUNCTION_DEF_RET_ENTRY_VALUE, value);
  sli_wire_close(&writer->rest, mark);
}

static inline void function_result(function_writer_t *writer, const char *name, sli_dtype_t type, const char *value) {
  function_write_arg(writer, SLI_FIELD_OP_DEF_OUTPUT_ARG, name, type, NULL);
  function_write_ret(writer, SLI_FIELD_FUNCTION_DEF_RET, name, value);
}

// |inputs| are separated by spaces.
static inline void function_node(function_writer_t *writer, const char *name, const char *op, const char *inputs,
                                 const sli_attr_entry_t *attrs, size_t attr_count) {
  sli_string_t *out = &writer->rest;
  size_t mark = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_NODE_DEF);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_NAME, name);
  sli_wire_write_text(out, SLI_FIELD_NODE_DEF_OP, op);
  sli_view_t rest = sli_view(inputs), input;
  while (rest.size) {
    sli_view_split(rest, ' ', &input, &rest);
    sli_wire_write_bytes(out, SLI_FIELD_NODE_DEF_INPUT, input.data, input.size);
  }
  for (size_t i = 0; i < attr_count; i++) {
    size_t entry = sli_wire_open(out, SLI_FIELD_NODE_DEF_ATTR);
    sli_wire_write_text(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY, attrs[i].name);
    size_t value = sli_wire_open(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE);
    sli_attr_encode(&attrs[i].value, out);
    sli_wire_close(out, value);
    sli_wire_close(out, entry);
  }
  sli_wire_close(out, mark);
}

#define FUNCTION_ATTRS(...) \
  (const sli_attr_entry_t[]){__VA_ARGS__}, sizeof((const sli_attr_entry_t[]){__VA_ARGS__}) / sizeof(sli_attr_entry_t)
#define FUNCTION_PLACEHOLDER(attr_name, v) \
  ((sli_attr_entry_t){attr_name, {.kind = SLI_ATTR_PLACEHOLDER, .s = sli_view(v)}})

// Adds the function to the graph's library.
static inline sli_status_t *function_try_end(function_writer_t *writer, sli_graph_t *graph) {
  sli_string_t bytes = {0};
  sli_wire_write_bytes(&bytes, SLI_FIELD_FUNCTION_DEF_SIGNATURE, writer->signature.data, writer->signature.size);
  sli_string_append(&bytes, sli_string_text(&writer->rest), writer->rest.size);
  sli_view_t function = sli_view_of(bytes.data, bytes.size);
  sli_status_t *status = sli_graph_add_functions(graph, &(sli_graph_library_t){&function, NULL, 1, 0});
  sli_string_deinitialize(&bytes);
  sli_string_deinitialize(&writer->signature);
  sli_string_deinitialize(&writer->rest);
  return status;
}
static inline void function_end(function_writer_t *writer, sli_graph_t *graph) {
  SLI_EXPECT_OK(function_try_end(writer, graph));
}

#endif  // SLI_GRAPH_FUNCTION_TESTING_H_
