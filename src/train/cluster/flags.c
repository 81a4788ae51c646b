// Flags: converts the table of a program to an option table (base/options.h).
#include "sluice/flags.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/options.h"
#include "train/cluster/cluster_spec.h"
#include "train/common/call_options.h"

_Static_assert(sizeof(sl_text_list_t) == sizeof(sli_option_list_t), "the two list types have the same layout");

typedef SLI_ARRAY(sli_option_t) option_rows_t;

static void add_rows(const sl_flag_t *flags, option_rows_t *rows) {
  static const struct {
    sli_option_kind_t kind;
    const char *argument;
  } kinds[] = {
      [SL_FLAG_BOOL] = {SLI_OPTION_BOOL, NULL},   [SL_FLAG_INT64] = {SLI_OPTION_INT, "N"},
      [SL_FLAG_INT32] = {SLI_OPTION_INT32, "N"},  [SL_FLAG_DOUBLE] = {SLI_OPTION_DOUBLE, "X"},
      [SL_FLAG_TEXT] = {SLI_OPTION_TEXT, "TEXT"}, [SL_FLAG_LIST] = {SLI_OPTION_LIST, "A,B,…"},
  };
  for (const sl_flag_t *flag = flags; flag && flag->name; flag++)
    sli_array_push(rows, (sli_option_t){.name = flag->name,
                                        .kind = kinds[flag->kind].kind,
                                        .argument = kinds[flag->kind].argument,
                                        .value = flag->value,
                                        .help = flag->help});
}

// The text of --help: the program's flags, and those of the cluster, which every program has.
static char *help_text(sli_options_t spec, const sl_flag_t *flags) {
  option_rows_t rows = {0};
  add_rows(flags, &rows);
  for (const sli_option_t *row = sli_cluster_spec_flag_rows(); row->name; row++) sli_array_push(&rows, *row);
  sli_array_push(&rows, (sli_option_t){0});
  spec.options = rows.items;
  sli_string_t text = {0};
  sli_options_help(&spec, &text);
  sli_array_deinitialize(&rows);
  return sli_string_take(&text);
}

// The error of argv in a table that also has the flags of the cluster. sl_cluster_from_args() removes those that it
// could read; if one of them is bad it leaves them all, and they must not be called unknown. NULL: no error.
static sli_status_t *check_with_cluster_flags(sli_options_t spec, const sl_flag_t *flags, int argc, char **argv) {
  option_rows_t rows = {0};
  add_rows(flags, &rows);
  for (const sli_option_t *row = sli_cluster_spec_flag_rows(); row->name; row++) sli_array_push(&rows, *row);
  size_t count = rows.count;
  typedef union {
    sli_option_list_t list;
    int64_t number;
    double real;
    const char *text;
  } value_t;
  value_t *values = sli_calloc(count, sizeof(*values));
  for (size_t i = 0; i < count; i++) {
    rows.items[i].value = &values[i];
    rows.items[i].given = NULL;
  }
  sli_array_push(&rows, (sli_option_t){0});
  char **words = sli_calloc((size_t)argc + 1, sizeof(*words));
  memcpy(words, argv, (size_t)argc * sizeof(*words));
  spec.options = rows.items;
  bool help = false;
  sli_status_t *status = sli_options_parse(&spec, &argc, words, &help);
  for (size_t i = 0; i < count; i++)
    if (rows.items[i].kind == SLI_OPTION_LIST) sli_option_list_deinitialize(&values[i].list);
  free(words);
  free(values);
  sli_array_deinitialize(&rows);
  return status;
}

int sl_flags_try_parse(int *argc, char **argv, const sl_flag_t *flags, const sl_flags_options_t *given,
                       char **out_text) {
  enum { GO_ON = -1, USAGE = 2 };
  SLI_CALL_OPTIONS(sl_flags_options_t, options, given);
  *out_text = NULL;
  option_rows_t rows = {0};
  add_rows(flags, &rows);
  sli_array_push(&rows, (sli_option_t){0});
  const char *slash = *argc > 0 ? strrchr(argv[0], '/') : NULL;
  sli_options_t spec = {.program = slash       ? slash + 1
                                   : *argc > 0 ? argv[0]
                                               : "program",
                        .operands = options.operands,
                        .summary = options.summary,
                        .options = rows.items,
                        .pass_unknown = options.pass_unknown};
  bool help = false;
  int code = GO_ON;
  sli_status_t *status = sli_options_parse(&spec, argc, argv, &help);
  if (!status && !help && !options.operands && !options.pass_unknown && *argc > 1)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "'%s' is not a flag; see '%s --help'", argv[1], spec.program);
  if (status) {
    sli_status_t *better = check_with_cluster_flags(spec, flags, *argc, argv);
    if (better) {
      sli_status_release(status);
      status = better;
    }
  }
  if (help) {
    *out_text = help_text(spec, flags);
    code = 0;
  } else if (status) {
    *out_text = sli_format("%s: %s\n", spec.program, sli_status_message(status));
    code = USAGE;
  }
  sli_status_release(status);
  sli_array_deinitialize(&rows);
  return code;
}

void sl_flags_parse_with(int *argc, char **argv, const sl_flag_t *flags, const sl_flags_options_t *options) {
  char *text;
  int code = sl_flags_try_parse(argc, argv, flags, options, &text);
  if (code < 0) return;
  fputs(text, code == 0 ? stdout : stderr);
  free(text);
  exit(code);
}
