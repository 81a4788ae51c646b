// Training without ps tasks: every worker has all variables, computes gradients for its own batch, and the workers
// average them among themselves, around a ring (CollectiveReduce). All workers build the same graph, each under its own
// device, and start from the variables of the chief.
//
//   SL_DEVICE (g, sl_server_device(server)) {
//     …
//     sl_optimizer_t *optimizer = sl_all_reduce_optimizer(g, sl_adam(g, 0.001), server);
//     train = sl_minimize(g, optimizer, loss, .global_step = step);
//   }
//   sl_session_t *session = sl_all_reduce_session(g, server, .checkpoint_dir = "logs", .stop_at_step = 1000);
//
// A step waits for all workers. If one of them is lost, the steps of the others fail with an error that names it, and
// the sessions wait until it is back; then all continue from the variables of the chief. With --min_workers=N (see
// sluice/server.h) they go on without it, as long as there are N, from the variables of the worker that is furthest;
// workers may join and leave, the mean is that of those who are there, and the first of them saves.
#ifndef SLUICE_ALL_REDUCE_H_
#define SLUICE_ALL_REDUCE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/hooks.h"
#include "sluice/optimizer.h"
#include "sluice/session.h"

SL_BEGIN_DECLS

typedef enum {
  SL_ALL_REDUCE_SUM = 0,
  SL_ALL_REDUCE_MEAN,
  SL_ALL_REDUCE_PRODUCT,
  SL_ALL_REDUCE_MAX,
  SL_ALL_REDUCE_MIN,
} sl_all_reduce_kind_t;

typedef struct {
  size_t struct_size;
  const char *name;           // NULL: "CollectiveReduce"
  sl_all_reduce_kind_t kind;  // 0: the sum
  double timeout_secs;        // 0: waits for the other workers as long as they can be reached
} sl_all_reduce_options_t;
// The sum (or what .kind says) of |tensor| over all tasks that train, the same on each of them, to the bit. |tensor| is
// of a float type, int32 or int64, and has the same type and shape on all. All tasks must build their collective ops in
// the same order. In a program that runs alone it is |tensor| itself.
SL_EXPORT TF_Output sl_all_reduce_with(sl_scope_t *scope, TF_Output tensor, const sl_server_t *server,
                                       const sl_all_reduce_options_t *options);
#define sl_all_reduce(scope, tensor, server, ...) \
  sl_all_reduce_with(SL_AT(scope), (tensor), (server), SL_OPTIONS(sl_all_reduce_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;            // NULL: "broadcast_variables"
  const TF_Output *variables;  // NULL: all of SL_GLOBAL_VARIABLES
  size_t variable_count;
} sl_broadcast_variables_options_t;
// The operation that sets the variables of all tasks that train to the values of the first, which is the chief. Build
// it after the variables, also those of optimizers. In a program that runs alone it does nothing.
SL_EXPORT TF_Operation *sl_broadcast_variables_with(sl_scope_t *scope, const sl_server_t *server,
                                                    const sl_broadcast_variables_options_t *options);
#define sl_broadcast_variables(scope, server, ...) \
  sl_broadcast_variables_with(SL_AT(scope), (server), SL_OPTIONS(sl_broadcast_variables_options_t, __VA_ARGS__))

typedef enum {
  SL_COMPRESSION_NONE = 0,
  SL_COMPRESSION_HALF,      // float16: 11 bits of precision, values from 6e-8 to 65504
  SL_COMPRESSION_BFLOAT16,  // 8 bits of precision, the range of float
} sl_compression_t;

typedef struct {
  size_t struct_size;
  const char *name;      // of the name scope. NULL: "all_reduce"
  int64_t bucket_bytes;  // gradients are reduced together, up to so many bytes. 0: a quarter of all, from 1 to 64 MB
  sl_compression_t compression;  // of dense gradients on their way. 0: none
} sl_all_reduce_optimizer_options_t;
// An optimizer that applies the mean of all workers' gradients with |optimizer|. Owned by the scope. Gradients are put
// into buckets in the order in which back-propagation computes them, last layers first, and a bucket is reduced as soon
// as it is complete, while the rest is still computed. Of sparse gradients (rows of an embedding) every worker gathers
// the rows of all; workers may have different numbers of them.
SL_EXPORT sl_optimizer_t *sl_all_reduce_optimizer_with(sl_scope_t *scope, sl_optimizer_t *optimizer,
                                                       const sl_server_t *server,
                                                       const sl_all_reduce_optimizer_options_t *options);
#define sl_all_reduce_optimizer(scope, optimizer, server, ...)      \
  sl_all_reduce_optimizer_with(SL_AT(scope), (optimizer), (server), \
                               SL_OPTIONS(sl_all_reduce_optimizer_options_t, __VA_ARGS__))

// The training session of such a program: as sl_monitored_training_session(), but every task initialises its own
// variables and then takes those of the chief, and only the chief restores and saves checkpoints. With --min_workers
// any worker may have to do that, so all must see .checkpoint_dir. The scaffold's local_init_op must not be set.
SL_EXPORT sl_session_t *sl_all_reduce_session_with(sl_scope_t *scope, sl_server_t *server,
                                                   const sl_session_options_t *options);
#define sl_all_reduce_session(scope, server, ...) \
  sl_all_reduce_session_with(SL_AT(scope), (server), SL_OPTIONS(sl_session_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  int64_t every_n_iter;  // local steps. 0, and every_n_secs 0: 100
  double every_n_secs;
} sl_overlap_options_t;
// Traces a step at intervals, but not the first, and prints how much of its collective ops was hidden behind
// computation, and how much of the step was spent computing:
//
//   global step 200: 31.4 ms, of which 96 % computing; 12.0 ms of collective ops, 91 % hidden
SL_EXPORT sl_hook_t *sl_overlap_hook_with(const sl_overlap_options_t *options);
#define sl_overlap_hook(...) sl_overlap_hook_with(SL_OPTIONS(sl_overlap_options_t, __VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_ALL_REDUCE_H_
