// sluice serve: a server for one task of a cluster, for stock TensorFlow clients or as the ps of a trainer.
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/sync.h"
#include "cli/common/cli.h"
#include "sluice/cluster.h"
#include "sluice/server.h"

static struct {
  const char *ps_hosts, *worker_hosts, *chief_hosts, *job_name, *cluster_spec, *bind, *http;
  int64_t task_index, grace, wait_secs, session_idle_secs;
  int64_t max_sessions, max_client_sessions, max_early_receives, cpus, gpus;
  int64_t max_connections, max_request_megabytes, max_connection_megabytes, max_server_megabytes, max_unread_megabytes;
  int64_t max_graph_megabytes, max_memory_megabytes;
  bool task_given, id_given, exit_with_job, plain_loopback;
  sli_option_list_t allowed;
} flags = {.grace = 30,
           .wait_secs = 600,
           .session_idle_secs = 300,
           .cpus = 1,
           .gpus = -1,
           .max_sessions = 10000,
           .max_client_sessions = 1000,
           .max_early_receives = 65536,
           .max_connections = 20000,
           .max_request_megabytes = 4096,
           .max_graph_megabytes = 2048,
           .max_connection_megabytes = 4096,
           .max_unread_megabytes = 256};

static const sli_option_t options[] = {
    {.name = "ps_hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.ps_hosts,
     .argument = "HOST:PORT,…",
     .help = "the ps tasks, in the order of their indices"},
    {.name = "worker_hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.worker_hosts,
     .argument = "HOST:PORT,…",
     .help = "the worker tasks"},
    {.name = "chief_hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.chief_hosts,
     .argument = "HOST:PORT",
     .help = "the chief, if it is a separate job"},
    {.name = "cluster_spec",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.cluster_spec,
     .argument = "JOB|HOST:PORT;…,JOB|…",
     .help = "the whole cluster, in the format of TensorFlow's server"},
    {.name = "job_name",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.job_name,
     .argument = "JOB",
     .help = "the job of this task"},
    {.name = "task_index",
     .kind = SLI_OPTION_INT,
     .value = &flags.task_index,
     .given = &flags.task_given,
     .argument = "N",
     .help = "the index of this task in its job"},
    {.name = "task_id",
     .kind = SLI_OPTION_INT,
     .value = &flags.task_index,
     .given = &flags.id_given,
     .argument = "N",
     .help = "the same as --task_index"},
    {.name = "bind",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.bind,
     .argument = "ADDRESS",
     .help = "listen on this address instead of the task's own; 0.0.0.0: on all"},
    {.name = "http",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.http,
     .argument = "PORT",
     .help = "serve metrics, health and a page over HTTP at this port of the loopback device, or at ADDRESS:PORT "
             "(default: SLUICE_HTTP)"},
    {.name = "cpus",
     .kind = SLI_OPTION_INT,
     .value = &flags.cpus,
     .argument = "N",
     .help = "CPU devices of this task, /cpu:0 to /cpu:N-1",
     .minimum = 1,
     .maximum = 1024},
    {.name = "gpus",
     .kind = SLI_OPTION_INT,
     .value = &flags.gpus,
     .argument = "N",
     .help = "GPUs of this task, /gpu:0 to /gpu:N-1; 0: none (default: all that there are, but none in a ps)",
     .minimum = -1,
     .maximum = 1024},
    {.name = "exit-with-job",
     .kind = SLI_OPTION_BOOL,
     .value = &flags.exit_with_job,
     .help = "exit when the training job reports that it is done"},
    {.name = "grace",
     .kind = SLI_OPTION_INT,
     .value = &flags.grace,
     .argument = "SECONDS",
     .help = "how long to wait then, and in a ps after a signal, for open sessions",
     .minimum = 0,
     .maximum = 86400},
    {.name = "wait_secs",
     .kind = SLI_OPTION_INT,
     .value = &flags.wait_secs,
     .argument = "SECONDS",
     .help = "how long a new session waits for tasks that cannot be reached; "
             "0: without limit",
     .minimum = 0,
     .maximum = 31536000},
    {.name = "session_idle_secs",
     .kind = SLI_OPTION_INT,
     .value = &flags.session_idle_secs,
     .argument = "SECONDS",
     .help = "close a session this long after its client disconnected without "
             "closing it; 0: never",
     .minimum = 0,
     .maximum = 31536000},
    {.name = "max_sessions",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_sessions,
     .argument = "N",
     .help = "how many sessions may be open, and how many worker sessions; "
             "0: without limit",
     .minimum = 0,
     .maximum = INT32_MAX},
    {.name = "max_client_sessions",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_client_sessions,
     .argument = "N",
     .help = "how many sessions one client may have: a host, or a process of this "
             "host; 0: without limit",
     .minimum = 0,
     .maximum = INT32_MAX},
    {.name = "max_graph_megabytes",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_graph_megabytes,
     .argument = "N",
     .help = "how large the graph of a session may be; 0: without limit",
     .minimum = 0,
     .maximum = 1 << 20},
    {.name = "max_memory_megabytes",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_memory_megabytes,
     .argument = "N",
     .help = "how much memory tensors may take, variables included; 0: what the machine or the control group has",
     .minimum = 0,
     .maximum = INT32_MAX},
    {.name = "max_early_receives",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_early_receives,
     .argument = "N",
     .help = "how many RecvTensor calls may wait for steps that have not started "
             "here; 0: without limit",
     .minimum = 0,
     .maximum = INT32_MAX},
    {.name = "max_connections",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_connections,
     .argument = "N",
     .help = "how many connections clients may have; more are closed at once",
     .minimum = 1,
     .maximum = INT32_MAX},
    {.name = "max_request_megabytes",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_request_megabytes,
     .argument = "N",
     .help = "how large a request may be",
     .minimum = 1,
     .maximum = 4096},
    {.name = "max_connection_megabytes",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_connection_megabytes,
     .argument = "N",
     .help = "how much one connection may have in unanswered requests",
     .minimum = 1,
     .maximum = INT32_MAX},
    {.name = "max_server_megabytes",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_server_megabytes,
     .argument = "N",
     .help = "the same for all connections; 0: three quarters of the memory",
     .minimum = 0,
     .maximum = INT32_MAX},
    {.name = "max_unread_megabytes",
     .kind = SLI_OPTION_INT,
     .value = &flags.max_unread_megabytes,
     .argument = "N",
     .help = "how much of its replies a client may leave unread before its next "
             "requests wait",
     .minimum = 1,
     .maximum = INT32_MAX},
    SLI_CLI_TLS_OPTIONS,
    {.name = "allow-path",
     .kind = SLI_OPTION_EACH,
     .value = &flags.allowed,
     .argument = "DIR",
     .help = "let ops read and write files in DIR only; may be repeated (default: SLUICE_ALLOW_PATH, DIR:DIR…)"},
    {.name = "tls-plain-loopback",
     .kind = SLI_OPTION_BOOL,
     .value = &flags.plain_loopback,
     .help = "with TLS, also serve clients of this host that speak none, over the loopback device: stock TensorFlow"},
    {0}};

