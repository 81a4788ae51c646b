// The items of a saver, and checks of checkpoints before they are restored.
#ifndef SLI_TRAIN_SAVE_SAVER_H_
#define SLI_TRAIN_SAVE_SAVER_H_

#include "base/arena.h"
#include "base/map.h"
#include "io/checkpoint/meta_graph.h"
#include "sluice/saver.h"
#include "train/graph/scope.h"

typedef struct {
  const sl_variable_info_t *variable;
  char *name;            // in the checkpoint
  bool renamed;          // the program chose the name
  bool optional;         // if a checkpoint lacks it, it gets its initial value and the rest is restored
  bool missing;          // from the checkpoint that was checked last
  TF_Operation *assign;  // restores it
} sli_saver_item_t;

bool sli_saver_is_sharded(const sl_saver_t *saver);
// Describes |saver| for a MetaGraph, with names in |arena|; false if its nodes could not be built.
bool sli_saver_describe(const sl_saver_t *saver, sli_arena_t *arena, sli_saver_def_t *out_def);
// A saver for nodes that are in the graph already. Owned by the scope.
sl_saver_t *sli_saver_import(sl_scope_t *scope, const sli_saver_def_t *def, TF_Output filename, TF_Output saved,
                             TF_Operation *restore);

// Checks that checkpoint |path| has each variable with its type and shape. Else INVALID_ARGUMENT or NOT_FOUND that
// names the variable, the shapes, the file and what to do; DATA_LOSS if the file is damaged. OK also if this process
// cannot see the file, or if it has the old format. Sets |missing| of optional variables. Blocks.
sli_status_t *sli_saver_check_checkpoint(sli_saver_item_t *items, size_t count, const char *path);

// Like sl_saver_restore, for the variables whose names are in |only|; NULL: all. A saver whose nodes the program has
// not built restores all.
void sli_saver_restore_some(sl_saver_t *saver, TF_Session *session, const char *path, const sli_map_t *only,
                            TF_Status *status);

// Lists the checkpoints in the state file of |directory|, newest first.
typedef SLI_ARRAY(char *) sli_saver_paths_t;
void sli_saver_list_checkpoints(const char *directory, sli_saver_paths_t *out_paths);

// Deletes what savers of checkpoints named |base| or "|base|-STEP" that were killed left in |directory|: parts that
// were not merged, files that were not renamed yet, data without an index. No such saver may run now. Blocks.
void sli_saver_remove_leftovers(const char *directory, const char *base);

#endif  // SLI_TRAIN_SAVE_SAVER_H_
