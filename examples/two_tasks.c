// A cluster of two tasks of one job, "local". Each is a server and a client of its own: it opens a
// session on itself, says hello, and serves until it is stopped. Run each task in its own terminal:
//
//   two_tasks --task_index=0
//   two_tasks --task_index=1
//
// The first prints:
//
//   Hello from server 1!
#include <stdio.h>

#include "sluice/sluice.h"

static struct {
  sl_text_list_t hosts;
  int task_index;
} flags;

static const sl_flag_t options[] = {
    SL_FLAG(flags, hosts, "addresses of both tasks; default: localhost:2222,localhost:2223"),
    SL_FLAG(flags, task_index, "index of this task: 0 or 1"),
    SL_FLAGS_END,
};

int main(int argc, char **argv) {
  sl_flags_parse(&argc, argv, options, .summary = "Says hello from one of two tasks");
  if (flags.hosts.count != 0 && flags.hosts.count != 2) {
    fprintf(stderr, "--hosts must be two addresses, got %zu\n", flags.hosts.count);
    return 2;
  }
  const char *first = flags.hosts.count ? flags.hosts.items[0] : "localhost:2222";
  const char *second = flags.hosts.count ? flags.hosts.items[1] : "localhost:2223";
  const sl_task_address_t tasks[] = {{"local", 0, first}, {"local", 1, second}};
  sl_server_t *server = sl_server_start(sl_cluster_from_tasks(tasks, 2, "local", flags.task_index));

  char hello[64];
  snprintf(hello, sizeof(hello), "Hello from server %d!", flags.task_index + 1);
  sl_scope_t *g = sl_graph_scope();
  TF_Output c = sl_text(g, hello);
  sl_session_t *session = sl_session(g, .target = sl_server_target(server),
                                     .config = &SL_CONFIG(.log_device_placement = true));
  TF_Tensor *value = NULL;
  if (sl_run(session, SL_FETCH_TENSOR(c, &value))) {
    const TF_TString *text = TF_TensorData(value);
    printf("%.*s\n", (int)TF_StringGetSize(text), TF_StringGetDataPointer(text));
    fflush(stdout);
    TF_DeleteTensor(value);
  }
  int code = sl_session_close(session);
  return code ? code : sl_server_join(server);
}
