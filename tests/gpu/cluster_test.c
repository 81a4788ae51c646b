// A ps without a GPU and workers that have one.
#include "base/test.h"
#include "tests/gpu/gpus.h"

SLI_TEST(test_a_dense_model_learns) { gpus_train("mnist_replica", "--hidden_units=16", "--steps=120"); }

SLI_TEST_MAIN(test_a_dense_model_learns)
