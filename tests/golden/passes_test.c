// Repeats every recorded run of TensorFlow with the passes over the graph off, each pass alone, and all on. Values and
// errors must be equal; values must be identical to the bit, except where a fusion may round differently.
#include <ctype.h>

#include "base/test.h"
#include "graph/import.h"
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "runtime/plan/optimize.h"
#include "tests/golden/golden.h"

typedef struct {
  const char *name;
  bool fold, merge_equal, skip_unread, fuse;
} variant_t;

static const variant_t variants[] = {
    {"none"},  // what the others are compared with
    {"fold", .fold = true},
    {"merge_equal", .merge_equal = true},
    {"skip_unread", .skip_unread = true},
    {"fuse", .fuse = true},
    {"all", true, true, true, true},
};

// ConfigProto.graph_options with optimizer_options at L0 and rewrite_options with the named optimizers alone.
static void write_config(const variant_t *variant, sli_string_t *out) {
  size_t graph = sli_wire_open(out, SLI_FIELD_CONFIG_PROTO_GRAPH_OPTIONS);
  size_t older = sli_wire_open(out, SLI_FIELD_GRAPH_OPTIONS_OPTIMIZER_OPTIONS);
  if (variant->merge_equal) sli_wire_write_int(out, SLI_FIELD_OPTIMIZER_OPTIONS_DO_COMMON_SUBEXPRESSION_ELIMINATION, 1);
  if (variant->fold) sli_wire_write_int(out, SLI_FIELD_OPTIMIZER_OPTIONS_DO_CONSTANT_FOLDING, 1);
  sli_wire_write_int(out, SLI_FIELD_OPTIMIZER_OPTIONS_OPT_LEVEL, -1);
  sli_wire_close(out, older);
  size_t rewrite = sli_wire_open(out, SLI_FIELD_GRAPH_OPTIONS_REWRITE_OPTIONS);
  sli_wire_write_text(out, SLI_FIELD_REWRITER_CONFIG_OPTIMIZERS, "pruning");
  if (variant->skip_unread) sli_wire_write_text(out, SLI_FIELD_REWRITER_CONFIG_OPTIMIZERS, "dependency");
  if (variant->fuse) sli_wire_write_text(out, SLI_FIELD_REWRITER_CONFIG_OPTIMIZERS, "remap");
  sli_wire_close(out, rewrite);
  sli_wire_close(out, graph);
}

static sli_session_t *open_variant(const golden_case_t *c, const variant_t *variant, sli_status_t **out_status) {
  sli_string_t config = {0};
  sli_session_t *session = NULL;
  write_config(variant, &config);
  *out_status = golden_case_open(c, sli_view_of(config.data, config.size), &session);
  sli_string_deinitialize(&config);
  return session;
}

static bool is_same(const sli_tensor_t *a, const sli_tensor_t *b) {
  sli_attr_t x = {.kind = SLI_ATTR_TENSOR, .tensor = (sli_tensor_t *)a};
  sli_attr_t y = {.kind = SLI_ATTR_TENSOR, .tensor = (sli_tensor_t *)b};
  return sli_attr_equal(&x, &y);
}

// Texts that differ in nothing but numbers: those of TensorArrays count up through a process.
static bool same_text(const char *a, const char *b) {
  while (*a && *b) {
    while (isdigit((unsigned char)*a)) a++;
    while (isdigit((unsigned char)*b)) b++;
    if (*a != *b) return false;
    a += *a != 0;
    b += *b != 0;
  }
  return *a == *b;
}

static void compare_run(const char *label, int number, const golden_run_t *run, const variant_t *variant,
                        sli_status_t *plain_status, sli_tensor_t *const *plain, sli_status_t *status,
                        sli_tensor_t *const *got) {
  if (sli_status_code(status) != sli_status_code(plain_status) ||
      (!variant->fuse && !same_text(sli_status_message(status), sli_status_message(plain_status))))
    sli_test_fail(label, number, "%s: '%s', without passes '%s'", variant->name, sli_status_message(status),
                  sli_status_message(plain_status));
  for (size_t i = 0; !status && !plain_status && i < run->fetch_count; i++) {
    if (variant->fuse)
      golden_compare(label, number, run->fetch_names[i], got[i], plain[i], run->relative[i], run->absolute[i]);
    else if (!is_same(got[i], plain[i]))
      sli_test_fail(label, number, "%s: %s has other bits than without passes", variant->name, run->fetch_names[i]);
  }
}

