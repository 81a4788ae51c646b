// The commands that README.md and docs/ show run, as they stand there: in a
// folder with the files they name, on a real cluster, with its ports in place of
// 2222 to 2224. (The inspected files of docs/cli.md, with their output, are in inspect_test.c.)
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/test.h"
#include "io/file.h"
#include "life_internal.h"
#include "proto/wire.h"
#include "tensorflow/c/c_api.h"
#include "tool_internal.h"

static const char *const pages[] = {"README.md", "CONTRIBUTING.md", "docs/cli.md", "docs/guide.md"};

// How a command that starts with |start| is tried.
typedef enum {
  AS_IT_STANDS,  // exit code 0
  AS_A_SERVER,   // it serves until it is stopped
  FOR_A_MOMENT,  // it shows something, again and again, until it is stopped
  AS_A_TARGET,   // of make: that there is such a target
  BY_ITS_FLAGS,  // a long training: with --help behind it, that it takes these flags
  NOT_OURS,      // another program
} way_t;

static const struct {
  const char *start;
  way_t way;
} ways[] = {
    {"make ", AS_A_TARGET},
    {"build/examples/", BY_ITS_FLAGS},
    {"build/sluice launch --ps 1 --workers 2 -- build/examples/", BY_ITS_FLAGS},
    {"build/sluice ", AS_IT_STANDS},
    {"sluice serve", AS_A_SERVER},
    {"sluice status localhost:2222 --watch", FOR_A_MOMENT},
    {"sluice ", AS_IT_STANDS},
    {"trainer ", AS_IT_STANDS},
    {"eval \"$(sluice completion bash)\"", AS_IT_STANDS},
    {"eval \"$(sluice completion zsh)\"", NOT_OURS},
    {"HOSTS=", AS_IT_STANDS},
    {"tensorboard ", NOT_OURS},
    {"cc ", NOT_OURS},
};

// --- The folder ---

static char folder[256];

static void write_in(const char *name, const void *data, size_t size) {
  sli_tool_write_file(sli_tool_path_in(folder, name), data, size);
}

