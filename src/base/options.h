// Option tables: one const table per command or program describes its options.
// Parsing, error messages and the --help text come from it; a manual page or a
// shell's completion can, too.
//
//   static int64_t steps = 100;
//   static const sli_option_t options[] = {
//       {.name = "steps", .kind = SLI_OPTION_INT, .value = &steps, .argument = "N", .help = "steps to train"},
//       {0}};
//
// Accepted: --x=1, --x 1, -x 1; a bool as --x, --nox, --no-x, --x=false, --x=0, --x False, and
// without operands --x 0;
// numbers as in Python, also 0x10 and 1_000; lists as a,b,c. '-' and '_' in names are equal. "--" ends the options.
// If an option is given several times the last one counts, except for SLI_OPTION_EACH.
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
  SLI_OPTION_TEXT,    // const char *, points into argv
  SLI_OPTION_LIST,    // sli_option_list_t: comma-separated, items trimmed, empty ones dropped
  SLI_OPTION_EACH,    // sli_option_list_t: may be given several times; each adds its value unchanged
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
  void *value;           // where to store the value; holds the default before parsing
  bool *given;           // optional: set to true if the option is given
  const char *argument;  // "N", "DIR": the value's name in the help
  const char *help;
  const char *implied;       // the value of --x without one; another value must then be given as --x=V
  double minimum, maximum;   // range of a number, if minimum < maximum
  const char *const *words;  // the only values allowed, if not NULL; NULL-terminated
} sli_option_t;

typedef struct {
  const char *program;          // "sluice launch": its name in messages and in the usage
  const char *operands;         // "PROGRAM [ARGS]", shown behind [OPTIONS]; NULL for none
  const char *summary;          // one line
  const char *description;      // paragraphs between blank lines, filled to the width of a terminal; or NULL
  const char *examples;         // shown as they are; or NULL
  const sli_option_t *options;  // ends with a row without a name; or NULL
  bool pass_unknown;            // leave unknown options (and a "--") in argv for another parser, instead of failing
  bool options_first;           // the first operand ends the options: another program's command line starts there
} sli_options_t;

// Removes the options from argv[1..*argc) and stores their values. The other words move up in order; a NULL follows
// them. Stores nothing on failure (INVALID_ARGUMENT, one line that names the option, the rule and the value), and
// nothing if --help or -h is given (*out_help). Thread-compatible.
sli_status_t *sli_options_parse(const sli_options_t *spec, int *argc, char **argv, bool *out_help);

// Appends usage, summary, description, options with their defaults, and examples. Defaults are read from the values, so
// call it before values are stored: when sli_options_parse() has set *out_help.
void sli_options_help(const sli_options_t *spec, sli_string_t *out_text);

// Appends " (default: 5)", or nothing if the default is empty or false. Call it before values are stored.
void sli_option_append_default(sli_string_t *out, const sli_option_t *option);

// Returns the candidate that |word| is most likely a misspelling of, or NULL if none is similar.
const char *sli_options_nearest(const char *word, const char *const *candidates, size_t count);

#endif  // SLI_BASE_OPTIONS_H_
