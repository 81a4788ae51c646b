// What this process has saved in checkpoints and restored from them, for metrics: one entry per op, so that a
// checkpoint of several tasks counts in each for its part.
#ifndef SLI_IO_CHECKPOINT_CHECKPOINT_TOTALS_H_
#define SLI_IO_CHECKPOINT_CHECKPOINT_TOTALS_H_

#include "base/tally.h"

extern sli_tally_t sli_checkpoint_saves, sli_checkpoint_restores;

#endif  // SLI_IO_CHECKPOINT_CHECKPOINT_TOTALS_H_
