// The feeds, fetches and targets of a run by name. A program runs the same few signatures
// again and again. Each is checked and named once, then found again by the addresses of
// the operations, so that a later run neither formats nor allocates.
#include <stdlib.h>

#include "base/hash.h"
#include "capi/capi.h"

// After this many a session creates further signatures for each run.
enum { MOST_SIGNATURES = 1024, SLOTS = 4 * MOST_SIGNATURES };

typedef struct {
  const TF_Output *feeds, *fetches;
  const TF_Operation *const *targets;
  size_t feed_count, fetch_count, target_count;
} arguments_t;

static uint64_t mix(uint64_t hash, const void *operation, int index) {
  return (hash ^ ((uint64_t)(uintptr_t)operation + (uint64_t)(unsigned)index)) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t hash_arguments(const arguments_t *arguments) {
  uint64_t hash = arguments->feed_count << 40 ^ arguments->fetch_count << 20 ^ arguments->target_count;
  for (size_t i = 0; i < arguments->feed_count; i++)
    hash = mix(hash, arguments->feeds[i].oper, arguments->feeds[i].index);
  for (size_t i = 0; i < arguments->fetch_count; i++)
    hash = mix(hash, arguments->fetches[i].oper, arguments->fetches[i].index);
  for (size_t i = 0; i < arguments->target_count; i++) hash = mix(hash, arguments->targets[i], 0);
  return hash ^ hash >> 32;
}

static bool outputs_equal(const TF_Output *a, const TF_Output *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (a[i].oper != b[i].oper || a[i].index != b[i].index) return false;
  return true;
}

static bool matches(const sli_capi_signature_t *signature, const arguments_t *arguments) {
  return signature->feed_count == arguments->feed_count && signature->fetch_count == arguments->fetch_count &&
         signature->target_count == arguments->target_count &&
         outputs_equal(signature->feeds, arguments->feeds, arguments->feed_count) &&
         outputs_equal(signature->fetches, arguments->fetches, arguments->fetch_count) &&
         (!arguments->target_count ||
          memcmp(signature->targets, arguments->targets, arguments->target_count * sizeof(*arguments->targets)) == 0);
}

// The slot of the signature, or the free slot where it belongs.
static sli_capi_signature_t **find_slot_locked(TF_Session *session, const arguments_t *arguments, uint64_t hash) {
  for (size_t at = (size_t)hash;; at++) {
    sli_capi_signature_t **slot = &session->signatures[at & (session->signature_slots - 1)];
    if (!*slot || ((*slot)->hash == hash && matches(*slot, arguments))) return slot;
  }
}

// --- Making one --------------------------------------------------------------

static void signature_destroy(sli_capi_signature_t *signature) {
  for (size_t i = 0; i < signature->feed_count; i++) free((char *)signature->feed_names[i]);
  for (size_t i = 0; i < signature->fetch_count; i++) free((char *)signature->fetch_names[i]);
  free(signature->feeds);
  free(signature->fetches);
  free(signature->targets);
  free(signature->feed_names);
  free(signature->fetch_names);
  free(signature->target_names);
  free(signature);
}

static sli_status_t *check_arguments(const TF_Graph *graph, const arguments_t *arguments) {
  for (size_t i = 0; i < arguments->feed_count; i++)
    SLI_RETURN_IF_ERROR(sli_capi_check_output(graph, arguments->feeds[i]));
  for (size_t i = 0; i < arguments->fetch_count; i++)
    SLI_RETURN_IF_ERROR(sli_capi_check_output(graph, arguments->fetches[i]));
  for (size_t i = 0; i < arguments->target_count; i++)
    SLI_RETURN_IF_ERROR(sli_capi_check_operation(graph, arguments->targets[i]));
  return NULL;
}

static void copy_outputs(const TF_Output *outputs, size_t count, TF_Output **out_copies, const char ***out_names) {
  *out_copies = sli_calloc(count, sizeof(**out_copies));
  *out_names = sli_calloc(count, sizeof(**out_names));
  for (size_t i = 0; i < count; i++) {
    (*out_copies)[i] = outputs[i];
    (*out_names)[i] = sli_format("%s:%d", sli_capi_node(outputs[i].oper)->def.name, outputs[i].index);
  }
}

static sli_capi_signature_t *create(const arguments_t *arguments, uint64_t hash) {
  sli_capi_signature_t *signature = sli_calloc(1, sizeof(*signature));
  signature->hash = hash;
  signature->feed_count = arguments->feed_count;
  signature->fetch_count = arguments->fetch_count;
  signature->target_count = arguments->target_count;
  copy_outputs(arguments->feeds, arguments->feed_count, &signature->feeds, &signature->feed_names);
  copy_outputs(arguments->fetches, arguments->fetch_count, &signature->fetches, &signature->fetch_names);
  signature->targets = sli_calloc(arguments->target_count, sizeof(*signature->targets));
  signature->target_names = sli_calloc(arguments->target_count, sizeof(*signature->target_names));
  for (size_t i = 0; i < arguments->target_count; i++) {
    signature->targets[i] = arguments->targets[i];
    signature->target_names[i] = sli_capi_node(arguments->targets[i])->def.name;
  }
  return signature;
}

static sli_status_t *find_locked(TF_Session *session, const arguments_t *arguments,
                                 sli_capi_signature_t **out_signature) {
  if (!session->signatures) {
    session->signatures = sli_calloc(SLOTS, sizeof(*session->signatures));
    session->signature_slots = SLOTS;
  }
  uint64_t hash = hash_arguments(arguments);
  sli_capi_signature_t **slot = find_slot_locked(session, arguments, hash);
  *out_signature = *slot;
  if (*slot) return NULL;
  SLI_RETURN_IF_ERROR(check_arguments(session->graph, arguments));
  *out_signature = create(arguments, hash);
  if (session->signature_count == MOST_SIGNATURES) return NULL;
  (*out_signature)->is_cached = true;
  *slot = *out_signature;
  session->signature_count++;
  return NULL;
}

sli_status_t *sli_capi_signature_find(TF_Session *session, const TF_Output *feeds, int feed_count,
                                      const TF_Output *fetches, int fetch_count, const TF_Operation *const *targets,
                                      int target_count, sli_capi_signature_t **out_signature) {
  *out_signature = NULL;
  if (feed_count < 0 || fetch_count < 0 || target_count < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "ninputs, noutputs and ntargets must be at least 0, got %d, %d and %d",
                           feed_count, fetch_count, target_count);
  arguments_t arguments = {feeds, fetches, targets, (size_t)feed_count, (size_t)fetch_count, (size_t)target_count};
  sli_capi_signature_t *recent = atomic_load_explicit(&session->recent, memory_order_acquire);
  if (recent && matches(recent, &arguments)) {
    *out_signature = recent;
    return NULL;
  }
  sli_mutex_lock(&session->mutex);
  sli_status_t *status = find_locked(session, &arguments, out_signature);
  sli_mutex_unlock(&session->mutex);
  if (*out_signature && (*out_signature)->is_cached)
    atomic_store_explicit(&session->recent, *out_signature, memory_order_release);
  return status;
}

void sli_capi_signature_done(sli_capi_signature_t *signature) {
  if (signature && !signature->is_cached) signature_destroy(signature);
}

void sli_capi_signatures_destroy(TF_Session *session) {
  for (size_t i = 0; i < session->signature_slots; i++)
    if (session->signatures[i]) signature_destroy(session->signatures[i]);
  free(session->signatures);
}
