// Runs the commands that README.md, the guide, the first program and the rest of docs/ show, in their order and in one
// folder. Two tables in docs.c say what is changed in them.
#include <glob.h>
#include <string.h>

#include "base/test.h"
#include "tests/docs/docs.h"

SLI_TEST(test_commands_of_the_readme_and_docs_run) {
  if (!docs_begin()) return;
  SLI_EXPECT(docs_try_page("README.md") >= 10);
  int count = docs_try_page("docs/guide.md");
  count += docs_try_page("docs/first_program.md");
  glob_t pages = {0};
  SLI_EXPECT(glob(SLI_SOURCE_DIR "/docs/*.md", 0, NULL, &pages) == 0);
  for (size_t i = 0; i < pages.gl_pathc; i++) {
    const char *page = pages.gl_pathv[i] + strlen(SLI_SOURCE_DIR "/");
    // Two were first; the two others are generated.
    if (strcmp(page, "docs/guide.md") != 0 && strcmp(page, "docs/first_program.md") != 0 &&
        strcmp(page, "docs/api.md") != 0 && strcmp(page, "docs/ops.md") != 0)
      count += docs_try_page(page);
  }
  SLI_EXPECT(count >= 20);
  globfree(&pages);
  docs_end();
}

SLI_TEST_MAIN(test_commands_of_the_readme_and_docs_run)
