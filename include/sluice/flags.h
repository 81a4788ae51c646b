// Parses the command-line flags of a program, as tf.app.flags:
//
//   static struct { const char *data_dir; int64_t steps; bool sync; } flags = {.steps = 2000};
//   static const sl_flag_t options[] = {
//       SL_FLAG(flags, data_dir, "directory with the data"),
//       SL_FLAG(flags, steps, "steps to train"), SL_FLAG(flags, sync, "…"), SL_FLAGS_END};
//
// Accepts --x=1 and --x 1; numbers as in Python (1_000, 0x10); a bool as --x, --nox, --x=false, --x=0, --x True or (if
// the program takes no operands) --x 1; lists as a,b,c. A flag may have further names: SL_FLAG_ALIAS, SL_SYNC_FLAGS.
#ifndef SLUICE_FLAGS_H_
#define SLUICE_FLAGS_H_

#pragma GCC system_header  // see sluice/export.h

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/export.h"

SL_BEGIN_DECLS

typedef enum { SL_FLAG_BOOL, SL_FLAG_INT64, SL_FLAG_INT32, SL_FLAG_DOUBLE, SL_FLAG_TEXT, SL_FLAG_LIST } sl_flag_kind_t;

// The value of a list flag: strings without blanks around them. Initialise it with {0}.
typedef struct {
  char **items;
  size_t count;
} sl_text_list_t;

typedef struct {
  const char *name;  // NULL: the end of the table
  sl_flag_kind_t kind;
  void *value;  // receives the value; holds the default before parsing
  const char *help;
} sl_flag_t;

// A row for the field |field| of |flags|: bool, int, int64_t, double, const char * or sl_text_list_t.
#define SL_FLAG(flags, field, help_) SL_FLAG_NAMED(flags, field, #field, help_)
// The same with another name than the field's.
#define SL_FLAG_NAMED(flags, field, name_, help_)   \
  {                                                 \
    .name = (name_),                              \
    .kind = _Generic((flags).field,               \
        bool: SL_FLAG_BOOL,                       \
        int64_t: SL_FLAG_INT64,                   \
        int: SL_FLAG_INT32,                       \
        double: SL_FLAG_DOUBLE,                   \
        const char *: SL_FLAG_TEXT,               \
        sl_text_list_t: SL_FLAG_LIST),            \
    .value = (void *)&(flags).field,              \
    .help = (help_) \
  }
// A further name of a flag: SL_FLAG(flags, steps, "…"), SL_FLAG_ALIAS(flags, steps, "train_steps").
#define SL_FLAG_ALIAS(flags, field, name_) SL_FLAG_NAMED(flags, field, name_, "the same as --" #field)
// The names that synchronous training has in classic programs, as further names of the bool |field|: --is_sync,
// --issync and --sync_replicas. |field| itself has none of these names.
#define SL_SYNC_FLAGS(flags, field)                                              \
  SL_FLAG_ALIAS(flags, field, "is_sync"), SL_FLAG_ALIAS(flags, field, "issync"), \
      SL_FLAG_ALIAS(flags, field, "sync_replicas")
#define SL_FLAGS_END \
  { 0 }

typedef struct {
  size_t struct_size;
  const char *summary;   // one line for --help
  const char *operands;  // "FILE…" for --help; NULL: arguments that are not flags are an error
  bool pass_unknown;     // leave unknown flags in argv; else they are an error
} sl_flags_options_t;

// Parses the flags, stores their values and removes them from argv. On --help, prints the help text and exits with 0.
// If a flag is unknown or its value is invalid, prints one line about it and exits with 2. Call sl_cluster_from_args(),
// which removes its own flags, before this.
SL_EXPORT void sl_flags_parse_with(int *argc, char **argv, const sl_flag_t *flags, const sl_flags_options_t *options);
#define sl_flags_parse(argc, argv, flags, ...) \
  sl_flags_parse_with((argc), (argv), (flags), \
                      (&(const sl_flags_options_t){.struct_size = sizeof(sl_flags_options_t), __VA_ARGS__}))

// The same, but returns the exit code instead of exiting (-1: continue), and sets |*out_text| to the text to print,
// allocated with malloc (NULL: nothing to print).
SL_EXPORT int sl_flags_try_parse(int *argc, char **argv, const sl_flag_t *flags, const sl_flags_options_t *options,
                                 char **out_text);

SL_END_DECLS

#endif  // SLUICE_FLAGS_H_
