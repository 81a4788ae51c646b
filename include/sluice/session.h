// The session of a training program, as tf.train.MonitoredTrainingSession: the
// chief initialises the variables or restores them from the newest checkpoint,
// the others wait until that is done; it saves, summarises, shows progress, picks
// up the pieces when a task was restarted, and knows when to stop. The first
// error ends the training; sl_session_close() prints it.
#ifndef SLUICE_SESSION_H_
#define SLUICE_SESSION_H_

#include "sluice/scaffold.h"
#include "sluice/server.h"
#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef struct sl_session sl_session_t;
typedef struct sl_hook sl_hook_t;  // hooks.h

typedef struct {
  size_t struct_size;
  const char *checkpoint_dir;     // where the chief saves and restores, and writes summaries; NULL: nowhere
  int64_t stop_at_step;           // end when the global step reaches it; 0: never
  TF_Output progress;             // a scalar, the loss as a rule, to show with the progress
  double save_checkpoint_secs;    // 0: 600, or never if save_checkpoint_steps is given; < 0: only at start and end
  int64_t save_checkpoint_steps;  // 0: by the clock
  int64_t save_summaries_steps;   // 0: 100, or by the clock if save_summaries_secs is given; < 0: never
  int64_t log_steps;              // local steps between lines of progress. 0: 100; < 0: no progress
  int max_to_keep;                // checkpoints. 0: 5; < 0: all
  double max_wait_secs;           // for the other tasks, and for the chief's initialisation. 0: 7200
  const sl_scaffold_t *scaffold;  // NULL: all of the usual
  sl_hook_t *const *hooks;        // more hooks; the session's from now on. They come before its own
  size_t hook_count;
  sl_hook_t *const *chief_only_hooks;  // released unused in other tasks
  size_t chief_only_hook_count;
  bool all_tasks;  // see the whole cluster, not just the ps tasks and this one: for a graph that spans workers
  double save_summaries_secs;    // 0: by the steps alone
  int64_t log_step_count_steps;  // global steps between the rates in the event file. 0: 100; < 0: none
  const sl_config_t *config;     // of the session underneath; NULL: the usual
} sl_session_options_t;

// Opens the session; the graph must not change any more. |server| NULL: local. Never NULL: a failure (the scope's
// first error, the server's, an unreachable task) is kept, sl_should_stop() is then true at once. Blocks until the
// variables are ready. One thread at a time. From now on SIGINT and SIGTERM end the training in order (a step that
// waits for others is given up), a second one ends the process at once. Queue runners of the graph are started.
SL_EXPORT sl_session_t *sl_monitored_training_session_with(sl_scope_t *scope, sl_server_t *server,
                                                           const sl_session_options_t *options);
#define sl_monitored_training_session(scope, server, ...) \
  sl_monitored_training_session_with(SL_AT(scope), (server), SL_OPTIONS(sl_session_options_t, __VA_ARGS__))

// Whether to stop: the step is reached, the input is at its end, another task announced the end, a signal came, or
// there was an error.
SL_EXPORT bool sl_should_stop(sl_session_t *session);
// Any thread.
SL_EXPORT void sl_request_stop(sl_session_t *session);
// The first error, "" while there is none: "mnist.c:57: what is wrong".
SL_EXPORT const char *sl_session_error(const sl_session_t *session);
// The global step as last seen.
SL_EXPORT int64_t sl_session_step(const sl_session_t *session);
// The session underneath, to run things past the hooks; NULL after an error. It changes when a lost task is replaced.
SL_EXPORT TF_Session *sl_session_handle(sl_session_t *session);

// Ends the session: the chief saves a last checkpoint and, if the training ended well, tells the whole cluster that it
// is done. Prints the first error, if any, as one line on stderr. Releases |session|; returns the process's exit code:
// 0, 1 after an error, 128 + signal after a signal.
SL_EXPORT int sl_session_close(sl_session_t *session);

// --- Running ---

// Dense elements in the caller's memory, with type and shape.
typedef struct {
  TF_DataType dtype;
  sl_shape_t shape;
  const void *data;
} sl_array_t;

