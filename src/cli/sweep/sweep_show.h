// What a sweep shows: a live table on a terminal, a line for each trial elsewhere, a report at the end. Writes to
// stdout; blocks if it does. Thread-compatible.
#ifndef SLI_CLI_SWEEP_SWEEP_SHOW_H_
#define SLI_CLI_SWEEP_SWEEP_SHOW_H_

#include "cli/sweep/sweep_metric.h"
#include "cli/sweep/sweep_state.h"

// A trial that is running.
typedef struct {
  const sli_sweep_trial_t *trial;
  double seconds;
  sli_sweep_value_t value;
} sli_sweep_running_t;

// Draws the live table over the one that was drawn before.
void sli_sweep_show_live(const sli_sweep_t *sweep, const sli_sweep_running_t *running, size_t count);
// Removes the live table, if there is one.
void sli_sweep_show_clear(void);
// A line: how a trial ended.
void sli_sweep_show_end(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial);
// The |limit| best trials, those that failed, and a plot: the metric against the parameter |plot|, or the best metric
// so far if it is NULL. INVALID_ARGUMENT if there is no such parameter, or if it has no numbers.
sli_status_t *sli_sweep_show_report(const sli_sweep_t *sweep, const char *plot, int64_t limit);
// Checks |plot| before a sweep begins.
sli_status_t *sli_sweep_show_check_plot(const sli_sweep_t *sweep, const char *plot);

#endif  // SLI_CLI_SWEEP_SWEEP_SHOW_H_
