// The test harness: a test file holds SLI_TEST blocks and ends with
// SLI_TEST_MAIN(test_a, test_b, …). A failed expectation prints file, line and
// values, and the test continues; the process exits 1 if any failed. Arguments
// pick tests by name.
#ifndef SLI_BASE_TEST_H_
#define SLI_BASE_TEST_H_

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

void sli_test_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The folder of the golden data ("tests/golden" of the source tree); static memory.
const char *sli_test_golden_dir(void);
// A fresh directory that is removed when the process ends; static memory.
const char *sli_test_temporary_dir(void);
// A free TCP port that no other test gets while this process runs: see base/port.h.
int sli_test_free_port(void);

#define SLI_TEST(name) static void name(void)
#define SLI_EXPECT(condition)                                                       \
  do {                                                                              \
    if (!(condition)) sli_test_fail(__FILE__, __LINE__, "expected %s", #condition); \
  } while (0)
// Like SLI_EXPECT, but returns from the test: what follows would crash.
#define SLI_REQUIRE(condition)                                      \
  do {                                                              \
    if (!(condition)) {                                             \
      sli_test_fail(__FILE__, __LINE__, "required %s", #condition); \
      return;                                                       \
    }                                                               \
  } while (0)
#define SLI_EXPECT_INT(actual, wanted)                                                                                 \
  do {                                                                                                                 \
    long long actual_ = (long long)(actual), wanted_ = (long long)(wanted);                                            \
    if (actual_ != wanted_) sli_test_fail(__FILE__, __LINE__, "%s is %lld, expected %lld", #actual, actual_, wanted_); \
  } while (0)
#define SLI_EXPECT_TEXT(actual, wanted)                                                                         \
  do {                                                                                                          \
    const char *actual_ = (actual), *wanted_ = (wanted);                                                        \
    if (!actual_ || strcmp(actual_, wanted_) != 0)                                                              \
      sli_test_fail(__FILE__, __LINE__, "%s is \"%s\", expected \"%s\"", #actual, actual_ ? actual_ : "(null)", \
                    wanted_);                                                                                   \
  } while (0)
#define SLI_EXPECT_CONTAINS(actual, part)                                                       \
  do {                                                                                          \
    const char *actual_ = (actual), *part_ = (part);                                            \
    if (!actual_ || !strstr(actual_, part_))                                                    \
      sli_test_fail(__FILE__, __LINE__, "%s is \"%s\", expected it to contain \"%s\"", #actual, \
                    actual_ ? actual_ : "(null)", part_);                                       \
  } while (0)
#define SLI_EXPECT_NEAR(actual, wanted, tolerance)                                               \
  do {                                                                                           \
    double actual_ = (actual), wanted_ = (wanted);                                               \
    if (!(fabs(actual_ - wanted_) <= (tolerance)))                                               \
      sli_test_fail(__FILE__, __LINE__, "%s is %.9g, expected %.9g", #actual, actual_, wanted_); \
  } while (0)
// The status that the expression returns must be OK / must have |wanted_code|; releases it.
#define SLI_EXPECT_OK(expression)                                                                       \
  do {                                                                                                  \
    sli_status_t *status_ = (expression);                                                               \
    if (status_) sli_test_fail(__FILE__, __LINE__, "%s: %s", #expression, sli_status_message(status_)); \
    sli_status_release(status_);                                                                        \
  } while (0)
#define SLI_REQUIRE_OK(expression)                                                           \
  do {                                                                                       \
    sli_status_t *status_ = (expression);                                                    \
    if (status_) {                                                                           \
      sli_test_fail(__FILE__, __LINE__, "%s: %s", #expression, sli_status_message(status_)); \
      sli_status_release(status_);                                                           \
      return;                                                                                \
    }                                                                                        \
  } while (0)
#define SLI_EXPECT_STATUS(expression, wanted_code)                                                                     \
  do {                                                                                                                 \
    sli_status_t *status_ = (expression);                                                                              \
    if (sli_status_code(status_) != (wanted_code))                                                                     \
      sli_test_fail(__FILE__, __LINE__, "%s: %s (%s), expected %s", #expression,                                       \
                    sli_code_name(sli_status_code(status_)), sli_status_message(status_), sli_code_name(wanted_code)); \
    sli_status_release(status_);                                                                                       \
  } while (0)

#define SLI_TEST_MAIN(...)                                                                   \
  int main(int argc, char **argv) {                                                          \
    static void (*const tests[])(void) = {__VA_ARGS__};                                      \
    return sli_test_main(argc, argv, #__VA_ARGS__, tests, sizeof(tests) / sizeof(tests[0])); \
  }
int sli_test_main(int argc, char **argv, const char *names, void (*const *tests)(void), size_t count);

#endif  // SLI_BASE_TEST_H_
