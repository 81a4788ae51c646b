#include "docs_internal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/test.h"
#include "io/file.h"
#include "life_internal.h"
#include "mnist_internal.h"
#include "proto/wire.h"
#include "tool_internal.h"

// --- What is different here from what is shown ---

// How a command is tried.
typedef enum {
  AS_IT_STANDS,   // exit code 0
  AS_A_SERVER,    // it serves until it is stopped
  FOR_A_MOMENT,   // it shows something, again and again, until it is stopped
  AS_A_TERMINAL,  // one of several in a row, each in a shell of its own at the same time: all end with 0
  FOR_TERMINALS,  // sets variables of these shells
  AS_A_TASK,      // of ps 0, worker 0 and worker 1: so, with the others', as AS_A_TERMINAL
  AS_A_TARGET,    // make -n: it cannot run inside itself
  IN_INTEROP,     // tests/interop/checks/documentation has the very line and runs it: it needs TensorFlow
  NO_COMMAND,     // nor are the other lines of its block
} way_t;

#define UNOPTIMISED "CMAKE_BUILD_TYPE=Debug "
#define QUICKLY " BUILD=$PWD/own JOBS=2"             // a build folder of its own, of few files
#define FEW_STEPS " --steps=1000 --hidden_units=20"  // not over before the last worker has started
#ifdef __SANITIZE_ADDRESS__
#define CC_FLAGS " -fsanitize=address,undefined"
#else
#define CC_FLAGS ""
#endif

// The first row whose |start| the command has. |before| and |behind| it stands what makes it short, or keeps it inside
// the folder, or looks at what it did.
static const struct {
  const char *start;
  way_t way;
  const char *before, *behind;
} ways[] = {
    {"make test", AS_A_TARGET, "", ""},
    {"make run SYNC=1", AS_IT_STANDS, "", " STEPS=60 DATA_DIR=$PWD/data LOG_DIR=$PWD/sync_logs"},
    {"make run", AS_IT_STANDS, "", " STEPS=1000 DATA_DIR=$PWD/data LOG_DIR=$PWD/run_logs"},
    {"make install", AS_IT_STANDS, "", " DESTDIR=$PWD/root && $PWD/root/usr/local/bin/sluice --version"},
    {"make build", AS_IT_STANDS, "", ""},
    {"make lint", AS_IT_STANDS, UNOPTIMISED, QUICKLY " FILES=src/base/string.c"},
    {"make asan tsan", AS_IT_STANDS, UNOPTIMISED, QUICKLY " TESTS=base_options"},
    {"make fuzz", AS_IT_STANDS, UNOPTIMISED, QUICKLY " FUZZ=record FUZZ_SECONDS=1 FUZZ_ROUNDS=1"},
    {"make bench", AS_IT_STANDS, "", " BENCH=steps BENCH_MILLIS=1"},
    {"make api ops", AS_IT_STANDS, "", ""},
    {"HOSTS=", FOR_TERMINALS, "", ""},
    {"build/examples/mnist_replica $HOSTS", AS_A_TERMINAL, "", FEW_STEPS},
    {"build/sluice launch --ps 1 --workers 2 -- build/examples/mnist_replica --steps=300", AS_IT_STANDS, "",
     " --data_dir=data --hidden_units=20"},
    {"build/sluice serve", AS_A_SERVER, "", ""},
    {"build/sluice ", AS_IT_STANDS, "", ""},
    {"cc trainer.c", AS_IT_STANDS, "export PKG_CONFIG_PATH=$(dirname $(find root -name sluice.pc)); ",
     CC_FLAGS " && LD_LIBRARY_PATH=$PKG_CONFIG_PATH/.. ./a.out --data_dir=data --log_dir=cc_logs" FEW_STEPS},
    {"sluice serve", AS_A_SERVER, "", ""},
    {"sluice status localhost:2222 --watch", FOR_A_MOMENT, "", ""},
    {"sluice ", AS_IT_STANDS, "", ""},
    {"trainer", AS_A_TASK, "", ""},
    {"eval \"$(sluice completion bash)\"", AS_IT_STANDS, "",
     "; COMP_WORDS=(sluice launch --max); COMP_CWORD=2; _sluice; echo $COMPREPLY; [ \"$COMPREPLY\" = --max-restarts ]"},
    {"eval \"$(sluice completion zsh)\"", AS_IT_STANDS, "HOME=$PWD zsh -f type_into_zsh '",
     "' | grep 'called<launch --max-restarts=3>'"},
    {"tensorboard ", IN_INTEROP, "", ""},
    {"import tensorflow", IN_INTEROP, "", ""},
    {"with tf.Session(", IN_INTEROP, "", ""},
    {"include/tensorflow/c ", NO_COMMAND, "", ""},
};

