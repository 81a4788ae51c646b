// MetaGraphDefs: a graph with its saver and its collections, as tf.train.export_meta_graph writes and import_meta_graph
// reads them. The structs borrow their memory. Parsers allocate in an arena and return INVALID_ARGUMENT for malformed
// bytes. Thread-safe; nothing here blocks.
#ifndef SLI_IO_CHECKPOINT_META_GRAPH_H_
#define SLI_IO_CHECKPOINT_META_GRAPH_H_

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
  SLI_META_GRAPH_NODES,  // names of outputs ("x:0") and operations ("train")
  SLI_META_GRAPH_BYTES,  // serialized messages, or any bytes
  SLI_META_GRAPH_OTHER,  // numbers or Any messages
} sli_meta_graph_collection_kind_t;

typedef struct {
  const char *key;
  sli_meta_graph_collection_kind_t kind;
  const sli_view_t *items;
  size_t count;
  sli_view_t encoded;  // the whole CollectionDef; if not empty, it is written instead of the items
} sli_meta_graph_collection_t;

typedef struct {
  sli_view_t graph_def;
  const char *tensorflow_version, *git_version;
  const sli_saver_def_t *saver;  // NULL: none
  const sli_meta_graph_collection_t *collections;
  size_t collection_count;
} sli_meta_graph_t;

sli_status_t *sli_meta_graph_parse(sli_view_t bytes, sli_arena_t *arena, sli_meta_graph_t *out_graph);
// Appends the MetaGraphDef. |op_list| is a serialized OpList; the ops that the graph uses are copied from it.
sli_status_t *sli_meta_graph_append(const sli_meta_graph_t *graph, sli_view_t op_list, sli_string_t *out);

// Appends |graph_def| with new devices. For each node |choose| gets op, name and device and writes the new device, at
// most |size| bytes including the NUL, to |out_device|. Frame names of loops get |frame_prefix|, because a graph may be
// imported twice.
typedef void (*sli_meta_graph_device_fn_t)(void *context, const char *op, const char *name, const char *device,
                                           char *out_device, size_t size);
sli_status_t *sli_meta_graph_place(sli_view_t graph_def, sli_meta_graph_device_fn_t choose, void *context,
                                   const char *frame_prefix, sli_string_t *out);

// An item of a collection of variables. Strings are never NULL.
typedef struct {
  const char *name, *initializer, *snapshot, *initial_value;  // "w:0", "w/Assign", "w/read:0", "w/Initializer/zeros:0"
  bool is_resource, trainable;
  int aggregation;
  const char *full_name;  // of the partitioned variable that it belongs to; "" if not partitioned
  int rank;               // of the following; 0 if not partitioned
  const int64_t *full_shape, *offsets, *shape;
} sli_variable_def_t;
sli_status_t *sli_variable_def_parse(sli_view_t bytes, sli_arena_t *arena, sli_variable_def_t *out_variable);
void sli_variable_def_append(const sli_variable_def_t *variable, sli_string_t *out);

// An item of the collection "queue_runners".
typedef struct {
  const char *queue, *close_op, *cancel_op;
  const char *const *enqueue_ops;
  size_t enqueue_count;
} sli_queue_runner_def_t;
sli_status_t *sli_queue_runner_def_parse(sli_view_t bytes, sli_arena_t *arena, sli_queue_runner_def_t *out_runner);
void sli_queue_runner_def_append(const sli_queue_runner_def_t *runner, sli_string_t *out);

#endif  // SLI_IO_CHECKPOINT_META_GRAPH_H_
