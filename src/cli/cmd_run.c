// sluice run: one step of a graph, from the shell. Feeds and fetches are .npy
// files or literals; the graph runs here or on a cluster.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/cli.h"
#include "cli/npy.h"
#include "cli/run_values.h"
#include "io/file.h"
#include "io/path.h"
#include "proto/meta_graph.pb-c.h"
#include "proto/proto.h"
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
     .help = "feed a tensor: @FILE.npy, or a literal such as 3.5 or [[1, 2], [3, 4]]; once for each"},
    {.name = "fetch",
     .kind = SLI_OPTION_EACH,
     .value = &flags.fetches,
     .argument = "NAME[=@FILE]",
     .help = "print a tensor, or write it to FILE as .npy; once for each"},
    {.name = "run",
     .kind = SLI_OPTION_EACH,
     .value = &flags.runs,
     .argument = "NAME",
     .help = "run an operation in the step, without a result; once for each"},
    {.name = "init",
     .kind = SLI_OPTION_EACH,
     .value = &flags.inits,
     .argument = "NAME",
     .help = "run an operation in a step of its own before, in order"},
    {.name = "target",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.target,
     .argument = "TARGET",
     .help = "the cluster's master, grpc://HOST:PORT; this process if not given"},
    {.name = "trace",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.trace,
     .argument = "FILE",
     .help = "write what ran where and when, all tasks on one clock, for chrome://tracing"},
    {.name = "tags",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.tags,
     .argument = "TAGS",
     .help = "which graph of a SavedModel, separated by commas"},
    {.name = "signature",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.signature,
     .argument = "NAME",
     .help = "the signature of a SavedModel whose inputs and outputs feeds and fetches may name"},
    {.name = "timeout",
     .kind = SLI_OPTION_INT,
     .value = &flags.timeout,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1e9,
     .help = "give up connecting, or a step, after that long; 0: never"},
    {0}};

static const sli_options_t spec = {
    .program = "sluice run",
    .operands = "GRAPH",
    .summary = "Run a graph once, with feeds and fetches",
    .description =
        "GRAPH is a file with a GraphDef, or the directory of a SavedModel. A tensor is named as TensorFlow does, "
        "x:0 or x for its first output, or by an input or output of the SavedModel's signature.",
    .examples =
        "  sluice run graph.pb --feed x=@x.npy --fetch y\n"
        "  sluice run graph.pb --init init --feed 'x=[[1, 2]]' --fetch y=@y.npy --fetch loss\n"
        "  sluice run model/ --feed images=@images.npy --fetch scores=@scores.npy\n"
        "  sluice run graph.pb --target grpc://localhost:2222 --fetch y --trace step.json\n",
    .options = option_table,
};

// What is loaded. Owns all.
typedef struct {
  TF_Graph *graph;
  TF_Session *session;
  TF_Status *status;
  sli_arena_t arena;
  const Tensorflow__SignatureDef *signature;  // of a SavedModel, in |arena|; or NULL
} job_t;

// --- Loading ---

static sli_status_t *take_status(const char *what, TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return NULL;
  return sli_status_make((sli_code_t)TF_GetCode(status), "%s%s%s", what, what[0] ? ": " : "", TF_Message(status));
}

// A protocol buffers field of a number, behind |size| bytes.
static size_t put_number(char *bytes, size_t size, int field, uint64_t number) {
  bytes[size++] = (char)(field << 3);
  for (; number > 0x7f; number >>= 7) bytes[size++] = (char)(number | 0x80);
  bytes[size++] = (char)number;
  return size;
}

// ConfigProto: operation_timeout_in_ms (11).
static TF_SessionOptions *make_options(TF_Status *status) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  if (flags.target) TF_SetTarget(options, flags.target);
  char bytes[16];
  size_t size = flags.timeout ? put_number(bytes, 0, 11, (uint64_t)flags.timeout * 1000) : 0;
  TF_SetConfig(options, bytes, size, status);
  return options;
}

static void find_signature(job_t *job, const TF_Buffer *meta_graph) {
  void *message;
  sli_status_t *status = sli_proto_parse(&tensorflow__meta_graph_def__descriptor, meta_graph->data, meta_graph->length,
                                         &job->arena, &message);
  const Tensorflow__MetaGraphDef *meta = status ? NULL : message;
  sli_status_release(status);
  for (size_t i = 0; meta && i < meta->n_signature_def; i++)
    if (!strcmp(meta->signature_def[i]->key, flags.signature)) job->signature = meta->signature_def[i]->value;
}

