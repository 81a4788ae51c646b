// sluice agent: the other end of sluice launch on another host.
#include <unistd.h>

#include "cli/common/cli.h"
#include "cli/launch/launch_agent.h"

static double silence = 60;

static const sli_option_t options_table[] = {
    {.name = "silence",
     .kind = SLI_OPTION_DOUBLE,
     .value = &silence,
     .argument = "SECONDS",
     .minimum = 1,
     .maximum = 1e6,
     .help = "kill the tasks and end after this time without a word from the launcher"},
    {0}};

static const sli_options_t options = {
    .program = "sluice agent",
    .summary = "Run the tasks of this host for 'sluice launch' on another one, which starts it by ssh or srun",
    .description =
        "It takes orders from its standard input and writes the output of the tasks to its standard output, both in a "
        "form of its own. When the input ends, it kills all processes that the tasks started, and ends.",
    .options = options_table,
};

static int run(int argc, char **argv) {
  if (argc > 1) return sli_cli_fail(SLI_CLI_USAGE, "sluice agent takes no operand, got '%s'", argv[1]);
  if (isatty(STDIN_FILENO))
    return sli_cli_fail(SLI_CLI_USAGE, "sluice agent is started by 'sluice launch --hosts', not by hand");
  return sli_launch_agent_run(silence);
}

const sli_cli_command_t sli_cli_agent = {.name = "agent", .options = &options, .run = run};
