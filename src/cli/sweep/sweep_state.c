#include "cli/sweep/sweep_state.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/random.h"
#include "cli/common/report.h"
#include "io/file/atomic_file.h"
#include "io/file/file.h"
#include "io/file/path.h"

enum { VERSION = 1, MAX_STATE_BYTES = 256 << 20, MAX_DRAWS = 100, SEED_BITS = 31 };

static const char *const status_names[] = {[SLI_SWEEP_WAITING] = "waiting",
                                           [SLI_SWEEP_RUNNING] = "running",
                                           [SLI_SWEEP_DONE] = "done",
                                           [SLI_SWEEP_STOPPED] = "stopped",
                                           [SLI_SWEEP_FAILED] = "failed"};

const char *sli_sweep_status_name(sli_sweep_status_t status) { return status_names[status]; }

// --- Trials ---

static void free_values(char **values, size_t count) {
  for (size_t i = 0; values && i < count; i++) free(values[i]);
  free(values);
}

static char *joined(const sli_sweep_t *sweep, char *const *values) {
  sli_string_t text = {0};
  for (size_t i = 0; i < sweep->space.parameters.count; i++) {
    sli_string_append_text(&text, values[i]);
    sli_string_append_char(&text, '\n');
  }
  sli_string_append_text(&text, "");
  return sli_string_take(&text);
}

static void add_trial(sli_sweep_t *sweep, char **values) {
  size_t number = sweep->trials.count + 1;
  sli_array_push(&sweep->trials,
                 (sli_sweep_trial_t){.number = number,
                                     .values = values,
                                     .step = -1,
                                     // Positive as an int32, which every program can take.
                                     .seed = sli_sweep_space_mix(sweep->seed, number, 0) >> (64 - SEED_BITS)});
}

// Draws trials until there are |random|; no two have the same values if there are enough different ones.
static void draw_trials(sli_sweep_t *sweep) {
  size_t different = sli_sweep_space_count(&sweep->space), draw = 0, wanted = (size_t)sweep->random;
  sli_map_t seen = {0};
  if (different && wanted > different) wanted = different;
  for (size_t added = 0; added < wanted;) {
    char **values = NULL, *key = NULL;
    bool is_new = false;
    for (int i = 0; !is_new && (different || i < MAX_DRAWS); i++) {
      if (values) free_values(values, sweep->space.parameters.count);
      free(key);
      values = sli_sweep_space_random_point(&sweep->space, sweep->seed, draw++);
      key = joined(sweep, values);
      is_new = !sli_map_find(&seen, sli_view(key));
    }
    sli_map_set(&seen, sli_view(key), NULL);
    free(key);
    // Trials that the file had are drawn again, so that the next ones differ from them.
    if (added++ < sweep->trials.count)
      free_values(values, sweep->space.parameters.count);
    else
      add_trial(sweep, values);
  }
  sli_map_deinitialize(&seen);
}

static sli_status_t *make_trials(sli_sweep_t *sweep) {
  if (!sweep->grid) {
    draw_trials(sweep);
    return NULL;
  }
  size_t size;
  SLI_RETURN_IF_ERROR(sli_sweep_space_grid_size(&sweep->space, &size));
  for (size_t i = 0; i < size; i++) add_trial(sweep, sli_sweep_space_grid_point(&sweep->space, i));
  return NULL;
}

// --- The file ---

static json_t *spec_of(const sli_sweep_t *sweep) {
  json_t *parameters = json_object(), *command = json_array();
  for (size_t i = 0; i < sweep->space.parameters.count; i++)
    json_object_set_new(parameters, sweep->space.parameters.items[i].name,
                        sli_report_string(sli_view(sweep->space.parameters.items[i].text)));
  for (size_t i = 0; sweep->command[i]; i++)
    json_array_append_new(command, sli_report_string(sli_view(sweep->command[i])));
  json_t *spec =
      json_pack("{s:o, s:s, s:o, s:s, s:s, s:s}", "param", parameters, "trials", sweep->grid ? "grid" : "random",
                "metric", sli_report_string(sli_view(sweep->metric)), "goal", sweep->minimize ? "min" : "max", "value",
                sweep->take_best ? "best" : "last", "pass", sweep->pass_environment ? "env" : "flags");
  json_object_set_new(spec, "command", command);
  if (sweep->halving)
    json_object_set_new(spec, "halving",
                        json_pack("{s:I, s:I, s:I, s:o, s:I}", "first", (json_int_t)sweep->first_budget, "last",
                                  (json_int_t)sweep->last_budget, "factor", (json_int_t)sweep->factor, "budget-name",
                                  sli_report_string(sli_view(sweep->budget_name)), "trials",
                                  (json_int_t)(sweep->grid ? 0 : sweep->random)));
  return spec;
}

