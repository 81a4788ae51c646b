#include "tests/docs/docs.h"

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
#include "io/file/file.h"
#include "proto/meta_graph.fields.h"
#include "proto/wire.h"
#include "tests/life/life.h"
#include "tests/support/mnist.h"
#include "tests/support/tool.h"

// --- What is changed in the commands ---

// How a command is run.
typedef enum {
  AS_SHOWN,       // expects exit code 0
  AS_A_SERVER,    // serves until it is stopped
  FOR_A_MOMENT,   // repeats its output until it is stopped
  AS_A_PAGE,      // says where its page is, and serves it until it is stopped
  AS_A_TERMINAL,  // one of several in a row, each in a separate shell at the same time; all must end with 0
  FOR_TERMINALS,  // sets variables in these shells
  AS_A_TASK,      // one of ps 0, worker 0 and worker 1: run with the other two, as AS_A_TERMINAL
  AS_A_TARGET,    // by make -n, since it would run this test
  IN_INTEROP,     // needs TensorFlow: tests/interop/checks/documentation must contain and run the line
  IN_PACKAGE,     // needs a Python environment: tests/interop/checks/python_package does it, with |before| in its text
  NO_COMMAND,     // a block that is not commands
} way_t;

#define UNOPTIMISED "CMAKE_BUILD_TYPE=Debug "
#define QUICKLY " BUILD=$PWD/own JOBS=2"             // in a separate build folder, for few files
#define FEW_STEPS " --steps=1000 --hidden_units=20"  // long enough that all workers have started
#ifdef __SANITIZE_ADDRESS__
#define CC_FLAGS " -fsanitize=address,undefined"
#else
#define CC_FLAGS ""
#endif

