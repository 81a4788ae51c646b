// The command line and the environment of a trial. In the words of the command {NAME} of a parameter, {dir}, {seed},
// {trial}, {budget}, {host} and {hosts} are replaced. A parameter that no word contains is passed as --NAME=VALUE at
// the end, or as a variable of the environment. The functions do not block, except the last. Thread-compatible.
#ifndef SLI_CLI_SWEEP_SWEEP_COMMAND_H_
#define SLI_CLI_SWEEP_SWEEP_COMMAND_H_

#include "cli/sweep/sweep_state.h"

// Where trials run, one after the other: some hosts. A command that does not say by {host} or {hosts} how it gets there
// is run by 'launch', as a cluster of these hosts: a program as the one worker of it.
typedef struct {
  char *hosts;  // "h1,h2:4", as for 'launch --hosts'
  char *first;  // the name of the first
  char *cpus;   // in a Slurm allocation: the CPUs of each, "4,4"; else NULL
} sli_sweep_place_t;
void sli_sweep_place_deinitialize(sli_sweep_place_t *place);

typedef struct {
  char **argv, **environment;  // end with NULL
} sli_sweep_command_t;

// |place|: NULL for this machine. |self|: the path of this command, which a trial runs if the first word is "launch".
sli_sweep_command_t sli_sweep_command_make(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial,
                                           const sli_sweep_place_t *place, const char *self);
void sli_sweep_command_deinitialize(sli_sweep_command_t *command);
// Whether a word of the sweep's command contains {|name|}.
bool sli_sweep_command_has(const sli_sweep_t *sweep, const char *name);

// Writes a shell script that repeats the trial in another directory, its first argument.
sli_status_t *sli_sweep_command_write_script(const char *path, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial,
                                             const sli_sweep_place_t *place, const char *self);

#endif  // SLI_CLI_SWEEP_SWEEP_COMMAND_H_