// Replaced wherever they stand, and, not in this table, the addresses: localhost:2222 to 2224 become those of the
// cluster, or free ones where a command serves itself, and so do ps0:2222, w0:2222, w1:2222.
static const struct {
  const char *shown, *here;
} changes[] = {
    {"make ", "make -C " SLI_SOURCE_DIR " BUILD=" SLI_BUILD_DIR " "},
    {"/usr/share/datasets/fashion-mnist", "data"},
    // A server that nobody tells that the job is done.
    {"--serve-ps", "--serve-ps --ps-grace 1"},
};

// The program that commands call trainer, or mnist_replica.py; each start has a log folder of its own.
static const char trainer[] =
    "#!/bin/sh\nexec build/examples/mnist_replica --data_dir=data --log_dir=logs-$$" FEW_STEPS " \"$@\"\n";

// Types a command, and then a line with tabs in it, into an interactive zsh on a pseudo-terminal.
static const char type_into_zsh[] =
    "zmodload zsh/zpty; zpty shell zsh -f -i\n"
    "zpty -w shell \"$1\"; zpty -w shell 'sluice() { print \"called<$*>\"; }'\n"
    "zpty -w -n shell $'sluice laun\\t--max-r\\t3\\n'; zpty -w shell exit\n"
    "while zpty -r shell line; do print -r -- \"$line\"; done\n";

// --- The folder ---

enum { PATIENCE_SECONDS = 200 };
static char folder[256];
static life_cluster_t cluster;

static void write_in(const char *name, const void *data, size_t size) {
  sli_tool_write_file(sli_tool_path_in(folder, name), data, size);
}

static void append_graph(sli_string_t *out) {
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_OperationDescription *d = life_op(graph, "Placeholder", "x", NULL, NULL, 0);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  TF_Output x = life_finish(d);
  life_finish(life_op(graph, "Square", "y", NULL, &x, 1));
  life_finish(life_op(graph, "NoOp", "init", NULL, NULL, 0));
  TF_Buffer *def = TF_NewBuffer();
  TF_GraphToGraphDef(graph, def, status);
  sli_string_append(out, def->data, def->length);
  TF_DeleteBuffer(def);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
}

static void append_tensor_info(sli_string_t *out, uint32_t field, const char *key, const char *tensor) {
  size_t entry = sli_wire_open(out, field);
  sli_wire_write_text(out, 1, key);
  size_t info = sli_wire_open(out, 2);
  sli_wire_write_text(out, 1, tensor);
  sli_wire_close(out, info);
  sli_wire_close(out, entry);
}

static void write_model(const sli_string_t *graph) {
  sli_string_t model = {0};
  sli_wire_write_uint(&model, 1, 1);
  size_t meta = sli_wire_open(&model, 2), info = sli_wire_open(&model, 1);
  sli_wire_write_text(&model, 4, "serve");
  sli_wire_close(&model, info);
  sli_wire_write_bytes(&model, 2, graph->data, graph->size);
  size_t entry = sli_wire_open(&model, 5);
  sli_wire_write_text(&model, 1, "serving_default");
  size_t signature = sli_wire_open(&model, 2);
  append_tensor_info(&model, 1, "images", "x:0");
  append_tensor_info(&model, 2, "scores", "y:0");
  sli_wire_close(&model, signature);
  sli_wire_close(&model, entry);
  sli_wire_close(&model, meta);
  SLI_EXPECT_OK(sli_file_make_directories(sli_tool_path_in(folder, "model")));
  write_in("model/saved_model.pb", model.data, model.size);
  sli_string_deinitialize(&model);
}