static json_t *describe_trial(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial) {
  json_t *values = json_array();
  for (size_t i = 0; i < sweep->space.parameters.count; i++)
    json_array_append_new(values, sli_report_string(sli_view(trial->values[i])));
  sli_sweep_status_t status = trial->status == SLI_SWEEP_RUNNING ? SLI_SWEEP_WAITING : trial->status;
  json_t *object =
      json_pack("{s:o, s:I, s:s, s:i, s:I, s:f, s:i, s:i}", "values", values, "seed", (json_int_t)trial->seed, "status",
                status_names[status], "rung", trial->rung, "step", (json_int_t)trial->step, "seconds", trial->seconds,
                "restarts", trial->restarts, "exit", trial->exit_code);
  if (trial->has_metric) json_object_set_new(object, "metric", sli_report_number(trial->metric));
  if (trial->problem) json_object_set_new(object, "problem", sli_report_string(sli_view(trial->problem)));
  return object;
}

static sli_status_t *damaged(const char *path, const char *what) {
  return sli_status_make(SLI_DATA_LOSS, "%s is damaged: %s; choose another --dir, or remove the file to start again",
                         path, what);
}

static sli_status_t *load_trial(sli_sweep_t *sweep, const json_t *object, const char *path) {
  size_t count = sweep->space.parameters.count, status = 0;
  const json_t *values = json_object_get(object, "values"), *metric = json_object_get(object, "metric");
  if (json_array_size(values) != count) return damaged(path, "a trial has not one value for each parameter");
  for (size_t i = 0; i < count; i++)
    if (!json_is_string(json_array_get(values, i))) return damaged(path, "a value of a trial is not a text");
  const char *name = sli_report_get_text(object, "status");
  while (status < SLI_ARRAY_COUNT_OF(status_names) && strcmp(name, status_names[status])) status++;
  int64_t rung = sli_report_get_int(object, "rung"), seed = sli_report_get_int(object, "seed");
  if (status == SLI_ARRAY_COUNT_OF(status_names)) return damaged(path, "the status of a trial is unknown");
  if (rung < 0 || rung >= sli_sweep_rungs(sweep) || seed < 0)
    return damaged(path, "a trial's rung or seed is impossible");
  char **copies = sli_calloc(count, sizeof(*copies));
  for (size_t i = 0; i < count; i++) copies[i] = sli_strdup(json_string_value(json_array_get(values, i)));
  size_t number = sweep->trials.count + 1;
  const char *problem = json_string_value(json_object_get(object, "problem"));
  sli_array_push(&sweep->trials, (sli_sweep_trial_t){.number = number,
                                                     .values = copies,
                                                     .seed = (uint64_t)seed,
                                                     .status = (sli_sweep_status_t)status,
                                                     .rung = (int)rung,
                                                     .has_metric = metric != NULL,
                                                     .metric = metric ? sli_report_get_double(metric) : 0,
                                                     .step = sli_report_get_int(object, "step"),
                                                     .seconds = json_number_value(json_object_get(object, "seconds")),
                                                     .restarts = (int)sli_report_get_int(object, "restarts"),
                                                     .exit_code = (int)sli_report_get_int(object, "exit"),
                                                     .problem = problem ? sli_strdup(problem) : NULL});
  return NULL;
}

static sli_status_t *load_trials(sli_sweep_t *sweep, const json_t *state, const char *path) {
  uint64_t seed;
  char *end;
  const char *text = sli_report_get_text(state, "seed");
  seed = strtoull(text, &end, 10);
  if (!*text || *end) return damaged(path, "it has no seed");
  if (sweep->seed_given && seed != sweep->seed)
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "the sweep in '%s' has the seed %s; give that one, none, or another --dir", sweep->directory,
                           text);
  sweep->seed = seed;
  const json_t *trials = json_object_get(state, "trials");
  size_t count = json_array_size(trials);
  if (!count || count > SLI_SWEEP_MAX_TRIALS) return damaged(path, "it has no trials, or too many");
  for (size_t i = 0; i < count; i++) SLI_RETURN_IF_ERROR(load_trial(sweep, json_array_get(trials, i), path));
  return NULL;
}

