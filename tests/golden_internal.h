// Shared by the golden tests: files, and the list of what is not there yet.
#ifndef TESTS_GOLDEN_INTERNAL_H_
#define TESTS_GOLDEN_INTERNAL_H_

#include "base/array.h"
#include "base/map.h"
#include "base/string.h"

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

#endif  // TESTS_GOLDEN_INTERNAL_H_