static void check_case(const golden_case_t *c) {
  sli_session_t *sessions[SLI_ARRAY_COUNT_OF(variants)] = {0};
  sli_status_t *status = NULL;
  for (size_t v = 0; v < SLI_ARRAY_COUNT_OF(variants) && !status; v++)
    sessions[v] = open_variant(c, &variants[v], &status);
  for (size_t k = 0; !status && k < c->runs.count; k++) {
    const golden_run_t *run = c->runs.items[k];
    sli_tensor_t *got[SLI_ARRAY_COUNT_OF(variants)][GOLDEN_MAX_ITEMS] = {{0}};
    sli_status_t *ended[SLI_ARRAY_COUNT_OF(variants)];
    for (size_t v = 0; v < SLI_ARRAY_COUNT_OF(variants); v++) {
      ended[v] = golden_run(sessions[v], run, got[v]);
      if (v) compare_run(c->label, (int)k, run, &variants[v], ended[0], got[0], ended[v], got[v]);
    }
    for (size_t v = 0; v < SLI_ARRAY_COUNT_OF(variants); v++) {
      sli_status_release(ended[v]);
      for (size_t i = 0; i < run->fetch_count; i++) sli_tensor_release(got[v][i]);
    }
  }
  if (status && !golden_is_pending(c->label)) sli_test_fail(c->label, 0, "%s", sli_status_message(status));
  sli_status_release(status);
  for (size_t v = 0; v < SLI_ARRAY_COUNT_OF(variants); v++) golden_session_close(sessions[v]);
}

static void check_group(const char *group) {
  golden_names_t names;
  golden_list_cases(group, &names);
  SLI_EXPECT(names.names.count > 0);
  for (size_t i = 0; i < names.names.count; i++) {
    golden_case_t c;
    sli_status_t *status = golden_case_load(group, names.names.items[i], &c);
    if (status)
      sli_test_fail(c.label, 0, "%s", sli_status_message(status));
    else
      check_case(&c);
    sli_status_release(status);
    golden_case_deinitialize(&c);
  }
  golden_names_deinitialize(&names);
}

// Graphs of whole programs, without runs: all placeholders fed, all that nobody consumes run. What comes out must
// be a graph again, with every node that has a side effect.
static size_t count_stateful(const sli_graph_t *graph) {
  size_t count = 0;
  for (size_t i = 0; i < graph->nodes.count; i++) count += graph->nodes.items[i]->def.op->def->is_stateful;
  return count;
}

static void optimize_whole(sli_graph_t *graph, sli_device_t *device) {
  sli_pass_pruned_t pruned = {.graph = sli_graph_retain(graph)};
  size_t count = graph->nodes.count;
  pruned.feeds = sli_calloc(count, sizeof(*pruned.feeds));
  pruned.targets = sli_calloc(count, sizeof(*pruned.targets));
  for (size_t i = 0; i < count; i++) {
    sli_node_t *node = graph->nodes.items[i];
    node->assigned_device = node->def.device;
    if (sli_graph_node_is(node, "Placeholder")) pruned.feeds[pruned.feed_count++] = (sli_output_t){node, 0};
    if (!node->out_edges.count) pruned.targets[pruned.target_count++] = node;
  }
  sli_optimize_options_t options = sli_optimize_options(NULL);
  sli_optimize(&pruned, &options, device);
  sli_pass_pruned_deinitialize(&pruned);
}

static void check_graph(const char *name, sli_device_t *device, size_t *before, size_t *after) {
  char *path = sli_format("%s/graphs/%s", sli_test_golden_dir(), name);
  sli_string_t bytes = {0};
  sli_graph_t *graph = sli_graph_create(), *again = sli_graph_create();
  SLI_EXPECT(golden_read(path, &bytes));
  sli_status_t *status = sli_graph_import(graph, sli_view_of(bytes.data, bytes.size), NULL, NULL);
  if (!status) {
    size_t stateful = count_stateful(graph);
    *before += graph->nodes.count;
    optimize_whole(graph, device);
    *after += graph->nodes.count;
    SLI_EXPECT_INT(count_stateful(graph), stateful);
    sli_string_clear(&bytes);
    sli_graph_export(graph, &bytes);
    status = sli_graph_import(again, sli_view_of(bytes.data, bytes.size), NULL, NULL);
    if (status) sli_test_fail(name, 0, "%s", sli_status_message(status));
  }
  sli_status_release(status);  // an op that is not there yet
  sli_graph_release(graph);
  sli_graph_release(again);
  sli_string_deinitialize(&bytes);
  free(path);
}

SLI_TEST(test_passes_keep_whole_programs) {
  char *directory = sli_format("%s/graphs", sli_test_golden_dir());
  sli_device_t *device = sli_device_create_cpu("/device:CPU:0", NULL, NULL);
  golden_names_t names;
  size_t before = 0, after = 0;
  golden_list(directory, ".pb", &names);
  for (size_t i = 0; i < names.names.count; i++) check_graph(names.names.items[i], device, &before, &after);
  SLI_EXPECT(before > 1000 && after < before);
  printf("%zu nodes became %zu\n", before, after);
  golden_names_deinitialize(&names);
  sli_device_destroy(device);
  free(directory);
}

SLI_TEST(test_passes_change_no_case) { check_group("cases"); }
SLI_TEST(test_passes_change_no_optimizer) { check_group("optimizers"); }

SLI_TEST(test_passes_change_no_loop) { check_group("loop_gradients"); }

SLI_TEST_MAIN(test_passes_change_no_case, test_passes_change_no_optimizer, test_passes_change_no_loop,
              test_passes_keep_whole_programs)
