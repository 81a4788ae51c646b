// Imports every recorded graph of TensorFlow. The type and inferred shape of every output must equal those of
// TensorFlow's shape functions.
#include "base/test.h"
#include "graph/import.h"
#include "tests/golden/golden.h"

static int compared, graphs_done, graphs_pending;

static const char *numpy_name(sli_dtype_t dtype) {
  switch (sli_dtype_base(dtype)) {
    case SLI_DTYPE_FLOAT: return sli_dtype_is_ref(dtype) ? "float32_ref" : "float32";
    case SLI_DTYPE_DOUBLE: return sli_dtype_is_ref(dtype) ? "float64_ref" : "float64";
    case SLI_DTYPE_HALF: return sli_dtype_is_ref(dtype) ? "float16_ref" : "float16";
    default: return sli_dtype_name(dtype);
  }
}

// The file's way: "[2,?]", "?" for an unknown rank.
static void append_shape(sli_string_t *text, sli_shape_t shape) {
  if (shape.rank < 0)
    sli_string_append_char(text, '?');
  else
    sli_shape_append(text, shape);
}

static int compare_line(const char *file, sli_graph_t *graph, sli_view_t line) {
  sli_view_t name, rest, type, shape;
  if (!sli_view_split(line, ' ', &name, &rest)) return 0;
  sli_view_split(rest, ' ', &type, &shape);
  sli_output_t output;
  sli_status_t *status = sli_graph_find_output(graph, name, &output);
  if (status) {
    sli_test_fail(file, 0, "%s", sli_status_message(status));
    sli_status_release(status);
    return 1;
  }
  sli_string_t got = {0};
  sli_string_append_format(&got, "%s ", numpy_name(sli_graph_output_dtype(output)));
  append_shape(&got, sli_graph_output_shape(output));
  bool equal = sli_view_equal(sli_view_of(got.data, got.size), sli_view_trim(rest));
  if (!equal)
    sli_test_fail(file, 0, "%.*s (%s): have %s, want %.*s", SLI_VIEW_ARG(name), output.node->def.op->def->name,
                  got.data, SLI_VIEW_ARG(rest));
  sli_string_deinitialize(&got);
  compared++;
  return !equal;
}

static void check_graph(const char *directory, const char *pb, const char *shapes, const char *label) {
  sli_string_t graph_def = {0}, text = {0};
  char *pb_path = sli_format("%s/%s", directory, pb), *shapes_path = sli_format("%s/%s", directory, shapes);
  bool read = golden_read(pb_path, &graph_def) && golden_read(shapes_path, &text);
  sli_graph_t *graph = sli_graph_create();
  sli_status_t *status = read ? sli_graph_import(graph, sli_view_of(graph_def.data, graph_def.size), NULL, NULL)
                              : sli_status_make(SLI_DATA_LOSS, "cannot read %s", pb_path);
  bool pending = golden_is_pending(label);
  int failures = 0;
  for (sli_view_t rest = sli_view_of(text.data, text.size), line; !status && rest.size;) {
    sli_view_split(rest, '\n', &line, &rest);
    failures += compare_line(label, graph, line);
  }
  if (status && (!pending || sli_status_code(status) != SLI_NOT_FOUND))
    sli_test_fail(label, 0, "%s", sli_status_message(status));
  if (!status && pending) sli_test_fail(label, 0, "passes now: take it out of tests/golden/pending.txt");
  graphs_pending += status != NULL;
  graphs_done += !status && !failures;
  sli_status_release(status);
  sli_graph_release(graph);
  sli_string_deinitialize(&graph_def);
  sli_string_deinitialize(&text);
  free(pb_path);
  free(shapes_path);
}

SLI_TEST(test_inferred_shapes_equal_tensorflow) {
  static const char *const groups[] = {"cases", "optimizers"};
  for (size_t g = 0; g < SLI_ARRAY_COUNT_OF(groups); g++) {
    char *directory = sli_format("%s/%s", sli_test_golden_dir(), groups[g]);
    golden_names_t names;
    golden_list(directory, "", &names);
    for (size_t i = 0; i < names.names.count; i++) {
      char *inner = sli_format("%s/%s", directory, names.names.items[i]);
      char *label = sli_format("%s/%s", groups[g], names.names.items[i]);
      if (!strchr(names.names.items[i], '.')) check_graph(inner, "graph.pb", "graph.shapes.txt", label);
      free(inner);
      free(label);
    }
    golden_names_deinitialize(&names);
    free(directory);
  }
  char *directory = sli_format("%s/graphs", sli_test_golden_dir());
  golden_names_t names;
  golden_list(directory, ".pb", &names);
  for (size_t i = 0; i < names.names.count; i++) {
    char *stem = sli_strndup(names.names.items[i], strlen(names.names.items[i]) - 3);
    char *shapes = sli_format("%s.shapes.txt", stem), *label = sli_format("graphs/%s", stem);
    check_graph(directory, names.names.items[i], shapes, label);
    free(stem);
    free(shapes);
    free(label);
  }
  golden_names_deinitialize(&names);
  free(directory);
  printf("%d outputs compared in %d graphs; %d graphs wait for ops\n", compared, graphs_done, graphs_pending);
  SLI_EXPECT(compared > 0);
}

SLI_TEST_MAIN(test_inferred_shapes_equal_tensorflow)