static void write_graphs(void) {
  sli_string_t graph = {0};
  append_graph(&graph);
  write_in("graph.pb", graph.data, graph.size);
  write_model(&graph);
  sli_string_deinitialize(&graph);
  sli_string_t array = {0};
  sli_string_append(&array, "\x93NUMPY\1\0\x36\0", 10);
  sli_string_append_format(&array, "%-53s\n", "{'descr': '<f4', 'fortran_order': False, 'shape': ()}");
  sli_string_append(&array, "\0\0\0\x40", 4);
  write_in("x.npy", array.data, array.size);
  write_in("images.npy", array.data, array.size);
  sli_string_deinitialize(&array);
}

static void make_folder(void) {
  snprintf(folder, sizeof(folder), "%s", sli_tool_scratch("docs"));
  SLI_REQUIRE_OK(sli_file_make_directories(folder));
  write_graphs();
  mnist_make(sli_tool_path_in(folder, "data"));
  static const char *const programs[] = {"trainer", "mnist_replica.py"};
  for (size_t i = 0; i < SLI_COUNT_OF(programs); i++) {
    write_in(programs[i], trainer, sizeof(trainer) - 1);
    SLI_EXPECT(chmod(sli_tool_path_in(folder, programs[i]), 0755) == 0);
  }
  write_in("type_into_zsh", type_into_zsh, sizeof(type_into_zsh) - 1);
  sli_tool_copy_file(SLI_SOURCE_DIR "/examples/mnist_replica.c", sli_tool_path_in(folder, "trainer.c"));
  SLI_EXPECT(symlink(SLI_BUILD_DIR, sli_tool_path_in(folder, "build")) == 0);
}

bool docs_begin(void) {
  make_folder();
  cluster = (life_cluster_t){0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  life_add(&cluster, "worker", 1);
  for (int i = 0; i < cluster.count; i++)
    if (!life_start(&cluster, i, NULL)) return docs_end(), false;
  return true;
}

void docs_end(void) { life_stop(&cluster); }

// --- A command ---

// |text| with |what| replaced; |text| is freed.
static char *replace(char *text, const char *what, const char *by) {
  sli_string_t out = {0};
  const char *rest = text;
  for (const char *at; (at = strstr(rest, what)); rest = at + strlen(what)) {
    sli_string_append(&out, rest, (size_t)(at - rest));
    sli_string_append_text(&out, by);
  }
  sli_string_append_text(&out, rest);
  free(text);
  return sli_string_take(&out);
}

typedef struct {
  char addresses[3][32];
} addresses_t;

static addresses_t cluster_addresses(void) {
  addresses_t its;
  for (int i = 0; i < 3; i++) snprintf(its.addresses[i], sizeof(its.addresses[i]), "%s", life_address(&cluster, i));
  return its;
}

static addresses_t free_addresses(void) {
  addresses_t its;
  for (int i = 0; i < 3; i++)
    snprintf(its.addresses[i], sizeof(its.addresses[i]), "localhost:%d", sli_test_free_port());
  return its;
}

// |text| as it is to be run; |text| is freed.
static char *localise(char *text, const addresses_t *its) {
  static const char *const shown[][3] = {{"localhost:2222", "localhost:2223", "localhost:2224"},
                                         {"ps0:2222", "w0:2222", "w1:2222"}};
  for (size_t i = 0; i < SLI_COUNT_OF(changes); i++) text = replace(text, changes[i].shown, changes[i].here);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) text = replace(text, shown[k][i], its->addresses[i]);
  return text;
}