static inline sl_array_t sl_array_as_is(sl_array_t array, sl_shape_t unused) { return (void)unused, array; }
#define SL_DEFINE_ARRAY_(name, type, number)                              \
  static inline sl_array_t name(const type *data, sl_shape_t shape) {     \
    return (sl_array_t){.dtype = (number), .shape = shape, .data = data}; \
  }
SL_DEFINE_ARRAY_(sl_array_of_float, float, TF_FLOAT)
SL_DEFINE_ARRAY_(sl_array_of_double, double, TF_DOUBLE)
SL_DEFINE_ARRAY_(sl_array_of_int32, int32_t, TF_INT32)
SL_DEFINE_ARRAY_(sl_array_of_int64, int64_t, TF_INT64)
SL_DEFINE_ARRAY_(sl_array_of_uint8, uint8_t, TF_UINT8)
SL_DEFINE_ARRAY_(sl_array_of_bool, bool, TF_BOOL)
// From a pointer and dimensions, none for a scalar: SL_ARRAY(images, 100, 784).
#define SL_ARRAY(data, ...) \
  _Generic((data),                                     \
      sl_array_t: sl_array_as_is,                      \
      float *: sl_array_of_float,                      \
      const float *: sl_array_of_float,                \
      double *: sl_array_of_double,                    \
      const double *: sl_array_of_double,              \
      int32_t *: sl_array_of_int32,                    \
      const int32_t *: sl_array_of_int32,              \
      int64_t *: sl_array_of_int64,                    \
      const int64_t *: sl_array_of_int64,              \
      uint8_t *: sl_array_of_uint8,                    \
      const uint8_t *: sl_array_of_uint8,              \
      bool *: sl_array_of_bool,                        \
      const bool *: sl_array_of_bool)((data), SL_SHAPE(__VA_ARGS__))

typedef enum { SL_RUN_FEED, SL_RUN_FETCH, SL_RUN_FETCH_TENSOR, SL_RUN_TARGET } sl_run_kind_t;

typedef struct {
  sl_run_kind_t kind;
  TF_Output output;  // target: its operation
  sl_array_t array;  // feed: the value; fetch: type and memory of the result
  void *result;      // fetch: where it goes
  size_t count;      // fetch: elements there; 0: one, of any shape that has one
} sl_run_arg_t;

// Feeds an array, or a pointer and its dimensions. The memory is used where it is and must stay during the call.
#define SL_FEED(output_, ...) ((sl_run_arg_t){.kind = SL_RUN_FEED, .output = (output_), .array = SL_ARRAY(__VA_ARGS__)})
// Fetches a scalar, converted to the pointer's type: SL_FETCH(loss, &value); or SL_FETCH(logits, buffer, 1000).
#define SL_FETCH(output_, pointer, ...)       \
  ((sl_run_arg_t){.kind = SL_RUN_FETCH,       \
                  .output = (output_),        \
                  .array = SL_ARRAY(pointer), \
                  .result = (pointer),        \
                  .count = SL_FIRST_(__VA_ARGS__ + 0)})
#define SL_FIRST_(count) (size_t)(count)
// Fetches a tensor, which then is the caller's: SL_FETCH_TENSOR(images, &tensor).
#define SL_FETCH_TENSOR(output_, tensor) \
  ((sl_run_arg_t){.kind = SL_RUN_FETCH_TENSOR, .output = (output_), .result = (TF_Tensor **)(tensor)})
#define SL_TARGET(operation) ((sl_run_arg_t){.kind = SL_RUN_TARGET, .output = {(operation), 0}})

// Runs one step: sl_run(session, SL_FEED(x, images, 100, 784), SL_FETCH(loss, &value), SL_TARGET(train)).
// A run with a target is a training step, which progress, summaries and checkpoints count; one that only fetches is
// not. False when it failed: the session then has an error (or, at the end of the input, stops), results are as they
// were. Blocks; when a task is lost, until it is back and the model restored.
SL_EXPORT bool sl_run_with(sl_session_t *session, const sl_run_arg_t *args, size_t count, const char *file, int line);
#define sl_run(session, ...)                                  \
  sl_run_with((session), (const sl_run_arg_t[]){__VA_ARGS__}, \
              sizeof((sl_run_arg_t[]){__VA_ARGS__}) / sizeof(sl_run_arg_t), __FILE__, __LINE__)

SL_END_DECLS

#endif  // SLUICE_SESSION_H_
