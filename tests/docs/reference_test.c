// docs/api.md has every macro and function of the public headers, as code and in its index; README.md names what is
// missing for stock clients; examples/README.md has every example, its length and its test.
#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/test.h"
#include "tests/support/tool.h"

static size_t name_length(const char *text) {
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
  return length;
}

// Whether |page| has |before|, the name, and then no further letter of a name.
static bool has_name(const char *page, const char *before, const char *name) {
  char *wanted = sli_format("%s%s", before, name);
  const char *at = page;
  while ((at = strstr(at, wanted)) && name_length(at + strlen(wanted))) at++;
  free(wanted);
  return at != NULL;
}

static void expect_in_index(const char *page, const char *name) {
  const char *index = strstr(page, "\n## Index\n");
  SLI_REQUIRE(index != NULL);
  char *entry = sli_format("\n- `%s`: [", name);
  if (!strstr(index, entry)) sli_test_fail(__FILE__, __LINE__, "the index of docs/api.md lacks %s", name);
  free(entry);
}

static void check_macro(const char *page, const char *line) {
  char *name = sli_strndup(line, name_length(line));
  bool is_guard = strstr(name, "_H_") != NULL, is_helper = name[strlen(name) - 1] == '_';
  if (!is_guard && !has_name(page, "\n#define ", name))
    sli_test_fail(__FILE__, __LINE__, "docs/api.md lacks the macro %s", name);
  if (!is_guard && !is_helper) expect_in_index(page, name);
  free(name);
}

// |line| is behind SL_EXPORT. A function with a macro over it is in the index by the macro's name.
static void check_function(const char *page, const char *line) {
  const char *open = strchr(line, '('), *start = open;
  SLI_REQUIRE(open != NULL);
  while (start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) start--;
  char *name = sli_strndup(start, (size_t)(open - start)), *macro = sli_strdup(name);
  if (!has_name(page, "", name)) sli_test_fail(__FILE__, __LINE__, "docs/api.md lacks the function %s", name);
  size_t length = strlen(name);
  if (length > 5 && !strcmp(name + length - 5, "_with")) macro[length - 5] = '\0';
  expect_in_index(page, has_name(page, "\n#define ", macro) ? macro : name);
  free(macro);
  free(name);
}

SLI_TEST(test_every_macro_and_function_is_in_the_reference) {
  sli_string_t page = tool_read_file(SLI_SOURCE_DIR "/docs/api.md");
  glob_t headers = {0};
  SLI_REQUIRE(glob(SLI_SOURCE_DIR "/include/sluice/*.h", 0, NULL, &headers) == 0);
  int count = 0;
  for (size_t i = 0; i < headers.gl_pathc; i++) {
    const char *base = strrchr(headers.gl_pathv[i], '/') + 1;
    if (!strcmp(base, "ops.h") || !strcmp(base, "export.h")) continue;
    char *entry = sli_format("\n## sluice/%s\n", base);
    SLI_EXPECT_CONTAINS(sli_string_text(&page), entry);
    free(entry);
    sli_string_t text = tool_read_file(headers.gl_pathv[i]);
    for (char *line = text.data; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
      if (!strncmp(line, "#define ", 8)) check_macro(page.data, line + 8), count++;
      if (!strncmp(line, "SL_EXPORT ", 10)) check_function(page.data, line + 10), count++;
    }
    sli_string_deinitialize(&text);
  }
  SLI_EXPECT(count > 500);
  globfree(&headers);
  sli_string_deinitialize(&page);
}

