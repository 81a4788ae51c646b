// Shared by the files of sluice.Control: the service (control.c), the status that it reports (control_status.c), the
// calls to all other tasks (control_peers.c) and the choice of the chief (control_chief.c).
#ifndef SLI_DIST_CONTROL_CONTROL_INTERNAL_H_
#define SLI_DIST_CONTROL_CONTROL_INTERNAL_H_

#include "base/array.h"
#include "base/map.h"
#include "dist/control/control.h"
#include "dist/service/service_call.h"

typedef struct sli_control_ready_waiter sli_control_ready_waiter_t;  // control.c
typedef struct sli_control_check sli_control_check_t;                // control_compare.c
typedef struct sli_control_curve sli_control_curve_t;                // control_scalars.c
typedef struct sli_control_tracer sli_control_tracer_t;              // control_trace.c

// Who the chief is, as this task has decided.
typedef struct {
  char *task;  // NULL: there is none
  uint64_t incarnation;
  int64_t heard_at;  // when it claimed last
  char *former;      // the one before, if that was another task; NULL: none
} sli_control_chief_t;

struct sli_control {
  sli_control_options_t options;
  sli_rpc_server_t *const *servers;
  size_t server_count;
  int64_t started_at;
  atomic_bool is_done;
  // Polling thread only.
  sli_control_ready_waiter_t *waiters;
  sli_control_check_t *checks;
  sli_control_tracer_t *tracers;
  sli_map_t conflicts;  // what was logged about other lists
  sli_mutex_t mutex;
  // Under mutex.
  bool is_model_ready;
  SLI_ARRAY(sli_control_curve_t *) curves;
  bool *unreached;        // by index in the cluster: could not be notified that the job is done
  sli_status_t *stopped;  // the answer to ModelReady calls after a stop
  sli_control_chief_t chief;
  int64_t *kept_until;  // by index in the cluster: until when its place is kept for one who asked; 0: it is not
};

// Fills in the identity of this task.
void sli_control_fill_hello(sli_control_t *control, sli_arena_t *arena, Sluice__HelloResponse *out_hello);
// Fills in the curves of sli_control_report_scalar, and frees them.
void sli_control_fill_scalars(sli_control_t *control, sli_arena_t *arena, Sluice__StatusResponse *out_status);
void sli_control_free_scalars(sli_control_t *control);

// The method Trace; what the master calls when it has traced a step; and the end of all waiting calls with |error|,
// which is borrowed. The first and last on the polling thread.
void sli_control_trace(sli_service_call_t *call, const void *message);
void sli_control_step_traced(void *context, sli_view_t metadata);
void sli_control_stop_tracing(sli_control_t *control, sli_status_t *error);
// Sets the quorum of the accumulators that |request| names, if it says so, and describes them.
void sli_control_fill_quorum(sli_control_t *control, const Sluice__QuorumRequest *request, sli_arena_t *arena,
                             Sluice__QuorumResponse *out_response);

// Compares the caller's list of tasks with ours, if |request| has it, and answers the call with |reply|, which is in
// its arena; at once, or when it is known whether the caller can be reached at the address that we have. On the polling
// thread.
void sli_control_compare(sli_control_t *control, sli_service_call_t *call, const Sluice__HelloRequest *request,
                         Sluice__HelloResponse *reply);
// Ends all comparisons. On the polling thread.
void sli_control_stop_comparing(sli_control_t *control);

// Decides who the chief is: see ChiefRequest. The texts of the response are in |arena|.
void sli_control_decide_chief(sli_control_t *control, const Sluice__ChiefRequest *request, sli_arena_t *arena,
                              Sluice__ChiefResponse *out_response);
// The method Place.
void sli_control_place(sli_service_call_t *call, const void *message);
// Forgets the chief: the job is done.
void sli_control_forget_chief(sli_control_t *control);

// Notes that |task| is at |address| now.
void sli_control_note_moved(sli_control_t *control, const char *task, const char *address);

// Marks the job as done on this task.
void sli_control_set_done(sli_control_t *control);

#endif  // SLI_DIST_CONTROL_CONTROL_INTERNAL_H_
