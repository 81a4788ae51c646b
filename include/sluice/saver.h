// Saves variables to checkpoints and restores them, as tf.train.Saver: the same
// nodes ("save/SaveV2", "save/restore_all", …), files and state file.
#ifndef SLUICE_SAVER_H_
#define SLUICE_SAVER_H_

#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef struct sl_saver sl_saver_t;

typedef struct {
  size_t struct_size;
  const char *name;            // NULL: "save"
  const TF_Output *variables;  // NULL: all of SL_GLOBAL_VARIABLES
  size_t variable_count;
  const char *const *names;  // of the variables in checkpoints, one each; NULL: their own
  const char *device;        // where the files are written and read, unless sharded. NULL: where the runtime chooses
  int max_to_keep;           // 0: 5; < 0: all
  bool sharded;              // each device's variables are written where they are
  double keep_checkpoint_every_n_hours;  // of those beyond max_to_keep, one in so many hours stays. 0: none
} sl_saver_options_t;

// Builds the nodes. Belongs to the scope. There must be a variable.
SL_EXPORT sl_saver_t *sl_saver_with(sl_scope_t *scope, const sl_saver_options_t *options);
#define sl_saver(scope, ...) sl_saver_with(SL_AT(scope), SL_OPTIONS(sl_saver_options_t, __VA_ARGS__))

// Writes |prefix|-|step| (|prefix| alone if |step| < 0), notes it in the state file of its directory and deletes
// the oldest beyond max_to_keep. Blocks. |*out_path|, if not NULL, gets the malloc'ed path.
SL_EXPORT void sl_saver_save(sl_saver_t *saver, TF_Session *session, const char *prefix, int64_t step, char **out_path,
                             TF_Status *status);
// Reads checkpoint |path| into the variables. Blocks. One of another model is refused with the variable's name, both
// shapes and the file before anything is read; DATA_LOSS if it is damaged.
SL_EXPORT void sl_saver_restore(sl_saver_t *saver, TF_Session *session, const char *path, TF_Status *status);

// The newest checkpoint of |directory|, malloc'ed; NULL if there is none.
SL_EXPORT char *sl_latest_checkpoint(const char *directory);

SL_END_DECLS

#endif  // SLUICE_SAVER_H_