static const sli_options_t spec = {
    .program = "sluice serve",
    .summary = "Serve one task of a cluster",
    .description =
        "The cluster and the task come from the environment variable TF_CONFIG, or from the flags. The server "
        "serves TensorFlow's master and worker services on the task's port until SIGINT or SIGTERM. A ps that gets "
        "such a signal while workers use it stays until they have saved and closed their sessions, for the time of "
        "--grace at most; a second signal ends it at once.",
    .examples =
        "  TF_CONFIG='{\"cluster\": {\"worker\": [\"localhost:2222\"]}, \"task\": {\"type\": \"worker\", "
        "\"index\": 0}}' sluice serve\n"
        "  sluice serve --ps_hosts=localhost:2222 --worker_hosts=localhost:2223 --job_name=ps --task_index=0\n",
    .options = options,
};

// Converts --cluster_spec ("ps|a:1;b:1,worker|c:1") to the JSON of TF_CONFIG; NULL if it is malformed.
static char *config_from_spec(void) {
  json_t *cluster = json_object();
  bool good = true;
  for (sli_view_t rest = sli_view(flags.cluster_spec), job, name, hosts; rest.size && good;) {
    sli_view_split(rest, ',', &job, &rest);
    good = sli_view_split(job, '|', &name, &hosts) && name.size && hosts.size;
    if (!good) break;
    json_t *list = json_array();
    for (sli_view_t host; hosts.size;) {
      sli_view_split(hosts, ';', &host, &hosts);
      json_array_append_new(list, json_stringn(host.data, host.size));
    }
    char *key = sli_strndup(name.data, name.size);
    json_object_set_new(cluster, key, list);
    free(key);
  }
  char *text = NULL;
  if (good) {
    json_t *config = json_pack("{s:O, s:{s:s, s:I}}", "cluster", cluster, "task", "type",
                               flags.job_name ? flags.job_name : "", "index", (json_int_t)flags.task_index);
    text = json_dumps(config, JSON_COMPACT);
    json_decref(config);
  }
  json_decref(cluster);
  return text;
}

