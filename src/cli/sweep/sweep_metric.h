// The metric of a trial: the last or the best value that its event files or its output have for a name. A value in an
// event file counts more than one in the output, whose numbers are often rounded.
//
// In event files a value is a scalar with the name as its tag. In the output it follows the name: "accuracy: 0.93",
// "accuracy=0.93", "'accuracy': 0.93" or "accuracy 0.93". "step" before a number in the same line tells the step.
//
// Thread-compatible; blocks only for local files.
#ifndef SLI_CLI_SWEEP_SWEEP_METRIC_H_
#define SLI_CLI_SWEEP_SWEEP_METRIC_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/string.h"

typedef struct sli_sweep_metric sli_sweep_metric_t;

typedef struct {
  bool found;
  double last, best;
  int64_t last_step, best_step;  // -1 if it is not known
} sli_sweep_value_t;

// Watches the event files in |directory| and the folders in it, and the file |output|. None of them must exist yet.
sli_sweep_metric_t *sli_sweep_metric_create(const char *directory, const char *output, const char *name, bool minimize);
void sli_sweep_metric_release(sli_sweep_metric_t *metric);
// Reads what was written since the last call. A file that cannot be read is ignored until the next call. |ended|: the
// trial has ended, so a last line without an end is whole.
void sli_sweep_metric_update(sli_sweep_metric_t *metric, bool ended);
sli_sweep_value_t sli_sweep_metric_value(const sli_sweep_metric_t *metric);
// Appends the tags of the scalars that were found, "loss, learning_rate", for an error message.
void sli_sweep_metric_append_tags(const sli_sweep_metric_t *metric, sli_string_t *out);

// Finds |name| with a number in a line of output.
bool sli_sweep_metric_find_number(sli_view_t line, const char *name, double *out_value);

#endif  // SLI_CLI_SWEEP_SWEEP_METRIC_H_