// Each "needs …" of the interop suite's expected failures is in the README's list of differences.
SLI_TEST(test_the_readme_lists_what_stock_clients_still_lack) {
  sli_string_t page = tool_read_file(SLI_SOURCE_DIR "/README.md");
  const char *list = strstr(sli_string_text(&page), "\n### What a stock TensorFlow can still tell\n");
  SLI_REQUIRE(list != NULL);
  sli_string_t failures = tool_read_file(SLI_SOURCE_DIR "/tests/interop/expected_failures.txt");
  int count = 0;
  for (const char *at = sli_string_text(&failures); (at = strstr(at, "  needs ")); count++) {
    at += strlen("  needs ");
    size_t length = strcspn(at, "\n");
    if (length > 4 && !strncmp(at + length - 4, " ops", 4)) length -= 4;
    char *what = sli_strndup(at, length);
    if (!strcasestr(list, what)) sli_test_fail(__FILE__, __LINE__, "the README does not say that %s is missing", what);
    free(what);
  }
  SLI_EXPECT(count > 0 || !strstr(sli_string_text(&failures), "\ntest_"));
  sli_string_deinitialize(&failures);
  sli_string_deinitialize(&page);
}

// --- Examples ---

static int count_lines(const sli_string_t *text) {
  int lines = 0;
  for (const char *at = sli_string_text(text); (at = strchr(at, '\n')); at++) lines++;
  return lines;
}

// |page| links to the example, with its length if it is in the table of classic programs.
static void check_example(const char *page, const char *path) {
  enum { MOST_LINES = 150 };
  const char *base = strrchr(path, '/') + 1;
  sli_string_t text = tool_read_file(path);
  int lines = count_lines(&text);
  const char *code = strstr(sli_string_text(&text), "#include"), *prints = strcasestr(sli_string_text(&text), "prints");
  if (!prints || prints > code)
    sli_test_fail(__FILE__, __LINE__, "the comment at the top of %s does not say what it prints", base);
  char *link = sli_format("[%s](%s)", base, base);
  const char *at = strstr(page, link);
  if (!at) sli_test_fail(__FILE__, __LINE__, "examples/README.md lacks %s", base);
  int shown = lines;
  bool is_classic = at && sscanf(at + strlen(link), " (%d)", &shown) == 1;
  if (is_classic && lines > MOST_LINES)
    sli_test_fail(__FILE__, __LINE__, "%s has %d lines, more than %d", base, lines, MOST_LINES);
  if (shown != lines)
    sli_test_fail(__FILE__, __LINE__, "%s has %d lines, examples/README.md says %d", base, lines, shown);
  free(link);
  sli_string_deinitialize(&text);
}

// The tests in the last cell of each row exist.
static int check_tests(char *page) {
  sli_string_t tests = tool_read_file(SLI_SOURCE_DIR "/tests/docs/examples_test.c");
  int count = 0;
  for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n")) {
    char *cell = *line == '|' ? strstr(line, " | `") : NULL;
    for (char *name = cell; name && (name = strchr(name, '`')); count++) {
      size_t length = strcspn(++name, "`");
      char *test = sli_format("SLI_TEST(test_%.*s)", (int)length, name);
      if (strncmp(name, "make run`", length + 1) && !strstr(sli_string_text(&tests), test))
        sli_test_fail(__FILE__, __LINE__, "examples/README.md names %.*s, which is no test", (int)length, name);
      free(test);
      name += length + (name[length] == '`');
    }
  }
  sli_string_deinitialize(&tests);
  return count;
}

SLI_TEST(test_the_tables_of_the_examples_are_true) {
  sli_string_t page = tool_read_file(SLI_SOURCE_DIR "/examples/README.md");
  glob_t examples = {0};
  SLI_REQUIRE(glob(SLI_SOURCE_DIR "/examples/*.c", 0, NULL, &examples) == 0);
  for (size_t i = 0; i < examples.gl_pathc; i++) check_example(sli_string_text(&page), examples.gl_pathv[i]);
  SLI_EXPECT(check_tests(page.data) >= 16);
  globfree(&examples);
  sli_string_deinitialize(&page);
}

SLI_TEST_MAIN(test_every_macro_and_function_is_in_the_reference, test_the_readme_lists_what_stock_clients_still_lack,
              test_the_tables_of_the_examples_are_true)
