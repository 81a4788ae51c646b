#include "io/checkpoint/checkpoint_totals.h"

sli_tally_t sli_checkpoint_saves, sli_checkpoint_restores;
