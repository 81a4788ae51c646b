// sluice status: shows what the tasks of a cluster are doing. All tasks are queried at the same time.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/common/cli.h"
#include "cli/common/report.h"
#include "sluice/cluster.h"

enum { INTERVAL_MILLIS = 400, USUAL_ROWS = 20, WATCHED_ROWS = 3, WATCHED_TASKS = 8 };

static struct {
  double watch, timeout;
  bool watching, json, all;
  bool fits;  // to the terminal, as it is redrawn
} flags = {.timeout = 10};

static const sli_option_t option_table[] = {
    {.name = "watch",
     .kind = SLI_OPTION_DOUBLE,
     .value = &flags.watch,
     .given = &flags.watching,
     .implied = "2",
     .argument = "SECONDS",
     .minimum = 0.5,
     .maximum = 86400,
     .help = "repeat every SECONDS (2 if not given); on a terminal no more than fits, tasks first"},
    {.name = "timeout",
     .kind = SLI_OPTION_DOUBLE,
     .value = &flags.timeout,
     .argument = "SECONDS",
     .minimum = 0.1,
     .maximum = 86400,
     .help = "how long to wait for the reply of a task"},
    {.name = "all", .kind = SLI_OPTION_BOOL, .value = &flags.all, .help = "show every row of every table"},
    {.name = "json", .kind = SLI_OPTION_BOOL, .value = &flags.json, .help = "print one JSON object instead of text"},
    SLI_CLI_TLS_OPTIONS,
    {0}};

static const sli_options_t spec = {
    .program = "sluice status",
    .operands = "TARGET",
    .summary = "Show what the tasks of a cluster are doing",
    .description =
        "TARGET is one task, HOST:PORT or grpc://HOST:PORT; it reports the addresses of the others. Tasks, devices, "
        "the global step and its rate, sessions, variables, queues, accumulators and traffic are shown; of a stock "
        "TensorFlow task its name and devices only.",
    .examples =
        "  sluice status localhost:2222\n"
        "  sluice status grpc://localhost:2222 --watch\n"
        "  sluice status localhost:2222 --json\n",
    .options = option_table,
};

// --- Queries ---

typedef struct {
  char *address, *name;      // "ps 0"
  sl_task_status_t *status;  // NULL: see |error|
  char *error;
  int code;  // the exit code for the error
} answer_t;

typedef SLI_ARRAY(answer_t) answers_t;

static void *query(void *context) {
  answer_t *answer = context;
  TF_Status *status = TF_NewStatus();
  int64_t timeout = (int64_t)(flags.timeout * 1000);
  answer->status = sl_cluster_status(answer->address, timeout, INTERVAL_MILLIS, status);
  if (!answer->status) {
    sl_probe_t *probe = sl_cluster_probe(answer->address, NULL, 0, timeout, 0);
    bool is_lasting = probe->failed_at == SL_PROBE_DENIED || probe->failed_at == SL_PROBE_BAD_ADDRESS;
    answer->code = is_lasting ? SLI_CLI_FAILED : SLI_CLI_RETRY;
    answer->error = sli_strdup(probe->failed_at != SL_PROBE_OK ? probe->why : TF_Message(status));
    sl_probe_free(probe);
  }
  TF_DeleteStatus(status);
  return NULL;
}

// Queries the task at |target|, then all others of its cluster at the same time.
static answers_t query_all(const char *target) {
  answers_t answers = {0};
  answer_t first = {.address = sli_strdup(target)};
  query(&first);
  const sl_task_status_t *known = first.status;
  first.name = known ? sli_format("%s %d", known->job, known->index) : sli_strdup("?");
  sli_array_push(&answers, first);
  for (size_t i = 0; known && i < known->task_count; i++) {
    const sl_task_address_t *task = &known->tasks[i];
    if (!strcmp(task->job, known->job) && task->index == known->index) continue;
    sli_array_push(&answers, (answer_t){.address = sli_strdup(task->address),
                                        .name = sli_format("%s %d", task->job, task->index)});
  }
  pthread_t *threads = sli_calloc(answers.count, sizeof(*threads));
  for (size_t i = 1; i < answers.count; i++)
    if (pthread_create(&threads[i], NULL, query, &answers.items[i]) != 0) {
      threads[i] = 0;
      query(&answers.items[i]);
    }
  for (size_t i = 1; i < answers.count; i++)
    if (threads[i]) pthread_join(threads[i], NULL);
  free(threads);
  return answers;
}