// The cluster from the flags, which sl_cluster_from_args parses, or from TF_CONFIG if there are none.
static sl_cluster_t *read_cluster(void) {
  const struct {
    const char *name, *value;
  } texts[] = {{"ps_hosts", flags.ps_hosts},
               {"worker_hosts", flags.worker_hosts},
               {"chief_hosts", flags.chief_hosts},
               {"job_name", flags.cluster_spec ? NULL : flags.job_name}};
  char *argv[8] = {(char *)"serve"};
  int argc = 1;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
    if (texts[i].value) argv[argc++] = sli_format("--%s=%s", texts[i].name, texts[i].value);
  if ((flags.task_given || flags.id_given) && !flags.cluster_spec)
    argv[argc++] = sli_format("--task_index=%lld", (long long)flags.task_index);
  int made = argc;
  char *owned[8];
  memcpy(owned, argv, sizeof(argv));
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  for (int i = 1; i < made; i++) free(owned[i]);
  return cluster;
}

// The server that a signal stops; NULL before and after. The mutex keeps it alive while a signal stops it, which in a
// ps takes until its workers have saved.
static struct {
  sli_mutex_t mutex;
  TF_Server *server;
} watched = {.mutex = SLI_MUTEX_INITIALIZER};

static void watch(TF_Server *server) {
  sli_mutex_lock(&watched.mutex);
  watched.server = server;
  sli_mutex_unlock(&watched.mutex);
}

// A thread: the second signal exits at once.
static void *watch_second_signal(void *context) {
  int signal;
  sigwait(context, &signal);
  _exit(128 + signal);
}

// A thread: the first SIGINT or SIGTERM stops the server.
static void *watch_signals(void *context) {
  static sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  int signal;
  sigwait(&signals, &signal);
  pthread_t second;
  if (pthread_create(&second, NULL, watch_second_signal, &signals) == 0) pthread_detach(second);
  TF_Status *status = TF_NewStatus();
  fprintf(stderr, "sluice: %s: stopping (repeat to exit at once)\n", strsignal(signal));
  sli_mutex_lock(&watched.mutex);
  if (watched.server) sl_cluster_leave(watched.server, flags.grace * 1000, status);
  sli_mutex_unlock(&watched.mutex);
  TF_DeleteStatus(status);
  return NULL;
}