static void write_program(const char *name) {
  static const char script[] = "#!/bin/sh\nexit 0\n";
  write_in(name, script, sizeof(script) - 1);
  chmod(sli_tool_path_in(folder, name), 0755);
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

static void make_folder(void) {
  snprintf(folder, sizeof(folder), "%s", sli_tool_scratch("docs"));
  SLI_REQUIRE_OK(sli_file_make_directories(folder));
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
  write_program("trainer");
  write_program("mnist_replica.py");
  // A checkpoint, for `inspect logs`, and the build under its name.
  char *script = sli_format("cd '%s' && ln -sfn '%s' build && cp -r '%s/checkpoints/several' logs", folder,
                            SLI_BUILD_DIR, sli_test_golden_dir());
  char *argv[] = {(char *)"/bin/sh", (char *)"-c", script, NULL};
  pid_t pid = fork();
  if (pid == 0) execv(argv[0], argv), _exit(127);
  int wait_status;
  waitpid(pid, &wait_status, 0);
  SLI_EXPECT_INT(wait_status, 0);
  free(script);
}

// --- A command ---

static char *replace(const char *text, const char *what, const char *by) {
  sli_string_t out = {0};
  for (const char *at; (at = strstr(text, what)); text = at + strlen(what)) {
    sli_string_append(&out, text, (size_t)(at - text));
    sli_string_append_text(&out, by);
  }
  sli_string_append_text(&out, text);
  return sli_string_take(&out);
}

// The command with the ports of |cluster|, or with free ones for a server, and with hosts that are this one.
static char *localise(const char *command, const life_cluster_t *cluster, bool is_server) {
  // A trainer that does not say that it is done leaves the ps tasks waiting for that.
  char *text = replace(command, "sluice launch ", "sluice launch --ps-grace 1 ");
  static const char *const shown[] = {"localhost:2222", "localhost:2223", "localhost:2224"};
  for (int i = 0; i < 3; i++) {
    char *by = is_server ? sli_format("localhost:%d", life_free_port()) : sli_strdup(life_address(cluster, i));
    char *next = replace(text, shown[i], by);
    free(by);
    free(text);
    text = next;
  }
  return text;
}

// Runs |script| by bash in the folder, at most |seconds| long; its output goes to a file. The exit code; 124: stopped.
static int run_script(const char *script, const char *seconds) {
  char *whole = sli_format("cd '%s' && PATH='%s':.:$PATH && { timeout -s TERM %s bash -c \"$SCRIPT\"; } > output 2>&1",
                           folder, SLI_BUILD_DIR, seconds);
  setenv("SCRIPT", script, 1);
  pid_t pid = fork();
  if (pid == 0) execl("/bin/bash", "bash", "-c", whole, NULL), _exit(127);
  int wait_status = 0;
  waitpid(pid, &wait_status, 0);
  free(whole);
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

static char *read_output(void) {
  sli_string_t text = sli_tool_read_file(sli_tool_path_in(folder, "output"));
  return sli_string_take(&text);
}

// Also behind "TF_CONFIG='…' ".
static const char *start_of(const char *command) {
  const char *end = !strncmp(command, "TF_CONFIG='", 11) ? strstr(command, "' ") : NULL;
  return end ? end + 2 : command;
}

static int find_way(const char *command) {
  const char *start = start_of(command);
  if (!strncmp(start, "build/sluice serve", 18) || !strcmp(start, "sluice serve")) return AS_A_SERVER;
  if (!strcmp(start, "trainer")) return AS_IT_STANDS;
  for (size_t i = 0; i < SLI_COUNT_OF(ways); i++)
    if (!strncmp(start, ways[i].start, strlen(ways[i].start))) return (int)ways[i].way;
  return -1;
}

static void try_command(const char *page, const char *command, const life_cluster_t *cluster) {
  int way = find_way(command);
  char *local = localise(command, cluster, way == AS_A_SERVER), *script = NULL;
  int code = 0;
  switch (way) {
    case AS_IT_STANDS: code = run_script(local, "20"); break;
    case BY_ITS_FLAGS:
      script = sli_format("HOSTS='--ps_hosts=a:1 --worker_hosts=b:1,c:1 --data_dir=/x'; %s --help", local);
      code = run_script(script, "20");
      break;
    case AS_A_TARGET:
      script = sli_format("make -C '%s' -n %s", SLI_SOURCE_DIR, command + strlen("make "));
      code = run_script(script, "20");
      break;
    case AS_A_SERVER:
    case FOR_A_MOMENT: code = run_script(local, "2") == 124 ? 0 : 1; break;
    case NOT_OURS: break;
    default: code = -1;
  }
  char *output = way == NOT_OURS || way < 0 ? sli_strdup("") : read_output();
  if (way < 0)
    sli_test_fail(__FILE__, __LINE__, "%s shows '%s', and this test does not know how to try it", page, command);
  else if (code != 0)
    sli_test_fail(__FILE__, __LINE__, "%s: '%s' ended with %d: %s", page, command, code, output);
  if (way == AS_A_SERVER) SLI_EXPECT_CONTAINS(output, "Started server with target");
  free(output);
  free(script);
  free(local);
}

// A line of an indented block outside of ``` fences that starts as a command does.
static bool is_command(const char *line) {
  static const char *const starts[] = {"sluice ", "build/", "make ",        "TF_CONFIG=", "trainer ",
                                       "eval ",   "HOSTS=", "tensorboard ", "cc "};
  for (size_t i = 0; i < SLI_COUNT_OF(starts); i++)
    if (!strncmp(line, starts[i], strlen(starts[i]))) return true;
  return false;
}

SLI_TEST(test_commands_of_the_documentation_run) {
  make_folder();
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  life_add(&cluster, "worker", 1);
  for (int i = 0; i < 3; i++)
    if (!life_start(&cluster, i, NULL)) return life_stop(&cluster);
  int count = 0;
  for (size_t p = 0; p < SLI_COUNT_OF(pages); p++) {
    sli_string_t text = sli_tool_read_file(sli_tool_path_in(SLI_SOURCE_DIR, pages[p]));
    bool fenced = false;
    char *save = NULL;
    for (char *line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
      if (!strncmp(line, "```", 3)) fenced = !fenced;
      if (fenced || strncmp(line, "    ", 4) != 0 || !is_command(line + 4)) continue;
      char *comment = strstr(line, "  #");
      if (comment) *comment = '\0';
      for (size_t end = strlen(line); end > 4 && line[end - 1] == ' ';) line[--end] = '\0';
      try_command(pages[p], line + 4, &cluster);
      count++;
    }
    sli_string_deinitialize(&text);
  }
  SLI_EXPECT(count > 20);
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_commands_of_the_documentation_run)
