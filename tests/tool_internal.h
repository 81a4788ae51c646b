// The real tool, run by a test: its exit code and what it printed. For tests of
// the command line.
#ifndef SLI_TESTS_TOOL_INTERNAL_H_
#define SLI_TESTS_TOOL_INTERNAL_H_

#include <stddef.h>

#include "base/string.h"

enum { SLI_TOOL_MAX_ARGUMENTS = 24 };

// What came of a run. Owns its texts.
typedef struct {
  int code;  // exit code, or -signal
  char *out, *err;
} sli_tool_run_t;

// The tool's path: SLUICE_TOOL, or the one of this build.
const char *sli_tool_path(void);
// Runs "sluice ARGUMENTS…", up to a NULL, with its output in files, or on |terminal| if that is >= 0. A tool that does
// not end within half a minute is a failed test.
void sli_tool_run(sli_tool_run_t *run, int terminal, const char *const *arguments);
void sli_tool_run_release(sli_tool_run_t *run);
#define SLI_TOOL(run, ...) sli_tool_run(run, -1, (const char *const[]){__VA_ARGS__, NULL})

// Paths of files of this test run and of golden data; each valid until the next but fifteen.
const char *sli_tool_scratch(const char *name);
const char *sli_tool_golden(const char *name);
const char *sli_tool_path_in(const char *directory, const char *name);

sli_string_t sli_tool_read_file(const char *path);
void sli_tool_write_file(const char *path, const void *data, size_t size);
void sli_tool_copy_file(const char *from, const char *to);

#endif  // SLI_TESTS_TOOL_INTERNAL_H_