static void release_answers(answers_t *answers) {
  for (size_t i = 0; i < answers->count; i++) {
    free(answers->items[i].address);
    free(answers->items[i].name);
    free(answers->items[i].error);
    sl_task_status_free(answers->items[i].status);
  }
  sli_array_deinitialize(answers);
}

// --- The report ---

static json_t *report_rows(const sl_task_status_t *s, json_t *task) {
  json_t *devices = json_array(), *sessions = json_array(), *variables = json_array(), *queues = json_array(),
         *accumulators = json_array(), *peers = json_array();
  for (size_t i = 0; i < s->device_count; i++) {
    const sl_device_status_t *d = &s->devices[i];
    json_array_append_new(devices, json_pack("{s:s, s:s}", "name", d->name, "type", d->type));
  }
  for (size_t i = 0; i < s->session_count; i++) {
    const sl_session_status_t *e = &s->sessions[i];
    json_array_append_new(sessions, json_pack("{s:s, s:b, s:s, s:f, s:f, s:I, s:I, s:f}", "handle", e->handle, "master",
                                              e->is_master, "master_task", e->master_task, "age", e->age, "idle",
                                              e->idle, "steps", (json_int_t)e->steps, "running",
                                              (json_int_t)e->running_steps, "steps_per_second", e->steps_per_second));
  }
  for (size_t i = 0; i < s->variable_count; i++) {
    const sl_variable_status_t *v = &s->variables[i];
    json_array_append_new(
        variables, json_pack("{s:s, s:s, s:s, s:b, s:o, s:I}", "container", v->container, "name", v->name, "dtype",
                             sli_report_dtype(v->dtype), "initialized", v->is_initialized, "shape",
                             sli_report_dims(v->dims, v->rank), "bytes", (json_int_t)v->bytes));
  }
  for (size_t i = 0; i < s->queue_count; i++) {
    const sl_queue_status_t *q = &s->queues[i];
    json_array_append_new(queues, json_pack("{s:s, s:s, s:I, s:I, s:b, s:I, s:I}", "name", q->name, "kind", q->kind,
                                            "size", (json_int_t)q->size, "capacity", (json_int_t)q->capacity, "closed",
                                            q->is_closed, "waiting_enqueues", (json_int_t)q->waiting_enqueues,
                                            "waiting_dequeues", (json_int_t)q->waiting_dequeues));
  }
  for (size_t i = 0; i < s->accumulator_count; i++) {
    const sl_accumulator_status_t *a = &s->accumulators[i];
    json_array_append_new(
        accumulators,
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "name", a->name, "accumulated", (json_int_t)a->accumulated,
                  "required", (json_int_t)a->required, "quorum", (json_int_t)a->quorum, "global_step",
                  (json_int_t)a->global_step, "accepted", (json_int_t)a->accepted, "stale", (json_int_t)a->stale));
  }
  for (size_t i = 0; i < s->peer_count; i++) {
    const sl_peer_status_t *p = &s->peers[i];
    json_array_append_new(
        peers,
        json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:f, s:f, s:f}", "name", p->name, "address", p->address, "incoming",
                  p->is_incoming, "calls", (json_int_t)p->calls, "bytes_sent", (json_int_t)p->bytes_sent,
                  "bytes_received", (json_int_t)p->bytes_received, "calls_per_second", p->calls_per_second,
                  "sent_per_second", p->sent_per_second, "received_per_second", p->received_per_second));
  }
  json_object_set_new(task, "devices", devices);
  json_object_set_new(task, "sessions", sessions);
  json_object_set_new(task, "variables", variables);
  json_object_set_new(task, "queues", queues);
  json_object_set_new(task, "accumulators", accumulators);
  json_object_set_new(task, "peers", peers);
  return task;
}

static json_t *report_task(const answer_t *answer) {
  json_t *task =
      json_pack("{s:s, s:s, s:b}", "task", answer->name, "address", answer->address, "up", answer->status != NULL);
  const sl_task_status_t *s = answer->status;
  if (!s) {
    json_object_set_new(task, "why", json_string(answer->error));
    return task;
  }
  json_t *facts =
      json_pack("{s:b, s:s, s:s, s:f, s:f, s:f, s:I, s:i, s:I, s:I, s:f, s:b, s:b}", "sluice", s->is_sluice, "version",
                s->version, "name", s->task, "uptime", s->uptime, "clock_skew", s->clock_skew, "round_trip",
                s->round_trip, "memory_bytes", (json_int_t)s->memory_bytes, "threads", s->thread_count, "steps",
                (json_int_t)s->steps, "running", (json_int_t)s->running_steps, "steps_per_second", s->steps_per_second,
                "model_ready", s->is_model_ready, "job_done", s->is_job_done);
  json_object_update(task, facts);
  json_decref(facts);
  if (s->global_step >= 0) {
    json_object_set_new(task, "global_step", json_integer(s->global_step));
    json_object_set_new(task, "global_steps_per_second", json_real(s->global_steps_per_second));
  }
  return report_rows(s, task);
}

