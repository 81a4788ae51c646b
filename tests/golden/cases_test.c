// Repeats runs recorded with TensorFlow through a session in this process: values, gradients, optimizer trajectories
// and errors.
#include "base/test.h"
#include "tests/golden/golden.h"

SLI_TEST(test_cases_equal_tensorflow) { golden_check_group("cases", NULL); }
SLI_TEST(test_optimizers_equal_tensorflow) { golden_check_group("optimizers", NULL); }

SLI_TEST_MAIN(test_cases_equal_tensorflow, test_optimizers_equal_tensorflow)
