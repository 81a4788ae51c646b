// Import and export of GraphDefs: round trips of real graphs, the options, and all kinds of
// wrong messages that a user or a peer may send.
#include "graph/import.h"

#include <dirent.h>

#include "base/test.h"
#include "proto/graph.fields.h"
#include "proto/tensor.fields.h"
#include "proto/wire.h"

// --- Writing GraphDefs -------------------------------------------------------------

static sli_attr_entry_t float_type(void) { return SLI_ATTR_TYPE_OF("T", SLI_DTYPE_FLOAT); }

// |inputs|: separated by blanks.
static void write_node(sli_string_t *out, const char *name, const char *op, const char *inputs, const char *device,
                       const sli_attr_entry_t *attrs, size_t attr_count) {
  size_t node = sli_wire_open(out, SLI_FIELD_GRAPH_DEF_NODE);
  if (name) sli_wire_write_text(out, SLI_FIELD_NODE_DEF_NAME, name);
  if (op) sli_wire_write_text(out, SLI_FIELD_NODE_DEF_OP, op);
  for (sli_view_t rest = sli_view(inputs), word; rest.size;) {
    if (!sli_view_split(rest, ' ', &word, &rest)) rest.size = 0;
    sli_wire_write_bytes(out, SLI_FIELD_NODE_DEF_INPUT, word.data, word.size);
  }
  if (device) sli_wire_write_text(out, SLI_FIELD_NODE_DEF_DEVICE, device);
  for (size_t i = 0; i < attr_count; i++) {
    size_t entry = sli_wire_open(out, SLI_FIELD_NODE_DEF_ATTR);
    sli_wire_write_text(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY, attrs[i].name);
    size_t value = sli_wire_open(out, SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE);
    sli_attr_encode(&attrs[i].value, out);
    sli_wire_close(out, value);
    sli_wire_close(out, entry);
  }
  sli_wire_close(out, node);
}

static void write_placeholder(sli_string_t *out, const char *name, sli_dtype_t dtype) {
  sli_attr_entry_t attr = SLI_ATTR_TYPE_OF("dtype", dtype);
  write_node(out, name, "Placeholder", "", NULL, &attr, 1);
}

static void write_unary(sli_string_t *out, const char *name, const char *inputs) {
  sli_attr_entry_t type = float_type();
  write_node(out, name, "Neg", inputs, NULL, &type, 1);
}

static sli_view_t bytes_of(const sli_string_t *string) { return sli_view_of(string->data, string->size); }

static void expect_refused(const sli_string_t *bytes, const sli_import_options_t *options, const char *part) {
  sli_graph_t *graph = sli_graph_create();
  sli_import_results_t results = {0};
  sli_status_t *status = sli_graph_import(graph, bytes_of(bytes), options, &results);
  SLI_EXPECT(status != NULL);
  SLI_EXPECT_CONTAINS(sli_status_message(status), part);
  SLI_EXPECT_INT(graph->nodes.count, 0);
  SLI_EXPECT_INT(results.outputs.count + results.nodes.count + results.unused_mappings.count, 0);
  sli_status_release(status);
  sli_graph_release(graph);
}

static void expect_node_refused(const char *op, const char *inputs, const char *device, const sli_attr_entry_t *attrs,
                                size_t attr_count, const char *part) {
  sli_string_t bytes = {0};
  write_placeholder(&bytes, "a", SLI_DTYPE_FLOAT);
  write_placeholder(&bytes, "n", SLI_DTYPE_INT32);
  write_node(&bytes, "bad", op, inputs, device, attrs, attr_count);
  expect_refused(&bytes, NULL, part);
  sli_string_deinitialize(&bytes);
}

// a → b → c, and a control edge a → c.
static void write_chain(sli_string_t *out) {
  write_unary(out, "c", "b ^a");
  write_placeholder(out, "a", SLI_DTYPE_FLOAT);
  write_unary(out, "b", "a");
}

// --- Round trips --------------------------------------------------------------------

typedef struct {
  sli_view_t op, device;
  SLI_ARRAY(sli_view_t) inputs, controls;
  sli_map_t attrs;  // name → sli_attr_t *
} node_def_t;

typedef struct {
  sli_arena_t arena;
  sli_map_t nodes;  // name → node_def_t *
} graph_def_t;

