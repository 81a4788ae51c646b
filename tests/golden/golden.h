// What the golden tests share: files, recorded runs, comparison of tensors, and the list of cases that need missing
// ops.
#ifndef SLI_TESTS_GOLDEN_GOLDEN_H_
#define SLI_TESTS_GOLDEN_GOLDEN_H_

#include "base/array.h"
#include "base/map.h"
#include "base/string.h"
#include "core/tensor/tensor.h"
#include "runtime/session/session.h"

// Reads the whole file; false if it cannot be read.
bool golden_read(const char *path, sli_string_t *out);
// Names of the entries of |directory| that end in |suffix|, sorted.
typedef struct {
  SLI_ARRAY(char *) names;
} golden_names_t;
void golden_list(const char *directory, const char *suffix, golden_names_t *out_names);
void golden_names_deinitialize(golden_names_t *names);
// Whether tests/golden/pending.txt lists |name|: a case that needs ops that Sluice does not have yet. Such a case must
// fail with NOT_FOUND; when it passes, it must be removed from the list.
bool golden_is_pending(const char *name);

// Names of the cases (folders) of |group|, sorted; the environment variable GOLDEN_ONLY selects one.
void golden_list_cases(const char *group, golden_names_t *out_names);

// The tensor at these bytes of a case's tensors.bin; the caller owns the reference. Aborts if the data is invalid.
sli_tensor_t *golden_tensor(const sli_string_t *tensors, sli_view_t offset, sli_view_t length);
// Whether |got| equals |want| within the tolerances; otherwise reports the first difference.
bool golden_compare(const char *label, int run, const char *name, const sli_tensor_t *got, const sli_tensor_t *want,
                    double relative, double absolute);

// One run of a session that TensorFlow recorded.
enum { GOLDEN_MAX_ITEMS = 128 };
typedef struct {
  char *feed_names[GOLDEN_MAX_ITEMS], *fetch_names[GOLDEN_MAX_ITEMS], *target_names[GOLDEN_MAX_ITEMS];
  sli_tensor_t *feeds[GOLDEN_MAX_ITEMS], *wanted[GOLDEN_MAX_ITEMS];  // wanted NULL: the run must fail
  double relative[GOLDEN_MAX_ITEMS], absolute[GOLDEN_MAX_ITEMS];
  size_t feed_count, fetch_count, target_count;
  int error_code;
} golden_run_t;

// A folder with a graph and runs of it, made one after the other in one session.
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

// Makes the runs of all cases of |group| in this process, and compares what they give with what TensorFlow gave.
// |excepted| is a run that differs by right, "cases/errors:3"; NULL: none.
void golden_check_group(const char *group, const char *excepted);

#endif  // SLI_TESTS_GOLDEN_GOLDEN_H_
