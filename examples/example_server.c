// A task that only serves: it waits for clients such as example_client.c, until it is stopped. Run
// each task in its own terminal:
//
//   example_server --job_name=ps --task_index=0
//   example_server --job_name=worker --task_index=0
//   example_server --job_name=worker --task_index=1
//
// Prints only the lines of its log. `sluice serve` does the same without a program.
#include "sluice/sluice.h"

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv, .ps_hosts = "localhost:2222",
                                               .worker_hosts = "localhost:2223,localhost:2224");
  sl_flags_parse(&argc, argv, NULL, .summary = "Serves as one task of a cluster");
  return sl_server_join(sl_server_start(cluster));
}
