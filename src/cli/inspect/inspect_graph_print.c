// Prints the report of a GraphDef, MetaGraphDef or SavedModel.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/report.h"
#include "cli/inspect/inspect.h"

enum { USUAL_OPS = 20, USUAL_ROWS = 10 };

static void print_head(const json_t *report) {
  sli_string_t text = {0};
  sli_report_append_plain(&text, sli_report_get_text(report, "path"));
  sli_string_append_text(&text, " (");
  sli_report_append_size(&text, sli_report_get_int(report, "bytes"));
  sli_report_print(SLI_REPORT_BOLD, "%s %s)\n", sli_report_get_text(report, "kind"), text.data);
  sli_string_deinitialize(&text);
}

static void print_tallies(const json_t *list, const char *key, const char *const *titles, int64_t limit) {
  sli_report_table_t table = {.titles = titles};
  size_t i;
  json_t *row;
  json_array_foreach(list, i, row) {
    const char *name = sli_report_get_text(row, key);
    sli_report_table_add(&table, name[0] ? name : "(none)");
    sli_report_table_add_format(&table, "%" PRId64, sli_report_get_int(row, "count"));
  }
  if (table.cells.count) sli_report_table_finish(&table, limit);
}

// Prints a table of tensors: name, dtype, shape and bytes.
static void print_tensors(const json_t *list, const char *const *titles, const char *bytes_key, int64_t limit) {
  sli_report_table_t table = {.titles = titles};
  size_t i;
  json_t *row;
  json_array_foreach(list, i, row) {
    sli_string_t text = {0};
    sli_report_table_add(&table, sli_report_get_text(row, "name"));
    sli_report_table_add(&table, sli_report_get_text(row, "dtype"));
    sli_report_append_dims(&text, json_object_get(row, "shape"));
    sli_report_table_add_string(&table, &text);
    json_t *bytes = json_object_get(row, bytes_key);
    if (bytes)
      sli_report_table_add_format(&table, "%lld", (long long)json_integer_value(bytes));
    else
      sli_report_table_add(&table, "?");
  }
  if (table.cells.count) sli_report_table_finish(&table, limit);
}

static void print_missing(const json_t *list) {
  size_t i;
  json_t *row;
  json_array_foreach(list, i, row) {
    sli_string_t text = {0};
    sli_report_append_plain(&text, sli_report_get_text(row, "op"));
    sli_string_append_format(&text, " (%" PRId64 ", first ", sli_report_get_int(row, "count"));
    sli_report_append_quoted(&text, json_object_get(row, "first_node"), SIZE_MAX);
    sli_report_print(SLI_REPORT_YELLOW, "Sluice has no op %s)\n", text.data);
    sli_string_deinitialize(&text);
  }
  if (json_array_size(list) == 0) printf("Sluice has all ops of this graph\n");
}

static void print_graph(const json_t *graph, const sli_inspect_options_t *options) {
  static const char *const ops[] = {"op", ">nodes", NULL}, *const devices[] = {"device", ">nodes", NULL};
  static const char *const placeholders[] = {"placeholder", "dtype", "shape", ">bytes", NULL};
  static const char *const variables[] = {"variable", "dtype", "shape", ">bytes", NULL};
  static const char *const constants[] = {"constant", "dtype", "shape", ">bytes stored", NULL};
  int64_t rows = sli_inspect_limit(options, USUAL_ROWS);
  const json_t *versions = json_object_get(graph, "versions"), *constant = json_object_get(graph, "constants");
  sli_string_t text = {0};
  sli_report_append_size(&text, sli_report_get_int(constant, "stored"));
  printf("%" PRId64 " nodes, %" PRId64 " inputs, %zu functions; producer %" PRId64 ", min_consumer %" PRId64
         "; constants take %s\n",
         sli_report_get_int(graph, "nodes"), sli_report_get_int(graph, "edges"),
         json_array_size(json_object_get(graph, "functions")), sli_report_get_int(versions, "producer"),
         sli_report_get_int(versions, "min_consumer"), text.data);
  sli_string_deinitialize(&text);
  print_missing(json_object_get(graph, "missing_ops"));
  print_tallies(json_object_get(graph, "ops"), "op", ops, sli_inspect_limit(options, USUAL_OPS));
  print_tallies(json_object_get(graph, "devices"), "device", devices, rows);
  print_tensors(json_object_get(graph, "placeholders"), placeholders, "bytes", rows);
  print_tensors(json_object_get(graph, "variables"), variables, "bytes", rows);
  print_tensors(json_object_get(constant, "list"), constants, "stored", rows);
}

