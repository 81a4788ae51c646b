// sluice manual: prints a manual page in the format of man(1), made from the option tables. The build makes the pages
// that `make install` installs with it.
#include <stdio.h>
#include <string.h>

#include "base/string.h"
#include "cli/common/cli.h"

// Prints text for troff, with escapes for backslashes, dashes, and dots or quotes that begin a line.
static void print_text(const char *text) {
  for (bool at_start = true; *text; text++) {
    if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
    at_start = *text == '\n';
    if (*text == '\\')
      fputs("\\e", stdout);
    else if (*text == '-')
      fputs("\\-", stdout);
    else
      putchar(*text);
  }
}

static void print_head(const char *page, const char *summary) {
  printf(".TH %s 1 \"\" \"Sluice %s\" \"Sluice\"\n.SH NAME\n%s \\- ", page, SLUICE_VERSION, page);
  print_text(summary);
  fputs("\n.SH SYNOPSIS\n", stdout);
}

static void print_option(const sli_option_t *option) {
  fputs(".TP\n.B \\-\\-", stdout);
  print_text(option->name);
  if (option->kind != SLI_OPTION_BOOL) {
    fputs(option->implied ? "[=" : " ", stdout);
    print_text(option->argument ? option->argument : "VALUE");
    if (option->implied) putchar(']');
  }
  putchar('\n');
  sli_string_t text = {0};
  sli_string_append_text(&text, option->help ? option->help : "");
  sli_option_append_default(&text, option);
  print_text(sli_string_text(&text));
  fputs(".\n", stdout);
  sli_string_deinitialize(&text);
}

// Paragraphs are separated by blank lines in |text|, and by .PP in the page.
static void print_paragraphs(const char *text) {
  for (const char *end; (end = strstr(text, "\n\n")); text = end + 2) {
    sli_string_t part = {0};
    sli_string_append(&part, text, (size_t)(end - text));
    print_text(sli_string_text(&part));
    fputs("\n.PP\n", stdout);
    sli_string_deinitialize(&part);
  }
  print_text(text);
  putchar('\n');
}

static void print_command(const sli_cli_command_t *command) {
  const sli_options_t *options = command->options;
  char page[64];
  snprintf(page, sizeof(page), "sluice-%s", command->name);
  print_head(page, options->summary);
  printf(".B sluice %s\n%s", command->name, options->options ? "[\\fIOPTIONS\\fR]\n" : "");
  if (options->operands) print_text(options->operands);
  fputs("\n.SH DESCRIPTION\n", stdout);
  print_paragraphs(options->description ? options->description : options->summary);
  if (options->options && options->options->name) {
    fputs(".SH OPTIONS\n", stdout);
    for (const sli_option_t *option = options->options; option->name; option++) print_option(option);
  }
  if (options->examples) {
    fputs(".SH EXAMPLES\n.nf\n", stdout);
    print_text(options->examples);
    fputs(".fi\n", stdout);
  }
  fputs(
      ".SH EXIT STATUS\n0 success; 1 to 127 an error to fix (2: in the command line); 128 and above a failure worth a "
      "retry.\n"
      ".SH SEE ALSO\n.BR sluice (1)\n",
      stdout);
}

static void print_overview(void) {
  print_head("sluice", "Distributed TensorFlow 1.x in C: the command line");
  fputs(".B sluice\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n", stdout);
  for (size_t i = 0; i < sli_cli_command_count; i++) {
    printf(".TP\n.BR sluice\\-%s (1)\n", sli_cli_commands[i]->name);
    print_text(sli_cli_commands[i]->options->summary);
    putchar('\n');
  }
  fputs(
      ".SH ENVIRONMENT\n"
      ".TP\n.B TF_CONFIG\nCluster and task, as JSON.\n"
      ".TP\n.B TF_CPP_MIN_LOG_LEVEL\nWhat is logged: 0 everything, 1 warnings and errors, 2 errors, 3 nothing.\n"
      ".TP\n.B NO_COLOR\nIf set, no colours on terminals.\n"
      ".SH EXIT STATUS\n0 success; 1 to 127 an error to fix (2: in the command line); 128 and above a failure worth a "
      "retry.\n",
      stdout);
}

static int run(int argc, char **argv) {
  if (argc > 2) return sli_cli_fail(SLI_CLI_USAGE, "manual takes at most one COMMAND");
  if (argc < 2) {
    print_overview();
    return SLI_CLI_OK;
  }
  for (size_t i = 0; i < sli_cli_command_count; i++) {
    if (strcmp(sli_cli_commands[i]->name, argv[1]) != 0) continue;
    print_command(sli_cli_commands[i]);
    return SLI_CLI_OK;
  }
  return sli_cli_fail(SLI_CLI_USAGE, "unknown command '%s'; see 'sluice --help'", argv[1]);
}

static const sli_options_t options = {.program = "sluice manual",
                                      .operands = "[COMMAND]",
                                      .summary = "Print a manual page in the format of man",
                                      .examples =
                                          "  sluice manual launch > sluice-launch.1\n"
                                          "  sluice manual > sluice.1\n"};
const sli_cli_command_t sli_cli_manual = {.name = "manual", .options = &options, .run = run};
