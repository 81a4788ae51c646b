// Lists of a session's devices.
#include <stdlib.h>

#include "capi/capi.h"

struct TF_DeviceList {
  sli_device_set_t set;
};

TF_DeviceList *sli_capi_list_devices(sli_session_t *session, TF_Status *status) {
  TF_DeviceList *list = sli_calloc(1, sizeof(*list));
  sli_capi_set_status(status, session->vtable->list_devices(session, &list->set));
  if (!sli_capi_failed(status)) return list;
  TF_DeleteDeviceList(list);
  return NULL;
}

TF_DeviceList *TF_SessionListDevices(TF_Session *session, TF_Status *status) {
  return sli_capi_list_devices(session->session, status);
}

void TF_DeleteDeviceList(TF_DeviceList *list) {
  if (!list) return;
  sli_device_set_deinitialize(&list->set);
  free(list);
}

int TF_DeviceListCount(const TF_DeviceList *list) { return (int)list->set.devices.count; }

static const sli_device_set_entry_t *device_at(const TF_DeviceList *list, int index, TF_Status *status) {
  if (!list) {
    sli_capi_set_status(status, sli_status_make(SLI_INVALID_ARGUMENT, "list is null!"));
    return NULL;
  }
  if (index < 0 || (size_t)index >= list->set.devices.count) {
    sli_capi_set_status(status, sli_status_make(SLI_INVALID_ARGUMENT, "index out of bounds"));
    return NULL;
  }
  sli_capi_set_status(status, NULL);
  return &list->set.devices.items[index];
}

const char *TF_DeviceListName(const TF_DeviceList *list, int index, TF_Status *status) {
  const sli_device_set_entry_t *device = device_at(list, index, status);
  return device ? device->name : NULL;
}

const char *TF_DeviceListType(const TF_DeviceList *list, int index, TF_Status *status) {
  const sli_device_set_entry_t *device = device_at(list, index, status);
  return device ? device->type : NULL;
}

int64_t TF_DeviceListMemoryBytes(const TF_DeviceList *list, int index, TF_Status *status) {
  const sli_device_set_entry_t *device = device_at(list, index, status);
  return device ? device->memory_limit : -1;
}

uint64_t TF_DeviceListIncarnation(const TF_DeviceList *list, int index, TF_Status *status) {
  const sli_device_set_entry_t *device = device_at(list, index, status);
  return device ? device->incarnation : 0;
}
