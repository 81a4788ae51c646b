// Option tables: one const table per command or program says what its options
// are; parsing, refusal of bad ones and the --help text all come from it, and so
// can a manual page or a shell's completion.
//
//   static int64_t steps = 100;
//   static const sli_option_t options[] = {
//       {.name = "steps", .kind = SLI_OPTION_INT, .value = &steps, .argument = "N", .help = "steps to train"},
//       {0}};
//
// Accepted: --x=1, --x 1, -x 1; a bool as --x, --nox, --no-x, --x=false, --x False;
// numbers as Python's, 0x10 and 1_000 too; lists as a,b,c. '-' and '_' in names are the same. "--" ends the options.
// The last of several wins, unless each counts.
#ifndef SLI_BASE_OPTIONS_H_
#define SLI_BASE_OPTIONS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

typedef enum {
  SLI_OPTION_BOOL,    // bool
  SLI_OPTION_INT,     // int64_t
  SLI_OPTION_INT32,   // int32_t
  SLI_OPTION_DOUBLE,  // double
  SLI_OPTION_TEXT,    // const char *, a piece of argv
  SLI_OPTION_LIST,    // sli_option_list_t: comma-separated, items trimmed, empty ones dropped
  SLI_OPTION_EACH,    // sli_option_list_t: may be given several times, each adds its value as it is
} sli_option_kind_t;

// Owns its items; starts out as {0}.
typedef struct {
  char **items;
  size_t count;
} sli_option_list_t;
void sli_option_list_deinitialize(sli_option_list_t *list);

typedef struct {
  const char *name;  // without dashes; NULL in the row that ends a table
  sli_option_kind_t kind;
  void *value;           // where to store; what it holds before parsing is the default
  bool *given;           // optional: set to true when the option is there
  const char *argument;  // "N", "DIR": how the help calls the value
  const char *help;
  const char *implied;       // the value of a bare --x; then --x=V is the only way to give another
  double minimum, maximum;   // range of a number, if minimum < maximum
  const char *const *words;  // the only values allowed, if not NULL; NULL-terminated
} sli_option_t;

typedef struct {
  const char *program;          // "sluice launch": its name in messages and in the usage
  const char *operands;         // "PROGRAM [ARGS]", shown behind [OPTIONS]; NULL for none
  const char *summary;          // one line
  const char *description;      // paragraphs between blank lines, filled to the width of a terminal; or NULL
  const char *examples;         // shown as they are; or NULL
  const sli_option_t *options;  // up to the row without a name; or NULL
  bool pass_unknown;            // leave unknown options (and a "--") in argv for another parser, instead of refusing
  bool options_first;           // the first operand ends the options: a foreign command line starts there
} sli_options_t;

// Takes the options out of argv[1..*argc) and stores them; the rest closes up, in order, with a NULL behind.
// Stores nothing at all on failure (INVALID_ARGUMENT, one line that names the option and the remedy) and when --help
// or -h is there (*out_help). Thread-compatible.
sli_status_t *sli_options_parse(const sli_options_t *spec, int *argc, char **argv, bool *out_help);

// Appends usage, summary, description, options with their defaults (so call it before values are stored: whenever
// sli_options_parse() said so) and examples.
void sli_options_help(const sli_options_t *spec, sli_string_t *out_text);

// Appends " (default: 5)", or nothing where there is no default worth a word. Call it before values are stored.
void sli_option_append_default(sli_string_t *out, const sli_option_t *option);

// The candidate that |word| is most likely a misspelling of, or NULL if none is near.
const char *sli_options_nearest(const char *word, const char *const *candidates, size_t count);

#endif  // SLI_BASE_OPTIONS_H_