// Starts |script| by bash in the folder; its output goes to the file |output|. A signal reaches what it starts once:
// in the background `timeout` would tell its child, and then again the whole group.
static pid_t start_script(const char *script, const char *output) {
  char *whole =
      sli_format("cd '%s' && PATH='%s':.:$PATH && exec timeout --foreground -s TERM %d bash -c \"$SCRIPT\" > %s 2>&1",
                 folder, SLI_BUILD_DIR, PATIENCE_SECONDS, output);
  pid_t pid = fork();
  if (pid == 0) {
    unsetenv("MAKEFLAGS"), unsetenv("MFLAGS"), unsetenv("MAKELEVEL");  // of the make that runs this test
    setenv("SCRIPT", script, 1);
    execl("/bin/bash", "bash", "-c", whole, NULL);
    _exit(127);
  }
  free(whole);
  return pid;
}

// The exit code, 124 if it took too long; or -signal.
static int wait_for(pid_t pid) {
  int wait_status = 0;
  waitpid(pid, &wait_status, 0);
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -WTERMSIG(wait_status);
}

static void expect_end(const char *command, int code, int wanted, const char *output) {
  if (code == wanted) return;
  sli_string_t text = sli_tool_read_file(sli_tool_path_in(folder, output));
  sli_test_fail(__FILE__, __LINE__, "'%s' ended with %d: %s", command, code, sli_string_text(&text));
  sli_string_deinitialize(&text);
}

static void run_script(const char *script) {
  expect_end(script, wait_for(start_script(script, "output")), 0, "output");
}

// Whether the file |output| comes to contain |text|.
static bool wait_for_output(const char *output, const char *text) {
  int64_t deadline = sli_deadline_after_millis(PATIENCE_SECONDS * 1000);
  for (bool found = false; sli_now_nanos() < deadline; usleep(10000)) {
    sli_string_t said = {0};
    sli_status_release(sli_file_read_whole(sli_tool_path_in(folder, output), 1 << 20, &said));
    found = strstr(sli_string_text(&said), text) != NULL;
    sli_string_deinitialize(&said);
    if (found) return true;
  }
  return false;
}

// A script that goes on until it is stopped, which is done once it has printed |text|.
static void run_until(const char *script, const char *text, int wanted) {
  unlink(sli_tool_path_in(folder, "output"));
  pid_t pid = start_script(script, "output");
  if (!wait_for_output("output", text)) sli_test_fail(__FILE__, __LINE__, "'%s' does not print '%s'", script, text);
  kill(pid, SIGTERM);
  expect_end(script, wait_for(pid), wanted, "output");
}

// --- Commands that run at the same time ---

enum { MAX_TERMINALS = 8 };
static struct {
  addresses_t its;
  char *variables;
  pid_t pids[MAX_TERMINALS];
  int count;
} terminals;

static void start_terminal(const char *command) {
  SLI_REQUIRE(terminals.count < MAX_TERMINALS);
  char *script = sli_format("%s%s", terminals.variables ? terminals.variables : "", command), name[32];
  snprintf(name, sizeof(name), "terminal-%d", terminals.count);
  terminals.pids[terminals.count++] = start_script(script, name);
  free(script);
}

// Until all have ended; then there are none.
static void join_terminals(void) {
  for (int i = 0; i < terminals.count; i++) {
    char name[32];
    snprintf(name, sizeof(name), "terminal-%d", i);
    expect_end(name, wait_for(terminals.pids[i]), 0, name);
  }
  terminals.count = 0;
}

// The command of one task, shown for all that know their place by flags or by TF_CONFIG; starts it and the two others.
static void start_tasks(const char *command) {
  static const char *const places[][2] = {
      {"--job_name=ps --task_index=0", "\"type\": \"ps\", \"index\": 0"},
      {"--job_name=worker --task_index=0", "\"type\": \"worker\", \"index\": 0"},
      {"--job_name=worker --task_index=1", "\"type\": \"worker\", \"index\": 1"},
  };
  bool found = false;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      if (!strstr(command, places[i][k])) continue;
      for (int other = 0; other < 3; other++) {
        char *text = replace(sli_strdup(command), places[i][k], places[other][k]);
        start_terminal(text);
        free(text);
      }
      found = true;
    }
  }
  if (!found) sli_test_fail(__FILE__, __LINE__, "'%s' is no task of ps 0, worker 0 and worker 1", command);
  join_terminals();
}

// --- A page ---

