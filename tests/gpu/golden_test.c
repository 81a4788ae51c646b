// The runs recorded with TensorFlow once more, in a process with a GPU: what has a kernel there is computed there.
#include "tests/golden/golden.h"
#include "base/test.h"
#include "tests/gpu/gpus.h"

// As in TensorFlow, a GPU does not check indices: a row that is out of range is zeros.
SLI_TEST(test_cases_equal_tensorflow) {
  gpus_require(1);
  golden_check_group("cases", "cases/errors:3");
}

SLI_TEST(test_optimizers_equal_tensorflow) {
  gpus_require(1);
  golden_check_group("optimizers", NULL);
}

SLI_TEST_MAIN(test_cases_equal_tensorflow, test_optimizers_equal_tensorflow)
