// MetaGraph files: a graph with its saver and its collections, as
// tf.train.export_meta_graph writes and import_meta_graph reads them. Plain structs
// over borrowed memory; parsers put what they find into an arena and refuse bytes
// that are no such message with INVALID_ARGUMENT. Thread-safe; nothing here blocks.
#ifndef SLI_IO_META_GRAPH_H_
#define SLI_IO_META_GRAPH_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/string.h"

typedef struct {
  const char *filename_tensor, *save_tensor, *restore_op;  // "save/Const:0", "save/control_dependency:0", "…"
  int max_to_keep;
  bool sharded;
  double keep_checkpoint_every_n_hours;
} sli_saver_def_t;

typedef enum {
  SLI_COLLECTION_NODES,  // names of outputs ("x:0") and operations ("train")
  SLI_COLLECTION_BYTES,  // serialized messages, or any bytes
  SLI_COLLECTION_OTHER,  // numbers and the like
} sli_collection_kind_t;

typedef struct {
  const char *key;
  sli_collection_kind_t kind;
  const sli_view_t *items;
  size_t count;
  sli_view_t encoded;  // the whole CollectionDef; written in place of the items if it is not empty
} sli_collection_def_t;

typedef struct {
  sli_view_t graph_def;
  const char *tensorflow_version, *git_version;
  const sli_saver_def_t *saver;  // NULL: none
  const sli_collection_def_t *collections;
  size_t collection_count;
} sli_meta_graph_t;

sli_status_t *sli_meta_graph_parse(sli_view_t bytes, sli_arena_t *arena, sli_meta_graph_t *out_graph);
// Appends the MetaGraphDef. |op_list|: a serialized OpList, of which it takes the ops that the graph uses.
sli_status_t *sli_meta_graph_append(const sli_meta_graph_t *graph, sli_view_t op_list, sli_string_t *out);

// Appends |graph_def| with other devices: |choose| is told a node's op, name and device and leaves its device, at most
// |size| bytes with the NUL, in |out_device|. Names of loops' frames get |frame_prefix|: a graph may come in twice.
typedef void (*sli_device_chooser_t)(void *context, const char *op, const char *name, const char *device,
                                     char *out_device, size_t size);
sli_status_t *sli_graph_def_place(sli_view_t graph_def, sli_device_chooser_t choose, void *context,
                                  const char *frame_prefix, sli_string_t *out);

// Of the collections of variables. Texts are never NULL.
typedef struct {
  const char *name, *initializer, *snapshot, *initial_value;  // "w:0", "w/Assign", "w/read:0", "w/Initializer/zeros:0"
  bool is_resource, trainable;
  int aggregation;
  const char *full_name;  // of the variable that it is a part of; "": the whole
  int rank;               // of the following, 0 if it is no part
  const int64_t *full_shape, *offsets, *shape;
} sli_variable_def_t;
sli_status_t *sli_variable_def_parse(sli_view_t bytes, sli_arena_t *arena, sli_variable_def_t *out_variable);
void sli_variable_def_append(const sli_variable_def_t *variable, sli_string_t *out);

// Of the collection "queue_runners".
typedef struct {
  const char *queue, *close_op, *cancel_op;
  const char *const *enqueue_ops;
  size_t enqueue_count;
} sli_queue_runner_def_t;
sli_status_t *sli_queue_runner_def_parse(sli_view_t bytes, sli_arena_t *arena, sli_queue_runner_def_t *out_runner);
void sli_queue_runner_def_append(const sli_queue_runner_def_t *runner, sli_string_t *out);

#endif  // SLI_IO_META_GRAPH_H_
