// The commands that the documentation shows, run as they stand there. For the
// tests of README.md, docs/ and CONTRIBUTING.md.
#ifndef SLI_TESTS_DOCS_INTERNAL_H_
#define SLI_TESTS_DOCS_INTERNAL_H_

#include <stdbool.h>

// Makes a folder with the files that commands name, and starts the cluster that they ask. False: the test has failed.
bool docs_begin(void);
// Tries every command of |page|, a path in the source tree, in its order; how many there were. Indented blocks hold
// commands, line by line; one that is not known how to be tried is a failure.
int docs_try_page(const char *page);
// Stops the cluster.
void docs_end(void);

#endif  // SLI_TESTS_DOCS_INTERNAL_H_
