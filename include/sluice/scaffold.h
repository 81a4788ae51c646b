// The operations that make a graph ready to train, and the manager that opens
// sessions with them, as tf.train.Scaffold and tf.train.SessionManager. Training
// sessions and the Supervisor stand on these; a program needs them only to
// replace one of the parts or to do without the rest.
#ifndef SLUICE_SCAFFOLD_H_
#define SLUICE_SCAFFOLD_H_

#include "sluice/saver.h"
#include "sluice/server.h"

SL_BEGIN_DECLS

// Initialises what init_op cannot, with the session open. Leaves an error in |status|.
typedef void (*sl_init_function_t)(void *context, TF_Session *session, TF_Status *status);

// Parts that are empty are made by sl_scaffold_finalize().
typedef struct {
  size_t struct_size;
  TF_Operation *init_op;                 // NULL: initialises the global variables
  sl_init_function_t init_fn;            // runs after init_op, if given
  void *init_context;                    // for init_fn
  TF_Operation *local_init_op;           // NULL: initialises the local variables
  TF_Output ready_for_local_init_op;     // names of what is missing before local_init_op. Empty: global variables
  TF_Output ready_op;                    // names of what is missing to train. Empty: global and local variables
  TF_Output summary_op;                  // Empty: all of SL_SUMMARIES, if there are any
  sl_saver_t *saver;                     // NULL: a sharded one of all global variables, if there are any
  int max_to_keep;                       // of the saver that is made. 0: 5; < 0: all
  double keep_checkpoint_every_n_hours;  // likewise. 0: none for ever
} sl_scaffold_t;

// A scaffold with the given parts: sl_scaffold_t scaffold = SL_SCAFFOLD(.init_fn = load);
#define SL_SCAFFOLD(...) ((sl_scaffold_t){.struct_size = sizeof(sl_scaffold_t), __VA_ARGS__})
// Builds what |scaffold| lacks.
SL_EXPORT void sl_scaffold_finalize(sl_scope_t *scope, sl_scaffold_t *scaffold);

// --- Sessions ---

// What a program asks of its sessions, as tf.ConfigProto. Copied by whoever takes it.
typedef struct {
  size_t struct_size;
  bool allow_soft_placement;         // a node whose device is not there, or has no kernel for it, runs elsewhere
  bool log_device_placement;         // say where each node runs
  int intra_op_parallelism_threads;  // 0: as many as there are processors
  int inter_op_parallelism_threads;
  const char *const *device_filters;  // what the sessions see; none: the ps tasks and this task
  size_t device_filter_count;
  const TF_Buffer *proto;  // a serialized ConfigProto for all else; what is given above counts more. NULL: none
} sl_config_t;
// sl_supervisor(g, .config = &SL_CONFIG(.log_device_placement = true))
#define SL_CONFIG(...) ((sl_config_t){.struct_size = sizeof(sl_config_t), __VA_ARGS__})

// --- Session manager ---

typedef struct sl_session_manager sl_session_manager_t;

typedef struct {
  size_t struct_size;
  sl_server_t *server;                 // NULL: local sessions
  const char *checkpoint_dir;          // where the newest checkpoint is looked for; NULL: nowhere
  double recovery_wait_secs;           // between looks whether the model is ready, if nobody tells. 0: 1
  double max_wait_secs;                // for tasks, and for the chief. 0: 7200
  bool (*should_stop)(void *context);  // asked several times a second while waiting; true ends it with CANCELLED
  void *stop_context;
  bool all_tasks;             // sessions see the whole cluster, not just the ps tasks and this one
  const sl_config_t *config;  // of the sessions; NULL: the usual
} sl_session_manager_options_t;

// |scaffold| is finalized and copied; the graph must not change afterwards.
SL_EXPORT sl_session_manager_t *sl_session_manager_with(sl_scope_t *scope, const sl_scaffold_t *scaffold,
                                                        const sl_session_manager_options_t *options);
#define sl_session_manager(scope, scaffold, ...) \
  sl_session_manager_with(SL_AT(scope), (scaffold), SL_OPTIONS(sl_session_manager_options_t, __VA_ARGS__))
// NULL is fine. Sessions stay.
SL_EXPORT void sl_session_manager_release(sl_session_manager_t *manager);

// All of these wait for the tasks that the session sees (the ps tasks and this one), say so, and return a session that
// the caller closes and deletes; NULL after an error, which is in |status|. They block. One thread at a time.
//
// The chief's: restores the newest checkpoint or, if there is none, initialises; then runs local_init_op.
SL_EXPORT TF_Session *sl_session_manager_prepare_session(sl_session_manager_t *manager, TF_Status *status);
// The others': waits until the chief is done, then runs local_init_op.
SL_EXPORT TF_Session *sl_session_manager_wait_for_session(sl_session_manager_t *manager, TF_Status *status);
// Restores the newest checkpoint if there is one; |*out_ready| says whether the model can be trained now.
SL_EXPORT TF_Session *sl_session_manager_recover_session(sl_session_manager_t *manager, bool *out_ready,
                                                         TF_Status *status);
// The checkpoint that the last session was restored from; NULL if it was not. Owned by the manager.
SL_EXPORT const char *sl_session_manager_restored(const sl_session_manager_t *manager);

SL_END_DECLS

#endif  // SLUICE_SCAFFOLD_H_
