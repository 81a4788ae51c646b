// Runs the make targets that CONTRIBUTING.md shows. Variables from docs.c make each build and test a small part only.
#include "base/test.h"
#include "tests/docs/docs.h"

SLI_TEST(test_commands_of_the_contributors_page_run) {
  if (!docs_begin()) return;
  SLI_EXPECT(docs_try_page("CONTRIBUTING.md") >= 7);
  docs_end();
}

SLI_TEST_MAIN(test_commands_of_the_contributors_page_run)
