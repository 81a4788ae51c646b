// The checkers of `make lint` (tools/check_*) accept a small tree that follows the rules, and fail on each violation
// that is planted in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/test.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "tests/support/tool.h"

typedef struct {
  const char *path, *text;  // |text| NULL: the file is missing
} file_t;

// A tree with two layers, whose upper one has a room.
static const file_t tree[] = {
    {"tools/rooms",
     "# room: may include | words\n"
     "low: | count low\n"
     "high: low | high\n"
     "high/deep: low high | deep\n"
     "dist: low | dist\n"
     "dist/env: low | env\n"},
    {"src/README.md", "Start with `low/low.h`, then `src/high`, then [deep](high/deep/README.md).\n"},
    {"src/low/README.md", "# src/low\n"},
    {"src/low/low.h", "int sli_low_sum(int a, int b);\ntypedef struct {\n  int n;\n} sli_count_t;\n"},
    {"src/low/low_internal.h", "int sli_low_part(int a);\n"},
    {"src/low/low.c",
     "#include \"low/low.h\"\n\n#include \"low/low_internal.h\"\n\ntypedef struct {\n  int n;\n} part_t;\n"},
    {"src/high/README.md", "# src/high\n"},
    {"src/high/high.h", "#include \"low/low.h\"\n\n#define SLI_HIGH_MOST 3\n"},
    {"src/high/high.c", "#include \"high/high.h\"\n\nstatic int most(void) { return SLI_HIGH_MOST; }\n"},
    {"src/high/deep/README.md", "# src/high/deep\n"},
    {"src/high/deep/deep.h", "void sli_deep_start(void);\n"},
    {"src/high/deep/deep_test.c", "#include \"low/low_internal.h\"\n"},
    {"src/dist/README.md", "# src/dist\n"},
    {"src/dist/dist.c", "void write(sli_string_t *out) { sli_wire_write_uint(out, SLI_FIELD_STEP_ID, 7); }\n"},
    {"src/dist/env/clock.c", "  return sli_clock_now_nanos();\n"},
    {"src/dist/wait.c", "  env->wait(env, &done, env->now(env) + patience(env->random(env)));  // time(NULL)\n"},
    {"src/dist/env/README.md", "# src/dist/env\n"},
    {"include/sluice/low.h", "int sl_low(void);\n"},
    {"examples/low.c", "#include \"sluice/low.h\"\n"},
};