// The first row applies whose |start| the command starts with. |before| and |behind| are added to the command to make
// it shorter, to keep it inside the folder, or to check what it did.
static const struct {
  const char *start;
  way_t way;
  const char *before, *behind;
} ways[] = {
    {"make test", AS_A_TARGET, "", ""},
    {"make hosts", AS_A_TARGET, "", ""},
    {"make hosting", AS_A_TARGET, "", ""},
    {"make metrics", AS_A_TARGET, "", ""},
    {"make chaos", AS_A_TARGET, "", ""},
    {"make gpu", AS_A_TARGET, "", ""},
    {"make simulate", AS_A_TARGET, "", ""},
    {"make run SYNC=1", AS_SHOWN, "", " STEPS=60 DATA_DIR=$PWD/data RUN_LOGS=$PWD/run_logs"},
    {"make run", AS_SHOWN, "", " STEPS=1000 DATA_DIR=$PWD/data RUN_LOGS=$PWD/run_logs"},
    {"make install", AS_SHOWN, "", " DESTDIR=$PWD/root && $PWD/root/usr/local/bin/sluice --version"},
    {"make deb", AS_SHOWN, "", " && ls build/sluice_*.deb && rm build/sluice_*.deb"},
    {"make build", AS_SHOWN, "", ""},
    {"make lint", AS_SHOWN, UNOPTIMISED, QUICKLY " FILES=src/base/string.c"},
    {"make asan tsan", AS_SHOWN, UNOPTIMISED, QUICKLY " TESTS=base_options"},
    {"make fuzz", AS_SHOWN, UNOPTIMISED, QUICKLY " FUZZ=record FUZZ_SECONDS=1 FUZZ_ROUNDS=1"},
    {"make bench", AS_SHOWN, "", " BENCH=steps BENCH_MILLIS=1"},
    {"make api ops", AS_SHOWN, "", ""},
    {"HOSTS=", FOR_TERMINALS, "", ""},
    {"build/examples/mnist_replica $HOSTS", AS_A_TERMINAL, "", FEW_STEPS},
    {"build/sluice launch --ps 1 --workers 2 -- build/examples/mnist_replica --steps=300", AS_SHOWN, "",
     " --data_dir=data --hidden_units=20"},
    {"build/sluice serve", AS_A_SERVER, "", ""},
    {"build/sluice ", AS_SHOWN, "", ""},
    {"cc trainer.c", AS_SHOWN, "export PKG_CONFIG_PATH=$(dirname $(find root -name sluice.pc)); ",
     CC_FLAGS " && ./a.out --data_dir=data --log_dir=cc_logs" FEW_STEPS},
    {"cc -Wall -o line line.c", AS_SHOWN, "export PKG_CONFIG_PATH=$(dirname $(find root -name sluice.pc)); ",
     CC_FLAGS " -Werror"},
    {"cc -shared -fPIC -o librooted_files.so", AS_SHOWN,
     "export PKG_CONFIG_PATH=$(dirname $(find root -name sluice.pc)); ", ""},
    {"SLUICE_FILE_SYSTEMS=", AS_SHOWN, "", " | grep line/kernel"},
    {"./line --ps_hosts", AS_A_TASK, "", " --log_dir=logs-$PPID"},
    {"./line", AS_SHOWN, "", " && ls *_logs/checkpoint"},
    {"sluice inspect line_logs --values line/kernel", AS_SHOWN, "", " | grep -E '^..(1[.]9|2[.]0)'"},
    {"sluice inspect line_logs --values line/bias", AS_SHOWN, "", " | grep -E '^.(0[.]9|1[.]0)'"},
    {"sluice inspect cluster_logs --values line/kernel", AS_SHOWN, "", " | grep -E '^..(1[.]9|2[.]0)'"},
    {"sluice launch --hosts", AS_SHOWN,
     "mkdir -p fake && printf '#!/bin/sh\\nfor word; do command=$word; done\\nexec sh -c \"$command\"\\n' > fake/ssh "
     "&& "
     "chmod +x fake/ssh && PATH=$PWD/fake:$PATH ",
     ""},
    {"sluice serve", AS_A_SERVER, "", ""},
    {"sluice status localhost:2222 --watch", FOR_A_MOMENT, "", ""},
    {"sluice status localhost:2222 --serve", AS_A_PAGE, "", ""},
    {"sluice ", AS_SHOWN, "", ""},
    {"trainer", AS_A_TASK, "", ""},
    {"eval \"$(sluice completion bash)\"", AS_SHOWN, "",
     "; COMP_WORDS=(sluice launch --max); COMP_CWORD=2; _sluice; echo $COMPREPLY; [ \"$COMPREPLY\" = --max-restarts ]"},
    {"eval \"$(sluice completion zsh)\"", AS_SHOWN, "HOME=$PWD zsh -f type_into_zsh '",
     "' | grep 'called<launch --max-restarts=3>'"},
    {"tensorboard ", IN_INTEROP, "", ""},
    {"make wheel && pip install", IN_PACKAGE, "\"python\", \"build_wheel\"", ""},
    {"python -m sluice", IN_PACKAGE, "\"-m\", \"sluice\"", ""},
    {"import tensorflow", IN_INTEROP, "", ""},
    {"with tf.Session(", IN_INTEROP, "", ""},
    {"include/tensorflow/c ", NO_COMMAND, "", ""},
};

// Replaced everywhere. The addresses are replaced too: localhost:2222 to 2224, and ps0:2222, w0:2222 and w1:2222,
// become those of the cluster, or free ports if the command is itself a server.
static const struct {
  const char *shown, *here;
} changes[] = {
    {"make ", "make -C " SLI_SOURCE_DIR " BUILD=" SLI_BUILD_DIR " "},
    {"/usr/share/datasets/fashion-mnist", "data"},
    {"examples/plugins/", SLI_SOURCE_DIR "/examples/plugins/"},
    {"--random 50", "--random 3"},
    {"learning_rate=log:1e-3:1:9", "learning_rate=log:1e-3:1:3"},
    // No task notifies this server that the job is done.
    {"--serve-ps", "--serve-ps --ps-grace 1"},
    {"--hosts h1:4,h2:4", "--hosts localhost:4"},
};

// The program that commands call trainer or mnist_replica.py. Each start uses a separate log folder.
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
  tool_write_file(tool_path_in(folder, name), data, size);
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
  sli_wire_write_text(out, SLI_FIELD_SIGNATURE_DEF_INPUTS_ENTRY_KEY, key);
  size_t info = sli_wire_open(out, SLI_FIELD_SIGNATURE_DEF_INPUTS_ENTRY_VALUE);
  sli_wire_write_text(out, SLI_FIELD_TENSOR_INFO_NAME, tensor);
  sli_wire_close(out, info);
  sli_wire_close(out, entry);
}