static sli_status_t *read_state(const char *path, json_t **out_state) {
  *out_state = NULL;
  sli_string_t bytes;
  SLI_RETURN_IF_ERROR(sli_file_read_whole(path, MAX_STATE_BYTES, &bytes));
  json_error_t error;
  json_t *state = json_loadb(bytes.data ? bytes.data : "", bytes.size, 0, &error);
  sli_string_deinitialize(&bytes);
  sli_status_t *status = NULL;
  if (!state) status = damaged(path, error.text);
  if (!status && sli_report_get_int(state, "version") != VERSION) status = damaged(path, "its version is unknown");
  if (!status && !json_is_object(json_object_get(state, "spec"))) status = damaged(path, "it has no spec");
  if (status)
    json_decref(state);
  else
    *out_state = state;
  return status;
}

// Names the first part in which the sweep of the file differs from the one that is asked for.
static sli_status_t *check_spec(const sli_sweep_t *sweep, const json_t *stored) {
  json_t *wanted = spec_of(sweep);
  const char *different = NULL, *key;
  json_t *value;
  json_object_foreach(wanted, key, value) if (!different && !json_equal(value, json_object_get(stored, key)))
      different = sli_strdup(key);
  if (!different && sweep->halving != (json_object_get(stored, "halving") != NULL)) different = sli_strdup("halving");
  sli_status_t *status = NULL;
  if (different) {
    char *was = json_dumps(json_object_get(stored, different), JSON_COMPACT | JSON_ENCODE_ANY);
    char *is = json_dumps(json_object_get(wanted, different), JSON_COMPACT | JSON_ENCODE_ANY);
    status = sli_status_make(SLI_FAILED_PRECONDITION,
                             "'%s' has another sweep: its %s is %s, not %s; give the same options to continue it, or "
                             "another --dir",
                             sweep->directory, different, was ? was : "none", is ? is : "none");
    free(was);
    free(is);
  }
  free((char *)different);
  json_decref(wanted);
  return status;
}

sli_status_t *sli_sweep_open(sli_sweep_t *sweep, bool *out_continued) {
  *out_continued = false;
  char *path = sli_path_join(sweep->directory, "sweep.json");
  json_t *state = NULL;
  sli_status_t *status = read_state(path, &state);
  if (sli_status_code(status) == SLI_NOT_FOUND) {
    sli_status_release(status);
    if (!sweep->seed_given) sweep->seed = sli_random_u64() >> (64 - SEED_BITS);
    status = make_trials(sweep);
  } else {
    *out_continued = !status;
    if (!status) status = check_spec(sweep, json_object_get(state, "spec"));
    if (!status) status = load_trials(sweep, state, path);
    if (!status && !sweep->grid && !sweep->halving) draw_trials(sweep);
  }
  sweep->first_count = sweep->trials.count;
  json_decref(state);
  free(path);
  return status;
}

// Sets what the report needs from the spec. The texts live as long as the process.
static sli_status_t *read_spec(sli_sweep_t *sweep, const json_t *spec, const char *path) {
  const char *name;
  json_t *values;
  json_object_foreach(json_object_get(spec, "param"), name, values) {
    char *text = sli_format("%s=%s", name, json_is_string(values) ? json_string_value(values) : "");
    sli_status_t *status = sli_sweep_space_add(&sweep->space, text);
    free(text);
    if (status) return status;
  }
  const json_t *halving = json_object_get(spec, "halving");
  sweep->metric = sli_strdup(sli_report_get_text(spec, "metric"));
  sweep->minimize = !strcmp(sli_report_get_text(spec, "goal"), "min");
  sweep->grid = !strcmp(sli_report_get_text(spec, "trials"), "grid");
  sweep->halving = halving != NULL;
  if (!halving) return NULL;
  sweep->first_budget = sli_report_get_int(halving, "first");
  sweep->last_budget = sli_report_get_int(halving, "last");
  sweep->factor = sli_report_get_int(halving, "factor");
  bool good = sweep->first_budget >= 1 && sweep->last_budget >= sweep->first_budget && sweep->factor >= 2;
  return good ? NULL : damaged(path, "its budgets are impossible");
}

