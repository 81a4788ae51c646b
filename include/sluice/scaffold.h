// The operations that prepare a graph for training, and the manager that opens
// sessions with them, as tf.train.Scaffold and tf.train.SessionManager. Training
// sessions and the Supervisor use these. A program needs them only to replace one
// of the operations, or to open sessions itself.
#ifndef SLUICE_SCAFFOLD_H_
#define SLUICE_SCAFFOLD_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/saver.h"
#include "sluice/server.h"

SL_BEGIN_DECLS

// Initialises what init_op cannot, on the open session. Reports an error in |status|.
typedef void (*sl_init_function_t)(void *context, TF_Session *session, TF_Status *status);

// sl_scaffold_finalize() fills in the fields that are not set.
typedef struct {
  size_t struct_size;
  TF_Operation *init_op;                 // NULL: initialises the global variables
  sl_init_function_t init_fn;            // runs after init_op, if given
  void *init_context;                    // for init_fn
  TF_Operation *local_init_op;           // NULL: initialises the local variables
  TF_Output ready_for_local_init_op;     // names of uninitialised variables. Empty: of the global variables
  TF_Output ready_op;                    // the same, before training. Empty: of the global and local variables
  TF_Output summary_op;                  // Empty: all of SL_SUMMARIES merged, if there are any
  sl_saver_t *saver;                     // NULL: a sharded saver of all global variables, if there are any
  int max_to_keep;                       // of the default saver. 0: 5; < 0: all
  double keep_checkpoint_every_n_hours;  // of the default saver. 0: none
} sl_scaffold_t;

// A scaffold with the given fields: sl_scaffold_t scaffold = SL_SCAFFOLD(.init_fn = load);
#define SL_SCAFFOLD(...) ((sl_scaffold_t){.struct_size = sizeof(sl_scaffold_t), __VA_ARGS__})
// Builds the operations that |scaffold| lacks.
SL_EXPORT void sl_scaffold_finalize(sl_scope_t *scope, sl_scaffold_t *scaffold);

// --- Sessions ---

// Which task is the chief, which initialises, saves and announces the end. A program that decides itself, as with
// is_chief in Python, writes .chief = SL_CHIEF_IF(task_index == 0).
typedef enum {
  SL_CHIEF_OF_CLUSTER = 0,  // as sl_server_is_chief() says; without a server, this task
  SL_CHIEF,                 // this task
  SL_NOT_CHIEF,             // another task
} sl_chief_t;
#define SL_CHIEF_IF(condition) ((condition) ? SL_CHIEF : SL_NOT_CHIEF)

// --- Session manager ---

typedef struct sl_session_manager sl_session_manager_t;

typedef struct {
  size_t struct_size;
  sl_server_t *server;                 // NULL: local sessions
  const char *checkpoint_dir;          // the directory to restore the newest checkpoint from; NULL: none
  double recovery_wait_secs;           // accepted for compatibility with Python; not used
  double max_wait_secs;                // the longest wait for tasks and for the chief. 0: 7200
  bool (*should_stop)(void *context);  // called several times a second while waiting; true ends the wait: CANCELLED
  void *stop_context;
  bool all_tasks;             // sessions use the whole cluster, not only the ps tasks and this task
  const sl_config_t *config;  // of the sessions; NULL: defaults
  const char *master;         // "grpc://host:port", the task to open sessions on. NULL: the server's
} sl_session_manager_options_t;

// Finalizes and copies |scaffold|. The graph must not change afterwards.
SL_EXPORT sl_session_manager_t *sl_session_manager_with(sl_scope_t *scope, const sl_scaffold_t *scaffold,
                                                        const sl_session_manager_options_t *options);
#define sl_session_manager(scope, scaffold, ...) \
  sl_session_manager_with(SL_AT(scope), (scaffold), SL_OPTIONS(sl_session_manager_options_t, __VA_ARGS__))
// NULL is fine. Does not close the sessions.
SL_EXPORT void sl_session_manager_release(sl_session_manager_t *manager);

// The following functions wait for the tasks that the session uses (the ps tasks and this one), print what they wait
// for, and return a session that the caller closes and deletes; NULL after an error, which is in |status|. They block.
// For one thread at a time.
//
// For the chief: prepares the model, then runs local_init_op. If the ps tasks hold a whole model (the chief was
// restarted, or a ps was out of reach and has lost nothing), it continues with it, unless checkpoint_dir has no
// checkpoint or a newer one. Else it restores the newest checkpoint or, if there is none, initialises.
SL_EXPORT TF_Session *sl_session_manager_prepare_session(sl_session_manager_t *manager, TF_Status *status);
// For other tasks: waits until the chief has prepared the model, then runs local_init_op.
SL_EXPORT TF_Session *sl_session_manager_wait_for_session(sl_session_manager_t *manager, TF_Status *status);
// Restores the newest checkpoint if there is one. Sets |*out_ready| to whether the model is initialised.
SL_EXPORT TF_Session *sl_session_manager_recover_session(sl_session_manager_t *manager, bool *out_ready,
                                                         TF_Status *status);
// The checkpoint that the last session was restored from; NULL if none was. Owned by the manager.
SL_EXPORT const char *sl_session_manager_restored(const sl_session_manager_t *manager);

SL_END_DECLS

#endif  // SLUICE_SCAFFOLD_H_
