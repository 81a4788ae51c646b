// A fuzz target is a program of one function, which feeds foreign bytes to a
// parser and must return; driver.c has the main() around it.
#ifndef SLI_TESTS_FUZZ_H_
#define SLI_TESTS_FUZZ_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

// The target. The bytes are only valid during the call.
void sli_fuzz_one(const uint8_t *data, size_t size);

// Of driver.c, for targets:

// Puts the bytes into a file of the run's own folder; the path is valid until the next call with the same |name|.
const char *sli_fuzz_file(const char *name, const uint8_t *data, size_t size);
// What came of the input is of no interest.
static inline void sli_fuzz_ignore(sli_status_t *status) { sli_status_release(status); }
// Takes a part off the front: its length is the next two bytes, if so many follow.
sli_view_t sli_fuzz_part(const uint8_t **data, size_t *size);

#endif  // SLI_TESTS_FUZZ_H_