static void parse_attr(graph_def_t *graph, node_def_t *node, sli_view_t bytes) {
  sli_view_t key = {0}, value = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    *(field.number == SLI_FIELD_NODE_DEF_ATTR_ENTRY_KEY ? &key : &value) = field.bytes;
  sli_attr_t *attr = sli_arena_calloc(&graph->arena, 1, sizeof(*attr));
  SLI_EXPECT_OK(sli_attr_decode(value, &graph->arena, attr));
  sli_map_set(&node->attrs, key, attr);
}

static void parse_node(graph_def_t *graph, sli_view_t bytes) {
  node_def_t *node = sli_calloc(1, sizeof(*node));
  sli_view_t name = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    sli_view_t text = field.bytes;
    if (field.number == SLI_FIELD_NODE_DEF_NAME) name = text;
    if (field.number == SLI_FIELD_NODE_DEF_OP) node->op = text;
    if (field.number == SLI_FIELD_NODE_DEF_INPUT) {
      if (sli_view_ends_with(text, ":0")) text.size -= 2;
      if (text.size && text.data[0] == '^')
        sli_array_push(&node->controls, text);
      else
        sli_array_push(&node->inputs, text);
    }
    if (field.number == SLI_FIELD_NODE_DEF_DEVICE) node->device = text;
    if (field.number == SLI_FIELD_NODE_DEF_ATTR) parse_attr(graph, node, text);
  }
  sli_map_set(&graph->nodes, name, node);
}

static void parse_graph(graph_def_t *graph, sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_GRAPH_DEF_NODE) parse_node(graph, field.bytes);
}

static void release_graph(graph_def_t *graph) {
  SLI_MAP_FOR_EACH (&graph->nodes, entry) {
    node_def_t *node = entry->value;
    SLI_MAP_FOR_EACH (&node->attrs, attr) sli_attr_release_tensors(attr->value);
    sli_array_deinitialize(&node->inputs);
    sli_array_deinitialize(&node->controls);
    sli_map_deinitialize(&node->attrs);
    free(node);
  }
  sli_map_deinitialize(&graph->nodes);
  sli_arena_deinitialize(&graph->arena);
}

static bool has_control(const node_def_t *node, sli_view_t control) {
  for (size_t i = 0; i < node->controls.count; i++)
    if (sli_view_equal(node->controls.items[i], control)) return true;
  return false;
}

// An exported node has everything that was imported; additional attributes have the op's default.
static void compare_nodes(const char *label, const char *name, const node_def_t *want, const node_def_t *have) {
  bool same = sli_view_equal(want->op, have->op) && sli_view_equal(want->device, have->device) &&
              want->inputs.count == have->inputs.count && want->controls.count == have->controls.count;
  for (size_t i = 0; same && i < want->inputs.count; i++)
    same = sli_view_equal(want->inputs.items[i], have->inputs.items[i]);
  for (size_t i = 0; same && i < want->controls.count; i++) same = has_control(have, want->controls.items[i]);
  if (!same) sli_test_fail(label, 0, "'%s' comes out differently", name);
  SLI_MAP_FOR_EACH (&want->attrs, entry) {
    sli_attr_t *attr = sli_map_get(&have->attrs, sli_view_of(entry->key, entry->key_size));
    if (!attr || !sli_attr_equal(attr, entry->value))
      sli_test_fail(label, 0, "attribute %s of '%s' comes out differently", entry->key, name);
  }
  SLI_MAP_FOR_EACH (&have->attrs, entry) {
    if (sli_map_get(&want->attrs, sli_view_of(entry->key, entry->key_size))) continue;
    const sli_attr_spec_t *spec = sli_op_attr_spec(sli_op_find(have->op), entry->key);
    if (!spec || !spec->has_default || !sli_attr_equal(&spec->default_value, entry->value))
      sli_test_fail(label, 0, "attribute %s of '%s' came from nowhere", entry->key, name);
  }
}

static void compare_graphs(const char *label, sli_view_t want_bytes, sli_view_t have_bytes) {
  graph_def_t want = {0}, have = {0};
  parse_graph(&want, want_bytes);
  parse_graph(&have, have_bytes);
  SLI_EXPECT_INT(have.nodes.count, want.nodes.count);
  SLI_MAP_FOR_EACH (&want.nodes, entry) {
    node_def_t *node = sli_map_get(&have.nodes, sli_view_of(entry->key, entry->key_size));
    if (node)
      compare_nodes(label, entry->key, entry->value, node);
    else
      sli_test_fail(label, 0, "'%s' is lost", entry->key);
  }
  release_graph(&want);
  release_graph(&have);
}

