// The deprecated session API, which takes GraphDefs and names instead of a graph and its operations.
#include <stdlib.h>

#include "capi/capi.h"

struct TF_DeprecatedSession {
  sli_session_t *session;
};

TF_DeprecatedSession *TF_NewDeprecatedSession(const TF_SessionOptions *options, TF_Status *status) {
  sli_session_t *inner = NULL;
  sli_capi_set_status(status, sli_capi_session_open(options, &inner));
  if (!inner) return NULL;
  TF_DeprecatedSession *session = sli_calloc(1, sizeof(*session));
  session->session = inner;
  return session;
}

void TF_CloseDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status) {
  sli_capi_set_status(status, session->session->vtable->close(session->session));
}

void TF_DeleteDeprecatedSession(TF_DeprecatedSession *session, TF_Status *status) {
  sli_capi_set_status(status, NULL);
  if (!session) return;
  session->session->vtable->destroy(session->session);
  free(session);
}

void TF_ExtendGraph(TF_DeprecatedSession *session, const void *proto, size_t proto_len, TF_Status *status) {
  sli_capi_set_status(status, session->session->vtable->extend(session->session, sli_view_of(proto, proto_len)));
}

// "x" means its output 0.
static const char **with_index(const char **names, int count) {
  const char **full = sli_calloc((size_t)count, sizeof(*full));
  for (int i = 0; i < count; i++) full[i] = strchr(names[i], ':') ? sli_strdup(names[i]) : sli_format("%s:0", names[i]);
  return full;
}

static void free_names(const char **names, int count) {
  for (int i = 0; i < count; i++) free((char *)names[i]);
  free(names);
}

static sli_session_run_t run_of_names(const char **feeds, int feed_count, const char **fetches, int fetch_count,
                                      const char **targets, int target_count) {
  return (sli_session_run_t){
      .feed_names = with_index(feeds, feed_count),
      .feed_count = (size_t)feed_count,
      .fetch_names = with_index(fetches, fetch_count),
      .fetch_count = (size_t)fetch_count,
      .target_names = targets,
      .target_count = (size_t)target_count,
  };
}

static void release_run(sli_session_run_t *run) {
  free_names((const char **)run->feed_names, (int)run->feed_count);
  free_names((const char **)run->fetch_names, (int)run->fetch_count);
}

void TF_Run(TF_DeprecatedSession *session, const TF_Buffer *run_options, const char **input_names, TF_Tensor **inputs,
            int ninputs, const char **output_names, TF_Tensor **outputs, int noutputs, const char **target_oper_names,
            int ntargets, TF_Buffer *run_metadata, TF_Status *status) {
  sli_session_run_t run = run_of_names(input_names, ninputs, output_names, noutputs, target_oper_names, ntargets);
  run.options = sli_capi_buffer_view(run_options);
  sli_capi_set_status(status, sli_capi_run(session->session, &run, inputs, outputs, run_metadata));
  release_run(&run);
}

void TF_PRunSetup(TF_DeprecatedSession *session, const char **input_names, int ninputs, const char **output_names,
                  int noutputs, const char **target_oper_names, int ntargets, const char **handle, TF_Status *status) {
  sli_session_run_t run = run_of_names(input_names, ninputs, output_names, noutputs, target_oper_names, ntargets);
  char *made = NULL;
  sli_capi_set_status(status, session->session->vtable->partial_run_setup(session->session, &run, &made));
  *handle = made;
  release_run(&run);
}

void TF_PRun(TF_DeprecatedSession *session, const char *handle, const char **input_names, TF_Tensor **inputs,
             int ninputs, const char **output_names, TF_Tensor **outputs, int noutputs, const char **target_oper_names,
             int ntargets, TF_Status *status) {
  sli_session_run_t run = run_of_names(input_names, ninputs, output_names, noutputs, target_oper_names, ntargets);
  run.partial_handle = handle;
  sli_capi_set_status(status, sli_capi_run(session->session, &run, inputs, outputs, NULL));
  release_run(&run);
}

TF_DeviceList *TF_DeprecatedSessionListDevices(TF_DeprecatedSession *session, TF_Status *status) {
  return sli_capi_list_devices(session->session, status);
}
