// A sweep and its trials, and the file DIR/sweep.json, from which a sweep that was killed continues.
//
// Successive halving runs all trials with a small budget, the best of them with a larger one, and so on. A round with
// one budget is a rung. Which trials go on depends on their metrics alone, not on which ran first: a sweep of many at
// once, or one that was killed, decides as a serial one.
//
// Thread-compatible. What accesses files blocks.
#ifndef SLI_CLI_SWEEP_SWEEP_STATE_H_
#define SLI_CLI_SWEEP_SWEEP_STATE_H_

#include "cli/sweep/sweep_space.h"

typedef enum {
  SLI_SWEEP_WAITING,  // also one that was interrupted
  SLI_SWEEP_RUNNING,  // saved as waiting
  SLI_SWEEP_DONE,     // of its rung
  SLI_SWEEP_STOPPED,  // by halving: others were better
  SLI_SWEEP_FAILED,
} sli_sweep_status_t;

typedef struct {
  size_t number;  // from 1
  char **values;  // one for each parameter
  uint64_t seed;
  sli_sweep_status_t status;
  int rung;         // the one to run, or that it ended with
  bool has_metric;  // of the last rung that ended
  double metric;    // may be NaN
  int64_t step;     // of the metric; -1 if it is not known
  double seconds;   // of all its runs
  int restarts;
  int exit_code;
  char *problem;  // why it failed, or NULL
} sli_sweep_trial_t;

typedef struct {
  // What the user asked for. The texts are borrowed.
  const char *directory, *metric, *budget_name;
  char *const *command;  // ends with NULL
  sli_sweep_space_t space;
  bool grid, halving, minimize, take_best, pass_environment;
  int64_t random;  // number of trials, unless |grid|
  int64_t first_budget, last_budget, factor;
  bool seed_given;
  uint64_t seed;

  SLI_ARRAY(sli_sweep_trial_t) trials;
  size_t first_count;  // trials of the first rung
} sli_sweep_t;

// Reads DIR/sweep.json and continues from it, or makes the trials if it does not exist (|*out_continued| tells).
// FAILED_PRECONDITION if the file is of another sweep: the message says what differs. A sweep of random trials may have
// got more of them.
sli_status_t *sli_sweep_open(sli_sweep_t *sweep, bool *out_continued);
// Reads what DIR/sweep.json has, with the parameters and the metric too, for a report. The texts stay allocated.
sli_status_t *sli_sweep_read(sli_sweep_t *sweep);
// Writes DIR/sweep.json and DIR/results.csv, each atomically.
sli_status_t *sli_sweep_save(const sli_sweep_t *sweep);
void sli_sweep_deinitialize(sli_sweep_t *sweep);

// The number of rungs, 1 without halving, and the budget of one of them, 0 without halving.
int sli_sweep_rungs(const sli_sweep_t *sweep);
int64_t sli_sweep_budget(const sli_sweep_t *sweep, int rung);
// If all trials of a rung have ended, stops the bad ones and lets the others wait for the next rung.
void sli_sweep_judge(sli_sweep_t *sweep);
// The next trial to run, or NULL.
sli_sweep_trial_t *sli_sweep_next(sli_sweep_t *sweep);
// The trials from the best to the worst: the higher rung, then the better metric, then the lower number; failed and
// waiting ones are last. The caller frees the array.
const sli_sweep_trial_t **sli_sweep_ranking(const sli_sweep_t *sweep);
// The best trial with a metric that is a number, or NULL.
const sli_sweep_trial_t *sli_sweep_best(const sli_sweep_t *sweep);
size_t sli_sweep_count(const sli_sweep_t *sweep, sli_sweep_status_t status);

// DIR/trial-007, which the caller frees.
char *sli_sweep_trial_directory(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial);
// "lr=0.01 units=64"
void sli_sweep_append_values(sli_string_t *out, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial);
const char *sli_sweep_status_name(sli_sweep_status_t status);

#endif  // SLI_CLI_SWEEP_SWEEP_STATE_H_