static bool read_file(const char *path, sli_string_t *out) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof(buffer), file)) > 0;) sli_string_append(out, buffer, n);
  fclose(file);
  return true;
}

// Returns 1 if the graph was tested, 0 if it needs an op that we do not have.
static int check_round_trip(const char *path) {
  sli_string_t bytes = {0}, exported = {0}, stripped = {0};
  sli_graph_t *graph = sli_graph_create();
  SLI_CHECK(read_file(path, &bytes));
  sli_status_t *status = sli_graph_import(graph, bytes_of(&bytes), NULL, NULL);
  bool missing = sli_status_code(status) == SLI_NOT_FOUND;
  if (status && !missing) sli_test_fail(path, 0, "%s", sli_status_message(status));
  if (!status) {
    sli_graph_export(graph, &exported);
    compare_graphs(path, bytes_of(&bytes), bytes_of(&exported));
    // Without defaults the same graph comes back.
    sli_graph_export_stripped(graph, &stripped);
    SLI_EXPECT(stripped.size <= exported.size);
    sli_graph_t *again = sli_graph_create();
    SLI_EXPECT_OK(sli_graph_import(again, bytes_of(&stripped), NULL, NULL));
    sli_string_t second = {0};
    sli_graph_export(again, &second);
    SLI_EXPECT(sli_view_equal(bytes_of(&second), bytes_of(&exported)));
    sli_string_deinitialize(&second);
    sli_graph_release(again);
  }
  sli_status_release(status);
  sli_graph_release(graph);
  sli_string_deinitialize(&bytes);
  sli_string_deinitialize(&exported);
  sli_string_deinitialize(&stripped);
  return !missing;
}

SLI_TEST(test_round_trip_of_real_graphs_keeps_everything) {
  char *directory = sli_format("%s/graphs", sli_test_golden_dir());
  DIR *handle = opendir(directory);
  SLI_REQUIRE(handle);
  int passed = 0;
  for (struct dirent *entry; (entry = readdir(handle));) {
    if (!sli_string_ends_with(entry->d_name, ".pb")) continue;
    char *path = sli_format("%s/%s", directory, entry->d_name);
    passed += check_round_trip(path);
    free(path);
  }
  closedir(handle);
  free(directory);
  SLI_EXPECT(passed >= 10);
}

SLI_TEST(test_import_orders_nodes_and_keeps_control_edges) {
  sli_string_t bytes = {0}, exported = {0};
  write_chain(&bytes);
  sli_graph_t *graph = sli_graph_create();
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&bytes), NULL, NULL));
  SLI_EXPECT_TEXT(graph->nodes.items[0]->def.name, "a");
  SLI_EXPECT_TEXT(graph->nodes.items[1]->def.name, "b");
  sli_node_t *c = graph->nodes.items[2];
  SLI_EXPECT_INT(c->control_input_count, 1);
  SLI_EXPECT_TEXT(c->control_inputs[0]->def.name, "a");
  sli_graph_export_from(graph, 2, 0, &exported);
  graph_def_t tail = {0};
  parse_graph(&tail, bytes_of(&exported));
  SLI_EXPECT_INT(tail.nodes.count, 1);
  SLI_EXPECT(sli_map_get(&tail.nodes, sli_view("c")));
  release_graph(&tail);
  sli_graph_release(graph);
  sli_string_deinitialize(&bytes);
  sli_string_deinitialize(&exported);
}

SLI_TEST(test_import_empty_graph_is_nothing) {
  sli_graph_t *graph = sli_graph_create();
  SLI_EXPECT_OK(sli_graph_import(graph, sli_view(""), NULL, NULL));
  SLI_EXPECT_INT(graph->nodes.count, 0);
  sli_graph_release(graph);
}

// --- Options --------------------------------------------------------------------------

