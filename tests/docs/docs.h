// Runs the commands that the documentation shows. For the tests of README.md, docs/ and CONTRIBUTING.md.
#ifndef SLI_TESTS_DOCS_DOCS_H_
#define SLI_TESTS_DOCS_DOCS_H_

#include <stdbool.h>

// Makes a folder with the files that the commands use, and starts the cluster that they query. Returns false and fails
// the test on an error.
bool docs_begin(void);
// Runs every command of |page|, a path in the source tree, in order, and returns their number. Each line of an indented
// block is a command. A program in a fenced block that begins with "// NAME.c: …" is written to that file. A command
// without a row in the table of docs.c fails the test.
int docs_try_page(const char *page);
// Stops the cluster.
void docs_end(void);

#endif  // SLI_TESTS_DOCS_DOCS_H_
