// Records dealt out to the workers: each reads a shard of its own, so that all
// together use every record once an epoch. Where a worker is lies in an ordinary
// variable, "input/worker_0/position", which moves on with the training step that
// uses the records and is saved with the model: whoever starts again, alone or
// with all others, goes on with the records that come next.
//
//   TF_Output records = sl_sharded_input(g, server, SL_STRINGS("a.tfrecords", "b.tfrecords"), 100);
//   sl_parsed_t *parsed = sl_parse_example(g, records, SL_FEATURES(…));
#ifndef SLUICE_SHARDED_INPUT_H_
#define SLUICE_SHARDED_INPUT_H_

#include "sluice/input.h"
#include "sluice/server.h"

SL_BEGIN_DECLS

typedef struct {
  size_t struct_size;
  const char *name;         // NULL: "input"
  int64_t num_epochs;       // then the training ends. 0: for ever
  int64_t shuffle_buffer;   // the next record is drawn from so many, and files come in random order. 0: in order
  uint64_t seed;            // of the order, which is another one in each epoch; the same in all workers
  const char *compression;  // of the files: "", "ZLIB" or "GZIP". NULL: ""
  bool whole_files;         // file i belongs to shard i % shards, not record i: less to read, if there are enough
  int shard, shards;        // 0, 0: this task's, of as many as there are tasks that train
  double wait_secs;         // how long a worker waits at the end for others that do not move. 0: 60
} sl_sharded_input_options_t;

// The next |batch_size| records of the shard, as a vector of strings that each training step is fed with; fewer only at
// the end of the last epoch. Build it under sl_replica_device_setter(), with the same arguments in all tasks: the
// chief's graph saves the positions of all. For sl_monitored_training_session().
//
// When a task is lost, or the program is killed, records are used once an epoch as seen from the checkpoint that is
// restored: what was done since counts as not done. A step that was cut off may count as done or not. A checkpoint
// without positions (Python's, or one from before) is restored all the same, the input starts anew and a line says so;
// with another number of shards the epoch does. A file that is damaged or missing ends the training.
SL_EXPORT TF_Output sl_sharded_input_with(sl_scope_t *scope, sl_server_t *server, const char *const *files,
                                          size_t count, int64_t batch_size, const sl_sharded_input_options_t *options);
#define sl_sharded_input(scope, server, ...) SL_SHARDED_INPUT_(scope, server, __VA_ARGS__)
#define SL_SHARDED_INPUT_(scope, server, files, count, batch_size, ...)         \
  sl_sharded_input_with(SL_AT(scope), (server), (files), (count), (batch_size), \
                        SL_OPTIONS(sl_sharded_input_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_SHARDED_INPUT_H_
