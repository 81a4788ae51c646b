// Compares a graph that the training library built with a listing that
// tests/golden/train/listing.py wrote from TensorFlow's Python library.
#ifndef SLI_TESTS_TRAIN_GOLDEN_H_
#define SLI_TESTS_TRAIN_GOLDEN_H_

#include "sluice/sluice.h"

// Checks that the graph has each node of tests/golden/train/|listing|.txt with the same op, device, inputs, colocation
// group and attributes. The graph may have more nodes. The scope must have no error.
void sli_expect_listing(sl_scope_t *scope, const char *listing);

// A server object for worker 1 of two workers and two ps tasks. It does not serve.
sl_server_t *sli_test_idle_server(void);
// The same for worker |index| of |workers|.
sl_server_t *sli_test_idle_task(int workers, int index);

// Runs |initializer| (NULL: none) and then fetches |outputs| in a new local session. Writes all values, converted to
// double, to |out_values| and returns their number. A failure fails the test.
size_t sli_test_run(sl_scope_t *scope, TF_Operation *initializer, const TF_Output *outputs, size_t count,
                    double *out_values, size_t capacity);

// Reads at most |capacity| numbers from the line of tests/golden/train/|file|.txt that starts with |name|. Returns
// their number; fails the test if it is 0.
size_t sli_golden_numbers(const char *file, const char *name, double *out_values, size_t capacity);
// Fills all trainable variables with sin(1), sin(2), …, then compares |outputs| and the gradients of the sum of their
// squares with respect to those variables with the line |name| of |file|, which listing.py wrote.
void sli_expect_values(sl_scope_t *scope, sl_outputs_t outputs, const char *file, const char *name);

#endif  // SLI_TESTS_TRAIN_GOLDEN_H_
