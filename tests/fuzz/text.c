// Small grammars of names and headers: devices, rendezvous keys, slices, status
// messages, deadlines; and the ServerDef, whose texts they are.
#include "core/device.h"
#include "core/rendezvous.h"
#include "dist/cluster.h"
#include "fuzz/fuzz.h"
#include "io/tensor_slice.h"
#include "rpc/wire_internal.h"

void sli_fuzz_one(const uint8_t *data, size_t size) {
  sli_view_t text = sli_view_of((const char *)data, size);
  sli_device_name_t device;
  if (sli_device_name_parse(text, &device)) {
    sli_string_t name = {0};
    sli_device_name_append(&name, &device);
    SLI_CHECK(sli_device_name_parse(sli_view_of(name.data, name.size), &device));
    sli_string_deinitialize(&name);
  }
  sli_rendezvous_key_t key;
  sli_fuzz_ignore(sli_rendezvous_key_parse(text, &key));
  sli_slice_spec_t spec;
  sli_status_t *status = sli_slice_spec_parse(text, &spec);
  if (!status) sli_slice_spec_deinitialize(&spec);
  sli_fuzz_ignore(status);
  int64_t nanos;
  (void)!sli_rpc_timeout_parse(text, &nanos);
  sli_string_t decoded = {0};
  sli_rpc_percent_decode(text, &decoded);
  sli_string_deinitialize(&decoded);
  sli_cluster_t cluster;
  status = sli_cluster_from_server_def(text, &cluster);
  if (!status) sli_cluster_deinitialize(&cluster);
  sli_fuzz_ignore(status);
}