sli_status_t *sli_sweep_read(sli_sweep_t *sweep) {
  char *path = sli_path_join(sweep->directory, "sweep.json");
  json_t *state = NULL;
  sli_status_t *status = read_state(path, &state);
  if (!status) status = read_spec(sweep, json_object_get(state, "spec"), path);
  if (!status) status = load_trials(sweep, state, path);
  json_decref(state);
  free(path);
  return status;
}

// --- Saving ---

static void append_csv(sli_string_t *out, const char *text) {
  if (out->size && out->data[out->size - 1] != '\n') sli_string_append_char(out, ',');
  if (!strpbrk(text, ",\"\r\n")) {
    sli_string_append_text(out, text);
    return;
  }
  sli_string_append_char(out, '"');
  for (; *text; text++) {
    if (*text == '"') sli_string_append_char(out, '"');
    sli_string_append_char(out, *text);
  }
  sli_string_append_char(out, '"');
}

static void append_csv_row(sli_string_t *out, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial) {
  char *directory = sli_sweep_trial_directory(sweep, trial);
  sli_string_t metric = {0};
  if (trial->has_metric) sli_report_append_double(&metric, trial->metric, false);
  sli_string_append_format(out, "%zu,%s", trial->number,
                           status_names[trial->status == SLI_SWEEP_RUNNING ? SLI_SWEEP_WAITING : trial->status]);
  for (size_t i = 0; i < sweep->space.parameters.count; i++) append_csv(out, trial->values[i]);
  sli_string_append_format(out, ",%s,", sli_string_text(&metric));
  if (trial->has_metric && trial->step >= 0) sli_string_append_format(out, "%" PRId64, trial->step);
  sli_string_append_format(out, ",%d,%" PRId64 ",%" PRIu64 ",%.3f,%d,%d", trial->rung,
                           sli_sweep_budget(sweep, trial->rung), trial->seed, trial->seconds, trial->restarts,
                           trial->exit_code);
  append_csv(out, sli_path_base(directory));
  sli_string_append_char(out, ',');
  if (trial->problem) {
    out->size--;
    append_csv(out, trial->problem);
  }
  sli_string_append_char(out, '\n');
  sli_string_deinitialize(&metric);
  free(directory);
}