// A file that breaks a rule, the checker that must fail on it, and a part of its message.
static const struct {
  file_t plant;
  const char *checker, *message;
} violations[] = {
    // Layers.
    {{"src/low/bad.c", "#include \"high/high.h\"\n"}, "check_rooms", "includes high/high.h, which src/low may not"},
    {{"src/high/bad.h", "#include \"high/deep/deep.h\"\n"}, "check_rooms", "which src/high may not"},
    {{"src/high/bad.c", "#include \"low/low_internal.h\"\n"}, "check_rooms", "is for src/low alone"},
    {{"src/new/new.c", "int x;\n"}, "check_rooms", "src/new/new.c:1: the folder is no room of tools/rooms"},
    {{"include/sluice/bad.h", "#include \"low/low.h\"\n"}, "check_rooms", "includes an internal header"},
    {{"examples/bad.c", "#include \"high/deep/deep.h\"\n"}, "check_rooms", "includes an internal header"},
    // Words.
    {{"src/low/bad.h", "void sli_wrong_sum(void);\n"}, "check_rooms", "sli_wrong_sum: begins with no word"},
    {{"src/low/bad.h", "void sli_high_sum(void);\n"}, "check_rooms", "\"high\" is a word of src/high, not of src/low"},
    {{"src/low/bad.h", "typedef struct sli_wrong sli_wrong_t;\n"}, "check_rooms", "sli_wrong_t: begins with no word"},
    {{"src/low/bad.h", "typedef struct {\n  int n;\n} sli_wrong_t;\n"}, "check_rooms", "sli_wrong_t: begins"},
    {{"src/low/bad.h", "typedef void (*sli_wrong_t)(void);\n"}, "check_rooms", "sli_wrong_t: begins with no word"},
    {{"src/low/bad.h", "extern const int sli_wrong_count;\n"}, "check_rooms", "sli_wrong_count: begins"},
    {{"src/low/bad.h", "#define SLI_WRONG_COUNT 3\n"}, "check_rooms", "SLI_WRONG_COUNT: begins with no word"},
    {{"src/low/bad.h", "typedef enum { SLI_LOW_A, SLI_WRONG_B } sli_low_kind_t;\n"}, "check_rooms", "SLI_WRONG_B: beg"},
    {{"src/low/bad.c", "static int sli_low_hidden(void) { return 1; }\n"}, "check_rooms", "has no prefix sli_"},
    {{"tools/rooms", "low: | low count\nhigh: low | high low\nhigh/deep: low high | deep\ndist: low | dist\n"},
     "check_rooms",
     "\"low\" belongs to low and to high"},
    {{"src/low/bad.c", "typedef struct {\n  int n;\n} part_t;\n"}, "check_rooms", "defines a type of this name too"},
    {{"src/low/README.md", NULL}, "check_rooms", "src/low/README.md is missing"},
    {{"src/README.md", ""}, "check_rooms", "src/README.md is missing"},
    {{"src/low/README.md", "# src/low\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"}, "check_rooms", "16 lines; 15 is the limit"},
    // Field numbers.
    {{"src/dist/bad.c", "  sli_wire_write_uint(out, 2, 7);\n"},
     "check_wire",
     "src/dist/bad.c:1: field 2 is not a name"},
    {{"src/dist/bad.c", "  sli_wire_write_uint(out, MY_FIELD, 7);\n"}, "check_wire", "field MY_FIELD is not a name"},
    {{"src/dist/bad.c", "  sli_wire_next(r, &field);\n  if (field.number == 3) x = 1;\n"}, "check_wire", "field 3 is"},
    {{"src/dist/bad.c", "  sli_wire_next(r, &f);\n  switch (f.number) {\n    case 4: break;\n  }\n"},
     "check_wire",
     "src/dist/bad.c:3: field 4 is not a name"},
    // Sources.
    {{"src/low/bad.c", "  strcpy(to, from);\n"}, "check_sources", "src/low/bad.c:1: banned function"},
    {{"src/low/bad.c", "  return system(\"ls\");\n"}, "check_sources", "banned function"},
    // The environment.
    {{"src/dist/bad.c", "  int64_t now = sli_clock_now_nanos();\n"}, "check_env", "bad.c:1: calls sli_clock_now_nanos"},
    {{"src/rpc/bad.c", "  if (!sli_event_wait(&done, 0)) return;\n"}, "check_env", "calls sli_event_wait"},
    {{"src/runtime/bad.c", "usleep(10);\n"}, "check_env", "calls usleep"},
    {{"src/dist/bad.c", "  id = random();\n"}, "check_env", "calls random"},
    {{"src/runtime/function/bad.c", "  pthread_cond_timedwait(&cond, &mutex, &until);\n"}, "check_env", "_timedwait"},
    {{"src/collective/bad.c", "  poll(fds, 2, -1);\n"}, "check_env", "calls poll"},
    {{"src/rpc/bad.c", "  pthread_join(thread, NULL);\n"}, "check_env", "calls pthread_join"},
    {{"src/dist/bad.c", "  getrandom(&id, sizeof(id), 0);\n"}, "check_env", "calls getrandom"},
    {{"src/dist/bad.c", "  clock_gettime(CLOCK_MONOTONIC, &now);\n"}, "check_env", "calls clock_gettime"},
    // Documentation.
    {{"README.md", "See `src/low/gone.c`.\n"}, "check_docs", "README.md:1: src/low/gone.c does not exist"},
    {{"README.md", "See `low/gone.h`.\n"}, "check_docs", "src/low/gone.h does not exist"},
    {{"README.md", "See [the rest](docs/gone.md#part).\n"}, "check_docs", "docs/gone.md does not exist"},
};

static void write_file(const char *root, const file_t *file) {
  char *path = sli_path_join(root, file->path), *directory = sli_path_directory(path);
  SLI_REQUIRE_OK(sli_file_make_directories(directory));
  if (file->text)
    tool_write_file(path, file->text, strlen(file->text));
  else
    unlink(path);
  free(directory);
  free(path);
}

