// Distributes records among the workers: each worker reads its own shard, so that
// together they use every record once per epoch. The position of a worker is stored
// in an ordinary variable, "input/worker_0/position". The training step that uses
// the records updates it, and it is saved with the model. A worker that restarts,
// alone or with all others, continues with the next records.
//
//   TF_Output records = sl_sharded_input(g, server, SL_STRINGS("a.tfrecords", "b.tfrecords"), 100);
//   sl_parsed_t *parsed = sl_parse_example(g, records, SL_FEATURES(…));
#ifndef SLUICE_SHARDED_INPUT_H_
#define SLUICE_SHARDED_INPUT_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/dataset.h"
#include "sluice/input.h"
#include "sluice/server.h"

SL_BEGIN_DECLS

typedef struct {
  size_t struct_size;
  const char *name;         // NULL: "input"
  int64_t num_epochs;       // the training ends after so many epochs. 0: no limit
  int64_t shuffle_buffer;   // draw each record from a buffer of so many, and shuffle the files. 0: in order
  uint64_t seed;            // of the order, which differs in each epoch; must be the same in all workers
  const char *compression;  // of the files: "", "ZLIB" or "GZIP". NULL: ""
  bool whole_files;         // shard i % shards reads file i, instead of record i: reads less, but needs enough files
  int shard, shards;        // 0, 0: this task's shard, with one shard for each task that trains
  double wait_secs;         // how long a worker that is done waits for others that make no progress. 0: 60
} sl_sharded_input_options_t;

// A vector of the next |batch_size| records of the shard, as strings. Each training step is fed with it. It holds fewer
// records only at the end of the last epoch. Build it under sl_replica_device_setter() and with the same arguments in
// all tasks, because the chief's graph saves the positions of all. For sl_monitored_training_session().
//
// When a task is lost or the program is killed, the training continues from the restored checkpoint: records that were
// used after it was saved are used again. A step that was interrupted may count as done or not. If the checkpoint has
// no positions (it is from Python, or older), it is restored, the input starts at its beginning and a line reports it.
// If the number of shards has changed, the current epoch starts anew. A damaged or missing file ends the training.
SL_EXPORT TF_Output sl_sharded_input_with(sl_scope_t *scope, sl_server_t *server, const char *const *files,
                                          size_t count, int64_t batch_size, const sl_sharded_input_options_t *options);
#define sl_sharded_input(scope, server, ...) SL_SHARDED_INPUT_(scope, server, __VA_ARGS__)
#define SL_SHARDED_INPUT_(scope, server, files, count, batch_size, ...)         \
  sl_sharded_input_with(SL_AT(scope), (server), (files), (count), (batch_size), \
                        SL_OPTIONS(sl_sharded_input_options_t, __VA_ARGS__))

// --- Datasets ---

typedef struct {
  size_t struct_size;
  const char *name;   // NULL: "dataset"
  int shard, shards;  // 0, 0: this task's position, with one position for each task that trains
  double wait_secs;   // how long a worker that is done waits for others that make no progress. 0: 60
} sl_dataset_saved_options_t;

// As sl_dataset_next(), with a position that is saved with the model, "dataset/worker_0/position". Each step of the
// session takes one element and counts it. A worker that restarts, alone or with all others, continues with the next
// element; shuffles without a seed continue in the same order. The elements before it are read again, but not parsed.
//
//   data = sl_dataset_shard(data, sl_server_replica_count(server), sl_server_replica_index(server));
//   …
//   sl_outputs_t next = sl_dataset_next_saved(data, server);
//
// Build it under sl_replica_device_setter() and in all tasks. For sl_monitored_training_session(). What is said above
// about checkpoints holds here, too; if the number of shards has changed, the dataset starts at its beginning.
SL_EXPORT sl_outputs_t sl_dataset_next_saved_with(const sl_dataset_t *dataset, sl_server_t *server,
                                                  const sl_dataset_saved_options_t *options);
#define sl_dataset_next_saved(dataset, server, ...) \
  sl_dataset_next_saved_with(SL_DATASET_AT(dataset), (server), SL_OPTIONS(sl_dataset_saved_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_SHARDED_INPUT_H_
