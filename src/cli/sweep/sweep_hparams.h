// Events for TensorBoard's HParams plugin: the parameters and the metric of the sweep in its directory, the values and
// the metric of a trial in the trial's. The functions block for files.
#ifndef SLI_CLI_SWEEP_SWEEP_HPARAMS_H_
#define SLI_CLI_SWEEP_SWEEP_HPARAMS_H_

#include "cli/sweep/sweep_state.h"

// The tag under which a trial's directory has its metric is this and the metric's name.
#define SLI_SWEEP_HPARAMS_PREFIX "sweep/"

// Writes the experiment once: nothing if the directory has an event file.
sli_status_t *sli_sweep_hparams_write_experiment(const sli_sweep_t *sweep);
// Replaces what it wrote for this trial before. Writes the values, the metric if it has one, and how a trial that began
// at |started|, in seconds since 1970, ended.
sli_status_t *sli_sweep_hparams_write_trial(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial, double started);

#endif  // SLI_CLI_SWEEP_SWEEP_HPARAMS_H_
