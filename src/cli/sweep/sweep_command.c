#include "cli/sweep/sweep_command.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/file/atomic_file.h"

typedef SLI_ARRAY(char *) words_t;

// --- Words ---

bool sli_sweep_command_has(const sli_sweep_t *sweep, const char *name) {
  char *mark = sli_format("{%s}", name);
  bool found = false;
  for (size_t i = 0; sweep->command[i] && !found; i++) found = strstr(sweep->command[i], mark) != NULL;
  free(mark);
  return found;
}

// The text that replaces {|name|}, which the caller frees; NULL if it means nothing here.
static char *replacement(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial, sli_view_t name,
                         const char *directory, const sli_sweep_place_t *place) {
  for (size_t i = 0; i < sweep->space.parameters.count; i++)
    if (sli_view_is(name, sweep->space.parameters.items[i].name)) return sli_strdup(trial->values[i]);
  if (sli_view_is(name, "dir")) return sli_strdup(directory);
  if (sli_view_is(name, "seed")) return sli_format("%" PRIu64, trial->seed);
  if (sli_view_is(name, "trial")) return sli_format("%zu", trial->number);
  if (sli_view_is(name, "budget") && sweep->halving)
    return sli_format("%" PRId64, sli_sweep_budget(sweep, trial->rung));
  if (sli_view_is(name, "host") && place) return sli_strdup(place->first);
  if (sli_view_is(name, "hosts") && place) return sli_strdup(place->hosts);
  return NULL;
}

static char *expand(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial, const char *word, const char *directory,
                    const sli_sweep_place_t *place) {
  sli_string_t text = {0};
  while (*word) {
    const char *close = *word == '{' ? strchr(word, '}') : NULL;
    char *value =
        close ? replacement(sweep, trial, sli_view_of(word + 1, (size_t)(close - word - 1)), directory, place) : NULL;
    if (value)
      sli_string_append_text(&text, value);
    else
      sli_string_append_char(&text, *word);
    word = value ? close + 1 : word + 1;
    free(value);
  }
  sli_string_append_text(&text, "");
  return text.data ? sli_string_take(&text) : sli_strdup("");
}

void sli_sweep_place_deinitialize(sli_sweep_place_t *place) {
  free(place->hosts);
  free(place->first);
  free(place->cpus);
}

// Whether the command gets to its host by itself.
static bool is_placed(const sli_sweep_t *sweep) {
  if (sli_sweep_command_has(sweep, "host") || sli_sweep_command_has(sweep, "hosts")) return true;
  if (!strcmp(sweep->command[0], "srun")) return true;
  bool is_launch = !strcmp(sweep->command[0], "launch");
  for (size_t i = 1; is_launch && sweep->command[i] && strcmp(sweep->command[i], "--"); i++)
    if (sli_string_starts_with(sweep->command[i], "--host") || !strcmp(sweep->command[i], "--local")) return true;
  return false;
}

static void add_words(words_t *out, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial, const char *directory,
                      const sli_sweep_place_t *place, const char *self) {
  bool is_launch = !strcmp(sweep->command[0], "launch"), sends = place && !is_placed(sweep);
  if (is_launch || sends) {
    sli_array_push(out, sli_strdup(self));
    sli_array_push(out, sli_strdup("launch"));
  }
  // In a Slurm allocation the environment names the hosts.
  if (sends && !place->cpus) sli_array_push(out, sli_format("--hosts=%s", place->hosts));
  if (sends && !is_launch) {
    sli_array_push(out, sli_strdup("--workers=1"));
    sli_array_push(out, sli_strdup("--"));
  }
  for (size_t i = is_launch ? 1 : 0; sweep->command[i]; i++)
    sli_array_push(out, expand(sweep, trial, sweep->command[i], directory, place));
  for (size_t i = 0; i < sweep->space.parameters.count && !sweep->pass_environment; i++) {
    const char *name = sweep->space.parameters.items[i].name;
    if (!sli_sweep_command_has(sweep, name)) sli_array_push(out, sli_format("--%s=%s", name, trial->values[i]));
  }
  if (sweep->halving && !sweep->pass_environment && !sli_sweep_command_has(sweep, "budget"))
    sli_array_push(out, sli_format("--%s=%" PRId64, sweep->budget_name, sli_sweep_budget(sweep, trial->rung)));
}

// --- Environment ---

static char *variable(const char *name, const char *value) {
  char *text = sli_format("%s=%s", name, value);
  for (char *at = text; *at != '='; at++)
    if (!isalnum((unsigned char)*at)) *at = '_';
  return text;
}

