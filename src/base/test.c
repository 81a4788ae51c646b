#include "base/test.h"

#include <dirent.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/port.h"
#include "base/string.h"

static int failures;
static char temporary[64];
static pid_t temporary_owner;

void sli_test_fail(const char *file, int line, const char *format, ...) {
  failures++;
  fprintf(stderr, "%s:%d: ", file, line);
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
}

const char *sli_test_golden_dir(void) {
  const char *directory = getenv("SLUICE_GOLDEN_DIR");
  return directory ? directory : SLI_SOURCE_DIR "/tests/golden";
}

static void remove_tree(const char *path) {
  DIR *directory = opendir(path);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    sli_string_t child = {0};
    sli_string_append_format(&child, "%s/%s", path, entry->d_name);
    struct stat info;
    if (lstat(child.data, &info) == 0 && S_ISDIR(info.st_mode))
      remove_tree(child.data);
    else
      unlink(child.data);
    sli_string_deinitialize(&child);
  }
  if (directory) closedir(directory);
  rmdir(path);
}

// Does nothing in a child that a test forked.
static void remove_temporary(void) {
  if (getpid() == temporary_owner) remove_tree(temporary);
}

const char *sli_test_temporary_dir(void) {
  if (!temporary[0]) {
    // In memory if possible: some tests sync thousands of small files.
    const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(temporary, sizeof(temporary), "%s/sluice_test_XXXXXX", parent);
    SLI_CHECK(mkdtemp(temporary) != NULL);
    temporary_owner = getpid();
    atexit(remove_temporary);
  }
  return temporary;
}

int sli_test_free_port(void) {
  int port = 0, reservation;  // the reservation is kept until the process ends
  SLI_EXPECT_OK(sli_port_reserve(&port, &reservation));
  return port;
}

static bool chosen(int argc, char **argv, sli_view_t name) {
  for (int i = 1; i < argc; i++)
    if (sli_view_is(name, argv[i])) return true;
  return argc < 2;
}

int sli_test_main(int argc, char **argv, const char *names, void (*const *tests)(void), size_t count) {
  sli_view_t rest = sli_view(names), name;
  int ran = 0, failed = 0;
  for (size_t i = 0; i < count; i++) {
    sli_view_split(rest, ',', &name, &rest);
    name = sli_view_trim(name);
    if (!chosen(argc, argv, name)) continue;
    int before = failures;
    tests[i]();
    ran++;
    failed += failures > before;
    if (failures > before) fprintf(stderr, "FAILED %.*s\n", SLI_VIEW_ARG(name));
  }
  if (ran == 0) fprintf(stderr, "no test of that name\n");
  printf("%d passed, %d failed\n", ran - failed, failed);
  return failed || ran == 0;
}