static sli_status_t *load_saved_model(job_t *job, const char *directory) {
  SLI_ARRAY(const char *) tags = {0};
  char *copy = sli_strdup(flags.tags), *save = NULL;
  for (char *tag = strtok_r(copy, ",", &save); tag; tag = strtok_r(NULL, ",", &save)) sli_array_push(&tags, tag);
  TF_SessionOptions *options = make_options(job->status);
  TF_Buffer *meta_graph = TF_NewBuffer();
  job->session = TF_LoadSessionFromSavedModel(options, NULL, directory, tags.items, (int)tags.count, job->graph,
                                              meta_graph, job->status);
  TF_DeleteSessionOptions(options);
  sli_status_t *status = take_status(directory, job->status);
  if (!status) find_signature(job, meta_graph);
  TF_DeleteBuffer(meta_graph);
  sli_array_deinitialize(&tags);
  free(copy);
  return status;
}

static sli_status_t *load_graph_def(job_t *job, const char *path) {
  sli_string_t bytes = {0};
  SLI_RETURN_IF_ERROR(sli_file_read_whole(path, SIZE_MAX, &bytes));
  TF_Buffer *buffer = TF_NewBufferFromString(bytes.data, bytes.size);
  sli_string_deinitialize(&bytes);
  TF_ImportGraphDefOptions *import = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(job->graph, buffer, import, job->status);
  TF_DeleteImportGraphDefOptions(import);
  TF_DeleteBuffer(buffer);
  SLI_RETURN_IF_ERROR(take_status(path, job->status));
  TF_SessionOptions *options = make_options(job->status);
  job->session = TF_NewSession(job->graph, options, job->status);
  TF_DeleteSessionOptions(options);
  return take_status(flags.target ? flags.target : "", job->status);
}

static sli_status_t *load(job_t *job, const char *path) {
  job->graph = TF_NewGraph();
  job->status = TF_NewStatus();
  sli_file_info_t info;
  SLI_RETURN_IF_ERROR(sli_file_info(path, &info));
  return info.is_directory ? load_saved_model(job, path) : load_graph_def(job, path);
}

static void unload(job_t *job) {
  if (job->session) {
    TF_CloseSession(job->session, job->status);
    TF_DeleteSession(job->session, job->status);
  }
  TF_DeleteGraph(job->graph);
  TF_DeleteStatus(job->status);
  sli_arena_deinitialize(&job->arena);
}

// --- Names ---

// The tensor that the signature calls |name|; NULL if it has none.
static const char *signature_tensor(const job_t *job, sli_view_t name) {
  const Tensorflow__SignatureDef *signature = job->signature;
  for (size_t i = 0; signature && i < signature->n_inputs; i++)
    if (sli_view_is(name, signature->inputs[i]->key)) return signature->inputs[i]->value->name;
  for (size_t i = 0; signature && i < signature->n_outputs; i++)
    if (sli_view_is(name, signature->outputs[i]->key)) return signature->outputs[i]->value->name;
  return NULL;
}

static sli_status_t *find_output(const job_t *job, sli_view_t name, TF_Output *out) {
  const char *mapped = signature_tensor(job, name);
  sli_view_t full = mapped ? sli_view(mapped) : name, base = full, index_text;
  int64_t index = 0;
  const char *colon = memrchr(full.data, ':', full.size);
  if (colon) {
    base = sli_view_of(full.data, (size_t)(colon - full.data));
    index_text = sli_view_of(colon + 1, full.size - base.size - 1);
    if (!sli_view_to_int64(index_text, &index)) index = -1;
  }
  char *text = sli_strndup(base.data, base.size);
  TF_Operation *operation = TF_GraphOperationByName(job->graph, text);
  free(text);
  if (!operation)
    return sli_status_make(SLI_NOT_FOUND, "the graph has no operation '%.*s'; 'sluice inspect GRAPH' lists them",
                           SLI_VIEW_ARG(base));
  if (index < 0 || index >= TF_OperationNumOutputs(operation))
    return sli_status_make(SLI_NOT_FOUND, "'%.*s' has %d outputs; '%.*s' is none of them", SLI_VIEW_ARG(base),
                           TF_OperationNumOutputs(operation), SLI_VIEW_ARG(full));
  *out = (TF_Output){operation, (int)index};
  return NULL;
}

