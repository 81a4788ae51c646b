// Repeats the runs of a group of cases.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test.h"
#include "tests/golden/golden.h"

// Whether the run gave what TensorFlow gave.
static bool check_run(const golden_case_t *c, int number, sli_session_t *session) {
  const golden_run_t *run = c->runs.items[number];
  sli_tensor_t *got[GOLDEN_MAX_ITEMS] = {0};
  sli_status_t *status = golden_run(session, run, got);
  bool is_equal = (int)sli_status_code(status) == run->error_code;
  if (!is_equal)
    sli_test_fail(c->label, number, "status %s, wanted %s: %s", sli_code_name(sli_status_code(status)),
                  sli_code_name((sli_code_t)run->error_code), sli_status_message(status));
  for (size_t i = 0; i < run->fetch_count; i++) {
    if (!status && run->wanted[i])
      is_equal &= golden_compare(c->label, number, run->fetch_names[i], got[i], run->wanted[i], run->relative[i],
                                 run->absolute[i]);
    sli_tensor_release(got[i]);
  }
  sli_status_release(status);
  return is_equal;
}

static bool is_excepted(const char *excepted, const char *label, int number) {
  char *run = sli_format("%s:%d", label, number);
  bool found = excepted && !strcmp(excepted, run);
  free(run);
  return found;
}

void golden_check_group(const char *group, const char *excepted) {
  golden_names_t names;
  golden_list_cases(group, &names);
  int passed = 0, waiting = 0;
  for (size_t i = 0; i < names.names.count; i++) {
    golden_case_t c;
    sli_session_t *session = NULL;
    sli_status_t *status = golden_case_load(group, names.names.items[i], &c);
    if (!status) status = golden_case_open(&c, sli_view(""), &session);
    bool is_pending = golden_is_pending(c.label), is_equal = !status;
    for (size_t k = 0; !status && k < c.runs.count; k++)
      if (!is_excepted(excepted, c.label, (int)k)) is_equal &= check_run(&c, (int)k, session);
    if (status && (!is_pending || sli_status_code(status) != SLI_NOT_FOUND))
      sli_test_fail(c.label, 0, "%s", sli_status_message(status));
    if (!status && is_pending) sli_test_fail(c.label, 0, "runs now: take it out of tests/golden/pending.txt");
    passed += is_equal;
    waiting += status != NULL;
    sli_status_release(status);
    golden_session_close(session);
    golden_case_deinitialize(&c);
  }
  golden_names_deinitialize(&names);
  printf("%s: %d pass, %d wait for ops\n", group, passed, waiting);
}
