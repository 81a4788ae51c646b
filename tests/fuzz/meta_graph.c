// MetaGraphs and SavedModels. The first byte selects who reads: the parsers of the messages, the import of a MetaGraph
// file, the loader of a SavedModel, or `sluice inspect`.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/inspect/inspect.h"
#include "io/checkpoint/meta_graph.h"
#include "io/file/path.h"
#include "proto/proto.h"
#include "sluice/saver.h"
#include "tests/fuzz/fuzz.h"

static void keep_device(void *context, const char *op, const char *name, const char *device, char *out_device,
                        size_t size) {
  snprintf(out_device, size, "%s", device);
}

static void read_messages(const uint8_t *data, size_t size) {
  sli_view_t bytes = sli_view_of((const char *)data, size);
  sli_arena_t arena = {.budget = sli_proto_budget(size)};
  sli_variable_def_t variable;
  sli_queue_runner_def_t runner;
  sli_meta_graph_t graph;
  sli_string_t out = {0};
  sli_status_t *status = sli_variable_def_parse(bytes, &arena, &variable);
  if (!status) sli_variable_def_append(&variable, &out);
  fuzz_ignore(status);
  sli_string_clear(&out);
  status = sli_queue_runner_def_parse(bytes, &arena, &runner);
  if (!status) sli_queue_runner_def_append(&runner, &out);
  fuzz_ignore(status);
  sli_string_clear(&out);
  status = sli_meta_graph_parse(bytes, &arena, &graph);
  if (!status) {
    fuzz_ignore(sli_meta_graph_append(&graph, sli_view_of("", 0), &out));
    sli_string_clear(&out);
    status = sli_meta_graph_place(graph.graph_def, keep_device, NULL, "again/", &out);
  }
  fuzz_ignore(status);
  sli_string_deinitialize(&out);
  sli_arena_deinitialize(&arena);
}

static void import(const uint8_t *data, size_t size) {
  sl_scope_t *scope = sl_graph_scope();
  sl_import_meta_graph(scope, fuzz_file("a.meta", data, size), .clear_devices = true);
  TF_Status *status = TF_NewStatus();
  if (sl_scope_code(scope) == TF_OK) sl_export_meta_graph(scope, fuzz_file("b.meta", data, 0), status);
  TF_DeleteStatus(status);
  sl_scope_release(scope);
}

static void load(const uint8_t *data, size_t size) {
  static const char *const tags[] = {"serve"};
  char *directory = sli_path_directory(fuzz_file("saved_model.pb", data, size));
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  // A mutated initialisation may wait for ever: RunOptions.timeout_in_ms.
  TF_Buffer *run_options = TF_NewBufferFromString("\x10\x64", 2);
  TF_Session *session = TF_LoadSessionFromSavedModel(options, run_options, directory, tags, 1, graph, NULL, status);
  SLI_CHECK((session != NULL) == (TF_GetCode(status) == TF_OK));
  if (session) TF_DeleteSession(session, status);
  TF_DeleteBuffer(run_options);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  TF_DeleteSessionOptions(options);
  free(directory);
}

static void inspect(const uint8_t *data, size_t size) {
  sli_inspect_options_t options = {.all = true};
  sli_inspect_subject_t subject = {0};
  json_t *report = json_object();
  sli_status_t *status = sli_inspect_find(fuzz_file("c.pb", data, size), &subject);
  if (!status && subject.kind == SLI_INSPECT_GRAPH) {
    status = sli_inspect_graph(&subject, &options, report);
    char *text = status ? NULL : json_dumps(report, JSON_COMPACT);
    SLI_CHECK(status || text);
    free(text);
  }
  fuzz_ignore(status);
  json_decref(report);
  sli_inspect_subject_deinitialize(&subject);
}

void fuzz_one(const uint8_t *data, size_t size) {
  static void (*const readers[])(const uint8_t *, size_t) = {read_messages, import, load, inspect};
  if (size > 0) readers[data[0] % 4](data + 1, size - 1);
}
