// sluice status: shows what the tasks of a cluster are doing. All tasks are queried at the same time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/common/cli.h"
#include "cli/common/report.h"
#include "sluice/cluster.h"

enum { INTERVAL_MILLIS = 400, USUAL_ROWS = 20, WATCHED_ROWS = 3, WATCHED_TASKS = 8 };

static struct {
  double watch, timeout;
  const char *page;
  bool watching, json, all, serving;
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
    {.name = "serve",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.page,
     .given = &flags.serving,
     .implied = "0",
     .argument = "PORT",
     .help = "show a page in a browser, which stays up to date, at this port of the loopback device (0 or not given: a "
             "free one), or at ADDRESS:PORT"},
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
        "  sluice status localhost:2222 --json\n"
        "  sluice status localhost:2222 --serve\n",
    .options = option_table,
};

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

// The exit code for a task of the report.
static int exit_code(const json_t *task) {
  if (json_is_true(json_object_get(task, "up"))) return SLI_CLI_OK;
  return json_is_true(json_object_get(task, "lasting")) ? SLI_CLI_FAILED : SLI_CLI_RETRY;
}

// Shows the cluster once; returns the exit code. It is an error if |target| itself does not reply.
static int show(const char *target) {
  TF_Buffer *text = sl_cluster_report(target, (int64_t)(flags.timeout * 1000), INTERVAL_MILLIS);
  json_t *report = json_loadb(text->data, text->length, 0, NULL);
  TF_DeleteBuffer(text);
  const json_t *tasks = json_object_get(report, "tasks"), *first = json_array_get(tasks, 0);
  int code = exit_code(first);
  if (code) {
    sli_cli_fail(code, "%s: %s ('sluice doctor' may find the cause)", target, sli_report_get_text(first, "why"));
  } else {
    if (flags.json)
      json_dumpf(report, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER), putchar('\n');
    else
      print_report(report);
    EACH(tasks, task) {
      int failed = exit_code(task);
      if (failed && code != SLI_CLI_FAILED) code = failed;
    }
  }
  json_decref(report);
  fflush(stdout);
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

// Serves the page until a signal ends the process.
static int serve_page(const char *target) {
  TF_Status *status = TF_NewStatus();
  sl_cluster_page_t *page = sl_cluster_serve_page(target, flags.page, status);
  int code = page ? SLI_CLI_OK : sli_cli_fail(SLI_CLI_FAILED, "%s", TF_Message(status));
  TF_DeleteStatus(status);
  if (!page) return code;
  printf("The page: %s (Ctrl-C ends it)\n", sl_cluster_page_url(page));
  fflush(stdout);
  for (;;) pause();
}

static int run(int argc, char **argv) {
  if (argc != 2) return sli_cli_fail(SLI_CLI_USAGE, "status needs exactly one TARGET; see 'sluice status --help'");
  int code = sli_cli_check_target(argv[1]);
  if (code) return code;
  if (flags.serving) return serve_page(argv[1]);
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
