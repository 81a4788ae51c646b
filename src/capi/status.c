// TF_Status: a sli_status_t with the same code and text.
#include <stdlib.h>

#include "capi/capi.h"

TF_Status *TF_NewStatus(void) { return sli_calloc(1, sizeof(TF_Status)); }

static void clear_payloads(TF_Status *status) {
  if (!status->payloads.count) return;
  SLI_MAP_FOR_EACH (&status->payloads, entry) free(entry->value);
  sli_map_deinitialize(&status->payloads);
  status->payloads = (sli_map_t){0};
}

void TF_DeleteStatus(TF_Status *s) {
  if (!s) return;
  sli_capi_set_status(s, NULL);
  free(s);
}

void sli_capi_set_status(TF_Status *status, sli_status_t *value) {
  clear_payloads(status);
  if (status->status) sli_status_release(status->status);
  status->status = value;
}

void TF_SetStatus(TF_Status *s, TF_Code code, const char *msg) {
  sli_capi_set_status(s, code == TF_OK ? NULL : sli_status_make_text((sli_code_t)code, msg));
}

void TF_SetPayload(TF_Status *s, const char *key, const char *value) {
  if (s->status) free(sli_map_set(&s->payloads, sli_view(key), sli_strdup(value)));
}

void TF_ForEachPayload(const TF_Status *s, TF_PayloadVisitor visitor, void *capture) {
  SLI_MAP_FOR_EACH (&s->payloads, entry) visitor(entry->key, entry->value, capture);
}

void TF_SetStatusFromIOError(TF_Status *s, int error_code, const char *context) {
  sli_capi_set_status(s, error_code ? sli_status_from_errno(error_code, "%s", context) : NULL);
}

TF_Code TF_GetCode(const TF_Status *s) { return (TF_Code)sli_status_code(s->status); }

const char *TF_Message(const TF_Status *s) { return sli_status_message(s->status); }
