// Shared by the golden tests: files, recorded runs, the comparison of tensors, and
// the list of what is not there yet.
#ifndef TESTS_GOLDEN_INTERNAL_H_
#define TESTS_GOLDEN_INTERNAL_H_

#include "base/array.h"
#include "base/map.h"
#include "base/string.h"
#include "core/tensor.h"
#include "runtime/session.h"

// The whole file; false if it cannot be read.
bool golden_read(const char *path, sli_string_t *out);
// Names of the entries of |directory| that end in |suffix|, sorted.
typedef struct {
  SLI_ARRAY(char *) names;
} golden_names_t;
void golden_list(const char *directory, const char *suffix, golden_names_t *out_names);
void golden_names_deinitialize(golden_names_t *names);
// tests/golden/pending.txt: what needs ops that Sluice does not have yet. A name
// in it must fail with NOT_FOUND of an op; once it passes it must leave the list.
bool golden_is_pending(const char *name);

// Names of the cases (folders) of |group|, sorted; GOLDEN_ONLY in the environment picks one.
void golden_list_cases(const char *group, golden_names_t *out_names);

// The tensor that lies at these bytes of a case's tensors.bin; a reference for the caller. Ends the process if there
// is none: the data is ours.
sli_tensor_t *golden_tensor(const sli_string_t *tensors, sli_view_t offset, sli_view_t length);
// Whether |got| is |want| within the tolerances; reports the first difference as |name| of |label|, run |run|.
bool golden_compare(const char *label, int run, const char *name, const sli_tensor_t *got, const sli_tensor_t *want,
                    double relative, double absolute);

// One run of a session that TensorFlow recorded.
enum { GOLDEN_MAX_ITEMS = 128 };
typedef struct {
  char *feed_names[GOLDEN_MAX_ITEMS], *fetch_names[GOLDEN_MAX_ITEMS], *target_names[GOLDEN_MAX_ITEMS];
  sli_tensor_t *feeds[GOLDEN_MAX_ITEMS], *wanted[GOLDEN_MAX_ITEMS];  // wanted NULL: the run fails
  double relative[GOLDEN_MAX_ITEMS], absolute[GOLDEN_MAX_ITEMS];
  size_t feed_count, fetch_count, target_count;
  int error_code;
} golden_run_t;

// A folder with a graph and runs of it, one after the other in one session.
typedef struct {
  char *label;
  sli_string_t graph;
  SLI_ARRAY(golden_run_t *) runs;
} golden_case_t;

// DATA_LOSS if its files cannot be read.
sli_status_t *golden_case_load(const char *group, const char *name, golden_case_t *out_case);
void golden_case_deinitialize(golden_case_t *c);
// A session with the case's graph. |config|: serialized ConfigProto.
sli_status_t *golden_case_open(const golden_case_t *c, sli_view_t config, sli_session_t **out_session);
// Runs |run|; |got| has room for its fetches.
sli_status_t *golden_run(sli_session_t *session, const golden_run_t *run, sli_tensor_t **got);
void golden_session_close(sli_session_t *session);

#endif  // TESTS_GOLDEN_INTERNAL_H_
