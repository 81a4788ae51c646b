// Tables of embeddings that are larger than anybody knows before. A row is named by an id, any number of 64 bits; it
// appears when it is first looked up, with values that depend on its id alone. Its gradient is applied on the ps task
// that has it, by an optimizer whose slots belong to the row. docs/store.md is the manual.
//
//   sl_embedding_table_t *users = sl_embedding_table(s, "user", 32, .parts = 2, .device = "/job:ps/task:%d",
//                                                    .optimizer = "Adagrad learning_rate=0.05",
//                                                    .initializer = "uniform scale=0.05");
//   TF_Output user = sl_embedding_lookup_sparse(s, users, user_ids, .combiner = SL_COMBINER_MEAN);
//   …
//   sl_minimize(s, optimizer, loss);  // updates the variables by |optimizer| and the rows by their own
#ifndef SLUICE_EMBEDDING_H_
#define SLUICE_EMBEDDING_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/losses.h"
#include "sluice/node.h"

SL_BEGIN_DECLS

typedef struct sl_embedding_table sl_embedding_table_t;

// How the values of rows are stored. The slots of the optimizer are floats.
typedef enum {
  SL_STORAGE_FLOAT32 = 0,
  SL_STORAGE_BFLOAT16,
  SL_STORAGE_INT8,  // with a factor for each row
} sl_storage_t;

// Zero fields mean the default.
typedef struct {
  size_t struct_size;
  int parts;           // ps tasks that share the rows; 1
  const char *device;  // of each part: "/job:ps/task:%d". NULL: as the current blocks say
  // The rule of the rows' updates, as docs/store.md lists them: "Adagrad learning_rate=0.05", "Adam
  // learning_rate=0.001". "GradientDescent learning_rate=0.01"
  const char *optimizer;
  const char *initializer;  // "uniform scale=0.05 seed=1", "normal scale=0.05 seed=1"; "zeros"
  sl_storage_t storage;
  int64_t admit_after;  // an id gets a row when it is seen for the so-many-th time; at most 255. 0: at once
  int64_t max_age;      // rows that no step used while the table was updated so many times are removed. 0: none
  int64_t max_rows;     // of each part; 0: no limit
  int64_t max_bytes;    // of each part, rows with slots and index; 0: no limit
  // A directory of the ps tasks. Rows that do not fit in the limits go to a file there, and come back when they are
  // used.
  const char *cold_directory;
  bool refuse;  // at a limit new rows fail with RESOURCE_EXHAUSTED, instead of taking the place of old ones
  // Every so many checkpoints have all rows; those between have the rows that changed since the one before, and links
  // to its files. 0, 1: all have all rows.
  int full_save_every;
  bool not_trainable;  // lookups create no rows, and gradients are not applied
} sl_embedding_table_options_t;

// A table of rows of |dim| floats. Programs of one cluster share it by its name, and clients of sluice/kv.h too. Owned
// by the scope.
SL_EXPORT sl_embedding_table_t *sl_embedding_table_with(sl_scope_t *scope, const char *name, int dim,
                                                        const sl_embedding_table_options_t *options);
#define sl_embedding_table(scope, name, dim, ...) \
  sl_embedding_table_with(SL_AT(scope), (name), (dim), SL_OPTIONS(sl_embedding_table_options_t, __VA_ARGS__))

// How the rows of an example's ids become one row.
typedef enum {
  SL_COMBINER_SUM = 0,
  SL_COMBINER_MEAN,   // by the sum of the weights
  SL_COMBINER_SQRTN,  // by the root of the sum of the squared weights
} sl_combiner_t;

// Ids of each example of a batch. Zero fields mean the default.
typedef struct {
  sl_embedding_table_t *table;
  TF_Output ids;      // int64: [count] with |indices|; without, [batch] or [batch, n]: as many for each example
  TF_Output indices;  // int64 [count, rank], the first of each is the example: those of a sparse tensor
  TF_Output weights;  // float, of each id; empty: 1. They have no gradient
  sl_combiner_t combiner;
} sl_embedding_feature_t;

typedef struct {
  size_t struct_size;
  const char *name;  // NULL: "embedding_lookup_features"
  TF_Output batch;   // int64: the number of examples. Empty: that of the first feature without indices
  // Above 0: a thread of the session looks up so many batches ahead of the one that is trained. The rows may then lack
  // updates of the steps between. The ids must come from the graph's input, not from placeholders; everything else that
  // belongs to the batch, such as labels, must be in |with|, and is replaced by what belongs to the rows.
  int prefetch;
  TF_Output *with;
  size_t with_count;
} sl_embedding_lookup_features_options_t;
// Looks all features up, in one exchange with each ps task: float [batch, dim] of each. Equal ids are asked for once,
// and their gradients are summed before they are sent. An example without ids gets zeros. All tables must have the same
// parts.
SL_EXPORT sl_outputs_t sl_embedding_lookup_features_with(sl_scope_t *scope, const sl_embedding_feature_t *features,
                                                         size_t count,
                                                         const sl_embedding_lookup_features_options_t *options);
#define sl_embedding_lookup_features(scope, features, count, ...)      \
  sl_embedding_lookup_features_with(SL_AT(scope), (features), (count), \
                                    SL_OPTIONS(sl_embedding_lookup_features_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;   // NULL: "embedding_lookup_sparse"
  TF_Output weights;  // float, of each id; empty: 1
  sl_combiner_t combiner;
} sl_embedding_lookup_sparse_options_t;
// The same for one feature: |ids| is a sparse tensor of int64, [batch, anything].
SL_EXPORT TF_Output sl_embedding_lookup_sparse_with(sl_scope_t *scope, sl_embedding_table_t *table, sl_sparse_t ids,
                                                    const sl_embedding_lookup_sparse_options_t *options);
#define sl_embedding_lookup_sparse(scope, table, ids, ...)      \
  sl_embedding_lookup_sparse_with(SL_AT(scope), (table), (ids), \
                                  SL_OPTIONS(sl_embedding_lookup_sparse_options_t, __VA_ARGS__))

// int64 [4]: the numbers of rows of all parts, of bytes that they take in memory, of rows evicted so far, and of
// updates of rows that were not admitted yet.
SL_EXPORT TF_Output sl_embedding_table_size_with(sl_scope_t *scope, const sl_embedding_table_t *table);
#define sl_embedding_table_size(scope, table) sl_embedding_table_size_with(SL_AT(scope), (table))

SL_END_DECLS

#endif  // SLUICE_EMBEDDING_H_