SLI_TEST(test_prefix_goes_before_names_and_colocation) {
  sli_string_t bytes = {0};
  write_placeholder(&bytes, "a", SLI_DTYPE_FLOAT);
  sli_view_t group = sli_view("loc:@a");
  sli_attr_entry_t attrs[] = {float_type(), {"_class", {.kind = SLI_ATTR_STRING, .is_list = true, .count = 1}}};
  attrs[1].value.list.s = &group;
  write_node(&bytes, "b", "Neg", "a", NULL, attrs, 2);
  sli_graph_t *graph = sli_graph_create();
  sli_import_options_t options = {.prefix = "p/"};
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&bytes), &options, NULL));
  sli_node_t *b = sli_graph_find(graph, sli_view("p/b"));
  SLI_REQUIRE(b);
  SLI_EXPECT_TEXT(b->inputs[0].node->def.name, "p/a");
  const sli_attr_t *class = sli_node_attr(&b->def, "_class");
  SLI_EXPECT(sli_view_is(class->list.s[0], "loc:@p/a"));

  SLI_EXPECT_STATUS(sli_graph_import(graph, bytes_of(&bytes), &options, NULL), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_INT(graph->nodes.count, 2);
  options.uniquify_prefix = true;
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&bytes), &options, NULL));
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&bytes), &options, NULL));
  SLI_EXPECT(sli_graph_find(graph, sli_view("p_1/b")) && sli_graph_find(graph, sli_view("p_2/b")));
  sli_graph_release(graph);
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_uniquify_avoids_names_of_graph_and_graph_def) {
  sli_string_t first = {0}, bytes = {0};
  write_placeholder(&first, "a", SLI_DTYPE_FLOAT);
  sli_graph_t *graph = sli_graph_create();
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&first), NULL, NULL));
  // "a" must not become the "a_1" that follows.
  write_placeholder(&bytes, "a", SLI_DTYPE_FLOAT);
  write_placeholder(&bytes, "a_1", SLI_DTYPE_INT32);
  write_unary(&bytes, "b", "a");
  sli_import_options_t options = {.uniquify_names = true};
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&bytes), &options, NULL));
  sli_node_t *b = sli_graph_find(graph, sli_view("b"));
  SLI_REQUIRE(b);
  SLI_EXPECT_TEXT(b->inputs[0].node->def.name, "a_2");
  SLI_EXPECT_INT(sli_graph_find(graph, sli_view("a_1"))->def.output_types[0], SLI_DTYPE_INT32);
  sli_graph_release(graph);
  sli_string_deinitialize(&first);
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_mappings_replace_inputs_and_report_strays) {
  sli_string_t first = {0}, bytes = {0};
  write_placeholder(&first, "x", SLI_DTYPE_FLOAT);
  sli_graph_t *graph = sli_graph_create();
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&first), NULL, NULL));
  sli_node_t *x = graph->nodes.items[0];
  write_chain(&bytes);
  sli_import_mapping_t mappings[] = {{sli_view("a"), 0, {x, 0}},
                                     {sli_view("a"), -1, {x, -1}},
                                     {sli_view("c"), 0, {x, 0}},
                                     {sli_view("zz"), 0, {x, 0}},
                                     {sli_view("b"), 7, {x, 0}}};
  sli_view_t outputs[] = {sli_view("b:0"), sli_view("a"), sli_view("c:0")}, nodes[] = {sli_view("c")};
  sli_import_options_t options = {.mappings = mappings,
                                  .mapping_count = SLI_ARRAY_COUNT_OF(mappings),
                                  .return_outputs = outputs,
                                  .return_output_count = 2,
                                  .return_nodes = nodes,
                                  .return_node_count = 1};
  sli_import_results_t results = {0};
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&bytes), &options, &results));
  SLI_EXPECT(results.outputs.items[0].node->inputs[0].node == x);
  SLI_EXPECT(results.outputs.items[1].node == x);
  SLI_EXPECT_TEXT(results.nodes.items[0]->def.name, "c");
  SLI_EXPECT(results.nodes.items[0]->control_inputs[0] == x);
  // Unused but existing ("c") is no mistake; "zz" and "b:7" are.
  SLI_EXPECT_INT(results.unused_mappings.count, 2);
  SLI_EXPECT(sli_view_is(results.unused_mappings.items[0].source, "zz"));
  sli_import_results_deinitialize(&results);
  sli_graph_release(graph);
  sli_string_deinitialize(&first);
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_control_dependencies_hold_all_imported_nodes) {
  sli_string_t first = {0}, bytes = {0};
  write_placeholder(&first, "x", SLI_DTYPE_FLOAT);
  write_node(&first, "gate", "NoOp", "", NULL, NULL, 0);
  sli_graph_t *graph = sli_graph_create();
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&first), NULL, NULL));
  write_chain(&bytes);
  write_unary(&bytes, "mapped", "outside");
  sli_node_t *gate = sli_graph_find(graph, sli_view("gate"));
  sli_import_mapping_t mapping = {sli_view("outside"), 0, {graph->nodes.items[0], 0}};
  sli_import_options_t options = {
      .control_dependencies = &gate, .control_dependency_count = 1, .mappings = &mapping, .mapping_count = 1};
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&bytes), &options, NULL));
  sli_node_t *a = sli_graph_find(graph, sli_view("a")), *b = sli_graph_find(graph, sli_view("b"));
  sli_node_t *mapped = sli_graph_find(graph, sli_view("mapped"));
  SLI_EXPECT(a->control_input_count == 1 && a->control_inputs[0] == gate);
  SLI_EXPECT(mapped->control_input_count == 1 && mapped->control_inputs[0] == gate);
  SLI_EXPECT_INT(b->control_input_count, 0);
  sli_graph_release(graph);
  sli_string_deinitialize(&first);
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_extend_refers_to_nodes_that_are_there) {
  sli_string_t first = {0}, more = {0};
  write_placeholder(&first, "a", SLI_DTYPE_FLOAT);
  write_unary(&more, "b", "a ^a");
  sli_graph_t *graph = sli_graph_create();
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&first), NULL, NULL));
  SLI_EXPECT_STATUS(sli_graph_import(graph, bytes_of(&more), NULL, NULL), SLI_INVALID_ARGUMENT);
  sli_import_options_t options = {.extend = true};
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&more), &options, NULL));
  sli_node_t *b = sli_graph_find(graph, sli_view("b"));
  SLI_EXPECT(b->inputs[0].node == graph->nodes.items[0] && b->control_inputs[0] == graph->nodes.items[0]);
  // An existing node cannot be sent again, and the failed extension changes nothing.
  size_t edges = graph->nodes.items[0]->out_edges.count;
  SLI_EXPECT_STATUS(sli_graph_import(graph, bytes_of(&more), &options, NULL), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_INT(graph->nodes.count, 2);
  SLI_EXPECT_INT(graph->nodes.items[0]->out_edges.count, edges);
  sli_graph_release(graph);
  sli_string_deinitialize(&first);
  sli_string_deinitialize(&more);
}

