// Command-line flags of a program, as in tf.app.flags:
//
//   static struct { const char *data_dir; int64_t steps; bool sync; } flags = {.steps = 2000};
//   static const sl_flag_t options[] = {
//       SL_FLAG(flags, data_dir, "directory with the data"),
//       SL_FLAG(flags, steps, "steps to train"), SL_FLAG(flags, sync, "…"), SL_FLAGS_END};
//
// Accepted: --x=1, --x 1, numbers as Python's flags take them (1_000, 0x10); a bool as --x, --nox, --x=false, --x True;
// lists as a,b,c.
#ifndef SLUICE_FLAGS_H_
#define SLUICE_FLAGS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/export.h"

SL_BEGIN_DECLS

typedef enum { SL_FLAG_BOOL, SL_FLAG_INT64, SL_FLAG_INT32, SL_FLAG_DOUBLE, SL_FLAG_TEXT, SL_FLAG_LIST } sl_flag_kind_t;

// A flag's list of texts, blanks around them cut off; starts out as {0}.
typedef struct {
  char **items;
  size_t count;
} sl_text_list_t;

typedef struct {
  const char *name;  // NULL in the row that ends a table
  sl_flag_kind_t kind;
  void *value;  // what it holds before parsing is the default
  const char *help;
} sl_flag_t;

// A row for the field |field| of |flags|: bool, int, int64_t, double, const char * or sl_text_list_t.
#define SL_FLAG(flags, field, help_)                                                                              \
  {                                                                                                               \
    .name = #field,                                                                                             \
   .kind = _Generic((flags).field,                                                                             \
       bool: SL_FLAG_BOOL,                                                                                     \
       int64_t: SL_FLAG_INT64,                                                                                 \
       int: SL_FLAG_INT32,                                                                                     \
       double: SL_FLAG_DOUBLE,                                                                                 \
       const char *: SL_FLAG_TEXT,                                                                             \
       sl_text_list_t: SL_FLAG_LIST),                                                                          \
   .value = (void *)&(flags).field,                                                                            \
   .help = (help_) \
  }
#define SL_FLAGS_END \
  { 0 }

typedef struct {
  size_t struct_size;
  const char *summary;   // one line for --help
  const char *operands;  // "FILE…" for --help; NULL: words that are no flags are refused
  bool pass_unknown;     // leave unknown flags in argv instead of refusing them
} sl_flags_options_t;

// Takes the flags out of argv and stores them. On --help prints what there is and exits with 0; on a flag that is
// unknown or has a bad value prints one line that says so and exits with 2. sl_cluster_from_args() takes its own
// flags out, so call it before.
SL_EXPORT void sl_flags_parse_with(int *argc, char **argv, const sl_flag_t *flags, const sl_flags_options_t *options);
#define sl_flags_parse(argc, argv, flags, ...) \
  sl_flags_parse_with((argc), (argv), (flags), \
                      (&(const sl_flags_options_t){.struct_size = sizeof(sl_flags_options_t), __VA_ARGS__}))

// The same, but returns the exit code instead of exiting (-1: go on) and puts the text to print, malloc'ed, into
// |*out_text| (NULL for none).
SL_EXPORT int sl_flags_try_parse(int *argc, char **argv, const sl_flag_t *flags, const sl_flags_options_t *options,
                                 char **out_text);

SL_END_DECLS

#endif  // SLUICE_FLAGS_H_
