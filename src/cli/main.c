// The command `sluice`: the table of its subcommands, and the choice of one.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/string.h"
#include "cli/common/cli.h"

const sli_cli_command_t *const sli_cli_commands[] = {
    &sli_cli_launch,  &sli_cli_sweep, &sli_cli_serve, &sli_cli_status, &sli_cli_doctor,     &sli_cli_run,
    &sli_cli_inspect, &sli_cli_keys,  &sli_cli_agent, &sli_cli_help,   &sli_cli_completion, &sli_cli_manual,
};
const size_t sli_cli_command_count = SLI_ARRAY_COUNT_OF(sli_cli_commands);

// --- Choice of the subcommand ---

static const sli_cli_command_t *find_command(const char *name) {
  for (size_t i = 0; i < sli_cli_command_count; i++)
    if (!strcmp(sli_cli_commands[i]->name, name)) return sli_cli_commands[i];
  return NULL;
}

static int unknown_command(const char *name) {
  const char *names[SLI_ARRAY_COUNT_OF(sli_cli_commands)];
  for (size_t i = 0; i < sli_cli_command_count; i++) names[i] = sli_cli_commands[i]->name;
  const char *nearest = sli_options_nearest(name, names, sli_cli_command_count);
  return sli_cli_fail(SLI_CLI_USAGE, "unknown command '%s'; %s%s%ssee 'sluice --help'", name,
                      nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? Or " : "");
}

static int run_command(const sli_cli_command_t *command, int argc, char **argv) {
  bool help;
  sli_status_t *status = sli_options_parse(command->options, &argc, argv, &help);
  if (status) {
    int code = sli_cli_fail(SLI_CLI_USAGE, "%s", sli_status_message(status));
    sli_status_release(status);
    return code;
  }
  sli_cli_use_tls();
  if (!help) return command->run(argc, argv);
  sli_string_t text = {0};
  sli_options_help(command->options, &text);
  fputs(text.data, stdout);
  sli_string_deinitialize(&text);
  return SLI_CLI_OK;
}

// --- Help ---

static void print_overview(FILE *file) {
  fputs(
      "Usage: sluice COMMAND [OPTIONS]\n"
      "Distributed TensorFlow 1.x in C: the command line.\n"
      "\nCommands:\n",
      file);
  for (size_t i = 0; i < sli_cli_command_count; i++)
    fprintf(file, "  %-12s %s\n", sli_cli_commands[i]->name, sli_cli_commands[i]->options->summary);
  fputs(
      "\n'sluice COMMAND --help' describes a command. 'sluice --version' prints the version.\n"
      "Exit codes: 0 success, 1-127 an error to fix, 128 and above a failure worth a retry.\n",
      file);
}

static int run_help(int argc, char **argv) {
  if (argc < 2) {
    print_overview(stdout);
    return SLI_CLI_OK;
  }
  const sli_cli_command_t *command = find_command(argv[1]);
  if (!command) return unknown_command(argv[1]);
  char *words[] = {argv[1], "--help", NULL};
  return run_command(command, 2, words);
}

static const sli_options_t help_options = {.program = "sluice help",
                                           .operands = "[COMMAND]",
                                           .summary = "Show the help of sluice or of one command",
                                           .examples = "  sluice help launch\n"};
const sli_cli_command_t sli_cli_help = {.name = "help", .options = &help_options, .run = run_help};

// --- main ---

// Opens descriptors 0 to 2 if they are closed; otherwise the next pipe would get one of these numbers.
static void open_standard_descriptors(void) {
  int fd;
  while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO) continue;
  if (fd > STDERR_FILENO) close(fd);
}

int main(int argc, char **argv) {
  open_standard_descriptors();
  if (argc < 2) {
    print_overview(stderr);
    return SLI_CLI_USAGE;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
    puts("sluice " SLUICE_VERSION);
    return SLI_CLI_OK;
  }
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
    print_overview(stdout);
    return SLI_CLI_OK;
  }
  const sli_cli_command_t *command = find_command(name);
  if (command) return run_command(command, argc - 1, argv + 1);
  if (name[0] == '-') return sli_cli_fail(SLI_CLI_USAGE, "unknown option %s; see 'sluice --help'", name);
  return unknown_command(name);
}
