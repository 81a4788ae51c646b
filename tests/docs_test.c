// The commands that README.md and docs/ show run, as they stand there, in the
// order in which they stand there. What is different is in two tables of docs_internal.c.
#include <glob.h>
#include <string.h>

#include "base/test.h"
#include "docs_internal.h"

SLI_TEST(test_commands_of_the_readme_and_docs_run) {
  if (!docs_begin()) return;
  SLI_EXPECT(docs_try_page("README.md") >= 10);
  glob_t pages = {0};
  SLI_EXPECT(glob(SLI_SOURCE_DIR "/docs/*.md", 0, NULL, &pages) == 0);
  int count = 0;
  for (size_t i = 0; i < pages.gl_pathc; i++) {
    const char *page = pages.gl_pathv[i] + strlen(SLI_SOURCE_DIR "/");
    // These two are made from headers and tables.
    if (strcmp(page, "docs/api.md") != 0 && strcmp(page, "docs/ops.md") != 0) count += docs_try_page(page);
  }
  SLI_EXPECT(count >= 20);
  globfree(&pages);
  docs_end();
}

SLI_TEST_MAIN(test_commands_of_the_readme_and_docs_run)
