// sluice inspect: shows what is in a file of any kind that TensorFlow writes.
#include "cli/inspect/inspect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/report.h"

static sli_inspect_options_t options;

static const sli_option_t option_table[] = {
    {.name = "values",
     .kind = SLI_OPTION_TEXT,
     .value = &options.values,
     .argument = "NAME",
     .help = "print this tensor of a checkpoint"},
    {.name = "verify",
     .kind = SLI_OPTION_BOOL,
     .value = &options.verify,
     .help = "check every byte of a checkpoint, TFRecord file or event file; exit code 1 if it is damaged"},
    {.name = "plot",
     .kind = SLI_OPTION_TEXT,
     .value = &options.plot,
     .argument = "TAG",
     .help = "draw this scalar of an event file"},
    {.name = "limit",
     .kind = SLI_OPTION_INT,
     .value = &options.limit,
     .argument = "N",
     .minimum = 0,
     .maximum = 1e15,
     .help = "show at most N rows of a list, N Examples, N values; 0: the defaults, 20 ops, 3 Examples, 1000 values"},
    {.name = "all", .kind = SLI_OPTION_BOOL, .value = &options.all, .help = "show everything, without a limit"},
    {.name = "json", .kind = SLI_OPTION_BOOL, .value = &options.json, .help = "print one JSON object instead of text"},
    {0}};

static const sli_options_t spec = {
    .program = "sluice inspect",
    .operands = "PATH",
    .summary = "Show what is in a checkpoint, event file, TFRecord file or graph",
    .description =
        "PATH is a checkpoint (its prefix, one of its files, or a directory with a 'checkpoint' file), an "
        "event file, a TFRecord file (plain, GZIP or ZLIB), a GraphDef, a MetaGraphDef, or a SavedModel "
        "(the directory or saved_model.pb). The command finds out which.",
    .examples =
        "  sluice inspect model.ckpt-1000 --values global_step\n"
        "  sluice inspect logs/ --verify\n"
        "  sluice inspect logs/events.out.tfevents.1700000000.host --plot loss\n"
        "  sluice inspect train.tfrecord --limit 1 --json\n"
        "  sluice inspect graph.pb\n",
    .options = option_table,
};

static const struct {
  const char *name;
  sli_status_t *(*collect)(const sli_inspect_subject_t *, const sli_inspect_options_t *, json_t *);
  void (*print)(const json_t *, const sli_inspect_options_t *);
  bool has_values, has_checksums, has_plots;
} kinds[] = {
    [SLI_INSPECT_CHECKPOINT] = {.name = "a checkpoint",
                                .collect = sli_inspect_checkpoint,
                                .print = sli_inspect_checkpoint_print,
                                .has_values = true,
                                .has_checksums = true},
    [SLI_INSPECT_EVENTS] = {.name = "an event file",
                            .collect = sli_inspect_events,
                            .print = sli_inspect_events_print,
                            .has_checksums = true,
                            .has_plots = true},
    [SLI_INSPECT_RECORDS] = {.name = "a TFRecord file",
                             .collect = sli_inspect_records,
                             .print = sli_inspect_records_print,
                             .has_checksums = true},
    [SLI_INSPECT_GRAPH] = {.name = "a graph", .collect = sli_inspect_graph, .print = sli_inspect_graph_print},
};

static int check_options(const sli_inspect_subject_t *subject) {
  const char *format = "--%s is for %s, but '%s' is %s", *name = kinds[subject->kind].name;
  if (options.values && !kinds[subject->kind].has_values)
    return sli_cli_fail(SLI_CLI_USAGE, format, "values", "checkpoints", subject->path, name);
  if (options.plot && !kinds[subject->kind].has_plots)
    return sli_cli_fail(SLI_CLI_USAGE, format, "plot", "event files", subject->path, name);
  if (options.verify && !kinds[subject->kind].has_checksums)
    return sli_cli_fail(SLI_CLI_USAGE, format, "verify", "files with checksums", subject->path, name);
  return SLI_CLI_OK;
}

// Fails with |message|, escaped, since it may contain names from a file.
static int fail(const char *message) {
  sli_string_t line = {0};
  sli_report_append_plain(&line, message);
  sli_cli_fail(SLI_CLI_FAILED, "%s", sli_string_text(&line));
  sli_string_deinitialize(&line);
  return SLI_CLI_FAILED;
}

static int show(const sli_inspect_subject_t *subject, const json_t *report) {
  if (options.json) {
    json_dumpf(report, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    putchar('\n');
  } else {
    kinds[subject->kind].print(report, &options);
  }
  if (fflush(stdout) != 0 || ferror(stdout))
    return sli_cli_fail(SLI_CLI_FAILED, "cannot write to stdout: %s", strerror(errno));
  const char *problem = json_string_value(json_object_get(report, "problem"));
  return problem ? fail(problem) : SLI_CLI_OK;
}

static int run(int argc, char **argv) {
  if (argc != 2)
    return sli_cli_fail(SLI_CLI_USAGE, "inspect needs one PATH%s; see 'sluice inspect --help'",
                        argc < 2 ? "" : " at a time");
  sli_inspect_subject_t subject;
  json_t *report = json_object();
  sli_status_t *status = sli_inspect_find(argv[1], &subject);
  int code = status ? SLI_CLI_FAILED : check_options(&subject);
  if (!status && !code) status = kinds[subject.kind].collect(&subject, &options, report);
  if (status)
    code = fail(sli_status_message(status));
  else if (!code)
    code = show(&subject, report);
  sli_status_release(status);
  json_decref(report);
  sli_inspect_subject_deinitialize(&subject);
  return code;
}

const sli_cli_command_t sli_cli_inspect = {.name = "inspect", .options = &spec, .run = run};