SLI_TEST(test_default_device_is_for_nodes_without_one) {
  sli_string_t bytes = {0};
  sli_attr_entry_t dtype = SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT);
  write_node(&bytes, "here", "Placeholder", "", "/cpu:0", &dtype, 1);
  write_placeholder(&bytes, "there", SLI_DTYPE_FLOAT);
  sli_graph_t *graph = sli_graph_create();
  sli_import_options_t options = {.default_device = "/job:ps/task:1"};
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&bytes), &options, NULL));
  SLI_EXPECT_TEXT(sli_graph_find(graph, sli_view("here"))->def.device, "/cpu:0");
  SLI_EXPECT_TEXT(sli_graph_find(graph, sli_view("there"))->def.device, "/job:ps/task:1");
  sli_graph_release(graph);
  sli_string_deinitialize(&bytes);
}

static void write_library(sli_string_t *out, const char *name) {
  size_t library = sli_wire_open(out, SLI_FIELD_GRAPH_DEF_LIBRARY);
  size_t function = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_LIBRARY_FUNCTION);
  size_t signature = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_SIGNATURE);
  sli_wire_write_text(out, SLI_FIELD_OP_DEF_NAME, name);
  sli_wire_close(out, signature);
  sli_wire_close(out, function);
  sli_wire_close(out, library);
}

SLI_TEST(test_functions_are_kept_once) {
  sli_string_t bytes = {0};
  write_library(&bytes, "f");
  sli_graph_t *graph = sli_graph_create();
  SLI_EXPECT_OK(sli_graph_import(graph, bytes_of(&bytes), NULL, NULL));
  SLI_EXPECT_OK(sli_graph_import(graph, bytes_of(&bytes), NULL, NULL));
  write_library(&bytes, "g");
  SLI_EXPECT_OK(sli_graph_import(graph, bytes_of(&bytes), NULL, NULL));
  SLI_EXPECT_INT(sli_graph_function_count(graph), 2);
  sli_graph_release(graph);
  sli_string_deinitialize(&bytes);
}

