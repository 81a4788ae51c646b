// The text of TF_CONFIG, and what a server makes of the cluster that it describes.
#include <stdlib.h>

#include "base/alloc.h"
#include "dist/cluster/cluster.h"
#include "tests/fuzz/fuzz.h"
#include "train/cluster/cluster_spec.h"

void fuzz_one(const uint8_t *data, size_t size) {
  char *json = sli_strndup((const char *)data, size);
  sl_cluster_t *spec = sli_calloc(1, sizeof(*spec));
  sli_status_t *status = sli_cluster_spec_parse_tf_config(spec, json);
  if (!status && spec->job) {
    sli_string_t def = {0};
    sli_cluster_spec_append_server_def(spec, &def);
    sli_cluster_t cluster;
    status = sli_cluster_from_server_def(sli_view_of(def.data, def.size), &cluster);
    if (!status) sli_cluster_deinitialize(&cluster);
    sli_string_deinitialize(&def);
  }
  fuzz_ignore(status);
  sli_cluster_spec_release(spec);
  free(json);
}
