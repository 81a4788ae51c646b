// sluice run: runs one step of a graph. Feeds are .npy files or JSON; fetches are printed or written to .npy files. The
// graph runs in this process or on a cluster.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/common/cli.h"
#include "cli/common/tensor_text.h"
#include "cli/run/feed_value.h"
#include "cli/run/npy.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "proto/config.fields.h"
#include "proto/config.pb-c.h"
#include "proto/meta_graph.pb-c.h"
#include "proto/proto.h"
#include "proto/wire.h"
#include "sluice/trace.h"
#include "tensorflow/c/c_api.h"

enum { SHOWN_ELEMENTS = 1000 };

static struct {
  sli_option_list_t feeds, fetches, runs, inits;
  const char *target, *trace, *tags, *signature;
  int64_t timeout;
} flags = {.tags = "serve", .signature = "serving_default", .timeout = 600};

static const sli_option_t option_table[] = {
    {.name = "feed",
     .kind = SLI_OPTION_EACH,
     .value = &flags.feeds,
     .argument = "NAME=VALUE",
     .help = "feed a tensor: @FILE.npy, or JSON such as 3.5 or [[1, 2], [3, 4]]; may be repeated"},
    {.name = "fetch",
     .kind = SLI_OPTION_EACH,
     .value = &flags.fetches,
     .argument = "NAME[=@FILE]",
     .help = "print a tensor, or write it to FILE as .npy; may be repeated"},
    {.name = "run",
     .kind = SLI_OPTION_EACH,
     .value = &flags.runs,
     .argument = "NAME",
     .help = "run an operation in the step without fetching it; may be repeated"},
    {.name = "init",
     .kind = SLI_OPTION_EACH,
     .value = &flags.inits,
     .argument = "NAME",
     .help = "run an operation in a separate step first; may be repeated, runs in order"},
    {.name = "target",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.target,
     .argument = "TARGET",
     .help = "run on the cluster of this master, grpc://HOST:PORT; default: in this process"},
    {.name = "trace",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.trace,
     .argument = "FILE",
     .help = "write when each node ran on which task, with aligned clocks, for chrome://tracing"},
    {.name = "tags",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.tags,
     .argument = "TAGS",
     .help = "the tags of the graph in a SavedModel, separated by commas"},
    {.name = "signature",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.signature,
     .argument = "NAME",
     .help = "the signature of a SavedModel; --feed and --fetch may name its inputs and outputs"},
    {.name = "timeout",
     .kind = SLI_OPTION_INT,
     .value = &flags.timeout,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "time limit for connecting and for each step; 0: none"},
    SLI_CLI_TLS_OPTIONS,
    {0}};

static const sli_options_t spec = {
    .program = "sluice run",
    .operands = "GRAPH",
    .summary = "Run a graph once, with feeds and fetches",
    .description =
        "GRAPH is a file with a GraphDef, or the directory of a SavedModel. NAME is a tensor such as x:0 (x means "
        "x:0), "
        "or an input or output of the SavedModel's signature.",
    .examples =
        "  sluice run graph.pb --feed x=@x.npy --fetch y\n"
        "  sluice run graph.pb --init init --feed 'x=[[1, 2]]' --fetch y=@y.npy --fetch loss\n"
        "  sluice run model/ --feed images=@images.npy --fetch scores=@scores.npy\n"
        "  sluice run graph.pb --target grpc://localhost:2222 --fetch y --trace step.json\n",
    .options = option_table,
};

// The loaded graph and its session. Owns all members.
typedef struct {
  TF_Graph *graph;
  TF_Session *session;
  TF_Status *status;
  sli_arena_t arena;
  const Tensorflow__SignatureDef *signature;  // of a SavedModel, in |arena|; or NULL
} loaded_t;

// --- Loading ---

static sli_status_t *take_status(const char *what, TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return NULL;
  return sli_status_make((sli_code_t)TF_GetCode(status), "%s%s%s", what, what[0] ? ": " : "", TF_Message(status));
}

// The ConfigProto holds only --timeout.
static TF_SessionOptions *make_options(TF_Status *status) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  if (flags.target) TF_SetTarget(options, flags.target);
  sli_string_t config = {0};
  sli_wire_write_nonzero(&config, SLI_FIELD_CONFIG_PROTO_OPERATION_TIMEOUT_IN_MS, (int64_t)flags.timeout * 1000);
  TF_SetConfig(options, sli_string_text(&config), config.size, status);
  sli_string_deinitialize(&config);
  return options;
}

