// Small grammars of names and headers: devices, rendezvous keys, slices, status messages, deadlines; and the ServerDef,
// which contains some of them.
#include "core/step/device.h"
#include "core/step/rendezvous.h"
#include "dist/cluster/cluster.h"
#include "io/checkpoint/tensor_slice.h"
#include "rpc/grpc_internal.h"
#include "tests/fuzz/fuzz.h"

void fuzz_one(const uint8_t *data, size_t size) {
  sli_view_t text = sli_view_of((const char *)data, size);
  sli_device_name_t device;
  if (sli_device_name_parse(text, &device)) {
    sli_string_t name = {0};
    sli_device_name_append(&name, &device);
    SLI_CHECK(sli_device_name_parse(sli_view_of(name.data, name.size), &device));
    sli_string_deinitialize(&name);
  }
  sli_rendezvous_key_t key;
  fuzz_ignore(sli_rendezvous_key_parse(text, &key));
  sli_tensor_slice_spec_t spec;
  sli_status_t *status = sli_tensor_slice_spec_parse(text, &spec);
  if (!status) sli_tensor_slice_spec_deinitialize(&spec);
  fuzz_ignore(status);
  int64_t nanos;
  (void)!sli_rpc_timeout_parse(text, &nanos);
  sli_string_t decoded = {0};
  sli_rpc_percent_decode(text, &decoded);
  sli_string_deinitialize(&decoded);
  sli_cluster_t cluster;
  status = sli_cluster_from_server_def(text, &cluster);
  if (!status) sli_cluster_deinitialize(&cluster);
  fuzz_ignore(status);
}
