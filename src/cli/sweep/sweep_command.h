// The command line and the environment of a trial. In the words of the command {NAME} of a parameter, {dir}, {seed},
// {trial}, {budget} and {host} are replaced. A parameter that no word contains is passed as --NAME=VALUE at the end, or
// as a variable of the environment. The functions do not block, except the last. Thread-compatible.
#ifndef SLI_CLI_SWEEP_SWEEP_COMMAND_H_
#define SLI_CLI_SWEEP_SWEEP_COMMAND_H_

#include "cli/sweep/sweep_state.h"

typedef struct {
  char **argv, **environment;  // end with NULL
} sli_sweep_command_t;

// |host| may be NULL. |self|: the path of this command, which a trial runs if the first word is "launch".
sli_sweep_command_t sli_sweep_command_make(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial, const char *host,
                                           const char *self);
void sli_sweep_command_deinitialize(sli_sweep_command_t *command);
// Whether a word of the sweep's command contains {|name|}.
bool sli_sweep_command_has(const sli_sweep_t *sweep, const char *name);

// Writes a shell script that repeats the trial in another directory, its first argument.
sli_status_t *sli_sweep_command_write_script(const char *path, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial,
                                             const char *host, const char *self);

#endif  // SLI_CLI_SWEEP_SWEEP_COMMAND_H_