static void find_signature(loaded_t *loaded, const TF_Buffer *meta_graph) {
  void *message;
  sli_status_t *status = sli_proto_parse(&tensorflow__meta_graph_def__descriptor, meta_graph->data, meta_graph->length,
                                         &loaded->arena, &message);
  const Tensorflow__MetaGraphDef *meta = status ? NULL : message;
  sli_status_release(status);
  for (size_t i = 0; meta && i < meta->n_signature_def; i++)
    if (!strcmp(meta->signature_def[i]->key, flags.signature)) loaded->signature = meta->signature_def[i]->value;
}

static sli_status_t *load_saved_model(loaded_t *loaded, const char *directory) {
  SLI_ARRAY(const char *) tags = {0};
  char *copy = sli_strdup(flags.tags), *save = NULL;
  for (char *tag = strtok_r(copy, ",", &save); tag; tag = strtok_r(NULL, ",", &save)) sli_array_push(&tags, tag);
  TF_SessionOptions *options = make_options(loaded->status);
  TF_Buffer *meta_graph = TF_NewBuffer();
  loaded->session = TF_LoadSessionFromSavedModel(options, NULL, directory, tags.items, (int)tags.count, loaded->graph,
                                                 meta_graph, loaded->status);
  TF_DeleteSessionOptions(options);
  sli_status_t *status = take_status(directory, loaded->status);
  if (!status) find_signature(loaded, meta_graph);
  TF_DeleteBuffer(meta_graph);
  sli_array_deinitialize(&tags);
  free(copy);
  return status;
}

static sli_status_t *load_graph_def(loaded_t *loaded, const char *path) {
  sli_string_t bytes = {0};
  SLI_RETURN_IF_ERROR(sli_file_read_whole(path, SIZE_MAX, &bytes));
  TF_Buffer *buffer = TF_NewBufferFromString(bytes.data, bytes.size);
  sli_string_deinitialize(&bytes);
  TF_ImportGraphDefOptions *import = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(loaded->graph, buffer, import, loaded->status);
  TF_DeleteImportGraphDefOptions(import);
  TF_DeleteBuffer(buffer);
  SLI_RETURN_IF_ERROR(take_status(path, loaded->status));
  TF_SessionOptions *options = make_options(loaded->status);
  loaded->session = TF_NewSession(loaded->graph, options, loaded->status);
  TF_DeleteSessionOptions(options);
  return take_status(flags.target ? flags.target : "", loaded->status);
}

static sli_status_t *load(loaded_t *loaded, const char *path) {
  loaded->graph = TF_NewGraph();
  loaded->status = TF_NewStatus();
  sli_file_info_t info;
  SLI_RETURN_IF_ERROR(sli_file_info(path, &info));
  return info.is_directory ? load_saved_model(loaded, path) : load_graph_def(loaded, path);
}

static void unload(loaded_t *loaded) {
  if (loaded->session) {
    TF_CloseSession(loaded->session, loaded->status);
    TF_DeleteSession(loaded->session, loaded->status);
  }
  TF_DeleteGraph(loaded->graph);
  TF_DeleteStatus(loaded->status);
  sli_arena_deinitialize(&loaded->arena);
}

// --- Names ---

// The name of the tensor for the input or output |name| of the signature; NULL if there is none.
static const char *signature_tensor(const loaded_t *loaded, sli_view_t name) {
  const Tensorflow__SignatureDef *signature = loaded->signature;
  for (size_t i = 0; signature && i < signature->n_inputs; i++)
    if (sli_view_is(name, signature->inputs[i]->key)) return signature->inputs[i]->value->name;
  for (size_t i = 0; signature && i < signature->n_outputs; i++)
    if (sli_view_is(name, signature->outputs[i]->key)) return signature->outputs[i]->value->name;
  return NULL;
}

// The names that --feed and --fetch accept, or only those of operations.
typedef SLI_ARRAY(const char *) names_t;

static void list_names(const loaded_t *loaded, bool operations_only, names_t *names) {
  const Tensorflow__SignatureDef *signature = operations_only ? NULL : loaded->signature;
  for (size_t i = 0; signature && i < signature->n_inputs; i++) sli_array_push(names, signature->inputs[i]->key);
  for (size_t i = 0; signature && i < signature->n_outputs; i++) sli_array_push(names, signature->outputs[i]->key);
  size_t position = 0;
  for (TF_Operation *op; (op = TF_GraphNextOperation(loaded->graph, &position));)
    sli_array_push(names, TF_OperationName(op));
}