static json_t *make_report(const answers_t *answers) {
  json_t *tasks = json_array();
  for (size_t i = 0; i < answers->count; i++) json_array_append_new(tasks, report_task(&answers->items[i]));
  return json_pack("{s:o}", "tasks", tasks);
}

// --- Tables ---

static void add_seconds(sli_report_table_t *table, double seconds) {
  if (seconds < 120)
    sli_report_table_add_format(table, "%.0f s", seconds);
  else if (seconds < 7200)
    sli_report_table_add_format(table, "%.0f min", seconds / 60);
  else
    sli_report_table_add_format(table, "%.1f h", seconds / 3600);
}

static void add_size(sli_report_table_t *table, double bytes, const char *suffix) {
  sli_string_t text = {0};
  sli_report_append_size(&text, (int64_t)bytes);
  sli_string_append_text(&text, suffix);
  sli_report_table_add_string(table, &text);
}

// Prints the table unless it is empty.
static void finish(sli_report_table_t *table) {
  if (!table->cells.count) return;
  printf("\n");
  sli_report_table_finish(table, flags.all ? INT64_MAX : flags.fits ? WATCHED_ROWS : USUAL_ROWS);
}

#define EACH(list, row) \
  size_t i_##row;       \
  json_t *row;          \
  json_array_foreach(list, i_##row, row)

static void print_tasks(const json_t *tasks) {
  sli_report_table_t table = {.titles = (const char *const[]){"task", "address", "state", ">up", ">steps/s", ">running",
                                                              ">memory", ">threads", NULL}};
  EACH(tasks, task) {
    sli_report_table_add(&table, sli_report_get_text(task, "task"));
    sli_report_table_add(&table, sli_report_get_text(task, "address"));
    bool is_up = json_is_true(json_object_get(task, "up")), is_ours = json_is_true(json_object_get(task, "sluice"));
    if (!is_ours) {
      sli_report_table_add(&table, is_up ? "up, stock TensorFlow" : "DOWN");
      for (int i = 0; i < 5; i++) sli_report_table_add(&table, "");
      continue;
    }
    sli_report_table_add_format(&table, "up%s%s%s", flags.fits ? "" : ", ",
                                flags.fits ? "" : sli_report_get_text(task, "version"),
                                json_is_true(json_object_get(task, "job_done"))      ? ", job done"
                                : json_is_true(json_object_get(task, "model_ready")) ? ", model ready"
                                                                                     : "");
    add_seconds(&table, sli_report_get_double(json_object_get(task, "uptime")));
    sli_report_table_add_format(&table, "%.1f", sli_report_get_double(json_object_get(task, "steps_per_second")));
    sli_report_table_add_format(&table, "%lld", (long long)sli_report_get_int(task, "running"));
    add_size(&table, (double)sli_report_get_int(task, "memory_bytes"), "");
    sli_report_table_add_format(&table, "%lld", (long long)sli_report_get_int(task, "threads"));
  }
  sli_report_table_finish(&table, flags.all ? INT64_MAX : flags.fits ? WATCHED_TASKS : 64);
  EACH(tasks, silent) {
    const char *why = sli_report_get_text(silent, "why");
    if (why[0]) sli_report_print(SLI_REPORT_RED, "%s: %s\n", sli_report_get_text(silent, "task"), why);
  }
}

static void print_global_step(const json_t *tasks) {
  EACH(tasks, task) {
    if (!json_object_get(task, "global_step")) continue;
    printf("global step %lld on %s, %.1f steps/s\n", (long long)sli_report_get_int(task, "global_step"),
           sli_report_get_text(task, "task"), sli_report_get_double(json_object_get(task, "global_steps_per_second")));
  }
}

static void add_int(sli_report_table_t *table, const json_t *row, const char *key) {
  sli_report_table_add_format(table, "%lld", (long long)sli_report_get_int(row, key));
}

static void print_devices(const json_t *tasks) {
  sli_report_table_t table = {.titles = (const char *const[]){"device", "type", NULL}};
  EACH(tasks, task) {
    EACH(json_object_get(task, "devices"), row) {
      sli_report_table_add(&table, sli_report_get_text(row, "name"));
      sli_report_table_add(&table, sli_report_get_text(row, "type"));
    }
  }
  finish(&table);
}

static void print_sessions(const json_t *tasks) {
  sli_report_table_t table = {
      .titles = (const char *const[]){"session", "on", ">age", ">idle", ">steps", ">running", ">steps/s", NULL}};
  EACH(tasks, task) {
    EACH(json_object_get(task, "sessions"), row) {
      if (!json_is_true(json_object_get(row, "master"))) continue;
      sli_report_table_add(&table, sli_report_get_text(row, "handle"));
      sli_report_table_add(&table, sli_report_get_text(task, "task"));
      add_seconds(&table, sli_report_get_double(json_object_get(row, "age")));
      add_seconds(&table, sli_report_get_double(json_object_get(row, "idle")));
      add_int(&table, row, "steps");
      add_int(&table, row, "running");
      sli_report_table_add_format(&table, "%.1f", sli_report_get_double(json_object_get(row, "steps_per_second")));
    }
  }
  finish(&table);
}

static void print_variables(const json_t *tasks) {
  sli_report_table_t table = {.titles = (const char *const[]){"variable", "on", "type", "shape", ">size", NULL}};
  int64_t total = 0;
  EACH(tasks, task) {
    EACH(json_object_get(task, "variables"), row) {
      sli_string_t dims = {0};
      sli_report_table_add(&table, sli_report_get_text(row, "name"));
      sli_report_table_add(&table, sli_report_get_text(task, "task"));
      sli_report_table_add(&table, sli_report_get_text(row, "dtype"));
      sli_report_append_dims(&dims, json_object_get(row, "shape"));
      sli_report_table_add_string(&table, &dims);
      if (json_is_true(json_object_get(row, "initialized")))
        add_size(&table, (double)sli_report_get_int(row, "bytes"), "");
      else
        sli_report_table_add(&table, "not initialised");
      total += sli_report_get_int(row, "bytes");
    }
  }
  bool any = table.cells.count > 0;
  finish(&table);
  sli_string_t text = {0};
  sli_report_append_size(&text, total);
  if (any) printf("%s in total\n", sli_string_text(&text));
  sli_string_deinitialize(&text);
}

static void print_queues(const json_t *tasks) {
  sli_report_table_t table = {.titles = (const char *const[]){"queue", "on", "kind", ">size", ">capacity",
                                                              ">waiting to add", ">waiting to take", "", NULL}};
  EACH(tasks, task) {
    EACH(json_object_get(task, "queues"), row) {
      sli_report_table_add(&table, sli_report_get_text(row, "name"));
      sli_report_table_add(&table, sli_report_get_text(task, "task"));
      sli_report_table_add(&table, sli_report_get_text(row, "kind"));
      add_int(&table, row, "size");
      if (sli_report_get_int(row, "capacity") < 0)
        sli_report_table_add(&table, "unbounded");
      else
        add_int(&table, row, "capacity");
      add_int(&table, row, "waiting_enqueues");
      add_int(&table, row, "waiting_dequeues");
      sli_report_table_add(&table, json_is_true(json_object_get(row, "closed")) ? "closed" : "");
    }
  }
  finish(&table);
}

static void print_accumulators(const json_t *tasks) {
  sli_report_table_t table = {
      .titles = (const char *const[]){"accumulator", "on", ">gradients", ">of", ">step", ">accepted", ">stale", NULL}};
  EACH(tasks, task) {
    EACH(json_object_get(task, "accumulators"), row) {
      sli_report_table_add(&table, sli_report_get_text(row, "name"));
      sli_report_table_add(&table, sli_report_get_text(task, "task"));
      add_int(&table, row, "accumulated");
      int64_t quorum = sli_report_get_int(row, "quorum");
      sli_report_table_add_format(&table, "%lld%s", (long long)(quorum ? quorum : sli_report_get_int(row, "required")),
                                  quorum ? " (quorum)" : "");
      add_int(&table, row, "global_step");
      add_int(&table, row, "accepted");
      add_int(&table, row, "stale");
    }
  }
  finish(&table);
}

// "worker 0" for "/job:worker/replica:0/task:0", as tasks are called in the other tables; other names as they are.
static void append_peer_name(sli_string_t *out, const char *name) {
  char job[64];
  int index, end = 0;
  if (sscanf(name, "/job:%63[^/]/replica:0/task:%d%n", job, &index, &end) == 2 && end > 0 && !name[end])
    sli_string_append_format(out, "%s %d", job, index);
  else
    sli_string_append_text(out, name);
}

static void print_peers(const json_t *tasks) {
  sli_report_table_t table = {.titles = (const char *const[]){"traffic of", "with", ">calls/s", ">sent", ">received",
                                                              ">sent/s", ">received/s", NULL}};
  EACH(tasks, task) {
    EACH(json_object_get(task, "peers"), row) {
      const char *name = sli_report_get_text(row, "name");
      sli_report_table_add(&table, sli_report_get_text(task, "task"));
      sli_string_t peer = {0};
      sli_string_append_text(&peer, json_is_true(json_object_get(row, "incoming")) ? "from " : "to ");
      append_peer_name(&peer, name[0] ? name : sli_report_get_text(row, "address"));
      sli_report_table_add_string(&table, &peer);
      sli_report_table_add_format(&table, "%.1f", sli_report_get_double(json_object_get(row, "calls_per_second")));
      add_size(&table, (double)sli_report_get_int(row, "bytes_sent"), "");
      add_size(&table, (double)sli_report_get_int(row, "bytes_received"), "");
      add_size(&table, sli_report_get_double(json_object_get(row, "sent_per_second")), "/s");
      add_size(&table, sli_report_get_double(json_object_get(row, "received_per_second")), "/s");
    }
  }
  finish(&table);
}

static void print_report(const json_t *report) {
  const json_t *tasks = json_object_get(report, "tasks");
  print_tasks(tasks);
  print_global_step(tasks);
  if (!flags.fits) print_devices(tasks);
  print_sessions(tasks);
  print_variables(tasks);
  print_queues(tasks);
  print_accumulators(tasks);
  print_peers(tasks);
}

// --- The command ---

// Shows the cluster once; returns the exit code. It is an error if |target| itself does not reply.
static int show(const char *target) {
  answers_t answers = query_all(target);
  int code = SLI_CLI_OK;
  if (!answers.items[0].status) {
    code = sli_cli_fail(answers.items[0].code, "%s: %s ('sluice doctor' may find the cause)", target,
                        answers.items[0].error);
  } else {
    json_t *report = make_report(&answers);
    if (flags.json)
      json_dumpf(report, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER), putchar('\n');
    else
      print_report(report);
    json_decref(report);
    for (size_t i = 0; i < answers.count; i++)
      if (!answers.items[i].status && code != SLI_CLI_FAILED) code = answers.items[i].code;
  }
  fflush(stdout);
  release_answers(&answers);
  return code;
}

// Copies |text| to stdout: at most |rows| lines of |columns| columns. Escape sequences take no column.
static void print_fitting(const char *text, int rows, int columns) {
  int column = 0, row = 1;
  for (const char *at = text; *at; at++) {
    if (*at == '\033') {
      size_t length = strcspn(at, "m");
      fwrite(at, 1, length + (at[length] == 'm'), stdout);
      at += length - (at[length] == '\0');
      continue;
    }
    if (*at == '\n') {
      if (row++ == rows) break;
      column = 0;
    } else if (((unsigned char)*at & 0xc0) != 0x80) {
      column++;
    }
    if (column <= columns) putchar(*at);
  }
}

// Shows the cluster on a terminal, no larger than that, in place of what was shown before.
static int redraw(const char *target) {
  struct winsize size;
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
  int rows = known ? size.ws_row : 24, columns = known ? size.ws_col : 80;
  char *text = NULL;
  size_t length = 0;
  FILE *terminal = stdout, *page = open_memstream(&text, &length);
  if (!page) return sli_cli_fail(SLI_CLI_FAILED, "out of memory");
  stdout = page;
  int code = show(target);
  stdout = terminal;
  fclose(page);
  fputs("\033[H\033[2J", stdout);
  print_fitting(text, rows - 1, columns);
  fflush(stdout);
  free(text);
  return code;
}

static int run(int argc, char **argv) {
  if (argc != 2) return sli_cli_fail(SLI_CLI_USAGE, "status needs exactly one TARGET; see 'sluice status --help'");
  int code = sli_cli_check_target(argv[1]);
  if (code) return code;
  flags.fits = flags.watching && !flags.json && isatty(STDOUT_FILENO);
  for (bool first = true; first || flags.watching; first = false) {
    if (!first) usleep((useconds_t)(flags.watch * 1e6));
    if (!first && !flags.fits) putchar('\n');
    code = flags.fits ? redraw(argv[1]) : show(argv[1]);
    if (ferror(stdout)) break;
  }
  return code;
}

const sli_cli_command_t sli_cli_status = {.name = "status", .options = &spec, .run = run};