static void add_variables(words_t *out, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial, const char *directory,
                          const sli_sweep_place_t *place) {
  if (place && place->cpus && !is_placed(sweep)) {  // 'launch' takes these hosts for the whole allocation
    sli_array_push(out, sli_format("SLURM_JOB_NODELIST=%s", place->hosts));
    sli_array_push(out, sli_format("SLURM_JOB_CPUS_PER_NODE=%s", place->cpus));
  }
  sli_array_push(out, sli_format("SLUICE_TRIAL=%zu", trial->number));
  sli_array_push(out, sli_format("SLUICE_TRIAL_DIR=%s", directory));
  sli_array_push(out, sli_format("SLUICE_TRIAL_SEED=%" PRIu64, trial->seed));
  if (sweep->halving)
    sli_array_push(out, sli_format("SLUICE_TRIAL_BUDGET=%" PRId64, sli_sweep_budget(sweep, trial->rung)));
  for (size_t i = 0; i < sweep->space.parameters.count && sweep->pass_environment; i++)
    sli_array_push(out, variable(sweep->space.parameters.items[i].name, trial->values[i]));
  if (sweep->halving && sweep->pass_environment) {
    char *budget = sli_format("%" PRId64, sli_sweep_budget(sweep, trial->rung));
    sli_array_push(out, variable(sweep->budget_name, budget));
    free(budget);
  }
}

static bool is_set(const words_t *variables, const char *entry) {
  size_t size = strcspn(entry, "=") + 1;
  for (size_t i = 0; i < variables->count; i++)
    if (!strncmp(variables->items[i], entry, size)) return true;
  return false;
}

// The numbers of tasks on the nodes of the whole allocation mean nothing for some of them.
static bool is_dropped(const sli_sweep_place_t *place, const char *entry) {
  return place && place->cpus && sli_string_starts_with(entry, "SLURM_NTASKS=");
}

sli_sweep_command_t sli_sweep_command_make(const sli_sweep_t *sweep, const sli_sweep_trial_t *trial,
                                           const sli_sweep_place_t *place, const char *self) {
  words_t words = {0}, variables = {0};
  char *directory = sli_sweep_trial_directory(sweep, trial);
  add_words(&words, sweep, trial, directory, place, self);
  add_variables(&variables, sweep, trial, directory, place);
  free(directory);
  for (char **entry = environ; *entry; entry++)
    if (!is_set(&variables, *entry) && !is_dropped(place, *entry)) sli_array_push(&variables, sli_strdup(*entry));
  sli_array_push(&words, NULL);
  sli_array_push(&variables, NULL);
  return (sli_sweep_command_t){words.items, variables.items};
}

void sli_sweep_command_deinitialize(sli_sweep_command_t *command) {
  for (size_t i = 0; command->argv && command->argv[i]; i++) free(command->argv[i]);
  for (size_t i = 0; command->environment && command->environment[i]; i++) free(command->environment[i]);
  free(command->argv);
  free(command->environment);
}

// --- The script ---

// Stands for the directory until the words are quoted: no path has this byte.
#define DIRECTORY "\001"

static void append_quoted(sli_string_t *out, const char *word) {
  sli_string_append_char(out, '\'');
  for (; *word; word++) {
    if (*word == '\'')
      sli_string_append_text(out, "'\\''");
    else if (*word == DIRECTORY[0])
      sli_string_append_text(out, "'\"$directory\"'");
    else
      sli_string_append_char(out, *word);
  }
  sli_string_append_char(out, '\'');
}

sli_status_t *sli_sweep_command_write_script(const char *path, const sli_sweep_t *sweep, const sli_sweep_trial_t *trial,
                                             const sli_sweep_place_t *place, const char *self) {
  words_t words = {0}, variables = {0};
  add_words(&words, sweep, trial, DIRECTORY, place, self);
  add_variables(&variables, sweep, trial, DIRECTORY, place);
  char *here = getcwd(NULL, 0), *again = sli_sweep_trial_directory(sweep, trial);
  sli_string_t text = {0};
  sli_string_append_format(&text, "#!/bin/sh\n# Repeats trial %zu: sh command [DIRECTORY]\ndirectory=${1:-",
                           trial->number);
  append_quoted(&text, again);
  sli_string_append_text(&text, "-again}\nmkdir -p \"$directory\" && cd ");
  append_quoted(&text, here ? here : ".");
  sli_string_append_text(&text, " &&\n  exec env");
  for (size_t i = 0; i < variables.count; i++) {
    sli_string_append_char(&text, ' ');
    append_quoted(&text, variables.items[i]);
  }
  sli_string_append_text(&text, " \\\n ");
  for (size_t i = 0; i < words.count; i++) {
    sli_string_append_char(&text, ' ');
    append_quoted(&text, words.items[i]);
  }
  sli_string_append_char(&text, '\n');
  sli_status_t *status = sli_atomic_file_write(path, sli_view_of(text.data, text.size));
  for (size_t i = 0; i < words.count; i++) free(words.items[i]);
  for (size_t i = 0; i < variables.count; i++) free(variables.items[i]);
  sli_array_deinitialize(&words);
  sli_array_deinitialize(&variables);
  sli_string_deinitialize(&text);
  free(here);
  free(again);
  return status;
}