// The status for the name |name|, which the option |option| gave and the graph does not have.
static sli_status_t *no_operation(const loaded_t *loaded, const char *option, const char *name, bool operations_only) {
  names_t names = {0};
  list_names(loaded, operations_only, &names);
  const char *nearest = sli_options_nearest(name, names.items, names.count);
  sli_array_deinitialize(&names);
  return sli_status_make(SLI_NOT_FOUND,
                         "--%s: the graph has no operation '%s'; %s%s%s'sluice inspect GRAPH' lists them", option, name,
                         nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "");
}

static sli_status_t *find_output(const loaded_t *loaded, const char *option, sli_view_t name, TF_Output *out) {
  const char *mapped = signature_tensor(loaded, name);
  sli_view_t full = mapped ? sli_view(mapped) : name, base = full, index_text;
  int64_t index = 0;
  const char *colon = memrchr(full.data, ':', full.size);
  if (colon) {
    base = sli_view_of(full.data, (size_t)(colon - full.data));
    index_text = sli_view_of(colon + 1, full.size - base.size - 1);
    if (!sli_view_to_int64(index_text, &index)) index = -1;
  }
  char *text = sli_strndup(base.data, base.size);
  TF_Operation *operation = TF_GraphOperationByName(loaded->graph, text);
  sli_status_t *status = operation ? NULL : no_operation(loaded, option, text, false);
  free(text);
  if (status) return status;
  if (index < 0 || index >= TF_OperationNumOutputs(operation))
    return sli_status_make(SLI_NOT_FOUND, "'%.*s' has %d outputs; '%.*s' is not one of them", SLI_VIEW_ARG(base),
                           TF_OperationNumOutputs(operation), SLI_VIEW_ARG(full));
  *out = (TF_Output){operation, (int)index};
  return NULL;
}

static sli_status_t *find_operations(const loaded_t *loaded, const char *option, const sli_option_list_t *names,
                                     const TF_Operation **out) {
  for (size_t i = 0; i < names->count; i++) {
    out[i] = TF_GraphOperationByName(loaded->graph, names->items[i]);
    if (!out[i]) return no_operation(loaded, option, names->items[i], true);
  }
  return NULL;
}

// --- The step ---

typedef struct {
  TF_Output *inputs, *outputs;
  TF_Tensor **values, **results;
  const TF_Operation **targets;
} step_t;

static step_t make_step(void) {
  return (step_t){.inputs = sli_calloc(flags.feeds.count + 1, sizeof(TF_Output)),
                  .outputs = sli_calloc(flags.fetches.count + 1, sizeof(TF_Output)),
                  .values = sli_calloc(flags.feeds.count + 1, sizeof(TF_Tensor *)),
                  .results = sli_calloc(flags.fetches.count + 1, sizeof(TF_Tensor *)),
                  .targets = sli_calloc(flags.runs.count + 1, sizeof(TF_Operation *))};
}

static void release_step(step_t *step) {
  for (size_t i = 0; i < flags.feeds.count; i++) TF_DeleteTensor(step->values[i]);
  for (size_t i = 0; i < flags.fetches.count; i++) TF_DeleteTensor(step->results[i]);
  free(step->inputs);
  free(step->outputs);
  free(step->values);
  free(step->results);
  free(step->targets);
}

static sli_status_t *fill_step(const loaded_t *loaded, step_t *step) {
  for (size_t i = 0; i < flags.feeds.count; i++) {
    sli_view_t name, value;
    if (!sli_view_split(sli_view(flags.feeds.items[i]), '=', &name, &value))
      return sli_status_make(SLI_INVALID_ARGUMENT, "--feed must be NAME=VALUE, got '%s'", flags.feeds.items[i]);
    SLI_RETURN_IF_ERROR(find_output(loaded, "feed", name, &step->inputs[i]));
    char *name_text = sli_strndup(name.data, name.size);
    sli_status_t *status =
        sli_feed_value_read(name_text, value.data, TF_OperationOutputType(step->inputs[i]), &step->values[i]);
    free(name_text);
    if (status) return status;
  }
  for (size_t i = 0; i < flags.fetches.count; i++) {
    sli_view_t name, file;
    sli_view_split(sli_view(flags.fetches.items[i]), '=', &name, &file);
    SLI_RETURN_IF_ERROR(find_output(loaded, "fetch", name, &step->outputs[i]));
  }
  return find_operations(loaded, "run", &flags.runs, step->targets);
}