static void write_model(const sli_string_t *graph) {
  sli_string_t model = {0};
  sli_wire_write_uint(&model, SLI_FIELD_SAVED_MODEL_SAVED_MODEL_SCHEMA_VERSION, 1);
  size_t meta = sli_wire_open(&model, SLI_FIELD_SAVED_MODEL_META_GRAPHS),
         info = sli_wire_open(&model, SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF);
  sli_wire_write_text(&model, SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF_TAGS, "serve");
  sli_wire_close(&model, info);
  sli_wire_write_bytes(&model, SLI_FIELD_META_GRAPH_DEF_GRAPH_DEF, graph->data, graph->size);
  size_t entry = sli_wire_open(&model, SLI_FIELD_META_GRAPH_DEF_SIGNATURE_DEF);
  sli_wire_write_text(&model, SLI_FIELD_META_GRAPH_DEF_SIGNATURE_DEF_ENTRY_KEY, "serving_default");
  size_t signature = sli_wire_open(&model, SLI_FIELD_META_GRAPH_DEF_SIGNATURE_DEF_ENTRY_VALUE);
  append_tensor_info(&model, SLI_FIELD_SIGNATURE_DEF_INPUTS, "images", "x:0");
  append_tensor_info(&model, SLI_FIELD_SIGNATURE_DEF_OUTPUTS, "scores", "y:0");
  sli_wire_close(&model, signature);
  sli_wire_close(&model, entry);
  sli_wire_close(&model, meta);
  SLI_EXPECT_OK(sli_file_make_directories(tool_path_in(folder, "model")));
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
  snprintf(folder, sizeof(folder), "%s", tool_scratch("docs"));
  SLI_REQUIRE_OK(sli_file_make_directories(folder));
  write_graphs();
  mnist_make(tool_path_in(folder, "data"));
  static const char *const programs[] = {"trainer", "mnist_replica.py"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(programs); i++) {
    write_in(programs[i], trainer, sizeof(trainer) - 1);
    SLI_EXPECT(chmod(tool_path_in(folder, programs[i]), 0755) == 0);
  }
  write_in("type_into_zsh", type_into_zsh, sizeof(type_into_zsh) - 1);
  tool_copy_file(SLI_SOURCE_DIR "/examples/mnist_replica.c", tool_path_in(folder, "trainer.c"));
  SLI_EXPECT(symlink(SLI_BUILD_DIR, tool_path_in(folder, "build")) == 0);
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

// |text| with |what| replaced by |by|; frees |text|.
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

// |text| with all replacements; frees |text|. The addresses go in by way of marks, since a free port may begin with the
// digits of one that is still to be replaced.
static char *localise(char *text, const addresses_t *its) {
  static const char *const shown[][3] = {{"localhost:2222", "localhost:2223", "localhost:2224"},
                                         {"ps0:2222", "w0:2222", "w1:2222"}};
  static const char *const marks[] = {"\1", "\2", "\3"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(changes); i++) text = replace(text, changes[i].shown, changes[i].here);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) text = replace(text, shown[k][i], marks[i]);
  for (int i = 0; i < 3; i++) text = replace(text, marks[i], its->addresses[i]);
  return text;
}

// Starts |script| by bash in the folder, with its output in the file |output|. With --foreground a signal reaches the
// script once; otherwise `timeout` would signal its child and then the whole group.
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

// The page is followed from top to bottom in one folder, so a command must not find the finished model of another.
static void expect_end(const char *command, int code, int wanted, const char *output) {
  sli_string_t text = tool_read_file(tool_path_in(folder, output));
  if (code != wanted)
    sli_test_fail(__FILE__, __LINE__, "'%s' ended with %d: %s", command, code, sli_string_text(&text));
  if (strstr(sli_string_text(&text), "nothing to train"))
    sli_test_fail(__FILE__, __LINE__, "'%s' did not train: %s", command, sli_string_text(&text));
  sli_string_deinitialize(&text);
}

static void run_script(const char *script) {
  expect_end(script, wait_for(start_script(script, "output")), 0, "output");
}

// Waits until the file |output| contains |text|; false after a timeout.
static bool wait_for_output(const char *output, const char *text) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_SECONDS * 1000);
  for (bool found = false; sli_clock_now_nanos() < deadline; usleep(10000)) {
    sli_string_t said = {0};
    sli_status_release(sli_file_read_whole(tool_path_in(folder, output), 1 << 20, &said));
    found = strstr(sli_string_text(&said), text) != NULL;
    sli_string_deinitialize(&said);
    if (found) return true;
  }
  return false;
}

