// Follows docs/first_program.md alone, from the installation to the cluster: writes its programs, runs its commands.
#include "base/test.h"
#include "tests/docs/docs.h"

SLI_TEST(test_the_first_program_works_as_its_page_says) {
  if (!docs_begin()) return;
  SLI_EXPECT(docs_try_page("docs/first_program.md") == 13);
  docs_end();
}

SLI_TEST_MAIN(test_the_first_program_works_as_its_page_says)