// --- Errors ---------------------------------------------------------------------

SLI_TEST(test_wrong_nodes_are_refused_by_name) {
  sli_attr_entry_t type = float_type(), int_type = SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT32);
  sli_attr_entry_t text = SLI_ATTR_STRING_OF("T", "float");
  expect_node_refused("Neg", "nowhere", NULL, &type, 1, "Node 'bad': Unknown input node 'nowhere'");
  expect_node_refused("Neg", "a ^nowhere", NULL, &type, 1, "Unknown input node '^nowhere'");
  expect_node_refused("Neg", "a:1", NULL, &type, 1,
                      "Node 'bad': Connecting to invalid output 1 of source node a which has 1 outputs.");
  expect_node_refused("Neg", "a:x", NULL, &type, 1, "'a:x' is not of the form name:index");
  expect_node_refused("Neg", "a:-1", NULL, &type, 1, "is not of the form name:index");
  expect_node_refused("Neg", "a:99999999999999999999", NULL, &type, 1, "is not of the form name:index");
  expect_node_refused("AddV2", "a ^n a", NULL, &type, 1, "Control dependencies must come after regular dependencies");
  expect_node_refused("Neg", "n", NULL, &type, 1,
                      "Input 0 of node bad was passed int32 from n:0 incompatible with expected float.");
  expect_node_refused("Neg", "a", NULL, &int_type, 1, "incompatible with expected int32");
  expect_node_refused("Neg", "", NULL, &type, 1, "bad");
  expect_node_refused("Neg", "a a", NULL, &type, 1, "bad");
  expect_node_refused("Neg", "a", NULL, NULL, 0, "bad");
  expect_node_refused("Neg", "a", NULL, &text, 1, "bad");
  expect_node_refused("NoSuchOp", "a", NULL, &type, 1, "Op type not registered 'NoSuchOp'");
  expect_node_refused("", "a", NULL, &type, 1, "Op type not registered");
  expect_node_refused("Neg", "a", "/nonsense:x:y", &type, 1,
                      "Malformed device specification '/nonsense:x:y' in node 'bad'");
  expect_node_refused("Neg", "^bad a", NULL, &type, 1, "Control dependencies must come after");
}

