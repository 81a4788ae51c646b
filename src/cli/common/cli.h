// What all subcommands share. A subcommand is one file src/cli/cmd_<name>.c that defines one sli_cli_command_t, with
// its declaration below and its row in main.c. Help, option errors and suggestions come from its option table.
//
// Exit codes of all subcommands: 0 success; 1 to 127 an error that the user must fix (2: the command line); 128 and
// above a failure that may pass, so that a retry makes sense.
#ifndef SLI_CLI_COMMON_CLI_H_
#define SLI_CLI_COMMON_CLI_H_

#include <stdbool.h>

#include "base/options.h"

typedef struct {
  const char *name;
  const sli_options_t *options;
  // Runs the command and returns its exit code. The options are stored and removed from argv: argv[0] is the name, the
  // operands follow.
  int (*run)(int argc, char **argv);
} sli_cli_command_t;

extern const sli_cli_command_t sli_cli_agent;
extern const sli_cli_command_t sli_cli_completion;
extern const sli_cli_command_t sli_cli_doctor;
extern const sli_cli_command_t sli_cli_help;
extern const sli_cli_command_t sli_cli_inspect;
extern const sli_cli_command_t sli_cli_keys;
extern const sli_cli_command_t sli_cli_launch;
extern const sli_cli_command_t sli_cli_manual;
extern const sli_cli_command_t sli_cli_run;
extern const sli_cli_command_t sli_cli_serve;
extern const sli_cli_command_t sli_cli_status;
extern const sli_cli_command_t sli_cli_sweep;

// The table of main.c, in the order of the help.
extern const sli_cli_command_t *const sli_cli_commands[];
extern const size_t sli_cli_command_count;

// The options of all commands that connect to tasks or serve: rows of their tables.
typedef struct {
  const char *cert, *key, *ca;
} sli_cli_tls_t;
extern sli_cli_tls_t sli_cli_tls;
#define SLI_CLI_TLS_OPTION(option, field, text) \
  { .name = option, .kind = SLI_OPTION_TEXT, .value = &sli_cli_tls.field, .argument = "FILE", .help = text }
#define SLI_CLI_TLS_OPTIONS                                                                           \
  SLI_CLI_TLS_OPTION("tls-cert", cert, "speak TLS with this certificate (default: SLUICE_TLS_CERT)"), \
      SLI_CLI_TLS_OPTION("tls-key", key, "its private key (SLUICE_TLS_KEY)"),                         \
      SLI_CLI_TLS_OPTION("tls-ca", ca, "trust peers with certificates of these authorities (SLUICE_TLS_CA)")
// Gives those that are set to the library, and to programs that are started.
void sli_cli_use_tls(void);

enum { SLI_CLI_OK = 0, SLI_CLI_FAILED = 1, SLI_CLI_USAGE = 2, SLI_CLI_RETRY = 128 };

// Prints "sluice: …" as one line on stderr and returns |exit_code|.
int sli_cli_fail(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Checks that |target| is HOST:PORT or grpc://HOST:PORT, also [::1]:2222. Returns SLI_CLI_OK, or prints an error and
// returns SLI_CLI_USAGE.
int sli_cli_check_target(const char *target);
// Whether output to |descriptor| should be coloured: it is a terminal other than TERM=dumb, and NO_COLOR is not set.
bool sli_cli_colours(int descriptor);

#endif  // SLI_CLI_COMMON_CLI_H_
