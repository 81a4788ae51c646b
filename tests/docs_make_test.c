// The make targets that CONTRIBUTING.md shows run: each builds and tests a small
// part of what it would without the variables that docs_internal.c gives it.
#include "base/test.h"
#include "docs_internal.h"

SLI_TEST(test_commands_of_the_contributors_page_run) {
  if (!docs_begin()) return;
  SLI_EXPECT(docs_try_page("CONTRIBUTING.md") >= 7);
  docs_end();
}

SLI_TEST_MAIN(test_commands_of_the_contributors_page_run)