static void print_signature_side(const char *side, const json_t *list) {
  size_t i;
  json_t *row;
  json_array_foreach(list, i, row) {
    sli_string_t text = {0};
    sli_report_append_plain(&text, sli_report_get_text(row, "key"));
    sli_string_append_text(&text, ": ");
    sli_report_append_plain(&text, sli_report_get_text(row, "tensor"));
    sli_string_append_format(&text, "  %s  ", sli_report_get_text(row, "dtype"));
    sli_report_append_dims(&text, json_object_get(row, "shape"));
    printf("  %s %s\n", side, text.data);
    sli_string_deinitialize(&text);
  }
}

static void print_signatures(const json_t *signatures) {
  size_t i;
  json_t *signature;
  json_array_foreach(signatures, i, signature) {
    sli_string_t text = {0};
    sli_report_append_plain(&text, sli_report_get_text(signature, "name"));
    sli_string_append_text(&text, " (");
    sli_report_append_plain(&text, sli_report_get_text(signature, "method"));
    sli_report_print(SLI_REPORT_BOLD, "signature %s)\n", text.data);
    sli_string_deinitialize(&text);
    print_signature_side("in ", json_object_get(signature, "inputs"));
    print_signature_side("out", json_object_get(signature, "outputs"));
  }
}

static void print_meta_graph(const json_t *meta, const sli_inspect_options_t *options) {
  static const char *const titles[] = {"collection", "kind", ">count", NULL};
  sli_string_t text = {0};
  size_t i;
  json_t *row;
  json_array_foreach(json_object_get(meta, "tags"), i, row) {
    if (i) sli_string_append_text(&text, ", ");
    sli_report_append_plain(&text, json_string_value(row));
  }
  if (text.size) printf("tags: %s\n", text.data);
  sli_string_clear(&text);
  sli_report_append_plain(&text, sli_report_get_text(meta, "tensorflow_version"));
  if (text.size) printf("written by TensorFlow %s\n", text.data);
  sli_string_deinitialize(&text);
  print_graph(meta, options);
  print_signatures(json_object_get(meta, "signatures"));
  sli_report_table_t table = {.titles = titles};
  json_array_foreach(json_object_get(meta, "collections"), i, row) {
    sli_report_table_add(&table, sli_report_get_text(row, "name"));
    sli_report_table_add(&table, sli_report_get_text(row, "kind"));
    sli_report_table_add_format(&table, "%" PRId64, sli_report_get_int(row, "count"));
  }
  if (table.cells.count) sli_report_table_finish(&table, sli_inspect_limit(options, USUAL_OPS));
}

void sli_inspect_graph_print(const json_t *report, const sli_inspect_options_t *options) {
  print_head(report);
  const json_t *metas = json_object_get(report, "meta_graphs");
  if (!metas) {
    if (json_object_get(report, "collections"))
      print_meta_graph(report, options);
    else
      print_graph(report, options);
    return;
  }
  const json_t *checkpoint = json_object_get(report, "checkpoint");
  if (json_is_object(checkpoint))
    printf("variables: %" PRId64 " tensors (sluice inspect %s)\n", sli_report_get_int(checkpoint, "tensors"),
           sli_report_get_text(checkpoint, "checkpoint"));
  size_t i;
  json_t *meta;
  json_array_foreach(metas, i, meta) {
    if (i) putchar('\n');
    print_meta_graph(meta, options);
  }
}
