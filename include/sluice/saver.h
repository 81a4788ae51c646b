// Saves variables to checkpoints and restores them, as tf.train.Saver: the same
// nodes ("save/SaveV2", "save/restore_all", …), checkpoint files and state file.
#ifndef SLUICE_SAVER_H_
#define SLUICE_SAVER_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef struct sl_saver sl_saver_t;

typedef struct {
  size_t struct_size;
  const char *name;            // NULL: "save"
  const TF_Output *variables;  // NULL: all of SL_GLOBAL_VARIABLES
  size_t variable_count;
  const char *const *names;              // of the variables in checkpoints, one each; NULL: their own names
  const char *device;                    // writes and reads the files, unless sharded. NULL: the runtime chooses
  int max_to_keep;                       // 0: 5; < 0: all
  bool sharded;                          // each device writes its own variables
  double keep_checkpoint_every_n_hours;  // keep one checkpoint per so many hours beyond max_to_keep. 0: none
  bool no_meta_graph;                    // do not write the graph with the checkpoints
} sl_saver_options_t;

// Builds the nodes. Owned by the scope. There must be at least one variable.
SL_EXPORT sl_saver_t *sl_saver_with(sl_scope_t *scope, const sl_saver_options_t *options);
#define sl_saver(scope, ...) sl_saver_with(SL_AT(scope), SL_OPTIONS(sl_saver_options_t, __VA_ARGS__))

// Writes the checkpoint |prefix|-|step| (|prefix| alone if |step| < 0) and the graph with this saver as
// PREFIX-STEP.meta, adds it to the state file of its directory and deletes the oldest checkpoints beyond max_to_keep.
// The first save also deletes unfinished files of this prefix that a killed process left there. Blocks. If |out_path|
// is not NULL, it receives the path, allocated with malloc.
SL_EXPORT void sl_saver_save(sl_saver_t *saver, TF_Session *session, const char *prefix, int64_t step, char **out_path,
                             TF_Status *status);
// Restores the variables from checkpoint |path|. Blocks. If the checkpoint is of another model, nothing is restored,
// and the error names the variable, both shapes and the file. DATA_LOSS if it is damaged.
SL_EXPORT void sl_saver_restore(sl_saver_t *saver, TF_Session *session, const char *path, TF_Status *status);

// The path of the newest checkpoint in |directory|, allocated with malloc; NULL if there is none.
SL_EXPORT char *sl_latest_checkpoint(const char *directory);

// --- Graphs ---

// Writes |graph|, with the shapes of its outputs, to |directory|/|name|, in text format (Python's "graph.pbtxt") or
// serialized. As tf.train.write_graph. Blocks.
SL_EXPORT void sl_write_graph(TF_Graph *graph, const char *directory, const char *name, bool as_text,
                              TF_Status *status);

// --- MetaGraphs: a graph, its collections and its saver in one file ---

typedef struct {
  size_t struct_size;
  const sl_saver_t *saver;  // to include; NULL: none
  bool clear_devices;       // remove the devices of the nodes
} sl_export_meta_graph_options_t;
// Writes the graph and its collections to |path|: variables, queue runners and lists of nodes. As
// tf.train.export_meta_graph. Blocks.
SL_EXPORT void sl_export_meta_graph_with(sl_scope_t *scope, const char *path,
                                         const sl_export_meta_graph_options_t *options, TF_Status *status);
#define sl_export_meta_graph(scope, path, status, ...) \
  sl_export_meta_graph_with((scope), (path), SL_OPTIONS(sl_export_meta_graph_options_t, __VA_ARGS__), (status))

typedef struct {
  size_t struct_size;
  const char *import_scope;  // a prefix for the names of nodes, made unique; NULL: none
  bool clear_devices;        // ignore the devices in the file; those of SL_DEVICE blocks still apply
} sl_import_meta_graph_options_t;
// Adds the graph of the MetaGraph file |path|, written by C or Python, with its collections: variables (including
// resource variables, which optimizers train with resource slots), queue runners and lists of nodes. Other collections
// are kept for the next export. Returns the saver of the file, or one for all global variables if it has none; NULL
// if there are no variables or the scope has an error. Use TF_GraphOperationByName to find nodes. As
// tf.train.import_meta_graph. Blocks.
SL_EXPORT sl_saver_t *sl_import_meta_graph_with(sl_scope_t *scope, const char *path,
                                                const sl_import_meta_graph_options_t *options);
#define sl_import_meta_graph(scope, path, ...) \
  sl_import_meta_graph_with(SL_AT(scope), (path), SL_OPTIONS(sl_import_meta_graph_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_SAVER_H_
