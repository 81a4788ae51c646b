// The frame of the tool: a subcommand is one file that defines one
// sli_cli_command_t; its declaration below and its row in main.c are all else
// it takes. Help, option errors and suggestions come from its option table.
//
// Exit codes of all subcommands: 0 done; 1–127 the user's to fix (2 for a bad
// command line); 128 and above worth a retry.
#ifndef SLI_CLI_CLI_H_
#define SLI_CLI_CLI_H_

#include <stdbool.h>

#include "base/options.h"

typedef struct {
  const char *name;
  const sli_options_t *options;
  // Runs with the options stored and taken out of argv: argv[0] is the name, the operands follow. Returns the exit
  // code.
  int (*run)(int argc, char **argv);
} sli_cli_command_t;

extern const sli_cli_command_t sli_cli_completion;
extern const sli_cli_command_t sli_cli_doctor;
extern const sli_cli_command_t sli_cli_help;
extern const sli_cli_command_t sli_cli_inspect;
extern const sli_cli_command_t sli_cli_launch;
extern const sli_cli_command_t sli_cli_manual;
extern const sli_cli_command_t sli_cli_run;
extern const sli_cli_command_t sli_cli_serve;
extern const sli_cli_command_t sli_cli_status;

// The rows of main.c, in the order of the help.
extern const sli_cli_command_t *const sli_cli_commands[];
extern const size_t sli_cli_command_count;

enum { SLI_CLI_OK = 0, SLI_CLI_FAILED = 1, SLI_CLI_USAGE = 2, SLI_CLI_RETRY = 128 };

// Prints "sluice: …" as one line on stderr and returns |exit_code|.
int sli_cli_fail(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Whether to colour what goes to |descriptor|: a terminal, and no NO_COLOR.
bool sli_cli_colours(int descriptor);

#endif  // SLI_CLI_CLI_H_
