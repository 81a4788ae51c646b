// What a saver saves, and looking at checkpoints before they are restored.
#ifndef SLI_TRAIN_SAVER_INTERNAL_H_
#define SLI_TRAIN_SAVER_INTERNAL_H_

#include "base/arena.h"
#include "io/meta_graph.h"
#include "sluice/saver.h"
#include "train/scope_internal.h"

typedef struct {
  const sl_variable_info_t *variable;
  char *name;            // in the checkpoint
  bool renamed;          // the program chose it
  bool optional;         // a checkpoint without it is restored all the same, and it starts anew
  bool missing;          // from the checkpoint that was looked at last
  TF_Operation *assign;  // restores it
} sli_saved_t;

// The collection of variables that only programs in C have: see |optional|.
#define SLI_OPTIONAL_VARIABLES "sluice_optional_variables"

bool sli_saver_is_sharded(const sl_saver_t *saver);
// What a MetaGraph says of |saver|, names in |arena|; false if its nodes could not be built.
bool sli_saver_describe(const sl_saver_t *saver, sli_arena_t *arena, sli_saver_def_t *out_def);
// A saver whose nodes are there. Belongs to the scope.
sl_saver_t *sli_saver_adopt(sl_scope_t *scope, const sli_saver_def_t *def, TF_Output filename, TF_Output saved,
                            TF_Operation *restore);

// Whether checkpoint |path| can be restored into the variables: each is there, with its type and shape. Else an
// INVALID_ARGUMENT or NOT_FOUND that names variable, shapes, file and cure; DATA_LOSS if the file is damaged. OK also
// for a file that this process cannot see or that is of the old format. Optional ones are marked if they are missing.
// Blocks.
sli_status_t *sli_saver_check(sli_saved_t *items, size_t count, const char *path);

// The checkpoints that |directory| is known to have, newest first.
typedef SLI_ARRAY(char *) sli_paths_t;
void sli_checkpoints_list(const char *directory, sli_paths_t *out_paths);

#endif  // SLI_TRAIN_SAVER_INTERNAL_H_