// Also behind "TF_CONFIG='…' ".
static const char *start_of(const char *command) {
  const char *end = !strncmp(command, "TF_CONFIG='", 11) ? strstr(command, "' ") : NULL;
  return end ? end + 2 : command;
}

static int find_way(const char *command) {
  const char *start = start_of(command);
  for (size_t i = 0; i < SLI_COUNT_OF(ways); i++)
    if (!strncmp(start, ways[i].start, strlen(ways[i].start))) return (int)i;
  return -1;
}

static void expect_in_interop(const char *command) {
  sli_string_t check = sli_tool_read_file(SLI_SOURCE_DIR "/tests/interop/checks/documentation");
  SLI_EXPECT_CONTAINS(sli_string_text(&check), command);
  sli_string_deinitialize(&check);
}

static void try_command(int row, const char *command) {
  way_t way = ways[row].way;
  bool is_concurrent = way == AS_A_TERMINAL || way == FOR_TERMINALS;
  if (!is_concurrent) join_terminals();
  bool serves = way == AS_A_SERVER || way == AS_A_TASK || way == FOR_TERMINALS;
  if (serves) terminals.its = free_addresses();
  addresses_t its = serves || is_concurrent ? terminals.its : cluster_addresses();
  char *whole = way == AS_A_TARGET ? sli_format("make -n %s", command + strlen("make "))
                                   : sli_format("%s%s%s", ways[row].before, command, ways[row].behind);
  whole = localise(whole, &its);
  switch (way) {
    case AS_IT_STANDS:
    case AS_A_TARGET: run_script(whole); break;
    case FOR_A_MOMENT: run_until(whole, "worker 0", -SIGTERM); break;
    case AS_A_SERVER: run_until(whole, "Started server with target", 0); break;
    case AS_A_TERMINAL: start_terminal(whole); break;
    case AS_A_TASK: start_tasks(whole); break;
    case FOR_TERMINALS:
      free(terminals.variables);
      terminals.variables = sli_format("%s\n", whole);
      break;
    case IN_INTEROP: expect_in_interop(command); break;
    case NO_COMMAND: break;
  }
  free(whole);
}

// A fenced block is C, Python, or a session with "$ sluice inspect", which inspect_test.c compares. Whether |line| is
// in one, or its border.
static bool is_fenced(const char *page, const char *line, bool *fenced) {
  if (!strncmp(line, "```", 3)) {
    *fenced = !*fenced;
    if (*fenced && strcmp(line, "```") != 0 && strcmp(line, "```c") != 0 && strcmp(line, "```python") != 0)
      sli_test_fail(__FILE__, __LINE__, "%s: a block of '%s'; commands stand in indented blocks", page, line);
    return true;
  }
  if (*fenced && !strncmp(line, "$ ", 2) &&
      (strcmp(page, "docs/cli.md") != 0 || strncmp(line, "$ sluice inspect ", 17) != 0))
    sli_test_fail(__FILE__, __LINE__, "%s shows '%s', which nothing tries", page, line);
  return *fenced;
}

int docs_try_page(const char *page) {
  int count = 0;
  bool fenced = false, is_picture = false;
  sli_string_t text = sli_tool_read_file(sli_tool_path_in(SLI_SOURCE_DIR, page));
  for (char *line = text.data, *next; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = '\0';
    bool is_block = !is_fenced(page, line, &fenced) && !strncmp(line, "    ", 4);
    is_picture = is_picture && is_block;
    if (!is_block || is_picture) continue;
    char *command = line + 4, *comment = strstr(command, "  #");
    if (comment) *comment = '\0';
    for (size_t end = strlen(command); end > 0 && command[end - 1] == ' ';) command[--end] = '\0';
    int row = find_way(command);
    if (row < 0)
      sli_test_fail(__FILE__, __LINE__, "%s shows '%s', and this test does not know how to try it", page, command);
    else
      try_command(row, command);
    is_picture = row >= 0 && ways[row].way == NO_COMMAND;
    count += row >= 0 && !is_picture;
  }
  join_terminals();
  free(terminals.variables);
  terminals.variables = NULL;
  sli_string_deinitialize(&text);
  return count;
}