SLI_TEST(test_wrong_names_are_refused) {
  static const char *const names[] = {"a", "bad name", "bad:0", "^bad", "-bad"};
  static const char *const parts[] = {"Node 'a' is not unique", "invalid characters", "invalid characters",
                                      "invalid characters", "invalid characters"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) {
    sli_string_t bytes = {0};
    write_placeholder(&bytes, "a", SLI_DTYPE_FLOAT);
    write_placeholder(&bytes, names[i], SLI_DTYPE_FLOAT);
    expect_refused(&bytes, NULL, parts[i]);
    sli_string_deinitialize(&bytes);
  }
  sli_string_t bytes = {0};
  write_node(&bytes, NULL, "NoOp", "", NULL, NULL, 0);
  expect_refused(&bytes, NULL, "Node 0 of the GraphDef has no name");
  sli_string_clear(&bytes);
  size_t node = sli_wire_open(&bytes, SLI_FIELD_GRAPH_DEF_NODE);
  sli_wire_write_bytes(&bytes, SLI_FIELD_NODE_DEF_NAME, "a\0b", 3);
  sli_wire_write_text(&bytes, SLI_FIELD_NODE_DEF_OP, "NoOp");
  sli_wire_close(&bytes, node);
  expect_refused(&bytes, NULL, "zero byte");
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_cycles_are_refused) {
  sli_string_t bytes = {0};
  write_unary(&bytes, "a", "b");
  write_unary(&bytes, "b", "a");
  expect_refused(&bytes, NULL, "2 nodes in a cycle");
  sli_string_clear(&bytes);
  write_unary(&bytes, "self", "self");
  expect_refused(&bytes, NULL, "1 nodes in a cycle");
  sli_string_clear(&bytes);
  write_node(&bytes, "u", "NoOp", "^v", NULL, NULL, 0);
  write_node(&bytes, "v", "NoOp", "^u", NULL, NULL, 0);
  expect_refused(&bytes, NULL, "2 nodes in a cycle");
  // A back edge to another op than Merge is a cycle. It must not be the first input of a Merge.
  sli_string_clear(&bytes);
  sli_attr_entry_t type = float_type(), merge[] = {float_type(), SLI_ATTR_INT_OF("N", 2)};
  write_node(&bytes, "next", "NextIteration", "neg", NULL, &type, 1);
  write_unary(&bytes, "neg", "next");
  expect_refused(&bytes, NULL, "2 nodes in a cycle");
  sli_string_clear(&bytes);
  write_node(&bytes, "merge", "Merge", "next next", NULL, merge, 2);
  write_node(&bytes, "next", "NextIteration", "merge", NULL, &type, 1);
  expect_refused(&bytes, NULL, "the first input of a Merge must enter the loop");
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_loop_back_edges_are_connected_and_checked) {
  sli_string_t bytes = {0};
  sli_attr_entry_t type = float_type(), merge[] = {float_type(), SLI_ATTR_INT_OF("N", 2)};
  sli_attr_entry_t enter[] = {float_type(), SLI_ATTR_STRING_OF("frame_name", "f")};
  write_node(&bytes, "merge", "Merge", "enter next", NULL, merge, 2);
  write_placeholder(&bytes, "a", SLI_DTYPE_FLOAT);
  write_node(&bytes, "enter", "Enter", "a", NULL, enter, 2);
  write_node(&bytes, "next", "NextIteration", "merge", NULL, &type, 1);
  sli_graph_t *graph = sli_graph_create();
  SLI_REQUIRE_OK(sli_graph_import(graph, bytes_of(&bytes), NULL, NULL));
  sli_node_t *node = sli_graph_find(graph, sli_view("merge"));
  SLI_EXPECT_TEXT(node->inputs[0].node->def.name, "enter");
  SLI_EXPECT_TEXT(node->inputs[1].node->def.name, "next");
  SLI_EXPECT_INT(sli_graph_find(graph, sli_view("enter"))->out_edges.count, 1);
  sli_graph_release(graph);
  sli_attr_entry_t int_type = SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT32);
  sli_string_clear(&bytes);
  write_placeholder(&bytes, "a", SLI_DTYPE_FLOAT);
  write_placeholder(&bytes, "n", SLI_DTYPE_INT32);
  write_node(&bytes, "enter", "Enter", "a", NULL, enter, 2);
  write_node(&bytes, "merge", "Merge", "enter next", NULL, merge, 2);
  write_node(&bytes, "next", "NextIteration", "n ^merge", NULL, &int_type, 1);
  expect_refused(&bytes, NULL, "Input 1 of node merge was passed int32 from next:0 incompatible with expected float.");
  sli_string_deinitialize(&bytes);
}

static void write_versions(sli_string_t *out, int64_t producer, int64_t min_consumer, int64_t bad_consumer) {
  size_t versions = sli_wire_open(out, SLI_FIELD_GRAPH_DEF_VERSIONS);
  sli_wire_write_int(out, SLI_FIELD_VERSION_DEF_PRODUCER, producer);
  sli_wire_write_int(out, SLI_FIELD_VERSION_DEF_MIN_CONSUMER, min_consumer);
  if (bad_consumer) sli_wire_write_packed_int64(out, SLI_FIELD_VERSION_DEF_BAD_CONSUMERS, &bad_consumer, 1);
  sli_wire_close(out, versions);
}

SLI_TEST(test_versions_are_checked_and_the_oldest_kept) {
  sli_string_t bytes = {0};
  write_versions(&bytes, 1645, 99999, 0);
  expect_refused(&bytes, NULL, "GraphDef min consumer version 99999 above current version 1645");
  sli_string_clear(&bytes);
  write_versions(&bytes, 1645, 0, SLI_GRAPH_VERSION);
  expect_refused(&bytes, NULL, "GraphDef disallows consumer version 1645");
  sli_string_clear(&bytes);
  write_versions(&bytes, 27, 12, 0);
  sli_graph_t *graph = sli_graph_create();
  SLI_EXPECT_OK(sli_graph_import(graph, bytes_of(&bytes), NULL, NULL));
  SLI_EXPECT_INT(graph->producer, 27);
  SLI_EXPECT_INT(graph->min_consumer, 12);
  sli_graph_release(graph);
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_missing_results_are_refused) {
  sli_string_t bytes = {0};
  write_chain(&bytes);
  sli_view_t wrong[] = {sli_view("a"), sli_view("zz")}, past = sli_view("b:1");
  sli_import_options_t outputs = {.return_outputs = wrong, .return_output_count = 2};
  expect_refused(&bytes, &outputs, "Requested return tensor 'zz' not found in graph def");
  outputs = (sli_import_options_t){.return_outputs = &past, .return_output_count = 1};
  expect_refused(&bytes, &outputs, "Invalid return output 1 of node 'b', which has 1 output(s)");
  sli_import_options_t nodes = {.return_nodes = wrong, .return_node_count = 2};
  expect_refused(&bytes, &nodes, "Requested return node 'zz' not found in graph def");
  sli_string_deinitialize(&bytes);
}

