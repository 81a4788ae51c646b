// Event files, as `sluice inspect` reads and prints them. The first byte selects the whole file, or its events, which
// then get correct checksums, so that the code after the checksums is reached too. The second has the options.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/inspect/inspect.h"
#include "io/record/record.h"
#include "tests/fuzz/fuzz.h"

static const char *write_events(const uint8_t *data, size_t size) {
  const char *path = fuzz_file("events.out.tfevents.1.a", data, 0);
  sli_record_writer_t *writer;
  if (sli_record_writer_open(path, SLI_FILE_TRUNCATE, SLI_COMPRESSION_NONE, 0, &writer)) abort();
  sli_status_t *status = NULL;
  while (size >= 2 && !status) status = sli_record_writer_write(writer, fuzz_part(&data, &size));
  if (!status) status = sli_record_writer_close(writer);
  SLI_CHECK(!status);
  sli_record_writer_release(writer);
  return path;
}

// What the command prints goes nowhere.
static void print(const json_t *report, const sli_inspect_options_t *options) {
  static int nowhere = -1;
  if (nowhere < 0) nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  fflush(stdout);
  int kept = dup(STDOUT_FILENO);
  SLI_CHECK(nowhere >= 0 && kept >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0);
  sli_inspect_events_print(report, options);
  fflush(stdout);
  SLI_CHECK(dup2(kept, STDOUT_FILENO) >= 0);
  close(kept);
}

void fuzz_one(const uint8_t *data, size_t size) {
  if (size < 2) return;
  const char *path =
      data[0] & 1 ? write_events(data + 2, size - 2) : fuzz_file("events.out.tfevents.1.a", data + 2, size - 2);
  sli_inspect_options_t options = {.plot = data[1] & 1 ? "loss" : NULL, .verify = data[1] & 2, .all = data[1] & 4};
  sli_inspect_subject_t subject = {0};
  sli_status_t *status = sli_inspect_find(path, &subject);
  if (!status && subject.kind == SLI_INSPECT_EVENTS) {
    json_t *report = json_object();
    status = sli_inspect_events(&subject, &options, report);
    if (!status) {
      char *text = json_dumps(report, JSON_COMPACT);
      SLI_CHECK(text);
      free(text);
      print(report, &options);
    }
    json_decref(report);
  }
  fuzz_ignore(status);
  sli_inspect_subject_deinitialize(&subject);
}
