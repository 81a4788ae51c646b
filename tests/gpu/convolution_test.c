// A convolutional model on a ps without a GPU and workers that have one. PoCL is slow at this: for "make gpu".
#include "base/test.h"
#include "tests/gpu/gpus.h"

SLI_TEST(test_a_convolutional_model_learns) { gpus_train("mnist_cnn", "--test_batch=50", "--steps=20"); }

SLI_TEST_MAIN(test_a_convolutional_model_learns)