static int serve(TF_Buffer *server_def) {
  TF_Status *status = TF_NewStatus();
  sl_cluster_server_options_t server_options = {
      .struct_size = sizeof(server_options),
      .bind = flags.bind,
      .http = flags.http,
      .wait_millis = flags.wait_secs ? flags.wait_secs * 1000 : -1,
      .session_idle_millis = flags.session_idle_secs ? flags.session_idle_secs * 1000 : -1,
      .max_sessions = flags.max_sessions ? flags.max_sessions : -1,
      .max_client_sessions = flags.max_client_sessions ? flags.max_client_sessions : -1,
      .cpus = (int)flags.cpus,
      .gpus = flags.gpus < 0 ? 0
              : flags.gpus   ? (int)flags.gpus
                             : -1,
      .max_early_receives = flags.max_early_receives ? flags.max_early_receives : -1,
      .max_connections = (int)flags.max_connections,
      .max_graph_bytes = flags.max_graph_megabytes ? flags.max_graph_megabytes << 20 : -1,
      .max_memory_bytes = flags.max_memory_megabytes << 20,
      .max_request_bytes = flags.max_request_megabytes << 20,
      .max_connection_bytes = flags.max_connection_megabytes << 20,
      .max_server_bytes = flags.max_server_megabytes << 20,
      .max_unread_bytes = flags.max_unread_megabytes << 20};
  TF_Server *server = sl_cluster_new_server(server_def->data, server_def->length, &server_options, status);
  int code = 0;
  if (server) {
    pthread_t watcher;
    watch(server);
    if (pthread_create(&watcher, NULL, watch_signals, NULL) == 0) pthread_detach(watcher);
    TF_ServerStart(server, status);
    if (TF_GetCode(status) == TF_OK && flags.exit_with_job)
      sl_cluster_join(server, flags.grace * 1000, status);
    else if (TF_GetCode(status) == TF_OK)
      TF_ServerJoin(server, status);
  }
  if (TF_GetCode(status) != TF_OK) code = sli_cli_fail(SLI_CLI_FAILED, "%s", TF_Message(status));
  TF_Status *stopped = TF_NewStatus();
  if (server) TF_ServerStop(server, stopped);  // so that a signal that came late does not stay for clients
  TF_DeleteStatus(stopped);
  watch(NULL);
  TF_DeleteServer(server);
  TF_DeleteStatus(status);
  return code;
}

static void allow_paths(void) {
  sli_string_t paths = {0};
  for (size_t i = 0; i < flags.allowed.count; i++)
    sli_string_append_format(&paths, "%s%s", i ? ":" : "", flags.allowed.items[i]);
  if (paths.size) setenv("SLUICE_ALLOW_PATH", paths.data, 1);
  sli_string_deinitialize(&paths);
}

static int run(int argc, char **argv) {
  if (argc > 1)
    return sli_cli_fail(SLI_CLI_USAGE, "serve takes no operands, got '%s'; see 'sluice serve --help'", argv[1]);
  if (getenv("SLUICE_EXIT_WITH_JOB")) flags.exit_with_job = true;
  allow_paths();
  if (flags.plain_loopback) setenv("SLUICE_TLS_PLAIN_LOOPBACK", "1", 1);
  if (flags.cluster_spec) {
    char *config = config_from_spec();
    if (!config)
      return sli_cli_fail(SLI_CLI_USAGE, "--cluster_spec must be JOB|HOST:PORT;HOST:PORT,JOB|HOST:PORT, got '%s'",
                          flags.cluster_spec);
    setenv("TF_CONFIG", config, 1);
    free(config);
  }
  // Blocked before any thread exists, so that all threads inherit it and only the watcher receives them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  TF_Status *status = TF_NewStatus();
  TF_Buffer *server_def = sl_cluster_to_server_def(read_cluster(), status);
  int code = server_def ? serve(server_def) : sli_cli_fail(SLI_CLI_FAILED, "%s", TF_Message(status));
  if (server_def) TF_DeleteBuffer(server_def);
  TF_DeleteStatus(status);
  return code;
}

const sli_cli_command_t sli_cli_serve = {.name = "serve", .options = &spec, .run = run};