static sli_status_t *save_results(const sli_sweep_t *sweep) {
  sli_string_t text = {0};
  sli_string_append_text(&text, "trial,status");
  for (size_t i = 0; i < sweep->space.parameters.count; i++) append_csv(&text, sweep->space.parameters.items[i].name);
  append_csv(&text, sweep->metric);
  sli_string_append_text(&text, ",step,rung,budget,seed,seconds,restarts,exit,directory,problem\n");
  for (size_t i = 0; i < sweep->trials.count; i++) append_csv_row(&text, sweep, &sweep->trials.items[i]);
  char *path = sli_path_join(sweep->directory, "results.csv");
  sli_status_t *status = sli_atomic_file_write(path, sli_view_of(text.data, text.size));
  free(path);
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_sweep_save(const sli_sweep_t *sweep) {
  json_t *trials = json_array();
  for (size_t i = 0; i < sweep->trials.count; i++)
    json_array_append_new(trials, describe_trial(sweep, &sweep->trials.items[i]));
  char seed[32];
  snprintf(seed, sizeof(seed), "%" PRIu64, sweep->seed);
  json_t *state =
      json_pack("{s:i, s:o, s:s, s:o}", "version", VERSION, "spec", spec_of(sweep), "seed", seed, "trials", trials);
  char *text = json_dumps(state, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
  char *path = sli_path_join(sweep->directory, "sweep.json");
  sli_status_t *status = text ? sli_atomic_file_write(path, sli_view(text))
                              : sli_status_make(SLI_INTERNAL, "cannot describe the sweep as JSON");
  if (!status) status = save_results(sweep);
  free(path);
  free(text);
  json_decref(state);
  return status;
}

void sli_sweep_deinitialize(sli_sweep_t *sweep) {
  for (size_t i = 0; i < sweep->trials.count; i++) {
    free_values(sweep->trials.items[i].values, sweep->space.parameters.count);
    free(sweep->trials.items[i].problem);
  }
  sli_array_deinitialize(&sweep->trials);
  sli_sweep_space_deinitialize(&sweep->space);
}

// --- Rungs ---

int sli_sweep_rungs(const sli_sweep_t *sweep) {
  int rungs = 1;
  if (!sweep->halving) return rungs;
  for (int64_t budget = sweep->first_budget; budget <= sweep->last_budget / sweep->factor; budget *= sweep->factor)
    rungs++;
  return rungs;
}

int64_t sli_sweep_budget(const sli_sweep_t *sweep, int rung) {
  if (!sweep->halving) return 0;
  if (rung == sli_sweep_rungs(sweep) - 1) return sweep->last_budget;
  int64_t budget = sweep->first_budget;
  for (int i = 0; i < rung; i++) budget *= sweep->factor;
  return budget;
}

static bool is_minimized;  // for the comparison; the sweep of a process is one

static int compare_trials(const void *left, const void *right) {
  const sli_sweep_trial_t *a = *(const sli_sweep_trial_t *const *)left, *b = *(const sli_sweep_trial_t *const *)right;
  bool a_good = a->has_metric && a->status != SLI_SWEEP_FAILED, b_good = b->has_metric && b->status != SLI_SWEEP_FAILED;
  if (a_good != b_good) return a_good ? -1 : 1;
  if (a_good && isnan(a->metric) != isnan(b->metric)) return isnan(b->metric) ? -1 : 1;
  if (a_good && a->rung != b->rung) return a->rung > b->rung ? -1 : 1;
  if (a_good && !isnan(a->metric) && a->metric != b->metric) return (a->metric > b->metric) != is_minimized ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

const sli_sweep_trial_t **sli_sweep_ranking(const sli_sweep_t *sweep) {
  const sli_sweep_trial_t **ranking = sli_calloc(sweep->trials.count, sizeof(*ranking));
  for (size_t i = 0; i < sweep->trials.count; i++) ranking[i] = &sweep->trials.items[i];
  is_minimized = sweep->minimize;
  qsort(ranking, sweep->trials.count, sizeof(*ranking), compare_trials);
  return ranking;
}

const sli_sweep_trial_t *sli_sweep_best(const sli_sweep_t *sweep) {
  const sli_sweep_trial_t **ranking = sli_sweep_ranking(sweep), *best = ranking[0];
  free(ranking);
  return best->has_metric && best->status != SLI_SWEEP_FAILED && !isnan(best->metric) ? best : NULL;
}

void sli_sweep_judge(sli_sweep_t *sweep) {
  int rung = -1;
  for (size_t i = 0; i < sweep->trials.count; i++) {
    const sli_sweep_trial_t *trial = &sweep->trials.items[i];
    if (trial->status == SLI_SWEEP_WAITING || trial->status == SLI_SWEEP_RUNNING) return;
    if (trial->status == SLI_SWEEP_DONE && trial->rung > rung) rung = trial->rung;
  }
  if (rung < 0 || rung + 1 >= sli_sweep_rungs(sweep)) return;
  size_t places = sweep->first_count;
  for (int i = 0; i <= rung; i++) places /= (size_t)sweep->factor;
  if (places == 0) places = 1;
  const sli_sweep_trial_t **ranking = sli_sweep_ranking(sweep);
  for (size_t i = 0; i < sweep->trials.count; i++) {
    sli_sweep_trial_t *trial = &sweep->trials.items[ranking[i]->number - 1];
    if (trial->status != SLI_SWEEP_DONE) continue;
    bool goes_on = places > 0 && !isnan(trial->metric);
    trial->status = goes_on ? SLI_SWEEP_WAITING : SLI_SWEEP_STOPPED;
    if (!goes_on) continue;
    trial->rung = rung + 1;
    places--;
  }
  free(ranking);
}

sli_sweep_trial_t *sli_sweep_next(sli_sweep_t *sweep) {
  for (size_t i = 0; i < sweep->trials.count; i++)
    if (sweep->trials.items[i].status == SLI_SWEEP_WAITING) return &sweep->trials.items[i];
  return NULL;
}

size_t sli_sweep_count(const sli_sweep_t *sweep, sli_sweep_status_t status) {
  size_t count = 0;
  for (size_t i = 0; i < sweep->trials.count; i++) count += sweep->trials.items[i].status == status;
  return count;
}

// --- Texts ---

char *sli_sweep_trial_directory(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial) {
  return sli_format("%s/trial-%03zu", sweep->directory, trial->number);
}

void sli_sweep_append_values(sli_string_t *out, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial) {
  for (size_t i = 0; i < sweep->space.parameters.count; i++)
    sli_string_append_format(out, "%s%s=%s", i ? " " : "", sweep->space.parameters.items[i].name, trial->values[i]);
}