static sli_status_t *find_operations(const job_t *job, const sli_option_list_t *names, const TF_Operation **out) {
  for (size_t i = 0; i < names->count; i++) {
    out[i] = TF_GraphOperationByName(job->graph, names->items[i]);
    if (!out[i])
      return sli_status_make(SLI_NOT_FOUND, "the graph has no operation '%s'; 'sluice inspect GRAPH' lists them",
                             names->items[i]);
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

static sli_status_t *fill_step(const job_t *job, step_t *step) {
  for (size_t i = 0; i < flags.feeds.count; i++) {
    sli_view_t name, value;
    if (!sli_view_split(sli_view(flags.feeds.items[i]), '=', &name, &value))
      return sli_status_make(SLI_INVALID_ARGUMENT, "--feed wants NAME=VALUE, not '%s'", flags.feeds.items[i]);
    SLI_RETURN_IF_ERROR(find_output(job, name, &step->inputs[i]));
    char *name_text = sli_strndup(name.data, name.size);
    sli_status_t *status =
        sli_run_value_read(name_text, value.data, TF_OperationOutputType(step->inputs[i]), &step->values[i]);
    free(name_text);
    if (status) return status;
  }
  for (size_t i = 0; i < flags.fetches.count; i++) {
    sli_view_t name, file;
    sli_view_split(sli_view(flags.fetches.items[i]), '=', &name, &file);
    SLI_RETURN_IF_ERROR(find_output(job, name, &step->outputs[i]));
  }
  return find_operations(job, &flags.runs, step->targets);
}

// RunOptions: timeout_in_ms (2), and trace_level (1) FULL_TRACE.
static TF_Buffer *make_run_options(bool traced) {
  char bytes[32];
  size_t size = traced ? put_number(bytes, 0, 1, 3) : 0;
  if (flags.timeout) size = put_number(bytes, size, 2, (uint64_t)flags.timeout * 1000);
  return TF_NewBufferFromString(bytes, size);
}

static sli_status_t *run_inits(job_t *job) {
  const TF_Operation **operations = sli_calloc(flags.inits.count + 1, sizeof(*operations));
  sli_status_t *status = find_operations(job, &flags.inits, operations);
  TF_Buffer *options = make_run_options(false);
  for (size_t i = 0; i < flags.inits.count && !status; i++) {
    TF_SessionRun(job->session, options, NULL, NULL, 0, NULL, NULL, 0, &operations[i], 1, NULL, job->status);
    status = take_status(flags.inits.items[i], job->status);
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
    sli_run_value_append(&text, step->results[i], SHOWN_ELEMENTS);
    sli_string_append_char(&text, '\n');
  }
  fputs(sli_string_text(&text), stdout);
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *run_step(job_t *job) {
  step_t step = make_step();
  sli_status_t *status = fill_step(job, &step);
  if (!status) status = run_inits(job);
  if (!status && flags.fetches.count + flags.runs.count > 0) {
    TF_Buffer *options = make_run_options(flags.trace != NULL), *metadata = flags.trace ? TF_NewBuffer() : NULL;
    TF_SessionRun(job->session, options, step.inputs, step.values, (int)flags.feeds.count, step.outputs, step.results,
                  (int)flags.fetches.count, step.targets, (int)flags.runs.count, metadata, job->status);
    status = take_status("", job->status);
    if (!status && metadata) {
      sl_trace_write(flags.trace, metadata, flags.target, job->status);
      status = take_status("", job->status);
    }
    TF_DeleteBuffer(options);
    TF_DeleteBuffer(metadata);
  }
  if (!status) status = show_results(&step);
  release_step(&step);
  return status;
}

// What may pass by itself is worth another try.
static int exit_code_of(const sli_status_t *status) {
  sli_code_t code = sli_status_code(status);
  return code == SLI_UNAVAILABLE || code == SLI_ABORTED || code == SLI_DEADLINE_EXCEEDED ? SLI_CLI_RETRY
                                                                                         : SLI_CLI_FAILED;
}

static int run(int argc, char **argv) {
  if (argc != 2) return sli_cli_fail(SLI_CLI_USAGE, "run wants one GRAPH; see 'sluice run --help'");
  if (!flags.fetches.count && !flags.runs.count && !flags.inits.count)
    return sli_cli_fail(SLI_CLI_USAGE, "nothing to run: name something with --fetch, --run or --init");
  job_t job = {0};
  sli_status_t *status = load(&job, argv[1]);
  if (!status) status = run_step(&job);
  int code = SLI_CLI_OK;
  if (status) code = sli_cli_fail(exit_code_of(status), "%s", sli_status_message(status));
  sli_status_release(status);
  unload(&job);
  sli_option_list_deinitialize(&flags.feeds);
  sli_option_list_deinitialize(&flags.fetches);
  sli_option_list_deinitialize(&flags.runs);
  sli_option_list_deinitialize(&flags.inits);
  return code;
}

const sli_cli_command_t sli_cli_run = {.name = "run", .options = &spec, .run = run};
