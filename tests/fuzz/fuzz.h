// A fuzz target is a program with one function, which passes arbitrary bytes to a parser and must return. driver.c has
// main().
#ifndef SLI_TESTS_FUZZ_FUZZ_H_
#define SLI_TESTS_FUZZ_FUZZ_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

// The target. The bytes are only valid during the call.
void fuzz_one(const uint8_t *data, size_t size);

// Functions of driver.c for targets:

// Writes the bytes to a file in the folder of this run. The path is valid until the next call with the same |name|.
const char *fuzz_file(const char *name, const uint8_t *data, size_t size);
// Ignores the result of an input.
static inline void fuzz_ignore(sli_status_t *status) { sli_status_release(status); }
// Removes a part from the front and returns it. Its length is in the first two bytes, limited to what follows.
sli_view_t fuzz_part(const uint8_t **data, size_t *size);

#endif  // SLI_TESTS_FUZZ_FUZZ_H_