static void write_everything(sli_string_t *out) {
  sli_tensor_t *value = sli_tensor_vector_int32((int32_t[]){2, 3}, 2);
  sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_INT32), SLI_ATTR_TENSOR_OF("value", value)};
  sli_attr_entry_t reshape[] = {float_type(), SLI_ATTR_TYPE_OF("Tshape", SLI_DTYPE_INT32)};
  write_chain(out);
  write_node(out, "shape", "Const", "^a", "/device:CPU:0", attrs, 2);
  write_node(out, "d", "Reshape", "c shape", NULL, reshape, 2);
  write_library(out, "f");
  write_versions(out, 27, 0, 0);
  sli_tensor_release(value);
}

// A GraphDef that is cut anywhere, or has any byte changed, is imported or refused; if refused, the graph is unchanged.
SLI_TEST(test_broken_bytes_never_harm) {
  sli_string_t bytes = {0};
  write_everything(&bytes);
  sli_graph_t *graph = sli_graph_create();
  sli_node_t *before = NULL;
  SLI_REQUIRE_OK(sli_graph_add(graph, &(sli_graph_node_t){.op = "NoOp", .name = "before"}, &before));
  size_t refused = 0;
  for (size_t cut = 0; cut < bytes.size; cut++) {
    char *copy = sli_malloc(cut ? cut : 1);  // of the exact size, so that the sanitizer finds a read past the end
    memcpy(copy, bytes.data, cut);
    sli_status_t *status = sli_graph_import(graph, sli_view_of(copy, cut), NULL, NULL);
    refused += status != NULL;
    if (!status) sli_graph_truncate(graph, 1);
    SLI_EXPECT_INT(graph->nodes.count, 1);
    sli_status_release(status);
    free(copy);
  }
  SLI_EXPECT(refused > bytes.size / 2);
  static const unsigned char masks[] = {0x01, 0x80, 0xff, 0x08};
  for (size_t i = 0; i < bytes.size * SLI_ARRAY_COUNT_OF(masks); i++) {
    char *copy = sli_memdup(bytes.data, bytes.size);
    copy[i / SLI_ARRAY_COUNT_OF(masks)] ^= (char)masks[i % SLI_ARRAY_COUNT_OF(masks)];
    sli_status_release(sli_graph_import(graph, sli_view_of(copy, bytes.size), NULL, NULL));
    sli_graph_truncate(graph, 1);
    free(copy);
  }
  SLI_EXPECT_INT(before->out_edges.count, 0);
  SLI_EXPECT_OK(sli_graph_import(graph, bytes_of(&bytes), NULL, NULL));
  sli_graph_release(graph);
  sli_string_deinitialize(&bytes);
}

SLI_TEST_MAIN(test_round_trip_of_real_graphs_keeps_everything, test_import_orders_nodes_and_keeps_control_edges,
              test_import_empty_graph_is_nothing, test_prefix_goes_before_names_and_colocation,
              test_uniquify_avoids_names_of_graph_and_graph_def, test_mappings_replace_inputs_and_report_strays,
              test_control_dependencies_hold_all_imported_nodes, test_extend_refers_to_nodes_that_are_there,
              test_default_device_is_for_nodes_without_one, test_functions_are_kept_once,
              test_wrong_nodes_are_refused_by_name, test_wrong_names_are_refused, test_cycles_are_refused,
              test_loop_back_edges_are_connected_and_checked, test_versions_are_checked_and_the_oldest_kept,
              test_missing_results_are_refused, test_broken_bytes_never_harm)
