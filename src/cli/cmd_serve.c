// sluice serve: one task of a cluster, without a program of its own: what a stock
// TensorFlow client, or the ps of a trainer, needs.
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/sync.h"
#include "cli/cli.h"
#include "sluice/cluster.h"
#include "sluice/server.h"

static struct {
  const char *ps_hosts, *worker_hosts, *chief_hosts, *job_name, *cluster_spec, *bind;
  int64_t task_index, grace, wait_secs, session_idle_secs;
  bool task_given, id_given, exit_with_job;
} flags = {.grace = 30, .wait_secs = 600, .session_idle_secs = 300};

static const sli_option_t options[] = {
    {.name = "ps_hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.ps_hosts,
     .argument = "HOST:PORT,…",
     .help = "the ps tasks, by index"},
    {.name = "worker_hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.worker_hosts,
     .argument = "HOST:PORT,…",
     .help = "the worker tasks"},
    {.name = "chief_hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.chief_hosts,
     .argument = "HOST:PORT",
     .help = "the chief, if it is a job of its own"},
    {.name = "cluster_spec",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.cluster_spec,
     .argument = "JOB|HOST:PORT;…,JOB|…",
     .help = "the whole cluster, as TensorFlow's own server takes it"},
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
     .help = "its index in the job"},
    {.name = "task_id",
     .kind = SLI_OPTION_INT,
     .value = &flags.task_index,
     .given = &flags.id_given,
     .argument = "N",
     .help = "the same"},
    {.name = "bind",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.bind,
     .argument = "ADDRESS",
     .help = "listen on this address instead of the task's own (0.0.0.0 for all)"},
    {.name = "exit-with-job",
     .kind = SLI_OPTION_BOOL,
     .value = &flags.exit_with_job,
     .help = "end when the training job says that it is done"},
    {.name = "grace",
     .kind = SLI_OPTION_INT,
     .value = &flags.grace,
     .argument = "SECONDS",
     .help = "how long to wait then for open sessions to close and for workers that come late",
     .minimum = 0,
     .maximum = 86400},
    {.name = "wait_secs",
     .kind = SLI_OPTION_INT,
     .value = &flags.wait_secs,
     .argument = "SECONDS",
     .help = "how long a new session waits for tasks that cannot be reached; "
             "0: without end",
     .minimum = 0,
     .maximum = 31536000},
    {.name = "session_idle_secs",
     .kind = SLI_OPTION_INT,
     .value = &flags.session_idle_secs,
     .argument = "SECONDS",
     .help = "close a session so long after its client went away without closing "
             "it; 0: never",
     .minimum = 0,
     .maximum = 31536000},
    {0}};

static const sli_options_t spec = {
    .program = "sluice serve",
    .summary = "Serve one task of a cluster",
    .description =
        "The cluster and the task come from the environment variable TF_CONFIG, or from the flags. The server "
        "answers TensorFlow's master and worker services on the task's port until it gets SIGINT or SIGTERM.",
    .examples =
        "  TF_CONFIG='{\"cluster\": {\"worker\": [\"localhost:2222\"]}, \"task\": {\"type\": \"worker\", "
        "\"index\": 0}}' sluice serve\n"
        "  sluice serve --ps_hosts=localhost:2222 --worker_hosts=localhost:2223 --job_name=ps --task_index=0\n",
    .options = options,
};

// "ps|a:1;b:1,worker|c:1" to TF_CONFIG's JSON; NULL if it is not of that form.
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

// The flags again, as sl_cluster_from_args reads them; nothing if TF_CONFIG is to speak.
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

// What a signal stops; NULL once the server ends by itself, which a signal may come in the middle of.
static struct {
  sli_mutex_t mutex;
  TF_Server *server;
} watched = {.mutex = SLI_MUTEX_INITIALIZER};

static void watch(TF_Server *server) {
  sli_mutex_lock(&watched.mutex);
  watched.server = server;
  sli_mutex_unlock(&watched.mutex);
}

// The first SIGINT or SIGTERM stops the server, the second ends the process at once.
static void *watch_signals(void *context) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  int signal;
  sigwait(&signals, &signal);
  TF_Status *status = TF_NewStatus();
  fprintf(stderr, "sluice: %s: stopping (once more to end at once)\n", strsignal(signal));
  sli_mutex_lock(&watched.mutex);
  if (watched.server) TF_ServerStop(watched.server, status);
  sli_mutex_unlock(&watched.mutex);
  TF_DeleteStatus(status);
  sigwait(&signals, &signal);
  _exit(128 + signal);
}

static int serve(TF_Buffer *server_def) {
  TF_Status *status = TF_NewStatus();
  sl_cluster_server_options_t server_options = {
      .struct_size = sizeof(server_options),
      .bind = flags.bind,
      .wait_millis = flags.wait_secs ? flags.wait_secs * 1000 : -1,
      .session_idle_millis = flags.session_idle_secs ? flags.session_idle_secs * 1000 : -1};
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
  watch(NULL);
  TF_DeleteServer(server);
  TF_DeleteStatus(status);
  return code;
}

static int run(int argc, char **argv) {
  if (argc > 1) return sli_cli_fail(SLI_CLI_USAGE, "serve takes no operand '%s'; see 'sluice serve --help'", argv[1]);
  if (getenv("SLUICE_EXIT_WITH_JOB")) flags.exit_with_job = true;
  if (flags.cluster_spec) {
    char *config = config_from_spec();
    if (!config)
      return sli_cli_fail(SLI_CLI_USAGE, "--cluster_spec '%s' is not of the form job|host:port;host:port,job|host:port",
                          flags.cluster_spec);
    setenv("TF_CONFIG", config, 1);
    free(config);
  }
  // Before any thread exists, so that all inherit it: signals are the watcher's.
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
