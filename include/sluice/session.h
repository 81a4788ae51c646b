// Sessions: sl_session(), as tf.Session, which only runs the graph; and the session
// of a training program, as tf.train.MonitoredTrainingSession. In the latter the
// chief initialises the variables or restores them from the newest checkpoint (a
// restarted chief continues with those on the ps tasks, if they are whole); the other
// workers wait until that is done. The session saves checkpoints and summaries, shows
// progress, recovers when a task was restarted, and stops at the last step. The first
// error ends the training; sl_session_close() prints it.
//
// If the chief is silent for longer than --worker_lost (sluice/server.h), another worker
// takes its place: it opens a new session with the model on the ps tasks, saves to its
// own checkpoint_dir, uses those of its chief_only_hooks that have no |begin|, and
// announces the end. A chief that comes back later goes on as a worker. The first ps,
// which must be Sluice's, decides who the chief is. A program that sets |chief| or
// |master| itself keeps its chief.
#ifndef SLUICE_SESSION_H_
#define SLUICE_SESSION_H_

#pragma GCC system_header  // see sluice/export.h

#include <pthread.h>
#include <stdbool.h>

#include "sluice/scaffold.h"
#include "sluice/server.h"
#include "sluice/variable.h"

SL_BEGIN_DECLS

typedef struct sl_session sl_session_t;
typedef struct sl_hook sl_hook_t;  // hooks.h

typedef struct {
  size_t struct_size;
  const char *checkpoint_dir;  // for the checkpoints and summaries of the chief; NULL: write none
  int64_t stop_at_step;        // stop when the global step reaches it, which the graph must have; 0: never
  TF_Output progress;          // a scalar to show with the progress, usually the loss. NaN is an error, unless
                       // |hooks| has an sl_nan_tensor_hook for it; infinity is a warning, and at the end an error
  double save_checkpoint_secs;    // 0: 600, or never if save_checkpoint_steps is given; < 0: only at start and end
  int64_t save_checkpoint_steps;  // 0: by the clock
  int64_t save_summaries_steps;   // 0: 100, or by the clock if save_summaries_secs is given; < 0: never
  int64_t log_steps;              // local steps between lines of progress. 0: 100; < 0: no progress
  int max_to_keep;                // checkpoints. 0: 5; < 0: all
  double max_wait_secs;           // the longest wait for other tasks and for the chief, also in a step. 0: 7200
  const sl_scaffold_t *scaffold;  // NULL: defaults
  sl_hook_t *const *hooks;        // more hooks, which the session takes ownership of. They are called before its own
  size_t hook_count;
  sl_hook_t *const *chief_only_hooks;  // released unused in other tasks
  size_t chief_only_hook_count;
  bool all_tasks;  // use the whole cluster, not only the ps tasks and this task: for a graph that spans workers
  double save_summaries_secs;    // 0: by steps only
  int64_t log_step_count_steps;  // global steps between the rates in the event file. 0: 100; < 0: none
  const sl_config_t *config;     // of the TensorFlow session; NULL: defaults
  sl_chief_t chief;              // whether this task is the chief; 0: as the server says
  // "grpc://host:port", the task to open the session on, which may be another process. NULL: the server's. A program
  // without a server (NULL) uses all tasks of that cluster, which must see checkpoint_dir, and does not announce the
  // end of the job.
  const char *master;
  // Save checkpoints, but the first and the last one, in a thread while the training goes on. As with other workers
  // that train at the same time, the variables of a checkpoint may then be of different steps.
  bool save_in_background;
} sl_session_options_t;

// Opens the session. The graph must not change afterwards: a node that is added is an error of the next sl_run, at the
// line that added it. |server| NULL: local. Blocks until the variables are ready.
// Never returns NULL: after a failure (an error of the scope or the server, an unreachable task) the session has an
// error and sl_should_stop() is true. For one thread at a time. From now on SIGINT and SIGTERM end the training in
// order (a step that waits for other workers is given up); a second signal ends the process at once. Starts the queue
// runners of the graph.
SL_EXPORT sl_session_t *sl_monitored_training_session_with(sl_scope_t *scope, sl_server_t *server,
                                                           const sl_session_options_t *options);
