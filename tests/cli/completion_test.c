// Completion of the shells, and the manual pages that are installed.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/test.h"
#include "tests/support/tool.h"

static const char all_commands[] = "launch sweep serve status doctor run inspect keys agent help completion manual";

// What bash offers for |line|, of which the last word is to be completed.
static void expect_offered(const char *line, const char *offered) {
  tool_run_t run;
  char *script = sli_format(
      "eval \"$($0 completion bash)\"; compopt() { echo files; }; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - "
      "1)); "
      "_sluice; echo \"<${COMPREPLY[*]}>\"",
      line);
  TOOL_RUN(&run, "launch", "--quiet", "--", "bash", "-c", script, tool_path());
  char *wanted = sli_format("[worker 0] %s\n", offered);
  SLI_EXPECT_TEXT(run.out, wanted);
  free(wanted);
  free(script);
  tool_run_release(&run);
}

SLI_TEST(test_bash_offers_options_and_operands) {
  char *commands = sli_format("<%s>", all_commands);
  expect_offered("sluice launch --max", "<--max-restarts>");
  expect_offered("sluice he", "<help>");
  expect_offered("sluice help ''", commands);
  expect_offered("sluice help la", "<launch>");
  expect_offered("sluice help launch ''", "<>");
  expect_offered("sluice manual st", "<status>");
  expect_offered("sluice completion ''", "<bash zsh>");
  expect_offered("sluice completion z", "<zsh>");
  expect_offered("sluice help --", "<--help>");
  expect_offered("sluice inspect mo", "files\n[worker 0] <>");
  free(commands);
}

// The words of the script for zsh: it must be one that zsh can read, and offer the same.
SLI_TEST(test_zsh_offers_operands) {
  tool_run_t run;
  TOOL_RUN(&run, "completion", "zsh");
  char *commands = sli_format("    help) _arguments '--help[show help]' '1:argument:(%s)' ;;\n", all_commands);
  SLI_EXPECT_CONTAINS(run.out, commands);
  SLI_EXPECT_CONTAINS(run.out, "    completion) _arguments '--help[show help]' '1:argument:(bash zsh)' ;;\n");
  SLI_EXPECT_CONTAINS(run.out, " '*::argument:_default' ;;\n");
  free(commands);
  tool_run_release(&run);
}

SLI_TEST(test_each_command_has_a_manual_page) {
  char *names = sli_strdup(all_commands), *save = NULL;
  for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
    char *path = sli_format("%s/man/sluice-%s.1", SLI_BUILD_DIR, name);
    if (access(path, R_OK) != 0) sli_test_fail(__FILE__, __LINE__, "there is no page %s", path);
    free(path);
  }
  tool_run_t run;
  TOOL_RUN(&run, "manual", "help");
  SLI_EXPECT_INT(run.code, 0);
  SLI_EXPECT_CONTAINS(run.out, "sluice-help \\- Show the help of sluice or of one command");
  tool_run_release(&run);
  free(names);
}

SLI_TEST_MAIN(test_bash_offers_options_and_operands, test_zsh_offers_operands, test_each_command_has_a_manual_page)
