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
  bool no_meta_graph;                    // checkpoints come without the graph
} sl_saver_options_t;

// Builds the nodes. Belongs to the scope. There must be a variable.
SL_EXPORT sl_saver_t *sl_saver_with(sl_scope_t *scope, const sl_saver_options_t *options);
#define sl_saver(scope, ...) sl_saver_with(SL_AT(scope), SL_OPTIONS(sl_saver_options_t, __VA_ARGS__))

// Writes |prefix|-|step| (|prefix| alone if |step| < 0) and, beside it, the graph with this saver as PREFIX-STEP.meta,
// notes it in the state file of its directory and deletes the oldest beyond max_to_keep. Blocks. |*out_path|, if not
// NULL, gets the malloc'ed path.
SL_EXPORT void sl_saver_save(sl_saver_t *saver, TF_Session *session, const char *prefix, int64_t step, char **out_path,
                             TF_Status *status);
// Reads checkpoint |path| into the variables. Blocks. One of another model is refused with the variable's name, both
// shapes and the file before anything is read; DATA_LOSS if it is damaged.
SL_EXPORT void sl_saver_restore(sl_saver_t *saver, TF_Session *session, const char *path, TF_Status *status);

// The newest checkpoint of |directory|, malloc'ed; NULL if there is none.
SL_EXPORT char *sl_latest_checkpoint(const char *directory);

// --- Graphs ---

// Writes |graph|, with the shapes of its outputs, to |directory|/|name|: in text format, as Python's "graph.pbtxt", or
// serialized. As tf.train.write_graph. Blocks.
SL_EXPORT void sl_write_graph(TF_Graph *graph, const char *directory, const char *name, bool as_text,
                              TF_Status *status);

// --- MetaGraphs: a graph, its collections and its saver in one file ---

typedef struct {
  size_t struct_size;
  const sl_saver_t *saver;  // to describe; NULL: none
  bool clear_devices;       // nodes without devices
} sl_export_meta_graph_options_t;
// Writes the graph and its collections to |path|: variables (with what makes and reads them), queue runners, lists of
// nodes. As tf.train.export_meta_graph. Blocks.
SL_EXPORT void sl_export_meta_graph_with(sl_scope_t *scope, const char *path,
                                         const sl_export_meta_graph_options_t *options, TF_Status *status);
#define sl_export_meta_graph(scope, path, status, ...) \
  sl_export_meta_graph_with((scope), (path), SL_OPTIONS(sl_export_meta_graph_options_t, __VA_ARGS__), (status))

typedef struct {
  size_t struct_size;
  const char *import_scope;  // names of nodes start with it, made unique; NULL: as they are
  bool clear_devices;        // forget the nodes' devices; those of the blocks around hold
} sl_import_meta_graph_options_t;
// Adds the graph of the MetaGraph at |path|, by C or Python, with its collections: variables (resource variables too,
// which optimizers train, with slots that are resources), queue runners, lists of nodes; what else there is waits for
// the next export. Returns its saver, or one of all global variables if it has none; NULL without variables or after an
// error of the scope. Nodes are found by name with TF_GraphOperationByName. As tf.train.import_meta_graph. Blocks.
SL_EXPORT sl_saver_t *sl_import_meta_graph_with(sl_scope_t *scope, const char *path,
                                                const sl_import_meta_graph_options_t *options);
#define sl_import_meta_graph(scope, path, ...) \
  sl_import_meta_graph_with(SL_AT(scope), (path), SL_OPTIONS(sl_import_meta_graph_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_SAVER_H_