#define sl_monitored_training_session(scope, server, ...) \
  sl_monitored_training_session_with(SL_AT(scope), (server), SL_OPTIONS(sl_session_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *target;         // "grpc://host:port", or what sl_server_target() returns; "" or NULL: this process
  const sl_config_t *config;  // NULL: defaults
} sl_plain_session_options_t;

// A plain session, as tf.Session: build, sl_run(), sl_session_close(). Nothing is initialised, restored, saved, shown
// or announced, there are no hooks, signals end the process as usual, and the graph may grow between runs. The program
// runs sl_global_variables_initializer() itself, and starts the queue runners of its graph, if any, with
// sl_start_queue_runners() on sl_session_handle(). With a server's target it uses all tasks of that cluster.
//
//   sl_session_t *session = sl_session(g, .target = "grpc://localhost:2222");
//   sl_run(session, SL_FETCH(sum, &value));
//   return sl_session_close(session);
//
// Never returns NULL: an error of the scope, of a server that did not start (with its target), or of the target is the
// session's. Connects at the first run, which waits for the tasks. For one thread at a time. After a run that failed,
// the next ones fail, too, until sl_session_clear_error().
SL_EXPORT sl_session_t *sl_session_with(sl_scope_t *scope, const sl_plain_session_options_t *options);
#define sl_session(scope, ...) sl_session_with(SL_AT(scope), SL_OPTIONS(sl_plain_session_options_t, __VA_ARGS__))
// Forgets the error of a run of a plain session, for a program that has handled it: it can run again, and
// sl_session_close() returns 0. Does nothing if the session could not be opened, or if the graph has an error.
SL_EXPORT void sl_session_clear_error(sl_session_t *session);

// Whether the training must stop: the session is closed, the last step is reached, the input has ended, another task
// announced the end, a signal arrived, or there was an error.
SL_EXPORT bool sl_should_stop(sl_session_t *session);
// Asks the training to stop. Thread-safe.
SL_EXPORT void sl_request_stop(sl_session_t *session);
// The first error, "mnist.c:57: what is wrong"; "" if there is none.
SL_EXPORT const char *sl_session_error(const sl_session_t *session);
// The global step after the last training step of this session.
SL_EXPORT int64_t sl_session_step(const sl_session_t *session);
// The TensorFlow session, to run something without hooks; NULL after an error. It changes when the session recovers
// from a lost task.
SL_EXPORT TF_Session *sl_session_handle(sl_session_t *session);

// The functions above and below do no harm to a session that is closed: sl_should_stop() returns true; the others print
// that the session is closed, and return false, 0, NULL or, sl_session_close(), 1.

// Closes the session. The chief saves a last checkpoint and, if there was no error, announces to the whole cluster that
// the job is done. Prints the first error, if any, as one line on stderr. Releases |session|. Returns the exit code for
// the process: 0; 1 after an error; 128 + signal after a signal.
SL_EXPORT int sl_session_close(sl_session_t *session);

// --- Running ---

// A dense array in the caller's memory.
typedef struct {
  TF_DataType dtype;
  sl_shape_t shape;
  const void *data;
} sl_array_t;

static inline sl_array_t sl_array_as_is(sl_array_t array, sl_shape_t unused) { return (void)unused, array; }
#define SL_DEFINE_ARRAY_(name, type, number)                          \
  static inline sl_array_t name(const type *data, sl_shape_t shape) { \
    sl_array_t array = {(number), shape, data};                       \
    return array;                                                     \
  }
SL_DEFINE_ARRAY_(sl_array_of_float, float, TF_FLOAT)
SL_DEFINE_ARRAY_(sl_array_of_double, double, TF_DOUBLE)
SL_DEFINE_ARRAY_(sl_array_of_int32, int32_t, TF_INT32)
SL_DEFINE_ARRAY_(sl_array_of_int64, int64_t, TF_INT64)
SL_DEFINE_ARRAY_(sl_array_of_uint8, uint8_t, TF_UINT8)
SL_DEFINE_ARRAY_(sl_array_of_bool, bool, TF_BOOL)
// An array from a pointer and its dimensions (none for a scalar): SL_ARRAY(images, 100, 784).
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
  TF_Output output;  // of a target only the operation counts
  sl_array_t array;  // feed: the value; fetch: the type of the result
  void *result;      // fetch: the memory of the result
  size_t count;      // fetch: elements that fit there; 0: one
} sl_run_arg_t;

// Feeds an array, or a pointer and its dimensions. The memory is not copied; it must not change during the call.
#define SL_FEED(output_, ...) ((sl_run_arg_t){.kind = SL_RUN_FEED, .output = (output_), .array = SL_ARRAY(__VA_ARGS__)})
// Fetches a scalar, SL_FETCH(loss, &value), or an array, SL_FETCH(logits, buffer, 1000). Converts to the pointer's
// type.
#define SL_FETCH(output_, pointer, ...)                  \
  ((sl_run_arg_t){.kind = SL_RUN_FETCH,                  \
                  .output = (output_),                   \
                  .array = {.dtype = SL_TYPE_(pointer)}, \
                  .result = (pointer),                   \
                  .count = SL_FIRST_(__VA_ARGS__ + 0)})
#define SL_FIRST_(count) (size_t)(count)
#define SL_TYPE_(pointer) \
  _Generic((pointer),        \
      float *: TF_FLOAT,     \
      double *: TF_DOUBLE,   \
      int32_t *: TF_INT32,   \
      int64_t *: TF_INT64,   \
      uint8_t *: TF_UINT8,   \
      bool *: TF_BOOL)
// Fetches a tensor, which the caller deletes: SL_FETCH_TENSOR(images, &tensor).
#define SL_FETCH_TENSOR(output_, tensor) \
  ((sl_run_arg_t){.kind = SL_RUN_FETCH_TENSOR, .output = (output_), .result = (TF_Tensor **)(tensor)})
#define SL_TARGET(operation) ((sl_run_arg_t){.kind = SL_RUN_TARGET, .output = {(operation), 0}})

// Runs one step: sl_run(session, SL_FEED(x, images, 100, 784), SL_FETCH(loss, &value), SL_TARGET(train)).
// A run with a target is a training step: hooks, progress, summaries and checkpoints see it. A run that only fetches is
// not. Returns false on failure: the session then has an error (or stops, at the end of the input) and the results are
// unchanged. A training step on a batch of 0 examples is an error. After sl_session_close() it prints so and returns
// false. Blocks. If a task is lost, blocks until it is back and the model is restored, and runs the step again.
SL_EXPORT bool sl_run_with(sl_session_t *session, const sl_run_arg_t *args, size_t count, const char *file, int line);
#define sl_run(session, ...)                                  \
  sl_run_with((session), (const sl_run_arg_t[]){__VA_ARGS__}, \
              sizeof((sl_run_arg_t[]){__VA_ARGS__}) / sizeof(sl_run_arg_t), __FILE__, __LINE__)

// Cancels the step that |thread| runs in |session|: it ends with CANCELLED and |reason|. False if it runs none, or if
// the session is one of a server ("grpc://…"), whose steps end by themselves or with the session.
SL_EXPORT bool sl_session_cancel_step(TF_Session *session, pthread_t thread, const char *reason);

SL_END_DECLS

#endif  // SLUICE_SESSION_H_