static TF_Buffer *make_run_options(bool traced) {
  sli_string_t bytes = {0};
  if (traced)
    sli_wire_write_int(&bytes, SLI_FIELD_RUN_OPTIONS_TRACE_LEVEL, TENSORFLOW__RUN_OPTIONS__TRACE_LEVEL__FULL_TRACE);
  sli_wire_write_nonzero(&bytes, SLI_FIELD_RUN_OPTIONS_TIMEOUT_IN_MS, (int64_t)flags.timeout * 1000);
  TF_Buffer *options = TF_NewBufferFromString(sli_string_text(&bytes), bytes.size);
  sli_string_deinitialize(&bytes);
  return options;
}

static sli_status_t *run_inits(loaded_t *loaded) {
  const TF_Operation **operations = sli_calloc(flags.inits.count + 1, sizeof(*operations));
  sli_status_t *status = find_operations(loaded, "init", &flags.inits, operations);
  TF_Buffer *options = make_run_options(false);
  for (size_t i = 0; i < flags.inits.count && !status; i++) {
    TF_SessionRun(loaded->session, options, NULL, NULL, 0, NULL, NULL, 0, &operations[i], 1, NULL, loaded->status);
    status = take_status(flags.inits.items[i], loaded->status);
  }
  TF_DeleteBuffer(options);
  free(operations);
  return status;
}

static sli_status_t *show_results(const step_t *step) {
  sli_string_t text = {0};
  sli_status_t *status = NULL;
  for (size_t i = 0; i < flags.fetches.count && !status; i++) {
    sli_view_t name, file;
    if (sli_view_split(sli_view(flags.fetches.items[i]), '=', &name, &file)) {
      status = sli_npy_write(file.data + (file.size && file.data[0] == '@'), step->results[i]);
      continue;
    }
    if (flags.fetches.count > 1) sli_string_append_format(&text, "%.*s = ", SLI_VIEW_ARG(name));
    sli_tensor_text_append_tensor(&text, step->results[i], SHOWN_ELEMENTS);
    sli_string_append_char(&text, '\n');
  }
  fputs(sli_string_text(&text), stdout);
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *run_step(loaded_t *loaded) {
  step_t step = make_step();
  sli_status_t *status = fill_step(loaded, &step);
  if (!status) status = run_inits(loaded);
  if (!status && flags.fetches.count + flags.runs.count > 0) {
    TF_Buffer *options = make_run_options(flags.trace != NULL), *metadata = flags.trace ? TF_NewBuffer() : NULL;
    TF_SessionRun(loaded->session, options, step.inputs, step.values, (int)flags.feeds.count, step.outputs,
                  step.results, (int)flags.fetches.count, step.targets, (int)flags.runs.count, metadata,
                  loaded->status);
    status = take_status("", loaded->status);
    if (!status && metadata) {
      sl_trace_write(flags.trace, metadata, flags.target, loaded->status);
      status = take_status("", loaded->status);
    }
    TF_DeleteBuffer(options);
    TF_DeleteBuffer(metadata);
  }
  if (!status) status = show_results(&step);
  release_step(&step);
  return status;
}

// Errors that may pass, of the network or of another task, are worth a retry.
static int exit_code_of(const sli_status_t *status) {
  sli_code_t code = sli_status_code(status);
  return code == SLI_UNAVAILABLE || code == SLI_ABORTED || code == SLI_DEADLINE_EXCEEDED ? SLI_CLI_RETRY
                                                                                         : SLI_CLI_FAILED;
}

static int run(int argc, char **argv) {
  if (argc != 2) return sli_cli_fail(SLI_CLI_USAGE, "run needs exactly one GRAPH; see 'sluice run --help'");
  if (!flags.fetches.count && !flags.runs.count && !flags.inits.count)
    return sli_cli_fail(SLI_CLI_USAGE, "nothing to run: use --fetch, --run or --init");
  loaded_t loaded = {0};
  sli_status_t *status = load(&loaded, argv[1]);
  if (!status) status = run_step(&loaded);
  int code = SLI_CLI_OK;
  if (status) code = sli_cli_fail(exit_code_of(status), "%s", sli_status_message(status));
  sli_status_release(status);
  unload(&loaded);
  sli_option_list_deinitialize(&flags.feeds);
  sli_option_list_deinitialize(&flags.fetches);
  sli_option_list_deinitialize(&flags.runs);
  sli_option_list_deinitialize(&flags.inits);
  return code;
}

const sli_cli_command_t sli_cli_run = {.name = "run", .options = &spec, .run = run};