// Runs a script until it has printed |text|, then stops it.
static void run_until(const char *script, const char *text, int wanted) {
  unlink(tool_path_in(folder, "output"));
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

// Waits until all have ended.
static void join_terminals(void) {
  for (int i = 0; i < terminals.count; i++) {
    char name[32];
    snprintf(name, sizeof(name), "terminal-%d", i);
    expect_end(name, wait_for(terminals.pids[i]), 0, name);
  }
  terminals.count = 0;
}

// |command| is that of one task, with flags or TF_CONFIG. Starts it and the same for the two other tasks.
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
  if (!found) sli_test_fail(__FILE__, __LINE__, "'%s' is not a task of ps 0, worker 0 and worker 1", command);
  join_terminals();
}

// --- A page ---

// The command without a leading "TF_CONFIG='…' ".
static const char *start_of(const char *command) {
  const char *end = !strncmp(command, "TF_CONFIG='", 11) ? strstr(command, "' ") : NULL;
  return end ? end + 2 : command;
}

static int find_way(const char *command) {
  const char *start = start_of(command);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(ways); i++)
    if (!strncmp(start, ways[i].start, strlen(ways[i].start))) return (int)i;
  return -1;
}

static void expect_in_interop(const char *name, const char *text) {
  sli_string_t check = tool_read_file(tool_path_in(SLI_SOURCE_DIR "/tests/interop/checks", name));
  SLI_EXPECT_CONTAINS(sli_string_text(&check), text);
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
    case AS_SHOWN:
    case AS_A_TARGET: run_script(whole); break;
    case FOR_A_MOMENT: run_until(whole, "worker 0", -SIGTERM); break;
    case AS_A_PAGE: run_until(whole, "The page: http://localhost:", -SIGTERM); break;
    case AS_A_SERVER: run_until(whole, "Started server with target", 0); break;
    case AS_A_TERMINAL: start_terminal(whole); break;
    case AS_A_TASK: start_tasks(whole); break;
    case FOR_TERMINALS:
      free(terminals.variables);
      terminals.variables = sli_format("%s\n", whole);
      break;
    case IN_INTEROP: expect_in_interop("documentation", command); break;
    case IN_PACKAGE: expect_in_interop("python_package", ways[row].before); break;
    case NO_COMMAND: break;
  }
  free(whole);
}

// Adds a line of a fenced block to the program that it shows, if it shows a whole one: then its first line is
// "// NAME.c: …". At the end of the block writes the file into the folder. |line| NULL: the end.
static void collect_program(const char *line) {
  static sli_string_t program;
  static char name[64];
  int end = 0;
  if (line && !program.size && sscanf(line, "// %60[a-z_].c%n:", name, &end) == 1 && end > 0)
    snprintf(name, sizeof(name), "%.*s", end - 3, line + 3);
  if (line && name[0]) sli_string_append_format(&program, "%s\n", line);
  if (line) return;
  if (name[0]) write_in(name, program.data, program.size);
  sli_string_deinitialize(&program);
  name[0] = '\0';
}

// Whether |line| is in a fenced block or its border. A fenced block is C, Python, or a session with "$ sluice inspect",
// which tests/cli/inspect_test.c compares.
static bool is_fenced(const char *page, const char *line, bool *fenced) {
  if (*fenced) collect_program(strncmp(line, "```", 3) ? line : NULL);
  if (!strncmp(line, "```", 3)) {
    *fenced = !*fenced;
    if (*fenced && strcmp(line, "```") != 0 && strcmp(line, "```c") != 0 && strcmp(line, "```python") != 0)
      sli_test_fail(__FILE__, __LINE__, "%s: a block of '%s'; commands must be in indented blocks", page, line);
    return true;
  }
  if (*fenced && !strncmp(line, "$ ", 2) &&
      (strcmp(page, "docs/cli.md") != 0 || strncmp(line, "$ sluice inspect ", 17) != 0))
    sli_test_fail(__FILE__, __LINE__, "%s shows '%s', which no test runs", page, line);
  return *fenced;
}

int docs_try_page(const char *page) {
  int count = 0;
  bool fenced = false, is_picture = false;
  sli_string_t text = tool_read_file(tool_path_in(SLI_SOURCE_DIR, page));
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
      sli_test_fail(__FILE__, __LINE__, "%s shows '%s': add a row for it to the table in tests/docs/docs.c", page,
                    command);
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