// Writes the tree, with |plant| in it unless that is NULL, into a new folder. The path is overwritten by the next call.
static const char *make_tree(const file_t *plant) {
  static char root[256];
  static int count;
  snprintf(root, sizeof(root), "%s/tree-%d", sli_test_temporary_dir(), count++);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(tree); i++) write_file(root, &tree[i]);
  if (plant) write_file(root, plant);
  return root;
}

// Runs tools/|checker| on |root|: its exit code, and the start of what it printed.
static int run_checker(const char *checker, const char *root, char *output, size_t size) {
  char command[512];
  snprintf(command, sizeof(command), "%s/tools/%s '%s' 2>&1", SLI_SOURCE_DIR, checker, root);
  FILE *pipe = popen(command, "r");
  SLI_CHECK(pipe);
  size_t length = fread(output, 1, size - 1, pipe);
  output[length] = '\0';
  char rest[256];
  while (fread(rest, 1, sizeof(rest), pipe)) continue;
  int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

SLI_TEST(test_checkers_accept_a_tree_that_follows_the_rules) {
  static const char *const checkers[] = {"check_rooms", "check_sources", "check_env",
                                         "check_docs",  "check_macros",  "check_wire"};
  const char *root = make_tree(NULL);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(checkers); i++) {
    char output[4096];
    int code = run_checker(checkers[i], root, output, sizeof(output));
    if (code) sli_test_fail(__FILE__, __LINE__, "%s fails on a clean tree: %s", checkers[i], output);
  }
}

SLI_TEST(test_checkers_fail_on_planted_violations) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(violations); i++) {
    char output[4096];
    int code = run_checker(violations[i].checker, make_tree(&violations[i].plant), output, sizeof(output));
    if (code != 1 || !strstr(output, violations[i].message))
      sli_test_fail(__FILE__, __LINE__, "%s on '%s' in %s: exit code %d, expected 1 and '%s', got: %s",
                    violations[i].checker, violations[i].plant.text ? violations[i].plant.text : "(removed)",
                    violations[i].plant.path, code, violations[i].message, output);
  }
}

// 1,000 lines are allowed.
SLI_TEST(test_long_files_are_refused) {
  sli_string_t text = {0};
  for (int i = 0; i < 1000; i++) sli_string_append_text(&text, "int x;\n");
  char output[4096];
  const file_t longest = {"src/low/long.c", sli_string_text(&text)};
  SLI_EXPECT_INT(run_checker("check_sources", make_tree(&longest), output, sizeof(output)), 0);
  sli_string_append_text(&text, "int x;\n");
  const file_t too_long = {"src/low/long.c", sli_string_text(&text)};
  SLI_EXPECT_INT(run_checker("check_sources", make_tree(&too_long), output, sizeof(output)), 1);
  SLI_EXPECT_CONTAINS(output, "src/low/long.c: 1001 lines; 1000 is the limit");
  sli_string_deinitialize(&text);
}

// The exit code of check_macros for a macro of |lines| lines.
static int check_macro_of(int lines, char *output, size_t size) {
  sli_string_t text = {0};
  sli_string_append_text(&text, "#define SLI_LOW_LIST \\\n");
  for (int i = 2; i < lines; i++) sli_string_append_text(&text, "  1, \\\n");
  sli_string_append_text(&text, "  1\n\nint x;\n");
  const file_t file = {"src/low/macro.h", sli_string_text(&text)};
  int code = run_checker("check_macros", make_tree(&file), output, size);
  sli_string_deinitialize(&text);
  return code;
}

SLI_TEST(test_long_macros_are_refused) {
  char output[4096];
  SLI_EXPECT_INT(check_macro_of(20, output, sizeof(output)), 0);
  SLI_EXPECT_INT(check_macro_of(21, output, sizeof(output)), 1);
  SLI_EXPECT_CONTAINS(output, "src/low/macro.h:1: a macro of 21 lines; 20 is the limit");
}

SLI_TEST_MAIN(test_checkers_accept_a_tree_that_follows_the_rules, test_checkers_fail_on_planted_violations,
              test_long_files_are_refused, test_long_macros_are_refused)
